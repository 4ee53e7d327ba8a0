//! Items of code, and what they become: bytes, and a text to read.

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
    Comment(String),
    Op(Op),
    Push(Word),
    PushLabel(Label),
    Label(Label, Name),
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
    /// The same as assembly text: in front of each line its place, and what it is from above it.
    pub text: String,
}

/// The bytes of an item, given the places of all labels.
fn bytes(item: &Item, places: &[usize]) -> Vec<u8> {
    let numbered = |first: u8, number: usize| vec![first + (number - 1) as u8];
    match item {
        Item::Comment(_) => vec![],
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
        Item::Label(..) => vec![JUMPDEST],
        Item::Table(_, _, bytes) => bytes.clone(),
        Item::Dup(depth) => numbered(DUP1, *depth),
        Item::Swap(depth) => numbered(SWAP1, *depth),
    }
}

/// The line of an item in the text, without its place.
fn line(item: &Item, bytes: &[u8]) -> String {
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|x| format!("{x:02x}")).collect() };
    match item {
        Item::Comment(text) => format!("; {text}"),
        Item::Op(op) => op.mnemonic(),
        Item::Push(_) | Item::PushLabel(_) => match bytes {
            [_] => "push0".to_owned(),
            [first, digits @ ..] => format!("push{} 0x{}", first - PUSH0, hex(digits)),
            [] => String::new(),
        },
        Item::Label(_, name) => format!("jumpdest {name}").trim_end().to_owned(),
        Item::Table(_, name, bytes) => format!("data {name} 0x{}", hex(bytes)),
        Item::Dup(depth) => format!("dup{depth}"),
        Item::Swap(depth) => format!("swap{depth}"),
    }
}

/// Assembles items.
pub(super) fn encode(items: &[Item]) -> Result<Code, AssemblerError> {
    let mut places = vec![];
    let mut place = 0;
    for item in items {
        if let Item::Label(label, _) | Item::Table(label, _, _) = item {
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
    let (mut code, mut text) = (Vec::with_capacity(place), String::new());
    for item in items {
        let bytes = bytes(item, &places);
        let line = line(item, &bytes);
        let _ = match item {
            Item::Comment(_) => writeln!(text, "      {line}"),
            _ => writeln!(text, "{:04x}  {line}", code.len()),
        };
        code.extend(bytes);
    }
    Ok(Code { bytes: code, text })
}
