//! Sources of somebody who wants a rule to say what it should not: their items leave everything
//! around the function as it is, or are refused. rustc does not see the source that a deriver is
//! given.

use droste_verifier::fold::{MAX_COUNT, MAX_SLOTS, Paper, PaperChild};
use droste_vm::compiler::CompileError;
use droste_vm::isa::Instruction;

use super::*;

/// Rules with one rule, whose file goes on with `items`.
fn merging(items: &str) -> Source {
    let (before, after) = ("/// One block.", "/// Two blocks in one step.");
    let text = droste_programs::fold_source("chain").unwrap();
    let (head, rest) = text.split_once(before).unwrap();
    let (_, merge) = rest.split_once("/// Two spans").unwrap();
    let (merge, _) = merge.split_once(after).unwrap();
    let text = format!("{head}/// Two spans{merge}{items}");
    Source::new("chain", text).unwrap()
}

fn paper(source: Source) -> Result<Paper, FoldError> {
    Fold::of(source, Preset::Toy).paper()
}

/// The instructions of the rule `merge`, or why there are none.
fn instructions(items: &str) -> Result<Vec<Instruction>, Box<CompileError>> {
    let found = paper(merging(items)).and_then(|paper| {
        let compiled = paper.compiled("merge")?;
        Ok(compiled.program.instructions.clone())
    });
    found.map_err(|error| match error {
        FoldError::Compile(error) | FoldError::Rule { source: error, .. } => error,
        error => panic!("{error}"),
    })
}

/// Items that would change what the code around the function means, if they could.
const REFUSED: [&str; 10] = [
    // Of types and traits that are not the file's.
    "impl PartialEq for Block { fn eq(&self, _other: &Self) -> bool { true } }",
    "impl PartialEq for Felt { fn eq(&self, _other: &Self) -> bool { true } }",
    "use std::ops::Add;
     impl Add for Felt { type Output = Self; fn add(self, _other: Self) -> Self { self } }",
    "impl Block { pub fn lane(&self, _lane: usize) -> Felt { Felt::ZERO } }",
    "impl Slice { pub fn at(&self, _place: Felt) -> Block { self.block(0) } }",
    "impl Block { pub fn new(_lanes: [Felt; 8]) -> Self { Self::ZERO } }",
    "impl Felt { pub const ONE: Self = Self::ZERO; }",
    "use droste_gadgets::suites::hash::Hash;
     use droste_gadgets::suites::poseidon16::Poseidon16;
     impl Hash for Poseidon16 {}",
    "macro_rules! assert_eq { ($($any:tt)*) => {}; }",
    "impl State for Block {
        const BLOCKS: usize = 1;
        fn blocks(&self) -> Vec<Block> { vec![*self] }
        fn of(blocks: &[Block]) -> Self { blocks[0] }
     }",
];

/// Items that have names of what is around the function, in the file's own scope.
const HARMLESS: [&str; 5] = [
    "pub fn family(_rules: usize) -> Felt { Felt::ZERO }
     pub fn node(_family: Felt) -> Felt { Felt::ZERO }
     pub fn counted(_below: Felt) -> Felt { Felt::ZERO }
     pub fn reveal_state(_state: Felt) {}",
    "pub struct Family { pub digest: Felt }
     pub struct Child { pub key: Felt }
     pub struct Counters { pub rules: Felt }",
    "pub const FOLD_TAG: u32 = 1;
     pub const RULES_TAG: u32 = 1;
     pub const HEAD: usize = 0;",
    "pub mod rules { pub mod chain { pub fn merge() {} } }",
    "pub trait Keyed { fn path(&self) -> Felt; }
     impl Keyed for Span { fn path(&self) -> Felt { Felt::ZERO } }
     impl Span { pub fn skip(&self) -> Felt { Felt::ZERO } }",
];

/// Where it is for the compiler to say, they are refused, or else nothing changes.
const EITHER: [&str; 6] = [
    "pub fn hash_blocks(_tag: Felt, _message: &[Block]) -> Block { Block::ZERO }
     pub fn right_shifts(_of: Felt, _blocks: usize) -> Felt { Felt::ZERO }
     pub fn hint_slice(_blocks: usize) -> Felt { Felt::ZERO }",
    // Names of the trait: its bound means those of the trait.
    "impl Span {
        pub const BLOCKS: usize = 1;
        pub fn of(_blocks: &[Block]) -> Felt { Felt::ZERO }
        pub fn blocks(&self) -> Felt { Felt::ZERO }
     }",
    "pub trait Lane { fn lane(&self, lane: usize) -> Felt; }
     impl Lane for Block { fn lane(&self, _lane: usize) -> Felt { Felt::ZERO } }",
    "pub trait At { fn at(&self, place: Felt) -> Block; }
     impl<T> At for T { fn at(&self, _place: Felt) -> Block { Block::ZERO } }",
    "pub trait Key { fn digest(&self) -> Block; }
     impl<T> Key for T { fn digest(&self) -> Block { Block::ZERO } }",
    "#[path = \"../droste_gadgets/fold.rs\"]
     pub mod gadgets {}",
];

#[test]
fn sources_leave_the_glue_alone() {
    let honest = instructions("").unwrap();
    for items in REFUSED {
        let refused = instructions(items);
        assert!(refused.is_err(), "{items}");
    }
    for items in HARMLESS {
        match instructions(items) {
            Ok(found) => assert_eq!(found, honest, "{items}"),
            Err(error) => panic!("{items}: {error} {:?}", error.chain),
        }
    }
    for items in EITHER {
        let found = instructions(items);
        assert!(
            found.is_err() || found.is_ok_and(|found| found == honest),
            "{items}"
        );
    }
    // Another trait of the name in the scope of the file, and another crate of the gadgets' name.
    let honest = merging("");
    for (from, to) in [
        (
            "use droste_gadgets::fold::{Leaf, State};",
            "use droste_gadgets::fold::Leaf;\n\
             pub trait State: Sized {\n    const BLOCKS: usize;\n    \
             fn blocks(&self) -> Vec<Block>;\n    fn of(blocks: &[Block]) -> Self;\n}",
        ),
        (
            "use droste_gadgets::fold::{Leaf, State};",
            "mod droste_gadgets {\n    pub mod fold {\n        pub trait State {}\n    }\n}\n\
             use droste_gadgets::fold::State;",
        ),
    ] {
        assert!(honest.text().contains(from));
        let text = honest.text().replace(from, to);
        let found = paper(Source::new("chain", text).unwrap());
        let refused = found.and_then(|paper| paper.compiled("merge").map(|_compiled| ()));
        assert!(refused.is_err(), "{to}");
    }
}

/// An encoding that is none: of another length than it says, of hints, or of other blocks.
#[test]
fn encodings_are_checked() {
    let with = |from: &str, to: &str| {
        let honest = merging("");
        assert!(honest.text().contains(from), "{from}");
        let text = honest.text().replace(from, to);
        paper(Source::new("chain", text).unwrap())
    };
    let shorter = with(
        "vec![self.from, self.to, number]",
        "vec![self.from, self.to]",
    )
    .unwrap();
    let refused = shorter.compiled("merge").unwrap_err();
    let FoldError::Rule { source, .. } = refused else {
        panic!("{refused}");
    };
    let words = "`blocks` has another length than `BLOCKS`";
    assert!(source.message.contains(words), "{}", source.message);

    let state = span(lanes(1), lanes(2), 3);
    paper(merging("")).unwrap().check_state(&state).unwrap();
    for (from, to) in [
        ("blocks: blocks[2].lane(0)", "blocks: hint_felt().any()"),
        ("from: blocks[0]", "from: blocks[1]"),
    ] {
        let refused = with(from, to).unwrap().check_state(&state).unwrap_err();
        assert!(
            matches!(refused, FoldError::Run { .. }),
            "{from}: {refused}"
        );
    }
}

/// Counters of as many children as a rule may have are added as integers.
#[test]
fn counters_of_the_most_children_are_integers() {
    let slots: Vec<String> = (0..MAX_SLOTS)
        .map(|slot| format!("_s{slot}: &Span"))
        .collect();
    let slots = slots.join(", ");
    let all = format!("pub fn all({slots}) -> Span {{ *_s0 }}\n");
    let paper = paper(merging(&all)).unwrap();
    let children = |rules: u32| {
        let child = PaperChild::Node {
            counters: counters(rules, 0, 0),
            state: span(lanes(1), lanes(2), 1),
        };
        paper.run("all", &vec![child; MAX_SLOTS], &Tape::default())
    };
    let slots = MAX_SLOTS as u32;
    let most = (MAX_COUNT - 1) / slots;
    let run = children(most).unwrap();
    assert_eq!(run.counters, counters(slots * most + 1, 0, 1));
    let refused = children(MAX_COUNT).err().unwrap();
    let sum = u64::from(slots) * u64::from(MAX_COUNT) + 1;
    let ends = matches!(refused, FoldError::Counter(found) if found == sum);
    assert!(ends, "{refused}");
}
