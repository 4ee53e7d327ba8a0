//! The leaves of many queries, folded together.
//!
//! The claim of a round needs the answers `v_i` only in the sum of `gamma^i v_i`, and folding is linear:
//! the sum is the fold of the combined leaf, whose elements are the sums of `gamma^i` times those of the
//! leaves. (If there are several trees, a leaf here is that of all trees at one index.) Folding one leaf
//! of 64 elements takes 128 instructions. So the prover sends the combined leaf `c`, and the program
//! compares it with the leaves at one random point: the polynomial with the coefficients `c` and the sum
//! of `gamma^i` times those with the coefficients of the leaves must agree there. A leaf's value at a
//! point is a single `horner`.
//!
//! The native verifier has no such step. The point is sampled from a copy of its transcript, which goes
//! on by itself: after `gamma`, hence after the commitment and the indices, it absorbs a tag and `c`.
//! The transcript itself goes on with an extension element or a nonce, neither of which can be the
//! block of the tag. Commitment and indices fix the leaves, up to collisions of the
//! hash. If `c` is not their combination, the two polynomials, of degree below `n + 8` for two trees,
//! differ, and they agree at the point with probability at most `(n + 8) / p^5`, which is below 2^-147
//! for 256 elements. (The lemma of Schwartz and Zippel; the random oracle as in the rest of the
//! transcript.)

use crate::advice::tell_ext;
use crate::fri::power;
use crate::hash::{Challenger, Hash};
use crate::prelude::*;
use crate::verify::whir::observed;
use crate::verify::whir::query::{self, Places};
use crate::verify::whir::shape::Queries;

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

/// Answers queries to a commitment over the base field. `copy` is a copy of the transcript, after
/// `challenge` was sampled.
pub fn combined<H: Hash, C: Challenger + Copy>(
    queries: &Queries,
    places: &Places,
    words: &[[Felt; 2]],
    challenge: Ext,
    copy: C,
) -> Combined {
    query::tell(words);
    tell_ext(challenge);
    let mut t = copy;
    t.observe_slice(Slice::from_blocks([Block::new(TAG)]), 8);
    // The comparison below binds the combined leaf.
    let leaf = observed(&mut t, places.weights.len());
    let places = Places {
        commitments: places.commitments.clone(),
        cap: places.cap,
        weights: places.weights.clone(),
        compared_at: vec![t.sample().pin()],
    };
    let mut answers = Vec::new();
    for word in words {
        answers.push(query::query::<H, C>(queries, &places, *word));
    }

    let mut values = Ext::ZERO;
    let mut indices = Vec::new();
    for i in 0..answers.len() {
        values = values * challenge + answers[answers.len() - 1 - i].value;
        indices.push(answers[i].index);
    }
    let point = places.compared_at[0];
    let mut expected = Ext::ZERO;
    let mut folded = Ext::ZERO;
    let mut at = 0usize;
    for tree in &queries.trees {
        let n = tree.len();
        for i in 0..n {
            expected = expected * point + leaf[at + i];
            folded = places.weights[at + i] * leaf[at + i] + folded;
        }
        // The last lane of a leaf's last block has the power zero: the lanes after its elements are
        // left out.
        expected = expected * power(point, n.next_multiple_of(8) - n);
        at += n;
    }
    assert_eq!(expected, values);
    Combined {
        value: folded,
        indices,
    }
}
