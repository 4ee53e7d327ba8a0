//! Syntax tree of the subset, with interned names, and without what the compiler ignores.

mod expr;
mod item;
mod pattern;
mod symbol;
mod types;

pub use expr::*;
pub use item::*;
pub use pattern::*;
pub use symbol::*;
pub use types::*;
