//! Digests of whole claim trees: those of many nodes at a time, in the lanes of a vector.

use std::collections::BTreeMap;

use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16;
use droste_vm::key::KeyDigest;
use p3_field::{Field, PackedValue, PrimeCharacteristicRing};
use p3_symmetric::Permutation;

use super::{Claim, ClaimTree, Nodes, claim_digest};
use crate::tags::CLAIM_TAG;

type Packed = <F as Field>::Packing;

/// Fewer digests than this are computed one by one: a permutation of a vector takes longer than one
/// of a single state.
const FEWEST: usize = 3;

/// Nodes of one height and one number of children. Their digests depend on lower nodes only.
type Group = Vec<Inner>;

/// A node with children: its index, and where the indices of its children begin.
struct Inner {
    node: usize,
    children: usize,
}

/// The claim of a proof that verified these proofs.
pub fn claim_of(trees: &[ClaimTree]) -> [F; 8] {
    let nodes: Vec<&ClaimTree> = Nodes::of(trees).map(|(_, node)| node).collect();
    let mut statements: Vec<[F; 8]> = nodes
        .iter()
        .map(|node| match node.claim {
            Claim::Statement(statement) => statement,
            // Computed below.
            Claim::Children(_) => [F::ZERO; 8],
        })
        .collect();

    // From the last node to the first: `done` has index and height of every node whose parent has
    // not come yet, the first child of a parent last.
    let (mut done, mut order) = (Vec::<(usize, usize)>::new(), Vec::<usize>::new());
    let mut groups = BTreeMap::<(usize, usize), Group>::new();
    for (node, tree) in nodes.iter().enumerate().rev() {
        let mut height = 0;
        if let Claim::Children(below) = &tree.claim {
            let inner = Inner {
                node,
                children: order.len(),
            };
            for (child, of_child) in done.drain(done.len() - below.len()..).rev() {
                order.push(child);
                height = height.max(of_child);
            }
            height += 1;
            groups.entry((height, below.len())).or_default().push(inner);
        }
        done.push((node, height));
    }

    let child = |index: usize, statements: &[[F; 8]]| (nodes[index].key, statements[index]);
    for ((_, count), group) in groups {
        for some in group.chunks(Packed::WIDTH) {
            if some.len() < FEWEST || count == 0 {
                for inner in some {
                    let children = order[inner.children..][..count].iter();
                    let children: Vec<_> =
                        children.map(|&index| child(index, &statements)).collect();
                    statements[inner.node] = claim_digest(&children);
                }
                continue;
            }
            // Lanes to spare repeat the last node.
            let lane = |lane: usize| &some[lane.min(some.len() - 1)];
            let digests = packed_digests(count, |lane_index, number| {
                child(order[lane(lane_index).children + number], &statements)
            });
            for (inner, digest) in some.iter().zip(digests) {
                statements[inner.node] = digest;
            }
        }
    }
    let roots: Vec<_> = done
        .iter()
        .rev()
        .map(|&(index, _)| child(index, &statements))
        .collect();
    claim_digest(&roots)
}

/// [`claim_digest`] of the `count` children of each lane, at least one: the sponge of
/// [`Poseidon16::hash`] on vectors. A key and a statement are a block each.
fn packed_digests(
    count: usize,
    child: impl Fn(usize, usize) -> (KeyDigest, [F; 8]),
) -> Vec<[F; 8]> {
    let mut state = [Packed::ZERO; 16];
    let length = 16 * count;
    let capacity = [
        CLAIM_TAG,
        F::from_usize(length & ((1 << 30) - 1)),
        F::from_usize(length >> 30),
    ];
    for (lane, element) in state[8..].iter_mut().zip(capacity) {
        *lane = element.into();
    }
    for number in 0..count {
        let children: Vec<_> = (0..Packed::WIDTH).map(|lane| child(lane, number)).collect();
        for block in [0, 1] {
            for (index, elements) in state[..8].iter_mut().enumerate() {
                *elements = Packed::from_fn(|lane| {
                    let (key, statement) = &children[lane];
                    [&key.0, statement][block][index]
                });
            }
            Poseidon16.permute_mut(&mut state);
        }
    }
    (0..Packed::WIDTH)
        .map(|lane| std::array::from_fn(|index| state[index].as_slice()[lane]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest by its definition.
    fn plain(tree: &ClaimTree) -> [F; 8] {
        match &tree.claim {
            Claim::Statement(statement) => *statement,
            Claim::Children(children) => {
                let children = children.iter().map(|child| (child.key, plain(child)));
                claim_digest(&children.collect::<Vec<_>>())
            }
        }
    }

    /// A tree whose shape follows from the number.
    fn tree(number: usize, levels: usize) -> ClaimTree {
        let claim = match levels {
            0 => Claim::Statement([F::from_usize(number); 8]),
            _ => {
                let below =
                    |child| tree(7 * number + child, (levels - 1).saturating_sub(child % 2));
                Claim::Children((0..number % 5).map(below).collect())
            }
        };
        ClaimTree {
            key: KeyDigest(std::array::from_fn(|i| F::from_usize(number + i))),
            claim,
        }
    }

    #[test]
    fn digests_in_lanes_are_those_of_the_definition() {
        for width in [0, 1, 2, 3, 15, 16, 17, 40] {
            for levels in 0..6 {
                let children: Vec<_> = (0..width).map(|number| tree(number, levels)).collect();
                let root = ClaimTree {
                    key: KeyDigest([F::ONE; 8]),
                    claim: Claim::Children(children),
                };
                assert_eq!(root.claim.statement(), plain(&root), "{width}, {levels}");
            }
        }
    }
}
