//! The variables of a call.

use std::collections::{BTreeSet, HashMap};
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

/// Bindings in the order in which they were made, each with its number: a name means the last that
/// it was bound to. Generated functions have thousands, so names are looked up in a map.
#[derive(Clone, Default)]
pub(super) struct Variables {
    bindings: Vec<Binding>,
    last: HashMap<Symbol, usize>,
    /// By binding: the one before it of the same name.
    hidden: Vec<Option<usize>>,
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

    /// Whether exactly one variable has this name.
    pub fn is_only(&self, name: Symbol) -> bool {
        let last = self.find(name);
        last.is_some_and(|last| self.hidden[last].is_none())
    }

    pub fn push(&mut self, name: Symbol, value: Value) {
        let number = self.bindings.len();
        self.hidden.push(self.last.insert(name, number));
        self.bindings.push((name, value));
    }

    pub fn pop(&mut self) -> Option<Value> {
        let (name, value) = self.bindings.pop()?;
        self.fill(self.bindings.len(), &[]);
        match self.hidden.pop().flatten() {
            Some(before) => self.last.insert(name, before),
            None => self.last.remove(&name),
        };
        Some(value)
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
