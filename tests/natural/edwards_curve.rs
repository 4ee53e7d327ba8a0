use droste_gadgets::prelude::*;

#[derive(Clone, Copy)]
struct Point {
    x: Felt,
    y: Felt,
    z: Felt,
}

/// Projective arithmetic on x^2 + y^2 = 1 + d x^2 y^2 (complete Edwards addition).
struct Curve {
    d: Felt,
}

impl Curve {
    fn identity(&self) -> Point {
        Point {
            x: felt(0),
            y: felt(1),
            z: felt(1),
        }
    }

    fn add(&self, p: Point, q: Point) -> Point {
        let a = p.z * q.z;
        let b = a * a;
        let c = p.x * q.x;
        let d = p.y * q.y;
        let e = self.d * c * d;
        let f = b - e;
        let g = b + e;
        Point {
            x: a * f * ((p.x + p.y) * (q.x + q.y) - c - d),
            y: a * g * (d - c),
            z: f * g,
        }
    }

    fn scalar_mul(&self, p: Point, k: u32) -> Point {
        let bits = (0..u32::BITS - k.leading_zeros())
            .rev()
            .map(|i| k >> i & 1 != 0);
        let mut acc = self.identity();
        for bit in bits {
            acc = self.add(acc, acc);
            if bit {
                acc = self.add(acc, p);
            }
        }
        acc
    }
}

fn same(p: Point, q: Point) {
    assert_eq!(p.x * q.z, q.x * p.z);
    assert_eq!(p.y * q.z, q.y * p.z);
}

pub fn main() {
    let x = public_input();
    // (1, 0) lies on every such curve and has order four.
    let curve = Curve { d: x };
    let p = Point {
        x: felt(1),
        y: felt(0),
        z: felt(1),
    };
    same(curve.scalar_mul(p, 4), curve.identity());
    same(curve.scalar_mul(p, 13), p);
    let two = curve.add(p, p);
    same(
        two,
        Point {
            x: felt(0),
            y: felt(0) - felt(1),
            z: felt(1),
        },
    );
    let five = curve.scalar_mul(p, 5);
    reveal(five.z);
    reveal(two.y * curve.d);
}
