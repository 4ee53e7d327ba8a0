use droste_gadgets::prelude::*;

/// Horner evaluation of a committed polynomial and its derivative.
#[derive(Clone)]
struct Poly {
    coeffs: Vec<Felt>,
}

impl Poly {
    fn new(coeffs: Vec<Felt>) -> Self {
        Poly { coeffs }
    }

    fn degree(&self) -> usize {
        self.coeffs.len().saturating_sub(1)
    }

    fn eval(&self, x: Felt) -> Felt {
        self.coeffs
            .iter()
            .rev()
            .fold(felt(0), |acc, &c| acc * x + c)
    }

    fn derivative(&self) -> Poly {
        Poly::new(
            self.coeffs
                .iter()
                .enumerate()
                .skip(1)
                .map(|(i, &c)| felt(i) * c)
                .collect(),
        )
    }

    fn mul(&self, other: &Poly) -> Poly {
        let mut out = vec![felt(0); self.coeffs.len() + other.coeffs.len() - 1];
        for (i, &a) in self.coeffs.iter().enumerate() {
            for (j, &b) in other.coeffs.iter().enumerate() {
                out[i + j] += a * b;
            }
        }
        Poly::new(out)
    }
}

pub fn main() {
    let x = public_input();
    let p = Poly::new([3, 0, 2, 1].iter().map(|&c| felt(c)).collect());
    let q = Poly::new(vec![felt(1), x]);
    let pq = p.mul(&q);
    assert_eq!(pq.degree(), 4);
    assert_eq!(pq.eval(x), p.eval(x) * q.eval(x));

    // product rule
    let lhs = pq.derivative().eval(x);
    let rhs = p.derivative().eval(x) * q.eval(x) + p.eval(x) * q.derivative().eval(x);
    assert_eq!(lhs, rhs);
    reveal(pq.eval(x));
    reveal(lhs);
}
