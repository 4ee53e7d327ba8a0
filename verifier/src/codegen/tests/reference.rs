//! The values that Plonky3's verifier computes.

use droste_native::field::AnyChallenge;
use droste_native::stark::suite::Dft;
use droste_native::{BabyBear, BabyBear4, EF, EF4, F, Poseidon16Suite};
use p3_air::{Air, RowWindow};
use p3_batch_stark::folder::VerifierConstraintFolderWithLookups;
use p3_blake3::Blake3;
use p3_challenger::{HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::{BasedVectorSpace, ExtensionField, PrimeCharacteristicRing};
use p3_fri::TwoAdicFriPcs;
use p3_lookup::{LogUpGadget, Lookup, LookupProtocol};
use p3_matrix::dense::RowMajorMatrixView;
use p3_matrix::stack::VerticalPair;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, SerializingHasher};
use p3_uni_stark::{StarkConfig, VerifierConstraintFolder};

use crate::codegen::cells::{cell, element};
use crate::codegen::{AirShape, OpenedTable};

pub(super) type Config = droste_native::stark::suite::Config<Poseidon16Suite>;

type Trees<K> = MerkleTreeMmcs<
    K,
    u8,
    SerializingHasher<Blake3>,
    CompressionFunctionFromHasher<Blake3, 2, 32>,
    2,
    32,
>;

/// A configuration with challenges of degree 4.
pub(super) type QuarticConfig = StarkConfig<
    TwoAdicFriPcs<F, Dft, Trees<F>, ExtensionMmcs<F, EF4, Trees<F>>>,
    EF4,
    SerializingChallenger32<F, HashChallenger<u8, Blake3, 32>>,
>;

/// A configuration over BabyBear.
pub(super) type BabyBearConfig = StarkConfig<
    TwoAdicFriPcs<
        BabyBear,
        Radix2DitParallel<BabyBear>,
        Trees<BabyBear>,
        ExtensionMmcs<BabyBear, BabyBear4, Trees<BabyBear>>,
    >,
    BabyBear4,
    SerializingChallenger32<BabyBear, HashChallenger<u8, Blake3, 32>>,
>;

/// Openings filled with pseudorandom values (SplitMix64 from `seed`).
pub(super) fn random_opening<E: AnyChallenge>(
    shape: &AirShape,
    buses: usize,
    seed: u64,
) -> OpenedTable<E> {
    let mut state = seed;
    let mut scalar = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        <E::Base as PrimeCharacteristicRing>::from_u64(z ^ (z >> 31))
    };
    let public: Vec<E::Base> = (0..shape.num_public_values).map(|_| scalar()).collect();
    let mut extension =
        || <E as BasedVectorSpace<E::Base>>::from_basis_coefficients_fn(|_| scalar());
    let mut row = |width: usize| -> Vec<E> { (0..width).map(|_| extension()).collect() };
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
        public_values: public.iter().map(|&x| cell(x)).collect(),
        public_elements: public.iter().map(|&x| x.into()).collect(),
        is_first_row: extension(),
        is_last_row: extension(),
        is_transition: extension(),
        terminal: extension(),
        beta: extension(),
        alpha: extension(),
        point: extension(),
        combiner: E::ZERO,
        weights: vec![],
    }
}

/// Defines a function for a configuration with challenges in a field.
macro_rules! reference {
    ($name:ident, $config:ty, $base:ty, $field:ty) => {
        /// The accumulator of Plonky3's folder after the AIR and its lookups, set up as
        /// `verify_batch` does.
        pub(super) fn $name<A>(
            air: &A,
            lookups: &[Lookup<$base>],
            shape: &AirShape,
            opened: &OpenedTable<$field>,
        ) -> $field
        where
            A: for<'a> Air<VerifierConstraintFolderWithLookups<'a, $config>>,
        {
            let or_zeros = |row: &[$field], width: usize| {
                let mut row = row.to_vec();
                row.resize(width, <$field>::ZERO);
                row
            };
            let main_next = or_zeros(&opened.main_next, shape.main_width);
            let preprocessed_next = or_zeros(&opened.preprocessed_next, shape.preprocessed_width);
            let recompose = |flat: &[$field]| -> Vec<$field> {
                flat.chunks_exact(<$field as BasedVectorSpace<$base>>::DIMENSION)
                    .map(|c| {
                        <$field as ExtensionField<$base>>::from_ext_basis_coefficients(c).unwrap()
                    })
                    .collect()
            };
            let public_values = opened.public_values.iter();
            let public_values: Vec<$base> = public_values.map(|&x| element(x)).collect();
            let permutation = recompose(&opened.permutation);
            let permutation_next = recompose(&opened.permutation_next);
            let challenges: Vec<$field> = shape
                .buses
                .iter()
                .flat_map(|&bus| [opened.buses[bus], opened.beta])
                .collect();
            let terminals: Vec<$field> = shape
                .has_terminal()
                .then_some(opened.terminal)
                .into_iter()
                .collect();
            fn pair<'a>(
                here: &'a [$field],
                next: &'a [$field],
            ) -> VerticalPair<RowMajorMatrixView<'a, $field>, RowMajorMatrixView<'a, $field>> {
                VerticalPair::new(
                    RowMajorMatrixView::new_row(here),
                    RowMajorMatrixView::new_row(next),
                )
            }
            let mut folder = VerifierConstraintFolderWithLookups::<$config> {
                inner: VerifierConstraintFolder {
                    main: pair(&opened.main, &main_next),
                    preprocessed: pair(&opened.preprocessed, &preprocessed_next),
                    preprocessed_window: RowWindow::from_two_rows(
                        &opened.preprocessed,
                        &preprocessed_next,
                    ),
                    periodic_values: &opened.periodic,
                    public_values: &public_values,
                    is_first_row: opened.is_first_row,
                    is_last_row: opened.is_last_row,
                    is_transition: opened.is_transition,
                    alpha: opened.alpha,
                    accumulator: <$field>::ZERO,
                },
                permutation: pair(&permutation, &permutation_next),
                permutation_challenges: &challenges,
                permutation_values: &terminals,
            };
            LogUpGadget::new().eval_air_and_lookups(air, &mut folder, lookups);
            folder.inner.accumulator
        }
    };
}

reference! { expected, Config, F, EF }
reference! { expected_in_the_quartic_field, QuarticConfig, F, EF4 }
reference! { expected_over_baby_bear, BabyBearConfig, BabyBear, BabyBear4 }
