use std::iter::zip;

use serde::Deserialize;

use super::*;
use crate::F;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Choice {
    None,
    Of { flag: bool },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Example {
    rounds: Vec<(F, Vec<u32>)>,
    digest: [u8; 32],
    limit: Option<u64>,
    choices: [Choice; 2],
    name: String,
}

fn changes() -> Changes<Example> {
    let example = Example {
        rounds: vec![(F::new(5), vec![7, 70_000]), (F::new(0), vec![])],
        digest: [0xab; 32],
        limit: Some(251),
        choices: [Choice::Of { flag: true }, Choice::None],
        name: "example".into(),
    };
    Changes::new(&example).unwrap()
}

fn names(places: Vec<Place<'_>>) -> Vec<String> {
    places.into_iter().map(|place| place.name).collect()
}

#[test]
fn places_have_names_and_kinds() {
    let changes = changes();
    assert_eq!(
        names(changes.lists()),
        ["rounds", "rounds[0][1]", "rounds[1][1]"]
    );
    let numbers = [
        "rounds[0][0]",
        "rounds[0][1][0]",
        "rounds[0][1][1]",
        "rounds[1][0]",
        "digest",
        "limit.some",
        "choices[0].variant.flag",
    ];
    assert_eq!(names(changes.numbers()), numbers);
    let kinds: Vec<_> = by_kind(changes.numbers()).into_keys().collect();
    let expected = [
        "choices.*.variant.flag",
        "digest",
        "limit.some",
        "rounds.*.*",
        "rounds.*.*.*",
    ];
    assert_eq!(kinds, expected);
    let chosen = changes.places(|place| place.kind.is_empty() || place.kind == "limit");
    assert_eq!(names(chosen), ["", "limit"]);
    assert_eq!(sample(changes.numbers(), 3).count(), 3);
}

#[test]
fn one_number_is_changed() {
    let changes = changes();
    for place in changes.numbers() {
        let edits: [fn(&mut Node); 3] = [
            Node::decrement,
            |node| node.flip(0),
            |node| {
                // What encodes to more bytes moves all that comes after it.
                if let Node::Number(number, Width::Four | Width::Eight) = node {
                    *number = u64::from(u32::MAX);
                }
                node.flip(1);
            },
        ];
        for edit in edits {
            // A truth value has one bit.
            let Some(changed) = changes.with(&place, edit) else {
                assert_eq!(place.kind, "choices.*.variant.flag");
                continue;
            };
            let changed = Changes::new(&changed).unwrap();
            let numbers = zip(changes.numbers(), changed.numbers());
            let other = numbers.filter(|(one, other)| one.node != other.node);
            let other: Vec<_> = other.map(|(one, _)| one.name).collect();
            assert_eq!(other, [place.name.as_str()]);
        }
    }
}

#[test]
fn lists_are_changed() {
    let changes = changes();
    let lists = changes.lists();
    let lengths = |list: usize| LENGTHS.map(|edit| changes.with_list(&lists[list], edit));
    let count = |example: Option<Example>| example.map(|example| example.rounds.len());
    assert_eq!(lengths(0).map(count), [Some(3), Some(1), Some(0)]);
    // No other element is known, and none can be taken away.
    assert_eq!(lengths(2), [None, None, None]);
    assert_eq!(changes.with_list(&lists[1], |_| {}), None);
    let reversed = changes.with_list(&lists[1], |list| list.reverse());
    assert_eq!(reversed.unwrap().rounds[0].1, [70_000, 7]);
    assert!(
        changes
            .with(&lists[0], |node| *node = Node::Raw(vec![9]))
            .is_none()
    );
}
