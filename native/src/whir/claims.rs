//! Claims about the stack: weighted sums of its cells.

use std::iter::zip;

use p3_field::PrimeCharacteristicRing;

use crate::field::EF;

/// A weight polynomial `W`, of product form. With a value it claims that the sum of `f(b) W(b)`
/// over the hypercube is that value, where `f` is the stack.
///
/// For `x` of `n` coordinates, `W(x)` is the product of `w[0] + x_i (w[1] - w[0])` for each factor
/// `w` of the first variables, and of the weight of [`Rows`] at the remaining coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The factors of the first variables: their values at 0 and at 1.
    pub factors: Vec<[EF; 2]>,
    /// The weight of the last variables, those of the rows of a table.
    pub rows: Rows,
}

/// The weight of the rows of a table, whose index has the first variable as its top bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// `eq(z, .)`: the value of a column at the point `z`.
    At(Vec<EF>),
    /// `next(z, .)`: the value at the point `z` of the column of the next rows, where the last row
    /// is followed by itself.
    Next(Vec<EF>),
}

impl Rows {
    /// The point `z`.
    pub fn point(&self) -> &[EF] {
        match self {
            Self::At(point) | Self::Next(point) => point,
        }
    }
}

impl Claim {
    /// The claim about the value at the point whose last coordinate is `y`, the one before it
    /// `y^2`, and so on. As a function of `y` it is a polynomial of degree less than `2^variables`,
    /// from which the cells can be computed.
    pub fn at_powers(y: EF, variables: usize) -> Self {
        Self {
            factors: powers(y, variables).into_iter().map(equality).collect(),
            rows: Rows::At(vec![]),
        }
    }

    /// Number of variables of the weight.
    pub fn variables(&self) -> usize {
        self.factors.len() + self.rows.point().len()
    }

    /// The weight at a point of as many coordinates.
    pub fn evaluate(&self, point: &[EF]) -> EF {
        let mut coordinates = point.iter().copied();
        let mut product = EF::ONE;
        for ([zero, one], x) in zip(&self.factors, &mut coordinates) {
            product *= *zero + x * (*one - *zero);
        }
        let rest = zip(self.rows.point().iter().copied(), coordinates);
        product
            * match self.rows {
                Rows::At(_) => rest.map(|(z, x)| at(z, x)).product(),
                Rows::Next(_) => next(rest),
            }
    }
}

/// The values of `eq(z, .)` at 0 and at 1.
pub(super) fn equality(z: EF) -> [EF; 2] {
    [EF::ONE - z, z]
}

/// `eq(z, x)`.
fn at(z: EF, x: EF) -> EF {
    let both = z * x;
    both + both - z - x + EF::ONE
}

/// `next(z, x)`, for pairs of a coordinate of `z` and one of `x`.
///
/// From the last variable to the first, `carry` is the weight of rows whose bits so far are all
/// zero while the point's are all one (one is still to be added to the bits before), `done` that of
/// rows that are already the next of the point's, `ones` that of both bits being one throughout.
fn next(pairs: impl DoubleEndedIterator<Item = (EF, EF)>) -> EF {
    let (mut carry, mut done, mut ones) = (EF::ONE, EF::ZERO, EF::ONE);
    for (z, x) in pairs.rev() {
        done = done * at(z, x) + carry * (EF::ONE - z) * x;
        carry *= z * (EF::ONE - x);
        ones *= z * x;
    }
    done + ones
}

/// The point of `n` coordinates whose last one is `y`, the one before it `y^2`, and so on.
pub(super) fn powers(y: EF, n: usize) -> Vec<EF> {
    let mut point: Vec<EF> = std::iter::successors(Some(y), |power| Some(power.square()))
        .take(n)
        .collect();
    point.reverse();
    point
}

/// The values on the hypercube of the product of these factors.
pub(super) fn tensor(factors: &[[EF; 2]]) -> Vec<EF> {
    scaled_tensor(EF::ONE, factors)
}

/// The values on the hypercube of the product of these factors and a constant.
pub(super) fn scaled_tensor(scale: EF, factors: &[[EF; 2]]) -> Vec<EF> {
    let mut values = vec![scale];
    for [zero, one] in factors {
        values = values
            .iter()
            .flat_map(|&value| [value * *zero, value * *one])
            .collect();
    }
    values
}

/// The values of `eq(z, .)` on the hypercube.
pub(super) fn equality_table(z: &[EF]) -> Vec<EF> {
    let factors: Vec<[EF; 2]> = z.iter().copied().map(equality).collect();
    tensor(&factors)
}
