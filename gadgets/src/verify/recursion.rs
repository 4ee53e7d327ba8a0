//! Recursion programs: they verify their children and reveal the claim.

use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash};
use crate::suites::poseidon16::hash_blocks;
use crate::verify::fri::constraints::Constraints;
use crate::verify::fri::shape::{PREPROCESSED, Shape};
use crate::verify::fri::{Openings, verify, verify_opened};
use crate::verify::whir;

/// The part of the key digests that all children have in common: the preimage of a key digest
/// without the commitment to the program, and the tag under which it is hashed.
#[derive(Clone, Debug)]
pub struct Key {
    /// Tag of the hash.
    pub tag: Felt,
    /// The first blocks of the preimage.
    pub header: Vec<[u32; 8]>,
}

/// The key and the statement of a verified child.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// Digest of the child's key.
    pub key: Block,
    /// Statement of the child.
    pub statement: Block,
}

/// What the transcript of a child begins with, and what the child claims.
struct Bound {
    /// Digest of the child's key.
    key: Block,
    /// What is observed first.
    seed: Vec<Felt>,
    /// The commitment to preprocessed traces, if there are any.
    preprocessed: Vec<Slice>,
    /// The public values of every table.
    public: Vec<Vec<Felt>>,
    /// The statement or, of a proof of any AIRs, what it is the hash of.
    statement: Vec<Block>,
}

/// Verifies a proof of the machine over FRI, and returns what it claims. The commitment to the
/// program is bound by the key digest, with which the transcript begins and which is part of the
/// claim; the statement is bound by the constraints and by the claim.
pub fn over_fri<H: Hash, C: Challenger, A: Constraints>(
    shape: &Shape,
    constraints: &A,
    key: &Key,
) -> Child {
    let bound = bound_run::<H>(shape, key);
    let public = &bound.public;
    verify::<H, C, A>(shape, constraints, &bound.seed, bound.preprocessed, public);
    Child {
        key: bound.key,
        statement: bound.statement[0],
    }
}

/// As [`over_fri`], but leaves and paths of all queries are in a second proof.
pub fn over_fri_opened<H: Hash, C: Challenger, A: Constraints>(
    shape: &Shape,
    constraints: &A,
    key: &Key,
    openings: &Openings<'_>,
) -> Child {
    let bound = bound_run::<H>(shape, key);
    let (seed, public) = (&bound.seed, &bound.public);
    verify_opened::<H, C, A>(
        shape,
        constraints,
        seed,
        bound.preprocessed,
        public,
        openings,
    );
    Child {
        key: bound.key,
        statement: bound.statement[0],
    }
}

/// Reads the commitment to the program and the statement of a proof of the machine.
fn bound_run<H: Hash>(shape: &Shape, key: &Key) -> Bound {
    let digests = shape.digests(PREPROCESSED);
    let root = hint_slice(digests * H::DIGEST_BLOCKS).any();
    let key = digest::<H>(key, &[root], digests);
    let statement = hint_slice(1).any().block(0);
    let seed = lanes(key).to_vec();
    let lanes = lanes(statement);
    let mut public = Vec::new();
    for table in &shape.tables {
        let mut values = Vec::new();
        for i in 0..table.public_values {
            values.push(lanes[i]);
        }
        public.push(values);
    }
    Bound {
        key,
        seed,
        preprocessed: vec![root],
        public,
        statement: vec![statement],
    }
}

/// Verifies a proof of the machine over WHIR, and returns what it claims. The commitment to the
/// program is bound by the key digest, with which the transcript begins and which is part of the
/// claim; the statement is bound by the transcript, by the constraints and by the claim.
pub fn over_whir<H: Hash, C: Challenger + Clone, A: whir::constraints::Constraints>(
    shape: &whir::shape::Shape,
    constraints: &A,
    key: &Key,
) -> Child {
    let digests = shape.opening.digests(0);
    let root = hint_slice(digests * H::DIGEST_BLOCKS).any();
    let key = digest::<H>(key, &[root], digests);
    let statement = hint_slice(1).any().block(0);
    let seed = lanes(key);
    whir::verify::<H, C, A>(shape, constraints, &seed, root, lanes(statement));
    Child { key, statement }
}

/// Verifies a proof of any AIRs, and returns what it claims. The commitment to preprocessed traces
/// is bound by the key digest. The public values, of [`Hash::LANES`] lanes each, are bound by the
/// constraints and by the statement, which is their hash under `public_tag`, in order, padded with
/// zeros to whole blocks.
pub fn airs<H: Hash, C: Challenger, A: Constraints>(
    shape: &Shape,
    constraints: &A,
    key: &Key,
    seeded: bool,
    public_tag: Felt,
) -> Child {
    let bound = bound_airs::<H>(shape, key, seeded);
    let public = &bound.public;
    verify::<H, C, A>(shape, constraints, &bound.seed, bound.preprocessed, public);
    Child {
        key: bound.key,
        statement: hash_blocks(public_tag, &bound.statement),
    }
}

/// As [`airs`], but leaves and paths of all queries are in a second proof.
pub fn airs_opened<H: Hash, C: Challenger, A: Constraints>(
    shape: &Shape,
    constraints: &A,
    key: &Key,
    seeded: bool,
    public_tag: Felt,
    openings: &Openings<'_>,
) -> Child {
    let bound = bound_airs::<H>(shape, key, seeded);
    let (seed, public) = (&bound.seed, &bound.public);
    verify_opened::<H, C, A>(
        shape,
        constraints,
        seed,
        bound.preprocessed,
        public,
        openings,
    );
    Child {
        key: bound.key,
        statement: hash_blocks(public_tag, &bound.statement),
    }
}

/// Reads the commitment to preprocessed traces and the public values of a proof of any AIRs.
fn bound_airs<H: Hash>(shape: &Shape, key: &Key, seeded: bool) -> Bound {
    let mut preprocessed = Vec::new();
    let digests = shape.digests(PREPROCESSED);
    if digests > 0 {
        preprocessed.push(hint_slice(digests * H::DIGEST_BLOCKS).any());
    }
    let key = digest::<H>(key, &preprocessed, digests);
    let mut count = 0usize;
    for table in &shape.tables {
        count += H::LANES * table.public_values;
    }
    let mut statement = vec![Block::ZERO];
    let mut values = Vec::new();
    if count > 0 {
        let blocks = count.div_ceil(8);
        let slice = hint_slice(blocks).any();
        statement = Vec::new();
        for i in 0..blocks {
            statement.push(slice.block(i));
            for lane in 0..8 {
                values.push(slice.block(i).lane(lane));
            }
        }
        for i in count..8 * blocks {
            assert_eq!(values[i], Felt::ZERO);
        }
    }
    let mut public = Vec::new();
    let mut at = 0usize;
    for table in &shape.tables {
        let mut own = Vec::new();
        for _i in 0..H::LANES * table.public_values {
            own.push(values[at]);
            at += 1;
        }
        public.push(own);
    }
    let mut seed = Vec::new();
    if seeded {
        for lane in 0..8 {
            seed.push(key.lane(lane));
        }
    }
    Bound {
        key,
        seed,
        preprocessed,
        public,
        statement,
    }
}

/// Reveals the claim of the children, in order, hashed under `tag`.
pub fn reveal_claim(tag: Felt, children: &[Child]) {
    let mut claim = Vec::new();
    for child in children {
        claim.push(child.key);
        claim.push(child.statement);
    }
    let digest = hash_blocks(tag, &claim);
    for i in 0..8 {
        reveal(digest.lane(i));
    }
}

/// Returns the digest of a key with these commitments to preprocessed traces, of `digests` digests
/// each.
fn digest<H: Hash>(key: &Key, preprocessed: &[Slice], digests: usize) -> Block {
    let mut preimage = Vec::new();
    for values in &key.header {
        let mut lanes = [Felt::ZERO; 8];
        for i in 0..8 {
            lanes[i] = Felt::new(values[i]);
        }
        preimage.push(Block::new(lanes));
    }
    for commitment in preprocessed {
        for i in 0..digests * H::DIGEST_BLOCKS {
            preimage.push(commitment.block(i));
        }
    }
    hash_blocks(key.tag, &preimage)
}

/// Returns the lanes of a block.
fn lanes(block: Block) -> [Felt; 8] {
    let mut lanes = [Felt::ZERO; 8];
    for i in 0..8 {
        lanes[i] = block.lane(i);
    }
    lanes
}
