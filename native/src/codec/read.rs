//! Reads values, as the module above describes their encoding.

use std::fmt;

use serde::de::{self, DeserializeSeed, EnumAccess, SeqAccess, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::LIST_CONSTANT;

/// Why a value cannot be read.
#[derive(Debug)]
#[allow(
    clippy::box_collection,
    reason = "one word, so that results of reading a byte are small"
)]
pub(super) struct Malformed(Box<String>);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

impl de::Error for Malformed {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(Box::new(message.to_string()))
    }
}

#[cold]
fn malformed<T>(message: &str) -> Result<T, Malformed> {
    Err(de::Error::custom(message))
}

pub(super) struct Reader<'de> {
    /// The bytes that are left.
    pub(super) bytes: &'de [u8],
    /// Memory that the elements of lists, and texts, may still take, in bytes.
    budget: usize,
}

impl<'de> Reader<'de> {
    /// Reads `bytes` to values whose lists have elements of at most `factor` times as many bytes of
    /// memory, plus [`LIST_CONSTANT`].
    pub(super) const fn new(bytes: &'de [u8], factor: usize) -> Self {
        let budget = factor.saturating_mul(bytes.len());
        Self {
            bytes,
            budget: budget.saturating_add(LIST_CONSTANT),
        }
    }

    /// Takes the memory of a list from the budget.
    fn charge(&mut self, elements: usize, size: usize) -> Result<(), Malformed> {
        let taken = elements.checked_mul(size);
        match taken.and_then(|taken| self.budget.checked_sub(taken)) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => malformed("its lists have so many elements that they take too much memory"),
        }
    }

    #[inline(always)]
    fn byte(&mut self) -> Result<u8, Malformed> {
        match self.bytes {
            [first, rest @ ..] => {
                self.bytes = rest;
                Ok(*first)
            }
            [] => malformed("the file ends early"),
        }
    }

    #[inline]
    fn take(&mut self, length: usize) -> Result<&'de [u8], Malformed> {
        match self.bytes.split_at_checked(length) {
            Some((bytes, rest)) => {
                self.bytes = rest;
                Ok(bytes)
            }
            None => malformed("the file ends early"),
        }
    }

    /// An integer of at most so many bytes: a byte up to 250, or one that says how many follow.
    fn integer(&mut self, most: usize) -> Result<u64, Malformed> {
        let length = match self.byte()? {
            byte @ 0..=250 => return Ok(byte.into()),
            251 => 2,
            252 => 4,
            253 => 8,
            _ => return malformed("no integer begins with this byte"),
        };
        if length > most {
            return malformed("an integer has too many bytes");
        }
        let bytes = self.take(length)?.iter().rev();
        Ok(bytes.fold(0, |integer, &byte| integer << 8 | u64::from(byte)))
    }

    /// The length of a list, whose elements have a byte each at least.
    fn length(&mut self) -> Result<usize, Malformed> {
        match usize::try_from(self.integer(8)?) {
            Ok(length) if length <= self.bytes.len() => Ok(length),
            _ => malformed("a list is longer than the file"),
        }
    }

    fn text(&mut self) -> Result<&'de str, Malformed> {
        let length = self.length()?;
        self.charge(length, 1)?;
        let text = str::from_utf8(self.take(length)?);
        text.map_err(de::Error::custom)
    }
}

impl<'de> de::Deserializer<'de> for &mut Reader<'de> {
    type Error = Malformed;

    forward_to_deserialize_any! {
        i8 i16 i32 i64 f32 f64 char bytes byte_buf map identifier ignored_any
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Malformed> {
        malformed("there are no such values in files")
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        match self.byte()? {
            0 => visitor.visit_bool(false),
            1 => visitor.visit_bool(true),
            _ => malformed("neither true nor false"),
        }
    }

    #[inline(always)]
    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        visitor.visit_u8(self.byte()?)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        visitor.visit_u16(self.integer(2)? as u16)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        visitor.visit_u32(self.integer(4)? as u32)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        visitor.visit_u64(self.integer(8)?)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        match self.bytes.split_first_chunk() {
            Some((bytes, rest)) => {
                self.bytes = rest;
                visitor.visit_u128(u128::from_le_bytes(*bytes))
            }
            None => malformed("the file ends early"),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        match self.byte()? {
            0 => visitor.visit_none(),
            1 => visitor.visit_some(self),
            _ => malformed("neither a value nor none"),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        visitor.visit_unit()
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Malformed> {
        let left = self.length()?;
        visitor.visit_seq(Elements {
            reader: self,
            left,
            uncharged: left,
        })
    }

    #[inline(always)]
    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        visitor.visit_seq(Elements {
            reader: self,
            left: length,
            uncharged: 0,
        })
    }

    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        self.deserialize_tuple(length, visitor)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        visitor.visit_enum(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The elements of a list or tuple that are left.
struct Elements<'a, 'de> {
    reader: &'a mut Reader<'de>,
    left: usize,
    /// The length of a list of which no element was read: only then is their size known.
    uncharged: usize,
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Malformed;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Malformed> {
        match self.left.checked_sub(1) {
            None => Ok(None),
            Some(left) => {
                self.left = left;
                if self.uncharged > 0 {
                    self.reader.charge(self.uncharged, size_of::<T::Value>())?;
                    self.uncharged = 0;
                }
                seed.deserialize(&mut *self.reader).map(Some)
            }
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> EnumAccess<'de> for &mut Reader<'de> {
    type Error = Malformed;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Malformed> {
        let variant = self.integer(4)? as u32;
        let variant = de::value::U32Deserializer::<Malformed>::new(variant);
        Ok((seed.deserialize(variant)?, self))
    }
}

impl<'de> VariantAccess<'de> for &mut Reader<'de> {
    type Error = Malformed;

    fn unit_variant(self) -> Result<(), Malformed> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Malformed> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        de::Deserializer::deserialize_tuple(self, length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        de::Deserializer::deserialize_tuple(self, fields.len(), visitor)
    }
}
