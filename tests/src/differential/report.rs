//! Sums up the results of many programs.

use std::collections::BTreeMap;
use std::fmt;

use super::compare::{Difference, Verdict};

/// Numbers of programs and runs, by verdict and by feature.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of programs.
    pub programs: usize,
    /// Number of runs in which both sides had the same statement.
    pub accepted: usize,
    /// Number of runs that failed on both sides.
    pub failed: usize,
    /// Programs that rustc refuses, which are mistakes of the generator: number and error.
    pub not_rust: Vec<(u64, String)>,
    /// Programs with a native run that does not end.
    pub endless: Vec<u64>,
    /// Programs that Droste refuses, by its message without names and numbers: how many, and one
    /// example.
    pub refused: BTreeMap<String, (usize, u64, String)>,
    /// Programs on which the two sides differ.
    pub differs: BTreeMap<Difference, Vec<u64>>,
    /// Per feature, the number of programs that use it, and how many of these Droste compiles.
    pub features: BTreeMap<&'static str, (usize, usize)>,
}

impl Report {
    /// Adds the verdict on a program.
    pub fn add(&mut self, number: u64, features: &[&'static str], verdict: &Verdict) {
        self.programs += 1;
        let compiled = matches!(verdict, Verdict::Agrees { .. } | Verdict::Differs(..));
        if !matches!(verdict, Verdict::NotRust(_)) {
            for feature in features {
                let counts = self.features.entry(feature).or_default();
                counts.0 += 1;
                counts.1 += usize::from(compiled);
            }
        }
        match verdict {
            Verdict::Agrees { accepted, failed } => {
                self.accepted += accepted;
                self.failed += failed;
            }
            Verdict::Refused(message, at, _) => {
                let kind = self.refused.entry(kind(message)).or_default();
                if kind.0 == 0 {
                    (kind.1, kind.2) = (number, at.chars().take(100).collect());
                }
                kind.0 += 1;
            }
            Verdict::NotRust(error) => self.not_rust.push((number, error.clone())),
            Verdict::Endless => self.endless.push(number),
            Verdict::Differs(difference, ..) => {
                self.differs.entry(*difference).or_default().push(number)
            }
        }
    }

    /// Returns the number of programs that Droste refuses.
    pub fn refusals(&self) -> usize {
        self.refused.values().map(|kind| kind.0).sum()
    }

    /// Returns the number of programs on which the two sides differ.
    pub fn differences(&self) -> usize {
        self.differs.values().map(Vec::len).sum()
    }
}

/// Returns a message without the names and numbers of its program.
pub(super) fn kind(message: &str) -> String {
    let mut kind = String::new();
    let mut quoted = false;
    for c in message.chars() {
        if c == '`' {
            quoted = !quoted;
            if quoted {
                kind.push_str("`_`");
            }
        } else if c.is_ascii_digit() {
            if !quoted && !kind.ends_with('#') {
                kind.push('#');
            }
        } else if !quoted {
            kind.push(c);
        }
    }
    kind
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} programs: {} runs gave the same statement, {} failed on both sides; {} programs refused by \
             Droste, {} by rustc, {} endless, {} differ",
            self.programs,
            self.accepted,
            self.failed,
            self.refusals(),
            self.not_rust.len(),
            self.endless.len(),
            self.differences(),
        )?;
        let mut kinds: Vec<_> = self.refused.iter().collect();
        kinds.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.0));
        for (message, (times, number, at)) in kinds {
            let at = at.replace('\n', " ");
            writeln!(
                f,
                "  refused {times:5}: {message}   (program {number}: {at})"
            )?;
        }
        for (number, error) in self.not_rust.iter().take(20) {
            writeln!(f, "  rustc refuses program {number}: {error}")?;
        }
        for (difference, numbers) in &self.differs {
            let some: Vec<_> = numbers.iter().take(12).collect();
            writeln!(
                f,
                "  {difference:?}: {} programs, such as {some:?}",
                numbers.len()
            )?;
        }
        for (feature, (all, compiled)) in &self.features {
            writeln!(f, "  {feature}: {compiled} of {all} programs compiled")?;
        }
        Ok(())
    }
}
