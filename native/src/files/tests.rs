//! Files, links, pipes, devices and folders, all in temporary folders.

use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::Command;
use std::thread;

use super::*;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("droste-files-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        path
    }

    /// Number of files: temporary ones must not be left.
    fn files(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn is_pipe(path: &Path) -> bool {
    fs::symlink_metadata(path).unwrap().file_type().is_fifo()
}

#[test]
fn files_are_written_whole() {
    let folder = Folder::new("whole");
    let path = folder.path("a");
    for write in [write, replace] {
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(read(&path, 6).unwrap(), b"second");
        write(&folder.path("missing").join("a"), b"x").unwrap_err();
        write(Path::new("/"), b"x").unwrap_err();
        assert_eq!(folder.files(), 1);
    }
    let refused = read(&path, 5).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
    // What could not be written in the end is not opened: the work on it would be lost.
    for name in ["a/", "a/.", "b/", "b/.", "b/..", ".."] {
        let refused = Output::open(&folder.path(name)).unwrap_err();
        assert!(!refused.to_string().is_empty(), "{name}");
        replace(&folder.path(name), b"x").unwrap_err();
    }
    // What is opened and not written leaves nothing, and changes nothing.
    drop(Output::open(&path).unwrap());
    drop(Output::open(&folder.path("b")).unwrap());
    assert_eq!((read(&path, 6).unwrap().len(), folder.files()), (6, 1));
}

/// The names of files may have 255 bytes, and temporary ones are not longer. They are cut between
/// characters, of which some have three bytes, and may be no UTF-8.
#[test]
fn names_may_be_as_long_as_they_can_be() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new("names");
    let mut bytes = "\u{2028}".repeat(85).into_bytes();
    let long = folder.0.join(OsStr::from_bytes(&bytes));
    bytes[3] = 0xff;
    let other = folder.0.join(OsStr::from_bytes(&bytes));
    for path in [&long, &other] {
        drop(Output::open(path).unwrap());
        write(path, b"first").unwrap();
        replace(path, b"second").unwrap();
        assert_eq!(read(path, 6).unwrap(), b"second");
    }
    assert_eq!(folder.files(), 2);
}

/// A process may be killed while it works on a result: until that is written, there is no file.
#[test]
fn an_output_that_is_open_leaves_nothing() {
    let folder = Folder::new("open");
    let path = folder.path("a");
    let output = Output::open(&path).unwrap();
    assert_eq!(folder.files(), 0);
    output.write(b"x").unwrap();
    assert_eq!((read(&path, 1).unwrap(), folder.files()), (vec![b'x'], 1));
    for output in [Output::open, Output::at] {
        let refused = output(&folder.path("none/a")).and_then(|output| output.write(b"x"));
        let (words, folder) = (refused.unwrap_err().to_string(), folder.path("none"));
        assert_eq!(
            words,
            format!("the folder {} does not exist", folder.display())
        );
    }
}

#[test]
fn permissions_are_kept() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new("permissions");
    let path = folder.path("a");
    write(&path, b"public").unwrap();
    for mode in [0o600, 0o640, 0o400] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        write(&path, b"private").unwrap();
        let found = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode);
    }
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let folder = Folder::new("kinds");
    let sub = folder.path("folder");
    fs::create_dir(&sub).unwrap();
    let refused = |path: &Path, words: &str| {
        let refused = write(path, b"x").unwrap_err().to_string();
        assert!(refused.contains(words), "{}: {refused}", path.display());
    };
    refused(&sub, "is not a file");
    // A pipe without a reader is refused, and one with a reader is written to; neither waits.
    let pipe = folder.pipe("pipe");
    refused(&pipe, "nobody reads");
    let mut reader = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&pipe)
        .unwrap();
    write(&pipe, b"through").unwrap();
    let mut bytes = [0; 7];
    reader.read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"through");
    assert!(is_pipe(&pipe));
    // A device stays one; the link to it, too.
    let device = folder.path("device");
    symlink("/dev/null", &device).unwrap();
    write(&device, b"x").unwrap();
    assert!(fs::symlink_metadata(&device).unwrap().is_symlink());
    // What a link leads to is written, the link stays.
    let (target, link) = (sub.join("target"), folder.path("link"));
    symlink(&target, &link).unwrap();
    refused(&link, "leads to no file");
    fs::write(&target, b"old").unwrap();
    write(&link, b"new").unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_dir(&sub).unwrap().count(), 1);
}

/// In folders of our own, whatever has the name makes room.
#[test]
fn what_has_the_name_makes_room() {
    let folder = Folder::new("room");
    let pipe = folder.pipe("pipe");
    let link = folder.path("link");
    symlink(&pipe, &link).unwrap();
    let sub = folder.path("folder");
    fs::create_dir(&sub).unwrap();
    fs::write(sub.join("mine"), b"").unwrap();
    for path in [&link, &pipe, &sub] {
        replace(path, b"x").unwrap();
        assert_eq!(read(path, 1).unwrap(), b"x");
        assert!(fs::symlink_metadata(path).unwrap().is_file());
    }
    // The folder is still there, under another name.
    let entries = fs::read_dir(&folder.0).unwrap().map(Result::unwrap);
    let kept = entries.filter(|entry| entry.path().join("mine").exists());
    assert_eq!(kept.count(), 1);
    assert_eq!(folder.files(), 4);
}

#[test]
fn reading_does_not_wait_for_a_writer() {
    let folder = Folder::new("pipes");
    let pipe = folder.pipe("pipe");
    let refused = read(&pipe, 10).unwrap_err();
    assert!(refused.to_string().contains("nobody writes"), "{refused}");
    check_is_file(&pipe).unwrap_err();
    check_is_file(&folder.path("none")).unwrap_err();
    // One that somebody has opened to write to is read to its end, however late that comes.
    let drained = |writer: &File| {
        while rustix::io::ioctl_fionread(writer).unwrap() > 0 {
            thread::yield_now();
        }
    };
    let both_ends = || {
        OpenOptions::new()
            .read(true)
            .write(true)
            .open(&pipe)
            .unwrap()
    };
    let mut writer = both_ends();
    let reader = thread::spawn({
        let pipe = pipe.clone();
        move || read(&pipe, 100)
    });
    for text in ["early, ", "late"] {
        writer.write_all(text.as_bytes()).unwrap();
        drained(&writer);
    }
    drop(writer);
    assert_eq!(reader.join().unwrap().unwrap(), b"early, late");
    // Devices have no end.
    let refused = read(Path::new("/dev/zero"), 10).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
    assert_eq!(read(Path::new("/dev/null"), 10).unwrap(), b"");
}
