//! Work shared out over the current rayon pool, without one of its own.

/// Items below which no work is shared out.
const WORTHWHILE: usize = 4096;

/// Calls `work(start, chunk)` on chunks of `items`, one for each of `threads`.
pub fn for_chunks<T: Send>(threads: usize, items: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
    if threads <= 1 || items.len() < WORTHWHILE {
        work(0, items);
        return;
    }
    let size = items.len().div_ceil(threads);
    rayon::scope(|scope| {
        for (i, chunk) in items.chunks_mut(size).enumerate() {
            let work = &work;
            scope.spawn(move |_| work(i * size, chunk));
        }
    });
}

/// Sets every item to `map` of its position.
pub fn fill<T: Send>(threads: usize, items: &mut [T], map: impl Fn(usize) -> T + Sync) {
    for_chunks(threads, items, |start, chunk| {
        for (i, item) in (start..).zip(chunk) {
            *item = map(i);
        }
    });
}

/// `map` of the positions below `count`, in order.
pub fn collect<T: Send + Copy + Default>(
    threads: usize,
    count: usize,
    map: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mut out = vec![T::default(); count];
    fill(threads, &mut out, map);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_once() {
        for threads in [1, 2, 3, 7] {
            for count in [0, 1, 5, WORTHWHILE - 1, WORTHWHILE, 10_001] {
                let expected: Vec<usize> = (0..count).collect();
                assert_eq!(collect(threads, count, |i| i), expected);
            }
        }
    }
}
