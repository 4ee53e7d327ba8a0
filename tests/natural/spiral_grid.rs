use droste_gadgets::prelude::*;
use std::ops::{Index, IndexMut};

#[derive(Clone, Debug, PartialEq)]
struct Grid<T> {
    width: usize,
    data: Vec<T>,
}

impl<T: Clone + Default> Grid<T> {
    fn new(width: usize, height: usize) -> Self {
        Grid {
            width,
            data: vec![T::default(); width * height],
        }
    }

    fn height(&self) -> usize {
        self.data.len() / self.width
    }

    fn transpose(&self) -> Self {
        let mut out = Grid::new(self.height(), self.width);
        for y in 0..self.height() {
            for x in 0..self.width {
                out[(y, x)] = self[(x, y)].clone();
            }
        }
        out
    }

    fn rows(&self) -> impl Iterator<Item = &[T]> {
        self.data.chunks(self.width)
    }
}

impl<T> Index<(usize, usize)> for Grid<T> {
    type Output = T;
    fn index(&self, (x, y): (usize, usize)) -> &T {
        &self.data[y * self.width + x]
    }
}

impl<T> IndexMut<(usize, usize)> for Grid<T> {
    fn index_mut(&mut self, (x, y): (usize, usize)) -> &mut T {
        &mut self.data[y * self.width + x]
    }
}

fn spiral(width: usize, height: usize) -> Grid<u32> {
    let mut grid = Grid::new(width, height);
    let (mut x, mut y, mut dx, mut dy) = (0i32, 0i32, 1i32, 0i32);
    for n in 1..=(width * height) as u32 {
        grid[(x as usize, y as usize)] = n;
        let (nx, ny) = (x + dx, y + dy);
        let inside = (0..width as i32).contains(&nx) && (0..height as i32).contains(&ny);
        if !inside || grid[(nx as usize, ny as usize)] != 0 {
            (dx, dy) = (-dy, dx);
        }
        x += dx;
        y += dy;
    }
    grid
}

pub fn main() {
    let x = public_input();
    let grid = spiral(5, 4);
    let t = grid.transpose();
    assert_eq!(t.transpose(), grid);
    let best_row = grid.rows().map(|r| r.iter().sum::<u32>()).max().unwrap();
    let best_col = t.rows().map(|r| r.iter().sum::<u32>()).max().unwrap();
    reveal(x + felt(grid[(2, 2)] as usize));
    reveal(felt((best_row * best_col) as usize));
}
