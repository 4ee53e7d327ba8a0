use droste_gadgets::prelude::*;

/// Segment tree over an arbitrary monoid.
trait Monoid: Copy {
    const IDENTITY: Self;
    fn combine(&self, other: &Self) -> Self;
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct MaxSubarray {
    sum: i64,
    prefix: i64,
    suffix: i64,
    best: i64,
}

impl Monoid for MaxSubarray {
    const IDENTITY: Self = MaxSubarray {
        sum: 0,
        prefix: 0,
        suffix: 0,
        best: 0,
    };

    fn combine(&self, o: &Self) -> Self {
        MaxSubarray {
            sum: self.sum + o.sum,
            prefix: self.prefix.max(self.sum + o.prefix),
            suffix: o.suffix.max(o.sum + self.suffix),
            best: self.best.max(o.best).max(self.suffix + o.prefix),
        }
    }
}

impl From<i64> for MaxSubarray {
    fn from(v: i64) -> Self {
        let p = v.max(0);
        MaxSubarray {
            sum: v,
            prefix: p,
            suffix: p,
            best: p,
        }
    }
}

struct SegmentTree<M> {
    size: usize,
    nodes: Vec<M>,
}

impl<M: Monoid> SegmentTree<M> {
    fn build<T: Copy + Into<M>>(items: &[T]) -> Self {
        let size = items.len().next_power_of_two();
        let mut nodes = vec![M::IDENTITY; 2 * size];
        for (slot, &item) in nodes[size..].iter_mut().zip(items) {
            *slot = item.into();
        }
        for i in (1..size).rev() {
            nodes[i] = nodes[2 * i].combine(&nodes[2 * i + 1]);
        }
        SegmentTree { size, nodes }
    }

    fn update(&mut self, index: usize, value: M) {
        let mut i = index + self.size;
        self.nodes[i] = value;
        while i > 1 {
            i >>= 1;
            self.nodes[i] = self.nodes[2 * i].combine(&self.nodes[2 * i + 1]);
        }
    }

    fn query(&self, range: std::ops::Range<usize>) -> M {
        let (mut l, mut r) = (range.start + self.size, range.end + self.size);
        let (mut left, mut right) = (M::IDENTITY, M::IDENTITY);
        while l < r {
            if l & 1 == 1 {
                left = left.combine(&self.nodes[l]);
                l += 1;
            }
            if r & 1 == 1 {
                r -= 1;
                right = self.nodes[r].combine(&right);
            }
            l /= 2;
            r /= 2;
        }
        left.combine(&right)
    }
}

pub fn main() {
    let x = public_input();
    let mut tree = SegmentTree::<MaxSubarray>::build(&[-2i64, 1, -3, 4, -1, 2, 1, -5, 4]);
    assert_eq!(tree.query(0..9).best, 6);
    tree.update(7, 3.into());
    assert_eq!(tree.query(2..2), MaxSubarray::IDENTITY);
    reveal(felt(tree.query(0..9).best as usize) + x);
    reveal(felt(tree.query(1..5).sum as usize));
}
