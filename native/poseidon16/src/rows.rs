//! Transposition of sixteen rows of eight elements into packed elements, and back.
//!
//! Merkle trees store rows, but the packed permutation needs the first elements of sixteen rows in
//! one vector, the second elements in the next one, and so on.

use std::arch::x86_64::{
    __m512i, _mm256_loadu_si256, _mm256_storeu_si256, _mm512_castsi256_si512,
    _mm512_castsi512_si256, _mm512_extracti64x4_epi64, _mm512_inserti64x4, _mm512_loadu_si512,
    _mm512_permutex2var_epi64, _mm512_set_epi64, _mm512_setzero_si512, _mm512_storeu_si512,
    _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

use p3_field::PrimeCharacteristicRing;
use p3_koala_bear::PackedKoalaBearAVX512;

use crate::field::F;

/// Number of rows, and of lanes of a packed element.
pub(super) const ROWS: usize = 16;

/// Number of elements of a row.
pub(super) const COLUMNS: usize = 8;

/// Packs rows: the lanes of entry `i` are column `i` of the rows.
#[inline]
pub(super) fn pack(rows: [&[F; COLUMNS]; ROWS]) -> [PackedKoalaBearAVX512; COLUMNS] {
    let mut packed = [PackedKoalaBearAVX512::ZERO; COLUMNS];
    // SAFETY: this module is compiled only if the target has AVX-512 F. Every row is 32 bytes and
    // every packed element 64; loads and stores need no alignment; words are moved, not changed.
    unsafe {
        let mut pairs = [_mm512_setzero_si512(); COLUMNS];
        for (i, pair) in pairs.iter_mut().enumerate() {
            let low = _mm256_loadu_si256(rows[i].as_ptr().cast());
            let high = _mm256_loadu_si256(rows[i + COLUMNS].as_ptr().cast());
            *pair = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
        }
        for (packed, words) in packed.iter_mut().zip(transpose(&pairs)) {
            _mm512_storeu_si512(std::ptr::from_mut(packed).cast(), words);
        }
    }
    packed
}

/// Unpacks rows: row `i` is lane `i` of all entries.
#[inline]
pub(super) fn unpack(packed: &[PackedKoalaBearAVX512; COLUMNS]) -> [[F; COLUMNS]; ROWS] {
    let mut rows = [[F::ZERO; COLUMNS]; ROWS];
    // SAFETY: as in `pack`.
    unsafe {
        let columns =
            std::array::from_fn(|i| _mm512_loadu_si512(std::ptr::from_ref(&packed[i]).cast()));
        for (i, pair) in transpose(&columns).into_iter().enumerate() {
            let (low, high) = (
                _mm512_castsi512_si256(pair),
                _mm512_extracti64x4_epi64::<1>(pair),
            );
            _mm256_storeu_si256(rows[i].as_mut_ptr().cast(), low);
            _mm256_storeu_si256(rows[i + COLUMNS].as_mut_ptr().cast(), high);
        }
    }
    rows
}

/// Transposes the 8 by 8 words in the low halves of the rows, and those in the high halves.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(rows: &[__m512i; 8]) -> [__m512i; 8] {
    let mut pairs = [_mm512_setzero_si512(); 8];
    for i in 0..4 {
        pairs[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
        pairs[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
    }
    // The quarters of entry 4 h + i are the words i and i + 4 of rows 4 h to 4 h + 3.
    let mut quads = [_mm512_setzero_si512(); 8];
    for half in 0..2 {
        for i in 0..2 {
            let (a, b) = (pairs[4 * half + i], pairs[4 * half + 2 + i]);
            quads[4 * half + 2 * i] = _mm512_unpacklo_epi64(a, b);
            quads[4 * half + 2 * i + 1] = _mm512_unpackhi_epi64(a, b);
        }
    }
    let low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
    let high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
    let mut columns = [_mm512_setzero_si512(); 8];
    for i in 0..4 {
        columns[i] = _mm512_permutex2var_epi64(quads[i], low, quads[i + 4]);
        columns[i + 4] = _mm512_permutex2var_epi64(quads[i], high, quads[i + 4]);
    }
    columns
}

#[cfg(test)]
mod tests {
    use p3_field::PackedValue;

    use super::*;

    #[test]
    fn packing_transposes_and_unpacking_undoes_it() {
        let rows: [[F; COLUMNS]; ROWS] =
            std::array::from_fn(|row| std::array::from_fn(|i| F::from_usize(100 * row + i)));
        let packed = pack(rows.each_ref());
        for (i, packed) in packed.iter().enumerate() {
            for (lane, &value) in packed.as_slice().iter().enumerate() {
                assert_eq!(value, rows[lane][i]);
            }
        }
        assert_eq!(unpack(&packed), rows);
    }
}
