//! Which leaves are accepted: a recursion proof whose children the tree hides is a leaf, too.

use droste_native::{FriSettings, Poseidon16Suite};
use droste_verifier::aggregate::{
    AcceptError, AggregateError, AggregateOptions, UnverifiedAggregate,
};
use droste_verifier::claim::{AcceptedLeaves, Claim, ClaimError};
use droste_verifier::file;
use droste_verifier::keys::{ClaimedKeys, Deriver, DigestKind};
use droste_vm::compiler::compile;
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use droste_vm::verifier::{VerifyError, VerifyOptions};

use crate::{ANY, TOYS, aggregator, copy, leaf, toy, verified};

fn program(name: &str) -> Program {
    let source = droste_programs::source(name).unwrap();
    compile(source, &[]).unwrap().program
}

fn decoded(bytes: &[u8]) -> UnverifiedAggregate {
    file::decode(bytes).unwrap()
}

/// A proof of few bits is wrapped and joined with others. The file says that the wrap is a leaf, so
/// that the bits are those of the other proofs.
#[test]
fn a_weak_proof_behind_a_leaf_is_accepted_only_on_demand() {
    let weak = FriSettings {
        num_queries: 1,
        ..toy()
    };
    let proof = leaf::<Poseidon16Suite>("factorial", 5, weak);
    let weak_key = proof.key.digest();
    let wrap = aggregator().wrap(&verified(proof)).unwrap();
    let (wrap_key, weak_bits) = (wrap.tree().key, wrap.accepted().bits);
    let join = aggregator().join(vec![wrap, copy(&TOYS.wraps[0])]).unwrap();
    let claim = join.claim();
    let honest = file::encode(&join).unwrap();
    let usual_key = TOYS.wraps[0].tree().leaves()[0].0;

    let mut hiding = decoded(&honest);
    let Claim::Children(children) = &mut hiding.tree.claim else {
        panic!("{:?}", hiding.tree);
    };
    children[0].claim = Claim::Statement(children[0].claim.statement());
    let mut keys = ClaimedKeys::default();
    for (key, listed) in hiding.keys.iter().filter(|(key, _)| *key != wrap_key) {
        keys.insert(key, listed.bits, listed.recipe.clone());
    }
    hiding.keys = keys;
    let (key, bits) = (hiding.key(), hiding.check().unwrap().bits);
    assert!(bits > weak_bits, "{bits}, {weak_bits}");
    let hiding = file::encode_unverified(&hiding).unwrap();

    let verify = |keys: &[KeyDigest]| {
        let leaves = keys.iter().copied().collect();
        decoded(&hiding).verify(key, &claim, AggregateOptions::min_bits(bits), &leaves)
    };
    let refused = verify(&[weak_key, usual_key]).unwrap_err();
    let leaf = matches!(refused, AcceptError::Claim(ClaimError::Leaf(key)) if key == wrap_key);
    assert!(leaf, "{refused}");
    // Whoever accepts any leaf, or takes the keys from the file, is told what is known here.
    let any = decoded(&hiding)
        .verify(key, &claim, AggregateOptions::min_bits(bits), ANY)
        .unwrap();
    let taken = verify(&[wrap_key, usual_key]).unwrap();
    let deriver = Deriver::new();
    assert!(deriver.hidden_leaves(&any).unwrap().is_empty());
    decoded(&honest).derive(&deriver, ANY).unwrap();
    assert_eq!(deriver.hidden_leaves(&any), Ok([wrap_key].into()));
    assert_eq!(
        deriver.hidden_leaves(&taken),
        Err(ClaimError::Hidden(wrap_key))
    );

    // The keys of the program at the parameters of the leaves: those of both proofs.
    let keys_of = |name: &str, limit| {
        let options = VerifyOptions::default().with_limit(limit);
        decoded(&honest).keys_of_leaves(program(name), options)
    };
    let factorial = keys_of("factorial", 1 << 12).unwrap();
    assert_eq!(factorial, [weak_key, usual_key].into());
    let verify = |leaves: &AcceptedLeaves| {
        decoded(&honest).verify(
            join.key(),
            &claim,
            AggregateOptions::min_bits(weak_bits),
            leaves,
        )
    };
    let accepted = verify(&AcceptedLeaves::Keys(factorial.clone())).unwrap();
    assert_eq!(accepted.accepted().leaves, AcceptedLeaves::Keys(factorial));
    let other = keys_of("fibonacci", 1 << 12).unwrap();
    let refused = verify(&AcceptedLeaves::Keys(other)).unwrap_err();
    let leaf = matches!(refused, AcceptError::Claim(ClaimError::Leaf(key)) if key == weak_key);
    assert!(leaf, "{refused}");
    // A key set looks like the key of a leaf.
    let is = DigestKind::KeySet;
    let set = join.key();
    let refused = verify(&[set].into_iter().collect()).unwrap_err();
    let AcceptError::Claim(refused) = refused else {
        panic!("{refused}");
    };
    assert_eq!(refused, ClaimError::NoLeafKey { key: set, is });
    let refused = keys_of("factorial", 1 << 6).unwrap_err();
    let AggregateError::Accept(AcceptError::Verify(VerifyError::Limit { rows, limit })) = refused
    else {
        panic!("{refused}");
    };
    assert_eq!(limit, 1 << 6);
    assert_eq!(keys_of("factorial", rows).unwrap().len(), 2);
    keys_of("factorial", rows - 1).unwrap_err();
}
