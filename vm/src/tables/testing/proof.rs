//! Proves one table, and those that serve it, together with two more, which provide the calls and
//! the block memory of a run.
//! The hash is the one with which [`OneFolder`](crate::fri::one_folder::OneFolder) evaluates
//! constraints, so that these are compiled once.

use droste_native::{F, FriSettings, Poseidon16Suite, config};
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_batch_stark::{ProverData, StarkInstance, prove_batch, verify_batch};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::dense::RowMajorMatrix;

use super::{Bench, Tested};
use crate::isa::Program;
use crate::machine::{MachineTables, StandardTables};
use crate::tables::bus::{self, BlockMessage, CallMessage};
use crate::tables::{LANES, LookupCounts, Table, TraceInput};

/// A table under test, or one of the two that replace the rest of the machine. All tables of the
/// machine have one type here, so that the prover is compiled once for all of them.
#[derive(Clone)]
enum Tables {
    /// The table under test, or one that serves it.
    Tested(StandardTables),
    /// Block memory, with columns for address, lanes and count.
    Blocks,
    /// Calls, with columns for identity and operands, and a flag for rows that are calls.
    Calls,
}

impl BaseAir<F> for Tables {
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

impl<AB: InteractionBuilder<F = F>> Air<AB> for Tables
where
    StandardTables: Air<AB>,
{
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (row, next) = (main.current_slice(), main.next_slice());
        match self {
            Self::Tested(table) => table.eval(builder),
            Self::Blocks => {
                builder.when_first_row().assert_zero(row[0]);
                let following = row[0] + AB::Expr::ONE;
                builder.when_transition().assert_eq(next[0], following);
                let block = BlockMessage {
                    address: row[0].into(),
                    lanes: std::array::from_fn(|lane| row[1 + lane].into()),
                };
                bus::BLOCK.table_entry(builder, block.into_fields(), row[LANES + 1]);
            }
            Self::Calls => {
                builder.assert_bool(row[6]);
                let [id, a, b, c, d, e] = std::array::from_fn(|i| row[i].into());
                let call = CallMessage { id, a, b, c, d, e };
                bus::CALL.send(
                    builder,
                    call.into_fields(),
                    Count::bounded(row[6].into(), 1),
                );
            }
        }
    }
}

impl<T: Tested> Bench<'_, T> {
    /// Returns whether Plonky3's verifier accepts a proof of the honest trace.
    pub fn proves(&self) -> bool {
        let program = Program::default();
        let input = TraceInput {
            program: &program,
            execution: self.execution,
        };
        let mut counts = LookupCounts::new(&input);
        let (mut tables, mut traces) = (Vec::new(), Vec::new());
        for table in StandardTables::precompile_tables() {
            // A table that serves others, too, has more precompiles.
            let served = table.precompiles();
            if T::PRECOMPILES.iter().all(|own| served.contains(own)) {
                let log_height = table.rows(&input).next_power_of_two().ilog2() as usize;
                traces.push(table.trace(&input, log_height, &mut counts));
                tables.push(Tables::Tested(table));
            }
        }
        let mut blocks = Vec::new();
        let height = self.execution.memory.blocks.len().next_power_of_two();
        for address in 0..height {
            blocks.push(F::from_usize(address));
            let block = self.execution.memory.blocks.get(address);
            blocks.extend(block.copied().unwrap_or_default());
            blocks.push(F::from_u32(
                counts.blocks.get(address).copied().unwrap_or(0),
            ));
        }
        let mut calls = Vec::new();
        for (identity, list) in self.execution.calls.iter().enumerate() {
            for call in list {
                calls.extend([F::from_usize(identity), call.a, call.b, call.c, call.d]);
                calls.extend([call.e, F::ONE]);
            }
        }
        calls.resize((calls.len() / 7).next_power_of_two().max(2) * 7, F::ZERO);

        tables.extend([Tables::Blocks, Tables::Calls]);
        traces.push(RowMajorMatrix::new(blocks, LANES + 2));
        traces.push(RowMajorMatrix::new(calls, 7));
        prove_and_verify(&tables, &traces)
    }
}

fn prove_and_verify(airs: &[Tables], traces: &[RowMajorMatrix<F>]) -> bool {
    let config = config::<Poseidon16Suite>(&FriSettings::toy(), &[]).expect("toy settings");
    let instances: Vec<_> = airs
        .iter()
        .zip(traces)
        .map(|(air, trace)| StarkInstance {
            air,
            trace,
            public_values: vec![],
        })
        .collect();
    let data = ProverData::from_instances(&config, &instances).expect("prover data");
    let proof = prove_batch(&config, &instances, &data).expect("proof");
    let data = ProverData::from_airs_and_degrees(&config, airs, &proof.degree_bits)
        .expect("verifier data");
    verify_batch(
        &config,
        airs,
        &proof,
        &vec![vec![]; airs.len()],
        &data.common,
    )
    .is_ok()
}
