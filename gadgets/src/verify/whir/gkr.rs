//! The sum of fractions of the lookup argument, by layers (ePrint 2023/1284, section 3).
//!
//! Claim: the fractions `n_i / d_i` of `2^v` leaves sum to zero, and no denominator is zero. Layer
//! `v` has the leaves; each fraction of the layer above is the sum of two, one of either half of
//! the layer:
//!
//! ```text
//! n = n_0 d_1 + n_1 d_0        d = d_0 d_1
//! ```
//!
//! The first layer's two fractions are sent. From then on, the prover gives the values of the
//! multilinear polynomials of a layer's numerators and denominators at two points, which differ in
//! the first coordinate only, 0 or 1. They determine the first round's polynomial of the sumcheck
//! that leads to such values of the next layer, but for one coefficient.

use crate::prelude::*;
use crate::suites::hash::Challenger;
use crate::verify::whir::sumcheck;

/// A claim about the leaves: the values of their numerators and denominators at a point.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Value of the numerators.
    pub numerator: Ext,
    /// Value of the denominators.
    pub denominator: Ext,
    /// The point. The first coordinate says which half of the leaves.
    pub point: Vec<Ext>,
    /// A challenge that was sampled after both values: it combines them.
    pub combiner: Ext,
}

impl Claim {
    /// Returns the first `n` coordinates of the point, those of a table's block of leaves.
    pub fn first_coordinates(&self, n: usize) -> Vec<Ext> {
        let mut coordinates = Vec::new();
        for i in 0..n {
            coordinates.push(self.point[i]);
        }
        coordinates
    }

    /// Returns the last `n` coordinates of the point, those of a row.
    pub fn last_coordinates(&self, n: usize) -> Vec<Ext> {
        let mut coordinates = Vec::new();
        for i in (self.point.len() - n)..self.point.len() {
            coordinates.push(self.point[i]);
        }
        coordinates
    }
}

/// Both halves of a layer at one point.
struct Halves {
    numerators: [Ext; 2],
    denominators: [Ext; 2],
}

impl Halves {
    fn read<C: Challenger>(t: &mut C) -> Self {
        let values = t.read_extensions(4);
        Self {
            numerators: [values[0], values[2]],
            denominators: [values[1], values[3]],
        }
    }

    /// Returns the numerator of the sum.
    fn numerator(&self) -> Ext {
        self.numerators[0] * self.denominators[1] + self.numerators[1] * self.denominators[0]
    }

    /// Returns the denominator of the sum.
    fn denominator(&self) -> Ext {
        self.denominators[0] * self.denominators[1]
    }

    /// Returns each numerator plus `combiner` times its denominator.
    fn combined(&self, combiner: Ext) -> [Ext; 2] {
        [
            combiner * self.denominators[0] + self.numerators[0],
            combiner * self.denominators[1] + self.numerators[1],
        ]
    }

    /// Returns the numerator of the sum plus `combiner` times its denominator.
    fn sum(&self, combiner: Ext) -> Ext {
        let one = combiner * self.denominators[1] + self.numerators[1];
        one * self.denominators[0] + self.numerators[0] * self.denominators[1]
    }

    /// Returns the claim about the whole layer, where the halves are at the point `rest`.
    fn claim<C: Challenger>(&self, t: &mut C, rest: &[Ext]) -> Claim {
        let (half, combiner) = t.sample_pair();
        let mut point = vec![half];
        for coordinate in rest {
            point.push(*coordinate);
        }
        let [n, n1] = self.numerators;
        let [d, d1] = self.denominators;
        Claim {
            numerator: (n1 - n) * half + n,
            denominator: (d1 - d) * half + d,
            point,
            combiner,
        }
    }
}

/// Verifies that the fractions of `2^variables` leaves sum to zero, and that no denominator is
/// zero, if the returned claim about the leaves holds. `variables` is at least 1.
pub fn verify<C: Challenger>(variables: usize, t: &mut C) -> Claim {
    let mut halves = Halves::read(t);
    assert_eq!(halves.numerator(), Ext::ZERO);
    // The product of all denominators is not zero. Zero has no inverse.
    let product = halves.denominator();
    assert_eq!(product * product.inverse(), Ext::ONE);
    let mut point = Vec::new();
    for _layer in 1..variables {
        let combiner = t.sample();
        let [zero, one] = halves.combined(combiner);
        let quadratic = t.read_extensions(1)[0];
        let r = t.sample();
        // The polynomial of degree 2 with these values at 0 and 1.
        let mut sum = ((r - Ext::ONE) * quadratic + (one - zero)) * r + zero;
        let rest = sumcheck::rounds(t, &mut sum, &point, 2);
        halves = Halves::read(t);
        assert_eq!(sum, halves.sum(combiner));
        point = vec![r];
        for coordinate in rest {
            point.push(coordinate);
        }
    }
    halves.claim(t, &point)
}
