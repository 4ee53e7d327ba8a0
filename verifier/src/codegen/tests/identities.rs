//! Evaluators over WHIR of a table with polynomial identities.

use droste_air::End;
use droste_native::F;
use droste_vm::tables::binary_products::BinaryProductsTable;
use droste_vm::tables::{LookupCounts, PolynomialIdentity, Table, TraceInput};
use droste_vm::whir::system::System;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use super::reference::{expected, random_opening};
use crate::codegen::{AirShape, WhirEvaluators};

/// Constraints are folded as Plonky3's verifier folds them one by one.
#[test]
fn identities_are_folded_with_the_other_constraints() {
    let table = BinaryProductsTable;
    let system = System::new(&[table]).unwrap();
    let evaluators = WhirEvaluators::new(&system).unwrap();
    let [evaluator] = &evaluators.tables[..] else {
        panic!("one table");
    };
    let shape = AirShape {
        main_width: BaseAir::<F>::width(&table),
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
    assert_eq!(lengths, (3107, 1451));
}

/// Three identities, of 4, 1 and 5 constraints, and so many others.
struct Several {
    others: usize,
}

impl BaseAir<F> for Several {
    fn width(&self) -> usize {
        9
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for Several {
    fn eval(&self, builder: &mut AB) {
        for identity in self.identities() {
            identity.constrain(builder);
        }
        let main = builder.main();
        let row = main.current_slice();
        for &cell in &row[..self.others] {
            builder.assert_bool(cell);
        }
    }
}

impl Table for Several {
    fn name(&self) -> &'static str {
        "several"
    }

    fn is_sound_with(&self, _: End) -> bool {
        true
    }

    fn identities(&self) -> Vec<PolynomialIdentity> {
        let weight = |terms: &[(usize, i32)]| {
            let terms = terms.iter();
            terms
                .map(|&(exponent, coefficient)| (exponent, F::from_i32(coefficient)))
                .collect()
        };
        vec![
            PolynomialIdentity {
                products: vec![
                    [vec![0, 1, 2], vec![3, 4]],
                    [vec![5], vec![5]],
                    [vec![7], vec![]],
                ],
                summands: vec![(vec![6, 7], weight(&[(2, 5), (0, -1), (0, 3)]))],
            },
            PolynomialIdentity {
                products: vec![],
                summands: vec![(vec![8], weight(&[(0, 1)])), (vec![0], weight(&[]))],
            },
            PolynomialIdentity {
                products: vec![[vec![8, 0], vec![1, 8, 1, 2]]],
                summands: vec![],
            },
        ]
    }

    fn trace(&self, _: &TraceInput<'_>, _: usize, _: &mut LookupCounts) -> RowMajorMatrix<F> {
        RowMajorMatrix::new(vec![], 9)
    }
}

/// Several identities, with and without constraints after them.
#[test]
fn several_identities_are_folded_in_order() {
    for others in [0, 1, 4] {
        let table = Several { others };
        let system = System::new(std::slice::from_ref(&table)).unwrap();
        let evaluators = WhirEvaluators::new(&system).unwrap();
        let [evaluator] = &evaluators.tables[..] else {
            panic!("one table");
        };
        assert_eq!(evaluator.num_constraints, 4 + 1 + 5 + others);
        let shape = AirShape {
            main_width: BaseAir::<F>::width(&table),
            main_next: true,
            num_constraints: evaluator.num_constraints,
            ..AirShape::default()
        };
        let opened = random_opening(&shape, 0, others as u64);
        let found = evaluator.constraints.evaluate(&opened).unwrap();
        assert_eq!(found, [expected(&table, &[], &shape, &opened)]);
    }
}
