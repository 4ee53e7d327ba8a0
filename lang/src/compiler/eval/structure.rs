//! Values of structs and of enums' variants.

use std::rc::Rc;

use super::generics::Generics;
use super::*;
use crate::compiler::value::{Held, StructId, Structure};

impl Evaluator<'_> {
    pub(super) fn structure(
        &mut self,
        path: &Path,
        fields: &[(Symbol, Expr)],
        base: Option<&Expr>,
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let Some((id, variant, generics)) = self.variant_named(path, Namespace::Type)? else {
            return fail(path.span, "this is neither a struct nor a variant");
        };
        let info = &self.items.structs[id];
        let (ast, module) = (info.ast.variant(variant), info.module);
        let bound = self.expected_generics(id, &generics, expected);
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
            self.expected = Ty::Struct(id, bound.arguments());
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
        if let Some(missing) = values.iter().position(Option::is_none) {
            let (name, _) = &ast.fields[missing];
            return fail(span, format!("the field `{name}` is missing"));
        }
        let fields = values.into_iter().flatten().collect();
        self.make_variant(id, variant, generics, fields, expected, span)
    }

    /// Returns what generic parameters stand for, as far as arguments and the expected type tell.
    fn expected_generics(&self, id: StructId, arguments: &[Ty], expected: &Ty) -> Generics {
        let params = &self.items.structs[id].ast.generics;
        let mut bound = Generics::of(params, arguments.iter().cloned());
        if let Ty::Struct(other, known) = expected
            && *other == id
        {
            for (param, known) in params.iter().zip(known.iter()) {
                bound.bind(param.name, generics::kind(param.constant), known);
            }
        }
        bound
    }

    fn new_structure(
        &self,
        id: StructId,
        variant: usize,
        generics: Rc<[Ty]>,
        fields: Vec<Value>,
    ) -> Structure {
        // `S<T>` may be `Copy` for some `T` only.
        let single = !self.is_copy(id) || fields.iter().any(|field| self.is_owned(field));
        Structure {
            id,
            generics,
            variant,
            fields,
            single,
        }
    }

    /// Builds a structure. Its generic arguments are completed from its fields and from the
    /// expected type.
    pub(super) fn make_variant(
        &mut self,
        id: StructId,
        variant: usize,
        generics: Rc<[Ty]>,
        mut fields: Vec<Value>,
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let info = &self.items.structs[id];
        let declared = &info.ast.variant(variant).fields;
        let mut bound = Generics::of(&info.ast.generics, generics.iter().cloned());
        if !bound.is_known() {
            let header = unify::Header::of(info.module, false);
            for (value, (_, pattern)) in fields.iter().zip(declared) {
                let ty = self.bounded_type(value.ty(), span)?;
                self.unify(pattern, &ty, &header, &mut bound)?;
            }
            bound = self.expected_generics(id, &bound.arguments(), expected);
            // The literal of one field may have the type of another field.
            for (field, (_, ty)) in fields.iter_mut().zip(declared) {
                let ty = self.integers_of(ty, info.module, &bound)?;
                *field = self.settle(field.clone(), &ty, span)?;
            }
        }
        let generics = bound.arguments();
        let this = self.bounded_type(Ty::Struct(id, generics.clone()), span)?;
        self.within(span, info.module, bound, Some(this), None, |this| {
            let mut declared = declared.iter().zip(&fields);
            declared.try_for_each(|((_, ty), value)| this.check_type(value, ty, span))
        })?;
        let structure = self.new_structure(id, variant, generics, fields);
        self.bounded(Value::Struct(Rc::new(structure), Held::Owned), span)
    }

    /// Evaluates `S(..)`.
    pub(super) fn tuple_structure(
        &mut self,
        id: StructId,
        variant: usize,
        generics: Rc<[Ty]>,
        arguments: &[Expr],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let info = &self.items.structs[id];
        let (ast, module) = (info.ast.variant(variant), info.module);
        if ast.named {
            let message = format!("the fields of `{}` have names", ast.name);
            return fail(span, message);
        }
        if arguments.len() != ast.fields.len() {
            return fail(span, "wrong number of fields");
        }
        let bound = self.expected_generics(id, &generics, expected);
        let mut fields = Vec::with_capacity(arguments.len());
        for (index, (argument, (_, ty))) in arguments.iter().zip(&ast.fields).enumerate() {
            self.check_field(id, index, argument.span)?;
            let ty = self.integers_of(ty, module, &bound)?;
            fields.push(self.moved(argument, ty)?);
        }
        self.make_variant(id, variant, generics, fields, expected, span)
    }
}
