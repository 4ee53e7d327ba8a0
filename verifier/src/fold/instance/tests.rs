use std::collections::BTreeSet;

use super::*;

fn rule(name: &str, slots: &[Slot]) -> RuleSignature {
    RuleSignature {
        name: name.to_owned(),
        slots: slots.to_vec(),
    }
}

fn key(number: u32) -> KeyDigest {
    KeyDigest([F::from_u32(number); 8])
}

fn leaf(paths: u32) -> LeafText {
    LeafText {
        paths: (0..paths).map(|path| vec![key(path), key(100)]).collect(),
        inner: true,
    }
}

/// Names, and the last wraps of their leaves.
fn names(instances: &[Instance]) -> Vec<(&str, Vec<KeyDigest>)> {
    let wrap = |slot: &Taken| match slot {
        Taken::Leaf { path, .. } => path.first().copied(),
        Taken::Node | Taken::Foreign { .. } => None,
    };
    let name = |it: &Instance| it.slots.iter().filter_map(wrap).collect();
    instances
        .iter()
        .map(|it| (it.name.as_str(), name(it)))
        .collect()
}

#[test]
fn rules_have_a_program_for_each_choice_of_paths() {
    let rules = [
        rule("merge", &[Slot::Node, Slot::Node]),
        rule("pair", &[Slot::Leaf(0), Slot::Leaf(1)]),
    ];
    let made = instances(&rules, &[leaf(2), leaf(2)], &[]).unwrap();
    let pair = |name, first, second| (name, vec![key(first), key(second)]);
    let expected = [
        ("merge", vec![]),
        pair("pair", 0, 0),
        pair("pair#1", 0, 1),
        pair("pair#2", 1, 0),
        pair("pair#3", 1, 1),
    ];
    assert_eq!(names(&made), expected);
    let numbers: Vec<usize> = made.iter().map(|it| it.number).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
    let behind: Vec<usize> = made[1].slots.iter().map(Taken::behind).collect();
    assert_eq!(behind, [2, 2]);
}

#[test]
fn there_are_few_programs() {
    let many = |slots: usize, paths: u32| {
        let rules = [rule("all", &vec![Slot::Leaf(0); slots])];
        match instances(&rules, &[leaf(paths)], &[]) {
            Ok(made) => Ok(made.len()),
            Err(FoldError::Rules(count)) => Err(count),
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(many(3, 2), Ok(8));
    assert_eq!(many(4, 2), Err(16));
    assert_eq!(many(16, 4), Err(1 << 32));
    assert_eq!(many(1, 0), Err(0));
}

#[test]
fn rules_on_paper_have_placeholders() {
    let rules = [rule("f", &[Slot::Leaf(2)]), rule("g", &[Slot::Node])];
    let leaves = placeholders(&rules);
    assert_eq!(leaves.len(), 3);
    let keys: BTreeSet<KeyDigest> = leaves.iter().flat_map(|it| it.paths.concat()).collect();
    assert_eq!(keys.len(), 6);
    assert!(placeholders(&[rule("g", &[Slot::Node])]).is_empty());
}
