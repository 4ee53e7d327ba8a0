//! Patterns.

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
        let refused = |what: &dyn std::fmt::Display| {
            fail(span, format!("this pattern does not match {what}"))
        };
        match (&pattern.kind, value) {
            (PatternKind::Wild, _) => Ok(true),
            (PatternKind::Bind(name), value) => {
                if self.names_constant(*name, span)? {
                    return self.compare(&Path::of_name(*name, span), value, may_fail);
                }
                self.here().vars.push(*name, value.clone());
                Ok(true)
            }
            (PatternKind::Constant(path), value) => self.compare(path, value, may_fail),
            (PatternKind::Int(..) | PatternKind::Bool(_) | PatternKind::Or(_), _) if !may_fail => {
                let message = "this pattern may not match, so it belongs into a `match`";
                fail(span, message)
            }
            (PatternKind::Int(low, high, ty), Value::Int(value, found)) => {
                if ty.is_some() && found.is_some() && ty != found {
                    return refused(&"an integer of another type");
                }
                Ok((low..=high).contains(&value))
            }
            (PatternKind::Bool(wanted), Value::Bool(value)) => Ok(wanted == value),
            (PatternKind::Or(cases), value) => {
                let mark = self.here().vars.len();
                for case in cases {
                    if self.matches(case, value, may_fail)? {
                        if self.here().vars.len() > mark {
                            let message = "alternatives that bind names are not in the subset";
                            return fail_help(span, message, "write an arm for each");
                        }
                        return Ok(true);
                    }
                    self.here().vars.truncate(mark);
                }
                Ok(false)
            }
            (PatternKind::Tuple(elements), Value::Tuple(values)) => {
                self.elements(elements, values, false, span, may_fail)
            }
            (PatternKind::Array(elements), Value::Array(values)) => {
                self.elements(elements, values, may_fail, span, may_fail)
            }
            (PatternKind::TupleStruct(path, elements), Value::Struct(structure, held)) => {
                self.same_struct(path, structure)?;
                let ast = &self.items.structs[structure.id].ast;
                if ast.named {
                    return fail(span, format!("the fields of `{}` have names", ast.name));
                }
                // As in Rust, the pattern is visible where all fields are.
                for index in 0..structure.fields.len() {
                    self.check_field(structure.id, index, span)?;
                }
                let fields = structure.fields.iter();
                let fields: Vec<_> = fields.map(|field| self.part(field, *held)).collect();
                self.elements(elements, &fields, false, span, may_fail)
            }
            (PatternKind::Struct(path, fields, rest), Value::Struct(structure, held)) => {
                self.same_struct(path, structure)?;
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

    /// Matches elements in order. A slice may have another length than its pattern.
    fn elements(
        &mut self,
        elements: &Elements,
        values: &[Value],
        other_lengths: bool,
        span: Span,
        may_fail: bool,
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
        Ok(true)
    }

    fn same_struct(&mut self, path: &Path, structure: &Structure) -> Eval<()> {
        match self.path_type(path)? {
            Ty::Struct(id, _) if id == structure.id => Ok(()),
            _ => {
                let name = self.items.structs[structure.id].ast.name;
                fail(path.span, format!("the value is a `{name}`"))
            }
        }
    }

    /// Returns whether a name in a pattern is that of a constant, so that it binds nothing.
    fn names_constant(&mut self, name: Symbol, span: Span) -> Eval<bool> {
        if name == "self" {
            return Ok(false);
        }
        if self.here().has_constant(name) {
            return Ok(true);
        }
        if self.constant_parameter(name).is_some() {
            return fail(span, format!("`{name}` is a generic parameter here"));
        }
        let module = self.module();
        if let Some(known) = self.constant_names.get(&(module, name)) {
            return Ok(*known);
        }
        let constant = match self.items.lookup(module, name, Namespace::Value, span)? {
            Some(Definition::Const(..)) => true,
            Some(Definition::Struct(id)) => self.items.structs[id].ast.unit,
            // Of the standard library's items it is not known which are constants.
            Some(Definition::Intrinsic(item)) if item.text().contains("::") => {
                return fail(span, format!("`{name}` may be the constant `{item}` here"));
            }
            _ => false,
        };
        self.constant_names.insert((module, name), constant);
        Ok(constant)
    }

    /// Compares a value with a constant.
    fn compare(&mut self, path: &Path, value: &Value, may_fail: bool) -> Eval<bool> {
        if !may_fail {
            return fail_help(
                path.span,
                "this is the name of a constant, so the pattern compares and does not bind",
                "choose another name for the variable",
            );
        }
        match (self.path_value(path)?, value) {
            (Value::Int(a, s), Value::Int(b, t)) if s == *t || s.is_none() || t.is_none() => {
                Ok(a == *b)
            }
            (Value::Bool(a), Value::Bool(b)) => Ok(a == *b),
            (_, value) if is_run_time(value) => run_time(path.span),
            (_, value) => fail(
                path.span,
                format!("{value} cannot be compared in a pattern"),
            ),
        }
    }
}
