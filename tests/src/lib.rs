//! Harnesses shared by the end-to-end tests.

pub mod attack;
pub mod differential;
