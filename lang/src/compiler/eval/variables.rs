//! The variables of a call.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::{Index, IndexMut};

use super::*;

/// A step from a value to one of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Field(usize),
    Element(usize),
}

/// A name and what it is bound to.
pub(super) type Binding = (Symbol, Value);

/// Assignments to captured variables, by [`Variables::birth`]. They are not undone when the sides of
/// a branch, or the body of a loop, are evaluated again.
#[derive(Default)]
pub(super) struct Assignments {
    number: u64,
    /// By variable: fields that were assigned, each with the number of its last assignment.
    fields: BTreeMap<u64, BTreeMap<Vec<usize>, u64>>,
}

impl Assignments {
    /// Notes assignments to a variable from now on. Returns the number of those before.
    pub fn watch(&mut self, birth: u64) -> u64 {
        self.fields.entry(birth).or_default();
        self.number
    }

    /// Notes an assignment to the part to which these steps lead.
    pub fn note(&mut self, birth: u64, steps: &[Step]) {
        let Some(fields) = self.fields.get_mut(&birth) else {
            return;
        };
        let steps = steps.iter().map_while(|step| match step {
            Step::Field(field) => Some(*field),
            Step::Element(_) => None,
        });
        self.number += 1;
        fields.insert(steps.collect(), self.number);
    }

    /// Returns the fields of a variable that were assigned since so many assignments.
    pub fn since(&self, birth: u64, number: u64) -> impl Iterator<Item = &[usize]> {
        let fields = self.fields.get(&birth).into_iter().flatten();
        let later = fields.filter(move |(_, last)| **last > number);
        later.map(|(fields, _)| fields.as_slice())
    }
}

/// Bindings in the order in which they were made, each with its number: a name means the last that
/// it was bound to. Generated functions have thousands, so names are looked up in a map.
#[derive(Clone, Default)]
pub(super) struct Variables {
    bindings: Vec<Binding>,
    last: HashMap<Symbol, usize>,
    /// By binding: the one before it of the same name.
    hidden: Vec<Option<usize>>,
    /// By binding: how many were made before it. No other variable of the call has this.
    births: Vec<u64>,
    born: u64,
    /// Parts that were moved: the binding, and the steps from its value.
    moved: BTreeSet<(usize, Vec<Step>)>,
}

impl Variables {
    pub fn len(&self) -> usize {
        self.bindings.len()
    }

    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The number of the variable that a name means.
    pub fn find(&self, name: Symbol) -> Option<usize> {
        self.last.get(&name).copied()
    }

    /// What no other variable of the call has, even if it has the same number later.
    pub fn birth(&self, number: usize) -> Option<u64> {
        self.births.get(number).copied()
    }

    /// Whether exactly one variable has this name.
    pub fn is_only(&self, name: Symbol) -> bool {
        let last = self.find(name);
        last.is_some_and(|last| self.hidden[last].is_none())
    }

    pub fn push(&mut self, name: Symbol, value: Value) {
        let number = self.bindings.len();
        self.hidden.push(self.last.insert(name, number));
        self.births.push(self.born);
        self.born += 1;
        self.bindings.push((name, value));
    }

    pub fn pop(&mut self) -> Option<Value> {
        let (name, value) = self.bindings.pop()?;
        self.births.pop();
        self.fill(self.bindings.len(), &[]);
        match self.hidden.pop().flatten() {
            Some(before) => self.last.insert(name, before),
            None => self.last.remove(&name),
        };
        Some(value)
    }

    /// Takes the value of a variable, which is empty afterwards.
    pub fn take_value(&mut self, number: usize) -> Value {
        std::mem::replace(&mut self.bindings[number].1, Value::LENT)
    }

    /// Keeps the first `length` variables.
    pub fn truncate(&mut self, length: usize) {
        while self.len() > length {
            self.pop();
        }
    }

    /// Returns variables with other values, of which the same parts were moved.
    pub fn map(&self, mut change: impl FnMut(usize, &Value) -> Option<Value>) -> Self {
        let mut variables = self.clone();
        for (number, (_, value)) in variables.bindings.iter_mut().enumerate() {
            if let Some(new) = change(number, value) {
                *value = new;
            }
        }
        variables
    }

    /// Returns the first part that was moved of what these steps lead to.
    fn first_moved(&self, number: usize, steps: &[Step]) -> Option<(usize, Vec<Step>)> {
        if self.moved.is_empty() {
            return None;
        }
        let mut after = self.moved.range((number, steps.to_vec())..);
        let (found, part) = after.next()?;
        (*found == number && part.starts_with(steps)).then(|| (*found, part.clone()))
    }

    /// Whether a part of what these steps lead to was moved.
    pub fn is_partial(&self, number: usize, steps: &[Step]) -> bool {
        self.first_moved(number, steps).is_some()
    }

    /// Records that what these steps lead to was moved.
    pub fn take(&mut self, number: usize, steps: &[Step]) {
        if !steps.is_empty() {
            self.moved.insert((number, steps.to_vec()));
        }
    }

    /// Records the parts that were moved from other variables of the same names.
    pub fn take_all(&mut self, other: &Self) {
        self.moved.extend(other.moved.iter().cloned());
    }

    /// Records that what these steps lead to has a value.
    pub fn fill(&mut self, number: usize, steps: &[Step]) {
        while let Some(part) = self.first_moved(number, steps) {
            self.moved.remove(&part);
        }
    }
}

impl Index<usize> for Variables {
    type Output = Value;

    fn index(&self, number: usize) -> &Value {
        &self.bindings[number].1
    }
}

impl IndexMut<usize> for Variables {
    fn index_mut(&mut self, number: usize) -> &mut Value {
        &mut self.bindings[number].1
    }
}
