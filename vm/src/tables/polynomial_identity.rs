//! Constraints that are the coefficients of a polynomial identity.

use std::iter::zip;

use droste_native::F;
use p3_air::symbolic::{AirLayout, BaseLeaf, SymbolicAirBuilder, SymbolicExpr, SymbolicExpression};
use p3_air::{AirBuilder, BaseAir, WindowAccess};
use p3_field::{Algebra, PrimeCharacteristicRing};

/// The columns that hold the coefficients of a polynomial, that of the constant term first.
pub type Coefficients = Vec<usize>;

/// An identity of polynomials over the base field, whose coefficients are cells of a row:
///
/// ```text
/// sum_i left_i(X) right_i(X) + sum_i weight_i(X) summand_i(X) = 0
/// ```
///
/// It is one constraint for each coefficient, of which a product has as many terms as one of its
/// factors has coefficients. A proof system that combines consecutive constraints by consecutive
/// powers of a challenge, as those over WHIR do, need not evaluate them one by one: with the
/// highest coefficient first, they add up to the identity's left side at the challenge
/// ([`Self::evaluate`]), a few sums of cells with weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolynomialIdentity {
    /// The factors `left_i` and `right_i` of each product.
    pub products: Vec<[Coefficients; 2]>,
    /// Each `summand_i`, and the terms of its `weight_i`: exponents, and coefficients that are
    /// constants.
    pub summands: Vec<(Coefficients, Vec<(usize, F)>)>,
}

impl PolynomialIdentity {
    /// Number of coefficients, which is that of constraints.
    pub fn num_coefficients(&self) -> usize {
        let products = self.products.iter();
        let products = products.map(|[left, right]| (left.len() + right.len()).saturating_sub(1));
        let summands = self.summands.iter().map(|(summand, weight)| {
            let shift = weight.iter().map(|&(exponent, _)| exponent).max();
            summand.len() + shift.unwrap_or(0)
        });
        products.chain(summands).max().unwrap_or(0)
    }

    /// Degree of the constraints in the columns.
    pub fn degree(&self) -> usize {
        1 + usize::from(!self.products.is_empty())
    }

    /// The columns that are read, some of them several times.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        let products = self.products.iter().flatten();
        let summands = self.summands.iter().map(|(summand, _)| summand);
        products.chain(summands).flatten().copied()
    }

    /// Emits the constraints, that of the highest coefficient first.
    ///
    /// # Panics
    /// If the builder's row does not have the columns.
    pub fn constrain<AB: AirBuilder<F = F>>(&self, builder: &mut AB) {
        let main = builder.main();
        let row = main.current_slice();
        for coefficient in (0..self.num_coefficients()).rev() {
            let mut sum = AB::Expr::ZERO;
            for [left, right] in &self.products {
                // Those of the left factor that meet one of the right factor's.
                let first = (coefficient + 1).saturating_sub(right.len());
                for index in first..left.len().min(coefficient + 1) {
                    sum += row[left[index]] * row[right[coefficient - index]];
                }
            }
            for (summand, weight) in &self.summands {
                for &(exponent, weight) in weight {
                    let column = coefficient.checked_sub(exponent);
                    if let Some(&column) = column.and_then(|i| summand.get(i)) {
                        sum += row[column] * weight;
                    }
                }
            }
            builder.assert_zero(sum);
        }
    }

    /// The left side at `x`, where `read` returns the cell of a column: the sum of the constraints,
    /// of which the last one has the factor one, and each other one the next power of `x`.
    pub fn evaluate<V: Algebra<F> + Copy>(&self, x: V, read: &dyn Fn(usize) -> V) -> V {
        let value = |coefficients: &Coefficients| {
            let coefficients = coefficients.iter().rev();
            coefficients.fold(V::ZERO, |sum, &column| sum * x + read(column))
        };
        let products = self.products.iter();
        let products: V = products
            .map(|[left, right]| value(left) * value(right))
            .sum();
        let summands = self.summands.iter();
        let summands: V = summands
            .map(|(summand, weight)| value(summand) * evaluate_weight(weight, x))
            .sum();
        products + summands
    }
}

/// The value of a summand's weight at `x`.
pub(crate) fn evaluate_weight<V: Algebra<F> + Copy>(weight: &[(usize, F)], x: V) -> V {
    let terms = weight.iter();
    terms
        .map(|&(exponent, coefficient)| x.exp_u64(exponent as u64) * coefficient)
        .sum()
}

/// The sum of the constraints of identities, of which the last one has the factor one, and each
/// other one the next power of `alpha`.
pub(crate) fn evaluate_identities<V: Algebra<F> + Copy>(
    identities: &[PolynomialIdentity],
    alpha: V,
    read: &dyn Fn(usize) -> V,
) -> V {
    identities.iter().fold(V::ZERO, |sum, identity| {
        let shift = alpha.exp_u64(identity.num_coefficients() as u64);
        sum * shift + identity.evaluate(alpha, read)
    })
}

/// The constraints of a table after those of its identities, or nothing if the first ones are
/// others: not the same operations on the same cells, in the same order.
pub(crate) fn constraints_after<'a, T: BaseAir<F>>(
    table: &T,
    identities: &[PolynomialIdentity],
    constraints: &'a [SymbolicExpression<F>],
) -> Option<&'a [SymbolicExpression<F>]> {
    if identities.is_empty() {
        return Some(constraints);
    }
    let count = identities.iter().map(PolynomialIdentity::num_coefficients);
    let (first, others) = constraints.split_at_checked(count.sum())?;
    let mut columns = identities.iter().flat_map(PolynomialIdentity::columns);
    if columns.any(|column| column >= table.width()) {
        return None;
    }
    let mut builder = SymbolicAirBuilder::<F>::new(AirLayout::from_air::<F>(table));
    for identity in identities {
        identity.constrain(&mut builder);
    }
    let emitted = builder.base_constraints();
    let are_same = zip(first, &emitted).all(|(found, expected)| is_same(found, expected));
    are_same.then_some(others)
}

/// Whether both expressions are the same operations on the same cells and constants.
fn is_same(left: &SymbolicExpression<F>, right: &SymbolicExpression<F>) -> bool {
    use SymbolicExpr::{Add, Leaf, Mul, Neg, Sub};
    match (left, right) {
        (Leaf(left), Leaf(right)) => match (left, right) {
            (BaseLeaf::Constant(left), BaseLeaf::Constant(right)) => left == right,
            (BaseLeaf::Variable(left), BaseLeaf::Variable(right)) => {
                (left.entry, left.index) == (right.entry, right.index)
            }
            // Identities read no selectors.
            _ => false,
        },
        (Add { x, y, .. }, Add { x: u, y: v, .. })
        | (Sub { x, y, .. }, Sub { x: u, y: v, .. })
        | (Mul { x, y, .. }, Mul { x: u, y: v, .. }) => is_same(x, u) && is_same(y, v),
        (Neg { x, .. }, Neg { x: u, .. }) => is_same(x, u),
        _ => false,
    }
}
