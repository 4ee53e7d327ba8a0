//! What a node of a fold says: its rules, its counters and its state, and the digests that bind
//! them. `droste_gadgets::fold` computes the same digests in the machine.
//!
//! | digest | tag | blocks |
//! |---|---|---|
//! | fold key | [`RULES_TAG`] | `[m, bits, bits_behind, 0, 0, 0, 0, 0]`; the m keys of the rules, ascending |
//! | statement of a node | [`FOLD_TAG`] | fold key; `[rules, behind, depth, 0, 0, 0, 0, 0]`; the state |
//!
//! A sponge binds the length of its message, so equal digests have equal lists and states.

use droste_native::F;
use droste_native::codec::short_list;
use droste_native::field::MODULUS;
use droste_native::hash::poseidon16::Poseidon16;
use droste_vm::key::KeyDigest;
use p3_field::PrimeCharacteristicRing;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{FamilyError, RefusedFold};
use crate::keys::MAX_BITS;
use crate::tags::{FOLD_TAG, RULES_TAG};

/// Largest number of rules of a fold. A rule that has several leaf paths counts once for each.
pub const MAX_RULES: usize = 15;

/// Largest number of blocks of a state.
pub const MAX_BLOCKS: usize = 64;

/// Largest number of proofs of canonical shape below a node, itself included. The other counters
/// are less than this.
pub const MAX_COUNT: u32 = 1 << 24;

/// What is counted of the proofs that a node stands for.
///
/// A rule checks, as integers, the counters of each of its children; whoever verifies checks those
/// of the root. Sums of a rule's at most [`MAX_SLOTS`](super::MAX_SLOTS) children do not reach the
/// modulus, so a child's `rules` are fewer than its parent's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Proofs of canonical shape, the node itself included: of rules, and last wraps of leaves.
    pub rules: u32,
    /// Proofs behind those wraps, and those of other folds below their roots.
    pub behind: u32,
    /// Levels of rules below the node.
    pub depth: u32,
}

/// The rules of a fold: their keys, ascending, and the bits of the proofs that they accept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Proven bits of each proof of canonical shape that a rule verifies.
    pub bits: u16,
    /// Proven bits that each proof behind a wrap has at least.
    pub bits_behind: u16,
    /// The keys. In files they are elements, in texts such as JSON hexadecimal.
    #[serde(with = "keys")]
    pub keys: Vec<KeyDigest>,
}

/// How the keys of a family are written.
mod keys {
    use serde::de::Error;
    use serde::{Deserializer, Serializer};

    use super::{KeyDigest, MAX_RULES, Serialize, short_list};

    pub(super) fn serialize<S: Serializer>(
        keys: &[KeyDigest],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_seq(keys.iter().map(KeyDigest::to_string))
        } else {
            keys.serialize(serializer)
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<KeyDigest>, D::Error> {
        if !deserializer.is_human_readable() {
            return short_list::<_, _, MAX_RULES>(deserializer);
        }
        let texts: Vec<String> = short_list::<_, _, MAX_RULES>(deserializer)?;
        let keys = texts.iter().map(|text| text.parse().map_err(Error::custom));
        keys.collect()
    }
}

impl Family {
    /// The family of these keys, whose rules verify proofs of these bits.
    ///
    /// # Errors
    /// As [`Self::check`]. The order of the keys does not matter.
    pub fn new(
        bits: usize,
        bits_behind: usize,
        mut keys: Vec<KeyDigest>,
    ) -> Result<Self, FamilyError> {
        keys.sort_unstable();
        let short = |bits: usize| u16::try_from(bits).unwrap_or(u16::MAX);
        let family = Self {
            bits: short(bits),
            bits_behind: short(bits_behind),
            keys,
        };
        family.check()?;
        Ok(family)
    }

    /// Checks that there are 1 to [`MAX_RULES`] keys, each greater than the one before, and at most
    /// [`MAX_BITS`] bits.
    ///
    /// # Errors
    /// Which of these is not so.
    pub fn check(&self) -> Result<(), FamilyError> {
        let rules = self.keys.len();
        if !(1..=MAX_RULES).contains(&rules) {
            return Err(FamilyError::Rules(rules));
        }
        if !self.keys.is_sorted_by(|before, key| before < key) {
            return Err(FamilyError::Order);
        }
        let bits = self.bits.max(self.bits_behind);
        if usize::from(bits) > MAX_BITS {
            return Err(FamilyError::Bits(bits));
        }
        Ok(())
    }

    /// The fold key: the digest of the list.
    pub fn key(&self) -> KeyDigest {
        let message = self.blocks();
        KeyDigest(Poseidon16.hash(RULES_TAG, message.as_flattened()))
    }

    /// Place in the list of a rule's key, from 0.
    pub fn place(&self, key: KeyDigest) -> Option<usize> {
        self.keys.iter().position(|&listed| listed == key)
    }

    /// The list as a rule's run reads it: its head, then the keys.
    pub(crate) fn blocks(&self) -> Vec<[F; 8]> {
        let head = head([
            F::from_usize(self.keys.len()),
            F::from_u16(self.bits),
            F::from_u16(self.bits_behind),
        ]);
        let keys = self.keys.iter().map(|key| key.0);
        std::iter::once(head).chain(keys).collect()
    }
}

impl Counters {
    /// Those of a node without children.
    pub const START: Self = Self {
        rules: 1,
        behind: 0,
        depth: 0,
    };

    /// Checks that each counter is in its range, as rules check those of their children.
    ///
    /// # Errors
    /// [`RefusedFold::Counter`].
    pub fn check(self) -> Result<(), RefusedFold> {
        let ranges = [
            ("rules", self.rules, 1, MAX_COUNT),
            ("behind", self.behind, 0, MAX_COUNT - 1),
            ("depth", self.depth, 0, MAX_COUNT - 1),
        ];
        for (what, found, least, most) in ranges {
            if !(least..=most).contains(&found) {
                return Err(RefusedFold::Counter {
                    what,
                    found,
                    least,
                    most,
                });
            }
        }
        Ok(())
    }

    /// Number of proofs.
    pub const fn proofs(self) -> u64 {
        self.rules as u64 + self.behind as u64
    }

    /// The counters as the block of a statement. They must have been checked.
    pub(crate) fn block(self) -> [F; 8] {
        head([self.rules, self.behind, self.depth].map(F::from_u32))
    }
}

/// A block that begins with these elements.
fn head([a, b, c]: [F; 3]) -> [F; 8] {
    [a, b, c, F::ZERO, F::ZERO, F::ZERO, F::ZERO, F::ZERO]
}

/// The statement of a node of the family with this fold key.
pub fn statement(family: KeyDigest, counters: Counters, state: &[[F; 8]]) -> [F; 8] {
    let mut message = vec![family.0, counters.block()];
    message.extend(state);
    Poseidon16.hash(FOLD_TAG, message.as_flattened())
}

/// Integers that are the blocks of no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("lane {lane} of block {block} of the state is {found}, which is not below {MODULUS}")]
pub struct StateError {
    /// Number of the block, from 0.
    pub block: usize,
    /// Number of the integer in its block, from 0.
    pub lane: usize,
    /// The integer.
    pub found: u32,
}

/// The blocks of a state from their canonical integers, as commands and summaries write them.
///
/// # Errors
/// The first integer that is not below the modulus.
pub fn state_of(blocks: &[[u32; 8]]) -> Result<Vec<[F; 8]>, StateError> {
    let mut state = vec![];
    for (block, &values) in blocks.iter().enumerate() {
        if let Some(lane) = values.iter().position(|&value| value >= MODULUS) {
            let found = values.get(lane).copied().unwrap_or_default();
            return Err(StateError { block, lane, found });
        }
        state.push(values.map(F::new));
    }
    Ok(state)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::claim::tests::key;
    use crate::tags::{CLAIM_TAG, KEY_SET_TAG};

    /// A family of three rules.
    pub(crate) fn family() -> Family {
        Family::new(110, 102, vec![key(30), key(10), key(20)]).unwrap()
    }

    fn refused(change: impl FnOnce(&mut Family)) -> FamilyError {
        let mut changed = family();
        change(&mut changed);
        changed.check().unwrap_err()
    }

    #[test]
    fn lists_are_canonical() {
        let listed = family();
        assert_eq!(listed.keys, [key(10), key(20), key(30)]);
        let places = [10, 20, 30, 40].map(|n| listed.place(key(n)));
        assert_eq!(places, [Some(0), Some(1), Some(2), None]);
        assert_eq!(refused(|family| family.keys.clear()), FamilyError::Rules(0));
        assert_eq!(refused(|family| family.keys.swap(0, 1)), FamilyError::Order);
        assert_eq!(
            refused(|family| family.keys[1] = family.keys[0]),
            FamilyError::Order
        );
        assert_eq!(refused(|family| family.bits = 257), FamilyError::Bits(257));
        assert_eq!(
            refused(|family| family.bits_behind = u16::MAX),
            FamilyError::Bits(u16::MAX)
        );
        let many = |rules: u32| Family::new(256, 256, (0..rules).map(key).collect());
        many(1).unwrap();
        many(15).unwrap();
        assert_eq!(many(0), Err(FamilyError::Rules(0)));
        assert_eq!(many(16), Err(FamilyError::Rules(16)));
        let twice = Family::new(0, 0, vec![key(1), key(2), key(1)]);
        assert_eq!(twice, Err(FamilyError::Order));
        let too_many = Family::new(usize::MAX, 0, vec![key(1)]);
        assert_eq!(too_many, Err(FamilyError::Bits(u16::MAX)));
    }

    #[test]
    fn the_fold_key_binds_every_part_of_the_list() {
        let honest = family().key();
        let changes: [fn(&mut Family); 7] = [
            |family| family.bits = 111,
            |family| family.bits_behind = 103,
            |family| std::mem::swap(&mut family.bits, &mut family.bits_behind),
            |family| family.keys[0] = key(9),
            |family| family.keys.swap(1, 2),
            |family| family.keys.truncate(family.keys.len() - 1),
            |family| family.keys.push(key(40)),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = family();
            change(&mut changed);
            assert_ne!(changed.key(), honest, "{number}");
        }
        // By its definition.
        let mut message = vec![F::from_u32(3), F::from_u32(110), F::from_u32(102)];
        message.resize(8, F::ZERO);
        for key in family().keys {
            message.extend(key.0);
        }
        assert_eq!(honest.0, Poseidon16.hash(RULES_TAG, &message));
    }

    #[test]
    fn counters_are_in_their_ranges() {
        let counters = |rules, behind, depth| Counters {
            rules,
            behind,
            depth,
        };
        let most = MAX_COUNT;
        Counters::START.check().unwrap();
        counters(most, most - 1, most - 1).check().unwrap();
        for (wrong, what) in [
            (counters(0, 0, 0), "`rules` is 0, expected 1 to 16777216"),
            (counters(most + 1, 0, 0), "`rules` is 16777217"),
            (counters(1, most, 0), "`behind` is 16777216, expected 0 to"),
            (counters(1, 0, most), "`depth` is 16777216, expected 0 to"),
            (counters(u32::MAX, 0, 0), "`rules` is 4294967295"),
        ] {
            let words = wrong.check().unwrap_err().to_string();
            assert!(words.contains(what), "{words}");
        }
        assert_eq!(counters(most, most - 1, 0).proofs(), (1 << 25) - 1);
    }

    #[test]
    fn a_statement_binds_all_that_is_said() {
        let said = Counters {
            rules: 5,
            behind: 3,
            depth: 2,
        };
        let state = [[F::ONE; 8], [F::TWO; 8]];
        let honest = statement(key(1), said, &state);
        let one_more = |change: fn(&mut Counters)| {
            let mut counters = said;
            change(&mut counters);
            statement(key(1), counters, &state)
        };
        let mut others = vec![
            statement(key(2), said, &state),
            one_more(|counters| counters.rules += 1),
            one_more(|counters| counters.behind += 1),
            one_more(|counters| counters.depth += 1),
            one_more(|counters| std::mem::swap(&mut counters.rules, &mut counters.behind)),
            statement(key(1), said, &state[..1]),
            statement(key(1), said, &[state[1], state[0]]),
            statement(key(1), said, &[state[0], state[1], [F::ZERO; 8]]),
        ];
        for lane in 0..16 {
            let mut changed = state;
            changed.as_flattened_mut()[lane] += F::ONE;
            others.push(statement(key(1), said, &changed));
        }
        // By its definition, and no digest of another kind.
        let mut message = key(1).0.to_vec();
        message.extend([5, 3, 2, 0, 0, 0, 0, 0].map(F::from_u32));
        message.extend(state.as_flattened());
        assert_eq!(honest, Poseidon16.hash(FOLD_TAG, &message));
        let tags = [RULES_TAG, CLAIM_TAG, KEY_SET_TAG];
        others.extend(tags.map(|tag| Poseidon16.hash(tag, &message)));
        for (number, other) in others.into_iter().enumerate() {
            assert_ne!(other, honest, "{number}");
        }
    }

    /// A test vector for other implementations. Its digests are those of a model in Python, which
    /// computes Poseidon round by round.
    #[test]
    fn digests_are_those_of_the_test_vector() {
        let keys = [
            [1, 2, 3, 4, 5, 6, 7, 9],
            [MODULUS - 1, 0, 0, 0, 0, 0, 0, 0],
            [1, 2, 3, 4, 5, 6, 7, 8],
        ];
        let keys = keys.map(|lanes| KeyDigest(F::new_array(lanes)));
        let family = Family::new(110, 102, keys.to_vec()).unwrap();
        // Ascending by the first lane, then by the next, as integers.
        let list = [
            [3, 110, 102, 0, 0, 0, 0, 0],
            [1, 2, 3, 4, 5, 6, 7, 8],
            [1, 2, 3, 4, 5, 6, 7, 9],
            [MODULUS - 1, 0, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(family.blocks(), list.map(F::new_array));
        let fold_key = F::new_array([
            1_580_562_769,
            32_390_143,
            281_453_127,
            1_893_354_791,
            1_212_429_891,
            1_376_418_708,
            529_842_625,
            1_453_322_584,
        ]);
        assert_eq!(family.key().0, fold_key);
        let text = "5179355eff3bee0147a2c610274dda7043364448947b0a52c1c1941f58f19f56";
        assert_eq!(family.key().to_string(), text);

        let counters = Counters {
            rules: 5,
            behind: 3,
            depth: 2,
        };
        assert_eq!(counters.block(), F::new_array([5, 3, 2, 0, 0, 0, 0, 0]));
        let state = [
            [11, 12, 13, 14, 15, 16, 17, 18],
            [21, 22, 23, 24, 25, 26, 27, MODULUS - 2],
        ];
        let said = statement(family.key(), counters, &state_of(&state).unwrap());
        let expected = F::new_array([
            1_510_496_489,
            1_352_263_528,
            1_451_582_557,
            988_393_456,
            412_641_256,
            476_344_331,
            1_515_053_495,
            2_009_673_688,
        ]);
        assert_eq!(said, expected);
    }

    /// As text, keys are hexadecimal and there are no other fields.
    #[test]
    fn families_are_written_as_text() {
        let text = serde_json::to_string(&family()).unwrap();
        let begin = format!(r#"{{"bits":110,"bits_behind":102,"keys":["{}","#, key(10));
        assert!(text.starts_with(&begin), "{text}");
        assert_eq!(serde_json::from_str::<Family>(&text).unwrap(), family());
        let more = text.replace("{", r#"{"more":1,"#);
        serde_json::from_str::<Family>(&more).unwrap_err();
        let keys = vec![key(1).to_string(); MAX_RULES + 1];
        let long = serde_json::json!({ "bits": 1, "bits_behind": 1, "keys": keys });
        let refused = serde_json::from_value::<Family>(long).unwrap_err();
        assert!(refused.to_string().contains("at most 15"), "{refused}");
    }

    #[test]
    fn states_are_made_of_canonical_integers() {
        let mut blocks = [[0, 1, 2, 3, 4, 5, 6, MODULUS - 1]; 2];
        let state = state_of(&blocks).unwrap();
        assert_eq!(state, blocks.map(|block| block.map(F::new)));
        blocks[1][6] = MODULUS;
        let refused = StateError {
            block: 1,
            lane: 6,
            found: MODULUS,
        };
        assert_eq!(state_of(&blocks), Err(refused));
        assert_eq!(state_of(&[]), Ok(vec![]));
    }
}
