use droste_gadgets::prelude::*;
use std::ops::{Index, IndexMut, Mul};

/// Square matrices over any ring-like element.
trait Ring: Copy {
    const ZERO: Self;
    const ONE: Self;
    fn add(self, rhs: Self) -> Self;
    fn mul(self, rhs: Self) -> Self;
}

impl Ring for u64 {
    const ZERO: Self = 0;
    const ONE: Self = 1;
    fn add(self, rhs: Self) -> Self {
        (self + rhs) % 998_244_353
    }
    fn mul(self, rhs: Self) -> Self {
        self * rhs % 998_244_353
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Matrix<T, const N: usize>([[T; N]; N]);

impl<T, const N: usize> Index<(usize, usize)> for Matrix<T, N> {
    type Output = T;
    fn index(&self, (r, c): (usize, usize)) -> &T {
        &self.0[r][c]
    }
}

impl<T, const N: usize> IndexMut<(usize, usize)> for Matrix<T, N> {
    fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut T {
        &mut self.0[r][c]
    }
}

impl<T: Ring, const N: usize> Mul for Matrix<T, N> {
    type Output = Self;
    fn mul(self, rhs: Self) -> Self {
        Matrix(std::array::from_fn(|r| {
            std::array::from_fn(|c| {
                (0..N).fold(T::ZERO, |acc, k| acc.add(self[(r, k)].mul(rhs[(k, c)])))
            })
        }))
    }
}

impl<T: Ring, const N: usize> Matrix<T, N> {
    fn identity() -> Self {
        let mut m = Matrix([[T::ZERO; N]; N]);
        for i in 0..N {
            m[(i, i)] = T::ONE;
        }
        m
    }

    fn pow(self, e: u32) -> Self {
        match e {
            0 => Self::identity(),
            e if e % 2 == 0 => (self * self).pow(e / 2),
            e => self * self.pow(e - 1),
        }
    }
}

pub fn main() {
    let x = public_input();
    let fib = Matrix([[1u64, 1], [1, 0]]);
    assert_eq!(fib.pow(10)[(0, 1)], 55);
    let trib = Matrix([[1u64, 1, 1], [1, 0, 0], [0, 1, 0]]);
    assert_eq!(trib.pow(0), Matrix::identity());
    reveal(felt(fib.pow(1_000_000)[(0, 1)] as usize) + x);
    reveal(felt(trib.pow(12)[(0, 0)] as usize));
}
