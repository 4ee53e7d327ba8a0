//! The verifier of proofs over two-adic FRI: one source for all shapes and hashes.
//!
//! In the machine, the shape is a constant of the program, and [`Constraints`] are generated from
//! the AIRs; natively, both are ordinary values. The verifier accepts the proofs that
//! `p3_batch_stark::verify_batch` and `p3_uni_stark::verify` accept. Its phases, one file each, are
//! those of the protocol: the transcript up to the opened values, the constraints at the
//! out-of-domain point, the commitments to folded codewords, and the queries.
//!
//! [`verify`] hashes leaves and paths of queries itself; [`verify_opened`] reads a proof that all of
//! them are right, of [`crate::verify::binary::grid`].

pub mod constraints;
pub mod folding;
pub mod grid;
pub mod index;
pub mod point;
pub mod query;
pub mod shape;
pub mod transcript;
pub mod weighted;

use crate::advice::{advise_rows, tell_ext, tell_word};
use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash};
use crate::unchecked::UncheckedSlice;
use crate::verify::binary;
use crate::verify::binary::grid::layout::{Grid, is_supported, region_blocks};
use crate::verify::binary::grid::{GridStatement, Known, verify_openings};

use constraints::Constraints;
use index::Pieces;
use point::Point;
use query::{Places, Values};
use shape::{Shape, grid_trees};
use transcript::Commitments;

/// Verifies one proof, which is read from the tape. Its transcript begins with `seed`;
/// `preprocessed` is the commitment to the preprocessed traces, if there are any; `public` are the
/// public values of every table, of [`Hash::LANES`] lanes each. The caller must bind these three.
pub fn verify<H: Hash, C: Challenger, A: Constraints>(
    shape: &Shape,
    constraints: &A,
    seed: &[Felt],
    preprocessed: Vec<Slice>,
    public: &[Vec<Felt>],
) {
    let prepared = prepared::<H, C, A>(shape, constraints, seed, preprocessed, public);
    for word in &prepared.words {
        query::query::<H, C>(shape, &prepared.places, &prepared.values, *word);
    }
}

/// A proof that leaves and paths of all queries are right.
#[derive(Clone, Copy, Debug)]
pub struct Openings<'a> {
    /// The shape of the proof.
    pub shape: &'a binary::shape::Shape,
    /// The calls that it is about.
    pub grid: &'a Grid,
}

/// As [`verify`], but the rows that queries open are those of a second proof, which is read after
/// them. The caps of its trees are limbs of digests in a hash of bytes.
pub fn verify_opened<H: Hash, C: Challenger, A: Constraints>(
    shape: &Shape,
    constraints: &A,
    seed: &[Felt],
    preprocessed: Vec<Slice>,
    public: &[Vec<Felt>],
    openings: &Openings<'_>,
) {
    let grid = openings.grid;
    assert_eq!(grid.hash, H::GRID);
    assert_eq!(grid.queries, shape.num_queries);
    assert_eq!(grid.index_bits, shape.log_length());
    assert_eq!(grid.trees, grid_trees(shape));
    let prepared = prepared::<H, C, A>(shape, constraints, seed, preprocessed, public);
    let mut widths = Vec::new();
    for tree in &grid.trees {
        for leaf in &tree.leaves {
            assert!(is_supported(grid.hash, leaf.words));
            widths.push(leaf.words);
        }
    }
    let blocks = region_blocks(grid);
    let layout = (H::RUN, H::RUN_BLOCKS);
    advise_rows(&widths, layout, &prepared.words, grid.index_bits);
    // The second proof is about the same memory, and its transcript begins with a hash of it.
    let regions = hint_slice(blocks * grid.queries).any();
    for i in 0..grid.queries {
        let word = prepared.words[i];
        // In bounds: there are so many blocks for each query.
        let region = regions.skip_unchecked(felt(blocks * i), blocks);
        grid::query_opened::<H, C>(shape, &prepared.places, &prepared.values, word, region);
    }
    // Those which the transcript has observed.
    let mut caps = prepared.places.inputs.clone();
    for fold in &prepared.places.folds {
        caps.push(*fold);
    }
    let statement = GridStatement {
        grid: grid.clone(),
        known: Known { regions, caps },
    };
    verify_openings(openings.shape, &statement);
}

/// What queries need of a proof.
struct Prepared {
    /// The slices that every query reads.
    places: Places,
    /// The values that every query uses.
    values: Values,
    /// The words that stand for the indices.
    words: Vec<[Felt; 2]>,
}

/// Verifies all of a proof but the queries.
fn prepared<H: Hash, C: Challenger, A: Constraints>(
    shape: &Shape,
    constraints: &A,
    seed: &[Felt],
    preprocessed: Vec<Slice>,
    public: &[Vec<Felt>],
) -> Prepared {
    assert_eq!(shape.degree, Ext::degree());
    assert_field::<H::Point>();
    let commitments = Commitments::hint::<H>(shape, preprocessed);
    let mut t = C::new();
    let challenged = transcript::challenges::<H, C>(shape, &mut t, seed, public, &commitments);
    let (opened, combiner) = transcript::openings::<H, C>(shape, &mut t);
    let (betas, final_poly) = folding::commit_phase(shape, &mut t, &commitments.folds);

    constraints::check::<H, A>(shape, constraints, &challenged, &opened, public);

    let zeta = challenged.zeta;
    let values = query::values::<H>(shape, zeta, combiner, &opened, &betas, final_poly);
    let mut words = Vec::new();
    for _i in 0..shape.num_queries {
        words.push(t.sample_word());
    }
    // The prover can only answer the queries once it knows the values that they depend on.
    tell_ext(zeta);
    tell_ext(combiner);
    for beta in betas {
        tell_ext(beta);
    }
    for word in &words {
        tell_word(*word);
    }
    let places = Places {
        inputs: commitments.inputs(),
        folds: commitments.folds,
        points: Pieces::new(shape).points::<H::Point>(),
    };
    Prepared {
        places,
        values: values.pin(),
        words,
    }
}

/// Fails unless the program's challenges are over the field of the proof.
fn assert_field<P: Point>() {
    assert_eq!(Ext::modulus(), P::MODULUS);
}
