//! The examples `chain` and `repeat`: deriving a fold key, its bits, and files of chains.

use std::sync::Arc;

use droste_verifier::aggregate::VerifiedProof;
use droste_verifier::file::fold::{decode, encode};
use droste_verifier::fold::{
    Child, Family, Fold, FoldVerifier, LeafKind, LeafProgram, Options, Source,
};
use droste_verifier::keys::TreeBits;
use droste_vm::executor::Tape;
use serde_json::{Value, json};

use super::{Arguments, Result, example, figure, numbers, tape};
use crate::race::race;
use crate::recursion::leaf;

/// Times that a file is verified in a round, by each kind of verifier.
const VERIFIED: usize = 8;

/// Blocks of a rollup whose bits are counted. For each there are a leaf, its last wrap and two
/// nodes, so 2^20 proofs.
const BLOCKS: usize = 1 << 18;

/// Derives the key of the rules `block`, `merge` and `pair`, and counts the bits of many proofs.
pub fn key(arguments: &Arguments) -> Result<Vec<Value>> {
    let whole = example("chain")?;
    let (text, _) =
        (whole.text().split_once("/// One block more.")).ok_or("`append` is not last")?;
    let source = Source::new("chain", text)?;
    // Keys depend on the program, but take as long for any.
    let (program, proof) = leaf(arguments.preset);
    let sample = Fold::of(source.clone(), arguments.preset).aggregator()?;
    let sample = sample.wrap(&VerifiedProof::under_its_own_key(proof)?)?;
    let kind = LeafKind::of_program("factorial", &program, &sample)?;
    // Neither has a key that was derived before, nor a circuit.
    let derive = || {
        let builder = Fold::of(source.clone(), arguments.preset);
        builder.with_leaf(kind.clone()).build()
    };
    let fold = derive()?;
    let from_recipe = || {
        let leaves = [LeafProgram::Program(&program.program)];
        let recipe = fold.recipe().clone();
        Fold::from_recipe(source.clone(), &leaves, vec![], recipe, Arc::default())
    };
    let times = race(
        arguments.rounds,
        1,
        &mut [
            &mut || drop(derive().expect("the key is derived")),
            &mut || drop(from_recipe().expect("the key is that of the recipe")),
        ],
    );
    let [rules, all] = times.as_slice() else {
        return Err("there are no times".into());
    };
    let derived = json!({
        "what": "key",
        "preset": arguments.preset.name(),
        "rules": fold.family().keys.len(),
        "rules_ms": figure(rules.milliseconds()),
        "with_wraps_ms": figure(all.milliseconds()),
    });
    Ok(vec![derived, bits(fold.family())])
}

/// The bits of a rollup of so many blocks, by its counters.
fn bits(family: &Family) -> Value {
    let mut bits = TreeBits::default();
    bits.add(family.bits.into(), 3 * BLOCKS);
    bits.add(family.bits_behind.into(), BLOCKS);
    json!({
        "what": "bits",
        "proofs": bits.proofs(),
        "bits": family.bits,
        "bits_behind": family.bits_behind,
        "tree_bits": bits.union(),
    })
}

/// Makes a chain, and verifies what it has become after so many steps, in turns: by a verifier that
/// is made for it, and by one that has verified others.
pub fn chain(arguments: &Arguments) -> Result<Vec<Value>> {
    let fold = Fold::of(example("repeat")?, arguments.preset).build()?;
    let first = tape(&[&[numbers([1, 2, 3])]]);
    let mut last = fold.prove("start", &[], &first)?;
    let mut files = vec![];
    for step in 1..=arguments.steps.iter().copied().max().unwrap_or(0) {
        last = fold.prove("step", &[Child::Node(&last)], &Tape::default())?;
        if arguments.steps.contains(&step) {
            let expected = Options::min_bits(0).with_state(last.state().to_vec());
            files.push(ChainFile {
                steps: step,
                bytes: encode(&last)?,
                expected,
            });
        }
    }
    let key = fold.key();
    // One verifier for each file, as the command has, and one for all files.
    let kept = FoldVerifier::new(key);
    files.iter().for_each(|file| verify(&kept, file));
    let mut alone: Vec<_> = files
        .iter()
        .map(|file| move || verify(&FoldVerifier::new(key), file))
        .collect();
    let kept = &kept;
    let mut again: Vec<_> = files
        .iter()
        .map(|file| move || verify(kept, file))
        .collect();
    let mut all: Vec<&mut dyn FnMut()> = vec![];
    for (alone, again) in alone.iter_mut().zip(&mut again) {
        all.push(alone);
        all.push(again);
    }
    let times = race(arguments.rounds, VERIFIED, &mut all);
    let rows = files.iter().zip(times.chunks(2)).map(|(file, times)| {
        json!({
            "what": "chain",
            "preset": arguments.preset.name(),
            "steps": file.steps,
            "file_bytes": file.bytes.len(),
            "verify_ms": times.first().map(|times| figure(times.milliseconds())),
            "again_ms": times.last().map(|times| figure(times.milliseconds())),
        })
    });
    Ok(rows.collect())
}

/// A chain's file after so many steps.
struct ChainFile {
    steps: usize,
    bytes: Vec<u8>,
    expected: Options,
}

/// Reads a file and verifies it.
fn verify(verifier: &FoldVerifier, file: &ChainFile) {
    let read = decode(&file.bytes).expect("the file is that of a fold");
    let folded = verifier.verify(read, &file.expected);
    drop(folded.expect("the fold is valid"));
}
