//! Shrinks programs on which the two sides differ. Many are shrunk together, with one build per
//! round.

use super::compare::{Case, Difference, Verdict, compare};
use super::machine;
use super::native::NativeError;
use super::source::{Cut, Node, apply, cuts, print};

/// Largest number of rounds.
const ROUNDS: usize = 30;

/// A program on which the two sides differ.
#[derive(Clone)]
pub struct Finding {
    /// Number of the program, which determines its inputs.
    pub number: u64,
    /// Text of the program.
    pub nodes: Vec<Node>,
    /// How the two sides differ.
    pub difference: Difference,
    /// What each side returned.
    pub text: String,
}

/// Removes from each program what the difference does not need. The machine is given `taken_for` of
/// the text. That is the text itself, except in a test, where `taken_for` takes the place of a
/// compiler that misreads it.
///
/// # Errors
///
/// If the native side cannot be built or run.
pub fn shrink(
    seed: u64,
    runs: u64,
    findings: &mut [Finding],
    taken_for: impl Fn(&str) -> String,
) -> Result<(), NativeError> {
    let mut good: Vec<Vec<Cut>> = vec![Vec::new(); findings.len()];
    let mut done = vec![false; findings.len()];
    for _ in 0..ROUNDS {
        let mut tried: Vec<(usize, Vec<Cut>)> = Vec::new();
        for (place, finding) in findings.iter().enumerate() {
            if done[place] {
                continue;
            }
            match good[place].len() {
                // In the first round every change is tried alone.
                0 => tried.extend(
                    cuts(&finding.nodes)
                        .into_iter()
                        .map(|cut| (place, vec![cut])),
                ),
                // Then those that worked alone are tried together, more and more of them.
                n => {
                    let sizes = [n, n * 3 / 4, n / 2, n / 4, n / 8, 4, 2, 1];
                    let sizes = sizes.into_iter().filter(|size| (1..=n).contains(size));
                    tried.extend(sizes.map(|size| (place, good[place][..size].to_vec())));
                }
            }
        }
        if tried.is_empty() {
            return Ok(());
        }
        // Droste refuses most programs that lack a part, too. These need not be built.
        let mut cases = Vec::new();
        tried.retain(|(place, cuts)| {
            let native = print(&apply(&findings[*place].nodes, cuts));
            let machine = taken_for(&native);
            let panics = findings[*place].difference == Difference::Panics;
            let keep = match machine::build(&machine, &[]) {
                Ok(_) => true,
                Err(machine::Refusal::Error(..)) => false,
                Err(machine::Refusal::Panic(_)) => panics,
            };
            if keep {
                let number = findings[*place].number;
                cases.push(Case {
                    number,
                    native,
                    machine,
                });
            }
            keep
        });
        let verdicts = compare(seed, runs, &cases)?;
        let mut better: Vec<Vec<(Vec<Cut>, String)>> = vec![Vec::new(); findings.len()];
        for ((place, cuts), verdict) in tried.into_iter().zip(verdicts) {
            if let Verdict::Differs(difference, _, text) = verdict
                && difference == findings[place].difference
            {
                better[place].push((cuts, text));
            }
        }
        for (place, better) in better.into_iter().enumerate() {
            if done[place] {
                continue;
            }
            let alone = good[place].is_empty();
            good[place].clear();
            if alone && !better.is_empty() {
                good[place] = better.into_iter().flat_map(|(cuts, _)| cuts).collect();
                continue;
            }
            match better.into_iter().next() {
                Some((cuts, text)) => {
                    findings[place].nodes = apply(&findings[place].nodes, &cuts);
                    findings[place].text = text;
                }
                None => done[place] = alone,
            }
        }
    }
    Ok(())
}
