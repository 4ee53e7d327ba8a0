//! Whatever a constraint system is, its identity depends on it.

use std::borrow::Cow;
use std::collections::HashSet;

use droste_native::{BabyBear, BabyBear4, Blake3Suite, FriSettings, HashSuite, KeccakSuite};
use p3_air::symbolic::SymbolicExpressionExt;
use p3_air::{AirBuilder, BaseAir, ExtensionBuilder, WindowAccess};
use p3_lookup::{Count, InteractionBuilder, LookupBus};
use p3_matrix::dense::RowMajorMatrix;

use super::*;
use crate::lookups::packed_lookups;
use crate::tables::{LookupCounts, TraceInput};

/// The square of a polynomial of two coefficients less another one, and a boolean.
#[derive(Clone)]
struct Squared {
    identity: PolynomialIdentity,
    /// What the table says that it has.
    declared: Vec<PolynomialIdentity>,
    root: usize,
}

impl BaseAir<F> for Squared {
    fn width(&self) -> usize {
        6
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Squared {
    fn eval(&self, builder: &mut AB) {
        self.identity.constrain(builder);
        let main = builder.main();
        builder.assert_bool(main.current_slice()[self.root]);
    }
}

impl Table for Squared {
    fn name(&self) -> &'static str {
        "squared"
    }

    fn identities(&self) -> Vec<PolynomialIdentity> {
        self.declared.clone()
    }

    fn trace(&self, _: &TraceInput<'_>, _: usize, _: &mut LookupCounts) -> RowMajorMatrix<F> {
        RowMajorMatrix::new(vec![], 6)
    }
}

/// The identity of a machine binds the polynomial identities of its tables, the other
/// constraints, and constraints that are not those of the identity.
#[test]
fn polynomial_identities_are_bound() {
    let summand = |weight: Vec<(usize, F)>| (vec![2, 3, 4], weight);
    let identity = PolynomialIdentity {
        products: vec![[vec![0, 1], vec![0, 1]]],
        summands: vec![summand(vec![(0, F::NEG_ONE)])],
    };
    let base = Squared {
        declared: vec![identity.clone()],
        identity,
        root: 5,
    };
    let edits: [fn(&mut PolynomialIdentity); 10] = [
        |identity| identity.products[0][0][1] = 2,
        |identity| identity.products[0][1] = vec![1, 0],
        |identity| identity.products[0] = [vec![0], vec![0, 1, 2]],
        |identity| identity.products.push([vec![0], vec![1]]),
        |identity| identity.products.clear(),
        |identity| identity.summands[0].0[0] = 3,
        |identity| identity.summands[0].1[0] = (0, F::ONE),
        |identity| identity.summands[0].1[0] = (1, F::NEG_ONE),
        |identity| identity.summands[0].1.push((1, F::NEG_ONE)),
        |identity| identity.summands.push((vec![4], vec![(0, F::ONE)])),
    ];
    let digest = |table: &Squared| {
        let lookups = [packed_lookups(table)];
        let settings = FriSettings::toy();
        let tables = [table.clone()];
        let messages = messages(&tables, &lookups);
        machine_id::<Blake3Suite>(&settings, &KeyHeights::Free, &messages)
    };
    let mut seen = HashSet::from([digest(&base)]);
    for (index, edit) in edits.into_iter().enumerate() {
        let mut other = base.clone();
        edit(&mut other.identity);
        // The constraints are not those of the identity that is declared.
        assert!(seen.insert(digest(&other)), "edit {index}");
        other.declared = vec![other.identity.clone()];
        assert!(seen.insert(digest(&other)), "edit {index}");
    }
    for edit in [
        |table: &mut Squared| table.declared.clear(),
        |table: &mut Squared| table.root = 0,
    ] {
        let mut other = base.clone();
        edit(&mut other);
        assert!(seen.insert(digest(&other)));
    }
    assert!(!seen.insert(digest(&base)));
}

/// A column times each of these constants, over the base field or over the extension, is zero.
#[derive(Clone)]
struct Scaled(Vec<Result<F, EF>>);

impl BaseAir<F> for Scaled {
    fn width(&self) -> usize {
        1
    }
}

impl Air<InteractionSymbolicBuilder<F, EF>> for Scaled {
    fn eval(&self, builder: &mut InteractionSymbolicBuilder<F, EF>) {
        let x = builder.main().current_slice()[0];
        for constant in &self.0 {
            match *constant {
                Ok(constant) => builder.assert_zero(x * constant),
                Err(constant) => {
                    let constant = SymbolicExpressionExt::<F, EF>::from(constant);
                    builder.assert_zero_ext(constant * SymbolicExpressionExt::<F, EF>::from(x));
                }
            }
        }
    }
}

/// Constraints over the extension are bound: that there are any, what they are, and their places.
#[test]
fn constraints_over_the_extension_are_bound() {
    let constant = |coefficients: [u32; 5]| EF::new(coefficients.map(F::new));
    let [a, b] = [2, 3].map(|constant| Ok(F::from_u32(constant)));
    let [same, x, y] = [[2, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]].map(constant);
    let [same, x, y] = [same, x, y].map(Err);
    let lists = [
        vec![],
        vec![a],
        vec![b],
        vec![same],
        vec![x],
        vec![y],
        vec![x, y],
        vec![y, x],
        vec![a, a],
        vec![a, same],
        vec![same, a],
        vec![a, x],
        vec![x, a],
        vec![a, b, x],
        vec![a, x, b],
        vec![x, a, b],
        vec![x, a, x, b],
    ];
    let mut seen = HashSet::new();
    for list in lists {
        let mut message = Message::default();
        message.table("scaled", &Scaled(list.clone()), &[]);
        assert!(seen.insert(message.elements), "{list:?}");
    }
}

/// A table over BabyBear with a constraint over it, one over the extension, and a periodic column.
#[derive(Clone, Copy)]
struct OverBabyBear {
    factor: u32,
    extension: [u32; 4],
    periodic: u32,
}

impl BaseAir<BabyBear> for OverBabyBear {
    fn width(&self) -> usize {
        1
    }

    fn num_periodic_columns(&self) -> usize {
        1
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<BabyBear>]> {
        Cow::Owned(vec![vec![BabyBear::new(self.periodic), BabyBear::ONE]])
    }
}

impl Air<InteractionSymbolicBuilder<BabyBear, BabyBear4>> for OverBabyBear {
    fn eval(&self, builder: &mut InteractionSymbolicBuilder<BabyBear, BabyBear4>) {
        let x = builder.main().current_slice()[0];
        builder.assert_zero(x * BabyBear::new(self.factor));
        let coefficients = self.extension.map(BabyBear::new);
        let constant = BabyBear4::from_basis_coefficients_fn(|i| coefficients[i]);
        let constant = SymbolicExpressionExt::<BabyBear, BabyBear4>::from(constant);
        builder.assert_zero_ext(constant * SymbolicExpressionExt::<BabyBear, BabyBear4>::from(x));
    }
}

/// Constants over BabyBear are bound by their canonical integers, up to the largest.
#[test]
fn constants_over_baby_bear_are_bound() {
    let message = |table: OverBabyBear| {
        let mut message = Message::default();
        message.table_over::<BabyBear, BabyBear4, _>("table", &table, &[]);
        message.elements
    };
    let first = OverBabyBear {
        factor: 2,
        extension: [0, 2, 3, 4],
        periodic: 2,
    };
    let mut seen = HashSet::from([message(first)]);
    let largest = BabyBear::ORDER_U32 - 1;
    for constant in [5, largest - 1, largest] {
        let factor = OverBabyBear {
            factor: constant,
            ..first
        };
        let extension = OverBabyBear {
            extension: [0, 2, 3, constant],
            ..first
        };
        let periodic = OverBabyBear {
            periodic: constant,
            ..first
        };
        for table in [factor, extension, periodic] {
            assert!(seen.insert(message(table)), "{constant}");
        }
    }
}

/// The constraint `factor * square = root^2` and a lookup; `weight` is the bound on the
/// lookup's count.
#[derive(Clone, Copy)]
struct Squares {
    name: &'static str,
    factor: u32,
    bus: &'static str,
    field: usize,
    weight: u32,
    is_provided: bool,
    on_transition: bool,
    reads_next: bool,
}

const SQUARES: Squares = Squares {
    name: "squares",
    factor: 1,
    bus: "squares",
    field: 1,
    weight: 1,
    is_provided: false,
    on_transition: false,
    reads_next: true,
};

impl BaseAir<F> for Squares {
    fn width(&self) -> usize {
        3
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        if self.reads_next {
            vec![0, 1, 2]
        } else {
            vec![]
        }
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Squares {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let [root, square, count] = [0, 1, 2].map(|i| main.current_slice()[i]);
        let difference = square * F::from_u32(self.factor) - root * root;
        if self.on_transition {
            builder.when_transition().assert_zero(difference);
        } else {
            builder.assert_zero(difference);
        }
        let fields = [root, [root, square][self.field]];
        let bus = LookupBus::new(self.bus);
        if self.is_provided {
            bus.table_entry(builder, fields, count);
        } else {
            bus.lookup_key(builder, fields, Count::bounded(count.into(), self.weight));
        }
    }
}

impl Table for Squares {
    fn name(&self) -> &'static str {
        self.name
    }

    fn rows(&self, _: &TraceInput<'_>) -> usize {
        0
    }

    fn trace(&self, _: &TraceInput<'_>, _: usize, _: &mut LookupCounts) -> RowMajorMatrix<F> {
        RowMajorMatrix::new(vec![], 3)
    }
}

fn identity<H: HashSuite>(tables: &[Squares], heights: &KeyHeights) -> [F; 8] {
    let lookups: Vec<_> = tables.iter().map(packed_lookups).collect();
    machine_id::<H>(&FriSettings::toy(), heights, &messages(tables, &lookups))
}

/// No list of numbers has the message of another, at the ends of one element and of two.
#[test]
fn numbers_are_told_apart() {
    let ends = [
        0,
        1,
        (1 << 30) - 1,
        1 << 30,
        (1 << 30) + 1,
        1 << 31,
        (1 << 59) - 1,
    ];
    let message = |numbers: &[usize]| {
        let mut message = Message::default();
        numbers.iter().for_each(|&number| message.number(number));
        message.elements
    };
    let mut seen = HashSet::new();
    for first in ends {
        assert!(seen.insert(message(&[first])), "{first}");
        for second in ends {
            let both = message(&[first, second]);
            assert!(seen.insert(both), "{first}, {second}");
        }
    }
}

#[test]
fn identities_differ_with_everything_a_table_is() {
    let edits: [fn(&mut Squares); 8] = [
        |table| table.name = "other",
        |table| table.factor = 2,
        |table| table.bus = "other",
        |table| table.field = 0,
        |table| table.weight = 2,
        |table| table.is_provided = true,
        |table| table.on_transition = true,
        |table| table.reads_next = false,
    ];
    let free = &KeyHeights::Free;
    let two = |other: Squares| [SQUARES, other];
    let mut seen = HashSet::from([identity::<Blake3Suite>(&two(SQUARES), free)]);
    for (index, edit) in edits.into_iter().enumerate() {
        let mut other = SQUARES;
        edit(&mut other);
        assert!(
            seen.insert(identity::<Blake3Suite>(&two(other), free)),
            "edit {index}"
        );
        // The same tables in reverse order.
        let turned = [other, SQUARES];
        assert!(
            seen.insert(identity::<Blake3Suite>(&turned, free)),
            "edit {index}"
        );
    }
    assert!(seen.insert(identity::<Blake3Suite>(&[SQUARES], free)));
    assert!(seen.insert(identity::<KeccakSuite>(&two(SQUARES), free)));
    for heights in [[6, 7], [7, 6]] {
        let fixed = KeyHeights::Fixed(heights.to_vec());
        assert!(seen.insert(identity::<Blake3Suite>(&two(SQUARES), &fixed)));
    }
    // The same system has the same identity again.
    assert!(!seen.insert(identity::<Blake3Suite>(&two(SQUARES), free)));
}
