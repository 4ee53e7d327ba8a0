//! Named FRI settings.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{BIRTHDAY, DIGEST_COLLISION_BITS, Security, TableShape, proven_security};
use crate::stark::config::FriSettings;

/// A named level of security.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Preset {
    /// Few queries and no grinding, for tests and examples. It has no security.
    #[serde(rename = "toy")]
    Toy,
    /// 100 proven bits in the sum of all terms, for batches up to [`reference_batch`].
    #[serde(rename = "proven-100")]
    Proven100,
    /// 120 proven bits in the sum of all terms, for batches up to [`reference_batch`]. By the union
    /// bound, 2^19 proofs at this preset, which is a whole tree, have 100 bits together.
    #[default]
    #[serde(rename = "proven-120")]
    Proven120,
    /// 128 bits in every term of the protocol, for batches up to [`reference_batch`]. Steps over
    /// WHIR that would have less, for their many lookups, are refused. Digests of 8 elements
    /// collide at 2^123.9 nevertheless, so no proof has more proven bits than that.
    #[serde(rename = "proven-128")]
    Proven128,
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
#[error("unknown preset `{0}`: expected toy, proven-100, proven-120 or proven-128")]
pub struct UnknownPreset(pub String);

impl Preset {
    /// All presets.
    pub const ALL: [Self; 4] = [Self::Toy, Self::Proven100, Self::Proven120, Self::Proven128];

    /// The preset's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Toy => "toy",
            Self::Proven100 => "proven-100",
            Self::Proven120 => "proven-120",
            Self::Proven128 => "proven-128",
        }
    }

    /// Proven bits that proofs at this preset have at least, for batches up to [`reference_batch`];
    /// 0 for [`Self::Toy`]. At [`Self::Proven128`] the protocol has more, and digests have not.
    pub const fn target_bits(self) -> usize {
        match self {
            Self::Toy => 0,
            Self::Proven100 => 100,
            Self::Proven120 => 120,
            Self::Proven128 => DIGEST_COLLISION_BITS as usize,
        }
    }

    /// Whether proofs of this security have what the preset's name says, without ePrint 2026/2056:
    /// so many bits in the sum of all terms, or at [`Self::Proven128`] 128 in each but for
    /// collisions.
    pub fn is_reached_by(self, security: &Security) -> bool {
        let bound = &security.without;
        match self {
            Self::Proven128 => {
                let mut terms = bound.terms.iter();
                terms.all(|term| term.theorem == BIRTHDAY || term.bits >= 128.0)
            }
            _ => bound.sum() >= self.target_bits() as f64,
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
            Self::Proven100 => [174, 85, 57, 43],
            Self::Proven120 => [234, 113, 76, 57],
            // By unique decoding: with a few bits of grinding, no other term limits it.
            Self::Proven128 => [278, 166, 135, 122],
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
                query_grinding_bits: 17,
                batch_grinding_bits: 14,
                commit_grinding_bits: 8,
                ..base
            },
            Self::Proven120 => FriSettings {
                query_grinding_bits: 17,
                batch_grinding_bits: 20,
                commit_grinding_bits: 16,
                lookup_grinding_bits: 10,
                ..base
            },
            Self::Proven128 => FriSettings {
                query_grinding_bits: 17,
                batch_grinding_bits: 10,
                commit_grinding_bits: 2,
                lookup_grinding_bits: 9,
                ..base
            },
        })
    }
}

crate::named!(Preset, UnknownPreset);

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

/// The smallest number of queries with which `settings` reach a preset's level for these tables
/// ([`Preset::is_reached_by`]), or `None` if more than 1024 would be needed.
pub fn smallest_queries(
    settings: &FriSettings,
    tables: &[TableShape],
    collision_bits: f64,
    target: Preset,
) -> Option<usize> {
    let reaches = |num_queries: usize| {
        let settings = FriSettings {
            num_queries,
            ..*settings
        };
        target.is_reached_by(&proven_security(&settings, tables, collision_bits))
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
