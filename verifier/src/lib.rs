//! Recursion: programs that verify proofs.
//!
//! - [`shape`]: what a recursive verifier takes as constants.
//! - [`codegen`]: constraint evaluators generated from AIRs.
//! - [`program`]: the zk-DSL text of the verifier of one proof shape.
//! - [`tape`]: a proof as the hints that text reads.
//! - [`claim`]: what a recursion proof claims, and the tree of claims below it; [`keys`]: the
//!   recursion programs that a verifier accepts, derived from what they are made from.
//! - [`recursion`]: from proofs to a proof that they verify; [`aggregate`]: any proofs to one;
//!   [`mod@file`]: the form in which those travel.
//! - [`cost`]: what all that costs.
//! - [`driver`]: the same for Plonky3 proofs of any AIRs.

pub mod aggregate;
pub mod claim;
pub mod codegen;
pub mod cost;
pub mod driver;
pub mod file;
pub mod keys;
pub mod program;
pub mod recursion;
pub mod shape;
pub mod tape;
