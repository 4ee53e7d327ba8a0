//! Poseidon2 with random round constants, natively and in the machine: transcripts, leaves, parents
//! and paths are those of Plonky3's types with the same constants.

use droste_gadgets::packing::hint_row;
use droste_gadgets::prelude::*;
use droste_gadgets::suites::hash::Hash;
use droste_gadgets::suites::poseidon2_16::{self, Poseidon2Narrow, Poseidon2NarrowChallenger};
use droste_gadgets::suites::poseidon2_24::{self, Poseidon2Wide, Poseidon2WideChallenger};
use droste_gadgets::{SOURCES, run_native};
use droste_native::F;
use droste_native::hash::poseidon2::Constants;
use droste_vm::compiler::compile;
use p3_challenger::DuplexChallenger;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_koala_bear::Poseidon2KoalaBear;
use p3_symmetric::{
    CryptographicHasher, PaddingFreeSponge, PseudoCompressionFunction, TruncatedPermutation,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::quartic::{Messages, Program, agrees, elements, expected};

/// Seed of the constants of width 16, and of those of width 24.
const SEEDS: [u64; 2] = [11, 12];

fn narrow() -> Poseidon2KoalaBear<16> {
    Poseidon2KoalaBear::new_from_rng_128(&mut SmallRng::seed_from_u64(SEEDS[0]))
}

fn wide() -> Poseidon2KoalaBear<24> {
    Poseidon2KoalaBear::new_from_rng_128(&mut SmallRng::seed_from_u64(SEEDS[1]))
}

fn integers(blocks: Vec<[F; 8]>) -> Vec<[u32; 8]> {
    let integers = |block: [F; 8]| block.map(|lane| lane.as_canonical_u32());
    blocks.into_iter().map(integers).collect()
}

fn narrow_constants() -> Vec<[u32; 8]> {
    let mut rng = SmallRng::seed_from_u64(SEEDS[0]);
    integers(Constants::<16>::drawn(|| rng.random()).blocks())
}

/// Those of width 24, then those of width 16.
fn wide_constants() -> Vec<[u32; 8]> {
    let mut rng = SmallRng::seed_from_u64(SEEDS[1]);
    let wide = integers(Constants::<24>::drawn(|| rng.random()).blocks());
    [wide, narrow_constants()].concat()
}

fn set_narrow() {
    poseidon2_16::set_constants(&narrow_constants());
}

fn set_wide() {
    poseidon2_24::set_constants(&wide_constants());
}

type NarrowTranscript = DuplexChallenger<F, Poseidon2KoalaBear<16>, 16, 8>;
type WideTranscript = DuplexChallenger<F, Poseidon2KoalaBear<24>, 24, 16>;

#[test]
fn transcripts_of_width_16_are_plonky3s() {
    let native = NarrowTranscript::new(narrow());
    agrees::<_, Poseidon2Narrow, Poseidon2NarrowChallenger>(&native, elements, set_narrow);
}

#[test]
fn transcripts_of_width_24_are_plonky3s() {
    let native = WideTranscript::new(wide());
    agrees::<_, Poseidon2Wide, Poseidon2WideChallenger>(&native, elements, set_wide);
}

fn parent(children: [[F; 8]; 2]) -> [F; 8] {
    TruncatedPermutation::<_, 2, 8, 16>::new(narrow()).compress(children)
}

fn narrow_leaf(row: &[F]) -> [F; 8] {
    PaddingFreeSponge::<_, 16, 8, 8>::new(narrow()).hash_slice(row)
}

fn wide_leaf(row: &[F]) -> [F; 8] {
    PaddingFreeSponge::<_, 24, 16, 8>::new(wide()).hash_slice(row)
}

/// Leaves of all widths up to some blocks of the rate, and parents.
fn leaves<H: Hash<Digest = Block>>(begin: fn(), leaf: fn(&[F]) -> [F; 8]) {
    let block = |lanes: [F; 8]| Block::new(lanes.map(Felt::from));
    let mut rng = SmallRng::seed_from_u64(1);
    for n in 1..=50 {
        let row: Vec<F> = (0..n).map(|_| rng.random()).collect();
        let (digest, other) = (leaf(&row), [F::TWO; 8]);
        let above = parent([digest, other]);
        let program = move || {
            begin();
            let hashed = H::leaf(hint_row::<H>(n).any(), n);
            assert_eq!(hashed, block(digest), "{n} elements");
            assert_eq!(H::parent(hashed, block(other)), block(above));
        };
        let tape = Messages::of([row]).record(program);
        run_native(&tape, &[], program).unwrap();
    }
}

#[test]
fn leaves_and_parents_are_plonky3s() {
    leaves::<Poseidon2Narrow>(set_narrow, narrow_leaf);
    leaves::<Poseidon2Wide>(set_wide, wide_leaf);
}

/// Declares a program as a module and as its text. It calls `constants`, which is a function of this
/// file natively, and of the text in the machine.
macro_rules! program {
    ($name:ident with $constants:ident { $($text:tt)* }) => {
        mod $name {
            use super::$constants as constants;

            pub fn source() -> String {
                format!(
                    "{}\nfn constants() -> Vec<[u32; 8]> {{ vec!{:?} }}\n",
                    stringify!($($text)*),
                    constants(),
                )
            }

            $($text)*
        }
    };
}

/// Declares [`program`]s of a sampled transcript and of an opened row, in a suite.
macro_rules! programs {
    ($sampled:ident, $opened:ident, $module:ident, $hash:ident, $challenger:ident, $constants:ident) => {
        program!($sampled with $constants {
            use droste_gadgets::suites::$module::{$challenger, set_constants};
            use droste_gadgets::suites::hash::Challenger;
            use droste_gadgets::prelude::*;

            pub fn main() {
                quartic();
                let blocks = constants();
                set_constants(&blocks);
                let mut t = $challenger::new();
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

        // Rows whose last block is partial: of several blocks of the rate, and of less than one.
        program!($opened with $constants {
            use droste_gadgets::suites::$module::{$hash, set_constants};
            use droste_gadgets::suites::hash::Hash;
            use droste_gadgets::packing::hint_row;
            use droste_gadgets::prelude::*;

            pub fn main() {
                let blocks = constants();
                set_constants(&blocks);
                let leaf = $hash::leaf(hint_row::<$hash>(37).any(), 37);
                let sibling = $hash::leaf(hint_row::<$hash>(3).any(), 3);
                let node = $hash::parent(leaf, sibling);
                let index = hint_felt().any();
                let root = $hash::path(node, index, hint_slice(3).any(), 3);
                for lane in 0..8 {
                    reveal(root.lane(lane));
                }
            }
        });
    };
}

programs!(
    sampled_narrow,
    opened_narrow,
    poseidon2_16,
    Poseidon2Narrow,
    Poseidon2NarrowChallenger,
    narrow_constants
);

programs!(
    sampled_wide,
    opened_wide,
    poseidon2_24,
    Poseidon2Wide,
    Poseidon2WideChallenger,
    wide_constants
);

#[test]
fn samples_are_plonky3s_in_the_machine() {
    let narrow_program = Program::new(&sampled_narrow::source(), sampled_narrow::main);
    let wide_program = Program::new(&sampled_wide::source(), sampled_wide::main);
    for observed in (0..4).map(F::from_u32) {
        let tape = Messages::of([vec![observed]]).record(narrow_program.main);
        let statement = narrow_program.run(&tape);
        let native = NarrowTranscript::new(narrow());
        assert_eq!(statement, Some(expected(native, observed)));
        let tape = Messages::of([vec![observed]]).record(wide_program.main);
        let statement = wide_program.run(&tape);
        let native = WideTranscript::new(wide());
        assert_eq!(statement, Some(expected(native, observed)));
    }
}

fn paths(program: &Program, leaf: fn(&[F]) -> [F; 8]) {
    let mut rng = SmallRng::seed_from_u64(2);
    let row: Vec<F> = (0..37).map(|_| rng.random()).collect();
    let short = vec![F::TWO; 3];
    let siblings: [[F; 8]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| rng.random()));
    for index in 0..8 {
        let mut node = parent([leaf(&row), leaf(&short)]);
        for (level, &sibling) in siblings.iter().enumerate() {
            let is_right = index >> level & 1 == 1;
            node = parent(if is_right {
                [sibling, node]
            } else {
                [node, sibling]
            });
        }
        let messages = [
            row.clone(),
            short.clone(),
            vec![F::from_u32(index)],
            siblings.concat(),
        ];
        let tape = Messages::of(messages).record(program.main);
        let root = node.map(|lane| lane.as_canonical_u32());
        assert_eq!(program.run(&tape), Some(root));
    }
}

#[test]
fn paths_are_plonky3s_in_the_machine() {
    let program = Program::new(&opened_narrow::source(), opened_narrow::main);
    paths(&program, narrow_leaf);
    let program = Program::new(&opened_wide::source(), opened_wide::main);
    paths(&program, wide_leaf);
}

/// Constants are given once, and before whatever needs them: another program does not compile, and
/// fails natively.
#[test]
fn constants_are_given_once_and_first() {
    let blocks = format!("vec!{:?}", narrow_constants());
    let program = |statements: &str| {
        format!(
            "use droste_gadgets::suites::poseidon2_16::set_constants;
            use droste_gadgets::prelude::*;

            pub fn main() {{
                let blocks = {blocks};
                {statements}
            }}"
        )
    };
    let hash =
        "let digest = poseidon2_16_compress(Block::ZERO, Block::ZERO); reveal(digest.lane(0));";
    fn compress() {
        reveal(poseidon2_16_compress(Block::ZERO, Block::ZERO).lane(0));
    }
    fn once() {
        set_narrow();
        compress();
    }
    fn twice() {
        set_narrow();
        set_narrow();
        compress();
    }
    fn late() {
        compress();
        set_narrow();
    }
    let tape = Messages::default().record(once);
    let set = "set_constants(&blocks);";
    let runs = [
        (format!("{set} {hash}"), once as fn(), true),
        (hash.to_owned(), compress, false),
        (format!("{set} {set} {hash}"), twice, false),
        (format!("{hash} {set}"), late, false),
    ];
    for (statements, main, accepted) in runs {
        let source = program(&statements);
        if accepted {
            assert!(Program::new(&source, main).run(&tape).is_some());
        } else {
            assert!(compile(&source, SOURCES).is_err(), "{statements}");
            assert!(run_native(&tape, &[], main).is_err(), "{statements}");
        }
    }
}
