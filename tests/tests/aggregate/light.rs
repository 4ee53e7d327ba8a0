//! The crate that only verifies: it accepts what is expected, and names what is not.

use droste_verifier::file;
use droste_verifier::member::Membership;
use droste_verify::{Expected, ExpectedError, Kind, Refusal, verify_aggregate, verify_membership};
use droste_vm::key::KeyDigest;
use serde_json::{Value, json};

use crate::TOYS;

/// What is expected of the toy join, with a field of its object replaced.
fn expected(change: Option<(&str, Value)>) -> Result<Expected, serde_json::Error> {
    let outer = &TOYS.outer;
    let leaves = outer.tree().leaves();
    let mut object = json!({
        "key": outer.key().to_string(),
        "claim": KeyDigest(outer.claim()).to_string(),
        "leaves": [leaves[0].0.to_string()],
        "min_bits": 0,
    });
    if let Some((field, value)) = change {
        object[field] = value;
    }
    serde_json::from_value(object)
}

/// In which word the aggregate, or the membership, of these bytes is refused.
fn refusals(bytes: [&[u8]; 2], change: (&str, Value)) -> [Option<Kind>; 2] {
    let expected = expected(Some(change)).unwrap();
    let aggregate = verify_aggregate(bytes[0], &expected).err();
    let member = verify_membership(bytes[1], &expected).err();
    [aggregate, member].map(|refusal| refusal.as_ref().map(Refusal::kind))
}

#[test]
fn what_is_expected_is_accepted_and_everything_else_named() {
    let outer = &TOYS.outer;
    let aggregate = file::encode(outer).unwrap();
    let member = Membership::new(outer.tree(), outer.keys().claimed(), 2).unwrap();
    let member = file::member::encode(&member).unwrap();
    let honest = expected(None).unwrap();
    let accepted = verify_aggregate(&aggregate, &honest).unwrap();
    assert_eq!(accepted.accepted().bits, outer.accepted().bits);
    assert_eq!(accepted.tree(), outer.tree());
    let leaf = verify_membership(&member, &honest).unwrap();
    let leaves = outer.tree().leaves();
    assert_eq!((leaf.key, leaf.statement), leaves[2]);

    let refused = |field, value| refusals([&aggregate, &member], (field, value));
    let other = json!(KeyDigest(leaves[0].1).to_string());
    assert_eq!(refused("leaves", json!("any")), [None, None]);
    assert_eq!(refused("key", other.clone()), [Some(Kind::Key); 2]);
    assert_eq!(refused("claim", other.clone()), [Some(Kind::Claim); 2]);
    assert_eq!(refused("leaves", json!([other])), [Some(Kind::Leaf); 2]);
    assert_eq!(refused("leaves", json!([])), [Some(Kind::Leaf); 2]);
    assert_eq!(refused("min_bits", json!(100)), [Some(Kind::Bits); 2]);
    // A membership shows the bits of each proof, not those of all together.
    let tree_bits = refused("min_tree_bits", json!(100));
    assert_eq!(tree_bits, [Some(Kind::Bits), None]);
    let (short, long) = (
        &aggregate[..aggregate.len() - 1],
        [&member[..], &[0]].concat(),
    );
    let [files, members] = refusals([short, &long], ("min_bits", json!(0)));
    assert_eq!([files, members], [Some(Kind::File); 2]);
    let mut other = file::decode(&aggregate).unwrap();
    let inner = file::encode(&TOYS.inner).unwrap();
    other.proof.stark = file::decode(&inner).unwrap().proof.stark;
    let other = file::encode_unverified(&other).unwrap();
    let refused = verify_aggregate(&other, &honest).unwrap_err();
    assert_eq!(refused.kind(), Kind::Proof, "{refused}");
}

#[test]
fn what_is_expected_must_be_written_as_it_is_read() {
    let refused = |field, value| expected(Some((field, value))).unwrap_err().to_string();
    assert!(refused("key", json!("12")).starts_with("key: not a key digest"));
    assert!(refused("claim", json!("f".repeat(64))).contains("not below the modulus"));
    assert!(refused("leaves", json!(["12"])).starts_with("a leaf's key: "));
    let word = ExpectedError::Leaves("all".into());
    assert_eq!(refused("leaves", json!("all")), word.to_string());
    assert!(refused("bits", json!(0)).contains("unknown field `bits`"));
}
