//! Gadgets in programs with challenges of degree four: transcripts are those of Plonky3's
//! challengers, and trees those of its sponge over Keccak-f, natively and in the machine.

use std::collections::VecDeque;

use droste_gadgets::constraints::recompose;
use droste_gadgets::fri::Polynomial;
use droste_gadgets::packing::{blocks_for, hint_row, unpack_all};
use droste_gadgets::prelude::*;
use droste_gadgets::record::{Prover, record};
use droste_gadgets::suites::blake3::{Blake3, Blake3Challenger};
use droste_gadgets::suites::hash::{Challenger, Hash, observe_ext, observe_integer};
use droste_gadgets::suites::keccak::{Keccak, KeccakChallenger};
use droste_gadgets::suites::keccak_sponge::KeccakSponge;
use droste_gadgets::suites::poseidon2::{Poseidon2, Poseidon2Challenger};
use droste_gadgets::suites::poseidon16::{Poseidon16, Poseidon16Challenger};
use droste_gadgets::{Hint, NativeTape, SOURCES, run_native};
use droste_native::field::MODULUS;
use droste_native::precompile::{ByteDigest, digest_to_limbs};
use droste_native::{EF4, F, HashSuite, Poseidon16Suite};
use droste_verifier::tape::machine_tape;
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::execute;
use p3_challenger::{
    CanObserve, CanSample, DuplexChallenger, FieldChallenger, GrindingChallenger, HashChallenger,
    SerializingChallenger32,
};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing, PrimeField32};
use p3_keccak::{Keccak256Hash, KeccakF};
use p3_koala_bear::{Poseidon2KoalaBear, default_koalabear_poseidon2_24};
use p3_symmetric::{
    CompressionFunctionFromHasher, CryptographicHasher, MerkleCap, PaddingFreeSponge,
    PseudoCompressionFunction, SerializingHasher,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Prepared answers to hints.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages(VecDeque<Vec<F>>);

impl Messages {
    pub(super) fn of(messages: impl IntoIterator<Item = Vec<F>>) -> Self {
        Self(messages.into_iter().collect())
    }

    pub(super) fn record(mut self, program: impl FnOnce() + Send) -> NativeTape {
        record(&mut self, program).unwrap().0
    }
}

impl Prover for Messages {
    type Error = usize;

    fn message(&mut self, n: usize) -> Result<Vec<F>, usize> {
        let message = self.0.pop_front().filter(|message| message.len() == n);
        message.ok_or(n)
    }

    fn told(&mut self, _: Vec<F>) {}
}

fn integers(x: EF4) -> [u32; 4] {
    let coefficients: &[F] = x.as_basis_coefficients_slice();
    std::array::from_fn(|i| coefficients[i].as_canonical_u32())
}

fn ext([c0, c1, c2, c3]: [u32; 4]) -> Ext {
    Ext::new([c0, c1, c2, c3, 0])
}

/// One step of a transcript; for a sample, with the value that the native challenger returns.
#[derive(Clone, Debug)]
enum Step {
    Observe(u32),
    Integer(usize),
    Element([u32; 4]),
    Digest,
    Read(Vec<[u32; 4]>),
    Sample([u32; 4]),
    Pair([u32; 4], [u32; 4]),
    Grind(usize),
    Word(u32),
}

/// A random sequence: the prover's answers in the in-circuit run, and the steps. `digest` observes a
/// random digest and returns its lanes.
fn sequence<N>(
    mut native: N,
    digest: fn(&mut N, &mut SmallRng) -> Vec<F>,
    seed: u64,
) -> (Messages, Vec<Step>)
where
    N: FieldChallenger<F> + CanSample<EF4> + GrindingChallenger<Witness = F>,
{
    let mut rng = SmallRng::seed_from_u64(seed);
    let (mut messages, mut steps) = (VecDeque::new(), Vec::new());
    for _ in 0..4 {
        for _ in 0..rng.random_range(1..20) {
            let x = rng.random_range(0..1 << 30);
            native.observe(F::from_u32(x));
            steps.push(Step::Observe(x));
        }
        let height = rng.random_range(0..30);
        native.observe_base_as_algebra_element::<EF4>(F::from_usize(height));
        steps.push(Step::Integer(height));
        let x: EF4 = rng.random();
        native.observe_algebra_element(x);
        steps.push(Step::Element(integers(x)));
        if rng.random_bool(0.5) {
            messages.push_back(digest(&mut native, &mut rng));
            steps.push(Step::Digest);
        }
        if rng.random_bool(0.5) {
            let values: Vec<EF4> = (0..rng.random_range(1..24)).map(|_| rng.random()).collect();
            // The lanes before a slice, in its first block, must repeat the elements observed last.
            for x in 0..8 {
                native.observe(F::from_u32(x));
                steps.push(Step::Observe(x));
            }
            native.observe_algebra_slice(&values);
            let lanes = values.iter().flat_map(|value| {
                let coefficients: &[F] = value.as_basis_coefficients_slice();
                coefficients.to_vec()
            });
            messages.push_back(lanes.collect());
            steps.push(Step::Read(values.into_iter().map(integers).collect()));
        }
        if rng.random_bool(0.4) {
            messages.push_back(vec![native.grind(4)]);
            steps.push(Step::Grind(4));
        }
        if rng.random_bool(0.5) {
            steps.push(Step::Sample(integers(native.sample())));
        } else {
            let pair: [EF4; 2] = [native.sample(), native.sample()];
            let [first, second] = pair.map(integers);
            steps.push(Step::Pair(first, second));
        }
    }
    native.observe(F::ONE);
    steps.push(Step::Observe(1));
    for _ in 0..11 {
        steps.push(Step::Word(native.sample_bits(20) as u32));
    }
    (Messages(messages), steps)
}

/// Replays the sequence with the gadget and compares its samples. `begin` gives the gadget its round
/// constants, if it needs any.
fn replay<H: Hash, C: Challenger>(begin: fn(), steps: &[Step]) {
    quartic();
    begin();
    let mut t = C::new();
    for step in steps {
        match step {
            Step::Observe(x) => t.observe(Felt::new(*x)),
            Step::Integer(x) => observe_integer(&mut t, *x),
            Step::Element(x) => observe_ext(&mut t, ext(*x)),
            Step::Digest => {
                let digest = hint_slice(H::DIGEST_BLOCKS).any();
                t.observe_digests(digest, 1);
            }
            Step::Read(values) => {
                // As the verifier over FRI reads opened values.
                let (at, lanes) = (t.position(), Ext::degree() * values.len());
                t.advise_slice(lanes);
                let slice = hint_slice(blocks_for::<H>(at, lanes)).any();
                t.observe_slice(slice, lanes);
                let expected: Vec<_> = values.iter().copied().map(ext).collect();
                assert_eq!(unpack_all::<H>(slice, at, values.len()), expected);
            }
            Step::Sample(x) => assert_eq!(t.sample(), ext(*x)),
            Step::Pair(x, y) => assert_eq!(t.sample_pair(), (ext(*x), ext(*y))),
            Step::Grind(bits) => t.grind(*bits),
            Step::Word(expected) => {
                let word = t.sample_word();
                assert_eq!(C::bits(word).part(0, 20), Felt::new(*expected));
            }
        }
    }
}

/// Checks that samples of the gadget are those of the native challenger, in random sequences.
pub(super) fn agrees<N, H: Hash, C: Challenger>(
    native: &N,
    digest: fn(&mut N, &mut SmallRng) -> Vec<F>,
    begin: fn(),
) where
    N: FieldChallenger<F> + CanSample<EF4> + GrindingChallenger<Witness = F> + Clone,
{
    for seed in 0..60 {
        let (messages, steps) = sequence(native.clone(), digest, seed);
        let program = || replay::<H, C>(begin, &steps);
        let tape = messages.record(program);
        run_native(&tape, &[], program).unwrap();
    }
}

/// There are no constants to give.
fn nothing() {}

/// Observes a digest of eight elements.
pub(super) fn elements<N: CanObserve<F>>(native: &mut N, rng: &mut SmallRng) -> Vec<F> {
    let digest: Vec<F> = (0..8).map(|_| rng.random()).collect();
    native.observe_slice(&digest);
    digest
}

type ByteTranscript<B> = SerializingChallenger32<F, HashChallenger<u8, B, 32>>;

/// Observes a digest of 32 bytes.
fn bytes<B>(native: &mut ByteTranscript<B>, rng: &mut SmallRng) -> Vec<F>
where
    B: CryptographicHasher<u8, [u8; 32]>,
{
    let digest: [u8; 32] = std::array::from_fn(|_| rng.random_range(0..=255));
    native.observe(MerkleCap::<F, [u8; 32]>::new(vec![digest]));
    digest_to_limbs(digest).concat()
}

/// Observes a digest of four words of 64 bits, as trees of [`KeccakSponge`] have.
fn words(native: &mut ByteTranscript<Keccak256Hash>, rng: &mut SmallRng) -> Vec<F> {
    let digest: [u64; 4] = std::array::from_fn(|_| rng.random());
    native.observe(MerkleCap::<F, [u64; 4]>::new(vec![digest]));
    limbs_of(digest).concat()
}

#[test]
fn poseidon16_agrees() {
    let native = Poseidon16Suite::challenger();
    agrees::<_, Poseidon16, Poseidon16Challenger>(&native, elements, nothing);
}

type Poseidon2Transcript = DuplexChallenger<F, Poseidon2KoalaBear<24>, 24, 16>;

#[test]
fn poseidon2_agrees() {
    let native = Poseidon2Transcript::new(default_koalabear_poseidon2_24());
    agrees::<_, Poseidon2, Poseidon2Challenger>(&native, elements, nothing);
}

#[test]
fn blake3_agrees() {
    let native = ByteTranscript::from_hasher(Vec::new(), p3_blake3::Blake3);
    agrees::<_, Blake3, Blake3Challenger>(&native, bytes, nothing);
}

#[test]
fn keccak_agrees() {
    let native = ByteTranscript::from_hasher(Vec::new(), Keccak256Hash);
    agrees::<_, Keccak, KeccakChallenger>(&native, bytes, nothing);
    agrees::<_, KeccakSponge, KeccakChallenger>(&native, words, nothing);
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
pub(super) use program;

/// A program for both ways.
pub(super) struct Program {
    pub(super) main: fn(),
    compiled: Compiled,
}

impl Program {
    pub(super) fn new(source: &str, main: fn()) -> Self {
        let compiled = compile(source, SOURCES).unwrap();
        Self { main, compiled }
    }

    /// Runs the program both ways, and returns the statement unless both fail.
    pub(super) fn run(&self, tape: &NativeTape) -> Option<[u32; 8]> {
        let native = run_native(tape, &[], self.main);
        let machine = execute(&self.compiled, &[], &machine_tape(tape), 1 << 18);
        match (native, machine) {
            (Ok(statement), Ok(execution)) => {
                let machine = execution.statement.map(|lane| lane.as_canonical_u32());
                assert_eq!(statement, machine);
                Some(statement)
            }
            (Err(_), Err(_)) => None,
            runs => panic!("{runs:?}"),
        }
    }
}

program!(sampled_by_keccak {
    use droste_gadgets::suites::keccak::KeccakChallenger;
    use droste_gadgets::suites::hash::Challenger;
    use droste_gadgets::prelude::*;

    pub fn main() {
        quartic();
        let mut t = KeccakChallenger::new();
        t.observe(hint_felt().any());
        let (x, y) = t.sample_pair();
        t.observe(Felt::ONE);
        let z = t.sample();
        let sum = x * y + z.inverse();
        for i in 0..Ext::degree() {
            reveal(sum.coeff(i));
        }
        for i in 0..Ext::degree() {
            reveal(z.coeff(i));
        }
    }
});

program!(sampled_by_poseidon2 {
    use droste_gadgets::suites::poseidon2::Poseidon2Challenger;
    use droste_gadgets::suites::hash::Challenger;
    use droste_gadgets::prelude::*;

    pub fn main() {
        quartic();
        let mut t = Poseidon2Challenger::new();
        t.observe(hint_felt().any());
        let (x, y) = t.sample_pair();
        t.observe(Felt::ONE);
        let z = t.sample();
        let sum = x * y + z.inverse();
        for i in 0..Ext::degree() {
            reveal(sum.coeff(i));
        }
        for i in 0..Ext::degree() {
            reveal(z.coeff(i));
        }
    }
});

/// The statement of both programs, by the native challenger.
pub(super) fn expected(mut native: impl CanObserve<F> + CanSample<EF4>, observed: F) -> [u32; 8] {
    native.observe(observed);
    let (x, y) = (native.sample(), native.sample());
    native.observe(F::ONE);
    let z = native.sample();
    let [sum, z] = [x * y + z.inverse(), z].map(integers);
    [sum, z].concat().try_into().unwrap()
}

/// Whether one of the eight integers that a digest has is not below the modulus.
fn has_large_integer(digest: [u8; 32]) -> bool {
    let (words, _) = digest.as_chunks::<4>();
    let mut integers = words
        .iter()
        .map(|&word| u32::from_be_bytes(word) & 0x7fff_ffff);
    integers.any(|integer| integer >= MODULUS)
}

/// A pair takes the eight integers of one digest, or some of the next one if not all are below the
/// modulus. What is hashed next depends on it. No hint but the observed element can be another.
#[test]
fn pairs_from_one_digest_and_from_two_are_plonky3s() {
    let program = Program::new(sampled_by_keccak::SOURCE, sampled_by_keccak::main);
    let native = ByteTranscript::from_hasher(Vec::new(), Keccak256Hash);
    let mut large = 0;
    for observed in (0..100).map(F::from_u32) {
        let word = observed.to_unique_u32().to_le_bytes();
        let from_two = has_large_integer(Keccak256Hash.hash_iter(word));
        large += usize::from(from_two);
        let tape = Messages::of([vec![observed]]).record(program.main);
        let statement = program.run(&tape);
        assert_eq!(statement, Some(expected(native.clone(), observed)));
        // The hints of one run of each kind are changed.
        let changes = if from_two {
            large
        } else {
            1 + observed.as_canonical_u32() as usize
        };
        if changes > 1 {
            continue;
        }
        for index in 1..tape.hints.len() {
            let mut changed = tape.clone();
            match &mut changed.hints[index] {
                Hint::Felt(bit) => *bit = F::ONE - *bit,
                Hint::Slice(blocks) => blocks[0][0] = blocks[0][0].map(|lane| lane + F::ONE),
                Hint::Ext(_) => panic!("the program reads no extension element"),
            }
            assert_eq!(program.run(&changed), None, "{observed}: hint {index}");
        }
    }
    assert!((1..100).contains(&large));
}

#[test]
fn samples_of_poseidon2_are_plonky3s() {
    let program = Program::new(sampled_by_poseidon2::SOURCE, sampled_by_poseidon2::main);
    for observed in (0..4).map(F::from_u32) {
        let native = Poseidon2Transcript::new(default_koalabear_poseidon2_24());
        let tape = Messages::of([vec![observed]]).record(program.main);
        let statement = program.run(&tape);
        assert_eq!(statement, Some(expected(native, observed)));
    }
}

/// The sponge of most of Plonky3's proofs in Keccak.
const SPONGE: PaddingFreeSponge<KeccakF, 25, 17, 4> = PaddingFreeSponge::new(KeccakF);

fn sponge_leaf(row: &[F]) -> [u64; 4] {
    SerializingHasher::new(SPONGE).hash_iter(row.iter().copied())
}

fn sponge_parent(children: [[u64; 4]; 2]) -> [u64; 4] {
    CompressionFunctionFromHasher::<_, 2, 4>::new(SPONGE).compress(children)
}

fn limbs_of(digest: [u64; 4]) -> ByteDigest {
    let bytes = digest.map(u64::to_le_bytes).concat();
    digest_to_limbs(bytes.try_into().unwrap())
}

/// Fails unless a digest is this one.
fn assert_is(digest: Slice, expected: [u64; 4]) {
    let blocks = limbs_of(expected).map(|block| Block::new(block.map(Felt::from)));
    KeccakSponge::assert_same(digest, Slice::from_blocks(blocks));
}

#[test]
fn leaves_and_parents_of_the_sponge_are_plonky3s() {
    let mut rng = SmallRng::seed_from_u64(1);
    for n in 1..=140 {
        let row: Vec<F> = (0..n).map(|_| rng.random()).collect();
        let leaf = sponge_leaf(&row);
        let parent = sponge_parent([leaf, [1, 2, 3, 4]]);
        let program = move || {
            let leaf_digest = KeccakSponge::leaf(hint_row::<KeccakSponge>(n).any(), n);
            assert_is(leaf_digest, leaf);
            let blocks = limbs_of([1, 2, 3, 4]).map(|block| Block::new(block.map(Felt::from)));
            let other = Slice::from_blocks(blocks);
            assert_is(KeccakSponge::parent(leaf_digest, other), parent);
        };
        let tape = Messages::of([row]).record(program);
        run_native(&tape, &[], program).unwrap();
    }
}

// The row has two blocks of the rate, and its last word fills half of a lane.
program!(opened {
    use droste_gadgets::suites::keccak_sponge::KeccakSponge;
    use droste_gadgets::suites::hash::Hash;
    use droste_gadgets::packing::hint_row;
    use droste_gadgets::prelude::*;

    pub const WIDTH: usize = 37;

    pub fn main() {
        let leaf = KeccakSponge::leaf(hint_row::<KeccakSponge>(WIDTH).any(), WIDTH);
        let sibling = KeccakSponge::leaf(hint_row::<KeccakSponge>(1).any(), 1);
        let node = KeccakSponge::parent(leaf, sibling);
        let index = hint_felt().any();
        let root = KeccakSponge::path(node, index, hint_slice(6).any(), 3);
        for lane in 0..8 {
            reveal(root.block(0).lane(lane));
        }
    }
});

#[test]
fn paths_of_the_sponge_are_plonky3s() {
    let program = Program::new(opened::SOURCE, opened::main);
    let mut rng = SmallRng::seed_from_u64(2);
    let row: Vec<F> = (0..opened::WIDTH).map(|_| rng.random()).collect();
    let siblings: [[u64; 4]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| rng.random()));
    for index in 0..8 {
        let mut node = sponge_parent([sponge_leaf(&row), sponge_leaf(&[F::TWO])]);
        for (level, &sibling) in siblings.iter().enumerate() {
            let is_right = index >> level & 1 == 1;
            node = sponge_parent(if is_right {
                [sibling, node]
            } else {
                [node, sibling]
            });
        }
        let path = siblings.map(limbs_of).concat().concat();
        let messages = [row.clone(), vec![F::TWO], vec![F::from_u32(index)], path];
        let tape = Messages::of(messages).record(program.main);
        let statement = program.run(&tape);
        let [root, _] = limbs_of(node);
        assert_eq!(statement, Some(root.map(|limb| limb.as_canonical_u32())));
    }
}

/// Elements packed without gaps, in hashes with runs of eight and of 34 elements.
fn unpacks<H: Hash>() {
    let mut rng = SmallRng::seed_from_u64(3);
    for at in 0..H::RUN {
        for n in [1, 2, 7, 20] {
            let values: Vec<EF4> = (0..n).map(|_| rng.random()).collect();
            run_native(&NativeTape::default(), &[], || {
                quartic();
                let mut blocks = vec![[Felt::ZERO; 8]; blocks_for::<H>(at, 4 * n)];
                for (i, value) in values.iter().enumerate() {
                    let coefficients: &[F] = value.as_basis_coefficients_slice();
                    for (j, &coefficient) in coefficients.iter().enumerate() {
                        let place = at + 4 * i + j;
                        let (run, lane) = (place / H::RUN, place % H::RUN);
                        let block = &mut blocks[run * H::RUN_BLOCKS + lane / 8];
                        block[lane % 8] = coefficient.into();
                    }
                }
                let blocks: Vec<_> = blocks.into_iter().map(Block::new).collect();
                let unpacked = unpack_all::<H>(Slice::from_blocks(blocks), at, n);
                let unpacked: Vec<_> = unpacked.into_iter().map(EF4::from).collect();
                assert_eq!(unpacked, values);
            })
            .unwrap();
        }
    }
}

#[test]
fn packed_elements_have_four_lanes() {
    unpacks::<Poseidon16>();
    unpacks::<KeccakSponge>();
}

#[test]
fn polynomials_and_coefficients_are_those_of_the_field() {
    let mut rng = SmallRng::seed_from_u64(4);
    for n in [1, 2, 8, 16, 64] {
        let coefficients: Vec<EF4> = (0..n).map(|_| rng.random()).collect();
        let point: F = rng.random();
        let horner = |sum: EF4, &coefficient: &EF4| sum * point + coefficient;
        let value = coefficients.iter().rev().fold(EF4::ZERO, horner);
        run_native(&NativeTape::default(), &[], || {
            quartic();
            let coefficients = coefficients.iter().copied().map(Ext::from).collect();
            let polynomial = Polynomial::new(coefficients).pin();
            assert_eq!(polynomial.evaluate(Felt::from(point)), Ext::from(value));
        })
        .unwrap();
    }
    let values: [EF4; 4] = std::array::from_fn(|_| rng.random());
    let basis = |i: usize| EF4::from_basis_coefficients_fn(|j| F::from_bool(i == j));
    let sum: EF4 = (0..4).map(|i| values[i] * basis(i)).sum();
    run_native(&NativeTape::default(), &[], || {
        quartic();
        assert_eq!(recompose(&values.map(Ext::from)), Ext::from(sum));
    })
    .unwrap();
}
