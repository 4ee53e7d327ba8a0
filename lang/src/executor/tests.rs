use droste_native::precompile::{
    baby_bear_dot, baby_bear_from_block, baby_bear_to_block, words_to_limbs,
};
use droste_native::{BabyBear, BabyBear4, F};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::*;
use crate::compiler::Compiled;
use crate::isa::{Instruction, Mode, Op, Operand, Program, id};
use crate::record::Execution;

fn imm(value: u32) -> Operand {
    Operand {
        mode: Mode::Imm,
        field: F::from_u32(value),
    }
}

fn mem(offset: i32) -> Operand {
    Operand {
        mode: Mode::Mem,
        field: F::from_i32(offset),
    }
}

fn frame(offset: i32) -> Operand {
    Operand {
        mode: Mode::Fp,
        field: F::from_i32(offset),
    }
}

fn instruction(op: Op, a: Operand, b: Operand, c: Operand) -> Instruction {
    Instruction {
        op,
        id: 0,
        a,
        b,
        c,
        d: imm(0),
        e: F::ZERO,
    }
}

fn program(body: Vec<Instruction>) -> Compiled {
    let mut instructions = vec![instruction(Op::Jump, imm(1), imm(0), frame(0))];
    instructions.extend(body);
    instructions.push(instruction(Op::Jump, imm(1), imm(0), frame(0)));
    Compiled {
        program: Program { instructions },
        entry_frame: 64,
        ..Compiled::default()
    }
}

fn run(body: Vec<Instruction>) -> Result<Execution, Fault> {
    execute(&program(body), &[], &Tape::default(), 1000).map_err(|error| error.fault)
}

#[test]
fn relations_are_solved_in_every_direction() {
    let execution = run(vec![
        instruction(Op::Add, imm(2), imm(3), mem(0)),
        instruction(Op::Add, mem(1), imm(4), mem(0)),
        instruction(Op::Add, imm(1), mem(2), mem(1)),
        instruction(Op::Mul, mem(3), mem(0), imm(35)),
        instruction(Op::Mul, mem(0), mem(4), imm(35)),
        instruction(Op::Mul, mem(3), mem(4), imm(49)),
    ])
    .unwrap();
    let expected = [5, 1, 0, 7, 7].map(F::from_u32);
    assert_eq!(execution.memory.words, expected);
    assert_eq!(execution.cycles.len(), 8);
}

#[test]
fn a_second_value_is_an_error() {
    let fault = run(vec![
        instruction(Op::Add, imm(2), imm(3), mem(0)),
        instruction(Op::Add, imm(2), imm(2), mem(0)),
    ])
    .unwrap_err();
    assert!(matches!(fault, Fault::WordConflict { .. }), "{fault:?}");
}

#[test]
fn unset_operands_and_zero_divisors_are_errors() {
    let unset = run(vec![instruction(Op::Add, mem(0), mem(1), imm(1))]).unwrap_err();
    assert_eq!(unset, Fault::UnsetWord);
    let zero = run(vec![instruction(Op::Mul, mem(0), imm(0), imm(1))]).unwrap_err();
    assert_eq!(zero, Fault::DivisionByZero);
}

#[test]
fn deref_stores_and_loads_through_a_pointer() {
    let mut store = instruction(Op::Deref, mem(0), imm(0), imm(9));
    store.d = imm(2);
    let mut load = instruction(Op::Deref, frame(3), imm(0), mem(7));
    load.d = imm(1);
    let execution = run(vec![
        instruction(Op::Add, frame(2), imm(0), mem(0)),
        store,
        load,
    ])
    .unwrap();
    assert_eq!(execution.memory.words[4], F::from_u32(9));
    assert_eq!(execution.memory.words[7], F::from_u32(9));
}

#[test]
fn a_jump_moves_both_registers_and_needs_a_boolean() {
    let execution = run(vec![
        instruction(Op::Jump, imm(1), imm(3), frame(10)),
        instruction(Op::Add, imm(1), imm(1), imm(3)),
        instruction(Op::Add, imm(1), imm(1), mem(0)),
    ])
    .unwrap();
    assert_eq!(execution.memory.words[10], F::TWO);
    let fault = run(vec![instruction(Op::Jump, imm(2), imm(1), frame(0))]).unwrap_err();
    assert_eq!(fault, Fault::NotBoolean(F::TWO));
}

#[test]
fn endless_loops_meet_the_limit() {
    let fault = run(vec![instruction(Op::Jump, imm(1), imm(1), frame(0))]).unwrap_err();
    assert_eq!(fault, Fault::Limit(1000));
    let fault = run(vec![instruction(Op::Jump, imm(1), imm(77), frame(0))]).unwrap_err();
    assert_eq!(fault, Fault::Target(77));
}

#[test]
fn tape_as_json() {
    let text = r#"[{"felt":3},{"ext":[1,2,3,4,5]},{"slice":[[1,2,3,4,5,6,7,null]]}]"#;
    let tape: Tape = serde_json::from_str(text).unwrap();
    assert_eq!(tape.blocks(), 1);
    assert_eq!(serde_json::to_string(&tape).unwrap(), text);
    let error = serde_json::from_str::<Tape>(r#"[{"felt":2130706433}]"#).unwrap_err();
    assert!(error.to_string().contains("not below the modulus"));
}

fn call(id: u32, operands: [Operand; 4], e: u32) -> Instruction {
    let [a, b, c, d] = operands;
    Instruction {
        id,
        d,
        e: F::from_u32(e),
        ..instruction(Op::Call, a, b, c)
    }
}

/// Stores 1, 2 and so on in the lanes of `blocks` blocks from the start of the frame.
fn stores(blocks: u32) -> Vec<Instruction> {
    (0..8 * blocks)
        .map(|j| {
            let at = frame((j / 8) as i32);
            call(id::LANE, [at, imm(j + 1), imm(0), imm(0)], j % 8)
        })
        .collect()
}

#[test]
fn unpacking_writes_one_block_an_element() {
    let mut body = stores(2);
    body.push(call(id::UNPACK, [frame(0), imm(0), imm(2), frame(4)], 6));
    let memory = run(body).unwrap().memory;
    let first = memory.word_base as usize + 4;
    for (index, block) in memory.blocks[first..first + 2].iter().enumerate() {
        let lane = |i: u32| if i < 5 { 7 + 5 * index as u32 + i } else { 0 };
        assert_eq!(
            block.map(|lane| lane.as_canonical_u32()),
            std::array::from_fn(|i| lane(i as u32))
        );
    }
    // A lane that has not been set, no elements, a whole skipped block.
    for (count, skip) in [(3, 6), (0, 0), (1, 8)] {
        let mut body = stores(2);
        body.push(call(
            id::UNPACK,
            [frame(0), imm(0), imm(count), frame(4)],
            skip,
        ));
        assert!(run(body).is_err());
    }
}

#[test]
fn a_folding_step_is_solved_for_its_result() {
    // (6 + 2) / 2 + 5 * (6 - 2) = 24, with scalars held as extension elements.
    let mut body = Vec::new();
    for (value, at) in [(6, frame(0)), (2, frame(1)), (5, frame(2))] {
        for lane in 0..8 {
            let value = imm(if lane == 0 { value } else { 0 });
            body.push(call(id::LANE, [at, value, imm(0), imm(0)], lane));
        }
    }
    body.push(call(id::EXT, [frame(0), frame(1), frame(2), frame(3)], 4));
    let memory = run(body).unwrap().memory;
    let result = memory.blocks[memory.word_base as usize + 3];
    assert_eq!(result[0], F::from_u32(24));
    assert_eq!(result[1..], [F::ZERO; 7]);
    assert!(
        run(vec![call(
            id::EXT,
            [frame(0), frame(1), frame(2), frame(3)],
            4
        )])
        .is_err()
    );
}

/// The order of BabyBear.
const ORDER: u32 = BabyBear::ORDER_U32;

fn limbs(words: [u32; 4]) -> [F; 8] {
    words_to_limbs(&words)[0]
}

fn element(words: [u32; 4]) -> BabyBear4 {
    baby_bear_from_block(&limbs(words), false).unwrap()
}

/// Stores blocks from a place in the frame on.
fn store_blocks(at: i32, blocks: &[[F; 8]]) -> Vec<Instruction> {
    let lanes = blocks.as_flattened().iter().enumerate();
    let stores = lanes.map(|(j, value)| {
        let at = frame(at + (j / 8) as i32);
        let value = imm(value.as_canonical_u32());
        call(id::LANE, [at, value, imm(0), imm(0)], j as u32 % 8)
    });
    stores.collect()
}

/// Runs a product of blocks 0 and 1 of the frame, plus block 2, which is block 3, with these blocks
/// stored, and returns the block at a place.
fn run_product(blocks: &[(i32, [u32; 4])], at: usize) -> Result<[F; 8], Fault> {
    let stores = blocks
        .iter()
        .flat_map(|(at, words)| store_blocks(*at, &[limbs(*words)]));
    let mut body: Vec<_> = stores.collect();
    let operands = [frame(0), frame(1), frame(2), frame(3)];
    body.push(call(id::BABY_BEAR, operands, 0));
    let memory = run(body)?.memory;
    Ok(memory.blocks[memory.word_base as usize + at])
}

#[test]
fn a_product_over_baby_bear_is_solved_for_result_addend_and_factor() {
    let a = [0, 1, ORDER - 1, 0x1234_5678];
    let b = [u32::MAX, ORDER, 3, 0xffff];
    let c = [ORDER + 1, 0x1_0000, u32::MAX, 0];
    let d = [5, u32::MAX, 0, ORDER - 1];
    let solved = |blocks: &[_], at| run_product(blocks, at).unwrap();
    let [x, y, z, w] = [a, b, c, d].map(element);
    let result = baby_bear_to_block(x * y + z);
    assert_eq!(solved(&[(0, a), (1, b), (2, c)], 3), result);
    let addend = baby_bear_to_block(w - x * y);
    assert_eq!(solved(&[(0, a), (1, b), (3, d)], 2), addend);
    let factor = baby_bear_to_block((w - z) / y);
    assert_eq!(solved(&[(1, b), (2, c), (3, d)], 0), factor);
}

#[test]
fn a_product_over_baby_bear_is_refused() {
    let one = [1; 4];
    for word in [ORDER, ORDER + 1, u32::MAX] {
        for i in 0..4 {
            let mut words = one;
            words[i] = word;
            let fault = run_product(&[(0, words), (1, one), (2, one)], 3).unwrap_err();
            assert!(matches!(fault, Fault::Precompile { .. }), "{fault:?}");
            assert!(run_product(&[(0, one), (1, words), (2, words)], 3).is_ok());
        }
    }
    let zero = run_product(&[(1, [ORDER, 0, 0, 0]), (2, one), (3, one)], 0);
    assert_eq!(zero, Err(Fault::DivisionByZero));
    let unset = [
        &[(0, one), (1, one)][..],
        &[(0, one), (2, one), (3, one)],
        &[(1, one), (3, one)],
    ];
    for blocks in unset {
        let fault = run_product(blocks, 3).unwrap_err();
        assert!(matches!(fault, Fault::UnsetBlock(_)), "{fault:?}");
    }
    let fault = run_product(&[(0, one), (1, one), (2, one), (3, one)], 3).unwrap_err();
    assert!(matches!(fault, Fault::LaneConflict { .. }), "{fault:?}");
    // A limb of 17 bits, and a scalar.
    let mut wide = limbs(one);
    wide[5] = F::from_u32(1 << 16);
    for (block, at, e) in [(wide, 0, 0), (wide, 1, 0), (wide, 2, 0), (limbs(one), 0, 1)] {
        let mut body = store_blocks(0, &[limbs(one); 3]);
        body.extend(store_blocks(4, &[block]));
        let mut operands = [frame(0), frame(1), frame(2), frame(3)];
        operands[at] = frame(4);
        body.push(call(id::BABY_BEAR, operands, e));
        let fault = run(body).unwrap_err();
        assert!(matches!(fault, Fault::Precompile { .. }), "{fault:?}");
    }
}

#[test]
fn a_sum_of_products_over_baby_bear() {
    let words = |from: u32| std::array::from_fn(|i| from + 0x0123_4567 * i as u32);
    let data = [limbs(words(1)), limbs([ORDER - 1; 4])];
    let weights: Vec<_> = (0..8).map(|i| limbs(words(0xc000_0000 + i))).collect();
    let sum = limbs([u32::MAX; 4]);
    let run_dot = |data: &[[F; 8]], blocks| {
        let mut body = store_blocks(0, data);
        body.extend(store_blocks(2, &weights));
        body.extend(store_blocks(10, &[sum]));
        let operands = [frame(0), frame(2), frame(10), frame(11)];
        body.push(call(id::BABY_BEAR_DOT, operands, blocks));
        run(body).map(|run| run.memory.blocks[run.memory.word_base as usize + 11])
    };
    for blocks in 1..=2 {
        let (data, weights) = (&data[..blocks], &weights[..4 * blocks]);
        let expected = baby_bear_dot(data, weights, &sum).unwrap();
        let result = run_dot(data, blocks as u32);
        assert_eq!(result, Ok(baby_bear_to_block(expected)));
    }
    let unset = run_dot(&data[..1], 2).unwrap_err();
    assert!(matches!(unset, Fault::UnsetBlock(_)), "{unset:?}");
    let other = [data[0], limbs([0, 0, 0, ORDER])];
    for (data, blocks) in [(&other, 2), (&data, 0), (&data, u32::MAX >> 2)] {
        let fault = run_dot(data, blocks).unwrap_err();
        assert!(matches!(fault, Fault::Precompile { .. }), "{fault:?}");
    }
}

#[test]
fn a_wrong_number_of_inputs_is_no_fault_of_a_place() {
    let source = "use droste_gadgets::prelude::*; pub fn main() { reveal(public_input()); }";
    let compiled = crate::compiler::compile(source, &[]).unwrap();
    let error = execute(&compiled, &[], &Tape::default(), 10).unwrap_err();
    assert!(error.places.is_empty() && error.span.is_none());
    let message = "the program reads 1 public inputs, 0 were given";
    assert_eq!(error.to_string(), message);
}
