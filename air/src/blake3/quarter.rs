//! Constraints of the quarter-round in one row; the form over bytes shares its sums.
//!
//! A word is represented by two 16-bit limbs or by 32 bits. A sum `z = x + y mod 2^32` of
//! range-checked limbs is checked modulo `p` and modulo `2^16`; together these determine it because
//! `3 * 2^32 < 2^16 * p`. A rotated XOR `z = (x ^ y) >>> r` is checked as `x = y ^ (z <<< r)`, limb
//! by limb, which also range-checks the limbs of `x`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_air::utils::pack_bits_le;
use p3_field::PrimeCharacteristicRing;

use super::columns::HalfCols;

/// A word as two 16-bit limbs, low first.
pub(super) type Limbs<E> = [E; 2];

/// A word as bits, low first, and as limbs. Bits after the end of `bits` are zero.
pub(super) struct Bits<'a, V, E> {
    pub bits: &'a [V],
    pub limbs: Limbs<E>,
}

/// A word given by its bits, with the limbs of that word rotated to the left.
pub(super) fn rotated<V: Copy + Into<E>, E: PrimeCharacteristicRing>(
    bits: &[V; 32],
    rotation: usize,
) -> (Limbs<E>, Limbs<E>) {
    let kept = 16 - rotation;
    let pack = |from: usize, to: usize| -> E { pack_bits_le(bits[from..to].iter().copied()) };
    let parts = [
        pack(0, kept),
        pack(kept, 16),
        pack(16, 16 + kept),
        pack(16 + kept, 32),
    ];
    let join = |low: &E, high: &E, shift: usize| low.dup() + high.mul_2exp_u64(shift as u64);
    (
        [
            join(&parts[0], &parts[1], kept),
            join(&parts[2], &parts[3], kept),
        ],
        [
            join(&parts[3], &parts[0], rotation),
            join(&parts[1], &parts[2], rotation),
        ],
    )
}

/// Constrains `target = x ^ (y <<< rotation)`, given the limbs of `y <<< rotation`.
///
/// Since `x ^ y = x + y - 2xy` bit by bit, only the products have to be packed.
pub(super) fn xor<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    target: &Limbs<AB::Expr>,
    x: &Bits<'_, AB::Var, AB::Expr>,
    y: (&[AB::Var; 32], &Limbs<AB::Expr>),
    rotation: usize,
) {
    for (half, target) in target.iter().enumerate() {
        let end = x.bits.len().min(16 * half + 16);
        let products = (16 * half..end).map(|i| x.bits[i] * y.0[(i + 32 - rotation) % 32]);
        let product: AB::Expr = pack_bits_le(products);
        builder.assert_eq(
            target.clone(),
            x.limbs[half].clone() + y.1[half].clone() - product.double(),
        );
    }
}

/// Constrains `sum = x + y + z mod 2^32`, or `sum = x + y mod 2^32` if there is no `z`.
pub(super) fn add<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    sum: &Limbs<AB::Expr>,
    x: &Limbs<AB::Expr>,
    y: &Limbs<AB::Expr>,
    z: Option<&Limbs<AB::Expr>>,
) {
    let limb = |i: usize| {
        let difference = sum[i].clone() - x[i].clone() - y[i].clone();
        match z {
            Some(z) => difference - z[i].clone(),
            None => difference,
        }
    };
    let low = limb(0);
    let whole = low.clone() + limb(1).mul_2exp_u64(16);
    for (difference, carry) in [(low, F::from_u32(1 << 16)), (whole, F::from_u64(1 << 32))] {
        let mut product = difference.clone() * (difference.clone() + carry);
        if z.is_some() {
            product *= difference + carry.double();
        }
        builder.assert_zero(product);
    }
}

/// The four words that a quarter-round reads and writes.
pub(super) struct Quarter<'a, V, E> {
    pub a: Limbs<E>,
    pub b: Bits<'a, V, E>,
    pub c: Limbs<E>,
    pub d: Bits<'a, V, E>,
}

/// The state as four rows of four words each: `a` and `c` as limbs, `b` and `d` as bits.
pub(super) type State<'a, AB> =
    [Option<Quarter<'a, <AB as AirBuilder>::Var, <AB as AirBuilder>::Expr>>; 4];

/// Constrains half a quarter-round, with rotations `(16, 12)` or `(8, 7)`, and returns the words
/// after it.
pub(super) fn half<'a, AB: AirBuilder<F = F>>(
    builder: &mut AB,
    quarter: Quarter<'a, AB::Var, AB::Expr>,
    message: &Limbs<AB::Expr>,
    columns: &'a HalfCols<AB::Var>,
    rotations: (usize, usize),
) -> Quarter<'a, AB::Var, AB::Expr> {
    let [a, c]: [Limbs<AB::Expr>; 2] = [columns.a, columns.c].map(|limbs| limbs.map(Into::into));
    add(builder, &a, &quarter.a, &quarter.b.limbs, Some(message));
    builder.assert_bools(columns.d);
    builder.assert_bools(columns.b);
    let (d, d_turned) = rotated(&columns.d, rotations.0);
    let (b, b_turned) = rotated(&columns.b, rotations.1);
    let d_turned = (&columns.d, &d_turned);
    let b_turned = (&columns.b, &b_turned);
    xor(builder, &a, &quarter.d, d_turned, rotations.0);
    add(builder, &c, &quarter.c, &d, None);
    xor(builder, &c, &quarter.b, b_turned, rotations.1);
    Quarter {
        a,
        b: Bits {
            bits: &columns.b,
            limbs: b,
        },
        c,
        d: Bits {
            bits: &columns.d,
            limbs: d,
        },
    }
}

/// Rotates rows `b`, `c`, `d` by `shift`, 2 `shift`, 3 `shift` words, which turns diagonals into
/// columns (`shift` 1) or back (`shift` 3).
pub(super) fn shift<AB: AirBuilder>(state: State<'_, AB>, shift: usize) -> State<'_, AB> {
    let mut rows = (
        [const { None }; 4],
        [const { None }; 4],
        [const { None }; 4],
        [const { None }; 4],
    );
    for (index, quarter) in state.into_iter().enumerate() {
        if let Some(quarter) = quarter {
            rows.0[index] = Some(quarter.a);
            rows.1[(index + 4 - shift) % 4] = Some(quarter.b);
            rows.2[(index + 8 - 2 * shift) % 4] = Some(quarter.c);
            rows.3[(index + 12 - 3 * shift) % 4] = Some(quarter.d);
        }
    }
    let mut shifted = [const { None }; 4];
    for (index, place) in shifted.iter_mut().enumerate() {
        let words = (
            rows.0[index].take(),
            rows.1[index].take(),
            rows.2[index].take(),
            rows.3[index].take(),
        );
        if let (Some(a), Some(b), Some(c), Some(d)) = words {
            *place = Some(Quarter { a, b, c, d });
        }
    }
    shifted
}

/// Constrains a whole round of a state whose rows are not rotated; `order` says which words of
/// `message` the round adds.
pub(super) fn round<'a, AB: AirBuilder<F = F>>(
    builder: &mut AB,
    mut state: State<'a, AB>,
    (message, order): (&[Limbs<AB::Expr>; 16], &[usize; 16]),
    halves: &'a [[HalfCols<AB::Var>; 2]; 8],
) -> State<'a, AB> {
    for (step, halves) in halves.chunks_exact(4).enumerate() {
        for (index, halves) in halves.iter().enumerate() {
            let [first, second] = [0, 1].map(|half| &message[order[8 * step + 2 * index + half]]);
            state[index] = state[index].take().map(|quarter| {
                let quarter = half(builder, quarter, first, &halves[0], (16, 12));
                half(builder, quarter, second, &halves[1], (8, 7))
            });
        }
        state = shift::<AB>(state, if step == 0 { 1 } else { 3 });
    }
    state
}
