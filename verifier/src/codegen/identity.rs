//! Polynomial identities of a table, at the challenge that folds its constraints.

use droste_native::F;
use droste_vm::tables::{Coefficients, PolynomialIdentity};
use droste_vm::whir::expressions::Expressions;
use p3_field::PrimeCharacteristicRing;

use super::program::Signed;
use super::{Input, StraightLine, Value};

const ALPHA: Value = Value::Input(Input::Alpha);

/// Adds the identities of a table to a program that folds its other constraints: they come first,
/// so they are multiplied by the challenge for each of the others.
pub(super) fn add(program: &mut StraightLine, expressions: &Expressions) {
    let mut value = None;
    for identity in expressions.identities() {
        let of_identity = program.identity(identity);
        value = Some(match value {
            Some(before) => {
                let shift = program.power(identity.num_coefficients());
                program.multiply_add(before, shift, of_identity)
            }
            None => of_identity,
        });
    }
    let Some(value) = value else {
        return;
    };
    let value = match program.results.pop() {
        Some(others) => {
            let shift = program.power(expressions.constraints().len());
            program.multiply_add(value, shift, others)
        }
        None => value,
    };
    program.finish(Signed::plus(value));
}

impl StraightLine {
    /// The left side of an identity at the challenge.
    fn identity(&mut self, identity: &PolynomialIdentity) -> Value {
        let mut sum = Value::Constant(F::ZERO);
        for [left, right] in &identity.products {
            let (left, right) = (self.polynomial(left), self.polynomial(right));
            sum = self.multiply_add(left, right, sum);
        }
        for (summand, weight) in &identity.summands {
            let summand = self.polynomial(summand);
            let weight = self.weight(weight);
            sum = self.multiply_add(summand, weight, sum);
        }
        sum
    }

    /// A polynomial at the challenge, by Horner's rule.
    fn polynomial(&mut self, coefficients: &Coefficients) -> Value {
        let zero = Value::Constant(F::ZERO);
        let columns = coefficients.iter().rev();
        columns.fold(zero, |sum, &column| {
            let next = false;
            let cell = Value::Input(Input::Main { next, column });
            self.multiply_add(ALPHA, sum, cell)
        })
    }

    /// The weight of a summand at the challenge: the sum of terms, of exponents and coefficients.
    fn weight(&mut self, terms: &[(usize, F)]) -> Value {
        let zero = Value::Constant(F::ZERO);
        terms.iter().fold(zero, |sum, &(exponent, coefficient)| {
            let power = self.power(exponent);
            self.multiply_add(power, Value::Constant(coefficient), sum)
        })
    }

    /// A power of the challenge. Powers that are in the program already are not computed again.
    fn power(&mut self, exponent: usize) -> Value {
        match exponent {
            0 => Value::Constant(F::ONE),
            1 => ALPHA,
            _ if exponent.is_multiple_of(2) => {
                let root = self.power(exponent / 2);
                self.multiply(root, root)
            }
            _ => {
                let below = self.power(exponent - 1);
                self.multiply(below, ALPHA)
            }
        }
    }
}
