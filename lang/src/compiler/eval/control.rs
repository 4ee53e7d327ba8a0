//! Branches and loops: decided at compile time where possible, emitted otherwise.

use std::collections::BTreeSet;

use super::instance::Scalar;
use super::*;
use crate::compiler::build::Scope;
use crate::compiler::ir::*;
use crate::compiler::value::{Block as BlockValue, Ext, Pointer};
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

/// The condition of a branch or an assertion.
pub(super) enum Condition {
    Known(bool),
    Flag(Word),
    /// Two words are equal, or (`false`) are not.
    Equal(Word, Word, bool),
}

/// What to do where two slices meet.
const SLICE_LENGTHS: &str = "the length of a slice is known while compiling: give both the same";

/// What a run-time scalar is carried in.
#[derive(Clone, Copy)]
enum Carrier {
    Word,
    Block,
}

fn carrier(leaf: &Value) -> Option<Carrier> {
    match leaf {
        Value::Felt(_) | Value::Flag(_) | Value::Slice(..) | Value::Index(..) => {
            Some(Carrier::Word)
        }
        Value::Ext(_) | Value::Block(_) => Some(Carrier::Block),
        _ => None,
    }
}

/// A scalar of the same type as `like`, in a word or at an address.
fn carried(like: &Value, word: Word) -> Value {
    let pointer = Pointer { word, distance: 0 };
    match like {
        Value::Felt(_) => Value::Felt(word),
        Value::Flag(_) => Value::Flag(word),
        Value::Index(_, bound) => Value::Index(word, *bound),
        Value::Slice(_, length) => Value::Slice(pointer, *length),
        Value::Ext(_) => Value::Ext(Ext::At(pointer)),
        _ => Value::Block(BlockValue::At(pointer)),
    }
}

fn leaves(vars: &[Binding]) -> Vec<&Value> {
    let mut out = Vec::new();
    vars.iter().for_each(|(_, value)| value.leaves(&mut out));
    out
}

/// Whether the variables' scalars correspond to each other.
fn same_shapes(before: &[Binding], after: &[Binding]) -> bool {
    let mut pairs = before.iter().zip(after);
    before.len() == after.len() && pairs.all(|((_, a), (_, b))| a.same_shape(b))
}

/// Replaces scalars by their number in the order of [`leaves`].
fn replace_leaves(vars: &[Binding], new: &HashMap<usize, Value>) -> Vec<Binding> {
    let mut number = 0;
    let mut visit = |_: &Value| -> Result<Option<Value>, std::convert::Infallible> {
        number += 1;
        Ok(new.get(&(number - 1)).cloned())
    };
    let mut replaced = Vec::with_capacity(vars.len());
    for (name, value) in vars {
        let changed = match value.map_leaves(&mut visit) {
            Ok(changed) => changed,
            Err(never) => match never {},
        };
        replaced.push((*name, changed.unwrap_or_else(|| value.clone())));
    }
    replaced
}

impl Evaluator<'_> {
    pub(super) fn condition(&mut self, expr: &Expr) -> Eval<Condition> {
        if let ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) = &expr.kind {
            let (left, right) = self.operands(left, right)?;
            self.at(expr.span);
            if let (Value::Felt(a), Value::Felt(b)) = (&left, &right) {
                let (a, b, equal) = (*a, *b, *op == BinaryOp::Eq);
                return Ok(match (a, b) {
                    (Word::Const(a), Word::Const(b)) => Condition::Known((a == b) == equal),
                    _ if a == b => Condition::Known(equal),
                    _ => Condition::Equal(a, b, equal),
                });
            }
            let value = self.binary(*op, left, right, expr.span)?;
            return self.as_condition(value, expr.span);
        }
        let value = self.expr(expr)?;
        self.as_condition(value, expr.span)
    }

    fn as_condition(&mut self, value: Value, span: Span) -> Eval<Condition> {
        match value {
            Value::Bool(value) => Ok(Condition::Known(value)),
            Value::Flag(Word::Const(value)) => Ok(Condition::Known(value == F::ONE)),
            Value::Flag(word) => Ok(Condition::Flag(word)),
            other => {
                let found = other.describe();
                fail(span, format!("a condition is a bool, not {found}"))
            }
        }
    }

    pub(super) fn conditional(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: Option<&Expr>,
        expected: Ty,
        span: Span,
    ) -> Eval<Value> {
        let condition = self.condition(condition)?;
        self.branch(condition, span, |this, holds| match (holds, otherwise) {
            (true, _) => {
                this.expected = expected.clone();
                this.block(then)
            }
            (false, Some(otherwise)) => {
                this.expected = expected.clone();
                this.expr(otherwise)
            }
            (false, None) => Ok(Value::unit()),
        })
    }

    /// Evaluates the side that a condition chooses, or both.
    pub(super) fn branch(
        &mut self,
        condition: Condition,
        span: Span,
        side: impl Fn(&mut Self, bool) -> Eval<Value>,
    ) -> Eval<Value> {
        if let Condition::Known(holds) = condition {
            return side(self, holds);
        }
        self.at(span);
        self.share_pending();
        let location = self.builder.location;
        let flag = match condition {
            Condition::Flag(word) => self.builder.reach(word),
            Condition::Equal(a, b, _) => {
                let (a, b) = (self.builder.reach(a), self.builder.reach(b));
                let def = self.builder.var();
                self.builder.push(OpKind::Hint(HintOp::Equal { def, a, b }));
                Word::Var(def)
            }
            Condition::Known(_) => return Ok(Value::unit()),
        };
        let entry = self.here().vars.clone();
        let counters = self.builder.counters;
        // The first branch runs if the flag is one.
        let (swap, sides) = match condition {
            Condition::Equal(a, b, equal) => (!equal, Some((a, b))),
            _ => (false, None),
        };
        let mut ends = Vec::new();
        for one in [true, false] {
            self.here().vars.clone_from(&entry);
            self.builder.counters = counters;
            self.builder.push_scope(self.builder.current_frame());
            if let Some((a, b)) = sides {
                let condition = Condition::Equal(a, b, one);
                self.assert(condition, span)?;
            }
            let result = side(self, one != swap);
            let result = self.no_jump(result, span)?;
            let scope = self.builder.pop_scope();
            let mut vars = std::mem::take(&mut self.here().vars);
            vars.truncate(entry.len());
            vars.push((Symbol::new("if"), result));
            ends.push((vars, scope, self.builder.counters));
        }
        self.builder.location = location;
        let (Some((no_vars, no_scope, no_counters)), Some((yes_vars, yes_scope, yes_counters))) =
            (ends.pop(), ends.pop())
        else {
            return Ok(Value::unit());
        };
        if yes_counters.consumed == no_counters.consumed {
            self.builder.counters = yes_counters;
        } else {
            self.builder.counters.tape = None;
            self.builder.counters.consumed = None;
        }
        let (then, otherwise, mut vars) =
            self.merge(yes_vars, yes_scope, no_vars, no_scope, span)?;
        self.builder.push(OpKind::If {
            condition: flag,
            then,
            otherwise,
        });
        let result = vars.pop().map_or_else(Value::unit, |(_, value)| value);
        self.here().vars = vars;
        Ok(result)
    }

    /// Refuses `return`, `break` and `continue` out of code that may or may not run.
    fn no_jump(&mut self, result: Eval<Value>, span: Span) -> Eval<Value> {
        match result {
            Err(Flow::Return(_) | Flow::Break | Flow::Continue) => fail_help(
                span,
                "`return`, `break` and `continue` must be decided at compile time",
                "give the branch a value, and go on after it",
            ),
            other => other,
        }
    }

    /// Joins the variables at the end of two branches.
    fn merge(
        &mut self,
        yes: Vec<Binding>,
        yes_scope: Scope,
        no: Vec<Binding>,
        no_scope: Scope,
        span: Span,
    ) -> Eval<(Vec<Op>, Vec<Op>, Vec<Binding>)> {
        let (yes_leaves, no_leaves) = (leaves(&yes), leaves(&no));
        if !same_shapes(&yes, &no) {
            return fail(span, "the branches leave values of different shapes");
        }
        let mut joined = HashMap::new();
        let mut pairs = Vec::new();
        for (number, (a, b)) in yes_leaves.iter().zip(&no_leaves).enumerate() {
            if a.same_leaf(b) {
                continue;
            }
            // A flag that is known in one branch only.
            let as_flag = |value: &Value| match value {
                Value::Bool(value) => Value::Flag(Word::Const(F::from_bool(*value))),
                other => other.clone(),
            };
            let (a, b) = match (a, b) {
                (Value::Flag(_), Value::Bool(_)) | (Value::Bool(_), Value::Flag(_)) => {
                    (as_flag(a), as_flag(b))
                }
                (Value::Bool(_), Value::Bool(_)) => (as_flag(a), as_flag(b)),
                (a, b) => ((*a).clone(), (*b).clone()),
            };
            let carrier = match carrier(&a) {
                Some(carrier) if Scalar::of(&a) == Scalar::of(&b) => carrier,
                _ => {
                    if let (Value::Slice(_, n), Value::Slice(_, m)) = (&a, &b) {
                        return fail_help(
                            span,
                            format!(
                                "a run-time branch leaves {n} blocks on one side and {m} on the other"
                            ),
                            SLICE_LENGTHS,
                        );
                    }
                    let (a, b) = (a.describe(), b.describe());
                    return fail_help(
                        span,
                        format!("a run-time branch leaves {a} on one side and {b} on the other"),
                        "compile-time values cannot depend on a run-time condition",
                    );
                }
            };
            let target = match carrier {
                Carrier::Word => Word::Var(self.builder.var()),
                Carrier::Block => Word::Address(self.builder.area(1), 0),
            };
            joined.insert(number, carried(&a, target));
            pairs.push((target, a, b));
        }
        let vars = replace_leaves(&yes, &joined);
        let mut bodies = Vec::new();
        for (scope, first) in [(yes_scope, true), (no_scope, false)] {
            self.builder.scopes.push(scope);
            for (target, a, b) in &pairs {
                let from = self.leaf_word(if first { a } else { b });
                let from = self.builder.reach(from);
                self.builder.push(match *target {
                    Word::Address(to, offset) => OpKind::CopyBlock { to, offset, from },
                    Word::Var(to) => OpKind::Copy { to, from },
                    Word::Const(_) => continue,
                });
            }
            bodies.push(self.builder.pop_scope().ops);
        }
        let otherwise = bodies.pop().unwrap_or_default();
        let then = bodies.pop().unwrap_or_default();
        Ok((then, otherwise, vars))
    }

    /// Computes what is still pending in the variables, so that branches and loop bodies find it
    /// already computed. What is not used goes away later.
    fn share_pending(&mut self) {
        let vars = std::mem::take(&mut self.here().vars);
        for leaf in leaves(&vars) {
            match leaf {
                Value::Ext(value @ (Ext::Product(_) | Ext::Coefficients(_))) => {
                    self.ext_address(value);
                }
                Value::Ext(value @ Ext::Scalar(Word::Var(_))) => {
                    self.ext_address(value);
                }
                Value::Block(block @ BlockValue::Lanes(_)) => {
                    self.block_address(block);
                }
                _ => {}
            }
        }
        self.here().vars = vars;
    }

    pub(super) fn while_loop(&mut self, condition: &Expr, body: &Block, span: Span) -> Eval<Value> {
        for _ in 0..1u32 << 20 {
            match self.condition(condition)? {
                Condition::Known(true) => {}
                Condition::Known(false) => return Ok(Value::unit()),
                _ => {
                    return fail_help(
                        condition.span,
                        "a `while` loop ends at compile time",
                        "write `for i in count(N)` or `for i in count_to(n)`",
                    );
                }
            }
            match self.block(body) {
                Ok(_) | Err(Flow::Continue) => {}
                Err(Flow::Break) => return Ok(Value::unit()),
                Err(other) => return Err(other),
            }
        }
        fail(span, "this loop does not end")
    }

    pub(super) fn for_loop(
        &mut self,
        pattern: &Pattern,
        iterator: &Expr,
        body: &Block,
        span: Span,
    ) -> Eval<Value> {
        let iterator_value = self.expr(iterator)?;
        let items: Box<dyn Iterator<Item = Value>> = match iterator_value {
            Value::Range(start, end, ty) => {
                Box::new((start..end).map(move |value| Value::Int(value, ty)))
            }
            Value::Array(values) | Value::Vec(values) | Value::Elements(values) => {
                let length = values.len();
                Box::new((0..length).map(move |index| values[index].clone()))
            }
            Value::Count(count) => return self.run_time_loop(pattern, count, body, span),
            other => {
                let found = other.describe();
                return fail_help(
                    iterator.span,
                    format!("cannot loop over {found}"),
                    "loop over a range, an array, `count(N)` or `count_to(n)`",
                );
            }
        };
        for item in items {
            let mark = self.here().vars.len();
            self.bind(pattern, item)?;
            let result = self.block(body);
            self.here().vars.truncate(mark);
            match result {
                Ok(_) | Err(Flow::Continue) => {}
                Err(Flow::Break) => break,
                Err(other) => return Err(other),
            }
        }
        Ok(Value::unit())
    }

    fn run_time_loop(
        &mut self,
        pattern: &Pattern,
        count: Word,
        body: &Block,
        span: Span,
    ) -> Eval<Value> {
        if let Word::Const(F::ZERO) = count {
            return Ok(Value::unit());
        }
        self.at(span);
        self.share_pending();
        let location = self.builder.location;
        let entry = self.here().vars.clone();
        let counters = self.builder.counters;
        let parent = self.builder.current_frame();
        let mut changing: BTreeSet<usize> = BTreeSet::new();
        loop {
            let frame = self.builder.frame(Some(parent));
            let counter = self.builder.var_in(frame);
            let mut params = HashMap::new();
            let entry_leaves = leaves(&entry);
            for number in &changing {
                let like = entry_leaves[*number];
                let word = match carrier(like) {
                    Some(Carrier::Word) => Word::Var(self.builder.var_in(frame)),
                    _ => Word::Address(self.builder.area_in(frame, 1), 0),
                };
                params.insert(*number, carried(like, word));
            }
            self.here().vars = replace_leaves(&entry, &params);
            self.bind(pattern, Value::Felt(Word::Var(counter)))?;
            self.builder.counters.enter();
            self.builder.push_scope(frame);
            let result = self.block(body);
            self.no_jump(result, span)?;
            self.builder.location = location;
            let mut exit = std::mem::take(&mut self.here().vars);
            exit.truncate(entry.len());
            let exit_leaves = leaves(&exit);
            if !same_shapes(&entry, &exit) {
                return fail(span, "the loop changes the shape of a variable");
            }
            let mut stable = true;
            for (number, (before, after)) in entry_leaves.iter().zip(&exit_leaves).enumerate() {
                if changing.contains(&number) || before.same_leaf(after) {
                    continue;
                }
                let same_kind = Scalar::of(before) == Scalar::of(after);
                if let (Value::Slice(_, n), Value::Slice(_, m)) = (before, after)
                    && n != m
                {
                    return fail_help(
                        span,
                        format!("a slice has {n} blocks before an iteration and {m} after it"),
                        SLICE_LENGTHS,
                    );
                }
                if carrier(before).is_none() || !same_kind {
                    let found = before.describe();
                    return fail_help(
                        span,
                        format!(
                            "{found} changes from one iteration of a run-time loop to the next"
                        ),
                        "only run-time values can; or unroll the loop, `for i in 0..N`",
                    );
                }
                stable = false;
                changing.insert(number);
            }
            if !stable {
                self.builder.pop_scope();
                self.builder.counters = counters;
                continue;
            }
            let carries = self.finish_iteration(&changing, &params, &entry_leaves, &exit_leaves);
            return self.emit_loop(
                frame,
                counter,
                count,
                counters,
                entry.clone(),
                &changing,
                carries,
            );
        }
    }

    /// The values an iteration hands to the next, named from within its frame.
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
            let next = self.leaf_word(exit[*number]);
            let next = self.builder.reach(next);
            let place = match &param {
                Value::Ext(Ext::At(pointer)) | Value::Block(BlockValue::At(pointer)) => {
                    pointer.word
                }
                Value::Felt(word) | Value::Flag(word) | Value::Index(word, _) => *word,
                Value::Slice(pointer, _) => pointer.word,
                _ => Word::Const(F::ZERO),
            };
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
        entry: Vec<Binding>,
        changing: &BTreeSet<usize>,
        carries: Vec<(Value, Value, Word, Word)>,
    ) -> Eval<Value> {
        let counter_next = self.builder.var_in(frame);
        let flag = self.builder.var_in(frame);
        let body = self.builder.pop_scope().ops;
        let per_iteration = self.builder.counters.consumed;
        self.builder.counters = counters;
        let (trips, fixed) = match count {
            Word::Const(n) => {
                use p3_field::PrimeField32;
                let n = n.as_canonical_u32();
                let total = per_iteration.and_then(|blocks| blocks.checked_mul(n));
                self.builder.counters.advance(total);
                (Trips::Fixed(u64::from(n)), true)
            }
            count => {
                let all = per_iteration.filter(|blocks| *blocks == 0);
                self.builder.counters.advance(all);
                let count = self.builder.reach(count);
                let first = self.builder.var();
                (Trips::Counted { count, first }, false)
            }
        };
        let (mut words, mut blocks) = (Vec::new(), Vec::new());
        let mut results = Vec::new();
        for (init, param, place, next) in &carries {
            let start = self.leaf_word(init);
            let start = self.builder.reach(start);
            match *place {
                Word::Var(param_var) => {
                    let result = self.builder.var();
                    words.push(CarriedWord {
                        param: param_var,
                        init: start,
                        next: *next,
                        result,
                    });
                    results.push(carried(param, Word::Var(result)));
                }
                Word::Address(area, _) => {
                    let here = self.builder.current_frame();
                    let result = self.builder.area_in(here, 1);
                    blocks.push(CarriedBlock {
                        param: area,
                        init: start,
                        next: *next,
                        result,
                        pointer: self.builder.var(),
                    });
                    results.push(carried(param, Word::Address(result, 0)));
                }
                Word::Const(_) => {}
            }
        }
        self.builder.push(OpKind::Loop(Box::new(Loop {
            frame,
            trips,
            counter,
            counter_next,
            flag,
            words: words.clone(),
            blocks: blocks.clone(),
            body,
        })));
        if !fixed && !results.is_empty() {
            results = self.counted_results(frame, trips, &carries);
        }
        let replaced: HashMap<usize, Value> = changing.iter().copied().zip(results).collect();
        self.here().vars = replace_leaves(&entry, &replaced);
        Ok(Value::unit())
    }

    /// After a counted loop the results are in the frame that its last iteration prepared.
    fn counted_results(
        &mut self,
        frame: Frame,
        trips: Trips,
        carries: &[(Value, Value, Word, Word)],
    ) -> Vec<Value> {
        let Trips::Counted { count, first } = trips else {
            return Vec::new();
        };
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
                    self.builder.push(OpKind::OuterAddress {
                        pointer,
                        area,
                        offset,
                        def,
                    });
                }
                Word::Var(var) => self.builder.push(OpKind::Deref {
                    pointer,
                    displacement: Displacement::Cell(var),
                    value: Word::Var(def),
                    def: Def::Var(def),
                }),
                Word::Const(_) => continue,
            }
            results.push(carried(param, Word::Var(def)));
        }
        results
    }
}
