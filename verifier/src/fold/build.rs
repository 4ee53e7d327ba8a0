//! Makes a fold: its rules, accepted programs and other folds, and the keys that are derived from
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use droste_native::stark::security::Preset;
use droste_vm::key::KeyDigest;
use educe::Educe;

use super::circuits::Circuits;
use super::compiled::{Parts, Rules};
use super::foreign::ForeignFold;
use super::instance::{ForeignText, LeafText, Taken};
use super::leaf::{LeafKind, LeafProgram};
use super::recipe::{FamilyRecipe, RECIPE_VERSION, RuleInfo, SourceDigest};
use super::shape::{FoldShape, Room, TableRoom, choose};
use super::source::{Declared, Given, Source};
use super::verifier::KnownMachine;
use super::{Family, FoldError, Folded, Options, Paper, RefusedFold, UnverifiedFold};
use crate::aggregate::{Aggregator, Step};
use crate::circuit::{CircuitCache, RecursionCircuit};
use crate::keys::{Deriver, Evidence, MAX_BITS, MAX_COST, Recipe, at_most};

/// Limit on what deriving the keys of a recipe's wraps takes together: that of a few key sets,
/// since each leaf may have several paths.
const MAX_WRAPS_COST: usize = 4 * MAX_COST;

/// What is called after each step.
type Progress = Arc<dyn Fn(&Step) + Send + Sync>;

/// What a fold is made from. [`Fold::of`] begins one.
#[derive(Educe)]
#[educe(Debug)]
pub struct FoldBuilder {
    source: Source,
    preset: Preset,
    leaves: Vec<LeafKind>,
    folds: Vec<ForeignFold>,
    room: Room,
    deriver: Arc<Deriver>,
    #[educe(Debug(ignore))]
    progress: Progress,
    /// Those of the aggregator.
    circuits: Arc<CircuitCache>,
    /// Once it was chosen, or if a recipe states it.
    shape: OnceLock<FoldShape>,
    /// The fold key of a recipe.
    expected: Option<KeyDigest>,
}

/// A family of rules with their keys, which proves them ([`Self::prove`]). Compiled programs are
/// kept.
#[derive(Educe)]
#[educe(Debug)]
pub struct Fold {
    pub(super) rules: Arc<Rules>,
    #[educe(Debug(ignore))]
    pub(super) circuits: Circuits,
    recipe: FamilyRecipe,
    leaves: Vec<LeafKind>,
    folds: Vec<ForeignFold>,
    pub(super) aggregator: Aggregator,
    deriver: Arc<Deriver>,
    #[educe(Debug(ignore))]
    paper: Paper,
    #[educe(Debug(ignore))]
    pub(super) progress: Progress,
    room: OnceLock<Vec<TableRoom>>,
    #[educe(Debug(ignore))]
    machine: KnownMachine,
}

impl FoldBuilder {
    /// Adds an accepted program: the first is `Leaf<0>`.
    #[must_use]
    pub fn with_leaf(mut self, leaf: LeafKind) -> Self {
        self.leaves.push(leaf);
        self
    }

    /// Adds another fold: the first is `Foreign<0, ..>`.
    #[must_use]
    pub fn with_fold(mut self, other: ForeignFold) -> Self {
        self.folds.push(other);
        self
    }

    /// Chooses the room of the rules' functions, which decides the shape.
    #[must_use]
    pub fn with_room(self, room: Room) -> Self {
        Self {
            room,
            shape: OnceLock::new(),
            ..self
        }
    }

    /// Keeps derived keys in `deriver`, and looks for known ones there.
    #[must_use]
    pub fn with_deriver(self, deriver: Arc<Deriver>) -> Self {
        Self { deriver, ..self }
    }

    /// Calls `progress` after each proof of a rule, and after each step of the aggregator.
    #[must_use]
    pub fn with_progress(self, progress: impl Fn(&Step) + Send + Sync + 'static) -> Self {
        Self {
            progress: Arc::new(progress),
            ..self
        }
    }

    /// What a recipe describes: `leaves` are its programs and `folds` its other folds, in its
    /// order. Wraps above other folds' proofs are those of the recipe.
    ///
    /// # Errors
    /// If the recipe is of other rules, programs or folds, or a key of a wrap cannot be derived.
    pub fn of_recipe(
        source: Source,
        leaves: &[LeafProgram<'_>],
        folds: Vec<ForeignFold>,
        recipe: &FamilyRecipe,
        deriver: Arc<Deriver>,
    ) -> Result<Self, FoldError> {
        let differs = |what: &str| FoldError::Source(what.to_owned());
        if leaves.len() != recipe.leaves.len() {
            let (stated, given) = (recipe.leaves.len(), leaves.len());
            return Err(differs(&format!(
                "the number of leaf programs ({stated} in the recipe, {given} given with --leaf)"
            )));
        }
        if folds.len() != recipe.folds.len() {
            return Err(differs("the number of other folds"));
        }
        let mut files = vec![&source];
        for file in folds.iter().flat_map(ForeignFold::sources) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        recipe.check(files)?;
        let wraps = recipe.wraps().map(Recipe::cost);
        let cost = wraps.fold(0, usize::saturating_add);
        let checked = at_most(
            "work of deriving the keys of the wraps",
            cost,
            MAX_WRAPS_COST,
        );
        checked.map_err(|error| FoldError::Recipe(Box::new(error)))?;
        let mut builder = Fold::of(source, recipe.preset).with_deriver(deriver);
        builder.expected = Some(recipe.key());
        builder.shape = OnceLock::from(recipe.shape());
        for (fold, (other, stated)) in folds.into_iter().zip(&recipe.folds).enumerate() {
            let (expected, found) = (stated.family.key(), other.key());
            if found != expected {
                return Err(FoldError::Key { expected, found });
            }
            let other = other.with_recipe(stated, &builder.deriver);
            builder = builder.with_fold(other.map_err(FoldError::foreign(fold))?);
        }
        for (leaf, (&program, stated)) in leaves.iter().zip(&recipe.leaves).enumerate() {
            let kind = LeafKind::from_recipe(stated, program, &builder.deriver);
            builder = builder.with_leaf(kind.map_err(FoldError::leaf(leaf))?);
        }
        Ok(builder)
    }

    /// What the rules file declares, whatever the accepted programs.
    fn declared(&self) -> Result<Declared, FoldError> {
        let texts: Vec<ForeignText> = self.folds.iter().map(ForeignFold::text).collect();
        let types: Vec<(&str, &str)> = texts.iter().map(ForeignText::state_type).collect();
        self.source.declared(Given {
            leaves: None,
            folds: &types,
        })
    }

    /// The rules with these accepted programs, or with placeholders.
    fn texts(&self, leaves: Option<Vec<LeafText>>) -> Result<Rules, FoldError> {
        let others = self.folds.iter().flat_map(ForeignFold::sources);
        Rules::new(Parts {
            source: self.source.clone(),
            leaves,
            folds: self.folds.iter().map(ForeignFold::text).collect(),
            others: others.cloned().collect(),
        })
    }

    fn shape(&self) -> Result<&FoldShape, FoldError> {
        if let Some(shape) = self.shape.get() {
            return Ok(shape);
        }
        let rules = self.declared()?.rules;
        let slots = rules.iter().map(|rule| rule.slots.len()).max();
        let blocks = match self.room {
            Room::Least(_) => self.texts(None)?.blocks(),
            Room::Joins | Room::Heights(_) => 0,
        };
        let shape = choose(self.preset, slots.unwrap_or(0), blocks, &self.room)?;
        Ok(self.shape.get_or_init(|| shape))
    }

    /// The aggregator of the fold's shape, which the signatures and the room decide: it wraps the
    /// samples of accepted programs, and leaves.
    ///
    /// # Errors
    /// If the signatures are none of rules, or no shape has the room.
    pub fn aggregator(&self) -> Result<Aggregator, FoldError> {
        let (progress, circuits) = (Arc::clone(&self.progress), Arc::clone(&self.circuits));
        let aggregator = self.shape()?.aggregator(self.preset);
        let aggregator = aggregator.with_circuits(circuits);
        Ok(aggregator.with_progress(move |step| progress(step)))
    }

    /// The rules on paper, without keys and proofs. Accepted programs may be missing.
    ///
    /// # Errors
    /// If the signatures are none of rules.
    pub fn paper(self) -> Result<Paper, FoldError> {
        let given = self.leaves.iter().map(LeafKind::text).collect();
        let leaves = (!self.leaves.is_empty()).then_some(given);
        Ok(Paper::new(Arc::new(self.texts(leaves)?)))
    }

    /// Compiles the rules and derives their keys.
    ///
    /// # Errors
    /// If the rules do not compile or have no room, or an accepted program or another fold cannot
    /// be used, or the keys are not those of the recipe.
    pub fn build(self) -> Result<Fold, FoldError> {
        let shape = self.shape()?.clone();
        let known = self.deriver.known_keys();
        for (number, leaf) in self.leaves.iter().enumerate() {
            let checked = leaf.check(&shape, &known);
            checked.map_err(FoldError::leaf(number))?;
        }
        for (number, fold) in self.folds.iter().enumerate() {
            fold.check(number, &shape)?;
        }
        let leaves = self.leaves.iter().map(LeafKind::text).collect();
        let rules = Arc::new(self.texts(Some(leaves))?);
        shape.check(rules.most_slots())?;
        let aggregator = self.aggregator()?;
        let circuits = Circuits::new(Arc::clone(&rules), shape.clone(), &self.room)?;
        let derived = circuits.derive(&self.deriver)?;
        let family = self.family(&rules, &derived)?;
        if let Some(expected) = self.expected
            && family.key() != expected
        {
            let found = family.key();
            return Err(FoldError::Key { expected, found });
        }
        let instances = rules.instances().iter().zip(derived);
        let programs = instances.map(|(instance, (key, _))| RuleInfo {
            name: instance.name.clone(),
            slots: (rules.slots(instance.number).iter())
                .map(ToString::to_string)
                .collect(),
            key,
        });
        let recipe = FamilyRecipe {
            version: RECIPE_VERSION,
            preset: self.preset,
            settings: shape.settings,
            log_heights: shape.log_heights,
            state: rules.state().to_owned(),
            blocks: rules.blocks(),
            rules: programs.collect(),
            sources: rules.sources().map(SourceDigest::from).collect(),
            leaves: self.leaves.iter().map(LeafKind::recipe).collect(),
            folds: self.folds.iter().map(ForeignFold::recipe).collect(),
            family,
        };
        Ok(Fold {
            paper: Paper::new(Arc::clone(&rules)),
            rules,
            circuits,
            recipe,
            leaves: self.leaves,
            folds: self.folds,
            aggregator,
            deriver: self.deriver,
            progress: self.progress,
            room: OnceLock::new(),
            machine: KnownMachine::default(),
        })
    }

    /// The list of the rules, of which the keys and the bits of the proofs that they verify were
    /// derived.
    fn family(&self, rules: &Rules, derived: &[(KeyDigest, usize)]) -> Result<Family, FoldError> {
        let mut names = BTreeMap::<KeyDigest, &str>::new();
        for (instance, &(key, _)) in rules.instances().iter().zip(derived) {
            if let Some(first) = names.insert(key, &instance.name) {
                return Err(FoldError::SameRule {
                    first: first.to_owned(),
                    second: instance.name.clone(),
                });
            }
        }
        let keys: BTreeSet<KeyDigest> = names.into_keys().collect();
        for (number, leaf) in self.leaves.iter().enumerate() {
            leaf.check_rules(&keys).map_err(FoldError::leaf(number))?;
        }
        let bits = derived.iter().map(|&(_, bits)| bits);
        let slots = rules.instances().iter().flat_map(|of| &of.slots);
        let behind = slots.filter_map(|slot| match slot {
            Taken::Node => None,
            Taken::Leaf { kind, .. } => self.leaves.get(*kind).map(LeafKind::bits),
            Taken::Foreign { fold, .. } => self.folds.get(*fold).map(ForeignFold::bits),
        });
        let (bits, behind) = (
            bits.fold(MAX_BITS, usize::min),
            behind.fold(MAX_BITS, usize::min),
        );
        Ok(Family::new(bits, behind, keys.into_iter().collect())?)
    }
}

impl Fold {
    /// Begins a fold of these rules at this security.
    pub fn of(source: Source, preset: Preset) -> FoldBuilder {
        FoldBuilder {
            source,
            preset,
            leaves: vec![],
            folds: vec![],
            room: Room::default(),
            deriver: Arc::default(),
            progress: Arc::new(|_| ()),
            circuits: Arc::default(),
            shape: OnceLock::new(),
            expected: None,
        }
    }

    /// The fold that a recipe describes ([`FoldBuilder::of_recipe`]).
    ///
    /// # Errors
    /// As [`FoldBuilder::of_recipe`] and [`FoldBuilder::build`].
    pub fn from_recipe(
        source: Source,
        leaves: &[LeafProgram<'_>],
        folds: Vec<ForeignFold>,
        recipe: FamilyRecipe,
        deriver: Arc<Deriver>,
    ) -> Result<Self, FoldError> {
        FoldBuilder::of_recipe(source, leaves, folds, &recipe, deriver)?.build()
    }

    /// The fold key, derived from the rules. Whoever pins it accepts what they compute.
    pub fn key(&self) -> KeyDigest {
        self.family().key()
    }

    /// The list of the rules' keys and bits, whose digest is the fold key.
    pub const fn family(&self) -> &Family {
        &self.recipe.family
    }

    /// The programs of the rules, in the order of the file.
    pub fn rules(&self) -> impl Iterator<Item = RuleInfo> + '_ {
        self.recipe.rules.iter().cloned()
    }

    /// A rule's program, which is compiled if it is not kept. What it verifies are proofs, not what
    /// the rule makes of them ([`Self::prove`]).
    ///
    /// # Errors
    /// If there is no such rule.
    pub fn circuit(&self, rule: &str) -> Result<Arc<RecursionCircuit>, FoldError> {
        self.circuits.circuit(self.rules.instance(rule)?)
    }

    /// Number of instructions of a rule's program.
    ///
    /// # Errors
    /// If there is no such rule.
    pub fn instructions(&self, rule: &str) -> Result<usize, FoldError> {
        let circuit = self.circuit(rule)?;
        Ok(circuit.compiled().program.instructions.len())
    }

    /// Number of blocks of a state.
    pub fn blocks(&self) -> usize {
        self.rules.blocks()
    }

    /// The rules file, then those that it imports.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.rules.sources()
    }

    /// The accepted programs: `Leaf<0>` and so on.
    pub fn leaves(&self) -> &[LeafKind] {
        &self.leaves
    }

    /// The other folds: `Foreign<0, ..>` and so on.
    pub fn folds(&self) -> &[ForeignFold] {
        &self.folds
    }

    /// Why the fold key is trusted. It was derived, but the keys of other folds may only have been
    /// pinned: it is as good as the weakest of them.
    pub fn evidence(&self) -> Evidence {
        let folds = self.folds.iter().map(ForeignFold::evidence);
        folds.max().unwrap_or(Evidence::Derived)
    }

    /// The aggregator whose canonical shape is that of the fold's proofs.
    pub const fn aggregator(&self) -> &Aggregator {
        &self.aggregator
    }

    /// What derived the keys.
    pub fn deriver(&self) -> &Deriver {
        &self.deriver
    }

    /// What the keys are derived from, beside rules, programs and other folds.
    pub const fn recipe(&self) -> &FamilyRecipe {
        &self.recipe
    }

    /// The same rules on paper.
    pub const fn paper(&self) -> &Paper {
        &self.paper
    }

    /// The rows of each table that are free for the functions of the largest rule. It takes a proof
    /// to find them.
    ///
    /// # Errors
    /// If the children of such a rule cannot be verified.
    pub fn room(&self) -> Result<Vec<TableRoom>, FoldError> {
        if let Some(room) = self.room.get() {
            return Ok(room.clone());
        }
        let room = self.circuits.shape().room(self.rules.most_slots())?;
        Ok(self.room.get_or_init(|| room).clone())
    }

    /// Accepts a proof of this fold, for the reason for which its key is trusted
    /// ([`Self::evidence`]).
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn accept(&self, fold: UnverifiedFold, options: &Options) -> Result<Folded, RefusedFold> {
        fold.accept(self.key(), options, self.evidence(), &self.machine)
    }
}

#[cfg(test)]
mod tests;
