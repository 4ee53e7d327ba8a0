use droste_gadgets::prelude::*;

#[derive(Clone, Copy)]
struct Sha256 {
    state: [u32; 8],
}

fn first_primes<const N: usize>() -> [u64; N] {
    let mut primes = [0; N];
    let mut found = 0;
    let mut candidate = 2;
    while found < N {
        if primes[..found].iter().all(|p| candidate % p != 0) {
            primes[found] = candidate;
            found += 1;
        }
        candidate += 1;
    }
    primes
}

/// floor(cbrt(p) * 2^32) mod 2^32, by binary search.
fn cbrt_frac(p: u64) -> u32 {
    let target = (p as u128) << 96;
    let (mut lo, mut hi) = (0u128, 1u128 << 36);
    while hi - lo > 1 {
        let mid = (lo + hi) / 2;
        if mid * mid * mid <= target {
            lo = mid
        } else {
            hi = mid
        }
    }
    lo as u32
}

impl Sha256 {
    fn compress(&mut self, block: &[u8; 64]) {
        let k: [u32; 64] = first_primes::<64>().map(cbrt_frac);
        let mut w = [0u32; 64];
        for (i, chunk) in block.chunks(4).enumerate() {
            w[i] = u32::from_be_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        }
        for i in 16..64 {
            let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
            let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
            w[i] = w[i - 16]
                .wrapping_add(s0)
                .wrapping_add(w[i - 7])
                .wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.state;
        for i in 0..64 {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let t1 = [s1, (e & f) ^ (!e & g), k[i], w[i]]
                .into_iter()
                .fold(h, u32::wrapping_add);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        self.state
            .iter_mut()
            .zip([a, b, c, d, e, f, g, h])
            .for_each(|(s, v)| *s = s.wrapping_add(v));
    }
}

pub fn main() {
    let x = public_input();
    let mut sha = Sha256 {
        state: [
            0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
            0x5be0cd19,
        ],
    };
    let mut block = [0u8; 64];
    block[..4].copy_from_slice(b"abc\x80");
    block[63] = 24;
    sha.compress(&block);
    assert_eq!(sha.state[0], 0xba7816bf);
    reveal(x + felt((sha.state[7] & 0xffffff) as usize));
}
