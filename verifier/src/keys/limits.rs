//! The recipes from which keys are derived, within limits, and their keys.

use std::sync::Arc;

use droste_native::HashId;
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use droste_vm::machine::program_entry;
use droste_vm::stack::{Stack, StackSettings, StackSettingsError};

use super::{BinaryShape, ChildShape, Children, MAX_COST, MAX_TABLES, Recipe, RecipeError};
use crate::circuit::{CircuitCache, CircuitError, CircuitKey, OwnMachine, RecursionCircuit};

/// Largest number of recursion proofs that a program verifies which is generated from a recipe. The
/// program has a copy of the code that checks a query per child.
pub const MAX_CHILDREN: usize = 64;

/// Logarithm of the largest blowup of the proof of a program that is generated from a recipe.
pub const MAX_LOG_BLOWUP: usize = 4;

/// Logarithm of the largest cap of children's commitments that a recipe may ask for.
pub const MAX_CAP_HEIGHT: usize = 12;

/// Logarithm of the longest final polynomial of children that a recipe may ask for.
pub const MAX_LOG_FINAL_POLY_LEN: usize = 8;

/// Logarithm of the largest folding factor of children that a recipe may ask for.
pub const MAX_LOG_ARITY: usize = 4;

/// Largest number of variables that children over WHIR may fold at once in a recipe.
pub const MAX_LATER_FOLD: usize = 6;

/// Logarithm of the longest codeword of a program table that is committed to for a recipe: the
/// commitment then takes 0.5 GB.
pub const MAX_LOG_PROGRAM_CODEWORD: usize = 22;

impl ChildShape {
    /// Refuses shapes whose program would take long to generate. Computes nothing else.
    fn check(&self) -> Result<(), RecipeError> {
        self.settings.validate()?;
        at_most(
            "number of the children's tables",
            self.tables.len(),
            MAX_TABLES,
        )?;
        let cap = "logarithm of the children's caps";
        let arity = "logarithm of the children's folding factor";
        match &self.settings {
            StackSettings::Fri(settings) => {
                let last = "logarithm of the children's final polynomial";
                at_most(cap, settings.cap_height, MAX_CAP_HEIGHT)?;
                at_most(last, settings.log_final_poly_len, MAX_LOG_FINAL_POLY_LEN)?;
                at_most(arity, settings.max_log_arity, MAX_LOG_ARITY)?;
            }
            StackSettings::Whir(settings) => {
                at_most(cap, settings.cap_height, MAX_CAP_HEIGHT)?;
                at_most(arity, settings.later_fold, MAX_LATER_FOLD)?;
            }
        }
        if self.log_heights.len() != self.tables.len() {
            return Err(RecipeError::Malformed {
                what: "number of the children's heights",
                found: self.log_heights.len(),
            });
        }
        Ok(())
    }
}

impl Children {
    /// Refuses proofs for which generating the program would take long. Computes nothing else.
    pub(crate) fn check(&self) -> Result<(), RecipeError> {
        let (shape, count) = match self {
            Self::Programs { shape, count } => (shape, *count),
            Self::OwnMachine { shape, .. } | Self::Opened { shape } => (shape, 1),
            Self::Airs { .. } | Self::OpenedAirs { .. } => return Ok(()),
            Self::Paths(shape) => return BinaryShape::from(*shape).check(),
            Self::Calls(shape) => return BinaryShape::from(*shape).check(),
        };
        let most = match (shape.settings.stack(), shape.hash) {
            (Stack::Whir, HashId::Poseidon16) => MAX_CHILDREN,
            // They are leaves, which are wrapped one by one.
            _ => 1,
        };
        at_most("number of children", count, most)?;
        if count == 0 {
            return Err(RecipeError::Malformed {
                what: "number of children",
                found: 0,
            });
        }
        shape.check()?;
        at_most("work of generating the program", self.cost(), MAX_COST)
    }
}

impl Recipe {
    /// Refuses recipes with numbers out of range, and those whose program would take long to
    /// generate. Nothing is generated here.
    ///
    /// # Errors
    /// Names the number that is refused.
    pub fn check(&self) -> Result<(), RecipeError> {
        self.settings.validate().map_err(StackSettingsError::from)?;
        let log_blowup = self.settings.log_blowup;
        at_most("logarithm of the blowup", log_blowup, MAX_LOG_BLOWUP)?;
        self.children.check()?;
        let heights = match &self.heights {
            Heights::Minimal => &[][..],
            Heights::Uniform(log_height) => std::slice::from_ref(log_height),
            Heights::Exact(log_heights) => log_heights,
        };
        let what = "number of heights of the program's machine";
        at_most(what, heights.len(), MAX_TABLES)?;
        // The program table's height is one of them.
        let max = MAX_LOG_PROGRAM_CODEWORD.saturating_sub(log_blowup);
        let program = match heights {
            [log_height] => *log_height,
            list => program_entry(list).copied().unwrap_or(0),
        };
        at_most("logarithm of the height of the program", program, max)?;
        // Codewords have the length of a row of the stack, however short the program is.
        let row = self.settings.log_block;
        at_most("logarithm of a row of the stack", row, max)?;
        at_most("work of deriving the key", self.cost(), MAX_COST)
    }

    /// Generates the program and commits to it. Returns its key digest, and the proven bits of
    /// every proof that it accepts. Takes about a second.
    ///
    /// # Errors
    /// If there is no such program, or [`Self::check`] refuses the recipe;
    /// [`RecipeError::UnknownAirs`] if the program verifies proofs of AIRs, and
    /// [`RecipeError::UnknownMachine`] if it verifies those of another than the standard machine.
    pub fn derive(&self) -> Result<(KeyDigest, usize), RecipeError> {
        self.derive_from(&CircuitCache::default(), &[])
    }

    /// Like [`Self::derive`], with the circuit and the key that `circuits` keeps or will keep, and
    /// with machines of the caller's own.
    pub(super) fn derive_from(
        &self,
        circuits: &CircuitCache,
        machines: &[OwnMachine],
    ) -> Result<(KeyDigest, usize), RecipeError> {
        self.check()?;
        let circuit = match &self.children {
            children @ (Children::Programs { .. }
            | Children::OwnMachine { .. }
            | Children::Opened { .. }) => {
                let circuit = circuits.circuit_of(children, machines);
                circuit.map_err(|error| match error {
                    CircuitError::OtherMachine => RecipeError::UnknownMachine,
                    error => error.into(),
                })?
            }
            Children::Paths(shape) => Arc::new(RecursionCircuit::over_binary(*shape)?),
            Children::Calls(shape) => Arc::new(RecursionCircuit::over_binary(*shape)?),
            Children::Airs { .. } | Children::OpenedAirs { .. } => {
                return Err(RecipeError::UnknownAirs);
            }
        };
        let key = circuit.key(self.settings, &self.heights)?;
        Ok((key.digest(), circuit.bits()))
    }

    /// Like [`Self::derive`], for a recipe of AIRs: `program` verifies their proofs.
    pub(super) fn derive_with(&self, program: &Program) -> Result<KeyDigest, RecipeError> {
        self.check()?;
        Ok(CircuitKey::new(program, self.settings, self.heights.clone())?.digest())
    }
}

/// Refuses a number above the limit.
pub(crate) fn at_most(what: &'static str, found: usize, max: usize) -> Result<(), RecipeError> {
    if found <= max {
        Ok(())
    } else {
        Err(RecipeError::TooLarge { what, found, max })
    }
}
