//! Reads and verifies the proofs that `droste aggregate` is given.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::iter;
use std::path::{Path, PathBuf};

use clap::Args;
use droste_native::{F, codec, files};
use droste_verifier::file;
use droste_verifier::plan::{Leaf, LeafProgram, Planner};
use droste_vm::verifier::VerifyOptions;
use p3_maybe_rayon::prelude::*;

use crate::error::CommandError;
use crate::fields::field_list;
use crate::folds::FoldKeys;
use crate::kind::FileKind;
use crate::paths::{Input, Named, Role, distinct};
use crate::program;

/// Endings of the files of a folder that are leaves.
const ENDINGS: [&str; 3] = ["proof", "wrap", "agg"];

/// Options that name leaves.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("leaves").required(true).multiple(true).args(["paths", "list"])))]
pub struct Leaves {
    /// Proofs of programs, aggregates, folds, and folders, in this order. Of a folder, the files
    /// that end in .proof, .wrap or .agg are taken, in the order of their names.
    #[arg(value_name = "LEAF")]
    paths: Vec<Input>,
    /// File with one leaf a line: `PROOF PROGRAM PUBLIC`, `AGGREGATE` or `FOLD`. PUBLIC are
    /// comma-separated integers and may be missing; paths are relative to the folder of the list
    /// and have no spaces; lines that begin with # are skipped. These leaves follow the others.
    #[arg(long)]
    list: Option<Input>,
    /// File of the program of which all proofs given as files and folders are. By default NAME.rs,
    /// beside the proof NAME.proof. Elements that the statement of NAME.proof must begin with are
    /// read from NAME.public, comma-separated, if there is such a file.
    #[arg(long)]
    program: Option<Input>,
    /// Least proven bits that every leaf must have.
    #[arg(long, default_value_t = 0)]
    min_bits: usize,
    /// Largest number of rows, blowup included, of the commitment to a program that the parameters
    /// of its proof may require: this bounds the work of verifying.
    #[arg(long, default_value_t = VerifyOptions::DEFAULT.limit)]
    limit: usize,
    #[command(flatten)]
    folds: FoldKeys,
}

/// The file of a leaf. Of an aggregate or a fold only the path is used.
#[derive(Debug, PartialEq, Eq)]
pub struct LeafFile {
    path: PathBuf,
    program: Option<PathBuf>,
    public: Vec<F>,
}

impl Leaves {
    /// Reads and verifies the leaves of these files. Returns them with their paths, in order.
    ///
    /// # Errors
    /// Names the first leaf that cannot be read or is not valid, and why.
    pub fn read(
        &self,
        files: &[LeafFile],
        planner: &Planner,
    ) -> Result<Vec<(PathBuf, Leaf)>, CommandError> {
        let mut programs: BTreeMap<&Path, LeafProgram> = BTreeMap::new();
        for file in files {
            let has_no_program = has_no_program(&file.path);
            if has_no_program.map_err(CommandError::file(&file.path))? {
                continue;
            }
            let program = file.program()?;
            if !programs.contains_key(program) {
                let compiled = program::compile(program)?;
                programs.insert(program, LeafProgram::new(compiled));
            }
        }
        let check = |file: &LeafFile| self.check(planner, file, &programs);
        let checked: Vec<Result<Leaf, CommandError>> = files.par_iter().map(check).collect();
        let paths = files.iter().map(|file| file.path.clone());
        let leaves = paths.zip(checked).map(|(path, leaf)| {
            let leaf = leaf.map_err(CommandError::about(path.display()))?;
            Ok((path, leaf))
        });
        leaves.collect()
    }

    fn check(
        &self,
        planner: &Planner,
        file: &LeafFile,
        programs: &BTreeMap<&Path, LeafProgram>,
    ) -> Result<Leaf, CommandError> {
        let bytes = codec::read_file(&file.path).map_err(CommandError::failed)?;
        let program = file.program.as_deref();
        let options = VerifyOptions::min_bits(self.min_bits).with_limit(self.limit);
        if file::fold::is_fold(&bytes) {
            let key = self.folds.of(&file::fold::decode(&bytes)?)?;
            return Ok(planner.fold(&bytes, key, options)?);
        }
        Ok(match program.and_then(|program| programs.get(program)) {
            Some(program) if !file::is_aggregate(&bytes) => {
                planner.proof(&bytes, program, &file.public, options)?
            }
            _ => planner.aggregate(&bytes, options)?,
        })
    }

    /// The files of all leaves, in order.
    ///
    /// # Errors
    /// If a folder or list cannot be read, or the output is one of the files: of those that a list
    /// names, that are in a folder, as the result of an earlier run may be, or beside a proof.
    pub fn files(&self, output: Option<&Path>) -> Result<Vec<LeafFile>, CommandError> {
        let mut files = vec![];
        for path in &self.paths {
            if path.is_dir() {
                for path in folder(path).map_err(CommandError::file(path))? {
                    files.push(self.file(path)?);
                }
            } else {
                files.push(self.file(path.to_path_buf())?);
            }
        }
        if let Some(path) = &self.list {
            let text = program::read_text(path)?;
            let folder = path.parent().unwrap_or(Path::new(""));
            files.extend(list(&text, folder).map_err(CommandError::about(path.display()))?);
        }
        if let Some(output) = output {
            let public = |file: &LeafFile| file.path.with_extension("public");
            let public: Vec<PathBuf> = files.iter().map(public).collect();
            let public = public.iter();
            let public = public.map(|path| Named::new("the public inputs", path, Role::Read));
            let output = Named::new("--output", output, Role::Write);
            let paths = files.iter().flat_map(LeafFile::paths).chain(public);
            distinct(&iter::once(output).chain(paths).collect::<Vec<_>>())?;
        }
        Ok(files)
    }

    /// A leaf that is given by its path alone.
    fn file(&self, path: PathBuf) -> Result<LeafFile, CommandError> {
        let public = path.with_extension("public");
        let public = if public != path && public.exists() {
            let elements = field_list(program::read_text(&public)?.trim());
            elements.map_err(CommandError::about(public.display()))?
        } else {
            vec![]
        };
        let beside = || path.with_extension("rs");
        let program = self.program.as_deref();
        Ok(LeafFile {
            program: Some(program.map_or_else(beside, Path::to_owned)),
            public,
            path,
        })
    }
}

impl LeafFile {
    /// The paths that are read, or would be if they existed.
    fn paths(&self) -> impl Iterator<Item = Named<'_>> {
        let leaf = Named::new("the leaf", &self.path, Role::Read);
        let program = self.program.as_deref();
        let program = program.map(|path| Named::new("the program", path, Role::Read));
        [leaf].into_iter().chain(program)
    }

    /// The file of the program of which the leaf is a proof.
    fn program(&self) -> Result<&Path, CommandError> {
        let program = self.program.as_deref().filter(|path| path.exists());
        program.ok_or_else(|| {
            let bytes = codec::read_file(&self.path).unwrap_or_default();
            let what = match FileKind::of(&bytes) {
                Some(kind @ (FileKind::Membership | FileKind::Binary | FileKind::Last)) => {
                    kind.to_string()
                }
                _ => "the proof of a program: name the program with --program, as NAME.rs beside \
                      NAME.proof, or in a --list"
                    .to_owned(),
            };
            CommandError::usage(format!("{} is {what}", self.path.display()))
        })
    }
}

/// Whether a file begins as an aggregate or a fold, which are not proofs of one program.
fn has_no_program(path: &Path) -> io::Result<bool> {
    // It will be read again.
    files::check_is_file(path)?;
    let mut start = vec![];
    let length = file::MAGIC.len().max(file::fold::MAGIC.len()) as u64;
    File::open(path)?.take(length).read_to_end(&mut start)?;
    Ok(file::is_aggregate(&start) || file::fold::is_fold(&start))
}

/// The leaves in a folder.
pub fn folder(path: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            found.insert(path);
        }
    }
    if found.is_empty() {
        Err(io::Error::other(
            "the folder has no file that ends in .proof, .wrap or .agg",
        ))
    } else {
        Ok(found)
    }
}

/// The leaves of a list whose paths are relative to `folder`.
fn list(text: &str, folder: &Path) -> Result<Vec<LeafFile>, CommandError> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let file = |(number, line): (usize, &str)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (path, program, public) = match words.as_slice() {
            [path] => (path, None, ""),
            [path, program] => (path, Some(*program), ""),
            [path, program, public] => (path, Some(*program), *public),
            _ => {
                return Err(CommandError::usage(format!(
                    "line {number} has {} words, expected `PROOF PROGRAM PUBLIC`, `AGGREGATE` or `FOLD`",
                    words.len()
                )));
            }
        };
        let about = CommandError::about(format!("line {number}"));
        Ok(LeafFile {
            path: folder.join(path),
            program: program.map(|program| folder.join(program)),
            public: field_list(public).map_err(about)?,
        })
    };
    lines.map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_by_lines() {
        let text = "# two leaves\na.proof p.rs 5,8\n\nb/c.wrap\n";
        let read = list(text, Path::new("in")).unwrap();
        let [proof, aggregate] = read.as_slice() else {
            panic!("{read:?}");
        };
        assert_eq!(proof.path, Path::new("in/a.proof"));
        assert_eq!(proof.program.as_deref(), Some(Path::new("in/p.rs")));
        assert_eq!(proof.public, [F::new(5), F::new(8)]);
        assert_eq!(aggregate.path, Path::new("in/b/c.wrap"));
        assert_eq!(aggregate.program, None);
        for wrong in ["a b 1 2", "a.proof p.rs x"] {
            list(wrong, Path::new("")).unwrap_err();
        }
    }
}
