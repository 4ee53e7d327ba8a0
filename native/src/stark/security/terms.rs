//! The error terms of a proof.

use std::fmt::Display;

use p3_security::assumption::SecurityAssumption;
use p3_security::fri::{self, FriRegime};
use p3_security::proximity::{LDR_M_CAP, compute_upper_m, list_size_ldr_m, list_size_udr};
use p3_security::{ErrorBits, InstanceShape, StarkAirParams, air, deep};
use p3_uni_stark::{OpeningShape, num_batched_openings};
use serde::{Deserialize, Serialize};

use crate::field::EXTENSION_DEGREE;
use crate::stark::config::FriSettings;

/// `floor(log2 |EF|)`: the challenge field has `p^5 = 2^154.94` elements.
const CHALLENGE_BITS: usize = 154;

/// Largest number of points at which a column is opened: the out-of-domain point and its successor.
const MAX_POINTS: usize = 2;

/// Smallest list-decoding parameter for which the bounds are proven (ePrint 2026/2056,
/// Theorem 5.12).
const SMALLEST_MULTIPLICITY: usize = 3;

/// Bits of security against collisions of digests of 8 KoalaBear elements: a collision is expected
/// after `sqrt(pi p^8 / 2) = 2^124.3` digests.
pub const DIGEST_COLLISION_BITS: usize = 124;

/// Logarithm of the largest height for which bounds are computed. The field has no subgroup nearly
/// as large.
const LARGEST_LOG_HEIGHT: usize = 32;

/// The figures of one table that the soundness bounds depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TableShape {
    /// Logarithm of the number of rows.
    pub log_height: usize,
    /// Number of main columns.
    pub main_width: usize,
    /// Whether main columns are opened at the next row, too.
    pub main_next: bool,
    /// Number of preprocessed columns.
    pub preprocessed_width: usize,
    /// Whether preprocessed columns are opened at the next row, too.
    pub preprocessed_next: bool,
    /// Number of constraints, including those of the lookup argument.
    pub constraints: usize,
    /// Largest degree of a constraint.
    pub degree: usize,
    /// Number of fraction columns of the lookup argument (lookups after packing), not counting the
    /// accumulator; 0 for a table without a bus.
    pub lookup_columns: usize,
    /// Number of messages that a row sends or receives on buses, before packing.
    pub interactions: usize,
    /// Number of elements of the widest message.
    pub message_width: usize,
}

impl TableShape {
    /// Whether all counts are small enough that sums over a batch cannot overflow.
    fn counts_are_bounded(&self) -> bool {
        [
            self.main_width,
            self.preprocessed_width,
            self.constraints,
            self.degree,
            self.lookup_columns,
            self.interactions,
            self.message_width,
        ]
        .into_iter()
        .all(|count| count < 1 << 32)
    }

    /// Number of quotient chunks committed for the table.
    pub const fn quotient_chunks(&self) -> usize {
        let degree = if self.degree < 2 { 2 } else { self.degree };
        (degree - 1).next_power_of_two()
    }

    /// Number of powers of the batching challenge that the table's openings use: one per base
    /// column and point.
    pub const fn batched_openings(&self) -> usize {
        let base = num_batched_openings(
            self.main_width,
            self.main_next,
            self.preprocessed_width,
            self.preprocessed_next,
            self.quotient_chunks(),
            EXTENSION_DEGREE,
            OpeningShape::new(),
        );
        // The accumulator and every fraction column, opened at both points.
        if self.lookup_columns > 0 {
            base + 2 * (self.lookup_columns + 1) * EXTENSION_DEGREE
        } else {
            base
        }
    }
}

/// A source of error, and the bits of security against it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SecurityTerm {
    /// Name of the event that the term bounds.
    pub name: &'static str,
    /// `-log2` of the probability of the event, including grinding.
    pub bits: f64,
}

/// A proximity regime: how far from a codeword a committed word may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Regime {
    /// Up to half the minimum distance; one codeword at most is that near.
    UniqueDecoding,
    /// Up to the Johnson radius less a margin of `1 / (2 multiplicity)`; a short list of codewords
    /// is that near.
    ListDecoding {
        /// Multiplicity parameter of the decoder, at least 3.
        multiplicity: usize,
    },
}

impl Display for Regime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UniqueDecoding => f.write_str("unique decoding"),
            Self::ListDecoding { multiplicity } => write!(f, "list decoding, m = {multiplicity}"),
        }
    }
}

/// Proven security and the terms that it follows from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SecurityReport {
    /// Terms in the unique-decoding regime.
    pub unique_decoding: Vec<SecurityTerm>,
    /// The best list-decoding regime and its terms; `None` if a table is too short for any.
    pub list_decoding: Option<(Regime, Vec<SecurityTerm>)>,
}

impl SecurityReport {
    /// The regime with the better bound, and its terms.
    pub fn best(&self) -> (Regime, &[SecurityTerm]) {
        match &self.list_decoding {
            Some((regime, terms)) if minimum(terms) > minimum(&self.unique_decoding) => {
                (*regime, terms)
            }
            _ => (Regime::UniqueDecoding, &self.unique_decoding),
        }
    }

    /// Proven bits, rounded down.
    pub fn bits(&self) -> usize {
        minimum(self.best().1).max(0.0).floor() as usize
    }

    /// The term that limits the security.
    pub fn binding(&self) -> SecurityTerm {
        let (_, terms) = self.best();
        let mut binding = SecurityTerm {
            name: "none",
            bits: f64::INFINITY,
        };
        for term in terms {
            if term.bits < binding.bits {
                binding = *term;
            }
        }
        binding
    }
}

fn minimum(terms: &[SecurityTerm]) -> f64 {
    terms
        .iter()
        .map(|term| term.bits)
        .fold(f64::INFINITY, f64::min)
}

/// Proven security of a batch STARK of these tables, with these settings and a hash of
/// `collision_bits` bits against collisions (see [`crate::HashSuite::COLLISION_BITS`]).
///
/// Whatever the hash, the result is at most [`DIGEST_COLLISION_BITS`]: a verifier knows what is
/// proved by digests of 8 KoalaBear elements, those of keys, machines and claims.
///
/// Without tables, or with heights or settings out of range, it is 0 bits, so that the bounds fail
/// closed.
pub fn proven_security(
    settings: &FriSettings,
    tables: &[TableShape],
    collision_bits: usize,
) -> SecurityReport {
    let Some(batch) = Batch::new(settings, tables, collision_bits) else {
        return SecurityReport {
            unique_decoding: vec![SecurityTerm {
                name: "no bound",
                bits: 0.0,
            }],
            list_decoding: None,
        };
    };
    let list_decoding = (SMALLEST_MULTIPLICITY..=batch.largest_multiplicity())
        .map(|multiplicity| {
            let regime = Regime::ListDecoding { multiplicity };
            (regime, batch.terms(regime))
        })
        .max_by(|(_, a), (_, b)| minimum(a).total_cmp(&minimum(b)));
    SecurityReport {
        unique_decoding: batch.terms(Regime::UniqueDecoding),
        list_decoding,
    }
}

/// A batch in the form that the formulas take.
struct Batch<'a> {
    settings: &'a FriSettings,
    fri: FriRegime,
    air: StarkAirParams,
    /// The tallest table.
    shape: InstanceShape,
    /// Logarithms of all heights.
    log_heights: Vec<usize>,
    /// Number of factors of all fingerprint denominators, which is interactions times rows.
    fingerprints: f64,
    message_width: usize,
}

impl<'a> Batch<'a> {
    fn new(
        settings: &'a FriSettings,
        tables: &[TableShape],
        collision_bits: usize,
    ) -> Option<Self> {
        settings.validate().ok()?;
        let log_height = tables.iter().map(|table| table.log_height).max()?;
        // The formulas shift by the logarithm of the extended domain and sum the counts, which must
        // not overflow.
        if log_height > LARGEST_LOG_HEIGHT || !tables.iter().all(TableShape::counts_are_bounded) {
            return None;
        }
        let mut log_heights: Vec<usize> = tables.iter().map(|table| table.log_height).collect();
        log_heights.sort_unstable();
        log_heights.dedup();
        let maximum = |f: fn(&TableShape) -> usize| tables.iter().map(f).max().unwrap_or(0);
        Some(Self {
            settings,
            fri: FriRegime {
                log_blowup: settings.log_blowup,
                num_queries: settings.num_queries,
                log_final_poly_len: settings.log_final_poly_len,
                max_log_arity: settings.max_log_arity,
                commit_pow_bits: settings.commit_grinding_bits,
                query_pow_bits: settings.query_grinding_bits,
            },
            air: StarkAirParams {
                num_constraints: tables
                    .iter()
                    .map(|table| table.constraints)
                    .sum::<usize>()
                    .max(1),
                max_constraint_degree: maximum(|table| table.degree).max(1),
                num_quotient_chunks: maximum(TableShape::quotient_chunks),
                max_combo: MAX_POINTS,
            },
            shape: InstanceShape {
                log_trace_length: log_height,
                modulus_bits: CHALLENGE_BITS,
                collision_resistance: collision_bits,
                num_batched_functions: tables.iter().map(TableShape::batched_openings).sum(),
            },
            log_heights,
            fingerprints: tables
                .iter()
                .map(|table| table.interactions as f64 * (table.log_height as f64).exp2())
                .sum(),
            message_width: maximum(|table| table.message_width).max(1),
        })
    }

    fn at_height(&self, log_height: usize) -> InstanceShape {
        InstanceShape {
            log_trace_length: log_height,
            ..self.shape
        }
    }

    /// The largest list-decoding parameter that is possible at every height.
    fn largest_multiplicity(&self) -> usize {
        let shortest = self.log_heights.first().copied().unwrap_or(0);
        compute_upper_m(1 << shortest, MAX_POINTS).min(LDR_M_CAP)
    }

    fn terms(&self, regime: Regime) -> Vec<SecurityTerm> {
        let (settings, shape) = (self.settings, &self.shape);
        let list_size = match regime {
            Regime::UniqueDecoding => list_size_udr(),
            Regime::ListDecoding { multiplicity } => {
                list_size_ldr_m(settings.log_blowup, multiplicity)
            }
        };
        let mut terms = vec![
            term(
                "constraint combination",
                air::composition_error(self.air.num_constraints, list_size, CHALLENGE_BITS),
                0,
            ),
            term(
                "out-of-domain point",
                deep::deep_ali_error(&self.air, shape, list_size),
                settings.ood_grinding_bits,
            ),
            // The grinding of FRI's own rounds is already part of its error.
            term("low-degree test", self.low_degree_test(regime), 0),
            term(
                "commitment collision",
                ErrorBits::from_log2(shape.collision_resistance as f64),
                0,
            ),
            term(
                "key and claim collision",
                ErrorBits::from_log2(DIGEST_COLLISION_BITS as f64),
                0,
            ),
        ];
        if shape.num_batched_functions >= 2 {
            terms.push(term(
                "opening combination",
                self.opening_combination(regime),
                settings.batch_grinding_bits,
            ));
        }
        if self.fingerprints > 0.0 {
            terms.push(term(
                "lookup fingerprint",
                self.lookup_fingerprint(list_size),
                settings.lookup_grinding_bits,
            ));
        }
        terms
    }

    /// The error of FRI's commit and query phases, at the worst height.
    fn low_degree_test(&self, regime: Regime) -> ErrorBits {
        let errors: Vec<ErrorBits> = self
            .log_heights
            .iter()
            .map(|&log_height| {
                let shape = self.at_height(log_height);
                match regime {
                    Regime::UniqueDecoding => fri::proven_error_udr(&self.fri, &self.air, &shape),
                    Regime::ListDecoding { multiplicity } => {
                        fri::proven_error_ldr_m(&self.fri, &self.air, &shape, multiplicity)
                    }
                }
            })
            .collect();
        ErrorBits::min(&errors)
    }

    /// The error of the random combination of all openings.
    fn opening_combination(&self, regime: Regime) -> ErrorBits {
        let shape = &self.shape;
        let arguments = (
            shape.log_trace_length,
            self.settings.log_blowup,
            CHALLENGE_BITS,
            shape.num_batched_functions,
        );
        ErrorBits::from_log2(match regime {
            Regime::UniqueDecoding => SecurityAssumption::UniqueDecoding.prox_gaps_error(
                arguments.0,
                arguments.1,
                arguments.2,
                arguments.3,
            ),
            Regime::ListDecoding { multiplicity } => SecurityAssumption::prox_gaps_error_jb_at_m(
                arguments.0,
                arguments.1,
                arguments.2,
                arguments.3,
                multiplicity,
            ),
        })
    }

    /// The error of the LogUp argument (ePrint 2022/1530): the challenge is a root of the cleared
    /// numerator or makes a denominator vanish, with probability `N (W + 2) / |EF|` for each
    /// codeword that the main commitment allows.
    fn lookup_fingerprint(&self, list_size: f64) -> ErrorBits {
        let events = self.fingerprints * (self.message_width as f64 + 2.0) * list_size;
        ErrorBits::from_log2(CHALLENGE_BITS as f64 - events.log2())
    }
}

fn term(name: &'static str, error: ErrorBits, grinding_bits: usize) -> SecurityTerm {
    SecurityTerm {
        name,
        bits: error.bits().max(0.0) + grinding_bits as f64,
    }
}
