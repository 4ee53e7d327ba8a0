//! What a recursion key is made from.

use droste_native::{Blake3Family, F, FriSettings, HashId, KeccakFamily, Poseidon16Family};
use droste_native::{HashFamily, SettingsError};
use droste_vm::codec::short_list;
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::{Key, KeyDigest, KeyError, KeyHeights, ProvingKey};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::verifier::Verifier;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::cost::MAX_COST;
use crate::aggregate::PRECOMPILES;
use crate::recursion::{Recursion, RecursionError};
use crate::tape::TapeFamily;

/// Most children of a program that is generated from a recipe: each has its own copy of the code that
/// checks a query.
pub const MAX_CHILDREN: usize = 64;

/// Most children of a program whose children are committed in a byte hash.
pub const MAX_BYTE_CHILDREN: usize = 2;

/// Most tables of a machine that a recipe names.
pub const MAX_TABLES: usize = 16;

/// Logarithm of the largest blowup of the proof of a program that is generated from a recipe.
pub const MAX_LOG_BLOWUP: usize = 4;

/// Logarithm of the largest cap of children's commitments that a recipe may ask for.
pub const MAX_CAP_HEIGHT: usize = 12;

/// Logarithm of the longest final polynomial of children that a recipe may ask for.
pub const MAX_LOG_FINAL_POLY_LEN: usize = 8;

/// Logarithm of the largest folding factor of children that a recipe may ask for.
pub const MAX_LOG_ARITY: usize = 4;

/// Logarithm of the longest codeword of a program table that is committed to for a recipe: 0.5 GB.
pub const MAX_LOG_PROGRAM_CODEWORD: usize = 22;

/// What a recursion key is made from: the proofs that its program verifies, and the machine at whose
/// settings and heights the program's runs are proved. That machine has the tables of
/// [`PRECOMPILES`] and what else the program calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// What the program verifies.
    pub children: Children,
    /// FRI settings of the proofs of its runs.
    pub settings: FriSettings,
    /// Heights of their tables.
    pub heights: Heights,
}

/// What a recursion program verifies.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Children {
    /// So many proofs of programs, all of one shape: [`Recursion`].
    Programs {
        /// Their shape.
        shape: ChildShape,
        /// Their number.
        count: usize,
    },
    /// One proof of AIRs that are not part of this library: [`crate::driver`]. Only who has the AIRs can
    /// generate the program.
    Airs {
        /// [`crate::driver::AirKey::identity`].
        identity: [F; 8],
    },
}

/// Shape of proofs of programs: everything but the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChildShape {
    /// Hash of their commitments.
    pub hash: HashId,
    /// Their FRI settings.
    pub settings: FriSettings,
    /// Names of the machine's tables, in order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")]
    pub tables: Vec<String>,
    /// Logarithms of their heights, by table.
    #[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")]
    pub log_heights: Vec<usize>,
    /// Whether their keys fix the heights.
    pub fixed: bool,
}

/// Why there is no key of a recipe.
#[derive(Debug, Error)]
pub enum RecipeError {
    /// Settings out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A number that would make the work too large.
    #[error("{what}: {found}, at most {max} are derived")]
    TooLarge {
        /// Of what.
        what: &'static str,
        /// The number.
        found: usize,
        /// The largest that is taken.
        max: usize,
    },
    /// A number that makes no program.
    #[error("{what}: {found}")]
    Malformed {
        /// Of what.
        what: &'static str,
        /// The number.
        found: usize,
    },
    /// The program verifies a proof of AIRs that are not known here.
    #[error(
        "its program verifies proofs of AIRs that are not known here: only a digest of the whole set \
         that is known beforehand can vouch for it"
    )]
    UnknownAirs,
    /// The children's machine.
    #[error("the children: {0}")]
    Machine(KeyError),
    /// The program.
    #[error(transparent)]
    Recursion(#[from] RecursionError),
    /// The key of the program.
    #[error(transparent)]
    Key(KeyError),
}

impl ChildShape {
    /// The shape of proofs of `key` with these heights.
    pub fn new<H: HashFamily>(key: &Key<H>, log_heights: &[usize]) -> Self {
        Self {
            hash: H::ID,
            settings: key.settings,
            tables: key.tables.clone(),
            log_heights: log_heights.to_vec(),
            fixed: key.heights != KeyHeights::Free,
        }
    }

    /// Refuses what would make a program that takes long to generate, before anything is computed.
    fn check(&self) -> Result<(), RecipeError> {
        let settings = &self.settings;
        settings.validate()?;
        at_most("tables of the children", self.tables.len(), MAX_TABLES)?;
        at_most(
            "logarithm of the children's caps",
            settings.cap_height,
            MAX_CAP_HEIGHT,
        )?;
        at_most(
            "logarithm of the children's final polynomial",
            settings.log_final_poly_len,
            MAX_LOG_FINAL_POLY_LEN,
        )?;
        at_most(
            "logarithm of the children's folding factor",
            settings.max_log_arity,
            MAX_LOG_ARITY,
        )?;
        if self.log_heights.len() != self.tables.len() {
            return Err(RecipeError::Malformed {
                what: "number of the children's heights",
                found: self.log_heights.len(),
            });
        }
        Ok(())
    }

    /// The program that verifies `count` proofs of this shape.
    fn recursion<H: TapeFamily>(&self, count: usize) -> Result<Recursion<H>, RecipeError>
    where
        StandardTables: Provable<H>,
    {
        let program = self.tables.iter().position(|name| name == "program");
        let program_log_height = program
            .and_then(|index| self.log_heights.get(index))
            .copied()
            .unwrap_or_default();
        let heights = match self.fixed {
            true => KeyHeights::Fixed(self.log_heights.clone()),
            false => KeyHeights::Free,
        };
        let verifier = Verifier::<H, StandardTables>::of_machine(
            self.settings,
            &self.tables,
            heights,
            program_log_height,
        )
        .map_err(RecipeError::Machine)?;
        Ok(Recursion::new(&verifier, &self.log_heights, count)?)
    }

    fn derive<H: TapeFamily>(
        &self,
        count: usize,
        settings: FriSettings,
        heights: &Heights,
    ) -> Result<(KeyDigest, usize), RecipeError>
    where
        StandardTables: Provable<H>,
    {
        let recursion = self.recursion::<H>(count)?;
        let program = &recursion.compiled().program;
        Ok((
            key_of(program, settings, heights)?,
            recursion.security().bits(),
        ))
    }
}

impl Recipe {
    /// Refuses what no program is generated for: numbers out of range, and those for which generating
    /// would take long. Nothing is computed from the recipe here.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), RecipeError> {
        self.settings.validate()?;
        at_most(
            "logarithm of the blowup",
            self.settings.log_blowup,
            MAX_LOG_BLOWUP,
        )?;
        if let Children::Programs { shape, count } = &self.children {
            let most = match shape.hash {
                HashId::Poseidon16 => MAX_CHILDREN,
                HashId::Blake3 | HashId::Keccak => MAX_BYTE_CHILDREN,
            };
            at_most("number of children", *count, most)?;
            if *count == 0 {
                return Err(RecipeError::Malformed {
                    what: "number of children",
                    found: 0,
                });
            }
            shape.check()?;
        }
        let heights = match &self.heights {
            Heights::Minimal => &[][..],
            Heights::Uniform(log_height) => std::slice::from_ref(log_height),
            Heights::Exact(log_heights) => log_heights,
        };
        at_most(
            "heights of the program's machine",
            heights.len(),
            MAX_TABLES,
        )?;
        // The program table is one of them.
        let max = MAX_LOG_PROGRAM_CODEWORD.saturating_sub(self.settings.log_blowup);
        let program = match heights {
            [.., program, _words, _blocks] => *program,
            [log_height] => *log_height,
            _ => 0,
        };
        at_most("logarithm of the height of the program", program, max)?;
        at_most("work of deriving the key", self.cost(), MAX_COST)
    }

    /// Generates the program and commits to it: its key, and the proven bits that every proof has which
    /// it accepts. Takes about a second.
    ///
    /// # Errors
    /// If there is no such program, or it would take long to generate ([`Self::check`]);
    /// [`RecipeError::UnknownAirs`] for a program that verifies proofs of AIRs.
    pub fn derive(&self) -> Result<(KeyDigest, usize), RecipeError> {
        self.check()?;
        let Children::Programs { shape, count } = &self.children else {
            return Err(RecipeError::UnknownAirs);
        };
        let derive = match shape.hash {
            HashId::Poseidon16 => ChildShape::derive::<Poseidon16Family>,
            HashId::Blake3 => ChildShape::derive::<Blake3Family>,
            HashId::Keccak => ChildShape::derive::<KeccakFamily>,
        };
        derive(shape, *count, self.settings, &self.heights)
    }

    /// As [`Self::derive`], with the program that verifies proofs of the recipe's AIRs.
    pub(super) fn derive_with(&self, program: &Program) -> Result<KeyDigest, RecipeError> {
        self.check()?;
        key_of(program, self.settings, &self.heights)
    }
}

/// The key of a recursion program: on the machine of [`PRECOMPILES`] and what else it calls.
fn key_of(
    program: &Program,
    settings: FriSettings,
    heights: &Heights,
) -> Result<KeyDigest, RecipeError> {
    proving_key(program, settings, heights.clone())
        .map(|key| key.key().digest())
        .map_err(RecipeError::Key)
}

/// What proves runs of a recursion program.
pub(crate) fn proving_key(
    program: &Program,
    settings: FriSettings,
    heights: Heights,
) -> Result<ProvingKey<Poseidon16Family, StandardTables>, KeyError> {
    ProvingKey::with_precompiles(program, &PRECOMPILES.into(), settings, heights)
}

fn at_most(what: &'static str, found: usize, max: usize) -> Result<(), RecipeError> {
    match found <= max {
        true => Ok(()),
        false => Err(RecipeError::TooLarge { what, found, max }),
    }
}
