//! `droste table`: proves and verifies permutations in one hash's table and prints what they cost.

use std::marker::PhantomData;
use std::ops::{Add, Mul, Sub};
use std::time::Instant;

use clap::Args;
use droste_air::TraceResult;
use droste_air::blake3::{self, Blake3Air, Compression};
use droste_air::keccak::{self, KeccakAir};
use droste_air::poseidon2::{self, Poseidon2ParentAir};
use droste_air::poseidon16::{self, Poseidon16Air};
use droste_air::steps;
use droste_native::stark::challenger::with_grinding;
use droste_native::stark::security::{Preset, TableShape, proven_security};
use droste_native::{F, FriSettings, HashId, HashSuite, config, with_suite};
use p3_air::symbolic::{AirLayout, get_symbolic_constraints};
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::{Algebra, PrimeCharacteristicRing};
use p3_matrix::Matrix;
use p3_uni_stark::{prove, verify};
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::progress::Progress;

/// Largest number of field elements in a table's columns after extension by the blowup: 32 GiB.
const LARGEST_CODEWORDS: u128 = 1 << 33;

/// Largest number of permutations in one table: at 24 rows each, Keccak then fills 2^24 rows, the
/// order of the field's largest two-adic subgroup.
const LARGEST_COUNT: usize = 1 << 19;

/// Arguments of `droste table`.
#[derive(Debug, Args)]
pub struct Table {
    /// Hash whose table is proved: poseidon16, poseidon2 (width 16), blake3 or keccak.
    hash: HashId,
    /// Number of permutations to prove (for blake3, compressions).
    #[arg(long)]
    count: usize,
    /// Blowup factor: 2, 4, 8 or 16.
    #[arg(long, default_value_t = 2)]
    blowup: usize,
    /// Hash of the commitments and the transcript: poseidon16, poseidon2, blake3 or keccak.
    #[arg(long, default_value_t = HashId::Poseidon16)]
    commit_hash: HashId,
    /// Security level: proven-100, proven-120, proven-128 or toy (insecure).
    #[arg(long, default_value_t)]
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
        let (preset, blowup, queries) = (self.preset, self.blowup, self.queries);
        let (rows, height) = (self.rows_per_permutation, self.height);
        let parameters = format!("{preset}, blowup {blowup}, {queries} queries");
        vec![
            row("table", self.table),
            row("committed in", self.commit_hash),
            row("parameters", parameters),
            row("permutations", self.count),
            row("rows", format!("{rows} per permutation, height {height}")),
            row("main columns", self.main),
            row("cells per permutation", self.cells_per_permutation),
            row("fft_cost", self.fft_cost),
            row("trace", format!("{:.1} ms", self.trace_ms)),
            row("prove", format!("{:.1} ms", self.prove_ms)),
            row("permutations/s", format!("{:.0}", self.permutations_per_s)),
            row("verify", format!("{:.1} ms", self.verify_ms)),
            row("proven bits", self.proven_bits),
        ]
    }
}

impl Table {
    /// Fills a table with permutations, proves and verifies it, and prints what that cost.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        if !(1..=LARGEST_COUNT).contains(&self.count) {
            let message = format!("--count is {}, expected 1 to {LARGEST_COUNT}", self.count);
            return Err(CommandError::usage(message));
        }
        if !self.blowup.is_power_of_two() {
            let message = format!("--blowup is {}, expected 2, 4, 8 or 16", self.blowup);
            return Err(CommandError::usage(message));
        }
        let settings = self.preset.settings(self.blowup.ilog2() as usize);
        let settings = settings.map_err(CommandError::usage)?;
        self.check_size()?;
        let progress = Progress::spinner(format!("proving {} permutations", self.count));
        let cost = with_suite!(self.commit_hash, H => self.prove::<H>(&settings))?;
        drop(progress);
        Ok(print(&cost, format)?)
    }

    /// Checks that the extended columns are at most [`LARGEST_CODEWORDS`] elements.
    fn check_size(&self) -> Result<(), CommandError> {
        let air = HashAir(self.hash);
        let rows = air.rows(self.count).next_power_of_two();
        let elements = rows as u128 * air.width() as u128 * self.blowup as u128;
        if elements > LARGEST_CODEWORDS {
            let message = format!(
                "{} permutations at blowup {} take {elements} field elements, expected at most \
                 {LARGEST_CODEWORDS}: lower --count or --blowup",
                self.count, self.blowup
            );
            return Err(CommandError::usage(message));
        }
        Ok(())
    }

    fn prove<H: HashSuite>(&self, settings: &FriSettings) -> Result<Cost, CommandError> {
        let config = config::<H>(settings, &[]).map_err(CommandError::failed)?;
        let air = HashAir(self.hash);
        let (trace, trace_ms) = timed(|| air.trace(self.count));
        let trace = trace.map_err(CommandError::failed)?;
        let (height, main) = (trace.height(), trace.width());
        let (proof, prove_ms) = timed(|| with_grinding(|| prove(&config, &air, trace, &[])));
        let proof = proof.map_err(CommandError::failed)?;
        let proof = proof.map_err(CommandError::failed)?;
        let (verified, verify_ms) = timed(|| verify(&config, &air, &proof, &[]));
        verified.map_err(CommandError::failed)?;

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

/// The AIR of a hash's table. It is one type for all tables, so that the prover is compiled once
/// per commitment hash, not once per commitment hash and table.
#[derive(Clone, Copy)]
struct HashAir(HashId);

impl HashAir {
    const fn rows_per_permutation(self) -> usize {
        match self.0 {
            HashId::Poseidon16 | HashId::Poseidon2 | HashId::Blake3 => 1,
            HashId::Keccak => keccak::ROUNDS,
        }
    }

    /// Number of rows of so many permutations.
    const fn rows(self, count: usize) -> usize {
        match self.rows_per_permutation() {
            1 => count,
            rows => steps::rows(rows, count),
        }
    }

    /// A trace of permutations of counters, since the cost does not depend on what is hashed.
    fn trace(self, count: usize) -> TraceResult {
        let counters = 0..count as u32;
        let elements = |i| std::array::from_fn(|lane| F::from_u32(i + lane as u32));
        match self.0 {
            HashId::Poseidon16 => {
                poseidon16::generate_permutations(&counters.map(elements).collect::<Vec<_>>(), None)
            }
            HashId::Poseidon2 => {
                let inputs: Vec<_> = counters.map(elements).collect();
                poseidon2::generate_parent_permutations(&inputs, None)
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

    /// What the security bounds depend on. The table has no bus.
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

/// Calls a method of the AIR of the hash.
macro_rules! dispatch {
    ($self:ident.$method:ident($($argument:expr)?)) => {
        match $self.0 {
            HashId::Poseidon16 => Poseidon16Air.$method($($argument)?),
            HashId::Poseidon2 => Poseidon2ParentAir.$method($($argument)?),
            HashId::Blake3 => Blake3Air.$method($($argument)?),
            HashId::Keccak => KeccakAir.$method($($argument)?),
        }
    };
}

impl BaseAir<F> for HashAir {
    fn width(&self) -> usize {
        dispatch!(self.width())
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        dispatch!(self.main_next_row_columns())
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        dispatch!(self.max_constraint_degree())
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for HashAir {
    fn eval(&self, builder: &mut AB) {
        let mut row = Row {
            main: builder.main(),
            preprocessed: builder.preprocessed().clone(),
            is_first_row: builder.is_first_row(),
            is_last_row: builder.is_last_row(),
            is_transition: builder.is_transition(),
            // The tables have about as many constraints as columns.
            constraints: Vec::with_capacity(self.width()),
            variable: PhantomData::<AB::Var>,
        };
        dispatch!(self.eval(&mut row));
        for constraint in row.constraints {
            builder.assert_zero(constraint);
        }
    }
}

/// Collects the constraints of a row. Plonky3's builders have the configuration as a type
/// parameter; this one has only the types of values, which all configurations share, so that the
/// constraints are not compiled once per commitment hash.
struct Row<V, E, M, P> {
    main: M,
    preprocessed: P,
    is_first_row: E,
    is_last_row: E,
    is_transition: E,
    constraints: Vec<E>,
    variable: PhantomData<V>,
}

impl<V, E, M, P> AirBuilder for Row<V, E, M, P>
where
    E: Algebra<F> + Algebra<V>,
    V: Into<E> + Copy + Send + Sync,
    V: Add<F, Output = E> + Add<V, Output = E> + Add<E, Output = E>,
    V: Sub<F, Output = E> + Sub<V, Output = E> + Sub<E, Output = E>,
    V: Mul<F, Output = E> + Mul<V, Output = E> + Mul<E, Output = E>,
    M: WindowAccess<V> + Clone,
    P: WindowAccess<V> + Clone,
{
    type F = F;
    type Expr = E;
    type Var = V;
    type PreprocessedWindow = P;
    type MainWindow = M;
    type PublicVar = V;
    type PeriodicVar = V;

    fn main(&self) -> M {
        self.main.clone()
    }

    fn preprocessed(&self) -> &P {
        &self.preprocessed
    }

    fn is_first_row(&self) -> E {
        self.is_first_row.dup()
    }

    fn is_last_row(&self) -> E {
        self.is_last_row.dup()
    }

    fn is_transition(&self) -> E {
        self.is_transition.dup()
    }

    fn assert_zero<I: Into<E>>(&mut self, x: I) {
        self.constraints.push(x.into());
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e3)
}
