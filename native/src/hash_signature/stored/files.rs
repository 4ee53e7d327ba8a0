//! Files that are whole or not there, whatever interrupts their writing.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::StoreError;
use crate::files::Replacement;

/// Names the file in an error.
fn at(path: &Path) -> impl Fn(io::Error) -> StoreError {
    let path = path.to_path_buf();
    move |source| StoreError::Io {
        path: path.clone(),
        source,
    }
}

pub(super) fn make_directory(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).map_err(at(path))
}

/// Whether anything has this name, be it a link that leads nowhere.
pub(super) fn exists(path: &Path) -> Result<bool, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(at(path)(error)),
    }
}

/// Whether two names lead to one file or directory, which exists.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

/// The directory that a file is in.
pub(super) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Checks that what has this name, if anything has, is a file and no link to one: opening a pipe
/// may never end, and a link would be replaced, while whoever uses what it leads to signs on.
fn check_is_file(path: &Path) -> Result<(), StoreError> {
    let refused = match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => "is a link, which is no file of a key",
        Ok(found) if !found.is_file() => "is not a file",
        _ => return Ok(()),
    };
    let refused = io::Error::new(io::ErrorKind::InvalidInput, refused);
    Err(at(path)(refused))
}

/// Locks a file until it is closed, and makes it if there is none.
pub(super) fn lock(path: &Path) -> Result<File, StoreError> {
    check_is_file(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = private(&mut options).open(path).map_err(at(path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(path.into())),
        Err(TryLockError::Error(source)) => Err(at(path)(source)),
    }
}

/// Reads a file of known length.
pub(super) fn read<const N: usize>(path: &Path) -> Result<[u8; N], StoreError> {
    check_is_file(path)?;
    let file = File::open(path).map_err(at(path))?;
    let mut bytes = Vec::new();
    // One more, to notice a file that is longer.
    let mut file = file.take(N as u64 + 1);
    file.read_to_end(&mut bytes).map_err(at(path))?;
    let found = bytes.len();
    bytes.try_into().map_err(|_| StoreError::Length {
        path: path.into(),
        found,
        expected: N,
    })
}

/// Writes a file, readable by its owner only, that takes the place of an older one at once. When
/// this returns, it is on disk. Until then it has its name and `.new`: whoever has the lock is the
/// only writer, and clears what an interrupted one has left.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&new)(error)),
        _ => {}
    }
    let mut options = OpenOptions::new();
    let options = private(options.write(true).create_new(true));
    let replacement = Replacement::create(path, new, options);
    let written = replacement.and_then(|replacement| replacement.write(bytes));
    written.map_err(at(path))?;
    flush_directory(directory_of(path))
}

/// Makes files that only their owner can read.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// On Unix, the new name is on disk only after its directory is. Elsewhere, directories cannot be
/// opened.
fn flush_directory(directory: &Path) -> Result<(), StoreError> {
    if cfg!(unix) {
        let file = File::open(directory).map_err(at(directory))?;
        file.sync_all().map_err(at(directory))?;
    }
    Ok(())
}
