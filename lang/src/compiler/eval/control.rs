//! Branches and `match`. They are decided at compile time where possible, and otherwise emitted.

use super::assertion::Condition;
use super::carry::*;
use super::*;
use crate::compiler::build::Scope;
use crate::compiler::ir::*;
use crate::compiler::value::{Block as BlockValue, Ext};
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

/// Advice for slices of different lengths that a branch or loop would have to join.
pub(super) const SLICE_LENGTHS: &str =
    "a slice has one length, known while compiling: let both have the same";

/// Returns whether a pattern contains alternatives.
fn alternatives(pattern: &PatternKind) -> bool {
    let any = |patterns: &[Pattern]| patterns.iter().any(|inner| alternatives(&inner.kind));
    match pattern {
        PatternKind::Or(_) => true,
        PatternKind::Tuple(elements)
        | PatternKind::Array(elements)
        | PatternKind::TupleStruct(_, elements) => any(&elements.patterns),
        PatternKind::Struct(_, fields, _) => {
            fields.iter().any(|(_, inner)| alternatives(&inner.kind))
        }
        PatternKind::Wild
        | PatternKind::Bind(_)
        | PatternKind::Constant(_)
        | PatternKind::Int(..)
        | PatternKind::Bool(_) => false,
    }
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
        let condition = self.condition(condition)?;
        self.branch(condition, span, |this, holds| match (holds, otherwise) {
            (true, _) => {
                this.expected = expected.clone();
                let value = this.block(then)?;
                if otherwise.is_none() {
                    this.check_unit(&value, span)?;
                }
                Ok(value)
            }
            (false, Some(otherwise)) => {
                this.expected = expected.clone();
                this.expr(otherwise)
            }
            (false, None) => Ok(Value::unit()),
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
            let result = side(self, one != swap);
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

    /// Refuses `return`, `break` and `continue` in code that may or may not run.
    pub(super) fn no_jump(&mut self, result: Eval<Value>, span: Span) -> Eval<Value> {
        match result {
            Err(Flow::Return(_) | Flow::Break | Flow::Continue) => fail_help(
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
    /// result. If it is not used, it is removed later.
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
        for (pattern, guard, body) in arms {
            let mark = self.here().vars.len();
            let mut matches = self.try_match(pattern, &value)?;
            if let (true, Some(guard)) = (matches, guard) {
                if alternatives(&pattern.kind) && !effects::is_total(guard) {
                    let message = "this guard may run once for each alternative that matches";
                    return fail_help(guard.span, message, "write an arm for each alternative");
                }
                matches = match self.condition(guard)? {
                    control::Condition::Known(holds) => holds,
                    _ => {
                        let message = "a `match` and its guards are decided at compile time";
                        return fail_help(guard.span, message, "write `if` inside the arm");
                    }
                };
            }
            if matches {
                self.move_parts(scrutinee, pattern, &value)?;
                self.expected = expected.clone();
                let result = self.expr(body)?;
                self.check_move(body, &result)?;
                self.here().vars.truncate(mark);
                return Ok(result);
            }
            self.here().vars.truncate(mark);
        }
        fail(span, "no arm matches this value")
    }
}
