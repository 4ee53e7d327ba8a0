//! Paths and types.

use super::{Expr, Symbol};
use crate::compiler::output::Span;

/// An integer type of the subset, or `char`, which has no arithmetic. `usize` and `isize` have 64
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntType {
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    Char,
    /// The type of a literal, as long as nothing has told it.
    Open(u32),
}

impl IntType {
    /// Returns the type of this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        #[rustfmt::skip]
        let all = [
            Self::U8, Self::U16, Self::U32, Self::U64, Self::U128, Self::Usize,
            Self::I8, Self::I16, Self::I32, Self::I64, Self::I128, Self::Isize, Self::Char,
        ];
        all.into_iter().find(|ty| ty.name() == name)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::U128 => "u128",
            Self::Usize => "usize",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::I128 => "i128",
            Self::Isize => "isize",
            Self::Char => "char",
            Self::Open(_) => "{integer}",
        }
    }

    pub const fn bits(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 8,
            Self::U16 | Self::I16 => 16,
            Self::U32 | Self::I32 | Self::Char => 32,
            Self::U64 | Self::Usize | Self::I64 | Self::Isize => 64,
            Self::U128 | Self::I128 | Self::Open(_) => 128,
        }
    }

    pub const fn signed(self) -> bool {
        matches!(
            self,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::I128 | Self::Isize
        )
    }

    /// Returns the smallest value.
    pub const fn min(self) -> i128 {
        match self {
            Self::I128 | Self::Open(_) => i128::MIN,
            ty if ty.signed() => -(1 << (ty.bits() - 1)),
            _ => 0,
        }
    }

    /// Returns the largest value. That of `u128` is larger, but values from 2^127 on are refused.
    pub const fn max(self) -> i128 {
        match self {
            Self::U128 | Self::I128 | Self::Open(_) => i128::MAX,
            Self::Char => char::MAX as i128,
            ty => (1 << (ty.bits() - ty.signed() as u32)) - 1,
        }
    }

    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open(_))
    }
}

/// One segment of a path, with its generic arguments. Those of `Fn(A, B) -> C` are the tuple
/// `(A, B)` and `C`.
#[derive(Clone, Debug)]
pub struct Segment {
    pub name: Symbol,
    pub generics: Vec<GenericArg>,
    /// `Item = T`
    pub bindings: Vec<(Symbol, Type)>,
}

/// A path, possibly qualified as `<T as Trait>::rest`.
#[derive(Clone, Debug)]
pub struct Path {
    pub qualified: Option<Box<(Type, Option<Path>)>>,
    pub segments: Vec<Segment>,
    pub span: Span,
}

impl Path {
    /// Returns the name, if the path is one plain identifier.
    pub fn ident(&self) -> Option<Symbol> {
        match (&self.qualified, self.segments.as_slice()) {
            (None, [segment]) if segment.generics.is_empty() && segment.bindings.is_empty() => {
                Some(segment.name)
            }
            _ => None,
        }
    }

    /// Returns the path that is one plain identifier.
    pub fn of_name(name: Symbol, span: Span) -> Self {
        let segment = Segment {
            name,
            generics: Vec::new(),
            bindings: Vec::new(),
        };
        Self {
            qualified: None,
            segments: vec![segment],
            span,
        }
    }
}

/// A generic argument: a type or a constant. If it is a single name, it may turn out to be either.
#[derive(Clone, Debug)]
pub enum GenericArg {
    Type(Type),
    Const(Expr),
}

impl GenericArg {
    pub const fn span(&self) -> Span {
        match self {
            Self::Type(ty) => ty.span,
            Self::Const(expr) => expr.span,
        }
    }
}

/// A type expression.
#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
    /// Whether it is written behind `&`.
    pub reference: bool,
    /// Whether it is written behind `&mut`, where that is not part of a [`Param`](super::Param).
    pub mutable: bool,
}

impl Type {
    pub const fn new(kind: TypeKind, span: Span) -> Self {
        Self {
            kind,
            span,
            reference: false,
            mutable: false,
        }
    }

    /// Returns the name, if the type is one plain identifier.
    pub fn ident(&self) -> Option<Symbol> {
        match &self.kind {
            TypeKind::Path(path) => path.ident(),
            _ => None,
        }
    }

    /// Appends the paths to types in this one.
    pub fn paths<'a>(&'a self, out: &mut Vec<&'a Path>) {
        match &self.kind {
            TypeKind::Unknown => {}
            TypeKind::Array(element, _) | TypeKind::Slice(element) => element.paths(out),
            TypeKind::Tuple(types) => types.iter().for_each(|ty| ty.paths(out)),
            TypeKind::Function(params, output) => {
                params.iter().for_each(|ty| ty.paths(out));
                if let Some(output) = output {
                    output.paths(out);
                }
            }
            TypeKind::Path(path) => {
                out.push(path);
                for segment in &path.segments {
                    for argument in &segment.generics {
                        if let GenericArg::Type(ty) = argument {
                            ty.paths(out);
                        }
                    }
                    segment.bindings.iter().for_each(|(_, ty)| ty.paths(out));
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Path(Path),
    Array(Box<Type>, Box<Expr>),
    Slice(Box<Type>),
    Tuple(Vec<Type>),
    /// `fn(A) -> B`: any function or closure.
    Function(Vec<Type>, Option<Box<Type>>),
    /// `_`, or the omitted type of `self` or of a closure's parameter, or a closure's or an
    /// iterator's as a result.
    Unknown,
}
