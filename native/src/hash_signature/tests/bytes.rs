//! Encodings are unique: whatever is not one is refused by name.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::field::MODULUS;

#[test]
fn encodings_of_other_lengths_are_refused() {
    let signed = &vectors()[0];
    let key = signed.public_key.to_bytes();
    let signature = signed.signature.to_bytes();
    assert_eq!(key.len(), 32);
    assert_eq!(signature.len(), 1208);
    for length in 0..2 * key.len() {
        let mut bytes = key.clone();
        bytes.resize(length, 0);
        let what = "bytes of a public key";
        let (found, expected) = (length, key.len());
        let refused = DecodeError::Length {
            what,
            found,
            expected,
        };
        let result = PublicKey::from_bytes(&bytes);
        assert_eq!(
            result,
            if length == 32 {
                Ok(signed.public_key)
            } else {
                Err(refused)
            }
        );
    }
    for length in 0..signature.len() + 5 {
        let mut bytes = signature.clone();
        bytes.resize(length, 0);
        let result = Signature::from_bytes(&Xmss::DEFAULT, &bytes);
        assert_eq!(result.is_ok(), length == signature.len());
    }
    // The length is that of the parameters.
    assert!(Signature::from_bytes(&small(), &signature).is_err());
}

#[test]
fn numbers_at_and_above_the_modulus_are_refused_by_name() {
    let signed = &vectors()[0];
    let signature = signed.signature.to_bytes();
    for value in [MODULUS, u32::MAX] {
        for word in 0..signature.len() / 4 {
            let mut bytes = signature.clone();
            bytes[4 * word..][..4].copy_from_slice(&value.to_le_bytes());
            let (field, index) = match word {
                0..6 => ("randomness", word),
                6..174 => ("chain_values", word - 6),
                _ => ("path", word - 174),
            };
            let refused = DecodeError::NotCanonical { field, index };
            assert_eq!(Signature::from_bytes(&Xmss::DEFAULT, &bytes), Err(refused));
        }
        for word in 0..8 {
            let mut bytes = signed.public_key.to_bytes();
            bytes[4 * word..][..4].copy_from_slice(&value.to_le_bytes());
            let field = if word < 4 { "root" } else { "parameter" };
            let refused = DecodeError::NotCanonical {
                field,
                index: word % 4,
            };
            assert_eq!(
                PublicKey::<TweakablePoseidon16>::from_bytes(&bytes),
                Err(refused)
            );
        }
    }
}

#[test]
fn json_is_written_as_it_was_read() {
    let entries: Value = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(serde_json::to_value(vectors()).unwrap(), entries);
}

/// What reading the first vector says after a change.
fn read(change: impl FnOnce(&mut Value)) -> Result<SignedMessage, String> {
    let mut entries: Value = serde_json::from_str(VECTORS).unwrap();
    let entry = &mut entries[0];
    change(entry);
    serde_json::from_str(&entry.to_string()).map_err(|error| error.to_string())
}

#[test]
fn json_that_is_not_canonical_is_refused_by_name() {
    for field in ["message", "root", "public_param", "randomness"] {
        let error = read(|entry| entry[field][3] = json!(MODULUS)).unwrap_err();
        assert_eq!(error, format!("element 3 of {field} is not canonical"));
        assert!(read(|entry| entry[field][3] = json!(MODULUS - 1)).is_ok() || field != "root");
        assert!(read(|entry| entry[field][3] = json!(-1)).is_err());
        for value in [1 << 32, u64::MAX] {
            let error = read(|entry| entry[field][3] = json!(value)).unwrap_err();
            assert_eq!(error, format!("element 3 of {field} is not canonical"));
        }
        assert!(read(|entry| entry[field] = json!([1, 2, 3])).is_err());
    }
    for (field, expected) in [("chain_tips", 42), ("path", 32)] {
        let error = read(|entry| entry[field][5][1] = json!(u32::MAX)).unwrap_err();
        assert_eq!(error, format!("element 21 of {field} is not canonical"));
        let error = read(|entry| drop(entry[field].as_array_mut().unwrap().pop())).unwrap_err();
        let found = expected - 1;
        assert_eq!(error, format!("{found} {field}, expected {expected}"));
    }
    assert!(read(|entry| entry["slot"] = json!(1u64 << 32)).is_err());
    assert!(read(|entry| entry["comment"] = json!("")).is_err());
}

#[test]
fn json_may_leave_out_the_encoding_but_not_state_another() {
    let without = read(|entry| drop(entry.as_object_mut().unwrap().remove("encoding")));
    assert_eq!(without.as_ref(), vectors().first().ok_or(&String::new()));
    for encoding in [json!([]), json!(vec![0; 42]), json!(vec![0; 43])] {
        let error = read(|entry| entry["encoding"] = encoding).unwrap_err();
        assert_eq!(error, DecodeError::Encoding.to_string());
    }
    let one_off = read(|entry| entry["encoding"][41] = json!(5)).unwrap_err();
    assert_eq!(one_off, DecodeError::Encoding.to_string());
    assert!(read(|entry| drop(entry.as_object_mut().unwrap().remove("path"))).is_err());
}

fn digest() -> impl Strategy<Value = [F; 4]> {
    proptest::array::uniform4((0..MODULUS).prop_map(F::new))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn encodings_round_trip(
        root in digest(),
        parameter in digest(),
        randomness in proptest::array::uniform6((0..MODULUS).prop_map(F::new)),
        chain_values in proptest::collection::vec(digest(), 8),
        path in proptest::collection::vec(digest(), 4),
    ) {
        let public_key: PublicKey = PublicKey { root, parameter };
        prop_assert_eq!(PublicKey::from_bytes(&public_key.to_bytes()), Ok(public_key));
        let signature: Signature = Signature { randomness, chain_values, path };
        let bytes = signature.to_bytes();
        prop_assert_eq!(bytes.len(), small().signature_bytes());
        prop_assert_eq!(Signature::from_bytes(&small(), &bytes), Ok(signature));
    }

    #[test]
    fn bytes_are_refused_or_are_the_encoding(
        bytes in proptest::collection::vec(prop_oneof![6 => any::<u8>(), 1 => Just(0x7f)], 216),
        high in 0u8..0x81,
    ) {
        let mut bytes = bytes;
        // Most words are below the modulus.
        bytes.iter_mut().skip(3).step_by(4).for_each(|byte| *byte = (*byte).min(high));
        if let Ok(signature) = Signature::from_bytes(&small(), &bytes) {
            prop_assert_eq!(signature.to_bytes(), bytes);
        }
    }
}
