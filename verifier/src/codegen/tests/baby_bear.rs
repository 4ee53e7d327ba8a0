//! Evaluators of AIRs over BabyBear, compared with Plonky3's constraint folder.

use std::borrow::Cow;

use droste_native::field::ChallengeField;
use droste_native::{BabyBear, BabyBear4, F};
use p3_air::{Air, AirBuilder, BaseAir, ExtensionBuilder, WindowAccess};
use p3_batch_stark::folder::VerifierConstraintFolderWithLookups;
use p3_commit::{PeriodicColumns, PolynomialSpace};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use p3_lookup::{InteractionBuilder, InteractionSymbolicBuilder, LogUpGadget, LookupBus, Lookups};

use super::airs::Sample;
use super::reference::{BabyBearConfig, expected_over_baby_bear, random_opening};
use crate::codegen::cells::cell;
use crate::codegen::{FriEvaluators, Input, Instruction, TableSource, Value, generate};

/// An AIR whose constants are above half the modulus, so that products and sums of them, which the
/// passes compute, wrap around.
struct Large;

const WIDTH: usize = 3;

/// The modulus is 2013265921.
const LARGE: [u32; 4] = [2_013_265_920, 2_013_265_919, 1_500_000_000, 1_006_632_961];

impl BaseAir<BabyBear> for Large {
    fn width(&self) -> usize {
        WIDTH
    }

    fn num_public_values(&self) -> usize {
        2
    }

    fn num_periodic_columns(&self) -> usize {
        1
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<BabyBear>]> {
        Cow::Owned(vec![LARGE.map(BabyBear::new).to_vec()])
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        (0..WIDTH).collect()
    }
}

impl<AB: AirBuilder<F = BabyBear> + InteractionBuilder> Air<AB> for Large {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let here: Vec<AB::Expr> = main.current_slice().iter().map(|&x| x.into()).collect();
        let next: Vec<AB::Expr> = main.next_slice().iter().map(|&x| x.into()).collect();
        let public: Vec<AB::Expr> = builder.public_values().iter().map(|&x| x.into()).collect();
        let periodic: AB::Expr = builder.periodic_values()[0].into();
        let [a, b, c, d] = LARGE.map(BabyBear::new);
        // Products of constants, in one constraint and over several.
        let sum = here[0].clone() * a + here[1].clone() * b + c;
        builder.assert_zero((sum.clone() * d + a) * (sum.clone() - here[2].clone() * c));
        builder.assert_zero(sum.clone() * b - public[0].clone() * c);
        builder
            .when_transition()
            .assert_eq(next[0].clone() * d, sum * periodic + d);
        builder
            .when_first_row()
            .assert_eq(here[2].clone() + a, public[1].clone() * public[0].clone());
        builder
            .when_last_row()
            .assert_eq(next[1].clone() + b, here[2].clone() * d);
        LookupBus::new("first").lookup_key(builder, [here[0].clone() + c, here[1].clone()], 1);
        LookupBus::new("second").table_entry(builder, [next[2].clone() * d], here[2].clone());
    }
}

/// Generates evaluators and compares each with Plonky3's folder on several random openings.
fn check<A>(airs: &[(&str, A)], packing: usize) -> FriEvaluators
where
    A: Air<InteractionSymbolicBuilder<BabyBear, BabyBear4>>
        + for<'a> Air<VerifierConstraintFolderWithLookups<'a, BabyBearConfig>>,
{
    let pack = |(_, air): &(&str, A)| {
        let lookups = Lookups::<BabyBear>::from_air::<BabyBear4, A>(air);
        lookups.pack_same_bus(&LogUpGadget::new(), packing)
    };
    let packed: Vec<Lookups<BabyBear>> = airs.iter().map(pack).collect();
    let tables = airs.iter().zip(&packed);
    let sources: Vec<TableSource<'_, A, BabyBear>> = tables
        .map(|((name, air), lookups)| TableSource {
            name,
            air,
            lookups,
            preprocessed_width: BaseAir::<BabyBear>::preprocessed_width(air),
            log_height: 6,
        })
        .collect();
    let evaluators = generate::<BabyBear4, A>(&sources).unwrap();
    assert_eq!(evaluators.field, ChallengeField::BabyBear);
    for (table, source) in evaluators.tables.iter().zip(&sources) {
        let shape = &table.shape;
        for seed in 0..4 {
            let opened = random_opening::<BabyBear4>(shape, evaluators.buses.count, seed);
            let expected = expected_over_baby_bear(source.air, source.lookups, shape, &opened);
            let found = table.program.evaluate(&opened).unwrap();
            assert_eq!(found, [expected], "table {}, seed {seed}", table.name);
        }
    }
    evaluators
}

#[test]
fn sample_tables_match_p3() {
    for packing in [2, 3, 5] {
        check(
            &[
                ("everything", Sample::Everything),
                ("narrow", Sample::Narrow),
                ("constants", Sample::Constants),
            ],
            packing,
        );
    }
}

#[test]
fn large_constants_match_p3() {
    for packing in [2, 3] {
        let evaluators = check(&[("large", Large)], packing);
        let table = &evaluators.tables[0];
        assert_eq!(table.shape.num_lookups, 2);
        assert_eq!(table.shape.permutation_width(), 12);
        let instructions = &table.program.instructions;
        let constants = instructions.iter().flat_map(Instruction::operands);
        let constants: Vec<u32> = constants
            .filter_map(|operand| match operand {
                Value::Constant(c) => Some(c.as_canonical_u32()),
                _ => None,
            })
            .collect();
        assert!(constants.iter().all(|&c| c < BabyBear::ORDER_U32));
        assert!(!constants.is_empty());
    }
}

/// Public values are extension elements at run time, since the machine's words are of another
/// field.
#[test]
fn public_values_are_elements() {
    let evaluators = check(&[("large", Large)], 3);
    let program = &evaluators.tables[0].program;
    let operands = || program.instructions.iter().flat_map(Instruction::operands);
    for i in 0..2 {
        assert!(operands().any(|x| x == Value::Input(Input::PublicElement(i))));
    }
    assert!(operands().all(|x| !matches!(x, Value::Input(Input::Public(_)))));
    let text = evaluators.text();
    assert!(text.contains("v.public_elements[1]") && !text.contains("public_values"));
    // No step is of scalars alone: those that are left are constants, and are computed here.
    for instruction in &program.instructions {
        assert!(instruction.operands().any(|operand| !operand.is_scalar()));
    }
}

#[test]
fn periodic_columns_match_p3() {
    let evaluators = check(&[("large", Large)], 3);
    let table = &evaluators.tables[0];
    let columns = Large.periodic_columns();
    let cells = columns.iter().map(|c| c.iter().map(|&x| cell(x)).collect());
    assert_eq!(table.shape.periodic_columns, cells.collect::<Vec<Vec<F>>>());
    let domain = TwoAdicMultiplicativeCoset::<BabyBear>::new(BabyBear::ONE, 6).unwrap();
    for seed in 0..4 {
        let opened = random_opening::<BabyBear4>(&table.shape, 2, seed);
        let screened = PeriodicColumns::new(&columns, 64).unwrap();
        assert_eq!(
            table.periodic.evaluate(&opened).unwrap(),
            domain.evaluate_periodic_columns_at(screened, opened.point)
        );
    }
}

/// An AIR with a constant of the extension, which is that of the challenges.
struct Generator;

impl BaseAir<BabyBear> for Generator {
    fn width(&self) -> usize {
        1
    }
}

impl<AB: ExtensionBuilder<F = BabyBear, EF = BabyBear4>> Air<AB> for Generator {
    fn eval(&self, builder: &mut AB) {
        let x = BabyBear4::from_basis_coefficients_fn(|i| BabyBear::new(LARGE[i]));
        let first: AB::Expr = builder.main().current_slice()[0].into();
        let first: AB::ExprEF = first.into();
        builder.assert_zero_ext(first * x + x);
    }
}

#[test]
fn constants_of_the_extension_are_taken() {
    let air = Generator;
    let source = TableSource {
        name: "sample",
        air: &air,
        lookups: &[],
        preprocessed_width: 0,
        log_height: 3,
    };
    let evaluators = generate::<BabyBear4, Generator>(&[source]).unwrap();
    let table = &evaluators.tables[0];
    for seed in 0..4 {
        let opened = random_opening::<BabyBear4>(&table.shape, 0, seed);
        let expected = expected_over_baby_bear(&air, &[], &table.shape, &opened);
        assert_eq!(table.program.evaluate(&opened).unwrap(), [expected]);
    }
    assert!(
        evaluators
            .text()
            .contains("const X3: Ext = Ext::new([0, 0, 0, 1, 0]);")
    );
}
