//! Derives recursion keys from their recipes.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use droste_native::codec::encode_body;
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use droste_vm::machine::MachineTables;
use p3_maybe_rayon::prelude::*;
use serde::Serialize;

use super::cache::Entry;
use super::{Cache, Children, ClaimedKeys, KeySet, KeysError, MAX_COST, Recipe, RecipeError};
use crate::aggregate::Aggregate;
use crate::airs::AirCircuit;
use crate::circuit::{CircuitCache, MachineProof, OwnMachine};
use crate::claim::{AcceptedLeaves, ClaimError};
use crate::tape::FriConfig;

/// Largest number of keys that are derived in parallel, on any number of processors: deriving one
/// may take most of a GB of memory.
const SIDE_BY_SIDE: usize = 2;

/// What the source of a rule's key begins with, so that its encoding is that of no recipe: these
/// begin with the number of their children's kind, and a text with its length.
const RULE: &str = "rule of a fold";

impl KeysError {
    /// Returns a function that adds the key to an error of its recipe.
    pub(crate) fn recipe(key: KeyDigest) -> impl FnOnce(RecipeError) -> Self {
        move |source| Self::Recipe {
            key,
            source: Box::new(source),
        }
    }
}

impl KeySet {
    /// The keys that were derived, each with its bits and the recipe from which it was.
    pub(crate) fn derived(&self) -> impl Iterator<Item = (KeyDigest, usize, &Recipe)> {
        let derived = |key: &KeyDigest| self.derived.contains(key);
        let listed = self.listed.iter().filter(move |(key, _)| derived(key));
        listed.map(|(key, listed)| (key, listed.bits, &listed.recipe))
    }
}

/// Derives keys from their recipes, each once.
///
/// Deriving one takes about a second: the program is generated, compiled and committed to. Derived
/// keys are kept in memory, and on disk if there is a [`Cache`].
#[derive(Debug, Default)]
pub struct Deriver {
    known: Mutex<HashMap<Recipe, (KeyDigest, usize)>>,
    /// Keys of folds' rules, by the digest of what they are derived from.
    rules: Mutex<HashMap<blake3::Hash, (KeyDigest, usize)>>,
    cache: Option<Cache>,
    /// Programs that verify proofs of AIRs, with the proven bits of those proofs, by the AIRs and
    /// how openings are verified.
    airs: HashMap<Children, (Program, usize)>,
    machines: Vec<OwnMachine>,
}

impl Deriver {
    /// A deriver that keeps derived keys in memory only.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps derived keys in `cache` too, if there is one.
    #[must_use]
    pub fn with_cache(self, cache: Option<Cache>) -> Self {
        Self { cache, ..self }
    }

    /// Lets the deriver derive keys of the program that verifies proofs of these AIRs. The one that
    /// verifies their openings in a batch is another program, and has keys of its own.
    ///
    /// # Errors
    /// [`RecipeError::OtherAirs`].
    pub fn with_airs<V: FriConfig>(mut self, circuit: &AirCircuit<V>) -> Result<Self, RecipeError> {
        let children = circuit.children().clone();
        let verifies = (circuit.compiled().program.clone(), circuit.bits());
        let known = self.airs.get(&children);
        if known.is_some_and(|known| *known != verifies) {
            return Err(RecipeError::OtherAirs);
        }
        self.airs.insert(children, verifies);
        Ok(self)
    }

    /// Lets the deriver derive keys of the programs that verify proofs of type `P`, of any shape, on
    /// machines with the tables `T`.
    #[must_use]
    pub fn with_machine<P: MachineProof<T>, T: MachineTables>(mut self) -> Self {
        self.machines.push(OwnMachine::of::<P, T>());
        self
    }

    /// Returns the key digest of a recipe's program, and the proven bits of the proofs that the
    /// program accepts.
    ///
    /// # Errors
    /// If no program can be generated from the recipe, or it exceeds the limits of
    /// [`Recipe::check`].
    pub fn key(&self, recipe: &Recipe) -> Result<(KeyDigest, usize), RecipeError> {
        if recipe.children.is_of_airs() {
            let known = self.airs.get(&recipe.children);
            let (program, bits) = known.ok_or(RecipeError::UnknownAirs)?;
            return Ok((recipe.derive_with(program)?, *bits));
        }
        self.key_from(recipe, &CircuitCache::default())
    }

    /// Like [`Self::key`] for proofs of no AIRs, but compiles nothing that `circuits` keeps, and
    /// leaves the circuit and its key there for a prover.
    pub(crate) fn key_from(
        &self,
        recipe: &Recipe,
        circuits: &CircuitCache,
    ) -> Result<(KeyDigest, usize), RecipeError> {
        recipe.check()?;
        if let Some(derived) = self.remembered(recipe) {
            return Ok(derived);
        }
        let derived = recipe.derive_from(circuits, &self.machines)?;
        self.remember(recipe, derived);
        Ok(derived)
    }

    /// Remembers the keys that were derived in this process when the aggregate was made, but for
    /// those that take AIRs or a machine of the caller's own, which this deriver may not have.
    pub(crate) fn learn(&self, keys: &KeySet) {
        for (key, bits, recipe) in keys.derived() {
            let children = &recipe.children;
            let is_derivable =
                !(children.is_of_airs() || matches!(children, Children::OwnMachine { .. }));
            if is_derivable && self.remembered(recipe).is_none() {
                self.remember(recipe, (key, bits));
            }
        }
    }

    /// The key digest of a fold's rule, and the proven bits of the proofs that it accepts: those
    /// that were derived from `source` before, or those that `derive` returns.
    ///
    /// # Errors
    /// As `derive`.
    pub(crate) fn cached<E>(
        &self,
        source: &impl Serialize,
        derive: impl FnOnce() -> Result<(KeyDigest, usize), E>,
    ) -> Result<(KeyDigest, usize), E> {
        let source = (RULE, source);
        // What has no encoding is derived each time.
        let Ok(encoding) = encode_body(Vec::new(), &source) else {
            return derive();
        };
        let name = blake3::hash(&encoding);
        if let Some(&derived) = self.rules().get(&name) {
            return Ok(derived);
        }
        let entry = self.cache.as_ref().and_then(|cache| cache.entry(&source));
        let derived = match entry.as_ref().and_then(Entry::read) {
            Some(derived) => derived,
            None => {
                let derived = derive()?;
                if let Some(entry) = entry {
                    entry.write(derived);
                }
                derived
            }
        };
        self.rules().insert(name, derived);
        Ok(derived)
    }

    /// Whether this is known here as the key of a recursion program or of a fold's rule: it was
    /// derived in this process, or is in the cache. A key that is not may still be one.
    pub fn is_recursion(&self, key: KeyDigest) -> bool {
        self.known_keys().contains(&key)
    }

    /// All keys for which [`Self::is_recursion`] holds.
    pub(crate) fn known_keys(&self) -> BTreeSet<KeyDigest> {
        let mut known = self.cache.as_ref().map(Cache::keys).unwrap_or_default();
        known.extend(self.known().values().map(|(key, _)| key));
        known.extend(self.rules().values().map(|(key, _)| key));
        known
    }

    /// The keys of an aggregate's leaves that are known here as keys of recursion programs or of
    /// folds' rules ([`Self::is_recursion`]). The tree hides what such proofs verified.
    ///
    /// # Errors
    /// [`ClaimError::Hidden`] if there is one, unless any leaves were accepted.
    pub fn hidden_leaves(&self, aggregate: &Aggregate) -> Result<BTreeSet<KeyDigest>, ClaimError> {
        self.hidden_leaves_but(aggregate, &BTreeSet::new())
    }

    /// Like [`Self::hidden_leaves`], but for leaves under the keys `opened`: they are folds of which
    /// claims say what they verified ([`Aggregate::with_folds`]).
    ///
    /// # Errors
    /// As [`Self::hidden_leaves`].
    pub fn hidden_leaves_but(
        &self,
        aggregate: &Aggregate,
        opened: &BTreeSet<KeyDigest>,
    ) -> Result<BTreeSet<KeyDigest>, ClaimError> {
        let known = self.known_keys();
        let leaves = aggregate.tree().leaves().into_iter();
        let is_hidden = |key: &KeyDigest| known.contains(key) && !opened.contains(key);
        let hidden = leaves.map(|(key, _)| key).filter(is_hidden);
        let hidden: BTreeSet<KeyDigest> = hidden.collect();
        match (&aggregate.accepted().leaves, hidden.first()) {
            (AcceptedLeaves::Keys(_), Some(&key)) => Err(ClaimError::Hidden(key)),
            _ => Ok(hidden),
        }
    }

    fn remember(&self, recipe: &Recipe, derived: (KeyDigest, usize)) {
        if let Some(entry) = self.cache.as_ref().and_then(|cache| cache.entry(recipe)) {
            entry.write(derived);
        }
        self.known().insert(recipe.clone(), derived);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Recipe, (KeyDigest, usize)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rules(&self) -> MutexGuard<'_, HashMap<blake3::Hash, (KeyDigest, usize)>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks up the key that was derived from a recipe before, on a machine of the caller's own by
    /// this deriver.
    fn remembered(&self, recipe: &Recipe) -> Option<(KeyDigest, usize)> {
        if let Some(&derived) = self.known().get(recipe) {
            return Some(derived);
        }
        // Whoever wrote it may have had a machine that this deriver does not have.
        if matches!(recipe.children, Children::OwnMachine { .. }) {
            return None;
        }
        let derived = self.cache.as_ref()?.entry(recipe)?.read()?;
        self.known().insert(recipe.clone(), derived);
        Some(derived)
    }

    /// Derives the keys of these recipes as a set.
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

    /// Calls [`Self::key`] for each recipe, some in parallel. Results are in the recipes' order.
    fn each(&self, recipes: &[&Recipe]) -> Vec<Result<(KeyDigest, usize), RecipeError>> {
        let key = |recipe: &&Recipe| self.key(recipe);
        recipes
            .chunks(SIDE_BY_SIDE)
            .flat_map(|some| some.par_iter().map(key).collect::<Vec<_>>())
            .collect()
    }

    /// What deriving a key costs, at most.
    fn cost(&self, recipe: &Recipe) -> usize {
        let Children::OwnMachine { shape, .. } = &recipe.children else {
            return recipe.cost();
        };
        let machines = self.machines.iter().map(|machine| machine.cost(shape));
        machines.fold(recipe.cost(), usize::saturating_add)
    }

    /// Derives every listed key from its recipe and compares it, and its bits, with the list.
    /// Returns the set.
    ///
    /// # Errors
    /// Names the first key that is not the key of its recipe's program or has other bits; or the
    /// cost, if deriving the keys that are not known yet would exceed [`MAX_COST`].
    pub fn derive(&self, claimed: &ClaimedKeys) -> Result<KeySet, KeysError> {
        // First refuse what can be refused without deriving anything.
        let mut found = 0_usize;
        for (key, listed) in claimed.iter() {
            let checked = listed.recipe.check();
            checked.map_err(KeysError::recipe(key))?;
            if self.remembered(&listed.recipe).is_none() {
                found = found.saturating_add(self.cost(&listed.recipe));
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

#[cfg(test)]
mod tests {
    use droste_native::whir::WhirSettings;
    use droste_native::{F, FriSettings, HashId, KeccakSuite, Poseidon16Suite};
    use droste_vm::heights::Heights;
    use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
    use p3_field::PrimeCharacteristicRing;

    use super::*;
    use crate::airs::{Seed, UniCircuit};
    use crate::claim::tests::key;
    use crate::keys::ChildShape;

    /// An AIR whose only column is a bit.
    struct Bit;

    impl BaseAir<F> for Bit {
        fn width(&self) -> usize {
            1
        }
    }

    impl<AB: AirBuilder<F = F>> Air<AB> for Bit {
        fn eval(&self, builder: &mut AB) {
            let main = builder.main();
            builder.assert_bool(main.current_slice()[0]);
        }
    }

    /// AIRs that are known already are not taken for others.
    #[test]
    fn an_identity_has_one_program() {
        let circuit =
            UniCircuit::<Poseidon16Suite, _>::new(Bit, FriSettings::toy(), 3, Seed::Key).unwrap();
        let children = circuit.children();
        let known = Deriver::new().with_airs(&circuit).unwrap();
        let (program, bits) = known.airs[children].clone();
        known.with_airs(&circuit).unwrap();
        for other in [(Program::default(), bits), (program, bits + 1)] {
            let mut deriver = Deriver::new();
            deriver.airs.insert(children.clone(), other);
            let refused = deriver.with_airs(&circuit);
            assert!(matches!(refused, Err(RecipeError::OtherAirs)));
        }
    }

    /// Logarithm of the length of a row of the stack that holds a program in a batch.
    const LOG_ROWS: usize = 16;

    /// The same AIRs have a program for each way to verify openings, and no key stands for both.
    #[test]
    fn openings_in_a_batch_have_a_recipe_of_their_own() {
        let circuit = || UniCircuit::<KeccakSuite, _>::new(Bit, FriSettings::toy(), 5, Seed::Key);
        let (tables, batch) = (circuit().unwrap(), circuit().unwrap().in_batch().unwrap());
        assert_eq!(tables.air_key(), batch.air_key());
        assert_eq!(
            tables.leaf(&[vec![]]).unwrap(),
            batch.leaf(&[vec![]]).unwrap()
        );
        let identity = tables.air_key().identity;
        assert_eq!(*tables.children(), Children::Airs { identity });
        assert_eq!(*batch.children(), Children::OpenedAirs { identity });
        let recipe = |children: &Children| Recipe {
            children: children.clone(),
            settings: WhirSettings::toy().of_longer_rows(LOG_ROWS),
            heights: Heights::Minimal,
        };
        let recipes = [tables.children(), batch.children()].map(recipe);
        let known = Deriver::new().with_airs(&tables).unwrap();
        let unknown = known.key(&recipes[1]);
        assert!(
            matches!(unknown, Err(RecipeError::UnknownAirs)),
            "{unknown:?}"
        );
        let both = known.with_airs(&batch).unwrap();
        let keys = recipes.each_ref().map(|recipe| both.key(recipe).unwrap());
        assert_ne!(keys[0].0, keys[1].0);
        assert_eq!(keys.map(|(_, bits)| bits), [tables.bits(), batch.bits()]);
    }

    /// What others derived on a machine is not taken for derived here.
    #[test]
    fn keys_on_unknown_machines_are_neither_learned_nor_read() {
        let shape = ChildShape {
            hash: HashId::Poseidon16,
            settings: WhirSettings::toy().into(),
            tables: vec![],
            log_heights: vec![],
            fixed: false,
        };
        let recipe = Recipe {
            children: Children::OwnMachine {
                shape,
                identity: [F::ONE; 8],
            },
            settings: WhirSettings::toy(),
            heights: Heights::Minimal,
        };
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().join("keys"));
        if let Some(entry) = cache.as_ref().and_then(|cache| cache.entry(&recipe)) {
            entry.write((key(1), 100));
        }
        let mut keys = KeySet::default();
        keys.insert(key(1), 100, recipe.clone());
        let deriver = Deriver::new().with_cache(cache);
        deriver.learn(&keys);
        let refused = deriver.key(&recipe);
        assert!(
            matches!(refused, Err(RecipeError::UnknownMachine)),
            "{refused:?}"
        );
        deriver.derive(keys.claimed()).unwrap_err();
    }

    /// What a rule's key is derived from begins with a number that is that of no kind of children.
    #[test]
    fn the_source_of_a_rule_is_no_recipe() {
        let children = Children::OpenedAirs {
            identity: [F::ONE; 8],
        };
        // A new kind does not compile until it is counted here.
        let last = match &children {
            Children::Programs { .. } => 0,
            Children::Airs { .. } => 1,
            Children::Paths(_) => 2,
            Children::Calls(_) => 3,
            Children::OwnMachine { .. } => 4,
            Children::Opened { .. } => 5,
            Children::OpenedAirs { .. } => 6,
        };
        let first = |encoding: Vec<u8>| usize::from(encoding[0]);
        let of_last = encode_body(vec![], &children).unwrap();
        assert_eq!(first(of_last), last);
        let of_rule = encode_body(vec![], &(RULE, 1_u32)).unwrap();
        assert_eq!(first(of_rule), RULE.len());
        assert!(RULE.len() > last + 1);
    }

    /// A rule's key is derived once, and is then known as one that hides what its proofs verified.
    #[test]
    fn keys_of_rules_are_derived_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let cached = |deriver: &Deriver, source: &[u32]| {
            let mut derivations = 0;
            let found = deriver.cached(&source, || {
                derivations += 1;
                Ok::<_, RecipeError>((key(source[0]), 100))
            });
            (found.unwrap(), derivations)
        };
        let deriver = Deriver::new().with_cache(Cache::in_folder(path.clone()));
        assert!(!deriver.is_recursion(key(1)));
        assert_eq!(cached(&deriver, &[1]), ((key(1), 100), 1));
        assert_eq!(cached(&deriver, &[1]), ((key(1), 100), 0));
        // Another source is derived, whatever it has in common with the first.
        assert_eq!(cached(&deriver, &[2, 1]), ((key(2), 100), 1));
        assert!(deriver.is_recursion(key(1)) && !deriver.is_recursion(key(3)));

        // Another process reads what this one wrote, if there is a cache.
        let cache = Cache::in_folder(path);
        let derivations = u32::from(cache.is_none());
        let other = Deriver::new().with_cache(cache);
        assert_eq!(other.is_recursion(key(1)), derivations == 0);
        assert_eq!(cached(&other, &[1]), ((key(1), 100), derivations));
        // What cannot be derived is not remembered.
        let source: &[u32] = &[4];
        let failed = other.cached(&source, || Err(RecipeError::UnknownAirs));
        failed.unwrap_err();
        assert_eq!(cached(&other, &[4]), ((key(4), 100), 1));
    }
}
