//! Types of integers known at compile time.
//!
//! rustc infers the type of a literal from the whole function. Here a literal without a type opens
//! one, which is found when the literal meets an integer of a known type: in an operator, a
//! parameter, an array, a field. Until then values are exact, and each is one that the type needs to
//! hold. What would depend on the type otherwise, as `!x` does, is refused.
//!
//! A type that is not found until the end is one that rustc may have found in code that is not
//! evaluated here, so it is not taken to be `i32`. Then the program is refused unless every type
//! that holds the literals holds all that is needed. rustc refuses literals that their types do not
//! hold.

use std::collections::HashMap;

use super::*;

mod conversion;
mod operation;

pub(super) use operation::beyond;

/// Largest value that every integer type of Rust can hold.
const SMALL: i128 = 127;

pub(super) type Typed = (i128, Option<IntType>);

pub(super) fn untyped<T, E: From<Box<Failure>>>(span: Span) -> Result<T, E> {
    fail_help(
        span,
        "the result depends on the integer's type, which is not known here",
        "write the type: `1usize`, or `let n: usize = ..`",
    )
}

fn out_of_range<T, E: From<Box<Failure>>>(value: i128, ty: IntType, span: Span) -> Result<T, E> {
    let name = ty.name();
    fail(span, format!("{value} is out of range of {name}"))
}

fn holds(ty: IntType, value: i128) -> bool {
    (ty.min()..=ty.max()).contains(&value)
}

/// A value that a type needs to hold, and where it comes from.
#[derive(Clone, Copy, Debug)]
struct Need(i128, Span);

impl Need {
    fn least(self, other: Self) -> Self {
        if other.0 < self.0 { other } else { self }
    }

    fn most(self, other: Self) -> Self {
        if other.0 > self.0 { other } else { self }
    }
}

/// What is known of a type that is not found.
#[derive(Clone, Copy, Debug)]
struct Needs {
    least: Need,
    most: Need,
    /// Smallest and largest value that the type certainly holds, if it has negative values.
    certain: (i128, i128),
    /// Whether it has negative values.
    signed: bool,
}

impl Needs {
    /// Those of a type that is to hold one value.
    fn of(value: i128, span: Span) -> Self {
        Self {
            least: Need(value.min(0), span),
            most: Need(value.max(0), span),
            certain: (-SMALL - 1, SMALL),
            signed: false,
        }
    }

    fn and(self, other: Self) -> Self {
        let ((a, b), (c, d)) = (self.certain, other.certain);
        Self {
            least: self.least.least(other.least),
            most: self.most.most(other.most),
            certain: (a.min(c), b.max(d)),
            signed: self.signed || other.signed,
        }
    }

    /// Returns the place of a value that the type may not hold.
    fn uncertain(&self) -> Option<Span> {
        let (low, high) = self.certain;
        let low = if self.signed { low } else { 0 };
        if self.least.0 < low {
            Some(self.least.1)
        } else {
            (self.most.0 > high).then_some(self.most.1)
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    /// Not found. Its depth bounds the distance of the entries that refer to it.
    Open(u32),
    Found(IntType),
    /// The same type as another entry.
    Same(u32),
}

/// The types of literals: disjoint sets, each with its type or with what it needs to hold.
#[derive(Debug, Default)]
pub(super) struct Inference {
    entries: Vec<Entry>,
    /// What types that are not found need, unless every type holds it.
    needs: HashMap<u32, Needs>,
}

impl Inference {
    /// Returns a new type.
    fn open(&mut self) -> IntType {
        self.entries.push(Entry::Open(0));
        IntType::Open(self.entries.len() as u32 - 1)
    }

    fn found(&self, ty: IntType) -> IntType {
        let mut ty = ty;
        while let IntType::Open(number) = ty {
            match self.entries.get(number as usize) {
                Some(Entry::Same(other)) => ty = IntType::Open(*other),
                Some(Entry::Found(found)) => return *found,
                _ => break,
            }
        }
        ty
    }

    /// Adds to what an open type needs to hold.
    fn need(&mut self, number: u32, needs: Needs) {
        let all = self.needs.entry(number);
        all.and_modify(|all| *all = all.and(needs)).or_insert(needs);
    }

    /// Finds an open type.
    fn bind(&mut self, number: u32, ty: IntType) -> Result<(), Box<Failure>> {
        self.entries[number as usize] = Entry::Found(ty);
        if let Some(needs) = self.needs.remove(&number) {
            for Need(value, span) in [needs.least, needs.most] {
                if !holds(ty, value) {
                    return out_of_range(value, ty, span);
                }
            }
        }
        Ok(())
    }

    /// Finds that two open types are one. Returns it.
    fn join(&mut self, a: u32, b: u32) -> IntType {
        let depth = |number: u32| match self.entries[number as usize] {
            Entry::Open(depth) => depth,
            _ => 0,
        };
        let (x, y) = (depth(a), depth(b));
        let (kept, other) = if x < y { (b, a) } else { (a, b) };
        self.entries[kept as usize] = Entry::Open(x.max(y) + u32::from(x == y));
        self.entries[other as usize] = Entry::Same(kept);
        if let Some(needs) = self.needs.remove(&other) {
            self.need(kept, needs);
        }
        IntType::Open(kept)
    }
}

/// Returns a constant of an integer type.
pub(super) fn constant(ty: IntType, name: &str) -> Option<Value> {
    Some(match name {
        "BITS" if !ty.is_open() => Value::Int(i128::from(ty.bits()), Some(IntType::U32)),
        "MIN" if !ty.is_open() => Value::Int(ty.min(), Some(ty)),
        // The largest `u128` is not in the subset.
        "MAX" if !ty.is_open() && ty != IntType::U128 => Value::Int(ty.max(), Some(ty)),
        _ => return None,
    })
}

/// Returns the type of the arguments of an integer's method or function.
pub(super) fn parameter(ty: Option<IntType>, name: &str) -> Ty {
    let base = name.rsplit('_').next().unwrap_or(name);
    match (name, base) {
        (
            "from_digit" | "from_u32" | "is_digit" | "rotate_left" | "rotate_right" | "to_digit",
            _,
        )
        | (_, "pow" | "shl" | "shr") => Ty::Int(Some(IntType::U32)),
        (name, "bytes") if name.starts_with("from_") => {
            let length = ty.filter(|ty| !ty.is_open());
            let length = length.map(|ty| u64::from(ty.bits() / 8));
            Ty::Array(Rc::new(Ty::Int(Some(IntType::U8))), length)
        }
        (_, "signed" | "unsigned") => Ty::Int(ty.map(operation::other_sign)),
        ("from" | "try_from", _) => Ty::Unknown,
        _ => Ty::Int(ty),
    }
}

fn holds_integers(ty: &Ty) -> bool {
    match ty {
        Ty::Int(Some(_)) => true,
        Ty::Array(part, _) | Ty::Vec(part) | Ty::Iter(part) => holds_integers(part),
        Ty::Tuple(types) | Ty::Struct(_, types) => types.iter().any(holds_integers),
        _ => false,
    }
}

impl Evaluator<'_> {
    /// Returns an integer type as far as it is found.
    pub(super) fn found(&self, ty: Option<IntType>) -> Option<IntType> {
        ty.map(|ty| self.inference.found(ty))
    }

    /// Returns a type in which those of integers are what has been found.
    pub(super) fn found_type(&self, ty: &Ty) -> Ty {
        let all = |types: &[Ty]| types.iter().map(|ty| self.found_type(ty)).collect();
        let part = |ty: &Ty| Rc::new(self.found_type(ty));
        match ty {
            Ty::Int(ty) => Ty::Int(self.found(*ty)),
            Ty::Tuple(types) => Ty::Tuple(all(types)),
            Ty::Struct(id, types) => Ty::Struct(*id, all(types)),
            Ty::Array(element, length) => Ty::Array(part(element), *length),
            Ty::Vec(element) => Ty::Vec(part(element)),
            Ty::Unchecked(inner) => Ty::Unchecked(part(inner)),
            Ty::Iter(element) => Ty::Iter(part(element)),
            ty => ty.clone(),
        }
    }

    /// Returns the type that two integers of one type have.
    pub(super) fn common(
        &mut self,
        a: Option<IntType>,
        b: Option<IntType>,
        span: Span,
    ) -> Eval<Option<IntType>> {
        let (a, b) = match (self.found(a), self.found(b)) {
            (Some(a), Some(b)) => (a, b),
            (a, b) => return Ok(a.or(b)),
        };
        Ok(Some(match (a, b) {
            (a, b) if a == b => a,
            (IntType::Open(a), IntType::Open(b)) => self.inference.join(a, b),
            (IntType::Open(number), ty) | (ty, IntType::Open(number)) if ty != IntType::Char => {
                self.inference.bind(number, ty)?;
                ty
            }
            (a, b) => {
                let (a, b) = (a.name(), b.name());
                let message = format!("the operands have different types, {a} and {b}");
                return fail(span, message);
            }
        }))
    }

    /// Returns an integer of a known type, or of a type that is still to be found.
    pub(super) fn fitting(&mut self, value: i128, ty: Option<IntType>, span: Span) -> Eval<Value> {
        let ty = self.found(ty);
        match ty {
            Some(IntType::Open(number)) if !(0..=SMALL).contains(&value) => {
                self.inference.need(number, Needs::of(value, span));
            }
            Some(ty) if !holds(ty, value) => return out_of_range(value, ty, span),
            _ => {}
        }
        Ok(Value::Int(value, ty))
    }

    /// Evaluates a literal, with the minus before it.
    pub(super) fn literal(
        &mut self,
        value: i128,
        suffix: Option<IntType>,
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let wanted = match (suffix, expected) {
            (None, Ty::Int(ty)) => self.found(*ty),
            (suffix, _) => suffix,
        };
        let ty = wanted.unwrap_or_else(|| self.inference.open());
        if let IntType::Open(number) = ty
            && !(0..=SMALL).contains(&value)
        {
            let needs = Needs::of(value, span);
            let (low, high) = needs.certain;
            self.inference.need(
                number,
                Needs {
                    certain: (low.min(value), high.max(value)),
                    signed: value < 0,
                    ..needs
                },
            );
        }
        self.fitting(value, Some(ty), span)
    }

    /// Refuses a program in which a type is not found that may not hold what it needs to.
    pub(super) fn check_integers(&self) -> Result<(), Box<Failure>> {
        let spans = self.inference.needs.values().filter_map(Needs::uncertain);
        match spans.min_by_key(|span| (span.file, span.start)) {
            Some(span) => untyped(span),
            None => Ok(()),
        }
    }

    /// Returns the value as one of type `ty`, in which types of literals are found.
    pub(super) fn settle(&mut self, value: Value, ty: &Ty, span: Span) -> Eval<Value> {
        if let (Value::Int(value, found), Ty::Int(wanted)) = (&value, ty) {
            let ty = self.common(*found, *wanted, span)?;
            return self.fitting(*value, ty, span);
        }
        let value = self.completed(value, ty);
        if !holds_integers(ty) || !self.settle_parts(&value, ty, span)? {
            return Ok(value);
        }
        let changed = value.map_leaves(&mut |leaf| match leaf {
            Value::Int(value, ty @ Some(IntType::Open(_))) => {
                Some(Value::Int(*value, self.found(*ty)))
            }
            _ => None,
        });
        Ok(changed.unwrap_or(value))
    }

    /// Completes the generic arguments of an enum: those of a `None` are not known by its parts.
    fn completed(&self, value: Value, ty: &Ty) -> Value {
        match (value, ty) {
            (Value::Struct(mut of, held), Ty::Struct(id, types))
                if of.id == *id
                    && self.items.structs[*id].ast.is_enum
                    && of.generics.contains(&Ty::Unknown) =>
            {
                let generics = of.generics.iter().zip(types.iter());
                let generics = generics.map(|(own, declared)| match own {
                    Ty::Unknown => declared.clone(),
                    own => own.clone(),
                });
                let generics: Rc<[Ty]> = generics.collect();
                Rc::make_mut(&mut of).generics = generics;
                Value::Struct(of, held)
            }
            (value, _) => value,
        }
    }

    /// Like [`Self::settle`], for a value of any size: it counts as a walk through its parts.
    pub(super) fn settled(&mut self, value: Value, ty: &Ty, span: Span) -> Eval<Value> {
        if holds_integers(ty) {
            self.walk(&value, span)?;
        }
        self.settle(value, ty, span)
    }

    /// Finds types of literals in a value of type `ty`. Returns whether there are any.
    fn settle_parts(&mut self, value: &Value, ty: &Ty, span: Span) -> Eval<bool> {
        let mut open = false;
        match (value, ty) {
            _ if !holds_integers(ty) => {}
            (Value::Int(_, found) | Value::Range(_, _, found) | Value::From(_, found), _) => {
                let wanted = match ty {
                    Ty::Iter(element) => element,
                    ty => ty,
                };
                if let Ty::Int(wanted) = wanted {
                    open = found.is_some_and(IntType::is_open);
                    self.common(*found, *wanted, span)?;
                }
            }
            (
                Value::Array(values) | Value::Vec(values, _),
                Ty::Array(element, _) | Ty::Vec(element),
            ) => {
                for value in values.iter() {
                    open |= self.settle_parts(value, element, span)?;
                }
            }
            (Value::Tuple(values), Ty::Tuple(types)) => {
                for (value, ty) in values.iter().zip(types.iter()) {
                    open |= self.settle_parts(value, ty, span)?;
                }
            }
            (Value::Struct(of, _), Ty::Struct(id, generics)) if of.id == *id => {
                let items = self.items;
                let info = &items.structs[*id];
                let known = Generics::of(&info.ast.generics, generics.iter().cloned());
                for (a, b) in of.generics.iter().zip(generics.iter()) {
                    self.same_types(a, b, span)?;
                }
                let fields = &info.ast.variant(of.variant).fields;
                for (value, (_, declared)) in of.fields.iter().zip(fields) {
                    let ty = self.integers_of(declared, info.module, &known)?;
                    open |= self.settle_parts(value, &ty, span)?;
                }
            }
            _ => {}
        }
        Ok(open)
    }

    /// Finds types of literals in two values of one type.
    pub(super) fn same_type(&mut self, a: &Value, b: &Value, span: Span) -> Eval<()> {
        match (a, b) {
            (Value::Int(_, a), Value::Int(_, b))
            | (Value::Range(_, _, a), Value::Range(_, _, b)) => {
                self.common(*a, *b, span)?;
            }
            (Value::Array(a) | Value::Vec(a, _), Value::Array(b) | Value::Vec(b, _)) => {
                // The elements of each have one type already.
                if let (Some(a), Some(b)) = (a.first(), b.first()) {
                    self.same_type(a, b, span)?;
                }
            }
            (Value::Tuple(a), Value::Tuple(b)) => {
                for (a, b) in a.iter().zip(b.iter()) {
                    self.same_type(a, b, span)?;
                }
            }
            (Value::Struct(a, _), Value::Struct(b, _)) if a.id == b.id => {
                for (a, b) in a.generics.iter().zip(b.generics.iter()) {
                    self.same_types(a, b, span)?;
                }
                if a.variant == b.variant {
                    for (a, b) in a.fields.iter().zip(&b.fields) {
                        self.same_type(a, b, span)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Finds types of literals in two types that are one.
    pub(super) fn same_types(&mut self, a: &Ty, b: &Ty, span: Span) -> Eval<()> {
        match (a, b) {
            (Ty::Int(a), Ty::Int(b)) => {
                self.common(*a, *b, span)?;
            }
            (Ty::Tuple(a), Ty::Tuple(b)) | (Ty::Struct(_, a), Ty::Struct(_, b)) => {
                for (a, b) in a.iter().zip(b.iter()) {
                    self.same_types(a, b, span)?;
                }
            }
            (Ty::Array(a, _) | Ty::Vec(a), Ty::Array(b, _) | Ty::Vec(b))
            | (Ty::Iter(a), Ty::Iter(b)) => self.same_types(a, b, span)?,
            _ => {}
        }
        Ok(())
    }
}
