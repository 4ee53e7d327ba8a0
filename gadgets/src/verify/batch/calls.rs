//! The list of calls, and what it says about elements of the trace.
//!
//! Leaves the digest of the list and, at the point over calls of the zerocheck, a claim about
//! elements, as `droste_batch::statement` ("inputs and outputs" in the protocol). A call's part of
//! it is a sum of the elements of its entry with weights that are the same in all calls, times the
//! weight of the call. As with paths ([`crate::verify::batch::statement`]), entries are visited once,
//! at the end, and what the transcript needs of them before is hinted.
//!
//! If the input ends in the middle of an element, the output begins there, and each of its elements
//! in the rows is the high half of one in the list and the low half of the next one. So halves have
//! weights of their own: `low e + (low + high) h` is what an element `e` with the high half `h` adds
//! to the sum. The product with `x^64` moves a low half up, and the one with its inverse a high half
//! down.

use crate::advice::advise_entries;
use crate::bits::Bits;
use crate::packing::BASIS;
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;
use crate::verify::batch::binary::{
    complements, constant, dot, equality, equality_of, one, powers, product, total,
};
use crate::verify::batch::shape::{Calls, LOG_ELEMENTS, Shape};
use crate::verify::batch::statement::{Claims, List, Statement, groups, index_weight, root};

/// Lanes of an element.
pub const LANES: usize = 5;

/// The lane in which the high half of an element begins.
const MIDDLE: usize = 2;

/// Bits of that lane that are the low half's.
const LOW_BITS: usize = 4;

impl Statement for Calls {
    fn read(&self, shape: &Shape) -> List {
        // There are eight calls at least.
        List::read(shape, shape.log_calls, LANES * self.elements, &[])
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
        let mut own = Vec::new();
        for places in &self.places {
            let mut weights = Vec::new();
            for place in places {
                weights.push(product(powers[place.row], elements[place.element]));
            }
            own.push(total(&weights));
        }
        let entry_weights = entry_weights(self, &own);
        let whole = &entry_weights[0..self.elements];
        let high = &entry_weights[self.elements..entry_weights.len()];
        advise_entries(list.entries, calls, whole, high);
        // Observed with the claim of the opening, and compared at the end.
        let entries = hint_slice(1).any().block(0);
        // Weights of all calls add up to one.
        let value = binary_product(constant(&self.offset), own[self.inputs - 1], entries);
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
        let entries = visit(self, list, &claims.calls, &claims.entry_weights);
        assert_eq!(entries, claims.entries);
        let zeros = complements(rows);
        let mut weight = Block::ZERO;
        for i in 0..self.rows.len() {
            let public = &self.rows[i];
            let mut here = Vec::new();
            let mut there = Vec::new();
            for element in &public.elements {
                here.push(claims.elements[*element]);
                there.push(elements[*element]);
            }
            let n = here.len();
            let (here, there) = (Slice::from_blocks(here), Slice::from_blocks(there));
            let both = product(dot(here, there, n, Block::ZERO), claims.powers[i]);
            weight = binary_product(index_weight(&zeros, rows, public.row), both, weight);
        }
        let calls = equality_of(&claims.calls, &point[0..log_calls], one());
        product(calls, weight)
    }
}

/// Returns what the elements of an entry weigh, then what the high halves of those from
/// [`Calls::whole`] on weigh in addition, given the weights of elements of input and output.
fn entry_weights(calls: &Calls, own: &[Block]) -> Vec<Block> {
    let first = calls.whole;
    let mut whole = Vec::new();
    for i in 0..first {
        whole.push(own[i]);
    }
    let mut additional = Vec::new();
    let up = constant(&calls.half);
    let down = constant(&calls.inverse_half);
    for i in first..calls.elements {
        // The first of these is the input's last element and the output's first half. Each next one
        // begins with the second half of the output's element before.
        let low = if i == first {
            own[i]
        } else {
            product(up, own[i])
        };
        whole.push(low);
        additional.push(binary_product(down, own[i + 1], low));
    }
    for weight in additional {
        whole.push(weight);
    }
    whole
}

/// Returns the sum of all entries with these weights and those of calls at a point. Fails if a group
/// of entries has not the root that the list has for it.
fn visit(calls: &Calls, list: &List, point: &[Block], weights: &[Block]) -> Block {
    let (low, high) = groups(point.len());
    let number = 1usize << low;
    let (n, first) = (calls.elements, calls.whole);
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
            let elements = unpack(entry, 0, n);
            let mut own = dot(elements, weights, n, Block::ZERO);
            if first < n {
                let mut halves = Vec::new();
                for e in first..n {
                    halves.push(high_half(elements.block(e)));
                }
                let halves = Slice::from_blocks(halves);
                own = dot(halves, weights.skip(n), n - first, own);
            }
            sums.push(own);
        }
        let sums = dot(Slice::from_blocks(sums), of_calls, number, Block::ZERO);
        // In bounds: there are a node and a weight for each iteration.
        assert_eq!(root(&leaves), list.nodes.at_unchecked(i));
        all = binary_product(of_groups.at_unchecked(i), sums, all);
    }
    all
}

/// Returns the element whose high 64 bits are those of this one, and the others zero. The lane in
/// which they begin is the only one that both halves have bits of.
pub fn high_half(element: Block) -> Block {
    let middle = Bits::new(element.lane(MIDDLE), 4).above(LOW_BITS);
    let low = BASIS[MIDDLE] * felt(1usize << LOW_BITS) * middle;
    let half = BASIS[4] * element.lane(4) + (BASIS[3] * element.lane(3) + low);
    half.as_block()
}
