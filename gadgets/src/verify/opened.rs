//! What constraints are evaluated on: the opened values of one table, and the challenges.

use crate::prelude::*;

/// The values that a proof opens for one table at the out-of-domain point, with the selectors
/// there.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Main trace at the point.
    pub main: Vec<Ext>,
    /// Main trace at the next point; empty if it is not opened there.
    pub main_next: Vec<Ext>,
    /// Preprocessed trace at the point.
    pub preprocessed: Vec<Ext>,
    /// Preprocessed trace at the next point; empty if it is not opened there.
    pub preprocessed_next: Vec<Ext>,
    /// Lookup trace at the point, as the base field columns that are committed.
    pub permutation: Vec<Ext>,
    /// Lookup trace at the next point, as the base field columns that are committed.
    pub permutation_next: Vec<Ext>,
    /// Sum of the table's lookups; not used for a table without lookups.
    pub terminal: Ext,
    /// Public values of the table; empty in proofs over BabyBear.
    pub public_values: Vec<Felt>,
    /// Public values of the table in proofs over BabyBear; empty in others.
    pub public_elements: Vec<Ext>,
    /// Periodic columns at the point.
    pub periodic: Vec<Ext>,
    /// Selector of the first row.
    pub is_first_row: Ext,
    /// Selector of the last row.
    pub is_last_row: Ext,
    /// Selector of all rows but the last.
    pub is_transition: Ext,
}

/// The challenges that all tables of a proof share.
#[derive(Clone, Debug)]
pub struct Challenges {
    /// Folds the constraints of a table.
    pub alpha: Ext,
    /// Combines the elements of a bus message.
    pub beta: Ext,
    /// For each bus, the challenge from which the combined message is subtracted in the
    /// denominator.
    pub buses: Vec<Ext>,
}
