//! Expressions.

use std::rc::Rc;

use super::*;
use crate::compiler::value::Structure;

impl Evaluator<'_> {
    /// A compile-time integer.
    pub(super) fn int(&mut self, expr: &Expr) -> Eval<u64> {
        match self.expr(expr)? {
            Value::Int(value) => Ok(value),
            other => {
                let found = other.describe();
                fail_help(
                    expr.span,
                    format!("expected an integer known at compile time, found {found}"),
                    "run-time indices are `Index<N>`, run-time loop bounds go through `count_to`",
                )
            }
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Eval<Value> {
        if self.depth > MAX_NESTING {
            return fail(expr.span, "expressions and calls are nested too deeply");
        }
        self.depth += 1;
        let result = self.expr_at(expr);
        self.depth -= 1;
        result
    }

    fn expr_at(&mut self, expr: &Expr) -> Eval<Value> {
        let expected = std::mem::replace(&mut self.expected, Ty::Unknown);
        match &expr.kind {
            ExprKind::Int(value) => Ok(Value::Int(*value)),
            ExprKind::Bool(value) => Ok(Value::Bool(*value)),
            ExprKind::Text => Ok(Value::Text),
            ExprKind::Path(path) => self.path_value(path),
            ExprKind::Unary(op, inner) => {
                let value = self.expr(inner)?;
                self.at(expr.span);
                self.unary(*op, value, expr.span)
            }
            ExprKind::Binary(op, left, right) => self.binary_expr(*op, left, right, expr.span),
            ExprKind::Assign(target, value) => {
                if let ExprKind::Tuple(targets) = &target.kind {
                    return self.assign_tuple(targets, value);
                }
                let value = self.expr(value)?;
                if let ExprKind::Path(path) = &target.kind
                    && path.ident().is_some_and(|name| &*name.text() == "_")
                {
                    return Ok(Value::unit());
                }
                match self.place(target)? {
                    Some(place) => self.write_place(&place, value)?,
                    None => return fail(target.span, "this cannot be assigned to"),
                }
                Ok(Value::unit())
            }
            ExprKind::AssignOp(op, target, value) => {
                let value = self.expr(value)?;
                let Some(place) = self.place(target)? else {
                    return fail(target.span, "this cannot be assigned to");
                };
                let old = self.read_place(&place)?;
                if let Value::Struct(_) = old {
                    return fail_help(
                        expr.span,
                        "assigning operators of structs are not in the subset",
                        "write `a = a + b`",
                    );
                }
                self.at(expr.span);
                let new = self.binary(*op, old, value, expr.span)?;
                self.write_place(&place, new)?;
                Ok(Value::unit())
            }
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
            ExprKind::Tuple(values) => Ok(Value::Tuple(Rc::new(self.exprs(values)?))),
            ExprKind::Array(values) => Ok(Value::Array(Rc::new(self.exprs(values)?))),
            ExprKind::Repeat(value, length) => {
                let length = self.int(length)?;
                if length > 1 << 20 {
                    return fail(expr.span, "the array is too long");
                }
                let value = self.expr(value)?;
                Ok(Value::Array(Rc::new(vec![value; length as usize])))
            }
            ExprKind::Range(start, end, closed) => {
                let (Some(start), Some(end)) = (start, end) else {
                    return fail(expr.span, "a range needs both bounds");
                };
                let (start, end) = (self.int(start)?, self.int(end)?);
                match end.checked_add(u64::from(*closed)) {
                    Some(end) => Ok(Value::Range(start, end)),
                    None => fail(expr.span, "this range has no end"),
                }
            }
            ExprKind::If(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise.as_deref(), expr.span)
            }
            ExprKind::Match(value, arms) => {
                let value = self.expr(value)?;
                for (pattern, guard, body) in arms {
                    let mark = self.here().vars.len();
                    let mut matches = self.try_match(pattern, &value)?;
                    if let (true, Some(guard)) = (matches, guard) {
                        matches = matches!(self.expr(guard)?, Value::Bool(true));
                    }
                    if matches {
                        let result = self.expr(body)?;
                        self.here().vars.truncate(mark);
                        return Ok(result);
                    }
                    self.here().vars.truncate(mark);
                }
                fail(expr.span, "no arm matches this value")
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::For(pattern, iterator, body) => {
                self.for_loop(pattern, iterator, body, expr.span)
            }
            ExprKind::While(condition, body) => self.while_loop(condition, body, expr.span),
            ExprKind::Return(value) => {
                let value = match value {
                    Some(value) => self.expr(value)?,
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
            ExprKind::Cast(inner, ty) => {
                let ty = self.ty(ty)?;
                match (self.expr(inner)?, ty) {
                    (Value::Int(value), Ty::Int) => Ok(Value::Int(value)),
                    (Value::Bool(value), Ty::Int) => Ok(Value::Int(u64::from(value))),
                    _ => fail_help(
                        expr.span,
                        "casts are for integers known at compile time",
                        "make a field element of an integer with `felt(n)`",
                    ),
                }
            }
            ExprKind::Assert(condition) => {
                let value = self.condition(condition)?;
                self.at(expr.span);
                self.assert(value, expr.span)?;
                Ok(Value::unit())
            }
            ExprKind::AssertEq(left, right, equal) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                if self.has_user_equality(&left) || self.has_user_equality(&right) {
                    return fail_help(
                        expr.span,
                        "these are compared by the program's own `PartialEq`",
                        "write `assert!(a == b)`",
                    );
                }
                self.at(expr.span);
                match equal {
                    true => self.assert_equal(&left, &right, expr.span)?,
                    false => self.assert_different(&left, &right, expr.span)?,
                }
                Ok(Value::unit())
            }
            ExprKind::Panic => fail(expr.span, "this is reached at compile time"),
        }
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Eval<Vec<Value>> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn assign_tuple(&mut self, targets: &[Expr], value: &Expr) -> Eval<Value> {
        let Value::Tuple(values) = self.expr(value)? else {
            return fail(value.span, "a tuple is expected here");
        };
        if values.len() != targets.len() {
            return fail(value.span, "the tuples have different lengths");
        }
        for (target, value) in targets.iter().zip(values.iter()) {
            if let ExprKind::Path(path) = &target.kind
                && path.ident().is_some_and(|name| &*name.text() == "_")
            {
                continue;
            }
            match self.place(target)? {
                Some(place) => self.write_place(&place, value.clone())?,
                None => return fail(target.span, "this cannot be assigned to"),
            }
        }
        Ok(Value::unit())
    }

    fn binary_expr(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Eval<Value> {
        let left = self.expr(left)?;
        // Decided at compile time: the right side may not even make sense.
        match (op, &left) {
            (BinaryOp::And, Value::Bool(false)) => return Ok(Value::Bool(false)),
            (BinaryOp::Or, Value::Bool(true)) => return Ok(Value::Bool(true)),
            _ => {}
        }
        let right = self.expr(right)?;
        self.at(span);
        self.binary(op, left, right, span)
    }

    fn path_value(&mut self, path: &Path) -> Eval<Value> {
        if let Some(name) = path.ident() {
            match self.variable(name) {
                Some(Value::Lent) => {
                    return fail(path.span, format!("`{name}` has no value here"));
                }
                Some(value) => return Ok(value.clone()),
                None => {}
            }
            match self.generic(name) {
                Some(Ty::Const(value)) => return Ok(Value::Int(value)),
                Some(Ty::ConstBool(value)) => return Ok(Value::Bool(value)),
                Some(Ty::Unknown) => {
                    return fail_help(
                        path.span,
                        format!("cannot tell the value of `{name}`"),
                        "give it with a turbofish, `::<..>`",
                    );
                }
                _ => {}
            }
        }
        let module = self.module();
        let own = path.qualified.is_none()
            && &*path.segments[0].name.text() != "Self"
            && self.generic(path.segments[0].name).is_none();
        if own && let Some((definition, used)) = self.items.path(module, path, Namespace::Value)? {
            let whole = used == path.segments.len();
            match definition {
                Definition::Const(home, constant) if whole => {
                    return self.constant(&constant, home, Vec::new(), None, None);
                }
                Definition::Struct(id) if whole => {
                    let generics = self.path_type(path)?;
                    let generics = match generics {
                        Ty::Struct(_, generics) => generics,
                        _ => Rc::new([]),
                    };
                    return Ok(Value::Struct(Rc::new(Structure {
                        id,
                        generics,
                        fields: Vec::new(),
                    })));
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
            return fail(path.span, format!("there is no `{name}` here"));
        }
        let last = path.segments.len() - 1;
        if last == 0 && path.qualified.is_none() {
            if &*path.segments[0].name.text() == "Self"
                && let Some(Ty::Struct(id, generics)) = self.here().self_type.clone()
            {
                return Ok(Value::Struct(Rc::new(Structure {
                    id,
                    generics,
                    fields: Vec::new(),
                })));
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
                let generics = self.owner_generics(owner, &candidate.bindings, &ty)?;
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

    /// A field or an element; of a variable without copying the rest.
    fn projection(&mut self, expr: &Expr) -> Eval<Value> {
        if let Some(place) = self.place(expr)? {
            return self.read_place(&place);
        }
        match &expr.kind {
            ExprKind::Field(base, name) => match self.expr(base)? {
                Value::Struct(structure) => {
                    let index = self.field_index(&structure, *name, expr.span)?;
                    Ok(structure.fields[index].clone())
                }
                other => {
                    let found = other.describe();
                    fail(expr.span, format!("{found} has no field `{name}`"))
                }
            },
            ExprKind::TupleField(base, index) => {
                let base = self.expr(base)?;
                let field = match &base {
                    Value::Tuple(values) => values.get(*index),
                    Value::Struct(structure) => structure.fields.get(*index),
                    _ => None,
                };
                match field {
                    Some(value) => Ok(value.clone()),
                    None => {
                        let found = base.describe();
                        fail(expr.span, format!("{found} has no field {index}"))
                    }
                }
            }
            ExprKind::Index(base, index) => {
                let base = self.expr(base)?;
                let at = match self.expr(index)? {
                    Value::Int(at) => at as usize,
                    Value::Range(start, end) => {
                        if let Value::Array(values) = &base
                            && start <= end
                            && end <= values.len() as u64
                        {
                            let part = values[start as usize..end as usize].to_vec();
                            return Ok(Value::Array(Rc::new(part)));
                        }
                        return fail(index.span, "this range is outside of the array");
                    }
                    other => return place::not_an_index(&other, index.span),
                };
                match &base {
                    Value::Array(values) if at < values.len() => Ok(values[at].clone()),
                    Value::Array(values) => {
                        let length = values.len();
                        fail(
                            index.span,
                            format!("index {at} is out of range of an array of {length}"),
                        )
                    }
                    other => {
                        let found = other.describe();
                        fail(expr.span, format!("{found} cannot be indexed"))
                    }
                }
            }
            _ => fail(expr.span, "this is not a field or an element"),
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
        let ast = self.items.structs[id].ast.clone();
        let mut values: Vec<Option<Value>> = vec![None; ast.fields.len()];
        for (name, expr) in fields {
            let Some(index) = ast.fields.iter().position(|(field, _)| field == name) else {
                return fail(expr.span, format!("`{}` has no field `{name}`", ast.name));
            };
            values[index] = Some(self.expr(expr)?);
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
        self.build_structure(id, generics, complete, expected)
    }

    /// A structure, its generic arguments completed from its fields and from what is expected.
    pub(super) fn build_structure(
        &mut self,
        id: usize,
        generics: Rc<[Ty]>,
        fields: Vec<Value>,
        expected: &Ty,
    ) -> Eval<Value> {
        let mut generics = generics;
        if generics.iter().any(|ty| matches!(ty, Ty::Unknown)) {
            let items = self.items;
            let info = &items.structs[id];
            let names = info.ast.generics.iter().map(|param| param.name);
            let mut bindings: Vec<_> = names.zip(generics.iter().cloned()).collect();
            for (value, (_, pattern)) in fields.iter().zip(&info.ast.fields) {
                let header = super::unify::Header {
                    module: info.module,
                    params: &info.ast.generics,
                    self_type: None,
                    lengths: false,
                };
                self.unify(pattern, &value.ty(), &header, &mut bindings)?;
            }
            let output = match self.here().output.clone() {
                Some(ty) if bindings.iter().any(|(_, ty)| matches!(ty, Ty::Unknown)) => {
                    self.ty(&ty)?
                }
                _ => Ty::Unknown,
            };
            for hint in [expected, &output] {
                if let Ty::Struct(other, known) = hint
                    && *other == id
                {
                    for ((_, ty), known) in bindings.iter_mut().zip(known.iter()) {
                        if matches!(ty, Ty::Unknown) {
                            *ty = known.clone();
                        }
                    }
                }
            }
            generics = bindings.into_iter().map(|(_, ty)| ty).collect();
        }
        Ok(Value::Struct(Rc::new(Structure {
            id,
            generics,
            fields,
        })))
    }
}
