//! In-circuit transcripts against the native challengers, over random sequences of steps.

use droste_gadgets::bits::integer;
use droste_gadgets::blake3::Blake3Challenger;
use droste_gadgets::hash::Challenger;
use droste_gadgets::keccak::KeccakChallenger;
use droste_gadgets::poseidon16::Poseidon16Challenger;
use droste_gadgets::prelude::*;
use droste_gadgets::{Hint, Tape, run_native};
use droste_native::family::FamilyCap;
use droste_native::{Blake3Family, Commitment, EF, F, KeccakFamily, Poseidon16Family};
use droste_verifier::tape::{TapeFamily, Transcript, commitment_blocks, whole};
use p3_challenger::{CanObserve, CanSample, CanSampleBits, GrindingChallenger};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// One step of a transcript with the sample that the native challenger gives.
#[derive(Clone, Debug)]
enum Step {
    Observe(u32),
    Digests(usize),
    Slice { elements: usize, blocks: usize },
    Sample([u32; 5]),
    Pair([u32; 5], [u32; 5]),
    Grind(usize),
    Word(u32),
}

fn integers(x: EF) -> [u32; 5] {
    let coefficients: &[F] = x.as_basis_coefficients_slice();
    std::array::from_fn(|i| coefficients[i].as_canonical_u32())
}

/// A random sequence: the hints of its in-circuit run, its steps.
fn sequence<H: TapeFamily>(seed: u64, run: usize, run_blocks: usize) -> (Tape, Vec<Step>)
where
    H::Digest: From8,
{
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut native = H::challenger();
    let mut transcript = H::Transcript::default();
    let (mut tape, mut steps) = (Tape::default(), Vec::new());
    for _ in 0..4 {
        let observe = |native: &mut H::Challenger, transcript: &mut H::Transcript, x: u32| {
            native.observe(F::from_u32(x));
            Transcript::observe(transcript, F::from_u32(x));
        };
        for _ in 0..rng.random_range(0..20) {
            let x = rng.random_range(0..1 << 30);
            observe(&mut native, &mut transcript, x);
            steps.push(Step::Observe(x));
        }
        let count = 1 << rng.random_range(0..4);
        let digests: Vec<H::Digest> = (0..count).map(|_| From8::random(&mut rng)).collect();
        let commitment = <Commitment<H> as FamilyCap<H::Digest>>::from_digests(digests.clone());
        tape.hints.push(whole(&commitment_blocks::<H>(&commitment)));
        transcript.observe_digests(&digests, &mut tape);
        native.observe(commitment);
        steps.push(Step::Digests(count));
        if rng.random_bool(0.5) {
            // The lanes before a slice repeat elements.
            for x in 0..8 {
                observe(&mut native, &mut transcript, x);
                steps.push(Step::Observe(x));
            }
            let elements = rng.random_range(1..90);
            let at = transcript.position();
            let place = |p: usize| (run_blocks * (p / run) + p % run / 8, p % run % 8);
            let blocks = place(at + elements - 1).0 + 1;
            let mut slice = vec![[Some(F::ZERO); 8]; blocks];
            let pending = transcript.pending();
            for (i, &x) in pending.iter().enumerate() {
                let (block, lane) = place(at - pending.len() + i);
                slice[block][lane] = Some(x);
            }
            for i in 0..elements {
                let x = rng.random_range(0..1 << 30);
                let (block, lane) = place(at + i);
                slice[block][lane] = Some(F::from_u32(x));
                observe(&mut native, &mut transcript, x);
            }
            tape.hints.push(Hint::Slice(slice));
            steps.push(Step::Slice { elements, blocks });
        }
        if rng.random_bool(0.3) {
            let nonce = native.grind(4);
            transcript.grind(nonce, &mut tape);
            steps.push(Step::Grind(4));
        }
        if rng.random_bool(0.5) {
            let x: EF = native.sample();
            assert_eq!(transcript.sample(&mut tape), x);
            steps.push(Step::Sample(integers(x)));
        } else {
            let pair: (EF, EF) = (native.sample(), native.sample());
            assert_eq!(transcript.sample_pair(&mut tape), pair);
            steps.push(Step::Pair(integers(pair.0), integers(pair.1)));
        }
    }
    observe_one::<H>(&mut native, &mut transcript, &mut steps);
    for _ in 0..11 {
        let bits = native.sample_bits(20) as u32;
        let word = transcript.sample_word(&mut tape);
        assert_eq!(word & 0xf_ffff, bits);
        H::Transcript::word_bits(word, &mut tape);
        steps.push(Step::Word(bits));
    }
    (tape, steps)
}

fn observe_one<H: TapeFamily>(
    native: &mut H::Challenger,
    transcript: &mut H::Transcript,
    steps: &mut Vec<Step>,
) {
    native.observe(F::ONE);
    Transcript::observe(transcript, F::ONE);
    steps.push(Step::Observe(1));
}

/// A random digest.
trait From8 {
    fn random(rng: &mut SmallRng) -> Self;
}

impl From8 for [F; 8] {
    fn random(rng: &mut SmallRng) -> Self {
        std::array::from_fn(|_| F::from_u32(rng.random_range(0..1 << 30)))
    }
}

impl From8 for [u8; 32] {
    fn random(rng: &mut SmallRng) -> Self {
        std::array::from_fn(|_| rng.random_range(0..=255))
    }
}

/// The same sequence by the gadget.
fn replay<C: Challenger>(steps: &[Step], digest_blocks: usize) {
    let mut challenger = C::new();
    for step in steps {
        match step {
            Step::Observe(x) => challenger.observe(Felt::new(*x)),
            Step::Digests(n) => {
                let digests = hint_slice(n * digest_blocks).any();
                challenger.observe_digests(digests, *n);
            }
            Step::Slice { elements, blocks } => {
                let data = hint_slice(*blocks).any();
                challenger.observe_slice(data, *elements);
            }
            Step::Sample(x) => assert_eq!(challenger.sample(), Ext::new(*x)),
            Step::Pair(x, y) => {
                assert_eq!(challenger.sample_pair(), (Ext::new(*x), Ext::new(*y)));
            }
            Step::Grind(bits) => challenger.grind(*bits),
            Step::Word(expected) => {
                let word = challenger.sample_word();
                let bits = C::hint_bits();
                let value = integer(bits, 0, 20);
                C::assert_bits(word, bits, value, 20);
                assert_eq!(value, Felt::new(*expected));
            }
        }
    }
}

fn agrees<H: TapeFamily, C: Challenger>(run: usize, run_blocks: usize, digest_blocks: usize)
where
    H::Digest: From8,
{
    for seed in 0..60 {
        let (tape, steps) = sequence::<H>(seed, run, run_blocks);
        if let Err(error) = run_native(&tape, &[], || replay::<C>(&steps, digest_blocks)) {
            panic!("{} {seed}: {error}", H::NAME);
        }
    }
}

/// A sample takes no words that the digest does not have: here four are left, and a sample takes five.
fn words_that_are_not_there_are_not_sampled<H: TapeFamily, C: Challenger>() {
    let mut transcript = H::Transcript::default();
    let mut tape = Tape::default();
    Transcript::observe(&mut transcript, F::ONE);
    let words: Vec<u32> = (0..8).map(|_| transcript.sample_word(&mut tape)).collect();
    // That all are below the modulus, and the bits of each.
    tape.hints.push(Hint::Felt(F::ONE));
    for word in [words[4], words[5], words[6], words[7], 0] {
        assert!(word >> 24 & 0x7f != 0x7f);
        H::Transcript::word_bits(word, &mut tape);
    }
    let run = run_native(&tape, &[], || {
        let mut challenger = C::new();
        challenger.observe(Felt::ONE);
        for _ in 0..4 {
            challenger.sample_word();
        }
        challenger.sample();
    });
    let error = run.expect_err(H::NAME).to_string();
    assert!(error.contains("available"), "{error}");
}

#[test]
fn samples_take_words_of_the_digest() {
    words_that_are_not_there_are_not_sampled::<Blake3Family, Blake3Challenger>();
    words_that_are_not_there_are_not_sampled::<KeccakFamily, KeccakChallenger>();
}

#[test]
fn poseidon16_agrees() {
    agrees::<Poseidon16Family, Poseidon16Challenger>(8, 1, 1);
}

#[test]
fn blake3_agrees() {
    agrees::<Blake3Family, Blake3Challenger>(8, 1, 2);
}

#[test]
fn keccak_agrees() {
    agrees::<KeccakFamily, KeccakChallenger>(34, 5, 2);
}
