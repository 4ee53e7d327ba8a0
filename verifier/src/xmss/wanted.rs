//! The statement that a caller expects of an aggregate of signatures.

use droste_native::hash_signature::json::{canonical, elements};
use droste_native::hash_signature::{DecodeError, PublicKey, SignedMessage};
use droste_native::precompile::Block;
use serde::{Deserialize, Serialize};

/// An expected statement: a key signed a message in a slot.
/// [`SignatureClaims`](super::SignatureClaims) are compared with it.
///
/// With serde it has the fields of a [`SignedMessage`] without the signature: `slot`, `message`,
/// `root` and `public_param`, all of them canonical integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Entry", into = "Entry")]
pub struct Wanted {
    /// The key.
    pub public_key: PublicKey,
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: Block,
}

impl From<&SignedMessage> for Wanted {
    fn from(signed: &SignedMessage) -> Self {
        Self {
            public_key: signed.public_key,
            slot: signed.slot,
            message: signed.message,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    slot: u32,
    message: [u64; 8],
    root: [u64; 4],
    public_param: [u64; 4],
}

impl TryFrom<Entry> for Wanted {
    type Error = DecodeError;

    fn try_from(entry: Entry) -> Result<Self, DecodeError> {
        Ok(Self {
            slot: entry.slot,
            message: elements("message", 0, entry.message)?,
            public_key: PublicKey {
                root: elements("root", 0, entry.root)?,
                parameter: elements("public_param", 0, entry.public_param)?,
            },
        })
    }
}

impl From<Wanted> for Entry {
    fn from(wanted: Wanted) -> Self {
        Self {
            slot: wanted.slot,
            message: canonical(wanted.message),
            root: canonical(wanted.public_key.root),
            public_param: canonical(wanted.public_key.parameter),
        }
    }
}
