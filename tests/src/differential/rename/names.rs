//! The names that a program declares and uses, and which of them may be the same.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a name is declared as. One name is several of these if its uses are not told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// A struct, trait, alias or module.
    pub type_item: bool,
    /// A function or constant.
    pub value_item: bool,
    /// What a pattern refers to instead of binding it: a constant, or a struct without named
    /// fields.
    pub in_patterns: bool,
    /// A method, or an associated function, constant or type.
    pub member: bool,
    /// A field.
    pub field: bool,
    /// A parameter or variable of one function.
    pub local: bool,
    /// A type parameter.
    pub type_parameter: bool,
    /// A constant parameter.
    pub const_parameter: bool,
}

/// Where a path's first segment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Where only a type, trait or module can be meant.
    Type,
    /// Where only a value can be meant.
    Value,
    /// A generic argument, which is a type if there is one of this name, and a constant otherwise.
    Argument,
}

/// What a name belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// An item of the program, or a member of its traits and types.
    Global(String),
    /// A field of the program's structs.
    Field(String),
    /// A variable of the function of this number.
    Local(usize, String),
    /// A generic parameter of the item of this number.
    Generic(usize, String),
    /// A name that the program does not declare.
    Outside(String),
}

impl Key {
    /// Returns the name.
    pub fn name(&self) -> &str {
        match self {
            Self::Global(name)
            | Self::Field(name)
            | Self::Local(_, name)
            | Self::Generic(_, name)
            | Self::Outside(name) => name,
        }
    }
}

/// All that is renamed together.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// What it is.
    pub kinds: Kinds,
    /// The text of the items in which a local variable or a generic parameter is in scope.
    pub scope: Range<usize>,
    /// Where it is the first segment of a path, or the name of the declared item.
    pub uses: Vec<(usize, Position)>,
    /// Whether a `use` names it.
    pub imported: bool,
    /// Whether it cannot be renamed, since it is also a name of something outside.
    pub fixed: bool,
}

/// A piece of the text that depends on names.
#[derive(Clone, Debug)]
pub enum Edit {
    /// A name.
    Name(Range<usize>, Key),
    /// The place before a shorthand, at which the name of the field is written.
    Field(usize, Key),
}

impl Edit {
    /// Returns the first byte.
    pub fn start(&self) -> usize {
        match self {
            Self::Name(range, _) => range.start,
            Self::Field(start, _) => *start,
        }
    }
}

/// The names of a program.
#[derive(Debug, Default)]
pub struct Names {
    /// The names and what is known of them.
    pub groups: BTreeMap<Key, Group>,
    /// Where they stand.
    pub edits: Vec<Edit>,
    /// Names of the fields of each struct.
    pub structs: Vec<BTreeSet<String>>,
}

/// Functions of the prelude.
#[rustfmt::skip]
pub const FUNCTIONS: &[&str] = &[
    "felt", "reveal", "public_input", "hint_felt", "hint_ext", "hint_slice", "count", "count_to",
    "fold_pair", "horner", "limbs", "unpack", "power_weights", "right_shifts", "assert_unpacked",
    "assert_low_24_bits", "assert_poseidon16_tweaked_path", "binary_dot",
    "binary_product", "binary_scale", "blake3_chunk", "blake3_merkle",
    "blake3_parent", "keccak_hash", "keccak_merkle", "poseidon16_compress", "poseidon16_duplex",
    "poseidon16_hash", "poseidon16_merkle", "poseidon16_sponge", "poseidon16_winternitz",
    "poseidon2_compress", "poseidon2_duplex", "poseidon2_hash", "poseidon2_merkle",
    "poseidon2_16_compress", "poseidon2_16_constants", "poseidon2_16_duplex", "poseidon2_16_hash",
    "poseidon2_16_merkle", "poseidon2_24_constants", "poseidon2_24_duplex", "poseidon2_24_hash",
    "unpack_binary", "word_products",
];

/// Types of the prelude and of the language.
#[rustfmt::skip]
pub const TYPES: &[&str] = &[
    "Felt", "Ext", "Block", "Slice", "Unchecked", "Words", "Index", "Vec", "bool", "u8", "u16",
    "u32", "u64", "usize", "Copy", "Clone", "Default", "u128", "i8", "i16", "i32", "i64", "isize",
    "i128", "char", "str", "Option", "Result",
];

/// Names of methods and associated items that types have which no program declares.
#[rustfmt::skip]
pub const MEMBERS: &[&str] = &[
    // The prelude's types.
    "ONE", "ZERO", "any", "as_block", "as_ext", "at", "at_unchecked", "bit", "block", "checked",
    "coeff", "from_blocks", "from_coeffs", "from_felt", "get", "inverse", "lane", "new", "pin",
    "set", "skip", "skip_index", "skip_unchecked",
    // Integers, arrays, slices, `Vec`, iterators, `Option` and `Result`.
    "BITS", "MAX", "MIN", "abs", "abs_diff", "all", "and", "and_then", "append", "binary_search",
    "capacity", "chain", "checked_add", "checked_div", "checked_ilog2", "checked_mul",
    "checked_neg", "checked_next_power_of_two", "checked_pow", "checked_rem", "checked_shl",
    "checked_shr", "checked_sub", "chunk_by", "chunks", "chunks_exact", "clear", "clone_from_slice",
    "cloned", "collect", "concat", "contains", "copied", "copy_from_slice", "count", "count_ones",
    "count_zeros", "cycle", "dedup", "dedup_by", "div_ceil", "div_euclid", "drain", "empty",
    "ends_with", "enumerate", "err", "expect", "expect_err", "extend", "extend_from_slice", "fill",
    "filter", "filter_map", "find", "find_map", "first", "first_mut", "flat_map", "flatten", "fold",
    "for_each", "from_be_bytes", "from_fn", "from_le_bytes", "get_or_insert", "ilog", "ilog10",
    "ilog2", "insert", "inspect", "is_alphanumeric", "is_ascii_alphabetic", "is_ascii_digit",
    "is_empty", "is_eq", "is_err", "is_ge", "is_gt", "is_le", "is_lt", "is_multiple_of", "is_ne",
    "is_negative", "is_none", "is_none_or", "is_ok", "is_ok_and", "is_positive", "is_power_of_two",
    "is_some", "is_some_and", "is_sorted", "isqrt", "iter", "iter_mut", "last", "last_mut",
    "leading_ones",
    "leading_zeros", "len", "map", "map_err", "map_or", "map_or_else", "map_while", "max", "max_by",
    "max_by_key", "midpoint", "min", "min_by", "min_by_key", "next_back", "next_multiple_of",
    "next_power_of_two", "nth", "ok", "ok_or", "ok_or_else", "once", "or", "or_else",
    "overflowing_add", "overflowing_mul", "overflowing_sub", "partition", "partition_point", "peek",
    "peekable", "pop", "position", "pow", "product", "push", "rem_euclid", "remove", "repeat",
    "replace", "resize", "retain", "rev", "reverse", "reverse_bits", "rotate_left", "rotate_right",
    "rposition", "saturating_add", "saturating_mul", "saturating_pow", "saturating_sub", "scan",
    "signum", "skip_while", "sort", "sort_by", "sort_by_key", "sort_unstable", "split", "split_at",
    "split_at_mut",
    "split_first", "split_last", "starts_with", "step_by", "successors", "sum", "swap",
    "swap_bytes", "swap_remove", "take", "take_while", "then", "then_some", "then_with",
    "to_ascii_lowercase", "to_ascii_uppercase", "to_be_bytes", "to_digit", "to_le_bytes", "to_vec",
    "trailing_ones", "trailing_zeros", "truncate", "try_fold", "unsigned_abs", "unwrap",
    "unwrap_err", "unwrap_or", "unwrap_or_default", "unwrap_or_else", "unzip", "windows",
    "with_capacity", "wrapping_add", "wrapping_mul", "wrapping_neg", "wrapping_pow", "wrapping_shl",
    "wrapping_shr", "wrapping_sub", "xor", "zip",
    // Text.
    "as_bytes", "bytes", "char_indices", "chars", "lines", "parse", "rfind", "split_once",
    "strip_prefix",
    // Variants of the standard library.
    "Equal", "Err", "Greater", "Less", "None", "Ok", "Some",
    // Traits of the standard library.
    "Output", "Item", "Target", "add", "add_assign", "bitand", "bitor", "bitxor", "borrow", "clone",
    "clone_from", "cmp", "default", "deref", "div", "div_assign", "drop", "eq", "fmt", "from",
    "hash", "index", "index_mut", "into", "into_iter", "mul", "mul_assign", "ne", "neg", "next",
    "not", "partial_cmp", "lt", "le", "gt", "ge", "rem", "rem_assign", "shl", "shr", "sub",
    "sub_assign", "to_owned", "to_string", "try_from", "try_into", "type_id", "clamp", "as_ref",
];

/// Returns whether this is the name of something that no program declares.
pub fn is_outside(name: &str) -> bool {
    [FUNCTIONS, TYPES, MEMBERS]
        .iter()
        .any(|names| names.contains(&name))
}

impl Names {
    /// Whether these two may have the same name in a program of the same meaning.
    pub fn may_share(&self, (a, x): (&Key, &Group), (b, y): (&Key, &Group)) -> bool {
        if x.kinds.field || y.kinds.field {
            let together =
                |fields: &BTreeSet<String>| fields.contains(a.name()) && fields.contains(b.name());
            return !(x.kinds.field && y.kinds.field && self.structs.iter().any(together));
        }
        if matches!(b, Key::Outside(_)) {
            return self.may_be_outside((a, x), (b, y));
        }
        if matches!(a, Key::Outside(_)) {
            return self.may_be_outside((b, y), (a, x));
        }
        if x.kinds.member && y.kinds.member {
            return false;
        }
        is_only_member(x) || is_only_member(y) || in_scope(x, y)
    }

    fn may_be_outside(&self, (a, x): (&Key, &Group), (b, y): (&Key, &Group)) -> bool {
        if matches!(a, Key::Outside(_)) || x.kinds.type_item || x.kinds.value_item {
            return false;
        }
        let function = FUNCTIONS.contains(&b.name());
        if x.kinds.member {
            return function && !MEMBERS.contains(&b.name());
        }
        // A pattern cannot bind the name of a struct whose fields are private, and an argument of
        // that name would be the type.
        let value = x.kinds.local || (x.kinds.const_parameter && is_argument(x));
        let known = function || (TYPES.contains(&b.name()) && !value);
        known && !is_used_in(y, &x.scope)
    }
}

fn is_only_member(group: &Group) -> bool {
    group.kinds.member && !group.kinds.type_item && !group.kinds.value_item
}

fn is_used_in(item: &Group, scope: &Range<usize>) -> bool {
    item.uses.iter().any(|(at, _)| scope.contains(at))
}

fn is_argument(group: &Group) -> bool {
    let mut uses = group.uses.iter();
    uses.any(|(_, position)| *position == Position::Argument)
}

/// Like [`Names::may_share`], for items, parameters and variables of the program.
fn in_scope(x: &Group, y: &Group) -> bool {
    let is_item = |group: &Group| group.kinds.type_item || group.kinds.value_item;
    let apart = x.scope.end <= y.scope.start || y.scope.end <= x.scope.start;
    match (is_item(x), is_item(y)) {
        // One is in the namespace of types, the other in that of values.
        (true, true) => {
            let (ty, value) = if x.kinds.type_item { (x, y) } else { (y, x) };
            let both = ty.kinds.value_item || ty.kinds.in_patterns || value.kinds.type_item;
            !both && value.kinds.value_item && !is_argument(value) && !x.imported && !y.imported
        }
        (false, false) if x.kinds.local && y.kinds.local => apart,
        // Nothing can be declared that has the name of a constant parameter in scope.
        (false, false) => {
            let types = x.kinds.type_parameter || y.kinds.type_parameter;
            apart || (types && (x.kinds.local || y.kinds.local))
        }
        (true, false) => in_scope(y, x),
        (false, true) if x.kinds.local => {
            !y.kinds.in_patterns && (!y.kinds.value_item || !is_used_in(y, &x.scope))
        }
        (false, true) => {
            // An argument of this name would be the type.
            if x.kinds.const_parameter && is_argument(x) && y.kinds.type_item {
                return false;
            }
            let other = if x.kinds.type_parameter {
                !y.kinds.type_item && !is_argument(y)
            } else {
                !y.kinds.value_item && !y.kinds.in_patterns
            };
            other || !is_used_in(y, &x.scope)
        }
    }
}
