use droste_gadgets::prelude::*;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ratio {
    num: i64,
    den: i64,
}

const fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Ratio {
    fn new(num: i64, den: i64) -> Self {
        assert!(den != 0, "zero denominator");
        let g = gcd(num, den) * den.signum();
        Ratio {
            num: num / g,
            den: den / g,
        }
    }

    fn floor(self) -> i64 {
        self.num.div_euclid(self.den)
    }
}

impl From<i64> for Ratio {
    fn from(n: i64) -> Self {
        Ratio { num: n, den: 1 }
    }
}

macro_rules! impl_op {
    ($tr:ident, $f:ident, |$a:ident, $b:ident| $num:expr, $den:expr) => {
        impl $tr for Ratio {
            type Output = Ratio;
            fn $f(self, rhs: Ratio) -> Ratio {
                let ($a, $b) = (self, rhs);
                Ratio::new($num, $den)
            }
        }
    };
}

impl_op!(
    Add,
    add,
    |a, b| a.num * b.den + b.num * a.den,
    a.den * b.den
);
impl_op!(
    Sub,
    sub,
    |a, b| a.num * b.den - b.num * a.den,
    a.den * b.den
);
impl_op!(Mul, mul, |a, b| a.num * b.num, a.den * b.den);
impl_op!(Div, div, |a, b| a.num * b.den, a.den * b.num);

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.num * other.den).cmp(&(other.num * self.den))
    }
}

pub fn main() {
    let x = public_input();
    let harmonic = (1..=10)
        .map(|k| Ratio::new(1, k))
        .fold(Ratio::from(0), |a, b| a + b);
    assert_eq!(
        harmonic,
        Ratio {
            num: 7381,
            den: 2520
        }
    );
    let mut all = [
        Ratio::new(1, -2),
        Ratio::new(3, 4),
        Ratio::new(-5, 6),
        harmonic / Ratio::from(4),
    ];
    all.sort();
    assert_eq!(all[0], Ratio::new(5, -6));
    assert_eq!(all[1].floor(), -1);
    let m = *all.iter().max().unwrap();
    let d = m * Ratio::new(2, 3) - all[2];
    reveal(felt(m.num as usize) + x);
    reveal(felt(d.num.unsigned_abs() as usize));
    reveal(felt(d.den as usize));
}
