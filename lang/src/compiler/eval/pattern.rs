//! Patterns.

use super::*;

impl Evaluator<'_> {
    /// Binds a pattern that cannot fail.
    pub(super) fn bind(&mut self, pattern: &Pattern, value: Value) -> Eval<()> {
        match (&pattern.kind, value) {
            (PatternKind::Wild, _) => Ok(()),
            (PatternKind::Bind(name), value) => {
                self.here().vars.push((*name, value));
                Ok(())
            }
            (PatternKind::Tuple(patterns), Value::Tuple(values))
            | (PatternKind::Array(patterns), Value::Array(values)) => {
                if patterns.len() != values.len() {
                    let (wanted, found) = (patterns.len(), values.len());
                    return fail(
                        pattern.span,
                        format!("the pattern has {wanted} elements, the value {found}"),
                    );
                }
                for (pattern, value) in patterns.iter().zip(values.iter()) {
                    self.bind(pattern, value.clone())?;
                }
                Ok(())
            }
            (PatternKind::Struct(fields), Value::Struct(structure)) => {
                for (name, pattern) in fields {
                    let index = self.field_index(&structure, *name, pattern.span)?;
                    self.bind(pattern, structure.fields[index].clone())?;
                }
                Ok(())
            }
            (_, value) => {
                let found = value.describe();
                fail(pattern.span, format!("this pattern does not match {found}"))
            }
        }
    }

    pub(super) fn field_index(
        &self,
        structure: &crate::compiler::value::Structure,
        name: Symbol,
        span: Span,
    ) -> Eval<usize> {
        let ast = &self.items.structs[structure.id].ast;
        match ast.fields.iter().position(|(field, _)| *field == name) {
            Some(index) => Ok(index),
            None => fail(span, format!("`{}` has no field `{name}`", ast.name)),
        }
    }

    /// Whether a compile-time value matches a pattern of a `match`; binds on success.
    pub(super) fn try_match(&mut self, pattern: &Pattern, value: &Value) -> Eval<bool> {
        Ok(match (&pattern.kind, value) {
            (PatternKind::Wild, _) => true,
            (PatternKind::Int(low, high), Value::Int(value)) => (low..=high).contains(&value),
            (PatternKind::Bool(wanted), Value::Bool(value)) => wanted == value,
            (PatternKind::Or(cases), value) => {
                for case in cases {
                    if self.try_match(case, value)? {
                        return Ok(true);
                    }
                }
                false
            }
            (PatternKind::Bind(name), value) => {
                // A name that is a constant is compared, any other is bound.
                let module = self.module();
                if let Some(Definition::Const(home, constant)) =
                    self.items
                        .lookup(module, *name, Namespace::Value, pattern.span)?
                {
                    let constant = self.constant(&constant, home, Vec::new(), None, None)?;
                    return Ok(constant.same_leaf(value));
                }
                self.here().vars.push((*name, value.clone()));
                true
            }
            (PatternKind::Tuple(patterns), Value::Tuple(values)) => {
                for (pattern, value) in patterns.iter().zip(values.iter()) {
                    if !self.try_match(pattern, value)? {
                        return Ok(false);
                    }
                }
                true
            }
            (_, Value::Flag(_) | Value::Felt(_) | Value::Ext(_)) => {
                return fail_help(
                    pattern.span,
                    "`match` decides at compile time",
                    "write `if a == b` for run-time values",
                );
            }
            _ => false,
        })
    }
}
