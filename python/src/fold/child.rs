//! Children of rules.

use std::sync::Arc;

use droste_verifier::aggregate::Aggregate as Wrap;
use droste_verifier::file;
use droste_verifier::fold::{
    Child, Fold as Rules, FoldClaim, Folded as Accepted, ForeignChild, Options, Slot,
};
use pyo3::prelude::*;

use super::Folded;
use super::parts::leaf_bytes;
use crate::error::Error;
use crate::extract::expected;

/// A child of a rule as Python gives it.
pub enum GivenChild {
    Folded(Arc<[u8]>),
    Leaf(Arc<[u8]>),
}

/// A child of a rule, verified.
pub enum ReadChild {
    Node(Box<Accepted>),
    Foreign(Box<Accepted>),
    Wrapped(Box<(FoldClaim, Wrap)>),
    Leaf(Box<Wrap>),
}

impl GivenChild {
    /// A proof of a fold, of a program, or a wrap.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(folded) = object.cast::<Folded>() {
            return Ok(Self::Folded(Arc::clone(&folded.get().bytes)));
        }
        match leaf_bytes(object) {
            Ok(bytes) => Ok(Self::Leaf(bytes)),
            Err(_) => Err(expected(object, "a Folded, a Proof or an Aggregate")),
        }
    }

    /// Verifies the child for a slot of a rule.
    pub fn read(&self, rules: &Rules, slot: Slot) -> Result<ReadChild, Error> {
        // What is asked of bits is asked of the root.
        let options = Options::min_bits(0);
        Ok(match (slot, self) {
            (Slot::Node, Self::Folded(bytes)) => {
                let node = rules.accept(file::fold::decode(bytes)?, &options)?;
                ReadChild::Node(Box::new(node))
            }
            (Slot::Foreign(number), Self::Folded(bytes)) => {
                let other = rules.recipe().folds.get(number);
                let other = other.ok_or_else(|| {
                    Error::usage(format!("there is no other fold {number} of this fold"))
                })?;
                let node = file::fold::decode(bytes)?;
                let node = node.verify(other.family.key(), &options)?;
                if other.wraps.is_empty() {
                    return Ok(ReadChild::Foreign(Box::new(node)));
                }
                let claim = node.claim();
                let wrap = rules.aggregator().wrap_fold(node)?;
                ReadChild::Wrapped(Box::new((claim, wrap)))
            }
            (Slot::Leaf(_), Self::Leaf(bytes)) => {
                ReadChild::Leaf(Box::new(rules.wrap_leaf(bytes)?))
            }
            (slot, Self::Folded(_)) => {
                let message = "a Folded was given, expected a Proof or an Aggregate";
                return Err(Error::usage(format!("{message} ({slot})")));
            }
            (slot, Self::Leaf(_)) => {
                let message = "a Proof or an Aggregate was given, expected a Folded";
                return Err(Error::usage(format!("{message} ({slot})")));
            }
        })
    }
}

impl ReadChild {
    /// The child as rules take it.
    pub fn child(&self) -> Child<'_> {
        match self {
            Self::Node(node) => Child::Node(node),
            Self::Foreign(node) => Child::Foreign(ForeignChild::Root(node)),
            Self::Wrapped(wrapped) => Child::Foreign(ForeignChild::Wrapped {
                fold: &wrapped.0,
                wrap: &wrapped.1,
            }),
            Self::Leaf(wrap) => Child::Leaf(wrap),
        }
    }
}
