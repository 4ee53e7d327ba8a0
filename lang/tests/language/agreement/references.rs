//! Mutable references in variables, in `Option`s and tuples, as results, and in iterators.

use super::{outputs, program};

program!(places {
    use droste_gadgets::prelude::*;

    struct Inner { value: Felt, list: Vec<u32> }
    struct Outer { inner: Inner, pair: (Felt, u32) }

    impl Outer {
        fn change(&mut self, x: Felt) {
            let Self { inner, pair: (first, second) } = self;
            inner.value = inner.value * x;
            *first += inner.value;
            *second += 1;
            let list = &mut self.inner.list;
            list.push(4);
            list[0] += 2;
            for n in list { *n *= 3; }
            let value = &mut self.inner.value;
            if *value == felt(6) { *value = felt(1); } else { *value = *value + x; }
        }
    }

    fn add(to: &mut Felt, x: Felt) { *to += x; }
    fn read(x: &Felt) -> Felt { *x }

    pub fn main() {
        let x = public_input();
        let mut v = [felt(0); 4];
        let mut next = 0;
        let mut at = || { next += 1; next };
        let slot = &mut v[at()];
        *slot += x;
        *slot = *slot * *slot;
        add(slot, felt(1));
        add(&mut *slot, felt(2));
        let sum = read(slot) + *slot;
        reveal(sum);
        reveal(v[0] + v[1] * felt(10) + felt(next));
        let mut grid = [[1u32; 3]; 2];
        let cell = &mut grid[1][2];
        *cell += 5;
        let copy = *cell;
        let row: &mut [u32; 3] = &mut grid[0];
        row[1] = copy;
        let part = &mut row[1..];
        part[1] = part[0] + 1;
        part.swap(0, 1);
        reveal(felt((grid[0][1] * 100 + grid[0][2] * 10 + grid[1][2]) as usize));
        let mut outer = Outer { inner: Inner { value: x, list: vec![1, 2] }, pair: (felt(1), 3) };
        outer.change(felt(2));
        let old = std::mem::replace(&mut outer.inner.list, vec![7]);
        let r = &mut outer;
        r.change(x);
        let s = &mut *r;
        s.pair.1 += old.iter().sum::<u32>();
        let Outer { inner: Inner { list, .. }, pair } = s;
        pair.1 += list.len() as u32 + list[0];
        reveal(outer.inner.value + outer.pair.0 * felt(10));
        reveal(felt(outer.pair.1 as usize));
    }
});

program!(options {
    use droste_gadgets::prelude::*;

    #[derive(Debug, PartialEq)]
    enum Fault { Missing, Poor }
    struct Account { id: u32, balance: Felt, notes: Vec<u32> }
    struct Bank { accounts: Vec<Account>, last: Option<u32> }

    impl Bank {
        fn account(&mut self, id: u32) -> Result<&mut Account, Fault> {
            self.accounts.iter_mut().find(|a| a.id == id).ok_or(Fault::Missing)
        }
        fn note(&mut self, id: u32, note: u32) -> Result<&mut Self, Fault> {
            let account = self.account(id)?;
            if account.notes.len() > 2 {
                return Err(Fault::Poor);
            }
            account.notes.push(note);
            self.last = Some(id);
            Ok(self)
        }
        fn last_balance(&mut self) -> Option<&mut Felt> {
            let id = self.last?;
            self.account(id).ok().map(|a| &mut a.balance)
        }
        fn id(&mut self, by: u32) -> &mut Self { self.accounts[0].id += by; self }
    }

    pub fn main() {
        let x = public_input();
        let mut v = vec![1u32, 5];
        if let Some(last) = v.last_mut() { *last += 1; }
        *v.first_mut().unwrap() = 9;
        *v.iter_mut().next().unwrap() += 1;
        let Some(second) = v.get_mut(1) else { panic!("there are two") };
        *second *= 2;
        assert!(v.get_mut(2).is_none());
        match v.get_mut(..1) {
            Some(part) => part[0] += 100,
            None => v.push(1),
        }
        let mut none: Vec<u32> = Vec::new();
        let empty = none.last_mut().map(|n: &mut u32| n);
        reveal(felt((v[0] * 100 + v[1]) as usize + empty.is_none() as usize));
        let accounts = vec![
            Account { id: 1, balance: x, notes: vec![] },
            Account { id: 2, balance: felt(3), notes: vec![1] },
        ];
        let mut bank = Bank { accounts, last: None };
        assert!(bank.last_balance().is_none());
        bank.note(2, 7).unwrap().note(1, 8).unwrap();
        assert!(matches!(bank.note(3, 1), Err(Fault::Missing)));
        if let Ok(again) = bank.note(2, 3) { again.last = Some(1); }
        assert!(bank.note(2, 4).is_err());
        if let Some(balance) = bank.last_balance() { *balance = *balance * felt(4) + x; }
        *bank.last_balance().unwrap() += felt(1);
        bank.id(10).id(5);
        let account = &mut bank.accounts[1];
        account.balance = account.balance * x;
        reveal(bank.accounts[0].balance * felt(1000) + bank.accounts[1].balance);
        reveal(felt(bank.accounts[0].id as usize));
        let mut slot: Option<(Felt, u32)> = Some((x, 1));
        if let Some((f, n)) = &mut slot { *f = *f + felt(1); *n += 1; }
        if let Some(pair) = slot.as_mut() { pair.0 = pair.0 * felt(2); }
        let (f, n) = slot.unwrap();
        reveal(f * felt(n as usize));
        let mut pairs = [(1u32, f), (2, x)];
        if let Some(sum) = pairs.last_mut().map(|(a, b)| { *a += 1; *b = *b + felt(1); *a }) { pairs[0].0 += sum; }
        assert!(pairs[0].0 == 4 && pairs[1].0 == 3);
        let mut cache: Option<u32> = None;
        *cache.get_or_insert_with(|| 4) += 1;
        *cache.get_or_insert(9) += 10;
        *cache.insert(cache.unwrap() * 2) += 100;
        reveal(felt(cache.unwrap() as usize));
        let mut result: Result<u32, Fault> = Ok(3);
        if let Ok(n) = result.as_mut() { *n += 4; }
        reveal(felt(result.unwrap() as usize));
    }
});

program!(iterators {
    use droste_gadgets::prelude::*;

    struct Point { x: Felt, n: u32 }

    fn reset(n: &mut u32) { *n = 0; }
    fn all(points: &mut [Point]) -> impl Iterator<Item = &mut Point> { points.iter_mut() }

    pub fn main() {
        let x = public_input();
        let mut v = [x, felt(2), felt(3), x * x];
        let w = [felt(5), felt(6), felt(7)];
        for (a, b) in w.iter().zip(v.iter_mut()) { *b += *a; }
        let mut u = vec![felt(1); 4];
        for (a, b) in v.iter_mut().zip(u.iter_mut()) { *a += *b; *b = *a; }
        for (a, b) in v.iter_mut().zip(&mut u).skip(1).step_by(2) { std::mem::swap(a, b); *b += x; }
        for (i, chunk) in v.chunks_mut(3).enumerate() { chunk[0] = chunk[0] * felt(i + 2); }
        for chunk in v.chunks_exact_mut(2).rev() { chunk.swap(0, 1); }
        let (left, right) = v.split_at_mut(1);
        left[0] += right[0];
        right[2] = left[0] * x;
        if let Some((first, rest)) = u.split_first_mut() { *first += rest[0]; rest[1] = *first; }
        reveal(v.iter().fold(felt(0), |sum, a| sum * felt(11) + *a));
        reveal(u.iter().fold(felt(0), |sum, a| sum * felt(11) + *a));
        let mut numbers = vec![1u32, 2, 3, 4, 5];
        let bonus = 10;
        numbers.iter_mut().filter(|n| **n % 2 == 1).for_each(|n| *n += bonus);
        numbers.iter_mut().take(1).for_each(reset);
        let mut total = 0;
        numbers.iter_mut().rev().for_each(|n| { total += *n; *n = total; });
        let before: Vec<u32> = numbers.iter_mut().map(|n| { let old = *n; *n += 1; old }).collect();
        if let Some(largest) = numbers.iter_mut().max() { *largest = 7; }
        if let Some(found) = numbers.iter_mut().find(|n| **n == 16) { *found = 1000; }
        reveal(felt(numbers.iter().fold(0usize, |sum, n| sum * 13 + *n as usize)));
        reveal(felt(before[4] as usize + total as usize));
        let mut points = vec![Point { x, n: 1 }, Point { x: felt(2), n: 2 }];
        for Point { x, n } in points.iter_mut() { *x = *x * felt(3); *n += 1; }
        for point in all(&mut points) { point.n += 5; }
        for point in points.iter_mut() {
            let Point { x, .. } = point;
            if *x == felt(6) { *x = felt(4); }
            for _ in count(2) { point.x = point.x + felt(1); }
        }
        reveal(points[0].x * felt(100) + points[1].x + felt(points[0].n as usize));
        let mut pairs = [(1u32, felt(1)), (2, x)];
        for (n, f) in &mut pairs { *n += 1; *f += felt(*n as usize); }
        for (i, (n, f)) in pairs.iter_mut().enumerate() { *n += i as u32; *f = *f * felt(2); }
        let [(a, _), rest @ ..] = &mut pairs;
        *a += rest[0].0;
        rest[0].0 = 8;
        reveal(pairs[0].1 + pairs[1].1 * felt((pairs[0].0 * 10 + pairs[1].0) as usize));
    }
});

program!(chosen {
    use droste_gadgets::prelude::*;

    struct Node { key: u32, left: Option<usize>, right: Option<usize>, value: Felt }
    struct Tree { nodes: Vec<Node>, root: Option<usize> }

    impl Tree {
        fn insert(&mut self, key: u32, value: Felt) -> Option<Felt> {
            let new = self.nodes.len();
            let mut slot = &mut self.root;
            while let Some(i) = *slot {
                let node = &mut self.nodes[i];
                if node.key == key {
                    return Some(std::mem::replace(&mut node.value, value));
                }
                slot = if key < node.key { &mut node.left } else { &mut node.right };
            }
            *slot = Some(new);
            self.nodes.push(Node { key, left: None, right: None, value });
            None
        }
    }

    enum Side { Left, Right }
    struct Book { left: Vec<u32>, right: Vec<u32> }

    impl Book {
        fn side(&mut self, side: &Side) -> &mut Vec<u32> {
            match side { Side::Left => &mut self.left, Side::Right => &mut self.right }
        }
        fn add(&mut self, side: Side, n: u32) {
            let (list, larger): (&mut Vec<u32>, fn(u32, u32) -> bool) = match side {
                Side::Left => (&mut self.left, |a, b| a > b),
                Side::Right => (&mut self.right, |a, b| a < b),
            };
            let at = list.iter().position(|m| larger(*m, n)).unwrap_or(list.len());
            list.insert(at, n);
        }
    }

    fn longer<'a>(a: &'a mut Vec<u32>, b: &'a mut Vec<u32>) -> &'a mut Vec<u32> {
        if a.len() >= b.len() { a } else { b }
    }
    fn id<T>(x: T) -> T { x }

    struct Total { sum: u32, parts: Vec<u32> }
    impl Total {
        fn part(&mut self, i: usize) -> Result<&mut u32, u8> { self.parts.get_mut(i).ok_or(1) }
        fn add(&mut self, i: usize, n: u32) -> Result<(), u8> {
            let found = Some(i).filter(|i| *i < 9).and_then(|i| self.parts.get_mut(i));
            match found { Some(part) => *part += n, None => self.sum += n }
            *self.part(i)? += n;
            Ok(())
        }
    }

    pub fn main() {
        let x = public_input();
        let mut tree = Tree { nodes: vec![], root: None };
        for (i, key) in [5u32, 2, 8, 6, 2].into_iter().enumerate() {
            if let Some(old) = tree.insert(key, x + felt(i)) { reveal(old); }
        }
        reveal(tree.nodes[1].value + felt(tree.nodes[2].left.unwrap()));
        let mut book = Book { left: vec![], right: vec![3] };
        book.add(Side::Left, 4);
        book.add(Side::Left, 9);
        book.add(Side::Right, 1);
        book.side(&Side::Right).push(6);
        longer(&mut book.left, &mut book.right).push(2);
        let Book { left, right } = &mut book;
        let (mut a, mut b) = (left, right);
        a[0] += 100;
        (a, b) = (b, a);
        a[0] += 1000;
        b.push(5);
        let shorter = if a.len() < b.len() { a } else { b };
        *id(shorter.last_mut().unwrap()) += 50;
        let all = book.left.iter().chain(&book.right).fold(0u64, |sum, n| (sum * 7919 + *n as u64) % 1_000_003);
        reveal(felt(all as usize));
        let mut count = 0u32;
        let mut bins = [0u32; 3];
        match usize::try_from(2i32).ok().and_then(|i| bins.get_mut(i)) {
            Some(bin) => *bin += 4,
            None => count += 1,
        }
        count += bins[2];
        let counter = &mut count;
        let mut bump = |n: u32| { *counter += n; *counter };
        bump(2);
        let last = bump(3);
        reveal(felt((count * 10 + last) as usize));
        let mut total = Total { sum: 0, parts: vec![1, 2] };
        assert!(total.add(1, 5).is_ok() && total.add(4, 7).is_err());
        reveal(felt((total.sum * 100 + total.parts[1]) as usize));
        let (mut p, mut q) = (felt(1), x);
        let both = [&mut p, &mut q];
        for r in both { *r = *r + felt(2); }
        reveal(p * felt(100) + q);
    }
});

program!(moved {
    use droste_gadgets::prelude::*;

    struct Two<T, U> { t: T, u: U }

    fn id<T>(x: T) -> T { x }
    fn second<'a>(mut p: &'a mut u32, q: &'a mut u32) { *p += 1; p = q; *p += 2; }
    fn total(mut list: &mut [u32]) -> u32 {
        let mut sum = 0;
        while let [first, rest @ ..] = list {
            sum = sum * 10 + *first;
            *first = 0;
            list = rest;
        }
        sum
    }

    pub fn main() {
        // References that move out of tuples and fields.
        let (mut x, mut y, mut z) = (1u32, 2u32, [5u32, 6]);
        let two = (&mut x, 3);
        let t = two.0;
        *t += 1000;
        let w = Two { t: &mut y, u: &mut z };
        let u = id(w.u);
        u[1] += 10;
        let t = Some(w.t);
        if let Some(t) = t { *t += 100; }
        assert_eq!((x, y, z), (1001, 102, [5, 16]));
        let (mut v, b) = ([1u32, 2, 3, 4], [10u32, 20, 30, 40]);
        v.iter_mut().zip(b).for_each(|pair| { let to = pair.0; *to += pair.1; });
        let first = v.iter_mut().enumerate().next().unwrap().1;
        *first += 5;
        let halves = v.split_at_mut(2);
        let chosen = if b[0] == 10 { halves.1 } else { halves.0 };
        chosen[1] = 7;
        assert_eq!(v, [16, 22, 33, 7]);
        let (mut m, mut n) = (1u32, 2u32);
        second(&mut m, &mut n);
        assert_eq!((m, n), (2, 4));
        // What `..` stands for: an array of references, or a part of the list.
        let mut v = [1u32, 2, 3, 4];
        let [a, b, c, _] = &mut v;
        let [_, mut rest @ ..] = [a, b, c];
        rest.swap(0, 1);
        *rest[0] += 10;
        assert_eq!(v, [1, 2, 13, 4]);
        let [_, rest @ ..] = &mut v;
        rest.swap(0, 1);
        rest[0] += 10;
        assert_eq!((v, total(&mut v), v), ([1, 23, 2, 4], 3324, [0; 4]));
        // Copies of what a reference refers to.
        let mut lists = vec![vec![1u32], vec![]];
        let mut copy = lists.first_mut().cloned().unwrap();
        copy.push(1);
        let mut v = [5u32, 6];
        let before = v.first_mut().copied().unwrap();
        v[0] = 90;
        reveal(felt(copy.len() * 1000 + lists[0].len() * 100 + (before + v[0]) as usize));
    }
});

program!(ordered {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct P { x: u32 }
    impl P { fn increase(&mut self) { self.x += 1; } }
    fn larger<T: Ord>(a: T, b: T) -> T { a.max(b) }
    fn largest<'a, T: Ord>(a: &'a mut T, b: &'a mut T) -> &'a mut T { a.max(b) }

    pub fn main() {
        let (mut a, mut b) = ([1u32, 2], [3u32, 4]);
        let (p, q) = (&mut a, &mut b);
        let least = p.min(q);
        least[0] = 9;
        assert_eq!((a, b), ([9, 2], [3, 4]));
        let (mut a, mut b, mut c) = (P { x: 5 }, P { x: 2 }, P { x: 3 });
        let (p, q) = (&mut a, &mut b);
        let most = p.max(q);
        most.increase();
        most.x += 1;
        let (p, q) = (&mut a, &mut b);
        larger(p, q).x += 10;
        largest(&mut a, &mut b).x += 100;
        let (p, q, r) = (&mut a, &mut b, &mut c);
        p.clamp(q, r).x = 1;
        reveal(felt((a.x + b.x * 1000 + c.x * 10000) as usize));
        let (mut v, mut w) = (vec![5u32, 1], vec![6u32, 1]);
        (&mut v).min(&mut w).push(1);
        let (mut m, mut n) = (1u32, 2u32);
        let (p, q) = (&mut m, &mut n);
        let most: &mut u32 = p.max(q);
        *most = 7;
        reveal(felt(v.len() * 1000 + w.len() * 100 + (m * 10 + n) as usize));
    }
});

#[test]
fn the_larger_of_two_references_is_one_of_them() {
    assert_eq!(outputs(ordered::SOURCE, ordered::main, &[]), [12117, 3217]);
}

#[test]
fn references_are_places() {
    for x in [2, 3, 6] {
        outputs(places::SOURCE, places::main, &[x]);
    }
}

#[test]
fn options_and_results_hold_references() {
    for x in [1, 4] {
        outputs(options::SOURCE, options::main, &[x]);
    }
}

#[test]
fn iterators_give_references() {
    for x in [1, 2, 9] {
        outputs(iterators::SOURCE, iterators::main, &[x]);
    }
}

#[test]
fn references_are_chosen_and_reassigned() {
    outputs(chosen::SOURCE, chosen::main, &[3]);
}

#[test]
fn references_move_and_are_no_copies() {
    assert_eq!(outputs(moved::SOURCE, moved::main, &[]), [2195]);
}
