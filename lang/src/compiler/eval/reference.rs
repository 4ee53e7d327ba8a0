//! Mutable references: values that are places of a call in progress.
//!
//! While one is in use, the borrow checker lets nothing else touch its place, so reading and writing
//! the place is what Rust does. It means the place only in the call whose variable this is. A call
//! that is given one has the value in a variable of its own meanwhile, like that of a `&mut`
//! parameter. What it gives back is in terms of these variables, and is translated: everything else
//! would be a reference to what has ended, which is refused where it is used.

use std::rc::Rc;

use super::place::{Located, Place, Reach, is_shared};
use super::variables::Step;
use super::*;
use crate::compiler::value::Held;

/// [`Reference::home`] of those whose variable is the number of what a call borrows.
const LOAN: u64 = u64::MAX;

/// [`Reference::home`] of those that mean nothing any more.
const GONE: u64 = u64::MAX - 1;

/// A mutable reference.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Number of the activation to which the place belongs.
    home: u64,
    /// [`Variables::birth`] of the variable.
    birth: u64,
    place: Place,
    /// Which variants the structures have through which the steps of the place lead.
    variants: Vec<usize>,
    ty: Ty,
}

impl Reference {
    /// Returns the type of what it refers to.
    pub const fn ty(&self) -> &Ty {
        &self.ty
    }

    /// Returns whether two references refer to the same place.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.home, self.birth) == (other.home, other.birth) && self.place.is_same(&other.place)
    }

    /// Returns a reference that means nothing any more.
    fn gone(&self) -> Self {
        let home = GONE;
        Self {
            home,
            ..self.clone()
        }
    }

    /// Returns the reference to what a call borrows as its loan of this number.
    fn of_loan(&self, number: usize) -> Self {
        Self {
            home: LOAN,
            birth: 0,
            place: Place::of_variable(number, self.place.span),
            variants: Vec::new(),
            ty: self.ty.clone(),
        }
    }
}

/// Replaces the mutable references in values for which `change` returns others.
fn replace_all(values: &mut [Value], mut change: impl FnMut(&Reference) -> Option<Reference>) {
    for value in values {
        let changed = value.map_leaves(&mut |leaf| match leaf {
            Value::Reference(reference) => {
                change(reference).map(|new| Value::Reference(Rc::new(new)))
            }
            Value::Iter(iter) => {
                let left = iter.left()?;
                let Value::Reference(_) = left.first()? else {
                    return None;
                };
                let mut items = left.to_vec();
                let mut changed = false;
                for item in &mut items {
                    if let Value::Reference(reference) = item
                        && let Some(new) = change(reference)
                    {
                        *item = Value::Reference(Rc::new(new));
                        changed = true;
                    }
                }
                changed.then(|| Iter::items(Rc::new(items), Held::Owned).into_value())
            }
            _ => None,
        });
        if let Some(changed) = changed {
            *value = changed;
        }
    }
}

/// Translates references to what a closure has captured, whose loans have the numbers from `first`
/// on. Of each there is the activation, the birth and the number of the variable, if it changes
/// this.
pub(super) fn send_home(value: &mut Value, first: usize, homes: &[Option<(u64, u64, usize)>]) {
    replace_all(std::slice::from_mut(value), |reference| {
        let number = reference.place.variable.checked_sub(first)?;
        let of = homes.get(number).filter(|_| reference.home == LOAN)?;
        let (home, birth, slot) = (*of)?;
        Some(Reference {
            home,
            birth,
            place: reference.place.of(slot),
            ..reference.clone()
        })
    });
}

fn doubled<T>(span: Span) -> Eval<T> {
    let message = "mutable references to mutable references are not in the subset";
    fail_help(
        span,
        message,
        "pass the reference itself, or `&mut *` of it",
    )
}

impl Evaluator<'_> {
    /// Returns the mutable reference to a place.
    pub(super) fn reference_to(&mut self, place: Place) -> Eval<Value> {
        let span = place.span;
        self.charge(1 + place.steps().len() as u64, span)?;
        self.check_whole(place.variable, place.steps(), span)?;
        let value = self.read_place(&place.whole())?;
        if let Value::Reference(_) = value {
            return doubled(span);
        }
        let ty = match value.ty() {
            Ty::Vec(element) | Ty::Array(element, _) if place.is_part() => Ty::Array(element, None),
            ty => ty,
        };
        let ty = self.bounded_type(ty, span)?;
        let variants = self.variants(&place);
        let here = self.here();
        let birth = here.vars.birth(place.variable).unwrap_or(u64::MAX);
        let home = here.number;
        Ok(Value::Reference(Rc::new(Reference {
            home,
            birth,
            place,
            variants,
            ty,
        })))
    }

    /// Returns the place to which a mutable reference refers.
    pub(super) fn referent(&mut self, reference: &Reference, span: Span) -> Eval<Place> {
        let place = &reference.place;
        let here = self.here();
        if here.number != reference.home {
            return fail_help(
                span,
                "this mutable reference belongs to another call, or to what has ended",
                "pass it as an argument of its own",
            );
        }
        if here.vars.birth(place.variable) != Some(reference.birth) {
            return fail(span, "what this mutable reference refers to has ended");
        }
        self.charge(place.steps().len() as u64, span)?;
        if self.variants(place) != reference.variants {
            return fail(span, "the value's structure has changed");
        }
        Ok(place.reached(Reach::Reference, span))
    }

    /// Evaluates `&mut place`.
    pub(super) fn mutable_reference(&mut self, inner: &Expr, span: Span) -> Eval<Value> {
        match self.lendable(inner)? {
            Located::Place(place) => self.reference_to(place.reached(Reach::Reference, span)),
            Located::Value(_) => {
                let message = "a mutable reference is to a variable, or to a part of one";
                fail_help(span, message, "give the value a name with `let mut`")
            }
        }
    }

    /// Returns what `&mut expr` refers to.
    pub(super) fn lendable(&mut self, expr: &Expr) -> Eval<Located> {
        match self.locate_itself(expr)? {
            Located::Place(place) if self.is_reference_at(&place) => doubled(expr.span),
            Located::Value(Value::Reference(_)) => doubled(expr.span),
            Located::Place(place) => {
                let place = place.reached(Reach::Reference, place.span);
                Ok(Located::Place(place))
            }
            value => Ok(value),
        }
    }

    /// Returns whether a place that is located itself has a mutable reference as its value.
    pub(super) fn is_reference_at(&mut self, place: &Place) -> bool {
        place.reach == Reach::Reference || matches!(self.value_at(place), Some(Value::Reference(_)))
    }

    /// Returns a value with what its mutable references refer to, as shared references.
    pub(super) fn seen(&mut self, value: Value, span: Span) -> Eval<Value> {
        if !self.has_reference(&value) {
            return Ok(value);
        }
        if let Value::Reference(reference) = &value {
            let place = self.referent(reference, span)?;
            let value = self.read_place(&place)?;
            self.check_whole(place.variable, place.steps(), span)?;
            return Ok(self.shared(value));
        }
        let parts = value.parts().unwrap_or_default().to_vec().into_iter();
        let parts = parts.map(|part| self.seen(part, span));
        let parts = parts.collect::<Eval<_>>()?;
        Ok(value.with_parts(parts))
    }

    /// Returns what a pattern sees of a mutable reference: the value, with references to its parts.
    pub(super) fn opened(&mut self, reference: &Reference, span: Span) -> Eval<Value> {
        let place = self.referent(reference, span)?;
        let value = self.read_place(&place)?;
        let (Value::Tuple(_) | Value::Array(_) | Value::Vec(..) | Value::Struct(..)) = &value
        else {
            return Ok(value);
        };
        if is_shared(&value) {
            return Ok(value);
        }
        let count = value.parts().unwrap_or_default().len();
        let references = self.references_to(&place, count, value.elements().is_some())?;
        Ok(match value {
            Value::Vec(..) => Value::Array(Rc::new(references)),
            value => value.with_parts(references),
        })
    }

    /// Returns references to the first parts of what is at a place.
    fn references_to(&mut self, place: &Place, count: usize, is_list: bool) -> Eval<Vec<Value>> {
        let references = (0..count).map(|index| {
            self.reference_to(if is_list {
                place.element(index)
            } else {
                place.part_of(&[Step::Field(index)])
            })
        });
        references.collect()
    }

    /// Returns references to the elements of the list, or of the `Option`, at a place.
    pub(super) fn iterate_places(&mut self, place: &Place, span: Span) -> Eval<Iter> {
        let value = self.read_place(place)?;
        let (count, is_list) = match (value.elements(), self.as_option(&value)) {
            (Some(all), _) => (all.len(), true),
            (None, Some(held)) => (usize::from(held.is_some()), false),
            (None, None) => {
                let message = "mutable references cannot be kept in an iterator";
                return fail_help(span, message, "take elements by `next`, in a loop");
            }
        };
        let references = self.references_to(place, count, is_list)?;
        Ok(Iter::items(Rc::new(references), Held::Owned))
    }

    /// Returns the iterator over what a mutable reference refers to.
    pub(super) fn iterate_reference(&mut self, reference: &Reference, span: Span) -> Eval<Iter> {
        let place = self.referent(reference, span)?;
        self.iterate_places(&place, span)
    }

    /// Moves what the references in arguments refer to out of its places, for a call in which it is
    /// in variables. Their loans have the numbers from `first` on.
    pub(super) fn lend_references(
        &mut self,
        values: &mut [Value],
        first: usize,
        span: Span,
    ) -> Eval<Vec<(Place, Value)>> {
        let mut lent = Vec::new();
        if !values.iter().any(|value| self.has_reference(value)) {
            return Ok(lent);
        }
        let mut failed = Ok(());
        let home = self.here().number;
        replace_all(values, |reference| {
            if reference.home != home || failed.is_err() {
                return (reference.home == LOAN).then(|| reference.gone());
            }
            let number = first + lent.len();
            let place = self.referent(reference, span);
            let taken = place.and_then(|place| {
                let value = self.take_place(&place)?;
                Ok((place, value))
            });
            match taken {
                Ok(taken) => lent.push(taken),
                Err(error) => failed = Err(error),
            }
            Some(reference.of_loan(number))
        });
        failed.map(|()| lent)
    }

    /// Declares the variables with what a call borrows for references in its arguments, whose loans
    /// have the numbers from `first` on. Returns their numbers.
    pub(super) fn receive_references(
        &mut self,
        values: &mut [Value],
        lent: Vec<Value>,
        first: usize,
    ) -> Vec<usize> {
        if lent.is_empty() {
            return Vec::new();
        }
        let mut slots = Vec::with_capacity(lent.len());
        for value in lent {
            let here = self.here();
            let slot = here.vars.len();
            here.vars.push(Symbol::new("&mut"), value);
            here.borrowed.push(slot);
            slots.push(slot);
        }
        let here = self.here();
        replace_all(values, |reference| {
            let number = reference.place.variable.checked_sub(first)?;
            let slot = *slots.get(number).filter(|_| reference.home == LOAN)?;
            Some(Reference {
                home: here.number,
                birth: here.vars.birth(slot)?,
                place: Place::of_variable(slot, reference.place.span),
                ..reference.clone()
            })
        });
        slots
    }

    /// Says of references in what a call gives back which of its loans they belong to: the variable
    /// of each, if it has one, is given.
    pub(super) fn return_references(&mut self, values: &mut [Value], loans: &[Option<usize>]) {
        if !values.iter().any(|value| self.has_reference(value)) {
            return;
        }
        let here = self.here();
        replace_all(values, |reference| {
            if reference.home != here.number {
                return (reference.home == LOAN).then(|| reference.gone());
            }
            let slot = reference.place.variable;
            let found = loans.iter().position(|loan| *loan == Some(slot));
            let found = found.filter(|_| here.vars.birth(slot) == Some(reference.birth));
            Some(match found {
                Some(number) => Reference {
                    home: LOAN,
                    place: reference.place.of(number),
                    ..reference.clone()
                },
                None => reference.gone(),
            })
        });
    }

    /// Translates references in what a call gave back, which are in terms of its loans, into those to
    /// places here.
    pub(super) fn take_references(
        &mut self,
        values: &mut [Value],
        place_of: impl Fn(usize) -> Option<Place>,
    ) {
        if !values.iter().any(|value| self.has_reference(value)) {
            return;
        }
        replace_all(values, |reference| {
            let number = reference.place.variable;
            let outer = place_of(number).filter(|_| reference.home == LOAN)?;
            let mut variants = self.variants(&outer);
            variants.extend(&reference.variants);
            let here = self.here();
            Some(Reference {
                home: here.number,
                birth: here.vars.birth(outer.variable).unwrap_or(u64::MAX),
                place: outer.then(&reference.place),
                variants,
                ty: reference.ty.clone(),
            })
        });
    }
}
