//! Measurement of constraints and messages as the prover sees them.

use droste_native::{EF, F};
use p3_air::Air;
use p3_air::symbolic::{AirLayout, SymbolicExpression};
use p3_lookup::InteractionSymbolicBuilder;

/// Highest degree of the constraints of an AIR, not counting those of its buses.
pub fn constraint_degree<A: Air<InteractionSymbolicBuilder<F, EF>>>(air: &A) -> usize {
    let builder = InteractionSymbolicBuilder::from_air(air, AirLayout::from_air::<F>(air));
    let degrees = builder.base_constraints();
    degrees
        .iter()
        .map(|constraint| constraint.degree_multiple())
        .max()
        .unwrap_or(0)
}

/// Number of nodes of the largest message of an AIR, counting expressions as trees, or `limit` if
/// there are more.
///
/// The lookup argument evaluates messages in this way on every row: in a sum packed by repeated
/// doubling, each doubling counts everything below it twice.
pub fn largest_message<A: Air<InteractionSymbolicBuilder<F, EF>>>(air: &A, limit: usize) -> usize {
    let builder = InteractionSymbolicBuilder::from_air(air, AirLayout::from_air::<F>(air));
    let sizes = builder.global_interactions().iter().map(|interaction| {
        let expressions = interaction.fields.iter().chain([&interaction.count]);
        expressions.fold(0, |size, expression| count_nodes(expression, size, limit))
    });
    sizes.max().unwrap_or(0)
}

fn count_nodes(expression: &SymbolicExpression<F>, size: usize, limit: usize) -> usize {
    if size >= limit {
        return limit;
    }
    match expression {
        SymbolicExpression::Leaf(_) => size + 1,
        SymbolicExpression::Neg { x, .. } => count_nodes(x, size + 1, limit),
        SymbolicExpression::Add { x, y, .. }
        | SymbolicExpression::Sub { x, y, .. }
        | SymbolicExpression::Mul { x, y, .. } => {
            let size = count_nodes(x, size + 1, limit);
            count_nodes(y, size, limit)
        }
    }
}
