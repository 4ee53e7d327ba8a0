//! What would take too long, or too much memory, is refused by the name of the limit.

use super::*;

fn refused(items: &str, body: &str, limit: &str) {
    let source = main_of(items, body);
    let Err(error) = compile(&source, &[]) else {
        panic!("this compiles: {source}");
    };
    assert!(error.message.contains(limit), "{source}\n{error}");
}

#[test]
fn loops() {
    refused("", "for _i in 0..1usize << 40 {}", "steps");
    refused(
        "",
        "for _i in 0..1u64 << 20 { for _j in 0..1u64 << 20 {} }",
        "steps",
    );
    let body = "
        let mut i = 0usize;
        while i < 1 << 30 {
            let mut j = 0usize;
            while j < 1 << 30 { j += 1; }
            i += 1;
        }";
    refused("", body, "steps");
}

#[test]
fn calls() {
    let fibonacci = "
        const fn fib(n: usize) -> usize { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }";
    refused(fibonacci, "reveal(felt(fib(60)));", "more than");
    let branches = "
        fn f(x: Felt, n: usize) -> Felt {
            if n == 0 { x } else { if x == felt(n) { f(x + Felt::ONE, n - 1) } else { f(x, n - 1) } }
        }";
    refused(branches, "reveal(f(public_input(), 30));", "more than");
    let deep = "
        fn f(x: Felt, n: usize) -> Felt {
            if n == 0 { x } else { --------------------f(x, n - 1) }
        }";
    refused(deep, "reveal(f(public_input(), 250));", "nested too deeply");
    let called = "
        #[inline(never)]
        fn f<const N: usize>(x: Felt) -> Felt { f::<{ N + 1 }>(x) }";
    refused(called, "reveal(f::<0>(public_input()));", "nested");
}

#[test]
fn values() {
    let doubled = "let a = (a, a); ".repeat(40);
    refused("", &format!("let a = 1usize; {doubled}"), "parts");
    let repeated = "let a = [a; 1024]; ".repeat(4);
    refused("", &format!("let a = 1usize; {repeated}"), "scalars");
    let body =
        "let a = [0usize; 1 << 19]; let mut v = Vec::new(); for _i in 0..1000 { v.push(a); }";
    refused("", body, "steps");
    let body = "
        let mut a = [0usize; 1 << 19];
        for i in 0..1000 { let b = a; a[0] = b[1] + 1; }";
    refused("", body, "steps");
    // A program that rustc refuses.
    refused(
        "",
        "let mut a = [1usize]; for _i in 0..100000 { a = [a]; }",
        "nested too deeply",
    );
    refused(
        "",
        "let mut a = [1usize]; for _i in 0..100000 { a[0] = a; }",
        "nested too deeply",
    );
}

/// What is lent again and again counts once, however large it is.
#[test]
fn lent_values_are_not_counted_as_copies() {
    let push = "fn push(v: &mut Vec<usize>, x: usize) { v.push(x); } struct S { v: Vec<usize> }";
    let body = "
        let mut s = S { v: Vec::new() };
        for i in 0..20_000 { push(&mut s.v, i); }
        reveal(felt(s.v.len()));";
    compile(&main_of(push, body), &[]).unwrap();
}

#[test]
fn types() {
    let values = "fn f<T: Copy>(x: T, n: usize) { if n > 0 { f((x, x), n - 1) } }";
    refused(values, "f(1usize, 60);", "parts");
    let structs = "
        #[derive(Clone, Copy)] struct P<A, B> { a: A, b: B }
        fn f<T: Copy>(x: T, n: usize) { if n > 0 { f(P { a: x, b: x }, n - 1) } }";
    refused(structs, "f(1usize, 60);", "parts");
    let arguments = "fn f<T>(n: usize) { if n > 0 { f::<(T, T)>(n - 1) } }";
    refused(arguments, "f::<usize>(60);", "parts");
    let mut aliases = String::from("type A0 = usize;");
    for i in 0..40 {
        aliases += &format!("type A{} = (A{i}, A{i});", i + 1);
    }
    refused(&aliases, "let x: A40 = 1;", "parts");
    refused(&format!("{aliases} fn f(_x: A40) {{}}"), "f(1);", "parts");
    let nested = (0..200).fold("usize".to_owned(), |inner, _| format!("D<{inner}>"));
    let items = format!("type D<T> = (T, T); fn f(_x: {nested}) {{}}");
    refused(&items, "f(1);", "parts");
    refused(
        "type A = B; type B = A; fn f(_x: A) {}",
        "f(1);",
        "depend on each other",
    );
    refused(
        "trait A { type T; } struct S; impl A for S { type T = <S as A>::T; }",
        "let _x: <S as A>::T = 1;",
        "depend on each other",
    );
}
