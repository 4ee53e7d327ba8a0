use droste_gadgets::prelude::*;

/// Binary min-heap with explicit sift operations.
#[derive(Debug, Default)]
struct MinHeap<T: Ord> {
    items: Vec<T>,
}

impl<T: Ord> MinHeap<T> {
    fn new() -> Self {
        Self { items: Vec::new() }
    }

    fn push(&mut self, item: T) {
        self.items.push(item);
        let mut i = self.items.len() - 1;
        while i > 0 {
            let parent = (i - 1) / 2;
            if self.items[i] >= self.items[parent] {
                break;
            }
            self.items.swap(i, parent);
            i = parent;
        }
    }

    fn pop(&mut self) -> Option<T> {
        if self.items.is_empty() {
            return None;
        }
        let top = self.items.swap_remove(0);
        let mut i = 0;
        loop {
            let left = 2 * i + 1;
            let right = left + 1;
            let mut smallest = i;
            for child in [left, right] {
                if child < self.items.len() && self.items[child] < self.items[smallest] {
                    smallest = child;
                }
            }
            if smallest == i {
                break Some(top);
            }
            self.items.swap(i, smallest);
            i = smallest;
        }
    }
}

pub fn main() {
    let x = public_input();
    let mut heap = MinHeap::new();
    for (i, name) in ["deploy", "build", "lint", "test"].iter().enumerate() {
        heap.push((name.len(), i));
    }
    let mut order = 0usize;
    while let Some((len, idx)) = heap.pop() {
        order = order * 10 + idx;
        assert!(len >= 4);
    }
    reveal(x + felt(order));
}
