//! The coordinates at which a sumcheck ends, and the weights of claims there.
//!
//! A claim is a weighted sum over the hypercube. A claim about the value at a point has the
//! equality polynomial of the point as its weight.

use crate::prelude::*;

/// The coordinates at which weights are evaluated, with what equality factors need.
#[derive(Clone, Debug)]
pub struct Coordinates {
    /// The coordinates, in the order of the variables.
    pub values: Vec<Ext>,
    /// For each coordinate `r`, `1 - r`.
    pub complements: Vec<Ext>,
    /// For each coordinate `r`, `2 r - 1`.
    slopes: Vec<Ext>,
}

impl Coordinates {
    /// Prepares the coordinates, at fixed addresses.
    pub fn new(coordinates: &[Ext]) -> Self {
        let mut values = Vec::new();
        let mut complements = Vec::new();
        let mut slopes = Vec::new();
        for coordinate in coordinates {
            let value = coordinate.pin();
            let complement = (Ext::ONE - value).pin();
            values.push(value);
            complements.push(complement);
            slopes.push((value - complement).pin());
        }
        Self {
            values,
            complements,
            slopes,
        }
    }

    /// Returns the factor of variable `i` in the equality polynomial of a point with coordinate `z`
    /// there: `r z + (1 - r) (1 - z)`.
    pub fn factor(&self, i: usize, z: Ext) -> Ext {
        self.slopes[i] * z + self.complements[i]
    }

    /// Returns the equality polynomial of the coordinates from `from` on and the point whose last
    /// coordinate is `y`, the one before it `y^2`, and so on.
    pub fn equality_of_powers(&self, from: usize, y: Ext) -> Ext {
        let n = self.values.len();
        let mut product = Ext::ONE;
        let mut power = y;
        for i in 0..(n - from) {
            product = product * self.factor(n - 1 - i, power);
            if i + 1 < n - from {
                power = power * power;
            }
        }
        product
    }

    /// Returns the coordinates from `from` on, the last one first, then zeros up to `length`
    /// blocks.
    pub fn reversed(&self, from: usize, length: usize) -> Slice {
        let n = self.values.len();
        let mut blocks = Vec::new();
        for i in 0..length {
            if i < n - from {
                blocks.push(self.values[n - 1 - i].as_block());
            } else {
                blocks.push(Block::ZERO);
            }
        }
        Slice::from_blocks(blocks)
    }
}

/// Returns the sum of the values times the powers of `challenge`, from power one on.
pub fn added(challenge: Ext, values: &[Ext]) -> Ext {
    let mut sum = Ext::ZERO;
    for i in 0..values.len() {
        sum = (sum + values[values.len() - 1 - i]) * challenge;
    }
    sum
}
