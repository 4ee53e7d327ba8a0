//! Inputs for measuring. They are the same for the same seed, and look random; nothing secret can
//! be made of them.

use droste_binary::paths::{Digest, MerklePaths, Path, PathsError, root};
use droste_binary::{Hash, HashCalls, StatementError};

use super::paths::Siblings;

/// The true statement about so many inputs.
pub fn calls(hash: Hash, calls: usize, seed: u64) -> Result<HashCalls, StatementError> {
    let mut state = seed;
    let mut input = || -> Vec<u8> {
        let words = (0..hash.input_bytes() / 8).map(|_| next(&mut state));
        words.flat_map(u64::to_le_bytes).collect()
    };
    HashCalls::of_inputs(hash, (0..calls).map(|_| input()))
}

/// So many paths, each in a tree of its own.
pub fn paths(
    hash: Hash,
    depth: usize,
    paths: usize,
    seed: u64,
) -> Result<(MerklePaths, Siblings), PathsError> {
    let mut state = seed;
    let mut siblings = Vec::with_capacity(paths);
    let mut path = || {
        let leaf = digest(&mut state);
        let index = next(&mut state) >> (64 - depth);
        let known: Vec<Digest> = (0..depth).map(|_| digest(&mut state)).collect();
        // A depth that no tree has is refused below.
        let root = root(hash, &leaf, index, &known).unwrap_or_default();
        siblings.push(known);
        Path { leaf, index, root }
    };
    let paths = (0..paths).map(|_| path()).collect();
    Ok((MerklePaths::new(hash, depth, paths)?, siblings))
}

fn digest(state: &mut u64) -> Digest {
    let mut digest = [0; 32];
    for bytes in digest.as_chunks_mut().0 {
        *bytes = next(state).to_le_bytes();
    }
    digest
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014, with the constants of Vigna's splitmix64.c).
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first output of the reference implementation from the state 0 (Vigna, splitmix64.c).
    #[test]
    fn the_generator_is_that_of_others() {
        let mut state = 0;
        assert_eq!(next(&mut state), 0xe220_a839_7b1d_cdaf);
        assert_eq!(next(&mut state), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn seeds_give_other_inputs() {
        let made = |seed| calls(Hash::KeccakF, 2, seed).unwrap();
        assert_eq!(made(1), made(1));
        assert_ne!(made(1), made(2));
    }
}
