//! What an assertion that failed says, and what a program prints, with the values of the run.

use droste_native::{ChallengeField, F};

use super::source::{Source, address};
use super::{Fault, Memory};
use crate::compiler::{Check, Location, Pieces, Relation, SourceMap, Span};
use crate::isa::Operand;

/// Largest number of characters of the source in a message.
const MAX_SOURCE: usize = 80;

/// Largest number of loops that a message names.
const MAX_LOOPS: usize = 3;

/// A run at one of its instructions.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    pub map: &'a SourceMap,
    pub memory: &'a Memory,
    pub pc: u32,
    pub fp: u32,
}

/// Returns the assertion that a fault at `pc` is the failure of.
pub(super) fn failed_check<'a>(map: &'a SourceMap, fault: &Fault, pc: u32) -> Option<&'a Check> {
    let index = map.checks.binary_search_by_key(&pc, |(pc, _)| *pc).ok()?;
    let (_, check) = map.checks.get(index)?;
    let is_its = match fault {
        Fault::Assertion { .. } | Fault::WordConflict { .. } | Fault::LaneConflict { .. } => true,
        Fault::DivisionByZero => check.relation == Some(Relation::NotEqual),
        Fault::NotExtension(_) => matches!(check.relation, Some(Relation::Extension(_))),
        // The call refuses words that are not canonical.
        Fault::Precompile { .. } => {
            check.relation == Some(Relation::Extension(ChallengeField::BabyBear))
        }
        _ => false,
    };
    is_its.then_some(check)
}

impl Moment<'_> {
    fn word(&self, operand: Operand, fp: u32) -> Option<F> {
        Source::from(operand).value(self.memory, fp)
    }

    /// Returns a message with the values of its words, `_` for those that are not computed yet.
    pub fn message(&self, index: u32) -> Option<String> {
        let pieces: &Pieces = self.map.messages.get(index as usize)?;
        let mut whole = String::new();
        for (text, operand) in pieces {
            whole.push_str(text);
            if let Some(operand) = operand {
                let value = self.word(*operand, self.fp);
                whole += &value.map_or("_".to_owned(), |value| value.to_string());
            }
        }
        Some(whole)
    }

    /// Returns what an assertion that failed says of its values, if it is known.
    pub fn assertion(&self, check: &Check, fault: &Fault) -> Option<String> {
        let relation = check.relation?;
        let sides = match *fault {
            Fault::Assertion { left, right } => Some((right, left, None)),
            Fault::WordConflict { old, new, .. } => Some((new, old, None)),
            Fault::LaneConflict { lane, old, new, .. } => Some((new, old, Some(lane))),
            _ => None,
        };
        let value = check.value.and_then(|operand| self.word(operand, self.fp));
        let value = value.map(|value| value.to_string());
        let subject = value.as_deref().unwrap_or("the value");
        let what = match relation {
            Relation::Equal => {
                let (computed, other, lane) = sides?;
                let (left, right) = if check.swapped {
                    (other, computed)
                } else {
                    (computed, other)
                };
                let lane = lane.map_or(String::new(), |lane| format!(" in lane {lane}"));
                format!("left {left}, right {right}{lane}")
            }
            Relation::NotEqual => match &value {
                Some(value) => format!("both sides are {value}"),
                None => "both sides are equal".to_owned(),
            },
            Relation::True => "the condition is false".to_owned(),
            Relation::Bit => format!("{subject} is not 0 or 1"),
            Relation::Below(bound) => format!("{subject} is not below {bound}"),
            Relation::Extension(ChallengeField::BabyBear) => {
                "the block is not a canonical element of BabyBear^4".to_owned()
            }
            Relation::Extension(field) => {
                let degree = field.degree();
                format!("lanes {degree} to 7 of the block are not zero")
            }
        };
        let (source, loops) = (self.source(check.location.span), self.loops(check));
        Some(format!("assertion failed: `{source}`: {what}{loops}"))
    }

    /// Returns what a program prints.
    pub fn print(&self, location: Location, message: u32) -> String {
        let (source, value) = (self.source(location.span), self.message(message));
        let value = value.unwrap_or_default();
        format!("[{}] {source} = {value}", self.place(location.span))
    }

    fn place(&self, span: Span) -> String {
        let (line, column) = self.map.line_column(span);
        format!("{}:{line}:{column}", self.map.path(span))
    }

    /// Returns the text of an expression in one line.
    fn source(&self, span: Span) -> String {
        let file = self.map.files.get(span.file as usize);
        let text = file.and_then(|file| file.text.get(span.start as usize..span.end as usize));
        let words: Vec<_> = text.unwrap_or_default().split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(MAX_SOURCE) {
            Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }

    /// Returns in which iterations of loops an assertion is, innermost first.
    fn loops(&self, check: &Check) -> String {
        let mut loops = Vec::new();
        let mut frame = Some(self.fp);
        for body in &self.map.bodies {
            if let Some(fp) = frame.filter(|_| body.range.contains(&self.pc)) {
                let counter = self.word(body.counter, fp);
                loops.extend(counter.map(|number| (body.span, u64::from(address(number)))));
                let outer = body.outer.and_then(|outer| self.word(outer, fp));
                frame = outer.map(address);
            }
        }
        let mut next = check.iteration;
        while let Some(one) = next.and_then(|index| self.map.iterations.get(index as usize)) {
            loops.push((one.span, one.number));
            next = one.around;
        }
        let loops = loops.iter().take(MAX_LOOPS);
        let text = loops.map(|(span, number)| {
            let place = self.place(*span);
            format!(", in iteration {number} (from 0) of the loop at {place}")
        });
        text.collect()
    }
}
