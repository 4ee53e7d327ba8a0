//! A message with its signature, and their JSON.

use serde::{Deserialize, Serialize};

use super::json::{canonical, elements};
use super::{
    Claim, DecodeError, Parameters, PublicKey, SecretKey, SignError, Signature, TweakableHash,
    TweakablePoseidon16, Xmss,
};
use crate::field::F;

/// A message that a key signed in a slot.
///
/// With serde it has the fields that other implementations exchange it in: `slot`, `message`,
/// `root`, `public_param`, `randomness`, `encoding`, `chain_tips` and `path`, all of them canonical
/// integers. They are those of [`Xmss::DEFAULT`]. Numbers that are not below the modulus, lists of
/// other lengths and other fields are refused with an error that names the field. `encoding` may be
/// left out; if it is there, it must be that of the message. The signature is not verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Entry", into = "Entry")]
pub struct SignedMessage {
    /// The key.
    pub public_key: PublicKey,
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: [F; 8],
    /// The signature.
    pub signature: Signature,
}

impl SignedMessage {
    /// Signs a message in a slot.
    ///
    /// # Errors
    /// As for [`SecretKey::sign`].
    pub fn new(key: &SecretKey, slot: u32, message: [F; 8]) -> Result<Self, SignError> {
        Ok(Self {
            public_key: key.public_key(),
            slot,
            message,
            signature: key.sign(slot, &message)?,
        })
    }

    /// What is to be verified.
    pub const fn claim(&self) -> Claim<'_> {
        Claim {
            public_key: &self.public_key,
            slot: self.slot,
            message: &self.message,
            signature: &self.signature,
        }
    }

    /// The digit of each chain, or `None` if the message's digest has none.
    fn digits(&self) -> Option<Vec<u8>> {
        let digests = TweakablePoseidon16::message_digests(&[self.claim().message()]);
        Xmss::DEFAULT.digits(digests.first()?).ok()
    }
}

/// The fields as they are exchanged.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    slot: u32,
    message: [u64; 8],
    root: [u64; 4],
    public_param: [u64; 4],
    randomness: [u64; 6],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoding: Option<Vec<u8>>,
    chain_tips: Vec<[u64; 4]>,
    path: Vec<[u64; 4]>,
}

impl TryFrom<Entry> for SignedMessage {
    type Error = DecodeError;

    fn try_from(entry: Entry) -> Result<Self, DecodeError> {
        let Parameters { chains, levels, .. } = Parameters::DEFAULT;
        let signed = Self {
            slot: entry.slot,
            message: elements("message", 0, entry.message)?,
            public_key: PublicKey {
                root: elements("root", 0, entry.root)?,
                parameter: elements("public_param", 0, entry.public_param)?,
            },
            signature: Signature {
                randomness: elements("randomness", 0, entry.randomness)?,
                chain_values: list("chain_tips", chains, &entry.chain_tips)?,
                path: list("path", levels, &entry.path)?,
            },
        };
        if entry.encoding.is_some() && entry.encoding != signed.digits() {
            return Err(DecodeError::Encoding);
        }
        Ok(signed)
    }
}

impl From<SignedMessage> for Entry {
    fn from(signed: SignedMessage) -> Self {
        let encoding = signed.digits();
        let list = |list: Vec<[F; 4]>| list.into_iter().map(canonical).collect();
        Self {
            slot: signed.slot,
            message: canonical(signed.message),
            root: canonical(signed.public_key.root),
            public_param: canonical(signed.public_key.parameter),
            randomness: canonical(signed.signature.randomness),
            encoding,
            chain_tips: list(signed.signature.chain_values),
            path: list(signed.signature.path),
        }
    }
}

fn list(
    what: &'static str,
    expected: u32,
    values: &[[u64; 4]],
) -> Result<Vec<[F; 4]>, DecodeError> {
    let expected = expected as usize;
    if values.len() != expected {
        let found = values.len();
        return Err(DecodeError::Length {
            what,
            found,
            expected,
        });
    }
    let values = values.iter().enumerate();
    values
        .map(|(i, &value)| elements(what, 4 * i, value))
        .collect()
}
