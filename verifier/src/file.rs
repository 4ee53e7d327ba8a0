//! Files of aggregates.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`FILE_VERSION`], little-endian |
//! | rest | recursion keys, ascending, each with its bits and its recipe; the claim tree, each node before its children; the proof: as `droste_vm::codec` writes values |
//!
//! As with proofs, decoding refuses everything that encoding does not write, and takes memory in
//! proportion to the bytes it is given: longer lists than [`MAX_KEYS`] and [`MAX_NODES`] are refused by
//! their lengths. The tree is a flat list, so that no nesting of the input
//! becomes nesting of calls before its depth is known.

use droste_native::{F, Poseidon16Family};
use droste_vm::codec::{DecodeError, decode_body, encode_body, short_list};
use droste_vm::key::KeyDigest;
use droste_vm::prover::Proof;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::aggregate::{Aggregate, UnverifiedAggregate};
use crate::claim::{Claim, ClaimTree};
use crate::keys::{ClaimedKeys, Recipe};

/// First bytes of an aggregate's file.
pub const MAGIC: [u8; 8] = *b"droste\0a";

/// Version of the format: raised by every change of its meaning. Since 2, keys have recipes.
pub const FILE_VERSION: u32 = 2;

/// Most levels of a claim tree in a file.
pub const MAX_DEPTH: usize = 1024;

/// Most nodes of a claim tree in a file.
pub const MAX_NODES: usize = 1 << 16;

/// Most recursion keys in a file.
pub const MAX_KEYS: usize = 256;

const HEADER: usize = MAGIC.len() + 4;

/// Bytes that are no aggregate, or an aggregate that has no file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FileError {
    /// The first bytes are not those of an aggregate's file.
    #[error("not an aggregate of proofs")]
    Magic,
    /// Another version of the format.
    #[error("aggregate format version {found}, expected {FILE_VERSION}")]
    Version {
        /// Version in the file.
        found: u32,
    },
    /// The content cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The nodes of the claim tree make no tree.
    #[error("the nodes of the claim tree make no tree")]
    Tree,
    /// The claim tree is too large.
    #[error(
        "a claim tree of {nodes} nodes, {depth} levels: at most {MAX_NODES} and {MAX_DEPTH} are read"
    )]
    TooLarge {
        /// Nodes of the tree, as far as it was read.
        nodes: usize,
        /// Levels of the tree, as far as it was read.
        depth: usize,
    },
    /// More keys than are read.
    #[error("{found} recursion keys: at most {MAX_KEYS} are read")]
    TooManyKeys {
        /// Number of keys.
        found: usize,
    },
    /// The content can be read but is not written the one way there is.
    #[error("the aggregate is not in canonical form")]
    NotCanonical,
}

#[derive(Serialize, Deserialize)]
enum Node {
    Leaf { key: [F; 8], statement: [F; 8] },
    Inner { key: [F; 8], children: u32 },
}

/// A key, its bits, and what it is made from.
type ListedKey<R> = ([F; 8], u16, R);

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "R: Deserialize<'de>, P: Deserialize<'de>"))]
struct Content<R, P> {
    #[serde(deserialize_with = "short_list::<_, _, MAX_KEYS>")]
    keys: Vec<ListedKey<R>>,
    #[serde(deserialize_with = "short_list::<_, _, MAX_NODES>")]
    nodes: Vec<Node>,
    proof: P,
}

/// Whether bytes begin as an aggregate's file does.
pub fn is_aggregate(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The bytes of an aggregate's file; the steps that made it are not in it.
///
/// # Errors
/// If the claim tree or the set of keys is too large.
pub fn encode(aggregate: &Aggregate) -> Result<Vec<u8>, FileError> {
    write(
        aggregate.proof(),
        aggregate.tree(),
        aggregate.keys().claimed(),
    )
}

/// The bytes of a file with this content, whatever it is worth.
///
/// # Errors
/// As [`encode`].
pub fn encode_unverified(aggregate: &UnverifiedAggregate) -> Result<Vec<u8>, FileError> {
    write(&aggregate.proof, &aggregate.tree, &aggregate.keys)
}

/// What follows the header in an aggregate's file, as a value: for whoever looks at its fields.
///
/// # Errors
/// As [`encode`].
pub fn content(aggregate: &Aggregate) -> Result<impl Serialize + use<'_>, FileError> {
    listed(
        aggregate.proof(),
        aggregate.tree(),
        aggregate.keys().claimed(),
    )
}

fn listed<'a>(
    proof: &'a Proof<Poseidon16Family>,
    tree: &ClaimTree,
    keys: &'a ClaimedKeys,
) -> Result<Content<&'a Recipe, &'a Proof<Poseidon16Family>>, FileError> {
    check_count(keys.iter().len())?;
    let mut nodes = vec![];
    flatten(tree, 1, &mut nodes)?;
    Ok(Content {
        keys: keys
            .iter()
            .map(|(key, listed)| (key.0, listed.bits as u16, &listed.recipe))
            .collect(),
        nodes,
        proof,
    })
}

fn write(
    proof: &Proof<Poseidon16Family>,
    tree: &ClaimTree,
    keys: &ClaimedKeys,
) -> Result<Vec<u8>, FileError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FILE_VERSION.to_le_bytes());
    Ok(encode_body(bytes, &listed(proof, tree, keys)?)?)
}

/// The aggregate of a file. Nothing in it is verified.
///
/// # Errors
/// If the bytes are not exactly what [`encode`] writes for some aggregate.
pub fn decode(bytes: &[u8]) -> Result<UnverifiedAggregate, FileError> {
    let (magic, rest) = bytes.split_first_chunk().ok_or(FileError::Magic)?;
    if *magic != MAGIC {
        return Err(FileError::Magic);
    }
    let (version, _) = rest.split_first_chunk().ok_or(FileError::Magic)?;
    let found = u32::from_le_bytes(*version);
    if found != FILE_VERSION {
        return Err(FileError::Version { found });
    }
    let content: Content<Recipe, Proof<Poseidon16Family>> = decode_body(bytes, HEADER)?;
    let mut keys = ClaimedKeys::default();
    for (key, bits, recipe) in content.keys {
        keys.insert(KeyDigest(key), usize::from(bits), recipe);
    }
    let aggregate = UnverifiedAggregate {
        proof: content.proof,
        tree: unflatten(content.nodes)?,
        keys,
    };
    if encode_unverified(&aggregate)? != bytes {
        return Err(FileError::NotCanonical);
    }
    Ok(aggregate)
}

fn check_count(keys: usize) -> Result<(), FileError> {
    match keys <= MAX_KEYS {
        true => Ok(()),
        false => Err(FileError::TooManyKeys { found: keys }),
    }
}

/// Appends the nodes of a tree whose root is on level `depth`.
fn flatten(tree: &ClaimTree, depth: usize, nodes: &mut Vec<Node>) -> Result<(), FileError> {
    let key = tree.key.0;
    if depth > MAX_DEPTH || nodes.len() == MAX_NODES {
        let nodes = nodes.len() + 1;
        return Err(FileError::TooLarge { nodes, depth });
    }
    match &tree.claim {
        Claim::Statement(statement) => nodes.push(Node::Leaf {
            key,
            statement: *statement,
        }),
        Claim::Children(children) => {
            nodes.push(Node::Inner {
                key,
                children: u32::try_from(children.len()).map_err(|_| FileError::Tree)?,
            });
            for child in children {
                flatten(child, depth + 1, nodes)?;
            }
        }
    }
    Ok(())
}

/// A node of which some children are still to come.
struct Open {
    key: KeyDigest,
    missing: u32,
    children: Vec<ClaimTree>,
}

/// The tree that [`flatten`] turns into these nodes.
fn unflatten(nodes: Vec<Node>) -> Result<ClaimTree, FileError> {
    let count = nodes.len();
    if count > MAX_NODES {
        return Err(FileError::TooLarge {
            nodes: count,
            depth: 0,
        });
    }
    let mut open: Vec<Open> = vec![];
    let mut nodes = nodes.into_iter();
    while let Some(node) = nodes.next() {
        let mut done = match node {
            Node::Leaf { key, statement } => ClaimTree {
                key: KeyDigest(key),
                claim: Claim::Statement(statement),
            },
            Node::Inner { children: 0, .. } => return Err(FileError::Tree),
            Node::Inner { key, children } => {
                open.push(Open {
                    key: KeyDigest(key),
                    missing: children,
                    children: vec![],
                });
                // Its children are on the next level.
                if open.len() >= MAX_DEPTH {
                    return Err(FileError::TooLarge {
                        nodes: count,
                        depth: open.len() + 1,
                    });
                }
                continue;
            }
        };
        // A finished node may finish those above it.
        loop {
            let Some(mut parent) = open.pop() else {
                return match nodes.next() {
                    None => Ok(done),
                    Some(_) => Err(FileError::Tree),
                };
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

    fn leaf(n: u32) -> ClaimTree {
        ClaimTree {
            key: KeyDigest([F::from_u32(n); 8]),
            claim: Claim::Statement([F::from_u32(n + 1); 8]),
        }
    }

    fn node(children: Vec<ClaimTree>) -> ClaimTree {
        ClaimTree {
            key: KeyDigest([F::from_usize(children.len()); 8]),
            claim: Claim::Children(children),
        }
    }

    fn chain(depth: usize) -> ClaimTree {
        (1..depth).fold(leaf(0), |tree, _| node(vec![tree]))
    }

    fn inner(children: u32) -> Node {
        Node::Inner {
            key: [F::ZERO; 8],
            children,
        }
    }

    fn end() -> Node {
        Node::Leaf {
            key: [F::ZERO; 8],
            statement: [F::ZERO; 8],
        }
    }

    #[test]
    fn trees_survive() {
        let trees = [
            leaf(3),
            chain(5),
            chain(MAX_DEPTH),
            node(vec![node(vec![leaf(1), leaf(2)]), leaf(3), chain(4)]),
        ];
        for tree in trees {
            let mut nodes = vec![];
            flatten(&tree, 1, &mut nodes).unwrap();
            assert_eq!(unflatten(nodes).unwrap(), tree);
        }
    }

    #[test]
    fn only_trees_are_read() {
        let lists: [fn() -> Vec<Node>; 6] = [
            Vec::new,
            || vec![inner(1)],
            || vec![inner(0)],
            || vec![inner(2), end()],
            || vec![inner(1), end(), end()],
            || vec![end(), end()],
        ];
        for (index, list) in lists.iter().enumerate() {
            assert_eq!(unflatten(list()), Err(FileError::Tree), "{index}");
        }
        assert_eq!(
            unflatten(vec![inner(u32::MAX), end()]),
            Err(FileError::Tree)
        );
    }

    #[test]
    fn the_number_of_keys_is_bounded() {
        assert_eq!(check_count(MAX_KEYS), Ok(()));
        let found = MAX_KEYS + 1;
        assert_eq!(check_count(found), Err(FileError::TooManyKeys { found }));
    }

    #[test]
    fn depth_and_number_of_nodes_are_bounded() {
        let deep = || (0..MAX_DEPTH + 1).map(|_| inner(1)).collect();
        assert!(matches!(unflatten(deep()), Err(FileError::TooLarge { .. })));
        let wide = (0..MAX_NODES + 1).map(|_| end()).collect();
        assert!(matches!(unflatten(wide), Err(FileError::TooLarge { .. })));
        let too_large = |tree| flatten(&tree, 1, &mut vec![]).is_err();
        assert!(too_large(chain(MAX_DEPTH + 1)));
        assert!(too_large(node((0..MAX_NODES as u32).map(leaf).collect())));
    }
}
