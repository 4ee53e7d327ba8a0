//! Expressions.

use std::rc::Rc;

use super::*;
use crate::compiler::value::Structure;
use place::Located;

/// Returns the type that is expected of the elements of an array.
fn element_type(expected: &Ty) -> Ty {
    match expected {
        Ty::Array(element, _) | Ty::Vec(element) => (**element).clone(),
        _ => Ty::Unknown,
    }
}

/// Returns the expected type if it is an integer. Operators of field elements may have operands of
/// two types.
fn integer_only(expected: Ty) -> Ty {
    match expected {
        Ty::Int(_) => expected,
        _ => Ty::Unknown,
    }
}

fn is_wild(target: &Expr) -> bool {
    match &target.kind {
        ExprKind::Path(path) => path.ident().is_some_and(|name| &*name.text() == "_"),
        _ => false,
    }
}

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
    pub(super) fn expr(&mut self, expr: &Expr) -> Eval<Value> {
        self.nested(expr.span, |this| this.expr_at(expr))
    }

    fn expr_at(&mut self, expr: &Expr) -> Eval<Value> {
        let expected = std::mem::replace(&mut self.expected, Ty::Unknown);
        match &expr.kind {
            ExprKind::Int(value, suffix) => {
                let ty = match (suffix, &expected) {
                    (None, Ty::Int(ty)) => *ty,
                    (suffix, _) => *suffix,
                };
                integer::settle(Value::Int(*value, None), &Ty::Int(ty), expr.span)
            }
            ExprKind::Bool(value) => Ok(Value::Bool(*value)),
            ExprKind::Text => Ok(Value::Text),
            ExprKind::Path(path) => self.path_value(path),
            ExprKind::Deref(inner) => match self.locate(inner)? {
                Located::Place(place) => self.read_place(&place),
                Located::Value(value) => Ok(value),
            },
            ExprKind::Unary(op, inner) => {
                let value = self.expr_of(inner, integer_only(expected))?;
                self.at(expr.span);
                self.unary(*op, value, expr.span)
            }
            ExprKind::Binary(op, left, right) => {
                self.binary_expr(*op, left, right, expected, expr.span)
            }
            ExprKind::Assign(target, value) => self.assign(target, value),
            ExprKind::AssignOp(op, target, value) => self.assign_op(*op, target, value, expr.span),
            ExprKind::Call(path, arguments) => self.call(path, arguments, expected, expr.span),
            ExprKind::MethodCall(receiver, name, turbofish, arguments) => {
                self.method_call(receiver, *name, turbofish, arguments, expr.span)
            }
            ExprKind::Field(..) | ExprKind::TupleField(..) | ExprKind::Index(..) => {
                self.projection(expr)
            }
            ExprKind::Struct(path, fields, base) => {
                self.structure(path, fields, base.as_deref(), &expected, expr.span)
            }
            ExprKind::Tuple(values) => {
                let types = match &expected {
                    Ty::Tuple(types) if types.len() == values.len() => types.to_vec(),
                    _ => vec![Ty::Unknown; values.len()],
                };
                let values = values.iter().zip(types);
                let values = values.map(|(value, ty)| self.expr_of(value, ty));
                let values = Value::Tuple(Rc::new(values.collect::<Eval<_>>()?));
                self.bounded_type(values.ty(), expr.span)?;
                self.bounded(values, expr.span)
            }
            ExprKind::Array(values) => {
                let values = self.elements_of(values, &expected)?;
                self.bounded(Value::Array(values), expr.span)
            }
            ExprKind::Vec(values) => {
                let values = self.elements_of(values, &expected)?;
                self.bounded(Value::Vec(values), expr.span)
            }
            ExprKind::VecRepeat(value, length) => {
                let value = self.expr_of(value, element_type(&expected))?;
                let length = self.int(length)?;
                // The value is cloned for all elements but the last.
                let values = self.repeat(value, length, length > 1, expr.span)?;
                self.bounded(Value::Vec(values), expr.span)
            }
            ExprKind::Repeat(value, length) => {
                let length = self.int(length)?;
                let value = self.expr_of(value, element_type(&expected))?;
                let values = self.repeat(value, length, length != 1, expr.span)?;
                self.bounded(Value::Array(values), expr.span)
            }
            ExprKind::Range(start, end, closed) => {
                let (Some(start), Some(end)) = (start, end) else {
                    return fail(expr.span, "a range needs both bounds");
                };
                // The type expected of a range is expected of its ends.
                self.range(start, end, *closed, expected, expr.span)
            }
            ExprKind::If(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise.as_deref(), expected, expr.span)
            }
            ExprKind::Match(value, arms) => self.matching(value, arms, &expected, expr.span),
            ExprKind::Block(block) => {
                self.expected = expected;
                self.block(block)
            }
            ExprKind::For(pattern, iterator, body) => {
                self.for_loop(pattern, iterator, body, expr.span)
            }
            ExprKind::While(condition, body) => self.while_loop(condition, body, expr.span),
            ExprKind::Return(value) => {
                let value = match value {
                    Some(value) => {
                        self.expected = self.output_type()?;
                        self.expr(value)?
                    }
                    None => Value::unit(),
                };
                Err(Flow::Return(value))
            }
            ExprKind::Break => Err(Flow::Break),
            ExprKind::Continue => Err(Flow::Continue),
            ExprKind::RefMut(_) => fail_help(
                expr.span,
                "`&mut` is only for arguments",
                "pass `&mut place` to a function, or return the new value",
            ),
            ExprKind::Cast(inner, ty) => self.cast(inner, ty, expr.span),
            ExprKind::Assert(condition, message) => {
                let value = self.condition(condition)?;
                self.at(expr.span);
                let result = self.assert(value, expr.span);
                assertion::with_message(result, message.as_deref())
            }
            ExprKind::AssertEq(left, right, equal, message) => {
                let (left, right) = self.operands(left, right)?;
                self.at(expr.span);
                let result = match equal {
                    true => self.assert_equal(&left, &right, expr.span),
                    false => self.assert_different(&left, &right, expr.span),
                };
                assertion::with_message(result, message.as_deref())
            }
            ExprKind::Panic => fail(expr.span, "this macro is reached at compile time"),
        }
    }

    fn elements_of(&mut self, values: &[Expr], expected: &Ty) -> Eval<Rc<Vec<Value>>> {
        let element = element_type(expected);
        let values = values.iter();
        let values = values.map(|value| self.expr_of(value, element.clone()));
        Ok(Rc::new(values.collect::<Eval<_>>()?))
    }

    fn repeat(
        &mut self,
        value: Value,
        length: u64,
        copied: bool,
        span: Span,
    ) -> Eval<Rc<Vec<Value>>> {
        self.charge(length, span)?;
        if copied {
            self.can_copy(&value, span)?;
        }
        Ok(Rc::new(vec![value; length as usize]))
    }

    fn matching(
        &mut self,
        value: &Expr,
        arms: &[(Pattern, Option<Expr>, Expr)],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let value = self.expr(value)?;
        for (pattern, guard, body) in arms {
            let mark = self.here().vars.len();
            let mut matches = self.try_match(pattern, &value)?;
            if let (true, Some(guard)) = (matches, guard) {
                if alternatives(&pattern.kind) && !effects::is_total(guard) {
                    return fail_help(
                        guard.span,
                        "this guard may run once for each alternative that matches",
                        "write an arm for each alternative",
                    );
                }
                matches = match self.condition(guard)? {
                    control::Condition::Known(holds) => holds,
                    _ => {
                        return fail_help(
                            guard.span,
                            "a `match` and its guards are decided at compile time",
                            "write `if` inside the arm",
                        );
                    }
                };
            }
            if matches {
                self.expected = expected.clone();
                let result = self.expr(body)?;
                self.here().vars.truncate(mark);
                return Ok(result);
            }
            self.here().vars.truncate(mark);
        }
        fail(span, "no arm matches this value")
    }

    /// Evaluates `target = value`. As in Rust, the value is first.
    fn assign(&mut self, target: &Expr, value: &Expr) -> Eval<Value> {
        if let ExprKind::Tuple(targets) = &target.kind {
            return self.assign_tuple(targets, value);
        }
        let ty = match self.glance(target) {
            Some(old) => old.ty(),
            None => Ty::Unknown,
        };
        let value = self.expr_of(value, ty)?;
        if !is_wild(target) {
            let place = self.target(target)?;
            self.write_place(&place, value)?;
        }
        Ok(Value::unit())
    }

    /// Evaluates `target op= value`. For built-in types Rust evaluates the value first, for all
    /// others the target.
    fn assign_op(&mut self, op: BinaryOp, target: &Expr, value: &Expr, span: Span) -> Eval<Value> {
        let (old, value, place) = match self.glance(target) {
            Some(old @ (Value::Int(..) | Value::Bool(_) | Value::Flag(_))) => {
                self.expected = match op {
                    BinaryOp::Shl | BinaryOp::Shr => Ty::Unknown,
                    _ => old.ty(),
                };
                // The value is first only if the operator is the language's own. It is not in
                // generic code, or if the value is a reference.
                let in_any_order = effects::is_total(target) && effects::is_total(value);
                if !(effects::is_fixed(target) || in_any_order) {
                    return fail_help(
                        span,
                        "which side is evaluated first depends on which operator is meant",
                        "give the index or the value a name with `let`",
                    );
                }
                let value = self.expr(value)?;
                let place = self.target(target)?;
                (self.read_place(&place)?, value, place)
            }
            _ => {
                let place = self.target(target)?;
                let value = self.expr(value)?;
                (self.read_place(&place)?, value, place)
            }
        };
        self.at(span);
        let new = self.binary(op, old, value, span)?;
        self.write_place(&place, new)?;
        Ok(Value::unit())
    }

    fn assign_tuple(&mut self, targets: &[Expr], value: &Expr) -> Eval<Value> {
        let types = targets.iter().map(|target| match self.glance(target) {
            Some(old) => old.ty(),
            None => Ty::Unknown,
        });
        let types = types.collect();
        let Value::Tuple(values) = self.expr_of(value, Ty::Tuple(types))? else {
            return fail(value.span, "a tuple is expected here");
        };
        if values.len() != targets.len() {
            return fail(value.span, "the tuples have different lengths");
        }
        for (target, value) in targets.iter().zip(values.iter()) {
            if !is_wild(target) {
                let place = self.target(target)?;
                self.write_place(&place, value.clone())?;
            }
        }
        Ok(Value::unit())
    }

    /// Evaluates two operands, the left one first. If they are integers, they have one type.
    pub(super) fn operands(&mut self, left: &Expr, right: &Expr) -> Eval<(Value, Value)> {
        let left = self.expr(left)?;
        if let Value::Int(_, ty) = left {
            self.expected = Ty::Int(ty);
        }
        let right = self.expr(right)?;
        Ok((left, right))
    }

    fn binary_expr(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        expected: Ty,
        span: Span,
    ) -> Eval<Value> {
        use BinaryOp as Op;
        let (value, right) = match op {
            Op::And | Op::Or => return self.lazy(op, left, right, span),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => self.operands(left, right)?,
            Op::Shl | Op::Shr => {
                let expected = integer_only(expected);
                let left = self.expr_of(left, expected)?;
                (left, self.expr(right)?)
            }
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::Rem
            | Op::BitAnd
            | Op::BitOr
            | Op::BitXor => {
                let expected = integer_only(expected);
                let left = self.expr_of(left, expected.clone())?;
                let expected = match left {
                    Value::Int(_, Some(ty)) => Ty::Int(Some(ty)),
                    Value::Int(_, None) => expected,
                    _ => Ty::Unknown,
                };
                (left, self.expr_of(right, expected)?)
            }
        };
        self.at(span);
        self.binary(op, value, right, span)
    }

    /// Evaluates `&&` or `||`. Rust does not evaluate the right side if the left one decides, so
    /// this is a branch, unless evaluating it makes no difference.
    fn lazy(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Eval<Value> {
        let decides = op == BinaryOp::Or;
        if !effects::is_total(right) {
            let condition = self.condition(left)?;
            return self.branch(condition, span, |this, holds| match holds == decides {
                true => Ok(Value::Bool(decides)),
                false => this.expr(right),
            });
        }
        let left = match self.expr(left)? {
            Value::Bool(value) if value == decides => return Ok(Value::Bool(decides)),
            left => left,
        };
        let right = self.expr(right)?;
        self.at(span);
        self.binary(op, left, right, span)
    }

    pub(super) fn path_value(&mut self, path: &Path) -> Eval<Value> {
        if let Some(name) = path.ident() {
            if let Some(value) = self.local_constant(name)? {
                return Ok(value);
            }
            if let Some(slot) = self.slot(name) {
                let here = self.here();
                if here.borrowed.contains(&slot) {
                    return fail_help(
                        path.span,
                        format!("`{name}` is a mutable reference, which cannot be kept or copied"),
                        format!("write `*{name}` for its value, or pass it to a `&mut` parameter"),
                    );
                }
                return match &here.vars[slot] {
                    Value::Lent => fail(path.span, format!("`{name}` has no value here")),
                    value => Ok(value.clone()),
                };
            }
            match self.constant_parameter(name) {
                Some(Ty::Const(value)) => return Ok(Value::Int(*value, Some(IntType::Usize))),
                Some(Ty::ConstBool(value)) => return Ok(Value::Bool(*value)),
                Some(_) => {
                    return fail_help(
                        path.span,
                        format!("cannot tell the value of `{name}`"),
                        "give it with a turbofish, `::<..>`",
                    );
                }
                None => {}
            }
        }
        let module = self.module();
        let own = self.is_of_items(path);
        if own && let Some((definition, used)) = self.items.path(module, path, Namespace::Value)? {
            let whole = used == path.segments.len();
            match definition {
                Definition::Const(defined_in, constant) if whole => {
                    let generics = Generics::default();
                    return self.constant(&constant, defined_in, generics, None, None);
                }
                Definition::Struct(id) if whole => {
                    let params = &self.items.structs[id].ast.generics;
                    let generics = self.open(params, &path.segments[used - 1].generics)?;
                    return self.unit_structure(id, generics.arguments(), path.span);
                }
                Definition::Intrinsic(name) if whole && &*name.text() == "PhantomData" => {
                    return Ok(Value::Phantom);
                }
                Definition::Function(..) => {
                    return fail(path.span, "functions are not values in the subset");
                }
                _ => {}
            }
        } else if own && path.segments.len() == 1 {
            let name = path.segments[0].name;
            return missing(&format!("`{name}` here"), name, path.span);
        }
        let last = path.segments.len() - 1;
        if last == 0 && path.qualified.is_none() {
            if &*path.segments[0].name.text() == "Self"
                && let Some(Ty::Struct(id, generics)) = self.here().self_type.clone()
            {
                return self.unit_structure(id, generics, path.span);
            }
            let name = path.segments[0].name;
            return fail(path.span, format!("`{name}` is not a value"));
        }
        let ty = self.path_prefix_type(path, last)?;
        let prefix = self.prefix(path, last)?;
        let name = path.segments[last].name;
        match self.constant_candidate(&prefix, &ty, name, path.span)? {
            Some(candidate) => {
                let owner = candidate.owner();
                let generics = self.owner_generics(owner, &candidate.generics, &ty)?;
                let (constant, module) = (candidate.item.item, candidate.item.module);
                self.constant(&constant, module, generics, Some(ty), Some(owner))
            }
            None => match intrinsic::constant(&ty, &name.text()) {
                Some(value) => Ok(value),
                None => fail(
                    path.span,
                    format!("there is no constant `{name}` of this type"),
                ),
            },
        }
    }

    fn unit_structure(&self, id: usize, generics: Rc<[Ty]>, span: Span) -> Eval<Value> {
        let ast = &self.items.structs[id].ast;
        match ast.unit {
            true => Ok(Value::Struct(Rc::new(Structure {
                id,
                generics,
                fields: Vec::new(),
            }))),
            false => fail(
                span,
                format!("`{}` has fields, and is not a value", ast.name),
            ),
        }
    }

    /// Evaluates a field or an element. If it belongs to a variable, the rest is not copied.
    fn projection(&mut self, expr: &Expr) -> Eval<Value> {
        match self.locate(expr)? {
            Located::Place(place) => self.read_place(&place),
            Located::Value(value) => Ok(value),
        }
    }

    fn structure(
        &mut self,
        path: &Path,
        fields: &[(Symbol, Expr)],
        base: Option<&Expr>,
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let Ty::Struct(id, generics) = self.path_type(path)? else {
            return fail(path.span, "this is not a struct");
        };
        let (ast, module) = (
            self.items.structs[id].ast.clone(),
            self.items.structs[id].module,
        );
        let bound = Generics::of(&ast.generics, generics.iter().cloned());
        let mut values: Vec<Option<Value>> = vec![None; ast.fields.len()];
        for (name, expr) in fields {
            let Some(index) = ast.fields.iter().position(|(field, _)| field == name) else {
                return fail(expr.span, format!("`{}` has no field `{name}`", ast.name));
            };
            let ty = self.integers_of(&ast.fields[index].1, module, &bound)?;
            values[index] = Some(self.expr_of(expr, ty)?);
        }
        if let Some(base) = base {
            let Value::Struct(structure) = self.expr(base)? else {
                return fail(base.span, "this is not a struct");
            };
            for (value, old) in values.iter_mut().zip(&structure.fields) {
                value.get_or_insert_with(|| old.clone());
            }
        }
        let mut complete = Vec::with_capacity(values.len());
        for (value, (name, _)) in values.into_iter().zip(&ast.fields) {
            match value {
                Some(value) => complete.push(value),
                None => return fail(span, format!("the field `{name}` is missing")),
            }
        }
        self.build_structure(id, generics, complete, expected, span)
    }

    /// Builds a structure. Its generic arguments are completed from its fields and from the
    /// expected type.
    pub(super) fn build_structure(
        &mut self,
        id: usize,
        generics: Rc<[Ty]>,
        fields: Vec<Value>,
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let info = &self.items.structs[id];
        let mut bound = Generics::of(&info.ast.generics, generics.iter().cloned());
        if !bound.is_known() {
            let header = super::unify::Header {
                module: info.module,
                self_type: None,
                lengths: false,
            };
            for (value, (_, pattern)) in fields.iter().zip(&info.ast.fields) {
                self.unify(pattern, &value.ty(), &header, &mut bound)?;
            }
            if let Ty::Struct(other, known) = expected
                && *other == id
            {
                for (param, known) in info.ast.generics.iter().zip(known.iter()) {
                    bound.bind(param.name, generics::kind(param.constant), known);
                }
            }
        }
        let generics = bound.arguments();
        self.bounded_type(Ty::Struct(id, generics.clone()), span)?;
        let structure = Structure {
            id,
            generics,
            fields,
        };
        self.bounded(Value::Struct(Rc::new(structure)), span)
    }
}
