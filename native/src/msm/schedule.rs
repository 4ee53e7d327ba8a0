//! Counting sort of a stream of `(bucket, term)` pairs into the order in which buckets are summed.
//!
//! Each bucket gets one slot, or several of at most `cap` terms if it is fuller than that. Slots are
//! ordered by falling size and cut into tiles of [`TILE`]. Within a tile, row `r` holds the `r`-th
//! term of every slot that has one: those slots are a prefix of the tile. So a row is one batch of
//! independent additions, read in order, whatever the sizes of the buckets were.

/// Slots of a tile: one inversion serves so many additions, and their state stays in cache.
pub const TILE: usize = 1024;

/// Rows are padded with term 0 to a multiple of this.
pub const LANES: usize = 8;

/// No slot, no point.
pub const NONE: u32 = u32::MAX;

/// One addition for each of the first `len` slots of a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Where the row starts among the entries.
    pub start: u32,
    /// Its entries, padding left out.
    pub len: u32,
}

/// A term: position of a point, shifted left by one, with 1 for "negated".
pub type Entry = u32;

/// Pairs of a bucket and an entry, which can be gone through more than once.
pub trait Stream {
    /// Calls `visit` with every pair, in the same order each time.
    fn for_each(&self, visit: impl FnMut(u32, Entry));
}

/// A bucket that was split over several slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The bucket.
    pub bucket: u32,
    first: u32,
    full: u32,
    rest: u32,
}

impl Split {
    /// The slots of the bucket.
    pub fn slots(&self) -> impl Iterator<Item = u32> + use<> {
        (self.first..self.first + self.full).chain((self.rest != NONE).then_some(self.rest))
    }
}

/// Where the next entry of a bucket goes.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    row: u32,
    lane: u16,
    left: u16,
}

/// A sorted stream. Buffers are kept from one use to the next.
#[derive(Debug, Default)]
pub struct Schedule {
    counts: Vec<u32>,
    cursors: Vec<Cursor>,
    rows: Vec<Row>,
    /// First row of each tile, and the end.
    tile_rows: Vec<u32>,
    entries: Vec<Entry>,
    slots: usize,
    /// First slot of each bucket, [`NONE`] for empty ones.
    slot_of: Vec<u32>,
    splits: Vec<Split>,
}

/// Most rows of a tile: cursors count with 16 bits.
pub const MAX_CAP: usize = 1 << 15;

impl Schedule {
    /// Sorts `stream`, whose buckets are below `buckets`; `cap` is 1 to [`MAX_CAP`].
    pub fn build(&mut self, buckets: usize, cap: usize, stream: &impl Stream) {
        let cap = cap.clamp(1, MAX_CAP) as u32;
        self.counts.clear();
        self.counts.resize(buckets, 0);
        let counts = &mut self.counts;
        stream.for_each(|bucket, _| counts[bucket as usize] += 1);

        // longer[s]: slots of more than s entries; a slot of s entries comes after all of those.
        let mut longer = vec![0u32; cap as usize + 1];
        for &count in self.counts.iter().filter(|&&count| count > 0) {
            longer[cap as usize - 1] += count / cap;
            if count % cap > 0 {
                longer[(count % cap) as usize - 1] += 1;
            }
        }
        for size in (0..cap as usize).rev() {
            longer[size] += longer[size + 1];
        }
        self.slots = longer[0] as usize;
        self.lay_out(&longer);
        self.place(cap, longer);
        self.scatter(cap, stream);
    }

    fn lay_out(&mut self, longer: &[u32]) {
        self.rows.clear();
        self.tile_rows.clear();
        let mut start = 0;
        for tile in 0..self.slots.div_ceil(TILE) {
            self.tile_rows.push(self.rows.len() as u32);
            let before = (tile * TILE) as u32;
            for &slots in longer.iter().take_while(|&&slots| slots > before) {
                let len = (slots - before).min(TILE as u32);
                self.rows.push(Row { start, len });
                start += len.next_multiple_of(LANES as u32);
            }
        }
        self.tile_rows.push(self.rows.len() as u32);
        self.entries.clear();
        self.entries.resize(start as usize, 0);
    }

    fn place(&mut self, cap: u32, longer: Vec<u32>) {
        let mut next = longer;
        let mut take = |size: u32, count: u32| {
            let slot = next[size as usize];
            next[size as usize] += count;
            slot
        };
        self.slot_of.clear();
        self.cursors.clear();
        self.splits.clear();
        for (bucket, &count) in self.counts.iter().enumerate() {
            if count == 0 {
                self.slot_of.push(NONE);
                self.cursors.push(Cursor::default());
                continue;
            }
            let (first, size) = if count <= cap {
                (take(count, 1), count)
            } else {
                let (full, rest) = (count / cap, count % cap);
                let first = take(cap, full);
                let rest = if rest > 0 { take(rest, 1) } else { NONE };
                self.splits.push(Split {
                    bucket: bucket as u32,
                    first,
                    full,
                    rest,
                });
                (first, cap)
            };
            self.slot_of.push(first);
            self.cursors.push(cursor(&self.tile_rows, first, size));
        }
    }

    fn scatter(&mut self, cap: u32, stream: &impl Stream) {
        let Self {
            cursors,
            rows,
            tile_rows,
            entries,
            splits,
            counts,
            ..
        } = self;
        stream.for_each(|bucket, entry| {
            let here = &mut cursors[bucket as usize];
            if here.left == 0 {
                // A split bucket whose slot is full: on to its next one.
                let Ok(at) = splits.binary_search_by_key(&bucket, |split| split.bucket) else {
                    return;
                };
                let split = &splits[at];
                let slot = tile_of(tile_rows, here.row) * TILE as u32 + u32::from(here.lane);
                let next = slot + 1;
                *here = if next < split.first + split.full {
                    cursor(tile_rows, next, cap)
                } else {
                    cursor(tile_rows, split.rest, counts[bucket as usize] % cap)
                };
            }
            let at = rows[here.row as usize].start + u32::from(here.lane);
            entries[at as usize] = entry;
            here.row += 1;
            here.left -= 1;
        });
    }

    /// Number of slots: sums that come out.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.tile_rows.len() - 1
    }

    /// The rows of one tile, longest first.
    pub fn tile(&self, tile: usize) -> &[Row] {
        &self.rows[self.tile_rows[tile] as usize..self.tile_rows[tile + 1] as usize]
    }

    /// All entries, as rows address them.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// First slot of each bucket, [`NONE`] for empty ones.
    pub fn slot_of(&self) -> &[u32] {
        &self.slot_of
    }

    /// Buckets that were split, ascending.
    pub fn splits(&self) -> &[Split] {
        &self.splits
    }
}

fn cursor(tile_rows: &[u32], slot: u32, size: u32) -> Cursor {
    Cursor {
        row: tile_rows[slot as usize / TILE],
        lane: (slot as usize % TILE) as u16,
        left: size as u16,
    }
}

/// The tile in which `row - 1` lies.
fn tile_of(tile_rows: &[u32], row: u32) -> u32 {
    tile_rows.partition_point(|&first| first < row) as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Pairs(Vec<(u32, Entry)>);

    impl Stream for Pairs {
        fn for_each(&self, mut visit: impl FnMut(u32, Entry)) {
            self.0.iter().for_each(|&(b, e)| visit(b, e));
        }
    }

    fn check(buckets: usize, cap: usize, pairs: Vec<(u32, Entry)>) {
        let mut schedule = Schedule::default();
        // Twice, to see that nothing is left over from the first use.
        for _ in 0..2 {
            schedule.build(buckets, cap, &Pairs(pairs.clone()));
        }
        let mut per_slot = vec![vec![]; schedule.slots()];
        for tile in 0..schedule.tiles() {
            let rows = schedule.tile(tile);
            assert!(rows.windows(2).all(|pair| pair[0].len >= pair[1].len));
            assert!(rows.len() <= cap);
            for row in rows {
                assert!((row.start as usize).is_multiple_of(LANES) && row.len as usize <= TILE);
                for lane in 0..row.len {
                    per_slot[tile * TILE + lane as usize]
                        .push(schedule.entries()[(row.start + lane) as usize]);
                }
            }
        }
        let mut expected = vec![vec![]; buckets];
        pairs
            .iter()
            .for_each(|&(b, e)| expected[b as usize].push(e));
        for (bucket, expected) in expected.iter().enumerate() {
            let split = schedule
                .splits()
                .iter()
                .find(|split| split.bucket == bucket as u32);
            let found: Vec<Entry> = match (split, schedule.slot_of()[bucket]) {
                (Some(split), _) => split
                    .slots()
                    .flat_map(|slot| per_slot[slot as usize].clone())
                    .collect(),
                (None, NONE) => vec![],
                (None, slot) => per_slot[slot as usize].clone(),
            };
            assert_eq!(&found, expected);
        }
    }

    #[test]
    fn nothing_and_one_heavy_bucket() {
        check(0, 4, vec![]);
        check(5, 4, vec![]);
        for count in [1, 3, 4, 5, 8, 4 * TILE as u32, 4 * TILE as u32 + 7] {
            check(3, 4, (0..count).map(|i| (1, i)).collect());
        }
    }

    proptest! {
        #[test]
        fn slots_hold_their_buckets(
            buckets in 1usize..3000,
            cap in 1usize..9,
            keys in prop::collection::vec(any::<u32>(), 0..6000),
            skew in 1u32..4,
        ) {
            let pairs = keys
                .iter()
                .enumerate()
                .map(|(i, key)| ((key % buckets as u32) / skew.pow(key % 4), i as u32))
                .collect();
            check(buckets, cap, pairs);
        }
    }
}
