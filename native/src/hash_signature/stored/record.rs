//! What the files of a key contain.
//!
//! All numbers are little-endian.
//!
//! | file | content |
//! |---|---|
//! | `key` | [`KEY_MAGIC`]; chains, bits, levels, target sum, first and last slot, 4 bytes each; seed, 32 bytes; checksum, 32 bytes |
//! | `state`, `witness` | [`STATE_MAGIC`]; number of writes and first unspent slot, 8 bytes each; message authentication code, 32 bytes |

use std::path::Path;

use super::super::{Parameters, SecretKey, TweakableHash, Xmss};
use super::{StoreError, files};

/// Begins the key's file; the last byte is the version of the format.
const KEY_MAGIC: [u8; 8] = *b"xmsskey\x01";

/// Begins state and witness; the last byte is the version of the format.
const STATE_MAGIC: [u8; 8] = *b"xmssuse\x01";

/// Length of checksums and codes.
const CHECKSUM: usize = 32;

/// The context of the key file's checksum.
const CONTEXT: &str = "droste 2026 hash_signature checksum of a stored key";

/// What a key is made from.
pub(super) struct KeyRecord {
    parameters: Parameters,
    first: u32,
    last: u32,
    seed: [u8; 32],
}

impl KeyRecord {
    pub(super) fn new<H: TweakableHash>(key: &SecretKey<H>, seed: [u8; 32]) -> Self {
        Self {
            parameters: *key.scheme().parameters(),
            first: *key.slots().start(),
            last: *key.slots().end(),
            seed,
        }
    }

    pub(super) fn to_bytes(&self, hash: &str) -> Vec<u8> {
        let Parameters {
            chains,
            bits,
            levels,
            target_sum,
        } = self.parameters;
        let numbers = [chains, bits, levels, target_sum, self.first, self.last];
        let mut bytes = KEY_MAGIC.to_vec();
        bytes.extend(numbers.map(u32::to_le_bytes).as_flattened());
        bytes.extend(self.seed);
        bytes.extend(checksum(hash, &bytes));
        bytes
    }

    pub(super) fn read(path: &Path, hash: &str) -> Result<Self, StoreError> {
        const NUMBERS: usize = 6;
        const LENGTH: usize = KEY_MAGIC.len() + 4 * NUMBERS + 32 + CHECKSUM;
        let bytes: [u8; LENGTH] = files::read(path)?;
        let content = content(&bytes, &KEY_MAGIC, |content| checksum(hash, content));
        let parts = content.and_then(|content| {
            let (numbers, seed) = content.split_last_chunk::<32>()?;
            let numbers = <[[u8; 4]; NUMBERS]>::try_from(numbers.as_chunks().0).ok()?;
            Some((numbers.map(u32::from_le_bytes), seed))
        });
        let ([chains, bits, levels, target_sum, first, last], seed) =
            parts.ok_or_else(|| StoreError::Checksum(path.into()))?;
        Ok(Self {
            parameters: Parameters {
                chains,
                bits,
                levels,
                target_sum,
            },
            first,
            last,
            seed: *seed,
        })
    }

    pub(super) fn key<H: TweakableHash>(&self) -> Result<SecretKey<H>, StoreError> {
        let scheme = Xmss::new(self.parameters)?;
        let slots = self.first..=self.last;
        Ok(SecretKey::generate(scheme, &self.seed, slots)?)
    }
}

/// What is between the magic and the checksum of a file, if both are right.
fn content<'a>(
    bytes: &'a [u8],
    magic: &[u8; 8],
    checksum: impl FnOnce(&[u8]) -> [u8; CHECKSUM],
) -> Option<&'a [u8]> {
    let (content, stated) = bytes.split_last_chunk::<CHECKSUM>()?;
    let content = Some(content).filter(|content| checksum(content) == *stated);
    content?.strip_prefix(magic)
}

/// A checksum that also binds the name of the hash.
fn checksum(hash: &str, content: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    hasher.update(content);
    hasher.update(hash.as_bytes());
    hasher.finalize().into()
}

/// What was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Number of times that it was written since the key was made.
    pub(super) writes: u64,
    /// The first slot that is not spent.
    pub(super) next: u64,
}

impl State {
    pub(super) fn new<H: TweakableHash>(key: &SecretKey<H>) -> Self {
        Self {
            writes: 0,
            next: (*key.slots().start()).into(),
        }
    }

    /// Whether this is what was written next after `before`.
    pub(super) fn follows(&self, before: &Self) -> bool {
        Some(self.writes) == before.writes.checked_add(1) && self.next > before.next
    }

    pub(super) fn to_bytes<H: TweakableHash>(self, key: &SecretKey<H>) -> Vec<u8> {
        let mut bytes = STATE_MAGIC.to_vec();
        let numbers = [self.writes, self.next].map(u64::to_le_bytes);
        bytes.extend(numbers.as_flattened());
        bytes.extend(key.code(&bytes));
        bytes
    }

    pub(super) fn read<H: TweakableHash>(
        path: &Path,
        key: &SecretKey<H>,
    ) -> Result<Self, StoreError> {
        const LENGTH: usize = STATE_MAGIC.len() + 2 * 8 + CHECKSUM;
        let bytes: [u8; LENGTH] = files::read(path)?;
        let content = content(&bytes, &STATE_MAGIC, |content| key.code(content));
        let numbers =
            content.and_then(|content| <[[u8; 8]; 2]>::try_from(content.as_chunks().0).ok());
        let numbers = numbers.ok_or_else(|| StoreError::Checksum(path.into()))?;
        let [writes, next] = numbers.map(u64::from_le_bytes);
        Ok(Self { writes, next })
    }
}
