//! What expressions evaluate to while compiling: compile-time values, and names of run-time values.

mod ty;

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use droste_native::F;

use super::ast::{self, IntType, Path};
pub(super) use super::eval::{Iter, Reference, Scope};
use super::ir::Word;
pub use ty::Ty;

/// Upper bound for numbers of blocks, lanes and iterations. It is more than a memory holds, but
/// small enough that sums of a few of these fit in 32 bits and are field elements.
pub const LIMIT: u32 = 1 << 28;

/// Largest depth to which values or types are nested.
const MAX_NESTING: usize = 128;

/// Index of a structure in the item table.
pub type StructId = usize;

/// The address of a block: a word plus a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    pub word: Word,
    pub distance: u32,
}

impl Pointer {
    /// Returns the address that is a word.
    pub fn at(word: Word) -> Self {
        let distance = 0;
        Self { word, distance }
    }

    /// Returns the address of an area's first block.
    pub fn area(area: super::ir::Area) -> Self {
        Self::at(Word::Address(area, 0))
    }

    /// Returns the address so many blocks further, or `None` if there is no such address.
    pub fn skip(self, blocks: u32) -> Option<Self> {
        let add = |distance: u32| {
            let sum = distance.checked_add(blocks)?;
            (sum < LIMIT).then_some(sum)
        };
        Some(match self.word {
            Word::Address(area, offset) => Self::at(Word::Address(area, add(offset)?)),
            word => Self {
                word,
                distance: add(self.distance)?,
            },
        })
    }
}

/// A run-time block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    Const([F; 8]),
    Lanes(Rc<[Word; 8]>),
    At(Pointer),
}

/// A run-time extension element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ext {
    Const([F; 5]),
    /// A base field element.
    Scalar(Word),
    Coefficients(Rc<[Word; 5]>),
    /// A product that is not computed yet, since it may become part of a multiply-add.
    Product(Rc<(Ext, Ext)>),
    At(Pointer),
}

/// A variant of an enum and its fields. A struct is an enum with one variant.
#[derive(Clone, Debug)]
pub struct Structure {
    pub id: StructId,
    pub generics: Rc<[Ty]>,
    pub variant: usize,
    pub fields: Vec<Value>,
    /// Whether it has one owner, since it or a part of it is not `Copy`.
    pub single: bool,
}

/// Whether a structure that is not `Copy`, or a `Vec`, is a value of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// It may be changed, and moved once.
    Owned,
    /// It is a shared reference.
    Shared,
    /// It is the clone of a reference, or of what that refers to.
    Either,
}

/// A closure, or a function as a value.
#[derive(Clone, Debug)]
pub struct ClosureValue {
    pub code: Code,
    /// Number of the activation whose variables the captures are. `None` if the closure has them
    /// itself.
    pub home: Option<u64>,
    /// Indices of the captured variables at home.
    pub slots: Rc<[usize]>,
    /// Values of the captured variables; none while the closure is at home.
    pub captures: Vec<Value>,
    /// What the names in the code mean.
    pub scope: Rc<Scope>,
    /// Types of the parameters and, last, of the result, as far as calls and bounds told.
    pub types: Rc<RefCell<Vec<Ty>>>,
}

impl ClosureValue {
    /// Returns whether two closures differ at most in the values of their captures.
    fn same_code(&self, other: &Self) -> bool {
        let same = match (&self.code, &other.code) {
            (Code::Closure(a), Code::Closure(b)) => Rc::ptr_eq(a, b),
            (Code::Path(a), Code::Path(b)) => Rc::ptr_eq(a, b),
            _ => false,
        };
        same && self.home == other.home
            && self.slots == other.slots
            && Rc::ptr_eq(&self.scope, &other.scope)
    }
}

/// What a call of a closure evaluates.
#[derive(Clone, Debug)]
pub enum Code {
    Closure(Rc<ast::Closure>),
    /// A function, constructor or method by its path.
    Path(Rc<Path>),
}

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// An integer, and its type if that is known.
    Int(i128, Option<IntType>),
    Bool(bool),
    /// A `&str`.
    Text(Rc<str>),
    Phantom,
    /// A run-time boolean, which is constrained to be zero or one.
    Flag(Word),
    Felt(Word),
    Ext(Ext),
    Block(Block),
    /// A slice: address of the first block, and number of blocks.
    Slice(Pointer, u32),
    Tuple(Rc<Vec<Value>>),
    Array(Rc<Vec<Value>>),
    /// The values that the program pushed. Their number is known while compiling.
    Vec(Rc<Vec<Value>>, Held),
    Struct(Rc<Structure>, Held),
    Unchecked(Rc<Value>),
    /// `low..high`
    Range(i128, i128, Option<IntType>),
    /// `low..`
    From(i128, Option<IntType>),
    /// `..` or `..high`, which are only indices.
    To(Option<i128>, Option<IntType>),
    Closure(Rc<ClosureValue>),
    Iter(Rc<Iter>),
    /// The result of `count(n)` or `count_to(n)`.
    Count(Word),
    /// Write-once words: address of the first, and their number.
    Words(Word, u64),
    /// An index: a word that is known to be below the bound.
    Index(Word, u64),
    /// A mutable reference.
    Reference(Rc<Reference>),
    /// A place without a value, for values of this type: none was given to it, or the value was
    /// moved, or a `&mut` parameter has borrowed it.
    Empty(Ty, Held),
}

/// What messages call the value.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Int(..) => "an integer",
            Self::Bool(_) => "a compile-time bool",
            Self::Flag(_) => "a run-time bool",
            Self::Text(_) => "a string",
            Self::Phantom => "PhantomData",
            Self::Felt(_) => "a Felt",
            Self::Ext(_) => "an Ext",
            Self::Block(_) => "a Block",
            Self::Slice(..) => "a Slice",
            Self::Tuple(values) if values.is_empty() => "()",
            Self::Tuple(_) => "a tuple",
            Self::Array(_) => "an array",
            Self::Vec(..) => "a Vec",
            Self::Struct(..) => "a struct",
            Self::Unchecked(_) => "an Unchecked value",
            Self::Range(..) | Self::From(..) | Self::To(..) | Self::Count(_) => "a range",
            Self::Closure(_) => "a closure",
            Self::Iter(_) => "an iterator",
            Self::Words(..) => "a Words",
            Self::Index(..) => "an Index",
            Self::Reference(_) => "a mutable reference",
            Self::Empty(..) => "a place without a value",
        })
    }
}

impl Value {
    /// A place whose value is borrowed.
    pub const LENT: Self = Self::Empty(Ty::Unknown, Held::Either);

    pub fn unit() -> Self {
        Self::Tuple(Rc::default())
    }

    /// Returns the type of the value, as far as it is known.
    pub fn ty(&self) -> Ty {
        match self {
            Self::Int(_, ty) => Ty::Int(*ty),
            Self::Bool(_) | Self::Flag(_) => Ty::Bool,
            Self::Phantom => Ty::Phantom,
            Self::Felt(_) => Ty::Felt,
            Self::Ext(_) => Ty::Ext,
            Self::Block(_) => Ty::Block,
            Self::Slice(..) => Ty::Slice,
            Self::Tuple(values) => Ty::Tuple(values.iter().map(Self::ty).collect()),
            Self::Array(values) => {
                let element = values.first().map_or(Ty::Unknown, Self::ty);
                Ty::Array(Rc::new(element), Some(values.len() as u64))
            }
            Self::Vec(values, _) => {
                let element = values.first().map_or(Ty::Unknown, Self::ty);
                Ty::Vec(Rc::new(element))
            }
            Self::Struct(structure, _) => Ty::Struct(structure.id, structure.generics.clone()),
            Self::Unchecked(value) => Ty::Unchecked(Rc::new(value.ty())),
            Self::Words(_, length) => Ty::Words(*length),
            Self::Index(_, bound) => Ty::Index(*bound),
            Self::Reference(reference) => reference.ty().clone(),
            Self::Empty(ty, _) => ty.clone(),
            Self::Text(_) => Ty::Text,
            Self::Closure(_) => Ty::Closure,
            Self::Range(_, _, ty) | Self::From(_, ty) => Ty::Iter(Rc::new(Ty::Int(*ty))),
            Self::Iter(iter) => Ty::Iter(Rc::new(iter.element())),
            Self::Count(_) => Ty::Iter(Rc::new(Ty::Felt)),
            Self::To(..) => Ty::Unknown,
        }
    }

    /// Returns whether the value may have a type. The elements of an array have one type.
    pub fn is_of(&self, ty: &Ty) -> bool {
        match (self, ty) {
            (_, Ty::Unknown) => true,
            (Self::Tuple(values), Ty::Tuple(types)) => {
                let mut pairs = values.iter().zip(types.iter());
                values.len() == types.len() && pairs.all(|(value, ty)| value.is_of(ty))
            }
            (Self::Array(values) | Self::Vec(values, _), Ty::Array(ty, _) | Ty::Vec(ty)) => {
                values.first().is_none_or(|value| value.is_of(ty))
            }
            (Self::Unchecked(value), Ty::Unchecked(ty)) => value.is_of(ty),
            (Self::Struct(of, _), Ty::Struct(id, generics)) => {
                let mut pairs = of.generics.iter().zip(generics.iter());
                of.id == *id && pairs.all(|(a, b)| a.agrees(b, false))
            }
            (Self::Empty(found, _), ty) => found.agrees(ty, false),
            (Self::Reference(reference), ty) => reference.ty().agrees(ty, false),
            (Self::Tuple(_) | Self::Array(_) | Self::Vec(..) | Self::Struct(..), _)
            | (Self::Unchecked(_) | Self::To(..), _) => false,
            (scalar, ty) => scalar.ty().matches(ty),
        }
    }

    /// Returns whether it is of one of the types of the standard library that programs import, or
    /// of `str`.
    pub const fn is_standard(&self) -> bool {
        matches!(
            self,
            Self::Text(_)
                | Self::Range(..)
                | Self::From(..)
                | Self::To(..)
                | Self::Iter(_)
                | Self::Count(_)
        )
    }

    /// Returns what messages call the value, with what is known of it.
    pub fn shown(&self) -> String {
        match self {
            Self::Int(value, Some(IntType::Char)) => {
                let value = u32::try_from(*value).ok().and_then(char::from_u32);
                format!("the char {:?}", value.unwrap_or_default())
            }
            Self::Int(value, _) => format!("the integer {value}"),
            Self::Bool(value) => format!("the bool `{value}`"),
            Self::Text(text) => format!("the text {text:?}"),
            Self::Felt(Word::Const(value)) => format!("the Felt {value}"),
            other => other.to_string(),
        }
    }

    /// Returns the elements of an array or a `Vec`.
    pub const fn elements(&self) -> Option<&Rc<Vec<Self>>> {
        match self {
            Self::Array(values) | Self::Vec(values, _) => Some(values),
            _ => None,
        }
    }

    /// Calls `visit` on every scalar of the value, in order. Returns the value with the scalars
    /// replaced for which `visit` returned another one, or `None` if there are none.
    pub fn map_leaves(&self, visit: &mut impl FnMut(&Self) -> Option<Self>) -> Option<Self> {
        let Some(parts) = self.parts() else {
            return visit(self);
        };
        let mut changed: Option<Vec<Self>> = None;
        for (index, part) in parts.iter().enumerate() {
            if let Some(new) = part.map_leaves(visit) {
                changed.get_or_insert_with(|| parts.to_vec())[index] = new;
            }
        }
        changed.map(|parts| self.with_parts(parts))
    }

    /// Returns the container with other parts.
    pub fn with_parts(&self, mut parts: Vec<Self>) -> Self {
        match self {
            Self::Tuple(_) => Self::Tuple(Rc::new(parts)),
            Self::Array(_) => Self::Array(Rc::new(parts)),
            Self::Vec(_, held) => Self::Vec(Rc::new(parts), *held),
            Self::Struct(structure, held) => {
                let structure = Structure {
                    generics: structure.generics.clone(),
                    fields: parts,
                    ..**structure
                };
                Self::Struct(Rc::new(structure), *held)
            }
            Self::Closure(closure) => {
                let mut closure = ClosureValue::clone(closure);
                closure.captures = parts;
                Self::Closure(Rc::new(closure))
            }
            Self::Unchecked(_) => Self::Unchecked(Rc::new(parts.remove(0))),
            scalar => scalar.clone(),
        }
    }

    /// Returns the values that a container consists of; `None` for a scalar.
    pub fn parts(&self) -> Option<&[Self]> {
        match self {
            Self::Tuple(values) | Self::Array(values) | Self::Vec(values, _) => Some(values),
            Self::Struct(structure, _) => Some(&structure.fields),
            Self::Closure(closure) => Some(&closure.captures),
            Self::Unchecked(value) => Some(std::slice::from_ref(value)),
            _ => None,
        }
    }

    /// Returns the value without the parts that another of its type does not have, if there are any.
    pub fn without(&self, other: &Self) -> Option<Self> {
        if let Self::Empty(..) = self {
            return None;
        }
        if let Self::Empty(_, held) = other {
            return Some(Self::Empty(self.ty(), *held));
        }
        match (self.parts(), other.parts()) {
            (Some(parts), Some(others)) if parts.len() == others.len() && self.same_kind(other) => {
                let mut changed: Option<Vec<Self>> = None;
                for (index, (part, other)) in parts.iter().zip(others).enumerate() {
                    if let Some(new) = part.without(other) {
                        changed.get_or_insert_with(|| parts.to_vec())[index] = new;
                    }
                }
                changed.map(|parts| self.with_parts(parts))
            }
            _ => None,
        }
    }

    /// Appends the scalars of the value, in the order of [`Self::map_leaves`].
    pub fn leaves<'a>(&'a self, out: &mut Vec<&'a Value>) {
        match self.parts() {
            Some(parts) => parts.iter().for_each(|part| part.leaves(out)),
            None => out.push(self),
        }
    }

    /// Returns the number of scalars and containers, where a long text counts as several. `None` if
    /// it is larger than `most` or the containers are nested more than [`MAX_NESTING`] deep.
    pub fn size(&self, most: usize) -> Option<usize> {
        fn count(value: &Value, depth: usize, left: usize) -> Option<usize> {
            let own = match value {
                Value::Text(text) => 1 + text.len() / 64,
                _ => 1,
            };
            let left = left.checked_sub(own).filter(|_| depth <= MAX_NESTING)?;
            let mut parts = value.parts().unwrap_or_default().iter();
            parts.try_fold(left, |left, part| count(part, depth + 1, left))
        }
        count(self, 0, most).map(|left| most - left)
    }

    /// Returns whether two values are of one kind: the same variant, or the same code.
    fn same_kind(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Struct(a, _), Self::Struct(b, _)) => (a.id, a.variant) == (b.id, b.variant),
            (Self::Closure(a), Self::Closure(b)) => a.same_code(b),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }

    /// Returns whether two values have the same structure, ignoring the values of their scalars.
    pub fn same_shape(&self, other: &Self) -> bool {
        match (self.parts(), other.parts()) {
            (Some(a), Some(b)) if a.len() == b.len() && self.same_kind(other) => {
                a.iter().zip(b).all(|(a, b)| a.same_shape(b))
            }
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    /// Returns whether a scalar is known at compile time.
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Flag(word)
            | Self::Felt(word)
            | Self::Count(word)
            | Self::Index(word, _)
            | Self::Ext(Ext::Scalar(word)) => matches!(word, Word::Const(_)),
            Self::Ext(value) => matches!(value, Ext::Const(_)),
            Self::Block(block) => matches!(block, Block::Const(_)),
            Self::Slice(..) | Self::Words(..) | Self::Reference(_) | Self::Empty(..) => false,
            Self::Iter(iter) => {
                let mut constant = true;
                iter.values(&mut |value| constant = constant && value.is_all_constant());
                constant
            }
            _ => true,
        }
    }

    /// Returns whether every scalar of the value is known at compile time.
    pub fn is_all_constant(&self) -> bool {
        match self.parts() {
            Some(parts) => parts.iter().all(Self::is_all_constant),
            None => self.is_constant(),
        }
    }

    /// Returns whether two scalars are the same value.
    pub fn same_leaf(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a, _), Self::Int(b, _)) => a == b,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Flag(a), Self::Flag(b)) | (Self::Felt(a), Self::Felt(b)) => a == b,
            (Self::Ext(a), Self::Ext(b)) => a == b,
            (Self::Block(a), Self::Block(b)) => a == b,
            (Self::Slice(a, n), Self::Slice(b, m)) => a == b && n == m,
            (Self::Range(a, b, _), Self::Range(c, d, _)) => (a, b) == (c, d),
            (Self::From(a, _), Self::From(b, _)) => a == b,
            (Self::To(a, _), Self::To(b, _)) => a == b,
            (Self::Iter(a), Self::Iter(b)) => Rc::ptr_eq(a, b),
            (Self::Reference(a), Self::Reference(b)) => a.is_same(b),
            (Self::Count(a), Self::Count(b)) => a == b,
            (Self::Words(a, n), Self::Words(b, m)) | (Self::Index(a, n), Self::Index(b, m)) => {
                a == b && n == m
            }
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Phantom, Self::Phantom) | (Self::Empty(..), Self::Empty(..)) => true,
            _ => false,
        }
    }
}
