//! Where in the source a run failed.

use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode, SourceSpan};

use super::Fault;
use super::explain::{Moment, failed_check};
use crate::compiler::{Compiled, Location};
use crate::isa::Mode;
use crate::record::Cycle;

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Path of the file.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Name of the function that the place is in.
    pub function: String,
    /// Message that the program gives to the assertion at this place.
    pub message: Option<String>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            path,
            line,
            column,
            function,
            message,
        } = self;
        write!(f, "{path}:{line}:{column} in {function}")?;
        message.iter().try_for_each(|text| write!(f, ": {text}"))
    }
}

/// A run that failed: why, at which instruction, and where in the source.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}{}", reason(fault, said), chain(places))]
pub struct RunError {
    /// Why the run failed.
    pub fault: Fault,
    /// What is known from the values of the run.
    pub said: Box<Said>,
    /// The instruction at which it failed.
    pub pc: u32,
    /// Innermost place first, then the calls that lead there.
    pub places: Vec<Place>,
    /// Source of the innermost place.
    pub source_code: Option<Arc<NamedSource<String>>>,
    /// Span of the expression.
    pub span: Option<SourceSpan>,
}

impl Diagnostic for RunError {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        let source = self.source_code.as_deref()?;
        Some(source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = |span: SourceSpan| {
            LabeledSpan::new_with_span(Some("while running this".to_owned()), span)
        };
        Some(Box::new(self.span.into_iter().map(label)))
    }
}

/// What the values of a run that failed say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The assertion of the program that failed, if one did, with its values.
    pub assertion: Option<String>,
    /// What the program printed with `dbg!`, in lines.
    pub printed: Vec<String>,
}

impl RunError {
    /// Why the run failed, without the place: what an assertion says, or else the fault.
    pub fn reason(&self) -> String {
        reason(&self.fault, &self.said)
    }
}

fn reason(fault: &Fault, said: &Said) -> String {
    let assertion = said.assertion.clone();
    assertion.unwrap_or_else(|| fault.to_string())
}

fn chain(places: &[Place]) -> String {
    let mut text = String::new();
    for (depth, place) in places.iter().enumerate() {
        let word = if depth == 0 { "at" } else { "called from" };
        text.push_str(&format!("\n  {word} {place}"));
    }
    text
}

/// Returns the error of a fault, whose place is that of the hint, of the assertion that the
/// instruction makes, or of the instruction.
pub(super) fn failed(
    compiled: &Compiled,
    fault: Fault,
    moment: Moment<'_>,
    hint: Option<usize>,
    cycles: &[Cycle],
) -> RunError {
    let (map, pc) = (moment.map, moment.pc);
    let check = match hint {
        Some(_) => None,
        None => failed_check(map, &fault, pc),
    };
    let location = match (hint, check) {
        (Some(hint), _) => map.hints.get(hint).copied(),
        (None, Some(check)) => Some(check.location),
        (None, None) => map.locations.get(pc as usize).copied(),
    };
    let assertion = check.and_then(|check| moment.assertion(check, &fault));
    let message = check.and_then(|check| moment.message(check.message?));
    let mut error = locate(compiled, fault, pc, location, cycles);
    error.said.assertion = assertion;
    if let Some(place) = error.places.first_mut() {
        place.message = message;
    }
    error
}

/// Returns the places of a fault at `pc` in the expression at `location`: the chain of inlined
/// calls, and then the same for every function that was called and not inlined, according to the
/// cycles so far.
pub(super) fn locate(
    compiled: &Compiled,
    fault: Fault,
    pc: u32,
    location: Option<Location>,
    cycles: &[Cycle],
) -> RunError {
    let map = &compiled.source_map;
    let mut places: Vec<Place> = Vec::new();
    let calls = calls_in_progress(compiled, cycles);
    let calls = calls.iter().rev();
    let calls = calls.map_while(|pc| map.locations.get(*pc as usize).copied());
    for location in location.into_iter().chain(calls) {
        let (mut span, mut next) = (location.span, Some(location.site));
        while let Some(site) = next.and_then(|site| map.sites.get(site as usize)) {
            let (line, column) = map.line_column(span);
            places.push(Place {
                path: map.path(span).to_owned(),
                line,
                column,
                function: site.function.clone(),
                message: None,
            });
            (span, next) = (site.call, site.parent);
        }
    }
    let first = location.map(|location| location.span);
    let file = first.and_then(|span| map.files.get(span.file as usize));
    RunError {
        fault,
        said: Box::default(),
        pc,
        places,
        source_code: file.map(|file| Arc::new(NamedSource::new(&file.path, file.text.clone()))),
        span: first.map(|span| (span.start as usize..span.end as usize).into()),
    }
}

/// Returns the instructions that called the functions in which the last cycle is, outermost first.
fn calls_in_progress(compiled: &Compiled, cycles: &[Cycle]) -> Vec<u32> {
    let map = &compiled.source_map;
    // The function that contains each activation and is not inlined. Parents precede their
    // children.
    let mut roots: Vec<u32> = Vec::with_capacity(map.sites.len());
    for (site, activation) in map.sites.iter().enumerate() {
        let parent = activation.parent.and_then(|site| roots.get(site as usize));
        roots.push(parent.copied().unwrap_or(site as u32));
    }
    let root = |pc: u32| {
        let location = map.locations.get(pc as usize)?;
        roots.get(location.site as usize)
    };
    let mut calls = Vec::new();
    for (before, after) in cycles.iter().zip(cycles.iter().skip(1)) {
        let (from, to) = (before.pc, after.pc);
        if root(from) == root(to) {
            continue;
        }
        // A return jumps to the address in a word.
        let instruction = compiled.program.instructions.get(from as usize);
        match instruction.map(|instruction| instruction.b.mode) {
            Some(Mode::Mem) => {
                calls.pop();
            }
            _ => calls.push(from),
        }
    }
    calls
}
