//! What is expected of a file.

use droste_verifier::aggregate::AggregateOptions;
use droste_verifier::claim::AcceptedLeaves;
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

fn digest(what: &'static str, text: &str) -> Result<KeyDigest, ExpectedError> {
    let digest = text.trim().parse();
    digest.map_err(|source| ExpectedError::Digest { what, source })
}
