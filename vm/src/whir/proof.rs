//! What the prover of a run's tables sends, and how its transcript binds it.

use droste_native::codec::short_list;
use droste_native::gkr::GkrProof;
use droste_native::stark::challenger::{ExtensionTranscript, Sent};
use droste_native::whir::{Claim, Opening, Region, Rows, Scheme};
use droste_native::{Commitment, EF, F, HashSuite, Poseidon16Suite};
use educe::Educe;
use p3_field::PrimeCharacteristicRing;
use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::machine::MAX_TABLES;
use crate::tables::LANES;
use crate::whir::challenges::LookupChallenges;
use crate::whir::system::{Slots, System};
use crate::whir::zerocheck::{Opened, ZerocheckProof};

/// A proof that the program of `key` has a run with this statement.
#[derive(Clone, Educe, Serialize, Deserialize)]
#[educe(Debug)]
#[serde(bound = "", deny_unknown_fields)]
pub struct Proof<H: HashSuite = Poseidon16Suite> {
    /// The key of the proof. The prover chose it: a verifier must compare its digest with one that
    /// it trusts.
    pub key: Key<H>,
    /// Public inputs, then outputs, then zeros. A compiled program asserts these zeros.
    pub statement: [F; LANES],
    /// Logarithms of the tables' heights, in the machine's order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")]
    pub log_heights: Vec<usize>,
    /// The proof of the tables.
    #[educe(Debug(ignore))]
    pub stark: StarkProof<H>,
}

/// A proof of tables.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct StarkProof<H: HashSuite = Poseidon16Suite> {
    /// The commitment to the tables' columns.
    pub commitment: Sent<Commitment<H>>,
    /// Values of the stack outside the domain.
    pub outside: Vec<Sent<EF>>,
    /// The nonce of the proof of work before the challenges of lookups, or nothing if there is
    /// none.
    pub lookup_nonces: Vec<F>,
    /// The fractions of all messages add up to zero.
    pub fractions: GkrProof,
    /// Constraints are zero, and the fractions are those of the messages.
    pub zerocheck: ZerocheckProof,
    /// Values of the columns of each table at one point.
    pub opened: Sent<Vec<Opened>>,
    /// The opening of these values.
    pub opening: Opening<H>,
}

/// Observes what the proof is about, before its first message: key, statement, heights, in whole
/// blocks.
pub(super) fn observe_shape<H: HashSuite>(
    key: &Key<H>,
    statement: &[F; LANES],
    log_heights: &[usize],
    challenger: &mut dyn ExtensionTranscript,
) {
    challenger.observe_slice(&key.digest().0);
    challenger.observe_slice(statement);
    let mut shape = vec![F::from_usize(log_heights.len())];
    shape.extend(log_heights.iter().map(|&log| F::from_usize(log)));
    shape.resize(shape.len().next_multiple_of(LANES), F::ZERO);
    challenger.observe_slice(&shape);
}

/// Samples the challenges of lookups. What they have to bind must have been observed, and the proof
/// of work done.
pub(super) fn sample_lookups(challenger: &mut dyn ExtensionTranscript) -> LookupChallenges {
    LookupChallenges {
        alpha: challenger.sample_extension(),
        beta: challenger.sample_extension(),
    }
}

/// Combines the opened values to claims about the stack: one for each kind of values of a table,
/// the sum over its slots `c` of `y^c` times the value. `rho` is the point of the tallest table,
/// and other tables have its last coordinates. Values and tables must be as many as the system has.
pub fn claims<H: HashSuite>(
    system: &System,
    scheme: &Scheme<H>,
    rho: &[EF],
    opened: &[Opened],
    y: EF,
) -> Vec<(Claim, EF)> {
    let mut claims = vec![];
    let tables = system.tables().iter().zip(scheme.layout().tables());
    for ((table, regions), opened) in tables.zip(opened) {
        let kinds = [
            (&table.main, &regions.main, &opened.main, &opened.main_next),
            (
                &table.preprocessed,
                &regions.preprocessed,
                &opened.preprocessed,
                &opened.preprocessed_next,
            ),
        ];
        for (slots, region, current, next) in kinds {
            let Some(region) = region else { continue };
            let point = rho
                .get(rho.len().saturating_sub(region.log_height)..)
                .unwrap_or_default();
            let rows = Rows::At(point.to_vec());
            claims.push(claim(scheme, region, region.log_slots, rows, current, y));
            if let Some(log_next) = Slots::log_next(slots) {
                let rows = Rows::Next(point.to_vec());
                claims.push(claim(scheme, region, log_next, rows, next, y));
            }
        }
    }
    claims
}

/// The claim about the values of the first `2^log_slots` slots of a region.
fn claim<H: HashSuite>(
    scheme: &Scheme<H>,
    region: &Region,
    log_slots: usize,
    rows: Rows,
    values: &[EF],
    y: EF,
) -> (Claim, EF) {
    let mut factors = region.selector(scheme.layout().variables());
    // Slots after these have their top bits not all zero.
    for _ in log_slots..region.log_slots {
        factors.push([EF::ONE, EF::ZERO]);
    }
    let mut powers: Vec<EF> = std::iter::successors(Some(y), |power| Some(power.square()))
        .take(log_slots)
        .collect();
    powers.reverse();
    factors.extend(powers.into_iter().map(|power| [EF::ONE, power]));
    let value = values
        .iter()
        .rev()
        .fold(EF::ZERO, |sum, &value| sum * y + value);
    (Claim { factors, rows }, value)
}
