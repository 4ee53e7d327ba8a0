use droste_gadgets::prelude::*;
use std::collections::VecDeque;

const MAZE: [&str; 7] = [
    "#########",
    "#S..#...#",
    "#.#.#.#.#",
    "#.#...#.#",
    "#.#####.#",
    "#......E#",
    "#########",
];

fn find(grid: &[&[u8]], target: u8) -> Option<(usize, usize)> {
    grid.iter()
        .enumerate()
        .find_map(|(r, row)| row.iter().position(|&b| b == target).map(|c| (r, c)))
}

fn shortest_path(grid: &[&[u8]]) -> Option<usize> {
    let start = find(grid, b'S')?;
    let goal = find(grid, b'E')?;
    let mut seen = vec![vec![false; grid[0].len()]; grid.len()];
    let mut queue = VecDeque::from([(start, 0)]);
    seen[start.0][start.1] = true;

    while let Some(((r, c), dist)) = queue.pop_front() {
        if (r, c) == goal {
            return Some(dist);
        }
        for (dr, dc) in [(0i32, 1i32), (1, 0), (0, -1), (-1, 0)] {
            let nr = (r as i32 + dr) as usize;
            let nc = (c as i32 + dc) as usize;
            if grid[nr][nc] != b'#' && !seen[nr][nc] {
                seen[nr][nc] = true;
                queue.push_back(((nr, nc), dist + 1));
            }
        }
    }
    None
}

pub fn main() {
    let x = public_input();
    let grid: Vec<&[u8]> = MAZE.iter().map(|row| row.as_bytes()).collect();
    let steps = shortest_path(&grid).unwrap_or(999);
    let open = grid
        .iter()
        .flat_map(|r| r.iter())
        .filter(|&&b| b != b'#')
        .count();
    reveal(x * felt(steps));
    reveal(felt(open));
}
