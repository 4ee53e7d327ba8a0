//! How often pairs of bytes are looked up in a table that has them.

/// Number of pairs of bytes.
pub const PAIRS: usize = 1 << 16;

/// How often each pair of bytes is looked up, for each of `KINDS` kinds of lookups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairCounts<const KINDS: usize> {
    /// By `256 x + y`; empty without any lookup.
    pairs: Vec<[u32; KINDS]>,
}

impl<const KINDS: usize> PairCounts<KINDS> {
    /// Counts a lookup of `x` and `y`. There must be the kind.
    pub(crate) fn add_pair(&mut self, [x, y]: [u8; 2], kind: usize) {
        if self.pairs.is_empty() {
            self.pairs.resize(PAIRS, [0; KINDS]);
        }
        self.pairs[256 * usize::from(x) + usize::from(y)][kind] += 1;
    }

    /// Counts all that `other` has counted.
    pub fn add_all(&mut self, other: &Self) {
        if self.pairs.is_empty() {
            self.pairs.clone_from(&other.pairs);
            return;
        }
        for (counts, added) in self.pairs.iter_mut().zip(&other.pairs) {
            for (count, added) in counts.iter_mut().zip(added) {
                *count += added;
            }
        }
    }

    /// The pairs that are looked up, as `256 x + y`.
    pub(crate) fn used(&self) -> impl Iterator<Item = (usize, &[u32; KINDS])> {
        let pairs = self.pairs.iter().enumerate();
        pairs.filter(|(_, counts)| counts.iter().any(|&count| count > 0))
    }
}
