//! Constraints of the Keccak-f permutation, one round per row.

use droste_native::F;
use droste_native::hash::keccak::{ROTATIONS, ROUND_CONSTANTS};
use p3_air::AirBuilder;
use p3_air::utils::pack_bits_le;
use p3_field::PrimeCharacteristicRing;

use super::columns::{IOTA_BITS, KeccakCols, LANES, LIMBS, ROUNDS, RoundBits};
use crate::steps::eval_steps;

/// Constrains rows to be successive rounds of permutations, with degree 3.
///
/// A row of the last round is the end of a permutation of `preimage`, which has all of its rows
/// right above it, and a row of round 0 above these: their rows of theta are constrained from the
/// row above. A row of round 0 that no round 1 follows is idle, and so is row 0.
pub fn eval_round<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &KeccakCols<AB::Var>,
    next: &KeccakCols<AB::Var>,
) {
    eval_steps(builder, &local.steps, &next.steps);
    let is_first: AB::Expr = next.steps[0].into();
    eval_preimage(builder, local, next, AB::Expr::ONE - is_first.clone());
    // The state before the next row's round is its preimage in round 0, and this row's output
    // otherwise.
    eval_theta(builder, &next.bits, |builder, lane, limb, input| {
        let previous = local.output[lane][limb];
        let expected = is_first.clone() * (next.preimage[lane][limb] - previous) + previous;
        builder.assert_eq(input, expected);
    });
    eval_chi(builder, local);
}

/// Constrains the preimage to stay the same where a permutation goes on.
fn eval_preimage<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &KeccakCols<AB::Var>,
    next: &KeccakCols<AB::Var>,
    goes_on: AB::Expr,
) {
    let mut builder = builder.when(goes_on);
    for (lane, next_lane) in local.preimage.iter().zip(&next.preimage) {
        for (&limb, &next_limb) in lane.iter().zip(next_lane) {
            builder.assert_eq(next_limb, limb);
        }
    }
}

/// Constrains theta of a row, and calls `tie` with each limb of the state before theta, of degree
/// 3. The row must be the *next* one, so that the state before the round needs no columns. Where
/// the last row is followed by itself, nothing constrains theta of row 0.
pub(super) fn eval_theta<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    row: &RoundBits<AB::Var>,
    mut tie: impl FnMut(&mut AB, usize, usize, AB::Expr),
) {
    for x in 0..5 {
        builder.assert_bools(row.c[x]);
        for z in 0..64 {
            eval_parity(builder, row, x, z);
        }
        // The change by theta: D[x, z] = C[x, z] ^ C'[x, z].
        let change: [AB::Expr; 64] =
            std::array::from_fn(|z| row.c[x][z].into().xor(&row.c_prime[x][z].into()));
        let signs: [AB::Expr; 64] = std::array::from_fn(|z| AB::Expr::ONE - change[z].double());
        let changes: [AB::Expr; LIMBS] = std::array::from_fn(|limb| {
            pack_bits_le(change[16 * limb..16 * limb + 16].iter().cloned())
        });
        for y in 0..5 {
            let lane = x + 5 * y;
            builder.assert_bools(row.a_prime[lane]);
            for (limb, changes) in changes.iter().enumerate() {
                // The state before theta is A = A' ^ D = A' (1 - 2 D) + D, bit by bit. Packing its
                // bits range-checks the limb.
                let kept =
                    (16 * limb..16 * limb + 16).map(|z| signs[z].clone() * row.a_prime[lane][z]);
                let input = changes.clone() + pack_bits_le::<AB::Expr, _, _>(kept);
                tie(builder, lane, limb, input);
            }
        }
    }
}

/// Constrains column (x, z): C' is what theta computes from C, and it is the parity of A'.
///
/// Not inlined: in loops of 64 iterations LLVM 22 looks for CRCs (`LoopIdiomRecognize`) in time
/// exponential in the depth of the loop's body, and for products of extension elements of this
/// depth that takes over ten minutes.
#[inline(never)]
fn eval_parity<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    row: &RoundBits<AB::Var>,
    x: usize,
    z: usize,
) {
    let parity = |x: usize, z: usize| -> AB::Expr { row.c[x][z % 64].into() };
    // C'[x, z] = C[x, z] ^ C[x - 1, z] ^ C[x + 1, z - 1]; an exclusive or of booleans is boolean.
    let change = parity((x + 4) % 5, z).xor(&parity((x + 1) % 5, z + 63));
    builder.assert_eq(row.c_prime[x][z], parity(x, z).xor(&change));
    // The sum of the five bits of A' less their parity is 0, 2 or 4.
    let sum: AB::Expr = (0..5).map(|y| row.a_prime[x + 5 * y][z].into()).sum();
    let difference = sum - row.c_prime[x][z];
    builder.assert_zero(
        difference.clone()
            * (difference.clone() - AB::Expr::TWO)
            * (difference - AB::Expr::from_u8(4)),
    );
}

/// Bit `z` of a lane after rho, pi and chi, of degree 3.
pub(super) fn chi<AB: AirBuilder<F = F>>(
    row: &RoundBits<AB::Var>,
    lane: usize,
    z: usize,
) -> AB::Expr {
    let (x, y) = (lane % 5, lane / 5);
    // B[x, y] = rot(A'[x + 3 y, x], r[x + 3 y, x]).
    let bit = |x: usize| -> AB::Expr {
        let (from_x, from_y) = ((x + 3 * y) % 5, x % 5);
        let rotation = ROTATIONS[from_x + 5 * from_y] as usize;
        row.a_prime[from_x + 5 * from_y][(z + 64 - rotation) % 64].into()
    };
    bit(x).xor(&bit(x + 1).andn(&bit(x + 2)))
}

/// Bit `z` of the constant of the row's round.
pub(super) fn iota<AB: AirBuilder<F = F>>(steps: &[AB::Var; ROUNDS], z: usize) -> AB::Expr {
    (0..ROUNDS)
        .filter(|&round| ROUND_CONSTANTS[round] >> z & 1 == 1)
        .map(|round| steps[round].into())
        .sum()
}

/// Constrains rho, pi, chi and iota of this row.
fn eval_chi<AB: AirBuilder<F = F>>(builder: &mut AB, local: &KeccakCols<AB::Var>) {
    for lane in 0..LANES {
        let chi = |z: usize| chi::<AB>(&local.bits, lane, z);
        let mut after_iota = [const { None }; 64];
        if lane == 0 {
            for (index, &z) in IOTA_BITS.iter().enumerate() {
                let kept: AB::Expr = local.iota[index].into();
                builder.assert_eq(kept.clone(), chi(z));
                after_iota[z] = Some(kept.xor(&iota::<AB>(&local.steps, z)));
            }
        }
        for limb in 0..LIMBS {
            let bits = (16 * limb..16 * limb + 16)
                .map(|z| after_iota[z].clone().unwrap_or_else(|| chi(z)));
            let packed: AB::Expr = pack_bits_le(bits);
            builder.assert_eq(local.output[lane][limb], packed);
        }
    }
}
