//! Montgomery arithmetic in 4 x 64 bits without data-dependent branches: what batch-affine additions
//! are made of, where a mispredicted branch would cost more than the operation.
//!
//! Elements are below the modulus, which leaves the top bit free.

/// Limbs, little-endian.
pub type Limbs = [u64; 4];

/// A sum in progress, one limb longer.
type Long = [u64; 5];

/// `t + a x`, as two carry chains: one of the low halves of the products, one of the high halves.
#[inline(always)]
fn add_row(t: &Long, a: &Limbs, x: u64) -> Long {
    let (l0, h0) = a[0].carrying_mul(x, 0);
    let (l1, h1) = a[1].carrying_mul(x, 0);
    let (l2, h2) = a[2].carrying_mul(x, 0);
    let (l3, h3) = a[3].carrying_mul(x, 0);
    let (t0, c) = t[0].carrying_add(l0, false);
    let (t1, c) = t[1].carrying_add(l1, c);
    let (t2, c) = t[2].carrying_add(l2, c);
    let (t3, c) = t[3].carrying_add(l3, c);
    let (t4, _) = t[4].carrying_add(0, c);
    let (t1, c) = t1.carrying_add(h0, false);
    let (t2, c) = t2.carrying_add(h1, c);
    let (t3, c) = t3.carrying_add(h2, c);
    let (t4, _) = t4.carrying_add(h3, c);
    [t0, t1, t2, t3, t4]
}

#[inline(always)]
fn subtract(a: &Limbs, b: &Limbs) -> (Limbs, bool) {
    let (d0, c) = a[0].borrowing_sub(b[0], false);
    let (d1, c) = a[1].borrowing_sub(b[1], c);
    let (d2, c) = a[2].borrowing_sub(b[2], c);
    let (d3, c) = a[3].borrowing_sub(b[3], c);
    ([d0, d1, d2, d3], c)
}

#[inline(always)]
fn select(condition: bool, yes: &Limbs, no: &Limbs) -> Limbs {
    let mask = 0u64.wrapping_sub(u64::from(condition));
    [0, 1, 2, 3].map(|i| no[i] ^ (mask & (yes[i] ^ no[i])))
}

/// `(t + a x + q p) / 2^64` for the `q` that makes it whole.
#[inline(always)]
fn step(t: &Long, a: &Limbs, x: u64, p: &Limbs, inverse: u64) -> Long {
    // With the top bit of p free, sums stay below 2^320.
    let t = add_row(t, a, x);
    let [_, t1, t2, t3, t4] = add_row(&t, p, t[0].wrapping_mul(inverse));
    [t1, t2, t3, t4, 0]
}

/// `a b / 2^256`, not reduced: from `u p` and `v p` to below `(1 + u v p / 2^256) p`; `inverse` is
/// `-p^-1 mod 2^64`.
#[inline(always)]
pub fn mul_unreduced(a: &Limbs, b: &Limbs, p: &Limbs, inverse: u64) -> Limbs {
    let t = step(&[0; 5], a, b[0], p, inverse);
    let t = step(&t, a, b[1], p, inverse);
    let t = step(&t, a, b[2], p, inverse);
    let [t0, t1, t2, t3, _] = step(&t, a, b[3], p, inverse);
    [t0, t1, t2, t3]
}

/// `a b / 2^256`, for a result below `2 p` before its reduction.
#[inline(always)]
pub fn mul(a: &Limbs, b: &Limbs, p: &Limbs, inverse: u64) -> Limbs {
    let t = mul_unreduced(a, b, p, inverse);
    let (less, borrow) = subtract(&t, p);
    select(borrow, &t, &less)
}

/// `a - b`.
#[inline(always)]
pub fn sub(a: &Limbs, b: &Limbs, p: &Limbs) -> Limbs {
    let (out, borrow) = subtract(a, b);
    let mask = 0u64.wrapping_sub(u64::from(borrow));
    let (s0, c) = out[0].carrying_add(p[0] & mask, false);
    let (s1, c) = out[1].carrying_add(p[1] & mask, c);
    let (s2, c) = out[2].carrying_add(p[2] & mask, c);
    let (s3, _) = out[3].carrying_add(p[3] & mask, c);
    [s0, s1, s2, s3]
}

/// `-a` if asked for.
#[inline(always)]
pub fn negate_if(condition: bool, a: &Limbs, p: &Limbs) -> Limbs {
    select(condition, &sub(&[0; 4], a, p), a)
}
