//! What JavaScript calls.

use std::fmt;
use std::marker::PhantomData;

use droste_verifier::keys::Evidence;
use droste_verifier::summary::{AggregateSummary, FoldSummary, causes, integers};
use js_sys::{Date, Error, Reflect};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    Expected, FoldExpected, Refusal, file, verify_aggregate, verify_fold, verify_membership,
};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");

#[wasm_bindgen]
extern "C" {
    /// `Expected` of the declarations.
    #[wasm_bindgen(typescript_type = "Expected")]
    pub type JsExpected;
    /// `Aggregate` of the declarations.
    #[wasm_bindgen(typescript_type = "Aggregate")]
    pub type JsAggregate;
    /// `Member` of the declarations.
    #[wasm_bindgen(typescript_type = "Member")]
    pub type JsMember;
    /// `FoldExpected` of the declarations.
    #[wasm_bindgen(typescript_type = "FoldExpected")]
    pub type JsFoldExpected;
    /// `Fold` of the declarations.
    #[wasm_bindgen(typescript_type = "Fold")]
    pub type JsFold;
}

/// A leaf, as a membership shows it.
#[derive(Serialize)]
struct MemberSummary {
    key: String,
    statement: Vec<u32>,
    position: Vec<u32>,
    proven_bits: usize,
}

/// Verifies the aggregate in a file against what is expected. Throws a `Refusal`.
///
/// # Errors
/// Why it is refused.
#[wasm_bindgen(js_name = verifyAggregate)]
pub fn aggregate(bytes: &[u8], expected: JsExpected) -> Result<JsAggregate, JsValue> {
    let expected: Expected = expectation(expected.into())?;
    let start = Date::now();
    let aggregate = verify_aggregate(bytes, &expected).map_err(|refusal| refused(&refusal))?;
    let summary = AggregateSummary::new(&aggregate, Evidence::Pinned, Date::now() - start);
    let summary = summary.map_err(|error| failure("file", &error))?;
    Ok(value(&summary)?.into())
}

/// Says what the aggregate in a file says of itself, after verifying it under the keys that it
/// lists, which nothing shows to be good: `keys_are` is `"claimed"`. Throws a `Refusal`.
///
/// # Errors
/// Why it is not even consistent in itself.
#[wasm_bindgen(js_name = inspectAggregate)]
pub fn inspect(bytes: &[u8]) -> Result<JsAggregate, JsValue> {
    let start = Date::now();
    let refuse = |refusal: Refusal| refused(&refusal);
    let aggregate = file::decode(bytes).map_err(|error| refuse(error.into()))?;
    let accepted = aggregate.check().map_err(|error| refuse(error.into()))?;
    let summary = AggregateSummary::claimed(&aggregate, &accepted, Date::now() - start);
    let summary = summary.map_err(|error| failure("file", &error))?;
    Ok(value(&summary)?.into())
}

/// Verifies the membership in a file against what is expected. Throws a `Refusal`.
///
/// # Errors
/// Why it is refused.
#[wasm_bindgen(js_name = verifyMembership)]
pub fn membership(bytes: &[u8], expected: JsExpected) -> Result<JsMember, JsValue> {
    let expected: Expected = expectation(expected.into())?;
    let member = verify_membership(bytes, &expected).map_err(|refusal| refused(&refusal))?;
    let summary = MemberSummary {
        key: member.key.to_string(),
        statement: integers(&member.statement),
        position: member.position,
        proven_bits: member.bits,
    };
    Ok(value(&summary)?.into())
}

/// Verifies the fold in a file against what is expected. Throws a `Refusal`.
///
/// # Errors
/// Why it is refused.
#[wasm_bindgen(js_name = verifyFold)]
pub fn fold(bytes: &[u8], expected: JsFoldExpected) -> Result<JsFold, JsValue> {
    let expected: FoldExpected = expectation(expected.into())?;
    let start = Date::now();
    let folded = verify_fold(bytes, &expected).map_err(|refusal| refused(&refusal))?;
    let summary = FoldSummary::new(&folded, Date::now() - start);
    let summary = summary.map_err(|error| failure("file", &error))?;
    Ok(value(&summary)?.into())
}

/// Says what the fold in a file says of itself, after verifying it under the rules that it lists,
/// which nothing shows to be good: `keys_are` is `"claimed"`. Throws a `Refusal`.
///
/// # Errors
/// Why it is not even consistent in itself.
#[wasm_bindgen(js_name = inspectFold)]
pub fn inspect_fold(bytes: &[u8]) -> Result<JsFold, JsValue> {
    let start = Date::now();
    let refuse = |refusal: Refusal| refused(&refusal);
    let fold = file::fold::decode(bytes).map_err(|error| refuse(error.into()))?;
    let accepted = fold.check().map_err(|error| refuse(error.into()))?;
    let summary = FoldSummary::claimed(&fold, &accepted, Date::now() - start);
    let summary = summary.map_err(|error| failure("file", &error))?;
    Ok(value(&summary)?.into())
}

/// What is expected, read as a map. As a struct only fields that it has would be looked up, and a
/// misspelt one be passed over, so that fewer bits are asked for than the caller believes.
struct AllFields<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for AllFields<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = AllFields<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<AllFields<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(fields)).map(AllFields)
            }
        }

        deserializer.deserialize_map(Fields(PhantomData))
    }
}

fn expectation<T: DeserializeOwned>(expected: JsValue) -> Result<T, JsValue> {
    if !expected.is_object() {
        return Err(thrown("expected", "what is expected is not an object"));
    }
    match serde_wasm_bindgen::from_value(expected) {
        Ok(AllFields(expected)) => Ok(expected),
        Err(error) => {
            // It puts this before every message.
            let text = error.to_string();
            Err(thrown("expected", text.trim_start_matches("Error: ")))
        }
    }
}

fn value(summary: &impl Serialize) -> Result<JsValue, JsValue> {
    let value = serde_wasm_bindgen::to_value(summary);
    value.map_err(|error| failure("file", &error))
}

fn refused(refusal: &Refusal) -> JsValue {
    failure(refusal.kind().word(), refusal)
}

fn failure(kind: &str, error: &dyn std::error::Error) -> JsValue {
    thrown(kind, &causes(error))
}

/// An error with the field `kind`.
fn thrown(kind: &str, message: &str) -> JsValue {
    let thrown = Error::new(message);
    thrown.set_name("Refusal");
    // An object that was just made takes any field.
    let _ = Reflect::set(&thrown, &"kind".into(), &kind.into());
    thrown.into()
}
