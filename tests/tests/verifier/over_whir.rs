//! Leaves over WHIR, in every hash.

use std::collections::BTreeSet;

use droste_native::codec::DecodeError;
use droste_native::stark::security::{BIRTHDAY, Preset, SecurityTerm};
use droste_native::whir::WhirSettings;
use droste_native::{F, HashId};
use droste_verifier::aggregate::{Aggregate, Aggregator, UnverifiedAggregate};
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file;
use droste_verifier::keys::Deriver;
use droste_verifier::plan::{LeafProgram, Planner};
use droste_verifier::proofs::{self, Known, ProofError};
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::stack::Stack;
use droste_vm::verifier::{VerifyError, VerifyOptions};
use p3_field::PrimeCharacteristicRing;

fn unverified(aggregate: &Aggregate) -> UnverifiedAggregate {
    file::decode(&file::encode(aggregate).unwrap()).unwrap()
}

/// Leaves over WHIR in every hash: their files are refused by name unless they are what they say,
/// natively and in the machine, and they are wrapped.
#[test]
fn leaves_are_wrapped_in_every_hash() {
    let program = |name| compile(droste_programs::source(name).unwrap(), &[]).unwrap();
    let (factorial, other) = (program("factorial"), program("fibonacci"));
    let public = [F::from_u32(5)];
    let execution = execute(&factorial, &public, &Tape::default(), 1 << 16).unwrap();
    let options = VerifyOptions::min_bits(0);
    let (planner, deriver) = (Planner::new(Deriver::new()), Deriver::new());
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let mut keys = BTreeSet::new();
    let mut terms: Option<Vec<SecurityTerm>> = None;
    for hash in HashId::ALL {
        let made = proofs::prove(hash, &factorial, &execution, &public, WhirSettings::toy());
        let made = made.unwrap();
        assert_eq!((made.says.hash, made.says.stack), (hash, Stack::Whir));
        let known = |program| Known::Program(program);
        let verify = |bytes: &[u8], program| proofs::verify(bytes, program, &public, options);
        let says = verify(&made.bytes, known(&factorial.program)).unwrap();
        assert_eq!(says.key, made.says.key);
        // In byte hashes, elements are not quite uniform.
        let mut own = says.security.without_eprint_2026_2056.terms;
        own.retain(|term| term.theorem != BIRTHDAY);
        let loss = if hash.is_of_bytes() {
            1.0 / 4096.0
        } else {
            0.0
        };
        for (own, other) in own.iter().zip(terms.get_or_insert_with(|| own.clone())) {
            assert!((other.bits - own.bits - loss).abs() < 1e-9, "{hash}: {own}");
        }
        let claimed = proofs::claimed(&made.bytes).unwrap();
        assert_eq!((claimed.hash, claimed.stack), (hash, Stack::Whir));
        let of_key = |settings: WhirSettings| {
            proofs::key(hash, &factorial, settings, Heights::Minimal)
                .unwrap()
                .0
        };
        assert_eq!(of_key(WhirSettings::toy()), claimed.key);
        // Keys differ by hash.
        assert!(keys.insert(claimed.key));

        let refused = |result: Result<_, ProofError>| match result.unwrap_err() {
            ProofError::Verify(error) => error,
            error => panic!("{hash}: {error}"),
        };
        let error = refused(verify(&made.bytes, known(&other.program)));
        assert!(matches!(
            error,
            VerifyError::Key { .. } | VerifyError::ProgramHeight { .. }
        ));
        let another = WhirSettings {
            cap_height: 1,
            ..WhirSettings::toy()
        };
        let error = refused(verify(&made.bytes, Known::Key(of_key(another))));
        assert!(matches!(error, VerifyError::Key { .. }));
        let limit = options.with_limit(1 << 12);
        let limited = proofs::verify(&made.bytes, known(&factorial.program), &public, limit);
        assert!(matches!(refused(limited), VerifyError::Limit { .. }));

        // The header says another hash, another version, or another stack.
        let with = |at: usize, byte: u8| {
            let mut bytes = made.bytes.clone();
            bytes[at] = byte;
            match verify(&bytes, known(&factorial.program)).unwrap_err() {
                ProofError::Decode(error) => error,
                error => panic!("{hash}: {error}"),
            }
        };
        assert_eq!(with(12, 4), DecodeError::UnknownHash(4));
        let (expected, found) = (5, 4);
        assert_eq!(with(8, 4), DecodeError::Version { expected, found });
        assert!(matches!(with(7, b'p'), DecodeError::Version { .. }));
        for number in (0..4).filter(|&number| number != made.bytes[12]) {
            let mut bytes = made.bytes.clone();
            bytes[12] = number;
            verify(&bytes, known(&factorial.program)).unwrap_err();
        }
        // Bytes everywhere, each of which is part of something that is checked.
        for at in (13..made.bytes.len()).step_by(made.bytes.len() / 150) {
            let mut bytes = made.bytes.clone();
            bytes[at] ^= 1;
            verify(&bytes, known(&factorial.program)).unwrap_err();
        }

        let program = LeafProgram::new(factorial.clone());
        let leaf = planner.proof(&made.bytes, &program, &public, options);
        assert_eq!(leaf.unwrap().hash(), hash);
        let wrap = aggregator.wrap_bytes(&made.bytes, &factorial, &public, options);
        let wrap = wrap.unwrap();
        assert!(aggregator.is_canonical(wrap.proof()));
        assert_eq!(wrap.tree().leaves()[0].0, claimed.key);
        let of_leaves = unverified(&wrap).keys_of_leaves(&factorial, options);
        assert_eq!(of_leaves.unwrap(), BTreeSet::from([claimed.key]));
        unverified(&wrap)
            .derive(&deriver, &AcceptedLeaves::Any)
            .unwrap();
    }
}
