//! The claims about the first polynomial: values of stacked columns, and values outside the domain.
//!
//! Claim: every opened value is that of its column. A claim is a weighted sum over the hypercube;
//! one challenge, which is sampled after all claimed values were observed, combines them by its
//! powers. `p3_sumcheck::layout::Verifier` does the same: `add_virtual_eval`, `add_claim`,
//! `add_claim_at`, `constraint`, and `VariableOrder::eval_constraints_poly` for the weights.

use crate::hash::{Challenger, Hash, observe_constants};
use crate::prelude::*;
use crate::verify::whir::observed;
use crate::verify::whir::query::Answer;
use crate::verify::whir::shape::{Column, Shape};

/// What a batch opened.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The point, one coordinate for each variable of the table.
    pub point: Vec<Ext>,
    /// The values of the batch's columns.
    pub current: Vec<Ext>,
    /// The values of the next rows of the columns of which they are opened.
    pub next: Vec<Ext>,
}

/// The claims.
#[derive(Clone, Debug)]
pub struct Claims {
    /// What the batches opened.
    pub openings: Vec<Opened>,
    /// Points outside the domain, of which the other coordinates are the repeated squares.
    ood_points: Vec<Ext>,
    /// The values there.
    ood_values: Vec<Ext>,
}

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

/// The weights of slots on one level of the tree of selectors.
struct Level {
    /// The low bits of slots.
    suffixes: Vec<usize>,
    /// Their weights.
    weights: Vec<Ext>,
}

impl Claims {
    /// Reads the claimed values, and observes them. `points` has the points of the batches, unless
    /// the transcript draws them.
    pub fn read<H: Hash, C: Challenger>(shape: &Shape, t: &mut C, points: &[Vec<Ext>]) -> Self {
        let mut ood_points = Vec::new();
        let mut ood_values = Vec::new();
        for _i in 0..shape.ood_samples {
            observe_constants(t, &shape.ood_seed);
            ood_points.push(t.sample());
            ood_values.push(observed::<H, C>(t, 1)[0]);
        }
        let mut openings = Vec::new();
        for i in 0..shape.batches.len() {
            let batch = &shape.batches[i];
            observe_constants(t, &batch.seed);
            let point = if shape.drawn {
                powers(t.sample(), batch.variables)
            } else {
                points[i].clone()
            };
            assert_eq!(point.len(), batch.variables);
            let current = batch.current.len();
            let values = observed::<H, C>(t, current + batch.next.len());
            let mut opened = Opened {
                point,
                current: Vec::new(),
                next: Vec::new(),
            };
            for j in 0..values.len() {
                if j < current {
                    opened.current.push(values[j]);
                } else {
                    opened.next.push(values[j]);
                }
            }
            openings.push(opened);
        }
        Self {
            openings,
            ood_points,
            ood_values,
        }
    }

    /// Returns the claimed values, combined by the powers of `alpha`.
    pub fn combined(&self, shape: &Shape, alpha: Ext) -> Ext {
        let mut values = vec![Ext::ZERO; shape.claims()];
        for i in 0..shape.batches.len() {
            let opened = &self.openings[i];
            values = place(&shape.batches[i].current, &opened.current, values);
            values = place(&shape.batches[i].next, &opened.next, values);
        }
        let before = shape.claims() - shape.ood_samples;
        for i in 0..shape.ood_samples {
            values[before + i] = self.ood_values[i];
        }
        combine(&values, alpha)
    }

    /// Returns the weights of all claims at `all`, combined by the powers of `alpha`.
    pub fn weight(&self, shape: &Shape, alpha: Ext, all: &Coordinates) -> Ext {
        let mut weights = vec![Ext::ZERO; shape.claims()];
        for i in 0..shape.batches.len() {
            let batch = &shape.batches[i];
            let n = batch.variables;
            let point = &self.openings[i].point;
            if !batch.current.is_empty() {
                let local = all.equality(0, point);
                let local = slots(&batch.current, all, n, local);
                weights = place(&batch.current, &local, weights);
            }
            if !batch.next.is_empty() {
                let local = all.successor(point);
                let local = slots(&batch.next, all, n, local);
                weights = place(&batch.next, &local, weights);
            }
        }
        let before = shape.claims() - shape.ood_samples;
        for i in 0..shape.ood_samples {
            weights[before + i] = all.equality_of_powers(0, self.ood_points[i]);
        }
        combine(&weights, alpha)
    }
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
    fn factor(&self, i: usize, z: Ext) -> Ext {
        self.slopes[i] * z + self.complements[i]
    }

    /// Returns the equality polynomial of `point` and the coordinates from `from` on.
    pub fn equality(&self, from: usize, point: &[Ext]) -> Ext {
        let mut product = Ext::ONE;
        for i in 0..point.len() {
            product = product * self.factor(from + i, point[i]);
        }
        product
    }

    /// Returns the equality polynomial of the coordinates from `from` on and the point whose last
    /// coordinate is `y`, the one before it `y^2`, and so on.
    pub fn equality_of_powers(&self, from: usize, y: Ext) -> Ext {
        let n = self.values.len() - from;
        self.equality(from, &powers(y, n))
    }

    /// Returns the weight of the first coordinates in the value at `point` of a column of next rows,
    /// where the last row is its own next one
    /// (`p3_multilinear_util::Point::eval_next`).
    ///
    /// From the last variable to the first, `carry` is the weight of rows whose bits so far are all
    /// zero while the point's are all one (one is still to be added to the bits before), `done` that
    /// of rows that are already the next of the point's, `ones` that of both bits being one
    /// throughout.
    pub fn successor(&self, point: &[Ext]) -> Ext {
        let n = point.len();
        let mut carry = Ext::ONE;
        let mut done = Ext::ZERO;
        let mut ones = Ext::ONE;
        for i in 0..n {
            let z = point[n - 1 - i];
            let at = n - 1 - i;
            let settled = carry * (Ext::ONE - z);
            done = done * self.factor(at, z) + settled * self.values[at];
            carry = carry * z * self.complements[at];
            ones = ones * z * self.values[at];
        }
        done + ones
    }
}

/// Returns the point of `n` coordinates whose last one is `y`, the one before it `y^2`, and so on
/// (`p3_multilinear_util::Point::expand_from_univariate`).
fn powers(y: Ext, n: usize) -> Vec<Ext> {
    let mut point = vec![Ext::ZERO; n];
    let mut power = y;
    for i in 0..n {
        point[n - 1 - i] = power;
        if i + 1 < n {
            power = power * power;
        }
    }
    point
}

/// Returns `all` with the values at the powers of their columns.
fn place(columns: &[Column], values: &[Ext], all: Vec<Ext>) -> Vec<Ext> {
    let mut all = all;
    for i in 0..columns.len() {
        all[columns[i].power] = values[i];
    }
    all
}

/// Returns the sum of the values times the powers of `challenge`, from power zero on.
fn combine(values: &[Ext], challenge: Ext) -> Ext {
    let n = values.len();
    let mut sum = values[n - 1];
    for i in 1..n {
        sum = sum * challenge + values[n - 1 - i];
    }
    sum
}

/// Returns the sum of the values outside the domain, then the answers' values, times the powers of
/// `challenge`, from power one on.
pub fn added(challenge: Ext, ood_values: &[Ext], answers: &[Answer]) -> Ext {
    let mut values = vec![Ext::ZERO];
    for value in ood_values {
        values.push(*value);
    }
    for answer in answers {
        values.push(answer.value);
    }
    combine(&values, challenge)
}

/// Returns, for each column, `local` times the weight of its slot: the product over the variables
/// after the first `variables` of the coordinate where the slot's bit is one, and of its complement
/// where it is zero. Slots of neighbouring columns differ in their top bits, so the products begin
/// at the last variable, and those that columns share are computed once.
fn slots(columns: &[Column], all: &Coordinates, variables: usize, local: Ext) -> Vec<Ext> {
    let last = all.values.len() - 1;
    let bits = all.values.len() - variables;
    let mut level = Level {
        suffixes: vec![0usize],
        weights: vec![local],
    };
    for bit in 0..bits {
        let mut next = Level {
            suffixes: Vec::new(),
            weights: Vec::new(),
        };
        for column in columns {
            let suffix = column.slot % (2usize << bit);
            if !next.has(suffix) {
                let weight = level.weight(suffix % (1usize << bit));
                let factor = if suffix >> bit == 1 {
                    all.values[last - bit]
                } else {
                    all.complements[last - bit]
                };
                next.suffixes.push(suffix);
                next.weights.push(weight * factor);
            }
        }
        level = next;
    }
    let mut weights = Vec::new();
    for column in columns {
        weights.push(level.weight(column.slot));
    }
    weights
}

impl Level {
    fn has(&self, suffix: usize) -> bool {
        let mut found = false;
        for i in 0..self.suffixes.len() {
            found = found || self.suffixes[i] == suffix;
        }
        found
    }

    fn weight(&self, suffix: usize) -> Ext {
        let mut place = self.suffixes.len();
        for i in 0..self.suffixes.len() {
            if self.suffixes[i] == suffix {
                place = i;
            }
        }
        self.weights[place]
    }
}
