//! The prover over WHIR: a proof of one run of a program.

use std::borrow::Cow;
use std::ops::Range;

use droste_native::gkr::{self, Fractions, GkrError, GkrProof};
use droste_native::stark::challenger::{ExtensionTranscript, Sent, Transcript, with_grinding};
use droste_native::whir::{Scheme, grind};
use droste_native::{EF, F, HashSuite};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_util::log2_strict_usize;
use tracing::info_span;

use super::key::{Provable, Whir};
use super::proof::{Proof, StarkProof, claims, observe_shape, sample_lookups};
use super::proving_key::{ProvingKey, fill};
use super::verifier::{accept, scheme_and_shape};
use crate::key::ProofSystem;
use crate::record::Execution;
use crate::stack::{Prove, ProveError};
use crate::tables::{LANES, TraceInput};
use crate::traces::{check_traces, heights_of, traces_of};
use crate::whir::cells::Cells;
use crate::whir::faults::{unbalanced_message, violated_constraint};
use crate::whir::leaves::{leaves, unbalanced_bus};
use crate::whir::system::Shape;
use crate::whir::zerocheck::{self, LeafClaim, ProvingError};

/// Traces, one per table: of the prover, which frees them early, or of its caller.
type Traces<'a> = Cow<'a, [RowMajorMatrix<F>]>;

/// Proves the sum of the messages' fractions.
type ProveFractions =
    fn(Fractions, &mut dyn ExtensionTranscript) -> Result<(GkrProof, gkr::LeafClaim), GkrError>;

/// Traces that violate a constraint, or whose messages do not balance, are an error: the finished
/// proof is verified, which takes a small part of the time of making it.
impl<T: Provable, H: HashSuite> Prove for ProvingKey<T, H> {
    type Proof = Proof<H>;

    #[inline(never)] // Linked by other crates (docs/profiles.md).
    fn traces(&self, execution: &Execution) -> Result<Vec<RowMajorMatrix<F>>, ProveError> {
        let log_heights = self.log_heights(execution)?;
        let input = TraceInput {
            program: self.program(),
            execution,
        };
        traces_of(self.machine().tables(), &input, &log_heights)
    }

    fn prove_traces(
        &self,
        statement: [F; LANES],
        traces: &[RowMajorMatrix<F>],
    ) -> Result<Proof<H>, ProveError> {
        self.prove_and_verify(statement, traces.into())
    }

    fn prove_run(&self, execution: &Execution) -> Result<Proof<H>, ProveError> {
        let traces = info_span!("traces").in_scope(|| self.traces(execution))?;
        self.prove_and_verify(execution.statement, traces.into())
    }
}

impl<T: Provable, H: HashSuite> ProvingKey<T, H> {
    /// Returns the logarithms of the heights of a run's traces.
    ///
    /// # Errors
    /// If a trace does not fit its height, or needs a height that is impossible with the key's
    /// settings.
    pub fn log_heights(&self, execution: &Execution) -> Result<Vec<usize>, ProveError> {
        let input = &TraceInput {
            program: self.program(),
            execution,
        };
        let (limits, tables) = (
            Whir::<H>::limits(&self.key.settings),
            self.machine().tables(),
        );
        heights_of(tables, &self.heights, limits, |table| {
            table.padded_rows(input)
        })
    }

    #[inline(never)] // Linked by other crates (docs/profiles.md).
    fn prove_and_verify(
        &self,
        statement: [F; LANES],
        traces: Traces<'_>,
    ) -> Result<Proof<H>, ProveError> {
        let mut challenger = H::challenger();
        let proof = self.prove_with(statement, traces, gkr::prove, &mut challenger)?;
        let (key, parts, challenger) = (&self.key, &self.parts, &mut H::challenger());
        info_span!("verify").in_scope(|| {
            let (scheme, shape) = scheme_and_shape(key, parts, &proof.log_heights)?;
            accept(key, parts, &scheme, &shape, &proof, challenger)
        })?;
        Ok(proof)
    }

    /// Proves given traces with this transcript, which has observed nothing, and does not verify
    /// the proof. If messages do not balance, or the transcript is any but a new one of the suite,
    /// it is one that verifiers refuse: this is for tests, whose
    /// transcripts observe false values.
    ///
    /// # Errors
    /// See [`ProveError`].
    #[doc(hidden)]
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn prove_traces_with(
        &self,
        statement: [F; LANES],
        traces: &[RowMajorMatrix<F>],
        challenger: &mut dyn Transcript<H>,
    ) -> Result<Proof<H>, ProveError> {
        self.prove_with(statement, traces.into(), gkr::prove_unchecked, challenger)
    }

    fn prove_with(
        &self,
        statement: [F; LANES],
        traces: Traces<'_>,
        fractions: ProveFractions,
        challenger: &mut dyn Transcript<H>,
    ) -> Result<Proof<H>, ProveError> {
        droste_native::log_baseline_warning();
        check_traces(self.machine().tables(), &traces)?;
        let log_heights: Vec<usize> = traces
            .iter()
            .map(|trace| log2_strict_usize(trace.height()))
            .collect();
        let prove = || self.prove_stark(&statement, traces, &log_heights, fractions, challenger);
        let stark = with_grinding(prove)??;
        Ok(Proof {
            key: self.key.clone(),
            statement,
            log_heights,
            stark,
        })
    }

    fn prove_stark(
        &self,
        statement: &[F; LANES],
        traces: Traces<'_>,
        log_heights: &[usize],
        fractions: ProveFractions,
        challenger: &mut dyn Transcript<H>,
    ) -> Result<StarkProof<H>, ProveError> {
        let system = &self.parts.system;
        let (scheme, shape) = scheme_and_shape(&self.key, &self.parts, log_heights)?;
        let stack = scheme.layout();
        let cells = info_span!("stack").in_scope(|| {
            let mut cells = F::zero_vec(stack.main_cells());
            for (index, (trace, table)) in traces.iter().zip(system.tables()).enumerate() {
                fill(&mut cells, &table.main, trace, |slot| {
                    stack.main_column(index, slot)
                });
            }
            cells
        });
        let main = info_span!("commit").in_scope(|| scheme.commit(cells));
        observe_shape(&self.key, statement, log_heights, challenger);
        let commitment = Sent::send(main.cap().clone(), challenger);
        let preprocessed = Some(&self.preprocessed);
        let outside =
            info_span!("outside").in_scope(|| scheme.outside(&main, preprocessed, challenger))?;
        let values = outside.values().to_vec();

        let columns = self.columns(&shape, &scheme, main.cells());
        let bits = self.key.settings.lookup_grinding_bits;
        let lookup_nonces = grind(challenger, bits).into_iter().collect();
        let challenges = sample_lookups(challenger);
        let leaves = info_span!("leaves")
            .in_scope(|| leaves(system, &shape, &columns, statement, &challenges))?;
        let leaves = Fractions::packed(shape.log_leaves(), leaves)?;
        // The stack has what the traces had. They are freed where as much memory is needed next: an
        // allocator can hand it out at once, and no page is cleared for it.
        drop(traces);
        let proved = info_span!("fractions").in_scope(|| fractions(leaves, challenger));
        let (fractions, claim) = match proved {
            Err(GkrError::Unbalanced) => {
                let leaves = self::leaves(system, &shape, &columns, statement, &challenges)?;
                let message = unbalanced_bus(system, &shape, &leaves)
                    .and_then(|bus| unbalanced_message(system, &shape, &columns, statement, bus));
                return Err(match message {
                    Some(message) => message.into(),
                    None => GkrError::Unbalanced.into(),
                });
            }
            proved => proved?,
        };
        let claim = LeafClaim::from(claim);
        let proved = info_span!("constraints").in_scope(|| {
            zerocheck::prove(
                system,
                &shape,
                &columns,
                statement,
                &claim,
                &challenges,
                challenger,
            )
        });
        let proved = match proved {
            Err(ProvingError::Unsatisfied) => {
                let violated = violated_constraint(system, &shape, &columns, statement);
                return Err(violated.map_or(ProvingError::Unsatisfied.into(), Into::into));
            }
            proved => proved?,
        };
        let opened = Sent::send(proved.opened, challenger);
        let y: EF = challenger.sample_extension();
        let claims = claims(system, &scheme, &proved.reduction.point, opened.peek(), y);
        let claims: Vec<_> = claims.into_iter().map(|(claim, _)| claim).collect();
        let opening = scheme.open(&main, preprocessed, outside, &claims, challenger)?;
        Ok(StarkProof {
            commitment,
            outside: values,
            lookup_nonces,
            fractions,
            zerocheck: proved.proof,
            opened,
            opening,
        })
    }

    /// The cells of each table, as they lie in the stack.
    fn columns<'a>(&'a self, shape: &Shape, scheme: &Scheme<H>, main: &'a [F]) -> Vec<Cells<'a>> {
        let stack = scheme.layout();
        let preprocessed = self.preprocessed.cells();
        let tables = self.parts.system.tables().iter().zip(shape.log_heights());
        tables
            .enumerate()
            .map(|(index, (table, log_height))| {
                let part = |cells: &'a [F], first: Option<Range<usize>>, width: usize| {
                    let start = first.map_or(0, |first| first.start);
                    cells
                        .get(start..start + (width << log_height))
                        .unwrap_or_default()
                };
                Cells {
                    main: part(main, stack.main_column(index, 0), table.main.width()),
                    preprocessed: part(
                        preprocessed,
                        stack.preprocessed_column(index, 0),
                        table.preprocessed.width(),
                    ),
                }
            })
            .collect()
    }
}
