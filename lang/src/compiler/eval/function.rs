//! How a function is run. Its body is evaluated in the caller's place or, if it is marked
//! `#[inline(never)]`, compiled once for every combination of generic arguments, shapes of
//! arguments, and fixed places in structs, and then called.

use super::carry::*;
use super::closure::travels;
use super::generics::Generics;
use super::instance::{InstanceKey, Shape};
use super::place::Place;
use super::*;
use crate::compiler::ir::{Area, Invoke, OpKind, Var, Word};

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

/// A function to be called, and what its names mean.
pub(super) struct Callee {
    pub function: Rc<Function>,
    pub module: ModuleId,
    pub owner: Option<Owner>,
    pub generics: Generics,
    pub self_type: Option<Ty>,
}

/// Returns how a run-time scalar is passed.
fn passing(leaf: &Value) -> Option<Carrier> {
    match leaf {
        Value::Words(..) => Some(Carrier::Word),
        leaf => carrier(leaf),
    }
}

impl Evaluator<'_> {
    /// Returns the value with every scalar at a fixed address represented by that address.
    fn fix(&mut self, value: Value) -> Value {
        let mut replace = |leaf: &Value| {
            passing(leaf)?;
            let word = self.leaf_word(leaf);
            let placed = carried(leaf, word);
            self.is_fixed(&placed).then_some(placed)
        };
        value.map_leaves(&mut replace).unwrap_or(value)
    }

    /// Returns how a scalar is passed at run time. It is not passed if it belongs to a struct and
    /// is at a fixed place in the caller: a function is compiled anew for each set of fixed places.
    fn handed_over(&self, value: &Value, leaf: &Value) -> Option<Carrier> {
        let known = matches!(value, Value::Struct(..)) && self.is_fixed(leaf);
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
        let mut values = values;
        let mut shapes = Vec::with_capacity(values.len());
        for (param, value) in function.params.iter().zip(&mut values) {
            // What the function may change must have a place of its own.
            if matches!(value, Value::Struct(..)) && !param.mutable_reference {
                *value = self.fix(std::mem::replace(value, Value::LENT));
            }
            self.walk(value, span)?;
            let handed_over = |leaf: &Value| self.handed_over(value, leaf).is_some();
            match Shape::of(value, &handed_over, &place) {
                Some(shape) => shapes.push(shape),
                None => return fail(span, format!("{value} cannot be an argument of a call")),
            }
        }
        let (generics, self_type) = (&callee.generics, callee.self_type.as_ref());
        self.walk_types(generics.arguments().iter().chain(self_type), span)?;
        let key = InstanceKey::new(function, callee.owner, generics, self_type, shapes);
        if self.compiling.contains(&key) {
            let help = "recursion must end at compile time";
            return fail_help(span, format!("`{}` calls itself", function.name), help);
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
                    return fail(span, format!("{leaf} cannot be an argument of a call"));
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
        let mut replace = |leaf: &Value| {
            let passing = passing(leaf).filter(|_| !self.is_fixed(leaf))?;
            Some(match passing {
                Carrier::Word => {
                    let var = self.builder.var();
                    words.push(var);
                    carried(leaf, Word::Var(var))
                }
                Carrier::Block => {
                    let frame = self.builder.current_frame();
                    let area = self.builder.area_in(frame, 1);
                    blocks.push(area);
                    carried(leaf, Word::Address(area, 0))
                }
            })
        };
        let placed = value.map_leaves(&mut replace);
        placed.unwrap_or_else(|| value.clone())
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
            let mut replace = |leaf: &Value| {
                self.handed_over(value, leaf)?;
                let var = self.builder.var_in(frame);
                params.push(var);
                Some(carried(leaf, Word::Var(var)))
            };
            let replaced = value.map_leaves(&mut replace);
            inner.push(replaced.unwrap_or_else(|| value.clone()));
        }
        let scopes = std::mem::take(&mut self.builder.scopes);
        let activations = std::mem::take(&mut self.activations);
        let counters = self.builder.counters;
        self.builder.counters.enter();
        self.builder.push_scope(frame);
        let outcome = self.inline(callee, inner, span);
        self.activations = activations;
        let (result, finals) = outcome?;
        let result = self.fix(result);
        let finals: Vec<_> = finals.into_iter().map(|value| self.fix(value)).collect();
        let (mut words, mut blocks) = (Vec::new(), Vec::new());
        for value in std::iter::once(&result).chain(&finals) {
            let mut leaves = Vec::new();
            value.leaves(&mut leaves);
            for leaf in leaves {
                let Some(passing) = passing(leaf).filter(|_| !self.is_fixed(leaf)) else {
                    if !leaf.is_constant()
                        && !self.is_fixed(leaf)
                        && !matches!(leaf, Value::Empty(..))
                    {
                        return fail(span, format!("{leaf} cannot be the result of a call"));
                    }
                    continue;
                };
                let from = self.leaf_word(leaf);
                let from = self.builder.reach(from);
                match passing {
                    Carrier::Word => {
                        let to = self.builder.var();
                        words.push(to);
                        self.builder.push(OpKind::Copy(to, from));
                    }
                    Carrier::Block => {
                        let to = self.builder.area_in(frame, 1);
                        blocks.push(to);
                        self.builder.push(OpKind::CopyBlock(to, 0, from));
                    }
                }
            }
        }
        let body = self.builder.pop_scope().ops;
        let consumed = self.builder.counters.consumed;
        self.builder.counters = counters;
        self.builder.scopes = scopes;
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

    /// Evaluates the body of a function. Also returns the final values of parameters that are `&mut`
    /// or closures.
    pub(super) fn inline(
        &mut self,
        callee: Callee,
        values: Vec<Value>,
        span: Span,
    ) -> Result<(Value, Vec<Value>), Box<Failure>> {
        let function = callee.function;
        self.check_call(span)?;
        let Some(body) = &function.body else {
            return fail(span, format!("`{}` has no body", function.name));
        };
        let parent = self.activations.last().map(|here| here.site);
        self.sites.push(Site {
            parent,
            function: function.name.to_string(),
            call: span,
        });
        let activation = Activation {
            generics: callee.generics,
            self_type: callee.self_type,
            function: Some(function.clone()),
            owner: callee.owner,
            output: function.output.clone(),
            site: self.sites.len() as u32 - 1,
            ..Activation::new(callee.module)
        };
        self.in_activation(activation, span, |this| {
            this.run(&function, body, values, span)
        })
    }

    /// Runs a function in its activation.
    fn run(
        &mut self,
        function: &Function,
        body: &Block,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<(Value, Vec<Value>)> {
        let count = function.params.len();
        let mut values = values;
        let lent = values.split_off(count.min(values.len()));
        let lent = self.receive_references(&mut values, lent, count);
        let mut returned = Vec::with_capacity(count);
        for (param, value) in function.params.iter().zip(values) {
            match self.here().self_type.clone() {
                Some(ty) if matches!(param.ty.kind, TypeKind::Unknown) => {
                    if !value.is_of(&ty) {
                        return self.mismatched(&self.shown_type(&ty), &value, span);
                    }
                }
                _ => self.check_type(&value, &param.ty, span)?,
            }
            self.tell_signature(function, &param.ty, &value)?;
            returned.push(self.bind_param(param, value, param.mutable_reference)?);
        }
        returned.extend(lent.into_iter().map(Some));
        let output = self.output_type()?;
        self.expected = output.clone();
        let result = match self.statements(body) {
            Ok(value) | Err(Flow::Return(value)) => value,
            Err(other) => return Err(other),
        };
        let result = match &function.output {
            Some(ty) if ty.reference => self.seen(result, function.span)?,
            _ => result,
        };
        let end = body.tail.as_ref().map_or(function.span, |tail| tail.span);
        let mut result = self.settled(result, &output, end)?;
        match &function.output {
            // `impl Iterator`
            Some(ty) if matches!(ty.kind, TypeKind::Unknown) => {
                if self.is_own_iterator(&result) {
                    // Its type is hidden, and so are its other methods.
                    let iter = Iter::Skip(Box::new(Iter::Own(result)), 0);
                    result = iter.into_value();
                } else if !matches!(result, Value::Iter(_) | Value::Range(..) | Value::From(..)) {
                    let message = "`impl Trait` as a result is only for closures and iterators";
                    return fail_help(ty.span, message, "write the type");
                }
            }
            Some(ty) => {
                self.check_type(&result, ty, end)?;
                self.tell_signature(function, ty, &result)?;
            }
            None => self.check_unit(&result, end)?,
        }
        Ok(self.outcome(result, returned, 0))
    }

    /// Returns the result of a call, and takes the final values of the variables that
    /// [`Self::bind_param`] returned. The first variables are those that the code has `captured`.
    pub(super) fn outcome(
        &mut self,
        result: Value,
        returned: Vec<Option<usize>>,
        captured: usize,
    ) -> (Value, Vec<Value>) {
        let (mut result, mut returned) = (result, returned);
        let vars = &mut self.here().vars;
        let finals = returned.iter();
        let finals = finals.map(|number| number.map(|number| vars.take_value(number)));
        let mut finals: Vec<_> = finals.map(|value| value.unwrap_or(Value::LENT)).collect();
        returned.extend((0..captured).map(Some));
        self.return_references(std::slice::from_mut(&mut result), &returned);
        self.return_references(&mut finals, &returned);
        (result, finals)
    }

    /// Binds a parameter. Returns the variable of which the caller gets the final value: one that is
    /// passed by `&mut`, or a closure that may change variables.
    pub(super) fn bind_param(
        &mut self,
        param: &Param,
        value: Value,
        mutable: bool,
    ) -> Eval<Option<usize>> {
        let number = self.here().vars.len();
        let lent = travels(&value);
        // A reference that may come to refer to something else, or whose parts are bound.
        let is_value = param.reassigned || param.name().is_none();
        if mutable && is_value && !matches!(value, Value::Reference(_)) {
            let here = self.here();
            here.vars.push(Symbol::new("&mut"), value);
            here.borrowed.push(number);
            let place = Place::of_variable(number, param.pattern.span);
            let reference = self.reference_to(place)?;
            self.bind(&param.pattern, reference)?;
            return Ok(Some(number));
        }
        self.bind(&param.pattern, value)?;
        let here = self.here();
        if mutable {
            here.borrowed.push(number);
        } else if param.ty.reference && param.name().is_some() && !param.dereferenced {
            here.references.push(number);
        }
        let lent = lent && here.vars.len() > number;
        if lent {
            here.lent.push(number);
        }
        Ok((mutable || lent).then_some(number))
    }

    /// Returns what the present function's signature says about the integers in its result.
    pub(super) fn output_type(&mut self) -> Eval<Ty> {
        let Some(here) = self.activations.last() else {
            return Ok(Ty::Unknown);
        };
        match here.output.clone() {
            Some(ty) => self.ty(&ty),
            None => Ok(Ty::Unknown),
        }
    }
}
