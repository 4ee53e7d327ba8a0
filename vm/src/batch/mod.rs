//! The prover of a batch of tables.
//!
//! Its proofs are those of Plonky3's `prove_batch`, byte for byte: it plays the same transcript,
//! and its tests compare the proofs of every machine. It is written for tables that are narrow, as
//! the machine's are, and whose messages are long:
//!
//! - Messages are lowered to a straight-line program, which is evaluated on packed rows, and the
//!   denominators of many rows are inverted together.
//! - Constraints are evaluated in the order in which committed rows are stored.
//! - Matrices of few columns are extended by the transform for few columns.
//! - A trace becomes its extension: only the columns that messages read are kept beside it.
//!
//! Merkle trees and FRI are Plonky3's.

mod balance;
mod columns;
mod extension;
mod folder;
mod messages;
mod quotient;

use std::borrow::Cow;

use droste_air::End;
use droste_native::stark::suite::{CommittedData, OpeningProverError, Pcs as Scheme};
use droste_native::{Commitment, Config, EF, F, HashSuite};
use p3_air::symbolic::AirLayout;
use p3_air::{Air, BaseAir};
use p3_batch_stark::proof::OpenedValuesWithLookups;
use p3_batch_stark::symbolic::get_log_num_quotient_chunks;
use p3_batch_stark::{
    BatchCommitments, BatchOpenedValues, BatchProof, BatchProverTranscript, BatchShape,
    OpenedValues, ProverData, ProvingError,
};
use p3_commit::{OpeningRequest, Pcs, PolynomialSpace, UnivariateStarkPcs};
use p3_field::Field;
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_lookup::{InteractionSymbolicBuilder, LogUpGadget, Lookup, LookupTerminal};
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{PreprocessedOpenedValues, StarkGenericConfig};
use p3_util::{log2_ceil_usize, log2_strict_usize};
use thiserror::Error;
use tracing::info_span;

pub use balance::{Balance, unbalanced_bus};
pub use columns::ZeroDenominator;
pub use folder::Folder;

use crate::lookups::{constraint_layout, constraint_shape};
use columns::{ReadColumns, Source, lookup_columns};
use extension::Transforms;
use messages::{Fractions, Messages};
use quotient::{Alphas, LookupArgument, Quotient};

/// Why a batch cannot be proved.
#[derive(Debug, Error)]
pub enum BatchError {
    /// The commitment scheme returned an error.
    #[error(transparent)]
    Scheme(#[from] ProvingError<OpeningProverError>),
    /// The lookup argument has no proof for its challenge.
    #[error(transparent)]
    ZeroDenominator(#[from] ZeroDenominator),
}

/// A table, its trace and its public values.
#[derive(Debug)]
pub struct Statement<'a, A> {
    /// The table.
    pub table: &'a A,
    /// Its trace. An owned one becomes its extension, a borrowed one is copied.
    pub trace: Cow<'a, RowMajorMatrix<F>>,
    /// Its public values.
    pub public_values: Vec<F>,
}

/// A table and what is known of it before anything is committed.
struct Instance<'a, A> {
    table: &'a A,
    public_values: Vec<F>,
    lookups: &'a [Lookup<F>],
    messages: Messages,
    log_height: usize,
    log_chunks: usize,
    /// Index of its preprocessed columns in their commitment, and their number.
    preprocessed: Option<(usize, usize)>,
    domain: Domain,
}

type Domain = TwoAdicMultiplicativeCoset<F>;

/// What a table's quotient needs of the lookup argument: challenges and terminal.
type Lookups = (Vec<EF>, Option<LookupTerminal<EF>>);

/// Proves that the traces satisfy the constraints of their tables, as Plonky3's `prove_batch`.
///
/// # Errors
/// If the commitment scheme returns an error, or with negligible probability.
pub fn prove<H: HashSuite, A>(
    config: &Config<H>,
    statements: Vec<Statement<'_, A>>,
    data: &ProverData<Config<H>>,
) -> Result<BatchProof<Config<H>>, BatchError>
where
    A: BaseAir<F> + Air<InteractionSymbolicBuilder<F, EF>> + for<'a> Air<Folder<'a>> + Sync,
{
    let (tables, traces): (Vec<Instance<'_, A>>, Vec<_>) = statements
        .into_iter()
        .enumerate()
        .map(|(index, statement)| Instance::new::<H>(config, statement, data, index))
        .unzip();
    let mut challenger = config.initialise_challenger();
    let mut transcript = BatchProverTranscript::<_, F, EF, Commitment<H>>::new(
        &mut challenger,
        shape(config, &tables, data),
    );
    let proof = prove_with(config, &tables, traces, data, &mut transcript);
    match &proof {
        Ok(_) => transcript.finish(),
        Err(_) => transcript.abort(),
    }
    proof
}

/// The numbers that fix the transcript.
fn shape<H: HashSuite, A: BaseAir<F>>(
    config: &Config<H>,
    tables: &[Instance<'_, A>],
    data: &ProverData<Config<H>>,
) -> BatchShape {
    let preprocessed = |table: &Instance<'_, A>| table.preprocessed.map_or(0, |(_, width)| width);
    BatchShape {
        trace_widths: tables.iter().map(|table| table.table.width()).collect(),
        public_value_counts: tables
            .iter()
            .map(|table| table.public_values.len())
            .collect(),
        preprocessed_widths: tables.iter().map(preprocessed).collect(),
        has_preprocessed_commitment: data.common.preprocessed.is_some(),
        num_lookup_instances: tables.iter().filter(|table| table.has_lookups()).count(),
        lookup_pow_bits: config.lookup_proof_of_work_bits(),
        has_randomization_commitment: false,
        ood_pow_bits: config.ood_proof_of_work_bits(),
    }
}

impl<'a, A> Instance<'a, A>
where
    A: BaseAir<F> + Air<InteractionSymbolicBuilder<F, EF>>,
{
    fn new<H: HashSuite>(
        config: &Config<H>,
        statement: Statement<'a, A>,
        data: &'a ProverData<Config<H>>,
        index: usize,
    ) -> (Self, Cow<'a, RowMajorMatrix<F>>) {
        let height = statement.trace.height();
        let lookups: &[Lookup<F>] = &data.common.lookups[index];
        let meta = data.common.preprocessed.as_ref();
        let meta = meta.and_then(|global| global.instances[index].as_ref());
        let instance = Self {
            table: statement.table,
            public_values: statement.public_values,
            lookups,
            messages: Messages::new(lookups),
            log_height: log2_strict_usize(height),
            log_chunks: log_chunks(statement.table, lookups, height),
            preprocessed: meta.map(|meta| (meta.matrix_index, meta.width)),
            domain: natural_domain::<H>(config, height),
        };
        (instance, statement.trace)
    }
}

impl<A> Instance<'_, A> {
    fn has_lookups(&self) -> bool {
        !self.lookups.is_empty()
    }

    /// The domain on which the quotient is evaluated.
    fn quotient_domain(&self) -> Domain {
        let log_size = self.log_height + self.log_chunks;
        self.domain.create_disjoint_domain(1 << log_size)
    }

    /// The point, and the next one if a constraint reads the next row.
    fn points(&self, zeta: EF, next: bool) -> Vec<EF> {
        let next = next.then(|| self.domain.next_point(zeta)).flatten();
        std::iter::once(zeta).chain(next).collect()
    }
}

fn natural_domain<H: HashSuite>(config: &Config<H>, height: usize) -> Domain {
    <Scheme<H> as Pcs<EF, H::Challenger>>::natural_domain_for_degree(config.pcs(), height)
}

/// Returns the logarithm of the number of chunks of a table's quotient.
fn log_chunks<A>(table: &A, lookups: &[Lookup<F>], height: usize) -> usize
where
    A: BaseAir<F> + Air<InteractionSymbolicBuilder<F, EF>>,
{
    if table.num_periodic_columns() > 0 {
        // The degree of a periodic column depends on the height.
        let layout = AirLayout::from_air(table);
        let gadget = LogUpGadget::new();
        return get_log_num_quotient_chunks::<F, EF, _, _>(
            table, layout, height, lookups, 0, &gadget,
        );
    }
    let (_, degree) = constraint_shape(table, lookups);
    log2_ceil_usize(degree.max(2) - 1)
}

fn failed(phase: &'static str) -> impl Fn(OpeningProverError) -> BatchError {
    move |source| ProvingError::Pcs { phase, source }.into()
}

/// Makes the proof. The caller closes the transcript.
fn prove_with<H: HashSuite, A>(
    config: &Config<H>,
    tables: &[Instance<'_, A>],
    traces: Vec<Cow<'_, RowMajorMatrix<F>>>,
    data: &ProverData<Config<H>>,
    transcript: &mut BatchProverTranscript<'_, H::Challenger, F, EF, Commitment<H>>,
) -> Result<BatchProof<Config<H>>, BatchError>
where
    A: BaseAir<F> + Air<InteractionSymbolicBuilder<F, EF>> + for<'a> Air<Folder<'a>> + Sync,
{
    let transforms = Transforms::default();
    let log_heights: Vec<usize> = tables.iter().map(|table| table.log_height).collect();
    transcript.instance_bindings(&log_heights);

    let pcs = config.pcs();
    let extend = |matrix| transforms.extend(matrix, pcs.log_blowup(), F::GENERATOR);
    // Only what messages read is copied: a trace that is owned is extended in place.
    let read: Vec<ReadColumns> = tables
        .iter()
        .zip(&traces)
        .map(|(table, trace)| ReadColumns::new(trace, &table.messages.main_columns()))
        .collect();
    let extended = traces.into_iter().map(|trace| extend(trace.into_owned()));
    let (main, main_data) = pcs
        .commit_ldes(extended.collect())
        .map_err(failed("trace commitment"))?;
    let public_values: Vec<&[F]> = tables
        .iter()
        .map(|table| table.public_values.as_slice())
        .collect();
    transcript.main_phase(main.clone(), &public_values);
    let preprocessed = data.common.preprocessed.as_ref();
    transcript.preprocessed_phase(preprocessed.map(|global| global.commitment.clone()));

    let lookups: Vec<&[Lookup<F>]> = tables.iter().map(|table| table.lookups).collect();
    let gadget = LogUpGadget::new();
    let (challenges, lookup_pow_witness) = transcript.lookup_phase(&lookups, &gadget);
    let mut columns = Vec::new();
    let mut arguments: Vec<Lookups> = Vec::new();
    for ((table, read), challenges) in tables.iter().zip(read).zip(challenges) {
        let mut terminal = None;
        if table.has_lookups() {
            let (matrix, sum) = table.lookup_columns(&read, &challenges)?;
            drop(read);
            terminal = Some(LookupTerminal(sum));
            columns.push(extend(matrix));
        }
        arguments.push((challenges, terminal));
    }
    let permutation = (!columns.is_empty()).then(|| pcs.commit_ldes(columns));
    let permutation = permutation
        .transpose()
        .map_err(failed("permutation commitment"))?;
    let terminals: Vec<EF> = arguments
        .iter()
        .filter_map(|(_, sum)| sum.map(|sum| sum.0))
        .collect();
    let commitment = permutation
        .as_ref()
        .map(|(commitment, _)| commitment.clone());
    let alpha = transcript.permutation_phase(commitment, &terminals);

    let committed = Committed::<H> {
        main: &main_data,
        preprocessed: data.prover_only.preprocessed_prover_data.as_ref(),
        permutation: permutation.as_ref().map(|(_, data)| data),
    };
    let mut chunks = Vec::new();
    let mut lookup_index = 0;
    for (index, (table, argument)) in tables.iter().zip(&arguments).enumerate() {
        let place = (index, lookup_index);
        let quotient = || {
            quotient_chunks(
                config,
                &transforms,
                table,
                &committed,
                place,
                argument,
                alpha,
            )
        };
        chunks.extend(info_span!("compute quotient", air_idx = index).in_scope(quotient));
        lookup_index += usize::from(table.has_lookups());
    }
    let (quotient_chunks, quotient_data) = pcs
        .commit_ldes(chunks)
        .map_err(failed("quotient commitment"))?;
    transcript.quotient_phase(quotient_chunks.clone(), None);

    let (zeta, ood_pow_witness) = transcript.ood_phase();
    let rounds = rounds(tables, &committed, data, &quotient_data, zeta);
    let opened = transcript.delegate(|challenger| pcs.open_columns(rounds, challenger));
    let (opened, opening_proof) = opened.map_err(failed("opening"))?;
    Ok(BatchProof {
        commitments: BatchCommitments {
            main,
            permutation: permutation.map(|(commitment, _)| commitment),
            quotient_chunks,
            random: None,
        },
        opened_values: opened_values(tables, opened, preprocessed.is_some()),
        opening_proof,
        lookup_terminals: arguments.into_iter().map(|(_, sum)| sum).collect(),
        degree_bits: log_heights,
        lookup_pow_witness,
        ood_pow_witness,
    })
}

impl<A: BaseAir<F>> Instance<'_, A> {
    /// Returns the lookup columns and the sum of all fractions.
    fn lookup_columns(
        &self,
        trace: &ReadColumns,
        challenges: &[EF],
    ) -> Result<(RowMajorMatrix<F>, EF), ZeroDenominator> {
        let _span = info_span!("generate lookup permutation").entered();
        let preprocessed = self.table.preprocessed_trace();
        let periodic = self.table.periodic_columns();
        let source = Source {
            trace,
            preprocessed: preprocessed.as_ref(),
            periodic: &periodic,
            public_values: &self.public_values,
            end: End::Ring,
        };
        let fractions = Fractions::new(&self.messages, challenges);
        lookup_columns(&source, &fractions, self.lookups.len())
    }
}

/// The committed matrices from which quotients are computed.
struct Committed<'a, H: HashSuite> {
    main: &'a CommittedData<H>,
    preprocessed: Option<&'a CommittedData<H>>,
    permutation: Option<&'a CommittedData<H>>,
}

/// Returns the low-degree extensions of a table's quotient. `place` has the indices of its main and
/// of its lookup columns in their commitments.
fn quotient_chunks<H: HashSuite, A>(
    config: &Config<H>,
    transforms: &Transforms,
    table: &Instance<'_, A>,
    committed: &Committed<'_, H>,
    place: (usize, usize),
    (challenges, terminal): &Lookups,
    alpha: EF,
) -> Vec<RowMajorMatrix<F>>
where
    A: BaseAir<F> + Air<InteractionSymbolicBuilder<F, EF>> + for<'a> Air<Folder<'a>> + Sync,
{
    let pcs = config.pcs();
    let domain = table.quotient_domain();
    // The scheme presents rows in natural order; reversed once more, they are as they are stored.
    let stored = |data, index| {
        let natural = pcs.get_evaluations_on_domain(data, index, domain);
        natural.bit_reverse_rows()
    };
    let main = stored(committed.main, place.0);
    let preprocessed = committed.preprocessed.zip(table.preprocessed);
    let preprocessed = preprocessed.map(|(data, (index, _))| stored(data, index));
    let columns = committed.permutation.filter(|_| table.has_lookups());
    let columns = columns.map(|data| stored(data, place.1));
    let periodic = table.table.periodic_columns();
    let lookups = columns.as_ref().zip(*terminal);
    let quotient = Quotient {
        table: table.table,
        log_height: table.log_height,
        log_chunks: table.log_chunks,
        main: main.as_view(),
        reads_next: !table.table.main_next_row_columns().is_empty(),
        preprocessed: preprocessed.as_ref().map(|matrix| matrix.as_view()),
        periodic: pcs.build_periodic_lde_table(&periodic, table.domain, domain),
        public_values: &table.public_values,
        lookups: lookups.map(|(columns, terminal)| LookupArgument {
            fractions: Fractions::new(&table.messages, challenges),
            columns: columns.as_view(),
            terminal: terminal.0,
        }),
        alphas: Alphas::new(constraint_layout(table.table), table.lookups.len(), alpha),
    };
    quotient.extended_chunks(transforms, pcs.log_blowup())
}

/// The points at which each commitment is opened: those to the main columns, to the quotients, to
/// preprocessed columns and to lookup columns.
fn rounds<'a, H: HashSuite, A: BaseAir<F>>(
    tables: &[Instance<'_, A>],
    committed: &Committed<'a, H>,
    data: &ProverData<Config<H>>,
    quotients: &'a CommittedData<H>,
    zeta: EF,
) -> Vec<OpeningRequest<'a, CommittedData<H>, EF>> {
    let main = tables.iter().map(|table| {
        let next = !table.table.main_next_row_columns().is_empty();
        table.points(zeta, next)
    });
    let chunks = tables.iter().map(|table| 1 << table.log_chunks);
    let mut rounds: Vec<(&'a CommittedData<H>, Vec<Vec<EF>>)> = vec![
        (committed.main, main.collect()),
        (quotients, vec![vec![zeta]; chunks.sum()]),
    ];
    let global = data.common.preprocessed.as_ref();
    if let Some((global, data)) = global.zip(committed.preprocessed) {
        let points = global.matrix_to_instance.iter().map(|&index| {
            let table = &tables[index];
            let next = !table.table.preprocessed_next_row_columns().is_empty();
            table.points(zeta, next)
        });
        rounds.push((data, points.collect()));
    }
    if let Some(data) = committed.permutation {
        let tables = tables.iter().filter(|table| table.has_lookups());
        rounds.push((data, tables.map(|table| table.points(zeta, true)).collect()));
    }
    rounds.into_iter().map(Into::into).collect()
}

/// Divides the opened values of the commitments, in the order of [`rounds`], among the tables.
fn opened_values<A: BaseAir<F>>(
    tables: &[Instance<'_, A>],
    opened: p3_commit::OpenedValues<EF>,
    has_preprocessed: bool,
) -> BatchOpenedValues<EF> {
    let mut rounds = opened.into_iter();
    let mut main = rounds.next().unwrap_or_default().into_iter();
    let mut quotients = rounds.next().unwrap_or_default().into_iter();
    let preprocessed = has_preprocessed.then(|| rounds.next()).flatten();
    let mut preprocessed = preprocessed.unwrap_or_default();
    let mut lookups = rounds.next().unwrap_or_default().into_iter();
    let mut instances = Vec::with_capacity(tables.len());
    for table in tables {
        // A matrix was opened at one point or at two.
        let pair = |points: Option<Vec<Vec<EF>>>| {
            let mut points = points.unwrap_or_default().into_iter();
            (points.next().unwrap_or_default(), points.next())
        };
        let (trace_local, trace_next) = pair(main.next());
        let chunks = (0..1 << table.log_chunks).map(|_| pair(quotients.next()).0);
        let quotient_chunks = chunks.collect();
        let preprocessed = table.preprocessed.map(|(index, _)| {
            let (local, next) = pair(preprocessed.get_mut(index).map(std::mem::take));
            PreprocessedOpenedValues { local, next }
        });
        let looked_up = table.has_lookups().then(|| pair(lookups.next()));
        let (permutation_local, permutation_next) = looked_up.unwrap_or_default();
        instances.push(OpenedValuesWithLookups {
            base_opened_values: OpenedValues {
                trace_local,
                trace_next,
                preprocessed,
                quotient_chunks,
                random: None,
            },
            permutation_local,
            permutation_next: permutation_next.unwrap_or_default(),
        });
    }
    BatchOpenedValues { instances }
}
