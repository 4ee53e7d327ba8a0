//! Runs many attacks, and counts what was attacked and which errors refused it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use droste_air::test_utils::peak;
use droste_native::changes::Node;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::errors::{EXPECTED, Expected, Rejection};
use super::files::File;
use super::forge::Forger;
use super::mutate::raw;

/// One in so many attacks is a forged proof, since making one takes as long as verifying many.
const FORGERY: usize = 100;
/// One in so many other attacks changes bytes, the rest change fields.
const RAW: usize = 4;

/// What to try.
pub struct Plan {
    /// Number of attacks.
    pub count: usize,
    /// Seed of the attacks: the same seed makes the same attacks.
    pub seed: u64,
    /// Time after which to stop even if attacks are left.
    pub limit: Option<Duration>,
    /// Number of threads.
    pub threads: usize,
    /// Files that are changed.
    pub files: Vec<File>,
    /// Dishonest provers.
    pub forgers: Vec<Box<dyn Forger>>,
}

/// An attack that must not succeed: a false file was accepted, or the verifier panicked.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Number of the attack. With the seed of the plan it reproduces the attack.
    pub number: usize,
    /// What was attacked, and how.
    pub attack: String,
    /// What happened.
    pub outcome: String,
}

/// Results of attacks.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of attacks that were tried.
    pub tried: usize,
    /// How many of these were forged proofs.
    pub forged: usize,
    /// Number of attacks that were not tried, since they changed nothing, or only cells on which
    /// nothing depends.
    pub without_effect: usize,
    /// Attacks that were accepted.
    pub accepted: Vec<Finding>,
    /// Attacks that made the verifier panic.
    pub panics: Vec<Finding>,
    /// How often each part of a file was refused with each error.
    pub refused: BTreeMap<(String, Rejection), usize>,
    /// How often each kind of place of each file was changed.
    pub places: BTreeMap<(String, String), usize>,
    /// Largest number of bytes that decoding and verifying one file took, and the attack.
    pub memory: (usize, String),
}

/// The result of one attack.
enum Outcome {
    WithoutEffect,
    Tried {
        target: String,
        section: String,
        attack: String,
        place: Option<(String, String)>,
        verdict: Result<Result<(), Rejection>, String>,
        memory: usize,
    },
}

thread_local! {
    /// The last panic of this thread, while it tries an attack.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps panics of attacks from being printed, and prints all others as before.
///
/// A process has one hook, and several plans may run in it: the hook is set once and stays.
fn record_panics() {
    static RECORDED: Once = Once::new();
    RECORDED.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let attack = PANIC.with_borrow_mut(|panic| {
                panic
                    .as_mut()
                    .map(|panic| *panic = info.to_string())
                    .is_some()
            });
            if !attack {
                hook(info);
            }
        }));
    });
}

impl Plan {
    /// Tries all attacks.
    ///
    /// # Panics
    /// If a thread cannot be started.
    pub fn run(&self) -> Report {
        record_panics();
        let start = Instant::now();
        let next = AtomicUsize::new(0);
        let worker = || {
            // Each worker has a pool of one thread: otherwise memory that Plonky3's threads
            // allocate would not be counted for the attack.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let pool = pool.expect("a thread can be started");
            pool.install(|| {
                let mut report = Report::default();
                let mut workspaces: Vec<_> = self
                    .files
                    .iter()
                    .map(|file| file.fields.workspace())
                    .collect();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let late = self.limit.is_some_and(|limit| start.elapsed() > limit);
                    if number >= self.count || late {
                        return report;
                    }
                    let outcome = self.attempt(number, &mut workspaces);
                    report.add(number, outcome);
                }
            })
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads.max(1))
                .map(|_| scope.spawn(worker))
                .collect();
            let mut report = Report::default();
            for worker in workers {
                report.merge(worker.join().expect("attacks catch their panics"));
            }
            report
        })
    }

    fn attempt(&self, number: usize, workspaces: &mut [Node]) -> Outcome {
        let mixed = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut rng = SmallRng::seed_from_u64(self.seed ^ mixed);
        if number % FORGERY == FORGERY - 1 && !self.forgers.is_empty() {
            let forger = &self.forgers[number / FORGERY % self.forgers.len()];
            return attempt_forgery(forger.as_ref(), &mut rng);
        }
        let index = number % self.files.len();
        let (file, round) = (&self.files[index], number / self.files.len());
        let mutant = if round % RAW == RAW - 1 {
            raw(&file.bytes, &file.donor, &mut rng)
        } else {
            let place = round - round / RAW;
            let mut mutant = file.fields.mutant(&mut workspaces[index], place, &mut rng);
            mutant
                .bytes
                .splice(..0, file.bytes[..file.header].iter().copied());
            mutant
        };
        if mutant.bytes == file.bytes {
            return Outcome::WithoutEffect;
        }
        let (verdict, memory) = peak(|| caught(|| file.judge(&mutant.bytes)));
        Outcome::Tried {
            target: file.name.clone(),
            section: section(&mutant.place),
            attack: format!("{}: {} of {}", file.name, mutant.operator, mutant.place),
            place: Some((file.name.clone(), mutant.place)),
            verdict,
            memory,
        }
    }
}

fn attempt_forgery(forger: &dyn Forger, rng: &mut SmallRng) -> Outcome {
    let forgery = match caught(|| forger.forge(rng)) {
        Ok(None) => return Outcome::WithoutEffect,
        Ok(Some(forgery)) => Ok(forgery),
        Err(panic) => Err(panic),
    };
    let (change, verdict) = match forgery {
        Ok(forgery) => (forgery.change, Ok(forgery.verdict)),
        Err(panic) => (String::new(), Err(panic)),
    };
    Outcome::Tried {
        target: forger.name().to_owned(),
        section: "forged".into(),
        attack: format!("{}: {change}", forger.name()),
        place: None,
        verdict,
        memory: 0,
    }
}

/// Returns the result of a call, or the place of its panic.
fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    PANIC.set(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    let panic = PANIC.take().unwrap_or_default();
    result.map_err(|_| panic)
}

/// Returns the part of a file to which a place belongs.
fn section(place: &str) -> String {
    let mut parts = vec![];
    for part in place.split('.') {
        parts.push(part);
        if part != "proof" && part != "batch" {
            break;
        }
    }
    parts.join(".")
}

impl Report {
    fn add(&mut self, number: usize, outcome: Outcome) {
        let Outcome::Tried {
            target,
            section,
            attack,
            place,
            verdict,
            memory,
        } = outcome
        else {
            self.without_effect += 1;
            return;
        };
        self.tried += 1;
        self.forged += usize::from(section == "forged");
        if memory > self.memory.0 {
            self.memory = (memory, attack.clone());
        }
        if let Some(place) = place {
            *self.places.entry(place).or_default() += 1;
        }
        match verdict {
            Ok(Err(rejection)) => {
                let key = (format!("{target}, {section}"), rejection);
                *self.refused.entry(key).or_default() += 1;
            }
            Ok(Ok(())) => self.accepted.push(Finding {
                number,
                attack,
                outcome: "accepted".into(),
            }),
            Err(panic) => self.panics.push(Finding {
                number,
                attack,
                outcome: panic,
            }),
        }
    }

    fn merge(&mut self, other: Self) {
        self.tried += other.tried;
        self.forged += other.forged;
        self.without_effect += other.without_effect;
        self.accepted.extend(other.accepted);
        self.panics.extend(other.panics);
        for (key, count) in other.refused {
            *self.refused.entry(key).or_default() += count;
        }
        for (key, count) in other.places {
            *self.places.entry(key).or_default() += count;
        }
        if other.memory.0 > self.memory.0 {
            self.memory = other.memory;
        }
    }

    /// Returns the names of all errors that refused an attack, including those that caused others.
    pub fn reached(&self) -> BTreeSet<&str> {
        self.refused
            .keys()
            .flat_map(|(_, rejection)| rejection.0.split([',', '>']))
            .map(|name| name.trim().trim_start_matches("by its own key").trim())
            .collect()
    }

    /// Returns the variants of errors that no attack reached though attacks are expected to.
    pub fn missed(&self) -> Vec<&'static str> {
        let reached = self.reached();
        EXPECTED
            .iter()
            .filter(|(name, expected)| {
                matches!(expected, Expected::Reached) && !reached.contains(name)
            })
            .map(|&(name, _)| name)
            .collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} attacks, {} of them forged proofs; {} more had no effect",
            self.tried, self.forged, self.without_effect
        )?;
        writeln!(
            f,
            "{} accepted, {} panics",
            self.accepted.len(),
            self.panics.len()
        )?;
        for finding in self.accepted.iter().chain(&self.panics) {
            let Finding {
                number,
                attack,
                outcome,
            } = finding;
            writeln!(f, "  attack {number}, {attack}: {outcome}")?;
        }
        let fewest = self.places.iter().min_by_key(|(_, count)| **count);
        if let Some(((file, place), count)) = fewest {
            writeln!(
                f,
                "{} kinds of places, each changed at least {count} times ({file}: {place})",
                self.places.len()
            )?;
        }
        if self.memory.0 > 0 {
            let (bytes, attack) = &self.memory;
            writeln!(f, "at most {bytes} bytes taken by one file ({attack})")?;
        }
        let mut by_rejection = BTreeMap::<&Rejection, Vec<(&str, usize)>>::new();
        for ((target, rejection), &count) in &self.refused {
            by_rejection
                .entry(rejection)
                .or_default()
                .push((target, count));
        }
        let mut rows: Vec<_> = by_rejection
            .into_iter()
            .map(|(rejection, targets)| {
                let total: usize = targets.iter().map(|(_, count)| count).sum();
                (total, rejection, targets)
            })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.0));
        writeln!(f, "\nrefused by")?;
        for (total, rejection, targets) in rows {
            writeln!(f, "{total:9}  {}", rejection.0)?;
            let mut targets = targets;
            targets.sort_by_key(|target| std::cmp::Reverse(target.1));
            let shown = 6;
            for (target, count) in targets.iter().take(shown) {
                writeln!(f, "             {count:9}  {target}")?;
            }
            if targets.len() > shown {
                writeln!(
                    f,
                    "                        and {} more",
                    targets.len() - shown
                )?;
            }
        }
        // The alternate form is for attacks on decoders, which reach few errors.
        if f.alternate() {
            return Ok(());
        }
        writeln!(f, "\nnever reached")?;
        let reached = self.reached();
        for (name, expected) in EXPECTED {
            if !reached.contains(name) {
                let reason = match expected {
                    Expected::Reached => "NO REASON KNOWN",
                    Expected::Never(reason) => reason,
                };
                writeln!(f, "  {name}: {reason}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use droste_native::changes::tree;

    use super::*;

    /// Makes a plan for a file with a few fields, whose verifier returns this verdict.
    fn plan(verdict: fn(&[u8]) -> Result<(), Rejection>) -> Plan {
        let value = (7u64, vec![1u32, 2, 3], Some([5u8; 32]), "text");
        let node = tree(&value).expect("a value of files");
        let mut bytes = vec![];
        node.encode(&mut bytes);
        let honest = bytes.clone();
        let judge = move |bytes: &[u8]| {
            if bytes == honest {
                Ok(())
            } else {
                verdict(bytes)
            }
        };
        let file = (bytes, node);
        Plan {
            count: 200,
            seed: 3,
            limit: None,
            threads: 2,
            files: vec![File::new(
                "few fields".into(),
                file.clone(),
                file,
                Box::new(judge),
            )],
            forgers: vec![],
        }
    }

    #[test]
    fn what_is_believed_is_found() {
        let report = plan(|_| Ok(())).run();
        assert!(report.tried > 100);
        assert_eq!(report.accepted.len(), report.tried);
        assert!(report.panics.is_empty());
    }

    #[test]
    fn panics_are_found() {
        let report = plan(|bytes| panic!("{} bytes", bytes.len())).run();
        assert_eq!(report.panics.len(), report.tried);
        assert!(report.panics[0].outcome.contains("bytes"));
        // The same seed makes the same attacks.
        let places = report.places;
        assert_eq!(plan(|_| Ok(())).run().places, places);
    }
}
