//! Translates the intermediate representation and its layout to instructions.

mod flow;

use p3_field::PrimeCharacteristicRing;

use super::allocate::Layout;
use super::ir::*;
use super::optimise::Uses;
use super::output::{self, Body, Hint, Location};
use crate::isa::{Instruction, Mode, Op as Code, Operand, id};
use droste_native::{ChallengeField, F};

/// Instructions with their hints and their places in the source.
#[derive(Default)]
pub struct Emitted {
    pub instructions: Vec<Instruction>,
    pub locations: Vec<Location>,
    pub hints: Vec<(u32, Hint)>,
    pub hint_locations: Vec<Location>,
    /// Assertions that instructions make.
    pub checks: Vec<(u32, output::Check)>,
    pub bodies: Vec<Body>,
    pub prints: Vec<output::Print>,
    pub messages: Vec<output::Pieces>,
    /// The constants that are used.
    pub constants: Vec<[F; 8]>,
}

struct Emitter<'a> {
    ir: &'a Ir,
    layout: &'a Layout,
    uses: &'a Uses<'a>,
    code: Emitted,
    /// Hints to be written before the next instruction, each with its place in the source.
    pending: Vec<(Hint, Location)>,
    location: Location,
    /// The assertion that the operation makes.
    check: Option<Check>,
    /// New index of each constant.
    constants: Vec<Option<u32>>,
    tape_base: u32,
    /// Index of the layout's next call.
    calls: usize,
    /// Calls that are not linked yet: the instruction, and the function that it calls.
    links: Vec<(usize, usize)>,
}

const fn imm(field: F) -> Operand {
    let mode = Mode::Imm;
    Operand { mode, field }
}

fn number(value: i64) -> F {
    if value < 0 {
        -F::from_u64(value.unsigned_abs())
    } else {
        F::from_u64(value as u64)
    }
}

fn at(mode: Mode, offset: i64) -> Operand {
    let field = number(offset);
    Operand { mode, field }
}

fn mem(offset: i64) -> Operand {
    at(Mode::Mem, offset)
}

fn frame(offset: i64) -> Operand {
    at(Mode::Fp, offset)
}

const ZERO: Operand = imm(F::ZERO);
const ONE: Operand = imm(F::ONE);

/// Emits the whole program.
pub fn emit(ir: &Ir, layout: &Layout, uses: &Uses<'_>) -> Emitted {
    let mut constants = vec![None; ir.constants.len()];
    let mut pool = Vec::new();
    for (area, info) in ir.areas.iter().enumerate() {
        if let AreaKind::Constant(index) = info.kind
            && uses.areas[area] > 0
        {
            constants[index as usize] = Some(pool.len() as u32);
            pool.push(ir.constants[index as usize]);
        }
    }
    let tape_base = 1 + pool.len() as u32 + layout.globals;
    let mut emitter = Emitter {
        ir,
        layout,
        uses,
        code: Emitted {
            constants: pool,
            ..Emitted::default()
        },
        pending: Vec::new(),
        location: Location::default(),
        check: None,
        constants,
        tape_base,
        calls: 0,
        links: Vec::new(),
    };
    emitter.jump(ONE, ZERO, frame(0));
    emitter.prologue();
    // Calls are numbered in the order of the layout: those of functions first.
    let mut bodies = Vec::new();
    for function in &ir.functions {
        bodies.push(emitter.calls);
        emitter.count_calls(&function.body);
    }
    emitter.list(&ir.main);
    emitter.rest_of_statement();
    emitter.jump(ONE, ZERO, frame(0));
    let mut entries = Vec::new();
    for (function, first) in ir.functions.iter().zip(bodies) {
        emitter.calls = first;
        entries.push(emitter.here());
        emitter.list(&function.body);
        emitter.jump(ONE, mem(0), mem(1));
    }
    for (instruction, function) in std::mem::take(&mut emitter.links) {
        let target = F::from_usize(entries[function]);
        emitter.code.instructions[instruction].b.field = target;
    }
    let messages = ir.messages.iter();
    emitter.code.messages = messages.map(|pieces| emitter.message(pieces)).collect();
    emitter.code
}

impl Emitter<'_> {
    /// Returns the number of the next instruction, which may be the target of jumps. If hints are
    /// pending, it first emits an instruction that does nothing, to which they are attached.
    fn here(&mut self) -> usize {
        if !self.pending.is_empty() {
            self.add(ZERO, ZERO, ZERO);
        }
        self.code.instructions.len()
    }

    /// Adds a hint of the present expression before the next instruction.
    fn pend(&mut self, hint: Hint) {
        self.pending.push((hint, self.location));
    }

    fn push(&mut self, instruction: Instruction) -> usize {
        let pc = self.code.instructions.len();
        for (hint, location) in self.pending.drain(..) {
            self.code.hints.push((pc as u32, hint));
            self.code.hint_locations.push(location);
        }
        if let Some(check) = self.check.take() {
            let check = self.assertion(check);
            // Others are found by the place of the instruction.
            if check.relation.is_some() || check.location != self.location {
                self.code.checks.push((pc as u32, check));
            }
        }
        self.code.instructions.push(instruction);
        self.code.locations.push(self.location);
        pc
    }

    fn assertion(&self, check: Check) -> output::Check {
        let assertion = self.ir.assertions[check.assertion as usize];
        output::Check {
            location: assertion.location,
            relation: assertion.relation,
            swapped: check.swapped,
            value: assertion.value.and_then(|word| self.computed(word)),
            message: assertion.message,
            iteration: assertion.iteration,
        }
    }

    /// Returns where a word is, if it is computed.
    fn computed(&self, word: Word) -> Option<Operand> {
        match word {
            Word::Const(value) => Some(imm(value)),
            Word::Var(var) => self.layout.find(var).map(mem),
            Word::Address(..) => None,
        }
    }

    /// Returns a message with the places of its words.
    pub(super) fn message(&self, pieces: &[(String, Option<Word>)]) -> output::Pieces {
        let pieces = pieces.iter().map(|(text, word)| match word {
            None => (text.clone(), None),
            Some(word) => match self.computed(*word) {
                Some(operand) => (text.clone(), Some(operand)),
                None => (format!("{text}_"), None),
            },
        });
        pieces.collect()
    }

    /// Prints after the last instruction if that is of the operation before in the same list, and
    /// otherwise before the next one.
    fn print(&mut self, message: u32, after: bool) {
        let next = self.code.instructions.len() as u32;
        self.code.prints.push(output::Print {
            pc: next - u32::from(after),
            after,
            location: self.location,
            message,
        });
    }

    fn simple(&mut self, op: Code, a: Operand, b: Operand, c: Operand, d: i64) -> usize {
        self.push(Instruction {
            op,
            id: 0,
            a,
            b,
            c,
            d: at(Mode::Imm, d),
            e: F::ZERO,
        })
    }

    fn add(&mut self, a: Operand, b: Operand, c: Operand) {
        self.simple(Code::Add, a, b, c, 0);
    }

    fn deref(&mut self, pointer: Operand, displacement: i64, value: Operand) {
        self.simple(Code::Deref, pointer, ZERO, value, displacement);
    }

    fn jump(&mut self, condition: Operand, target: Operand, frame: Operand) -> usize {
        self.simple(Code::Jump, condition, target, frame, 0)
    }

    /// Emits a jump whose target [`Self::land`] sets.
    fn jump_ahead(&mut self, condition: Operand, frame: Operand) -> usize {
        self.jump(condition, ZERO, frame)
    }

    fn land(&mut self, jump: usize) {
        let here = self.here();
        self.code.instructions[jump].b.field = F::from_usize(here);
    }

    fn call(&mut self, identity: u32, operands: [Operand; 4], e: u32) {
        let [a, b, c, d] = operands;
        debug_assert!(
            d.mode != Mode::Mem,
            "operand D of a precompile must not be reached through a pointer"
        );
        self.push(Instruction {
            op: Code::Call,
            id: match identity {
                id::EXT if self.ir.field == ChallengeField::Quartic => id::EXT4,
                identity => identity,
            },
            a,
            b,
            c,
            d,
            e: F::from_u32(e),
        });
    }

    fn var(&self, var: Var) -> Operand {
        mem(self.layout.word(var))
    }

    fn operand(&self, word: Word) -> Operand {
        match word {
            Word::Const(value) => imm(value),
            Word::Var(var) => self.var(var),
            Word::Address(area, offset) => self.address(area, offset),
        }
    }

    fn address(&self, area: Area, offset: u32) -> Operand {
        let offset = i64::from(offset);
        let fixed = |address: u32| imm(number(i64::from(address) + offset));
        match self.ir.areas[area as usize].kind {
            AreaKind::Statement => fixed(0),
            AreaKind::Constant(index) => {
                fixed(1 + self.constants[index as usize].unwrap_or_default())
            }
            AreaKind::Tape(position) => fixed(self.tape_base + position),
            AreaKind::Local { .. } => match self.layout.area(area) {
                (true, index) => fixed(1 + self.code.constants.len() as u32 + index as u32),
                (false, place) => frame(place + offset),
            },
        }
    }

    fn degree(&self) -> usize {
        self.ir.field.degree()
    }

    /// Returns whether elements are of BabyBear^4. There `ext`, which asserts several lanes at once
    /// in other fields, is no precompile, so each lane is asserted by itself.
    fn is_baby_bear(&self) -> bool {
        self.ir.field == ChallengeField::BabyBear
    }

    /// Asserts the blocks of the constant pool.
    fn prologue(&mut self) {
        let degree = self.degree();
        for index in 0..self.code.constants.len() {
            let lanes = self.code.constants[index];
            let block = imm(F::from_usize(1 + index));
            let used = lanes.iter().rposition(|lane| *lane != F::ZERO);
            let used = used.map_or(0, |last| last + 1);
            let stored = match used {
                _ if self.is_baby_bear() => 8,
                // The block equals itself times zero, plus a scalar.
                0 | 1 => {
                    self.call(id::EXT, [block, ZERO, imm(lanes[0]), block], 3);
                    continue;
                }
                used if used <= degree => {
                    self.call(id::EXT, [block, ONE, ZERO, block], 3);
                    degree
                }
                _ => 8,
            };
            for (lane, value) in lanes.iter().enumerate().take(stored) {
                self.call(id::LANE, [block, imm(*value), ZERO, ZERO], lane as u32);
            }
        }
    }

    /// Asserts that the lanes of the statement after the program's inputs and outputs are zero.
    /// Otherwise the prover could choose them, and one run would have many statements. This comes
    /// at the end, when the number of outputs is known.
    fn rest_of_statement(&mut self) {
        let used = self.ir.public_inputs + self.ir.public_outputs;
        let (block, degree) = (imm(F::ZERO), self.degree());
        let lanes = match used {
            _ if self.is_baby_bear() => used..8,
            // The block equals itself times zero.
            0 => {
                self.call(id::EXT, [block, ZERO, ZERO, block], 3);
                return;
            }
            // The block equals itself times one, so it is an extension element, whose lanes after
            // its coefficients are zero.
            used if used < degree => {
                self.call(id::EXT, [block, ONE, ZERO, block], 3);
                used..degree
            }
            _ => used..8,
        };
        for lane in lanes {
            self.call(id::LANE, [block, ZERO, ZERO, ZERO], lane as u32);
        }
    }

    fn count_calls(&mut self, ops: &[Op]) {
        for op in ops {
            match &op.kind {
                OpKind::If(_, then, otherwise) => {
                    self.count_calls(then);
                    self.count_calls(otherwise);
                }
                OpKind::Loop(inner) => self.count_calls(&inner.body),
                OpKind::Invoke(_) => self.calls += 1,
                _ => {}
            }
        }
    }

    fn list(&mut self, ops: &[Op]) {
        let mut straight = false;
        for op in ops {
            self.location = op.location;
            if let OpKind::Print(message) = op.kind {
                self.print(message, straight && self.pending.is_empty());
                continue;
            }
            // An operation that makes an assertion as well is a single instruction.
            self.check = op.check;
            let before = self.code.instructions.len();
            self.op(&op.kind);
            let jumps = matches!(
                op.kind,
                OpKind::If(..) | OpKind::Loop(_) | OpKind::Invoke(_)
            );
            let emitted = self.code.instructions.len() > before;
            straight = !jumps && (straight || emitted);
        }
    }

    fn op(&mut self, kind: &OpKind) {
        match kind {
            OpKind::Relation(multiply, words, _) => {
                let code = if *multiply { Code::Mul } else { Code::Add };
                let [a, b, c] = words.map(|word| self.operand(word));
                self.simple(code, a, b, c, 0);
            }
            OpKind::Deref(pointer, displacement, value, _) => {
                let displacement = match displacement {
                    Displacement::Cell(var) => self.layout.word(*var),
                    Displacement::Zero => 0,
                };
                let (pointer, value) = (self.operand(*pointer), self.operand(*value));
                self.deref(pointer, displacement, value);
            }
            OpKind::OuterAddress(pointer, area, offset, def) => {
                let (_, place) = self.layout.area(*area);
                let distance = imm(number(place + i64::from(*offset)));
                let (pointer, def) = (self.operand(*pointer), self.var(*def));
                self.add(pointer, distance, def);
            }
            OpKind::WordsAddress(_, def) => {
                let mut first = i64::from(self.layout.arrays[def]);
                if self.ir.vars[*def as usize] == MAIN {
                    first -= i64::from(self.layout.extents[MAIN as usize].words);
                }
                let def = self.var(*def);
                self.add(frame(first), ZERO, def);
            }
            OpKind::LastFrame {
                first,
                count,
                frame,
                product,
                def,
            } => {
                let stride = imm(number(self.layout.stride(*frame)));
                let (count, product) = (self.operand(*count), self.var(*product));
                self.simple(Code::Mul, count, stride, product, 0);
                let (first, def) = (self.var(*first), self.var(*def));
                self.add(first, product, def);
            }
            OpKind::Call(identity, operands, e, _) => {
                let mut e = *e;
                if *identity == id::LANE && e >= OUTPUT_LANE {
                    e = e - OUTPUT_LANE + self.ir.public_inputs as u32;
                }
                let operands = operands.map(|word| self.operand(word));
                self.call(*identity, operands, e);
            }
            OpKind::Hint(hint) => {
                let hint = self.hint(hint);
                self.pend(hint);
            }
            OpKind::Copy(to, from) => {
                let (to, from) = (self.var(*to), self.operand(*from));
                self.add(from, ZERO, to);
            }
            OpKind::CopyBlock(to, offset, from) => {
                let (to, from) = (self.address(*to, *offset), self.operand(*from));
                self.call(id::BLOCK_EQ, [from, to, ZERO, ZERO], 0);
            }
            OpKind::If(condition, then, otherwise) => self.branch(*condition, then, otherwise),
            OpKind::Loop(inner) => match inner.trips {
                Trips::Fixed(trips) => self.fixed_loop(inner, trips),
                Trips::Counted { count, first } => self.counted_loop(inner, count, first),
            },
            OpKind::Invoke(call) => self.invoke(call),
            OpKind::Print(_) => {}
        }
    }

    fn hint(&self, hint: &HintOp) -> Hint {
        match hint {
            HintOp::Felt(def) => Hint::Felt {
                cell: self.var(*def),
            },
            HintOp::Ext(area) => Hint::Ext {
                block: self.address(*area, 0),
            },
            HintOp::Slice {
                def,
                position,
                blocks,
            } => Hint::Slice {
                cell: def.map(|def| self.var(def)),
                position: *position,
                blocks: *blocks,
            },
            HintOp::Inverse { def, of } => Hint::Inverse {
                cell: self.var(*def),
                of: self.operand(*of),
            },
            HintOp::Equal { def, a, b } => Hint::Equal {
                cell: self.var(*def),
                a: self.operand(*a),
                b: self.operand(*b),
                negate: false,
            },
            HintOp::Bit { def, of, bit } => Hint::Bit {
                cell: self.var(*def),
                of: self.operand(*of),
                bit: *bit,
            },
        }
    }
}
