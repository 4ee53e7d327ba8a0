//! What is sampled: words and elements of a digest of bytes.

use super::*;

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
