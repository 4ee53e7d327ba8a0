//! The last proof of a chain, in Keccak.

use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{F, HashId};
use droste_verifier::aggregate::{AggregateError, Aggregator, exit_statement};
use droste_verifier::proofs::{self, Known};
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir;
use p3_field::PrimeCharacteristicRing;

use crate::{TOYS, aggregator};

#[test]
fn an_exit_says_the_claim_and_is_verified_as_any_proof() {
    let settings = WhirSettings::of_exit(Preset::Toy);
    let exit = |aggregate| aggregator().exit(aggregate, settings).unwrap();
    let (outer, inner) = (exit(&TOYS.outer), exit(&TOYS.inner));
    let statement = exit_statement(&TOYS.outer);
    assert_eq!(outer.proof.statement, statement);
    assert_ne!(statement, exit_statement(&TOYS.inner));
    // One key for all aggregates of the shape, and one proof more in the tree.
    assert_eq!(outer.proof.key, inner.proof.key);
    let before = TOYS.outer.accepted();
    assert_eq!(outer.accepted.proofs, before.proofs + 1);
    assert!(outer.accepted.tree_bits <= before.tree_bits);

    let bytes = whir::encode(&outer.proof).unwrap();
    let key = outer.proof.key.digest();
    let insecure = VerifyOptions::min_bits(0);
    let verify = |bytes: &[u8], key, statement: &[F]| {
        proofs::verify(bytes, Known::Key(key), statement, insecure)
    };
    let says = verify(&bytes, key, &statement).unwrap();
    assert_eq!(says.hash, HashId::Keccak);
    let mut other = statement;
    other[7] += F::ONE;
    verify(&bytes, key, &other).unwrap_err();
    verify(&bytes, before.root.key, &statement).unwrap_err();
    // The proof of another aggregate with this statement.
    let mut forged = inner.proof;
    forged.statement = statement;
    verify(&whir::encode(&forged).unwrap(), key, &statement).unwrap_err();
}

#[test]
fn only_aggregates_of_the_canonical_shape_have_an_exit() {
    let other = Aggregator::for_preset(Preset::Proven100, 2);
    let settings = WhirSettings::of_exit(Preset::Proven100);
    let refused = other.exit(&TOYS.outer, settings).unwrap_err();
    assert!(
        matches!(refused, AggregateError::OtherShape { .. }),
        "{refused}"
    );
}
