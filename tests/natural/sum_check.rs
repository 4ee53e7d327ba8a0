use droste_gadgets::prelude::*;

/// Multilinear extension and the sum-check protocol, run with fixed challenges.
#[derive(Clone)]
struct Multilinear {
    evals: Vec<Felt>,
}

impl Multilinear {
    fn num_vars(&self) -> u32 {
        self.evals.len().ilog2()
    }

    fn fix_first(&self, r: Felt) -> Self {
        let (lo, hi) = self.evals.split_at(self.evals.len() / 2);
        let evals = lo.iter().zip(hi).map(|(&a, &b)| a + r * (b - a)).collect();
        Multilinear { evals }
    }

    fn evaluate(&self, point: &[Felt]) -> Felt {
        match point {
            [] => self.evals[0],
            [r, rest @ ..] => self.fix_first(*r).evaluate(rest),
        }
    }

    fn round_message(&self) -> (Felt, Felt) {
        let half = self.evals.len() / 2;
        let total = |part: &[Felt]| part.iter().fold(felt(0), |a, &b| a + b);
        (total(&self.evals[..half]), total(&self.evals[half..]))
    }
}

struct Transcript {
    state: Felt,
}

impl Transcript {
    fn challenge(&mut self, (a, b): (Felt, Felt)) -> Felt {
        self.state = (self.state + a) * (self.state + b) + felt(17);
        self.state
    }
}

fn sumcheck(poly: &Multilinear, claim: Felt) -> (Vec<Felt>, Felt) {
    let mut transcript = Transcript { state: claim };
    let mut current = poly.clone();
    let mut expected = claim;
    let mut point = Vec::new();
    for _ in 0..poly.num_vars() {
        let (g0, g1) = current.round_message();
        assert_eq!(g0 + g1, expected);
        let r = transcript.challenge((g0, g1));
        expected = g0 + r * (g1 - g0);
        current = current.fix_first(r);
        point.push(r);
    }
    (point, expected)
}

pub fn main() {
    let (a, b) = (public_input(), public_input());
    let evals: Vec<Felt> = (0..8)
        .map(|i| a * felt(i) + b * felt(i * i % 5) + felt(1))
        .collect();
    let claim = evals.iter().copied().reduce(|x, y| x + y).unwrap();
    let poly = Multilinear { evals };
    let (point, value) = sumcheck(&poly, claim);
    assert_eq!(poly.evaluate(&point), value);
    reveal(claim);
    reveal(value);
}
