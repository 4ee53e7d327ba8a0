//! Words that are not canonical where nothing but the check of them can refuse a proof.
//!
//! Plonky3's provers cannot make such proofs, since its fields have no such words. Here a prover
//! commits to them: the hash that the verifier computes of them is the hash that the proof has, and
//! nothing else depends on them.

use droste_gadgets::suites::blake3::Blake3;
use droste_gadgets::suites::bytes::ByteHash;
use droste_gadgets::suites::keccak::Keccak;
use droste_gadgets::suites::keccak_sponge::KeccakSponge;
use droste_gadgets::{Hint, NativeTape, SOURCES};
use droste_native::precompile::{Block, ByteDigest, baby_bear_from_block, digest_to_limbs};
use droste_native::{AnyChallenge, BabyBear, BabyBear4, F};
use droste_verifier::tape::machine_tape;
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Fault, execute};
use droste_vm::precompile::BABY_BEAR;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::SPONGE;
use crate::quartic::{Messages, Program, program};

const ORDER: u32 = BabyBear::ORDER_U32;

/// Words that stand for an element, as canonical ones do.
const OTHERS: [u32; 3] = [ORDER, ORDER + 1, u32::MAX];

/// Number of elements of a folded row, and of the salts after it: with a run of 34 words, salts are
/// at its end and in the next one.
const ARITY: usize = 8;
const SALTS: usize = 4;

/// Declares the program that checks one fold of [`ARITY`] values to a constant final polynomial.
macro_rules! folded {
    ($name:ident, $module:ident, $hash:ident) => {
        program!($name {
            use droste_gadgets::bits::Bits;
            use droste_gadgets::prelude::*;
            use droste_gadgets::suites::$module::$hash;
            use droste_gadgets::suites::baby_bear::OverBabyBear;
            use droste_gadgets::verify::fri::folding::{folding, folds};
            use droste_gadgets::verify::fri::index::{Index, Pieces};
            use droste_gadgets::verify::fri::query::Places;
            use droste_gadgets::verify::fri::shape::{Shape, Table};

            fn shape_of_fold() -> Shape {
                let table = Table {
                    log_height: 2,
                    main_width: 1,
                    main_next: false,
                    preprocessed_width: 0,
                    preprocessed_next: false,
                    permutation_width: 0,
                    quotient_chunks: 1,
                    public_values: 0,
                };
                Shape {
                    uni: true,
                    degree: 4,
                    random_codewords: 0,
                    salts: 4,
                    tables: vec![table],
                    buses: 0,
                    message_width: 0,
                    log_blowup: 1,
                    cap_height: 0,
                    num_queries: 1,
                    log_final_poly_len: 0,
                    log_arities: vec![3],
                    lookup_grinding_bits: 0,
                    ood_grinding_bits: 0,
                    batch_grinding_bits: 0,
                    commit_grinding_bits: 0,
                    query_grinding_bits: 0,
                    stark_seed: Vec::new(),
                    opening_seed: Vec::new(),
                    fri_seed: Vec::new(),
                }
            }

            pub fn main() {
                baby_bear();
                let shape = shape_of_fold();
                let places = Places {
                    inputs: Vec::new(),
                    folds: vec![hint_slice(2).any()],
                    points: Vec::new(),
                };
                let index = Index {
                    pieces: Pieces::new(&shape),
                    bits: Bits::new(hint_felt().any(), 1),
                    points: Vec::new(),
                };
                let beta = hint_ext().checked();
                let value = hint_ext().checked();
                let prepared = folding::<Ext>(&shape, &[beta], vec![value]);
                folds::<OverBabyBear<$hash>>(
                    &shape,
                    &index,
                    &places,
                    &prepared,
                    &[value],
                    Ext::ONE,
                    Ext::ONE,
                );
            }
        });
    };
}

folded!(folded_in_blake3, blake3, Blake3);
folded!(folded_in_keccak, keccak, Keccak);
folded!(folded_in_sponge, keccak_sponge, KeccakSponge);

program!(public {
    use droste_gadgets::prelude::*;
    use droste_gadgets::suites::baby_bear::OverBabyBear;
    use droste_gadgets::suites::keccak::Keccak;
    use droste_gadgets::verify::fri::constraints::{Constraints, check};
    use droste_gadgets::verify::fri::shape::{Shape, Table};
    use droste_gadgets::verify::fri::transcript::Challenged;
    use droste_gadgets::verify::opened::{Challenges, Opened};

    pub struct Unread;

    impl Constraints for Unread {
        fn folded(&self, _table: usize, _opened: &Opened, _challenges: &Challenges) -> Ext {
            Ext::ZERO
        }

        fn periodic(&self, _table: usize, _point: Ext) -> Vec<Ext> {
            Vec::new()
        }
    }

    fn shape() -> Shape {
        let table = Table {
            log_height: 3,
            main_width: 1,
            main_next: false,
            preprocessed_width: 0,
            preprocessed_next: false,
            permutation_width: 0,
            quotient_chunks: 1,
            public_values: 2,
        };
        Shape {
            uni: true,
            degree: 4,
            random_codewords: 0,
            salts: 0,
            tables: vec![table],
            buses: 0,
            message_width: 0,
            log_blowup: 1,
            cap_height: 0,
            num_queries: 1,
            log_final_poly_len: 0,
            log_arities: vec![1, 1, 1],
            lookup_grinding_bits: 0,
            ood_grinding_bits: 0,
            batch_grinding_bits: 0,
            commit_grinding_bits: 0,
            query_grinding_bits: 0,
            stark_seed: Vec::new(),
            opening_seed: Vec::new(),
            fri_seed: Vec::new(),
        }
    }

    pub fn main() {
        baby_bear();
        let zeta = hint_ext().checked();
        let mut public = Vec::new();
        for _i in 0..4 {
            public.push(hint_felt().any());
        }
        let challenged = Challenged {
            lookup_alpha: Ext::ZERO,
            lookup_beta: Ext::ZERO,
            terminals: vec![Ext::ZERO],
            alpha: zeta,
            zeta,
        };
        let opened = [vec![Ext::ZERO], vec![Ext::ZERO; 4]];
        check::<OverBabyBear<Keccak>, Unread>(&shape(), &Unread, &challenged, &opened, &[public]);
    }
});

/// The limbs of a word.
fn limbs(word: u32) -> [F; 2] {
    [word & 0xffff, word >> 16].map(F::from_u32)
}

/// Fails unless a run is refused both ways, in the machine by a call that takes canonical words.
fn expect_refused(program: &Program, compiled: &Compiled, tape: &NativeTape, case: &str) {
    assert_eq!(program.run(tape), None, "{case}");
    let error = execute(compiled, &[], &machine_tape(tape), 1 << 18).unwrap_err();
    let is_word = matches!(error.fault, Fault::Precompile { id, .. } if id == BABY_BEAR.identity);
    assert!(is_word, "{case}: {error}");
}

/// The lanes of a slice of a tape.
fn blocks(tape: &mut NativeTape, hint: usize) -> &mut [[Option<F>; 8]] {
    match &mut tape.hints[hint] {
        Hint::Slice(blocks) => blocks,
        hint => panic!("{hint:?} is no slice"),
    }
}

/// Puts another word into a salt, and the hash of the row with it into the commitment.
fn salts_are_checked<B: ByteHash>(source: &str, main: fn(), hash: fn(&[u32]) -> ByteDigest) {
    let program = Program::new(source, main);
    let compiled = compile(source, SOURCES).unwrap();
    let mut rng = SmallRng::seed_from_u64(6);
    let mut word = || rng.random_range(0..ORDER);
    let value: [u32; 4] = std::array::from_fn(|_| word());
    let mut row: Vec<u32> = value.iter().copied().cycle().take(4 * ARITY).collect();
    row.extend((0..SALTS).map(|_| word()));
    let beta: [u32; 4] = std::array::from_fn(|_| word());
    // The message of an element has integers, and a row has their Montgomery words.
    let block: Block = value.map(limbs).concat().try_into().unwrap();
    let element = baby_bear_from_block(&block, true).unwrap();
    let messages = Messages::of([
        hash(&row).concat(),
        vec![F::from_u32(5)],
        beta.map(F::from_u32).to_vec(),
        element.cells()[..4].to_vec(),
        row.iter().copied().flat_map(limbs).collect(),
    ]);
    let honest = messages.record(program.main);
    assert_eq!(program.run(&honest), Some([0; 8]));
    let is_slice = |hint: &Hint| matches!(hint, Hint::Slice(_));
    let last = honest.hints.iter().rposition(is_slice).unwrap();
    for salt in 4 * ARITY..4 * ARITY + SALTS {
        let (run, place) = (salt / B::RUN, salt % B::RUN);
        let (block, lane) = (2 * B::RUN_BLOCKS * run + place / 4, 2 * (place % 4));
        let with = |word: u32| {
            let mut row = row.clone();
            row[salt] = word;
            let mut tape = honest.clone();
            let places = &mut blocks(&mut tape, last)[block][lane..lane + 2];
            places.copy_from_slice(&limbs(word).map(Some));
            let digest = hash(&row).map(|block| block.map(Some));
            blocks(&mut tape, 0).copy_from_slice(&digest);
            tape
        };
        for canonical in [0, ORDER - 1] {
            assert_eq!(program.run(&with(canonical)), Some([0; 8]), "{salt}");
        }
        for other in OTHERS {
            let case = format!("word {salt}: {other}");
            expect_refused(&program, &compiled, &with(other), &case);
        }
    }
}

/// The digest of the bytes of words.
fn bytes_hashed(hasher: impl CryptographicHasher<u8, [u8; 32]>, words: &[u32]) -> ByteDigest {
    digest_to_limbs(hasher.hash_iter(words.iter().flat_map(|word| word.to_le_bytes())))
}

#[test]
fn salts_of_folded_rows_are_canonical() {
    salts_are_checked::<Blake3>(folded_in_blake3::SOURCE, folded_in_blake3::main, |words| {
        bytes_hashed(p3_blake3::Blake3, words)
    });
    salts_are_checked::<Keccak>(folded_in_keccak::SOURCE, folded_in_keccak::main, |words| {
        bytes_hashed(Keccak256Hash, words)
    });
    salts_are_checked::<KeccakSponge>(folded_in_sponge::SOURCE, folded_in_sponge::main, |words| {
        let (pairs, rest) = words.as_chunks::<2>();
        assert!(rest.is_empty());
        let lanes = pairs
            .iter()
            .map(|&[low, high]| u64::from(low) | u64::from(high) << 32);
        let digest: [u64; 4] = SPONGE.hash_iter(lanes);
        digest_to_limbs(digest.map(u64::to_le_bytes).concat().try_into().unwrap())
    });
}

/// If no constraint reads a public value, nothing but the check refuses another word for it, whose
/// claim would be another one.
#[test]
fn public_values_are_canonical() {
    let program = Program::new(public::SOURCE, public::main);
    let compiled = compile(public::SOURCE, SOURCES).unwrap();
    let mut rng = SmallRng::seed_from_u64(8);
    let zeta: BabyBear4 = rng.random();
    let mut messages = vec![zeta.cells()[..4].to_vec()];
    messages.extend([1, 2, 3, 4].map(|limb| vec![F::from_u32(limb)]));
    let honest = Messages::of(messages).record(program.main);
    let with = |value: usize, limbs: [F; 2]| {
        let mut tape = honest.clone();
        for (hint, limb) in tape.hints[1 + 2 * value..].iter_mut().zip(limbs) {
            *hint = Hint::Felt(limb);
        }
        tape
    };
    for value in 0..2 {
        for canonical in [0, 1, ORDER - 1] {
            let tape = with(value, limbs(canonical));
            assert_eq!(program.run(&tape), Some([0; 8]), "{value}: {canonical}");
        }
        let others = OTHERS.map(limbs);
        // Other limbs of canonical words.
        let halves = [[1 << 16, 0], [1, 1 << 16]].map(|limbs| limbs.map(F::from_u32));
        for limbs in others.into_iter().chain(halves) {
            let case = format!("value {value}: {limbs:?}");
            expect_refused(&program, &compiled, &with(value, limbs), &case);
        }
    }
}
