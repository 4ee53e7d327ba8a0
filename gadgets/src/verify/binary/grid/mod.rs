//! The openings of Merkle trees at the queries of a proof, whose hash calls are in a binary proof.
//!
//! What is known of a query, its rows and its index, and the caps of all trees are in memory. One
//! proof of `droste_binary` about the graph of all calls shows that rows and some siblings lead to
//! the digests of the caps that the indices name: siblings and chaining values are only in the
//! proof's trace. `layout` has the calls, `value` and `weights` what the graph says about
//! them.
//!
//! The transcript of the binary proof begins with the digest of all that is known, so that it was
//! there before the first challenge. The layout is a constant of the program.
//!
//! No element of the extension is in here, so a program of any degree can verify such a proof.

pub mod layout;
pub mod value;
pub mod weights;

use crate::advice::tell_blocks;
use crate::prelude::*;
use crate::verify::binary::field::{complements, constant, first_entries, powers};
use crate::verify::binary::shape::Shape;
use crate::verify::binary::statement::{Claims, List, Statement};
use crate::verify::binary::verify_proof;

use layout::{Grid, Tree, log_calls, log_queries, region_blocks, steps};
use weights::num_claims;

/// Tag of the digest of what is known ("grid"): a Poseidon-16 sponge begins with it.
pub const GRID_TAG: u32 = 0x6772_6964;

/// What is known of the openings.
pub struct Known {
    /// The regions of all queries, one after the other.
    pub regions: Slice,
    /// The caps of all trees: digests of two blocks of limbs. Limbs below 2^16, as a transcript in
    /// a byte hash takes no others, give each digest one representation. Others would be words all
    /// the same: what is claimed is a function of the lanes that are hashed here.
    pub caps: Vec<Slice>,
}

/// Rows and siblings lead to digests of caps.
pub struct GridStatement {
    /// The calls.
    pub grid: Grid,
    /// What is known of them.
    pub known: Known,
}

/// Reads from the tape a proof that rows of each query, with some siblings, have the digests that
/// the query's index names, and verifies it.
///
/// The caller must ensure that an index is the one that was sampled: here it may be any integer
/// below 2 to the power [`Grid::index_bits`]. Lanes of a region that have no word of a row, and
/// those of the index's block after the first, may be anything, but for words in the last element
/// of a row, which are zero.
pub fn verify_openings(shape: &Shape, statement: &GridStatement) {
    assert_eq!(shape.log_calls, log_calls(&statement.grid));
    let list = statement.read(shape);
    // The prover can only make the proof once it knows what is opened.
    tell_blocks(&[list.digest]);
    verify_proof(shape, statement, &list);
}

/// Returns the number of lanes of a tree's cap.
fn cap_lanes(tree: &Tree) -> usize {
    16usize << tree.cap_levels
}

impl Statement for GridStatement {
    fn read(&self, shape: &Shape) -> List {
        let grid = &self.grid;
        assert_eq!(self.known.caps.len(), grid.trees.len());
        // One hash of all caps, then all regions. It begins with their lengths and those of the
        // grid, so that programs with other lengths have other transcripts.
        let mut lanes_of_caps = 0usize;
        for tree in &grid.trees {
            lanes_of_caps += cap_lanes(tree);
        }
        let lanes = 8 * region_blocks(grid) * grid.queries;
        let mut capacity = Block::new([
            Felt::new(GRID_TAG),
            felt(lanes_of_caps),
            felt(lanes),
            felt(grid.hash),
            felt(grid.index_bits),
            felt(grid.queries),
            felt(steps(grid).len()),
            Felt::ZERO,
        ]);
        for i in 0..grid.trees.len() {
            let own = cap_lanes(&grid.trees[i]);
            let (_, next) = poseidon16_sponge(self.known.caps[i], own, capacity);
            capacity = next;
        }
        let all = poseidon16_hash(self.known.regions, lanes, capacity);
        List {
            // Known all along: there is no other list.
            entries: self.known.regions,
            nodes: self.known.regions,
            digest: poseidon16_compress(constant(&shape.numbers), all),
        }
    }

    fn claims(
        &self,
        _shape: &Shape,
        _list: &List,
        calls: &[Block],
        _elements: &[Block],
        eta: Block,
    ) -> Claims {
        let grid = &self.grid;
        let steps = steps(grid);
        let powers = powers(eta, eta, num_claims(&grid.places));
        let (queries, high) = calls.split_at(log_queries(grid));
        let of_steps = first_entries(&complements(high), high, steps.len());
        let value = value::claimed(grid, &steps, &self.known, queries, &of_steps, &powers);
        Claims {
            value,
            calls: calls.to_vec(),
            elements: Vec::new(),
            powers,
            // What steps weigh, which are the same for each query.
            entry_weights: of_steps,
            entries: Block::ZERO,
        }
    }

    fn weight(&self, _shape: &Shape, _list: &List, claims: &Claims, point: &[Block]) -> Block {
        weights::weight(
            &self.grid,
            &steps(&self.grid),
            &self.known,
            &claims.calls,
            &claims.entry_weights,
            &claims.powers,
            point,
        )
    }
}
