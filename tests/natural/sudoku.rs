use droste_gadgets::prelude::*;

type Puzzle = [[u8; 4]; 4];

struct Solver {
    grid: Puzzle,
    guesses: usize,
}

impl Solver {
    fn candidates(&self, row: usize, col: usize) -> impl Iterator<Item = u8> + use<> {
        let mut used = [false; 5];
        for i in 0..4 {
            used[self.grid[row][i] as usize] = true;
            used[self.grid[i][col] as usize] = true;
            used[self.grid[row / 2 * 2 + i / 2][col / 2 * 2 + i % 2] as usize] = true;
        }
        (1..=4u8).filter(move |&d| !used[d as usize])
    }

    fn hardest_cell(&self) -> Option<(usize, usize)> {
        (0..4)
            .flat_map(|r| (0..4).map(move |c| (r, c)))
            .filter(|&(r, c)| self.grid[r][c] == 0)
            .min_by_key(|&(r, c)| self.candidates(r, c).count())
    }

    fn solve(&mut self) -> bool {
        let Some((r, c)) = self.hardest_cell() else {
            return true;
        };
        for d in self.candidates(r, c) {
            self.guesses += 1;
            self.grid[r][c] = d;
            if self.solve() {
                return true;
            }
        }
        self.grid[r][c] = 0;
        false
    }
}

fn valid(grid: &Puzzle) -> bool {
    let full = |cells: &[u8]| cells.iter().fold(0u8, |m, &d| m | 1 << d) == 0b11110;
    grid.iter().all(|row| full(row))
        && (0..4).all(|c| full(&[grid[0][c], grid[1][c], grid[2][c], grid[3][c]]))
}

pub fn main() {
    let x = public_input();
    let grid = [[1, 0, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]];
    let mut solver = Solver { grid, guesses: 0 };
    let solved = solver.solve();
    assert!(solved && valid(&solver.grid));
    let first_row = solver.grid[0]
        .iter()
        .fold(0usize, |acc, &d| acc * 10 + d as usize);
    reveal(x + felt(first_row));
    reveal(felt(solver.guesses));
}
