use droste_gadgets::prelude::*;

/// Tarjan's strongly connected components and 2-SAT on top of it.
#[derive(Default)]
struct Tarjan {
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    comp: Vec<usize>,
    counter: usize,
    comps: usize,
}

impl Tarjan {
    fn run(adj: &[Vec<usize>]) -> Self {
        let n = adj.len();
        let mut t = Tarjan {
            index: vec![None; n],
            low: vec![0; n],
            on_stack: vec![false; n],
            comp: vec![usize::MAX; n],
            ..Default::default()
        };
        for v in 0..n {
            if t.index[v].is_none() {
                t.visit(v, adj);
            }
        }
        t
    }

    fn visit(&mut self, v: usize, adj: &[Vec<usize>]) {
        self.index[v] = Some(self.counter);
        self.low[v] = self.counter;
        self.counter += 1;
        self.stack.push(v);
        self.on_stack[v] = true;
        for &w in &adj[v] {
            if let Some(i) = self.index[w] {
                if self.on_stack[w] {
                    self.low[v] = self.low[v].min(i);
                }
            } else {
                self.visit(w, adj);
                self.low[v] = self.low[v].min(self.low[w]);
            }
        }
        if Some(self.low[v]) == self.index[v] {
            while let Some(w) = self.stack.pop() {
                self.on_stack[w] = false;
                self.comp[w] = self.comps;
                if w == v {
                    break;
                }
            }
            self.comps += 1;
        }
    }
}

/// Literals are +v / -v with v >= 1.
fn solve_2sat(vars: usize, clauses: &[(i32, i32)]) -> Option<Vec<bool>> {
    let node = |lit: i32| 2 * (lit.unsigned_abs() as usize - 1) + (lit < 0) as usize;
    let mut adj = vec![vec![]; 2 * vars];
    for &(a, b) in clauses {
        adj[node(-a)].push(node(b));
        adj[node(-b)].push(node(a));
    }
    let comp = Tarjan::run(&adj).comp;
    (0..vars)
        .map(|v| match comp[2 * v].cmp(&comp[2 * v + 1]) {
            std::cmp::Ordering::Equal => None,
            o => Some(o.is_lt()),
        })
        .collect()
}

pub fn main() {
    let x = public_input();
    let clauses = [(1, 2), (-1, 3), (-2, -3), (-3, 4), (2, -4)];
    assert!(solve_2sat(4, &clauses).is_none() || solve_2sat(4, &clauses).is_some());
    let model = solve_2sat(4, &clauses[..4]).expect("satisfiable");
    for &(a, b) in &clauses[..4] {
        assert!(
            [a, b]
                .iter()
                .any(|&l| model[l.unsigned_abs() as usize - 1] == (l > 0))
        );
    }
    assert_eq!(solve_2sat(1, &[(1, 1), (-1, -1)]), None);
    let sccs = Tarjan::run(&[vec![1], vec![2], vec![0, 3], vec![4], vec![3], vec![]]).comps;
    reveal(felt(sccs) * x);
}
