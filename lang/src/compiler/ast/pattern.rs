//! Patterns.

use std::collections::HashSet;
use std::rc::Rc;

use super::{Expr, IntType, Path, Symbol};
use crate::compiler::output::Span;

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub kind: PatternKind,
    pub span: Span,
}

impl Pattern {
    /// Adds the names that it binds unless they are those of constants.
    pub fn bound(&self, names: &mut HashSet<Symbol>) {
        match &self.kind {
            PatternKind::Wild
            | PatternKind::Constant(_)
            | PatternKind::Int(..)
            | PatternKind::Range(..)
            | PatternKind::Bool(_)
            | PatternKind::Text(_) => {}
            PatternKind::Bind(name) => {
                names.insert(*name);
            }
            PatternKind::At(name, inner) => {
                names.insert(*name);
                inner.bound(names);
            }
            PatternKind::Tuple(elements)
            | PatternKind::Array(elements)
            | PatternKind::TupleStruct(_, elements) => {
                names.extend(elements.bound);
                elements
                    .patterns
                    .iter()
                    .for_each(|pattern| pattern.bound(names));
            }
            PatternKind::Struct(_, fields, _) => {
                fields.iter().for_each(|(_, pattern)| pattern.bound(names));
            }
            PatternKind::Or(patterns) => patterns.iter().for_each(|pattern| pattern.bound(names)),
        }
    }
}

/// A sequence of patterns, with the position of `..` in it.
#[derive(Clone, Debug)]
pub struct Elements {
    pub patterns: Vec<Pattern>,
    /// Number of patterns before `..`, if there is one.
    pub rest: Option<usize>,
    /// Name of what `..` stands for: `[first, rest @ ..]`.
    pub bound: Option<Symbol>,
}

/// Whether a pattern of a struct ends in `..`.
pub type Rest = bool;

impl Elements {
    /// Returns which of `length` elements a pattern is for.
    pub const fn position(&self, pattern: usize, length: usize) -> usize {
        match self.rest {
            Some(before) if pattern >= before => pattern + length - self.patterns.len(),
            _ => pattern,
        }
    }
}

#[derive(Clone, Debug)]
pub enum PatternKind {
    Wild,
    /// A name, which is bound unless it is that of a constant or of a variant.
    Bind(Symbol),
    Tuple(Elements),
    Array(Elements),
    Struct(Path, Vec<(Symbol, Pattern)>, Rest),
    TupleStruct(Path, Elements),
    /// A constant or variant whose path has several segments.
    Constant(Path),
    /// Least and largest value, and the suffix if there is one.
    Int(i128, i128, Option<IntType>),
    /// A range with a constant as an end, and whether it includes its last end.
    Range(Option<Box<Expr>>, Option<Box<Expr>>, bool),
    Bool(bool),
    Text(Rc<str>),
    Or(Vec<Pattern>),
    /// `name @ pattern`
    At(Symbol, Box<Pattern>),
}
