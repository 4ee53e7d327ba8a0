use droste_gadgets::prelude::*;

/// Topological sort (Kahn) with cycle detection, plus critical path length.
struct Graph {
    names: Vec<&'static str>,
    adj: Vec<Vec<usize>>,
}

impl Graph {
    fn from_edges(edges: &[(&'static str, &'static str)]) -> Self {
        let mut g = Graph {
            names: Vec::new(),
            adj: Vec::new(),
        };
        for &(from, to) in edges {
            let (a, b) = (g.intern(from), g.intern(to));
            g.adj[a].push(b);
        }
        g
    }

    fn intern(&mut self, name: &'static str) -> usize {
        if let Some(i) = self.names.iter().position(|&n| n == name) {
            return i;
        }
        self.names.push(name);
        self.adj.push(vec![]);
        self.names.len() - 1
    }

    fn topo_order(&self) -> Option<Vec<usize>> {
        let mut indegree = vec![0u32; self.adj.len()];
        for &to in self.adj.iter().flatten() {
            indegree[to] += 1;
        }
        let mut ready: Vec<usize> = (0..self.adj.len()).filter(|&v| indegree[v] == 0).collect();
        let mut order = Vec::with_capacity(self.adj.len());
        while let Some(v) = ready.pop() {
            order.push(v);
            for &to in &self.adj[v] {
                indegree[to] -= 1;
                if indegree[to] == 0 {
                    ready.push(to);
                }
            }
        }
        (order.len() == self.adj.len()).then_some(order)
    }

    fn critical_path(&self, cost: impl Fn(&str) -> u32) -> Option<u32> {
        let mut finish = vec![0; self.adj.len()];
        for v in self.topo_order()? {
            finish[v] += cost(self.names[v]);
            for &to in &self.adj[v] {
                finish[to] = finish[to].max(finish[v]);
            }
        }
        finish.into_iter().max()
    }
}

pub fn main() {
    let x = public_input();
    let edges = [
        ("lex", "parse"),
        ("parse", "check"),
        ("check", "emit"),
        ("lex", "cache"),
        ("cache", "emit"),
    ];
    let g = Graph::from_edges(&edges);
    let order = g.topo_order().expect("acyclic");
    assert_eq!(g.names[order[0]], "lex");
    assert_eq!(g.names[*order.last().unwrap()], "emit");

    let cyclic = Graph::from_edges(&[("a", "b"), ("b", "c"), ("c", "a")]);
    assert!(cyclic.topo_order().is_none());

    let length = g.critical_path(|n| n.len() as u32).unwrap();
    reveal(x + felt(length as usize));
}
