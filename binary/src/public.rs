//! The public bits of a statement, as columns beside the trace, and their values at a point.

#![allow(
    clippy::indexing_slicing,
    reason = "all sizes are those of the statement, which has checked them"
)]

use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;

use crate::air::CallAir;
use crate::paths::{MerklePaths, Path, node};
use crate::scheme::F;
use crate::{Hash, HashCalls, StatementError};

/// Rows of a word.
const WORD: usize = 64;

/// What the verifier knows of all rows. Of calls: first the bits of a row's input, then those of
/// its output. Of paths: those of [`crate::air::paths`].
///
/// The number of rows is a power of two, at least 64. Those below the last are calls with the input
/// zero, or paths of one node whose children are zero, which the verifier adds itself.
#[derive(Debug)]
pub(crate) struct PublicBits {
    air: CallAir,
    log_rows: usize,
    /// 64 rows a word, `bits * block + bit`.
    words: RowMajorMatrix<u64>,
}

impl PublicBits {
    pub fn new(statement: &HashCalls) -> Result<Self, StatementError> {
        let hash = statement.hash();
        let zero = vec![0; hash.input_bytes()];
        let padding = (zero.as_slice(), &*hash.output(&zero)?);
        let calls: Vec<_> = statement.calls().collect();
        let call = |row: usize| calls.get(row).copied().unwrap_or(padding);
        Ok(Self::from_blocks(
            CallAir::new(hash),
            statement.len(),
            |first, columns| {
                let (inputs, outputs) = columns.split_at_mut(8 * hash.input_bytes());
                transpose(inputs, |row| call(first + row).0);
                transpose(outputs, |row| call(first + row).1);
            },
        ))
    }

    /// The public bits of paths.
    pub fn of_paths(statement: &MerklePaths) -> Self {
        let (hash, depth, zero) = (statement.hash(), statement.depth(), [0; 32]);
        let padding = Path {
            leaf: zero,
            index: 0,
            root: node(hash, &zero, &zero),
        };
        let place = |row: usize| match statement.paths().get(row / depth) {
            Some(path) => (path, row % depth, depth),
            None => (&padding, 0, 1),
        };
        let air = CallAir::of_paths(hash);
        Self::from_blocks(air, statement.nodes(), |start, columns| {
            let (digests, flags) = columns.split_at_mut(512);
            let (leaves, roots) = digests.split_at_mut(256);
            transpose(leaves, |row| match place(start + row) {
                (path, 0, _) => &path.leaf,
                _ => &zero,
            });
            transpose(roots, |row| match place(start + row) {
                (path, level, depth) if level + 1 == depth => &path.root,
                _ => &zero,
            });
            for row in 0..WORD {
                let (path, level, depth) = place(start + row);
                let bits = [level == 0, level + 1 == depth, path.is_right(level)];
                for (word, bit) in flags.iter_mut().zip(bits) {
                    *word |= u64::from(bit) << row;
                }
            }
        })
    }

    /// At least so many rows, whose public bits `fill` writes, given the number of the first of 64.
    fn from_blocks(air: CallAir, rows: usize, fill: impl Fn(usize, &mut [u64]) + Sync) -> Self {
        let (rows, bits) = (rows.next_power_of_two().max(WORD), air.public_bits());
        let mut words = vec![0; bits * (rows / WORD)];
        let blocks = words.par_chunks_exact_mut(bits).enumerate();
        blocks.for_each(|(block, columns)| fill(WORD * block, columns));
        Self {
            air,
            log_rows: rows.trailing_zeros() as usize,
            words: RowMajorMatrix::new(words, bits),
        }
    }

    /// Rows of zeros, which say nothing: for what depends on the shape alone.
    pub fn shape(air: CallAir) -> Self {
        Self::from_blocks(air, WORD, |_, _| {})
    }

    pub const fn air(&self) -> CallAir {
        self.air
    }

    pub const fn hash(&self) -> Hash {
        self.air.hash()
    }

    pub const fn log_rows(&self) -> usize {
        self.log_rows
    }

    /// The bits of 64 rows each.
    pub fn blocks(&self) -> impl IndexedParallelIterator<Item = &[u64]> {
        self.words.values.par_chunks_exact(self.words.width)
    }

    /// The value of each bit's multilinear extension at a point of `log_rows` coordinates.
    pub fn evaluate(&self, point: &Point<F>) -> Vec<F> {
        let weights = Poly::new_from_point(point.as_slice(), F::ONE);
        let blocks = self.blocks().zip(weights.as_slice().par_chunks(WORD));
        blocks
            .map(|(columns, weights)| {
                // Sums of any of 8 weights each, so that a byte of a word is one addition.
                let sums: Vec<[F; 256]> = weights.chunks(8).map(subset_sums).collect();
                let value = |word: &u64| {
                    let bytes = word.to_le_bytes().into_iter().zip(&sums);
                    bytes.map(|(byte, sums)| sums[usize::from(byte)]).sum()
                };
                columns.iter().map(value).collect()
            })
            .reduce_with(|x: Vec<F>, y| x.into_iter().zip(y).map(|(x, y)| x + y).collect())
            .unwrap_or_default()
    }
}

/// The sums of the elements in each set of the 8, by the set's bits.
fn subset_sums(elements: &[F]) -> [F; 256] {
    let mut sums = [F::ZERO; 256];
    for (bit, &element) in elements.iter().enumerate() {
        let (known, new) = sums.split_at_mut(1 << bit);
        for (new, &known) in new.iter_mut().zip(known.iter()) {
            *new = known + element;
        }
    }
    sums
}

/// Bit `i` of column `j` becomes bit `j` of row `i`'s bytes, of 64 rows.
pub(crate) fn transpose<'a>(columns: &mut [u64], row: impl Fn(usize) -> &'a [u8]) {
    let rows: [&[u8]; WORD] = std::array::from_fn(row);
    for (i, square) in columns.as_chunks_mut::<WORD>().0.iter_mut().enumerate() {
        for (word, row) in square.iter_mut().zip(rows) {
            *word = row
                .as_chunks()
                .0
                .get(i)
                .map_or(0, |bytes| u64::from_le_bytes(*bytes));
        }
        transpose_square(square);
    }
}

/// Exchanges rows and columns of 64 by 64 bits, by quarters of squares that get smaller.
fn transpose_square(rows: &mut [u64; WORD]) {
    let (mut half, mut mask) = (WORD / 2, u64::from(u32::MAX));
    while half > 0 {
        for low in (0..WORD).filter(|row| row & half == 0) {
            let swap = (rows[low] >> half ^ rows[low + half]) & mask;
            rows[low] ^= swap << half;
            rows[low + half] ^= swap;
        }
        half /= 2;
        mask ^= mask << half;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use p3_multilinear_util::poly::Poly;
    use proptest::prelude::*;

    use super::*;

    /// True calls of random inputs.
    pub(crate) fn random_calls(hash: Hash, calls: usize, seed: u64) -> HashCalls {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut byte = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        };
        let inputs: Vec<Vec<u8>> = (0..calls)
            .map(|_| (0..hash.input_bytes()).map(|_| byte()).collect())
            .collect();
        HashCalls::of_inputs(hash, inputs).unwrap()
    }

    /// Bit `bit` of a call.
    fn bit(statement: &HashCalls, call: usize, bit: usize) -> bool {
        let (input, output) = statement.calls().nth(call).unwrap();
        [input, output].concat()[bit / 8] >> (bit % 8) & 1 == 1
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        /// Values are those of the multilinear extension of each bit, by Plonky3's definition.
        #[test]
        fn values_are_those_of_extensions(calls in 1..200_usize, seed: u64, which in 0..3_usize) {
            let hash = Hash::ALL[which];
            let statement = random_calls(hash, calls, seed);
            let public = PublicBits::new(&statement).unwrap();
            let rows = 1 << public.log_rows();
            prop_assert!(rows >= 64 && (rows / 2 < calls || rows == 64));
            let coordinates = (0..public.log_rows()).map(|i| {
                F::from_le_bytes((u128::from(seed).wrapping_mul(i as u128 + 3) << 3).to_le_bytes())
            });
            let point = Point::new(coordinates.collect());
            let values = public.evaluate(&point);
            prop_assert_eq!(values.len(), 8 * (hash.input_bytes() + hash.output_bytes()));
            let padding = HashCalls::of_inputs(hash, [vec![0; hash.input_bytes()]]).unwrap();
            for j in (0..values.len()).step_by(61) {
                let column = (0..rows).map(|row| match row < calls {
                    true => F::from_bool(bit(&statement, row, j)),
                    false => F::from_bool(bit(&padding, 0, j)),
                });
                let column = Poly::new(column.collect::<Vec<F>>());
                prop_assert_eq!(values[j], column.eval_base(&point), "bit {}", j);
            }
        }
    }
}
