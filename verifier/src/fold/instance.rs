//! The programs of rules: one for each choice of the paths through which its leaves may come, since
//! keys of wraps are constants of the text.

use std::sync::Arc;

use droste_gadgets::paper::path;
use droste_native::F;
use droste_vm::key::KeyDigest;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::source::{RuleSignature, Slot};
use super::{Family, FoldError, MAX_RULES};
use crate::program::fold::{RULES, SlotText};

/// An accepted program, as the texts of rules have it.
#[derive(Clone, Debug)]
pub(super) struct LeafText {
    /// For each way to the canonical shape, the keys of its wraps, the last one first, and that of
    /// the program.
    pub paths: Vec<Vec<KeyDigest>>,
    /// Whether a proof of the program stands for one more, which its run verified.
    pub inner: bool,
}

/// Another fold, as the texts of rules have it.
#[derive(Clone, Debug)]
pub(super) struct ForeignText {
    /// Module of its rules.
    pub stem: String,
    /// Name of the type of its states.
    pub state: String,
    /// Number of blocks of its states.
    pub blocks: usize,
    /// Its rules.
    pub family: Family,
    /// Keys of the wraps above its proofs, the last one first.
    pub wraps: Vec<KeyDigest>,
}

/// What a slot of an instance takes.
#[derive(Clone, Debug)]
pub(super) enum Taken {
    /// A proof of this fold.
    Node,
    /// A proof of an accepted program.
    Leaf {
        /// Number of the program.
        kind: usize,
        /// Keys of the wraps above it, the last one first, and its own.
        path: Vec<KeyDigest>,
        /// Whether it stands for one more proof, which its run verified.
        inner: bool,
    },
    /// A proof of another fold.
    Foreign {
        /// Number of the fold.
        fold: usize,
        /// The fold.
        of: Arc<ForeignText>,
    },
}

/// A program of a rule.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// Its number, from 0.
    pub number: usize,
    /// Its name: that of the rule, with `#1` and so on after the first.
    pub name: String,
    /// The rule's function.
    pub function: String,
    /// What its parameters take.
    pub slots: Vec<Taken>,
}

impl ForeignText {
    /// Its module, and the name of its state type there.
    pub fn state_type(&self) -> (&str, &str) {
        (&self.stem, &self.state)
    }
}

impl Taken {
    /// If it takes a leaf: number of proofs behind the last wrap.
    pub fn behind(&self) -> usize {
        match self {
            // There are as many keys below the first one, one of which is the program's.
            Self::Leaf { path, inner, .. } => path.len().saturating_sub(1) + usize::from(*inner),
            Self::Node | Self::Foreign { .. } => 0,
        }
    }

    /// If it takes a proof of another fold: number of wraps above it.
    pub fn wraps(&self) -> usize {
        match self {
            Self::Foreign { of, .. } => of.wraps.len(),
            Self::Node | Self::Leaf { .. } => 0,
        }
    }

    /// What it takes, in words.
    pub fn words(&self) -> String {
        match self {
            Self::Node => "a node of this fold".to_owned(),
            Self::Leaf { kind, .. } => format!("a wrap of a proof of leaf {kind}"),
            Self::Foreign { fold, of } if of.wraps.is_empty() => {
                format!("a proof of the other fold {fold}")
            }
            Self::Foreign { fold, .. } => format!("a wrap of a proof of the other fold {fold}"),
        }
    }

    /// What the text of its rule has of it.
    pub fn text(&self) -> SlotText {
        let lanes = |key: &KeyDigest| key.0.map(|lane| lane.as_canonical_u32());
        match self {
            Self::Node => SlotText::Node,
            Self::Leaf { kind, path, .. } => SlotText::Leaf {
                kind: *kind,
                path: path.iter().map(lanes).collect(),
            },
            Self::Foreign { fold, of } => SlotText::Foreign {
                fold: *fold,
                state: format!("{RULES}::{}::{}", of.stem, of.state),
                rules: of.family.keys.len(),
                wraps: of.wraps.iter().map(lanes).collect(),
                digest: lanes(&of.family.key()),
            },
        }
    }
}

/// Placeholders for the programs that signatures name: each has one path of one wrap.
pub(super) fn placeholders(rules: &[RuleSignature]) -> Vec<LeafText> {
    let slots = rules.iter().flat_map(|rule| &rule.slots);
    let kinds = slots.filter_map(|slot| match slot {
        Slot::Leaf(kind) => Some(kind + 1),
        Slot::Node | Slot::Foreign(_) => None,
    });
    let leaf = |kind: usize| {
        let keys = path(kind as u32).map(|lanes| KeyDigest(lanes.map(F::from_u32)));
        LeafText {
            paths: vec![keys.to_vec()],
            inner: false,
        }
    };
    (0..kinds.max().unwrap_or(0)).map(leaf).collect()
}

/// The programs of these rules.
///
/// # Errors
/// [`FoldError::Rules`] if there are none or too many.
pub(super) fn instances(
    rules: &[RuleSignature],
    leaves: &[LeafText],
    folds: &[Arc<ForeignText>],
) -> Result<Vec<Instance>, FoldError> {
    // Each slot with everything that it may take.
    let choices = |slot: &Slot| -> Vec<Taken> {
        match *slot {
            Slot::Node => vec![Taken::Node],
            Slot::Leaf(kind) => {
                let leaf = leaves.get(kind).into_iter();
                let paths = leaf.flat_map(|leaf| leaf.paths.iter().map(move |path| (leaf, path)));
                paths
                    .map(|(leaf, path)| Taken::Leaf {
                        kind,
                        path: path.clone(),
                        inner: leaf.inner,
                    })
                    .collect()
            }
            Slot::Foreign(fold) => {
                let of = folds.get(fold).into_iter().cloned();
                of.map(|of| Taken::Foreign { fold, of }).collect()
            }
        }
    };
    let slots =
        |rule: &RuleSignature| -> Vec<Vec<Taken>> { rule.slots.iter().map(choices).collect() };
    let number = |rule: &RuleSignature| {
        let lengths = slots(rule).into_iter().map(|choices| choices.len());
        lengths.fold(1_usize, usize::saturating_mul)
    };
    let count = rules.iter().map(number).fold(0, usize::saturating_add);
    if !(1..=MAX_RULES).contains(&count) {
        return Err(FoldError::Rules(count));
    }
    let mut instances = vec![];
    for rule in rules {
        let mut combinations: Vec<Vec<Taken>> = vec![vec![]];
        for choices in slots(rule) {
            let with = |before: &Vec<Taken>| -> Vec<Vec<Taken>> {
                let longer =
                    |choice: &Taken| [before.as_slice(), std::slice::from_ref(choice)].concat();
                choices.iter().map(longer).collect()
            };
            combinations = combinations.iter().flat_map(with).collect();
        }
        for (combination, slots) in combinations.into_iter().enumerate() {
            let name = match combination {
                0 => rule.name.clone(),
                _ => format!("{}#{combination}", rule.name),
            };
            instances.push(Instance {
                number: instances.len(),
                name,
                function: rule.name.clone(),
                slots,
            });
        }
    }
    Ok(instances)
}

#[cfg(test)]
mod tests;
