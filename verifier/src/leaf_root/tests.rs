use droste_native::F;
use droste_vm::key::KeyDigest;
use droste_vm::machine::precompiles_of;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use sha3::{Digest, Keccak256};

use super::*;
use crate::circuit::rows_of_tables;
use crate::claim::tests::{key, leaf, node};
use crate::tags::CLAIM_TAG;

/// Elements with bytes that differ from each other and from those of others.
fn elements(n: u32) -> [F; 8] {
    std::array::from_fn(|i| F::from_u32(0x0102_0304) * F::from_u32(n + 1) + F::from_usize(i))
}

fn leaves(count: u32) -> Vec<(KeyDigest, [F; 8])> {
    let leaf = |n| (KeyDigest(elements(2 * n)), elements(2 * n + 1));
    (0..count).map(leaf).collect()
}

fn keccak(parts: &[&[u8]]) -> [u8; 32] {
    Keccak256::digest(parts.concat()).into()
}

fn text(elements: &[F; 8]) -> Vec<u8> {
    let integers = elements.map(|element| element.as_canonical_u32().to_le_bytes());
    integers.concat()
}

fn says() -> LeafRoot {
    LeafRoot {
        keys: KeyDigest(elements(1)),
        key: KeyDigest(elements(2)),
        claim: elements(3),
        root: std::array::from_fn(|i| i as u8),
        leaves: 1000,
    }
}

#[test]
fn roots_are_those_of_the_definition() {
    let digests = |count| -> Vec<[u8; 32]> {
        let digest = |(key, says): &(KeyDigest, _)| keccak(&[&text(&key.0), &text(says), b"leaf"]);
        leaves(count).iter().map(digest).collect()
    };
    let parent = |left: [u8; 32], right: [u8; 32]| keccak(&[&left, &right]);
    let root = |count| LeafTree::new(leaves(count)).map(|tree| tree.root());
    assert_eq!(root(0), None);
    let [a, b, c, d, e, f, g, h] = digests(8).try_into().unwrap();
    let (ab, cd, ef, gh) = (parent(a, b), parent(c, d), parent(e, f), parent(g, h));
    assert_eq!(root(1), Some(a));
    assert_eq!(root(2), Some(ab));
    assert_eq!(root(3), Some(parent(c, ab)));
    assert_eq!(root(5), Some(parent(cd, parent(e, ab))));
    assert_eq!(root(8), Some(parent(parent(ab, cd), parent(ef, gh))));
}

#[test]
fn paths_lead_to_their_root_only() {
    for count in (1..=9).chain([64, 100]) {
        let tree = LeafTree::new(leaves(count)).unwrap();
        for leaf in 0..count {
            let (key, statement) = tree.leaves()[leaf as usize];
            let (digest, path) = (leaf_digest(key, &statement), tree.path(leaf).unwrap());
            let verify = |leaf, path: &[_]| verify_path(&tree.root(), count, leaf, digest, path);
            assert_eq!(verify(leaf, &path), Ok(()));
            let sides = tree.sides(leaf).unwrap();
            let found =
                (0..)
                    .zip(&path)
                    .fold(digest, |below, (level, sibling)| match sides >> level & 1 {
                        0 => keccak(&[&below, sibling]),
                        _ => keccak(&[sibling, &below]),
                    });
            assert_eq!((found, sides >> path.len()), (tree.root(), 0));
            for other in (0..count).filter(|&other| other != leaf) {
                assert!(
                    verify(other, &path).is_err(),
                    "{leaf} as {other} of {count}"
                );
            }
            let (expected, found) = (path.len(), path.len() + 1);
            let longer = [&path[..], &[[0; 32]]].concat();
            assert_eq!(
                verify(leaf, &longer),
                Err(PathError::Length { expected, found })
            );
            for index in 0..path.len() {
                let mut changed = path.clone();
                changed[index][31] ^= 1;
                assert_eq!(verify(leaf, &changed), Err(PathError::Root));
            }
            let other = leaf_digest(key, &elements(999));
            let refused = verify_path(&tree.root(), count, leaf, other, &path);
            assert_eq!(refused, Err(PathError::Root));
        }
        assert_eq!(tree.path(count), None);
        assert_eq!(tree.sides(count), None);
        let (leaf, leaves) = (count, count);
        let refused = verify_path(&tree.root(), leaves, leaf, [0; 32], &[]);
        assert_eq!(refused, Err(PathError::NoLeaf { leaf, leaves }));
    }
    let refused = verify_path(&[0; 32], 0, 0, [0; 32], &[]);
    assert_eq!(refused, Err(PathError::NoLeaf { leaf: 0, leaves: 0 }));
}

#[test]
fn the_statement_is_that_of_the_definition() {
    let says = says();
    let [keys, key, claim] = [&says.keys.0, &says.key.0, &says.claim].map(text);
    let digest = keccak(&[&keys, &key, &claim, &says.root, &[0xe8, 3, 0, 0], b"root"]);
    let words = digest.as_chunks::<4>().0.iter();
    let expected: Vec<_> = words
        .map(|word| u64::from(u32::from_le_bytes(*word)) % u64::from(F::ORDER_U32))
        .collect();
    let found: [u64; 8] = says.statement().map(|lane| lane.as_canonical_u32().into());
    assert_eq!(found[..], expected[..]);
}

#[test]
fn a_statement_binds_everything() {
    let pinned = || PinnedKeys {
        join: KeyDigest(elements(10)),
        wraps: vec![KeyDigest(elements(11)), KeyDigest(elements(12))],
        program: KeyDigest(elements(13)),
    };
    let honest = (says().statement(), says().exit_statement(&pinned()));
    let others: [fn(&mut LeafRoot); 5] = [
        |says| says.keys.0[7] += F::ONE,
        |says| says.key.0[7] += F::ONE,
        |says| says.claim[7] += F::ONE,
        |says| says.root[31] ^= 1,
        |says| says.leaves += 1,
    ];
    for change in others {
        let mut says = says();
        change(&mut says);
        assert_ne!(says.statement(), honest.0);
        assert_ne!(says.exit_statement(&pinned()), honest.1);
    }
    let others: [fn(&mut PinnedKeys); 4] = [
        |pinned| pinned.join.0[0] += F::ONE,
        |pinned| pinned.wraps.swap(0, 1),
        |pinned| pinned.wraps.truncate(1),
        |pinned| pinned.program.0[0] += F::ONE,
    ];
    for change in others {
        let mut pinned = pinned();
        change(&mut pinned);
        assert_ne!(says().exit_statement(&pinned), honest.1);
    }
}

#[test]
fn lists_have_one_digest_for_one_set() {
    let keys = |numbers: &[u32]| {
        let keys = numbers.iter().map(|&n| KeyDigest(elements(n)));
        ListedKeys::new(keys).unwrap()
    };
    let list = keys(&[3, 1, 2]);
    assert_eq!(list, keys(&[1, 2, 3, 3, 1]));
    assert_ne!(list.digest(), keys(&[1, 2]).digest());
    assert_ne!(list.digest(), keys(&[1, 2, 3, 4]).digest());
}

#[test]
fn the_programs_tag_of_claims_is_that_of_claims() {
    let tag = droste_gadgets::leaf_root::CLAIM_TAG;
    assert_eq!(F::new(tag), CLAIM_TAG);
}

/// Keys do not depend on the tree: the largest one needs the most rows of every table, also if
/// others have as many nodes.
#[test]
fn heights_are_those_of_the_largest_tree() {
    let program = LeafRootProgram::new(3).unwrap();
    let compiled = program.compile().unwrap();
    let most = program.rows(&compiled).unwrap();
    let wraps = |count, below| (0..count).fold(below, |below, _| node(9, vec![below]));
    let chain = wraps(program.nodes() - 1, leaf(1));
    let join = |count| node(9, (0..count).map(|n| wraps(2, leaf(n))).collect());
    let wide = node(9, (0..8).map(leaf).collect());
    for tree in [chain, wide, leaf(1), join(1), join(8)] {
        let listed = ListedKeys::new([key(9)]).unwrap();
        let hints = program.hints(&tree, &listed).unwrap();
        let execution = program.run(&compiled, &hints.tape).unwrap();
        let precompiles = precompiles_of(&compiled.program);
        let needed = rows_of_tables(&compiled.program, &execution, &precompiles).unwrap();
        for ((name, needed), (_, most)) in needed.iter().zip(&most) {
            assert!(needed <= most, "{name}: {needed} rows, at most {most}");
        }
    }
}
