//! Calls and their trace, packed into elements of GF(2^128).

use droste_poseidon16::{Poseidon16, Poseidon16LeafHasher};
use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;
use p3_symmetric::CryptographicHasher;

use crate::field::{F, K, dot, eq_table, for_each_limb, num_limbs};
use crate::keccak::{LANES, LOG_ROWS, ROUNDS, State, states};

/// Base-two logarithm of the elements that a row has: element `g` is lanes `2 g` and `2 g + 1`. The
/// last three are zero.
pub const LOG_ELEMENTS: usize = 4;

/// Elements of a row that have lanes.
pub const ELEMENTS: usize = LANES.div_ceil(2);

/// Most calls of a batch.
pub const MAX_CALLS: usize = 1 << 16;

/// Fewest calls that a trace has room for.
const MIN_CALLS: usize = 8;

/// A list of calls with their outputs: what a proof is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    inputs: Vec<State>,
    outputs: Vec<State>,
}

/// A list that no proof can be about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallsError {
    /// There is none.
    #[error("a batch has at least one call")]
    Empty,
    /// There are too many.
    #[error("a batch has at most {MAX_CALLS} calls, and these are {0}")]
    TooMany(usize),
    /// Inputs without outputs, or the reverse.
    #[error("{inputs} inputs with {outputs} outputs")]
    Outputs {
        /// Number of inputs.
        inputs: usize,
        /// Number of outputs.
        outputs: usize,
    },
}

impl Calls {
    /// Calls with outputs that somebody claims: whether they are true is what a proof says.
    ///
    /// # Errors
    ///
    /// If there is no call, there are more than [`MAX_CALLS`], or the lists differ in length.
    pub fn new(inputs: Vec<State>, outputs: Vec<State>) -> Result<Self, CallsError> {
        match inputs.len() {
            0 => Err(CallsError::Empty),
            calls if calls > MAX_CALLS => Err(CallsError::TooMany(calls)),
            calls if calls != outputs.len() => Err(CallsError::Outputs {
                inputs: calls,
                outputs: outputs.len(),
            }),
            _ => Ok(Self { inputs, outputs }),
        }
    }

    /// The calls of these inputs, whose outputs it computes.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub fn of_inputs(inputs: Vec<State>) -> Result<Self, CallsError> {
        let outputs = inputs
            .par_iter()
            .map(|input| states(input)[ROUNDS])
            .collect();
        Self::new(inputs, outputs)
    }

    /// The inputs.
    pub fn inputs(&self) -> &[State] {
        &self.inputs
    }

    /// The outputs, in the order of the inputs.
    pub fn outputs(&self) -> &[State] {
        &self.outputs
    }

    /// Base-two logarithm of the calls of the trace: those of the list, then calls of zero.
    pub fn log_calls(&self) -> usize {
        self.inputs.len().max(MIN_CALLS).next_power_of_two().ilog2() as usize
    }

    /// Base-two logarithm of the rows of the trace.
    pub fn log_rows(&self) -> usize {
        self.log_calls() + LOG_ROWS
    }

    /// The digest that stands for the list in the transcript: Poseidon-16 of the digests of the calls,
    /// each the hash of its input and output as limbs, with their number.
    pub fn digest(&self) -> [F; 8] {
        let width = num_limbs(2 * ELEMENTS);
        let digests: Vec<F> = (self.inputs.par_chunks(64))
            .zip(self.outputs.par_chunks(64))
            .flat_map(|(inputs, outputs)| {
                let mut limbs = Vec::with_capacity(inputs.len() * width);
                for (input, output) in inputs.iter().zip(outputs) {
                    let call = [pack(input), pack(output)].concat();
                    for_each_limb(&call, |limb| limbs.push(limb));
                }
                let mut digests = vec![[F::ZERO; 8]; inputs.len()];
                Poseidon16LeafHasher.hash_many(&limbs, &mut digests);
                digests.into_flattened()
            })
            .collect();
        Poseidon16.hash(F::from_usize(self.inputs.len()), &digests)
    }

    /// The multilinear extensions of the inputs and of the outputs, packed: over calls at `calls`, over
    /// elements at `elements`.
    pub fn evaluate(&self, calls: &[K], elements: &[K]) -> [K; 2] {
        let (calls, elements) = (eq_table(calls), eq_table(elements));
        // The padding's calls are those of zero.
        let zero = states(&[0; LANES]);
        let rest: K = calls.iter().skip(self.inputs.len()).copied().sum();
        let evaluate = |list: &[State], padding: &State| {
            let listed: K = (list.par_iter().zip(&calls))
                .map(|(state, &weight)| weight * dot(&pack(state), &elements))
                .reduce(|| K::ZERO, |a, b| a + b);
            listed + rest * dot(&pack(padding), &elements)
        };
        [
            evaluate(&self.inputs, &zero[0]),
            evaluate(&self.outputs, &zero[ROUNDS]),
        ]
    }
}

/// A state as elements.
pub fn pack(state: &State) -> [K; ELEMENTS] {
    std::array::from_fn(|g| {
        let high = state.get(2 * g + 1).copied().unwrap_or(0);
        K::from_repr(u128::from(state[2 * g]) | u128::from(high) << 64)
    })
}

/// The trace as one list of elements: element `g` of row `i` at `g 2^log_rows + i`, with row
/// `32 c + j` row `j` of call `c`.
pub struct Trace {
    elements: Vec<K>,
    log_rows: usize,
}

impl Trace {
    /// The trace of calls.
    pub fn new(calls: &Calls) -> Self {
        let log_rows = calls.log_rows();
        let mut elements = K::zero_vec(1 << (log_rows + LOG_ELEMENTS));
        let mut columns: Vec<_> = (elements.chunks_mut(1 << log_rows))
            .map(|column| column.chunks_mut(1 << LOG_ROWS))
            .collect();
        let rows: Vec<Vec<&mut [K]>> = (0..1 << calls.log_calls())
            .map(|_| columns.iter_mut().filter_map(Iterator::next).collect())
            .collect();
        rows.into_par_iter()
            .enumerate()
            .for_each(|(call, mut columns)| {
                let input = calls.inputs.get(call).copied().unwrap_or([0; LANES]);
                for (row, state) in states(&input).iter().enumerate() {
                    for (column, element) in columns.iter_mut().zip(pack(state)) {
                        column[row] = element;
                    }
                }
            });
        Self { elements, log_rows }
    }

    /// The state in a row.
    #[inline]
    pub fn state(&self, row: usize) -> State {
        let mut state = [0; LANES];
        for (g, lanes) in state.chunks_mut(2).enumerate() {
            let bits = self.elements[(g << self.log_rows) + row].to_repr();
            lanes[0] = bits as u64;
            if let [_, high] = lanes {
                *high = (bits >> 64) as u64;
            }
        }
        state
    }

    /// Base-two logarithm of the rows.
    pub const fn log_rows(&self) -> usize {
        self.log_rows
    }

    /// The elements, in the order of the commitment.
    pub fn elements(&self) -> &[K] {
        &self.elements
    }

    /// The elements, in the order of the commitment.
    pub fn into_elements(self) -> Vec<K> {
        self.elements
    }
}

/// The row after a row, within its call: the first one after the last.
pub const fn next_row(row: usize) -> usize {
    let mask = (1 << LOG_ROWS) - 1;
    row & !mask | (row + 1) & mask
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::HashSet;

    use super::*;

    pub fn calls(count: usize) -> Calls {
        let mut word = 1u64;
        let mut next = || {
            word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            word.rotate_left(23)
        };
        let inputs = (0..count)
            .map(|_| std::array::from_fn(|_| next()))
            .collect();
        Calls::of_inputs(inputs).unwrap()
    }

    #[test]
    fn lists_that_no_proof_is_about() {
        assert_eq!(Calls::of_inputs(Vec::new()), Err(CallsError::Empty));
        let many = vec![[0; LANES]; MAX_CALLS + 1];
        let error = CallsError::TooMany(MAX_CALLS + 1);
        assert_eq!(Calls::new(many.clone(), many), Err(error));
        let error = CallsError::Outputs {
            inputs: 1,
            outputs: 0,
        };
        assert_eq!(Calls::new(vec![[0; LANES]], Vec::new()), Err(error));
    }

    /// More calls than one task hashes, against one hash after the other.
    #[test]
    fn digest_of_a_list() {
        let calls = calls(65);
        let digests: Vec<F> = (calls.inputs.iter().zip(&calls.outputs))
            .flat_map(|(input, output)| {
                let bits: Vec<bool> = [input, output]
                    .into_iter()
                    .flat_map(|state| state.iter().chain(&[0]))
                    .flat_map(|lane| (0..64).map(move |z| lane >> z & 1 == 1))
                    .collect();
                let limb = |bits: &[bool]| {
                    F::from_u32(
                        bits.iter()
                            .rev()
                            .fold(0, |limb, &bit| limb << 1 | u32::from(bit)),
                    )
                };
                Poseidon16LeafHasher.hash_iter(bits.chunks(30).map(limb))
            })
            .collect();
        assert_eq!(calls.digest(), Poseidon16.hash(F::from_u8(65), &digests));
    }

    #[test]
    fn digests_depend_on_the_whole_list() {
        let calls = calls(3);
        let mut seen = HashSet::from([calls.digest()]);
        let mut check = |change: &dyn Fn(&mut Calls)| {
            let mut changed = calls.clone();
            change(&mut changed);
            assert!(seen.insert(changed.digest()));
        };
        for call in 0..3 {
            for lane in 0..LANES {
                check(&|calls| calls.inputs[call][lane] ^= 1 << 63);
                check(&|calls| calls.outputs[call][lane] ^= 1);
            }
        }
        check(&|calls| calls.inputs.swap(0, 1));
        check(&|calls| calls.outputs.swap(0, 1));
        check(&|calls| {
            calls.inputs.swap(0, 1);
            calls.outputs.swap(0, 1);
        });
        check(&|calls| std::mem::swap(&mut calls.inputs, &mut calls.outputs));
        for repeated in [0, 2] {
            check(&|calls| {
                let call = (calls.inputs[repeated], calls.outputs[repeated]);
                calls.inputs.push(call.0);
                calls.outputs.push(call.1);
            });
        }
        check(&|calls| {
            calls.inputs.push([0; LANES]);
            calls.outputs.push([0; LANES]);
        });
        check(&|calls| {
            calls.inputs.pop();
            calls.outputs.pop();
        });
    }
}
