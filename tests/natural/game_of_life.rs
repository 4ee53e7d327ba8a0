use droste_gadgets::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Dead,
    Alive,
}

struct Life<const W: usize, const H: usize> {
    cells: [[Cell; W]; H],
}

impl<const W: usize, const H: usize> Life<W, H> {
    fn from_rows(rows: &[&[u8; W]; H]) -> Self {
        let mut cells = [[Cell::Dead; W]; H];
        for (y, row) in rows.iter().enumerate() {
            for (x, &c) in row.iter().enumerate() {
                if c == b'#' {
                    cells[y][x] = Cell::Alive;
                }
            }
        }
        Life { cells }
    }

    fn neighbours(&self, x: usize, y: usize) -> usize {
        let mut count = 0;
        for dy in [H - 1, 0, 1] {
            for dx in [W - 1, 0, 1] {
                if (dx, dy) != (0, 0) && self.cells[(y + dy) % H][(x + dx) % W] == Cell::Alive {
                    count += 1;
                }
            }
        }
        count
    }

    fn step(&self) -> Self {
        let mut next = [[Cell::Dead; W]; H];
        for y in 0..H {
            for x in 0..W {
                next[y][x] = match (self.cells[y][x], self.neighbours(x, y)) {
                    (Cell::Alive, 2 | 3) => Cell::Alive,
                    (Cell::Dead, 3) => Cell::Alive,
                    _ => Cell::Dead,
                };
            }
        }
        Life { cells: next }
    }

    fn population(&self) -> usize {
        self.cells
            .iter()
            .flatten()
            .filter(|&&c| c == Cell::Alive)
            .count()
    }
}

pub fn main() {
    let x = public_input();
    let glider = Life::from_rows(&[
        b".#....",
        "..#...".as_bytes().try_into().unwrap(),
        b"###...",
        b"......",
        b"......",
        b"......",
    ]);
    let mut g = Life {
        cells: glider.cells,
    };
    for _ in 0..24 {
        g = g.step();
    }
    // on a 6x6 torus a glider is back after 24 generations
    assert!(g.cells == glider.cells);
    reveal(felt(g.population()) * x);
}
