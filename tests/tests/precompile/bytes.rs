//! A precompile that refuses calls, and whose table looks up pairs of bytes: it asserts that the
//! lanes of a block are bytes.

use droste::both_ways::{NativeTape, Program};
use droste::machine::tables::bus::{self, CallMessage};
use droste::machine::tables::byte_pairs::BytePairLookups;
use droste::machine::tables::{LANES, LookupCounts, Table, Trace, TraceInput, block};
use droste::machine::whir::ProvingKey;
use droste::machine::{Prove, ProveError, custom_precompiles};
use droste::prelude::*;
use droste::program::isa::id;
use droste::program::{Function, Operand, Output, Parameter, Precompile, any};
use droste::recursion::RecursionCircuit;
use droste::table::End;
use droste::table::byte_pairs::{BUS, BytePairMessage};
use droste_gadgets::prelude::Block;

use crate::table::trace_of_calls;
use crate::{Tables, four_bytes};

/// Fails unless the lanes are bytes.
pub fn assert_bytes(block: Block) {
    let lanes = std::array::from_fn(|lane| block.lane(lane).into());
    if let Some(refusal) = refusal(lanes) {
        panic!("{refusal}");
    }
}

fn refusal(lanes: [F; LANES]) -> Option<String> {
    let lanes = lanes.map(|lane| lane.as_canonical_u32());
    let lane = lanes.iter().position(|&lane| lane > 255)?;
    Some(format!("lane {lane} is {}, expected a byte", lanes[lane]))
}

pub const BYTES: Precompile = Precompile {
    name: "bytes",
    identity: id::CUSTOM.start + 1,
    functions: &[Function {
        name: "assert_bytes",
        parameters: &[Parameter::Block(Operand::A)],
        check: any,
        output: Output::Nothing,
    }],
    is_total: false,
    run: |call| match refusal(call.read(Operand::A)?) {
        Some(reason) => Err(call.refuse(reason)),
        None => Ok(()),
    },
    rows: |_| 1,
};

/// Columns: whether the row is a call, the address of the block, its lanes, and the exclusive or of
/// each pair of them.
const REAL: usize = 0;
const FROM: usize = 1;
const LANE: usize = 2;
const XOR: usize = LANE + LANES;
const WIDTH: usize = XOR + PAIRS;

/// Pairs of lanes.
const PAIRS: usize = LANES / 2;

/// Number of low bits of a lookup: all of them.
const LOW_BITS: F = F::new(8);

#[derive(Clone, Copy, Debug, Default)]
pub struct BytesTable;

impl BaseAir<F> for BytesTable {
    fn width(&self) -> usize {
        WIDTH
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        vec![]
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(2)
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for BytesTable {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let row = main.current_slice();
        let real: AB::Expr = row[REAL].into();
        builder.assert_bool(row[REAL]);
        for pair in 0..PAIRS {
            let message = BytePairMessage::<AB::Expr> {
                low_bits: LOW_BITS.into(),
                x: row[LANE + 2 * pair].into(),
                y: row[LANE + 2 * pair + 1].into(),
                high: AB::Expr::ZERO,
                low: row[XOR + pair].into(),
            };
            let count = Count::bounded(real.clone(), 1);
            BUS.lookup_key(builder, message.into_fields(), count);
        }
        let call = CallMessage {
            id: F::from_u32(BYTES.identity).into(),
            a: row[FROM].into(),
            b: AB::Expr::ZERO,
            c: AB::Expr::ZERO,
            d: AB::Expr::ZERO,
            e: AB::Expr::ZERO,
        };
        bus::receive_call(builder, call, row[REAL]);
        let lanes: [AB::Var; LANES] = std::array::from_fn(|lane| row[LANE + lane]);
        bus::lookup_block(builder, row[FROM], lanes, row[REAL]);
    }
}

impl Table for BytesTable {
    fn name(&self) -> &'static str {
        "bytes"
    }

    fn precompiles(&self) -> &'static [Precompile] {
        &[BYTES]
    }

    fn is_sound_with(&self, _: End) -> bool {
        true
    }

    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        trace_of_calls(&BYTES, input, WIDTH, log_height, |row, call| {
            let lanes = block(&input.execution.memory, call.a);
            (row[REAL], row[FROM]) = (F::ONE, call.a);
            row[LANE..XOR].copy_from_slice(&lanes);
            counts.block(call.a);
            for (pair, lanes) in lanes.chunks_exact(2).enumerate() {
                let (x, y) = (lanes[0], lanes[1]);
                let low = F::from_u32(x.as_canonical_u32() ^ y.as_canonical_u32());
                row[XOR + pair] = low;
                counts.byte_pairs.add(&BytePairMessage {
                    low_bits: LOW_BITS,
                    x,
                    y,
                    high: F::ZERO,
                    low,
                });
            }
        })
    }
}

impl BytePairLookups for BytesTable {
    const PRECOMPILES: &'static [Precompile] = &[BYTES];

    fn lookups(input: &TraceInput<'_>) -> usize {
        PAIRS * input.execution.calls[BYTES.identity as usize].len()
    }
}

pub fn program() -> Program {
    let precompiles = custom_precompiles::<Tables>();
    Program::with_precompiles("bytes", four_bytes::SOURCE, &precompiles, four_bytes::main)
}

#[test]
fn calls_are_refused_both_ways() {
    let (program, tape) = (program(), NativeTape::default());
    for byte in [0, 255] {
        program.both(&tape, &[byte]).unwrap();
    }
    for other in [256, 0x7f00_0000] {
        let expected = format!("lane 0 is {other}, expected a byte");
        program.both(&tape, &[other]).unwrap_err();
        for refusal in [
            program.native(&tape, &[other]),
            program.machine(&tape, &[other]),
        ] {
            let refusal = refusal.unwrap_err();
            assert!(refusal.contains(&expected), "{refusal}");
        }
    }
}

/// Whoever runs the call without refusing has no row of `byte_pairs` for it.
#[test]
fn what_is_no_byte_is_not_proved() {
    let (Program { compiled, .. }, settings) = (program(), WhirSettings::toy());
    let key = ProvingKey::<Tables>::new(&compiled, settings, Heights::Minimal).unwrap();
    assert!(key.machine().names().contains(&"byte_pairs".to_owned()));
    let lax = Precompile {
        run: |_| Ok(()),
        ..BYTES
    };
    let compiled = Compiled {
        precompiles: vec![lax],
        ..compiled
    };
    let run = |x: u32| execute(&compiled, &[F::from_u32(x)], &Tape::default(), 1 << 12).unwrap();
    match key.prove_run(&run(256)) {
        Err(ProveError::Unbalanced(message)) => assert_eq!(message.bus, "byte_pairs"),
        other => panic!("{:?}", other.map(drop)),
    }
    // The proof of an honest run is verified in the machine with its lookups.
    let proof = key.prove_run(&run(255)).unwrap();
    let circuit = RecursionCircuit::of_machine::<_, Tables>(&proof).unwrap();
    circuit.execute(&[&proof]).unwrap();
}
