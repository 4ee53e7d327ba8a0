//! Parameters of a proof on the command line.

use clap::Args;
use droste_native::FriSettings;
use droste_native::security::Preset;

use crate::error::CommandError;

/// Hash, queries and blowup of a proof.
#[derive(Clone, Copy, Debug, Args)]
pub struct Parameters {
    /// Security: proven-100, proven-120 or toy.
    #[arg(long, default_value_t = Preset::Proven100)]
    pub preset: Preset,
    /// Number of queries, without grinding, instead of a preset.
    #[arg(long, conflicts_with = "preset")]
    pub queries: Option<usize>,
    /// Blowup factor: 2, 4, 8 or 16.
    #[arg(long, default_value_t = 4)]
    pub blowup: usize,
}

impl Parameters {
    /// The settings they stand for.
    ///
    /// # Errors
    /// Numbers out of range.
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
