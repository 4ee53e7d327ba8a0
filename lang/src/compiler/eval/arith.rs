//! Operators, and the run-time representation of extension elements and blocks.

use std::rc::Rc;

use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing, PrimeField32};

use super::*;
use crate::compiler::ir::Word;
use crate::compiler::value::{Block, Ext, Pointer};
use crate::isa::id;
use droste_native::precompile::{baby_bear_to_block, ext_to_block};
use droste_native::{AnyChallenge, BabyBear4, ChallengeField, EF, EF4, F};

pub(super) const ZERO: Word = Word::Const(F::ZERO);
pub(super) const ONE: Word = Word::Const(F::ONE);
/// Minus one as a Felt. In a program of BabyBear the element minus one is another constant.
const MINUS_ONE: Word = Word::Const(F::NEG_ONE);

/// An operand of the extension precompile.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    /// An element of the base field. In a program of BabyBear it is a constant.
    Scalar(Word),
    /// Address of a block.
    Block(Word),
}

impl Operand {
    pub(super) fn word(self) -> Word {
        match self {
            Self::Scalar(word) | Self::Block(word) => word,
        }
    }

    pub(super) fn is_scalar(self) -> bool {
        matches!(self, Self::Scalar(_))
    }
}

/// Canonical integers of the coefficients of an extension element known while compiling. At degree
/// 4 the last is zero.
type Coefficients = [F; 5];

/// Returns the coefficients of an element of the base field.
pub(super) fn constant_term(value: F) -> Coefficients {
    let zero = F::ZERO;
    [value, zero, zero, zero, zero]
}

/// Returns the element with these coefficients, which are below the order of its base field.
fn native<E: AnyChallenge>(coefficients: &Coefficients) -> E {
    <E as BasedVectorSpace<E::Base>>::from_basis_coefficients_fn(|i| {
        E::Base::from_u32(coefficients[i].as_canonical_u32())
    })
}

/// Evaluates an expression in the field of a program's challenges.
macro_rules! in_field {
    ($evaluator:expr, |$field:ident| $result:expr) => {
        match $evaluator.builder.field() {
            ChallengeField::Quintic => {
                type $field = EF;
                $result
            }
            ChallengeField::Quartic => {
                type $field = EF4;
                $result
            }
            ChallengeField::BabyBear => {
                type $field = BabyBear4;
                $result
            }
        }
    };
}

/// Returns the values of words that are all known.
pub(super) fn constants<const N: usize>(words: &[Word; N]) -> Option<[F; N]> {
    let mut values = [F::ZERO; N];
    for (value, word) in values.iter_mut().zip(words) {
        let Word::Const(known) = word else {
            return None;
        };
        *value = *known;
    }
    Some(values)
}

/// Returns the scalar that an element is, if it is one.
pub(super) fn scalar(value: &Ext) -> Option<Word> {
    match value {
        Ext::Scalar(word) => Some(*word),
        Ext::Const([first, rest @ ..]) if rest.iter().all(|lane| *lane == F::ZERO) => {
            Some(Word::Const(*first))
        }
        _ => None,
    }
}

impl Evaluator<'_> {
    pub(super) fn pointer(&mut self, pointer: Pointer) -> Word {
        let distance = Word::Const(F::from_u32(pointer.distance));
        self.builder.add(pointer.word, distance)
    }

    /// Returns the lanes of the block of an element.
    pub(super) fn element_lanes(&mut self, coefficients: &Coefficients) -> [F; 8] {
        match self.builder.field() {
            ChallengeField::Quintic => ext_to_block(native::<EF>(coefficients)),
            ChallengeField::Quartic => ext_to_block(native::<EF4>(coefficients)),
            ChallengeField::BabyBear => baby_bear_to_block(native(coefficients)),
        }
    }

    /// Returns the address of a constant block that holds the element with these coefficients, and
    /// zeros after them.
    fn constant_block(&mut self, first: &[F]) -> Word {
        let coefficients = std::array::from_fn(|i| first.get(i).copied().unwrap_or(F::ZERO));
        let lanes = self.element_lanes(&coefficients);
        Word::Address(self.builder.constant(lanes), 0)
    }

    /// Returns minus a constant of the base field.
    fn negative(&mut self, value: F) -> Ext {
        if !self.builder.is_baby_bear() {
            return Ext::Scalar(Word::Const(-value));
        }
        let value: BabyBear4 = native(&constant_term(value));
        Ext::Const((-value).cells())
    }

    /// Returns a call of `ext` as the program's field has it: the precompile's identity, operands A
    /// to D, and E. That of BabyBear takes blocks only.
    fn ext_operation(&mut self, operands: [Word; 4], e: u32) -> (u32, [Word; 4], u32) {
        if !self.builder.is_baby_bear() {
            return (id::EXT, operands, e);
        }
        let mut operands = operands;
        let [_, b, c, _] = &mut operands;
        for (operand, is_scalar) in [(b, e & 1 == 1), (c, e & 2 == 2)] {
            if is_scalar {
                let known = match *operand {
                    Word::Const(value) => Some(value),
                    _ => None,
                };
                assert!(
                    known.is_some(),
                    "a scalar of BabyBear that only a run knows"
                );
                *operand = self.constant_block(known.as_slice());
            }
        }
        (id::BABY_BEAR, operands, 0)
    }

    /// Calls `ext`, solved for the operand at `position`, whose value in `operands` is ignored.
    /// Returns the address of the result.
    pub(super) fn ext_call(&mut self, operands: [Word; 4], e: u32, position: usize) -> Word {
        let (identity, operands, e) = self.ext_operation(operands, e);
        let area = self.builder.call_area(identity, operands, e, position, 1);
        let result = Word::Address(area, 0);
        if identity == id::BABY_BEAR {
            let left = if position == 0 { result } else { operands[0] };
            self.builder.set_canonical(left);
        }
        result
    }

    /// Calls `ext` with all operands known, so that it only asserts.
    pub(super) fn ext_assert(&mut self, operands: [Word; 4], e: u32) {
        let (identity, operands, e) = self.ext_operation(operands, e);
        self.builder.call_assert(identity, operands, e);
        if identity == id::BABY_BEAR {
            self.builder.set_canonical(operands[0]);
        }
    }

    pub(super) fn operand(&mut self, value: &Ext) -> Operand {
        if let Some(word) = scalar(value) {
            return Operand::Scalar(word);
        }
        match value {
            Ext::Const(coefficients) => Operand::Block(self.constant_block(coefficients)),
            Ext::Scalar(word) => Operand::Scalar(*word),
            Ext::Coefficients(words) => {
                Operand::Block(Word::Address(self.builder.extension_of(words), 0))
            }
            Ext::At(pointer) => Operand::Block(self.pointer(*pointer)),
            Ext::Product(factors) => {
                let (a, b) = (self.operand(&factors.0), self.operand(&factors.1));
                self.multiply_add(a, b, Operand::Scalar(ZERO))
            }
        }
    }

    /// Returns the address of the block that holds an element.
    pub(super) fn ext_address(&mut self, value: &Ext) -> Word {
        match self.operand(value) {
            Operand::Block(word) => word,
            Operand::Scalar(Word::Const(value)) => self.constant_block(&[value]),
            Operand::Scalar(word) => {
                let zero = self.constant_block(&[]);
                self.ext_call([zero, ZERO, word, ZERO], 3, 3)
            }
        }
    }

    /// Returns `a * b + c`.
    fn multiply_add(&mut self, a: Operand, b: Operand, c: Operand) -> Operand {
        let (a, b) = match (a, b) {
            (Operand::Scalar(a), Operand::Scalar(b)) => {
                self.assert_scalars_are_felts();
                let product = self.builder.mul(a, b);
                return self.plus(Operand::Scalar(product), c);
            }
            (Operand::Scalar(_), _) => (b, a),
            _ => (a, b),
        };
        match b {
            Operand::Scalar(ZERO) => return c,
            Operand::Scalar(ONE) if matches!(c, Operand::Scalar(ZERO)) => return a,
            _ => {}
        }
        let e = u32::from(b.is_scalar()) | u32::from(c.is_scalar()) << 1;
        Operand::Block(self.ext_call([a.word(), b.word(), c.word(), ZERO], e, 3))
    }

    fn plus(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Scalar(ZERO), other) | (other, Operand::Scalar(ZERO)) => other,
            (Operand::Scalar(a), Operand::Scalar(b)) => {
                self.assert_scalars_are_felts();
                Operand::Scalar(self.builder.add(a, b))
            }
            (Operand::Scalar(_), Operand::Block(_)) => {
                self.multiply_add(b, Operand::Scalar(ONE), a)
            }
            _ => self.multiply_add(a, Operand::Scalar(ONE), b),
        }
    }

    /// Asserts that scalars are of the machine's field, in which the builder computes. Those of
    /// BabyBear are constants that are folded as elements, and none is an [`Ext::Scalar`].
    fn assert_scalars_are_felts(&mut self) {
        assert!(!self.builder.is_baby_bear(), "scalars of BabyBear");
    }

    /// Returns the element that an operand is.
    pub(super) fn as_ext(&mut self, operand: Operand) -> Ext {
        match operand {
            Operand::Scalar(Word::Const(value)) if self.builder.is_baby_bear() => {
                Ext::Const(constant_term(value))
            }
            Operand::Scalar(word) => Ext::Scalar(word),
            Operand::Block(word) => Ext::At(Pointer::at(word)),
        }
    }

    fn ext_add(&mut self, a: &Ext, b: &Ext) -> Ext {
        if let (Ext::Const(a), Ext::Const(b)) = (a, b) {
            return Ext::Const(in_field!(self, |E| (native::<E>(a) + native::<E>(b)).cells()));
        }
        let (product, other) = match (a, b) {
            (Ext::Product(product), other) | (other, Ext::Product(product)) => (product, other),
            _ => {
                let (a, b) = (self.operand(a), self.operand(b));
                let sum = self.plus(a, b);
                return self.as_ext(sum);
            }
        };
        let other = self.operand(other);
        let (x, y) = (self.operand(&product.0), self.operand(&product.1));
        let sum = self.multiply_add(x, y, other);
        self.as_ext(sum)
    }

    pub(super) fn ext_sub(&mut self, a: &Ext, b: &Ext) -> Ext {
        if let (Ext::Const(a), Ext::Const(b)) = (a, b) {
            return Ext::Const(in_field!(self, |E| (native::<E>(a) - native::<E>(b)).cells()));
        }
        if a == b {
            return Ext::Const([F::ZERO; 5]);
        }
        match scalar(b) {
            Some(Word::Const(value)) => {
                let minus = self.negative(value);
                return self.ext_add(a, &minus);
            }
            Some(word) => {
                self.assert_scalars_are_felts();
                let difference = match self.operand(a) {
                    Operand::Scalar(left) => Operand::Scalar(self.builder.sub(left, word)),
                    Operand::Block(left) => self.minus_scalar(left, word),
                };
                return self.as_ext(difference);
            }
            None => {}
        }
        if let Some(left) = scalar(a) {
            let b = self.ext_address(b);
            let (b, minus) = (Operand::Block(b), self.minus_one());
            let difference = self.multiply_add(b, minus, Operand::Scalar(left));
            return self.as_ext(difference);
        }
        let left = self.ext_address(a);
        if let Ext::Product(product) = b
            && !matches!(self.builder.reach(left), Word::Var(_))
        {
            let (x, y) = (self.operand(&product.0), self.operand(&product.1));
            let (x, y) = if x.is_scalar() { (y, x) } else { (x, y) };
            if !x.is_scalar() {
                // The call is solved for its addend: the product plus the result is `a`.
                let operands = [x.word(), y.word(), ZERO, left];
                let e = u32::from(y.is_scalar());
                let difference = self.ext_call(operands, e, 2);
                return self.as_ext(Operand::Block(difference));
            }
        }
        let b = self.operand(b);
        let (minus, left) = (self.minus_one(), Operand::Block(left));
        let difference = self.multiply_add(b, minus, left);
        self.as_ext(difference)
    }

    /// Returns minus one as an operand.
    fn minus_one(&mut self) -> Operand {
        let minus = self.negative(F::ONE);
        self.operand(&minus)
    }

    /// Returns an element minus a scalar.
    fn minus_scalar(&mut self, left: Word, scalar: Word) -> Operand {
        if matches!(self.builder.reach(left), Word::Var(_)) {
            // Operand D, the result, cannot be reached through a pointer.
            let minus = self.builder.mul(scalar, MINUS_ONE);
            let one = Operand::Scalar(ONE);
            return self.multiply_add(Operand::Block(left), one, Operand::Scalar(minus));
        }
        // The call is solved for its first operand: that times one, plus the scalar, is `left`.
        Operand::Block(self.ext_call([ZERO, ONE, scalar, left], 3, 0))
    }

    fn ext_mul(&mut self, a: &Ext, b: &Ext) -> Ext {
        if let (Ext::Const(a), Ext::Const(b)) = (a, b) {
            return Ext::Const(in_field!(self, |E| (native::<E>(a) * native::<E>(b)).cells()));
        }
        match (scalar(a), scalar(b)) {
            (Some(a), Some(b)) => {
                self.assert_scalars_are_felts();
                return Ext::Scalar(self.builder.mul(a, b));
            }
            (Some(ZERO), _) | (_, Some(ZERO)) => return Ext::Const([F::ZERO; 5]),
            (Some(ONE), _) => return b.clone(),
            (_, Some(ONE)) => return a.clone(),
            _ => {}
        }
        let (a, b) = (self.computed(a), self.computed(b));
        Ext::Product(Rc::new((a, b)))
    }

    /// Returns `(left + right) / 2 + scale * (left - right)`.
    pub(super) fn ext_fold(&mut self, left: &Ext, right: &Ext, scale: &Ext) -> Ext {
        let left = self.ext_address(left);
        let (right, scale) = (self.operand(right), self.operand(scale));
        let scalars = u32::from(right.is_scalar()) | u32::from(scale.is_scalar()) << 1;
        let operands = [left, right.word(), scale.word(), ZERO];
        let folded = self.ext_call(operands, 4 | scalars, 3);
        self.as_ext(Operand::Block(folded))
    }

    /// Returns the element with a pending product computed.
    fn computed(&mut self, value: &Ext) -> Ext {
        match value {
            Ext::Product(_) => {
                let product = self.operand(value);
                self.as_ext(product)
            }
            value => value.clone(),
        }
    }

    pub(super) fn ext_inverse(&mut self, value: &Ext, span: Span) -> Eval<Ext> {
        if let Ext::Const(coefficients) = value {
            let inverse = in_field!(self, |E| {
                let inverse = native::<E>(coefficients).try_inverse();
                inverse.map(E::cells)
            });
            return match inverse {
                Some(inverse) => Ok(Ext::Const(inverse)),
                None => fail_certain(span, "zero has no inverse"),
            };
        }
        if let Some(word) = scalar(value) {
            self.assert_scalars_are_felts();
            return Ok(Ext::Scalar(self.builder.inverse(word)));
        }
        let one = self.constant_block(&[F::ONE]);
        let factor = self.ext_address(value);
        let inverse = self.ext_call([ZERO, factor, ZERO, one], 2, 0);
        Ok(self.as_ext(Operand::Block(inverse)))
    }

    /// Returns coefficient `index` of an element.
    pub(super) fn coefficient(&mut self, value: &Ext, index: usize) -> Word {
        match value {
            Ext::Const(coefficients) => Word::Const(coefficients[index]),
            Ext::Scalar(word) if index == 0 => *word,
            Ext::Scalar(_) => ZERO,
            Ext::Coefficients(words) => words[index],
            value => {
                let address = self.ext_address(value);
                self.builder.lane(address, index as u32)
            }
        }
    }

    pub(super) fn block_address(&mut self, block: &Block) -> Word {
        match block {
            Block::Const(lanes) => Word::Address(self.builder.constant(*lanes), 0),
            Block::At(pointer) => self.pointer(*pointer),
            Block::Lanes(words) => {
                let area = match constants(words) {
                    Some(lanes) => self.builder.constant(lanes),
                    None => self.builder.block_of(words),
                };
                Word::Address(area, 0)
            }
        }
    }

    pub(super) fn unary(&mut self, op: UnaryOp, value: Value, span: Span) -> Eval<Value> {
        match (op, value) {
            (UnaryOp::Not, Value::Bool(value)) => Ok(Value::Bool(!value)),
            (op, Value::Int(value, ty)) => self.integer_unary(op, (value, ty), span),
            (UnaryOp::Not, Value::Flag(word)) => Ok(Value::Flag(self.builder.sub(ONE, word))),
            (UnaryOp::Negate, Value::Felt(word)) => {
                Ok(Value::Felt(self.builder.mul(word, MINUS_ONE)))
            }
            (UnaryOp::Negate, Value::Ext(value)) => {
                let minus = self.negative(F::ONE);
                Ok(Value::Ext(self.ext_mul(&value, &minus)))
            }
            (op, value) => self.user_unary(op, value, span),
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        span: Span,
    ) -> Eval<Value> {
        use BinaryOp as Op;
        match (op, left, right) {
            (op, Value::Int(a, s), Value::Int(b, t)) => {
                self.integer_operator(op, (a, s), (b, t), span)
            }
            (Op::Lt | Op::Le | Op::Gt | Op::Ge, a @ (Value::Bool(_) | Value::Flag(_)), b) => {
                self.comparison(op, &a, &b, span)
            }
            (op, Value::Bool(a), Value::Bool(b)) => match op {
                Op::And | Op::BitAnd => Ok(Value::Bool(a && b)),
                Op::Or | Op::BitOr => Ok(Value::Bool(a || b)),
                Op::Eq => Ok(Value::Bool(a == b)),
                Op::Ne | Op::BitXor => Ok(Value::Bool(a != b)),
                _ => fail(span, "this operator does not apply to bools"),
            },
            (op, a @ (Value::Flag(_) | Value::Bool(_)), b @ (Value::Flag(_) | Value::Bool(_))) => {
                self.flags(op, a, b, span)
            }
            (Op::Add, Value::Felt(a), Value::Felt(b)) => Ok(Value::Felt(self.builder.add(a, b))),
            (Op::Sub, Value::Felt(a), Value::Felt(b)) => Ok(Value::Felt(self.builder.sub(a, b))),
            (Op::Mul, Value::Felt(a), Value::Felt(b)) => Ok(Value::Felt(self.builder.mul(a, b))),
            (Op::Eq, Value::Felt(a), Value::Felt(b)) => Ok(self.equal(a, b)),
            (Op::Ne, Value::Felt(a), Value::Felt(b)) => {
                let equal = self.equal(a, b);
                self.unary(UnaryOp::Not, equal, span)
            }
            (op, Value::Ext(a), Value::Felt(b)) if arithmetic(op) => {
                let b = self.embedded(b, span)?;
                self.binary(op, Value::Ext(a), Value::Ext(b), span)
            }
            (op, Value::Felt(a), Value::Ext(b)) if arithmetic(op) => {
                let a = self.embedded(a, span)?;
                self.binary(op, Value::Ext(a), Value::Ext(b), span)
            }
            (Op::Add, Value::Ext(a), Value::Ext(b)) => Ok(Value::Ext(self.ext_add(&a, &b))),
            (Op::Sub, Value::Ext(a), Value::Ext(b)) => Ok(Value::Ext(self.ext_sub(&a, &b))),
            (Op::Mul, Value::Ext(a), Value::Ext(b)) => Ok(Value::Ext(self.ext_mul(&a, &b))),
            (op, a, b) if compare::compares(op) => self.comparison(op, &a, &b, span),
            (op, a, b) => match self.user_operator(op, &a, &b, span)? {
                Some(value) => Ok(value),
                None => self.inapplicable(op, &a, &b, span),
            },
        }
    }

    /// Returns the error for an operator that two values do not have.
    fn inapplicable(&self, op: BinaryOp, a: &Value, b: &Value, span: Span) -> Eval<Value> {
        let sign = op.sign();
        if let (Value::Struct(..), Some((of, _))) = (a, op.method()) {
            return self.no_operator(sign, of, a, span);
        }
        let message = format!("`{sign}` does not apply to {a} and {b}");
        let help = match (a, b) {
            (Value::Unchecked(_), _) | (_, Value::Unchecked(_)) => UNCHECKED,
            (Value::Felt(_) | Value::Ext(_), _) if op == BinaryOp::Div => {
                "multiply by `.inverse()`, which also asserts that it exists"
            }
            (Value::Felt(_) | Value::Ext(_), _) => {
                "write `felt(n)` to make a field element of an integer"
            }
            _ => return fail(span, message),
        };
        fail_help(span, message, help)
    }

    pub(super) fn equal(&mut self, a: Word, b: Word) -> Value {
        match (a, b) {
            (Word::Const(a), Word::Const(b)) => Value::Bool(a == b),
            _ if a == b => Value::Bool(true),
            _ => Value::Flag(self.builder.equal(a, b)),
        }
    }

    pub(super) fn flags(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Eval<Value> {
        let word = |value: &Value| match value {
            Value::Flag(word) => *word,
            Value::Bool(true) => ONE,
            _ => ZERO,
        };
        let (a, b) = (word(&a), word(&b));
        let result = match op {
            BinaryOp::And | BinaryOp::BitAnd => self.builder.mul(a, b),
            BinaryOp::Or | BinaryOp::BitOr => {
                let (sum, product) = (self.builder.add(a, b), self.builder.mul(a, b));
                self.builder.sub(sum, product)
            }
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::BitXor => {
                let (sum, product) = (self.builder.add(a, b), self.builder.mul(a, b));
                let twice = self.builder.add(product, product);
                let different = self.builder.sub(sum, twice);
                match op {
                    BinaryOp::Eq => self.builder.sub(ONE, different),
                    _ => different,
                }
            }
            _ => return fail(span, "this operator does not apply to bools"),
        };
        Ok(match result {
            Word::Const(value) => Value::Bool(value == F::ONE),
            word => Value::Flag(word),
        })
    }
}

fn arithmetic(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
}
