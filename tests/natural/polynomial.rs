use droste_gadgets::prelude::*;

#[derive(Clone, Debug)]
struct Poly {
    coeffs: Vec<Felt>,
}

impl Poly {
    fn new(coeffs: Vec<Felt>) -> Self {
        assert!(!coeffs.is_empty());
        Self { coeffs }
    }

    fn degree(&self) -> usize {
        self.coeffs.len() - 1
    }

    fn eval(&self, at: Felt) -> Felt {
        self.coeffs
            .iter()
            .rev()
            .fold(felt(0), |acc, &c| acc * at + c)
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
        let mut out = vec![felt(0); self.degree() + other.degree() + 1];
        for (i, &a) in self.coeffs.iter().enumerate() {
            for (j, &b) in other.coeffs.iter().enumerate() {
                out[i + j] = out[i + j] + a * b;
            }
        }
        Poly::new(out)
    }
}

pub fn main() {
    let x = public_input();
    let p = Poly::new([3, 1, 4, 1, 5].into_iter().map(felt).collect());
    let q = Poly::new(vec![x, felt(2), felt(7)]);
    let pq = p.mul(&q);
    assert_eq!(pq.degree(), 6);
    assert_eq!(pq.eval(x), p.eval(x) * q.eval(x));
    reveal(pq.eval(x));
    reveal(pq.derivative().eval(felt(1)));
}
