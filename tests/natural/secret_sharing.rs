use droste_gadgets::prelude::*;

/// Shamir secret sharing over the field with fixed evaluation points.
const THRESHOLD: usize = 3;
const MODULUS: u64 = 2_130_706_433;

#[derive(Clone, Copy)]
struct Share {
    index: usize,
    value: Felt,
}

struct Dealer {
    coefficients: [Felt; THRESHOLD],
}

impl Dealer {
    fn share(&self, index: usize) -> Share {
        let x = felt(index);
        let value = self
            .coefficients
            .iter()
            .rev()
            .copied()
            .reduce(|acc, c| acc * x + c)
            .unwrap();
        Share { index, value }
    }
}

fn inv_mod(a: u64) -> u64 {
    // extended Euclid
    let (mut r0, mut r1) = (MODULUS as i64, (a % MODULUS) as i64);
    let (mut t0, mut t1) = (0i64, 1i64);
    while r1 != 0 {
        let q = r0 / r1;
        (r0, r1) = (r1, r0 - q * r1);
        (t0, t1) = (t1, t0 - q * t1);
    }
    t0.rem_euclid(MODULUS as i64) as u64
}

fn reconstruct(shares: &[Share]) -> Felt {
    let mut secret = felt(0);
    for s in shares {
        let mut num = 1u64;
        let mut den = 1u64;
        for o in shares.iter().filter(|o| o.index != s.index) {
            num = num * o.index as u64 % MODULUS;
            den = den * ((MODULUS + o.index as u64 - s.index as u64) % MODULUS) % MODULUS;
        }
        secret += s.value * felt((num * inv_mod(den) % MODULUS) as usize);
    }
    secret
}

pub fn main() {
    let secret = public_input();
    let blind = public_input();
    let dealer = Dealer {
        coefficients: [secret, blind, blind * blind + felt(1)],
    };
    let shares: Vec<Share> = (1..=5).map(|i| dealer.share(i)).collect();
    for subset in shares.windows(THRESHOLD) {
        assert_eq!(reconstruct(subset), secret);
    }
    assert_eq!(reconstruct(&[shares[0], shares[2], shares[4]]), secret);
    for s in shares.iter().take(THRESHOLD) {
        reveal(s.value);
    }
}
