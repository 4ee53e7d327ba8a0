use droste_gadgets::prelude::*;

/// N-queens with bitmasks and a knight's-move BFS, both on the same board type.
struct Board {
    n: usize,
}

impl Board {
    fn queens(&self) -> usize {
        fn place(all: u32, cols: u32, left: u32, right: u32) -> usize {
            if cols == all {
                return 1;
            }
            let mut free = all & !(cols | left | right);
            let mut count = 0;
            while free != 0 {
                let bit = free & free.wrapping_neg();
                free ^= bit;
                count += place(all, cols | bit, (left | bit) << 1, (right | bit) >> 1);
            }
            count
        }
        place((1 << self.n) - 1, 0, 0, 0)
    }

    fn knight_moves(&self, (r, c): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
        const JUMPS: [(isize, isize); 8] = [
            (1, 2),
            (2, 1),
            (2, -1),
            (1, -2),
            (-1, -2),
            (-2, -1),
            (-2, 1),
            (-1, 2),
        ];
        let n = self.n as isize;
        JUMPS.iter().filter_map(move |&(dr, dc)| {
            let (nr, nc) = (r as isize + dr, c as isize + dc);
            if (0..n).contains(&nr) && (0..n).contains(&nc) {
                Some((nr as usize, nc as usize))
            } else {
                None
            }
        })
    }

    fn knight_distances(&self, start: (usize, usize)) -> Vec<Vec<Option<u32>>> {
        let mut dist = vec![vec![None; self.n]; self.n];
        dist[start.0][start.1] = Some(0);
        let mut frontier = vec![start];
        let mut depth = 0;
        while !frontier.is_empty() {
            depth += 1;
            let mut next = Vec::new();
            for pos in frontier.drain(..) {
                for (r, c) in self.knight_moves(pos) {
                    if dist[r][c].is_none() {
                        dist[r][c] = Some(depth);
                        next.push((r, c));
                    }
                }
            }
            frontier = next;
        }
        dist
    }
}

pub fn main() {
    let x = public_input();
    let solutions: Vec<usize> = (4..=6).map(|n| Board { n }.queens()).collect();
    assert_eq!(solutions, [2, 10, 4]);
    let dist = Board { n: 8 }.knight_distances((0, 0));
    let farthest = dist.iter().flatten().flatten().max().unwrap();
    let unreachable = Board { n: 3 }
        .knight_distances((0, 0))
        .concat()
        .iter()
        .filter(|d| d.is_none())
        .count();
    assert_eq!(unreachable, 1);
    reveal(x * felt(*farthest as usize));
    reveal(felt(solutions.iter().sum()));
}
