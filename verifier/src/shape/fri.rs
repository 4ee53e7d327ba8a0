//! Shapes of proofs over FRI.

use std::ops::Deref;

use droste_gadgets::verify::fri::shape::{self as verify, Shape};
use droste_native::field::{AnyChallenge, BabyBear, BabyBear4, BaseField, ChallengeField};
use droste_native::{EF, EF4, FriSettings};
use droste_vm::heights::MAX_LOG_HEIGHT;
use p3_batch_stark::BatchShape;
use p3_challenger::CanObserve;
use p3_challenger::fs::{DomainSeparator, Unit};
use p3_fri::{PcsShape, fold_schedule};
use p3_uni_stark::StarkShape;

use crate::codegen::{AirShape, FriEvaluators, Table};
use crate::summary::integers;
use crate::tape::{TreesId, lanes};

/// Why no recursive verifier is generated for a shape.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ShapeError {
    /// The number of heights is not the number of tables.
    #[error("{heights} heights were given for {tables} tables, expected one per table")]
    Heights {
        /// Number of tables.
        tables: usize,
        /// Number of heights.
        heights: usize,
    },
    /// A table is taller than the field allows, or shorter than the commitment's cap or the final
    /// polynomial allows.
    #[error("the height of table {table} is 2^{log_height}, expected 2^{min} to 2^{max}")]
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
    #[error("there are no tables, expected at least one")]
    Empty,
    /// There may be more bus messages than the lookup argument can count.
    #[error("there may be {messages} bus messages, expected fewer than the field has elements")]
    TooManyMessages {
        /// Upper bound of the number of messages.
        messages: u128,
    },
    /// The tables are not what p3-uni-stark proves.
    #[error("a p3-uni-stark proof has one table without lookups, but other tables were given")]
    NotUni,
    /// There are no gadgets for trees over a field.
    #[error(
        "proofs over {field} in trees of {trees} cannot be verified, expected trees of a hash of \
         bytes there"
    )]
    Trees {
        /// Name of the base field.
        field: &'static str,
        /// Name of the trees.
        trees: &'static str,
    },
    /// A key's digest is of KoalaBear, and transcripts over another field absorb no such elements.
    #[error(
        "proofs over {field} begin with {seed} elements of KoalaBear, expected none: their \
         transcripts absorb no digest of a key"
    )]
    Seed {
        /// Name of the base field.
        field: &'static str,
        /// Number of elements.
        seed: usize,
    },
    /// A hiding proof has too few random codewords to mask the combination of its openings.
    #[error(
        "there are {found} random codewords, expected one per coefficient of a challenge: {degree}"
    )]
    RandomCodewords {
        /// Number of random codewords.
        found: usize,
        /// Degree of the field of challenges.
        degree: usize,
    },
    /// A hiding proof has more random codewords than a program is generated for.
    #[error("there are {found} random codewords, expected at most {MAX_RANDOM_CODEWORDS}")]
    TooManyRandomCodewords {
        /// Number of random codewords.
        found: usize,
    },
    /// A hiding proof opens more values of a column than its random rows mask.
    #[error(
        "table {table} has 2^{log_height} rows, expected {required} in a hiding proof: twice the \
         number of queries and of coefficients of the values that are opened of a column"
    )]
    HidingBudget {
        /// Name of the table.
        table: String,
        /// Logarithm of its height.
        log_height: usize,
        /// The smallest number of rows.
        required: usize,
    },
}

/// The largest number of random codewords of a hiding proof. As many as challenges have
/// coefficients, 4 or 5, mask all that is opened, and each more is a column of every matrix, which
/// the program reads in every query.
pub const MAX_RANDOM_CODEWORDS: usize = 64;

/// What a hiding proof of Plonky3 has that others have not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hiding {
    /// Number of random columns that `HidingFriPcs` adds to each matrix but preprocessed ones.
    pub random_codewords: usize,
    /// Number of random elements that `MerkleTreeHidingMmcs` adds to each row of a matrix.
    pub salts: usize,
}

/// The protocol of a proof. It determines what the transcript observes before the quotient, and in
/// which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// p3-batch-stark.
    Batch,
    /// p3-uni-stark: one table, no lookups.
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
}

/// One table of a proof.
#[derive(Clone, Debug)]
pub struct ProofTable {
    /// Name, as in the generated evaluators.
    pub name: String,
    /// Widths, openings, lookups.
    pub shape: AirShape,
    /// Logarithm of the height.
    pub log_height: usize,
}

/// Shape of a proof over two-adic FRI. It dereferences to the form that `droste_gadgets::verify`
/// takes.
#[derive(Clone, Debug)]
pub struct FriShape {
    /// The trees of its commitments, and its transcript.
    pub trees: TreesId,
    /// The field of its challenges.
    pub field: ChallengeField,
    /// FRI settings.
    pub settings: FriSettings,
    /// Number of elements that the transcript absorbs before the proof: those of the key digest, or
    /// none.
    pub seed: usize,
    /// Tables in the order of the proof.
    pub tables: Vec<ProofTable>,
    verify: Shape,
}

impl Deref for FriShape {
    type Target = Shape;

    fn deref(&self) -> &Shape {
        &self.verify
    }
}

impl FriShape {
    /// The shape of a proof of these tables at these heights, with challenges of the evaluators'
    /// field.
    ///
    /// # Errors
    /// If there is not one height per table, a height is out of range, there may be more bus
    /// messages than the field can count, the protocol has no such proofs, or there are no gadgets
    /// for these trees or this seed over the field.
    pub fn new(
        protocol: Protocol,
        trees: impl Into<TreesId>,
        settings: FriSettings,
        seed: usize,
        evaluators: &FriEvaluators,
        log_heights: &[usize],
    ) -> Result<Self, ShapeError> {
        Self::with_hiding(
            protocol,
            trees,
            settings,
            seed,
            evaluators,
            log_heights,
            None,
        )
    }

    /// As [`Self::new`], of a proof that is hiding if `hiding` says how.
    ///
    /// # Errors
    /// As for [`Self::new`], or if Plonky3 has no such hiding proofs: there are fewer random
    /// codewords than challenges have coefficients, or a table has too few rows (ePrint 2024/1037,
    /// section 4.2). Nor are there programs for more than [`MAX_RANDOM_CODEWORDS`].
    pub fn with_hiding(
        protocol: Protocol,
        trees: impl Into<TreesId>,
        settings: FriSettings,
        seed: usize,
        evaluators: &FriEvaluators,
        log_heights: &[usize],
        hiding: Option<Hiding>,
    ) -> Result<Self, ShapeError> {
        settings.validate()?;
        let trees = trees.into();
        if evaluators.field == ChallengeField::BabyBear && !trees.are_of_bytes() {
            return Err(ShapeError::Trees {
                field: BabyBear::NAME,
                trees: trees.name(),
            });
        }
        if evaluators.field == ChallengeField::BabyBear && seed > 0 {
            return Err(ShapeError::Seed {
                field: BabyBear::NAME,
                seed,
            });
        }
        if evaluators.tables.is_empty() {
            return Err(ShapeError::Empty);
        }
        if evaluators.tables.len() != log_heights.len() {
            return Err(ShapeError::Heights {
                tables: evaluators.tables.len(),
                heights: log_heights.len(),
            });
        }
        // The cap would not bind a matrix shorter than itself, and a folding input that is not
        // longer than the final polynomial cannot be folded.
        let below = settings.cap_height.saturating_sub(settings.log_blowup);
        let final_length = match settings.log_final_poly_len {
            0 => 0,
            n => n + 1,
        };
        // A hiding proof's matrices have twice the heights of tables.
        let extension = usize::from(hiding.is_some());
        let min = below.max(final_length).saturating_sub(extension);
        if let Some(Hiding {
            random_codewords, ..
        }) = hiding
        {
            let (found, degree) = (random_codewords, evaluators.degree());
            if found < degree {
                return Err(ShapeError::RandomCodewords { found, degree });
            }
            if found > MAX_RANDOM_CODEWORDS {
                return Err(ShapeError::TooManyRandomCodewords { found });
            }
        }
        let uni = protocol == Protocol::Uni;
        let plain = |tables: &[Table]| matches!(tables, [table] if !table.shape.has_terminal());
        if uni && !plain(&evaluators.tables) {
            return Err(ShapeError::NotUni);
        }
        let mut messages = 0;
        let mut tables = Vec::new();
        for (table, &log_height) in evaluators.tables.iter().zip(log_heights) {
            // The field must have domains for the codewords and for the quotient.
            let chunks = table.shape.log_quotient_chunks(hiding.is_some());
            let domain = chunks.max(settings.log_blowup + extension);
            let max = MAX_LOG_HEIGHT.saturating_sub(domain);
            if !(min..=max).contains(&log_height) {
                return Err(ShapeError::Height {
                    table: table.name.clone(),
                    log_height,
                    min,
                    max,
                });
            }
            if hiding.is_some() {
                check_budget(table, &settings, evaluators.degree(), log_height)?;
            }
            messages += table.shape.row_weight << log_height;
            tables.push(ProofTable {
                name: table.name.clone(),
                shape: table.shape.clone(),
                log_height,
            });
        }
        if messages >= u128::from(evaluators.field.modulus()) {
            return Err(ShapeError::TooManyMessages { messages });
        }
        let mut verify = verify_shape(&settings, &tables, evaluators, hiding);
        verify.uni = uni;
        let add_seeds = match evaluators.field {
            ChallengeField::Quintic => add_seeds::<EF>,
            ChallengeField::Quartic => add_seeds::<EF4>,
            ChallengeField::BabyBear => add_seeds::<BabyBear4>,
        };
        add_seeds(&mut verify, &settings, &tables);
        Ok(Self {
            trees,
            field: evaluators.field,
            settings,
            seed,
            tables,
            verify,
        })
    }

    /// Number of public values of all tables.
    pub fn public_values(&self) -> usize {
        let counts = self
            .tables
            .iter()
            .map(|table| table.shape.num_public_values);
        counts.sum()
    }
}

/// Fails if the random rows of a table's matrices mask fewer values than are opened of a column. Its
/// random rows are as many as its own.
fn check_budget(
    table: &Table,
    settings: &FriSettings,
    degree: usize,
    log_height: usize,
) -> Result<(), ShapeError> {
    let shape = &table.shape;
    let both = shape.main_next || shape.preprocessed_next || shape.has_terminal();
    let points = if both { 2 } else { 1 };
    let required = 2 * (settings.num_queries + degree * points);
    if (1 << log_height) < required {
        return Err(ShapeError::HidingBudget {
            table: table.name.clone(),
            log_height,
            required,
        });
    }
    Ok(())
}

/// The shape in the form that the verifier takes, without the elements that Plonky3's transcripts
/// absorb first, which depend on the rest of it.
fn verify_shape(
    settings: &FriSettings,
    tables: &[ProofTable],
    evaluators: &FriEvaluators,
    hiding: Option<Hiding>,
) -> Shape {
    let Hiding {
        random_codewords,
        salts,
    } = hiding.unwrap_or(Hiding {
        random_codewords: 0,
        salts: 0,
    });
    let table = |table: &ProofTable| verify::Table {
        log_height: table.log_height,
        main_width: table.shape.main_width,
        main_next: table.shape.main_next,
        preprocessed_width: table.shape.preprocessed_width,
        preprocessed_next: table.shape.preprocessed_next,
        permutation_width: table.shape.permutation_width(),
        quotient_chunks: table.shape.quotient_chunks(hiding.is_some()),
        public_values: table.shape.num_public_values,
    };
    let mut shape = Shape {
        uni: false,
        degree: evaluators.degree(),
        random_codewords,
        salts,
        tables: tables.iter().map(table).collect(),
        buses: evaluators.buses.count,
        message_width: evaluators.buses.message_width,
        log_blowup: settings.log_blowup,
        cap_height: settings.cap_height,
        num_queries: settings.num_queries,
        log_final_poly_len: settings.log_final_poly_len,
        log_arities: Vec::new(),
        lookup_grinding_bits: settings.lookup_grinding_bits,
        ood_grinding_bits: settings.ood_grinding_bits,
        batch_grinding_bits: settings.batch_grinding_bits,
        commit_grinding_bits: settings.commit_grinding_bits,
        query_grinding_bits: settings.query_grinding_bits,
        stark_seed: Vec::new(),
        opening_seed: Vec::new(),
        fri_seed: Vec::new(),
    };
    let heights = shape.log_heights().into_iter();
    let lengths: Vec<usize> = heights.map(|height| height + settings.log_blowup).collect();
    let last = settings.log_blowup + settings.log_final_poly_len;
    shape.log_arities = fold_schedule(&lengths, last, settings.max_log_arity);
    shape
}

fn batch_shape(shape: &Shape, tables: &[ProofTable], settings: &FriSettings) -> BatchShape {
    let of = |value: fn(&AirShape) -> usize| -> Vec<usize> {
        tables.iter().map(|table| value(&table.shape)).collect()
    };
    let preprocessed_widths = of(|t| t.preprocessed_width);
    BatchShape {
        trace_widths: of(|t| t.main_width),
        public_value_counts: of(|t| t.num_public_values),
        has_preprocessed_commitment: preprocessed_widths.iter().any(|&width| width > 0),
        preprocessed_widths,
        num_lookup_instances: of(|t| usize::from(t.has_terminal())).iter().sum(),
        lookup_pow_bits: settings.lookup_grinding_bits,
        has_randomization_commitment: shape.random_codewords > 0,
        ood_pow_bits: settings.ood_grinding_bits,
    }
}

fn opening_shape(shape: &Shape) -> PcsShape {
    let counts = |round: verify::Round| {
        let points = |matrix: &verify::Matrix| vec![matrix.width; matrix.openings.len()];
        round.matrices.iter().map(points).collect()
    };
    PcsShape {
        claimed_evaluation_counts: shape.rounds().into_iter().map(counts).collect(),
        batch_pow_bits: shape.batch_grinding_bits,
    }
}

fn uni_shape(verify: &Shape, table: &ProofTable, settings: &FriSettings) -> StarkShape {
    let shape = &table.shape;
    let hiding = verify.random_codewords > 0;
    StarkShape {
        log_ext_degree: table.log_height + verify.log_extension(),
        log_degree: table.log_height,
        main_width: shape.main_width,
        preprocessed_width: shape.preprocessed_width,
        num_public_values: shape.num_public_values,
        num_periodic_columns: shape.periodic_columns.len(),
        num_quotient_chunks: shape.quotient_chunks(hiding),
        opens_main_next_row: shape.main_next,
        opens_preprocessed_next_row: shape.preprocessed_next,
        has_randomization: hiding,
        ood_pow_bits: settings.ood_grinding_bits,
    }
}

/// Adds what Plonky3's transcripts absorb first, with challenges in `E`.
fn add_seeds<E: AnyChallenge>(shape: &mut Shape, settings: &FriSettings, tables: &[ProofTable]) {
    shape.stark_seed = match (shape.uni, tables) {
        (true, [table]) => {
            seed_of(uni_shape(shape, table, settings).domain_separator::<E::Base, E>())
        }
        _ => seed_of(batch_shape(shape, tables, settings).domain_separator::<E::Base, E>()),
    };
    shape.opening_seed = seed_of(opening_shape(shape).domain_separator::<E::Base, E>());
    let (parameters, arities) = (settings.parameters(()), shape.log_arities.clone());
    let fri = p3_fri::FriShape::with_schedule(&parameters, arities, shape.log_length());
    shape.fri_seed = seed_of(fri.domain_separator::<E::Base, E>());
}

/// The elements that a transcript of this protocol absorbs first, as a program observes them.
fn seed_of<K: BaseField, U: Unit<Item = K>>(separator: DomainSeparator<U>) -> Vec<u32> {
    /// A challenger that only records what it observes.
    struct Recorder<K>(Vec<K>);

    impl<K> CanObserve<K> for Recorder<K> {
        fn observe(&mut self, value: K) {
            self.0.push(value);
        }
    }

    let mut recorder = Recorder(Vec::new());
    separator.seed(&mut recorder);
    integers(&lanes(&recorder.0))
}

#[cfg(test)]
mod tests {
    use droste_native::HashId;

    use super::*;
    use crate::codegen::Buses;

    /// Why there is no shape without tables.
    fn refusal(field: ChallengeField, trees: TreesId, seed: usize) -> ShapeError {
        let evaluators = FriEvaluators {
            field,
            tables: Vec::new(),
            buses: Buses::default(),
        };
        let settings = FriSettings::toy();
        FriShape::new(Protocol::Uni, trees, settings, seed, &evaluators, &[]).unwrap_err()
    }

    #[test]
    fn seeds_over_baby_bear_are_refused_by_name() {
        let trees = TreesId::KeccakSponge;
        let error = refusal(ChallengeField::BabyBear, trees, 8).to_string();
        assert!(error.contains("BabyBear"), "{error}");
        for (field, seed) in [
            (ChallengeField::BabyBear, 0),
            (ChallengeField::Quartic, 8),
            (ChallengeField::Quintic, 8),
        ] {
            assert_eq!(refusal(field, trees, seed), ShapeError::Empty);
        }
    }

    #[test]
    fn trees_of_elements_over_baby_bear_are_refused_by_name() {
        let of = |field, trees| refusal(field, trees, 0);
        let bytes = [
            TreesId::Suite(HashId::Blake3),
            TreesId::Suite(HashId::Keccak),
            TreesId::KeccakSponge,
        ];
        let elements = [
            TreesId::Suite(HashId::Poseidon16),
            TreesId::Suite(HashId::Poseidon2),
            TreesId::Poseidon2Narrow,
            TreesId::Poseidon2Wide,
        ];
        for trees in bytes {
            assert_eq!(of(ChallengeField::BabyBear, trees), ShapeError::Empty);
        }
        for trees in elements {
            let error = of(ChallengeField::BabyBear, trees).to_string();
            assert!(error.contains("BabyBear"), "{error}");
            assert!(error.contains(trees.name()), "{error}");
            assert_eq!(of(ChallengeField::Quartic, trees), ShapeError::Empty);
        }
    }
}
