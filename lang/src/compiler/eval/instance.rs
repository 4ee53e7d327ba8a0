//! Which calls of an `#[inline(never)]` function may share one compiled body.
//!
//! A body is compiled from the function, its generic arguments and `Self`, and the values of its
//! parameters, in which the scalars that are passed at run time are unknown words of its own frame.
//! The key has all of these, as a structure: two calls share a body exactly if everything that the
//! evaluator knows about them is equal, field by field.

use std::mem::{Discriminant, discriminant};
use std::rc::Rc;

use super::carry::Scalar;
use super::generics::Generics;
use super::*;
use crate::compiler::ir::Word;
use crate::compiler::value::{Held, StructId};

/// What a compiled body depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct InstanceKey {
    /// Address of the function's syntax tree, which lives as long as the item table.
    function: *const Function,
    /// The implementation, since all implementations of a trait share the syntax tree of a default.
    implementation: Option<usize>,
    generics: Generics,
    self_type: Option<Ty>,
    arguments: Vec<Shape>,
}

impl InstanceKey {
    pub(super) fn new(
        function: &Rc<Function>,
        owner: Option<Owner>,
        generics: &Generics,
        self_type: Option<&Ty>,
        arguments: Vec<Shape>,
    ) -> Self {
        Self {
            function: Rc::as_ptr(function),
            implementation: owner.map(|owner| owner.implementation),
            generics: generics.clone(),
            self_type: self_type.cloned(),
            arguments,
        }
    }
}

/// What the evaluator knows about an argument inside the function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    /// A kind of value, and the parts that a container consists of.
    Parts(Discriminant<Value>, Vec<Shape>),
    /// A structure and its variant: last, whether it is a reference.
    Struct((StructId, usize), Rc<[Ty]>, Vec<Shape>, bool),
    /// A `Vec`, and whether it is a reference.
    Vec(Vec<Shape>, bool),
    /// A scalar that is passed in a word of the function's frame.
    HandedOver(Scalar),
    /// A scalar that is a constant, or at an address that is the same in all frames.
    Fixed(Scalar, Word),
    Int(i128, Option<IntType>),
    Bool(bool),
    Text(Rc<str>),
    Range(i128, Option<i128>, Option<IntType>),
    Count(Word),
}

impl Shape {
    /// Returns the shape of a value. `handed_over` says which of its run-time scalars the caller
    /// passes, `place` where one is that is not passed. `None` if such a scalar has no place.
    pub(super) fn of(
        value: &Value,
        handed_over: &impl Fn(&Value) -> bool,
        place: &impl Fn(&Value) -> Option<Word>,
    ) -> Option<Self> {
        let parts = || -> Option<Vec<Self>> {
            let parts = value.parts().unwrap_or_default().iter();
            parts
                .map(|part| Self::of(part, handed_over, place))
                .collect()
        };
        Some(match value {
            Value::Tuple(_)
            | Value::Array(_)
            | Value::Unchecked(_)
            | Value::Phantom
            | Value::Empty(..) => Self::Parts(discriminant(value), parts()?),
            Value::Struct(of, held) => {
                let variant = (of.id, of.variant);
                Self::Struct(
                    variant,
                    of.generics.clone(),
                    parts()?,
                    *held == Held::Shared,
                )
            }
            Value::Vec(_, held) => Self::Vec(parts()?, *held == Held::Shared),
            Value::Int(value, ty) => Self::Int(*value, *ty),
            Value::Bool(value) => Self::Bool(*value),
            Value::Text(text) => Self::Text(text.clone()),
            Value::Range(start, end, ty) => Self::Range(*start, Some(*end), *ty),
            Value::From(start, ty) => Self::Range(*start, None, *ty),
            Value::Count(count) => Self::Count(*count),
            // A function that is given one of these is inlined.
            Value::To(..) | Value::Closure(_) | Value::Iter(_) | Value::Reference(_) => {
                return None;
            }
            leaf @ (Value::Flag(_)
            | Value::Felt(_)
            | Value::Ext(_)
            | Value::Block(_)
            | Value::Slice(..)
            | Value::Words(..)
            | Value::Index(..)) => {
                let scalar = Scalar::of(leaf)?;
                if handed_over(leaf) {
                    Self::HandedOver(scalar)
                } else {
                    Self::Fixed(scalar, place(leaf)?)
                }
            }
        })
    }
}
