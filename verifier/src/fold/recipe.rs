//! Recipes: everything that the keys of a fold are derived from, but for rules, programs and other
//! folds, which whoever derives them has.

use std::fmt::{self, Display, Formatter};

use droste_native::codec::short_list;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_vm::key::KeyDigest;
use serde::{Deserialize, Serialize};

use super::leaf::MAX_PATHS;
use super::shape::FoldShape;
use super::source::Source;
use super::{Family, FoldError, MAX_BLOCKS, MAX_RULES, MAX_SLOTS};
use crate::circuit::{CallsShape, MAX_TABLES};
use crate::keys::Recipe;

/// Version of recipes.
pub const RECIPE_VERSION: u32 = 1;

/// Largest number of wraps above a proof in a recipe.
const MAX_WRAPS: usize = 8;

/// Largest number of files, leaf kinds or other folds in a recipe.
const MAX_PARTS: usize = 64;

/// What the keys of a fold are derived from. It states the shape, so that deriving does not search,
/// and the family, with which what is derived is compared.
///
/// Whoever derives the keys believes nothing of it: bits are computed from the shapes. Of a fold
/// that is only pinned ([`super::ForeignFold::pinned`]), shape and number of blocks are believed;
/// the fold key binds keys and bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyRecipe {
    /// [`RECIPE_VERSION`].
    pub version: u32,
    /// Security level of wraps of intermediate shape.
    pub preset: Preset,
    /// Settings of all proofs.
    pub settings: WhirSettings,
    /// Logarithms of their tables' heights, in the order of the recursion machine.
    #[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")]
    pub log_heights: Vec<usize>,
    /// Name of the type of the states.
    pub state: String,
    /// Number of blocks of a state.
    pub blocks: usize,
    /// The programs of the rules, in the order of the file. Their names are for messages.
    #[serde(deserialize_with = "short_list::<_, _, MAX_RULES>")]
    pub rules: Vec<RuleInfo>,
    /// The rules file, and those that it imports.
    #[serde(deserialize_with = "short_list::<_, _, MAX_PARTS>")]
    pub sources: Vec<SourceDigest>,
    /// The accepted programs, in order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_SLOTS>")]
    pub leaves: Vec<LeafRecipe>,
    /// Other folds, in order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_SLOTS>")]
    pub folds: Vec<ForeignRecipe>,
    /// The rules' keys and bits.
    pub family: Family,
}

/// A program of a fold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleInfo {
    /// Name of the rule. If a leaf has several paths, the program of the second is `rule#1`.
    pub name: String,
    /// What it takes, in words: `node`, `leaf 0`, `fold 0`.
    #[serde(rename = "takes", deserialize_with = "short_list::<_, _, MAX_SLOTS>")]
    pub slots: Vec<String>,
    /// Its key.
    #[serde(with = "hexadecimal")]
    pub key: KeyDigest,
}

/// A file of rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceDigest {
    /// Its name, without `.rs`.
    pub stem: String,
    /// Blake3 digest of its text, in hexadecimal.
    pub blake3: String,
}

/// A leaf kind, without its program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeafRecipe {
    /// Its name, for messages.
    pub name: String,
    /// For which calls the program is compiled, if a binary proof shows its calls.
    pub calls: Option<CallsShape>,
    /// The ways to the fold's shape.
    #[serde(deserialize_with = "short_list::<_, _, MAX_PATHS>")]
    pub paths: Vec<PathRecipe>,
}

/// A way to the fold's shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathRecipe {
    /// The key of the program's proofs.
    #[serde(with = "hexadecimal")]
    pub key: KeyDigest,
    /// What the wraps are derived from, the last one first.
    #[serde(deserialize_with = "short_list::<_, _, MAX_WRAPS>")]
    pub wraps: Vec<Recipe>,
}

/// Another fold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignRecipe {
    /// Name of its rules file.
    pub stem: String,
    /// The keys and bits of its rules.
    pub family: Family,
    /// What the wraps above its proofs are derived from, the last one first; none if its proofs
    /// have this fold's shape.
    #[serde(deserialize_with = "short_list::<_, _, MAX_WRAPS>")]
    pub wraps: Vec<Recipe>,
}

/// Key digests as text.
mod hexadecimal {
    use serde::de::Error;
    use serde::{Deserializer, Serializer};

    use super::{Deserialize, KeyDigest};

    pub(super) fn serialize<S: Serializer>(
        key: &KeyDigest,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(key)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<KeyDigest, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl Display for RuleInfo {
    /// Its name and what it takes, as in `append(node, leaf 0)`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.slots.join(", "))
    }
}

impl From<&Source> for SourceDigest {
    fn from(source: &Source) -> Self {
        Self {
            stem: source.stem().to_owned(),
            blake3: source.digest(),
        }
    }
}

impl FamilyRecipe {
    /// The fold key that it states.
    pub fn key(&self) -> KeyDigest {
        self.family.key()
    }

    /// Checks that the rules that it names have the keys of its family.
    ///
    /// # Errors
    /// [`FoldError::Source`].
    pub fn check_rules(&self) -> Result<(), FoldError> {
        let mut keys: Vec<KeyDigest> = self.rules.iter().map(|rule| rule.key).collect();
        keys.sort_unstable();
        if keys == self.family.keys {
            Ok(())
        } else {
            Err(FoldError::Source("the list of rules".to_owned()))
        }
    }

    /// What the keys of wraps are derived from.
    pub(super) fn wraps(&self) -> impl Iterator<Item = &Recipe> {
        let paths = self.leaves.iter().flat_map(|leaf| &leaf.paths);
        let of_leaves = paths.flat_map(|path| &path.wraps);
        of_leaves.chain(self.folds.iter().flat_map(|fold| &fold.wraps))
    }

    /// The shape that it states.
    pub(super) fn shape(&self) -> FoldShape {
        FoldShape {
            settings: self.settings,
            log_heights: self.log_heights.clone(),
        }
    }

    /// Refuses another version, and other texts of rules: `sources` has the rules file first.
    ///
    /// # Errors
    /// What differs.
    pub(super) fn check<'a>(
        &self,
        sources: impl IntoIterator<Item = &'a Source>,
    ) -> Result<(), FoldError> {
        if self.version != RECIPE_VERSION {
            return Err(FoldError::Version(self.version));
        }
        self.family.check()?;
        self.check_rules()?;
        if !(1..=MAX_BLOCKS).contains(&self.blocks) {
            return Err(FoldError::Source(
                "the number of blocks of a state".to_owned(),
            ));
        }
        let mut stated = self.sources.iter();
        for source in sources {
            // A file may have another name than it had.
            let is_stated = |of: &SourceDigest| of.blake3 == source.digest();
            if !stated.next().is_some_and(is_stated) {
                return Err(FoldError::Source(format!("the text of {}", source.path())));
            }
        }
        match stated.next() {
            None => Ok(()),
            Some(missing) => Err(FoldError::Source(format!(
                "the number of files: {}",
                missing.stem
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::statement::tests::family;
    use super::*;
    use crate::claim::tests::key;
    use crate::keys::Children;

    fn source(stem: &str, text: &str) -> Source {
        Source::new(stem, text).unwrap()
    }

    fn rule(name: &str, slots: &[&str], number: u32) -> RuleInfo {
        RuleInfo {
            name: name.to_owned(),
            slots: slots.iter().map(ToString::to_string).collect(),
            key: key(number),
        }
    }

    fn recipe() -> FamilyRecipe {
        let wrap = Recipe {
            children: Children::Calls(CallsShape {
                hash: 2,
                log_calls: 4,
            }),
            settings: WhirSettings::toy(),
            heights: droste_vm::heights::Heights::Minimal,
        };
        FamilyRecipe {
            version: RECIPE_VERSION,
            preset: Preset::Toy,
            settings: WhirSettings::toy(),
            log_heights: vec![14, 14, 11],
            state: "Span".to_owned(),
            blocks: 3,
            rules: vec![
                rule("block", &["leaf 0"], 30),
                rule("append", &["node", "leaf 0"], 10),
                rule("start", &[], 20),
            ],
            sources: vec![SourceDigest::from(&source("chain", "a"))],
            leaves: vec![LeafRecipe {
                name: "block".to_owned(),
                calls: None,
                paths: vec![PathRecipe {
                    key: key(5),
                    wraps: vec![wrap],
                }],
            }],
            folds: vec![],
            family: family(),
        }
    }

    #[test]
    fn recipes_are_read_as_written() {
        let written = serde_json::to_string(&recipe()).unwrap();
        assert!(written.contains(&key(5).to_string()), "{written}");
        assert_eq!(
            serde_json::from_str::<FamilyRecipe>(&written).unwrap(),
            recipe()
        );
        let more = written.replacen('{', r#"{"more":1,"#, 1);
        serde_json::from_str::<FamilyRecipe>(&more).unwrap_err();
    }

    #[test]
    fn rules_have_the_keys_of_the_family() {
        recipe().check_rules().unwrap();
        let changes: [fn(&mut FamilyRecipe); 3] = [
            |recipe| recipe.rules[0].key = key(31),
            |recipe| recipe.rules.truncate(2),
            |recipe| recipe.rules.push(rule("again", &[], 10)),
        ];
        for change in changes {
            let mut changed = recipe();
            change(&mut changed);
            let refused = changed.check_rules().unwrap_err().to_string();
            assert!(refused.contains("the list of rules differs"), "{refused}");
        }
        let texts: Vec<String> = recipe().rules.iter().map(RuleInfo::to_string).collect();
        assert_eq!(texts, ["block(leaf 0)", "append(node, leaf 0)", "start()"]);
    }

    #[test]
    fn recipes_are_of_their_texts() {
        let own = source("chain", "a");
        recipe().check([&own]).unwrap();
        // Whatever their names.
        recipe().check([&source("older", "a")]).unwrap();
        let says = |sources: &[Source]| recipe().check(sources).unwrap_err().to_string();
        assert!(says(&[source("chain", "b")]).contains("rules/chain.rs differs"));
        assert!(says(&[own.clone(), own.clone()]).contains("rules/chain.rs differs"));
        assert!(says(&[]).contains("number of files"));
        let later = FamilyRecipe {
            version: RECIPE_VERSION + 1,
            ..recipe()
        };
        let refused = later.check([&own]);
        assert!(matches!(refused, Err(FoldError::Version(2))), "{refused:?}");
        for blocks in [0, MAX_BLOCKS + 1] {
            let other = FamilyRecipe { blocks, ..recipe() };
            other.check([&own]).unwrap_err();
        }
        let mut unsorted = recipe();
        unsorted.family.keys.swap(0, 1);
        unsorted.check([&own]).unwrap_err();
    }
}
