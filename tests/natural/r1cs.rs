use droste_gadgets::prelude::*;

/// R1CS-style constraint system: witness vector, sparse rows, and a check.
#[derive(Clone, Default)]
struct LinComb(Vec<(usize, Felt)>);

impl LinComb {
    fn var(i: usize) -> Self {
        LinComb(vec![(i, felt(1))])
    }

    fn plus(mut self, i: usize, k: Felt) -> Self {
        self.0.push((i, k));
        self
    }

    fn eval(&self, w: &[Felt]) -> Felt {
        let mut acc = felt(0);
        for &(i, k) in &self.0 {
            acc += w[i] * k;
        }
        acc
    }
}

struct Constraint {
    a: LinComb,
    b: LinComb,
    c: LinComb,
}

#[derive(Default)]
struct Circuit {
    constraints: Vec<Constraint>,
}

impl Circuit {
    fn enforce(&mut self, a: LinComb, b: LinComb, c: LinComb) -> &mut Self {
        self.constraints.push(Constraint { a, b, c });
        self
    }

    fn check(&self, w: &[Felt]) {
        for Constraint { a, b, c } in &self.constraints {
            assert_eq!(a.eval(w) * b.eval(w), c.eval(w));
        }
    }
}

pub fn main() {
    // x^3 + x + 5 = out, witness = [1, x, x^2, x^3, out]
    let x = public_input();
    let x2 = x * x;
    let x3 = x2 * x;
    let out = x3 + x + felt(5);
    let witness = [felt(1), x, x2, x3, out];

    let mut cs = Circuit::default();
    cs.enforce(LinComb::var(1), LinComb::var(1), LinComb::var(2))
        .enforce(LinComb::var(2), LinComb::var(1), LinComb::var(3))
        .enforce(
            LinComb::var(3).plus(1, felt(1)).plus(0, felt(5)),
            LinComb::var(0),
            LinComb::var(4),
        );
    cs.check(&witness);
    reveal(out);
    reveal(felt(cs.constraints.len()));
}
