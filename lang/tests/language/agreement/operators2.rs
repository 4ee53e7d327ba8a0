//! Operators of the program's types, and comparisons of values with parts.

use super::{both, outputs, program};

program!(operators {
    use droste_gadgets::prelude::*;
    use std::ops::{Add, AddAssign, Mul, Neg, Not, Shl, Sub};

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct V { x: Felt, n: usize }

    impl Add for V {
        type Output = Self;
        fn add(self, other: Self) -> Self { V { x: self.x + other.x, n: self.n * 10 + other.n } }
    }
    impl Sub for V { type Output = Felt; fn sub(self, other: V) -> Self::Output { self.x - other.x } }
    impl Mul<Felt> for V { type Output = V; fn mul(self, k: Felt) -> V { V { x: self.x * k, n: self.n } } }
    impl Mul<usize> for V { type Output = V; fn mul(self, k: usize) -> V { V { x: self.x, n: self.n * k } } }
    impl Mul<V> for Felt { type Output = Felt; fn mul(self, v: V) -> Felt { self * v.x + felt(v.n) } }
    impl Neg for V { type Output = V; fn neg(self) -> V { V { x: -self.x, n: self.n + 1 } } }
    impl Not for V { type Output = bool; fn not(self) -> bool { self.n % 2 == 0 } }
    impl Shl<usize> for V { type Output = V; fn shl(self, by: usize) -> V { V { x: self.x, n: self.n << by } } }
    impl AddAssign for V { fn add_assign(&mut self, other: V) { self.x += other.x; self.n += other.n; } }
    impl AddAssign<Felt> for V { fn add_assign(&mut self, x: Felt) { self.x += x; } }

    fn twice<T: Add<Output = T> + Copy>(a: T, b: T) -> T { a + b + a }
    fn scaled<T: Mul<Felt, Output = T>>(a: T, k: Felt) -> T { a * k }
    fn product<A, B>(a: A, b: B) -> A::Output where A: Mul<B> { a * b }
    fn grow<T: AddAssign + Copy>(list: &mut [T; 2], by: T) { list[1] += by; }
    #[inline(never)]
    fn called(a: V, b: V) -> V { a + b * a.x }

    pub fn main() {
        let x = public_input();
        let (a, b) = (V { x, n: 1 }, V { x: x * x, n: 2 });
        let c = a + b * felt(3) + -a;
        reveal(c.x);
        reveal(felt(c.n));
        reveal(b - a);
        reveal(felt(7) * a + felt((a << 3).n) + product(felt(2), b) + product(x, x));
        let mut d = [a, a];
        d[0] += b;
        d[0] += felt(100);
        d[0] = d[0] * 3;
        grow(&mut d, b);
        reveal(d[0].x + felt(d[0].n) + d[1].x + felt(d[1].n));
        reveal(twice(a, b).x + felt(twice(3usize, 4)) + twice(x, felt(1)));
        let odd = if !a { felt(1) } else { scaled(a, felt(2)).x + scaled(x, felt(2)) };
        reveal(odd + called(a, b).x + Add::add(a, b).x + Neg::neg(a).x);
    }
});

#[test]
fn operators_call_the_programs_functions() {
    // With x = 5: a = (5, 1), b = (25, 2), d[0] = (130, 9), d[1] = (30, 3).
    assert_eq!(
        outputs(operators::SOURCE, operators::main, &[5]),
        [75, 122, 20, 36 + 8 + 52 + 25, 172, 56, 20 + 130 + 30 - 5]
    );
}

program!(owned {
    use droste_gadgets::prelude::*;

    #[derive(Debug)]
    pub struct M { v: Vec<Felt> }
    impl std::ops::Add for M {
        type Output = M;
        fn add(mut self, other: M) -> M { for x in other.v { self.v.push(x); } self }
    }
    impl std::ops::AddAssign<Felt> for M { fn add_assign(&mut self, x: Felt) { self.v.push(x); } }
    impl PartialEq for M { fn eq(&self, other: &M) -> bool { self.v == other.v } }
    impl PartialEq<Felt> for M { fn eq(&self, other: &Felt) -> bool { self.v[0] == *other } }

    fn one(x: Felt) -> M { M { v: vec![x] } }
    fn bit(b: bool) -> Felt { if b { felt(1) } else { felt(0) } }
    fn changed(m: &mut M, x: Felt) { *m += x; }

    pub fn main() {
        let x = public_input();
        let mut m = one(x) + one(felt(2)) + one(x * x);
        m += felt(9);
        changed(&mut m, x);
        let mut all = vec![m, one(felt(2))];
        all[0] += felt(4);
        let mut pair = (one(x), 1usize);
        pair.0 += x;
        reveal(felt(all[0].v.len()) + all[0].v[5]);
        reveal(bit(all[0] == all[1]) + bit(pair.0 == M { v: vec![x, felt(3)] }) * felt(10));
        reveal(bit(pair.0 == felt(3)) + bit(pair.0 != x) * felt(10));
        let joined = one(x) + pair.0;
        reveal(bit(joined.v == [x, x, x]) + bit(all != [joined]) * felt(10));
        assert_eq!(all[1], felt(2));
        assert_ne!(all[1], all[0]);
    }
});

#[test]
fn operands_without_copy_are_moved_and_places_changed() {
    let run = |x| outputs(owned::SOURCE, owned::main, &[x]);
    assert_eq!(run(3), [10, 10, 1, 11]);
    assert_eq!(run(4), [10, 0, 0, 11]);
}

program!(equal {
    use droste_gadgets::prelude::*;

    fn bit(b: bool) -> Felt { if b { felt(1) } else { felt(0) } }

    pub fn main() {
        let (x, y) = (public_input(), public_input());
        let (a, b) = ([x, y, felt(3)], [y, x, felt(3)]);
        reveal(bit(a == b) + bit(a != b) * felt(10) + bit([a, a] == [a, b]) * felt(100));
        reveal(bit((x, (y, 1usize)) == (y, (x, 1))) + bit((x, 1usize) == (x, 2)) * felt(10));
        let (e, f) = (Ext::from_coeffs([x, y, x, y, x]), Ext::from_coeffs([y, x, y, x, y]));
        reveal(bit(e == f) + bit(e * e == e * f) * felt(10) + bit(e * f != f * f) * felt(100));
        let known = Ext::new([2, 0, 0, 0, 0]);
        reveal(bit(known == Ext::from_felt(x)) + bit(e - e == Ext::ZERO) * felt(10) + bit(e == known) * felt(100));
        let (p, q) = (Block::new([x, y, x, y, x, y, x, y]), Block::new([y, x, y, x, y, x, y, x]));
        let made = (e * e).as_block();
        reveal(bit(p == q) + bit(made == (f * e).as_block()) * felt(10) + bit(made != made) * felt(100));
        let list = vec![(x, true), (y, false)];
        let same = list == vec![(y, true), (x, false)] && list.len() == 2;
        reveal(bit(same) + bit(list == [(y, true), (x, x == y)]) * felt(10) + bit(x.eq(&y)) * felt(100));
    }
});

#[test]
fn values_with_parts_are_equal_if_all_parts_are() {
    let run = |x, y| outputs(equal::SOURCE, equal::main, &[x, y]);
    assert_eq!(run(5, 5), [101, 1, 11, 10, 11, 101]);
    assert_eq!(run(2, 6), [10, 0, 100, 11, 0, 0]);
}

program!(own_equality {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy, Debug)]
    pub struct N { x: Felt }
    // It fails for zero, so it matters whether it is called.
    impl PartialEq for N {
        fn eq(&self, other: &N) -> bool { assert_ne!(self.x, felt(0)); self.x == other.x }
    }
    #[derive(Clone, Copy, PartialEq)]
    pub struct Pair { k: Felt, n: N }

    fn bit(b: bool) -> Felt { if b { felt(1) } else { felt(0) } }

    pub fn main() {
        let (x, y) = (public_input(), public_input());
        let (p, q) = (Pair { k: x, n: N { x: y } }, Pair { k: felt(1), n: N { x: felt(7) } });
        reveal(bit(p == q) + bit(p != q) * felt(10));
        reveal(bit([p, p] == [q, q]) + bit((x, p) == (x, q)) * felt(10));
        reveal(bit(x == felt(1) && p.n == q.n) + bit(x != felt(1) || p.n != q.n) * felt(10));
        let later = (N { x: felt(4) }, 1usize) == (N { x: y }, 2);
        reveal(bit(later));
        if x == felt(1) { assert_eq!(p.n, N { x: felt(7) }); }
    }
});

#[test]
fn the_programs_equality_is_called_when_rust_calls_it() {
    let run = |x, y| both(own_equality::SOURCE, own_equality::main, &[x, y], &[]);
    let outputs = |x, y| run(x, y).map(|statement| statement[2..6].to_vec());
    assert_eq!(outputs(1, 7), Some(vec![1, 11, 1, 0]));
    assert_eq!(outputs(2, 0), Some(vec![10, 0, 10, 0]));
    assert_eq!(outputs(1, 0), None);
    assert_eq!(outputs(1, 8), None);
}

program!(ordered {
    use droste_gadgets::prelude::*;
    use std::cmp::Ordering;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Kind { Small = 5, Big = 2, Next }
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Size { Nothing, One(u8), Two { a: u8, b: bool } }
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Back(u32);
    impl Ord for Back { fn cmp(&self, other: &Self) -> Ordering { other.0.cmp(&self.0) } }
    impl PartialOrd for Back { fn partial_cmp(&self, other: &Self) -> Option<Ordering> { Some(self.cmp(other)) } }
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Both { size: Size, back: Back }
    // No two are ordered, but for zero.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Some0(u8);
    impl PartialOrd for Some0 {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            if self.0 == 0 { Some(self.0.cmp(&other.0)) } else { None }
        }
    }

    fn number(bits: &[bool]) -> Felt {
        let mut n = 0usize;
        for bit in bits { n = 2 * n + *bit as usize; }
        felt(n)
    }

    pub fn main() {
        let (one, two) = (Size::One(3), Size::Two { a: 3, b: false });
        reveal(number(&[Kind::Small < Kind::Big, Kind::Next > Kind::Big, one > Size::Nothing, one < two,
            Size::One(4) <= one, two < Size::Two { a: 3, b: true }, one >= one]));
        reveal(number(&[Back(2) < Back(3), (1u8, Back(2)) < (1, Back(3)), [1i8, -2] < [1, 0],
            vec![1u8, 2] < vec![1, 2, 0], (2, false) > (1, true), Some0(1) < Some0(2), Some0(1) >= Some0(1),
            Some0(0) < Some0(4)]));
        let (p, q) = (Both { size: one, back: Back(1) }, Both { size: one, back: Back(2) });
        reveal(number(&[p > q, p.cmp(&q) == Ordering::Greater, p.partial_cmp(&q).is_some(),
            Some0(1).partial_cmp(&Some0(1)).is_none(), p.max(q) == p, p.min(q) == p, p.lt(&q), p.ne(&q)]));
        reveal(felt(std::cmp::max(Back(2), Back(3)).0 as usize + std::cmp::min(4usize, 7) * 10
            + std::cmp::max(3usize, 2) * 100));
        reveal(felt(Back(4).clamp(Back(9), Back(5)).0 as usize + 7usize.clamp(1, 5) * 10
            + Ord::max(2usize, 3) * 100));
        reveal(number(&[true > false, 'a' < 'b', Kind::Big.max(Kind::Small) == Kind::Small,
            PartialOrd::lt(&1u8, &2), (1u8, 2u8).cmp(&(1, 3)).is_lt(), [3u8, 1].max([2, 9]) == [3, 1]]));
    }
});

#[test]
fn values_known_while_compiling_have_their_order() {
    let found = outputs(ordered::SOURCE, ordered::main, &[]);
    assert_eq!(
        found,
        [0b011_1011, 0b0011_1001, 0b1111_1001, 342, 355, 0b11_1111]
    );
}

program!(beside_those_of_integers {
    use droste_gadgets::prelude::*;
    use std::ops::{Mul, Shl};

    #[derive(Clone, Copy)]
    pub struct S;
    impl Mul<S> for i32 { type Output = u64; fn mul(self, _s: S) -> u64 { 1 } }
    impl Mul<S> for u64 { type Output = u64; fn mul(self, _s: S) -> u64 { self + 2 } }
    impl Shl<S> for u8 { type Output = u8; fn shl(self, _s: S) -> u8 { self + 1 } }

    pub fn main() {
        let wide: u64 = 3u64 * S;
        let narrow: u64 = 3i32 * S;
        reveal(felt((wide * 10 + narrow) as usize));
        // Those of the language still have the type of what is expected.
        let byte: u8 = 4 * 5 * 6;
        let shifted: u8 = 1 << 7;
        reveal(felt((!byte) as usize * 1000 + (!shifted) as usize + (1u8 << S) as usize));
        let list = [7, 8, 9];
        reveal(felt(list[1 * 2] + 2 * 3));
    }
});

#[test]
fn operators_of_integers_and_of_the_program_are_told_apart() {
    assert_eq!(
        outputs(
            beside_those_of_integers::SOURCE,
            beside_those_of_integers::main,
            &[]
        ),
        [51, 135_129, 15]
    );
}

program!(of_other_arguments {
    use droste_gadgets::prelude::*;

    #[derive(PartialEq)]
    pub struct H<T> { x: T }
    impl PartialEq<H<i32>> for H<u8> { fn eq(&self, _other: &H<i32>) -> bool { false } }
    #[derive(PartialEq)]
    pub struct W<T> { h: H<T> }

    fn bit(b: bool) -> Felt { if b { felt(1) } else { felt(0) } }

    pub fn main() {
        reveal(bit(H { x: 5u8 } == H { x: 5u8 }) + bit(H { x: 5u8 } == H { x: 5i32 }) * felt(10));
        // A tuple, and what derives its comparison, is compared with its own type only.
        reveal(bit((H { x: 5u8 }, 1u8) == (H { x: 5 }, 1)));
        reveal(bit(W { h: H { x: 5u8 } } == W { h: H { x: 5 } }) + bit(Some(H { x: 5u8 }) == Some(H { x: 5 })) * felt(10));
    }
});

#[test]
fn comparisons_of_other_generic_arguments_are_told_apart() {
    assert_eq!(
        outputs(of_other_arguments::SOURCE, of_other_arguments::main, &[]),
        [1, 1, 11]
    );
}

program!(assigned {
    use droste_gadgets::prelude::*;

    fn next(n: &mut usize) -> usize { *n += 1; *n }

    pub fn main() {
        let x = public_input();
        let (mut v, mut n) = ([0u32; 4], 0usize);
        let (byte, one, many) = (3u8, 1u32, 7usize);
        v[byte as usize] += one;
        v[byte as usize - 1] += many as u32 * 2;
        v[usize::from(byte)] *= 5;
        v[next(&mut n)] += 1;
        v[next(&mut n)] -= 4;
        for value in v { reveal(felt(value as usize)); }
        let mut signs = [0i8; 2];
        signs[next(&mut n) - 3] += -2;
        reveal(felt(signs[0] as u8 as usize));
        reveal(felt(n));
        let both = x == felt(1) && many as u32 == 7;
        reveal(if both { felt(1) } else { felt(2) });
    }
});

#[test]
fn assignments_whose_order_does_not_matter() {
    for (x, last) in [(1, 1), (0, 2)] {
        let found = outputs(assigned::SOURCE, assigned::main, &[x]);
        assert_eq!(found, [0, 1, 10, 5, 254, 3, last]);
    }
}
