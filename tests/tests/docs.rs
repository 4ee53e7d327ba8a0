//! The tests, items, files and links that documents name exist, figures between comments are the
//! saved ones, and verifiers say nothing that `docs/soundness.md` excludes. Only text is read,
//! nothing is built.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

// What writes the figures; the crate of the benches would bring their peers along.
#[path = "../../bench/src/figures/cells.rs"]
mod cells;
#[path = "../../bench/src/figures/figure.rs"]
mod figure;
#[path = "../../bench/src/figures/folds.rs"]
mod folds;
#[path = "../../bench/src/figures/headline.rs"]
mod headline;
#[path = "../../bench/src/figures/markdown.rs"]
mod markdown;

/// Prefixes of other projects' names, which documents may use.
const FOREIGN: [&str; 4] = ["p3_", "std", "rustfmt", "clippy"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Collects every file below a directory, by its path from the root, except build products.
fn files(directory: &Path, path: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).expect("readable directory") {
        let entry = entry.expect("readable entry");
        let name = entry.file_name().into_string().expect("UTF-8 name");
        if name == "target" || name == "__pycache__" || name == ".git" {
            continue;
        }
        let path = format!("{path}/{name}");
        if entry.file_type().expect("type").is_dir() {
            files(&entry.path(), &path, found);
        } else {
            found.push(path);
        }
    }
}

/// Names that a source file defines, and names of its tests.
struct Source {
    /// Components of the file's path, without the extension.
    path: Vec<String>,
    names: BTreeSet<String>,
    tests: BTreeSet<String>,
}

impl Source {
    fn read(path: &str, text: &str) -> Self {
        let mut names = BTreeSet::new();
        let mut tests = BTreeSet::new();
        let mut is_test = false;
        for line in text.lines() {
            let line = line.trim();
            is_test |= line == "#[test]";
            let words: Vec<&str> = line
                .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '!')
                .filter(|word| !word.is_empty())
                .collect();
            for pair in words.windows(2) {
                let [keyword, name] = [pair[0], pair[1].trim_end_matches('!')];
                match keyword {
                    "fn" => {
                        names.insert(name.to_owned());
                        if std::mem::take(&mut is_test) {
                            tests.insert(name.to_owned());
                        }
                    }
                    "struct" | "enum" | "trait" | "mod" | "type" | "const" | "static" | "impl"
                    | "for" | "macro_rules!" => {
                        names.insert(name.to_owned());
                    }
                    _ => {}
                }
            }
            // Variants of enumerations, and fields.
            let line = line.trim_start_matches("pub ");
            if let Some(first) = words.iter().find(|word| **word != "pub")
                && let Some(rest) = line.strip_prefix(first)
                && (rest.starts_with(": ")
                    || line.starts_with(char::is_uppercase)
                        && rest.starts_with([',', '(', ' ', '{']))
            {
                names.insert((*first).to_owned());
            }
        }
        let path = path.trim_start_matches('/').trim_end_matches(".rs");
        Self {
            path: path.split('/').map(str::to_owned).collect(),
            names,
            tests,
        }
    }

    /// Returns whether the path has `components` in it, one after the other.
    fn is_at(&self, components: &[&str]) -> bool {
        components.is_empty()
            || self.path.windows(components.len()).any(|window| {
                let mut pairs = window.iter().zip(components);
                pairs.all(|(name, pattern)| matches(pattern, name))
            })
    }
}

/// Returns whether `name` matches the pattern, in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

fn any(names: &BTreeSet<String>, pattern: &str) -> bool {
    names.iter().any(|name| matches(pattern, name))
}

/// Expands `a{b,c}d` to `abd` and `acd`.
fn alternatives(text: &str) -> Vec<String> {
    match text
        .split_once('{')
        .map(|(head, rest)| (head, rest.split_once('}')))
    {
        Some((head, Some((list, tail)))) => list
            .split(',')
            .map(|name| format!("{head}{}{tail}", name.trim()))
            .collect(),
        _ => vec![text.to_owned()],
    }
}

struct Repository {
    files: Vec<String>,
    sources: Vec<Source>,
}

impl Repository {
    fn read() -> Self {
        let mut found = Vec::new();
        files(&root(), "", &mut found);
        let sources = found.iter().filter(|path| path.ends_with(".rs"));
        let sources = sources
            .map(|path| {
                let text = std::fs::read_to_string(root().join(&path[1..])).expect("readable file");
                Source::read(path, &text)
            })
            .collect();
        Self {
            files: found,
            sources,
        }
    }

    /// Returns whether a test has this name: `file::test`, `directory/file::test`, `test`, or a
    /// file of tests. After `crate: ` it must be a test of that crate.
    fn has_test(&self, reference: &str) -> bool {
        let (package, reference) = match reference.split_once(": ") {
            Some((package, reference)) => (Some(package), reference),
            None => (None, reference),
        };
        let reference = reference.trim_end_matches(".rs").replace("::", "/");
        let components: Vec<&str> = reference.split('/').filter(|c| !c.is_empty()).collect();
        let Some((name, place)) = components.split_last() else {
            return false;
        };
        // Unit tests are in the file that they test.
        let file = place.strip_suffix(&["tests"]).unwrap_or(place);
        self.sources.iter().any(|source| {
            let is_there = package.is_none_or(|package| source.path[0] == package);
            is_there
                && (((source.is_at(place) || source.is_at(file)) && any(&source.tests, name))
                    || (source.is_at(&components) && !source.tests.is_empty()))
        })
    }

    /// Returns whether an item has this name: its last component must be defined where the
    /// component before it is, which is a type, a module or a file. A single letter stands for any
    /// type.
    fn has_item(&self, path: &[&str]) -> bool {
        let Some((name, place)) = path.split_last() else {
            return false;
        };
        let place = place.last().filter(|place| place.len() > 1);
        let package = place.map(|place| place.trim_start_matches("droste_"));
        self.sources.iter().any(|source| {
            let is_there = package.is_none_or(|place| {
                source.names.contains(place) || source.path.iter().any(|part| part == place)
            });
            let is_file = source.path.last().is_some_and(|file| file == name)
                || source
                    .path
                    .iter()
                    .rev()
                    .nth(1)
                    .is_some_and(|directory| directory == name);
            is_there && (any(&source.names, name) || is_file)
        })
    }

    /// Returns whether some path contains this one, which may omit the path's beginning and end. A
    /// path that begins with a library's name is in that library's sources.
    fn has_path(&self, reference: &str) -> bool {
        if let Some((package, rest)) = reference.split_once('/')
            && let Some(package) = package.strip_prefix("droste_")
        {
            return self.has_path(&format!("{package}/src/{rest}"));
        }
        let parts: Vec<&str> = reference
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        self.files.iter().any(|file| {
            let names: Vec<&str> = file.split('/').collect();
            names.windows(parts.len()).any(|window| {
                let mut pairs = window.iter().zip(&parts);
                pairs.all(|(name, part)| {
                    matches(part, name) || matches(part, name.trim_end_matches(".rs"))
                })
            })
        })
    }
}

/// Returns the texts between backticks on a line.
fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Returns the targets of the links on a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

/// Returns the components of `a::b::c`, from a span without generics and arguments.
fn item_path(span: &str) -> Option<Vec<String>> {
    let mut plain = String::new();
    let mut depth = 0;
    for c in span.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 => break,
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let parts: Vec<String> = plain
        .split("::")
        .filter(|p| !p.is_empty())
        .map(str::to_owned)
        .collect();
    let is_name = |part: &String| {
        part.chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '*')
            && part.starts_with(|c: char| c.is_alphabetic() || c == '*')
    };
    (parts.len() > 1 && parts.iter().all(is_name)).then_some(parts)
}

/// Returns what a span names, if it does not exist.
fn missing(repository: &Repository, span: &str, is_test: bool) -> Option<String> {
    let absent = |exists: bool| (!exists).then(|| span.to_owned());
    if is_test {
        return absent(
            alternatives(span)
                .iter()
                .all(|name| repository.has_test(name)),
        );
    }
    if let Some(path) = item_path(span) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let is_foreign = FOREIGN.iter().any(|foreign| path[0].starts_with(foreign));
        return absent(is_foreign || repository.has_item(&path) || repository.has_test(span));
    }
    // Arguments of commands, and paths outside of commands.
    let words: Vec<&str> = span.split_whitespace().collect();
    for (index, word) in words.iter().enumerate() {
        let is_example = index > 0 && ["--example", "--bench"].contains(&words[index - 1]);
        if is_example && !repository.has_path(word) {
            return Some((*word).to_owned());
        }
        let is_file = [".rs", ".md", ".py", ".toml"]
            .iter()
            .any(|end| word.ends_with(end));
        let is_path = word.contains('/')
            && word.len() > 1
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-./*{},".contains(c))
            && word.contains(|c: char| c.is_ascii_alphabetic())
            && (words.len() == 1 || is_file);
        if is_path
            && !alternatives(word)
                .iter()
                .all(|path| repository.has_path(path))
        {
            return Some((*word).to_owned());
        }
    }
    None
}

fn documents(repository: &Repository) -> Vec<String> {
    let is_document = |path: &&String| path.ends_with(".md") && *path != "/CHANGELOG.md";
    let documents = repository.files.iter().filter(is_document);
    documents.cloned().collect()
}

/// Returns everything that a document names but the repository does not have.
fn faults(repository: &Repository, document: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    // Whether the last column of the present table lists tests.
    let mut lists_tests = false;
    let mut is_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        let mut report = |what: &str| faults.push(format!("{document}:{number}: {what}"));
        if line.starts_with("```") {
            is_code = !is_code;
            continue;
        }
        if is_code {
            if let Some(what) = missing(repository, line, false) {
                report(&what);
            }
            continue;
        }
        let row = line
            .strip_prefix('|')
            .and_then(|row| row.trim_end().strip_suffix('|'));
        let (before, last) = row
            .and_then(|row| row.rsplit_once('|'))
            .unwrap_or((line, ""));
        if row.is_none() {
            lists_tests = false;
        }
        lists_tests |= row.is_some() && last.trim() == "test";
        let (plain, tests) = if lists_tests {
            (before, last)
        } else {
            (line, "")
        };
        let named = spans(plain).filter_map(|span| missing(repository, span, false));
        let named: Vec<String> = named
            .chain(spans(tests).filter_map(|span| missing(repository, span, true)))
            .collect();
        named.iter().for_each(|what| report(what));
        for link in links(line).filter(|link| !link.contains("://") && !link.starts_with('#')) {
            let path = link.split('#').next().unwrap_or(link);
            let folder = Path::new(document.trim_start_matches('/')).parent();
            if !folder.is_some_and(|folder| root().join(folder).join(path).exists()) {
                report(link);
            }
        }
    }
    faults
}

#[test]
fn what_the_documents_name_exists() {
    let repository = Repository::read();
    let documents = documents(&repository);
    assert!(documents.iter().any(|path| path == "/docs/soundness.md"));
    let mut all = Vec::new();
    for document in &documents {
        let text = std::fs::read_to_string(root().join(&document[1..])).expect("readable file");
        all.extend(faults(&repository, document, &text));
    }
    assert!(all.is_empty(), "\n{}", all.join("\n"));
}

#[test]
fn what_does_not_exist_is_found() {
    let repository = Repository::read();
    let found = |text: &str| faults(&repository, "/docs/soundness.md", text).len();
    // A test of this file, an item, a file, a link and an example, all of which exist.
    let right = "| claim | test |\n|---|---|\n| a `matches` | `docs::what_does_not_exist_is_found` |\n\
                 \n`Verifier::new`, `docs/soundness.md`, [a link](soundness.md)\n";
    assert_eq!(found(right), 0);
    for (from, to) in [
        ("is_found", "is_fond"),
        ("docs::what", "dogs::what"),
        ("Verifier::new", "Verifier::knew"),
        ("docs/soundness.md", "docs/soundless.md"),
        ("(soundness.md)", "(soundless.md)"),
        ("`Verifier::new`", "`cargo run --example no_such_example`"),
        // An item with this name exists, but it is not a test.
        ("docs::what_does_not_exist_is_found", "docs::faults"),
    ] {
        assert_eq!(found(&right.replacen(from, to, 1)), 1, "{to}");
    }
    assert_eq!(
        found(&right.replace(
            "docs::what_does_not_exist",
            "docs::{what_does_not_exist,no}"
        )),
        1
    );
}

#[test]
fn figures_are_the_saved_ones() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("readable file");
    let saved = serde_json::from_str(&read("docs/measurement/figures.json"));
    let saved: serde_json::Value = saved.expect("valid JSON");
    let rewritten = |document: &str, figures: &serde_json::Value| {
        let written = markdown::rewrite(&read(&document[1..]), figures);
        let (written, _) = written.unwrap_or_else(|error| panic!("{document}: {error}"));
        written
    };
    for document in documents(&Repository::read()) {
        assert!(
            rewritten(&document, &saved) == read(&document[1..]),
            "{document} has other figures than docs/measurement/figures.json: \
             cargo run -p droste-bench --no-default-features -- figures --tables"
        );
    }
    // Another figure is noticed where it stands.
    let mut other = saved;
    for row in other["factorial"]["rows"].as_array_mut().expect("rows") {
        row["fft_cost"] = 1.into();
        row["opened_per_query"] = 1.into();
    }
    for document in ["/README.md", "/docs/measurement.md"] {
        assert_ne!(rewritten(document, &other), read(&document[1..]));
    }
}

#[test]
fn the_chart_shows_the_saved_figures() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("readable file");
    let saved = serde_json::from_str(&read("docs/measurement/figures.json"));
    let saved: serde_json::Value = saved.expect("valid JSON");
    let rows = saved["factorial"]["rows"].as_array().expect("rows").iter();
    let costs = rows.map(|row| row["fft_cost"].as_f64().expect("a number").ln());
    let mut costs: Vec<f64> = costs.collect();
    costs.sort_by(f64::total_cmp);
    for picture in [
        "docs/pictures/cost-dark.svg",
        "docs/pictures/cost-light.svg",
    ] {
        let text = read(picture);
        let points = text.split("<circle ").skip(1).map(|point| {
            let (_, height) = point.split_once("cy=\"").expect("a height");
            height.split_once('"').expect("a number").0.parse::<f64>()
        });
        let mut points: Vec<f64> = points.map(|height| height.expect("a number")).collect();
        // Heights count from above.
        points.sort_by(|a, b| b.total_cmp(a));
        assert_eq!(points.len(), costs.len(), "{picture}");
        // The scale is logarithmic, so all points are as high as the lowest and the highest say.
        let last = costs.len() - 1;
        let unit = (points[last] - points[0]) / (costs[last] - costs[0]);
        for (cost, point) in costs.iter().zip(&points) {
            let expected = points[0] + unit * (cost - costs[0]);
            assert!(
                (point - expected).abs() < 0.01,
                "{picture}: {} (scripts/pictures/run)",
                cost.exp()
            );
        }
    }
}

/// Whoever uses the library compiles neither flame graphs nor the tables of Unicode with which the
/// command breaks lines, whatever versions cargo picks: features leave them out, not a lock file.
#[test]
fn the_library_has_no_dependencies_of_the_command() {
    let lock = std::fs::read_to_string(root().join("tests/outside/Cargo.lock"));
    let lock = lock.expect("readable file");
    assert!(lock.contains("name = \"droste\""));
    for package in ["inferno", "textwrap", "icu_segmenter", "clap"] {
        let name = format!("name = \"{package}\"");
        assert!(
            !lock.contains(&name),
            "{package} (tests/outside/Cargo.lock)"
        );
    }
}

/// Files of native verifiers, with the number of times that they observe by hand: what a proof is
/// about, before its first message.
const VERIFIERS: [(&str, usize); 11] = [
    ("native/src/gkr/verifier.rs", 0),
    ("native/src/whir/verifier.rs", 0),
    ("vm/src/whir/proof.rs", 3),
    ("vm/src/whir/verifier.rs", 0),
    ("vm/src/whir/zerocheck/verifier.rs", 0),
    ("binary/src/proof.rs", 1),
    ("binary/src/reduction.rs", 0),
    ("binary/src/columns.rs", 0),
    ("binary/src/ring_switch.rs", 0),
    ("binary/src/zerocheck/mod.rs", 0),
    ("binary/src/opening/verifier.rs", 0),
];

/// What gives a value without observing or checking it.
const DOORS: [&str; 3] = ["peek", "forge", "check(|_|"];

/// A value that is peeked at is one that no transcript has observed and no check has found in a
/// commitment, and what is observed by hand can be forgotten.
#[test]
fn verifiers_read_all_that_they_use() {
    let by_hand = ["::observe", ".observe(", ".observe_"];
    for (path, expected) in VERIFIERS {
        let text = std::fs::read_to_string(root().join(path)).expect("a verifier's file");
        for word in DOORS {
            assert!(!text.contains(word), "{path} has `{word}`");
        }
        let found: usize = by_hand.map(|call| text.matches(call).count()).iter().sum();
        assert_eq!(found, expected, "observations by hand in {path}");
    }
}
