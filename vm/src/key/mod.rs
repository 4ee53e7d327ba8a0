//! Verification keys: which program, on which machine, a proof is about.
//!
//! A [`Key`] fixes the machine (tables, constraints, lookups, FRI settings, and heights unless the
//! prover may choose them) and, by the commitment to the program table, the program. The transcript
//! absorbs its [`KeyDigest`] before anything else.
//!
//! # Digest
//!
//! `Poseidon16::hash` under [`KEY_TAG`] of whole blocks of 8 elements, so that a verifier that runs
//! in the machine computes it with one sponge call:
//!
//! | block | content |
//! |---|---|
//! | 0 | format version, hash (0 Poseidon-16, 1 Blake3, 2 Keccak, 3 Poseidon2), log height of the program, 0, .. |
//! | 1 | identity of the machine |
//! | 2.. | digests of the program's commitment: one block for 8 elements; two for 32 bytes, as 16 16-bit little-endian limbs |

mod identity;

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::str::FromStr;
use std::sync::Arc;

use droste_native::hash::poseidon16::Poseidon16;
use droste_native::stark::suite::{OpeningProverError, SuiteCap};
use droste_native::{Commitment, Config, DIGEST, F, FriSettings, HashId, HashSuite, SettingsError};
use p3_batch_stark::common::{
    CommonData, GlobalPreprocessed, PreprocessedInstanceMeta, ProverData, ProverOnlyData,
};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_lookup::Lookups;
use p3_maybe_rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use identity::{MACHINE_TAG, Message};

use crate::codec::short_list;
use crate::heights::{Heights, MAX_LOG_HEIGHT, min_log_height, padded_log_height};
use crate::isa::Program;
use crate::lookups::packed_lookups;
use crate::machine::{MAX_TABLES, Machine, MachineError, MachineTables, Provable, precompiles_of};
use crate::tables::program::{ProgramError, ProgramTable};

/// Version of keys and proofs. Every change of the meaning of either raises it.
pub const FORMAT_VERSION: u32 = 1;

/// Tag of a key's digest: the letters "key ", in ASCII, big-endian.
pub const KEY_TAG: F = F::new(0x6b65_7920);

/// Heights of the tables in proofs of a key. The height of the program table is fixed in any case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KeyHeights {
    /// The prover chooses the heights.
    Free,
    /// The logarithm of each table's height, in the machine's order.
    Fixed(#[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")] Vec<usize>),
}

/// A verification key for proofs committed in hash `H`.
#[derive(Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct Key<H: HashSuite> {
    /// FRI settings.
    pub settings: FriSettings,
    /// Names of the machine's tables, in order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")]
    pub tables: Vec<String>,
    /// Heights that the tables of proofs must have.
    pub heights: KeyHeights,
    /// Logarithm of the height of the program table.
    pub program_log_height: usize,
    /// Digests of the commitment to the program and to the fixed content of other tables.
    pub program: Vec<H::Digest>,
    /// Identity of the machine, computed from everything above except the program's commitment.
    pub machine_id: [F; DIGEST],
}

impl<H: HashSuite> Clone for Key<H> {
    fn clone(&self) -> Self {
        Self {
            settings: self.settings,
            tables: self.tables.clone(),
            heights: self.heights.clone(),
            program_log_height: self.program_log_height,
            program: self.program.clone(),
            machine_id: self.machine_id,
        }
    }
}

impl<H: HashSuite> fmt::Debug for Key<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("hash", &H::NAME)
            .field("settings", &self.settings)
            .field("tables", &self.tables)
            .field("heights", &self.heights)
            .field("program_log_height", &self.program_log_height)
            .field("digest", &self.digest())
            .finish()
    }
}

impl<H: HashSuite> PartialEq for Key<H> {
    fn eq(&self, other: &Self) -> bool {
        self.settings == other.settings
            && self.tables == other.tables
            && self.heights == other.heights
            && self.program_log_height == other.program_log_height
            && self.program == other.program
            && self.machine_id == other.machine_id
    }
}

impl<H: HashSuite> Eq for Key<H> {}

impl<H: HashSuite> Key<H> {
    /// Returns the elements whose hash under [`KEY_TAG`] is the digest: whole blocks of 8.
    pub fn preimage(&self) -> Vec<F> {
        let hash = match H::ID {
            HashId::Poseidon16 => 0,
            HashId::Blake3 => 1,
            HashId::Keccak => 2,
            HashId::Poseidon2 => 3,
        };
        let mut preimage = vec![
            F::from_u32(FORMAT_VERSION),
            F::from_u32(hash),
            F::from_usize(self.program_log_height),
        ];
        preimage.resize(DIGEST, F::ZERO);
        preimage.extend(self.machine_id);
        for digest in &self.program {
            preimage.extend(H::digest_elements(digest));
        }
        preimage
    }

    /// Returns the digest, which names the key and which transcripts absorb first.
    pub fn digest(&self) -> KeyDigest {
        KeyDigest(Poseidon16.hash(KEY_TAG, &self.preimage()))
    }
}

/// What the keys of all programs on one machine have in common.
pub(crate) struct MachineKey<H: HashSuite, T> {
    /// A key of no program: the digests of its commitment are all zero.
    pub key: Key<H>,
    /// The machine, without the content of a program.
    pub machine: Machine<T>,
    /// What prover and verifier share.
    pub common: CommonData<Config<H>>,
}

/// Computes what the keys of all programs on a machine with these settings, tables and heights
/// share.
pub(crate) fn of_machine<H: HashSuite, T: Provable<H>>(
    settings: FriSettings,
    tables: &[String],
    heights: KeyHeights,
    program_log_height: usize,
) -> Result<MachineKey<H, T>, KeyError> {
    settings.validate()?;
    let limits = Limits::of(&settings);
    limits.check(program_log_height)?;
    if let KeyHeights::Fixed(list) = &heights {
        if list.len() != tables.len() {
            return Err(KeyError::HeightCount {
                expected: tables.len(),
                found: list.len(),
            });
        }
        list.iter()
            .try_for_each(|&log_height| limits.check(log_height))?;
    }
    let machine = Machine::<T>::named(ProgramTable::of_height(program_log_height), tables)?;
    let program = vec![H::Digest::default(); cap_size(&machine, &settings)];
    let commitment = Commitment::<H>::from_digests(program.clone());
    let common = common_data::<H, T>(&machine, commitment);
    let machine_id = identity::machine_id(
        H::ID,
        &settings,
        &heights,
        machine.tables(),
        &common.lookups,
    );
    let key = Key {
        program,
        tables: tables.to_vec(),
        settings,
        heights,
        program_log_height,
        machine_id,
    };
    Ok(MachineKey {
        key,
        machine,
        common,
    })
}

/// The least and the largest height of a table, as logarithms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub min: usize,
    pub max: usize,
}

impl Limits {
    fn of(settings: &FriSettings) -> Self {
        Self {
            min: min_log_height(settings),
            max: MAX_LOG_HEIGHT.saturating_sub(settings.log_blowup),
        }
    }

    /// Checks that a table of height `2^log_height` is possible.
    pub fn check(self, log_height: usize) -> Result<(), KeyError> {
        let Self { min, max } = self;
        if !(min..=max).contains(&log_height) {
            return Err(KeyError::Height {
                log_height,
                min,
                max,
            });
        }
        Ok(())
    }
}

/// The machine of a program, and the heights that a key of it fixes.
pub(crate) struct Layout<T> {
    pub machine: Machine<T>,
    pub heights: KeyHeights,
    pub program_log_height: usize,
}

/// Makes the machine of a program, which has the tables of `precompiles` as well, and checks the
/// heights that are asked for.
pub(crate) fn lay_out<T: MachineTables>(
    program: &Program,
    precompiles: &BTreeSet<u32>,
    heights: &Heights,
    limits: Limits,
) -> Result<Layout<T>, KeyError> {
    let precompiles = precompiles | &precompiles_of(program);
    // The table of the program needs a height, and which of the given heights it is depends on the
    // machine, which is made from that table: so the table is first made with the least height.
    let minimal = padded_log_height(program.instructions.len()).max(limits.min);
    let tables = Machine::<T>::new(ProgramTable::of_height(minimal), &precompiles)?;
    let count = tables.tables().len();
    let program_log_height = match heights {
        Heights::Minimal => minimal,
        Heights::Uniform(log_height) => *log_height,
        Heights::Exact(list) => match list.get(tables.program_index()) {
            Some(&log_height) if list.len() == count => log_height,
            _ => {
                return Err(KeyError::HeightCount {
                    expected: count,
                    found: list.len(),
                });
            }
        },
    };
    limits.check(program_log_height)?;
    let table = ProgramTable::new(program, program_log_height)?;
    let machine = Machine::<T>::new(table, &precompiles)?;
    let key_heights = match heights {
        Heights::Minimal => KeyHeights::Free,
        Heights::Uniform(log_height) => KeyHeights::Fixed(vec![*log_height; count]),
        Heights::Exact(list) => KeyHeights::Fixed(list.clone()),
    };
    if let KeyHeights::Fixed(list) = &key_heights {
        for (table, &log_height) in machine.tables().iter().zip(list) {
            limits.check(log_height)?;
            match table.fixed_log_height() {
                Some(expected) if expected != log_height => {
                    return Err(KeyError::FixedHeight {
                        table: table.name(),
                        expected,
                        found: log_height,
                    });
                }
                _ => {}
            }
        }
    }
    Ok(Layout {
        machine,
        heights: key_heights,
        program_log_height,
    })
}

/// Digest of a key: 8 elements. As text it is the hexadecimal form of their canonical 4-byte
/// little-endian integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyDigest(pub [F; DIGEST]);

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
    /// An element is not below the modulus.
    #[error("element {index} of the key digest is not below the modulus")]
    NotCanonical {
        /// Index of the element.
        index: usize,
    },
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
                return Err(DigestError::NotCanonical { index });
            }
            *element = F::new(value);
        }
        Ok(Self(elements))
    }
}

/// Why no key can be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// The FRI settings are out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The machine cannot run the program.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The program needs tables that the machine does not have.
    #[error(transparent)]
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
    /// A height was given for a table of fixed content that has another one.
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
}

/// A key with everything that is needed to prove runs of its program, computed once.
pub struct ProvingKey<H: HashSuite, T> {
    key: Key<H>,
    program: Arc<Program>,
    machine: Machine<T>,
    heights: Heights,
    data: ProverData<Config<H>>,
}

impl<H: HashSuite, T> fmt::Debug for ProvingKey<H, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProvingKey")
            .field("key", &self.key)
            .field("heights", &self.heights)
            .finish_non_exhaustive()
    }
}

impl<H: HashSuite, T: Provable<H>> ProvingKey<H, T> {
    /// Makes the key of `program` with these settings and heights.
    ///
    /// # Errors
    /// Anything that makes a proof impossible whatever the run is.
    pub fn new(
        program: &Program,
        settings: FriSettings,
        heights: Heights,
    ) -> Result<Self, KeyError> {
        Self::with_precompiles(program, &precompiles_of(program), settings, heights)
    }

    /// Like [`Self::new`], for a machine that has the tables of `precompiles` as well as those of
    /// the program. Programs can then share one machine although not each of them uses every table.
    ///
    /// # Errors
    /// See [`Self::new`].
    pub fn with_precompiles(
        program: &Program,
        precompiles: &BTreeSet<u32>,
        settings: FriSettings,
        heights: Heights,
    ) -> Result<Self, KeyError> {
        settings.validate()?;
        let limits = Limits::of(&settings);
        let Layout {
            machine,
            heights: key_heights,
            program_log_height,
        } = lay_out::<T>(program, precompiles, &heights, limits)?;
        let (data, commitment) = commit::<H, T>(&machine, &settings)?;
        let key = Key {
            settings,
            tables: machine.names(),
            heights: key_heights,
            program_log_height,
            program: commitment.digests().to_vec(),
            machine_id: [F::ZERO; DIGEST],
        };
        let machine_id = identity::machine_id(
            H::ID,
            &settings,
            &key.heights,
            machine.tables(),
            &data.common.lookups,
        );
        Ok(Self {
            key: Key { machine_id, ..key },
            program: Arc::new(program.clone()),
            machine,
            heights,
            data,
        })
    }

    /// Returns the verification key.
    pub fn key(&self) -> &Key<H> {
        &self.key
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine<T> {
        &self.machine
    }

    /// Returns the program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns how heights are chosen.
    pub fn heights(&self) -> &Heights {
        &self.heights
    }

    /// Returns Plonky3's form of the key.
    pub fn data(&self) -> &ProverData<Config<H>> {
        &self.data
    }
}

/// Commits to the fixed content of all tables of the machine.
fn commit<H: HashSuite, T: Provable<H>>(
    machine: &Machine<T>,
    settings: &FriSettings,
) -> Result<(ProverData<Config<H>>, Commitment<H>), KeyError> {
    let config = droste_native::config::<H>(settings, &[])?;
    let contents = machine
        .tables()
        .iter()
        .filter_map(|table| table.preprocessed_trace())
        .collect();
    let (commitment, prover_data) = T::commit(&config, contents).map_err(KeyError::Commitment)?;
    let common = common_data::<H, T>(machine, commitment.clone());
    let data = ProverData {
        common,
        prover_only: ProverOnlyData {
            preprocessed_prover_data: Some(prover_data),
        },
    };
    Ok((data, commitment))
}

/// Returns what prover and verifier share, given the commitment in the key.
pub(crate) fn common_data<H: HashSuite, T: Provable<H>>(
    machine: &Machine<T>,
    commitment: Commitment<H>,
) -> CommonData<Config<H>> {
    let lookups: Vec<Lookups<F>> = machine.tables().par_iter().map(packed_lookups).collect();
    let mut matrix_to_instance = vec![];
    let instances = machine
        .tables()
        .iter()
        .enumerate()
        .map(|(instance, table)| {
            let width = table.preprocessed_width();
            let degree_bits = table.fixed_log_height()?;
            (width > 0).then(|| {
                matrix_to_instance.push(instance);
                PreprocessedInstanceMeta {
                    matrix_index: matrix_to_instance.len() - 1,
                    width,
                    degree_bits,
                }
            })
        })
        .collect();
    let preprocessed = GlobalPreprocessed {
        commitment,
        instances,
        matrix_to_instance,
    };
    CommonData::new(Some(preprocessed), lookups)
}

/// Returns the number of digests of the commitment to the fixed content of a machine's tables.
fn cap_size<T: MachineTables>(machine: &Machine<T>, settings: &FriSettings) -> usize {
    let tallest = machine
        .tables()
        .iter()
        .filter(|table| table.preprocessed_width() > 0)
        .filter_map(|table| table.fixed_log_height())
        .max()
        .unwrap_or(0);
    1 << settings.cap_height.min(tallest + settings.log_blowup)
}

/// Returns the machine of a key, without the content of its program, if the key names a machine and
/// the identity in the key is that machine's. The key's settings and heights must be in range.
pub(crate) fn machine_of<H: HashSuite, T: Provable<H>>(
    key: &Key<H>,
) -> Result<(Machine<T>, CommonData<Config<H>>), MachineError> {
    let machine =
        Machine::<T>::named(ProgramTable::of_height(key.program_log_height), &key.tables)?;
    let expected = cap_size(&machine, &key.settings);
    if key.program.len() != expected {
        return Err(MachineError::CapSize {
            expected,
            found: key.program.len(),
        });
    }
    let commitment = Commitment::<H>::from_digests(key.program.clone());
    let common = common_data::<H, T>(&machine, commitment);
    let machine_id = identity::machine_id(
        H::ID,
        &key.settings,
        &key.heights,
        machine.tables(),
        &common.lookups,
    );
    if machine_id != key.machine_id {
        return Err(MachineError::Identity);
    }
    Ok((machine, common))
}
