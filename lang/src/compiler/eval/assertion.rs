//! Assertions.

use super::arith::*;
use super::*;
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

use crate::compiler::build::Asserted;
use crate::compiler::error::failure;
use crate::compiler::ir::{Pieces, Word};
use crate::compiler::output::Relation;
use crate::compiler::value::{Block, Ext};
use crate::isa::id;

/// Returns the error for two sides that are known not to be as asserted.
fn false_now<T>(left: &Value, right: &Value, span: Span) -> Eval<T> {
    let (left, right) = (left.shown(), right.shown());
    let mut failure = failure(span, "this assertion is false at compile time");
    failure.help = Some(format!("the left side is {left}, the right side {right}"));
    failure.certain = true;
    Err(Flow::Fail(failure))
}

/// Appends a value to a text in pieces, of which `whole` is the last.
fn add_text(value: &Value, whole: &mut String, pieces: &mut Pieces) {
    let known = match value {
        Value::Felt(word) | Value::Flag(word) | Value::Index(word, _) => {
            if let Word::Const(value) = word {
                value.to_string()
            } else {
                pieces.push((std::mem::take(whole), Some(*word)));
                return;
            }
        }
        Value::Tuple(_) | Value::Array(_) | Value::Vec(..) | Value::Struct(..) => {
            let (open, close) = match value {
                Value::Tuple(_) => ("(", ")"),
                Value::Struct(..) => ("{", "}"),
                _ => ("[", "]"),
            };
            whole.push_str(open);
            for (index, value) in value.parts().unwrap_or_default().iter().enumerate() {
                whole.push_str(if index == 0 { "" } else { ", " });
                add_text(value, whole, pieces);
            }
            close.to_owned()
        }
        Value::Int(value, Some(IntType::Char)) => {
            let value = u32::try_from(*value).ok().and_then(char::from_u32);
            value.unwrap_or_default().to_string()
        }
        Value::Int(value, _) => value.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Text(text) => text.to_string(),
        _ => "_".to_owned(),
    };
    whole.push_str(&known);
}

/// Returns a text with `_` for what is known only in a run.
fn known(pieces: &[(String, Option<Word>)]) -> String {
    let pieces = pieces.iter();
    let pieces = pieces.map(|(text, word)| text.clone() + word.map_or("", |_| "_"));
    pieces.collect()
}

/// The condition of a branch or an assertion.
pub(super) enum Condition {
    Known(bool),
    Flag(Word),
    /// The condition that two words are equal or, with `false`, not equal.
    Equal(Word, Word, bool),
}

impl Evaluator<'_> {
    /// Adds the message that the program gives to an assertion, which may fail now or in a run.
    pub(super) fn with_message(
        &mut self,
        result: Eval<()>,
        message: Option<&Message>,
        span: Span,
    ) -> Eval<Value> {
        let Some(message) = message else {
            return result.map(|()| Value::unit());
        };
        let pieces = self.pieces(message);
        match result {
            Err(Flow::Fail(mut failure)) => {
                failure.message = format!("{}: {}", failure.message, known(&pieces));
                Err(Flow::Fail(failure))
            }
            result => {
                self.builder.explain(span, pieces);
                result.map(|()| Value::unit())
            }
        }
    }

    /// Returns a message with what is known of its arguments.
    pub(super) fn message_text(&mut self, message: &Message) -> String {
        known(&self.pieces(message))
    }

    fn pieces(&mut self, message: &Message) -> Pieces {
        let (mut pieces, mut whole) = (Pieces::new(), String::new());
        for (piece, argument) in &message.pieces {
            whole.push_str(piece);
            if let Some(argument) = argument {
                match self.borrow(argument) {
                    Ok((value, _)) => add_text(&value, &mut whole, &mut pieces),
                    Err(_) => whole.push('_'),
                }
            }
        }
        pieces.push((whole, None));
        pieces
    }

    /// Prints a value in each run, with the text of the expression at `span` before it.
    pub(super) fn print(&mut self, value: &Value, span: Span) -> Eval<()> {
        if self.has_own_debug(value) {
            let message = "`dbg!` would call a function which the program wrote";
            return fail_help(span, message, "derive `Debug`, or print the fields");
        }
        let mut pieces = Pieces::new();
        let mut whole = String::new();
        add_text(value, &mut whole, &mut pieces);
        pieces.push((whole, None));
        self.at(span);
        self.builder.print(pieces);
        Ok(())
    }

    /// Returns whether a part of a value is of a type for which the program implements `Debug`.
    fn has_own_debug(&self, value: &Value) -> bool {
        let mut own = match value {
            Value::Struct(of, _) => {
                let derived = self.items.structs[of.id].ast.derives("Debug");
                !derived && self.writes(of.id, "fmt")
            }
            _ => false,
        };
        if let Value::Iter(iter) = value {
            iter.values(&mut |value| own |= self.has_own_debug(value));
        }
        let mut parts = value.parts().unwrap_or_default().iter();
        own || parts.any(|part| self.has_own_debug(part))
    }

    pub(super) fn assert(&mut self, condition: Condition, span: Span) -> Eval<()> {
        let (relation, value) = match condition {
            Condition::Equal(_, _, true) => (Relation::Equal, None),
            Condition::Equal(Word::Const(_), b, false) => (Relation::NotEqual, Some(b)),
            Condition::Equal(a, _, false) => (Relation::NotEqual, Some(a)),
            _ => (Relation::True, None),
        };
        let around = self.builder.assert_next(Asserted {
            relation: Some(relation),
            value,
            swapped: false,
        });
        let holds = match condition {
            Condition::Known(holds) => holds,
            Condition::Flag(word) => self.builder.assert_equal(word, ONE),
            Condition::Equal(a, b, true) => self.builder.assert_equal(a, b),
            Condition::Equal(a, b, false) => match self.builder.sub(a, b) {
                Word::Const(difference) => difference != F::ZERO,
                difference => {
                    self.builder.inverse(difference);
                    true
                }
            },
        };
        self.builder.assert_next(around);
        if holds {
            Ok(())
        } else {
            fail_certain(span, "this assertion is false at compile time")
        }
    }

    /// Asserts that two values are equal, or that they are not.
    pub(super) fn assert_sides(
        &mut self,
        left: &Value,
        right: &Value,
        equal: bool,
        span: Span,
    ) -> Eval<()> {
        let value = match left {
            Value::Felt(word @ Word::Var(_)) | Value::Flag(word) => Some(*word),
            _ => None,
        };
        let relation = if equal {
            Relation::Equal
        } else {
            Relation::NotEqual
        };
        let around = self.builder.assert_next(Asserted {
            relation: Some(relation),
            value,
            swapped: false,
        });
        let result = if equal {
            self.assert_equal(left, right, span)
        } else {
            self.assert_different(left, right, span)
        };
        self.builder.assert_next(around);
        result
    }

    fn assert_equal(&mut self, left: &Value, right: &Value, span: Span) -> Eval<()> {
        self.charge(1, span)?;
        if let (Some(a), Some(b)) = (left.elements(), right.elements()) {
            if a.len() != b.len() {
                return false_now(left, right, span);
            }
            return self.assert_all_equal(a, b, span);
        }
        let holds = match (left, right) {
            (Value::Felt(a), Value::Felt(b))
            | (Value::Flag(a), Value::Flag(b))
            | (Value::Index(a, _), Value::Index(b, _)) => self.builder.assert_equal(*a, *b),
            (Value::Flag(a), Value::Bool(b)) | (Value::Bool(b), Value::Flag(a)) => {
                let b = Word::Const(F::from_bool(*b));
                self.builder.assert_equal(*a, b)
            }
            (Value::Ext(a), Value::Ext(b)) => {
                // A product is what the operation computes.
                self.builder.swap_sides(matches!(b, Ext::Product(_)));
                let holds = self.assert_ext(a, b);
                self.builder.swap_sides(false);
                holds
            }
            (Value::Block(Block::Const(a)), Value::Block(Block::Const(b))) => a == b,
            (Value::Block(a), Value::Block(b)) => self.assert_block(a, b),
            (Value::Tuple(a), Value::Tuple(b)) if a.len() == b.len() => {
                return self.assert_all_equal(a, b, span);
            }
            (Value::Struct(a, _), Value::Struct(b, _))
                if a.id == b.id && !self.writes(a.id, "eq") =>
            {
                if a.variant == b.variant {
                    return self.assert_all_equal(&a.fields, &b.fields, span);
                }
                false
            }
            (Value::Struct(..), _) | (_, Value::Struct(..)) => {
                match self.equal_values(left, right, span)? {
                    Value::Flag(word) => self
                        .builder
                        .asserting(Asserted::of(Relation::True), |builder| {
                            builder.assert_equal(word, ONE)
                        }),
                    equal => matches!(equal, Value::Bool(true)),
                }
            }
            (Value::Slice(..), Value::Slice(..)) => {
                let help = "compare their blocks, `a.block(i)`";
                return fail_help(span, "slices cannot be compared", help);
            }
            (Value::Int(a, s), Value::Int(b, t)) => {
                let equal = self.integer_operator(BinaryOp::Eq, (*a, *s), (*b, *t), span)?;
                matches!(equal, Value::Bool(true))
            }
            (a @ (Value::Bool(_) | Value::Text(_) | Value::Phantom), b)
                if std::mem::discriminant(a) == std::mem::discriminant(b) =>
            {
                a.same_leaf(b)
            }
            (a, b) => return fail(span, format!("{a} cannot equal {b}")),
        };
        if holds {
            Ok(())
        } else {
            false_now(left, right, span)
        }
    }

    fn assert_all_equal(&mut self, a: &[Value], b: &[Value], span: Span) -> Eval<()> {
        let mut pairs = a.iter().zip(b);
        pairs.try_for_each(|(a, b)| self.assert_equal(a, b, span))
    }

    fn assert_ext(&mut self, a: &Ext, b: &Ext) -> bool {
        if let (Some(a), Some(b)) = (scalar(a), scalar(b)) {
            return self.builder.assert_equal(a, b);
        }
        let (a, b) = match (a, b) {
            (Ext::Const(a), Ext::Const(b)) => return a == b,
            (Ext::Coefficients(a), Ext::Coefficients(b)) => {
                let mut pairs = a.iter().zip(b.iter());
                return pairs.all(|(a, b)| self.builder.assert_equal(*a, *b));
            }
            (other, product @ Ext::Product(_)) => (product, other),
            other => other,
        };
        let result = self.ext_address(b);
        if let Ext::Product(product) = a
            && !matches!(self.builder.reach(result), Word::Var(_))
        {
            let (x, y) = (self.operand(&product.0), self.operand(&product.1));
            let (x, y) = if x.is_scalar() { (y, x) } else { (x, y) };
            if !x.is_scalar() {
                let e = u32::from(y.is_scalar()) | 2;
                let operands = [x.word(), y.word(), ZERO, result];
                self.ext_assert(operands, e);
                return true;
            }
        }
        let left = self.ext_address(a);
        self.assert_same_block(left, result);
        true
    }

    fn assert_same_block(&mut self, a: Word, b: Word) {
        if a != b {
            self.builder
                .call_assert(id::BLOCK_EQ, [a, b, ZERO, ZERO], 0);
        }
    }

    /// Asserts that two blocks are equal. Returns `false` if they cannot be, since some lanes are
    /// different constants.
    fn assert_block(&mut self, a: &Block, b: &Block) -> bool {
        if let (Block::Lanes(a), Block::Lanes(b)) = (a, b) {
            let mut lanes = a.iter().zip(b.iter());
            return lanes.all(|(a, b)| self.builder.assert_equal(*a, *b));
        }
        let (a, b) = (self.block_address(a), self.block_address(b));
        self.assert_same_block(a, b);
        true
    }

    fn assert_different(&mut self, left: &Value, right: &Value, span: Span) -> Eval<()> {
        match (left, right) {
            (Value::Felt(a), Value::Felt(b)) => self.assert(Condition::Equal(*a, *b, false), span),
            (Value::Ext(a), Value::Ext(b)) => {
                if let (Some(a), Some(b)) = (scalar(a), scalar(b)) {
                    return self.assert(Condition::Equal(a, b, false), span);
                }
                let difference = self.ext_sub(a, b);
                self.ext_inverse(&difference, span).map(|_| ())
            }
            (Value::Int(a, s), Value::Int(b, t)) => {
                match self.integer_operator(BinaryOp::Ne, (*a, *s), (*b, *t), span)? {
                    Value::Bool(true) => Ok(()),
                    _ => false_now(left, right, span),
                }
            }
            (a, b) => {
                let holds = match self.equal_values(a, b, span)? {
                    Value::Flag(word) => self.builder.assert_equal(word, ZERO),
                    equal => matches!(equal, Value::Bool(false)),
                };
                if holds {
                    Ok(())
                } else {
                    false_now(left, right, span)
                }
            }
        }
    }
}
