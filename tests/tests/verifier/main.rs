//! Recursion from outside: circuits of programs and of any AIRs, gadgets, hints, costs. Aggregation
//! is tested in `aggregate`, whose allocator counts.

mod airs;
mod baby_bear;
mod constants;
mod cost;
mod hints;
mod over_whir;
mod quartic;
mod recurse;
mod recursion;
mod stock;
mod transcripts;
mod whir;
