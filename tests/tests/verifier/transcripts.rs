//! In-circuit transcripts agree with the native challengers on random sequences of steps.

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

/// A sample must not take more words than the digest has left: here four are left, and a sample
/// takes five.
fn samples_take_no_more_words_than_are_left<H: TapeSuite, C: Challenger>() {
    let run = Answers::<H>::default().record(|| {
        let mut challenger = C::new();
        challenger.observe(Felt::ONE);
        for _ in 0..4 {
            challenger.sample_word();
        }
        challenger.sample();
    });
    let Err(TapeError::Rejected { failure, .. }) = run else {
        panic!("{}: {run:?}", H::NAME);
    };
    assert!(failure.0.contains("available"), "{failure}");
}

#[test]
fn samples_take_words_of_the_digest() {
    samples_take_no_more_words_than_are_left::<Blake3Suite, Blake3Challenger>();
    samples_take_no_more_words_than_are_left::<KeccakSuite, KeccakChallenger>();
}

suite_tests! {
    agrees:
    poseidon16_agrees => Poseidon16Suite,
    poseidon2_agrees => Poseidon2Suite,
    blake3_agrees => Blake3Suite,
    keccak_agrees => KeccakSuite,
}

/// Declares a program as a module and as its text.
macro_rules! program {
    ($name:ident { $($text:tt)* }) => {
        mod $name {
            pub const SOURCE: &str = stringify!($($text)*);
            $($text)*
        }
    };
}

program!(sampled {
    use droste_gadgets::suites::blake3::Blake3Challenger;
    use droste_gadgets::suites::hash::Challenger;
    use droste_gadgets::prelude::*;

    pub fn main() {
        let mut challenger = Blake3Challenger::new();
        challenger.observe(hint_felt().any());
        challenger.observe(hint_felt().any());
        let x = challenger.sample();
        for i in 0..5 {
            reveal(x.coeff(i));
        }
    }
});

/// Integers just below and above the modulus are accepted and skipped as by Plonky3's challenger,
/// natively and in the machine, and the hint that says which of them there are cannot be false. A
/// search found the observed elements.
#[test]
fn samples_next_to_the_modulus_are_plonky3s() {
    const MODULUS: u32 = 0x7f00_0001;
    // What is observed, which of the words that are read is which integer, and whether all of the
    // first five integers are below the modulus less one.
    let cases = [
        ([2, 183_529_916], MODULUS - 2, true),
        ([2, 31_544_601], MODULUS - 1, false),
        ([1, 250_389_688], MODULUS - 1, false),
        ([1, 319_284_346], MODULUS, false),
        ([1, 382_838_989], MODULUS, false),
        ([1, 1], 0, true),
    ];
    let compiled = compile(sampled::SOURCE, SOURCES).unwrap();
    for (observed, integer, is_clean) in cases {
        let mut native = Blake3Suite::challenger();
        let mut answers = Answers::<Blake3Suite>::default();
        for element in observed.map(F::from_u32) {
            native.observe(element);
            answers.message(vec![element]);
        }
        let mut words = native.clone();
        let mut word = || words.sample_bits(30) as u32 & 0x3fff_ffff;
        assert!(integer == 0 || (0..5).any(|_| word() == integer & 0x3fff_ffff));
        let expected = integers(native.sample());
        assert_eq!(expected.contains(&integer), (1..MODULUS).contains(&integer));
        let tape = answers.record(sampled::main).unwrap();
        let run = |tape: &NativeTape| {
            let native = run_native(tape, &[], sampled::main);
            let machine = execute(&compiled, &[], &machine_tape(tape), 1 << 16);
            match (native, machine) {
                (Ok(statement), Ok(execution)) => {
                    let machine = execution.statement.map(|lane| lane.as_canonical_u32());
                    assert_eq!(statement, machine);
                    Some(statement)
                }
                (Err(_), Err(_)) => None,
                runs => panic!("{observed:?}: {runs:?}"),
            }
        };
        assert_eq!(run(&tape).unwrap()[..5], expected, "{observed:?}");
        let Some((Hint::Felt(clean), _)) = tape.hints.split_last() else {
            panic!("{tape:?}");
        };
        assert_eq!(*clean, F::from_bool(is_clean), "{observed:?}");
        let mut flipped = tape.clone();
        flipped.hints.pop();
        flipped.hints.push(Hint::Felt(F::from_bool(!is_clean)));
        assert_eq!(run(&flipped), None, "{observed:?}");
    }
}

program!(of_digests {
    use droste_gadgets::suites::blake3::Blake3WhirChallenger;
    use droste_gadgets::suites::hash::Challenger;
    use droste_gadgets::prelude::*;

    pub fn main() {
        let mut challenger = Blake3WhirChallenger::new();
        challenger.observe(hint_felt().any());
        let x = challenger.sample();
        let y = challenger.sample();
        for i in 0..3 {
            reveal(x.coeff(i + 2));
        }
        for i in 0..5 {
            reveal(y.coeff(i));
        }
    }
});

/// Over WHIR an element is sampled from a whole digest: of all that was observed and a zero, then
/// of that digest and a zero.
#[test]
fn samples_over_whir_are_of_whole_digests() {
    let compiled = compile(of_digests::SOURCE, SOURCES).unwrap();
    let element = |message: &[u8]| {
        let digest: [u8; 32] = p3_blake3::Blake3.hash_slice(message);
        let limb = |i: usize| u64::from(digest[2 * i]) + 256 * u64::from(digest[2 * i + 1]);
        let integer = |i| limb(i) + (limb(i + 5) << 16) + (limb(i + 10) << 32);
        let coefficients: [u64; 5] = std::array::from_fn(|i| integer(i) % 0x7f00_0001);
        (digest, coefficients.map(|x| x as u32))
    };
    for observed in [0, 1, 2_965, 134_591_379].map(F::from_u32) {
        let word: [u8; 4] = observed
            .into_bytes()
            .into_iter()
            .collect::<Vec<_>>()
            .try_into()
            .unwrap();
        let (digest, x) = element(&[word, [0; 4]].concat());
        let (_, y) = element(&[&digest[..], &[0; 4]].concat());
        let mut native = Blake3Suite::challenger();
        native.observe(observed);
        let sampled = [native.sample_extension(), native.sample_extension()];
        assert_eq!(sampled.map(integers), [x, y]);
        let expected = [&x[2..], &y].concat();
        let mut answers = Answers::<Blake3Suite>::default();
        answers.message(vec![observed]);
        let tape = answers.record(of_digests::main).unwrap();
        assert_eq!(run_native(&tape, &[], of_digests::main).unwrap(), *expected);
        let machine = execute(&compiled, &[], &machine_tape(&tape), 1 << 16).unwrap();
        let statement = machine.statement.map(|lane| lane.as_canonical_u32());
        assert_eq!(statement, *expected);
    }
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

/// Whether the gadgets' bits of a sampled word are those of the integer that it stands for.
fn bits_agree<C: Challenger>(word: [u32; 2], integer: u32, known: usize) {
    let word = word.map(Felt::new);
    let bits = C::bits(word);
    for to in 0..=known {
        for from in 0..=to {
            let expected = (integer >> from) & ((1_u64 << (to - from)) - 1) as u32;
            assert_eq!(bits.part(from, to), Felt::new(expected), "{from}..{to}");
        }
    }
}

#[test]
fn parts_beyond_the_bits_are_refused() {
    let part = |blocks: usize, from: usize, to: usize| {
        let program = || {
            Bits::new(felt(200), blocks).part(from, to);
        };
        run_native(&NativeTape::default(), &[], program).map(|_| ())
    };
    for blocks in 1..=4 {
        part(blocks, 0, 8 * blocks).unwrap();
        part(blocks, 8 * blocks, 8 * blocks).unwrap();
        let refused = part(blocks, 0, 8 * blocks + 1).unwrap_err().0;
        assert!(refused.contains("to <= 8 * self.blocks"), "{refused}");
    }
    let refused = part(1, 4, 3).unwrap_err().0;
    assert!(refused.contains("from <= to"), "{refused}");
}

/// Words with one bit, with all bits, and some others: every part of the bits, and proofs of work
/// of every number of bits.
#[test]
fn bits_of_words_are_those_of_their_integers() {
    let words = (0..31).map(|bit| 1_u32 << bit);
    for integer in words.chain([0, 0x1234_5678, 0x7e00_0001]) {
        let element = [integer, 0];
        bits_agree::<Poseidon16Challenger>(element, integer, 31);
        bits_agree::<Poseidon2Challenger>(element, integer, 31);
        // A word of a digest stands for its bytes in reverse order.
        let reversed = integer.swap_bytes();
        let limbs = [reversed & 0xffff, reversed >> 16];
        bits_agree::<Blake3Challenger>(limbs, integer, 24);
        for n in 0..=30 {
            let fails = integer.trailing_zeros() < n as u32;
            type Check = fn([Felt; 2], usize);
            let checks: [(Check, [u32; 2]); 3] = [
                (Poseidon16Challenger::assert_low_bits_are_zero, element),
                (Poseidon2Challenger::assert_low_bits_are_zero, element),
                (Blake3Challenger::assert_low_bits_are_zero, limbs),
            ];
            for (check, word) in checks {
                let run = run_native(&NativeTape::default(), &[], || {
                    check(word.map(Felt::new), n);
                });
                assert_eq!(run.is_err(), fails, "{integer:08x}, {n} bits");
            }
        }
    }
}
