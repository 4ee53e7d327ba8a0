//! Items: functions, types, traits and modules.

use std::collections::HashSet;
use std::rc::Rc;

use super::{Block, Expr, GenericArg, IntType, Path, Pattern, PatternKind, Symbol, Type};
use crate::compiler::output::Span;

/// A generic parameter: a type, or a constant. A parameter of type `impl Trait` makes one whose name
/// has a space.
#[derive(Clone, Debug)]
pub struct GenericParam {
    pub name: Symbol,
    pub constant: bool,
    /// The type of a constant that is no `bool`.
    pub integer: Option<IntType>,
    /// The traits by which a type parameter is bounded where it is declared, without `Sized` and
    /// lifetimes.
    pub bounds: Vec<Path>,
    /// What it stands for where fewer arguments are written; only of structs and enums.
    pub default: Option<GenericArg>,
}

/// A condition of a `where` clause on a type.
#[derive(Clone, Debug)]
pub struct Predicate {
    pub ty: Type,
    pub bounds: Vec<Path>,
}

/// Returns the bounds of generic parameters and of a `where` clause, each with the parameter's name
/// if the bounded type is one.
pub fn conditions<'a>(
    generics: &'a [GenericParam],
    predicates: &'a [Predicate],
) -> impl Iterator<Item = (Option<Symbol>, &'a Vec<Path>)> {
    let declared = generics.iter();
    let declared = declared.map(|param| (Some(param.name), &param.bounds));
    let predicates = predicates.iter();
    declared.chain(predicates.map(|given| (given.ty.ident(), &given.bounds)))
}

/// A parameter, or `self`.
#[derive(Clone, Debug)]
pub struct Param {
    pub pattern: Pattern,
    pub ty: Type,
    /// Whether it is taken by `&mut`, which is then no part of the type.
    pub mutable_reference: bool,
    /// Whether its pattern is behind `&`, so that it binds what the reference refers to.
    pub dereferenced: bool,
    /// Whether its name is `mut`: another value may be assigned to it.
    pub reassigned: bool,
}

impl Param {
    /// Returns the name, if the pattern is one.
    pub fn name(&self) -> Option<Symbol> {
        match self.pattern.kind {
            PatternKind::Bind(name) => Some(name),
            _ => None,
        }
    }
}

/// A function.
#[derive(Debug)]
pub struct Function {
    pub name: Symbol,
    pub generics: Vec<GenericParam>,
    pub predicates: Vec<Predicate>,
    /// Parameters. If there is a `self`, it is the first one, with the name `self`.
    pub params: Vec<Param>,
    pub output: Option<Type>,
    /// `None` for a required method of a trait, which has no body.
    pub body: Option<Block>,
    /// Whether it is compiled once and called, instead of inlined.
    pub never_inline: bool,
    pub span: Span,
}

/// A constant.
#[derive(Debug)]
pub struct Const {
    pub name: Symbol,
    pub ty: Type,
    pub value: Option<Expr>,
    /// Whether it is a `static`, out of which nothing is moved.
    pub is_static: bool,
    pub span: Span,
}

/// Where a name can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Public,
    /// In the module so many levels above its own, and in all modules within that one.
    Above(usize),
    /// In the module around its own that is so many levels below the crate's root, and in all
    /// modules within that one.
    Below(usize),
}

/// A variant of an enum, or what a struct holds.
#[derive(Debug)]
pub struct Variant {
    pub name: Symbol,
    /// `struct S;`, whose name is a value.
    pub unit: bool,
    /// `struct S { .. }`, whose name is neither a value nor a function.
    pub named: bool,
    pub fields: Vec<(Symbol, Type)>,
    /// Visibilities of the fields. `S(..)` is visible where all fields are.
    pub visibilities: Vec<Visibility>,
    pub discriminant: Option<Expr>,
    /// Whether it has the attribute `#[default]`.
    pub default: bool,
}

/// A struct or an enum. A struct has one variant, of its own name.
#[derive(Debug)]
pub struct Struct {
    pub name: Symbol,
    pub is_enum: bool,
    pub generics: Vec<GenericParam>,
    pub variants: Vec<Variant>,
    /// The type of an enum's discriminants, if a `repr` says it.
    pub repr: Option<IntType>,
    /// Names of the traits that it derives.
    pub derives: Vec<Symbol>,
}

impl Struct {
    pub fn variant(&self, number: usize) -> &Variant {
        &self.variants[number]
    }

    /// Returns whether it is an enum that `as` makes an integer of.
    pub fn is_castable(&self) -> bool {
        let is_plain =
            |one: &Variant| one.fields.is_empty() && (one.unit || one.discriminant.is_none());
        self.is_enum && self.variants.iter().all(is_plain)
    }

    pub fn derives(&self, name: &str) -> bool {
        self.derives.iter().any(|derived| *derived == name)
    }
}

/// A type alias.
#[derive(Debug)]
pub struct Alias {
    pub generics: Vec<GenericParam>,
    pub ty: Type,
}

/// A trait and its items.
#[derive(Debug)]
pub struct Trait {
    pub generics: Vec<GenericParam>,
    pub supertraits: Vec<Path>,
    pub predicates: Vec<Predicate>,
    pub functions: Vec<Rc<Function>>,
    pub constants: Vec<Rc<Const>>,
    /// Associated types and their bounds.
    pub types: Vec<(Symbol, Vec<Path>)>,
}

/// An implementation.
#[derive(Debug)]
pub struct Impl {
    pub generics: Vec<GenericParam>,
    pub predicates: Vec<Predicate>,
    pub of: Option<Path>,
    pub self_type: Type,
    pub functions: Vec<Rc<Function>>,
    pub constants: Vec<Rc<Const>>,
    pub types: Vec<(Symbol, Type)>,
    /// Functions and constants whose visibility is not just `pub`.
    pub restricted: Vec<(Symbol, Visibility)>,
}

/// A name that is brought into scope.
#[derive(Clone, Debug)]
pub struct Import {
    pub path: Vec<Symbol>,
    /// `None` for everything in the module.
    pub name: Option<Symbol>,
    pub visibility: Visibility,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ItemKind {
    Function(Rc<Function>),
    Const(Rc<Const>),
    Struct(Rc<Struct>),
    Alias(Rc<Alias>),
    Trait(Rc<Trait>),
    Module(Module),
    /// `mod name;`
    ModuleFile,
}

/// A named item.
#[derive(Clone, Debug)]
pub struct Item {
    pub name: Symbol,
    pub visibility: Visibility,
    pub kind: ItemKind,
    pub span: Span,
}

/// The contents of a module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub items: Vec<Item>,
    /// Names of the items.
    pub names: HashSet<Symbol>,
    pub impls: Vec<Rc<Impl>>,
    pub imports: Vec<Import>,
}
