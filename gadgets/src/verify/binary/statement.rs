//! What every statement has, and the list of Merkle paths: what it says about elements of the
//! trace.
//!
//! Leaves the digest of the list and, at the point over calls of the zerocheck, a claim about
//! elements. As `droste_binary::statement`, where all claims are listed. Number and depth of paths
//! are powers of two, so that what a call weighs is a product of a weight of its path and one of
//! its level.
//!
//! What a path costs is most of it, so each is visited once, at the end ([`Statement::weight`]).
//! What the transcript needs before are hints: nodes of the list's tree, and the part of the claim
//! that comes from leaves and roots. Both are compared with what the entries give, so it makes no
//! difference when: an accepted run has them as if they had been computed at once.

use crate::advice::{advise_elements, advise_entries};
use crate::bits::Bits;
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;
use crate::verify::binary::calls::LANES;
use crate::verify::binary::field::{
    complements, constant, constants, dot, equality, equality_of, one, powers, product,
    subset_sums, sum, tensor,
};
use crate::verify::binary::shape::{LOG_ELEMENTS, Paths, Shape};

/// Elements of an entry: leaf, index and root.
const ELEMENTS: usize = 5;

/// Lanes of an entry.
const ENTRY_LANES: usize = ELEMENTS * LANES;

/// Blocks of an entry. Hashing gives the last lanes their values.
const BLOCKS: usize = 4;

/// Element of the index.
const INDEX: usize = 2;

/// Logarithm of the entries of a group: they are unrolled in a loop over groups, whose roots are
/// hints. If there are fewer, they are one group.
pub const LOG_GROUP: usize = 5;

/// Bits of a lane of an element.
const LANE_BITS: usize = 30;

/// Logarithm of the bits of an index that select one entry of a table.
const LOG_PIECE: usize = 3;

/// What a proof is about: a list, and what it says about elements of the trace.
pub trait Statement {
    /// Reads the list. [`Self::weight`] checks that it has the digest.
    fn read(&self, shape: &Shape) -> List;

    /// Returns the claims of the list at a point over calls and one over elements, by the powers of
    /// `eta`.
    fn claims(
        &self,
        shape: &Shape,
        list: &List,
        calls: &[Block],
        elements: &[Block],
        eta: Block,
    ) -> Claims;

    /// Checks digest and claim against all entries of the list, and returns what the elements weigh
    /// at a point: first the coordinates of calls, then those of elements, then those of rows of a
    /// call.
    fn weight(&self, shape: &Shape, list: &List, claims: &Claims, point: &[Block]) -> Block;
}

/// The list.
pub struct List {
    /// The entries.
    pub entries: Slice,
    /// The roots of their groups, to be checked.
    pub nodes: Slice,
    /// Its digest.
    pub digest: Block,
}

/// The claims, by their powers of a challenge.
pub struct Claims {
    /// What the sum of elements with weights is.
    pub value: Block,
    /// The point over calls.
    pub calls: Vec<Block>,
    /// What each element of a row weighs.
    pub elements: Vec<Block>,
    /// The powers of the challenge.
    pub powers: Vec<Block>,
    /// What the elements of an entry weigh, but for the weight of the entry.
    pub entry_weights: Vec<Block>,
    /// The sum of all entries with their weights, to be checked.
    pub entries: Block,
}

/// Number of claims about paths: chain and root, for both elements of a digest.
const PATH_CLAIMS: usize = 4;

/// Returns logarithms of the number of entries of a group, and of the number of groups.
pub fn groups(log_entries: usize) -> (usize, usize) {
    let low = LOG_GROUP.min(log_entries);
    (low, log_entries - low)
}

impl List {
    /// Reads as many entries as 2 to the power `log_entries`, of `lanes` each. One alone is filled
    /// up with this digest.
    pub fn read(shape: &Shape, log_entries: usize, lanes: usize, empty_entry: &[u32]) -> Self {
        let (low, high) = groups(log_entries);
        let number = 1usize << high;
        let blocks = lanes.div_ceil(8);
        let all = number << low;
        advise_elements(&[], 0, lanes * all, (lanes, blocks), false);
        // Hashed at the end.
        let entries = hint_slice(blocks * all).any();
        // Compared at the end with the hashes of the groups.
        let nodes = hint_slice(number).any();
        let mut layer = Vec::new();
        for i in 0..number {
            layer.push(nodes.block(i));
        }
        if log_entries == 0 {
            layer.push(constant(empty_entry));
        }
        Self {
            entries,
            nodes,
            digest: poseidon16_compress(constant(&shape.numbers), root(&layer)),
        }
    }
}

/// Returns the root of the Merkle tree of these nodes.
pub fn root(nodes: &[Block]) -> Block {
    let mut layer = Vec::new();
    for node in nodes {
        layer.push(*node);
    }
    while layer.len() > 1 {
        let mut parents = Vec::new();
        for i in 0..layer.len() / 2 {
            parents.push(poseidon16_compress(layer[2 * i], layer[2 * i + 1]));
        }
        layer = parents;
    }
    layer[0]
}

impl Statement for Paths {
    fn read(&self, shape: &Shape) -> List {
        // Elements are unpacked as extension elements.
        assert_eq!(Ext::degree(), LANES);
        List::read(shape, self.log_paths, ENTRY_LANES, &self.empty_entry)
    }

    fn claims(
        &self,
        _shape: &Shape,
        list: &List,
        calls: &[Block],
        elements: &[Block],
        eta: Block,
    ) -> Claims {
        let depth = 1usize << self.log_depth;
        let constant_rows = &self.constants;
        let powers = powers(eta, eta, PATH_CLAIMS + constant_rows.len());
        let elements = equality(elements);
        let levels = equality(&calls[0..self.log_depth]);
        let mut own = Vec::new();
        for call in calls {
            own.push(*call);
        }
        // The leaf is before the first level, the root after the last one.
        let weights = vec![
            product(levels[0], powers[0]),
            product(levels[0], powers[1]),
            product(levels[depth - 1], powers[2]),
            product(levels[depth - 1], powers[3]),
        ];
        let of_entry = [weights[0], weights[1], Block::ZERO, weights[2], weights[3]];
        let paths = &own[self.log_depth..own.len()];
        advise_entries(list.entries, paths, &of_entry);
        // Observed with the claim of the opening, and compared at the end.
        let ends = hint_slice(1).any().block(0);
        let mut value = ends;
        // Weights of all calls add up to one.
        for i in 0..constant_rows.len() {
            let row = &constant_rows[i];
            let mut own = Vec::new();
            for element in &row.elements {
                own.push(elements[*element]);
            }
            let n = own.len();
            // A row may have no constants. Its claim has a power nevertheless.
            if n > 0 {
                let values = constants(&row.values);
                let inner = dot(values, Slice::from_blocks(own), n, Block::ZERO);
                value = binary_product(powers[PATH_CLAIMS + i], inner, value);
            }
        }
        Claims {
            value,
            calls: own,
            elements,
            powers,
            entry_weights: weights,
            entries: ends,
        }
    }

    fn weight(&self, shape: &Shape, list: &List, claims: &Claims, point: &[Block]) -> Block {
        let log_calls = shape.log_calls;
        let call = &point[0..log_calls];
        let elements = equality(&point[log_calls..log_calls + LOG_ELEMENTS]);
        let rows = &point[log_calls + LOG_ELEMENTS..point.len()];
        let depth = 1usize << self.log_depth;
        let own = &claims.calls;
        let own_levels = equality(&own[0..self.log_depth]);
        let levels = equality(&call[0..self.log_depth]);
        let own_paths = &own[self.log_depth..log_calls];
        let paths = &call[self.log_depth..log_calls];
        let all_paths = equality_of(own_paths, paths, one());

        let mut both = Vec::new();
        let mut all_levels = Block::ZERO;
        for i in 0..depth {
            both.push(product(own_levels[i], levels[i]));
            all_levels = if i == 0 {
                both[0]
            } else {
                sum(both[i], all_levels)
            };
        }
        let all = product(all_paths, all_levels);
        let last = product(all_paths, both[depth - 1]);
        let mut before = Block::ZERO;
        if depth > 1 {
            let here = Slice::from_blocks(&own_levels[1..depth]);
            before = product(
                all_paths,
                dot(here, Slice::from_blocks(&levels), depth - 1, Block::ZERO),
            );
        }
        let sums = visit(self, list, own, call, &claims.entry_weights);
        assert_eq!(sums.ends, claims.entries);
        let right = sums.right;
        let left = sum(all, right);

        let zeros = complements(rows);
        let p = &claims.powers;
        let places = [&self.left, &self.right, &self.output, &self.output];
        let of_calls = [left, right, before, last];
        let mut weight = Block::ZERO;
        for i in 0..4 {
            let place = places[i];
            // The last one is the claim about the root, the others those about the chain.
            let first = if i == 3 { 2 } else { 0 };
            let pair = Slice::from_blocks([p[first], p[first + 1]]);
            let own = [elements[place.element], elements[place.element + 1]];
            let both = dot(pair, Slice::from_blocks(own), 2, Block::ZERO);
            let row = index_weight(&zeros, rows, place.row);
            weight = binary_product(product(row, of_calls[i]), both, weight);
        }
        for i in 0..self.constants.len() {
            let constants = &self.constants[i];
            let n = constants.elements.len();
            if n > 0 {
                let own = both_weights(&constants.elements, &claims.elements, &elements);
                let both = product(own, p[PATH_CLAIMS + i]);
                let row = index_weight(&zeros, rows, constants.row);
                weight = binary_product(product(row, all), both, weight);
            }
        }
        weight
    }
}

/// Returns the sum over these elements of a row of the products of what they weigh at two points.
pub fn both_weights(elements: &[usize], here: &[Block], there: &[Block]) -> Block {
    let mut left = Vec::new();
    let mut right = Vec::new();
    for element in elements {
        left.push(here[*element]);
        right.push(there[*element]);
    }
    let n = left.len();
    dot(
        Slice::from_blocks(left),
        Slice::from_blocks(right),
        n,
        Block::ZERO,
    )
}

/// Returns what one index weighs at a point.
pub fn index_weight(zeros: &[Block], ones: &[Block], index: usize) -> Block {
    let mut all = one();
    for i in 0..ones.len() {
        let factor = if (index >> i) % 2 == 1 {
            ones[i]
        } else {
            zeros[i]
        };
        all = if i == 0 { factor } else { product(all, factor) };
    }
    all
}

/// Sums over all paths.
struct Sums {
    /// Of the elements of leaf and root times their weights, at a point over paths.
    ends: Block,
    /// Of what paths weigh at that point and another one, each times the sum of the levels at which
    /// its index says that it is a right child.
    right: Block,
}

/// Returns the sums over all paths, of two points over calls. Fails if a group of entries has not
/// the root that the list has for it, if an index has more bits than there are levels, or if
/// another lane of it is not zero.
fn visit(paths: &Paths, list: &List, left: &[Block], right: &[Block], weights: &[Block]) -> Sums {
    let (low, high) = groups(paths.log_paths);
    let first = paths.log_depth;
    let paths = 1usize << low;
    let mut own = Vec::new();
    for path in &equality(&left[first..first + low]) {
        for weight in weights {
            own.push(product(*path, *weight));
        }
    }
    let own = Slice::from_blocks(own);
    let of_groups = Slice::from_blocks(equality(&left[first + low..left.len()]));
    let mut ones = Vec::new();
    let mut zeros = Vec::new();
    let left_zeros = complements(left);
    let right_zeros = complements(right);
    for i in 0..left.len() {
        ones.push(product(left[i], right[i]));
        zeros.push(product(left_zeros[i], right_zeros[i]));
    }
    let inner = tensor(&zeros[first..first + low], &ones[first..first + low]);
    let outer = tensor(
        &zeros[first + low..left.len()],
        &ones[first + low..left.len()],
    );
    let of_both = Slice::from_blocks(outer);
    // Levels weigh as much as the first ones of a table, times the weight of their table's number.
    let split = LOG_PIECE.min(first);
    let table = subset_sums(&tensor(&zeros[0..split], &ones[0..split]));
    let of_tables = tensor(&zeros[split..first], &ones[split..first]);
    let pieces = pieces(1usize << first);
    let mut of_pieces = Vec::new();
    for path in &inner {
        let mut own = Vec::new();
        for piece in &pieces {
            own.push(product(*path, of_tables[piece.from >> LOG_PIECE]));
        }
        of_pieces.push(Slice::from_blocks(own));
    }
    let mut sums = Sums {
        ends: Block::ZERO,
        right: Block::ZERO,
    };
    for i in count(1usize << high) {
        // In bounds: as many groups as the loop has iterations.
        let group = list
            .entries
            .skip_unchecked(i * felt(BLOCKS * paths), BLOCKS * paths);
        let mut leaves = Vec::new();
        let mut ends = Block::ZERO;
        let mut rights = Block::ZERO;
        for j in 0..paths {
            let entry = group.skip(BLOCKS * j);
            leaves.push(poseidon16_hash(entry, ENTRY_LANES, Block::ZERO));
            let elements = unpack(entry, 0, ELEMENTS);
            ends = binary_dot(elements, 1, own.skip(4 * j), ends);
            ends = binary_dot(elements.skip(INDEX + 1), 1, own.skip(4 * j + 2), ends);
            let index = elements.block(INDEX).as_ext();
            let entries = selected(index, table, &pieces, 1usize << first);
            let entries = Slice::from_blocks(entries);
            rights = dot(entries, of_pieces[j], pieces.len(), rights);
        }
        // In bounds: there are a node and weights for each iteration.
        assert_eq!(root(&leaves), list.nodes.at_unchecked(i));
        sums.ends = binary_product(of_groups.at_unchecked(i), ends, sums.ends);
        sums.right = binary_product(of_both.at_unchecked(i), rights, sums.right);
    }
    sums
}

/// Bits of an index that select an entry of a table.
struct Piece {
    /// The lane of the index's element.
    lane: usize,
    /// The first bit, of all.
    from: usize,
    /// The bit after the last one.
    to: usize,
}

/// Returns the pieces of an index of `depth` bits: each within a lane, and a table.
fn pieces(depth: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut from = 0usize;
    while from < depth {
        let lane = from / LANE_BITS;
        let next = ((from >> LOG_PIECE) + 1) << LOG_PIECE;
        let to = next.min(depth).min(LANE_BITS * (lane + 1));
        pieces.push(Piece { lane, from, to });
        from = to;
    }
    pieces
}

/// Returns the entries of the table that the pieces of an index select. Fails if a lane of the
/// index has more bits than levels.
fn selected(index: Ext, table: Slice, pieces: &[Piece], depth: usize) -> Vec<Block> {
    let lanes = depth.div_ceil(LANE_BITS);
    if lanes == 1 {
        assert_eq!(index, Ext::from_felt(index.coeff(0)));
    } else {
        for lane in lanes..5 {
            assert_eq!(index.coeff(lane), Felt::ZERO);
        }
    }
    let mut own = Vec::new();
    for lane in 0..lanes {
        let first = LANE_BITS * lane;
        let length = LANE_BITS.min(depth - first);
        let bits = Bits::new(index.coeff(lane), length.div_ceil(8));
        assert_eq!(bits.above(length), Felt::ZERO);
        for piece in pieces {
            if piece.lane == lane {
                let part = bits.part(piece.from - first, piece.to - first);
                // In bounds: the table has an entry for each integer of eight bits, or of as many
                // as there are levels, and the bits before the piece's in its table are zero.
                let before = piece.from % (1usize << LOG_PIECE);
                own.push(table.at_unchecked(if before == 0 {
                    part
                } else {
                    part * felt(1usize << before)
                }));
            }
        }
    }
    own
}
