use droste_gadgets::prelude::*;

#[derive(Clone, PartialEq, Eq)]
struct Life<const W: usize, const H: usize> {
    cells: [[bool; W]; H],
}

impl<const W: usize, const H: usize> Life<W, H> {
    fn parse(pattern: &str) -> Self {
        let mut cells = [[false; W]; H];
        for (y, line) in pattern.lines().enumerate() {
            for (x, ch) in line.chars().enumerate() {
                cells[y][x] = ch == 'o';
            }
        }
        Self { cells }
    }

    fn neighbours(&self, x: usize, y: usize) -> usize {
        let mut n = 0;
        for dy in [H - 1, 0, 1] {
            for dx in [W - 1, 0, 1] {
                if (dx, dy) != (0, 0) && self.cells[(y + dy) % H][(x + dx) % W] {
                    n += 1;
                }
            }
        }
        n
    }

    fn step(&self) -> Self {
        let mut next = self.clone();
        for y in 0..H {
            for x in 0..W {
                next.cells[y][x] = matches!(
                    (self.cells[y][x], self.neighbours(x, y)),
                    (true, 2) | (_, 3)
                );
            }
        }
        next
    }

    fn population(&self) -> usize {
        self.cells.iter().flatten().filter(|&&c| c).count()
    }
}

pub fn main() {
    let x = public_input();
    let start = Life::<6, 6>::parse(".o....\n..o...\nooo...");
    let mut world = start.clone();
    for _ in 0..4 {
        world = world.step();
    }
    assert_eq!(world.population(), 5);
    assert!(world != start);
    let signature = world
        .cells
        .iter()
        .flatten()
        .enumerate()
        .filter_map(|(i, &alive)| alive.then_some(i))
        .sum::<usize>();
    reveal(x * felt(signature));
}
