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

/// Returns whether the evaluator knows an item by this name, so that no function of a precompile can
/// have it.
pub fn is_builtin(name: &str) -> bool {
    let mut items = ITEMS.iter().flat_map(|(_, items)| *items);
    home(name).is_some() || items.any(|item| *item == name) || OF_STANDARD.contains(&name)
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
const FUNCTIONS: [&str; 11] = [
    "quartic", "baby_bear", "felt", "hint_felt", "hint_ext", "hint_slice", "public_input", "reveal",
    "count", "count_to", "fold_pair",
];

/// Name under which the evaluator knows the trait of unchecked indices.
pub const UNCHECKED_SLICE: &str = "UncheckedSlice";

/// Functions of `droste_gadgets::advice`, which do nothing in the machine.
#[rustfmt::skip]
const ADVICE: [&str; 20] = [
    "advise_bits", "advise_below_largest", "advise_blocks", "advise_shifted", "advise_elements",
    "advise_words", "advise_rows",
    "tell_blocks", "tell_ext", "tell_word", "advise_conjugate_sums", "advise_queries",
    "advise_query_factors",
    "advise_query_round", "advise_quotients", "advise_entries", "advise_trace_coordinates",
    "advise_trace_round", "advise_trace_weight", "advise_values_at_conjugates",
];

/// Returns whether a built-in function does nothing in the machine except evaluate its arguments.
pub fn is_advice(name: &str) -> bool {
    ADVICE.contains(&name)
}

/// Names that every module knows without an import: Rust's primitive types and its prelude, but for
/// what the crate of [`super::Items::std`] declares.
#[rustfmt::skip]
pub const LANGUAGE: &[&str] = &[
    "bool", "char", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
    "usize",
    "AsMut", "AsRef", "Clone", "Copy", "Default", "DoubleEndedIterator", "Drop", "Eq",
    "ExactSizeIterator", "Extend", "Fn", "FnMut", "FnOnce", "From", "FromIterator", "Into",
    "IntoIterator", "Iterator", "Ord", "PartialEq", "PartialOrd", "Send", "Sized", "Sync", "ToOwned",
    "ToString", "TryFrom", "TryInto", "Vec",
];

/// Traits that every module knows and a type of a program may have, each with its functions and how
/// these take `self`. `lang/tests/language/standard.rs` compares this with rustc's documentation,
/// which leaves the functions of `Eq` out.
#[rustfmt::skip]
pub const STANDARD: &[(&str, &[(&str, &str)])] = &[
    ("Clone", &[("clone", "&self"), ("clone_from", "&mut self")]),
    ("Default", &[("default", "")]),
    ("Eq", &[("assert_receiver_is_total_eq", "&self"), ("assert_fields_are_eq", "&self")]),
    ("From", &[("from", "")]),
    ("Into", &[("into", "self")]),
    ("Ord", &[("cmp", "&self"), ("max", "self"), ("min", "self"), ("clamp", "self")]),
    ("PartialEq", &[("eq", "&self"), ("ne", "&self")]),
    ("PartialOrd", &[("partial_cmp", "&self"), ("lt", "&self"), ("le", "&self"), ("gt", "&self"),
        ("ge", "&self")]),
    ("ToOwned", &[("to_owned", "&self"), ("clone_into", "&self")]),
    ("ToString", &[("to_string", "&self")]),
    ("TryFrom", &[("try_from", "")]),
    ("TryInto", &[("try_into", "self")]),
];

/// Functions of `Iterator`, which types of a program may have, too. Of these it writes only `next`.
#[rustfmt::skip]
pub const ITERATOR: &[&str] = &[
    "advance_by", "all", "any", "array_chunks", "by_ref", "chain", "cloned", "cmp", "cmp_by",
    "collect", "collect_into", "copied", "count", "cycle", "enumerate", "eq", "eq_by", "filter",
    "filter_map", "find", "find_map", "flat_map", "flatten", "fold", "for_each", "fuse", "ge", "gt",
    "inspect", "intersperse", "intersperse_with", "is_partitioned", "is_sorted", "is_sorted_by",
    "is_sorted_by_key", "last", "le", "lt", "map", "map_while", "map_windows", "max", "max_by",
    "max_by_key", "min", "min_by", "min_by_key", "ne", "next", "next_chunk", "nth", "partial_cmp",
    "partial_cmp_by", "partition", "partition_in_place", "peekable", "position", "product",
    "reduce", "rev", "rposition", "scan", "size_hint", "skip", "skip_while", "step_by", "sum",
    "take", "take_while", "try_collect", "try_find", "try_fold", "try_for_each", "try_reduce",
    "unzip", "zip",
];

/// Returns the names of functions that the compiler knows of traits of Rust's prelude, by trait:
/// those that a program's own function may be mistaken for.
pub fn standard_names() -> Vec<(&'static str, Vec<&'static str>)> {
    let names = STANDARD.iter().map(|(of, functions)| {
        let names = functions.iter().map(|(name, _)| *name);
        (*of, names.collect())
    });
    names.chain([("Iterator", ITERATOR.to_vec())]).collect()
}

/// Returns whether this is the name of a crate of the standard library.
pub fn is_standard(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc")
}

/// Names under which the evaluator knows the types of `a..b` and `a..=b`.
pub const RANGES: [&str; 2] = ["std::ops::Range", "std::ops::RangeInclusive"];

/// Name under which the evaluator knows `std::iter::from_fn`.
pub const ITER_FROM_FN: &str = "iter::from_fn";

/// Name under which the evaluator knows the trait of indices: the prelude has a type `Index`.
pub const INDEX: &str = "ops::Index";

/// Name under which the evaluator knows the types of iterators over lists.
pub const LIST_ITERATOR: &str = "std::Iter";

/// Items of the standard library's modules that its crate here does not declare.
#[rustfmt::skip]
const ITEMS: &[(&str, &[&str])] = &[
    ("marker", &["PhantomData", "Copy", "Sized", "Send", "Sync"]),
    ("clone", &["Clone"]),
    ("default", &["Default"]),
    ("cmp", &["PartialEq", "Eq", "PartialOrd", "Ord", "max", "min"]),
    ("fmt", &["Debug", "Display"]),
    ("hash", &["Hash"]),
    ("convert", &["AsMut", "AsRef", "From", "Into", "TryFrom", "TryInto"]),
    ("borrow", &["ToOwned"]),
    ("string", &["ToString"]),
    ("iter", &["DoubleEndedIterator", "ExactSizeIterator", "Extend", "FromIterator",
        "IntoIterator", "Iterator", "Product", "Sum", "empty", "from_fn", "once", "repeat",
        "repeat_n", "repeat_with", "successors", "zip"]),
    ("array", &["IntoIter", "from_fn"]),
    ("mem", &["replace", "swap", "take"]),
    ("slice", &["Iter"]),
    ("vec", &["IntoIter", "Vec"]),
    ("ops", &["Add", "AddAssign", "BitAnd", "BitAndAssign", "BitOr", "BitOrAssign", "BitXor",
        "BitXorAssign", "Div", "DivAssign", "Drop", "Fn", "FnMut", "FnOnce", "Index", "IndexMut",
        "Mul", "MulAssign",
        "Neg", "Not", "Range", "RangeInclusive", "Rem", "RemAssign", "Shl", "ShlAssign",
        "Shr", "ShrAssign", "Sub", "SubAssign"]),
];

/// Returns the name under which the evaluator knows an item of the standard library that its crate
/// here does not declare: a trait that a program may implement or name, `PhantomData`, `Vec`, or a
/// function.
pub fn standard(module: &str, item: &str, namespace: Namespace) -> Option<&'static str> {
    let (_, items) = ITEMS.iter().find(|(name, _)| *name == module)?;
    let found = items.iter().find(|name| **name == item).copied()?;
    // Names that other modules, and the prelude, have, too.
    let found = match (module, found) {
        ("iter", "from_fn") => ITER_FROM_FN,
        (_, "Iter" | "IntoIter") => LIST_ITERATOR,
        ("ops", "Index") => INDEX,
        ("ops", "Range") => RANGES[0],
        ("ops", "RangeInclusive") => RANGES[1],
        (_, found) => found,
    };
    let own = if item.starts_with(char::is_lowercase) {
        Namespace::Value
    } else {
        Namespace::Type
    };
    (own == namespace || found == "PhantomData").then_some(found)
}

/// Functions that only the crate of the standard library may name: the clone of what a reference
/// refers to, and the default of a type.
pub const OF_STANDARD: [&str; 2] = ["__clone", "__default"];
