//! The trace of a list of calls, packed into elements of GF(2^128).

use droste_poseidon16::{Poseidon16, Poseidon16LeafHasher};
use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;
use p3_symmetric::CryptographicHasher;

use crate::blake::{self, Blake};
use crate::calls::{Hash, HashCalls, words_of};
use crate::circuit::{Circuit, Row, WORDS};
use crate::field::{F, K, eq_table, for_each_limb, num_limbs};
use crate::keccak;

/// Base-two logarithm of the elements of a row: element `g` is words `2 g` and `2 g + 1`.
pub const LOG_ELEMENTS: usize = 4;

/// Elements of a row.
pub const ELEMENTS: usize = 1 << LOG_ELEMENTS;

/// Fewest calls that a trace has room for.
const MIN_CALLS: usize = 8;

/// The constraints of a hash's calls.
pub fn circuit(hash: Hash) -> Circuit {
    match hash {
        Hash::Blake3 => blake::circuit(Blake::Blake3),
        Hash::Blake2s => blake::circuit(Blake::Blake2s),
        Hash::KeccakF => keccak::circuit(),
    }
}

/// The rows of a call, of which all are zero before.
pub fn rows_of_call(hash: Hash, input: &[u8], rows: &mut [Row]) {
    let blake = |blake, rows| {
        let output = hash.apply(input);
        let words: Vec<u32> = output
            .as_chunks()
            .0
            .iter()
            .map(|&word| u32::from_le_bytes(word))
            .collect();
        blake::rows(blake, &words_of(input), &words, rows);
    };
    match hash {
        Hash::Blake3 => blake(Blake::Blake3, rows),
        Hash::Blake2s => blake(Blake::Blake2s, rows),
        Hash::KeccakF => keccak::rows(&lanes(input), rows),
    }
}

/// A state of Keccak-f from its bytes.
fn lanes(bytes: &[u8]) -> [u64; keccak::LANES] {
    let mut lanes = [0; keccak::LANES];
    for (lane, bytes) in lanes.iter_mut().zip(bytes.as_chunks().0) {
        *lane = u64::from_le_bytes(*bytes);
    }
    lanes
}

/// Base-two logarithm of the calls of the trace of a list: its own, then calls of zero.
pub fn log_calls(calls: &HashCalls) -> usize {
    calls.len().max(MIN_CALLS).next_power_of_two().ilog2() as usize
}

/// The public rows of a call, in the order of the circuit. Elements that are not public are left out of
/// what is done with them.
fn public_rows(hash: Hash, input: &[u8], output: &[u8]) -> Vec<[K; ELEMENTS]> {
    let mut rows = [[0; WORDS]; 3];
    let mut set = |row: usize, first: usize, words: &[u32]| {
        for (i, &word) in words.iter().enumerate() {
            rows[row][(first + i) / 2] |= u64::from(word) << (32 * ((first + i) % 2));
        }
    };
    let mut compression = |blake: Blake| {
        let words = words_of(input);
        let output: Vec<u32> = output
            .as_chunks()
            .0
            .iter()
            .map(|&word| u32::from_le_bytes(word))
            .collect();
        set(0, 0, &words[4..8]);
        set(
            0,
            4,
            &blake.last_words(std::array::from_fn(|i| words[24 + i])),
        );
        set(0, 8, &words[8..24]);
        set(1, 8, &output);
        set(1, 24, &words[..8]);
        set(2, 24, &words[..8]);
    };
    let count = match hash {
        Hash::Blake3 => {
            compression(Blake::Blake3);
            2
        }
        Hash::Blake2s => {
            compression(Blake::Blake2s);
            3
        }
        Hash::KeccakF => {
            rows[0][..keccak::LANES].copy_from_slice(&lanes(input));
            rows[1][..keccak::LANES].copy_from_slice(&lanes(output));
            2
        }
    };
    rows[..count].iter().map(pack).collect()
}

/// The multilinear extensions of a list's public rows: over calls at `calls`, over elements at
/// `elements`, without those that are not public.
pub fn evaluate_public(
    statement: &HashCalls,
    circuit: &Circuit,
    calls: &[K],
    elements: &[K],
) -> Vec<K> {
    let (calls, elements) = (eq_table(calls), eq_table(elements));
    let hash = statement.hash();
    let values = |weight: K, input: &[u8], output: &[u8]| -> Vec<K> {
        (public_rows(hash, input, output).iter().zip(&circuit.public))
            .map(|(row, public)| {
                let public = (0..ELEMENTS).filter(|g| public.elements >> g & 1 == 1);
                weight * public.map(|g| row[g] * elements[g]).sum::<K>()
            })
            .collect()
    };
    let add = |mut left: Vec<K>, right: Vec<K>| {
        left.iter_mut()
            .zip(right)
            .for_each(|(left, right)| *left += right);
        left
    };
    // The padding's calls are those of zero.
    let rest: K = calls.iter().skip(statement.len()).copied().sum();
    let zero = vec![0; hash.input_bytes()];
    let padding = values(rest, &zero, &hash.apply(&zero));
    let listed: Vec<_> = statement.calls().zip(calls).collect();
    listed
        .into_par_iter()
        .with_min_len(64)
        .map(|((input, output), weight)| values(weight, input, output))
        .reduce(|| K::zero_vec(circuit.public.len()), add)
        .into_iter()
        .zip(padding)
        .map(|(listed, padding)| listed + padding)
        .collect()
}

/// The digest that stands for a list in the transcript: Poseidon-16 of the digests of the calls, each the
/// hash of the bytes of input and output as limbs, with the hash's number and that of calls.
pub fn digest(statement: &HashCalls) -> [F; 8] {
    let hash = statement.hash();
    let bytes = hash.input_bytes() + hash.output_bytes();
    let width = num_limbs(bytes.div_ceil(16));
    let calls: Vec<_> = statement.calls().collect();
    let digests: Vec<F> = calls
        .par_chunks(64)
        .flat_map(|calls| {
            let mut limbs = Vec::with_capacity(calls.len() * width);
            for (input, output) in calls {
                let text = [*input, *output].concat();
                let elements: Vec<K> = text
                    .chunks(16)
                    .map(|bytes| {
                        let mut whole = [0; 16];
                        whole[..bytes.len()].copy_from_slice(bytes);
                        K::from_le_bytes(whole)
                    })
                    .collect();
                for_each_limb(&elements, |limb| limbs.push(limb));
            }
            let mut digests = vec![[F::ZERO; 8]; calls.len()];
            Poseidon16LeafHasher.hash_many(&limbs, &mut digests);
            digests.into_flattened()
        })
        .collect();
    let tag = F::from_usize(statement.len() << 2 | usize::from(hash.number()));
    Poseidon16.hash(tag, &digests)
}

/// A row as elements.
pub fn pack(row: &Row) -> [K; ELEMENTS] {
    std::array::from_fn(|g| K::from_repr(u128::from(row[2 * g]) | u128::from(row[2 * g + 1]) << 64))
}

/// The trace as one list of elements: element `g` of row `i` at `g 2^log_rows + i`, with row
/// `2^log_rows_of_call c + j` row `j` of call `c`.
pub struct Trace {
    elements: Vec<K>,
    log_rows: usize,
    log_rows_of_call: usize,
}

impl Trace {
    /// The trace of calls.
    pub fn new(statement: &HashCalls, circuit: &Circuit) -> Self {
        let hash = statement.hash();
        let (log_calls, log_rows_of_call) = (log_calls(statement), circuit.log_rows);
        let log_rows = log_calls + log_rows_of_call;
        let mut elements = K::zero_vec(1 << (log_rows + LOG_ELEMENTS));
        let zero = vec![0; hash.input_bytes()];
        let mut inputs: Vec<&[u8]> = statement.calls().map(|(input, _)| input).collect();
        inputs.resize(1 << log_calls, &zero);
        let calls = split_columns(elements.chunks_mut(1 << log_rows), 1 << log_rows_of_call);
        inputs
            .into_par_iter()
            .zip(calls)
            .for_each(|(input, mut columns)| {
                let mut rows = vec![[0; WORDS]; 1 << log_rows_of_call];
                rows_of_call(hash, input, &mut rows);
                for (i, row) in rows.iter().enumerate() {
                    for (column, element) in columns.iter_mut().zip(pack(row)) {
                        column[i] = element;
                    }
                }
            });
        Self {
            elements,
            log_rows,
            log_rows_of_call,
        }
    }

    /// A row.
    #[inline]
    pub fn row(&self, row: usize) -> Row {
        let mut words = [0; WORDS];
        for (g, words) in words.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let bits = self.elements[(g << self.log_rows) + row].to_repr();
            *words = [bits as u64, (bits >> 64) as u64];
        }
        words
    }

    /// The row after a row, within its call: the first one after the last.
    #[inline]
    pub const fn next(&self, row: usize) -> usize {
        next_row(row, self.log_rows_of_call)
    }

    /// Base-two logarithm of the rows.
    pub const fn log_rows(&self) -> usize {
        self.log_rows
    }

    /// Base-two logarithm of the rows of a call.
    pub const fn log_rows_of_call(&self) -> usize {
        self.log_rows_of_call
    }

    /// The elements, in the order of the commitment.
    pub fn elements(&self) -> &[K] {
        &self.elements
    }
}

/// Columns as parts of `rows` rows, each with all of its columns.
pub fn split_columns<'a>(
    columns: impl IntoIterator<Item = &'a mut [K]>,
    rows: usize,
) -> Vec<Vec<&'a mut [K]>> {
    let columns = columns.into_iter().map(|column| column.chunks_mut(rows));
    let mut columns: Vec<_> = columns.collect();
    let parts = std::iter::repeat_with(|| columns.iter_mut().filter_map(Iterator::next).collect());
    parts.take_while(|part: &Vec<_>| !part.is_empty()).collect()
}

/// The row after a row, within its call: the first one after the last.
#[inline]
pub const fn next_row(row: usize, log_rows_of_call: usize) -> usize {
    let mask = (1 << log_rows_of_call) - 1;
    row & !mask | (row + 1) & mask
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Calls of words without a pattern.
    pub fn calls(hash: Hash, count: usize) -> HashCalls {
        let mut word = 1u64;
        let mut byte = || {
            word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (word >> 56) as u8
        };
        let mut input = || -> Vec<u8> { (0..hash.input_bytes()).map(|_| byte()).collect() };
        HashCalls::of_inputs(hash, (0..count).map(|_| input())).unwrap()
    }

    fn violated(hash: Hash, rows: &[Row]) -> Option<(usize, usize)> {
        let circuit = circuit(hash);
        (0..rows.len()).find_map(|i| {
            let next = &rows[next_row(i, circuit.log_rows)];
            circuit
                .violated(i, &rows[i], next)
                .map(|constraint| (i, constraint))
        })
    }

    fn check(hash: Hash, input: &[u8], bit: usize) {
        let circuit = circuit(hash);
        let mut rows = vec![[0; WORDS]; 1 << circuit.log_rows];
        rows_of_call(hash, input, &mut rows);
        assert_eq!(violated(hash, &rows), None, "{hash}");
        let public = public_rows(hash, input, &hash.apply(input));
        for (values, public) in public.iter().zip(&circuit.public) {
            let row = pack(&rows[public.row]);
            for g in (0..ELEMENTS).filter(|g| public.elements >> g & 1 == 1) {
                assert_eq!(row[g], values[g], "{hash}, row {}, element {g}", public.row);
            }
        }
        for i in 0..rows.len() {
            let next = &rows[next_row(i, circuit.log_rows)];
            let mut operands = [0; crate::circuit::MAX_OPERANDS];
            (circuit.fast_operands)(&rows[i], next, &mut operands);
            for (form, operand) in circuit.operands.iter().zip(operands) {
                assert_eq!(form.word(&rows[i], next), operand, "{hash}, row {i}");
            }
        }
        // A changed bit is noticed, but in rows that no constraint is about.
        let (row, bit) = (bit / (64 * WORDS) % rows.len(), bit % (64 * WORDS));
        rows[row][bit / 64] ^= 1 << (bit % 64);
        let used = match hash {
            Hash::KeccakF => row <= keccak::ROUNDS && bit < 1600,
            Hash::Blake3 => row < 7,
            Hash::Blake2s => row < 10,
        };
        if used {
            assert!(
                violated(hash, &rows).is_some(),
                "{hash}, row {row}, bit {bit}"
            );
        }
    }

    proptest! {
        #[test]
        fn rows_fulfil_the_constraints(
            input in prop::collection::vec(any::<u8>(), 200),
            bit in any::<usize>(),
        ) {
            for hash in Hash::ALL {
                check(hash, &input[..hash.input_bytes()], bit);
            }
        }
    }

    #[test]
    fn extreme_words_fulfil_the_constraints() {
        for byte in [0, 0xff, 0x80, 0x7f, 0x01] {
            for hash in Hash::ALL {
                check(hash, &vec![byte; hash.input_bytes()], usize::from(byte));
            }
        }
    }
}
