//! The examples of `docs/fold.md`: a thousand lies to each rule, what is found in a rule that lacks an
//! assertion, and proofs that are given twice. That the rules mean the same natively and in the
//! machine is tested in `tests/tests/programs/folds.rs`.

use std::collections::BTreeSet;

use droste_gadgets::signers::SIGNERS_TAG;
use droste_gadgets::xmss::CLAIM_TAG;
use droste_native::hash::poseidon16::Poseidon16;
use droste_verifier::fold::audit::{Case, RuleAudit, audit, refuses};
use droste_verifier::fold::{Paper, PaperChild};

use super::*;

/// Lies of several elements that each rule is told.
const LIES: usize = 1_000;

/// The rules of an example, on paper.
fn on_paper(name: &str) -> Paper {
    let source = Source::new(name, droste_programs::fold_source(name).unwrap());
    Fold::of(source.unwrap(), Preset::Toy).paper().unwrap()
}

/// A rule on these children, its function with these hints.
fn case(rule: &str, children: &[PaperChild], hints: &[&[Lanes]]) -> Case {
    Case {
        rule: rule.to_owned(),
        children: children.to_vec(),
        hints: hinted(hints),
        inputs: BTreeSet::new(),
        fails: None,
    }
}

fn hinted(hints: &[&[Lanes]]) -> Tape {
    let items = hints.iter().map(|blocks| slice(blocks)).collect();
    Tape { items }
}

/// A node of so many rules, leaves and levels.
fn node((rules, behind, depth): (u32, u32, u32), state: &[Lanes]) -> PaperChild {
    PaperChild::Node {
        counters: counters(rules, behind, depth),
        state: state.to_vec(),
    }
}

fn leaf(statement: Lanes) -> PaperChild {
    PaperChild::Leaf { statement }
}

/// Blocks of a rollup.
fn rollup() -> Vec<Case> {
    let [a, b, c] = [1, 2, 3].map(lanes);
    let block = |from: Lanes, to: Lanes| leaf(commitment([from, to].as_flattened()));
    let (left, right) = (
        node((5, 4, 2), &span(a, b, 3)),
        node((9, 8, 1), &span(b, c, 7)),
    );
    vec![
        case("block", &[block(a, b)], &[&[a, b]]),
        case("merge", &[left.clone(), right], &[]),
        case("pair", &[block(a, b), block(b, c)], &[&[a, b], &[b, c]]),
        case("append", &[left, block(b, c)], &[&[b, c]]),
    ]
}

/// A function that is applied again and again.
fn repeated() -> Vec<Case> {
    let mut start = case("start", &[], &[&[lanes(5)]]);
    // A chain starts with any value.
    start.inputs.insert(0);
    let before = node((4, 0, 3), &span(lanes(1), lanes(5), 300));
    vec![start, case("step", &[before], &[])]
}

/// A sorted list.
fn reduced() -> Vec<Case> {
    let items = [numbers([4, 70]), numbers([5, 90])];
    let left = node((3, 2, 0), &[numbers([4, 6, 160, 70, 90]), lanes(2)]);
    let right = node((9, 6, 4), &[numbers([6, 9, 500, 90, 300]), lanes(3)]);
    vec![
        case("item", &[leaf(items[0])], &[]),
        case("merge", &[left, right], &[]),
        case("pair", &items.map(leaf), &[]),
    ]
}

/// A set of signers of which these words are the first.
fn set(words: &[u32]) -> [Lanes; 11] {
    let mut set = [[F::ZERO; 8]; 11];
    for (lane, word) in set.as_flattened_mut().iter_mut().zip(words) {
        *lane = F::from_u32(*word);
    }
    set
}

/// What a batch of these signers says.
fn batch_of(set: &[Lanes; 11], count: u32) -> [Lanes; 5] {
    let digest = Poseidon16.hash(F::new(SIGNERS_TAG), set.as_flattened());
    let (slot, message, registry) = (numbers([5, 1]), lanes(1), lanes(2));
    [slot, message, registry, digest, numbers([count])]
}

/// The leaf of such a batch.
fn signed(said: &[Lanes; 5]) -> PaperChild {
    leaf(Poseidon16.hash(F::from_usize(CLAIM_TAG), said.as_flattened()))
}

/// Signers, united.
fn united() -> Vec<Case> {
    let (a, b) = (set(&[0b1101, 7]), set(&[0b1001, 8, 1 << 23]));
    let common = set(&[0b1001]);
    let (left, right) = (batch_of(&a, 6), batch_of(&b, 4));
    let nodes = [node((3, 2, 0), &left), node((5, 3, 1), &right)];
    let batches = [signed(&left), signed(&right)];
    let before = [nodes[0].clone(), batches[1].clone()];
    vec![
        case("batch", &batches[..1], &[&left]),
        case("unite", &nodes, &[&a, &b, &common]),
        case("pair", &batches, &[&left, &right, &a, &b, &common]),
        case("add", &before, &[&right, &a, &b, &common]),
    ]
}

/// No hint of a rule with children is free, alone or with others, nor any around it.
#[test]
fn a_thousand_lies_are_refused() {
    for (name, cases) in [
        ("chain", rollup()),
        ("repeat", repeated()),
        ("reduce", reduced()),
        ("signers", united()),
    ] {
        let paper = on_paper(name);
        assert!(
            cases.iter().map(|case| &*case.rule).eq(paper.names()),
            "{name}"
        );
        for case in cases {
            let found = audit(&paper, &case, LIES).unwrap();
            assert!(found.is_sound(), "{name}: {found:?}");
            assert!(found.no_effect.is_empty(), "{name}: {found:?}");
            if case.inputs.is_empty() {
                assert!(
                    found.inputs.is_empty() && found.lies >= LIES,
                    "{name}: {found:?}"
                );
                continue;
            }
            // The first value of a chain, and it is free if it is not said to be an input.
            assert_eq!(found.inputs.len(), 8, "{name}");
            let inputs = BTreeSet::new();
            let found = audit(&paper, &Case { inputs, ..case }, 1).unwrap();
            assert!(!found.is_sound(), "{name}");
            let free: Vec<_> = found.free.iter().map(|at| (at.hint, at.lane)).collect();
            let expected: Vec<_> = (0..8).map(|lane| (0, lane)).collect();
            assert_eq!(free, expected, "{name}");
        }
    }
}

/// What is found in the example of a rollup with `to` in the place of `from`, on the honest case.
fn changed(rule: &str, from: &str, to: &str) -> (String, RuleAudit) {
    let source = chain();
    assert!(source.text().contains(from), "{from}");
    let text = source.text().replace(from, to);
    let source = Source::new("chain", text.clone()).unwrap();
    let paper = Fold::of(source, Preset::Toy).paper().unwrap();
    let case = rollup().into_iter().find(|case| case.rule == rule);
    (text, audit(&paper, &case.unwrap(), 100).unwrap())
}

#[test]
fn a_merge_without_its_assertion_is_named() {
    // Without it, what the first span leads to is not read, nor where the second begins.
    let (_, honest) = changed("merge", "blocks: left.blocks", "blocks: left.blocks");
    // Lanes that `of` does not read are not among it.
    assert!(honest.unread.is_empty(), "{honest:?}");
    let assertion = "assert_eq!(left.to, right.from, \"the second span begins elsewhere\");";
    let (_, found) = changed("merge", assertion, "");
    let texts: Vec<String> = found.unread.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["block 1 of child 0", "block 0 of child 1"]);
    let (_, found) = changed(
        "merge",
        assertion,
        "assert_eq!(left.to.lane(0), right.from.lane(0));",
    );
    let texts: Vec<String> = found.unread.iter().map(ToString::to_string).collect();
    let rest = "lanes 1, 2, 3, 4, 5, 6, 7 of block";
    assert_eq!(
        texts,
        [
            format!("{rest} 1 of child 0"),
            format!("{rest} 0 of child 1")
        ]
    );

    // A case that must fail says so, too.
    let wrong = [span(lanes(1), lanes(2), 3), span(lanes(4), lanes(5), 7)];
    let wrong = wrong.map(|state| node((5, 4, 2), &state));
    let must_fail = |words: &str| Case {
        fails: Some(words.to_owned()),
        ..case("merge", &wrong, &[])
    };
    let elsewhere = must_fail("the second span begins elsewhere");
    let paper = on_paper("chain");
    assert_eq!(refuses(&paper, &elsewhere).unwrap(), None);
    let otherwise = refuses(&paper, &must_fail("another reason")).unwrap();
    assert!(
        otherwise
            .unwrap()
            .starts_with("it fails otherwise: the second span")
    );
    let text = chain().text().replace(assertion, "");
    let paper = Fold::of(Source::new("chain", text).unwrap(), Preset::Toy).paper();
    let accepted = refuses(&paper.unwrap(), &elsewhere).unwrap();
    assert_eq!(accepted.as_deref(), Some("it is accepted"));

    // A hint that nothing compares is free, and is named with its line.
    let assertion = "assert_eq!(said, leaf.statement, \"the block says other roots\");";
    for rule in ["block", "append"] {
        let (text, found) = changed(rule, assertion, "");
        assert!(!found.is_sound());
        let line = text.lines().position(|line| line.contains("hint_slice(2)"));
        let line = line.map(|line| line + 1);
        let free: Vec<_> = (found.free.iter())
            .map(|place| (place.hint, place.lane, place.line))
            .collect();
        // In `append` the first root must be that of the node.
        let first = if rule == "append" { 8 } else { 0 };
        let expected: Vec<_> = (first..16).map(|lane| (0, lane, line)).collect();
        assert_eq!(free, expected, "{rule}");
    }

    // So are two elements of which the sum alone is compared.
    let sum = "assert_eq!(roots.block(0).lane(0) + roots.block(1).lane(0), felt(3));";
    let (_, found) = changed("block", assertion, sum);
    assert!(!found.is_sound());
    let free: Vec<usize> = found.free.iter().map(|place| place.lane).collect();
    let alone: Vec<usize> = (1..8).chain(9..16).collect();
    assert_eq!(free, alone);
    assert!(!found.together.is_empty());
    for places in &found.together {
        let lanes: BTreeSet<usize> = places.iter().map(|place| place.lane).collect();
        assert_eq!(lanes, [0, 8].into());
    }
}

/// A proof may be taken twice. Functions that count put what they count into an order.
#[test]
fn replays_are_valid_and_functions_order() {
    let run = |paper: &Paper, case: Case| paper.run(&case.rule, &case.children, &case.hints);
    let refused = |paper: &Paper, case: Case| match run(paper, case).unwrap_err() {
        FoldError::Run { reason, .. } => reason,
        error => panic!("{error}"),
    };
    // A span cannot follow itself, unless it leads back to its beginning. Roots that bind the height,
    // as those of the example `block` do, never do.
    let (a, b, paper) = (lanes(1), lanes(2), on_paper("chain"));
    let twice = |state: &[Lanes]| {
        let once = node((5, 4, 2), state);
        case("merge", &[once.clone(), once], &[])
    };
    let reason = refused(&paper, twice(&span(a, b, 3)));
    let words = "the second span begins elsewhere";
    assert!(reason.contains(words), "{reason}");
    let run_twice = run(&paper, twice(&span(a, a, 3))).unwrap();
    assert_eq!(run_twice.state, span(a, a, 6));
    // With proofs.
    let children = [Child::Node(&CHAIN.one), Child::Node(&CHAIN.one)];
    let error = CHAIN.fold.prove("merge", &children, &Tape::default());
    let FoldError::Run { reason, .. } = error.unwrap_err() else {
        panic!("another error");
    };
    assert!(reason.contains(words), "{reason}");

    // An item has its index in its statement.
    let first = leaf(numbers([4, 70]));
    let pair = case("pair", &[first.clone(), first], &[]);
    let reason = refused(&on_paper("reduce"), pair);
    assert!(
        reason.contains("the second part begins elsewhere"),
        "{reason}"
    );

    // Signers of a batch that is there twice are counted once.
    let set = set(&[0b1101, 7]);
    let said = batch_of(&set, 6);
    let twice = [signed(&said), signed(&said)];
    let pair = case("pair", &twice, &[&said, &said, &set, &set, &set]);
    assert_eq!(run(&on_paper("signers"), pair).unwrap().state, said);
}

/// A rule without slots says one proof, and a chain of any length has one key and one small state.
#[test]
fn a_function_is_applied_two_hundred_times() {
    let source = Source::new("repeat", droste_programs::fold_source("repeat").unwrap());
    let fold = Fold::of(source.unwrap(), Preset::Toy).build().unwrap();
    assert_eq!((fold.family().bits_behind, fold.leaves().len()), (256, 0));
    let first = lanes(5);
    let start = fold.prove("start", &[], &hinted(&[&[first]])).unwrap();
    assert_eq!(start.counters(), Counters::START);
    assert_eq!(start.accepted().tree_bits, start.accepted().root.bits());
    let step = |before: &Folded| fold.prove("step", &[Child::Node(before)], &Tape::default());
    let one = step(&start).unwrap();
    let two = step(&one).unwrap();
    assert_ne!(start.rule(), one.rule());
    assert_eq!(one.rule(), two.rule());
    let mut last = first;
    for (node, rules) in [(&start, 1), (&one, 2), (&two, 3)] {
        let state = span(first, last, 100 * (rules - 1));
        let expected = ANY.with_state(state).with_max_proofs(u64::from(rules));
        let read = unverified(node).verify(fold.key(), &expected).unwrap();
        assert_eq!(read.counters(), counters(rules, 0, rules - 1));
        for _ in 0..100 {
            last = poseidon16_compress(&last, &last);
        }
    }
}
