use droste_gadgets::prelude::*;
use std::ops::{Add, Mul, Neg, Sub};

/// Gaussian integers over the field: a + bi.
#[derive(Clone, Copy)]
struct Complex<T> {
    re: T,
    im: T,
}

impl<T: Add<Output = T>> Add for Complex<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Complex {
            re: self.re + o.re,
            im: self.im + o.im,
        }
    }
}

impl<T> Mul for Complex<T>
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Complex {
            re: self.re * o.re - self.im * o.im,
            im: self.re * o.im + self.im * o.re,
        }
    }
}

impl Neg for Complex<i32> {
    type Output = Self;
    fn neg(self) -> Self {
        Complex {
            re: -self.re,
            im: -self.im,
        }
    }
}

fn norm<T>(z: Complex<T>) -> T
where
    T: Copy + Add<Output = T> + Mul<Output = T>,
{
    z.re * z.re + z.im * z.im
}

pub fn main() {
    let x = public_input();
    let w = x * x + felt(1);
    let z = Complex { re: x, im: w };
    let u = Complex {
        re: felt(3),
        im: felt(4),
    };
    assert_eq!(norm(z * u), norm(z) * norm(u));

    let k = -(Complex { re: 2, im: -7 } * Complex { re: 1, im: 1 });
    let n = norm(k);
    reveal(norm(u) * x);
    reveal(felt(n as usize));
}
