//! The shapes of proofs that recipes name, whose numbers are powers of two, and their keys.

use droste_binary::proof::DOMAIN;
use droste_binary::{Hash, StatementShape};
use droste_vm::key::{KeyDigest, Message};

use super::ShapeError;
use crate::circuit::{BinaryShape, CallsShape, PathsShape};
use crate::keys::{RecipeError, at_most, power};
use crate::tags::{CALLS_KEY_TAG, PATHS_KEY_TAG};

/// Logarithm of the greatest depth of paths: an index has so many bits as 2 to its power.
const MAX_LOG_DEPTH: usize = 6;

/// Logarithm of the fewest nodes or calls of a proof: the trace has room for as many.
const MIN_LOG_CALLS: usize = 3;

impl BinaryShape {
    /// The shape of proofs of statements of this shape.
    ///
    /// # Errors
    /// If no program verifies them.
    pub fn of(statement: StatementShape) -> Result<Self, ShapeError> {
        let log = |number: usize| number.max(1).ilog2() as usize;
        let hash = statement.hash().number();
        let shape = match statement {
            StatementShape::Calls { calls, .. } => Self::Calls(CallsShape {
                hash,
                log_calls: log(calls),
            }),
            StatementShape::Paths { depth, paths, .. } => Self::Paths(PathsShape {
                hash,
                log_depth: log(depth),
                log_paths: log(paths),
            }),
            StatementShape::Graph { .. } => return Err(ShapeError::Graph),
        };
        let same = shape.statement().is_ok_and(|same| same == statement);
        same.then_some(shape)
            .ok_or_else(|| ShapeError::of(statement))
    }

    /// The shape of the statements.
    ///
    /// # Errors
    /// If no program verifies proofs of this shape.
    pub fn statement(&self) -> Result<StatementShape, ShapeError> {
        let hash = self.hash().ok_or(ShapeError::Hash(self.number()))?;
        let shape = match *self {
            Self::Calls(CallsShape { log_calls, .. }) => StatementShape::Calls {
                hash,
                calls: power(log_calls),
            },
            Self::Paths(PathsShape {
                log_depth,
                log_paths,
                ..
            }) => StatementShape::Paths {
                hash,
                depth: power(log_depth),
                paths: power(log_paths),
            },
        };
        self.check()
            .map(|()| shape)
            .map_err(|_| ShapeError::of(shape))
    }

    /// Refuses shapes of which there are no proofs. Computes nothing else.
    pub(crate) fn check(&self) -> Result<(), RecipeError> {
        let hash = self.hash().ok_or(RecipeError::Malformed {
            what: "number of the bit hash",
            found: self.number().into(),
        })?;
        let (what, found) = match *self {
            Self::Calls(shape) => ("logarithm of the number of calls", shape.log_calls),
            Self::Paths(shape) => {
                let what = "logarithm of the depth of paths";
                at_most(what, shape.log_depth, MAX_LOG_DEPTH)?;
                let log_nodes = shape.log_depth.saturating_add(shape.log_paths);
                ("logarithm of the number of nodes", log_nodes)
            }
        };
        at_most(what, found, hash.max_calls().ilog2() as usize)?;
        if found >= MIN_LOG_CALLS {
            Ok(())
        } else {
            Err(RecipeError::Malformed { what, found })
        }
    }

    /// Number of the bit hash.
    const fn number(&self) -> u8 {
        match self {
            Self::Calls(shape) => shape.hash,
            Self::Paths(shape) => shape.hash,
        }
    }

    /// The bit hash, if there is one of the number.
    pub fn hash(&self) -> Option<Hash> {
        let mut all = Hash::ALL.into_iter();
        all.find(|hash| hash.number() == self.number())
    }

    /// The key of proofs of this shape in claims: the hash under [`CALLS_KEY_TAG`] or
    /// [`PATHS_KEY_TAG`] of the name of the protocol and the numbers of the shape.
    pub fn key(&self) -> KeyDigest {
        let mut message = Message::default();
        message.text(DOMAIN);
        let tag = match *self {
            Self::Calls(CallsShape { hash, log_calls }) => {
                message.numbers(&[hash.into(), log_calls]);
                CALLS_KEY_TAG
            }
            Self::Paths(PathsShape {
                hash,
                log_depth,
                log_paths,
            }) => {
                message.numbers(&[hash.into(), log_depth, log_paths]);
                PATHS_KEY_TAG
            }
        };
        KeyDigest(message.digest(tag))
    }
}
