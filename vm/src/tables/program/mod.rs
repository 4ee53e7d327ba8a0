//! The table `program`: one row per instruction, fixed by the key, with the number of times that
//! the instruction is fetched.
//!
//! Preprocessed columns are `pc, op, id, a, b, c, d, e`, where `op` packs the operation and the
//! operand modes. The only main column is the number of fetches. Rows past the end of the program
//! repeat the halt instruction.

use std::sync::Arc;

use droste_native::F;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;
use p3_matrix::dense::RowMajorMatrix;
use thiserror::Error;

use crate::heights::MAX_LOG_HEIGHT;
use crate::isa::{Instruction, Mode, Op, Operand, Program};
use crate::tables::bus::{INSTRUCTION_WIDTH, InstructionMessage, PROGRAM};
use crate::tables::{LookupCounts, Table, Trace, TraceInput, sound_with_every_end};

/// Number of flags packed in `op`. From bit 0 on: add, mul, deref, jump (none of the four: call); A
/// in memory, A in frame, likewise B and C; D in frame.
pub const FLAGS: usize = 11;

/// Upper bound on the number of instructions of a program.
pub const MAX_INSTRUCTIONS: usize = 1 << 24;

/// Why the machine cannot run a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// The instruction at 0 is not the halt loop `Jump 1, 0, fp`.
    #[error("instruction 0 is not the halt loop `Jump 1, 0, fp`")]
    NoHalt,
    /// The program has no instruction at address 1, where a run starts.
    #[error("the program has no instruction at address 1, where a run starts")]
    NoEntry,
    /// The program has this number of instructions, which are too many.
    #[error("the program has {0} instructions, expected at most {MAX_INSTRUCTIONS}")]
    TooLong(usize),
    /// The table has fewer rows than the program has instructions.
    #[error("the program has {found} instructions, but its table has only 2^{log_height} rows")]
    Height {
        /// Number of instructions.
        found: usize,
        /// Logarithm of the table's height.
        log_height: usize,
    },
    /// No table of this height can be proved.
    #[error("a table of 2^{0} rows, expected at most 2^{MAX_LOG_HEIGHT}")]
    TooTall(usize),
    /// An instruction has no encoding.
    #[error("instruction {pc}: {reason}")]
    Malformed {
        /// Address of the instruction.
        pc: usize,
        /// What is wrong with the instruction.
        reason: &'static str,
    },
}

/// Packs flags, each zero or one, into `op`.
pub fn pack<E: PrimeCharacteristicRing>(flags: [E; FLAGS]) -> E {
    // Multiplies by two instead of calling `double`, which a symbolic expression represents as a
    // sum of two copies: Plonky3 evaluates messages as trees, on every row.
    flags
        .into_iter()
        .rev()
        .fold(E::ZERO, |packed, flag| packed * E::TWO + flag)
}

/// Checks that every instruction has an encoding and that the program starts with the halt loop.
///
/// # Errors
/// Names the first instruction that is wrong, and the reason.
pub fn validate(program: &Program) -> Result<(), ProgramError> {
    let instructions = &program.instructions;
    if instructions.len() > MAX_INSTRUCTIONS {
        return Err(ProgramError::TooLong(instructions.len()));
    }
    if instructions.first() != Some(&halt()) {
        return Err(ProgramError::NoHalt);
    }
    if instructions.len() < 2 {
        return Err(ProgramError::NoEntry);
    }
    for (pc, instruction) in instructions.iter().enumerate() {
        let malformed = |reason| Err(ProgramError::Malformed { pc, reason });
        match (instruction.op, instruction.d.mode) {
            (_, Mode::Mem) => return malformed("D cannot be in memory"),
            (Op::Deref, Mode::Fp) => {
                return malformed("the displacement of a deref is not relative to the frame");
            }
            _ => {}
        }
        if (instruction.op == Op::Call) != (instruction.id != 0) {
            return malformed("a call, and nothing else, names a precompile");
        }
        if instruction.id as usize >= MAX_INSTRUCTIONS {
            return malformed("the precompile's identity is too large");
        }
    }
    Ok(())
}

/// Returns the halt instruction.
pub fn halt() -> Instruction {
    let operand = |mode, field| Operand { mode, field };
    Instruction {
        op: Op::Jump,
        id: 0,
        a: operand(Mode::Imm, F::ONE),
        b: operand(Mode::Imm, F::ZERO),
        c: operand(Mode::Fp, F::ZERO),
        d: operand(Mode::Imm, F::ZERO),
        e: F::ZERO,
    }
}

/// Returns the preprocessed row of the instruction at `pc`.
pub fn encode(pc: usize, instruction: &Instruction) -> InstructionMessage<F> {
    let Instruction {
        op,
        id,
        a,
        b,
        c,
        d,
        e,
    } = *instruction;
    let is = |operation| op == operation;
    let memory = |operand: Operand| operand.mode == Mode::Mem;
    let frame = |operand: Operand| operand.mode == Mode::Fp;
    let flags = [
        is(Op::Add),
        is(Op::Mul),
        is(Op::Deref),
        is(Op::Jump),
        memory(a),
        frame(a),
        memory(b),
        frame(b),
        memory(c),
        frame(c),
        frame(d),
    ];
    InstructionMessage {
        pc: F::from_usize(pc),
        op: pack(flags.map(F::from_bool)),
        id: F::from_u32(id),
        a: a.field,
        b: b.field,
        c: c.field,
        d: d.field,
        e,
    }
}

/// The program table.
#[derive(Clone, Debug)]
pub struct ProgramTable {
    /// The preprocessed columns. A verifier has none, only the commitment to them.
    rows: Option<Arc<RowMajorMatrix<F>>>,
    log_height: usize,
}

impl ProgramTable {
    /// Makes the table of `program` with `2^log_height` rows.
    ///
    /// # Errors
    /// If [`validate`] refuses the program, if it has more instructions than the table has rows, or
    /// the table has more than `2^MAX_LOG_HEIGHT`.
    pub fn new(program: &Program, log_height: usize) -> Result<Self, ProgramError> {
        validate(program)?;
        let found = program.instructions.len();
        if log_height > MAX_LOG_HEIGHT {
            return Err(ProgramError::TooTall(log_height));
        }
        if found > 1 << log_height {
            return Err(ProgramError::Height { found, log_height });
        }
        let halt = halt();
        let rows = (0..1 << log_height)
            .flat_map(|pc| match program.instructions.get(pc) {
                Some(instruction) => encode(pc, instruction).into_fields(),
                None => encode(0, &halt).into_fields(),
            })
            .collect::<Vec<_>>();
        let rows = RowMajorMatrix::new(rows, INSTRUCTION_WIDTH);
        Ok(Self {
            rows: Some(Arc::new(rows)),
            log_height,
        })
    }

    /// Makes the table of any program with `2^log_height` rows, without its content. A verifier
    /// needs no more beside the commitment.
    pub const fn of_height(log_height: usize) -> Self {
        Self {
            rows: None,
            log_height,
        }
    }
}

impl BaseAir<F> for ProgramTable {
    fn width(&self) -> usize {
        1
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        self.rows.as_deref().cloned()
    }

    fn preprocessed_width(&self) -> usize {
        INSTRUCTION_WIDTH
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        vec![]
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        vec![]
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for ProgramTable {
    fn eval(&self, builder: &mut AB) {
        let fetches = builder.main().current_slice()[0];
        let [pc, op, id, a, b, c, d, e] = {
            let row = builder.preprocessed().current_slice();
            std::array::from_fn(|column| row[column].into())
        };
        let instruction = InstructionMessage {
            pc,
            op,
            id,
            a,
            b,
            c,
            d,
            e,
        };
        PROGRAM.table_entry(builder, instruction.into_fields(), fetches);
    }
}

impl Table for ProgramTable {
    sound_with_every_end!("program");

    fn fixed_log_height(&self) -> Option<usize> {
        Some(self.log_height)
    }

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        input.program.instructions.len()
    }

    fn trace(&self, _: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let mut fetches: Vec<F> = counts.program.iter().map(|&n| F::from_u32(n)).collect();
        fetches.resize(1 << log_height, F::ZERO);
        RowMajorMatrix::new_col(fetches)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const MODES: [Mode; 3] = [Mode::Imm, Mode::Mem, Mode::Fp];

    fn instruction(op: Op, [a, b, c, d]: [Mode; 4]) -> Instruction {
        let operand = |mode| Operand {
            mode,
            field: F::ZERO,
        };
        Instruction {
            op,
            id: u32::from(op == Op::Call),
            a: operand(a),
            b: operand(b),
            c: operand(c),
            d: operand(d),
            e: F::ZERO,
        }
    }

    /// Operation and modes can be read back from `op`, so no two instructions share an encoding.
    #[test]
    fn packing_is_injective() {
        let mut seen = HashSet::new();
        for op in [Op::Add, Op::Mul, Op::Deref, Op::Jump, Op::Call] {
            for code in 0..54 {
                let [a, b, c] = [code % 3, code / 3 % 3, code / 9 % 3].map(|i| MODES[i]);
                let d = [Mode::Imm, Mode::Fp][code / 27];
                let row = encode(7, &instruction(op, [a, b, c, d]));
                assert_eq!(row.pc, F::from_u32(7));
                assert!(seen.insert(row.op));
            }
        }
        assert_eq!(seen.len(), 5 * 54);
    }

    #[test]
    fn programs_that_cannot_run_are_named() {
        let program = |instructions: Vec<Instruction>| validate(&Program { instructions });
        let bad = |op, modes| program(vec![halt(), instruction(op, modes)]).unwrap_err();
        assert_eq!(program(vec![]), Err(ProgramError::NoHalt));
        assert_eq!(program(vec![halt()]), Err(ProgramError::NoEntry));
        assert_eq!(program(vec![halt(), halt()]), Ok(()));
        let imm = Mode::Imm;
        for (op, d) in [
            (Op::Add, Mode::Mem),
            (Op::Call, Mode::Mem),
            (Op::Deref, Mode::Fp),
        ] {
            let error = bad(op, [imm, imm, imm, d]);
            assert!(matches!(error, ProgramError::Malformed { pc: 1, .. }));
        }
        let mut nameless = instruction(Op::Call, [imm; 4]);
        nameless.id = 0;
        assert!(program(vec![halt(), nameless]).is_err());
        let mut named = instruction(Op::Add, [imm; 4]);
        named.id = 3;
        assert!(program(vec![halt(), named]).is_err());
        let table = ProgramTable::new(
            &Program {
                instructions: vec![halt(); 5],
            },
            2,
        );
        let refused = table.unwrap_err();
        let (found, log_height) = (5, 2);
        assert_eq!(refused, ProgramError::Height { found, log_height });
        let two = Program {
            instructions: vec![halt(); 2],
        };
        for log_height in [25, 33, 64, usize::MAX] {
            let refused = ProgramTable::new(&two, log_height).unwrap_err();
            assert_eq!(refused, ProgramError::TooTall(log_height));
        }
    }

    #[test]
    fn rows_past_the_end_repeat_the_halt_loop() {
        let program = Program {
            instructions: vec![halt(); 3],
        };
        let content = ProgramTable::new(&program, 3).unwrap().preprocessed_trace();
        let rows = content.unwrap();
        let row = |index: usize| &rows.values[8 * index..8 * index + 8];
        assert_eq!(row(2)[0], F::TWO);
        for index in 3..8 {
            assert_eq!(row(index), row(0));
        }
    }
}
