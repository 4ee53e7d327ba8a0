//! Evaluates the constraints of a table at one point and folds them, as Plonky3's verifier does.

use std::fmt;

use droste_native::{Config, EF, F, HashSuite};
use p3_air::{AirBuilder, RowWindow};
use p3_batch_stark::folder::VerifierConstraintFolderWithLookups as VerifierFolder;
use p3_lookup::{Count, InteractionBuilder};

/// What a table's constraints are evaluated with in a verifier. It has no hash as a type parameter,
/// so that they are compiled once for all.
///
/// A constraint is folded by a call that is not inlined. LLVM 22 looks for CRCs in loops whose
/// number of iterations is a constant multiple of 8 (`HashRecognize`). Where a loop carries one
/// coefficient of the folded constraints, it takes time exponential in the depth of the loop's body:
/// for a table of a hash it did not end. With the call, no loop carries one.
pub struct PointFolder<'a> {
    main: RowWindow<'a, EF>,
    preprocessed: RowWindow<'a, EF>,
    periodic_values: &'a [EF],
    public_values: &'a [F],
    is_first_row: EF,
    is_last_row: EF,
    is_transition: EF,
    alpha: EF,
    accumulator: EF,
}

impl fmt::Debug for PointFolder<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PointFolder")
            .finish_non_exhaustive()
    }
}

impl<'a> PointFolder<'a> {
    /// Begins where Plonky3's verifier is.
    pub(crate) fn new<H: HashSuite>(folder: &VerifierFolder<'a, Config<H>>) -> Self {
        let inner = &folder.inner;
        Self {
            main: RowWindow::from_two_rows(inner.main.top.values, inner.main.bottom.values),
            preprocessed: inner.preprocessed_window,
            periodic_values: inner.periodic_values,
            public_values: inner.public_values,
            is_first_row: inner.is_first_row,
            is_last_row: inner.is_last_row,
            is_transition: inner.is_transition,
            alpha: inner.alpha,
            accumulator: inner.accumulator,
        }
    }

    /// The constraints so far, folded.
    pub(crate) const fn accumulator(&self) -> EF {
        self.accumulator
    }

    #[inline(never)]
    fn fold(&mut self, constraint: EF) {
        self.accumulator = self.accumulator * self.alpha + constraint;
    }
}

impl<'a> AirBuilder for PointFolder<'a> {
    type F = F;
    type Expr = EF;
    type Var = EF;
    type PreprocessedWindow = RowWindow<'a, EF>;
    type MainWindow = RowWindow<'a, EF>;
    type PublicVar = F;
    type PeriodicVar = EF;

    fn main(&self) -> Self::MainWindow {
        self.main
    }

    fn preprocessed(&self) -> &Self::PreprocessedWindow {
        &self.preprocessed
    }

    fn is_first_row(&self) -> EF {
        self.is_first_row
    }

    fn is_last_row(&self) -> EF {
        self.is_last_row
    }

    fn is_transition(&self) -> EF {
        self.is_transition
    }

    fn assert_zero<I: Into<EF>>(&mut self, x: I) {
        self.fold(x.into());
    }

    fn public_values(&self) -> &[F] {
        self.public_values
    }

    fn periodic_values(&self) -> &[EF] {
        self.periodic_values
    }
}

/// Messages are no constraints: Plonky3's verifier checks the columns of their sums itself.
impl InteractionBuilder for PointFolder<'_> {
    fn push_interaction<E: Into<EF>>(
        &mut self,
        _: &str,
        fields: impl IntoIterator<Item = E>,
        _: impl Into<Count<EF>>,
    ) {
        // What computes the elements may call the builder.
        fields.into_iter().for_each(drop);
    }

    fn push_local_interaction(&mut self, tuples: impl IntoIterator<Item = (Vec<EF>, Count<EF>)>) {
        tuples.into_iter().for_each(drop);
    }
}

#[cfg(test)]
mod tests {
    use droste_native::Poseidon16Suite;
    use droste_native::stark::challenger::{ExtensionTranscript, Poseidon16Challenger};
    use p3_air::{Air, BaseAir, WindowAccess};
    use p3_matrix::dense::RowMajorMatrixView;
    use p3_matrix::stack::{VerticalPair, ViewPair};
    use p3_uni_stark::VerifierConstraintFolder;

    use super::*;
    use crate::fri::one_folder::OneFolder;
    use crate::tables::cpu::CpuTable;

    type OfPlonky3<'a> = VerifierFolder<'a, Config<Poseidon16Suite>>;

    /// An AIR that reads what the table `cpu` does not.
    struct Others;

    impl BaseAir<F> for Others {
        fn width(&self) -> usize {
            2
        }

        fn preprocessed_width(&self) -> usize {
            1
        }

        fn num_public_values(&self) -> usize {
            1
        }

        fn num_periodic_columns(&self) -> usize {
            1
        }
    }

    impl<AB: InteractionBuilder<F = F>> Air<AB> for Others {
        fn eval(&self, builder: &mut AB) {
            let main = builder.main();
            let (x, y) = (main.current_slice()[0], main.next_slice()[1]);
            let [fixed, fixed_next]: [AB::Expr; 2] = {
                let window = builder.preprocessed();
                [
                    window.current_slice()[0].into(),
                    window.next_slice()[0].into(),
                ]
            };
            let public: AB::Expr = builder.public_values()[0].into();
            let periodic: AB::Expr = builder.periodic_values()[0].into();
            builder.assert_eq(x * y, fixed_next * periodic);
            builder.push_interaction("bus", [x, y], Count::bounded(fixed.clone(), 1));
            builder.assert_zeros([fixed - x, public - y]);
        }
    }

    fn pair(rows: &[Vec<EF>; 2]) -> ViewPair<'_, EF> {
        let [top, bottom] = rows.each_ref();
        VerticalPair::new(
            RowMajorMatrixView::new_row(top.as_slice()),
            RowMajorMatrixView::new_row(bottom.as_slice()),
        )
    }

    /// Both fold the table's constraints to one value, at any point and after any others.
    fn check<T>(table: &T)
    where
        T: BaseAir<F> + for<'a> Air<PointFolder<'a>> + for<'a> Air<OfPlonky3<'a>>,
    {
        let mut transcript = Poseidon16Challenger::default();
        let mut random = |count: usize| -> Vec<EF> {
            let values = (0..count).map(|_| transcript.sample_extension());
            values.collect()
        };
        let main = [BaseAir::<F>::width(table); 2].map(&mut random);
        let preprocessed = [BaseAir::<F>::preprocessed_width(table); 2].map(&mut random);
        let periodic_values = random(BaseAir::<F>::num_periodic_columns(table));
        let public_values = vec![F::new(7); BaseAir::<F>::num_public_values(table)];
        let [is_first_row, is_last_row, is_transition, alpha, accumulator] =
            [1; 5].map(|count| random(count)[0]);
        let none = [vec![], vec![]];
        let folder = || OfPlonky3 {
            inner: VerifierConstraintFolder {
                main: pair(&main),
                preprocessed: pair(&preprocessed),
                preprocessed_window: RowWindow::from_two_rows(&preprocessed[0], &preprocessed[1]),
                periodic_values: &periodic_values,
                public_values: &public_values,
                is_first_row,
                is_last_row,
                is_transition,
                alpha,
                accumulator,
            },
            permutation: pair(&none),
            permutation_challenges: &[],
            permutation_values: &[],
        };
        let (mut expected, mut found) = (folder(), folder());
        Air::eval(table, &mut expected);
        Air::eval(&OneFolder(table), &mut found);
        assert_ne!(expected.inner.accumulator, accumulator);
        assert_eq!(found.inner.accumulator, expected.inner.accumulator);
    }

    #[test]
    fn constraints_are_folded_as_by_plonky3() {
        check(&CpuTable);
        check(&Others);
    }
}
