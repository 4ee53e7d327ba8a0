//! The shapes that an aggregator gives to proofs, and the choice among them for a run.

use droste_native::{FriSettings, HashId, Poseidon16Suite};
use droste_vm::heights::{Heights, min_log_height, padded_log_height};
use droste_vm::prover::Proof;
use serde::Serialize;

use super::Aggregator;
use crate::circuit::Run;

/// Settings and heights of R that a key fixes, so that all proofs under the key have one shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct FixedShape {
    pub settings: FriSettings,
    /// Logarithms of the heights, in the machine's order.
    pub log_heights: Vec<usize>,
}

/// How a step chooses the shape of its proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// The canonical shape if the run fits it, else an intermediate one.
    Canonical,
    /// The smallest heights that fit the run.
    Minimal,
}

impl FixedShape {
    /// Whether a run that fills `rows[i]` rows of table `i` of its machine fits this shape. A run
    /// that calls precompiles other than R's has more tables and does not fit.
    pub(super) fn fits(&self, rows: &[usize]) -> bool {
        let fits = |(&log_height, &rows): (&usize, &usize)| {
            // Heights that overflow fit any run here; making a key for them is refused.
            let height = 1_usize.checked_shl(u32::try_from(log_height).unwrap_or(u32::MAX));
            height.is_none_or(|height| rows <= height)
        };
        self.log_heights.len() == rows.len() && self.log_heights.iter().zip(rows).all(fits)
    }
}

impl Aggregator {
    /// Chooses settings and heights for the proof of a run that verified proofs in `hash` and fills
    /// `rows[i]` rows of table `i` of its machine.
    pub(super) fn shape_of(
        &self,
        hash: HashId,
        rows: &[usize],
        size: Size,
    ) -> (FriSettings, Heights) {
        let fixed = match size {
            Size::Canonical => [Some(&self.canonical), self.last_intermediate.as_ref()],
            Size::Minimal => [None, None],
        };
        match fixed.into_iter().flatten().find(|shape| shape.fits(rows)) {
            Some(shape) => (shape.settings, Heights::Exact(shape.log_heights.clone())),
            None => (*self.intermediate_settings(hash), Heights::Minimal),
        }
    }

    /// Whether the proof of this run, which verified `before`, would again have the shape of
    /// `before`. Then further steps would not lead to the canonical shape either.
    pub(super) fn repeats(&self, before: &Proof<Poseidon16Suite>, run: &Run) -> bool {
        if self.canonical.fits(run.rows()) {
            return false;
        }
        let hash = run.circuit().hash();
        let (settings, heights) = self.shape_of(hash, run.rows(), Size::Canonical);
        let log_heights = log_heights(&settings, &heights, run.rows());
        settings == before.key.settings && log_heights == before.batch.degree_bits
    }
}

/// Logarithms of the heights that the proof of a run with these rows has.
pub(super) fn log_heights(settings: &FriSettings, heights: &Heights, rows: &[usize]) -> Vec<usize> {
    let least = |&rows: &usize| padded_log_height(rows).max(min_log_height(settings));
    match heights {
        Heights::Exact(log_heights) => log_heights.clone(),
        Heights::Uniform(log_height) => vec![*log_height; rows.len()],
        Heights::Minimal => rows.iter().map(least).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_tables_decide_what_fits() {
        let shape = FixedShape {
            settings: FriSettings::toy(),
            log_heights: vec![3, 0],
        };
        assert!(shape.fits(&[8, 1]) && shape.fits(&[0, 0]));
        assert!(!shape.fits(&[9, 1]) && !shape.fits(&[8, 2]));
        // A machine with other tables does not fit.
        assert!(!shape.fits(&[8]) && !shape.fits(&[8, 1, 0]));
    }
}
