//! The circuits of a fold's rules, and their keys.
//!
//! All rules verify proofs of one shape, so they share the evaluators of its tables. A circuit is
//! compiled when it is first needed: keys that were derived before are remembered.

use std::collections::BTreeMap;
use std::sync::Arc;

use droste_native::Poseidon16Suite;
use droste_native::whir::WhirSettings;
use droste_vm::key::KeyDigest;
use droste_vm::machine::{MachineError, StandardTables, program_entry};
use p3_maybe_rayon::prelude::*;
use serde::Serialize;

use super::FoldError;
use super::compiled::Rules;
use super::instance::Instance;
use super::shape::{FoldShape, Room};
use crate::circuit::{
    ChildShape, CircuitError, CircuitKey, Recent, RecursionCircuit, WhirVerifier,
};
use crate::keys::{Deriver, MAX_BITS, power};

/// Number of circuits that are kept, each with its key: some 100 MB at the default preset.
const CIRCUITS: usize = 5;

/// Number of rules that are compiled in parallel, on any number of processors: compiling one and
/// committing to it may take some hundred MB of memory.
const SIDE_BY_SIDE: usize = 2;

/// Raised by every change of what a rule's key is derived from, beside the text.
const VERSION: u32 = 1;

/// The key of a rule, and the proven bits of the proofs that it verifies.
type Derived = Result<(KeyDigest, usize), FoldError>;

/// The circuits of a fold's rules.
pub(super) struct Circuits {
    rules: Arc<Rules>,
    shape: FoldShape,
    children: ChildShape,
    verifier: Recent<(), WhirVerifier>,
    circuits: Recent<usize, RecursionCircuit>,
    /// The room that was asked for, which an error repeats.
    asked: BTreeMap<String, usize>,
}

/// What the key of a rule is derived from.
#[derive(Serialize)]
struct RuleSource<'a> {
    version: u32,
    /// The text of its program, but for what verifies its children, which depends on the shape.
    text: String,
    /// The files that the text imports.
    files: Vec<(&'a str, &'a str)>,
    settings: WhirSettings,
    log_heights: &'a [usize],
}

impl Circuits {
    pub fn new(rules: Arc<Rules>, shape: FoldShape, room: &Room) -> Result<Self, MachineError> {
        Ok(Self {
            children: shape.children()?,
            rules,
            shape,
            verifier: Recent::new(1),
            circuits: Recent::new(CIRCUITS),
            asked: match room {
                Room::Least(rows) => rows.clone(),
                Room::Joins | Room::Heights(_) => BTreeMap::new(),
            },
        })
    }

    /// The shape of all proofs.
    pub const fn shape(&self) -> &FoldShape {
        &self.shape
    }

    /// The verifier of all children.
    fn verifier(&self) -> Result<Arc<WhirVerifier>, FoldError> {
        let verifier = self.verifier.get_or_make(&(), || {
            let of = &self.children;
            let verifier = of.verifier_over_whir::<StandardTables, Poseidon16Suite>()?;
            WhirVerifier::new(&verifier, &of.log_heights)
        });
        Ok(verifier?)
    }

    /// The circuit of the program of this number.
    ///
    /// # Errors
    /// If it does not compile, or its machine is not R, or it is longer than its table.
    pub fn circuit(&self, number: usize) -> Result<Arc<RecursionCircuit>, FoldError> {
        self.circuits.get_or_make(&number, || {
            let (rules, verifier) = (&self.rules, self.verifier()?);
            let instance = rules.program(number)?;
            let text = rules.text(instance, &verifier);
            let (shape, count) = (self.children.clone(), instance.slots.len());
            let libraries = rules.libraries();
            let made = RecursionCircuit::of_rule(verifier, shape, count, text, &libraries);
            let circuit = made.map_err(|error| match error {
                CircuitError::Compile(error) => rules.does_not_compile(instance, error),
                error => error.into(),
            })?;
            rules.check_precompiles(instance, circuit.compiled())?;
            self.check_length(instance, &circuit)?;
            Ok(circuit)
        })
    }

    /// Refuses a program that is longer than its table is high.
    fn check_length(
        &self,
        instance: &Instance,
        circuit: &RecursionCircuit,
    ) -> Result<(), FoldError> {
        let rows = circuit.compiled().program.instructions.len();
        let most =
            program_entry(&self.shape.log_heights).map_or(0, |&log_height| power(log_height));
        if rows <= most {
            return Ok(());
        }
        let paper = self.rules.compile_paper(instance.number)?;
        let needs = paper.program.instructions.len();
        let too_low = TooLow {
            table: "program".to_owned(),
            needs,
            rows,
            most,
        };
        let mut refused = self.room(instance, &too_low, &[]);
        if let FoldError::Room { suggested, .. } = &mut refused {
            // Code without loops takes as many cycles.
            let cpu = suggested.entry("cpu".to_owned()).or_default();
            *cpu = needs.next_multiple_of(64).max(*cpu);
        }
        Err(refused)
    }

    /// Refuses a program that takes too many rows of these tables, if there is one.
    pub fn check_room(&self, instance: &Instance, tables: &[TooLow]) -> Result<(), FoldError> {
        match tables.split_first() {
            None => Ok(()),
            Some((first, others)) => Err(self.room(instance, first, others)),
        }
    }

    /// That a program takes too many rows of these tables. What is suggested is at least what was
    /// asked for, or else the next error would ask for that again.
    fn room(&self, instance: &Instance, first: &TooLow, others: &[TooLow]) -> FoldError {
        let mut suggested = self.asked.clone();
        for low in [first].into_iter().chain(others) {
            let rows = suggested.entry(low.table.clone()).or_default();
            *rows = low.needs.next_multiple_of(64).max(*rows);
        }
        FoldError::Room {
            rule: instance.name.clone(),
            table: first.table.clone(),
            needs: first.needs,
            room: (first.most).saturating_sub(first.rows.saturating_sub(first.needs)),
            suggested,
        }
    }

    /// The key of a circuit's proofs.
    ///
    /// # Errors
    /// If nothing can be proved at the fold's shape.
    pub fn key(&self, circuit: &RecursionCircuit) -> Result<Arc<CircuitKey>, FoldError> {
        Ok(circuit.key(self.shape.settings, &self.shape.heights())?)
    }

    /// Keys of all rules, and the proven bits of the proofs that each verifies, by number.
    ///
    /// # Errors
    /// If a program does not compile or has no key.
    pub fn derive(&self, deriver: &Deriver) -> Result<Vec<(KeyDigest, usize)>, FoldError> {
        let all: Vec<(&Instance, RuleSource<'_>)> = (self.rules.instances().iter())
            .map(|instance| (instance, self.source(instance)))
            .collect();
        let is_known =
            |(_, source): &(&Instance, RuleSource<'_>)| deriver.cached(source, || Err(())).is_ok();
        if !all.iter().all(is_known) {
            // Once, before several circuits ask for it at a time.
            self.verifier()?;
        }
        let derive = |(instance, source): &(&Instance, RuleSource<'_>)| -> Derived {
            deriver.cached(source, || {
                let circuit = self.circuit(instance.number)?;
                let key = self.key(&circuit)?.digest();
                let verifies = !instance.slots.is_empty();
                let bits = if verifies { circuit.bits() } else { MAX_BITS };
                Ok((key, bits))
            })
        };
        let derived = all.chunks(SIDE_BY_SIDE).flat_map(|some| {
            let derived = some.par_iter().map(derive);
            derived.collect::<Vec<Derived>>()
        });
        derived.collect()
    }

    fn source(&self, instance: &Instance) -> RuleSource<'_> {
        let files = self.rules.sources();
        RuleSource {
            version: VERSION,
            text: self.rules.paper_text(instance),
            files: files.map(|file| (file.path(), file.text())).collect(),
            settings: self.shape.settings,
            log_heights: &self.shape.log_heights,
        }
    }
}

/// A table of which a program takes too many rows: on paper `needs`, with the verifier of its
/// children `rows`, of which there are `most`.
pub(super) struct TooLow {
    pub table: String,
    pub needs: usize,
    pub rows: usize,
    pub most: usize,
}
