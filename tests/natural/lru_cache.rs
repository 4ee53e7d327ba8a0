use droste_gadgets::prelude::*;

/// LRU cache backed by a Vec ordered from least to most recently used.
struct LruCache<K, V> {
    capacity: usize,
    entries: Vec<(K, V)>,
    hits: u32,
    misses: u32,
}

impl<K: PartialEq + Copy, V: Clone> LruCache<K, V> {
    fn with_capacity(capacity: usize) -> Self {
        Self {
            capacity,
            entries: Vec::with_capacity(capacity),
            hits: 0,
            misses: 0,
        }
    }

    fn get(&mut self, key: &K) -> Option<&V> {
        let Some(pos) = self.entries.iter().position(|(k, _)| k == key) else {
            self.misses += 1;
            return None;
        };
        self.hits += 1;
        let entry = self.entries.remove(pos);
        self.entries.push(entry);
        self.entries.last().map(|(_, v)| v)
    }

    fn put(&mut self, key: K, value: V) -> Option<(K, V)> {
        if let Some(pos) = self.entries.iter().position(|(k, _)| *k == key) {
            let old = self.entries.remove(pos);
            self.entries.push((key, value));
            return Some(old);
        }
        let evicted = if self.entries.len() == self.capacity {
            Some(self.entries.remove(0))
        } else {
            None
        };
        self.entries.push((key, value));
        evicted
    }

    fn get_or_insert_with<F>(&mut self, key: K, make: F) -> V
    where
        F: FnOnce(K) -> V,
    {
        if let Some(v) = self.get(&key) {
            return v.clone();
        }
        let v = make(key);
        self.put(key, v.clone());
        v
    }
}

fn collatz_len(n: u64) -> usize {
    std::iter::successors(Some(n), |&n| match n {
        1 => None,
        n if n % 2 == 0 => Some(n / 2),
        n => Some(3 * n + 1),
    })
    .count()
}

pub fn main() {
    let x = public_input();
    let mut cache = LruCache::with_capacity(3);
    let total: usize = [27, 6, 7, 27, 9, 6, 27, 7, 9, 9]
        .into_iter()
        .map(|n| cache.get_or_insert_with(n, collatz_len))
        .sum();
    assert_eq!(cache.put(9, 0), Some((9, 20)));
    reveal(felt(total) + x);
    reveal(felt((cache.hits * 10 + cache.misses) as usize));
}
