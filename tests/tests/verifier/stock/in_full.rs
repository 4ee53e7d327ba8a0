//! What proofs of full size cost, from Plonky3's proof to the canonical shape.

use std::time::Instant;

use droste_gadgets::verify::binary::grid::layout::steps;
use droste_native::stark::security::Preset;
use droste_native::{EF4, F, FriSettings};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::circuit::Run;
use droste_verifier::resources::peak_memory;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use super::config::stock_narrow;
use super::fixture::run;

/// Wraps a run to the canonical shape of joins of two at `proven-100`, and prints what it took. The
/// peak of memory is that of the process, so with what made the proof.
pub fn wrap_in_full(run: Run) {
    if let Ok(grid) = run.circuit().grid() {
        println!(
            "openings: {} steps, {} queries",
            steps(&grid).len(),
            grid.queries
        );
    }
    for (name, rows) in run.needed_rows() {
        println!("{name}: {rows} rows");
    }
    let start = Instant::now();
    let aggregator = Aggregator::for_preset(Preset::Proven100, 2);
    let aggregate = aggregator.wrap_run(run).unwrap();
    let mebibytes = peak_memory().map(|bytes| bytes >> 20);
    for step in aggregate.steps() {
        let [execute, prove, cpu] = [step.execute, step.prove, step.prove_cpu];
        println!("a step: run in {execute:.2?}, proved in {prove:.2?}, {cpu:.2?} of CPU time");
    }
    println!(
        "wrapped in {:.2?}, peak of the process: {mebibytes:?} MiB",
        start.elapsed()
    );
}

/// Columns of [`Wide`].
const COLUMNS: usize = 100;

/// An AIR of a user: each column's next value is its product with the column after it.
#[derive(Clone, Copy)]
struct Wide;

impl BaseAir<F> for Wide {
    fn width(&self) -> usize {
        COLUMNS
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for Wide {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (row, next) = (main.current_slice(), main.next_slice());
        let mut transition = builder.when_transition();
        for (column, &next) in next.iter().enumerate() {
            let after = row[(column + 1) % COLUMNS];
            transition.assert_eq(next, row[column] * after);
        }
    }
}

/// A trace of [`Wide`].
fn wide_trace(log_height: usize) -> RowMajorMatrix<F> {
    let mut values: Vec<F> = (0..COLUMNS).map(|i| F::from_usize(i + 2)).collect();
    for row in 1..1 << log_height {
        let last = values[(row - 1) * COLUMNS..].to_vec();
        let next = (0..COLUMNS).map(|i| last[i] * last[(i + 1) % COLUMNS]);
        values.extend(next);
    }
    RowMajorMatrix::new(values, COLUMNS)
}

/// An AIR of 100 columns and 2^12 rows, with challenges of degree 4 and Poseidon2 of width 16, by
/// flags that give more than 100 proven bits.
#[test]
#[ignore = "measures: cargo test -p droste-tests --test verifier own_air -- --ignored --nocapture"]
fn an_own_air_at_a_hundred_bits() {
    let settings = FriSettings {
        log_blowup: 3,
        log_final_poly_len: 0,
        max_log_arity: 3,
        num_queries: 70,
        query_grinding_bits: 16,
        batch_grinding_bits: 16,
        commit_grinding_bits: 16,
        ood_grinding_bits: 16,
        lookup_grinding_bits: 0,
        cap_height: 3,
    };
    let log_height = 12;
    let (config, trees, constants) = stock_narrow::<EF4>(&settings);
    let config = config.with_ood_proof_of_work_bits(settings.ood_grinding_bits);
    let made = (config, trees, constants);
    let start = Instant::now();
    let run = run!(made, settings, Wide, log_height, wide_trace(log_height));
    println!("proved by Plonky3 and run in {:.2?}", start.elapsed());
    assert_eq!(run.bits(), 103);
    wrap_in_full(run);
}
