//! Identity of a constraint system: a digest of everything that fixes what its verifier computes,
//! except committed content. [`machine_id`] is that of a machine, without its program.
//!
//! Constraints are hashed as one graph per table: each distinct expression once, operands before
//! their users, so that the digest depends on the expressions and not on how they share memory.

use std::collections::HashMap;
use std::marker::PhantomData;

use droste_native::poseidon16::Poseidon16;
use droste_native::{EF, F, FriSettings, HashId};
use p3_air::Air;
use p3_air::symbolic::{AirLayout, BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_lookup::{InteractionSymbolicBuilder, Kind, Lookup, Lookups};

use super::{FORMAT_VERSION, KeyHeights};
use crate::tables::Table;

/// Tag of a machine's identity: the letters "mach", in ASCII, big-endian.
pub const MACHINE_TAG: F = F::new(0x6d61_6368);

/// The identity of a machine with these tables, look-ups packed as in `lookups`.
pub(super) fn machine_id<T>(
    hash: HashId,
    settings: &FriSettings,
    heights: &KeyHeights,
    tables: &[T],
    lookups: &[Lookups<F>],
) -> [F; 8]
where
    T: Table + Air<InteractionSymbolicBuilder<F, EF>>,
{
    let mut message = Message::default();
    message.number(FORMAT_VERSION as usize);
    message.text(hash.name());
    message.settings(settings);
    match heights {
        KeyHeights::Free => message.number(0),
        KeyHeights::Fixed(heights) => {
            message.number(1);
            message.numbers(heights);
        }
    }
    message.number(tables.len());
    for (table, lookups) in tables.iter().zip(lookups) {
        message.table(table.name(), table, lookups);
    }
    message.digest(MACHINE_TAG)
}

/// Elements to hash. Every list is preceded by its length and every choice by a number, so that
/// different systems have different messages.
#[derive(Clone, Debug, Default)]
pub struct Message {
    elements: Vec<F>,
}

impl Message {
    /// The digest of the message under a tag.
    pub fn digest(&self, tag: F) -> [F; 8] {
        Poseidon16.hash(tag, &self.elements)
    }

    /// FRI settings.
    pub fn settings(&mut self, settings: &FriSettings) {
        // Destructured, so that a new setting cannot be forgotten here.
        let FriSettings {
            log_blowup,
            log_final_poly_len,
            max_log_arity,
            num_queries,
            batch_grinding_bits,
            commit_grinding_bits,
            query_grinding_bits,
            lookup_grinding_bits,
            ood_grinding_bits,
            cap_height,
        } = *settings;
        self.numbers(&[
            log_blowup,
            log_final_poly_len,
            max_log_arity,
            num_queries,
            batch_grinding_bits,
            commit_grinding_bits,
            query_grinding_bits,
            lookup_grinding_bits,
            ood_grinding_bits,
            cap_height,
        ]);
    }

    /// A number below 2^60, as two elements.
    pub fn number(&mut self, number: usize) {
        let low = number & ((1 << 30) - 1);
        self.elements.extend([low, number >> 30].map(F::from_usize));
    }

    /// A list of numbers.
    pub fn numbers(&mut self, numbers: &[usize]) {
        self.number(numbers.len());
        numbers.iter().for_each(|&number| self.number(number));
    }

    /// The bytes of a text.
    pub fn text(&mut self, text: &str) {
        self.number(text.len());
        self.elements.extend(text.bytes().map(F::from_u8));
    }

    /// A table: widths, openings, constraints, look-ups as they are packed.
    pub fn table<T>(&mut self, name: &str, table: &T, lookups: &[Lookup<F>])
    where
        T: Air<InteractionSymbolicBuilder<F, EF>>,
    {
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
            self.elements.extend(column);
        }

        let constraints =
            InteractionSymbolicBuilder::<F, EF>::from_air(table, AirLayout::from_air(table))
                .base_constraints();
        let mut graph = Graph::default();
        let roots = graph.import_all(&constraints);
        let lookups: Vec<_> = lookups
            .iter()
            .map(|lookup| {
                let messages: Vec<Vec<usize>> = lookup
                    .elements
                    .iter()
                    .map(|message| graph.import_all(message))
                    .collect();
                let counts = graph.import_all(&lookup.multiplicities);
                let flags = lookup.flags.as_ref().map(|flags| graph.import_all(flags));
                (lookup, messages, counts, flags)
            })
            .collect();
        self.number(graph.nodes.len());
        for node in &graph.nodes {
            node.iter().for_each(|&number| self.number(number));
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

/// A node: what it is, then its operands or its index.
type Node = [usize; 3];

/// Borrows the expressions it was given, so that their addresses hold still.
#[derive(Default)]
struct Graph<'a> {
    nodes: Vec<Node>,
    index: HashMap<Node, usize>,
    /// Nodes by address: shared ones are visited once, since as trees expressions can be
    /// exponentially large.
    seen: HashMap<*const SymbolicExpression<F>, usize>,
    borrowed: PhantomData<&'a SymbolicExpression<F>>,
}

impl<'a> Graph<'a> {
    fn push(&mut self, node: Node) -> usize {
        let nodes = &mut self.nodes;
        *self.index.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() - 1
        })
    }

    fn import_all(&mut self, expressions: &'a [SymbolicExpression<F>]) -> Vec<usize> {
        expressions
            .iter()
            .map(|expression| self.import(expression))
            .collect()
    }

    fn import(&mut self, expression: &'a SymbolicExpression<F>) -> usize {
        if let Some(&id) = self.seen.get(&std::ptr::from_ref(expression)) {
            return id;
        }
        let node = match expression {
            SymbolicExpr::Leaf(leaf) => match leaf {
                BaseLeaf::Constant(value) => [0, value.as_canonical_u32() as usize, 0],
                BaseLeaf::IsFirstRow => [1, 0, 0],
                BaseLeaf::IsLastRow => [2, 0, 0],
                BaseLeaf::IsTransition => [3, 0, 0],
                BaseLeaf::Variable(variable) => match variable.entry {
                    BaseEntry::Main { offset } => [4, offset, variable.index],
                    BaseEntry::Preprocessed { offset } => [5, offset, variable.index],
                    BaseEntry::Periodic => [6, 0, variable.index],
                    BaseEntry::Public => [7, 0, variable.index],
                },
            },
            SymbolicExpr::Add { x, y, .. } => [8, self.import(x), self.import(y)],
            SymbolicExpr::Sub { x, y, .. } => [9, self.import(x), self.import(y)],
            SymbolicExpr::Mul { x, y, .. } => [10, self.import(x), self.import(y)],
            SymbolicExpr::Neg { x, .. } => [11, self.import(x), 0],
        };
        let id = self.push(node);
        self.seen.insert(std::ptr::from_ref(expression), id);
        id
    }
}
