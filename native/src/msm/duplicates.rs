//! Terms with equal scalars, joined before anything else: `k P + k Q = k (P + Q)`.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::schedule::{Entry, Stream};

/// Hash of four words that are as good as random, or at least odd multiples of each other's bits.
#[derive(Clone, Copy, Debug, Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let mixed = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.0 = mixed ^ mixed >> 32;
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Clusters of terms with equal scalars.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// Cluster and term of every member.
    members: Vec<(u32, u32)>,
    /// The first member of each cluster.
    pub first: Vec<u32>,
    /// Terms that are in no cluster, ascending.
    pub single: Vec<u32>,
}

impl Clusters {
    /// Clusters the terms; scalars that are new once `cap` distinct ones are known stay single.
    pub fn new(scalars: impl ExactSizeIterator<Item = [u64; 4]>, cap: usize) -> Self {
        const ALONE: u32 = u32::MAX;
        let count = scalars.len();
        // First term and cluster of each scalar.
        let mut known: HashMap<[u64; 4], (u32, u32), BuildHasherDefault<WordHasher>> =
            HashMap::with_capacity_and_hasher(count.min(cap), Default::default());
        let mut clusters = Self::default();
        let mut of_term = vec![ALONE; count];
        for (term, scalar) in scalars.enumerate() {
            if let Some((first, cluster)) = known.get_mut(&scalar) {
                if *cluster == ALONE {
                    *cluster = clusters.first.len() as u32;
                    clusters.first.push(*first);
                    of_term[*first as usize] = *cluster;
                }
                of_term[term] = *cluster;
            } else if known.len() < cap {
                known.insert(scalar, (term as u32, ALONE));
            }
        }
        for (term, &cluster) in of_term.iter().enumerate() {
            if cluster == ALONE {
                clusters.single.push(term as u32);
            } else {
                clusters.members.push((cluster, term as u32));
            }
        }
        clusters
    }

    /// Number of clusters.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Number of terms in clusters.
    pub fn members(&self) -> usize {
        self.members.len()
    }
}

/// The members of clusters as entries, through the positions of their points.
pub struct MemberStream<'a> {
    /// The clusters.
    pub clusters: &'a Clusters,
    /// The point of each term.
    pub points: &'a [u32],
}

impl Stream for MemberStream<'_> {
    fn for_each(&self, mut visit: impl FnMut(u32, Entry)) {
        for &(cluster, term) in &self.clusters.members {
            visit(cluster, self.points[term as usize] << 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(values: &[u64], cap: usize) -> Clusters {
        Clusters::new(values.iter().map(|&value| [value, 7, 0, value]), cap)
    }

    #[test]
    fn equal_scalars_meet() {
        let found = clusters(&[5, 6, 5, 7, 6, 5], 10);
        assert_eq!(found.first, [0, 1]);
        assert_eq!(found.members, [(0, 0), (1, 1), (0, 2), (1, 4), (0, 5)]);
        assert_eq!(found.single, [3]);
        assert_eq!(clusters(&[], 10), Clusters::default());
    }

    #[test]
    fn many_small_clusters_and_one_huge_one_at_the_cap() {
        let pairs: Vec<u64> = (0..1000).map(|i| i / 2).collect();
        let found = clusters(&pairs, 100);
        assert_eq!((found.len(), found.members()), (100, 200));
        assert_eq!(found.single.len(), 800);
        let same = vec![9; 1000];
        let found = clusters(&same, 1);
        assert_eq!((found.len(), found.members()), (1, 1000));
        assert_eq!(clusters(&same, 0).single.len(), 1000);
    }
}
