use droste_gadgets::prelude::*;

/// Union-find with path halving and union by size, used for Kruskal's MST.
struct DisjointSet {
    parent: Vec<usize>,
    size: Vec<usize>,
}

impl DisjointSet {
    fn new(n: usize) -> Self {
        Self {
            parent: (0..n).collect(),
            size: vec![1; n],
        }
    }

    fn find(&mut self, mut x: usize) -> usize {
        while self.parent[x] != x {
            self.parent[x] = self.parent[self.parent[x]];
            x = self.parent[x];
        }
        x
    }

    fn union(&mut self, a: usize, b: usize) -> bool {
        let (mut a, mut b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        if self.size[a] < self.size[b] {
            std::mem::swap(&mut a, &mut b);
        }
        self.parent[b] = a;
        self.size[a] += self.size[b];
        true
    }
}

fn kruskal(n: usize, edges: &mut [(u64, usize, usize)]) -> Option<u64> {
    edges.sort_unstable();
    let mut set = DisjointSet::new(n);
    let mut picked = 0;
    let mut cost = 0;
    for &(w, a, b) in edges.iter() {
        if set.union(a, b) {
            cost += w;
            picked += 1;
        }
    }
    (picked + 1 == n).then_some(cost)
}

pub fn main() {
    let salt = public_input();
    let mut edges = vec![
        (4, 0, 1),
        (8, 1, 2),
        (7, 2, 3),
        (9, 3, 4),
        (10, 4, 5),
        (2, 5, 6),
        (1, 6, 7),
        (8, 0, 7),
        (11, 1, 7),
        (4, 2, 5),
    ];
    let cost = kruskal(8, &mut edges).expect("graph is connected");
    assert_eq!(kruskal(9, &mut edges), None);
    reveal(felt(cost as usize) * salt);
}
