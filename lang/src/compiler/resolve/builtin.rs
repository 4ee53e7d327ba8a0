//! Names that no file defines: the gadgets' prelude, the language's own, and the standard library's.

use super::Namespace;

/// The crate of the built-in modules.
pub const GADGETS: &str = "droste_gadgets";

/// Its built-in modules, which [`PRELUDE`], [`UNCHECKED`] and [`ADVICE`] fill.
pub const MODULES: [(&str, &[(&str, Namespace)]); 3] = [
    ("prelude", PRELUDE),
    ("unchecked", UNCHECKED),
    ("advice", ADVICE),
];

const TYPE: Namespace = Namespace::Type;
const VALUE: Namespace = Namespace::Value;

/// `droste_gadgets::prelude`.
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
    ("poseidon16_compress", VALUE),
    ("poseidon16_sponge", VALUE),
    ("poseidon16_hash", VALUE),
    ("poseidon16_duplex", VALUE),
    ("poseidon16_merkle", VALUE),
    ("horner", VALUE),
    ("unpack", VALUE),
    ("assert_unpacked", VALUE),
    ("fold_pair", VALUE),
    ("limbs", VALUE),
    ("blake3_chunk", VALUE),
    ("blake3_parent", VALUE),
    ("blake3_merkle", VALUE),
    ("keccak_hash", VALUE),
    ("keccak_merkle", VALUE),
];

/// The trait of indices without a check, by the name under which the evaluator knows it.
pub const UNCHECKED_SLICE: &str = "UncheckedSlice";

/// `droste_gadgets::unchecked`.
const UNCHECKED: &[(&str, Namespace)] = &[(UNCHECKED_SLICE, TYPE)];

/// `droste_gadgets::advice`: what the machine has no use for.
const ADVICE: &[(&str, Namespace)] = &[
    ("advise_bits", VALUE),
    ("advise_word_bits", VALUE),
    ("advise_below_modulus", VALUE),
    ("advise_inverse", VALUE),
    ("advise_blocks", VALUE),
    ("advise_shifted", VALUE),
    ("advise_elements", VALUE),
    ("tell_ext", VALUE),
    ("tell_word", VALUE),
];

/// Whether a built-in function is nothing in the machine but the evaluation of its arguments.
pub fn is_advice(name: &str) -> bool {
    ADVICE.iter().any(|(advice, _)| *advice == name)
}

/// What every module knows without an import: Rust's primitive types and its prelude.
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

/// Crates of the standard library.
pub fn is_standard(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc")
}

/// The name by which the evaluator knows an item of the standard library: that of a trait that a program
/// may implement or name, or `PhantomData`.
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

/// Built-in traits that a program may implement for its types: operators and `clone` are then called,
/// the rest has no methods that the language calls by itself. `Into` is none of them: beside a program's
/// own there are those that follow from `From`, and the result alone says which is meant.
pub fn may_be_implemented(name: &str) -> bool {
    matches!(
        name,
        "Add"
            | "BitAnd"
            | "BitOr"
            | "BitXor"
            | "Clone"
            | "Copy"
            | "Debug"
            | "Default"
            | "Div"
            | "Eq"
            | "From"
            | "Mul"
            | "Neg"
            | "Not"
            | "PartialEq"
            | "Rem"
            | "Shl"
            | "Shr"
            | "Sub"
    )
}

/// Whether a trait is that of an operator or of a comparison.
pub fn is_operator(name: &str) -> bool {
    matches!(
        name,
        "Add"
            | "BitAnd"
            | "BitOr"
            | "BitXor"
            | "Div"
            | "Mul"
            | "Neg"
            | "Not"
            | "PartialEq"
            | "PartialOrd"
            | "Rem"
            | "Shl"
            | "Shr"
            | "Sub"
    )
}
