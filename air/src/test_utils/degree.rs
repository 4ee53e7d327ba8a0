//! What constraints and messages really cost.

use p3_air::Air;
use p3_air::symbolic::{AirLayout, SymbolicExpression};
use p3_field::Field;
use p3_lookup::InteractionSymbolicBuilder;

/// Highest degree of the constraints of an AIR, its buses apart.
pub fn constraint_degree<F: Field, A: Air<InteractionSymbolicBuilder<F>>>(air: &A) -> usize {
    let builder = InteractionSymbolicBuilder::from_air(air, AirLayout::from_air::<F>(air));
    let degrees = builder.base_constraints();
    degrees
        .iter()
        .map(|constraint| constraint.degree_multiple())
        .max()
        .unwrap_or(0)
}

/// Nodes of the largest message of an AIR, its expressions taken as trees, up to `limit`.
///
/// The look-up argument evaluates messages that way, on every row: a sum packed by repeated doubling
/// counts twice for each doubling above it.
pub fn largest_message<F: Field, A: Air<InteractionSymbolicBuilder<F>>>(
    air: &A,
    limit: usize,
) -> usize {
    let builder = InteractionSymbolicBuilder::from_air(air, AirLayout::from_air::<F>(air));
    let sizes = builder.global_interactions().iter().map(|interaction| {
        let expressions = interaction.fields.iter().chain([&interaction.count]);
        expressions.fold(0, |size, expression| count_nodes(expression, size, limit))
    });
    sizes.max().unwrap_or(0)
}

fn count_nodes<F: Field>(expression: &SymbolicExpression<F>, size: usize, limit: usize) -> usize {
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
