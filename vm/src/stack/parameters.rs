//! What the key of a program depends on beside the program, in words.

use std::fmt::{self, Display, Formatter};

use droste_native::HashId;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;

use super::StackSettings;
use crate::heights::MAX_LOG_HEIGHT;

/// What the key of a program depends on beside the program, if it leaves heights free.
///
/// It is shown as in `proven-120, poseidon16 over whir, blowup 4, tables of up to 2^16 rows`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// Hash of the commitments.
    pub hash: HashId,
    /// Settings of the proof, which also say its stack.
    pub settings: StackSettings,
}

impl Parameters {
    /// The preset whose proofs of programs have these settings, at their own blowup and with rows
    /// of the stack of their own length; `None` if there is no such preset.
    pub fn preset(&self) -> Option<Preset> {
        // Of a proof from outside they may be any numbers.
        self.settings.validate().ok()?;
        Preset::ALL.into_iter().find(|preset| match self.settings {
            StackSettings::Fri(settings) => preset.settings(settings.log_blowup) == Ok(settings),
            StackSettings::Whir(settings) => {
                let leaf = WhirSettings::of_leaf(*preset, self.hash, settings.log_blowup);
                leaf.of_rows(settings.log_block) == settings
            }
        })
    }

    /// Logarithm of the largest number of rows that a table may have in proofs under the key. A
    /// longer run has a key of other parameters.
    pub const fn log_rows(&self) -> usize {
        match self.settings {
            StackSettings::Fri(settings) => MAX_LOG_HEIGHT.saturating_sub(settings.log_blowup),
            StackSettings::Whir(settings) => settings.log_block,
        }
    }

    /// In what the parameters that were `found` differ from these, which were expected; `None` if
    /// they do not.
    pub fn difference(&self, found: &Self) -> Option<String> {
        let stack = |of: &Self| of.settings.stack();
        let mut parts = vec![];
        let mut compare = |name: &str, found: String, expected: String| {
            if found != expected {
                parts.push(format!("{name} {found}, expected {expected}"));
            }
        };
        compare("hash", found.hash.to_string(), self.hash.to_string());
        compare("stack", stack(found).to_string(), stack(self).to_string());
        let presets = (found.preset(), self.preset());
        if let (Some(found), Some(expected)) = presets {
            compare("preset", found.to_string(), expected.to_string());
        }
        compare("blowup", found.blowup(), self.blowup());
        if stack(found) == stack(self) {
            let rows = |of: &Self| format!("2^{} rows", of.log_rows());
            compare("tables of up to", rows(found), rows(self));
            if !matches!(presets, (Some(_), Some(_))) {
                for ((name, expected), (_, found)) in self.fields().zip(found.fields()) {
                    compare(name, found.to_string(), expected.to_string());
                }
            }
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The settings by their names. Those that have words of their own are left out.
    fn fields(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let fields = match self.settings {
            StackSettings::Fri(settings) => settings.fields().to_vec(),
            StackSettings::Whir(settings) => settings.fields().to_vec(),
        };
        let others = fields.into_iter();
        others.filter(|(name, _)| !matches!(*name, "log_block" | "log_blowup"))
    }

    /// The blowup factor, in digits.
    fn blowup(&self) -> String {
        let log_blowup = self.settings.log_blowup();
        let blowup = u32::try_from(log_blowup).ok();
        let blowup = blowup.and_then(|log| 1_usize.checked_shl(log));
        blowup.map_or_else(|| format!("2^{log_blowup}"), |blowup| blowup.to_string())
    }
}

impl Display for Parameters {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (hash, stack) = (self.hash, self.settings.stack());
        match (self.preset(), self.settings) {
            (Some(preset), _) => write!(f, "{preset}")?,
            (None, StackSettings::Fri(settings)) => write!(f, "{} queries", settings.num_queries)?,
            (None, StackSettings::Whir(settings)) => {
                write!(f, "security level {}", settings.security_level)?;
            }
        }
        write!(
            f,
            ", {hash} over {stack}, blowup {}, tables of up to 2^{} rows",
            self.blowup(),
            self.log_rows()
        )
    }
}

#[cfg(test)]
mod tests {
    use droste_native::FriSettings;

    use super::*;

    fn leaf(preset: Preset, hash: HashId, log_block: usize) -> Parameters {
        let settings = WhirSettings::of_leaf(preset, hash, 2).of_rows(log_block);
        Parameters {
            hash,
            settings: settings.into(),
        }
    }

    /// A proof from outside may state anything.
    #[test]
    fn impossible_settings_have_words() {
        let settings = WhirSettings {
            log_block: usize::MAX,
            log_blowup: usize::MAX,
            ..WhirSettings::toy()
        };
        let found = Parameters {
            hash: HashId::Keccak,
            settings: settings.into(),
        };
        assert_eq!(found.preset(), None);
        let expected = leaf(Preset::Toy, HashId::Keccak, 12);
        assert!(expected.difference(&found).unwrap().contains("blowup 2^18"));
        assert!(found.to_string().starts_with("security level 4, keccak"));
    }

    /// The preset is found from the settings alone, whatever the hash, the blowup and the rows.
    #[test]
    fn presets_are_found_by_their_settings() {
        for preset in Preset::ALL {
            for hash in HashId::ALL {
                for log_blowup in 1..=4 {
                    let over_whir = WhirSettings::of_leaf(preset, hash, log_blowup);
                    let over_fri = preset.settings(log_blowup).unwrap();
                    let mut all: Vec<StackSettings> = vec![over_fri.into()];
                    all.extend((10..=20).map(|rows| StackSettings::from(over_whir.of_rows(rows))));
                    for settings in all {
                        let found = Parameters { hash, settings }.preset();
                        assert_eq!(found, Some(preset), "{hash}, {settings:?}");
                    }
                }
            }
        }
        let settings = FriSettings {
            num_queries: 3,
            ..FriSettings::toy()
        };
        let other = Parameters {
            hash: HashId::Blake3,
            settings: settings.into(),
        };
        assert_eq!(other.preset(), None);
        let words = "3 queries, blake3 over fri, blowup 4, tables of up to 2^22 rows";
        assert_eq!(other.to_string(), words);
    }

    #[test]
    fn what_differs_is_named() {
        let expected = leaf(Preset::Proven120, HashId::Poseidon16, 16);
        let words = "proven-120, poseidon16 over whir, blowup 4, tables of up to 2^16 rows";
        assert_eq!(expected.to_string(), words);
        assert_eq!(expected.difference(&expected), None);
        let differs = |found: Parameters| expected.difference(&found).unwrap();
        let longer = leaf(Preset::Proven120, HashId::Poseidon16, 19);
        assert_eq!(
            differs(longer),
            "tables of up to 2^19 rows, expected 2^16 rows"
        );
        let weaker = leaf(Preset::Proven100, HashId::Poseidon16, 16);
        assert_eq!(differs(weaker), "preset proven-100, expected proven-120");
        let other = leaf(Preset::Proven120, HashId::Blake3, 16);
        assert_eq!(differs(other), "hash blake3, expected poseidon16");
        let StackSettings::Whir(settings) = expected.settings else {
            panic!("{expected}");
        };
        let settings = WhirSettings {
            cap_height: 5,
            ..settings
        };
        let changed = Parameters {
            settings: settings.into(),
            ..expected
        };
        assert_eq!(differs(changed), "cap_height 5, expected 6");
        let over_fri = Parameters {
            settings: FriSettings::toy().into(),
            ..expected
        };
        let words = "stack fri, expected whir; preset toy, expected proven-120";
        assert_eq!(differs(over_fri), words);
    }
}
