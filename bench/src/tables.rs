//! `droste-bench tables`: the hash tables against Plonky3's, proved by the same `p3-uni-stark` with
//! the same commitment, FRI settings and challenge field, without any bus.

use std::time::Instant;

use clap::Args;
use droste_air::{blake3, keccak, poseidon16};
use droste_native::poseidon16::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH,
};
use droste_native::{Blake3Family, F, FriSettings, config};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_poseidon1::Poseidon1Constants;
use p3_poseidon1_air::Poseidon1Air;
use p3_uni_stark::{prove, verify};
use serde::Serialize;
use serde_json::{Map, json};

use crate::memory;
use crate::report::Report;

/// Plonky3's table of the same permutation, one per row.
type PeerPoseidon16 = Poseidon1Air<F, WIDTH, 3, 0, HALF_FULL_ROUNDS, PARTIAL_ROUNDS>;

/// Arguments of the command.
#[derive(Args)]
pub struct Arguments {
    /// Rounds of each measurement, of which the fastest counts.
    #[arg(long, default_value_t = 3)]
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
    /// Logarithm of the blowup.
    #[arg(long, default_value_t = 1)]
    log_blowup: usize,
    /// Queries of the proofs.
    #[arg(long, default_value_t = 100)]
    queries: usize,
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
    trace_ms: f64,
    prove_ms: f64,
    verify_ms: f64,
    permutations_per_s: f64,
    peak_rss_bytes: Option<usize>,
}

/// What is known of a table before it is proved.
struct Shape {
    count: usize,
    rows: usize,
    interface: usize,
}

/// Proves and verifies an AIR; a macro, since the bounds of `prove` differ between profiles.
macro_rules! measure {
    ($arguments:expr, $shape:expr, $air:expr, $trace:expr) => {{
        let (arguments, shape, air): (&Arguments, Shape, _) = ($arguments, $shape, &$air);
        let settings = FriSettings {
            log_blowup: arguments.log_blowup,
            num_queries: arguments.queries,
            cap_height: 3,
            query_grinding_bits: 8,
            ..FriSettings::toy()
        };
        let config = config::<Blake3Family>(&settings, &[]).expect("the settings are in range");
        let run = || {
            let start = Instant::now();
            let mut trace: RowMajorMatrix<F> = $trace;
            let trace_ms = milliseconds(start);
            // Room for the low-degree extension, as Plonky3's generators leave it.
            let cells = trace.values.len();
            trace
                .values
                .reserve_exact((cells << arguments.log_blowup) - cells);
            let (width, height) = (trace.width(), trace.height());
            let start = Instant::now();
            let proof = prove(&config, air, trace, &[]).expect("the trace is valid");
            let prove_ms = milliseconds(start);
            let start = Instant::now();
            verify(&config, air, &proof, &[]).expect("the proof is valid");
            (width, height, trace_ms, prove_ms, milliseconds(start))
        };
        let mut best = None;
        let peak_rss_bytes = memory::peak_of(|| best = Some(run()));
        let mut best = best.unwrap_or_else(run);
        for _ in 1..arguments.rounds {
            let (_, _, trace_ms, prove_ms, verify_ms) = run();
            best.2 = best.2.min(trace_ms);
            best.3 = best.3.min(prove_ms);
            best.4 = best.4.min(verify_ms);
        }
        figures(arguments, &shape, best, peak_rss_bytes)
    }};
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

fn figures(
    arguments: &Arguments,
    shape: &Shape,
    (width, height, trace_ms, prove_ms, verify_ms): (usize, usize, f64, f64, f64),
    peak_rss_bytes: Option<usize>,
) -> Figures {
    let main = width - shape.interface;
    Figures {
        count: shape.count,
        degree: 3,
        blowup: 1 << arguments.log_blowup,
        main,
        lookup: 0,
        interface: shape.interface,
        rows_per_permutation: shape.rows,
        cells_per_permutation: main * shape.rows,
        fft_cost: (width * height) as f64 * (height as f64).log2(),
        trace_ms,
        prove_ms,
        verify_ms,
        permutations_per_s: shape.count as f64 / prove_ms * 1000.0,
        peak_rss_bytes,
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
        "trace ms",
        "prove ms",
        "verify ms",
        "permutations/s",
        "throughput ratio",
    ];
    let mut table = vec![header.map(str::to_owned).to_vec()];
    let mut json = Map::new();
    for (name, [ours, peer]) in [
        ("poseidon16", measure_poseidon16(arguments)),
        ("blake3", measure_blake3(arguments)),
        ("keccak", measure_keccak(arguments)),
    ] {
        let throughput = ours.permutations_per_s / peer.permutations_per_s;
        let cells = ours.cells_per_permutation as f64 / peer.cells_per_permutation as f64;
        for (side, figures, ratio) in [
            ("ours", &ours, format!("{throughput:.3}")),
            ("p3 0.8.0", &peer, String::new()),
        ] {
            table.push(vec![
                name.to_owned(),
                side.to_owned(),
                figures.count.to_string(),
                figures.main.to_string(),
                figures.cells_per_permutation.to_string(),
                format!("{:.1}", figures.trace_ms),
                format!("{:.1}", figures.prove_ms),
                format!("{:.1}", figures.verify_ms),
                format!("{:.0}", figures.permutations_per_s),
                ratio,
            ]);
        }
        json.insert(
            name.to_owned(),
            json!({
                "ours": ours,
                "p3": peer,
                "ratio_throughput": throughput,
                "ratio_cells": cells,
            }),
        );
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

fn measure_poseidon16(arguments: &Arguments) -> [Figures; 2] {
    let shape = || Shape {
        count: 1 << arguments.poseidon16,
        rows: 1,
        interface: 0,
    };
    let mut next = words();
    let inputs: Vec<[F; WIDTH]> = (0..1 << arguments.poseidon16)
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
    [
        measure!(
            arguments,
            shape(),
            poseidon16::Poseidon16Air,
            poseidon16::generate_permutations(&inputs, None).expect("there are inputs")
        ),
        measure!(
            arguments,
            shape(),
            peer,
            peer.generate_trace_rows_from_inputs(inputs.clone(), arguments.log_blowup)
        ),
    ]
}

fn measure_blake3(arguments: &Arguments) -> [Figures; 2] {
    let shape = || Shape {
        count: 1 << arguments.blake3,
        rows: 1,
        interface: 0,
    };
    let mut next = words();
    let compressions: Vec<blake3::Compression> = (0..1 << arguments.blake3)
        .map(|_| blake3::Compression {
            chaining: std::array::from_fn(|_| next()),
            message: std::array::from_fn(|_| next()),
            counter: u64::from(next()),
            block_length: 64,
            flags: 0,
        })
        .collect();
    [
        measure!(
            arguments,
            shape(),
            blake3::Blake3Air,
            blake3::generate_compressions(&compressions, None).expect("there are inputs")
        ),
        measure!(
            arguments,
            shape(),
            p3_blake3_air::Blake3Air {},
            p3_blake3_air::generate_trace_rows(
                compressions
                    .iter()
                    .map(|compression| {
                        std::array::from_fn(|i| match i {
                            0..16 => compression.message[i],
                            _ => compression.chaining[i - 16],
                        })
                    })
                    .collect(),
                arguments.log_blowup
            )
        ),
    ]
}

fn measure_keccak(arguments: &Arguments) -> [Figures; 2] {
    let count = (1usize << arguments.keccak_rows) / keccak::ROUNDS;
    // Both carry the preimage, 100 columns, for whoever looks a permutation up.
    let shape = || Shape {
        count,
        rows: keccak::ROUNDS,
        interface: 0,
    };
    let mut next = words();
    let inputs: Vec<keccak::State> = (0..count)
        .map(|_| std::array::from_fn(|_| u64::from(next()) << 32 | u64::from(next())))
        .collect();
    // The peer orders lanes as we do.
    [
        measure!(
            arguments,
            shape(),
            keccak::KeccakAir,
            keccak::generate_permutations(&inputs, None).expect("there are inputs")
        ),
        measure!(
            arguments,
            shape(),
            p3_keccak_air::KeccakAir {},
            p3_keccak_air::generate_trace_rows(inputs.clone(), arguments.log_blowup)
        ),
    ]
}
