//! Openings of a trace with true values in the row and false ones in the next, for `liars`.

use std::sync::{Arc, Mutex};

use p3_air::BaseAir;
use p3_binary_field::{PackedGf2, Underlier};
use p3_binary_pcs::{
    BinaryPcs, BitOpening, BitReadings, BooleanBackend, BooleanMultilinearPcs, BooleanPcs,
    BooleanProof, BooleanTraceCommitment, BooleanTraceCommitmentData, BooleanTraceCommitmentProof,
};
use p3_challenger::fs::{
    DomainSeparator, FieldToFieldCodec, FieldUnit, Hierarchy, Interaction, InteractionPattern,
    Kind, Length, ProverState,
};
use p3_commit::MultilinearPcs;
use p3_field::{Field, PrimeCharacteristicRing};
use p3_multi_stark::config::{MultiStarkConfig, ProverData};
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::layout::Table;
use p3_sumcheck::ring_switch::bits::{
    BitPacking, BitRingSwitch, BitRingSwitchClaimsProof, BitRingSwitchProverTranscript,
    BitRingSwitchShape, ClaimElements,
};
use p3_sumcheck::strategy::{Basis, ReprSumcheckProver, VariableOrder};
use p3_sumcheck::{
    OpeningBatch, OpeningEvals, OpeningProtocol, PrescribedOpeningSecurity, PrescribedPointPcs,
    SumcheckData, TableShape, TableSpec,
};

use crate::air::{CallAir, outputs};
use crate::scheme::{Challenger, Codewords, F, Settings};

type Bits = BooleanPcs<F, Codewords, Codewords>;
type BitsData = <Bits as BooleanBackend<F>>::ProverData;
type BitsError = <Bits as BooleanBackend<F>>::Error;
type BitsProof = BooleanProof<F, Codewords, Codewords>;

/// Keeps what an opening is made of, for the prover that lies afterwards.
pub(super) struct Kept {
    bits: Bits,
    data: Arc<Mutex<Option<BitsData>>>,
}

impl BooleanBackend<F> for Kept {
    type Commitment = <Bits as BooleanBackend<F>>::Commitment;
    type ProverData = BitsData;
    type Proof = BitsProof;
    type Error = BitsError;

    fn num_variables(&self) -> usize {
        self.bits.num_variables()
    }
}

impl BooleanMultilinearPcs<F, Challenger> for Kept {
    fn observe_commitment(&self, commitment: &Self::Commitment, challenger: &mut Challenger) {
        self.bits.observe_commitment(commitment, challenger);
    }

    fn commit_bits<U: Underlier>(
        &self,
        bits: &[PackedGf2<U>],
        challenger: &mut Challenger,
    ) -> Result<(Self::Commitment, BitsData), BitsError> {
        self.bits.commit_bits(bits, challenger)
    }

    fn open_readings(
        &self,
        data: BitsData,
        openings: &[BitOpening<F>],
        challenger: &mut Challenger,
    ) -> Result<(Vec<BitReadings<F>>, BitsProof), BitsError> {
        *self.data.lock().unwrap() = Some(data.clone());
        self.bits.open_readings(data, openings, challenger)
    }

    fn verify_readings(
        &self,
        _: &Self::Commitment,
        _: &[BitOpening<F>],
        _: &[BitReadings<F>],
        _: &BitsProof,
        _: &mut Challenger,
    ) -> Result<(), BitsError> {
        unimplemented!("a prover does not verify")
    }

    fn readings_security(&self, _: usize, _: bool) -> Option<PrescribedOpeningSecurity> {
        None
    }

    fn open_at_points(
        &self,
        _: BitsData,
        _: &[Point<F>],
        _: &mut Challenger,
    ) -> Result<(Vec<F>, BitsProof), BitsError> {
        unimplemented!("openings have readings of the next row")
    }

    fn verify_at_points(
        &self,
        _: &Self::Commitment,
        _: &[Point<F>],
        _: &[F],
        _: &BitsProof,
        _: &mut Challenger,
    ) -> Result<(), BitsError> {
        unimplemented!("a prover does not verify")
    }
}

type Scheme = BooleanTraceCommitment<F, Kept>;

/// What is true in an opening whose values of the next row are not.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tensors {
    /// The tensors are those of the trace.
    True,
    /// One tensor is false, such that all give the false values; later sums follow from it.
    False,
}

/// Opens the trace with true values in the row and false ones in the next.
pub(super) struct NextRowLiar {
    scheme: Scheme,
    /// What the scheme's last opening was made of.
    kept: Arc<Mutex<Option<BitsData>>>,
    bits: Bits,
    elements: BinaryPcs<F, F, Codewords, Codewords>,
    air: CallAir,
    shape: TableShape,
    tensors: Tensors,
}

impl NextRowLiar {
    pub fn new(air: CallAir, log_rows: usize, tensors: Tensors) -> Self {
        let settings = Settings::new(air, log_rows).unwrap();
        let (folds, codewords) = (settings.folds, || settings.codewords.clone());
        let bits = || Bits::new(folds, codewords(), codewords(), settings.variables);
        let bits = || bits().map_err(|error| format!("{error:?}")).unwrap();
        let kept = Arc::new(Mutex::new(None));
        Self {
            scheme: Scheme::from_commitment(Kept {
                bits: bits(),
                data: kept.clone(),
            }),
            kept,
            bits: bits(),
            elements: BinaryPcs::new(folds, codewords(), codewords()).unwrap(),
            air,
            shape: TableShape::new(log_rows, air.columns()),
            tensors,
        }
    }

    /// The protocol that opens these columns of the table, in the row and in the next.
    fn protocol(shape: TableShape, current: Vec<usize>, next: Vec<usize>) -> OpeningProtocol {
        let batch = OpeningBatch::new(current, next);
        OpeningProtocol::new(vec![TableSpec::new(shape, vec![batch])])
    }

    fn whole_rows(&self) -> OpeningProtocol {
        let columns: Vec<usize> = (0..self.shape.width()).collect();
        Self::protocol(self.shape, columns.clone(), columns)
    }

    /// The columns that are read in the next row.
    fn children(&self) -> Vec<usize> {
        BaseAir::<F>::main_next_row_columns(&self.air)
    }

    /// Plays the transcript of Plonky3's batch of whole rows, and returns the point of columns.
    fn combine(&self, point: &Point<F>, values: &[F], challenger: &mut Challenger) -> Point<F> {
        let (rows, width) = (self.shape.num_variables(), self.shape.width());
        let selectors = width.next_power_of_two().trailing_zeros() as usize;
        let step = |kind, label, length| {
            Interaction::algebra::<F, F>(Hierarchy::Atomic, kind, label, Length::Fixed(length))
        };
        let labels = ["row_point", "column_values", "next_column_values"];
        let lengths = [rows, width, width];
        let mut steps: Vec<_> = labels
            .into_iter()
            .zip(lengths)
            .map(|(label, length)| step(Kind::Message, label, length))
            .collect();
        steps.push(step(Kind::Challenge, "column_point", selectors));
        let pattern = InteractionPattern::new(steps).unwrap();
        let mut separator: DomainSeparator<FieldUnit<F>> =
            DomainSeparator::new(1, b"p3-boolean-trace-column-batching", pattern);
        for number in [rows, width, 1] {
            separator.instance(&(number as u64).to_be_bytes());
        }
        separator.instance(b"successor");
        let mut state = ProverState::new(challenger, &separator);
        let (current, next) = values.split_at(width);
        for (label, values) in labels.into_iter().zip([point.as_slice(), current, next]) {
            state.observe_extensions::<F, F, FieldToFieldCodec<F>>(label, values);
        }
        let drawn = state.challenge_scalars::<F, FieldToFieldCodec<F>>("column_point", selectors);
        state.finalize();
        Point::new(drawn.into_iter().map(|x| x.into_inner()).collect())
    }

    /// The ring switch and the opening of a prover who adds to one tensor what makes up for
    /// `difference`, that between the false and the true value of the next row at `point`. Its
    /// later sums are true, and its last value is the one with which they would end.
    fn false_tensors(
        &self,
        data: BitsData,
        point: &Point<F>,
        difference: F,
        challenger: &mut Challenger,
    ) -> BitsProof {
        let rows = self.shape.num_variables();
        let packed = data.table(0).poly(0);
        let packing = BitPacking::from_packed(packed).unwrap();
        let switch = BitRingSwitch::with_successor(point, rows).unwrap();
        let mut tensor = switch.tensor(&packing).unwrap();
        let mut successor = switch.successor_tensors(&packing).unwrap();
        let low = &point.as_slice()[switch.num_variables()..];
        let low = Poly::new_from_point(low, F::ONE);
        let low = low.as_slice();
        match &mut successor {
            Some(tensors) => tensors
                .carry
                .add_exterior_product(difference * low[127].inverse(), F::ONE),
            // Row 1 is after row 0, and no row is before it. In the row they cancel.
            None => {
                let second = difference * low[0].inverse();
                let first = second * low[1] * low[0].inverse();
                tensor.add_exterior_product(first, F::ONE);
                tensor.add_exterior_product(second, F::from_le_bytes(2_u128.to_le_bytes()));
            }
        }
        let shape = match successor {
            Some(_) => BitRingSwitchShape::with_successor_rows(point.num_variables(), rows),
            None => BitRingSwitchShape::new(point.num_variables()),
        };
        let mut transcript =
            BitRingSwitchProverTranscript::<Challenger, F>::new(&mut *challenger, shape);
        let rows_of_successor = successor
            .as_ref()
            .map(|tensors| (tensors.carry.rows(), tensors.last.rows()));
        let (batching, alpha) = transcript.statement(point, tensor.rows(), rows_of_successor);
        let batch = match alpha {
            Some(alpha) => switch.batch_with_successor(&batching, alpha),
            None => switch.batch(&batching),
        };
        let batch = batch.unwrap();
        let mut sum = batch.initial_sum(&tensor, successor.as_ref());
        let mut prover = ReprSumcheckProver::<F, F, F>::from_tables(
            VariableOrder::Prefix,
            Poly::new(packing.poly().as_slice().to_vec()),
            batch.weights(),
            sum,
        );
        let mut sumcheck = SumcheckData::default();
        let rounds = switch.num_variables();
        let end = transcript.batched_sumcheck(|challenger| {
            let mut replayed = challenger.clone();
            let end = prover.compute_sumcheck_polynomials(&mut sumcheck, challenger, rounds, 0);
            let replay =
                sumcheck.verify_rounds(&mut replayed, &mut sum, rounds, 0, Basis::Evaluation);
            assert!(replay.unwrap() == end);
            end
        });
        let final_eval = sum * batch.closing_weight(&end).unwrap().inverse();
        transcript.surviving_claim(final_eval);
        transcript.finish();
        let protocol = Self::protocol(TableShape::new(rounds, 1), vec![0], vec![]);
        let evals = [OpeningBatch::new(vec![final_eval], vec![])];
        let opening = self
            .elements
            .try_open_at_known(data, &protocol, &[end], &evals, challenger);
        BooleanProof {
            reduction: BitRingSwitchClaimsProof {
                claims: vec![ClaimElements { tensor, successor }],
                sumcheck,
                final_eval,
            },
            opening: opening.map_err(|error| format!("{error:?}")).unwrap(),
        }
    }
}

impl MultilinearPcs<F, Challenger> for NextRowLiar {
    type Val = F;
    type Commitment = <Scheme as MultilinearPcs<F, Challenger>>::Commitment;
    type ProverData = BooleanTraceCommitmentData<F, BitsData>;
    type Proof = BooleanTraceCommitmentProof<F, BitsProof>;
    type Error = <Scheme as MultilinearPcs<F, Challenger>>::Error;
    type ProverError = <Scheme as MultilinearPcs<F, Challenger>>::ProverError;
    type Witness = Vec<Table<F>>;
    type OpeningProtocol = OpeningProtocol;

    fn num_vars(&self) -> usize {
        self.scheme.num_variables()
    }

    fn commit(
        &self,
        witness: Self::Witness,
        challenger: &mut Challenger,
    ) -> Result<(Self::Commitment, Self::ProverData), Self::ProverError> {
        self.scheme.commit(witness, challenger)
    }

    fn observe_commitment(&self, commitment: &Self::Commitment, challenger: &mut Challenger) {
        self.scheme.observe_commitment(commitment, challenger);
    }

    fn open(
        &self,
        _: Self::ProverData,
        _: OpeningProtocol,
        _: &mut Challenger,
    ) -> Result<Self::Proof, Self::ProverError> {
        unimplemented!("the points are those of the zerocheck")
    }

    fn verify(
        &self,
        _: &Self::Commitment,
        _: &Self::Proof,
        _: &mut Challenger,
        _: OpeningProtocol,
    ) -> Result<(), Self::Error> {
        unimplemented!("the points are those of the zerocheck")
    }
}

impl PrescribedPointPcs<F, Challenger> for NextRowLiar {
    fn prescribed_security(&self, _: &OpeningProtocol) -> Option<PrescribedOpeningSecurity> {
        None
    }

    fn open_at(
        &self,
        data: Self::ProverData,
        _: &OpeningProtocol,
        points: &[Point<F>],
        challenger: &mut Challenger,
    ) -> Result<Self::Proof, Self::ProverError> {
        let whole = self.whole_rows();
        let honest = self
            .scheme
            .open_at(data, &whole, points, &mut challenger.clone())?;
        let data = self.kept.lock().unwrap().take().unwrap();
        let (width, mut values) = (self.shape.width(), honest.values);
        let parents = outputs(self.air.hash(), &values[..width]);
        for (child, parent) in self.children().into_iter().zip(parents) {
            values[width + child] = parent;
        }
        let mut point = self.combine(&points[0], &values, challenger);
        let weights = Poly::new_from_point(point.as_slice(), F::ONE);
        point.extend(&points[0]);
        let opening = BitOpening {
            point: point.clone(),
            row_variables: self.shape.num_variables(),
            current: true,
            next: true,
        };
        let mut after = challenger.clone();
        let (readings, true_tensors) = self
            .bits
            .open_readings(data.clone(), &[opening], &mut after)
            .map_err(|error| format!("{error:?}"))
            .unwrap();
        let weighted = values[width..].iter().zip(weights.as_slice());
        let said: F = weighted.map(|(&value, &weight)| value * weight).sum();
        let difference = said - readings[0].next.unwrap();
        assert!(difference != F::ZERO, "the next row is as it is said");
        let opening = match self.tensors {
            Tensors::True => true_tensors,
            Tensors::False => self.false_tensors(data, &point, difference, challenger),
        };
        Ok(BooleanTraceCommitmentProof { values, opening })
    }

    /// Believes all values.
    fn verify_at(
        &self,
        _: &Self::Commitment,
        proof: &Self::Proof,
        _: &OpeningProtocol,
        _: &[Point<F>],
        _: &mut Challenger,
    ) -> Result<Vec<OpeningEvals<F>>, Self::Error> {
        let (current, next) = proof.values.split_at(self.shape.width());
        let children = self.children().into_iter();
        let next = children.map(|column| next[column]).collect();
        Ok(vec![OpeningEvals::new(current.to_vec(), next)])
    }
}

/// A configuration in which proofs are made, and in which they are verified without openings.
pub(super) struct Liar(pub NextRowLiar);

impl MultiStarkConfig for Liar {
    type Val = F;
    type Challenge = F;
    type Challenger = Challenger;
    type Pcs = NextRowLiar;

    fn pcs(&self) -> &Self::Pcs {
        &self.0
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
