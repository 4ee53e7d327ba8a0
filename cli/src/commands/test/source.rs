//! Finds the tests in a program's text and turns them into ordinary functions.

use std::ops::Range;
use std::path::{Path, PathBuf};

use droste_vm::compiler::read_syntax;
use syn::spanned::Spanned;
use syn::{Attribute, Item, ReturnType, Visibility};

use crate::error::CommandError;
use crate::sources::is_cfg_test;

/// The comment of a test that is not for the machine, in it or in the line above.
const NATIVE_ONLY: &str = "// native only";

/// A program with tests.
pub struct Source {
    /// Path of its file.
    pub path: PathBuf,
    /// Its text, with the attributes of tests and the function `main` overwritten by spaces, so
    /// that lines and columns stay those of the file. Only tests and modules that are private have
    /// a `pub` before their keyword, so that another `main` can call the tests.
    text: String,
    /// Its tests.
    pub tests: Vec<TestFunction>,
    /// Path of the file's module in the package: `a::b::`, or empty for the root.
    module: String,
}

/// A function with `#[test]`.
pub struct TestFunction {
    /// Path of the function within the file, such as `tests::sums`.
    pub path: String,
    /// Whether it must fail, as `#[should_panic]` says.
    pub should_panic: bool,
    /// Whether a comment says that it runs natively only.
    pub native_only: bool,
    /// Whether it returns a `Result`, which must be `Ok`.
    returns: bool,
    /// Where it is in [`Source::text`], with all its attributes.
    place: Range<usize>,
}

impl Source {
    /// Reads the tests of a file in a package.
    pub fn read(package: &Path, file: &Path, text: &str) -> Result<Self, CommandError> {
        let name = file.display().to_string();
        let found = read_syntax(&name, text, |syntax| Found::of(text, &syntax.items))?;
        Ok(Self {
            path: file.to_owned(),
            text: publish(blank(text, &found.blanks), &found.private),
            tests: found.tests,
            module: module_of(package, file),
        })
    }

    /// The program that runs a test. It has no other test, since that may not be in the zk-DSL.
    pub fn program(&self, test: &TestFunction) -> String {
        let others = self.tests.iter().map(|other| other.place.clone());
        let others: Vec<_> = others.filter(|place| *place != test.place).collect();
        let text = blank(&self.text, &others);
        let mut call = format!("{}()", test.path);
        if test.returns {
            call = format!("assert!({call}.is_ok())");
        }
        format!("{text}\npub fn main() {{ {call} }}\n")
    }

    /// Name of the test in cargo's output.
    pub fn native_name(&self, test: &TestFunction) -> String {
        format!("{}{}", self.module, test.path)
    }
}

struct Found<'a> {
    text: &'a str,
    tests: Vec<TestFunction>,
    blanks: Vec<Range<usize>>,
    /// Where `pub` is missing, in the order of the text.
    private: Vec<usize>,
}

impl<'a> Found<'a> {
    /// Finds the tests in a file, and its `main`.
    fn of(text: &'a str, items: &[Item]) -> Self {
        let mut found = Self {
            text,
            tests: vec![],
            blanks: vec![],
            private: vec![],
        };
        found.visit(items, "");
        for item in items {
            if let Item::Fn(function) = item
                && function.sig.ident == "main"
            {
                found.blanks.push(item.span().byte_range());
            }
        }
        found
    }

    /// Collects the tests of a module whose path, with `::` at its end, is `module`.
    fn visit(&mut self, items: &[Item], module: &str) {
        for item in items {
            match item {
                Item::Fn(function) if has(&function.attrs, "test") => {
                    // Cargo skips ignored tests, so the machine's run skips them too.
                    if has(&function.attrs, "ignore") {
                        continue;
                    }
                    for name in ["test", "should_panic"] {
                        self.blank(&function.attrs, |attribute| attribute.path().is_ident(name));
                    }
                    // What is inserted before this function moves it.
                    let moved = self.private.len() * PUBLIC.len();
                    let place = item.span().byte_range();
                    let native_only = self.is_native_only(&place);
                    let mut end = place.end + moved;
                    if let Visibility::Inherited = function.vis {
                        self.private.push(function.sig.span().byte_range().start);
                        end += PUBLIC.len();
                    }
                    self.tests.push(TestFunction {
                        path: format!("{module}{}", function.sig.ident),
                        should_panic: has(&function.attrs, "should_panic"),
                        native_only,
                        returns: matches!(function.sig.output, ReturnType::Type(..)),
                        place: place.start + moved..end,
                    });
                }
                Item::Mod(inner) => {
                    self.blank(&inner.attrs, is_cfg_test);
                    if let Some((_, items)) = &inner.content {
                        if let Visibility::Inherited = inner.vis {
                            self.private.push(inner.mod_token.span().byte_range().start);
                        }
                        self.visit(items, &format!("{module}{}::", inner.ident));
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether the comment is in the function or in the line above it.
    fn is_native_only(&self, place: &Range<usize>) -> bool {
        let before = self.text.get(..place.start).unwrap_or_default();
        let above = before.trim_end().lines().next_back().unwrap_or_default();
        let inside = self.text.get(place.clone()).unwrap_or_default();
        above.trim() == NATIVE_ONLY || inside.contains(NATIVE_ONLY)
    }

    fn blank(&mut self, attributes: &[Attribute], which: impl Fn(&Attribute) -> bool) {
        let chosen = attributes.iter().filter(|attribute| which(attribute));
        self.blanks
            .extend(chosen.map(|attribute| attribute.span().byte_range()));
    }
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident(name))
}

/// Overwrites these ranges of bytes with spaces; line breaks are kept.
fn blank(text: &str, places: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for place in places {
        let within = bytes.get_mut(place.clone()).unwrap_or_default();
        within
            .iter_mut()
            .filter(|byte| !byte.is_ascii_whitespace())
            .for_each(|byte| *byte = b' ');
    }
    // Only whole characters were overwritten, so this is still UTF-8.
    String::from_utf8(bytes).unwrap_or_default()
}

/// What is inserted before private functions and modules.
const PUBLIC: &str = "pub ";

/// Inserts `pub` at these places.
fn publish(mut text: String, places: &[usize]) -> String {
    for &place in places.iter().rev() {
        text.insert_str(place, PUBLIC);
    }
    text
}

/// Path of a file's module, as cargo prints it before the names of tests.
pub fn module_of(package: &Path, file: &Path) -> String {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let inside = file.strip_prefix(package.join("src")).unwrap_or(&file);
    let inside = inside.with_extension("");
    let parts: Vec<String> = inside
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let names = match parts.split_last() {
        Some((last, before)) if ["lib", "main", "mod"].contains(&last.as_str()) => before,
        _ => &parts,
    };
    names.iter().map(|name| format!("{name}::")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "pub fn main() { é }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    \
        #[should_panic(expected = \"é\")]\n    fn a() {}\n    #[test]\n    #[ignore]\n    fn b() {}\n    \
        fn c() {}\n}\n#[test]\nfn d() {}\n";

    #[test]
    fn tests_become_functions_at_the_same_places() {
        let package = Path::new("package");
        let source = Source::read(package, &package.join("src/x/mod.rs"), TEXT).unwrap();
        let tests: Vec<_> = source
            .tests
            .iter()
            .map(|test| (test.path.as_str(), test.should_panic))
            .collect();
        assert_eq!(tests, [("tests::a", true), ("d", false)]);
        assert_eq!(source.native_name(&source.tests[0]), "x::tests::a");
        assert_eq!(source.text.len(), TEXT.len() + 3 * "pub ".len());
        assert_eq!(source.text.lines().count(), TEXT.lines().count());
        let left: String = source.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            left,
            "pub mod tests { pub fn a() {} #[test] #[ignore] fn b() {} fn c() {} } pub fn d() {}"
        );
        // Each is alone in its program.
        let program = source.program(&source.tests[1]);
        let left: String = program.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            left,
            "pub mod tests { #[test] #[ignore] fn b() {} fn c() {} } pub fn d() {} pub fn main() { \
             d() }"
        );
    }

    #[test]
    fn comments_name_tests_that_run_natively_only() {
        let text = "#[test]\nfn a() {\n    // native only: it uses text\n}\n// native only\n\
                    #[test]\nfn b() {}\n#[test]\nfn c() {}\n";
        let package = Path::new("package");
        let source = Source::read(package, &package.join("src/lib.rs"), text).unwrap();
        let native: Vec<_> = source.tests.iter().map(|test| test.native_only).collect();
        assert_eq!(native, [true, true, false]);
    }

    #[test]
    fn nested_text_is_refused() {
        let package = Path::new("package");
        let [open, close] = ["(", ")"].map(|bracket| bracket.repeat(100_000));
        let text = format!("fn a() {{ {open}{close} }}");
        assert!(Source::read(package, &package.join("src/lib.rs"), &text).is_err());
    }

    #[test]
    fn files_are_modules() {
        let package = Path::new("package");
        for (file, module) in [
            ("lib.rs", ""),
            ("main.rs", ""),
            ("a.rs", "a::"),
            ("a/b.rs", "a::b::"),
            ("a/mod.rs", "a::"),
        ] {
            assert_eq!(module_of(package, &package.join("src").join(file)), module);
        }
    }
}
