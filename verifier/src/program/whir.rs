//! The text of programs that verify proofs over WHIR, and their native runs. The verifier itself is
//! `droste_gadgets::verify::whir`.

use droste_gadgets::verify::recursion::{self as entries};
use droste_gadgets::verify::whir::shape::Shape;
use droste_native::field::ChallengeField;
use droste_native::{F, HashId};
use droste_vm::stack::Stack;
use droste_vm::whir::KEY_TAG;

use super::{Entry, constraints, gadgets, literal, run, shape_function};
use crate::codegen::{WhirEvaluators, WhirTable};
use crate::tape::TapeSuite;

/// Text of the program that verifies `children` proofs of `shape`, which are committed in `hash`
/// and whose tables have these evaluators. The preimage of their key digests is `header`, then the
/// commitment to the program.
pub fn recursion(
    hash: HashId,
    shape: &Shape,
    evaluators: &WhirEvaluators,
    header: &[F],
    children: usize,
) -> String {
    let mut text = verifier(shape, evaluators);
    entry(hash, header, children).write(&mut text);
    text
}

/// Text of `shape()` and `Tables`, with which `droste_gadgets::verify::whir` verifies proofs of
/// `shape`, whose tables have these evaluators.
pub(super) fn verifier(shape: &Shape, evaluators: &WhirEvaluators) -> String {
    let mut text = evaluators.text();
    text.push_str(
        "\nuse droste_gadgets::verify::whir::constraints::Constraints;\n\
         use droste_gadgets::verify::whir::shape::{Columns, Shape, Table};\n\
         use droste_gadgets::verify::whir::opening::shape::{Queries, Round, Shape as Opening, Sumcheck};\n\n",
    );
    let calls = |evaluator: &str| {
        let tables = evaluators.tables.iter().enumerate();
        let call = |(index, table): (usize, &WhirTable)| {
            (index, format!("{evaluator}_{}(v, c)", table.name))
        };
        tables.map(call).collect()
    };
    let none = "panic!(\"there is no such table\")";
    constraints(
        &mut text,
        &[
            (
                "folded(&self, table: usize, v: &Opened, c: &Challenges) -> Ext",
                calls("eval"),
                none,
            ),
            (
                "messages(&self, table: usize, v: &Opened, c: &Messages) -> Ext",
                calls("messages"),
                none,
            ),
        ],
    );
    // The shape of the opening has the name of the outer one.
    let literal = literal(shape).replace("opening: Shape {", "opening: Opening {");
    shape_function(&mut text, &literal);
    text
}

/// What verifies so many proofs, committed in `hash`, whose key digests have the preimage `header`,
/// then the commitment to the program.
pub(super) fn entry(hash: HashId, header: &[F], children: usize) -> Entry<'_> {
    Entry {
        gadgets: gadgets(hash, Stack::Whir),
        field: ChallengeField::Quintic,
        constants: &[],
        opened: false,
        function: "over_whir",
        child: "over_whir::<H, C, Tables>(&shape, &Tables, &key)",
        key: (KEY_TAG, header),
        children,
    }
}

/// Runs natively what the program of [`recursion`] does.
pub(crate) fn run_recursion<H: TapeSuite>(
    shape: &Shape,
    evaluators: &WhirEvaluators,
    header: &[F],
    children: usize,
) {
    run(KEY_TAG, header, children, |key| {
        entries::over_whir::<H::Gadget, H::WhirTranscript, _>(shape, evaluators, key)
    });
}
