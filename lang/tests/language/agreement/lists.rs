//! Methods of slices and `Vec`s.

use super::{outputs, program};

program!(methods {
    use droste_gadgets::prelude::*;

    fn mixed(list: &[u32]) -> Felt {
        list.iter().fold(felt(list.len()), |acc, x| acc * felt(31) + Felt::new(*x))
    }

    fn read(v: &[u32]) -> Felt {
        let mut acc = felt(v.first().copied().unwrap_or(9) as usize);
        acc = acc * felt(7) + felt(v.last().map_or(8, |x| *x as usize));
        acc = acc * felt(7) + felt(v.get(2).is_some() as usize) + felt(v.get(1..).is_none() as usize);
        acc = acc * felt(7) + felt(v.contains(&4) as usize);
        acc = acc * felt(7) + felt(v.starts_with(&[3, 1]) as usize) + felt(v.ends_with(&[6]) as usize);
        if let Some((first, rest)) = v.split_first() {
            acc = acc * felt(7) + Felt::new(*first) + mixed(rest);
        }
        if let Some((last, rest)) = v.split_last() {
            acc = acc * felt(7) + Felt::new(*last) + mixed(rest);
        }
        let (left, right) = v.split_at(v.len() / 2);
        acc = acc * felt(7) + mixed(left) * mixed(right);
        acc = acc * felt(7) + mixed(&[left, right, left].concat()) + mixed(&left.repeat(2));
        acc = acc * felt(7) + mixed(&v.to_vec()) + felt(v.is_sorted() as usize);
        acc + match [1, 3, 5, 7].binary_search(&(v.len() as u32)) {
            Ok(at) => felt(at),
            Err(at) => felt(100 + at),
        }
    }

    fn change(mut v: Vec<u32>) -> Felt {
        let mut acc = Felt::ZERO;
        v.extend_from_slice(&[8, 8, 7]);
        v.dedup();
        v.insert(1, 20);
        acc = acc * felt(7) + mixed(&v);
        let removed = v.remove(0) + v.swap_remove(1);
        v.reverse();
        acc = acc * felt(7) + mixed(&v) + Felt::new(removed);
        v.extend(10..13);
        v.retain(|x| x % 3 != 1);
        v.rotate_left(1);
        acc = acc * felt(7) + mixed(&v) + felt(v.pop().unwrap() as usize);
        v.resize(9, 5);
        v.swap(0, 3);
        acc = acc * felt(7) + mixed(&v);
        v.sort();
        acc = acc * felt(7) + mixed(&v);
        v.sort_by(|a, b| b.cmp(a));
        v[2..5].fill(1);
        v[5..7].copy_from_slice(&[30, 40]);
        v[..4].reverse();
        acc = acc * felt(7) + mixed(&v);
        v.sort_by_key(|x| x % 4);
        acc = acc * felt(7) + mixed(&v);
        v.rotate_right(2);
        let mut tail = v.split_off(4);
        let drained: Vec<u32> = tail.drain(1..3).collect();
        tail.append(&mut v);
        tail.dedup_by_key(|x| *x / 10);
        tail.sort_unstable();
        acc = acc * felt(7) + mixed(&tail) + mixed(&drained) + felt(v.len());
        tail.truncate(2);
        tail.clear();
        acc + felt(tail.len())
    }

    fn double(part: &mut [u32]) {
        for x in part.iter_mut() {
            *x *= 2;
        }
    }

    pub fn main() {
        let x = public_input();
        for v in [vec![3u32, 1, 4, 1, 5, 9, 2, 6], vec![7]] {
            reveal(x + read(&v));
            reveal(change(v));
        }
        let mut v = vec![1, 2, 3, 4, 5];
        double(&mut v[1..3]);
        double(&mut v[..2]);
        double(&mut v[4..]);
        let squares = [1u32, 2, 3].map(|x| x * x);
        let indices: [u32; 3] = std::array::from_fn(|i| i as u32 * 5);
        reveal(mixed(&v) + mixed(&squares) * mixed(&indices));
        let pairs = [(2usize, 'b'), (1, 'z'), (2, 'a')];
        let mut sorted = pairs.to_vec();
        sorted.sort();
        sorted.sort_by_key(|(n, _)| 3 - n);
        reveal(sorted.iter().fold(x, |acc, (n, c)| acc * felt(97) + felt(n * 1000 + *c as usize)));
    }
});

#[test]
fn lists_change_as_they_do_for_rustc() {
    outputs(methods::SOURCE, methods::main, &[4]);
}

program!(run_time {
    use droste_gadgets::prelude::*;

    #[derive(Clone)]
    struct Item { key: u32, value: Felt }

    #[inline(never)]
    fn sum(items: &[Item]) -> Felt {
        items.iter().map(|item| item.value * Felt::new(item.key)).sum()
    }

    pub fn main() {
        let x = public_input();
        let mut items = vec![
            Item { key: 3, value: x },
            Item { key: 1, value: x * x },
            Item { key: 2, value: felt(5) },
        ];
        items.sort_by_key(|item| item.key);
        items.swap(0, 2);
        let taken = items.pop().unwrap();
        if x == felt(3) {
            items[0].value = felt(7);
            items.reverse();
            items.reverse();
        }
        items.insert(0, taken.clone());
        reveal(sum(&items) * felt(10) + taken.value);
        let mut stack = vec![(x, 2u32)];
        let mut acc = Felt::ZERO;
        while let Some((value, depth)) = stack.pop() {
            acc = acc * felt(3) + value;
            if depth > 0 {
                stack.push((value + Felt::ONE, depth - 1));
                stack.push((value * felt(2), depth - 1));
            }
        }
        reveal(acc);
    }
});

#[test]
fn lists_hold_values_of_a_run() {
    for x in [3, 5] {
        outputs(run_time::SOURCE, run_time::main, &[x]);
    }
}
