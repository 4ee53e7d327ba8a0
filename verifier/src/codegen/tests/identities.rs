//! Evaluators over WHIR of a table with polynomial identities.

use droste_native::F;
use droste_vm::multilinear::tables::System;
use droste_vm::tables::binary_products::BinaryProductsTable;
use p3_air::BaseAir;

use super::reference::{expected, random_opening};
use crate::codegen::{AirShape, MultilinearEvaluators};

/// Constraints are folded as Plonky3's verifier folds them one by one.
#[test]
fn identities_are_folded_with_the_other_constraints() {
    let table = BinaryProductsTable;
    let system = System::new(&[table]).unwrap();
    let evaluators = MultilinearEvaluators::new(&system).unwrap();
    let [evaluator] = &evaluators.tables[..] else {
        panic!("one table");
    };
    let shape = AirShape {
        main_width: BaseAir::<F>::width(&table),
        main_next: true,
        num_constraints: evaluator.num_constraints,
        ..AirShape::default()
    };
    for seed in 0..3 {
        let opened = random_opening(&shape, 0, seed);
        let found = evaluator.constraints.evaluate(&opened).unwrap();
        assert_eq!(found, [expected(&table, &[], &shape, &opened)]);
    }
    // A bit of a factor takes one instruction in the identity, and two as a boolean.
    let lengths = (evaluator.constraints.len(), evaluator.messages.len());
    assert_eq!(lengths, (3113, 1836));
}
