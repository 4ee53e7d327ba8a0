//! Run-time loops, indices and write-once arrays.

use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::felt::Felt;

/// Iterates over the elements `0, 1, .., n - 1`: a loop of the machine, which is not unrolled.
pub fn count(n: usize) -> impl Iterator<Item = Felt> {
    (0..n).map(|i| Felt(F::from_usize(i)))
}

/// Like [`count`], up to a number known at run time.
pub fn count_to(n: Felt) -> impl Iterator<Item = Felt> {
    count(n.0.as_canonical_u32() as usize)
}

/// An index that is known at run time and is below `N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index<const N: usize>(usize);

impl<const N: usize> Index<N> {
    /// Returns the index `value`. Fails if it is not below `N`.
    pub fn new(value: Felt) -> Self {
        let index = value.0.as_canonical_u32() as usize;
        assert!(index < N, "index {index} is not below {N}");
        Self(index)
    }

    pub(crate) const fn native(self) -> usize {
        self.0
    }
}

/// `N` words, each of which can be written once, at indices known at run time.
#[derive(Clone, Debug)]
pub struct Words<const N: usize>([Option<Felt>; N]);

impl<const N: usize> Default for Words<N> {
    fn default() -> Self {
        Self([None; N])
    }
}

impl<const N: usize> Words<N> {
    /// Returns `N` words without values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the word at `index`. Fails if it has no value yet.
    pub fn get(&self, index: Index<N>) -> Felt {
        self.0[index.0].expect("a word is read before it is written")
    }

    /// Writes the word at `index`. Fails if it already has a different value.
    pub fn set(&mut self, index: Index<N>, value: Felt) {
        let word = &mut self.0[index.0];
        assert!(
            word.is_none_or(|old| old == value),
            "a word is written twice, with different values"
        );
        *word = Some(value);
    }
}
