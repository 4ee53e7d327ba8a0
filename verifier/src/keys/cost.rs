//! Estimates what deriving a key costs from its recipe, before anything is generated.
//!
//! The unit is about the cost of one instruction of a short program: some 6 us of CPU time under
//! the development profile, and half a KB of memory. The program has a copy of the checking code
//! per child, so instructions are counted per child. Constraint evaluators are generated once. A
//! program is committed to at the height that its recipe says. The constants are measured on the
//! recursion programs and rounded up; tests compare the estimates with generated programs.

use droste_native::whir::{MAX_ROW_VARIABLES, WhirSettings};
use droste_native::{FriSettings, HashId};
use droste_vm::heights::Heights;
use droste_vm::machine::{MachineTables, StandardTables, program_entry};
use droste_vm::stack::StackSettings;
use droste_vm::tables::{Table, VerifierCost};

use super::recipe::Recipe;
use crate::circuit::{ChildShape, Children};

/// Number of rows of a commitment, after extension by the blowup, that cost as much as one
/// instruction.
const ROWS: usize = 32;

/// Commitments over FRI beside one to a folded codeword per round: to main, preprocessed, lookup and
/// quotient columns.
const COMMITMENTS: usize = 4;

/// Instructions per child for each coefficient of the final polynomial, and for each query.
const COEFFICIENT: usize = 13;
const QUERY: usize = 6;

/// Instructions per child over WHIR: for any shape, for each variable of the stack, for each digest
/// of a cap, for each element of a later leaf, for each query, and for each coefficient of the
/// final polynomial in each of the last queries.
const WHIR_CHILD: usize = 4_000;
const WHIR_VARIABLE: usize = 400;
const WHIR_DIGEST: usize = 8;
const WHIR_LEAF: usize = 60;
const WHIR_QUERY: usize = 40;
const WHIR_COEFFICIENT: usize = 4;

/// Instructions of the program that verifies a proof about Merkle paths or calls, at most.
const BINARY_PROGRAM: usize = 200_000;

/// Instructions that verify openings in a batch: for any shape, and for each digest of a cap.
const OPENINGS: usize = 300_000;
const OPENINGS_DIGEST: usize = 64;

/// How many times as many instructions over WHIR a hash takes, at most.
const fn whir_factor(hash: HashId) -> usize {
    match hash {
        HashId::Poseidon16 => 1,
        HashId::Poseidon2 => 2,
        HashId::Blake3 | HashId::Keccak => 4,
    }
}

/// What a table of this name adds to a program. A shape of the standard machine that names another
/// table is refused before anything is generated; the deriver adds what those of other machines
/// take.
pub(crate) fn table_cost(name: &str) -> VerifierCost {
    let tables = StandardTables::precompile_tables();
    let named = tables.iter().find(|table| table.name() == name);
    named.map_or_else(VerifierCost::default, Table::verifier_cost)
}

/// Instructions per child for its commitments in a hash.
struct HashCost {
    /// For any shape.
    child: usize,
    /// Per folding round.
    round: usize,
    /// Per distinct height of tables.
    height: usize,
    /// Per 16 digests of a commitment's cap.
    digests: usize,
}

const fn hash_cost(hash: HashId) -> HashCost {
    let (child, round, height, digests) = match hash {
        HashId::Poseidon16 => (600, 60, 100, 4),
        HashId::Poseidon2 => (600, 60, 100, 4),
        HashId::Blake3 => (11_000, 1_500, 1_000, 256),
        HashId::Keccak => (12_500, 1_900, 1_200, 432),
    };
    HashCost {
        child,
        round,
        height,
        digests,
    }
}

/// `2^log`, saturating.
pub(crate) fn power(log: usize) -> usize {
    match u32::try_from(log) {
        Ok(log) => 1_usize.checked_shl(log).unwrap_or(usize::MAX),
        Err(_) => usize::MAX,
    }
}

impl ChildShape {
    /// Instructions that check one child, at most.
    fn child_cost(&self) -> usize {
        match &self.settings {
            StackSettings::Fri(settings) => self.cost_over_fri(settings),
            StackSettings::Whir(settings) => self.cost_over_whir(settings),
        }
    }

    /// Instructions of the verifier of one proof over WHIR, at most. The number of queries depends
    /// little on the number of the stack's rows, so the largest is taken.
    fn cost_over_whir(&self, settings: &WhirSettings) -> usize {
        let schedules = (1..=MAX_ROW_VARIABLES).filter_map(|rows| settings.schedule(rows).ok());
        let queries = schedules.map(|schedule| {
            let steps = schedule.commitments();
            let last = schedule.folded.last().map_or(0, |step| step.queries);
            let all = steps.fold(0_usize, |sum, step| sum.saturating_add(step.queries));
            let coefficients = power(schedule.final_variables).saturating_mul(last);
            (all, coefficients)
        });
        let (queries, coefficients) = queries.max().unwrap_or((0, 0));
        let tables = self.tables.iter().map(|name| table_cost(name).over_whir);
        let rows = settings.log_block.saturating_add(MAX_ROW_VARIABLES);
        let parts = [
            WHIR_CHILD,
            rows.saturating_mul(WHIR_VARIABLE),
            power(settings.cap_height).saturating_mul(WHIR_DIGEST),
            power(settings.later_fold).saturating_mul(WHIR_LEAF),
            queries.saturating_mul(WHIR_QUERY),
            coefficients.saturating_mul(WHIR_COEFFICIENT),
        ];
        let parts = parts.map(|part| part.saturating_mul(whir_factor(self.hash)));
        tables.chain(parts).fold(0, usize::saturating_add)
    }

    /// The number of distinct heights, and of folding rounds, at most.
    fn heights_and_rounds(&self, settings: &FriSettings) -> (usize, usize) {
        let mut heights = self.log_heights.clone();
        heights.sort_unstable();
        heights.dedup();
        let tallest = heights.last().copied().unwrap_or_default();
        // A folding round ends at every height, so there are at most this many rounds.
        let rounds = tallest
            .saturating_add(settings.log_blowup)
            .div_ceil(settings.max_log_arity.max(1))
            .saturating_add(heights.len());
        (heights.len(), rounds)
    }

    /// Instructions that verify the openings of one child in a batch, at most.
    fn openings_cost(&self) -> usize {
        let StackSettings::Fri(settings) = &self.settings else {
            return 0;
        };
        let (_, rounds) = self.heights_and_rounds(settings);
        let digests = rounds
            .saturating_add(COMMITMENTS)
            .saturating_mul(power(settings.cap_height));
        digests
            .saturating_mul(OPENINGS_DIGEST)
            .saturating_add(OPENINGS)
    }

    fn cost_over_fri(&self, settings: &FriSettings) -> usize {
        let (heights, rounds) = self.heights_and_rounds(settings);
        let commitments = rounds.saturating_add(COMMITMENTS);
        let hash = hash_cost(self.hash);
        let tables = self.tables.iter().map(|name| table_cost(name).over_fri);
        let parts = [
            hash.child,
            rounds.saturating_mul(hash.round),
            heights.saturating_mul(hash.height),
            commitments
                .saturating_mul(hash.digests)
                .saturating_mul(power(settings.cap_height).div_ceil(16)),
            power(settings.log_final_poly_len).saturating_mul(COEFFICIENT),
            settings.num_queries.saturating_mul(QUERY),
        ];
        tables.chain(parts).fold(0, usize::saturating_add)
    }

    /// Work that is done once for all children, to generate the evaluators.
    fn evaluators_cost(&self) -> usize {
        let tables = self.tables.iter().map(|name| table_cost(name).evaluator);
        tables.fold(0, usize::saturating_add)
    }
}

impl Children {
    /// Number of instructions of the program, at most; 0 if it verifies proofs of AIRs, which was
    /// generated when the caller gave the AIRs.
    pub(crate) fn instructions(&self) -> usize {
        match self {
            Self::Programs { shape, count } => shape.child_cost().saturating_mul(*count),
            Self::OwnMachine { shape, .. } => shape.child_cost(),
            Self::Opened { shape } => shape.child_cost().saturating_add(shape.openings_cost()),
            Self::Airs { .. } | Self::OpenedAirs { .. } => 0,
            Self::Paths(_) | Self::Calls(_) => BINARY_PROGRAM,
        }
    }

    /// Estimated cost of generating and compiling the program, in instructions of a short one.
    pub(super) fn cost(&self) -> usize {
        let once = match self {
            Self::Programs { shape, .. }
            | Self::OwnMachine { shape, .. }
            | Self::Opened { shape } => shape.evaluators_cost(),
            Self::Airs { .. } | Self::OpenedAirs { .. } | Self::Paths(_) | Self::Calls(_) => 0,
        };
        self.instructions().saturating_add(once)
    }
}

impl Recipe {
    /// Estimated cost of deriving the key, in instructions of a short program.
    pub fn cost(&self) -> usize {
        let rows = match &self.heights {
            Heights::Minimal => power(self.children.instructions().max(1).ilog2() as usize + 1),
            Heights::Uniform(log_height) => power(*log_height),
            // No machine has fewer tables, so deriving fails before anything is committed to.
            Heights::Exact(log_heights) => program_entry(log_heights).map_or(1, |&log| power(log)),
        };
        // A row of the stack is committed to whole, and the columns of the program take a few.
        let rows = rows.max(power(self.settings.log_block));
        let rows = rows.saturating_mul(power(self.settings.log_blowup));
        self.children.cost().saturating_add(rows / ROWS)
    }
}
