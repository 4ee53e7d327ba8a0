//! Proves a hash table together with a table that receives its messages in `p3-batch-stark`, with
//! their bus and without it.

use std::hint::black_box;

use droste_air::blake3::{Blake3Air, Blake3Table};
use droste_air::poseidon2::{Poseidon2ParentAir, Poseidon2ParentTable};
use droste_air::poseidon16::{Poseidon16Air, Poseidon16Table};
use droste_air::test_utils::{Harness, Table};
use droste_native::{Blake3Suite, Config, F};
use p3_air::{Air, BaseAir, WindowAccess};
use p3_batch_stark::{ProverData, StarkInstance, prove_batch, verify_batch};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};
use p3_matrix::dense::RowMajorMatrix;
use serde::Serialize;

use crate::race::duel;

/// Hash of the measured table.
#[derive(Clone, Copy)]
pub enum Hash {
    Poseidon16,
    Poseidon2,
    Blake3,
}

impl Hash {
    const fn bus(self) -> &'static str {
        match self {
            Self::Poseidon16 => "poseidon16",
            Self::Poseidon2 => "poseidon2_parent",
            Self::Blake3 => "blake3",
        }
    }
}

/// The tables of one proof.
#[derive(Clone, Copy)]
enum Tables {
    /// The table of a hash, which sends its messages to the bus.
    Sender(Hash),
    /// The table of a hash without a bus.
    Silent(Hash),
    /// A table with messages of so many elements, which it receives from the bus or only holds.
    Receiver {
        hash: Hash,
        width: usize,
        receives: bool,
    },
}

/// Evaluates `$call` on the AIR of a hash, with its bus or without.
macro_rules! dispatch {
    ($self:expr, $air:ident => $call:expr, $width:ident => $receiver:expr) => {
        dispatch!(
            $self, $air => $call, $width => $receiver;
            Poseidon16: Poseidon16Table, Poseidon16Air;
            Poseidon2: Poseidon2ParentTable, Poseidon2ParentAir;
            Blake3: Blake3Table, Blake3Air;
        )
    };
    (
        $self:expr, $air:ident => $call:expr, $width:ident => $receiver:expr;
        $($hash:ident: $sender:expr, $silent:expr;)*
    ) => {
        match $self {
            $(
                Tables::Sender(Hash::$hash) => {
                    let $air = $sender;
                    $call
                }
                Tables::Silent(Hash::$hash) => {
                    let $air = $silent;
                    $call
                }
            )*
            Tables::Receiver { width: $width, .. } => $receiver,
        }
    };
}

impl BaseAir<F> for Tables {
    fn width(&self) -> usize {
        dispatch!(self, air => air.width(), width => width + 1)
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        dispatch!(self, air => air.main_next_row_columns(), _width => vec![])
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Tables {
    fn eval(&self, builder: &mut AB) {
        dispatch!(self, air => air.eval(builder), width => {
            let main = builder.main();
            let row = main.current_slice();
            builder.assert_bool(row[*width]);
            if let Self::Receiver { hash, receives: true, .. } = self {
                PermutationCheckBus::new(hash.bus()).receive(
                    builder,
                    row[..*width].iter().copied(),
                    Count::bounded(row[*width].into(), 1),
                );
            }
        });
    }
}

/// What a bus costs: medians of the times of proving both tables.
#[derive(Serialize)]
pub struct Bus {
    permutations: usize,
    prove_ms: f64,
    without_ms: f64,
    pub ratio: f64,
}

/// Proves both tables once. It panics if the proof fails, which would be a bug in this bench.
fn proof(
    config: &Config<Blake3Suite>,
    airs: &[Tables; 2],
    traces: [&RowMajorMatrix<F>; 2],
    check: bool,
) {
    let instances: Vec<_> = airs
        .iter()
        .zip(traces)
        .map(|(air, trace)| StarkInstance {
            air,
            trace,
            public_values: vec![],
        })
        .collect();
    let data = ProverData::from_instances(config, &instances).expect("prover data");
    let proof = prove_batch(config, &instances, &data).expect("the traces are valid");
    if check {
        let data = ProverData::from_airs_and_degrees(config, airs, &proof.degree_bits)
            .expect("verifier data");
        verify_batch(config, airs, &proof, &[vec![], vec![]], &data.common)
            .expect("the proof is valid");
    }
    black_box(proof);
}

/// Measures proofs of `with`, a trace of the table that has its interface, and of `without`, one of
/// the table alone.
pub fn measure(
    config: &Config<Blake3Suite>,
    rounds: usize,
    hash: Hash,
    with: &RowMajorMatrix<F>,
    without: &RowMajorMatrix<F>,
) -> Bus {
    let sender = Tables::Sender(hash);
    let messages = Harness::new(vec![Table::new("table", &sender, with.clone())])
        .messages()
        .expect("constraints hold");
    let messages = &messages[hash.bus()];
    let width = messages.keys().next().map_or(0, Vec::len);
    let mut values: Vec<F> = messages
        .iter()
        .flat_map(|(fields, &count)| fields.iter().copied().chain([count]).map(F::from_u32))
        .collect();
    values.resize(messages.len().next_power_of_two() * (width + 1), F::ZERO);
    let received = RowMajorMatrix::new(values, width + 1);
    let receiver = |receives| Tables::Receiver {
        hash,
        width,
        receives,
    };
    let (on, off) = (
        [sender, receiver(true)],
        [Tables::Silent(hash), receiver(false)],
    );
    proof(config, &on, [with, &received], true);
    let (prove, silent) = duel(
        rounds,
        1,
        || proof(config, &on, [with, &received], false),
        || proof(config, &off, [without, &received], false),
    );
    Bus {
        permutations: messages.len(),
        prove_ms: prove.median() / 1e6,
        without_ms: silent.median() / 1e6,
        ratio: prove.ratio(&silent),
    }
}
