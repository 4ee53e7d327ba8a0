//! Compared with the native verifier.

use droste_native::gkr::{self, Fraction, Fractions, GkrProof, LeafClaim};
use droste_native::stark::challenger::{ExtensionTranscript, Sent};
use droste_native::{F, HashSuite, KeccakSuite};
use p3_challenger::CanObserve;
use p3_field::RawDataSerializable;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::assembler::{Code, Word, load};
use crate::field::decode;
use crate::machine::{gas, return_words, words};
use crate::{field, transcript};

const BUFFER: u64 = 0x800;
const MEMORY: Memory = Memory {
    fractions: 0x600,
    point_end: 0x600,
};

/// Bytes in front of the proof.
const START: u64 = 4;

fn challenger() -> <KeccakSuite as HashSuite>::Challenger {
    let mut challenger = KeccakSuite::challenger();
    challenger.observe(F::ONE);
    let _ = challenger.sample_extension();
    challenger
}

fn setup(a: &mut Assembler) {
    field::define(a);
    transcript::define(a);
}

fn statements(a: &mut Assembler, num_variables: u64) {
    let mut transcript = Transcript::new(BUFFER);
    transcript.observe(a, 0, START);
    transcript.sample_element(a, "first");
    verify(a, &mut transcript, START, num_variables, MEMORY);
}

/// A contract that returns the claim: numerator, denominator, lambda, point.
fn contract(num_variables: u64) -> Code {
    let mut a = Assembler::new();
    setup(&mut a);
    statements(&mut a, num_variables);
    let claim = (0..3).map(|index| load(MEMORY.fraction(index)));
    let point = (1..=num_variables).rev();
    let point = point.map(|index| load(MEMORY.point_end - ELEMENT_BYTES * index));
    let words: Vec<Expr> = claim.chain(point).collect();
    return_words(&mut a, words);
    a.assemble().unwrap()
}

fn prove(num_variables: u64, seed: u64) -> GkrProof {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut fractions: Vec<(F, EF)> = vec![];
    while fractions.len() + 2 <= 1 << num_variables {
        let (n, d): (F, EF) = rng.random();
        fractions.extend([(n, d), (-n, d)]);
    }
    // Not next to each other, nor half of them apart.
    fractions.rotate_left(1);
    let (n, d): (Vec<F>, Vec<EF>) = fractions.into_iter().unzip();
    let fractions = Fractions::new(num_variables as usize, &n, &d).unwrap();
    gkr::prove(fractions, &mut challenger()).unwrap().0
}

/// Every element of a proof, in the order of the transcript.
fn elements(proof: &mut GkrProof) -> Vec<&mut EF> {
    fn of(halves: &mut [Fraction<EF>; 2]) -> impl Iterator<Item = &mut EF> {
        let fractions = halves.iter_mut();
        fractions.flat_map(|half| [&mut half.numerator, &mut half.denominator])
    }
    let mut elements: Vec<&mut EF> = of(proof.root.forge()).collect();
    for layer in &mut proof.layers {
        elements.push(layer.quadratic.forge());
        let rounds = layer.rounds.iter_mut().map(Sent::forge);
        elements.extend(rounds.flat_map(|round| [&mut round.linear, &mut round.quadratic]));
        elements.extend(of(layer.halves.forge()));
    }
    elements
}

fn data(proof: &GkrProof) -> Vec<u8> {
    let mut proof = proof.clone();
    let elements: Vec<EF> = elements(&mut proof).into_iter().map(|x| *x).collect();
    let start: Vec<u8> = F::into_byte_stream([F::ONE]).into_iter().collect();
    let mut data = start;
    data.extend(EF::into_byte_stream(elements));
    data
}

fn claimed(words: &[Word]) -> LeafClaim {
    let values: Vec<EF> = words.iter().copied().map(decode).collect();
    LeafClaim {
        numerator: values[0],
        denominator: values[1],
        lambda: values[2],
        point: values[3..].to_vec(),
    }
}

fn verify_both(code: &Code, proof: &GkrProof, num_variables: u64) -> bool {
    let native = gkr::verify(proof, num_variables as usize, &mut challenger());
    let found = words(code, &data(proof)).map(|words| claimed(&words));
    assert_eq!(found, native.clone().ok(), "{native:?}");
    native.is_ok()
}

#[test]
fn claims_are_those_of_the_native_verifier() {
    for num_variables in 1..=9 {
        let code = contract(num_variables);
        for seed in 0..3 {
            let proof = prove(num_variables, seed);
            let length = data(&proof).len() as u64;
            assert_eq!(length, START + proof_bytes(num_variables));
            assert!(verify_both(&code, &proof, num_variables));
        }
    }
}

#[test]
fn changed_proofs_are_refused() {
    let code = contract(4);
    let proof = prove(4, 7);
    let count = elements(&mut proof.clone()).len();
    let mut rng = SmallRng::seed_from_u64(8);
    for index in 0..count {
        for value in [EF::ZERO, EF::ONE, rng.random()] {
            let mut proof = proof.clone();
            *elements(&mut proof)[index] += value;
            assert_eq!(verify_both(&code, &proof, 4), value == EF::ZERO);
            *elements(&mut proof)[index] = value;
            assert!(!verify_both(&code, &proof, 4));
        }
    }
}

/// The checks of the root are made, not only those of layers: there is no layer here.
#[test]
fn roots_are_checked() {
    let code = contract(1);
    let proof = |values: [EF; 4]| {
        let mut proof = prove(1, 1);
        elements(&mut proof)
            .into_iter()
            .zip(values)
            .for_each(|(x, value)| *x = value);
        proof
    };
    let mut rng = SmallRng::seed_from_u64(9);
    let [n, d]: [EF; 2] = rng.random();
    let (zero, one) = (EF::ZERO, EF::ONE);
    assert!(verify_both(&code, &proof([n, d, -n, d]), 1));
    assert!(verify_both(
        &code,
        &proof([n, d, -n.double(), d.double()]),
        1
    ));
    assert!(!verify_both(&code, &proof([n, d, n, d]), 1));
    assert!(!verify_both(&code, &proof([zero, zero, n, d]), 1));
    assert!(!verify_both(&code, &proof([n, d, zero, zero]), 1));
    assert!(!verify_both(&code, &proof([zero, zero, zero, zero]), 1));
    assert!(verify_both(&code, &proof([zero, one, zero, d]), 1));
}

/// A proof that reads past its end, or has words that are no elements.
#[test]
fn words_that_are_no_elements_are_refused() {
    let code = contract(3);
    let data = data(&prove(3, 2));
    assert!(words(&code, &data).is_some());
    for place in (START as usize..data.len()).step_by(4) {
        let mut data = data.clone();
        let word: [u8; 4] = data[place..place + 4].try_into().unwrap();
        let congruent = u32::from_le_bytes(word) + field::P as u32;
        data[place..place + 4].copy_from_slice(&congruent.to_le_bytes());
        assert_eq!(words(&code, &data), None);
    }
}

#[test]
fn gas_is_as_it_was() {
    let measure = |n| gas(setup, |a| statements(a, n), &data(&prove(n, 3)));
    let (five, six, seven) = (measure(5), measure(6), measure(7));
    // Layer `l` has `l - 1` rounds.
    let round = (seven - six) - (six - five);
    let layer = seven - six - 5 * round;
    let code = contract(18).bytes.len();
    let found = [
        ("round", round),
        ("layer without rounds", layer),
        ("2^7 fractions", seven),
        ("bytes", code as u64),
    ];
    let expected = [
        ("round", 1743),
        ("layer without rounds", 4447),
        ("2^7 fractions", 57121),
        ("bytes", 2506),
    ];
    assert_eq!(found, expected);
}
