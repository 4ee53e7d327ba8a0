//! Public keys and signatures as bytes.
//!
//! An element is the 4 little-endian bytes of its canonical value. A public key is its root, then
//! its parameter: 32 bytes. A signature is its randomness, its chain values, then its path: 1208
//! bytes at the default parameters. So each has one encoding, of a length that the parameters say.

use thiserror::Error;

use super::{Fixed, Parameters, PublicKey, Signature, TweakableHash, Xmss};

/// What is not the encoding of a public key, a signature or a
/// [`SignedMessage`](super::SignedMessage).
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum DecodeError {
    /// There are more or less of something than the parameters say.
    #[error("{found} {what}, expected {expected}")]
    Length {
        /// What there should be.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A number is not below the modulus.
    #[error("element {index} of {field} is not canonical")]
    NotCanonical {
        /// The field.
        field: &'static str,
        /// Number of the element, counted through all values of the field.
        index: usize,
    },
    /// The digits that are stated are not those of the message.
    #[error("the encoding does not have the digits of the message")]
    Encoding,
}

/// Takes values from bytes whose number was checked.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn value<T: Fixed>(&mut self, field: &'static str, before: usize) -> Result<T, DecodeError> {
        let (value, rest) = self.0.split_at_checked(T::BYTES).unwrap_or((self.0, &[]));
        self.0 = rest;
        T::read(value).map_err(|index| DecodeError::NotCanonical {
            field,
            index: before + index,
        })
    }

    fn list<T: Fixed>(&mut self, field: &'static str, count: u32) -> Result<Vec<T>, DecodeError> {
        (0..count as usize)
            .map(|i| self.value(field, i * T::ELEMENTS))
            .collect()
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), DecodeError> {
    if found == expected {
        Ok(())
    } else {
        Err(DecodeError::Length {
            what,
            found,
            expected,
        })
    }
}

impl<H: TweakableHash> PublicKey<H> {
    /// Length of a public key in bytes.
    pub const BYTES: usize = H::Digest::BYTES + H::Parameter::BYTES;

    /// The encoding.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::BYTES);
        self.root.write(&mut bytes);
        self.parameter.write(&mut bytes);
        bytes
    }

    /// The public key of an encoding.
    ///
    /// # Errors
    /// If the length is not [`Self::BYTES`] or an element is not canonical.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        check_length("bytes of a public key", bytes.len(), Self::BYTES)?;
        let mut reader = Reader(bytes);
        Ok(Self {
            root: reader.value("root", 0)?,
            parameter: reader.value("parameter", 0)?,
        })
    }
}

impl<H: TweakableHash> Signature<H> {
    /// The encoding.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.randomness.write(&mut bytes);
        let values = self.chain_values.iter().chain(&self.path);
        values.for_each(|value| value.write(&mut bytes));
        bytes
    }

    /// The signature of an encoding. Nothing is verified.
    ///
    /// # Errors
    /// If the length is not [`Xmss::signature_bytes`] or an element is not canonical.
    pub fn from_bytes(scheme: &Xmss<H>, bytes: &[u8]) -> Result<Self, DecodeError> {
        check_length(
            "bytes of a signature",
            bytes.len(),
            scheme.signature_bytes(),
        )?;
        let Parameters { chains, levels, .. } = *scheme.parameters();
        let mut reader = Reader(bytes);
        Ok(Self {
            randomness: reader.value("randomness", 0)?,
            chain_values: reader.list("chain_values", chains)?,
            path: reader.list("path", levels)?,
        })
    }
}

impl<H: TweakableHash> Xmss<H> {
    /// Length of a signature in bytes.
    pub fn signature_bytes(&self) -> usize {
        let Parameters { chains, levels, .. } = *self.parameters();
        H::Randomness::BYTES + (chains + levels) as usize * H::Digest::BYTES
    }
}
