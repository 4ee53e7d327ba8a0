//! A stored key signs a slot once, whatever happens to its files.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;

/// A new key with the slots 3 to 8, in a directory that is deleted at the end.
struct Directory(TempDir);

impl Directory {
    fn new() -> (Self, StoredKey) {
        let directory = Self(tempfile::tempdir().unwrap());
        let key = StoredKey::create(directory.files(), small(), &[1; 32], 3..=8).unwrap();
        (directory, key)
    }

    fn files(&self) -> KeyFiles {
        KeyFiles::new(self.0.path().join("key of a test"))
    }

    fn open(&self) -> Result<StoredKey, StoreError> {
        StoredKey::open(self.files())
    }

    /// State and witness as they are.
    fn save(&self) -> [(PathBuf, Vec<u8>); 2] {
        let files = self.files();
        [files.state(), files.witness().into()].map(|path| {
            let bytes = fs::read(&path).unwrap();
            (path, bytes)
        })
    }
}

fn put((path, bytes): &(PathBuf, Vec<u8>)) {
    fs::write(path, bytes).unwrap();
}

fn is_spent(result: Result<Signature, StoreError>) -> bool {
    matches!(result, Err(StoreError::Spent { .. }))
}

#[test]
fn a_slot_is_signed_once_and_slots_only_upwards() {
    let (directory, mut key) = Directory::new();
    let public_key = small_key().public_key();
    assert_eq!(key.public_key(), public_key);
    assert_eq!((key.slots(), key.next_slot()), (3..=8, Some(3)));
    let sign = |key: &mut StoredKey, slot| {
        let signature = key.sign(slot, &message(slot)).unwrap();
        let result = small().verify(&public_key, slot, &message(slot), &signature);
        assert_eq!(result, Ok(()));
        assert_eq!(signature, small_key().sign(slot, &message(slot)).unwrap());
    };
    sign(&mut key, 4);
    assert!(is_spent(key.sign(4, &message(4))));
    assert!(is_spent(key.sign(4, &message(5))));
    assert!(is_spent(key.sign(3, &message(3))));
    assert_eq!(key.next_slot(), Some(5));

    drop(key);
    let mut key = directory.open().unwrap();
    assert_eq!(key.public_key(), public_key);
    assert!(is_spent(key.sign(4, &message(5))));
    assert!(is_spent(key.sign(3, &message(3))));
    sign(&mut key, 5);
    key.spend(7).unwrap();
    assert!(is_spent(key.sign(7, &message(7))));
    assert!(matches!(key.spend(6), Err(StoreError::Spent { .. })));
    let outside = key.sign(9, &message(9));
    assert!(matches!(
        outside,
        Err(StoreError::Sign(SignError::Slot { slot: 9, .. }))
    ));
    assert!(matches!(key.spend(9), Err(StoreError::Sign(_))));
    sign(&mut key, 8);
    assert_eq!(key.next_slot(), None);
    drop(key);
    let mut key = directory.open().unwrap();
    assert!((0..=8).all(|slot| is_spent(key.sign(slot, &message(slot)))));
}

#[test]
fn a_key_that_is_open_is_not_opened_again() {
    let (directory, key) = Directory::new();
    assert!(matches!(directory.open(), Err(StoreError::InUse(_))));
    let create = StoredKey::create(directory.files(), small(), &[2; 32], 0..=0);
    assert!(matches!(create, Err(StoreError::InUse(_))));
    drop(key);
    drop(directory.open().unwrap());
    let create = StoredKey::create(directory.files(), small(), &[2; 32], 0..=0);
    assert!(matches!(create, Err(StoreError::Exists(_))));
}

#[test]
fn files_that_are_torn_altered_or_missing_are_refused() {
    let (directory, mut key) = Directory::new();
    key.sign(3, &message(3)).unwrap();
    drop(key);
    let files = directory.files();
    for path in [files.key(), files.state(), files.witness().into()] {
        let whole = fs::read(&path).unwrap();
        for length in (0..whole.len()).chain([whole.len() + 1, 4 * whole.len()]) {
            let mut bytes = whole.clone();
            bytes.resize(length, 0);
            fs::write(&path, bytes).unwrap();
            let (expected, most) = (whole.len(), whole.len() + 1);
            match directory.open().unwrap_err() {
                StoreError::Length {
                    path: at,
                    found,
                    expected: stated,
                } => {
                    assert_eq!((at, found), (path.clone(), length.min(most)));
                    assert_eq!(stated, expected);
                }
                other => panic!("{length} bytes: {other}"),
            }
        }
        for bit in 0..8 * whole.len() {
            // Every byte, and every bit of the numbers.
            if bit >= 8 * 24 && bit % 8 != bit / 8 % 8 {
                continue;
            }
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, bytes).unwrap();
            let refused = directory.open().unwrap_err();
            assert!(matches!(refused, StoreError::Checksum(_)), "bit {bit}");
        }
        fs::remove_file(&path).unwrap();
        assert!(matches!(directory.open(), Err(StoreError::Io { .. })));
        fs::write(&path, whole).unwrap();
        drop(directory.open().unwrap());
    }
}

#[test]
fn files_of_another_key_are_refused() {
    let (directory, key) = Directory::new();
    let other = Directory(tempfile::tempdir().unwrap());
    let other_key = StoredKey::create(other.files(), small(), &[2; 32], 3..=8).unwrap();
    drop((key, other_key));
    for ((path, _), (_, bytes)) in directory.save().into_iter().zip(other.save()) {
        let own = fs::read(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        assert!(matches!(directory.open(), Err(StoreError::Checksum(_))));
        fs::write(&path, own).unwrap();
    }
    drop(directory.open().unwrap());
}

#[test]
fn older_files_are_refused() {
    let (directory, mut key) = Directory::new();
    let mut saved = vec![directory.save()];
    for slot in 3..=6 {
        key.sign(slot, &message(slot)).unwrap();
        saved.push(directory.save());
    }
    drop(key);
    let last = saved.last().unwrap();
    for (age, old) in saved.iter().rev().enumerate().skip(1) {
        let [state, witness] = old;
        put(state);
        assert!(
            matches!(directory.open(), Err(StoreError::Old { .. })),
            "{age}"
        );
        put(&last[0]);
        put(witness);
        // Between two writes, the witness is one behind. Nothing is signed twice then.
        match directory.open() {
            Ok(mut key) if age == 1 => {
                assert!((3..=6).all(|slot| is_spent(key.sign(slot, &message(9)))));
                drop(key);
                assert_eq!(&directory.save(), last);
            }
            Err(StoreError::Old { .. }) if age > 1 => {}
            other => panic!("{age}: {other:?}"),
        }
        put(&last[1]);
    }
}

#[test]
fn files_that_are_replaced_while_the_key_is_open_are_refused() {
    let (directory, mut key) = Directory::new();
    let before = directory.save();
    key.sign(3, &message(3)).unwrap();
    let after = directory.save();
    for i in 0..2 {
        put(&before[i]);
        let refused = key.sign(4, &message(4));
        assert!(matches!(refused, Err(StoreError::Changed(_))));
        put(&after[i]);
    }
    // Both older at once, which an opening could not notice.
    before.iter().for_each(put);
    let refused = key.sign(4, &message(4));
    assert!(matches!(refused, Err(StoreError::Changed(_))));
    after.iter().for_each(put);
    key.sign(4, &message(4)).unwrap();
}

#[test]
fn no_signature_leaves_before_its_slot_is_spent() {
    let directory = Directory(tempfile::tempdir().unwrap());
    let elsewhere = directory.0.path().join("elsewhere").join("witness");
    let files = directory.files().with_witness(&elsewhere);
    let mut key = StoredKey::create(files.clone(), small(), &[1; 32], 3..=8).unwrap();
    // The witness cannot be replaced: the name under which it is written is taken by a directory.
    let taken = Path::new(&elsewhere).with_file_name("witness.new");
    fs::create_dir(&taken).unwrap();
    assert!(matches!(
        key.sign(3, &message(3)),
        Err(StoreError::Io { .. })
    ));
    fs::remove_dir(&taken).unwrap();
    assert!(is_spent(key.sign(3, &message(3))));
    let refused = key.sign(4, &message(4));
    assert!(matches!(refused, Err(StoreError::Changed(_))));
    drop(key);
    // Without the witness's place there is no key.
    assert!(matches!(directory.open(), Err(StoreError::Io { .. })));
    let mut key = StoredKey::open(files.clone()).unwrap();
    assert!(is_spent(key.sign(3, &message(4))));
    key.sign(4, &message(4)).unwrap();

    // The state cannot be replaced: nothing is spent, and nothing is signed.
    let taken = files.state().with_file_name("state.new");
    fs::create_dir(&taken).unwrap();
    assert!(matches!(
        key.sign(5, &message(5)),
        Err(StoreError::Io { .. })
    ));
    fs::remove_dir(&taken).unwrap();
    drop(key);
    let mut key: StoredKey = StoredKey::open(files).unwrap();
    key.sign(5, &message(6)).unwrap();
}

#[test]
fn a_part_that_an_interruption_left_is_no_obstacle() {
    let (directory, mut key) = Directory::new();
    fs::write(
        directory.files().state().with_file_name("state.new"),
        "part",
    )
    .unwrap();
    key.sign(3, &message(3)).unwrap();
    drop(key);
    assert_eq!(directory.open().unwrap().next_slot(), Some(4));
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;

    let (directory, mut key) = Directory::new();
    key.sign(3, &message(3)).unwrap();
    let files = directory.files();
    for path in [
        files.key(),
        files.state(),
        files.witness().into(),
        files.lock(),
    ] {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}

/// Opening a pipe to which nobody writes would not end.
#[cfg(unix)]
#[test]
fn pipes_are_no_files_of_a_key() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let (directory, key) = Directory::new();
    drop(key);
    let files = directory.files();
    for path in [
        files.lock(),
        files.key(),
        files.state(),
        files.witness().into(),
    ] {
        let kept = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        // A command that makes one would hold, until it starts, the locks of the other tests' keys.
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let refused = directory.open().unwrap_err();
        let named = matches!(&refused, StoreError::Io { path: found, .. } if *found == path);
        assert!(named, "{refused}");
        fs::remove_file(&path).unwrap();
        put(&(path, kept));
    }
    directory.open().unwrap();
}

/// A link would be replaced by a file, and the key would go on signing where the link led to.
#[cfg(unix)]
#[test]
fn links_are_no_files_of_a_key() {
    use std::os::unix::fs::symlink;

    let (directory, key) = Directory::new();
    drop(key);
    let files = directory.files();
    let other = Directory(tempfile::tempdir().unwrap());
    fs::create_dir(other.files().state().parent().unwrap()).unwrap();
    let named = |refused: StoreError, path: &Path| {
        let named = matches!(&refused, StoreError::Io { path: found, .. } if found == path);
        assert!(named, "{refused}");
    };
    let names = |files: &KeyFiles| {
        let witness = files.witness().to_path_buf();
        [files.lock(), files.key(), files.state(), witness]
    };
    // A directory of links, of which one after the other is made a file.
    for (path, own) in names(&other.files()).into_iter().zip(names(&files)) {
        symlink(own, path).unwrap();
    }
    for (path, own) in names(&other.files()).into_iter().zip(names(&files)) {
        named(other.open().unwrap_err(), &path);
        fs::remove_file(&path).unwrap();
        fs::copy(own, &path).unwrap();
    }
    drop(other.open().unwrap());
    // A new key does not replace a link, even one that leads nowhere.
    let empty = Directory(tempfile::tempdir().unwrap());
    fs::create_dir(empty.files().state().parent().unwrap()).unwrap();
    symlink("nowhere", empty.files().state()).unwrap();
    let refused = StoredKey::create(empty.files(), small(), &[1; 32], 3..=8).unwrap_err();
    assert!(matches!(refused, StoreError::Exists(_)), "{refused}");
    // The directory itself may have several names.
    let link = other.0.path().join("link");
    symlink(files.key().parent().unwrap(), &link).unwrap();
    let open = StoredKey::open(KeyFiles::new(&link)).unwrap();
    assert!(matches!(directory.open(), Err(StoreError::InUse(_))));
    assert_eq!(open.public_key(), small_key().public_key());
}

#[test]
fn the_witness_is_no_other_file_of_the_key() {
    let directory = Directory(tempfile::tempdir().unwrap());
    let refused = |witness: PathBuf| {
        let files = directory.files().with_witness(&witness);
        let refused = StoredKey::create(files.clone(), small(), &[1; 32], 3..=8).unwrap_err();
        assert!(matches!(&refused, StoreError::Witness(path) if *path == witness));
        StoredKey::<TweakablePoseidon16>::open(files).unwrap_err()
    };
    let files = directory.files();
    let dotted = |path: PathBuf| path.with_file_name(".").join(path.file_name().unwrap());
    for path in [files.key(), files.state(), files.lock()] {
        for path in [path.clone(), path.with_extension("new"), dotted(path)] {
            let refused = refused(path);
            assert!(matches!(refused, StoreError::Witness(_)), "{refused}");
        }
    }
    let usual = directory
        .files()
        .with_witness(dotted(files.witness().into()));
    let key = StoredKey::create(usual, small(), &[1; 32], 3..=8).unwrap();
    drop(key);
    drop(directory.open().unwrap());
    // What must not be written to by others.
    for path in [files.key(), files.state(), files.lock()] {
        assert!(files.contain(&path) && files.contain(&dotted(path.clone())));
        assert!(!files.contain(&path.with_extension("json")));
    }
    assert!(files.contain(files.witness()));
}
