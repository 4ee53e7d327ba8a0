//! Items of code, and what they become: bytes, and a text in Yul.

use std::fmt::Write;

use super::error::AssemblerError;
use super::expression::Name;
use super::op::Op;
use super::word::Word;

/// A place in the code.
pub(super) type Label = usize;

/// What code consists of.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// A line of Yul. What follows is its code.
    Line(String),
    Op(Op),
    Push(Word),
    PushLabel(Label),
    Label(Label),
    Table(Label, Name, Vec<u8>),
    Dup(usize),
    Swap(usize),
}

const JUMPDEST: u8 = 0x5b;
const PUSH0: u8 = 0x5f;
const DUP1: u8 = 0x80;
const SWAP1: u8 = 0x90;

/// Bytes of a place in the code. Longer code cannot be deployed.
const LABEL_BYTES: usize = 2;

/// Assembled code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The code of the contract.
    pub bytes: Vec<u8>,
    /// The same in Yul. Behind each statement is a comment: the place of its code, and its bytes.
    pub yul: String,
}

/// The bytes of an item, given the places of all labels.
fn bytes(item: &Item, places: &[usize]) -> Vec<u8> {
    let numbered = |first: u8, number: usize| vec![first + (number - 1) as u8];
    match item {
        Item::Line(_) => vec![],
        Item::Op(op) => vec![op.byte()],
        Item::Push(word) => {
            let bytes = word.to_be_bytes();
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            let length = bytes.len() - zeros;
            let digits = bytes.into_iter().skip(zeros);
            std::iter::once(PUSH0 + length as u8)
                .chain(digits)
                .collect()
        }
        Item::PushLabel(label) => {
            let place = places.get(*label).copied().unwrap_or(0);
            let place = (place as u16).to_be_bytes();
            [&[PUSH0 + LABEL_BYTES as u8], &place[..]].concat()
        }
        Item::Label(_) => vec![JUMPDEST],
        Item::Table(_, _, bytes) => bytes.clone(),
        Item::Dup(depth) => numbered(DUP1, *depth),
        Item::Swap(depth) => numbered(SWAP1, *depth),
    }
}

/// The text of code, line by line.
#[derive(Default)]
struct Text {
    lines: String,
    depth: usize,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Text {
    /// Appends a line, and the comment of its code: where it is, and its bytes.
    fn push(&mut self, line: &str, place: usize, bytes: &[u8]) {
        const INDENT: usize = 4;
        if line.starts_with('}') {
            self.depth = self.depth.saturating_sub(1);
        }
        let _ = write!(self.lines, "{:1$}{line}", "", INDENT * self.depth);
        if !bytes.is_empty() {
            let _ = write!(self.lines, " // {place:04x} {}", hex(bytes));
        }
        self.lines.push('\n');
        if line.ends_with('{') && !line.starts_with("//") {
            self.depth += 1;
        }
    }
}

/// Assembles items.
pub(super) fn encode(items: &[Item]) -> Result<Code, AssemblerError> {
    let mut places = vec![];
    let mut place = 0;
    for item in items {
        if let Item::Label(label) | Item::Table(label, _, _) = item {
            if places.len() <= *label {
                places.resize(label + 1, 0);
            }
            places
                .get_mut(*label)
                .into_iter()
                .for_each(|to| *to = place);
        }
        // No label has a place yet that matters for the length.
        place += bytes(item, &[]).len();
    }
    if place >= 1 << (8 * LABEL_BYTES) {
        return Err(AssemblerError::TooLong(place));
    }
    let (mut code, mut text) = (Vec::with_capacity(place), Text::default());
    text.push("object \"contract\" {", 0, &[]);
    let is_table = |item: &&Item| matches!(item, Item::Table(..));
    let start = Item::Line("code {".to_owned());
    let all = std::iter::once(&start).chain(items);
    let (tables, items): (Vec<&Item>, Vec<&Item>) = all.partition(is_table);
    // A line, and what is its code.
    let mut lines = items.as_slice();
    while let [first, rest @ ..] = lines {
        let is_code = |item: &&&Item| !matches!(item, Item::Line(_));
        let count = rest.iter().take_while(is_code).count();
        let (of_line, rest) = rest.split_at(count);
        let of_line = of_line.iter().flat_map(|item| bytes(item, &places));
        let of_line: Vec<u8> = of_line.collect();
        if let Item::Line(line) = first {
            text.push(line, code.len(), &of_line);
        }
        code.extend(of_line);
        lines = rest;
    }
    text.push("}", 0, &[]);
    for table in tables {
        let bytes = bytes(table, &places);
        if let Item::Table(_, name, _) = table {
            let line = format!("data \"{name}\" hex\"{}\"", hex(&bytes));
            text.push(&line, code.len(), &[]);
        }
        code.extend(bytes);
    }
    text.push("}", 0, &[]);
    Ok(Code {
        bytes: code,
        yul: text.lines,
    })
}
