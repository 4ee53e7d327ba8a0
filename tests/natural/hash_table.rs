use droste_gadgets::prelude::*;

/// Open-addressing hash map with linear probing.
#[derive(Clone)]
struct HashTable<V> {
    buckets: Vec<Option<(u32, V)>>,
    len: usize,
}

impl<V: Clone> HashTable<V> {
    fn with_capacity(capacity: usize) -> Self {
        HashTable {
            buckets: vec![None; capacity.next_power_of_two()],
            len: 0,
        }
    }

    fn slot(&self, key: u32) -> usize {
        let mask = self.buckets.len() - 1;
        let mut i = (key.wrapping_mul(0x9E37_79B1) >> 16) as usize & mask;
        while matches!(&self.buckets[i], Some((k, _)) if *k != key) {
            i = (i + 1) & mask;
        }
        i
    }

    fn get(&self, key: u32) -> Option<&V> {
        self.buckets[self.slot(key)].as_ref().map(|(_, v)| v)
    }

    fn entry_or(&mut self, key: u32, default: V) -> &mut V {
        if (self.len + 1) * 4 > self.buckets.len() * 3 {
            self.grow();
        }
        let slot = self.slot(key);
        if self.buckets[slot].is_none() {
            self.len += 1;
        }
        let (_, value) = self.buckets[slot].get_or_insert((key, default));
        value
    }

    fn grow(&mut self) {
        let bigger = Self::with_capacity(self.buckets.len() * 2);
        let old = std::mem::replace(self, bigger);
        for (key, value) in old.buckets.into_iter().flatten() {
            self.entry_or(key, value);
        }
    }
}

pub fn main() {
    let x = public_input();
    let mut counts = HashTable::with_capacity(4);
    let mut totals: HashTable<Felt> = HashTable::with_capacity(4);
    for (i, key) in [7, 21, 7, 300, 21, 7, 9999, 4].into_iter().enumerate() {
        *counts.entry_or(key, 0u32) += 1;
        let t = totals.entry_or(key, felt(0));
        *t = *t + x * felt(i);
    }
    assert_eq!(counts.get(7), Some(&3));
    assert_eq!(counts.get(8), None);
    assert_eq!(counts.len, 5);
    reveal(*totals.get(7).unwrap());
    reveal(totals.get(21).copied().unwrap_or(x));
    reveal(felt(counts.buckets.len()));
}
