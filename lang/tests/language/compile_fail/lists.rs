//! Methods of slices and `Vec`s that are not in the subset, or that would panic.

use super::{Case, case};

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
        "let mut v = vec![1u32]; let x = «v.last_mut()»; *x.unwrap() = 2;",
        "mutable references cannot be kept",
        "write `v[i] = ..`, or pass `&mut v[i]` to a function; `iter_mut` is for `for` loops",
    ),
    case(
        "let v = vec![1u32]; let x = «v.partition_point(|x| *x < 1)»; reveal(felt(x));",
        "arrays and `Vec`s have no method `partition_point` in the subset",
        "write a `for` loop",
    ),
];
