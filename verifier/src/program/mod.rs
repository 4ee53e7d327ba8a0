//! Generates the text of recursion programs.
//!
//! The verifier itself is `droste_gadgets::verify`. A program adds the shape of the proofs that it
//! verifies, as a constant, the constraints of their AIRs, as straight-line code, and a short
//! `main`.

pub(crate) mod fold;
pub mod whir;

use std::fmt::{Debug, Write as _};

use droste_gadgets::prelude::{Felt, baby_bear, quartic};
use droste_gadgets::verify::fri::Openings;
use droste_gadgets::verify::recursion::{self as entries, Child, Key};
use droste_native::field::ChallengeField;
use droste_native::{F, HashId};
use droste_vm::fri::KEY_TAG;
use droste_vm::stack::Stack;
use p3_field::PrimeField32;

use crate::binary::GridProgram;
use crate::codegen::FriEvaluators;
use crate::shape::FriShape;
use crate::summary::integers;
use crate::tags::{AIR_KEY_TAG, CLAIM_TAG, PUBLIC_TAG};
use crate::tape::{FriConfig, TapeSuite, TreesId};

/// Names in `droste_gadgets`: a `Hash` and a `Challenger`, each with its module.
#[derive(Clone, Copy)]
struct Gadgets {
    hash: (&'static str, &'static str),
    challenger: (&'static str, &'static str),
}

impl Gadgets {
    /// Both are in one module.
    const fn new(module: &'static str, hash: &'static str, challenger: &'static str) -> Self {
        Self {
            hash: (module, hash),
            challenger: (module, challenger),
        }
    }
}

/// What verifies proofs of a stack in a hash.
const fn gadgets(hash: HashId, stack: Stack) -> Gadgets {
    match (hash, stack) {
        (HashId::Poseidon16, _) => Gadgets::new("poseidon16", "Poseidon16", "Poseidon16Challenger"),
        (HashId::Poseidon2, _) => Gadgets::new("poseidon2", "Poseidon2", "Poseidon2Challenger"),
        (HashId::Blake3, Stack::Fri) => Gadgets::new("blake3", "Blake3", "Blake3Challenger"),
        (HashId::Blake3, Stack::Whir) => Gadgets::new("blake3", "Blake3", "Blake3WhirChallenger"),
        (HashId::Keccak, Stack::Fri) => Gadgets::new("keccak", "Keccak", "KeccakChallenger"),
        (HashId::Keccak, Stack::Whir) => Gadgets::new("keccak", "Keccak", "KeccakWhirChallenger"),
    }
}

/// What verifies proofs over FRI with these trees and challenges in this field. Over BabyBear it is
/// made of the hashes of bytes of trees and transcript, whose names these then are: [`FriShape`] has
/// no others there.
const fn gadgets_over_fri(trees: TreesId, field: ChallengeField) -> Gadgets {
    match (trees, field) {
        (TreesId::Suite(HashId::Blake3), ChallengeField::BabyBear) => {
            Gadgets::new("blake3", "Blake3", "Blake3")
        }
        (TreesId::Suite(HashId::Keccak), ChallengeField::BabyBear) => {
            Gadgets::new("keccak", "Keccak", "Keccak")
        }
        (TreesId::KeccakSponge, ChallengeField::BabyBear) => Gadgets {
            hash: ("keccak_sponge", "KeccakSponge"),
            challenger: ("keccak", "Keccak"),
        },
        (TreesId::Suite(hash), _) => gadgets(hash, Stack::Fri),
        (TreesId::KeccakSponge, _) => Gadgets {
            hash: ("keccak_sponge", "KeccakSponge"),
            challenger: ("keccak", "KeccakChallenger"),
        },
        (TreesId::Poseidon2Narrow, _) => Gadgets::new(
            "poseidon2_16",
            "Poseidon2Narrow",
            "Poseidon2NarrowChallenger",
        ),
        (TreesId::Poseidon2Wide, _) => {
            Gadgets::new("poseidon2_24", "Poseidon2Wide", "Poseidon2WideChallenger")
        }
    }
}

/// The statement with which a program chooses the field of its extension elements, if it does not
/// have that of degree 5.
const fn chosen(field: ChallengeField) -> &'static str {
    match field {
        ChallengeField::Quintic => "",
        ChallengeField::Quartic => "    quartic();\n",
        ChallengeField::BabyBear => "    baby_bear();\n",
    }
}

/// Text of `shape()` and `Tables`, with which `droste_gadgets::verify` verifies proofs of `shape`;
/// `evaluators` are their constraints.
pub fn verifier(shape: &FriShape, evaluators: &FriEvaluators) -> String {
    let mut text = evaluators.text();
    let _ = write!(
        text,
        "\nuse droste_gadgets::verify::fri::constraints::Constraints;\n\
         use droste_gadgets::verify::fri::shape::{{Shape, Table}};\n\n"
    );
    let tables = || evaluators.tables.iter().enumerate();
    let folded = tables().map(|(index, table)| (index, format!("eval_{}(v, c)", table.name)));
    let periodic = tables()
        .filter(|(_, table)| !table.shape.periodic_columns.is_empty())
        .map(|(index, table)| (index, format!("periodic_{}(point)", table.name)));
    constraints(
        &mut text,
        &[
            (
                "folded(&self, table: usize, v: &Opened, c: &Challenges) -> Ext",
                folded.collect(),
                "panic!(\"there is no such table\")",
            ),
            (
                "periodic(&self, table: usize, point: Ext) -> Vec<Ext>",
                periodic.collect(),
                "Vec::new()",
            ),
        ],
    );
    shape_function(&mut text, &literal(&**shape));
    text
}

/// A function of the generated `impl Constraints`: its signature, what it returns for each table
/// that has it, and for others.
type Function<'a> = (&'a str, Vec<(usize, String)>, &'a str);

/// Appends the type `Tables`, whose constraints are the evaluators.
fn constraints(text: &mut String, functions: &[Function<'_>]) {
    text.push_str(
        "/// The tables of a proof.\npub struct Tables;\n\nimpl Constraints for Tables {\n",
    );
    for (number, (signature, tables, none)) in functions.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        let _ = writeln!(text, "    fn {signature} {{\n        match table {{");
        for (index, value) in tables {
            let _ = writeln!(text, "            {index} => {value},");
        }
        let _ = writeln!(text, "            _ => {none},\n        }}\n    }}");
    }
    text.push_str("}\n\n");
}

/// A shape as zk-DSL text. It consists of integers, bools and lists only, so `Debug` prints Rust
/// but for the lists.
pub(crate) fn literal(shape: &impl Debug) -> String {
    format!("{shape:#?}").replace('[', "vec![")
}

/// Appends the function `shape`.
fn shape_function(text: &mut String, literal: &str) {
    let _ = write!(
        text,
        "/// The shape of the proofs.\npub fn shape() -> Shape {{\n{literal}\n}}\n"
    );
}

/// Text of the program that verifies `children` proofs of `shape`, with `openings` if these are in a
/// batch. The preimage of their key digests is `header`, then the commitment to the program.
pub fn recursion(
    shape: &FriShape,
    evaluators: &FriEvaluators,
    openings: Option<&GridProgram>,
    header: &[F],
    children: usize,
) -> String {
    let mut text = verifier_with(shape, evaluators, openings);
    let (function, last) = match openings {
        None => ("over_fri", ""),
        Some(_) => ("over_fri_opened", ", &openings"),
    };
    let child = format!("{function}::<H, C, Tables>(&shape, &Tables, &key{last})");
    Entry {
        gadgets: gadgets_over_fri(shape.trees, shape.field),
        field: shape.field,
        constants: &[],
        opened: openings.is_some(),
        function,
        child: &child,
        key: (KEY_TAG, header),
        children,
    }
    .write(&mut text);
    text
}

/// Text of the program that verifies one proof of `shape`, with `openings` if these are in a batch.
/// The preimage of the AIRs' key digest is `header`, then the commitment to the preprocessed traces.
/// `constants` are the blocks of the round constants, if it is for the program to give any.
pub fn airs(
    shape: &FriShape,
    evaluators: &FriEvaluators,
    openings: Option<&GridProgram>,
    header: &[F],
    constants: &[[F; 8]],
) -> String {
    let mut text = verifier_with(shape, evaluators, openings);
    let (function, last) = match openings {
        None => ("airs", ""),
        Some(_) => ("airs_opened", ", &openings"),
    };
    let child = format!(
        "{function}::<H, C, Tables>(&shape, &Tables, &key, {}, Felt::new({}){last})",
        shape.seed > 0,
        PUBLIC_TAG.as_canonical_u32()
    );
    Entry {
        gadgets: gadgets_over_fri(shape.trees, shape.field),
        field: shape.field,
        constants,
        opened: openings.is_some(),
        function,
        child: &child,
        key: (AIR_KEY_TAG, header),
        children: 1,
    }
    .write(&mut text);
    text
}

/// Text of [`verifier`], and of the functions of the openings if these are in a batch.
fn verifier_with(
    shape: &FriShape,
    evaluators: &FriEvaluators,
    openings: Option<&GridProgram>,
) -> String {
    verifier(shape, evaluators) + &openings.map(GridProgram::text).unwrap_or_default()
}

/// The openings as a native run has them.
const fn opened(program: &GridProgram) -> Openings<'_> {
    Openings {
        shape: &program.shape,
        grid: &program.grid,
    }
}

/// Runs natively what the program of [`recursion`] does.
pub(crate) fn run_recursion<H: TapeSuite>(
    shape: &FriShape,
    evaluators: &FriEvaluators,
    openings: Option<&GridProgram>,
    header: &[F],
    children: usize,
) {
    run(KEY_TAG, header, children, |key| {
        match openings.map(opened) {
            None => entries::over_fri::<H::Gadget, H::Transcript, _>(shape, evaluators, key),
            Some(openings) => entries::over_fri_opened::<H::Gadget, H::Transcript, _>(
                shape, evaluators, key, &openings,
            ),
        }
    });
}

/// Runs natively what the program of [`airs`] does.
pub(crate) fn run_airs<V: FriConfig>(
    shape: &FriShape,
    evaluators: &FriEvaluators,
    openings: Option<&GridProgram>,
    header: &[F],
    constants: &[[F; 8]],
) {
    match shape.field {
        ChallengeField::Quintic => {}
        ChallengeField::Quartic => quartic(),
        ChallengeField::BabyBear => baby_bear(),
    }
    V::set_constants(&lanes(constants));
    let (seeded, tag) = (shape.seed > 0, PUBLIC_TAG.into());
    run(AIR_KEY_TAG, header, 1, |key| match openings.map(opened) {
        None => entries::airs::<V::Gadget, V::Transcript, _>(shape, evaluators, key, seeded, tag),
        Some(openings) => entries::airs_opened::<V::Gadget, V::Transcript, _>(
            shape, evaluators, key, seeded, tag, &openings,
        ),
    });
}

/// Verifies so many children natively, under keys of this tag, and reveals their claim.
fn run(tag: F, header: &[F], children: usize, child: impl Fn(&Key) -> Child) {
    let key = Key {
        tag: Felt::from(tag),
        header: lanes(header.as_chunks().0),
    };
    let children: Vec<_> = (0..children).map(|_| child(&key)).collect();
    entries::reveal_claim(CLAIM_TAG.into(), &children);
}

/// The canonical integers of blocks.
fn lanes(blocks: &[[F; 8]]) -> Vec<[u32; 8]> {
    let lanes = |block: &[F; 8]| block.map(|lane| lane.as_canonical_u32());
    blocks.iter().map(lanes).collect()
}

/// The end of a program: `main`, which verifies the children and reveals their claim.
struct Entry<'a> {
    /// What verifies the children.
    gadgets: Gadgets,
    /// Their field of challenges.
    field: ChallengeField,
    /// Blocks of the round constants that `main` gives, if any.
    constants: &'a [[F; 8]],
    /// Whether the openings of the children are in a batch.
    opened: bool,
    /// The function of `droste_gadgets::verify::recursion` that verifies one.
    function: &'a str,
    /// The call of that function.
    child: &'a str,
    /// Tag of their key digests, and the preimage up to the commitment to the program.
    key: (F, &'a [F]),
    /// Their number.
    children: usize,
}

impl Entry<'_> {
    /// Appends it.
    fn write(&self, text: &mut String) {
        let _ = write!(
            text,
            "
{}
use droste_gadgets::verify::recursion::{{Key, {}, reveal_claim}};

/// Verifies every child and reveals the claim.
pub fn main() {{
{}{}{}    reveal_claim(Felt::new({}), &children);
}}
",
            self.suite(),
            self.function,
            chosen(self.field),
            self.set_constants(),
            self.verified(),
            CLAIM_TAG.as_canonical_u32(),
        );
    }

    /// The import of what verifies the children.
    fn suite(&self) -> String {
        let Gadgets {
            hash: (module, hash),
            challenger: (other, challenger),
        } = self.gadgets;
        if self.field == ChallengeField::BabyBear {
            return over_baby_bear(self.gadgets);
        }
        if !self.constants.is_empty() {
            return format!(
                "use droste_gadgets::suites::{module}::{{{hash} as H, {challenger} as C, set_constants}};"
            );
        }
        if module == other {
            return format!(
                "use droste_gadgets::suites::{module}::{{{hash} as H, {challenger} as C}};"
            );
        }
        format!(
            "use droste_gadgets::suites::{module}::{hash} as H;\n\
             use droste_gadgets::suites::{other}::{challenger} as C;"
        )
    }

    /// The statement that gives the round constants, if there are any to give.
    fn set_constants(&self) -> String {
        if self.constants.is_empty() {
            return String::new();
        }
        let mut text = String::from("    set_constants(&[\n");
        for lanes in lanes(self.constants) {
            let _ = writeln!(text, "        {lanes:?},");
        }
        text + "    ]);\n"
    }

    /// The statements that verify the children.
    fn verified(&self) -> String {
        let (tag, header) = self.key;
        let header: Vec<Vec<u32>> = header.chunks(8).map(integers).collect();
        let openings = if self.opened { OPENINGS } else { "" };
        format!(
            "    let shape = shape();
{openings}    let key = Key {{
        tag: Felt::new({}),
        header: vec!{header:?},
    }};
    let mut children = Vec::new();
    for _i in 0..{} {{
        children.push({});
    }}
",
            tag.as_canonical_u32(),
            self.children,
            self.child,
        )
    }
}

/// The statements of `main` that make the openings.
const OPENINGS: &str = "    let openings_shape = openings_shape();
    let grid = grid();
    let openings = Openings {
        shape: &openings_shape,
        grid: &grid,
    };
";

/// The types that verify children over BabyBear, of these hashes of bytes.
fn over_baby_bear(
    Gadgets {
        hash: (module, hash),
        challenger: (other, challenger),
    }: Gadgets,
) -> String {
    let mut text = String::from(
        "use droste_gadgets::suites::baby_bear::OverBabyBear;\n\
         use droste_gadgets::suites::bytes::{BabyBear, ByteChallenger};\n",
    );
    let _ = writeln!(text, "use droste_gadgets::suites::{module}::{hash};");
    if module != other {
        let _ = writeln!(text, "use droste_gadgets::suites::{other}::{challenger};");
    }
    let _ = write!(
        text,
        "\ntype H = OverBabyBear<{hash}>;\n\
         type C = ByteChallenger<{challenger}, BabyBear>;\n"
    );
    text
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    #[test]
    fn a_program_ends_in_its_main() {
        let header: Vec<F> = (0..16).map(F::from_u32).collect();
        let mut text = String::from("// What verifies.\n");
        let entry = Entry {
            gadgets: gadgets(HashId::Keccak, Stack::Whir),
            field: ChallengeField::Quintic,
            constants: &[],
            opened: false,
            function: "over_whir",
            child: "over_whir::<H, C, Tables>(&shape, &Tables, &key)",
            key: (F::from_u32(7), &header),
            children: 2,
        };
        entry.write(&mut text);
        let expected = "// What verifies.

use droste_gadgets::suites::keccak::{Keccak as H, KeccakWhirChallenger as C};
use droste_gadgets::verify::recursion::{Key, over_whir, reveal_claim};

/// Verifies every child and reveals the claim.
pub fn main() {
    let shape = shape();
    let key = Key {
        tag: Felt::new(7),
        header: vec![[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]],
    };
    let mut children = Vec::new();
    for _i in 0..2 {
        children.push(over_whir::<H, C, Tables>(&shape, &Tables, &key));
    }
    reveal_claim(Felt::new(1668047209), &children);
}
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_program_in_the_quartic_field_begins_with_it() {
        let mut text = String::new();
        let entry = Entry {
            gadgets: gadgets_over_fri(TreesId::KeccakSponge, ChallengeField::Quartic),
            field: ChallengeField::Quartic,
            constants: &[],
            opened: false,
            function: "airs",
            child: "child",
            key: (F::from_u32(7), &[]),
            children: 1,
        };
        entry.write(&mut text);
        let begin = "
use droste_gadgets::suites::keccak_sponge::KeccakSponge as H;
use droste_gadgets::suites::keccak::KeccakChallenger as C;
use droste_gadgets::verify::recursion::{Key, airs, reveal_claim};

/// Verifies every child and reveals the claim.
pub fn main() {
    quartic();
    let shape = shape();
";
        assert!(text.starts_with(begin), "{text}");
    }

    #[test]
    fn a_program_over_baby_bear_begins_with_it() {
        let begin = |trees| {
            let mut text = String::new();
            let entry = Entry {
                gadgets: gadgets_over_fri(trees, ChallengeField::BabyBear),
                field: ChallengeField::BabyBear,
                constants: &[],
                opened: false,
                function: "airs",
                child: "child",
                key: (F::from_u32(7), &[]),
                children: 1,
            };
            entry.write(&mut text);
            text
        };
        let expected = "
use droste_gadgets::suites::baby_bear::OverBabyBear;
use droste_gadgets::suites::bytes::{BabyBear, ByteChallenger};
use droste_gadgets::suites::keccak_sponge::KeccakSponge;
use droste_gadgets::suites::keccak::Keccak;

type H = OverBabyBear<KeccakSponge>;
type C = ByteChallenger<Keccak, BabyBear>;

use droste_gadgets::verify::recursion::{Key, airs, reveal_claim};

/// Verifies every child and reveals the claim.
pub fn main() {
    baby_bear();
    let shape = shape();
";
        let text = begin(TreesId::KeccakSponge);
        assert!(text.starts_with(expected), "{text}");
        // One import of what both are made of.
        let text = begin(TreesId::Suite(HashId::Blake3));
        assert_eq!(text.matches("suites::blake3::Blake3;").count(), 1, "{text}");
        assert!(text.contains("type H = OverBabyBear<Blake3>;"), "{text}");
        let challenger = "type C = ByteChallenger<Blake3, BabyBear>;";
        assert!(text.contains(challenger), "{text}");
    }

    #[test]
    fn a_program_gives_the_openings_of_its_child() {
        let mut text = String::new();
        let entry = Entry {
            gadgets: gadgets_over_fri(TreesId::KeccakSponge, ChallengeField::Quintic),
            field: ChallengeField::Quintic,
            constants: &[],
            opened: true,
            function: "airs_opened",
            child: "child",
            key: (F::from_u32(7), &[]),
            children: 1,
        };
        entry.write(&mut text);
        let main = "
use droste_gadgets::verify::recursion::{Key, airs_opened, reveal_claim};

/// Verifies every child and reveals the claim.
pub fn main() {
    let shape = shape();
    let openings_shape = openings_shape();
    let grid = grid();
    let openings = Openings {
        shape: &openings_shape,
        grid: &grid,
    };
    let key = Key {
";
        assert!(text.contains(main), "{text}");
    }

    #[test]
    fn a_program_gives_its_round_constants() {
        let mut text = String::new();
        let constants = [[F::ONE; 8], [F::TWO; 8]];
        let entry = Entry {
            gadgets: gadgets_over_fri(TreesId::Poseidon2Narrow, ChallengeField::Quartic),
            field: ChallengeField::Quartic,
            constants: &constants,
            opened: false,
            function: "airs",
            child: "child",
            key: (F::from_u32(7), &[]),
            children: 1,
        };
        entry.write(&mut text);
        let begin = "
use droste_gadgets::suites::poseidon2_16::{Poseidon2Narrow as H, Poseidon2NarrowChallenger as C, set_constants};
use droste_gadgets::verify::recursion::{Key, airs, reveal_claim};

/// Verifies every child and reveals the claim.
pub fn main() {
    quartic();
    set_constants(&[
        [1, 1, 1, 1, 1, 1, 1, 1],
        [2, 2, 2, 2, 2, 2, 2, 2],
    ]);
    let shape = shape();
";
        assert!(text.starts_with(begin), "{text}");
    }
}
