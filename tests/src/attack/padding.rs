//! Determines which lanes of a tape nothing reads. It is computed from the shape of the proof that
//! is verified and from what its hash reads, not from a run.
//!
//! The machine hints elements in blocks of eight. A byte hash is told how many elements to take, so
//! nothing reads what follows the last element of a row. In the opened values, nothing reads the
//! blocks before the one in which they begin either. Poseidon-16 binds every lane of a row, since
//! the lanes that the row does not fill are the sponge's state. Its transcript takes the elements
//! that do not fill a block from the last block of a slice, and reads nothing else there.
//!
//! An element of BabyBear takes two lanes, the limbs of its word, and a slice of them twice as many
//! blocks.

use std::collections::BTreeSet;

use droste_gadgets::verify::fri::shape::Round;
use droste_native::{ChallengeField, HashId};
use droste_verifier::shape::FriShape;
use droste_vm::executor::{Tape, TapeItem};

/// A lane of a hint. Lanes of a slice are given by block and lane, those of an element by
/// coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    /// Index of the hint on the tape.
    pub item: usize,
    /// Index of the block in its slice.
    pub block: usize,
    /// Index of the lane in its block.
    pub lane: usize,
}

/// Returns the number of lanes that an element takes.
const fn lanes(shape: &FriShape) -> usize {
    match shape.field {
        ChallengeField::Quintic | ChallengeField::Quartic => 1,
        ChallengeField::BabyBear => 2,
    }
}

/// Returns the lane, counted over blocks, in which entry `place` of a row stands. Keccak-256 absorbs
/// 34 words at a time, and every 34 words begin a new block, the fifth after the previous one.
const fn lane(shape: &FriShape, place: usize) -> usize {
    let (run, from_run_to_run) = (34 * lanes(shape), 40 * lanes(shape));
    match shape.trees.hash() {
        HashId::Poseidon16 | HashId::Poseidon2 | HashId::Blake3 => place,
        HashId::Keccak => place / run * from_run_to_run + place % run,
    }
}

/// Returns the number of blocks of a slice, of which this is the last lane that is used.
const fn blocks(shape: &FriShape, last: usize) -> usize {
    (last / 8 + 1).next_multiple_of(lanes(shape))
}

/// Returns the widths of the rows of one query, each with whether a Merkle path follows it.
fn rows(shape: &FriShape) -> Vec<(usize, bool)> {
    let settings = &shape.settings;
    let mut rows = vec![];
    for round in shape.rounds() {
        let layers = layers(&round);
        let leaves = layers[0].0 + settings.log_blowup;
        let cap = settings.cap_height.min(leaves);
        for (i, &(log_height, width)) in layers.iter().enumerate() {
            let above = match layers.get(i + 1) {
                Some((log_height, _)) => log_height + settings.log_blowup,
                None => cap,
            };
            rows.push((width, log_height + settings.log_blowup > above));
        }
    }
    let mut log_length = shape.log_length();
    for log_arity in &shape.log_arities {
        log_length -= log_arity;
        let cap = settings.cap_height.min(log_length);
        let width = (shape.degree << log_arity) + shape.salts;
        rows.push((width, log_length > cap));
    }
    rows
}

/// Returns the heights of a commitment's matrices, tallest first, each with the number of columns
/// and salts of that height.
fn layers(round: &Round) -> Vec<(usize, usize)> {
    let heights: BTreeSet<usize> = round.matrices.iter().map(|m| m.log_height).collect();
    let width = |height: usize| {
        let here = round.matrices.iter().filter(|m| m.log_height == height);
        here.map(|matrix| matrix.width + round.salts).sum()
    };
    heights
        .into_iter()
        .rev()
        .map(|height| (height, width(height)))
        .collect()
}

/// Returns the lanes that nothing reads of a tape for proofs of one shape. If the proofs are
/// committed in a byte hash, the tape must be that of one proof.
///
/// # Panics
/// If the tape is not one for proofs of this shape.
pub fn padding(shape: &FriShape, tape: &Tape) -> BTreeSet<Lane> {
    let mut free = BTreeSet::new();
    if shape.trees.hash() == HashId::Poseidon16 {
        of_transcript(shape, tape, &mut free);
        return free;
    }
    // The queries are last, and each has the same hints.
    let rows = rows(shape);
    let paths = rows.iter().filter(|(_, path)| *path).count();
    let query = rows.len() + paths;
    let queries = shape.settings.num_queries;
    let first = tape.items.len() - query * queries;
    for start in (first..tape.items.len()).step_by(query) {
        let mut item = start;
        for &(width, path) in &rows {
            let used = (0..lanes(shape) * width).map(|place| lane(shape, place));
            unread(shape, tape, item, &used.collect(), &mut free);
            item += 1 + usize::from(path);
        }
    }
    opened_values(shape, &tape.items[..first], tape, &mut free);
    free
}

/// Returns, for each slice that the Poseidon-16 transcript observes by copying it to its position,
/// how many lanes of its last block are used, or 0 if the slice ends with a full block. The slices
/// are in the order of the tape.
fn ends(shape: &FriShape) -> Vec<usize> {
    let mut ends = vec![];
    // Digests are whole blocks. They are copied if elements are waiting in the transcript's buffer,
    // and then as many elements wait afterwards.
    let mut digests = |waiting: usize| {
        if waiting > 0 {
            ends.push(waiting);
        }
    };
    // The key's digest, the constants, and a height for each table.
    let mut waiting = (8 + shape.stark_seed.len() + shape.degree * shape.tables.len()) % 8;
    digests(waiting);
    let public = shape.tables.iter().map(|t| t.shape.num_public_values);
    waiting = (waiting + public.sum::<usize>()) % 8;
    digests(waiting);
    // The challenges of the lookup argument and of the constraints, and the point, are sampled. So
    // no elements are waiting when the commitments between them are observed, nor those of folds
    // after the first.
    let points = shape.rounds().into_iter().flat_map(|round| round.matrices);
    let count: usize = points
        .map(|matrix| shape.degree * matrix.width * matrix.openings.len())
        .sum();
    ends.push((shape.opening_seed.len() + count) % 8);
    let fold = shape.fri_seed.len() % 8;
    if fold > 0 && !shape.log_arities.is_empty() {
        ends.push(fold);
    }
    ends
}

/// Returns the lanes of slices that the transcripts of Poseidon-16 children do not read.
fn of_transcript(shape: &FriShape, tape: &Tape, free: &mut BTreeSet<Lane>) {
    let is_slice = |item: &usize| matches!(tape.items[*item], TapeItem::Slice(_));
    let slices: Vec<usize> = (0..tape.items.len()).filter(is_slice).collect();
    let ends = ends(shape);
    // Slices: the key's commitment and the statement; traces, lookups, quotients and folds; rows
    // and paths.
    let commitments = 5 + shape.log_arities.len();
    let rows = rows(shape);
    let paths = rows.iter().filter(|(_, path)| *path).count();
    let queries = shape.settings.num_queries * (rows.len() + paths);
    let child = commitments + ends.len() + queries;
    assert_eq!(
        slices.len() % child,
        0,
        "each child must have {child} slices"
    );
    for slices in slices.chunks(child) {
        for (&item, &end) in slices[commitments..].iter().zip(&ends) {
            let TapeItem::Slice(blocks) = &tape.items[item] else {
                unreachable!("slices were selected");
            };
            if end > 0 {
                free.extend((end..8).map(|lane| Lane {
                    item,
                    block: blocks.len() - 1,
                    lane,
                }));
            }
        }
    }
}

/// Finds the lanes of the opened values that nothing reads. The opened values follow what the
/// transcript has observed before: the 8 words of the digest from which the point was sampled, and
/// the constants that begin the opening argument.
fn opened_values(
    shape: &FriShape,
    before_queries: &[TapeItem],
    tape: &Tape,
    free: &mut BTreeSet<Lane>,
) {
    let run = match shape.trees.hash() {
        HashId::Keccak => 34,
        HashId::Poseidon2 => 16,
        HashId::Poseidon16 | HashId::Blake3 => 8,
    };
    let (run, group) = (lanes(shape) * run, lanes(shape) * 8);
    let at = (group + shape.opening_seed.len()) % run;
    let points = shape.rounds().into_iter().flat_map(|round| round.matrices);
    let count: usize = points
        .map(|matrix| shape.degree * matrix.width * matrix.openings.len())
        .sum();
    let end = at + lanes(shape) * count;
    let blocks = blocks(shape, lane(shape, end - 1));
    let of_size = |item: &&TapeItem| matches!(item, TapeItem::Slice(s) if s.len() == blocks);
    let found: Vec<usize> = (0..before_queries.len())
        .filter(|&item| of_size(&&before_queries[item]))
        .collect();
    let item = match found[..] {
        [item] => item,
        // Limbs are laid out as the message is that they end, and that is hinted next.
        [item, _] if lanes(shape) == 2 => item,
        _ => panic!("{} hints have the size of the opened values", found.len()),
    };
    // In the first value's block, the lanes before it have what was observed before. Between the
    // parts of a message there are zeros, which the transcript compares with its own.
    let last_run = end / run * run;
    let used = (0..lane(shape, last_run))
        .chain((last_run..end).map(|place| lane(shape, place)))
        .filter(|used| *used >= at / group * group);
    unread(shape, tape, item, &used.collect(), free);
}

/// Adds the lanes of a slice that are not used.
fn unread(
    shape: &FriShape,
    tape: &Tape,
    item: usize,
    used: &BTreeSet<usize>,
    free: &mut BTreeSet<Lane>,
) {
    let expected = blocks(shape, used.last().copied().unwrap_or_default());
    let TapeItem::Slice(blocks) = &tape.items[item] else {
        panic!("hint {item} is no slice");
    };
    assert_eq!(expected, blocks.len(), "blocks of hint {item}");
    for place in (0..8 * blocks.len()).filter(|place| !used.contains(place)) {
        free.insert(Lane {
            item,
            block: place / 8,
            lane: place % 8,
        });
    }
}
