//! Symbolic evaluation of tables, and layout of the lookup argument: which messages share an
//! auxiliary column.

use droste_native::{EF, F};
use p3_air::Air;
use p3_air::symbolic::{AirLayout, SymbolicExpression, SymbolicExpressionExt};
use p3_field::{ExtensionField, Field};
use p3_lookup::{
    Count, InteractionSymbolicBuilder, Kind, LogUpGadget, Lookup, LookupProtocol, Lookups,
};

/// Constraints that the lookup argument has in addition to one per auxiliary column: those of the
/// accumulator on the first row, between rows, and on the last row.
const ACCUMULATOR_CONSTRAINTS: usize = 3;

/// Degree of the accumulator's constraints on the first and on the last row.
const ACCUMULATOR_DEGREE: usize = 2;

/// A table, evaluated symbolically over a base field and an extension.
pub(crate) struct Evaluated<K: Field = F, E: ExtensionField<K> = EF> {
    /// What it has recorded.
    pub builder: InteractionSymbolicBuilder<K, E>,
    /// Its constraints over the base field. The builder hands out copies.
    pub constraints: Vec<SymbolicExpression<K>>,
    /// Those over the extension, of which hardly any table has one.
    pub extension: Vec<SymbolicExpressionExt<K, E>>,
    max_degree: Option<usize>,
}

impl Evaluated {
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn new<A>(air: &A) -> Self
    where
        A: Air<InteractionSymbolicBuilder<F, EF>>,
    {
        Self::over(air)
    }
}

impl<K: Field, E: ExtensionField<K>> Evaluated<K, E> {
    /// As [`Self::new`], over any fields.
    pub fn over<A>(air: &A) -> Self
    where
        A: Air<InteractionSymbolicBuilder<K, E>>,
    {
        let builder = InteractionSymbolicBuilder::from_air(air, AirLayout::from_air(air));
        Self {
            constraints: builder.base_constraints(),
            extension: builder.extension_constraints(),
            max_degree: air.max_constraint_degree(),
            builder,
        }
    }

    /// The lookups, each message on a bus by itself: those of [`Lookups::from_air`] but for
    /// exclusive ones.
    pub fn lookups(&self) -> Vec<Lookup<K>> {
        let locals = self.builder.local_interactions().iter().map(|lookup| {
            let mut weight = 0_u32;
            let count = |(_, count): &(_, Count<_>)| {
                let (multiplicity, own) = count.clone().into_parts();
                weight = weight.saturating_add(own);
                multiplicity
            };
            Lookup {
                kind: Kind::Local,
                multiplicities: lookup.tuples.iter().map(count).collect(),
                elements: lookup
                    .tuples
                    .iter()
                    .map(|(tuple, _)| tuple.clone())
                    .collect(),
                count_weight: weight,
                column: 0,
                flags: None,
            }
        });
        let globals = self.builder.global_interactions().iter();
        let globals = globals.map(|message| Lookup {
            kind: Kind::Global(message.bus_name.clone()),
            elements: vec![message.fields.clone()],
            multiplicities: vec![message.count.clone()],
            count_weight: message.count_weight,
            column: 0,
            flags: None,
        });
        let numbered = locals.chain(globals).enumerate();
        numbered
            .map(|(column, lookup)| Lookup { column, ..lookup })
            .collect()
    }
}

/// Returns the number and the largest degree of a table's constraints, lookup argument included.
///
/// A periodic column counts as degree 1 like any other, so the degree does not depend on the
/// height. Plonky3 has functions for both numbers, but they evaluate the lookup argument
/// symbolically: for a table of thousands of columns that takes longer than verifying a proof.
pub(crate) fn constraint_shape<K: Field, E: ExtensionField<K>>(
    table: &Evaluated<K, E>,
    lookups: &[Lookup<K>],
) -> (usize, usize) {
    let constraints = table.constraints.len() + table.extension.len();
    let base = table.constraints.iter();
    let extension = table.extension.iter();
    let degree = base
        .map(SymbolicExpression::degree_multiple)
        .chain(extension.map(SymbolicExpressionExt::degree_multiple))
        .chain(table.max_degree)
        .max()
        .unwrap_or(0);
    if lookups.is_empty() {
        return (constraints, degree);
    }
    let gadget = LogUpGadget::new();
    let fractions = lookups
        .iter()
        .map(|lookup| gadget.constraint_degree(lookup));
    (
        constraints + lookups.len() + ACCUMULATOR_CONSTRAINTS,
        fractions.fold(degree.max(ACCUMULATOR_DEGREE), usize::max),
    )
}

/// Packs the messages of a table into as few auxiliary columns as possible without adding a
/// quotient chunk, as Plonky3 does.
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub(crate) fn packed_lookups<A>(air: &A) -> Lookups<F>
where
    A: Air<InteractionSymbolicBuilder<F, EF>>,
{
    let unpacked = Lookups::from_air::<EF, A>(air);
    let (_, degree) = constraint_shape(&Evaluated::new(air), &unpacked);
    let chunks = (degree.max(2) - 1).next_power_of_two();
    unpacked.pack_same_bus(&LogUpGadget::new(), chunks + 1)
}

/// Returns an upper bound on the number of messages that one row of a table with these lookups
/// takes from buses.
///
/// Plonky3 0.8.0 lets the summed weights of one local lookup saturate, so a saturated weight is
/// replaced by a number above every field's size.
pub fn row_weight<K: Field>(lookups: &[Lookup<K>]) -> u128 {
    lookups
        .iter()
        .map(|lookup| match lookup.count_weight {
            // A saturated sum: replaced by more than the field can count.
            u32::MAX => u128::from(u64::MAX),
            weight => u128::from(weight),
        })
        .sum()
}

/// Returns an upper bound on the number of messages that tables of these heights take from buses,
/// given one for a row of each ([`row_weight`]).
pub(crate) fn total_weight(weights: impl Iterator<Item = u128>, heights: &[usize]) -> u128 {
    weights
        .zip(heights)
        .map(|(weight, &height)| weight * height as u128)
        .sum()
}

#[cfg(test)]
mod tests {
    use p3_air::{AirBuilder, BaseAir, ExtensionBuilder, WindowAccess};
    use p3_batch_stark::symbolic::{get_log_num_quotient_chunks, get_symbolic_constraints};
    use p3_lookup::InteractionBuilder;

    use std::collections::BTreeMap;

    use super::*;
    use crate::machine::standard_tables;
    use crate::tables::{Table, bus};

    /// No message of a bus can be taken for another one with zeros before or after it. Those of two
    /// buses, such as words and pairs of carries, are told apart by a number of the bus.
    #[test]
    fn messages_of_a_bus_have_one_length() {
        let declared = bus::DECLARATIONS.map(|declaration| (declaration.bus, declaration.length()));
        let lengths = BTreeMap::from(declared);
        for table in standard_tables() {
            for lookup in Lookups::from_air::<EF, _>(&table).iter() {
                let Kind::Global(bus) = &lookup.kind else {
                    continue;
                };
                for message in &lookup.elements {
                    let length = lengths[bus.as_str()];
                    assert_eq!(message.len(), length, "{}: {bus}", table.name());
                }
            }
        }
        assert_eq!(lengths["word"], 2);
        assert_eq!(lengths["block"], 9);
    }

    /// The lookups of every table are those that Plonky3 finds by evaluating it again.
    #[test]
    fn lookups_are_plonky3s() {
        for table in standard_tables() {
            let found = Evaluated::new(&table).lookups();
            let expected = Lookups::from_air::<EF, _>(&table);
            assert_eq!(format!("{found:?}"), format!("{:?}", &*expected));
        }
    }

    /// A table with lookups within itself, of which the standard tables have none: their messages
    /// take so many from them.
    struct Local([u32; 2]);

    impl BaseAir<F> for Local {
        fn width(&self) -> usize {
            2
        }
    }

    impl Air<InteractionSymbolicBuilder<F, EF>> for Local {
        fn eval(&self, builder: &mut InteractionSymbolicBuilder<F, EF>) {
            let main = builder.main();
            let (x, y) = (main.current_slice()[0], main.current_slice()[1]);
            builder.push_interaction("bus", [x, y], Count::bounded(y.into(), 3));
            let tuples = self
                .0
                .map(|weight| (vec![x.into()], Count::bounded(y.into(), weight)));
            builder.push_local_interaction(tuples);
            builder.push_local_interaction([(vec![y.into()], Count::from(1))]);
        }
    }

    /// Those within a table, too, also where the sum of what they take saturates.
    #[test]
    fn local_lookups_are_plonky3s() {
        for (weights, sum) in [
            ([0, 1], 1),
            ([2, 3], 5),
            ([u32::MAX, 1], u64::MAX),
            ([u32::MAX - 1, 1], u64::MAX),
        ] {
            let table = Local(weights);
            let found = Evaluated::new(&table).lookups();
            let expected = Lookups::from_air::<EF, _>(&table);
            assert_eq!(format!("{found:?}"), format!("{:?}", &*expected));
            // One more of the second lookup, and three of the bus.
            assert_eq!(row_weight(&found), u128::from(sum) + 4);
        }
    }

    /// A table with a constraint of degree 2, and one of degree 3 over the extension.
    struct Extension;

    impl BaseAir<F> for Extension {
        fn width(&self) -> usize {
            1
        }
    }

    impl Air<InteractionSymbolicBuilder<F, EF>> for Extension {
        fn eval(&self, builder: &mut InteractionSymbolicBuilder<F, EF>) {
            let x = builder.main().current_slice()[0];
            builder.assert_bool(x);
            builder.assert_zero_ext(x * x * x);
        }
    }

    #[test]
    fn constraints_over_the_extension_count() {
        let table = Evaluated::new(&Extension);
        assert_eq!(constraint_shape(&table, &[]), (2, 3));
    }

    /// Heights at which messages could outnumber the field's elements are detected, and the sums do
    /// not wrap around.
    #[test]
    fn messages_that_could_wrap_are_counted() {
        let tables = standard_tables();
        let weights: Vec<_> = tables
            .iter()
            .map(|table| row_weight(&packed_lookups(table)))
            .collect();
        let modulus = u128::from(droste_native::field::MODULUS);
        let weight =
            |log: usize| total_weight(weights.iter().copied(), &vec![1 << log; weights.len()]);
        assert_eq!(weight(10) << 30, weight(40));
        assert!(weight(10) < modulus && weight(40) >= modulus);
    }

    /// Shape and packing of every table with a few hundred columns at most equal those that Plonky3
    /// computes symbolically.
    #[test]
    fn shapes_are_plonky3s() {
        let tables = standard_tables();
        let gadget = LogUpGadget::new();
        for table in tables
            .iter()
            .filter(|table| p3_air::BaseAir::<F>::width(*table) < 1000)
        {
            let lookups = packed_lookups(table);
            let layout = AirLayout::from_air::<F>(table);
            let (base, extension) =
                get_symbolic_constraints::<F, EF, _, _>(table, layout, &lookups, &gadget);
            let degrees = base.iter().map(SymbolicExpression::degree_multiple);
            let degrees = degrees.chain(extension.iter().map(|c| c.degree_multiple()));
            let expected = (base.len() + extension.len(), degrees.max().unwrap());
            assert_eq!(
                constraint_shape(&Evaluated::new(table), &lookups),
                expected,
                "{}",
                table.name()
            );

            let unpacked = Lookups::from_air::<EF, _>(table);
            let log_chunks = get_log_num_quotient_chunks::<F, EF, _, _>(
                table,
                layout,
                1 << 20,
                &unpacked,
                0,
                &gadget,
            );
            let packed = unpacked.pack_same_bus(&gadget, (1 << log_chunks) + 1);
            assert_eq!(packed.len(), lookups.len(), "{}", table.name());
        }
    }
}
