use droste_gadgets::prelude::*;

/// Number-theoretic transform over the native field.
const P: u64 = (1 << 31) - (1 << 24) + 1;
const GENERATOR: u64 = 31;

const fn pow_mod(mut base: u64, mut exp: u64) -> u64 {
    let mut acc = 1;
    while exp > 0 {
        if exp & 1 == 1 {
            acc = acc * base % P;
        }
        base = base * base % P;
        exp >>= 1;
    }
    acc
}

fn bit_reverse<T>(values: &mut [T]) {
    let bits = values.len().trailing_zeros();
    for i in 0..values.len() {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            values.swap(i, j);
        }
    }
}

fn ntt(values: &mut [Felt], inverse: bool) {
    let n = values.len();
    bit_reverse(values);
    let mut len = 2;
    while len <= n {
        let mut root = pow_mod(GENERATOR, (P - 1) / len as u64);
        if inverse {
            root = pow_mod(root, P - 2);
        }
        for block in values.chunks_mut(len) {
            let (lo, hi) = block.split_at_mut(len / 2);
            let mut w = 1u64;
            for (a, b) in lo.iter_mut().zip(hi) {
                let t = *b * felt(w as usize);
                *b = *a - t;
                *a = *a + t;
                w = w * root % P;
            }
        }
        len <<= 1;
    }
    if inverse {
        let scale = felt(pow_mod(n as u64, P - 2) as usize);
        values.iter_mut().for_each(|v| *v = *v * scale);
    }
}

pub fn main() {
    let x = public_input();
    let mut a = [
        x,
        felt(2),
        felt(3),
        x * x,
        felt(0),
        felt(0),
        felt(0),
        felt(0),
    ];
    let original = a;
    ntt(&mut a, false);
    let spectrum_sum = a[1] * a[7];
    ntt(&mut a, true);
    for (got, want) in a.iter().zip(&original) {
        assert_eq!(*got, *want);
    }
    reveal(a[3]);
    reveal(spectrum_sum);
}
