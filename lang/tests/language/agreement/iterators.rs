//! Iterators: which elements they give, in which order, and when.

use super::{outputs, program};

program!(adaptors {
    use droste_gadgets::prelude::*;

    fn mixed(list: Vec<u32>) -> Felt {
        let mut acc = felt(list.len());
        for x in list {
            acc = acc * felt(31) + Felt::new(x);
        }
        acc
    }

    fn forward(v: &[u32]) -> Felt {
        let mut acc = Felt::ZERO;
        acc = acc * felt(7) + mixed(v.iter().rev().copied().collect());
        acc = acc * felt(7) + mixed(v.iter().enumerate().map(|(i, x)| i as u32 * 10 + x).collect());
        acc = acc * felt(7) + mixed(v.iter().zip(&v[2..]).map(|(a, b)| a * b).collect());
        acc = acc * felt(7) + mixed(v.iter().skip(1).step_by(3).cloned().collect());
        acc = acc * felt(7) + mixed(v.iter().take(5).chain([7, 8].iter()).copied().collect());
        acc = acc * felt(7) + mixed(v.iter().copied().cycle().skip(3).take(12).collect());
        acc = acc * felt(7) + mixed(v.iter().copied().filter(|x| x % 2 == 1).collect());
        acc = acc * felt(7) + mixed(v.iter().filter_map(|x| x.checked_sub(3)).collect());
        acc = acc * felt(7) + mixed(v.iter().flat_map(|x| [*x, x + 1]).collect());
        acc = acc * felt(7) + mixed(v.iter().copied().take_while(|x| *x != 9).collect());
        acc = acc * felt(7) + mixed(v.iter().copied().skip_while(|x| *x != 5).collect());
        acc = acc * felt(7) + mixed(v.iter().map_while(|x| 6u32.checked_sub(*x)).collect());
        acc = acc * felt(7) + mixed(v.chunks(3).map(|c| c.len() as u32 * 100 + c[0]).collect());
        acc = acc * felt(7) + mixed(v.chunks_exact(3).flatten().copied().collect());
        acc = acc * felt(7) + mixed(v.windows(2).map(|w| w[0] * 10 + w[1]).collect());
        acc * felt(7) + mixed(std::iter::successors(Some(1u32), |x| (*x < 50).then(|| x * 3)).collect())
    }

    fn backward(v: &[u32]) -> Felt {
        let mut acc = Felt::ZERO;
        acc = acc * felt(7) + mixed(v.iter().enumerate().rev().map(|(i, x)| i as u32 * 10 + x).collect());
        acc = acc * felt(7) + mixed(v.iter().zip(0..5u32).rev().map(|(a, b)| a * 10 + b).collect());
        acc = acc * felt(7) + mixed((0..17u32).step_by(5).rev().collect());
        acc = acc * felt(7) + mixed((0..=20u8).step_by(5).rev().map(u32::from).collect());
        acc = acc * felt(7) + mixed(v.iter().copied().skip(2).rev().collect());
        acc = acc * felt(7) + mixed(v.iter().copied().take(3).rev().collect());
        acc = acc * felt(7) + mixed(v.iter().copied().chain(20..23).rev().collect());
        acc = acc * felt(7) + mixed(v.iter().copied().filter(|x| *x > 2).rev().collect());
        acc = acc * felt(7) + mixed(v.chunks(3).rev().map(|c| c[0]).collect());
        acc * felt(7) + mixed(v.windows(3).map(|w| w[1]).rev().rev().collect())
    }

    fn taken(v: &[u32]) -> Felt {
        let mut it = v.iter().copied().peekable();
        let mut acc = Felt::ZERO;
        while let Some(x) = it.next() {
            let next = it.peek().copied().unwrap_or(0);
            acc = acc * felt(31) + Felt::new(x * 10 + next);
            if it.next_if(|y| *y > 4).is_some() {
                acc = acc + Felt::ONE;
            }
        }
        let mut it = v.iter();
        let first = it.next().unwrap();
        let last = it.next_back().unwrap();
        let third = it.nth(1).unwrap();
        let any = it.any(|x| *x == 5);
        let mut rest = Felt::ZERO;
        for x in &mut it {
            rest = rest * felt(31) + Felt::new(*x);
            if *x == 9 {
                break;
            }
        }
        acc = acc * felt(31) + Felt::new(first * 100 + last * 10 + third) + rest;
        acc = acc * felt(31) + felt(it.len()) + felt(any as usize);
        let mut range = 3..9usize;
        acc = acc * felt(31) + felt(range.next().unwrap()) + felt(range.len());
        acc * felt(31) + felt(range.clone().rev().next().unwrap()) + felt(range.sum())
    }

    pub fn main() {
        let x = public_input();
        let v = vec![3u32, 1, 4, 1, 5, 9, 2, 6];
        reveal(x + forward(&v));
        reveal(backward(&v));
        reveal(taken(&v));
        let pairs: Vec<(usize, u32)> = v.iter().copied().enumerate().collect();
        let (even, odd): (Vec<u32>, Vec<u32>) = v.iter().partition(|x| *x % 2 == 0);
        let (indices, values): (Vec<usize>, Vec<u32>) = pairs.into_iter().unzip();
        reveal(mixed(even) * felt(7) + mixed(odd) + mixed(values) * felt(indices.len()));
    }
});

#[test]
fn adaptors_give_the_elements_that_they_give_to_rustc() {
    outputs(adaptors::SOURCE, adaptors::main, &[5]);
}

program!(consumers {
    use droste_gadgets::prelude::*;

    fn some(x: Option<u32>) -> u32 {
        x.map_or(1000, |x| x + 1)
    }

    fn all(v: &[u32]) -> Vec<u32> {
        let mut r = Vec::new();
        r.push(v.iter().sum::<u32>());
        r.push(v.iter().map(|x| x + 1).product());
        r.push(v.iter().fold(7, |a, x| a * 2 + x));
        r.push(some(v.iter().copied().reduce(|a, b| a * 3 + b)));
        r.push(v.iter().any(|x| *x > 8) as u32 + 2 * v.iter().all(|x| *x < 9) as u32);
        r.push(some(v.iter().copied().find(|x| *x > 3)));
        r.push(some(v.iter().find_map(|x| (*x > 4).then_some(x * 5))));
        r.push(some(v.iter().position(|x| *x == 1).map(|i| i as u32)));
        r.push(some(v.iter().rposition(|x| *x == 1).map(|i| i as u32)));
        r.push(some(v.iter().max().copied()));
        r.push(some(v.iter().min().copied()));
        r.push(some(v.iter().enumerate().max_by_key(|(_, x)| *x % 4).map(|(i, _)| i as u32)));
        r.push(some(v.iter().enumerate().min_by_key(|(_, x)| *x % 4).map(|(i, _)| i as u32)));
        r.push(some(v.iter().enumerate().max_by(|a, b| b.1.cmp(a.1)).map(|(i, _)| i as u32)));
        r.push(some(v.iter().enumerate().min_by(|a, b| b.1.cmp(a.1)).map(|(i, _)| i as u32)));
        r.push(some(v.iter().copied().last()));
        r.push(v.iter().filter(|x| **x > 2).count() as u32);
        r.push(v.iter().is_sorted() as u32 + 2 * v.iter().eq(v.to_vec().iter()) as u32);
        r.push(v.iter().lt([3, 1, 5].iter()) as u32 + 2 * v.iter().ne(v.iter().skip(1)) as u32);
        let checked: Option<Vec<u32>> = v.iter().map(|x| x.checked_sub(1)).collect();
        r.push(checked.map_or(1, |v| v.len() as u32));
        let checked: Result<Vec<u32>, u32> = v.iter().map(|x| if *x < 5 { Ok(*x) } else { Err(*x) }).collect();
        r.push(match checked { Ok(v) => v.len() as u32, Err(x) => 100 + x });
        let mut seen = 0;
        v.iter().for_each(|x| seen = seen * 2 + x);
        r.push(seen);
        r
    }

    pub fn main() {
        let x = public_input();
        for v in [vec![3u32, 1, 4, 1, 5, 9, 2, 6], vec![1], vec![2, 2], Vec::new()] {
            let mut acc = x;
            for y in all(&v) {
                acc = acc * felt(31) + Felt::new(y);
            }
            reveal(acc);
        }
    }
});

#[test]
fn consumers_take_what_they_take_for_rustc() {
    outputs(consumers::SOURCE, consumers::main, &[1]);
}

program!(lazy {
    use droste_gadgets::prelude::*;

    fn inputs(n: usize) -> impl Iterator<Item = Felt> {
        (0..n).map(|i| public_input() + felt(i))
    }

    pub fn main() {
        // Nothing is read before it is taken.
        let mut late = inputs(2);
        let first = public_input();
        let second = late.next().unwrap();
        let mut log = Felt::ZERO;
        let numbers: Vec<Felt> = [felt(5)]
            .into_iter()
            .map(|x| x * public_input())
            .zip([felt(3)].iter().map(|y| *y + public_input()))
            .map(|(x, y)| x * felt(10) + y)
            .chain([first, second])
            .inspect(|x| log = log * felt(3) + *x)
            .collect();
        let rest = late.fold(second, |sum, x| sum * felt(2) + x);
        reveal(first * felt(100) + second);
        reveal(numbers[0] * felt(7) + log + rest);
        let total: Felt = numbers.iter().map(|x| *x * *x).sum();
        let product: Felt = numbers.into_iter().product();
        reveal(total + product);
    }
});

#[test]
fn elements_are_computed_when_they_are_taken() {
    outputs(lazy::SOURCE, lazy::main, &[1, 2, 3, 4, 5]);
}

program!(run_time {
    use droste_gadgets::prelude::*;

    fn has(xs: &[Felt], y: Felt) -> bool {
        xs.iter().any(|x| *x == y)
    }

    fn sum_of(n: Felt, f: impl Fn(Felt) -> Felt) -> Felt {
        count_to(n).map(f).sum()
    }

    pub fn main() {
        let n = public_input();
        let y = public_input();
        let mut acc = Felt::ZERO;
        for x in count_to(n).map(|i| i * y) {
            acc = acc * felt(2) + x;
        }
        let mut last = y;
        count_to(n).for_each(|i| last = last + i * i);
        reveal(acc + last);
        let folded = count(3).map(|i| i + y).fold(felt(1), |a, x| a * x);
        reveal(folded + sum_of(n, |i| i * i + y) + count_to(n).sum::<Felt>());
        let xs = [y, felt(2), n * y];
        let found = if has(&xs, felt(6)) { felt(10) } else { felt(20) };
        let all = if xs.iter().all(|x| *x == y) { felt(1) } else { felt(2) };
        let there = if xs.contains(&felt(12)) { felt(4) } else { felt(8) };
        reveal(found + all * felt(100) + there * felt(1000));
    }
});

#[test]
fn run_time_loops_have_closures() {
    for (n, y) in [(1, 2), (3, 2), (2, 6), (2, 3)] {
        outputs(run_time::SOURCE, run_time::main, &[n, y]);
    }
}

program!(by_reference {
    use droste_gadgets::prelude::*;

    struct Cell { x: Felt, list: Vec<u32> }

    fn double(v: &mut Vec<Felt>) {
        for x in v {
            *x = *x * felt(2);
        }
    }

    fn first_big(v: &mut [u32]) -> Option<usize> {
        for (i, x) in v.iter_mut().enumerate() {
            *x += 1;
            if *x > 5 {
                return Some(i);
            }
        }
        None
    }

    pub fn main() {
        let y = public_input();
        let mut v = vec![y, felt(3), y * y];
        double(&mut v);
        for (x, k) in v.iter_mut().zip(1..3u32) {
            *x = *x + Felt::new(k);
        }
        for x in v.iter_mut().rev().take(1) {
            if *x == felt(8) { *x = felt(1); } else { *x = *x + y; }
        }
        for x in &mut v[1..] {
            *x = *x * felt(3);
        }
        reveal(v[0] * felt(10000) + v[1] * felt(100) + v[2]);
        let mut numbers = [1, 5, 7];
        let found = first_big(&mut numbers).unwrap();
        reveal(felt(found) + Felt::new(numbers[0] * 100 + numbers[1] * 10 + numbers[2]));
        let mut cells = vec![Cell { x: y, list: vec![1] }, Cell { x: felt(2), list: Vec::new() }];
        'outer: for cell in cells.iter_mut() {
            for n in 0..4 {
                if n == 2 {
                    continue 'outer;
                }
                cell.list.push(n);
                cell.x = cell.x + felt(1);
            }
        }
        let lengths: usize = cells.iter().map(|cell| cell.list.len()).sum();
        reveal(cells[0].x * felt(10) + cells[1].x + felt(lengths));
        let mut grid = vec![vec![0u32; 3]; 2];
        for (i, row) in grid.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                *cell = (i * 3 + j) as u32;
            }
            row.push(9);
        }
        reveal(Felt::new(grid.concat().iter().fold(0, |a, x| (a * 11 + x) % 1000003)));
    }
});

#[test]
fn elements_change_by_mutable_reference() {
    for y in [2, 4] {
        outputs(by_reference::SOURCE, by_reference::main, &[y]);
    }
}

program!(unequal {
    use droste_gadgets::prelude::*;

    pub fn main() {
        let xs: Vec<Felt> = (0..2usize).map(|_| public_input()).zip(std::iter::repeat(felt(2))).map(|(a, b)| a * b).collect();
        let v: Vec<usize> = (0..5).map(|x: usize| x * 2).zip((1usize..).take(2)).map(|(a, b)| a + b).collect();
        reveal(felt(v.len() * 100 + v[0] * 10 + v[1]));
        let mut n = 0usize;
        for (a, b) in (0..2).map(|x: usize| { n += 1; x }).zip((5usize..).take(5)) { reveal(felt(a + b)); }
        reveal(felt(n));
        reveal(xs[0] + xs[1]);
    }
});

#[test]
fn the_sides_of_a_zip_have_different_lengths() {
    outputs(unequal::SOURCE, unequal::main, &[5, 6]);
}
