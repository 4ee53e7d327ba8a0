//! The proof system's parts from Plonky3, and the commitment that binds public bits.

use std::fmt::Debug;

use p3_binary_field::{BinaryChallenger, BinaryField128};
use p3_binary_pcs::{
    BinaryPcsConfig, BinaryPcsParams, BooleanTraceData, BooleanTracePcs, GroupedCodewordMmcs,
};
use p3_challenger::HashChallenger;
use p3_commit::MultilinearPcs;
use p3_field::Field;
use p3_keccak::Keccak256Hash;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_multi_stark::config::{MultiStarkConfig, ProverData};
use p3_multilinear_util::point::Point;
use p3_sumcheck::layout::{Table, plan_stacked_layout};
use p3_sumcheck::{
    OpeningBatch, OpeningEvals, OpeningProtocol, PrescribedOpeningSecurity, PrescribedPointPcs,
    TableShape, TableSpec,
};
use p3_symmetric::{CompressionFunctionFromHasher, SerializingHasher};
use thiserror::Error;

use crate::Hash;
use crate::air::CallAir;
use crate::public::PublicBits;

/// GF(2^128), the field of everything but the trace, whose cells are bits.
pub(crate) type F = BinaryField128;

/// The hash of trees and transcript.
pub(crate) type TreeHash = Keccak256Hash;
/// Children of a node of the Merkle trees.
const ARITY: usize = 4;
type Tree = MerkleTreeMmcs<
    F,
    u8,
    SerializingHasher<TreeHash>,
    CompressionFunctionFromHasher<TreeHash, ARITY, 32>,
    ARITY,
    32,
>;
pub(crate) type Codewords = GroupedCodewordMmcs<Tree>;
type Scheme = BooleanTracePcs<F, Codewords, Codewords>;
pub(crate) type Challenger = BinaryChallenger<F, HashChallenger<u8, TreeHash, 32>>;

/// Bits against collisions of digests of 256 bits, in trees and transcript.
const COLLISION_BITS: usize = 128;
/// The code has twice as many symbols as the message.
const LOG_INVERSE_RATE: usize = 1;
/// Bits that Plonky3 makes openings have; what is checked is all of a proof ([`crate::MIN_BITS`]).
const OPENING_BITS: usize = 100;
/// Variables that are folded between two commitments.
const FOLDING: usize = 4;
/// Logarithm of the bits of an element.
const LOG_BITS: usize = 7;
/// Begins every transcript, before the digest of the statement.
pub(crate) const LABEL: &[u8] = b"droste-binary 1";

/// The settings of a statement's shape cannot be made: not for any [`crate::HashCalls`].
#[derive(Debug, Error)]
#[error("no settings for {rows} rows of {hash}: {reason}")]
pub struct SettingsError {
    hash: Hash,
    rows: usize,
    reason: String,
}

impl SettingsError {
    pub(crate) const fn new(hash: Hash, rows: usize, reason: String) -> Self {
        Self { hash, rows, reason }
    }
}

/// What Plonky3's commitment to a trace is made of.
pub(crate) struct Settings {
    shape: TableShape,
    /// Variables of the trace as one polynomial.
    pub variables: usize,
    pub folds: BinaryPcsConfig,
    pub codewords: Codewords,
}

impl Settings {
    /// The settings of traces of `2^log_rows` rows.
    pub fn new(air: CallAir, log_rows: usize) -> Result<Self, SettingsError> {
        let shape = TableShape::new(log_rows, air.columns());
        let (variables, _) = plan_stacked_layout(&[shape]);
        let params = BinaryPcsParams {
            log_inv_rate: LOG_INVERSE_RATE,
            pow_bits: 0,
            security_level: OPENING_BITS,
        };
        let elements = variables - LOG_BITS;
        let error = |reason: String| SettingsError::new(air.hash(), 1 << log_rows, reason);
        let folds = BinaryPcsConfig::try_new_with_folding::<F, F>(elements, params, FOLDING)
            .map_err(|reason| error(reason.to_string()))?;
        let leaves = SerializingHasher::new(TreeHash {});
        let nodes = CompressionFunctionFromHasher::new(TreeHash {});
        let codewords = Codewords::for_folding(Tree::new(leaves, nodes, 0), &folds);
        Ok(Self {
            shape,
            variables,
            folds,
            codewords,
        })
    }
}

/// The configuration of a statement's proof.
pub(crate) struct Config {
    scheme: BoundCommitment,
    sliced_rounds: usize,
}

impl Config {
    /// The configuration of the shape of a statement with these public bits, which are bound.
    pub fn new(public: PublicBits) -> Result<Self, SettingsError> {
        let (air, hash, log_rows) = (public.air(), public.hash(), public.log_rows());
        let Settings {
            shape,
            variables,
            folds,
            codewords,
        } = Settings::new(air, log_rows)?;
        let inner = Scheme::new(folds, codewords.clone(), codewords, variables)
            .map_err(|reason| SettingsError::new(hash, 1 << log_rows, reason.to_string()))?;
        Ok(Self {
            scheme: BoundCommitment {
                inner,
                public,
                whole_rows: air.is_of_paths().then(|| whole_rows(shape)),
            },
            // Three are fastest; a fourth keeps large statements below 0.5 GiB.
            sliced_rounds: match hash {
                Hash::Blake3 | Hash::Blake2s if log_rows >= 14 => 4,
                _ => 3,
            },
        })
    }

    pub const fn public(&self) -> &PublicBits {
        &self.scheme.public
    }
}

/// The protocol that opens all columns of a table in a row and in the next one.
fn whole_rows(shape: TableShape) -> OpeningProtocol {
    let columns: Vec<usize> = (0..shape.width()).collect();
    let batch = OpeningBatch::new(columns.clone(), columns);
    OpeningProtocol::new(vec![TableSpec::new(shape, vec![batch])])
}

/// The transcript of a proof. It begins with the digest of all of the statement.
pub(crate) fn challenger(statement: &[u8; 32]) -> Challenger {
    Challenger::from_hasher([LABEL, statement].concat(), TreeHash {})
}

impl MultiStarkConfig for Config {
    type Val = F;
    type Challenge = F;
    type Challenger = Challenger;
    type Pcs = BoundCommitment;

    fn pcs(&self) -> &Self::Pcs {
        &self.scheme
    }

    fn collision_resistance_bits(&self) -> Option<usize> {
        Some(COLLISION_BITS)
    }

    fn sliced_rounds(&self) -> usize {
        self.sliced_rounds
    }

    fn min_num_variables(&self) -> usize {
        1
    }

    fn build_witness(&self, tables: Vec<Table<F>>) -> Vec<Table<F>> {
        tables
    }

    fn committed_table<'a>(&self, data: &'a ProverData<Self>, index: usize) -> &'a Table<F> {
        data.table(index)
    }
}

/// Plonky3's commitment to a trace of bits, which opens only to what the public bits say.
///
/// Openings of the trace at a point are accepted if the public columns (of calls those of inputs,
/// and the sums of columns that are the outputs) have there the values of the public bits'
/// multilinear extensions.
///
/// # Soundness
/// The point must be drawn after the commitment, and the transcript must have absorbed the public
/// bits before it. Then a column that differs from its public bits in some row has another
/// multilinear extension, and the values at the point agree with probability `rows' log / 2^128`.
pub(crate) struct BoundCommitment {
    inner: Scheme,
    public: PublicBits,
    /// What is opened where the AIR reads some columns of the next row: Plonky3 has one ring switch
    /// for whole rows, but of other sets of columns one for each column.
    whole_rows: Option<OpeningProtocol>,
}

/// Why an opening of the trace was refused.
#[derive(Debug, Error)]
pub(crate) enum OpeningError {
    #[error("{0:?}")]
    Scheme(<Scheme as MultilinearPcs<F, Challenger>>::Error),
    #[error("the trace was opened at {0} points, expected 1")]
    Batches(usize),
    #[error("{0} columns were opened, expected {1}")]
    Columns(usize, usize),
    #[error("the trace was opened at a point of {0} coordinates, expected {1}")]
    Coordinates(usize, usize),
    #[error("public bit {0} of the rows is another one in the trace")]
    PublicBit(usize),
}

impl BoundCommitment {
    /// What is opened for what the AIR reads.
    fn opened<'a>(&'a self, read: &'a OpeningProtocol) -> &'a OpeningProtocol {
        self.whole_rows.as_ref().unwrap_or(read)
    }

    /// Checks the opened columns at a point against the public bits; returns those that are read.
    fn check(
        &self,
        read: &OpeningProtocol,
        opened: &[OpeningEvals<F>],
        points: &[Point<F>],
    ) -> Result<Vec<OpeningEvals<F>>, OpeningError> {
        let mut batches = read.iter_openings();
        let (Some((_, read)), None) = (batches.next(), batches.next()) else {
            return Err(OpeningError::Batches(opened.len()));
        };
        let ([opened], [point]) = (opened, points) else {
            return Err(OpeningError::Batches(opened.len()));
        };
        let air = self.public.air();
        let (columns, width) = (opened.current(), air.columns());
        if columns.len() != width {
            return Err(OpeningError::Columns(columns.len(), width));
        }
        let (coordinates, expected) = (point.num_variables(), self.public.log_rows());
        if coordinates != expected {
            return Err(OpeningError::Coordinates(coordinates, expected));
        }
        let (committed, public) = (air.public_of(columns), self.public.evaluate(point));
        if committed.len() != public.len() {
            return Err(OpeningError::Columns(committed.len(), public.len()));
        }
        let mut pairs = committed.into_iter().zip(public);
        if let Some(bit) = pairs.position(|(x, y)| x != y) {
            return Err(OpeningError::PublicBit(bit));
        }
        let next = opened.next();
        let wanted = read.next().iter();
        let next: Option<Vec<F>> = wanted.map(|&column| next.get(column).copied()).collect();
        let next = next.ok_or(OpeningError::Columns(opened.next().len(), width))?;
        Ok(vec![OpeningEvals::new(columns.to_vec(), next)])
    }
}

impl MultilinearPcs<F, Challenger> for BoundCommitment {
    type Val = F;
    type Commitment = <Scheme as MultilinearPcs<F, Challenger>>::Commitment;
    type ProverData = BooleanTraceData<F, Codewords>;
    type Proof = <Scheme as MultilinearPcs<F, Challenger>>::Proof;
    type Error = OpeningError;
    type ProverError = <Scheme as MultilinearPcs<F, Challenger>>::ProverError;
    type Witness = Vec<Table<F>>;
    type OpeningProtocol = OpeningProtocol;

    fn num_vars(&self) -> usize {
        self.inner.num_variables()
    }

    fn commit(
        &self,
        witness: Self::Witness,
        challenger: &mut Challenger,
    ) -> Result<(Self::Commitment, Self::ProverData), Self::ProverError> {
        self.inner.commit(witness, challenger)
    }

    fn observe_commitment(&self, commitment: &Self::Commitment, challenger: &mut Challenger) {
        self.inner.observe_commitment(commitment, challenger);
    }

    fn open(
        &self,
        data: Self::ProverData,
        protocol: OpeningProtocol,
        challenger: &mut Challenger,
    ) -> Result<Self::Proof, Self::ProverError> {
        self.inner.open(data, protocol, challenger)
    }

    /// Refuses: points that this draws itself come too late to bind public bits.
    fn verify(
        &self,
        _: &Self::Commitment,
        _: &Self::Proof,
        _: &mut Challenger,
        _: OpeningProtocol,
    ) -> Result<(), OpeningError> {
        Err(OpeningError::Batches(0))
    }
}

impl PrescribedPointPcs<F, Challenger> for BoundCommitment {
    fn prescribed_security(&self, protocol: &OpeningProtocol) -> Option<PrescribedOpeningSecurity> {
        let mut security = PrescribedPointPcs::<F, Challenger>::prescribed_security(
            &self.inner,
            self.opened(protocol),
        )?;
        let error = p3_security::ErrorBits::from_log2(
            F::bits() as f64 - (self.public.log_rows() as f64).log2(),
        );
        security.charge_reduction(p3_security::SecurityTerm::new("public-bits", error));
        Some(security)
    }

    fn open_at(
        &self,
        data: Self::ProverData,
        protocol: &OpeningProtocol,
        points: &[Point<F>],
        challenger: &mut Challenger,
    ) -> Result<Self::Proof, Self::ProverError> {
        self.inner
            .open_at(data, self.opened(protocol), points, challenger)
    }

    fn verify_at(
        &self,
        commitment: &Self::Commitment,
        proof: &Self::Proof,
        protocol: &OpeningProtocol,
        points: &[Point<F>],
        challenger: &mut Challenger,
    ) -> Result<Vec<OpeningEvals<F>>, OpeningError> {
        let whole = self.opened(protocol);
        let opened = self
            .inner
            .verify_at(commitment, proof, whole, points, challenger);
        self.check(protocol, &opened.map_err(OpeningError::Scheme)?, points)
    }
}
