//! Symbolic expressions of an AIR and its lookups as one graph.
//!
//! Plonky3 returns trees that share some nodes by pointer. Merging by structure finds all other
//! common subexpressions, across constraints and between an AIR and its lookups.

use std::convert::Infallible;

use droste_native::F;
use droste_native::field::{AnyChallenge, ChallengeField};
use droste_vm::graph;
use p3_air::symbolic::{BaseEntry, BaseLeaf, ExtEntry, ExtLeaf};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

use super::cells::cell;
use super::{AirShape, Input, Recorded};

/// The nodes of a table.
pub(super) type Graph<'a> = graph::Graph<'a, Leaf>;

/// One operation; operands come before their users.
pub(super) type Node = graph::Node<Leaf>;

/// A value that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Leaf {
    Input(Input),
    /// Extension column of the lookup trace, still to be recomposed from its flat columns.
    Permutation {
        next: bool,
        column: usize,
    },
}

impl From<Input> for Node {
    fn from(input: Input) -> Self {
        Self::Leaf(Leaf::Input(input))
    }
}

/// Imports the constraints of a table of this shape; returns the graph's nodes, and which of them
/// the constraints over the base field and those over the extension are.
pub(super) fn import<'a, E: AnyChallenge>(
    shape: &AirShape,
    recorded: &'a Recorded<E>,
) -> (Vec<Node>, [Vec<usize>; 2]) {
    let read = |_: &mut Graph<'a>, leaf: &BaseLeaf<E::Base>| {
        Ok::<_, Infallible>(base_leaf::<E>(shape, leaf))
    };
    let read_extension = |graph: &mut Graph<'a>, leaf: &'a ExtLeaf<E::Base, E::Asked>| {
        let variable = match leaf {
            ExtLeaf::Base(expression) => {
                return graph.add(expression, &read).map(|node| graph.nodes[node]);
            }
            ExtLeaf::ExtConstant(constant) => return Ok(extension_constant::<E>(graph, *constant)),
            ExtLeaf::ExtVariable(variable) => variable,
        };
        Ok(match variable.entry {
            ExtEntry::Permutation { offset } => Node::Leaf(Leaf::Permutation {
                next: offset == 1,
                column: variable.index,
            }),
            // Each lookup has a pair of challenges: its bus's base, and the combiner.
            ExtEntry::Challenge if variable.index % 2 == 0 => {
                Input::Bus(shape.buses[variable.index / 2]).into()
            }
            ExtEntry::Challenge => Input::Beta.into(),
            ExtEntry::PermutationValue => Input::Terminal.into(),
        })
    };
    let mut graph = Graph::new(true);
    let Ok(base) = graph.add_all(&recorded.base, &read);
    let Ok(extension) = graph.add_all(&recorded.extension, &read_extension);
    (graph.nodes, [base, extension])
}

/// A leaf over the base field; zero for a next row that is not opened, as in Plonky3's verifier.
fn base_leaf<E: AnyChallenge>(shape: &AirShape, leaf: &BaseLeaf<E::Base>) -> Node {
    let variable = match leaf {
        BaseLeaf::Constant(constant) => return Node::Constant(cell(*constant)),
        BaseLeaf::IsFirstRow => return Input::IsFirstRow.into(),
        BaseLeaf::IsLastRow => return Input::IsLastRow.into(),
        BaseLeaf::IsTransition => return Input::IsTransition.into(),
        BaseLeaf::Variable(variable) => variable,
    };
    let column = variable.index;
    let input = match variable.entry {
        BaseEntry::Main { offset } => {
            let next = offset == 1;
            Input::Main { next, column }
        }
        BaseEntry::Preprocessed { offset } => {
            let next = offset == 1;
            Input::Preprocessed { next, column }
        }
        BaseEntry::Periodic => Input::Periodic(column),
        BaseEntry::Public => match E::FIELD {
            ChallengeField::Quintic | ChallengeField::Quartic => Input::Public(column),
            ChallengeField::BabyBear => Input::PublicElement(column),
        },
    };
    match input {
        Input::Main { next: true, .. } if !shape.main_next => Node::Constant(F::ZERO),
        Input::Preprocessed { next: true, .. } if !shape.preprocessed_next => {
            Node::Constant(F::ZERO)
        }
        _ => input.into(),
    }
}

fn extension_constant<E: AnyChallenge>(graph: &mut Graph<'_>, value: E::Asked) -> Node {
    let coordinates = <E::Asked as BasedVectorSpace<E::Base>>::as_basis_coefficients_slice(&value);
    let mut sum = Node::Constant(cell(coordinates[0]));
    for (i, coordinate) in coordinates.iter().map(|&x| cell(x)).enumerate().skip(1) {
        if coordinate != F::ZERO {
            let before = graph.push(sum);
            let constant = graph.push(Node::Constant(coordinate));
            let x = graph.push(Input::Basis(i).into());
            let term = graph.push(Node::Mul(constant, x));
            sum = Node::Add(before, term);
        }
    }
    sum
}
