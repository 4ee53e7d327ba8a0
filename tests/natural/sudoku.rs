use droste_gadgets::prelude::*;

type Grid = [[u8; 9]; 9];

fn group_ok(cells: impl Iterator<Item = u8>) -> bool {
    let mut seen = 0u16;
    for c in cells {
        if c == 0 {
            continue;
        }
        let bit = 1 << c;
        if seen & bit != 0 {
            return false;
        }
        seen |= bit;
    }
    true
}

fn is_valid(g: &Grid) -> bool {
    let rows = (0..9).all(|r| group_ok(g[r].iter().copied()));
    let cols = (0..9).all(|c| group_ok(g.iter().map(|row| row[c])));
    let boxes = (0..9).all(|b| {
        let (r0, c0) = (b / 3 * 3, b % 3 * 3);
        group_ok((0..9).map(|i| g[r0 + i / 3][c0 + i % 3]))
    });
    rows && cols && boxes
}

fn candidates(g: &Grid, r: usize, c: usize) -> Vec<u8> {
    (1..=9)
        .filter(|&d| {
            (0..9).all(|i| {
                g[r][i] != d && g[i][c] != d && g[r / 3 * 3 + i / 3][c / 3 * 3 + i % 3] != d
            })
        })
        .collect()
}

fn fill_singles(g: &mut Grid) -> usize {
    let mut filled = 0;
    loop {
        let single = (0..81)
            .map(|i| (i / 9, i % 9))
            .filter(|&(r, c)| g[r][c] == 0)
            .find_map(|(r, c)| match candidates(g, r, c).as_slice() {
                [d] => Some((r, c, *d)),
                _ => None,
            });
        match single {
            Some((r, c, d)) => g[r][c] = d,
            None => return filled,
        }
        filled += 1;
    }
}

pub fn main() {
    let x = public_input();
    let mut g: Grid = [[0; 9]; 9];
    for (r, row) in g.iter_mut().enumerate() {
        for (c, cell) in row.iter_mut().enumerate() {
            *cell = ((r % 3 * 3 + r / 3 + c) % 9 + 1) as u8;
        }
    }
    assert!(is_valid(&g));
    let solved = g;
    for i in 0..9 {
        g[i][(i * 4 + 1) % 9] = 0;
        g[i][8 - i] = 0;
    }
    let filled = fill_singles(&mut g);
    assert!(g == solved);
    g[0][0] = g[0][1];
    assert!(!is_valid(&g));
    reveal(felt(filled) + x);
}
