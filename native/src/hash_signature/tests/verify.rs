//! Signatures of another implementation are accepted, and nothing that differs from them.

use p3_field::PrimeCharacteristicRing;

use serde_json::{Value, json};

use super::*;

const SCHEME: Xmss = Xmss::DEFAULT;

#[test]
fn signatures_of_another_implementation_verify() {
    let entries: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(entries.len(), 4);
    for (signed, entry) in vectors().iter().zip(entries) {
        assert_eq!(verify(&SCHEME, signed), Ok(()));
        let steps = SCHEME.steps(&signed.claim()).unwrap();
        assert_eq!(json!(steps.digits), entry["encoding"]);
    }
}

/// Every element of a signature and of its key.
fn cells(signed: &mut SignedMessage) -> Vec<&mut F> {
    let SignedMessage {
        public_key,
        message,
        signature,
        ..
    } = signed;
    let lists = [&mut signature.chain_values, &mut signature.path];
    let lists = lists.into_iter().flat_map(|list| list.as_flattened_mut());
    public_key
        .root
        .iter_mut()
        .chain(&mut public_key.parameter)
        .chain(message)
        .chain(&mut signature.randomness)
        .chain(lists)
        .collect()
}

fn changed_cells_are_refused(scheme: &Xmss, signed: &SignedMessage) {
    assert_eq!(verify(scheme, signed), Ok(()));
    let parameters = scheme.parameters();
    let count = cells(&mut signed.clone()).len();
    assert_eq!(
        count as u32,
        4 + 4 + 8 + 6 + 4 * (parameters.chains + parameters.levels)
    );
    let changed: Vec<SignedMessage> = (0..count)
        .map(|i| {
            let mut changed = signed.clone();
            *cells(&mut changed)[i] += F::ONE;
            changed
        })
        .collect();
    let claims: Vec<Claim<'_>> = changed.iter().map(SignedMessage::claim).collect();
    for (cell, result) in scheme.verify_batch(&claims).into_iter().enumerate() {
        // Parameter, message and randomness enter the digits: if those have the sum nevertheless,
        // the chains lead elsewhere.
        match result.unwrap_err() {
            VerifyError::Root => {}
            VerifyError::Sum { .. } => assert!((4..4 + 4 + 8 + 6).contains(&cell), "{cell}"),
            other => panic!("{cell}: {other}"),
        }
    }
}

#[test]
fn every_changed_element_is_refused() {
    vectors()
        .iter()
        .for_each(|signed| changed_cells_are_refused(&SCHEME, signed));
    let key = small_key();
    changed_cells_are_refused(key.scheme(), &signed(key, 5, message(100)));
}

#[test]
fn every_other_slot_is_refused() {
    for signed in vectors() {
        for bit in 0..32 {
            let mut changed = signed.clone();
            changed.slot ^= 1 << bit;
            assert!(verify(&SCHEME, &changed).is_err(), "bit {bit}");
        }
    }
    let key = small_key();
    let mut signed = signed(key, 5, message(100));
    for slot in 0..16 {
        signed.slot = slot;
        assert_eq!(verify(key.scheme(), &signed).is_ok(), slot == 5);
    }
    for bit in 4..32 {
        signed.slot = 5 ^ 1 << bit;
        let slot = signed.slot;
        let expected = VerifyError::Slot { slot, last: 15 };
        assert_eq!(verify(key.scheme(), &signed), Err(expected));
    }
}

#[test]
fn a_sum_that_is_off_by_one_is_refused() {
    for signed in vectors() {
        for (target_sum, found) in [(183, 184), (185, 184)] {
            let other = Parameters {
                target_sum,
                ..Parameters::DEFAULT
            };
            let expected = VerifyError::Sum {
                found,
                expected: target_sum,
            };
            assert_eq!(verify(&Xmss::new(other).unwrap(), &signed), Err(expected));
        }
    }
}

#[test]
fn lists_of_other_lengths_are_refused() {
    let key = small_key();
    let signed = signed(key, 8, message(3));
    type List = fn(&mut Signature) -> &mut Vec<[F; 4]>;
    let lists: [(&str, List, usize); 2] = [
        ("chain values", |signature| &mut signature.chain_values, 8),
        ("siblings", |signature| &mut signature.path, 4),
    ];
    for (what, list, expected) in lists {
        for found in [0, expected - 1, expected + 1] {
            let mut changed = signed.clone();
            list(&mut changed.signature).resize(found, [F::ZERO; 4]);
            let error = VerifyError::Length {
                what,
                found,
                expected,
            };
            assert_eq!(verify(key.scheme(), &changed), Err(error.clone()));
            assert_eq!(key.scheme().steps(&changed.claim()), Err(error));
        }
    }
}

#[test]
fn steps_are_those_of_the_path() {
    let signed = &vectors()[1];
    let steps = SCHEME.steps(&signed.claim()).unwrap();
    assert_eq!(steps.chain_ends.len(), 42);
    for (i, (&digit, &end)) in steps.digits.iter().zip(&steps.chain_ends).enumerate() {
        assert_eq!(digit == 7, end == signed.signature.chain_values[i]);
    }
    assert_eq!(steps.pairs.len(), 32);
    let mut node = steps.leaf;
    for (level, pair) in (0..).zip(&steps.pairs) {
        let side = (signed.slot >> level & 1) as usize;
        assert_eq!(pair[side], node);
        assert_eq!(pair[1 - side], signed.signature.path[level as usize]);
        node = TweakablePoseidon16::parents(&[Parent {
            parameter: signed.public_key.parameter,
            level: level + 1,
            index: (u64::from(signed.slot) >> (level + 1)) as u32,
            children: *pair,
        }])[0];
    }
    assert_eq!(node, signed.public_key.root);
}
