//! The list of calls, and what it says about elements of the trace.
//!
//! Leaves the digest of the list and, at the point over calls of the zerocheck, a claim about
//! elements, as `droste_binary::statement` ("inputs and outputs" in the protocol). A call's part of
//! it is a sum of the elements of its entry with weights that are the same in all calls, times the
//! weight of the call. As with paths ([`crate::verify::binary::statement`]), entries are visited
//! once, at the end, and what the transcript needs of them before is hinted.

use crate::advice::advise_entries;
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;
use crate::verify::binary::field::{
    complements, constant, dot, equality, equality_of, one, powers, product, total,
};
use crate::verify::binary::shape::{Calls, LOG_ELEMENTS, Shape};
use crate::verify::binary::statement::{
    Claims, List, Statement, both_weights, groups, index_weight, root,
};

/// Lanes of an element.
pub const LANES: usize = 5;

impl Statement for Calls {
    fn read(&self, shape: &Shape) -> List {
        // Elements are unpacked as extension elements.
        assert_eq!(Ext::degree(), LANES);
        // There are eight calls at least.
        List::read(shape, shape.log_calls, LANES * self.places.len(), &[])
    }

    fn claims(
        &self,
        _shape: &Shape,
        list: &List,
        calls: &[Block],
        elements: &[Block],
        eta: Block,
    ) -> Claims {
        let powers = powers(eta, eta, self.rows.len());
        let elements = equality(elements);
        let mut entry_weights = Vec::new();
        for places in &self.places {
            let mut weights = Vec::new();
            for place in places {
                weights.push(product(powers[place.row], elements[place.element]));
            }
            entry_weights.push(total(&weights));
        }
        advise_entries(list.entries, calls, &entry_weights);
        // Observed with the claim of the opening, and compared at the end.
        let entries = hint_slice(1).any().block(0);
        // Weights of all calls add up to one.
        let value = binary_product(
            constant(&self.offset),
            entry_weights[self.inputs - 1],
            entries,
        );
        let mut point = Vec::new();
        for call in calls {
            point.push(*call);
        }
        Claims {
            value,
            calls: point,
            elements,
            powers,
            entry_weights,
            entries,
        }
    }

    fn weight(&self, shape: &Shape, list: &List, claims: &Claims, point: &[Block]) -> Block {
        let log_calls = shape.log_calls;
        let elements = equality(&point[log_calls..log_calls + LOG_ELEMENTS]);
        let rows = &point[log_calls + LOG_ELEMENTS..point.len()];
        let entries = visit(list, &claims.calls, &claims.entry_weights);
        assert_eq!(entries, claims.entries);
        let zeros = complements(rows);
        let mut weight = Block::ZERO;
        for i in 0..self.rows.len() {
            let public = &self.rows[i];
            let own = both_weights(&public.elements, &claims.elements, &elements);
            let both = product(own, claims.powers[i]);
            weight = binary_product(index_weight(&zeros, rows, public.row), both, weight);
        }
        let calls = equality_of(&claims.calls, &point[0..log_calls], one());
        product(calls, weight)
    }
}

/// Returns the sum of all entries with these weights and those of calls at a point. Fails if a
/// group of entries has not the root that the list has for it.
fn visit(list: &List, point: &[Block], weights: &[Block]) -> Block {
    let (low, high) = groups(point.len());
    let number = 1usize << low;
    let n = weights.len();
    let lanes = LANES * n;
    let blocks = lanes.div_ceil(8);
    let weights = Slice::from_blocks(weights);
    let of_calls = Slice::from_blocks(equality(&point[0..low]));
    let of_groups = Slice::from_blocks(equality(&point[low..point.len()]));
    let mut all = Block::ZERO;
    for i in count(1usize << high) {
        // In bounds: as many groups as the loop has iterations.
        let group = list
            .entries
            .skip_unchecked(i * felt(blocks * number), blocks * number);
        let mut leaves = Vec::new();
        let mut sums = Vec::new();
        for j in 0..number {
            let entry = group.skip(blocks * j);
            leaves.push(poseidon16_hash(entry, lanes, Block::ZERO));
            sums.push(dot(unpack(entry, 0, n), weights, n, Block::ZERO));
        }
        let sums = dot(Slice::from_blocks(sums), of_calls, number, Block::ZERO);
        // In bounds: there are a node and a weight for each iteration.
        assert_eq!(root(&leaves), list.nodes.at_unchecked(i));
        all = binary_product(of_groups.at_unchecked(i), sums, all);
    }
    all
}
