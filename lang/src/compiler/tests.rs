use droste_native::{EF, F};
use p3_field::PrimeCharacteristicRing;

use super::*;
use crate::executor::{Tape, execute};

fn run(source: &str, public: &[u32]) -> Vec<u32> {
    let compiled = match compile(source, &[]) {
        Ok(compiled) => compiled,
        Err(error) => panic!("{:?}", miette::Report::new(*error)),
    };
    let public: Vec<_> = public.iter().map(|value| F::from_u32(*value)).collect();
    match execute(&compiled, &public, &Tape::default(), 1 << 20) {
        Ok(execution) => {
            use p3_field::PrimeField32;
            let outputs = compiled.public_inputs..compiled.public_inputs + compiled.public_outputs;
            execution.statement[outputs]
                .iter()
                .map(|value| value.as_canonical_u32())
                .collect()
        }
        Err(error) => panic!("{:?}", miette::Report::new(error)),
    }
}

#[test]
fn factorial() {
    let source = "
        use droste_gadgets::prelude::*;
        pub fn main() {
            let n = public_input();
            let mut product = Felt::ONE;
            for i in count_to(n) {
                product *= i + Felt::ONE;
            }
            reveal(product);
        }";
    assert_eq!(run(source, &[5]), [120]);
    assert_eq!(run(source, &[0]), [1]);
}

#[test]
fn fibonacci() {
    let source = "
        use droste_gadgets::prelude::*;
        fn step(a: Felt, b: Felt) -> (Felt, Felt) { (b, a + b) }
        pub fn main() {
            let (mut a, mut b) = (Felt::ZERO, Felt::ONE);
            for _ in count(10) {
                (a, b) = step(a, b);
            }
            reveal(a);
        }";
    assert_eq!(run(source, &[]), [55]);
}

/// The example programs of the repository.
fn example(name: &str) -> String {
    let path = format!("{}/../programs/src/{name}.rs", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn examples_compile() {
    for name in [
        "factorial",
        "fibonacci",
        "sort",
        "poseidon16_chain",
        "poseidon16_membership",
        "poseidon16_permute",
        "blake3_chain",
        "blake3_membership",
        "keccak_chain",
        "keccak_membership",
    ] {
        if let Err(error) = compile_file(name, &example(name), &[]) {
            panic!("{:?}", miette::Report::new(*error));
        }
    }
}

/// Runs `body` as the body of `main`, after `items`.
fn main_of(items: &str, body: &str) -> String {
    format!("use droste_gadgets::prelude::*;\n{items}\npub fn main() {{\n{body}\n}}")
}

fn outputs(items: &str, body: &str) -> Vec<u32> {
    run(&main_of(items, body), &[])
}

#[test]
fn traits_generics_and_associated_items() {
    let items = "
        pub trait Shape {
            type Unit;
            const SIDES: usize;
            const TWICE: usize = 2 * Self::SIDES;
            fn unit() -> Self::Unit;
            fn area(&self) -> Felt;
            fn double(&self) -> Felt { self.area() + self.area() }
        }
        pub struct Square { side: Felt }
        pub struct Pair<T> { first: T, second: T }
        impl Shape for Square {
            type Unit = Pair<Felt>;
            const SIDES: usize = 4;
            fn unit() -> Pair<Felt> { Pair { first: Felt::ONE, second: felt(Self::TWICE) } }
            fn area(&self) -> Felt { self.side * self.side }
        }
        impl<T: Shape> Shape for Pair<T> {
            type Unit = T::Unit;
            const SIDES: usize = 2 * T::SIDES;
            fn unit() -> T::Unit { T::unit() }
            fn area(&self) -> Felt { self.first.area() + self.second.area() }
        }
        fn sides<T: Shape>(shape: &T) -> usize { T::SIDES }
        fn total<T: Shape, const N: usize>(shapes: [T; N]) -> Felt {
            let mut sum = felt(N);
            for i in 0..N { sum += shapes[i].double(); }
            sum
        }";
    let body = "
        let a = Square { side: felt(3) };
        let b = Square { side: felt(4) };
        let pair = Pair { first: a, second: b };
        reveal(pair.area());
        reveal(felt(sides(&pair)));
        let unit = <Pair<Square> as Shape>::unit();
        reveal(unit.first + unit.second);
        reveal(total([Square { side: felt(1) }, Square { side: felt(2) }]));
        reveal(felt(Pair::<Square>::TWICE));";
    assert_eq!(outputs(items, body), [25, 8, 9, 12, 16]);
}

#[test]
fn mutable_borrows_are_copied_in_and_out() {
    let items = "
        pub struct Counter { values: [Felt; 3], n: usize }
        impl Counter {
            pub fn new() -> Self { Counter { values: [Felt::ZERO; 3], n: 0 } }
            fn push(&mut self, x: Felt) { self.values[self.n] = x; self.n += 1; }
        }
        fn bump(x: &mut Felt, by: usize) { *x += felt(by); }
        struct Outer { inner: Counter, other: Felt }";
    let body = "
        let mut c = Outer { inner: Counter::new(), other: felt(5) };
        c.inner.push(felt(7));
        c.inner.push(c.other);
        bump(&mut c.inner.values[0], c.inner.n);
        bump(&mut c.other, 1);
        reveal(c.inner.values[0]);
        reveal(c.inner.values[1]);
        reveal(c.other);
        reveal(felt(c.inner.n));";
    assert_eq!(outputs(items, body), [9, 5, 6, 2]);
}

#[test]
fn run_time_branches_join() {
    let body = "
        let x = public_input();
        let mut y = felt(1);
        let z = if x == felt(3) { y = felt(10); x + y } else { x * x };
        let mut e = Ext::from_felt(x);
        if x != felt(4) { e = e * Ext::new([0, 1, 0, 0, 0]); }
        let both = x == felt(3) && y == felt(10);
        let w = if both { felt(1) } else { felt(0) };
        let v = if !(x == felt(3)) || x == felt(9) { felt(1) } else { felt(0) };
        reveal(y); reveal(z); reveal(e.coeff(0)); reveal(e.coeff(1)); reveal(w); reveal(v);";
    let source = main_of("", body);
    assert_eq!(run(&source, &[3]), [10, 13, 0, 3, 1, 0]);
    assert_eq!(run(&source, &[4]), [1, 16, 4, 0, 0, 1]);
}

#[test]
fn run_time_loops_carry_every_kind_of_value() {
    let body = "
        let n = public_input();
        let step = Ext::new([1, 1, 0, 0, 0]);
        let base = n + felt(100);
        let mut power = Ext::ONE;
        let mut block = Block::ZERO;
        let mut pair = [felt(0), felt(1)];
        for i in count_to(n) {
            power = power * step + Felt::ONE;
            block = poseidon16_compress(block, power.as_block());
            for j in count(3) {
                pair[0] += base;
                pair[1] = pair[0] * j + i;
            }
        }
        reveal(power.coeff(0)); reveal(power.coeff(1)); reveal(pair[0]); reveal(pair[1]);";
    let source = main_of("", body);
    assert_eq!(run(&source, &[0]), [1, 0, 0, 1]);
    // (((1 (1+X) + 1)(1+X)) + 1) has constant term 2+1 and linear term 2+1.
    assert_eq!(run(&source, &[2]), [3, 3, 612, 1225]);
}

#[test]
fn fixed_loops_inside_fixed_loops() {
    let body = "
        let x = public_input();
        let y = x * x;
        let e = Ext::from_felt(y) + Ext::new([0, 1, 0, 0, 0]);
        let mut sum = Felt::ZERO;
        let mut total = Ext::ZERO;
        for i in count(4) {
            let z = i * y;
            for j in count(5) {
                sum += z * x + j;
                total = total + e * j;
            }
        }
        reveal(sum); reveal(total.coeff(0)); reveal(total.coeff(1));";
    // sum = 5 * 6 * 8 + 4 * 10, total = 40 (4 + X).
    assert_eq!(run(&main_of("", body), &[2]), [280, 160, 40]);
}

#[test]
fn functions_that_are_called() {
    let items = "
        #[inline(never)]
        fn mix(x: Felt, e: Ext, state: &mut [Felt; 2]) -> (Ext, Felt) {
            state[0] += x;
            state[1] = state[0] * x;
            for _i in count(2) { state[1] += Felt::ONE; }
            (e * e + x, state[1])
        }
        #[inline(never)]
        fn outer<const N: usize>(x: Felt) -> Felt {
            let mut state = [x; 2];
            let mut sum = Felt::ZERO;
            for i in 0..N {
                let (e, f) = mix(x, Ext::from_felt(sum), &mut state);
                sum += e.coeff(0) + f;
            }
            sum
        }";
    let body = "
        let x = public_input();
        reveal(outer::<1>(x));
        reveal(outer::<2>(x));
        let mut total = Felt::ZERO;
        for i in count(3) { total += outer::<1>(x + i); }
        reveal(total);";
    // outer::<1>(x) = x + 2x*x + 2.
    assert_eq!(
        run(&main_of(items, body), &[3]),
        [23, 23 + (23 * 23 + 3) + (9 * 3 + 2), 23 + 38 + 57]
    );
}

#[test]
fn write_once_words_and_indices() {
    let body = "
        let x = public_input();
        let mut words = Words::<6>::new();
        for i in count(6) { words.set(Index::new(i), i * i); }
        reveal(words.get(Index::<6>::new(x)));
        let wide: Words<16> = Words::new();
        let _ = wide;
        let i = Index::<16>::new(x);
        let mut w = Words::<16>::new();
        w.set(i, x + felt(1));
        reveal(w.get(i));";
    let source = main_of("", body);
    assert_eq!(run(&source, &[5]), [25, 6]);
    let compiled = compile(&source, &[]).unwrap();
    for bad in [6, 17, 1 << 20] {
        assert!(execute(&compiled, &[F::from_u32(bad)], &Tape::default(), 1 << 20).is_err());
    }
}

#[test]
fn extension_arithmetic_agrees_with_the_field() {
    use droste_native::EF;
    use p3_field::{BasedVectorSpace, Field, PrimeField32};
    let body = "
        let a = hint_ext().checked();
        let b = hint_ext().checked();
        let f = hint_felt().any();
        let r = (a * b - b * f + a) * (a - f) - (b - a * a) * Ext::new([1, 2, 3, 4, 5]);
        let s = -r + Ext::from_coeffs([f, f * f, Felt::ONE, f + f, Felt::ZERO]);
        let t = s.inverse() * (Ext::ONE - a) + (Ext::from_felt(f) - b) - a * b;
        for i in 0..5 { reveal(t.coeff(i)); }";
    let compiled = compile(&main_of("", body), &[]).unwrap();
    let coefficients = |seed: u32| std::array::from_fn(|i| F::from_u32(seed * (i as u32 + 7) + 3));
    let (a, b, f) = (coefficients(1234), coefficients(98765), F::from_u32(424242));
    let mut tape = Tape::default();
    tape.ext(a);
    tape.ext(b);
    tape.felt(f);
    let execution = execute(&compiled, &[], &tape, 1 << 20).unwrap();
    let ef = |x: [F; 5]| EF::from_basis_coefficients_fn(|i| x[i]);
    let (a, b) = (ef(a), ef(b));
    let constant = ef(std::array::from_fn(|i| F::from_usize(i + 1)));
    let r = (a * b - b * f + a) * (a - f) - (b - a * a) * constant;
    let s = -r + ef([f, f * f, F::ONE, f + f, F::ZERO]);
    let t = s.inverse() * (EF::ONE - a) + (EF::from(f) - b) - a * b;
    let expected: Vec<_> = t.as_basis_coefficients_slice().to_vec();
    assert_eq!(execution.statement[..5], expected[..]);
    assert!(execution.statement[5].as_canonical_u32() == 0);
}

#[test]
fn slices_hashes_and_hints_in_loops() {
    let body = "
        let mut state = Block::ZERO;
        let mut sum = Ext::ZERO;
        let beta = Ext::new([3, 1, 0, 0, 0]);
        for i in count(3) {
            let data = hint_slice(2).any();
            let (rate, capacity) = poseidon16_sponge(data, 13, state);
            state = poseidon16_compress(rate, capacity);
            sum = sum * beta + horner(data, 3, 7, beta);
            let both = Slice::from_blocks([rate, state]);
            sum = sum + both.at(Index::<2>::new(Felt::ONE)).lane(2);
        }
        let last = hint_slice(1).any().block(0);
        assert_eq!(last, state);
        reveal(sum.coeff(0));
        reveal(last.lane(7));";
    let source = main_of("", body);
    let compiled = compile(&source, &[]).unwrap();
    use droste_native::precompile;
    let mut tape = Tape::default();
    let mut state = [F::ZERO; 8];
    for i in 0..3 {
        let first: [F; 8] = std::array::from_fn(|lane| F::from_usize(100 * i + lane));
        let second: [F; 8] = std::array::from_fn(|lane| F::from_usize(100 * i + lane + 50));
        let output = precompile::poseidon16_sponge(&[first, second], 13, &state).unwrap();
        state = precompile::poseidon16_compress(&output.rate, &output.capacity);
        let partial = std::array::from_fn(|lane| (lane < 5).then_some(second[lane]));
        tape.items.push(crate::executor::TapeItem::Slice(vec![
            first.map(Some),
            partial,
        ]));
    }
    tape.slice(&[state]);
    let execution = execute(&compiled, &[], &tape, 1 << 20).unwrap();
    assert_eq!(execution.statement[1], state[7]);
    tape.items.pop();
    state[7] += F::ONE;
    tape.slice(&[state]);
    let error = execute(&compiled, &[], &tape, 1 << 20).unwrap_err();
    assert_eq!(error.places[0].line, 17, "{error}");
}

/// The side an assertion compares with may be computed after the result that it could take: then
/// nothing is fused.
#[test]
fn results_are_fused_only_into_what_precedes_them() {
    let body = "
        let x = public_input();
        let w = public_input();
        let y = w * w;
        let left = x + Felt::ONE;
        let right = y + felt(3);
        assert_eq!(left, right);
        assert_eq!(w + felt(4), hint_felt().any());
        let e = Ext::from_coeffs([x, w, x, w, x]) * Ext::from_coeffs([w, x, w, x, x]);
        let f = hint_ext().checked();
        assert_eq!(e, f);
        let later = poseidon16_compress(e.as_block(), Block::ZERO);
        assert_eq!(later, hint_slice(1).any().block(0));
        reveal(y);";
    let compiled = compile(&main_of("", body), &[]).unwrap();
    // w = 3, x = y + 2.
    let public = [11, 3].map(F::from_u32);
    let (x, w) = (public[0], public[1]);
    let native = |c: [F; 5]| {
        use p3_field::BasedVectorSpace;
        droste_native::EF::from_basis_coefficients_fn(|i| c[i])
    };
    let product = native([x, w, x, w, x]) * native([w, x, w, x, x]);
    let product = {
        use p3_field::BasedVectorSpace;
        let slice: &[F] = product.as_basis_coefficients_slice();
        std::array::from_fn::<F, 5, _>(|i| slice[i])
    };
    let block = std::array::from_fn(|i| product.get(i).copied().unwrap_or_default());
    let digest = droste_native::precompile::poseidon16_compress(&block, &[F::ZERO; 8]);
    let mut tape = Tape::default();
    tape.felt(F::from_u32(7));
    tape.ext(product);
    tape.slice(&[digest]);
    let execution = execute(&compiled, &public, &tape, 1 << 20).unwrap();
    assert_eq!(execution.statement[2], F::from_u32(9));
    assert!(execute(&compiled, &[F::TWO, w], &tape, 1 << 20).is_err());
}

/// A result of two blocks stays where it is when one of them is compared.
#[test]
fn results_of_two_blocks_are_not_fused() {
    let body = "
        let data = hint_slice(1).any();
        let (digest, capacity) = poseidon16_sponge(data, 8, Block::ZERO);
        let expected = hint_slice(2).any();
        assert_eq!(digest, expected.block(0));
        reveal(expected.block(1).lane(0));
        reveal(capacity.lane(0));";
    let compiled = compile(&main_of("", body), &[]).unwrap();
    let data = [F::TWO; 8];
    let output = droste_native::precompile::poseidon16_sponge(&[data], 8, &[F::ZERO; 8]).unwrap();
    let mut tape = Tape::default();
    tape.slice(&[data]);
    tape.slice(&[output.rate, [F::from_u32(5); 8]]);
    let execution = execute(&compiled, &[], &tape, 1 << 20).unwrap();
    assert_eq!(execution.statement[0], F::from_u32(5));
    assert_eq!(execution.statement[1], output.capacity[0]);
}

/// A branch that goes away takes with it what only its condition used.
#[test]
fn what_only_dead_code_uses_is_dead() {
    let program = |branch: &str| {
        let body = format!(
            "let x = public_input();
            let (t, u) = (x == felt(3), x == felt(4));
            let mut unused = x;
            {branch}
            reveal(x);"
        );
        compile(&main_of("", &body), &[]).unwrap().program
    };
    let dead = "if t && u { unused = felt(1); } else { unused = felt(2); }";
    let length = |branch| program(branch).instructions.len();
    assert_eq!(length(dead), length(""));
}

/// Each of two branches calls the function in a frame of its own.
#[test]
fn calls_in_branches_have_their_own_frames() {
    let items = "
        #[inline(never)]
        fn cube(x: Felt) -> Felt { x * x * x }";
    let body = "
        let x = public_input();
        let y = if x == felt(2) { cube(x + felt(1)) } else { cube(x * x) + cube(x) };
        reveal(y);";
    assert_eq!(run(&main_of(items, body), &[2]), [27]);
    assert_eq!(run(&main_of(items, body), &[3]), [729 + 27]);
}

/// A sponge may absorb more lanes than any instruction's other immediate is large.
#[test]
fn long_sponges_keep_their_length() {
    let body = "
        let _ = poseidon16_sponge(hint_slice(131073).any(), 1048577, Block::ZERO);
        reveal(public_input());";
    let body = body.replace("reveal(public_input());", "");
    let compiled = compile(&main_of("", &body), &[]).unwrap();
    let call = compiled.program.instructions.iter();
    let call = call.filter(|call| call.id == crate::isa::id::POSEIDON16_SPONGE);
    let lengths: Vec<_> = call.map(|call| call.e).collect();
    assert_eq!(lengths, [F::from_u32(1_048_577)]);
}

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

/// Whatever is handed to it, the compiler answers with a program or an error.
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

fn snapshot(source: &str) -> String {
    let text = intermediate("main.rs", source, &[]).unwrap();
    let compiled = compile(source, &[]).unwrap();
    format!("{text}\n{}", assembly(&compiled))
}

#[test]
fn snapshot_of_a_counted_loop() {
    insta::assert_snapshot!(snapshot(&example("factorial")));
}

#[test]
fn snapshot_of_a_fixed_loop_a_branch_and_a_call() {
    let items = "#[inline(never)]\nfn square(e: Ext, x: Felt) -> Ext { e * e + x }";
    let body = "
        let x = public_input();
        let mut e = hint_ext().checked();
        for i in count(4) { e = square(e, i); }
        let y = if x == felt(3) { e.coeff(0) } else { x };
        assert_eq!(e * e - x, Ext::ONE);
        reveal(y);";
    insta::assert_snapshot!(snapshot(&main_of(items, body)));
}

#[test]
fn a_large_program_compiles_within_a_second() {
    // 20,000 source-level operations, none of which folds away.
    let body = "
        let mut values = [Ext::ZERO; 100];
        for i in 0..100 { values[i] = hint_ext().checked(); }
        for round in 0..50 {
            for i in 0..100 {
                let next = values[(i + 1) % 100];
                values[i] = (values[i] * next + felt(round)) * next - values[i];
            }
        }
        let mut sum = Ext::ZERO;
        for i in 0..100 { sum = sum + values[i]; }
        for i in 0..5 { reveal(sum.coeff(i)); }";
    let start = std::time::Instant::now();
    let compiled = compile(&main_of("", body), &[]).unwrap();
    let elapsed = start.elapsed();
    assert!(compiled.program.instructions.len() > 9_000);
    assert!(elapsed.as_secs_f64() < 1.0, "{elapsed:?}");
    println!(
        "{} instructions in {elapsed:?}",
        compiled.program.instructions.len()
    );
}

#[test]
fn unpacking_folding_and_duplex_are_their_precompiles() {
    let body = "
        let data = hint_slice(2).any();
        let state = poseidon16_duplex(data, 16, Block::ZERO, 8);
        let elements = unpack(data, 5, 2);
        assert_unpacked(data, 5, 2, elements);
        let (left, right) = (elements.block(0).as_ext(), elements.block(1).as_ext());
        let folded = fold_pair(left, right, fold_pair(right, Ext::from_felt(felt(3)), left));
        reveal(state.block(1).lane(0));
        reveal(folded.coeff(4));";
    let compiled = compile(&main_of("", body), &[]).unwrap();
    use droste_native::precompile;
    let data: [[F; 8]; 2] = [0, 1].map(|i| std::array::from_fn(|j| F::from_usize(100 * i + j)));
    let mut tape = Tape::default();
    tape.slice(&data);
    let execution = execute(&compiled, &[], &tape, 1 << 10).unwrap();
    let state = precompile::poseidon16_duplex(&data, 16, &[F::ZERO; 8], F::from_u32(8)).unwrap();
    let [left, right] = precompile::unpack(&data, 5, 2).unwrap()[..] else {
        unreachable!()
    };
    let scale = precompile::fold(right, EF::from(F::from_u32(3)), left);
    let folded = precompile::ext_to_block(precompile::fold(left, right, scale));
    assert_eq!(execution.statement[..2], [state.capacity[0], folded[4]]);
}

#[test]
fn structs_at_fixed_addresses_are_not_handed_over() {
    let items = "
        #[derive(Clone, Copy)]
        struct Pair { x: Ext, y: Ext }
        #[inline(never)]
        fn product(pair: Pair, z: Felt) -> Ext { pair.x * pair.y + z }
        #[inline(never)]
        fn pair(z: Felt) -> Pair {
            Pair { x: Ext::new([1, 2, 3, 4, 5]) * z, y: Ext::new([7, 0, 0, 0, 0]) }
        }";
    let body = "
        let (a, b) = (public_input(), public_input());
        let one = pair(a);
        let other = Pair { x: pair(b).x.pin(), y: one.y };
        let one = Pair { x: one.x.pin(), y: one.y };
        reveal((product(one, a) + product(one, b) + product(other, a)).coeff(1));";
    let compiled = compile(&main_of(items, body), &[]).unwrap();
    let run = |a: u32, b: u32| {
        let public = [F::from_u32(a), F::from_u32(b)];
        execute(&compiled, &public, &Tape::default(), 1 << 10).unwrap()
    };
    assert_eq!(run(3, 5).statement[2], F::from_u32(2 * 7 * (3 + 3 + 5)));
}

#[test]
fn a_sponge_compared_with_a_block_at_an_index_keeps_its_place() {
    let body = "
        let data = hint_slice(1).any();
        let digests = hint_slice(3).any();
        let (digest, _) = poseidon16_sponge(data, 8, Block::ZERO);
        let index = public_input() + Felt::ONE;
        assert_eq!(digests.at(Index::<3>::new(index)), digest);";
    let compiled = compile(&main_of("", body), &[]).unwrap();
    let data: [F; 8] = std::array::from_fn(F::from_usize);
    let output = droste_native::precompile::poseidon16_sponge(&[data], 8, &[F::ZERO; 8]).unwrap();
    let mut tape = Tape::default();
    tape.slice(&[data]);
    tape.slice(&[data, output.rate, data]);
    let run = |index: u32| execute(&compiled, &[F::from_u32(index)], &tape, 1 << 10);
    assert!(run(0).is_ok());
    assert!(run(1).is_err());
}
