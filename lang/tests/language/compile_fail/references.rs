//! Mutable references that are not in the subset, or that rustc refuses.

use super::{Case, case, with};

pub(super) const CASES: &[Case] = &[
    case(
        "let x = public_input(); let mut a = felt(0); let mut b = felt(1); \
         let r = «if x == felt(1) { &mut a } else { &mut b }»; *r = felt(2);",
        "one side of a run-time branch leaves a mutable reference, the other a mutable reference",
        "",
    ),
    with(
        "fn change(p: &mut Felt, q: &mut Felt) { let mut r = p; std::mem::swap(&mut «r», &mut &mut *q); }",
        "let mut a = felt(0); let mut b = felt(1); change(&mut a, &mut b);",
        "mutable references to mutable references are not in the subset",
        "pass the reference itself",
    ),
    case(
        "let mut a = 1u32; let mut list = [&mut a]; for r in «list».iter_mut() { **r = 2; }",
        "mutable references to mutable references are not in the subset",
        "",
    ),
    with(
        "#[inline(never)] fn same(x: &mut Felt) -> &mut Felt { x }",
        "let mut a = public_input(); *«same(&mut a)» = felt(1);",
        "a mutable reference cannot be the result of a call",
        "",
    ),
    // What rustc refuses.
    with(
        "#[derive(Clone, Copy)] struct P(Felt); fn f(p: &mut P) -> &mut P { «*p» }",
        "let mut p = P(felt(1)); f(&mut p).0 = felt(2);",
        "expected a value of type `&mut P`, found `P`",
        "",
    ),
    case(
        "let mut a = felt(0); let r: &mut Felt = «a»; *r = felt(1);",
        "expected a value of type `&mut Felt`, found `Felt`",
        "",
    ),
    case(
        "let (mut a, b) = ([1u32], [2u32]); let r = &mut a; let t = «r.max(b)»; t[0] = 3;",
        "`max` is of values, or of mutable references to them",
        "write `*` before",
    ),
    case(
        "let mut a = felt(0); let mut r = &mut a; { let mut b = felt(1); r = &mut b; } *«r» = felt(2);",
        "what this mutable reference refers to has ended",
        "",
    ),
    with(
        "fn local<'a>() -> &'a mut Felt { let mut x = felt(1); &mut x }",
        "*«local()» = felt(2);",
        "this mutable reference belongs to another call, or to what has ended",
        "",
    ),
    with(
        "struct N { x: Felt }",
        "let mut n = N { x: felt(1) }; let r = &mut n.x; let m = n; *«r» = felt(2);",
        "the value's structure has changed",
        "",
    ),
    with(
        "enum E { A(u32), B(u32) }",
        "let mut e = E::A(1); let r = match &mut e { E::A(x) => x, E::B(x) => x }; e = E::B(2); \
         *«r» = 3;",
        "the value's structure has changed",
        "",
    ),
    with(
        "struct N { x: Felt }",
        "let mut n = N { x: felt(1) }; let r = &mut n; let m = «*r»;",
        "not `Copy`",
        "borrow it",
    ),
];
