use droste_gadgets::prelude::*;

/// SHA-256 of a short message.
const H0: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// The round constants are the fractional parts of cube roots of primes.
fn round_constants() -> [u32; 64] {
    let mut k = [0u32; 64];
    let primes = (2u64..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
    for (slot, p) in k.iter_mut().zip(primes) {
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
        *slot = lo as u32;
    }
    k
}

fn compress(state: &mut [u32; 8], block: &[u8], k: &[u32; 64]) {
    let mut w = [0u32; 64];
    for (i, chunk) in block.chunks_exact(4).enumerate() {
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
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for i in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let ch = (e & f) ^ (!e & g);
        let t1 = h
            .wrapping_add(s1)
            .wrapping_add(ch)
            .wrapping_add(k[i])
            .wrapping_add(w[i]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let maj = (a & b) ^ (a & c) ^ (b & c);
        let t2 = s0.wrapping_add(maj);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
    }
    for (s, v) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *s = s.wrapping_add(v);
    }
}

fn sha256(msg: &[u8]) -> [u32; 8] {
    let k = round_constants();
    let mut data = msg.to_vec();
    data.push(0x80);
    while data.len() % 64 != 56 {
        data.push(0);
    }
    data.extend_from_slice(&(msg.len() as u64 * 8).to_be_bytes());
    let mut state = H0;
    for block in data.chunks(64) {
        compress(&mut state, block, &k);
    }
    state
}

pub fn main() {
    let x = public_input();
    let d = sha256(b"abc");
    assert_eq!(d[0], 0xba7816bf);
    assert_eq!(d[7], 0xf20015ad);
    reveal(felt((d[1] >> 8) as usize) + x);
}
