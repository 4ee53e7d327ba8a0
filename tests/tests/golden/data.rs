//! The data in `tests/golden`, and what is compared with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use droste_vm::key::KeyDigest;

/// The variable of the environment, and its value, with which the data is written anew.
const WRITE: (&str, &str) = ("DROSTE_GOLDEN", "write");

/// The end of the value of a file that is kept whole.
const KEPT: &str = ", kept";

/// The sections of the data, with one test each.
const SECTIONS: [&str; 7] = [
    "aggregates",
    "folds",
    "instructions",
    "keys",
    "lists",
    "proofs",
    "signatures",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

fn digests() -> PathBuf {
    folder().join("digests.txt")
}

fn path_of(file: &str) -> PathBuf {
    folder().join("files").join(file)
}

fn describe(bytes: &[u8]) -> String {
    format!("{} bytes, BLAKE3 {}", bytes.len(), blake3::hash(bytes))
}

/// The section of a name: it is followed by a dot.
fn section(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

/// Values by their names.
type Values = BTreeMap<String, String>;

fn assert_same(found: &Values, expected: &Values) {
    let names: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let different: Vec<String> = names
        .into_iter()
        .filter(|name| expected.get(*name) != found.get(*name))
        .map(|name| {
            let [found, expected] =
                [found, expected].map(|values| values.get(name).map_or("nothing", String::as_str));
            format!("{name}\n     found {found}\n  expected {expected}\n")
        })
        .collect();
    assert!(
        different.is_empty(),
        "{} values are not those of before (tests/golden/README.md):\n{}",
        different.len(),
        different.concat()
    );
}

/// What is kept.
pub struct Data(Values);

impl Data {
    /// Reads `digests.txt`.
    pub fn read() -> Self {
        let text = fs::read_to_string(digests()).unwrap();
        let mut data = Values::new();
        for line in text.lines() {
            let (name, value) = line.split_once(' ').unwrap();
            assert!(SECTIONS.contains(&section(name)), "{line}");
            let before = data.insert(name.to_owned(), value.to_owned());
            assert_eq!(before, None, "{name} has two lines");
        }
        Self(data)
    }

    /// A digest of eight elements.
    pub fn digest(&self, name: &str) -> KeyDigest {
        let value = self.0.get(name);
        let value = value.unwrap_or_else(|| panic!("nothing is kept of {name}"));
        value.parse().unwrap()
    }

    /// The files that are kept whole.
    ///
    /// # Panics
    /// If they are not those, byte by byte, of which the values say so.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let read = |name: &String| (name.clone(), fs::read(path_of(name)).unwrap());
        let files: BTreeMap<_, _> = kept().iter().map(read).collect();
        let found: Values = files
            .iter()
            .map(|(name, bytes)| (name.clone(), describe(bytes) + KEPT))
            .collect();
        let mut expected = self.0.clone();
        expected.retain(|_, value| value.ends_with(KEPT));
        assert_same(&found, &expected);
        files
    }
}

/// Names of the files in the folder of those that are kept whole.
fn kept() -> BTreeSet<String> {
    let entries = fs::read_dir(folder().join("files")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

/// What a section has now.
pub struct Found {
    section: &'static str,
    values: Values,
    files: BTreeMap<String, Vec<u8>>,
}

impl Found {
    /// Nothing yet.
    pub fn new(section: &'static str) -> Self {
        assert!(SECTIONS.contains(&section), "{section}");
        Self {
            section,
            values: Values::new(),
            files: BTreeMap::new(),
        }
    }

    /// Adds a value under a name.
    pub fn add(&mut self, name: &str, value: impl ToString) {
        let name = format!("{}.{name}", self.section);
        let value = value.to_string().trim().to_owned();
        let before = self.values.insert(name, value);
        assert_eq!(before, None, "a second value of a name");
    }

    /// Adds length and digest of bytes.
    pub fn add_digest(&mut self, name: &str, bytes: &[u8]) {
        self.add(name, describe(bytes));
    }

    /// Adds a file that is kept whole.
    pub fn add_file(&mut self, name: &str, bytes: Vec<u8>) {
        self.add(name, describe(&bytes) + KEPT);
        self.files.insert(format!("{}.{name}", self.section), bytes);
    }

    /// Compares the section with what is kept, or writes it anew.
    pub fn compare(self) {
        if std::env::var(WRITE.0).is_ok_and(|value| value == WRITE.1) {
            return self.write();
        }
        let Data(mut kept) = Data::read();
        kept.retain(|name, _| section(name) == self.section);
        assert_same(&self.values, &kept);
    }

    fn write(self) {
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut data = if digests().exists() {
            Data::read().0
        } else {
            Values::new()
        };
        data.retain(|name, _| section(name) != self.section);
        data.extend(self.values);
        let lines = data.iter().map(|(name, value)| format!("{name} {value}\n"));
        fs::write(digests(), lines.collect::<String>()).unwrap();
        let names = kept().into_iter();
        for name in names.filter(|name| section(name) == self.section) {
            fs::remove_file(path_of(&name)).unwrap();
        }
        for (name, bytes) in self.files {
            fs::write(path_of(&name), bytes).unwrap();
        }
    }
}
