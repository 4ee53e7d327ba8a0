//! Hints: values the prover chooses, which a program must check.

use super::block::Slice;
use super::ext::Ext;
use super::felt::Felt;
use super::run::{self, Hint, Wanted};

/// A value from the tape that nothing has been checked about.
#[derive(Clone, Copy, Debug)]
#[must_use = "a hint that is not checked says nothing"]
pub struct Unchecked<T>(T);

/// The next hint, a field element.
pub fn hint_felt() -> Unchecked<Felt> {
    match run::next_hint(Wanted::Felt) {
        Hint::Felt(x) => Unchecked(Felt(x)),
        other => panic!("the tape holds {}, expected an element", other.kind()),
    }
}

/// The next hint, an extension element.
pub fn hint_ext() -> Unchecked<Ext> {
    match run::next_hint(Wanted::Ext) {
        Hint::Ext(x) => Unchecked(Ext::from_native(x)),
        other => panic!(
            "the tape holds {}, expected an extension element",
            other.kind()
        ),
    }
}

/// The next hint, `n` consecutive blocks.
pub fn hint_slice(n: usize) -> Unchecked<Slice> {
    match run::next_hint(Wanted::Slice(n)) {
        Hint::Slice(blocks) if blocks.len() == n => Unchecked(Slice::allocated(&blocks)),
        other => panic!("the tape holds {}, expected {n} blocks", other.kind()),
    }
}

impl Unchecked<Felt> {
    /// The element, where every value is admissible; the caller says why.
    pub fn any(self) -> Felt {
        self.0
    }

    /// The element, which must be zero or one.
    pub fn bit(self) -> Felt {
        assert!(
            self.0 == Felt::ZERO || self.0 == Felt::ONE,
            "a bit is {:?}",
            self.0
        );
        self.0
    }
}

impl Unchecked<Ext> {
    /// The element, whose block must have zeros above its five coefficients.
    pub fn checked(self) -> Ext {
        self.0
    }
}

impl Unchecked<Slice> {
    /// The slice, whose content is bound later by hashing; the caller says where.
    pub fn any(self) -> Slice {
        self.0
    }
}
