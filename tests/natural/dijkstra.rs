use droste_gadgets::prelude::*;

/// Dijkstra on an adjacency list with a hand-written binary heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    dist: u32,
    node: usize,
}

#[derive(Default)]
struct MinHeap {
    items: Vec<Entry>,
}

impl MinHeap {
    fn push(&mut self, e: Entry) {
        self.items.push(e);
        let mut i = self.items.len() - 1;
        while i > 0 {
            let parent = (i - 1) / 2;
            if self.items[parent].dist <= self.items[i].dist {
                break;
            }
            self.items.swap(i, parent);
            i = parent;
        }
    }

    fn pop(&mut self) -> Option<Entry> {
        if self.items.is_empty() {
            return None;
        }
        let top = self.items.swap_remove(0);
        let mut i = 0;
        loop {
            let (l, r) = (2 * i + 1, 2 * i + 2);
            let mut smallest = i;
            for c in [l, r] {
                if c < self.items.len() && self.items[c].dist < self.items[smallest].dist {
                    smallest = c;
                }
            }
            if smallest == i {
                return Some(top);
            }
            self.items.swap(i, smallest);
            i = smallest;
        }
    }
}

fn dijkstra(adj: &[Vec<(usize, u32)>], source: usize) -> Vec<Option<u32>> {
    let mut dist = vec![None; adj.len()];
    let mut heap = MinHeap::default();
    heap.push(Entry {
        dist: 0,
        node: source,
    });
    while let Some(Entry { dist: d, node }) = heap.pop() {
        if dist[node].is_some() {
            continue;
        }
        dist[node] = Some(d);
        for &(next, w) in &adj[node] {
            if dist[next].is_none() {
                heap.push(Entry {
                    dist: d + w,
                    node: next,
                });
            }
        }
    }
    dist
}

pub fn main() {
    let x = public_input();
    let edges = [
        (0, 1, 7),
        (0, 2, 3),
        (2, 1, 1),
        (1, 3, 2),
        (2, 3, 8),
        (3, 4, 5),
    ];
    let mut adj = vec![Vec::new(); 6];
    for &(a, b, w) in edges.iter() {
        adj[a].push((b, w));
        adj[b].push((a, w));
    }
    let dist = dijkstra(&adj, 0);
    assert!(dist[5].is_none());
    let total: u32 = dist.iter().flatten().sum();
    reveal(felt(dist[4].unwrap() as usize) + x);
    reveal(felt(total as usize));
}
