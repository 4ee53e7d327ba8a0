use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Empty,
    X,
    O,
}

impl Cell {
    fn other(self) -> Cell {
        match self {
            Cell::X => Cell::O,
            Cell::O => Cell::X,
            Cell::Empty => Cell::Empty,
        }
    }
}

const LINES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];

#[derive(Clone, Copy)]
struct Board([Cell; 9]);

impl Board {
    fn winner(&self) -> Option<Cell> {
        LINES.iter().find_map(|&[a, b, c]| {
            let cell = self.0[a];
            (cell != Cell::Empty && cell == self.0[b] && cell == self.0[c]).then_some(cell)
        })
    }

    fn moves(&self) -> Vec<usize> {
        (0..9).filter(|&i| self.0[i] == Cell::Empty).collect()
    }

    fn minimax(&mut self, player: Cell, nodes: &mut usize) -> i8 {
        *nodes += 1;
        if let Some(w) = self.winner() {
            return if w == player { 1 } else { -1 };
        }
        let mut best = None;
        for m in self.moves() {
            self.0[m] = player;
            let score = -self.minimax(player.other(), nodes);
            self.0[m] = Cell::Empty;
            best = best.max(Some(score));
        }
        best.unwrap_or(0)
    }
}

pub fn main() {
    let x = public_input();
    use Cell::{Empty as E, O, X};
    let mut board = Board([X, O, E, E, X, E, E, E, O]);
    let mut nodes = 0;
    let score = board.minimax(X, &mut nodes);
    assert_eq!(score, 1);
    reveal(x + felt(nodes));
    reveal(felt(board.moves().len()));
}
