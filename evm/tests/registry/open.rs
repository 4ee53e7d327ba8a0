//! `opens` and `holds`: leaves under roots.

use super::*;

#[test]
fn leaves_are_opened() {
    for leaves in (1..=9).chain([100]) {
        let mut example = Example::new(leaves, 1, 0);
        assert_refused(&example.holds(&opening(&tree(leaves), 0)), Refusal::Root);
        assert_true(&example.accept());
        for leaf in (0..leaves).step_by(1 + leaves as usize / 10) {
            let opening = opening(&example.tree, leaf);
            assert_true(&example.open(&opening));
            assert_true(&example.holds(&opening));
        }
    }
}

#[test]
fn other_leaves_are_refused() {
    for leaves in [1, 2, 5, 8] {
        let mut example = Example::new(leaves, 1, 0);
        assert_true(&example.accept());
        for leaf in 0..leaves {
            let honest = opening(&example.tree, leaf);
            let mut refused = |change: &dyn Fn(&mut Opening), refusal| {
                let mut opening = honest.clone();
                change(&mut opening);
                assert_refused(&example.open(&opening), refusal);
                assert_refused(&example.holds(&opening), refusal);
            };
            let depth = honest.path.len();
            refused(&|opening| opening.key = leaf_key(leaf + 1), Refusal::Path);
            refused(&|opening| opening.key.0[7] += F::ONE, Refusal::Key);
            refused(&|opening| opening.key = key(4), Refusal::Key);
            for element in 0..8 {
                refused(
                    &|opening| opening.statement[element] += F::ONE,
                    Refusal::Path,
                );
            }
            for level in 0..depth {
                refused(&|opening| opening.sides ^= 1 << level, Refusal::Path);
                refused(&|opening| opening.path[level][31] ^= 1, Refusal::Path);
                refused(&|opening| opening.path[level][0] ^= 0x80, Refusal::Path);
            }
            refused(&|opening| opening.sides |= 1 << depth, Refusal::Encoding);
            refused(&|opening| opening.sides |= 1 << 63, Refusal::Encoding);
            refused(&|opening| opening.path.push([0; 32]), Refusal::Path);
            if depth > 0 {
                let shorter = |opening: &mut Opening| {
                    opening.path.pop();
                    opening.sides &= (1 << opening.path.len()) - 1;
                };
                refused(&shorter, Refusal::Path);
            }
        }
    }
}

#[test]
fn openings_that_are_encoded_otherwise_are_refused() {
    let mut example = Example::new(6, 1, 0);
    assert_true(&example.accept());
    let honest = opening(&example.tree, 0);
    let (registry, consumer) = (example.registry, example.consumer);
    for (address, signature) in [(registry, OPENS), (consumer, HOLDS)] {
        let data = honest.call_data(signature, &example.root);
        let mut call = |data: &[u8]| example.chain.call(&address, data, None);
        assert_true(&call(&data));
        // The selector, the offset, the length.
        for place in (0..4).chain(132..196) {
            let mut data = data.clone();
            data[place] ^= 1;
            assert_refused(&call(&data), Refusal::Encoding);
        }
        // A length whose bytes are, modulo 2^256, those that there are.
        let mut longer = data.clone();
        longer[164] = 8;
        assert_refused(&call(&longer), Refusal::Encoding);
        for length in [36, 68, 100, 132, 164, 196, data.len() - 32, data.len() - 1] {
            assert_refused(&call(&data[..length]), Refusal::Encoding);
        }
        assert_refused(&call(&[&data[..], &[0]].concat()), Refusal::Encoding);
        assert_refused(&call(&[&data[..], &[0; 32]].concat()), Refusal::Encoding);
    }
    for length in 0..4 {
        let data = &example.verify_data()[..length];
        assert!(example.chain.call(&registry, data, None).result.is_err());
        assert!(example.chain.call(&consumer, data, None).result.is_err());
    }
    // The root is another one.
    let mut root = example.root;
    root[31] ^= 1;
    let outcome = example
        .chain
        .call(&registry, &honest.call_data(OPENS, &root), None);
    assert_refused(&outcome, Refusal::Path);
    let outcome = example
        .chain
        .call(&consumer, &honest.call_data(HOLDS, &root), None);
    assert_refused(&outcome, Refusal::Root);
}

/// Bits of `sides` above the path's levels would be another number for the same leaf.
#[test]
fn sides_have_no_other_bits() {
    let mut example = Example::new(5, 1, 0);
    let honest = opening(&example.tree, 0);
    let data = honest.call_data(OPENS, &example.root);
    for bit in honest.path.len()..256 {
        let mut data = data.clone();
        data[131 - bit / 8] |= 1 << (bit % 8);
        let outcome = example.chain.call(&example.registry, &data, None);
        assert_refused(&outcome, Refusal::Encoding);
    }
}

/// No byte of a leaf's key or statement, or of the root, can be changed, canonical or not.
#[test]
fn every_byte_of_a_leaf_is_read() {
    let mut example = Example::new(5, 1, 0);
    let data = opening(&example.tree, 3).call_data(OPENS, &example.root);
    for (places, refusal) in [
        (4..36, Refusal::Path),
        (36..68, Refusal::Key),
        (68..100, Refusal::Path),
    ] {
        for place in places {
            let mut data = data.clone();
            data[place] ^= 0x80;
            let outcome = example.chain.call(&example.registry, &data, None);
            assert_refused(&outcome, refusal);
        }
    }
}

/// A statement's element plus `p` is another leaf, which no tree has.
#[test]
fn statements_have_one_encoding() {
    let mut example = Example::new(2, 1, 0);
    let data = opening(&example.tree, 1).call_data(OPENS, &example.root);
    assert_true(&example.chain.call(&example.registry, &data, None));
    for place in (68..100).step_by(4) {
        let value = u32::from_le_bytes(*data[place..].first_chunk().unwrap());
        let mut data = data.clone();
        data[place..place + 4].copy_from_slice(&value.wrapping_add(P).to_le_bytes());
        let outcome = example.chain.call(&example.registry, &data, None);
        assert_refused(&outcome, Refusal::Path);
    }
}

#[test]
fn without_accepted_keys_nothing_is_opened() {
    let mut example = Example::new(2, 1, 0);
    let registry = example.registry(|registry| registry.leaves.clear());
    let data = opening(&example.tree, 1).call_data(OPENS, &example.root);
    let outcome = example.chain.call(&registry, &data, None);
    assert_refused(&outcome, Refusal::Key);
}

/// A node of the tree, as a leaf whose key and statement are its children, or the other way round:
/// digests of leaves have 68 bytes, those of nodes 64.
#[test]
fn nodes_are_no_leaves() {
    // The children of the root have the bytes of an accepted key, and of a statement.
    let (left, right) = (
        statement_bytes(&leaf_key(0).0),
        statement_bytes(&elements(7)),
    );
    let mut example = Example::new(2, 1, 0);
    example.root = Keccak256.parent(&left, &right);
    let node = Opening {
        key: leaf_key(0),
        statement: elements(7),
        sides: 0,
        path: vec![],
    };
    assert_refused(&example.open(&node), Refusal::Path);
    // The leaf's message, if its last four bytes are left out.
    example.root = Keccak256.hash(&[&left[..], &right, b"leaf"].concat());
    assert_true(&example.open(&node));
}
