//! What the steps of an aggregator will cost, before anything is proved.
//!
//! The rows that a step's run fills decide the shape of its proof, and with it the `fft_cost` and
//! the memory of proving it. For the first step of a wrap the rows are exact: the run is made, only
//! not proved ([`RunFigures::of_proof`]). What a later step verifies does not exist yet, so the
//! rows of its run are estimated from the shape of the proof that it will verify. A join always has
//! the canonical shape; of its figures only the cycles are estimated.

use droste_gadgets::verify::multilinear::shape::Shape;
use droste_native::{FriSettings, HashId, Poseidon16Suite};
use droste_vm::heights::Heights;
use droste_vm::report::TableReport;
use droste_vm::stack::{Stack, StackSettings};
use p3_fri::fold_schedule;
use serde::Serialize;

use super::shape::{Size, log_heights, tables_of_r, tables_of_run};
use super::step::run;
use super::{Aggregate, AggregateError, Aggregator, MOST_STEPS, VerifiedProof};
use crate::circuit::{ChildShape, Children, CircuitCache, CircuitError, LeafProof, shape_of};
use crate::keys::Recipe;
use crate::resources::{estimated_bytes, estimated_bytes_over_whir};

/// The figures of a run that verifies proofs, before its proof has a shape. They depend on the
/// shape and number of the proofs and on no aggregator.
#[derive(Clone, Debug)]
pub struct RunFigures {
    /// Shape of the proofs that it verifies.
    pub shape: ChildShape,
    /// Number of those proofs.
    pub count: usize,
    /// Names of the tables of the smallest machine that can prove it, in order, and the number of
    /// rows that it fills in each.
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
    /// Estimated bytes of memory that proving it needs ([`estimated_bytes`]).
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
    pub fn of_proof<P: LeafProof>(
        circuits: &CircuitCache,
        proof: &VerifiedProof<P>,
    ) -> Result<Self, AggregateError> {
        let run = run(circuits, &[proof.proof()], vec![])?;
        Ok(Self {
            shape: proof.proof().shape(),
            count: 1,
            rows: run.filled_rows().to_vec(),
            cycles: run.execution().cycles.len(),
            exact: true,
        })
    }

    /// Estimates the figures of the run that verifies this aggregate.
    ///
    /// # Errors
    /// If no proof has its shape.
    pub fn of_aggregate(aggregate: &Aggregate) -> Result<Self, AggregateError> {
        Self::estimate(aggregate.proof().shape(), 1)
    }

    /// Estimates the figures of the run that verifies `count` proofs in Poseidon-16 of this shape.
    fn estimate(shape: ChildShape, count: usize) -> Result<Self, AggregateError> {
        let (permutations, least) = match &shape.settings {
            StackSettings::Fri(settings) => (
                permutations(settings, &tables_of(&shape, settings)?),
                // Evaluating the constraints of wide tables is most of the program, and runs once.
                // The bound on the program's length is about twice it.
                shape.child_cost() / 2,
            ),
            StackSettings::Whir(settings) => {
                let verifier = shape.verifier_over_whir::<Poseidon16Suite>(*settings)?;
                let (_, shape) = shape_of(&verifier, &shape.log_heights)?;
                (permutations_over_whir(&shape), 0)
            }
        };
        let stack = shape.settings.stack();
        // Rows of each table by the permutations, as measured on joins and on steps that follow a
        // wrap.
        let (permutations, instructions) = (count * permutations, count * least);
        let tables = tables_of_r(stack).map_err(CircuitError::from)?;
        let cycles = match stack {
            Stack::Fri => (permutations * 13 / 7).max(instructions),
            // Constraints and messages at one point take as much whatever the permutations are.
            Stack::Whir => 4_900 * count + permutations * 9 / 8,
        };
        let rows = tables.into_iter().map(|name| {
            let rows = match (stack, name.as_str()) {
                (_, "cpu") | (Stack::Whir, "ext" | "program") => cycles,
                (Stack::Fri, "program") => permutations.max(instructions),
                (Stack::Fri, "blocks") => permutations * 12 / 5,
                (Stack::Fri, "ext") => permutations * 2,
                (Stack::Whir, "blocks") => cycles * 4 / 3,
                (Stack::Whir, "power_weights") => permutations * 4 / 9,
                (Stack::Whir, "words") => permutations * 2 / 5,
                _ => permutations,
            };
            (name, rows)
        });
        Ok(Self {
            rows: rows.collect(),
            cycles,
            shape,
            count,
            exact: false,
        })
    }
}

/// Number of Poseidon-16 permutations with which a proof over WHIR of this shape is verified: one
/// for each block that the transcript absorbs, and per query of the leaves and Merkle paths.
fn permutations_over_whir(shape: &Shape) -> usize {
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

/// What proving a proof of this shape in Poseidon-16 takes: its `fft_cost`, and the estimated bytes
/// of memory.
fn cost_of(shape: &ChildShape) -> Result<(u64, usize), AggregateError> {
    match &shape.settings {
        StackSettings::Fri(settings) => {
            let tables = tables_of(shape, settings)?;
            let fft_cost = tables.iter().map(TableReport::fft_cost).sum();
            Ok((fft_cost, estimated_bytes(&tables, settings)))
        }
        StackSettings::Whir(settings) => {
            let verifier = shape.verifier_over_whir::<Poseidon16Suite>(*settings)?;
            let (scheme, heights) = verifier
                .shape(&shape.log_heights)
                .map_err(CircuitError::Heights)?;
            let memory = estimated_bytes_over_whir(&scheme, heights.log_leaves());
            let tables = verifier.tables(&shape.log_heights);
            let fft_cost = tables.iter().map(TableReport::fft_cost).sum();
            Ok((fft_cost, memory))
        }
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

/// The tables of proofs over FRI in Poseidon-16 of this shape.
fn tables_of(
    shape: &ChildShape,
    settings: &FriSettings,
) -> Result<Vec<TableReport>, AggregateError> {
    let verifier = shape.verifier::<Poseidon16Suite>(*settings)?;
    let (tables, _) = verifier
        .shape(&shape.log_heights)
        .map_err(CircuitError::from)?;
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
        let tables = match settings.stack() {
            Stack::Fri => run.rows.iter().map(|(name, _)| name.clone()).collect(),
            Stack::Whir => tables_of_run(Stack::Whir, &run.rows).map_err(CircuitError::from)?,
        };
        let shape = ChildShape {
            hash: HashId::Poseidon16,
            settings,
            tables,
            log_heights: log_heights(&settings, &heights, &run.rows),
            fixed: heights != Heights::Minimal,
        };
        let (fft_cost, memory) = cost_of(&shape)?;
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
        let shape = self.canonical_shape().map_err(CircuitError::from)?;
        let (fft_cost, memory) = cost_of(&shape)?;
        let estimate = RunFigures::estimate(shape.clone(), children)?;
        Ok(StepOutlook {
            hash: HashId::Poseidon16,
            children,
            recipe,
            canonical: true,
            cycles: estimate.cycles,
            fft_cost,
            memory,
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
            settings: self.intermediate.into(),
            heights: Heights::Minimal,
            ..recipe
        }
    }

    /// Whether proofs of this shape have the canonical one.
    pub fn has_canonical_shape(&self, shape: &ChildShape) -> bool {
        self.canonical.is_of(shape)
    }
}
