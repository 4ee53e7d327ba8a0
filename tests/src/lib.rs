//! Harnesses that the end-to-end tests share.

pub mod attack;
pub mod differential;
