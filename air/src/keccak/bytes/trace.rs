//! Trace of the Keccak table over bytes.

use std::array::from_fn;
use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use super::columns::{BytesCols, IOTA_BYTES, LANE_BYTES, ROWS, SPLIT_LANES, SplitCols};
use super::round::{after_pi, lookups, rotation};
use crate::TraceResult;
use crate::keccak::columns::LANES;
use crate::keccak::trace::{Round, State, parities, permute, round_with};
use crate::spread::{Counts, spread};
use crate::steps;

/// The input of a permutation: the exclusive or of two states, whose spread bytes are added.
pub type Input = [State; 2];

/// The permutation of an input.
pub fn permutation_of([state, change]: &Input) -> State {
    permute(from_fn(|lane| state[lane] ^ change[lane]))
}

/// The spread bytes of a lane, low first.
pub fn spread_bytes(lane: u64) -> [F; LANE_BYTES] {
    lane.to_le_bytes().map(|byte| F::from_u32(spread(byte)))
}

impl BytesCols<F> {
    /// Fills the state after theta.
    fn fill_theta(&mut self, state: &State) {
        for (lane, cells) in self.a_low.iter_mut().enumerate() {
            let [_, bits] = rotation(lane);
            let low = u8::MAX >> bits;
            *cells = state[lane]
                .to_le_bytes()
                .map(|byte| F::from_u32(spread(byte & low)));
        }
        for (cells, lane) in self.a_high.iter_mut().zip(SPLIT_LANES) {
            let [_, bits] = rotation(lane);
            let high = |byte: u8| F::from_u32(spread(byte >> (8 - bits)));
            *cells = state[lane].to_le_bytes().map(high);
        }
    }

    /// Fills a row of round `index`, and returns the state after it.
    fn fill_round(&mut self, state: &State, index: usize) -> State {
        self.fill_with(state, index, parities(state))
    }

    /// Fills a row of round `index` as if these were the column parities, and returns the state
    /// after it.
    pub(super) fn fill_with(&mut self, state: &State, index: usize, c: [u64; 5]) -> State {
        self.steps[1 + index] = F::ONE;
        let Round {
            a_prime, b, output, ..
        } = round_with(state, index, c);
        self.d = from_fn(|x| spread_bytes(state[x] ^ a_prime[x]));
        self.c = c.map(|lane| {
            lane.to_le_bytes().map(|byte| SplitCols {
                high: F::from_u8(byte >> 7),
                low: F::from_u32(spread(byte & 0x7f)),
            })
        });
        self.fill_theta(&a_prime);
        self.chi = from_fn(|lane| {
            let row = lane - lane % 5;
            let [not, and] = [1, 2].map(|offset| b[row + (lane + offset) % 5]);
            spread_bytes(!not & and)
        });
        self.fill_iota(output[0]);
        output
    }

    fn fill_iota(&mut self, lane: u64) {
        let bytes = spread_bytes(lane);
        self.iota = IOTA_BYTES.map(|byte| bytes[byte]);
    }

    /// Fills the row of an input, below a row with the state `before`. Its cells of chi are what
    /// the input differs by from the state that chi would change.
    pub(super) fn fill_input(&mut self, before: &State, input: &Input) {
        self.steps[0] = F::ONE;
        self.fill_theta(before);
        let b = after_pi::<F, F>(self);
        for (lane, cells) in self.chi.iter_mut().enumerate() {
            let [state, change] = input.map(|state| spread_bytes(state[lane]));
            *cells = from_fn(|i| state[i] + change[i] - b[lane][i]);
        }
        self.fill_iota(input[0][0] ^ input[1][0]);
    }
}

/// Number of rows of so many permutations, with an idle row above and one below them.
pub const fn rows(permutations: usize) -> usize {
    steps::rows(ROWS, permutations)
}

/// Trace of [`BytesTable`](super::BytesTable): an idle row, 25 rows per permutation, and idle rows
/// up to `height` or, without one, to the next power of two. All idle rows have the output of the
/// last permutation as their state.
///
/// # Errors
///
/// The error says when there is no such trace. The height must be at least that of the
/// [`rows`], idle ones included.
pub fn generate_table(inputs: &[Input], height: Option<usize>) -> TraceResult {
    let width = BytesCols::<u8>::WIDTH;
    let outputs: Vec<State> = inputs.par_iter().map(permutation_of).collect();
    let last = outputs.last().copied().unwrap_or_default();
    let mut idle = F::zero_vec(width);
    let row: &mut BytesCols<F> = idle.as_mut_slice().borrow_mut();
    row.fill_input(&last, &[last, [0; LANES]]);

    let mut trace = steps::generate(ROWS, inputs.len(), height, &idle, |index, rows| {
        let input = &inputs[index];
        let before = index.checked_sub(1).map_or(last, |before| outputs[before]);
        let mut state: State = from_fn(|lane| input[0][lane] ^ input[1][lane]);
        for (step, row) in rows.chunks_exact_mut(width).enumerate() {
            let row: &mut BytesCols<F> = row.borrow_mut();
            row.number = F::from_usize(index + usize::from(step > 0));
            match step.checked_sub(1) {
                None => row.fill_input(&before, input),
                Some(round) => state = row.fill_round(&state, round),
            }
        }
    })?;
    let below = trace.values.chunks_exact_mut(width);
    for row in below.skip(1 + ROWS * inputs.len()) {
        let row: &mut BytesCols<F> = row.borrow_mut();
        row.number = F::from_usize(inputs.len());
    }
    Ok(trace)
}

/// Counts the lookups of all rows of a trace. The last row is idle, so they do not depend on what
/// follows it.
pub fn count_lookups(trace: &RowMajorMatrix<F>) -> Counts {
    Counts::of_rows(trace, |counts, local: &BytesCols<F>, next| {
        let is_round = local.steps[0] == F::ZERO;
        lookups::<F, F>(local, next, |lookup| {
            if is_round || !lookup.of_rounds {
                counts.add(&lookup.message);
            }
        });
    })
}
