//! Files that users name: they are read without waiting for ever, and written without replacing
//! what is no file.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Reads everything from a file, pipe or device, up to `limit` bytes. The size in a file's metadata
/// cannot be used for this: pipes and devices have none.
///
/// # Errors
/// Errors of the operating system, `InvalidData` if there are more bytes, and `BrokenPipe` for a
/// pipe that nobody has opened to write to it, from which one would wait for ever.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (start, file) = open(path)?;
    read_at_most(start.as_slice().chain(file), limit)
}

/// Reads everything, up to `limit` bytes.
///
/// # Errors
/// Errors of the operating system, and `InvalidData` if there are more bytes.
pub fn read_at_most(input: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    input
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("the input has more than {limit} bytes, the limit");
        Err(error(io::ErrorKind::InvalidData, message))
    } else {
        Ok(bytes)
    }
}

/// Checks that what has this name can be read more than once: that it is a file, or a link to one.
///
/// # Errors
/// `InvalidInput` otherwise, and errors of the operating system.
pub fn check_is_file(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        Ok(())
    } else {
        Err(error(io::ErrorKind::InvalidInput, "is not a file"))
    }
}

fn error(kind: io::ErrorKind, message: impl Into<String>) -> io::Error {
    io::Error::new(kind, message.into())
}

/// Opens what is to be read, and returns the bytes that had to be read to find out whether anybody
/// writes to a pipe.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<(Vec<u8>, File)> {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};

    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    // Otherwise opening a pipe waits until somebody opens its other end.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let mut file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    let mut start = vec![];
    if file.metadata()?.file_type().is_fifo() {
        let mut byte = [0];
        match file.read(&mut byte) {
            // POSIX: the end of the file if no process has the pipe open for writing.
            Ok(0) => {
                let message = "is a pipe that nobody writes to";
                return Err(error(io::ErrorKind::BrokenPipe, message));
            }
            Ok(_) => start.extend(byte),
            // Somebody has, but did not write yet.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok((start, file))
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<(Vec<u8>, File)> {
    Ok((vec![], File::open(path)?))
}

/// Where a result will be written, once there is one.
///
/// A file is written whole or not at all: under a temporary name beside the one that it then takes,
/// which is that of the file to which a link leads. One that exists keeps its permissions. Pipes
/// that somebody reads, and devices that take characters, are written to. Nothing else that exists
/// is touched.
#[derive(Debug)]
pub struct Output(Target);

#[derive(Debug)]
enum Target {
    /// There is no temporary file before the result is written: a process that is killed while it
    /// works would leave it.
    File {
        path: PathBuf,
        permissions: Option<Permissions>,
    },
    Stream(File),
}

/// Bytes that are written to find out whether a file can be: most results have fewer.
const TRIAL: usize = 1 << 20;

impl Output {
    /// Finds out whether a result can be written, before the work on it begins: writes a mebibyte
    /// under a temporary name and removes it. Pipes and devices are opened and nothing is written.
    ///
    /// # Errors
    /// If nothing can be written there: the folder does not exist or may not be written to, the
    /// disk is full, or the name is that of a folder, of a link that leads nowhere, of a socket, of
    /// a disk, or of a pipe that nobody reads.
    pub fn open(path: &Path) -> io::Result<Self> {
        let output = Self::at(path)?;
        if let Target::File { path, .. } = &output.0 {
            Replacement::of(path)?.file.write_all(&vec![0; TRIAL])?;
        }
        Ok(output)
    }

    fn at(path: &Path) -> io::Result<Self> {
        Ok(Self(match fs::metadata(path) {
            Ok(found) if found.is_file() => Target::File {
                path: fs::canonicalize(path)?,
                permissions: Some(found.permissions()),
            },
            Ok(found) => Target::Stream(open_stream(path, found.file_type())?),
            Err(_) if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) => {
                let message = "is a link that leads to no file";
                return Err(error(io::ErrorKind::NotFound, message));
            }
            Err(_) => Target::File {
                path: path.to_owned(),
                permissions: None,
            },
        }))
    }

    /// Writes the result.
    ///
    /// # Errors
    /// Errors of the operating system. A file that already existed is then unchanged.
    pub fn write(self, bytes: &[u8]) -> io::Result<()> {
        match self.0 {
            Target::File { path, permissions } => {
                let replacement = Replacement::of(&path)?;
                if let Some(permissions) = permissions {
                    // Others may not be allowed to read it.
                    replacement.file.set_permissions(permissions)?;
                }
                replacement.write(bytes)
            }
            Target::Stream(mut stream) => stream.write_all(bytes),
        }
    }
}

/// Opens a pipe or device for writing.
#[cfg(unix)]
fn open_stream(path: &Path, found: fs::FileType) -> io::Result<File> {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};

    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    if !found.is_fifo() && !found.is_char_device() {
        return Err(error(io::ErrorKind::InvalidInput, "is not a file"));
    }
    // Otherwise opening a pipe waits until somebody opens its other end.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let opened = OpenOptions::new()
        .write(true)
        .custom_flags(flags)
        .open(path);
    let file = opened.map_err(|failure| {
        if found.is_fifo() {
            error(
                failure.kind(),
                format!("is a pipe that nobody reads: {failure}"),
            )
        } else {
            failure
        }
    })?;
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

#[cfg(not(unix))]
fn open_stream(_: &Path, _: fs::FileType) -> io::Result<File> {
    Err(error(io::ErrorKind::InvalidInput, "is not a file"))
}

/// Writes a result to a file, pipe or device that the user named: [`Output`].
///
/// # Errors
/// As for [`Output`].
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Output::at(path)?.write(bytes)
}

/// Writes a file, whole or not at all, in a folder that is the program's own: what had the name
/// before is replaced, be it a link or a pipe. A folder is renamed.
///
/// # Errors
/// Errors of the file system. A file that already existed under this name is then unchanged.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let replacement = Replacement::of(path)?;
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
        let mut aside = replacement.temporary.clone().into_os_string();
        aside.push(".folder");
        fs::rename(path, aside)?;
    }
    replacement.write(bytes)
}

/// A file of a temporary name beside the name that it will have.
#[derive(Debug)]
pub(crate) struct Replacement {
    path: PathBuf,
    temporary: PathBuf,
    file: File,
    /// Whether the file has its name, and the temporary one may be another writer's.
    is_named: bool,
}

impl Replacement {
    /// Makes an empty file of a temporary name beside `path`. If that name is taken, the next one
    /// is tried: another thread may be writing the same file, and so may a process of the same
    /// number on another machine; or one left its file when it was killed, and in containers most
    /// processes have the same number.
    fn of(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut number = 0_u16;
        loop {
            let created = Self::create(path, temporary_name(path, number)?, &options);
            match (created, number.checked_add(1)) {
                (Err(error), Some(next)) if error.kind() == io::ErrorKind::AlreadyExists => {
                    number = next;
                }
                (Err(failure), _) if failure.kind() == io::ErrorKind::NotFound => {
                    return Err(missing_folder(path).unwrap_or(failure));
                }
                (created, _) => return created,
            }
        }
    }

    /// Makes an empty file of this temporary name.
    pub(crate) fn create(
        path: &Path,
        temporary: PathBuf,
        options: &OpenOptions,
    ) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: options.open(&temporary)?,
            temporary,
            is_named: false,
        })
    }

    /// Writes the file, and gives it its name once all is on disk.
    pub(crate) fn write(mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.file.sync_all()?;
        fs::rename(&self.temporary, &self.path)?;
        self.is_named = true;
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.is_named {
            // An error of the removal is ignored: the first error is the one to report.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// The error that names the folder of a file, if it does not exist.
fn missing_folder(path: &Path) -> Option<io::Error> {
    let folder = path.parent()?;
    if folder.as_os_str().is_empty() || folder.exists() {
        return None;
    }
    let message = format!("the folder {} does not exist", folder.display());
    Some(error(io::ErrorKind::NotFound, message))
}

/// Bytes of a file's name that its temporary name begins with. The temporary name then fits
/// wherever the name does, which may have 255 bytes; the names of a store's files are no longer.
const BEGINNING: usize = 64;

fn temporary_name(path: &Path, number: u16) -> io::Result<PathBuf> {
    // Of `a/` and `a/.`, too, `a` is the last component, but no file can have such a name.
    let ends = |name: &&OsStr| {
        let path = path.as_os_str().as_encoded_bytes();
        path.ends_with(name.as_encoded_bytes())
    };
    let name = path.file_name().filter(ends).ok_or_else(|| {
        let message = format!("{} is not the name of a file", path.display());
        error(io::ErrorKind::InvalidInput, message)
    })?;
    // Some file systems take names in UTF-8 alone, so a name is cut between characters.
    let name = name.to_string_lossy();
    let beginning = name.get(..name.floor_char_boundary(BEGINNING));
    let (beginning, process) = (beginning.unwrap_or_default(), std::process::id());
    Ok(path.with_file_name(format!(".{beginning}.{process}.{number}.tmp")))
}

#[cfg(all(test, unix))]
mod tests;
