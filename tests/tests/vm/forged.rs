//! Traces that no honest run leaves behind. The verifier rejects each of them, and accepts the
//! honest traces that they were made from.

use droste_native::{Blake3Suite, F};
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Tape, execute_mutated};
use droste_vm::fri::{ProvingKey, prove_traces, traces, verify};
use droste_vm::heights::Heights;
use droste_vm::isa::{Instruction, Op, id};
use droste_vm::machine::StandardTables;
use droste_vm::record::{Cycle, Execution, FinalMemory};
use droste_vm::stack::ProveError;
use droste_vm::tables::blocks::BlockCols;
use droste_vm::tables::cpu::CpuCols;
use droste_vm::tables::words::WordCols;
use droste_vm::verifier::{Report, VerifyError, VerifyOptions};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use crate::common::{
    add, fibonacci, frame, halt, imm, jump, mem, mul, program, run, statement, toy,
};

type H = Blake3Suite;

const CPU: usize = 0;
const PROGRAM: usize = 1;
const WORDS: usize = 2;
const BLOCKS: usize = 3;

type Traces = Vec<RowMajorMatrix<F>>;

/// A program's key, a run of it, and the run's traces, which tests change.
struct Case {
    key: ProvingKey<H, StandardTables>,
    execution: Execution,
}

fn expect_violation(rejection: &VerifyError, of: &str) {
    let is_expected = matches!(rejection, VerifyError::Constraints { table } if *table == of);
    assert!(is_expected, "{rejection}");
}

impl Case {
    fn new(compiled: &Compiled, execution: Execution, heights: Heights) -> Self {
        let key = ProvingKey::new(&compiled.program, toy(), heights).unwrap();
        Self { key, execution }
    }

    fn fibonacci(steps: u32) -> Self {
        let compiled = fibonacci(steps);
        let execution = run(&compiled, &statement());
        Self::new(&compiled, execution, Heights::Minimal)
    }

    fn traces(&self) -> Traces {
        traces(&self.key, &self.execution).unwrap()
    }

    fn verdict(&self, traces: &Traces) -> Result<Report, VerifyError> {
        let proof = prove_traces(&self.key, self.execution.statement, traces).unwrap();
        verify::<H, StandardTables>(self.key.key(), &[], VerifyOptions::min_bits(0), &proof)
    }

    /// Returns the verdict on the traces of a run that the prover made up.
    fn claim(&self, change: impl FnOnce(&mut Execution)) -> Result<Report, VerifyError> {
        let mut execution = self.execution.clone();
        change(&mut execution);
        let traces = traces(&self.key, &execution).unwrap();
        let proof = prove_traces(&self.key, execution.statement, &traces).unwrap();
        verify::<H, StandardTables>(self.key.key(), &[], VerifyOptions::min_bits(0), &proof)
    }
}

/// Changes every column of every table: on the first rows, the last row, some rows in between, and
/// padding.
#[test]
fn every_cell_is_load_bearing() {
    let case = Case::fibonacci(3);
    let honest = case.traces();
    case.verdict(&honest).unwrap();
    let real = [
        case.execution.cycles.len(),
        case.key.program().instructions.len(),
        case.execution.memory.words.len(),
        case.execution.memory.blocks.len(),
    ];
    let mut free = 0;
    for (table, trace) in honest.iter().enumerate() {
        let (width, height) = (trace.width(), trace.height());
        let last = real[table].saturating_sub(1);
        let mut rows = vec![0, 1, 5, last / 2, last, last + 1, height - 1];
        rows.retain(|&row| row < height);
        rows.sort_unstable();
        rows.dedup();
        for row in rows {
            for column in 0..width {
                // A value that is never read may be anything, since nothing depends on it.
                let unused = trace.values[row * width + width - 1] == F::ZERO;
                let value = match table {
                    WORDS => column == 1,
                    BLOCKS => (1..9).contains(&column) && row != 0,
                    _ => false,
                };
                let mut changed = honest.clone();
                changed[table].values[row * width + column] += F::ONE;
                let verdict = case.verdict(&changed);
                if unused && value {
                    free += 1;
                    verdict.unwrap();
                } else {
                    assert!(verdict.is_err(), "table {table} row {row} column {column}");
                }
            }
        }
    }
    assert!(free > 0);
    assert_eq!(CpuCols::<u8>::WIDTH, 22);
    assert_eq!(WordCols::<u8>::WIDTH + BlockCols::<u8>::WIDTH, 13);
}

#[test]
fn a_run_begins_at_the_entry() {
    let verdict = Case::fibonacci(3).claim(|execution| {
        execution.cycles.remove(0);
    });
    assert!(verdict.is_err());
}

#[test]
fn a_run_ends_in_the_halt_loop() {
    // A run of exactly 64 cycles fills its table, so that no padding row executes the halt loop.
    let compiled = program(vec![
        add(imm(0), imm(1), mem(0)),
        jump(imm(1), imm(2), frame(0)),
    ]);
    let cycles = (0..64).map(|cycle: u32| Cycle {
        pc: cycle.min(1) + 1,
        fp: 1,
    });
    let execution = Execution {
        cycles: cycles.collect(),
        memory: FinalMemory {
            word_base: 1,
            words: vec![F::ONE],
            blocks: vec![[F::ZERO; 8]],
        },
        ..Execution::default()
    };
    let endless = Case::new(&compiled, execution, Heights::Exact(vec![6, 6, 6, 6]));
    let rejection = endless.verdict(&endless.traces()).unwrap_err();
    expect_violation(&rejection, "cpu");
}

/// The verifier reads logarithms of heights, so a proof cannot state a height that is no power of
/// two, and the prover refuses such traces.
#[test]
fn heights_are_powers_of_two() {
    let case = Case::fibonacci(5);
    let honest = case.traces();
    for table in 0..honest.len() {
        let mut traces = honest.clone();
        let width = traces[table].width();
        let rows = traces[table].height() - 1;
        traces[table].values.truncate(rows * width);
        assert!(matches!(
            prove_traces(&case.key, case.execution.statement, &traces),
            Err(ProveError::TraceShape { height, .. }) if height == rows
        ));
    }
}

#[test]
fn a_table_that_is_exactly_full_is_accepted() {
    let mut body = vec![add(imm(0), imm(1), mem(0))];
    body.extend(vec![mul(mem(0), imm(1), imm(1)); 61]);
    body.push(halt());
    let compiled = program(body);
    let execution = run(&compiled, &[]);
    assert_eq!(execution.cycles.len(), 64);
    let case = Case::new(&compiled, execution, Heights::Exact(vec![6, 6, 0, 0]));
    case.verdict(&case.traces()).unwrap();
}

#[test]
fn nothing_leaves_the_halt_loop() {
    let verdict = Case::fibonacci(3).claim(|execution| {
        let again = execution.cycles.clone();
        execution.cycles.extend(again);
    });
    assert!(verdict.is_err());
}

#[test]
fn no_instruction_is_skipped_or_repeated() {
    let case = Case::fibonacci(3);
    for at in [1, 4, 9, case.execution.cycles.len() - 2] {
        let skipped = case.claim(|execution| {
            execution.cycles.remove(at);
        });
        assert!(skipped.is_err(), "skipped {at}");
        let repeated = case.claim(|execution| {
            let cycle = execution.cycles[at];
            execution.cycles.insert(at, cycle);
        });
        assert!(repeated.is_err(), "repeated {at}");
        let moved = case.claim(|execution| execution.cycles[at].fp += 16);
        assert!(moved.is_err(), "moved {at}");
    }
}

#[test]
fn instructions_are_the_programs() {
    // The run of a program that differs in the immediate of one instruction.
    let case = Case::fibonacci(3);
    let other = Case::fibonacci(4);
    assert!(case.verdict(&other.traces()).is_err());
    let mut changed = case.traces();
    // The first instruction loads another number of steps; every cell that depends on it is
    // changed.
    let columns = CpuCols::<u8>::names();
    let place = |name: &str| columns.iter().position(|column| column == name).unwrap();
    changed[CPU].values[place("fields[0]")] += F::ONE;
    changed[CPU].values[place("values[0]")] += F::ONE;
    assert!(case.verdict(&changed).is_err());
}

#[test]
fn jump_conditions_are_boolean() {
    // With a condition of 2, `pc' = (pc + 1) + 2 (B - (pc + 1))`: from 2, with B = 4, to 5.
    let compiled = program(vec![
        add(imm(2), imm(0), mem(0)),
        jump(mem(0), imm(4), frame(0)),
        halt(),
        halt(),
        halt(),
    ]);
    let execution = Execution {
        cycles: [1, 2, 5, 0].map(|pc| Cycle { pc, fp: 1 }).to_vec(),
        memory: FinalMemory {
            word_base: 1,
            words: vec![F::TWO],
            blocks: vec![[F::ZERO; 8]],
        },
        ..Execution::default()
    };
    let case = Case::new(&compiled, execution, Heights::Minimal);
    let rejection = case.verdict(&case.traces()).unwrap_err();
    expect_violation(&rejection, "cpu");
}

#[test]
fn words_are_written_once() {
    let case = Case::fibonacci(3);
    // Row 1 has the address of row 0 and another value, so addresses no longer increase by one.
    let mut changed = case.traces();
    let address = changed[WORDS].values[0];
    changed[WORDS].values[WordCols::<u8>::WIDTH] = address;
    let rejection = case.verdict(&changed).unwrap_err();
    expect_violation(&rejection, "words");
    // Any value that is read changes, so that the instructions that read it no longer hold.
    for index in 0..case.execution.memory.words.len().min(16) {
        let read = case.traces()[WORDS].values[3 * index + 2] != F::ZERO;
        let verdict = case.claim(|execution| execution.memory.words[index] += F::ONE);
        assert_eq!(verdict.is_err(), read, "word {index}");
    }
}

/// The memory ends before a cell that is read.
#[test]
fn reads_are_of_cells_that_exist() {
    let case = Case::fibonacci(20);
    let mut traces = case.traces();
    let words = &mut traces[WORDS];
    let (width, half) = (words.width(), words.height() / 2);
    let rest = words.values.split_off(half * width);
    assert!(rest.chunks_exact(width).any(|row| row[2] != F::ZERO));
    let rejection = case.verdict(&traces).unwrap_err();
    assert!(matches!(rejection, VerifyError::Lookups(_)), "{rejection}");
}

#[test]
fn blocks_begin_at_address_zero_with_the_statement() {
    let case = Case::fibonacci(3);
    let mut shifted = case.traces();
    let width = BlockCols::<u8>::WIDTH;
    for row in 0..shifted[BLOCKS].height() {
        shifted[BLOCKS].values[row * width] += F::ONE;
    }
    let rejection = case.verdict(&shifted).unwrap_err();
    expect_violation(&rejection, "blocks");
    let verdict = case.claim(|execution| execution.statement[0] += F::ONE);
    let rejection = verdict.unwrap_err();
    expect_violation(&rejection, "blocks");
}

#[test]
fn fetches_are_counted() {
    let case = Case::fibonacci(3);
    let mut changed = case.traces();
    let last = changed[PROGRAM].values.len() - 1;
    // A row past the program's end provides the halt instruction, as row 0 does, and counts in the
    // same way.
    changed[PROGRAM].values[0] -= F::ONE;
    changed[PROGRAM].values[last] += F::ONE;
    case.verdict(&changed).unwrap();
    changed[PROGRAM].values[1] += F::ONE;
    let rejection = case.verdict(&changed).unwrap_err();
    assert!(matches!(rejection, VerifyError::Lookups(_)), "{rejection}");
}

/// One `lane` call, which writes 42 to the first output.
fn store() -> Compiled {
    let call = Instruction {
        id: id::LANE,
        b: mem(0),
        ..crate::common::instruction(Op::Call, imm(0), imm(0), imm(0))
    };
    let mut compiled = program(vec![add(imm(40), imm(2), mem(0)), call, halt()]);
    compiled.public_outputs = 1;
    compiled
}

#[test]
fn calls_are_answered_exactly_once() {
    let compiled = store();
    let execution = run(&compiled, &[]);
    assert_eq!(execution.statement[0], F::from_u32(42));
    let case = Case::new(&compiled, execution, Heights::Minimal);
    case.verdict(&case.traces()).unwrap();
    let forget = case.claim(|execution| execution.calls[id::LANE as usize].clear());
    assert!(matches!(forget, Err(VerifyError::Lookups(_))), "{forget:?}");
    let twice = case.claim(|execution| {
        let call = execution.calls[id::LANE as usize][0];
        execution.calls[id::LANE as usize].push(call);
    });
    assert!(matches!(twice, Err(VerifyError::Lookups(_))), "{twice:?}");
    let other = case.claim(|execution| {
        execution.calls[id::LANE as usize][0].b += F::ONE;
        execution.statement[0] += F::ONE;
        execution.memory.blocks[0][0] += F::ONE;
    });
    assert!(matches!(other, Err(VerifyError::Lookups(_))), "{other:?}");
}

/// Returns a compiled program that reads `inputs` values and reveals `outputs`.
fn echo(inputs: usize, outputs: usize) -> Compiled {
    let read: String = (0..inputs)
        .map(|index| format!("let x{index} = public_input();"))
        .collect();
    let reveal = "reveal(felt(7));".repeat(outputs);
    let source = format!("use droste_gadgets::prelude::*; pub fn main() {{ {read} {reveal} }}");
    droste_vm::compiler::compile(&source, &[]).unwrap()
}

/// A prover writes to lanes of the statement that the program does not use, in memory alone or in
/// the call as well.
#[test]
fn lanes_that_a_program_does_not_use_are_zero() {
    for (inputs, outputs) in [(0, 0), (1, 0), (1, 1), (0, 4), (3, 2), (2, 5), (0, 8)] {
        let used = inputs + outputs;
        let public = vec![F::from_u32(9); inputs];
        let mut compiled = echo(inputs, outputs);
        let execution = run(&compiled, &public);
        let case = Case::new(&compiled, execution, Heights::Minimal);
        case.verdict(&case.traces()).unwrap();
        for lane in used..8 {
            let memory = case.claim(|execution| {
                execution.statement[lane] = F::ONE;
                execution.memory.blocks[0][lane] = F::ONE;
            });
            let refused = matches!(memory, Err(VerifyError::Constraints { table: "ext" }))
                || matches!(memory, Err(VerifyError::Lookups(_)));
            assert!(refused, "{used} lanes are used, {lane} is not: {memory:?}");
            let call = case.claim(|execution| {
                execution.statement[lane] = F::ONE;
                execution.memory.blocks[0][lane] = F::ONE;
                let calls = &mut execution.calls[id::LANE as usize];
                for call in calls
                    .iter_mut()
                    .filter(|call| call.e == F::from_usize(lane))
                {
                    call.b = F::ONE;
                }
            });
            assert!(call.is_err(), "{used} lanes are used, {lane} is not");
        }

        // Without the instructions before the last one, which assert that the lane is zero, the
        // same forgery is accepted.
        let asserted = match used {
            0 => 1,
            1..5 => 1 + 5 - used,
            _ => 8 - used,
        };
        let instructions = &mut compiled.program.instructions;
        let last = instructions.len() - 1;
        instructions.drain(last - asserted..last);
        compiled.source_map = Default::default();
        let execution = run(&compiled, &public);
        let case = Case::new(&compiled, execution, Heights::Minimal);
        for lane in used..8 {
            let verdict = case.claim(|execution| {
                execution.statement[lane] = F::ONE;
                execution.memory.blocks[0][lane] = F::ONE;
            });
            assert_eq!(verdict.unwrap().statement[lane], F::ONE);
        }
    }
}

/// A prover reads past the end of a slice, where another slice begins, or wraps around the field to
/// the statement.
#[test]
fn an_index_past_the_end_is_rejected() {
    const BEHIND: u32 = 99;
    // Indices below 3 are checked by a product of distances, those below 8 by bits.
    for bound in [3, 8_u32] {
        let source = format!(
            "use droste_gadgets::prelude::*;
            pub fn main() {{
                let data = hint_slice({bound}).any();
                let behind = hint_slice(1).any();
                reveal(data.at(Index::<{bound}>::new(public_input())).lane(0));
                reveal(behind.block(0).lane(0));
            }}"
        );
        let compiled = compile(&source, &[]).unwrap();
        let mut tape = Tape::default();
        let blocks: Vec<_> = (10..10 + bound).map(|n| [F::from_u32(n); 8]).collect();
        tape.slice(&blocks);
        tape.slice(&[[F::from_u32(BEHIND); 8]]);
        let run = |compiled: &Compiled, x: F, false_bit| {
            execute_mutated(compiled, &[x], &tape, 1 << 12, false_bit).ok()
        };
        let statement = |compiled: &Compiled, execution: &Execution| {
            let case = Case::new(compiled, execution.clone(), Heights::Minimal);
            case.verdict(&case.traces()).map(|report| report.statement)
        };
        for x in 0..bound {
            let execution = run(&compiled, F::from_u32(x), None).unwrap();
            let proved = statement(&compiled, &execution).unwrap();
            assert_eq!(proved[1], F::from_u32(10 + x));
        }

        let around = F::from_u32(F::ORDER_U32 - compiled.tape_base());
        let past = F::from_u32(bound);
        // The bits are right, or one of them is as large as the index.
        let bits = if bound.is_power_of_two() {
            bound.ilog2()
        } else {
            0
        };
        let bit = |bit: u32| (past, Some((u64::from(bit), F::from_u32(bound >> bit))));
        let attempts = [(past, None), (around, None)]
            .into_iter()
            .chain((0..bits).map(bit));
        for (x, false_bit) in attempts {
            assert!(run(&compiled, x, false_bit).is_none());
            // Without one of the instructions the run is possible and is proved, so that this is
            // the instruction that checks. With it in the verifier's key, no trace of the same run
            // is accepted.
            let mut forgeries = 0;
            for pc in 1..compiled.program.instructions.len() {
                let mut unchecked = compiled.clone();
                unchecked.program.instructions[pc] = add(imm(0), imm(0), imm(0));
                let Some(forged) = run(&unchecked, x, false_bit) else {
                    continue;
                };
                forgeries += 1;
                let read = if x == past { F::from_u32(BEHIND) } else { x };
                assert_eq!(statement(&unchecked, &forged).unwrap()[1], read);
                let rejection = statement(&compiled, &forged).unwrap_err();
                expect_violation(&rejection, "cpu");
            }
            assert!(forgeries > 0, "{x}, {false_bit:?} of {bound}");
        }
    }
}
