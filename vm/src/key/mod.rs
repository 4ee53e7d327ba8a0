//! Verification keys: which program, on which machine, a proof is about.
//!
//! A [`Key`] fixes the machine (tables, constraints, lookups, settings, and heights unless the
//! prover may choose them) and, by the commitment to the program table, the program. The transcript
//! absorbs its [`KeyDigest`] before anything else. Keys of both proof stacks are of one type; tags,
//! versions and identities differ by [`ProofSystem`], so that no digest is that of keys of two.
//!
//! # Digest
//!
//! `Poseidon16::hash` under [`ProofSystem::KEY_TAG`] of whole blocks of 8 elements, so that a
//! verifier that runs in the machine computes it with one sponge call:
//!
//! | block | content |
//! |---|---|
//! | 0 | format version; over FRI the hash (0 Poseidon-16, 1 Blake3, 2 Keccak, 3 Poseidon2); log height of the program; 0, .. |
//! | 1 | identity of the machine |
//! | 2.. | digests of the program's commitment: one block for 8 elements; two for 32 bytes, as 16 16-bit little-endian limbs |

mod identity;
mod layout;

use std::fmt::{self, Debug, Display};
use std::str::FromStr;

use droste_native::hash::poseidon16::Poseidon16;
use droste_native::stark::suite::OpeningProverError;
use droste_native::whir::LayoutError;
use droste_native::whir::settings::WhirSettingsError;
use droste_native::{DIGEST, F, HashId, SettingsError};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use droste_native::codec::short_list;
pub use identity::Message;
#[cfg(feature = "prover")]
pub(crate) use identity::messages;
pub use layout::Limits;
pub(crate) use layout::{Layout, lay_out, named};

use crate::heights::Heights;
use crate::machine::{MAX_TABLES, MachineError};
use crate::stack::{Parameters, StackSettings, StackSettingsError};
use crate::tables::program::ProgramError;
use crate::whir::system::UnsupportedTable;

/// Heights of the tables in proofs of a key. The height of the program table is fixed in any case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KeyHeights {
    /// The prover chooses the heights.
    Free,
    /// The logarithm of each table's height, in the machine's order.
    Fixed(#[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")] Vec<usize>),
}

/// What proofs of a key are made with: a proof stack and the hash of its commitments. Every
/// [`HashSuite`](droste_native::HashSuite) is one, with batch STARKs over FRI, and makes another,
/// [`whir::Whir`](crate::whir::Whir).
pub trait ProofSystem: Copy + Debug + Eq {
    /// Settings of a proof.
    type Settings: Copy
        + Debug
        + Eq
        + Into<StackSettings>
        + Serialize
        + DeserializeOwned
        + Send
        + Sync;
    /// A digest of a commitment.
    type Digest: Copy + Debug + Default + Eq + Serialize + DeserializeOwned + Send + Sync;

    /// Hash of the commitments.
    const HASH: HashId;
    /// Version of keys and proofs.
    const VERSION: u32;
    /// Tag of a key's digest.
    const KEY_TAG: F;
    /// Tag of a machine's identity.
    const MACHINE_TAG: F;

    /// Name of the system, with its hash, in identities of machines.
    fn name() -> String;

    /// The number of the hash in the first block of a key's preimage. Without it, it is the
    /// identity of the machine that says the hash.
    fn hash_number() -> Option<u32>;

    /// The elements of a digest, in whole blocks of 8.
    fn elements(digest: &Self::Digest) -> Vec<F>;

    /// Appends the settings to what an identity is the digest of.
    fn describe(settings: &Self::Settings, message: &mut Message);

    /// The heights that tables may have with these settings.
    fn limits(settings: &Self::Settings) -> Limits;
}

/// A verification key for proofs made with `P`: over FRI a hash suite, over WHIR
/// [`Whir`](crate::whir::Whir) of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct Key<P: ProofSystem> {
    /// Settings of the proof stack.
    pub settings: P::Settings,
    /// Names of the machine's tables, in order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")]
    pub tables: Vec<String>,
    /// Heights that the tables of proofs must have.
    pub heights: KeyHeights,
    /// Logarithm of the height of the program table.
    pub program_log_height: usize,
    /// Digests of the commitment to the program and to the fixed content of other tables.
    pub program: Vec<P::Digest>,
    /// Identity of the machine, computed from everything above except the program's commitment.
    pub machine_id: [F; DIGEST],
}

impl<P: ProofSystem> Key<P> {
    /// Checks that this key, which comes from outside, is what was `made` from its parameters.
    pub(crate) fn check(&self, made: &Self) -> Result<(), MachineError> {
        if self.machine_id == made.machine_id {
            Ok(())
        } else {
            Err(MachineError::Identity)
        }
    }

    /// Whether another key is this one but for the program, to which it commits by as many digests.
    pub(crate) fn differs_only_in_program(&self, other: &Self) -> bool {
        let program = &self.program;
        let replaced = || Self {
            program: program.clone(),
            ..other.clone()
        };
        program.len() == other.program.len() && *self == replaced()
    }

    /// What it depends on beside the program.
    pub fn parameters(&self) -> Parameters {
        Parameters {
            hash: P::HASH,
            settings: self.settings.into(),
        }
    }

    /// In what the key of a proof, which was `found`, differs from this one, which was expected.
    pub(crate) fn difference(&self, found: &Self) -> String {
        if let Some(parameters) = self.parameters().difference(&found.parameters()) {
            return parameters;
        }
        let height = |of: &Self| of.program_log_height;
        let (found_height, expected_height) = (height(found), height(self));
        if found.tables != self.tables {
            "other tables".to_owned()
        } else if found.heights != self.heights {
            let (found, expected) = (&found.heights, &self.heights);
            format!("heights {found:?}, expected {expected:?}")
        } else if found_height != expected_height {
            format!("a program table of 2^{found_height} rows, expected 2^{expected_height}")
        } else if found.program == self.program {
            "another machine".to_owned()
        } else {
            "another program".to_owned()
        }
    }

    /// How heights were chosen, for a prover that is to make this key.
    pub(crate) fn chosen_heights(&self) -> Heights {
        match &self.heights {
            KeyHeights::Free => Heights::Minimal,
            KeyHeights::Fixed(heights) => Heights::Exact(heights.clone()),
        }
    }

    /// Returns the elements whose hash under [`ProofSystem::KEY_TAG`] is the digest: whole blocks
    /// of 8.
    pub fn preimage(&self) -> Vec<F> {
        let mut preimage = vec![F::from_u32(P::VERSION)];
        preimage.extend(P::hash_number().map(F::from_u32));
        preimage.push(F::from_usize(self.program_log_height));
        preimage.resize(DIGEST, F::ZERO);
        preimage.extend(self.machine_id);
        preimage.extend(self.program.iter().flat_map(P::elements));
        preimage
    }

    /// Returns the digest, which names the key and which transcripts absorb first.
    pub fn digest(&self) -> KeyDigest {
        KeyDigest(Poseidon16.hash(P::KEY_TAG, &self.preimage()))
    }
}

/// The digests of a commitment to a program, of which there must be as many as `expected`; zeros if
/// there is no program. Commitments can only be made of a power of two of digests, so their number
/// is compared before one is.
pub(crate) fn digests<D: Copy + Default>(
    program: Option<&[D]>,
    expected: usize,
) -> Result<Vec<D>, MachineError> {
    match program {
        None => Ok(vec![D::default(); expected]),
        Some(program) if program.len() == expected => Ok(program.to_vec()),
        Some(program) => Err(MachineError::CapSize {
            expected,
            found: program.len(),
        }),
    }
}

/// Digest of a key: 8 elements. As text it is the hexadecimal form of their canonical 4-byte
/// little-endian integers; in files it is the elements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyDigest(pub [F; DIGEST]);

/// As text, since commands print digests so.
impl Debug for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyDigest({self})")
    }
}

impl Display for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .flat_map(|element| element.as_canonical_u32().to_le_bytes())
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Why a text is not a key's digest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DigestError {
    /// The text is not 64 hexadecimal digits.
    #[error("not a key digest: expected 64 hexadecimal digits")]
    Digits,
    /// The element of this index is not below the modulus.
    #[error("element {0} of the key digest is not below the modulus")]
    NotCanonical(usize),
}

impl FromStr for KeyDigest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        if text.len() != 8 * DIGEST || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(DigestError::Digits);
        }
        let mut elements = [F::ZERO; DIGEST];
        for (index, element) in elements.iter_mut().enumerate() {
            let digits = &text[8 * index..8 * (index + 1)];
            let word = u32::from_str_radix(digits, 16).map_err(|_| DigestError::Digits)?;
            let value = word.swap_bytes();
            if value >= droste_native::field::MODULUS {
                return Err(DigestError::NotCanonical(index));
            }
            *element = F::new(value);
        }
        Ok(Self(elements))
    }
}

/// Why no key can be made, or a key be used.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum KeyError {
    /// The settings are out of range.
    Settings(#[from] StackSettingsError),
    /// The machine cannot run the program.
    Program(#[from] ProgramError),
    /// There is no such machine: the program needs tables that it does not have, or the key was
    /// made for another.
    Machine(#[from] MachineError),
    /// The list of heights has not one entry per table.
    #[error("{found} heights were given for a machine of {expected} tables")]
    HeightCount {
        /// Number of tables of the machine.
        expected: usize,
        /// Number of heights given.
        found: usize,
    },
    /// A height is out of the range that the settings allow.
    #[error("table height 2^{log_height} is not between 2^{min} and 2^{max}")]
    Height {
        /// Logarithm of the height asked for.
        log_height: usize,
        /// Logarithm of the least height that these settings allow.
        min: usize,
        /// Logarithm of the largest height that this blowup allows.
        max: usize,
    },
    /// The height that was given for a table of fixed content is not that of its content.
    #[error("table {table} has the fixed height 2^{expected}, 2^{found} was given")]
    FixedHeight {
        /// Name of the table.
        table: &'static str,
        /// Logarithm of the table's height.
        expected: usize,
        /// Logarithm of the height given.
        found: usize,
    },
    /// The commitment scheme failed.
    #[error("Plonky3's commitment to the program failed")]
    Commitment(#[source] OpeningProverError),
    /// A table cannot be proved over WHIR.
    Unsupported(#[from] UnsupportedTable),
    /// The tables cannot be committed to over WHIR.
    Scheme(#[from] SchemeError),
}

/// Tables for which there is no commitment scheme over WHIR.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum SchemeError {
    /// The settings are out of range, or have no parameters for the tables.
    Settings(#[from] WhirSettingsError),
    /// The tables cannot be stacked.
    Stack(#[from] LayoutError),
}

impl From<SettingsError> for KeyError {
    fn from(error: SettingsError) -> Self {
        Self::Settings(error.into())
    }
}
