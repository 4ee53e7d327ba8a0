use droste_gadgets::prelude::*;

/// Shamir secret sharing with a verified reconstruction.
#[derive(Clone, Copy)]
struct Share {
    index: usize,
    value: Felt,
}

struct Dealer<const T: usize> {
    coeffs: [Felt; T],
}

impl<const T: usize> Dealer<T> {
    fn share(&self, index: usize) -> Share {
        let at = felt(index);
        let mut value = felt(0);
        for &c in self.coeffs.iter().rev() {
            value = value * at + c;
        }
        Share { index, value }
    }

    fn shares(&self, n: usize) -> Vec<Share> {
        (1..=n).map(|i| self.share(i)).collect()
    }
}

fn inverse(v: Felt) -> Felt {
    const P: u32 = (1 << 31) - (1 << 24) + 1;
    let mut acc = felt(1);
    for i in (0..32).rev() {
        acc = acc * acc;
        if (P - 2) >> i & 1 == 1 {
            acc = acc * v;
        }
    }
    acc
}

fn reconstruct(shares: &[Share]) -> Felt {
    shares
        .iter()
        .map(|s| {
            let (num, den) = shares
                .iter()
                .filter(|o| o.index != s.index)
                .fold((felt(1), felt(1)), |(n, d), o| {
                    (n * felt(o.index), d * (felt(o.index) - felt(s.index)))
                });
            s.value * num * inverse(den)
        })
        .fold(felt(0), |a, b| a + b)
}

pub fn main() {
    let x = public_input();
    let dealer = Dealer {
        coeffs: [x, x * x + felt(17), felt(123_456_789)],
    };
    let shares = dealer.shares(5);
    let picked = [shares[0], shares[2], shares[4]];
    let secret = reconstruct(&picked);
    assert_eq!(secret, x);
    reveal(secret);
}
