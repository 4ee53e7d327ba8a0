//! `std::cmp` in the language.

/// The evaluator orders it the other way round than its derives say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reverse<T>(pub T);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ordering {
    Less = -1,
    Equal = 0,
    Greater = 1,
}

impl Ordering {
    pub fn reverse(self) -> Ordering {
        match self {
            Self::Less => Self::Greater,
            Self::Equal => Self::Equal,
            Self::Greater => Self::Less,
        }
    }

    pub fn then(self, other: Ordering) -> Ordering {
        match self {
            Self::Equal => other,
            _ => self,
        }
    }

    pub fn then_with<F: FnOnce() -> Ordering>(self, f: F) -> Ordering {
        match self {
            Self::Equal => f(),
            _ => self,
        }
    }

    pub fn is_lt(self) -> bool {
        matches!(self, Self::Less)
    }

    pub fn is_le(self) -> bool {
        !matches!(self, Self::Greater)
    }

    pub fn is_eq(self) -> bool {
        matches!(self, Self::Equal)
    }

    pub fn is_ne(self) -> bool {
        !matches!(self, Self::Equal)
    }

    pub fn is_gt(self) -> bool {
        matches!(self, Self::Greater)
    }

    pub fn is_ge(self) -> bool {
        !matches!(self, Self::Less)
    }
}
