use droste_gadgets::prelude::*;

/// Generic d-ary heap with a pluggable comparator, used for scheduling.
struct Heap<T, F, const D: usize = 2>
where
    F: Fn(&T, &T) -> bool,
{
    items: Vec<T>,
    before: F,
}

impl<T, F: Fn(&T, &T) -> bool, const D: usize> Heap<T, F, D> {
    fn new(before: F) -> Self {
        Heap {
            items: vec![],
            before,
        }
    }

    fn push(&mut self, item: T) {
        self.items.push(item);
        let mut child = self.items.len() - 1;
        while child > 0 {
            let parent = (child - 1) / D;
            if !(self.before)(&self.items[child], &self.items[parent]) {
                break;
            }
            self.items.swap(child, parent);
            child = parent;
        }
    }

    fn pop(&mut self) -> Option<T> {
        let last = self.items.len().checked_sub(1)?;
        self.items.swap(0, last);
        let out = self.items.pop();
        let mut parent = 0;
        'sift: loop {
            let children = parent * D + 1..(parent * D + 1 + D).min(self.items.len());
            let best = children.reduce(|a, b| {
                if (self.before)(&self.items[b], &self.items[a]) {
                    b
                } else {
                    a
                }
            });
            match best {
                Some(c) if (self.before)(&self.items[c], &self.items[parent]) => {
                    self.items.swap(c, parent);
                    parent = c;
                }
                _ => break 'sift,
            }
        }
        out
    }

    fn drain_sorted(mut self) -> Vec<T> {
        std::iter::from_fn(|| self.pop()).collect()
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Task {
    name: &'static str,
    deadline: u32,
    cost: u32,
}

pub fn main() {
    let x = public_input();
    let tasks = [
        ("build", 30, 12),
        ("test", 20, 5),
        ("lint", 20, 2),
        ("ship", 50, 1),
        ("docs", 18, 7),
    ];
    let mut heap: Heap<Task, _, 3> =
        Heap::new(|a: &Task, b: &Task| (a.deadline, a.cost) < (b.deadline, b.cost));
    for (name, deadline, cost) in tasks {
        heap.push(Task {
            name,
            deadline,
            cost,
        });
    }
    let order = heap.drain_sorted();
    assert_eq!(order[0].name, "docs");
    assert_eq!(order[1].name, "lint");

    let mut clock = 0;
    let late = order
        .iter()
        .filter(|t| {
            clock += t.cost;
            clock > t.deadline
        })
        .count();
    let mut numbers = Heap::<_, _>::new(|a: &i32, b: &i32| a > b);
    [3, -1, 8, 8, 5].into_iter().for_each(|n| numbers.push(n));
    assert_eq!(numbers.drain_sorted(), vec![8, 8, 5, 3, -1]);
    reveal(felt(clock as usize) + x);
    reveal(felt(late));
}
