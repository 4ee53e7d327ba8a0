//! `droste fold test`: tells lies to the functions of rules, on paper.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use droste_verifier::fold::Paper;
use droste_verifier::fold::audit::{
    Case, CaseFile, HintPlace, RuleAudit, Unread, audit, hint_of, refuses,
};
use serde::Serialize;

use super::family::Family;
use super::tasks::Tasks;
use crate::error::CommandError;
use crate::output::{Format, Report, counted, print, row};
use crate::paths::Input;
use crate::program::read_json;
use crate::progress::{Progress, note};

/// Number of cases of each rule that are taken from a plan.
const CASES: usize = 4;

/// Number of hints' elements that a cell of the table shows.
const SHOWN: usize = 6;

/// Arguments of `droste fold test`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("cases_of").required(true).multiple(true).args(["cases", "leaves", "list", "repeat"])))]
pub struct Test {
    /// File of the rules.
    #[arg(value_name = "RULES")]
    rules: Input,
    /// JSON file with a list of cases: `{"rule": NAME, "nodes": [{"counters": .., "state": ..}],
    /// "leaves": [STATEMENT], "hints": .., "inputs": ["RULE:HINT"]}`, children in the order of the
    /// rule's parameters. Counters, and what is empty, may be missing. A case with
    /// `"fails": WORDS` must fail, for a reason that has these words.
    #[arg(long)]
    cases: Option<Input>,
    /// Number of lies about several hints at a time, for each case; each hint is changed by itself
    /// besides.
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    lies: usize,
    /// A hint that is an input: the result may depend on it. RULE is the name of the rule, HINT the
    /// number of the hint in the order in which its function reads them, from 0. May be given
    /// several times.
    #[arg(long = "input", value_name = "RULE:HINT")]
    inputs: Vec<String>,
    #[command(flatten)]
    tasks: Tasks,
    #[command(flatten)]
    family: Family,
}

#[derive(Serialize)]
struct Tested {
    rules: Vec<RuleAudit>,
    /// The cases that must fail.
    refused: Vec<Refused>,
    /// Rules of which there is no case that they accept.
    untested: Vec<String>,
}

/// A case that must fail.
#[derive(Serialize)]
struct Refused {
    /// Number of the case, from 0.
    case: usize,
    rule: String,
    /// Words of the reason that it must have.
    fails: String,
    /// What happened instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead: Option<String>,
}

impl Report for Tested {
    fn rows(&self) -> Vec<Vec<String>> {
        let header = [
            "rule",
            "cycles",
            "permutations",
            "lies",
            "refused",
            "inputs",
            "no effect",
            "free",
            "not read",
        ];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for of in &self.rules {
            let table = of.rows.iter().find(|(table, _)| table == "poseidon16");
            let permutations = table.map_or(0, |(_, rows)| *rows);
            let numbers = [of.cycles, permutations, of.lies, of.refused];
            let mut cells = vec![of.rule.clone()];
            cells.extend(numbers.map(|number| number.to_string()));
            cells.extend([
                places(&of.inputs),
                places(&of.no_effect),
                places(&of.free),
                unread(&of.unread, "; "),
            ]);
            rows.push(cells);
        }
        rows.extend(self.refused.iter().map(|case| {
            let text = match &case.instead {
                None => format!("refused, as it must be: {}", case.fails),
                Some(instead) => format!("must be refused, but {instead}"),
            };
            row(&case.rule, text)
        }));
        let text = "not tested: there is no case that it accepts";
        rows.extend(self.untested.iter().map(|rule| row(rule, text)));
        rows
    }
}

/// What a rule does not depend on, all of it.
fn unread(all: &[Unread], separator: &str) -> String {
    let texts: Vec<String> = all.iter().map(Unread::to_string).collect();
    match texts.as_slice() {
        [] => "-".to_owned(),
        texts => texts.join(separator),
    }
}

/// Hints in one cell.
fn places(places: &[HintPlace]) -> String {
    few(places, place)
}

fn place(place: &HintPlace) -> String {
    let line = line(place.line);
    format!("hint {} lane {}{line}", place.hint, place.lane)
}

fn line(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!(" (line {line})"))
}

/// The first of some things in one cell, and how many more there are.
fn few<T>(all: &[T], text: impl Fn(&T) -> String) -> String {
    let shown: Vec<String> = all.iter().take(SHOWN).map(text).collect();
    match all.len().checked_sub(SHOWN) {
        _ if all.is_empty() => "-".to_owned(),
        Some(more @ 1..) => format!("{} and {more} more", shown.join("; ")),
        _ => shown.join("; "),
    }
}

impl Test {
    /// Audits every case and prints what was found.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let inputs = self.inputs()?;
        let progress = Progress::spinner("compiling the rules");
        let (paper, mut cases) = if self.tasks.are_given() {
            let files = self.tasks.files(&self.family, None)?;
            let planned = self
                .tasks
                .plan(&self.family, &self.rules, files, &progress)?;
            let mut cases = planned.plan.cases(&planned.leaves);
            let mut number: BTreeMap<String, usize> = BTreeMap::new();
            cases.retain(|case| {
                let number = number.entry(case.rule.clone()).or_default();
                *number += 1;
                *number <= CASES
            });
            (planned.fold.paper().clone(), cases)
        } else {
            if self.tasks.have_options() {
                let message = "--merge, --leaf-rule, --append, --start and --hints are for leaves \
                               or --repeat: cases name their rules and have their own hints";
                return Err(CommandError::usage(message));
            }
            (self.family.paper(&self.rules)?, vec![])
        };
        if let Some(path) = &self.cases {
            let files: Vec<CaseFile> = read_json(path)?;
            for (number, case) in files.into_iter().enumerate() {
                let about = format!("case {number} of {}", path.display());
                cases.push(case.of(&paper).map_err(CommandError::about(about))?);
            }
        }
        for rule in inputs.keys() {
            paper.slots(rule)?;
        }
        for case in &mut cases {
            let rule = case.rule.split('#').next().unwrap_or_default();
            case.inputs.extend(inputs.get(rule).into_iter().flatten());
        }
        progress.stage("telling lies");
        let mut tested = Tested {
            untested: untested(&paper, &cases),
            refused: vec![],
            rules: vec![],
        };
        for (number, case) in cases.iter().enumerate() {
            let about = format!("case {number}, of the rule `{}`", case.rule);
            match &case.fails {
                None => {
                    let audited = audit(&paper, case, self.lies);
                    tested
                        .rules
                        .push(audited.map_err(CommandError::about(about))?);
                }
                Some(fails) => {
                    let instead = refuses(&paper, case).map_err(CommandError::about(about))?;
                    tested.refused.push(Refused {
                        case: number,
                        rule: case.rule.clone(),
                        fails: fails.clone(),
                        instead,
                    });
                }
            }
        }
        progress.finish();
        print(&tested, format)?;
        for rule in &tested.untested {
            note(format_args!(
                "warning: the rule `{rule}` was not tested: there is no case that it accepts"
            ));
        }
        for of in tested.rules.iter().filter(|of| !of.unread.is_empty()) {
            let (rule, blocks) = (&of.rule, unread(&of.unread, " and "));
            note(format_args!(
                "warning: `{rule}` does not depend on {blocks}: is an assertion missing?"
            ));
        }
        let accepted = tested.refused.iter().filter_map(Refused::failure);
        let failures = tested.rules.iter().flat_map(failures).chain(accepted);
        let failures: Vec<String> = failures.collect();
        if failures.is_empty() {
            Ok(())
        } else {
            Err(CommandError::Tests(failures.join("\n")))
        }
    }

    /// The hints that are inputs, by rule.
    fn inputs(&self) -> Result<BTreeMap<&str, BTreeSet<usize>>, CommandError> {
        let mut inputs: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for text in &self.inputs {
            let (rule, hint) = hint_of(text).map_err(CommandError::usage)?;
            inputs.entry(rule).or_default().insert(hint);
        }
        Ok(inputs)
    }
}

impl Refused {
    /// What is wrong, if it did not fail as it must.
    fn failure(&self) -> Option<String> {
        let Self {
            case, rule, fails, ..
        } = self;
        let instead = self.instead.as_ref()?;
        Some(format!(
            "case {case}, of the rule `{rule}`, must fail with \"{fails}\", but {instead}"
        ))
    }
}

/// The rules of which there is no case that they accept.
fn untested(paper: &Paper, cases: &[Case]) -> Vec<String> {
    let accepted = || cases.iter().filter(|case| case.fails.is_none());
    let has_case = |name: &&str| accepted().any(|case| case.rule == *name);
    let untested = paper.names().filter(|name| !has_case(name));
    untested.map(str::to_owned).collect()
}

/// What was found in one rule that lets a prover choose the result, a line each.
fn failures(of: &RuleAudit) -> Vec<String> {
    let rule = &of.rule;
    let mut lines = vec![];
    // What is missing is mostly one assertion, so a hint is named once.
    let mut free: BTreeMap<(usize, Option<usize>), usize> = BTreeMap::new();
    for place in &of.free {
        *free.entry((place.hint, place.line)).or_default() += 1;
    }
    for ((hint, at), elements) in free {
        let (at, elements) = (line(at), counted(elements, "element", "elements"));
        let function = rule.split('#').next().unwrap_or_default();
        lines.push(format!(
            "the rule `{rule}` leaves hint {hint}{at} free: {elements} of it can be others, with \
             another result. Compare it with what a leaf or a node says; only if anybody may \
             choose it: --input {function}:{hint}"
        ));
    }
    let mut together: BTreeMap<BTreeSet<usize>, Vec<&Vec<HintPlace>>> = BTreeMap::new();
    for places in &of.together {
        let hints = places.iter().map(|place| place.hint).collect();
        together.entry(hints).or_default().push(places);
    }
    for sets in together.values() {
        let [first, others @ ..] = sets.as_slice() else {
            continue;
        };
        let places: Vec<String> = first.iter().map(place).collect();
        let places = places.join(" and ");
        let more = match others.len() {
            0 => String::new(),
            count => format!(
                ", and {} of these hints",
                counted(count, "other set", "other sets")
            ),
        };
        lines.push(format!(
            "the rule `{rule}` leaves {places} free together{more}"
        ));
    }
    if let Some(reason) = &of.encoding {
        lines.push(format!(
            "a state of `{rule}` is another one after `of` and `blocks`: {reason}"
        ));
    }
    for glue in &of.glue {
        lines.push(format!(
            "Droste accepts a lie about `{rule}`, please report it: {glue}"
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audit() -> RuleAudit {
        RuleAudit {
            rule: "merge".to_owned(),
            cycles: 86,
            rows: vec![("poseidon16".to_owned(), 15)],
            lies: 10,
            refused: 10,
            inputs: vec![],
            no_effect: vec![],
            free: vec![],
            together: vec![],
            glue: vec![],
            unread: vec![],
            encoding: None,
        }
    }

    #[test]
    fn free_hints_are_named_with_their_lines() {
        assert_eq!(failures(&audit()), [""; 0]);
        let free = |hint, lane| HintPlace {
            hint,
            lane,
            line: Some(31),
        };
        let found = RuleAudit {
            free: vec![free(2, 6), free(2, 7)],
            together: vec![vec![free(0, 1), free(0, 2)]],
            ..audit()
        };
        let lines = failures(&found);
        let [alone, together] = lines.as_slice() else {
            panic!("{found:?}");
        };
        assert!(
            alone.contains("leaves hint 2 (line 31) free: 2 elements of it"),
            "{alone}"
        );
        assert!(alone.ends_with("--input merge:2"), "{alone}");
        assert!(
            together.ends_with("hint 0 lane 1 (line 31) and hint 0 lane 2 (line 31) free together")
        );
        let several = RuleAudit {
            together: vec![vec![free(0, 1), free(1, 2)]; 3],
            ..audit()
        };
        let lines = failures(&several);
        assert_eq!(lines.len(), 1);
        assert!(
            lines[0].ends_with("together, and 2 other sets of these hints"),
            "{lines:?}"
        );
    }

    #[test]
    fn what_is_not_read_is_listed_in_blocks() {
        let of = |child, lanes: &[usize], whole| Unread {
            child,
            block: 1 - child,
            lanes: lanes.to_vec(),
            whole,
        };
        let all = [of(0, &[0, 1], true), of(1, &[3, 5], false)];
        let text = "block 1 of child 0 and lanes 3, 5 of block 0 of child 1";
        assert_eq!(unread(&all, " and "), text);
        assert_eq!(unread(&[], " and "), "-");
    }

    #[test]
    fn cases_that_must_fail_and_do_not_are_named() {
        let refused = |instead: Option<&str>| Refused {
            case: 3,
            rule: "merge".to_owned(),
            fails: "they do not meet".to_owned(),
            instead: instead.map(str::to_owned),
        };
        assert_eq!(refused(None).failure(), None);
        let line = refused(Some("it is accepted")).failure().unwrap();
        let words = "of the rule `merge`, must fail with \"they do not meet\", but it is accepted";
        assert!(line.ends_with(words), "{line}");
    }

    #[test]
    fn long_lists_are_counted() {
        let text = |count: usize| few(&vec![1; count], ToString::to_string);
        assert_eq!(text(0), "-");
        assert_eq!(text(2), "1; 1");
        assert_eq!(text(SHOWN), ["1"; SHOWN].join("; "));
        assert!(text(SHOWN + 2).ends_with("1 and 2 more"));
    }
}
