//! Which run-time values branches, loops and calls carry, and how.

use std::collections::HashMap;

use super::*;
use crate::compiler::ir::*;
use crate::compiler::value::{Block as BlockValue, Ext, Pointer};
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

/// How a run-time scalar is carried: from one iteration to the next, or into a function.
#[derive(Clone, Copy)]
pub(super) enum Carrier {
    Word,
    Block,
}

/// Returns a scalar as it is carried: a bool that is known here may be unknown elsewhere.
pub(super) fn at_run_time(leaf: &Value) -> Value {
    match leaf {
        Value::Bool(value) => Value::Flag(Word::Const(F::from_bool(*value))),
        other => other.clone(),
    }
}

pub(super) fn carrier(leaf: &Value) -> Option<Carrier> {
    match leaf {
        Value::Felt(_) | Value::Flag(_) | Value::Slice(..) | Value::Index(..) => {
            Some(Carrier::Word)
        }
        Value::Ext(_) | Value::Block(_) => Some(Carrier::Block),
        _ => None,
    }
}

/// Returns a scalar of the same type as `like`, in a word or at an address.
pub(super) fn carried(like: &Value, word: Word) -> Value {
    let pointer = Pointer::at(word);
    match like {
        Value::Felt(_) => Value::Felt(word),
        Value::Flag(_) => Value::Flag(word),
        Value::Index(_, bound) => Value::Index(word, *bound),
        Value::Slice(_, length) => Value::Slice(pointer, *length),
        Value::Words(_, length) => Value::Words(word, *length),
        Value::Ext(_) => Value::Ext(Ext::At(pointer)),
        _ => Value::Block(BlockValue::At(pointer)),
    }
}

pub(super) fn leaves(vars: &Variables) -> Vec<&Value> {
    let mut out = Vec::new();
    let vars = vars.bindings().iter();
    vars.for_each(|(_, value)| value.leaves(&mut out));
    out
}

/// Returns variables with the values before and after.
pub(super) fn paired<'a>(
    before: &'a Variables,
    after: &'a Variables,
) -> impl Iterator<Item = (Symbol, &'a Value, &'a Value)> {
    let pairs = before.bindings().iter().zip(after.bindings());
    pairs.map(|((name, before), (_, after))| (*name, before, after))
}

/// Returns whether the scalars of the variables correspond to each other.
pub(super) fn same_shapes(before: &Variables, after: &Variables) -> bool {
    before.len() == after.len() && paired(before, after).all(|(_, a, b)| a.same_shape(b))
}

/// Returns the variables without what others of the same names lack.
pub(super) fn without(vars: &Variables, others: &Variables) -> Variables {
    let other = others.bindings();
    let mut left = vars.map(|number, value| value.without(&other.get(number)?.1));
    left.take_all(others);
    left
}

/// Replaces scalars, which are given by their number in the order of [`leaves`].
pub(super) fn replace_leaves(vars: &Variables, new: &HashMap<usize, Value>) -> Variables {
    let mut number = 0;
    let mut visit = |_: &Value| {
        number += 1;
        new.get(&(number - 1)).cloned()
    };
    vars.map(|_, value| value.map_leaves(&mut visit))
}

/// Returns the word that represents a scalar whose place is decided.
pub(super) fn place(leaf: &Value) -> Option<Word> {
    match leaf {
        Value::Felt(word) | Value::Flag(word) | Value::Words(word, _) | Value::Index(word, _) => {
            Some(*word)
        }
        Value::Slice(pointer, _)
        | Value::Ext(Ext::At(pointer))
        | Value::Block(BlockValue::At(pointer))
            if pointer.distance == 0 =>
        {
            Some(pointer.word)
        }
        _ => None,
    }
}

/// Type of a run-time scalar, with what is known about it while compiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scalar {
    Felt,
    Flag,
    Ext,
    Block,
    /// Number of blocks.
    Slice(u32),
    /// Number of words.
    Words(u64),
    /// Bound.
    Index(u64),
}

impl Scalar {
    /// Returns the type of a scalar, or `None` if it exists only while compiling.
    pub(super) fn of(leaf: &Value) -> Option<Self> {
        match leaf {
            Value::Felt(_) => Some(Self::Felt),
            Value::Flag(_) => Some(Self::Flag),
            Value::Ext(_) => Some(Self::Ext),
            Value::Block(_) => Some(Self::Block),
            Value::Slice(_, length) => Some(Self::Slice(*length)),
            Value::Words(_, length) => Some(Self::Words(*length)),
            Value::Index(_, bound) => Some(Self::Index(*bound)),
            _ => None,
        }
    }
}

impl Evaluator<'_> {
    /// Returns whether the variables hold references where the others do.
    pub(super) fn all_held_alike(&self, before: &Variables, after: &Variables) -> bool {
        paired(before, after).all(|(_, a, b)| self.held_alike(a, b))
    }

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
}
