//! Trace of the table `cpu`.

use droste_native::F;
use p3_air::BaseAir;
use p3_field::PrimeCharacteristicRing;

use super::air::CpuTable;
use super::columns::CpuCols;
use crate::isa::{Instruction, Mode, Op};
use crate::record::{Cycle, FinalMemory};
use crate::tables::{
    LookupCounts, Table, Trace, TraceInput, fill_rows, sound_with_every_end, word,
};

impl Table for CpuTable {
    sound_with_every_end!("cpu");

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        input.execution.cycles.len()
    }

    /// Padding repeats the last row, which executes the halt loop.
    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let cycles = &input.execution.cycles;
        let memory = &input.execution.memory;
        let instructions = &input.program.instructions;
        let last = cycles.last().copied().unwrap_or(Cycle { pc: 0, fp: 0 });
        let at = |row: usize| cycles.get(row).copied().unwrap_or(last);

        let trace = fill_rows(self.width(), log_height, |row, cells| {
            let cycle = at(row);
            if let Some(instruction) = instructions.get(cycle.pc as usize) {
                fill(cells, cycle, instruction, memory);
            }
        });
        for row in 0..1 << log_height {
            let cycle = at(row);
            counts.fetch(cycle.pc);
            if let Some(instruction) = instructions.get(cycle.pc as usize) {
                count(counts, cycle, instruction, memory);
            }
        }
        trace
    }
}

fn fill(row: &mut CpuCols<F>, cycle: Cycle, instruction: &Instruction, memory: &FinalMemory) {
    row.pc = F::from_u32(cycle.pc);
    row.fp = F::from_u32(cycle.fp);
    match instruction.op {
        Op::Add => row.is_add = F::ONE,
        Op::Mul => row.is_mul = F::ONE,
        Op::Deref => row.is_deref = F::ONE,
        Op::Jump => row.is_jump = F::ONE,
        Op::Call => {}
    }
    let operands = [instruction.a, instruction.b, instruction.c];
    for (index, operand) in operands.into_iter().enumerate() {
        row.fields[index] = operand.field;
        row.values[index] = match operand.mode {
            Mode::Imm => operand.field,
            Mode::Fp => {
                row.in_frame[index] = F::ONE;
                row.fp + operand.field
            }
            Mode::Mem => {
                row.in_memory[index] = F::ONE;
                word(memory, row.fp + operand.field)
            }
        };
    }
    row.d_in_frame = F::from_bool(instruction.d.mode == Mode::Fp);
    row.id = F::from_u32(instruction.id);
    row.d = instruction.d.field;
    row.e = instruction.e;
}

fn count(counts: &mut LookupCounts, cycle: Cycle, instruction: &Instruction, memory: &FinalMemory) {
    let fp = F::from_u32(cycle.fp);
    for operand in [instruction.a, instruction.b, instruction.c] {
        if operand.mode == Mode::Mem {
            counts.word(memory, fp + operand.field);
        }
    }
    if instruction.op == Op::Deref {
        let pointer = match instruction.a.mode {
            Mode::Imm => instruction.a.field,
            Mode::Fp => fp + instruction.a.field,
            Mode::Mem => word(memory, fp + instruction.a.field),
        };
        counts.word(memory, pointer + instruction.d.field);
    }
}
