//! Openings by WHIR: the shape that their recursive verifier takes as a constant.
//!
//! The verifier itself is `droste_gadgets::verify::whir`; `docs/notes/whir-protocol.md` describes the
//! protocol. [`crate::tape::Answers::opening`] adds an opening to a tape.

use droste_gadgets::verify::whir::shape::{Batch, Column, Queries, Round, Shape, Sumcheck};
use droste_native::{EF, F};
use p3_challenger::{CanObserve, CanSample, CanSampleBits, FieldChallenger, GrindingChallenger};
use p3_field::PrimeCharacteristicRing;
use p3_multilinear_util::point::Point;
use p3_sumcheck::layout::{
    Layout, PrefixProver, Verifier, commitment_domain_separator, plan_stacked_layout,
};
use p3_sumcheck::strategy::Basis;
use p3_sumcheck::transcript::SumcheckShape;
use p3_sumcheck::{OpeningBatch, OpeningProtocol, SumcheckError};
use p3_whir::WhirConfigError;
use p3_whir::parameters::WhirConfig;
use p3_whir::transcript::WhirShape;
use thiserror::Error;

use crate::shape::integers;

/// Largest number of bits of a query's index. Plonky3 makes longer ones of two samples.
const MAX_INDEX_BITS: usize = 24;

/// Largest number of bits of a proof of work.
const MAX_GRINDING_BITS: usize = 30;

/// Why no recursive verifier is generated for an opening.
#[derive(Debug, Error)]
pub enum OpeningShapeError {
    /// The tables stack to another polynomial than the configuration is for.
    #[error("the tables stack to {tables} variables, but the configuration has {config}")]
    Variables {
        /// Number of variables of the stacked tables.
        tables: usize,
        /// Number of variables of the configuration.
        config: usize,
    },
    /// There are at least as many queries as leaves, so Plonky3 opens every leaf and samples
    /// nothing.
    #[error("{queries} queries to commitment {commitment}, which has only 2^{log_leaves} leaves")]
    Saturated {
        /// Number of the commitment, from 0.
        commitment: usize,
        /// Number of queries.
        queries: usize,
        /// Logarithm of the number of leaves.
        log_leaves: usize,
    },
    /// An index has too many bits.
    #[error(
        "an index of commitment {commitment} has {bits} bits, at most {MAX_INDEX_BITS} are possible"
    )]
    Index {
        /// Number of the commitment, from 0.
        commitment: usize,
        /// Number of bits.
        bits: usize,
    },
    /// A proof of work is too hard for one element.
    #[error("a proof of work of {bits} bits, at most {MAX_GRINDING_BITS} are possible")]
    Grinding {
        /// Number of bits.
        bits: usize,
    },
    /// The domain is not the two-adic one, or queries are stratified.
    #[error("only two-adic domains with independent queries are supported")]
    Domain,
    /// The transcript refuses a batch of the openings.
    #[error("a batch of openings is refused")]
    Batch(#[from] SumcheckError),
    /// The configuration does not allow so many claims.
    #[error(transparent)]
    Config(#[from] WhirConfigError),
}

/// The shape of openings of `protocol` in the prefix layout. `drawn` says whether the transcript
/// draws the points (`MultilinearPcs::verify`), or the caller gives them
/// (`PrescribedPointPcs::verify_at`).
///
/// # Errors
/// If there is no verifier of such openings.
pub fn opening_shape<C>(
    config: &WhirConfig<EF, F, C>,
    cap_height: usize,
    protocol: &OpeningProtocol,
    drawn: bool,
) -> Result<Shape, OpeningShapeError>
where
    C: FieldChallenger<F> + GrindingChallenger<Witness = F>,
{
    let whir = WhirShape::new(config, protocol.num_openings());
    if whir.stratified_queries || !whir.domain_id.is_empty() {
        return Err(OpeningShapeError::Domain);
    }
    let tables = protocol.table_shapes();
    let (variables, mut placements) = plan_stacked_layout(&tables);
    if variables != config.num_variables() {
        return Err(OpeningShapeError::Variables {
            tables: variables,
            config: config.num_variables(),
        });
    }
    let claims = protocol
        .checked_num_claims()
        .and_then(|claims| claims.checked_add(config.commitment_ood_samples()))
        .ok_or(WhirConfigError::InitialClaimCountOverflow)?;
    config.validate_initial_claims(claims)?;

    // Plonky3's own layout plays the transcript of the claims, before a challenger that records the
    // seeds.
    let strategy = <PrefixProver<F, EF> as Layout<F, EF>>::strategy();
    if strategy.reverse_selectors {
        for placement in &mut placements {
            placement.reverse_selectors();
        }
    }
    let mut layout = Verifier::<F, EF>::new(&tables, strategy);
    let mut ood_seed = Vec::new();
    for _ in 0..config.commitment_ood_samples() {
        let mut recorder = Recorder::default();
        layout.add_virtual_eval(EF::ZERO, &mut recorder);
        ood_seed = recorder.without_extensions(1);
    }
    let mut batches = Vec::new();
    for (table, request) in protocol.iter_openings() {
        let mut recorder = Recorder::default();
        let zeros = |columns: &[usize]| vec![EF::ZERO; columns.len()];
        let evals = OpeningBatch::new(zeros(request.current()), zeros(request.next()));
        let table_variables = tables.get(table).map_or(0, |table| table.num_variables());
        if drawn {
            layout.add_claim(table, request, &evals, &mut recorder)?;
        } else {
            let point = Point::new(vec![EF::ZERO; table_variables]);
            layout.add_claim_at(table, request, &point, &evals, &mut recorder)?;
        }
        let placement = placements.iter().find(|placement| placement.idx() == table);
        let selectors = placement.map_or(&[][..], |placement| placement.selectors());
        let columns = |columns: &[usize]| -> Vec<Column> {
            let selectors = columns.iter().filter_map(|&column| selectors.get(column));
            selectors
                .map(|selector| Column {
                    slot: selector.index(),
                    power: 0,
                })
                .collect()
        };
        let batch = Batch {
            variables: table_variables,
            current: columns(request.current()),
            next: columns(request.next()),
            seed: recorder.without_extensions(request.len()),
        };
        batches.push((table, batch));
    }
    // Powers follow the tables in the order of their slots, the batches of a table in the order of
    // the proof.
    let mut power = 0;
    for placement in &placements {
        for (table, batch) in &mut batches {
            if *table == placement.idx() {
                for column in batch.current.iter_mut().chain(&mut batch.next) {
                    column.power = power;
                    power += 1;
                }
            }
        }
    }
    let mut recorder = Recorder::default();
    let _zero: EF = layout.batching_challenge(&mut recorder);
    let batching_seed = recorder.without_extensions(0);

    let mut queries = Vec::new();
    let last = config.final_round_config();
    for (commitment, round) in config.round_parameters().iter().chain([&last]).enumerate() {
        queries.push(queries_of(
            commitment,
            round.num_queries,
            round.log_folded_domain_size,
            round.folding_factor,
            round.pow_bits,
        )?);
    }
    let sumcheck = |rounds: usize, bits: usize| sumcheck(rounds, bits);
    let folds = config.folding_schedule();
    let fold = |number: usize| folds.get(number).copied().unwrap_or_default();
    let mut rounds = Vec::new();
    for (number, (round, queries)) in config.round_parameters().iter().zip(&queries).enumerate() {
        rounds.push(Round {
            variables: round.num_variables,
            ood_samples: round.ood_samples,
            queries: queries.clone(),
            sumcheck: sumcheck(fold(number + 1), round.folding_pow_bits)?,
        });
    }
    let final_queries = queries.pop().ok_or(OpeningShapeError::Domain)?;
    Ok(Shape {
        variables,
        cap_height,
        drawn,
        ood_samples: config.commitment_ood_samples(),
        batches: batches.into_iter().map(|(_, batch)| batch).collect(),
        sumcheck: sumcheck(fold(0), config.starting_folding_pow_bits())?,
        rounds,
        final_variables: last.num_variables,
        final_queries,
        final_sumcheck: sumcheck(
            config.final_sumcheck_rounds(),
            config.final_folding_pow_bits(),
        )?,
        commitment_seed: seed(|recorder| commitment_domain_separator::<F>().seed(recorder)),
        ood_seed,
        whir_seed: seed(|recorder| whir.domain_separator::<F, EF>().seed(recorder)),
        batching_seed,
    })
}

/// The shape as zk-DSL text: a function `shape` that returns it.
pub fn shape_text(shape: &Shape) -> String {
    // A shape consists of integers, bools and lists only, so `Debug` prints Rust but for the lists.
    let literal = format!("{shape:#?}").replace('[', "vec![");
    format!(
        "use droste_gadgets::verify::whir::shape::{{Batch, Column, Queries, Round, Shape, \
         Sumcheck}};\n\n/// The shape of the openings.\npub fn shape() -> Shape {{\n{literal}\n}}\n"
    )
}

fn queries_of(
    commitment: usize,
    count: usize,
    log_leaves: usize,
    log_arity: usize,
    grinding_bits: usize,
) -> Result<Queries, OpeningShapeError> {
    if log_leaves > MAX_INDEX_BITS {
        return Err(OpeningShapeError::Index {
            commitment,
            bits: log_leaves,
        });
    }
    if count >= 1 << log_leaves {
        return Err(OpeningShapeError::Saturated {
            commitment,
            queries: count,
            log_leaves,
        });
    }
    Ok(Queries {
        count,
        log_leaves,
        log_arity,
        base: commitment == 0,
        grinding_bits: grinding(grinding_bits)?,
    })
}

fn sumcheck(rounds: usize, bits: usize) -> Result<Sumcheck, OpeningShapeError> {
    let shape = SumcheckShape::new(rounds, bits, Basis::Evaluation);
    let seed = match rounds {
        0 => Vec::new(),
        _ => seed(|recorder| shape.domain_separator::<F, EF>().seed(recorder)),
    };
    Ok(Sumcheck {
        rounds,
        grinding_bits: grinding(bits)?,
        seed,
    })
}

const fn grinding(bits: usize) -> Result<usize, OpeningShapeError> {
    if bits > MAX_GRINDING_BITS {
        return Err(OpeningShapeError::Grinding { bits });
    }
    Ok(bits)
}

fn seed(observe: impl FnOnce(&mut Recorder)) -> Vec<u32> {
    let mut recorder = Recorder::default();
    observe(&mut recorder);
    recorder.without_extensions(0)
}

/// A challenger that records what it observes, and samples zeros.
#[derive(Clone, Default)]
struct Recorder(Vec<F>);

impl Recorder {
    /// What was observed before the last `n` extension elements.
    fn without_extensions(mut self, n: usize) -> Vec<u32> {
        self.0.truncate(self.0.len().saturating_sub(5 * n));
        integers(&self.0)
    }
}

impl CanObserve<F> for Recorder {
    fn observe(&mut self, value: F) {
        self.0.push(value);
    }
}

impl CanSample<F> for Recorder {
    fn sample(&mut self) -> F {
        F::ZERO
    }
}

impl CanSampleBits<usize> for Recorder {
    fn sample_bits(&mut self, _bits: usize) -> usize {
        0
    }
}

impl FieldChallenger<F> for Recorder {}

impl GrindingChallenger for Recorder {
    type Witness = F;

    fn grind(&mut self, _bits: usize) -> F {
        F::ZERO
    }
}
