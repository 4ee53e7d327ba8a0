//! Methods of slices and `Vec`s that are not in the subset, or that would panic.

use super::{Case, case, with};

const PURE: &str = "let the closure only compute, or write a `for` loop";

pub(super) const CASES: &[Case] = &[
    case(
        "let mut v = vec![1u32]; «v.insert(3, 1)»;",
        "insertion index (is 3) should be <= len (is 1)",
        "",
    ),
    case(
        "let mut v = vec![1u32]; let x = «v.remove(1)»; reveal(Felt::new(x));",
        "removal index (is 1) should be < len (is 1)",
        "",
    ),
    case(
        "let mut v = vec![1u32, 2]; «v.swap(0, 2)»;",
        "the length is 2 but the index is 2",
        "",
    ),
    case(
        "let mut v = vec![1u32, 2]; «v[..1].copy_from_slice(&[1, 2])»;",
        "`copy_from_slice`: the source has 2 elements, the destination 1",
        "",
    ),
    case(
        "let v = vec![1u32, 2]; for w in «v.windows(0)» { reveal(Felt::new(w[0])); }",
        "window size must be non-zero",
        "",
    ),
    case(
        "let mut v = vec![2u32, 1]; let mut n = 0; «v.sort_by_key(|x| { n += 1; *x })»; reveal(felt(n));",
        "what is called while sorting depends on the standard library's version",
        PURE,
    ),
    case(
        "let mut v = vec![2u32, 1, 2]; \
         «v.sort_by(|a, b| if a < b { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater })»;",
        "these comparisons do not agree on one order",
        "",
    ),
    case(
        "let mut v = vec![(2u32, 1u32), (2, 3)]; «v.sort_unstable_by_key(|x| x.0)»;",
        "an unstable sort may leave these elements in any order",
        "write `sort`, `sort_by` or `sort_by_key`",
    ),
    case(
        "let v = [1u32, 1, 2]; let at = «v.binary_search(&1)»; reveal(felt(at.unwrap_or(0)));",
        "what this finds depends on the standard library's version",
        "the list must be sorted, and have one such element at most",
    ),
    case(
        "let v = vec![1u32]; let x = «v.rsplit(|x| *x < 1)»; reveal(felt(x.count()));",
        "arrays and `Vec`s have no method `rsplit` in the subset",
        "write a `for` loop",
    ),
    case(
        "let v = [2u32, 1]; let x = «v.partition_point(|x| *x < 2)»; reveal(felt(x));",
        "what this finds depends on the standard library's version",
        "the list must be sorted, and have one such element at most",
    ),
    case(
        "let mut n = 0; let v = [2u32, 1]; let x = «v.split(|x| { n += 1; *x < 2 })».count(); reveal(felt(n + x));",
        "when `split` calls this closure depends on the standard library's version",
        PURE,
    ),
    case(
        "let mut n = 0; let v = [2u32, 3]; \
         let x = «v.chunk_by(move |a, b| { n += 1; a + n < *b })»; reveal(felt(x.count()));",
        "this closure must not change what it has captured",
        "",
    ),
    case(
        "let v = [1u32, 3]; let mut n = 0; \
         let x = «v.partition_point(move |x| { n += 1; *x < n })»; reveal(felt(x));",
        "this closure must not change what it has captured",
        "",
    ),
    case(
        "let v = [felt(1), public_input()]; let x = «v.split(|x| *x == felt(2))»; reveal(felt(x.count()));",
        "expected a bool known at compile time",
        "",
    ),
    // Details of the standard library.
    with(
        "struct M(usize); impl PartialEq for M { fn eq(&self, o: &M) -> bool { self.0 <= o.0 } }",
        "let v = [M(1), M(5)]; reveal(felt(«v.starts_with(&[M(3)])» as usize));",
        "on which side of `==` the elements stand in `starts_with` depends",
        "compare the elements in a `for` loop",
    ),
    with(
        "struct E(usize); impl PartialEq for E {
             fn eq(&self, o: &E) -> bool { reveal(felt(self.0)); self.0 == o.0 } }",
        "let same = «[E(1)].iter().eq([E(1), E(3)].iter())»; reveal(felt(same as usize));",
        "how many elements this comparison takes depends on the standard library's version",
        "",
    ),
    case(
        "let mut v = vec![1usize]; «v.reserve(usize::MAX)»; reveal(felt(v.len()));",
        "capacity overflow",
        "",
    ),
    case(
        "let v = «Vec::<usize>::with_capacity(1 << 60)»; reveal(felt(v.len()));",
        "capacity overflow",
        "",
    ),
];
