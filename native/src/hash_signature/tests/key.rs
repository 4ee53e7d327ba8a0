//! Keys sign what verifies, in their slots only.

use super::*;

fn scheme(chains: u32, bits: u32, levels: u32, target_sum: u32) -> Xmss {
    Xmss::new(Parameters {
        chains,
        bits,
        levels,
        target_sum,
    })
    .unwrap()
}

#[test]
fn signatures_verify_in_every_slot_of_every_range() {
    let scheme = small();
    for (first, last) in [(0, 15), (0, 0), (15, 15), (3, 8), (4, 7), (5, 5), (7, 8)] {
        let key = SecretKey::generate(scheme, &[3; 32], first..=last).unwrap();
        assert_eq!(key.slots(), first..=last);
        for slot in 0..16 {
            if (first..=last).contains(&slot) {
                let signed = signed(&key, slot, message(slot));
                assert_eq!(verify(&scheme, &signed), Ok(()));
            } else {
                let refused = SignError::Slot { slot, first, last };
                assert_eq!(key.sign(slot, &message(slot)), Err(refused));
            }
        }
    }
}

#[test]
fn signatures_verify_at_the_default_parameters() {
    for (first, last) in [(0, 2), (65_535, 65_536), (u32::MAX - 1, u32::MAX)] {
        let key = SecretKey::generate(Xmss::DEFAULT, &[4; 32], first..=last).unwrap();
        for slot in [first, last] {
            let signed = signed(&key, slot, message(1 << 20));
            assert_eq!(verify(&Xmss::DEFAULT, &signed), Ok(()));
            let steps = Xmss::DEFAULT.steps(&signed.claim()).unwrap();
            assert_eq!(steps.digits.iter().map(|&d| u32::from(d)).sum::<u32>(), 184);
        }
    }
}

#[test]
fn signatures_verify_at_other_parameters() {
    for scheme in [
        scheme(2, 1, 1, 1),
        scheme(192, 1, 2, 96),
        scheme(12, 4, 3, 90),
        scheme(6, 6, 2, 190),
        scheme(4, 8, 2, 500),
    ] {
        let last = scheme.last_slot();
        let key = SecretKey::generate(scheme, &[5; 32], 0..=last).unwrap();
        for slot in 0..=last {
            assert_eq!(verify(&scheme, &signed(&key, slot, message(slot))), Ok(()));
        }
    }
}

#[test]
fn ranges_that_no_key_has_are_refused() {
    let generate = |slots| SecretKey::generate(small(), &[6; 32], slots).err();
    let empty = KeyError::Empty { first: 4, last: 3 };
    #[allow(clippy::reversed_empty_ranges)]
    let slots = 4..=3;
    assert_eq!(generate(slots), Some(empty));
    let outside = KeyError::Slot { slot: 16, last: 15 };
    assert_eq!(generate(15..=16), Some(outside));
    let slots = SecretKey::generate(Xmss::DEFAULT, &[6; 32], 0..=u32::MAX).err();
    assert_eq!(slots, Some(KeyError::TooMany { slots: 1 << 32 }));
}

#[test]
fn keys_are_those_of_seed_range_and_parameters() {
    let small = small();
    let key = |scheme: Xmss, seed, slots| SecretKey::generate(scheme, &[seed; 32], slots).unwrap();
    let one = key(small, 7, 2..=5);
    assert_eq!(one.public_key(), key(small, 7, 2..=5).public_key());
    let taller = scheme(8, 2, 5, 14);
    for other in [
        key(small, 8, 2..=5),
        key(small, 7, 2..=6),
        key(small, 7, 1..=5),
        key(taller, 7, 2..=5),
    ] {
        // Two keys that share one-time keys would sign a slot twice.
        let [a, b] = [&one, &other].map(|key| key.sign(3, &message(1)).unwrap());
        assert_ne!(one.public_key().parameter, other.public_key().parameter);
        assert_ne!(one.public_key().root, other.public_key().root);
        assert!(a.chain_values.iter().all(|x| !b.chain_values.contains(x)));
    }
}

#[test]
fn keys_and_signatures_are_the_same_at_any_number_of_threads() {
    let make = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let scheme = scheme(8, 2, 7, 14);
            let key = SecretKey::generate(scheme, &[9; 32], 1..=99).unwrap();
            (key.public_key(), key.sign(70, &message(2)).unwrap())
        })
    };
    assert_eq!(make(1), make(3));
}

#[test]
fn signing_gives_up_on_a_target_that_is_too_rare() {
    let key = SecretKey::generate(scheme(32, 1, 1, 0), &[10; 32], 0..=0).unwrap();
    assert_eq!(key.sign(0, &message(0)), Err(SignError::Attempts));
}

#[test]
fn nothing_secret_is_printed() {
    let text = format!("{:?}", small_key());
    assert!(!text.contains("pseudorandom"), "{text}");
}
