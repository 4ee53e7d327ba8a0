//! Transposing a matrix with all threads: Plonky3's transpose is serial on most processors.

use p3_maybe_rayon::prelude::*;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Lines that one task takes, at least.
const LINES: usize = 16;

/// Writes the transpose of a matrix of `rows` rows: entry `(i, j)` becomes entry `(j, i)`.
///
/// # Panics
/// If the lengths are not equal, or no whole number of rows.
pub fn transpose<T: Copy + Send + Sync>(matrix: &[T], rows: usize, transposed: &mut [T]) {
    let (length, columns) = (matrix.len(), matrix.len() / rows.max(1));
    assert!(
        transposed.len() == length && rows * columns == length,
        "{length} entries of {rows} rows, transposed to {}",
        transposed.len()
    );
    // Entries of a row that are read at once.
    let line = LINE.div_ceil(size_of::<T>().max(1));
    let parts = transposed.par_chunks_mut((line * rows).max(1));
    (parts.with_min_len(LINES).enumerate()).for_each(|(part, transposed)| {
        for (i, row) in matrix.chunks_exact(columns.max(1)).enumerate() {
            let places = transposed.iter_mut().skip(i).step_by(rows);
            for (place, &entry) in places.zip(row.iter().skip(line * part)) {
                *place = entry;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn entries_change_places(rows in 0usize..20, columns in 0usize..100) {
            let matrix: Vec<u32> = (0..(rows * columns) as u32).collect();
            let mut transposed = vec![0; matrix.len()];
            transpose(&matrix, rows, &mut transposed);
            for (i, row) in matrix.chunks(columns.max(1)).enumerate() {
                for (j, entry) in row.iter().enumerate() {
                    prop_assert_eq!(transposed[j * rows + i], *entry);
                }
            }
            let wide: Vec<u128> = matrix.iter().copied().map(u128::from).collect();
            let mut transposed = vec![0; wide.len()];
            transpose(&wide, rows, &mut transposed);
            let mut back = vec![0; wide.len()];
            transpose(&transposed, columns, &mut back);
            prop_assert_eq!(back, wide);
        }
    }
}
