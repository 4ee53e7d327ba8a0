//! Names of leaves and tasks.

use std::fmt::{self, Display};
use std::str::FromStr;

use droste_native::F;
use droste_native::codec::encode_body;
use droste_vm::key::KeyDigest;
use p3_field::PrimeField32;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// Separates the digests of this module from each other and from all others. The number is raised
/// by every change of what a task does with its inputs.
const LEAF: &str = "droste plan 1 leaf";
const LEAVES: &str = "droste plan 1 leaves";
const TASK: &str = "droste plan 1 task";

/// A Blake3 digest that names a leaf, a task, or a list of leaves. As text it is hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name([u8; 32]);

/// Text that is no [`Name`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a name: expected 64 hexadecimal digits in lower case")]
pub struct NotAName(pub String);

impl Name {
    /// Names a leaf by the bytes of its file.
    pub fn of_leaf(bytes: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(LEAF);
        Self(*hasher.update(bytes).finalize().as_bytes())
    }

    /// Names what proofs say: the keys and statements of their leaves, in order.
    pub fn of_leaves<'a>(leaves: impl IntoIterator<Item = &'a (KeyDigest, [F; 8])>) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(LEAVES);
        for (key, statement) in leaves {
            for element in key.0.iter().chain(statement) {
                hasher.update(&element.as_canonical_u32().to_le_bytes());
            }
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// Names a task by everything that its result depends on.
    pub(crate) fn of_task(content: &impl Serialize) -> Option<Self> {
        let message = encode_body(vec![], content).ok()?;
        let mut hasher = blake3::Hasher::new_derive_key(TASK);
        Some(Self(*hasher.update(&message).finalize().as_bytes()))
    }

    /// The digest.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl FromStr for Name {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Self, NotAName> {
        let name = blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes()));
        let name = name.map_err(|_| NotAName(text.to_owned()))?;
        if name.to_string() == text {
            Ok(name)
        } else {
            Err(NotAName(text.to_owned()))
        }
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_written() {
        let name = Name::of_leaf(b"a proof");
        assert_eq!(name.to_string().parse(), Ok(name));
        let json = serde_json::to_string(&name).unwrap();
        assert_eq!(serde_json::from_str::<Name>(&json).unwrap(), name);
        for text in ["", "00", &name.to_string()[1..], "g".repeat(64).as_str()] {
            text.parse::<Name>().unwrap_err();
        }
        "AB".repeat(32).parse::<Name>().unwrap_err();
    }

    #[test]
    fn names_of_leaves_bind_order_keys_and_statements() {
        let leaf = |key: u32, says: u32| (KeyDigest([F::new(key); 8]), [F::new(says); 8]);
        let lists = [
            vec![],
            vec![leaf(1, 2)],
            vec![leaf(2, 1)],
            vec![leaf(1, 2), leaf(1, 3)],
            vec![leaf(1, 3), leaf(1, 2)],
        ];
        let mut names: Vec<Name> = lists.iter().map(Name::of_leaves).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), lists.len());
    }
}
