//! The Keccak-256 root of the leaves of claim trees is computed natively and in the machine, from
//! honest hints and from others.

use droste::both_ways::{Hint, NativeTape, Program};
use droste_gadgets::leaf_root::{KEYS, LEAF_WORD, reveal_leaf_root};
use droste_gadgets::prelude::quartic;
use droste_native::F;
use droste_native::precompile::{Block, digest_to_limbs};
use droste_verifier::claim::{Claim, ClaimTree, claim_digest};
use droste_verifier::leaf_root::{
    Hints, LeafRootError, LeafRootProgram, LeafTree, ListedKeys, leaf_digest,
};
use droste_vm::executor::TapeItem;
use droste_vm::key::KeyDigest;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

/// Logarithms of the numbers of leaves and of nodes of the program of these tests.
const LOG_LEAVES: usize = 3;
const LOG_NODES: usize = 5;

/// The place of each hint that comes before those of the nodes: bits, then the slices.
const LISTED: usize = LOG_LEAVES + LOG_NODES;
const NODES: usize = LISTED + 1;
const TREE: usize = LISTED + 2;
const FIRST: usize = LISTED + 3;

fn key(n: u32) -> KeyDigest {
    KeyDigest(std::array::from_fn(|i| {
        F::from_u32(0x6f00_0001) * F::from_u32(n) + F::from_usize(7 * i)
    }))
}

fn leaf(n: u32) -> ClaimTree {
    ClaimTree {
        key: key(n),
        claim: Claim::Statement(std::array::from_fn(|i| F::from_u32(1000 * n + i as u32))),
    }
}

fn node(n: u32, children: Vec<ClaimTree>) -> ClaimTree {
    ClaimTree {
        key: key(n),
        claim: Claim::Children(children),
    }
}

/// The recursion keys of these tests.
fn listed() -> ListedKeys {
    ListedKeys::new([20, 10, 11].map(key)).expect("a list")
}

/// Joins (20) of wraps (10) of so many leaves, the first of which is wrapped twice.
fn tree(leaves: u32) -> ClaimTree {
    let wrap = |n| match n {
        0 => node(10, vec![node(11, vec![leaf(n)])]),
        _ => node(10, vec![leaf(n)]),
    };
    (1..leaves).fold(wrap(0), |tree, n| node(20, vec![tree, wrap(n)]))
}

fn program() -> (LeafRootProgram, Program) {
    let program = LeafRootProgram::new(LOG_LEAVES as u32).expect("a program");
    let main = reveal_leaf_root::<LOG_LEAVES, LOG_NODES>;
    (program, Program::new("leaf_root", &program.source(), main))
}

fn tape_of(hints: &Hints) -> NativeTape {
    let items = hints.tape.items.iter().map(|item| match item {
        TapeItem::Felt(value) => Hint::Felt(*value),
        TapeItem::Slice(blocks) => Hint::Slice(blocks.clone()),
        TapeItem::Ext(_) => unreachable!("no extension element is hinted"),
    });
    NativeTape {
        hints: items.collect(),
    }
}

fn honest(tree: &ClaimTree) -> (NativeTape, Hints) {
    let hints = program().0.hints(tree, &listed()).expect("a small tree");
    (tape_of(&hints), hints)
}

fn canonical(statement: [F; 8]) -> [u32; 8] {
    statement.map(|element| element.as_canonical_u32())
}

#[test]
fn trees_of_every_size_are_accepted() {
    let (_, program) = program();
    // A tree that is a leaf: its root is not opened, and it is the only leaf.
    for tree in std::iter::once(leaf(5)).chain((1..=8).map(tree)) {
        let (tape, hints) = honest(&tree);
        let expected = canonical(hints.says.statement());
        assert_eq!(program.both(&tape, &[]), Ok(expected));
        assert_eq!(hints.says.leaves as usize, tree.leaves().len());
        assert_eq!(hints.says.claim, tree.claim.statement());
    }
    // A join of many, and one whose leaves are at different depths.
    let wide = node(20, (0..8).map(leaf).collect());
    let mixed = node(
        20,
        vec![
            leaf(1),
            node(10, vec![leaf(2), leaf(3)]),
            node(11, vec![node(10, vec![leaf(4)])]),
            leaf(5),
        ],
    );
    for tree in [wide, mixed] {
        let (tape, hints) = honest(&tree);
        let expected = canonical(hints.says.statement());
        assert_eq!(program.both(&tape, &[]), Ok(expected));
    }
}

/// Level by level, the leaves near the root come first.
#[test]
fn leaves_are_in_order_of_their_levels() {
    let tree = node(20, vec![node(10, vec![leaf(1), leaf(2)]), leaf(3)]);
    let (_, hints) = honest(&tree);
    let keys: Vec<_> = hints.tree.leaves().iter().map(|leaf| leaf.0).collect();
    assert_eq!(keys, [3, 1, 2].map(key));
}

#[test]
fn the_example_program_takes_a_small_tree() {
    let program = LeafRootProgram::LARGEST;
    let hints = program.hints(&tree(3), &listed()).expect("a small tree");
    let source = droste_programs::source("leaf_root").expect("the program exists");
    let compiled = Program::new("leaf_root", source, droste_programs::leaf_root::main);
    let expected = canonical(hints.says.statement());
    assert_eq!(compiled.both(&tape_of(&hints), &[]), Ok(expected));
}

/// Only blocks that no node uses may be anything, and the place of the last key of the list, which
/// is there several times.
#[test]
fn false_hints_prove_nothing_else() {
    let (program, compiled) = program();
    let tree = tree(3);
    let (tape, hints) = honest(&tree);
    let free = compiled.mutate_hints(&tape, &[]);
    // Of a long slice, every eighth part's first block is changed, and the last block.
    let unused = |length: usize, used: usize| {
        let changed = (0..length).step_by(length / 8).chain([length - 1]);
        8 * changed.filter(|&block| block >= used).count()
    };
    let (nodes, digests) = (tree.nodes().count(), hints.tree.nodes().len());
    assert_eq!((nodes, digests), (9, 5));
    let padding =
        unused(2 * program.nodes(), 2 * nodes) + unused(4 * program.leaves(), 2 * digests);
    let last = listed().keys().last().copied();
    let repeated = tree.nodes().filter(|(_, node)| Some(node.key) == last);
    assert_eq!(free, padding + repeated.count());
}

/// Each lane of every hint that is in use is bound.
#[test]
fn every_lane_in_use_is_bound() {
    let (_, compiled) = program();
    let (tape, hints) = honest(&tree(2));
    let statement = Ok(canonical(hints.says.statement()));
    assert_eq!(compiled.both(&tape, &[]), statement);
    // The list, 3 + 3 + 1 - 1 nodes of two blocks, and three Keccak nodes.
    for (slice, used) in [(LISTED, KEYS), (NODES, 12), (TREE, 6)] {
        for block in 0..used {
            for lane in 0..8 {
                let mut forged = tape.clone();
                change(&mut forged, slice, block, |block| block[lane] += F::ONE);
                assert_ne!(
                    compiled.machine(&forged, &[]),
                    statement,
                    "{slice} {block} {lane}"
                );
            }
        }
    }
}

/// The same in a program with challenges of degree 4, whose elements are read in other windows.
fn quartic_main() {
    quartic();
    reveal_leaf_root::<LOG_LEAVES, LOG_NODES>();
}

/// Each lane of the messages, of a leaf and of the statement, is bound at both degrees.
#[test]
fn every_lane_of_a_message_is_bound() {
    let (program, compiled) = program();
    let begin = "pub fn main() {\n";
    let quartic = program
        .source()
        .replace(begin, &format!("{begin}    quartic();\n"));
    let text = format!("use droste_gadgets::prelude::*;\n{quartic}");
    let quartic = Program::new("quartic_leaf_root", &text, quartic_main);
    let (tape, hints) = honest(&leaf(5));
    let statement = Ok(canonical(hints.says.statement()));
    for program in [compiled, quartic] {
        assert_eq!(program.both(&tape, &[]), statement);
        // The only node has its number of children before its message.
        for message in [FIRST + 1, FIRST + 2] {
            for (block, lane) in (0..3).flat_map(|block| (0..8).map(move |lane| (block, lane))) {
                let mut forged = tape.clone();
                change(&mut forged, message, block, |block| block[lane] += F::ONE);
                let outcome = program.both(&forged, &[]);
                assert!(
                    outcome.is_err(),
                    "{} {message} {block} {lane}",
                    program.name
                );
            }
        }
    }
}

/// Changes a block of a slice.
fn change(tape: &mut NativeTape, slice: usize, block: usize, change: impl FnOnce(&mut Block)) {
    let Hint::Slice(blocks) = &mut tape.hints[slice] else {
        panic!("a slice")
    };
    let mut lanes = blocks[block].map(|lane| lane.expect("a value"));
    change(&mut lanes);
    blocks[block] = lanes.map(Some);
}

/// What a prover claims, who fills in everything that the program compares: the number of leaves
/// and of nodes, the nodes with their number of children, and, for those with children, the place
/// in the list.
fn forged(nodes: &[(KeyDigest, [F; 8], u32, u32)], count: usize, leaves: usize) -> NativeTape {
    let (mut tape, _) = honest(&leaf(0));
    let bit = |number: usize, bit: usize| Hint::Felt(F::from_bool(number >> bit & 1 == 1));
    for i in 0..LOG_LEAVES {
        tape.hints[i] = bit(leaves.wrapping_sub(1), i);
    }
    for i in 0..LOG_NODES {
        tape.hints[LOG_LEAVES + i] = bit(count - 1, i);
    }
    let places = [key(10), key(11), key(20)];
    let sorted = listed();
    assert!(places.iter().all(|key| sorted.keys().contains(key)));
    let mut list = sorted.keys().to_vec();
    list.resize(KEYS, *list.last().expect("a key"));
    tape.hints[LISTED] = Hint::Slice(list.iter().map(|key| key.0.map(Some)).collect());
    for (index, (key, statement, ..)) in nodes.iter().enumerate() {
        change(&mut tape, NODES, 2 * index, |block| *block = key.0);
        change(&mut tape, NODES, 2 * index + 1, |block| *block = *statement);
    }
    let closed = nodes.iter().filter(|node| node.2 == 0);
    let tree = LeafTree::new(closed.map(|node| (node.0, node.1)).collect());
    for (index, digest) in tree.iter().flat_map(LeafTree::nodes).enumerate() {
        let [low, high] = digest_to_limbs(*digest);
        if 2 * index + 1 < 4 << LOG_LEAVES {
            change(&mut tape, TREE, 2 * index, |block| *block = low);
            change(&mut tape, TREE, 2 * index + 1, |block| *block = high);
        }
    }
    tape.hints.truncate(FIRST);
    let tag = std::array::from_fn(|lane| F::from_usize(if lane == 0 { LEAF_WORD } else { 0 }));
    for (key, statement, children, place) in nodes {
        tape.hints.push(Hint::Felt(F::from_u32(*children)));
        tape.hints.push(match children {
            0 => scaled([key.0, *statement, tag]),
            _ => Hint::Felt(F::from_u32(*place)),
        });
    }
    let (key, claim, ..) = nodes[0];
    tape.hints.push(scaled([sorted.digest().0, key.0, claim]));
    tape
}

/// Blocks divided by 2^32.
fn scaled(blocks: [Block; 3]) -> Hint {
    let inverse = F::from_u64(1 << 32).inverse();
    let blocks = blocks.map(|block| block.map(|lane| Some(lane * inverse)));
    Hint::Slice(blocks.to_vec())
}

/// Where a key is in the list.
fn place(n: u32) -> u32 {
    let place = listed().keys().iter().position(|&listed| listed == key(n));
    place.expect("a listed key") as u32
}

const LEAF: [F; 8] = F::new_array([1, 2, 3, 4, 5, 6, 7, 8]);

/// A join of the nodes.
fn claim(children: &[(KeyDigest, [F; 8])]) -> [F; 8] {
    claim_digest(children)
}

#[test]
fn what_is_forged_is_rejected() {
    let (_, compiled) = program();
    let (a, b, c) = ((key(1), LEAF), (key(2), LEAF), (key(3), LEAF));
    let closed = |(key, says): (KeyDigest, [F; 8])| (key, says, 0, 0);
    let run = |nodes: &[_], count, leaves| compiled.both(&forged(nodes, count, leaves), &[]);
    let root = |children: &[_], count| (key(20), claim(children), count, place(20));

    // The same hints are accepted where nothing is forged.
    run(&[root(&[a, b], 2), closed(a), closed(b)], 3, 2).unwrap();
    run(&[closed(a)], 1, 1).unwrap();

    let rejected: [(&str, Vec<_>, usize, usize); 14] = [
        (
            "another order",
            vec![root(&[a, b], 2), closed(b), closed(a)],
            3,
            2,
        ),
        (
            "a child is left out",
            vec![root(&[a, b], 2), closed(a)],
            2,
            1,
        ),
        (
            "a child is added",
            vec![root(&[a], 1), closed(a), closed(b)],
            3,
            2,
        ),
        (
            "a leaf fewer",
            vec![root(&[a, b], 2), closed(a), closed(b)],
            3,
            1,
        ),
        (
            "a leaf more",
            vec![root(&[a, b], 2), closed(a), closed(b)],
            3,
            3,
        ),
        (
            "a node fewer",
            vec![root(&[a, b], 2), closed(a), closed(b)],
            2,
            2,
        ),
        (
            "a node more",
            vec![root(&[a, b], 2), closed(a), closed(b), closed(c)],
            4,
            3,
        ),
        (
            "a key that is not listed",
            vec![(key(5), claim(&[a]), 1, 0), closed(a)],
            2,
            1,
        ),
        (
            "a place that is not in the list",
            vec![(key(20), claim(&[a]), 1, KEYS as u32), closed(a)],
            2,
            1,
        ),
        (
            "a leaf with the number of children of a node",
            vec![(key(20), LEAF, 1, place(20)), closed(a)],
            2,
            1,
        ),
        (
            // Both nodes below the root would have the same child.
            "a child counted twice",
            {
                let twice = (key(10), claim(&[a]));
                let opened = (twice.0, twice.1, 1, place(10));
                vec![root(&[twice, twice], 2), opened, opened, closed(a)]
            },
            4,
            1,
        ),
        (
            "a node that no other has as a child",
            vec![closed(a), (key(10), claim(&[b]), 1, place(10)), closed(b)],
            3,
            2,
        ),
        (
            "a sum that wraps around the field",
            vec![root(&[a, b], F::ORDER_U32 - 1), closed(a), closed(b)],
            3,
            2,
        ),
        (
            "a number of children above 2^16",
            vec![root(&[a, b], 2 + (1 << 16)), closed(a), closed(b)],
            3,
            2,
        ),
    ];
    for (what, nodes, count, leaves) in rejected {
        assert!(run(&nodes, count, leaves).is_err(), "{what}");
    }
}

/// The only way to a child before its parent is a node that no node before it has as a child: a
/// prover with a cycle of digests would otherwise prove a tree that hangs in the air. Nobody has
/// such a cycle, so the numbers are tested alone, with the digest left out.
#[test]
fn children_come_after_their_parents() {
    let (_, compiled) = program();
    let itself = (key(10), LEAF, 1, place(10));
    let tape = forged(&[(key(1), LEAF, 0, 0), itself], 2, 1);
    let error = compiled.both(&tape, &[]).expect_err("rejected");
    assert!(error.contains("a node is no child"), "{error}");
    let error = compiled.machine(&tape, &[]).expect_err("rejected");
    assert!(error.contains("a node is no child"), "{error}");
}

/// A node with a recursion key that is not opened is a leaf with that key.
#[test]
fn a_node_may_stay_closed() {
    let (_, compiled) = program();
    let wrap = (key(10), claim(&[(key(1), LEAF)]));
    let nodes = [
        (key(20), claim(&[wrap]), 1, place(20)),
        (wrap.0, wrap.1, 0, 0),
    ];
    let open = compiled.both(
        &honest(&node(
            20,
            vec![node(
                10,
                vec![ClaimTree {
                    key: key(1),
                    claim: Claim::Statement(LEAF),
                }],
            )],
        ))
        .0,
        &[],
    );
    let closed = compiled.both(&forged(&nodes, 2, 1), &[]);
    assert!(closed.is_ok());
    assert_ne!(closed, open);
    let tree = LeafTree::new(vec![wrap]).expect("a leaf");
    assert_eq!(tree.root(), leaf_digest(wrap.0, &wrap.1));
}

#[test]
fn what_no_program_takes_is_refused() {
    let (program, _) = program();
    let refused = |tree: &ClaimTree, listed: &ListedKeys| program.hints(tree, listed).unwrap_err();
    let large = refused(&tree(9), &listed());
    assert!(matches!(large, LeafRootError::TooLarge { leaves: 9, .. }));
    let deep = (0..32).fold(leaf(1), |below, _| node(10, vec![below]));
    assert!(matches!(
        refused(&deep, &listed()),
        LeafRootError::TooLarge {
            leaves: 1,
            nodes: 33,
            ..
        }
    ));
    let few = ListedKeys::new([key(20)]).expect("a list");
    assert!(matches!(
        refused(&tree(2), &few),
        LeafRootError::NotListed(_)
    ));
    let keys = |count: u32| ListedKeys::new((0..count).map(key));
    assert!(matches!(keys(33), Err(LeafRootError::Keys(33))));
    assert!(matches!(keys(0), Err(LeafRootError::Keys(0))));
    assert_eq!(keys(32).expect("a list").keys().len(), KEYS);
}
