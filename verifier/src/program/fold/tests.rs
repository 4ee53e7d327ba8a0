//! Rules on paper, in the machine and natively. Digests that they must reveal, and lies that they
//! must refuse, are computed here.

mod chain;
mod lies;
mod old;
mod texts;

use std::array::from_fn;

use droste_gadgets::{Hint, NativeTape, SOURCES, paper, run_native};
use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16;
use droste_vm::compiler::{Compiled, compile_file};
use droste_vm::executor::execute;
use droste_vm::key::KeyDigest;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use old::OldSpan;

use super::*;
use crate::claim::claim_digest;
use crate::tags::{FOLD_TAG, RULES_TAG};
use crate::tape::machine_tape;

type Lanes = [F; 8];

/// Rules of the fold.
const COUNT: usize = 3;

/// Keys of two wraps, the last one first, and of the program below them; and of one wrap.
const FIRST: [[u32; 8]; 3] = [[11; 8], [12; 8], [13; 8]];
const SECOND: [[u32; 8]; 2] = [[21; 8], [22; 8]];

/// Key of a wrap of proofs of the other fold.
const WRAP: [u32; 8] = [41; 8];

fn libraries() -> Vec<(&'static str, &'static str)> {
    let rules = [
        ("rules/chain.rs", include_str!("tests/chain.rs")),
        ("rules/old.rs", include_str!("tests/old.rs")),
    ];
    SOURCES.iter().copied().chain(rules).collect()
}

fn text<'a>(function: &'a str, slots: &'a [SlotText], behind: usize) -> RuleText<'a> {
    RuleText {
        module: "chain",
        state: "Span",
        function,
        rules: COUNT,
        slots,
        behind,
    }
}

fn of_leaf(kind: usize, path: &[[u32; 8]]) -> SlotText {
    let path = path.to_vec();
    SlotText::Leaf { kind, path }
}

fn of_fold(wraps: &[[u32; 8]]) -> SlotText {
    SlotText::Foreign {
        fold: 0,
        state: "rules::old::OldSpan".to_owned(),
        rules: 2,
        wraps: wraps.to_vec(),
        digest: old_digest(),
    }
}

/// A rule on paper: compiled by rustc, and by the machine's compiler.
struct Rule {
    main: fn(),
    compiled: Compiled,
}

impl Rule {
    fn new(function: &str, slots: &[SlotText], behind: usize, main: fn()) -> Self {
        let text = text(function, slots, behind).paper();
        match compile_file("rule.rs", &text, &libraries()) {
            Ok(compiled) => Self { main, compiled },
            Err(error) => panic!("{error}\n{:?}\n{:?}\n{text}", error.help, error.chain),
        }
    }

    /// Runs it both ways. Returns its statement, or why it fails, natively and in the machine.
    fn run(&self, hints: &[Hint]) -> Result<Lanes, (String, String)> {
        let hints = hints.to_vec();
        let tape = NativeTape { hints };
        let native = run_native(&tape, &[], self.main);
        let machine = execute(&self.compiled, &[], &machine_tape(&tape), 1 << 16);
        match (native, machine.map(|run| run.statement)) {
            (Ok(native), Ok(statement)) => {
                assert_eq!(statement.map(|lane| lane.as_canonical_u32()), native);
                Ok(statement)
            }
            (Err(native), Err(machine)) => Err((native.0, machine.to_string())),
            (native, machine) => panic!("natively {native:?}, in the machine {machine:?}"),
        }
    }

    /// Fails unless both runs fail, the native one for this reason.
    fn refuses(&self, hints: &[Hint], reason: &str) {
        match self.run(hints) {
            Ok(_) => panic!("accepted, expected: {reason}"),
            Err((native, _)) => assert!(native.contains(reason), "{native}, expected: {reason}"),
        }
    }

    /// Fails unless both runs fail whichever lane of these hints changes.
    fn refuses_changes(&self, hints: &[Hint], items: std::ops::Range<usize>) {
        let _statement = self.run(hints).unwrap();
        for item in items {
            let lanes = match &hints[item] {
                Hint::Slice(blocks) => 8 * blocks.len(),
                _ => 1,
            };
            for lane in 0..lanes {
                let mut changed = hints.to_vec();
                add_one(&mut changed[item], lane);
                assert!(self.run(&changed).is_err(), "hint {item}, lane {lane}");
            }
        }
    }
}

fn add_one(hint: &mut Hint, lane: usize) {
    match hint {
        Hint::Felt(x) => *x += F::ONE,
        Hint::Slice(blocks) => *blocks[lane / 8][lane % 8].as_mut().unwrap() += F::ONE,
        Hint::Ext(_) => panic!("rules on paper read no such hint"),
    }
}

fn start() {
    paper!(chain, Span, rules = COUNT, start());
}

fn merge() {
    paper!(chain, Span, rules = COUNT, merge(node, node));
}

fn append() {
    paper!(chain, Span, rules = COUNT, append(node, leaf 0 = FIRST));
}

fn pair() {
    paper!(chain, Span, rules = COUNT, pair(leaf 0 = FIRST, calling leaf 1 = SECOND));
}

fn import_behind(wraps: &[[u32; 8]]) {
    paper!(chain, Span, rules = COUNT, import(fold 0 = (OldSpan, 2, old_digest(), wraps)));
}

fn lanes(x: u32) -> Lanes {
    [F::from_u32(x); 8]
}

fn block(first: &[u32]) -> Lanes {
    from_fn(|lane| F::from_u32(first.get(lane).copied().unwrap_or(0)))
}

fn slice(blocks: &[Lanes]) -> Hint {
    Hint::Slice(blocks.iter().map(|block| block.map(Some)).collect())
}

fn felt(x: u32) -> Hint {
    Hint::Felt(F::from_u32(x))
}

/// The list of the fold's rules.
fn rules() -> [Lanes; 1 + COUNT] {
    [block(&[3, 100, 90]), lanes(1), lanes(2), lanes(3)]
}

/// The list of the other fold's rules.
fn old_rules() -> [Lanes; 3] {
    [block(&[2, 110, 256]), lanes(31), lanes(32)]
}

fn digest(rules: &[Lanes]) -> Lanes {
    Poseidon16.hash(RULES_TAG, rules.as_flattened())
}

fn old_digest() -> [u32; 8] {
    digest(&old_rules()).map(|lane| lane.as_canonical_u32())
}

/// What a node says: counters and state.
struct Said([u32; 3], Vec<Lanes>);

impl Said {
    fn message(&self, rules: &[Lanes]) -> Vec<Lanes> {
        [&[digest(rules), block(&self.0)][..], &self.1].concat()
    }

    fn statement(&self, rules: &[Lanes]) -> Lanes {
        Poseidon16.hash(FOLD_TAG, self.message(rules).as_flattened())
    }

    /// A proof of this: the child of a rule, under the key number `place` of the list, and what the
    /// rule reads of it.
    fn child(&self, rules: &[Lanes], place: u32) -> (Hint, [Hint; 2]) {
        let key = rules[1 + place as usize];
        let glue = [felt(place), slice(&self.message(rules))];
        (slice(&[key, self.statement(rules)]), glue)
    }
}

fn span(from: u32, to: u32, steps: u32) -> Vec<Lanes> {
    vec![lanes(from), lanes(to), block(&[steps])]
}

/// Statement of the last wrap above a proof that says this; `path` as [`leaf`] takes it.
fn wrapped(path: &[[u32; 8]], statement: Lanes) -> Lanes {
    let key = |lanes: &[u32; 8]| KeyDigest(lanes.map(F::from_u32));
    let below = path[1..].iter().rev();
    below.fold(statement, |said, at| claim_digest(&[(key(at), said)]))
}

/// A wrap of a leaf: the child of a rule, and what the rule reads of it.
fn leaf_child(path: &[[u32; 8]], statement: Lanes) -> (Hint, Hint) {
    let key = path[0].map(F::from_u32);
    (slice(&[key, wrapped(path, statement)]), slice(&[statement]))
}

fn merge_rule() -> Rule {
    Rule::new("merge", &[SlotText::Node, SlotText::Node], 0, merge)
}

/// The tape of a merge of these nodes, under the first key and the second.
fn merge_tape(left: &Said, right: &Said, depth: u32) -> Vec<Hint> {
    let rules = rules();
    let (first, [place_0, said_0]) = left.child(&rules, 0);
    let (second, [place_1, said_1]) = right.child(&rules, 1);
    let depth = felt(depth);
    vec![
        slice(&rules),
        first,
        second,
        place_0,
        said_0,
        place_1,
        said_1,
        depth,
    ]
}

fn append_rule() -> Rule {
    let slots = [SlotText::Node, of_leaf(0, &FIRST)];
    Rule::new("append", &slots, 2, append)
}

/// The tape of `append`, for a leaf under `path`.
fn append_tape(path: &[[u32; 8]]) -> Vec<Hint> {
    let rules = rules();
    let before = Said([4, 3, 2], span(5, 6, 7));
    let (first, [place, said]) = before.child(&rules, 2);
    let (second, statement) = leaf_child(path, lanes(9));
    vec![slice(&rules), first, second, place, said, statement]
}

/// The tape of `import`, for a proof of the other fold.
fn import_tape(wraps: &[[u32; 8]]) -> Vec<Hint> {
    let old = old_rules();
    let said = Said([7, 20, 3], vec![lanes(5), lanes(6)]);
    let (child, glue) = said.child(&old, 1);
    let mut hints = vec![slice(&rules())];
    if let [wrap] = wraps {
        let path = [*wrap, old[2].map(|lane| lane.as_canonical_u32())];
        let statement = said.statement(&old);
        hints.push(leaf_child(&path, statement).0);
        hints.extend([slice(&old), child]);
    } else {
        hints.extend([child, slice(&old)]);
    }
    hints.extend(glue);
    hints
}

#[test]
fn rules_reveal_counters_and_state() {
    let rules = rules();
    let reveals = |rule: &Rule, hints: &[Hint], counters: [u32; 3], state: Vec<Lanes>| {
        let expected = Said(counters, state).statement(&rules);
        assert_eq!(rule.run(hints), Ok(expected));
    };
    let rule = Rule::new("start", &[], 0, start);
    let hints = [slice(&rules), slice(&[lanes(5)])];
    reveals(&rule, &hints, [1, 0, 0], span(5, 5, 0));

    let (left, right) = (
        Said([9, 4, 2], span(5, 6, 7)),
        Said([3, 1, 5], span(6, 8, 2)),
    );
    let hints = merge_tape(&left, &right, 6);
    reveals(&merge_rule(), &hints, [13, 5, 6], span(5, 8, 9));

    let state = vec![
        lanes(5),
        droste_native::precompile::poseidon16_compress(&lanes(6), &lanes(9)),
        block(&[8]),
    ];
    reveals(&append_rule(), &append_tape(&FIRST), [6, 5, 3], state);

    let slots = [of_leaf(0, &FIRST), of_leaf(1, &SECOND)];
    let rule = Rule::new("pair", &slots, 4, pair);
    let (first, said_0) = leaf_child(&FIRST, lanes(5));
    let (second, said_1) = leaf_child(&SECOND, lanes(6));
    let hints = [slice(&rules), first, second, said_0, said_1];
    reveals(&rule, &hints, [3, 4, 0], span(5, 6, 1));

    let rule = Rule::new("import", &[of_fold(&[])], 0, || import_behind(&[]));
    reveals(&rule, &import_tape(&[]), [2, 26, 4], span(5, 6, 0));
    let rule = Rule::new("import", &[of_fold(&[WRAP])], 0, || import_behind(&[WRAP]));
    reveals(&rule, &import_tape(&[WRAP]), [2, 27, 4], span(5, 6, 0));
}
