//! Values taken apart: trees that encode to what the codec writes.
//!
//! A tree with a changed node encodes to bytes with correct lengths and tags, which the decoder
//! reads like any other.

use super::{Path, Place};

/// Width of an integer, which determines its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// `bool` and `u8`: one byte.
    Byte,
    /// Variable length, below 2^16.
    Two,
    /// Variable length, below 2^32.
    Four,
    /// Variable length, below 2^64.
    Eight,
}

impl Width {
    /// Returns the largest integer of this width.
    pub const fn max(self) -> u64 {
        match self {
            Self::Byte => u8::MAX as u64,
            Self::Two => u16::MAX as u64,
            Self::Four => u32::MAX as u64,
            Self::Eight => u64::MAX,
        }
    }
}

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// An integer.
    Number(u64, Width),
    /// A field element: the four bytes of its Montgomery form.
    Element(u32),
    /// An array of bytes: a digest, or an element of a binary field.
    Bytes(Vec<u8>),
    /// A string.
    Text(String),
    /// An optional value.
    Option(Option<Box<Self>>),
    /// A list, whose length is encoded.
    List(Vec<Self>),
    /// A structure, array or tuple: values without a length, with their names if they have any.
    Fields(Vec<(Option<&'static str>, Self)>),
    /// A variant of an enumeration.
    Variant(u32, Box<Self>),
    /// Bytes that no value encodes to.
    Raw(Vec<u8>),
}

impl Node {
    fn child(&self, index: usize) -> Option<&Self> {
        match self {
            Self::Option(Some(child)) | Self::Variant(_, child) if index == 0 => Some(child),
            Self::List(items) => items.get(index),
            Self::Fields(fields) => fields.get(index).map(|(_, child)| child),
            _ => None,
        }
    }

    fn child_mut(&mut self, index: usize) -> Option<&mut Self> {
        match self {
            Self::Option(Some(child)) | Self::Variant(_, child) if index == 0 => Some(child),
            Self::List(items) => items.get_mut(index),
            Self::Fields(fields) => fields.get_mut(index).map(|(_, child)| child),
            _ => None,
        }
    }

    fn children(&self) -> impl Iterator<Item = &Self> {
        (0..).map_while(move |index| self.child(index))
    }

    /// The name of a child. Elements of lists and arrays have none.
    fn name(&self, index: usize) -> Option<&'static str> {
        match self {
            Self::Option(_) => Some("some"),
            Self::Variant(..) => Some("variant"),
            Self::Fields(fields) => fields.get(index)?.0,
            _ => None,
        }
    }

    /// Returns the node at the end of a path, if there is one.
    pub fn at(&self, path: &[u32]) -> Option<&Self> {
        path.iter()
            .try_fold(self, |node, &index| node.child(index as usize))
    }

    /// Like [`Self::at`], for changing the node.
    pub fn at_mut(&mut self, path: &[u32]) -> Option<&mut Self> {
        path.iter()
            .try_fold(self, |node, &index| node.child_mut(index as usize))
    }

    /// Visits this node and those below: the visitor says at each whether to go on below it.
    pub fn visit<'a>(&'a self, visitor: &mut impl FnMut(&Place<'a>) -> bool) {
        let mut root = Place {
            name: String::new(),
            kind: String::new(),
            path: Path::new(),
            element: None,
            node: self,
            start: 0,
        };
        self.walk(&mut root, &mut vec![], visitor);
    }

    /// Visits, and appends the encoding.
    fn walk<'a>(
        &'a self,
        place: &mut Place<'a>,
        bytes: &mut Vec<u8>,
        visitor: &mut impl FnMut(&Place<'a>) -> bool,
    ) {
        place.node = self;
        place.start = bytes.len();
        if !visitor(place) {
            self.encode(bytes);
            return;
        }
        self.encode_head(bytes);
        let (name, kind) = (place.name.len(), place.kind.len());
        let count = self.children().count();
        for (index, child) in self.children().enumerate() {
            let step = self.name(index);
            match step {
                Some(step) => append(&mut place.name, step),
                None => place.name.push_str(&format!("[{index}]")),
            }
            append(&mut place.kind, step.unwrap_or("*"));
            place.path.push(index as u32);
            place.element = step.is_none().then_some((index, count));
            child.walk(place, bytes, visitor);
            place.path.pop();
            place.name.truncate(name);
            place.kind.truncate(kind);
        }
    }

    /// Appends the encoding of the node, as the codec writes it.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        self.encode_head(bytes);
        for child in self.children() {
            child.encode(bytes);
        }
    }

    /// Appends what comes before the children.
    fn encode_head(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Number(value, Width::Byte) => bytes.push(*value as u8),
            Self::Number(value, _) => integer(*value, bytes),
            Self::Element(value) => bytes.extend(value.to_le_bytes()),
            Self::Bytes(value) | Self::Raw(value) => bytes.extend(value),
            Self::Text(text) => {
                integer(text.len() as u64, bytes);
                bytes.extend(text.as_bytes());
            }
            Self::Option(content) => bytes.push(content.is_some().into()),
            Self::List(items) => integer(items.len() as u64, bytes),
            Self::Fields(_) => {}
            Self::Variant(index, _) => integer(u64::from(*index), bytes),
        }
    }

    /// Makes a number the one before it, or one if it is zero. Of an array of bytes it is the first
    /// byte.
    pub fn decrement(&mut self) {
        match self {
            Self::Number(number, _) => *number = number.checked_sub(1).unwrap_or(1),
            Self::Element(number) => *number = number.checked_sub(1).unwrap_or(1),
            Self::Bytes(bytes) => {
                if let Some(byte) = bytes.first_mut() {
                    *byte = byte.checked_sub(1).unwrap_or(1);
                }
            }
            _ => {}
        }
    }

    /// Flips a bit of a number: of an integer one of the lowest eight. `bit` may be larger than the
    /// number of bits, and starts again at the lowest.
    pub fn flip(&mut self, bit: usize) {
        match self {
            Self::Number(number, _) => *number ^= 1 << (bit % 8),
            Self::Element(number) => *number ^= 1 << (bit % 31),
            Self::Bytes(bytes) => {
                let byte = bit / 8 % bytes.len().max(1);
                if let Some(byte) = bytes.get_mut(byte) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            _ => {}
        }
    }
}

/// Appends a name to those on the way to it.
fn append(names: &mut String, name: &str) {
    if !names.is_empty() {
        names.push('.');
    }
    names.push_str(name);
}

/// Appends the encoding of a variable-length integer: one byte up to 250, otherwise a marker and 2,
/// 4 or 8 bytes.
pub fn integer(value: u64, bytes: &mut Vec<u8>) {
    let (marker, length) = match value {
        0..=250 => return bytes.push(value as u8),
        251..=0xffff => (251, 2),
        0x1_0000..=0xffff_ffff => (252, 4),
        _ => (253, 8),
    };
    bytes.push(marker);
    bytes.extend(value.to_le_bytes().iter().take(length));
}
