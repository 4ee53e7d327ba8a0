use std::sync::Arc;

use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::hash_signature::{
    Parameters, PublicKey, SecretKey, Signature, SignedMessage, Xmss,
};
use droste_native::precompile::poseidon16_compress;
use droste_native::stark::security::Preset;
use droste_vm::machine::StandardTables;
use droste_vm::whir::Verifier;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::*;

fn key(n: u32) -> PublicKey {
    let elements = |from: u32| std::array::from_fn(|i| F::from_u32(100 * n + from + i as u32));
    PublicKey {
        root: elements(0),
        parameter: elements(50),
    }
}

fn registry(keys: u32) -> Registry {
    Registry::new((0..keys).map(key).collect()).expect("different keys")
}

/// Signatures that nobody verifies, by key, slot and first element of the message.
fn signed(key_number: u32, slot: u32, element: u32) -> SignedMessage {
    let mut message = [F::ZERO; 8];
    message[0] = F::from_u32(element);
    SignedMessage {
        public_key: key(key_number),
        slot,
        message,
        signature: Signature {
            randomness: [F::ZERO; 6],
            chain_values: vec![],
            path: vec![],
        },
    }
}

fn claim() -> SignersClaim {
    let registry = registry(5);
    let signers = Signers::new(&registry, [0, 3]).expect("keys");
    SignersClaim {
        slot: 0x1234_5678,
        message: std::array::from_fn(|i| F::from_usize(i + 1)),
        registry: registry.root(),
        signers: signers.digest(),
        count: signers.count(),
    }
}

#[test]
fn registries_have_different_keys_in_an_order() {
    let three = registry(3);
    assert_eq!((three.log_keys(), three.keys().len()), (2, 3));
    assert_eq!(three.place(&key(2)), Some(2));
    assert_eq!(three.place(&key(3)), None);
    let [a, b, c] = [0, 1, 2].map(|n| key_block(&key(n)));
    let right = poseidon16_compress(&c, &[F::ZERO; 8]);
    assert_eq!(
        three.root(),
        poseidon16_compress(&poseidon16_compress(&a, &b), &right)
    );
    // The tree of one key has two leaves.
    assert_eq!(registry(1).log_keys(), 1);
    let refused = |keys: Vec<u32>| Registry::new(keys.into_iter().map(key).collect());
    assert_eq!(refused(vec![]), Err(RegistryError::Keys(0)));
    let most = 1 << MAX_LOG_KEYS;
    assert_eq!(registry(most).log_keys(), MAX_LOG_KEYS);
    let found = most as usize + 1;
    assert_eq!(
        refused((0..=most).collect()),
        Err(RegistryError::Keys(found))
    );
    assert_eq!(
        refused(vec![4, 7, 5, 7]),
        Err(RegistryError::Repeated {
            first: 1,
            second: 3
        })
    );
    // Places without a key have zeros, so such a key would not change the root.
    let zero = PublicKey {
        root: [F::ZERO; 4],
        parameter: [F::ZERO; 4],
    };
    let keys = vec![key(0), key(1), key(2), zero];
    assert_eq!(Registry::new(keys), Err(RegistryError::Zero(3)));
    let swapped = refused(vec![1, 0, 2]).expect("different keys");
    assert_ne!(swapped.root(), three.root());
}

#[test]
fn registries_are_written_as_canonical_integers() {
    let three = registry(3);
    let text = serde_json::to_string(&three).expect("JSON");
    assert_eq!(
        serde_json::from_str::<Registry>(&text).expect("read"),
        three
    );
    let refused = |from: &str, to: &str| {
        let other = text.replacen(from, to, 1);
        assert_ne!(other, text);
        let error = serde_json::from_str::<Registry>(&other).expect_err("refused");
        error.to_string()
    };
    let large = format!("[{},101,", u64::from(F::ORDER_U32) + 100);
    let error = refused("[100,101,", &large);
    assert!(
        error.contains("key 1 of the registry: element 0 of root is not canonical"),
        "{error}"
    );
    let zeros = "{\"root\":[0,0,0,0],\"public_param\":[0,0,0,0]}";
    let error = refused("{\"root\":[0,1,2,3],\"public_param\":[50,51,52,53]}", zeros);
    assert!(
        error.contains("key 0 of the registry has only zeros"),
        "{error}"
    );
    let error = refused("{\"root\"", "{\"slot\":1,\"root\"");
    assert!(error.contains("unknown field `slot`"), "{error}");
}

#[test]
fn sets_of_signers_are_united_once() {
    // Three words, so that there are places in each, and one block.
    let registry = registry(50);
    let set = |places: &[usize]| Signers::new(&registry, places.iter().copied()).expect("keys");
    let (a, b) = (set(&[0, 3, 23, 24, 49]), set(&[3, 24, 25]));
    let union = a.union(&b);
    assert_eq!(union, set(&[0, 3, 23, 24, 25, 49]));
    assert_eq!(union.count(), 6);
    assert_eq!(union.places().collect::<Vec<_>>(), [0, 3, 23, 24, 25, 49]);
    assert_eq!(set(&[]), Signers::none(&registry));
    for (places, at) in [([3, 3], 3), ([4, 1], 1)] {
        let refused = Signers::new(&registry, places);
        assert_eq!(refused, Err(PlacesError::Order(at)));
    }
    assert_ne!(a.digest(), b.digest());
    // The tree has 64 leaves, but no key 50.
    assert_eq!(
        Signers::new(&registry, [1, 50]),
        Err(PlacesError::NoSuchKey {
            place: 50,
            keys: 50
        })
    );
    Signers::new(&registry, [usize::MAX]).expect_err("no key");
}

#[test]
fn a_state_binds_everything() {
    let honest = claim();
    assert_eq!(SignersClaim::of_state(&honest.state()), Some(honest));
    for block in 0..5 {
        for lane in 0..8 {
            let mut state = honest.state();
            state[block][lane] += F::ONE;
            // Slots and numbers have elements that are always zero, and halves of 16 bits.
            let is_said = match block {
                0 => lane < 2,
                4 => lane < 1,
                _ => true,
            };
            let other = SignersClaim::of_state(&state);
            assert_eq!(other.is_some(), is_said, "{block}, {lane}");
            if let Some(other) = other {
                assert_ne!(other.statement(), honest.statement());
            }
        }
    }
    let mut state = honest.state();
    state[0][0] = F::from_u32(1 << 16);
    assert_eq!(SignersClaim::of_state(&state), None);
    assert_eq!(SignersClaim::of_state(&honest.state()[..4]), None);
}

/// The digest of blocks by the sponge of docs/fold.md: the tag and the number of elements are in
/// lanes 8 and 9, and each block overwrites lanes 0 to 7.
fn sponge(tag: [u8; 4], blocks: &[[u32; 8]]) -> [u32; 8] {
    let mut state = [F::ZERO; 16];
    state[8] = F::from_u32(u32::from_be_bytes(tag));
    state[9] = F::from_usize(8 * blocks.len());
    for block in blocks {
        state[..8].copy_from_slice(&block.map(F::from_u32));
        state = Poseidon16.permute(state);
    }
    std::array::from_fn(|lane| state[lane].as_canonical_u32())
}

/// What proofs name, from the hash alone: 24 keys in an element, eight elements in a block.
#[test]
fn digests_are_those_of_the_specification() {
    let integers = |block: [F; 8]| block.map(|element| element.as_canonical_u32());
    let registry = registry(300);
    let places = [0, 3, 24, 49, 192, 299];
    let signers = Signers::new(&registry, places).expect("keys");
    let first = [1 | 1 << 3, 1, 1 << 1, 0, 0, 0, 0, 0];
    // 299 = 12 * 24 + 11. The tree has 512 leaves, so there are three blocks.
    let second = [1, 0, 0, 0, 1 << 11, 0, 0, 0];
    let set = sponge(*b"sgnr", &[first, second, [0; 8]]);
    assert_eq!(integers(signers.digest()), set);
    let claim = SignersClaim {
        slot: 0x1234_5678,
        message: [11, 12, 13, 14, 15, 16, 17, 18].map(F::from_u32),
        registry: registry.root(),
        signers: signers.digest(),
        count: signers.count(),
    };
    let said = [
        [0x5678, 0x1234, 0, 0, 0, 0, 0, 0],
        [11, 12, 13, 14, 15, 16, 17, 18],
        integers(registry.root()),
        set,
        [6, 0, 0, 0, 0, 0, 0, 0],
    ];
    assert_eq!(integers(claim.statement()), sponge(*b"xmss", &said));
    assert_eq!(claim.state().map(integers), said);
}

#[test]
fn claims_are_compared_with_what_is_wanted() {
    let (honest, registry) = (claim(), registry(5));
    let wanted = Wanted {
        min_signers: 2,
        ..honest.wanted()
    };
    wanted.check(&honest, &registry).expect("the same");
    let refused = |change: fn(&mut SignersClaim)| {
        let mut other = honest;
        change(&mut other);
        let refused = wanted.check(&other, &registry);
        refused.expect_err("something else").to_string()
    };
    let error = refused(|claim| claim.slot += 1);
    assert_eq!(
        error,
        "the fold is about slot 305419897, expected 305419896"
    );
    let error = refused(|claim| claim.message[0] += F::ONE);
    assert!(
        error.starts_with("the fold is about the message 02"),
        "{error}"
    );
    let error = refused(|claim| claim.registry[0] += F::ONE);
    assert!(
        error.starts_with("the fold is about the registry "),
        "{error}"
    );
    let error = refused(|claim| claim.count = 1);
    assert_eq!(error, "1 keys have signed, expected at least 2");
    let error = refused(|claim| claim.count = 6);
    assert_eq!(error, "6 keys have signed, but the registry has 5");
    // Nobody has signed what a fold of an empty set is about.
    let any = Wanted {
        min_signers: 0,
        ..wanted
    };
    let none = SignersClaim { count: 0, ..honest };
    let error = any.check(&none, &registry).expect_err("nobody").to_string();
    assert_eq!(error, "0 keys have signed, expected at least 1");
}

#[test]
fn others_are_not_the_signers() {
    let (honest, registry) = (claim(), registry(5));
    let check = |places: &[usize], claim: &SignersClaim| {
        let signers = Signers::new(&registry, places.iter().copied());
        claim.check(&signers.expect("keys"))
    };
    check(&[0, 3], &honest).expect("the signers");
    for others in [[0, 2].as_slice(), &[0], &[], &[0, 3, 4]] {
        let refused = check(others, &honest);
        assert!(
            matches!(refused, Err(SignersError::Signers { found: 2, .. })),
            "{refused:?}"
        );
    }
    let more = SignersClaim { count: 3, ..honest };
    check(&[0, 3], &more).expect_err("another number");
}

#[test]
fn batches_have_one_signature_of_each_key() {
    let registry = Arc::new(registry(5));
    let group = |numbers: &[u32], largest| {
        let signed = numbers.iter().map(|&number| signed(number, 5, 1));
        SignatureBatch::group(&registry, Xmss::DEFAULT, signed, largest)
    };
    let places = |batches: &[SignatureBatch]| -> Vec<Vec<usize>> {
        let batches = batches.iter().map(SignatureBatch::signers);
        batches.map(|signers| signers.places().collect()).collect()
    };
    // In the order of the registry, each key once.
    let batches = group(&[4, 1, 3, 1, 0], 3).expect("batches");
    assert_eq!(places(&batches), [vec![0, 1, 3], vec![4]]);
    let first = &batches[0];
    assert_eq!(
        first
            .signed()
            .iter()
            .map(|(place, _)| *place)
            .collect::<Vec<_>>(),
        [0, 1, 3]
    );
    assert_eq!((first.claim().count, first.claim().slot), (3, 5));
    assert_eq!(first.claim().registry, registry.root());
    let refused = |signed: &[SignedMessage]| {
        let signed = signed.iter().cloned();
        let refused = SignatureBatch::group(&registry, Xmss::DEFAULT, signed, 3);
        refused.expect_err("refused")
    };
    assert_eq!(group(&[0], 0), Err(SignatureBatchError::Largest));
    assert_eq!(
        refused(&[]),
        SignatureBatchError::Signatures { found: 0, most: 5 }
    );
    assert_eq!(
        refused(&[signed(0, 5, 1), signed(5, 5, 1)]),
        SignatureBatchError::Unregistered(1)
    );
    for other in [signed(1, 6, 1), signed(1, 5, 2)] {
        let refused = refused(&[signed(0, 5, 1), other]);
        assert_eq!(refused, SignatureBatchError::Other(1));
    }
    // More than the program takes, and a registry of another size.
    let program = |log_keys, signatures| {
        SignatureBatchProgram::new(Xmss::DEFAULT, log_keys, signatures).expect("a program")
    };
    assert_eq!(
        program(3, 2).tape(first),
        Err(SignatureBatchError::Signatures { found: 3, most: 2 })
    );
    assert_eq!(
        program(4, 8).tape(first),
        Err(SignatureBatchError::Registry(3))
    );
}

/// Whoever hands in an invalid signature by a key does not take the place of a valid one.
#[test]
fn an_invalid_signature_takes_no_place() {
    let parameters = Parameters {
        chains: 10,
        bits: 3,
        levels: 3,
        target_sum: 44,
    };
    let scheme = Xmss::new(parameters).expect("a scheme");
    let (key, message) = (
        SecretKey::generate(scheme, &[1; 32], 5..=5).expect("a key"),
        [F::ONE; 8],
    );
    let valid = SignedMessage {
        public_key: key.public_key(),
        slot: 5,
        message,
        signature: key.sign(5, &message).expect("a signature"),
    };
    let mut invalid = [valid.clone(), valid.clone()];
    invalid[0].signature.path[0][0] += F::ONE;
    invalid[1].signature.chain_values.clear();
    let [first, second] = invalid;
    let registry = Registry::new(vec![valid.public_key]).expect("a registry");
    let registry = Arc::new(registry);
    let taken = |signed: &[&SignedMessage]| {
        let signed = signed.iter().copied().cloned();
        let batches = SignatureBatch::group(&registry, scheme, signed, 1);
        batches.expect("a batch")[0].signed()[0].1.clone()
    };
    assert_eq!(taken(&[&first, &second, &valid, &second]), valid);
    assert_eq!(taken(&[&valid, &first]), valid);
    assert_eq!(taken(&[&first, &second]), first);
}

#[test]
fn programs_are_named_by_their_parameters() {
    let scheme = |chains, bits| {
        let parameters = Parameters {
            chains,
            bits,
            levels: 2,
            target_sum: 20,
        };
        Xmss::new(parameters).expect("a scheme")
    };
    let program =
        |scheme, log_keys, signatures| SignatureBatchProgram::new(scheme, log_keys, signatures);
    let small = program(scheme(4, 3), 3, 5).expect("a program");
    assert_eq!((small.log_keys(), small.signatures()), (3, 5));
    let source = small.source();
    assert!(source.contains("verify_registered::<3, 2, 8, 2>()"));
    // No batch has more signatures than there are keys.
    let most = program(scheme(4, 3), 3, 800).expect("a program");
    assert_eq!(most.signatures(), 8);
    for levels in [0, MAX_LOG_KEYS + 1] {
        assert_eq!(
            program(scheme(4, 3), levels, 1),
            Err(SignatureBatchProgramError::Levels(levels))
        );
    }
    for signatures in [0, MAX_BATCH + 1] {
        assert_eq!(
            program(scheme(4, 3), 3, signatures),
            Err(SignatureBatchProgramError::Signatures(signatures))
        );
    }
    assert_eq!(
        program(scheme(20, 4), 3, 1),
        Err(SignatureBatchProgramError::Digits(4))
    );
    assert_eq!(
        program(scheme(50, 3), 3, 1),
        Err(SignatureBatchProgramError::Chains(50))
    );
}

/// Batches of every size have one shape, and the bits of their preset.
#[test]
fn full_batches_have_the_bits_of_their_preset() {
    for (log_keys, signatures) in [(1, 1), (5, 32), (11, DEFAULT_BATCH), (11, MAX_BATCH)] {
        let program = SignatureBatchProgram::new(Xmss::DEFAULT, log_keys, signatures);
        for preset in [Preset::Proven100, Preset::Proven120, Preset::Proven128] {
            let prover = SignatureBatchProver::new(program.expect("a program"), preset);
            let prover = prover.expect("a prover");
            let verifier = Verifier::<StandardTables>::new(prover.key().clone()).expect("a key");
            let security = verifier.security(prover.log_heights()).expect("settings");
            assert!(
                preset.is_reached_by(&security),
                "{preset}, {signatures} of 2^{log_keys}: {:.2}",
                security.without.sum()
            );
            let tallest = prover.log_heights().iter().max().copied();
            // A signature has 163 rows of the tallest table.
            let rows = 163 * program.expect("a program").signatures() + 1;
            assert!(tallest.is_some_and(|log_height| 1 << log_height >= rows));
            if signatures == DEFAULT_BATCH {
                assert_eq!(tallest, Some(16));
            }
        }
    }
}
