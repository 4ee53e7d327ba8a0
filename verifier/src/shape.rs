//! The shape of a proof: everything about it that a recursive verifier takes as a constant.

use std::collections::BTreeMap;

use droste_native::field::EXTENSION_DEGREE;
use droste_native::{EF, F, FriSettings, HashId};
use droste_vm::heights::MAX_LOG_HEIGHT;
use p3_batch_stark::BatchShape;
use p3_challenger::CanObserve;
use p3_field::PrimeField32;
use p3_fri::{FriShape, PcsShape, fold_schedule};
use p3_uni_stark::StarkShape;

use crate::codegen::{Buses, Evaluators, Table, TableShape};

/// A shape that no recursive verifier is generated for.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ShapeError {
    /// Heights are not given for exactly the tables.
    #[error("{tables} tables, {heights} heights")]
    Heights {
        /// Number of tables.
        tables: usize,
        /// Number of heights.
        heights: usize,
    },
    /// A table is too tall for the field or too short for the commitment.
    #[error("table {table}: height 2^{log_height}, expected 2^{min} to 2^{max}")]
    Height {
        /// Name of the table.
        table: String,
        /// Logarithm of its height.
        log_height: usize,
        /// Logarithm of the smallest height.
        min: usize,
        /// Logarithm of the largest height.
        max: usize,
    },
    /// FRI settings out of range.
    #[error(transparent)]
    Settings(#[from] droste_native::SettingsError),
    /// A proof without tables.
    #[error("a proof has at least one table")]
    Empty,
    /// More bus messages than the look-up argument can count.
    #[error("{messages} bus messages are more than the field can count")]
    TooManyMessages {
        /// Upper bound of the number of messages.
        messages: u128,
    },
    /// A protocol of one table without look-ups is given others.
    #[error("a p3-uni-stark proof is of one table without look-ups")]
    NotUni,
}

/// The protocol of a proof: what its transcript observes before the quotient, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// p3-batch-stark.
    Batch,
    /// p3-uni-stark: one table, no look-ups.
    Uni,
}

impl Protocol {
    /// Name of the crate that makes such proofs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Batch => "p3-batch-stark",
            Self::Uni => "p3-uni-stark",
        }
    }

    /// Name of the constant by which the transcript begins, in generated text.
    pub(crate) const fn seed_name(self) -> &'static str {
        match self {
            Self::Batch => "BATCH_SEED",
            Self::Uni => "UNI_SEED",
        }
    }
}

/// One table of a proof.
#[derive(Clone, Debug)]
pub struct ShapeTable {
    /// Name, as in the generated evaluators.
    pub name: String,
    /// Widths, openings, lookups.
    pub shape: TableShape,
    /// Logarithm of the height.
    pub log_height: usize,
}

/// Shape of a proof over two-adic FRI.
#[derive(Clone, Debug)]
pub struct ProofShape {
    /// Protocol.
    pub protocol: Protocol,
    /// Hash of commitments and transcript.
    pub hash: HashId,
    /// FRI settings.
    pub settings: FriSettings,
    /// Elements the transcript absorbs before the proof: the key digest.
    pub seed: usize,
    /// Tables in the order of the proof.
    pub tables: Vec<ShapeTable>,
    /// Buses of the lookups.
    pub buses: Buses,
}

/// The commitments of a proof, in the order in which they are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundKind {
    /// Main traces.
    Main,
    /// Quotient chunks.
    Quotient,
    /// Preprocessed traces.
    Preprocessed,
    /// Lookup traces.
    Permutation,
}

impl RoundKind {
    /// Lowercase name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Quotient => "quotient",
            Self::Preprocessed => "preprocessed",
            Self::Permutation => "permutation",
        }
    }
}

/// One matrix of a commitment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    /// Index of its table.
    pub table: usize,
    /// Columns.
    pub width: usize,
    /// Logarithm of the height of the table.
    pub log_height: usize,
    /// Whether it is opened at the next point too.
    pub next: bool,
}

/// One commitment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Which.
    pub kind: RoundKind,
    /// Its matrices, in order.
    pub matrices: Vec<MatrixShape>,
}

impl Round {
    /// Matrix indices by logarithm of the table's height, tallest first: the leaves of the tree, from
    /// the widest layer up.
    pub fn layers(&self) -> Vec<(usize, Vec<usize>)> {
        let mut layers = BTreeMap::<usize, Vec<usize>>::new();
        for (i, matrix) in self.matrices.iter().enumerate() {
            layers.entry(matrix.log_height).or_default().push(i);
        }
        layers.into_iter().rev().collect()
    }

    /// Logarithm of the height of its tallest table.
    pub fn tallest(&self) -> usize {
        let heights = self.matrices.iter().map(|matrix| matrix.log_height);
        heights.max().unwrap_or(0)
    }
}

impl ProofShape {
    /// The shape of a p3-batch-stark proof of these tables at these heights.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn new(
        hash: HashId,
        settings: FriSettings,
        seed: usize,
        evaluators: &Evaluators,
        log_heights: &[usize],
    ) -> Result<Self, ShapeError> {
        Self::of(
            Protocol::Batch,
            hash,
            settings,
            seed,
            evaluators,
            log_heights,
        )
    }

    /// The shape of a proof of these tables at these heights.
    ///
    /// # Errors
    /// If the heights are not one a table, or out of range, or more messages are on buses than the
    /// field can count, or the protocol has no such proofs.
    pub fn of(
        protocol: Protocol,
        hash: HashId,
        settings: FriSettings,
        seed: usize,
        evaluators: &Evaluators,
        log_heights: &[usize],
    ) -> Result<Self, ShapeError> {
        settings.validate()?;
        if evaluators.tables.is_empty() {
            return Err(ShapeError::Empty);
        }
        if evaluators.tables.len() != log_heights.len() {
            return Err(ShapeError::Heights {
                tables: evaluators.tables.len(),
                heights: log_heights.len(),
            });
        }
        // A matrix shorter than the cap would not be bound by it, and a folding input not above the
        // final polynomial could not be folded.
        let below = settings.cap_height.saturating_sub(settings.log_blowup);
        let final_length = match settings.log_final_poly_len {
            0 => 0,
            n => n + 1,
        };
        let min = below.max(final_length);
        let uni = protocol == Protocol::Uni;
        let plain = |tables: &[Table]| matches!(tables, [table] if !table.shape.has_terminal());
        if uni && !plain(&evaluators.tables) {
            return Err(ShapeError::NotUni);
        }
        let mut messages = 0;
        let mut tables = Vec::new();
        for (table, &log_height) in evaluators.tables.iter().zip(log_heights) {
            // The field has domains for the codewords and for the quotient.
            let domain = settings.log_blowup.max(table.shape.log_quotient_chunks);
            let max = MAX_LOG_HEIGHT.saturating_sub(domain);
            if !(min..=max).contains(&log_height) {
                return Err(ShapeError::Height {
                    table: table.name.clone(),
                    log_height,
                    min,
                    max,
                });
            }
            messages += table.shape.row_weight << log_height;
            tables.push(ShapeTable {
                name: table.name.clone(),
                shape: table.shape.clone(),
                log_height,
            });
        }
        if messages >= u128::from(droste_native::field::MODULUS) {
            return Err(ShapeError::TooManyMessages { messages });
        }
        Ok(Self {
            protocol,
            hash,
            settings,
            seed,
            tables,
            buses: evaluators.buses.clone(),
        })
    }

    /// Whether any table has lookups.
    pub fn has_lookups(&self) -> bool {
        self.tables.iter().any(|table| table.shape.has_terminal())
    }

    /// Whether any table has preprocessed columns.
    pub fn has_preprocessed(&self) -> bool {
        self.tables
            .iter()
            .any(|table| table.shape.preprocessed_width > 0)
    }

    /// The commitments in the order in which they are opened.
    pub fn rounds(&self) -> Vec<Round> {
        let all = |kind, matrices: &dyn Fn(&TableShape) -> Vec<(usize, bool)>| Round {
            kind,
            matrices: self
                .tables
                .iter()
                .enumerate()
                .flat_map(|(index, table)| {
                    let shape = move |(width, next)| MatrixShape {
                        table: index,
                        width,
                        log_height: table.log_height,
                        next,
                    };
                    matrices(&table.shape).into_iter().map(shape)
                })
                .collect(),
        };
        let optional = |width, next| {
            if width == 0 {
                vec![]
            } else {
                vec![(width, next)]
            }
        };
        let rounds = [
            all(RoundKind::Main, &|t| vec![(t.main_width, t.main_next)]),
            all(RoundKind::Quotient, &|t| {
                vec![(EXTENSION_DEGREE, false); t.quotient_chunks()]
            }),
            all(RoundKind::Preprocessed, &|t| {
                optional(t.preprocessed_width, t.preprocessed_next)
            }),
            all(RoundKind::Permutation, &|t| {
                optional(t.permutation_width(), true)
            }),
        ];
        rounds
            .into_iter()
            .filter(|round| !round.matrices.is_empty())
            .collect()
    }

    /// Logarithm of the length of the longest codeword, the bits of a query index.
    pub fn log_length(&self) -> usize {
        let tallest = self.tables.iter().map(|table| table.log_height).max();
        tallest.unwrap_or(0) + self.settings.log_blowup
    }

    /// Distinct logarithms of table heights, tallest first.
    pub fn log_heights(&self) -> Vec<usize> {
        let mut heights: Vec<usize> = self.tables.iter().map(|table| table.log_height).collect();
        heights.sort_unstable_by(|a, b| b.cmp(a));
        heights.dedup();
        heights
    }

    /// Logarithm of the folding factor of each round of FRI.
    pub fn log_arities(&self) -> Vec<usize> {
        let lengths: Vec<usize> = self
            .log_heights()
            .into_iter()
            .map(|height| height + self.settings.log_blowup)
            .collect();
        fold_schedule(
            &lengths,
            self.settings.log_blowup + self.settings.log_final_poly_len,
            self.settings.max_log_arity,
        )
    }

    /// Digests of the commitment to the preprocessed traces, none if there are no such traces.
    pub fn preprocessed_digests(&self) -> usize {
        let rounds = self.rounds();
        let round = rounds
            .iter()
            .find(|round| round.kind == RoundKind::Preprocessed);
        round.map_or(0, |round| {
            1 << self.cap_levels(round.tallest() + self.settings.log_blowup)
        })
    }

    /// Public values of all tables.
    pub fn public_values(&self) -> usize {
        let counts = self
            .tables
            .iter()
            .map(|table| table.shape.num_public_values);
        counts.sum()
    }

    /// Levels of a tree of `2^log_leaves` leaves that its cap replaces.
    pub fn cap_levels(&self, log_leaves: usize) -> usize {
        self.settings.cap_height.min(log_leaves)
    }

    /// Elements by which Plonky3's transcript of the proof begins.
    pub fn stark_seed(&self) -> Vec<F> {
        let mut recorder = Recorder::default();
        match (self.protocol, self.tables.as_slice()) {
            (Protocol::Uni, [table]) => uni_shape(table, &self.settings)
                .domain_separator::<F, EF>()
                .seed(&mut recorder),
            _ => self
                .batch_shape()
                .domain_separator::<F, EF>()
                .seed(&mut recorder),
        }
        recorder.0
    }

    fn batch_shape(&self) -> BatchShape {
        let shape = |value: &dyn Fn(&TableShape) -> usize| -> Vec<usize> {
            self.tables
                .iter()
                .map(|table| value(&table.shape))
                .collect()
        };
        BatchShape {
            trace_widths: shape(&|t| t.main_width),
            public_value_counts: shape(&|t| t.num_public_values),
            preprocessed_widths: shape(&|t| t.preprocessed_width),
            has_preprocessed_commitment: self.has_preprocessed(),
            num_lookup_instances: self
                .tables
                .iter()
                .filter(|table| table.shape.has_terminal())
                .count(),
            lookup_pow_bits: self.settings.lookup_grinding_bits,
            has_randomization_commitment: false,
            ood_pow_bits: self.settings.ood_grinding_bits,
        }
    }

    /// Elements by which the transcript of the opening argument begins.
    pub fn opening_seed(&self) -> Vec<F> {
        let counts = |round: &Round| {
            let points = |matrix: &MatrixShape| vec![matrix.width; 1 + usize::from(matrix.next)];
            round.matrices.iter().map(points).collect()
        };
        let shape = PcsShape {
            claimed_evaluation_counts: self.rounds().iter().map(counts).collect(),
            batch_pow_bits: self.settings.batch_grinding_bits,
        };
        let mut recorder = Recorder::default();
        shape.domain_separator::<F, EF>().seed(&mut recorder);
        recorder.0
    }

    /// Elements by which the transcript of the low-degree test begins.
    pub fn fri_seed(&self) -> Vec<F> {
        let parameters = self.settings.parameters(());
        let shape = FriShape::with_schedule(&parameters, self.log_arities(), self.log_length());
        let mut recorder = Recorder::default();
        shape.domain_separator::<F, EF>().seed(&mut recorder);
        recorder.0
    }
}

fn uni_shape(table: &ShapeTable, settings: &FriSettings) -> StarkShape {
    let shape = &table.shape;
    StarkShape {
        log_ext_degree: table.log_height,
        log_degree: table.log_height,
        main_width: shape.main_width,
        preprocessed_width: shape.preprocessed_width,
        num_public_values: shape.num_public_values,
        num_periodic_columns: shape.periodic_columns.len(),
        num_quotient_chunks: shape.quotient_chunks(),
        opens_main_next_row: shape.main_next,
        opens_preprocessed_next_row: shape.preprocessed_next,
        has_randomization: false,
        ood_pow_bits: settings.ood_grinding_bits,
    }
}

/// Collects what a transcript would observe.
#[derive(Default)]
struct Recorder(Vec<F>);

impl CanObserve<F> for Recorder {
    fn observe(&mut self, value: F) {
        self.0.push(value);
    }
}

/// Canonical integers, as the zk-DSL writes constants.
pub(crate) fn integers(values: &[F]) -> Vec<u32> {
    values.iter().map(PrimeField32::as_canonical_u32).collect()
}
