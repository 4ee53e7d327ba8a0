//! WHIR over Poseidon-16 as the commitment scheme of `p3-multi-stark`.

use std::fmt::{self, Debug};

use p3_challenger::CanObserve;
use p3_commit::MultilinearPcs;
use p3_dft::Radix2DFTSmallBatch;
use p3_matrix::dense::RowMajorMatrix;
use p3_multi_stark::config::MultiStarkConfig;
use p3_multilinear_util::point::Point;
use p3_sumcheck::layout::{Layout, PrefixProver, Table};
use p3_sumcheck::{OpeningEvals, OpeningProtocol, PrescribedOpeningSecurity, PrescribedPointPcs};
use p3_whir::{PcsProof, VerifierError, WhirConfigError, WhirProver, WhirProverData};
use thiserror::Error;

use super::settings::{Parameters, WhirSettings, WhirSettingsError};
use crate::field::{EF, F};
use crate::stark::challenger::Poseidon16Challenger;
use crate::stark::security::DIGEST_COLLISION_BITS;
use crate::stark::suite::{Commitment, HashSuite, Poseidon16Mmcs, Poseidon16Suite};

/// Columns are stacked into one polynomial so that its first variables select a column and are
/// folded last.
type Stack = PrefixProver<F, EF>;

/// Fourier transforms. Codewords have few columns (`2^first_fold`), and WHIR wants them in natural
/// order, for which this transform reverses bits once and the one of FRI three times.
type Dft = Radix2DFTSmallBatch<F>;

/// Plonky3's scheme.
type Whir = WhirProver<EF, F, Dft, Poseidon16Mmcs, Poseidon16Challenger, Stack>;

/// A commitment: the cap of a Merkle tree.
pub type WhirCommitment = Commitment<Poseidon16Suite>;

/// A proof that opens one commitment.
pub type WhirOpening = PcsProof<F, EF, Poseidon16Mmcs>;

/// Why an opening is rejected.
pub type WhirOpeningError = VerifierError;

/// The polynomial commitment scheme: Plonky3's, except that it may know what `commit` is to return.
///
/// `p3-multi-stark` 0.8.0 makes its keys only by committing to the preprocessed tables, and does not
/// say what the commitment is. A verifier that was given the commitment has no tables. Both make
/// their keys with a scheme that knows the commitment.
#[derive(Debug)]
pub struct WhirScheme {
    whir: Whir,
    known: Option<WhirCommitted>,
}

/// What the prover keeps of what it committed to; nothing of a commitment that it was given.
#[derive(Clone)]
pub struct WhirData(Option<WhirProverData<F, EF, Poseidon16Mmcs, Stack>>);

impl Debug for WhirData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_known = self.0.is_some();
        f.debug_struct("WhirData")
            .field("is_known", &is_known)
            .finish()
    }
}

/// A commitment, and what it commits to if that is known.
#[derive(Clone, Debug)]
pub struct WhirCommitted {
    /// The commitment.
    pub commitment: WhirCommitment,
    /// What opens it.
    pub data: WhirData,
}

impl WhirCommitted {
    /// A commitment from outside. It can be verified with, not proved with.
    pub const fn without_data(commitment: WhirCommitment) -> Self {
        Self {
            commitment,
            data: WhirData(None),
        }
    }
}

/// Why a commitment cannot be made or opened.
#[derive(Debug, Error)]
pub enum WhirProverError {
    /// The settings have no parameters for the opening.
    #[error(transparent)]
    Parameters(#[from] WhirConfigError),
    /// The commitment was given, without what it commits to.
    #[error("only the digests of the commitment are known, not what it commits to")]
    NoData,
    /// The tables have another number of cells than the scheme was made for.
    #[error("the tables have 2^{found} cells, expected 2^{expected}")]
    Cells {
        /// Logarithm of the number of cells that was expected.
        expected: usize,
        /// Logarithm of the number of cells found.
        found: usize,
    },
}

impl WhirScheme {
    fn new(parameters: Parameters, cap_height: usize, known: Option<WhirCommitted>) -> Self {
        let mmcs = Poseidon16Suite::val_mmcs(cap_height);
        Self {
            whir: Whir::new(parameters, Dft::default(), mmcs),
            known,
        }
    }

    /// The parameters for the number of cells that the scheme was made for.
    pub fn parameters(&self) -> &Parameters {
        &self.whir
    }

    /// Commits to tables, given by rows.
    ///
    /// # Errors
    /// If the tables have another number of cells than the scheme was made for.
    pub fn commit_to(
        &self,
        tables: &[RowMajorMatrix<F>],
    ) -> Result<WhirCommitted, WhirProverError> {
        let columns = tables.iter().map(|table| Table::new(table.transpose()));
        let (commitment, data) =
            self.commit(columns.collect(), &mut Poseidon16Challenger::default())?;
        Ok(WhirCommitted { commitment, data })
    }

    /// The logarithms of the heights of all Merkle trees of an opening: that of the commitment
    /// itself, then those of each round.
    fn log_tree_heights(&self) -> impl Iterator<Item = usize> {
        let parameters = self.parameters();
        let rounds = parameters.round_parameters().iter();
        rounds
            .map(|round| round.log_folded_domain_size)
            .chain([parameters.final_round_config().log_folded_domain_size])
    }

    /// The number of digests of each commitment of an opening: of that which is opened, then of
    /// each round's.
    pub fn cap_sizes(&self, settings: &WhirSettings) -> Vec<usize> {
        self.log_tree_heights()
            .map(|log_height| 1 << settings.cap_height.min(log_height))
            .collect()
    }
}

impl MultilinearPcs<EF, Poseidon16Challenger> for WhirScheme {
    type Val = F;
    type Commitment = WhirCommitment;
    type ProverData = WhirData;
    type Proof = WhirOpening;
    type Error = WhirOpeningError;
    type ProverError = WhirProverError;
    type Witness = Vec<Table<F>>;
    type OpeningProtocol = OpeningProtocol;

    fn num_vars(&self) -> usize {
        self.whir.num_variables()
    }

    fn commit(
        &self,
        tables: Self::Witness,
        challenger: &mut Poseidon16Challenger,
    ) -> Result<(WhirCommitment, WhirData), WhirProverError> {
        if let Some(WhirCommitted { commitment, data }) = &self.known {
            self.observe_commitment(commitment, challenger);
            return Ok((commitment.clone(), data.clone()));
        }
        let witness = Stack::new_witness(tables, self.whir.round_folding_factor(0));
        let (expected, found) = (self.num_vars(), witness.num_variables());
        if expected != found {
            return Err(WhirProverError::Cells { expected, found });
        }
        let (commitment, data) = self.whir.commit(witness, challenger)?;
        Ok((commitment, WhirData(Some(data))))
    }

    fn observe_commitment(
        &self,
        commitment: &WhirCommitment,
        challenger: &mut Poseidon16Challenger,
    ) {
        self.whir.observe_commitment(commitment, challenger);
    }

    fn open(
        &self,
        data: WhirData,
        protocol: OpeningProtocol,
        challenger: &mut Poseidon16Challenger,
    ) -> Result<WhirOpening, WhirProverError> {
        let data = data.0.ok_or(WhirProverError::NoData)?;
        Ok(self.whir.open(data, protocol, challenger)?)
    }

    fn verify(
        &self,
        commitment: &WhirCommitment,
        proof: &WhirOpening,
        challenger: &mut Poseidon16Challenger,
        protocol: OpeningProtocol,
    ) -> Result<(), WhirOpeningError> {
        self.whir.verify(commitment, proof, challenger, protocol)
    }
}

impl PrescribedPointPcs<EF, Poseidon16Challenger> for WhirScheme {
    fn prescribed_security(&self, protocol: &OpeningProtocol) -> Option<PrescribedOpeningSecurity> {
        self.whir.prescribed_security(protocol)
    }

    fn open_at(
        &self,
        data: WhirData,
        protocol: &OpeningProtocol,
        points: &[Point<EF>],
        challenger: &mut Poseidon16Challenger,
    ) -> Result<WhirOpening, WhirProverError> {
        let data = data.0.ok_or(WhirProverError::NoData)?;
        Ok(self.whir.open_at(data, protocol, points, challenger)?)
    }

    fn verify_at(
        &self,
        commitment: &WhirCommitment,
        proof: &WhirOpening,
        protocol: &OpeningProtocol,
        points: &[Point<EF>],
        challenger: &mut Poseidon16Challenger,
    ) -> Result<Vec<OpeningEvals<EF>>, WhirOpeningError> {
        self.whir
            .verify_at(commitment, proof, protocol, points, challenger)
    }
}

/// The configuration of `p3-multi-stark`: WHIR over Poseidon-16, one scheme for the tables of a run
/// and one for the preprocessed tables.
#[derive(Debug)]
pub struct WhirStark {
    main: WhirScheme,
    preprocessed: WhirScheme,
    min_log_height: usize,
}

impl WhirStark {
    /// The configuration for tables of `2^log_cells` cells in all, and `2^log_preprocessed` cells
    /// of preprocessed tables, each number rounded up to a power of two.
    ///
    /// `known` is what committing to the preprocessed tables is to return.
    ///
    /// # Errors
    /// If the settings are out of range, or have no parameters for so many cells.
    pub fn new(
        settings: &WhirSettings,
        log_cells: usize,
        log_preprocessed: usize,
        known: Option<WhirCommitted>,
    ) -> Result<Self, WhirSettingsError> {
        let main = settings.parameters(log_cells, settings.log_blowup)?;
        let preprocessed =
            settings.parameters(log_preprocessed, settings.preprocessed_log_blowup)?;
        Ok(Self {
            main: WhirScheme::new(main, settings.cap_height, None),
            preprocessed: WhirScheme::new(preprocessed, settings.cap_height, known),
            min_log_height: settings.min_log_height(),
        })
    }

    /// A transcript that has absorbed `seed`.
    ///
    /// Plonky3's transcript binds the shape of a statement but neither its constraints nor its
    /// lookups, so the seed must determine them.
    pub fn challenger(seed: &[F]) -> Poseidon16Challenger {
        let mut challenger = Poseidon16Challenger::default();
        challenger.observe_slice(seed);
        challenger
    }

    /// The scheme of the preprocessed tables.
    pub fn preprocessed(&self) -> &WhirScheme {
        &self.preprocessed
    }

    /// The scheme of the tables of a run.
    pub fn main(&self) -> &WhirScheme {
        &self.main
    }
}

impl MultiStarkConfig for WhirStark {
    type Val = F;
    type Challenge = EF;
    type Challenger = Poseidon16Challenger;
    type Pcs = WhirScheme;

    fn pcs(&self) -> &WhirScheme {
        &self.main
    }

    fn collision_resistance_bits(&self) -> Option<usize> {
        Some(DIGEST_COLLISION_BITS)
    }

    fn preprocessed_pcs(&self) -> &WhirScheme {
        &self.preprocessed
    }

    fn min_num_variables(&self) -> usize {
        self.min_log_height
    }

    fn build_witness(&self, tables: Vec<Table<F>>) -> Vec<Table<F>> {
        tables
    }

    #[allow(
        clippy::expect_used,
        reason = "only the prover asks for tables, of commitments that it made itself"
    )]
    fn committed_table<'a>(&self, data: &'a WhirData, index: usize) -> &'a Table<F> {
        data.0
            .as_ref()
            .expect("the prover committed to the tables itself")
            .table(index)
    }
}
