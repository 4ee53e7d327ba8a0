//! Texts that rustc refuses: jumps out of constants and lengths, code in constants that a run would
//! execute, implementations that are not those of their traits, and names that are not ASCII.

use super::{Case, with};

const fn refuse(items: &'static str, body: &'static str, message: &'static str) -> Case {
    with(items, body, message, "")
}

const RETURN: &str = "`return` outside of a function";
const BREAK: &str = "`break` or `continue` outside of a loop";

pub(super) const CASES: &[Case] = &[
    // Jumps.
    refuse("", "const K: () = { «return»; }; K", RETURN),
    refuse(
        "",
        "for _i in 0..1usize { const K: () = { «break»; }; K }",
        BREAK,
    ),
    refuse(
        "",
        "for _i in 0..1usize { const K: () = { «continue»; }; K }",
        BREAK,
    ),
    refuse(
        "struct S; impl S { const K: () = { «return»; }; }",
        "S::K",
        RETURN,
    ),
    refuse(
        "trait T { const K: () = { «return»; }; } struct S; impl T for S {}",
        "S::K",
        RETURN,
    ),
    refuse(
        "const Q: [Felt; { «return»; }] = [felt(0)];",
        "let _x = Q;",
        RETURN,
    ),
    refuse(
        "type A = [Felt; { «return»; }];",
        "let _x: A = [felt(0)];",
        RETURN,
    ),
    refuse("struct S { a: [Felt; { «return»; }] }", "", RETURN),
    refuse("fn f(_a: [Felt; { «return»; }]) {}", "", RETURN),
    refuse("fn f() -> [Felt; { «return»; }] { [] }", "", RETURN),
    refuse("", "let _a: [Felt; { «return»; }] = [];", RETURN),
    refuse("", "let _a = [felt(0); { «return»; }];", RETURN),
    refuse("fn g<const N: usize>() {}", "g::<{ «return»; }>();", RETURN),
    refuse("", "const { «return»; }", RETURN),
    refuse("", "for _i in 0..1usize { const { «break»; } }", BREAK),
    refuse("", "for _i in 0..1usize { while { «break»; } {} }", BREAK),
    refuse("fn f() { «break»; }", "", BREAK),
    refuse("", "for _i in { «continue»; } {}", BREAK),
    // What a run would execute.
    refuse(
        "const K: usize = «{ let _h = hint_felt().any(); 3 }»;",
        "let _z = [felt(0); K];",
        "part of a constant",
    ),
    refuse(
        "const K: usize = «{ let _x = public_input(); 3 }»;",
        "let _z = K;",
        "part of a constant",
    ),
    refuse(
        "#[inline(never)] fn f() -> usize { hint_felt().bit(); 3 } const K: usize = «f()»;",
        "let _z = K;",
        "part of a constant",
    ),
    refuse(
        "",
        "let _z: [Felt; «{ hint_felt().bit(); 1 }»] = [felt(0)];",
        "part of a constant",
    ),
    refuse(
        "",
        "let _z = [felt(0); «{ hint_felt().bit(); 1 }»];",
        "part of a constant",
    ),
    refuse(
        "fn g<const N: usize>() {}",
        "g::<{ «hint_felt().bit(); 1» }>();",
        "part of a constant",
    ),
    refuse(
        "",
        "let _n = «const { hint_felt().bit(); 1usize }»;",
        "part of a constant",
    ),
    // Implementations.
    refuse(
        "struct S; impl «Default<S>» for Block { fn default() -> Self { Block::ZERO } }",
        "",
        "takes 0 generic arguments",
    ),
    refuse(
        "struct S; impl «Eq<S>» for Block {}",
        "",
        "takes 0 generic arguments",
    ),
    refuse(
        "struct S; impl «std::fmt::Debug<S>» for Slice { fn fmt(&self) {} }",
        "",
        "takes 0 generic arguments",
    ),
    refuse(
        "trait T {} struct S; impl «T<S>» for S {}",
        "",
        "takes 0 generic arguments",
    ),
    refuse(
        "trait T<A> {} struct S; impl «T» for S {}",
        "",
        "takes 1 generic arguments",
    ),
    refuse(
        "trait T<A> { fn f(&self, a: A, b: &mut Felt) -> Felt; } struct S;
        impl T<Ext> for S { fn f(&self, a: Ext, b: &mut Felt) -> Felt { felt(1) } }
        impl T<Felt> for S { fn «f»(&self, a: Felt) -> Felt { a } }",
        "let mut x = felt(2); reveal(S.f(felt(1), &mut x));",
        "declares `f` otherwise",
    ),
    refuse(
        "trait T { fn f(&self, x: &Felt); } struct S;
        impl T for S { fn «f»(&self, x: &mut Felt) {} }",
        "",
        "declares `f` otherwise",
    ),
    refuse(
        "trait T { fn f(&self); } struct S; impl T for S { fn «f»(self) {} }",
        "",
        "declares `f` otherwise",
    ),
    refuse(
        "trait T { fn f(x: &Felt); } struct S; impl T for S { fn «f»(&self) {} }",
        "",
        "declares `f` otherwise",
    ),
    refuse(
        "trait T { fn f<A>(); } struct S; impl T for S { fn «f»<A, B>() {} }",
        "",
        "declares `f` otherwise",
    ),
    refuse(
        "struct S; impl Clone for S { fn «clone»(&mut self) -> S { S } }",
        "",
        "declares `clone` otherwise",
    ),
    refuse(
        "struct S; impl Default for S { fn default() -> S { S } fn «more»() {} }",
        "",
        "the trait has no `more`",
    ),
    refuse(
        "trait T {} struct S; impl T for S { fn «f»() {} }",
        "",
        "the trait has no `f`",
    ),
    refuse(
        "trait T {} struct S; impl T for S { const «K»: usize = 1; }",
        "",
        "the trait has no `K`",
    ),
    refuse(
        "trait T {} struct S; impl T for S { type K = «usize»; }",
        "",
        "the trait has no `K`",
    ),
    refuse(
        "trait T { fn f(); } struct S; impl «T» for S {}",
        "",
        "`f` of the trait is missing",
    ),
    refuse(
        "trait T { type K; } struct S; impl «T» for S {}",
        "",
        "`K` of the trait is missing",
    ),
    // Derives.
    refuse(
        "struct N { x: Felt } #[derive(Clone)] struct W { n: «N» }",
        "",
        "the field `n` is not `Clone`",
    ),
    refuse(
        "#[derive(Clone)] struct N; #[derive(Clone, Copy)] struct W(Felt, «[(N, Felt); 2]»);",
        "",
        "the field `1` is not `Copy`",
    ),
    refuse(
        "#[derive(Clone, Copy)] struct W { v: «Vec<Felt>» }",
        "",
        "the field `v` is not `Copy`",
    ),
    // rustc takes the Kelvin sign as a K.
    refuse("", "let «\u{212a}» = 1usize;", "ASCII"),
    refuse("mod a { pub fn «é»() {} }", "", "ASCII"),
];
