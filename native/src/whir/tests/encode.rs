//! Leaves have the values of the rows' polynomials.

use p3_field::{BasedVectorSpace, ExtensionField, TwoAdicField};

use super::*;

/// The value at `x` of the polynomial with these coefficients, constant term first.
fn horner<T: ExtensionField<F>>(coefficients: impl DoubleEndedIterator<Item = T>, x: F) -> T {
    coefficients.rev().fold(T::ZERO, |sum, c| sum * x + c)
}

#[test]
fn leaves_are_values_of_rows() {
    let case: Case = Case::new(&toy(8), &mixed());
    let step = case.scheme.schedule().stack;
    let indices: Vec<usize> = (0..1 << step.log_leaves).collect();
    let generator = F::two_adic_generator(step.log_leaves);
    for committed in [&case.main, case.preprocessed.as_ref().unwrap()] {
        let opened = committed.codeword().open(&case.scheme.mmcs, &indices);
        for (leaf, x) in zip(opened.leaves.peek(), generator.powers()) {
            let rows = committed.cells().chunks_exact(1 << 8);
            let expected: Vec<F> = rows.map(|row| horner(row.iter().copied(), x)).collect();
            assert_eq!(*leaf, expected);
        }
    }
}

#[test]
fn leaves_are_values_of_folded_rows() {
    let case: Case = Case::new(&toy(8), &mixed());
    let mut rng = SmallRng::seed_from_u64(4);
    let step = case.scheme.schedule().folded[0];
    let values: Vec<EF> = (0..1 << step.variables).map(|_| rng.random()).collect();
    let codeword = case.scheme.commit_folded(&values, &step);
    let indices: Vec<usize> = (0..1 << step.log_leaves).collect();
    let opened = codeword.open(&case.scheme.mmcs, &indices);
    let generator = F::two_adic_generator(step.log_leaves);
    for (leaf, x) in zip(opened.leaves.peek(), generator.powers()) {
        let rows = values.chunks_exact(1 << (step.variables - step.fold));
        let expected: Vec<F> = rows
            .flat_map(|row| {
                let value = horner(row.iter().copied(), x);
                let coefficients: &[F] = value.as_basis_coefficients_slice();
                coefficients.to_vec()
            })
            .collect();
        assert_eq!(*leaf, expected);
    }
}
