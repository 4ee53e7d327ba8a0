//! Writes values, as the module above describes their encoding.

use std::fmt::Display;

use serde::ser::{self, Serialize};

use super::EncodeError;

impl ser::Error for EncodeError {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// What takes the bytes.
pub(super) trait Sink {
    /// Takes some.
    ///
    /// # Errors
    /// If no more are wanted.
    fn take(&mut self, bytes: &[u8]) -> Result<(), EncodeError>;

    /// Takes one, which is what most calls are for: elements of the field come as four bytes.
    ///
    /// # Errors
    /// As [`Self::take`].
    #[inline(always)]
    fn take_one(&mut self, byte: u8) -> Result<(), EncodeError> {
        self.take(&[byte])
    }
}

impl Sink for Vec<u8> {
    #[inline(always)]
    fn take(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}

/// Compares bytes with those that are expected, up to the first difference.
pub(super) struct Compare<'a>(pub(super) &'a [u8]);

impl Sink for Compare<'_> {
    #[inline(always)]
    fn take(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        match self.0.strip_prefix(bytes) {
            Some(rest) => {
                self.0 = rest;
                Ok(())
            }
            None => Err(EncodeError(String::new())),
        }
    }

    #[inline(always)]
    fn take_one(&mut self, byte: u8) -> Result<(), EncodeError> {
        match self.0 {
            [first, rest @ ..] if *first == byte => {
                self.0 = rest;
                Ok(())
            }
            _ => Err(EncodeError(String::new())),
        }
    }
}

/// Counts bytes.
pub(super) struct Count(pub(super) usize);

impl Sink for Count {
    #[inline(always)]
    fn take(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.0 += bytes.len();
        Ok(())
    }
}

pub(super) struct Writer<S>(pub(super) S);

impl<S: Sink> Writer<S> {
    /// An integer: in one byte up to 250, or else in 2, 4 or 8 behind one that says how many.
    fn integer(&mut self, value: u64) -> Result<(), EncodeError> {
        match value {
            0..=250 => self.0.take_one(value as u8),
            251..=0xffff => {
                self.0.take_one(251)?;
                self.0.take(&(value as u16).to_le_bytes())
            }
            0x1_0000..=0xffff_ffff => {
                self.0.take_one(252)?;
                self.0.take(&(value as u32).to_le_bytes())
            }
            _ => {
                self.0.take_one(253)?;
                self.0.take(&value.to_le_bytes())
            }
        }
    }
}

fn unknown() -> Result<(), EncodeError> {
    Err(EncodeError("there are no such values in files".into()))
}

/// Values that are in no file.
macro_rules! refuse {
    ($($method:ident: $type:ty,)*) => {$(
        fn $method(self, _: $type) -> Result<(), EncodeError> {
            unknown()
        }
    )*};
}

impl<S: Sink> ser::Serializer for &mut Writer<S> {
    type Ok = ();
    type Error = EncodeError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = ser::Impossible<(), EncodeError>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    refuse! {
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_char: char,
        serialize_bytes: &[u8],
    }

    fn serialize_bool(self, value: bool) -> Result<(), EncodeError> {
        self.0.take(&[value.into()])
    }

    #[inline(always)]
    fn serialize_u8(self, value: u8) -> Result<(), EncodeError> {
        self.0.take_one(value)
    }

    fn serialize_u16(self, value: u16) -> Result<(), EncodeError> {
        self.integer(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), EncodeError> {
        self.integer(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), EncodeError> {
        self.integer(value)
    }

    fn serialize_u128(self, value: u128) -> Result<(), EncodeError> {
        self.0.take(&value.to_le_bytes())
    }

    fn serialize_str(self, text: &str) -> Result<(), EncodeError> {
        self.integer(text.len() as u64)?;
        self.0.take(text.as_bytes())
    }

    fn serialize_none(self) -> Result<(), EncodeError> {
        self.0.take(&[0])
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), EncodeError> {
        self.0.take(&[1])?;
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), EncodeError> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), EncodeError> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
    ) -> Result<(), EncodeError> {
        self.integer(index.into())
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        self.integer(index.into())?;
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, EncodeError> {
        match length {
            Some(length) => self.integer(length as u64)?,
            None => unknown()?,
        }
        Ok(self)
    }

    #[inline(always)]
    fn serialize_tuple(self, _: usize) -> Result<Self, EncodeError> {
        Ok(self)
    }

    #[inline(always)]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, EncodeError> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, EncodeError> {
        self.integer(index.into())?;
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, EncodeError> {
        Err(EncodeError("there are no maps in files".into()))
    }

    #[inline(always)]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, EncodeError> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, EncodeError> {
        self.integer(index.into())?;
        Ok(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Values one after the other.
macro_rules! one_after_the_other {
    ($($trait:ident, $method:ident($($key:ty)?);)*) => {$(
        impl<S: Sink> ser::$trait for &mut Writer<S> {
            type Ok = ();
            type Error = EncodeError;

            #[inline(always)]
            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $(_: $key,)?
                value: &T,
            ) -> Result<(), EncodeError> {
                value.serialize(&mut **self)
            }

            #[inline(always)]
            fn end(self) -> Result<(), EncodeError> {
                Ok(())
            }
        }
    )*};
}

one_after_the_other! {
    SerializeSeq, serialize_element();
    SerializeTuple, serialize_element();
    SerializeTupleStruct, serialize_field();
    SerializeTupleVariant, serialize_field();
    SerializeStruct, serialize_field(&'static str);
    SerializeStructVariant, serialize_field(&'static str);
}
