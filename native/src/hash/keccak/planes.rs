//! `Keccak-f[1600]` on one state in five vectors of AVX-512, which has rotations by a different
//! number of bits in each lane and any function of three bits.
//!
//! The module is compiled only if the whole build targets AVX-512 F, so every processor that runs
//! the build has it.

use std::arch::x86_64::{
    __m512i, _mm512_mask_permutexvar_epi64, _mm512_mask_storeu_epi64, _mm512_maskz_loadu_epi64,
    _mm512_permutex2var_epi64, _mm512_permutexvar_epi64, _mm512_rol_epi64, _mm512_rolv_epi64,
    _mm512_setr_epi64, _mm512_ternarylogic_epi64, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
    _mm512_xor_si512,
};

use super::permutation::{ROTATIONS, ROUND_CONSTANTS};

/// Five lanes; the other three mean nothing.
type Plane = __m512i;

/// The lanes that are used.
const FIVE: u8 = 0b1_1111;

/// The permutation; lane `(x, y)` is word `x + 5 y`.
///
/// A plane is a row: the five lanes of one `y`.
pub(super) fn keccak_f(state: &mut [u64; 25]) {
    let (rows, _) = state.as_chunks_mut::<5>();
    // SAFETY: the target has AVX-512 F; only the five words of a row are read and written.
    unsafe {
        let mut planes: [Plane; 5] =
            std::array::from_fn(|y| _mm512_maskz_loadu_epi64(FIVE, rows[y].as_ptr().cast()));
        for constant in ROUND_CONSTANTS {
            planes = round(planes, constant);
        }
        for (row, plane) in rows.iter_mut().zip(planes) {
            _mm512_mask_storeu_epi64(row.as_mut_ptr().cast(), FIVE, plane);
        }
    }
}

/// One round (FIPS 202, section 3.2).
#[inline]
#[target_feature(enable = "avx512f")]
fn round(a: [Plane; 5], constant: u64) -> [Plane; 5] {
    // Theta: to lane x, add the parities of columns x - 1 and, rotated, x + 1.
    let parity = exclusive_or(exclusive_or(a[0], a[1], a[2]), a[3], a[4]);
    let before = _mm512_permutexvar_epi64(lanes([4, 0, 1, 2, 3]), parity);
    let after = _mm512_permutexvar_epi64(lanes([1, 2, 3, 4, 0]), parity);
    let after = _mm512_rol_epi64::<1>(after);
    // Rho, and half of pi: lane (x, y) moves to row 2 x + 3 y of column y. After sorting its lanes,
    // plane y is that column: its lane for row r comes from x = 3 r + y.
    let columns: [Plane; 5] = std::array::from_fn(|y| {
        let rotated = _mm512_rolv_epi64(exclusive_or(a[y], before, after), rotations(y));
        _mm512_permutexvar_epi64(lanes(std::array::from_fn(|r| (3 * r + y) % 5)), rotated)
    });
    // Chi, from column to column: `x ^ (!y & z)`.
    let columns: [Plane; 5] = std::array::from_fn(|x| {
        let [y, z] = [columns[(x + 1) % 5], columns[(x + 2) % 5]];
        _mm512_ternarylogic_epi64::<0b1101_0010>(columns[x], y, z)
    });
    let mut rows = transpose(columns);
    // Iota.
    rows[0] = _mm512_xor_si512(
        rows[0],
        _mm512_setr_epi64(constant.cast_signed(), 0, 0, 0, 0, 0, 0, 0),
    );
    rows
}

/// The other half of pi: planes that are columns become planes that are rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(columns: [Plane; 5]) -> [Plane; 5] {
    let [c0, c1, c2, c3, c4] = columns;
    // Lanes 2 i and 2 i + 1 are those of row 2 i, or of row 2 i + 1, of two columns.
    let even = [_mm512_unpacklo_epi64(c0, c1), _mm512_unpacklo_epi64(c2, c3)];
    let odd = [_mm512_unpackhi_epi64(c0, c1), _mm512_unpackhi_epi64(c2, c3)];
    std::array::from_fn(|row| {
        let [first, second] = if row % 2 == 0 { even } else { odd };
        let pair = row - row % 2;
        let four = _mm512_permutex2var_epi64(
            first,
            lanes([pair, pair + 1, 8 + pair, 9 + pair, 0]),
            second,
        );
        _mm512_mask_permutexvar_epi64(four, 1 << 4, lanes([0, 0, 0, 0, row]), c4)
    })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn exclusive_or(a: Plane, b: Plane, c: Plane) -> Plane {
    _mm512_ternarylogic_epi64::<0b1001_0110>(a, b, c)
}

/// Numbers of lanes, for permutations.
#[inline]
#[target_feature(enable = "avx512f")]
fn lanes(numbers: [usize; 5]) -> Plane {
    let [a, b, c, d, e] = numbers.map(|number| number as i64);
    _mm512_setr_epi64(a, b, c, d, e, 5, 6, 7)
}

/// The rotations of a row in rho.
#[inline]
#[target_feature(enable = "avx512f")]
fn rotations(y: usize) -> Plane {
    let [a, b, c, d, e] = std::array::from_fn(|x| i64::from(ROTATIONS[x + 5 * y]));
    _mm512_setr_epi64(a, b, c, d, e, 0, 0, 0)
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::super::permutation::keccak_f_scalar;
    use super::*;

    #[test]
    fn planes_agree_with_general_purpose_registers() {
        let mut rng = SmallRng::seed_from_u64(25);
        let mut states = vec![[0; 25], [u64::MAX; 25]];
        states.extend((0..25).map(|i| std::array::from_fn(|j| u64::from(i == j))));
        states.extend((0..500).map(|_| std::array::from_fn(|_| rng.random())));
        for state in states {
            let [mut planes, mut scalar] = [state; 2];
            keccak_f(&mut planes);
            keccak_f_scalar(&mut scalar);
            assert_eq!(planes, scalar);
        }
    }
}
