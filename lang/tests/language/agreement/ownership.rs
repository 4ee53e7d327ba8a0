//! Moves, references and types that rustc accepts.

use super::{outputs, program};

program!(moves {
    use droste_gadgets::prelude::*;

    #[derive(Clone)]
    pub struct N { x: Felt }
    #[derive(Clone, Copy)]
    pub struct C<T> { t: T }
    pub struct W { a: N, b: N, v: Vec<Felt> }
    pub struct R<'a> { n: &'a N, v: &'a [Felt] }
    type Alias<'a> = &'a N;

    impl N {
        fn take(self) -> Felt { self.x }
        fn get(&self) -> Felt { self.x }
        fn itself(&self) -> &Self { self }
        fn with(mut self, x: Felt) -> Self { self.x = x; self }
    }
    trait Pick { type Out; fn pick(&self) -> Self::Out; fn own(self) -> Felt; }
    impl Pick for N {
        type Out = Felt;
        fn pick(&self) -> Self::Out { self.x }
        fn own(self) -> Felt { self.take() }
    }

    fn read(n: &N) -> Felt { n.x }
    fn twice<T: Copy>(t: T) -> (T, T) { (t, t) }
    fn one<'a>(a: &'a N, _b: &'a N) -> &'a N { a }
    fn last(list: &[N]) -> &N { &list[list.len() - 1] }
    fn same<T>(a: T, _b: T) -> T { a }
    fn alias(n: Alias<'_>) -> Felt { n.x }
    fn sum(list: &[Felt]) -> Felt { let mut all = felt(0); for x in list { all += *x; } all }
    fn grow(v: &mut Vec<Felt>, x: Felt) { v.push(x); *v = v.clone(); v[0] += x; }
    fn replace(n: &mut N, x: Felt) -> Felt { let old = n.clone(); *n = N { x }; n.x += old.x; old.take() }
    fn picked<T: Pick>(t: &T) -> T::Out { t.pick() }
    #[inline(never)]
    fn called(n: &N, list: &[N], own: N) -> N { let x = n.x + list[0].x; own.with(x) }

    pub fn main() {
        let x = public_input();
        // A variable that was moved may get a value again.
        let mut n = N { x };
        let mut all = n.take();
        n = N { x: x + felt(1) };
        all += read(&n);
        // References are copied, and clones are owned.
        let r = &n;
        let (a, b) = twice(r);
        all += read(a) + read(b) + read(one(r, r.itself())) + alias(r);
        let c = r.clone();
        all += c.take() + picked(r) + r.get();
        let holder = R { n: r, v: &[x, x] };
        let again = R { n: holder.n, ..holder };
        all += read(again.n) + read(holder.n) + sum(holder.v) + sum(again.v);
        let pair = (r, &c2(x));
        let (p, q) = pair;
        all += read(p) + read(q) + read(pair.0) + read(pair.1);
        // Parts are moved one by one.
        let w = W { a: N { x }, b: N { x: x * x }, v: vec![x] };
        let W { a, .. } = w;
        all += a.take() + read(&w.b) + sum(&w.v);
        let mut v = w.v;
        grow(&mut v, x);
        all += sum(&v) + w.b.own();
        let (left, right) = (N { x }, N { x });
        let list = [left, right];
        for n in &list { all += read(n); }
        for n in list.iter() { let m = n; all += read(m) + read(n); }
        all += read(last(&list)) + same(&list[0], &list[1]).x;
        for n in list { all += n.take(); }
        // A move in a branch, in a loop and in an arm.
        let m = N { x };
        let moved = if x == felt(3) { m } else { N { x: felt(1) } };
        all += read(&moved);
        for i in 0..2usize { let own = N { x: x + felt(i) }; all += own.take(); }
        let own = N { x };
        let out = match 1usize { 0 => N { x: felt(0) }, _ => own };
        all += called(&out, &[N { x }, N { x }], out.clone()).x;
        let mut changed = N { x };
        all += replace(&mut changed, felt(5)) + changed.x;
        // Slices of different lengths are of one type, and a `Vec` is one.
        let mut part: &[Felt] = &v;
        all += sum(part);
        part = &v[0..1];
        all += sum(part) + sum(same(part, &v)) + sum(&[x; 3]);
        let copied = C { t: x };
        let both = (copied, copied);
        all += both.0.t + copied.t;
        let late: N;
        late = N { x };
        let S { n: inner } = wrap(late);
        reveal(all + inner.x + <N as Pick>::own(N { x }) + N::get(&inner) + Pick::pick(&inner));
    }

    pub struct S { n: N }
    fn wrap(n: N) -> S { S { n } }
    fn c2(x: Felt) -> N { N { x: x + x } }
});

program!(parts {
    use droste_gadgets::prelude::*;
    use std::marker::PhantomData;

    pub struct N { x: Felt }
    #[derive(Clone, Copy)]
    pub struct R<'a> { n: &'a N }
    #[derive(Clone)]
    pub struct D<T> { t: T }
    #[derive(Clone, Copy)]
    pub struct P<T> { t: T }
    type Names = [&'static str; 2];
    mod steps { use std::ops::Range; pub type Steps = Range<usize>; }
    use steps::Steps;
    pub struct Named { name: &'static str, names: Names, x: Felt }
    pub trait Tr { type Out; fn value(&self) -> Felt; }
    #[derive(Clone, Copy)]
    pub struct A;
    impl Tr for A { type Out = Felt; fn value(&self) -> Felt { felt(3) } }
    pub struct Of<T: Tr> { x: T::Out, all: Vec<T::Out>, of: PhantomData<T> }
    pub trait Take<X> { fn take(&self, x: X, y: &X) -> X; }
    impl Take<Felt> for A { fn take(&self, mut x: Felt, y: &Felt) -> Felt { x += *y; x } }
    impl Clone for N { fn clone(&self) -> Self { N { x: self.x } } }
    pub struct S { data: Vec<Felt>, rest: Vec<Felt> }
    pub struct Generic<T> { t: T }
    pub struct Bare { x: Felt }

    fn named(_name: &str, _names: Names, x: Felt) -> Felt { x }
    fn checked(x: Felt, y: Felt, why: &'static str) { assert!(x == y, "{why}"); }
    fn generic(_g: Generic<&'static str>, r: Generic<Steps>) -> Felt { sum(r.t) }
    fn sum(range: Steps) -> Felt { let mut all = felt(0); for i in range { all += felt(i); } all }
    fn of<T: Tr>(x: T::Out, y: T::Out) -> Of<T> { let all = vec![y]; Of { x, all, of: PhantomData } }
    fn read(of: Of<A>) -> Felt { of.x + of.all[0] }
    fn first(&(mut x): &[Felt; 2], &(mut y): &Felt) -> Felt { x[0] += felt(5); y += x[0]; y }
    fn same(v: Vec<Felt>) -> Vec<Felt> { v }
    fn total(v: &Vec<Felt>) -> Felt { let mut all = felt(0); for x in (&v).into_iter() { all += *x; } all }
    #[inline(never)]
    const fn size(n: usize) -> usize { n * 2 }
    const LENGTH: usize = size(2);
    fn early(x: Felt) -> Felt {
        const K: usize = { let mut k = 0; while k < 3 { if k == 2 { break; } k += 1; } k };
        for i in 0..5usize { if i == K { return x + felt(i); } else { continue; } }
        felt(0)
    }

    pub fn main() {
        let x = public_input();
        let mut all = sum(0..3) + named("a", ["b", "c"], x) + generic(Generic { t: "a" }, Generic { t: 0..4 });
        checked(x, x, "the same");
        let s = Named { name: "a", names: ["b", "c"], x };
        all += s.x + read(of::<A>(x, x)) + read(of(felt(4), x)) + A.take(x, &x) + early(x);
        all += first(&[x, x], &x) + felt([0usize; LENGTH].len() + size(3));
        // Parts of a tuple that is assigned.
        let pair = (N { x }, N { x: x + x });
        let (mut n, mut m) = (N { x }, N { x });
        all += n.x + m.x;
        (n, _) = pair;
        all += n.x + pair.1.x;
        let pair = (pair.1, N { x: felt(9) });
        (m, n) = pair;
        let mut swap = (N { x: felt(1) }, N { x: felt(2) });
        (swap.0, swap.1) = (swap.1, swap.0);
        (swap.1, swap.0) = swap;
        all += n.x + m.x + swap.0.x;
        // Iterators are moved, and go through references.
        let a = [N { x }, N { x }];
        for n in (&a).into_iter() { all += n.x; }
        let it = a.into_iter();
        let again = it;
        for n in again { all += n.x; }
        let v = vec![x, x];
        all += total(&v);
        for y in v.into_iter() { all += y; }
        // References, and clones of references to what is not `Clone`.
        let one = N { x };
        let r = R { n: &one };
        let copied = r;
        let g = D { t: A };
        let bare = Bare { x };
        let h = D { t: &bare };
        let k = &h;
        let l = k.clone();
        let owned = D { t: Bare { x } };
        let r2 = &owned;
        let r3 = r2.clone();
        all += r3.t.x + r2.t.x;
        let p = P { t: &one };
        let q = p;
        all += copied.n.x + r.n.x + g.clone().t.value() + l.t.x + h.t.x + p.t.x + q.t.x;
        // Sides of a branch, and iterations.
        let late: &N;
        let mut value;
        if x == felt(3) { late = &one; value = N { x }; } else { late = r.n; value = N::clone(&one); }
        all += late.x + value.x;
        for _i in count(2) { value = N { x: value.x + x }; }
        let mut part = S { data: vec![x; 3], rest: vec![] };
        let rest = part.rest;
        all += felt(rest.len());
        if x == felt(3) { part.rest = vec![]; } else { part.rest = vec![]; }
        part.rest = same(part.rest);
        let S { data, rest } = part;
        reveal(all + value.x + data[2] + felt(rest.len()));
    }
});

program!(imported {
    use droste_gadgets::prelude::*;
    use std::ops::Range;

    fn sum(range: Range<usize>) -> Felt { let mut all = felt(0); for i in range { all += felt(i); } all }

    pub fn main() { reveal(sum(0..4)); }
});

#[test]
fn parts_and_iterators_are_moved_as_in_rustc() {
    for x in [3, 4] {
        assert_eq!(outputs(parts::SOURCE, parts::main, &[x]).len(), 1);
    }
    assert_eq!(outputs(imported::SOURCE, imported::main, &[]), [6]);
}

#[test]
fn what_rustc_accepts_is_accepted() {
    for x in [3, 4] {
        assert_eq!(outputs(moves::SOURCE, moves::main, &[x]).len(), 1);
    }
}
