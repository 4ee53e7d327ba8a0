//! Values of structs.

use std::rc::Rc;

use super::generics::Generics;
use super::*;
use crate::compiler::value::{Held, Structure};

impl Evaluator<'_> {
    pub(super) fn structure(
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
        let info = &self.items.structs[id];
        let (ast, module) = (info.ast.clone(), info.module);
        let bound = Generics::of(&ast.generics, generics.iter().cloned());
        let mut values: Vec<Option<Value>> = vec![None; ast.fields.len()];
        for (name, expr) in fields {
            let Some(index) = ast.fields.iter().position(|(field, _)| field == name) else {
                return fail(expr.span, format!("`{}` has no field `{name}`", ast.name));
            };
            self.check_field(id, index, expr.span)?;
            let ty = self.integers_of(&ast.fields[index].1, module, &bound)?;
            values[index] = Some(self.moved(expr, ty)?);
        }
        if let Some(base) = base {
            let value = self.expr(base)?;
            let (of, held) = match &value {
                Value::Struct(of, held) if of.id == id => (of.clone(), *held),
                _ => return self.mismatched(&ast.name.text(), &value, base.span),
            };
            for (index, (value, old)) in values.iter_mut().zip(&of.fields).enumerate() {
                if value.is_none() {
                    self.check_field(id, index, base.span)?;
                    *value = Some(self.part(old, held));
                    self.move_field(base, index, old)?;
                }
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

    pub(super) fn new_structure(
        &self,
        id: usize,
        generics: Rc<[Ty]>,
        fields: Vec<Value>,
    ) -> Structure {
        // `S<T>` may be `Copy` for some `T` only.
        let single = !self.is_copy(id) || fields.iter().any(|field| self.is_owned(field));
        Structure {
            id,
            generics,
            fields,
            single,
        }
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
            let header = unify::Header::of(info.module, false);
            for (value, (_, pattern)) in fields.iter().zip(&info.ast.fields) {
                let ty = self.bounded_type(value.ty(), span)?;
                self.unify(pattern, &ty, &header, &mut bound)?;
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
        let this = self.bounded_type(Ty::Struct(id, generics.clone()), span)?;
        self.within(span, info.module, bound, Some(this), None, |this| {
            let declared = info.ast.fields.iter();
            let mut declared = declared.zip(&fields);
            declared.try_for_each(|((_, ty), value)| this.check_type(value, ty, span))
        })?;
        let structure = self.new_structure(id, generics, fields);
        self.bounded(Value::Struct(Rc::new(structure), Held::Owned), span)
    }

    pub(super) fn tuple_structure(
        &mut self,
        id: usize,
        generics: Rc<[Ty]>,
        arguments: &[Expr],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let info = &self.items.structs[id];
        let (ast, module) = (info.ast.clone(), info.module);
        if ast.named {
            let message = format!("the fields of `{}` have names", ast.name);
            return fail(span, message);
        }
        if arguments.len() != ast.fields.len() {
            return fail(span, "wrong number of fields");
        }
        let bound = Generics::of(&ast.generics, generics.iter().cloned());
        let mut fields = Vec::with_capacity(arguments.len());
        for (index, (argument, (_, ty))) in arguments.iter().zip(&ast.fields).enumerate() {
            self.check_field(id, index, argument.span)?;
            let ty = self.integers_of(ty, module, &bound)?;
            fields.push(self.moved(argument, ty)?);
        }
        self.build_structure(id, generics, fields, expected, span)
    }
}
