use droste_gadgets::prelude::*;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

#[derive(Copy, Clone, Eq, PartialEq)]
struct State {
    cost: u32,
    node: usize,
}

impl Ord for State {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .cost
            .cmp(&self.cost)
            .then_with(|| self.node.cmp(&other.node))
    }
}

impl PartialOrd for State {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Graph {
    adj: Vec<Vec<(usize, u32)>>,
}

impl Graph {
    fn from_edges(n: usize, edges: &[(usize, usize, u32)]) -> Self {
        let mut adj = vec![Vec::new(); n];
        for &(u, v, w) in edges {
            adj[u].push((v, w));
            adj[v].push((u, w));
        }
        Graph { adj }
    }

    fn dijkstra(&self, source: usize) -> Vec<Option<u32>> {
        let mut dist = vec![None; self.adj.len()];
        let mut heap = BinaryHeap::new();
        heap.push(State {
            cost: 0,
            node: source,
        });
        while let Some(State { cost, node }) = heap.pop() {
            if dist[node].is_some() {
                continue;
            }
            dist[node] = Some(cost);
            for &(next, w) in &self.adj[node] {
                if dist[next].is_none() {
                    heap.push(State {
                        cost: cost + w,
                        node: next,
                    });
                }
            }
        }
        dist
    }
}

pub fn main() {
    let x = public_input();
    let g = Graph::from_edges(
        7,
        &[
            (0, 1, 4),
            (0, 2, 1),
            (2, 1, 2),
            (1, 3, 5),
            (2, 3, 8),
            (3, 4, 3),
        ],
    );
    let dist = g.dijkstra(0);
    assert_eq!(dist[5], None);
    let farthest = dist.iter().flatten().max().unwrap();
    let mut degrees: Vec<_> = g.adj.iter().map(|n| Reverse(n.len())).collect();
    degrees.sort();
    reveal(x + felt(*farthest as usize));
    reveal(felt(degrees[0].0));
    reveal(felt(dist.iter().filter(|d| d.is_none()).count()));
}
