use droste_native::hash::poseidon16::Poseidon16;
use droste_verifier::claim::claim_digest;
use droste_verifier::fold::{Counters, statement};
use droste_vm::key::KeyDigest;
use p3_field::PrimeCharacteristicRing;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::assembler::Code;
use crate::contract::deploy::statement_bytes;
use crate::digest::{define_swap, exceeding, swapped};
use crate::machine::{gas, return_words, words};

const MEMORY: Memory = Memory {
    state: 0x20,
    constants: 0x20 + 2 * STATE_BYTES,
};
const KEPT: u64 = 0x20 + STATE_BYTES;

/// What permutes the state in the calldata.
fn permutation() -> Code {
    let mut a = Assembler::new();
    define(&mut a, MEMORY);
    a.run(
        Op::CallDataCopy,
        [MEMORY.state.into(), 0.into(), STATE_BYTES.into()],
    );
    a.call("permute", []);
    return_words(&mut a, (0..WORDS).map(|index| load(MEMORY.word(index))));
    a.assemble().unwrap()
}

fn permuted(code: &Code, lanes: &[u64; WIDTH]) -> [F; WIDTH] {
    let data = (0..WORDS).flat_map(|row| {
        let lanes: Vec<u64> = lanes.iter().skip(row).step_by(WORDS).copied().collect();
        Word::from_lanes(LANE, &lanes).to_be_bytes()
    });
    let words = words(code, &data.collect::<Vec<u8>>()).unwrap();
    std::array::from_fn(|index| {
        let lane = words[index % WORDS].lane(LANE, (index / WORDS) as u32);
        assert!(lane <= OUTPUT_MAX);
        F::from_u64(lane)
    })
}

#[test]
fn states_are_permuted_as_native_ones() {
    let code = permutation();
    let check = |lanes: [u64; WIDTH]| {
        let expected = Poseidon16.permute(lanes.map(F::from_u64));
        assert_eq!(permuted(&code, &lanes), expected, "{lanes:?}");
    };
    let values = [0, 1, P - 1, P, u64::from(u32::MAX), OUTPUT_MAX, INPUT_MAX];
    for value in values {
        check([value; WIDTH]);
        for index in 0..WIDTH {
            check(std::array::from_fn(|i| if i == index { value } else { 0 }));
            check(std::array::from_fn(|i| if i == index { 0 } else { value }));
        }
    }
    let mut rng = SmallRng::seed_from_u64(16);
    for _ in 0..100 {
        check(std::array::from_fn(|_| rng.random_range(0..P)));
        check(std::array::from_fn(|_| rng.random_range(0..=INPUT_MAX)));
    }
}

fn elements(rng: &mut SmallRng) -> [F; 8] {
    std::array::from_fn(|_| F::from_u64(rng.random_range(0..P)))
}

fn digest(bytes: Word) -> [u8; 32] {
    bytes.to_be_bytes()
}

#[test]
fn claims_are_those_of_the_definition() {
    let claims = Claims { memory: MEMORY };
    let mut rng = SmallRng::seed_from_u64(17);
    for _ in 0..10 {
        let [program, wrap, key, claim, statement] = [(); 5].map(|()| elements(&mut rng));
        let mut a = Assembler::new();
        define(&mut a, MEMORY);
        define_swap(&mut a);
        a.bind("key", swapped(Expr::from(0).calldata()));
        a.bind("claim", swapped(Expr::from(32).calldata()));
        a.bind("statement", swapped(Expr::from(64).calldata()));
        claims.claim(&mut a, &program, "statement");
        claims.keep(&mut a, KEPT);
        a.bind("first", claims.bytes());
        claims.begin(&mut a, 2);
        claims.absorb(&mut a, "key");
        claims.absorb(&mut a, "claim");
        claims.absorb_key(&mut a, &wrap);
        claims.absorb_kept(&mut a, KEPT);
        a.bind("second", claims.bytes());
        claims.claim_last(&mut a, &program);
        a.bind("third", claims.bytes());
        return_words(&mut a, ["first", "second", "third"].map(var));
        let data = [key, claim, statement].map(|elements| statement_bytes(&elements));
        let found = words(&a.assemble().unwrap(), data.as_flattened()).unwrap();

        let first = claim_digest(&[(KeyDigest(program), statement)]);
        let second = claim_digest(&[(KeyDigest(key), claim), (KeyDigest(wrap), first)]);
        let third = claim_digest(&[(KeyDigest(program), second)]);
        let expected = [first, second, third].map(|elements| statement_bytes(&elements));
        assert_eq!(found.into_iter().map(digest).collect::<Vec<_>>(), expected);
    }
}

/// Those of folds have another tag, a constant in front, and a block of small numbers.
#[test]
fn statements_of_folds_are_those_of_the_definition() {
    const FOLD_TAG: F = F::new(0x666f_6c64);
    let claims = Claims { memory: MEMORY };
    let mut rng = SmallRng::seed_from_u64(18);
    for blocks in [1, 2, 7] {
        let fold = elements(&mut rng);
        let state: Vec<[F; 8]> = (0..blocks).map(|_| elements(&mut rng)).collect();
        let mut a = Assembler::new();
        define(&mut a, MEMORY);
        define_swap(&mut a);
        claims.begin_with(&mut a, FOLD_TAG, 2 + blocks, &fold);
        claims.absorb_words(&mut a, [5, 3, 2, 0].map(|counter: u64| counter.into()));
        for place in (0_u64..).step_by(32).take(blocks) {
            a.block(|a| {
                a.bind("block", swapped(Expr::from(place).calldata()));
                claims.absorb(a, "block");
            });
        }
        return_words(&mut a, [claims.bytes()]);
        let data: Vec<u8> = state.iter().flat_map(statement_bytes).collect();
        let found = words(&a.assemble().unwrap(), &data).unwrap();

        let counters = Counters {
            rules: 5,
            behind: 3,
            depth: 2,
        };
        let expected = statement(KeyDigest(fold), counters, &state);
        assert_eq!(digest(found[0]), statement_bytes(&expected));
    }
}

#[test]
fn words_are_canonical_below_the_order() {
    let mut a = Assembler::new();
    define_swap(&mut a);
    a.bind("words", swapped(Expr::from(0).calldata()));
    return_words(&mut a, [exceeding("words"), swapped(var("words"))]);
    let code = a.assemble().unwrap();
    for index in 0..8 {
        for value in [
            0,
            1,
            P as u32 - 1,
            P as u32,
            P as u32 + 1,
            1 << 31,
            u32::MAX,
        ] {
            for other in [0, P as u32 - 1] {
                let mut bytes = [other.to_le_bytes(); 8];
                bytes[index] = value.to_le_bytes();
                let found = words(&code, bytes.as_flattened()).unwrap();
                let is_canonical = u64::from(value) < P;
                assert_eq!(found[0] == Word::ZERO, is_canonical, "{value}");
                assert_eq!(digest(found[1])[..], *bytes.as_flattened());
            }
        }
    }
}

#[test]
fn gas_is_as_it_was() {
    let setup = |a: &mut Assembler| define(a, MEMORY);
    assert_eq!(gas(setup, |a| a.call("permute", []), &[]), 21_749);
}
