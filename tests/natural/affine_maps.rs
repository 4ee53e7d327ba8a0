use droste_gadgets::prelude::*;

/// Matrix-vector product over public and secret field elements, with an affine constraint check.
const N: usize = 3;

#[derive(Clone, Copy)]
struct AffineMap {
    matrix: [[i32; N]; N],
    offset: [i32; N],
}

fn signed(v: i32) -> Felt {
    if v < 0 {
        felt(0) - felt(v.unsigned_abs() as usize)
    } else {
        felt(v as usize)
    }
}

impl AffineMap {
    fn apply(&self, v: &[Felt; N]) -> [Felt; N] {
        let mut out = [felt(0); N];
        for ((o, row), b) in out.iter_mut().zip(&self.matrix).zip(&self.offset) {
            *o = row
                .iter()
                .zip(v)
                .map(|(&m, &x)| signed(m) * x)
                .fold(signed(*b), |a, t| a + t);
        }
        out
    }

    fn compose(&self, inner: &AffineMap) -> AffineMap {
        let mut matrix = [[0; N]; N];
        let mut offset = self.offset;
        for i in 0..N {
            for j in 0..N {
                matrix[i][j] = (0..N).map(|k| self.matrix[i][k] * inner.matrix[k][j]).sum();
                offset[i] += self.matrix[i][j] * inner.offset[j];
            }
        }
        AffineMap { matrix, offset }
    }
}

pub fn main() {
    let (a, b) = (public_input(), public_input());
    let f = AffineMap {
        matrix: [[1, -2, 0], [3, 1, 1], [0, 4, -1]],
        offset: [0, -7, 2],
    };
    let g = AffineMap {
        matrix: [[0, 1, 0], [-1, 0, 0], [2, 2, 1]],
        offset: [5, 0, -1],
    };
    let v = [a, b, a * b];
    let sequential = f.apply(&g.apply(&v));
    let fused = f.compose(&g).apply(&v);
    for (l, r) in sequential.iter().zip(fused.iter()) {
        assert_eq!(*l, *r);
    }
    for value in fused {
        reveal(value);
    }
}
