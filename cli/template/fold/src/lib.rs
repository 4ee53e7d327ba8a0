//! A fold: one proof that blocks lead from one root to another, whatever number of blocks there is.
//!
//! [`block`] is the program of a block, whose proofs are the leaves. [`chain`] has the rules, which
//! make one proof of proofs.

pub mod block;
pub mod chain;
