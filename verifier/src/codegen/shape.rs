//! The shape of a table's part of a proof.

use std::collections::HashMap;

use droste_native::F;
use droste_native::field::BaseField;
use p3_lookup::{Kind, Lookup};
use p3_util::log2_ceil_usize;

use super::CodegenError;

/// Shape of one table's part of a proof, as Plonky3's batch verifier derives it from the AIR.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AirShape {
    /// Degree of the field of challenges.
    pub degree: usize,
    /// Columns of the main trace.
    pub main_width: usize,
    /// Whether the main trace, with all its columns, is opened at the next point too.
    pub main_next: bool,
    /// Columns of the preprocessed trace, zero if there is none.
    pub preprocessed_width: usize,
    /// Whether the preprocessed trace is opened at the next point too.
    pub preprocessed_next: bool,
    /// Largest degree of a constraint, or what the AIR says it is if that is more.
    pub constraint_degree: usize,
    /// Fraction columns of the lookup trace (after packing), each an extension element.
    pub num_lookups: usize,
    /// Bus of each fraction column, an index into the batch's denominator bases.
    pub buses: Vec<usize>,
    /// Upper bound of the number of bus messages that one row sends and receives, with
    /// multiplicities.
    pub row_weight: u128,
    /// Number of public values.
    pub num_public_values: usize,
    /// Periodic columns, one period each, of canonical integers.
    pub periodic_columns: Vec<Vec<F>>,
    /// Number of folded constraints, including those of the lookups.
    pub num_constraints: usize,
}

impl AirShape {
    /// Base field columns of the lookup trace, which is opened at both points: one accumulator and
    /// a fraction per lookup; zero without lookups.
    #[must_use]
    pub const fn permutation_width(&self) -> usize {
        match self.num_lookups {
            0 => 0,
            n => (n + 1) * self.degree,
        }
    }

    /// Whether the proof carries a lookup terminal for this table.
    #[must_use]
    pub const fn has_terminal(&self) -> bool {
        self.num_lookups > 0
    }

    /// Logarithm of the number of quotient chunks, each as many columns wide as the degree. In a
    /// hiding proof the degree of constraints counts as one more, and the number is doubled.
    #[must_use]
    pub const fn log_quotient_chunks(&self, hiding: bool) -> usize {
        let (added, doubled) = if hiding { (1, 1) } else { (0, 0) };
        let degree = self.constraint_degree + added;
        let degree = if degree < 2 { 2 } else { degree };
        log2_ceil_usize(degree - 1) + doubled
    }

    /// Number of quotient chunks.
    #[must_use]
    pub const fn quotient_chunks(&self, hiding: bool) -> usize {
        1 << self.log_quotient_chunks(hiding)
    }
}

/// Buses of all tables, numbered as in Plonky3's transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buses {
    /// Bus of each lookup of each table.
    pub of_lookups: Vec<Vec<usize>>,
    /// Number of buses.
    pub count: usize,
    /// Number of elements of the widest message, at least one. This power of the combiner separates
    /// the buses.
    pub message_width: usize,
}

impl Buses {
    /// Numbers buses in order of first appearance. Each local lookup is a bus of its own.
    ///
    /// # Errors
    /// [`CodegenError::BusWidth`] if messages of one bus differ in width.
    pub fn number<'a, K: BaseField>(
        tables: impl IntoIterator<Item = &'a [Lookup<K>]>,
    ) -> Result<Self, CodegenError> {
        let mut named: HashMap<&str, (usize, usize)> = HashMap::new();
        let mut buses = Self {
            message_width: 1,
            ..Self::default()
        };
        for lookups in tables {
            let mut of_table = Vec::with_capacity(lookups.len());
            for lookup in lookups {
                let width = lookup.elements.first().map_or(0, Vec::len);
                let fresh = (buses.count, width);
                let (name, (bus, expected)) = match &lookup.kind {
                    Kind::Global(name) => (name.as_str(), *named.entry(name).or_insert(fresh)),
                    Kind::Local => ("local lookup", fresh),
                };
                if let Some(other) = lookup.elements.iter().find(|e| e.len() != expected) {
                    return Err(CodegenError::BusWidth {
                        bus: name.to_owned(),
                        expected,
                        found: other.len(),
                    });
                }
                buses.count = buses.count.max(bus + 1);
                buses.message_width = buses.message_width.max(width);
                of_table.push(bus);
            }
            buses.of_lookups.push(of_table);
        }
        Ok(buses)
    }
}
