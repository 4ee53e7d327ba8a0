//! Expressions: what is computed on the stack.

use std::borrow::Cow;
use std::ops;

use super::op::Op;
use super::word::Word;

/// The name of a variable or function.
pub type Name = Cow<'static, str>;

/// An expression whose value is one word.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Word(Word),
    /// A copy of a variable.
    Variable(Name),
    /// The variable that is on top of the stack, which ceases to be one. An expression takes one at
    /// most, and takes it first.
    Take(Name),
    /// An instruction. The first argument is on top of the stack.
    Op(Op, Vec<Expr>),
    /// A call of a function that returns a word.
    Call(Name, Vec<Expr>),
    /// Where the bytes of a table are in the code.
    Data(Name),
}

/// A copy of a variable.
pub fn var(name: impl Into<Name>) -> Expr {
    Expr::Variable(name.into())
}

/// The variable that is on top of the stack, which ceases to be one.
pub fn take(name: impl Into<Name>) -> Expr {
    Expr::Take(name.into())
}

/// A call of a function that returns a word.
pub fn call(name: impl Into<Name>, arguments: impl Into<Vec<Expr>>) -> Expr {
    Expr::Call(name.into(), arguments.into())
}

/// The word in memory at an address.
pub fn load(address: impl Into<Expr>) -> Expr {
    Expr::Op(Op::MLoad, vec![address.into()])
}

impl Expr {
    fn binary(op: Op, first: Self, second: impl Into<Self>) -> Self {
        Self::Op(op, vec![first, second.into()])
    }

    /// The remainder of a division.
    pub fn modulo(self, modulus: impl Into<Self>) -> Self {
        Self::binary(Op::Mod, self, modulus)
    }

    /// Whether it is less than the other.
    pub fn lt(self, other: impl Into<Self>) -> Self {
        Self::binary(Op::Lt, self, other)
    }

    /// The word at this place of the calldata.
    pub fn calldata(self) -> Self {
        Self::Op(Op::CallDataLoad, vec![self])
    }

    /// Whether it takes a variable, which must come before anything else is on the stack.
    pub(super) fn takes(&self) -> bool {
        match self {
            Self::Take(_) => true,
            Self::Op(_, arguments) | Self::Call(_, arguments) => arguments.iter().any(Self::takes),
            Self::Word(_) | Self::Variable(_) | Self::Data(_) => false,
        }
    }
}

impl From<Word> for Expr {
    fn from(word: Word) -> Self {
        Self::Word(word)
    }
}

impl From<u64> for Expr {
    fn from(value: u64) -> Self {
        Self::Word(value.into())
    }
}

/// A negative number is the word that has the same remainder modulo 2^256.
impl From<i32> for Expr {
    fn from(value: i32) -> Self {
        let sign = if value < 0 { u64::MAX } else { 0 };
        Self::Word(Word::from_limbs([
            i64::from(value) as u64,
            sign,
            sign,
            sign,
        ]))
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $op:ident;)*) => {
        $(impl<E: Into<Expr>> ops::$operator<E> for Expr {
            type Output = Expr;

            fn $method(self, other: E) -> Expr {
                Expr::binary(Op::$op, self, other)
            }
        })*
    };
}

operators! {
    Mul mul Mul;
    Sub sub Sub;
    BitAnd bitand And;
    BitOr bitor Or;
}

/// Zero is not added, and constants are added at once, so that addresses may be sums.
impl<E: Into<Expr>> ops::Add<E> for Expr {
    type Output = Self;

    fn add(self, other: E) -> Self {
        let other = other.into();
        match (&self, &other) {
            (Self::Word(x), Self::Word(y)) => x.wrapping_add(*y).into(),
            (Self::Word(Word::ZERO), _) => other,
            (_, Self::Word(Word::ZERO)) => self,
            _ => Self::binary(Op::Add, self, other),
        }
    }
}

impl ops::Shl<u32> for Expr {
    type Output = Self;

    fn shl(self, bits: u32) -> Self {
        Self::binary(Op::Shl, u64::from(bits).into(), self)
    }
}

impl ops::Shr<u32> for Expr {
    type Output = Self;

    fn shr(self, bits: u32) -> Self {
        Self::binary(Op::Shr, u64::from(bits).into(), self)
    }
}
