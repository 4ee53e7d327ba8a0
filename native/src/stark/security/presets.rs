//! Named FRI settings.

use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{TableShape, proven_security};
use crate::stark::config::FriSettings;

/// A named level of security.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Preset {
    /// Few queries and no grinding, for tests and examples. It has no security.
    #[serde(rename = "toy")]
    Toy,
    /// 100 proven bits for batches up to [`reference_batch`].
    #[default]
    #[serde(rename = "proven-100")]
    Proven100,
    /// 120 proven bits for batches up to [`reference_batch`].
    #[serde(rename = "proven-120")]
    Proven120,
}

/// A blowup for which presets have no settings.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("no preset has blowup 2^{log_blowup}, expected 2, 4, 8 or 16")]
pub struct UnsupportedBlowup {
    /// Logarithm of the blowup asked for.
    pub log_blowup: usize,
}

/// A name that no preset has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown preset `{0}`: expected toy, proven-100 or proven-120")]
pub struct UnknownPreset(pub String);

impl Preset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Toy, Self::Proven100, Self::Proven120];

    /// The preset's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Toy => "toy",
            Self::Proven100 => "proven-100",
            Self::Proven120 => "proven-120",
        }
    }

    /// The proven bits of the preset for batches up to [`reference_batch`]; 0 for [`Self::Toy`].
    pub const fn target_bits(self) -> usize {
        match self {
            Self::Toy => 0,
            Self::Proven100 => 100,
            Self::Proven120 => 120,
        }
    }

    /// The preset's settings at blowup `2^log_blowup`.
    ///
    /// The numbers of queries are the smallest that reach the target on [`reference_batch`].
    ///
    /// # Errors
    /// If the blowup is not 2, 4, 8 or 16.
    pub fn settings(self, log_blowup: usize) -> Result<FriSettings, UnsupportedBlowup> {
        let unsupported = UnsupportedBlowup { log_blowup };
        let queries: [usize; 4] = match self {
            Self::Toy => [4, 4, 4, 4],
            Self::Proven100 => [176, 86, 57, 43],
            Self::Proven120 => [220, 109, 73, 56],
        };
        let position = log_blowup.checked_sub(1).ok_or(unsupported.clone())?;
        let num_queries = *queries.get(position).ok_or(unsupported)?;
        let base = FriSettings {
            log_blowup,
            num_queries,
            ..FriSettings::toy()
        };
        Ok(match self {
            Self::Toy => base,
            Self::Proven100 => FriSettings {
                query_grinding_bits: 16,
                ..base
            },
            Self::Proven120 => FriSettings {
                query_grinding_bits: 16,
                batch_grinding_bits: 16,
                commit_grinding_bits: 16,
                lookup_grinding_bits: 8,
                ..base
            },
        })
    }
}

impl Display for Preset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Self, UnknownPreset> {
        Self::ALL
            .into_iter()
            .find(|preset| preset.name() == name)
            .ok_or_else(|| UnknownPreset(name.to_owned()))
    }
}

/// The largest batch for which presets promise their level: a table of 2^20 rows with 3,930
/// openings (as wide as a whole machine with its buses) and 4,096 constraints of degree 9, and a
/// table of 2^6 rows. The machines of this project need less.
///
/// A batch that is no larger, and whose tables have at least 2^6 rows, has at least the security of
/// this one. The security of other batches must be computed, as every report does: a table of 2^4
/// rows costs 7 queries at blowup 4.
pub fn reference_batch() -> [TableShape; 2] {
    let tallest = TableShape {
        log_height: 20,
        main_width: 1500,
        main_next: true,
        preprocessed_width: 40,
        preprocessed_next: true,
        constraints: 4096,
        degree: 9,
        lookup_columns: 80,
        interactions: 256,
        message_width: 32,
    };
    let shortest = TableShape {
        log_height: 6,
        ..TableShape::default()
    };
    [tallest, shortest]
}

/// The smallest number of queries with which `settings` reach `target` proven bits for these
/// tables, or `None` if more than 1024 would be needed.
pub fn smallest_queries(
    settings: &FriSettings,
    tables: &[TableShape],
    collision_bits: usize,
    target: usize,
) -> Option<usize> {
    let reaches = |num_queries: usize| {
        let settings = FriSettings {
            num_queries,
            ..*settings
        };
        proven_security(&settings, tables, collision_bits).bits() >= target
    };
    // Security never falls with more queries, so bisection finds the smallest number.
    let (mut low, mut high) = (0, 1024);
    if !reaches(high) {
        return None;
    }
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if reaches(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}
