//! Random programs are built by rustc and by Droste and run on the same inputs; see
//! `docs/fuzzing.md`.

use droste_tests::differential::compare::{Case, Difference, Verdict, compare};
use droste_tests::differential::features::{FEATURES, VECS, program};
use droste_tests::differential::known::KNOWN;
use droste_tests::differential::rename::same;
use droste_tests::differential::report::Report;
use droste_tests::differential::shrink::{Finding, shrink};
use droste_tests::differential::source::{Cut, apply, count, group, line, print};
use droste_tests::differential::{batch, inputs};

const SEED: u64 = 10;
const PROGRAMS: u64 = 400;
const RUNS: u64 = 6;
/// Number of programs that are compiled under several names.
const RENAMED: u64 = 200;

/// Features in many of whose programs Droste refuses something. Each is documented as partly or
/// wholly outside the subset.
const MOSTLY_REFUSED: &[&str] = &[
    "references in variables",
    "reference patterns",
    "returned references",
];

#[test]
fn random_programs_mean_the_same_both_ways() {
    let mut report = Report::default();
    let mut findings = batch(SEED, 0..PROGRAMS, RUNS, &mut report).unwrap();
    findings.truncate(5);
    shrink(SEED, RUNS, &mut findings, str::to_owned).unwrap();
    for finding in &findings {
        let (number, text) = (finding.number, &finding.text);
        println!(
            "program {number} of seed {SEED}: {text}\n{}",
            print(&finding.nodes)
        );
    }
    println!("{report}");
    assert_eq!(report.differences(), 0);
    assert_eq!(report.programs, PROGRAMS as usize);
    // The generator must not lose many programs to its own mistakes, nor to refusals. This and the
    // numbers below leave a margin to what two seeds gave, which is in `docs/fuzzing.md`.
    assert!(
        report.not_rust.len() * 100 <= report.programs,
        "{:?}",
        report.not_rust
    );
    assert!(report.endless.is_empty());
    assert!(report.refusals() * 100 <= report.programs * 30);
    // Both results of a run occur often: statements and failures.
    assert!(report.accepted >= 3 * report.programs);
    assert!(report.failed >= report.programs / 3);
    for (feature, _, weight) in FEATURES.iter().chain(VECS) {
        let (all, compiled) = report.features.get(feature).copied().unwrap_or_default();
        assert!(all >= 2 * weight, "{feature} is in {all} programs");
        let least = match (weight, MOSTLY_REFUSED.contains(feature)) {
            (_, true) => 0,
            // Among so few programs, refusals may be due to other features.
            (1, _) => 1,
            _ => all / 10,
        };
        assert!(compiled >= least, "{feature}: {compiled} of {all} compile");
    }
}

/// The machine is given another program than rustc: for each of the things that earlier compilers
/// misread, and for generated programs with one statement removed.
#[test]
fn the_comparison_sees_programs_that_differ() {
    let pairs: Vec<_> = (0..).zip(KNOWN).map(|(i, known)| known.pair(i)).collect();
    for (known, verdict) in KNOWN.iter().zip(compare(SEED, RUNS, &pairs).unwrap()) {
        let Verdict::Differs(difference, ..) = verdict else {
            panic!("{}: {verdict:?}", known.name);
        };
        assert_eq!(difference, known.difference, "{}", known.name);
    }
    let mut pairs = Vec::new();
    for number in 0..120 {
        let (nodes, _) = program(SEED, number);
        let cut = Cut::Remove((7 * number as usize + 3) % count(&nodes));
        pairs.push(Case {
            number,
            native: print(&nodes),
            machine: print(&apply(&nodes, &[cut])),
        });
    }
    let verdicts = compare(SEED, RUNS, &pairs).unwrap();
    let differ = |verdict: &&Verdict| matches!(verdict, Verdict::Differs(..));
    let compiled =
        |verdict: &&Verdict| differ(verdict) || matches!(verdict, Verdict::Agrees { .. });
    let all = verdicts.iter().filter(compiled).count();
    let seen = verdicts.iter().filter(differ).count();
    assert!(
        all >= 40 && seen * 100 >= all * 65,
        "{seen} of {all} changes are noticed"
    );
}

/// Under other names, programs of the repository and random ones compile to the same instructions
/// or are refused, and rustc's build of them means the same.
#[test]
fn names_do_not_matter() {
    let mut report = same::repository(SEED).unwrap();
    let repository = report.programs;
    assert!(repository >= 90, "{report}");
    for number in 0..RENAMED {
        report.add_generated(SEED, number);
    }
    println!("{report}");
    for (name, one, other) in &report.differ {
        println!("{name}\n{one}\n== under other names\n{other}");
    }
    assert!(report.differ.is_empty());
    // Programs that are refused under every name tell nothing.
    assert!(report.same * 2 >= report.programs);
    assert!(report.unread * 6 <= repository);
    let cases = (0..RENAMED / 10).filter_map(|number| Case::renamed(SEED, number));
    let cases: Vec<_> = cases.collect();
    for (case, verdict) in cases.iter().zip(compare(SEED, RUNS, &cases).unwrap()) {
        match verdict {
            Verdict::Agrees { .. } | Verdict::Refused(..) => {}
            other => panic!("{other:?}\n{}\n{}", case.machine, case.native),
        }
    }
}

/// What earlier compilers misread is now compiled correctly, or refused.
#[test]
fn what_was_misread_is_read_or_refused() {
    let programs: Vec<_> = (0..)
        .zip(KNOWN)
        .map(|(i, known)| known.program(i))
        .collect();
    for (known, verdict) in KNOWN.iter().zip(compare(SEED, RUNS, &programs).unwrap()) {
        match verdict {
            Verdict::Agrees { .. } => {}
            Verdict::Refused(_, at, _) => assert!(!at.is_empty(), "{}", known.name),
            other => panic!("{}: {other:?}", known.name),
        }
    }
}

/// Also: what programs ask for can be read back, and a program can be removed as a whole.
#[test]
fn a_program_is_a_function_of_its_number() {
    assert_eq!(program(3, 17), program(3, 17));
    assert_ne!(program(3, 17).0, program(3, 18).0);
    assert_ne!(program(3, 17).0, program(4, 17).0);
    let wanted = inputs::Wanted::parse("2 f e s3").unwrap();
    assert_eq!(wanted.text(), "2 f e s3");
    let nodes = program(3, 17).0;
    let cuts: Vec<_> = (0..count(&nodes)).map(Cut::Remove).collect();
    assert!(apply(&nodes, &cuts).is_empty());
}

/// A compiler loses one assertion. Shrinking leaves that assertion and what it needs of the
/// program.
#[test]
fn differences_are_made_small() {
    let lost = "assert_ne!(y, felt(1));";
    let nodes = vec![
        line("use droste_gadgets::prelude::*;"),
        line("fn unused(x: Felt) -> Felt { x * x }"),
        group(
            "pub fn main()",
            vec![
                line("let x = public_input();"),
                line("let z = unused(x) + x;"),
                group(
                    "if z == z",
                    vec![line("let y = x;"), line(lost), line("let _ = y * x;")],
                ),
                line("reveal(x);"),
            ],
        ),
    ];
    let mut findings = [Finding {
        number: 0,
        nodes,
        difference: Difference::Accepts,
        text: String::new(),
    }];
    shrink(SEED, RUNS, &mut findings, |text| text.replace(lost, "")).unwrap();
    let lines = [
        "use droste_gadgets::prelude::*;",
        "pub fn main() {",
        "    let x = public_input();",
        "    let y = x;",
        "    assert_ne!(y, felt(1));",
        "}",
    ];
    assert_eq!(print(&findings[0].nodes).lines().collect::<Vec<_>>(), lines);
}
