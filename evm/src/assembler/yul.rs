//! Yul: the text of what is generated, statement by statement.

use super::expression::Expr;
use super::stack::Slot;

/// The names that are declared in blocks, from the outermost one on.
#[derive(Debug)]
pub(super) struct Scopes(Vec<Vec<String>>);

impl Default for Scopes {
    fn default() -> Self {
        Self(vec![vec![]])
    }
}

impl Scopes {
    /// Begins a block.
    pub fn open(&mut self) {
        self.0.push(vec![]);
    }

    /// Ends it.
    pub fn close(&mut self) {
        self.0.pop();
    }

    /// Declares a variable of this name, or of one that begins so if there is one already: in Yul
    /// no variable hides another.
    pub fn declare(&mut self, name: &str) -> String {
        let exists = |name: &String| self.0.iter().flatten().any(|other| other == name);
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let name = names.find(|name| !exists(name)).unwrap_or_default();
        self.0
            .last_mut()
            .into_iter()
            .for_each(|block| block.push(name.clone()));
        name
    }
}

/// An expression, with the variables that are on the stack.
pub(super) fn text(expression: &Expr, stack: &[Slot]) -> String {
    match expression {
        Expr::Word(word) => word.to_string(),
        Expr::Variable(name) | Expr::Take(name) => {
            let slot = stack.iter().rev().find(|slot| slot.name == *name);
            slot.map_or_else(String::new, |slot| slot.yul.clone())
        }
        Expr::Data(name) => format!("dataoffset(\"{name}\")"),
        Expr::Op(op, arguments) => call(&op.mnemonic(), arguments, stack),
        Expr::Call(name, arguments) => call(name, arguments, stack),
    }
}

/// A call of a function or an instruction.
pub(super) fn call(name: &str, arguments: &[Expr], stack: &[Slot]) -> String {
    let arguments = arguments.iter().map(|argument| text(argument, stack));
    format!("{name}({})", arguments.collect::<Vec<_>>().join(", "))
}
