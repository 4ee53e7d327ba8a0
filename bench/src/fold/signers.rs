//! The example `signers`: the union of two large sets, in one node.

use droste_gadgets::signers::{SIGNERS_TAG, WORD_BITS, blocks_for};
use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16;
use droste_verifier::fold::{Child, Counters, Fold, FoldError, PaperChild, Source};
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};

use super::{Arguments, Lanes, Result, counts, example, numbers, tape};
use crate::paths::replaced;

/// Keys of the registry.
pub const KEYS: usize = 2_048;

/// Keys of a registry, as bits.
pub type Set = [Lanes; blocks_for(KEYS)];

/// The keys that have signed.
pub fn set(signed: impl Fn(usize) -> bool) -> Set {
    let mut words = [0_u32; 8 * blocks_for(KEYS)];
    for key in (0..KEYS).filter(|&key| signed(key)) {
        words[key / WORD_BITS] |= 1 << (key % WORD_BITS);
    }
    let mut set = [[F::ZERO; 8]; blocks_for(KEYS)];
    for (lane, word) in set.as_flattened_mut().iter_mut().zip(words) {
        *lane = F::from_u32(word);
    }
    set
}

/// What a batch by these signers says.
pub fn said(signed: impl Fn(usize) -> bool) -> [Lanes; 5] {
    let count = (0..KEYS).filter(|&key| signed(key)).count();
    let signers = Poseidon16.hash(F::new(SIGNERS_TAG), set(signed).as_flattened());
    let (slot, message, registry) = (numbers([7, 3]), [F::ONE; 8], [F::TWO; 8]);
    [slot, message, registry, signers, numbers([count as u32])]
}

/// The rules `batch` and `unite`, except that what a batch says is believed: a proof of two
/// thousand signatures would take minutes, and changes nothing for `unite`.
fn believed() -> Result<Source> {
    let whole = example("signers")?;
    let rules = whole.text().split_once("/// Two batches in one step.");
    let (text, _) = rules.ok_or("`pair` is not the third rule")?;
    let text = replaced(text, "batch(leaf: &Leaf<0>)", "batch()")?;
    let check = "assert_eq!(statement, leaf.statement, \"the batch says something else\");";
    Ok(Source::new("signers", replaced(&text, check, "")?)?)
}

/// Unites two sets in one node, if the shape of joins has room for it.
pub fn union(arguments: &Arguments) -> Result<Value> {
    let (on_left, on_right) = (
        |key: usize| !key.is_multiple_of(3),
        |key: usize| !key.is_multiple_of(5),
    );
    let (left, right) = (said(on_left), said(on_right));
    let union = said(|key| on_left(key) || on_right(key));
    let common = set(|key| on_left(key) && on_right(key));
    let hints = tape(&[&set(on_left), &set(on_right), &common]);

    let source = believed()?;
    let paper = Fold::of(source.clone(), arguments.preset).paper()?;
    let children = [left, right].map(|said| PaperChild::Node {
        counters: Counters::START,
        state: said.to_vec(),
    });
    let run = paper.run("unite", &children, &hints)?;
    let [cycles, permutations] = counts(&run.execution);

    let prove = || -> std::result::Result<_, FoldError> {
        let fold = Fold::of(source, arguments.preset).build()?;
        let batch = |said: &[Lanes]| fold.prove("batch", &[], &tape(&[said]));
        let (left, right) = (batch(&left)?, batch(&right)?);
        fold.prove("unite", &[Child::Node(&left), Child::Node(&right)], &hints)
    };
    let as_joins = match prove() {
        Ok(node) if node.state() == union => true,
        Ok(_) => return Err("the union is another one".into()),
        Err(FoldError::Room { .. }) => false,
        Err(error) => return Err(error.into()),
    };
    Ok(json!({
        "what": "union",
        "preset": arguments.preset.name(),
        "keys": KEYS,
        "cycles": cycles,
        "permutations": permutations,
        "as_joins": as_joins,
    }))
}
