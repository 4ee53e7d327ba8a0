//! What programs of every construct of the language compute.

use super::*;

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
        let output = precompile::poseidon16_duplex(&[first, second], 13, &state, F::ZERO).unwrap();
        state = precompile::poseidon16_compress(&output.rate[0], &output.capacity);
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

/// Two branches that call the same function give it different frames.
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

/// The length of a sponge may be as large as the immediates that stand for output lanes.
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

/// Sponges of every length in the executor are the native ones: unset lanes past the end get the
/// values that are carried into them, and other values are refused.
#[test]
fn poseidon2_sponges_of_every_length() {
    use droste_native::precompile::{poseidon2_merkle, poseidon2_sponge};

    use crate::executor::TapeItem;

    for lanes in 16..=40usize {
        let blocks = lanes.div_ceil(8);
        let body = format!(
            "let start = hint_slice(1).any().block(0);
            let data = hint_slice({blocks}).any();
            let out = poseidon2_duplex(data, {lanes}, start, 5);
            let expected = hint_slice(3).any();
            for i in 0..3 {{ assert_eq!(out.block(i), expected.block(i)); }}
            let again = hint_slice({blocks}).any();
            let hash = poseidon2_hash(again, {lanes}, start);
            let root = poseidon2_merkle(hash, Felt::new(5), expected, 3);
            assert_eq!(root, hint_slice(1).any().block(0));
            reveal(hash.lane(0));"
        );
        let compiled = compile(&main_of("", &body), &[]).unwrap();
        let block = |seed: usize| -> [F; 8] {
            std::array::from_fn(|lane| F::from_usize(31 * seed * seed + lane.pow(3)))
        };
        let (start, data) = (block(30), (0..blocks).map(block).collect::<Vec<_>>());
        let out = poseidon2_sponge(&data, lanes, &start, F::from_u32(5)).unwrap();
        let [hash, _] = poseidon2_sponge(&data, lanes, &start, F::ZERO)
            .unwrap()
            .rate;
        let [low, high] = out.rate;
        let expected = [low, high, out.capacity];
        let root = poseidon2_merkle(&hash, 5, &expected).unwrap();
        let run = |past_end: Option<F>| {
            let lane = |block: usize, lane: usize| {
                if 8 * block + lane < lanes {
                    Some(data[block][lane])
                } else {
                    past_end
                }
            };
            let given = |past_end: bool| -> Vec<[Option<F>; 8]> {
                let block = |block| {
                    std::array::from_fn(|i| {
                        lane(block, i).filter(|_| past_end || 8 * block + i < lanes)
                    })
                };
                (0..blocks).map(block).collect()
            };
            let mut tape = Tape::default();
            tape.slice(&[start]);
            tape.items.push(TapeItem::Slice(given(false)));
            tape.slice(&expected);
            tape.items.push(TapeItem::Slice(given(true)));
            tape.slice(&[root]);
            execute(&compiled, &[], &tape, 1 << 20)
        };
        assert_eq!(run(None).unwrap().statement[0], hash[0]);
        assert_eq!(run(Some(F::ONE)).is_err(), lanes % 8 != 0, "{lanes} lanes");
    }
}
