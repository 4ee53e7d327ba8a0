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

/// What six keys of a registry of 300 have signed.
fn claim() -> (SignersClaim, Registry) {
    let registry = registry(300);
    let signers = Signers::new(&registry, [0, 3, 24, 49, 192, 299]).expect("keys");
    let claim = SignersClaim {
        slot: 0x1234_5678,
        message: [11, 12, 13, 14, 15, 16, 17, 18].map(F::from_u32),
        registry: registry.root(),
        signers: signers.digest(),
        count: signers.count(),
    };
    (claim, registry)
}

fn program(
    keys: u32,
    chains: u32,
    bits: u32,
    signatures: usize,
) -> Result<SignatureBatchProgram, SignatureBatchProgramError> {
    let parameters = Parameters {
        chains,
        bits,
        levels: 3,
        target_sum: 44,
    };
    let scheme = Xmss::new(parameters).expect("a scheme");
    SignatureBatchProgram::new(Arc::new(registry(keys)), scheme, signatures)
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
    let (honest, _) = claim();
    let of_state = |state: &[[F; 8]]| SignersClaim::of_state(state).ok();
    assert_eq!(of_state(&honest.state()), Some(honest));
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
            let other = of_state(&state);
            assert_eq!(other.is_some(), is_said, "{block}, {lane}");
            if let Some(other) = other {
                assert_ne!(other.statement(), honest.statement());
            }
        }
    }
    let mut state = honest.state();
    state[0][0] = F::from_u32(1 << 16);
    assert_eq!(of_state(&state), None);
    assert_eq!(of_state(&honest.state()[..4]), None);
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
    let (claim, registry) = claim();
    let first = [1 | 1 << 3, 1, 1 << 1, 0, 0, 0, 0, 0];
    // 299 = 12 * 24 + 11. The tree has 512 leaves, so there are three blocks.
    let second = [1, 0, 0, 0, 1 << 11, 0, 0, 0];
    let set = sponge(*b"sgnr", &[first, second, [0; 8]]);
    assert_eq!(integers(claim.signers), set);
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

/// Slots, messages, registries and sets of signers are compared in `tests: xmss::folds`.
#[test]
fn numbers_of_signers_are_in_range() {
    let (honest, registry) = claim();
    // Nobody has signed what a fold of an empty set is about.
    let any = Wanted {
        min_signers: 0,
        ..honest.wanted()
    };
    any.check(&honest, &registry).expect("the same");
    for (count, refused) in [
        (0, "0 keys have signed, expected at least 1"),
        (301, "301 keys have signed, but the registry has 300"),
    ] {
        let error = any.check(&SignersClaim { count, ..honest }, &registry);
        assert_eq!(error.expect_err("another number").to_string(), refused);
    }
    let signers = Signers::new(&registry, [0, 3, 24, 49, 192, 299]).expect("keys");
    honest.check(&signers).expect("the signers");
    let more = SignersClaim { count: 7, ..honest };
    more.check(&signers).expect_err("another number");
}

#[test]
fn batches_have_one_signature_of_each_key() {
    let three = program(5, 10, 3, 3).expect("a program");
    // In the order of the registry, each key once.
    let numbers = [4, 1, 3, 1, 0].map(|number| signed(number, 5, 1));
    let batches = three.batches(numbers).expect("batches");
    let places = |batch: &SignatureBatch| batch.signers().places().collect::<Vec<_>>();
    let places: Vec<Vec<usize>> = batches.iter().map(places).collect();
    assert_eq!(places, [vec![0, 1, 3], vec![4]]);
    let first = &batches[0];
    let keys = first.signed().iter().map(|(_, signed)| signed.public_key);
    assert!(keys.eq([0, 1, 3].map(key)));
    assert_eq!((first.claim().count, first.claim().slot), (3, 5));
    assert_eq!(first.claim().registry, three.registry().root());
    let refused = |signed: &[SignedMessage]| {
        let refused = three.batches(signed.iter().cloned());
        refused.expect_err("refused")
    };
    assert_eq!(
        refused(&[]),
        SignatureBatchError::Signatures { found: 0, most: 3 }
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
    let two = program(5, 10, 3, 2).expect("a program");
    assert_eq!(
        two.tape(first),
        Err(SignatureBatchError::Signatures { found: 3, most: 2 })
    );
    let refused = program(9, 10, 3, 3).expect("a program").tape(first);
    assert!(
        matches!(refused, Err(SignatureBatchError::Registry(..))),
        "{refused:?}"
    );
}

/// Whoever hands in an invalid signature by a key does not take the place of a valid one.
#[test]
fn an_invalid_signature_takes_no_place() {
    let scheme = program(1, 10, 3, 1).expect("a program").scheme;
    let key = SecretKey::generate(scheme, &[1; 32], 5..=5).expect("a key");
    let valid = SignedMessage::new(&key, 5, [F::ONE; 8]).expect("a signature");
    let [mut first, mut second] = [valid.clone(), valid.clone()];
    first.signature.path[0][0] += F::ONE;
    second.signature.chain_values.clear();
    let registry = Registry::new(vec![valid.public_key]).expect("a registry");
    let program = SignatureBatchProgram::new(Arc::new(registry), scheme, 1).expect("a program");
    let taken = |signed: &[&SignedMessage]| {
        let batches = program.batches(signed.iter().copied().cloned());
        batches.expect("a batch")[0].signed()[0].1.clone()
    };
    assert_eq!(taken(&[&first, &second, &valid, &second]), valid);
    assert_eq!(taken(&[&valid, &first]), valid);
    assert_eq!(taken(&[&first, &second]), first);
}

#[test]
fn programs_are_named_by_their_parameters() {
    let small = program(5, 10, 3, 5).expect("a program");
    assert_eq!(small.signatures(), 5);
    let source = small.source();
    assert!(source.contains("verify_registered::<3, 5, 26, 3>()"));
    // No batch has more signatures than there are keys.
    let most = program(5, 10, 3, 800).expect("a program");
    assert_eq!(most.signatures(), 8);
    for signatures in [0, MAX_BATCH + 1] {
        let refused = SignatureBatchProgramError::Signatures(signatures);
        assert_eq!(program(5, 10, 3, signatures), Err(refused));
    }
    let refused = SignatureBatchProgramError::Digits(4);
    assert_eq!(program(5, 20, 4, 1), Err(refused));
    let refused = SignatureBatchProgramError::Chains(50);
    assert_eq!(program(5, 50, 3, 1), Err(refused));
}

/// Batches of every size have one shape, and the bits of their preset.
#[test]
fn full_batches_have_the_bits_of_their_preset() {
    for (log_keys, signatures) in [(1, 1), (5, 32), (11, DEFAULT_BATCH), (11, MAX_BATCH)] {
        let registry = Arc::new(registry(1 << log_keys));
        let program = SignatureBatchProgram::new(registry, Xmss::DEFAULT, signatures);
        let program = program.expect("a program");
        // A signature has 163 rows of the tallest table.
        let rows = 163 * program.signatures() + 1;
        for preset in [Preset::Proven100, Preset::Proven120, Preset::Proven128] {
            let prover = SignatureBatchProver::new(program.clone(), preset).expect("a prover");
            let verifier = Verifier::<StandardTables>::new(prover.key().clone()).expect("a key");
            let log_heights = prover.log_heights();
            let security = verifier.security(log_heights).expect("settings");
            assert!(
                preset.is_reached_by(&security),
                "{preset}, {signatures} of 2^{log_keys}: {:.2}",
                security.without.sum()
            );
            let tallest = log_heights.iter().copied().fold(0, usize::max);
            assert!(1 << tallest >= rows);
            assert!(signatures != DEFAULT_BATCH || tallest == 16);
        }
    }
}
