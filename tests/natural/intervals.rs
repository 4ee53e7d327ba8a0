use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Interval {
    start: i32,
    end: i32,
}

impl Interval {
    const fn new(start: i32, end: i32) -> Self {
        Interval { start, end }
    }

    const fn len(&self) -> i32 {
        self.end - self.start
    }

    fn intersect(&self, other: &Self) -> Option<Self> {
        let start = self.start.max(other.start);
        let end = self.end.min(other.end);
        (start < end).then(|| Interval { start, end })
    }
}

fn merge(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort();
    let mut out: Vec<Interval> = Vec::new();
    for iv in intervals {
        match out.last_mut() {
            Some(last) if iv.start <= last.end => last.end = last.end.max(iv.end),
            _ => out.push(iv),
        }
    }
    out
}

fn gaps(merged: &[Interval]) -> impl Iterator<Item = Interval> + '_ {
    merged
        .windows(2)
        .map(|w| Interval::new(w[0].end, w[1].start))
}

const BUSY: [Interval; 7] = [
    Interval::new(9, 12),
    Interval::new(-4, 1),
    Interval::new(11, 15),
    Interval::new(20, 22),
    Interval::new(0, 3),
    Interval::new(22, 25),
    Interval::new(40, 41),
];

pub fn main() {
    let x = public_input();
    let merged = merge(BUSY.to_vec());
    assert_eq!(merged.len(), 4);
    assert_eq!(merged[0], Interval { start: -4, end: 3 });

    let covered: i32 = merged.iter().map(Interval::len).sum();
    let longest_gap = gaps(&merged).max_by_key(|g| g.len()).unwrap();
    let window = Interval::new(10, 24);
    let inside: i32 = merged
        .iter()
        .filter_map(|iv| iv.intersect(&window))
        .map(|iv| iv.len())
        .sum();

    reveal(felt(covered as usize) * x);
    reveal(felt(longest_gap.start as usize));
    reveal(felt(inside as usize));
}
