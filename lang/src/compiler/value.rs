//! What expressions evaluate to while compiling: compile-time values, and names of run-time values.

use std::fmt;
use std::rc::Rc;

use droste_native::F;

use super::ast::IntType;
use super::ir::Word;

/// Upper bound for numbers of blocks, lanes and iterations. It is more than a memory holds, but
/// small enough that sums of a few of these fit in 32 bits and are field elements.
pub const LIMIT: u32 = 1 << 28;

/// Largest depth to which values or types are nested.
const MAX_NESTING: usize = 128;

/// Index of a structure in the item table.
pub type StructId = usize;

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
    /// A constant generic argument.
    Const(u64),
    /// A constant generic argument of type `bool`.
    ConstBool(bool),
    /// Unknown, which matches every type.
    Unknown,
}

impl Ty {
    pub const USIZE: Self = Self::Int(Some(IntType::Usize));

    /// Returns whether two types agree wherever both are known.
    pub fn matches(&self, other: &Self) -> bool {
        self.agrees(other, true)
    }

    /// Like [`Self::matches`]. With `sizes` false, arrays, slices and `Vec`s are all alike: a
    /// reference to a slice has the type of the value behind it.
    fn agrees(&self, other: &Self, sizes: bool) -> bool {
        let all = |a: &[Self], b: &[Self]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees(b, sizes))
        };
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            (Self::Int(a), Self::Int(b)) => a.is_none() || b.is_none() || a == b,
            (Self::Tuple(a), Self::Tuple(b)) => all(a, b),
            (Self::Array(a, n), Self::Array(b, m)) if sizes => {
                a.agrees(b, sizes) && (n.is_none() || m.is_none() || n == m)
            }
            (Self::Array(a, _) | Self::Vec(a), Self::Array(b, _) | Self::Vec(b)) if !sizes => {
                a.agrees(b, sizes)
            }
            (Self::Struct(a, x), Self::Struct(b, y)) => a == b && all(x, y),
            (Self::Vec(a), Self::Vec(b)) | (Self::Unchecked(a), Self::Unchecked(b)) => {
                a.agrees(b, sizes)
            }
            (a, b) => a == b,
        }
    }

    /// Returns the number of parts, or `None` if it is larger than `most` or they are nested more
    /// than [`MAX_NESTING`] deep.
    pub fn size(&self, most: usize) -> Option<usize> {
        fn count(ty: &Ty, depth: usize, left: usize) -> Option<usize> {
            let left = left.checked_sub(1).filter(|_| depth <= MAX_NESTING)?;
            let parts = match ty {
                Ty::Tuple(types) | Ty::Struct(_, types) => types,
                Ty::Array(ty, _) | Ty::Vec(ty) | Ty::Unchecked(ty) => std::slice::from_ref(&**ty),
                _ => &[],
            };
            let mut parts = parts.iter();
            parts.try_fold(left, |left, part| count(part, depth + 1, left))
        }
        count(self, 0, most).map(|left| most - left)
    }
}

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

/// Fields of a structure.
#[derive(Clone, Debug)]
pub struct Structure {
    pub id: StructId,
    pub generics: Rc<[Ty]>,
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

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// An integer, and its type if that is known.
    Int(u64, Option<IntType>),
    Bool(bool),
    Text,
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
    Range(u64, u64, Option<IntType>),
    /// The result of `iter()` on an array.
    Elements(Rc<Vec<Value>>),
    /// The result of `count(n)` or `count_to(n)`.
    Count(Word),
    /// Write-once words: address of the first, and their number.
    Words(Word, u64),
    /// An index: a word that is known to be below the bound.
    Index(Word, u64),
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
            Self::Text => "a string",
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
            Self::Range(..) | Self::Count(_) => "a range",
            Self::Elements(_) => "an iterator",
            Self::Words(..) => "a Words",
            Self::Index(..) => "an Index",
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
            Self::Empty(ty, _) => ty.clone(),
            Self::Text | Self::Range(..) | Self::Elements(_) | Self::Count(_) => Ty::Unknown,
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
            (Self::Tuple(_) | Self::Array(_) | Self::Vec(..) | Self::Struct(..), _)
            | (Self::Unchecked(_), _)
            | (Self::Text | Self::Range(..) | Self::Elements(_) | Self::Count(_), _) => false,
            (scalar, ty) => scalar.ty().matches(ty),
        }
    }

    /// Returns whether it is of a type of the standard library that [`Ty`] does not have.
    pub const fn is_standard(&self) -> bool {
        matches!(
            self,
            Self::Text | Self::Range(..) | Self::Elements(_) | Self::Count(_)
        )
    }

    /// Returns what messages call the value, with what is known of it.
    pub fn shown(&self) -> String {
        match self {
            Self::Int(value, _) => format!("the integer {value}"),
            Self::Bool(value) => format!("the bool `{value}`"),
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
    fn with_parts(&self, mut parts: Vec<Self>) -> Self {
        match self {
            Self::Tuple(_) => Self::Tuple(Rc::new(parts)),
            Self::Array(_) => Self::Array(Rc::new(parts)),
            Self::Vec(_, held) => Self::Vec(Rc::new(parts), *held),
            Self::Elements(_) => Self::Elements(Rc::new(parts)),
            Self::Struct(structure, held) => {
                let structure = Structure {
                    id: structure.id,
                    generics: structure.generics.clone(),
                    fields: parts,
                    single: structure.single,
                };
                Self::Struct(Rc::new(structure), *held)
            }
            Self::Unchecked(_) => Self::Unchecked(Rc::new(parts.remove(0))),
            scalar => scalar.clone(),
        }
    }

    /// Returns the values that a container consists of; `None` for a scalar.
    pub fn parts(&self) -> Option<&[Self]> {
        match self {
            Self::Tuple(values)
            | Self::Array(values)
            | Self::Vec(values, _)
            | Self::Elements(values) => Some(values),
            Self::Struct(structure, _) => Some(&structure.fields),
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
            (Some(parts), Some(others)) if parts.len() == others.len() => {
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

    /// Returns the number of scalars and containers, or `None` if it is larger than `most` or the
    /// containers are nested more than [`MAX_NESTING`] deep.
    pub fn size(&self, most: usize) -> Option<usize> {
        fn count(value: &Value, depth: usize, left: usize) -> Option<usize> {
            let left = left.checked_sub(1).filter(|_| depth <= MAX_NESTING)?;
            let mut parts = value.parts().unwrap_or_default().iter();
            parts.try_fold(left, |left, part| count(part, depth + 1, left))
        }
        count(self, 0, most).map(|left| most - left)
    }

    /// Returns whether two values have the same structure, ignoring the values of their scalars.
    pub fn same_shape(&self, other: &Self) -> bool {
        let same_kind = match (self, other) {
            (Self::Struct(a, _), Self::Struct(b, _)) => a.id == b.id,
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        };
        match (self.parts(), other.parts()) {
            (Some(a), Some(b)) if same_kind && a.len() == b.len() => {
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
            Self::Slice(..) | Self::Words(..) | Self::Empty(..) => false,
            _ => true,
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
            (Self::Count(a), Self::Count(b)) => a == b,
            (Self::Words(a, n), Self::Words(b, m)) | (Self::Index(a, n), Self::Index(b, m)) => {
                a == b && n == m
            }
            (Self::Text, Self::Text)
            | (Self::Phantom, Self::Phantom)
            | (Self::Empty(..), Self::Empty(..)) => true,
            _ => false,
        }
    }
}
