//! `droste-bench tables`: the hash tables against Plonky3's, proved by the same `p3-uni-stark` with
//! the same commitment, FRI settings and challenge field, without any bus; then what a bus costs.

mod bus;
mod evaluate;

use clap::Args;
use droste_air::keccak::degree5;
use droste_air::{blake3, keccak, poseidon16};
use droste_native::poseidon16::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH,
};
use droste_native::{Blake3Family, Config, F, FriSettings, config};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_poseidon1::Poseidon1Constants;
use p3_poseidon1_air::Poseidon1Air;
use p3_uni_stark::{prove, verify};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::clock::{milliseconds_since, now};
use crate::memory;
use crate::race::{Times, duel};
use crate::report::Report;
use bus::Hash;
use evaluate::evaluator;

/// Plonky3's table of the same permutation, one per row.
type PeerPoseidon16 = Poseidon1Air<F, WIDTH, 3, 0, HALF_FULL_ROUNDS, PARTIAL_ROUNDS>;

/// Arguments of the command.
#[derive(Args)]
pub struct Arguments {
    /// Rounds of each measurement, of which the median counts.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Logarithm of the number of Poseidon-16 permutations.
    #[arg(long, default_value_t = 14)]
    poseidon16: u32,
    /// Logarithm of the number of Blake3 compressions.
    #[arg(long, default_value_t = 12)]
    blake3: u32,
    /// Logarithm of the number of rows of the Keccak table, 24 a permutation.
    #[arg(long, default_value_t = 15)]
    keccak_rows: u32,
    /// Logarithm of the blowup; the Keccak table of degree 5 has at least 2.
    #[arg(long, default_value_t = 1)]
    log_blowup: usize,
    /// Queries of the proofs.
    #[arg(long, default_value_t = 100)]
    queries: usize,
    /// Leaves the proofs with a bus out.
    #[arg(long)]
    no_bus: bool,
}

impl Arguments {
    fn config(&self, log_blowup: usize) -> Config<Blake3Family> {
        let settings = FriSettings {
            log_blowup,
            num_queries: self.queries,
            cap_height: 3,
            query_grinding_bits: 8,
            ..FriSettings::toy()
        };
        config::<Blake3Family>(&settings, &[]).expect("the settings are in range")
    }
}

/// One table proved.
#[derive(Serialize)]
struct Figures {
    count: usize,
    degree: usize,
    blowup: usize,
    /// Main columns, those of the interface apart.
    main: usize,
    /// Base columns of the look-up argument.
    lookup: usize,
    /// Main columns that only serve messages.
    interface: usize,
    rows_per_permutation: usize,
    cells_per_permutation: usize,
    fft_cost: f64,
    /// Nanoseconds to evaluate all constraints on one row, packed.
    constraints_ns: f64,
    trace_ms: f64,
    prove_ms: f64,
    verify_ms: f64,
    permutations_per_s: f64,
    /// What one proof adds to the resident set. Too little where it fits memory that the allocator keeps
    /// from the rounds before, as Poseidon-16's does.
    peak_rss_bytes: Option<usize>,
}

/// What is known of a table before it is proved.
#[derive(Clone, Copy)]
struct Shape {
    count: usize,
    rows: usize,
    degree: usize,
    log_blowup: usize,
}

/// A table that can be proved, once a call.
struct Contender<'a> {
    shape: Shape,
    width: usize,
    height: usize,
    trace_ms: f64,
    verify_ms: f64,
    prove: Box<dyn FnMut() + 'a>,
    evaluate: Box<dyn FnMut() + 'a>,
}

/// Generates a trace, checks its proof, and gives back what can be raced; a macro, since the bounds of
/// `prove` differ between profiles.
macro_rules! contender {
    ($arguments:expr, $shape:expr, $air:expr, $trace:expr) => {{
        let (arguments, shape, air): (&Arguments, Shape, _) = ($arguments, $shape, &$air);
        let config = arguments.config(shape.log_blowup);
        let start = now();
        let trace: RowMajorMatrix<F> = $trace;
        let trace_ms = milliseconds_since(start);
        let (width, height) = (trace.width(), trace.height());
        let run = move |trace: &RowMajorMatrix<F>| {
            // Room for the low-degree extension, as Plonky3's generators leave it.
            let mut values = Vec::with_capacity(trace.values.len() << shape.log_blowup);
            values.extend_from_slice(&trace.values);
            let trace = RowMajorMatrix::new(values, width);
            prove(&config, air, trace, &[]).expect("the trace is valid")
        };
        let proof = run(&trace);
        let start = now();
        verify(&arguments.config(shape.log_blowup), air, &proof, &[]).expect("the proof is valid");
        Contender {
            shape,
            width,
            height,
            trace_ms,
            verify_ms: milliseconds_since(start),
            evaluate: Box::new(evaluator(air, &trace)),
            prove: Box::new(move || drop(run(&trace))),
        }
    }};
}

impl Contender<'_> {
    fn figures(&mut self, prove: &Times, evaluate: &Times) -> Figures {
        let Shape {
            count,
            rows,
            degree,
            log_blowup,
        } = self.shape;
        let prove_ms = prove.median() / 1e6;
        let (width, height) = (self.width, self.height);
        Figures {
            count,
            degree,
            blowup: 1 << log_blowup,
            main: width,
            lookup: 0,
            interface: 0,
            rows_per_permutation: rows,
            cells_per_permutation: width * rows,
            fft_cost: (width * height) as f64 * (height as f64).log2(),
            constraints_ns: evaluate.median() / evaluate::ROWS.min(height) as f64,
            trace_ms: self.trace_ms,
            prove_ms,
            verify_ms: self.verify_ms,
            permutations_per_s: count as f64 / prove_ms * 1000.0,
            peak_rss_bytes: memory::peak_of(&mut self.prove),
        }
    }
}

/// Ours against Plonky3's, in turns.
struct Comparison {
    name: &'static str,
    ours: Figures,
    peer: Figures,
    throughput: f64,
    constraints: f64,
    bus: Option<bus::Bus>,
}

impl Comparison {
    fn new(
        arguments: &Arguments,
        name: &'static str,
        [mut ours, mut peer]: [Contender<'_>; 2],
    ) -> Self {
        let rounds = arguments.rounds;
        let (our_rows, peer_rows) = duel(4 * rounds, 4, &mut ours.evaluate, &mut peer.evaluate);
        let (proof, peer_proof) = duel(rounds, 1, &mut ours.prove, &mut peer.prove);
        Self {
            name,
            throughput: peer_proof.ratio(&proof),
            constraints: our_rows.ratio(&peer_rows),
            ours: ours.figures(&proof, &our_rows),
            peer: peer.figures(&peer_proof, &peer_rows),
            bus: None,
        }
    }

    fn json(&self) -> Value {
        json!({
            "ours": self.ours,
            "p3": self.peer,
            "ratio_throughput": self.throughput,
            "ratio_cells": self.ours.cells_per_permutation as f64
                / self.peer.cells_per_permutation as f64,
            "ratio_constraints": self.constraints,
            "bus": self.bus,
        })
    }

    fn rows(&self) -> [Vec<String>; 2] {
        let bus = self.bus.as_ref();
        let ratios = [
            format!("{:.3}", self.throughput),
            format!("{:.3}", self.constraints),
            bus.map_or_else(|| "-".to_owned(), |bus| format!("{:.3}", bus.ratio)),
        ];
        let row = |side: &str, figures: &Figures, ratios: [String; 3]| {
            let start = [
                self.name.to_owned(),
                side.to_owned(),
                figures.count.to_string(),
                figures.main.to_string(),
                figures.cells_per_permutation.to_string(),
                format!("{:.1}", figures.constraints_ns),
                format!("{:.1}", figures.trace_ms),
                format!("{:.1}", figures.prove_ms),
                format!("{:.1}", figures.verify_ms),
                format!("{:.0}", figures.permutations_per_s),
            ];
            start.into_iter().chain(ratios).collect()
        };
        [
            row("ours", &self.ours, ratios),
            row("p3 0.8.0", &self.peer, Default::default()),
        ]
    }
}

/// Runs every measurement.
pub fn run(arguments: &Arguments) -> Report {
    let header = [
        "table",
        "side",
        "count",
        "main",
        "cells/permutation",
        "constraints ns/row",
        "trace ms",
        "prove ms",
        "verify ms",
        "permutations/s",
        "throughput ratio",
        "constraints ratio",
        "bus ratio",
    ];
    let mut table = vec![header.map(str::to_owned).to_vec()];
    let mut json = Map::new();
    for measure in [poseidon16, blake3, keccak, keccak_degree5] {
        let comparison = measure(arguments);
        table.extend(comparison.rows());
        json.insert(comparison.name.to_owned(), comparison.json());
    }
    Report {
        json: json.into(),
        table,
    }
}

/// A generator of test inputs (an LCG: reproducible, and no table cares for quality).
fn words() -> impl FnMut() -> u32 {
    let mut state = 1u64;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    }
}

/// What the bus of a table costs, on a quarter of the inputs.
fn bus(
    arguments: &Arguments,
    hash: Hash,
    with: Result<RowMajorMatrix<F>, droste_air::TraceError>,
    without: Result<RowMajorMatrix<F>, droste_air::TraceError>,
) -> Option<bus::Bus> {
    if arguments.no_bus {
        return None;
    }
    let config = arguments.config(arguments.log_blowup);
    let rounds = arguments.rounds;
    Some(bus::measure(
        &config,
        rounds,
        hash,
        &with.ok()?,
        &without.ok()?,
    ))
}

fn poseidon16(arguments: &Arguments) -> Comparison {
    let shape = Shape {
        count: 1 << arguments.poseidon16,
        rows: 1,
        degree: poseidon16::DEGREE,
        log_blowup: arguments.log_blowup,
    };
    let mut next = words();
    let inputs: Vec<[F; WIDTH]> = (0..shape.count)
        .map(|_| std::array::from_fn(|_| F::from_u32(next())))
        .collect();
    let (full, partial) = Poseidon1Constants {
        rounds_f: 2 * HALF_FULL_ROUNDS,
        rounds_p: PARTIAL_ROUNDS,
        mds_circ_col: MDS_COLUMN,
        round_constants: ROUND_CONSTANTS.to_vec(),
    }
    .to_optimized();
    let peer = PeerPoseidon16::new(full, partial);
    let ours = contender!(
        arguments,
        shape,
        poseidon16::Poseidon16Air,
        poseidon16::generate_permutations(&inputs, None).expect("there are inputs")
    );
    let theirs = contender!(
        arguments,
        shape,
        peer,
        peer.generate_trace_rows_from_inputs(inputs.clone(), arguments.log_blowup)
    );
    let comparison = Comparison::new(arguments, "poseidon16", [ours, theirs]);
    let few = &inputs[..shape.count.div_ceil(4)];
    let calls: Vec<_> = few
        .iter()
        .map(|input| (*input, poseidon16::Mode::Permute))
        .collect();
    let bus = bus(
        arguments,
        Hash::Poseidon16,
        poseidon16::generate_table(&calls, None),
        poseidon16::generate_permutations(few, None),
    );
    Comparison { bus, ..comparison }
}

fn blake3(arguments: &Arguments) -> Comparison {
    let shape = Shape {
        count: 1 << arguments.blake3,
        rows: 1,
        degree: blake3::DEGREE,
        log_blowup: arguments.log_blowup,
    };
    let mut next = words();
    let compressions: Vec<blake3::Compression> = (0..shape.count)
        .map(|_| blake3::Compression {
            chaining: std::array::from_fn(|_| next()),
            message: std::array::from_fn(|_| next()),
            counter: u64::from(next()),
            block_length: 64,
            flags: 0,
        })
        .collect();
    let words = |compression: &blake3::Compression| {
        std::array::from_fn(|i| match i {
            0..16 => compression.message[i],
            _ => compression.chaining[i - 16],
        })
    };
    let ours = contender!(
        arguments,
        shape,
        blake3::Blake3Air,
        blake3::generate_compressions(&compressions, None).expect("there are inputs")
    );
    let theirs = contender!(
        arguments,
        shape,
        p3_blake3_air::Blake3Air {},
        p3_blake3_air::generate_trace_rows(
            compressions.iter().map(words).collect(),
            arguments.log_blowup
        )
    );
    let comparison = Comparison::new(arguments, "blake3", [ours, theirs]);
    let few = &compressions[..shape.count.div_ceil(4)];
    let bus = bus(
        arguments,
        Hash::Blake3,
        blake3::generate_table(few, None),
        blake3::generate_compressions(few, None),
    );
    Comparison { bus, ..comparison }
}

/// Inputs of as many permutations as fit.
fn states(arguments: &Arguments) -> Vec<keccak::State> {
    let mut next = words();
    (0..(1usize << arguments.keccak_rows) / keccak::ROUNDS)
        .map(|_| std::array::from_fn(|_| u64::from(next()) << 32 | u64::from(next())))
        .collect()
}

/// The peer carries the preimage, 100 columns, and so do we.
fn keccak(arguments: &Arguments) -> Comparison {
    let inputs = states(arguments);
    let shape = Shape {
        count: inputs.len(),
        rows: keccak::ROUNDS,
        degree: keccak::DEGREE,
        log_blowup: arguments.log_blowup,
    };
    let ours = contender!(
        arguments,
        shape,
        keccak::KeccakAir,
        keccak::generate_permutations(&inputs, None).expect("there are inputs")
    );
    // The peer orders lanes as we do.
    let theirs = contender!(
        arguments,
        shape,
        p3_keccak_air::KeccakAir {},
        p3_keccak_air::generate_trace_rows(inputs.clone(), arguments.log_blowup)
    );
    let comparison = Comparison::new(arguments, "keccak", [ours, theirs]);
    let few = &inputs[..inputs.len().div_ceil(4)];
    let bus = bus(
        arguments,
        Hash::Keccak,
        keccak::generate_table(few, None),
        keccak::generate_permutations(few, None),
    );
    Comparison { bus, ..comparison }
}

/// At a blowup of 4 at least, on half of the inputs: both sides take twice the memory.
fn keccak_degree5(arguments: &Arguments) -> Comparison {
    let mut inputs = states(arguments);
    inputs.truncate(inputs.len().div_ceil(2));
    let log_blowup = arguments.log_blowup.max(2);
    let shape = |degree| Shape {
        count: inputs.len(),
        rows: keccak::ROUNDS,
        degree,
        log_blowup,
    };
    let ours = contender!(
        arguments,
        shape(degree5::DEGREE),
        degree5::Degree5Air,
        degree5::generate_permutations(&inputs, None).expect("there are inputs")
    );
    let theirs = contender!(
        arguments,
        shape(keccak::DEGREE),
        p3_keccak_air::KeccakAir {},
        p3_keccak_air::generate_trace_rows(inputs.clone(), log_blowup)
    );
    Comparison::new(arguments, "keccak_degree5", [ours, theirs])
}
