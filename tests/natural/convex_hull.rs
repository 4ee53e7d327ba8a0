use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct P(i32, i32);

impl std::ops::Sub for P {
    type Output = P;
    fn sub(self, P(x, y): P) -> P {
        P(self.0 - x, self.1 - y)
    }
}

fn cross(o: P, a: P, b: P) -> i32 {
    let (u, v) = (a - o, b - o);
    u.0 * v.1 - u.1 * v.0
}

fn half_hull(points: impl Iterator<Item = P>) -> Vec<P> {
    let mut hull: Vec<P> = Vec::new();
    for p in points {
        while let [.., a, b] = hull[..] {
            if cross(a, b, p) > 0 {
                break;
            }
            hull.pop();
        }
        hull.push(p);
    }
    hull.pop();
    hull
}

fn convex_hull(points: &[P]) -> Vec<P> {
    let mut sorted = points.to_vec();
    sorted.sort();
    sorted.dedup();
    let mut hull = half_hull(sorted.iter().copied());
    hull.append(&mut half_hull(sorted.iter().rev().copied()));
    hull
}

fn closest_pair(points: &[P]) -> Option<(P, P, i32)> {
    let mut best: Option<(P, P, i32)> = None;
    for (i, &a) in points.iter().enumerate() {
        for &b in &points[i + 1..] {
            let P(dx, dy) = a - b;
            let d = dx.pow(2) + dy.pow(2);
            if best.is_none_or(|(_, _, prev)| d < prev) {
                best = Some((a, b, d));
            }
        }
    }
    best
}

pub fn main() {
    let x = public_input();
    let cloud = [
        P(0, 0),
        P(4, 0),
        P(4, 4),
        P(0, 4),
        P(2, 2),
        P(1, 3),
        P(2, -1),
        P(4, 2),
        P(0, 0),
    ];
    let hull = convex_hull(&cloud);
    assert_eq!(hull[0], P(0, 0));
    assert!(!hull.contains(&P(2, 2)));
    let area2: i32 = (1..hull.len() - 1)
        .map(|i| cross(hull[0], hull[i], hull[i + 1]))
        .sum();
    let (_, _, d) = closest_pair(&cloud[..8]).unwrap();
    reveal(x + felt(area2 as usize));
    reveal(felt(hull.len()));
    reveal(felt(d as usize));
}
