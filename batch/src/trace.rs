//! The trace of a list of calls, packed into elements of GF(2^128).

use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use crate::blake::{self, Blake};
use crate::calls::{Hash, words_of};
use crate::circuit::{Circuit, Row, WORDS};
use crate::field::K;
use crate::keccak;

/// Base-two logarithm of the elements of a row: element `g` is words `2 g` and `2 g + 1`.
pub const LOG_ELEMENTS: usize = 4;

/// Elements of a row.
pub const ELEMENTS: usize = 1 << LOG_ELEMENTS;

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
        blake::rows(blake, &words_of(input), &words(&hash.apply(input)), rows);
    };
    match hash {
        Hash::Blake3 => blake(Blake::Blake3, rows),
        Hash::Blake2s => blake(Blake::Blake2s, rows),
        Hash::KeccakF => keccak::rows(&lanes(input), rows),
    }
}

/// Words of 32 bits from their bytes.
pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|&word| u32::from_le_bytes(word))
        .collect()
}

/// A state of Keccak-f from its bytes.
pub(crate) fn lanes(bytes: &[u8]) -> [u64; keccak::LANES] {
    let mut lanes = [0; keccak::LANES];
    for (lane, bytes) in lanes.iter_mut().zip(bytes.as_chunks().0) {
        *lane = u64::from_le_bytes(*bytes);
    }
    lanes
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
    /// The trace of calls with these inputs, `2^log_calls` or fewer, and then of those with the
    /// input `padding`.
    pub fn new<'a>(
        hash: Hash,
        circuit: &Circuit,
        mut inputs: Vec<&'a [u8]>,
        padding: &'a [u8],
        log_calls: usize,
    ) -> Self {
        let log_rows_of_call = circuit.log_rows;
        let log_rows = log_calls + log_rows_of_call;
        let mut elements = K::zero_vec(1 << (log_rows + LOG_ELEMENTS));
        inputs.resize(1 << log_calls, padding);
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

    /// Rows from `first` on.
    ///
    /// Columns are a power of two of bytes apart, so that one row is in more lines of memory than a
    /// cache has for it: many rows at once take much less time.
    #[inline]
    pub fn rows(&self, first: usize, rows: &mut [Row]) {
        for g in 0..ELEMENTS {
            let column = &self.elements[(g << self.log_rows) + first..];
            for (row, element) in rows.iter_mut().zip(column) {
                let bits = element.to_repr();
                row[2 * g] = bits as u64;
                row[2 * g + 1] = (bits >> 64) as u64;
            }
        }
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::statement::public_rows;

    fn violated(hash: Hash, rows: &[Row]) -> Option<(usize, usize)> {
        let circuit = circuit(hash);
        (0..rows.len()).find_map(|i| {
            let next = &rows[next_row(i, circuit.log_rows)];
            circuit
                .violated(i, &rows[i], next)
                .map(|constraint| (i, constraint))
        })
    }

    fn check(hash: Hash, input: &[u8]) {
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
    }

    /// Whether constraints or the list are about a bit.
    fn is_claimed(hash: Hash, row: usize, bit: usize) -> bool {
        let word = bit / 32;
        match hash {
            // The last row is before the first round and after the last one; `T1` and `T2` of
            // diagonals are not used there.
            Hash::Blake3 => row < 7 || !(48..52).contains(&word) && word < 60,
            Hash::Blake2s => match row {
                // `b`, `d`, the output, `h`.
                10 => word < 16 || (24..32).contains(&word),
                11..15 => false,
                15 => !(8..24).contains(&word) && !(48..52).contains(&word) && word < 60,
                _ => true,
            },
            Hash::KeccakF => match row {
                0 | keccak::ROUNDS => bit < 128 * 13,
                _ => row < keccak::ROUNDS && bit < 64 * keccak::LANES,
            },
        }
    }

    /// Every changed bit is noticed, but those that no claim is about.
    #[test]
    fn changed_bits_are_noticed() {
        for hash in Hash::ALL {
            let circuit = circuit(hash);
            let input = vec![0x5a; hash.input_bytes()];
            let mut rows = vec![[0; WORDS]; 1 << circuit.log_rows];
            rows_of_call(hash, &input, &mut rows);
            let count = rows.len();
            for row in 0..count {
                let public = circuit.public.iter().filter(|public| public.row == row);
                let public = public.fold(0, |elements, public| elements | public.elements);
                for bit in 0..64 * WORDS {
                    rows[row][bit / 64] ^= 1 << (bit % 64);
                    let mut constraints = [(row + count - 1) % count, row].into_iter();
                    let violated = |i: usize| {
                        let next = &rows[next_row(i, circuit.log_rows)];
                        circuit.violated(i, &rows[i], next).is_some()
                    };
                    let noticed = public >> (bit / 128) & 1 == 1 || constraints.any(violated);
                    let expected = is_claimed(hash, row, bit);
                    assert_eq!(noticed, expected, "{hash}, row {row}, bit {bit}");
                    rows[row][bit / 64] ^= 1 << (bit % 64);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn rows_fulfil_the_constraints(input in prop::collection::vec(any::<u8>(), 200)) {
            for hash in Hash::ALL {
                check(hash, &input[..hash.input_bytes()]);
            }
        }
    }

    #[test]
    fn extreme_words_fulfil_the_constraints() {
        for byte in [0, 0xff, 0x80, 0x7f, 0x01] {
            for hash in Hash::ALL {
                check(hash, &vec![byte; hash.input_bytes()]);
            }
        }
    }
}
