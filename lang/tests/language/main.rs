//! The language: what programs mean, and which are refused.

mod agreement;
mod ambiguous;
mod compile_fail;
mod conditions;
mod precompiles;
mod standard;
