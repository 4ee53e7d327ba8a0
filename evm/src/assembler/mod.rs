//! An assembler for the EVM: statements on named variables, functions, loops.
//!
//! A contract is written as in Yul. Expressions are compiled to the stack as they stand: nothing is
//! reordered, a variable is copied where it is named, and it stays on the stack until its block
//! ends. The assembler knows the height of the stack everywhere, and refuses code in which it
//! depends on the way that led there.
//!
//! Each statement also becomes one of Yul, in front of its bytes: so contracts have a text, which
//! any compiler of Yul takes, and which says of what each byte is part. Words that instructions
//! leave on the stack are variables there, too. What reverts calls a function `refuse`.
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
mod stack;
#[cfg(test)]
mod tests;
mod word;
mod yul;

use std::collections::BTreeMap;

pub use self::code::Code;
use self::code::{Item, Label, encode};
pub use self::error::AssemblerError;
pub use self::expression::{Expr, Name, call, load, take, var};
pub use self::op::Op;
use self::stack::Slot;
pub use self::word::Word;
use self::yul::{Scopes, call as call_text, text};

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
    stack: Vec<Slot>,
    /// What is declared in Yul.
    scopes: Scopes,
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
        self.op(Op::Stop);
        self.items.append(&mut self.functions);
        if let Some(revert) = self.revert {
            self.line("function refuse() {");
            self.place(revert);
            let (start, end) = match self.phases {
                None => (0_u64, 0),
                // Four bytes, and the number as a word.
                Some((address, selector)) => {
                    let data = [load(address), 32.into(), selector.into(), 0.into()];
                    data.into_iter().for_each(|word| self.push(word));
                    [Op::MStore; 2].into_iter().for_each(|op| self.op(op));
                    (28, 64)
                }
            };
            self.run(Op::Revert, [start.into(), (end - start).into()]);
            self.line("}");
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
        let (name, value) = (name.into(), self.resolved(value.into()));
        self.declare(&name.clone(), name, value);
    }

    /// Changes a variable.
    pub fn set(&mut self, name: impl Into<Name>, value: impl Into<Expr>) {
        let (name, value) = (name.into(), self.resolved(value.into()));
        let variable = text(&Expr::Variable(name.clone()), &self.stack);
        self.line(format!("{variable} := {}", text(&value, &self.stack)));
        self.compile(value);
        // The value is on top of the stack, so the variable is below.
        if let Some(depth) = self.depth(&name) {
            self.items.push(Item::Swap(depth - 1));
            self.emit(Op::Pop);
        }
    }

    /// Writes a word to memory.
    pub fn store(&mut self, address: impl Into<Expr>, value: impl Into<Expr>) {
        self.run(Op::MStore, [address.into(), value.into()]);
    }

    /// Executes an instruction that leaves nothing.
    pub fn run(&mut self, op: Op, arguments: impl Into<Vec<Expr>>) {
        let statement = self.resolved(Expr::Op(op, arguments.into()));
        self.line(text(&statement, &self.stack));
        self.compile(statement);
    }

    /// Calls a function that returns nothing.
    pub fn call(&mut self, name: impl Into<Name>, arguments: impl Into<Vec<Expr>>) {
        let name = name.into();
        let arguments = arguments.into().into_iter();
        let arguments: Vec<Expr> = arguments.map(|argument| self.resolved(argument)).collect();
        self.line(call_text(&name, &arguments, &self.stack));
        self.compile_call(name, arguments, 0);
    }

    /// Makes code say in which phase it reverts: its data is this selector, of 4 bytes, and the
    /// word at this place of the memory.
    pub const fn report_phases(&mut self, address: u64, selector: u32) {
        self.phases = Some((address, selector as u64));
    }

    /// Where the number of the phase is, if phases are reported.
    pub(crate) fn phase_at(&self) -> Option<u64> {
        self.phases.map(|(address, _)| address)
    }

    /// Reverts if the condition is not zero.
    pub fn revert_if(&mut self, condition: impl Into<Expr>) {
        self.condition(condition.into(), |condition| {
            format!("if {condition} {{ refuse() }}")
        });
        let revert = self.revert.unwrap_or_else(|| self.label());
        self.revert = Some(revert);
        self.push_label(revert);
        self.emit(Op::JumpI);
    }

    /// Runs the body, whose variables are removed.
    pub fn block(&mut self, body: impl FnOnce(&mut Self)) {
        self.line("{");
        self.body(body);
    }

    /// The rest of a block, of which there is a line already.
    fn body(&mut self, body: impl FnOnce(&mut Self)) {
        let before = self.stack.clone();
        let start = self.scopes.open();
        body(self);
        self.scopes.close(start);
        self.line("}");
        self.drop_to(before.len());
        self.check_stack("end of block", &before);
    }

    /// Runs the body, and again as long as the condition that it returns is not zero.
    pub fn repeat_while(&mut self, body: impl FnOnce(&mut Self) -> Expr) {
        let (start, before) = (self.label(), self.stack.clone());
        self.line("for {} 1 {} {");
        self.place(start);
        let scope = self.scopes.open();
        let condition = body(self);
        self.condition(condition, |condition| {
            format!("if iszero({condition}) {{ break }}")
        });
        self.drop_below_top(before.len());
        self.push_label(start);
        self.emit(Op::JumpI);
        self.scopes.close(scope);
        self.line("}");
        self.check_stack("loop", &before);
    }

    /// Runs the body if the condition is not zero.
    pub fn run_if(&mut self, condition: impl Into<Expr>, body: impl FnOnce(&mut Self)) {
        let end = self.label();
        self.condition(condition.into(), |condition| format!("if {condition} {{"));
        self.emit(Op::IsZero);
        self.push_label(end);
        self.emit(Op::JumpI);
        self.body(body);
        self.place(end);
    }

    /// Runs one body if the condition is not zero, else the other one.
    pub fn run_either(
        &mut self,
        condition: impl Into<Expr>,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let (start, end) = (self.label(), self.label());
        self.condition(condition.into(), |condition| format!("switch {condition}"));
        self.push_label(start);
        self.emit(Op::JumpI);
        self.line("case 0 {");
        self.body(otherwise);
        self.push_label(end);
        self.emit(Op::Jump);
        self.line("default {");
        self.place(start);
        self.body(then);
        self.place(end);
    }

    /// Puts a condition on the stack, in a line of its own.
    fn condition(&mut self, condition: Expr, line: impl FnOnce(String) -> String) {
        let condition = self.resolved(condition);
        self.line(line(text(&condition, &self.stack)));
        self.compile(condition);
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
        let scopes = std::mem::take(&mut self.scopes);
        let slot = |name: &str, yul: String| Slot {
            name: name.to_owned().into(),
            yul,
        };
        let returns = slot("return", String::new());
        let stack = std::mem::replace(&mut self.stack, vec![returns]);
        for name in parameters.into_iter().rev() {
            let yul = self.scopes.declare(name);
            self.stack.push(slot(name, yul));
        }
        let output = self.scopes.declare("result");
        let label = self.label();
        let result = body(self).map(|result| self.resolved(result));
        let outputs = usize::from(result.is_some());
        let mut header = format!("function {name}({})", parameters.join(", "));
        match result {
            Some(result) => {
                header += &format!(" -> {output}");
                self.line(format!("{output} := {}", text(&result, &self.stack)));
                self.compile(result);
                self.drop_below_top(1);
                self.swap(1);
                self.emit(Op::Jump);
                self.line("}");
            }
            None => {
                self.line("}");
                self.drop_to(1);
                self.emit(Op::Jump);
            }
        }
        self.check_height(name.clone(), outputs);
        let label = self.define(&name, label, (N, outputs));
        let body = std::mem::replace(&mut self.items, items);
        let header = [Item::Line(format!("{header} {{")), Item::Label(label)];
        self.functions.extend(header.into_iter().chain(body));
        (self.stack, self.scopes) = (stack, scopes);
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
    pub fn comment(&mut self, text: &str) {
        let lines = text.lines();
        lines.for_each(|line| self.line(format!("// {line}")));
    }

    /// A line of Yul, of which the items behind it are the code.
    fn line(&mut self, text: impl Into<String>) {
        self.items.push(Item::Line(text.into()));
    }

    fn compile_call(&mut self, name: Name, arguments: Vec<Expr>, outputs: usize) {
        let (back, signature) = (self.label(), (arguments.len(), outputs));
        let height = self.stack.len();
        self.push_label(back);
        self.compile_all(arguments);
        let label = self.label();
        let function = *self.signatures.entry(name.clone()).or_insert(Function {
            label,
            signature,
            is_defined: false,
        });
        self.check_signature(name, function.signature, signature);
        self.push_label(function.label);
        self.emit(Op::Jump);
        self.stack.truncate(height);
        self.grow(outputs);
        self.place(back);
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

    /// Checks that each word of the stack is the variable that it was.
    fn check_stack(&mut self, place: &'static str, before: &[Slot]) {
        self.check_height(place.into(), before.len());
        let mut slots = self.stack.iter().zip(before);
        if let Some((_, slot)) = slots.find(|(now, before)| now.yul != before.yul) {
            self.fail(AssemblerError::Moved(slot.name.clone()));
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
        self.grow(1);
    }

    fn place(&mut self, label: Label) {
        self.items.push(Item::Label(label));
    }

    /// Notes a mistake, unless there has been one before.
    pub fn fail(&mut self, error: AssemblerError) {
        self.error.get_or_insert(error);
    }
}
