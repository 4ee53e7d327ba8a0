//! The verifier of openings, as `droste_native::whir` defines it.
//!
//! The calldata has what the prover sends, in the order of the transcript, but for the digests of
//! Merkle paths, which are as many as the indices ask for: they are behind all the rest, so that
//! everything else is at a constant place. Leaves are in the order of the queries, those of the
//! main rows before those of the preprocessed ones.
//!
//! No equation is checked before the last one but for the leaves of the last commitment, so the
//! verifier does what is to be done and keeps the claim in memory: a sum, and the point to which
//! the variables are bound.

mod claims;
mod functions;
#[allow(
    clippy::indexing_slicing,
    reason = "commitments and trees have the numbers of the scheme from which the places are made"
)]
mod places;
mod queries;
#[cfg(test)]
mod tests;

use droste_native::KeccakSuite;
use droste_native::field::EXTENSION_DEGREE;
use droste_native::whir::{CommitmentStep, Scheme};
use thiserror::Error;

pub use self::claims::ClaimShape;
pub use self::functions::horner;
use self::places::Places;
use crate::assembler::{Assembler, AssemblerError, Expr, load, var};
use crate::constraints::word;
use crate::field::{ELEMENT_BYTES, Element, PACKED_BYTES};
use crate::merkle::DIGEST_BYTES;
use crate::phase::Phase;
use crate::rows::leaf_bytes;
use crate::transcript::Transcript;

/// The functions of sumchecks without and with proofs of work. All sumchecks share them, so the
/// transcript must be in one state before each.
const SUMCHECK: &str = "sumcheck";
const GROUND_SUMCHECK: &str = "ground_sumcheck";

/// Bytes of a nonce.
pub const NONCE_BYTES: u64 = 4;

/// Where the verifier finds what it reads, and where it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Points of the stack's samples outside the domain.
    pub outside: u64,
    /// Values of all claims, those of these samples first.
    pub values: u64,
    /// The challenge whose powers combine slots.
    pub slots: u64,
    /// The point at which tables are opened.
    pub opened_point: u64,
    /// Its number of coordinates.
    pub opened_coordinates: usize,
    /// From here on there is nothing.
    pub work: u64,
}

/// Schemes whose openings no contract verifies.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnsupportedOpening {
    /// A commitment is more than the root of a tree.
    #[error("a commitment has a cap of {0} digests, expected 1")]
    Cap(usize),
    /// The weight of a claim is not one of a table's columns.
    #[error("claim {0} is not about columns of a table")]
    Claim(usize),
}

/// The openings of one scheme, of the same claims.
pub struct Opening<'a> {
    scheme: &'a Scheme<KeccakSuite>,
    claims: &'a [ClaimShape],
    memory: Memory,
    places: Places,
}

/// The length of a sumcheck in the calldata.
const fn sumcheck_bytes(rounds: usize, bits: usize) -> u64 {
    rounds as u64 * round_bytes(bits)
}

/// The length of one of its rounds: two coefficients, and a nonce if there is one.
const fn round_bytes(bits: usize) -> u64 {
    2 * PACKED_BYTES + nonce_bytes(bits)
}

const fn nonce_bytes(bits: usize) -> u64 {
    if bits > 0 { NONCE_BYTES } else { 0 }
}

impl<'a> Opening<'a> {
    /// # Errors
    /// If no contract verifies openings of this scheme.
    pub fn new(
        scheme: &'a Scheme<KeccakSuite>,
        claims: &'a [ClaimShape],
        memory: Memory,
    ) -> Result<Self, UnsupportedOpening> {
        let sizes = scheme.schedule().commitments();
        let mut sizes = sizes.map(|commitment| scheme.cap_size(commitment));
        if let Some(size) = sizes.find(|&size| size != 1) {
            return Err(UnsupportedOpening::Cap(size));
        }
        Ok(Self {
            scheme,
            claims,
            memory,
            places: Places::new(scheme, claims, &memory),
        })
    }

    /// Number of the stack's samples outside the domain.
    fn num_outside(&self) -> usize {
        self.scheme.schedule().stack.outside
    }

    /// Number of all claims.
    fn num_claims(&self) -> usize {
        self.num_outside() + self.claims.len()
    }

    /// Bytes of the stack's values outside the domain.
    pub fn outside_bytes(&self) -> u64 {
        PACKED_BYTES * self.num_outside() as u64
    }

    /// Where in memory the place of the next digests of paths is. In the end it is the place behind
    /// the last ones.
    pub const fn digests(&self) -> u64 {
        self.places.digests
    }

    /// The widths of a commitment's leaves, of each tree.
    fn widths(&self, number: usize, step: &CommitmentStep) -> Vec<usize> {
        widths(self.scheme, number, step)
    }

    /// Bytes of nonce and leaves.
    fn queries_bytes(&self, number: usize, step: &CommitmentStep) -> u64 {
        let leaf: u64 = self.widths(number, step).into_iter().map(leaf_bytes).sum();
        nonce_bytes(step.query_grinding_bits) + leaf * step.queries as u64
    }

    /// Bytes of a proof, without digests of paths and values outside the domain of the stack.
    pub fn proof_bytes(&self) -> u64 {
        let schedule = self.scheme.schedule();
        let mut bytes = 0;
        for (number, step) in schedule.commitments().enumerate() {
            if number > 0 {
                bytes += DIGEST_BYTES + PACKED_BYTES * step.outside as u64;
            }
            bytes += sumcheck_bytes(step.fold, step.fold_grinding_bits);
            bytes += self.queries_bytes(number, step);
        }
        bytes += PACKED_BYTES << schedule.final_variables;
        bytes + sumcheck_bytes(schedule.final_variables, schedule.final_grinding_bits)
    }

    /// Samples the stack's points outside the domain, and reads and observes the values there,
    /// which are at this place of the calldata.
    pub fn sample_outside(&self, a: &mut Assembler, transcript: &mut Transcript, place: u64) {
        for index in 0..self.num_outside() {
            a.block(|a| {
                transcript.sample_element(a, "y");
                a.store(word(self.memory.outside, index), var("y"));
            });
            let place = place + PACKED_BYTES * index as u64;
            transcript.observe(a, place, PACKED_BYTES);
            let value = Element::read(place).expr;
            a.store(word(self.memory.values, index), value);
        }
    }

    /// Verifies an opening at this place of the calldata, with the digests of paths at another,
    /// for the claims in memory. Reverts if it is refused. The roots are those of the stack's
    /// trees; they have been observed, and so has everything that determines the claims.
    ///
    /// Functions are defined by [`Self::define`].
    pub fn verify(
        &self,
        a: &mut Assembler,
        transcript: &mut Transcript,
        place: u64,
        digests: u64,
        roots: &[Expr],
    ) {
        let (schedule, places) = (self.scheme.schedule(), &self.places);
        let mut place = place;
        let mut next = |bytes: u64| {
            place += bytes;
            place - bytes
        };
        a.phase(Phase::Sumchecks);
        a.comment(&format!("memory: {places:#?}"));
        a.store(places.digests, digests);
        a.block(|a| {
            let combination = transcript.sample_element(a, "combination");
            a.store(places.combination, combination.expr);
            let end = word(self.memory.values, self.num_claims());
            let sum = functions::horner(self.memory.values, end, load(places.combination));
            a.store(places.sum, sum.value());
        });
        let mut roots = roots.to_vec();
        // Number of variables that are bound.
        let mut bound = 0;
        let mut last = (0, &schedule.stack);
        for (number, step) in schedule.commitments().enumerate() {
            if number > 0 {
                a.phase(Phase::Queries);
                let root = next(DIGEST_BYTES);
                transcript.observe(a, root, DIGEST_BYTES);
                let outside = next(PACKED_BYTES * step.outside as u64);
                self.sample_later_outside(a, transcript, number, step, outside);
                let (before, previous) = last;
                let queries = next(self.queries_bytes(before, previous));
                self.query(a, transcript, before, previous, queries, &roots);
                let gamma = word(places.gammas, number);
                a.block(|a| {
                    let sampled = transcript.sample_element(a, "gamma");
                    a.store(gamma, sampled.expr);
                });
                self.prepare_fold(a, before, previous, bound - previous.fold);
                self.add_answers(a, before, previous, queries, outside, step.outside);
                roots = vec![Expr::from(root).calldata()];
            }
            last = (number, step);
            a.phase(Phase::Sumchecks);
            let sumcheck = next(sumcheck_bytes(step.fold, step.fold_grinding_bits));
            let bits = step.fold_grinding_bits;
            self.sumcheck(a, transcript, sumcheck, bound..bound + step.fold, bits);
            bound += step.fold;
        }
        a.phase(Phase::Queries);
        let polynomial = next(PACKED_BYTES << schedule.final_variables);
        self.read_final_polynomial(a, transcript, polynomial);
        let (number, step) = last;
        let queries = next(self.queries_bytes(number, step));
        self.query(a, transcript, number, step, queries, &roots);
        self.prepare_fold(a, number, step, bound - step.fold);
        a.phase(Phase::FinalPolynomial);
        self.check_final_polynomial(a, number, step, queries);
        a.phase(Phase::Sumchecks);
        let rounds = schedule.final_variables;
        let bits = schedule.final_grinding_bits;
        let sumcheck = next(sumcheck_bytes(rounds, bits));
        self.sumcheck(a, transcript, sumcheck, bound..bound + rounds, bits);
        a.phase(Phase::FinalEquation);
        self.check_final_equation(a);
    }

    /// Rounds of a sumcheck, which bind these variables.
    fn sumcheck(
        &self,
        a: &mut Assembler,
        transcript: &mut Transcript,
        place: u64,
        variables: std::ops::Range<usize>,
        bits: usize,
    ) {
        if variables.is_empty() {
            return;
        }
        transcript.forget();
        if *transcript != transcript.sampled() {
            a.fail(AssemblerError::Loop);
        }
        let [to, end] = [variables.start, variables.end];
        let [to, end] = [to, end].map(|variable| word(self.places.point, variable));
        let arguments = [place, to, end].map(Expr::from);
        match bits {
            0 => a.call(SUMCHECK, arguments),
            _ => {
                let mask = Expr::from((1_u64 << bits) - 1);
                a.call(GROUND_SUMCHECK, [&arguments[..], &[mask]].concat());
            }
        }
    }

    /// Defines the functions of sumchecks. The transcript is as it is after a sample.
    fn define_sumchecks(&self, a: &mut Assembler, transcript: &Transcript) {
        let schedule = self.scheme.schedule();
        let bits = schedule.commitments().map(|step| step.fold_grinding_bits);
        let bits: Vec<usize> = bits.chain([schedule.final_grinding_bits]).collect();
        if bits.contains(&0) {
            a.function(SUMCHECK, ["place", "to", "end"], |a| {
                self.rounds(a, &mut transcript.clone(), None);
                None
            });
        }
        if bits.iter().any(|&bits| bits > 0) {
            a.function(GROUND_SUMCHECK, ["place", "to", "end", "mask"], |a| {
                self.rounds(a, &mut transcript.clone(), Some("mask"));
                None
            });
        }
    }

    /// Rounds of a sumcheck, with proofs of work if there is a mask.
    fn rounds(&self, a: &mut Assembler, transcript: &mut Transcript, mask: Option<&'static str>) {
        transcript.repeat_while(a, |transcript, a| {
            transcript.observe(a, var("place"), 2 * PACKED_BYTES);
            if let Some(mask) = mask {
                let nonce = var("place") + 2 * PACKED_BYTES;
                transcript.check_masked_work(a, nonce, var(mask));
            }
            let r = transcript.sample_element(a, "r");
            let constant = a.bind_element("constant", Element::read(var("place")));
            let quadratic = Element::read(var("place") + PACKED_BYTES);
            let quadratic = a.bind_element("quadratic", quadratic);
            let sum = Element::load(self.places.sum);
            let linear = sum - constant.clone().times(2) - quadratic.clone();
            let sum = (quadratic * r.clone() + linear) * r.clone() + constant;
            a.store(self.places.sum, sum.value());
            a.store(var("to"), r.expr);
            a.advance("to", ELEMENT_BYTES);
            a.advance("place", round_bytes(usize::from(mask.is_some())));
            var("to").lt(var("end"))
        });
    }

    /// Samples points outside the domain of a later commitment, and observes the values there.
    fn sample_later_outside(
        &self,
        a: &mut Assembler,
        transcript: &mut Transcript,
        number: usize,
        step: &CommitmentStep,
        place: u64,
    ) {
        for index in 0..step.outside {
            a.block(|a| {
                transcript.sample_element(a, "y");
                a.store(self.places.later_outside(number, index), var("y"));
            });
            transcript.observe(a, place + PACKED_BYTES * index as u64, PACKED_BYTES);
        }
    }

    /// Reads and observes the values of the final polynomial.
    fn read_final_polynomial(&self, a: &mut Assembler, transcript: &mut Transcript, place: u64) {
        let values = 1_u64 << self.scheme.schedule().final_variables;
        transcript.observe(a, place, PACKED_BYTES * values);
        let end = place + PACKED_BYTES * values;
        a.read_elements(place, end, self.places.final_polynomial);
    }
}

/// The widths of a commitment's leaves, of each tree.
fn widths(scheme: &Scheme<KeccakSuite>, number: usize, step: &CommitmentStep) -> Vec<usize> {
    if number > 0 {
        return vec![EXTENSION_DEGREE << step.fold];
    }
    let layout = scheme.layout();
    let rows = [layout.main_rows(), layout.preprocessed_rows()];
    let widths = rows.map(<[usize]>::len);
    widths.into_iter().filter(|&width| width > 0).collect()
}
