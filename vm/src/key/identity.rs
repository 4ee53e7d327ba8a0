//! Identity of a constraint system: a digest of everything that determines what its verifier
//! computes, except committed content. [`machine_id`] is the identity of a machine, without its
//! program.
//!
//! Constraints are hashed as one graph per table: each distinct expression once, operands before
//! their users, so that the digest depends on the expressions and not on how they share memory. In
//! place of the constraints of a table's polynomial identities are the identities, if the
//! constraints are theirs. Constraints over the extension are nodes, with their places among all
//! constraints. Constants are hashed as their canonical integers: whoever hashes tables over
//! another field than the machine's also hashes its name.

#[cfg(test)]
mod tests;

use std::convert::Infallible;

use droste_native::field::BaseField;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::{DIGEST, EF, F};
use p3_air::symbolic::{BaseEntry, BaseLeaf, ExtEntry, ExtLeaf, SymbolicExpression};
use p3_air::{Air, BaseAir};
use p3_field::{BasedVectorSpace, ExtensionField, PrimeCharacteristicRing, PrimeField32};
use p3_lookup::{InteractionSymbolicBuilder, Kind, Lookup, Lookups};
use p3_maybe_rayon::prelude::*;

use super::{KeyHeights, ProofSystem};
use crate::graph::{Graph, Node, cell};
use crate::lookups::Evaluated;
use crate::tables::{PolynomialIdentity, Table, constraints_after};

/// Returns the messages of tables, whose lookups are packed as in `lookups`.
pub(crate) fn messages<T>(tables: &[T], lookups: &[Lookups<F>]) -> Vec<Message>
where
    T: Table + Air<InteractionSymbolicBuilder<F, EF>>,
{
    let tables = tables.par_iter().zip(lookups);
    let message = tables.map(|(table, lookups)| {
        let identities = table.identities();
        let evaluated = Evaluated::new(table);
        Message::of_table(table.name(), table, &identities, &evaluated, lookups)
    });
    message.collect()
}

/// Returns the identity of a machine whose tables have these messages.
pub(super) fn machine_id<P: ProofSystem>(
    settings: &P::Settings,
    heights: &KeyHeights,
    tables: &[Message],
) -> [F; DIGEST] {
    let mut message = Message::default();
    message.number(P::VERSION as usize);
    message.text(&P::name());
    P::describe(settings, &mut message);
    match heights {
        KeyHeights::Free => message.number(0),
        KeyHeights::Fixed(heights) => {
            message.number(1);
            message.numbers(heights);
        }
    }
    message.number(tables.len());
    tables.iter().for_each(|table| message.append(table));
    message.digest(P::MACHINE_TAG)
}

/// Collects the elements that are hashed into an identity. Every list is preceded by its length and
/// every choice by a number, so that different systems have different messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    elements: Vec<F>,
}

impl Message {
    /// Returns the digest of the message under `tag`.
    pub fn digest(&self, tag: F) -> [F; 8] {
        Poseidon16.hash(tag, &self.elements)
    }

    /// Appends another message.
    fn append(&mut self, other: &Self) {
        self.elements.extend(&other.elements);
    }

    /// Appends a number below 2^59: as one element if it is below 2^30, as nearly all are,
    /// otherwise as two, of which the first is 2^30 or more.
    pub fn number(&mut self, number: usize) {
        const SHORT: usize = 1 << 30;
        let (low, high) = (number % SHORT, number / SHORT);
        if high > 0 {
            self.elements.push(F::from_usize(SHORT + high));
        }
        self.elements.push(F::from_usize(low));
    }

    /// Appends a list of numbers.
    pub fn numbers(&mut self, numbers: &[usize]) {
        self.number(numbers.len());
        numbers.iter().for_each(|&number| self.number(number));
    }

    /// Appends the bytes of a text.
    pub fn text(&mut self, text: &str) {
        self.number(text.len());
        self.elements.extend(text.bytes().map(F::from_u8));
    }

    /// Appends a table: widths, openings, constraints, and lookups as they are packed.
    pub fn table<T>(&mut self, name: &str, table: &T, lookups: &[Lookup<F>])
    where
        T: Air<InteractionSymbolicBuilder<F, EF>>,
    {
        self.table_over::<F, EF, T>(name, table, lookups);
    }

    /// Appends a table over any base field, asked for its constraints over the extension `E`.
    pub fn table_over<K, E, T>(&mut self, name: &str, table: &T, lookups: &[Lookup<K>])
    where
        K: BaseField,
        E: ExtensionField<K>,
        T: Air<InteractionSymbolicBuilder<K, E>>,
    {
        let evaluated = Evaluated::<K, E>::over(table);
        let constraints = &evaluated.constraints;
        self.add_table(name, table, &[], constraints, &evaluated, lookups);
    }

    /// The message of a table with these identities.
    pub(crate) fn of_table<T: BaseAir<F>>(
        name: &str,
        table: &T,
        identities: &[PolynomialIdentity],
        evaluated: &Evaluated,
        lookups: &[Lookup<F>],
    ) -> Self {
        let mut message = Self::default();
        let all = evaluated.constraints.as_slice();
        let (identities, constraints) = match constraints_after(table, identities, all) {
            Some(others) => (identities, others),
            None => (&[][..], all),
        };
        message.add_table(name, table, identities, constraints, evaluated, lookups);
        message
    }

    /// Appends constraints alone.
    pub fn constraints<K: BaseField>(&mut self, constraints: &[SymbolicExpression<K>]) {
        let mut graph = Graph::new(false);
        let Ok(roots) = graph.add_all(constraints, &leaf::<K>);
        self.number(graph.nodes.len());
        for number in graph.nodes.iter().copied().flat_map(numbers) {
            self.number(number);
        }
        self.numbers(&roots);
    }

    /// Appends a table with these identities, other constraints over the base field, and
    /// constraints over the extension.
    fn add_table<K: BaseField, E: ExtensionField<K>, T: BaseAir<K>>(
        &mut self,
        name: &str,
        table: &T,
        identities: &[PolynomialIdentity],
        constraints: &[SymbolicExpression<K>],
        evaluated: &Evaluated<K, E>,
        lookups: &[Lookup<K>],
    ) {
        self.text(name);
        self.number(table.width());
        self.numbers(&table.main_next_row_columns());
        self.number(table.preprocessed_width());
        self.numbers(&table.preprocessed_next_row_columns());
        self.number(table.num_public_values());
        self.number(table.max_constraint_degree().unwrap_or(0));
        let periodic = table.periodic_columns();
        self.number(periodic.len());
        for column in periodic.iter() {
            self.number(column.len());
            self.elements.extend(column.iter().map(|&x| cell(x)));
        }

        let mut graph = Graph::new(false);
        let Ok(roots) = graph.add_all(constraints, &leaf::<K>);
        let Ok(extension) = graph.add_all(&evaluated.extension, &extension_leaf::<K, E>);
        let places = evaluated.builder.constraint_layout().ext_indices;
        for (place, node) in places.into_iter().zip(extension) {
            graph.push(Node::Leaf([20, place, node]));
        }
        let lookups: Vec<_> = lookups
            .iter()
            .map(|lookup| {
                let mut add = |expressions| {
                    let Ok(nodes) = graph.add_all(expressions, &leaf::<K>);
                    nodes
                };
                let messages = lookup.elements.iter();
                let messages: Vec<Vec<usize>> = messages.map(|message| add(message)).collect();
                let counts = add(&lookup.multiplicities);
                let flags = lookup.flags.as_ref().map(|flags| add(flags));
                (lookup, messages, counts, flags)
            })
            .collect();
        let identities: Vec<[usize; 3]> = identities.iter().flat_map(steps).collect();
        self.number(identities.len() + graph.nodes.len());
        let nodes = graph.nodes.iter().map(|&node| numbers(node));
        for number in identities.into_iter().chain(nodes).flatten() {
            self.number(number);
        }
        self.numbers(&roots);
        self.number(lookups.len());
        for (lookup, messages, counts, flags) in lookups {
            match &lookup.kind {
                Kind::Local => self.number(0),
                Kind::Global(bus) => {
                    self.number(1);
                    self.text(bus);
                }
            }
            self.number(messages.len());
            for message in messages {
                self.numbers(&message);
            }
            self.numbers(&counts);
            match flags {
                None => self.number(0),
                Some(flags) => {
                    self.number(1);
                    self.numbers(&flags);
                }
            }
            self.number(lookup.count_weight as usize);
            self.number(lookup.column);
        }
    }
}

/// What a leaf is, and its row and index.
fn leaf<K: BaseField>(
    _: &mut Graph<'_, [usize; 3]>,
    leaf: &BaseLeaf<K>,
) -> Result<Node<[usize; 3]>, Infallible> {
    Ok(Node::Leaf(match leaf {
        BaseLeaf::Constant(constant) => return Ok(Node::Constant(cell(*constant))),
        BaseLeaf::IsFirstRow => [1, 0, 0],
        BaseLeaf::IsLastRow => [2, 0, 0],
        BaseLeaf::IsTransition => [3, 0, 0],
        BaseLeaf::Variable(variable) => match variable.entry {
            BaseEntry::Main { offset } => [4, offset, variable.index],
            BaseEntry::Preprocessed { offset } => [5, offset, variable.index],
            BaseEntry::Periodic => [6, 0, variable.index],
            BaseEntry::Public => [7, 0, variable.index],
        },
    }))
}

/// As [`leaf`], over the extension. A constant is a sum over the extension's basis.
fn extension_leaf<'a, K: BaseField, E: ExtensionField<K>>(
    graph: &mut Graph<'a, [usize; 3]>,
    extension: &'a ExtLeaf<K, E>,
) -> Result<Node<[usize; 3]>, Infallible> {
    let variable = match extension {
        ExtLeaf::Base(expression) => {
            let node = graph.add(expression, &leaf::<K>)?;
            #[allow(clippy::indexing_slicing, reason = "the node was added")]
            let node = graph.nodes[node];
            return Ok(node);
        }
        ExtLeaf::ExtConstant(constant) => {
            let coefficients = <E as BasedVectorSpace<K>>::as_basis_coefficients_slice(constant);
            let mut sum = Node::Constant(F::ZERO);
            for (i, &coefficient) in coefficients.iter().enumerate() {
                let coefficient = graph.push(Node::Constant(cell(coefficient)));
                let basis = graph.push(Node::Leaf([16, 0, i]));
                let before = graph.push(sum);
                let term = graph.push(Node::Mul(coefficient, basis));
                sum = Node::Add(before, term);
            }
            return Ok(sum);
        }
        ExtLeaf::ExtVariable(variable) => variable,
    };
    Ok(Node::Leaf(match variable.entry {
        ExtEntry::Permutation { offset } => [17, offset, variable.index],
        ExtEntry::Challenge => [18, 0, variable.index],
        ExtEntry::PermutationValue => [19, 0, variable.index],
    }))
}

/// A node as numbers: what it is, then its operands.
fn numbers(node: Node<[usize; 3]>) -> [usize; 3] {
    match node {
        Node::Leaf(leaf) => leaf,
        Node::Constant(constant) => [0, constant.as_canonical_u32() as usize, 0],
        Node::Add(x, y) => [8, x, y],
        Node::Sub(x, y) => [9, x, y],
        Node::Mul(x, y) => [10, x, y],
        Node::Neg(x) => [11, x, 0],
    }
}

/// An identity as numbers: what each step is, then how much follows, or its content. No step is a
/// node.
fn steps(identity: &PolynomialIdentity) -> Vec<[usize; 3]> {
    let mut steps = vec![[12, identity.products.len(), identity.summands.len()]];
    let mut add = |coefficients: &[usize], weight: &[(usize, F)]| {
        steps.push([13, coefficients.len(), weight.len()]);
        steps.extend(coefficients.iter().map(|&column| [14, column, 0]));
        let terms = weight.iter();
        steps.extend(terms.map(|&(exponent, coefficient)| {
            [15, exponent, coefficient.as_canonical_u32() as usize]
        }));
    };
    for factor in identity.products.iter().flatten() {
        add(factor, &[]);
    }
    for (summand, weight) in &identity.summands {
        add(summand, weight);
    }
    steps
}
