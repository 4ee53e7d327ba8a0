//! Instructions of branches, loops and calls of functions.

use super::*;

impl Emitter<'_> {
    pub(super) fn branch(&mut self, condition: Word, then: &[Op], otherwise: &[Op]) {
        let location = self.location;
        let condition = self.operand(condition);
        let to_then = self.jump_ahead(condition, frame(0));
        // Calls are numbered in the order of the layout: those of `then` first.
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
        if let Some(last) = self.code.prints.last()
            && last.pc as usize == self.code.instructions.len()
        {
            // What follows runs after the other branch, too.
            self.add(ZERO, ZERO, ZERO);
        }
        self.calls = end_call;
        self.location = location;
        self.land(to_end);
    }

    /// Returns where iterations find the outer frame's address for the next one, if they pass it
    /// on.
    fn outer(&self, inner: &Loop) -> Option<i64> {
        let outer = self.ir.frames[inner.frame as usize].outer;
        let needed =
            self.uses.vars[outer as usize] > 0 || matches!(inner.trips, Trips::Counted { .. });
        needed.then(|| self.layout.word(outer))
    }

    /// Writes a value to a cell, unless it is there.
    fn copy(&mut self, value: Operand, slot: Operand) {
        if value != slot {
            self.add(value, ZERO, slot);
        }
    }

    /// Sets the parameters of the iteration whose frame is at `base`.
    fn set_params(&mut self, inner: &Loop, base: i64, is_first: bool) {
        let value = |init, next| if is_first { init } else { next };
        for carried in &inner.carried {
            let value = self.operand(value(carried.init, carried.next));
            match carried.param {
                Def::Var(param) => self.copy(value, mem(base + self.layout.word(param))),
                Def::Area(param) => {
                    let slot = frame(base + self.layout.area(param).1);
                    if value != slot {
                        self.call(id::BLOCK_EQ, [value, slot, ZERO, ZERO], 0);
                    }
                }
                Def::None => {}
            }
        }
    }

    /// Sets the parameters of the next iteration, and its counter.
    fn next_iteration(&mut self, inner: &Loop) {
        let stride = self.layout.stride(inner.frame);
        self.set_params(inner, stride, false);
        let (counter, next) = (self.var(inner.counter), self.var(inner.counter_next));
        self.add(counter, ONE, next);
        if let Some(outer) = self.outer(inner) {
            self.add(mem(outer), ZERO, mem(stride + outer));
        }
    }

    /// Records which instructions are those of a loop's body.
    fn body_of_loop(&mut self, inner: &Loop, head: usize, location: Location) {
        let end = self.code.instructions.len();
        self.code.bodies.push(Body {
            range: head as u32..end as u32,
            span: location.span,
            counter: self.var(inner.counter),
            outer: self.outer(inner).map(mem),
        });
    }

    pub(super) fn fixed_loop(&mut self, inner: &Loop, trips: u64) {
        let location = self.location;
        let base = self.layout.loop_base(inner.frame);
        let stride = self.layout.stride(inner.frame);
        self.set_params(inner, base, true);
        self.add(ZERO, ZERO, mem(base + self.layout.word(inner.counter)));
        if let Some(outer) = self.outer(inner) {
            self.add(frame(0), ZERO, mem(base + outer));
        }
        let enter = self.jump_ahead(ONE, frame(base));
        self.land(enter);
        let head = self.here();
        self.list(&inner.body);
        self.body_of_loop(inner, head, location);
        self.location = location;
        self.next_iteration(inner);
        let (flag, next) = (self.var(inner.flag), self.var(inner.counter_next));
        let last = imm(F::from_u64(trips));
        self.pend(Hint::Equal {
            cell: flag,
            a: next,
            b: last,
            negate: true,
        });
        // The flag is a hint. A prover who leaves the loop early fails the next assertion, and one
        // who continues past the end would have to run the counter through the whole field.
        self.jump(flag, imm(F::from_usize(head)), frame(stride));
        self.add(next, ZERO, last);
        let back = -(base + (trips as i64 - 1) * stride);
        let leave = self.jump_ahead(ONE, frame(back));
        self.land(leave);
    }

    pub(super) fn counted_loop(&mut self, inner: &Loop, count: Word, first: Var) {
        let location = self.location;
        let stride = self.layout.stride(inner.frame);
        let (count, first) = (self.operand(count), self.var(first));
        self.pend(Hint::Fresh {
            cell: first,
            stride: stride as u32,
            count,
        });
        for carried in &inner.carried {
            let value = self.operand(carried.init);
            match (carried.param, carried.pointer) {
                (Def::Area(param), Some(pointer)) => {
                    let pointer = self.var(pointer);
                    let place = imm(number(self.layout.area(param).1));
                    self.add(first, place, pointer);
                    self.call(id::BLOCK_EQ, [value, pointer, ZERO, ZERO], 0);
                }
                (Def::Var(param), _) => self.deref(first, self.layout.word(param), value),
                _ => {}
            }
        }
        self.deref(first, self.layout.word(inner.counter), ZERO);
        let outer = self.outer(inner).unwrap_or_default();
        self.deref(first, outer, frame(0));
        let enter = self.jump_ahead(ONE, first);
        self.land(enter);
        let head = self.here();
        let (flag, counter) = (self.var(inner.flag), self.var(inner.counter));
        self.pend(Hint::Reached {
            cell: flag,
            counter,
            outer: mem(outer),
            count,
        });
        let exit = self.jump_ahead(flag, frame(0));
        self.list(&inner.body);
        self.body_of_loop(inner, head, location);
        self.location = location;
        self.next_iteration(inner);
        self.jump(ONE, imm(F::from_usize(head)), frame(stride));
        self.land(exit);
        // The loop can only be left when the counter equals the count that the outer frame holds.
        match count.mode {
            Mode::Mem => {
                self.simple(Code::Deref, mem(outer), ZERO, counter, 0);
                if let Some(last) = self.code.instructions.last_mut() {
                    last.d = imm(count.field);
                }
            }
            _ => self.add(counter, ZERO, count),
        }
        let leave = self.jump_ahead(ONE, mem(outer));
        self.land(leave);
    }

    pub(super) fn invoke(&mut self, call: &Invoke) {
        let base = self.layout.calls[self.calls];
        self.calls += 1;
        let function = &self.ir.functions[call.function];
        for (arg, param) in call.args.iter().zip(&function.params) {
            let slot = mem(base + self.layout.word(*param));
            let value = self.operand(*arg);
            self.copy(value, slot);
        }
        self.add(frame(0), ZERO, mem(base + 1));
        let after = self.here() + 2;
        self.add(imm(F::from_usize(after)), ZERO, mem(base));
        let jump = self.jump_ahead(ONE, frame(base));
        self.links.push((jump, call.function));
    }
}
