//! False hints: which lanes of a tape are changed, and to what.

use std::ops::Range;

use droste_native::F;
use p3_field::PrimeCharacteristicRing;

use super::{Tape, TapeItem};

/// An element of a hint on a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Number of the hint.
    pub item: usize,
    /// Number of the element in it.
    pub lane: usize,
}

/// Elements, and what they are changed to.
pub(super) type Lie = Vec<(Place, F)>;

/// Elements that look random and depend on a name only, so that an audit finds the same again.
pub(super) struct Random(blake3::OutputReader);

impl Random {
    pub(super) fn new(name: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("droste fold 1 lies");
        Self(hasher.update(name.as_bytes()).finalize_xof())
    }

    fn number(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    pub(super) fn element(&mut self) -> F {
        F::from_u64(self.number())
    }

    /// A number below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        (self.number() % end.max(1) as u64) as usize
    }
}

/// The elements of these hints. Those that a precompile sets are none.
pub(super) fn places(tape: &Tape, items: Range<usize>) -> Vec<Place> {
    let given = tape.items.iter().enumerate();
    let given = given.skip(items.start).take(items.len());
    given
        .flat_map(|(item, hint)| {
            let lanes: Vec<usize> = match hint {
                TapeItem::Felt(_) => vec![0],
                TapeItem::Ext(elements) => (0..elements.len()).collect(),
                TapeItem::Slice(blocks) => {
                    let lanes = blocks.as_flattened().iter().enumerate();
                    let set = lanes.filter(|(_, value)| value.is_some());
                    set.map(|(lane, _)| lane).collect()
                }
            };
            lanes.into_iter().map(move |lane| Place { item, lane })
        })
        .collect()
}

/// The element at a place.
fn value(tape: &Tape, place: Place) -> F {
    let value = match tape.items.get(place.item) {
        Some(TapeItem::Felt(value)) => Some(*value),
        Some(TapeItem::Ext(values)) => values.get(place.lane).copied(),
        Some(TapeItem::Slice(blocks)) => {
            let lane = blocks.as_flattened().get(place.lane);
            lane.copied().flatten()
        }
        None => None,
    };
    value.unwrap_or_default()
}

/// The tape with a lie.
pub(super) fn with(tape: &Tape, lie: &Lie) -> Tape {
    let mut tape = tape.clone();
    for &(place, value) in lie {
        match tape.items.get_mut(place.item) {
            Some(TapeItem::Felt(element)) => *element = value,
            Some(TapeItem::Ext(elements)) => {
                if let Some(element) = elements.get_mut(place.lane) {
                    *element = value;
                }
            }
            Some(TapeItem::Slice(blocks)) => {
                if let Some(element) = blocks.as_flattened_mut().get_mut(place.lane) {
                    *element = Some(value);
                }
            }
            None => {}
        }
    }
    tape
}

/// Several lies about each of these elements.
pub(super) fn single(tape: &Tape, places: &[Place], random: &mut Random) -> Vec<Lie> {
    let mut lies = vec![];
    for &place in places {
        let honest = value(tape, place);
        let changed = [
            honest + F::ONE,
            honest - F::ONE,
            honest + F::from_u32(1 << 30),
            F::ZERO,
            F::NEG_ONE,
            random.element(),
        ];
        let changed = changed.into_iter().filter(|value| *value != honest);
        lies.extend(changed.map(|value| vec![(place, value)]));
    }
    lies
}

/// So many lies about two or three of these elements at a time: other values for all; the same
/// added to all, or taken from one and added to the others, which sums do not notice; two of them
/// exchanged.
pub(super) fn several(
    tape: &Tape,
    places: &[Place],
    count: usize,
    random: &mut Random,
) -> Vec<Lie> {
    if places.len() < 2 {
        return vec![];
    }
    let mut lies = vec![];
    for number in 0..count {
        let mut chosen: Vec<Place> = vec![];
        // Equal ones are left out, so there may be fewer.
        for _ in 0..2 + random.below(2) {
            let place = places.get(random.below(places.len())).copied();
            chosen.extend(place.filter(|place| !chosen.contains(place)));
        }
        let by = random.element();
        let honest = |place: &Place| value(tape, *place);
        let lie: Lie = match (number % 4, chosen.as_slice()) {
            (0, places) => places
                .iter()
                .map(|&place| (place, random.element()))
                .collect(),
            (1, places) => places
                .iter()
                .map(|place| (*place, honest(place) + by))
                .collect(),
            (2, [first, rest @ ..]) => {
                let rest = rest.iter().map(|place| (*place, honest(place) + by));
                std::iter::once((*first, honest(first) - by))
                    .chain(rest)
                    .collect()
            }
            (_, [first, second, ..]) => {
                vec![(*first, honest(second)), (*second, honest(first))]
            }
            (_, places) => places.iter().map(|&place| (place, by)).collect(),
        };
        let is_lie = lie.iter().any(|(place, value)| *value != honest(place));
        lies.extend(is_lie.then_some(lie));
    }
    lies
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tape() -> Tape {
        let mut tape = Tape::default();
        tape.felt(F::ONE);
        tape.ext([F::TWO; 5]);
        let mut block = [Some(F::ZERO); 8];
        block[3] = None;
        tape.items.push(TapeItem::Slice(vec![block; 2]));
        tape
    }

    #[test]
    fn lies_change_each_element_that_is_given() {
        let tape = tape();
        let all = places(&tape, 0..3);
        assert_eq!(all.len(), 1 + 5 + 14);
        assert_eq!(places(&tape, 1..2).len(), 5);
        assert!(!all.contains(&Place { item: 2, lane: 11 }));
        let mut random = Random::new("a rule");
        for lie in single(&tape, &all, &mut random) {
            assert_ne!(with(&tape, &lie), tape, "{lie:?}");
            // A lane that a precompile sets stays unset.
            let TapeItem::Slice(blocks) = &with(&tape, &lie).items[2] else {
                panic!("{lie:?}");
            };
            assert_eq!((blocks[0][3], blocks[1][3]), (None, None));
        }
        let told = several(&tape, &all, 100, &mut random);
        assert!((80..=100).contains(&told.len()), "{}", told.len());
        for lie in &told {
            assert!(lie.len() <= 3);
            assert_ne!(with(&tape, lie), tape, "{lie:?}");
        }
        assert_eq!(several(&tape, &all[..1], 100, &mut random), [] as [Lie; 0]);
        // The same again, for the same name.
        let of = |name| single(&tape, &all, &mut Random::new(name));
        assert_eq!(of("a rule"), of("a rule"));
        assert_ne!(of("a rule"), of("another"));
    }
}
