//! Items of code, and what they become: bytes, and a text in Yul.

use std::collections::BTreeMap;
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

/// The places of labels.
type Places = BTreeMap<Label, usize>;

/// Number of the bytes of an item.
fn length(item: &Item) -> usize {
    match item {
        Item::PushLabel(_) => 1 + LABEL_BYTES,
        Item::Push(word) => 1 + digits(word).len(),
        Item::Table(_, _, bytes) => bytes.len(),
        Item::Line(_) => 0,
        Item::Op(_) | Item::Label(_) | Item::Dup(_) | Item::Swap(_) => 1,
    }
}

/// The bytes of a word without the zeros in front.
fn digits(word: &Word) -> Vec<u8> {
    let bytes = word.to_be_bytes().into_iter();
    bytes.skip_while(|byte| *byte == 0).collect()
}

/// The bytes of an item.
fn bytes(item: &Item, places: &Places) -> Result<Vec<u8>, AssemblerError> {
    let numbered = |first: u8, number: usize| vec![first + (number - 1) as u8];
    Ok(match item {
        Item::Line(_) => vec![],
        Item::Op(op) => vec![op.byte()],
        Item::Push(word) => {
            let digits = digits(word);
            [&[PUSH0 + digits.len() as u8], &digits[..]].concat()
        }
        Item::PushLabel(label) => {
            let place = places.get(label).ok_or(AssemblerError::NoPlace(*label))?;
            let place = (*place as u16).to_be_bytes();
            [&[PUSH0 + LABEL_BYTES as u8], &place[..]].concat()
        }
        Item::Label(_) => vec![JUMPDEST],
        Item::Table(_, _, bytes) => bytes.clone(),
        Item::Dup(depth) => numbered(DUP1, *depth),
        Item::Swap(depth) => numbered(SWAP1, *depth),
    })
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
    let mut places = Places::new();
    let mut place = 0;
    for item in items {
        if let Item::Label(label) | Item::Table(label, _, _) = item {
            places.insert(*label, place);
        }
        place += length(item);
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
        let of_line = of_line.iter().map(|item| bytes(item, &places));
        let of_line = of_line.collect::<Result<Vec<_>, _>>()?.concat();
        if let Item::Line(line) = first {
            text.push(line, code.len(), &of_line);
        }
        code.extend(of_line);
        lines = rest;
    }
    text.push("}", 0, &[]);
    for table in tables {
        let bytes = bytes(table, &places)?;
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
