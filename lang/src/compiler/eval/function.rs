//! Functions marked `#[inline(never)]`. Each is compiled once for every combination of generic
//! arguments, shapes of arguments, and fixed places in structs, and then called.

use super::call::Callee;
use super::instance::{InstanceKey, Scalar, Shape};
use super::*;
use crate::compiler::ir::{Area, AreaKind, Invoke, OpKind, Var, Word};
use crate::compiler::value::{Block, Ext, Pointer};

/// A compiled function: its index, and what its results look like.
#[derive(Clone)]
pub(super) struct Instance {
    function: usize,
    /// The result and the final values of `&mut` parameters, with placeholders for run-time
    /// scalars.
    result: Value,
    finals: Vec<Value>,
    /// Number of blocks that the function reads from the tape.
    consumed: Option<u32>,
}

/// How a run-time scalar is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    Word,
    Block,
}

fn passing(leaf: &Value) -> Option<Passing> {
    Some(match Scalar::of(leaf)? {
        Scalar::Felt | Scalar::Flag | Scalar::Slice(_) | Scalar::Words(_) | Scalar::Index(_) => {
            Passing::Word
        }
        Scalar::Ext | Scalar::Block => Passing::Block,
    })
}

/// Returns the word that represents a scalar whose place is decided.
fn place(leaf: &Value) -> Option<Word> {
    match leaf {
        Value::Felt(word) | Value::Flag(word) | Value::Words(word, _) | Value::Index(word, _) => {
            Some(*word)
        }
        Value::Slice(pointer, _)
        | Value::Ext(Ext::At(pointer))
        | Value::Block(Block::At(pointer))
            if pointer.distance == 0 =>
        {
            Some(pointer.word)
        }
        _ => None,
    }
}

/// Returns a run-time scalar of the same type at another place.
fn relocate(leaf: &Value, word: Word) -> Value {
    let pointer = Pointer { word, distance: 0 };
    match leaf {
        Value::Felt(_) => Value::Felt(word),
        Value::Flag(_) => Value::Flag(word),
        Value::Slice(_, length) => Value::Slice(pointer, *length),
        Value::Ext(_) => Value::Ext(Ext::At(pointer)),
        Value::Block(_) => Value::Block(Block::At(pointer)),
        Value::Words(_, n) => Value::Words(word, *n),
        Value::Index(_, n) => Value::Index(word, *n),
        other => other.clone(),
    }
}

impl Evaluator<'_> {
    /// Returns the word that represents a scalar: its value, or its address.
    pub(super) fn leaf_word(&mut self, leaf: &Value) -> Word {
        match leaf {
            Value::Felt(word) | Value::Flag(word) | Value::Index(word, _) => *word,
            Value::Words(word, _) => {
                // The receiver may write any of the words.
                if let Some(words) = self.words(*word) {
                    words.all = true;
                }
                *word
            }
            Value::Slice(pointer, _) => self.pointer(*pointer),
            Value::Ext(value) => self.ext_address(value),
            Value::Block(block) => self.block_address(block),
            _ => Word::Const(Default::default()),
        }
    }

    /// Returns whether a scalar is a constant or at a fixed address, which is the same for all
    /// functions.
    pub(super) fn is_fixed(&self, leaf: &Value) -> bool {
        match place(leaf) {
            Some(Word::Const(_)) => true,
            Some(Word::Address(area, _)) => {
                self.builder.ir.areas[area as usize].kind != (AreaKind::Local { global: false })
            }
            _ => false,
        }
    }

    /// Returns the value with every scalar at a fixed address represented by that address.
    fn fix(&mut self, value: Value) -> Value {
        let mut replace = |leaf: &Value| -> Result<Option<Value>, std::convert::Infallible> {
            if passing(leaf).is_none() {
                return Ok(None);
            }
            let word = self.leaf_word(leaf);
            let placed = relocate(leaf, word);
            Ok(self.is_fixed(&placed).then_some(placed))
        };
        match value.map_leaves(&mut replace) {
            Ok(Some(value)) => value,
            _ => value,
        }
    }

    /// Returns how a scalar is passed at run time. It is not passed if it belongs to a struct and
    /// is at a fixed place in the caller: a function is compiled anew for each set of fixed places.
    fn handed_over(&self, value: &Value, leaf: &Value) -> Option<Passing> {
        let known = matches!(value, Value::Struct(_)) && self.is_fixed(leaf);
        passing(leaf).filter(|_| !known)
    }

    pub(super) fn outline(
        &mut self,
        callee: Callee,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<(Value, Vec<Value>)> {
        let function = &callee.function;
        self.at(span);
        let mut known = Vec::with_capacity(values.len());
        let mut shapes = Vec::with_capacity(values.len());
        for (param, value) in function.params.iter().zip(values) {
            // What the function may change must have a place of its own.
            let value = match (&value, param.mutable_reference) {
                (Value::Struct(_), false) => self.fix(value),
                _ => value,
            };
            let handed_over = |leaf: &Value| self.handed_over(&value, leaf).is_some();
            match Shape::of(&value, &handed_over, &place) {
                Some(shape) => shapes.push(shape),
                None => {
                    let found = value.describe();
                    return fail(span, format!("{found} cannot be an argument of a call"));
                }
            }
            known.push(value);
        }
        let values = known;
        let (generics, self_type) = (&callee.generics, callee.self_type.as_ref());
        let key = InstanceKey::new(function, callee.owner, generics, self_type, shapes);
        if self.compiling.contains(&key) {
            return fail_help(
                span,
                format!("`{}` calls itself", function.name),
                "recursion must end at compile time",
            );
        }
        let location = self.builder.location;
        let mut args = Vec::new();
        for value in &values {
            let mut leaves = Vec::new();
            value.leaves(&mut leaves);
            for leaf in leaves {
                if self.handed_over(value, leaf).is_some() {
                    let word = self.leaf_word(leaf);
                    args.push(self.builder.reach(word));
                } else if !leaf.is_constant() && passing(leaf).is_none() {
                    let found = leaf.describe();
                    return fail(span, format!("{found} cannot be an argument of a call"));
                }
            }
        }
        let instance = match self.instances.get(&key) {
            Some(instance) => instance.clone(),
            None => {
                self.compiling.push(key.clone());
                let instance = self.compile_function(callee, values, span)?;
                self.compiling.pop();
                self.instances.insert(key, instance.clone());
                instance
            }
        };
        self.builder.location = location;
        let counters = &mut self.builder.counters;
        counters.advance(instance.consumed);
        let mut words = Vec::new();
        let mut blocks = Vec::new();
        let result = self.place_results(&instance.result, &mut words, &mut blocks);
        let finals: Vec<_> = instance
            .finals
            .iter()
            .map(|value| self.place_results(value, &mut words, &mut blocks))
            .collect();
        self.builder.push(OpKind::Invoke(Box::new(Invoke {
            function: instance.function,
            args,
            words,
            blocks,
        })));
        Ok((result, finals))
    }

    /// Returns a value that has new words and blocks of the current frame as its run-time scalars.
    fn place_results(
        &mut self,
        value: &Value,
        words: &mut Vec<Var>,
        blocks: &mut Vec<Area>,
    ) -> Value {
        let mut replace = |leaf: &Value| -> Result<Option<Value>, std::convert::Infallible> {
            if self.is_fixed(leaf) {
                return Ok(None);
            }
            Ok(passing(leaf).map(|passing| match passing {
                Passing::Word => {
                    let var = self.builder.var();
                    words.push(var);
                    relocate(leaf, Word::Var(var))
                }
                Passing::Block => {
                    let frame = self.builder.current_frame();
                    let area = self.builder.area_in(frame, 1);
                    blocks.push(area);
                    relocate(leaf, Word::Address(area, 0))
                }
            }))
        };
        match value.map_leaves(&mut replace) {
            Ok(Some(value)) => value,
            _ => value.clone(),
        }
    }

    fn compile_function(
        &mut self,
        callee: Callee,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Instance> {
        let name = callee.function.name.to_string();
        let frame = self.builder.frame(None);
        let mut params = Vec::new();
        let mut inner = Vec::with_capacity(values.len());
        for value in &values {
            let mut replace = |leaf: &Value| -> Eval<Option<Value>> {
                Ok(self.handed_over(value, leaf).map(|_| {
                    let var = self.builder.var_in(frame);
                    params.push(var);
                    relocate(leaf, Word::Var(var))
                }))
            };
            let replaced = value.map_leaves(&mut replace)?;
            inner.push(replaced.unwrap_or_else(|| value.clone()));
        }
        let scopes = std::mem::take(&mut self.builder.scopes);
        let activations = std::mem::take(&mut self.activations);
        let counters = self.builder.counters;
        self.builder.counters.enter();
        self.builder.push_scope(frame);
        let outcome = self.inline(callee, inner, span);
        let (result, finals) = match outcome {
            Ok(outcome) => outcome,
            Err(flow) => {
                // The call chain of an error includes the callers.
                let here = std::mem::replace(&mut self.activations, activations);
                self.activations.extend(here);
                return Err(flow);
            }
        };
        let result = self.fix(result);
        let finals: Vec<_> = finals.into_iter().map(|value| self.fix(value)).collect();
        let (mut words, mut blocks) = (Vec::new(), Vec::new());
        for value in std::iter::once(&result).chain(&finals) {
            let mut leaves = Vec::new();
            value.leaves(&mut leaves);
            for leaf in leaves {
                let Some(passing) = passing(leaf).filter(|_| !self.is_fixed(leaf)) else {
                    if !leaf.is_constant() && !self.is_fixed(leaf) && !matches!(leaf, Value::Lent) {
                        let found = leaf.describe();
                        return fail(span, format!("{found} cannot be the result of a call"));
                    }
                    continue;
                };
                let from = self.leaf_word(leaf);
                let from = self.builder.reach(from);
                match passing {
                    Passing::Word => {
                        let to = self.builder.var();
                        words.push(to);
                        self.builder.push(OpKind::Copy { to, from });
                    }
                    Passing::Block => {
                        let to = self.builder.area_in(frame, 1);
                        blocks.push(to);
                        self.builder.push(OpKind::CopyBlock {
                            to,
                            offset: 0,
                            from,
                        });
                    }
                }
            }
        }
        let body = self.builder.pop_scope().ops;
        let consumed = self.builder.counters.consumed;
        self.builder.counters = counters;
        self.builder.scopes = scopes;
        self.activations = activations;
        self.functions.push(FunctionIr {
            name,
            frame,
            params,
            words,
            blocks,
            body,
        });
        Ok(Instance {
            function: self.functions.len() - 1,
            result,
            finals,
            consumed,
        })
    }
}
