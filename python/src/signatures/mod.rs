//! XMSS signatures, and folds that show who of a registry has signed.

mod fold;
mod key;
mod message;
mod registry;

use droste_native::F;
use droste_native::hash_signature::PublicKey;
use pyo3::prelude::*;

pub use fold::SignatureFold;
pub use key::StoredKey;
pub use message::{
    SignedMessage, read_signatures, signatures_from_json, signatures_to_json, verify_signatures,
};
pub use registry::{Registry, SignatureBatch};

use crate::arrays::{bytes, element_array};
use crate::error::Error;

/// A public key from its 32 bytes.
fn public_key(object: &Bound<'_, PyAny>) -> PyResult<PublicKey> {
    Ok(PublicKey::from_bytes(&bytes(object)?).map_err(Error::from)?)
}

/// A message from its eight elements.
fn message(object: &Bound<'_, PyAny>) -> PyResult<[F; 8]> {
    element_array(object)
}

/// The JSON of a value, with the bytes that the command writes.
fn to_json<T: serde::Serialize>(value: &T) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::usage(error.to_string()))
}
