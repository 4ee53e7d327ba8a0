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
        "unchecked" => UNCHECKED.to_vec(),
        "advice" => ADVICE.to_vec(),
        _ => {
            let functions = BUILT_IN.iter().flat_map(|precompile| precompile.functions);
            let functions = functions.map(|function| (function.name, VALUE));
            PRELUDE.iter().copied().chain(functions).collect()
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

const TYPE: Namespace = Namespace::Type;
const VALUE: Namespace = Namespace::Value;

/// `droste_gadgets::prelude`, apart from the functions of precompiles.
const PRELUDE: &[(&str, Namespace)] = &[
    ("Felt", TYPE),
    ("Ext", TYPE),
    ("Block", TYPE),
    ("Slice", TYPE),
    ("Unchecked", TYPE),
    ("Words", TYPE),
    ("Index", TYPE),
    ("felt", VALUE),
    ("hint_felt", VALUE),
    ("hint_ext", VALUE),
    ("hint_slice", VALUE),
    ("public_input", VALUE),
    ("reveal", VALUE),
    ("count", VALUE),
    ("count_to", VALUE),
    ("fold_pair", VALUE),
];

/// Name under which the evaluator knows the trait of unchecked indices.
pub const UNCHECKED_SLICE: &str = "UncheckedSlice";

/// `droste_gadgets::unchecked`.
const UNCHECKED: &[(&str, Namespace)] = &[(UNCHECKED_SLICE, TYPE)];

/// Names in `droste_gadgets::advice`, which do nothing in the machine.
const ADVICE: &[(&str, Namespace)] = &[
    ("advise_bits", VALUE),
    ("advise_below_largest", VALUE),
    ("advise_blocks", VALUE),
    ("advise_shifted", VALUE),
    ("advise_elements", VALUE),
    ("tell_ext", VALUE),
    ("tell_word", VALUE),
];

/// Returns whether a built-in function does nothing in the machine except evaluate its arguments.
pub fn is_advice(name: &str) -> bool {
    ADVICE.iter().any(|(advice, _)| *advice == name)
}

/// Names that every module knows without an import: Rust's primitive types and its prelude.
pub const LANGUAGE: &[&str] = &[
    "bool",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "Clone",
    "Copy",
    "Default",
    "Drop",
    "Eq",
    "From",
    "Into",
    "Iterator",
    "IntoIterator",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Send",
    "Sized",
    "Sync",
    "Vec",
];

/// Returns whether this is the name of a crate of the standard library.
pub fn is_standard(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc")
}

/// Returns the name under which the evaluator knows an item of the standard library: a trait that a
/// program may implement or name, or `PhantomData`.
pub fn standard(module: &str, item: &str) -> Option<&'static str> {
    const ITEMS: &[(&str, &[&str])] = &[
        ("marker", &["PhantomData", "Copy", "Sized", "Send", "Sync"]),
        ("clone", &["Clone"]),
        ("default", &["Default"]),
        ("cmp", &["PartialEq", "Eq", "PartialOrd", "Ord"]),
        ("fmt", &["Debug"]),
        ("convert", &["From", "Into"]),
        (
            "ops",
            &[
                "Add",
                "AddAssign",
                "BitAnd",
                "BitOr",
                "BitXor",
                "Div",
                "DivAssign",
                "Mul",
                "MulAssign",
                "Neg",
                "Not",
                "Rem",
                "RemAssign",
                "Shl",
                "Shr",
                "Sub",
                "SubAssign",
            ],
        ),
    ];
    let (_, items) = ITEMS.iter().find(|(name, _)| *name == module)?;
    items.iter().find(|name| **name == item).copied()
}

/// Returns whether a program may implement this built-in trait for its types. The language does not
/// call its functions by itself, except in `clone`.
pub fn may_be_implemented(name: &str) -> bool {
    matches!(name, "Clone" | "Copy" | "Debug" | "Default" | "Eq")
}
