//! Shapes of statements: what settings, security and verifiers in circuits are computed from.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use std::fmt;

use droste_native::stark::security::{SCHWARTZ_ZIPPEL, SecurityBound, SecurityTerm};
use p3_binary_field::TowerLevel;

use crate::calls::Hash;
use crate::circuit::Circuit;
use crate::columns::LOG_COLUMNS;
use crate::field::K;
use crate::opening::{COLUMNS, Settings, SettingsError};
use crate::paths::input;
use crate::statement::PublicClaims;
use crate::trace::{LOG_ELEMENTS, circuit};
use crate::tree_hash::CHALLENGE_LOSS;
use crate::zerocheck::log_constraints;

/// Fewest calls that a trace has room for.
const MIN_CALLS: usize = 8;

/// What a statement says without its list: kind, hash and numbers. Proofs of one shape have the same
/// lengths, and a program that verifies one of them verifies all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatementShape {
    /// A list of calls.
    Calls {
        /// The hash that is called.
        hash: Hash,
        /// Number of calls.
        calls: usize,
    },
    /// Merkle paths.
    Paths {
        /// The hash of the nodes.
        hash: Hash,
        /// Levels between leaves and roots.
        depth: usize,
        /// Number of paths.
        paths: usize,
    },
    /// A graph of calls.
    Graph {
        /// The hash that is called.
        hash: Hash,
        /// Number of calls.
        calls: usize,
    },
}

impl StatementShape {
    /// The hash that is called.
    pub const fn hash(&self) -> Hash {
        match *self {
            Self::Calls { hash, .. } | Self::Paths { hash, .. } | Self::Graph { hash, .. } => hash,
        }
    }

    /// What statements of this shape are about: `calls`, `paths` or `graph`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Calls { .. } => "calls",
            Self::Paths { .. } => "paths",
            Self::Graph { .. } => "graph",
        }
    }

    /// Number of calls, without those that fill the trace up.
    pub const fn num_calls(&self) -> usize {
        match *self {
            Self::Calls { calls, .. } | Self::Graph { calls, .. } => calls,
            Self::Paths { depth, paths, .. } => depth.saturating_mul(paths),
        }
    }

    /// Base-two logarithm of the calls of the trace: those of the statement, then calls with the
    /// input [`Self::padding`].
    pub fn log_calls(&self) -> usize {
        (self.num_calls().max(MIN_CALLS) - 1).ilog2() as usize + 1
    }

    /// The input of the calls after the last one: zero, or that of a node whose children are zero.
    pub fn padding(&self) -> Vec<u8> {
        match *self {
            Self::Calls { hash, .. } | Self::Graph { hash, .. } => vec![0; hash.input_bytes()],
            Self::Paths { hash, .. } => input(hash, &[0; 32], &[0; 32]),
        }
    }

    /// Kind and hash, number of calls, and depth of paths: the first leaf of the statement's
    /// [digest](crate::statement::Statement::digest).
    pub fn numbers(&self) -> K {
        let (kind, depth) = match *self {
            Self::Calls { .. } => (0, 0),
            Self::Paths { depth, .. } => (1, depth),
            Self::Graph { .. } => (2, 0),
        };
        let numbers = u128::from(kind << 2 | self.hash().number())
            | (self.num_calls() as u128) << 32
            | (depth as u128) << 64;
        K::from_repr(numbers)
    }

    /// Settings of the commitment to the trace, with the hash's circuit.
    ///
    /// # Errors
    /// If there are none for so many calls.
    pub fn settings(&self, circuit: &Circuit) -> Result<Settings, SettingsError> {
        let variables = self.log_calls() + circuit.log_rows + LOG_ELEMENTS;
        // A column is a value of the highest variables, and so rows of a call, or a part of one.
        let columns = (circuit.used_rows * COLUMNS).div_ceil(1 << circuit.log_rows);
        Settings::with_columns(variables, columns)
    }

    /// All that can go wrong in a proof, event by event: docs/notes/binary-protocol.md derives the
    /// terms. [`SecurityBound::sum`] are the bits of a proof.
    ///
    /// # Errors
    /// If there are no settings for so many calls.
    pub fn security(&self) -> Result<SecurityBound, SettingsError> {
        let circuit = circuit(self.hash());
        let log_calls = self.log_calls();
        let constraints = circuit.log_rows - 3 + log_calls + log_constraints(&circuit);
        let forms = circuit.operands.len() + circuit.groups.len() - 1;
        let claims = PublicClaims::number(self, &circuit);
        let terms = [
            // Variables of the weights of rows and constraints.
            ("weights of constraints", constraints),
            // Degree below 128, which the verifier takes the message to have: a product's is 126.
            ("bits of words", 127),
            ("sum over rows", 3 * (log_calls + circuit.log_rows)),
            ("batch of forms", forms),
            ("sum over columns", 2 * LOG_COLUMNS),
            ("rows and next rows", 1),
            ("ring switch", 7),
            // Variables of elements and calls, and powers for the claims.
            ("inputs and outputs", LOG_ELEMENTS + log_calls + claims),
        ];
        let mut security = self.settings(&circuit)?.security();
        security
            .terms
            .extend(terms.map(|(name, degree)| SecurityTerm {
                commitment: None,
                name,
                theorem: SCHWARTZ_ZIPPEL,
                bits: 128.0 - CHALLENGE_LOSS - (degree as f64).log2(),
            }));
        Ok(security)
    }
}

impl fmt::Display for StatementShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Calls { hash, calls } => write!(f, "{calls} calls of {hash}"),
            Self::Paths { hash, depth, paths } => {
                write!(f, "{paths} paths of depth {depth} in {hash}")
            }
            Self::Graph { hash, calls } => write!(f, "a graph of {calls} calls of {hash}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::MIN_BITS;

    /// Numbers that no statement has are refused by their settings.
    #[test]
    fn too_many_calls_have_no_settings() {
        for hash in Hash::OF_GRAPHS {
            for calls in [4 * hash.max_calls(), usize::MAX] {
                let (depth, paths) = (2, calls / 2);
                for shape in [
                    StatementShape::Calls { hash, calls },
                    StatementShape::Paths { hash, depth, paths },
                    StatementShape::Graph { hash, calls },
                ] {
                    let error = shape.security().unwrap_err();
                    assert!(matches!(error, SettingsError::NumVariables { .. }));
                }
            }
        }
    }

    /// At every size that lists have.
    #[test]
    fn one_hundred_bits() {
        for hash in Hash::OF_GRAPHS {
            for log_calls in 3..=hash.max_calls().ilog2() {
                let calls = 1 << log_calls;
                let shape = StatementShape::Calls { hash, calls };
                let bits = shape.security().unwrap().sum();
                assert!(bits >= MIN_BITS, "{hash}, 2^{log_calls}");
                let settings = shape.settings(&circuit(hash)).unwrap();
                let most = settings.num_variables() == 26;
                assert_eq!(most, calls == hash.max_calls());
            }
        }
    }
}
