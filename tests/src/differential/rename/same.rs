//! Compiles a program under several names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use droste_vm::compiler::{Compiled, SourceMap};

use super::super::known::KNOWN;
use super::super::machine::{self, Refusal};
use super::super::random::Random;
use super::super::source::print;
use super::super::{corpus, features, report};
use super::{Naming, identifiers, rename};

/// Names in the library files of programs that have none.
pub const NOTHING: BTreeSet<&str> = BTreeSet::new();

/// How often names that collide are chosen for a generated program, for one of the repository, and
/// for one that was once misread.
const TIMES: (usize, usize, usize) = (2, 4, 24);

/// Results of compiling programs under several names.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of programs.
    pub programs: usize,
    /// Programs whose names are not understood.
    pub unread: usize,
    /// Number of programs that were compiled under at least two names, to the same instructions.
    pub same: usize,
    /// Number of names that were changed, over all programs.
    pub names: usize,
    /// Programs that are compiled under their own names and refused under others: how many with
    /// each message, and one of them.
    pub refused: BTreeMap<String, (usize, String)>,
    /// Programs that two sets of names give different instructions: both texts.
    pub differ: Vec<(String, String, String)>,
}

/// Compiles the programs of the repository under several names, and those that were once misread.
///
/// # Errors
///
/// If a file cannot be read.
pub fn repository(seed: u64) -> std::io::Result<Report> {
    let libraries = droste_gadgets::SOURCES;
    let outside = libraries
        .iter()
        .flat_map(|(_, text)| identifiers(text))
        .collect();
    let mut report = Report::default();
    for known in KNOWN {
        let source = known.program(0).native;
        let mut random = Random::new(seed, 0);
        report.add(known.name, &source, (&[], &NOTHING), TIMES.2, &mut random);
    }
    for (example, number) in corpus::examples()?.iter().zip(0..) {
        let mut random = Random::new(seed, number);
        // Without library files if there is no need, since they limit the choice of names.
        let (files, outside) = match example.text.matches("droste_gadgets::").count() {
            1 => (&[] as &[_], &NOTHING),
            _ => (libraries, &outside),
        };
        report.add(
            &example.name,
            &example.text,
            (files, outside),
            TIMES.1,
            &mut random,
        );
    }
    Ok(report)
}

impl Report {
    /// Compiles a generated program under its own and other names.
    pub fn add_generated(&mut self, seed: u64, number: u64) {
        let source = print(&features::program(seed, number).0);
        let name = format!("program {number} of seed {seed}");
        let mut random = Random::new(seed, number);
        self.add(&name, &source, (&[], &NOTHING), TIMES.0, &mut random);
    }

    /// Compiles a program under its own names, fresh ones and, `times` times, ones that collide.
    /// The library files that it may import are given with the names in them.
    pub fn add(
        &mut self,
        name: &str,
        source: &str,
        (libraries, outside): (&[(&str, &str)], &BTreeSet<&str>),
        times: usize,
        random: &mut Random,
    ) {
        self.programs += 1;
        let own = build(source, libraries);
        let mut first = own
            .as_ref()
            .ok()
            .map(|compiled| (compiled.clone(), source.to_owned()));
        let mut compiled = usize::from(own.is_ok());
        let colliding = std::iter::repeat_n(Naming::Colliding, times);
        for naming in std::iter::once(Naming::Fresh).chain(colliding) {
            let Some((text, changed)) = rename(source, outside, naming, random) else {
                self.unread += 1;
                return;
            };
            self.names += changed;
            match (build(&text, libraries), &first) {
                (Ok(other), Some((one, _))) if *one == other => compiled += 1,
                (Ok(_), Some((_, one))) => {
                    self.differ.push((name.to_owned(), one.clone(), text));
                    return;
                }
                (Ok(other), None) => {
                    compiled += 1;
                    first = Some((other, text));
                }
                (Err(refusal), _) => {
                    if own.is_ok() {
                        let (message, at) = match refusal {
                            Refusal::Error(message, at) => (message, at),
                            Refusal::Panic(message) => {
                                (format!("panics: {message}"), String::new())
                            }
                        };
                        let message = report::kind(&message);
                        let kind = self.refused.entry(message).or_default();
                        if kind.0 == 0 {
                            kind.1 = format!("{name}: {at}\n{text}");
                        }
                        kind.0 += 1;
                    }
                }
            }
        }
        self.same += usize::from(compiled >= 2);
    }
}

fn build(source: &str, libraries: &[(&str, &str)]) -> Result<Compiled, Refusal> {
    let mut compiled = machine::build(source, libraries)?;
    compiled.source_map = SourceMap::default();
    Ok(compiled)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refused: usize = self.refused.values().map(|kind| kind.0).sum();
        writeln!(
            f,
            "{} programs, {} names changed: {} compiled under several names to the same instructions, \
             {} differ; {refused} refused only under other names, {} not read",
            self.programs,
            self.names,
            self.same,
            self.differ.len(),
            self.unread,
        )?;
        for (message, (times, example)) in &self.refused {
            writeln!(
                f,
                "  refused {times:5}: {message}   ({})",
                example.lines().next().unwrap_or("")
            )?;
        }
        Ok(())
    }
}
