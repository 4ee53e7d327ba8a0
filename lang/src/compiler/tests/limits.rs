//! What would take too long, or too much memory, is refused by the name of the limit.

use super::*;

/// Takes nearly all steps at once: a loop is charged for its iterations before the first.
const STEPS: &str = "for _i in 0..16_000_000usize { break; }";

fn refused(items: &str, body: &str, limit: &str) {
    let before = if limit == "steps" { STEPS } else { "" };
    let source = main_of(items, &format!("{before} {body}"));
    let Err(error) = compile(&source, &[]) else {
        panic!("this compiles: {source:.200}");
    };
    let message = &error.message;
    assert!(message.contains(limit), "{source:.200}\n{message:.200}");
}

#[test]
fn loops() {
    refused("", "for _i in 0..1usize << 40 {}", "steps");
    refused(
        "",
        "for _i in 0..1u64 << 16 { for _j in 0..1u64 << 16 {} }",
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
    refused(fibonacci, "reveal(felt(fib(60)));", "steps");
    let many = "for _i in 0..1usize << 21 { f(); }";
    refused("fn f() {}", many, "inlined calls");
    // Where the sides of a branch meet, each of the values is an operation.
    let branches = "
        fn f(mut x: [Felt; 512], n: usize) -> [Felt; 512] {
            if n == 0 { x } else if x[0] == felt(n) { x.reverse(); f(x, n - 1) } else { f(x, n - 1) }
        }";
    let values = "let mut x = [public_input(); 512]; for i in 0..512 { x[i] += felt(i); }";
    let body = format!("{values} reveal(f(x, 30)[0]);");
    refused(branches, &body, "operations");
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
    // This list is refused before its first element is cloned, which `N` cannot be.
    refused("struct N;", "let _v = [N].repeat(1 << 62);", "steps");
    // Programs that rustc refuses.
    for field in ["[A; 1]", "(A, u8)", "C"] {
        let items = format!(
            "#[derive(Default)] struct A {{ b: {field} }} type B = A; #[derive(Default)] struct C(B);"
        );
        refused(&items, "let _a = A::default();", "nested too deeply");
    }
    let body = "let _x: [(); 1 << 60] = Default::default();";
    refused("", body, "have no default value");
    refused(
        "",
        "let mut a = Vec::new(); for _i in 0..100000 { a = vec![a]; }",
        "nested too deeply",
    );
    refused(
        "",
        "let mut a = vec![Vec::new()]; for _i in 0..100000 { a[0] = a.clone(); }",
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

/// Some syntax is nested without brackets, or takes more than linear time.
#[test]
fn syntax() {
    const MANY: usize = 20_000;
    for word in [
        "return ",
        "break ",
        "a = ",
        "&mut ",
        "|a| ",
        "b | |a, b| ",
        "if ",
        "match ",
        "for a in ",
        "- a * ",
        "if let a = ",
    ] {
        refused("", &format!("{}1;", word.repeat(MANY)), "nested too deeply");
    }
    for word in [
        "&'a ",
        "*const ",
        "A<",
        "A<B, ",
        "fn() -> A<B, ",
        "&dyn Fn() -> ",
    ] {
        let items = format!("fn f(x: {}Felt) {{}}", word.repeat(MANY));
        refused(&items, "", "nested too deeply");
    }
    for word in [" + 1", ".b", "[0]", "?", " as u8", ".b()"] {
        let body = format!("a{};", word.repeat(MANY));
        refused("", &body, "nested too deeply");
    }
    let branches = " else if true {}".repeat(MANY);
    refused("", &format!("if true {{}}{branches}"), "nested too deeply");
    refused("", &"(".repeat(2000), "syntax error");
    let brackets = format!("{}1{};", "(".repeat(2000), ")".repeat(2000));
    refused("", &brackets, "nested too deeply");
    refused("", &format!("{};", "1".repeat(100_000)), "characters");
    let name = "a".repeat(100_000);
    refused(&format!("fn {name}() {{}}"), "", "characters");
    refused("", &";".repeat(1 << 22), "bytes");
}

/// Statements, items and comments after each other are not nested.
#[test]
fn long_programs_are_not_nested() {
    let statements = "
        if x == 1 {} if x == 2 { x += 1; } else { x += 2; }
        match x { 0 => {} (1) => {} _ => {} }
        #[allow(unused)] let y = [x, x]; { x = y[0]; }"
        .repeat(1000);
    let items = (0..1000).map(|i| format!("/// A.\n/// B.\nfn f{i}() {{}} struct S{i} {{}}\n"));
    let items: String = items.collect();
    compile(
        &main_of(&items, &format!("let mut x = 1usize; {statements}")),
        &[],
    )
    .unwrap();
}

/// What is searched one by one.
#[test]
fn parts_of_items() {
    let list = |part: &str| -> String {
        let parts = (0..300).map(|i| part.replace('#', &i.to_string()));
        parts.collect()
    };
    let fields = list("a#: Felt, ");
    refused(&format!("struct S {{ {fields} }}"), "", "fields");
    let parameters = list("T#, ");
    refused(&format!("fn f<{parameters}>() {{}}"), "", "generic");
    let conditions = list("T: Copy, ");
    refused(
        &format!("fn f<T>() where {conditions} {{}}"),
        "",
        "conditions",
    );
    let bounds = list("Copy + ");
    refused(&format!("fn f<T: {bounds} Copy>() {{}}"), "", "bounds");
    let globs = |i| {
        let others = (0..14).filter(|j| *j != i);
        let globs: String = others
            .map(|j| format!("pub use super::m{j}::*; "))
            .collect();
        format!("mod m{i} {{ {globs} }} ")
    };
    let globs: String = (0..14).map(globs).collect();
    refused(&format!("{globs} use m0::*;"), "missing();", "ways");
}

/// Whoever looks at every part of a value or a type counts them.
#[test]
fn walks() {
    let value = |body: &str| {
        let body = format!("let a = [0usize; 100000]; for _i in 0..10000 {{ {body} }}");
        let items = "
            const A: [usize; 100000] = [0; 100000];
            fn take(_a: [usize; 100000]) {}
            fn give() -> [usize; 100000] { A }
            #[inline(never)] fn call(_a: &[usize; 100000]) {}";
        refused(items, &format!("let x = public_input(); {body}"), "steps");
    };
    value("let _b = a.clone();");
    value("let _b: [usize; 100000] = a;");
    value("take(a);");
    value("give();");
    value("call(&a);");
    value("assert_eq!(a, a);");
    value("if x == felt(1) { A } else { A };");
    let units = "let _a = (); ".repeat(2000);
    let branches = "for i in 0..10000 { if x == felt(i) {} }";
    refused(
        "",
        &format!("let x = public_input(); {units} {branches}"),
        "steps",
    );
    let cases: String = (0..1000).map(|i| format!("{i} | ")).collect();
    let body =
        format!("for _i in 0..10000 {{ match 5000usize {{ {cases} 1000 => {{}} _ => {{}} }} }}");
    refused("", &body, "steps");
    let large = |body: &str| {
        let doubled = (0..11).map(|i| format!("type T{} = (T{i}, T{i}); ", i + 1));
        let doubled: String = doubled.collect();
        let items = format!(
            "struct S<T> {{ t: PhantomData<T> }} type T0 = usize; {doubled}
            impl<T> S<T> {{
                const C: usize = 1;
                #[inline(never)] fn call() {{}}
                fn run() {{ for _i in 0..10000 {{ {body} }} }}
            }}"
        );
        let items = format!("use std::marker::PhantomData; {items}");
        refused(&items, "S::<T11>::run();", "steps");
    };
    large("Self::C;");
    large("Self::call();");
    let traits = (0..2000).map(|i| format!("trait A{}: A{i} {{}} ", i + 1));
    let traits: String = traits.collect();
    let items = format!(
        "struct S; trait A0 {{}} {traits} trait M: A2000 {{ fn m(&self) {{}} }} impl M for S {{}}
        fn f<T: M>(t: T) {{ for _i in 0..10000 {{ t.m(); }} }}"
    );
    refused(&items, "f(S);", "steps");
}

/// Moves take no longer the more there were before, nor the larger what is copied is.
#[test]
fn moves_are_not_searched() {
    let items = "
        struct N { x: Felt }
        struct S { data: Vec<Felt>, rest: Vec<Felt> }
        fn same(v: Vec<Felt>) -> Vec<Felt> { v }
        #[derive(Clone, Copy)] struct P<T> { a: T, b: T }
        fn p<T: Copy>(t: T) -> P<T> { P { a: t, b: t } }";
    let compiles = |body: &str| compile(&main_of(items, body), &[]).unwrap();
    compiles(
        "let mut t = (N { x: felt(1) }, 1usize);
        let z = (1usize, 2usize);
        let mut s = 0usize;
        for _i in 0..300000usize { let a = t.0; t.0 = a; s = z.0; }
        reveal(felt(s));",
    );
    compiles(
        "let mut s = S { data: vec![felt(1); 10000], rest: vec![] };
        let mut i = 0usize;
        while i < s.data.len() { s.rest = same(s.rest); i += 1; }",
    );
    let nested = format!("{}felt(1){}", "p(".repeat(16), ")".repeat(16));
    compiles(&format!(
        "let x = {nested}; for _i in 0..20000usize {{ let _y = x; }}"
    ));
}
