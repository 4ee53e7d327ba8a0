//! Runs tasks.

use std::sync::Arc;

use droste_native::stark::security::Preset;
use droste_vm::stack::{self, RunProof};
use thiserror::Error;

use super::{Input, Kind, LeafError, Name, Source, Task};
use crate::aggregate::{Aggregate, AggregateError, Aggregator, Step, VerifiedProof};
use crate::circuit::{LeafProof, with_proof};
use crate::claim::AcceptedLeaves;
use crate::file::{self, FileError};
use crate::keys::Deriver;

/// Why a task was not done.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum WorkError {
    /// There are more or fewer inputs than the task takes.
    #[error("{found} inputs were given, expected {expected}")]
    InputCount {
        /// Number of inputs that the task takes.
        expected: usize,
        /// Number of inputs given.
        found: usize,
    },
    /// An input is not what the task takes.
    #[error("input {input} of the task")]
    Input {
        /// Index of the input, from 0.
        input: usize,
        /// What is wrong with it.
        source: InputError,
    },
    /// The step cannot be made.
    Step(#[from] AggregateError),
    /// The result is not what the plan says, so the plan is not one that a planner made.
    #[error("the result proves other leaves than the plan says")]
    Leaves,
    /// The result cannot be written.
    Encode(#[from] FileError),
}

/// Why bytes are not the input that a task takes.
#[derive(Debug, Error)]
pub enum InputError {
    /// The file of a leaf is not the one that was planned.
    #[error("the leaf is {found}, expected {expected}: it changed after it was planned")]
    Changed {
        /// Name of the planned leaf.
        expected: Name,
        /// Name of the bytes.
        found: Name,
    },
    /// The bytes are no proof or aggregate, or not a valid one.
    #[error(transparent)]
    Leaf(#[from] LeafError),
    /// It is valid, but its tree has a weaker proof than planned.
    #[error("its tree has a proof of {found} proven bits, expected at least {expected} as planned")]
    Security {
        /// Planned bits.
        expected: usize,
        /// Bits of the weakest proof.
        found: usize,
    },
    /// It is valid, but does not have the canonical shape.
    #[error("it does not have the canonical shape, expected that of the results of the plan")]
    Shape,
    /// It is valid, but proves something else than planned.
    #[error("it proves other keys or statements than planned")]
    Leaves,
}

/// The result of a task.
#[derive(Debug)]
pub struct Product {
    /// The file of the aggregate.
    pub bytes: Vec<u8>,
    /// Figures of the steps that made it.
    pub steps: Vec<Step>,
}

/// Runs the tasks of plans of one preset and arity. Circuits that its tasks compiled and
/// keys that it derived are kept for further tasks.
#[derive(Debug)]
pub struct Worker {
    aggregator: Aggregator,
    deriver: Arc<Deriver>,
}

impl Worker {
    /// A worker that derives keys by `deriver`.
    pub fn new(preset: Preset, arity: usize, deriver: Arc<Deriver>) -> Self {
        Self::of(Aggregator::for_preset(preset, arity), deriver)
    }

    pub(super) const fn of(aggregator: Aggregator, deriver: Arc<Deriver>) -> Self {
        Self {
            aggregator,
            deriver,
        }
    }

    /// Runs a task: decodes and verifies its inputs natively, makes its steps and encodes the
    /// result.
    ///
    /// # Errors
    /// If an input is not what the task takes, or a step cannot be made.
    pub fn run(&self, task: &Task, inputs: &[Vec<u8>]) -> Result<Product, WorkError> {
        let expected = match task.kind {
            Kind::Join => task.inputs.len(),
            Kind::Wrap | Kind::FirstStep | Kind::ToCanonical => 1,
        };
        if task.inputs.len() != expected || inputs.len() != expected {
            let found = inputs.len();
            return Err(WorkError::InputCount { expected, found });
        }
        let given = task.inputs.iter().zip(inputs).enumerate();
        let accept = |(index, (input, bytes)): (usize, (&Input, &Vec<u8>))| {
            self.accept(input, bytes)
                .map_err(|source| WorkError::Input {
                    input: index,
                    source,
                })
        };
        let made = match task.kind {
            Kind::Join => {
                let children = given.map(accept).collect::<Result<Vec<_>, _>>()?;
                self.aggregator.join(children)?
            }
            Kind::ToCanonical => {
                let children = given.map(accept).collect::<Result<Vec<_>, _>>()?;
                let child = children.into_iter().next().ok_or(AggregateError::Empty)?;
                self.aggregator.to_canonical_shape(child)?
            }
            Kind::Wrap | Kind::FirstStep => {
                let first = task.inputs.first().zip(inputs.first());
                let (input, bytes) = first.ok_or(AggregateError::Empty)?;
                self.wrap(task.kind, input, bytes)?
            }
        };
        if Name::of_leaves(&made.tree().leaves()) != task.leaves {
            return Err(WorkError::Leaves);
        }
        self.deriver.learn(made.keys());
        Ok(Product {
            bytes: file::encode(&made)?,
            steps: made.steps().to_vec(),
        })
    }

    /// Decodes an aggregate that is an input of a task, or the root of a plan, and verifies it
    /// natively under derived recursion keys. It must prove the planned leaves.
    ///
    /// # Errors
    /// Why the bytes are not this input.
    pub fn accept(&self, input: &Input, bytes: &[u8]) -> Result<Aggregate, InputError> {
        check_name(input, bytes)?;
        let aggregate = file::decode(bytes).map_err(LeafError::from)?;
        // What is cheap to find out comes first.
        if Name::of_leaves(&aggregate.tree.leaves()) != input.leaves {
            return Err(InputError::Leaves);
        }
        // Its leaves were just compared with the plan's.
        let aggregate = aggregate.derive(&self.deriver, &AcceptedLeaves::Any);
        let aggregate = aggregate.map_err(LeafError::from)?;
        let (expected, found) = (input.bits, aggregate.accepted().bits);
        if found < expected {
            Err(InputError::Security { expected, found })
        } else {
            Ok(aggregate)
        }
    }

    /// Like [`Self::accept`], for the result of a task. It must have the canonical shape unless the
    /// task is a first step, or the tasks that take it would fail.
    ///
    /// # Errors
    /// Why the bytes are not a result of this task.
    pub fn accept_result(&self, task: &Task, bytes: &[u8]) -> Result<Aggregate, InputError> {
        let result = Input {
            // Which task of the plan it is does not matter.
            source: Source::Task(0),
            name: task.name,
            leaves: task.leaves,
            bits: task.bits,
        };
        let aggregate = self.accept(&result, bytes)?;
        if task.kind == Kind::FirstStep || self.aggregator.is_canonical(aggregate.proof()) {
            Ok(aggregate)
        } else {
            Err(InputError::Shape)
        }
    }

    fn wrap(&self, kind: Kind, input: &Input, bytes: &[u8]) -> Result<Aggregate, WorkError> {
        let refused = |source| WorkError::Input { input: 0, source };
        check_name(input, bytes).map_err(refused)?;
        if file::fold::is_fold(bytes) {
            let fold = file::fold::decode(bytes).map_err(LeafError::from);
            let proof = fold.map_err(|error| refused(error.into()))?.proof;
            return self.wrap_proof(kind, &verified(input, proof).map_err(refused)?);
        }
        let hash = stack::hash_of(bytes).map_err(LeafError::from);
        let hash = hash.map_err(|error| refused(error.into()))?;
        with_proof!(stack::stack_of(bytes), hash, P => {
            let proof = P::decode(bytes).map_err(LeafError::from);
            let proof = proof.map_err(|error| refused(error.into()))?;
            self.wrap_proof(kind, &verified(input, proof).map_err(refused)?)
        })
    }

    fn wrap_proof<P: LeafProof>(
        &self,
        kind: Kind,
        proof: &VerifiedProof<P>,
    ) -> Result<Aggregate, WorkError> {
        Ok(match kind {
            Kind::FirstStep => self.aggregator.first_step(proof)?,
            _ => self.aggregator.wrap(proof)?,
        })
    }
}

/// Verifies the proof of a program or of a fold's rule. The plan says which key and which statement
/// it must have.
fn verified<P: LeafProof>(input: &Input, proof: P) -> Result<VerifiedProof<P>, InputError> {
    if Name::of_leaves(&[(proof.key().digest(), proof.statement())]) != input.leaves {
        return Err(InputError::Leaves);
    }
    Ok(VerifiedProof::under_its_own_key(proof).map_err(LeafError::from)?)
}

/// Checks that the bytes of a leaf are the planned ones. The bytes of a task's result are not known
/// in advance.
fn check_name(input: &Input, bytes: &[u8]) -> Result<(), InputError> {
    if matches!(input.source, Source::Task(_)) {
        return Ok(());
    }
    let (expected, found) = (input.name, Name::of_leaf(bytes));
    if found == expected {
        Ok(())
    } else {
        Err(InputError::Changed { expected, found })
    }
}
