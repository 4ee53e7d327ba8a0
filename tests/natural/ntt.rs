use droste_gadgets::prelude::*;

/// Number-theoretic transform on field elements: convolution theorem.
const P: u64 = 0x7f00_0001;
const GENERATOR: u64 = 3;

fn pow(base: u64, exp: u64) -> u64 {
    (0..64).rev().fold(1, |acc, i| {
        let sq = acc * acc % P;
        if exp >> i & 1 == 1 { sq * base % P } else { sq }
    })
}

struct Domain {
    log_n: u32,
    root: u64,
}

impl Domain {
    fn new(log_n: u32) -> Self {
        assert!(log_n <= (P - 1).trailing_zeros());
        Domain {
            log_n,
            root: pow(GENERATOR, (P - 1) >> log_n),
        }
    }

    fn size(&self) -> usize {
        1 << self.log_n
    }

    fn transform(&self, values: &[Felt], root: u64) -> Vec<Felt> {
        if values.len() == 1 {
            return values.to_vec();
        }
        let half = values.len() / 2;
        let evens: Vec<Felt> = values.iter().step_by(2).copied().collect();
        let odds: Vec<Felt> = values.iter().skip(1).step_by(2).copied().collect();
        let (e, o) = (
            self.transform(&evens, root * root % P),
            self.transform(&odds, root * root % P),
        );
        let mut out = vec![felt(0); values.len()];
        let mut w = 1;
        for i in 0..half {
            let t = felt(w as usize) * o[i];
            out[i] = e[i] + t;
            out[i + half] = e[i] - t;
            w = w * root % P;
        }
        out
    }

    fn forward(&self, coeffs: &[Felt]) -> Vec<Felt> {
        let mut padded = coeffs.to_vec();
        padded.resize(self.size(), felt(0));
        self.transform(&padded, self.root)
    }

    fn inverse(&self, evals: &[Felt]) -> Vec<Felt> {
        let scale = felt(pow(self.size() as u64, P - 2) as usize);
        let out = self.transform(evals, pow(self.root, P - 2));
        out.into_iter().map(|v| v * scale).collect()
    }
}

pub fn main() {
    let x = public_input();
    let a = [x, felt(2), x * x];
    let b = [felt(1), x + felt(4), felt(7), x];
    let d = Domain::new(3);
    let products: Vec<Felt> = d
        .forward(&a)
        .into_iter()
        .zip(d.forward(&b))
        .map(|(l, r)| l * r)
        .collect();
    let c = d.inverse(&products);
    for k in 0..d.size() {
        let direct = (0..a.len())
            .filter(|&i| k >= i && k - i < b.len())
            .fold(felt(0), |acc, i| acc + a[i] * b[k - i]);
        assert_eq!(c[k], direct);
    }
    reveal(c[3]);
    reveal(products[1]);
}
