use droste_gadgets::prelude::*;
use std::marker::PhantomData;

// Type-state builder for a proof-of-knowledge style transcript.
struct Open;
struct Sealed;

struct Transcript<S> {
    log: Vec<Felt>,
    rounds: u32,
    _state: PhantomData<S>,
}

impl Transcript<Open> {
    fn new() -> Self {
        Transcript {
            log: Vec::new(),
            rounds: 0,
            _state: PhantomData,
        }
    }

    fn append(mut self, value: Felt) -> Self {
        self.log.push(value);
        self.rounds += 1;
        self
    }

    fn append_all<I>(self, values: I) -> Self
    where
        I: IntoIterator<Item = Felt>,
    {
        values.into_iter().fold(self, Self::append)
    }

    fn seal(self) -> Transcript<Sealed> {
        let Transcript { log, rounds, .. } = self;
        Transcript {
            log,
            rounds,
            _state: PhantomData,
        }
    }
}

impl Transcript<Sealed> {
    fn challenge(&self, label: &str) -> Felt {
        let seed = label
            .bytes()
            .fold(5381u32, |h, b| h.wrapping_mul(33) ^ u32::from(b));
        let base = felt((seed % 1_000_003) as usize);
        self.log.iter().fold(base, |acc, &v| {
            let t = acc + v;
            t * t * t + base
        })
    }
}

pub fn main() {
    let x = public_input();
    let transcript = Transcript::new()
        .append(x)
        .append(x * x)
        .append_all((1..=3).map(felt))
        .seal();
    let alpha = transcript.challenge("alpha");
    let beta = transcript.challenge("beta");
    let response = alpha * x + beta;
    assert_eq!(response - beta, x * alpha);
    reveal(response);
    reveal(felt(transcript.rounds as usize));
}
