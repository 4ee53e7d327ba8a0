//! A proof of one table, with the calls and the block memory of a run as two more tables.

use droste_air::test_utils::RowBuilder;
use droste_native::{Blake3Family, Config, EF, F, FriSettings, config};
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_batch_stark::folder::{
    ProverConstraintFolderWithLookups, VerifierConstraintFolderWithLookups,
};
use p3_batch_stark::{ProverData, StarkInstance, prove_batch, verify_batch};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{InteractionBuilder, InteractionSymbolicBuilder};
use p3_matrix::dense::RowMajorMatrix;

use super::Bench;
use crate::tables::{LANES, Table, bus};

type Settings = Config<Blake3Family>;

/// The table under test, and what stands for the rest of the machine.
#[derive(Clone, Copy)]
enum Tables<T> {
    /// The table.
    Tested(T),
    /// Address, lanes, uses.
    Blocks,
    /// Identity, operands, and whether the row is a call.
    Calls,
}

impl<T: BaseAir<F>> BaseAir<F> for Tables<T> {
    fn width(&self) -> usize {
        match self {
            Self::Tested(table) => table.width(),
            Self::Blocks => LANES + 2,
            Self::Calls => 7,
        }
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        match self {
            Self::Tested(table) => table.main_next_row_columns(),
            Self::Blocks => vec![0],
            Self::Calls => vec![],
        }
    }
}

impl<AB: InteractionBuilder<F = F>, T: Air<AB> + BaseAir<F>> Air<AB> for Tables<T> {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (row, next) = (main.current_slice(), main.next_slice());
        match self {
            Self::Tested(table) => table.eval(builder),
            Self::Blocks => {
                builder.when_first_row().assert_zero(row[0]);
                let following = row[0] + AB::Expr::ONE;
                builder.when_transition().assert_eq(next[0], following);
                let lanes = std::array::from_fn(|lane| row[1 + lane].into());
                bus::provide_block(builder, row[0], lanes, row[LANES + 1]);
            }
            Self::Calls => {
                builder.assert_bool(row[6]);
                let operands = std::array::from_fn(|i| row[1 + i].into());
                bus::send_call(builder, row[0], operands, row[6]);
            }
        }
    }
}

impl<T> Bench<'_, T>
where
    T: Table
        + Copy
        + Air<InteractionSymbolicBuilder<F, EF>>
        + Air<RowBuilder<F>>
        + for<'b> Air<ProverConstraintFolderWithLookups<'b, Settings>>
        + for<'b> Air<VerifierConstraintFolderWithLookups<'b, Settings>>,
{
    /// Whether Plonky3's verifier accepts a proof of the honest trace.
    pub fn proves(&self) -> bool {
        let (tested, uses) = self.trace();
        let mut blocks = Vec::new();
        let height = self.execution.image.blocks.len().next_power_of_two();
        for address in 0..height {
            blocks.push(F::from_usize(address));
            let block = self.execution.image.blocks.get(address);
            blocks.extend(block.copied().unwrap_or_default());
            blocks.push(F::from_u32(uses.blocks.get(address).copied().unwrap_or(0)));
        }
        let mut calls = Vec::new();
        for (identity, list) in self.execution.calls.iter().enumerate() {
            for call in list {
                calls.extend([F::from_usize(identity), call.a, call.b, call.c, call.d]);
                calls.extend([call.e, F::ONE]);
            }
        }
        calls.resize((calls.len() / 7).next_power_of_two().max(2) * 7, F::ZERO);

        let airs = [Tables::Tested(*self.table), Tables::Blocks, Tables::Calls];
        let traces = [
            tested,
            RowMajorMatrix::new(blocks, LANES + 2),
            RowMajorMatrix::new(calls, 7),
        ];
        let config = config::<Blake3Family>(&FriSettings::toy(), &[]).expect("toy settings");
        let instances: Vec<_> = airs
            .iter()
            .zip(&traces)
            .map(|(air, trace)| StarkInstance {
                air,
                trace,
                public_values: vec![],
            })
            .collect();
        let data = ProverData::from_instances(&config, &instances).expect("prover data");
        let proof = prove_batch(&config, &instances, &data).expect("proof");
        let data = ProverData::from_airs_and_degrees(&config, &airs, &proof.degree_bits)
            .expect("verifier data");
        verify_batch(
            &config,
            &airs,
            &proof,
            &[vec![], vec![], vec![]],
            &data.common,
        )
        .is_ok()
    }
}
