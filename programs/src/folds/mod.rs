//! Rules of folds, and the leaf programs whose proofs they take. `docs/fold.md` explains them.
//!
//! | example | leaf program | rules |
//! |---|---|---|
//! | blocks of a rollup, one after the other | [`block`] | [`chain`] |
//! | a function applied a thousand times | | [`repeat`] |
//! | signers of a message, each counted once | [`registered`] | [`signers`] |
//! | sum, order and digest of a list | [`item`] | [`reduce`] |

pub mod block;
pub mod chain;
pub mod item;
pub mod reduce;
pub mod registered;
pub mod repeat;
pub mod signers;

/// Name and text of every file of this folder: rules, and leaf programs, which have a `main`.
pub const FOLD_SOURCES: &[(&str, &str)] = &[
    ("block", include_str!("block.rs")),
    ("chain", include_str!("chain.rs")),
    ("item", include_str!("item.rs")),
    ("reduce", include_str!("reduce.rs")),
    ("registered", include_str!("registered.rs")),
    ("repeat", include_str!("repeat.rs")),
    ("signers", include_str!("signers.rs")),
];

/// Returns the text of the file called `name`, if there is one.
pub fn fold_source(name: &str) -> Option<&'static str> {
    FOLD_SOURCES
        .iter()
        .find_map(|&(file, text)| (file == name).then_some(text))
}
