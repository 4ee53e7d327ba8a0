//! The partial evaluator. It walks the syntax tree with compile-time values, and emits an operation
//! for everything that is known only at run time.
//!
//! Its modules are in layers. Each uses those before it, and the state in this file.
//! 1. Leaves: what is bound to names, limits, integers, and the names that the language provides.
//! 2. Values: operators, assertions and built-in functions, given the values of their arguments.
//! 3. Names: what a type or a path means, and which implementation a name is that of.
//! 4. Code: places, patterns, statements, branches, loops, closures, iterators and calls, up to
//!    expressions.
//!
//! Programs are recursive, so some arrows point back: `expr` with its forms for a known type, from
//! all that has parts; `path_value`, from the constants in types; `associated_type`, from types to
//! the choice of an implementation; and calls of functions that the program wrote for operators.

// Leaves.
mod builtin;
mod effects;
mod generics;
mod held;
mod integer;
mod limits;
mod variables;

// Values.
mod argument;
mod arith;
mod assertion;
mod associated;
mod carry;
mod compare;
mod convert;
mod extension;
mod instance;
mod intrinsic;
mod method;
mod text;

// Names.
mod bounds;
mod candidate;
mod declared;
mod dispatch;
mod path;
mod types;
mod unify;

// Code.
mod apply;
mod assign;
mod block;
mod call;
mod change;
mod closure;
mod control;
mod expr;
mod function;
mod index;
mod invoke;
mod iterator;
mod list;
mod loops;
mod operator;
mod ownership;
mod pattern;
mod place;
mod reference;
mod structure;
mod variant;

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::ast::*;
use generics::Generics;
use variables::{Assignments, Variables};

use super::build::Builder;
use super::error::{Failure, fail, fail_certain, fail_help, wanted};
use super::ir::{FunctionIr, Ir, MAIN, Var, Word};
use super::output::{Location, Site, Span};
use super::resolve::{Definition, Items, ModuleId, Namespace, home};
use super::value::{StructId, Ty, Value};
use crate::precompile::Precompile;

pub(super) use closure::Scope;
pub(super) use iterator::Iter;
pub(super) use reference::Reference;

/// Why the evaluation of an expression ended without a value.
pub(super) enum Flow {
    Fail(Box<Failure>),
    Return(Value),
    /// The loop or block that is left, if it is named, and its value.
    Break(Option<Label>, Value),
    Continue(Option<Label>),
}

impl From<Box<Failure>> for Flow {
    fn from(failure: Box<Failure>) -> Self {
        Self::Fail(failure)
    }
}

type Eval<T> = Result<T, Flow>;

/// Advice for hints that are used before they are checked.
const UNCHECKED: &str =
    "check it with `.bit()` or `.checked()`, or accept every value with `.any()`";

/// Returns the error for a name that means nothing here.
fn missing<T>(what: &str, name: Symbol, span: Span) -> Eval<T> {
    let message = format!("there is no {what}");
    match (home(&name.text()), wanted(&name.text())) {
        (Some(module), _) => fail_help(span, message, format!("write `use {module}::*;`")),
        (None, Some(help)) => fail_help(span, message, help),
        (None, None) => fail(span, message),
    }
}

/// A call in progress.
struct Activation {
    /// What no other activation has.
    number: u64,
    module: ModuleId,
    vars: Variables,
    /// Assignments to captured variables.
    assigned: Assignments,
    /// Modules of the blocks in progress that declare items, each with the number of variables
    /// around it. Its items hide those.
    scopes: Vec<(ModuleId, usize)>,
    /// Indices of the variables that are `&mut` parameters.
    borrowed: Vec<usize>,
    /// Indices of the variables that are `&` parameters.
    references: Vec<usize>,
    /// Indices of the variables that whoever called takes back: a closure's changes of what it
    /// captured are not lost in them.
    lent: Vec<usize>,
    /// Whether this is the body of a closure in `function`.
    in_closure: bool,
    generics: Generics,
    self_type: Option<Ty>,
    /// The function that is called; `None` for a constant or a type.
    function: Option<Rc<Function>>,
    /// Where its code is written.
    owner: Option<Owner>,
    output: Option<Type>,
    site: u32,
}

impl Activation {
    /// Returns an activation without a function.
    fn new(module: ModuleId) -> Self {
        Self {
            number: 0,
            module,
            vars: Variables::default(),
            assigned: Assignments::default(),
            scopes: Vec::new(),
            borrowed: Vec::new(),
            references: Vec::new(),
            lent: Vec::new(),
            in_closure: false,
            generics: Generics::default(),
            self_type: None,
            function: None,
            owner: None,
            output: None,
            site: 0,
        }
    }
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
    /// Number of activations so far.
    activation_count: u64,
    /// Types of literals, as far as they are found.
    inference: integer::Inference,
    /// Values of constants, by the constant, its implementation, generic arguments and `Self`.
    constants: HashMap<ConstantKey, Value>,
    /// Whether a name in a pattern is that of a constant.
    constant_names: HashMap<(ModuleId, Symbol), bool>,
    /// Numbers of the variants of enums, as far as they were needed.
    discriminants: HashMap<StructId, Vec<i128>>,
    instances: HashMap<instance::InstanceKey, function::Instance>,
    functions: Vec<FunctionIr>,
    /// Uses of `Words`, by the word that holds their address.
    words: HashMap<Var, WordsUse>,
    /// Type that the next expression should have, for calls whose arguments do not determine it.
    expected: Ty,
    /// Number of expressions in progress.
    depth: usize,
    /// Whether a constant or a length is being evaluated.
    in_constant: bool,
    /// Number of steps of the evaluation so far.
    steps: Cell<u64>,
    /// Functions that are being compiled and not inlined, to detect recursion.
    compiling: Vec<instance::InstanceKey>,
}

/// The representation of a program, and the activations of its functions.
pub(super) type Evaluated = (Ir, Vec<Site>);

/// Evaluates `main` of the entry module.
pub(super) fn evaluate(
    items: &Items,
    entry: ModuleId,
    precompiles: &[Precompile],
) -> Result<Evaluated, Box<Failure>> {
    let mut evaluator = Evaluator {
        items,
        precompiles,
        builder: Builder::new(),
        sites: Vec::new(),
        activations: Vec::new(),
        activation_count: 0,
        inference: integer::Inference::default(),
        constants: HashMap::new(),
        constant_names: HashMap::new(),
        discriminants: HashMap::new(),
        instances: HashMap::new(),
        functions: Vec::new(),
        words: HashMap::new(),
        expected: Ty::Unknown,
        depth: 0,
        in_constant: false,
        steps: Cell::new(0),
        compiling: Vec::new(),
    };
    let name = Symbol::new("main");
    let (module, function) = match items.lookup(entry, name, Namespace::Value, Span::default())? {
        Some(Definition::Function(module, function)) => (module, function),
        _ => {
            let help = "a program must have a `pub fn main()`";
            return fail_help(Span::default(), "the program has no function `main`", help);
        }
    };
    if !function.params.is_empty() || !function.generics.is_empty() {
        let help = "read inputs with `public_input()` and `hint_felt()`";
        return fail_help(function.span, "`main` takes no parameters", help);
    }
    let span = function.span;
    let callee = function::Callee {
        function: function.clone(),
        module,
        owner: None,
        generics: Generics::default(),
        self_type: None,
    };
    evaluator.inline(callee, Vec::new(), span)?;
    evaluator.check_integers()?;
    evaluator.check_words()?;
    let mut ir = std::mem::take(&mut evaluator.builder.ir);
    ir.main = evaluator.builder.pop_scope().ops;
    ir.functions = evaluator.functions;
    ir.public_inputs = evaluator.builder.counters.public_inputs;
    ir.public_outputs = evaluator.builder.counters.public_outputs;
    debug_assert_eq!(evaluator.builder.entry_frame, MAIN);
    Ok((ir, evaluator.sites))
}

/// Where the code of a call in progress is written. This determines its generic parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub implementation: usize,
    /// The trait, if the code is a default of it.
    pub default_of: Option<usize>,
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
                let help = "a prover could choose its value: write it first";
                fail_help(span, "this word is never written", help)
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

    /// Runs `body` in an activation of its own. Nothing else begins or ends one, and no jump leaves
    /// one.
    fn in_activation<T>(
        &mut self,
        activation: Activation,
        span: Span,
        body: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Result<T, Box<Failure>> {
        let before = self.activations.len();
        self.activation_count += 1;
        self.activations.push(Activation {
            number: self.activation_count,
            ..activation
        });
        let mut result = body(self);
        if let Err(Flow::Fail(failure)) = &mut result
            && failure.calls.is_empty()
        {
            failure.calls = self.chain();
        }
        self.activations.truncate(before);
        match result {
            Ok(value) => Ok(value),
            Err(Flow::Fail(failure)) => Err(failure),
            Err(Flow::Return(_) | Flow::Break(..) | Flow::Continue(_)) => {
                fail(span, "a jump cannot leave this")
            }
        }
    }

    /// Evaluates a constant or a length. It is known while compiling, so nothing is emitted for it.
    fn constantly<T>(&mut self, span: Span, body: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        let before = self.builder.emitted();
        let around = std::mem::replace(&mut self.in_constant, true);
        let result = body(self);
        self.in_constant = around;
        if result.is_ok() && self.builder.emitted() != before {
            return fail(
                span,
                "this is computed in a run, so it cannot be part of a constant",
            );
        }
        result
    }

    /// Runs `body` in the scope of another item, which `span` asks for.
    fn within<T>(
        &mut self,
        span: Span,
        module: ModuleId,
        generics: Generics,
        self_type: Option<Ty>,
        owner: Option<Owner>,
        body: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        self.check_items(span)?;
        let site = self.activations.last().map_or(0, |here| here.site);
        let activation = Activation {
            generics,
            self_type,
            owner,
            site,
            ..Activation::new(module)
        };
        Ok(self.in_activation(activation, span, body)?)
    }

    /// Returns the index of the variable that a name means, if it means one.
    fn slot(&mut self, name: Symbol) -> Option<usize> {
        let items = self.items;
        let here = self.here();
        let slot = here.vars.find(name)?;
        let mut scopes = here.scopes.iter();
        let hidden = scopes.any(|(module, around)| {
            slot < *around && items.declares(*module, name, Namespace::Value)
        });
        (!hidden).then_some(slot)
    }

    /// Returns whether a block in progress declares or imports an item of this name. It hides
    /// generic parameters, and the variables around the block.
    fn is_of_block(&self, name: Symbol, namespace: Namespace) -> bool {
        let here = self.activations.last();
        let mut scopes = here.into_iter().flat_map(|here| &here.scopes);
        scopes.any(|(module, _)| self.items.declares(*module, name, namespace))
    }
}
