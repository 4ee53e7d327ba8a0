//! The keys of programs at the parameters of an aggregate's leaves.

use std::collections::{BTreeSet, HashSet};

use droste_native::{HashId, with_suite};
use droste_vm::heights::{Heights, padded_log_height};
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::stack::{Proves, StackSettings};
use droste_vm::verifier::{VerifyError, VerifyOptions};
use droste_vm::whir::Whir;

use super::aggregator::Result;
use super::{AcceptError, UnverifiedAggregate};
use crate::circuit::{ChildShape, Children};
use crate::keys::{KeysError, power};
use crate::proofs;

/// How many times the limit of one commitment all of them may have: at one preset there are four
/// hashes, and the rows for runs of all lengths are fewer than twice those of the longest.
const LENGTHS_AND_HASHES: usize = 2 * HashId::ALL.len();

impl UnverifiedAggregate {
    /// The keys that `program` has at the parameters (hash, settings and heights) with which this
    /// aggregate says that its leaves were proved, for [`AcceptedLeaves`].
    ///
    /// The parameters need not be true: a leaf that has one of these keys is a proof of the
    /// program, and its bits are those of the key set. The work is that of a key for each recursion
    /// key of the file; [`VerifyOptions::limit`] bounds the rows of each commitment, and eight times
    /// as many those of all. Callers compare the set with the one that they expect first
    /// ([`Self::check_key`]).
    ///
    /// [`AcceptedLeaves`]: crate::claim::AcceptedLeaves
    ///
    /// # Errors
    /// If parameters are out of range, or committing would take more rows.
    pub fn keys_of_leaves(
        &self,
        program: impl AsRef<Program>,
        options: VerifyOptions,
    ) -> Result<BTreeSet<KeyDigest>> {
        let program = program.as_ref();
        let has_leaves = self.tree.nodes().filter_map(|(_, node)| {
            let mut children = node.children().iter();
            let is_leaf = children.any(|child| child.children().is_empty());
            is_leaf.then_some(node.key)
        });
        let has_leaves: BTreeSet<KeyDigest> = has_leaves.collect();
        let mut parameters = HashSet::new();
        for (key, listed) in self.keys.iter() {
            if has_leaves.contains(&key)
                && let Children::Programs { shape, .. } | Children::Opened { shape } =
                    &listed.recipe.children
            {
                let checked = listed.recipe.check();
                checked
                    .map_err(KeysError::recipe(key))
                    .map_err(AcceptError::from)?;
                parameters.extend(parameters_of(program, shape));
            }
        }
        let rows = parameters.iter().map(|of| power(of.log_rows));
        let largest = rows.clone().fold(0, usize::max);
        let all = rows.fold(0, usize::saturating_add);
        let (rows, limit) = (largest.max(all.div_ceil(LENGTHS_AND_HASHES)), options.limit);
        if rows > limit {
            return Err(AcceptError::from(VerifyError::Limit { rows, limit }).into());
        }
        // What is no key of the program at all is no leaf's.
        let keys = parameters
            .into_iter()
            .filter_map(|of| proofs::key(of.hash, program, of.settings, of.heights).ok());
        Ok(keys.map(|(key, _)| key).collect())
    }
}

/// The parameters of proofs of a program.
#[derive(PartialEq, Eq, Hash)]
struct Parameters {
    hash: HashId,
    settings: StackSettings,
    heights: Heights,
    /// Logarithm of the number of rows, blowup included, of the commitment to the program.
    log_rows: usize,
}

/// The parameters of proofs of `program` of this shape; `None` if it has no such proofs.
fn parameters_of(program: &Program, shape: &ChildShape) -> Option<Parameters> {
    let stated = shape.program_log_height();
    let (min, log_rows) = with_suite!(shape.hash, H => match &shape.settings {
        StackSettings::Fri(settings) => work::<H>(settings, stated),
        StackSettings::Whir(settings) => work::<Whir<H>>(settings, stated),
    });
    let least = padded_log_height(program.instructions.len()).max(min);
    let (heights, is_possible) = if shape.fixed {
        (Heights::Exact(shape.log_heights.clone()), stated >= least)
    } else {
        (Heights::Minimal, stated == least)
    };
    is_possible.then_some(Parameters {
        hash: shape.hash,
        settings: shape.settings,
        heights,
        log_rows,
    })
}

/// Logarithms of the least height of a table, and of the number of rows of the commitment to a
/// program.
fn work<P: Proves<StandardTables>>(
    settings: &P::Settings,
    program_log_height: usize,
) -> (usize, usize) {
    let log_rows = P::committed_log_rows(settings, program_log_height);
    (P::limits(settings).min, log_rows)
}
