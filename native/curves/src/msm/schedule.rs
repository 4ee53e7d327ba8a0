//! Counting sort of a stream of `(bucket, term)` pairs into the order in which buckets are summed.
//!
//! Each bucket gets one slot, or several slots of at most `cap` terms if it has more terms than
//! that. Slots are ordered by falling size and cut into tiles of [`TILE`] slots. Within a tile, row
//! `r` contains the `r`-th term of every slot that has one; those slots are the first ones of the
//! tile. So a row is a batch of independent additions whose terms are read in order, whatever the
//! sizes of the buckets.

use super::arena::Carver;

/// Number of slots of a tile. A row of a tile takes one inversion, and the tile's sums stay in
/// cache.
pub const TILE: usize = 2048;

/// Rows are padded with term 0 to a multiple of this length.
pub const LANES: usize = 8;

/// Stands for the absence of a slot or point.
pub const NONE: u32 = u32::MAX;

/// One addition for each of the first slots of a tile: the position of the first one among the
/// entries, and their number, not counting padding.
pub type Row = [u32; 2];

/// A term: the position of a point, shifted left by one, plus 1 if the point is negated.
pub type Entry = u32;

/// A sequence of pairs of a bucket and an entry, which can be iterated over more than once.
pub trait Stream {
    /// Calls `visit` with every pair, in the same order each time.
    fn for_each(&self, visit: impl FnMut(u32, Entry));
}

/// Bounds on the size of a stream, and the size at which its buckets are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Largest number of pairs.
    pub pairs: usize,
    /// Largest number of buckets.
    pub buckets: usize,
    /// Largest number of terms per slot.
    cap: usize,
}

/// Largest cap: cursors have 16 bits for the number of terms.
const MAX_CAP: usize = 1 << 15;

impl Shape {
    /// A shape; `cap` is limited to what cursors can count.
    pub fn new(pairs: usize, buckets: usize, cap: usize) -> Self {
        let cap = cap.clamp(1, MAX_CAP);
        Self {
            pairs,
            buckets,
            cap,
        }
    }

    /// Largest number of slots: a bucket has one for every `cap` terms and one for the remaining
    /// terms.
    pub fn slots(&self) -> usize {
        self.pairs.min(self.buckets + self.pairs / self.cap)
    }

    /// Largest number of buckets that are split.
    pub fn splits(&self) -> usize {
        self.pairs / (self.cap + 1)
    }

    /// Largest number of slots of split buckets: a split bucket has at most twice its number of
    /// terms over `cap`.
    pub fn split_slots(&self) -> usize {
        self.slots().min(2 * self.pairs / self.cap)
    }

    /// Largest number of rows. Any tile but the first has at most as many rows as each slot of the
    /// tile before it has terms.
    fn rows(&self) -> usize {
        self.cap.min(self.pairs) + self.pairs / TILE
    }
}

/// A bucket that was split over several slots: the bucket, its first full slot, the number of full
/// slots, and the slot with the remaining terms, if there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The bucket.
    pub bucket: u32,
    first: u32,
    full: u32,
    rest: u32,
}

impl Split {
    fn new([bucket, first, full, rest]: [u32; 4]) -> Self {
        Self {
            bucket,
            first,
            full,
            rest,
        }
    }

    /// The slots of the bucket.
    pub fn slots(&self) -> impl Iterator<Item = u32> + use<> {
        (self.first..self.first + self.full).chain((self.rest != NONE).then_some(self.rest))
    }
}

/// A sorted stream.
#[derive(Debug)]
pub struct Schedule<'a> {
    cap: u32,
    counts: &'a mut [u32],
    /// The position of each bucket's next entry, from the high bits down: its row, its slot within
    /// the tile, and how many more terms the slot takes.
    cursors: &'a mut [u64],
    /// First, for each size, the number of slots with more terms than that; then the next slot to
    /// assign to a bucket of the size after it.
    longer: &'a mut [u32],
    rows: &'a mut [Row],
    /// The first row of each tile, and at the end the number of rows.
    tile_rows: &'a mut [u32],
    entries: &'a mut [Entry],
    /// First slot of each bucket, [`NONE`] for empty ones.
    slot_of: &'a mut [u32],
    splits: &'a mut [[u32; 4]],
    buckets: usize,
    slots: usize,
    split: usize,
}

const ROW: u32 = 32;
const LANE: u32 = 16;

impl<'a> Schedule<'a> {
    /// Takes memory for any stream of a shape.
    pub fn lay_out<P>(carver: &mut Carver<'a, P>, shape: Shape) -> Self {
        Self {
            cap: shape.cap as u32,
            counts: carver.words(shape.buckets),
            cursors: carver.longs(shape.buckets),
            longer: carver.words(shape.cap + 1),
            rows: carver.tuples(shape.rows()),
            tile_rows: carver.words(shape.slots().div_ceil(TILE) + 1),
            entries: carver.words(shape.pairs + (LANES - 1) * shape.rows()),
            slot_of: carver.words(shape.buckets),
            splits: carver.tuples(shape.splits()),
            buckets: 0,
            slots: 0,
            split: 0,
        }
    }

    /// Sorts `stream`, whose bucket numbers must be below `buckets`.
    pub fn build(&mut self, buckets: usize, stream: &impl Stream) {
        self.buckets = buckets;
        let counts = &mut self.counts[..buckets];
        counts.fill(0);
        stream.for_each(|bucket, _| counts[bucket as usize] += 1);

        // A slot of s entries comes after all slots with more.
        let (cap, longer) = (self.cap, &mut *self.longer);
        longer.fill(0);
        for &count in counts.iter().filter(|&&count| count > 0) {
            longer[cap as usize - 1] += count / cap;
            if count % cap > 0 {
                longer[(count % cap) as usize - 1] += 1;
            }
        }
        for size in (0..cap as usize).rev() {
            longer[size] += longer[size + 1];
        }
        self.slots = longer[0] as usize;
        self.lay_out_rows();
        self.place();
        self.scatter(stream);
    }

    fn lay_out_rows(&mut self) {
        let (mut start, mut row) = (0, 0);
        for tile in 0..self.tiles() {
            self.tile_rows[tile] = row as u32;
            let before = (tile * TILE) as u32;
            for &slots in self.longer.iter().take_while(|&&slots| slots > before) {
                let len = (slots - before).min(TILE as u32);
                self.rows[row] = [start, len];
                row += 1;
                let padded = len.next_multiple_of(LANES as u32);
                self.entries[(start + len) as usize..(start + padded) as usize].fill(0);
                start += padded;
            }
        }
        self.tile_rows[self.tiles()] = row as u32;
    }

    fn place(&mut self) {
        let (cap, next) = (self.cap, &mut *self.longer);
        let mut take = |size: u32, count: u32| {
            let slot = next[size as usize];
            next[size as usize] += count;
            slot
        };
        self.split = 0;
        let buckets = self.slot_of.iter_mut().zip(self.cursors.iter_mut());
        for (bucket, (&count, (slot_of, here))) in
            self.counts[..self.buckets].iter().zip(buckets).enumerate()
        {
            (*slot_of, *here) = (NONE, 0);
            if count == 0 {
                continue;
            }
            let (first, size) = if count <= cap {
                (take(count, 1), count)
            } else {
                let (full, rest) = (count / cap, count % cap);
                let first = take(cap, full);
                let rest = if rest > 0 { take(rest, 1) } else { NONE };
                self.splits[self.split] = [bucket as u32, first, full, rest];
                self.split += 1;
                (first, cap)
            };
            *slot_of = first;
            *here = cursor(self.tile_rows, first, size);
        }
    }

    fn scatter(&mut self, stream: &impl Stream) {
        let tile_rows = &self.tile_rows[..=self.slots.div_ceil(TILE)];
        let splits = &self.splits[..self.split];
        let (cursors, rows) = (&mut *self.cursors, &*self.rows);
        stream.for_each(|bucket, entry| {
            let here = &mut cursors[bucket as usize];
            if *here as u16 == 0 {
                // The bucket is split and its slot is full: continue with its next slot.
                let Ok(at) = splits.binary_search_by_key(&bucket, |split| split[0]) else {
                    return;
                };
                let split = Split::new(splits[at]);
                let tile = tile_of(tile_rows, (*here >> ROW) as u32);
                let next = tile * TILE as u32 + u32::from((*here >> LANE) as u16) + 1;
                *here = if next < split.first + split.full {
                    cursor(tile_rows, next, self.cap)
                } else {
                    cursor(
                        tile_rows,
                        split.rest,
                        self.counts[bucket as usize] % self.cap,
                    )
                };
            }
            let [start, _] = rows[(*here >> ROW) as usize];
            self.entries[start as usize + (*here >> LANE) as u16 as usize] = entry;
            // Next row, and one term fewer to come.
            *here += (1 << ROW) - 1;
        });
    }

    /// Number of slots, which is the number of sums that come out.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.slots.div_ceil(TILE)
    }

    /// The rows of one tile, longest first.
    pub fn tile(&self, tile: usize) -> &[Row] {
        &self.rows[self.tile_rows[tile] as usize..self.tile_rows[tile + 1] as usize]
    }

    /// All entries, at the positions that rows refer to.
    pub fn entries(&self) -> &[Entry] {
        self.entries
    }

    /// First slot of each bucket, [`NONE`] for empty ones.
    pub fn slot_of(&self) -> &[u32] {
        &self.slot_of[..self.buckets]
    }

    /// Buckets that were split, ascending.
    pub fn splits(&self) -> impl ExactSizeIterator<Item = Split> {
        self.splits[..self.split].iter().copied().map(Split::new)
    }
}

fn cursor(tile_rows: &[u32], slot: u32, size: u32) -> u64 {
    let lane = slot % TILE as u32;
    u64::from(tile_rows[slot as usize / TILE]) << ROW | u64::from(lane << LANE | size)
}

/// The tile that contains row `row - 1`.
fn tile_of(tile_rows: &[u32], row: u32) -> u32 {
    tile_rows.partition_point(|&first| first < row) as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::super::arena::{Arena, Size};
    use super::*;
    use crate::test_utils::on_words;

    struct Pairs(Vec<(u32, Entry)>);

    impl Stream for Pairs {
        fn for_each(&self, mut visit: impl FnMut(u32, Entry)) {
            self.0.iter().for_each(|&(b, e)| visit(b, e));
        }
    }

    fn check(buckets: usize, cap: usize, pairs: Vec<(u32, Entry)>) {
        // Laid out for exactly this shape, in memory that was filled with other values, and used
        // twice.
        let shape = Shape::new(pairs.len(), buckets, cap);
        let mut arena = Arena::<()>::default();
        let size = Size::of::<(), _>(|carver| Schedule::lay_out(carver, shape).slots());
        let mut carver = arena.carve(size);
        carver.again().words(size.words).fill(77);
        let mut schedule = Schedule::lay_out(&mut carver, shape);
        for _ in 0..2 {
            schedule.build(buckets, &Pairs(pairs.clone()));
        }
        assert!(schedule.slots() <= shape.slots());
        let mut per_slot = vec![vec![]; schedule.slots()];
        for tile in 0..schedule.tiles() {
            let rows = schedule.tile(tile);
            assert!(rows.windows(2).all(|pair| pair[0][1] >= pair[1][1]));
            assert!(rows.len() <= cap);
            for &[start, len] in rows {
                assert!((start as usize).is_multiple_of(LANES) && len as usize <= TILE);
                for lane in 0..len {
                    per_slot[tile * TILE + lane as usize]
                        .push(schedule.entries()[(start + lane) as usize]);
                }
                let padded = (start + len) as usize..(start + len.next_multiple_of(8)) as usize;
                assert!(schedule.entries()[padded].iter().all(|&entry| entry == 0));
            }
        }
        let mut expected = vec![vec![]; buckets];
        pairs
            .iter()
            .for_each(|&(b, e)| expected[b as usize].push(e));
        let slots: usize = schedule.splits().map(|split| split.slots().count()).sum();
        assert!(slots <= shape.split_slots());
        for (bucket, expected) in expected.iter().enumerate() {
            let split = schedule
                .splits()
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

    #[test]
    fn slots_hold_their_buckets() {
        on_words(256, 4 + 6000, &|words| {
            let (head, keys) = words.split_at(4);
            let (buckets, cap) = (1 + (head[0] % 2999) as u32, 1 + (head[1] % 8) as usize);
            let (skew, count) = (1 + (head[2] % 3) as u32, (head[3] % 6000) as usize);
            let pairs = keys[..count].iter().zip(0..).map(|(&key, i)| {
                let key = key as u32;
                ((key % buckets) / skew.pow(key % 4), i)
            });
            check(buckets as usize, cap, pairs.collect());
        });
    }
}
