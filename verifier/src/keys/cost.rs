//! What deriving a key costs, told from its recipe before anything is generated.
//!
//! The unit is about an instruction of a short program: some 6 us of a processor's time under the
//! development profile, and half a KB of memory. Each child has its own copy of the code that checks
//! it, so that instructions count by child; evaluators of constraints are generated once; and a program
//! is committed to at the height that its recipe says. Numbers are those of the recursion programs as
//! they are, rounded up: tests hold them against generated programs.

use droste_native::HashId;
use droste_vm::heights::Heights;

use super::recipe::{ChildShape, Children, Recipe};

/// Most that deriving one list of keys may cost, by [`Recipe::cost`].
pub const MAX_COST: usize = 1 << 22;

/// Rows of a commitment, extended by the blowup, that cost as much as an instruction.
const ROWS: usize = 32;

/// Code of one child for a final polynomial's coefficient, and for a query.
const COEFFICIENT: usize = 13;
const QUERY: usize = 6;

/// What one table of the children adds.
struct TableCost {
    /// To the code of each child: its constraints and its columns.
    child: usize,
    /// To the work that is done once: shortening the evaluator of its constraints.
    evaluator: usize,
}

/// Tables of thousands of columns take seconds, whatever else there is.
fn table_cost(name: &str) -> TableCost {
    let (child, evaluator) = match name {
        "blake3" => (150_000, 500_000),
        "keccak" => (130_000, 900_000),
        "limbs" | "blake3_calls" | "keccak_calls" => (8_000, 20_000),
        "ext" | "poseidon16" => (2_600, 8_000),
        _ => (350, 2_000),
    };
    TableCost { child, evaluator }
}

/// Code of one child for its commitments in a hash.
struct HashCost {
    /// Whatever its shape.
    child: usize,
    /// For a folding round.
    round: usize,
    /// For a height of tables.
    height: usize,
    /// For 16 digests of a commitment's cap.
    digests: usize,
}

const fn hash_cost(hash: HashId) -> HashCost {
    let (child, round, height, digests) = match hash {
        HashId::Poseidon16 => (600, 60, 100, 4),
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

/// `2^log`, or as much as there is.
fn power(log: usize) -> usize {
    match u32::try_from(log) {
        Ok(log) => 1_usize.checked_shl(log).unwrap_or(usize::MAX),
        Err(_) => usize::MAX,
    }
}

impl ChildShape {
    /// Code of one child.
    fn child_cost(&self) -> usize {
        let settings = &self.settings;
        let mut heights = self.log_heights.clone();
        heights.sort_unstable();
        heights.dedup();
        let tallest = heights.last().copied().unwrap_or_default();
        // Folding ends at every height.
        let rounds = tallest
            .saturating_add(settings.log_blowup)
            .div_ceil(settings.max_log_arity.max(1))
            .saturating_add(heights.len());
        // Main, preprocessed, look-up and quotient columns, and a folded codeword each.
        let commitments = rounds.saturating_add(4);
        let hash = hash_cost(self.hash);
        let tables = self.tables.iter().map(|name| table_cost(name).child);
        let parts = [
            hash.child,
            rounds.saturating_mul(hash.round),
            heights.len().saturating_mul(hash.height),
            commitments
                .saturating_mul(hash.digests)
                .saturating_mul(power(settings.cap_height).div_ceil(16)),
            power(settings.log_final_poly_len).saturating_mul(COEFFICIENT),
            settings.num_queries.saturating_mul(QUERY),
        ];
        tables.chain(parts).fold(0, usize::saturating_add)
    }

    /// Work that is done once for all children.
    fn evaluators_cost(&self) -> usize {
        let tables = self.tables.iter().map(|name| table_cost(name).evaluator);
        tables.fold(0, usize::saturating_add)
    }
}

impl Recipe {
    /// About what deriving the key costs, in instructions of a short program.
    pub fn cost(&self) -> usize {
        let (instructions, once) = match &self.children {
            Children::Programs { shape, count } => (
                shape.child_cost().saturating_mul(*count),
                shape.evaluators_cost(),
            ),
            // The program is at hand.
            Children::Airs { .. } => (0, 0),
        };
        let rows = match &self.heights {
            Heights::Minimal => power(instructions.max(1).ilog2() as usize + 1),
            Heights::Uniform(log_height) => power(*log_height),
            Heights::Exact(log_heights) => match &log_heights[..] {
                [.., program, _words, _blocks] => power(*program),
                // Of no machine: nothing is committed to.
                _ => 1,
            },
        };
        let rows = rows.saturating_mul(power(self.settings.log_blowup));
        instructions
            .saturating_add(once)
            .saturating_add(rows / ROWS)
    }
}
