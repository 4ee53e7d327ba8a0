//! Parameters of a proof, as options of the command line.

use clap::Args;
use droste_native::FriSettings;
use droste_native::stark::security::Preset;
use droste_verifier::aggregate::Aggregator;
use droste_vm::stack::Stack;

use crate::error::CommandError;

/// What fixes the canonical shape of wraps and joins.
#[derive(Debug, Args)]
pub struct CanonicalShape {
    /// Security level of wraps and joins: proven-100, proven-120, proven-128 or toy (insecure).
    #[arg(long, default_value_t)]
    preset: Preset,
    /// Largest number of proofs that one join takes. It fixes the shape of the proofs: use the same
    /// for all that are to be joined.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    arity: u16,
    /// Proof stack of wraps and joins: fri or whir. Use the same for all that are to be joined.
    #[arg(long, default_value_t)]
    stack: Stack,
}

impl CanonicalShape {
    /// The aggregator that makes proofs of this shape.
    ///
    /// # Errors
    /// If there is no such shape.
    pub fn aggregator(&self) -> Result<Aggregator, CommandError> {
        let arity = self.arity.into();
        Ok(Aggregator::for_preset(self.preset, arity, self.stack)?)
    }
}

/// Security level or number of queries, and blowup of a proof.
#[derive(Clone, Copy, Debug, Args)]
pub struct Parameters {
    /// Security level: proven-100, proven-120, proven-128 or toy (insecure).
    #[arg(long, default_value_t)]
    pub preset: Preset,
    /// Number of queries, instead of a preset; without grinding.
    #[arg(long, conflicts_with = "preset")]
    pub queries: Option<usize>,
    /// Blowup factor: 2, 4, 8 or 16.
    #[arg(long, default_value_t = 4)]
    pub blowup: usize,
}

impl Parameters {
    /// The FRI settings that these parameters stand for.
    ///
    /// # Errors
    /// If the blowup or the number of queries is out of range.
    pub fn settings(&self) -> Result<FriSettings, CommandError> {
        if !self.blowup.is_power_of_two() {
            let message = format!("the blowup is {}, expected 2, 4, 8 or 16", self.blowup);
            return Err(CommandError::usage(message));
        }
        let usage = |error: &dyn std::fmt::Display| CommandError::usage(error.to_string());
        let log_blowup = self.blowup.ilog2() as usize;
        let preset = match self.queries {
            None => self.preset,
            Some(_) => Preset::Toy,
        };
        let mut settings = preset.settings(log_blowup).map_err(|error| usage(&error))?;
        if let Some(queries) = self.queries {
            settings.num_queries = queries;
        }
        settings.validate().map_err(|error| usage(&error))?;
        Ok(settings)
    }
}
