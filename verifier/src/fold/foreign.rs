//! Other folds whose proofs a fold's rules take, such as that of an older release.
//!
//! Their fold key is a constant of the rules, and their bits are those of the proofs behind. If
//! they have this fold's shape, a rule verifies them as its own nodes; else a wrap brings them
//! there.

use droste_vm::key::KeyDigest;

use super::instance::ForeignText;
use super::leaf::{Wrap, Wrapped, check_wraps, derive_wraps};
use super::recipe::{FamilyRecipe, ForeignRecipe};
use super::shape::FoldShape;
use super::source::Source;
use super::{Family, Fold, FoldError, LeafKindError};
use crate::aggregate::Aggregate;
use crate::keys::{Deriver, Evidence};

/// Another fold whose proofs a fold takes.
#[derive(Clone, Debug)]
pub struct ForeignFold {
    /// Its rules file, and those that it imports.
    sources: Vec<Source>,
    state: String,
    blocks: usize,
    family: Family,
    shape: FoldShape,
    /// Wraps above its proofs, the last one first.
    wraps: Vec<Wrap>,
    evidence: Evidence,
}

impl ForeignFold {
    /// A fold that was made here. Its key is trusted for the reason for which that fold's is.
    pub fn of(fold: &Fold) -> Self {
        Self {
            sources: fold.sources().cloned().collect(),
            state: fold.recipe().state.clone(),
            blocks: fold.blocks(),
            family: fold.family().clone(),
            shape: fold.recipe().shape(),
            wraps: vec![],
            evidence: fold.evidence(),
        }
    }

    /// A fold whose keys cannot be derived here, such as one of an older release. `sources` are its
    /// rules file, which may have another name than it had, and those that it imports.
    ///
    /// # Soundness obligations
    ///
    /// The caller must have `key` from a derivation of these rules, by whatever release, or from
    /// somebody whom the caller believes: not from the recipe. It binds the keys of the rules and
    /// their bits, but not their text. That `sources` are those from which the keys were derived,
    /// only the recipe says, so they must be the caller's own copy: how this fold reads a state of
    /// the other one is up to them. What is made of such a fold is [`Evidence::Pinned`], too.
    ///
    /// # Errors
    /// If the recipe is of other rules or has another fold key.
    pub fn pinned(
        sources: Vec<Source>,
        recipe: &FamilyRecipe,
        key: KeyDigest,
    ) -> Result<Self, FoldError> {
        recipe.check(&sources)?;
        let own = sources.first();
        let own = own.ok_or_else(|| FoldError::Source("the number of files".to_owned()))?;
        if own.state()? != recipe.state {
            return Err(FoldError::Source("the type of the states".to_owned()));
        }
        let (expected, found) = (key, recipe.key());
        if found != expected {
            return Err(FoldError::Key { expected, found });
        }
        Ok(Self {
            sources,
            state: recipe.state.clone(),
            blocks: recipe.blocks,
            family: recipe.family.clone(),
            shape: recipe.shape(),
            wraps: vec![],
            evidence: Evidence::Pinned,
        })
    }

    /// The same, with the wraps of a sample above its proofs: the wrap of one of them by an
    /// aggregator of this fold's shape ([`super::FoldBuilder::aggregator`]).
    ///
    /// # Errors
    /// If the sample is of something else, or of several proofs, or its keys were only pinned.
    pub fn behind(self, sample: &Aggregate) -> Result<Self, LeafKindError> {
        let Wrapped { wraps, key } = Wrapped::of(sample)?;
        if self.family.place(key).is_none() {
            return Err(LeafKindError::OtherProgram { key });
        }
        Ok(Self { wraps, ..self })
    }

    /// Its fold key.
    pub fn key(&self) -> KeyDigest {
        self.family.key()
    }

    /// The list of its rules' keys and bits, whose digest is its fold key.
    pub const fn family(&self) -> &Family {
        &self.family
    }

    /// Why its fold key is trusted.
    pub const fn evidence(&self) -> Evidence {
        self.evidence
    }

    /// Its rules file, and those that it imports.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The same with the wraps that a recipe names, which is to be of this fold.
    pub(super) fn with_recipe(
        self,
        recipe: &ForeignRecipe,
        deriver: &Deriver,
    ) -> Result<Self, LeafKindError> {
        let wraps = derive_wraps(&recipe.wraps, deriver)?;
        Ok(Self { wraps, ..self })
    }

    /// Checks that its proofs, or the last wraps above them, have a fold's shape.
    pub(super) fn check(&self, number: usize, shape: &FoldShape) -> Result<(), FoldError> {
        if self.wraps.is_empty() {
            return if self.shape == *shape {
                Ok(())
            } else {
                Err(FoldError::ForeignShape(number))
            };
        }
        check_wraps(&self.wraps, shape).map_err(FoldError::foreign(number))
    }

    /// Least proven bits of its proofs, and of those behind the last wrap.
    pub(super) fn bits(&self) -> usize {
        let of_family = [self.family.bits, self.family.bits_behind].map(usize::from);
        let wraps = self.wraps.iter().map(|wrap| wrap.bits);
        wraps.chain(of_family).fold(usize::MAX, usize::min)
    }

    /// What texts of rules have of it.
    pub(super) fn text(&self) -> ForeignText {
        let stem = self.sources.first().map(Source::stem);
        ForeignText {
            stem: stem.unwrap_or_default().to_owned(),
            state: self.state.clone(),
            blocks: self.blocks,
            family: self.family.clone(),
            wraps: self.wraps.iter().map(|wrap| wrap.key).collect(),
        }
    }

    /// What it is derived from, but for its rules.
    pub(super) fn recipe(&self) -> ForeignRecipe {
        let stem = self.sources.first().map(Source::stem);
        ForeignRecipe {
            stem: stem.unwrap_or_default().to_owned(),
            family: self.family.clone(),
            wraps: self.wraps.iter().map(|wrap| wrap.recipe.clone()).collect(),
        }
    }
}

impl FoldError {
    /// Returns a function that adds the number of another fold to an error about its wraps.
    pub(super) fn foreign(fold: usize) -> impl FnOnce(LeafKindError) -> Self {
        move |source| Self::Foreign {
            fold,
            source: Box::new(source),
        }
    }
}
