//! Programs whose proofs a fold takes as leaves, and the wraps that bring them to its shape.
//!
//! A rule names its leaves by keys that are constants of its text: of the program, and of the wraps
//! above its proof. They are taken from a sample, or from a recipe, never as bare digests: whoever
//! makes a fold has the program, so that it is no join or rule, whose proofs hide others and whose
//! bits would not be counted.

use std::collections::{BTreeMap, BTreeSet};

use droste_native::F;
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use droste_vm::stack::Parameters;
use droste_vm::verifier::{VerifyError, VerifyOptions};

use super::instance::LeafText;
use super::recipe::{LeafRecipe, PathRecipe};
use super::shape::FoldShape;
use super::{FoldError, LeafKindError};
use crate::aggregate::{AcceptError, Aggregate, Level};
use crate::binary::CallingProgram;
use crate::circuit::{BinaryShape, CallsShape, ChildShape, Children};
use crate::claim::{Claim, ClaimTree};
use crate::keys::{Deriver, Recipe, power};
use crate::program_keys::committed_rows;
use crate::proofs;

/// Largest number of ways to the canonical shape of one program's proofs.
pub const MAX_PATHS: usize = 4;

/// What the leaves of a kind are proofs of, as whoever makes a fold has it.
#[derive(Clone, Copy, Debug)]
pub enum LeafProgram<'a> {
    /// A program.
    Program(&'a Program),
    /// A program whose calls of a hash one binary proof shows, which each of its proofs verified.
    Calling(&'a CallingProgram),
    /// Proofs of `droste-binary` about calls or Merkle paths.
    Binary(BinaryShape),
    /// Plonky3 proofs of AIRs, which have this key ([`crate::airs::AirKey::digest`]). Where their
    /// transcripts are Plonky3's own, the AIRs must have been fixed before they were made
    /// ([`crate::airs::Seed::StockForFixedAirs`]).
    Airs(KeyDigest),
}

/// A program whose proofs are leaves of a fold, with the ways in which they come to its shape.
#[derive(Clone, Debug)]
pub struct LeafKind {
    name: String,
    calls: Option<CallsShape>,
    /// Proven bits of the binary proof that each of its proofs verified, if it did.
    inner: Option<usize>,
    paths: Vec<LeafPath>,
}

/// A wrap above a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrap {
    /// Its key.
    pub key: KeyDigest,
    /// Proven bits of the proofs that it accepts.
    pub bits: usize,
    /// What its key is derived from.
    pub recipe: Recipe,
}

/// A way in which proofs of a program come to a fold's shape. Runs of another size may have another
/// one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafPath {
    key: KeyDigest,
    wraps: Vec<Wrap>,
}

/// What an aggregate of one leaf consists of: its wraps, the last one first, and the leaf.
pub(super) struct Wrapped {
    pub wraps: Vec<Wrap>,
    pub key: KeyDigest,
}

/// The keys from the root of a tree to its only leaf, and the leaf's statement; `None` if it has
/// several.
pub(super) fn only_path(tree: &ClaimTree) -> Option<(Vec<KeyDigest>, [F; 8])> {
    let (mut keys, mut node) = (vec![], tree);
    loop {
        keys.push(node.key);
        match &node.claim {
            Claim::Statement(statement) => return Some((keys, *statement)),
            Claim::Children(children) => {
                let [below] = children.as_slice() else {
                    return None;
                };
                node = below;
            }
        }
    }
}

impl Wrapped {
    /// Takes an aggregate apart, which is the wrap of one proof.
    ///
    /// # Errors
    /// If it has several leaves, or the keys of its wraps were only pinned.
    pub fn of(sample: &Aggregate) -> Result<Self, LeafKindError> {
        let derived: BTreeMap<KeyDigest, (usize, &Recipe)> = (sample.keys().derived())
            .map(|(key, bits, recipe)| (key, (bits, recipe)))
            .collect();
        let (mut keys, _) = only_path(sample.tree()).ok_or(LeafKindError::Tree)?;
        let key = keys.pop().ok_or(LeafKindError::Tree)?;
        let wraps = keys.into_iter().map(|key| {
            let &(bits, recipe) = derived.get(&key).ok_or(LeafKindError::Claimed)?;
            let recipe = recipe.clone();
            Ok(Wrap { key, bits, recipe })
        });
        Ok(Self {
            wraps: wraps.collect::<Result<_, LeafKindError>>()?,
            key,
        })
    }
}

/// Derives the keys of wraps from their recipes, the last one first.
pub(super) fn derive_wraps(
    recipes: &[Recipe],
    deriver: &Deriver,
) -> Result<Vec<Wrap>, LeafKindError> {
    let of = |error| LeafKindError::Recipe(Box::new(error));
    // Some at a time. They are remembered.
    let others = |recipe: &&Recipe| !recipe.children.is_of_airs();
    deriver.keys(recipes.iter().filter(others)).map_err(of)?;
    let wraps = recipes.iter().map(|recipe| {
        let (key, bits) = deriver.key(recipe).map_err(of)?;
        let recipe = recipe.clone();
        Ok(Wrap { key, bits, recipe })
    });
    wraps.collect()
}

/// Refuses wraps of which the last one does not have a fold's shape.
pub(super) fn check_wraps(wraps: &[Wrap], shape: &FoldShape) -> Result<(), LeafKindError> {
    let last = wraps.first().ok_or(LeafKindError::Unwrapped)?;
    let (settings, heights) = (&last.recipe.settings, &last.recipe.heights);
    if *settings == shape.settings && *heights == shape.heights() {
        Ok(())
    } else {
        Err(LeafKindError::Shape)
    }
}

impl LeafProgram<'_> {
    /// Checks that `key` is a key of this at the parameters that the first wrap above it accepts,
    /// and that what it accepts are no wraps, joins or rules.
    fn check(self, key: KeyDigest, children: &Children) -> Result<(), LeafKindError> {
        let is = match (self, children) {
            (
                Self::Program(program),
                Children::Programs { shape, .. } | Children::Opened { shape },
            ) => is_key_of(key, program, shape)?,
            (
                Self::Calling(calling),
                Children::Programs { shape, .. } | Children::Opened { shape },
            ) => is_key_of(key, &calling.compiled().program, shape)?,
            (Self::Binary(shape), children) => {
                Children::from(shape) == *children && shape.key() == key
            }
            (Self::Airs(expected), Children::Airs { .. } | Children::OpenedAirs { .. }) => {
                expected == key
            }
            _ => false,
        };
        if is {
            Ok(())
        } else {
            Err(LeafKindError::OtherProgram { key })
        }
    }

    /// For which calls it is compiled, if a binary proof shows its calls.
    fn calls(self) -> Option<CallsShape> {
        match self {
            Self::Calling(calling) => Some(calling.calls_shape()),
            Self::Program(_) | Self::Binary(_) | Self::Airs(_) => None,
        }
    }

    /// Proven bits of the proof that each of its proofs verified, if it did.
    fn inner(self) -> Option<usize> {
        match self {
            Self::Calling(calling) => Some(calling.security().bits()),
            Self::Program(_) | Self::Binary(_) | Self::Airs(_) => None,
        }
    }
}

/// Whether this is the key of a program's proofs of this shape, which is no canonical one.
fn is_key_of(key: KeyDigest, program: &Program, shape: &ChildShape) -> Result<bool, LeafKindError> {
    if let Some(Level { preset, arity }) = Level::of(shape) {
        let level = format!("{preset} and arity {arity}");
        return Err(LeafKindError::Canonical(level));
    }
    // A recipe may state any settings.
    let log_rows = shape.program_log_height() + shape.settings.log_blowup();
    let rows = committed_rows(&shape.settings, program).max(power(log_rows));
    let limit = VerifyOptions::DEFAULT.limit;
    if rows > limit {
        return Err(AcceptError::from(VerifyError::Limit { rows, limit }).into());
    }
    let heights = if shape.fixed {
        Heights::Exact(shape.log_heights.clone())
    } else {
        Heights::Minimal
    };
    let found = proofs::key(shape.hash, program, shape.settings, heights);
    Ok(found.is_ok_and(|(found, _)| found == key))
}

impl LeafPath {
    fn new(key: KeyDigest, wraps: Vec<Wrap>, of: LeafProgram<'_>) -> Result<Self, LeafKindError> {
        let first = wraps.last().ok_or(LeafKindError::Unwrapped)?;
        of.check(key, &first.recipe.children)?;
        Ok(Self { key, wraps })
    }

    /// The key of the program's proofs.
    pub const fn key(&self) -> KeyDigest {
        self.key
    }

    /// The wraps, the last one first.
    pub fn wraps(&self) -> &[Wrap] {
        &self.wraps
    }

    /// Hash and settings of the program's proofs; `None` if they are no proofs of runs.
    pub fn parameters(&self) -> Option<Parameters> {
        let first = self.recipe()?;
        match &first.children {
            Children::Programs { shape, .. }
            | Children::Opened { shape }
            | Children::OwnMachine { shape, .. } => Some(Parameters {
                hash: shape.hash,
                settings: shape.settings,
            }),
            Children::Airs { .. }
            | Children::OpenedAirs { .. }
            | Children::Paths(_)
            | Children::Calls(_) => None,
        }
    }

    /// What the first wrap, which verifies the program's proof, is derived from.
    pub fn recipe(&self) -> Option<&Recipe> {
        self.wraps.last().map(|wrap| &wrap.recipe)
    }

    /// The keys of the wraps, the last one first, and that of the program's proofs.
    pub fn keys(&self) -> Vec<KeyDigest> {
        let wraps = self.wraps.iter().map(|wrap| wrap.key);
        wraps.chain([self.key]).collect()
    }

    /// Least proven bits of the proofs behind the last wrap.
    fn bits(&self) -> usize {
        let bits = self.wraps.iter().map(|wrap| wrap.bits);
        bits.fold(usize::MAX, usize::min)
    }

    fn recipes(&self) -> PathRecipe {
        let wraps = self.wraps.iter().map(|wrap| wrap.recipe.clone());
        PathRecipe {
            key: self.key,
            wraps: wraps.collect(),
        }
    }
}

impl LeafKind {
    /// Proofs of what `of` is, with the way of the sample: the wrap of one of its proofs by an
    /// aggregator of the fold's shape ([`super::FoldBuilder::aggregator`]). `name` is for messages.
    ///
    /// # Errors
    /// If the sample is of something else, or of several proofs, or its keys were only pinned, or
    /// its proof has the shape of wraps, joins and rules.
    pub fn new(name: &str, of: LeafProgram<'_>, sample: &Aggregate) -> Result<Self, LeafKindError> {
        let kind = Self {
            name: name.to_owned(),
            calls: of.calls(),
            inner: of.inner(),
            paths: vec![],
        };
        kind.with_path(of, sample)
    }

    /// [`Self::new`] of a program. A calling program needs [`LeafProgram::Calling`]: its
    /// `compiled()` drops the binary proof, so that nothing shows the calls. If a program verifies
    /// proofs by itself, nothing tells it from others, and those proofs are not counted.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of_program(
        name: &str,
        program: impl AsRef<Program>,
        sample: &Aggregate,
    ) -> Result<Self, LeafKindError> {
        Self::new(name, LeafProgram::Program(program.as_ref()), sample)
    }

    /// Adds the way of another sample, of a run of another size.
    ///
    /// # Errors
    /// As [`Self::new`], or if there are too many.
    pub fn with_path(
        mut self,
        of: LeafProgram<'_>,
        sample: &Aggregate,
    ) -> Result<Self, LeafKindError> {
        let Wrapped { wraps, key } = Wrapped::of(sample)?;
        self.push(LeafPath::new(key, wraps, of)?)?;
        Ok(self)
    }

    /// The kind that a recipe names, whose program is `of`. The keys of the wraps are derived. Its
    /// name is the recipe's.
    ///
    /// # Errors
    /// If the recipe is of another program, or a key cannot be derived, or as [`Self::new`].
    pub fn from_recipe(
        recipe: &LeafRecipe,
        of: LeafProgram<'_>,
        deriver: &Deriver,
    ) -> Result<Self, LeafKindError> {
        let mut kind = Self {
            name: recipe.name.clone(),
            calls: of.calls(),
            inner: of.inner(),
            paths: vec![],
        };
        for path in &recipe.paths {
            let wraps = derive_wraps(&path.wraps, deriver)?;
            kind.push(LeafPath::new(path.key, wraps, of)?)?;
        }
        Ok(kind)
    }

    /// Adds a path, unless it is there.
    fn push(&mut self, path: LeafPath) -> Result<(), LeafKindError> {
        if !self.paths.contains(&path) {
            self.paths.push(path);
        }
        match self.paths.len() {
            0..=MAX_PATHS => Ok(()),
            count => Err(LeafKindError::Paths(count)),
        }
    }

    /// Its name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The ways to the fold's shape.
    pub fn paths(&self) -> &[LeafPath] {
        &self.paths
    }

    /// Least proven bits of the proofs behind the last wrap of one of its paths: of the program's
    /// proof, of the wraps between, and of the binary proof that the program's run verified, if it
    /// did.
    pub fn bits_of(&self, path: &LeafPath) -> usize {
        path.bits().min(self.inner.unwrap_or(usize::MAX))
    }

    /// The least of [`Self::bits_of`] of its paths.
    pub(super) fn bits(&self) -> usize {
        let bits = self.paths.iter().map(|path| self.bits_of(path));
        bits.fold(usize::MAX, usize::min)
    }

    /// Checks that it may be a leaf of a fold of this shape: its wraps lead there, and its proofs
    /// have another one and none of the keys that are `known` as those of recursion programs or
    /// rules.
    pub(super) fn check(
        &self,
        shape: &FoldShape,
        known: &BTreeSet<KeyDigest>,
    ) -> Result<(), LeafKindError> {
        if self.paths.is_empty() {
            return Err(LeafKindError::Paths(0));
        }
        for path in &self.paths {
            check_wraps(&path.wraps, shape)?;
            let first = path.recipe().map(|recipe| &recipe.children);
            if let Some(Children::Programs { shape: below, .. } | Children::Opened { shape: below }) =
                first
                && shape.is_of(below)
            {
                return Err(LeafKindError::Canonical("this fold".to_owned()));
            }
            if known.contains(&path.key) {
                return Err(LeafKindError::Recursion(path.key));
            }
        }
        Ok(())
    }

    /// Refuses a kind whose proofs are those of a rule.
    pub(super) fn check_rules(&self, rules: &BTreeSet<KeyDigest>) -> Result<(), LeafKindError> {
        let mut keys = self.paths.iter().map(|path| path.key);
        match keys.find(|key| rules.contains(key)) {
            Some(key) => Err(LeafKindError::Recursion(key)),
            None => Ok(()),
        }
    }

    /// What texts of rules have of it.
    pub(super) fn text(&self) -> LeafText {
        LeafText {
            paths: self.paths.iter().map(LeafPath::keys).collect(),
            inner: self.inner.is_some(),
        }
    }

    /// What it is derived from, but for the program.
    pub(super) fn recipe(&self) -> LeafRecipe {
        LeafRecipe {
            name: self.name.clone(),
            calls: self.calls,
            paths: self.paths.iter().map(LeafPath::recipes).collect(),
        }
    }
}

impl FoldError {
    /// Returns a function that adds the number of the leaf kind to an error about it.
    pub(crate) fn leaf(leaf: usize) -> impl FnOnce(LeafKindError) -> Self {
        move |source| Self::Leaf {
            leaf,
            source: Box::new(source),
        }
    }
}

#[cfg(test)]
mod tests;
