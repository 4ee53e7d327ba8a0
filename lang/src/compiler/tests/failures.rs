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
        "assert_eq!(y, x + felt(2), \"not {x}\");",
        "assert_eq!(x + felt(2), y, \"not {x}\");",
        "assert!(x == felt(1), \"not {x}\");",
        "assert!(x == felt(1) || y == felt(4), \"not {x}\");",
        "assert_ne!(x, felt(3), \"not {x}\");",
    ] {
        let compiled = body(assertion);
        let error = execute(&compiled, &[F::from_u32(3)], &Tape::default(), 1 << 10);
        let error = error.unwrap_err();
        assert_eq!(
            error.places[0].message.as_deref(),
            Some("not {x}"),
            "{assertion}"
        );
        assert!(error.to_string().ends_with("in main: not {x}"), "{error}");
    }
    let error = execute(
        &body("assert_eq!(x, y);"),
        &[F::TWO],
        &Tape::default(),
        1 << 10,
    );
    assert_eq!(error.unwrap_err().places[0].message, None);
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
        "for i in 0..=18446744073709551615 { }",
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
