//! Distribution of work over the threads of the current rayon pool. What is called once per thread
//! is passed as a trait object, so that rayon's machinery is compiled once.

use std::ops::Range;

use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator,
};

use super::schedule::LANES;

/// With fewer items than this, one thread does all the work.
const WORTHWHILE: usize = 2048;

/// Calls `work(start, columns)` on chunks of the columns of `rows`, which all have one length, one
/// chunk per thread. Chunks begin at multiples of [`LANES`].
pub fn for_columns<T: Send>(
    threads: usize,
    rows: &mut [&mut [T]],
    work: &(dyn Fn(usize, &mut [&mut [T]]) + Sync),
) {
    let len = rows.first().map_or(0, |row| row.len());
    if threads <= 1 || len < WORTHWHILE {
        work(0, rows);
        return;
    }
    let size = len.div_ceil(threads).next_multiple_of(LANES);
    let mut chunks: Vec<_> = rows.iter_mut().map(|row| row.chunks_mut(size)).collect();
    rayon::scope(|scope| {
        for start in (0..len).step_by(size) {
            let mut part: Vec<&mut [T]> = chunks.iter_mut().filter_map(Iterator::next).collect();
            scope.spawn(move |_| work(start, &mut part));
        }
    });
}

/// Calls `work` as often as there are workers, each time on a thread of its own.
pub fn on_workers(workers: usize, work: &(dyn Fn() + Sync)) {
    if workers <= 1 {
        work();
        return;
    }
    rayon::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|_| work());
        }
    });
}

/// Cuts `count` positions at multiples of [`LANES`] into ranges, one per thread, and returns the
/// results of `map` on them, in order.
pub fn for_ranges<T: Send>(
    threads: usize,
    count: usize,
    map: &(dyn Fn(Range<usize>) -> T + Sync),
) -> Vec<T> {
    let parts = if count < WORTHWHILE { 1 } else { threads };
    let bound = |part: usize| (count * part / parts).next_multiple_of(LANES).min(count);
    gather(
        parts,
        parts,
        parts,
        |part| map(bound(part)..bound(part + 1)),
    )
}

/// Returns the results of `map` on the positions below `count`, in order, in memory for `capacity`
/// items.
pub fn collect_within<T: Send>(
    threads: usize,
    count: usize,
    capacity: usize,
    map: impl Fn(usize) -> T + Sync + Send,
) -> Vec<T> {
    let threads = if count < WORTHWHILE { 1 } else { threads };
    gather(threads, count, capacity, map)
}

/// Returns the results of `map` on the positions below `count`, without initialising the memory
/// first.
fn gather<T: Send>(
    threads: usize,
    count: usize,
    capacity: usize,
    map: impl Fn(usize) -> T + Sync + Send,
) -> Vec<T> {
    let mut items = Vec::with_capacity(capacity);
    if threads <= 1 {
        items.extend((0..count).map(map));
    } else {
        // rayon cuts ranges by halving them.
        let least = count / threads.next_power_of_two();
        let positions = (0..count).into_par_iter();
        items.par_extend(positions.with_min_len(least.max(1)).map(map));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_once() {
        for threads in [1, 2, 3, 7] {
            for count in [0, 1, 5, WORTHWHILE - 1, WORTHWHILE, 10_001] {
                let expected: Vec<usize> = (0..count).collect();
                let roomy = collect_within(threads, count, count + 9, |i| i);
                assert!(roomy == expected && roomy.capacity() > count);
                let ranges = for_ranges(threads, count, &|range| range);
                assert!(ranges.into_iter().flatten().eq(0..count));
                let (mut low, mut high) = (vec![0; count], vec![0; count]);
                for_columns(threads, &mut [&mut low, &mut high], &|start, columns| {
                    for i in 0..columns[0].len() {
                        columns[0][i] = start + i;
                        columns[1][i] += 1;
                    }
                });
                assert!(low == expected && high == vec![1; count]);
            }
        }
    }
}
