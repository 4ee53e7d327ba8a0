//! Implementations by the program of traits of the standard library: iterators, indices, and
//! operators of references.

use super::{outputs, program};

program!(iterators {
    use droste_gadgets::prelude::*;

    pub struct Fibonacci { a: u64, b: u64 }
    impl Iterator for Fibonacci {
        type Item = u64;
        fn next(&mut self) -> Option<Self::Item> {
            let value = self.a;
            (self.a, self.b) = (self.b, self.a + self.b);
            Some(value)
        }
    }

    #[derive(Clone, Copy)]
    pub struct Countdown(usize);
    impl Iterator for Countdown {
        type Item = usize;
        fn next(&mut self) -> Option<usize> {
            if self.0 == 0 { return None; }
            self.0 -= 1;
            Some(self.0)
        }
    }

    /// Powers of a value that is known only in a run.
    pub struct Powers { base: Felt, last: Felt }
    impl Iterator for Powers {
        type Item = Felt;
        fn next(&mut self) -> Option<Felt> {
            self.last = self.last * self.base;
            Some(self.last)
        }
    }

    pub struct Doubled<I> { inner: I }
    impl<I: Iterator<Item = usize>> Iterator for Doubled<I> {
        type Item = usize;
        fn next(&mut self) -> Option<usize> { self.inner.next().map(|n| n * 2) }
    }

    fn total<I: Iterator<Item = usize>>(all: I) -> usize { all.sum() }
    fn hidden() -> impl Iterator<Item = usize> { Countdown(4) }
    fn first_of(all: &mut Countdown) -> usize { all.next().unwrap_or(9) }

    pub fn main() {
        let x = public_input();
        let even: u64 = Fibonacci { a: 0, b: 1 }.take_while(|&n| n < 100).filter(|n| n % 2 == 0).sum();
        reveal(felt(even as usize));
        let mut down = Countdown(5);
        let mut seen = 0;
        while let Some(n) = down.next() {
            seen = seen * 10 + n;
            if n == 3 { break; }
        }
        for n in &mut down {
            seen = seen * 10 + n;
            if n == 2 { break; }
        }
        for n in down.by_ref() {
            seen = seen * 10 + n;
            break;
        }
        reveal(felt(seen * 10 + first_of(&mut down)));
        let copied = Countdown(4);
        let rest: Vec<usize> = copied.skip(1).collect();
        reveal(felt(rest[0] * 100 + rest.len() * 10 + copied.count()));
        reveal(felt(total(Doubled { inner: Countdown(4) }) + total(Doubled { inner: 1usize..4 }) + hidden().max().unwrap()));
        let mut sum = felt(0);
        for (weight, power) in [felt(1), felt(2), felt(3)].into_iter().zip(Powers { base: x, last: felt(1) }) {
            sum += power * weight;
        }
        reveal(sum);
        let mut peeked = Countdown(3).peekable();
        reveal(felt(*peeked.peek().unwrap() * 10 + peeked.map(|n| n + 1).fold(0, |s, n| s * 10 + n)));
    }
});

#[test]
fn iterators_of_the_program_are_taken_as_rust_takes_them() {
    // 5 + 2 * 25 + 3 * 125
    assert_eq!(
        outputs(iterators::SOURCE, iterators::main, &[5]),
        [44, 43210, 234, 12 + 12 + 3, 430, 20 + 321]
    );
}

program!(ended {
    use droste_gadgets::prelude::*;

    /// Says `None` each third time.
    #[derive(Clone, Copy)]
    pub struct Thirds(usize);
    impl Iterator for Thirds {
        type Item = usize;
        fn next(&mut self) -> Option<usize> {
            self.0 += 1;
            (self.0 % 3 != 0).then_some(self.0)
        }
    }

    pub struct Holder { it: Thirds }
    impl Holder { fn rest(&mut self) -> usize { self.it.count() } }
    fn counted(it: &mut Thirds) -> usize { it.count() }
    fn copied(it: &mut Thirds) -> usize { (*it).count() }

    pub fn main() {
        let mut it = Thirds(0);
        let mut seen = 0;
        while let Some(n) = it.next() { seen = seen * 10 + n; }
        for n in &mut it { seen = seen * 10 + n; }
        reveal(felt(seen * 100 + counted(&mut it) * 10 + it.0));
        reveal(felt(copied(&mut it) * 10 + it.0));
        let mut holder = Holder { it };
        reveal(felt(holder.rest() * 10 + holder.it.0));
        let mut mapped = (0..9usize).map_while(|n| (n % 3 != 2).then_some(n));
        let (none, four) = (mapped.nth(5), mapped.nth(1));
        reveal(felt(none.is_some() as usize * 10 + four.unwrap()));
        let mut peeked = Thirds(1).peekable();
        peeked.next();
        let ends = [peeked.peek().is_none(), peeked.peek().is_none(), peeked.next().is_none()];
        reveal(felt(ends.iter().filter(|end| **end).count()));
        let mut fused = Thirds(1).fuse().enumerate();
        reveal(felt(fused.nth(4).is_none() as usize * 10 + fused.next().is_none() as usize));
        let mut range = 1..=2usize;
        while let Some(_) = range.next() {}
        reveal(felt(range.is_empty() as usize));
    }
});

#[test]
fn iterators_may_go_on_after_their_end() {
    assert_eq!(
        outputs(ended::SOURCE, ended::main, &[]),
        [124529, 29, 29, 4, 3, 11, 1]
    );
}

program!(indices {
    use droste_gadgets::prelude::*;
    use std::ops::{Index, IndexMut};

    pub struct Matrix<const R: usize, const C: usize> { cells: Vec<Felt> }
    impl<const R: usize, const C: usize> Index<(usize, usize)> for Matrix<R, C> {
        type Output = Felt;
        fn index(&self, (r, c): (usize, usize)) -> &Felt {
            assert!(r < R && c < C);
            &self.cells[r * C + c]
        }
    }
    impl<const R: usize, const C: usize> IndexMut<(usize, usize)> for Matrix<R, C> {
        fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut Felt {
            let at = r * C + c;
            &mut self.cells[at]
        }
    }

    pub struct Rows(Vec<Vec<usize>>);
    impl Index<usize> for Rows { type Output = Vec<usize>; fn index(&self, n: usize) -> &Self::Output { &self.0[n] } }
    impl IndexMut<usize> for Rows { fn index_mut(&mut self, n: usize) -> &mut Vec<usize> { &mut self.0[n] } }

    #[derive(Clone, Copy)]
    pub struct V { x: usize, y: usize }
    impl Index<char> for V {
        type Output = usize;
        fn index(&self, name: char) -> &usize { match name { 'x' => &self.x, _ => &self.y } }
    }

    fn add(to: &mut Felt, by: Felt) { *to += by; }
    fn trace(m: &Matrix<2, 2>) -> Felt { m[(0, 0)] + m[(1, 1)] }

    pub fn main() {
        let x = public_input();
        let mut m = Matrix::<2, 2> { cells: vec![felt(0); 4] };
        m[(0, 0)] = x;
        m[(1, 1)] = m[(0, 0)] * x;
        let corner = m[(1, 1)] + felt(1);
        m[(0, 1)] += corner;
        add(&mut m[(1, 0)], x);
        for r in 0..2 { for c in 0..2 { m[(r, c)] *= felt(r + c + 1); } }
        reveal(trace(&m));
        reveal(m[(0, 1)] + m[(1, 0)]);
        let mut rows = Rows(vec![vec![1], vec![2, 3]]);
        rows[0].push(7);
        rows[1][0] += 5;
        rows[1][1] = 4;
        let copy = rows[0].clone();
        reveal(felt(rows[0].len() * 1000 + rows[1][0] * 100 + rows[1][1] * 10 + copy[1]));
        let v = V { x: 3, y: 4 };
        reveal(felt(v['x'] * 10 + v['y']));
        reveal(felt(Rows(vec![vec![1], vec![2, 3]])[1].len()));
    }
});

#[test]
fn indices_of_the_program_are_places() {
    // With x = 5: m = [5, 26 * 2; 5 * 2, 25 * 3].
    assert_eq!(
        outputs(indices::SOURCE, indices::main, &[5]),
        [80, 62, 2747, 34, 2]
    );
}

program!(references {
    use droste_gadgets::prelude::*;
    use std::fmt;
    use std::iter::Sum;
    use std::ops::{Add, AddAssign, Mul, Neg, Sub};

    #[derive(Clone, Debug, PartialEq)]
    pub struct Poly(Vec<Felt>);
    impl<'a> Mul<&'a Poly> for &'a Poly {
        type Output = Poly;
        fn mul(self, other: &Poly) -> Poly {
            let mut out = vec![felt(0); self.0.len() + other.0.len() - 1];
            for (i, a) in self.0.iter().enumerate() {
                for (j, b) in other.0.iter().enumerate() {
                    out[i + j] = out[i + j] + *a * *b;
                }
            }
            Poly(out)
        }
    }
    // Both do something else, and are told apart.
    impl Add for Poly { type Output = Poly; fn add(self, other: Poly) -> Poly { Poly(vec![self.0[0] + other.0[0]]) } }
    impl Add<&Poly> for Poly { type Output = Poly; fn add(self, other: &Poly) -> Poly { Poly(vec![self.0[0] - other.0[0]]) } }
    impl Neg for &Poly { type Output = Felt; fn neg(self) -> Felt { -self.0[0] } }
    impl AddAssign<&Poly> for Poly { fn add_assign(&mut self, other: &Poly) { self.0[0] += other.0[0]; } }
    impl Sub for &Poly { type Output = Felt; fn sub(self, other: Self) -> Felt { self.0[0] - other.0[0] } }
    impl fmt::Display for Poly {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{:?}", self.0.len()) }
    }
    impl From<&[Felt]> for Poly { fn from(list: &[Felt]) -> Poly { Poly(list.to_vec()) } }
    impl Sum for Poly {
        fn sum<I: Iterator<Item = Poly>>(all: I) -> Poly {
            let mut total = felt(0);
            for one in all { total += one.0[0]; }
            Poly(vec![total])
        }
    }
    impl<'a> IntoIterator for &'a Poly {
        type Item = &'a Felt;
        type IntoIter = std::slice::Iter<'a, Felt>;
        fn into_iter(self) -> Self::IntoIter { self.0.iter() }
    }
    impl IntoIterator for Poly {
        type Item = Felt;
        type IntoIter = std::vec::IntoIter<Felt>;
        fn into_iter(self) -> Self::IntoIter { self.0.into_iter() }
    }

    fn product<T>(a: &T, b: &T) -> T where for<'a> &'a T: Mul<&'a T, Output = T> { a * b }

    pub fn main() {
        let x = public_input();
        let (p, q) = (Poly(vec![x, felt(2)]), Poly(vec![felt(3), x]));
        let r = &p * &q;
        reveal(r.0[0] + r.0[1] + r.0[2]);
        let mut s = p.clone() + &q;
        reveal(s.0[0]);
        s += &r;
        reveal(s.0[0] + -&s + (&p - &q));
        reveal((p.clone() + q.clone()).0[0]);
        reveal(product(&p, &q).0[1] + Poly::from(&[x, x][..]).0[1]);
        reveal([p.clone(), q].into_iter().sum::<Poly>().0[0]);
        let mut total = felt(0);
        for c in &p { total += *c; }
        for c in p { total = total * felt(10) + c; }
        reveal(total);
    }
});

#[test]
fn operators_of_references_are_those_that_rust_means() {
    // With x = 5: r = [15, 25 + 6, 10].
    assert_eq!(
        outputs(references::SOURCE, references::main, &[5]),
        [56, 2, 2, 8, 31 + 5, 8, 752]
    );
}

program!(reversed {
    use droste_gadgets::prelude::*;
    use std::cmp::Reverse;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Bid { amount: u32, by: Reverse<u8> }

    fn some(n: u32) -> Option<Vec<u32>> { (n > 2).then(|| vec![n, 1]) }

    pub fn main() {
        let x = public_input();
        let mut list = vec![3u32, 9, 4, 1];
        list.sort_by_key(|n| Reverse(*n));
        assert_eq!(list, [9, 4, 3, 1]);
        list.sort_by_key(|n| std::cmp::Reverse((n % 2, *n)));
        assert_eq!(list, [9, 3, 1, 4]);
        assert!(Reverse(1) > Reverse(2) && Reverse(1).cmp(&Reverse(1)).is_eq());
        let bids = [(5, 1), (7, 2), (7, 1)].map(|(amount, by)| Bid { amount, by: Reverse(by) });
        assert_eq!(bids.iter().max().map(|bid| bid.by.0), Some(1));
        let Reverse(least) = list.iter().map(|n| Reverse(*n)).max().unwrap();
        assert_eq!((some(3).as_deref(), some(1).as_deref()), (Some(&[3, 1][..]), None));
        reveal(x * felt(least as usize) + felt(Reverse::<u8>::default().0 as usize));
    }
});

#[test]
fn reverse_has_the_order_the_other_way_round() {
    assert_eq!(outputs(reversed::SOURCE, reversed::main, &[3]), [3]);
}
