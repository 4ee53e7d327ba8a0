//! AIRs that exercise every kind of value a constraint can read.

use std::borrow::Cow;

use droste_native::field::BaseField;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, LookupBus};

/// Sample tables, over any base field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sample {
    /// Next rows, preprocessed and periodic columns, public values, every kind of lookup.
    Everything,
    /// No next row, and nothing but bus messages.
    Narrow,
    /// Constraints that are constants and read no column.
    Constants,
}

pub(super) const WIDTH: usize = 6;

impl<K: BaseField> BaseAir<K> for Sample {
    fn width(&self) -> usize {
        WIDTH
    }

    fn num_public_values(&self) -> usize {
        match self {
            Self::Everything => 3,
            _ => 0,
        }
    }

    fn preprocessed_width(&self) -> usize {
        match self {
            Self::Everything => 2,
            _ => 0,
        }
    }

    fn num_periodic_columns(&self) -> usize {
        BaseAir::<K>::periodic_columns(self).len()
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<K>]> {
        match self {
            Self::Everything => Cow::Owned(vec![
                vec![K::ONE, K::TWO],
                vec![K::ZERO, K::ONE, K::TWO, K::NEG_ONE],
            ]),
            _ => Cow::Borrowed(&[]),
        }
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        match self {
            Self::Everything => (0..WIDTH).collect(),
            _ => Vec::new(),
        }
    }
}

impl<AB: AirBuilder<F: BaseField> + InteractionBuilder> Air<AB> for Sample {
    fn eval(&self, builder: &mut AB) {
        match self {
            Self::Everything => everything(builder),
            Self::Narrow => narrow(builder),
            Self::Constants => {
                builder.assert_zero(AB::F::ZERO);
                builder.assert_zero(AB::F::from_u32(5));
                let x: AB::Expr = builder.main().current_slice()[0].into();
                builder.assert_zero(x.clone() - x);
                builder.assert_zero(AB::F::NEG_ONE);
            }
        }
    }
}

fn everything<AB: AirBuilder<F: BaseField> + InteractionBuilder>(builder: &mut AB) {
    let main = builder.main();
    let here: Vec<AB::Expr> = main.current_slice().iter().map(|&x| x.into()).collect();
    let next: Vec<AB::Expr> = main.next_slice().iter().map(|&x| x.into()).collect();
    let preprocessed = builder.preprocessed().clone();
    let fixed: Vec<AB::Expr> = preprocessed
        .current_slice()
        .iter()
        .chain(preprocessed.next_slice())
        .map(|&x| x.into())
        .collect();
    let public: Vec<AB::Expr> = builder.public_values().iter().map(|&x| x.into()).collect();
    let periodic: Vec<AB::Expr> = builder
        .periodic_values()
        .iter()
        .map(|&x| x.into())
        .collect();

    builder.assert_bool(here[0].clone());
    builder.assert_bool(here[1].clone());
    builder
        .when_first_row()
        .assert_eq(here[2].clone(), public[0].clone());
    builder.when_last_row().assert_eq(
        here[3].clone() * public[1].clone(),
        public[2].clone() * public[1].clone(),
    );
    builder
        .when_transition()
        .assert_eq(next[2].clone(), here[3].clone() + periodic[0].clone());
    builder.when_transition().when(here[0].clone()).assert_eq(
        next[3].clone(),
        here[2].clone() * here[3].clone() + AB::F::from_u32(17),
    );
    let not = AB::Expr::ONE - here[0].clone();
    builder.when(not.clone()).assert_eq(
        here[4].clone() * AB::F::from_u32(3),
        fixed[0].clone() - fixed[3].clone(),
    );
    builder
        .when(not)
        .assert_zero(here[5].clone() * (here[4].clone() + periodic[1].clone()));
    builder.assert_eq(public[0].clone() - public[1].clone(), public[2].clone());
    let cube = here[5].clone().cube() * AB::F::TWO - here[4].clone() * here[3].clone() * AB::F::TWO;
    builder.assert_zero(cube);
    builder.assert_zero(AB::F::from_u32(9));
    builder.assert_zero(AB::Expr::from(AB::F::from_u32(4)) - public[2].clone());

    let bytes = LookupBus::new("bytes");
    let memory = LookupBus::new("memory");
    for i in 2..5 {
        bytes.lookup_key(
            builder,
            [here[i].clone()],
            Count::bounded(here[0].clone(), 1),
        );
    }
    memory.lookup_key(
        builder,
        [
            here[2].clone(),
            next[3].clone() + AB::F::ONE,
            fixed[1].clone(),
        ],
        1,
    );
    memory.table_entry(
        builder,
        [
            here[4].clone(),
            AB::Expr::from(AB::F::from_u32(3)),
            public[0].clone(),
        ],
        here[5].clone(),
    );
    builder.push_local_interaction(vec![
        (vec![here[2].clone(), here[3].clone()], Count::from(1)),
        (
            vec![here[4].clone(), here[5].clone()],
            Count::provided(-here[1].clone()),
        ),
    ]);
    memory.lookup_key_exclusive(
        builder,
        (0..2).map(|i| {
            let key = vec![
                here[i].clone(),
                periodic[0].clone(),
                AB::F::from_u32(8).into(),
            ];
            (here[i].clone(), key)
        }),
    );
}

fn narrow<AB: AirBuilder<F: BaseField> + InteractionBuilder>(builder: &mut AB) {
    let main = builder.main();
    let here: Vec<AB::Expr> = main.current_slice().iter().map(|&x| x.into()).collect();
    // A next row that is not opened reads as zero, as in Plonky3's verifier.
    let next: AB::Expr = main.next_slice()[0].into();
    builder.assert_eq(next * here[1].clone(), here[2].clone());
    LookupBus::new("bytes").table_entry(builder, [here[0].clone()], here[1].clone());
    LookupBus::new("memory").lookup_key(builder, here[2..5].to_vec(), -1);
}
