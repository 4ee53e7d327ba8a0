//! Names of functions that types have without a declaration in the program.

use super::*;
use crate::compiler::resolve::UNCHECKED_SLICE;
use crate::compiler::value::{Block, Ext};
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

/// How a method takes `self`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Receiver {
    Value,
    Reference,
    Mutable,
    /// By a reference to a slice. Method resolution turns an array into a slice last.
    Slice,
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

/// Returns how a method of the prelude or the standard library takes `self`, and the trait to which
/// it belongs.
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
        (Value::Array(_), name) if is_listed(name, ARRAY_METHODS) => (Receiver::Slice, None),
        (Value::Vec(..), "push" | "truncate") => (Receiver::Mutable, None),
        (Value::Vec(..), "len" | "is_empty") => (Receiver::Reference, None),
        (Value::Vec(..), name) if is_vec_method(name) => (Receiver::Slice, None),
        (Value::Int(..), name) if is_listed(name, INTEGER_METHODS) => (Receiver::Value, None),
        (Value::Bool(_) | Value::Flag(_), "then" | "then_some" | "ok_or" | "ok_or_else") => {
            (Receiver::Value, None)
        }
        // Any name: it may be a method of an iterator.
        (Value::Range(..) | Value::Count(_) | Value::Elements(_), _) => {
            (Receiver::Value, Some("Iterator"))
        }
        (Value::Text, _) => (Receiver::Reference, None),
        (_, name) => return standard_method(name),
    })
}

/// Looks up a method of a trait that is in scope in every module, for any type that implements the
/// trait.
fn standard_method(name: &str) -> Option<(Receiver, Option<&'static str>)> {
    let (receiver, of) = match name {
        "clone" => (Receiver::Reference, "Clone"),
        "clone_from" => (Receiver::Mutable, "Clone"),
        "into" => (Receiver::Value, "Into"),
        "try_into" => (Receiver::Value, "TryInto"),
        "max" | "min" | "clamp" => (Receiver::Value, "Ord"),
        "cmp" => (Receiver::Reference, "Ord"),
        "eq" | "ne" => (Receiver::Reference, "PartialEq"),
        "lt" | "le" | "gt" | "ge" | "partial_cmp" => (Receiver::Reference, "PartialOrd"),
        "to_owned" => (Receiver::Reference, "ToOwned"),
        "to_string" => (Receiver::Reference, "ToString"),
        _ => return None,
    };
    Some((receiver, Some(of)))
}

/// Returns the trait of the standard library, in scope in every module, that has a function of this
/// name.
pub(super) fn standard_function(name: &str) -> Option<&'static str> {
    match name {
        "default" => Some("Default"),
        "from" => Some("From"),
        "try_from" => Some("TryFrom"),
        name => standard_method(name).and_then(|(_, of)| of),
    }
}

/// Looks up a method of a trait that must be imported. If the type may implement that trait, the
/// method may be meant instead of the program's.
pub(super) fn imported_method(ty: &Ty, name: &str) -> Option<(Receiver, &'static str)> {
    Some(match name {
        _ if matches!(ty, Ty::Struct(..)) => return None,
        "at_unchecked" | "skip_unchecked" if matches!(ty, Ty::Slice) => {
            (Receiver::Value, UNCHECKED_SLICE)
        }
        "add" => (Receiver::Value, "Add"),
        "sub" => (Receiver::Value, "Sub"),
        "mul" => (Receiver::Value, "Mul"),
        "div" => (Receiver::Value, "Div"),
        "rem" => (Receiver::Value, "Rem"),
        "neg" => (Receiver::Value, "Neg"),
        "not" => (Receiver::Value, "Not"),
        "bitand" => (Receiver::Value, "BitAnd"),
        "bitor" => (Receiver::Value, "BitOr"),
        "bitxor" => (Receiver::Value, "BitXor"),
        "shl" => (Receiver::Value, "Shl"),
        "shr" => (Receiver::Value, "Shr"),
        "add_assign" => (Receiver::Mutable, "AddAssign"),
        "sub_assign" => (Receiver::Mutable, "SubAssign"),
        "mul_assign" => (Receiver::Mutable, "MulAssign"),
        "div_assign" => (Receiver::Mutable, "DivAssign"),
        "rem_assign" => (Receiver::Mutable, "RemAssign"),
        "fmt" => (Receiver::Reference, "Debug"),
        _ => return None,
    })
}

/// Methods that Rust's arrays and slices have, or may have: names, and beginnings of names before a
/// `*`.
const ARRAY_METHODS: &str = "array_windows as_* binary_* chunk* clone_from_slice cloned concat \
     contains copied copy_* each_* ends_with escape_ascii fill fill_with first* get* into_* is_* \
     iter* join last* len make_* map partition_point rchunk* repeat reverse rotate_* rsplit* \
     select_* sort* split* starts_with strip_* swap* to_* trim_* try_* windows";

/// Methods that `Vec` has, or may have, in addition to those of slices.
const VEC_METHODS: &str = "allocator append capacity clear dedup* drain* extend* extract_* insert \
     leak peek_mut pop* push* recycle remove reserve reserve_exact resize resize_with retain* \
     set_len shrink_to shrink_to_fit spare_capacity_mut splice truncate";

/// Methods that Rust's integers have, or may have.
const INTEGER_METHODS: &str = "abs_diff as_ascii* bit_width borrowing_* carrying_* cast_* checked_* \
     clamp cmp count_* default deposit_bits div_ceil div_euclid div_exact div_floor \
     eq_ignore_ascii_case escape_ascii extract_bits from_* funnel_shl funnel_shr highest_one ilog* \
     is_* isolate_* isqrt leading_* lowest_one make_ascii_* max max_value midpoint min min_value \
     next_* overflowing_* partial_cmp pow rem_euclid reverse_bits rotate_* saturating_* strict_* \
     swap_bytes to_* trailing_* unbounded_* unchecked_* widening_* wrapping_*";

/// Returns whether a list of names and of beginnings of names has this one.
fn is_listed(name: &str, list: &str) -> bool {
    let mut entries = list.split(' ');
    entries.any(|entry| match entry.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == entry,
    })
}

fn is_vec_method(name: &str) -> bool {
    is_listed(name, ARRAY_METHODS) || is_listed(name, VEC_METHODS)
}

/// Returns whether a built-in type has a function of this name, such as `Felt::new`.
pub(super) fn builtin_function(ty: &Ty, name: &str) -> bool {
    match ty {
        Ty::Felt => matches!(name, "new" | "inverse"),
        Ty::Ext => matches!(
            name,
            "new" | "from_felt" | "from_coeffs" | "coeff" | "as_block" | "pin" | "inverse"
        ),
        Ty::Block => matches!(name, "new" | "lane" | "as_ext"),
        Ty::Slice => matches!(name, "block" | "skip" | "at" | "skip_index" | "from_blocks"),
        Ty::Unchecked(_) => matches!(name, "any" | "bit" | "checked"),
        Ty::Words(_) => matches!(name, "new" | "get" | "set"),
        Ty::Index(_) => name == "new",
        Ty::Array(..) => is_listed(name, ARRAY_METHODS),
        Ty::Vec(_) => {
            matches!(name, "new" | "with_capacity" | "from_fn")
                || name.starts_with("from_raw_parts")
                || is_vec_method(name)
        }
        Ty::Int(_) => is_listed(name, INTEGER_METHODS),
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
