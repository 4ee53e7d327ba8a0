//! Makes plans: chooses the rules, and runs them on paper level by level.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::slice;

use droste_vm::executor::Tape;
use droste_vm::key::KeyDigest;
use p3_maybe_rayon::prelude::*;

use super::super::source::Slot;
use super::super::{Fold, FoldError, MAX_COUNT, Paper, PaperChild};
use super::rules::{Role, Rule, all, cover, level, missing, named, only, with_role};
use super::{
    Expected, FailedRule, FoldPlan, FoldPlanError, FoldTask, Leaves, PlanRules, PlannedLeaf,
    TaskInput, TaskKind,
};
use crate::plan::{MAX_LEAVES, Name};

type Result<T, E = FoldPlanError> = std::result::Result<T, E>;

/// A rule that is about to be run on paper.
#[derive(Debug)]
pub struct Applied<'a> {
    /// Name of the rule.
    pub rule: &'a str,
    /// What its children say.
    pub children: &'a [PaperChild],
    /// The leaves below each of its children.
    pub leaves: &'a [Range<usize>],
    /// The hints of those children that are leaves, one after the other; of the first rule of a
    /// fold without leaves, the hints that were given for it.
    pub hints: &'a Tape,
}

/// Hints of the function of a rule.
type Hints<'a> = &'a mut dyn FnMut(&Applied<'_>) -> Result<Tape, String>;

/// A result in the plan, which is an input of others.
#[derive(Clone)]
struct Made {
    input: TaskInput,
    name: Name,
    /// The leaves below it.
    leaves: Range<usize>,
    /// What it says; `None` if it failed on paper.
    says: Option<PaperChild>,
    /// Of a leaf, its wraps and its hints.
    leaf: Option<(Vec<KeyDigest>, Tape)>,
}

/// A rule, and what it is applied to.
struct Job<'a> {
    rule: Rule<'a>,
    children: Vec<Made>,
    /// Hints beside those of the children.
    hints: Tape,
}

/// Plans the fold of these leaves.
pub(super) fn plan(
    fold: &Fold,
    leaves: &[PlannedLeaf],
    with: &PlanRules,
    hints: Hints<'_>,
) -> Result<FoldPlan> {
    if leaves.len() > MAX_LEAVES {
        return Err(FoldPlanError::Leaves(leaves.len()));
    }
    let paper = fold.paper();
    paper.compile()?;
    let rules = all(paper.rules());
    let mut draft = Draft {
        fold,
        paper,
        hints,
        tasks: vec![],
        known: HashMap::new(),
        keys: fold.rules().map(|rule| (rule.name, rule.key)).collect(),
        failed: vec![],
    };
    let root = draft.root(leaves, with, &rules)?;
    if !draft.failed.is_empty() {
        return Err(FoldPlanError::Failing(draft.failed));
    }
    match root.input {
        TaskInput::Task(root) => Ok(FoldPlan {
            tasks: draft.tasks,
            root,
        }),
        TaskInput::Leaf(_) => Err(FoldPlanError::Nothing),
    }
}

struct Draft<'a> {
    fold: &'a Fold,
    paper: &'a Paper,
    hints: Hints<'a>,
    tasks: Vec<FoldTask>,
    /// Tasks by their names: what is done twice is done once.
    known: HashMap<Name, usize>,
    /// Keys of the rules' programs.
    keys: HashMap<String, KeyDigest>,
    failed: Vec<FailedRule>,
}

impl Draft<'_> {
    /// Plans everything, and returns the result.
    fn root<'b>(
        &mut self,
        leaves: &[PlannedLeaf],
        with: &PlanRules,
        rules: &[Rule<'b>],
    ) -> Result<Made> {
        if let Some((rule, _)) = &with.repeat
            && !leaves.is_empty()
        {
            return Err(FoldPlanError::Repeat(rule.clone()));
        }
        let kinds: Vec<usize> = leaves.iter().map(|leaf| leaf.kind).collect();
        let find = |name: &Option<String>, role| {
            let rule = |name: &String| self.named(rules, name, role);
            name.as_ref().map(rule).transpose()
        };
        let start = find(&with.start, Role::Start)?;
        let (merge, append) = (
            find(&with.merge, Role::Merge)?,
            find(&with.append, Role::Append)?,
        );
        let of_leaves = match with.leaf.as_slice() {
            [] => with_role(rules, Role::Leaf)?,
            names => {
                let found = names.iter().map(|name| self.named(rules, name, Role::Leaf));
                found.collect::<Result<_>>()?
            }
        };
        if leaves.is_empty() {
            return self.repeated(with, start, rules);
        }
        let leaves = self.leaves(leaves)?;
        let merges = match merge {
            Some(rule) => vec![rule],
            None if append.is_some() => vec![],
            None => with_role(rules, Role::Merge)?,
        };
        let appends = match append {
            Some(rule) => vec![rule],
            None if !merges.is_empty() => vec![],
            None => with_role(rules, Role::Append)?,
        };
        if !appends.is_empty() {
            let start = match start {
                Some(start) => Some(start),
                None => only(rules, Role::Start)?,
            };
            let chain = chain(&kinds, &of_leaves, &appends, start);
            let chain = chain.ok_or_else(|| order(&kinds, "a chain"))?;
            return self.chained(chain, leaves, with);
        }
        let groups = cover(&kinds, &of_leaves);
        let groups = groups.ok_or_else(|| order(&kinds, "rules that take leaves only"))?;
        let arities = merges.iter().map(|rule| (rule.slots.len(), *rule));
        self.merged(leaves, &groups, &arities.collect())
    }

    fn named<'b>(&self, rules: &[Rule<'b>], name: &str, role: Role) -> Result<Rule<'b>> {
        let none = || FoldPlanError::Fold(self.paper.rules().no_rule(name));
        named(rules, name, role, none)
    }

    /// A fold without leaves: a rule that takes nothing, and one that is repeated.
    fn repeated(
        &mut self,
        with: &PlanRules,
        start: Option<Rule<'_>>,
        rules: &[Rule<'_>],
    ) -> Result<Made> {
        let (name, times) = with.repeat.as_ref().ok_or(FoldPlanError::Nothing)?;
        let rule = self.named(rules, name, Role::Repeat)?;
        let start = match start {
            Some(start) => start,
            None => only(rules, Role::Start)?.ok_or_else(|| missing(Role::Start, "starts it"))?,
        };
        // The start is a proof, too.
        if *times >= MAX_COUNT {
            return Err(FoldError::Counter(u64::from(*times) + 1).into());
        }
        let mut made = self.one(start, vec![], with.start_hints.clone())?;
        for _ in 0..*times {
            made = self.one(rule, vec![made], Tape::default())?;
        }
        Ok(made)
    }

    /// One node after the other.
    fn chained(
        &mut self,
        chain: Vec<Rule<'_>>,
        leaves: Vec<Made>,
        with: &PlanRules,
    ) -> Result<Made> {
        let mut leaves = leaves.into_iter();
        let mut last: Option<Made> = None;
        for rule in chain {
            let mut before = last.take();
            let children = rule.slots.iter().filter_map(|slot| match slot {
                Slot::Node => before.take(),
                _ => leaves.next(),
            });
            let children = children.collect();
            let hints = if rule.slots.is_empty() {
                with.start_hints.clone()
            } else {
                Tape::default()
            };
            last = Some(self.one(rule, children, hints)?);
        }
        last.ok_or(FoldPlanError::Nothing)
    }

    /// Nodes of leaves, and nodes of nodes, level by level.
    fn merged(
        &mut self,
        leaves: Vec<Made>,
        groups: &[Rule<'_>],
        merges: &BTreeMap<usize, Rule<'_>>,
    ) -> Result<Made> {
        let mut rest = leaves.into_iter();
        let jobs = groups.iter().map(|&rule| Job {
            rule,
            children: rest.by_ref().take(rule.slots.len()).collect(),
            hints: Tape::default(),
        });
        let jobs = jobs.collect();
        let mut nodes = self.apply(jobs)?;
        while nodes.len() > 1 {
            let what = format!("merges {} nodes", nodes.len());
            let groups = level(nodes.len(), merges);
            let groups = groups.ok_or_else(|| missing(Role::Merge, &what))?;
            let (mut rest, mut jobs, mut carried) = (nodes.into_iter(), vec![], vec![]);
            for group in &groups {
                let children: Vec<Made> = rest.by_ref().take(*group).collect();
                match merges.get(group) {
                    Some(&rule) => jobs.push(Job {
                        rule,
                        children,
                        hints: Tape::default(),
                    }),
                    // A level has those at its end.
                    None => carried.extend(children),
                }
            }
            nodes = self.apply(jobs)?;
            nodes.extend(carried);
        }
        nodes.pop().ok_or(FoldPlanError::Nothing)
    }

    fn one(&mut self, rule: Rule<'_>, children: Vec<Made>, hints: Tape) -> Result<Made> {
        let job = Job {
            rule,
            children,
            hints,
        };
        let made = self.apply(vec![job])?.pop();
        made.ok_or(FoldPlanError::Nothing)
    }

    /// The leaves, with the tasks that wrap them.
    fn leaves(&mut self, leaves: &[PlannedLeaf]) -> Result<Vec<Made>> {
        let mut made = vec![];
        for (index, leaf) in leaves.iter().enumerate() {
            let statement = leaf.statement;
            let (input, name) = if leaf.is_wrapped {
                (TaskInput::Leaf(index), leaf.name)
            } else {
                let name = Name::of_task(&("fold 1 wrap", leaf.name, &leaf.path));
                let name = name.ok_or(FoldPlanError::Name)?;
                let task = self.add(FoldTask {
                    name,
                    kind: TaskKind::Wrap { leaf: index },
                    inputs: vec![TaskInput::Leaf(index)],
                    hints: Tape::default(),
                    says: Expected::Leaf { statement },
                });
                (task, name)
            };
            made.push(Made {
                input,
                name,
                leaves: index..index + 1,
                says: Some(PaperChild::Leaf { statement }),
                leaf: Some((leaf.path.clone(), leaf.hints.clone())),
            });
        }
        Ok(made)
    }

    fn add(&mut self, task: FoldTask) -> TaskInput {
        let next = self.tasks.len();
        let index = *self.known.entry(task.name).or_insert(next);
        if index == next {
            self.tasks.push(task);
        }
        TaskInput::Task(index)
    }

    /// Runs rules on paper, several at a time, and adds their tasks.
    fn apply(&mut self, jobs: Vec<Job<'_>>) -> Result<Vec<Made>> {
        let mut ready = vec![];
        for job in &jobs {
            ready.push(self.ready(job)?);
        }
        let paper = self.paper;
        let run = |ready: &Option<Ready>| {
            let ready = ready.as_ref()?;
            let run = paper.run(&ready.instance, &ready.children, &ready.hints);
            Some(run.map(|run| (run.counters, run.state)))
        };
        let runs: Vec<_> = ready.par_iter().map(run).collect();
        let mut made = vec![];
        for ((job, ready), run) in jobs.into_iter().zip(ready).zip(runs) {
            let leaves = below(&job.children);
            // A result that was not tried, because what it takes failed, has no name.
            let mut result = Made {
                input: TaskInput::Task(usize::MAX),
                name: Name::of_leaf(&[]),
                leaves: leaves.clone(),
                says: None,
                leaf: None,
            };
            match ready.zip(run) {
                None => {}
                Some((ready, Ok((counters, state)))) => {
                    let names: Vec<Name> = job.children.iter().map(|child| child.name).collect();
                    let key = self.keys.get(&ready.instance);
                    let of = ("fold 1", self.fold.key(), key, names, &ready.hints);
                    result.name = Name::of_task(&of).ok_or(FoldPlanError::Name)?;
                    result.input = self.add(FoldTask {
                        name: result.name,
                        kind: TaskKind::Rule(ready.instance),
                        inputs: job.children.iter().map(|child| child.input).collect(),
                        hints: ready.hints,
                        says: Expected::State {
                            counters,
                            state: state.clone(),
                        },
                    });
                    result.says = Some(PaperChild::Node { counters, state });
                }
                Some((ready, Err(source))) => {
                    let reason = match &source {
                        FoldError::Run { reason, .. } => reason.clone(),
                        FoldError::Counter(_) => source.to_string(),
                        _ => return Err(source.into()),
                    };
                    self.failed.push(FailedRule {
                        rule: ready.instance,
                        on: Leaves(leaves),
                        reason,
                        source,
                    });
                }
            }
            made.push(result);
        }
        Ok(made)
    }

    /// What a rule is run with; `None` if one of its children failed.
    fn ready(&mut self, job: &Job<'_>) -> Result<Option<Ready>> {
        let says = job.children.iter().map(|child| child.says.clone());
        let Some(children) = says.collect::<Option<Vec<PaperChild>>>() else {
            return Ok(None);
        };
        let mut hints = job.hints.clone();
        let of_leaves = job.children.iter().filter_map(|child| child.leaf.as_ref());
        for (_, of_leaf) in of_leaves {
            hints.items.extend(of_leaf.items.iter().cloned());
        }
        let leaves: Vec<Range<usize>> = job
            .children
            .iter()
            .map(|child| child.leaves.clone())
            .collect();
        let applied = Applied {
            rule: job.rule.name,
            children: &children,
            leaves: &leaves,
            hints: &hints,
        };
        let hints = (self.hints)(&applied).map_err(|reason| FoldPlanError::Hints {
            rule: job.rule.name.to_owned(),
            on: Leaves(below(&job.children)),
            reason,
        })?;
        Ok(Some(Ready {
            instance: self.instance(job)?,
            children,
            hints,
        }))
    }

    /// The program of a rule that takes its leaves through their paths.
    fn instance(&self, job: &Job<'_>) -> Result<String> {
        let rules = self.paper.rules();
        let is_of_rule = |name: &str| name.split('#').next() == Some(job.rule.name);
        let takes = |index: &usize| {
            let mut children = job.children.iter().enumerate();
            children.all(|(slot, child)| match &child.leaf {
                Some((path, _)) => rules.path(*index, slot) == path.as_slice(),
                None => true,
            })
        };
        let mut instances = (0..rules.count()).filter(|index| is_of_rule(rules.name(*index)));
        let found = instances.find(takes);
        // Every path of a leaf is one of the fold's.
        let found = found.ok_or_else(|| rules.no_rule(job.rule.name))?;
        Ok(rules.name(found).to_owned())
    }
}

/// What a rule is run with on paper.
struct Ready {
    instance: String,
    children: Vec<PaperChild>,
    hints: Tape,
}

/// The leaves below some results that follow each other.
fn below(children: &[Made]) -> Range<usize> {
    let first = children.first().map_or(0, |child| child.leaves.start);
    let end = children.iter().map(|child| child.leaves.end).max();
    first..end.unwrap_or(first)
}

/// The rules of a chain over leaves of these kinds: the first makes a node of leaves or of nothing,
/// all others take a node and leaves.
fn chain<'a>(
    kinds: &[usize],
    of_leaves: &[Rule<'a>],
    appends: &[Rule<'a>],
    start: Option<Rule<'a>>,
) -> Option<Vec<Rule<'a>>> {
    let mut first: Vec<(Rule<'a>, usize)> = of_leaves
        .iter()
        .filter(|rule| kinds.starts_with(&rule.kinds()))
        .map(|rule| (*rule, rule.slots.len()))
        .collect();
    first.sort_by_key(|(_, leaves)| std::cmp::Reverse(*leaves));
    first.extend(start.map(|start| (start, 0)));
    first.into_iter().find_map(|(rule, leaves)| {
        let rest = cover(kinds.get(leaves..)?, appends)?;
        Some([slice::from_ref(&rule), rest.as_slice()].concat())
    })
}

/// That leaves of these kinds do not fit.
fn order(kinds: &[usize], what: &str) -> FoldPlanError {
    let mut kinds = kinds.to_vec();
    let count = kinds.len();
    kinds.sort_unstable();
    kinds.dedup();
    let kinds: Vec<String> = kinds.iter().map(|kind| format!("Leaf<{kind}>")).collect();
    FoldPlanError::Order(format!(
        "there are {count} of {}, and {what} would have to take all of them",
        kinds.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn rule(name: &'static str, slots: &'static [Slot]) -> Rule<'static> {
        Rule { name, slots }
    }

    #[test]
    fn chains_begin_with_leaves_or_with_nothing() {
        let block = rule("block", &[Slot::Leaf(0)]);
        let pair = rule("pair", &[Slot::Leaf(0), Slot::Leaf(0)]);
        let append = rule("append", &[Slot::Node, Slot::Leaf(0)]);
        let two = rule("two", &[Slot::Node, Slot::Leaf(0), Slot::Leaf(0)]);
        let start = rule("start", &[]);
        let names = |kinds: &[usize], first: &[Rule<'static>], more: &[Rule<'static>], start| {
            let chain = chain(kinds, first, more, start)?;
            Some(chain.iter().map(|rule| rule.name).collect::<Vec<_>>())
        };
        let (first, more) = ([block, pair], [append, two]);
        assert_eq!(
            names(&[0; 5], &first, &[append], None),
            Some(vec!["pair", "append", "append", "append"])
        );
        assert_eq!(
            names(&[0; 3], &first, &[two], None),
            Some(vec!["block", "two"])
        );
        assert_eq!(
            names(&[0; 3], &[], &more, Some(start)),
            Some(vec!["start", "two", "append"])
        );
        assert_eq!(names(&[0; 3], &[], &more, None), None);
        assert_eq!(names(&[0, 1], &first, &more, Some(start)), None);
        let words = order(&[0, 1, 0], "a chain").to_string();
        assert!(words.contains("there are 3 of Leaf<0>, Leaf<1>"), "{words}");
    }
}
