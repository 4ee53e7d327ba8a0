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

#[test]
fn what_rustc_accepts_is_accepted() {
    for x in [3, 4] {
        assert_eq!(outputs(moves::SOURCE, moves::main, &[x]).len(), 1);
    }
}
