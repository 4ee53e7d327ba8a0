//! The variables of a call.

use std::collections::HashMap;
use std::ops::{Index, IndexMut};

use super::*;

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
}

impl FromIterator<Binding> for Variables {
    fn from_iter<I: IntoIterator<Item = Binding>>(bindings: I) -> Self {
        let mut variables = Self::default();
        for (name, value) in bindings {
            variables.push(name, value);
        }
        variables
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
