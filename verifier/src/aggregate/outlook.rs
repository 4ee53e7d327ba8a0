//! What the steps of an aggregator will cost, before anything is proved.
//!
//! The rows that a step's run fills decide the shape of its proof, and with it the `fft_cost` and
//! the memory of proving it. For the first step of a wrap the rows are exact: the run is made, only
//! not proved ([`RunFigures::of_proof`]). What a later step verifies does not exist yet, so the
//! rows of its run are estimated from the shape of the proof that it will verify. A join always has
//! the canonical shape; of its figures only the cycles are estimated.

use droste_gadgets::verify::whir::shape::Shape;
use droste_native::whir::WhirSettings;
use droste_native::{HashId, Poseidon16Suite};
use droste_vm::heights::{Heights, padded_log_height};
use droste_vm::machine::StandardTables;
use droste_vm::report::TableReport;
use droste_vm::tables::Table;
use serde::Serialize;

use super::aggregator::{AggregateError, MOST_STEPS, Result};
use super::shape::{least_heights, longer_rows, machine_of_r, names};
use super::step::run_leaf;
use super::{Aggregate, Aggregator, VerifiedProof};
use crate::circuit::{
    ChildShape, Children, CircuitCache, CircuitError, LeafProof, Openings, shape_of,
};
use crate::keys::{Recipe, table_cost};
use crate::resources::estimated_bytes_over_whir;

/// The figures of a run that verifies proofs, before its proof has a shape. They depend on the
/// shape and number of the proofs and on no aggregator.
#[derive(Clone, Debug)]
pub struct RunFigures {
    /// Shape of the proofs that it verifies.
    pub shape: ChildShape,
    /// Those proofs, as the recipe of its key has them.
    pub children: Children,
    /// Names of the tables of the machine that proves it, in order, and the number of rows that it
    /// needs of each.
    pub rows: Vec<(String, usize)>,
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
    /// Estimated bytes of memory that proving it needs ([`estimated_bytes_over_whir`]).
    pub memory: usize,
    /// Whether the run that decided the shape was made. `cycles`, `shape` and `fft_cost` are
    /// estimates otherwise.
    pub exact: bool,
}

impl RunFigures {
    /// Runs the verification of a proof, its openings by tables, without proving the run. The circuit
    /// is kept in `circuits`.
    ///
    /// # Errors
    /// If there is no circuit for proofs of this shape.
    pub fn of_proof<P: LeafProof>(
        circuits: &CircuitCache,
        proof: &VerifiedProof<P>,
    ) -> Result<Self> {
        let run = run_leaf(circuits, Openings::Tables, proof, vec![])?;
        Ok(Self {
            shape: proof.proof().shape(),
            children: run.circuit().children().clone(),
            rows: run.needed_rows().to_vec(),
            cycles: run.execution().cycles.len(),
            exact: true,
        })
    }

    /// Estimates the figures of the run that verifies this aggregate.
    ///
    /// # Errors
    /// If no proof has its shape.
    pub fn of_aggregate(aggregate: &Aggregate) -> Result<Self> {
        Self::estimate(aggregate.proof().shape(), 1)
    }

    /// Estimates the figures of the run that verifies `count` recursion proofs of this shape.
    fn estimate(shape: ChildShape, count: usize) -> Result<Self> {
        let permutations = count * permutations_of(&shape)?;
        let machine = machine_of_r().map_err(CircuitError::from)?;
        let tables = machine.names();
        // Constraints and messages at one point take as much whatever the permutations are. Those
        // of wide tables, which proofs of canonical shape do not have, take about half of the bound
        // on their code.
        let others = shape.tables.iter().filter(|table| !tables.contains(table));
        let constraints = 4_900
            + others
                .map(|table| table_cost(table).over_whir)
                .sum::<usize>()
                / 2;
        // Rows of each table by the permutations, as measured on joins and on steps that follow a
        // wrap.
        let cycles = constraints * count + permutations * 9 / 8;
        let rows = machine.tables().iter().map(|table| {
            use StandardTables as R;
            let rows = match table {
                R::Cpu(_) | R::Ext(_) | R::Program(_) => cycles,
                R::Blocks(_) => cycles * 4 / 3,
                R::Poseidon16(_) => permutations,
                R::PowerWeights(_) => permutations * 4 / 9,
                R::Words(_) => permutations * 2 / 5,
                _ => return Err(AggregateError::UnknownRows(table.name())),
            };
            Ok((table.name().to_owned(), rows))
        });
        Ok(Self {
            rows: rows.collect::<Result<_>>()?,
            cycles,
            children: Children::Programs {
                shape: shape.clone(),
                count,
            },
            shape,
            exact: false,
        })
    }
}

/// Estimated number of permutations with which a recursion proof of this shape is verified.
pub(crate) fn permutations_of(shape: &ChildShape) -> std::result::Result<usize, CircuitError> {
    let verifier = shape.verifier_over_whir::<StandardTables, Poseidon16Suite>()?;
    let (_, scheme) = shape_of(&verifier, &shape.log_heights)?;
    Ok(permutations(&scheme))
}

/// Number of Poseidon-16 permutations with which a proof over WHIR of this shape is verified: one
/// for each block that the transcript absorbs, and per query of the leaves and Merkle paths.
fn permutations(shape: &Shape) -> usize {
    /// Elements of one rate of the sponge, and of a challenge.
    const RATE: usize = 8;
    const EXTENSION: usize = droste_native::field::EXTENSION_DEGREE;
    let layers = shape.log_leaves;
    // Two coefficients for each round of a layer, and the four values at its end.
    let fractions = layers * (layers - 1) + 4 * layers;
    let zerocheck = shape.degree * shape.log_rows();
    let columns = shape.tables.iter().map(|table| {
        let of = [&table.main, &table.preprocessed];
        of.map(|columns| columns.order.len() + columns.next)
            .iter()
            .sum::<usize>()
    });
    let opening = &shape.opening;
    let rounds = opening.rounds.iter();
    let all = rounds.clone().map(|round| &round.queries);
    let queries = all.chain([&opening.final_queries]).map(|queries| {
        let element = if queries.base { 1 } else { EXTENSION };
        let trees = queries.trees.iter().map(|rows| {
            let path = queries.log_leaves.saturating_sub(opening.cap_height);
            (element * rows.len()).div_ceil(RATE) + path
        });
        queries.count * trees.sum::<usize>()
    });
    let sumchecks = rounds.map(|round| round.sumcheck.rounds).sum::<usize>()
        + opening.sumcheck.rounds
        + opening.final_sumcheck.rounds;
    let caps = (opening.rounds.len() + 2) << opening.cap_height;
    fractions
        + zerocheck
        + columns.sum::<usize>()
        + queries.sum::<usize>()
        + 2 * sumchecks
        + caps
        + (1 << opening.final_variables)
}

/// What proving a recursion proof of this shape takes: its `fft_cost`, and the estimated bytes of
/// memory.
fn cost_of(shape: &ChildShape) -> Result<(u64, usize)> {
    let verifier = shape.verifier_over_whir::<StandardTables, Poseidon16Suite>()?;
    let (scheme, heights) = verifier
        .shape(&shape.log_heights)
        .map_err(CircuitError::Heights)?;
    let memory = estimated_bytes_over_whir(&scheme, &heights);
    let tables = verifier.tables(&shape.log_heights);
    Ok((tables.iter().map(TableReport::fft_cost).sum(), memory))
}

impl Aggregator {
    /// What the first step of a wrap takes whose run has these figures: the wrap of a proof, or a
    /// further step of an aggregate.
    ///
    /// # Errors
    /// If the run cannot be proved.
    pub fn step_outlook(&self, run: &RunFigures) -> Result<StepOutlook> {
        let (settings, heights) = self.shape_of(&run.rows)?;
        let shape = match heights {
            Heights::Exact(_) => self.canonical_shape().map_err(CircuitError::from)?,
            _ => ChildShape {
                hash: HashId::Poseidon16,
                settings: settings.into(),
                tables: names(&run.rows),
                log_heights: least_heights(&run.rows),
                fixed: false,
            },
        };
        self.outlook(run, settings, heights, shape)
    }

    /// What a run with these figures takes if its proof has these settings and heights, and so this
    /// shape.
    fn outlook(
        &self,
        run: &RunFigures,
        settings: WhirSettings,
        heights: Heights,
        shape: ChildShape,
    ) -> Result<StepOutlook> {
        let (fft_cost, memory) = cost_of(&shape)?;
        Ok(StepOutlook {
            hash: run.shape.hash,
            children: run.children.count(),
            recipe: Recipe {
                children: run.children.clone(),
                settings,
                heights,
            },
            canonical: self.has_canonical_shape(&shape),
            cycles: run.cycles,
            fft_cost,
            memory,
            exact: run.exact,
            shape,
        })
    }

    /// The steps that bring the proof to the canonical shape, of which a run with these figures is
    /// the first. The steps after it are estimates, and so is their number.
    ///
    /// # Errors
    /// If a step cannot be proved.
    pub fn wrap_outlook(&self, run: &RunFigures) -> Result<Vec<StepOutlook>> {
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
    pub fn join_outlook(&self, children: usize) -> Result<StepOutlook> {
        let shape = self.canonical_shape().map_err(CircuitError::from)?;
        let run = RunFigures::estimate(shape.clone(), children)?;
        let heights = Heights::Exact(shape.log_heights.clone());
        self.outlook(&run, self.canonical.settings, heights, shape)
    }

    /// Everything that decides the shapes of this aggregator's proofs.
    pub(crate) fn shapes(&self) -> impl Serialize + '_ {
        (&self.canonical, &self.intermediate)
    }

    /// The recipe of the same program at the least heights that fit it, which no rows decide.
    pub(crate) fn at_minimal_heights(&self, recipe: Recipe) -> Recipe {
        // A column of the program's table lies within one row of the stack.
        let tallest = padded_log_height(recipe.children.instructions());
        let settings = if tallest <= self.intermediate.log_block {
            self.intermediate
        } else {
            longer_rows(self.intermediate, tallest)
        };
        Recipe {
            settings,
            heights: Heights::Minimal,
            ..recipe
        }
    }

    /// Whether proofs of this shape have the canonical one.
    pub fn has_canonical_shape(&self, shape: &ChildShape) -> bool {
        self.canonical.is_of(shape)
    }
}
