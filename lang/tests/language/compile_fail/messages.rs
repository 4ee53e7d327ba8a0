//! The commonest mistakes, each with the whole text of its message: what is wrong, where, and what to
//! write instead.

use droste_lang::compiler::compile;

/// Items, the body of `main` with the place between `«` and `»`, message and advice.
type Mistake = (&'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const MISTAKES: &[Mistake] = &[
    // Types and macros that the language does not have.
    ("", "let b: «Box<usize>» = Box::new(1);",
        "there is no type `Box`",
        "a value is inline: write its type without `Box`"),
    ("", "let s: «String» = String::new();",
        "there is no type `String`",
        "text is `&str` that is known while compiling: keep it so, or push bytes to a `Vec<u8>`"),
    ("use std::collections::HashMap;", "let m: HashMap<usize, usize> = «HashMap::new»();",
        "this item of the standard library is not in the subset",
        "write a `Vec` of pairs, or two arrays, and find the key by `position`"),
    ("use std::rc::Rc;", "let r: Rc<usize> = «Rc::new»(1);",
        "this item of the standard library is not in the subset",
        "a value may be cloned: write its type, or pass `&value`"),
    ("", "let x = «1.5»;",
        "this literal is not in the subset",
        "write `Felt` for arithmetic in the field, or an integer type"),
    ("fn f(x: «f64») {}", "f(2);",
        "there is no type `f64`",
        "write `Felt` for arithmetic in the field, or an integer type"),
    ("", "let x = public_input(); «println!(\"{x:?}\")»;",
        "the macro `println!` is not in the subset",
        "to see a value, write `dbg!(value)`, or let an `assert_eq!` fail: its error has both sides"),
    ("", "let s = «format!(\"{}\", 1)»;",
        "the macro `format!` is not in the subset",
        "text is `&str` that is known while compiling: keep it so, or push bytes to a `Vec<u8>`"),
    ("«static mut N: usize = 1;»", "",
        "`static mut` is not in the subset",
        "write `let mut` in `main`, and pass `&mut value` to functions"),
    ("trait T {} fn f(t: &«dyn T») {}", "",
        "dynamic dispatch is not in the subset",
        "take a generic parameter bounded by the trait"),
    ("", "«unsafe { reveal(felt(1)) }»;",
        "`unsafe` is not in the subset",
        "write it without: what the compiler evaluates costs nothing when it runs"),
    // What is known only in a run.
    ("", "let x = public_input(); let mut n = 0usize; «if x == felt(1) { n += 1; }» reveal(felt(n));",
        "one side of a run-time branch leaves the integer 1, the other the integer 0",
        "compile-time values cannot depend on a run-time condition: use `felt(n)` for numbers"),
    ("", "let mut x = public_input(); while «x != felt(0)» { x = x - felt(1); }",
        "the condition of a `while` loop must be known at compile time",
        "write `for i in count(N)` or `for i in count_to(n)`"),
    ("", "let x = public_input(); for i in 0..«x» { reveal(felt(i)); }",
        "expected an integer known at compile time, found a Felt",
        "run-time indices are `Index<N>`, run-time loop bounds go through `count_to`"),
    ("", "let x = public_input(); let a = [felt(1); 4]; reveal(a[«x»]);",
        "an index is an integer known at compile time, not a Felt",
        "for a run-time index use `Words<N>` and `Index<N>`, or `Slice::at`"),
    ("fn f(x: Felt) -> Felt { «if x == felt(1) { return felt(2); }» x }",
        "reveal(f(public_input()));",
        "`return`, `break` and `continue` must be decided at compile time",
        "let the branch have a value, and use it after the branch"),
    ("", "let x = public_input(); let mut n = 0usize; «for i in count(4) { n += 1; }» reveal(x);",
        "the integer 0 changes from one iteration of a run-time loop to the next, to the integer 1",
        "only run-time values can change; or unroll the loop, `for i in 0..N`"),
    // Field elements.
    ("", "let x = public_input(); reveal(«x / felt(2)»);",
        "`/` does not apply to a Felt and a Felt",
        "multiply by `.inverse()`, which also asserts that it exists"),
    ("", "let x = public_input(); reveal(«x + 1usize»);",
        "`+` does not apply to a Felt and an integer",
        "write `felt(n)` to make a field element of an integer"),
    ("", "let x = public_input(); assert!(«x < felt(5)»);",
        "`<` does not apply to a Felt and a Felt",
        "field elements have no order: `droste_gadgets::integers` compares their integers"),
    ("", "let x = «public_input() as u32»;",
        "casts are for integers known at compile time",
        "make a field element of an integer with `felt(n)`"),
    ("", "let x = hint_felt(); «reveal(x)»;",
        "expected a Felt, found an Unchecked value",
        "check it with `.bit()` or `.checked()`, or accept every value with `.any()`"),
    // What fails while compiling.
    ("", "let a = [1usize, 2, 3]; reveal(felt(a[«3»]));",
        "index 3 is out of range of an array of 3",
        ""),
    ("", "let a = 200u8; let b = «a + 100»;",
        "`200 + 100` overflows u8",
        ""),
    ("", "«assert_eq!(felt(2) * felt(2), felt(5), \"two squared\")»;",
        "this assertion is false at compile time: two squared",
        "the left side is the Felt 4, the right side the Felt 5"),
    ("fn f(n: usize) -> usize { «f(n + 1)» }", "reveal(felt(f(0)));",
        "calls are nested more than 256 deep",
        "recursion must end at compile time"),
    // Names and references.
    ("", "reveal(«twice»(felt(2)));",
        "there is no function `twice`",
        ""),
    ("", "let mut x = felt(1); let mut r = &mut x; let q = &mut «r»; **q = felt(2);",
        "mutable references to mutable references are not in the subset",
        "pass the reference itself, or `&mut *` of it"),
    ("", "let r = «&mut felt(1)»; *r = felt(2);",
        "a mutable reference is to a variable, or to a part of one",
        "give the value a name with `let mut`"),
];

/// The program of a mistake, and the place in it.
fn program((items, body, ..): &Mistake) -> (String, usize, usize) {
    let imports = "use droste_gadgets::prelude::*;";
    let marked = format!("{imports}\n{items}\npub fn main() {{ {body} }}\n");
    let start = marked.find('«').unwrap();
    let end = marked.find('»').unwrap() - '«'.len_utf8();
    (marked.replace(['«', '»'], ""), start, end)
}

#[test]
fn the_commonest_mistakes_have_these_messages() {
    assert!(MISTAKES.len() >= 25);
    let mut wrong = Vec::new();
    for mistake in MISTAKES {
        let (.., message, help) = mistake;
        let (text, start, end) = program(mistake);
        let Err(error) = compile(&text, &[]) else {
            wrong.push(format!("this compiles:\n{text}"));
            continue;
        };
        let found = error.span.offset()..error.span.offset() + error.span.len();
        let advice = error.help.as_deref().unwrap_or_default();
        if (error.message.as_str(), advice) != (*message, *help) || found != (start..end) {
            let place = text.get(found).unwrap_or_default();
            wrong.push(format!(
                "{text}{}\nhelp: {advice}\nat `{place}`\nexpected: {message}\nhelp: {help}",
                error.message
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Every item that is refused is named, up to a number of them.
#[test]
fn several_items_are_refused_at_once() {
    let error = compile(
        "static mut A: u8 = 1; fn f() { 1.5; } pub fn main() { unsafe {} }",
        &[],
    );
    let error = error.unwrap_err();
    let messages: Vec<_> = std::iter::once(&*error).chain(&error.others).collect();
    let messages: Vec<_> = messages
        .iter()
        .map(|error| error.message.as_str())
        .collect();
    assert_eq!(
        messages,
        [
            "`static mut` is not in the subset",
            "this literal is not in the subset",
            "`unsafe` is not in the subset"
        ]
    );
    let many = "static mut A: u8 = 1;".repeat(20);
    let error = compile(&many, &[]).unwrap_err();
    assert_eq!(error.others.len(), 7);
    assert_eq!(error.place(), [(1, 1), (1, 22)]);
}

/// The calls that lead to a failure are a part of its text; those in the standard library are not.
#[test]
fn errors_show_the_calls() {
    let source = "use droste_gadgets::prelude::*;
fn inner(n: usize) -> usize { let none: Option<usize> = None; none.unwrap() + n }
fn outer() -> usize { inner(1) }
pub fn main() { reveal(felt(outer())); }";
    let error = compile(source, &[]).unwrap_err();
    assert!(error.certain);
    let place = source.get(error.span.offset()..error.span.offset() + error.span.len());
    assert_eq!(place, Some("none.unwrap()"));
    assert_eq!(
        error.to_string(),
        "this macro is reached at compile time: called `Option::unwrap()` on a `None` value\n  \
         in inner, called at main.rs:3:23\n  \
         in outer, called at main.rs:4:29"
    );
    // Of many calls the innermost are shown.
    let deep = "fn f(n: usize) -> usize { if n == 0 { [1usize][n + 1] } else { f(n - 1) } }
        pub fn main() { let x = f(20); }";
    let error = compile(deep, &[]).unwrap_err();
    assert_eq!(error.chain.len(), 9);
    assert_eq!(error.chain[8], "and 13 calls around it");
}

/// What a run-time condition decides does not fail in every run.
#[test]
fn failures_under_run_time_conditions_are_not_certain() {
    let is_certain = |body: &str| {
        let source = format!(
            "use droste_gadgets::prelude::*;\npub fn main() {{ let x = public_input(); {body} }}"
        );
        compile(&source, &[]).unwrap_err().certain
    };
    assert!(is_certain("panic!();"));
    assert!(is_certain("for _ in count(3) { panic!(); }"));
    assert!(is_certain("let n = 5u8.clamp(9, 3);"));
    assert!(!is_certain("if x == felt(1) { panic!(); }"));
    assert!(!is_certain(
        "for i in count(3) { if i == felt(7) { panic!(); } }"
    ));
    assert!(!is_certain("for _ in count_to(x) { panic!(); }"));
    assert!(!is_certain(
        "let holds = x == felt(1) && [1u8, 2][x_of(2)] == 1; } fn x_of(n: usize) -> usize { n"
    ));
}
