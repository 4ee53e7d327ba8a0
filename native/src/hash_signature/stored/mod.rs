//! A secret key in files, which remembers what it signed.
//!
//! Signing two messages in one slot gives the slot away, so what was signed must outlive the
//! process, power failures and restored backups. RFC 8391 leaves that to the implementation; what
//! has to be considered is in Wiggers et al., "Hash-based Signatures: State and Backup Management"
//! (draft-ietf-pquip-hbs-state).

mod files;
mod record;

use std::fs::File;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use thiserror::Error;

use self::record::{KeyRecord, State};
use super::{
    KeyError, ParameterError, PublicKey, SecretKey, SignError, Signature, TweakableHash,
    TweakablePoseidon16, Xmss,
};

/// Name of the witness in the directory of the key.
const WITNESS: &str = "witness";

/// Where a key is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFiles {
    directory: PathBuf,
    witness: PathBuf,
}

impl KeyFiles {
    /// All files in one directory: `key`, `state`, `witness` and `lock`.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        let directory = directory.into();
        let witness = directory.join(WITNESS);
        Self { directory, witness }
    }

    /// The witness as another file, in another directory. What restores the directory of the key
    /// from a backup should not restore it too.
    pub fn with_witness(self, witness: impl Into<PathBuf>) -> Self {
        Self {
            witness: witness.into(),
            ..self
        }
    }

    /// Seed, range of slots and parameters. Readable by its owner only, on Unix.
    pub fn key(&self) -> PathBuf {
        self.directory.join("key")
    }

    /// What was signed.
    pub fn state(&self) -> PathBuf {
        self.directory.join("state")
    }

    /// A second record of what was signed, written after the first.
    pub fn witness(&self) -> &Path {
        &self.witness
    }

    /// An empty file, which the process that has the key open keeps locked.
    pub fn lock(&self) -> PathBuf {
        self.directory.join("lock")
    }

    /// Whether a path leads to one of these files: what is written there destroys the key.
    pub fn contain(&self, path: &Path) -> bool {
        let files = [self.key(), self.state(), self.witness.clone(), self.lock()];
        files.iter().any(|file| files::is_same(file, path))
    }

    /// Checks that the witness is none of the key's other files, nor of those that become them.
    fn check_witness(&self) -> Result<(), StoreError> {
        let usual = self.directory.join(WITNESS);
        let (directory, of_key) = (files::directory_of(&self.witness), &self.directory);
        let is_usual = self.witness.file_name() == usual.file_name();
        if is_usual || !files::is_same(directory, of_key) {
            Ok(())
        } else {
            Err(StoreError::Witness(self.witness.clone()))
        }
    }
}

/// A secret key that signs in ascending slots, each at most once, also across restarts.
///
/// The rule is *slots only upwards*: after a signature in a slot, that slot and all below it are
/// spent. That a slot is spent is written to disk before its signature is returned: first to the
/// state, then to the witness, each as a new file that is flushed and then takes the place of the
/// old one.
///
/// A key is opened only if state and witness are whole, carry a code that is made with the seed,
/// and agree. The state may be one write ahead, as it is after a power failure between the two; the
/// witness must not be ahead. The files are compared again with each signature. An advisory lock
/// keeps other processes out that use this type, and what was forked from the process that opened
/// the key does not sign.
///
/// So a state that was torn, altered, deleted or replaced by an older one is refused. **What cannot
/// be noticed** is that state and witness were both replaced by those of one earlier time, or that
/// the whole key was copied and both copies sign: a backup of the key must never be used after the
/// original has signed. Hard links to its files are a copy, too; symbolic ones are refused. A
/// witness on another disk makes the first less likely. Whoever knows from elsewhere which slots
/// may have been signed calls [`Self::spend`] before signing.
#[derive(Debug)]
pub struct StoredKey<H: TweakableHash = TweakablePoseidon16> {
    files: KeyFiles,
    key: SecretKey<H>,
    state: State,
    /// Locked for as long as it is open.
    _lock: File,
    /// The process that opened the key. Forks have the lock, too.
    process: u32,
}

/// Why a stored key is not made, not opened, or does not sign.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum StoreError {
    /// A file cannot be read, written or locked.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// This process is a fork of the one that opened the key.
    #[error(
        "the key was opened by process {opened}, but process {this}, a fork of it, signs: open the \
         key in the process that signs"
    )]
    Forked {
        /// The process that opened the key.
        opened: u32,
        /// This process.
        this: u32,
    },
    /// There is a file where a new key should be.
    #[error("{}: already exists", .0.display())]
    Exists(PathBuf),
    /// The witness would be another file of the directory of the key, perhaps the state itself.
    #[error(
        "{}: is in the directory of the key, where the witness is `{WITNESS}`: name a file in \
         another directory",
        .0.display()
    )]
    Witness(PathBuf),
    /// The key is open, in this process or another one.
    #[error("{}: the key is in use", .0.display())]
    InUse(PathBuf),
    /// A file is torn or has been added to.
    #[error("{}: has {found} bytes, expected {expected}", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Number of its bytes; one more than expected if there are more.
        found: usize,
        /// Number that it should have.
        expected: usize,
    },
    /// A file was altered, or belongs to another key or hash.
    #[error(
        "{}: the checksum is not that of the content: the file was altered or belongs to another \
         key",
        .0.display()
    )]
    Checksum(PathBuf),
    /// State and witness contradict each other: one of them is older than what was signed.
    #[error(
        "the state was written {state} times and its witness {witness} times: one of them is an \
         old copy"
    )]
    Old {
        /// Number of times that the state was written.
        state: u64,
        /// Number of times that the witness was written.
        witness: u64,
    },
    /// State or witness were replaced while the key was open, or writing them failed.
    #[error("{}: changed since this process wrote it", .0.display())]
    Changed(PathBuf),
    /// The slot was signed, or one above it was.
    #[error("slot {slot} is spent: the first slot that is not spent is {next}")]
    Spent {
        /// The slot.
        slot: u32,
        /// The first slot that is not spent.
        next: u64,
    },
    /// The parameters in the key's file make no scheme.
    Parameters(#[from] ParameterError),
    /// There is no key with these slots.
    Key(#[from] KeyError),
    /// The message is not signed.
    Sign(#[from] SignError),
}

impl<H: TweakableHash> StoredKey<H> {
    /// Makes a new key and stores it. Directories are made if there are none.
    ///
    /// The seed must be secret, uniformly random and new: two stored keys of one seed, parameters
    /// and range are one key, and neither knows what the other signed.
    ///
    /// # Errors
    /// If one of the files exists or cannot be written, or there is no key with these slots.
    pub fn create(
        files: KeyFiles,
        scheme: Xmss<H>,
        seed: &[u8; 32],
        slots: RangeInclusive<u32>,
    ) -> Result<Self, StoreError> {
        files::make_directory(&files.directory)?;
        files::make_directory(files::directory_of(&files.witness))?;
        files.check_witness()?;
        let lock = files::lock(&files.lock())?;
        for path in [files.key(), files.state(), files.witness.clone()] {
            if files::exists(&path)? {
                return Err(StoreError::Exists(path));
            }
        }
        let key = SecretKey::generate(scheme, seed, slots)?;
        let record = KeyRecord::new(&key, *seed);
        let state = State::new(&key);
        // Last what makes the others a key.
        files::replace(&files.state(), &state.to_bytes(&key))?;
        files::replace(&files.witness, &state.to_bytes(&key))?;
        files::replace(&files.key(), &record.to_bytes(H::NAME))?;
        Ok(Self {
            files,
            key,
            state,
            _lock: lock,
            process: std::process::id(),
        })
    }

    /// Opens a stored key, and computes its part of the Merkle tree from the seed.
    ///
    /// # Errors
    /// If the key is in use, or a file is missing, torn, altered or old.
    pub fn open(files: KeyFiles) -> Result<Self, StoreError> {
        files.check_witness()?;
        let lock = files::lock(&files.lock())?;
        let record = KeyRecord::read(&files.key(), H::NAME)?;
        let key = record.key::<H>()?;
        let state = State::read(&files.state(), &key)?;
        let witness = State::read(&files.witness, &key)?;
        if state.follows(&witness) {
            // The last process was interrupted between the two.
            files::replace(&files.witness, &state.to_bytes(&key))?;
        } else if state != witness {
            return Err(StoreError::Old {
                state: state.writes,
                witness: witness.writes,
            });
        }
        Ok(Self {
            files,
            key,
            state,
            _lock: lock,
            process: std::process::id(),
        })
    }

    /// The public key.
    pub fn public_key(&self) -> PublicKey<H> {
        self.key.public_key()
    }

    /// The scheme.
    pub const fn scheme(&self) -> &Xmss<H> {
        self.key.scheme()
    }

    /// The slots that the key has, spent or not.
    pub fn slots(&self) -> RangeInclusive<u32> {
        self.key.slots()
    }

    /// The first slot that is not spent, or `None` if all are.
    pub fn next_slot(&self) -> Option<u32> {
        let next = u32::try_from(self.state.next).ok()?;
        self.key.slots().contains(&next).then_some(next)
    }

    /// Signs a message in a slot above all that were signed before. The slot is spent on disk
    /// before the signature is returned.
    ///
    /// # Errors
    /// If the slot is spent or not the key's, or state and witness are not as this process left
    /// them or cannot be written. In the latter case the slot may be spent without a signature.
    pub fn sign(&mut self, slot: u32, message: &H::Message) -> Result<Signature<H>, StoreError> {
        self.check_unspent(slot)?;
        let signature = self.key.sign(slot, message)?;
        self.write_spent(slot)?;
        Ok(signature)
    }

    /// Spends a slot and all below it without signing: those that may have been signed elsewhere,
    /// by a copy of the key or before a backup was restored.
    ///
    /// # Errors
    /// As for [`Self::sign`].
    pub fn spend(&mut self, slot: u32) -> Result<(), StoreError> {
        self.check_unspent(slot)?;
        self.key.check_slot(slot)?;
        self.write_spent(slot)
    }

    fn check_unspent(&self, slot: u32) -> Result<(), StoreError> {
        let (opened, this) = (self.process, std::process::id());
        if opened != this {
            return Err(StoreError::Forked { opened, this });
        }
        let next = self.state.next;
        if u64::from(slot) < next {
            return Err(StoreError::Spent { slot, next });
        }
        Ok(())
    }

    fn write_spent(&mut self, slot: u32) -> Result<(), StoreError> {
        let paths = [self.files.state(), self.files.witness.clone()];
        for path in &paths {
            if State::read(path, &self.key)? != self.state {
                return Err(StoreError::Changed(path.clone()));
            }
        }
        // If writing fails, this differs from a file, and the key signs no more until it is opened
        // again.
        self.state = State {
            writes: self.state.writes + 1,
            next: u64::from(slot) + 1,
        };
        let bytes = self.state.to_bytes(&self.key);
        let mut paths = paths.iter();
        paths.try_for_each(|path| files::replace(path, &bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Parameters;
    use super::*;

    #[test]
    fn forks_do_not_sign() {
        let directory = tempfile::tempdir().unwrap();
        let parameters = Parameters {
            levels: 2,
            ..Parameters::DEFAULT
        };
        let scheme = Xmss::new(parameters).unwrap();
        let files = KeyFiles::new(directory.path());
        let mut key: StoredKey = StoredKey::create(files, scheme, &[1; 32], 0..=1).unwrap();
        key.process += 1;
        let message = Default::default();
        let refused = key.sign(0, &message).unwrap_err();
        assert!(matches!(refused, StoreError::Forked { .. }), "{refused}");
        let refused = key.spend(0).unwrap_err();
        assert!(matches!(refused, StoreError::Forked { .. }), "{refused}");
        key.process -= 1;
        key.sign(0, &message).unwrap();
    }
}
