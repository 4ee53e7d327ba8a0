//! Loops that are emitted, since the number of their iterations is known only in a run.

use std::collections::BTreeSet;

use super::*;
use crate::compiler::eval::carry::*;
use crate::compiler::eval::control::{SLICE_LENGTHS, uncertain};
use crate::compiler::eval::variant::KEEP_A_BOOL;
use crate::compiler::ir::*;
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

impl Evaluator<'_> {
    /// Emits a loop whose number of iterations is known only in a run. The body is given the
    /// counter.
    pub(in super::super) fn run_time_loop(
        &mut self,
        count: Word,
        span: Span,
        body: &mut dyn FnMut(&mut Self, Value) -> Eval<Value>,
    ) -> Eval<Value> {
        if let Word::Const(F::ZERO) = count {
            return Ok(Value::unit());
        }
        self.at(span);
        self.share_pending(span)?;
        let location = self.builder.location;
        let mut entry = self.here().vars.clone();
        let counters = self.builder.counters;
        let parent = self.builder.current_frame();
        let mut changing: BTreeSet<usize> = BTreeSet::new();
        loop {
            let frame = self.builder.frame(Some(parent));
            let counter = self.builder.var_in(frame);
            let mut params = HashMap::new();
            let entry_leaves = leaves(&entry);
            self.charge((entry.len() + entry_leaves.len()) as u64, span)?;
            for number in &changing {
                let like = entry_leaves[*number];
                let word = match carrier(like) {
                    Some(Carrier::Word) => Word::Var(self.builder.var_in(frame)),
                    _ => Word::Address(self.builder.area_in(frame, 1), 0),
                };
                params.insert(*number, carried(like, word));
            }
            self.here().vars = replace_leaves(&entry, &params);
            self.builder.counters.enter();
            self.builder.push_scope(frame);
            let result = body(self, Value::Felt(Word::Var(counter)));
            let result = match count {
                Word::Const(_) => result,
                _ => uncertain(result),
            };
            self.no_jump(result, span)?;
            self.builder.location = location;
            let mut exit = std::mem::take(&mut self.here().vars);
            exit.truncate(entry.len());
            let exit_leaves = leaves(&exit);
            if let Some((name, before, after)) = self.changed_variant(&entry, &exit) {
                let message = format!("the loop changes `{name}` from `{before}` to `{after}`");
                return fail_help(span, message, KEEP_A_BOOL);
            }
            if !same_shapes(&entry, &exit) {
                return fail(span, "the loop changes the structure of a variable");
            }
            if !self.all_held_alike(&entry, &exit) {
                return fail(
                    span,
                    "the loop leaves a reference where a value was, or the reverse",
                );
            }
            let mut found = HashMap::new();
            for (number, (before, after)) in entry_leaves.iter().zip(&exit_leaves).enumerate() {
                if !changing.contains(&number) && before.same_leaf(after) {
                    continue;
                }
                let (before, after) = (at_run_time(before), at_run_time(after));
                let same_kind = Scalar::of(&before) == Scalar::of(&after);
                if let (Value::Slice(_, n), Value::Slice(_, m)) = (&before, &after)
                    && n != m
                {
                    return fail_help(
                        span,
                        format!("a slice has {n} blocks before an iteration and {m} after it"),
                        SLICE_LENGTHS,
                    );
                }
                if carrier(&before).is_none() || !same_kind {
                    let (before, after) = (before.shown(), after.shown());
                    return fail_help(
                        span,
                        format!(
                            "{before} changes from one iteration of a run-time loop to the next, \
                             to {after}"
                        ),
                        "only run-time values can change; or unroll the loop, `for i in 0..N`",
                    );
                }
                if changing.insert(number) {
                    found.insert(number, before);
                }
            }
            if !found.is_empty() {
                self.builder.pop_scope();
                self.builder.counters = counters;
                entry = replace_leaves(&entry, &found);
                continue;
            }
            let carries = self.finish_iteration(&changing, &params, &entry_leaves, &exit_leaves);
            return self.emit_loop(frame, counter, count, counters, &entry, &changing, carries);
        }
    }

    /// Returns the values that an iteration passes on to the next, named from within its frame.
    fn finish_iteration(
        &mut self,
        changing: &BTreeSet<usize>,
        params: &HashMap<usize, Value>,
        entry: &[&Value],
        exit: &[&Value],
    ) -> Vec<(Value, Value, Word, Word)> {
        let mut carries = Vec::new();
        for number in changing {
            let param = params[number].clone();
            let next = self.leaf_word(&at_run_time(exit[*number]));
            let next = self.builder.reach(next);
            let place = place(&param).unwrap_or(Word::Const(F::ZERO));
            carries.push((entry[*number].clone(), param, place, next));
        }
        carries
    }

    #[allow(clippy::too_many_arguments)]
    fn emit_loop(
        &mut self,
        frame: Frame,
        counter: Var,
        count: Word,
        counters: crate::compiler::build::Counters,
        entry: &Variables,
        changing: &BTreeSet<usize>,
        carries: Vec<(Value, Value, Word, Word)>,
    ) -> Eval<Value> {
        let counter_next = self.builder.var_in(frame);
        let flag = self.builder.var_in(frame);
        let body = self.builder.pop_scope().ops;
        let per_iteration = self.builder.counters.consumed;
        self.builder.counters = counters;
        let trips = match count {
            Word::Const(n) => {
                use p3_field::PrimeField32;
                let n = n.as_canonical_u32();
                let total = per_iteration.and_then(|blocks| blocks.checked_mul(n));
                self.builder.counters.advance(total);
                Trips::Fixed(u64::from(n))
            }
            count => {
                let all = per_iteration.filter(|blocks| *blocks == 0);
                self.builder.counters.advance(all);
                let count = self.builder.reach(count);
                let first = self.builder.var();
                Trips::Counted { count, first }
            }
        };
        let (mut all, mut results) = (Vec::new(), Vec::new());
        for (init, like, place, next) in &carries {
            let init = self.leaf_word(init);
            let init = self.builder.reach(init);
            let (param, result, pointer) = match *place {
                Word::Var(param) => (Def::Var(param), Def::Var(self.builder.var()), None),
                Word::Address(param, _) => {
                    let here = self.builder.current_frame();
                    let result = Def::Area(self.builder.area_in(here, 1));
                    (Def::Area(param), result, Some(self.builder.var()))
                }
                Word::Const(_) => continue,
            };
            results.push(carried(like, result.word()));
            all.push(Carried {
                param,
                init,
                next: *next,
                result,
                pointer,
            });
        }
        all.sort_by_key(|carried| carried.pointer.is_some());
        self.builder.push(OpKind::Loop(Box::new(Loop {
            frame,
            trips,
            counter,
            counter_next,
            flag,
            carried: all,
            body,
        })));
        if let Trips::Counted { count, first } = trips
            && !results.is_empty()
        {
            results = self.counted_results(frame, count, first, &carries);
        }
        let replaced: HashMap<usize, Value> = changing.iter().copied().zip(results).collect();
        self.here().vars = replace_leaves(entry, &replaced);
        Ok(Value::unit())
    }

    /// Returns the results of a counted loop. They are in the frame that the last iteration
    /// prepared.
    fn counted_results(
        &mut self,
        frame: Frame,
        count: Word,
        first: Var,
        carries: &[(Value, Value, Word, Word)],
    ) -> Vec<Value> {
        let (product, last) = (self.builder.var(), self.builder.var());
        self.builder.push(OpKind::LastFrame {
            first,
            count,
            frame,
            product,
            def: last,
        });
        let mut results = Vec::new();
        for (_, param, place, _) in carries {
            let def = self.builder.var();
            let pointer = Word::Var(last);
            match *place {
                Word::Address(area, offset) => {
                    self.builder.ir.areas[area as usize].pinned = true;
                    let address = OpKind::OuterAddress(pointer, area, offset, def);
                    self.builder.push(address);
                }
                Word::Var(var) => {
                    let (cell, value) = (Displacement::Cell(var), Word::Var(def));
                    self.builder
                        .push(OpKind::Deref(pointer, cell, value, Def::Var(def)));
                }
                Word::Const(_) => continue,
            }
            results.push(carried(param, Word::Var(def)));
        }
        results
    }
}
