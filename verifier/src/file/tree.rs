//! Claim trees as files have them: a flat list of nodes, each before its children, which name their
//! keys by number.

use std::collections::{BTreeMap, BTreeSet};

use droste_native::F;
use droste_vm::key::KeyDigest;
use serde::{Deserialize, Serialize};

use super::FileError;
use crate::claim::{Claim, ClaimError, ClaimTree, MAX_DEPTH, MAX_NODES, check_size};
use crate::keys::ClaimedKeys;

/// A node. Its key's number counts through the recursion keys of the file, then the other keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Node {
    /// A leaf.
    Leaf { key: u32, statement: [F; 8] },
    /// A node with this many children, which follow it.
    Inner { key: u32, children: u32 },
}

/// A tree as a list.
#[derive(Debug)]
pub struct FlatTree {
    /// Keys that are not recursion keys, ascending.
    pub other_keys: Vec<KeyDigest>,
    /// The nodes.
    pub nodes: Vec<Node>,
}

impl FlatTree {
    /// The nodes of a tree; `listed` are the recursion keys of its file.
    pub fn new(tree: &ClaimTree, listed: &ClaimedKeys) -> Result<Self, FileError> {
        check_size(tree.children())?;
        let keys = tree.nodes().map(|(_, node)| node.key);
        let others: BTreeSet<KeyDigest> = keys.filter(|&key| listed.bits(key).is_none()).collect();
        let keys = listed.iter().map(|(key, _)| key);
        let numbers: BTreeMap<KeyDigest, u32> =
            keys.chain(others.iter().copied()).zip(0..).collect();
        // Every key is in one of the two lists.
        let number = |key| numbers.get(&key).copied().unwrap_or(u32::MAX);
        let flat = |(_, node): (usize, &ClaimTree)| {
            let key = number(node.key);
            match &node.claim {
                Claim::Statement(statement) => Node::Leaf {
                    key,
                    statement: *statement,
                },
                // `check_size` bounds the number of children.
                Claim::Children(children) => Node::Inner {
                    key,
                    children: children.len() as u32,
                },
            }
        };
        Ok(Self {
            nodes: tree.nodes().map(flat).collect(),
            other_keys: others.into_iter().collect(),
        })
    }
}

/// Checks that nodes form exactly one tree. Then the numbers of children add up to less than the
/// number of nodes, so memory can be reserved for them.
fn check_counts(nodes: &[Node]) -> Result<(), FileError> {
    // How many of the nodes that follow have a parent, or are the root.
    let mut expected = 1;
    for (index, node) in nodes.iter().enumerate() {
        let children = match node {
            Node::Leaf { .. } => 0,
            Node::Inner { children: 0, .. } => return Err(FileError::Tree),
            Node::Inner { children, .. } => *children as usize,
        };
        // The sum would overflow where `usize` has 32 bits, as in a browser.
        expected = match expected {
            0 => return Err(FileError::Tree),
            _ => children.saturating_add(expected - 1),
        };
        if expected > nodes.len() - index - 1 {
            return Err(FileError::Tree);
        }
    }
    match expected {
        0 => Ok(()),
        _ => Err(FileError::Tree),
    }
}

/// A node whose children have not all been read.
struct Open {
    key: KeyDigest,
    missing: u32,
    children: Vec<ClaimTree>,
}

/// Restores the tree that [`FlatTree::new`] turned into these nodes, which name `keys` by number.
pub fn unflatten(nodes: Vec<Node>, keys: &[KeyDigest]) -> Result<ClaimTree, FileError> {
    let count = nodes.len();
    let too_large = |depth| {
        FileError::TooLarge(ClaimError::TooLarge {
            nodes: count,
            depth,
        })
    };
    if count > MAX_NODES {
        return Err(too_large(1));
    }
    check_counts(&nodes)?;
    let key = |number: u32| match keys.get(number as usize) {
        Some(&key) => Ok(key),
        None => Err(FileError::Key {
            number,
            keys: keys.len(),
        }),
    };
    let mut open: Vec<Open> = vec![];
    for node in nodes {
        let mut done = match node {
            Node::Leaf {
                key: number,
                statement,
            } => ClaimTree {
                key: key(number)?,
                claim: Claim::Statement(statement),
            },
            Node::Inner {
                key: number,
                children,
            } => {
                open.push(Open {
                    key: key(number)?,
                    missing: children,
                    children: Vec::with_capacity(children as usize),
                });
                // Its children are one level deeper.
                if open.len() >= MAX_DEPTH {
                    return Err(too_large(open.len() + 1));
                }
                continue;
            }
        };
        // A node whose last child is complete is complete itself, and may complete its own parent.
        loop {
            let Some(mut parent) = open.pop() else {
                // The counts are right, so this was the last node.
                return Ok(done);
            };
            parent.children.push(done);
            parent.missing -= 1;
            if parent.missing > 0 {
                open.push(parent);
                break;
            }
            done = ClaimTree {
                key: parent.key,
                claim: Claim::Children(parent.children),
            };
        }
    }
    Err(FileError::Tree)
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;

    use super::*;
    use crate::claim::tests::{self, key, leaf};
    use crate::keys::tests::list;

    fn node(children: Vec<ClaimTree>) -> ClaimTree {
        tests::node(children.len() as u32, children)
    }

    fn chain(depth: usize) -> ClaimTree {
        (1..depth).fold(leaf(0), |tree, _| node(vec![tree]))
    }

    fn inner(children: u32) -> Node {
        Node::Inner { key: 0, children }
    }

    fn end() -> Node {
        Node::Leaf {
            key: 0,
            statement: [F::ZERO; 8],
        }
    }

    fn read(nodes: Vec<Node>) -> Result<ClaimTree, FileError> {
        unflatten(nodes, &[key(0)])
    }

    #[test]
    fn trees_survive_and_keys_stand_once() {
        let trees = [
            leaf(3),
            chain(5),
            chain(MAX_DEPTH),
            node(vec![node(vec![leaf(1), leaf(2)]), leaf(3), chain(4)]),
            node((0..300).map(leaf).collect()),
        ];
        for tree in trees {
            for keys in [&[][..], &[(1, 0), (2, 0)], &[(0, 0), (3, 0), (500, 0)]] {
                let listed = list(keys);
                let flat = FlatTree::new(&tree, &listed).unwrap();
                let names = listed.iter().map(|(key, _)| key);
                let keys: Vec<KeyDigest> = names.chain(flat.other_keys).collect();
                let distinct: BTreeSet<_> = keys.iter().collect();
                assert_eq!(distinct.len(), keys.len());
                assert_eq!(unflatten(flat.nodes, &keys).unwrap(), tree);
            }
        }
    }

    #[test]
    fn only_trees_are_read() {
        let lists = [
            vec![],
            vec![inner(1)],
            vec![inner(0)],
            vec![inner(0), end()],
            vec![inner(2), end()],
            vec![inner(2), inner(1), end()],
            vec![inner(1), end(), end()],
            vec![end(), end()],
            vec![inner(u32::MAX), end()],
            vec![inner(u32::MAX), inner(u32::MAX), end()],
            // Modulo 2^32 these counts are those of a tree.
            vec![inner(3), inner(u32::MAX), inner(1), end()],
        ];
        for (index, list) in lists.into_iter().enumerate() {
            assert_eq!(read(list), Err(FileError::Tree), "{index}");
        }
    }

    #[test]
    fn keys_must_be_in_the_file() {
        let mut nodes = vec![inner(1), end()];
        assert_eq!(read(nodes.clone()).unwrap().children().len(), 1);
        nodes[1] = Node::Leaf {
            key: 1,
            statement: [F::ZERO; 8],
        };
        let error = FileError::Key { number: 1, keys: 1 };
        assert_eq!(read(nodes.clone()), Err(error));
        nodes[0] = Node::Inner {
            key: u32::MAX,
            children: 1,
        };
        let number = u32::MAX;
        assert_eq!(read(nodes), Err(FileError::Key { number, keys: 1 }));
    }

    #[test]
    fn depth_and_number_of_nodes_are_bounded() {
        let deep = |depth: usize| {
            let mut nodes: Vec<_> = (1..depth).map(|_| inner(1)).collect();
            nodes.push(end());
            nodes
        };
        assert_eq!(read(deep(MAX_DEPTH)).unwrap().depth(), MAX_DEPTH);
        let deep = read(deep(MAX_DEPTH + 1));
        assert!(matches!(deep, Err(FileError::TooLarge(_))), "{deep:?}");
        let mut nodes = vec![end(); MAX_NODES + 1];
        nodes[0] = inner(MAX_NODES as u32);
        assert!(matches!(read(nodes), Err(FileError::TooLarge(_))));
        let written = FlatTree::new(&chain(MAX_DEPTH + 1), &list(&[]));
        assert!(matches!(written, Err(FileError::TooLarge(_))));
    }
}
