//! The preset and arity of a canonical shape, and the words for a proof that has another.

use std::fmt::{self, Display, Formatter};

use droste_native::stark::security::Preset;
use thiserror::Error;

use super::shape::FixedShape;
use crate::circuit::ChildShape;
use crate::keys::MAX_CHILDREN;

/// What decides the canonical shape of [`Aggregator::for_preset`](super::Aggregator::for_preset).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Security level.
    pub preset: Preset,
    /// Largest number of proofs of a join; the least one with this shape.
    pub arity: usize,
}

impl Level {
    /// The level whose canonical shape this is, if there is one.
    pub(crate) fn of(shape: &ChildShape) -> Option<Self> {
        // Shapes change where a number of children passes a power of two.
        let arities = (0..=MAX_CHILDREN.ilog2()).map(|log| match log {
            0 => 1,
            log => (1 << (log - 1)) + 1,
        });
        let of = |arity| Preset::ALL.map(|preset| Self { preset, arity });
        let mut levels = arities.flat_map(of);
        levels.find(|level| FixedShape::for_preset(level.preset, level.arity).is_of(shape))
    }
}

/// A proof does not have the canonical shape of an aggregator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the proof does not have the canonical shape: {}", Remedy(.found, .expected))]
pub struct NotCanonical {
    /// The level whose canonical shape it has, if there is one.
    pub found: Option<Level>,
    /// That of the aggregator, if it has one.
    pub expected: Option<Level>,
}

/// What differs, and what to do.
struct Remedy<'a>(&'a Option<Level>, &'a Option<Level>);

impl Display for Remedy<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (Some(found), Some(expected)) = (self.0, self.1) else {
            let words = "its settings or heights differ; wrap it with this preset and arity first";
            return f.write_str(words);
        };
        let Level { preset, arity } = *found;
        match (preset == expected.preset, arity == expected.arity) {
            (false, true) => write!(
                f,
                "made with {preset}, asked for {}: add --preset {preset}",
                expected.preset
            )?,
            (false, false) => write!(
                f,
                "made with {preset} and arity {arity}, asked for {} and arity {}: add --preset \
                 {preset} --arity {arity}",
                expected.preset, expected.arity
            )?,
            (true, _) => write!(
                f,
                "made with arity {arity}, asked for {}: add --arity {arity}",
                expected.arity
            )?,
        }
        f.write_str(", or wrap it with the preset and arity that you asked for first")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Aggregator;
    use super::*;

    #[test]
    fn levels_are_found_by_their_shapes() {
        for preset in Preset::ALL {
            for arity in [1, 2, 3, 4, 5, 8, 9, 64] {
                let aggregator = Aggregator::for_preset(preset, arity);
                let level = Level::of(&aggregator.canonical_shape().unwrap()).unwrap();
                let least = match arity {
                    1 | 2 => arity,
                    3..=4 => 3,
                    5..=8 => 5,
                    9 => 9,
                    _ => 33,
                };
                let expected = Level {
                    preset,
                    arity: least,
                };
                assert_eq!(level, expected);
            }
        }
    }

    #[test]
    fn a_mismatch_says_what_to_add() {
        let says = |found: Option<(Preset, usize)>, expected: (Preset, usize)| {
            let level = |(preset, arity)| Level { preset, arity };
            let (found, expected) = (found.map(level), Some(level(expected)));
            NotCanonical { found, expected }.to_string()
        };
        let (toy, usual) = (Preset::Toy, Preset::Proven120);
        let words = "made with toy, asked for proven-120: add --preset toy, or wrap";
        assert!(says(Some((toy, 2)), (usual, 2)).contains(words));
        let words = "asked for proven-120 and arity 2: add --preset toy --arity 5, or wrap";
        assert!(says(Some((toy, 5)), (usual, 2)).contains(words));
        let words = "made with arity 3, asked for 2: add --arity 3, or wrap";
        assert!(says(Some((usual, 3)), (usual, 2)).contains(words));
        assert!(says(None, (usual, 2)).contains("settings or heights differ"));
    }
}
