//! What the steps of an aggregator will cost, before anything is proved.
//!
//! The rows that a step's run fills decide the shape of its proof, and with it the `fft_cost` and
//! the memory of proving it. For the first step of a wrap the rows are exact: the run is made, only
//! not proved ([`RunFigures::of_proof`]). What a later step verifies does not exist yet, so the
//! rows of its run are estimated from the shape of the proof that it will verify. A join always has
//! the canonical shape; of its figures only the cycles are estimated.

use droste_native::{FriSettings, HashId, Poseidon16Suite};
use droste_vm::heights::Heights;
use droste_vm::key::KeyHeights;
use droste_vm::machine::{Machine, Provable, StandardTables};
use droste_vm::report::TableReport;
use droste_vm::tables::program::ProgramTable;
use droste_vm::verifier::Verifier;
use p3_fri::fold_schedule;
use serde::Serialize;

use super::shape::{Size, log_heights};
use super::step::run;
use super::{Aggregate, AggregateError, Aggregator, MOST_STEPS, VerifiedProof};
use crate::circuit::{ChildShape, Children, CircuitCache, CircuitError, PRECOMPILES};
use crate::cost::Cost;
use crate::keys::Recipe;
use crate::tape::TapeSuite;

/// The figures of a run that verifies proofs, before its proof has a shape. They depend on the
/// shape and number of the proofs and on no aggregator.
#[derive(Clone, Debug)]
pub struct RunFigures {
    /// Shape of the proofs that it verifies.
    pub shape: ChildShape,
    /// Number of those proofs.
    pub count: usize,
    /// Names of the tables of the machine that proves it.
    pub tables: Vec<String>,
    /// Number of rows that it fills in each of these tables.
    pub rows: Vec<usize>,
    /// Its cycles.
    pub cycles: usize,
    /// Whether the run was made; the figures are estimates otherwise.
    pub exact: bool,
}

/// What one recursion step will take.
#[derive(Clone, Debug)]
pub struct StepOutlook {
    /// Hash of the proofs that it verifies.
    pub hash: HashId,
    /// Number of those proofs.
    pub children: usize,
    /// The recipe of its key; that of another key if the figures are estimates and wrong.
    pub recipe: Recipe,
    /// Shape of its proof.
    pub shape: ChildShape,
    /// Whether that is the canonical shape.
    pub canonical: bool,
    /// Cycles of its run.
    pub cycles: usize,
    /// `width * height * log2(height)`, summed over its proof's tables.
    pub fft_cost: u64,
    /// Estimated bytes of memory that proving it needs ([`Cost::estimated_bytes`]).
    pub memory: usize,
    /// Whether the run that decided the shape was made. `cycles`, `shape` and `fft_cost` are
    /// estimates otherwise.
    pub exact: bool,
}

impl RunFigures {
    /// Runs the verification of a proof, without proving the run. The circuit is kept in
    /// `circuits`.
    ///
    /// # Errors
    /// If there is no circuit for proofs of this shape.
    pub fn of_proof<H: TapeSuite>(
        circuits: &CircuitCache,
        proof: &VerifiedProof<H>,
    ) -> Result<Self, AggregateError>
    where
        StandardTables: Provable<H>,
    {
        let run = run::<H>(circuits, &[proof.proof()], vec![])?;
        let proof = proof.proof();
        Ok(Self {
            shape: ChildShape::new(&proof.key, &proof.batch.degree_bits),
            count: 1,
            tables: run.circuit().table_names()?,
            rows: run.rows().to_vec(),
            cycles: run.execution().cycles.len(),
            exact: true,
        })
    }

    /// Estimates the figures of the run that verifies this aggregate.
    ///
    /// # Errors
    /// If no proof has its shape.
    pub fn of_aggregate(aggregate: &Aggregate) -> Result<Self, AggregateError> {
        let proof = aggregate.proof();
        Self::estimate(ChildShape::new(&proof.key, &proof.batch.degree_bits), 1)
    }

    /// Estimates the figures of the run that verifies `count` proofs in Poseidon-16 of this shape.
    fn estimate(shape: ChildShape, count: usize) -> Result<Self, AggregateError> {
        let permutations = count * permutations(&shape.settings, &tables_of(&shape)?);
        // Evaluating the constraints of wide tables is most of the program, and runs once. The bound
        // on the program's length is about twice it.
        let instructions = count * (shape.child_cost() / 2);
        let machine =
            Machine::<StandardTables>::new(ProgramTable::of_height(0), &PRECOMPILES.into())
                .map_err(CircuitError::from)?;
        let tables = machine.names();
        let rows = tables.iter().map(|name| {
            let (rows, of) = rows_per_permutation(name);
            let least = match name.as_str() {
                "cpu" | "program" => instructions,
                _ => 0,
            };
            (permutations * rows / of).max(least)
        });
        Ok(Self {
            rows: rows.collect(),
            cycles: (permutations * CYCLES.0 / CYCLES.1).max(instructions),
            shape,
            count,
            tables,
            exact: false,
        })
    }
}

/// Cycles per Poseidon-16 permutation of a run that verifies proofs on R, as a fraction. This and
/// [`rows_per_permutation`] are measured on joins and on steps that follow a wrap.
const CYCLES: (usize, usize) = (13, 7);

/// Rows of a table of R per Poseidon-16 permutation, as a fraction.
fn rows_per_permutation(table: &str) -> (usize, usize) {
    match table {
        "cpu" => CYCLES,
        "blocks" => (12, 5),
        "ext" => (2, 1),
        _ => (1, 1),
    }
}

/// Number of Poseidon-16 permutations with which a proof of these tables is verified: of the
/// transcript, and per query of opened rows and Merkle paths.
fn permutations(settings: &FriSettings, tables: &[TableReport]) -> usize {
    /// Elements of one rate of the sponge.
    const RATE: usize = 8;
    /// Base field elements of a challenge.
    const EXTENSION: usize = droste_native::field::EXTENSION_DEGREE;
    let mut heights: Vec<usize> = tables.iter().map(|table| table.shape.log_height).collect();
    heights.sort_unstable_by(|a, b| b.cmp(a));
    heights.dedup();
    let path = |log_length: usize| log_length.saturating_sub(settings.cap_height);
    let widths: [fn(&TableReport) -> usize; 4] = [
        |table| table.shape.main_width,
        |table| table.shape.preprocessed_width,
        TableReport::lookup_width,
        TableReport::quotient_width,
    ];
    let (mut query, mut commitments) = (0, 0);
    for width in widths {
        let mut tallest = None;
        for &height in &heights {
            let of_height = tables
                .iter()
                .filter(|table| table.shape.log_height == height);
            let elements: usize = of_height.map(width).sum();
            if elements > 0 {
                tallest = tallest.or(Some(height));
                query += elements.div_ceil(RATE) + 1;
            }
        }
        if let Some(tallest) = tallest {
            query += path(tallest + settings.log_blowup);
            commitments += 1;
        }
    }
    let lengths: Vec<usize> = heights
        .iter()
        .map(|height| height + settings.log_blowup)
        .collect();
    let last = settings.log_blowup + settings.log_final_poly_len;
    let mut log_length = lengths.first().copied().unwrap_or_default();
    for log_arity in fold_schedule(&lengths, last, settings.max_log_arity.max(1)) {
        log_length = log_length.saturating_sub(log_arity);
        query += (EXTENSION << log_arity).div_ceil(RATE) + path(log_length);
        commitments += 1;
    }
    let opened: usize = tables.iter().map(TableReport::opened_elements).sum();
    let transcript = (2 * opened * EXTENSION + (EXTENSION << settings.log_final_poly_len)) / RATE
        + (commitments << settings.cap_height);
    settings.num_queries * query + transcript
}

/// The tables of proofs in Poseidon-16 of this shape.
fn tables_of(shape: &ChildShape) -> Result<Vec<TableReport>, AggregateError> {
    let program = shape.tables.iter().position(|name| name == "program");
    let program = program.and_then(|index| shape.log_heights.get(index));
    let heights = match shape.fixed {
        true => KeyHeights::Fixed(shape.log_heights.clone()),
        false => KeyHeights::Free,
    };
    let verifier = Verifier::<Poseidon16Suite, StandardTables>::of_machine(
        shape.settings,
        &shape.tables,
        heights,
        program.copied().unwrap_or_default(),
    )
    .map_err(CircuitError::from)?;
    let (tables, _) = verifier.shape(&shape.log_heights)?;
    Ok(tables)
}

impl Aggregator {
    /// What the first step of a wrap takes whose run has these figures: the wrap of a proof, or a
    /// further step of an aggregate.
    ///
    /// # Errors
    /// If the run cannot be proved.
    pub fn step_outlook(&self, run: &RunFigures) -> Result<StepOutlook, AggregateError> {
        let hash = run.shape.hash;
        let (settings, heights) = self.shape_of(hash, &run.rows, Size::Canonical);
        let shape = ChildShape {
            hash: HashId::Poseidon16,
            settings,
            tables: run.tables.clone(),
            log_heights: log_heights(&settings, &heights, &run.rows),
            fixed: heights != Heights::Minimal,
        };
        let tables = tables_of(&shape)?;
        Ok(StepOutlook {
            hash,
            children: run.count,
            recipe: Recipe {
                children: Children::Programs {
                    shape: run.shape.clone(),
                    count: run.count,
                },
                settings,
                heights,
            },
            canonical: self.has_canonical_shape(&shape),
            cycles: run.cycles,
            fft_cost: tables.iter().map(TableReport::fft_cost).sum(),
            memory: Cost::estimated_bytes(&tables, &settings),
            exact: run.exact,
            shape,
        })
    }

    /// The steps that bring the proof to the canonical shape, of which a run with these figures is
    /// the first. The steps after it are estimates, and so is their number.
    ///
    /// # Errors
    /// If a step cannot be proved.
    pub fn wrap_outlook(&self, run: &RunFigures) -> Result<Vec<StepOutlook>, AggregateError> {
        let mut steps = vec![self.step_outlook(run)?];
        while steps.len() < MOST_STEPS
            && let Some(last) = steps.last()
            && !last.canonical
        {
            let next = RunFigures::estimate(last.shape.clone(), 1)?;
            steps.push(self.step_outlook(&next)?);
        }
        Ok(steps)
    }

    /// What a join of this many proofs takes. Shape, `fft_cost` and memory are those of the
    /// canonical shape; the cycles are estimated, so they do not tell whether the proofs fit.
    ///
    /// # Errors
    /// If R cannot be proved at the canonical shape.
    pub fn join_outlook(&self, children: usize) -> Result<StepOutlook, AggregateError> {
        let recipe = self.join_recipe(children).map_err(CircuitError::from)?;
        let machine =
            Machine::<StandardTables>::new(ProgramTable::of_height(0), &PRECOMPILES.into())
                .map_err(CircuitError::from)?;
        let shape = ChildShape {
            hash: HashId::Poseidon16,
            settings: self.canonical.settings,
            tables: machine.names(),
            log_heights: self.canonical.log_heights.clone(),
            fixed: true,
        };
        let tables = tables_of(&shape)?;
        let estimate = RunFigures::estimate(shape.clone(), children)?;
        Ok(StepOutlook {
            hash: HashId::Poseidon16,
            children,
            recipe,
            canonical: true,
            cycles: estimate.cycles,
            fft_cost: tables.iter().map(TableReport::fft_cost).sum(),
            memory: Cost::estimated_bytes(&tables, &shape.settings),
            exact: false,
            shape,
        })
    }

    /// Everything that decides the shapes of this aggregator's proofs.
    pub(crate) fn shapes(&self) -> impl Serialize + '_ {
        (
            &self.canonical,
            &self.intermediate,
            &self.intermediate_of_bytes,
            &self.last_intermediate,
        )
    }

    /// The recipe of the same program at the least heights that fit it, which no rows decide.
    pub(crate) fn at_minimal_heights(&self, recipe: Recipe) -> Recipe {
        Recipe {
            settings: self.intermediate,
            heights: Heights::Minimal,
            ..recipe
        }
    }

    /// Whether proofs of this shape have the canonical one.
    pub fn has_canonical_shape(&self, shape: &ChildShape) -> bool {
        shape.hash == HashId::Poseidon16
            && shape.fixed
            && shape.settings == self.canonical.settings
            && shape.log_heights == self.canonical.log_heights
    }
}
