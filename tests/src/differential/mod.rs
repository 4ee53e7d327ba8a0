//! Random programs, built by rustc and by Droste and run on the same inputs. The two sides must
//! agree, or Droste must refuse the program. `docs/fuzzing.md` says how to run this.

pub mod compare;
pub mod corpus;
pub mod expressions;
pub mod features;
pub mod generator;
pub mod inputs;
pub mod integers;
pub mod known;
pub mod machine;
pub mod native;
pub mod random;
pub mod rename;
pub mod report;
pub mod shrink;
pub mod source;
pub mod types;

use compare::{Case, Verdict, compare};
use native::NativeError;
use report::Report;
use shrink::Finding;
use source::print;

/// Generates the programs `numbers` of a seed, runs each natively and in the machine on `runs`
/// inputs, and adds the results to a report. Programs on which the two sides differ are not shrunk.
///
/// # Errors
///
/// If the native side cannot be built or run.
pub fn batch(
    seed: u64,
    numbers: std::ops::Range<u64>,
    runs: u64,
    report: &mut Report,
) -> Result<Vec<Finding>, NativeError> {
    let programs: Vec<_> = numbers
        .map(|number| (number, features::program(seed, number)))
        .collect();
    let cases: Vec<_> = programs
        .iter()
        .map(|(number, (nodes, _))| {
            let source = print(nodes);
            Case {
                number: *number,
                native: source.clone(),
                machine: source,
            }
        })
        .collect();
    let verdicts = compare(seed, runs, &cases)?;
    let mut findings = Vec::new();
    for ((number, (nodes, features)), verdict) in programs.into_iter().zip(verdicts) {
        report.add(number, &features, &verdict);
        if let Verdict::Differs(difference, _, text) = verdict {
            findings.push(Finding {
                number,
                nodes,
                difference,
                text,
            });
        }
    }
    Ok(findings)
}
