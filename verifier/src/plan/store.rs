//! A folder of finished tasks.
//!
//! The result of a task is one file, named by the task's [`Name`] in hexadecimal:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 32 | the task's name |
//! | 32 | Blake3 digest of the content |
//! | rest | the content: the file of an aggregate |
//!
//! A file is written under another name, synced and renamed. One that is torn, damaged or of
//! another task counts as absent. The digest detects damage, not forgery: whoever reads an
//! aggregate from a store verifies it ([`Worker::accept`](super::Worker::accept)).

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use droste_native::codec::read_file;
use droste_native::files;
use thiserror::Error;

use super::Name;

/// First bytes of a file of a store.
pub const MAGIC: [u8; 8] = *b"droste\0s";

/// Name of the file that [`Store::lock`] locks. It is no name of a task.
const LOCK: &str = "lock";

/// How often a lock is taken again because the run before removed its file.
const ATTEMPTS: usize = 100;

/// Separates the digest of a content from other digests.
const CONTENT: &str = "droste plan 1 content";

/// Why a store cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder cannot be made or read.
    #[error("the store {}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// Another run has locked the store.
    #[error(
        "the store {} is used by another run: wait until that ends, or use another store",
        folder.display()
    )]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// A result cannot be written, for instance because the disk is full. All results that were
    /// written before are kept.
    #[error("{name} cannot be written to the store {}", folder.display())]
    Write {
        /// The folder.
        folder: PathBuf,
        /// Name of the task.
        name: Name,
        /// The operating system's error.
        source: io::Error,
    },
}

/// A folder of finished tasks, which several processes may use at the same time. A run that removes
/// results, or would only repeat what another one does, locks it ([`Self::lock`]).
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// The lock of a store. It ends when this is dropped, and when the process ends, however it does.
#[derive(Debug)]
pub struct StoreLock {
    path: PathBuf,
    /// Locked for as long as it is open.
    file: File,
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        if is_at(&self.file, &self.path) {
            // A file that cannot be removed is harmless: it is not locked.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Store {
    /// The store in this folder, which is made if it does not exist.
    ///
    /// # Errors
    /// If the folder cannot be made, or is a file.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let folder = folder.into();
        match fs::create_dir_all(&folder) {
            Ok(()) => Ok(Self { folder }),
            Err(source) => Err(StoreError::Folder { folder, source }),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Locks the store for one run: no other one can. Who uses the store without locking it is not
    /// kept out. On file systems that have no locks this does nothing.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if another run has locked the store, and errors of the file system.
    pub fn lock(&self) -> Result<StoreLock, StoreError> {
        let path = self.folder.join(LOCK);
        let (folder, failed) = (&self.folder, |source| StoreError::Folder {
            folder: self.folder.clone(),
            source,
        });
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        for _ in 0..ATTEMPTS {
            // The run that had the lock may just have removed the folder, and does remove the file.
            fs::create_dir_all(folder).map_err(failed)?;
            if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
                // Opening a pipe might never end.
                let message = format!("{LOCK} is not a file");
                return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, message)));
            }
            let file = match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened.map_err(failed)?,
            };
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => {
                    let folder = folder.clone();
                    return Err(StoreError::InUse { folder });
                }
                Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                    return Err(failed(error));
                }
                _ => {}
            }
            if is_at(&file, &path) {
                return Ok(StoreLock { path, file });
            }
        }
        let folder = folder.clone();
        Err(StoreError::InUse { folder })
    }

    /// The file of a task's result.
    pub fn path(&self, name: Name) -> PathBuf {
        self.folder.join(name.to_string())
    }

    /// The result of a task, if its file is there and undamaged. It is not verified.
    pub fn get(&self, name: Name) -> Option<Vec<u8>> {
        let path = self.path(name);
        // Reading a pipe or a device might never end.
        files::check_is_file(&path).ok()?;
        let mut bytes = read_file(&path).ok()?;
        let (header, content) = bytes.split_at_checked(HEADER)?;
        if header != self::header(name, content) {
            return None;
        }
        bytes.drain(..HEADER);
        Some(bytes)
    }

    /// Stores the result of a task.
    ///
    /// # Errors
    /// If the file cannot be written whole. No other file changes.
    pub fn put(&self, name: Name, content: &[u8]) -> Result<(), StoreError> {
        let bytes = [&header(name, content)[..], content].concat();
        files::replace(&self.path(name), &bytes).map_err(|source| StoreError::Write {
            folder: self.folder.clone(),
            name,
            source,
        })
    }

    /// Removes the results of these tasks, whole or torn, and the folder if nothing else is in it.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn remove(self, names: impl IntoIterator<Item = Name>) -> Result<(), StoreError> {
        let names = names.into_iter().collect();
        self.remove_files(&names).map_err(|source| {
            let folder = self.folder.clone();
            StoreError::Folder { folder, source }
        })?;
        // Files of others stay.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }

    fn remove_files(&self, names: &HashSet<Name>) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let file = entry.file_name();
            let name = file.to_str().and_then(task_of);
            let is_ours = name.is_some_and(|name| names.contains(&name));
            if is_ours && !entry.file_type()?.is_dir() {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// Whether an open file still has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let place = |found: fs::Metadata| (found.dev(), found.ino());
    let (open, named) = (file.metadata().map(place), fs::metadata(path).map(place));
    open.ok()
        .is_some_and(|open| named.is_ok_and(|named| open == named))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// The task whose result a file is, or would have become: what a killed process was writing is
/// named by a dot, the name, and more.
fn task_of(file: &str) -> Option<Name> {
    let torn = file.strip_prefix('.').filter(|_| file.ends_with(".tmp"));
    match torn {
        Some(torn) => torn.split('.').next()?.parse().ok(),
        None => file.parse().ok(),
    }
}

const HEADER: usize = MAGIC.len() + 32 + 32;

fn header(name: Name, content: &[u8]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new_derive_key(CONTENT);
    hasher.update(name.as_bytes()).update(content);
    let digest = hasher.finalize();
    [&MAGIC[..], name.as_bytes(), digest.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("a/store")).unwrap();
        (folder, store)
    }

    #[test]
    fn only_what_was_put_is_got() {
        let (_folder, store) = store();
        let [name, other] = [b"one", b"two"].map(|bytes| Name::of_leaf(bytes));
        assert_eq!(store.get(name), None);
        store.put(name, b"a result").unwrap();
        assert_eq!(store.get(name).as_deref(), Some(&b"a result"[..]));
        let written = fs::read(store.path(name)).unwrap();
        for index in 0..written.len() {
            // Torn, and damaged in one bit.
            fs::write(store.path(name), &written[..index]).unwrap();
            assert_eq!(store.get(name), None, "{index}");
            let mut damaged = written.clone();
            damaged[index] ^= 1;
            fs::write(store.path(name), &damaged).unwrap();
            assert_eq!(store.get(name), None, "{index}");
        }
        // The result of another task, and a file that is none.
        fs::write(store.path(other), &written).unwrap();
        assert_eq!(store.get(other), None);
        fs::write(store.path(other), b"a note").unwrap();
        assert_eq!(store.get(other), None);
        // Put again, it replaces what was there.
        store.put(name, b"a result").unwrap();
        assert_eq!(store.get(name).as_deref(), Some(&b"a result"[..]));
        let files = fs::read_dir(store.folder()).unwrap().count();
        assert_eq!(files, 2, "no temporary files");
    }

    #[test]
    fn results_are_removed_and_other_files_are_not() {
        let (_folder, store) = store();
        let [name, other] = [b"one", b"two"].map(|bytes| Name::of_leaf(bytes));
        let folder = store.folder().to_owned();
        store.put(name, b"a result").unwrap();
        let copy = format!("{name}.copy");
        for mine in ["mine", &copy] {
            fs::write(folder.join(mine), b"a note").unwrap();
        }
        fs::create_dir(store.path(other)).unwrap();
        for torn in ["1.tmp", "1.0.tmp"] {
            fs::write(folder.join(format!(".{name}.{torn}")), b"torn").unwrap();
        }
        store.clone().remove([name, other]).unwrap();
        let mut left: Vec<_> = fs::read_dir(&folder).unwrap().map(Result::unwrap).collect();
        left.retain(|entry| entry.path() != store.path(other));
        left.sort_by_key(fs::DirEntry::file_name);
        let left: Vec<_> = left.iter().map(fs::DirEntry::file_name).collect();
        assert_eq!(left, [copy.as_str(), "mine"]);
        for mine in ["mine", &copy] {
            fs::remove_file(folder.join(mine)).unwrap();
        }
        fs::remove_dir(store.path(other)).unwrap();
        store.remove([name]).unwrap();
        assert!(!folder.exists());
    }

    /// The lock is one run's, ends with it, and leaves nothing.
    #[test]
    fn a_store_is_locked_by_one_run() {
        let (_folder, store) = store();
        let name = Name::of_leaf(b"one");
        let lock = store.lock().unwrap();
        let refused = store.lock().unwrap_err();
        assert!(
            matches!(&refused, StoreError::InUse { folder } if folder == store.folder()),
            "{refused}"
        );
        let folder = store.folder().display().to_string();
        assert!(refused.to_string().contains(&folder), "{refused}");
        // Whoever does not lock it uses it.
        store.put(name, b"a result").unwrap();
        drop(lock);
        assert_eq!(fs::read_dir(store.folder()).unwrap().count(), 1);
        // A run that was killed has left the file, which nobody has locked. One that ends may
        // remove the folder.
        fs::write(store.folder().join(LOCK), b"").unwrap();
        drop(store.lock().unwrap());
        fs::remove_dir_all(store.folder()).unwrap();
        let lock = store.lock().unwrap();
        // The file is removed, and others make another: the lock is theirs.
        fs::remove_file(store.folder().join(LOCK)).unwrap();
        let other = store.lock().unwrap();
        store.lock().unwrap_err();
        drop((lock, other));
        drop(store.lock().unwrap());
        // What is no file is refused, and not waited for.
        fs::create_dir(store.folder().join(LOCK)).unwrap();
        let refused = store.lock().unwrap_err();
        assert!(matches!(refused, StoreError::Folder { .. }), "{refused}");
    }

    /// A process that is killed while it writes leaves a file. The next one may have its number, as
    /// in containers, and must be able to write; so must two threads that write the same result.
    #[test]
    fn what_others_left_or_write_does_not_matter() {
        let (_folder, store) = store();
        let name = Name::of_leaf(b"one");
        for number in 0..3 {
            let torn = format!(".{name}.{}.{number}.tmp", std::process::id());
            fs::write(store.folder().join(torn), b"torn").unwrap();
        }
        let content = vec![7; 1 << 16];
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..8).for_each(|_| store.put(name, &content).unwrap()));
            }
        });
        assert_eq!(store.get(name), Some(content));
        store.clone().remove([name]).unwrap();
        assert!(!store.folder().exists());
    }

    /// Links, folders, devices and pipes under the name of a result.
    #[cfg(unix)]
    #[test]
    fn only_files_are_results() {
        use std::os::unix::fs::symlink;

        let (folder, store) = store();
        let [name, other] = [b"one", b"two"].map(|bytes| Name::of_leaf(bytes));
        store.put(other, b"a result").unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let nowhere = folder.path().join("nowhere");
        let targets = [
            pipe.as_path(),
            Path::new("/dev/zero"),
            folder.path(),
            &nowhere,
            &store.path(other),
        ];
        for target in targets {
            symlink(target, store.path(name)).unwrap();
            assert_eq!(store.get(name), None, "{}", target.display());
            // The link is replaced, not what it leads to.
            store.put(name, b"a result").unwrap();
            assert_eq!(store.get(name).as_deref(), Some(&b"a result"[..]));
            assert!(fs::symlink_metadata(store.path(name)).unwrap().is_file());
            fs::remove_file(store.path(name)).unwrap();
        }
        assert_eq!(store.get(other).as_deref(), Some(&b"a result"[..]));
        assert!(!nowhere.exists());
        // A folder is renamed, since something of others may be in it.
        fs::create_dir(store.path(name)).unwrap();
        fs::write(store.path(name).join("mine"), b"").unwrap();
        assert_eq!(store.get(name), None);
        store.put(name, b"a result").unwrap();
        assert_eq!(store.get(name).as_deref(), Some(&b"a result"[..]));
        store.clone().remove([name, other]).unwrap();
        assert_eq!(fs::read_dir(store.folder()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let (folder, _) = store();
        let path = folder.path().join("file");
        fs::write(&path, b"").unwrap();
        let refusal = Store::open(&path).unwrap_err().to_string();
        assert!(refusal.contains(&path.display().to_string()), "{refusal}");
        // The folder disappears while it is used. (Tests run by root may write to any folder.)
        let (_folder, store) = self::store();
        let kept = store.folder().with_file_name("kept");
        fs::rename(store.folder(), &kept).unwrap();
        let refusal = store.put(Name::of_leaf(b"one"), b"").unwrap_err();
        let StoreError::Write { folder, source, .. } = refusal else {
            panic!("{refusal}");
        };
        assert_eq!(folder, store.folder());
        assert_eq!(source.kind(), io::ErrorKind::NotFound);
    }
}
