//! The values that Plonky3's verifier computes.

use droste_native::field::EXTENSION_DEGREE;
use droste_native::{EF, F, Poseidon16Suite};
use p3_air::{Air, RowWindow};
use p3_batch_stark::folder::VerifierConstraintFolderWithLookups;
use p3_field::{ExtensionField, PrimeCharacteristicRing};
use p3_lookup::{LogUpGadget, Lookup, LookupProtocol};
use p3_matrix::dense::RowMajorMatrixView;
use p3_matrix::stack::VerticalPair;
use p3_uni_stark::VerifierConstraintFolder;

use crate::codegen::{AirShape, OpenedTable};

pub(super) type Config = droste_native::stark::suite::Config<Poseidon16Suite>;

/// Openings filled with pseudorandom values (SplitMix64 from `seed`).
pub(super) fn random_opening(shape: &AirShape, buses: usize, seed: u64) -> OpenedTable {
    let mut state = seed;
    let mut scalar = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        F::from_u64(z ^ (z >> 31))
    };
    let public_values = (0..shape.num_public_values).map(|_| scalar()).collect();
    let mut element = || EF::new(core::array::from_fn(|_| scalar()));
    let mut row = |width: usize| -> Vec<EF> { (0..width).map(|_| element()).collect() };
    let next = |opened: bool, width: usize| if opened { width } else { 0 };
    OpenedTable {
        main: row(shape.main_width),
        main_next: row(next(shape.main_next, shape.main_width)),
        preprocessed: row(shape.preprocessed_width),
        preprocessed_next: row(next(shape.preprocessed_next, shape.preprocessed_width)),
        permutation: row(shape.permutation_width()),
        permutation_next: row(shape.permutation_width()),
        periodic: row(shape.periodic_columns.len()),
        buses: row(buses),
        public_values,
        is_first_row: element(),
        is_last_row: element(),
        is_transition: element(),
        terminal: element(),
        beta: element(),
        alpha: element(),
        point: element(),
        combiner: EF::ZERO,
        weights: vec![],
    }
}

/// The accumulator of Plonky3's folder after the AIR and its lookups, set up as `verify_batch`
/// does.
pub(super) fn expected<A>(
    air: &A,
    lookups: &[Lookup<F>],
    shape: &AirShape,
    opened: &OpenedTable,
) -> EF
where
    A: for<'a> Air<VerifierConstraintFolderWithLookups<'a, Config>>,
{
    let or_zeros = |row: &[EF], width: usize| {
        let mut row = row.to_vec();
        row.resize(width, EF::ZERO);
        row
    };
    let main_next = or_zeros(&opened.main_next, shape.main_width);
    let preprocessed_next = or_zeros(&opened.preprocessed_next, shape.preprocessed_width);
    let recompose = |flat: &[EF]| -> Vec<EF> {
        flat.chunks_exact(EXTENSION_DEGREE)
            .map(|c| <EF as ExtensionField<F>>::from_ext_basis_coefficients(c).unwrap())
            .collect()
    };
    let permutation = recompose(&opened.permutation);
    let permutation_next = recompose(&opened.permutation_next);
    let challenges: Vec<EF> = shape
        .buses
        .iter()
        .flat_map(|&bus| [opened.buses[bus], opened.beta])
        .collect();
    let terminals: Vec<EF> = shape
        .has_terminal()
        .then_some(opened.terminal)
        .into_iter()
        .collect();
    fn pair<'a>(
        here: &'a [EF],
        next: &'a [EF],
    ) -> VerticalPair<RowMajorMatrixView<'a, EF>, RowMajorMatrixView<'a, EF>> {
        VerticalPair::new(
            RowMajorMatrixView::new_row(here),
            RowMajorMatrixView::new_row(next),
        )
    }
    let mut folder = VerifierConstraintFolderWithLookups::<Config> {
        inner: VerifierConstraintFolder {
            main: pair(&opened.main, &main_next),
            preprocessed: pair(&opened.preprocessed, &preprocessed_next),
            preprocessed_window: RowWindow::from_two_rows(&opened.preprocessed, &preprocessed_next),
            periodic_values: &opened.periodic,
            public_values: &opened.public_values,
            is_first_row: opened.is_first_row,
            is_last_row: opened.is_last_row,
            is_transition: opened.is_transition,
            alpha: opened.alpha,
            accumulator: EF::ZERO,
        },
        permutation: pair(&permutation, &permutation_next),
        permutation_challenges: &challenges,
        permutation_values: &terminals,
    };
    LogUpGadget::new().eval_air_and_lookups(air, &mut folder, lookups);
    folder.inner.accumulator
}
