//! The stack of a place in the code: what instructions find there, and what it is called in Yul.

use super::code::Item;
use super::yul::text;
use super::{Assembler, AssemblerError, Expr, Name, Op};

/// What a word of the stack is called that has no name.
pub(super) const UNNAMED: Name = Name::Borrowed("");

/// A word of the stack.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// What statements call it.
    pub name: Name,
    /// What it is in Yul: a variable or a number.
    pub yul: String,
}

impl Assembler {
    /// Puts the value of an expression on the stack, without a name.
    pub fn push(&mut self, expression: impl Into<Expr>) {
        match self.resolved(expression.into()) {
            Expr::Word(word) => {
                self.compile(word.into());
                self.name_top(UNNAMED, word.to_string());
            }
            expression => self.declare("t", UNNAMED, expression),
        }
    }

    /// Puts the value of an expression on the stack, as a variable of this name in Yul.
    pub(super) fn declare(&mut self, yul: &str, name: Name, expression: Expr) {
        let value = text(&expression, &self.stack);
        let yul = self.scopes.declare(yul);
        self.line(format!("let {yul} := {value}"));
        self.compile(expression);
        self.name_top(name, yul);
    }

    /// An instruction on what is on top of the stack.
    pub fn op(&mut self, op: Op) {
        let (inputs, outputs) = op.arity();
        let arguments = self.stack.iter().rev().take(inputs);
        let arguments: Vec<&str> = arguments.map(|slot| slot.yul.as_str()).collect();
        let statement = format!("{}({})", op.mnemonic(), arguments.join(", "));
        if outputs > 0 {
            let yul = self.scopes.declare("t");
            self.line(format!("let {yul} := {statement}"));
            self.emit(op);
            self.name_top(UNNAMED, yul);
        } else {
            // What is removed is not read any more.
            if op != Op::Pop {
                self.line(statement);
            }
            self.emit(op);
        }
    }

    /// Exchanges the top of the stack with the word so many below it.
    pub fn swap(&mut self, depth: usize) {
        let Some(top) = self.stack.len().checked_sub(1) else {
            return self.fail(AssemblerError::Underflow("swap".to_owned()));
        };
        match top.checked_sub(depth) {
            Some(below) if depth <= 16 => self.stack.swap(top, below),
            _ => return self.fail(AssemblerError::TooDeep(format!("swap{depth}").into())),
        }
        if depth > 0 {
            self.items.push(Item::Swap(depth));
        }
    }

    /// Gives the top of the stack a name.
    pub fn rename(&mut self, name: impl Into<Name>) {
        match self.stack.last_mut() {
            Some(top) => top.name = name.into(),
            None => self.fail(AssemblerError::Underflow("a name".to_owned())),
        }
    }

    fn name_top(&mut self, name: Name, yul: String) {
        if let Some(top) = self.stack.last_mut() {
            *top = Slot { name, yul };
        }
    }

    /// The expression as it is computed: constants that are kept are loaded, and a variable that is
    /// taken comes first.
    pub(super) fn resolved(&self, expression: Expr) -> Expr {
        let all = |arguments: Vec<Expr>| -> Vec<Expr> {
            let arguments = arguments.into_iter();
            arguments.map(|argument| self.resolved(argument)).collect()
        };
        match expression {
            Expr::Word(word) => match self.kept.iter().find(|(constant, _)| *constant == word) {
                Some(&(_, address)) => super::load(address),
                None => expression,
            },
            Expr::Op(op, arguments) => {
                let mut arguments = all(arguments);
                if op.is_symmetric() && arguments.first().is_some_and(Expr::takes) {
                    arguments.reverse();
                }
                Expr::Op(op, arguments)
            }
            Expr::Call(name, arguments) => Expr::Call(name, all(arguments)),
            Expr::Variable(_) | Expr::Take(_) | Expr::Data(_) => expression,
        }
    }

    /// Generates the code of an expression, a resolved one.
    pub(super) fn compile(&mut self, expression: Expr) {
        match expression {
            Expr::Word(word) => {
                self.items.push(Item::Push(word));
                self.grow(1);
            }
            Expr::Variable(name) => {
                if let Some(depth) = self.depth(&name) {
                    self.items.push(Item::Dup(depth));
                }
                self.grow(1);
            }
            Expr::Take(name) => {
                if self.stack.last().is_none_or(|top| top.name != name) {
                    self.fail(AssemblerError::NotOnTop(name));
                }
                self.rename(UNNAMED);
            }
            Expr::Op(op, arguments) => {
                self.compile_all(arguments);
                self.emit(op);
            }
            Expr::Call(name, arguments) => self.compile_call(name, arguments, 1),
            Expr::Data(name) => {
                let label = self.label();
                let (label, _) = *self.tables.entry(name).or_insert((label, None));
                self.push_label(label);
            }
        }
    }

    /// The last one first.
    pub(super) fn compile_all(&mut self, arguments: Vec<Expr>) {
        let arguments = arguments.into_iter().rev();
        arguments.for_each(|argument| self.compile(argument));
    }

    /// Generates an instruction.
    pub(super) fn emit(&mut self, op: Op) {
        let (inputs, outputs) = op.arity();
        match self.stack.len().checked_sub(inputs) {
            Some(rest) => self.stack.truncate(rest),
            None => self.fail(AssemblerError::Underflow(op.mnemonic())),
        }
        self.grow(outputs);
        self.items.push(Item::Op(op));
    }

    /// So many words without a name are on top of the stack.
    pub(super) fn grow(&mut self, count: usize) {
        let slot = Slot {
            name: UNNAMED,
            yul: String::new(),
        };
        self.stack.extend(std::iter::repeat_n(slot, count));
    }

    /// Removes what is above this height.
    pub(super) fn drop_to(&mut self, height: usize) {
        while self.stack.len() > height {
            self.emit(Op::Pop);
        }
    }

    /// Removes what is above this height but for the top.
    pub(super) fn drop_below_top(&mut self, height: usize) {
        let unused = self.stack.len().saturating_sub(height + 1);
        if unused > 0 {
            self.swap(unused);
            self.drop_to(height + 1);
        }
    }

    /// The number by which instructions address a variable: one for the top. A word without a name
    /// is no variable.
    pub(super) fn depth(&mut self, name: &Name) -> Option<usize> {
        let is_variable = |slot: &Slot| slot.name == *name && slot.name != UNNAMED;
        let depth = self.stack.iter().rev().position(is_variable);
        match depth {
            None => self.fail(AssemblerError::NoVariable(name.clone())),
            Some(depth) if depth >= 16 => self.fail(AssemblerError::TooDeep(name.clone())),
            Some(depth) => return Some(depth + 1),
        }
        None
    }
}
