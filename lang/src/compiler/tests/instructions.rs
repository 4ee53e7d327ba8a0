//! The instructions that programs become.

use super::*;

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

/// A result is not fused with an assertion whose other side is computed after the result.
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

/// A result of two blocks is not moved when one of its blocks is compared.
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
    let zero = [F::ZERO; 8];
    let output = droste_native::precompile::poseidon16_duplex(&[data], 8, &zero, F::ZERO).unwrap();
    let mut tape = Tape::default();
    tape.slice(&[data]);
    tape.slice(&[output.rate[0], [F::from_u32(5); 8]]);
    let execution = execute(&compiled, &[], &tape, 1 << 20).unwrap();
    assert_eq!(execution.statement[0], F::from_u32(5));
    assert_eq!(execution.statement[1], output.capacity[0]);
}

/// When a branch is removed, so is what only its condition used.
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

#[test]
fn a_large_program_compiles_within_a_second() {
    // 20,000 operations in the source, none of which is folded.
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
    let zero = [F::ZERO; 8];
    let output = droste_native::precompile::poseidon16_duplex(&[data], 8, &zero, F::ZERO).unwrap();
    let mut tape = Tape::default();
    tape.slice(&[data]);
    tape.slice(&[data, output.rate[0], data]);
    let run = |index: u32| execute(&compiled, &[F::from_u32(index)], &tape, 1 << 10);
    assert!(run(0).is_ok());
    assert!(run(1).is_err());
}
