//! The compiler's lists of what the standard library has, compared with a list that is saved of
//! the pinned rustc, and that list with the documentation that comes with rustc. Where the pin
//! changes, `DROSTE_STANDARD=write cargo test -p droste-lang --test language standard` saves the
//! new one, and shows what the compiler must learn.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use droste_lang::compiler::standard_names;

/// Traits of the prelude that no type of a program, of the prelude of `droste_gadgets`, or reference
/// to one can have, or that have no methods: the compiler refuses to implement them.
const OF_NO_PROGRAM: &[&str] = &[
    "AsMut",
    "AsRef",
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "Copy",
    "DoubleEndedIterator",
    "Drop",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "IntoIterator",
    "Send",
    "Sized",
    "Sync",
    "Unpin",
];

/// Functions that the documentation does not show.
const HIDDEN: &[&str] = &["assert_receiver_is_total_eq", "assert_fields_are_eq"];

/// Traits that the preludes of the editions add to that of all: of those, a program's types have
/// only these.
const OF_EDITIONS: &[&str] = &["TryFrom", "TryInto"];

/// The saved list: the version of rustc, then a trait in each line, with its functions.
const SAVED: &str = "tests/language/standard.txt";

/// Names of functions by trait.
type Names = BTreeMap<String, BTreeSet<String>>;

/// Returns the folder of the documentation of `std`. Installations of rustc may lack it.
fn documentation() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output();
    let output = output.expect("rustc runs").stdout;
    let sysroot = String::from_utf8(output).expect("a path");
    let folder = Path::new(sysroot.trim()).join("share/doc/rust/html/std");
    folder.is_dir().then_some(folder)
}

/// Returns the version of rustc that the repository pins.
fn pinned() -> String {
    let text = read(Path::new("../rust-toolchain.toml"));
    let channel = text.split_once("channel = \"").expect("a channel").1;
    channel.split('"').next().expect("a version").to_owned()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns what stands after each `before` in a text, as far as it is a name.
fn names_after<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    let after = text.split(before).skip(1);
    let ends = |after: &'a str| after.find(|sign: char| !sign.is_alphanumeric() && sign != '_');
    after
        .map(|after| &after[..ends(after).unwrap_or(after.len())])
        .collect()
}

/// Returns the traits that a page of a prelude exports, with the paths of their pages.
fn traits(page: &str) -> Vec<(String, String)> {
    let links = page.split("href=\"../../").skip(1);
    let links = links.filter_map(|link| link.split_once("\" title=\"trait "));
    let pages = links.map(|(path, _)| path);
    let named = pages.filter_map(|path| {
        let (_, file) = path.split_once("/trait.")?;
        let name = file.strip_suffix(".html")?;
        Some((name.to_owned(), path.to_owned()))
    });
    named.collect()
}

/// What the documentation in this folder says of the traits of the prelude.
fn documented(folder: &Path) -> Names {
    let prelude = read(&folder.join("prelude/v1/index.html"));
    let mut exported = traits(&prelude);
    assert!(exported.len() > 20, "the page has another form");
    for name in OF_EDITIONS {
        exported.push(((*name).to_owned(), format!("convert/trait.{name}.html")));
    }
    exported.retain(|(name, _)| !OF_NO_PROGRAM.contains(&name.as_str()));
    let functions = |page: String| {
        let page = read(&folder.join(page));
        let marks = ["id=\"method.", "id=\"tymethod."];
        let names = marks.map(|mark| names_after(&page, mark).into_iter().map(str::to_owned));
        names.into_iter().flatten().collect()
    };
    let of_trait = exported
        .into_iter()
        .map(|(name, page)| (name, functions(page)));
    of_trait.collect()
}

/// What is saved of the pinned rustc.
fn saved() -> Names {
    let text = read(Path::new(SAVED));
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(pinned().as_str()), "version of rustc");
    let of_trait = lines.map(|line| {
        let mut words = line.split_whitespace().map(str::to_owned);
        (words.next().expect("a trait"), words.collect())
    });
    of_trait.collect()
}

#[test]
fn the_prelude_has_the_traits_and_methods_that_the_compiler_knows() {
    let known = standard_names().into_iter().map(|(name, functions)| {
        let functions = functions.into_iter().filter(|name| !HIDDEN.contains(name));
        (name.to_owned(), functions.map(str::to_owned).collect())
    });
    assert_eq!(known.collect::<Names>(), saved());
}

#[test]
fn the_saved_names_are_those_of_the_documentation() {
    let version = Command::new("rustc").arg("--version").output();
    let version = String::from_utf8(version.expect("rustc runs").stdout).expect("a text");
    let Some(folder) = documentation().filter(|_| version.contains(&pinned())) else {
        // The other test holds without it.
        return;
    };
    let documented = documented(&folder);
    if std::env::var("DROSTE_STANDARD").is_ok_and(|value| value == "write") {
        let line = |(name, functions): (&String, &BTreeSet<String>)| {
            let words: Vec<_> = std::iter::once(name).chain(functions).cloned().collect();
            words.join(" ") + "\n"
        };
        let lines: String = documented.iter().map(line).collect();
        fs::write(SAVED, format!("{}\n{lines}", pinned())).expect("the list is written");
    }
    assert_eq!(documented, saved());
}
