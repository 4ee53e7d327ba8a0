//! The options that say what a fold is made from: its rules, the programs and other folds that they
//! take, and the shape of its proofs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use droste_native::codec;
use droste_native::stark::security::Preset;
use droste_verifier::aggregate::{Aggregate, Aggregator};
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file;
use droste_verifier::fold::{
    FamilyRecipe, Fold, FoldBuilder, ForeignFold, LeafKind, LeafKindError, LeafProgram, Paper,
    Room, Source,
};
use droste_verifier::keys::Deriver;
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyOptions;

use crate::calling::{Calls, Loaded};
use crate::error::CommandError;
use crate::parameters::{default_preset, preset_of};
use crate::paths::{Input, Named, Role};
use crate::program::read_json;
use crate::trust::Derivation;

/// What a fold is made from, beside its rules.
#[derive(Debug, Args)]
pub struct Family {
    /// File of a program whose proofs the rules take: `Leaf<0>` is of the first one. May be given
    /// several times.
    #[arg(long = "leaf", value_name = "PROGRAM")]
    programs: Vec<Input>,
    /// A proof of one of these programs, or its wrap. The keys of a fold depend on how the proofs of
    /// its leaves are wrapped, so on the size of the programs' runs: give one of each size, up to
    /// four of a program. Where leaves are given, the first one of each program is its sample
    /// unless this option is there.
    #[arg(long = "sample", value_name = "FILE")]
    samples: Vec<Input>,
    #[command(flatten)]
    calls: Calls,
    /// Another fold whose proofs the rules take: its rules, what `droste fold key -o` wrote for it,
    /// and its fold key. That key is not derived: take it from somebody whom you believe, not from
    /// the recipe. It does not bind the text of the rules, which must be your own copy.
    /// `Foreign<0, ..>` is the first one. May be given several times.
    #[arg(long = "fold", value_name = "RULES=RECIPE=KEY")]
    folds: Vec<Other>,
    /// What `droste fold key -o` wrote for these rules, instead of samples and of the two options
    /// below. Nothing of it is believed: the keys are derived, and those of other folds compared
    /// with --fold.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["samples", "preset", "room"])]
    recipe: Option<Input>,
    /// Security level of the proofs: proven-100, proven-120, proven-128 or toy (insecure). The
    /// default of every command is $DROSTE_PRESET, or else proven-120.
    #[arg(long, default_value = default_preset(), value_parser = preset_of)]
    preset: Preset,
    /// Rows of the tables that functions may use, beside the verifier of their children: `joins`
    /// for what joins of as many proofs leave free, or at least so many, by table, such as
    /// cpu=16384,poseidon16=256.
    #[arg(long, default_value = "joins", value_parser = room_of)]
    room: Room,
    #[command(flatten)]
    derivation: Derivation,
}

/// The rules of another fold, its recipe, and the fold key that it must have.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Other {
    rules: PathBuf,
    recipe: PathBuf,
    key: KeyDigest,
}

impl FromStr for Other {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=');
        let parts = parts.and_then(|(rules, rest)| Some((rules, rest.rsplit_once('=')?)));
        let Some((rules, (recipe, key))) = parts else {
            let message = "expected the file of the rules, the recipe and the fold key, with `=` \
                           between them";
            return Err(message.to_owned());
        };
        let key = key.parse::<KeyDigest>();
        Ok(Self {
            rules: rules.into(),
            recipe: recipe.into(),
            key: key.map_err(|error| error.to_string())?,
        })
    }
}

fn room_of(text: &str) -> Result<Room, String> {
    if text == "joins" {
        return Ok(Room::Joins);
    }
    let mut rows = BTreeMap::new();
    for part in text.split(',') {
        let of_table = part.split_once('=').and_then(|(table, number)| {
            let number: usize = number.parse().ok()?;
            Some((table.trim().to_owned(), number))
        });
        let Some((table, number)) = of_table else {
            return Err("expected `joins`, or TABLE=ROWS, comma-separated".to_owned());
        };
        if rows.insert(table, number).is_some() {
            return Err(format!("`{part}` is of a table that is there twice"));
        }
    }
    Ok(Room::Least(rows))
}

/// A program whose proofs are leaves.
struct Program<'a> {
    path: &'a Path,
    loaded: Loaded,
}

impl Program<'_> {
    fn leaf(&self) -> LeafProgram<'_> {
        match &self.loaded {
            Loaded::Plain(compiled) => LeafProgram::Program(&compiled.program),
            Loaded::Calling(program) => LeafProgram::Calling(program),
        }
    }

    /// Its name, for messages.
    fn name(&self) -> String {
        let name = self.path.file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

impl Family {
    /// The fold of the rules of a file. Its keys are derived. `leaves` are files that serve as
    /// samples if there is no option that names any.
    ///
    /// # Errors
    /// If a file cannot be read, the rules do not compile, or a program has no sample.
    pub fn fold(&self, rules: &Path, leaves: &[&Path]) -> Result<Fold, CommandError> {
        let source = source(rules)?;
        let deriver = Arc::new(self.derivation.deriver());
        let programs = self.programs()?;
        let others = self.others()?;
        if let Some(path) = &self.recipe {
            let mut recipe: FamilyRecipe = read_json(path)?;
            // Names are those of the files, whatever the recipe calls them.
            for (leaf, program) in recipe.leaves.iter_mut().zip(&programs) {
                leaf.name = program.name();
            }
            let leaves: Vec<LeafProgram<'_>> = programs.iter().map(Program::leaf).collect();
            let fold = Fold::from_recipe(source, &leaves, others, recipe, deriver);
            return fold.map_err(CommandError::about(path.display()));
        }
        let mut builder = self
            .builder(source, others)
            .with_deriver(Arc::clone(&deriver));
        if !programs.is_empty() {
            let samples = Samples {
                programs: &programs,
                aggregator: builder.aggregator()?,
                deriver: &deriver,
            };
            for kind in self.kinds(&samples, leaves)? {
                builder = builder.with_leaf(kind);
            }
        }
        Ok(builder.build()?)
    }

    /// The rules of a file on paper, all compiled. Programs and samples do not matter.
    ///
    /// # Errors
    /// If a file cannot be read, or the rules do not compile.
    pub fn paper(&self, rules: &Path) -> Result<Paper, CommandError> {
        let paper = self.builder(source(rules)?, self.others()?).paper()?;
        paper.compile()?;
        Ok(paper)
    }

    /// Whether options name what rules take, or a recipe.
    pub const fn is_given(&self) -> bool {
        !self.programs.is_empty()
            || !self.samples.is_empty()
            || !self.folds.is_empty()
            || self.recipe.is_some()
            || self.calls.is_given()
    }

    /// Whether rows of tables are asked for, so that finding the shape takes proofs.
    pub const fn asks_for_room(&self) -> bool {
        matches!(self.room, Room::Least(_))
    }

    /// The fold keys of the other folds, in order.
    pub fn other_keys(&self) -> Vec<KeyDigest> {
        self.folds.iter().map(|other| other.key).collect()
    }

    /// The files that are named by two paths in one argument, which are not checked with the others.
    pub fn paths(&self) -> impl Iterator<Item = Named<'_>> {
        self.folds.iter().flat_map(|other| {
            let files = [&other.rules, &other.recipe];
            files.map(|path| Named::new("--fold", path, Role::Read))
        })
    }

    /// The files of the accepted programs, in order.
    pub fn program_files(&self) -> impl Iterator<Item = &Path> {
        self.programs.iter().map(|path| &**path)
    }

    fn builder(&self, source: Source, others: Vec<ForeignFold>) -> FoldBuilder {
        let builder = Fold::of(source, self.preset).with_room(self.room.clone());
        others.into_iter().fold(builder, FoldBuilder::with_fold)
    }

    fn programs(&self) -> Result<Vec<Program<'_>>, CommandError> {
        let programs = self.programs.iter().map(|path| {
            let loaded = self.calls.compile(path)?;
            Ok(Program { path, loaded })
        });
        programs.collect()
    }

    fn others(&self) -> Result<Vec<ForeignFold>, CommandError> {
        let others = self.folds.iter().map(|other| {
            let recipe: FamilyRecipe = read_json(&other.recipe)?;
            let sources = vec![source(&other.rules)?];
            let fold = ForeignFold::pinned(sources, &recipe, other.key);
            fold.map_err(CommandError::about(other.rules.display()))
        });
        others.collect()
    }

    /// The programs with the paths of their samples.
    fn kinds(
        &self,
        samples: &Samples<'_>,
        leaves: &[&Path],
    ) -> Result<Vec<LeafKind>, CommandError> {
        let mut kinds: Vec<Option<LeafKind>> = samples.programs.iter().map(|_| None).collect();
        if self.samples.is_empty() {
            for path in leaves {
                if kinds.iter().all(Option::is_some) {
                    break;
                }
                samples.add(path, &mut kinds, true)?;
            }
        } else {
            for path in &self.samples {
                samples.add(path, &mut kinds, false)?;
            }
        }
        let kinds = kinds.into_iter().zip(samples.programs);
        let kinds = kinds.map(|(kind, program)| {
            kind.ok_or_else(|| {
                let path = program.path.display();
                CommandError::usage(format!(
                    "there is no sample of {path}: give a proof of it with --sample, or with \
                     --recipe what `droste fold key -o` wrote"
                ))
            })
        });
        kinds.collect()
    }
}

/// What samples are read with.
struct Samples<'a> {
    programs: &'a [Program<'a>],
    aggregator: Aggregator,
    deriver: &'a Deriver,
}

impl Samples<'_> {
    /// Adds the path of a sample to the kind of its program. If `is_spare`, only the first sample of
    /// each program is wanted, and a file that is none is left for others to refuse.
    fn add(
        &self,
        path: &Path,
        kinds: &mut [Option<LeafKind>],
        is_spare: bool,
    ) -> Result<(), CommandError> {
        let added = self.add_bytes(path, kinds, is_spare);
        added.map_err(CommandError::about(path.display()))
    }

    fn add_bytes(
        &self,
        path: &Path,
        kinds: &mut [Option<LeafKind>],
        is_spare: bool,
    ) -> Result<(), CommandError> {
        let bytes = codec::read_file(path).map_err(CommandError::failed)?;
        if file::fold::is_fold(&bytes) {
            let message = "this is a fold, expected a proof of an accepted program, or its wrap";
            return if is_spare {
                Ok(())
            } else {
                Err(CommandError::usage(message))
            };
        }
        let is_wrapped = file::is_aggregate(&bytes);
        let mut wrap: Option<Aggregate> = None;
        if is_wrapped {
            let aggregate = file::decode(&bytes)?;
            wrap = Some(aggregate.derive(self.deriver, &AcceptedLeaves::Any)?);
        }
        let mut refused: Option<CommandError> = None;
        for (program, kind) in self.programs.iter().zip(kinds) {
            if !is_wrapped {
                // Whatever its bits: what is made of it has no more.
                let insecure = VerifyOptions::min_bits(0);
                if let Err(error) = program.loaded.verify(&bytes, &[], insecure) {
                    refused.get_or_insert(error.into());
                    continue;
                }
                if kind.is_some() && is_spare {
                    return Ok(());
                }
                let wraps = &self.aggregator;
                wrap = Some(wraps.wrap_bytes(&bytes, &program.loaded, &[], insecure)?);
            }
            let Some(wrap) = &wrap else { continue };
            let leaf = program.leaf();
            let with = match kind.take() {
                None => LeafKind::new(&program.name(), leaf, wrap),
                Some(known) => {
                    *kind = Some(known.clone());
                    known.with_path(leaf, wrap)
                }
            };
            match with {
                Ok(with) => {
                    *kind = Some(with);
                    return Ok(());
                }
                // That of another of the programs.
                Err(error @ LeafKindError::OtherProgram { .. }) => {
                    refused.get_or_insert(error.into());
                }
                Err(error) => return Err(error.into()),
            }
        }
        refused.filter(|_| !is_spare).map_or(Ok(()), Err)
    }
}

fn source(path: &Path) -> Result<Source, CommandError> {
    Ok(Source::from_file(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_are_rows_of_tables() {
        assert_eq!(room_of("joins"), Ok(Room::Joins));
        let rows = [("cpu", 16384), ("poseidon16", 256)];
        let rows = rows.map(|(table, rows)| (table.to_owned(), rows));
        assert_eq!(
            room_of("cpu=16384,poseidon16=256"),
            Ok(Room::Least(rows.into()))
        );
        for wrong in ["", "cpu", "cpu=", "cpu=x", "cpu=1,cpu=2", "=,"] {
            assert!(room_of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn another_fold_is_two_files_and_a_key() {
        let key = "01".repeat(32);
        let other: Other = format!("a/old.rs=old=1.json={key}").parse().unwrap();
        assert_eq!(other.rules, Path::new("a/old.rs"));
        assert_eq!(other.recipe, Path::new("old=1.json"));
        assert_eq!(other.key.to_string(), key);
        for wrong in ["old.rs", "old.rs=old.json", "old.rs=old.json=01"] {
            assert!(wrong.parse::<Other>().is_err(), "{wrong}");
        }
    }
}
