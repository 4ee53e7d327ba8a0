//! Proven security, computed for the shape of each proof, and presets that reach a level.
//!
//! [`proven_security`] lists every error term of a batch STARK over FRI in the two proximity
//! regimes for which proofs exist, unique decoding and list decoding up to the Johnson radius, by
//! the formulas of `p3-security`. The security of a regime is the minimum of its terms
//! (round-by-round soundness, ePrint 2024/1553). Each regime is a valid bound, so the security is
//! the better one of the two. The collision resistance of the hash is one of the terms. No
//! conjecture is used. Each term names its theorem, and all bits are computed twice: without ePrint
//! 2026/2056, which is the newest bound on proximity gaps, and with it ([`Security`]). Presets have
//! the bits of their names without it, and in the sum of all terms.
//!
//! If tables have different heights, the terms that get worse with the height are computed for the
//! tallest table, and the terms that get worse for short tables at each height, with one
//! list-decoding parameter for all.

mod presets;
mod terms;
#[cfg(test)]
mod tests;
mod theorem;

pub use presets::{Preset, UnknownPreset, UnsupportedBlowup, reference_batch, smallest_queries};
pub use terms::{TableShape, proven_security, proven_security_hiding, proven_security_over};
pub use theorem::{
    BIRTHDAY, BoundSummary, DIGEST_COLLISION_BITS, ProximityGap, Regime, SCHWARTZ_ZIPPEL, Security,
    SecurityBound, SecurityTerm, decimals,
};
