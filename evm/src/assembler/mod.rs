//! An assembler for the EVM: statements on named variables, functions, loops.
//!
//! A contract is written as in Yul. Expressions are compiled to the stack as they stand: nothing is
//! reordered, a variable is copied where it is named, and it stays on the stack until its block
//! ends. The assembler knows the height of the stack everywhere, and refuses code in which it
//! depends on the way that led there.
//!
//! Mistakes do not panic: the first one is returned when the code is assembled.
//!
//! # Functions
//!
//! A call pushes where to return to, then the arguments, the last one first, and jumps. A function
//! removes all of them, leaves its result, if it has one, and jumps back.

mod code;
mod error;
mod expression;
mod op;
#[cfg(test)]
mod tests;
mod word;

use std::collections::BTreeMap;

pub use self::code::Code;
use self::code::{Item, Label, encode};
pub use self::error::AssemblerError;
pub use self::expression::{Expr, Name, call, load, take, var};
pub use self::op::Op;
pub use self::word::Word;

/// What a word of the stack is called that has no name.
const UNNAMED: Name = Name::Borrowed("");

/// A function that was defined or called.
#[derive(Clone, Copy, Debug)]
struct Function {
    label: Label,
    signature: (usize, usize),
    is_defined: bool,
}

/// Code under construction: what runs first, and the functions behind it.
#[derive(Debug, Default)]
pub struct Assembler {
    items: Vec<Item>,
    functions: Vec<Item>,
    signatures: BTreeMap<Name, Function>,
    tables: BTreeMap<Name, (Label, Option<Vec<u8>>)>,
    stack: Vec<Name>,
    /// Constants that are in memory, and where.
    kept: Vec<(Word, u64)>,
    labels: usize,
    revert: Option<Label>,
    /// Where the number of a phase is, and the selector of the error that says it.
    phases: Option<(u64, u64)>,
    error: Option<AssemblerError>,
}

impl Assembler {
    /// An empty contract.
    pub fn new() -> Self {
        Self::default()
    }

    /// Assembles the contract.
    ///
    /// # Errors
    /// If one of the statements was wrong, a function or table is missing, or the code does not
    /// fit.
    pub fn assemble(mut self) -> Result<Code, AssemblerError> {
        self.items.push(Item::Op(Op::Stop));
        self.items.append(&mut self.functions);
        if let Some(revert) = self.revert {
            self.items.push(Item::Label(revert, "revert".into()));
            let (start, end) = match self.phases {
                None => (0, 0),
                // Four bytes, and the number as a word.
                Some((address, selector)) => {
                    let data = [load(address), 32.into(), selector.into(), 0.into()];
                    data.into_iter().for_each(|word| self.push(word));
                    [Op::MStore; 2].into_iter().for_each(|op| self.op(op));
                    (28, 64)
                }
            };
            [end - start, start]
                .into_iter()
                .for_each(|word: u64| self.push(word));
            self.op(Op::Revert);
        }
        for (name, function) in &self.signatures {
            if !function.is_defined {
                let undefined = AssemblerError::Undefined(name.clone());
                self.error.get_or_insert(undefined);
            }
        }
        for (name, (label, bytes)) in self.tables {
            match bytes {
                Some(bytes) => self.items.push(Item::Table(label, name, bytes)),
                None => {
                    self.error.get_or_insert(AssemblerError::Undefined(name));
                }
            }
        }
        match self.error {
            Some(error) => Err(error),
            None => encode(&self.items),
        }
    }

    // Statements.

    /// Puts the value of an expression on the stack, as a new variable.
    pub fn bind(&mut self, name: impl Into<Name>, value: impl Into<Expr>) {
        let (name, value) = (name.into(), value.into());
        self.comment(format!("let {name} := {value}"));
        self.push(value);
        self.rename(name);
    }

    /// Changes a variable.
    pub fn set(&mut self, name: impl Into<Name>, value: impl Into<Expr>) {
        let (name, value) = (name.into(), value.into());
        self.comment(format!("{name} := {value}"));
        self.push(value);
        if let Some(depth) = self.depth(&name) {
            self.swap(depth - 1);
            self.op(Op::Pop);
            // The exchange moved the name along with the old value.
            let slot = self.stack.iter_mut().rev().nth(depth - 2);
            slot.into_iter().for_each(|slot| *slot = name.clone());
        }
    }

    /// Writes a word to memory.
    pub fn store(&mut self, address: impl Into<Expr>, value: impl Into<Expr>) {
        self.run(Op::MStore, [address.into(), value.into()]);
    }

    /// Executes an instruction that leaves nothing.
    pub fn run(&mut self, op: Op, arguments: impl Into<Vec<Expr>>) {
        let statement = Expr::Op(op, arguments.into());
        self.comment(statement.to_string());
        self.push(statement);
    }

    /// Calls a function that returns nothing.
    pub fn call(&mut self, name: impl Into<Name>, arguments: impl Into<Vec<Expr>>) {
        let (name, arguments) = (name.into(), arguments.into());
        let statement = Expr::Call(name.clone(), arguments.clone());
        self.comment(statement.to_string());
        self.push_call(name, arguments, 0);
    }

    /// Makes code say in which phase it reverts: its data is this selector, of 4 bytes, and the word
    /// at this place of the memory.
    pub const fn report_phases(&mut self, address: u64, selector: u32) {
        self.phases = Some((address, selector as u64));
    }

    /// Where the number of the phase is, if phases are reported.
    pub(crate) fn phase_at(&self) -> Option<u64> {
        self.phases.map(|(address, _)| address)
    }

    /// Reverts if the condition is not zero.
    pub fn revert_if(&mut self, condition: impl Into<Expr>) {
        let condition = condition.into();
        self.comment(format!("if {condition} {{ revert(0, 0) }}"));
        self.push(condition);
        let revert = self.revert.unwrap_or_else(|| self.label());
        self.revert = Some(revert);
        self.push_label(revert);
        self.op(Op::JumpI);
    }

    /// Runs the body, whose variables are removed.
    pub fn block(&mut self, body: impl FnOnce(&mut Self)) {
        let height = self.stack.len();
        body(self);
        self.drop_to(height);
        self.check_height("end of block".into(), height);
    }

    /// Runs the body, and again as long as the condition that it returns is not zero.
    pub fn repeat_while(&mut self, body: impl FnOnce(&mut Self) -> Expr) {
        let (start, height) = (self.label(), self.stack.len());
        self.comment("do {".to_owned());
        self.place(start, "loop".into());
        let condition = body(self);
        self.comment(format!("}} while {condition}"));
        self.push(condition);
        self.drop_below_top(height);
        self.push_label(start);
        self.op(Op::JumpI);
        self.check_height("loop".into(), height);
    }

    /// Runs the body if the condition is not zero.
    pub fn run_if(&mut self, condition: impl Into<Expr>, body: impl FnOnce(&mut Self)) {
        let (end, condition) = (self.label(), condition.into());
        self.comment(format!("if {condition} {{"));
        self.push(condition);
        self.op(Op::IsZero);
        self.push_label(end);
        self.op(Op::JumpI);
        self.block(body);
        self.comment("}".to_owned());
        self.place(end, "end of if".into());
    }

    /// Runs one body if the condition is not zero, else the other one.
    pub fn run_either(
        &mut self,
        condition: impl Into<Expr>,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let (start, end, condition) = (self.label(), self.label(), condition.into());
        self.comment(format!("if not {condition} {{"));
        self.push(condition);
        self.push_label(start);
        self.op(Op::JumpI);
        self.block(otherwise);
        self.push_label(end);
        self.op(Op::Jump);
        self.comment("} else {".to_owned());
        self.place(start, "else".into());
        self.block(then);
        self.comment("}".to_owned());
        self.place(end, "end of if".into());
    }

    /// Defines a function. The body returns its result, if it has one; its variables are removed.
    pub fn function<const N: usize>(
        &mut self,
        name: impl Into<Name>,
        parameters: [&'static str; N],
        body: impl FnOnce(&mut Self) -> Option<Expr>,
    ) {
        let name = name.into();
        let items = std::mem::take(&mut self.items);
        let stack = std::mem::replace(&mut self.stack, vec!["return".into()]);
        self.stack
            .extend(parameters.into_iter().rev().map(Name::from));
        self.comment(format!("function {name}({})", parameters.join(", ")));
        let label = self.label();
        let at = self.items.len();
        let result = body(self);
        let outputs = usize::from(result.is_some());
        if let Some(result) = result {
            self.comment(format!("leave {result}"));
            self.push(result);
            self.drop_below_top(1);
            self.swap(1);
        } else {
            self.drop_to(1);
        }
        self.check_height(name.clone(), 1 + outputs);
        self.op(Op::Jump);
        let label = self.define(&name, label, (N, outputs));
        self.items.insert(at, Item::Label(label, name));
        let body = std::mem::replace(&mut self.items, items);
        self.functions.extend(body);
        self.stack = stack;
    }

    /// Defines a table of bytes, which are behind the code. [`Expr::Data`] says where.
    pub fn table(&mut self, name: impl Into<Name>, bytes: Vec<u8>) {
        let (name, label) = (name.into(), self.label());
        let (_, table) = self.tables.entry(name.clone()).or_insert((label, None));
        if table.replace(bytes).is_some() {
            self.fail(AssemblerError::DefinedTwice(name));
        }
    }

    /// Writes a constant to memory, from where code that is generated from now on loads it: 3 bytes
    /// and 3 more gas instead of a long push. Functions that do so must not be called before.
    pub fn keep(&mut self, constant: Word, address: u64) {
        self.store(address, constant);
        self.kept.push((constant, address));
    }

    /// A line for the reader.
    pub fn comment(&mut self, text: String) {
        self.items.push(Item::Comment(text));
    }

    // The stack.

    /// Puts the value of an expression on the stack, without a name.
    pub fn push(&mut self, expression: impl Into<Expr>) {
        match expression.into() {
            Expr::Word(word) => {
                let kept = self.kept.iter().find(|(constant, _)| *constant == word);
                let kept = kept.map(|(_, address)| *address);
                self.items.push(Item::Push(kept.map_or(word, Word::from)));
                self.stack.push(UNNAMED);
                if kept.is_some() {
                    self.op(Op::MLoad);
                }
            }
            Expr::Variable(name) => {
                if let Some(depth) = self.depth(&name) {
                    self.items.push(Item::Dup(depth));
                }
                self.stack.push(UNNAMED);
            }
            Expr::Take(name) => {
                if self.stack.last() != Some(&name) {
                    self.fail(AssemblerError::NotOnTop(name));
                }
                self.rename(UNNAMED);
            }
            Expr::Op(op, mut arguments) => {
                if op.is_symmetric() && arguments.first().is_some_and(Expr::takes) {
                    arguments.reverse();
                }
                arguments
                    .into_iter()
                    .rev()
                    .for_each(|argument| self.push(argument));
                self.op(op);
            }
            Expr::Call(name, arguments) => self.push_call(name, arguments, 1),
            Expr::Data(name) => {
                let label = self.label();
                let (label, _) = *self.tables.entry(name).or_insert((label, None));
                self.push_label(label);
            }
        }
    }

    /// An instruction on what is on top of the stack.
    pub fn op(&mut self, op: Op) {
        let (inputs, outputs) = op.arity();
        match self.stack.len().checked_sub(inputs) {
            Some(rest) => self.stack.truncate(rest),
            None => self.fail(AssemblerError::Underflow(op.mnemonic())),
        }
        self.stack.extend(std::iter::repeat_n(UNNAMED, outputs));
        self.items.push(Item::Op(op));
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
            Some(top) => *top = name.into(),
            None => self.fail(AssemblerError::Underflow("a name".to_owned())),
        }
    }

    /// Removes what is above this height.
    fn drop_to(&mut self, height: usize) {
        while self.stack.len() > height {
            self.op(Op::Pop);
        }
    }

    /// Removes what is above this height but for the top.
    fn drop_below_top(&mut self, height: usize) {
        let unused = self.stack.len().saturating_sub(height + 1);
        if unused > 0 {
            self.swap(unused);
            self.drop_to(height + 1);
        }
    }

    /// The number by which instructions address a variable: one for the top.
    fn depth(&mut self, name: &Name) -> Option<usize> {
        let depth = self.stack.iter().rev().position(|slot| slot == name);
        match depth {
            None => self.fail(AssemblerError::NoVariable(name.clone())),
            Some(depth) if depth >= 16 => self.fail(AssemblerError::TooDeep(name.clone())),
            Some(depth) => return Some(depth + 1),
        }
        None
    }

    fn push_call(&mut self, name: Name, arguments: Vec<Expr>, outputs: usize) {
        let (back, signature) = (self.label(), (arguments.len(), outputs));
        let height = self.stack.len();
        self.push_label(back);
        arguments
            .into_iter()
            .rev()
            .for_each(|argument| self.push(argument));
        let label = self.label();
        let function = *self.signatures.entry(name.clone()).or_insert(Function {
            label,
            signature,
            is_defined: false,
        });
        self.check_signature(name, function.signature, signature);
        self.push_label(function.label);
        self.op(Op::Jump);
        self.stack.truncate(height);
        self.stack.extend(std::iter::repeat_n(UNNAMED, outputs));
        self.place(back, UNNAMED);
    }

    /// Notes that a function is defined, and returns its label.
    fn define(&mut self, name: &Name, label: Label, signature: (usize, usize)) -> Label {
        let function = self.signatures.entry(name.clone()).or_insert(Function {
            label,
            signature,
            is_defined: false,
        });
        let was_defined = std::mem::replace(&mut function.is_defined, true);
        let function = *function;
        self.check_signature(name.clone(), signature, function.signature);
        if was_defined {
            self.fail(AssemblerError::DefinedTwice(name.clone()));
        }
        function.label
    }

    fn check_signature(&mut self, name: Name, expected: (usize, usize), found: (usize, usize)) {
        if expected != found {
            self.fail(AssemblerError::Signature {
                name,
                expected,
                found,
            });
        }
    }

    fn check_height(&mut self, place: Name, expected: usize) {
        let found = self.stack.len();
        if found != expected {
            self.fail(AssemblerError::Height {
                place,
                expected,
                found,
            });
        }
    }

    fn label(&mut self) -> Label {
        self.labels += 1;
        self.labels - 1
    }

    fn push_label(&mut self, label: Label) {
        self.items.push(Item::PushLabel(label));
        self.stack.push(UNNAMED);
    }

    fn place(&mut self, label: Label, name: Name) {
        self.items.push(Item::Label(label, name));
    }

    /// Notes a mistake, unless there has been one before.
    pub fn fail(&mut self, error: AssemblerError) {
        self.error.get_or_insert(error);
    }
}
