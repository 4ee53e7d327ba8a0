//! Takes values apart: a serializer, so that the tree has every field under its name in the source.

use serde::Serialize;
use serde::ser::{self, Impossible};

use super::{Node, Width};
use crate::codec::EncodeError;
use crate::field::MODULUS;

type Result<T> = std::result::Result<T, EncodeError>;

/// Returns the tree of a value.
///
/// # Errors
/// If the value has a type that no file of this project has: floats, signed integers, maps.
pub fn tree<T: Serialize + ?Sized>(value: &T) -> Result<Node> {
    value.serialize(Builder)
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

    fn close(self) -> Node {
        let node = if self.list {
            Node::List(self.children.into_iter().map(|(_, node)| node).collect())
        } else {
            of_bytes(&self.children).unwrap_or(Node::Fields(self.children))
        };
        match self.variant {
            Some(index) => Node::Variant(index, Box::new(node)),
            None => node,
        }
    }
}

/// The node of an array of bytes: field elements are four, digests 32.
fn of_bytes(children: &[(Option<&'static str>, Node)]) -> Option<Node> {
    let bytes = children.iter().map(|(_, node)| match node {
        Node::Number(value, Width::Byte) => Some(*value as u8),
        _ => None,
    });
    let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
    match <[u8; 4]>::try_from(bytes.as_slice()).map(u32::from_le_bytes) {
        Ok(element) if element < MODULUS => Some(Node::Element(element)),
        _ => (bytes.len() >= 4).then_some(Node::Bytes(bytes)),
    }
}

macro_rules! unsupported {
    ($($name:ident: $ty:ty),+ $(,)?) => {
        $(fn $name(self, _: $ty) -> Result<Node> {
            Err(EncodeError(concat!("files have no values of type ", stringify!($ty)).into()))
        })+
    };
}

macro_rules! numbers {
    ($($name:ident: $ty:ty, $width:ident;)+) => {
        $(fn $name(self, value: $ty) -> Result<Node> {
            Ok(Node::Number(value.into(), Width::$width))
        })+
    };
}

impl ser::Serializer for Builder {
    type Ok = Node;
    type Error = EncodeError;
    type SerializeSeq = Open;
    type SerializeTuple = Open;
    type SerializeTupleStruct = Open;
    type SerializeTupleVariant = Open;
    type SerializeMap = Impossible<Node, EncodeError>;
    type SerializeStruct = Open;
    type SerializeStructVariant = Open;

    unsupported! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_bytes: &[u8],
    }

    numbers! {
        serialize_bool: bool, Byte;
        serialize_u8: u8, Byte;
        serialize_u16: u16, Two;
        serialize_u32: u32, Four;
        serialize_u64: u64, Eight;
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_u128(self, value: u128) -> Result<Node> {
        Ok(Node::Bytes(value.to_le_bytes().to_vec()))
    }

    fn serialize_str(self, text: &str) -> Result<Node> {
        Ok(Node::Text(text.to_owned()))
    }

    fn serialize_none(self) -> Result<Node> {
        Ok(Node::Option(None))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Node> {
        Ok(Node::Option(Some(Box::new(value.serialize(self)?))))
    }

    fn serialize_unit(self) -> Result<Node> {
        Ok(Node::Fields(vec![]))
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Node> {
        Ok(Node::Fields(vec![]))
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Result<Node> {
        Ok(Open::new(false, Some(index)).close())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Node> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<Node> {
        Ok(Node::Variant(index, Box::new(value.serialize(self)?)))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open> {
        Ok(Open::new(true, None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Open> {
        Ok(Open::new(false, None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open> {
        Ok(Open::new(false, None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Open> {
        Ok(Open::new(false, Some(index)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        Err(EncodeError("files have no maps".into()))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open> {
        Ok(Open::new(false, None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Open> {
        Ok(Open::new(false, Some(index)))
    }
}

macro_rules! children {
    ($($trait:ident, $method:ident($($key:ident)?), $name:expr;)+) => {
        $(impl ser::$trait for Open {
            type Ok = Node;
            type Error = EncodeError;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($key: &'static str,)?
                value: &T,
            ) -> Result<()> {
                self.children.push(($name, tree(value)?));
                Ok(())
            }

            fn end(self) -> Result<Node> {
                Ok(self.close())
            }
        })+
    };
}

children! {
    SerializeSeq, serialize_element(), None;
    SerializeTuple, serialize_element(), None;
    SerializeTupleStruct, serialize_field(), None;
    SerializeTupleVariant, serialize_field(), None;
    SerializeStruct, serialize_field(name), Some(name);
    SerializeStructVariant, serialize_field(name), Some(name);
}
