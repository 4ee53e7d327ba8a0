//! Closures whose changes would be lost, and calls of what is no function.

use super::{Case, case, with};

const LOST: &str = "a closure that changes `n` is called where the change would be lost";
const COPY: &str =
    "this closure changes what it has itself, and may be a copy: it is `FnOnce` and `Copy`";
const BOUND: &str = "bound it by `FnMut` and not by `FnOnce`";
const OWN: &str = "write `move` before the closure, or give one of both another name";
const HELP: &str = "call it in the function that made it, or pass it as an argument itself";

pub(super) const CASES: &[Case] = &[
    with(
        "struct S<F: FnMut()> { f: F }
         fn call<F: FnMut()>(s: &mut S<F>) { «(s.f)()»; }",
        "let mut n = felt(0);
         let mut s = S { f: || n = n + felt(1) };
         call(&mut s);
         reveal(n);",
        LOST,
        HELP,
    ),
    with(
        "fn call(f: impl FnMut()) { let mut g = f; «g()»; }",
        "let mut n = felt(0);
         call(|| n = n + felt(1));
         reveal(n);",
        LOST,
        HELP,
    ),
    with(
        "fn counter(n: &mut Felt) -> impl FnMut() { move || *n = *n + felt(1) }",
        "let mut x = felt(0);
         let mut count = counter(&mut x);
         «count()»;
         reveal(x);",
        LOST,
        HELP,
    ),
    // A mutable reference to a closure is moved.
    with(
        "fn call(f: impl FnMut() -> Felt) { let mut g = f; «g()»; }",
        "let mut n = felt(0);
         let mut f = move || { n = n + felt(1); n };
         call(&mut f);
         reveal(f());",
        "a closure that changes `f` is called where the change would be lost",
        HELP,
    ),
    // rustc calls a copy each time.
    with(
        "fn twice(f: impl FnOnce() -> usize + Copy) -> usize { «f()» + f() }",
        "let mut k = 0usize; reveal(felt(twice(move || { k += 1; k })));",
        COPY,
        BOUND,
    ),
    with(
        "trait Both: FnOnce() -> usize + Copy {}
         impl<T: FnOnce() -> usize + Copy> Both for T {}
         struct Held<F> { f: F }
         fn twice<F: Both>(h: Held<F>) -> usize { «(h.f)()» + (h.f)() }",
        "let mut k = 0usize; reveal(felt(twice(Held { f: move || { k += 1; k } })));",
        COPY,
        BOUND,
    ),
    with(
        "fn twice<F>(f: F) -> usize where F: FnOnce() -> usize, F: Copy {
             let all = [f; 2];
             «all[0]()» + all[1]() + all[0]()
         }",
        "let mut k = 0usize; reveal(felt(twice(move || { k += 1; k })));",
        COPY,
        BOUND,
    ),
    with(
        "fn make() -> «impl FnOnce() -> usize + Copy» { let mut k = 0usize; move || { k += 1; k } }",
        "let f = make(); reveal(felt(f() + f()));",
        "`impl FnOnce` as a result has no further bounds in the subset",
        "write `impl FnMut`, with `+ Copy` or `+ Clone`",
    ),
    // rustc has moved the first value into the closure.
    case(
        "let mut v = vec![felt(1)];
         let c = |take: bool| { if take { let w = v; return w.len(); } v.push(felt(7)); v.len() };
         v = vec![felt(1)];
         reveal(felt(«c(false)»)); reveal(felt(v.len()));",
        "`v` has changed since this closure was made, which changes its own `v`",
        OWN,
    ),
    with(
        "struct S { a: Vec<usize>, b: usize }",
        "let mut s = S { a: vec![1], b: 2 };
         let c = |q: bool| { if q { let w = s.a; return w.len(); } s.a.push(5); s.a.len() };
         s.a = vec![1];
         s.b = 9;
         reveal(felt(«c(false)»)); reveal(felt(s.a.len()));",
        "`s` has changed since this closure was made, which changes its own `s`",
        OWN,
    ),
    case(
        "let mut v = vec![felt(1)];
         let c = |take: bool| { if take { let w = v; return w.len(); } v.push(felt(7)); v.len() };
         for i in count(2) { v = vec![i]; }
         reveal(felt(«c(false)»)); reveal(felt(v.len()));",
        "`v` has changed since this closure was made, which changes its own `v`",
        OWN,
    ),
    case(
        "let mut f: fn(Felt) -> Felt = |x| x; reveal(«f({ f = |x| x + x; felt(1) })»);",
        "the arguments of this call change what is called",
        "evaluate them before it, with `let`",
    ),
    case(
        "let x = felt(1); «x(felt(2))»;",
        "a Felt is not a function",
        "",
    ),
    case(
        "let f = |x: Felt| x; reveal(«f(felt(1), felt(2))»);",
        "the closure takes 1 arguments, 2 are given",
        "",
    ),
];
