//! Hints: values that the prover chooses and the program must check.

use droste_native::ChallengeField;

use super::block::Slice;
use super::ext::Ext;
use super::felt::Felt;
use super::run::{self, Hint, Wanted};

/// A value from the tape of which nothing has been checked.
#[derive(Clone, Copy, Debug)]
#[must_use = "a hint that is not checked proves nothing"]
pub struct Unchecked<T>(T);

/// Reads the next hint, a field element.
pub fn hint_felt() -> Unchecked<Felt> {
    match run::next_hint(Wanted::Felt) {
        Hint::Felt(x) => Unchecked(Felt(x)),
        other => panic!("the tape holds {}, expected an element", other.kind()),
    }
}

/// Reads the next hint, an extension element.
pub fn hint_ext() -> Unchecked<Ext> {
    match (run::next_hint(Wanted::Ext), run::field()) {
        (Hint::Slice(blocks), ChallengeField::BabyBear) if blocks.len() == 1 => {
            Unchecked(Ext::hinted_block(blocks[0]))
        }
        (Hint::Ext(x), ChallengeField::Quintic | ChallengeField::Quartic) => {
            Unchecked(Ext::hinted(x))
        }
        (other, _) => panic!(
            "the tape holds {}, expected an extension element",
            other.kind()
        ),
    }
}

/// Reads the next hint, `n` consecutive blocks.
pub fn hint_slice(n: usize) -> Unchecked<Slice> {
    match run::next_hint(Wanted::Slice(n)) {
        Hint::Slice(blocks) if blocks.len() == n => Unchecked(Slice::allocated(&blocks)),
        other => panic!("the tape holds {}, expected {n} blocks", other.kind()),
    }
}

impl Unchecked<Felt> {
    /// Returns the element without a check. Every value must be admissible; say why in a comment at
    /// the call.
    pub fn any(self) -> Felt {
        self.0
    }

    /// Returns the element. Fails unless it is zero or one.
    pub fn bit(self) -> Felt {
        assert!(
            self.0 == Felt::ZERO || self.0 == Felt::ONE,
            "a hint is {:?}, expected zero or one",
            self.0
        );
        self.0
    }
}

impl Unchecked<Ext> {
    /// Returns the element. Fails unless the lanes of its block are zero from lane [`Ext::degree`]
    /// on or, over [`baby_bear`](super::baby_bear), the limbs of words below [`Ext::modulus`].
    pub fn checked(self) -> Ext {
        self.0.checked()
    }
}

impl Unchecked<Slice> {
    /// Returns the slice without a check. The program must bind its content later, by hashing it;
    /// say where in a comment at the call.
    pub fn any(self) -> Slice {
        self.0
    }
}
