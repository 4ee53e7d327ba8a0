use droste_gadgets::prelude::*;

/// Generic Num trait with a determinant (fraction-free Bareiss on integers,
/// cofactor expansion on field elements).
type Mat<T, const N: usize> = [[T; N]; N];

fn bareiss<const N: usize>(mut m: Mat<i128, N>) -> i128 {
    let mut sign = 1;
    let mut prev = 1;
    for k in 0..N.saturating_sub(1) {
        if m[k][k] == 0 {
            let Some(swap) = (k + 1..N).find(|&r| m[r][k] != 0) else {
                return 0;
            };
            m.swap(k, swap);
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

fn cofactor(m: &[Vec<Felt>]) -> Felt {
    if let [row] = m {
        return row[0];
    }
    let mut det = felt(0);
    for (col, &pivot) in m[0].iter().enumerate() {
        let minor: Vec<Vec<Felt>> = m[1..]
            .iter()
            .map(|row| {
                row.iter()
                    .enumerate()
                    .filter(|&(c, _)| c != col)
                    .map(|(_, &v)| v)
                    .collect()
            })
            .collect();
        let term = pivot * cofactor(&minor);
        if col % 2 == 0 {
            det += term;
        } else {
            det -= term;
        }
    }
    det
}

fn vandermonde(nodes: &[Felt]) -> Vec<Vec<Felt>> {
    nodes
        .iter()
        .map(|&x| {
            std::iter::successors(Some(felt(1)), |&p| Some(p * x))
                .take(nodes.len())
                .collect()
        })
        .collect()
}

pub fn main() {
    let x = public_input();
    assert_eq!(bareiss([[0, 2], [3, 4]]), -6);
    let d = bareiss([[2, -1, 0, 3], [1, 4, -2, 0], [5, 0, 7, 1], [-3, 2, 2, 6]]);

    let nodes = [x, x * x, felt(2), x + felt(10)];
    let det = cofactor(&vandermonde(&nodes));
    let mut expected = felt(1);
    for (i, &a) in nodes.iter().enumerate() {
        for &b in &nodes[i + 1..] {
            expected *= b - a;
        }
    }
    assert_eq!(det, expected);
    reveal(det);
    reveal(felt(d.unsigned_abs() as usize));
}
