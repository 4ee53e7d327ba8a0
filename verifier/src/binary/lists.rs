//! Lists of Merkle paths and calls by their shapes, which recipes name.

use droste_binary::paths::{MerklePaths, Path};
use droste_binary::proof::DOMAIN;
use droste_binary::statement::Statement;
use droste_binary::{Hash, HashCalls};
use droste_vm::key::{KeyDigest, Message};

use super::ShapeError;
use crate::circuit::{BinaryShape, CallsShape, PathsShape};
use crate::keys::power;
use crate::tags::{CALLS_KEY_TAG, PATHS_KEY_TAG};

impl PathsShape {
    /// The shape of proofs about these paths.
    ///
    /// # Errors
    /// If there is none.
    pub fn of(paths: &MerklePaths) -> Result<Self, ShapeError> {
        let (count, depth) = (paths.paths().len(), paths.depth());
        let shape = Self {
            hash: paths.hash().number(),
            log_depth: depth.max(1).ilog2() as usize,
            log_paths: count.max(1).ilog2() as usize,
        };
        let powers = depth.is_power_of_two() && count.is_power_of_two();
        if powers && shape.check().is_ok() {
            Ok(shape)
        } else {
            Err(ShapeError::Numbers {
                paths: count,
                depth,
            })
        }
    }

    /// Paths of this shape, of zeros.
    fn any(&self) -> Result<MerklePaths, ShapeError> {
        let hash = self.hash().filter(|_| self.check().is_ok());
        let (paths, depth) = (power(self.log_paths), power(self.log_depth));
        let any = Path {
            leaf: [0; 32],
            index: 0,
            root: [0; 32],
        };
        hash.and_then(|hash| MerklePaths::new(hash, depth, vec![any; paths]).ok())
            .ok_or(ShapeError::Numbers { paths, depth })
    }

    /// The key of proofs of this shape in claims: the hash under [`PATHS_KEY_TAG`] of the name of
    /// the protocol and the numbers of the shape.
    pub fn key(&self) -> KeyDigest {
        let mut message = Message::default();
        message.text(DOMAIN);
        message.numbers(&[self.hash.into(), self.log_depth, self.log_paths]);
        KeyDigest(message.digest(PATHS_KEY_TAG))
    }
}

impl CallsShape {
    /// The shape of proofs about these calls.
    ///
    /// # Errors
    /// If there is none.
    pub fn of(calls: &HashCalls) -> Result<Self, ShapeError> {
        let count = calls.len();
        let shape = Self {
            hash: calls.hash().number(),
            log_calls: count.max(1).ilog2() as usize,
        };
        if count.is_power_of_two() && shape.check().is_ok() {
            Ok(shape)
        } else {
            Err(ShapeError::Calls {
                calls: count,
                most: calls.hash().max_calls(),
            })
        }
    }

    /// Calls of this shape, of zeros, which no proof is about.
    fn any(&self) -> Result<HashCalls, ShapeError> {
        let hash = self.hash();
        let most = hash.map_or(0, Hash::max_calls);
        let hash = hash.filter(|_| self.check().is_ok());
        let calls = power(self.log_calls);
        let any = hash.and_then(|hash| {
            let (input, output) = (vec![0; hash.input_bytes()], vec![0; hash.output_bytes()]);
            HashCalls::new(hash, std::iter::repeat_n((input, output), calls)).ok()
        });
        any.ok_or(ShapeError::Calls { calls, most })
    }

    /// The key of proofs of this shape in claims: the hash under [`CALLS_KEY_TAG`] of the name of
    /// the protocol and the numbers of the shape.
    pub fn key(&self) -> KeyDigest {
        let mut message = Message::default();
        message.text(DOMAIN);
        message.numbers(&[self.hash.into(), self.log_calls]);
        KeyDigest(message.digest(CALLS_KEY_TAG))
    }
}

impl BinaryShape {
    /// The shape of proofs about this list.
    ///
    /// # Errors
    /// If there is none.
    pub fn of<'a>(list: impl Into<Statement<'a>>) -> Result<Self, ShapeError> {
        Ok(match list.into() {
            Statement::Paths(paths) => Self::Paths(PathsShape::of(paths)?),
            Statement::Calls(calls) => Self::Calls(CallsShape::of(calls)?),
            Statement::Graph(_) => return Err(ShapeError::Graph),
        })
    }

    /// The key of proofs of this shape in claims.
    pub fn key(&self) -> KeyDigest {
        match self {
            Self::Paths(shape) => shape.key(),
            Self::Calls(shape) => shape.key(),
        }
    }
}

/// Some list of a shape.
pub(crate) enum AnyList {
    Paths(MerklePaths),
    Calls(HashCalls),
}

impl AnyList {
    /// Of this shape.
    ///
    /// # Errors
    /// If there is none.
    pub fn new(shape: BinaryShape) -> Result<Self, ShapeError> {
        Ok(match shape {
            BinaryShape::Paths(shape) => Self::Paths(shape.any()?),
            BinaryShape::Calls(shape) => Self::Calls(shape.any()?),
        })
    }

    /// As a statement.
    pub const fn statement(&self) -> Statement<'_> {
        match self {
            Self::Paths(paths) => Statement::Paths(paths),
            Self::Calls(calls) => Statement::Calls(calls),
        }
    }
}
