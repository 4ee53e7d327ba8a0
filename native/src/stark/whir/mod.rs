//! WHIR over Poseidon-16: a multilinear commitment scheme, and the configuration that
//! `p3-multi-stark` takes.
//!
//! It stands beside the configurations over FRI ([`crate::stark::config`]) and shares their Merkle
//! trees and their transcript. Tables are proved by a sumcheck over their rows, buses by LogUp with
//! GKR (ePrint 2023/1284), and one commitment to all columns is opened by WHIR.

mod scheme;
mod security;
mod settings;
#[cfg(test)]
mod tests;

pub use scheme::{
    WhirCommitment, WhirCommitted, WhirData, WhirOpening, WhirOpeningError, WhirProverError,
    WhirScheme, WhirStark,
};
pub use security::{WhirSecurity, WhirTerm};
pub use settings::{Parameters, WhirSettings, WhirSettingsError};
