//! A construction that `droste-bench native` measures. It is not secure, and must not be used.
//!
//! # Rate 12 in Matyas-Meyer-Oseas mode
//!
//! [`MmoRate12`] absorbs 12 elements per call of the width-16 permutation: the block overwrites
//! lanes 0 to 11 of the state `s`, which makes it `x`, and the next state is `s' = P(x) + x`. It
//! needs a third fewer permutations than the sponge of rate 8: a leaf of 64 elements takes 6
//! instead of 8 permutations and 0.78 of the time (`mmo_rate12_leaf`); in the table of Poseidon-16,
//! which has one permutation per row with either construction, it takes 6 rows instead of 8. But it
//! has **62 bits** of security against collisions, not 124.
//!
//! Only the 4 lanes that a block does not overwrite, 124 bits, carry anything from one call to the
//! next. Among about 2^62 first blocks, two agree in those 4 lanes (birthday bound), and the next
//! block overwrites all the other lanes of both: two different messages have reached the same
//! state, and any common continuation keeps their states equal. The feed-forward does not help,
//! since it is part of the map whose outputs collide. Neither does adding the block instead of
//! overwriting, since an attacker can then choose the second blocks to cancel the difference. A
//! feed-forward of the state, `s' = P(x) + s`, is broken by a multicollision (Joux, CRYPTO 2004) at
//! about 2^68.
//!
//! A test of this module finds such a collision in seconds for a variant with only one lane carried
//! over.
//!
//! The secure way to absorb more per call is a wider permutation. Poseidon at width 24 takes half
//! as many permutations, each with a matrix of 24 by 24 entries of 31 bits, and 2.7 times as long
//! (`poseidon24_leaf`).

use droste_native::DIGEST;
use droste_native::hash::poseidon16::{Poseidon16, WIDTH};
use p3_field::PrimeCharacteristicRing;
use p3_symmetric::{CryptographicHasher, Permutation};

/// Leaf hasher that absorbs `RATE` elements per call in Matyas-Meyer-Oseas mode. **Insecure**: see
/// the module's documentation.
///
/// Starts from the zero state, fills the last block up with zeros, and returns lanes 0 to 7. It is
/// meant for rows of one fixed width, since it does not bind the length. An empty row is hashed as
/// one block of zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mmo<const RATE: usize>;

/// Rate 12: 62 bits of collision security.
pub type MmoRate12 = Mmo<12>;

/// Overwrites the first lanes with a block, permutes, and adds the input of the permutation.
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

impl<T, const RATE: usize> CryptographicHasher<T, [T; DIGEST]> for Mmo<RATE>
where
    T: PrimeCharacteristicRing + Copy,
    Poseidon16: Permutation<[T; WIDTH]>,
{
    fn hash_iter<I: IntoIterator<Item = T>>(&self, input: I) -> [T; DIGEST] {
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
}

#[cfg(test)]
mod tests;
