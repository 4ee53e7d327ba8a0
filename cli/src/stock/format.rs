//! The bytes of proofs that Plonky3's own code makes, in the formats of serde in which they are kept.

use std::fmt::{self, Display, Formatter};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Length in bytes of the largest proof that is read: 16 MiB. An empty list is one byte of it and 24
/// of memory.
pub const MAX_BYTES: usize = 1 << 24;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProofFormat {
    /// That of the crate postcard.
    Postcard,
    /// The standard one of bincode 2.
    Bincode,
    /// That of bincode 1, which bincode 2 calls legacy: integers have a fixed length.
    BincodeFixed,
    /// JSON.
    Json,
}

/// Why bytes are no proof.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// There are more bytes than are read.
    #[error("the proof has {0} bytes, expected at most {MAX_BYTES}")]
    TooLong(usize),
    /// They cannot be decoded.
    #[error("these are not the bytes of a proof in {format}: {reason}")]
    Malformed {
        /// The format.
        format: ProofFormat,
        /// What is wrong.
        reason: String,
    },
    /// They say the same as the proof's own encoding, but are not it.
    #[error(
        "the proof is not in the form that {0} gives it, expected no unknown fields and no longer \
         forms of integers"
    )]
    OtherForm(ProofFormat),
    /// So many are left.
    #[error("{0} bytes follow the end of the proof, expected none")]
    TrailingBytes(usize),
}

impl ProofFormat {
    /// Decodes a value, which all of the bytes must be, as this format writes it: for each value
    /// there is one list of bytes, but for spaces and the order of fields in JSON.
    ///
    /// # Errors
    /// If they are not such a value in this format.
    pub fn decode<T: DeserializeOwned + Serialize>(self, bytes: &[u8]) -> Result<T, FormatError> {
        if bytes.len() > MAX_BYTES {
            return Err(FormatError::TooLong(bytes.len()));
        }
        let decoded: Result<(T, usize), String> = match self {
            Self::Postcard => postcard::take_from_bytes(bytes)
                .map(|(value, rest)| (value, rest.len()))
                .map_err(|error| error.to_string()),
            Self::Bincode => of_bincode(bytes, bincode::config::standard()),
            Self::BincodeFixed => of_bincode(bytes, bincode::config::legacy()),
            Self::Json => serde_json::from_slice(bytes)
                .map(|value| (value, 0))
                .map_err(|error| error.to_string()),
        };
        match decoded {
            Ok((value, 0)) if self.is_form_of(bytes, &value) => Ok(value),
            Ok((_, 0)) => Err(FormatError::OtherForm(self)),
            Ok((_, rest)) => Err(FormatError::TrailingBytes(rest)),
            Err(reason) => Err(FormatError::Malformed {
                format: self,
                reason,
            }),
        }
    }

    /// Returns whether bytes that were decoded to a value are its encoding.
    fn is_form_of<T: Serialize>(self, bytes: &[u8], value: &T) -> bool {
        let is_given = |encoded: Result<Vec<u8>, bincode::error::EncodeError>| {
            encoded.is_ok_and(|found| found == bytes)
        };
        match self {
            Self::Postcard => postcard::to_allocvec(value).is_ok_and(|found| found == bytes),
            Self::Bincode => is_given(bincode::serde::encode_to_vec(
                value,
                bincode::config::standard(),
            )),
            Self::BincodeFixed => is_given(bincode::serde::encode_to_vec(
                value,
                bincode::config::legacy(),
            )),
            Self::Json => {
                let given = serde_json::from_slice::<serde_json::Value>(bytes);
                let own = serde_json::to_value(value);
                matches!((given, own), (Ok(given), Ok(own)) if given == own)
            }
        }
    }
}

/// Decodes a value with a configuration of bincode, and says how many bytes are left.
fn of_bincode<T: DeserializeOwned>(
    bytes: &[u8],
    config: impl bincode::config::Config,
) -> Result<(T, usize), String> {
    let decoded = bincode::serde::decode_from_slice(bytes, config);
    let (value, read) = decoded.map_err(|error| error.to_string())?;
    Ok((value, bytes.len().saturating_sub(read)))
}

impl Display for ProofFormat {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Postcard => "postcard",
            Self::Bincode => "bincode",
            Self::BincodeFixed => "bincode-fixed",
            Self::Json => "json",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As each crate writes it.
    fn written(value: &[u64]) -> [(ProofFormat, Vec<u8>); 4] {
        let bincode = bincode::serde::encode_to_vec(value, bincode::config::standard());
        let fixed = bincode::serde::encode_to_vec(value, bincode::config::legacy());
        [
            (ProofFormat::Postcard, postcard::to_allocvec(value).unwrap()),
            (ProofFormat::Bincode, bincode.unwrap()),
            (ProofFormat::BincodeFixed, fixed.unwrap()),
            (ProofFormat::Json, serde_json::to_vec(value).unwrap()),
        ]
    }

    #[test]
    fn values_are_decoded_whole() {
        let value = vec![1_u64, 300, u64::MAX];
        for (format, bytes) in written(&value) {
            assert_eq!(format.decode::<Vec<u64>>(&bytes), Ok(value.clone()));
            let longer = [bytes.as_slice(), b"\0"].concat();
            let error = format.decode::<Vec<u64>>(&longer).unwrap_err();
            assert!(
                format == ProofFormat::Json || error == FormatError::TrailingBytes(1),
                "{error}"
            );
            let shorter = &bytes[..bytes.len() - 1];
            let error = format.decode::<Vec<u64>>(shorter).unwrap_err();
            let expected = format!("not the bytes of a proof in {format}: ");
            assert!(error.to_string().contains(&expected), "{error}");
        }
    }

    /// Other bytes of the same value are refused.
    #[test]
    fn values_have_one_form() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Height {
            bits: u64,
        }
        for (format, own, other) in [
            (ProofFormat::Postcard, &b"\x05"[..], &b"\x85\x00"[..]),
            (ProofFormat::Bincode, &b"\x05"[..], &b"\xfb\x05\x00"[..]),
            (
                ProofFormat::Json,
                &b"{ \"bits\": 5 }"[..],
                &b"{\"bits\":5,\"junk\":1}"[..],
            ),
        ] {
            let decoded = format.decode::<Height>(own);
            assert_eq!(decoded, Ok(Height { bits: 5 }), "{format}");
            let error = format.decode::<Height>(other).unwrap_err();
            assert_eq!(error, FormatError::OtherForm(format));
        }
    }

    /// A list that claims to be longer than the bytes is refused, and little is reserved for it.
    #[test]
    fn lengths_are_not_believed() {
        for (format, bytes) in [
            (ProofFormat::Postcard, vec![0xff, 0xff, 0xff, 0xff, 0x7f]),
            (ProofFormat::Bincode, vec![253, 0, 0, 0, 0, 1, 0, 0, 0]),
            (ProofFormat::BincodeFixed, vec![0, 0, 0, 0, 1, 0, 0, 0]),
        ] {
            assert!(format.decode::<Vec<u64>>(&bytes).is_err(), "{format}");
        }
        let error = ProofFormat::Json.decode::<Vec<u64>>(&vec![b' '; MAX_BYTES + 1]);
        assert_eq!(error, Err(FormatError::TooLong(MAX_BYTES + 1)));
    }
}
