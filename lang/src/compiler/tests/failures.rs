//! Programs that fail, while compiling or running.

use super::*;

#[test]
fn the_call_chain_of_a_failure_ends_at_main() {
    let items = "
        #[inline(never)]
        fn inner(x: Felt) -> Felt {
            let mut y = x;
            for i in count(3) {
                y += i;
                assert_eq!(x * y, hint_felt().any());
            }
            y
        }
        #[inline(never)]
        fn outer(x: Felt) -> Felt { inner(x) + Felt::ONE }";
    let body = "let x = public_input(); reveal(inner(x + outer(x)));";
    let compiled = compile(&main_of(items, body), &[]).unwrap();
    let mut tape = Tape::default();
    tape.felt(F::ZERO);
    let error = execute(&compiled, &[F::TWO], &tape, 1 << 20).unwrap_err();
    let chain: Vec<_> = error.places.iter().map(|place| &*place.function).collect();
    assert_eq!(chain, ["inner", "outer", "main"], "{error}");
    let error = execute(&compiled, &[F::ZERO], &tape, 1 << 20).unwrap_err();
    assert_eq!(error.places.len(), 3, "{error}");
}

/// The message of an assertion is that of its failure, also where another instruction compares.
#[test]
fn a_failed_assertion_shows_its_message() {
    let body = |assertion: &str| {
        let body = format!("let x = public_input(); let y = x * x; {assertion} reveal(x);");
        compile(&main_of("", &body), &[]).unwrap()
    };
    for assertion in [
        "assert_eq!(y, x + felt(2), \"not {x} or {}\", 2usize);",
        "assert_eq!(x + felt(2), y, \"not {x} or {}\", 2usize);",
        "assert!(x == felt(1), \"not {x} or {}\", 2usize);",
        "assert!(x == felt(1) || y == felt(4), \"not {x} or {}\", 2usize);",
        "assert_ne!(x, felt(3), \"not {x} or {}\", 2usize);",
    ] {
        let compiled = body(assertion);
        let error = execute(&compiled, &[F::from_u32(3)], &Tape::default(), 1 << 10);
        let error = error.unwrap_err();
        assert_eq!(
            error.places[0].message.as_deref(),
            Some("not 3 or 2"),
            "{assertion}"
        );
        let text = error.to_string();
        assert!(text.ends_with("in main: not 3 or 2"), "{error}");
    }
    let error = execute(
        &body("assert_eq!(x, y);"),
        &[F::TWO],
        &Tape::default(),
        1 << 10,
    );
    assert_eq!(error.unwrap_err().places[0].message, None);
}

/// What an assertion says of its values, in the order of the source: whichever side the instruction
/// computes, and whether it compares for another expression or not.
#[test]
fn a_failed_assertion_says_what_failed() {
    for (body, expected) in [
        (
            "assert_eq!(x * x, x + felt(2));",
            "`assert_eq!(x * x, x + felt(2))`: left 9, right 5",
        ),
        (
            "assert_eq!(x + felt(2), x * x);",
            "`assert_eq!(x + felt(2), x * x)`: left 5, right 9",
        ),
        (
            "assert_eq!(felt(4), x);",
            "`assert_eq!(felt(4), x)`: left 4, right 3",
        ),
        (
            "assert_eq!(x, felt(4));",
            "`assert_eq!(x, felt(4))`: left 3, right 4",
        ),
        (
            "assert!(x == felt(4));",
            "`assert!(x == felt(4))`: left 3, right 4",
        ),
        (
            "assert_ne!(x, felt(3));",
            "`assert_ne!(x, felt(3))`: both sides are 3",
        ),
        (
            "assert!(x != felt(3));",
            "`assert!(x != felt(3))`: both sides are 3",
        ),
        (
            "assert!(x == felt(1) || x == felt(2));",
            "`assert!(x == felt(1) || x == felt(2))`: the condition is false",
        ),
        (
            "let b = hint_felt().bit();",
            "`hint_felt().bit()`: 2 is not 0 or 1",
        ),
        (
            "let i = Index::<3>::new(x);",
            "`Index::<3>::new(x)`: 3 is not below 3",
        ),
        (
            "let i = Index::<8>::new(x * x);",
            "`Index::<8>::new(x * x)`: 9 is not below 8",
        ),
        (
            "let e = hint_slice(1).any().block(0).as_ext();",
            "`hint_slice(1).any().block(0).as_ext()`: lanes 5 to 7 of the block are not zero",
        ),
        (
            "for i in 0..4 {\nassert_ne!(x, felt(i));\n}",
            "`assert_ne!(x, felt(i))`: both sides are 3, in iteration 3 (from 0) of the loop at \
             main.rs:5:1",
        ),
        (
            "for i in count(4) {\nfor j in 0..2 {\nassert_ne!(x, i + felt(j + 1));\n}\n}",
            "`assert_ne!(x, i + felt(j + 1))`: both sides are 3, in iteration 1 (from 0) of the \
             loop at main.rs:5:1, in iteration 1 (from 0) of the loop at main.rs:6:1",
        ),
    ] {
        let body = format!("let x = public_input(); reveal(x);\n{body}");
        let source = main_of("", &body);
        let compiled = compile(&source, &[]).unwrap();
        let mut tape = Tape::default();
        if body.contains("hint_felt") {
            tape.felt(F::TWO);
        } else if body.contains("hint_slice") {
            tape.slice(&[[F::ONE; 8]]);
        }
        let error = execute(&compiled, &[F::from_u32(3)], &tape, 1 << 20).unwrap_err();
        let expected = format!("assertion failed: {expected}");
        assert_eq!(error.said.assertion.as_deref(), Some(&*expected), "{error}");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

/// What a program prints has the values of the run, and costs no instruction.
#[test]
fn printed_values_cost_nothing() {
    let body = |printed: &str| {
        let value = |text: &str| printed.replace("VALUE", text);
        format!(
            "let x = public_input();\nlet y = {};\nfor i in count(2) {{ let z = {}; reveal_at(z); }}\n\
             if x == felt(3) {{ let a = x + y; assert_eq!(a, {}); }}\nreveal({});",
            value("x * x"),
            value("i + y"),
            value("felt(12)"),
            value("x")
        )
    };
    let items = "fn reveal_at(z: Felt) { assert_ne!(z, felt(77)); }";
    let compiled = |printed: &str| compile(&main_of(items, &body(printed)), &[]).unwrap();
    let (plain, printing) = (compiled("VALUE"), compiled("dbg!(VALUE)"));
    assert_eq!(plain.program, printing.program);
    assert_eq!(plain.hints, printing.hints);
    let run = |x: u32| execute(&printing, &[F::from_u32(x)], &Tape::default(), 1 << 10).unwrap();
    assert_eq!(
        run(3).printed,
        [
            "[main.rs:5:14] x * x = 9",
            "[main.rs:6:34] i + y = 9",
            "[main.rs:6:34] i + y = 10",
            "[main.rs:7:53] felt(12) = 12",
            "[main.rs:8:13] x = 3",
        ]
    );
    // The branch that does not run prints nothing.
    assert_eq!(run(2).printed.len(), 4);
}

/// A failure points at the expression that failed, whichever instruction notices it: a hint is
/// written before the next instruction, and an operation whose result is compared also makes the
/// comparison.
#[test]
fn a_failure_points_at_its_own_expression() {
    let body = "
        let x = public_input();
        let y = hint_felt().any();
        let product = x * y;
        let block = hint_slice(1).any().block(0);
        let digest = poseidon16_compress(block, block);
        reveal(x + y);
        assert_eq!(product, x);
        assert_eq!(digest, block);";
    let source = main_of("", body);
    let compiled = compile(&source, &[]).unwrap();
    let failed = |public: u32, tape: &Tape| {
        let error = execute(&compiled, &[F::from_u32(public)], tape, 1 << 20).unwrap_err();
        let span = error.span.unwrap();
        source[span.offset()..][..span.len()].to_owned()
    };
    let mut tape = Tape::default();
    assert_eq!(failed(3, &tape), "hint_felt()");
    tape.felt(F::TWO);
    // The product is compared where it is computed, which is before the next hint.
    assert_eq!(failed(3, &tape), "assert_eq!(product, x)");
    assert_eq!(failed(0, &tape), "hint_slice(1)");
    tape.slice(&[[F::ONE; 8]]);
    assert_eq!(failed(0, &tape), "assert_eq!(digest, block)");
}

/// Whatever its input is, the compiler returns a program or an error.
#[test]
fn nothing_makes_the_compiler_panic() {
    let deep = |open: &str, close: &str, n: usize| {
        main_of(
            "",
            &format!("let x = {}1{};", open.repeat(n), close.repeat(n)),
        )
    };
    let bodies = [
        "let s = hint_slice(1).any().skip(268435455).skip(268435455); reveal(s.block(1).lane(0));",
        "let s = hint_slice(1).any(); reveal(s.block(1).lane(0));",
        "let a = hint_slice(268435455).any(); let b = hint_slice(268435455).any();
         for i in 0..40 { let c = hint_slice(268435455).any(); }
         reveal(a.block(0).lane(0)); reveal(b.block(0).lane(0));",
        "for i in 18446744073709551600..=18446744073709551615 { }",
        "let mut x = Felt::ONE; for i in count(268435455) { x = x * x; } reveal(x);",
        "let mut x = public_input();
         for i in count(100000) { for j in count(100000) { x = x * x; } } reveal(x);",
        "let mut w = Words::<99999999999>::new(); w.set(Index::new(felt(0)), felt(1));",
        "let d = blake3_chunk(hint_slice(4).any(), 16, 18446744073709551615, true);
         reveal(d.block(0).lane(0));",
        "let n = count_to(public_input()); let f = through(n); for i in f { reveal(i); }",
        "let y = X + Felt::ONE; reveal(y);",
        "loop_out();",
        "break;",
        "reveal(felt(1)); reveal(public_input());",
        "let s = limbs(hint_slice(1).any(), 268435455); reveal(s.block(9).lane(0));
         let t = limbs(hint_slice(2).any(), 268435455); reveal(t.block(9).lane(0));
         let t = limbs(hint_slice(3).any(), 268435455); reveal(t.block(9).lane(0));",
        "assert_eq!(Ext::ONE, Ext::ZERO);",
        "assert_ne!(Ext::ONE, Ext::from_felt(Felt::ONE));",
    ];
    let items = "
        #[inline(never)]
        fn through(n: Felt) -> Felt { n }
        const X: Felt = hint_felt().any();
        fn loop_out() { continue; }";
    let mut sources: Vec<_> = bodies.iter().map(|body| main_of(items, body)).collect();
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("vec![", "]"),
        ("-", ""),
        ("!", ""),
        ("&", ""),
    ] {
        sources.push(deep(open, close, 500));
        sources.push(deep(open, close, 5_000));
        sources.push(deep(open, close, 500_000));
    }
    sources.push(deep("1 + ", "", 900));
    sources.push(deep("1 + ", "", 4_000));
    sources.push(deep("", ".clone()", 4_000));
    sources.push(main_of("", "let x = \"unfinished"));
    for source in sources {
        if let Err(error) = compile(&source, &[]) {
            assert!(!error.message.is_empty());
        }
    }
}
