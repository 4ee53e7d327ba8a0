//! What a statement claims about elements of the trace.

use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use super::Statement;
use super::places::{NodePlaces, Place, Places, node_constants};
use crate::calls::HashCalls;
use crate::circuit::{Circuit, PublicRow};
use crate::field::{K, dot, eq_table};
use crate::graph::{HashGraph, Wire};
use crate::opening::{COLUMNS, Products, columns};
use crate::paths::{Digest, MerklePaths, node};
use crate::shape::StatementShape;
use crate::trace::LOG_ELEMENTS;

/// The weight of one element in one row of every call.
#[derive(Clone, Copy, Debug)]
struct Term {
    /// Index of the weights of calls.
    calls: usize,
    row: usize,
    element: usize,
    scale: K,
}

/// Claims about elements that the statement makes, as one: a sum of elements with weights.
#[derive(Clone, Debug)]
pub struct PublicClaims {
    /// Weights of calls.
    calls: Vec<Vec<K>>,
    terms: Vec<Term>,
    /// What the sum is.
    pub value: K,
}

/// Number of claims that [`PublicClaims::new`] makes one, besides those of rows: chain and root,
/// for both elements of a digest.
const PATH_CLAIMS: usize = 4;

impl PublicClaims {
    /// Number of claims that are made one.
    pub fn number(shape: &StatementShape, circuit: &Circuit) -> usize {
        match shape {
            StatementShape::Calls { .. } => circuit.public.len(),
            StatementShape::Paths { .. } => PATH_CLAIMS + circuit.public.len(),
            StatementShape::Graph { hash, .. } => Places::of(*hash).all().map(<[_]>::len).sum(),
        }
    }

    /// The claims at a point over calls, of [`StatementShape::log_calls`] coordinates, and one over
    /// elements, of four, by powers of a challenge. All three must be drawn after statement and
    /// trace.
    pub fn new(
        statement: &Statement<'_>,
        circuit: &Circuit,
        calls: &[K],
        elements: &[K],
        eta: K,
    ) -> Self {
        let (calls, elements) = (eq_table(calls), eq_table(elements));
        let number = Self::number(&statement.shape(), circuit);
        let powers: Vec<K> = eta.shifted_powers(eta).take(number).collect();
        match statement {
            Statement::Calls(list) => Self::of_calls(list, circuit, calls, &elements, &powers),
            Statement::Paths(paths) => Self::of_paths(paths, circuit, calls, &elements, &powers),
            Statement::Graph(graph) => Self::of_graph(graph, calls, &powers),
        }
    }

    fn of_calls(
        list: &HashCalls,
        circuit: &Circuit,
        calls: Vec<K>,
        elements: &[K],
        powers: &[K],
    ) -> Self {
        let hash = list.hash();
        let mut claims = Self {
            calls: Vec::new(),
            terms: Vec::new(),
            value: K::ZERO,
        };
        for (public, &power) in circuit.public.iter().zip(powers) {
            claims.add_row(public.row, public.elements, elements, power);
        }
        let places = Places::of(hash);
        let weight = |&(row, element): &Place| -> K {
            let rows = circuit.public.iter().zip(powers);
            let own = rows.filter(|(public, _)| public.row == row);
            own.map(|(_, &power)| power * elements[element]).sum()
        };
        let weights: Vec<K> = (places.all())
            .map(|places| places.iter().map(weight).sum())
            .collect();
        let value = |input: &[u8], output: &[u8]| -> K {
            let values = places.values(input, output).zip(&weights);
            values.map(|(value, &weight)| weight * value).sum()
        };
        let listed: Vec<_> = list.calls().zip(&calls).collect();
        claims.value = listed
            .into_par_iter()
            .with_min_len(64)
            .map(|((input, output), &weight)| weight * value(input, output))
            .reduce(|| K::ZERO, |left, right| left + right);
        // The padding's calls are those of zero.
        let rest: K = calls.iter().skip(list.len()).copied().sum();
        let zero = vec![0; hash.input_bytes()];
        claims.value += rest * value(&zero, &hash.apply(&zero));
        claims.calls.push(calls);
        claims
    }

    /// For each call: an element of its input that is not of the witness is the exclusive or of the
    /// element of an output that it names, if it does, and its value; an element of its output that
    /// is expected is the value; and an element of its input that stands in several places, of the
    /// witness or not, is the same in all of them, as in the calls that fill the trace up.
    fn of_graph(graph: &HashGraph, calls: Vec<K>, powers: &[K]) -> Self {
        let places = Places::of(graph.hash());
        let inputs: Vec<(Place, K)> = places.inputs().zip(places.offsets()).collect();
        let (of_inputs, rest) = powers.split_at(inputs.len());
        let (of_outputs, of_copies) = rest.split_at(places.outputs().len());
        // The weights of one element of the input or output of all calls, and the sum of values.
        let of_input = |(element, &power): (usize, &K)| {
            let (mut weights, mut value, offset) =
                (K::zero_vec(calls.len()), K::ZERO, inputs[element].1);
            for ((weight, &call), own) in weights.iter_mut().zip(&calls).zip(graph.calls()) {
                if own.wires[element] != Wire::WITNESS {
                    *weight = power * call;
                    value += *weight * (K::from_le_bytes(own.values[element]) + offset);
                }
            }
            (weights, value)
        };
        let of_output = |(element, &power): (usize, &K)| {
            let (mut weights, mut value) = (K::zero_vec(calls.len()), K::ZERO);
            for ((weight, &call), own) in weights.iter_mut().zip(&calls).zip(graph.calls()) {
                if let Some(expected) = own.expected[element] {
                    *weight = power * call;
                    value += *weight * K::from_le_bytes(expected);
                }
            }
            for (&call, own) in calls.iter().zip(graph.calls()) {
                for (wire, &power) in own.wires.iter().zip(of_inputs) {
                    let named = wire.output().filter(|output| output.element == element);
                    if let Some(output) = named {
                        weights[output.call] += power * call;
                    }
                }
            }
            (weights, value)
        };
        let mut weights: Vec<(Vec<K>, K)> =
            of_inputs.par_iter().enumerate().map(of_input).collect();
        weights.par_extend(of_outputs.par_iter().enumerate().map(of_output));
        let ends = inputs.iter().map(|&(place, _)| place);
        let ends = ends.chain(places.outputs().iter().copied());
        let term = |calls, (row, element), scale| Term {
            calls,
            row,
            element,
            scale,
        };
        let mut terms: Vec<Term> = ends
            .enumerate()
            .map(|(i, place)| term(1 + i, place, K::ONE))
            .collect();
        for ((first, other), &power) in places.copies().zip(of_copies) {
            terms.extend([first, other].map(|place| term(0, place, power)));
        }
        let value = weights.iter().map(|(_, value)| *value).sum();
        let weights = weights.into_iter().map(|(weights, _)| weights);
        Self {
            calls: std::iter::once(calls).chain(weights).collect(),
            terms,
            value,
        }
    }

    /// For each call and both elements of digests: the child that its index says is the leaf in the
    /// first call of a path, and else the output of the call before; the output of the last call is
    /// the root. What of the input is not its children is constant.
    fn of_paths(
        statement: &MerklePaths,
        circuit: &Circuit,
        calls: Vec<K>,
        elements: &[K],
        powers: &[K],
    ) -> Self {
        let (hash, depth, nodes) = (statement.hash(), statement.depth(), statement.nodes());
        let places = NodePlaces::of(hash);
        let zero = K::zero_vec(calls.len());
        let (mut left, mut right) = (calls.clone(), zero.clone());
        let (mut before, mut last) = (zero.clone(), zero);
        let (path_powers, row_powers) = powers.split_at(PATH_CLAIMS);
        let digest_weights = |power: usize| [path_powers[power], path_powers[power + 1]];
        let (chain, root) = (digest_weights(0), digest_weights(2));
        let mut value = K::ZERO;
        let empty_root = node(hash, &[0; 32], &[0; 32]);
        for (call, &weight) in calls.iter().enumerate() {
            // The padding's calls are paths of depth 1 whose leaf, index and sibling are zero.
            let path = statement.paths().get(call / depth);
            let level = if call < nodes { call % depth } else { 0 };
            let is_last = call >= nodes || level == depth - 1;
            if path.is_some_and(|path| call < nodes && path.is_right(level)) {
                right[call] = weight;
                left[call] = K::ZERO;
            }
            if level == 0 {
                let leaf = path
                    .filter(|_| call < nodes)
                    .map_or([0; 32], |path| path.leaf);
                value += weight * dot(&digest_elements(&leaf), &chain);
            } else {
                before[call - 1] = weight;
            }
            if is_last {
                last[call] = weight;
                let end = path
                    .filter(|_| call < nodes)
                    .map_or(empty_root, |path| path.root);
                value += weight * dot(&digest_elements(&end), &root);
            }
        }
        let mut claims = Self {
            calls: vec![calls, left, right, before, last],
            terms: Vec::new(),
            value,
        };
        for d in 0..2 {
            for (calls, (row, element), scale) in [
                (1, places.left, chain[d]),
                (2, places.right, chain[d]),
                (3, places.output, chain[d]),
                (4, places.output, root[d]),
            ] {
                claims.terms.push(Term {
                    calls,
                    row,
                    element: element + d,
                    scale,
                });
            }
        }
        // Weights of all calls add up to one.
        let rows = node_constants(hash, circuit);
        for (
            (
                PublicRow {
                    row,
                    elements: mask,
                },
                constant,
            ),
            &power,
        ) in rows.iter().zip(row_powers)
        {
            claims.add_row(*row, *mask, elements, power);
            claims.value += power * masked_dot(constant, elements, *mask);
        }
        claims
    }

    /// Terms of the elements of a row that the mask has, with the first weights of calls.
    fn add_row(&mut self, row: usize, mask: u16, elements: &[K], scale: K) {
        for (element, &weight) in elements
            .iter()
            .enumerate()
            .filter(|(g, _)| mask >> g & 1 == 1)
        {
            self.terms.push(Term {
                calls: 0,
                row,
                element,
                scale: scale * weight,
            });
        }
    }

    /// Adds the sums of products of the weights with the trace.
    pub fn add_products(&self, trace: &[K], products: &mut Products) {
        let sums: Vec<_> = (self.terms.par_iter())
            .map(|term| {
                let calls = &self.calls[term.calls];
                let (column, element) = self.place(term, trace.len() / COLUMNS);
                let of_trace = |column: &[K]| dot(&column[element..][..calls.len()], calls);
                (column, columns(trace).map(of_trace), term.scale)
            })
            .collect();
        for (j, sums, scale) in sums {
            for (products, sum) in products.iter_mut().zip(sums) {
                products[j] += scale * sum;
            }
        }
    }

    /// Adds the sum of the weights' columns, each with its scale.
    pub fn add_folded(&self, scales: &[K; COLUMNS], folded: &mut [K]) {
        for term in &self.terms {
            let (column, element) = self.place(term, folded.len());
            let scale = scales[column] * term.scale;
            for (sum, &weight) in folded[element..].iter_mut().zip(&self.calls[term.calls]) {
                *sum += scale * weight;
            }
        }
    }

    /// The column of a term's elements, and where in it they begin.
    fn place(&self, term: &Term, column: usize) -> (usize, usize) {
        let first = (term.row << LOG_ELEMENTS | term.element) * self.calls[term.calls].len();
        (first / column, first % column)
    }

    /// The multilinear extension of the weights.
    pub fn evaluate(&self, row: &[K], call: &[K], elements: &[K]) -> K {
        let (rows, calls, elements) = (eq_table(row), eq_table(call), eq_table(elements));
        let at_calls: Vec<K> = self
            .calls
            .par_iter()
            .map(|weights| dot(weights, &calls))
            .collect();
        (self.terms.iter())
            .map(|term| term.scale * rows[term.row] * elements[term.element] * at_calls[term.calls])
            .sum()
    }
}

/// A digest as elements.
fn digest_elements(digest: &Digest) -> [K; 2] {
    let (halves, _) = digest.as_chunks();
    std::array::from_fn(|i| K::from_le_bytes(halves[i]))
}

/// A sum of products over the indices that a mask has.
fn masked_dot(left: &[K], right: &[K], mask: u16) -> K {
    (left.iter().zip(right).enumerate())
        .filter(|(i, _)| mask >> i & 1 == 1)
        .map(|(_, (&left, &right))| left * right)
        .sum()
}
