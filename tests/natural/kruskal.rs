use droste_gadgets::prelude::*;

/// Disjoint-set forest with path halving and union by size.
struct UnionFind {
    parent: Vec<usize>,
    size: Vec<usize>,
    components: usize,
}

impl UnionFind {
    fn new(n: usize) -> Self {
        UnionFind {
            parent: (0..n).collect(),
            size: vec![1; n],
            components: n,
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
        self.components -= 1;
        true
    }
}

fn kruskal(n: usize, edges: &[(usize, usize, u32)]) -> (u32, usize) {
    let mut sorted = edges.to_vec();
    sorted.sort_by_key(|&(_, _, w)| w);
    let mut uf = UnionFind::new(n);
    let weight = sorted
        .into_iter()
        .filter(|&(u, v, _)| uf.union(u, v))
        .map(|(_, _, w)| w)
        .sum();
    (weight, uf.components)
}

pub fn main() {
    let x = public_input();
    let edges = [
        (0, 1, 7),
        (0, 3, 5),
        (1, 2, 8),
        (1, 3, 9),
        (1, 4, 7),
        (2, 4, 5),
        (3, 4, 15),
        (3, 5, 6),
    ];
    let (weight, components) = kruskal(8, &edges);
    reveal(x + felt(weight as usize));
    reveal(felt(components));
}
