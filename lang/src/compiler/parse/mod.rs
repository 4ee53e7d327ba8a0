//! Translates text to [`ast`](super::ast). `syn` parses the grammar; this keeps the subset and
//! refuses the rest.

mod attribute;
mod block;
mod expr;
mod function;
mod item;
mod macros;
mod pattern;
mod span;
mod structure;
mod ty;

use std::cell::{Cell, RefCell};
use std::fmt::Display;

use proc_macro2::{Delimiter, LexError, Spacing, TokenStream, TokenTree, token_stream};
use span::Lines;

use super::ast::{GenericParam, Item, Label, Module, Symbol};
use super::error::{Failure, Result, fail, fail_help, failure};
use super::output::Span;

/// Largest number of bytes of all files. The verifier of Plonky3's own Blake3 AIR has 2.2 million;
/// some syntax takes half a kilobyte of memory for one byte of text.
pub const MAX_TEXT: usize = 1 << 22;

/// Largest depth of nested brackets.
const MAX_NESTING: usize = 1 << 10;

/// Largest number of tokens in the expressions, types and patterns in progress: `syn` parses each
/// kind of them by recursion, and some without any brackets (`return return x`, `A<A<..`).
const MAX_TOKENS: usize = 1 << 12;

/// Largest number of fields of a struct, and of generic parameters, bounds or conditions of an
/// item: they are searched one by one.
const MAX_PARTS: usize = 256;

/// Largest number of characters of a name, which is copied for each call, and of a number, whose
/// value takes quadratic time to read.
const MAX_CHARACTERS: usize = 128;

/// Largest depth of nested expressions. A chain of operators or methods is nested, too.
const MAX_DEPTH: usize = 1 << 10;

/// Largest number of failures that are reported.
pub const MAX_FAILURES: usize = 8;

/// Parses the grammar of a file, whose code need not be in the subset.
pub fn syntax(text: &str) -> Result<syn::File> {
    Parser::new(0, text).syntax(text, false)
}

/// Parses one file. A failure has those of other items with it.
pub fn parse_file(file: u32, text: &str) -> Result<Module> {
    let parser = Parser::new(file, text);
    let syntax = parser.syntax(text, true)?;
    parser.kept(&syntax.attrs)?;
    let module = parser.items(&syntax.items)?;
    let mut failures = parser.failures.take().into_iter();
    match failures.next() {
        Some(mut first) => {
            first.others = failures.collect();
            Err(Box::new(first))
        }
        None => Ok(module),
    }
}

fn syntax_error(span: Span, error: &dyn Display) -> Box<Failure> {
    failure(span, format!("syntax error: {error}"))
}

/// Converts the syntax tree of one file.
struct Parser {
    file: u32,
    lines: Lines,
    /// Depth of the present expression.
    depth: Cell<usize>,
    inside: Cell<Inside>,
    /// The loops and blocks with labels around the present expression.
    labels: RefCell<Vec<(Label, Target)>>,
    /// Names in expressions that may be variables, as far as a closure wants to know them.
    names: RefCell<Vec<Symbol>>,
    /// Generic parameters for the parameters of type `impl Trait` of the present function.
    implied: RefCell<Vec<GenericParam>>,
    /// Modules for the items that are declared in functions of the present module.
    hidden: RefCell<Vec<Item>>,
    /// Why items are refused.
    failures: RefCell<Vec<Failure>>,
}

/// What the present expression is in, and a jump may therefore leave. Constants and lengths are
/// code of their own, wherever they are written.
#[derive(Clone, Copy, Default)]
struct Inside {
    /// Name of the function that it is written in.
    function: Option<Symbol>,
    /// Whether it can be returned from.
    returns: bool,
    /// The innermost loop.
    a_loop: Option<Target>,
    /// How many labels cannot be named here.
    labels: usize,
    impl_trait: ImplTrait,
    /// Whether it is in the type of a field, or of an alias.
    field: bool,
}

/// What a jump leaves or continues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Block,
    Loop,
    /// A `for` or `while` loop, which has no value.
    Bounded,
}

/// What `impl Trait` means.
#[derive(Clone, Copy, Default)]
enum ImplTrait {
    /// It has no meaning here.
    #[default]
    Nothing,
    /// It is the type of a parameter, for which there is a generic one.
    Parameter,
    /// It is the type of a result.
    Output,
}

/// A file or a bracket that is being read.
struct Open {
    rest: token_stream::IntoIter,
    /// Number of tokens, a bracket counting once, of the expression, type or pattern in progress.
    tokens: usize,
    /// Number of `<` in it that are open, unless they compare.
    angles: usize,
    /// Whether there is a `|` in it, which may be that of a closure's parameters.
    bars: bool,
    after_braces: bool,
    /// Whether a `>` would be that of an arrow.
    arrow: bool,
}

impl Open {
    fn new(tokens: &TokenStream) -> Self {
        Self {
            rest: tokens.clone().into_iter(),
            tokens: 0,
            angles: 0,
            bars: false,
            after_braces: false,
            arrow: false,
        }
    }

    /// Returns the number of tokens of what ends before a token.
    fn end_before(&mut self, token: &TokenTree) -> usize {
        if !self.ends_before(token) {
            return 0;
        }
        (self.angles, self.bars) = (0, false);
        std::mem::take(&mut self.tokens)
    }

    fn add(&mut self, token: &TokenTree) {
        self.tokens += 1;
        self.after_braces =
            matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        let arrow = std::mem::take(&mut self.arrow);
        if let TokenTree::Punct(sign) = token {
            match sign.as_char() {
                '<' => self.angles += 1,
                '>' if !arrow => self.angles = self.angles.saturating_sub(1),
                '|' => self.bars = true,
                '-' | '=' => self.arrow = sign.spacing() == Spacing::Joint,
                _ => {}
            }
        }
    }

    /// Returns whether what is in progress certainly ends before a token. Braces may be a part of
    /// what goes on after them, but only with these words or a sign.
    fn ends_before(&self, token: &TokenTree) -> bool {
        match token {
            TokenTree::Punct(sign) => match sign.as_char() {
                ',' => self.angles == 0 && !self.bars,
                ';' => true,
                '#' => self.after_braces,
                _ => false,
            },
            TokenTree::Ident(word) => {
                let word = word.to_string();
                self.after_braces && !matches!(word.as_str(), "else" | "as" | "in")
            }
            TokenTree::Literal(_) => self.after_braces,
            TokenTree::Group(_) => false,
        }
    }
}

impl Parser {
    fn new(file: u32, text: &str) -> Self {
        Self {
            file,
            lines: Lines::new(text),
            depth: Cell::default(),
            inside: Cell::default(),
            labels: RefCell::default(),
            names: RefCell::default(),
            implied: RefCell::default(),
            hidden: RefCell::default(),
            failures: RefCell::default(),
        }
    }

    /// Keeps why an item is refused, while the others are read.
    fn failed(&self, failure: Failure) {
        let mut failures = self.failures.borrow_mut();
        if failures.len() < MAX_FAILURES {
            failures.push(failure);
        }
    }

    /// Parses the grammar. `subset` is whether names must be in the subset.
    fn syntax(&self, text: &str, subset: bool) -> Result<syn::File> {
        let wrong = |span, error: &dyn Display| syntax_error(self.span(span), error);
        let tokens: TokenStream = text
            .parse()
            .map_err(|error: LexError| wrong(error.span(), &error))?;
        self.check_size(&tokens, subset)?;
        syn::parse2(tokens).map_err(|error| wrong(error.span(), &error))
    }

    /// Refuses what would take `syn` too much stack or time and, for code in the `subset`, names
    /// that are not.
    fn check_size(&self, tokens: &TokenStream, subset: bool) -> Result<()> {
        let mut open = vec![Open::new(tokens)];
        // Of all that is open.
        let mut tokens = 0;
        while let Some(inner) = open.last_mut() {
            let Some(token) = inner.rest.next() else {
                tokens -= inner.tokens;
                open.pop();
                continue;
            };
            tokens -= inner.end_before(&token);
            inner.add(&token);
            tokens += 1;
            if tokens > MAX_TOKENS {
                return fail_help(
                    self.span(token.span()),
                    format!("this is nested too deeply, or has more than {MAX_TOKENS} tokens"),
                    "give its parts names with `let`",
                );
            }
            match token {
                TokenTree::Group(group) => {
                    open.push(Open::new(&group.stream()));
                    if open.len() > MAX_NESTING {
                        return fail(self.span(group.span()), "this is nested too deeply");
                    }
                }
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let number = text.starts_with(|first: char| first.is_ascii_digit());
                    self.short(&text, literal.span(), number)?;
                }
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    self.short(&name, ident.span(), true)?;
                    // rustc also takes names as one that Unicode calls equivalent.
                    if subset && !name.is_ascii() {
                        let message = "names with other letters than ASCII's are not in the subset";
                        return fail(self.span(ident.span()), message);
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
        Ok(())
    }

    /// Parses code that is inside of something.
    fn inside<T>(&self, inside: Inside, parse: impl FnOnce() -> Result<T>) -> Result<T> {
        let around = self.inside.replace(inside);
        let result = parse();
        self.inside.set(around);
        result
    }

    /// Returns what code of its own is inside of: nothing that a jump could leave.
    fn apart(&self) -> Inside {
        Inside {
            function: self.inside.get().function,
            labels: self.labels.borrow().len(),
            ..Inside::default()
        }
    }

    /// Parses code that a jump to this label may leave.
    fn labelled<T>(
        &self,
        label: Option<Label>,
        target: Target,
        parse: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let count = self.labels.borrow().len();
        let label = label.map(|label| (label, target));
        self.labels.borrow_mut().extend(label);
        let result = parse();
        self.labels.borrow_mut().truncate(count);
        result
    }

    /// Refuses a name or a number that is too long.
    fn short(&self, text: &str, span: proc_macro2::Span, limited: bool) -> Result<()> {
        if !limited || text.len() <= MAX_CHARACTERS {
            return Ok(());
        }
        let message = format!("names and numbers have at most {MAX_CHARACTERS} characters");
        fail(self.span(span), message)
    }

    /// Refuses too many parts of an item.
    fn few(&self, count: usize, what: &str, span: Span) -> Result<()> {
        if count <= MAX_PARTS {
            Ok(())
        } else {
            fail(span, format!("there are more than {MAX_PARTS} {what} here"))
        }
    }

    /// Interns the name of an identifier.
    fn symbol(&self, ident: &syn::Ident) -> Result<Symbol> {
        let text = ident.to_string();
        if text.starts_with("r#") {
            let span = self.span(ident.span());
            return fail(span, "raw identifiers are not in the subset");
        }
        Ok(Symbol::new(&text))
    }
}
