use droste_gadgets::prelude::*;

/// Toy elliptic-curve arithmetic y^2 = x^3 + ax + b over a small prime, with
/// double-and-add and a Diffie-Hellman exchange.
trait Curve {
    const P: i64;
    const A: i64;
    const B: i64;
    const GENERATOR: (i64, i64);
}

struct Secp17;

impl Curve for Secp17 {
    const P: i64 = 17;
    const A: i64 = 2;
    const B: i64 = 2;
    const GENERATOR: (i64, i64) = (5, 1);
}

struct Point<C: Curve> {
    xy: Option<(i64, i64)>,
    _curve: std::marker::PhantomData<C>,
}

impl<C: Curve> Clone for Point<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Curve> Copy for Point<C> {}

impl<C: Curve> PartialEq for Point<C> {
    fn eq(&self, other: &Self) -> bool {
        self.xy == other.xy
    }
}

impl<C: Curve> Point<C> {
    const INFINITY: Self = Point {
        xy: None,
        _curve: std::marker::PhantomData,
    };

    fn affine(x: i64, y: i64) -> Self {
        let (x, y) = (x.rem_euclid(C::P), y.rem_euclid(C::P));
        assert!((y * y - x * x * x - C::A * x - C::B) % C::P == 0);
        Point {
            xy: Some((x, y)),
            ..Self::INFINITY
        }
    }

    fn invert(v: i64) -> i64 {
        (1..C::P)
            .find(|i| (i * v).rem_euclid(C::P) == 1)
            .expect("invertible")
    }

    fn add(self, rhs: Self) -> Self {
        let (Some((x1, y1)), Some((x2, y2))) = (self.xy, rhs.xy) else {
            return if self.xy.is_none() { rhs } else { self };
        };
        if x1 == x2 && (y1 + y2) % C::P == 0 {
            return Self::INFINITY;
        }
        let slope = if x1 == x2 {
            (3 * x1 * x1 + C::A) * Self::invert(2 * y1)
        } else {
            (y2 - y1) * Self::invert(x2 - x1)
        } % C::P;
        let x3 = slope * slope - x1 - x2;
        Self::affine(x3, slope * (x1 - x3) - y1)
    }

    fn mul(self, k: u32) -> Self {
        (0..32).rev().fold(Self::INFINITY, |acc, i| {
            let doubled = acc.add(acc);
            if k >> i & 1 == 1 {
                doubled.add(self)
            } else {
                doubled
            }
        })
    }
}

pub fn main() {
    let x = public_input();
    let g = Point::<Secp17>::affine(Secp17::GENERATOR.0, Secp17::GENERATOR.1);
    let order = (1..).find(|&k| g.mul(k) == Point::INFINITY).unwrap();
    let shared = g.mul(7).mul(11);
    assert!(shared == g.mul(11).mul(7) && shared == g.mul(77 % order));
    let (sx, sy) = shared.xy.unwrap();
    reveal(felt(order as usize) + x);
    reveal(felt((sx * 100 + sy) as usize));
}
