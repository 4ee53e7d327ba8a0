//! The shape of proofs about Merkle paths.

use std::collections::BTreeMap;

use droste_batch::TreeHash;
use droste_batch::circuit::{Circuit as Constraints, Form};
use droste_batch::field::K;
use droste_batch::opening::SettingsError;
use droste_batch::paths::MerklePaths;
use droste_batch::proof::{DOMAIN, settings};
use droste_batch::statement::{NodePlaces, Statement, node_constants};
use droste_batch::trace::circuit as constraints_of;
use droste_batch::tree_hash::{MAX_LOG_POSITIONS, Poseidon16};
use droste_batch::univariate::powers;
use droste_gadgets::verify::batch::shape::{
    Circuit, Common, Constant, ConstantRow, Constants, Element, Group, Place, Product, Rotation,
    Round, Shape, Term,
};
use droste_native::F;
use droste_native::precompile::{BINARY_BITS, BINARY_LANES, binary_point, binary_to_block};
use p3_binary_field::TowerLevel;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};
use thiserror::Error;

/// Elements of an entry of the list.
const ENTRY: usize = 5;

/// Fewest nodes of a list.
const MIN_NODES: usize = 8;

/// Why a list of paths has no shape.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ShapeError {
    /// A number of paths or depth that is none that programs verify.
    #[error(
        "{paths} paths of depth {depth}: a program verifies proofs about a power of two of paths, \
         of a depth that is one, too, with {MIN_NODES} nodes or more"
    )]
    Numbers {
        /// Number of paths.
        paths: usize,
        /// Their depth.
        depth: usize,
    },
    /// The list has no settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

/// The shape of proofs about lists of as many paths of the same hash and depth.
///
/// # Errors
/// If depth or number of paths is no power of two, or there are fewer than eight nodes.
pub fn shape(paths: &MerklePaths) -> Result<Shape, ShapeError> {
    let (count, depth) = (paths.paths().len(), paths.depth());
    if !count.is_power_of_two() || !depth.is_power_of_two() || count * depth < MIN_NODES {
        return Err(ShapeError::Numbers {
            paths: count,
            depth,
        });
    }
    let statement = Statement::Paths(paths);
    let hash = statement.hash();
    let constraints = constraints_of(hash);
    let settings = settings(&statement, &constraints)?;
    let rounds = settings.rounds().iter().map(|round| Round {
        variables: round.folded_variables(),
        log_rows: round.log_rows(),
        queries: round.queries,
        columns: round.columns,
    });
    let domain = Poseidon16::domain(DOMAIN);
    Ok(Shape {
        domain: integers(&domain),
        numbers: leaf(&[statement.numbers()]),
        empty_entry: leaf(&[K::ZERO; ENTRY]),
        log_depth: depth.ilog2() as usize,
        log_paths: count.ilog2() as usize,
        circuit: circuit(&constraints, NodePlaces::of(hash), &statement),
        rounds: rounds.collect(),
        last_variables: settings.last_variables(),
        constants: constants(),
    })
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

fn element(x: K) -> Element {
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

fn circuit(constraints: &Constraints, places: NodePlaces, statement: &Statement<'_>) -> Circuit {
    let place = |(row, element)| Place { row, element };
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
    let rows = node_constants(statement.hash(), constraints);
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
    let constants = constants.collect();
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
        left: place(places.left),
        right: place(places.right),
        output: place(places.output),
        constants,
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
            match own.last() == Some(&form) {
                true => drop(own.pop()),
                false => own.push(form),
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
