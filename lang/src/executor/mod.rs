//! Runs a compiled program: solves each instruction's relation for the cell that has not been set,
//! writes hints, and records what the tables need.

mod call;
#[cfg(feature = "compiler")]
mod decode;
mod error;
#[cfg(feature = "compiler")]
mod explain;
mod memory;
#[cfg(feature = "compiler")]
mod place;
#[cfg(feature = "compiler")]
mod runner;
mod source;
mod tape;
#[cfg(test)]
mod tests;

pub use call::CallContext;
pub use error::Fault;
pub use memory::Memory;
#[cfg(feature = "compiler")]
pub use place::{Place, RunError, Said};
#[cfg(feature = "compiler")]
pub use runner::{execute, execute_mutated};
pub use tape::{NotCanonical, Tape, TapeBlock, TapeItem};
