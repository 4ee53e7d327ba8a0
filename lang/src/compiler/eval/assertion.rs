//! Assertions.

use super::arith::*;
use super::*;
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

use crate::compiler::ir::Word;
use crate::compiler::value::{Block, Ext};
use crate::isa::id;

/// Returns the error for two sides that are known not to be as asserted.
fn false_now<T>(left: &Value, right: &Value, span: Span) -> Eval<T> {
    let (left, right) = (left.shown(), right.shown());
    let sides = format!("the left side is {left}, the right side {right}");
    fail_help(span, "this assertion is false at compile time", sides)
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
        message: Option<&str>,
        span: Span,
    ) -> Eval<Value> {
        let Some(message) = message else {
            return result.map(|()| Value::unit());
        };
        match result {
            Err(Flow::Fail(mut failure)) => {
                failure.message = format!("{}: {message}", failure.message);
                Err(Flow::Fail(failure))
            }
            result => {
                let messages = self.messages.entry(span);
                messages.or_insert_with(|| message.to_owned());
                result.map(|()| Value::unit())
            }
        }
    }

    pub(super) fn assert(&mut self, condition: Condition, span: Span) -> Eval<()> {
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
        if holds {
            Ok(())
        } else {
            fail(span, "this assertion is false at compile time")
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
        if equal {
            self.assert_equal(left, right, span)
        } else {
            self.assert_different(left, right, span)
        }
    }

    fn assert_equal(&mut self, left: &Value, right: &Value, span: Span) -> Eval<()> {
        self.charge(1, span)?;
        let holds = match (left, right) {
            (Value::Felt(a), Value::Felt(b)) | (Value::Flag(a), Value::Flag(b)) => {
                self.builder.assert_equal(*a, *b)
            }
            (Value::Flag(a), Value::Bool(b)) | (Value::Bool(b), Value::Flag(a)) => {
                let b = Word::Const(F::from_bool(*b));
                self.builder.assert_equal(*a, b)
            }
            (Value::Ext(a), Value::Ext(b)) => self.assert_ext(a, b),
            (Value::Block(Block::Const(a)), Value::Block(Block::Const(b))) => a == b,
            (Value::Block(a), Value::Block(b)) => self.assert_block(a, b),
            (Value::Tuple(a), Value::Tuple(b))
            | (Value::Array(a), Value::Array(b))
            | (Value::Vec(a, _), Value::Vec(b, _))
                if a.len() == b.len() =>
            {
                for (a, b) in a.iter().zip(b.iter()) {
                    self.assert_equal(a, b, span)?;
                }
                true
            }
            (Value::Struct(a, _), Value::Struct(b, _)) if a.id == b.id => {
                for (a, b) in a.fields.iter().zip(&b.fields) {
                    self.assert_equal(a, b, span)?;
                }
                true
            }
            (Value::Slice(..), Value::Slice(..)) => {
                let help = "compare their blocks, `a.block(i)`";
                return fail_help(span, "slices cannot be compared", help);
            }
            (Value::Int(a, s), Value::Int(b, t)) => {
                let equal = integer::operator(BinaryOp::Eq, (*a, *s), (*b, *t), span)?;
                matches!(equal, Value::Bool(true))
            }
            (a @ (Value::Bool(_) | Value::Phantom), b)
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
                self.builder.call_assert(id::EXT, operands, e);
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
                match integer::operator(BinaryOp::Ne, (*a, *s), (*b, *t), span)? {
                    Value::Bool(true) => Ok(()),
                    _ => false_now(left, right, span),
                }
            }
            (a, b) => {
                let message = format!("`assert_ne!` does not apply to {a} and {b}");
                let help = "it compares Felts, Exts and integers: compare parts, such as the lanes of \
                            blocks, `a.lane(0) != b.lane(0) || ..`";
                fail_help(span, message, help)
            }
        }
    }
}
