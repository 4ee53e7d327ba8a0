//! A verifier of the proofs of one key, as `droste_vm::whir` defines it: a contract, and others
//! that evaluate constraints for it.
//!
//! The verifier has one function, `verify(bytes32 statement, bytes proof)`. It returns `true`, or
//! reverts with the error `Refused(uint256 phase)`. The statement is the text of its eight
//! elements, canonical integers of four bytes, low ones first, as keys and claims are printed. The
//! proof is what [`crate::calldata::encode`] makes.
//!
//! Nothing of the contracts can be changed, and they have no state. The addresses of the evaluators
//! are constants of the verifier. They can be known before anything is deployed
//! ([`deploy::create2`]).

pub mod deploy;
pub(crate) mod start;

use std::collections::BTreeMap;

use droste_native::field::EXTENSION_DEGREE;
use droste_native::hash::keccak::Keccak256;
use droste_native::whir::Scheme;
use droste_native::{EF, F, KeccakSuite};
use droste_vm::machine::StandardTables;
use droste_vm::tables::Table;
use droste_vm::verifier::VerifyError;
use droste_vm::whir::system::{Shape, System};
use droste_vm::whir::zerocheck::Opened;
use droste_vm::whir::{self, Key};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use thiserror::Error;

use crate::assembler::{Assembler, AssemblerError, Code, Expr, Op, Word, load};
use crate::constraints::{ConstraintsError, word};
use crate::field::{self, ELEMENT_BYTES, PACKED_BYTES};
use crate::merkle::DIGEST_BYTES;
use crate::opening::{self, ClaimShape, NONCE_BYTES, Opening, UnsupportedOpening};
use crate::phase::Phase;
use crate::transcript::{self, Transcript};
use crate::zerocheck::{self, Evaluator, Zerocheck};
use crate::{gkr, rows};

/// The signature of the verifier's function.
pub const SIGNATURE: &str = "verify(bytes32,bytes)";

/// The signature of its error.
pub const ERROR: &str = "Refused(uint256)";

/// Most bytes that the code of a contract may have (EIP-170).
pub const MAX_CODE: usize = 24_576;

/// The number of the contract that evaluates a table, if one does.
const fn evaluator(table: &StandardTables) -> Option<u8> {
    use StandardTables::{Blocks, Cpu, Ext, Poseidon16, PowerWeights, Program, Words};
    match table {
        Cpu(_) | Ext(_) | PowerWeights(_) | Program(_) | Words(_) | Blocks(_) => Some(0),
        Poseidon16(_) => Some(1),
        _ => None,
    }
}

/// Why there are no contracts for a key.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum ContractError {
    /// There are no proofs of these heights.
    Verify(#[from] VerifyError),
    /// Openings that no contract verifies.
    Opening(#[from] UnsupportedOpening),
    /// Tables that no contract evaluates.
    Constraints(#[from] ConstraintsError),
    /// Code that cannot be assembled.
    Assembler(#[from] AssemblerError),
    /// A table of the machine for which contracts are not made.
    #[error("contracts do not evaluate table {0}: the key must be one of the recursion machine")]
    Table(&'static str),
    /// A commitment to the program that is more than the root of a tree.
    #[error("the commitment to the program has {0} digests, expected 1")]
    Program(usize),
    /// A contract that cannot be deployed.
    #[error("the code has {0} bytes, expected at most {MAX_CODE}")]
    Code(usize),
    /// There are not as many lists of opened values as claims about them.
    #[error("there are {found} lists of opened values, expected {expected}: one for each claim")]
    Claims {
        /// Number of claims.
        expected: usize,
        /// Number of lists.
        found: usize,
    },
    /// There are not as many addresses as evaluators.
    #[error("{found} addresses of evaluators were given, expected {expected}")]
    Addresses {
        /// Number of evaluators.
        expected: usize,
        /// Number of addresses.
        found: usize,
    },
    /// A constant of a contract that is out of its range.
    #[error("{what} is {found}, expected {least} to {most}")]
    Range {
        /// What the constant is.
        what: &'static str,
        /// The constant.
        found: u64,
        /// The least that it may be.
        least: u64,
        /// The most that it may be.
        most: u64,
    },
    /// One block of a state cannot be two roots.
    #[error("the old root and the new root are both block {0} of the state, expected two blocks")]
    SameBlock(usize),
}

/// The first four bytes of the digest of a signature.
pub fn selector(signature: &str) -> u32 {
    let [a, b, c, d, ..] = Keccak256.hash(signature.as_bytes());
    u32::from_be_bytes([a, b, c, d])
}

/// Places in memory.
#[derive(Clone, Copy, Debug)]
struct Places {
    /// Number of the phase.
    phase: u64,
    /// Constants that are kept: of the field, and of sums of leaves.
    constants: u64,
    masks: u64,
    /// The buffer of the transcript.
    buffer: u64,
    gkr: gkr::Memory,
    zerocheck: zerocheck::Memory,
    opening: opening::Memory,
}

/// Places in the calldata.
#[derive(Clone, Copy, Debug, Default)]
struct Inputs {
    root: u64,
    outside: u64,
    lookup_nonce: u64,
    fractions: u64,
    zerocheck: u64,
    opening: u64,
    digests: u64,
}

/// The contracts for proofs of one key, with tables of certain heights.
pub struct Contract {
    key: Key<KeccakSuite>,
    log_heights: Vec<usize>,
    system: System,
    shape: Shape,
    scheme: Scheme<KeccakSuite>,
    claims: Vec<ClaimShape>,
    /// Number of opened values of each claim.
    lengths: Vec<usize>,
    /// The commitment to the program.
    program: Word,
    places: Places,
    inputs: Inputs,
    /// The evaluators, and the tables of each.
    tables: Vec<Vec<&'static str>>,
}

impl Contract {
    /// # Errors
    /// If no proof of the key has these heights, or no contract can verify it.
    pub fn new(
        verifier: &whir::Verifier<StandardTables, KeccakSuite>,
        log_heights: &[usize],
    ) -> Result<Self, ContractError> {
        let (scheme, shape) = verifier.shape(log_heights)?;
        let (key, system) = (verifier.key().clone(), verifier.system().clone());
        let program = match key.program[..] {
            [root] => Word::from_be_bytes(root),
            _ => return Err(ContractError::Program(key.program.len())),
        };
        let mut tables = BTreeMap::<_, Vec<_>>::new();
        for table in verifier.machine().tables() {
            let evaluator = evaluator(table).ok_or(ContractError::Table(table.name()))?;
            tables.entry(evaluator).or_default().push(table.name());
        }

        // Claims as they are of zeros, with a challenge whose powers are all different.
        let opened: Vec<Opened> = system.tables().iter().map(zeros).collect();
        let rho = vec![EF::ZERO; shape.max_log_height()];
        let y = EF::from_basis_coefficients_fn(|index| F::from_usize(index % EXTENSION_DEGREE + 2));
        let claims = whir::claims(&system, &scheme, &rho, &opened, y);
        let claims: Vec<_> = claims.into_iter().map(|(claim, _)| claim).collect();
        let lists = opened.iter().flat_map(|opened| {
            let main = [&opened.main, &opened.main_next];
            main.into_iter()
                .chain([&opened.preprocessed, &opened.preprocessed_next])
        });
        let lengths: Vec<usize> = lists.map(Vec::len).filter(|&length| length > 0).collect();
        let (expected, found) = (claims.len(), lengths.len());
        if expected != found {
            return Err(ContractError::Claims { expected, found });
        }
        let places = Places::new(&system, &shape, &scheme, found);
        let mut contract = Self {
            claims: ClaimShape::of(&claims, y)?,
            tables: tables.into_values().collect(),
            log_heights: log_heights.to_vec(),
            inputs: Inputs::default(),
            key,
            system,
            shape,
            scheme,
            lengths,
            program,
            places,
        };
        contract.inputs = contract.inputs()?;
        Ok(contract)
    }

    /// Where the verifier keeps the number of its phase in memory, for those who trace it.
    pub const fn phase(&self) -> u64 {
        self.places.phase
    }

    fn inputs(&self) -> Result<Inputs, ContractError> {
        let mut end = start::PROOF;
        let mut next = |bytes: u64| {
            end += bytes;
            end - bytes
        };
        let opening = self.opening()?;
        let nonce = if self.key.settings.lookup_grinding_bits > 0 {
            NONCE_BYTES
        } else {
            0
        };
        Ok(Inputs {
            root: next(DIGEST_BYTES),
            outside: next(opening.outside_bytes()),
            lookup_nonce: next(nonce),
            fractions: next(gkr::proof_bytes(self.shape.log_leaves() as u64)),
            zerocheck: next(self.zerocheck().proof_bytes()),
            opening: next(opening.proof_bytes()),
            digests: next(0),
        })
    }

    fn zerocheck(&self) -> Zerocheck<'_> {
        Zerocheck::new(&self.system, &self.shape, self.places.zerocheck)
    }

    fn opening(&self) -> Result<Opening<'_>, UnsupportedOpening> {
        Opening::new(&self.scheme, &self.claims, self.places.opening)
    }

    /// The codes of the contracts that evaluate constraints.
    ///
    /// # Errors
    /// If a table is not as it is expected to be.
    pub fn evaluators(&self) -> Result<Vec<Code>, ContractError> {
        let codes = self.tables.iter().map(|tables| {
            let mut a = Assembler::new();
            field::keep_constants(&mut a, self.places.constants);
            field::define(&mut a);
            self.zerocheck().evaluator(&mut a, tables)?;
            checked(a.assemble()?)
        });
        codes.collect()
    }

    /// The code of the verifier, with the addresses of the evaluators.
    ///
    /// # Errors
    /// If there are not as many addresses, or the code is too long.
    pub fn verifier(&self, addresses: &[[u8; 20]]) -> Result<Code, ContractError> {
        let (expected, found) = (self.tables.len(), addresses.len());
        if expected != found {
            return Err(ContractError::Addresses { expected, found });
        }
        let evaluators: Vec<Evaluator<'_>> = addresses
            .iter()
            .zip(&self.tables)
            .map(|(address, tables)| Evaluator {
                address: deploy::word(address),
                tables,
            })
            .collect();
        let mut a = Assembler::new();
        self.statements(&mut a, &evaluators)?;
        checked(a.assemble()?)
    }

    fn statements(
        &self,
        a: &mut Assembler,
        evaluators: &[Evaluator<'_>],
    ) -> Result<(), ContractError> {
        let (places, inputs) = (&self.places, &self.inputs);
        let opening = self.opening()?;
        a.comment(&format!("memory: {places:#?}"));
        a.report_phases(places.phase, selector(ERROR));
        a.phase(Phase::Encoding);
        start::check_call(a);
        field::keep_constants(a, places.constants);
        rows::keep_masks(a, places.masks);
        field::define(a);
        transcript::define(a);
        let mut transcript = Transcript::new(places.buffer);
        opening.define(a, &transcript);
        a.phase(Phase::Statement);
        self.observe_shape(a, &mut transcript);

        a.phase(Phase::Commitment);
        transcript.observe(a, inputs.root, DIGEST_BYTES);
        opening.sample_outside(a, &mut transcript, inputs.outside);
        let bits = self.key.settings.lookup_grinding_bits;
        transcript.check_work(a, inputs.lookup_nonce, bits as u32);
        for (index, name) in ["alpha", "beta"].into_iter().enumerate() {
            a.block(|a| {
                let challenge = transcript.sample_element(a, name);
                a.store(word(places.zerocheck.lookups, index), challenge.expr);
            });
        }
        a.phase(Phase::Fractions);
        let variables = self.shape.log_leaves() as u64;
        gkr::verify(a, &mut transcript, inputs.fractions, variables, places.gkr);
        a.phase(Phase::Constraints);
        let zerocheck = self.zerocheck();
        zerocheck.verify(a, &mut transcript, inputs.zerocheck, evaluators)?;
        a.phase(Phase::Claims);
        self.combine(a, &mut transcript, zerocheck.opened());
        let roots = [Expr::from(inputs.root).calldata(), self.program.into()];
        opening.verify(a, &mut transcript, inputs.opening, inputs.digests, &roots);
        a.phase(Phase::Encoding);
        start::check_end(a, load(opening.digests()));
        a.store(0, 1);
        a.run(Op::Return, [0.into(), 32.into()]);
        Ok(())
    }

    /// Combines opened values to those of the claims.
    fn combine(&self, a: &mut Assembler, transcript: &mut Transcript, opened: u64) {
        let memory = &self.places.opening;
        a.block(|a| {
            let y = transcript.sample_element(a, "y");
            a.store(memory.slots, y.expr);
        });
        let mut start = opened;
        let values = word(memory.values, self.scheme.schedule().stack.outside);
        for (claim, &length) in self.lengths.iter().enumerate() {
            let end = word(start, length);
            let value = opening::horner(start, end, load(memory.slots));
            a.store(word(values, claim), value.value());
            start = end;
        }
    }
}

/// Opened values of a table that are all zero.
fn zeros(table: &droste_vm::whir::system::TableSystem) -> Opened {
    let zeros = |count| vec![EF::ZERO; count];
    Opened {
        main: zeros(table.main.width()),
        main_next: zeros(table.main.num_next()),
        preprocessed: zeros(table.preprocessed.width()),
        preprocessed_next: zeros(table.preprocessed.num_next()),
    }
}

/// Code that can be deployed.
pub(crate) fn checked(code: Code) -> Result<Code, ContractError> {
    match code.bytes.len() {
        0..=MAX_CODE => Ok(code),
        length => Err(ContractError::Code(length)),
    }
}

impl Places {
    fn new(system: &System, shape: &Shape, scheme: &Scheme<KeccakSuite>, claims: usize) -> Self {
        // The first two words are where pairs are hashed.
        let mut end = 2 * ELEMENT_BYTES;
        let mut bytes = |count: u64| {
            end += count.next_multiple_of(ELEMENT_BYTES);
            end - count.next_multiple_of(ELEMENT_BYTES)
        };
        let mut words = |count: usize| bytes(ELEMENT_BYTES * count as u64);
        let schedule = scheme.schedule();
        let (phase, constants, masks) = (words(1), words(field::KEPT), words(rows::KEPT));
        let fractions = words(4);
        let point_end = word(words(shape.log_leaves()), shape.log_leaves());
        let lookups = words(2);
        let slots = words(1);
        let outside = words(schedule.stack.outside);
        let values = words(schedule.stack.outside + claims);
        let opened_point = words(shape.max_log_height());
        // What is observed at once, at most: opened values, or the final polynomial. There is a
        // digest in front of it, and a zero and some bytes behind.
        let opened: usize = system
            .tables()
            .iter()
            .flat_map(|table| {
                let opened = zeros(table);
                [
                    opened.main.len(),
                    opened.main_next.len(),
                    opened.preprocessed.len(),
                    opened.preprocessed_next.len(),
                ]
            })
            .sum();
        let observed = opened.max(1 << schedule.final_variables).max(32);
        let buffer = bytes(PACKED_BYTES * observed as u64 + 4 * DIGEST_BYTES);
        let mut words = |count: usize| bytes(ELEMENT_BYTES * count as u64);
        let public_values = words(system.num_public_values());
        let work = words(0);
        Self {
            phase,
            constants,
            masks,
            buffer,
            gkr: gkr::Memory {
                fractions,
                point_end,
            },
            zerocheck: zerocheck::Memory {
                claim: fractions,
                point_end,
                lookups,
                public_values,
                opened_point,
                work,
            },
            opening: opening::Memory {
                outside,
                values,
                slots,
                opened_point,
                opened_coordinates: shape.max_log_height(),
                work,
            },
        }
    }
}
