//! What the claims of a grid are, and what the elements of the trace weigh in them.
//!
//! They are the claims of the graph of the grid's calls, by the same powers of a challenge
//! (`droste_binary::statement`): each element of an input that is not free is what it is made of,
//! outputs of roots are in the caps, and elements that stand in several places are the same there.
//! Since all queries make the same calls, what a call weighs at a point is the product of what its
//! query and its step weigh, and sums over all calls are products of sums over queries and over
//! steps, but for three things: known words and digests of caps (both in `value`), and which child
//! of a node is the output before.
//!
//! Right children weigh `R = sum_q Q'[q] sum_s S'[s]`, over the nodes `s` at which query `q` has
//! one, with the products `Q'`, `S'` of what query and step weigh at the zerocheck's point and at
//! the opening's; left children weigh what is left of all nodes. The outputs before weigh so, too,
//! but with the step before at the opening's point. Both are linear in the bits of the index, so
//! the sum of all is looked up in tables of sums of bits.

use crate::prelude::*;
use crate::unchecked::UncheckedSlice;
use crate::verify::binary::field::{
    complements, dot_at, equality, equality_of, first_entries, first_total, one, product, scaled,
    subset_sums, sum, total,
};
use crate::verify::binary::grid::Known;
use crate::verify::binary::grid::layout::{
    Grid, NEXT, NODE, PARENT, Places, Step, is_carried, log_queries, message_element, region_blocks,
};
use crate::verify::binary::grid::value::index_bits;
use crate::verify::binary::shape::{LOG_ELEMENTS, Place};
use crate::verify::binary::statement::index_weight;

/// Returns the number of claims, each of which has a power of a challenge.
pub fn num_claims(places: &Places) -> usize {
    places.inputs.len() + places.outputs.len() + places.copies.len()
}

/// Returns the sum of the powers from `first` on, each times what its element of the output weighs,
/// of two elements.
fn digest(powers: &[Block], first: usize, outputs: &[Block]) -> Block {
    dot_at(powers, &[first, first + 1], outputs, &[0, 1])
}

/// What places weigh at a point.
struct PlaceWeights {
    /// The rows that have places.
    rows: Vec<usize>,
    /// What each of them weighs.
    of_rows: Vec<Block>,
    /// What each element of a row weighs.
    elements: Vec<Block>,
}

impl PlaceWeights {
    /// Those at a point over elements and one over rows.
    fn new(places: &Places, elements: &[Block], rows: &[Block]) -> Self {
        let mut all = Vec::new();
        for place in &places.inputs {
            all.push(place.row);
        }
        for place in &places.outputs {
            all.push(place.row);
        }
        for copied in &places.copies {
            all.push(copied.other.row);
        }
        let zeros = complements(rows);
        let mut distinct = Vec::new();
        let mut of_rows = Vec::new();
        for row in all {
            if !distinct.contains(&row) {
                distinct.push(row);
                of_rows.push(index_weight(&zeros, rows, row));
            }
        }
        Self {
            rows: distinct,
            of_rows,
            elements: equality(elements),
        }
    }

    /// Returns what a place weighs.
    fn of(&self, place: &Place) -> Block {
        let mut row = 0usize;
        while self.rows[row] != place.row {
            row += 1;
        }
        product(self.of_rows[row], self.elements[place.element])
    }
}

/// Returns what the elements weigh at a point, with the claims at a point over calls, where
/// `of_steps` is what each step weighs.
pub fn weight(
    grid: &Grid,
    steps: &[Step],
    known: &Known,
    calls: &[Block],
    of_steps: &[Block],
    powers: &[Block],
    point: &[Block],
) -> Block {
    let n = calls.len();
    let log_queries = log_queries(grid);
    let places = &grid.places;
    let own = &point[0..n];
    let (elements, rows) = (
        &point[n..n + LOG_ELEMENTS],
        &point[n + LOG_ELEMENTS..point.len()],
    );
    let at = PlaceWeights::new(places, elements, rows);
    let mut inputs = Vec::new();
    for i in 0..places.inputs.len() {
        inputs.push(product(at.of(&places.inputs[i]), powers[i]));
    }
    let mut outputs = Vec::new();
    for place in &places.outputs {
        outputs.push(at.of(place));
    }

    // What queries and steps weigh at both points, and steps at this one.
    let zeros_there = complements(calls);
    let zeros_here = complements(own);
    let mut zeros = Vec::new();
    let mut ones = Vec::new();
    for i in 0..n {
        zeros.push(product(zeros_there[i], zeros_here[i]));
        ones.push(product(calls[i], own[i]));
    }
    let here = first_entries(
        &zeros_here[log_queries..n],
        &own[log_queries..n],
        steps.len(),
    );
    let of_queries = (&zeros[0..log_queries], &ones[0..log_queries]);
    let all_queries = first_total(of_queries.0, of_queries.1, grid.queries);
    let all_steps = first_total(&zeros[log_queries..n], &ones[log_queries..n], steps.len());

    let nodes = Nodes::new(grid, steps, of_steps, &here);
    let child = message_element(grid.hash);
    let left_outputs = digest(powers, child, &outputs);
    let right_outputs = digest(powers, child + 2, &outputs);
    let right_inputs = sum(inputs[child + 2], inputs[child + 3]);
    // Every element of an input is claimed, but for one child of a node: if no output before were a
    // right child, the right one.
    let mut fixed = product(all_steps, total(&inputs));
    fixed = binary_product(total(&nodes.same), right_inputs, fixed);
    let left = sum(total(&nodes.before), parents(steps, false, of_steps, &here));
    fixed = binary_product(left, left_outputs, fixed);
    let right = parents(steps, true, of_steps, &here);
    fixed = binary_product(right, right_outputs, fixed);
    fixed = carried(grid, steps, of_steps, &here, powers, &outputs, fixed);
    let mut ends = Vec::new();
    for i in 0..steps.len() {
        if steps[i].end > 0 {
            ends.push(i);
        }
    }
    let ends = dot_at(of_steps, &ends, &here, &ends);
    fixed = binary_product(ends, digest(powers, places.inputs.len(), &outputs), fixed);
    let mut weight = product(all_queries, fixed);

    let copies = places.copies.len();
    if copies > 0 {
        let first = places.inputs.len() + places.outputs.len();
        let mut all = Block::ZERO;
        for i in 0..copies {
            let copied = &places.copies[i];
            let both = sum(at.of(&copied.first), at.of(&copied.other));
            all = binary_product(powers[first + i], both, all);
        }
        // Also in calls that are free.
        weight = binary_product(equality_of(calls, own, one()), all, weight);
    }

    let left_inputs = sum(inputs[child], inputs[child + 1]);
    let children = sum(left_inputs, right_inputs);
    let befores = sum(left_outputs, right_outputs);
    let mut bits = Vec::new();
    for i in 0..nodes.same.len() {
        let same = product(children, nodes.same[i]);
        bits.push(binary_product(befores, nodes.before[i], same));
    }
    if bits.is_empty() {
        weight
    } else {
        let of_queries = first_entries(of_queries.0, of_queries.1, grid.queries);
        right_children(grid, known, &bits, Slice::from_blocks(of_queries), weight)
    }
}

/// What the nodes of each bit of the index weigh, up to the last bit that nodes have.
struct Nodes {
    /// At both points.
    same: Vec<Block>,
    /// At the one point, times the step before at the other one.
    before: Vec<Block>,
}

impl Nodes {
    fn new(grid: &Grid, steps: &[Step], there: &[Block], here: &[Block]) -> Self {
        let mut last = 0usize;
        for step in steps {
            if step.kind == NODE {
                last = last.max(step.bit + 1);
            }
        }
        assert!(last <= grid.index_bits);
        let mut same = Vec::new();
        let mut before = Vec::new();
        for bit in 0..last {
            let mut own = Vec::new();
            let mut from = Vec::new();
            for i in 0..steps.len() {
                if steps[i].kind == NODE && steps[i].bit == bit {
                    own.push(i);
                    from.push(steps[i].from);
                }
            }
            same.push(dot_at(there, &own, here, &own));
            before.push(dot_at(there, &own, here, &from));
        }
        Self { same, before }
    }
}

/// Returns the sum over parents of what they weigh at one point, times the step of their left or
/// right child at the other.
fn parents(steps: &[Step], is_right: bool, there: &[Block], here: &[Block]) -> Block {
    let mut own = Vec::new();
    let mut from = Vec::new();
    for i in 0..steps.len() {
        if steps[i].kind == PARENT {
            own.push(i);
            from.push(if is_right {
                steps[i].other
            } else {
                steps[i].from
            });
        }
    }
    dot_at(there, &own, here, &from)
}

/// Adds what outputs weigh that a further block of a leaf takes.
fn carried(
    grid: &Grid,
    steps: &[Step],
    there: &[Block],
    here: &[Block],
    powers: &[Block],
    outputs: &[Block],
    added: Block,
) -> Block {
    let mut all = added;
    let mut done: Vec<usize> = Vec::new();
    for step in steps {
        if step.kind == NEXT && !done.contains(&step.words) {
            done.push(step.words);
            let mut own = Vec::new();
            let mut from = Vec::new();
            for i in 0..steps.len() {
                if steps[i].kind == NEXT && steps[i].words == step.words {
                    own.push(i);
                    from.push(steps[i].from);
                }
            }
            let mut elements = Vec::new();
            for i in 0..grid.places.inputs.len() {
                if is_carried(grid.hash, step.words, i) {
                    elements.push(i);
                }
            }
            let of_elements = dot_at(powers, &elements, outputs, &elements);
            let of_calls = dot_at(there, &own, here, &from);
            all = binary_product(of_elements, of_calls, all);
        }
    }
    all
}

/// Returns the number of bits of the pieces by which an index is looked up, so that tables and
/// look-ups take the fewest products.
fn piece_bits(bits: usize, queries: usize) -> usize {
    let mut best = bits;
    let mut least = 1usize << 40;
    for pieces in 1..bits + 1 {
        let own = bits.div_ceil(pieces);
        let cost = (pieces << own) + queries * pieces.div_ceil(2);
        if cost < least {
            best = own;
            least = cost;
        }
    }
    best
}

/// Adds the sum over queries of what they weigh, each times the sum of what the bits weigh that its
/// index has.
fn right_children(
    grid: &Grid,
    known: &Known,
    bits: &[Block],
    of_queries: Slice,
    added: Block,
) -> Block {
    let piece = piece_bits(bits.len(), grid.queries);
    let mut tables = Vec::new();
    let mut from = 0usize;
    while from < bits.len() {
        let to = (from + piece).min(bits.len());
        tables.push(Table {
            sums: subset_sums(&bits[from..to]),
            from,
            to,
        });
        from = to;
    }
    let blocks = region_blocks(grid);
    let mut all = added;
    for i in count(grid.queries) {
        // In bounds: there are a region and a weight for each iteration.
        let region = known.regions.skip_unchecked(i * felt(blocks), blocks);
        let index = index_bits(grid, region);
        let mut entries = Vec::new();
        for table in &tables {
            // In bounds: a table has a sum for each integer of so many bits.
            let entry = index.part(table.from, table.to);
            entries.push(table.sums.at_unchecked(entry));
        }
        all = scaled(of_queries.at_unchecked(i), &entries, all);
    }
    all
}

/// The sums of what some bits of an index weigh.
struct Table {
    /// By the integer of the bits.
    sums: Slice,
    /// The first bit.
    from: usize,
    /// The bit after the last one.
    to: usize,
}
