//! Messages that tables exchange, and the buses they travel on.
//!
//! Each bus carries the messages of one struct; `docs/buses.md` lists them all.
//!
//! Words, blocks and instructions are lookups: the table that provides them has each address once,
//! and the number of times that it is looked up is not constrained. Reading and writing send the
//! same message, since a cell has one value for the whole run. A call is sent once and received
//! once.
//!
//! # Soundness
//!
//! A table that looks up a message must constrain the count to be 0 or 1 on every row, padding
//! included: the lookup argument relies on sums of counts that cannot wrap around the field.

use droste_air::message::Declaration;
use droste_air::{blake3, byte_pairs, keccak, message, spread};
use droste_native::F;
use p3_lookup::{Count, InteractionBuilder, LookupBus, PermutationCheckBus};

use super::LANES;

message! {
    /// A word of memory. The table `words` provides each address once; a table that reads or writes
    /// the word looks it up.
    pub struct WordMessage<T> on "word" {
        /// Address of the word.
        address: T,
        /// Value of the word.
        value: T,
    }
}

message! {
    /// A block of memory. The table `blocks` provides each address once; a table that reads or
    /// writes the block looks it up.
    pub struct BlockMessage<T> on "block" {
        /// Address of the block.
        address: T,
        /// Elements of the block.
        lanes: [T; LANES],
    }
}

message! {
    /// An instruction. The table `program` provides each `pc` once; `cpu` looks one up on every
    /// row.
    pub struct InstructionMessage<T> on "program" {
        /// Address of the instruction.
        pc: T,
        /// The operation and the operands' modes, packed.
        op: T,
        /// Identity of the precompile that the instruction calls, or zero.
        id: T,
        /// Field of operand A.
        a: T,
        /// Field of operand B.
        b: T,
        /// Field of operand C.
        c: T,
        /// Field of operand D.
        d: T,
        /// Immediate E.
        e: T,
    }
}

message! {
    /// A call of a precompile. `cpu` sends it once; the precompile's table receives it once.
    pub struct CallMessage<T> on "call" {
        /// Identity of the precompile.
        id: T,
        /// Value of operand A.
        a: T,
        /// Value of operand B.
        b: T,
        /// Value of operand C.
        c: T,
        /// Value of operand D.
        d: T,
        /// Immediate E.
        e: T,
    }
}

message! {
    /// Two carries of a product in GF(2^128), each an integer from -2 to 253, or two bytes less 2.
    /// The table `carry_pairs` provides them; `binary_products` and `word_products` look carries up,
    /// `baby_bear` bytes.
    pub struct CarryPairMessage<T> on "carry_pairs" {
        /// The first carry.
        first: T,
        /// The second carry.
        second: T,
    }
}

/// Bus of word memory.
pub const WORD: LookupBus<'static> = LookupBus::new(WordMessage::<()>::DECLARATION.bus);

/// Bus of block memory.
pub const BLOCK: LookupBus<'static> = LookupBus::new(BlockMessage::<()>::DECLARATION.bus);

/// Bus of instructions.
pub const PROGRAM: LookupBus<'static> = LookupBus::new(InstructionMessage::<()>::DECLARATION.bus);

/// Bus of precompile calls.
pub const CALL: PermutationCheckBus<'static> =
    PermutationCheckBus::new(CallMessage::<()>::DECLARATION.bus);

/// Bus of the carries of products in GF(2^128), and of bytes.
pub const CARRY_PAIR: LookupBus<'static> = LookupBus::new(CarryPairMessage::<()>::DECLARATION.bus);

/// Number of elements of an instruction message.
pub const INSTRUCTION_WIDTH: usize = InstructionMessage::<()>::DECLARATION.length();

/// The buses of this machine's tables.
pub const DECLARATIONS: [Declaration; 9] = [
    WordMessage::<()>::DECLARATION,
    BlockMessage::<()>::DECLARATION,
    InstructionMessage::<()>::DECLARATION,
    CallMessage::<()>::DECLARATION,
    CarryPairMessage::<()>::DECLARATION,
    blake3::CompressionMessage::<()>::DECLARATION,
    byte_pairs::BytePairMessage::<()>::DECLARATION,
    keccak::bytes::StateMessage::<()>::DECLARATION,
    spread::SpreadMessage::<()>::DECLARATION,
];

/// Looks up a word if `flag` is one. The table must constrain `flag` to be boolean.
pub fn lookup_word<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    address: AB::Expr,
    value: AB::Var,
    flag: impl Into<AB::Expr>,
) {
    let value = value.into();
    let word = WordMessage { address, value };
    WORD.lookup_key(builder, word.into_fields(), Count::bounded(flag.into(), 1));
}

/// Looks up a block if `flag` is one. The table must constrain `flag` to be boolean.
pub fn lookup_block<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    address: impl Into<AB::Expr>,
    lanes: [impl Into<AB::Expr>; LANES],
    flag: impl Into<AB::Expr>,
) {
    let block = BlockMessage {
        address: address.into(),
        lanes: lanes.map(Into::into),
    };
    BLOCK.lookup_key(builder, block.into_fields(), Count::bounded(flag.into(), 1));
}

/// Receives a call if `flag` is one.
///
/// # Soundness
/// The table must constrain `flag` to be boolean, and to be one on exactly the first row of every
/// chain of rows that it constrains to compute the call, and on no other row.
pub fn receive_call<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    call: CallMessage<AB::Expr>,
    flag: impl Into<AB::Expr>,
) {
    CALL.receive(builder, call.into_fields(), Count::bounded(flag.into(), 1));
}
