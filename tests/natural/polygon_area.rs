use droste_gadgets::prelude::*;

trait Shape {
    const SIDES: usize;

    fn doubled_area(&self) -> i64;

    fn describe(&self) -> (usize, i64) {
        (Self::SIDES, self.doubled_area())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Point {
    x: i64,
    y: i64,
}

impl Point {
    const fn new(x: i64, y: i64) -> Self {
        Point { x, y }
    }

    fn cross(self, other: Point) -> i64 {
        self.x * other.y - self.y * other.x
    }
}

struct Polygon<const N: usize> {
    vertices: [Point; N],
}

impl<const N: usize> Shape for Polygon<N> {
    const SIDES: usize = N;

    fn doubled_area(&self) -> i64 {
        (0..N)
            .map(|i| self.vertices[i].cross(self.vertices[(i + 1) % N]))
            .sum::<i64>()
            .abs()
    }
}

fn total_area<A: Shape, B: Shape>(a: &A, b: &B) -> i64 {
    a.doubled_area() + b.doubled_area()
}

pub fn main() {
    let x = public_input();
    let triangle = Polygon {
        vertices: [Point::new(0, 0), Point::new(6, 0), Point::new(0, 8)],
    };
    let quad = Polygon {
        vertices: [
            Point::new(1, 1),
            Point::new(1, 5),
            Point::new(4, 7),
            Point::new(5, 0),
        ],
    };
    let (sides, area) = quad.describe();
    reveal(x + felt(total_area(&triangle, &quad) as usize));
    reveal(felt(sides));
    reveal(felt(area as usize));
}
