//! Derived keys on disk.
//!
//! One small file a recipe, named by the digest of the recipe and of the program that derived the key:
//! of the executable's own bytes, so that no build believes what another one derived. A file that is
//! missing, damaged or not as it should be costs the time to derive the key again, no more.
//!
//! The digests in a file find damage, not malice: who can write there can have forged keys accepted.
//! So a folder or file is read only if it is this user's own and nobody else may write to it.

use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use droste_vm::codec::{encode_body, write_file};
use droste_vm::key::KeyDigest;

use super::{MAX_BITS, Recipe};

/// Variable that names the folder; empty for none.
const FOLDER: &str = "DROSTE_CACHE";

/// Largest file that is read, in bytes.
const LARGEST: u64 = 4096;

/// A folder of derived keys.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    build: blake3::Hash,
}

/// The place of one recipe's key.
#[derive(Debug)]
pub(super) struct Entry {
    path: PathBuf,
    name: blake3::Hash,
}

impl Cache {
    /// The user's folder: `$DROSTE_CACHE`, or `droste` in `$XDG_CACHE_HOME` or `$HOME/.cache`. `None`
    /// if `$DROSTE_CACHE` is empty, or there is no folder that belongs to this user alone.
    pub fn of_user() -> Option<Self> {
        let base = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let folder = match env::var_os(FOLDER) {
            Some(folder) if folder.is_empty() => return None,
            Some(folder) => PathBuf::from(folder),
            None => base("XDG_CACHE_HOME")
                .map(PathBuf::from)
                .or_else(|| Some(Path::new(&base("HOME")?).join(".cache")))?
                .join("droste"),
        };
        // A relative one would be looked for wherever the command is run, in somebody else's files too.
        folder.is_absolute().then(|| Self::in_folder(folder))?
    }

    /// The folder of this name, made if there is none; `None` if it is not this user's alone.
    pub fn in_folder(folder: PathBuf) -> Option<Self> {
        static BUILD: OnceLock<Option<blake3::Hash>> = OnceLock::new();
        let build = *BUILD.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            let executable = File::open(env::current_exe().ok()?).ok()?;
            Some(hasher.update_reader(executable).ok()?.finalize())
        });
        let build = build?;
        make_folder(&folder)?;
        is_own(&fs::metadata(&folder).ok()?).then_some(Self { folder, build })
    }

    /// The place of a recipe's key.
    pub(super) fn entry(&self, recipe: &Recipe) -> Option<Entry> {
        let message = encode_body(self.build.as_bytes().to_vec(), recipe).ok()?;
        let name = blake3::hash(&message);
        Some(Entry {
            path: self.folder.join(name.to_hex().as_str()),
            name,
        })
    }
}

impl Entry {
    /// The key and the bits, if they are there.
    pub(super) fn read(&self) -> Option<(KeyDigest, usize)> {
        let file = File::open(&self.path).ok()?;
        if !is_own(&file.metadata().ok()?) {
            return None;
        }
        let mut text = String::new();
        file.take(LARGEST).read_to_string(&mut text).ok()?;
        let mut words = text.split_whitespace();
        let key: KeyDigest = words.next()?.parse().ok()?;
        let bits: usize = words.next()?.parse().ok()?;
        // What is not exactly what was written is damaged.
        (bits <= MAX_BITS && text == self.text((key, bits))).then_some((key, bits))
    }

    /// Keeps the key and the bits. Nothing is lost if that fails.
    pub(super) fn write(&self, derived: (KeyDigest, usize)) {
        let written = write_file(&self.path, self.text(derived).as_bytes());
        if written.is_ok() {
            // Whatever files are made with here: what others may write to is not read.
            keep_private(&self.path);
        }
    }

    /// Key, bits, and a digest of those and of what they are derived from.
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

// Whose files are whose is not known: no cache.
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

    use droste_native::{F, FriSettings};
    use droste_vm::heights::Heights;

    use super::*;
    use crate::keys::Children;

    fn recipe(identity: u32) -> Recipe {
        Recipe {
            children: Children::Airs {
                identity: [F::new(identity); 8],
            },
            settings: FriSettings::toy(),
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
        let written = fs::read(&entry.path).unwrap();
        for index in 0..written.len() {
            let mut damaged = written.clone();
            damaged[index] ^= 1;
            fs::write(&entry.path, &damaged).unwrap();
            assert_eq!(entry.read(), None, "{index}");
            fs::write(&entry.path, &written[..index]).unwrap();
            assert_eq!(entry.read(), None, "{index}");
        }
        // Another recipe's key, or another build's.
        let other = cache.entry(&recipe(2)).unwrap();
        fs::write(&other.path, &written).unwrap();
        assert_eq!(other.read(), None);
        let build = blake3::hash(b"another");
        let rebuilt = Cache { build, ..cache };
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
