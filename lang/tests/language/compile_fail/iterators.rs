//! Iterators that are not in the subset, or that depend on a run.

use super::{Case, case, with};

const KEPT: &str = "mutable references cannot be kept in an iterator";
const PURE: &str = "let the closure only compute, or write a `for` loop";

const AFTER: &str = "what this gives after a `None` depends on the standard library's version";
const FUSE: &str = "call `fuse` of the iterator before its adaptors";
/// Says `None` each third time.
const THIRDS: &str = "struct Thirds(u32); impl Iterator for Thirds { type Item = u32;
    fn next(&mut self) -> Option<u32> { self.0 += 1; (self.0 % 3 != 0).then_some(self.0) } }";

pub(super) const CASES: &[Case] = &[
    // `Enumerate::nth` counts or does not count what it skips before a `None`.
    case(
        "let mut it = (0..20u32).map_while(|n| (n % 3 != 2).then_some(n)).enumerate(); \
         it.nth(5); let x = «it.next()»; reveal(felt(x.unwrap().0));",
        AFTER,
        FUSE,
    ),
    case(
        "let mut n = 0u32; let mut it = std::iter::from_fn(|| { n += 1; (n % 4 != 0).then_some(n) }).take(4); \
         it.all(|n| n < 9); let x = «it.next()»; reveal(felt(x.is_some() as usize));",
        AFTER,
        FUSE,
    ),
    with(
        THIRDS,
        "fn rest(it: &mut impl Iterator<Item = u32>) -> usize { «it.count()» } \
         let mut it = Thirds(0).take(5); let first = rest(&mut it); reveal(felt(first + rest(&mut it)));",
        AFTER,
        FUSE,
    ),
    // `StepBy::nth` goes on, `StepBy::next` does not.
    with(
        THIRDS,
        "let n = «Thirds(2).step_by(2).nth(1)»; reveal(felt(n.is_some() as usize));",
        AFTER,
        FUSE,
    ),
    // What the ends of an empty range are depends on how it was taken.
    case(
        "let v = [1u8]; let mut r = 0..=0usize; r.next_back(); reveal(felt(v[«r»].len()));",
        "an index is an integer known at compile time, not an iterator",
        "",
    ),
    case(
        "let v = [1u8]; let mut r = 0..=0usize; r.next_back(); reveal(felt(«v.get(r)».is_some() as usize));",
        "an iterator",
        "",
    ),
    case(
        "let mut r = 5..3usize; r.nth(0); reveal(felt(«r.start»));",
        "an iterator has no field `start`",
        "",
    ),
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
        "let v = vec![1u32]; let n = «v.iter().try_find(|x| Some(**x == 1))»;",
        "iterators have no method `try_find` in the subset",
        "write a `for` loop",
    ),
    // Of no elements, the closure does not say what it returns.
    case(
        "let n: u32 = «(0..0u32).try_fold(0u32, |a, x| a.checked_add(x))».unwrap();",
        "the type of this `try_fold` is not known here",
        "write the type of its result, at a `let`",
    ),
    case(
        "let v = «std::iter::from_fn(|| Some(1u32)).take(2).rev().count()»; reveal(felt(v));",
        "this iterator cannot be taken from its end",
        "`collect` it into a `Vec` first",
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
];
