//! Branches and `match`. They are decided at compile time where possible, and otherwise emitted.

use super::assertion::Condition;
use super::carry::*;
use super::variant::KEEP_A_BOOL;
use super::*;
use crate::compiler::build::Scope;
use crate::compiler::ir::*;
use crate::compiler::value::{Block as BlockValue, Ext};
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

/// Advice for slices of different lengths that a branch or loop would have to join.
pub(super) const SLICE_LENGTHS: &str =
    "a slice has one length, known while compiling: let both have the same";

/// Marks a failure as one that not every run meets, since a run-time condition decides.
pub(super) fn uncertain(result: Eval<Value>) -> Eval<Value> {
    match result {
        Err(Flow::Fail(mut failure)) => {
            failure.certain = false;
            Err(Flow::Fail(failure))
        }
        result => result,
    }
}

/// Returns whether a pattern contains alternatives.
fn alternatives(pattern: &PatternKind) -> bool {
    let mut parts = pattern::inner(pattern).into_iter();
    matches!(pattern, PatternKind::Or(_)) || parts.any(|inner| alternatives(&inner.kind))
}

/// Returns whether a condition is a `let`, or has one among those that it joins.
fn has_let(condition: &Expr) -> bool {
    match &condition.kind {
        ExprKind::Let(..) => true,
        ExprKind::Binary(BinaryOp::And, left, right) => has_let(left) || has_let(right),
        _ => false,
    }
}

impl Evaluator<'_> {
    /// Evaluates a condition. What its `let`s have bound remains bound.
    pub(super) fn condition(&mut self, expr: &Expr) -> Eval<Condition> {
        match &expr.kind {
            ExprKind::Let(pattern, value) => {
                return self.let_condition(pattern, value).map(Condition::Known);
            }
            ExprKind::Binary(BinaryOp::And, left, right) if has_let(expr) => {
                let left = match self.condition(left)? {
                    Condition::Known(true) => return self.condition(right),
                    Condition::Known(false) => return Ok(Condition::Known(false)),
                    left => left,
                };
                if has_let(right) {
                    return fail_help(
                        right.span,
                        "this `let` depends on a condition that is known only at run time",
                        "write it before the condition, or an `if` inside of the other",
                    );
                }
                let value = self.unless(left, false, expr.span, |this| this.expr(right))?;
                return self.as_condition(value, expr.span);
            }
            _ => {}
        }
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
            other => fail(span, format!("a condition is a bool, not {other}")),
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
        let mark = self.here().vars.len();
        let condition = self.condition(condition)?;
        let unused = match (&condition, otherwise) {
            (Condition::Known(true), otherwise) => otherwise,
            (Condition::Known(false), Some(_)) => then.tail.as_deref(),
            _ => None,
        };
        let result = self.branch(condition, span, |this, holds| match (holds, otherwise) {
            (true, _) => {
                this.expected = expected.clone();
                let value = this.block(then)?;
                if otherwise.is_none() {
                    this.check_unit(&value, span)?;
                }
                Ok(value)
            }
            (false, Some(otherwise)) => {
                // What the condition has bound is not in scope here.
                let bound = this.here().vars.bindings()[mark..].to_vec();
                this.here().vars.truncate(mark);
                this.expected = expected.clone();
                let value = this.expr(otherwise)?;
                for (name, value) in bound {
                    this.here().vars.push(name, value);
                }
                Ok(value)
            }
            (false, None) => Ok(Value::unit()),
        })?;
        self.here().vars.truncate(mark);
        self.like_literals(result, unused, span)
    }

    /// Finds the type of an integer by literals on the sides that are not taken: rustc gives all
    /// sides one type.
    fn like_literals<'a>(
        &mut self,
        value: Value,
        others: impl IntoIterator<Item = &'a Expr>,
        span: Span,
    ) -> Eval<Value> {
        let Value::Int(_, ty) = value else {
            return Ok(value);
        };
        if !self.found(ty).is_some_and(IntType::is_open) {
            return Ok(value);
        }
        for other in others {
            self.charge(1, span)?;
            if let Some(ty) = other.literal_type() {
                return self.settle(value, &Ty::Int(Some(ty)), span);
            }
        }
        Ok(value)
    }

    /// Evaluates `let pattern = value` as a condition. If it holds, its variables are bound.
    pub(super) fn let_condition(&mut self, pattern: &Pattern, value: &Expr) -> Eval<bool> {
        let mark = self.here().vars.len();
        let found = self.expr(value)?;
        let matches = self.try_match(pattern, &found)?;
        if matches {
            self.move_parts(value, pattern, &found)?;
        } else {
            self.here().vars.truncate(mark);
        }
        Ok(matches)
    }

    /// Evaluates a condition that others follow: if it is `decides`, so is the whole.
    pub(super) fn unless(
        &mut self,
        condition: Condition,
        decides: bool,
        span: Span,
        rest: impl Fn(&mut Self) -> Eval<Value>,
    ) -> Eval<Value> {
        self.branch(condition, span, |this, holds| {
            if holds == decides {
                Ok(Value::Bool(decides))
            } else {
                rest(this)
            }
        })
    }

    /// Evaluates the side that a condition selects, or both.
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
        self.share_pending(span)?;
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
        // The first branch of the emitted `if` runs if the flag is one.
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
            let result = uncertain(side(self, one != swap));
            let result = self.no_jump(result, span)?;
            self.walk(&result, span)?;
            let scope = self.builder.pop_scope();
            let mut vars = std::mem::take(&mut self.here().vars);
            vars.truncate(entry.len());
            vars.push(Symbol::new("if"), result);
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
        self.builder.push(OpKind::If(flag, then, otherwise));
        let result = vars.pop().unwrap_or_else(Value::unit);
        self.here().vars = vars;
        Ok(result)
    }

    /// Refuses `return`, `break` and `continue` in code that a run-time condition decides.
    pub(super) fn no_jump(&mut self, result: Eval<Value>, span: Span) -> Eval<Value> {
        match result {
            Err(Flow::Return(_) | Flow::Break(..) | Flow::Continue(_)) => fail_help(
                span,
                "`return`, `break` and `continue` must be decided at compile time",
                "let the branch have a value, and use it after the branch",
            ),
            other => other,
        }
    }

    /// Merges the variables at the end of two branches.
    fn merge(
        &mut self,
        yes: Variables,
        yes_scope: Scope,
        no: Variables,
        no_scope: Scope,
        span: Span,
    ) -> Eval<(Vec<Op>, Vec<Op>, Variables)> {
        // What one side moves is empty afterwards.
        let (yes, no) = (without(&yes, &no), without(&no, &yes));
        let (yes_leaves, no_leaves) = (leaves(&yes), leaves(&no));
        if let Some((_, one, other)) = self.changed_variant(&yes, &no) {
            let message =
                format!("one side of a run-time branch leaves `{one}`, the other `{other}`");
            return fail_help(span, message, KEEP_A_BOOL);
        }
        if !same_shapes(&yes, &no) {
            let message = "the two branches leave a variable with different structures";
            return fail(span, message);
        }
        if !self.all_held_alike(&yes, &no) {
            let message = "one side of a run-time branch leaves a reference, the other a value";
            return fail(span, message);
        }
        let mut joined = HashMap::new();
        let mut pairs = Vec::new();
        for (number, (a, b)) in yes_leaves.iter().zip(&no_leaves).enumerate() {
            if let (Value::Int(_, a), Value::Int(_, b)) = (a, b)
                && a != b
            {
                self.common(*a, *b, span)?;
            }
            if a.same_leaf(b) {
                continue;
            }
            let (a, b) = (at_run_time(a), at_run_time(b));
            let carrier = match carrier(&a) {
                Some(carrier) if Scalar::of(&a) == Scalar::of(&b) => carrier,
                _ => {
                    if let (Value::Slice(_, n), Value::Slice(_, m)) = (&a, &b) {
                        return fail_help(
                            span,
                            format!(
                                "one side of a run-time branch leaves a slice of {n} blocks, the other of {m}"
                            ),
                            SLICE_LENGTHS,
                        );
                    }
                    let (a, b) = (a.shown(), b.shown());
                    return fail_help(
                        span,
                        format!("one side of a run-time branch leaves {a}, the other {b}"),
                        "compile-time values cannot depend on a run-time condition: use `felt(n)` for \
                         numbers",
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
                    Word::Address(to, offset) => OpKind::CopyBlock(to, offset, from),
                    Word::Var(to) => OpKind::Copy(to, from),
                    Word::Const(_) => continue,
                });
            }
            bodies.push(self.builder.pop_scope().ops);
        }
        let otherwise = bodies.pop().unwrap_or_default();
        let then = bodies.pop().unwrap_or_default();
        Ok((then, otherwise, vars))
    }

    /// Computes what is still pending in the variables, so that branches and loop bodies share the
    /// result. If it is not used, it is removed later, but for products over BabyBear: each asserts
    /// that its first factor is canonical.
    pub(super) fn share_pending(&mut self, span: Span) -> Eval<()> {
        let vars = std::mem::take(&mut self.here().vars);
        let leaves = leaves(&vars);
        self.charge((vars.len() + leaves.len()) as u64, span)?;
        for leaf in leaves {
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
        Ok(())
    }

    pub(super) fn matching(
        &mut self,
        scrutinee: &Expr,
        arms: &[(Pattern, Option<Expr>, Expr)],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let value = self.expr(scrutinee)?;
        let mark = self.here().vars.len();
        for (pattern, guard, body) in arms {
            // A guard decides for each alternative whether it matches.
            let cases = match (&pattern.kind, guard) {
                (PatternKind::Or(cases), Some(_)) => cases.as_slice(),
                _ => std::slice::from_ref(pattern),
            };
            for case in cases {
                if !self.try_match(case, &value)? {
                    self.here().vars.truncate(mark);
                    continue;
                }
                if let Some(guard) = guard
                    && !self.guard(guard, pattern, case)?
                {
                    self.here().vars.truncate(mark);
                    continue;
                }
                self.move_parts(scrutinee, case, &value)?;
                self.expected = expected.clone();
                let result = self.expr(body)?;
                self.check_move(body, &result)?;
                self.here().vars.truncate(mark);
                return self.like_literals(result, arms.iter().map(|(_, _, body)| body), span);
            }
        }
        fail(span, "no arm matches this value")
    }

    /// Returns whether the guard of a pattern holds, of which this alternative matches.
    fn guard(&mut self, guard: &Expr, pattern: &Pattern, case: &Pattern) -> Eval<bool> {
        let several = alternatives(&pattern.kind) && !self.is_total(guard);
        if several || self.binds_in_alternatives(case)? {
            let message = "this guard may run once for each alternative that matches";
            return fail_help(guard.span, message, "write an arm for each alternative");
        }
        match self.condition(guard)? {
            Condition::Known(holds) => Ok(holds),
            _ => {
                let message = "a `match` and its guards are decided at compile time";
                fail_help(guard.span, message, "write `if` inside the arm")
            }
        }
    }
}
