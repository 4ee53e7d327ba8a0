//! Programs outside of the subset, each with the message, the advice and the place of its error.

mod closures;
mod conversions;
mod derives;
mod enums;
mod front_end;
mod inference;
mod integers2;
mod iterators;
mod lists;
mod loops2;
mod messages;
mod operators2;
mod options;
mod patterns2;
mod references;
mod scopes;
mod scopes2;
mod syntax;
mod texts;
mod types;

use droste_lang::compiler::{CompileError, compile, compile_file};

struct Case {
    /// Items before `main`.
    items: &'static str,
    /// Body of `main`. The expected place is between `«` and `»`, here or in the items.
    body: &'static str,
    message: &'static str,
    help: &'static str,
}

const fn case(body: &'static str, message: &'static str, help: &'static str) -> Case {
    with("", body, message, help)
}

const fn with(
    items: &'static str,
    body: &'static str,
    message: &'static str,
    help: &'static str,
) -> Case {
    Case {
        items,
        body,
        message,
        help,
    }
}

/// A structure whose field and two of whose functions are private.
const PRIVATE: &str = "mod a {
        pub struct S { n: usize }
        impl S {
            pub fn new() -> S { S { n: 1usize } }
            fn one(&self) -> usize { self.n }
            fn none() -> usize { 0usize }
        }
        pub struct T(usize);
        impl T { pub fn new() -> T { T(1usize) } }
    }
    use a::{S, T};";

const CASES: &[Case] = &[
    // What rustc refuses, too: a type may rely on nobody else making or changing its values.
    with(
        PRIVATE,
        "reveal(felt(«S::new().one()»));",
        "`one` is private",
        "",
    ),
    with(
        PRIVATE,
        "reveal(felt(«S::none()»));",
        "`none` is private",
        "",
    ),
    with(
        PRIVATE,
        "let s = S::new(); reveal(felt(«s.n»));",
        "the field `n` of `S` is private",
        "",
    ),
    with(
        PRIVATE,
        "let mut s = S::new(); «s.n» = 2usize;",
        "the field `n` of `S` is private",
        "",
    ),
    with(
        PRIVATE,
        "let _s = S { n: «2usize» };",
        "the field `n` of `S` is private",
        "",
    ),
    with(
        PRIVATE,
        "let _s = S { ..«S::new()» };",
        "the field `n` of `S` is private",
        "",
    ),
    with(
        PRIVATE,
        "reveal(felt(«T::new().0»));",
        "the field `0` of `T` is private",
        "",
    ),
    with(
        PRIVATE,
        "let «T(n)» = T::new(); reveal(felt(n));",
        "the field `0` of `T` is private",
        "",
    ),
    with(PRIVATE, "let _t = «a::T»(2usize);", "private", ""),
    with(
        "mod a { pub struct T(usize); }
        trait Make { fn make() -> Self; }
        impl Make for a::T { fn make() -> Self { Self(«2usize») } }",
        "let _t = <a::T as Make>::make();",
        "the field `0` of `T` is private",
        "",
    ),
    with("mod a { fn f() {} }", "«a::f»();", "`f` is private", ""),
    with(
        "mod a { const C: usize = 1; }",
        "reveal(felt(«a::C»));",
        "`C` is private",
        "",
    ),
    with(
        "mod a { struct P { pub n: usize } }",
        "let _p = «a::P» { n: 1usize };",
        "`P` is private",
        "",
    ),
    with(
        "struct N { n: usize } impl N { fn new() -> N { «Self(1usize)» } }",
        "let _n = N::new();",
        "have names",
        "",
    ),
    with(
        "struct N { n: usize }",
        "let «N(n)» = N { n: 1usize };",
        "have names",
        "",
    ),
    with(
        "struct N { n: usize } fn f(n: &mut N) { let m = «*n»; }",
        "let mut n = N { n: 1usize }; f(&mut n);",
        "not `Copy`",
        "borrow it",
    ),
    with(
        "#[derive(Clone)] struct N { n: usize } fn g(n: N) {} fn f(n: &mut N) { g(«*n»); }",
        "let mut n = N { n: 1usize }; f(&mut n);",
        "not `Copy`",
        "clone it",
    ),
    with(
        "struct N { n: usize }",
        "let n = (N { n: 1usize }, 1usize); let m = «n.clone()»;",
        "`N` is not `Clone`",
        "",
    ),
    with(
        "struct N { n: usize }",
        "let v = «vec![N { n: 1usize }; 2]»;",
        "`N` is not `Clone`",
        "",
    ),
    with(
        "struct N { n: usize }
        impl N { fn add(&mut self) { self.n += 1; } }
        fn f(n: &N) { «n.add()»; }",
        "let n = N { n: 1usize }; f(&n);",
        "behind a shared reference",
        "`&mut`",
    ),
    with(
        "«impl Felt» { fn f(self) {} }",
        "",
        "crate that declares it",
        "",
    ),
    with("impl Copy for «Felt» {}", "", "of this crate", ""),
    // What cannot succeed in any run, or only if a prover cheats.
    case(
        "let mut w = Words::<4>::new(); w.set(Index::new(felt(1)), felt(7)); reveal(«w.get(Index::new(felt(2)))»);",
        "this word is never written",
        "a prover could choose its value",
    ),
    case(
        "let w = Words::<4>::new(); reveal(«w.get(Index::new(public_input()))»);",
        "this word is never written",
        "write it first",
    ),
    case(
        "let s = hint_slice(2).any(); reveal(«s.block(2)».lane(0));",
        "outside of the slice",
        "",
    ),
    case(
        "reveal(Felt::ONE); reveal(«public_input()»);",
        "after an output",
        "before the first `reveal`",
    ),
    case(
        "let mut x = public_input(); «for i in count(100000000) { x = x * x; }» reveal(x);",
        "more memory than the machine has",
        "",
    ),
    case(
        "for i in «0..=18446744073709551615» { }",
        "takes more than",
        "",
    ),
    with(
        "const X: Felt = «hint_felt().any()»;",
        "reveal(X);",
        "it cannot be part of a constant",
        "",
    ),
    with(
        "#[inline(never)] fn f(n: Felt) {}",
        "let n = count_to(public_input()); «f(n)»;",
        "cannot be an argument",
        "",
    ),
    // Syntax outside of the subset.
    case("let x = «let»;", "syntax error", ""),
    case("let s = «1.5»;", "this literal is not in the subset", ""),
    case("«unsafe { }»", "`unsafe` is not in the subset", ""),
    case("«println!(\"x\")»;", "macro `println!`", "`dbg!(value)`"),
    case(
        "«format!(\"x\")»;",
        "macro `format!`",
        "text is `&str` that is known while compiling",
    ),
    with(
        "fn f(x: &«dyn Clone») {}",
        "",
        "dynamic dispatch",
        "generic parameter",
    ),
    with(
        "struct S; impl S { «macro_rules!{}» }",
        "",
        "not in the subset inside an impl",
        "",
    ),
    // Names.
    case("let x = «y»;", "there is no `y` here", ""),
    case("«f(1)»;", "there is no function `f`", ""),
    case("let x: «Foo» = 1;", "there is no type `Foo`", ""),
    with(
        "use droste_gadgets::«nothing»;",
        "nothing();",
        "there is no `droste_gadgets::nothing`",
        "libraries",
    ),
    with(
        "struct S { a: Felt }",
        "let s = S { a: felt(1) }; let b = «s.b»;",
        "`S` has no field `b`",
        "",
    ),
    with(
        "struct S { a: Felt }",
        "let s = «S { }»;",
        "the field `a` is missing",
        "",
    ),
    with(
        "fn f(a: usize) {}",
        "«f(1, 2)»;",
        "`f` takes 1 arguments, 2 are given",
        "",
    ),
    case(
        "let x = «felt(1).sqrt()»;",
        "a Felt has no method `sqrt`",
        "docs/zkdsl.md",
    ),
    with(
        "struct S;",
        "let x = «S::new()»;",
        "there is no function `new`",
        "",
    ),
    with(
        "struct S;",
        "let x = «S::SIZE»;",
        "there is no constant `SIZE`",
        "",
    ),
    // Values known only at run time where compile-time ones are needed.
    case(
        "let x = public_input(); let a = [felt(1); 4]; let y = a[«x»];",
        "an index is an integer known at compile time, not a Felt",
        "Words<N>",
    ),
    case(
        "let x = public_input(); let y = «x < felt(3)»;",
        "`<` does not apply to a Felt and a Felt",
        "no order",
    ),
    case(
        "let x = public_input(); let y = «x / felt(3)»;",
        "`/` does not apply",
        "inverse",
    ),
    case(
        "let b = Block::ZERO; «assert_ne!(b, b)»;",
        "this assertion is false at compile time",
        "the left side is a Block",
    ),
    case(
        "let x = public_input(); let y = «x + 1»;",
        "`+` does not apply to a Felt and an integer",
        "felt(n)",
    ),
    case(
        "let x = public_input(); let y = «x as usize»;",
        "casts are for integers",
        "felt(n)",
    ),
    case(
        "let x = public_input(); for i in 0..«x» { }",
        "expected an integer known at compile time, found a Felt",
        "count_to",
    ),
    case(
        "let x = public_input(); while «x == felt(0)» { }",
        "the condition of a `while` loop",
        "count_to",
    ),
    case(
        "let x = public_input(); let mut n = 0; «if x == felt(1) { n = 1; }»",
        "a run-time branch leaves the integer 1, the other the integer 0",
        "cannot depend",
    ),
    case(
        "let mut n = 0; «for i in count(3) { n += 1; }»",
        "the integer 0 changes from one iteration of a run-time loop to the next, to the integer 1",
        "unroll",
    ),
    case(
        "let x = public_input(); «if x == felt(1) { return; }»",
        "must be decided at compile time",
        "value",
    ),
    case(
        "let x = public_input(); match x { «0» => {} _ => {} }",
        "a `match` is decided at compile time",
        "if a == b",
    ),
    case(
        "for i in count(2) { let x = «public_input()»; }",
        "`public_input` must run exactly once",
        "outside of run-time loops",
    ),
    case(
        "let x = public_input(); if x == felt(0) { «reveal(x)»; }",
        "`reveal` must run exactly once",
        "outside of",
    ),
    case(
        "for i in «felt(3)» { }",
        "cannot loop over a Felt",
        "count_to",
    ),
    case("if «felt(1)» { }", "a condition is a bool, not a Felt", ""),
    // Values.
    case("let x = «3 - 5»; ", "depends on the integer's type", ""),
    case(
        "let a = [felt(1); 4]; let x = a[«4»];",
        "index 4 is out of range of an array of 4",
        "",
    ),
    case("let x = «Felt::ZERO.inverse()»;", "zero has no inverse", ""),
    case(
        "«assert_eq!(felt(1), felt(2))»;",
        "false at compile time",
        "",
    ),
    case("«assert!(1 > 2)»;", "false at compile time", ""),
    // One lane differs, both being constants: no run can satisfy the assertion, whatever the other
    // lanes are.
    case(
        "let w = hint_felt().any(); let o = felt(0); let i = felt(1);\
         «assert_eq!(Block::new([w, i, o, o, o, o, o, o]), Block::new([w, o, o, o, o, o, o, o]))»;",
        "false at compile time",
        "",
    ),
    case(
        "let x = «Block::ZERO.lane(8)»;",
        "a Block has no lane 8",
        "",
    ),
    case(
        "let x = «Ext::ONE.coeff(5)»;",
        "an Ext has no coefficient",
        "",
    ),
    case(
        "let x = public_input(); let i = «Index::<100>::new(x)»;",
        "an index below 100 cannot be checked",
        "power of two",
    ),
    case(
        "for i in 0..9 { «reveal(felt(i))»; }",
        "the statement has 8 elements",
        "inputs and outputs are 8 at most: reveal a digest",
    ),
    case(
        "let x = hint_felt(); let y = «x + felt(1)»;",
        "`+` does not apply to an Unchecked value",
        "`.any()`",
    ),
    case(
        "let x = hint_felt(); let y = «felt(1) * x»;",
        "`*` does not apply to a Felt and an Unchecked value",
        "`.bit()`",
    ),
    case(
        "let x = «hint_ext().any()»;",
        "an Ext that is unchecked has no method `any`",
        "check it with `.checked()`",
    ),
    case(
        "«reveal(hint_felt())»;",
        "expected a Felt, found an Unchecked value",
        "`.bit()` or `.checked()`, or accept every value with `.any()`",
    ),
    case(
        "«assert_eq!(1 + 1, 3, \"{} sizes\", 2)»;",
        "false at compile time: 2 sizes",
        "the left side is the integer 2, the right side the integer 3",
    ),
    case(
        "«assert!(1 > 2, \"order\")»;",
        "false at compile time: order",
        "",
    ),
    case(
        "let s = hint_slice(2).any(); let h = «horner(s, 8, 1, Ext::ONE)»;",
        "skip fewer than 8 lanes",
        "data.skip(n)",
    ),
    case(
        "let s = hint_slice(25).any(); let w = «power_weights(s, 25, felt(3), felt(1))»;",
        "1 to 24 coordinates, not 25",
        "2^24 points",
    ),
    case(
        "let s = hint_slice(2).any(); let w = «power_weights(s, 3, felt(3), felt(1))»;",
        "3 blocks",
        "",
    ),
    case(
        "let s = hint_slice(6).any(); let w = «word_products(s, 3, s, Block::ZERO)»;",
        "the words of 1 or 2 blocks, not 3",
        "several calls",
    ),
    case(
        "let s = hint_slice(3).any(); let w = «word_products(s, 2, s, Block::ZERO)»;",
        "4 blocks",
        "",
    ),
    case(
        "let s = hint_slice(2).any(); let h = «poseidon16_sponge(s, 7, Block::ZERO)»;",
        "at least 8 lanes",
        "one block",
    ),
    case(
        "«panic!(\"no\")»;",
        "this macro is reached at compile time",
        "",
    ),
    case(
        "«return 1 + felt(1)»;",
        "`+` does not apply to an integer and a Felt",
        "",
    ),
    // Structure.
    with(
        "fn f(n: usize) { «f(n + 1)»; }",
        "f(0);",
        "nested more than 256 deep",
        "recursion must end",
    ),
    with(
        "#[inline(never)] fn f(x: Felt) -> Felt { «f(x)» }",
        "let x = public_input(); let y = f(x);",
        "`f` calls itself",
        "recursion must end",
    ),
    case(
        "let b = «&mut 1usize»;",
        "a mutable reference is to a variable",
        "give the value a name",
    ),
];

/// All cases.
const ALL: &[&[Case]] = &[
    CASES,
    closures::CASES,
    references::CASES,
    conversions::CASES,
    derives::CASES,
    enums::CASES,
    front_end::CASES,
    inference::CASES,
    integers2::CASES,
    iterators::CASES,
    lists::CASES,
    loops2::CASES,
    operators2::CASES,
    options::CASES,
    patterns2::CASES,
    scopes::CASES,
    scopes2::CASES,
    syntax::CASES,
    texts::CASES,
    types::CASES,
];

fn compile_case(case: &Case) -> (String, Result<(), Box<CompileError>>) {
    let (items, body) = (case.items, case.body);
    let marked = format!("use droste_gadgets::prelude::*;\n{items}\npub fn main() {{ {body} }}\n");
    let source = marked.replace(['«', '»'], "");
    (marked, compile(&source, &[]).map(drop))
}

/// Returns what is wrong with the error of a case.
fn complaint(case: &Case) -> Option<String> {
    let (marked, result) = compile_case(case);
    let Err(error) = result else {
        return Some(format!("this compiles:\n{marked}"));
    };
    let text = error.to_string();
    let help = error.help.clone().unwrap_or_default();
    if !text.contains(case.message) || !help.contains(case.help) {
        return Some(format!("{marked}{text}\nhelp: {help}"));
    }
    if text.starts_with("syntax error") || case.message.is_empty() {
        return None;
    }
    let start = error.span.offset();
    let expected = marked.find('«')?;
    let end = marked.find('»')? - '«'.len_utf8();
    // The error's place must be the marked text, contain it, or be inside it.
    let found = start..start + error.span.len();
    (found.start > end || expected > found.end)
        .then(|| format!("{marked}{text}\nat {found:?}, not {expected}..{end}"))
}

#[test]
fn a_missing_import_is_named() {
    for (body, message, module) in [
        ("reveal(felt(1));", "no function `reveal`", "prelude"),
        ("let x: Felt = 1;", "no type `Felt`", "prelude"),
        ("let x = Index::<3>::new(1);", "no type `Index`", "prelude"),
        ("advise_bits(1, 31);", "no function `advise_bits`", "advice"),
    ] {
        let error = compile(&format!("pub fn main() {{ {body} }}"), &[]).unwrap_err();
        assert!(error.message.contains(message), "{error}");
        let help = format!("write `use droste_gadgets::{module}::*;`");
        assert_eq!(error.help, Some(help), "{error}");
    }
}

#[test]
fn every_error_has_its_message_and_place() {
    let cases = ALL.iter().copied().flatten();
    let complaints: Vec<_> = cases.filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

#[test]
fn errors_in_a_library_name_its_file_and_the_calls() {
    let library = "use crate::prelude::*;\npub fn check(x: Felt) { let y = x / x; }\n";
    let entry = "use droste_gadgets::gadget::check;\nuse droste_gadgets::prelude::*;\n\
                 fn inner() { check(public_input()); }\npub fn main() { inner(); }\n";
    let libraries = [("droste_gadgets::gadget", library)];
    let error = compile_file("entry.rs", entry, &libraries).unwrap_err();
    assert_eq!(error.source_code.name(), "droste_gadgets::gadget");
    assert_eq!(
        error.chain,
        [
            "in check, called at entry.rs:3:14",
            "in inner, called at entry.rs:4:17"
        ]
    );
}

#[test]
fn a_program_without_main() {
    let error = compile("pub fn other() {}", &[]).unwrap_err();
    assert!(error.to_string().contains("no function `main`"));
}
