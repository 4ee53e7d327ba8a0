//! The shape of proofs about Merkle paths or calls.

use std::collections::BTreeMap;

use droste_binary::calls::ELEMENT_BYTES;
use droste_binary::circuit::{Circuit as Constraints, Form};
use droste_binary::field::K;
use droste_binary::opening::SettingsError;
use droste_binary::proof::DOMAIN;
use droste_binary::statement::{NodePlaces, Places, node_constants};
use droste_binary::trace::circuit as constraints_of;
use droste_binary::tree_hash::{MAX_LOG_POSITIONS, Poseidon16};
use droste_binary::univariate::powers;
use droste_binary::{Hash, StatementShape, TreeHash};
use droste_gadgets::verify::binary::shape::{
    Calls, Circuit, Common, Constant, ConstantRow, Constants, Element, Group, Paths, Place,
    Product, PublicRow, Rotation, Round, Shape, Term,
};
use droste_native::F;
use droste_native::precompile::{BINARY_BITS, BINARY_LANES, binary_point, binary_to_block};
use p3_binary_field::TowerLevel;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};
use thiserror::Error;

use super::OpeningsError;
use crate::circuit::{BinaryShape, PathsShape};

/// Elements of an entry of a list of paths.
const PATH_ENTRY: usize = 5;

/// The least number of calls, or of nodes, that a program verifies.
const MIN_CALLS: usize = 8;

/// Why a list has no shape.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ShapeError {
    /// No program verifies proofs about this number of paths of this depth.
    #[error(
        "no program verifies proofs about {paths} paths of depth {depth}: expected two powers of \
         two whose product, the number of nodes, is at least {MIN_CALLS}"
    )]
    Numbers {
        /// Number of paths.
        paths: usize,
        /// Their depth.
        depth: usize,
    },
    /// No program verifies proofs about this number of calls.
    #[error(
        "no program verifies proofs about {calls} calls: expected a power of two from {MIN_CALLS} \
         to {most}"
    )]
    Calls {
        /// Number of calls.
        calls: usize,
        /// The most calls of the hash that a program verifies.
        most: usize,
    },
    /// No bit hash has this number.
    #[error("no bit hash has the number {0}, expected 0 to 2")]
    Hash(u8),
    /// No program verifies proofs about a graph.
    #[error(
        "no program verifies proofs about a graph of calls: expected a list of calls or of Merkle \
         paths"
    )]
    Graph,
    /// The list has no settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// No batch has the openings of a proof.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
}

impl ShapeError {
    /// That no program verifies proofs of statements of this shape.
    pub(super) const fn of(shape: StatementShape) -> Self {
        match shape {
            StatementShape::Calls { hash, calls } => Self::Calls {
                calls,
                most: hash.max_calls(),
            },
            StatementShape::Paths { depth, paths, .. } => Self::Numbers { paths, depth },
            StatementShape::Graph { .. } => Self::Graph,
        }
    }
}

/// What a program that verifies proofs is generated from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryProgram {
    /// What does not depend on what is said about the calls.
    pub shape: Shape,
    /// What is said about them.
    pub list: ListShape,
}

/// What a list says about the calls of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListShape {
    /// They are nodes of Merkle paths.
    Paths(Paths),
    /// They have these inputs and outputs.
    Calls(Calls),
}

impl BinaryProgram {
    /// That of proofs of this shape.
    ///
    /// # Errors
    /// If no program verifies them.
    pub fn new(of: impl Into<BinaryShape>) -> Result<Self, ShapeError> {
        let of = of.into();
        let statement = of.statement()?;
        let constraints = constraints_of(statement.hash());
        let list = match of {
            BinaryShape::Paths(of) => ListShape::Paths(paths(of, statement.hash(), &constraints)),
            BinaryShape::Calls(_) => ListShape::Calls(calls(statement.hash(), &constraints)),
        };
        let shape = shape(statement, &constraints)?;
        Ok(Self { shape, list })
    }
}

/// What of a program does not depend on what is said about the calls, for statements of this shape
/// about calls with these constraints.
pub(super) fn shape(
    statement: StatementShape,
    constraints: &Constraints,
) -> Result<Shape, SettingsError> {
    let settings = statement.settings(constraints)?;
    let rounds = settings.rounds().iter().map(|round| Round {
        variables: round.folded_variables(),
        log_rows: round.log_rows(),
        queries: round.queries,
        columns: round.columns,
    });
    Ok(Shape {
        domain: integers(&Poseidon16::domain(DOMAIN)),
        numbers: leaf(&[statement.numbers()]),
        log_calls: statement.log_calls(),
        circuit: circuit(constraints),
        rounds: rounds.collect(),
        last_variables: settings.last_variables(),
        constants: constants(),
    })
}

/// Merkle paths, as a program has them.
fn paths(of: PathsShape, hash: Hash, constraints: &Constraints) -> Paths {
    let place = |(row, element)| Place { row, element };
    let places = NodePlaces::of(hash);
    let rows = node_constants(hash, constraints);
    let constants = rows.iter().map(|(public, values)| {
        let elements = values.iter().enumerate();
        let (elements, values) = elements
            .filter(|(i, _)| public.elements >> i & 1 == 1)
            .map(|(i, &value)| (i, element(value)))
            .unzip();
        ConstantRow {
            row: public.row,
            elements,
            values,
        }
    });
    Paths {
        log_depth: of.log_depth,
        log_paths: of.log_paths,
        empty_entry: leaf(&[K::ZERO; PATH_ENTRY]),
        left: place(places.left),
        right: place(places.right),
        output: place(places.output),
        constants: constants.collect(),
    }
}

/// Calls, as a program has them.
fn calls(hash: Hash, constraints: &Constraints) -> Calls {
    let rows = constraints.public.iter().map(|public| PublicRow {
        row: public.row,
        elements: indices(public.elements),
    });
    let rows: Vec<PublicRow> = rows.collect();
    let places = Places::of(hash);
    let of_element = |places: &[(usize, usize)]| {
        let places = places.iter().flat_map(|&(row, element)| {
            let row = rows.iter().position(|public| public.row == row);
            row.map(|row| Place { row, element })
        });
        places.collect()
    };
    Calls {
        places: places.all().map(of_element).collect(),
        rows,
        inputs: hash.input_elements(),
        offset: element(places.offsets().sum()),
        ends_in_halves: !hash.input_bytes().is_multiple_of(ELEMENT_BYTES),
    }
}

/// The indices of the bits that are set.
fn indices(bits: u16) -> Vec<usize> {
    let all = 0..u16::BITS as usize;
    all.filter(|i| bits >> i & 1 == 1).collect()
}

fn integers(lanes: &[F]) -> Vec<u32> {
    lanes.iter().map(F::as_canonical_u32).collect()
}

/// The digest of a leaf.
fn leaf(elements: &[K]) -> Vec<u32> {
    let mut digest = [[F::ZERO; 8]];
    Poseidon16::hash_rows(elements, elements.len(), &mut digest);
    integers(digest.as_flattened())
}

pub(super) fn element(x: K) -> Element {
    let lanes = binary_to_block(x);
    lanes
        .iter()
        .take(BINARY_LANES)
        .map(F::as_canonical_u32)
        .collect()
}

fn constants() -> Constants {
    let conjugates = std::iter::successors(Some(K::from_repr(2)), |y| Some(y.square()));
    let conjugates: Vec<K> = conjugates.take(BINARY_BITS).collect();
    let derivative = |y: &K| y.exp_u64(6) + K::ONE;
    // No root of an irreducible polynomial is one of its derivative.
    let inverse = |y: &K| derivative(y).try_inverse().unwrap_or_default();
    Constants {
        basis: (0..MAX_LOG_POSITIONS)
            .map(|i| element(binary_point(1 << i)))
            .collect(),
        subfield: powers().map(element).to_vec(),
        inverse_derivatives: conjugates.iter().map(|y| element(inverse(y))).collect(),
        conjugates: conjugates.into_iter().map(element).collect(),
    }
}

/// The index of a value in a list, to which it is added if it is not there.
fn index_of<T: PartialEq>(list: &mut Vec<T>, value: T) -> usize {
    let known = list.iter().position(|known| *known == value);
    known.unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

fn circuit(constraints: &Constraints) -> Circuit {
    let groups = constraints.with_first().map(|(group, first)| Group {
        rows: group.rows,
        first,
        constraints: group.rest.len(),
        products: (group.products.iter())
            .map(|product| Product {
                left: product.left,
                inverted: product.inverted,
                right: product.right,
            })
            .collect(),
        constants: (group.constants.iter())
            .map(|&(constraint, row, word)| Constant {
                constraint: first + constraint,
                row,
                word,
            })
            .collect(),
    });
    let groups = groups.collect();
    let rests = constraints.groups.iter().flat_map(|group| &group.rest);
    let forms: Vec<&Form> = constraints.operands.iter().chain(rests).collect();
    let (rotations, word_sets, forms) = common_terms(&forms);
    Circuit {
        log_rows: constraints.log_rows,
        operands: constraints.operands.len(),
        rotations,
        word_sets,
        forms,
        groups,
    }
}

/// The terms of forms: those with the same rotation and mask, of words that are in the same forms,
/// are one.
fn common_terms(forms: &[&Form]) -> (Vec<Rotation>, Vec<Vec<usize>>, Vec<Common>) {
    let mut rotations = Vec::new();
    // For whether it is the next row, rotation and word: the forms that have it.
    let mut places: BTreeMap<(bool, usize, usize), Vec<usize>> = BTreeMap::new();
    for (form, terms) in forms.iter().enumerate() {
        for term in &terms.0 {
            let rotation = Rotation {
                by: term.rotation as usize,
                mask: term.mask,
            };
            let rotation = index_of(&mut rotations, rotation);
            let own = places.entry((term.next, rotation, term.word)).or_default();
            // A term that a form has twice is none.
            if own.last() == Some(&form) {
                own.pop();
            } else {
                own.push(form);
            }
        }
    }
    let mut words: BTreeMap<(bool, Vec<usize>, usize), Vec<usize>> = BTreeMap::new();
    for ((next, rotation, word), forms) in places {
        if !forms.is_empty() {
            let own = words.entry((next, forms, rotation)).or_default();
            own.push(word);
        }
    }
    let mut word_sets = Vec::new();
    let mut common: Vec<Common> = Vec::new();
    for ((next, forms, rotation), words) in words {
        let term = Term {
            rotation,
            words: index_of(&mut word_sets, words),
        };
        match common.last_mut() {
            Some(last) if last.next == next && last.forms == forms => last.terms.push(term),
            _ => common.push(Common {
                next,
                forms,
                terms: vec![term],
            }),
        }
    }
    (rotations, word_sets, common)
}
