//! Operators that the program wrote for its types, and functions of the standard library's traits
//! that are called by the trait's name.

use super::function::Callee;
use super::invoke::Argument;
use super::place::Place;
use super::unify::{Header, Match};
use super::*;
use crate::compiler::resolve::{OPERATORS, knows_references};

/// Returns whether the functions of this trait can be called as `Trait::function(..)`.
pub(super) fn is_trait(name: &str) -> bool {
    let mut methods = OPERATORS.iter().filter_map(|op| op.method());
    matches!(
        name,
        "Default" | "From" | "Into" | "Neg" | "Not" | "Ord" | "PartialEq" | "PartialOrd"
    ) || methods.any(|(of, _)| of == name)
}

impl Evaluator<'_> {
    /// Returns the implementation by the program, for the type `ty`, of a function of a standard
    /// trait that is given these operands. Where implementations for values and for references may
    /// both be meant, values that are certainly one or the other decide.
    pub(super) fn implementation_for(
        &mut self,
        (of, name): (&str, &str),
        ty: &Ty,
        operands: &[Value],
        span: Span,
    ) -> Eval<Option<Callee>> {
        let name = Symbol::new(name);
        let mut found = self.candidates(|items| &items.methods, ty, name)?;
        found.retain(|candidate| candidate.is_of(of));
        let mut left = Vec::new();
        for candidate in found {
            let callee = self.callee(candidate, ty, &[])?;
            if self.takes(&callee, operands, span)? {
                left.push(callee);
            }
        }
        if left.len() > 1 {
            left.retain(|callee| self.takes_as_held(callee, operands));
        }
        let chosen = left.pop();
        if left.is_empty() {
            return Ok(chosen);
        }
        fail_help(
            span,
            format!("several implementations of `{of}` may be meant"),
            "write the types of the operands; of those for values and for references, keep one",
        )
    }

    /// Returns whether a function may be given values of the types that these have.
    fn takes(&mut self, callee: &Callee, operands: &[Value], span: Span) -> Eval<bool> {
        let header = Header {
            module: callee.module,
            self_type: callee.self_type.as_ref(),
            lengths: true,
        };
        for (param, value) in callee.function.params.iter().zip(operands) {
            if param.name().is_some_and(|name| name == "self") {
                continue;
            }
            let ty = self.bounded_type(value.ty(), span)?;
            let mut generics = callee.generics.clone();
            if self.unify(&param.ty, &ty, &header, &mut generics)? == Match::No {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether a function of an operator, of `From` and the like may be given these values,
    /// of which each is moved: what is owned is no reference, and what is not cannot be moved out of
    /// one.
    fn takes_as_held(&self, callee: &Callee, operands: &[Value]) -> bool {
        let Some(owner) = callee.owner else {
            return true;
        };
        let info = &self.items.impls[owner.implementation];
        if !knows_references(info.of) {
            return true;
        }
        let mut pairs = callee.function.params.iter().zip(operands);
        pairs.all(|(param, value)| {
            let is_self = param.name().is_some_and(|name| name == "self");
            if is_self && (param.ty.reference || param.mutable_reference) {
                return true;
            }
            let this = match &param.ty.kind {
                TypeKind::Unknown => true,
                _ => param.ty.ident().is_some_and(|name| name == "Self"),
            };
            let ty = if this { &info.ast.self_type } else { &param.ty };
            let reference = param.ty.reference || ty.reference;
            let generic = |name| callee.generics.get(name, Namespace::Type).is_some();
            match self.is_reference(value) {
                Some(true) => reference || ty.ident().is_some_and(generic),
                Some(false) => !reference,
                None => true,
            }
        })
    }

    /// Returns the program's function for an operator, if there is one. An integer has a type by
    /// which one can be chosen.
    fn operator_function(
        &mut self,
        method: (&str, &str),
        left: &Value,
        right: Option<&Value>,
        span: Span,
    ) -> Eval<Option<Callee>> {
        let ty = match left {
            Value::Int(_, ty) => Ty::Int(self.found(*ty)),
            left => self.bounded_type(left.ty(), span)?,
        };
        let operands: Vec<Value> = [Some(left), right].into_iter().flatten().cloned().collect();
        let callee = self.implementation_for(method, &ty, &operands, span)?;
        drop(operands);
        match ty {
            Ty::Int(ty) if callee.is_some() && ty.is_none_or(IntType::is_open) => fail_help(
                span,
                "which operator is meant depends on the integer's type, which is not known here",
                "write the type: `1usize`, or `let n: usize = ..`",
            ),
            _ => Ok(callee),
        }
    }

    /// Calls a function for an operator with these operands.
    pub(super) fn call_operator(
        &mut self,
        callee: Callee,
        operands: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let mut arguments = Vec::with_capacity(operands.len());
        for (param, value) in callee.function.params.iter().zip(operands) {
            let ty = self.integers_of(&param.ty, callee.module, &callee.generics)?;
            let value = self.settle(value, &ty, span)?;
            arguments.push(Argument::new(value, None));
        }
        self.invoke(callee, arguments, span)
    }

    /// Evaluates `left op right` by a function of the program. `None` if it has none for these
    /// types.
    pub(super) fn user_operator(
        &mut self,
        op: BinaryOp,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Eval<Option<Value>> {
        match op.method() {
            Some(method) => self.user_function(method, left, right, span),
            None => Ok(None),
        }
    }

    /// Calls the program's function of a standard trait with two operands, if there is one.
    pub(super) fn user_function(
        &mut self,
        method: (&str, &str),
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Eval<Option<Value>> {
        let Some(callee) = self.operator_function(method, left, Some(right), span)? else {
            return Ok(None);
        };
        let operands = vec![left.clone(), right.clone()];
        self.call_operator(callee, operands, span).map(Some)
    }

    /// Evaluates `!value` or `-value` by a function of the program.
    pub(super) fn user_unary(&mut self, op: UnaryOp, value: Value, span: Span) -> Eval<Value> {
        let (of, name, sign) = match op {
            UnaryOp::Negate => ("Neg", "neg", "-"),
            UnaryOp::Not => ("Not", "not", "!"),
        };
        match self.operator_function((of, name), &value, None, span)? {
            Some(callee) => self.call_operator(callee, vec![value], span),
            None if matches!(value, Value::Struct(..)) => self.no_operator(sign, of, &value, span),
            None => fail(span, format!("`{sign}` does not apply to {value}")),
        }
    }

    /// Evaluates `place op= value` by a function of the program. Returns `false` if the operator is
    /// the language's own, since both sides are of its types.
    pub(super) fn assign_operator(
        &mut self,
        op: BinaryOp,
        place: &Place,
        value: &Value,
        span: Span,
    ) -> Eval<bool> {
        let old = self.read_place(place)?;
        let Some((of, name)) = op.method() else {
            return Ok(false);
        };
        if old.parts().is_none() && value.parts().is_none() {
            return Ok(false);
        }
        let (of, name) = (format!("{of}Assign"), format!("{name}_assign"));
        let found = self.operator_function((&of, &name), &old, Some(value), span)?;
        let Some(callee) = found else {
            return self.no_operator(&format!("{}=", op.sign()), &of, &old, span);
        };
        let mut arguments = vec![Argument::new(old, Some(place.part_of(&[])))];
        if let Some(param) = callee.function.params.get(1) {
            let ty = self.integers_of(&param.ty, callee.module, &callee.generics)?;
            let value = self.settle(value.clone(), &ty, span)?;
            arguments.push(Argument::new(value, None));
        }
        self.invoke(callee, arguments, span)?;
        Ok(true)
    }

    /// Returns the error for an operator that a type of the program does not have.
    pub(super) fn no_operator<T>(
        &self,
        sign: &str,
        of: &str,
        value: &Value,
        span: Span,
    ) -> Eval<T> {
        let ty = self.shown_type(&value.ty());
        fail_help(
            span,
            format!("`{ty}` has no `{sign}` for these operands"),
            format!("write `impl std::ops::{of} for {ty}`"),
        )
    }

    /// Evaluates `Trait::function(..)` of a standard trait, such as `Default::default()`.
    pub(super) fn standard_call(
        &mut self,
        of: Symbol,
        path: &Path,
        arguments: &[Expr],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let name = path.segments.last().map_or(of, |last| last.name);
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.expr(argument)?;
            self.check_move(argument, &value)?;
            values.push(value);
        }
        self.at(span);
        let (of, name) = (of.text(), name.text());
        let unary = match (&*of, &*name) {
            ("Neg", "neg") => Some(UnaryOp::Negate),
            ("Not", "not") => Some(UnaryOp::Not),
            _ => None,
        };
        let called = (&*of, &*name);
        let mut operators = OPERATORS.iter();
        let binary = operators.find(|op| op.method() == Some(called));
        match (values.as_slice(), unary, binary) {
            ([], ..) if called == ("Default", "default") => self.default_value(expected, span),
            ([value], ..) if matches!(called, ("From", "from") | ("Into", "into")) => {
                self.converted(value.clone(), expected, span)
            }
            ([value], Some(op), _) => self.unary(op, value.clone(), span),
            ([left, right], _, Some(op)) => self.binary(*op, left.clone(), right.clone(), span),
            ([first, rest @ ..], ..) if matches!(&*of, "PartialEq" | "PartialOrd" | "Ord") => {
                match self.comparison_method(first, &name, rest, span)? {
                    Some(value) => Ok(value),
                    None => fail(span, format!("`{of}` has no `{name}` in the subset")),
                }
            }
            _ => fail(span, format!("`{of}::{name}` does not apply here")),
        }
    }
}
