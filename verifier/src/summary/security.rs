//! Proven bits of a proof, with the theorem of every term.

use droste_native::stark::security::{BoundSummary, DIGEST_COLLISION_BITS, Security, decimals};
use serde::Serialize;

/// Proven security of a proof, without the newest bound on proximity gaps and with it.
#[derive(Clone, Debug, Serialize)]
pub struct SecuritySummary {
    /// What does not rest on ePrint 2026/2056.
    pub without_eprint_2026_2056: BoundSummary,
    /// What is proven with it.
    pub with_eprint_2026_2056: BoundSummary,
    /// Bits against collisions of digests, which name keys and claims whatever the terms are.
    pub digest_collision_bits: f64,
}

fn text(bound: &BoundSummary) -> String {
    let sum = decimals(bound.sum);
    format!(
        "{} of the weakest term ({}), {sum} of their sum; {}",
        bound.bits, bound.weakest, bound.regime
    )
}

impl SecuritySummary {
    /// Says what is proven of a proof.
    pub fn new(security: &Security) -> Self {
        Self {
            without_eprint_2026_2056: BoundSummary::new(&security.without),
            with_eprint_2026_2056: BoundSummary::new(&security.with),
            digest_collision_bits: DIGEST_COLLISION_BITS,
        }
    }

    /// What is proven of whoever relies on another proof, too.
    #[must_use]
    pub fn and(self, other: &Security) -> Self {
        Self {
            without_eprint_2026_2056: self.without_eprint_2026_2056.and(&other.without),
            with_eprint_2026_2056: self.with_eprint_2026_2056.and(&other.with),
            ..self
        }
    }

    /// Names and values for people: both bounds, and the digests.
    pub fn rows(&self) -> [(&'static str, String); 3] {
        [
            (
                "without ePrint 2026/2056",
                text(&self.without_eprint_2026_2056),
            ),
            ("with ePrint 2026/2056", text(&self.with_eprint_2026_2056)),
            ("digests", digests()),
        ]
    }

    /// A name and a value for each term without ePrint 2026/2056, and for those that rest on it
    /// with it. Of the rounds of one event, only the first is listed, which is the weakest.
    pub fn terms(&self) -> Vec<(String, String)> {
        let mut rows: Vec<(String, String)> = vec![];
        let without = &self.without_eprint_2026_2056.terms;
        let with = self.with_eprint_2026_2056.terms.iter();
        let newest = with.filter(|term| term.theorem.contains("2026/2056"));
        for term in without.iter().chain(newest) {
            let row = (term.to_string(), term.theorem);
            let value = |bits| format!("{} bits, {}", decimals(bits), row.1);
            let known = |(name, said): &(String, String)| *name == row.0 && said.ends_with(row.1);
            if !rows.iter().any(known) {
                rows.push((row.0.clone(), value(term.bits)));
            }
        }
        rows
    }
}

/// What is said of digests beside all bits of proofs.
pub fn digests() -> String {
    let bits = decimals(DIGEST_COLLISION_BITS);
    format!("collide after 2^{bits} evaluations of the hash, whatever the preset")
}
