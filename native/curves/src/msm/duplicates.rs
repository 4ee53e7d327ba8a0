//! Joining of terms with equal scalars, before any other work: `k P + k Q = k (P + Q)`.

use super::planes::{Block, Planes};
use super::prefetch::prefetch;
use super::schedule::{Entry, LANES, Stream};

/// Positions of the hash table at which a scalar may be stored. The limit bounds the time that
/// scalars chosen to collide can cost.
const PROBES: usize = 16;

/// Number of blocks of scalars whose table positions are loaded together.
const AHEAD: usize = 2;

/// Clusters of terms with equal scalars.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// Each member as the number of its cluster and of its term.
    members: Vec<(u32, u32)>,
    /// The first term of each cluster.
    pub first: Vec<u32>,
    /// Terms that are in no cluster, ascending.
    pub single: Vec<u32>,
}

/// A hash table with open addressing from scalars to the first term that has them.
struct Seen<'a> {
    scalars: &'a Planes,
    /// 0 for an empty slot; otherwise the term plus one in the low half, and in the high half 32
    /// bits of its hash that do not choose the slot.
    slots: Vec<u64>,
    bits: u32,
    /// How many more scalars may be entered.
    left: usize,
}

impl<'a> Seen<'a> {
    fn new(scalars: &'a Planes, cap: usize) -> Self {
        let left = scalars.len().min(cap);
        let bits = (2 * left).next_power_of_two().trailing_zeros().max(4);
        Self {
            scalars,
            slots: vec![0; 1 << bits],
            bits,
            left,
        }
    }

    fn place(&self, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize
    }

    /// Returns a term with the same scalar, which has this hash, if one was entered before;
    /// otherwise enters this term if there is room.
    #[inline]
    fn find(&mut self, term: usize, hash: u64) -> Option<u32> {
        let tag = hash << 32;
        for probe in 0..PROBES {
            let slot = (self.place(hash) + probe) & (self.slots.len() - 1);
            let found = self.slots[slot];
            if found == 0 {
                if self.left > 0 {
                    self.left -= 1;
                    self.slots[slot] = tag | (term as u64 + 1);
                }
                return None;
            }
            let first = (found as u32).wrapping_sub(1);
            if found >> 32 == tag >> 32 && self.scalars.same(first as usize, term) {
                return Some(first);
            }
        }
        None
    }
}

/// Hashes of scalars: the high bits choose the position, the low bits tell scalars apart.
#[allow(clippy::needless_range_loop)] // several arrays step together
#[inline(always)]
fn hash(scalars: &Block) -> [u64; LANES] {
    const FACTORS: [u64; 4] = [
        0x9e37_79b9_7f4a_7c15,
        0xbf58_476d_1ce4_e5b9,
        0x94d0_49bb_1331_11eb,
        0xd6e8_feb8_6659_fd93,
    ];
    let mut hashes = [0u64; LANES];
    for lane in 0..LANES {
        for word in 0..4 {
            let own = scalars[word][lane];
            let folded = (own ^ own >> 32).wrapping_mul(FACTORS[word]);
            hashes[lane] = hashes[lane].wrapping_add(folded);
        }
        hashes[lane] = (hashes[lane] ^ hashes[lane] >> 29).wrapping_mul(FACTORS[1]);
    }
    hashes
}

impl Clusters {
    /// Clusters the terms. Once `cap` distinct scalars are known, terms with new scalars stay
    /// single; so may terms whose scalars collide with many others in the hash table.
    pub fn new(scalars: &Planes, cap: usize) -> Self {
        const ALONE: u32 = u32::MAX;
        let mut seen = Seen::new(scalars, cap);
        let mut clusters = Self::default();
        let mut of_term = vec![ALONE; scalars.len()];
        for start in (0..scalars.len()).step_by(AHEAD * LANES) {
            let terms = start..scalars.len().min(start + AHEAD * LANES);
            let mut hashes = [[0; LANES]; AHEAD];
            for (i, hashes) in hashes.iter_mut().enumerate() {
                *hashes = hash(&scalars.block(start + i * LANES));
            }
            for &hash in hashes.as_flattened() {
                prefetch(&seen.slots, seen.place(hash));
            }
            for (term, &hash) in terms.zip(hashes.as_flattened()) {
                let Some(first) = seen.find(term, hash) else {
                    continue;
                };
                let mut cluster = of_term[first as usize];
                if cluster == ALONE {
                    cluster = clusters.first.len() as u32;
                    clusters.first.push(first);
                    of_term[first as usize] = cluster;
                }
                of_term[term] = cluster;
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

/// The members of all clusters as a stream whose entries refer to their points.
pub struct MemberStream<'a> {
    /// The clusters.
    pub clusters: &'a Clusters,
    /// The position of the point of each term.
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
    use super::super::planes::Word;
    use super::*;

    fn clusters(values: &[u64], cap: usize) -> Clusters {
        let scalars = values.iter().map(|&value| [value, 7, 0, value]);
        Clusters::new(&scalars.collect(), cap)
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

    /// Many terms with one scalar form one cluster, whatever the scalar's words: the hash table
    /// reserves no value.
    #[test]
    fn any_value_meets_itself() {
        for word in [0, 1, u64::MAX, 1 << 32, 0xffff_ffff] {
            let scalars = [[word; 4], [word, 0, 0, 0], [0, 0, 0, word], [word; 4]];
            let found = Clusters::new(&scalars.into_iter().collect(), 4);
            assert!(found.members.contains(&(0, 0)) && found.members.contains(&(0, 3)));
        }
    }

    /// Scalars with equal hashes find few positions, and the only consequence is that some stay
    /// single.
    #[test]
    fn collisions_stay_single() {
        let scalar = |i: u64| -> Planes { [[i, 0, 0, 0]].into_iter().collect() };
        let hashes = |i: u64| hash(&scalar(i).block(0))[0] >> 56;
        let same: Vec<Word> = (0..20_000)
            .filter(|&i| hashes(i) == 7)
            .map(|i| [i, 0, 0, 0])
            .collect();
        let twice: Vec<Word> = same.iter().chain(&same).copied().collect();
        let found = Clusters::new(&twice.iter().copied().collect(), twice.len());
        assert!(found.len() >= PROBES && found.members() + found.single.len() == twice.len());
        for &(cluster, term) in &found.members {
            assert_eq!(
                twice[found.first[cluster as usize] as usize],
                twice[term as usize]
            );
        }
    }
}
