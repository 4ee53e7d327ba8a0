//! Instructions from the intermediate representation and its layout.

use p3_field::PrimeCharacteristicRing;

use super::allocate::Layout;
use super::ir::*;
use super::optimise::Uses;
use super::output::{Hint, Location};
use crate::isa::{Instruction, Mode, Op as Code, Operand, id};
use droste_native::F;

/// Lane of the first public output while their number of inputs is not known.
pub const OUTPUT_LANE: u32 = 1 << 20;

/// Instructions with their hints and places in the source.
#[derive(Default)]
pub struct Emitted {
    pub instructions: Vec<Instruction>,
    pub locations: Vec<Location>,
    pub hints: Vec<(u32, Hint)>,
    /// The constants in use.
    pub constants: Vec<[F; 8]>,
}

struct Emitter<'a> {
    ir: &'a Ir,
    layout: &'a Layout,
    uses: &'a Uses,
    code: Emitted,
    pending: Vec<Hint>,
    location: Location,
    /// New index of each constant.
    constants: Vec<Option<u32>>,
    tape_base: u32,
    /// Next call of the layout.
    calls: usize,
    /// Calls to be linked: instruction and function.
    links: Vec<(usize, usize)>,
}

fn imm(value: F) -> Operand {
    Operand {
        mode: Mode::Imm,
        field: value,
    }
}

fn number(value: i64) -> F {
    if value < 0 {
        -F::from_u64(value.unsigned_abs())
    } else {
        F::from_u64(value as u64)
    }
}

fn at(mode: Mode, offset: i64) -> Operand {
    Operand {
        mode,
        field: number(offset),
    }
}

fn mem(offset: i64) -> Operand {
    at(Mode::Mem, offset)
}

fn frame(offset: i64) -> Operand {
    at(Mode::Fp, offset)
}

const ZERO: Operand = Operand {
    mode: Mode::Imm,
    field: F::ZERO,
};
const ONE: Operand = Operand {
    mode: Mode::Imm,
    field: F::ONE,
};

/// Emits the whole program.
pub fn emit(ir: &Ir, layout: &Layout, uses: &Uses) -> Emitted {
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
        constants,
        tape_base,
        calls: 0,
        links: Vec::new(),
    };
    emitter.jump(ONE, ZERO, frame(0));
    emitter.prologue();
    // Calls are numbered as they were laid out: functions first.
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
    emitter.code
}

impl Emitter<'_> {
    /// Number of the next instruction. Hints that wait for one get it: here other ways may join.
    fn here(&mut self) -> usize {
        if !self.pending.is_empty() {
            self.add(ZERO, ZERO, ZERO);
        }
        self.code.instructions.len()
    }

    fn push(&mut self, instruction: Instruction) -> usize {
        let pc = self.code.instructions.len();
        for hint in self.pending.drain(..) {
            self.code.hints.push((pc as u32, hint));
        }
        self.code.instructions.push(instruction);
        self.code.locations.push(self.location);
        pc
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

    /// A jump whose target is set by [`Self::land`].
    fn jump_ahead(&mut self, condition: Operand, frame: Operand) -> usize {
        self.jump(condition, ZERO, frame)
    }

    fn land(&mut self, jump: usize) {
        let here = self.here();
        self.code.instructions[jump].b.field = F::from_usize(here);
    }

    fn call(&mut self, id: u32, operands: [Operand; 4], e: u32) {
        let [a, b, c, d] = operands;
        debug_assert!(
            d.mode != Mode::Mem,
            "operand D of a precompile is a pointer"
        );
        self.push(Instruction {
            op: Code::Call,
            id,
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

    /// Asserts the constant pool.
    fn prologue(&mut self) {
        for index in 0..self.code.constants.len() {
            let lanes = self.code.constants[index];
            let block = imm(F::from_usize(1 + index));
            let used = lanes.iter().rposition(|lane| *lane != F::ZERO);
            let used = used.map_or(0, |last| last + 1);
            let stored = match used {
                // The block times zero, plus a scalar.
                0 | 1 => {
                    self.call(id::EXT, [block, ZERO, imm(lanes[0]), block], 3);
                    continue;
                }
                2..=5 => {
                    self.call(id::EXT, [block, ONE, ZERO, block], 3);
                    5
                }
                _ => 8,
            };
            for (lane, value) in lanes.iter().enumerate().take(stored) {
                self.call(id::LANE, [block, imm(*value), ZERO, ZERO], lane as u32);
            }
        }
    }

    /// Asserts that the lanes of the statement after the program's inputs and outputs are zero: else
    /// they would be the prover's choice, and one run would have many statements. At the end, when the
    /// outputs are known.
    fn rest_of_statement(&mut self) {
        let used = self.ir.public_inputs + self.ir.public_outputs;
        let block = imm(F::ZERO);
        let lanes = match used {
            // The block is itself times zero.
            0 => {
                self.call(id::EXT, [block, ZERO, ZERO, block], 3);
                return;
            }
            // The block is itself times one: an extension element, lanes 5 to 7 of which are zero.
            1..5 => {
                self.call(id::EXT, [block, ONE, ZERO, block], 3);
                used..5
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
                OpKind::If {
                    then, otherwise, ..
                } => {
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
        for op in ops {
            self.location = op.location;
            self.op(&op.kind);
        }
    }

    fn op(&mut self, kind: &OpKind) {
        match kind {
            OpKind::Relation {
                multiply, a, b, c, ..
            } => {
                let code = if *multiply { Code::Mul } else { Code::Add };
                let (a, b, c) = (self.operand(*a), self.operand(*b), self.operand(*c));
                self.simple(code, a, b, c, 0);
            }
            OpKind::Deref {
                pointer,
                displacement,
                value,
                ..
            } => {
                let displacement = match displacement {
                    Displacement::Cell(var) => self.layout.word(*var),
                    Displacement::Zero => 0,
                };
                let (pointer, value) = (self.operand(*pointer), self.operand(*value));
                self.deref(pointer, displacement, value);
            }
            OpKind::OuterAddress {
                pointer,
                area,
                offset,
                def,
            } => {
                let (_, place) = self.layout.area(*area);
                let distance = imm(number(place + i64::from(*offset)));
                let (pointer, def) = (self.operand(*pointer), self.var(*def));
                self.add(pointer, distance, def);
            }
            OpKind::WordsAddress { def, .. } => {
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
            OpKind::Call {
                id: identity,
                a,
                b,
                c,
                d,
                e,
                ..
            } => {
                let mut e = *e;
                if *identity == id::LANE && e >= OUTPUT_LANE {
                    e = e - OUTPUT_LANE + self.ir.public_inputs as u32;
                }
                let operands = [a, b, c, d].map(|word| self.operand(*word));
                self.call(*identity, operands, e);
            }
            OpKind::Hint(hint) => {
                let hint = self.hint(hint);
                self.pending.push(hint);
            }
            OpKind::Copy { to, from } => {
                let (to, from) = (self.var(*to), self.operand(*from));
                self.add(from, ZERO, to);
            }
            OpKind::CopyBlock { to, offset, from } => {
                let (to, from) = (self.address(*to, *offset), self.operand(*from));
                self.call(id::BLOCK_EQ, [from, to, ZERO, ZERO], 0);
            }
            OpKind::If {
                condition,
                then,
                otherwise,
            } => self.branch(*condition, then, otherwise),
            OpKind::Loop(inner) => match inner.trips {
                Trips::Fixed(trips) => self.fixed_loop(inner, trips),
                Trips::Counted { count, first } => self.counted_loop(inner, count, first),
            },
            OpKind::Invoke(call) => self.invoke(call),
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

    fn branch(&mut self, condition: Word, then: &[Op], otherwise: &[Op]) {
        let location = self.location;
        let condition = self.operand(condition);
        let to_then = self.jump_ahead(condition, frame(0));
        // Calls are numbered as they were laid out: those of `then` first.
        let first_call = self.calls;
        self.count_calls(then);
        self.list(otherwise);
        let end_call = std::mem::replace(&mut self.calls, first_call);
        if then.is_empty() {
            self.calls = end_call;
            self.land(to_then);
            return;
        }
        self.here();
        self.location = location;
        let to_end = self.jump_ahead(ONE, frame(0));
        self.land(to_then);
        self.list(then);
        self.calls = end_call;
        self.location = location;
        self.land(to_end);
    }

    /// Whether iterations hand on the outer frame's address.
    fn outer(&self, inner: &Loop) -> Option<i64> {
        let outer = self.ir.frames[inner.frame as usize].outer;
        let needed =
            self.uses.vars[outer as usize] > 0 || matches!(inner.trips, Trips::Counted { .. });
        needed.then(|| self.layout.word(outer))
    }

    /// The values for the next iteration, and its counter.
    fn next_iteration(&mut self, inner: &Loop) {
        let stride = self.layout.stride(inner.frame);
        for carried in &inner.words {
            let slot = mem(stride + self.layout.word(carried.param));
            let value = self.operand(carried.next);
            if value != slot {
                self.add(value, ZERO, slot);
            }
        }
        for carried in &inner.blocks {
            let slot = frame(stride + self.layout.area(carried.param).1);
            let value = self.operand(carried.next);
            if value != slot {
                self.call(id::BLOCK_EQ, [value, slot, ZERO, ZERO], 0);
            }
        }
        let (counter, next) = (self.var(inner.counter), self.var(inner.counter_next));
        self.add(counter, ONE, next);
        if let Some(outer) = self.outer(inner) {
            self.add(mem(outer), ZERO, mem(stride + outer));
        }
    }

    fn fixed_loop(&mut self, inner: &Loop, trips: u64) {
        let location = self.location;
        let base = self.layout.loop_base(inner.frame);
        let stride = self.layout.stride(inner.frame);
        for carried in &inner.words {
            let slot = mem(base + self.layout.word(carried.param));
            let value = self.operand(carried.init);
            if value != slot {
                self.add(value, ZERO, slot);
            }
        }
        for carried in &inner.blocks {
            let slot = frame(base + self.layout.area(carried.param).1);
            let value = self.operand(carried.init);
            if value != slot {
                self.call(id::BLOCK_EQ, [value, slot, ZERO, ZERO], 0);
            }
        }
        self.add(ZERO, ZERO, mem(base + self.layout.word(inner.counter)));
        if let Some(outer) = self.outer(inner) {
            self.add(frame(0), ZERO, mem(base + outer));
        }
        let enter = self.jump_ahead(ONE, frame(base));
        self.land(enter);
        let head = self.here();
        self.list(&inner.body);
        self.location = location;
        self.next_iteration(inner);
        let (flag, next) = (self.var(inner.flag), self.var(inner.counter_next));
        let last = imm(F::from_u64(trips));
        self.pending.push(Hint::Equal {
            cell: flag,
            a: next,
            b: last,
            negate: true,
        });
        // The prover may only fall through at the end, and cannot go past it: the counter would
        // have to run through the whole field.
        self.jump(flag, imm(F::from_usize(head)), frame(stride));
        self.add(next, ZERO, last);
        let back = -(base + (trips as i64 - 1) * stride);
        let leave = self.jump_ahead(ONE, frame(back));
        self.land(leave);
    }

    fn counted_loop(&mut self, inner: &Loop, count: Word, first: Var) {
        let location = self.location;
        let stride = self.layout.stride(inner.frame);
        let (count, first) = (self.operand(count), self.var(first));
        self.pending.push(Hint::Fresh {
            cell: first,
            stride: stride as u32,
            count,
        });
        for carried in &inner.words {
            let value = self.operand(carried.init);
            self.deref(first, self.layout.word(carried.param), value);
        }
        for carried in &inner.blocks {
            let pointer = self.var(carried.pointer);
            let place = imm(number(self.layout.area(carried.param).1));
            self.add(first, place, pointer);
            let value = self.operand(carried.init);
            self.call(id::BLOCK_EQ, [value, pointer, ZERO, ZERO], 0);
        }
        self.deref(first, self.layout.word(inner.counter), ZERO);
        let outer = self.outer(inner).unwrap_or_default();
        self.deref(first, outer, frame(0));
        let enter = self.jump_ahead(ONE, first);
        self.land(enter);
        let head = self.here();
        let (flag, counter) = (self.var(inner.flag), self.var(inner.counter));
        self.pending.push(Hint::Reached {
            cell: flag,
            counter,
            outer: mem(outer),
            count,
        });
        let exit = self.jump_ahead(flag, frame(0));
        self.list(&inner.body);
        self.location = location;
        self.next_iteration(inner);
        self.jump(ONE, imm(F::from_usize(head)), frame(stride));
        self.land(exit);
        // Leaving is only possible when the counter is the count that the outer frame holds.
        match count.mode {
            Mode::Mem => {
                self.simple(Code::Deref, mem(outer), ZERO, counter, 0);
                if let Some(last) = self.code.instructions.last_mut() {
                    last.d = Operand {
                        mode: Mode::Imm,
                        field: count.field,
                    };
                }
            }
            _ => self.add(counter, ZERO, count),
        }
        let leave = self.jump_ahead(ONE, mem(outer));
        self.land(leave);
    }

    fn invoke(&mut self, call: &Invoke) {
        let base = self.layout.call_base(self.calls);
        self.calls += 1;
        let function = &self.ir.functions[call.function];
        for (arg, param) in call.args.iter().zip(&function.params) {
            let slot = mem(base + self.layout.word(*param));
            let value = self.operand(*arg);
            if value != slot {
                self.add(value, ZERO, slot);
            }
        }
        self.add(frame(0), ZERO, mem(base + 1));
        let after = self.here() + 2;
        self.add(imm(F::from_usize(after)), ZERO, mem(base));
        let jump = self.jump_ahead(ONE, frame(base));
        self.links.push((jump, call.function));
    }
}
