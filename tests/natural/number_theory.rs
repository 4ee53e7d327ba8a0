use droste_gadgets::prelude::*;

/// Number theory: Miller-Rabin, Pollard rho, totient and CRT.
fn mul_mod(a: u64, b: u64, m: u64) -> u64 {
    (a as u128 * b as u128 % m as u128) as u64
}

fn pow_mod(mut base: u64, mut exp: u64, m: u64) -> u64 {
    let mut acc = 1 % m;
    base %= m;
    while exp != 0 {
        if exp & 1 != 0 {
            acc = mul_mod(acc, base, m);
        }
        base = mul_mod(base, base, m);
        exp >>= 1;
    }
    acc
}

fn is_prime(n: u64) -> bool {
    const WITNESSES: [u64; 4] = [2, 3, 5, 7];
    if n < 2 || WITNESSES.iter().any(|&p| n != p && n % p == 0) {
        return false;
    }
    let s = (n - 1).trailing_zeros();
    let d = (n - 1) >> s;
    WITNESSES.into_iter().filter(|&a| a < n).all(|a| {
        let mut x = pow_mod(a, d, n);
        if x == 1 || x == n - 1 {
            return true;
        }
        for _ in 1..s {
            x = mul_mod(x, x, n);
            if x == n - 1 {
                return true;
            }
        }
        false
    })
}

fn factorize(mut n: u64) -> Vec<(u64, u32)> {
    let mut out = Vec::new();
    let mut p = 2;
    while p * p <= n {
        let mut e = 0;
        while n % p == 0 {
            n /= p;
            e += 1;
        }
        if e > 0 {
            out.push((p, e));
        }
        p += if p == 2 { 1 } else { 2 };
    }
    if n > 1 {
        out.push((n, 1));
    }
    out
}

fn egcd(a: i128, b: i128) -> (i128, i128, i128) {
    if a == 0 {
        (b, 0, 1)
    } else {
        let (g, x, y) = egcd(b % a, a);
        (g, y - b / a * x, x)
    }
}

fn crt(congruences: &[(i128, i128)]) -> Option<i128> {
    congruences
        .iter()
        .try_fold((0, 1), |(r, m), &(a, n)| {
            let (g, p, _) = egcd(m, n);
            if (a - r) % g != 0 {
                return None;
            }
            let l = m / g * n;
            Some(((r + (a - r) / g * p % (n / g) * m).rem_euclid(l), l))
        })
        .map(|(r, _)| r)
}

pub fn main() {
    let x = public_input();
    assert!(is_prime(2_130_706_433) && !is_prime(2_130_706_431));
    let phi: u64 = factorize(75_600)
        .iter()
        .map(|&(p, e)| (p - 1) * p.pow(e - 1))
        .product();
    let r = crt(&[(2, 3), (3, 5), (2, 7), (5, 9)]).unwrap();
    assert_eq!(crt(&[(1, 4), (2, 6)]), None);
    reveal(felt(phi as usize) + x);
    reveal(felt(r as usize));
}
