//! Proofs by a dishonest prover. The low-degree test accepts them, so constraints and lookups must
//! refuse them.
//!
//! The prover is the honest one, which proves whatever traces it is given. The traces are false: a
//! cell is changed, the run itself is changed consistently in all tables, the statement is changed,
//! or no table sends or receives on some bus.

use std::borrow::Borrow;

use droste_native::codec::{decode_body, encode_body};
use droste_native::{Config, F, FriSettings, HashSuite};
use droste_vm::compiler::compile_file;
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{Proof, ProvingKey, Verifier, prove_traces, traces};
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::record::Execution;
use droste_vm::stack::ProveError;
use droste_vm::tables::ext::ExtCols;
use droste_vm::tables::poseidon16::ChainCols;
use droste_vm::tables::{Table, TraceInput};
use droste_vm::verifier::VerifyOptions;
use p3_air::BaseAir;
use p3_batch_stark::common::{CommonData, GlobalPreprocessed, ProverData, ProverOnlyData};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Kind, Lookup, Lookups};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use rand::rngs::SmallRng;
use rand::{Rng, RngExt};

use super::errors::Rejection;

/// Settings of forged proofs: one query is enough, since forgeries pass it.
const SETTINGS: FriSettings = FriSettings {
    log_blowup: 1,
    num_queries: 1,
    ..FriSettings::toy()
};

/// A program that uses every table there is.
pub const EVERYTHING: &str = "
use droste_gadgets::prelude::*;

pub fn main() {
    let x = public_input();
    let one = Felt::ONE;
    let block = Block::new([x, one, x + one, x * x, one, x, one, x]);
    let data = Slice::from_blocks([block, block]);
    let beta = Ext::from_coeffs([x, one, x, one, x]);
    let e = horner(data, 0, 12, beta) * beta.inverse() + beta;
    reveal(e.coeff(0));
    let digest = poseidon16_compress(block, block);
    reveal(poseidon16_hash(data, 16, digest).lane(1));
    let words = limbs(data, 2);
    reveal(blake3_chunk(words, 16, 0, true).block(0).lane(0));
    reveal(keccak_hash(words, 16).block(1).lane(0));
    reveal(e.coeff(1));
    reveal(e.coeff(2));
    reveal(x);
}
";

/// A program that uses only the four tables that every machine has.
pub const LITTLE: &str = "
use droste_gadgets::prelude::*;

pub fn main() {
    let x = public_input();
    let mut y = Felt::ONE;
    for _i in count_to(x) {
        y = y * x + Felt::ONE;
    }
    for i in 0..7 {
        reveal(y + felt(i));
    }
}
";

/// A forgery and its verdict.
#[derive(Clone, Debug)]
pub struct Forgery {
    /// What was false.
    pub change: String,
    /// Why it was refused, if it was.
    pub verdict: Result<(), Rejection>,
}

/// A dishonest prover of one run.
pub trait Forger: Send + Sync {
    /// Returns the names of the program and the hash.
    fn name(&self) -> &str;

    /// Makes one forgery, or returns `None` if the random change is not false, or affects only
    /// cells on which nothing depends.
    fn forge(&self, rng: &mut SmallRng) -> Option<Forgery>;
}

/// A run with everything that is needed to prove it.
struct Run<H: HashSuite> {
    name: String,
    key: ProvingKey<H, StandardTables>,
    verifier: Verifier<H, StandardTables>,
    execution: Execution,
    honest: Vec<RowMajorMatrix<F>>,
    /// Buses of the machine.
    buses: Vec<Kind>,
}

/// Returns a dishonest prover for a run of `source` on input 5.
///
/// # Panics
/// If the honest run cannot be proved, or its proof is not accepted.
pub fn forger<H: HashSuite>(name: &str, source: &str) -> Box<dyn Forger>
where
    StandardTables: Provable<H>,
{
    let compiled =
        compile_file("forge.rs", source, droste_gadgets::SOURCES).expect("the source compiles");
    let inputs = [F::from_u32(5)];
    let execution = execute(&compiled, &inputs, &Tape::default(), 1 << 16).expect("it runs");
    let key = ProvingKey::<H, StandardTables>::new(&compiled.program, SETTINGS, Heights::Minimal)
        .expect("it has a key");
    let honest = traces(&key, &execution).expect("it has traces");
    let verifier = Verifier::new(key.key().clone()).expect("the key is good");
    let lookups = key.data().common.lookups.iter();
    let mut buses: Vec<Kind> = vec![];
    for lookup in lookups.flat_map(|lookups| lookups.iter()) {
        if !buses.contains(&lookup.kind) {
            buses.push(lookup.kind.clone());
        }
    }
    let run = Run {
        name: format!("{name} in {}", H::NAME),
        key,
        verifier,
        execution,
        honest,
        buses,
    };
    let verdict = run.verdict(run.execution.statement, &run.honest);
    assert_eq!(verdict, Ok(()), "{}", run.name);
    Box::new(run)
}

impl<H: HashSuite> Run<H>
where
    StandardTables: Provable<H>,
{
    fn verdict(&self, statement: [F; 8], traces: &[RowMajorMatrix<F>]) -> Result<(), Rejection> {
        let proof = match prove_traces(&self.key, statement, traces) {
            Ok(proof) => proof,
            Err(error) => return Err(Rejection(format!("no proof: {error}"))),
        };
        let verdict = self
            .verifier
            .verify(&[], VerifyOptions::min_bits(0), &proof);
        verdict.map(drop).map_err(|error| Rejection::of(&error))
    }

    /// Returns whether nothing depends on a cell, so that a verifier need not refuse another value:
    /// a value of memory that is never looked up, a cell that its table declares free on such a
    /// row, or a cell of a row of a hash table that answers no call.
    fn is_free(&self, table: usize, row: usize, column: usize) -> bool {
        let trace = &self.honest[table];
        let (width, reads) = (trace.width(), trace.width() - 1);
        let cells = &trace.values[row * width..][..width];
        let unread = cells[reads] == F::ZERO;
        let is_listed =
            |free: &[&str], name: &str| free.contains(&name.split('[').next().unwrap_or(name));
        let table = &self.key.machine().tables()[table];
        match table.name() {
            "words" => unread && column == 1,
            "blocks" => unread && row > 0 && (1..=8).contains(&column),
            "cpu" | "program" => false,
            "ext" => {
                let row: &ExtCols<F> = cells.borrow();
                is_listed(row.free_columns(), &ExtCols::<u8>::names()[column])
            }
            "poseidon16" => {
                let row: &ChainCols<F> = cells.borrow();
                is_listed(row.free_columns(), &ChainCols::<u8>::names()[column])
            }
            _ => {
                let (program, execution) = (self.key.program(), &self.execution);
                row >= table.rows(&TraceInput { program, execution })
            }
        }
    }

    /// Changes one cell of one table.
    fn cell(&self, rng: &mut SmallRng) -> Option<Forgery> {
        let table = rng.random_range(0..self.honest.len());
        let mut traces = self.honest.clone();
        let trace = &mut traces[table];
        let (width, height) = (trace.width(), trace.height());
        let (row, column) = (rng.random_range(0..height), rng.random_range(0..width));
        let other = trace.values[rng.random_range(0..height) * width + column];
        let value = &mut trace.values[row * width + column];
        let old = *value;
        *value = match rng.random_range(0..4) {
            0 => old + F::ONE,
            1 => old + F::new(rng.next_u32()),
            2 => other,
            _ => F::ONE - old,
        };
        if *value == old || self.is_free(table, row, column) {
            return None;
        }
        let name = self.key.machine().tables()[table].name();
        Some(Forgery {
            change: format!("a cell of {name}, row {row}, column {column}"),
            verdict: self.verdict(self.execution.statement, &traces),
        })
    }

    /// Replaces one row of a table by another of its rows.
    fn row(&self, rng: &mut SmallRng) -> Option<Forgery> {
        let table = rng.random_range(0..self.honest.len());
        let mut traces = self.honest.clone();
        let (width, height) = (traces[table].width(), traces[table].height());
        let [from, to] = [0, 1].map(|_| rng.random_range(0..height));
        let at = |row: usize| row * width..(row + 1) * width;
        traces[table].values.copy_within(at(from), at(to).start);
        let differs = (0..width).any(|column| {
            let cell = |row: usize| self.honest[table].values[row * width + column];
            cell(from) != cell(to) && !self.is_free(table, to, column)
        });
        let name = self.key.machine().tables()[table].name();
        differs.then(|| Forgery {
            change: format!("row {from} of {name} copied to row {to}"),
            verdict: self.verdict(self.execution.statement, &traces),
        })
    }

    /// Changes the run: the content of memory, the path through the program, or the calls. All
    /// tables agree on the changed run.
    fn story(&self, rng: &mut SmallRng) -> Option<Forgery> {
        let mut execution = self.execution.clone();
        let more = F::new(1 + rng.next_u32() % 1000);
        let read = |name: &str, row: usize| {
            let tables = self.key.machine().tables();
            let table = tables.iter().position(|table| table.name() == name)?;
            let trace = &self.honest[table];
            Some(trace.values[(row + 1) * trace.width() - 1] != F::ZERO)
        };
        let change = match rng.random_range(0..6) {
            0 => {
                let index = rng.random_range(0..execution.memory.words.len());
                execution.memory.words[index] += more;
                read("words", index)?.then(|| format!("word {index} of the memory"))?
            }
            1 => {
                let index = rng.random_range(0..execution.memory.blocks.len());
                execution.memory.blocks[index][rng.random_range(0..8)] += more;
                read("blocks", index)?.then(|| format!("block {index} of the memory"))?
            }
            2 => {
                let index = rng.random_range(0..execution.cycles.len());
                match rng.random_range(0..3) {
                    0 => drop(execution.cycles.remove(index)),
                    1 => execution.cycles[index].pc = rng.random_range(0..64),
                    _ => execution.cycles[index].fp ^= 1 << rng.random_range(0..6),
                }
                format!("cycle {index}")
            }
            3 => {
                let lane = rng.random_range(0..8);
                execution.statement[lane] += more;
                // The memory may change as well, so that instructions which read the lane find the
                // same value.
                if rng.random_range(0..2) == 0 {
                    execution.memory.blocks[0][lane] += more;
                }
                read("blocks", 0)?.then(|| format!("lane {lane} of the statement"))?
            }
            _ => {
                let calls = execution.calls.iter();
                let called: Vec<usize> = calls
                    .enumerate()
                    .filter(|(_, calls)| !calls.is_empty())
                    .map(|(id, _)| id)
                    .collect();
                let id = *called.get(rng.random_range(0..called.len().max(1)))?;
                let calls = &mut execution.calls[id];
                let index = rng.random_range(0..calls.len());
                match rng.random_range(0..5) {
                    0 => drop(calls.remove(index)),
                    1 => calls.push(calls[index]),
                    2 => calls[index].a += F::ONE,
                    3 => calls[index].b += F::ONE,
                    _ => calls[index].c += F::ONE,
                }
                format!("call {index} of precompile {id}")
            }
        };
        // The change may lead to an address outside the memory. Then there is no trace.
        let traces = match traces(&self.key, &execution) {
            Ok(traces) => traces,
            Err(ProveError::Outside { .. }) => return None,
            Err(error) => panic!("{}: {change}: {error}", self.name),
        };
        Some(Forgery {
            change,
            verdict: self.verdict(execution.statement, &traces),
        })
    }
}

impl<H: HashSuite> Run<H>
where
    StandardTables: Provable<H>,
{
    /// Silences one bus: no table sends or receives on it, so its sums agree. The run is the honest
    /// one, or has one changed cell of memory.
    fn silence(&self, rng: &mut SmallRng) -> Option<Forgery> {
        let bus = &self.buses[rng.random_range(0..self.buses.len())];
        let mut execution = self.execution.clone();
        let mut change = format!("no table sends or receives on bus {bus:?}");
        if rng.random_range(0..2) == 0 {
            let index = rng.random_range(0..execution.memory.words.len());
            execution.memory.words[index] += F::ONE;
            change.push_str(&format!(", and word {index} is changed"));
        }
        let traces = traces(&self.key, &execution).ok()?;
        let proof = self
            .prove_without(bus, &traces)
            .expect("the prover proves any traces");
        let verdict = self
            .verifier
            .verify(&[], VerifyOptions::min_bits(0), &proof);
        Some(Forgery {
            change,
            verdict: verdict.map(drop).map_err(|error| Rejection::of(&error)),
        })
    }

    /// Makes the proof of a prover whose tables neither send nor receive on one bus.
    fn prove_without(
        &self,
        bus: &Kind,
        traces: &[RowMajorMatrix<F>],
    ) -> Result<Proof<H>, Box<dyn std::error::Error>> {
        let common = &self.key.data().common;
        let silent = |lookups: &Lookups<F>| -> Result<Lookups<F>, Box<dyn std::error::Error>> {
            let mut lookups: Vec<Lookup<F>> = lookups.to_vec();
            for lookup in lookups.iter_mut().filter(|lookup| lookup.kind == *bus) {
                lookup.multiplicities.fill(PrimeCharacteristicRing::ZERO);
            }
            // Plonky3 makes this type only from AIRs, but can decode it from bytes.
            Ok(decode_body(&encode_body(vec![], &lookups)?, 0, usize::MAX)?)
        };
        let lookups = common
            .lookups
            .iter()
            .map(silent)
            .collect::<Result<_, _>>()?;
        let tables = self.key.machine().tables();
        let config: Config<H> =
            droste_native::config::<H>(&self.key.key().settings, &self.key.key().digest().0)?;
        let contents = tables
            .iter()
            .filter_map(BaseAir::preprocessed_trace)
            .collect();
        let stark = <StandardTables as Provable<H>>::stark();
        let (commitment, committed) = (stark.commit)(&config, contents)?;
        let preprocessed = common
            .preprocessed
            .as_ref()
            .map(|global| GlobalPreprocessed {
                commitment,
                instances: global.instances.clone(),
                matrix_to_instance: global.matrix_to_instance.clone(),
            });
        let data = ProverData {
            common: CommonData::new(preprocessed, lookups),
            prover_only: ProverOnlyData {
                preprocessed_prover_data: Some(committed),
            },
        };
        let statement = self.execution.statement;
        let public_values: Vec<Vec<F>> = tables
            .iter()
            .map(|table| match BaseAir::<F>::num_public_values(table) {
                0 => vec![],
                _ => statement.to_vec(),
            })
            .collect();
        let batch = (stark.prove_batch)(&config, tables, traces, &public_values, &data)?;
        Ok(Proof {
            key: self.key.key().clone(),
            statement,
            batch,
        })
    }
}

impl<H: HashSuite> Forger for Run<H>
where
    StandardTables: Provable<H>,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn forge(&self, rng: &mut SmallRng) -> Option<Forgery> {
        match rng.random_range(0..10) {
            0..4 => self.cell(rng),
            4 => self.row(rng),
            5 | 6 => self.silence(rng),
            _ => self.story(rng),
        }
    }
}
