//! Provers that lie about what they committed to, in proofs that are otherwise consistent: the
//! transcript has what they sent, and every later step follows from it.

use p3_binary_field::{BinaryField2, Ghash128};
use p3_binary_pcs::{BooleanTraceData, BooleanTracePcs};
use p3_commit::{BatchOpening, BatchOpeningRef, Mmcs, MultilinearPcs};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::{Dimensions, Matrix};
use p3_multi_stark::config::{MultiStarkConfig, ProverData};
use p3_multi_stark::{ProverInstance, ProverInstances, ReprBackend, prove_with_backend, setup};
use p3_multilinear_util::point::Point;
use p3_sumcheck::layout::Table;
use p3_sumcheck::{OpeningEvals, OpeningProtocol, PrescribedOpeningSecurity, PrescribedPointPcs};

use crate::air::{CallAir, trace};
use crate::proof::prove_trace;
use crate::public::PublicBits;
use crate::public::tests::random_calls;
use crate::scheme::{Challenger, Codewords, Config, F, Settings, challenger};
use crate::tests::changed;
use crate::*;

/// Commits to another word than the one the prover goes on with: one symbol of 256 is changed, so
/// one coset of 16.
#[derive(Clone)]
struct LyingCodewords {
    honest: Codewords,
    lies: bool,
}

impl Mmcs<F> for LyingCodewords {
    type ProverData<M> = (M, <Codewords as Mmcs<F>>::ProverData<RowMajorMatrix<F>>);
    type Commitment = <Codewords as Mmcs<F>>::Commitment;
    type Proof = <Codewords as Mmcs<F>>::Proof;
    type MultiProof = <Codewords as Mmcs<F>>::MultiProof;
    type Error = <Codewords as Mmcs<F>>::Error;

    fn commit<M: Matrix<F>>(&self, mut inputs: Vec<M>) -> (Self::Commitment, Self::ProverData<M>) {
        let word = inputs.pop().unwrap();
        let mut symbols: Vec<F> = word.rows().flatten().collect();
        if self.lies {
            for symbol in symbols.iter_mut().step_by(256) {
                *symbol += F::ONE;
            }
        }
        let (root, data) = self.honest.commit_matrix(RowMajorMatrix::new(symbols, 1));
        (root, (word, data))
    }

    fn open_batch<M: Matrix<F>>(&self, _: usize, _: &Self::ProverData<M>) -> BatchOpening<F, Self> {
        unimplemented!("proofs have openings of many cosets")
    }

    fn get_matrices<'a, M: Matrix<F>>(&self, (word, _): &'a Self::ProverData<M>) -> Vec<&'a M> {
        vec![word]
    }

    fn open_multi_batch<M: Matrix<F>>(
        &self,
        indices: &[usize],
        (_, data): &Self::ProverData<M>,
    ) -> (Vec<Vec<Vec<F>>>, Self::MultiProof) {
        self.honest.open_multi_batch(indices, data)
    }

    fn verify_batch(
        &self,
        _: &Self::Commitment,
        _: &[Dimensions],
        _: usize,
        _: BatchOpeningRef<'_, F, Self>,
    ) -> Result<(), Self::Error> {
        unimplemented!("a prover does not verify")
    }

    fn verify_multi_batch<R: AsRef<[F]> + PartialEq>(
        &self,
        _: &Self::Commitment,
        _: &[Dimensions],
        _: &[usize],
        _: &[Vec<R>],
        _: &Self::MultiProof,
    ) -> Result<(), Self::Error> {
        unimplemented!("a prover does not verify")
    }
}

type Scheme = BooleanTracePcs<F, LyingCodewords, LyingCodewords>;

/// Commits to and opens one trace, and lends the zerocheck another.
struct LyingCommitment(Scheme);

impl MultilinearPcs<F, Challenger> for LyingCommitment {
    type Val = F;
    type Commitment = <Scheme as MultilinearPcs<F, Challenger>>::Commitment;
    type ProverData = (BooleanTraceData<F, LyingCodewords>, Table<F>);
    type Proof = <Scheme as MultilinearPcs<F, Challenger>>::Proof;
    type Error = <Scheme as MultilinearPcs<F, Challenger>>::Error;
    type ProverError = <Scheme as MultilinearPcs<F, Challenger>>::ProverError;
    /// The trace to commit to, and the one to show.
    type Witness = (Table<F>, Table<F>);
    type OpeningProtocol = OpeningProtocol;

    fn num_vars(&self) -> usize {
        self.0.num_variables()
    }

    fn commit(
        &self,
        (committed, shown): Self::Witness,
        challenger: &mut Challenger,
    ) -> Result<(Self::Commitment, Self::ProverData), Self::ProverError> {
        let (root, data) = self.0.commit(vec![committed], challenger)?;
        Ok((root, (data, shown)))
    }

    fn observe_commitment(&self, commitment: &Self::Commitment, challenger: &mut Challenger) {
        self.0.observe_commitment(commitment, challenger);
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
        unimplemented!("a prover does not verify")
    }
}

impl PrescribedPointPcs<F, Challenger> for LyingCommitment {
    fn prescribed_security(&self, _: &OpeningProtocol) -> Option<PrescribedOpeningSecurity> {
        None
    }

    fn open_at(
        &self,
        (data, _): Self::ProverData,
        protocol: &OpeningProtocol,
        points: &[Point<F>],
        challenger: &mut Challenger,
    ) -> Result<Self::Proof, Self::ProverError> {
        self.0.open_at(data, protocol, points, challenger)
    }

    fn verify_at(
        &self,
        _: &Self::Commitment,
        _: &Self::Proof,
        _: &OpeningProtocol,
        _: &[Point<F>],
        _: &mut Challenger,
    ) -> Result<Vec<OpeningEvals<F>>, Self::Error> {
        unimplemented!("a prover does not verify")
    }
}

struct Liar {
    scheme: LyingCommitment,
    committed: Table<F>,
}

impl MultiStarkConfig for Liar {
    type Val = F;
    type Challenge = F;
    type Challenger = Challenger;
    type Pcs = LyingCommitment;

    fn pcs(&self) -> &Self::Pcs {
        &self.scheme
    }

    fn min_num_variables(&self) -> usize {
        1
    }

    fn build_witness(&self, mut tables: Vec<Table<F>>) -> (Table<F>, Table<F>) {
        (self.committed.clone(), tables.pop().unwrap())
    }

    fn committed_table<'a>(&self, data: &'a ProverData<Self>, _: usize) -> &'a Table<F> {
        &data.1
    }
}

/// A proof that begins as one of the statement `said`, whose prover commits to one trace and sums
/// another. It may lie about the codeword of the trace, or those of the folds.
fn lie(
    said: &HashCalls,
    committed: &RowMajorMatrix<u64>,
    shown: &RowMajorMatrix<u64>,
    [lies, lies_in_folds]: [bool; 2],
) -> Proof {
    type Backend = ReprBackend<BinaryField2, Ghash128, true>;
    let log_rows = PublicBits::new(said).unwrap().log_rows();
    let table = |trace: &RowMajorMatrix<u64>| Table::from_packed_bits(trace.clone(), log_rows);
    let settings = Settings::new(CallAir::new(said.hash()), log_rows).unwrap();
    let [codewords, folds] = [lies, lies_in_folds].map(|lies| LyingCodewords {
        honest: settings.codewords.clone(),
        lies,
    });
    let scheme = Scheme::new(settings.folds, codewords, folds, settings.variables);
    let liar = Liar {
        scheme: LyingCommitment(scheme.map_err(|error| format!("{error:?}")).unwrap()),
        committed: table(committed),
    };
    let air = CallAir::new(said.hash());
    let mut transcript = challenger(&said.digest());
    let (key, _) = setup(&liar, &[&air], &mut transcript.clone()).unwrap();
    let instance = ProverInstance::new(&air, table(shown), &key, &[]);
    let instances = ProverInstances::new(vec![instance]);
    let inner = prove_with_backend::<_, _, Backend>(&liar, instances, 0, &mut transcript);
    let inner = inner.map_err(|error| format!("{error:?}")).unwrap();
    // The same file, read as one of an honest prover.
    let bytes = droste_vm::codec::encode_body(said.digest().to_vec(), &inner).unwrap();
    droste_vm::codec::decode_body(&bytes, 0).unwrap()
}

fn true_trace(statement: &HashCalls) -> RowMajorMatrix<u64> {
    trace(&PublicBits::new(statement).unwrap())
}

/// A column that is in one bit of the output only, and that bit.
fn output_column(hash: Hash) -> (usize, usize) {
    let width = CallAir::new(hash).columns();
    match hash {
        // `d1` of the last round's first diagonal, whose `a` is word 0.
        Hash::Blake3 | Hash::Blake2s => (width - 4 * 190 + 31, 0),
        Hash::KeccakF => (width - 1, 1599),
    }
}

#[test]
fn liars_who_do_not_lie_are_believed() {
    let statement = random_calls(Hash::Blake3, 3, 20);
    let trace = true_trace(&statement);
    let proof = lie(&statement, &trace, &trace, [false; 2]);
    assert!(verify(&statement, &proof).is_ok());
    assert!(encode(&proof).unwrap() == encode(&prove(&statement).unwrap()).unwrap());
}

/// The committed trace has the false output, so that public bits agree. Constraints do not, whether
/// they are summed of this trace or of the true one.
#[test]
fn an_output_without_its_computation_is_refused() {
    for hash in Hash::ALL {
        let statement = random_calls(hash, 2, 21);
        let (column, bit) = output_column(hash);
        let said = changed(&statement, 1, 8 * hash.input_bytes() + bit);
        let honest = true_trace(&statement);
        let mut forced = honest.clone();
        forced.values[column] ^= 1 << 1;
        for shown in [&forced, &honest] {
            let error = verify(&said, &lie(&said, &forced, shown, [false; 2])).unwrap_err();
            assert!(matches!(error, VerifyError::Constraints(_)), "{error:?}");
        }
        // The other way: a true trace is committed, sums are those of the false one.
        let error = verify(&said, &lie(&said, &honest, &forced, [false; 2])).unwrap_err();
        let expected = 8 * hash.input_bytes() + bit;
        assert!(
            matches!(error, VerifyError::PublicBit { bit } if bit == expected),
            "{error:?}"
        );
    }
}

/// False bits whose sum is zero: in one column, in one call, in all of a column.
#[test]
fn false_bits_do_not_cancel() {
    let statement = random_calls(Hash::Blake2s, 64, 22);
    let honest = true_trace(&statement);
    let (inputs, all) = (8 * 112, 8 * 144);
    let lies: [Vec<(usize, usize)>; 4] = [
        vec![(3, inputs), (4, inputs)],
        vec![(3, inputs), (3, inputs + 1)],
        vec![(0, 0), (0, all - 1), (63, 0), (63, all - 1)],
        (0..64).map(|call| (call, inputs)).collect(),
    ];
    for lies in lies {
        let said = lies.iter().fold(statement.clone(), |said, &(call, bit)| {
            changed(&said, call, bit)
        });
        let error = verify(&said, &lie(&said, &honest, &honest, [false; 2])).unwrap_err();
        assert!(matches!(error, VerifyError::PublicBit { .. }), "{error:?}");
    }
}

/// Words that are not those of the trace and its folds, in one coset of 16.
#[test]
fn false_codewords_are_refused() {
    let statement = random_calls(Hash::Blake3, 2, 23);
    let trace = true_trace(&statement);
    for lies in [[true, false], [false, true], [true, true]] {
        let error = verify(&statement, &lie(&statement, &trace, &trace, lies)).unwrap_err();
        let expected = matches!(&error, VerifyError::Opening(text) if text.contains("Fold"));
        assert!(expected, "{error:?}");
    }
}

/// The number of rows is the statement's: a trace with more or fewer is not one of it, though the
/// transcript begins with the statement, and the calls are in the first rows.
#[test]
fn traces_of_other_heights_are_refused() {
    let [short, long] = [64, 65].map(|calls| random_calls(Hash::Blake3, calls, 26));
    for (said, proved) in [(&short, &long), (&long, &short)] {
        let config = Config::new(PublicBits::new(proved).unwrap()).unwrap();
        let inner = prove_trace(&config, true_trace(proved), challenger(&said.digest()));
        let (statement, inner) = (said.digest(), inner.unwrap());
        let error = verify(said, &Proof { statement, inner }).unwrap_err();
        assert!(matches!(error, VerifyError::Constraints(_)), "{error:?}");
    }
}
