use droste_gadgets::prelude::*;

/// Hash chain and commitment with a secret preimage, plus a nullifier.
struct Sponge {
    state: [Felt; 3],
    absorbed: usize,
}

impl Sponge {
    const ROUNDS: usize = 6;

    fn new(domain: usize) -> Self {
        Sponge {
            state: [felt(domain), felt(0), felt(0)],
            absorbed: 0,
        }
    }

    fn permute(&mut self) {
        for r in 0..Self::ROUNDS {
            for (i, s) in self.state.iter_mut().enumerate() {
                let t = *s + felt(31 * r + 7 * i + 1);
                let t2 = t * t;
                *s = t2 * t2 * t2 * t;
            }
            let sum: Felt = self.state[0] + self.state[1] + self.state[2];
            self.state = self.state.map(|s| s + sum);
        }
    }

    fn absorb(&mut self, value: Felt) -> &mut Self {
        let slot = self.absorbed % 2;
        self.state[slot + 1] += value;
        self.absorbed += 1;
        if slot == 1 {
            self.permute();
        }
        self
    }

    fn squeeze(mut self) -> Felt {
        if self.absorbed % 2 == 1 {
            self.permute();
        }
        self.state[1]
    }
}

fn hash(domain: usize, inputs: &[Felt]) -> Felt {
    let mut sponge = Sponge::new(domain);
    for &input in inputs {
        sponge.absorb(input);
    }
    sponge.squeeze()
}

const COMMIT: usize = 1;
const NULLIFY: usize = 2;

pub fn main() {
    let amount = public_input();
    let topic = public_input();
    let key = felt(123_456);
    let commitment = hash(COMMIT, &[key, amount]);
    let nullifier = hash(NULLIFY, &[key, topic]);
    let chain = (0..3).fold(key, |h, _| hash(COMMIT, &[h]));
    assert_eq!(hash(COMMIT, &[key, amount]), commitment);
    reveal(commitment);
    reveal(nullifier);
    reveal(chain);
}
