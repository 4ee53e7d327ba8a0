use droste_gadgets::prelude::*;

const WIDTH: usize = 3;
const FULL_ROUNDS: usize = 4;

struct Sponge {
    state: [Felt; WIDTH],
    absorbed: usize,
}

impl Sponge {
    fn new(domain: usize) -> Self {
        let mut state = [felt(0); WIDTH];
        state[WIDTH - 1] = felt(domain);
        Sponge { state, absorbed: 0 }
    }

    fn sbox(v: Felt) -> Felt {
        let v2 = v * v;
        v2 * v2 * v
    }

    fn permute(&mut self) {
        for round in 0..FULL_ROUNDS {
            for (i, s) in self.state.iter_mut().enumerate() {
                *s = Self::sbox(*s + felt(round * WIDTH + i + 1));
            }
            let sum = self.state.iter().copied().reduce(|a, b| a + b).unwrap();
            self.state = self.state.map(|s| s + sum);
        }
    }

    fn absorb(&mut self, value: Felt) {
        let slot = self.absorbed % (WIDTH - 1);
        self.state[slot] = self.state[slot] + value;
        self.absorbed += 1;
        if slot == WIDTH - 2 {
            self.permute();
        }
    }

    fn squeeze(mut self) -> Felt {
        self.permute();
        self.state[0]
    }
}

fn hash(values: &[Felt]) -> Felt {
    let mut sponge = Sponge::new(values.len());
    for &v in values {
        sponge.absorb(v);
    }
    sponge.squeeze()
}

pub fn main() {
    let x = public_input();
    let secret = x * felt(0x1234567) + felt(99);
    let commitment = hash(&[secret, x, felt(42)]);
    let nullifier = hash(&[commitment, x]);
    reveal(commitment);
    reveal(nullifier);
}
