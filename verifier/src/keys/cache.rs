//! Stores derived keys on disk.
//!
//! There is one small file per recipe, and per rule of a fold. Its name is a digest of what the key
//! is derived from and of the bytes of the executable or library that derived it, so that no build
//! uses what another one derived. If a file is missing or damaged, the key is derived again.
//!
//! The digest in a file detects damage, not forgery: anyone who can write to the folder could have
//! forged keys accepted. A folder or file is therefore read only if this user owns it and no other
//! user may write to it.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use droste_native::codec::encode_body;
use droste_native::files;
use droste_vm::key::KeyDigest;
use serde::Serialize;

use super::MAX_BITS;

/// Environment variable that names the folder; if it is empty, nothing is stored.
const FOLDER: &str = "DROSTE_CACHE";

/// Largest file that is read, in bytes.
const LARGEST: u64 = 4096;

/// A folder of derived keys.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    /// Digest of the library that derives keys; none if the executable does.
    library: Option<blake3::Hash>,
}

/// The file of one key.
#[derive(Debug)]
pub(super) struct Entry {
    path: PathBuf,
    name: blake3::Hash,
}

impl Cache {
    /// The user's cache: the folder `$DROSTE_CACHE`, or else `droste` in `$XDG_CACHE_HOME` or
    /// `$HOME/.cache`. `None` if `$DROSTE_CACHE` is empty, or other users may write to the folder.
    pub fn of_user() -> Option<Self> {
        Self::in_folder(user_folder()?)
    }

    /// Like [`Self::of_user`], if what derives keys is not in the executable but in the library of
    /// this file.
    pub fn of_library(library: &Path) -> Option<Self> {
        Self::of_build(user_folder()?, Some(hash_of(library)?))
    }

    /// A cache in this folder, which is created if it does not exist; `None` if another user owns
    /// it or may write to it.
    pub fn in_folder(folder: PathBuf) -> Option<Self> {
        Self::of_build(folder, None)
    }

    fn of_build(folder: PathBuf, library: Option<blake3::Hash>) -> Option<Self> {
        make_folder(&folder)?;
        is_own(&fs::metadata(&folder).ok()?).then_some(Self { folder, library })
    }

    /// The keys of all files, those of other builds included.
    pub(super) fn keys(&self) -> BTreeSet<KeyDigest> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let read = |entry: fs::DirEntry| {
            let name = blake3::Hash::from_hex(entry.file_name().to_str()?).ok()?;
            let path = entry.path();
            let (key, _) = Entry { path, name }.read()?;
            Some(key)
        };
        entries.filter_map(read).collect()
    }

    /// The file of the key that is derived from `source`. No two kinds of sources may have the same
    /// encoding.
    pub(super) fn entry(&self, source: &impl Serialize) -> Option<Entry> {
        let build = self.library.or_else(executable)?;
        let message = encode_body(build.as_bytes().to_vec(), source).ok()?;
        let name = blake3::hash(&message);
        Some(Entry {
            path: self.folder.join(name.to_hex().as_str()),
            name,
        })
    }
}

/// The folder of [`Cache::of_user`].
fn user_folder() -> Option<PathBuf> {
    let base = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let folder = match env::var_os(FOLDER) {
        Some(folder) if folder.is_empty() => return None,
        Some(folder) => PathBuf::from(folder),
        None => base("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(Path::new(&base("HOME")?).join(".cache")))?
            .join("droste"),
    };
    // A relative path would depend on where the command is run, which may be another user's
    // folder.
    folder.is_absolute().then_some(folder)
}

/// The digest of this executable. It takes longer than verifying a proof, so it is computed only if
/// keys are looked up by their recipes.
fn executable() -> Option<blake3::Hash> {
    static EXECUTABLE: OnceLock<Option<blake3::Hash>> = OnceLock::new();
    *EXECUTABLE.get_or_init(|| hash_of(&env::current_exe().ok()?))
}

/// The digest of a file's bytes, which names a build.
fn hash_of(file: &Path) -> Option<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    Some(
        hasher
            .update_reader(File::open(file).ok()?)
            .ok()?
            .finalize(),
    )
}

impl Entry {
    /// Reads key and bits; `None` if the file is missing, damaged or writable for others.
    pub(super) fn read(&self) -> Option<(KeyDigest, usize)> {
        // Opening a pipe might never end.
        if !fs::metadata(&self.path).ok()?.is_file() {
            return None;
        }
        let file = File::open(&self.path).ok()?;
        if !is_own(&file.metadata().ok()?) {
            return None;
        }
        let mut text = String::new();
        file.take(LARGEST).read_to_string(&mut text).ok()?;
        let mut words = text.split_whitespace();
        let key: KeyDigest = words.next()?.parse().ok()?;
        let bits: usize = words.next()?.parse().ok()?;
        // Any text but the one that `write` writes is damaged.
        (bits <= MAX_BITS && text == self.text((key, bits))).then_some((key, bits))
    }

    /// Stores key and bits. If that fails, they are derived again next time.
    pub(super) fn write(&self, derived: (KeyDigest, usize)) {
        let written = files::replace(&self.path, self.text(derived).as_bytes());
        if written.is_ok() {
            // Other users may be allowed to write to new files by default, and such files would not
            // be read.
            keep_private(&self.path);
        }
    }

    /// The file's text: key, bits, and a digest of both and of what they are derived from.
    fn text(&self, (key, bits): (KeyDigest, usize)) -> String {
        let content = format!("{key} {bits}");
        let message = [self.name.as_bytes(), content.as_bytes()].concat();
        format!("{content} {}\n", blake3::hash(&message).to_hex())
    }
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> Option<()> {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder).ok()
}

#[cfg(unix)]
fn keep_private(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(file, fs::Permissions::from_mode(0o600));
}

#[cfg(unix)]
fn is_own(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    metadata.uid() == user && metadata.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn keep_private(_: &Path) {}

// Elsewhere the owner of a file is not known, so there is no cache.
#[cfg(not(unix))]
fn make_folder(_: &Path) -> Option<()> {
    None
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use droste_native::F;
    use droste_native::whir::WhirSettings;
    use droste_vm::heights::Heights;

    use super::*;
    use crate::keys::{Children, Recipe};

    fn recipe(identity: u32) -> Recipe {
        Recipe {
            children: Children::Airs {
                identity: [F::new(identity); 8],
            },
            settings: WhirSettings::toy(),
            heights: Heights::Minimal,
        }
    }

    #[test]
    fn only_what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().join("keys")).unwrap();
        let entry = cache.entry(&recipe(1)).unwrap();
        assert_eq!(entry.read(), None);
        let derived = (KeyDigest([F::new(7); 8]), 104);
        entry.write(derived);
        assert_eq!(entry.read(), Some(derived));
        assert_eq!(cache.keys(), BTreeSet::from([derived.0]));
        let written = fs::read(&entry.path).unwrap();
        for index in 0..written.len() {
            let mut damaged = written.clone();
            damaged[index] ^= 1;
            fs::write(&entry.path, &damaged).unwrap();
            assert_eq!(entry.read(), None, "{index}");
            fs::write(&entry.path, &written[..index]).unwrap();
            assert_eq!(entry.read(), None, "{index}");
        }
        // The file of another recipe or another build is not read.
        let other = cache.entry(&recipe(2)).unwrap();
        fs::write(&other.path, &written).unwrap();
        assert_eq!(other.read(), None);
        assert_eq!(cache.keys(), BTreeSet::new());
        let library = Some(blake3::hash(b"another"));
        let rebuilt = Cache { library, ..cache };
        assert_ne!(rebuilt.entry(&recipe(1)).unwrap().path, entry.path);
    }

    #[test]
    fn what_others_may_write_to_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let cache = Cache::in_folder(path.clone()).unwrap();
        let allow = |path: &Path, mode: u32| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        let entry = cache.entry(&recipe(1)).unwrap();
        entry.write((KeyDigest([F::new(7); 8]), 104));
        let mode = fs::metadata(&entry.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        allow(&entry.path, 0o666);
        assert_eq!(entry.read(), None);
        allow(&entry.path, 0o600);
        assert!(entry.read().is_some());
        for mode in [0o770, 0o707] {
            allow(&path, mode);
            assert!(Cache::in_folder(path.clone()).is_none());
        }
        allow(&path, 0o755);
        assert!(Cache::in_folder(path).is_some());
    }
}
