//! Finds the tests in a program's text and turns them into ordinary functions.

use std::ops::Range;
use std::path::Path;

use syn::spanned::Spanned;
use syn::{Attribute, Item, Meta, Visibility};

use crate::error::CommandError;

/// A program with tests.
pub struct Source {
    /// Path of its file, for messages.
    pub path: String,
    /// Its text, with the attributes of tests and the function `main` overwritten by spaces, so
    /// that lines and columns stay those of the file. Only tests and modules that are private have
    /// a `pub` before their keyword, so that another `main` can call the tests.
    pub text: String,
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
}

impl Source {
    /// Reads the tests of a file in a package.
    pub fn read(package: &Path, file: &Path, text: &str) -> Result<Self, CommandError> {
        let path = file.display().to_string();
        let syntax = syn::parse_file(text).map_err(|error| {
            let place = error.span().start();
            CommandError::failed(format!("{path}:{}: {error}", place.line))
        })?;
        let mut found = Found::default();
        found.visit(&syntax.items, "");
        for item in &syntax.items {
            if let Item::Fn(function) = item
                && function.sig.ident == "main"
            {
                found.blanks.push(item.span().byte_range());
            }
        }
        Ok(Self {
            path,
            text: publish(blank(text, &found.blanks), &found.private),
            tests: found.tests,
            module: module_of(package, file),
        })
    }

    /// Name of the test in cargo's output.
    pub fn native_name(&self, test: &TestFunction) -> String {
        format!("{}{}", self.module, test.path)
    }
}

#[derive(Default)]
struct Found {
    tests: Vec<TestFunction>,
    blanks: Vec<Range<usize>>,
    /// Where `pub` is missing, in the order of the text.
    private: Vec<usize>,
}

impl Found {
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
                    if let Visibility::Inherited = function.vis {
                        self.private.push(function.sig.span().byte_range().start);
                    }
                    self.tests.push(TestFunction {
                        path: format!("{module}{}", function.sig.ident),
                        should_panic: has(&function.attrs, "should_panic"),
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

fn is_cfg_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute
            .parse_args::<Meta>()
            .is_ok_and(|predicate| predicate.path().is_ident("test"))
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

/// Inserts `pub` at these places.
fn publish(mut text: String, places: &[usize]) -> String {
    for &place in places.iter().rev() {
        text.insert_str(place, "pub ");
    }
    text
}

/// Path of a file's module, as cargo prints it before the names of tests.
fn module_of(package: &Path, file: &Path) -> String {
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
