use droste_gadgets::prelude::*;
use std::ops::{Add, Mul, Sub};

/// Complex numbers and quaternions over anything that behaves like a ring,
/// instantiated both with integers and field elements.
trait Scalar: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl<T> Scalar for T where T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T> {}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex<T> {
    re: T,
    im: T,
}

impl<T: Scalar> Complex<T> {
    fn norm(self) -> T {
        self.re * self.re + self.im * self.im
    }

    fn map<U>(self, f: impl Fn(T) -> U) -> Complex<U> {
        Complex {
            re: f(self.re),
            im: f(self.im),
        }
    }
}

impl<T: Scalar> Add for Complex<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Complex {
            re: self.re + o.re,
            im: self.im + o.im,
        }
    }
}

impl<T: Scalar> Sub for Complex<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Complex {
            re: self.re - o.re,
            im: self.im - o.im,
        }
    }
}

impl<T: Scalar> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Complex {
            re: self.re * o.re - self.im * o.im,
            im: self.re * o.im + self.im * o.re,
        }
    }
}

fn power<T: Scalar>(base: T, exp: u32) -> T {
    match exp {
        0 => panic!("exponent must be positive"),
        1 => base,
        e if e % 2 == 0 => power(base * base, e / 2),
        e => base * power(base, e - 1),
    }
}

pub fn main() {
    let x = public_input();
    let z = Complex { re: 2i64, im: 1 };
    let z7 = power(z, 7);
    assert_eq!(z7.norm(), 5i64.pow(7));

    let lift = |v: i64| {
        if v < 0 {
            felt(0) - felt(-v as usize)
        } else {
            felt(v as usize)
        }
    };
    let w = Complex { re: x, im: felt(3) };
    let product = power(w, 3) * z7.map(lift);
    assert_eq!(product.norm(), power(w.norm(), 3) * felt(5usize.pow(7)));
    // a field inside the field: complex of complex is a ring as well
    let nested = Complex {
        re: w,
        im: product - w,
    };
    reveal(nested.norm().re);
    reveal(product.re);
}
