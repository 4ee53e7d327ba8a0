//! The phases of a verifier, which it says in data when it reverts.

use crate::assembler::{Assembler, Word};

macro_rules! phases {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $text:literal;)*) => {
        /// What a verifier is doing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Phase {
            $($(#[$doc])* $name = $code,)*
        }

        impl Phase {
            /// All phases.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

phases! {
    /// The call is one of the verifier's function, with a proof of the length that it should have.
    Encoding = 1, "encoding";
    /// The statement is made of elements of the field.
    Statement = 2, "statement";
    /// The beginning of the transcript: commitment, values outside the domain, challenges of
    /// lookups.
    Commitment = 3, "commitment";
    /// The fractions of all messages add up to zero.
    Fractions = 4, "fractions";
    /// Constraints are zero.
    Constraints = 5, "constraints";
    /// Opened values are combined to claims.
    Claims = 6, "claims";
    /// The sumchecks of the opening.
    Sumchecks = 7, "sumchecks";
    /// Opened leaves are in their trees.
    Queries = 8, "queries";
    /// The leaves of the last commitment are values of the final polynomial.
    FinalPolynomial = 9, "final polynomial";
    /// The claims follow from the final polynomial.
    FinalEquation = 10, "final equation";
}

impl Phase {
    /// The phase with this code.
    pub fn of(code: u64) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|&phase| phase as u64 == code)
    }
}

impl Assembler {
    /// From here on, code that reverts does so in this phase, if it reports phases.
    pub fn phase(&mut self, phase: Phase) {
        self.comment(&format!("phase: {}", phase.name()));
        if let Some(address) = self.phase_at() {
            self.store(address, Word::from(phase as u64));
        }
    }
}
