//! Names that no file defines: those of the gadgets' prelude, the language, and the standard
//! library.

use super::Namespace;
use crate::precompile::BUILT_IN;

/// Name of the crate of the built-in modules.
pub const GADGETS: &str = "droste_gadgets";

/// Names of the built-in modules.
pub const MODULES: [&str; 3] = ["prelude", "unchecked", "advice"];

/// Returns the names in a built-in module.
pub fn names(module: &str) -> Vec<(&'static str, Namespace)> {
    match module {
        "unchecked" => vec![(UNCHECKED_SLICE, Namespace::Type)],
        "advice" => ADVICE.map(|name| (name, Namespace::Value)).to_vec(),
        _ => {
            let types = TYPES.iter().map(|name| (*name, Namespace::Type));
            let functions = BUILT_IN.iter().flat_map(|precompile| precompile.functions);
            let functions = functions.map(|function| function.name);
            let values = FUNCTIONS.into_iter().chain(functions);
            types
                .chain(values.map(|name| (name, Namespace::Value)))
                .collect()
        }
    }
}

/// Returns the built-in module that has the name.
pub fn home(name: &str) -> Option<String> {
    let mut modules = MODULES.iter();
    let module = modules.find(|module| names(module).iter().any(|(taken, _)| *taken == name));
    module.map(|module| format!("{GADGETS}::{module}"))
}

/// Returns whether a built-in module has the name, so that no other function can have it.
pub fn is_builtin(name: &str) -> bool {
    home(name).is_some()
}

/// Types of `droste_gadgets::prelude`.
const TYPES: &[&str] = &[
    "Felt",
    "Ext",
    "Block",
    "Slice",
    "Unchecked",
    "Words",
    "Index",
];

/// Functions of `droste_gadgets::prelude`, apart from those of precompiles.
#[rustfmt::skip]
const FUNCTIONS: [&str; 9] = [
    "felt", "hint_felt", "hint_ext", "hint_slice", "public_input", "reveal", "count", "count_to",
    "fold_pair",
];

/// Name under which the evaluator knows the trait of unchecked indices.
pub const UNCHECKED_SLICE: &str = "UncheckedSlice";

/// Functions of `droste_gadgets::advice`, which do nothing in the machine.
#[rustfmt::skip]
const ADVICE: [&str; 18] = [
    "advise_bits", "advise_below_largest", "advise_blocks", "advise_shifted", "advise_elements",
    "tell_blocks", "tell_ext", "tell_word", "advise_conjugate_sums", "advise_queries",
    "advise_query_factors",
    "advise_query_round", "advise_quotients", "advise_entries", "advise_trace_coordinates",
    "advise_trace_round", "advise_trace_weight", "advise_values_at_conjugates",
];

/// Returns whether a built-in function does nothing in the machine except evaluate its arguments.
pub fn is_advice(name: &str) -> bool {
    ADVICE.contains(&name)
}

/// Names that every module knows without an import: Rust's primitive types and its prelude.
#[rustfmt::skip]
pub const LANGUAGE: &[&str] = &[
    "bool", "u8", "u16", "u32", "u64", "u128", "usize",
    "Clone", "Copy", "Default", "Drop", "Eq", "From", "Into", "Iterator", "IntoIterator", "Ord",
    "PartialEq", "PartialOrd", "Send", "Sized", "Sync", "Vec",
];

/// Returns whether this is the name of a crate of the standard library.
pub fn is_standard(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc")
}

/// Returns the name under which the evaluator knows an item of the standard library: a trait that a
/// program may implement or name, or `PhantomData`.
pub fn standard(module: &str, item: &str) -> Option<&'static str> {
    #[rustfmt::skip]
    const ITEMS: &[(&str, &[&str])] = &[
        ("marker", &["PhantomData", "Copy", "Sized", "Send", "Sync"]),
        ("clone", &["Clone"]),
        ("default", &["Default"]),
        ("cmp", &["PartialEq", "Eq", "PartialOrd", "Ord"]),
        ("fmt", &["Debug"]),
        ("convert", &["From", "Into"]),
        ("ops", &["Add", "AddAssign", "BitAnd", "BitOr", "BitXor", "Div", "DivAssign", "Mul",
            "MulAssign", "Neg", "Not", "Rem", "RemAssign", "Shl", "Shr", "Sub", "SubAssign"]),
    ];
    let (_, items) = ITEMS.iter().find(|(name, _)| *name == module)?;
    items.iter().find(|name| **name == item).copied()
}

/// Returns whether a program may implement this built-in trait for its types. The language does not
/// call its functions by itself, except in `clone`.
pub fn may_be_implemented(name: &str) -> bool {
    matches!(name, "Clone" | "Copy" | "Debug" | "Default" | "Eq")
}
