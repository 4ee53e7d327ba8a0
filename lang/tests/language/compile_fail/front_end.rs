//! What the parser and the evaluator refuse because it could mean something else to rustc.

use super::{Case, case, with};

pub const CASES: &[Case] = &[
    // Attributes and conditions.
    with(
        "#[cfg(«feature» = \"fast\")] const N: usize = 1;",
        "",
        "whether `feature` holds depends on the build",
        "only `test`",
    ),
    with(
        "#[cfg(any(test, «debug_assertions»))] fn f() {}",
        "",
        "whether `debug_assertions` holds",
        "only `test`",
    ),
    with(
        "#[cfg(«not(test, test)»)] fn f() {}",
        "",
        "`not` takes one",
        "",
    ),
    with(
        "«#[cfg_attr(test, inline)]» fn f() {}",
        "",
        "the attribute `cfg_attr` is not in the subset",
        "must know",
    ),
    with(
        "«#[no_mangle]» fn f() {}",
        "",
        "the attribute `no_mangle`",
        "",
    ),
    with(
        "«#[allow(overflowing_literals)]» const N: u8 = 3;",
        "",
        "literals that overflow",
        "",
    ),
    with(
        "«#[inline(maybe)]» fn f() {}",
        "",
        "`always` or `never`",
        "",
    ),
    with(
        "#[derive(«Magic»)] struct S;",
        "",
        "`derive(Magic)` is not in the subset",
        "",
    ),
    with(
        "struct S { «#[serde(skip)]» a: Felt }",
        "",
        "the attribute `serde`",
        "",
    ),
    with(
        "impl S { «#[cold]» fn f() {} } struct S;",
        "",
        "the attribute `cold`",
        "",
    ),
    with(
        "fn f(«#[magic]» x: Felt) {}",
        "",
        "the attribute `magic`",
        "",
    ),
    case("«#[magic]» let x = 1;", "the attribute `magic`", ""),
    case(
        "match 1usize { «#[magic]» 1 => {} _ => {} }",
        "the attribute `magic`",
        "",
    ),
    case(
        "let x = [«#[cfg(test)]» felt(1), felt(2)];",
        "`cfg` cannot leave anything out here",
        "statement or an item",
    ),
    case(
        "let mut x = felt(1); «#[cfg(test)]» x = felt(2);",
        "`cfg` cannot leave anything out here",
        "",
    ),
    case(
        "let x = { felt(1); #[cfg(test)] «{ felt(2) }» };",
        "the value of a block cannot be left out",
        "",
    ),
    // Labels and jumps.
    case(
        "for i in 0..3 { «break 'a»; }",
        "there is no loop `'a` around this",
        "",
    ),
    case(
        "for i in 0..3 { «continue 'a»; }",
        "there is no loop `'a` around this",
        "",
    ),
    case(
        "'a: while { «break 'a» } { }",
        "there is no loop `'a` around this",
        "",
    ),
    case(
        "'a: for i in 0..3 { let f = || { «break 'a»; }; }",
        "there is no loop `'a` around this",
        "",
    ),
    case(
        "'a: for i in 0..3 { const N: usize = { «continue 'a»; 1 }; }",
        "there is no loop `'a` around this",
        "",
    ),
    case(
        "loop { let f = || «break»; f(); }",
        "`break` or `continue` outside of a loop",
        "",
    ),
    case(
        "for i in 0..3 { «break 5»; }",
        "this jump does not fit what it leaves",
        "",
    ),
    case(
        "'a: { «continue 'a»; }",
        "this jump does not fit what it leaves",
        "",
    ),
    // Macros.
    case(
        "«debug_assert!(true)»;",
        "macro `debug_assert!`",
        "depends on the build",
    ),
    case(
        "«debug_assert_eq!(1, 1)»;",
        "macro `debug_assert_eq!`",
        "depends on the build",
    ),
    case("«mine::assert!(true)»;", "macro `mine::assert!`", ""),
    with(
        "use other::«assert»;",
        "",
        "`assert` is a macro of the language",
        "",
    ),
    case(
        "assert!(true, \"{}\", «return»);",
        "computed only if the assertion fails",
        "name variables",
    ),
    case(
        "assert_eq!(1, 1, \"{}\", «hint_felt().any()»);",
        "computed only if the assertion fails",
        "",
    ),
    // Functions and types.
    with("«async fn f() {}»", "", "this kind of function", ""),
    with(
        "«unsafe fn f() {}»",
        "",
        "`unsafe` is not in the subset",
        "",
    ),
    with("«extern \"C\" fn f() {}»", "", "this kind of function", ""),
    with(
        "struct S { x: «impl Clone» }",
        "",
        "`impl Trait` is only for parameters and results",
        "generic parameter",
    ),
    with(
        "fn f() -> «impl Clone» { 1usize }",
        "",
        "`impl Trait` as a result is only for closures and iterators",
        "write the type",
    ),
    with(
        "fn f() -> «!» { panic!() }",
        "",
        "this type is not in the subset",
        "",
    ),
    with(
        "struct S<'a> { x: «&'a mut Felt» }",
        "",
        "fields cannot have mutable references",
        "keep the index of the element",
    ),
    with(
        "struct S; impl S { fn f(«self: &Self») {} }",
        "",
        "an explicit type of `self` is not in the subset",
        "`&self`",
    ),
    with(
        "fn f(«(a, b)»: &mut (Felt, Felt)) {}",
        "",
        "a parameter taken by `&mut` must be a single name",
        "use its fields",
    ),
    with(
        "trait S<«T = Felt»> { fn x(&self, x: T); }",
        "",
        "defaults of generic parameters are only of structs and enums",
        "",
    ),
    with(
        "type Small = u8; fn f<const N: «Small»>() {}",
        "",
        "constant parameters are integers, chars or bools",
        "by its own name",
    ),
    with(
        "fn f<T: «?Sized»>(x: &T) {}",
        "",
        "this bound is not in the subset",
        "",
    ),
    with(
        "«static mut X: usize = 1;»",
        "",
        "`static mut` is not in the subset",
        "`&mut value`",
    ),
    with(
        "«#[repr(align(8))]» struct S;",
        "",
        "this `repr` is not in the subset",
        "remove it",
    ),
    with("«unsafe trait T {}»", "", "this kind of trait", ""),
    with(
        "trait T { «type U<'a>;» }",
        "",
        "this associated type is not in the subset",
        "",
    ),
    with(
        "struct S; impl S { const N: usize = 1; const «N»: usize = 2; }",
        "",
        "`N` is declared a second time",
        "",
    ),
    case(
        "const N: usize = 1; const «N»: usize = 2;",
        "`N` is declared a second time",
        "",
    ),
    case("let «r#match» = 1;", "raw identifiers", ""),
    case("«::std::mem::drop»(1);", "paths that begin with `::`", ""),
    case("let x = «1f32»;", "numbers of type `f32`", "u128, i8 to"),
    case("let x = «256u8»;", "does not fit its type", ""),
    // Patterns.
    case(
        "let «ref mut x» = felt(1);",
        "`ref` is not in the subset",
        "assign to the place",
    ),
    with(
        "const X: usize = 1;",
        "let «X» = 2usize;",
        "the name of a constant, so the pattern compares",
        "another name",
    ),
    with(
        "struct S;",
        "let «S» = S;",
        "the name of a constant, so the pattern compares",
        "",
    ),
    case(
        "const X: usize = 1; for «X» in 0..3 { }",
        "the name of a constant, so the pattern compares",
        "",
    ),
    with(
        "fn f<const N: usize>() { match 1usize { «N» => {} _ => {} } }",
        "f::<3>();",
        "`N` is a generic parameter here",
        "",
    ),
    with(
        "struct S { a: Felt, b: Felt }",
        "let «S { a }» = S { a: felt(1), b: felt(2) };",
        "the pattern leaves fields out",
        "`..`",
    ),
    with(
        "struct S { a: usize } struct R { a: usize }",
        "match (S { a: 1 }) { «R { a: 1 }» => {} _ => {} }",
        "the value is a `S`",
        "",
    ),
    case(
        "let x = public_input(); match 1usize { 1 if «x == felt(1)» => { assert!(x == felt(7)); } _ => {} }",
        "a `match` and its guards are decided at compile time",
        "`if` inside the arm",
    ),
    case(
        "let x = public_input(); match x == felt(1) { «true» => {} false => {} }",
        "a `match` is decided at compile time",
        "",
    ),
    case(
        "match 1usize { 1 | 2 if «hint_felt().any() == felt(1)» => {} _ => {} }",
        "once for each alternative",
        "an arm for each",
    ),
    case("let «(1, x)» = (1, 2);", "belongs into a `match`", ""),
    case(
        "let x; x = 1; let «(a, b)»;",
        "only a single name can be declared",
        "",
    ),
    // References.
    with(
        "fn id<T>(x: T) -> T { x }",
        "let mut x = felt(0); let y = id(«&mut x»); *y = felt(3);",
        "this parameter is not declared `&mut`",
        "",
    ),
    // Words.
    with(
        "#[derive(Clone)] struct S { w: Words<2> }",
        "let s = S { w: Words::<2>::new() }; let t = «s.clone()»;",
        "`Words` cannot be copied",
        "make new ones",
    ),
    with(
        "#[derive(Clone)] struct O { s: S } struct S { a: Felt } \
         impl Clone for S { fn clone(&self) -> S { S { a: felt(7) } } }",
        "let o = O { s: S { a: felt(1) } }; let p = «o.clone()»;",
        "`S` has a `clone` of its own",
        "derive",
    ),
    // Integers.
    case("let x = 300usize; let y: u8 = «x»;", "usize and u8", ""),
    case("let x = «100u8 + 200u8»;", "overflows u8", ""),
    case("let x = «1u8 << 8»;", "overflows", ""),
    case("let x = «1u32 / 0»;", "division by zero", ""),
    case("let x = «0u64 - 1»;", "overflows", ""),
    case("let x = «300 as u8»;", "300 is out of range of u8", ""),
    case(
        "let x = «1 << 7»;",
        "depends on the integer's type",
        "`1usize`",
    ),
    case(
        "let x = «100 * 2»;",
        "depends on the integer's type",
        "write the type",
    ),
    case(
        "let x = 1; let y = «x.leading_zeros()»;",
        "depends on the integer's type",
        "",
    ),
    case(
        "let x = 0; let y = «!x»;",
        "depends on the integer's type",
        "write the type",
    ),
    case("let x: u8 = «-1»;", "-1 is out of range of u8", ""),
    case(
        "let x = 1u8; let y = 2u16; let z = «x + y»;",
        "the operands have different types",
        "",
    ),
    case(
        "let x = 5usize; let y = «x.widening_mul(1)»;",
        "no method `widening_mul`",
        "zkdsl.md",
    ),
    case("let x = «felt(3u32)»;", "u32", ""),
    case(
        "let x = 2u8; let y = [felt(1); 3][«x»];",
        "the operands have different types, u8 and usize",
        "",
    ),
    // `&&`, and branches on run-time conditions.
    case(
        "let x = public_input(); let b = x == felt(1) && { «return; »true };",
        "must be decided at compile time",
        "",
    ),
    case(
        "let x = public_input(); let mut n = 0usize; «if x == felt(1) { n = 1; }»",
        "a run-time branch leaves the integer 1, the other the integer 0",
        "",
    ),
    case(
        "let x = public_input(); if x == felt(1) { «assert!(false)»; }",
        "false at compile time",
        "",
    ),
    case(
        "let x = public_input(); let a = [felt(1), felt(2), felt(3)]; \
         let (mut s, mut t) = (&a[0..1], &a[0..2]); \
         «if x == felt(1) { s = &a[0..2]; t = &a[0..1]; }» reveal(s[0] + t[0]);",
        "different structures",
        "",
    ),
    with(
        "struct P { a: Felt }",
        "let x = «P»;",
        "there is no `P` here",
        "",
    ),
    // To rustc, the Kelvin sign is a `K`, and this constant's name is that of the imported one.
    with(
        "mod m { pub const K: usize = 1; } use m::*; const «\u{212a}»: usize = 2;",
        "reveal(felt(K));",
        "ASCII",
        "",
    ),
];
