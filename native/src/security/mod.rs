//! Proven security, computed for the actual shape of a proof, and presets that reach it.
//!
//! [`proven_security`] lists every error term of a batch STARK over FRI in the two proximity regimes
//! that have proofs, unique decoding and list decoding up to the Johnson radius, with the formulas
//! of `p3-security`. The security of a regime is the minimum of its terms (round-by-round soundness,
//! ePrint 2024/1553); each regime is a valid bound, so the security is the better of the two. The
//! hash's collision resistance is one of the terms. No conjecture is used.
//!
//! Where the tables have different heights, the terms that grow with the height are taken at the
//! tallest table and the ones that worsen for short tables at each height, with one list-decoding
//! parameter for all.

mod presets;
mod terms;
#[cfg(test)]
mod tests;

pub use presets::{Preset, UnknownPreset, UnsupportedBlowup, reference_batch, smallest_queries};
pub use terms::{
    DIGEST_COLLISION_BITS, Regime, SecurityReport, SecurityTerm, TableShape, proven_security,
};
