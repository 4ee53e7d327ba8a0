//! The leaves of the circuit that adds them.

use p3_field::{PackedField, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::{Fraction, GkrError, check_variables};
use crate::field::{EF, F};
use crate::lanes::{Packed, PackedExt, from_lanes};

/// The leaves: `2^v` fractions, of which those after the last one given are `0 / 1`.
#[derive(Clone, Debug)]
pub struct Fractions<P: PackedField<Scalar = F> = Packed> {
    num_variables: usize,
    /// As many as cover the leaves given; a lane is a leaf.
    leaves: Vec<Fraction<P, PackedExt<P>>>,
}

impl<P: PackedField<Scalar = F>> Fractions<P> {
    /// What leaves that are not given are.
    const PADDING: Fraction<P, PackedExt<P>> = Fraction {
        numerator: P::ZERO,
        denominator: PackedExt::ONE,
    };

    /// Leaves of `num_variables` variables, from 1 to [`MAX_VARIABLES`](super::MAX_VARIABLES), with
    /// these numerators and denominators.
    ///
    /// # Errors
    /// If the number of variables is out of range, there are more than `2^num_variables` leaves, or
    /// not as many denominators as numerators.
    pub fn new(
        num_variables: usize,
        numerators: &[F],
        denominators: &[EF],
    ) -> Result<Self, GkrError> {
        check_variables(num_variables)?;
        let (found, capacity) = (numerators.len(), 1 << num_variables);
        if found > capacity {
            return Err(GkrError::Leaves { found, capacity });
        }
        if denominators.len() != found {
            return Err(GkrError::Denominators {
                found: denominators.len(),
                expected: found,
            });
        }
        let blocks = numerators
            .chunks(P::WIDTH)
            .zip(denominators.chunks(P::WIDTH));
        let leaves = blocks.map(|(numerators, denominators)| Fraction {
            numerator: P::from_fn(|lane| numerators.get(lane).copied().unwrap_or(F::ZERO)),
            denominator: from_lanes(|lane| denominators.get(lane).copied().unwrap_or(EF::ONE)),
        });
        Self::packed(num_variables, leaves.collect())
    }

    /// Leaves of `num_variables` variables, from 1 to [`MAX_VARIABLES`](super::MAX_VARIABLES): lane
    /// `j` of element `i` is leaf `i * P::WIDTH + j`. If there are fewer leaves than lanes, the other
    /// lanes are ignored. A vector with room for all leaves is not copied later.
    ///
    /// # Errors
    /// If the number of variables is out of range, or more elements are given than have leaves.
    pub fn packed(
        num_variables: usize,
        leaves: Vec<Fraction<P, PackedExt<P>>>,
    ) -> Result<Self, GkrError> {
        check_variables(num_variables)?;
        let length = (1usize << num_variables).div_ceil(P::WIDTH);
        if leaves.len() > length {
            return Err(GkrError::Leaves {
                found: leaves.len() * P::WIDTH,
                capacity: 1 << num_variables,
            });
        }
        Ok(Self {
            num_variables,
            leaves,
        })
    }

    /// Number of elements that all leaves take.
    pub(super) const fn num_packed(&self) -> usize {
        (1usize << self.num_variables).div_ceil(P::WIDTH)
    }

    /// The leaves of an element; if they are fewer than lanes, the other lanes have any content.
    pub(super) fn packed_at(&self, index: usize) -> Fraction<P, PackedExt<P>> {
        self.leaves.get(index).copied().unwrap_or(Self::PADDING)
    }

    /// All elements, with padding.
    pub(super) fn padded(&mut self) -> &mut [Fraction<P, PackedExt<P>>] {
        let padding = (self.leaves.len()..self.num_packed()).into_par_iter();
        self.leaves.par_extend(padding.map(|_| Self::PADDING));
        &mut self.leaves
    }

    /// Number of variables of the leaves.
    pub const fn num_variables(&self) -> usize {
        self.num_variables
    }
}
