//! Limits of what a program may ask of the compiler. Each is far above what a program needs, and
//! low enough that the compiler ends within seconds and a gigabyte.

use super::*;

/// Largest number of steps: expressions, iterations, and scalars of values that are made, copied or
/// joined.
const MAX_STEPS: u64 = 1 << 24;

/// Largest number of operations that are emitted, trials of loop bodies included.
const MAX_OPERATIONS: usize = 1 << 21;

/// Largest number of calls that are inlined.
const MAX_CALLS: usize = 1 << 20;

/// Largest depth of inlined calls, and of items whose values or types depend on each other.
const MAX_DEPTH: usize = 256;

/// Largest depth of nested expressions in progress, summed over these calls.
const MAX_NESTING: usize = 1 << 12;

/// Largest number of scalars in a value.
const MAX_SCALARS: usize = 1 << 20;

/// Largest number of parts of a type.
const MAX_PARTS: usize = 1 << 12;

const ADVICE: &str = "what is known while compiling is evaluated there: unroll less with \
     `for i in count(N)`, or mark functions `#[inline(never)]`";

fn exceeded<T, E: From<Box<Failure>>>(span: Span, limit: usize, what: &str) -> Result<T, E> {
    fail_help(
        span,
        format!("compiling this program takes more than {limit} {what}"),
        ADVICE,
    )
}

fn too_large<T>(span: Span) -> Eval<T> {
    fail(
        span,
        format!("this value has more than {MAX_SCALARS} scalars, or is nested too deeply"),
    )
}

impl Evaluator<'_> {
    /// Counts steps of the evaluation.
    pub(super) fn charge(&self, steps: u64, span: Span) -> Eval<()> {
        self.steps.set(self.steps.get().saturating_add(steps));
        if self.steps.get() > MAX_STEPS {
            return exceeded(span, MAX_STEPS as usize, "steps");
        }
        if self.builder.operations > MAX_OPERATIONS {
            return exceeded(span, MAX_OPERATIONS, "operations");
        }
        Ok(())
    }

    /// Runs `body` one level deeper in nested expressions.
    pub(super) fn nested<T>(
        &mut self,
        span: Span,
        body: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        self.charge(1, span)?;
        if self.depth >= MAX_NESTING {
            return fail(span, "expressions and calls are nested too deeply");
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    /// Refuses one more call that is inlined.
    pub(super) fn check_call(&self, span: Span) -> Result<(), Box<Failure>> {
        if self.activations.len() + self.compiling.len() >= MAX_DEPTH {
            let message = format!("calls are nested more than {MAX_DEPTH} deep");
            return fail_help(span, message, "recursion must end at compile time");
        }
        if self.sites.len() < MAX_CALLS {
            Ok(())
        } else {
            exceeded(span, MAX_CALLS, "inlined calls")
        }
    }

    /// Refuses to go on to another item, of which there are too many in progress.
    pub(super) fn check_items(&self, span: Span) -> Eval<()> {
        if self.activations.len() <= MAX_DEPTH {
            Ok(())
        } else {
            fail(span, "these constants or types depend on each other")
        }
    }

    /// Returns a value that is made of others, unless it is too large.
    pub(super) fn bounded(&mut self, value: Value, span: Span) -> Eval<Value> {
        match value.size(MAX_SCALARS) {
            Some(size) => self.charge(size as u64, span).map(|()| value),
            None => too_large(span),
        }
    }

    /// Refuses a list that is too long before it is made: [`Self::bounded`] refuses it afterwards.
    pub(super) fn bounded_length(&self, length: u64, span: Span) -> Eval<()> {
        self.charge(length, span)?;
        if length <= MAX_SCALARS as u64 {
            Ok(())
        } else {
            too_large(span)
        }
    }

    /// Counts what a walk through all parts of a value takes.
    pub(super) fn walk(&mut self, value: &Value, span: Span) -> Eval<()> {
        match value.parts() {
            None if !matches!(value, Value::Text(_)) => Ok(()),
            _ => {
                let size = value.size(MAX_SCALARS).unwrap_or(MAX_SCALARS);
                self.charge(size as u64, span)
            }
        }
    }

    /// Counts what it takes to compare types.
    pub(super) fn walk_types<'a>(
        &mut self,
        types: impl IntoIterator<Item = &'a Ty>,
        span: Span,
    ) -> Eval<()> {
        let sizes = types.into_iter().map(|ty| ty.size(MAX_PARTS));
        let sizes = sizes.map(|size| size.unwrap_or(MAX_PARTS) as u64);
        self.charge(sizes.sum(), span)
    }

    /// Returns a type that is made of others, unless it is too large.
    pub(super) fn bounded_type(&mut self, ty: Ty, span: Span) -> Eval<Ty> {
        match ty.size(MAX_PARTS) {
            Some(size) => self.charge(size as u64, span).map(|()| ty),
            None => fail(
                span,
                format!("this type has more than {MAX_PARTS} parts, or is nested too deeply"),
            ),
        }
    }
}
