//! Variants: which one a path names, and values of the standard library's enums.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::carry::paired;
use super::generics::Generics;
use super::unify::{Header, Match, head};
use super::*;
use crate::compiler::value::{StructId, Structure};

/// What to write instead of a variable whose variant depends on a run.
pub(super) const KEEP_A_BOOL: &str =
    "a variant is known while compiling: keep a `bool` and a value, `(found, value)`";

/// What to write where the error of `?` may have to be converted.
const RETURN_ERROR: &str = "`match` the value, and write `return Err(..)` with the error's type";

/// A struct or enum, the number of its variant, and the generic arguments that a path gives it.
pub(super) type NamedVariant = (StructId, usize, Rc<[Ty]>);

impl Evaluator<'_> {
    /// Returns the variant that a path names, and the generic arguments that it has in the path. A
    /// struct is its own only variant. `S`, `S(..)` and the like are values, `S { .. }` is a type.
    pub(super) fn variant_named(
        &mut self,
        path: &Path,
        namespace: Namespace,
    ) -> Eval<Option<NamedVariant>> {
        let module = self.module();
        let named = if self.is_of_items(path) {
            self.items.path(module, path, namespace)?
        } else {
            None
        };
        let segments = &path.segments;
        let whole = |used: usize| used == segments.len();
        let (id, variant, arguments) = match named {
            Some((Definition::Struct(id), used))
                if whole(used) && !self.items.structs[id].ast.is_enum =>
            {
                (id, 0, &segments[used - 1].generics)
            }
            Some((Definition::Variant(id, variant), used)) if whole(used) => {
                // They follow the variant's name or the enum's.
                let last = &segments[used - 1].generics;
                let before = used.checked_sub(2).map(|index| &segments[index].generics);
                (
                    id,
                    variant,
                    before.filter(|_| last.is_empty()).unwrap_or(last),
                )
            }
            _ => return self.variant_of_type(path, namespace),
        };
        let params = self.items.structs[id].ast.clone();
        let generics = self.open(&params.generics, arguments)?.arguments();
        Ok(Some((id, variant, generics)))
    }

    /// Like [`Self::variant_named`], for paths that begin with a type: `Self`, `Self::A`, and
    /// `Alias::A`.
    fn variant_of_type(&mut self, path: &Path, namespace: Namespace) -> Eval<Option<NamedVariant>> {
        let length = path.segments.len();
        let is_self = path.qualified.is_none() && path.segments[0].name == "Self";
        let is_alias = || {
            let prefix = Path {
                qualified: None,
                segments: path.segments[..length - 1].to_vec(),
                span: path.span,
            };
            let found = self.items.path(self.module(), &prefix, Namespace::Type);
            matches!(found, Ok(Some((Definition::Alias(..), used))) if used == length - 1)
        };
        let of_type = match &path.qualified {
            Some(qualified) => length == 1 && qualified.1.is_none(),
            None if is_self => length == 2,
            None => length > 1 && self.is_of_items(path) && is_alias(),
        };
        if of_type && let Ty::Struct(id, generics) = self.path_prefix_type(path, length - 1)? {
            let name = path.segments[length - 1].name;
            let ast = &self.items.structs[id].ast;
            let mut variants = ast.variants.iter();
            if ast.is_enum
                && let Some(variant) = variants.position(|variant| variant.name == name)
            {
                return Ok(Some((id, variant, generics)));
            }
        }
        if (namespace == Namespace::Type || is_self && length == 1)
            && let Ty::Struct(id, generics) = self.path_type(path)?
            && !self.items.structs[id].ast.is_enum
        {
            return Ok(Some((id, 0, generics)));
        }
        Ok(None)
    }

    /// Returns the value of a variant without fields.
    pub(super) fn unit_variant(
        &mut self,
        id: StructId,
        variant: usize,
        generics: Rc<[Ty]>,
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let ast = self.items.structs[id].ast.variant(variant);
        if ast.unit {
            return self.make_variant(id, variant, generics, Vec::new(), expected, span);
        }
        let message = format!("`{}` has fields, and is not a value", ast.name);
        fail(span, message)
    }

    /// Returns the name of the variant that a value has.
    pub(super) fn variant_name(&self, of: &Structure) -> Symbol {
        self.items.structs[of.id].ast.variant(of.variant).name
    }

    /// Returns the first variable whose variant others of the same names do not have, and both
    /// variants.
    pub(super) fn changed_variant(
        &self,
        before: &Variables,
        after: &Variables,
    ) -> Option<(Symbol, Symbol, Symbol)> {
        paired(before, after).find_map(|(name, before, after)| {
            let (before, after) = self.different_variants(before, after)?;
            Some((name, before, after))
        })
    }

    fn different_variants(&self, a: &Value, b: &Value) -> Option<(Symbol, Symbol)> {
        if let (Value::Struct(a, _), Value::Struct(b, _)) = (a, b)
            && a.id == b.id
            && a.variant != b.variant
        {
            return Some((self.variant_name(a), self.variant_name(b)));
        }
        let mut parts = a.parts()?.iter().zip(b.parts()?);
        parts.find_map(|(a, b)| self.different_variants(a, b))
    }

    /// Returns the number by which `as` and derived comparisons represent a variant.
    pub(super) fn discriminant(&mut self, of: &Structure, span: Span) -> Eval<i128> {
        if let Some(all) = self.discriminants.get(&of.id) {
            return Ok(all[of.variant]);
        }
        let all = self.all_discriminants(of.id, span)?;
        let value = all[of.variant];
        self.discriminants.insert(of.id, all);
        Ok(value)
    }

    /// Returns the numbers of the variants of an enum. They differ, and are of one type.
    fn all_discriminants(&mut self, id: StructId, span: Span) -> Eval<Vec<i128>> {
        let info = &self.items.structs[id];
        let int = Some(info.ast.repr.unwrap_or(IntType::Isize));
        let mut all: Vec<i128> = Vec::with_capacity(info.ast.variants.len());
        let mut known = BTreeSet::new();
        for variant in &info.ast.variants {
            let value = match &variant.discriminant {
                None => all.last().map_or(0, |last| last.saturating_add(1)),
                Some(expr) => {
                    let none = Generics::default();
                    let value = self.within(span, info.module, none, None, None, |this| {
                        this.constantly(expr.span, |this| this.expr_of(expr, Ty::Int(int)))
                    })?;
                    match value {
                        Value::Int(value, _) => value,
                        other => return self.mismatched("an integer", &other, expr.span),
                    }
                }
            };
            self.fitting(value, int, span)?;
            if !known.insert(value) {
                let name = info.ast.name;
                let message = format!("two variants of `{name}` have the discriminant {value}");
                return fail(span, message);
            }
            all.push(value);
        }
        Ok(all)
    }

    /// Builds a value of an enum of the standard library.
    pub(super) fn standard_variant(
        &mut self,
        name: &str,
        variant: &str,
        generics: Rc<[Ty]>,
        fields: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let id = self.items.std_enum(name);
        let mut variants = self.items.structs[id].ast.variants.iter();
        match variants.position(|one| one.name == variant) {
            Some(number) => self.make_variant(id, number, generics, fields, &Ty::Unknown, span),
            None => fail(span, format!("`{name}` has no `{variant}`")),
        }
    }

    /// Returns the name of the variant and the fields of a value of an enum of the standard
    /// library.
    fn as_standard(&self, name: &str, value: &Value) -> Option<(Rc<str>, Vec<Value>)> {
        match value {
            Value::Struct(of, held) if of.id == self.items.std_enum(name) => {
                let fields = of.fields.iter().map(|field| self.part(field, *held));
                Some((self.variant_name(of).text(), fields.collect()))
            }
            _ => None,
        }
    }

    /// Returns the `Option` that holds a value of this type, or nothing.
    pub(super) fn option(&mut self, value: Option<Value>, element: Ty, span: Span) -> Eval<Value> {
        let name = if value.is_some() { "Some" } else { "None" };
        let fields = value.into_iter().collect();
        self.standard_variant("Option", name, [element].into(), fields, span)
    }

    /// Returns what an `Option` holds; `None` if the value is no `Option`.
    pub(super) fn as_option(&self, value: &Value) -> Option<Option<Value>> {
        let (_, mut fields) = self.as_standard("Option", value)?;
        Some(fields.pop())
    }

    /// Returns what a `Result` holds; `None` if the value is no `Result`.
    pub(super) fn as_result(&self, value: &Value) -> Option<Result<Value, Value>> {
        let (name, mut fields) = self.as_standard("Result", value)?;
        let field = fields.pop()?;
        Some(if &*name == "Ok" {
            Ok(field)
        } else {
            Err(field)
        })
    }

    /// Returns an `Ordering` of the program.
    pub(super) fn ordering(&mut self, ordering: Ordering) -> Eval<Value> {
        let name = match ordering {
            Ordering::Less => "Less",
            Ordering::Equal => "Equal",
            Ordering::Greater => "Greater",
        };
        self.standard_variant("Ordering", name, Rc::default(), Vec::new(), Span::default())
    }

    /// Returns what an `Ordering` of the program is.
    pub(super) fn as_ordering(&self, value: &Value) -> Option<Ordering> {
        let (name, _) = self.as_standard("Ordering", value)?;
        Some(match &*name {
            "Less" => Ordering::Less,
            "Equal" => Ordering::Equal,
            _ => Ordering::Greater,
        })
    }

    /// Returns what `try_into()` should give, or a method of its result, given what is expected of
    /// the method of the standard library that follows; `?` counts as `unwrap`.
    pub(super) fn expected_conversion(&self, value: &Expr, next: &str, expected: &Ty) -> Ty {
        let ExprKind::MethodCall(_, name, ..) = &value.kind else {
            return Ty::Unknown;
        };
        let (option, result) = (self.items.std_enum("Option"), self.items.std_enum("Result"));
        let to = match (next, expected) {
            ("expect" | "unwrap" | "unwrap_or" | "unwrap_or_default" | "unwrap_or_else", to) => {
                Some(to)
            }
            ("map_err" | "ok_or" | "ok_or_else" | "or" | "or_else", Ty::Struct(id, types))
                if *id == option || *id == result =>
            {
                types.first()
            }
            ("ok", Ty::Struct(id, types)) if *id == option => types.first(),
            _ => None,
        };
        match (&*name.text(), to) {
            (_, None | Some(Ty::Unknown)) => Ty::Unknown,
            ("ok", Some(to)) => Ty::Struct(option, [to.clone()].into()),
            ("parse" | "try_into" | "map_err", Some(to)) => {
                Ty::Struct(result, [to.clone(), Ty::Unknown].into())
            }
            _ => Ty::Unknown,
        }
    }

    /// Evaluates `value?`.
    pub(super) fn try_expr(&mut self, value: &Expr, expected: &Ty, span: Span) -> Eval<Value> {
        let wanted = self.expected_conversion(value, "unwrap", expected);
        let value = self.moved(value, wanted)?;
        if let Some(option) = self.as_option(&value) {
            let Some(payload) = option else {
                let element = match self.output_type()? {
                    Ty::Struct(id, generics) if id == self.items.std_enum("Option") => {
                        generics.first().cloned()
                    }
                    _ => None,
                };
                let none = self.option(None, element.unwrap_or(Ty::Unknown), span)?;
                return Err(Flow::Return(none));
            };
            return Ok(payload);
        }
        match self.as_result(&value) {
            Some(Ok(payload)) => Ok(payload),
            Some(Err(error)) => {
                let generics = match self.output_type()? {
                    Ty::Struct(id, generics) if id == self.items.std_enum("Result") => generics,
                    _ => Rc::default(),
                };
                let wanted = generics.get(1).cloned().unwrap_or(Ty::Unknown);
                let error = self.returned_error(error, &wanted, span)?;
                let result = self.standard_variant("Result", "Err", generics, vec![error], span)?;
                Err(Flow::Return(result))
            }
            None => {
                let message = format!("`?` is for `Option` and `Result`, not for {value}");
                fail(span, message)
            }
        }
    }

    /// Returns the error that `?` returns from a function whose errors are of another type.
    fn returned_error(&mut self, error: Value, wanted: &Ty, span: Span) -> Eval<Value> {
        let unknown = |ty: &Ty| ty.some_part(&|ty| matches!(ty, Ty::Unknown));
        let found = self.bounded_type(error.ty(), span)?;
        if unknown(wanted) {
            let message = "the type of the error is not known here";
            return fail_help(span, message, RETURN_ERROR);
        }
        // A literal may be of a type that is converted.
        let open = found.some_part(&|ty| match ty {
            Ty::Int(ty) => self.found(*ty).is_none_or(IntType::is_open),
            _ => false,
        });
        if open {
            let message = "the type of an integer in the error is not known here";
            return fail_help(span, message, "write the type of the literal: `1u32`");
        }
        if !found.matches(wanted) {
            return self.converted(error, wanted, span);
        }
        // The value may be a reference, for which the program may have a conversion.
        let items = self.items;
        let name = Symbol::new("from");
        let written = head(wanted).and_then(|head| items.methods.get(&(head, name)));
        for function in written.into_iter().flatten() {
            let implementation = &items.impls[function.implementation];
            let header = Header {
                module: function.module,
                self_type: Some(wanted),
                lengths: false,
            };
            let mut generics = Generics::unknown(&implementation.ast.generics);
            if let [param] = function.item.params.as_slice()
                && self.unify(&param.ty, &found, &header, &mut generics)? != Match::No
            {
                let message = "`?` may convert this error by a `From` of the program";
                return fail_help(span, message, RETURN_ERROR);
            }
        }
        Ok(error)
    }
}
