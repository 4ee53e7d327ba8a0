//! Tests of statements, and lists for other tests.

use std::collections::HashSet;

use droste_native::hash::blake3::Blake3 as Hasher;
use p3_binary_field::TowerLevel;

use super::*;
use crate::paths::{Digest, Path, root};
use crate::trace::circuit;
use crate::tree_hash::{Blake3, Poseidon16};

/// Calls of words without a pattern.
pub fn calls(hash: Hash, count: usize) -> HashCalls {
    let mut word = 1u64;
    let mut byte = || {
        word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (word >> 56) as u8
    };
    let mut input = || -> Vec<u8> { (0..hash.input_bytes()).map(|_| byte()).collect() };
    HashCalls::of_inputs(hash, (0..count).map(|_| input())).unwrap()
}

/// Paths of leaves and siblings without a pattern, and their siblings.
pub fn paths(hash: Hash, depth: usize, count: usize) -> (MerklePaths, Vec<Vec<Digest>>) {
    let digests = calls(Hash::KeccakF, (depth + 1) * count);
    let mut digests = digests
        .calls()
        .map(|(input, _)| *input.first_chunk::<32>().unwrap());
    let mut siblings = Vec::new();
    let paths = (0..count)
        .map(|i| {
            let index = (i as u64 + 1).wrapping_mul(0xa5a5_a5a5_a5a5_a5a5) >> (64 - depth);
            let leaf = digests.next().unwrap();
            let own: Vec<Digest> = digests.by_ref().take(depth).collect();
            let root = root(hash, &leaf, index, &own).unwrap();
            siblings.push(own);
            Path { leaf, index, root }
        })
        .collect();
    (MerklePaths::new(hash, depth, paths).unwrap(), siblings)
}

/// Input and output, each filled up with zeros to whole elements.
fn entry(input: &[u8], output: &[u8]) -> Vec<u8> {
    let mut entry = input.to_vec();
    entry.resize(entry.len().next_multiple_of(16), 0);
    entry.extend(output);
    entry.resize(entry.len().next_multiple_of(16), 0);
    entry
}

/// The bytes of each input and output, filled up with zeros to whole elements, are a leaf.
#[test]
fn root_of_a_list() {
    for hash in Hash::ALL {
        let calls = calls(hash, 3);
        let mut leaves: Vec<Vec<u8>> = (calls.calls())
            .map(|(input, output)| entry(input, output))
            .collect();
        leaves.push(vec![0; leaves[0].len()]);
        let nodes: Vec<[u8; 32]> = (leaves.iter_mut())
            .map(|leaf| {
                leaf.resize(leaf.len().next_multiple_of(64), 0);
                Hasher.hash(leaf)
            })
            .collect();
        let parents = [0, 2].map(|i| Hasher.parent(&nodes[i], &nodes[i + 1]));
        let root = Statement::Calls(&calls).root::<Blake3>();
        assert_eq!(root, Hasher.parent(&parents[0], &parents[1]));
    }
}

/// One call has a row of zeros beside it; a path is its leaf, its index and its root.
#[test]
fn root_of_one_call_and_of_paths() {
    let leaf = |mut bytes: Vec<u8>| {
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        Hasher.hash(&bytes)
    };
    for hash in Hash::ALL {
        let calls = calls(hash, 1);
        let (input, output) = calls.calls().next().unwrap();
        let own = entry(input, output);
        let zero = vec![0; own.len()];
        let root = Statement::Calls(&calls).root::<Blake3>();
        assert_eq!(root, Hasher.parent(&leaf(own), &leaf(zero)));

        let (paths, _) = paths(hash, 5, 2);
        let leaves = [0, 1].map(|i| {
            let Path { leaf, index, root } = paths.paths()[i];
            [leaf.as_slice(), &u128::from(index).to_le_bytes(), &root].concat()
        });
        let [left, right] = leaves.map(leaf);
        let root = Statement::Paths(&paths).root::<Blake3>();
        assert_eq!(root, Hasher.parent(&left, &right));
    }
}

/// Inputs and outputs.
type List = Vec<[Vec<u8>; 2]>;

#[test]
fn digests_depend_on_the_whole_list() {
    let mut seen = HashSet::new();
    for hash in Hash::ALL {
        let calls = calls(hash, 3);
        let original: List = (calls.calls())
            .map(|(input, output)| [input.to_vec(), output.to_vec()])
            .collect();
        let mut check = |change: &dyn Fn(&mut List)| {
            let mut list = original.clone();
            change(&mut list);
            let list = list.into_iter().map(|[input, output]| (input, output));
            let list = HashCalls::new(hash, list).unwrap();
            let statement = Statement::Calls(&list);
            assert!(seen.insert(statement.digest::<Blake3>()));
        };
        check(&|_| ());
        for call in 0..3 {
            for part in 0..2 {
                for byte in 0..original[0][part].len() {
                    check(&|list| list[call][part][byte] ^= 0x80);
                    check(&|list| list[call][part][byte] ^= 1);
                }
            }
        }
        // Inputs, outputs, and calls in another order.
        for parts in [0..1, 1..2, 0..2] {
            check(&|list| {
                let (first, others) = list.split_at_mut(1);
                for part in parts.clone() {
                    std::mem::swap(&mut first[0][part], &mut others[0][part]);
                }
            });
        }
        if hash.input_bytes() == hash.output_bytes() {
            check(&|list| list.iter_mut().for_each(|call| call.reverse()));
        }
        for repeated in [0, 2] {
            check(&|list| list.push(list[repeated].clone()));
        }
        check(&|list| list.push([0, 1].map(|part| vec![0; original[0][part].len()])));
        check(&|list| drop(list.pop()));
    }
}

/// One list of paths in other hashes, and of another depth.
#[test]
fn digests_depend_on_hash_and_depth() {
    let path = Path {
        leaf: [1; 32],
        index: 1,
        root: [2; 32],
    };
    let mut seen = HashSet::new();
    for hash in Hash::ALL {
        for depth in [1, 2, 64] {
            let paths = MerklePaths::new(hash, depth, vec![path; 2]).unwrap();
            let statement = Statement::Paths(&paths);
            assert!(seen.insert(statement.digest::<Blake3>()));
        }
    }
}

/// Three paths of depth 4 and four of depth 3 have as many nodes, and those of zeros are also what
/// fills the list up: nothing but the depth tells these digests apart.
#[test]
fn digests_depend_on_the_depth_alone() {
    let zero = Path {
        leaf: [0; 32],
        index: 0,
        root: [0; 32],
    };
    for hash in Hash::ALL {
        let list = |depth, count| MerklePaths::new(hash, depth, vec![zero; count]).unwrap();
        let lists = [list(4, 3), list(3, 4)];
        let [deep, flat] = lists.each_ref().map(Statement::Paths);
        assert_eq!(deep.shape().num_calls(), flat.shape().num_calls());
        assert_eq!(deep.root::<Blake3>(), flat.root::<Blake3>());
        assert_ne!(deep.digest::<Blake3>(), flat.digest::<Blake3>());
        assert_ne!(deep.digest::<Poseidon16>(), flat.digest::<Poseidon16>());
    }
}

#[test]
fn claims_depend_on_the_whole_list() {
    for hash in Hash::ALL {
        let calls = calls(hash, 3);
        let circuit = circuit(hash);
        let value = |calls: &HashCalls| {
            let point: Vec<K> = (1..9)
                .map(|i| {
                    K::from_repr(0x5851_f42d_4c95_7f2d_1405_7b7e_f767_814f_u128.wrapping_mul(i))
                })
                .collect();
            let statement = Statement::Calls(calls);
            PublicClaims::new(&statement, &circuit, &point[..3], &point[3..7], point[7]).value
        };
        let bytes = hash.input_bytes() + hash.output_bytes();
        let mut seen = HashSet::from([value(&calls)]);
        for changed in 0..3 * bytes {
            let list = calls.calls().enumerate().map(|(i, (input, output))| {
                let mut call = [input, output].concat();
                if i == changed / bytes {
                    call[changed % bytes] ^= 1;
                }
                (call[..input.len()].to_vec(), call[input.len()..].to_vec())
            });
            let list = HashCalls::new(hash, list).unwrap();
            assert!(seen.insert(value(&list)), "{hash}, byte {changed}");
        }
    }
}

/// BLAKE3 fills rows of 11 elements, calls of BLAKE3, and of 9, calls of BLAKE2s, up to the same
/// bytes; and a call whose input and output are zero is what fills up a list. So lists with one
/// root are told apart by the numbers beside it.
#[test]
fn lists_of_one_root_have_digests_of_their_own() {
    let list = |hash: Hash, count: usize| {
        let short = calls(Hash::Blake2s, 3);
        let own = short.calls().map(|(input, output)| {
            let mut output = output.to_vec();
            output.resize(hash.output_bytes(), 0);
            (input.to_vec(), output)
        });
        let zero = (vec![0; hash.input_bytes()], vec![0; hash.output_bytes()]);
        HashCalls::new(hash, own.chain([zero]).take(count)).unwrap()
    };
    let lists = [
        list(Hash::Blake3, 3),
        list(Hash::Blake3, 4),
        list(Hash::Blake2s, 3),
        list(Hash::Blake2s, 4),
    ];
    let root = Statement::Calls(&lists[0]).root::<Blake3>();
    let mut seen = HashSet::new();
    for list in &lists {
        let statement = Statement::Calls(list);
        assert_eq!(statement.root::<Blake3>(), root);
        assert!(seen.insert(statement.digest::<Blake3>()));
    }
}

/// The numbers that are observed have room for the largest lists: none reaches another's bits.
#[test]
fn numbers_of_statements_do_not_overlap() {
    for hash in Hash::OF_GRAPHS {
        assert!(hash.number() < 1 << 2);
        assert!(u32::try_from(hash.max_calls()).is_ok());
    }
}
