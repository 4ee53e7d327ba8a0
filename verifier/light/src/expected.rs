//! What is expected of a file.

use droste_verifier::aggregate::AggregateOptions;
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::fold::{Options, StateError, state_of};
use droste_vm::key::{DigestError, KeyDigest};
use serde::Deserialize;
use thiserror::Error;

/// What the caller expects of an aggregate or a membership. None of it may come from whoever sent
/// the file.
///
/// It is read from an object with the fields `key`, `claim`, `leaves` and, if they are not to be
/// 100, `min_bits` and `min_tree_bits`: digests in hexadecimal, `leaves` a list of them or `"any"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Texts")]
pub struct Expected {
    /// Digest of the recursion keys, from a derivation (`droste keys`).
    pub key: KeyDigest,
    /// What the aggregate must claim.
    pub claim: KeyDigest,
    /// The keys that leaves may have, from their programs (`droste key`).
    pub leaves: AcceptedLeaves,
    /// The proven bits that are asked for.
    pub options: AggregateOptions,
}

/// What the caller expects of a fold. None of it may come from whoever sent the file.
///
/// It is read from an object with the fields `key`, in hexadecimal, `state`, a list of lists of
/// eight integers or `"any"`, and, as far as they are wanted, `min_bits`, `min_tree_bits`,
/// `max_proofs` and `max_depth`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "FoldTexts")]
pub struct FoldExpected {
    /// The fold key, from a derivation (`droste fold key`).
    pub key: KeyDigest,
    /// The state, and the limits of bits, proofs and levels. Without a state any is accepted.
    pub options: Options,
}

/// What is expected is not written as it must be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExpectedError {
    /// A text is not a digest.
    #[error("{what}: {source}")]
    Digest {
        /// Which one.
        what: &'static str,
        /// What is wrong with it.
        source: DigestError,
    },
    /// Another word than `any` stands for the leaves.
    #[error("leaves must be a list of keys or `any`, not `{0}`")]
    Leaves(String),
    /// A block of the state has another number of integers.
    #[error("block {block} of the state has {found} integers, expected 8")]
    Block {
        /// Number of the block, from 0.
        block: usize,
        /// Number of its integers.
        found: usize,
    },
    /// Another word than `any` stands for the state.
    #[error("state must be a list of blocks or `any`, not `{0}`")]
    AnyState(String),
    /// An integer of the state is no element.
    #[error(transparent)]
    State(#[from] StateError),
}

/// What is expected, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    key: String,
    claim: String,
    leaves: Leaves,
    min_bits: Option<usize>,
    min_tree_bits: Option<usize>,
}

/// What is expected of a fold, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FoldTexts {
    key: String,
    state: State,
    min_bits: Option<usize>,
    min_tree_bits: Option<usize>,
    max_proofs: Option<u64>,
    max_depth: Option<u32>,
}

/// What is no value, as a field of JavaScript that was never set, is neither.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "state must be a list of lists of eight integers or `any`"
)]
enum State {
    Word(String),
    // As arrays, longer blocks would be cut off by deserializers that do not look for an end.
    Blocks(Vec<Vec<u32>>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Leaves {
    Word(String),
    Keys(Vec<String>),
}

impl Expected {
    /// Expects this digest of recursion keys, this claim, and leaves with one of these keys, all in
    /// hexadecimal; 100 bits of every proof, and of all together.
    ///
    /// # Errors
    /// If one of them is no digest.
    pub fn of_texts<'a>(
        key: &str,
        claim: &str,
        leaves: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, ExpectedError> {
        let leaves = leaves.into_iter().map(|leaf| digest("a leaf's key", leaf));
        Ok(Self {
            key: digest("key", key)?,
            claim: digest("claim", claim)?,
            leaves: leaves.collect::<Result<_, _>>()?,
            options: AggregateOptions::default(),
        })
    }
}

impl TryFrom<Texts> for Expected {
    type Error = ExpectedError;

    fn try_from(texts: Texts) -> Result<Self, ExpectedError> {
        let keys: &[String] = match &texts.leaves {
            Leaves::Keys(keys) => keys,
            Leaves::Word(word) if word == "any" => &[],
            Leaves::Word(word) => return Err(ExpectedError::Leaves(word.clone())),
        };
        let keys = keys.iter().map(String::as_str);
        let mut expected = Self::of_texts(&texts.key, &texts.claim, keys)?;
        if let Leaves::Word(_) = texts.leaves {
            expected.leaves = AcceptedLeaves::Any;
        }
        if let Some(bits) = texts.min_bits {
            expected.options = AggregateOptions::min_bits(bits);
        }
        expected.options = expected.options.with_min_tree_bits(texts.min_tree_bits);
        Ok(expected)
    }
}

impl FoldExpected {
    /// Expects this fold key, in hexadecimal; any state, 100 bits of every proof, and of all
    /// together.
    ///
    /// # Errors
    /// If it is no digest.
    pub fn of_text(key: &str) -> Result<Self, ExpectedError> {
        Ok(Self {
            key: digest("key", key)?,
            options: Options::default(),
        })
    }
}

impl TryFrom<FoldTexts> for FoldExpected {
    type Error = ExpectedError;

    fn try_from(texts: FoldTexts) -> Result<Self, ExpectedError> {
        let mut expected = Self::of_text(&texts.key)?;
        if let Some(bits) = texts.min_bits {
            expected.options = Options::min_bits(bits);
        }
        expected.options = expected
            .options
            .with_min_tree_bits(texts.min_tree_bits)
            .with_max_proofs(texts.max_proofs)
            .with_max_depth(texts.max_depth);
        let blocks = match texts.state {
            State::Blocks(blocks) => blocks,
            State::Word(word) if word == "any" => return Ok(expected),
            State::Word(word) => return Err(ExpectedError::AnyState(word)),
        };
        let blocks = blocks.into_iter().enumerate().map(|(block, integers)| {
            let eight = integers.try_into();
            eight.map_err(|integers: Vec<u32>| ExpectedError::Block {
                block,
                found: integers.len(),
            })
        });
        let blocks = blocks.collect::<Result<Vec<[u32; 8]>, _>>()?;
        expected.options = expected.options.with_state(state_of(&blocks)?);
        Ok(expected)
    }
}

fn digest(what: &'static str, text: &str) -> Result<KeyDigest, ExpectedError> {
    let digest = text.trim().parse();
    digest.map_err(|source| ExpectedError::Digest { what, source })
}
