use droste_gadgets::prelude::*;
use std::ops::{Add, Mul, Neg, Sub};

/// Integers modulo a compile-time constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Mod<const P: u64>(u64);

impl<const P: u64> Mod<P> {
    const ONE: Self = Mod(1 % P);

    fn new(v: i64) -> Self {
        Mod(v.rem_euclid(P as i64) as u64)
    }

    fn pow(self, mut e: u64) -> Self {
        let mut base = self;
        let mut acc = Self::ONE;
        while e > 0 {
            if e & 1 == 1 {
                acc = acc * base;
            }
            base = base * base;
            e >>= 1;
        }
        acc
    }

    fn inv(self) -> Option<Self> {
        if self.0 == 0 {
            None
        } else {
            Some(self.pow(P - 2))
        }
    }
}

impl<const P: u64> Add for Mod<P> {
    type Output = Self;
    fn add(self, rhs: Self) -> Self {
        Mod((self.0 + rhs.0) % P)
    }
}

impl<const P: u64> Neg for Mod<P> {
    type Output = Self;
    fn neg(self) -> Self {
        Mod((P - self.0) % P)
    }
}

impl<const P: u64> Sub for Mod<P> {
    type Output = Self;
    fn sub(self, rhs: Self) -> Self {
        self + -rhs
    }
}

impl<const P: u64> Mul for Mod<P> {
    type Output = Self;
    fn mul(self, rhs: Self) -> Self {
        Mod((self.0 as u128 * rhs.0 as u128 % P as u128) as u64)
    }
}

type M = Mod<1_000_000_007>;

pub fn main() {
    let x = public_input();
    let a = M::new(-5);
    let b = M::new(123_456_789);
    let q = b * a.inv().unwrap();
    assert_eq!(q * a, b);
    assert!(M::default().inv().is_none());
    assert_eq!(Mod::<17>::new(3).pow(16), Mod::<17>::ONE);
    reveal(felt(q.0 as usize) + x);
    reveal(felt((b - a).pow(1000).0 as usize));
}
