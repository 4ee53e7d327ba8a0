//! The leaves of many queries, folded together.
//!
//! A claim needs the answers `v_i` only in the sum of `gamma^i v_i`, and folding is linear: the sum
//! is the fold of the combined leaf, whose lanes are the sums of `gamma^i` times those of the
//! leaves. (If there are several trees, a leaf here is that of all trees at one index. A lane is an
//! element of the base field: an element of the extension has five, and is their sum, each times a
//! power of the generator, in the combined leaf as well.) Folding one leaf of 64 elements takes 128
//! instructions. So the prover sends the combined leaf `c`, and the program compares it with the
//! leaves at one random point: the polynomial with the coefficients `c` and the sum of `gamma^i`
//! times those with the coefficients of the leaves must agree there. A leaf's value at a point is a
//! single `horner`.
//!
//! The last answers are needed one by one, since each is compared with the final polynomial. But it
//! is enough that they have the same sum as its values, times powers of a `gamma` that the copy
//! below samples, too, after the polynomial, the commitment and the indices: sums of `q` values
//! that differ agree with probability at most `(q - 1) / p^5`.
//!
//! The native verifier has no such step. The point is sampled from a copy of its transcript, which
//! goes on by itself: after `gamma`, hence after the commitment and the indices, it absorbs a tag
//! and `c`. The transcript itself goes on with an extension element or a nonce, neither of which
//! can be the block of the tag. Commitment and indices fix the leaves, up to collisions of the
//! hash. If `c` is not their combination, the two polynomials differ. Lanes have the powers of
//! whole blocks in which they are laid out to be hashed, so that the difference has degree below
//! the number `m` of lanes of these blocks, and they agree at the point with probability at most
//! `m / p^5`. For 2^11 lanes, a leaf of the most rows that a stack may have, this is below 2^-143,
//! although runs of 34 elements in 40 lanes add a quarter; a leaf of 2^8 elements of the extension
//! has 1,280. (The lemma of Schwartz and Zippel; the random oracle as in the rest of the
//! transcript.)
//!
//! In a transcript of bytes, the tag and `c`, at least 16 words, follow the digest from which
//! `gamma` was sampled. What the transcript itself absorbs there before its next digest is a
//! message of sumcheck, 10 words, and a zero where there is no proof of work. So the two have
//! different lengths.

use crate::advice::tell_ext;
use crate::constraints::recompose;
use crate::fri::power;
use crate::packing::{blocks_for, unpack_all};
use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash};
use crate::verify::whir::opening::query::{self, Comparison, Places};
use crate::verify::whir::opening::shape::Queries;

/// What the copy of the transcript absorbs first: the letters "rows", in a lane that is zero in
/// everything that the transcript itself may absorb there.
const TAG: [Felt; 8] = [
    Felt::ZERO,
    Felt::ZERO,
    Felt::ZERO,
    Felt::ZERO,
    Felt::ZERO,
    Felt::ZERO,
    Felt::ZERO,
    Felt::new(0x726f_7773),
];

/// The answers of one round.
#[derive(Clone, Debug)]
pub struct Combined {
    /// The sum of the answers' values times the powers of the challenge, from power zero on.
    pub value: Ext,
    /// The indices.
    pub indices: Vec<Felt>,
}

/// Answers the queries to a commitment. `copy` is a copy of the transcript, after `challenge` was
/// sampled.
pub fn combined<H: Hash, C: Challenger + Clone>(
    queries: &Queries,
    places: &Places,
    words: &[[Felt; 2]],
    challenge: Ext,
    copy: C,
) -> Combined {
    query::tell(words);
    tell_ext(challenge);
    let mut t = copy;
    for x in TAG {
        t.observe(x);
    }
    let pieces = query::pieces::<H>(queries);
    let mut length = 0usize;
    for piece in &pieces {
        length += piece.lanes;
    }
    // The comparison below binds the combined leaf. Its coefficients follow each other: only the
    // transcript itself needs elements in blocks of their own. The lanes after them are not read.
    let blocks = (5 * length).div_ceil(8);
    let at = t.position();
    t.advise_slice(8 * blocks);
    let data = hint_slice(blocks_for::<H>(at, 8 * blocks)).any();
    t.observe_slice(data, 8 * blocks);
    let leaf = unpack_all::<H>(data, at, length);
    let point = t.sample().pin();
    let mut steps = Vec::new();
    for i in 1..pieces.len() {
        steps.push(power(point, pieces[i].lanes.next_multiple_of(8)).pin());
    }
    let comparison = Comparison {
        commitments: places.commitments.clone(),
        cap: places.cap,
        point,
        steps,
    };
    let mut answers = Vec::new();
    for word in words {
        answers.push(query::query::<H, C>(queries, &comparison, *word));
    }

    let mut values = Ext::ZERO;
    let mut indices = Vec::new();
    for i in 0..answers.len() {
        values = values * challenge + answers[answers.len() - 1 - i].value;
        indices.push(answers[i].index);
    }
    let mut expected = Ext::ZERO;
    let mut at = 0usize;
    for piece in &pieces {
        let n = piece.lanes;
        for i in 0..n {
            expected = expected * point + leaf[at + i];
        }
        // The last lane of a piece's last block has the power zero: the lanes after its elements
        // are left out.
        expected = expected * power(point, n.next_multiple_of(8) - n);
        at += n;
    }
    assert_eq!(expected, values);
    let mut value = Ext::ZERO;
    for i in 0..places.weights.len() {
        let element = if queries.base {
            leaf[i]
        } else {
            recompose(&leaf[5 * i..5 * i + 5])
        };
        value = places.weights[i] * element + value;
    }
    Combined { value, indices }
}
