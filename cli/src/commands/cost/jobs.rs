//! The rows that `droste cost` measures, each by a process of its own.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use droste_native::HashId;
use droste_verifier::circuit::Openings;
use droste_verifier::cost::is_batch_cheaper;
use droste_vm::executor::execute;
use droste_vm::stack::Stack;
use p3_maybe_rayon::prelude::current_num_threads;

use super::measure::Measured;
use super::rows::Row;
use super::{Cost, What};
use crate::error::CommandError;
use crate::fields::field_list;
use crate::parameters::Parameters;
use crate::paths::Input;
use crate::program;

/// The ways of verifying openings of which there are rows.
#[derive(Clone, Copy)]
pub enum Ways {
    /// This one.
    One(Openings),
    /// By tables, and in a batch where it takes the openings.
    Both,
    /// By tables, and in a batch where it costs less.
    Cheaper,
}

impl Ways {
    /// The first one.
    pub const fn first(self) -> Openings {
        match self {
            Self::One(openings) => openings,
            Self::Both | Self::Cheaper => Openings::Tables,
        }
    }

    /// Whether there is also a row of a batch beside this one, by tables.
    pub fn has_batch_beside(self, row: &Row) -> bool {
        let calls = row.figures.calls_at_queries;
        match self {
            Self::One(_) => false,
            Self::Both => calls.is_some(),
            Self::Cheaper => {
                let hash = row.figures.inner_hash;
                calls.is_some_and(|calls| is_batch_cheaper(hash, calls))
            }
        }
    }
}

/// A row to measure.
pub struct Job {
    /// What is measured, for messages.
    pub name: String,
    /// Arguments of the process that measures it.
    arguments: Vec<OsString>,
}

impl Job {
    /// Measures the row, with openings verified in one way, by running this executable again, because
    /// peak memory can only be read for a whole process.
    pub fn measure(&self, openings: Openings) -> Result<Measured, CommandError> {
        let output = Command::new(std::env::current_exe()?)
            .arg("cost-row")
            .args(&self.arguments)
            .args(option("openings", openings.name()))
            .env("RAYON_NUM_THREADS", current_num_threads().to_string())
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            let mut message = format!("the process that measures ended with {}", output.status);
            if output.status.code().is_none() {
                message
                    .push_str(", perhaps for want of memory: --memory says what a proof may take");
            }
            return Err(CommandError::failed(message));
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

impl Cost {
    /// The rows to measure: one for a proof that exists, or else one for each hash, stack and number
    /// of queries.
    ///
    /// # Errors
    /// Wrong usage and runs that fail, which are reported once, before a process per row is
    /// started.
    pub fn jobs(&self) -> Result<Vec<Job>, CommandError> {
        self.what.outer.memory()?;
        match (&self.proof, &self.program) {
            (Some(proof), _) => {
                let mut arguments = self.what.arguments();
                arguments.extend(option("proof", proof.as_os_str()));
                let name = proof.display().to_string();
                Ok(vec![Job { name, arguments }])
            }
            (None, Some(program)) => self.jobs_of_program(program),
            (None, None) => Ok(vec![]),
        }
    }

    fn jobs_of_program(&self, program: &Input) -> Result<Vec<Job>, CommandError> {
        let parameters = |queries| Parameters {
            preset: self.preset,
            queries,
            blowup: self.blowup,
        };
        let inner: Vec<Parameters> = match self.queries.as_slice() {
            [] => vec![parameters(None)],
            queries => queries.iter().copied().map(Some).map(parameters).collect(),
        };
        let (hashes, stacks) = (self.hashes()?, self.stacks()?);
        let public = field_list(&self.what.public)?;
        let compiled = program::compile(program)?;
        let tape = program::tape(self.what.hints.as_deref())?;
        for &stack in &stacks {
            for inner in &inner {
                // What is refused does not depend on the hash.
                inner.over(stack, HashId::Poseidon16)?;
            }
        }
        // Neither does how a run fails.
        execute(&compiled, &public, &tape, self.what.limit)?;
        let mut jobs = vec![];
        for &hash in &hashes {
            for &stack in &stacks {
                for inner in &inner {
                    let (level, value) = match inner.queries {
                        None => ("preset", inner.preset.to_string()),
                        Some(queries) => ("queries", queries.to_string()),
                    };
                    let name = format!("{hash} over {stack}, {level} {value}");
                    let mut arguments = self.what.arguments();
                    arguments.extend(option("program", program.as_os_str()));
                    arguments.extend(option("inner-hash", hash.name()));
                    arguments.extend(option("inner-stack", stack.name()));
                    arguments.extend(option(level, value));
                    arguments.extend(option("blowup", self.blowup.to_string()));
                    jobs.push(Job { name, arguments });
                }
            }
        }
        Ok(jobs)
    }

    /// The ways of verifying openings of which there are rows.
    pub fn ways(&self) -> Result<Ways, CommandError> {
        match self.openings.as_deref() {
            Some("both") => Ok(Ways::Both),
            Some(name) => {
                let openings = name.parse::<Openings>();
                let openings =
                    openings.map_err(|error| CommandError::usage(format!("{error}, or both")));
                Ok(Ways::One(openings?))
            }
            None => Ok(Ways::Cheaper),
        }
    }

    /// The hashes of inner proofs.
    fn hashes(&self) -> Result<Vec<HashId>, CommandError> {
        let mut hashes = vec![];
        for name in &self.inner_hash {
            match name.as_str() {
                "all" => hashes.extend(HashId::ALL),
                name => hashes.push(name.parse().map_err(CommandError::usage)?),
            }
        }
        Ok(hashes)
    }

    /// The stacks of inner proofs: by default the one that `droste prove` uses.
    fn stacks(&self) -> Result<Vec<Stack>, CommandError> {
        match self.inner_stack.as_deref() {
            Some("both") => Ok(Stack::ALL.to_vec()),
            Some(name) => {
                let stack = name.parse::<Stack>();
                let stack = stack.map_err(|error| CommandError::usage(format!("{error}, or both")));
                Ok(vec![stack?])
            }
            None if self.queries.is_empty() => Ok(vec![Stack::Whir]),
            None => Ok(vec![Stack::Fri]),
        }
    }
}

impl What {
    /// Arguments for the process that measures one row, without the program.
    fn arguments(&self) -> Vec<OsString> {
        let outer = &self.outer;
        let mut arguments = vec![];
        arguments.extend(option("public", &self.public));
        let hints = self.hints.as_deref();
        arguments.extend(hints.into_iter().flat_map(|path| option("hints", path)));
        arguments.extend(option("outer-preset", outer.outer_preset.name()));
        arguments.extend(option("memory", outer.memory.to_string()));
        arguments.extend(option("limit", self.limit.to_string()));
        arguments.extend(outer.execute_only.then(|| "--execute-only".into()));
        arguments.extend(outer.canonical.then(|| "--canonical".into()));
        arguments
    }
}

fn option(name: &str, value: impl Into<OsString>) -> [OsString; 2] {
    [format!("--{name}").into(), value.into()]
}
