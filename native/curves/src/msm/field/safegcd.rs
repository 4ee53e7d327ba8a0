//! Modular inversion by division steps (Bernstein and Yang, ePrint 2019/266).
//!
//! This is the variable-time form: 62 division steps at a time on the low words of `f` and `g`
//! determine a 2 x 2 transition matrix, which is then applied to the full numbers and, modulo `m`,
//! to the pair from which the inverse results. Numbers have `L` signed limbs of 62 bits.

const LIMB_BITS: usize = 62;
const LIMB_MASK: i64 = (1 << LIMB_BITS) - 1;

/// An odd modulus with the constants that inversion needs.
#[derive(Clone, Copy, Debug)]
pub struct Modulus<const L: usize> {
    limbs: [i64; L],
    /// `m^-1 mod 2^62`.
    inverse: i64,
}

/// A transition matrix scaled by `2^62`: `f, g <- (u f + v g, q f + r g) / 2^62`.
struct Transition {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

impl<const L: usize> Modulus<L> {
    /// The odd modulus with these little-endian 64-bit limbs, which must leave at least two of
    /// the `62 L` bits unused.
    pub const fn new(words: &[u64]) -> Self {
        let limbs = to_limbs::<L>(words);
        // Newton's iteration doubles the number of correct bits; an odd number is its own
        // inverse modulo 8.
        let mut inverse = limbs[0];
        let mut round = 0;
        while round < 5 {
            inverse = inverse.wrapping_mul(2i64.wrapping_sub(limbs[0].wrapping_mul(inverse)));
            round += 1;
        }
        Self {
            limbs,
            inverse: inverse & LIMB_MASK,
        }
    }

    /// Replaces `value`, which must be below `m`, by its inverse, or by zero if it has none.
    pub fn invert(&self, value: &mut [u64]) {
        let mut d = [0i64; L];
        let mut e = [0i64; L];
        e[0] = 1;
        let mut f = self.limbs;
        let mut g = to_limbs::<L>(value);
        let mut eta = -1i64;
        // As the numbers shrink, leading limbs that only repeat the sign are dropped.
        let mut length = L;
        loop {
            let (next_eta, t) = division_steps(eta, f[0] as u64, g[0] as u64);
            eta = next_eta;
            self.update_inverse(&mut d, &mut e, &t);
            update_numbers(&mut f[..length], &mut g[..length], &t);
            if g[..length].iter().all(|&limb| limb == 0) {
                break;
            }
            let (top_f, top_g) = (f[length - 1], g[length - 1]);
            let is_sign = |top: i64| top == 0 || top == -1;
            if length > 1 && is_sign(top_f) && is_sign(top_g) {
                f[length - 2] |= top_f << LIMB_BITS;
                g[length - 2] |= top_g << LIMB_BITS;
                length -= 1;
            }
        }
        self.normalize(&mut d, f[length - 1] < 0);
        to_words(&d, value);
    }

    fn update_inverse(&self, d: &mut [i64; L], e: &mut [i64; L], t: &Transition) {
        let (sign_d, sign_e) = (d[L - 1] >> 63, e[L - 1] >> 63);
        let mut times_d = (t.u & sign_d) + (t.v & sign_e);
        let mut times_e = (t.q & sign_d) + (t.r & sign_e);
        let mut carry_d = mul(t.u, d[0]) + mul(t.v, e[0]);
        let mut carry_e = mul(t.q, d[0]) + mul(t.r, e[0]);
        // Subtract the multiples of the modulus that make both sums divisible by 2^62.
        let rest = |carry: i128, times: i64| {
            let quotient = self.inverse.wrapping_mul(carry as i64);
            quotient.wrapping_add(times) & LIMB_MASK
        };
        times_d -= rest(carry_d, times_d);
        times_e -= rest(carry_e, times_e);
        carry_d = (carry_d + mul(self.limbs[0], times_d)) >> LIMB_BITS;
        carry_e = (carry_e + mul(self.limbs[0], times_e)) >> LIMB_BITS;
        for i in 1..L {
            carry_d += mul(t.u, d[i]) + mul(t.v, e[i]) + mul(self.limbs[i], times_d);
            carry_e += mul(t.q, d[i]) + mul(t.r, e[i]) + mul(self.limbs[i], times_e);
            d[i - 1] = carry_d as i64 & LIMB_MASK;
            e[i - 1] = carry_e as i64 & LIMB_MASK;
            carry_d >>= LIMB_BITS;
            carry_e >>= LIMB_BITS;
        }
        d[L - 1] = carry_d as i64;
        e[L - 1] = carry_e as i64;
    }

    /// Brings `value` from `(-2m, m)` to `[0, m)`, after negating it if `negate` is set.
    fn normalize(&self, value: &mut [i64; L], negate: bool) {
        if value[L - 1] < 0 {
            self.add(value);
        }
        if negate {
            value.iter_mut().for_each(|limb| *limb = -*limb);
            propagate(value);
        }
        if value[L - 1] < 0 {
            self.add(value);
        }
    }

    fn add(&self, value: &mut [i64; L]) {
        for (limb, m) in value.iter_mut().zip(self.limbs) {
            *limb += m;
        }
        propagate(value);
    }
}

fn propagate<const L: usize>(value: &mut [i64; L]) {
    for i in 0..L - 1 {
        value[i + 1] += value[i] >> LIMB_BITS;
        value[i] &= LIMB_MASK;
    }
}

#[inline(always)]
fn mul(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

/// Does 62 division steps on the low words; `eta` is the negated `delta` of the paper.
#[inline(always)]
fn division_steps(mut eta: i64, mut f: u64, mut g: u64) -> (i64, Transition) {
    let (mut u, mut v, mut q, mut r) = (1i64, 0i64, 0i64, 1i64);
    let mut left = LIMB_BITS as i64;
    loop {
        // A sentinel bit limits the count to the number of steps left.
        let zeros = (g | (u64::MAX << left)).trailing_zeros() as i64;
        g >>= zeros;
        u = u.wrapping_shl(zeros as u32);
        v = v.wrapping_shl(zeros as u32);
        eta -= zeros;
        left -= zeros;
        if left == 0 {
            return (eta, Transition { u, v, q, r });
        }
        let times;
        if eta < 0 {
            eta = -eta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, u.wrapping_neg());
            (v, r) = (r, v.wrapping_neg());
            // Cancel up to 6 bits of g at once: f (f^2 - 2) is -1/f modulo 64.
            let limit = (eta + 1).min(left);
            let mask = (u64::MAX >> (64 - limit)) & 63;
            times = f
                .wrapping_mul(g)
                .wrapping_mul(f.wrapping_mul(f).wrapping_sub(2))
                & mask;
        } else {
            // Cancel up to 4 bits of g at once: f + (((f + 1) & 4) << 1) is 1/f modulo 16.
            let limit = (eta + 1).min(left);
            let mask = (u64::MAX >> (64 - limit)) & 15;
            let inverse = f.wrapping_add((f.wrapping_add(1) & 4) << 1);
            times = inverse.wrapping_neg().wrapping_mul(g) & mask;
        }
        g = g.wrapping_add(f.wrapping_mul(times));
        q = q.wrapping_add(u.wrapping_mul(times as i64));
        r = r.wrapping_add(v.wrapping_mul(times as i64));
    }
}

#[inline(always)]
fn update_numbers(f: &mut [i64], g: &mut [i64], t: &Transition) {
    let length = f.len();
    let mut carry_f = (mul(t.u, f[0]) + mul(t.v, g[0])) >> LIMB_BITS;
    let mut carry_g = (mul(t.q, f[0]) + mul(t.r, g[0])) >> LIMB_BITS;
    for i in 1..length {
        carry_f += mul(t.u, f[i]) + mul(t.v, g[i]);
        carry_g += mul(t.q, f[i]) + mul(t.r, g[i]);
        f[i - 1] = carry_f as i64 & LIMB_MASK;
        g[i - 1] = carry_g as i64 & LIMB_MASK;
        carry_f >>= LIMB_BITS;
        carry_g >>= LIMB_BITS;
    }
    f[length - 1] = carry_f as i64;
    g[length - 1] = carry_g as i64;
}

const fn to_limbs<const L: usize>(words: &[u64]) -> [i64; L] {
    let mut limbs = [0i64; L];
    let mut i = 0;
    while i < L {
        let (word, shift) = (i * LIMB_BITS / 64, i * LIMB_BITS % 64);
        let mut limb = 0;
        if word < words.len() {
            limb = words[word] >> shift;
            if shift > 64 - LIMB_BITS && word + 1 < words.len() {
                limb |= words[word + 1] << (64 - shift);
            }
        }
        limbs[i] = limb as i64 & LIMB_MASK;
        i += 1;
    }
    limbs
}

fn to_words<const L: usize>(limbs: &[i64; L], words: &mut [u64]) {
    for (i, word) in words.iter_mut().enumerate() {
        let (limb, shift) = (i * 64 / LIMB_BITS, i * 64 % LIMB_BITS);
        let at = |index: usize| limbs.get(index).map_or(0, |&value| value as u64);
        *word = at(limb) >> shift | at(limb + 1) << (LIMB_BITS - shift);
        if shift + 64 > 2 * LIMB_BITS {
            *word |= at(limb + 2) << (2 * LIMB_BITS - shift);
        }
    }
}
