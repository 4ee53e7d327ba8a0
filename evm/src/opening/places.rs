//! Where the verifier of openings works in memory.

use droste_native::KeccakSuite;
use droste_native::whir::{CommitmentStep, Scheme};

use super::claims::{ClaimShape, max_log_slots};
use super::{Memory, widths};
use crate::constraints::word;
use crate::field::ELEMENT_BYTES;
use crate::merkle::NODE_BYTES;
use crate::{rows, selection};

/// Places, from [`Memory::work`] on.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Where the next digests of paths are in the calldata.
    pub digests: u64,
    pub sum: u64,
    /// The challenge that combines claims.
    pub combination: u64,
    /// The challenges of all sumchecks.
    pub point: u64,
    /// The challenges that combine values of each later commitment. The first word is not used.
    pub gammas: u64,
    /// Points outside the domains of later commitments.
    outside: Vec<u64>,
    /// Of each commitment the queries in order: an index, and the number of the query in the low
    /// bits.
    pub queries: Vec<u64>,
    pub final_polynomial: u64,
    /// The same, sorted. There is a word in front of it.
    pub sorted: u64,
    /// The list of nodes. There is a node in front of it.
    pub nodes: u64,
    /// Where leaves are hashed.
    pub leaf: u64,
    /// Values of an equality polynomial.
    pub table: u64,
    /// Weights of a leaf.
    pub weights: u64,
    /// Prepared weights of a leaf of each tree.
    pub prepared: Vec<u64>,
    /// Prepared coordinates, and words to prepare them.
    pub coordinates: u64,
    pub subsets: u64,
    /// One less each coordinate of the point.
    pub complements: u64,
    /// Powers of the challenge of slots, less one.
    pub powers: u64,
    /// Weights of rows, for each number of coordinates: of the same rows, and of next ones.
    pub same: u64,
    pub next: u64,
    /// Weights of all claims.
    pub claims: u64,
}

impl Places {
    pub fn new(scheme: &Scheme<KeccakSuite>, claims: &[ClaimShape], memory: &Memory) -> Self {
        let (schedule, layout) = (scheme.schedule(), scheme.layout());
        let steps: Vec<&CommitmentStep> = schedule.commitments().collect();
        let most = |of: &dyn Fn(usize, &CommitmentStep) -> usize| {
            let numbered = steps.iter().enumerate();
            numbered
                .map(|(number, step)| of(number, step))
                .max()
                .unwrap_or(0)
        };
        let widest = |number: usize, step: &CommitmentStep| {
            widths(scheme, number, step).into_iter().max().unwrap_or(0)
        };
        let (queries, fold) = (most(&|_, step| step.queries), most(&|_, step| step.fold));
        let width = most(&widest);
        let mut end = memory.work;
        let mut bytes = |count: u64| {
            end += count;
            end - count
        };
        let mut words = |count: usize| bytes(ELEMENT_BYTES * count as u64);
        let variables = layout.variables();
        let coordinates = memory.opened_coordinates;
        let mut places = Self {
            digests: words(1),
            sum: words(1),
            combination: words(1),
            point: words(variables),
            gammas: words(steps.len()),
            outside: steps.iter().map(|step| words(step.outside)).collect(),
            queries: steps.iter().map(|step| words(step.queries)).collect(),
            final_polynomial: words(1 << schedule.final_variables),
            sorted: words(1 + queries) + ELEMENT_BYTES,
            // The word behind the list is written, too.
            nodes: words(2 * (1 + queries) + 1) + NODE_BYTES,
            leaf: words(rows::leaf_bytes(width).div_ceil(ELEMENT_BYTES) as usize),
            table: words(1 << fold.max(schedule.final_variables)),
            weights: words(width.next_multiple_of(8)),
            subsets: words(8),
            complements: words(variables),
            powers: words(max_log_slots(claims)),
            same: words(coordinates + 1),
            next: words(coordinates + 1),
            claims: words(schedule.stack.outside + claims.len()),
            ..Self::default()
        };
        let trees = widths(scheme, 0, &schedule.stack).len();
        let of_tree = |tree: usize| {
            most(&|number, step| widths(scheme, number, step).get(tree).copied().unwrap_or(0))
        };
        places.prepared = (0..trees)
            .map(|tree| bytes(rows::prepared_bytes(of_tree(tree))))
            .collect();
        places.coordinates = bytes(selection::prepared_bytes(most(&|_, step| step.variables)));
        places
    }

    /// Where the queries of a commitment are.
    pub fn queries(&self, number: usize) -> u64 {
        self.queries[number]
    }

    /// A point outside the domain of a commitment.
    pub fn later_outside(&self, number: usize, index: usize) -> u64 {
        word(self.outside[number], index)
    }

    /// Where the prepared weights of a leaf of a tree are.
    pub fn prepared(&self, tree: usize) -> u64 {
        self.prepared[tree]
    }
}
