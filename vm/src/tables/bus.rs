//! Messages that tables exchange, and the buses they travel on.
//!
//! | bus | message | given by | taken by |
//! |---|---|---|---|
//! | `word` | `address, value` | `words` | everyone who reads or writes a word |
//! | `block` | `address, lane 0, .., lane 7` | `blocks` | everyone who reads or writes a block |
//! | `program` | `pc, op, id, a, b, c, d, e` | `program` | `cpu`, once a row |
//! | `call` | `id, A, B, C, D, E` | `cpu`, on a call | the precompile's table, once a call |
//!
//! Words, blocks and instructions are look-ups: the giving table holds each address once, and how
//! often it is taken is free. Reading and writing are the same message, since a cell has one value
//! for the whole run. A call is sent once and received once.
//!
//! # Soundness
//!
//! Whoever takes a message must constrain its count to be 0 or 1 on every row, padding included:
//! the look-up argument relies on counts that cannot wrap around the field.

use droste_native::F;
use p3_lookup::{Count, InteractionBuilder, LookupBus, PermutationCheckBus};

use super::LANES;

/// Bus of word memory.
pub const WORD: LookupBus<'static> = LookupBus::new("word");

/// Bus of block memory.
pub const BLOCK: LookupBus<'static> = LookupBus::new("block");

/// Bus of instructions.
pub const PROGRAM: LookupBus<'static> = LookupBus::new("program");

/// Bus of precompile calls.
pub const CALL: PermutationCheckBus<'static> = PermutationCheckBus::new("call");

/// Elements of an instruction on [`PROGRAM`]: `pc, op, id, a, b, c, d, e`.
pub const INSTRUCTION_WIDTH: usize = 8;

/// Takes `word[address] = value`, `count` times.
pub fn lookup_word<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    address: impl Into<AB::Expr>,
    value: impl Into<AB::Expr>,
    count: impl Into<Count<AB::Expr>>,
) {
    WORD.lookup_key(builder, [address.into(), value.into()], count);
}

/// Gives `word[address] = value`.
pub fn provide_word<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    address: impl Into<AB::Expr>,
    value: impl Into<AB::Expr>,
    uses: impl Into<AB::Expr>,
) {
    WORD.table_entry(builder, [address.into(), value.into()], uses);
}

/// Takes `block[address] = lanes`, `count` times.
pub fn lookup_block<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    address: impl Into<AB::Expr>,
    lanes: [AB::Expr; LANES],
    count: impl Into<Count<AB::Expr>>,
) {
    BLOCK.lookup_key(builder, std::iter::once(address.into()).chain(lanes), count);
}

/// Gives `block[address] = lanes`.
pub fn provide_block<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    address: impl Into<AB::Expr>,
    lanes: [AB::Expr; LANES],
    uses: impl Into<AB::Expr>,
) {
    BLOCK.table_entry(builder, std::iter::once(address.into()).chain(lanes), uses);
}

/// Takes the instruction at a `pc`.
pub fn fetch<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    instruction: [AB::Expr; INSTRUCTION_WIDTH],
) {
    PROGRAM.lookup_key(builder, instruction, 1);
}

/// Gives the instruction at a `pc`.
pub fn provide_instruction<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    instruction: [AB::Expr; INSTRUCTION_WIDTH],
    uses: impl Into<AB::Expr>,
) {
    PROGRAM.table_entry(builder, instruction, uses);
}

/// Sends a call with operands `A, B, C, D, E` where `flag`, a boolean, is one.
pub fn send_call<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    identity: impl Into<AB::Expr>,
    operands: [AB::Expr; 5],
    flag: impl Into<AB::Expr>,
) {
    let fields = std::iter::once(identity.into()).chain(operands);
    CALL.send(builder, fields, Count::bounded(flag.into(), 1));
}

/// Receives a call with operands `A, B, C, D, E` where `flag`, a boolean, is one.
///
/// `flag` must be one on exactly the first row of every chain of rows that the table constrains to
/// be what the call means, and on no other row.
pub fn receive_call<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    identity: impl Into<AB::Expr>,
    operands: [AB::Expr; 5],
    flag: impl Into<AB::Expr>,
) {
    let fields = std::iter::once(identity.into()).chain(operands);
    CALL.receive(builder, fields, Count::bounded(flag.into(), 1));
}
