//! Files and folders that commands are given, by what the commands do with them: every such
//! argument has one of the types of this module. [`check`] compares all of them before any work
//! begins, so that what a command writes never takes the place of what it reads or writes besides.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};
use clap::{Arg, ArgMatches, Command};
use droste_native::files;
use serde::{Serialize, Serializer};

use crate::error::CommandError;

/// What a command does with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads the file, or the files of the folder.
    Read,
    /// Writes the file.
    Write,
    /// Makes the file or folder if it is missing, and reads and writes it or what is in it.
    Keep,
}

/// Defines types of arguments.
macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(PathBuf);

        impl Deref for $name {
            type Target = Path;

            fn deref(&self) -> &Path {
                &self.0
            }
        }

        impl AsRef<Path> for $name {
            fn as_ref(&self) -> &Path {
                &self.0
            }
        }

        impl ValueParserFactory for $name {
            type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> Self>;

            fn value_parser() -> Self::Parser {
                let of_path: fn(PathBuf) -> Self = Self;
                PathBufValueParser::new().map(of_path)
            }
        }
    )+};
}

arguments! {
    /// A file or folder that a command reads.
    Input

    /// A file that a command writes.
    Output

    /// A file or folder that is a command's own: a store, a key, a package. Only these may be read
    /// and written by one command.
    Kept
}

impl Output {
    /// The file of this name, a dot and `ending`.
    pub fn with_ending(&self, ending: &str) -> Self {
        Self(self.with_added_extension(ending))
    }
}

/// A path that is not UTF-8 has replacement characters, as in everything that commands print.
impl Serialize for Output {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.display())
    }
}

/// A path, with what a command does there and what errors call it.
#[derive(Debug)]
pub struct Named<'a> {
    name: String,
    path: &'a Path,
    role: Role,
}

impl<'a> Named<'a> {
    /// A path that errors call `name`.
    pub fn new(name: impl Display, path: &'a Path, role: Role) -> Self {
        let name = name.to_string();
        Self { name, path, role }
    }
}

impl Display for Named<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.path.display())
    }
}

/// Outputs that can be written. Those that are pipes stay open until this is dropped: whoever reads
/// a pipe takes it for ended when no process has it open.
#[derive(Debug)]
pub struct Checked {
    _outputs: Vec<files::Output>,
}

/// Checks all paths that a command and its subcommands are given, before it is run.
///
/// # Errors
/// As for [`distinct`], and the first path that cannot be written.
pub fn check(command: &Command, matches: &ArgMatches) -> Result<Checked, CommandError> {
    let given = given(command, matches);
    distinct(&given)?;
    let mut outputs = vec![];
    for named in &given {
        let failed = CommandError::file(named.path);
        match named.role {
            Role::Read => {}
            Role::Write => outputs.push(files::Output::open(named.path).map_err(failed)?),
            Role::Keep => check_kept(named.path, &given).map_err(failed)?,
        }
    }
    Ok(Checked { _outputs: outputs })
}

/// Refuses a path that a command changes if it leads to the same file or folder as another one,
/// through links or not.
///
/// # Errors
/// Wrong usage, which names both.
pub fn distinct(given: &[Named<'_>]) -> Result<(), CommandError> {
    let placed = given.iter();
    let placed = placed.filter_map(|named| Some((named, Place::of(named.path)?)));
    let placed: Vec<(&Named<'_>, Place)> = placed.collect();
    for (index, (changed, place)) in placed.iter().enumerate() {
        if changed.role == Role::Read {
            continue;
        }
        let mut others = placed.iter().enumerate();
        let same = others.find(|(other, (_, found))| *other != index && found == place);
        if let Some((_, (other, _))) = same {
            let message = format!("{changed} and {other} are the same file, which would be lost");
            return Err(CommandError::usage(message));
        }
    }
    Ok(())
}

/// Whether two paths lead to the same file or folder, through links or not.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let place = Place::of(one);
    place.is_some() && place == Place::of(other)
}

/// What a path leads to. Paths with the same place are one file or folder.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// Device and number of a file or folder, which hard links share.
    #[cfg(unix)]
    Found(u64, u64),
    /// A path without links.
    Path(PathBuf),
}

impl Place {
    /// `None` for devices like `/dev/null`, in which nothing is replaced.
    fn of(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(found) => Self::found(path, &found),
            Err(_) => Some(Self::missing(path)),
        }
    }

    #[cfg(unix)]
    fn found(_: &Path, found: &fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};

        let is_device = found.file_type().is_char_device();
        (!is_device).then(|| Self::Found(found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn found(path: &Path, _: &fs::Metadata) -> Option<Self> {
        fs::canonicalize(path).ok().map(Self::Path)
    }

    /// Where a file would be if it were made.
    fn missing(path: &Path) -> Self {
        let folder = fs::canonicalize(folder_of(path)).ok();
        let made = folder.zip(path.file_name());
        Self::Path(made.map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name)))
    }
}

/// The folder that a path is in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Checks that files can be made in a folder, or else that it can be made. The folder that it is in
/// must exist, since a misspelt one would be made otherwise; or the command makes that, too.
fn check_kept(path: &Path, given: &[Named<'_>]) -> io::Result<()> {
    let folder = if path.is_dir() { path } else { folder_of(path) };
    let mut kept = given.iter().filter(|named| named.role == Role::Keep);
    if folder.is_dir() {
        tempfile::tempfile_in(folder).map(drop)
    } else if kept.any(|named| Place::of(named.path) == Place::of(folder)) {
        Ok(())
    } else {
        let message = format!("the folder {} does not exist", folder.display());
        Err(io::Error::new(io::ErrorKind::NotFound, message))
    }
}

/// All paths that a command and its subcommands are given.
fn given<'a>(command: &Command, matches: &'a ArgMatches) -> Vec<Named<'a>> {
    let arguments = command.get_arguments();
    let mut given: Vec<Named<'a>> = arguments
        .flat_map(|argument| {
            let mut found = of_type::<Input>(matches, argument, Role::Read);
            found.extend(of_type::<Output>(matches, argument, Role::Write));
            found.extend(of_type::<Kept>(matches, argument, Role::Keep));
            found
        })
        .collect();
    if let Some((name, matches)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        given.extend(self::given(command, matches));
    }
    given
}

/// The values of an argument, if it has this type.
fn of_type<'a, T>(matches: &'a ArgMatches, argument: &Arg, role: Role) -> Vec<Named<'a>>
where
    T: Deref<Target = Path> + Clone + Send + Sync + 'static,
{
    let name = name_of(argument);
    let values = matches.try_get_many::<T>(argument.get_id().as_str());
    let values = values.ok().flatten().into_iter().flatten();
    let named = values.map(|path| Named::new(&name, path, role));
    named.collect()
}

/// How users call an argument: by its option, or by the name of its value.
fn name_of(argument: &Arg) -> String {
    match (argument.get_long(), argument.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => argument.get_id().to_string(),
    }
}

#[cfg(test)]
mod tests;
