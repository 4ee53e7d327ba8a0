//! Graphs of sponges, of chains of blocks and of trees: their outputs are those of other
//! implementations of the hashes.

use blake2::Digest;
use droste_binary::native::IV;
use droste_binary::{Blake3, Hash, HashGraph, Output, Source, Witness, prove, verify};
use sha3::Keccak256;

type Element = [u8; 16];

fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (7 * i + length) as u8).collect()
}

/// Bytes as elements, of which the last one is filled up with zeros.
fn elements(bytes: &[u8]) -> Vec<Element> {
    let whole = |bytes: &[u8]| {
        let mut whole = [0; 16];
        whole[..bytes.len()].copy_from_slice(bytes);
        whole
    };
    bytes.chunks(16).map(whole).collect()
}

fn values(bytes: &[u8]) -> impl Iterator<Item = Source> {
    elements(bytes).into_iter().map(Source::value)
}

/// Adds that the output of a call begins with a digest.
fn expect(graph: &mut HashGraph, call: usize, digest: &[u8]) {
    for (element, value) in elements(digest).into_iter().enumerate() {
        graph.expect(Output { call, element }, value).unwrap();
    }
}

/// Whether the graph is proved and verified with this digest at the end, and not with another one.
fn ends_in(graph: &HashGraph, witness: &[Element], digest: &[u8]) {
    let call = graph.len() - 1;
    let mut with_digest = graph.clone();
    expect(&mut with_digest, call, digest);
    let proof = prove::<Blake3>(Witness::of_graph(&with_digest, witness).unwrap()).unwrap();
    assert!(verify(&with_digest, &proof).unwrap().sum() > 100.0);
    let mut other = digest.to_vec();
    other[20] ^= 4;
    let mut with_other = graph.clone();
    expect(&mut with_other, call, &other);
    assert!(verify(&with_other, &proof).is_err());
    assert!(Witness::of_graph(&with_other, witness).is_err());
}

/// A sponge: each state is the permuted one before it, with a block added to its rate.
#[test]
fn keccak_256() {
    for length in [100, 135, 136, 700] {
        let message = message(length);
        let mut padded = message.clone();
        padded.push(1);
        padded.resize(padded.len().next_multiple_of(136), 0);
        *padded.last_mut().unwrap() |= 0x80;
        let mut graph = HashGraph::new(Hash::KeccakF);
        for (call, block) in padded.chunks(136).enumerate() {
            let mut block = block.to_vec();
            block.resize(200, 0);
            let sources = elements(&block).into_iter().enumerate();
            let sources = sources.map(|(element, value)| Source::Known {
                output: call.checked_sub(1).map(|call| Output { call, element }),
                value,
            });
            graph.push(&sources.collect::<Vec<_>>()).unwrap();
        }
        let digest = <Keccak256 as sha3::Digest>::digest(&message);
        ends_in(&graph, &[], &digest);
    }
}

/// Plonky3's sponge of 64-bit words: a block overwrites as many lanes of the rate as it has, and
/// the others are kept.
fn overwriting_sponge(words: &[u64]) -> [u8; 32] {
    let mut state = vec![0; 200];
    for block in words.chunks(17) {
        for (lane, word) in state.chunks_mut(8).zip(block) {
            lane.copy_from_slice(&word.to_le_bytes());
        }
        state = Hash::KeccakF.output(&state).unwrap();
    }
    *state.first_chunk().unwrap()
}

/// A leaf of two blocks, the second of which keeps seven lanes, and a path of siblings that are the
/// witness, in nodes of one block.
#[test]
fn opening_in_an_overwriting_sponge() {
    let row: Vec<u64> = (1..28)
        .map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let mut graph = HashGraph::new(Hash::KeccakRate);
    let zeros = [Source::value([0; 16]); 13];
    let (mut state, mut last) = (zeros, 0);
    for block in row.chunks(17) {
        let bytes: Vec<u8> = block.iter().flat_map(|word| word.to_le_bytes()).collect();
        for (source, value) in state.iter_mut().zip(values(&bytes)) {
            *source = value;
        }
        last = graph.push(&state).unwrap();
        state = std::array::from_fn(|element| Source::output(last, element));
    }
    let (mut digest, mut witness) = (overwriting_sponge(&row), vec![]);
    for (is_right, sibling) in [(true, [1; 32]), (false, [2; 32]), (true, [3; 32])] {
        let child = [0, 1].map(|element| Source::output(last, element));
        let (mut sources, mut children) = ([child, [Source::Witness; 2]], [digest, sibling]);
        if is_right {
            sources.reverse();
            children.reverse();
        }
        let mut input = zeros;
        input[..4].copy_from_slice(sources.as_flattened());
        last = graph.push(&input).unwrap();
        witness.extend(elements(&sibling));
        let words = children.as_flattened().as_chunks::<8>().0.iter();
        let words: Vec<u64> = words.map(|word| u64::from_le_bytes(*word)).collect();
        digest = overwriting_sponge(&words);
    }
    ends_in(&graph, &witness, &digest);
}

/// The initial state of BLAKE3 and BLAKE2s, as bytes.
fn initial() -> Vec<u8> {
    IV.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// A chain of blocks that are the witness, each from the state before it.
#[test]
fn blake2s() {
    for length in [64, 100, 500] {
        let message = message(length);
        let mut first = initial();
        // The parameter block (RFC 7693, section 2.5).
        for (byte, parameter) in first.iter_mut().zip([32, 0, 1, 1]) {
            *byte ^= parameter;
        }
        let mut graph = HashGraph::new(Hash::Blake2s);
        let mut witness = vec![];
        let blocks = message.chunks(64);
        let count = blocks.len();
        for (call, block) in blocks.enumerate() {
            let mut sources: Vec<Source> = match call.checked_sub(1) {
                None => values(&first).collect(),
                Some(before) => [0, 1].map(|element| Source::output(before, element)).into(),
            };
            sources.extend([Source::Witness; 4]);
            let mut block = block.to_vec();
            let offset = (64 * call + block.len()) as u64;
            let last = if call + 1 == count { u32::MAX } else { 0 };
            let rest = [&offset.to_le_bytes()[..], &last.to_le_bytes(), &[0; 4]].concat();
            sources.extend(values(&rest));
            block.resize(64, 0);
            witness.extend(elements(&block));
            graph.push(&sources).unwrap();
        }
        ends_in(&graph, &witness, &blake2::Blake2s256::digest(&message));
    }
}

/// A tree of chunks of one block, of which BLAKE3 has as many on the left as it can: the leaves are
/// known, or the prover's.
#[test]
fn blake3() {
    const CHUNK_START: u32 = 1;
    const CHUNK_END: u32 = 2;
    const PARENT: u32 = 4;
    const ROOT: u32 = 8;
    // Sixteen blocks of a chunk are a chain of their own.
    let message = message(5 * 1024);
    for is_witness in [false, true] {
        let mut graph = HashGraph::new(Hash::Blake3);
        let rest = |counter: u64, flags: u32| {
            let rest = [
                &counter.to_le_bytes()[..],
                &64_u32.to_le_bytes(),
                &flags.to_le_bytes(),
            ];
            values(&rest.concat()).collect::<Vec<_>>()
        };
        let outputs = |call| [0, 1].map(|element| Source::output(call, element)).to_vec();
        let start: Vec<Source> = values(&initial()).collect();
        let mut nodes = vec![];
        for (number, chunk) in message.chunks(1024).enumerate() {
            let mut state = start.clone();
            let mut node = 0;
            for (i, block) in chunk.chunks(64).enumerate() {
                let flags = if i == 0 { CHUNK_START } else { 0 };
                let flags = flags | if i == 15 { CHUNK_END } else { 0 };
                let block = if is_witness {
                    vec![Source::Witness; 4]
                } else {
                    values(block).collect()
                };
                let sources = [state, block, rest(number as u64, flags)].concat();
                node = graph.push(&sources).unwrap();
                state = outputs(node);
            }
            nodes.push(node);
        }
        let mut parent = |left, right, flags| {
            let children = [outputs(left), outputs(right)].concat();
            let sources = [start.clone(), children, rest(0, PARENT | flags)].concat();
            graph.push(&sources).unwrap()
        };
        let (left, right) = (parent(nodes[0], nodes[1], 0), parent(nodes[2], nodes[3], 0));
        let four = parent(left, right, 0);
        parent(four, nodes[4], ROOT);
        let witness = if is_witness {
            elements(&message)
        } else {
            vec![]
        };
        let digest = ::blake3::hash(&message);
        ends_in(&graph, &witness, digest.as_bytes());
    }
}

/// A Merkle tree of Keccak-256, whose leaves are the prover's but for one.
#[test]
fn merkle_tree() {
    let leaves: Vec<[u8; 32]> = (0..8).map(|leaf| [3 * leaf + 1; 32]).collect();
    let node = |left: &[u8; 32], right: &[u8; 32]| -> [u8; 32] {
        <Keccak256 as sha3::Digest>::digest([*left, *right].concat()).into()
    };
    let mut layer = leaves.clone();
    while layer.len() > 1 {
        let pairs = layer.as_chunks::<2>().0.iter();
        layer = pairs.map(|[left, right]| node(left, right)).collect();
    }
    let mut graph = HashGraph::new(Hash::KeccakF);
    let mut witness = vec![];
    let mut nodes: Vec<[Source; 2]> = vec![];
    for (number, leaf) in leaves.iter().enumerate() {
        let [low, high] = *leaf.as_chunks().0 else {
            panic!()
        };
        nodes.push(match number {
            5 => [low, high].map(Source::value),
            _ => {
                witness.extend([low, high]);
                [Source::Witness; 2]
            }
        });
    }
    let padding = [vec![1], vec![0; 70], vec![0x80], vec![0; 64]].concat();
    while nodes.len() > 1 {
        let pairs = nodes.as_chunks::<2>().0.iter();
        let parents = pairs.map(|pair| {
            let sources: Vec<_> = pair
                .as_flattened()
                .iter()
                .copied()
                .chain(values(&padding))
                .collect();
            let call = graph.push(&sources).unwrap();
            [0, 1].map(|element| Source::output(call, element))
        });
        nodes = parents.collect();
    }
    ends_in(&graph, &witness, &layer[0]);
}
