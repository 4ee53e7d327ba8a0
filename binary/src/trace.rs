//! The trace of a list of calls, packed into elements of GF(2^128).

use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use crate::bits::BLOCK;
use crate::blake::{self, Blake};
use crate::calls::{Hash, words_of};
use crate::circuit::{Circuit, Lanes, MAX_OPERANDS, Row, WORDS};
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
        Hash::KeccakF => keccak::circuit::<false>(),
        Hash::KeccakRate => keccak::circuit::<true>(),
    }
}

/// The rows of a call, of which all are zero before.
pub fn rows_of_call(hash: Hash, input: &[u8], rows: &mut [Row]) {
    match hash {
        Hash::Blake3 => blake::rows(Blake::Blake3, &words_of(input), rows),
        Hash::Blake2s => blake::rows(Blake::Blake2s, &words_of(input), rows),
        Hash::KeccakF => keccak::rows::<false>(&keccak::lanes::<false>(input), rows),
        Hash::KeccakRate => keccak::rows::<true>(&keccak::lanes::<true>(input), rows),
    }
}

/// A row as elements.
pub fn pack(row: &Row) -> [K; ELEMENTS] {
    std::array::from_fn(|g| pack_words(row[2 * g], row[2 * g + 1]))
}

fn pack_words(low: u64, high: u64) -> K {
    K::from_repr(low as u128 | (high as u128) << 64)
}

/// The index of an element of a trace: of a row of a call, and of one of its elements.
#[inline]
pub const fn index(log_calls: usize, call: usize, row: usize, element: usize) -> usize {
    (row << LOG_ELEMENTS | element) << log_calls | call
}

/// The elements of the trace of calls with these inputs, as many as a power of two.
pub fn elements_of_calls(hash: Hash, circuit: &Circuit, inputs: &[&[u8]]) -> Vec<K> {
    let rows = 1 << circuit.log_rows;
    let mut elements = K::zero_vec(rows * ELEMENTS * inputs.len());
    let blocks = split_columns(elements.chunks_mut(inputs.len()), BLOCK);
    (inputs.par_chunks(BLOCK).zip(blocks)).for_each(|(inputs, mut columns)| {
        let mut block = vec![[0; WORDS]; rows * inputs.len()];
        for (input, call) in inputs.iter().zip(block.chunks_mut(rows)) {
            rows_of_call(hash, input, call);
        }
        for (row, columns) in columns.chunks_mut(ELEMENTS).enumerate() {
            for (g, column) in columns.iter_mut().enumerate() {
                for (call, element) in column.iter_mut().enumerate() {
                    let words = &block[call * rows + row];
                    *element = pack_words(words[2 * g], words[2 * g + 1]);
                }
            }
        }
    });
    elements
}

/// A trace, with its elements in the order of [`index`].
#[derive(Clone, Copy, Debug)]
pub struct Trace<'a> {
    elements: &'a [K],
    log_calls: usize,
    log_rows_of_call: usize,
}

/// `N` words of each of 64 calls, or of all if there are fewer: eight calls together. Words of
/// other calls are zero.
#[derive(Clone, Debug)]
pub struct CallBlock<const N: usize>([[Lanes; N]; BLOCK / 8]);

/// One row.
pub type RowBlock = CallBlock<WORDS>;

/// The operands of a row and the next one.
pub type OperandBlock = CallBlock<MAX_OPERANDS>;

impl<const N: usize> Default for CallBlock<N> {
    fn default() -> Self {
        Self([[[0; 8]; N]; BLOCK / 8])
    }
}

impl<const N: usize> CallBlock<N> {
    /// A word of each call.
    #[inline]
    pub fn word(&self, word: usize) -> [Lanes; BLOCK / 8] {
        std::array::from_fn(|eight| self.0[eight][word])
    }
}

impl OperandBlock {
    /// Replaces the operands by those of a row and the next one.
    pub fn set(&mut self, (row, next): (&RowBlock, &RowBlock), circuit: &Circuit) {
        for ((operands, row), next) in self.0.iter_mut().zip(&row.0).zip(&next.0) {
            (circuit.fast_operands)(row, next, operands);
        }
    }
}

/// Rows of blocks of calls, each with the next one, which is kept, so that rows in their order are
/// read once.
#[derive(Clone, Debug)]
pub struct RowPairs<'a> {
    trace: Trace<'a>,
    row: RowBlock,
    next: RowBlock,
    /// Row and first call of what `next` has.
    at: Option<(usize, usize)>,
}

impl<'a> RowPairs<'a> {
    /// Of no calls yet.
    pub fn new(trace: &Trace<'a>) -> Self {
        Self {
            trace: *trace,
            row: RowBlock::default(),
            next: RowBlock::default(),
            at: None,
        }
    }

    /// A row of the calls from `first` on, and the next one.
    pub fn read(&mut self, row: usize, first: usize) -> (&RowBlock, &RowBlock) {
        match self.at {
            Some(at) if at == (row, first) => std::mem::swap(&mut self.row, &mut self.next),
            _ => self.trace.read(row, first, &mut self.row),
        }
        let next = self.trace.next(row);
        self.trace.read(next, first, &mut self.next);
        self.at = Some((next, first));
        (&self.row, &self.next)
    }
}

impl<'a> Trace<'a> {
    /// The trace of calls of a circuit.
    pub fn new(elements: &'a [K], circuit: &Circuit) -> Self {
        let log_rows_of_call = circuit.log_rows;
        let log_calls = elements.len().ilog2() as usize - LOG_ELEMENTS - log_rows_of_call;
        Self {
            elements,
            log_calls,
            log_rows_of_call,
        }
    }

    /// Replaces a block by a row of the calls from `first` on.
    #[inline]
    pub fn read(&self, row: usize, first: usize, block: &mut RowBlock) {
        for g in 0..ELEMENTS {
            let column = &self.elements[index(self.log_calls, first, row, g)..];
            let (eights, _) = column[..self.block_calls()].as_chunks::<8>();
            for (words, elements) in block.0.iter_mut().zip(eights) {
                let bits = elements.map(|element| element.to_repr());
                words[2 * g] = bits.map(|bits| bits as u64);
                words[2 * g + 1] = bits.map(|bits| (bits >> 64) as u64);
            }
        }
    }

    /// Calls of a block.
    #[inline]
    fn block_calls(&self) -> usize {
        BLOCK.min(1 << self.log_calls)
    }

    /// The row after a row, within its call: the first one after the last.
    #[inline]
    pub const fn next(&self, row: usize) -> usize {
        next_row(row, self.log_rows_of_call)
    }

    /// Base-two logarithm of the calls.
    pub const fn log_calls(&self) -> usize {
        self.log_calls
    }

    /// Rows of a call.
    pub const fn rows_of_call(&self) -> usize {
        1 << self.log_rows_of_call
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

/// The row after a row of a call: the first one after the last.
#[inline]
pub const fn next_row(row: usize, log_rows_of_call: usize) -> usize {
    (row + 1) % (1 << log_rows_of_call)
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
        let mut input = input.to_vec();
        if hash == Hash::KeccakRate {
            // What stands for nothing is zero in graphs.
            input[136..144].fill(0);
        }
        let (circuit, input) = (circuit(hash), input.as_slice());
        let mut rows = vec![[0; WORDS]; 1 << circuit.log_rows];
        rows_of_call(hash, input, &mut rows);
        assert_eq!(violated(hash, &rows), None, "{hash}");
        let public = public_rows(hash, &circuit, input, &hash.apply(input));
        for (values, public) in public.iter().zip(&circuit.public) {
            let row = pack(&rows[public.row]);
            for g in (0..ELEMENTS).filter(|g| public.elements >> g & 1 == 1) {
                assert_eq!(row[g], values[g], "{hash}, row {}, element {g}", public.row);
            }
        }
        for i in 0..rows.len() {
            let next = &rows[next_row(i, circuit.log_rows)];
            let operands = circuit.operands(&rows[i], next);
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
                0 => !(8..24).contains(&word) && !(48..52).contains(&word) && word < 60,
                // `b`, `d`, the output, `h`.
                11 => word < 16 || (24..32).contains(&word),
                12.. => false,
                _ => true,
            },
            Hash::KeccakF => match row {
                0 | keccak::ROUNDS => bit < 128 * 13,
                _ => row < keccak::ROUNDS && bit < 64 * keccak::LANES,
            },
            Hash::KeccakRate => match row {
                0 | keccak::ROUNDS => bit < 128 * 13,
                _ => row < keccak::ROUNDS && bit < 128 * 13 && bit / 64 != 17,
            },
        }
    }

    /// Every changed bit is noticed, but those that no claim is about.
    #[test]
    fn changed_bits_are_noticed() {
        for hash in Hash::OF_GRAPHS {
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

    /// Rows that are not used are zero, since they are not committed to: neither constraints nor
    /// the list are about them, as a row or as the next one.
    #[test]
    fn only_used_rows_are_in_claims() {
        for hash in Hash::OF_GRAPHS {
            let circuit = circuit(hash);
            for group in &circuit.groups {
                let products = group.products.iter();
                let operands = products.flat_map(|product| [product.left, product.right]);
                let operands = operands.map(|operand| &circuit.operands[operand]);
                let mut terms = group.rest.iter().chain(operands).flat_map(|form| &form.0);
                let next = terms.any(|term| term.next);
                for row in (0..64).filter(|row| group.rows >> row & 1 == 1) {
                    assert!(row < circuit.used_rows, "{hash}: row {row}");
                    let following = next_row(row, circuit.log_rows);
                    assert!(!next || following < circuit.used_rows, "{hash}: row {row}");
                }
            }
            let mut public = circuit.public.iter();
            assert!(public.all(|public| public.row < circuit.used_rows));
            let mut rows = vec![[0; WORDS]; 1 << circuit.log_rows];
            rows_of_call(hash, &vec![0x5a; hash.input_bytes()], &mut rows);
            let unused = rows.split_off(circuit.used_rows);
            assert!(unused.iter().all(|row| *row == [0; WORDS]), "{hash}");
            assert!(rows.iter().all(|row| *row != [0; WORDS]), "{hash}");
        }
    }

    proptest! {
        #[test]
        fn rows_fulfil_the_constraints(input in prop::collection::vec(any::<u8>(), 208)) {
            for hash in Hash::OF_GRAPHS {
                check(hash, &input[..hash.input_bytes()]);
            }
        }
    }

    #[test]
    fn extreme_words_fulfil_the_constraints() {
        for byte in [0, 0xff, 0x80, 0x7f, 0x01] {
            for hash in Hash::OF_GRAPHS {
                check(hash, &vec![byte; hash.input_bytes()]);
            }
        }
    }
}
