use droste_gadgets::prelude::*;

/// Lagrange interpolation checked without division: the prover supplies inverses as hints
/// elsewhere; here nodes are 0..n so the denominators are known integers.
const P: u64 = (1 << 31) - (1 << 24) + 1;

fn pow_mod(mut b: u64, mut e: u64) -> u64 {
    let mut r = 1;
    while e > 0 {
        if e % 2 == 1 {
            r = r * b % P;
        }
        b = b * b % P;
        e /= 2;
    }
    r
}

fn inverse(a: i64) -> Felt {
    let a = a.rem_euclid(P as i64) as u64;
    felt(pow_mod(a, P - 2) as usize)
}

fn lagrange_weights(n: usize) -> Vec<Felt> {
    (0..n)
        .map(|i| {
            let den: i64 = (0..n)
                .filter(|&j| j != i)
                .map(|j| i as i64 - j as i64)
                .product();
            inverse(den)
        })
        .collect()
}

fn interpolate(values: &[Felt], x: Felt) -> Felt {
    let n = values.len();
    let weights = lagrange_weights(n);
    let mut total = felt(0);
    for i in 0..n {
        let basis = (0..n)
            .filter(|j| *j != i)
            .map(|j| x - felt(j))
            .fold(weights[i], |a, b| a * b);
        total += values[i] * basis;
    }
    total
}

pub fn main() {
    let x = public_input();
    let slope = public_input();
    let cube = |t: Felt| t * t * t + slope * t + felt(9);
    let samples: Vec<Felt> = (0..4).map(|i| cube(felt(i))).collect();

    assert_eq!(interpolate(&samples, x), cube(x));
    assert_eq!(interpolate(&samples, felt(2)), samples[2]);
    let ones = vec![felt(1); 5];
    assert_eq!(interpolate(&ones, x * slope), felt(1));
    reveal(interpolate(&samples, x));
}
