//! Rules files: their names and texts, and the rules that their public functions are.
//!
//! Signatures are read before anything is compiled. The compiler checks the functions themselves,
//! since the generated `main` of a rule calls its function.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::Path;

use droste_vm::compiler::{
    Argument, Interface, Parameter, Signature, Span, TypeName, error_at, interface as interface_of,
};

use super::{FoldError, MAX_SLOTS, MAX_SOURCE};
use crate::program::fold::RULES;

/// The trait of `droste_gadgets::fold` that the type of a fold's states has.
const STATE: &str = "State";

/// Functions with which a program makes its statement, which those of rules must not call.
const STATEMENT: [&str; 3] = ["reveal", "reveal_commitment", "public_input"];

/// Names that no module of rules has: keywords and crates.
const RESERVED: [&str; 43] = [
    "alloc",
    "as",
    "async",
    "await",
    "break",
    "const",
    "continue",
    "core",
    "crate",
    "droste_gadgets",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "fn",
    "for",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "main",
    "match",
    "mod",
    "move",
    "mut",
    "pub",
    "ref",
    "return",
    "rules",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "trait",
    "true",
    "type",
    "unsafe",
    "use",
    "where",
    "while",
];

/// A rules file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    stem: String,
    /// Path of its module, under which the compiler has it.
    path: String,
    text: String,
}

/// What a parameter of a rule takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A proof of this fold.
    Node,
    /// A proof of the accepted program of this number.
    Leaf(usize),
    /// A proof of the other fold of this number.
    Foreign(usize),
}

impl Display for Slot {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node => f.write_str("node"),
            Self::Leaf(kind) => write!(f, "leaf {kind}"),
            Self::Foreign(fold) => write!(f, "fold {fold}"),
        }
    }
}

/// A rule: a public function that returns the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSignature {
    /// Name of the function.
    pub name: String,
    /// What its parameters take, in order.
    pub slots: Vec<Slot>,
}

/// What a rules file declares.
#[derive(Debug)]
pub(super) struct Declared {
    /// Name of the type of its states.
    pub state: String,
    /// Where that type implements the trait.
    pub span: Span,
    /// The rules, in order.
    pub rules: Vec<RuleSignature>,
}

/// What the slots of a rules file may name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a> {
    /// Number of accepted programs; any number if there is none.
    pub leaves: Option<usize>,
    /// Modules of other folds, and the names of their state types in them.
    pub folds: &'a [(&'a str, &'a str)],
}

impl Source {
    /// A rules file with this name, without its folder and `.rs`, and this text.
    ///
    /// # Errors
    /// If the name is that of no module, or the text is too long.
    pub fn new(stem: &str, text: impl Into<String>) -> Result<Self, FoldError> {
        let text = text.into();
        let is_letter = |letter: char| letter.is_ascii_lowercase();
        let is_name = stem.starts_with(is_letter)
            && stem
                .chars()
                .all(|letter| is_letter(letter) || letter.is_ascii_digit() || letter == '_')
            && !RESERVED.contains(&stem);
        if !is_name {
            return Err(FoldError::Stem(stem.to_owned()));
        }
        if text.len() > MAX_SOURCE {
            return Err(FoldError::TooLong(text.len()));
        }
        Ok(Self {
            path: format!("{RULES}/{stem}.rs"),
            stem: stem.to_owned(),
            text,
        })
    }

    /// Reads a rules file.
    ///
    /// # Errors
    /// If it cannot be read, or as [`Self::new`].
    pub fn from_file(path: &Path) -> Result<Self, FoldError> {
        let read = |source| FoldError::Read {
            path: path.display().to_string(),
            source,
        };
        let stem = path.file_stem().map(|stem| stem.to_string_lossy());
        let length = fs::metadata(path).map_err(read)?.len();
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > MAX_SOURCE {
            return Err(FoldError::TooLong(length));
        }
        let text = fs::read_to_string(path).map_err(read)?;
        Self::new(&stem.unwrap_or_default(), text)
    }

    /// Its name, which is that of its module.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The path under which the compiler has it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Blake3 digest of the text, in hexadecimal.
    pub fn digest(&self) -> String {
        blake3::hash(self.text.as_bytes()).to_hex().to_string()
    }

    /// An error about a place of the file.
    pub(super) fn refuse<T>(
        &self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Result<T, FoldError> {
        let span = Span { file: 0, ..span };
        let error = error_at(&self.path, &self.text, span, message, Some(help.into()));
        Err(FoldError::Compile(error))
    }

    /// That a function of the file reveals something or reads a public input, if one does.
    pub(super) fn refuse_statement(&self) -> Option<FoldError> {
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            let code = line.split("//").next().unwrap_or_default();
            for function in STATEMENT {
                let call = format!("{function}(");
                let mut found = code.match_indices(&call);
                let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
                let call =
                    found.find(|(at, _)| !code.get(..*at).is_some_and(|it| it.ends_with(is_name)));
                let Some((at, _)) = call else { continue };
                let first = start + at;
                let span = Span {
                    file: 0,
                    start: first as u32,
                    end: (first + function.len()) as u32,
                };
                let message = format!("a rule has no `{function}`: its statement is the fold's");
                return self
                    .refuse::<()>(span, message, "put it into the state")
                    .err();
            }
            start += line.len();
        }
        None
    }

    /// Name of the type of the states.
    ///
    /// # Errors
    /// If there is none, or a second one.
    pub(super) fn state(&self) -> Result<String, FoldError> {
        let interface = interface_of(&self.path, &self.text).map_err(FoldError::Compile)?;
        Ok(self.state_of(&interface)?.name.clone())
    }

    fn state_of<'a>(&self, interface: &'a Interface) -> Result<&'a TypeName, FoldError> {
        let implementations = interface.implementations.iter();
        let mut states = implementations.filter(|(of, _)| of == STATE);
        let help = "write one: impl State for Span { const BLOCKS: usize = 3; .. }";
        let (state, second) = (states.next(), states.next());
        let Some((_, state)) = state else {
            let message = format!("no type of this file implements `{STATE}`");
            return self.refuse(Span::default(), message, help);
        };
        if let Some((_, second)) = second {
            let message = format!("a second type implements `{STATE}`");
            return self.refuse(second.span, message, help);
        }
        if !state.arguments.is_empty() {
            let message = format!("the state `{}` has parameters", state.text);
            return self.refuse(state.span, message, "a struct without parameters");
        }
        Ok(state)
    }

    /// Reads the type of the states and the rules.
    pub(super) fn declared(&self, given: Given<'_>) -> Result<Declared, FoldError> {
        let interface = interface_of(&self.path, &self.text).map_err(FoldError::Compile)?;
        let state = self.state_of(&interface)?;
        let functions = interface.functions.iter();
        let rules = functions.filter(|function| {
            let output = function.output.as_ref();
            // By the whole text: another module may have a type of the same name.
            output.is_some_and(|output| output.text == state.text)
        });
        let rule = |function: &Signature| self.rule(function, &state.text, given);
        let rules: Vec<RuleSignature> = rules.map(rule).collect::<Result<_, _>>()?;
        if rules.is_empty() {
            let message = format!("no `pub fn` returns `{}`", state.name);
            let help = "a rule is a public function from proofs to the state";
            return self.refuse(state.span, message, help);
        }
        Ok(Declared {
            state: state.name.clone(),
            span: state.span,
            rules,
        })
    }

    /// The rule that a function is which returns the state.
    fn rule(
        &self,
        function: &Signature,
        state: &str,
        given: Given<'_>,
    ) -> Result<RuleSignature, FoldError> {
        let (name, span) = (&function.name, function.span);
        if name == "main" {
            let message = "a rule is named `main`, as the program is that calls it";
            return self.refuse(span, message, "give it another name");
        }
        if function.generic {
            let message = format!("the rule `{name}` is generic");
            let help = "write one function for each number of children";
            return self.refuse(span, message, help);
        }
        let count = function.parameters.len();
        if count > MAX_SLOTS {
            let message = format!("the rule `{name}` takes {count} proofs");
            let help = format!("at most {MAX_SLOTS}: take them in several steps");
            return self.refuse(span, message, help);
        }
        let parameters = function.parameters.iter();
        let slots = parameters.map(|parameter| self.slot(name, parameter, state, given));
        Ok(RuleSignature {
            name: name.clone(),
            slots: slots.collect::<Result<_, _>>()?,
        })
    }

    /// The slot that a parameter of a rule is.
    fn slot(
        &self,
        rule: &str,
        parameter: &Parameter,
        state: &str,
        given: Given<'_>,
    ) -> Result<Slot, FoldError> {
        let Parameter {
            name,
            ty,
            reference,
            mutable,
        } = parameter;
        let (of, span) = (format!("parameter `{name}` of the rule `{rule}`"), ty.span);
        let slot = match (ty.name.as_str(), ty.arguments.as_slice()) {
            (_, []) if ty.text == state => Slot::Node,
            ("Leaf", [Argument::Integer(kind)]) => {
                let kind = usize::try_from(*kind).unwrap_or(usize::MAX);
                let leaves = given.leaves.unwrap_or(MAX_SLOTS);
                if kind >= leaves {
                    let message =
                        format!("there is no leaf {kind}: the fold has {leaves}, counted from 0");
                    return self.refuse(span, message, "name the program with --leaf");
                }
                Slot::Leaf(kind)
            }
            ("Foreign", [Argument::Integer(fold), Argument::Type(found)]) => {
                Slot::Foreign(self.foreign(*fold, found, state, given)?)
            }
            _ => {
                let message = format!("{of} has the type `{}`", ty.text);
                let help = format!("expected `&{state}`, `&Leaf<0>` or `&Foreign<0, S>`");
                return self.refuse(span, message, help);
            }
        };
        if *mutable || !*reference {
            let how = if *mutable {
                "to be changed"
            } else {
                "by value"
            };
            let (message, help) = (
                format!("{of} is taken {how}"),
                format!("expected `&{}`", ty.text),
            );
            return self.refuse(span, message, help);
        }
        Ok(slot)
    }

    /// The number of another fold, whose states have the type that the slot names. The compiler
    /// would not notice another type, which would read the lanes of a state in its own way.
    fn foreign(
        &self,
        fold: u64,
        found: &TypeName,
        state: &str,
        given: Given<'_>,
    ) -> Result<usize, FoldError> {
        let number = usize::try_from(fold).unwrap_or(usize::MAX);
        let Some(&(stem, expected)) = given.folds.get(number) else {
            let count = given.folds.len();
            let message =
                format!("there is no other fold {fold}: there are {count}, counted from 0");
            let help = "name its rules and its recipe with --fold";
            return self.refuse(found.span, message, help);
        };
        // A name alone may be imported, unless it is that of this fold's own state.
        let is_named = found.text == expected && expected != state;
        let path = format!("{stem}::{expected}");
        let is_path = found.text == path || found.text.ends_with(&format!("::{path}"));
        if is_named || is_path {
            return Ok(number);
        }
        let message = format!("the state of the other fold {fold} is `{expected}` of {stem}.rs");
        let help = format!("write `&Foreign<{fold}, super::{path}>`");
        self.refuse(found.span, message, help)
    }
}

#[cfg(test)]
pub(super) mod tests;
