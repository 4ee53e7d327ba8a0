//! Runs one batch of programs natively and in the machine, and compares the results.

use super::features::program;
use super::inputs::{Inputs, Wanted};
use super::machine::{self, Outcome, Refusal};
use super::native::{Build, NativeError, Run};
use super::random::Random;
use super::rename::{Naming, rename, same};
use super::source::print;

/// A program: its number, its text for rustc and its text for the machine. The two texts are equal
/// except in tests that check whether the comparison notices a difference.
#[derive(Clone)]
pub struct Case {
    /// Number of the program, which determines its inputs.
    pub number: u64,
    /// Text that rustc builds.
    pub native: String,
    /// Text that Droste compiles.
    pub machine: String,
}

impl Case {
    /// A generated program, which the machine is given, and rustc under other names; unless these
    /// cannot be given to it.
    pub fn renamed(seed: u64, number: u64) -> Option<Self> {
        let machine = print(&program(seed, number).0);
        let mut random = Random::new(seed, number);
        let (native, _) = rename(&machine, &same::NOTHING, Naming::Colliding, &mut random)?;
        Some(Self {
            number,
            native,
            machine,
        })
    }
}

/// How the two runs of a program differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Both runs succeed, with different statements.
    Statement,
    /// The native run fails, the machine's succeeds.
    Accepts,
    /// The native run succeeds, the machine's fails.
    Fails,
    /// The machine's run succeeds with another statement if the prover gives a false value for a
    /// hint that the program does not read from the tape.
    FalseHint,
    /// The compiler or the executor panics.
    Panics,
}

/// The result of comparing one program.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The two sides agree in all runs.
    Agrees {
        /// Number of runs with the same statement.
        accepted: usize,
        /// Number of runs that failed on both sides.
        failed: usize,
    },
    /// Droste refuses to compile it: the error, the text it points at, and whether a native run
    /// succeeds.
    Refused(String, String, bool),
    /// rustc refuses to compile it.
    NotRust(String),
    /// A native run does not end.
    Endless,
    /// The two sides differ: how, in which run, and what each side returned.
    Differs(Difference, u64, String),
}

/// Number of programs per crate: rustc's time grows faster than linearly with it.
const CRATE: usize = 400;

/// Builds programs and runs each natively and in the machine, on `runs` inputs of `seed`.
///
/// # Errors
///
/// If the native side cannot be built or run.
pub fn compare(seed: u64, runs: u64, cases: &[Case]) -> Result<Vec<Verdict>, NativeError> {
    let mut verdicts = Vec::with_capacity(cases.len());
    for cases in cases.chunks(CRATE) {
        verdicts.extend(compare_crate(seed, runs, cases)?);
    }
    Ok(verdicts)
}

fn compare_crate(seed: u64, runs: u64, cases: &[Case]) -> Result<Vec<Verdict>, NativeError> {
    let compiled: Vec<_> = cases
        .iter()
        .map(|case| machine::build(&case.machine, &[]))
        .collect();
    let programs: Vec<_> = cases
        .iter()
        .map(|case| (case.number, case.native.clone()))
        .collect();
    let build = Build::new(seed, &programs)?;
    let jobs: Vec<_> = (0..cases.len())
        .filter(|place| !build.refused.contains_key(place))
        .flat_map(|place| (0..runs).map(move |run| (place, run)))
        .collect();
    let answers = build.run(&jobs)?;
    let mut verdicts = Vec::with_capacity(cases.len());
    for (place, (case, compiled)) in cases.iter().zip(&compiled).enumerate() {
        if let Some(error) = build.refused.get(&place) {
            verdicts.push(Verdict::NotRust(error.clone()));
            continue;
        }
        let first = jobs.partition_point(|job| job.0 < place);
        let answers: Option<Vec<_>> = answers[first..first + runs as usize]
            .iter()
            .cloned()
            .collect();
        let Some(answers) = answers else {
            verdicts.push(Verdict::Endless);
            continue;
        };
        verdicts.push(match compiled {
            Err(Refusal::Panic(message)) => Verdict::Differs(
                Difference::Panics,
                0,
                format!("the compiler panics: {message}"),
            ),
            Err(Refusal::Error(message, at)) => {
                let succeeds = answers.iter().any(|run| run.outcome.is_ok());
                Verdict::Refused(message.clone(), at.clone(), succeeds)
            }
            Ok(compiled) => judge(seed, case.number, compiled, &answers),
        });
    }
    Ok(verdicts)
}

fn judge(
    seed: u64,
    number: u64,
    compiled: &droste_vm::compiler::Compiled,
    answers: &[Run],
) -> Verdict {
    // A native run that fails early has asked for fewer hints than other runs. The machine gets the
    // hints of all runs, so that a run in which an assertion is missing continues and is noticed.
    let all = answers.iter().map(|run| &run.wanted.hints);
    let all = all
        .max_by_key(|hints| hints.len())
        .cloned()
        .unwrap_or_default();
    let (mut accepted, mut failed) = (0, 0);
    for (run, answer) in (0u64..).zip(answers) {
        let Wanted { hints, .. } = &answer.wanted;
        let hints = match &answer.outcome {
            Err(_) if all.starts_with(hints) => &all,
            _ => hints,
        };
        let inputs = Inputs::new(seed, number, run);
        let public = inputs.public(compiled.public_inputs);
        let tape = inputs.tape(hints);
        let outcome = machine::run(compiled, &public, &tape);
        let difference = match (&answer.outcome, &outcome) {
            (_, Outcome::Panic(_)) => Difference::Panics,
            (Ok(native), Outcome::Accepted(machine)) if native == machine => {
                let found = machine::accepts_false_hint(compiled, &public, &tape, number, native);
                if let Some(found) = found {
                    let text = format!("natively {native:?}, with a false hint {found:?}");
                    return Verdict::Differs(Difference::FalseHint, run, text);
                }
                accepted += 1;
                continue;
            }
            (Err(_), Outcome::Failed(_)) => {
                failed += 1;
                continue;
            }
            (Ok(_), Outcome::Accepted(_)) => Difference::Statement,
            (Err(_), Outcome::Accepted(_)) => Difference::Accepts,
            (Ok(_), Outcome::Failed(_)) => Difference::Fails,
        };
        let text = format!("natively {:?}, in the machine {outcome:?}", answer.outcome);
        return Verdict::Differs(difference, run, text);
    }
    Verdict::Agrees { accepted, failed }
}
