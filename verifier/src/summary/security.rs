//! Proven bits of a proof, with the theorem of every term.

use droste_native::stark::security::{
    DIGEST_COLLISION_BITS, Security, SecurityBound, SecurityTerm,
};
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

/// Every term of a bound.
#[derive(Clone, Debug, Serialize)]
pub struct BoundSummary {
    /// Bits of the weakest term, rounded down.
    pub bits: usize,
    /// Its name.
    pub weakest: String,
    /// Bits of the sum of all terms.
    pub sum: f64,
    /// How far from a codeword a committed word may be.
    pub regime: String,
    /// All terms.
    pub terms: Vec<SecurityTerm>,
}

impl BoundSummary {
    fn new(bound: &SecurityBound) -> Self {
        Self {
            bits: bound.bits(),
            weakest: bound
                .weakest()
                .map_or(String::new(), SecurityTerm::to_string),
            sum: bound.sum(),
            regime: bound.regime.to_string(),
            terms: bound.terms.clone(),
        }
    }

    fn text(&self) -> String {
        let sum = decimals(self.sum);
        format!(
            "{} of the weakest term ({}), {sum} of their sum; {}",
            self.bits, self.weakest, self.regime
        )
    }
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

    /// Names and values for people: both bounds, and the digests.
    pub fn rows(&self) -> [(&'static str, String); 3] {
        let without = self.without_eprint_2026_2056.text();
        [
            ("without ePrint 2026/2056", without),
            ("with ePrint 2026/2056", self.with_eprint_2026_2056.text()),
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

/// Bits with one decimal, rounded down.
pub fn decimals(bits: f64) -> String {
    format!("{:.1}", (bits * 10.0).floor() / 10.0)
}
