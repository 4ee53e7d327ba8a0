//! Blocks and their statements.

use super::*;

/// Largest number of constants of blocks in scope: they are searched one by one.
const MAX_CONSTANTS: usize = 256;

impl Evaluator<'_> {
    pub(super) fn block(&mut self, block: &Block) -> Eval<Value> {
        let here = self.here();
        let (vars, constants) = (here.vars.len(), here.constants.len());
        let result = self.statements(block);
        let here = self.here();
        here.vars.truncate(vars);
        here.constants.truncate(constants);
        result
    }

    pub(super) fn statements(&mut self, block: &Block) -> Eval<Value> {
        let expected = std::mem::replace(&mut self.expected, Ty::Unknown);
        let here = self.here();
        let visible = here.constants.len() + block.constants.len();
        if let Some(last) = block.constants.last().filter(|_| visible > MAX_CONSTANTS) {
            let message = format!("more than {MAX_CONSTANTS} constants of blocks are in scope");
            return fail(last.span, message);
        }
        for constant in &block.constants {
            here.constants.push(LocalConst {
                constant: constant.clone(),
                visible,
            });
        }
        for statement in &block.statements {
            match statement {
                Statement::Let(pattern, declared, init) => {
                    let ty = match declared {
                        Some(ty) => self.ty(ty)?,
                        None => Ty::Unknown,
                    };
                    let value = match init {
                        Some(expr) => {
                            if let ExprKind::RefMut(_) = expr.kind {
                                let message = "mutable references cannot be kept in variables";
                                let help = "pass `&mut place` where it is used";
                                return fail_help(expr.span, message, help);
                            }
                            let value = match pattern.kind {
                                PatternKind::Bind(_) => self.moved(expr, ty)?,
                                _ => self.expr_of(expr, ty)?,
                            };
                            if let Some(declared) = declared {
                                self.check_type(&value, declared, expr.span)?;
                            }
                            value
                        }
                        None => {
                            let held = self.declared_held(declared.as_ref(), &ty)?;
                            Value::Empty(ty, held)
                        }
                    };
                    self.bind(pattern, value.clone())?;
                    if let (false, Some(expr)) =
                        (matches!(pattern.kind, PatternKind::Bind(_)), init)
                    {
                        self.move_parts(expr, pattern, &value)?;
                    }
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
}
