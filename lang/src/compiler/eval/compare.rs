//! Comparisons of values: by the program's functions, by derives, and as the standard library
//! compares lists and tuples.

use std::cmp::Ordering;

use super::arith::{ZERO, scalar};
use super::assertion::Condition;
use super::*;
use crate::compiler::resolve::Head;
use crate::compiler::value::{Block, Ext, Structure};

/// The trait by which values are ordered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Partial,
    Total,
    /// Both, which must agree: which of them `max`, `min`, `clamp` and sorting call depends on the
    /// version of Rust.
    Either,
}

/// Returns whether an operator compares.
pub(super) fn compares(op: BinaryOp) -> bool {
    matches!(op.method(), Some(("PartialEq" | "PartialOrd", _)))
}

/// Returns whether two values of one type are certainly different, as far as both are known.
fn differ(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a, _), Value::Int(b, _)) => a != b,
        (Value::Bool(a), Value::Bool(b)) => a != b,
        (Value::Text(a), Value::Text(b)) => a != b,
        (Value::Felt(Word::Const(a)), Value::Felt(Word::Const(b))) => a != b,
        (Value::Ext(Ext::Const(a)), Value::Ext(Ext::Const(b))) => a != b,
        (Value::Block(Block::Const(a)), Value::Block(Block::Const(b))) => a != b,
        (Value::Struct(a, _), Value::Struct(b, _)) if a.variant != b.variant => true,
        _ => match (a.parts(), b.parts()) {
            (Some(a), Some(b)) => a.len() != b.len() || a.iter().zip(b).any(|(a, b)| differ(a, b)),
            _ => false,
        },
    }
}

/// Returns the coefficients of an element that is not in a block of memory.
fn coefficients(value: &Ext) -> Option<[Word; 5]> {
    match value {
        Ext::Const(lanes) => Some(lanes.map(Word::Const)),
        Ext::Scalar(word) => Some([*word, ZERO, ZERO, ZERO, ZERO]),
        Ext::Coefficients(words) => Some(**words),
        Ext::Product(_) | Ext::At(_) => None,
    }
}

impl Evaluator<'_> {
    /// Evaluates a comparison by an operator.
    pub(super) fn comparison(
        &mut self,
        op: BinaryOp,
        a: &Value,
        b: &Value,
        span: Span,
    ) -> Eval<Value> {
        match op {
            BinaryOp::Eq => self.equal_values(a, b, span),
            BinaryOp::Ne => {
                let equal = self.equal_values(a, b, span)?;
                self.unary(UnaryOp::Not, equal, span)
            }
            op => {
                self.walk(a, span)?;
                let order = self.order(a, b, Order::Partial, op.sign(), span)?;
                Ok(Value::Bool(order.is_some_and(|order| match op {
                    BinaryOp::Lt => order.is_lt(),
                    BinaryOp::Le => order.is_le(),
                    BinaryOp::Gt => order.is_gt(),
                    _ => order.is_ge(),
                })))
            }
        }
    }

    /// Returns whether two values are equal, as a bool that may be known only at run time.
    pub(super) fn equal_values(&mut self, a: &Value, b: &Value, span: Span) -> Eval<Value> {
        self.walk(a, span)?;
        // What is known decides before anything is emitted, unless the program's functions, which
        // may do something else, run first.
        if !self.has_own_equality(a) && !self.has_own_equality(b) && differ(a, b) {
            return Ok(Value::Bool(false));
        }
        self.equality(a, b, span)
    }

    /// Returns whether comparing this value may call a function of the program.
    pub(super) fn has_own_equality(&self, value: &Value) -> bool {
        let own = match value {
            Value::Reference(_) => true,
            Value::Struct(of, _) => !self.is_derived(of, "PartialEq", "eq"),
            _ => false,
        };
        let mut parts = value.parts().unwrap_or_default().iter();
        own || parts.any(|part| self.has_own_equality(part))
    }

    /// Returns whether a structure derives a trait, and its meaning is certainly the derived one.
    fn is_derived(&self, of: &Structure, derived: &str, name: &str) -> bool {
        self.items.structs[of.id].ast.derives(derived) && !self.writes(of.id, name)
    }

    /// Returns whether the program has a function of this name for a structure.
    pub(super) fn writes(&self, id: usize, name: &str) -> bool {
        let key = (Head::Struct(id), Symbol::new(name));
        self.items.methods.contains_key(&key)
    }

    /// Returns the type that is expected of what a value is compared with: its own, if no
    /// implementation of `PartialEq` or `PartialOrd` can be for another one.
    pub(super) fn expected_other(&mut self, value: &Value, span: Span) -> Eval<Ty> {
        let own = |this: &Self, id| this.writes(id, "eq") || this.writes(id, "partial_cmp");
        match value {
            Value::Struct(of, _) if own(self, of.id) => Ok(Ty::Unknown),
            Value::Int(..) | Value::Struct(..) | Value::Tuple(_) => {
                self.bounded_type(value.ty(), span)
            }
            _ => Ok(Ty::Unknown),
        }
    }

    fn equality(&mut self, a: &Value, b: &Value, span: Span) -> Eval<Value> {
        self.charge(1, span)?;
        match (a, b) {
            (Value::Reference(_), _) | (_, Value::Reference(_)) => {
                let (a, b) = (self.seen(a.clone(), span)?, self.seen(b.clone(), span)?);
                self.equality(&a, &b, span)
            }
            (Value::Struct(..), _) | (_, Value::Struct(..)) => self.equal_structures(a, b, span),
            (Value::Int(a, s), Value::Int(b, t)) => {
                self.integer_operator(BinaryOp::Eq, (*a, *s), (*b, *t), span)
            }
            (Value::Bool(_) | Value::Flag(_), Value::Bool(_) | Value::Flag(_)) => {
                self.flags(BinaryOp::Eq, a.clone(), b.clone(), span)
            }
            (Value::Felt(a), Value::Felt(b)) | (Value::Index(a, _), Value::Index(b, _)) => {
                Ok(self.equal(*a, *b))
            }
            (Value::Ext(a), Value::Ext(b)) => self.equal_extensions(a, b, span),
            (Value::Block(a), Value::Block(b)) => self.equal_blocks(a, b, span),
            (Value::Text(a), Value::Text(b)) => Ok(Value::Bool(a == b)),
            (Value::Phantom, Value::Phantom) => Ok(Value::Bool(true)),
            (Value::Tuple(x), Value::Tuple(y)) if x.len() == y.len() => self.all_equal(x, y, span),
            (Value::Slice(..), Value::Slice(..)) => fail_help(
                span,
                "slices cannot be compared",
                "compare their blocks, `a.block(i)`",
            ),
            _ => match (a.elements(), b.elements()) {
                (Some(x), Some(y)) if x.len() != y.len() => Ok(Value::Bool(false)),
                (Some(x), Some(y)) => self.all_equal(x, y, span),
                _ => self.incomparable("==", a, b, span),
            },
        }
    }

    /// Returns whether all pairs are equal. As in Rust, a function of the program for a pair runs
    /// only if all pairs before it are equal.
    fn all_equal(&mut self, a: &[Value], b: &[Value], span: Span) -> Eval<Value> {
        let mut result = Value::Bool(true);
        for (index, (one, other)) in a.iter().zip(b).enumerate() {
            if let Value::Flag(word) = result
                && self.has_own_equality(one)
            {
                return self.unless(Condition::Flag(word), false, span, |this| {
                    this.all_equal(&a[index..], &b[index..], span)
                });
            }
            let equal = self.equality(one, other, span)?;
            if let Value::Bool(false) = equal {
                return Ok(equal);
            }
            result = self.flags(BinaryOp::And, result, equal, span)?;
        }
        Ok(result)
    }

    fn equal_structures(&mut self, a: &Value, b: &Value, span: Span) -> Eval<Value> {
        if let (Value::Struct(x, _), Value::Struct(y, _)) = (a, b)
            && x.id == y.id
        {
            let own = if self.is_derived(x, "PartialEq", "eq") {
                None
            } else {
                self.user_function(("PartialEq", "eq"), a, b, span)?
            };
            let derived = self.items.structs[x.id].ast.derives("PartialEq");
            return match own {
                Some(_) if derived && a.ty().matches(&b.ty()) => {
                    let message = "`==` may be the derived one or the program's";
                    fail_help(span, message, "write the types of both sides")
                }
                Some(equal) => Ok(equal),
                None if derived && x.variant == y.variant => {
                    self.all_equal(&x.fields, &y.fields, span)
                }
                None if derived => Ok(Value::Bool(false)),
                None => self.underived("==", "PartialEq", a, span),
            };
        }
        match self.user_function(("PartialEq", "eq"), a, b, span)? {
            Some(equal) => Ok(equal),
            None => self.incomparable("==", a, b, span),
        }
    }

    fn equal_extensions(&mut self, a: &Ext, b: &Ext, span: Span) -> Eval<Value> {
        if a == b {
            return Ok(Value::Bool(true));
        }
        if let (Some(a), Some(b)) = (coefficients(a), coefficients(b)) {
            return self.equal_words(&a, &b, span);
        }
        if self.builder.is_baby_bear() {
            let message = "`==` of Exts of BabyBear that only a run knows";
            let help = "an element has several forms in memory: use `assert_eq!` or `assert_ne!`";
            return fail_help(span, message, help);
        }
        let difference = self.ext_sub(a, b);
        if let Some(word) = scalar(&difference) {
            return Ok(self.equal(word, ZERO));
        }
        let degree = self.builder.degree();
        let lanes = (0..degree).map(|index| self.coefficient(&difference, index));
        let lanes: Vec<_> = lanes.collect();
        self.equal_words(&lanes, &[ZERO; 5][..degree], span)
    }

    fn equal_blocks(&mut self, a: &Block, b: &Block, span: Span) -> Eval<Value> {
        if a == b {
            return Ok(Value::Bool(true));
        }
        let (a, b) = (self.lanes(a), self.lanes(b));
        self.equal_words(&a, &b, span)
    }

    /// Returns the words of a block.
    fn lanes(&mut self, block: &Block) -> [Word; 8] {
        match block {
            Block::Const(lanes) => lanes.map(Word::Const),
            Block::Lanes(words) => **words,
            Block::At(pointer) => {
                let address = self.pointer(*pointer);
                std::array::from_fn(|index| self.builder.lane(address, index as u32))
            }
        }
    }

    /// Returns whether all pairs of words are equal.
    fn equal_words(&mut self, a: &[Word], b: &[Word], span: Span) -> Eval<Value> {
        let known = |(a, b): (&Word, &Word)| match (a, b) {
            (Word::Const(a), Word::Const(b)) => a != b,
            _ => false,
        };
        if a.iter().zip(b).any(known) {
            return Ok(Value::Bool(false));
        }
        let mut result = Value::Bool(true);
        for (a, b) in a.iter().zip(b) {
            let equal = self.equal(*a, *b);
            result = self.flags(BinaryOp::And, result, equal, span)?;
        }
        Ok(result)
    }

    /// Compares two values that have an order, as sorting does.
    pub(super) fn compare_values(&mut self, a: &Value, b: &Value, span: Span) -> Eval<Ordering> {
        self.walk(a, span)?;
        match self.order(a, b, Order::Either, "<", span)? {
            Some(order) => Ok(order),
            None => fail(span, "these values have no order"),
        }
    }

    /// Compares two values that are known while compiling. `None` if `partial_cmp` of the program
    /// says so. `what` is what the program calls the comparison.
    fn order(
        &mut self,
        a: &Value,
        b: &Value,
        by: Order,
        what: &str,
        span: Span,
    ) -> Eval<Option<Ordering>> {
        self.charge(1, span)?;
        match (a, b) {
            (Value::Reference(_), _) | (_, Value::Reference(_)) => {
                let (a, b) = (self.seen(a.clone(), span)?, self.seen(b.clone(), span)?);
                self.order(&a, &b, by, what, span)
            }
            (Value::Struct(..), _) | (_, Value::Struct(..)) => {
                self.order_structures(a, b, by, what, span)
            }
            (Value::Int(x, s), Value::Int(y, t)) => {
                self.common(*s, *t, span)?;
                Ok(Some(x.cmp(y)))
            }
            (Value::Bool(x), Value::Bool(y)) => Ok(Some(x.cmp(y))),
            (Value::Text(x), Value::Text(y)) => Ok(Some(x.cmp(y))),
            (Value::Phantom, Value::Phantom) => Ok(Some(Ordering::Equal)),
            (Value::Tuple(x), Value::Tuple(y)) if x.len() == y.len() => {
                self.order_all(x, y, by, what, span)
            }
            _ => match (a.elements(), b.elements()) {
                (Some(x), Some(y)) => self.order_all(x, y, by, what, span),
                _ => self.incomparable(what, a, b, span),
            },
        }
    }

    /// Compares lists by their first pair that differs and, if there is none, by their lengths.
    fn order_all(
        &mut self,
        a: &[Value],
        b: &[Value],
        by: Order,
        what: &str,
        span: Span,
    ) -> Eval<Option<Ordering>> {
        for (one, other) in a.iter().zip(b) {
            match self.order(one, other, by, what, span)? {
                Some(Ordering::Equal) => {}
                decided => return Ok(decided),
            }
        }
        Ok(Some(a.len().cmp(&b.len())))
    }

    fn order_structures(
        &mut self,
        a: &Value,
        b: &Value,
        by: Order,
        what: &str,
        span: Span,
    ) -> Eval<Option<Ordering>> {
        let (of, name) = match by {
            Order::Partial => ("PartialOrd", "partial_cmp"),
            Order::Total => ("Ord", "cmp"),
            Order::Either => {
                let derived = |this: &Self, of: &Structure| {
                    this.is_derived(of, "PartialOrd", "partial_cmp")
                        && this.is_derived(of, "Ord", "cmp")
                };
                if let (Value::Struct(x, _), Value::Struct(y, _)) = (a, b)
                    && derived(self, x)
                {
                    return self.order_derived(x, y, by, what, span);
                }
                let before = self.builder.emitted();
                let partial = self.order_structures(a, b, Order::Partial, what, span)?;
                let total = self.order_structures(a, b, Order::Total, what, span)?;
                let back = self.order_structures(b, a, Order::Total, what, span)?;
                let back = back.map(Ordering::reverse);
                if partial == total && back == total && self.builder.emitted() == before {
                    return Ok(total);
                }
                return fail_help(
                    span,
                    "which of `cmp` and `partial_cmp` is called, and of which side, depends on the \
                     version of Rust",
                    "let `partial_cmp` return `Some(self.cmp(other))`, and let both do nothing else \
                     than say the order",
                );
            }
        };
        let derives = |this: &Self, id: usize| this.items.structs[id].ast.derives(of);
        let pair = match (a, b) {
            (Value::Struct(x, _), Value::Struct(y, _)) if x.id == y.id => Some((x, y)),
            _ => None,
        };
        if let Some((x, y)) = pair
            && self.is_derived(x, of, name)
        {
            return self.order_derived(x, y, by, what, span);
        }
        let own = self.user_function((of, name), a, b, span)?;
        match (own, pair) {
            (Some(_), Some((x, _))) if derives(self, x.id) && a.ty().matches(&b.ty()) => {
                let message = format!("`{what}` may be the derived one or the program's");
                fail_help(span, message, "write the types of both sides")
            }
            (Some(order), _) => {
                let order = match by {
                    Order::Total => Some(order),
                    _ => match self.as_option(&order) {
                        Some(None) => return Ok(None),
                        order => order.flatten(),
                    },
                };
                match order.and_then(|order| self.as_ordering(&order)) {
                    Some(order) => Ok(Some(order)),
                    None => fail(span, format!("`{name}` does not return an `Ordering`")),
                }
            }
            (None, Some((x, y))) if derives(self, x.id) => self.order_derived(x, y, by, what, span),
            (None, Some(_)) => self.underived(what, of, a, span),
            (None, None) => self.incomparable(what, a, b, span),
        }
    }

    /// Compares as a derive does: first the variants, by their discriminants, then the fields.
    /// `Reverse` has the order the other way round.
    fn order_derived(
        &mut self,
        a: &Structure,
        b: &Structure,
        by: Order,
        what: &str,
        span: Span,
    ) -> Eval<Option<Ordering>> {
        if a.id == self.items.std_enum("Reverse") {
            return self.order_all(&b.fields, &a.fields, by, what, span);
        }
        if a.variant == b.variant {
            return self.order_all(&a.fields, &b.fields, by, what, span);
        }
        let (a, b) = (self.discriminant(a, span)?, self.discriminant(b, span)?);
        Ok(Some(a.cmp(&b)))
    }

    /// Evaluates a method of `PartialEq`, `PartialOrd` or `Ord`, unless the program wrote it for the
    /// value's type. `None` if there is no such method.
    pub(super) fn comparison_method(
        &mut self,
        value: &Value,
        name: &str,
        values: &[Value],
        span: Span,
    ) -> Eval<Option<Value>> {
        let op = match name {
            "eq" => Some(BinaryOp::Eq),
            "ne" => Some(BinaryOp::Ne),
            "lt" => Some(BinaryOp::Lt),
            "le" => Some(BinaryOp::Le),
            "gt" => Some(BinaryOp::Gt),
            "ge" => Some(BinaryOp::Ge),
            _ => None,
        };
        if let (Some(op), [other]) = (op, values) {
            let (value, other) = (value.clone(), other.clone());
            return self.binary(op, value, other, span).map(Some);
        }
        if matches!(name, "max" | "min" | "clamp") {
            let is_reference = |value: &Value| matches!(value, Value::Reference(_));
            let mut others = values.iter().map(is_reference);
            if others.any(|other| other != is_reference(value)) {
                let message = format!("`{name}` is of values, or of mutable references to them");
                return fail_help(span, message, "write `*` before the references");
            }
        }
        if let (Value::Int(value, ty), "max" | "min" | "clamp") = (value, name) {
            let receiver = (*value, *ty);
            return self.integer_method(receiver, name, values, span).map(Some);
        }
        Ok(match (name, values) {
            ("cmp" | "partial_cmp", [other]) => {
                self.walk(value, span)?;
                let by = match name {
                    "cmp" => Order::Total,
                    _ => Order::Partial,
                };
                Some(match self.order(value, other, by, name, span)? {
                    Some(order) => self.ordering_says(order, name, span)?,
                    None => {
                        let ty = Ty::Struct(self.items.std_enum("Ordering"), Rc::default());
                        self.option(None, ty, span)?
                    }
                })
            }
            ("max", [other]) => {
                let first = self.compare_values(value, other, span)?.is_gt();
                let greatest = if first { value } else { other };
                Some(greatest.clone())
            }
            ("min", [other]) => {
                let second = self.compare_values(value, other, span)?.is_gt();
                let least = if second { other } else { value };
                Some(least.clone())
            }
            ("clamp", [least, most]) => {
                if self.compare_values(least, most, span)?.is_gt() {
                    return fail_certain(span, "`clamp` needs `min <= max`");
                }
                if self.compare_values(value, least, span)?.is_lt() {
                    Some(least.clone())
                } else if self.compare_values(value, most, span)?.is_gt() {
                    Some(most.clone())
                } else {
                    Some(value.clone())
                }
            }
            _ => None,
        })
    }

    fn underived<T>(&self, what: &str, of: &str, value: &Value, span: Span) -> Eval<T> {
        let ty = self.shown_type(&value.ty());
        let help = format!("derive `{of}`, or implement it");
        fail_help(span, format!("`{ty}` has no `{what}`"), help)
    }

    /// Returns the error for two values that cannot be compared.
    fn incomparable<T>(&self, what: &str, a: &Value, b: &Value, span: Span) -> Eval<T> {
        let message = format!("`{what}` does not apply to {a} and {b}");
        let help = match (a, b) {
            (Value::Unchecked(_), _) | (_, Value::Unchecked(_)) => UNCHECKED,
            (Value::Felt(_) | Value::Ext(_), _) if what != "==" => {
                "field elements have no order: `droste_gadgets::integers` compares their integers"
            }
            (Value::Flag(_), _) | (_, Value::Flag(_)) if what != "==" => {
                "only values known at compile time have an order: write `a & !b` for `a > b`"
            }
            (Value::Felt(_), Value::Int(..)) | (Value::Int(..), Value::Felt(_)) => {
                "write `felt(n)` to make a field element of an integer"
            }
            _ => return fail(span, message),
        };
        fail_help(span, message, help)
    }
}
