//! Iterators that are not in the subset, or that depend on a run.

use super::{Case, case, with};

const KEPT: &str = "mutable references cannot be kept in an iterator";
const PURE: &str = "let the closure only compute, or write a `for` loop";

pub(super) const CASES: &[Case] = &[
    case(
        "let xs = [public_input(), felt(2)]; let n = «xs.iter().filter(|x| **x == felt(1)).count()»; \
         reveal(felt(n));",
        "which elements are taken must be known at compile time",
        "write a `for` loop with an `if`",
    ),
    case(
        "let xs = [public_input(), felt(2)]; \
         let n = «xs.iter().position(|x| *x == felt(1))»; reveal(felt(n.unwrap_or(0)));",
        "`position` must be decided at compile time",
        "write a `for` loop with an `if`",
    ),
    case(
        "let n = «count_to(public_input()).map(|x| x).count()»; reveal(felt(n));",
        "the number of elements of this `count` is known only in a run",
        "write a `for` loop; only `map`, `for_each`, `fold`, `sum` and `product` are in the subset \
         here",
    ),
    case(
        "let v: Vec<(u32, u32)> = Vec::new(); \
         let w = «v.into_iter().map(|pair| pair).collect()»; let _n: Vec<(u32, u32)> = w;",
        "it is not known here into what these elements are collected",
        "write `collect::<Vec<_>>()`",
    ),
    case(
        "let v = [1u32, 2]; let mut it = v.iter(); let n = «it.by_ref()».take(1).count(); reveal(felt(n));",
        KEPT,
        "take elements by `next`, in a loop",
    ),
    case(
        "let mut v = vec![1u32]; let w: Vec<u32> = «v.iter_mut()».map(|x| *x).collect();",
        "mutable references cannot be kept",
        "write `v[i] = ..`, or pass `&mut v[i]` to a function; `iter_mut` is for `for` loops",
    ),
    with(
        "struct N { n: usize }",
        "let mut it = «vec![N { n: 1 }].into_iter().cycle()»; reveal(felt(it.next().unwrap().n));",
        "the elements of this iterator are not `Clone`",
        "",
    ),
    with(
        "struct N { n: usize } impl Clone for N { fn clone(&self) -> N { N { n: self.n + 1 } } }",
        "let mut it = «[N { n: 1 }].into_iter().cycle()»; it.next(); reveal(felt(it.next().unwrap().n));",
        "`cycle` would call a function which the program wrote",
        "take references: `iter().cycle()`",
    ),
    case(
        "let mut v = vec![(1u32, 2u32)]; for «(a, b)» in v.iter_mut() { *a += *b; }",
        "a mutable reference to an element needs a name of its own here",
        "write `for x in` or `for (i, x) in`, and change `*x` or its fields",
    ),
    case(
        "let n = «[1u32, 2, 3].iter().map(|x| { reveal(felt(1)); *x }).zip([1u32].iter()).count()»; \
         reveal(felt(n));",
        "what the longer side of this `zip` does after the end of the other depends on the standard \
         library's version",
        PURE,
    ),
    // How long the right side is, std may know or not.
    case(
        "let mut n = 0; \
         «(0..5).map(|x: u32| { n += 1; x }).zip((0u32..).take(2)).for_each(|_| ())»; \
         reveal(felt(n));",
        "what the longer side of this `zip` does after the end of the other depends on the standard \
         library's version",
        PURE,
    ),
    case(
        "let mut n = 0; let v: Vec<_> = \
         «(0..5).map(|x: u32| { n += 1; x }).zip([[1u32, 2]].into_iter().flatten()).collect()»; \
         reveal(felt(n + v.len()));",
        "what the longer side of this `zip` does after the end of the other depends on the standard \
         library's version",
        PURE,
    ),
    case(
        "let v = vec![1u32]; let n: u32 = «v.iter().try_fold(0u32, |a, x| a.checked_add(*x))».unwrap();",
        "iterators have no method `try_fold` in the subset",
        "write a `for` loop",
    ),
    case(
        "let a = 0..10u32; for _ in «a.step_by(0)» {}",
        "assertion failed: step != 0",
        "",
    ),
    case(
        "let mut it = [felt(1), felt(2)].into_iter(); \
         «if public_input() == felt(1) { it.next(); }» reveal(it.next().unwrap());",
        "one side of a run-time branch leaves an iterator, the other an iterator",
        "compile-time values cannot depend on a run-time condition",
    ),
    case(
        "let mut t = (0..9u32).map_while(|n| (n % 3 < 2).then_some(n)).enumerate();
         let _a = t.nth(5); let _b = «t.next()»;",
        "this iterator has ended",
        "",
    ),
    case(
        "let mut t = (2..9u32).map_while(|n| (n % 3 < 2).then_some(n)).take(1);
         let _a = t.find(|n| *n > 0); let _b = «t.next()»;",
        "this iterator has ended",
        "",
    ),
    case(
        "let v = [1u32, 2]; let mut r = 0..=0usize; let _last = r.next_back(); let _s = &v[«r»];",
        "an index is an integer known at compile time",
        "",
    ),
];
