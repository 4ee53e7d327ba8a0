//! Renames what a program declares, without changing what the program means.
//!
//! Names are replaced in the text. What is renamed together is a name of an item, method or field
//! wherever it stands, or a variable or generic parameter within its function or item. Names that
//! also mean something outside of the program are kept.

mod names;
pub mod same;
mod scopes;

use std::collections::{BTreeMap, BTreeSet};

use super::random::Random;
use names::{Edit, FUNCTIONS, Key, Names, TYPES};

/// Which names take the place of those of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Names that nothing else has.
    Fresh,
    /// Names that something else in the program or the prelude has, wherever Rust allows it.
    Colliding,
}

/// Returns the program with other names, and how many of its names are others. Returns `None` for a
/// program that has something in it whose names are not understood.
///
/// Names in `outside` are not changed: those of the library files that the program imports.
pub fn rename(
    source: &str,
    outside: &BTreeSet<&str>,
    naming: Naming,
    random: &mut Random,
) -> Option<(String, usize)> {
    let names = scopes::names(source, outside)?;
    let chosen = match naming {
        Naming::Fresh => fresh(&names, random),
        Naming::Colliding => colliding(&names, outside, random),
    };
    let changed = chosen.iter().filter(|(key, name)| key.name() != **name);
    let changed = changed.count();
    Some((apply(source, &names, &chosen), changed))
}

/// Returns the identifiers in a text.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

type Chosen<'a> = BTreeMap<&'a Key, String>;

fn apply(source: &str, names: &Names, chosen: &Chosen<'_>) -> String {
    let name = |key: &Key| {
        chosen
            .get(key)
            .cloned()
            .unwrap_or_else(|| key.name().to_owned())
    };
    let mut text = String::with_capacity(source.len() * 2);
    let mut done = 0;
    for edit in &names.edits {
        text.push_str(&source[done..edit.start()]);
        done = edit.start();
        match edit {
            Edit::Field(_, field) => text.push_str(&format!("{}: ", name(field))),
            Edit::Name(range, key) => {
                text.push_str(&name(key));
                done = range.end;
            }
        }
    }
    text.push_str(&source[done..]);
    text
}

/// Whether the program may call it otherwise.
fn can_change(names: &Names, key: &Key) -> bool {
    !names.groups[key].fixed && !matches!(key, Key::Outside(_))
}

fn fresh<'a>(names: &'a Names, random: &mut Random) -> Chosen<'a> {
    let keys: Vec<_> = names
        .groups
        .keys()
        .filter(|key| can_change(names, key))
        .collect();
    // In another order than that of the names which they replace.
    let order = random.order(keys.len());
    let name = |number: usize| match number % 3 {
        0 => format!("q{number}"),
        1 => format!("Q{number}"),
        _ => format!("z_{number}"),
    };
    keys.into_iter().zip(order.into_iter().map(name)).collect()
}

/// How many names are tried for each that is changed.
const TRIES: usize = 12;

fn colliding<'a>(names: &'a Names, outside: &BTreeSet<&str>, random: &mut Random) -> Chosen<'a> {
    let keys: Vec<_> = names.groups.keys().collect();
    let is_item = |key: &&Key| {
        let kinds = names.groups[*key].kinds;
        kinds.type_item || kinds.value_item
    };
    let items = keys.iter().filter(|key| is_item(key));
    let items: Vec<&str> = items.map(|key| key.name()).collect();
    let all: Vec<&str> = keys.iter().map(|key| key.name()).collect();
    // Droste refuses types that are named as a function or a constant.
    let items_alike = random.chance(5);
    let mut chosen: Chosen<'a> = keys
        .iter()
        .map(|key| (*key, key.name().to_owned()))
        .collect();
    for place in random.order(keys.len()) {
        let key = keys[place];
        if !can_change(names, key) || random.chance(15) {
            continue;
        }
        let apart = !items_alike && is_item(&key);
        for _ in 0..TRIES {
            let name = match random.below(10) {
                0..=4 if !items.is_empty() => random.pick(&items),
                0..=7 => random.pick(&all),
                8 => random.pick(FUNCTIONS),
                _ => random.pick(TYPES),
            };
            let global = matches!(key, Key::Global(_));
            let of_item = |(other, has): (&&Key, &String)| is_item(other) && *has == name;
            let taken = global && (outside.contains(name) || (apart && chosen.iter().any(of_item)));
            if name != key.name() && !taken && fits(names, &chosen, key, name) {
                chosen.insert(key, name.to_owned());
                break;
            }
        }
    }
    chosen
}

/// Whether everything that has this name at present may share it.
fn fits(names: &Names, chosen: &Chosen<'_>, key: &Key, name: &str) -> bool {
    let group = &names.groups[key];
    let mut others = chosen
        .iter()
        .filter(|(other, has)| **other != key && *has == name);
    let outside = Key::Outside(name.to_owned());
    let unused = names::is_outside(name) && !names.groups.contains_key(&outside);
    let empty = names::Group::default();
    (!unused || names.may_share((key, group), (&outside, &empty)))
        && others.all(|(other, _)| names.may_share((key, group), (other, &names.groups[*other])))
}
