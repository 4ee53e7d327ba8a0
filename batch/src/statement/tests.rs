//! Tests of statements, and lists for other tests.

use std::collections::HashSet;

use p3_binary_field::TowerLevel;

use super::*;
use crate::paths::Path;
use crate::trace::circuit;

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
            let root = own
                .iter()
                .enumerate()
                .fold(leaf, |child, (level, sibling)| match index >> level & 1 {
                    0 => node(hash, &child, sibling),
                    _ => node(hash, sibling, &child),
                });
            siblings.push(own);
            Path { leaf, index, root }
        })
        .collect();
    (MerklePaths::new(hash, depth, paths).unwrap(), siblings)
}

/// More calls than one task hashes, against one hash after the other.
#[test]
fn what_is_observed_of_a_list() {
    for hash in Hash::ALL {
        let calls = calls(hash, 65);
        let digests: Vec<F> = (calls.calls())
            .flat_map(|(input, output)| {
                let mut text = [input, output].concat();
                text.resize(text.len().next_multiple_of(16), 0);
                let bits: Vec<bool> = (text.iter())
                    .flat_map(|byte| (0..8).map(move |z| byte >> z & 1 == 1))
                    .collect();
                let limb = |bits: &[bool]| {
                    let bits = bits.iter().rev();
                    F::from_u32(bits.fold(0, |limb, &bit| limb << 1 | u32::from(bit)))
                };
                Poseidon16LeafHasher.hash_iter(bits.chunks(30).map(limb))
            })
            .collect();
        let numbers = [usize::from(hash.number()), 65, 0].map(F::from_usize);
        let digest = Poseidon16.hash(F::from_u8(65), &digests);
        assert_eq!(
            Statement::Calls(&calls).observed(),
            [numbers.as_slice(), &digest].concat()
        );
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
            assert!(seen.insert(Statement::Calls(&list).observed()));
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
