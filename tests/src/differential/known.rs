//! Programs that earlier compilers misread. Each is paired with a program that does what the
//! machine did then. They show that the comparison notices such differences, whatever the present
//! compiler does.

use super::compare::{Case, Difference};

/// A program, another one that does what the machine did, and how the two differ.
pub struct Known {
    /// What the compiler misread.
    pub name: &'static str,
    items: &'static str,
    taken_for: Option<&'static str>,
    body: &'static str,
    body_taken_for: Option<&'static str>,
    /// The difference that the comparison must find between the two.
    pub difference: Difference,
}

impl Known {
    /// Returns the pair: rustc is given the program, the machine the one it was mistaken for.
    pub fn pair(&self, number: u64) -> Case {
        Case {
            number,
            native: text(self.items, self.body),
            machine: text(
                self.taken_for.unwrap_or(self.items),
                self.body_taken_for.unwrap_or(self.body),
            ),
        }
    }

    /// Returns the program itself, for both sides.
    pub fn program(&self, number: u64) -> Case {
        let source = text(self.items, self.body);
        Case {
            number,
            native: source.clone(),
            machine: source,
        }
    }
}

fn text(items: &str, body: &str) -> String {
    format!(
        "use droste_gadgets::prelude::*;\n{items}\npub fn main() {{\n    let x = public_input();\n    {body}\n}}\n"
    )
}

/// Programs that earlier compilers misread.
pub const KNOWN: &[Known] = &[
    Known {
        name: "calls of a function with other fields fixed share one body",
        items: "struct S { a: Felt, b: Felt }\n#[inline(never)] fn f(s: S) -> Felt { s.a * felt(2) + s.b }",
        taken_for: None,
        body: "let y = f(S { a: felt(3), b: x }); reveal(y + f(S { a: x, b: felt(3) }) * felt(10));",
        body_taken_for: Some(
            "let y = f(S { a: felt(3), b: x }); reveal(y + f(S { a: felt(3), b: x }) * felt(10));",
        ),
        difference: Difference::Statement,
    },
    Known {
        name: "an assertion about one field is made about another",
        items: "struct C { half: Felt, whole: Felt }\n#[inline(never)] fn check(c: C) { assert_eq!(c.half + c.half, c.whole); }",
        taken_for: None,
        body: "check(C { half: felt(2), whole: felt(4) }); check(C { half: x, whole: felt(4) }); reveal(x);",
        body_taken_for: Some(
            "check(C { half: felt(2), whole: felt(4) }); check(C { half: felt(2), whole: felt(4) }); reveal(x);",
        ),
        difference: Difference::Accepts,
    },
    Known {
        name: "the first trait that has the method is taken",
        items: "struct S;\ntrait A { fn f(&self) -> Felt; }\ntrait B { fn f(&self) -> Felt; }\n\
                impl A for S { fn f(&self) -> Felt { felt(1) } }\nimpl B for S { fn f(&self) -> Felt { felt(2) } }\n\
                fn go<T: B>(t: &T) -> Felt { t.f() }",
        taken_for: Some(
            "struct S;\ntrait A { fn f(&self) -> Felt; }\ntrait B { fn f(&self) -> Felt; }\n\
             impl A for S { fn f(&self) -> Felt { felt(1) } }\nimpl B for S { fn f(&self) -> Felt { felt(2) } }\n\
             fn go<T: A>(t: &T) -> Felt { t.f() }",
        ),
        body: "reveal(go(&S) + x);",
        body_taken_for: None,
        difference: Difference::Statement,
    },
    Known {
        name: "an arm whose guard is known only at run time is dropped",
        items: "",
        taken_for: None,
        body: "match 1_usize { 1 if x == felt(1) => assert_eq!(x, felt(2)), _ => {} } reveal(x);",
        body_taken_for: Some("reveal(x);"),
        difference: Difference::Accepts,
    },
    Known {
        name: "the condition of a constant is not read, the last one wins",
        items: "#[cfg(not(test))] const QUERIES: usize = 85;\n#[cfg(test)] const QUERIES: usize = 1;",
        taken_for: Some("const QUERIES: usize = 1;"),
        body: "reveal(x * felt(QUERIES) + felt(QUERIES));",
        body_taken_for: None,
        difference: Difference::Statement,
    },
    Known {
        name: "a method under a condition is replaced by the trait's default",
        items: "struct S;\ntrait T { fn check(&self, _: Felt) {} }\nimpl T for S { #[cfg(not(test))] fn check(&self, x: Felt) { assert_ne!(x, felt(1)); } }",
        taken_for: Some("struct S;\ntrait T { fn check(&self, _: Felt) {} }\nimpl T for S {}"),
        body: "S.check(x); reveal(x);",
        body_taken_for: None,
        difference: Difference::Accepts,
    },
    Known {
        name: "a label is not read",
        items: "",
        taken_for: None,
        body: "let mut y = x; 'a: for i in 0..3 { for j in 0..3 { if j == 1 { break 'a; } y += felt(i + 1); } } reveal(y);",
        body_taken_for: Some(
            "let mut y = x; for i in 0..3 { for j in 0..3 { if j == 1 { break; } y += felt(i + 1); } } reveal(y);",
        ),
        difference: Difference::Statement,
    },
    Known {
        name: "what is written through a pattern of a reference is lost",
        items: "struct S { a: Felt }\nimpl S { fn set(&mut self, x: Felt) { let Self { a } = self; *a = x; } }",
        taken_for: Some("struct S { a: Felt }\nimpl S { fn set(&mut self, _: Felt) {} }"),
        body: "let mut s = S { a: felt(7) }; s.set(x); reveal(s.a);",
        body_taken_for: None,
        difference: Difference::Statement,
    },
    Known {
        name: "an integer is cast without losing its high bits",
        items: "",
        taken_for: None,
        body: "let n = 300_usize; reveal(x + felt(n as u8 as usize));",
        body_taken_for: Some("reveal(x + felt(300));"),
        difference: Difference::Statement,
    },
    Known {
        name: "an index with effects is evaluated twice",
        items: "fn next(n: &mut usize) -> usize { *n += 1; *n }",
        taken_for: None,
        body: "let mut n = 0; let mut v = [x, x, x]; v[next(&mut n)] += felt(1); reveal(v[1] * felt(3) + felt(n));",
        body_taken_for: Some(
            "let mut v = [x, x, x]; v[2] += felt(1); reveal(v[1] * felt(3) + felt(2));",
        ),
        difference: Difference::Statement,
    },
    Known {
        name: "the program's conversion is taken for the one that every type has to itself",
        items: "struct A { x: Felt }\nstruct B { x: Felt }\n\
                impl Into<A> for B { fn into(self) -> A { A { x: self.x + felt(1) } } }",
        taken_for: Some("struct B { x: Felt }"),
        body: "let b: B = B { x }.into(); reveal(b.x);",
        body_taken_for: Some("let b = B { x: x + felt(1) }; reveal(b.x);"),
        difference: Difference::Statement,
    },
    Known {
        name: "a method of the program is taken for the standard library's of its name",
        items: "trait Tr { fn into(&self) -> Felt; }\nimpl Tr for Felt { fn into(&self) -> Felt { *self + felt(1) } }",
        taken_for: None,
        body: "let y: Felt = x.into(); reveal(y);",
        body_taken_for: Some("let y = Tr::into(&x); reveal(y);"),
        difference: Difference::Statement,
    },
    Known {
        name: "what is expected of a result is taken for the type whose function it is",
        items: "struct S<const N: usize> { x: Felt }\n\
                impl<const N: usize> S<N> { fn make(s: S<N>) -> S<4> { S::<4> { x: s.x + felt(N) } } }",
        taken_for: None,
        body: "let s: S<4> = S::make(S::<5> { x }); reveal(s.x);",
        body_taken_for: Some("let s = S::<4>::make(S::<4> { x }); reveal(s.x);"),
        difference: Difference::Statement,
    },
    Known {
        name: "a method runs where `&&` does not run its right side",
        items: "#[derive(Clone, Copy)] struct S { x: Felt }\n\
                impl S { fn plus(self, other: S) -> S { assert_ne!(self.x, other.x); S { x: self.x + other.x } } }",
        taken_for: None,
        body: "let (s, t) = (S { x }, S { x: felt(1) }); let three = x != felt(1) && s.plus(t).x == felt(3); reveal(if three { x } else { felt(5) });",
        body_taken_for: Some(
            "let (s, t) = (S { x }, S { x: felt(1) }); let u = s.plus(t); let three = x != felt(1) && u.x == felt(3); reveal(if three { x } else { felt(5) });",
        ),
        difference: Difference::Fails,
    },
    Known {
        name: "an assigning operator reads its value first in code for any type",
        items: "fn next(k: &mut usize) -> usize { *k += 1; *k }\n\
                fn add<T: std::ops::AddAssign + Copy>(v: &mut [T; 4], w: &[T; 4], k: &mut usize) { v[next(k)] += w[next(k)]; }",
        taken_for: Some(
            "fn next(k: &mut usize) -> usize { *k += 1; *k }\n\
             fn add<T: std::ops::AddAssign + Copy>(v: &mut [T; 4], w: &[T; 4], k: &mut usize) { let y = w[next(k)]; let i = next(k); v[i] += y; }",
        ),
        body: "let mut v = [0_usize; 4]; let w = [1_usize, 2, 3, 4]; let mut k = 0_usize; add(&mut v, &w, &mut k); reveal(x + felt(10 * v[1] + v[2]));",
        body_taken_for: None,
        difference: Difference::Statement,
    },
    Known {
        name: "an assigning operator of the program is taken for its operator",
        items: "#[derive(Clone, Copy)] struct S { x: Felt }\n\
                impl std::ops::Add for S { type Output = S; fn add(self, other: S) -> S { S { x: self.x + other.x } } }\n\
                impl std::ops::AddAssign for S { fn add_assign(&mut self, other: S) { self.x = self.x * other.x; } }",
        taken_for: Some(""),
        body: "let mut s = S { x }; s += S { x: felt(7) }; reveal(s.x);",
        body_taken_for: Some("reveal(x + felt(7));"),
        difference: Difference::Statement,
    },
    Known {
        name: "what an iterator over a mutable reference changes is lost",
        items: "fn inc(v: &mut Vec<Felt>) { for x in v.into_iter() { *x += felt(1); } }",
        taken_for: Some("fn inc(v: &mut Vec<Felt>) { for mut x in v.clone() { x += felt(1); } }"),
        body: "let mut v = vec![x, x]; inc(&mut v); reveal(v[0] + v[1]);",
        body_taken_for: None,
        difference: Difference::Statement,
    },
    Known {
        name: "a `Vec` that a slice refers to is taken for a `Vec`",
        items: "trait Len { fn size(&self) -> usize; }\nimpl<T: Clone> Len for T { fn size(&self) -> usize { 7 } }\n\
                impl<T: Clone> Len for [T] { fn size(&self) -> usize { 3 } }\nfn of(v: &[Felt]) -> usize { v.size() }",
        taken_for: Some(
            "trait Len { fn size(&self) -> usize; }\nimpl<T: Clone> Len for T { fn size(&self) -> usize { 7 } }\n\
             fn of(v: &Vec<Felt>) -> usize { Len::size(v) }",
        ),
        body: "let v = vec![x]; reveal(x + felt(of(&v)));",
        body_taken_for: None,
        difference: Difference::Statement,
    },
    Known {
        name: "a program's `push` for a slice is taken for that of the `Vec` which it refers to",
        items: "trait Push { fn push(&mut self, x: Felt); }\nimpl<T> Push for T { fn push(&mut self, x: Felt) {} }",
        taken_for: Some(""),
        body: "let v = vec![x]; let mut s: &[Felt] = &v; s.push(x); reveal(felt(s.len()));",
        body_taken_for: Some("let mut s = vec![x]; s.push(x); reveal(felt(s.len()));"),
        difference: Difference::Statement,
    },
    Known {
        name: "the number of a generic trait's default method is looked up as a constant",
        items: "const N: usize = 9;\nconst K: usize = 4;\ntrait Tr<const M: usize> { fn g(&self, a: [Felt; M]) -> usize { M * 10 + a.len() } }\n\
                struct S;\nimpl<const N: usize> Tr<N> for S {}",
        taken_for: Some(""),
        body: "reveal(x + felt(S.g([x; 3])));",
        body_taken_for: Some("reveal(x + felt(93));"),
        difference: Difference::Statement,
    },
    Known {
        name: "the type of a generic trait's default constant is looked up as a struct",
        items: "trait N { const K: usize; }\nstruct U;\nimpl N for U { const K: usize = 3; }\nstruct V;\nimpl N for V { const K: usize = 7; }\nimpl N for Felt { const K: usize = 5; }\n\
                trait Tr<T: N> { const C: usize = T::K * 2; fn g(&self, _x: T) -> usize { T::K } }\nstruct S;\nimpl<U: N> Tr<U> for S {}",
        taken_for: Some(""),
        body: "reveal(x + felt(S.g(x) + 100 * <S as Tr<Felt>>::C));",
        body_taken_for: Some("reveal(x + felt(603));"),
        difference: Difference::Statement,
    },
    Known {
        name: "an associated type that is a parameter of its implementation is looked up as a struct",
        items: "trait N { const K: usize; }\nstruct U;\nimpl N for U { const K: usize = 3; }\nstruct V;\nimpl N for V { const K: usize = 7; }\nimpl N for Felt { const K: usize = 5; }\n\
                trait Tr<T> { type O; }\nstruct S;\nimpl<U: N> Tr<U> for S { type O = U; }\nfn k<T: N>() -> usize { T::K }",
        taken_for: Some(""),
        body: "reveal(x + felt(k::<<S as Tr<Felt>>::O>()));",
        body_taken_for: Some("reveal(x + felt(3));"),
        difference: Difference::Statement,
    },
    Known {
        name: "the parameter of an alias without arguments is looked up as a struct",
        items: "trait N { const K: usize; }\nstruct T;\nimpl N for T { const K: usize = 3; }\nstruct V;\nimpl N for V { const K: usize = 7; }\nimpl N for u16 { const K: usize = 5; }\n\
                struct W<A> { a: A }\nimpl<A: N> W<A> { fn mk(_a: A) -> usize { A::K } }\ntype Al<T> = W<T>;",
        taken_for: Some(""),
        body: "reveal(x + felt(Al::mk(5u16)));",
        body_taken_for: Some("reveal(x + felt(3));"),
        difference: Difference::Statement,
    },
    Known {
        name: "the machine fails where the program does not",
        items: "",
        taken_for: None,
        body: "reveal(x);",
        body_taken_for: Some("assert_ne!(x, felt(1)); reveal(x);"),
        difference: Difference::Fails,
    },
];
