//! Programs assembled by hand, and their proofs.

#![allow(dead_code)]

use droste_native::{F, FriSettings, HashSuite};
use droste_vm::compiler::{Compiled, Hint};
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{Proof, ProveOptions, prove};
use droste_vm::heights::Heights;
use droste_vm::isa::{Instruction, Mode, Op, Operand, Program, id};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::record::Execution;
use p3_field::PrimeCharacteristicRing;

pub fn imm(value: u32) -> Operand {
    Operand {
        mode: Mode::Imm,
        field: F::from_u32(value),
    }
}

pub fn mem(offset: i32) -> Operand {
    Operand {
        mode: Mode::Mem,
        field: F::from_i32(offset),
    }
}

pub fn frame(offset: i32) -> Operand {
    Operand {
        mode: Mode::Fp,
        field: F::from_i32(offset),
    }
}

pub fn instruction(op: Op, a: Operand, b: Operand, c: Operand) -> Instruction {
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

pub fn add(a: Operand, b: Operand, c: Operand) -> Instruction {
    instruction(Op::Add, a, b, c)
}

pub fn mul(a: Operand, b: Operand, c: Operand) -> Instruction {
    instruction(Op::Mul, a, b, c)
}

pub fn jump(condition: Operand, target: Operand, fp: Operand) -> Instruction {
    instruction(Op::Jump, condition, target, fp)
}

pub fn deref(pointer: Operand, displacement: u32, value: Operand) -> Instruction {
    Instruction {
        d: imm(displacement),
        ..instruction(Op::Deref, pointer, imm(0), value)
    }
}

pub fn halt() -> Instruction {
    jump(imm(1), imm(0), frame(0))
}

/// Returns a program whose run begins at its first instruction and must end with `halt`.
pub fn program(body: Vec<Instruction>) -> Compiled {
    let mut instructions = vec![halt()];
    instructions.extend(body);
    Compiled {
        program: Program { instructions },
        ..Compiled::default()
    }
}

pub fn run(compiled: &Compiled, public: &[F]) -> Execution {
    execute(compiled, public, &Tape::default(), 1 << 22).unwrap()
}

/// Returns a program that computes Fibonacci numbers in `steps` frames of 16 words. It uses every
/// instruction except calls, and has three public values that nothing constrains.
///
/// Words of a frame: 0 steps left; 1 and 2 the last two numbers; 3 next frame; 4 one while steps
/// are left; 5 inverse of the steps left; 6 one when none is left; 7 steps left after this one; 8
/// the next number.
pub fn fibonacci(steps: u32) -> Compiled {
    const LOOP: u32 = 4;
    const END: u32 = 15;
    let mut compiled = program(vec![
        add(imm(steps), imm(0), mem(0)),
        add(imm(1), imm(0), mem(1)),
        add(imm(1), imm(0), mem(2)),
        // The loop, which ends when word 0 is zero.
        mul(mem(0), mem(5), mem(4)),
        add(mem(6), mem(4), imm(1)),
        mul(mem(6), mem(0), imm(0)),
        jump(mem(6), imm(END), frame(0)),
        add(frame(16), imm(0), mem(3)),
        add(mem(7), imm(1), mem(0)),
        deref(mem(3), 0, mem(7)),
        deref(mem(3), 1, mem(2)),
        add(mem(1), mem(2), mem(8)),
        deref(mem(3), 2, mem(8)),
        jump(imm(1), imm(LOOP), mem(3)),
        halt(),
    ]);
    compiled.public_inputs = 3;
    compiled.hints = vec![(
        LOOP,
        Hint::Inverse {
            cell: mem(5),
            of: mem(0),
        },
    )];
    compiled
}

pub fn toy() -> FriSettings {
    FriSettings {
        log_blowup: 1,
        num_queries: 4,
        ..FriSettings::toy()
    }
}

pub fn statement() -> [F; 3] {
    [5, 8, 13].map(F::from_u32)
}

/// Returns a proof of a short run of [`fibonacci`].
pub fn toy_proof<H: HashSuite>() -> Proof<H>
where
    StandardTables: Provable<H>,
{
    let compiled = fibonacci(6);
    let execution = run(&compiled, &statement());
    let options = ProveOptions {
        settings: toy(),
        heights: Heights::Minimal,
    };
    prove(&compiled.program, &execution, &options).unwrap()
}

pub fn call(id: u32, [a, b, c, d, e]: [u32; 5]) -> Instruction {
    Instruction {
        id,
        d: imm(d),
        e: F::from_u32(e),
        ..instruction(Op::Call, imm(a), imm(b), imm(c))
    }
}

fn block(seed: u32, lanes: usize) -> [F; 8] {
    std::array::from_fn(|lane| {
        if lane < lanes {
            F::from_u32(seed * 8 + lane as u32)
        } else {
            F::ZERO
        }
    })
}

/// Returns a program that calls precompiles of every table. Blocks 1 to 3 are extension elements, 4
/// and 5 full blocks, which are also words of BabyBear; results are written from block 10 on.
pub fn everything() -> Compiled {
    let mut compiled = program(vec![
        call(id::EXT, [1, 2, 3, 10, 0]),
        call(id::LANE, [4, 35, 0, 0, 3]),
        call(id::BLOCK_EQ, [1, 11, 0, 0, 0]),
        call(id::HORNER, [4, 1, 12, 12, 2]),
        call(id::POSEIDON16_COMPRESS, [4, 5, 13, 0, 0]),
        call(id::POSEIDON16_SPONGE, [4, 4, 14, 0, 16]),
        call(id::POSEIDON16_MERKLE, [16, 1, 5, 4, 1]),
        call(id::POSEIDON16_HASH, [4, 4, 17, 0, 16]),
        call(id::POSEIDON2_COMPRESS, [4, 5, 40, 0, 0]),
        call(id::POSEIDON2_MERKLE, [41, 1, 5, 4, 1]),
        call(id::POSEIDON2_SPONGE, [4, 4, 42, 0, 16]),
        call(id::POSEIDON2_HASH, [4, 4, 45, 0, 16]),
        call(id::LIMBS, [4, 0, 20, 0, 2]),
        call(id::BLAKE3_PARENT, [20, 22, 24, 0, 1]),
        call(id::BLAKE3_MERKLE, [20, 1, 22, 26, 1]),
        call(id::KECCAK_MERKLE, [20, 0, 22, 28, 1]),
        call(id::RIGHT_SHIFTS, [50, 5, 1, 0, 0]),
        call(id::POWER_WEIGHTS, [1, 3, 2, 48, 2]),
        call(id::BINARY_PRODUCT, [2, 3, 3, 49, 0]),
        call(id::BINARY_PRODUCTS, [1, 2, 3, 51, 1]),
        call(id::UNPACK4, [4, 0, 1, 52, 0]),
        call(id::EXT4, [52, 52, 52, 53, 0]),
        call(id::HORNER4, [4, 52, 12, 54, 2]),
        call(id::KECCAK_SPONGE, [20, 0, 55, 0, 5]),
        call(id::BABY_BEAR, [4, 5, 20, 57, 0]),
        call(id::BABY_BEAR_DOT, [4, 20, 57, 58, 2]),
        call(id::WORD_PRODUCTS, [4, 1, 3, 59, 1]),
    ]);
    let instructions = &mut compiled.program.instructions;
    instructions.extend(with_round_constants());
    instructions.push(halt());
    compiled.constants = vec![
        block(1, 5),
        block(2, 5),
        block(3, 5),
        block(4, 8),
        block(5, 8),
    ];
    compiled.globals = 96;
    compiled
}

/// Returns calls of Poseidon2 with round constants of the program's own: the elements of degree 4
/// at the beginning of block 4, again and again, from block 60 on. As many lanes of each block are
/// zero as of the last block of constants.
fn with_round_constants() -> Vec<Instruction> {
    let mut calls: Vec<_> = (0..7)
        .map(|four| call(id::UNPACK4, [4, 0, 4, 60 + 4 * four, 0]))
        .collect();
    calls.extend([
        call(id::POSEIDON2_16_CONSTANTS, [60, 0, 0, 0, 0]),
        call(id::POSEIDON2_16_COMPRESS, [4, 5, 88, 0, 0]),
        call(id::POSEIDON2_16_DUPLEX, [4, 4, 89, 8, 16]),
        call(id::POSEIDON2_16_HASH, [4, 4, 91, 0, 16]),
        call(id::POSEIDON2_16_MERKLE, [92, 1, 5, 4, 1]),
        call(id::POSEIDON2_24_CONSTANTS, [60, 0, 0, 0, 0]),
        call(id::POSEIDON2_24_DUPLEX, [4, 4, 93, 16, 16]),
        call(id::POSEIDON2_24_HASH, [4, 4, 96, 0, 16]),
    ]);
    calls
}

/// A program that calls the precompiles of the recursion machine, with calls of several rows.
pub fn recursion() -> Compiled {
    let mut compiled = everything();
    let of_recursion = [
        id::EXT,
        id::LANE,
        id::BLOCK_EQ,
        id::HORNER,
        id::POSEIDON16_COMPRESS,
        id::POSEIDON16_SPONGE,
        id::POSEIDON16_MERKLE,
        id::POSEIDON16_HASH,
        id::RIGHT_SHIFTS,
        id::POWER_WEIGHTS,
    ];
    retain_calls(&mut compiled, &of_recursion);
    compiled
}

/// Returns a program that adds two products in GF(2^128), whose table has a polynomial identity.
pub fn products() -> Compiled {
    let mut compiled = everything();
    retain_calls(&mut compiled, &[id::BINARY_PRODUCTS]);
    compiled
}

/// Leaves out the calls of other precompiles.
fn retain_calls(compiled: &mut Compiled, precompiles: &[u32]) {
    let instructions = &mut compiled.program.instructions;
    instructions
        .retain(|instruction| instruction.op != Op::Call || precompiles.contains(&instruction.id));
}
