//! Constructions kept for measurement only. Nothing here is safe, and nothing uses it by default.
//!
//! # Rate 12 in Matyas-Meyer-Oseas mode
//!
//! [`MmoRate12`] absorbs 12 elements per call of the width-16 permutation: the block overwrites lanes
//! 0 to 11 of the state `s`, giving `x`, and `s' = P(x) + x`. It needs a third fewer permutations than
//! the sponge of rate 8: a leaf of 64 elements takes 6 instead of 8, and 0.78 of the time (`droste-bench
//! native`, `mmo_rate12_leaf`); in the table of Poseidon-16, whose row is one call either way, 6 rows
//! instead of 8. And it has **62 bits** of security against collisions, not 124:
//!
//! only the 4 lanes that a block does not overwrite, 124 bits, carry anything from one call to the
//! next. After about 2^62 first blocks two agree in those 4 lanes (birthday bound), and the next block
//! overwrites all the other lanes of both: two messages, one state, from there on and for ever. The
//! feed-forward does not help, since it is part of the map whose outputs collide; nor does adding the
//! block instead of overwriting, since then the attacker chooses the second blocks to cancel the
//! difference. A feed-forward of the state, `s' = P(x) + s`, falls to a multicollision (Joux, CRYPTO
//! 2004) at about 2^68.
//!
//! The test of this module finds such a collision in seconds where only one lane is carried over.
//!
//! The sound way to absorb more per call is a wider permutation: [`crate::poseidon24`].

use p3_field::PrimeCharacteristicRing;
use p3_symmetric::{CryptographicHasher, Permutation};

use crate::field::{DIGEST, F};
use crate::poseidon16::{Poseidon16, WIDTH};

/// Leaf hasher that absorbs `RATE` elements per call in Matyas-Meyer-Oseas mode. **Insecure**: see the
/// module.
///
/// Starts from the zero state, fills the last block up with zeros, and returns lanes 0 to 7: for rows
/// of one fixed width. An empty row is one block of zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mmo<const RATE: usize>;

/// Rate 12: 62 bits of collision security.
pub type MmoRate12 = Mmo<12>;

impl<const RATE: usize> Mmo<RATE> {
    /// Permutations needed for a row of `length` elements.
    pub const fn permutations(length: usize) -> usize {
        let blocks = length.div_ceil(RATE);
        if blocks == 0 { 1 } else { blocks }
    }

    /// One call: `s' = P(x) + x`, where `x` is `state` with its first lanes overwritten by `block`.
    pub fn step(state: &[F; WIDTH], block: &[F; RATE]) -> [F; WIDTH] {
        let mut next = *state;
        absorb(&mut next, block.iter().copied());
        next
    }
}

/// Overwrites the first lanes, permutes, adds what went in.
fn absorb<T>(state: &mut [T; WIDTH], block: impl Iterator<Item = T>)
where
    T: PrimeCharacteristicRing + Copy,
    Poseidon16: Permutation<[T; WIDTH]>,
{
    for (lane, value) in state.iter_mut().zip(block) {
        *lane = value;
    }
    let input = *state;
    Permutation::permute_mut(&Poseidon16, state);
    for (lane, value) in state.iter_mut().zip(input) {
        *lane += value;
    }
}

fn hash<T, const RATE: usize>(input: impl IntoIterator<Item = T>) -> [T; DIGEST]
where
    T: PrimeCharacteristicRing + Copy,
    Poseidon16: Permutation<[T; WIDTH]>,
{
    let mut state = [T::ZERO; WIDTH];
    let mut input = input.into_iter();
    let mut next = input.next();
    loop {
        let mut block = [T::ZERO; RATE];
        for lane in &mut block {
            let Some(value) = next else { break };
            *lane = value;
            next = input.next();
        }
        absorb(&mut state, block.into_iter());
        if next.is_none() {
            return std::array::from_fn(|i| state[i]);
        }
    }
}

impl<const RATE: usize> CryptographicHasher<F, [F; DIGEST]> for Mmo<RATE> {
    fn hash_iter<I: IntoIterator<Item = F>>(&self, input: I) -> [F; DIGEST] {
        hash::<_, RATE>(input)
    }
}

#[allow(unused_macros)] // The field packs itself on targets without vectors.
macro_rules! implement_packed {
    ($packed:ty) => {
        impl<const RATE: usize> CryptographicHasher<$packed, [$packed; DIGEST]> for Mmo<RATE> {
            fn hash_iter<I: IntoIterator<Item = $packed>>(&self, input: I) -> [$packed; DIGEST] {
                hash::<_, RATE>(input)
            }
        }
    };
}
crate::field::for_packed_field!(implement_packed);

#[cfg(test)]
mod tests;
