use droste_gadgets::prelude::*;

const ROWS: usize = 3;

#[derive(Clone, Copy)]
struct Matrix([[Felt; ROWS]; ROWS]);

impl Matrix {
    fn identity() -> Self {
        let mut m = [[felt(0); ROWS]; ROWS];
        for (i, row) in m.iter_mut().enumerate() {
            row[i] = felt(1);
        }
        Matrix(m)
    }

    fn pow(self, mut exp: u32) -> Self {
        let mut base = self;
        let mut acc = Self::identity();
        while exp > 0 {
            if exp & 1 == 1 {
                acc = acc * base;
            }
            base = base * base;
            exp >>= 1;
        }
        acc
    }

    fn trace(&self) -> Felt {
        (0..ROWS).map(|i| self.0[i][i]).fold(felt(0), |a, b| a + b)
    }
}

impl std::ops::Mul for Matrix {
    type Output = Matrix;

    fn mul(self, rhs: Matrix) -> Matrix {
        let mut out = [[felt(0); ROWS]; ROWS];
        for i in 0..ROWS {
            for j in 0..ROWS {
                for k in 0..ROWS {
                    out[i][j] = out[i][j] + self.0[i][k] * rhs.0[k][j];
                }
            }
        }
        Matrix(out)
    }
}

pub fn main() {
    let x = public_input();
    let one = felt(1);
    let zero = felt(0);
    let tribonacci = Matrix([[x, one, one], [one, zero, zero], [zero, one, zero]]);
    let p = tribonacci.pow(6);
    reveal(p.trace());
    reveal(p.0[0][2]);
}
