//! Parameters of a proof, as options of the command line.

use std::convert::Infallible;
use std::env;
use std::fmt::Display;
use std::sync::LazyLock;

use clap::Args;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{FriSettings, HashId};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::program_keys::{fitting, of_all_lengths, shortest};
use droste_vm::compiler::Compiled;
use droste_vm::record::Execution;
use droste_vm::stack::{Stack, StackSettings};

use crate::error::CommandError;
use crate::output::visible;
use crate::progress::warn;

/// Environment variable with the preset of commands that are not given one.
const PRESET_VARIABLE: &str = "DROSTE_PRESET";

/// The preset where no option names one: `$DROSTE_PRESET`, or else proven-120. It is a default value,
/// and not clap's `env`, whose values conflict with other options as given ones do.
pub fn default_preset() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        let name = env::var_os(PRESET_VARIABLE).filter(|name| !name.is_empty());
        name.map_or_else(
            || Preset::default().to_string(),
            |name| name.to_string_lossy().into_owned(),
        )
    });
    &NAME
}

/// The preset of this name.
///
/// # Errors
/// If there is none; the message says if the name is that of `$DROSTE_PRESET`.
pub fn preset_of(name: &str) -> Result<Preset, String> {
    name.parse::<Preset>().map_err(|error| {
        if env::var_os(PRESET_VARIABLE).is_some_and(|value| value == name) {
            format!("{error} (the value of {PRESET_VARIABLE})")
        } else {
            error.to_string()
        }
    })
}

/// Says that what a proof of fewer bits than the preset's is made part of has no more bits either:
/// before the work, if the bits are known.
pub fn warn_of_weak(preset: Preset, what: impl Display, bits: usize) {
    let target = preset.target_bits();
    if bits < target {
        let what = visible(&what.to_string());
        warn(format!(
            "{what} has {bits} proven bits, fewer than the {target} of --preset {preset}: \
             what is made of it has no more than {bits}"
        ));
    }
}

/// What fixes the canonical shape of wraps and joins.
#[derive(Debug, Args)]
pub struct CanonicalShape {
    /// Security level of wraps and joins: proven-100, proven-120, proven-128 or toy (insecure). The
    /// default of every command is $DROSTE_PRESET, or else proven-120.
    #[arg(long, default_value = default_preset(), value_parser = preset_of)]
    pub preset: Preset,
    /// Largest number of proofs that one join takes. It fixes the shape of the proofs: use the same
    /// for all that are to be joined.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    arity: u16,
}

impl CanonicalShape {
    /// The aggregator that makes proofs of this shape.
    pub fn aggregator(&self) -> Aggregator {
        Aggregator::for_preset(self.preset, self.arity.into())
    }
}

/// Security level or number of queries, and blowup of a proof.
#[derive(Clone, Copy, Debug, Args)]
pub struct Parameters {
    /// Security level: proven-100, proven-120, proven-128 or toy (insecure). The default of every
    /// command is $DROSTE_PRESET, or else proven-120.
    #[arg(long, default_value = default_preset(), value_parser = preset_of)]
    pub preset: Preset,
    /// Number of queries, instead of a preset; without grinding, and over FRI only.
    #[arg(long, conflicts_with = "preset")]
    pub queries: Option<usize>,
    /// Blowup factor: 2, 4, 8 or 16.
    #[arg(long, default_value_t = 4)]
    pub blowup: usize,
}

impl Parameters {
    /// The FRI settings that these parameters stand for.
    pub fn settings(&self) -> Result<FriSettings, CommandError> {
        if !self.blowup.is_power_of_two() {
            let message = format!("the blowup is {}, expected 2, 4, 8 or 16", self.blowup);
            return Err(CommandError::usage(message));
        }
        let log_blowup = self.blowup.ilog2() as usize;
        let preset = match self.queries {
            None => self.preset,
            Some(_) => Preset::Toy,
        };
        let mut settings = preset.settings(log_blowup).map_err(CommandError::usage)?;
        if let Some(queries) = self.queries {
            settings.num_queries = queries;
        }
        settings.validate().map_err(CommandError::usage)?;
        Ok(settings)
    }

    /// The settings that these parameters stand for in a stack and a hash.
    pub fn over(&self, stack: Stack, hash: HashId) -> Result<StackSettings, CommandError> {
        let over_fri = self.settings()?;
        match stack {
            Stack::Fri => Ok(over_fri.into()),
            Stack::Whir if self.queries.is_some() => Err(CommandError::usage(
                "--queries is for proofs over FRI: over WHIR the security level determines them",
            )),
            Stack::Whir => Ok(WhirSettings::of_leaf(self.preset, hash, over_fri.log_blowup).into()),
        }
    }
}

/// Parameters of a proof where it states them itself: what these options do is to say so.
#[derive(Clone, Copy, Debug, Args)]
#[allow(dead_code, reason = "no value is accepted")]
pub struct StatedParameters {
    #[arg(long, hide = true, value_parser = refuse_stated)]
    preset: Option<Infallible>,
    #[arg(long, hide = true, value_parser = refuse_stated)]
    hash: Option<Infallible>,
    #[arg(long, hide = true, value_parser = refuse_stated)]
    stack: Option<Infallible>,
    #[arg(long, hide = true, value_parser = refuse_stated)]
    queries: Option<Infallible>,
    #[arg(long, hide = true, value_parser = refuse_stated)]
    blowup: Option<Infallible>,
    #[arg(long, hide = true, value_parser = refuse_stated)]
    log_block: Option<Infallible>,
}

const fn refuse_stated(_: &str) -> Result<Infallible, &'static str> {
    Err("this command takes parameters from the proof: leave the option out")
}

/// Parameters of the proof of a program, in either stack.
#[derive(Clone, Copy, Debug, Args)]
pub struct ProofParameters {
    /// Proof stack: fri or whir. The default is whir, where no table has more than 2^20 rows, and
    /// fri with --queries.
    #[arg(long)]
    stack: Option<Stack>,
    #[command(flatten)]
    parameters: Parameters,
    /// Over WHIR: logarithm of the largest number of rows that a table may have, up to 20. The
    /// default is 16, 12 for toy, and more only if the program, or the run that is proved, needs
    /// it. The key depends on it.
    #[arg(long, value_name = "LOG")]
    log_block: Option<usize>,
}

impl ProofParameters {
    /// The settings that these parameters stand for, for a proof in a hash.
    pub fn settings(&self, hash: HashId) -> Result<StackSettings, CommandError> {
        let stack = self.stack.unwrap_or(match self.parameters.queries {
            None => Stack::Whir,
            Some(_) => Stack::Fri,
        });
        let mut settings = self.parameters.over(stack, hash)?;
        match (&mut settings, self.log_block) {
            (_, None) => {}
            (StackSettings::Whir(settings), Some(log_block)) => {
                *settings = settings.of_rows(log_block);
            }
            (StackSettings::Fri(_), Some(_)) => {
                return Err(CommandError::usage("--log-block is for proofs over WHIR"));
            }
        }
        settings.validate().map_err(CommandError::usage)?;
        Ok(settings)
    }

    /// The settings of the program's key that these parameters stand for.
    ///
    /// # Errors
    /// As for [`Self::settings`].
    pub fn for_program(
        &self,
        hash: HashId,
        compiled: &Compiled,
    ) -> Result<StackSettings, CommandError> {
        let settings = self.settings(hash)?;
        match self.log_block {
            Some(_) => Ok(settings),
            None => Ok(shortest(settings, compiled)),
        }
    }

    /// The settings of the program's keys for runs of all lengths.
    ///
    /// # Errors
    /// As for [`Self::settings`].
    pub fn for_all_lengths(
        &self,
        hash: HashId,
        compiled: &Compiled,
    ) -> Result<Vec<StackSettings>, CommandError> {
        Ok(of_all_lengths(self.settings(hash)?, compiled))
    }

    /// The settings that these parameters stand for, for the proof of a run.
    ///
    /// # Errors
    /// As for [`Self::settings`].
    pub fn for_run(
        &self,
        hash: HashId,
        compiled: &Compiled,
        execution: &Execution,
    ) -> Result<StackSettings, CommandError> {
        let settings = self.settings(hash)?;
        match self.log_block {
            Some(_) => Ok(settings),
            None => Ok(fitting(settings, compiled, execution)?),
        }
    }
}
