use droste_gadgets::prelude::*;

/// Tic-tac-toe minimax with alpha-beta pruning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Player {
    X,
    O,
}

impl std::ops::Not for Player {
    type Output = Player;

    fn not(self) -> Player {
        match self {
            Player::X => Player::O,
            Player::O => Player::X,
        }
    }
}

type Board = [Option<Player>; 9];

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

fn winner(board: &Board) -> Option<Player> {
    LINES.iter().find_map(|&[a, b, c]| {
        let p = board[a]?;
        (board[b] == Some(p) && board[c] == Some(p)).then_some(p)
    })
}

fn minimax(board: &mut Board, turn: Player, mut alpha: i8, beta: i8, nodes: &mut usize) -> i8 {
    *nodes += 1;
    if let Some(w) = winner(board) {
        return if w == turn { 1 } else { -1 };
    }
    if board.iter().all(Option::is_some) {
        return 0;
    }
    let mut best = i8::MIN;
    for i in 0..9 {
        if board[i].is_some() {
            continue;
        }
        board[i] = Some(turn);
        let score = -minimax(board, !turn, -beta, -alpha, nodes);
        board[i] = None;
        best = best.max(score);
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    best
}

fn parse(text: &str) -> Board {
    let mut board = [None; 9];
    for (cell, ch) in board
        .iter_mut()
        .zip(text.chars().filter(|c| !c.is_whitespace()))
    {
        *cell = match ch {
            'x' | 'X' => Some(Player::X),
            'o' | 'O' => Some(Player::O),
            _ => None,
        };
    }
    board
}

pub fn main() {
    let x = public_input();
    let mut nodes = 0;
    let win = minimax(&mut parse("xo. .x. o.."), Player::X, -1, 1, &mut nodes);
    let draw = minimax(&mut parse("x.. .o. ..x"), Player::O, -1, 1, &mut nodes);
    assert_eq!((win, draw), (1, 0));
    assert_eq!(winner(&parse("ooo xx. x..")), Some(Player::O));
    reveal(felt(nodes) + x);
}
