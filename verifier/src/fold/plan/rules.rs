//! Which rules a plan uses, by what they take.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::compiled::Rules;
use super::super::source::Slot;
use super::{FoldPlanError, words};

/// What a rule is to a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Takes nothing.
    Start,
    /// Takes a node.
    Repeat,
    /// Takes nodes, two or more.
    Merge,
    /// Takes leaves.
    Leaf,
    /// Takes a node and leaves.
    Append,
    /// Takes something else, so no plan uses it.
    Other,
}

impl Role {
    fn of(slots: &[Slot]) -> Self {
        let nodes = slots.iter().filter(|slot| **slot == Slot::Node).count();
        let leaves = slots.iter().filter(|slot| matches!(slot, Slot::Leaf(_)));
        match (nodes, leaves.count()) {
            (nodes, leaves) if nodes + leaves < slots.len() => Self::Other,
            (0, 0) => Self::Start,
            (1, 0) => Self::Repeat,
            (_, 0) => Self::Merge,
            (0, _) => Self::Leaf,
            (1, _) => Self::Append,
            _ => Self::Other,
        }
    }

    const fn takes(self) -> &'static str {
        match self {
            Self::Start => "nothing",
            Self::Repeat => "a node",
            Self::Merge => "nodes, two or more",
            Self::Leaf => "leaves",
            Self::Append => "a node and leaves",
            Self::Other => "anything",
        }
    }

    const fn option(self) -> &'static str {
        match self {
            Self::Start => "--start",
            Self::Repeat => "--repeat",
            Self::Merge => "--merge",
            Self::Leaf => "--leaf-rule",
            Self::Append | Self::Other => "--append",
        }
    }
}

/// A rule, by its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule<'a> {
    pub name: &'a str,
    pub slots: &'a [Slot],
}

impl Rule<'_> {
    /// The kinds of its leaves, in order.
    pub fn kinds(&self) -> Vec<usize> {
        let kinds = self.slots.iter().filter_map(|slot| match slot {
            Slot::Leaf(kind) => Some(*kind),
            Slot::Node | Slot::Foreign(_) => None,
        });
        kinds.collect()
    }
}

/// All rules of a fold, each once.
pub(super) fn all(rules: &Rules) -> Vec<Rule<'_>> {
    let instances = (0..rules.count()).map(|index| (rules.name(index), rules.slots(index)));
    // Further instances of a rule have other names, and take the same.
    let first = instances.filter(|(name, _)| !name.contains('#'));
    first.map(|(name, slots)| Rule { name, slots }).collect()
}

/// The rule of this name, which must have a role.
pub(super) fn named<'a>(
    rules: &[Rule<'a>],
    name: &str,
    role: Role,
    missing: impl FnOnce() -> FoldPlanError,
) -> Result<Rule<'a>, FoldPlanError> {
    let rule = rules.iter().find(|rule| rule.name == name);
    let rule = *rule.ok_or_else(missing)?;
    if Role::of(rule.slots) == role {
        Ok(rule)
    } else {
        Err(FoldPlanError::Role {
            rule: name.to_owned(),
            found: words(rule.slots),
            expected: role.takes(),
        })
    }
}

/// The rules that have a role. No two may take the same.
pub(super) fn with_role<'a>(
    rules: &[Rule<'a>],
    role: Role,
) -> Result<Vec<Rule<'a>>, FoldPlanError> {
    let mut found: Vec<Rule<'a>> = vec![];
    for rule in rules.iter().filter(|rule| Role::of(rule.slots) == role) {
        if let Some(same) = found.iter().find(|other| other.slots == rule.slots) {
            return Err(FoldPlanError::Ambiguous {
                rules: format!("`{}` and `{}`", same.name, rule.name),
                option: role.option(),
            });
        }
        found.push(*rule);
    }
    Ok(found)
}

/// The only rule that has a role, if there is one.
pub(super) fn only<'a>(rules: &[Rule<'a>], role: Role) -> Result<Option<Rule<'a>>, FoldPlanError> {
    Ok(with_role(rules, role)?.first().copied())
}

/// That no rule has a role.
pub(super) fn missing(role: Role, what: &str) -> FoldPlanError {
    FoldPlanError::Missing {
        what: what.to_owned(),
        expected: role.takes(),
    }
}

/// The rules that take leaves of these kinds, one after the other: the largest first, as far as
/// others take the rest. `None` if no rules take all of them.
pub(super) fn cover<'a>(kinds: &[usize], rules: &[Rule<'a>]) -> Option<Vec<Rule<'a>>> {
    let mut rules: Vec<(Rule<'a>, Vec<usize>)> =
        rules.iter().map(|rule| (*rule, rule.kinds())).collect();
    // It is stable: of equally large ones, the first of the file is taken.
    rules.sort_by_key(|(_, kinds)| Reverse(kinds.len()));
    // For each place the rule to use there, and how many leaves it takes, if the rest can be taken.
    let mut best: Vec<Option<(Rule<'a>, usize)>> = vec![None; kinds.len()];
    let mut is_taken = vec![false; kinds.len() + 1];
    if let Some(end) = is_taken.last_mut() {
        *end = true;
    }
    for at in (0..kinds.len()).rev() {
        let rest = kinds.get(at..).unwrap_or_default();
        let fits = |(_, of): &&(Rule<'a>, Vec<usize>)| {
            rest.starts_with(of) && is_taken.get(at + of.len()) == Some(&true)
        };
        let found = rules.iter().find(fits);
        let found = found.map(|(rule, of)| (*rule, of.len()));
        if let (Some(best), Some(is_taken)) = (best.get_mut(at), is_taken.get_mut(at)) {
            (*best, *is_taken) = (found, found.is_some());
        }
    }
    let (mut at, mut chosen) = (0, vec![]);
    while at < kinds.len() {
        let (rule, length) = best.get(at).copied().flatten()?;
        chosen.push(rule);
        at += length;
    }
    Some(chosen)
}

/// The numbers of nodes that are merged at one level over `width` nodes, by rules that take these
/// numbers; a node by itself is carried to the next level. `None` if nothing is merged.
pub(super) fn level(width: usize, merges: &BTreeMap<usize, Rule<'_>>) -> Option<Vec<usize>> {
    let (&most, _) = merges.last_key_value()?;
    let mut groups = vec![most; width / most.max(1)];
    let mut rest = width % most.max(1);
    while rest > 0 {
        let largest = merges.range(..=rest).next_back();
        let group = largest.map_or(1, |(&arity, _)| arity.max(1));
        groups.push(group);
        rest -= group;
    }
    (groups.len() < width).then_some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: Slot = Slot::Node;
    const RULES: [Rule<'static>; 8] = [
        rule("merge", &[NODE, NODE]),
        rule("block", &[Slot::Leaf(0)]),
        rule("pair", &[Slot::Leaf(0), Slot::Leaf(0)]),
        rule("mixed", &[Slot::Leaf(0), Slot::Leaf(1), Slot::Leaf(0)]),
        rule("append", &[NODE, Slot::Leaf(0)]),
        rule("start", &[]),
        rule("step", &[NODE]),
        rule("import", &[Slot::Foreign(0)]),
    ];

    const fn rule(name: &'static str, slots: &'static [Slot]) -> Rule<'static> {
        Rule { name, slots }
    }

    #[test]
    fn rules_have_roles_by_what_they_take() {
        let roles = RULES.map(|rule| Role::of(rule.slots));
        let expected = [
            Role::Merge,
            Role::Leaf,
            Role::Leaf,
            Role::Leaf,
            Role::Append,
            Role::Start,
            Role::Repeat,
            Role::Other,
        ];
        assert_eq!(roles, expected);
        let names = |role| -> Vec<&str> {
            let found = with_role(&RULES, role).unwrap();
            found.iter().map(|rule| rule.name).collect()
        };
        assert_eq!(names(Role::Leaf), ["block", "pair", "mixed"]);
        let find = |name: &str, role| {
            let none = || missing(role, "of this name");
            let found = named(&RULES, name, role, none);
            found
                .map(|rule| rule.name)
                .map_err(|error| error.to_string())
        };
        assert_eq!(find("append", Role::Append), Ok("append"));
        let words = find("append", Role::Merge).unwrap_err();
        assert_eq!(
            words,
            "the rule `append` takes (node, leaf 0), expected nodes, two or more"
        );
        assert!(
            find("none", Role::Merge)
                .unwrap_err()
                .contains("of this name")
        );
        let twice = [RULES[0], rule("unite", &[NODE, NODE])];
        let words = with_role(&twice, Role::Merge).unwrap_err().to_string();
        assert_eq!(
            words,
            "the rules `merge` and `unite` take the same: name one with --merge"
        );
    }

    #[test]
    fn leaves_are_taken_by_the_largest_rules_that_leave_no_rest() {
        let names = |kinds: &[usize], rules: &[Rule<'static>]| {
            let rules = cover(kinds, rules)?;
            Some(rules.iter().map(|rule| rule.name).collect::<Vec<_>>())
        };
        let of_leaves = &RULES[1..4];
        assert_eq!(names(&[], of_leaves), Some(vec![]));
        assert_eq!(
            names(&[0; 5], of_leaves),
            Some(vec!["pair", "pair", "block"])
        );
        assert_eq!(
            names(&[0, 0, 1, 0], of_leaves),
            Some(vec!["block", "mixed"])
        );
        assert_eq!(names(&[1], of_leaves), None);
        assert_eq!(names(&[0; 3], &RULES[2..3]), None);
        assert_eq!(names(&[0; 4], &RULES[2..3]), Some(vec!["pair", "pair"]));
    }

    #[test]
    fn levels_merge_as_many_as_there_are() {
        let merges = |arities: &[usize]| -> BTreeMap<usize, Rule<'static>> {
            arities.iter().map(|&arity| (arity, RULES[0])).collect()
        };
        assert_eq!(level(5, &merges(&[2])), Some(vec![2, 2, 1]));
        assert_eq!(level(2, &merges(&[2])), Some(vec![2]));
        assert_eq!(level(1, &merges(&[2])), None);
        assert_eq!(level(8, &merges(&[2, 3])), Some(vec![3, 3, 2]));
        assert_eq!(level(4, &merges(&[3])), Some(vec![3, 1]));
        assert_eq!(level(2, &merges(&[3])), None);
        assert_eq!(level(3, &merges(&[])), None);
    }
}
