//! `verify`: leaf roots and their last proofs.

use super::*;

#[test]
fn the_verifier_is_given_the_statement_and_the_proof() {
    for (leaves, wraps, proof_bytes) in
        [(1, 0, 0), (2, 1, 1), (3, 2, 31), (1000, 3, 32), (7, 4, 500)]
    {
        let mut example = Example::new(leaves, wraps, proof_bytes);
        assert_true(&example.verify(&example.verify_data()));
        assert_true(&example.accept());
    }
}

#[test]
fn other_leaf_roots_are_refused() {
    let mut example = Example::new(5, 1, 100);
    let data = example.verify_data();
    assert_true(&example.verify(&data));
    // Everything but padding: the root, the key, the claim, the number, the proof.
    let changed = |place: usize, bit: u32| {
        let mut data = data.clone();
        data[place] ^= 1 << bit;
        data
    };
    for place in (36..68).chain(100..100 + 68 + 100) {
        // Low bits of elements, which remain canonical.
        let outcome = example.verify(&changed(place, 0));
        assert_refused_by_verifier(&outcome, &format!("byte {place}"));
    }
    // Encodings: selector, offset, length, padding.
    for place in (0..36).chain(68..96).chain(100 + 168..data.len()) {
        assert_refused(&example.verify(&changed(place, 0)), Refusal::Encoding);
    }
    for length in (0..100).chain([131, 163, data.len() - 32, data.len() - 1]) {
        assert_refused(&example.verify(&data[..length]), Refusal::Encoding);
    }
    for longer in [&[0][..], &[0; 32], &[1; 32]] {
        assert_refused(
            &example.verify(&[&data, longer].concat()),
            Refusal::Encoding,
        );
    }
    // A proof of another length.
    for length in [0, 1, 99] {
        let data = example
            .says
            .call_data(VERIFY, &example.proof[..length], &example.root);
        assert_refused_by_verifier(&example.verify(&data), "a shorter proof");
    }
    let longer = [&example.proof[..], &[0]].concat();
    let data = example.says.call_data(VERIFY, &longer, &example.root);
    assert_refused_by_verifier(&example.verify(&data), "a longer proof");
    // Too short for what is in front of the proof.
    let mut short = data[..100].to_vec();
    short[99] = 67;
    short.extend([0; 96]);
    assert_refused(&example.verify(&short), Refusal::Encoding);
}

#[test]
fn elements_are_canonical() {
    let mut example = Example::new(2, 1, 32);
    let data = example.verify_data();
    for element in 0..16 {
        let place = 100 + 4 * element;
        let value = u32::from_le_bytes(*data[place..].first_chunk().unwrap());
        for other in [P, value.wrapping_add(P), u32::MAX, 1 << 31] {
            let mut data = data.clone();
            data[place..place + 4].copy_from_slice(&other.to_le_bytes());
            assert_refused(&example.verify(&data), Refusal::Elements);
        }
        let mut data = data.clone();
        data[place..place + 4].copy_from_slice(&(P - 1).to_le_bytes());
        assert_refused_by_verifier(&example.verify(&data), "p - 1");
    }
}

/// Another registry computes another statement.
#[test]
fn constants_are_in_the_statement() {
    let mut example = Example::new(3, 2, 32);
    let data = example.verify_data();
    let others: [fn(&mut Registry); 7] = [
        |registry| registry.recursion_keys.0[7] += F::ONE,
        |registry| registry.join.0[0] += F::ONE,
        |registry| registry.program.0[3] += F::ONE,
        |registry| registry.wraps[0].0[4] += F::ONE,
        |registry| registry.wraps[1].0[7] += F::ONE,
        |registry| registry.wraps.swap(0, 1),
        |registry| registry.wraps.truncate(1),
    ];
    let honest = example.registry(|registry| registry.leaves.clear());
    assert_true(&example.chain.call(&honest, &data, None));
    for change in others {
        let other = example.registry(change);
        let outcome = example.chain.call(&other, &data, None);
        assert_refused_by_verifier(&outcome, "another constant");
    }
}

/// An address without a verifier, or with another contract, accepts nothing.
#[test]
fn only_true_is_an_answer() {
    let mut example = Example::new(2, 1, 32);
    let (verify, accept) = (example.verify_data(), example.accept_data());
    let holds = opening(&example.tree, 0).call_data(HOLDS, &example.root);
    let mut addresses = vec![([0x33; 20], false)];
    for (words, is_true) in [
        (&[][..], false),
        (&[0], false),
        (&[2], false),
        (&[1 << 32], false),
        (&[1, 0], false),
        (&[1], true),
    ] {
        let contract = deployed(&mut example.chain, answering(None, words));
        addresses.push((contract, is_true));
    }
    for (address, is_true) in addresses {
        let registry = example.registry(|registry| registry.verifier = address);
        let consumer = deployed(&mut example.chain, consumer(&address).unwrap());
        let verified = example.chain.call(&registry, &verify, None);
        let accepted = example.chain.call(&consumer, &accept, None);
        if is_true {
            assert_true(&verified);
            assert_true(&accepted);
        } else {
            assert_refused(&verified, Refusal::Answer);
            assert_refused(&accepted, Refusal::Answer);
            // Nothing was stored.
            let outcome = example.chain.call(&consumer, &holds, None);
            assert_refused(&outcome, Refusal::Root);
        }
    }
}

/// What a verifier says when it refuses is what the caller gets, also if it is nothing.
#[test]
fn refusals_of_the_verifier_are_passed_on() {
    let mut example = Example::new(2, 1, 32);
    let mut says_nothing = Assembler::new();
    says_nothing.revert_if(1);
    let says_nothing = says_nothing.assemble().unwrap();
    for (verifier, expected) in [
        (answering(Some([7; 32]), &[1]), Some(Phase::FinalEquation)),
        (says_nothing, None),
    ] {
        let verifier = deployed(&mut example.chain, verifier);
        let registry = example.registry(|registry| registry.verifier = verifier);
        let consumer = deployed(&mut example.chain, consumer(&registry).unwrap());
        for (to, data) in [
            (registry, example.verify_data()),
            (consumer, example.accept_data()),
        ] {
            let outcome = example.chain.call(&to, &data, None);
            assert_eq!(outcome.refused_in(), expected);
            assert_eq!(outcome.result.unwrap_err().is_empty(), expected.is_none());
        }
    }
}

/// Lengths that are a multiple of `2^32` when they are rounded up to whole words, and those that do
/// not fit 32 bits, are refused at once.
#[test]
fn large_lengths_are_refused() {
    let mut example = Example::new(2, 1, 0);
    let (registry, consumer) = (example.registry, example.consumer);
    let lengths = [1 << 31, (1 << 32) - 32, 1 << 32, 1 << 63];
    let lengths = lengths.into_iter().chain((1 << 32) - 31..1 << 32);
    for length in lengths {
        for (to, data) in [
            (registry, example.verify_data()),
            (consumer, example.accept_data()),
        ] {
            let mut data = data[..100].to_vec();
            data[92..].copy_from_slice(&u64::to_be_bytes(length));
            let outcome = example.chain.call(&to, &data, None);
            assert_refused(&outcome, Refusal::Encoding);
            assert!(outcome.gas < 30_000, "{length}: {} gas", outcome.gas);
        }
    }
}
