//! Precompiles: functions of the zk-DSL that are called by one instruction and proved by tables of
//! their own.
//!
//! A [`Precompile`] is declared once, whether it is built in or a user's. The compiler takes from
//! the declaration which functions programs may call and how a call is encoded, the executor what a
//! call does, and the profiler and the tables of `droste_vm` how many rows it takes. For a
//! verifier, a call means what the constraints of its table say. The table names the declaration.

mod baby_bear;
mod binary;
mod blake3;
mod digest;
mod ext;
mod ext4;
mod keccak;
mod limbs;
mod poseidon16;
mod poseidon2;
mod poseidon2_16;
mod poseidon2_24;
mod power_weights;
#[cfg(test)]
mod tests;
mod tweaked;

use std::fmt;

pub use baby_bear::{BABY_BEAR, BABY_BEAR_DOT};
pub use binary::{BINARY_PRODUCT, BINARY_PRODUCTS, WORD_PRODUCTS};
pub use blake3::{BLAKE3_CHUNK, BLAKE3_MERKLE, BLAKE3_PARENT};
pub(crate) use ext::widen;
pub use ext::{BLOCK_EQ, EXT, HORNER, LANE, RIGHT_SHIFTS, UNPACK};
pub use ext4::{EXT4, HORNER4, UNPACK4};
pub use keccak::{KECCAK_HASH, KECCAK_MERKLE, KECCAK_SPONGE, KECCAK_SPONGE_MERKLE};
pub use limbs::LIMBS;
pub use poseidon2::{POSEIDON2_COMPRESS, POSEIDON2_HASH, POSEIDON2_MERKLE, POSEIDON2_SPONGE};
pub use poseidon2_16::{
    POSEIDON2_16_COMPRESS, POSEIDON2_16_CONSTANTS, POSEIDON2_16_DUPLEX, POSEIDON2_16_HASH,
    POSEIDON2_16_MERKLE,
};
pub use poseidon2_24::{POSEIDON2_24_CONSTANTS, POSEIDON2_24_DUPLEX, POSEIDON2_24_HASH};
pub use poseidon16::{POSEIDON16_COMPRESS, POSEIDON16_HASH, POSEIDON16_MERKLE, POSEIDON16_SPONGE};
pub use power_weights::POWER_WEIGHTS;
pub use tweaked::{LOW_24_BITS, POSEIDON16_TWEAKED_PATH, POSEIDON16_WINTERNITZ};

use crate::executor::{CallContext, Fault};
use crate::record::Call;

/// Lists the built-in precompiles, and declares a constant for the identity of each.
macro_rules! built_in {
    ($($name:ident),* $(,)?) => {
        /// The precompiles that every program may call.
        pub const BUILT_IN: &[Precompile] = &[$($name),*];

        /// Identities of precompiles, which are the first elements of messages on the `call` bus.
        pub mod id {
            $(
                #[doc = concat!("Of [`", stringify!($name), "`](super::", stringify!($name), ").")]
                pub const $name: u32 = super::$name.identity;
            )*
            /// Identities of users' precompiles.
            pub const CUSTOM: std::ops::Range<u32> = 256..1024;
        }
    };
}

built_in! {
    EXT,
    LANE,
    BLOCK_EQ,
    HORNER,
    POSEIDON16_COMPRESS,
    POSEIDON16_SPONGE,
    POSEIDON16_MERKLE,
    BLAKE3_CHUNK,
    BLAKE3_PARENT,
    BLAKE3_MERKLE,
    KECCAK_HASH,
    KECCAK_MERKLE,
    LIMBS,
    UNPACK,
    POSEIDON16_HASH,
    POSEIDON2_COMPRESS,
    POSEIDON2_MERKLE,
    POSEIDON2_SPONGE,
    POSEIDON2_HASH,
    POSEIDON16_WINTERNITZ,
    POSEIDON16_TWEAKED_PATH,
    LOW_24_BITS,
    RIGHT_SHIFTS,
    POWER_WEIGHTS,
    BINARY_PRODUCT,
    BINARY_PRODUCTS,
    EXT4,
    HORNER4,
    UNPACK4,
    KECCAK_SPONGE,
    KECCAK_SPONGE_MERKLE,
    POSEIDON2_16_COMPRESS,
    POSEIDON2_16_DUPLEX,
    POSEIDON2_16_HASH,
    POSEIDON2_16_MERKLE,
    POSEIDON2_16_CONSTANTS,
    POSEIDON2_24_DUPLEX,
    POSEIDON2_24_HASH,
    POSEIDON2_24_CONSTANTS,
    WORD_PRODUCTS,
    BABY_BEAR,
    BABY_BEAR_DOT,
}

/// A precompile.
#[derive(Clone, Copy)]
pub struct Precompile {
    /// Name in error messages and reports.
    pub name: &'static str,
    /// Identity: the first element of its messages on the `call` bus. A user's must be in
    /// [`id::CUSTOM`].
    pub identity: u32,
    /// Functions of the zk-DSL that are calls of it. Empty if only operators and methods call it.
    pub functions: &'static [Function],
    /// Whether a call has a result for all operands of the right types, so that it can be removed
    /// if its result is not used. It must be `false` for a precompile that asserts something.
    pub is_total: bool,
    /// Runs a call: reads what its operands name, and writes its result.
    pub run: fn(&mut CallContext<'_>) -> Result<(), Fault>,
    /// Returns the number of rows that a call takes in the table that receives it.
    pub rows: fn(&Call) -> u64,
}

impl Precompile {
    /// Returns whether a function of the precompile writes its result at the address in this
    /// operand.
    pub(crate) fn writes_at(&self, operand: Operand) -> bool {
        let written = |function: &Function| function.output.operand() == Some(operand);
        self.functions.iter().any(written)
    }
}

impl fmt::Debug for Precompile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.identity)
    }
}

/// Compares name and identity, since functions cannot be compared.
impl PartialEq for Precompile {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.identity) == (other.name, other.identity)
    }
}

impl Eq for Precompile {}

/// Returns the precompile of an identity, which is a built-in one or one of `custom`.
pub fn find(identity: u32, custom: &[Precompile]) -> Option<&Precompile> {
    let mut all = BUILT_IN.iter().chain(custom);
    all.find(|precompile| precompile.identity == identity)
}

/// Returns the function of a name, and its precompile, which is a built-in one or one of `custom`.
/// Of functions that differ in the degree of the challenge field, it is the one of degree 5.
pub fn function<'a>(
    name: &str,
    custom: &'a [Precompile],
) -> Option<(&'a Precompile, &'static Function)> {
    BUILT_IN.iter().chain(custom).find_map(|precompile| {
        let mut functions = precompile.functions.iter();
        let function = functions.find(|function| function.name == name)?;
        Some((precompile, function))
    })
}

/// Returns the precompile that does what a precompile does, with extension elements of this degree.
/// It is another one at degree 4 only, and only for those of [`EXT`], [`HORNER`] and [`UNPACK`].
pub fn at_degree(precompile: &Precompile, degree: usize) -> &Precompile {
    match (degree, precompile.identity) {
        (4, id::EXT) => &EXT4,
        (4, id::HORNER) => &HORNER4,
        (4, id::UNPACK) => &UNPACK4,
        _ => precompile,
    }
}

/// Returns the precompile that gives the round constants of a precompile, if it needs any.
///
/// Their table has one list of constants for all calls of a run, whatever their order. So the
/// compiler accepts one call that gives them, which every run makes, and calls that need them only
/// after it.
pub fn constants_of(identity: u32) -> Option<&'static Precompile> {
    match identity {
        id::POSEIDON2_16_COMPRESS
        | id::POSEIDON2_16_DUPLEX
        | id::POSEIDON2_16_HASH
        | id::POSEIDON2_16_MERKLE => Some(&POSEIDON2_16_CONSTANTS),
        id::POSEIDON2_24_DUPLEX | id::POSEIDON2_24_HASH => Some(&POSEIDON2_24_CONSTANTS),
        _ => None,
    }
}

/// Returns whether a precompile gives the round constants of others.
pub fn gives_constants(identity: u32) -> bool {
    let mut givers = BUILT_IN
        .iter()
        .filter_map(|precompile| constants_of(precompile.identity));
    givers.any(|giver| giver.identity == identity)
}

/// A function of the zk-DSL that is a call of a precompile.
///
/// Operands that are neither a parameter nor the result are zero.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Name of the function. A program imports it from the module that has its native form.
    pub name: &'static str,
    /// Parameters of the function.
    pub parameters: &'static [Parameter],
    /// Refuses integers that the precompile does not accept. [`any`] accepts all.
    pub check: Check,
    /// Result of the function.
    pub output: Output,
}

/// The arguments that are integers or booleans, known at compile time, in order, followed by zeros.
pub type Integers = [u64; 3];

/// Refuses integers that are not accepted.
pub type Check = fn(Integers) -> Result<(), Refusal>;

/// Accepts all integers.
pub const fn any(_: Integers) -> Result<(), Refusal> {
    Ok(())
}

/// Why a call cannot be compiled.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What is wrong with the call's integers.
    pub message: String,
    /// What to write instead.
    pub help: &'static str,
}

impl Refusal {
    /// Refuses a call, with this message and advice, unless a condition holds.
    pub fn unless(
        holds: bool,
        message: impl FnOnce() -> String,
        help: &'static str,
    ) -> Result<(), Self> {
        if holds {
            Ok(())
        } else {
            Err(Self {
                message: message(),
                help,
            })
        }
    }
}

/// An operand of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A value, which may be known only at run time.
    A,
    /// A value, which may be known only at run time.
    B,
    /// A value, which may be known only at run time.
    C,
    /// A value known at compile time, or an address at a known distance from the frame.
    D,
    /// An integer known at compile time.
    E,
}

/// A parameter in the zk-DSL, and the operand that it becomes.
#[derive(Clone, Copy, Debug)]
pub enum Parameter {
    /// A field element, passed as its value.
    Felt(Operand),
    /// An extension element, passed as the address of its block.
    Ext(Operand),
    /// A block, passed as its address.
    Block(Operand),
    /// Consecutive blocks, passed as the address of the first. The function returns how many of
    /// them a call reads, which must be at least one. The compiler refuses a slice with fewer.
    Slice(Operand, fn(Integers) -> u64),
    /// Consecutive blocks, passed as the address of the first, of which a call reads as many as a
    /// run-time operand says. Nothing compares that number with the slice's length. A call that
    /// reads past the end reads cells that are not the slice's, including unconstrained ones, whose
    /// values the prover chooses. So each program that calls the precompile must bound the operand
    /// by constraints of its own, and say at the call how it does. To remind the program's author,
    /// the function's name must contain `unchecked`.
    UncheckedSlice(Operand),
    /// An integer known at compile time, passed as its value. Integers of the same operand are
    /// added.
    Integer(Operand),
    /// An integer known at compile time, passed as its product with this number.
    Multiple(Operand, u32),
    /// A boolean known at compile time, passed as zero or one.
    Flag(Operand),
}

impl Parameter {
    /// Returns the operand that the parameter becomes.
    pub fn operand(&self) -> Operand {
        match *self {
            Self::Felt(operand)
            | Self::Ext(operand)
            | Self::Block(operand)
            | Self::Slice(operand, _)
            | Self::UncheckedSlice(operand)
            | Self::Integer(operand)
            | Self::Multiple(operand, _)
            | Self::Flag(operand) => operand,
        }
    }

    /// Returns whether the argument is one of [`Integers`].
    pub fn is_integer(&self) -> bool {
        matches!(self, Self::Integer(_) | Self::Multiple(..) | Self::Flag(_))
    }
}

/// The result of a call, and the operand that holds the address from which on it is written.
#[derive(Clone, Copy, Debug)]
pub enum Output {
    /// Nothing: the call asserts a relation between its operands.
    Nothing,
    /// An extension element. The table must write zeros to the lanes after its coefficients, or
    /// the limbs of four words if it serves programs that begin with `baby_bear()` only.
    Ext(Operand),
    /// A block.
    Block(Operand),
    /// Two consecutive blocks, as a pair.
    Pair(Operand),
    /// A slice of so many consecutive blocks.
    Slice(Operand, fn(Integers) -> u64),
    /// A slice of so many extension elements, one per block. The table must write zeros to the
    /// lanes after the coefficients of each.
    Elements(Operand, fn(Integers) -> u64),
}

impl Output {
    /// Returns the operand that holds the address, if anything is written.
    pub fn operand(&self) -> Option<Operand> {
        match *self {
            Self::Nothing => None,
            Self::Ext(operand)
            | Self::Block(operand)
            | Self::Pair(operand)
            | Self::Slice(operand, _)
            | Self::Elements(operand, _) => Some(operand),
        }
    }

    /// Returns the number of blocks that are written.
    pub fn blocks(&self, integers: Integers) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Ext(_) | Self::Block(_) => 1,
            Self::Pair(_) => 2,
            Self::Slice(_, blocks) | Self::Elements(_, blocks) => blocks(integers),
        }
    }
}

impl Function {
    /// Returns what is wrong with the declaration, if anything is.
    pub fn problem(&self) -> Option<&'static str> {
        let parameters = self.parameters.iter();
        let (integers, values): (Vec<&Parameter>, Vec<&Parameter>) =
            parameters.partition(|parameter| parameter.is_integer());
        if integers.len() > Integers::default().len() {
            return Some("it has more integers than `Integers` can hold");
        }
        const SHARED: &str = "two parameters, or a parameter and the result, use the same operand";
        let mut taken = Vec::new();
        let operands = values.iter().map(|parameter| parameter.operand());
        for operand in operands.chain(self.output.operand()) {
            if operand == Operand::E {
                return Some("operand E must be an integer known at compile time");
            }
            if taken.contains(&operand) {
                return Some(SHARED);
            }
            taken.push(operand);
        }
        let mut integers = integers.iter();
        if integers.any(|integer| taken.contains(&integer.operand())) {
            return Some(SHARED);
        }
        let unchecked = |parameter: &&Parameter| matches!(parameter, Parameter::UncheckedSlice(_));
        if values.iter().any(unchecked) && !self.name.contains("unchecked") {
            return Some(
                "how much of a slice it reads is unknown: its name must contain `unchecked`",
            );
        }
        let in_d = |parameter: &&Parameter| matches!(parameter, Parameter::Felt(Operand::D));
        if values.iter().any(in_d) {
            return Some("the value of a field element cannot be operand D");
        }
        None
    }
}

/// Prints the signature: for each parameter and the result, the operand that holds it and the type.
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (index, parameter) in self.parameters.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{:?}: ", parameter.operand())?;
            match parameter {
                Parameter::Felt(_) => f.write_str("Felt")?,
                Parameter::Ext(_) => f.write_str("Ext")?,
                Parameter::Block(_) => f.write_str("Block")?,
                Parameter::Slice(..) | Parameter::UncheckedSlice(_) => f.write_str("Slice")?,
                Parameter::Integer(_) => f.write_str("usize")?,
                Parameter::Multiple(_, factor) => write!(f, "{factor} * usize")?,
                Parameter::Flag(_) => f.write_str("bool")?,
            }
        }
        f.write_str(")")?;
        let output = match self.output {
            Output::Nothing => return Ok(()),
            Output::Ext(_) => "Ext",
            Output::Block(_) => "Block",
            Output::Pair(_) => "(Block, Block)",
            Output::Slice(..) | Output::Elements(..) => "Slice",
        };
        match self.output.operand() {
            Some(operand) => write!(f, " -> {operand:?}: {output}"),
            None => Ok(()),
        }
    }
}
