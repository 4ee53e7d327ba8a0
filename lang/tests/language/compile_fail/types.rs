//! Texts that rustc refuses for their types or moves: values where another type is declared, owned
//! values where a reference is or the reverse, and uses of what was moved.

use super::{Case, with};

/// Two types, and what a program may do with values of one.
const ITEMS: &str = "pub struct N { n: usize } pub struct Q;
    #[derive(Clone, Copy)] struct C { x: Felt }
    struct W { a: N, b: N } struct G<T> { t: T } struct V(Vec<N>);
    impl N { fn new() -> N { N { n: 1usize } } fn get(&self) -> usize { self.n }
        fn take(self) -> usize { self.n } fn set(&mut self) { self.n = 2usize; } }
    trait Show { const K: usize = 1usize; fn show(&self) -> usize; }
    impl Show for N { fn show(&self) -> usize { self.n } }
    fn by_value(n: N) -> usize { n.n } fn by_ref(n: &N) -> usize { n.n } fn by_mut(n: &mut N) { n.n = 3usize; }
    fn first<T>(a: T, b: T) -> T { a } fn array(a: [Felt; 2]) {} fn slice(a: &[N]) {} fn vec(v: &Vec<Felt>) {}
    fn bounded<T: Show>(t: &T) -> usize { t.show() } fn sized<const M: usize>(a: [Felt; M]) {}";

const fn refuse(body: &'static str, message: &'static str) -> Case {
    with(ITEMS, body, message, "")
}

const fn refuse_with(items: &'static str, body: &'static str, message: &'static str) -> Case {
    with(items, body, message, "")
}

pub(super) const CASES: &[Case] = &[
    // Arguments.
    refuse("by_value«(Q)»;", "expected a value of type `N`, found `Q`"),
    refuse("by_ref«(&Q)»;", "expected a value of type `&N`, found `&Q`"),
    refuse(
        "let mut q = Q; by_mut«(&mut q)»;",
        "expected a value of type `N`, found `Q`",
    ),
    refuse("N::get«(&Q)»;", "expected a value of type `N`, found"),
    refuse("N::take«(Q)»;", "expected a value of type `N`, found `Q`"),
    refuse(
        "<N as Show>::show«(&Q)»;",
        "expected a value of type `N`, found",
    ),
    refuse(
        "by_value«(felt(1))»;",
        "expected a value of type `N`, found `Felt`",
    ),
    refuse(
        "by_value«((N::new(), 1usize))»;",
        "expected a value of type `N`, found `(N, usize)`",
    ),
    refuse(
        "by_ref«(&N::K)»;",
        "expected a value of type `&N`, found `usize`",
    ),
    refuse(
        "array«([felt(1); 3])»;",
        "expected a value of type `[Felt; 2]`, found `[Felt; 3]`",
    ),
    refuse("array«([1usize, 2])»;", "found `[usize; 2]`"),
    refuse(
        "vec«(&[felt(1)])»;",
        "expected a value of type `&Vec<Felt>`, found `[Felt; 1]`",
    ),
    refuse("slice«(&[Q])»;", "expected a value of type `&[N]`, found"),
    refuse(
        "sized::<3>«([felt(1); 2])»;",
        "expected a value of type `[Felt; 3]`",
    ),
    refuse(
        "first«(N::new(), Q)»;",
        "expected a value of type `N`, found `Q`",
    ),
    refuse(
        "first«(felt(1), 1usize)»;",
        "expected a value of type `Felt`, found `usize`",
    ),
    refuse(
        "first::<Q>«(N::new(), Q)»;",
        "expected a value of type `Q`, found `N`",
    ),
    refuse("«bounded(&Q)»;", "`Q` does not implement `Show`"),
    refuse("«bounded(&felt(1))»;", "`Felt` does not implement `Show`"),
    // References.
    refuse(
        "by_ref(«N::new()»);",
        "expected a value of type `&N`, found `N`",
    ),
    refuse(
        "let mut n = N::new(); by_mut(«n»);",
        "expected a value of type `&mut N`, found `N`",
    ),
    refuse(
        "let mut n = N::new(); by_mut(«&n»);",
        "expected a value of type `&mut N`",
    ),
    refuse("by_mut(«N::new()»);", "expected a value of type `&mut N`"),
    refuse(
        "let n = N::new(); by_value«(&n)»;",
        "expected a value of type `N`, found `&N`",
    ),
    refuse(
        "let n = N::new(); by_value(«&mut n»);",
        "not declared `&mut`",
    ),
    refuse(
        "let n = N::new(); let r = &n; «r».set();",
        "behind a shared reference",
    ),
    refuse(
        "let n = N::new(); let m: N = «&n»;",
        "expected a value of type `N`, found `&N`",
    ),
    refuse(
        "let m: &N = «N::new()»;",
        "expected a value of type `&N`, found `N`",
    ),
    refuse(
        "let v = vec![felt(1)]; let r = &v; «r».push(felt(2));",
        "behind a shared reference",
    ),
    refuse(
        "let n = N::new(); let _a = [&n, «N::new()»];",
        "expected a value of type `&N`, found `N`",
    ),
    refuse_with(
        "fn grow(v: &Vec<Felt>) { «v».push(felt(1)); }",
        "grow(&vec![felt(0)]);",
        "behind a shared reference",
    ),
    refuse_with(
        "fn f(x: &[Felt; 2]) { «x[0]» = felt(1); }",
        "f(&[felt(0); 2]);",
        "behind a shared reference",
    ),
    refuse_with(
        "fn f(x: &Felt) { «*x» = felt(1); }",
        "f(&felt(0));",
        "behind a shared reference",
    ),
    refuse_with(
        "struct N; struct R<'a> { n: &'a N }",
        "let _r = «R { n: N }»;",
        "expected a value of type `&N`, found `N`",
    ),
    refuse_with(
        "fn f(x: &mut usize) { «x» = 2usize; }",
        "let mut x = 1usize; f(&mut x);",
        "this is of type `&mut usize`, not `usize`",
    ),
    refuse_with(
        "fn f(x: &mut usize) { «x» += 2usize; }",
        "let mut x = 1usize; f(&mut x);",
        "this is of type `&mut usize`, not `usize`",
    ),
    // Results.
    refuse_with(
        "struct N; struct Q; fn f() -> N { «Q» }",
        "f();",
        "of type `N`, found `Q`",
    ),
    refuse_with(
        "struct N; struct Q; fn f() -> N { return Q; }",
        "f();",
        "of type `N`, found `Q`",
    ),
    refuse_with(
        "struct N; fn f() { «N» }",
        "f();",
        "of type `()`, found `N`",
    ),
    refuse_with(
        "fn f() -> Felt { felt(1); }",
        "f();",
        "of type `Felt`, found `()`",
    ),
    refuse_with(
        "struct N; fn f(n: &N) -> N { «n» }",
        "f(&N);",
        "of type `N`, found `&N`",
    ),
    refuse_with(
        "struct N; fn f() -> &'static N { «{ N }» }",
        "f();",
        "of type `&N`, found `N`",
    ),
    refuse_with(
        "fn f() -> [Felt; 2] { «[felt(1)]» }",
        "f();",
        "of type `[Felt; 2]`, found `[Felt; 1]`",
    ),
    refuse_with(
        "fn f() -> (Felt, bool) { «(true, felt(1))» }",
        "f();",
        "of type `(Felt, bool)`, found `(bool, Felt)`",
    ),
    refuse_with(
        "fn f() -> Ext { «felt(1)» }",
        "f();",
        "of type `Ext`, found `Felt`",
    ),
    refuse_with(
        "struct N; struct Q; trait M { fn make() -> Self; } impl M for N { fn make() -> N { «Q» } }",
        "<N as M>::make();",
        "of type `N`, found `Q`",
    ),
    refuse_with(
        "struct N; struct Q; trait M { type T; fn make() -> Self::T; } impl M for N { type T = N; fn make() -> Self::T { «Q» } }",
        "<N as M>::make();",
        "of type `N`, found `Q`",
    ),
    // `let`, fields, constants, elements and assignments.
    refuse("let n: N = «Q»;", "expected a value of type `N`, found `Q`"),
    refuse(
        "let x: Felt = «Ext::ONE»;",
        "expected a value of type `Felt`, found `Ext`",
    ),
    refuse(
        "let x: (N, usize) = «(Q, 1)»;",
        "expected a value of type `(N, usize)`, found `(Q, usize)`",
    ),
    refuse(
        "let v: Vec<N> = «vec![Q]»;",
        "expected a value of type `Vec<N>`, found `Vec<Q>`",
    ),
    refuse(
        "let s: &[Felt] = «&[Block::ZERO]»;",
        "expected a value of type `&[Felt]`",
    ),
    refuse(
        "let x: Index<4> = «Index::<8>::new(felt(1))»;",
        "expected a value of type `Index<4>`, found `Index<8>`",
    ),
    refuse(
        "let g: G<N> = «G { t: Q }»;",
        "expected a value of type `G<N>`, found `G<Q>`",
    ),
    refuse(
        "let _g = «G::<N> { t: Q }»;",
        "expected a value of type `N`, found `Q`",
    ),
    refuse(
        "let n: N; «n» = Q;",
        "expected a value of type `N`, found `Q`",
    ),
    refuse(
        "let _n = «N { n: felt(1) }»;",
        "expected a value of type `usize`, found `Felt`",
    ),
    refuse(
        "let _v = «V(vec![Q])»;",
        "expected a value of type `Vec<N>`, found `Vec<Q>`",
    ),
    refuse(
        "let _w = «W { a: Q, b: N::new() }»;",
        "expected a value of type `N`, found `Q`",
    ),
    refuse(
        "let _w = W { a: N::new(), ..«N::new()» };",
        "expected a value of type `W`, found `N`",
    ),
    refuse(
        "let _a = [N::new(), «Q»];",
        "expected a value of type `N`, found `Q`",
    ),
    refuse(
        "let mut v = vec![N::new()]; «v.push(Q)»;",
        "expected a value of type `N`, found `Q`",
    ),
    refuse(
        "let mut x = felt(1); «x» = Ext::ONE;",
        "expected a value of type `Felt`, found `Ext`",
    ),
    refuse(
        "let mut x = felt(1); «x» = 1usize;",
        "expected a value of type `Felt`, found `usize`",
    ),
    refuse(
        "let mut x = felt(1); «x» *= Ext::ONE;",
        "expected a value of type `Felt`, found `Ext`",
    ),
    refuse(
        "let mut w = (N::new(), 1usize); «w.0» = Q;",
        "expected a value of type `N`, found `Q`",
    ),
    refuse(
        "let mut n = N::new(); by_value(n); «n» = Q;",
        "expected a value of type `N`, found `Q`",
    ),
    refuse_with(
        "struct N; struct Q; const K: N = «Q»;",
        "let _k = K;",
        "of type `N`, found `Q`",
    ),
    refuse_with(
        "struct S; impl S { const K: Felt = «1usize»; }",
        "reveal(S::K);",
        "of type `Felt`, found `usize`",
    ),
    refuse(
        "if public_input() == felt(1) «{ 1usize }»",
        "expected a value of type `()`",
    ),
    refuse(
        "for _i in 0..1usize «{ felt(1) }»",
        "expected a value of type `()`",
    ),
    // Moves.
    refuse(
        "let n = N::new(); by_value(n); by_value(«n»);",
        "no value here",
    ),
    refuse("let n = N::new(); let m = n; «n».get();", "no value here"),
    refuse("let n = N::new(); n.take(); n«.take()»;", "no value here"),
    refuse(
        "let n = N::new(); let _w = W { a: n, b: «n» };",
        "no value here",
    ),
    refuse("let n = N::new(); let _t = (n, «n»);", "no value here"),
    refuse(
        "let v = vec![felt(1)]; let w = v; reveal(«v»[0]);",
        "no value here",
    ),
    refuse(
        "let v = vec![felt(1)]; for x in v {} vec(«&v»);",
        "no value here",
    ),
    refuse("let n = N::new(); { n }; by_ref(«&n»);", "no value here"),
    refuse(
        "let n = N::new(); if true { by_value(n); } by_ref(«&n»);",
        "no value here",
    ),
    refuse(
        "let n = N::new(); if public_input() == felt(1) { by_value(n); } by_ref(«&n»);",
        "no value here",
    ),
    refuse(
        "let n = N::new(); for _i in 0..2usize { by_value(«n»); }",
        "no value here",
    ),
    refuse(
        "let n = N::new(); «for _i in count(2) { by_value(n); }»",
        "the loop changes the structure",
    ),
    refuse(
        "let w = W { a: N::new(), b: N::new() }; by_value(w.a); by_value(«w.a»);",
        "no value here",
    ),
    refuse(
        "let w = W { a: N::new(), b: N::new() }; by_value(w.a); let _w = «w»;",
        "a part of this value was moved",
    ),
    refuse(
        "let t = (N::new(), 1usize); let u = t; let (_n, _) = «t»;",
        "no value here",
    ),
    refuse(
        "let t = (N::new(), 1usize); let (n, _) = t; by_value(«t.0»);",
        "no value here",
    ),
    refuse(
        "let w = W { a: N::new(), b: N::new() }; match w { W { a, .. } => {} } by_ref(«&w.a»);",
        "no value here",
    ),
    refuse(
        "let a = [N::new()]; by_value(«a[0]»);",
        "cannot be moved out of an array",
    ),
    refuse(
        "let v = vec![N::new()]; let _n = «v[0]»;",
        "cannot be moved out of an array or a `Vec`",
    ),
    refuse(
        "let w = W { a: N::new(), b: N::new() }; let _x = W { a: N::new(), ..w }; by_ref(«&w.b»);",
        "no value here",
    ),
    refuse(
        "let mut v = Vec::new(); let n = N::new(); v.push(n); v.push(«n»);",
        "no value here",
    ),
    refuse(
        "let g = G { t: N::new() }; let _h = g; let _k = «g»;",
        "no value here",
    ),
    refuse_with(
        "#[derive(Clone, Copy)] struct P<T> { t: T } struct N;",
        "let p = P { t: N }; let _q = p; let _r = «p»;",
        "no value here",
    ),
    refuse_with(
        "struct W { n: Vec<Felt> } fn f(w: &mut W) -> Vec<Felt> { «w.n» }",
        "let mut w = W { n: vec![felt(1)] }; f(&mut w);",
        "`Vec<Felt>`",
    ),
    // Iterators.
    refuse(
        "let a = [N::new()]; let it = a.into_iter(); let _j = it; for _n in «it» {}",
        "no value here",
    ),
    refuse(
        "let a = [N::new()]; let _b = a.into_iter(); for _n in «a» {}",
        "no value here",
    ),
    refuse(
        "let v = vec![felt(1)]; let _b = v.into_iter(); for _n in «v» {}",
        "no value here",
    ),
    refuse_with(
        "struct W { v: Vec<Felt> } fn f(w: &W) { for _x in «w.v».into_iter() {} }",
        "f(&W { v: vec![felt(1)] });",
        "cannot be moved out of a reference",
    ),
    // Assignments to tuples.
    refuse(
        "let a = (N::new(), N::new()); let mut b = N::new(); let mut c = N::new(); (b, c) = a; by_value(«a.0»);",
        "no value here",
    ),
    refuse(
        "let a = (N::new(), N::new()); let mut b = N::new(); (b, _) = a; let _c = «a»;",
        "a part of this value was moved",
    ),
    refuse(
        "let a = [(N::new(), 1usize)]; let mut b = N::new(); let mut c = 0usize; (b, c) = «a[0]»;",
        "cannot be moved out of an array",
    ),
    // A value where a reference is, and the reverse.
    refuse(
        "let c = public_input(); let b = N::new(); let mut s; «if c == felt(1) { s = N::new(); } else { s = &b; }» s.set();",
        "leaves a reference, the other a value",
    ),
    refuse(
        "let c = public_input(); let b = N::new(); let s = «if c == felt(1) { (&b, 1usize) } else { (N::new(), 1usize) }»;",
        "leaves a reference, the other a value",
    ),
    refuse(
        "let b = N::new(); let mut s = N::new(); for _i in 0..2usize { by_value(s); «s» = &b; }",
        "expected a value of type `N`, found `&N`",
    ),
    refuse(
        "let b = N::new(); let mut s; s = N::new(); for _i in count(2) { «s» = &b; }",
        "expected a value of type `N`, found `&N`",
    ),
    refuse(
        "let b = N::new(); let c = G { t: &b }; let mut s = G { t: N::new() }; «s» = c;",
        "found `G<N>`",
    ),
    refuse(
        "let b = N::new(); let mut r = &b; «r» = N::new();",
        "expected a value of type `&N`, found `N`",
    ),
    refuse(
        "let b = N::new(); let n: N; «n» = &b;",
        "expected a value of type `N`, found `&N`",
    ),
    refuse(
        "let n: &N; «n» = N::new();",
        "expected a value of type `&N`, found `N`",
    ),
    refuse(
        "let b = N::new(); let mut t = (N::new(), N::new()); «for _i in count(2) { let _u = t; t = (&b, N::new()); }»",
        "the loop leaves a reference",
    ),
    // A structure is `Clone` and `Copy` as its parts are.
    refuse_with(
        "struct N { x: Felt } #[derive(Clone)] struct P<T> { t: T }",
        "let p = P { t: N { x: felt(1) } }; let r = &p; let mut q = r.clone(); «q.t.x» = felt(2);",
        "behind a shared reference",
    ),
    refuse_with(
        "struct N { x: Felt } type A = N; #[derive(Clone, Copy)] struct P { t: A }",
        "let p = P { t: N { x: felt(1) } }; let _q = p; let _r = «p»;",
        "no value here",
    ),
];
