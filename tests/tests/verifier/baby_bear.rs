//! Gadgets in programs over BabyBear: transcripts are those of Plonky3's challengers, leaves those of
//! its hashers, and folds and combined rows are computed in its field.

mod words;

use std::collections::VecDeque;

use droste_gadgets::fri::{Polynomial, fold, fold_scales};
use droste_gadgets::packing::{blocks_for, hint_row, unpack_all};
use droste_gadgets::prelude::*;
use droste_gadgets::suites::baby_bear::OverBabyBear;
use droste_gadgets::suites::blake3::Blake3;
use droste_gadgets::suites::bytes::{BabyBearChallenger, ByteHash};
use droste_gadgets::suites::hash::{Challenger, Hash, observe_ext, observe_integer};
use droste_gadgets::suites::keccak::Keccak;
use droste_gadgets::suites::keccak_sponge::KeccakSponge;
use droste_gadgets::verify::fri::shape::{Shape, Table, groups};
use droste_gadgets::verify::fri::weighted::{combined, weighted};
use droste_gadgets::{Hint, run_native};
use droste_native::precompile::{baby_bear_to_block, digest_to_limbs, word_limbs};
use droste_native::{AnyChallenge, BabyBear, BabyBear4, F};
use p3_challenger::{
    CanObserve, CanSample, CanSampleBits, FieldChallenger, GrindingChallenger, HashChallenger,
    SerializingChallenger32,
};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing, PrimeField32, TwoAdicField};
use p3_keccak::{Keccak256Hash, KeccakF};
use p3_symmetric::{CryptographicHasher, MerkleCap, PaddingFreeSponge, SerializingHasher};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::quartic::{Messages, Program, program};

/// The limbs of an element's words.
fn limbs_of(x: BabyBear4) -> Vec<F> {
    baby_bear_to_block(x).to_vec()
}

/// The limbs of a row's words.
fn row_limbs(row: &[BabyBear]) -> Vec<F> {
    row.iter().copied().flat_map(word_limbs).collect()
}

/// Runs a program over BabyBear natively, on a tape that it records with these messages.
fn record(messages: Messages, program: impl Fn() + Send + Sync) {
    let program = || {
        baby_bear();
        program();
    };
    let tape = messages.record(program);
    run_native(&tape, &[], program).unwrap();
}

/// One step of a transcript; for a sample, with the value that the native challenger returns.
#[derive(Clone, Debug)]
enum Step {
    Observe(BabyBear),
    Integer(usize),
    Element(BabyBear4),
    Digest,
    Read(Vec<BabyBear4>),
    Sample(BabyBear4),
    Pair(BabyBear4, BabyBear4),
    Grind(usize),
    Word(u32),
}

type Transcript<B> = SerializingChallenger32<BabyBear, HashChallenger<u8, B, 32>>;

/// A random sequence: the prover's answers in the in-circuit run, and the steps.
fn sequence<B>(mut native: Transcript<B>, seed: u64) -> (Messages, Vec<Step>)
where
    B: CryptographicHasher<u8, [u8; 32]> + Clone + Send + Sync,
{
    let mut rng = SmallRng::seed_from_u64(seed);
    let (mut messages, mut steps) = (VecDeque::new(), Vec::new());
    for _ in 0..4 {
        for _ in 0..rng.random_range(1..20) {
            let x: BabyBear = rng.random();
            native.observe(x);
            steps.push(Step::Observe(x));
        }
        let height = rng.random_range(0..27);
        native.observe_base_as_algebra_element::<BabyBear4>(BabyBear::from_usize(height));
        steps.push(Step::Integer(height));
        let x: BabyBear4 = rng.random();
        native.observe_algebra_element(x);
        steps.push(Step::Element(x));
        if rng.random_bool(0.5) {
            let digest: [u8; 32] = std::array::from_fn(|_| rng.random_range(0..=255));
            native.observe(MerkleCap::<BabyBear, [u8; 32]>::new(vec![digest]));
            messages.push_back(digest_to_limbs(digest).concat());
            steps.push(Step::Digest);
        }
        if rng.random_bool(0.5) {
            let values: Vec<BabyBear4> =
                (0..rng.random_range(1..24)).map(|_| rng.random()).collect();
            // The lanes before a slice, in its first blocks, must repeat the words observed last.
            for x in (0..8).map(BabyBear::from_u32) {
                native.observe(x);
                steps.push(Step::Observe(x));
            }
            native.observe_algebra_slice(&values);
            messages.push_back(values.iter().copied().flat_map(limbs_of).collect());
            steps.push(Step::Read(values));
        }
        if rng.random_bool(0.4) {
            let [low, high] = word_limbs(native.grind(4));
            messages.extend([vec![low], vec![high]]);
            steps.push(Step::Grind(4));
        }
        if rng.random_bool(0.5) {
            steps.push(Step::Sample(native.sample()));
        } else {
            steps.push(Step::Pair(native.sample(), native.sample()));
        }
    }
    native.observe(BabyBear::ONE);
    steps.push(Step::Observe(BabyBear::ONE));
    for _ in 0..11 {
        steps.push(Step::Word(native.sample_bits(20) as u32));
    }
    (Messages::of(messages), steps)
}

/// Replays the sequence with the gadget and compares its samples.
fn replay<B: ByteHash>(steps: &[Step]) {
    let mut t = BabyBearChallenger::<B>::new();
    for step in steps {
        match step {
            Step::Observe(x) => {
                for limb in word_limbs(*x) {
                    t.observe(limb.into());
                }
            }
            Step::Integer(x) => observe_integer(&mut t, *x),
            Step::Element(x) => observe_ext(&mut t, Ext::from(*x)),
            Step::Digest => {
                let digest = hint_slice(B::DIGEST_BLOCKS).any();
                t.observe_digests(digest, 1);
            }
            Step::Read(values) => {
                // As the verifier over FRI reads opened values.
                let (at, words) = (t.position(), Ext::degree() * values.len());
                t.advise_slice(words);
                let slice = hint_slice(blocks_for::<OverBabyBear<B>>(at, words)).any();
                t.observe_slice(slice, words);
                let expected: Vec<_> = values.iter().copied().map(Ext::from).collect();
                let read = unpack_all::<OverBabyBear<B>>(slice, at, values.len());
                assert_eq!(read, expected);
            }
            Step::Sample(x) => assert_eq!(t.sample(), Ext::from(*x)),
            Step::Pair(x, y) => assert_eq!(t.sample_pair(), (Ext::from(*x), Ext::from(*y))),
            Step::Grind(bits) => t.grind(*bits),
            Step::Word(expected) => {
                let word = t.sample_word();
                let bits = BabyBearChallenger::<B>::bits(word);
                assert_eq!(bits.part(0, 20), Felt::new(*expected));
            }
        }
    }
}

/// Checks that samples of the gadget are those of the native challenger. In more than one of three
/// pairs an integer is not below the modulus.
fn agrees<B, H: ByteHash>(hasher: B)
where
    B: CryptographicHasher<u8, [u8; 32]> + Clone + Send + Sync,
{
    for seed in 0..60 {
        let native = Transcript::from_hasher(Vec::new(), hasher.clone());
        let (messages, steps) = sequence(native, seed);
        record(messages, || replay::<H>(&steps));
    }
}

#[test]
fn transcripts_are_plonky3s() {
    agrees::<_, Keccak>(Keccak256Hash);
    agrees::<_, Blake3>(p3_blake3::Blake3);
}

program!(sampled {
    use droste_gadgets::suites::bytes::{BabyBear, ByteChallenger};
    use droste_gadgets::suites::hash::{Challenger, observe_ext};
    use droste_gadgets::suites::keccak::Keccak;
    use droste_gadgets::prelude::*;

    type C = ByteChallenger<Keccak, BabyBear>;

    pub fn main() {
        baby_bear();
        let mut t = C::new();
        observe_ext(&mut t, hint_ext().checked());
        let (x, y) = t.sample_pair();
        observe_ext(&mut t, Ext::ONE);
        let z = t.sample();
        let block = (x * y + z.inverse()).as_block();
        for lane in 0..8 {
            reveal(block.lane(lane));
        }
    }
});

/// No hint but the observed element can be another.
#[test]
fn samples_in_the_machine_are_plonky3s() {
    let program = Program::new(sampled::SOURCE, sampled::main);
    let mut rng = SmallRng::seed_from_u64(1);
    for run in 0..40 {
        let observed: BabyBear4 = rng.random();
        let mut native = Transcript::from_hasher(Vec::new(), Keccak256Hash);
        native.observe_algebra_element(observed);
        let (x, y): (BabyBear4, BabyBear4) = (native.sample(), native.sample());
        native.observe_algebra_element(BabyBear4::ONE);
        let z: BabyBear4 = native.sample();
        let expected = baby_bear_to_block(x * y + z.inverse());
        let expected = expected.map(|limb| limb.as_canonical_u32());
        // The message of an element is the canonical integers of its coefficients.
        let message = observed.cells()[..4].to_vec();
        let tape = Messages::of([message]).record(program.main);
        assert_eq!(program.run(&tape), Some(expected), "{run}");
        if run > 0 {
            continue;
        }
        for index in 1..tape.hints.len() {
            let mut changed = tape.clone();
            match &mut changed.hints[index] {
                Hint::Felt(bit) => *bit = F::ONE - *bit,
                Hint::Slice(blocks) => blocks[0][0] = blocks[0][0].map(|lane| lane + F::ONE),
                Hint::Ext(_) => panic!("an extension element over BabyBear is a block"),
            }
            assert_eq!(program.run(&changed), None, "hint {index}");
        }
    }
}

/// The sponge of most of Plonky3's proofs in Keccak.
const SPONGE: PaddingFreeSponge<KeccakF, 25, 17, 4> = PaddingFreeSponge::new(KeccakF);

/// Checks leaves of rows of up to five runs against digests of 32 bytes.
fn leaves<B: ByteHash>(hash: fn(Vec<BabyBear>) -> [u8; 32]) {
    let mut rng = SmallRng::seed_from_u64(2);
    for n in 1..=140 {
        let row: Vec<BabyBear> = (0..n).map(|_| rng.random()).collect();
        let limbs = row_limbs(&row);
        let expected = digest_to_limbs(hash(row));
        record(Messages::of([limbs]), || {
            let row = hint_row::<OverBabyBear<B>>(n).any();
            let leaf = OverBabyBear::<B>::leaf(row, n);
            let blocks = expected.map(|block| Block::new(block.map(Felt::from)));
            OverBabyBear::<B>::assert_same(leaf, Slice::from_blocks(blocks));
        });
    }
}

#[test]
fn leaves_are_plonky3s() {
    leaves::<Keccak>(|row| SerializingHasher::new(Keccak256Hash).hash_iter(row));
    leaves::<Blake3>(|row| SerializingHasher::new(p3_blake3::Blake3).hash_iter(row));
    leaves::<KeccakSponge>(|row| {
        let digest: [u64; 4] = SerializingHasher::new(SPONGE).hash_iter(row);
        let mut bytes = [0; 32];
        for (bytes, lane) in bytes.as_chunks_mut().0.iter_mut().zip(digest) {
            *bytes = lane.to_le_bytes();
        }
        bytes
    });
}

#[test]
fn rows_are_folded_to_the_value_at_the_challenge() {
    let mut rng = SmallRng::seed_from_u64(3);
    for log_arity in 1..=4 {
        let n = 1usize << log_arity;
        let coefficients: Vec<BabyBear4> = (0..n).map(|_| rng.random()).collect();
        let value = |x: BabyBear4| {
            let horner = |sum: BabyBear4, &coefficient: &BabyBear4| sum * x + coefficient;
            coefficients.iter().rev().fold(BabyBear4::ZERO, horner)
        };
        let (beta, start): (BabyBear4, BabyBear) = (rng.random(), rng.random());
        let root = BabyBear::two_adic_generator(log_arity);
        let row: Vec<BabyBear4> = (0..n)
            .map(|i| {
                let reversed = i.reverse_bits() >> (usize::BITS as usize - log_arity);
                value((start * root.exp_u64(reversed as u64)).into())
            })
            .collect();
        let (at_beta, at_start) = (value(beta), value(start.into()));
        record(Messages::default(), || {
            let row: Vec<_> = row.iter().copied().map(Ext::from).collect();
            let scales = fold_scales::<Ext>(Ext::from(beta), log_arity);
            let inverse = Ext::from(BabyBear4::from(start.inverse()));
            let folded = fold(&row, log_arity, &scales, inverse);
            assert_eq!(folded, Ext::from(at_beta));
            let coefficients = coefficients.iter().copied().map(Ext::from).collect();
            let polynomial = Polynomial::new(coefficients);
            let point = Ext::from(BabyBear4::from(start));
            assert_eq!(polynomial.evaluate(point), Ext::from(at_start));
        });
    }
}

/// A shape with two tables of one height, of which the second is opened at the next point, too.
fn shape(salts: usize) -> Shape {
    let table = |main_width, main_next| Table {
        log_height: 3,
        main_width,
        main_next,
        preprocessed_width: 0,
        preprocessed_next: false,
        permutation_width: 0,
        quotient_chunks: 1,
        public_values: 0,
    };
    Shape {
        uni: false,
        degree: 4,
        random_codewords: 0,
        salts,
        tables: vec![table(37, false), table(45, true)],
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

/// Each group of columns is combined with consecutive powers, whatever is in the row around it.
fn combines<B: ByteHash>(salts: usize) {
    let shape = shape(salts);
    let mut rng = SmallRng::seed_from_u64(4);
    let combiner: BabyBear4 = rng.random();
    for round in shape.rounds() {
        for layer in round.layers() {
            let row: Vec<BabyBear> = (0..layer.width).map(|_| rng.random()).collect();
            record(Messages::of([row_limbs(&row)]), || {
                let data = hint_row::<OverBabyBear<B>>(layer.width).any();
                let all = weighted::<OverBabyBear<B>>(&shape, Ext::from(combiner));
                for group in groups(&layer) {
                    let number = group.openings[0].number;
                    let weights = all.iter().find(|weights| weights.number == number).unwrap();
                    let columns = &row[group.at..group.at + group.width];
                    let horner = |sum: BabyBear4, &x: &BabyBear| sum * combiner + x;
                    let sum = columns.iter().rev().fold(BabyBear4::ZERO, horner);
                    assert_eq!(combined(data, weights), Ext::from(sum));
                }
            });
        }
    }
}

#[test]
fn rows_are_combined_by_weights() {
    for salts in [0, 4] {
        combines::<Keccak>(salts);
        combines::<Blake3>(salts);
    }
}

/// A word that is not canonical, of a column or of a salt, is refused.
fn refuses_words<B: ByteHash>() {
    let shape = shape(4);
    let round = &shape.rounds()[0];
    let layer = &round.layers()[0];
    let order = [1, 0x7800].map(F::from_u32);
    for word in 0..layer.width {
        let mut limbs = vec![F::ZERO; 2 * layer.width];
        limbs[2 * word..2 * word + 2].copy_from_slice(&order);
        let combine = || {
            baby_bear();
            let data = hint_row::<OverBabyBear<B>>(layer.width).any();
            for weights in weighted::<OverBabyBear<B>>(&shape, Ext::ONE) {
                if groups(layer)
                    .iter()
                    .any(|group| group.openings[0].number == weights.number)
                {
                    let _sum = combined(data, &weights);
                }
            }
        };
        let tape = droste_gadgets::record::record(&mut Messages::of([limbs]), combine);
        assert!(tape.is_err(), "{word}");
    }
}

#[test]
fn words_that_are_not_canonical_are_refused() {
    refuses_words::<Keccak>();
    refuses_words::<Blake3>();
}

/// Elements at every position of a run, in hashes with runs of eight and of 34 words.
fn unpacks<B: ByteHash>() {
    let mut rng = SmallRng::seed_from_u64(5);
    for at in 0..B::RUN {
        for n in [1, 2, 7, 20] {
            let values: Vec<BabyBear4> = (0..n).map(|_| rng.random()).collect();
            record(Messages::default(), || {
                let words = values.iter().flat_map(|value| {
                    let words: &[BabyBear] = value.as_basis_coefficients_slice();
                    words.to_vec()
                });
                let length = blocks_for::<OverBabyBear<B>>(at, 4 * n);
                let mut blocks = vec![[Felt::ZERO; 8]; length];
                for (i, word) in words.enumerate() {
                    let (run, place) = ((at + i) / B::RUN, (at + i) % B::RUN);
                    let block = &mut blocks[2 * B::RUN_BLOCKS * run + place / 4];
                    let [low, high] = word_limbs(word).map(Felt::from);
                    block[2 * (place % 4)] = low;
                    block[2 * (place % 4) + 1] = high;
                }
                let blocks: Vec<_> = blocks.into_iter().map(Block::new).collect();
                let unpacked = unpack_all::<OverBabyBear<B>>(Slice::from_blocks(blocks), at, n);
                let unpacked: Vec<_> = unpacked.into_iter().map(BabyBear4::from).collect();
                assert_eq!(unpacked, values);
            });
        }
    }
}

#[test]
fn packed_elements_have_four_words() {
    unpacks::<Blake3>();
    unpacks::<KeccakSponge>();
}
