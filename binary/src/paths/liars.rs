//! A prover that knows no path and lies about the next row, in a consistent transcript.
//!
//! Its trace has every row right but for one that does not continue its path, and it sums without
//! the constraint that says so. That constraint is satisfied by one lie afterwards: the value of
//! each child in the next row at the point is said to be that of the output in this one. All else
//! is true, so that what refuses the proof can only be the opening of the next row.

use p3_air::{Air, AirBuilder, BaseAir};
use p3_binary_field::{BinaryField2, Ghash128};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_multi_stark::{
    ProverInstance, ProverInstances, ReprBackend, VerifierInstance, VerifierInstances,
    prove_with_backend, setup,
};
use p3_sumcheck::layout::Table;

use super::false_openings::{Liar, NextRowLiar, Tensors};
use super::tests::tree;
use super::*;
use crate::air::CallAir;
use crate::scheme::challenger;

/// The AIR of paths, without the constraint that a row continues its path.
struct WithoutChain(CallAir);

impl<T> BaseAir<T> for WithoutChain {
    fn width(&self) -> usize {
        BaseAir::<T>::width(&self.0)
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        BaseAir::<T>::main_next_row_columns(&self.0)
    }

    fn assumes_boolean_trace(&self) -> bool {
        true
    }

    fn num_constraints(&self) -> Option<usize> {
        BaseAir::<T>::num_constraints(&self.0)
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(2)
    }
}

impl<AB: AirBuilder> Air<AB> for WithoutChain {
    fn eval(&self, builder: &mut AB) {
        let constraints = BaseAir::<AB::F>::num_constraints(&self.0).unwrap();
        self.0.eval(&mut SkipChain {
            builder,
            left: constraints,
        });
    }
}

/// Asserts nothing instead of the last of the four constraints of each bit of a digest.
struct SkipChain<'a, AB> {
    builder: &'a mut AB,
    /// Constraints that are not asserted yet.
    left: usize,
}

impl<AB: AirBuilder> AirBuilder for SkipChain<'_, AB> {
    type F = AB::F;
    type Expr = AB::Expr;
    type Var = AB::Var;
    type PreprocessedWindow = AB::PreprocessedWindow;
    type MainWindow = AB::MainWindow;
    type PublicVar = AB::PublicVar;
    type PeriodicVar = AB::PeriodicVar;

    fn main(&self) -> Self::MainWindow {
        self.builder.main()
    }

    fn preprocessed(&self) -> &Self::PreprocessedWindow {
        self.builder.preprocessed()
    }

    fn is_first_row(&self) -> Self::Expr {
        self.builder.is_first_row()
    }

    fn is_last_row(&self) -> Self::Expr {
        self.builder.is_last_row()
    }

    fn is_transition(&self) -> Self::Expr {
        self.builder.is_transition()
    }

    fn assert_zero<I: Into<Self::Expr>>(&mut self, x: I) {
        self.left -= 1;
        match self.left < 4 * 256 && self.left.is_multiple_of(4) {
            true => self.builder.assert_zero(AB::Expr::ZERO),
            false => self.builder.assert_zero(x),
        }
    }
}

/// A statement with one false path, and the rows of a prover who has a path from its leaf and one
/// to its root, which meet below `level`.
fn false_path(hash: Hash, depth: usize, paths: usize, number: usize, level: usize) -> Lie {
    let said = tree(hash, depth, paths, 30);
    let other = tree(hash, depth, 1, 31);
    let mut public = said.statement.paths().to_vec();
    let (path, end) = (&mut public[number], other.statement.paths()[0]);
    let low = (1 << level) - 1;
    *path = Path {
        leaf: path.leaf,
        index: path.index & low | end.index & !low,
        root: end.root,
    };
    let log_rows = PublicBits::of_paths(&said.statement).log_rows();
    let (mut inputs, bytes) = (said.inputs(log_rows), hash.input_bytes());
    let rows = number * depth + level..(number + 1) * depth;
    inputs[rows.start * bytes..rows.end * bytes]
        .copy_from_slice(&other.inputs(6)[level * bytes..depth * bytes]);
    let statement = MerklePaths::new(hash, depth, public).unwrap();
    let trace = paths_trace(&PublicBits::of_paths(&statement), &inputs);
    Lie {
        statement,
        trace,
        log_rows,
    }
}

struct Lie {
    statement: MerklePaths,
    trace: RowMajorMatrix<u64>,
    log_rows: usize,
}

/// The error of the verifier, for a proof that one without openings accepts.
fn refused(lie: &Lie, tensors: Tensors) -> VerifyError {
    type Backend = ReprBackend<BinaryField2, Ghash128, true>;
    let (hash, digest) = (lie.statement.hash(), lie.statement.digest());
    let air = CallAir::of_paths(hash);
    let liar = Liar(NextRowLiar::new(air, lie.log_rows, tensors));
    let lying_air = WithoutChain(air);
    let (key, _) = setup(&liar, &[&lying_air], &mut challenger(&digest)).unwrap();
    let table = Table::from_packed_bits(lie.trace.clone(), lie.log_rows);
    let instances = ProverInstances::new(vec![ProverInstance::new(&lying_air, table, &key, &[])]);
    let inner = prove_with_backend::<_, _, Backend>(&liar, instances, 0, &mut challenger(&digest));
    let inner = inner.map_err(|error| format!("{error:?}")).unwrap();

    let (_, key) = setup(&liar, &[&air], &mut challenger(&digest)).unwrap();
    let instance = VerifierInstance::new(&air, &key, lie.log_rows, &[]);
    let instances = VerifierInstances::new(vec![instance]);
    p3_multi_stark::verify(&liar, instances, &inner, 0, &mut challenger(&digest))
        .map_err(|error| format!("{error:?}"))
        .unwrap();

    let bytes = droste_vm::codec::encode_body(digest.to_vec(), &inner).unwrap();
    verify(
        &lie.statement,
        &droste_vm::codec::decode_body(&bytes, 0).unwrap(),
    )
    .unwrap_err()
}

#[test]
fn lies_about_the_next_row_are_refused() {
    // One tensor; one tensor, and rows that are an element; three, where the next row is in another
    // element than the row.
    for (depth, paths, number, level) in [(2, 3, 1, 1), (3, 42, 20, 2), (3, 43, 42, 2)] {
        let lie = false_path(Hash::Blake3, depth, paths, number, level);
        let error = refused(&lie, Tensors::True);
        let expected = matches!(&error, VerifyError::Opening(text) if text.contains("Successor"));
        assert!(expected, "{error:?}");
        let error = refused(&lie, Tensors::False);
        // Folds of the codeword do not end in what the last value says.
        let expected = matches!(&error, VerifyError::Opening(text) if text.contains("FinalCheck"));
        assert!(expected, "{error:?}");
    }
}
