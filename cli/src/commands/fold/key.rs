//! `droste fold key`.

use std::path::Path;
use std::time::Instant;

use clap::Args;
use droste_native::stark::security::Preset;
use droste_native::{HashId, files};
use droste_verifier::fold::{Fold, ForeignFold, LeafKind, LeafPath, RuleInfo, Source, TableRoom};
use droste_verifier::summary::{FamilySummary, milliseconds};
use droste_vm::stack::{Parameters, Stack};
use serde::Serialize;

use super::family::Family;
use crate::error::CommandError;
use crate::output::{Format, Report, counted, print, row};
use crate::paths::{Input, Named, Output, Role, distinct};
use crate::progress::{Progress, note};

/// Arguments of `droste fold key`.
#[derive(Debug, Args)]
pub struct Key {
    /// File of the rules.
    #[arg(value_name = "RULES")]
    rules: Input,
    #[command(flatten)]
    family: Family,
    /// Also print the rows of each table that the verifier of the children takes and leaves free.
    /// A proof is made for it.
    #[arg(long)]
    free: bool,
    /// File to write the recipe of the keys to, for --recipe: with it and the files of the rules and
    /// programs, anyone derives them without samples.
    #[arg(short, long)]
    output: Option<Output>,
}

/// The keys of a fold, as they are printed.
#[derive(Serialize)]
struct Outcome {
    #[serde(flatten)]
    family: FamilySummary,
    /// Security level that was asked for. The key depends on it.
    preset: &'static str,
    /// The rules, in the order of the file.
    programs: Vec<RuleInfo>,
    /// Number of blocks of a state.
    blocks: usize,
    /// The accepted programs.
    leaves: Vec<Leaf>,
    /// The other folds, whose keys were given.
    folds: Vec<Other>,
    derive_ms: f64,
    /// Rows of the tables, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<Vec<TableRoom>>,
}

/// An accepted program: `Leaf<0>` is of the first one.
#[derive(Serialize)]
struct Leaf {
    name: String,
    file: String,
    paths: Vec<Way>,
}

/// A way of a program's proofs to the fold's shape, which is that of a sample.
#[derive(Serialize)]
struct Way {
    program_key: String,
    /// What the program's key holds at.
    hash: Option<HashId>,
    stack: Option<Stack>,
    /// None if the settings are those of no preset.
    preset: Option<Preset>,
    /// Number of wraps.
    wraps: usize,
    /// Least proven bits of the proofs behind the last wrap.
    bits: usize,
    #[serde(skip)]
    parameters: Option<Parameters>,
}

impl Leaf {
    fn new(leaf: &LeafKind, file: &Path) -> Self {
        let paths = leaf.paths().iter();
        Self {
            name: leaf.name().to_owned(),
            file: file.display().to_string(),
            paths: paths.map(|path| Way::new(leaf, path)).collect(),
        }
    }

    /// A row for each path; `number` is that of the leaf.
    fn rows(&self, number: usize) -> impl Iterator<Item = Vec<String>> + '_ {
        self.paths.iter().enumerate().map(move |(path, way)| {
            let name = match path {
                0 => format!("leaf {number}"),
                _ => format!("leaf {number}, path {path}"),
            };
            row(name, format!("{}, {}", self.file, way.text()))
        })
    }
}

impl Way {
    fn new(leaf: &LeafKind, path: &LeafPath) -> Self {
        let parameters = path.parameters();
        Self {
            program_key: path.key().to_string(),
            hash: parameters.map(|of| of.hash),
            stack: parameters.map(|of| of.settings.stack()),
            preset: parameters.and_then(|of| of.preset()),
            wraps: path.wraps().len(),
            bits: leaf.bits_of(path),
            parameters,
        }
    }

    fn text(&self) -> String {
        let parameters = self.parameters.map(|of| format!(" at {of}"));
        format!(
            "program key {}{}, {}, {} bits behind the last one",
            self.program_key,
            parameters.unwrap_or_default(),
            counted(self.wraps, "wrap", "wraps"),
            self.bits
        )
    }
}

/// Another fold.
#[derive(Serialize)]
struct Other {
    /// File of its rules.
    rules: String,
    key: String,
    bits_of_rules: u16,
    bits_behind: u16,
    /// Digest of the file, which the key does not bind.
    blake3: String,
}

impl Other {
    fn new(fold: &ForeignFold) -> Self {
        let (family, rules) = (fold.family(), fold.sources().first());
        let file = rules.map(|source| format!("{}.rs", source.stem()));
        Self {
            rules: file.unwrap_or_default(),
            key: fold.key().to_string(),
            bits_of_rules: family.bits,
            bits_behind: family.bits_behind,
            blake3: rules.map(Source::digest).unwrap_or_default(),
        }
    }
}

impl Report for Outcome {
    fn rows(&self) -> Vec<Vec<String>> {
        let family = &self.family;
        let mut rows = vec![
            row(family.key_is, &family.key),
            row(
                "bits",
                format!(
                    "{} of each proof of rules and last wraps, {} of those behind",
                    family.bits_of_rules, family.bits_behind
                ),
            ),
            row("preset", self.preset),
            row("state", format!("{} blocks", self.blocks)),
        ];
        let rules = self.programs.iter();
        rows.extend(rules.map(|rule| row("rule", format!("{rule}, {}", rule.key))));
        let leaves = self.leaves.iter().enumerate();
        rows.extend(leaves.flat_map(|(number, leaf)| leaf.rows(number)));
        for (number, other) in self.folds.iter().enumerate() {
            let Other {
                rules,
                key,
                bits_of_rules,
                bits_behind,
                blake3,
            } = other;
            let text = format!(
                "{rules}, {key}, {bits_of_rules} bits of rules and last wraps, {bits_behind} of \
                 those behind, BLAKE3 of the file {blake3}"
            );
            rows.push(row(format!("fold {number}"), text));
        }
        for table in self.room.iter().flatten() {
            let TableRoom {
                table,
                rows: height,
                verifier,
                free,
            } = table;
            let text = format!("{free} of {height} rows are free, the verifier takes {verifier}");
            rows.push(row(format!("table {table}"), text));
        }
        rows.push(row("derived in", format!("{:.0} ms", self.derive_ms)));
        rows
    }
}

impl Key {
    /// Derives the keys and prints them.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let output = self.output.as_deref();
        let output = output.map(|path| Named::new("--output", path, Role::Write));
        distinct(
            &output
                .into_iter()
                .chain(self.family.paths())
                .collect::<Vec<_>>(),
        )?;
        let progress = Progress::spinner("deriving");
        let start = Instant::now();
        let fold = self.family.fold(&self.rules, &[])?;
        let derive_ms = milliseconds(start.elapsed());
        let room = (self.free || self.family.asks_for_room()).then(|| {
            progress.stage("making a proof of the fold's shape");
            fold.room()
        });
        let room = room.transpose()?;
        let doubts = doubts(&fold, room.as_deref().unwrap_or_default())?;
        let files: Vec<&Path> = self.family.program_files().collect();
        let outcome = Outcome::new(&fold, &files, derive_ms, room.filter(|_| self.free));
        if let Some(path) = &self.output {
            let text = serde_json::to_vec_pretty(fold.recipe())?;
            files::write(path, &text).map_err(CommandError::file(path))?;
        }
        progress.finish();
        print(&outcome, format)?;
        for doubt in doubts {
            note(format_args!("warning: {doubt}"));
        }
        Ok(())
    }
}

/// What a caller may not have meant of a fold whose tables have this room.
fn doubts(fold: &Fold, room: &[TableRoom]) -> Result<Vec<String>, CommandError> {
    let (preset, behind) = (fold.recipe().preset, fold.family().bits_behind);
    let mut doubts = vec![];
    if usize::from(behind) < preset.target_bits() {
        let name = preset.name();
        doubts.push(format!(
            "a sample or another fold has {behind} bits, fewer than {name}: the fold key accepts \
             such proofs"
        ));
    }
    let mut tables = room.iter();
    let Some(TableRoom { free, .. }) = tables.find(|table| table.table == "cpu") else {
        return Ok(doubts);
    };
    for rule in fold.paper().names() {
        let program = &fold.paper().compiled(rule)?.program;
        let length = program.instructions.len();
        if length > *free {
            let rows = length.next_multiple_of(64);
            doubts.push(format!(
                "`{rule}` has {length} instructions, and {free} rows of cpu are free: unless most \
                 of them are not run, it cannot be proved without --room cpu={rows}, with what else \
                 was asked for"
            ));
        }
    }
    Ok(doubts)
}

impl Outcome {
    /// The files are those of the accepted programs.
    fn new(fold: &Fold, files: &[&Path], derive_ms: f64, room: Option<Vec<TableRoom>>) -> Self {
        let leaves = fold.leaves().iter().zip(files);
        let leaves = leaves.map(|(leaf, file)| Leaf::new(leaf, file));
        Self {
            family: FamilySummary::new(fold.family()),
            preset: fold.recipe().preset.name(),
            programs: fold.rules().collect(),
            blocks: fold.blocks(),
            leaves: leaves.collect(),
            folds: fold.folds().iter().map(Other::new).collect(),
            derive_ms,
            room,
        }
    }
}
