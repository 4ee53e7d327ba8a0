//! The error terms of a proof.

use p3_security::proximity::{
    LDR_M_CAP, alpha_ldr_m, alpha_udr, compute_upper_m, list_size_ldr_m, list_size_udr,
};
use p3_security::{ErrorBits, InstanceShape, StarkAirParams, air, deep, fri};
use p3_uni_stark::{OpeningShape, num_batched_openings};
use serde::{Deserialize, Serialize};

use super::theorem::{
    BIRTHDAY, DIGEST_COLLISION_BITS, ProximityGap, Regime, Security, SecurityBound, SecurityTerm,
};
use crate::field::{Challenge, EF, EF4, EXTENSION_DEGREE};
use crate::stark::config::FriSettings;

/// Theorems about batch STARKs over FRI in either regime, round by round.
const STARK: &str = "ePrint 2024/1553, theorems 2 and 3";

/// Theorem about proximity gaps up to half the minimum distance.
const UNIQUE_DECODING: &str = "ePrint 2020/654, section 4";

/// Theorem about sums of fractions with random denominators.
const LOGUP: &str = "ePrint 2022/1530";

/// Logarithm of the size of the challenge field of a degree, rounded down, if proofs may have it.
/// Both fields of degree 4 have the same.
const fn challenge_bits(degree: usize) -> Option<usize> {
    match degree {
        EXTENSION_DEGREE => Some(EF::BITS),
        4 => Some(EF4::BITS),
        _ => None,
    }
}

/// Largest number of points at which a column is opened: the out-of-domain point and its successor.
const MAX_POINTS: usize = 2;

/// Smallest list-decoding parameter for which the bounds on proximity gaps are proven.
const SMALLEST_MULTIPLICITY: usize = 3;

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
        .all(|count| count as u64 >> 32 == 0)
    }

    /// Number of quotient chunks committed for the table.
    pub const fn quotient_chunks(&self) -> usize {
        self.chunks(OpeningShape::new())
    }

    /// The same, of openings of this shape. Hiding ones add one to the degree and double the number.
    const fn chunks(&self, openings: OpeningShape) -> usize {
        let hiding = openings.is_zk() as usize;
        let degree = self.degree + hiding;
        let degree = if degree < 2 { 2 } else { degree };
        (degree - 1).next_power_of_two() << hiding
    }

    /// Number of powers of the batching challenge, of this degree, that the table's openings use:
    /// one per base column and point.
    pub const fn batched_openings(&self, degree: usize) -> usize {
        self.batched(degree, OpeningShape::new())
    }

    /// The same, of openings of this shape.
    const fn batched(&self, degree: usize, openings: OpeningShape) -> usize {
        let base = num_batched_openings(
            self.main_width,
            self.main_next,
            self.preprocessed_width,
            self.preprocessed_next,
            self.chunks(openings),
            degree,
            openings,
        );
        // The accumulator and every fraction column, opened at both points.
        if self.lookup_columns > 0 {
            base + 2 * ((self.lookup_columns + 1) * degree + openings.num_random_codewords())
        } else {
            base
        }
    }
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
    collision_bits: f64,
) -> Security {
    proven_security_over(EXTENSION_DEGREE, settings, tables, collision_bits)
}

/// As [`proven_security`], for proofs with challenges of degree 5 ([`EF`]) or 4 ([`EF4`]).
///
/// Any other degree has 0 bits.
pub fn proven_security_over(
    degree: usize,
    settings: &FriSettings,
    tables: &[TableShape],
    collision_bits: f64,
) -> Security {
    proven_security_hiding(degree, None, settings, tables, collision_bits)
}

/// As [`proven_security_over`], for proofs with so many random codewords, if they are hiding. Their
/// matrices have twice the height of the tables, of which `tables` are.
pub fn proven_security_hiding(
    degree: usize,
    random_codewords: Option<usize>,
    settings: &FriSettings,
    tables: &[TableShape],
    collision_bits: f64,
) -> Security {
    let openings = random_codewords.map_or(OpeningShape::new(), OpeningShape::hiding);
    let batch = Batch::new(degree, openings, settings, tables, collision_bits);
    Security::new(|gap| {
        let Some(batch) = &batch else {
            return SecurityBound {
                regime: Regime::UniqueDecoding,
                terms: vec![term("no bound", "none", 0.0)],
            };
        };
        let multiplicities = SMALLEST_MULTIPLICITY..=batch.largest_multiplicity();
        let regimes = multiplicities.map(|multiplicity| Regime::ListDecoding { multiplicity });
        let unique = batch.bound(Regime::UniqueDecoding, gap);
        let least = |bound: &SecurityBound| bound.weakest().map_or(0.0, |term| term.bits);
        // Each regime is a valid bound, so the best one is.
        regimes
            .map(|regime| batch.bound(regime, gap))
            .fold(unique, |best, bound| {
                if least(&bound) > least(&best) {
                    bound
                } else {
                    best
                }
            })
    })
}

/// A batch in the form that the formulas take.
struct Batch<'a> {
    settings: &'a FriSettings,
    air: StarkAirParams,
    /// Logarithm of the size of the challenge field.
    challenge_bits: usize,
    collision_bits: f64,
    /// The tallest matrix.
    shape: InstanceShape,
    /// Logarithms of all heights of matrices.
    log_heights: Vec<usize>,
    /// Number of factors of all fingerprint denominators, which is interactions times rows.
    fingerprints: f64,
    message_width: usize,
}

impl<'a> Batch<'a> {
    fn new(
        degree: usize,
        openings: OpeningShape,
        settings: &'a FriSettings,
        tables: &[TableShape],
        collision_bits: f64,
    ) -> Option<Self> {
        let challenge_bits = challenge_bits(degree)?;
        settings.validate().ok()?;
        let extended = |table: &TableShape| table.log_height + usize::from(openings.is_zk());
        let log_height = tables.iter().map(extended).max()?;
        // The formulas shift by the logarithm of the extended domain and sum the counts, which must
        // not overflow.
        if log_height > LARGEST_LOG_HEIGHT
            || openings.num_random_codewords() as u64 >> 32 > 0
            || !tables.iter().all(TableShape::counts_are_bounded)
        {
            return None;
        }
        let mut log_heights: Vec<usize> = tables.iter().map(extended).collect();
        log_heights.sort_unstable();
        log_heights.dedup();
        let maximum = |f: fn(&TableShape) -> usize| tables.iter().map(f).max().unwrap_or(0);
        Some(Self {
            settings,
            challenge_bits,
            collision_bits,
            air: StarkAirParams {
                num_constraints: tables
                    .iter()
                    .map(|table| table.constraints)
                    .sum::<usize>()
                    .max(1),
                max_constraint_degree: maximum(|table| table.degree).max(1),
                num_quotient_chunks: tables
                    .iter()
                    .map(|table| table.chunks(openings))
                    .max()
                    .unwrap_or(0),
                max_combo: MAX_POINTS,
            },
            shape: InstanceShape {
                log_trace_length: log_height,
                modulus_bits: challenge_bits,
                // It has a term of its own here.
                collision_resistance: 0,
                num_batched_functions: tables
                    .iter()
                    .map(|table| table.batched(degree, openings))
                    .sum(),
            },
            log_heights,
            fingerprints: tables
                .iter()
                .map(|table| table.interactions as f64 * (table.log_height as f64).exp2())
                .sum(),
            message_width: maximum(|table| table.message_width).max(1),
        })
    }

    /// The largest list-decoding parameter that is possible at every height.
    fn largest_multiplicity(&self) -> usize {
        let shortest = self.log_heights.first().copied().unwrap_or(0);
        compute_upper_m(1 << shortest, MAX_POINTS).min(LDR_M_CAP)
    }

    fn bound(&self, regime: Regime, gap: ProximityGap) -> SecurityBound {
        let (settings, shape) = (self.settings, &self.shape);
        let list_size = match regime {
            Regime::UniqueDecoding => list_size_udr(),
            Regime::ListDecoding { multiplicity } => {
                list_size_ldr_m(settings.log_blowup, multiplicity)
            }
        };
        let of_gaps = match regime {
            Regime::UniqueDecoding => UNIQUE_DECODING,
            Regime::ListDecoding { .. } => gap.theorem(),
        };
        let ground = |error: ErrorBits, bits: usize| error.bits().max(0.0) + bits as f64;
        let combination =
            air::composition_error(self.air.num_constraints, list_size, self.challenge_bits);
        let out_of_domain = deep::deep_ali_error(&self.air, shape, list_size);
        let mut terms = vec![
            term("constraint combination", STARK, ground(combination, 0)),
            term(
                "out-of-domain point",
                STARK,
                ground(out_of_domain, settings.ood_grinding_bits),
            ),
            term("folding", of_gaps, self.folding(regime, gap)),
            term("queries", STARK, self.queries(regime)),
            term("commitment collision", BIRTHDAY, self.collision_bits),
            term("key and claim collision", BIRTHDAY, DIGEST_COLLISION_BITS),
        ];
        if shape.num_batched_functions >= 2 {
            let curve = (shape.num_batched_functions as f64 - 1.0).log2();
            let challenges = self.exceptional(shape.log_trace_length, regime, gap) + curve;
            let error = ErrorBits::from_log2(self.challenge_bits as f64 - challenges);
            let bits = ground(error, settings.batch_grinding_bits);
            terms.push(term("opening combination", of_gaps, bits));
        }
        if self.fingerprints > 0.0 {
            let error = self.lookup_fingerprint(list_size);
            let bits = ground(error, settings.lookup_grinding_bits);
            terms.push(term("lookup fingerprint", LOGUP, bits));
        }
        SecurityBound { regime, terms }
    }

    /// Logarithm of the number of exceptional challenges of a line through words for tables of this
    /// height.
    fn exceptional(&self, log_height: usize, regime: Regime, gap: ProximityGap) -> f64 {
        let log_blowup = self.settings.log_blowup;
        match regime {
            // One more than the points of the domain.
            Regime::UniqueDecoding => (((log_height + log_blowup) as f64).exp2() + 1.0).log2(),
            Regime::ListDecoding { multiplicity } => {
                gap.exceptional_challenges(log_height, log_blowup, multiplicity)
            }
        }
    }

    /// Bits of all rounds of folding together. A round binds as many variables as the arity says,
    /// by a curve.
    fn folding(&self, regime: Regime, gap: ProximityGap) -> f64 {
        let settings = self.settings;
        let arity = settings.max_log_arity;
        let curve = ((arity as f64).exp2() - 1.0).log2();
        let heights = (settings.log_final_poly_len + 1..=self.shape.log_trace_length).rev();
        let error: f64 = heights
            .step_by(arity)
            .map(|log_height| (self.exceptional(log_height, regime, gap) + curve).exp2())
            .sum();
        let bits = self.challenge_bits as f64 - error.log2();
        bits.max(0.0) + settings.commit_grinding_bits as f64
    }

    /// Bits of the queries, at the worst height.
    fn queries(&self, regime: Regime) -> f64 {
        let settings = self.settings;
        let log_blowup = settings.log_blowup;
        let bits = self.log_heights.iter().map(|&log_height| {
            let agreement = match regime {
                Regime::UniqueDecoding => alpha_udr(log_height, log_blowup, MAX_POINTS),
                Regime::ListDecoding { multiplicity } => alpha_ldr_m(log_blowup, multiplicity),
            };
            let height = (log_height as f64).exp2();
            let points = ((log_height + log_blowup) as f64).exp2();
            // Opened quotients have a degree that is higher by the number of points.
            if log_height == 0 || height + MAX_POINTS as f64 >= agreement * points {
                return 0.0;
            }
            fri::query_phase_error(
                agreement,
                settings.num_queries,
                settings.query_grinding_bits,
            )
            .bits()
        });
        bits.fold(f64::INFINITY, f64::min)
    }

    /// The error of the LogUp argument (ePrint 2022/1530): the challenge is a root of the cleared
    /// numerator or makes a denominator vanish, with probability `N (W + 2) / |EF|` for each
    /// codeword that the main commitment allows.
    fn lookup_fingerprint(&self, list_size: f64) -> ErrorBits {
        let events = self.fingerprints * (self.message_width as f64 + 2.0) * list_size;
        ErrorBits::from_log2(self.challenge_bits as f64 - events.log2())
    }
}

const fn term(name: &'static str, theorem: &'static str, bits: f64) -> SecurityTerm {
    SecurityTerm {
        commitment: None,
        name,
        theorem,
        bits,
    }
}
