//! Texts of rules.

use std::sync::Arc;

use droste_native::Poseidon16Suite;
use droste_native::stark::security::Preset;
use droste_vm::machine::StandardTables;

use super::*;
use crate::aggregate::Aggregator;
use crate::circuit::{Children, RecursionCircuit};

#[test]
fn texts_are_written_out() {
    let slots = [SlotText::Node, of_leaf(0, &SECOND)];
    let expected = "//! A rule of a fold.

use droste_gadgets::prelude::*;
use droste_gadgets::fold::{counted, family, leaf, node, paper_child, reveal_state};

/// Opens what every child says, and reveals what the rule `append` makes of it.
pub fn main() {
    let own = family(3);
    let mut children = Vec::new();
    for _i in 0..2 {
        children.push(paper_child());
    }
    let mut below = Vec::new();
    let (counters, slot0) = node::<rules::chain::Span, 3>(&own, &children[0]);
    below.push(counters);
    let slot1 = leaf::<0>(&children[1], &[[21, 21, 21, 21, 21, 21, 21, 21], [22, 22, 22, 22, 22, 22, 22, 22]]);
    let counters = counted(&below, 1, 1);
    let state = rules::chain::append(&slot0, &slot1);
    reveal_state::<rules::chain::Span>(&own, &counters, &state);
}
";
    assert_eq!(text("append", &slots, 1).paper(), expected);
    let expected = "//! A rule of a fold.

use droste_gadgets::prelude::*;
use droste_gadgets::fold::{counted, family, reveal_state};

/// Opens what every child says, and reveals what the rule `start` makes of it.
pub fn main() {
    let own = family(3);
    let below = Vec::new();
    let counters = counted(&below, 0, 0);
    let state = rules::chain::start();
    reveal_state::<rules::chain::Span>(&own, &counters, &state);
}
";
    assert_eq!(text("start", &[], 0).paper(), expected);
}

/// A rule verifies its children as a join does, and is otherwise as on paper.
#[test]
fn programs_verify_their_children() {
    let recipe = Aggregator::for_preset(Preset::Toy, 2)
        .join_recipe(2)
        .unwrap();
    let Children::Programs { shape, count } = recipe.children else {
        panic!("a join verifies proofs of programs");
    };
    let of_shape = shape.verifier_over_whir::<StandardTables, Poseidon16Suite>();
    let verifier = WhirVerifier::new(&of_shape.unwrap(), &shape.log_heights).unwrap();
    let slots = [SlotText::Node, SlotText::Node];
    let rule = text("merge", &slots, 0);
    let (program, paper) = (rule.program(&verifier), rule.paper());
    let (evaluators, header) = (&verifier.evaluators, &verifier.header);
    let join = whir::recursion(verifier.hash, &verifier.shape, evaluators, header, count);
    let (before, main) = join.split_once("\n/// Verifies every child").unwrap();
    let before = before.replace(", reveal_claim}", "}");
    assert!(program.starts_with(&before));
    let (_, verified) = main.split_once("pub fn main() {\n").unwrap();
    let (verified, _) = verified.split_once("    reveal_claim").unwrap();
    assert!(program.contains(verified));
    let after = |text: &str| text[text.find("    let mut below").unwrap()..].to_owned();
    assert_eq!(after(&program), after(&paper));
    // Without children nothing is verified.
    assert_eq!(
        text("start", &[], 0).program(&verifier),
        text("start", &[], 0).paper()
    );

    let rule = RecursionCircuit::of_rule(Arc::new(verifier), shape, count, program, &libraries());
    let instructions = rule.unwrap().compiled().program.instructions.len();
    let paper = merge_rule().compiled.program.instructions.len();
    assert!(
        instructions > 10 * paper,
        "{instructions}, {paper} on paper"
    );
}
