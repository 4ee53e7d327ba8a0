//! Types of values.

use std::rc::Rc;

use super::{MAX_NESTING, StructId};
use crate::compiler::ast::IntType;

/// A type whose generic parameters are all known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    Felt,
    Ext,
    Block,
    Slice,
    /// An integer type, or `None` if it is unknown which.
    Int(Option<IntType>),
    Bool,
    Tuple(Rc<[Ty]>),
    /// An array, with length `None` if it is unknown.
    Array(Rc<Ty>, Option<u64>),
    Vec(Rc<Ty>),
    Struct(StructId, Rc<[Ty]>),
    Unchecked(Rc<Ty>),
    Words(u64),
    Index(u64),
    Phantom,
    /// A closure, or a function as a value.
    Closure,
    /// An iterator, with the type of its elements. A range is one, too.
    Iter(Rc<Ty>),
    /// `str`, behind references.
    Text,
    /// A constant generic argument that is an integer or a char.
    Const(i128, IntType),
    /// A constant generic argument of type `bool`.
    ConstBool(bool),
    /// Unknown, which matches every type.
    Unknown,
}

impl Ty {
    pub const USIZE: Self = Self::Int(Some(IntType::Usize));

    /// A constant generic argument that is a number of elements.
    pub const fn length(length: u64) -> Self {
        Self::Const(length as i128, IntType::Usize)
    }

    /// Returns whether two types agree wherever both are known.
    pub fn matches(&self, other: &Self) -> bool {
        self.agrees(other, true)
    }

    /// Like [`Self::matches`]. With `sizes` false, arrays, slices and `Vec`s are all alike: a
    /// reference to a slice has the type of the value behind it.
    pub(super) fn agrees(&self, other: &Self, sizes: bool) -> bool {
        let all = |a: &[Self], b: &[Self]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees(b, sizes))
        };
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            (Self::Int(a), Self::Int(b)) => {
                let open = |ty: &Option<IntType>| ty.is_none_or(IntType::is_open);
                open(a) || open(b) || a == b
            }
            (Self::Tuple(a), Self::Tuple(b)) => all(a, b),
            (Self::Array(a, n), Self::Array(b, m)) if sizes => {
                a.agrees(b, sizes) && (n.is_none() || m.is_none() || n == m)
            }
            (Self::Array(a, _) | Self::Vec(a), Self::Array(b, _) | Self::Vec(b)) if !sizes => {
                a.agrees(b, sizes)
            }
            (Self::Struct(a, x), Self::Struct(b, y)) => a == b && all(x, y),
            (Self::Vec(a), Self::Vec(b))
            | (Self::Unchecked(a), Self::Unchecked(b))
            | (Self::Iter(a), Self::Iter(b)) => a.agrees(b, sizes),
            (a, b) => a == b,
        }
    }

    /// Returns the types of which it consists.
    fn parts(&self) -> &[Self] {
        match self {
            Self::Tuple(types) | Self::Struct(_, types) => types,
            Self::Array(ty, _) | Self::Vec(ty) | Self::Unchecked(ty) | Self::Iter(ty) => {
                std::slice::from_ref(&**ty)
            }
            _ => &[],
        }
    }

    /// Returns whether it is such a type, or one of its parts is.
    pub fn some_part(&self, test: &dyn Fn(&Self) -> bool) -> bool {
        test(self) || self.parts().iter().any(|part| part.some_part(test))
    }

    /// Returns the number of parts, or `None` if it is larger than `most` or they are nested more
    /// than [`MAX_NESTING`] deep.
    pub fn size(&self, most: usize) -> Option<usize> {
        fn count(ty: &Ty, depth: usize, left: usize) -> Option<usize> {
            let left = left.checked_sub(1).filter(|_| depth <= MAX_NESTING)?;
            let mut parts = ty.parts().iter();
            parts.try_fold(left, |left, part| count(part, depth + 1, left))
        }
        count(self, 0, most).map(|left| most - left)
    }
}
