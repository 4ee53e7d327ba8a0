//! Statements about paths and their proofs, honest ones and others.

use blake2::Digest as _;
use droste_native::hash::blake3::Blake3;
use droste_native::hash::keccak::Keccak256;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use super::*;
use crate::scheme::{F, challenger};
use crate::{MIN_BITS, decode, encode};

/// True paths, each in a tree of its own.
pub(crate) struct Tree {
    pub statement: MerklePaths,
    pub siblings: Vec<Vec<Digest>>,
}

impl Tree {
    /// The inputs of the rows of a trace.
    pub fn inputs(&self, log_rows: usize) -> Vec<u8> {
        let inputs = self.statement.inputs(&self.siblings).unwrap();
        padded(self.statement.hash(), inputs, log_rows)
    }
}

/// Paths with random leaves, siblings and indices.
pub(crate) fn tree(hash: Hash, depth: usize, paths: usize, seed: u64) -> Tree {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut digest = || -> Digest { std::array::from_fn(|_| (next() >> 32) as u8) };
    let siblings: Vec<Vec<_>> = (0..paths)
        .map(|_| (0..depth).map(|_| digest()).collect())
        .collect();
    let path = |siblings: &Vec<Digest>| {
        let leaf = digest();
        let index = u64::from_le_bytes(*digest().first_chunk().unwrap()) >> (64 - depth);
        let mut path = Path {
            leaf,
            index,
            root: leaf,
        };
        path.root = root(hash, &path, siblings);
        path
    };
    let statement = siblings.iter().map(path).collect();
    Tree {
        statement: MerklePaths::new(hash, depth, statement).unwrap(),
        siblings,
    }
}

/// Where a path leads, from the definition of a Merkle tree.
fn root(hash: Hash, path: &Path, siblings: &[Digest]) -> Digest {
    let mut index = path.index;
    siblings.iter().fold(path.leaf, |child, sibling| {
        let parent = match index % 2 {
            0 => node(hash, &child, sibling),
            _ => node(hash, sibling, &child),
        };
        index /= 2;
        parent
    })
}

/// The statement with one of its paths changed.
fn changed(tree: &Tree, path: usize, change: impl FnOnce(&mut Path)) -> MerklePaths {
    let mut paths = tree.statement.paths().to_vec();
    change(&mut paths[path]);
    MerklePaths::new(tree.statement.hash(), tree.statement.depth(), paths).unwrap()
}

/// A proof that says it is one of a statement, of a trace with other inputs or public bits.
fn lie(said: &MerklePaths, trace: RowMajorMatrix<u64>) -> VerifyError {
    let config = Config::new(PublicBits::of_paths(said)).unwrap();
    let digest = said.digest();
    let proof = Proof {
        statement: digest,
        inner: crate::proof::prove_trace(&config, trace, challenger(&digest)).unwrap(),
    };
    verify(said, &proof).unwrap_err()
}

/// The trace of a statement with these inputs.
fn trace(statement: &MerklePaths, inputs: &[u8]) -> RowMajorMatrix<u64> {
    paths_trace(&PublicBits::of_paths(statement), inputs)
}

#[test]
fn nodes_are_those_of_other_implementations() {
    for seed in 0..20 {
        let tree = tree(Hash::Blake3, 2, 1, seed);
        let [left, right] = [&tree.siblings[0][0], &tree.siblings[0][1]];
        let blake2s: Digest = blake2::Blake2s256::digest([*left, *right].concat()).into();
        for (hash, expected) in [
            (Hash::Blake3, Blake3.parent(left, right)),
            (Hash::Blake2s, blake2s),
            (Hash::KeccakF, Keccak256.parent(left, right)),
        ] {
            assert_eq!(node(hash, left, right), expected, "{hash}");
        }
    }
}

#[test]
fn paths_are_proved_and_verified() {
    for (hash, depth, paths) in [
        (Hash::Blake3, 2, 32),
        (Hash::Blake3, 7, 20),
        (Hash::Blake2s, 3, 2),
        (Hash::KeccakF, 1, 3),
    ] {
        let tree = tree(hash, depth, paths, 3);
        let proof = prove(&tree.statement, &tree.siblings).unwrap();
        let bytes = encode(&proof).unwrap();
        let proof = decode(&bytes).unwrap();
        let security = verify(&tree.statement, &proof).unwrap();
        assert!(security.bits >= MIN_BITS as f64, "{security:?}");
        // No other statement is accepted, not even if the file says that it is a proof of it.
        let others = [
            changed(&tree, paths - 1, |path| path.leaf[31] ^= 128),
            changed(&tree, 0, |path| path.root[0] ^= 1),
            changed(&tree, 0, |path| path.index ^= 1),
            changed(&tree, 0, |path| path.index ^= 1 << (depth - 1)),
        ];
        let mut proof = proof;
        for other in others {
            proof.statement = tree.statement.digest();
            let error = verify(&other, &proof).unwrap_err();
            assert!(matches!(error, VerifyError::OtherPaths { .. }), "{error:?}");
            proof.statement = other.digest();
            let error = verify(&other, &proof).unwrap_err();
            let expected = matches!(error, VerifyError::Constraints(_) | VerifyError::Opening(_));
            assert!(expected, "{error:?}");
        }
    }
}

/// What a proof of paths has beside one of calls: values of the next row, and two more tensors.
#[test]
fn parts_about_the_next_row_are_checked() {
    let tree = tree(Hash::Blake3, 7, 20, 10);
    let proof = prove(&tree.statement, &tree.siblings).unwrap();
    let bytes = encode(&proof).unwrap();
    let columns = proof.inner.opening.values.len() / 2;
    let refused = |change: &dyn Fn(&mut Proof)| {
        let mut proof = decode(&bytes).unwrap();
        change(&mut proof);
        verify(&tree.statement, &proof).unwrap_err();
    };
    for value in [columns - 1, columns, 2 * columns - 256, 2 * columns - 1] {
        refused(&|proof| proof.inner.opening.values[value] += F::ONE);
    }
    refused(&|proof| proof.inner.opening.values.truncate(columns));
    refused(&|proof| proof.inner.opening.values.push(F::ZERO));
    refused(&|proof| proof.inner.opening.opening.reduction.claims[0].successor = None);
    refused(&|proof| {
        let claim = &mut proof.inner.opening.opening.reduction.claims[0];
        let successor = claim.successor.as_mut().unwrap();
        std::mem::swap(&mut successor.carry, &mut successor.last);
    });
    refused(&|proof| proof.inner.opening.opening.reduction.claims.clear());
    for i in 0..40 {
        let mut changed = bytes.clone();
        changed[bytes.len() / 40 * i + i] ^= 1 << (i % 8);
        let refused = decode(&changed).is_err()
            || verify(&tree.statement, &decode(&changed).unwrap()).is_err();
        assert!(refused, "{i}");
    }
}

/// Provers whose trace is true, of another statement than the one that begins the transcript.
#[test]
fn leaves_indices_and_roots_are_bound() {
    let tree = tree(Hash::Blake3, 2, 3, 4);
    let honest = trace(&tree.statement, &tree.inputs(6));
    let exchanged = changed(&tree, 0, |path| path.root = tree.statement.paths()[1].root);
    for (said, bits) in [
        (changed(&tree, 1, |path| path.leaf[3] ^= 2), 25..26),
        (
            changed(&tree, 1, |path| path.root[3] ^= 2),
            256 + 25..256 + 26,
        ),
        (changed(&tree, 2, |path| path.index ^= 1), 514..515),
        (changed(&tree, 2, |path| path.index ^= 2), 514..515),
        (exchanged, 256..512),
    ] {
        let error = lie(&said, honest.clone());
        let expected = matches!(error, VerifyError::PublicBit { bit } if bits.contains(&bit));
        assert!(expected, "{error:?}");
        // The honest prover does not try.
        let error = prove(&said, &tree.siblings).err().unwrap();
        let expected = matches!(error, ProveError::Siblings(SiblingsError::Root { .. }));
        assert!(expected, "{error:?}");
    }
    // Two paths of depth 2 are no four paths of depth 1, nor a path more than there is.
    let paths = tree.statement.paths().to_vec();
    let shallow = MerklePaths::new(
        Hash::Blake3,
        1,
        changed(&tree, 0, |path| path.index = 0)
            .paths()
            .iter()
            .map(|path| Path {
                index: path.index & 1,
                ..*path
            })
            .collect(),
    )
    .unwrap();
    let error = lie(&shallow, honest.clone());
    assert!(matches!(error, VerifyError::PublicBit { .. }), "{error:?}");
    let longer =
        MerklePaths::new(Hash::Blake3, 2, [paths.clone(), vec![paths[0]]].concat()).unwrap();
    let error = lie(&longer, honest);
    assert!(matches!(error, VerifyError::PublicBit { .. }), "{error:?}");
}

/// Traces with paths that begin or end in other rows: the first path has no leaf, or no root, since
/// the second begins with it. Both satisfy all constraints. And one whose very last row is not the
/// last of a path.
#[test]
fn beginnings_and_ends_are_bound() {
    let mut tree = tree(Hash::Blake3, 1, 64, 11);
    // The second leaf is the first root.
    let mut paths = tree.statement.paths().to_vec();
    paths[1].leaf = paths[0].root;
    paths[1].root = root(Hash::Blake3, &paths[1], &tree.siblings[1]);
    tree.statement = MerklePaths::new(Hash::Blake3, 1, paths).unwrap();
    let honest = trace(&tree.statement, &tree.inputs(6));
    let public = honest.width - crate::air::paths::WIDTH;
    let digests = [public..public + 256, public + 256..public + 512];
    for (flag, row) in [(0, 0), (1, 0), (1, 63)] {
        let mut rows = honest.clone();
        for column in digests[flag].clone().chain([public + 512 + flag]) {
            rows.values[column] &= !(1 << row);
        }
        let error = lie(&tree.statement, rows);
        assert!(matches!(error, VerifyError::PublicBit { .. }), "{error:?}");
    }
}

/// Provers whose public columns are true, and whose rows are not the nodes of the paths.
#[test]
fn broken_chains_are_refused() {
    let said = tree(Hash::Blake3, 2, 32, 5);
    let inputs = said.inputs(6);
    let row = |row: usize| 112 * row..112 * (row + 1);
    let swap = |first: usize, second: usize| {
        let mut changed = inputs.clone();
        changed[row(first)].copy_from_slice(&inputs[row(second)]);
        changed[row(second)].copy_from_slice(&inputs[row(first)]);
        changed
    };
    // The second rows of two paths, the last of one with the first of the next, and the last row
    // of all with another.
    let mut lies = vec![swap(1, 3), swap(1, 2), swap(63, 1)];
    // Left and right child of an inner node, and of the very last node.
    for node in [0, 1, 63] {
        let mut changed = inputs.clone();
        changed[112 * node + 32..][..64].rotate_left(32);
        lies.push(changed);
    }
    // One bit of a leaf, of a sibling, of an inner node, and of the chaining value, counter, length
    // and flags.
    for (node, byte) in [
        (0, 32),
        (0, 64),
        (1, 32),
        (1, 64),
        (63, 95),
        (5, 0),
        (5, 96),
        (5, 104),
        (5, 108),
    ] {
        let mut changed = inputs.clone();
        changed[112 * node + byte] ^= 1;
        lies.push(changed);
    }
    for (number, inputs) in lies.iter().enumerate() {
        let error = lie(&said.statement, trace(&said.statement, inputs));
        let expected = matches!(error, VerifyError::Constraints(_));
        assert!(expected, "{number}: {error:?}");
    }
    // An inner node that is not the one below, with a second row that is right for the root: what a
    // prover does who does not know a path.
    let mut false_path = tree(Hash::Blake3, 2, 1, 6);
    let mut inputs = false_path.inputs(6);
    let other = tree(Hash::Blake3, 2, 1, 7);
    let path = Path {
        root: other.statement.paths()[0].root,
        ..false_path.statement.paths()[0]
    };
    let index = path.index & 1 | other.statement.paths()[0].index & 2;
    inputs[row(1)].copy_from_slice(&other.inputs(6)[row(1)]);
    let path = Path { index, ..path };
    false_path.statement = MerklePaths::new(Hash::Blake3, 2, vec![path]).unwrap();
    let error = lie(&false_path.statement, trace(&false_path.statement, &inputs));
    assert!(matches!(error, VerifyError::Constraints(_)), "{error:?}");
}

#[test]
fn siblings_are_those_of_the_paths() {
    let tree = tree(Hash::Blake2s, 2, 2, 8);
    let refused = |siblings: Vec<Vec<Digest>>| match prove(&tree.statement, &siblings).err() {
        Some(ProveError::Siblings(error)) => error,
        error => panic!("{error:?}"),
    };
    let mut siblings = tree.siblings.clone();
    siblings[1][0][9] ^= 4;
    assert_eq!(refused(siblings), SiblingsError::Root { path: 1 });
    let mut siblings = tree.siblings.clone();
    siblings[0].push([0; 32]);
    let expected = SiblingsError::Depth {
        path: 0,
        expected: 2,
        found: 3,
    };
    assert_eq!(refused(siblings), expected);
    let siblings = tree.siblings[..1].to_vec();
    let expected = SiblingsError::Paths {
        expected: 2,
        found: 1,
    };
    assert_eq!(refused(siblings), expected);
}

#[test]
fn statements_of_paths_have_limits() {
    let path = |index| Path {
        leaf: [1; 32],
        index,
        root: [2; 32],
    };
    let new = |depth, paths| MerklePaths::new(Hash::KeccakF, depth, paths);
    assert_eq!(new(1, vec![]), Err(PathsError::Empty));
    assert_eq!(new(0, vec![path(0)]), Err(PathsError::Depth(0)));
    assert_eq!(new(65, vec![path(0)]), Err(PathsError::Depth(65)));
    assert!(new(64, vec![path(u64::MAX)]).is_ok());
    assert!(new(3, vec![path(7)]).is_ok());
    let expected = PathsError::Index {
        path: 1,
        index: 8,
        depth: 3,
    };
    assert_eq!(new(3, vec![path(7), path(8)]), Err(expected));
    for hash in Hash::ALL {
        let most = max_nodes(hash);
        assert_eq!(
            MerklePaths::new(hash, 2, vec![path(0); most / 2])
                .unwrap()
                .nodes(),
            most
        );
        let error = MerklePaths::new(hash, 2, vec![path(0); most / 2 + 1]).unwrap_err();
        assert!(
            matches!(error, PathsError::TooManyNodes { .. }),
            "{error:?}"
        );
    }
}

/// No two statements have the same digest because their parts are cut in other places.
#[test]
fn digests_differ() {
    let tree = tree(Hash::Blake3, 2, 2, 9);
    let paths = || tree.statement.paths().to_vec().into_iter();
    let indices_zero: Vec<_> = paths().map(|path| Path { index: 0, ..path }).collect();
    let statements = [
        tree.statement.clone(),
        MerklePaths::new(Hash::Blake2s, 2, paths().collect()).unwrap(),
        MerklePaths::new(Hash::Blake3, 3, paths().collect()).unwrap(),
        MerklePaths::new(Hash::Blake3, 2, paths().rev().collect()).unwrap(),
        MerklePaths::new(Hash::Blake3, 2, paths().take(1).collect()).unwrap(),
        MerklePaths::new(Hash::Blake3, 2, indices_zero).unwrap(),
    ];
    let digests: std::collections::HashSet<_> =
        statements.iter().map(MerklePaths::digest).collect();
    assert_eq!(digests.len(), statements.len());
}

/// The README's formulas, of paths.
#[test]
fn bits_of_paths_are_those_of_the_table() {
    for (hash, constraints, columns) in [
        (Hash::Blake3, 12_048, 12_307_usize),
        (Hash::Blake2s, 16_608, 16_867),
        (Hash::KeccakF, 40_512, 40_771),
    ] {
        let largest = max_nodes(hash).ilog2();
        for log_rows in [6, 7, 8, largest] {
            let path = Path {
                leaf: [0; 32],
                index: 0,
                root: [0; 32],
            };
            let statement = MerklePaths::new(hash, 1, vec![path; 1 << log_rows]).unwrap();
            let security = security(&statement).unwrap();
            let n = f64::from(log_rows);
            let w = f64::from(columns.next_power_of_two().trailing_zeros());
            let k = n + w - 7.0;
            let field = 128_f64.exp2();
            let tensors = if log_rows > 7 { 2.0 } else { 0.0 };
            let terms = [
                f64::from(constraints - 1) / field,
                n / 127_f64.exp2(),
                3.0 * n / field,
                n / field,
                2.0 * w / field,
                (7.0 + tensors + 2.0 * k) / field,
                (2.0 * (k + 1.0).exp2() - 4.0 + 3.0 * k) / field + 0.75_f64.powi(244),
                (-128_f64).exp2(),
            ];
            let bits = -terms.iter().sum::<f64>().log2();
            assert!((security.bits - bits).abs() < 0.001, "{security:?}, {bits}");
            assert_eq!(security.terms.len(), terms.len(), "{security:?}");
            assert!(
                log_rows < largest || (100.5..100.7).contains(&bits),
                "{bits}"
            );
        }
    }
}
