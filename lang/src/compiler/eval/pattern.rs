//! Patterns.

use std::ops::Range;
use std::rc::Rc;

use super::place::Place;
use super::*;
use crate::compiler::value::Structure;

fn is_run_time(value: &Value) -> bool {
    matches!(
        value,
        Value::Flag(_) | Value::Felt(_) | Value::Ext(_) | Value::Block(_)
    )
}

/// Returns the error for a `match` of a value that is known only at run time.
fn run_time<T>(span: Span) -> Eval<T> {
    let help = "write `if a == b` for run-time values";
    fail_help(span, "a `match` is decided at compile time", help)
}

/// Returns the patterns of which a pattern consists.
pub(super) fn inner(pattern: &PatternKind) -> Vec<&Pattern> {
    match pattern {
        PatternKind::Tuple(elements)
        | PatternKind::Array(elements)
        | PatternKind::TupleStruct(_, elements) => elements.patterns.iter().collect(),
        PatternKind::Struct(_, fields, _) => fields.iter().map(|(_, inner)| inner).collect(),
        PatternKind::Or(cases) => cases.iter().collect(),
        PatternKind::At(_, inner) => vec![&**inner],
        PatternKind::Wild
        | PatternKind::Bind(_)
        | PatternKind::Constant(_)
        | PatternKind::Int(..)
        | PatternKind::Range(..)
        | PatternKind::Bool(_)
        | PatternKind::Text(_) => Vec::new(),
    }
}

/// Returns which of `length` elements `..` stands for.
pub(super) fn middle(elements: &Elements, length: usize) -> Option<Range<usize>> {
    let before = elements.rest?;
    let end = (before + length).checked_sub(elements.patterns.len())?;
    Some(before..end)
}

/// Returns whether a value matches a pattern that, with `may_fail` false, must match.
fn decided(matches: bool, may_fail: bool, span: Span) -> Eval<bool> {
    if !matches && !may_fail {
        let message = "this pattern may not match, so it belongs into a `match`";
        return fail(span, message);
    }
    Ok(matches)
}

impl Evaluator<'_> {
    /// Binds a pattern that must match.
    pub(super) fn bind(&mut self, pattern: &Pattern, value: Value) -> Eval<()> {
        if self.matches(pattern, &value, false)? {
            Ok(())
        } else {
            fail(pattern.span, format!("this pattern does not match {value}"))
        }
    }

    /// Returns whether a value matches a pattern of a `match`, and if so binds its variables.
    pub(super) fn try_match(&mut self, pattern: &Pattern, value: &Value) -> Eval<bool> {
        self.matches(pattern, value, true)
    }

    fn matches(&mut self, pattern: &Pattern, value: &Value, may_fail: bool) -> Eval<bool> {
        let span = pattern.span;
        self.charge(1, span)?;
        if let Value::Reference(reference) = value
            && !matches!(
                pattern.kind,
                PatternKind::Wild | PatternKind::Bind(_) | PatternKind::At(..) | PatternKind::Or(_)
            )
        {
            let opened = self.opened(reference, span)?;
            if let (PatternKind::Array(elements), Value::Array(values)) = (&pattern.kind, &opened) {
                let list = self.referent(reference, span)?;
                return self.elements(elements, values, may_fail, span, may_fail, Some(&list));
            }
            return self.matches(pattern, &opened, may_fail);
        }
        let refused = |what: &dyn std::fmt::Display| {
            fail(span, format!("this pattern does not match {what}"))
        };
        match (&pattern.kind, value) {
            (PatternKind::Wild, _) => Ok(true),
            (PatternKind::Bind(name), value) => {
                if self.names_constant(*name, span)? {
                    let value = self.seen(value.clone(), span)?;
                    return self.compare(&Path::of_name(*name, span), &value, may_fail);
                }
                self.here().vars.push(*name, value.clone());
                Ok(true)
            }
            (PatternKind::At(name, inner), value) => {
                self.here().vars.push(*name, value.clone());
                self.matches(inner, value, may_fail)
            }
            (PatternKind::Constant(path), value) => self.compare(path, value, may_fail),
            (
                PatternKind::Int(..)
                | PatternKind::Range(..)
                | PatternKind::Bool(_)
                | PatternKind::Text(_),
                _,
            ) if !may_fail => decided(false, may_fail, span),
            (PatternKind::Int(low, high, ty), Value::Int(value, found)) => {
                if ty.is_some() {
                    self.common(*ty, *found, span)?;
                }
                Ok((low..=high).contains(&value))
            }
            (PatternKind::Range(low, high, closed), Value::Int(value, found)) => {
                let low = self.range_end(low.as_deref(), *found)?;
                let high = self.range_end(high.as_deref(), *found)?;
                Ok(low.is_none_or(|low| low <= *value)
                    && high.is_none_or(|high| *value < high || *closed && *value == high))
            }
            (PatternKind::Bool(wanted), Value::Bool(value)) => Ok(wanted == value),
            (PatternKind::Text(wanted), Value::Text(text)) => {
                self.charge(text.len() as u64, span)?;
                Ok(wanted == text)
            }
            (PatternKind::Or(cases), value) => {
                let mark = self.here().vars.len();
                for case in cases {
                    if self.matches(case, value, true)? {
                        return Ok(true);
                    }
                    self.here().vars.truncate(mark);
                }
                decided(false, may_fail, span)
            }
            (PatternKind::Tuple(elements), Value::Tuple(values)) => {
                self.elements(elements, values, false, span, may_fail, None)
            }
            (PatternKind::Array(elements), Value::Array(values)) => {
                self.elements(elements, values, may_fail, span, may_fail, None)
            }
            // A reference to a slice is the value behind it.
            (PatternKind::Array(elements), Value::Vec(values, held)) => {
                self.charge(values.len() as u64, span)?;
                let values = values.iter().map(|value| self.part(value, *held));
                let values: Vec<_> = values.collect();
                self.elements(elements, &values, may_fail, span, may_fail, None)
            }
            (PatternKind::TupleStruct(path, elements), Value::Struct(structure, held)) => {
                if !self.same_variant(path, structure, Namespace::Value)? {
                    return decided(false, may_fail, span);
                }
                // As in Rust, the pattern is visible where all fields are.
                for index in 0..structure.fields.len() {
                    self.check_field(structure.id, index, span)?;
                }
                let fields = structure.fields.iter();
                let fields: Vec<_> = fields.map(|field| self.part(field, *held)).collect();
                self.elements(elements, &fields, false, span, may_fail, None)
            }
            (PatternKind::Struct(path, fields, rest), Value::Struct(structure, held)) => {
                if !self.same_variant(path, structure, Namespace::Type)? {
                    return decided(false, may_fail, span);
                }
                if !rest && fields.len() != structure.fields.len() {
                    return fail_help(span, "the pattern leaves fields out", "write `..`");
                }
                for (name, pattern) in fields {
                    let index = self.field_index(structure, *name, pattern.span)?;
                    let field = self.part(&structure.fields[index], *held);
                    if !self.matches(pattern, &field, may_fail)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (_, Value::Index(..)) => run_time(span),
            (_, value) if is_run_time(value) => run_time(span),
            (_, value) => refused(value),
        }
    }

    /// Matches elements in order. A slice may have another length than its pattern. If the values
    /// are references to the elements of a list, its place is given.
    fn elements(
        &mut self,
        elements: &Elements,
        values: &[Value],
        other_lengths: bool,
        span: Span,
        may_fail: bool,
        list: Option<&Place>,
    ) -> Eval<bool> {
        let (wanted, found) = (elements.patterns.len(), values.len());
        let fits = match elements.rest {
            None => wanted == found,
            Some(_) => wanted <= found,
        };
        if !fits {
            return if other_lengths {
                Ok(false)
            } else {
                let message = format!("the pattern has {wanted} elements, the value {found}");
                fail(span, message)
            };
        }
        for (index, pattern) in elements.patterns.iter().enumerate() {
            let index = elements.position(index, found);
            if !self.matches(pattern, &values[index], may_fail)? {
                return Ok(false);
            }
        }
        if let (Some(name), Some(middle)) = (elements.bound, middle(elements, found)) {
            self.charge(middle.len() as u64, span)?;
            let middle = match list {
                Some(list) => self.reference_to(list.elements(middle.start, middle.end))?,
                None => Value::Array(Rc::new(values[middle].to_vec())),
            };
            self.here().vars.push(name, middle);
        }
        Ok(true)
    }

    /// Returns whether a value has the variant that a path names, which must be of its type.
    fn same_variant(
        &mut self,
        path: &Path,
        structure: &Structure,
        namespace: Namespace,
    ) -> Eval<bool> {
        match self.variant_named(path, namespace)? {
            Some((id, variant, _)) if id == structure.id => Ok(variant == structure.variant),
            None if namespace == Namespace::Value => self.refuse_constructor(path, structure),
            _ => self.refuse_name(path, structure),
        }
    }

    /// Says why a path is no constructor of a value's type that is visible here.
    fn refuse_constructor(&mut self, path: &Path, structure: &Structure) -> Eval<bool> {
        let named = self.variant_named(path, Namespace::Type)?;
        if let Some((id, variant, _)) = named.filter(|(id, ..)| *id == structure.id) {
            let ast = self.items.structs[id].ast.clone();
            let variant = ast.variant(variant);
            if variant.named {
                let message = format!("the fields of `{}` have names", variant.name);
                return fail(path.span, message);
            }
            for index in 0..variant.fields.len() {
                self.check_field(id, index, path.span)?;
            }
        }
        self.refuse_name(path, structure)
    }

    fn refuse_name(&self, path: &Path, structure: &Structure) -> Eval<bool> {
        let name = self.items.structs[structure.id].ast.name;
        fail(path.span, format!("the value is a `{name}`"))
    }

    /// Returns whether a pattern binds a name in one of several alternatives.
    pub(super) fn binds_in_alternatives(&mut self, pattern: &Pattern) -> Eval<bool> {
        self.some_name(pattern, false)
    }

    /// Returns whether a pattern binds a name, or does in one of several alternatives if it is not
    /// `within` one.
    fn some_name(&mut self, pattern: &Pattern, within: bool) -> Eval<bool> {
        let within = within || matches!(pattern.kind, PatternKind::Or(_));
        let own = match &pattern.kind {
            PatternKind::Bind(name) => within && !self.names_constant(*name, pattern.span)?,
            PatternKind::At(..) => within,
            PatternKind::Array(elements) => within && elements.bound.is_some(),
            _ => false,
        };
        if own {
            return Ok(true);
        }
        for inner in inner(&pattern.kind) {
            if self.some_name(inner, within)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether a name in a pattern is that of a constant, so that it binds nothing.
    pub(super) fn names_constant(&mut self, name: Symbol, span: Span) -> Eval<bool> {
        if name == "self" {
            return Ok(false);
        }
        if self.constant_parameter(name).is_some() {
            return fail(span, format!("`{name}` is a generic parameter here"));
        }
        let module = self.module();
        if let Some(known) = self.constant_names.get(&(module, name)) {
            return Ok(*known);
        }
        let constant = match self.items.lookup(module, name, Namespace::Value, span)? {
            Some(Definition::Const(_, constant)) if constant.is_static => {
                let message = format!("`{name}` is a `static`, which a pattern cannot name");
                return fail(span, message);
            }
            Some(Definition::Const(..)) => true,
            Some(Definition::Struct(id)) => {
                let ast = &self.items.structs[id].ast;
                !ast.is_enum && ast.variant(0).unit
            }
            Some(Definition::Variant(..)) => true,
            // Of the standard library's items it is not known which are constants.
            Some(Definition::Intrinsic(item)) if item.text().contains("::") => {
                return fail(span, format!("`{name}` may be the constant `{item}` here"));
            }
            _ => false,
        };
        self.constant_names.insert((module, name), constant);
        Ok(constant)
    }

    /// Returns an end of a range that is compared with an integer of this type.
    fn range_end(&mut self, end: Option<&Expr>, of: Option<IntType>) -> Eval<Option<i128>> {
        let Some(end) = end else {
            return Ok(None);
        };
        match self.constantly(end.span, |this| this.expr_of(end, Ty::Int(of)))? {
            Value::Int(value, _) => Ok(Some(value)),
            other => self.mismatched("{integer}", &other, end.span),
        }
    }

    /// Compares a value with a constant, or with a variant without fields.
    fn compare(&mut self, path: &Path, value: &Value, may_fail: bool) -> Eval<bool> {
        let span = path.span;
        if !may_fail {
            return fail_help(
                span,
                "this is the name of a constant, so the pattern compares and does not bind",
                "choose another name for the variable",
            );
        }
        if let Some((id, variant, _)) = self.variant_named(path, Namespace::Value)?
            && self.items.structs[id].ast.variant(variant).unit
        {
            return match value {
                Value::Struct(of, _) if of.id == id => Ok(of.variant == variant),
                value => self.mismatched(&self.items.structs[id].ast.name.text(), value, span),
            };
        }
        let constant = self.path_value(path)?;
        self.equals_constant(&constant, value, span)
    }

    /// Returns whether a value equals a constant, of which a derived comparison is known.
    fn equals_constant(&mut self, constant: &Value, value: &Value, span: Span) -> Eval<bool> {
        self.charge(1, span)?;
        match (constant, value) {
            (Value::Int(a, s), Value::Int(b, t)) => {
                self.common(*s, *t, span)?;
                return Ok(a == b);
            }
            (Value::Bool(a), Value::Bool(b)) => return Ok(a == b),
            (Value::Text(a), Value::Text(b)) => return Ok(a == b),
            (Value::Struct(a, _), Value::Struct(b, _)) if a.id == b.id => {
                self.no_function_of(a.id, &["eq"], span)?;
                if a.variant != b.variant {
                    return Ok(false);
                }
            }
            (Value::Tuple(_), Value::Tuple(_)) | (Value::Array(_), Value::Array(_)) => {}
            (_, value) if is_run_time(value) => return run_time(span),
            (_, value) => {
                return fail(span, format!("{value} cannot be compared in a pattern"));
            }
        }
        let (a, b) = (constant.parts(), value.parts());
        let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
        let mut equal = a.len() == b.len();
        for (a, b) in a.iter().zip(b) {
            equal = equal && self.equals_constant(a, b, span)?;
        }
        Ok(equal)
    }
}
