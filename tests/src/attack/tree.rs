//! The fields of any serialised value, as a tree that encodes to the bytes of a file.
//!
//! [`tree`] is a `serde` serializer, so the tree has every field of every section of a file under
//! its name in the source. [`Node::encode`] writes what `droste_native::codec` writes. A tree with
//! changed nodes encodes to a file with correct lengths and tags, which the decoder reads like any
//! other.

use droste_native::field::MODULUS;
use serde::Serialize;
use serde::ser::{self, Impossible};

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

/// A path from the root to a node: an index per level.
pub type Path = Vec<u32>;

impl Node {
    /// Returns the number of children.
    pub fn len(&self) -> usize {
        match self {
            Self::Option(Some(_)) | Self::Variant(..) => 1,
            Self::List(items) => items.len(),
            Self::Fields(fields) => fields.len(),
            _ => 0,
        }
    }

    /// Returns whether there are no children.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the child of an index, if there is one.
    pub fn child(&self, index: usize) -> Option<&Self> {
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

    /// Visits this node and those below, each with its kind: the names on the path to it, with `*`
    /// for indices of lists and arrays.
    pub fn visit(&self, visitor: &mut impl FnMut(&str, &[u32], &Self)) {
        self.walk(&mut String::new(), &mut Path::new(), visitor);
    }

    fn walk(
        &self,
        kind: &mut String,
        path: &mut Path,
        visitor: &mut impl FnMut(&str, &[u32], &Self),
    ) {
        visitor(kind, path, self);
        let length = kind.len();
        for index in 0..self.len() {
            let Some(child) = self.child(index) else {
                continue;
            };
            let name = match self {
                Self::Fields(fields) => fields[index].0.unwrap_or("*"),
                Self::List(_) => "*",
                Self::Variant(..) => "variant",
                _ => "some",
            };
            if !kind.is_empty() {
                kind.push('.');
            }
            kind.push_str(name);
            path.push(index as u32);
            child.walk(kind, path, visitor);
            path.pop();
            kind.truncate(length);
        }
    }

    /// Appends the encoding of the node, as the codec writes it.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Number(value, Width::Byte) => bytes.push(*value as u8),
            Self::Number(value, _) => integer(*value, bytes),
            Self::Element(value) => bytes.extend(value.to_le_bytes()),
            Self::Bytes(value) | Self::Raw(value) => bytes.extend(value),
            Self::Text(text) => {
                integer(text.len() as u64, bytes);
                bytes.extend(text.as_bytes());
            }
            Self::Option(None) => bytes.push(0),
            Self::Option(Some(child)) => {
                bytes.push(1);
                child.encode(bytes);
            }
            Self::List(items) => {
                integer(items.len() as u64, bytes);
                items.iter().for_each(|item| item.encode(bytes));
            }
            Self::Fields(fields) => fields.iter().for_each(|(_, field)| field.encode(bytes)),
            Self::Variant(index, child) => {
                integer(u64::from(*index), bytes);
                child.encode(bytes);
            }
        }
    }
}

/// Appends the encoding of a variable-length integer: one byte up to 250, otherwise a marker and 2,
/// 4 or 8 bytes.
pub fn integer(value: u64, bytes: &mut Vec<u8>) {
    if value < 251 {
        bytes.push(value as u8);
    } else if let Ok(value) = u16::try_from(value) {
        bytes.push(251);
        bytes.extend(value.to_le_bytes());
    } else if let Ok(value) = u32::try_from(value) {
        bytes.push(252);
        bytes.extend(value.to_le_bytes());
    } else {
        bytes.push(253);
        bytes.extend(value.to_le_bytes());
    }
}

/// Returns the tree of a value.
///
/// # Errors
/// If the value has a type that no file of this project has: floats, signed integers, maps.
pub fn tree<T: Serialize + ?Sized>(value: &T) -> Result<Node, Unsupported> {
    value.serialize(Builder)
}

/// A type of values that no file has.
#[derive(Debug, thiserror::Error)]
#[error("files have no values of this type: {0}")]
pub struct Unsupported(String);

impl ser::Error for Unsupported {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

struct Builder;

/// Children of an incomplete node.
struct Open {
    list: bool,
    children: Vec<(Option<&'static str>, Node)>,
    variant: Option<u32>,
}

impl Open {
    fn new(list: bool, variant: Option<u32>) -> Self {
        Self {
            list,
            children: vec![],
            variant,
        }
    }

    fn push<T: Serialize + ?Sized>(
        &mut self,
        name: Option<&'static str>,
        value: &T,
    ) -> Result<(), Unsupported> {
        self.children.push((name, value.serialize(Builder)?));
        Ok(())
    }

    fn close(self) -> Node {
        let nodes = || self.children.iter().map(|(_, node)| node);
        let bytes: Option<Vec<u8>> = nodes()
            .map(|node| match node {
                Node::Number(value, Width::Byte) => Some(*value as u8),
                _ => None,
            })
            .collect();
        let node = match (self.list, bytes) {
            (true, _) => Node::List(self.children.into_iter().map(|(_, node)| node).collect()),
            // Field elements are arrays of four bytes, digests of 32.
            (false, Some(bytes)) if bytes.len() >= 4 => match <[u8; 4]>::try_from(&bytes[..]) {
                Ok(bytes) if u32::from_le_bytes(bytes) < MODULUS => {
                    Node::Element(u32::from_le_bytes(bytes))
                }
                _ => Node::Bytes(bytes),
            },
            _ => Node::Fields(self.children),
        };
        match self.variant {
            Some(index) => Node::Variant(index, Box::new(node)),
            None => node,
        }
    }
}

macro_rules! unsupported {
    ($($name:ident: $ty:ty),+ $(,)?) => {
        $(fn $name(self, _: $ty) -> Result<Node, Unsupported> {
            Err(Unsupported(stringify!($ty).into()))
        })+
    };
}

impl ser::Serializer for Builder {
    type Ok = Node;
    type Error = Unsupported;
    type SerializeSeq = Open;
    type SerializeTuple = Open;
    type SerializeTupleStruct = Open;
    type SerializeTupleVariant = Open;
    type SerializeMap = Impossible<Node, Unsupported>;
    type SerializeStruct = Open;
    type SerializeStructVariant = Open;

    unsupported! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_bytes: &[u8],
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<Node, Unsupported> {
        Ok(Node::Number(u64::from(value), Width::Byte))
    }

    fn serialize_u8(self, value: u8) -> Result<Node, Unsupported> {
        Ok(Node::Number(u64::from(value), Width::Byte))
    }

    fn serialize_u16(self, value: u16) -> Result<Node, Unsupported> {
        Ok(Node::Number(u64::from(value), Width::Two))
    }

    fn serialize_u32(self, value: u32) -> Result<Node, Unsupported> {
        Ok(Node::Number(u64::from(value), Width::Four))
    }

    fn serialize_u64(self, value: u64) -> Result<Node, Unsupported> {
        Ok(Node::Number(value, Width::Eight))
    }

    fn serialize_u128(self, value: u128) -> Result<Node, Unsupported> {
        Ok(Node::Bytes(value.to_le_bytes().to_vec()))
    }

    fn serialize_str(self, text: &str) -> Result<Node, Unsupported> {
        Ok(Node::Text(text.to_owned()))
    }

    fn serialize_none(self) -> Result<Node, Unsupported> {
        Ok(Node::Option(None))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Node, Unsupported> {
        Ok(Node::Option(Some(Box::new(value.serialize(self)?))))
    }

    fn serialize_unit(self) -> Result<Node, Unsupported> {
        Ok(Node::Fields(vec![]))
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Node, Unsupported> {
        Ok(Node::Fields(vec![]))
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
    ) -> Result<Node, Unsupported> {
        Ok(Open::new(false, Some(index)).close())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Node, Unsupported> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<Node, Unsupported> {
        Ok(Node::Variant(index, Box::new(value.serialize(self)?)))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open, Unsupported> {
        Ok(Open::new(true, None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Open, Unsupported> {
        Ok(Open::new(false, None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open, Unsupported> {
        Ok(Open::new(false, None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Open, Unsupported> {
        Ok(Open::new(false, Some(index)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Unsupported> {
        Err(Unsupported("map".into()))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open, Unsupported> {
        Ok(Open::new(false, None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Open, Unsupported> {
        Ok(Open::new(false, Some(index)))
    }
}

macro_rules! sequences {
    ($($name:ident: $method:ident),+ $(,)?) => {
        $(impl ser::$name for Open {
            type Ok = Node;
            type Error = Unsupported;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unsupported> {
                self.push(None, value)
            }

            fn end(self) -> Result<Node, Unsupported> {
                Ok(self.close())
            }
        })+
    };
}

sequences! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
}

macro_rules! structures {
    ($($name:ident),+ $(,)?) => {
        $(impl ser::$name for Open {
            type Ok = Node;
            type Error = Unsupported;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Unsupported> {
                self.push(Some(name), value)
            }

            fn end(self) -> Result<Node, Unsupported> {
                Ok(self.close())
            }
        })+
    };
}

structures!(SerializeStruct, SerializeStructVariant);
