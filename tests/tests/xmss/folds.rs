//! Folds of batches: who is counted, what is refused, and which sizes there are.

use std::ops::ControlFlow;
use std::sync::Arc;

use droste_native::F;
use droste_native::hash_signature::{Parameters, PublicKey, SecretKey, SignedMessage, Xmss};
use droste_native::stark::security::Preset;
use droste_verifier::file;
use droste_verifier::fold::plan::run;
use droste_verifier::fold::{Options, RefusedFold};
use droste_verifier::keys::Deriver;
use droste_verifier::plan::Store;
use droste_verifier::xmss::{
    DEFAULT_BATCH, MAX_BATCH, Registry, SignatureBatch, SignatureBatchProgram, SignatureFold,
    SignatureFoldError, Signers, SignersError, Wanted,
};
use droste_vm::whir;
use p3_field::PrimeCharacteristicRing;

use super::{MESSAGE, SMALL, signed};

/// Two aggregators prove overlapping signatures, and the fold of both counts each signer once. It
/// is refused for another slot, message, registry, set of signers, number or scheme.
#[test]
fn a_fold_counts_each_signer_once() {
    let scheme = Xmss::new(SMALL).expect("a scheme");
    let sign = |seed: u8, slot: u32| {
        let key = SecretKey::generate(scheme, &[seed; 32], 5..=6).expect("a key");
        SignedMessage::new(&key, slot, MESSAGE).expect("a signature")
    };
    let all: Vec<SignedMessage> = (0..6).map(|seed| sign(seed, 5)).collect();
    let keys: Vec<PublicKey> = all.iter().map(|signed| signed.public_key).collect();
    let registry = Arc::new(Registry::new(keys.clone()).expect("different keys"));
    let deriver = Arc::new(Deriver::new());
    let rules = |registry: &Arc<Registry>, scheme| {
        let program = SignatureBatchProgram::new(Arc::clone(registry), scheme, 2);
        let program = program.expect("a program");
        SignatureFold::new(program, Preset::Toy, Arc::clone(&deriver)).expect("a fold")
    };
    let fold = rules(&registry, scheme);
    let folder = tempfile::TempDir::new().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let group = |fold: &SignatureFold, signed: &[SignedMessage]| {
        let batches = fold.prover().program().batches(signed.to_vec());
        batches.expect("batches")
    };
    let prove = |batches: &[SignatureBatch]| -> Vec<Vec<u8>> {
        let proofs = batches.iter().map(|batch| {
            let proof = fold.prover().prove_kept(batch, &store).expect("a proof");
            // It is not proved again.
            assert!(fold.prover().kept(&batch.claim(), &store).is_some());
            proof
        });
        proofs.collect()
    };
    let aggregate = |signed: &[SignedMessage]| {
        let batches = group(&fold, signed);
        let proofs = prove(&batches);
        let plan = fold.plan(&batches, &proofs).expect("a plan");
        let leaf = |index: usize| Ok(proofs[index].clone());
        let folded = run(fold.fold(), &plan, &store, leaf, |_| {
            ControlFlow::Continue(())
        });
        let folded = folded.expect("a fold");
        let bytes = file::fold::encode(&folded).expect("it can be encoded");
        (bytes, fold.signers(&batches))
    };
    let options = Options::min_bits(0);
    let read = |bytes: &[u8]| file::fold::decode(bytes).expect("a fold");
    let accept = |(bytes, signers): &(Vec<u8>, Signers)| {
        let folded = fold.fold().accept(read(bytes), &options);
        (folded.expect("valid"), signers.clone())
    };
    // Of three batches and of one. Key 4 signs according to both.
    let left = aggregate(&[2, 0, 1, 4, 3].map(|number: usize| all[number].clone()));
    let right = aggregate(&[4, 5].map(|number: usize| all[number].clone()));
    let united = fold.unite(accept(&left), accept(&right));
    let (united, signers) = united.expect("both are of one message");
    let places = |signers: &Signers| signers.places().collect::<Vec<_>>();
    assert_eq!(places(&left.1), [0, 1, 2, 3, 4]);
    assert_eq!(places(&signers), [0, 1, 2, 3, 4, 5]);

    let proofs = united.counters().proofs();
    let bytes = file::fold::encode(&united).expect("it can be encoded");
    let wanted = Wanted {
        slot: 5,
        message: MESSAGE,
        min_signers: 6,
    };
    let (_, claim) = fold.check(read(&bytes), &wanted, &options).expect("valid");
    assert_eq!((claim.slot, claim.count), (5, 6));
    claim.check(&signers).expect("the signers");
    claim.check(&left.1).expect_err("others have signed");
    let refused = |edit: &dyn Fn(&mut Wanted)| {
        let mut other = wanted;
        edit(&mut other);
        let refused = fold.check(read(&bytes), &other, &options);
        refused.expect_err("refused").to_string()
    };
    assert_eq!(
        refused(&|wanted| wanted.slot = 6),
        "the fold is about slot 5, expected 6"
    );
    let error = refused(&|wanted| wanted.message[7] += F::ONE);
    assert!(
        error.starts_with("the fold is about the message "),
        "{error}"
    );
    assert_eq!(
        refused(&|wanted| wanted.min_signers = 7),
        "6 keys have signed, expected at least 7"
    );
    // The same keys in another order have the same fold key, and another root.
    let mut keys = keys;
    keys.swap(3, 4);
    let swapped = Arc::new(Registry::new(keys).expect("different keys"));
    let elsewhere = rules(&swapped, scheme);
    assert_eq!(elsewhere.fold().key(), fold.fold().key());
    let about_the_registry = "the fold is about the registry ";
    let error = elsewhere.check(read(&bytes), &wanted, &options);
    let error = error.expect_err("another registry").to_string();
    assert!(error.starts_with(about_the_registry), "{error}");
    let error = elsewhere.unite(accept(&left), accept(&right));
    let error = error.expect_err("another registry").to_string();
    assert!(error.starts_with(about_the_registry), "{error}");
    // What a fold says cannot be changed.
    for block in 0..5 {
        let mut lie = read(&bytes);
        lie.state[block][0] += F::ONE;
        let error = fold.check(lie, &wanted, &options);
        let error = error.expect_err("another state");
        assert!(matches!(error, SignersError::Refused(_)), "{error}");
    }
    // Another scheme, which whoever forges would choose, has another fold key.
    for other in [
        Parameters {
            target_sum: SMALL.target_sum - 1,
            ..SMALL
        },
        Parameters { levels: 4, ..SMALL },
    ] {
        let easier = rules(&registry, Xmss::new(other).expect("a scheme"));
        let error = easier.check(read(&bytes), &wanted, &options);
        let error = error.expect_err("another key");
        assert!(
            matches!(error, SignersError::Refused(RefusedFold::Key { .. })),
            "{error}"
        );
    }

    // Whose signers are known adds none, so its proofs do not count again.
    let whole = (bytes, signers);
    for (one, other) in [(&whole, &whole), (&whole, &left), (&right, &whole)] {
        let same = fold.unite(accept(one), accept(other));
        let (same, signers) = same.expect("nothing is to be proved");
        assert_eq!((same.counters().proofs(), &signers), (proofs, &whole.1));
    }
    // Who is said to have signed on either side is compared with the folds.
    for (a, b) in [(&right.1, &right.1), (&left.1, &left.1)] {
        let ((one, _), (other, _)) = (accept(&left), accept(&right));
        let lie = fold.unite((one, a.clone()), (other, b.clone()));
        let error = lie.expect_err("others have signed").to_string();
        assert!(error.contains("others have signed"), "{error}");
    }

    // Another slot.
    let later = aggregate(&[sign(0, 6)]);
    let error = fold.unite(accept(&right), accept(&later));
    let error = error.expect_err("another slot").to_string();
    assert_eq!(error, "the fold is about slot 6, expected 5");
    let batches = [group(&fold, &all[4..]), group(&fold, &[sign(0, 6)])].concat();
    let proofs = prove(&batches);
    let plan = |batches: &[SignatureBatch], proofs: &[Vec<u8>]| {
        fold.plan(batches, proofs).expect_err("no plan")
    };
    let error = plan(&batches, &proofs);
    assert!(error.to_string().contains("the slots differ"), "{error}");
    // There is one proof of each batch, in their order, of this registry.
    for (batches, proofs) in [
        (&batches[..], &proofs[..1]),
        (&batches[..1], &proofs[..]),
        (&batches[..], &proofs[..0]),
    ] {
        let error = plan(batches, proofs);
        let numbers = (batches.len(), proofs.len());
        assert!(
            matches!(error, SignatureFoldError::Proofs(a, b) if (a, b) == numbers),
            "{error}"
        );
    }
    let swapped_proofs = [proofs[1].clone(), proofs[0].clone()];
    let error = plan(&batches, &swapped_proofs);
    assert!(
        matches!(error, SignatureFoldError::OtherBatch(0)),
        "{error}"
    );
    let of_another = group(&elsewhere, &all[4..]);
    let error = plan(&of_another, &proofs[..1]).to_string();
    assert!(
        error.starts_with("the batch is about the registry "),
        "{error}"
    );
    // A fold is no leaf.
    let error = plan(&batches[..1], std::slice::from_ref(&whole.0));
    assert!(matches!(error, SignatureFoldError::Leaf(_)), "{error}");
}

/// The fold of the largest registry with batches of at most so many, and one of one signature, whose
/// proof has the shape of all.
fn largest(preset: Preset, batch: usize) -> (SignatureFold, SignatureBatch) {
    let one = signed(Xmss::DEFAULT, 0, 5);
    let others = (1..2_048).map(|number| PublicKey {
        root: [F::from_usize(number); 4],
        parameter: [F::ONE; 4],
    });
    let keys = std::iter::once(one.public_key).chain(others);
    let registry = Arc::new(Registry::new(keys.collect()).expect("different keys"));
    let program = SignatureBatchProgram::new(registry, Xmss::DEFAULT, batch).expect("a program");
    let batches = program.batches([one]);
    let fold = SignatureFold::new(program, preset, Arc::new(Deriver::new()));
    let fold = fold.unwrap_or_else(|error| panic!("{preset}, {batch}: {error}"));
    (fold, batches.expect("a batch").swap_remove(0))
}

/// Its key is derived at the sizes that the command offers. Nothing is proved.
#[test]
fn full_batches_have_a_fold() {
    for batch in [DEFAULT_BATCH, MAX_BATCH] {
        let preset = Preset::Proven120;
        let (fold, _) = largest(preset, batch);
        let path = &fold.fold().leaves()[0].paths()[0];
        assert_eq!(path.keys().len(), 2, "one wrap of {batch}");
        let behind = usize::from(fold.fold().family().bits_behind);
        assert!(behind >= preset.target_bits(), "{behind} bits of {batch}");
    }
}

/// One wrap brings their proofs to the shape of the fold.
#[test]
#[ignore = "minutes of CPU time: cargo test -p droste-tests --test xmss at_every_preset -- --ignored"]
fn full_batches_are_wrapped_at_every_preset() {
    for preset in [Preset::Proven100, Preset::Proven120, Preset::Proven128] {
        for batch in [DEFAULT_BATCH, MAX_BATCH] {
            let (fold, one) = largest(preset, batch);
            let proof = fold.prover().prove(&one).expect("a proof");
            let proof = whir::encode(&proof).expect("it can be encoded");
            let wrap = fold.fold().wrap_leaf(&proof);
            wrap.unwrap_or_else(|error| panic!("{preset}, {batch}: {error}"));
        }
    }
}

/// With tables of the least heights, one wrap would not bring a batch to the shape of the rules, or a
/// union not fit it.
#[test]
fn a_union_of_the_largest_registry_fits() {
    let signed: Vec<SignedMessage> = (0..2).map(|seed| signed(Xmss::DEFAULT, seed, 5)).collect();
    let mut keys: Vec<PublicKey> = signed.iter().map(|signed| signed.public_key).collect();
    keys.extend((2..2_048).map(|number| PublicKey {
        root: [F::from_usize(number); 4],
        parameter: [F::ONE; 4],
    }));
    let registry = Arc::new(Registry::new(keys).expect("different keys"));
    let program = SignatureBatchProgram::new(registry, Xmss::DEFAULT, 1).expect("a program");
    let batches = program.batches(signed).expect("batches");
    // Three proofs of 101 bits have 99 together: `proven-100` is of no use at the default of 100.
    for (preset, tree_bits) in [(Preset::Proven100, Some(99)), (Preset::Proven120, None)] {
        let fold = SignatureFold::new(program.clone(), preset, Arc::new(Deriver::new()));
        let fold = fold.expect("a fold");
        let folder = tempfile::TempDir::new().expect("a folder");
        let store = Store::open(folder.path()).expect("a store");
        let proofs = batches
            .iter()
            .map(|batch| fold.prover().prove_kept(batch, &store).expect("a proof"));
        let proofs: Vec<Vec<u8>> = proofs.collect();
        let plan = fold.plan(&batches, &proofs).expect("a plan");
        let leaf = |index: usize| Ok(proofs[index].clone());
        let folded = run(fold.fold(), &plan, &store, leaf, |_| {
            ControlFlow::Continue(())
        });
        let folded = folded.expect("a fold");
        let wanted = Wanted {
            slot: 5,
            message: MESSAGE,
            min_signers: 2,
        };
        assert_eq!(folded.accepted().tree_bits < 100, tree_bits.is_some());
        let unverified = folded.into_unverified();
        let options = Options::min_bits(100).with_min_tree_bits(tree_bits);
        fold.check(unverified, &wanted, &options).expect("valid");
    }
}
