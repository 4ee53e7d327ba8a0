//! The shape of a proof over WHIR, as its recursive verifier takes it.

use droste_gadgets::verify::whir::opening::shape::{
    Queries, Round, Shape as OpeningShape, Sumcheck,
};
use droste_gadgets::verify::whir::shape::{Columns, Shape, Table};
use droste_native::HashSuite;
use droste_native::whir::{CommitmentStep, Layout, Region, Scheme, WhirSettings};
use droste_vm::whir::expressions::Leaf;
use droste_vm::whir::system::{Shape as Heights, Slots, System};
use thiserror::Error;

/// Largest number of bits of a query's index.
const MAX_INDEX_BITS: usize = 24;

/// Largest number of bits of a proof of work.
const MAX_GRINDING_BITS: usize = 30;

/// Largest level of security at which leaves may be compared with their combination: the comparison
/// of one commitment fails with probability `m / p^5` for leaves that are laid out in `m` lanes.
/// These are at most 2,424 for the stack (2^11 rows) and 1,510 for each of fewer than 16 others,
/// fewer than 2^14.7 together. That of the last answers fails with a smaller probability.
const MAX_LEVEL: usize = 140;

/// Why no recursive verifier is generated for proofs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WhirShapeError {
    /// There is no commitment to preprocessed columns.
    #[error("the tables have no preprocessed columns, so that nothing would bind the program")]
    NoPreprocessed,
    /// An index has too many bits.
    #[error(
        "an index of commitment {commitment} has {bits} bits, expected at most {MAX_INDEX_BITS}"
    )]
    Index {
        /// Number of the commitment, from 0.
        commitment: usize,
        /// Number of bits.
        bits: usize,
    },
    /// There are no queries to a commitment.
    #[error("commitment {commitment} is not queried")]
    NoQueries {
        /// Number of the commitment, from 0.
        commitment: usize,
    },
    /// A proof of work is too hard for one element.
    #[error("a proof of work has {bits} bits, expected at most {MAX_GRINDING_BITS}")]
    Grinding {
        /// Number of bits.
        bits: usize,
    },
    /// The comparison of leaves with their combination is weaker than the level.
    #[error("the security level is {level} bits, expected at most {MAX_LEVEL}")]
    Level {
        /// The level.
        level: usize,
    },
}

/// The shape of proofs of a system's tables at these heights.
///
/// # Errors
/// If there is no verifier of such proofs.
pub fn whir_shape<H: HashSuite>(
    system: &System,
    heights: &Heights,
    scheme: &Scheme<H>,
    settings: &WhirSettings,
) -> Result<Shape, WhirShapeError> {
    let level = settings.security_level;
    if level > MAX_LEVEL {
        return Err(WhirShapeError::Level { level });
    }
    let layout = scheme.layout();
    let mut tables = Vec::new();
    let starts = heights.starts().iter().zip(heights.log_heights());
    let parts = system.tables().iter().zip(layout.tables()).zip(starts);
    for ((table, regions), (&start, &log_height)) in parts {
        let public_values = table.expressions.leaves().into_iter();
        tables.push(Table {
            log_height,
            main: columns(&table.main, regions.main.as_ref()),
            preprocessed: columns(&table.preprocessed, regions.preprocessed.as_ref()),
            public_values: public_values
                .filter_map(|leaf| match leaf {
                    Leaf::Public(index) => Some(index + 1),
                    _ => None,
                })
                .max()
                .unwrap_or(0),
            constraints: table.expressions.num_constraints(),
            messages: (0..table.buses.len())
                .map(|message| (start >> log_height) + message)
                .collect(),
        });
    }
    let buses = system.tables().iter().flat_map(|table| &table.buses);
    Ok(Shape {
        tables,
        buses: buses.max().map_or(0, |&bus| bus + 1),
        message_width: system.message_width(),
        lookup_grinding_bits: grinding(settings.lookup_grinding_bits)?,
        log_leaves: heights.log_leaves(),
        degree: system.degree(),
        opening: opening_shape(scheme, layout, settings.cap_height)?,
    })
}

fn columns(slots: &Slots, region: Option<&Region>) -> Columns {
    Columns {
        order: slots.columns().to_vec(),
        next: slots.num_next(),
        slot_bits: region.map_or(0, |region| region.log_slots),
        next_bits: slots.log_next().unwrap_or(0),
        region: region.map_or(0, |region| region.offset >> region.log_size()),
    }
}

fn opening_shape<H: HashSuite>(
    scheme: &Scheme<H>,
    layout: &Layout,
    cap_height: usize,
) -> Result<OpeningShape, WhirShapeError> {
    if layout.preprocessed_rows().is_empty() {
        return Err(WhirShapeError::NoPreprocessed);
    }
    let schedule = scheme.schedule();
    let mut rounds = Vec::new();
    let mut before: Option<(Queries, Sumcheck)> = None;
    let mut first = Sumcheck {
        rounds: 0,
        grinding_bits: 0,
    };
    let mut ood_samples = 0;
    for (commitment, step) in schedule.commitments().enumerate() {
        let trees = match commitment {
            0 => vec![
                layout.main_rows().to_vec(),
                layout.preprocessed_rows().to_vec(),
            ],
            _ => vec![(0..1 << step.fold).collect()],
        };
        let queries = queries_of(commitment, step, trees)?;
        let sumcheck = sumcheck(step.fold, step.fold_grinding_bits)?;
        match before.replace((queries, sumcheck.clone())) {
            None => {
                first = sumcheck;
                ood_samples = step.outside;
            }
            Some((queries, _)) => rounds.push(Round {
                variables: step.variables,
                ood_samples: step.outside,
                queries,
                sumcheck,
            }),
        }
    }
    let (final_queries, _) = before.ok_or(WhirShapeError::NoPreprocessed)?;
    Ok(OpeningShape {
        variables: layout.variables(),
        cap_height,
        ood_samples,
        sumcheck: first,
        rounds,
        final_variables: schedule.final_variables,
        final_queries,
        final_sumcheck: sumcheck(schedule.final_variables, schedule.final_grinding_bits)?,
    })
}

const fn sumcheck(rounds: usize, bits: usize) -> Result<Sumcheck, WhirShapeError> {
    match grinding(bits) {
        Ok(grinding_bits) => Ok(Sumcheck {
            rounds,
            grinding_bits,
        }),
        Err(error) => Err(error),
    }
}

fn queries_of(
    commitment: usize,
    step: &CommitmentStep,
    trees: Vec<Vec<usize>>,
) -> Result<Queries, WhirShapeError> {
    if step.log_leaves > MAX_INDEX_BITS {
        return Err(WhirShapeError::Index {
            commitment,
            bits: step.log_leaves,
        });
    }
    if step.queries == 0 {
        return Err(WhirShapeError::NoQueries { commitment });
    }
    Ok(Queries {
        count: step.queries,
        log_leaves: step.log_leaves,
        trees,
        base: commitment == 0,
        grinding_bits: grinding(step.query_grinding_bits)?,
    })
}

const fn grinding(bits: usize) -> Result<usize, WhirShapeError> {
    if bits > MAX_GRINDING_BITS {
        return Err(WhirShapeError::Grinding { bits });
    }
    Ok(bits)
}
