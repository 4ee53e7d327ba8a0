//! Lies on the hint tape of recursion programs: every lane of every hint.
//!
//! A lie that is believed must be about a lane that nothing reads ([`padding`]), and every such lane
//! may hold anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use droste_native::{F, FriSettings, Poseidon16Family};
use droste_verifier::recursion::Recursion;
use droste_verifier::tape::{TapeFamily, machine_tape};
use droste_vm::compiler::Compiled;
use droste_vm::executor::{Tape, TapeItem, execute};
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveOptions};
use droste_vm::record::Execution;
use droste_vm::verifier::Verifier;
use p3_field::PrimeCharacteristicRing;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::errors::heading;
use super::files::leaf;
use super::padding::{Lane, padding};

/// Settings of the proofs that are verified: one query, every site of proof of work, caps.
const SETTINGS: FriSettings = FriSettings {
    log_blowup: 1,
    log_final_poly_len: 0,
    max_log_arity: 3,
    num_queries: 1,
    batch_grinding_bits: 1,
    commit_grinding_bits: 1,
    query_grinding_bits: 6,
    lookup_grinding_bits: 1,
    ood_grinding_bits: 1,
    cap_height: 1,
};

/// Most false values for one lane.
pub const LIES: usize = 5;

/// A recursion program, hints with which it accepts, and the lanes of them that nothing reads.
pub struct Case {
    /// What it verifies.
    pub name: String,
    compiled: Compiled,
    tape: Tape,
    honest: Execution,
    padding: BTreeSet<Lane>,
}

fn recursion<H: TapeFamily>(proof: &Proof<H>, children: usize) -> Recursion<H>
where
    StandardTables: Provable<H>,
{
    let verifier = Verifier::<H, StandardTables>::new(proof.key.clone()).expect("a good key");
    Recursion::new(&verifier, &proof.batch.degree_bits, children).expect("there is a program")
}

impl Case {
    fn new(name: String, compiled: &Compiled, tape: Tape, padding: BTreeSet<Lane>) -> Self {
        let honest = execute(compiled, &[], &tape, 1 << 24).expect("honest hints are accepted");
        Self {
            name,
            compiled: compiled.clone(),
            tape,
            honest,
            padding,
        }
    }

    /// The wrap of a small program's proof in hash `H`.
    ///
    /// # Panics
    /// If the honest proof is not wrapped.
    pub fn wrap<H: TapeFamily>() -> Self
    where
        StandardTables: Provable<H>,
    {
        let proof = leaf::<H>(5, SETTINGS);
        let wrap = recursion(&proof, 1);
        let tape = machine_tape(&wrap.tape(&[&proof]).expect("honest hints"));
        let padding = padding(wrap.shape(), &tape);
        Self::new(
            format!("wrap of {}", H::NAME),
            wrap.compiled(),
            tape,
            padding,
        )
    }

    /// The join of two wraps.
    ///
    /// # Panics
    /// If the honest proofs are not joined.
    pub fn join() -> Self {
        let proof = leaf::<Poseidon16Family>(5, SETTINGS);
        let options = ProveOptions {
            settings: SETTINGS,
            heights: Heights::Minimal,
        };
        let wrap = recursion(&proof, 1)
            .prove::<StandardTables>(&[&proof], &options)
            .expect("an honest proof is wrapped");
        let join = recursion(&wrap, 2);
        let tape = machine_tape(&join.tape(&[&wrap, &wrap]).expect("honest hints"));
        let padding = padding(join.shape(), &tape);
        Self::new("join".into(), join.compiled(), tape, padding)
    }

    /// Lanes on the tape, each with the value that the honest run finds there.
    fn lanes(&self) -> Vec<(Lane, F)> {
        let mut lanes = vec![];
        let mut address = self.compiled.tape_base() as usize;
        let mut add = |item, block, lane, value| {
            lanes.push((Lane { item, block, lane }, value));
        };
        for (item, hint) in self.tape.items.iter().enumerate() {
            match hint {
                TapeItem::Felt(value) => add(item, 0, 0, *value),
                TapeItem::Ext(values) => {
                    for (lane, value) in values.iter().enumerate() {
                        add(item, 0, lane, *value);
                    }
                }
                TapeItem::Slice(blocks) => {
                    for block in 0..blocks.len() {
                        // Lanes that precompiles fill are lanes too.
                        for (lane, value) in self.honest.image.blocks[address].iter().enumerate() {
                            add(item, block, lane, *value);
                        }
                        address += 1;
                    }
                }
            }
        }
        lanes
    }

    /// Tells `each` lies about every lane, at most [`LIES`]; stops after `limit`, whatever is left.
    ///
    /// # Panics
    /// If a thread panics, as the executor must not.
    pub fn lies(&self, each: usize, threads: usize, limit: Option<Duration>) -> Report {
        let lanes = self.lanes();
        // A loop that is told never to end runs into the limit of cycles.
        let cycles = 2 * self.honest.cycles.len() as u64;
        let start = Instant::now();
        let next = AtomicUsize::new(0);
        let worker = || {
            let mut report = Report::default();
            let mut tape = self.tape.clone();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let late = limit.is_some_and(|limit| start.elapsed() > limit);
                let Some(&(lane, honest)) = lanes.get(index).filter(|_| !late) else {
                    return report;
                };
                report.lanes += 1;
                let neighbour = lanes[(index + 1) % lanes.len()].1;
                for lie in values(honest, neighbour, index as u64)
                    .into_iter()
                    .take(each)
                {
                    let old = set(&mut tape, lane, Some(lie));
                    let run = execute(&self.compiled, &[], &tape, cycles);
                    set(&mut tape, lane, old);
                    report.lies += 1;
                    match run {
                        Ok(run) => {
                            report.believed += 1;
                            report.lanes_believed.insert(lane);
                            if run.statement != self.honest.statement {
                                report.other_claims.push((lane, lie));
                            }
                        }
                        Err(error) => {
                            report.lanes_refused.insert(lane);
                            let name = heading(&format!("{:?}", error.fault));
                            *report.faults.entry(name).or_default() += 1;
                        }
                    }
                }
            }
        };
        let mut report = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(worker)).collect();
            let mut report = Report::default();
            for worker in workers {
                report.merge(worker.join().expect("the executor does not panic"));
            }
            report
        });
        report.all = lanes.len();
        report.cycles = self.honest.cycles.len();
        report.padding = self.padding.clone();
        report
    }
}

/// False values for a lane.
fn values(honest: F, neighbour: F, seed: u64) -> Vec<F> {
    let random = F::new(SmallRng::seed_from_u64(seed).next_u32() >> 1);
    let mut values = vec![honest + F::ONE, random, F::ZERO, F::NEG_ONE, neighbour];
    values.retain(|&value| value != honest);
    values.dedup();
    values
}

/// Sets a lane; what was there.
fn set(tape: &mut Tape, lane: Lane, value: Option<F>) -> Option<F> {
    match &mut tape.items[lane.item] {
        TapeItem::Slice(blocks) => std::mem::replace(&mut blocks[lane.block][lane.lane], value),
        TapeItem::Felt(felt) => value.map(|value| std::mem::replace(felt, value)),
        TapeItem::Ext(ext) => value.map(|value| std::mem::replace(&mut ext[lane.lane], value)),
    }
}

/// What became of lies.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Cycles of the honest run.
    pub cycles: usize,
    /// Lanes of the tape.
    pub all: usize,
    /// Lanes that were lied about.
    pub lanes: usize,
    /// Lies.
    pub lies: usize,
    /// Lies that were believed.
    pub believed: usize,
    /// Lanes about which a lie was believed.
    pub lanes_believed: BTreeSet<Lane>,
    /// Lanes about which a lie was refused.
    pub lanes_refused: BTreeSet<Lane>,
    /// Lies with which the run ended in another claim.
    pub other_claims: Vec<(Lane, F)>,
    /// Lanes that nothing reads, by the shape.
    pub padding: BTreeSet<Lane>,
    /// What refused lies, and how often.
    pub faults: BTreeMap<String, usize>,
}

impl Report {
    fn merge(&mut self, other: Self) {
        self.lanes += other.lanes;
        self.lies += other.lies;
        self.believed += other.believed;
        self.lanes_believed.extend(other.lanes_believed);
        self.lanes_refused.extend(other.lanes_refused);
        self.other_claims.extend(other.other_claims);
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
    }

    /// Lanes that are read, about which a lie was believed.
    pub fn holes(&self) -> Vec<Lane> {
        self.lanes_believed
            .difference(&self.padding)
            .copied()
            .collect()
    }

    /// Lanes that nothing should read, about which a lie was refused.
    pub fn read(&self) -> Vec<Lane> {
        self.lanes_refused
            .intersection(&self.padding)
            .copied()
            .collect()
    }

    /// Whether what was believed is exactly what nothing reads, and changed no claim.
    pub fn is_good(&self) -> bool {
        self.holes().is_empty() && self.read().is_empty() && self.other_claims.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} cycles; {} of {} lanes, {} lies, {} believed, about {} lanes; padding by the shape: {}",
            self.cycles,
            self.lanes,
            self.all,
            self.lies,
            self.believed,
            self.lanes_believed.len(),
            self.padding.len()
        )?;
        for (what, lanes) in [
            ("read, and a lie is believed", self.holes()),
            ("padding, and a lie is refused", self.read()),
        ] {
            for lane in lanes.iter().take(20) {
                writeln!(f, "  {what}: {lane:?}")?;
            }
        }
        for (lane, lie) in self.other_claims.iter().take(20) {
            writeln!(f, "  another claim: {lane:?}, {lie}")?;
        }
        for (fault, count) in &self.faults {
            writeln!(f, "{count:9}  {fault}")?;
        }
        Ok(())
    }
}
