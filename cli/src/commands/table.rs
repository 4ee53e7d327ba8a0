//! `droste table`: proves and verifies permutations in one hash's table and prints what they cost.

use std::time::Instant;

use clap::Args;
use droste_air::TraceError;
use droste_air::blake3::{self, Blake3Air, Compression};
use droste_air::keccak::{self, KeccakAir};
use droste_air::poseidon16::{self, Poseidon16Air};
use droste_native::security::{Preset, TableShape, proven_security};
use droste_native::{
    Blake3Family, F, FriSettings, HashFamily, HashId, KeccakFamily, Poseidon16Family, config,
};
use p3_air::symbolic::{AirLayout, get_symbolic_constraints};
use p3_air::{Air, AirBuilder, BaseAir};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{prove, verify};
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, print};
use crate::progress::Progress;

/// Largest number of permutations one table is asked for: Keccak then fills 2^24 rows, the field's
/// largest subgroup.
const LARGEST_COUNT: usize = 1 << 19;

/// Arguments of `droste table`.
#[derive(Debug, Args)]
pub struct Table {
    /// The table: poseidon16, blake3 or keccak.
    hash: HashId,
    /// Number of permutations (for blake3, compressions).
    #[arg(long)]
    count: usize,
    /// Blowup factor: 2, 4, 8 or 16.
    #[arg(long, default_value_t = 2)]
    blowup: usize,
    /// Hash of the commitments and the transcript.
    #[arg(long, default_value_t = HashId::Poseidon16)]
    commit_hash: HashId,
    /// Security: proven-100, proven-120 or toy.
    #[arg(long, default_value_t = Preset::Proven100)]
    preset: Preset,
}

#[derive(Debug, Serialize)]
struct Cost {
    table: HashId,
    commit_hash: HashId,
    preset: &'static str,
    blowup: usize,
    queries: usize,
    count: usize,
    rows_per_permutation: usize,
    height: usize,
    main: usize,
    cells_per_permutation: usize,
    fft_cost: u64,
    trace_ms: f64,
    prove_ms: f64,
    permutations_per_s: f64,
    verify_ms: f64,
    proven_bits: usize,
}

impl Report for Cost {
    fn rows(&self) -> Vec<Vec<String>> {
        let rows = [
            ("table", self.table.to_string()),
            ("committed in", self.commit_hash.to_string()),
            (
                "parameters",
                format!(
                    "{}, blowup {}, {} queries",
                    self.preset, self.blowup, self.queries
                ),
            ),
            ("permutations", self.count.to_string()),
            (
                "rows",
                format!(
                    "{} a permutation, height {}",
                    self.rows_per_permutation, self.height
                ),
            ),
            ("main columns", self.main.to_string()),
            (
                "cells a permutation",
                self.cells_per_permutation.to_string(),
            ),
            ("fft_cost", self.fft_cost.to_string()),
            ("trace", format!("{:.1} ms", self.trace_ms)),
            ("prove", format!("{:.1} ms", self.prove_ms)),
            ("permutations/s", format!("{:.0}", self.permutations_per_s)),
            ("verify", format!("{:.1} ms", self.verify_ms)),
            ("proven bits", self.proven_bits.to_string()),
        ];
        let cell = |(name, value): (&str, String)| vec![name.to_owned(), value];
        rows.into_iter().map(cell).collect()
    }
}

impl Table {
    /// Proves, verifies and prints.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        if !(1..=LARGEST_COUNT).contains(&self.count) {
            let message = format!("--count is {}, expected 1 to {LARGEST_COUNT}", self.count);
            return Err(CommandError::usage(message));
        }
        if !self.blowup.is_power_of_two() {
            let message = format!("--blowup is {}, expected 2, 4, 8 or 16", self.blowup);
            return Err(CommandError::usage(message));
        }
        let settings = self
            .preset
            .settings(self.blowup.ilog2() as usize)
            .map_err(|error| CommandError::usage(error.to_string()))?;
        let progress = Progress::spinner(format!("proving {} permutations", self.count));
        let cost = match self.commit_hash {
            HashId::Poseidon16 => self.prove::<Poseidon16Family>(&settings),
            HashId::Blake3 => self.prove::<Blake3Family>(&settings),
            HashId::Keccak => self.prove::<KeccakFamily>(&settings),
        }?;
        drop(progress);
        Ok(print(&cost, format)?)
    }

    fn prove<H: HashFamily>(&self, settings: &FriSettings) -> Result<Cost, CommandError> {
        let config = config::<H>(settings, &[]).map_err(CommandError::failed)?;
        let air = HashAir(self.hash);
        let (trace, trace_ms) = timed(|| air.trace(self.count));
        let trace = trace.map_err(CommandError::failed)?;
        let (height, main) = (trace.height(), trace.width());
        let (proof, prove_ms) = timed(|| prove(&config, &air, trace, &[]));
        let proof = proof.map_err(|error| CommandError::failed(format!("{error:?}")))?;
        let (verified, verify_ms) = timed(|| verify(&config, &air, &proof, &[]));
        verified.map_err(|error| CommandError::failed(format!("{error:?}")))?;

        let log_height = height.ilog2() as usize;
        let shape = air.shape(log_height);
        let rows_per_permutation = air.rows_per_permutation();
        let security = proven_security(settings, &[shape], H::COLLISION_BITS);
        Ok(Cost {
            table: self.hash,
            commit_hash: self.commit_hash,
            preset: self.preset.name(),
            blowup: self.blowup,
            queries: settings.num_queries,
            count: self.count,
            rows_per_permutation,
            height,
            main,
            cells_per_permutation: rows_per_permutation * main,
            fft_cost: (main * height * log_height) as u64,
            trace_ms,
            prove_ms,
            permutations_per_s: self.count as f64 / prove_ms * 1e3,
            verify_ms,
            proven_bits: security.bits(),
        })
    }
}

/// The table of a hash. One AIR for the three, so that the prover is compiled once for each hash of the
/// commitments and not for each table, too.
#[derive(Clone, Copy)]
struct HashAir(HashId);

impl HashAir {
    const fn rows_per_permutation(self) -> usize {
        match self.0 {
            HashId::Poseidon16 | HashId::Blake3 => 1,
            HashId::Keccak => keccak::ROUNDS,
        }
    }

    /// Permutations of counters: what is hashed does not change the cost.
    fn trace(self, count: usize) -> Result<RowMajorMatrix<F>, TraceError> {
        let counters = 0..count as u32;
        match self.0 {
            HashId::Poseidon16 => {
                let input = |i| std::array::from_fn(|lane| F::from_u32(i + lane as u32));
                poseidon16::generate_permutations(&counters.map(input).collect::<Vec<_>>(), None)
            }
            HashId::Blake3 => {
                let input = |i| Compression {
                    message: [i; 16],
                    block_length: 64,
                    ..Compression::default()
                };
                blake3::generate_compressions(&counters.map(input).collect::<Vec<_>>(), None)
            }
            HashId::Keccak => {
                let input = |i| [u64::from(i); keccak::LANES];
                keccak::generate_permutations(&counters.map(input).collect::<Vec<_>>(), None)
            }
        }
    }

    /// What the security bounds need to know of the table, which has no bus.
    fn shape(self, log_height: usize) -> TableShape {
        let main_width = self.width();
        let layout = AirLayout {
            main_width,
            ..AirLayout::default()
        };
        let constraints = get_symbolic_constraints(&self, layout);
        let degrees = constraints
            .iter()
            .map(|constraint| constraint.degree_multiple());
        TableShape {
            log_height,
            main_width,
            main_next: !self.main_next_row_columns().is_empty(),
            constraints: constraints.len(),
            degree: degrees.max().unwrap_or(0),
            ..TableShape::default()
        }
    }
}

impl BaseAir<F> for HashAir {
    fn width(&self) -> usize {
        match self.0 {
            HashId::Poseidon16 => Poseidon16Air.width(),
            HashId::Blake3 => Blake3Air.width(),
            HashId::Keccak => KeccakAir.width(),
        }
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        match self.0 {
            HashId::Poseidon16 => Poseidon16Air.main_next_row_columns(),
            HashId::Blake3 => Blake3Air.main_next_row_columns(),
            HashId::Keccak => KeccakAir.main_next_row_columns(),
        }
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        match self.0 {
            HashId::Poseidon16 => Poseidon16Air.max_constraint_degree(),
            HashId::Blake3 => Blake3Air.max_constraint_degree(),
            HashId::Keccak => KeccakAir.max_constraint_degree(),
        }
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for HashAir {
    fn eval(&self, builder: &mut AB) {
        match self.0 {
            HashId::Poseidon16 => Poseidon16Air.eval(builder),
            HashId::Blake3 => Blake3Air.eval(builder),
            HashId::Keccak => KeccakAir.eval(builder),
        }
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e3)
}
