//! The crate that only verifies: it accepts what is expected, and names what is not.

use droste_native::whir::WhirSettings;
use droste_native::{F, HashId};
use droste_verifier::file;
use droste_verifier::fold::{Counters, Family, FoldClaim, UnverifiedFold, state_of};
use droste_verifier::keys::Evidence;
use droste_verifier::member::Membership;
use droste_verifier::proofs;
use droste_verify::{
    Expected, ExpectedError, FoldExpected, Kind, Refusal, verify_aggregate, verify_fold,
    verify_membership,
};
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::key::KeyDigest;
use droste_vm::whir;
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

/// Proofs of a program that says whatever it is given: the verifier does not see what a listed
/// program computes.
fn says(statement: [F; 8]) -> whir::Proof {
    let text = "use droste_gadgets::prelude::*;
        pub fn main() { for _i in 0..8 { let _said = public_input(); } }";
    let program = compile(text, &[]).unwrap();
    let execution = execute(&program, &statement, &Tape::default(), 1 << 16).unwrap();
    let (hash, settings) = (HashId::Poseidon16, WhirSettings::toy());
    let proved = proofs::prove(hash, &program, &execution, &statement, settings).unwrap();
    whir::decode(&proved.bytes).unwrap()
}

/// A fold of one rule, whose state is two blocks.
fn fold() -> UnverifiedFold {
    let state = state_of(&[[1, 2, 3, 4, 5, 6, 7, 8], [9; 8]]).unwrap();
    let rule = says(Default::default()).key.digest();
    let claim = FoldClaim {
        family: Family::new(120, 120, vec![rule]).unwrap(),
        counters: Counters {
            rules: 4,
            behind: 2,
            depth: 1,
        },
        state,
    };
    UnverifiedFold {
        proof: says(claim.statement()),
        family: claim.family,
        counters: claim.counters,
        state: claim.state,
    }
}

#[test]
fn folds_are_accepted_as_expected_and_everything_else_named() {
    let made = fold();
    let (key, bytes) = (made.key(), file::fold::encode_unverified(&made).unwrap());
    let verify = |bytes: &[u8], change: Option<(&str, Value)>| {
        let mut object = json!({ "key": key.to_string(), "state": "any", "min_bits": 0 });
        if let Some((field, value)) = change {
            object[field] = value;
        }
        verify_fold(bytes, &serde_json::from_value(object).unwrap())
    };
    let refused = |field, value| {
        let refusal = verify(&bytes, Some((field, value))).err();
        refusal.as_ref().map(Refusal::kind)
    };
    let folded = verify(&bytes, None).unwrap();
    assert_eq!(folded.state(), made.state);
    assert_eq!(folded.evidence(), Evidence::Pinned);
    let state = json!([[1, 2, 3, 4, 5, 6, 7, 8], [9, 9, 9, 9, 9, 9, 9, 9]]);
    for (field, value) in [
        ("state", state),
        ("max_proofs", json!(6)),
        ("max_depth", json!(1)),
    ] {
        assert_eq!(refused(field, value), None, "{field}");
    }
    let other = json!([[1, 2, 3, 4, 5, 6, 7, 9], [9, 9, 9, 9, 9, 9, 9, 9]]);
    let short = json!([[1, 2, 3, 4, 5, 6, 7, 8]]);
    for (field, value, kind) in [
        ("key", json!("00".repeat(32)), Kind::Key),
        ("state", other, Kind::State),
        ("state", short, Kind::State),
        ("state", json!([]), Kind::State),
        ("max_proofs", json!(5), Kind::Bits),
        ("max_depth", json!(0), Kind::Bits),
        ("min_tree_bits", json!(100), Kind::Bits),
    ] {
        assert_eq!(refused(field, value), Some(kind), "{field}: {kind:?}");
    }

    let changed = |change: fn(&mut UnverifiedFold)| {
        let mut fold = file::fold::decode(&bytes).unwrap();
        change(&mut fold);
        let expected = FoldExpected::of_text(&fold.key().to_string()).unwrap();
        let bytes = file::fold::encode_unverified(&fold).unwrap();
        let refusal = verify_fold(&bytes, &expected).unwrap_err();
        refusal.kind()
    };
    assert_eq!(changed(|fold| fold.counters.depth += 1), Kind::State);
    assert_eq!(changed(|fold| fold.counters.rules = 0), Kind::State);
    assert_eq!(
        changed(|fold| fold.family.keys[0] = KeyDigest([F::new(1); 8])),
        Kind::Rule
    );
    assert_eq!(changed(|fold| fold.family.keys.clear()), Kind::File);
    // By default a hundred bits are asked for, which the toy's root does not have.
    assert_eq!(changed(|_| ()), Kind::Bits);
    let cut = verify(&bytes[..bytes.len() - 1], None).unwrap_err();
    assert_eq!(cut.kind(), Kind::File);
    let aggregate = file::encode(&TOYS.outer).unwrap();
    let other = verify(&aggregate, None).unwrap_err();
    assert_eq!(other.to_string(), file::FileError::FoldMagic.to_string());
}

#[test]
fn what_is_expected_of_a_fold_must_be_written_as_it_is_read() {
    let refused = |field: &str, value| {
        let mut object = json!({ "key": "00".repeat(32), "state": "any" });
        object[field] = value;
        let expected = serde_json::from_value::<FoldExpected>(object);
        expected.unwrap_err().to_string()
    };
    // Whoever asks for no state says so.
    let without = serde_json::from_value::<FoldExpected>(json!({ "key": "00".repeat(32) }));
    let words = without.unwrap_err().to_string();
    assert!(words.contains("missing field `state`"), "{words}");
    for none in [Value::Null, json!(false), json!({})] {
        let words = refused("state", none);
        assert!(words.contains("or `any`"), "{words}");
    }
    let words = refused("state", json!("all"));
    assert!(words.contains("or `any`, not `all`"), "{words}");
    assert!(refused("key", json!("12")).starts_with("key: not a key digest"));
    let (eight, nine) = ([0; 8], [0; 9]);
    let words = refused("state", json!([eight, nine]));
    assert!(
        words.starts_with("block 1 of the state has 9 integers"),
        "{words}"
    );
    let words = refused("state", json!([[0, 0, 0, 0, 0, 0, 0, 2_130_706_433_u32]]));
    assert!(words.contains("not below"), "{words}");
    assert!(refused("max_depth", json!(-1)).contains("invalid value"));
    assert!(refused("claim", json!("")).contains("unknown field `claim`"));
}
