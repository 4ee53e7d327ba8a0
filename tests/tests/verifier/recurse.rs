//! Programs are proved, and their proofs wrapped, wrapped again and joined.

use std::sync::Arc;
use std::time::Instant;

use droste_native::{
    Blake3Suite, F, FriSettings, HashSuite, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
};
use droste_verifier::circuit::{CircuitError, ProgramCircuit};
use droste_verifier::claim::{ClaimError, claim_digest, claim_tree};
use droste_verifier::keys::{Deriver, Recipe};
use droste_verifier::tape::TapeSuite;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::key::ProvingKey;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveOptions, prove};
use droste_vm::verifier::{Verifier, VerifyError, VerifyOptions, verify};
use p3_field::PrimeCharacteristicRing;

type R = Poseidon16Suite;

/// Options with toy settings.
fn options(heights: Heights) -> ProveOptions {
    ProveOptions {
        settings: FriSettings {
            num_queries: 3,
            query_grinding_bits: 2,
            cap_height: 1,
            ..FriSettings::toy()
        },
        heights,
    }
}

fn factorial<H: HashSuite>(n: u32) -> Proof<H>
where
    StandardTables: Provable<H>,
{
    let compiled = compile(droste_programs::source("factorial").unwrap(), &[]).unwrap();
    let execution = execute(&compiled, &[F::from_u32(n)], &Tape::default(), 1 << 16).unwrap();
    prove::<H>(&compiled.program, &execution, &options(Heights::Minimal)).unwrap()
}

fn recursion<H: TapeSuite>(proof: &Proof<H>, children: usize) -> ProgramCircuit<H>
where
    StandardTables: Provable<H>,
{
    let verifier = Verifier::<H, StandardTables>::new(proof.key.clone()).unwrap();
    let start = Instant::now();
    let recursion = ProgramCircuit::new(&verifier, &proof.batch.degree_bits, children).unwrap();
    println!(
        "compiled in {:?}: {} instructions",
        start.elapsed(),
        recursion.compiled().program.instructions.len()
    );
    recursion
}

fn step<H: TapeSuite>(
    recursion: &ProgramCircuit<H>,
    children: &[&Proof<H>],
    heights: Heights,
) -> Proof<R>
where
    StandardTables: Provable<H>,
{
    let execution = recursion.execute(children).unwrap();
    println!("{} cycles", execution.cycles.len());
    let start = Instant::now();
    let proof = recursion
        .prove::<StandardTables>(children, &options(heights))
        .unwrap();
    println!(
        "proved in {:?}: {:?}",
        start.elapsed(),
        proof.batch.degree_bits
    );
    let start = Instant::now();
    verify::<R, StandardTables>(
        &proof.key,
        &proof.statement,
        VerifyOptions::min_bits(0),
        &proof,
    )
    .unwrap();
    println!("verified in {:?}", start.elapsed());
    proof
}

#[test]
fn poseidon16_is_wrapped_and_joined() {
    let leaves = [factorial::<R>(5), factorial::<R>(5)];
    println!(
        "leaf: {:?} {:?}",
        leaves[0].key.tables, leaves[0].batch.degree_bits
    );
    let wrap_program = recursion(&leaves[0], 1);
    let wraps: Vec<Proof<R>> = leaves
        .iter()
        .map(|leaf| step(&wrap_program, &[leaf], Heights::Minimal))
        .collect();
    // The program is committed to once for both runs.
    let key = |heights: &Heights| {
        let settings = options(heights.clone()).settings;
        wrap_program.key(settings, heights).unwrap()
    };
    let minimal = key(&Heights::Minimal);
    assert_eq!(minimal.digest(), wraps[0].key.digest());
    assert!(Arc::ptr_eq(&minimal, &key(&Heights::Minimal)));
    assert_ne!(minimal.digest(), key(&Heights::Uniform(15)).digest());
    let expected = claim_digest(&[(leaves[0].key.digest(), leaves[0].statement)]);
    assert_eq!(wraps[0].statement, expected);

    let program = recursion(&wraps[0], 2);
    let joined = step(&program, &[&wraps[0], &wraps[1]], Heights::Minimal);
    let trees = leaves
        .iter()
        .zip(&wraps)
        .map(|(leaf, wrap)| claim_tree(wrap, vec![claim_tree(leaf, vec![])]))
        .collect();
    let tree = claim_tree(&joined, trees);
    let (leaf, wrap, join) = (
        leaves[0].key.digest(),
        wraps[0].key.digest(),
        joined.key.digest(),
    );
    assert_eq!(tree.claim.statement(), joined.statement);
    assert_eq!(tree.leaves()[1], (leaf, leaves[1].statement));
    // Generating the programs again gives the same keys.
    let recipes = [&wrap_program, &program].map(|recursion| Recipe {
        children: recursion.children().clone(),
        settings: options(Heights::Minimal).settings.into(),
        heights: Heights::Minimal,
    });
    let deriver = Deriver::new();
    let keys = deriver.keys(&recipes).unwrap();
    let bits = tree.check(&keys, 0).unwrap();
    let least = wrap_program.bits().min(program.bits());
    assert_eq!((bits.least(), bits.proofs()), (Some(least), 4));
    assert_eq!(keys.bits(wrap), Some(wrap_program.bits()));
    let keys = deriver.keys(&recipes[1..]).unwrap();
    assert_eq!(keys.bits(join), Some(program.bits()));
    assert_eq!(tree.check(&keys, 0), Err(ClaimError::Recursion(wrap)));
}

/// Heights that no proof of the key has are refused before anything is computed from them.
#[test]
fn heights_are_held_against_the_key() {
    let leaf = factorial::<R>(5);
    let verifier = Verifier::<R, StandardTables>::new(leaf.key.clone()).unwrap();
    let honest = &leaf.batch.degree_bits;
    ProgramCircuit::new(&verifier, honest, 1).unwrap();
    let program = verifier.machine().program_index();
    let with = |table: usize, log_height: usize| {
        let mut heights = honest.clone();
        heights[table] = log_height;
        heights
    };
    for heights in [
        vec![],
        honest[1..].to_vec(),
        [&honest[..], &[6]].concat(),
        with(program, honest[program] + 1),
        with(0, 60),
        with(0, usize::MAX),
    ] {
        let error = ProgramCircuit::new(&verifier, &heights, 1).unwrap_err();
        let heights_are_wrong = matches!(error, CircuitError::Heights(VerifyError::Heights { .. }));
        assert!(heights_are_wrong, "{heights:?}: {error}");
    }
    // The same holds for a key that fixes its heights.
    let compiled = compile(droste_programs::source("factorial").unwrap(), &[]).unwrap();
    let fixed = options(Heights::Uniform(7));
    let key =
        ProvingKey::<R, StandardTables>::new(&compiled.program, fixed.settings, fixed.heights);
    let verifier = Verifier::<R, StandardTables>::new(key.unwrap().key().clone()).unwrap();
    let mut heights = vec![7; verifier.machine().tables().len()];
    ProgramCircuit::new(&verifier, &heights, 1).unwrap();
    heights[0] = 8;
    let error = ProgramCircuit::new(&verifier, &heights, 1).unwrap_err();
    assert!(matches!(error, CircuitError::Heights(_)), "{error}");
}

/// Wraps a leaf in a byte hash, on R extended by that hash's tables. Returns leaf and wrap.
fn is_wrapped<H: TapeSuite>() -> (Proof<H>, Proof<R>)
where
    StandardTables: Provable<H>,
{
    let leaf = factorial::<H>(5);
    let wrap = step(&recursion(&leaf, 1), &[&leaf], Heights::Minimal);
    println!("{:?}", wrap.key.tables);
    let expected = claim_digest(&[(leaf.key.digest(), leaf.statement)]);
    assert_eq!(wrap.statement, expected);
    (leaf, wrap)
}

/// Wraps such a wrap again, on R alone.
fn is_brought_to_r<H: TapeSuite>()
where
    StandardTables: Provable<H>,
{
    let (leaf, wrap) = is_wrapped::<H>();
    let canonical = step::<R>(&recursion::<R>(&wrap, 1), &[&wrap], Heights::Minimal);
    assert_eq!(
        canonical.key.tables,
        ["cpu", "ext", "poseidon16", "program", "words", "blocks"]
    );
    let tree = claim_tree(
        &canonical,
        vec![claim_tree(&wrap, vec![claim_tree(&leaf, vec![])])],
    );
    assert_eq!(tree.claim.statement(), canonical.statement);
}

#[test]
fn poseidon2_is_wrapped() {
    is_wrapped::<Poseidon2Suite>();
}

#[test]
fn blake3_is_wrapped() {
    is_wrapped::<Blake3Suite>();
}

#[test]
fn keccak_is_wrapped() {
    is_wrapped::<KeccakSuite>();
}

#[test]
#[ignore = "half a minute each: cargo test -p droste-tests --test verifier recurse:: -- --ignored"]
fn poseidon2_is_brought_to_r() {
    is_brought_to_r::<Poseidon2Suite>();
}

#[test]
#[ignore = "half a minute each: cargo test -p droste-tests --test verifier recurse:: -- --ignored"]
fn blake3_is_brought_to_r() {
    is_brought_to_r::<Blake3Suite>();
}

#[test]
#[ignore = "half a minute each: cargo test -p droste-tests --test verifier recurse:: -- --ignored"]
fn keccak_is_brought_to_r() {
    is_brought_to_r::<KeccakSuite>();
}
