//! `droste-bench tables`: the hash tables against Plonky3's, without any bus. Both are proved by
//! the same `p3-uni-stark` with the same commitment, FRI settings and challenge field. Then it
//! measures what a bus costs.
//!
//! The two sides take turns in one process. The memory of each is measured in a process of its own.

mod bus;
mod contender;
mod evaluate;
mod hashes;
mod poseidon2;

use clap::builder::RangedU64ValueParser;
use clap::{Args, value_parser};
use serde_json::{Map, Value, json};

use crate::race::duel;
use crate::report::Report;
use crate::{memory, process, progress};
use contender::{Contender, Figures};

/// Names of the two sides.
const OURS: &str = "ours";
const P3: &str = "p3";

/// Key of the peak of memory in a row.
const PEAK: &str = "peak_rss_bytes";

/// Arguments of the command.
#[derive(Args)]
pub struct Arguments {
    /// Rounds per measurement, of which the median is reported.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Logarithm of the number of Poseidon-16 permutations.
    #[arg(long, default_value_t = 14, value_parser = value_parser!(u32).range(5..=20))]
    poseidon16: u32,
    /// Logarithm of the number of Poseidon2 permutations of width 16.
    #[arg(long, default_value_t = 14, value_parser = value_parser!(u32).range(5..=20))]
    poseidon2: u32,
    /// Logarithm of the number of Blake3 compressions.
    #[arg(long, default_value_t = 12, value_parser = value_parser!(u32).range(5..=16))]
    blake3: u32,
    /// Logarithm of the number of rows of the Keccak table, which has 24 rows per permutation.
    #[arg(long, default_value_t = 15, value_parser = value_parser!(u32).range(6..=20))]
    keccak_rows: u32,
    /// Logarithm of the blowup. The Keccak table of degree 5 uses at least 2.
    #[arg(long, default_value_t = 1, value_parser = at_most(4))]
    log_blowup: usize,
    /// Number of queries of the proofs.
    #[arg(long, default_value_t = 100, value_parser = at_most(1024))]
    queries: usize,
    /// Omits the proofs with a bus.
    #[arg(long)]
    no_bus: bool,
    /// Proves one side of one table once and prints the peak of memory of this process.
    #[arg(long, hide = true, num_args = 2, value_names = ["TABLE", "SIDE"])]
    peak: Vec<String>,
}

/// Parses numbers from 1 to `most`.
fn at_most(most: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=most)
}

impl Arguments {
    /// Measures the peak of memory of one side in another process.
    fn peak_elsewhere(&self, table: &str, side: &str) -> Option<usize> {
        let row = process::row(
            &[
                "tables",
                "--peak",
                table,
                side,
                "--poseidon16",
                &self.poseidon16.to_string(),
                "--poseidon2",
                &self.poseidon2.to_string(),
                "--blake3",
                &self.blake3.to_string(),
                "--keccak-rows",
                &self.keccak_rows.to_string(),
                "--log-blowup",
                &self.log_blowup.to_string(),
                "--queries",
                &self.queries.to_string(),
            ],
            &[],
        )?;
        row[PEAK].as_u64()?.try_into().ok()
    }
}

/// Our table against Plonky3's, measured in turns.
struct Comparison {
    name: &'static str,
    ours: Figures,
    peer: Figures,
    throughput: f64,
    constraints: f64,
    bus: Option<bus::Bus>,
}

/// What the function of a hash returns.
enum Measured {
    Comparison(Box<Comparison>),
    /// The peak of memory, with `--peak`.
    Peak(Option<usize>),
}

/// Compares two sides or, with `--peak`, measures the memory of one of them.
fn compare<'a>(
    arguments: &Arguments,
    name: &'static str,
    ours: impl FnOnce() -> Contender<'a>,
    peer: impl FnOnce() -> Contender<'a>,
    bus: impl FnOnce() -> Option<bus::Bus>,
) -> Measured {
    if let [_, side] = arguments.peak.as_slice() {
        let mut contender = if side == OURS { ours() } else { peer() };
        (contender.prove)();
        return Measured::Peak(memory::peak());
    }
    let (mut ours, mut peer) = (ours(), peer());
    let rounds = arguments.rounds;
    let (our_rows, peer_rows) = duel(4 * rounds, 4, (ours.evaluator)(), (peer.evaluator)());
    let verify_ms = [(ours.check)(), (peer.check)()];
    let (proof, peer_proof) = duel(rounds, 1, &mut ours.prove, &mut peer.prove);
    let peak = |side| arguments.peak_elsewhere(name, side);
    // Counted over all rows of a permutation: the sides may need different numbers of rows, and
    // evaluate different numbers at a time.
    let rows = ours.evaluations_per_permutation() / peer.evaluations_per_permutation();
    Measured::Comparison(Box::new(Comparison {
        name,
        throughput: peer_proof.ratio(&proof),
        constraints: our_rows.ratio(&peer_rows) * rows,
        ours: ours.figures(&proof, &our_rows, verify_ms[0], peak(OURS)),
        peer: peer.figures(&peer_proof, &peer_rows, verify_ms[1], peak(P3)),
        bus: bus(),
    }))
}

impl Comparison {
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
                figures
                    .peak_rss_bytes
                    .map_or_else(|| "-".to_owned(), |bytes| (bytes >> 20).to_string()),
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
        "peak MiB",
        "permutations/s",
        "throughput ratio",
        "constraints ratio",
        "bus ratio",
    ];
    let mut table = vec![header.map(str::to_owned).to_vec()];
    let mut json = Map::new();
    for (name, measure) in hashes::TABLES {
        if arguments.peak.first().is_some_and(|peak| peak != name) {
            continue;
        }
        progress::at(name);
        match measure(arguments) {
            Measured::Peak(bytes) => return Report::from_rows(vec![json!({ PEAK: bytes })]),
            Measured::Comparison(comparison) => {
                table.extend(comparison.rows());
                json.insert(name.to_owned(), comparison.json());
            }
        }
    }
    Report {
        json: json.into(),
        table,
    }
}
