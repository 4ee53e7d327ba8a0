//! Queries: opened leaves, their answers, and what the answers are compared with.

use droste_native::whir::CommitmentStep;

use super::functions::{self, NUMBER_BITS, domain_point, horner, sort, write_equalities};
use super::{Opening, nonce_bytes};
use crate::assembler::{Assembler, AssemblerError, Expr, Name, Op, load, var};
use crate::constraints::word;
use crate::field::{ELEMENT_BYTES, Element, P, PACKED_BYTES, SHIFT};
use crate::merkle;
use crate::rows::{self, leaf_bytes};
use crate::transcript::Transcript;

/// The functions that add up leaves of the trees of the stack.
const STACK: [&str; 2] = ["first_leaf", "second_leaf"];

/// The variables that are places of leaves, of each tree.
const LEAVES: [&str; 2] = ["leaf0", "leaf1"];

/// A tree of a commitment.
struct Tree {
    /// The function that adds up its leaves. Trees of later commitments share one if their leaves
    /// are as wide.
    sum: Name,
    /// The variable that is the place of a leaf.
    leaf: &'static str,
    /// Number of values of a leaf.
    width: usize,
}

impl Opening<'_> {
    /// Defines the functions that [`Self::verify`] calls, but for those of field and transcript.
    pub fn define(&self, a: &mut Assembler, transcript: &Transcript) {
        self.define_sumchecks(a, &transcript.sampled());
        functions::define(a, &self.places, self.log_domain());
        let mut defined: Vec<Name> = vec![];
        for (number, step) in self.scheme.schedule().commitments().enumerate() {
            for (index, tree) in self.trees(number, step).into_iter().enumerate() {
                if !defined.contains(&tree.sum) {
                    let prepared = self.places.prepared(index);
                    rows::define_weighted_sum(a, tree.sum.clone(), tree.width, prepared);
                    defined.push(tree.sum);
                }
            }
        }
        self.define_weights(a);
    }

    /// Logarithm of the size of the largest domain.
    pub(super) fn log_domain(&self) -> usize {
        let steps = self.scheme.schedule().commitments();
        steps.map(|step| step.log_leaves).max().unwrap_or(0)
    }

    /// The trees of a commitment: of the stack one or two, and one of each later commitment.
    fn trees(&self, number: usize, step: &CommitmentStep) -> Vec<Tree> {
        let widths = self.widths(number, step).into_iter();
        let trees = widths.zip(STACK.into_iter().zip(LEAVES));
        let trees = trees.map(|(width, (sum, leaf))| Tree {
            sum: match number {
                0 => sum.into(),
                _ => format!("leaf_of_{}", 1_u64 << step.fold).into(),
            },
            leaf,
            width,
        });
        trees.collect()
    }

    /// The places of a commitment's leaves, of each tree, and their lengths.
    fn leaves(&self, number: usize, step: &CommitmentStep, place: u64) -> Vec<(u64, u64)> {
        let mut place = place + nonce_bytes(step.query_grinding_bits);
        let mut leaves = vec![];
        for width in self.widths(number, step) {
            leaves.push((place, leaf_bytes(width)));
            place += leaf_bytes(width) * step.queries as u64;
        }
        leaves
    }

    /// Samples the queries to a commitment, and checks that the leaves are in its trees.
    pub(super) fn query(
        &self,
        a: &mut Assembler,
        transcript: &mut Transcript,
        number: usize,
        step: &CommitmentStep,
        place: u64,
        roots: &[Expr],
    ) {
        let places = &self.places;
        transcript.check_work(a, place, step.query_grinding_bits as u32);
        let queries = places.queries(number);
        for query in 0..step.queries {
            let index = transcript.bits(a, step.log_leaves as u32);
            let numbered = (index << NUMBER_BITS) | query as u64;
            a.store(word(queries, query), numbered);
        }
        let length = ELEMENT_BYTES * step.queries as u64;
        let end = places.sorted + length;
        let copied = [places.sorted, queries, length].map(Expr::from);
        a.run(Op::MCopy, copied);
        if step.queries > 1 {
            sort(a, places.sorted, end);
        }
        let trees = self.leaves(number, step, place);
        // The tree of preprocessed rows has a root even if there are none.
        if trees.len() > roots.len() {
            a.fail(AssemblerError::Length {
                what: "roots",
                expected: trees.len(),
                found: roots.len(),
            });
        }
        for ((leaves, length), root) in trees.into_iter().zip(roots) {
            let nodes = functions::listed(leaves, length, end);
            let depth = step.log_leaves as u64;
            let behind = merkle::verified(nodes, load(places.digests), depth, root.clone());
            a.store(places.digests, behind);
        }
    }

    /// Prepares the weights of a commitment's leaves, whose rows' variables are bound to the point
    /// from the coordinate `first` on.
    pub(super) fn prepare_fold(
        &self,
        a: &mut Assembler,
        number: usize,
        step: &CommitmentStep,
        first: usize,
    ) {
        let places = &self.places;
        let (start, end) = (
            word(places.point, first),
            word(places.point, first + step.fold),
        );
        write_equalities(a, start, end, places.table);
        if number > 0 {
            let count = 1 << step.fold;
            a.block(|a| rows::extension_weights(a, places.table, count, places.weights));
            for (tree, width) in self.widths(number, step).into_iter().enumerate() {
                rows::prepare(a, places.weights, width, places.prepared(tree));
            }
            return;
        }
        let layout = self.scheme.layout();
        let trees = [layout.main_rows(), layout.preprocessed_rows()];
        let trees = trees.into_iter().filter(|rows| !rows.is_empty());
        for (tree, rows) in trees.enumerate() {
            let mut to = places.weights;
            for run in rows.chunk_by(|row, next| row + 1 == *next) {
                let length = ELEMENT_BYTES * run.len() as u64;
                #[allow(clippy::indexing_slicing, reason = "no run is empty")]
                let from = word(places.table, run[0]);
                a.run(Op::MCopy, [to, from, length].map(Expr::from));
                to += length;
            }
            rows::prepare(a, places.weights, rows.len(), places.prepared(tree));
        }
    }

    /// For each query, from the last one on: runs the body with the answer, and whatever the
    /// variable `query` is the place of.
    fn for_each_answer(
        &self,
        a: &mut Assembler,
        number: usize,
        step: &CommitmentStep,
        place: u64,
        body: impl FnOnce(&mut Assembler, Element),
    ) {
        let leaves = self.leaves(number, step, place);
        let trees = self.trees(number, step);
        let queries = self.places.queries(number);
        for (tree, (leaves, length)) in trees.iter().zip(&leaves) {
            a.bind(tree.leaf, leaves + length * step.queries as u64);
        }
        a.bind("query", word(queries, step.queries));
        a.repeat_while(|a| {
            a.set("query", var("query") - ELEMENT_BYTES);
            let mut answer = None;
            for (Tree { sum, leaf, .. }, (_, length)) in trees.into_iter().zip(&leaves) {
                a.set(leaf, var(leaf) - *length);
                let sum = rows::weighted_sum(sum, var(leaf));
                answer = Some(match answer {
                    None => sum,
                    Some(before) => sum + before,
                });
            }
            body(a, answer.unwrap_or_else(Element::zero));
            Expr::from(queries).lt(var("query"))
        });
    }

    /// Adds the answers of the queries to a commitment, and the values outside the domain of the
    /// next one, to the claim.
    pub(super) fn add_answers(
        &self,
        a: &mut Assembler,
        number: usize,
        step: &CommitmentStep,
        place: u64,
        outside: u64,
        num_outside: usize,
    ) {
        let gamma = || Element::load(word(self.places.gammas, number + 1));
        a.block(|a| {
            a.bind("added", 0);
            self.for_each_answer(a, number, step, place, |a, answer| {
                let added = (answer + Element::var("added")) * gamma();
                a.set("added", added.expr);
            });
            for index in (0..num_outside).rev() {
                let value = Element::read(outside + PACKED_BYTES * index as u64);
                a.set("added", ((value + Element::var("added")) * gamma()).expr);
            }
            let sum = Element::load(self.places.sum) + Element::var("added");
            a.store(self.places.sum, sum.value());
        });
    }

    /// Checks that the answers are the values of the final polynomial.
    pub(super) fn check_final_polynomial(
        &self,
        a: &mut Assembler,
        number: usize,
        step: &CommitmentStep,
        place: u64,
    ) {
        let polynomial = self.places.final_polynomial;
        let end = word(polynomial, 1 << self.scheme.schedule().final_variables);
        a.block(|a| {
            self.for_each_answer(a, number, step, place, |a, answer| {
                let answer = a.bind_element("answer", answer);
                let index = load(var("query")) >> NUMBER_BITS;
                let x = domain_point(index, step.log_leaves, self.log_domain());
                // The first lane of an element.
                let shift = (1_u64 << SHIFT) % P;
                let x = Expr::Op(Op::MulMod, vec![x, shift.into(), P.into()]);
                let value = horner(polynomial, end, x);
                a.revert_if((value - answer).is_nonzero());
            });
        });
    }
}
