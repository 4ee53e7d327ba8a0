//! Montgomery arithmetic in 4 x 64 bits, used by the portable multi-scalar multiplication and by
//! Poseidon. It has no data-dependent branches, because a mispredicted branch costs more than an
//! operation.
//!
//! Moduli are below `2^255`. The bounds on arguments and results are stated in multiples of the
//! modulus `p`.

use std::slice::from_ref;

#[cfg(target_arch = "x86_64")]
mod adx;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
pub use adx::Adx;

/// An integer in four 64-bit limbs, little-endian.
pub type Limbs = [u64; 4];

/// A sum in progress: an integer with one more limb.
pub type Long = [u64; 5];

/// The instructions to multiply with: [`Safe`] runs anywhere, `Adx` where the processor has them.
pub trait Multiplier: Copy + Send + Sync {
    /// `t + a x`, which must be below `2^320`.
    fn add_row(self, t: Long, a: &Limbs, x: u64) -> Long;

    /// `(t + q p) / 2^64`, for the `q` that makes the quotient an integer. The result must be below
    /// `2^256`; `inverse` is `-p^-1 mod 2^64`.
    fn reduce_row(self, t: Long, p: &Limbs, inverse: u64) -> Long;

    /// `a b / 2^256`, not reduced: for `a` below `u p` and `b` below `v p`, the result is below
    /// `(1 + u v p / 2^256) p`. `a` must be at most `2^256 - p`.
    #[inline(always)]
    fn mul_unreduced(self, a: &Limbs, b: &Limbs, p: &Limbs, inverse: u64) -> Limbs {
        self.dot_unreduced(from_ref(a), from_ref(b), p, inverse)
    }

    /// `sum_k a_k b_k / 2^256`, reduced once: for `a_k` below `u_k p` and `b_k` below `v_k p`, the
    /// result is below `(1 + sum_k u_k v_k p / 2^256) p`. The sum of all `a_k` must be at most
    /// `2^256 - p`.
    #[inline(always)]
    fn dot_unreduced(self, a: &[Limbs], b: &[Limbs], p: &Limbs, inverse: u64) -> Limbs {
        let mut t = [0; 5];
        for i in 0..4 {
            for (a, b) in a.iter().zip(b) {
                t = self.add_row(t, a, b[i]);
            }
            t = self.reduce_row(t, p, inverse);
        }
        [t[0], t[1], t[2], t[3]]
    }

    /// `a b / 2^256`, reduced below `p`. Before that reduction it must be below `2 p`.
    #[inline(always)]
    fn mul(self, a: &Limbs, b: &Limbs, p: &Limbs, inverse: u64) -> Limbs {
        self.subtract_once(&self.mul_unreduced(a, b, p, inverse), p)
    }

    /// `a - m` if `a` is at least `m`, otherwise `a`.
    #[inline(always)]
    fn subtract_once(self, a: &Limbs, m: &Limbs) -> Limbs {
        let (less, borrow) = subtract(a, m);
        select(borrow, a, &less)
    }

    /// `a - b`, plus `p` if that is negative.
    #[inline(always)]
    fn sub(self, a: &Limbs, b: &Limbs, p: &Limbs) -> Limbs {
        let (out, borrow) = subtract(a, b);
        let mask = 0u64.wrapping_sub(u64::from(borrow));
        add(&out, &p.map(|limb| limb & mask))
    }

    /// `a - b + p`, and whether `a` and `b` are equal.
    #[inline(always)]
    fn gap(self, a: &Limbs, b: &Limbs, p: &Limbs) -> (Limbs, bool) {
        let (out, _) = subtract(a, b);
        (add(&out, p), out[0] | out[1] | out[2] | out[3] == 0)
    }

    /// `p - a` if `condition` holds, otherwise `a`.
    #[inline(always)]
    fn negate_if(self, condition: bool, a: &Limbs, p: &Limbs) -> Limbs {
        select(condition, &subtract(p, a).0, a)
    }
}

/// Portable arithmetic on 128-bit integers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Safe;

impl Multiplier for Safe {
    #[inline(always)]
    fn add_row(self, t: Long, a: &Limbs, x: u64) -> Long {
        let (t0, c) = a[0].carrying_mul_add(x, t[0], 0);
        let (t1, c) = a[1].carrying_mul_add(x, t[1], c);
        let (t2, c) = a[2].carrying_mul_add(x, t[2], c);
        let (t3, c) = a[3].carrying_mul_add(x, t[3], c);
        [t0, t1, t2, t3, t[4].wrapping_add(c)]
    }

    #[inline(always)]
    fn reduce_row(self, t: Long, p: &Limbs, inverse: u64) -> Long {
        let q = t[0].wrapping_mul(inverse);
        let [_, t1, t2, t3, t4] = self.add_row(t, p, q);
        [t1, t2, t3, t4, 0]
    }

    /// Adds the product with a limb of `b` and the multiple of `p` together: one pass over the sum
    /// instead of two.
    #[inline(always)]
    fn mul_unreduced(self, a: &Limbs, b: &Limbs, p: &Limbs, inverse: u64) -> Limbs {
        let mut t = [0; 4];
        for x in *b {
            let (low, mut c) = a[0].carrying_mul_add(x, t[0], 0);
            let q = low.wrapping_mul(inverse);
            let (_, mut d) = p[0].carrying_mul_add(q, low, 0);
            for i in 1..4 {
                let sum;
                (sum, c) = a[i].carrying_mul_add(x, t[i], c);
                (t[i - 1], d) = p[i].carrying_mul_add(q, sum, d);
            }
            t[3] = c.wrapping_add(d);
        }
        t
    }
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

/// `a + b`, which must be below `2^256`.
#[inline(always)]
pub fn add(a: &Limbs, b: &Limbs) -> Limbs {
    let (s0, c) = a[0].carrying_add(b[0], false);
    let (s1, c) = a[1].carrying_add(b[1], c);
    let (s2, c) = a[2].carrying_add(b[2], c);
    let (s3, _) = a[3].carrying_add(b[3], c);
    [s0, s1, s2, s3]
}
