//! Puts false values into every lane of every hint on the tape of recursion programs.
//!
//! A false value may be accepted only in a lane that nothing reads ([`padding`]), and every such
//! lane may have any value.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use droste_native::stark::security::Preset;
use droste_native::{F, FriSettings, Poseidon16Suite};
use droste_verifier::aggregate::VerifiedProof;
use droste_verifier::circuit::RecursionCircuit;
use droste_verifier::fold::{Child, Fold, LeafKind, Source};
use droste_verifier::tape::{TapeSuite, machine_tape};
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Tape, TapeItem, execute};
use droste_vm::fri::{Proof, Verifier};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::record::Execution;
use p3_field::PrimeCharacteristicRing;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::errors::heading;
use super::files::{PROGRAM, leaf};
use super::padding::{Lane, padding};

/// Settings of the proofs that are verified: one query, proof of work at every site, caps.
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

/// Largest number of false values for one lane.
pub const FALSE_VALUES: usize = 5;

/// Rules of a fold: one takes nothing, one a node and a leaf.
const RULES: &str = "
use droste_gadgets::fold::{Leaf, State};
use droste_gadgets::prelude::*;

pub struct Digest {
    pub digest: Block,
}

impl State for Digest {
    const BLOCKS: usize = 1;

    fn blocks(&self) -> Vec<Block> {
        vec![self.digest]
    }

    fn of(blocks: &[Block]) -> Self {
        Self { digest: blocks[0] }
    }
}

pub fn start() -> Digest {
    Digest { digest: Block::ZERO }
}

pub fn append(before: &Digest, leaf: &Leaf<0>) -> Digest {
    // The digest is that of both.
    let said = hint_slice(1).any().block(0);
    assert_eq!(said, leaf.statement);
    Digest { digest: poseidon16_compress(before.digest, said) }
}
";

/// A recursion program, hints that it accepts, and the lanes of these hints that nothing reads.
pub struct Case {
    /// What the program verifies.
    pub name: String,
    compiled: Compiled,
    tape: Tape,
    /// Items of the tape that are left as they are.
    skipped: Range<usize>,
    honest: Execution,
    padding: BTreeSet<Lane>,
}

fn recursion<H: TapeSuite>(proof: &Proof<H>, children: usize) -> RecursionCircuit
where
    StandardTables: Provable<H>,
{
    let verifier = Verifier::<H, StandardTables>::new(proof.key.clone()).expect("a good key");
    RecursionCircuit::over_fri(&verifier, &proof.batch.degree_bits, children)
        .expect("there is a program")
}

impl Case {
    /// Makes the case of a program, the hints that it accepts, and the lanes that nothing reads.
    ///
    /// # Panics
    /// If the program does not accept the hints.
    pub fn new(name: String, compiled: &Compiled, tape: Tape, padding: BTreeSet<Lane>) -> Self {
        let honest = execute(compiled, &[], &tape, 1 << 24).expect("honest hints are accepted");
        Self {
            name,
            compiled: compiled.clone(),
            tape,
            skipped: 0..0,
            honest,
            padding,
        }
    }

    /// Makes the case of a wrap of a small program's proof in hash `H`.
    ///
    /// # Panics
    /// If the honest proof cannot be wrapped.
    pub fn wrap<H: TapeSuite>() -> Self
    where
        StandardTables: Provable<H>,
    {
        let proof = leaf::<H>(5, SETTINGS);
        let wrap = recursion(&proof, 1);
        let tape = machine_tape(&wrap.tape(&[&proof]).expect("honest hints"));
        let padding = padding(wrap.shape().expect("children over FRI"), &tape);
        Self::new(
            format!("wrap of {}", H::NAME),
            wrap.compiled(),
            tape,
            padding,
        )
    }

    /// Makes the case of the verification of two proofs.
    ///
    /// # Panics
    /// If the honest proofs cannot be joined.
    pub fn join() -> Self {
        let proof = leaf::<Poseidon16Suite>(5, SETTINGS);
        let join = recursion(&proof, 2);
        let tape = machine_tape(&join.tape(&[&proof, &proof]).expect("honest hints"));
        let padding = padding(join.shape().expect("children over FRI"), &tape);
        Self::new("join".into(), join.compiled(), tape, padding)
    }

    /// Makes the case of a fold's rule on a node and a leaf: what it reads beside their proofs, that
    /// is the list of rules, what both children say, and what its function reads. None of it is
    /// padding.
    ///
    /// # Panics
    /// If the rule is not proved.
    pub fn rule() -> Self {
        let source = Source::new("digests", RULES).expect("a name of a module");
        let builder = Fold::of(source, Preset::Toy);
        let aggregator = builder.aggregator().expect("rules with signatures");
        let proof = leaf::<Poseidon16Suite>(5, SETTINGS);
        let statement = proof.statement;
        let proof = VerifiedProof::under_its_own_key(proof).expect("an honest proof");
        let wrap = aggregator.wrap(&proof).expect("an honest proof is wrapped");
        let program = compile(PROGRAM, &[]).expect("the program compiles");
        let kind = LeafKind::of_program("leaf", &program, &wrap).expect("its own sample");
        let fold = builder.with_leaf(kind).build().expect("the rules compile");
        let start = fold.prove("start", &[], &Tape::default());
        let start = start.expect("it takes nothing");
        let mut own = Tape::default();
        own.slice(&[statement]);
        let children = [Child::Node(&start), Child::Leaf(&wrap)];
        let proved = fold.prove("append", &children, &own);
        let says = proved.expect("honest children").statement();

        let (family, counters) = (fold.family(), start.counters());
        let head = |first: [u32; 3]| {
            let lane = |lane: usize| first.get(lane).copied().unwrap_or_default();
            std::array::from_fn(|i| F::from_u32(lane(i)))
        };
        let count = family.keys.len() as u32;
        let mut list = vec![head([count, family.bits.into(), family.bits_behind.into()])];
        list.extend(family.keys.iter().map(|key| key.0));
        let mut tape = Tape::default();
        tape.slice(&list);
        let circuit = fold.circuit("append").expect("there is such a rule");
        let proofs = circuit.tape(&[start.proof(), wrap.proof()]);
        let proofs = machine_tape(&proofs.expect("honest hints")).items;
        let skipped = 1..1 + proofs.len();
        tape.items.extend(proofs);
        let place = family
            .place(start.rule())
            .expect("it is a rule of the fold");
        tape.felt(F::from_usize(place));
        let counters = head([counters.rules, counters.behind, counters.depth]);
        tape.slice(&[&[fold.key().0, counters][..], start.state()].concat());
        tape.slice(&[statement]);
        tape.slice(&[statement]);
        let case = Self::new("rule".into(), circuit.compiled(), tape, BTreeSet::new());
        assert_eq!(case.honest.statement, says);
        Self { skipped, ..case }
    }

    /// Returns the lanes of the tape, each with its value in the honest run.
    fn lanes(&self) -> Vec<(Lane, F)> {
        let mut lanes = vec![];
        let mut address = self.compiled.tape_base() as usize;
        let mut add = |item: usize, block, lane, value| {
            if !self.skipped.contains(&item) {
                lanes.push((Lane { item, block, lane }, value));
            }
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
                        // Lanes that precompiles fill count, too.
                        for (lane, value) in self.honest.memory.blocks[address].iter().enumerate() {
                            add(item, block, lane, *value);
                        }
                        address += 1;
                    }
                }
            }
        }
        lanes
    }

    /// Puts `each` false values, at most [`FALSE_VALUES`], into every lane. Stops after `limit`
    /// even if lanes are left.
    ///
    /// # Panics
    /// If a thread panics, which the executor must not do.
    pub fn false_hints(&self, each: usize, threads: usize, limit: Option<Duration>) -> Report {
        let lanes = self.lanes();
        // A loop that a false value makes endless ends at the limit of cycles.
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
                for value in values(honest, neighbour, index as u64)
                    .into_iter()
                    .take(each)
                {
                    let old = set(&mut tape, lane, Some(value));
                    let run = execute(&self.compiled, &[], &tape, cycles);
                    set(&mut tape, lane, old);
                    report.false_values += 1;
                    match run {
                        Ok(run) => {
                            report.accepted += 1;
                            report.lanes_accepted.insert(lane);
                            if run.statement != self.honest.statement {
                                report.other_claims.push((lane, value));
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

/// Returns false values for a lane.
fn values(honest: F, neighbour: F, seed: u64) -> Vec<F> {
    let random = F::new(SmallRng::seed_from_u64(seed).next_u32() >> 1);
    let mut values = vec![honest + F::ONE, random, F::ZERO, F::NEG_ONE, neighbour];
    values.retain(|&value| value != honest);
    values.dedup();
    values
}

/// Sets a lane and returns its previous value.
fn set(tape: &mut Tape, lane: Lane, value: Option<F>) -> Option<F> {
    match &mut tape.items[lane.item] {
        TapeItem::Slice(blocks) => std::mem::replace(&mut blocks[lane.block][lane.lane], value),
        TapeItem::Felt(felt) => value.map(|value| std::mem::replace(felt, value)),
        TapeItem::Ext(ext) => value.map(|value| std::mem::replace(&mut ext[lane.lane], value)),
    }
}

/// Results of trying false values.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of cycles of the honest run.
    pub cycles: usize,
    /// Number of lanes of the tape.
    pub all: usize,
    /// Number of lanes that were given false values.
    pub lanes: usize,
    /// Number of false values.
    pub false_values: usize,
    /// Number of false values that were accepted.
    pub accepted: usize,
    /// Lanes in which a false value was accepted.
    pub lanes_accepted: BTreeSet<Lane>,
    /// Lanes in which a false value was refused.
    pub lanes_refused: BTreeSet<Lane>,
    /// False values with which the run succeeded with another claim.
    pub other_claims: Vec<(Lane, F)>,
    /// Lanes that nothing reads, computed from the shape.
    pub padding: BTreeSet<Lane>,
    /// Errors that refused false values, and how often.
    pub faults: BTreeMap<String, usize>,
}

impl Report {
    fn merge(&mut self, other: Self) {
        self.lanes += other.lanes;
        self.false_values += other.false_values;
        self.accepted += other.accepted;
        self.lanes_accepted.extend(other.lanes_accepted);
        self.lanes_refused.extend(other.lanes_refused);
        self.other_claims.extend(other.other_claims);
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
    }

    /// Returns the lanes that are read, but in which a false value was accepted.
    pub fn holes(&self) -> Vec<Lane> {
        self.lanes_accepted
            .difference(&self.padding)
            .copied()
            .collect()
    }

    /// Returns the lanes that are padding, but in which a false value was refused.
    pub fn read(&self) -> Vec<Lane> {
        self.lanes_refused
            .intersection(&self.padding)
            .copied()
            .collect()
    }

    /// Returns whether false values were accepted in exactly the lanes that nothing reads, and
    /// changed no claim.
    pub fn is_good(&self) -> bool {
        self.holes().is_empty() && self.read().is_empty() && self.other_claims.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} cycles; {} of {} lanes, {} false values, {} accepted, in {} lanes; padding by the shape: {}",
            self.cycles,
            self.lanes,
            self.all,
            self.false_values,
            self.accepted,
            self.lanes_accepted.len(),
            self.padding.len()
        )?;
        for (what, lanes) in [
            ("read, but a false value was accepted", self.holes()),
            ("padding, but a false value was refused", self.read()),
        ] {
            for lane in lanes.iter().take(20) {
                writeln!(f, "  {what}: {lane:?}")?;
            }
        }
        for (lane, value) in self.other_claims.iter().take(20) {
            writeln!(f, "  another claim: {lane:?}, {value}")?;
        }
        for (fault, count) in &self.faults {
            writeln!(f, "{count:9}  {fault}")?;
        }
        Ok(())
    }
}
