//! Names of functions that types have without a declaration in the program.

use super::*;
use crate::compiler::resolve::{OPERATORS, STANDARD, UNCHECKED_SLICE};
use crate::compiler::value::{Block, Ext};
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

/// How a method takes `self`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Receiver {
    Value,
    Reference,
    Mutable,
}

/// Returns how a function takes `self`, or `None` if it does not.
pub(super) fn receiver(function: &Function) -> Option<Receiver> {
    let first = function.params.first()?;
    let receiver = match (first.mutable_reference, first.ty.reference) {
        (true, _) => Receiver::Mutable,
        (false, true) => Receiver::Reference,
        (false, false) => Receiver::Value,
    };
    (first.name()? == "self").then_some(receiver)
}

/// Returns whether a function is a method.
pub(super) fn takes_self(function: &Function) -> bool {
    receiver(function).is_some()
}

/// Returns how a method of the prelude's types, or of a trait of the standard library that is in
/// scope in every module, takes `self`, and the trait to which it belongs.
pub(super) fn builtin_method(
    value: &Value,
    name: &str,
) -> Option<(Receiver, Option<&'static str>)> {
    Some(match (value, name) {
        (Value::Felt(_), "inverse")
        | (Value::Ext(_), "inverse" | "coeff" | "pin" | "as_block")
        | (Value::Block(_), "lane" | "as_ext")
        | (Value::Slice(..), "block" | "skip" | "at" | "skip_index")
        | (Value::Unchecked(_), "any" | "bit" | "checked") => (Receiver::Value, None),
        (Value::Slice(..), "at_unchecked" | "skip_unchecked") => {
            (Receiver::Value, Some(UNCHECKED_SLICE))
        }
        (Value::Words(..), "get") => (Receiver::Reference, None),
        (Value::Words(..), "set") => (Receiver::Mutable, None),
        (_, name) => return standard_method(name),
    })
}

/// Looks up a method of a trait that is in scope in every module.
fn standard_method(name: &str) -> Option<(Receiver, Option<&'static str>)> {
    let (of, receiver) = in_standard(name)?;
    let receiver = match receiver {
        "self" => Receiver::Value,
        "&self" => Receiver::Reference,
        "&mut self" => Receiver::Mutable,
        _ => return None,
    };
    Some((receiver, Some(of)))
}

/// Returns the trait of the standard library, in scope in every module, that has a function of this
/// name.
pub(super) fn standard_function(name: &str) -> Option<&'static str> {
    in_standard(name).map(|(of, _)| of)
}

fn in_standard(name: &str) -> Option<(&'static str, &'static str)> {
    STANDARD.iter().find_map(|(of, functions)| {
        let mut functions = functions.iter();
        let found = functions.find(|(function, _)| *function == name);
        found.map(|(_, receiver)| (*of, *receiver))
    })
}

/// Looks up a method of a trait that must be imported. If the type may implement that trait, the
/// method may be meant instead of the program's.
pub(super) fn imported_method(ty: &Ty, name: &str) -> Option<(Receiver, &'static str)> {
    let mut operators = OPERATORS.iter().filter_map(|op| op.method());
    let operator = operators.find(|(_, method)| *method == name);
    Some(match name {
        _ if matches!(ty, Ty::Struct(..)) => return None,
        "at_unchecked" | "skip_unchecked" if matches!(ty, Ty::Slice) => {
            (Receiver::Value, UNCHECKED_SLICE)
        }
        "neg" => (Receiver::Value, "Neg"),
        "not" => (Receiver::Value, "Not"),
        "add_assign" => (Receiver::Mutable, "AddAssign"),
        "sub_assign" => (Receiver::Mutable, "SubAssign"),
        "mul_assign" => (Receiver::Mutable, "MulAssign"),
        "div_assign" => (Receiver::Mutable, "DivAssign"),
        "rem_assign" => (Receiver::Mutable, "RemAssign"),
        "fmt" => (Receiver::Reference, "Debug"),
        "hash" => (Receiver::Reference, "Hash"),
        _ => (Receiver::Value, operator?.0),
    })
}

/// Returns whether a type of the prelude has a function of this name, such as `Felt::new`.
pub(super) fn builtin_function(ty: &Ty, name: &str) -> bool {
    match ty {
        Ty::Felt => matches!(name, "new" | "inverse"),
        Ty::Ext => matches!(
            name,
            "new"
                | "degree"
                | "modulus"
                | "from_felt"
                | "from_coeffs"
                | "coeff"
                | "as_block"
                | "pin"
                | "inverse"
        ),
        Ty::Block => matches!(name, "new" | "lane" | "as_ext"),
        Ty::Slice => matches!(name, "block" | "skip" | "at" | "skip_index" | "from_blocks"),
        Ty::Unchecked(_) => matches!(name, "any" | "bit" | "checked"),
        Ty::Words(_) => matches!(name, "new" | "get" | "set"),
        Ty::Index(_) => name == "new",
        _ => false,
    }
}

/// Returns a constant of a built-in type.
pub(super) fn constant(ty: &Ty, name: &str) -> Option<Value> {
    let coefficients = |first| {
        let mut value = [F::ZERO; 5];
        value[0] = first;
        Value::Ext(Ext::Const(value))
    };
    Some(match (ty, name) {
        (Ty::Felt, "ZERO") => Value::Felt(Word::Const(F::ZERO)),
        (Ty::Felt, "ONE") => Value::Felt(Word::Const(F::ONE)),
        (Ty::Ext, "ZERO") => coefficients(F::ZERO),
        (Ty::Ext, "ONE") => coefficients(F::ONE),
        (Ty::Block, "ZERO") => Value::Block(Block::Const([F::ZERO; 8])),
        (Ty::Int(Some(ty)), name) => return integer::constant(*ty, name),
        (Ty::Phantom, _) => Value::Phantom,
        _ => return None,
    })
}

/// Returns the type of a built-in type's function's arguments, if they are integers.
pub(super) fn parameter(ty: &Ty, name: &str) -> Ty {
    let int = |ty| Ty::Int(Some(ty));
    match (ty, name) {
        (Ty::Felt, "new") => int(IntType::U32),
        (Ty::Ext, "new") => Ty::Array(Rc::new(int(IntType::U32)), None),
        (Ty::Int(ty), name) => integer::parameter(*ty, name),
        (Ty::Felt | Ty::Ext | Ty::Block | Ty::Slice, _) => int(IntType::Usize),
        _ => Ty::Unknown,
    }
}
