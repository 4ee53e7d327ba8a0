//! `droste-bench paths`: Merkle paths of one tree, proved in each hash and brought to the canonical
//! shape of the recursion machine, by a table of the hash over either stack, or over GF(2^128).
//!
//! The statement is the same: the root, the leaves and their indices. By a table, the program
//! `merkle_paths` is run and proved, with commitments in Poseidon-16. Each row is measured in a
//! process of its own, so that the peak of memory is that of the row alone.

mod tree;

use std::error::Error;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use droste_binary::paths::{Digest, MerklePaths, Path, node};
use droste_binary::{Poseidon16, Witness, prove, verify};
use droste_native::precompile::{
    Block, blake3_merkle, keccak_merkle, poseidon2_merkle, poseidon16_merkle,
};
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{F, Poseidon16Suite};
use droste_verifier::aggregate::{Aggregate, Aggregator, VerifiedProof};
use droste_verifier::binary::BinaryCircuit;
use droste_verifier::circuit::{BinaryShape, LeafProof, Openings};
use droste_verifier::cost::{Leaf, Request, leaf as leaf_proof};
use droste_verifier::resources::{cpu_time, peak_memory};
use droste_verifier::summary::milliseconds;
use droste_vm::compiler::compile_file;
use droste_vm::executor::{Tape, execute};
use droste_vm::{fri, whir};
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};

use crate::calls::settings_over_whir;
use crate::process;
use crate::report::Report;
use tree::{DEPTH, Tree};

/// Number of instructions after which a run counts as failed.
const LIMIT: u64 = 1 << 26;

/// A hash of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Hash {
    Poseidon16,
    Poseidon2,
    Blake3,
    Blake2s,
    Keccak,
}

/// How the nodes are proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Way {
    /// A table of the hash, over FRI.
    Fri,
    /// A table of the hash, over WHIR.
    Whir,
    /// Over GF(2^128).
    Binary,
}

impl Way {
    const fn description(self) -> &'static str {
        match self {
            Self::Fri => "a table over FRI",
            Self::Whir => "a table over WHIR",
            Self::Binary => "a proof over GF(2^128)",
        }
    }

    /// Whether nodes in the hash are proved in this way.
    fn proves(self, hash: Hash) -> bool {
        match self {
            Self::Fri | Self::Whir => hash.in_machine().is_some(),
            Self::Binary => hash.in_binary().is_some(),
        }
    }
}

/// What to measure.
#[derive(Args)]
pub struct Arguments {
    /// Hashes of the trees.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "poseidon16,poseidon2,blake3,blake2s,keccak"
    )]
    hashes: Vec<Hash>,
    /// How nodes are proved: those ways that there are for a hash.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "fri,whir,binary"
    )]
    ways: Vec<Way>,
    /// Numbers of paths of 16 nodes.
    #[arg(long, value_delimiter = ',', default_value = "256")]
    paths: Vec<usize>,
    /// Security level of all proofs.
    #[arg(long, default_value_t = Preset::Proven100)]
    preset: Preset,
    /// GiB of memory that a proof by a table may take, by an estimate made before it is proved.
    #[arg(long, default_value_t = 12)]
    memory: usize,
    /// Measures the row in this process, without starting another.
    #[arg(long, hide = true)]
    here: bool,
}

/// Runs every measurement.
pub fn run(arguments: &Arguments) -> Report {
    let mut rows = vec![];
    for &paths in &arguments.paths {
        for &hash in &arguments.hashes {
            for &way in &arguments.ways {
                if way.proves(hash) {
                    rows.extend(row(arguments, paths, hash, way));
                }
            }
        }
    }
    Report::from_rows(rows)
}

fn row(arguments: &Arguments, paths: usize, hash: Hash, way: Way) -> Option<Value> {
    if arguments.here {
        let row = measure(arguments, paths, hash, way);
        return row
            .inspect_err(|error| eprintln!("{hash:?} {way:?}: {error}"))
            .ok();
    }
    let (paths, memory) = (paths.to_string(), arguments.memory.to_string());
    let (hash, way, preset) = (name(hash), name(way), arguments.preset.to_string());
    #[rustfmt::skip]
    let options = [
        "paths", "--here", "--paths", &paths, "--hashes", &hash, "--ways", &way,
        "--preset", &preset, "--memory", &memory,
    ];
    process::row(&options, &[])
}

/// The name of a value in arguments and rows.
fn name(value: impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// What proving the paths gave.
struct Proved {
    time: Duration,
    cpu: Duration,
    /// `fft_cost` of the machine's run that computes the nodes; there is none over GF(2^128).
    fft_cost: Option<u64>,
    bits: usize,
    aggregate: Aggregate,
}

fn measure(
    arguments: &Arguments,
    paths: usize,
    hash: Hash,
    way: Way,
) -> Result<Value, Box<dyn Error>> {
    let proved = match way {
        Way::Fri | Way::Whir => by_table(arguments, paths, hash, way)?,
        Way::Binary => binary(arguments, paths, hash)?,
    };
    let steps = proved.aggregate.steps();
    let first = steps.first().ok_or("there are no steps")?;
    let steps_cpu: Duration = steps.iter().map(|step| step.prove_cpu).sum();
    let steps_time: Duration = steps.iter().map(|step| step.execute + step.prove).sum();
    let cpu = proved.cpu + steps_cpu;
    Ok(json!({
        "hash": name(hash),
        "proved_by": way.description(),
        "preset": arguments.preset.to_string(),
        "paths": paths,
        "nodes": paths * DEPTH,
        "prove_ms": milliseconds(proved.time),
        "prove_cpu_ms": milliseconds(proved.cpu),
        "proven_bits": proved.bits,
        "fft_cost": proved.fft_cost,
        "verifier_cycles": first.cycles,
        "verifier_fft_cost": first.report.fft_cost(),
        "steps": steps.len(),
        "steps_ms": milliseconds(steps_time),
        "steps_cpu_ms": milliseconds(steps_cpu),
        "cpu_ms": milliseconds(cpu),
        "cpu_us_per_node": milliseconds(cpu) * 1e3 / (paths * DEPTH) as f64,
        "peak_rss_bytes": peak_memory(),
    }))
}

/// An aggregator whose canonical shape has room for joins of two.
fn aggregator(preset: Preset) -> Aggregator {
    Aggregator::for_preset(preset, 2)
}

/// Proves the paths over GF(2^128), and verifies that proof in the machine.
fn binary(arguments: &Arguments, paths: usize, hash: Hash) -> Result<Proved, Box<dyn Error>> {
    let hash = hash
        .in_binary()
        .ok_or("there are no binary proofs in this hash")?;
    let leaf = |index: usize| {
        let mut leaf = Digest::default();
        leaf[..8].copy_from_slice(&(index as u64).to_le_bytes());
        leaf
    };
    let tree = Tree::new(leaf, |left, right| node(hash, left, right));
    let root = tree.root();
    let path = |(leaf, index, siblings)| {
        let index = index as u64;
        (Path { leaf, index, root }, siblings)
    };
    let (paths, siblings): (Vec<Path>, Vec<Vec<Digest>>) = tree.paths(paths).map(path).unzip();
    drop(tree);
    let paths = MerklePaths::new(hash, DEPTH, paths)?;
    let circuit = BinaryCircuit::new(BinaryShape::of(paths.shape())?)?;

    let (cpu, start) = (cpu_time(), Instant::now());
    let proof = prove::<Poseidon16>(Witness::of_paths(&paths, &siblings)?)?;
    let (time, cpu) = (start.elapsed(), cpu_time().saturating_sub(cpu));
    let bits = verify(&paths, &proof)?.sum() as usize;
    let run = circuit.run(&paths, &proof)?;
    Ok(Proved {
        time,
        cpu,
        fft_cost: None,
        bits,
        aggregate: aggregator(arguments.preset).wrap_run(run)?,
    })
}

/// A digest in the machine: one block, or in a byte hash two, of 16 bits a lane. Where it is one,
/// the other is zero.
type Node = [Block; 2];

/// The parent of two digests, if their lanes are in range.
type Parent = fn(&Node, &Node) -> Option<Node>;

impl Hash {
    const fn in_binary(self) -> Option<droste_binary::Hash> {
        match self {
            Self::Blake3 => Some(droste_binary::Hash::Blake3),
            Self::Blake2s => Some(droste_binary::Hash::Blake2s),
            Self::Keccak => Some(droste_binary::Hash::KeccakF),
            Self::Poseidon16 | Self::Poseidon2 => None,
        }
    }

    /// Name of the type in gadgets, number of blocks of a digest, and a parent.
    fn in_machine(self) -> Option<(&'static str, usize, Parent)> {
        Some(match self {
            Self::Poseidon16 => ("poseidon16::Poseidon16", 1, |left, right| {
                let root = poseidon16_merkle(&left[0], 0, &[right[0]]).ok()?;
                Some([root, Block::default()])
            }),
            Self::Poseidon2 => ("poseidon2::Poseidon2", 1, |left, right| {
                let root = poseidon2_merkle(&left[0], 0, &[right[0]]).ok()?;
                Some([root, Block::default()])
            }),
            Self::Blake3 => ("blake3::Blake3", 2, |left, right| {
                blake3_merkle(left, 0, &[*right]).ok()
            }),
            Self::Keccak => ("keccak::Keccak", 2, |left, right| {
                keccak_merkle(left, 0, &[*right]).ok()
            }),
            Self::Blake2s => return None,
        })
    }
}

/// A text with another part in place of one that it has.
pub fn replaced(text: &str, part: &str, by: &str) -> Result<String, String> {
    let (before, after) = (text.split_once(part)).ok_or(format!("the text has no {part}"))?;
    Ok(format!("{before}{by}{after}"))
}

/// Proves the program `merkle_paths` in this hash, and verifies that proof in the machine.
fn by_table(
    arguments: &Arguments,
    paths: usize,
    hash: Hash,
    way: Way,
) -> Result<Proved, Box<dyn Error>> {
    let (module, blocks, parent) = hash.in_machine().ok_or("the hash has no table")?;
    let leaf = |index: usize| {
        let mut leaf = Node::default();
        leaf[0][0] = F::from_usize(index);
        leaf
    };
    let parent = |left: &Node, right: &Node| parent(left, right).expect("lanes are in range");
    let tree = Tree::new(leaf, parent);
    let mut tape = Tape::default();
    tape.slice(&tree.root()[..blocks]);
    for (leaf, index, siblings) in tree.paths(paths) {
        tape.slice(&leaf[..blocks]);
        let mut number = Block::default();
        number[0] = F::from_usize(index);
        tape.slice(&[number]);
        let siblings: Vec<Block> = siblings
            .iter()
            .flat_map(|node| &node[..blocks])
            .copied()
            .collect();
        tape.slice(&siblings);
    }
    drop(tree);

    let source = droste_programs::source("merkle_paths").ok_or("there is no such program")?;
    let source = replaced(source, "keccak::Keccak", module)?;
    let source = replaced(
        &source,
        "PATHS: usize = 4",
        &format!("PATHS: usize = {paths}"),
    )?;
    let compiled = compile_file("merkle_paths", &source, droste_gadgets::SOURCES)?;
    let execution = execute(&compiled, &[], &tape, LIMIT)?;
    let (program, preset) = (&compiled.program, arguments.preset);
    let request = |inner| Request {
        name: "merkle_paths",
        program,
        execution: &execution,
        inner,
        openings: Openings::Tables,
        outer: WhirSettings::of(preset),
        memory: arguments.memory << 30,
        execute_only: true,
    };
    if way == Way::Fri {
        let settings = preset.settings(1)?;
        let request = request(settings.into());
        let leaf = leaf_proof::<fri::Proof<Poseidon16Suite>>(&request, settings)?;
        wrap(arguments, leaf)
    } else {
        let settings = settings_over_whir(preset, program, &execution);
        let settings = settings.ok_or("there are no settings over WHIR for so many cells")?;
        let leaf = leaf_proof::<whir::Proof>(&request(settings.into()), settings)?;
        wrap(arguments, leaf)
    }
}

fn wrap<P: LeafProof>(arguments: &Arguments, leaf: Leaf<P>) -> Result<Proved, Box<dyn Error>> {
    let proof = VerifiedProof::under_its_own_key(leaf.proof)?;
    Ok(Proved {
        time: leaf.prove,
        cpu: leaf.cpu,
        fft_cost: Some(leaf.fft_cost),
        bits: leaf.bits,
        aggregate: aggregator(arguments.preset).wrap(&proof)?,
    })
}
