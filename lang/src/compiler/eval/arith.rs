//! Operators, and the run-time representation of extension elements and blocks.

use std::rc::Rc;

use p3_field::PrimeCharacteristicRing;

use super::*;
use crate::compiler::ir::Word;
use crate::compiler::value::{Block, Ext, Pointer};
use crate::isa::id;
use droste_native::field::EXTENSION_DEGREE;
use droste_native::{Challenge, EF, EF4, F};

pub(super) const ZERO: Word = Word::Const(F::ZERO);
pub(super) const ONE: Word = Word::Const(F::ONE);
const MINUS_ONE: Word = Word::Const(F::NEG_ONE);

/// An operand of the extension precompile.
#[derive(Clone, Copy)]
pub(super) enum Operand {
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

/// Coefficients of an extension element known while compiling. At degree 4 the last is zero.
type Coefficients = [F; 5];

fn native<E: Challenge>(coefficients: &Coefficients) -> E {
    E::from_basis_coefficients_fn(|i| coefficients[i])
}

fn coefficients<E: Challenge>(value: E) -> Coefficients {
    let coefficients: &[F] = value.as_basis_coefficients_slice();
    std::array::from_fn(|i| coefficients.get(i).copied().unwrap_or_default())
}

fn product<E: Challenge>(a: &Coefficients, b: &Coefficients) -> Coefficients {
    coefficients(native::<E>(a) * native::<E>(b))
}

fn inverse<E: Challenge>(x: &Coefficients) -> Option<Coefficients> {
    native::<E>(x).try_inverse().map(coefficients)
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

    /// Returns the address of a block of constants, the last lanes of which are zero.
    fn constant_block(&mut self, first: &[F]) -> Word {
        let lanes = std::array::from_fn(|i| first.get(i).copied().unwrap_or(F::ZERO));
        Word::Address(self.builder.constant(lanes), 0)
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

    pub(super) fn ext_call(&mut self, operands: [Word; 4], e: u32, position: usize) -> Word {
        let area = self.builder.call_area(id::EXT, operands, e, position, 1);
        Word::Address(area, 0)
    }

    /// Returns `a * b + c`.
    fn multiply_add(&mut self, a: Operand, b: Operand, c: Operand) -> Operand {
        let (a, b) = match (a, b) {
            (Operand::Scalar(a), Operand::Scalar(b)) => {
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
            (Operand::Scalar(a), Operand::Scalar(b)) => Operand::Scalar(self.builder.add(a, b)),
            (Operand::Scalar(_), Operand::Block(_)) => {
                self.multiply_add(b, Operand::Scalar(ONE), a)
            }
            _ => self.multiply_add(a, Operand::Scalar(ONE), b),
        }
    }

    pub(super) fn as_ext(operand: Operand) -> Ext {
        match operand {
            Operand::Scalar(word) => Ext::Scalar(word),
            Operand::Block(word) => Ext::At(Pointer::at(word)),
        }
    }

    fn ext_add(&mut self, a: &Ext, b: &Ext) -> Ext {
        if let (Ext::Const(a), Ext::Const(b)) = (a, b) {
            return Ext::Const(std::array::from_fn(|i| a[i] + b[i]));
        }
        let (product, other) = match (a, b) {
            (Ext::Product(product), other) | (other, Ext::Product(product)) => (product, other),
            _ => {
                let (a, b) = (self.operand(a), self.operand(b));
                return Self::as_ext(self.plus(a, b));
            }
        };
        let other = self.operand(other);
        let (x, y) = (self.operand(&product.0), self.operand(&product.1));
        Self::as_ext(self.multiply_add(x, y, other))
    }

    pub(super) fn ext_sub(&mut self, a: &Ext, b: &Ext) -> Ext {
        if let (Ext::Const(a), Ext::Const(b)) = (a, b) {
            return Ext::Const(std::array::from_fn(|i| a[i] - b[i]));
        }
        if a == b {
            return Ext::Const([F::ZERO; 5]);
        }
        match scalar(b) {
            Some(Word::Const(value)) => return self.ext_add(a, &Ext::Scalar(Word::Const(-value))),
            Some(word) => {
                let left = self.operand(a);
                return match left {
                    Operand::Scalar(left) => Ext::Scalar(self.builder.sub(left, word)),
                    Operand::Block(left) => Self::as_ext(self.minus_scalar(left, word)),
                };
            }
            None => {}
        }
        if let Some(left) = scalar(a) {
            let b = self.ext_address(b);
            let (b, minus) = (Operand::Block(b), Operand::Scalar(MINUS_ONE));
            return Self::as_ext(self.multiply_add(b, minus, Operand::Scalar(left)));
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
                return Self::as_ext(Operand::Block(self.ext_call(operands, e, 2)));
            }
        }
        let b = self.operand(b);
        let (minus, left) = (Operand::Scalar(MINUS_ONE), Operand::Block(left));
        Self::as_ext(self.multiply_add(b, minus, left))
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
            return Ext::Const(match self.builder.degree() {
                EXTENSION_DEGREE => product::<EF>(a, b),
                _ => product::<EF4>(a, b),
            });
        }
        match (scalar(a), scalar(b)) {
            (Some(a), Some(b)) => return Ext::Scalar(self.builder.mul(a, b)),
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
        Self::as_ext(Operand::Block(self.ext_call(operands, 4 | scalars, 3)))
    }

    /// Returns the element with a pending product computed.
    fn computed(&mut self, value: &Ext) -> Ext {
        match value {
            Ext::Product(_) => Self::as_ext(self.operand(value)),
            value => value.clone(),
        }
    }

    pub(super) fn ext_inverse(&mut self, value: &Ext, span: Span) -> Eval<Ext> {
        if let Ext::Const(coefficients) = value {
            let inverse = match self.builder.degree() {
                EXTENSION_DEGREE => inverse::<EF>(coefficients),
                _ => inverse::<EF4>(coefficients),
            };
            return match inverse {
                Some(inverse) => Ok(Ext::Const(inverse)),
                None => fail_certain(span, "zero has no inverse"),
            };
        }
        if let Some(word) = scalar(value) {
            return Ok(Ext::Scalar(self.builder.inverse(word)));
        }
        let one = self.constant_block(&[F::ONE]);
        let factor = self.ext_address(value);
        let inverse = self.ext_call([ZERO, factor, ZERO, one], 2, 0);
        Ok(Self::as_ext(Operand::Block(inverse)))
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
                let minus = Ext::Scalar(MINUS_ONE);
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
                self.binary(op, Value::Ext(a), Value::Ext(Ext::Scalar(b)), span)
            }
            (op, Value::Felt(a), Value::Ext(b)) if arithmetic(op) => {
                self.binary(op, Value::Ext(Ext::Scalar(a)), Value::Ext(b), span)
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
