//! The files of a program: its own, those of the modules that it declares, and those of libraries.

use std::path::{Path, PathBuf};

use droste_gadgets::SOURCES;
use droste_vm::compiler::{self, Compiled};
use syn::{Attribute, Item, Meta};

use crate::error::CommandError;
use crate::paths::Input;
use crate::program::read_text;

/// Largest number of files of modules. Links between folders would give a program endlessly many.
const MAX_FILES: usize = 1_000;

/// Name of the program's own crate for the compiler.
const OWN: &str = "main ";

/// The texts that a program is compiled from.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The file with `main`.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Other files, as the compiler names them, with their texts.
    files: Vec<(String, String)>,
}

impl Sources {
    /// Reads a program: a file, or a cargo package with a `main` in its `src/lib.rs` or
    /// `src/main.rs`. Its modules are read, too, and so are libraries, each a file or a package.
    ///
    /// # Errors
    /// If a file cannot be read, or a package has no such file.
    pub fn read(path: &Path, libraries: &[Input]) -> Result<Self, CommandError> {
        let path = root_file(path)?;
        let text = read_text(&path)?;
        Self::of_text(path, text, libraries)
    }

    /// As [`Self::read`], of a file at `path` that has this text.
    ///
    /// # Errors
    /// If another file cannot be read.
    pub fn of_text(path: PathBuf, text: String, libraries: &[Input]) -> Result<Self, CommandError> {
        let mut files = vec![];
        add_modules(&path, &text, OWN, &mut files)?;
        for library in libraries {
            let name = library_name(library)?;
            let root = root_file(library)?;
            let text = read_text(&root)?;
            add_modules(&root, &text, &name, &mut files)?;
            files.push((format!("{name}.rs"), text));
        }
        Ok(Self { path, text, files })
    }

    /// The other files and the gadget library, as the compiler takes them.
    pub fn libraries(&self) -> Vec<(&str, &str)> {
        let files = self.files.iter();
        let files = files.map(|(path, text)| (path.as_str(), text.as_str()));
        SOURCES.iter().copied().chain(files).collect()
    }

    /// What messages call the file with `main`.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Compiles the program.
    ///
    /// # Errors
    /// The compiler's, which shows the source lines.
    pub fn compile(&self) -> Result<Compiled, CommandError> {
        let compiled = compiler::compile_file(&self.name(), &self.text, &self.libraries());
        Ok(compiled?)
    }

    /// Compiles the program to its intermediate representation, as text.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn intermediate(&self) -> Result<String, CommandError> {
        let text = compiler::intermediate(&self.name(), &self.text, &self.libraries());
        Ok(text?)
    }
}

/// The root file of a package, or the file itself.
///
/// # Errors
/// If the package has no such file.
pub fn root_file(path: &Path) -> Result<PathBuf, CommandError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let roots = ["src/lib.rs", "src/main.rs"].map(|file| path.join(file));
    let [library, binary] = &roots;
    let has_main = |root: &&PathBuf| {
        let text = read_text(root).unwrap_or_default();
        text.contains("pub fn main()")
    };
    let found = roots.iter().find(has_main);
    let found = found.or_else(|| [library, binary].into_iter().find(|root| root.is_file()));
    found.cloned().ok_or_else(|| {
        let path = path.display();
        CommandError::failed(format!(
            "{path} is a folder without `src/lib.rs` and `src/main.rs`: expected a program's file, \
             or a package"
        ))
    })
}

/// The name under which programs import a library: that of its package or file.
fn library_name(path: &Path) -> Result<String, CommandError> {
    let whole = path.canonicalize().map_err(CommandError::file(path))?;
    let of_path = whole.file_stem().and_then(|stem| stem.to_str());
    let name = package_name(&whole).or_else(|| of_path.map(str::to_owned));
    let name = name.unwrap_or_default().replace('-', "_");
    if syn::parse_str::<syn::Ident>(&name).is_ok() {
        return Ok(name);
    }
    let path = path.display();
    Err(CommandError::usage(format!(
        "--library {path}: `{name}` is not a name that a program can import"
    )))
}

/// The name that a package's manifest gives it.
fn package_name(folder: &Path) -> Option<String> {
    let manifest = read_text(&folder.join("Cargo.toml")).ok()?;
    let mut lines = manifest.lines().map(str::trim);
    lines.find(|line| *line == "[package]")?;
    let mut own = lines.take_while(|line| !line.starts_with('['));
    own.find_map(|line| {
        let (key, value) = line.split_once('=')?;
        let value = value.trim().strip_prefix('"')?;
        (key.trim() == "name").then(|| value.split('"').next().map(str::to_owned))?
    })
}

/// Adds the files of the modules that a crate's root declares.
fn add_modules(
    root: &Path,
    text: &str,
    name: &str,
    files: &mut Vec<(String, String)>,
) -> Result<(), CommandError> {
    let folder = root.parent().unwrap_or(Path::new("")).to_owned();
    // A file that is a module of a package has its own modules in a folder of its name.
    let inner = folder.join(root.file_stem().unwrap_or_default());
    let mut modules = Modules { files };
    modules.of_text(text, &[folder, inner], name)
}

struct Modules<'a> {
    files: &'a mut Vec<(String, String)>,
}

impl Modules<'_> {
    /// Adds the modules that a file declares, whose files are in one of these folders.
    fn of_text(&mut self, text: &str, folders: &[PathBuf], name: &str) -> Result<(), CommandError> {
        // What cannot be parsed is the compiler's to refuse.
        let declared = compiler::read_syntax(name, text, declared).unwrap_or_default();
        for own in declared {
            let path = format!("{name}/{own}");
            let inside: Vec<_> = folders.iter().map(|folder| folder.join(&own)).collect();
            let candidates = inside.iter();
            let candidates =
                candidates.flat_map(|path| [path.with_extension("rs"), path.join("mod.rs")]);
            let mut found = candidates.filter(|path| path.is_file());
            // Without a file, the compiler says that it is missing.
            let Some(file) = found.next() else { continue };
            if let Some(other) = found.next() {
                let (file, other) = (file.display(), other.display());
                return Err(CommandError::failed(format!(
                    "the module `{own}` has two files, {file} and {other}"
                )));
            }
            if self.files.len() >= MAX_FILES {
                let message = format!("the program has more than {MAX_FILES} files");
                return Err(CommandError::failed(message));
            }
            let text = read_text(&file)?;
            let (folder, shown) = if file.file_name().is_some_and(|file| file == "mod.rs") {
                let folder = file.parent().unwrap_or(Path::new("")).to_owned();
                (folder, format!("{path}/mod.rs"))
            } else {
                (file.with_extension(""), format!("{path}.rs"))
            };
            self.files.push((shown, text.clone()));
            self.of_text(&text, &[folder], &path)?;
        }
        Ok(())
    }
}

/// The modules that a file declares and that have files of their own.
fn declared(file: &syn::File) -> Vec<String> {
    let name = |item: &Item| match item {
        Item::Mod(module) if module.content.is_none() && !module.attrs.iter().any(is_cfg_test) => {
            Some(module.ident.to_string())
        }
        _ => None,
    };
    file.items.iter().filter_map(name).collect()
}

/// Whether an attribute is `#[cfg(test)]`.
pub fn is_cfg_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute
            .parse_args::<Meta>()
            .is_ok_and(|predicate| predicate.path().is_ident("test"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder with these files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn declared_modules_are_read() {
        let program = "use droste_gadgets::prelude::*;
            mod helper;
            mod other;
            #[cfg(test)]
            mod missing;
            pub fn main() { reveal(helper::twice(felt(other::ONE)) + helper::deep::two()); }";
        let folder = folder(&[
            ("src/lib.rs", program),
            (
                "src/helper.rs",
                "use droste_gadgets::prelude::*;
                pub mod deep;
                pub fn twice(x: Felt) -> Felt { x + x }",
            ),
            (
                "src/helper/deep.rs",
                "use droste_gadgets::prelude::*;
                pub fn two() -> Felt { super::twice(felt(1)) }",
            ),
            ("src/other/mod.rs", "pub const ONE: usize = 1;"),
            ("src/unused.rs", "pub fn main() { not Rust }"),
        ]);
        for path in [folder.path().to_owned(), folder.path().join("src/lib.rs")] {
            let sources = Sources::read(&path, &[]).unwrap();
            assert_eq!(sources.files.len(), 3);
            sources.compile().unwrap();
        }
        fs::write(folder.path().join("src/helper/mod.rs"), "").unwrap();
        let error = Sources::read(folder.path(), &[]).unwrap_err();
        assert!(error.to_string().contains("has two files"), "{error}");
    }

    /// Errors name the file of a module as it is.
    #[test]
    fn errors_in_modules_name_their_files() {
        let folder = folder(&[
            (
                "program.rs",
                "mod helper; pub fn main() { helper::fails(); }",
            ),
            ("helper.rs", "pub fn fails() { assert!(1 == 2_usize); }"),
        ]);
        let sources = Sources::read(&folder.path().join("program.rs"), &[]).unwrap();
        let error = compiler::compile_file(&sources.name(), &sources.text, &sources.libraries());
        let error = error.unwrap_err();
        let path = folder.path().join("helper.rs").display().to_string();
        assert_eq!(error.source_code.name(), path);
    }

    /// What a parser that recurses has no stack or time for is the compiler's to refuse.
    #[test]
    fn nested_and_long_text_is_refused() {
        let nested = ["()", "{}", "[]"].map(|pair| {
            let (open, close) = pair.split_at(1);
            format!("{}{}", open.repeat(100_000), close.repeat(100_000))
        });
        let others = ["!", "1"].map(|text| text.repeat(100_000));
        for inner in nested.into_iter().chain(others) {
            let text = format!("pub fn main() {{ {inner} }}");
            let sources = Sources::of_text(PathBuf::from("program.rs"), text, &[]).unwrap();
            assert!(sources.compile().is_err());
        }
    }

    #[test]
    fn libraries_are_imported_by_their_names() {
        let lib = "pub mod part; pub use part::four;";
        let part = "use droste_gadgets::prelude::*; pub fn four() -> Felt { felt(4) }";
        let folder = folder(&[
            (
                "a-lib/Cargo.toml",
                "[workspace]\n[package]\nname = \"my-lib\"\n",
            ),
            ("a-lib/src/lib.rs", lib),
            ("a-lib/src/part.rs", part),
            ("one.rs", "pub const ONE: usize = 1;"),
            (
                "program.rs",
                "use droste_gadgets::prelude::*;
                pub fn main() { reveal(my_lib::four() + felt(one::ONE)); }",
            ),
        ]);
        let input = |path: &str| {
            use clap::builder::{TypedValueParser, ValueParserFactory};
            let path = folder.path().join(path).into_os_string();
            let command = clap::Command::new("test");
            Input::value_parser().parse(&command, None, path).unwrap()
        };
        let libraries = [input("a-lib"), input("one.rs")];
        let program = folder.path().join("program.rs");
        let sources = Sources::read(&program, &libraries).unwrap();
        sources.compile().unwrap();
        assert!(Sources::read(&program, &[]).unwrap().compile().is_err());
        let error = Sources::read(&folder.path().join("a-lib/src"), &[]).unwrap_err();
        assert!(
            error.to_string().contains("expected a program's file"),
            "{error}"
        );
    }
}
