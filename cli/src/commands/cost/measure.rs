//! `droste cost-row`: measures one row in a process of its own.

use std::io::{self, Write as _};
use std::path::Path;

use clap::Args;
use droste_native::{HashId, codec};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::circuit::Openings;
use droste_verifier::cost::{
    Cost, Request, canonical_steps, canonical_steps_of_file, measure, measure_file,
};
use droste_verifier::program_keys::fitting;
use droste_verifier::summary::StepSummary;
use droste_vm::executor::execute;
use droste_vm::stack::Stack;
use serde::{Deserialize, Serialize};

use super::What;
use super::rows::Row;
use crate::error::CommandError;
use crate::fields::field_list;
use crate::folds::proof_bytes;
use crate::output::Format;
use crate::parameters::Parameters;
use crate::paths::Input;
use crate::program;

/// Arguments of the hidden command `droste cost-row`, which measures one row in a process of its
/// own.
#[derive(Debug, Args)]
pub struct CostRow {
    /// File of the zk-DSL program.
    #[arg(long, required_unless_present = "proof")]
    program: Option<Input>,
    /// File of a proof.
    #[arg(long)]
    proof: Option<Input>,
    #[command(flatten)]
    what: What,
    #[arg(long)]
    inner_hash: Option<HashId>,
    #[command(flatten)]
    inner: Parameters,
    #[arg(long)]
    inner_stack: Option<Stack>,
    #[arg(long, default_value = Openings::Tables.name())]
    openings: Openings,
}

/// What the process that measures one row writes, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct Measured {
    pub row: Row,
    pub outer_estimate_bytes: usize,
}

/// Figures, an estimate of the bytes of memory that the outer proof needs, and the steps to the
/// canonical shape if they were asked for.
type Figures = (Cost, usize, Option<Vec<StepSummary>>);

impl CostRow {
    /// Measures one row and writes it as JSON.
    pub fn run(self, _: Format) -> Result<(), CommandError> {
        let aggregator = self.what.outer.aggregator();
        let aggregator = aggregator.with_openings(self.openings);
        let (figures, outer_estimate_bytes, canonical) = match (&self.proof, &self.program) {
            (Some(path), _) => self.of_proof(path, &aggregator)?,
            (None, Some(path)) => self.of_program(path, &aggregator)?,
            (None, None) => return Err(CommandError::usage("expected a program or a proof")),
        };
        let row = Row {
            figures,
            canonical,
            run: None,
        };
        let measured = Measured {
            row,
            outer_estimate_bytes,
        };
        writeln!(io::stdout(), "{}", serde_json::to_string(&measured)?)?;
        Ok(())
    }

    fn of_proof(&self, path: &Path, aggregator: &Aggregator) -> Result<Figures, CommandError> {
        let bytes = codec::read_file(path).map_err(CommandError::file(path))?;
        if bytes.starts_with(&droste_binary::file::MAGIC) {
            return Err(CommandError::usage(
                "this is the proof of a list of calls or Merkle paths: `droste hashes cost` \
                 measures its wrap",
            ));
        }
        // Of a fold, the proof of its rule.
        let bytes = proof_bytes(bytes)?;
        let outer = self.what.outer.request(aggregator)?;
        let (figures, estimate) = measure_file(&name_of(path), &bytes, self.openings, &outer)?;
        let steps = || canonical_steps_of_file(&bytes, aggregator);
        let canonical = self.what.outer.canonical().then(steps);
        Ok((figures, estimate, canonical.transpose()?))
    }

    fn of_program(&self, path: &Path, aggregator: &Aggregator) -> Result<Figures, CommandError> {
        let (Some(hash), Some(stack)) = (self.inner_hash, self.inner_stack) else {
            return Err(CommandError::usage("expected a hash and a stack"));
        };
        let public = field_list(&self.what.public)?;
        let compiled = program::compile(path)?;
        let tape = program::tape(self.what.hints.as_deref())?;
        let execution = execute(&compiled, &public, &tape, self.what.limit)?;
        let inner = self.inner.over(stack, hash)?;
        let inner = fitting(inner, &compiled, &execution)?;
        let outer = self.what.outer.request(aggregator)?;
        let request = Request {
            name: &name_of(path),
            program: &compiled.program,
            execution: &execution,
            inner,
            openings: self.openings,
            outer: outer.settings,
            memory: outer.memory,
            execute_only: outer.execute_only,
        };
        let (figures, estimate) = measure(&request, hash)?;
        let steps = || canonical_steps(&request, hash, aggregator);
        let canonical = self.what.outer.canonical().then(steps);
        Ok((figures, estimate, canonical.transpose()?))
    }
}

/// What a row calls the program or proof of this file: by its own name, unless every package has a
/// file of that name, or else by the folder of the package or module.
fn name_of(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default();
    let full = path.canonicalize().unwrap_or_default();
    let folders = full.ancestors().skip(1).filter_map(Path::file_name);
    let mut folders = folders.filter(|folder| *folder != "src");
    let is_common = ["lib", "main", "mod"].iter().any(|common| name == *common);
    let folder = is_common.then(|| folders.next()).flatten();
    folder.unwrap_or(name).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_called_by_their_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = |file: &str| folder.path().join(file);
        std::fs::create_dir_all(path("hello/src/part")).unwrap();
        for (file, name) in [
            ("hello/src/lib.rs", "hello"),
            ("hello/src/part/mod.rs", "part"),
            ("hello/src/one.rs", "one"),
            ("hello/five.proof", "five"),
        ] {
            std::fs::write(path(file), "").unwrap();
            assert_eq!(name_of(&path(file)), name);
        }
        assert_eq!(name_of(Path::new("no/lib.rs")), "lib");
    }
}
