//! Tests the functions of a fold's rules by lies: which hints can be changed without a refusal, and
//! which blocks of its children a function does not read.
//!
//! A rule's result must depend on its children alone, or whoever makes the proof chooses it. So each
//! lane of each hint is changed, alone and together with others, on paper ([`Paper`]). A changed
//! hint must be refused. It may be accepted with the same result: then nothing constrains it, which
//! is a waste. If it is accepted with another result, the hint is *free*: an assertion is missing,
//! or the hint is an input that the caller lists. Random lies are no proof that there are no free
//! hints.
//!
//! The hints around the function are audited, too. None of them can be changed; where one can, that
//! is an error of this crate.

mod case;
mod lies;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{self, Display, Formatter};

use droste_native::F;
use droste_vm::compiler::{Compiled, Hint, Location, SourceMap};
use droste_vm::executor::{Tape, TapeItem, execute, execute_mutated};
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;
use serde::Serialize;

pub use case::{Case, CaseError, CaseFile, hint_of};
use lies::{Lie, Place, Random, several, single, with};

use super::source::Slot;
use super::{FoldError, Paper, PaperChild};

/// Largest number of hints of the executor (bits, inverses, ends of loops) that are changed.
const MOST_COMPUTED: u64 = 2_000;

/// Largest number of lies about several hints: all of a case are in memory at the same time.
const MOST_LIES: usize = 1 << 20;

/// A false hint may make a loop longer, or endless. A run may take so many cycles more than twice
/// those of the honest one.
const MORE_CYCLES: u64 = 1 << 10;

/// A lane of a hint of a rule's function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct HintPlace {
    /// Number of the hint, in the order in which the function reads them, from 0.
    pub hint: usize,
    /// Number of the element of the hint, from 0.
    pub lane: usize,
    /// Line of the rules that reads it, from 1, if it is read there.
    pub line: Option<usize>,
}

/// Lanes of a block of what a child says which `of` reads, but which the rule does not depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// Number of the child, from 0.
    pub child: usize,
    /// Number of the block of its state, from 0. The statement of a leaf is one block.
    pub block: usize,
    /// The lanes, from 0.
    pub lanes: Vec<usize>,
    /// Whether these are all lanes of the block that `of` reads.
    pub whole: bool,
}

impl Display for Unread {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.whole {
            let lanes: Vec<String> = self.lanes.iter().map(usize::to_string).collect();
            write!(f, "lanes {} of ", lanes.join(", "))?;
        }
        write!(f, "block {} of child {}", self.block, self.child)
    }
}

/// An element of what a child says.
#[derive(Clone, Copy)]
struct Lane {
    child: usize,
    /// Number of the element of its state or statement, from 0.
    lane: usize,
}

/// What the audit of a rule on one case found.
#[derive(Clone, Debug, Serialize)]
pub struct RuleAudit {
    /// Name of the rule.
    pub rule: String,
    /// Cycles of the paper rule's run.
    pub cycles: usize,
    /// Rows that the run takes of each table.
    pub rows: Vec<(String, usize)>,
    /// Number of lies that were told.
    pub lies: usize,
    /// Number of those that were refused.
    pub refused: usize,
    /// Lanes that change the result, of hints that the case lists as inputs.
    pub inputs: Vec<HintPlace>,
    /// Lanes that can be changed without effect on the result.
    pub no_effect: Vec<HintPlace>,
    /// Lanes that can be changed alone, with another result.
    pub free: Vec<HintPlace>,
    /// Lanes that can be changed together, with another result, and not alone.
    pub together: Vec<Vec<HintPlace>>,
    /// Lies about hints around the function that were not refused: errors of Droste.
    pub glue: Vec<String>,
    /// What of the children does not matter to the result. Lanes that `of` does not read are not
    /// among it.
    pub unread: Vec<Unread>,
    /// Why a state is not what it was after it is decoded and encoded again, if it is not.
    pub encoding: Option<String>,
}

impl RuleAudit {
    /// Whether nothing was found that lets a prover choose the result.
    pub fn is_sound(&self) -> bool {
        self.free.is_empty()
            && self.together.is_empty()
            && self.glue.is_empty()
            && self.encoding.is_none()
    }
}

/// How a run with a false hint ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Refused,
    SameResult,
    OtherResult,
}

/// Audits a rule on one case. `lies` is the number of lies that change several lanes of the
/// function's hints at random, and of those that do so around the function.
///
/// # Errors
/// If the rule does not compile, or the honest run fails.
pub fn audit(paper: &Paper, case: &Case, lies: usize) -> Result<RuleAudit, FoldError> {
    let lies = lies.min(MOST_LIES);
    let honest = paper.run(&case.rule, &case.children, &case.hints)?;
    let tape = paper.tape(&case.rule, &case.children, &case.hints)?;
    let glue = tape.items.len() - case.hints.items.len();
    let compiled = paper.compiled(&case.rule)?;
    let trial = Trial {
        compiled,
        tape: &tape,
        statement: honest.execution.statement,
        limit: 2 * honest.cycles() as u64 + MORE_CYCLES,
    };
    let mut random = Random::new(&case.rule);
    let mut found = RuleAudit {
        rule: case.rule.clone(),
        cycles: honest.cycles(),
        rows: paper.rows(&case.rule, &honest)?,
        lies: 0,
        refused: 0,
        inputs: vec![],
        no_effect: vec![],
        free: vec![],
        together: vec![],
        glue: vec![],
        unread: unread(paper, case, &honest.state, &mut random)?,
        encoding: None,
    };

    let lines = lines(
        compiled,
        &honest.execution.cycles,
        paper.rules().source().path(),
    );
    let name = |place: &Place| HintPlace {
        hint: place.item - glue,
        lane: place.lane,
        line: lines.get(place.item).copied().flatten(),
    };
    let own: Vec<Place> = lies::places(&tape, glue..tape.items.len());
    let is_input = |place: &Place| case.inputs.contains(&(place.item - glue));
    let told = single(&tape, &own, &mut random);
    for (lie, outcome) in found.tell(&trial, told) {
        let Some((place, _)) = lie.first() else {
            continue;
        };
        let places = match outcome {
            Outcome::Refused => continue,
            Outcome::SameResult => &mut found.no_effect,
            Outcome::OtherResult if is_input(place) => &mut found.inputs,
            Outcome::OtherResult => &mut found.free,
        };
        places.push(name(place));
    }
    for places in [&mut found.no_effect, &mut found.inputs, &mut found.free] {
        places.sort_unstable();
        places.dedup();
    }
    // What is free alone is free with others.
    let free: BTreeSet<HintPlace> = found.free.iter().copied().collect();
    let bound = own.iter().filter(|place| !is_input(place));
    let bound: Vec<Place> = bound
        .filter(|place| !free.contains(&name(place)))
        .copied()
        .collect();
    let told = several(&tape, &bound, lies, &mut random);
    for (lie, outcome) in found.tell(&trial, told) {
        if outcome == Outcome::OtherResult {
            found
                .together
                .push(lie.iter().map(|(place, _)| name(place)).collect());
        }
    }
    found.together.sort_unstable();
    found.together.dedup();

    // Without a node of the family below, its list may be any: the statement says which.
    let has_node = paper.slots(&case.rule)?.contains(&Slot::Node);
    let around = lies::places(&tape, usize::from(!has_node)..glue);
    let mut told = single(&tape, &around, &mut random);
    told.extend(several(&tape, &around, lies, &mut random));
    for (lie, outcome) in found.tell(&trial, told) {
        if outcome != Outcome::Refused {
            found.glue.push(format!("{lie:?}"));
        }
    }
    found.computed(&trial);

    let below = case.children.iter().enumerate();
    let below = below.filter_map(|(number, child)| match child {
        PaperChild::Node { state, .. } => Some((format!("child {number}"), state.as_slice())),
        PaperChild::Leaf { .. } | PaperChild::Foreign { .. } => None,
    });
    let result = ("the result".to_owned(), honest.state.as_slice());
    for (of, state) in below.chain([result]) {
        match paper.check_state(state) {
            Ok(()) => {}
            Err(FoldError::Run { reason, .. }) => {
                found
                    .encoding
                    .get_or_insert(format!("that of {of}: {reason}"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Runs a case on which the rule must fail ([`Case::fails`]). Returns what happened instead, or
/// `None` if it failed for that reason.
///
/// # Errors
/// If the rule does not compile or takes other children.
pub fn refuses(paper: &Paper, case: &Case) -> Result<Option<String>, FoldError> {
    let words = case.fails.as_deref().unwrap_or_default();
    match paper.run(&case.rule, &case.children, &case.hints) {
        Ok(_) => Ok(Some("it is accepted".to_owned())),
        Err(FoldError::Run { reason, .. }) if reason.contains(words) => Ok(None),
        Err(FoldError::Run { reason, .. }) => Ok(Some(format!("it fails otherwise: {reason}"))),
        Err(error) => Err(error),
    }
}

/// A rule's program with its honest tape.
struct Trial<'a> {
    compiled: &'a Compiled,
    tape: &'a Tape,
    statement: [F; 8],
    limit: u64,
}

impl Trial<'_> {
    fn outcome(&self, lie: &Lie) -> Outcome {
        let run = execute(self.compiled, &[], &with(self.tape, lie), self.limit);
        self.of_statement(run.ok().map(|run| run.statement))
    }

    fn of_statement(&self, statement: Option<[F; 8]>) -> Outcome {
        match statement {
            None => Outcome::Refused,
            Some(same) if same == self.statement => Outcome::SameResult,
            Some(_) => Outcome::OtherResult,
        }
    }
}

impl RuleAudit {
    /// Tells lies, several at a time, and counts them. Returns them with what came of each.
    fn tell(&mut self, trial: &Trial<'_>, lies: Vec<Lie>) -> Vec<(Lie, Outcome)> {
        let outcomes: Vec<Outcome> = lies.par_iter().map(|lie| trial.outcome(lie)).collect();
        self.count(&outcomes);
        lies.into_iter().zip(outcomes).collect()
    }

    fn count(&mut self, outcomes: &[Outcome]) {
        let refused = outcomes
            .iter()
            .filter(|&&outcome| outcome == Outcome::Refused);
        self.refused += refused.count();
        self.lies += outcomes.len();
    }

    /// Changes the hints that the executor computes. The compiler constrains all of them.
    fn computed(&mut self, trial: &Trial<'_>) {
        let all = (trial.compiled.hints.len() as u64).min(MOST_COMPUTED);
        let changes = [F::ONE, F::NEG_ONE, F::from_u32(1 << 30)];
        let lies = (0..all).flat_map(|number| changes.map(|change| (number, change)));
        let lies: Vec<(u64, F)> = lies.collect();
        let tell = |&lie: &(u64, F)| {
            let (compiled, tape, limit) = (trial.compiled, trial.tape, trial.limit);
            let run = execute_mutated(compiled, &[], tape, limit, Some(lie));
            trial.of_statement(run.ok().map(|run| run.statement))
        };
        let outcomes: Vec<Outcome> = lies.par_iter().map(tell).collect();
        // There may be fewer such hints than there are numbers: nothing was changed then.
        let told = outcomes.iter().copied();
        let told = told.filter(|outcome| *outcome != Outcome::SameResult);
        self.count(&told.collect::<Vec<_>>());
        for ((number, change), outcome) in lies.iter().zip(outcomes) {
            if outcome == Outcome::OtherResult {
                let lie = format!("computed hint {number}: {change} more");
                self.glue.push(lie);
            }
        }
    }
}

/// What of the children can be changed, the proofs saying so, without effect on the state.
fn unread(
    paper: &Paper,
    case: &Case,
    state: &[[F; 8]],
    random: &mut Random,
) -> Result<Vec<Unread>, FoldError> {
    // Compiled once, not by several threads.
    paper.compiled(&case.rule)?;
    let mut lanes = vec![];
    for (child, said) in case.children.iter().enumerate() {
        let count = match said {
            PaperChild::Node { state, .. } | PaperChild::Foreign { state, .. } => 8 * state.len(),
            PaperChild::Leaf { .. } => 8,
        };
        lanes.extend((0..count).map(|lane| (Lane { child, lane }, random.element())));
    }
    let is_unread = |&(lane, by): &(Lane, F)| {
        [F::ONE, by].into_iter().all(|by| {
            let children = changed(&case.children, lane, by);
            let run = paper.run(&case.rule, &children, &case.hints);
            run.is_ok_and(|run| run.state == state)
        })
    };
    let unread = lanes.par_iter().filter(|lane| is_unread(lane));
    let unread: Vec<Lane> = unread.map(|&(lane, _)| lane).collect();
    let mut blocks: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for lane in unread
        .into_iter()
        .filter(|&lane| decodes(paper, case, lane))
    {
        let lanes = blocks.entry((lane.child, lane.lane / 8)).or_default();
        lanes.push(lane.lane % 8);
    }
    let unread = blocks.into_iter().map(|((child, block), lanes)| {
        let all = (8 * block..8 * (block + 1)).map(|lane| Lane { child, lane });
        let decoded = all.filter(|&lane| decodes(paper, case, lane));
        Unread {
            child,
            block,
            whole: decoded.count() == lanes.len(),
            lanes,
        }
    });
    Ok(unread.collect())
}

/// Whether `of` reads a lane of what a child says: then another element in it is encoded again.
fn decodes(paper: &Paper, case: &Case, lane: Lane) -> bool {
    let children = changed(&case.children, lane, F::ONE);
    match children.get(lane.child) {
        Some(PaperChild::Node { state, .. }) => paper.check_state(state).is_ok(),
        Some(PaperChild::Foreign { state, .. }) => {
            let slots = paper.slots(&case.rule).unwrap_or_default();
            match slots.get(lane.child) {
                Some(Slot::Foreign(fold)) => paper.check_foreign(*fold, state).is_ok(),
                _ => false,
            }
        }
        Some(PaperChild::Leaf { .. }) => true,
        None => false,
    }
}

/// The children, with an element of one of them changed.
fn changed(children: &[PaperChild], lane: Lane, by: F) -> Vec<PaperChild> {
    let mut children = children.to_vec();
    let elements = match children.get_mut(lane.child) {
        Some(PaperChild::Node { state, .. } | PaperChild::Foreign { state, .. }) => {
            state.as_flattened_mut()
        }
        Some(PaperChild::Leaf { statement }) => statement.as_mut_slice(),
        None => &mut [],
    };
    if let Some(element) = elements.get_mut(lane.lane) {
        *element += by;
    }
    children
}

/// The line of a file at which each hint of a tape is read, by the order of the run.
fn lines(
    compiled: &Compiled,
    cycles: &[droste_vm::record::Cycle],
    path: &str,
) -> Vec<Option<usize>> {
    let map = &compiled.source_map;
    let mut by_pc: HashMap<u32, Vec<Option<usize>>> = HashMap::new();
    for ((pc, hint), location) in compiled.hints.iter().zip(&map.hints) {
        if matches!(
            hint,
            Hint::Felt { .. } | Hint::Ext { .. } | Hint::Slice { .. }
        ) {
            by_pc
                .entry(*pc)
                .or_default()
                .push(line(map, *location, path));
        }
    }
    let read = cycles.iter().filter_map(|cycle| by_pc.get(&cycle.pc));
    read.flatten().copied().collect()
}

/// The line of a file at which an expression is, or the innermost call that leads to it.
fn line(map: &SourceMap, location: Location, path: &str) -> Option<usize> {
    let (mut span, mut next) = (location.span, Some(location.site));
    loop {
        let file = map.files.get(span.file as usize);
        if file.is_some_and(|file| file.path == path) {
            return Some(map.line_column(span).0);
        }
        let site = map.sites.get(next? as usize)?;
        (span, next) = (site.call, site.parent);
    }
}

#[cfg(test)]
mod tests {
    use droste_vm::compiler::compile_file;

    use super::*;

    /// Hints of functions that are inlined, called and repeated are found where they are read.
    #[test]
    fn hints_are_named_by_their_lines() {
        let rules = "use droste_gadgets::prelude::*;
pub fn rule() -> Felt {
    let x = hint_felt().any();
    for _i in count(3) {
        assert_eq!(inner(), x);
    }
    other()
}
fn inner() -> Felt {
    hint_felt().any()
}
#[inline(never)]
fn other() -> Felt {
    hint_felt().any() + hint_slice(1).any().block(0).lane(2)
}
";
        let main = "use droste_gadgets::prelude::*;
pub fn main() {
    let first = hint_felt().any();
    reveal(first + rules::chain::rule());
}
";
        let path = "rules/chain.rs";
        let libraries = [droste_gadgets::SOURCES, &[(path, rules)]].concat();
        let compiled = compile_file("rule.rs", main, &libraries).unwrap();
        let mut tape = Tape::default();
        for value in [9, 4, 4, 4, 4, 5] {
            tape.felt(F::from_u32(value));
        }
        tape.slice(&[[F::ONE; 8]]);
        let run = execute(&compiled, &[], &tape, 1 << 16).unwrap();
        let found = lines(&compiled, &run.cycles, path);
        let own = [3, 10, 10, 10, 14, 14].map(Some);
        assert_eq!(found, [&[None], &own[..]].concat());
    }
}
