//! Instruction set of the machine.
//!
//! Two registers, `pc` and `fp`; two write-once memories, one of words and one of 8-lane blocks,
//! with frames at the same addresses in both. Five instructions; everything heavy is a
//! precompile reached by [`Op::Call`].

use droste_native::F;

/// What an instruction does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `A + B = C`.
    Add,
    /// `A * B = C`.
    Mul,
    /// `word[A + d] = C`; `B` is unused.
    Deref,
    /// If `A` (boolean) is one, `pc = B` and `fp = C`; otherwise fall through.
    Jump,
    /// Sends `(id, A, B, C, D, E)` to the table of precompile `id`.
    Call,
}

/// Where an operand's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The field itself.
    Imm,
    /// `word[fp + field]`.
    Mem,
    /// `fp + field`.
    Fp,
}

/// One operand: a mode and its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Where the value comes from.
    pub mode: Mode,
    /// Immediate value or frame offset.
    pub field: F,
}

/// One instruction. `d` is `Imm` or `Fp`; `e` and `id` are immediates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// Operation.
    pub op: Op,
    /// Precompile identity for [`Op::Call`], zero otherwise.
    pub id: u32,
    /// Operand A.
    pub a: Operand,
    /// Operand B.
    pub b: Operand,
    /// Operand C.
    pub c: Operand,
    /// Operand D: `Imm` or `Fp` only; for [`Op::Deref`] the immediate displacement.
    pub d: Operand,
    /// Immediate E.
    pub e: F,
}

/// Precompile identities, the first element of every message on the `call` bus.
pub mod id {
    /// Extension multiply-add.
    pub const EXT: u32 = 1;
    /// One lane of a block.
    pub const LANE: u32 = 2;
    /// Equality of two blocks.
    pub const BLOCK_EQ: u32 = 3;
    /// Random combination of a window of base elements.
    pub const HORNER: u32 = 4;
    /// Poseidon-16 compression.
    pub const POSEIDON16_COMPRESS: u32 = 5;
    /// Poseidon-16 overwrite sponge.
    pub const POSEIDON16_SPONGE: u32 = 6;
    /// Poseidon-16 Merkle path.
    pub const POSEIDON16_MERKLE: u32 = 7;
    /// One BLAKE3 chunk.
    pub const BLAKE3_CHUNK: u32 = 8;
    /// One BLAKE3 parent node.
    pub const BLAKE3_PARENT: u32 = 9;
    /// Blake3 Merkle path.
    pub const BLAKE3_MERKLE: u32 = 10;
    /// Keccak-256 of words.
    pub const KECCAK_HASH: u32 = 11;
    /// Keccak-256 Merkle path.
    pub const KECCAK_MERKLE: u32 = 12;
    /// Field elements to 16-bit limbs of their Montgomery words.
    pub const LIMBS: u32 = 13;
    /// Extension elements packed in consecutive lanes, one block each.
    pub const UNPACK: u32 = 14;
    /// Poseidon-16 overwrite sponge of which only the rate is kept.
    pub const POSEIDON16_HASH: u32 = 15;
    /// One more than the largest identity of the standard machine.
    pub const COUNT: usize = 16;
    /// Identities of users' precompiles.
    pub const CUSTOM: std::ops::Range<u32> = 256..1024;

    /// Names by identity; identity 0 is no precompile.
    pub const NAMES: [&str; COUNT] = [
        "none",
        "ext",
        "lane",
        "block_eq",
        "horner",
        "poseidon16_compress",
        "poseidon16_sponge",
        "poseidon16_merkle",
        "blake3_chunk",
        "blake3_parent",
        "blake3_merkle",
        "keccak_hash",
        "keccak_merkle",
        "limbs",
        "unpack",
        "poseidon16_hash",
    ];
}

/// A program: its instructions, index = `pc`. `pc` 0 is the halt loop, entry is `pc` 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Instructions, index = `pc`.
    pub instructions: Vec<Instruction>,
}
