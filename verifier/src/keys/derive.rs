//! From listed keys to derived ones.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use droste_native::F;
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use p3_maybe_rayon::prelude::*;

use super::{Cache, Children, ClaimedKeys, KeySet, KeysError, MAX_COST, Recipe, RecipeError};
use crate::driver::AirProgram;
use crate::tape::TapeFamily;

/// Keys that are derived side by side, however many processors there are: deriving one may take most of
/// a GB of memory.
const SIDE_BY_SIDE: usize = 2;

/// Derives keys from their recipes, each once.
///
/// Deriving one takes about a second: the program is generated, compiled and committed to. What was
/// derived is remembered in memory, and on disk if there is a [`Cache`].
#[derive(Debug, Default)]
pub struct Deriver {
    known: Mutex<HashMap<Recipe, (KeyDigest, usize)>>,
    cache: Option<Cache>,
    /// Programs that verify proofs of AIRs, and the bits of those proofs, by identity.
    airs: HashMap<[F; 8], (Program, usize)>,
}

impl Deriver {
    /// Remembers in memory alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Remembers on disk, too.
    #[must_use]
    pub fn with_cache(self, cache: Option<Cache>) -> Self {
        Self { cache, ..self }
    }

    /// Derives keys of the program that verifies proofs of these AIRs.
    #[must_use]
    pub fn with_airs<H: TapeFamily>(mut self, program: &AirProgram<H>) -> Self {
        let bits = program.security().bits();
        let compiled = program.compiled().program.clone();
        self.airs.insert(program.key().identity, (compiled, bits));
        self
    }

    /// The key of a recipe's program, and the proven bits of the proofs that it accepts.
    ///
    /// # Errors
    /// If there is no such program, or none that is generated here.
    pub fn key(&self, recipe: &Recipe) -> Result<(KeyDigest, usize), RecipeError> {
        if let Children::Airs { identity } = &recipe.children {
            let (program, bits) = self.airs.get(identity).ok_or(RecipeError::UnknownAirs)?;
            return Ok((recipe.derive_with(program)?, *bits));
        }
        recipe.check()?;
        if let Some(derived) = self.remembered(recipe) {
            return Ok(derived);
        }
        let derived = recipe.derive()?;
        if let Some(entry) = self.cache.as_ref().and_then(|cache| cache.entry(recipe)) {
            entry.write(derived);
        }
        self.known().insert(recipe.clone(), derived);
        Ok(derived)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Recipe, (KeyDigest, usize)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was derived from a recipe before.
    fn remembered(&self, recipe: &Recipe) -> Option<(KeyDigest, usize)> {
        if let Some(&derived) = self.known().get(recipe) {
            return Some(derived);
        }
        let derived = self.cache.as_ref()?.entry(recipe)?.read()?;
        self.known().insert(recipe.clone(), derived);
        Some(derived)
    }

    /// The keys of these recipes.
    ///
    /// # Errors
    /// As [`Self::key`].
    pub fn keys<'a>(
        &self,
        recipes: impl IntoIterator<Item = &'a Recipe>,
    ) -> Result<KeySet, RecipeError> {
        let recipes: Vec<&Recipe> = recipes.into_iter().collect();
        let mut keys = KeySet::default();
        for (recipe, derived) in recipes.iter().zip(self.each(&recipes)) {
            let (key, bits) = derived?;
            keys.insert(key, bits, (*recipe).clone());
        }
        Ok(keys)
    }

    /// [`Self::key`] of each, side by side, in order.
    fn each(&self, recipes: &[&Recipe]) -> Vec<Result<(KeyDigest, usize), RecipeError>> {
        let key = |recipe: &&Recipe| self.key(recipe);
        recipes
            .chunks(SIDE_BY_SIDE)
            .flat_map(|some| some.par_iter().map(key).collect::<Vec<_>>())
            .collect()
    }

    /// The set of listed keys, if each is that of its recipe's program, with the bits that were computed.
    ///
    /// # Errors
    /// The first key for which it is not so.
    pub fn derive(&self, claimed: &ClaimedKeys) -> Result<KeySet, KeysError> {
        // What is refused without work, first.
        let mut found = 0_usize;
        for (key, listed) in claimed.iter() {
            let checked = listed.recipe.check();
            checked.map_err(KeysError::recipe(key))?;
            if self.remembered(&listed.recipe).is_none() {
                found = found.saturating_add(listed.recipe.cost());
            }
        }
        if found > MAX_COST {
            return Err(KeysError::Cost { found });
        }
        let recipes: Vec<&Recipe> = claimed.iter().map(|(_, listed)| &listed.recipe).collect();
        let derived = self.each(&recipes);
        let mut keys = KeySet::default();
        for ((key, listed), derived) in claimed.iter().zip(derived) {
            let (found, bits) = derived.map_err(KeysError::recipe(key))?;
            if found != key {
                return Err(KeysError::Forged { key, found });
            }
            if bits != listed.bits {
                return Err(KeysError::Bits {
                    key,
                    listed: listed.bits,
                    found: bits,
                });
            }
            keys.insert(key, bits, listed.recipe.clone());
        }
        Ok(keys)
    }
}
