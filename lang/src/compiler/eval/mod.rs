//! The partial evaluator. It walks the syntax tree with compile-time values, and emits an operation
//! for everything that is known only at run time.

mod arith;
mod assertion;
mod bounds;
mod builtin;
mod call;
mod carry;
mod control;
mod dispatch;
mod effects;
mod expr;
mod extension;
mod function;
mod generics;
mod instance;
mod integer;
mod intrinsic;
mod invoke;
mod limits;
mod loops;
mod method;
mod pattern;
mod place;
mod types;
mod unify;
mod variables;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::ast::*;
use super::build::Builder;
use super::error::{Failure, failure};
use super::ir::{FunctionIr, Ir, MAIN, Var, Word};
use super::output::{Location, Site, Span};
use super::resolve::{Definition, Items, ModuleId, Namespace, home};
use super::value::{Ty, Value};
use crate::precompile::Precompile;
use generics::Generics;
use variables::Variables;

/// Why the evaluation of an expression ended without a value.
pub(super) enum Flow {
    Fail(Box<Failure>),
    Return(Value),
    Break,
    Continue,
}

impl From<Box<Failure>> for Flow {
    fn from(failure: Box<Failure>) -> Self {
        Self::Fail(failure)
    }
}

type Eval<T> = Result<T, Flow>;

fn fail<T>(span: Span, message: impl Into<String>) -> Eval<T> {
    Err(failure(span, message).into())
}

/// Advice for hints that are used before they are checked.
const UNCHECKED: &str =
    "check it with `.bit()` or `.checked()`, or accept every value with `.any()`";

/// Returns the error for a name that means nothing here.
fn missing<T>(what: &str, name: Symbol, span: Span) -> Eval<T> {
    let message = format!("there is no {what}");
    match home(&name.text()) {
        Some(module) => fail_help(span, message, format!("write `use {module}::*;`")),
        None => fail(span, message),
    }
}

fn fail_help<T>(span: Span, message: impl Into<String>, help: impl Into<String>) -> Eval<T> {
    let mut failure = failure(span, message);
    failure.help = Some(help.into());
    Err(failure.into())
}

/// A call in progress.
struct Activation {
    module: ModuleId,
    vars: Variables,
    /// Indices of the variables that are `&mut` parameters.
    borrowed: Vec<usize>,
    /// Constants that are declared in the blocks in progress.
    constants: Vec<LocalConst>,
    generics: Generics,
    self_type: Option<Ty>,
    /// The function that is called; `None` for a constant or a type.
    function: Option<Rc<Function>>,
    /// Where its code is written.
    owner: Option<dispatch::Owner>,
    output: Option<Type>,
    site: u32,
}

impl Activation {
    /// Returns an activation without a function.
    fn new(module: ModuleId) -> Self {
        Self {
            module,
            vars: Variables::default(),
            borrowed: Vec::new(),
            constants: Vec::new(),
            generics: Generics::default(),
            self_type: None,
            function: None,
            owner: None,
            output: None,
            site: 0,
        }
    }
}

/// A constant that is declared in a block.
#[derive(Clone)]
struct LocalConst {
    constant: Rc<Const>,
    /// Number of constants of the surrounding blocks that are in scope in its value.
    visible: usize,
}

/// How write-once words are used.
#[derive(Default)]
struct WordsUse {
    /// Constant indices that are written.
    written: BTreeSet<u32>,
    /// Whether words at other than constant indices may be written.
    all: bool,
    /// Reads: the index if it is constant, and the place in the source.
    reads: Vec<(Option<u32>, Span)>,
}

type ConstantKey = (*const Const, Option<usize>, Generics, Option<Ty>);

/// The evaluator.
pub(super) struct Evaluator<'a> {
    items: &'a Items,
    /// Users' precompiles.
    precompiles: &'a [Precompile],
    builder: Builder,
    sites: Vec<Site>,
    activations: Vec<Activation>,
    /// Values of constants, by the constant, its implementation, generic arguments and `Self`.
    constants: HashMap<ConstantKey, Value>,
    /// Whether a name in a pattern is that of a constant.
    constant_names: HashMap<(ModuleId, Symbol), bool>,
    instances: HashMap<instance::InstanceKey, function::Instance>,
    functions: Vec<FunctionIr>,
    /// Uses of `Words`, by the word that holds their address.
    words: HashMap<Var, WordsUse>,
    /// Type that the next expression should have, for calls whose arguments do not determine it.
    expected: Ty,
    /// Number of expressions in progress.
    depth: usize,
    /// Number of steps of the evaluation so far.
    steps: u64,
    /// Functions that are being compiled and not inlined, to detect recursion.
    compiling: Vec<instance::InstanceKey>,
}

/// Evaluates `main` of the entry module.
pub(super) fn evaluate(
    items: &Items,
    entry: ModuleId,
    precompiles: &[Precompile],
) -> Result<(Ir, Vec<Site>), Box<Failure>> {
    let mut evaluator = Evaluator {
        items,
        precompiles,
        builder: Builder::new(),
        sites: Vec::new(),
        activations: Vec::new(),
        constants: HashMap::new(),
        constant_names: HashMap::new(),
        instances: HashMap::new(),
        functions: Vec::new(),
        words: HashMap::new(),
        expected: Ty::Unknown,
        depth: 0,
        steps: 0,
        compiling: Vec::new(),
    };
    let name = Symbol::new("main");
    let main = match items.lookup(entry, name, Namespace::Value, Span::default())? {
        Some(Definition::Function(module, function)) => (module, function),
        _ => {
            let mut failure = failure(Span::default(), "the program has no function `main`");
            failure.help = Some("a program must have a `pub fn main()`".into());
            return Err(failure);
        }
    };
    let (module, function) = main;
    if !function.params.is_empty() || !function.generics.is_empty() {
        let mut failure = failure(function.span, "`main` takes no parameters");
        failure.help = Some("read inputs with `public_input()` and `hint_felt()`".into());
        return Err(failure);
    }
    let span = function.span;
    let callee = call::Callee {
        function: function.clone(),
        module,
        owner: None,
        generics: Generics::default(),
        self_type: None,
    };
    let result = evaluator.inline(callee, Vec::new(), span);
    match result {
        Ok(_) => {}
        Err(Flow::Fail(mut failure)) => {
            failure.calls = evaluator.chain();
            return Err(failure);
        }
        Err(_) => return Err(failure(function.span, "`break` outside of a loop")),
    }
    evaluator.check_words()?;
    let mut ir = std::mem::take(&mut evaluator.builder.ir);
    ir.main = evaluator.builder.pop_scope().ops;
    ir.functions = evaluator.functions;
    ir.public_inputs = evaluator.builder.counters.public_inputs;
    ir.public_outputs = evaluator.builder.counters.public_outputs;
    debug_assert_eq!(evaluator.builder.entry_frame, MAIN);
    Ok((ir, evaluator.sites))
}

impl Evaluator<'_> {
    fn here(&mut self) -> &mut Activation {
        self.activations.last_mut().expect("a call is in progress")
    }

    fn module(&self) -> ModuleId {
        self.activations.last().map_or(0, |here| here.module)
    }

    fn words(&mut self, base: Word) -> Option<&mut WordsUse> {
        match base {
            Word::Var(base) => self.words.get_mut(&base),
            _ => None,
        }
    }

    /// Refuses reads of words that are never written: a prover could choose their values.
    fn check_words(&self) -> Result<(), Box<Failure>> {
        let unwritten = |words: &WordsUse, index: Option<u32>| match index {
            Some(index) => !words.written.contains(&index),
            None => words.written.is_empty(),
        };
        let reads = self.words.values().filter(|words| !words.all);
        let first = reads
            .flat_map(|words| words.reads.iter().map(move |read| (words, read)))
            .filter(|(words, (index, _))| unwritten(words, *index))
            .map(|(_, (_, span))| *span)
            .min_by_key(|span| (span.file, span.start));
        match first {
            None => Ok(()),
            Some(span) => {
                let mut failure = failure(span, "this word is never written");
                failure.help = Some("a prover could choose its value: write it first".into());
                Err(failure)
            }
        }
    }

    /// Sets the place in the source of the operations that follow.
    fn at(&mut self, span: Span) {
        self.builder.location = Location {
            span,
            site: self.activations.last().map_or(0, |here| here.site),
        };
    }

    /// Returns the calls in progress, innermost first.
    fn chain(&self) -> Vec<(String, Span)> {
        let mut calls = Vec::new();
        let mut next = self.activations.last().map(|here| here.site);
        while let Some(site) = next.and_then(|site| self.sites.get(site as usize)) {
            calls.push((site.function.clone(), site.call));
            next = site.parent;
        }
        calls.pop();
        calls
    }

    fn block(&mut self, block: &Block) -> Eval<Value> {
        let here = self.here();
        let (vars, constants) = (here.vars.len(), here.constants.len());
        let result = self.statements(block);
        let here = self.here();
        here.vars.truncate(vars);
        here.constants.truncate(constants);
        result
    }

    fn statements(&mut self, block: &Block) -> Eval<Value> {
        let expected = std::mem::replace(&mut self.expected, Ty::Unknown);
        let here = self.here();
        let visible = here.constants.len() + block.constants.len();
        for constant in &block.constants {
            here.constants.push(LocalConst {
                constant: constant.clone(),
                visible,
            });
        }
        for statement in &block.statements {
            match statement {
                Statement::Let(pattern, ty, value) => {
                    let ty = match ty {
                        Some(ty) => self.ty(ty)?,
                        None => Ty::Unknown,
                    };
                    let value = match value {
                        Some(value) => {
                            if let ExprKind::RefMut(_) = value.kind {
                                return fail_help(
                                    value.span,
                                    "mutable references cannot be kept in variables",
                                    "pass `&mut place` where it is used",
                                );
                            }
                            self.expr_of(value, ty)?
                        }
                        None => Value::Lent,
                    };
                    self.bind(pattern, value)?;
                }
                Statement::Expr(expr) => {
                    self.expr(expr)?;
                }
            }
        }
        match &block.tail {
            Some(tail) => {
                self.expected = expected;
                self.expr(tail)
            }
            None => Ok(Value::unit()),
        }
    }

    /// Returns the value of a constant that is declared in a block of this call, if the name is
    /// that of one.
    fn local_constant(&mut self, name: Symbol) -> Eval<Option<Value>> {
        let here = self.here();
        let mut locals = here.constants.iter().rev();
        let Some(local) = locals.find(|local| local.constant.name == name).cloned() else {
            return Ok(None);
        };
        let module = here.module;
        let around = here.constants[..local.visible].to_vec();
        let constants = Activation {
            constants: around,
            ..Activation::new(module)
        };
        self.constant_in(&local.constant, constants).map(Some)
    }

    /// Returns the value of a constant, evaluated in the scope in which it is written.
    fn constant(
        &mut self,
        constant: &Rc<Const>,
        module: ModuleId,
        generics: Generics,
        self_type: Option<Ty>,
        owner: Option<dispatch::Owner>,
    ) -> Eval<Value> {
        let activation = Activation {
            generics,
            self_type,
            owner,
            ..Activation::new(module)
        };
        self.constant_in(constant, activation)
    }

    fn constant_in(&mut self, constant: &Rc<Const>, mut activation: Activation) -> Eval<Value> {
        let key = (
            Rc::as_ptr(constant),
            activation.owner.map(|owner| owner.implementation),
            activation.generics.clone(),
            activation.self_type.clone(),
        );
        if let Some(value) = self.constants.get(&key) {
            return Ok(value.clone());
        }
        let Some(expr) = &constant.value else {
            return fail(constant.span, format!("`{}` has no value", constant.name));
        };
        self.check_items(constant.span)?;
        activation.site = self.activations.last().map_or(0, |here| here.site);
        self.activations.push(activation);
        let ty = self.ty(&constant.ty)?;
        let value = self.expr_of(expr, ty)?;
        self.activations.pop();
        let mut leaves = Vec::new();
        value.leaves(&mut leaves);
        if !leaves.into_iter().all(Value::is_constant) {
            return fail(
                constant.span,
                format!("`{}` is not known at compile time", constant.name),
            );
        }
        self.constants.insert(key, value.clone());
        Ok(value)
    }
}
