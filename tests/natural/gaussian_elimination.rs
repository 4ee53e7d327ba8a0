use droste_gadgets::prelude::*;

/// Gaussian elimination over GF(2) plus a fraction-free integer determinant.
fn rank_gf2(rows: &[u16]) -> usize {
    let mut rows = rows.to_vec();
    let mut rank = 0;
    for bit in (0..u16::BITS).rev() {
        let Some(pivot) = rows[rank..].iter().position(|r| r >> bit & 1 == 1) else {
            continue;
        };
        rows.swap(rank, rank + pivot);
        let (head, tail) = rows.split_at_mut(rank + 1);
        let pivot_row = head[rank];
        for row in tail.iter_mut().filter(|r| **r >> bit & 1 == 1) {
            *row ^= pivot_row;
        }
        rank += 1;
        if rank == rows.len() {
            break;
        }
    }
    rank
}

fn determinant<const N: usize>(mut m: [[i64; N]; N]) -> i64 {
    let mut sign = 1;
    let mut prev = 1;
    for k in 0..N - 1 {
        if m[k][k] == 0 {
            match (k + 1..N).find(|&r| m[r][k] != 0) {
                Some(r) => m.swap(k, r),
                None => return 0,
            }
            sign = -sign;
        }
        for i in k + 1..N {
            for j in k + 1..N {
                m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) / prev;
            }
        }
        prev = m[k][k];
    }
    sign * m[N - 1][N - 1]
}

fn vandermonde(points: [Felt; 4]) -> Felt {
    let mut product = felt(1);
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            product = product * (points[j] - points[i]);
        }
    }
    product
}

pub fn main() {
    let x = public_input();
    let rank = rank_gf2(&[0b1011, 0b0110, 0b1101, 0b1000, 0b0001]);
    let det = determinant([[0, 2, 1, 3], [4, 1, -2, 0], [3, 3, 1, 1], [1, 0, 5, 2]]);
    assert_eq!(determinant([[1, 2], [2, 4]]), 0);
    let shift = if det < 0 {
        felt(0) - felt(det.unsigned_abs() as usize)
    } else {
        felt(det as usize)
    };
    reveal(vandermonde([x, felt(2), felt(3), x + felt(9)]));
    reveal(x + shift);
    reveal(felt(rank));
}
