//! Straight-line programs over the extension field, whose instructions are the machine's.

use std::collections::HashMap;

use droste_native::F;
use droste_native::field::{AnyChallenge, BaseField};

use super::cells::{cell, element};
use super::{CodegenError, Input, OpenedTable};

/// Operand of an [`Instruction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value<K = F> {
    /// Base field constant. In `F` it is a cell with the canonical integer of the constant.
    Constant(K),
    /// An opened value of the table, a selector or a challenge.
    Input(Input),
    /// Result of an earlier instruction, by index.
    Result {
        /// Index of the instruction.
        index: usize,
        /// Whether the result is a base field element.
        scalar: bool,
    },
}

impl<K: BaseField> Value<K> {
    /// Whether the value is a base field element at run time.
    #[must_use]
    pub const fn is_scalar(self) -> bool {
        match self {
            Self::Constant(_) => true,
            Self::Input(input) => input.is_scalar(),
            Self::Result { scalar, .. } => scalar,
        }
    }

    /// The same with a constant as a cell.
    fn cells(self) -> Value {
        match self {
            Self::Constant(c) => Value::Constant(cell(c)),
            Self::Input(input) => Value::Input(input),
            Self::Result { index, scalar } => Value::Result { index, scalar },
        }
    }
}

/// One step, which is one instruction of the machine: `D = A * b + c`, solved for `D`, or, in the
/// subtractions, for `c`. If any operand is an extension element, the first one is; the others may
/// be scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instruction<K = F> {
    /// `a * b + c`.
    MultiplyAdd(Value<K>, Value<K>, Value<K>),
    /// `c - a * b`, operands in the order `c, a, b`; `c` and `a` are extension elements.
    MultiplySubtract(Value<K>, Value<K>, Value<K>),
    /// `a * b`; of base field elements if both are.
    Multiply(Value<K>, Value<K>),
    /// `a + b`; of base field elements if both are.
    Add(Value<K>, Value<K>),
    /// `a - b`; of base field elements if both are.
    Subtract(Value<K>, Value<K>),
    /// The extension element that equals a scalar.
    Lift(Value<K>),
}

impl<K: BaseField> Instruction<K> {
    /// Operands in order.
    pub fn operands(&self) -> impl Iterator<Item = Value<K>> + use<K> {
        let (first, rest) = match *self {
            Self::MultiplyAdd(a, b, c) | Self::MultiplySubtract(a, b, c) => (a, [Some(b), Some(c)]),
            Self::Multiply(a, b) | Self::Add(a, b) | Self::Subtract(a, b) => (a, [Some(b), None]),
            Self::Lift(a) => (a, [None, None]),
        };
        core::iter::once(first).chain(rest.into_iter().flatten())
    }

    /// The same with constants as cells.
    fn cells(self) -> Instruction {
        match self {
            Self::MultiplyAdd(a, b, c) => Instruction::MultiplyAdd(a.cells(), b.cells(), c.cells()),
            Self::MultiplySubtract(c, a, b) => {
                Instruction::MultiplySubtract(c.cells(), a.cells(), b.cells())
            }
            Self::Multiply(a, b) => Instruction::Multiply(a.cells(), b.cells()),
            Self::Add(a, b) => Instruction::Add(a.cells(), b.cells()),
            Self::Subtract(a, b) => Instruction::Subtract(a.cells(), b.cells()),
            Self::Lift(a) => Instruction::Lift(a.cells()),
        }
    }
}

/// A value that stands for its negation when `negated`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signed<K> {
    pub negated: bool,
    pub value: Value<K>,
}

impl<K: BaseField> Signed<K> {
    /// The value itself.
    pub(super) const fn plus(value: Value<K>) -> Self {
        let negated = false;
        Self { negated, value }
    }

    /// The same, or its negation.
    pub(super) const fn negated_if(self, negate: bool) -> Self {
        let negated = self.negated != negate;
        Self { negated, ..self }
    }
}

/// A straight-line program, whose constants are elements of a base field or their cells.
#[derive(Clone, Debug, Default)]
pub struct StraightLine<K = F> {
    /// Instructions in order.
    pub instructions: Vec<Instruction<K>>,
    /// Results of the program, all extension elements.
    pub results: Vec<Value<K>>,
    index: HashMap<Instruction<K>, usize>,
}

impl<K: BaseField> StraightLine<K> {
    /// Number of instructions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Whether the program has no instruction.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }

    /// Appends an instruction, or reuses an equal one.
    fn push(&mut self, instruction: Instruction<K>) -> Value<K> {
        let scalar = match instruction {
            Instruction::Multiply(a, b) | Instruction::Add(a, b) | Instruction::Subtract(a, b) => {
                a.is_scalar() && b.is_scalar()
            }
            _ => false,
        };
        let instructions = &mut self.instructions;
        let index = *self.index.entry(instruction).or_insert_with(|| {
            instructions.push(instruction);
            instructions.len() - 1
        });
        Value::Result { index, scalar }
    }

    /// `a * b`.
    pub(super) fn multiply(&mut self, a: Value<K>, b: Value<K>) -> Value<K> {
        let (a, b) = extension_first(a, b);
        match (a, b) {
            (Value::Constant(a), Value::Constant(b)) => Value::Constant(a * b),
            (_, Value::Constant(one)) if one == K::ONE => a,
            (_, Value::Constant(zero)) if zero == K::ZERO => b,
            _ => self.push(Instruction::Multiply(a, b)),
        }
    }

    /// `a + b`.
    pub(super) fn add(&mut self, a: Value<K>, b: Value<K>) -> Value<K> {
        let (a, b) = extension_first(a, b);
        match (a, b) {
            (Value::Constant(a), Value::Constant(b)) => Value::Constant(a + b),
            (_, Value::Constant(zero)) if zero == K::ZERO => a,
            _ => self.push(Instruction::Add(a, b)),
        }
    }

    /// `a - b`.
    pub(super) fn subtract(&mut self, a: Value<K>, b: Value<K>) -> Value<K> {
        if let Value::Constant(b) = b {
            return self.add(a, Value::Constant(-b));
        }
        if a.is_scalar() && !b.is_scalar() {
            return self.multiply_add(b, Value::Constant(K::NEG_ONE), a);
        }
        self.push(Instruction::Subtract(a, b))
    }

    /// `a * b + c`.
    pub(super) fn multiply_add(&mut self, a: Value<K>, b: Value<K>, c: Value<K>) -> Value<K> {
        let (a, b) = extension_first(a, b);
        if c == Value::Constant(K::ZERO) {
            return self.multiply(a, b);
        }
        if a.is_scalar() || b == Value::Constant(K::ONE) || b == Value::Constant(K::ZERO) {
            let product = self.multiply(a, b);
            return self.add(product, c);
        }
        self.push(Instruction::MultiplyAdd(a, b, c))
    }

    /// `c - a * b`, or its negation if that saves an instruction.
    pub(super) fn multiply_subtract(&mut self, c: Value<K>, a: Value<K>, b: Value<K>) -> Signed<K> {
        let (a, b) = extension_first(a, b);
        if let Value::Constant(k) = b {
            return Signed::plus(if k == K::ONE {
                self.subtract(c, a)
            } else {
                self.multiply_add(a, Value::Constant(-k), c)
            });
        }
        if let Value::Constant(k) = c {
            let negation = self.multiply_add(a, b, Value::Constant(-k));
            return Signed::plus(negation).negated_if(true);
        }
        if c.is_scalar() || a.is_scalar() {
            let product = self.multiply(a, b);
            return Signed::plus(self.subtract(c, product));
        }
        Signed::plus(self.push(Instruction::MultiplySubtract(c, a, b)))
    }

    /// Adds a result, as an extension element.
    pub(super) fn finish(&mut self, result: Signed<K>) {
        let mut value = result.value;
        if result.negated {
            value = self.multiply(value, Value::Constant(K::NEG_ONE));
        }
        if value.is_scalar() {
            value = self.push(Instruction::Lift(value));
        }
        self.results.push(value);
    }

    /// The same program with constants as cells.
    pub(super) fn cells(self) -> StraightLine {
        let instructions = self.instructions.into_iter();
        let instructions: Vec<Instruction> = instructions.map(Instruction::cells).collect();
        StraightLine {
            results: self.results.into_iter().map(Value::cells).collect(),
            index: instructions.iter().copied().zip(0..).collect(),
            instructions,
        }
    }
}

impl StraightLine {
    /// Runs the program and returns its results.
    ///
    /// # Errors
    /// [`CodegenError::MissingInput`] if `opened` lacks a value that the program reads.
    pub fn evaluate<E: AnyChallenge>(
        &self,
        opened: &OpenedTable<E>,
    ) -> Result<Vec<E>, CodegenError> {
        let mut results: Vec<E> = Vec::with_capacity(self.len());
        let get = |value: Value, results: &[E]| match value {
            Value::Constant(c) => Ok(E::from(element::<E::Base>(c))),
            Value::Input(input) => opened.get(input).ok_or(CodegenError::MissingInput(input)),
            Value::Result { index, .. } => Ok(results[index]),
        };
        for &instruction in &self.instructions {
            let get = |value| get(value, &results);
            let result = match instruction {
                Instruction::MultiplyAdd(a, b, c) => get(a)? * get(b)? + get(c)?,
                Instruction::MultiplySubtract(c, a, b) => get(c)? - get(a)? * get(b)?,
                Instruction::Multiply(a, b) => get(a)? * get(b)?,
                Instruction::Add(a, b) => get(a)? + get(b)?,
                Instruction::Subtract(a, b) => get(a)? - get(b)?,
                Instruction::Lift(a) => get(a)?,
            };
            results.push(result);
        }
        self.results.iter().map(|&r| get(r, &results)).collect()
    }
}

/// Orders two operands so that an extension element comes first and a constant last.
fn extension_first<K: BaseField>(a: Value<K>, b: Value<K>) -> (Value<K>, Value<K>) {
    let rank = |v: Value<K>| match v {
        Value::Constant(_) => 2,
        v if v.is_scalar() => 1,
        _ => 0,
    };
    if rank(a) <= rank(b) { (a, b) } else { (b, a) }
}
