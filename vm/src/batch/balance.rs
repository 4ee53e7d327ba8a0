//! Whether the messages of traces balance: what a prover must know before it begins, if the one it
//! calls does not expect anything else.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use droste_air::End;
use droste_native::{EF, F};
use p3_air::BaseAir;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_lookup::{Kind, Lookup};
use p3_matrix::dense::RowMajorMatrix;

use super::columns::{ReadColumns, Source, ZeroDenominator, sums};
use super::messages::{Fractions, Messages};

/// A table with its lookups, its trace and its public values.
pub struct Balance<'a, A> {
    /// Name of the table.
    pub name: &'a str,
    /// The table.
    pub table: &'a A,
    /// Its lookups.
    pub lookups: &'a [Lookup<F>],
    /// Its trace.
    pub trace: &'a RowMajorMatrix<F>,
    /// Its public values.
    pub public_values: &'a [F],
}

/// Returns a bus on which not as much is received as is sent, if there is one. A lookup within a
/// table is a bus of its own.
///
/// The fractions of each bus are added at a random point (LogUp: ePrint 2022/1530), which whoever
/// made the traces cannot know.
///
/// # Errors
/// With negligible probability, if a message equals the random point.
pub fn unbalanced_bus<A: BaseAir<F>>(
    tables: &[Balance<'_, A>],
    end: End,
) -> Result<Option<String>, ZeroDenominator> {
    let random = RandomState::new();
    let challenge = |seed: usize| {
        EF::from_basis_coefficients_fn(|limb| F::from_u64(random.hash_one((seed, limb))))
    };
    let challenges = [challenge(0), challenge(1)];
    let mut buses: BTreeMap<String, EF> = BTreeMap::new();
    for table in tables.iter().filter(|table| !table.lookups.is_empty()) {
        let messages = Messages::new(table.lookups);
        let of_columns = challenges.repeat(table.lookups.len());
        let fractions = Fractions::new(&messages, &of_columns);
        let read = ReadColumns::new(table.trace, &messages.main_columns());
        let preprocessed = table.table.preprocessed_trace();
        let periodic = table.table.periodic_columns();
        let source = Source {
            trace: &read,
            preprocessed: preprocessed.as_ref(),
            periodic: &periodic,
            public_values: table.public_values,
            end,
        };
        let sums = sums(&source, &fractions, table.lookups.len())?;
        for (index, (lookup, sum)) in table.lookups.iter().zip(sums).enumerate() {
            let bus = match &lookup.kind {
                Kind::Global(bus) => bus.clone(),
                Kind::Local => format!("{index} within table {}", table.name),
            };
            *buses.entry(bus).or_insert(EF::ZERO) += sum;
        }
    }
    let unbalanced = buses.into_iter().find(|(_, sum)| *sum != EF::ZERO);
    Ok(unbalanced.map(|(bus, _)| bus))
}
