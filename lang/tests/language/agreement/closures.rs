//! Closures: what they capture and change, where, and functions as values.

use super::{outputs, program};

program!(changes {
    use droste_gadgets::prelude::*;

    fn twice(mut f: impl FnMut(Felt)) { f(felt(3)); f(felt(5)); }
    fn pass(f: impl FnMut(Felt)) { twice(f) }
    fn lent<F: FnMut(Felt)>(f: &mut F) { f(felt(7)); twice(f); }
    fn through(mut f: impl FnMut(Felt)) { twice(|x| f(x * felt(2))); }

    fn own(mut f: impl FnMut() -> Felt) -> Felt { f(); f() }
    fn pass_own(f: impl FnMut() -> Felt) -> Felt { own(f) }

    pub fn main() {
        let x = public_input();
        let mut sum = x;
        let mut add = |y: Felt| sum = sum * felt(2) + y;
        add(felt(1));
        add(felt(2));
        twice(&mut add);
        lent(&mut add);
        through(&mut add);
        pass(add);
        reveal(sum);

        let mut list = vec![x];
        let mut grow = |y: Felt| list.push(y);
        grow(felt(1));
        twice(grow);
        reveal(felt(list.len()) * felt(100) + list[3]);

        let mut n = felt(10);
        let mut next = move || { n = n + Felt::ONE; n };
        let mut copy = next;
        next();
        next();
        copy();
        n = n + x;
        reveal(n);
        let sum = pass_own(&mut next) + pass_own(next) * felt(10);
        reveal(sum + next() * felt(100) + copy());
    }
});

#[test]
fn a_closure_changes_what_it_captures() {
    for x in [0, 3] {
        outputs(changes::SOURCE, changes::main, &[x]);
    }
}

program!(disjoint {
    use droste_gadgets::prelude::*;

    struct Pair { a: Felt, b: Felt, list: Vec<Felt> }

    fn fields(x: Felt) -> Felt {
        let mut p = Pair { a: x, b: felt(1), list: vec![x] };
        let mut f = |y: Felt| { p.a = p.a * felt(3) + y; p.list.push(y); };
        f(felt(1));
        p.b = p.b + felt(7);
        f(felt(2));
        p.a * felt(100) + p.b * felt(10) + felt(p.list.len())
    }

    fn both(mut f: impl FnMut(), mut g: impl FnMut()) { f(); g(); f(); }
    fn mixed(mut f: impl FnMut(), x: &mut Felt) { f(); *x = *x + felt(5); f(); }

    fn together(x: Felt) -> Felt {
        let mut p = (x, felt(1));
        both(|| p.0 = p.0 * felt(2), || p.1 = p.1 + felt(3));
        mixed(|| p.0 = p.0 + felt(1), &mut p.1);
        mixed(|| p.1 = p.1 + felt(1), &mut p.0);
        p.0 * felt(10) + p.1
    }

    // The closure refers to what the reference was to when it was made.
    fn rebound(x: Felt) -> Felt {
        let a = x + felt(1);
        let b = felt(2);
        let mut r = &a;
        let f = || *r + felt(10);
        r = &b;
        f() * felt(100) + *r
    }

    fn rebound_in_a_loop(x: Felt) -> Felt {
        let a = x + felt(1);
        let b = x + felt(2);
        let mut r = &a;
        let f = || *r + felt(10);
        let mut sum = felt(0);
        for _ in count(3) { sum = sum * felt(3) + f() + *r; r = &b; }
        sum
    }

    fn moved_and_made_again(x: Felt) -> Felt {
        let mut v = vec![x];
        let take = || v;
        v = vec![x, felt(2)];
        let w = take();
        felt(v.len() * 10 + w.len())
    }

    pub fn main() {
        let x = public_input();
        reveal(fields(x));
        reveal(together(x));
        reveal(rebound(x));
        reveal(rebound_in_a_loop(x));
        reveal(moved_and_made_again(x));
    }
});

#[test]
fn a_closure_has_only_what_it_uses() {
    for x in [0, 4] {
        outputs(disjoint::SOURCE, disjoint::main, &[x]);
    }
}

program!(nested {
    use droste_gadgets::prelude::*;

    const K: usize = 4;

    fn inside(x: Felt) -> Felt {
        let mut total = x;
        let mut outer = |n: usize| {
            let mut inner = |k: usize| total = total * felt(2) + felt(k);
            inner(n);
            inner(n + 1);
        };
        outer(3);
        outer(7);
        total
    }

    fn captured(x: Felt) -> Felt {
        let mut log = x;
        let mut note = |v: Felt| log = log * felt(5) + v;
        let mut twice = || { note(felt(1)); note(felt(2)); };
        twice();
        twice();
        note(felt(3));
        log
    }

    fn moved(x: Felt) -> Felt {
        let mut log = x;
        let mut note = |v: Felt| log = log * felt(5) + v;
        let mut twice = move || { note(felt(1)); note(felt(2)); };
        twice();
        twice();
        log
    }

    fn change(x: &mut Felt) {
        let mut f = |y: Felt| *x = *x * felt(3) + y;
        f(felt(1));
        f(felt(2));
        let mut g = move |y: Felt| *x = *x + y;
        g(felt(10));
        g(felt(20));
    }

    fn shadowed(x: Felt) -> Felt {
        let f = |x: Felt| { let y = x; let x = y * y; x + y + felt(K) };
        let x = x + Felt::ONE;
        let y = f(x);
        let f = |z: Felt| f(z) + x * y;
        f(y)
    }

    fn early(n: usize) -> Felt {
        let f = |n: usize| {
            if n > 2 { return felt(1); }
            for i in 0..n { if i == 1 { return felt(5); } }
            felt(n)
        };
        f(n) + f(n + 1) * felt(10)
    }

    pub fn main() {
        let x = public_input();
        reveal(inside(x));
        reveal(captured(x));
        reveal(moved(x));
        let mut y = x;
        change(&mut y);
        reveal(y);
        reveal(shadowed(x));
        reveal(early(1) * felt(100) + early(0));
    }
});

#[test]
fn closures_in_closures_and_their_names() {
    for x in [0, 6] {
        outputs(nested::SOURCE, nested::main, &[x]);
    }
}

program!(values {
    use droste_gadgets::prelude::*;

    fn adder(k: Felt) -> impl Fn(Felt) -> Felt { move |x| x + k }
    fn counter() -> impl FnMut() -> usize { let mut n = 0; move || { n += 1; n } }
    fn compose(f: impl Fn(Felt) -> Felt, g: impl Fn(Felt) -> Felt) -> impl Fn(Felt) -> Felt {
        move |x| g(f(x))
    }
    fn double(x: Felt) -> Felt { x + x }
    fn triple(x: Felt) -> Felt { x * felt(3) }
    fn pick(f: fn(Felt) -> Felt, x: Felt) -> Felt { f(x) }
    fn small(f: impl Fn(u8) -> u8) -> u8 { f(200) / 2 }
    fn add(x: &mut Felt) { *x = *x + felt(1); }
    fn on(mut f: impl FnMut(&mut Felt), x: &mut Felt) { f(x); f(x); }
    #[inline(never)]
    fn called(f: impl Fn(Felt) -> Felt, x: Felt) -> Felt { f(x) * felt(2) }

    struct Wrap(Felt);
    struct Rule<F: Fn(Felt) -> Felt> { f: F, k: Felt }
    impl<F: Fn(Felt) -> Felt> Rule<F> {
        fn run(&self, x: Felt) -> Felt { (self.f)(x) * self.k }
    }

    pub fn main() {
        let x = public_input();
        let mut count = counter();
        let both = compose(adder(x), double);
        reveal(both(felt(5)) + felt(count() * 10 + count()));
        let table: [fn(Felt) -> Felt; 2] = [double, triple];
        let g = triple;
        reveal(table[0](x) + table[1](x) * felt(100) + pick(double, x) + g(x));
        reveal(felt(usize::from(small(|x| !x))) + (|a: Felt, b: Felt| a * b)(x, felt(3)));
        let make = Wrap;
        let rule = Rule { f: |y: Felt| y + x, k: felt(2) };
        reveal(make(x).0 + rule.run(felt(9)));
        let mut y = x;
        on(add, &mut y);
        on(|z| *z = *z * felt(3), &mut y);
        reveal(y + called(|y| y + x, felt(8)) + called(triple, x));
        let v = vec![x, felt(2)];
        let take = || v;
        reveal(take()[1]);
    }
});

#[test]
fn closures_and_functions_are_values() {
    for x in [0, 6] {
        outputs(values::SOURCE, values::main, &[x]);
    }
}

program!(run_time {
    use droste_gadgets::prelude::*;

    fn each(n: Felt, mut f: impl FnMut(Felt)) { for i in count_to(n) { f(i); } }
    fn once(yes: bool, mut f: impl FnMut()) { if yes { f(); } }

    pub fn main() {
        let x = public_input();
        let mut acc = x;
        let mut list = [x, felt(1)];
        let mut step = |v: Felt| {
            if v == x { acc = acc + felt(1); } else { acc = acc * felt(2); list[1] = list[0] + v; }
        };
        step(felt(3));
        for i in count(3) { step(i); }
        if x == felt(2) { step(felt(9)); }
        each(x, &mut step);
        once(x == felt(3), || step(felt(4)));
        let mut own = felt(1);
        let mut next = move || { own = own * felt(2); own };
        for _ in count_to(x) { next(); }
        reveal(acc);
        reveal(list[0] + list[1] * felt(10));
        reveal(next());
    }
});

#[test]
fn closures_in_run_time_code() {
    for x in [1, 2, 3] {
        outputs(run_time::SOURCE, run_time::main, &[x]);
    }
}

program!(copies {
    use droste_gadgets::prelude::*;

    fn call<F: FnMut() -> usize>(mut f: F) -> usize { f() }
    fn wrap<F: FnMut() -> usize>(f: F) -> usize { let e = move || f2(f); e() }
    fn f2<F: FnMut() -> usize>(mut f: F) -> usize { f() + f() }
    fn nest(mut f: impl FnMut()) { let mut e = move || { f(); f(); }; e(); e(); }
    struct P { a: Vec<usize>, b: usize }
    impl P {
        fn run(&mut self) -> usize {
            let mut add = |x: usize| { self.a.push(x); self.a.len() };
            let n = add(4);
            self.b += 1;
            n * 10 + add(5)
        }
    }
    pub fn main() {
        let x = public_input();
        let five = 5usize;
        let get = || five;
        let mut k = 0usize;
        let mut d = move || { k += get(); k };
        let mut e = move || d();
        reveal(felt(e() + e() * 10 + d() * 100));
        reveal(felt(call(d) + call(d) * 10 + call(&mut d) * 100 + d() * 1000));
        let mut n = 0usize;
        let mut own = 0usize;
        let up = move |c: usize| own + c;
        let mut both = || { n += up(2); n };
        reveal(felt(both() + call(&mut both)));
        let wrapped = wrap(both);
        let mut total = x;
        nest(|| total = total * felt(2) + felt(1));
        reveal(total);
        let mut p = P { a: vec![1], b: 2 };
        reveal(felt(p.run() * 1000 + p.b * 100 + wrapped));
        let mut grow = |x: usize| { p.a.push(x); p.a.len() };
        let one = grow(1);
        p.b = 9;
        let two = grow(2);
        reveal(felt(one * 100 + two * 10 + p.b));
        let mut v = vec![felt(1)];
        for i in 0..3 { let mut c = |y: Felt| v.push(y); c(x); c(felt(i)); v.push(felt(7)); }
        let mut list = [x, felt(1)];
        for i in count(3) { let mut c = |y: Felt| list[0] = list[0] + y; c(i); list[1] = list[1] * felt(2); }
        let mut c = |y: Felt| list[0] = list[0] + y;
        if x == felt(3) { c(felt(1)); } else { c(felt(2)); }
        c(felt(3));
        list = [list[1], list[0]];
        own = v.len();
        reveal(list[0] * felt(1000) + list[1] + felt(own));
    }
});

#[test]
fn a_copy_of_a_closure_changes_what_is_its_own() {
    for x in [3, 4] {
        outputs(copies::SOURCE, copies::main, &[x]);
    }
}

program!(called_once {
    use droste_gadgets::prelude::*;

    fn twice<F: FnOnce(usize) -> usize + Copy>(f: F) -> usize { f(1) * 10 + f(2) }
    #[derive(Clone, Copy)]
    struct Held<F> { f: F }
    impl<F: FnOnce(usize) -> usize + Copy> Held<F> {
        fn both(self) -> usize { (self.f)(3) + (self.f)(4) }
    }
    fn double(x: usize) -> usize { x * 2 }

    pub fn main() {
        let k = public_input();
        let n = 5usize;
        reveal(felt(twice(|x| x + n)) + k);
        reveal(felt(twice(move |x| x * n)));
        reveal(felt(twice(double)));
        let held = Held { f: |x| x + n };
        reveal(felt(held.both() + held.both()));
        let mut f: fn(usize) -> usize = double;
        let z = Some(3).map(f);
        f = |x| x + 1;
        reveal(felt(f(z.unwrap())));
    }
});

#[test]
fn closures_that_are_called_by_value() {
    outputs(called_once::SOURCE, called_once::main, &[7]);
}
