//! The verifier of one proof.
//!
//! No proof and no key makes it panic. Plonky3 0.8.0 leaves some checks to its caller, and they are
//! made before Plonky3 is called: of the key, of the heights against the key, of the number of
//! digests in every commitment, and of the number of bus messages.
//!
//! Where the header of a proof determines how much work there is, the work is bounded before it
//! begins:
//!
//! | work | decided by | bound |
//! |---|---|---|
//! | decoding | lengths of lists | the bytes that are there (`codec`) |
//! | [`Verifier::new`](crate::fri::Verifier::new) | names of tables, heights | the tables of the machine, each once; heights at most `2^24` over the blowup |
//! | [`Verifier::verify`](crate::fri::Verifier::verify) | heights, settings | ranges of `FriSettings::validate`; no loop over rows; openings are in the file |
//! | [`verify_program`]: the program's key | its height, the blowup | [`VerifyOptions::limit`], checked first; computed last |

mod checks;
mod error;
mod options;
#[cfg(feature = "prover")]
mod program;

use droste_native::F;
use droste_native::stark::security::Security;

pub use checks::check_statement;
pub(crate) use checks::{check_bits, check_claims, check_heights};
pub use error::{Difference, VerifyError};
pub use options::VerifyOptions;
#[cfg(feature = "prover")]
pub(crate) use program::verify_one;
#[cfg(feature = "prover")]
pub use program::verify_program;

use crate::key::KeyDigest;
use crate::report::TableReport;
use crate::tables::LANES;

/// What an accepted proof states.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Digest of the key under which the proof was accepted.
    pub key: KeyDigest,
    /// Public inputs, then outputs, then zeros. A compiled program asserts these zeros.
    pub statement: [F; LANES],
    /// Shapes of the tables, in the machine's order.
    pub tables: Vec<TableReport>,
    /// Proven security of this proof.
    pub security: Security,
}

impl Report {
    /// Proven bits of this proof ([`Security::bits`]).
    pub fn bits(&self) -> usize {
        self.security.bits()
    }

    /// `w * h * log2(h)`, summed over the proof's tables; `w` counts main columns, and lookup
    /// columns where the stack has them.
    pub fn fft_cost(&self) -> u64 {
        self.tables.iter().map(TableReport::fft_cost).sum()
    }
}
