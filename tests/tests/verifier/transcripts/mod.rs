//! In-circuit transcripts agree with the native challengers on random sequences of steps.

mod bits;
mod samples;

use droste_gadgets::bits::Bits;
use droste_gadgets::packing::{blocks_for, hint_row};
use droste_gadgets::prelude::*;
use droste_gadgets::suites::blake3::Blake3Challenger;
use droste_gadgets::suites::hash::{Challenger, Hash};
use droste_gadgets::suites::keccak::KeccakChallenger;
use droste_gadgets::suites::poseidon2::{Poseidon2, Poseidon2Challenger};
use droste_gadgets::suites::poseidon16::Poseidon16Challenger;
use droste_gadgets::{Hint, NativeTape, SOURCES, run_native};
use droste_native::hash::poseidon2::hash_row;
use droste_native::stark::challenger::ExtensionTranscript;
use droste_native::stark::suite::SuiteCap;
use droste_native::{Blake3Suite, Commitment, EF, F, HashSuite, KeccakSuite, Poseidon2Suite};
use droste_tests::{every_suite, suite_tests};
use droste_verifier::tape::{
    Answers, TapeError, TapeSuite, commitment_lanes, machine_tape, observed,
};
use droste_vm::compiler::compile;
use droste_vm::executor::execute;
use p3_challenger::{CanObserve, CanSample, CanSampleBits, GrindingChallenger};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32, RawDataSerializable};
use p3_symmetric::CryptographicHasher;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// One step of a transcript; for a sample, with the value that the native challenger returns.
#[derive(Clone, Debug)]
enum Step {
    Observe(u32),
    Digests(usize),
    Slice(usize),
    Read(Vec<[u32; 5]>),
    Sample([u32; 5]),
    Pair([u32; 5], [u32; 5]),
    Grind(usize),
    Word(u32),
}

fn integers(x: EF) -> [u32; 5] {
    let coefficients: &[F] = x.as_basis_coefficients_slice();
    std::array::from_fn(|i| coefficients[i].as_canonical_u32())
}

/// Observes so many random elements.
fn observe_some(
    native: &mut impl CanObserve<F>,
    steps: &mut Vec<Step>,
    rng: &mut SmallRng,
    count: usize,
) {
    for _ in 0..count {
        let x = rng.random_range(0..1 << 30);
        native.observe(F::from_u32(x));
        steps.push(Step::Observe(x));
    }
}

/// A random sequence: the prover's answers in the in-circuit run, and the steps.
fn sequence<H: TapeSuite>(seed: u64) -> (Answers<'static, H>, Vec<Step>)
where
    H::Digest: From8,
{
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut native = H::challenger();
    let (mut answers, mut steps) = (Answers::default(), Vec::new());
    for _ in 0..4 {
        let count = rng.random_range(0..20);
        observe_some(&mut native, &mut steps, &mut rng, count);
        let count = 1 << rng.random_range(0..4);
        let digests: Vec<H::Digest> = (0..count).map(|_| From8::random(&mut rng)).collect();
        let commitment = <Commitment<H> as SuiteCap<H::Digest>>::from_digests(digests);
        answers.message(commitment_lanes::<H>(&commitment));
        native.observe(commitment);
        steps.push(Step::Digests(count));
        if rng.random_bool(0.5) {
            // The lanes before a slice, in its first block, must repeat the elements observed last.
            for x in 0..8 {
                native.observe(F::from_u32(x));
                steps.push(Step::Observe(x));
            }
            let elements: Vec<F> = (0..rng.random_range(1..90))
                .map(|_| F::from_u32(rng.random_range(0..1 << 30)))
                .collect();
            for &x in &elements {
                native.observe(x);
            }
            steps.push(Step::Slice(elements.len()));
            answers.message(elements);
        }
        if rng.random_bool(0.3) {
            answers.message(vec![native.grind(4)]);
            steps.push(Step::Grind(4));
        }
        if rng.random_bool(0.5) {
            let x: EF = native.sample();
            steps.push(Step::Sample(integers(x)));
        } else {
            let pair: (EF, EF) = (native.sample(), native.sample());
            steps.push(Step::Pair(integers(pair.0), integers(pair.1)));
        }
    }
    native.observe(F::ONE);
    steps.push(Step::Observe(1));
    for _ in 0..11 {
        steps.push(Step::Word(native.sample_bits(20) as u32));
    }
    (answers, steps)
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

/// Replays the sequence with the gadget and compares its samples.
fn replay<H: Hash, C: Challenger>(steps: &[Step]) {
    let mut challenger = C::new();
    for step in steps {
        match step {
            Step::Observe(x) => challenger.observe(Felt::new(*x)),
            Step::Digests(n) => {
                let digests = hint_slice(n * H::DIGEST_BLOCKS).any();
                challenger.observe_digests(digests, *n);
            }
            Step::Slice(elements) => {
                let at = challenger.position();
                challenger.advise_slice(*elements);
                let data = hint_slice(blocks_for::<H>(at, *elements)).any();
                challenger.observe_slice(data, *elements);
            }
            Step::Read(values) => {
                let read = challenger.read_extensions(values.len());
                let values = values.iter().map(|&value| Ext::new(value));
                assert_eq!(read, values.collect::<Vec<_>>());
            }
            Step::Sample(x) => assert_eq!(challenger.sample(), Ext::new(*x)),
            Step::Pair(x, y) => {
                assert_eq!(challenger.sample_pair(), (Ext::new(*x), Ext::new(*y)));
            }
            Step::Grind(bits) => challenger.grind(*bits),
            Step::Word(expected) => {
                let word = challenger.sample_word();
                assert_eq!(C::bits(word).part(0, 20), Felt::new(*expected));
            }
        }
    }
}

fn agrees<H: TapeSuite>()
where
    H::Digest: From8,
{
    for seed in 0..60 {
        let (answers, steps) = sequence::<H>(seed);
        let tape = match answers.record(|| replay::<H::Gadget, H::Transcript>(&steps)) {
            Ok(tape) => tape,
            Err(error) => panic!("{} {seed}: {error}", H::NAME),
        };
        run_native(&tape, &[], || replay::<H::Gadget, H::Transcript>(&steps)).unwrap();
    }
}

suite_tests! {
    agrees:
    poseidon16_agrees => Poseidon16Suite,
    poseidon2_agrees => Poseidon2Suite,
    blake3_agrees => Blake3Suite,
    keccak_agrees => KeccakSuite,
}

/// What an extension element leaves of its digest depends on the digest over FRI, and is nothing
/// over WHIR: a byte challenger samples no word from it. Nothing has to be observed before another
/// element over WHIR.
fn words_after_an_element_are_refused<H: TapeSuite, C: Challenger>(path: &str) {
    let after = |next: &str| {
        let text = format!(
            "use droste_gadgets::suites::hash::Challenger;
            use droste_gadgets::prelude::*;
            use {path} as C;
            pub fn main() {{
                let mut t = C::new();
                t.observe(hint_felt().any());
                let x = t.sample();
                reveal(x.coeff(0));
                {next}
            }}"
        );
        compile(&text, SOURCES)
    };
    after("t.observe(Felt::ONE); reveal(C::bits(t.sample_word()).part(0, 1));").unwrap();
    for next in [
        "reveal(C::bits(t.sample_word()).part(0, 1));",
        "t.grind(4);",
    ] {
        let error = after(next).unwrap_err();
        let at = &error.source_code.inner()[error.span.offset()..];
        assert!(at.starts_with("assert!(!self.drawn)"), "{path}: {error:?}");
    }

    let mut answers = Answers::<H>::default();
    answers.message(vec![F::ONE]);
    let run = answers.record(|| {
        let mut t = C::new();
        t.observe(hint_felt().any());
        t.sample();
        t.sample_word();
    });
    let Err(TapeError::Rejected { failure, .. }) = run else {
        panic!("{path}: {run:?}");
    };
    assert!(failure.0.contains("drawn"), "{failure}");
}

#[test]
fn byte_challengers_sample_no_word_after_an_element() {
    type Whir<H> = <H as TapeSuite>::WhirTranscript;
    type Fri<H> = <H as TapeSuite>::Transcript;
    let path = "droste_gadgets::suites::blake3::Blake3";
    type B = Blake3Suite;
    words_after_an_element_are_refused::<B, Fri<B>>(&format!("{path}Challenger"));
    words_after_an_element_are_refused::<B, Whir<B>>(&format!("{path}WhirChallenger"));
    let path = "droste_gadgets::suites::keccak::Keccak";
    type K = KeccakSuite;
    words_after_an_element_are_refused::<K, Fri<K>>(&format!("{path}Challenger"));
    words_after_an_element_are_refused::<K, Whir<K>>(&format!("{path}WhirChallenger"));
}

/// A random sequence in any order: samples follow samples, and digests begin at any position.
fn any_order(seed: u64) -> (Answers<'static, Poseidon2Suite>, Vec<Step>) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut native = Poseidon2Suite::challenger();
    let (mut answers, mut steps) = (Answers::default(), Vec::new());
    let elements = |rng: &mut SmallRng, count: usize| -> Vec<F> {
        let element = |_| F::from_u32(rng.random_range(0..1 << 30));
        (0..count).map(element).collect()
    };
    for _ in 0..40 {
        match rng.random_range(0..7) {
            0 => {
                let count = rng.random_range(0..20);
                for x in elements(&mut rng, count) {
                    native.observe(x);
                    steps.push(Step::Observe(x.as_canonical_u32()));
                }
            }
            1 => {
                let count = rng.random_range(1..9);
                let digests = elements(&mut rng, 8 * count);
                native.observe_slice(&digests);
                steps.push(Step::Digests(count));
                answers.message(digests);
            }
            2 => {
                let count = rng.random_range(1..50);
                let slice = elements(&mut rng, count);
                native.observe_slice(&slice);
                steps.push(Step::Slice(slice.len()));
                answers.message(slice);
            }
            3 => {
                answers.message(vec![native.grind(4)]);
                steps.push(Step::Grind(4));
            }
            4 => {
                for _ in 0..rng.random_range(1..10) {
                    let x: EF = native.sample();
                    steps.push(Step::Sample(integers(x)));
                }
            }
            5 => {
                for _ in 0..rng.random_range(1..18) {
                    steps.push(Step::Word(native.sample_bits(20) as u32));
                }
            }
            _ => {
                let pair: (EF, EF) = (native.sample(), native.sample());
                steps.push(Step::Pair(integers(pair.0), integers(pair.1)));
            }
        }
    }
    (answers, steps)
}

#[test]
fn poseidon2_agrees_in_any_order() {
    for seed in 0..100 {
        let (answers, steps) = any_order(seed);
        let replay = || replay::<Poseidon2, Poseidon2Challenger>(&steps);
        let tape = answers.record(replay);
        let tape = tape.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        run_native(&tape, &[], replay).unwrap();
    }
}

/// A random sequence as those of proofs over WHIR: after digests and nonces there is a sample, and
/// samples follow each other.
fn over_whir<H: TapeSuite>(seed: u64) -> (Answers<'static, H>, Vec<Step>)
where
    H::Digest: From8,
{
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut native = H::challenger();
    let (mut answers, mut steps) = (Answers::default(), Vec::new());
    let count = 8 * rng.random_range(1..4);
    observe_some(&mut native, &mut steps, &mut rng, count);
    for _ in 0..6 {
        if rng.random_bool(0.4) {
            let count = 1 << rng.random_range(0..4);
            let digests: Vec<H::Digest> = (0..count).map(|_| From8::random(&mut rng)).collect();
            let commitment = <Commitment<H> as SuiteCap<H::Digest>>::from_digests(digests);
            answers.message(commitment_lanes::<H>(&commitment));
            native.observe(commitment);
            steps.push(Step::Digests(count));
        } else {
            for _ in 0..rng.random_range(1..4) {
                let count = rng.random_range(1..24);
                let values: Vec<EF> = (0..count).map(|_| rng.random()).collect();
                values
                    .iter()
                    .for_each(|&value| native.observe_extension(value));
                answers.message(observed::<H>(&values));
                steps.push(Step::Read(values.into_iter().map(integers).collect()));
            }
        }
        if rng.random_bool(0.4) {
            answers.message(vec![native.grind(4)]);
            steps.push(Step::Grind(4));
        }
        if rng.random_bool(0.4) {
            for _ in 0..rng.random_range(1..18) {
                steps.push(Step::Word(native.sample_bits(20) as u32));
            }
        }
        let singles = rng.random_range(0..4);
        for _ in 0..singles {
            let x = native.sample_extension();
            steps.push(Step::Sample(integers(x)));
        }
        if singles == 0 || rng.random_bool(0.5) {
            let pair = (native.sample_extension(), native.sample_extension());
            steps.push(Step::Pair(integers(pair.0), integers(pair.1)));
        }
    }
    (answers, steps)
}

/// Whatever hint of a transcript over WHIR is changed, the run fails: everything is absorbed.
fn agrees_over_whir<H: TapeSuite>()
where
    H::Digest: From8,
{
    for seed in 0..40 {
        let (answers, steps) = over_whir::<H>(seed);
        let replay = || replay::<H::Gadget, H::WhirTranscript>(&steps);
        let tape = answers.record(replay);
        let tape = tape.unwrap_or_else(|error| panic!("{} {seed}: {error}", H::NAME));
        run_native(&tape, &[], replay).unwrap();
        if seed >= 3 {
            continue;
        }
        for index in 0..tape.hints.len() {
            let mut changed = tape.clone();
            match &mut changed.hints[index] {
                Hint::Felt(x) => *x += F::ONE,
                Hint::Ext(x) => *x += EF::ONE,
                Hint::Slice(blocks) => {
                    let last = blocks.len() - 1;
                    blocks[last][0] = blocks[last][0].map(|lane| lane + F::ONE);
                }
            }
            let run = run_native(&changed, &[], replay);
            assert!(run.is_err(), "{} {seed}: hint {index}", H::NAME);
        }
    }
}

#[test]
fn transcripts_over_whir_agree() {
    every_suite!(agrees_over_whir);
}

/// Rows that are shorter than the rate, and rows that end anywhere in a block.
#[test]
fn poseidon2_leaves_are_the_native_ones() {
    for n in 1..=50usize {
        let row: Vec<F> = (0..n).map(|i| F::from_usize(i * i + 7)).collect();
        let digest = hash_row(&row).map(|lane| lane.as_canonical_u32());
        let program = move || {
            let leaf = Poseidon2::leaf(hint_row::<Poseidon2>(n).any(), n);
            for (lane, &expected) in digest.iter().enumerate() {
                assert_eq!(leaf.lane(lane), Felt::new(expected));
            }
        };
        let mut answers = Answers::<Poseidon2Suite>::default();
        answers.message(row);
        let tape = answers.record(program);
        let tape = tape.unwrap_or_else(|error| panic!("{n} elements: {error}"));
        run_native(&tape, &[], program).unwrap();
        // No other values of the lanes after the end are accepted.
        let Some(Hint::Slice(blocks)) = tape.hints.first() else {
            panic!("a row is a slice");
        };
        for lane in (1..8).filter(|lane| n % 8 != 0 && *lane >= n % 8) {
            let mut blocks = blocks.clone();
            let last = blocks.len() - 1;
            blocks[last][lane] = Some(F::from_u32(123_456));
            let tape = NativeTape {
                hints: vec![Hint::Slice(blocks)],
            };
            assert!(run_native(&tape, &[], program).is_err(), "{n}, {lane}");
        }
    }
}
