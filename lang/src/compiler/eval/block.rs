//! Blocks and their statements.

use super::*;

impl Evaluator<'_> {
    pub(super) fn block(&mut self, block: &Block) -> Eval<Value> {
        let vars = self.here().vars.len();
        let result = self.statements(block);
        self.here().vars.truncate(vars);
        result
    }

    /// Evaluates a block that may have a label, by which it is left.
    pub(super) fn labelled_block(&mut self, block: &Block, label: Option<Label>) -> Eval<Value> {
        match self.block(block) {
            Err(Flow::Break(Some(to), value)) if Some(to) == label => Ok(value),
            result => result,
        }
    }

    /// Evaluates the statements of a block. Its variables remain.
    pub(super) fn statements(&mut self, block: &Block) -> Eval<Value> {
        let Some(name) = block.module else {
            return self.statements_here(block);
        };
        let around = self.module();
        let span = Span::default();
        let found = self.items.lookup(around, name, Namespace::Type, span)?;
        let Some(Definition::Module(module)) = found else {
            return fail(span, format!("the items of the block `{name}` are missing"));
        };
        let here = self.here();
        here.scopes.push((module, here.vars.len()));
        here.module = module;
        let result = self.statements_here(block);
        let here = self.here();
        here.scopes.pop();
        here.module = around;
        result
    }

    fn statements_here(&mut self, block: &Block) -> Eval<Value> {
        let expected = std::mem::replace(&mut self.expected, Ty::Unknown);
        for statement in &block.statements {
            match statement {
                Statement::Let(pattern, declared, init, otherwise) => {
                    self.declaration(
                        pattern,
                        declared.as_ref(),
                        init.as_ref(),
                        otherwise.as_ref(),
                    )?;
                }
                Statement::Expr(expr) => {
                    self.expr(expr)?;
                }
            }
        }
        match &block.tail {
            Some(tail) => {
                self.expected = expected;
                let value = self.expr(tail)?;
                self.check_move(tail, &value)?;
                Ok(value)
            }
            None => Ok(Value::unit()),
        }
    }

    /// Evaluates `let pattern: declared = init else { otherwise };`.
    fn declaration(
        &mut self,
        pattern: &Pattern,
        declared: Option<&Type>,
        init: Option<&Expr>,
        otherwise: Option<&Block>,
    ) -> Eval<()> {
        let ty = match declared {
            Some(ty) => self.ty(ty)?,
            None => Ty::Unknown,
        };
        let Some(init) = init else {
            let held = self.declared_held(declared, &ty)?;
            return self.bind(pattern, Value::Empty(ty, held));
        };
        let whole = matches!(pattern.kind, PatternKind::Bind(_));
        let value = if whole {
            self.moved(init, ty)?
        } else {
            self.expr_of(init, ty)?
        };
        let value = match declared {
            Some(declared) if declared.reference => self.seen(value, init.span)?,
            _ => value,
        };
        if let Some(declared) = declared {
            self.check_type(&value, declared, init.span)?;
        }
        match otherwise {
            None => self.bind(pattern, value.clone())?,
            Some(otherwise) => {
                let vars = self.here().vars.len();
                if !self.try_match(pattern, &value)? {
                    self.here().vars.truncate(vars);
                    self.block(otherwise)?;
                    return fail(
                        pattern.span,
                        "the block of a `let .. else` does not end here",
                    );
                }
            }
        }
        if whole {
            Ok(())
        } else {
            self.move_parts(init, pattern, &value)
        }
    }
}
