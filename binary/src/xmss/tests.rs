//! The scheme against another implementation of its hash, and graphs against its verifier.

use std::sync::LazyLock;

use blake2::{Blake2s256, Digest};
use droste_native::hash_signature::{
    Chain, Leaf, MAX_ATTEMPTS, ParameterError, Parent, SecretKey, Signature, TweakKind,
};

use super::*;
use crate::error::BinaryError;
use crate::graph::{Wire, WitnessError};
use crate::proof::{elements_of, prove_elements};
use crate::statement::Statement;
use crate::trace::circuit;
use crate::{Blake3, Witness, prove, verify};

/// A scheme whose keys take little work: about one message of ten has the sum.
const SMALL: Parameters = Parameters {
    chains: 8,
    bits: 2,
    levels: 4,
    target_sum: 14,
};

const MESSAGE: [u8; 32] = [9; 32];

/// The bounds of ePrint 2025/055 for the parameters for proofs, classical and against quantum
/// computers, as `docs/signatures.md` lists them.
#[test]
fn proven_bits_are_those_of_the_document() {
    let Parameters {
        chains,
        bits,
        levels,
        ..
    } = PARAMETERS;
    let five = 5f64.log2();
    let (slots, attempts) = (f64::from(levels), f64::from(MAX_ATTEMPTS).log2());
    // What is lost over all chains, their steps and slots.
    let chains = f64::from(2 * bits) + slots + f64::from(chains).log2();
    let element = (8 * ELEMENT) as f64;
    let randomness = 8.0 * size_of_val(&SIGNED[0].0.randomness) as f64;
    let bounds = [
        [
            element - five - chains,
            element / 2.0 - five - chains - 12f64.log2(),
        ],
        [element - five - 3.0, (element - 5.0) / 2.0 - five - 2.0],
        [element - five - 1.0, (element - 3.0) / 2.0 - five - 1.0],
        [
            randomness - five - slots - attempts - 1.0,
            (randomness - slots) / 2.0 - five - 3f64.log2() - attempts,
        ],
    ];
    let whole = bounds.map(|bound| bound.map(|bits| bits as u32));
    assert_eq!(whole, [[83, 16], [122, 57], [124, 59], [140, 60]]);
}

type Scheme = Xmss<TweakableBlake2s>;
type Key = SecretKey<TweakableBlake2s>;

fn small() -> Scheme {
    Xmss::new(SMALL).unwrap()
}

/// Signatures of two keys.
static SIGNED: LazyLock<Vec<(Signed, Signature<TweakableBlake2s>)>> = LazyLock::new(|| {
    let sign = |(seed, slot)| {
        let key = Key::generate(small(), &[seed; 32], 0..=15).unwrap();
        let signature = key.sign(slot, &MESSAGE).unwrap();
        let public_key = key.public_key();
        let claim = Claim {
            public_key: &public_key,
            slot,
            message: &MESSAGE,
            signature: &signature,
        };
        (Signed::of(&claim), signature)
    };
    [(1, 5), (2, 10)].map(sign).into()
});

fn claim(
    (signed, signature): &(Signed, Signature<TweakableBlake2s>),
) -> Claim<'_, TweakableBlake2s> {
    Claim {
        public_key: &signed.public_key,
        slot: signed.slot,
        message: &signed.message,
        signature,
    }
}

fn blake2s(parts: &[&[u8]]) -> Element {
    Blake2s256::digest(parts.concat())[..ELEMENT]
        .try_into()
        .unwrap()
}

#[test]
fn calls_are_digests_of_tweak_parameter_and_data() {
    let (parameter, slot) = ([3; ELEMENT], 0x0102_0304);
    let mut chain: Chain<TweakableBlake2s> = Chain {
        parameter,
        slot,
        index: 5,
        position: 2,
        end: 3,
        value: [7; ELEMENT],
    };
    let tweak = |kind: u8, sub: u8, index: u32| {
        let mut tweak = [kind, 0, 0, 0, sub, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        tweak[8..12].copy_from_slice(&index.to_le_bytes());
        tweak
    };
    let value: Element = chain.value;
    let expected = blake2s(&[&tweak(0, 5 << 2 | 2, slot), &parameter, &value]);
    assert_eq!(TweakableBlake2s::chain_steps(2, &[&mut chain]), [expected]);

    for count in [0, 1, 2, 3, 64] {
        let ends: Vec<Element> = (0..count).map(|i| [i; ELEMENT]).collect();
        let expected = blake2s(&[&tweak(1, 0, slot), &parameter, ends.as_flattened()]);
        let leaf = Leaf {
            parameter,
            slot,
            ends: &ends,
        };
        assert_eq!(TweakableBlake2s::leaves(&[leaf]), [expected]);
    }

    let children = [[1; ELEMENT], [2; ELEMENT]];
    let expected = blake2s(&[&tweak(2, 6, 77), &parameter, children.as_flattened()]);
    let parent = Parent {
        parameter,
        level: 6,
        index: 77,
        children,
    };
    assert_eq!(TweakableBlake2s::parents(&[parent]), [expected]);

    let message = Message {
        parameter,
        slot,
        message: &MESSAGE,
        randomness: [4; 24],
    };
    let expected = blake2s(&[&tweak(3, 0, slot), &parameter, &MESSAGE, &[4; 24]]);
    assert_eq!(TweakableBlake2s::message_digests(&[message]), [expected]);
    assert_eq!(
        super::tweak(TweakKind::Merkle, 9, 1 << 31),
        tweak(2, 9, 1 << 31)
    );
}

#[test]
fn digits_are_the_bits_of_the_digest() {
    let mut digest = [0; ELEMENT];
    digest[0] = 0b11_10_01_00;
    digest[15] = 0b10_00_00_00;
    let digits = TweakableBlake2s::digits(&digest, 2).unwrap();
    assert_eq!(digits.len(), 64);
    assert_eq!((&digits[..4], digits[63]), (&[0, 1, 2, 3][..], 2));
    assert_eq!(TweakableBlake2s::digits(&digest, 8).unwrap(), digest);
    let check = |chains, bits| {
        let parameters = Parameters {
            chains,
            bits,
            ..SMALL
        };
        Scheme::new(parameters).map(|_| ())
    };
    assert_eq!(check(42, 3), Err(ParameterError::Bits { bits: 3, of: 8 }));
    assert!(matches!(
        check(65, 2),
        Err(ParameterError::OutOfRange { name: "chains", .. })
    ));
    assert_eq!(check(64, 2), Ok(()));
}

#[test]
fn keys_sign_at_the_parameters_of_proofs() {
    let scheme = Scheme::new(PARAMETERS).unwrap();
    let key = Key::generate(scheme, &[1; 32], u32::MAX - 1..=u32::MAX).unwrap();
    let signature = key.sign(u32::MAX, &MESSAGE).unwrap();
    let public_key = key.public_key();
    assert_eq!(
        scheme.verify(&public_key, u32::MAX, &MESSAGE, &signature),
        Ok(())
    );
    let claim = Claim {
        public_key: &public_key,
        slot: u32::MAX,
        message: &MESSAGE,
        signature: &signature,
    };
    let graph = graph(&scheme, &[Signed::of(&claim)]).unwrap();
    assert_eq!(graph.len(), 129);
    assert!(graph.inputs(&witness(&scheme, &claim).unwrap()).is_ok());
}

/// Other randomness, if need be, with which the message's digits have the sum.
fn with_the_sum(mut signed: Signed) -> Signed {
    for number in 0_u32.. {
        if graph(&small(), &[signed]).is_ok() {
            break;
        }
        signed.randomness[..4].copy_from_slice(&number.to_le_bytes());
    }
    signed
}

/// The graph is fulfilled by the true signatures, and no longer if a value of a chain, a sibling,
/// or anything of what is claimed is another.
#[test]
fn graphs_are_what_the_scheme_verifies() {
    let scheme = small();
    let signed: Vec<Signed> = SIGNED.iter().map(|(signed, _)| *signed).collect();
    let values = |signatures: &[(Signed, Signature<TweakableBlake2s>)]| {
        let values = signatures
            .iter()
            .map(|signature| witness(&scheme, &claim(signature)));
        values.map(Result::unwrap).collect::<Vec<_>>().concat()
    };
    let graph = |signed: &[Signed]| super::graph(&scheme, signed);
    let true_graph = graph(&signed).unwrap();
    let honest = values(&SIGNED);
    let inputs = true_graph.inputs(&honest).unwrap();
    assert_eq!(inputs.len(), true_graph.len() * Hash::Blake2s.input_bytes());
    // 28 steps at most, less the sum, 3 blocks of a leaf, 4 nodes.
    assert_eq!(true_graph.len(), 2 * (24 - 14 + 3 + 4));

    for i in 0..honest.len() {
        let mut values = honest.clone();
        values[i][3] ^= 1;
        assert!(true_graph.inputs(&values).is_err(), "value {i}");
    }
    let changes: [fn(&mut Signed); 5] = [
        |signed| signed.public_key.root[0] ^= 1,
        |signed| signed.public_key.parameter[15] ^= 1,
        |signed| signed.slot ^= 1,
        |signed| signed.message[31] ^= 1,
        |signed| signed.randomness[23] ^= 1,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut other = signed.clone();
        change(&mut other[1]);
        other[1] = with_the_sum(other[1]);
        let graph = graph(&other).unwrap();
        assert!(graph.inputs(&honest).is_err(), "change {number}");
    }
    let reversed: Vec<Signed> = signed.iter().rev().copied().collect();
    assert!(graph(&reversed).unwrap().inputs(&honest).is_err());
    let missing = &honest[1..];
    assert!(matches!(
        true_graph.inputs(missing),
        Err(WitnessError::Number { .. })
    ));
}

#[test]
fn slots_and_sums_that_there_are_none_of_are_refused() {
    let scheme = small();
    let (mut signed, _) = SIGNED[0].clone();
    signed.slot = 16;
    let reason = VerifyError::Slot { slot: 16, last: 15 };
    let refused = SignaturesError::Signature { index: 0, reason };
    assert_eq!(graph(&scheme, &[signed]).unwrap_err(), refused);
    let (mut signed, _) = SIGNED[0].clone();
    // Of 64 other values, some do not have the sum.
    let sums = (0..64).filter(|&byte| {
        signed.randomness[0] = byte;
        graph(&scheme, &[signed]).is_err()
    });
    assert!(sums.count() > 0);
}

#[test]
fn digits_of_no_bits_are_zeros() {
    let digits = TweakableBlake2s::digits(&[255; ELEMENT], 0).unwrap();
    assert!(digits.into_iter().all(|digit| digit == 0));
}

#[test]
fn signatures_of_other_lengths_have_no_witness() {
    let scheme = small();
    let (signed, signature) = SIGNED[0].clone();
    let changes: [fn(&mut Signature<TweakableBlake2s>); 4] = [
        |signature| signature.chain_values.push([0; ELEMENT]),
        |signature| signature.chain_values.truncate(7),
        |signature| signature.path.push([0; ELEMENT]),
        |signature| signature.path.clear(),
    ];
    for change in changes {
        let mut other = signature.clone();
        change(&mut other);
        let other = (signed, other);
        let refused = witness(&scheme, &claim(&other));
        assert!(matches!(refused, Err(VerifyError::Length { .. })));
    }
}

#[test]
fn a_proof_has_a_number_of_signatures() {
    let none = graph(&small(), &[]).unwrap();
    let refused = prove::<Blake3>(Witness::of_graph(&none, &[]).unwrap()).unwrap_err();
    assert_eq!(
        refused,
        BinaryError::Graph(GraphError::Empty(Hash::Blake2s))
    );
    let scheme = Scheme::new(PARAMETERS).unwrap();
    let mut signed = SIGNED[0].0;
    for number in 0_u32.. {
        if graph(&scheme, &[signed]).is_ok() {
            break;
        }
        signed.randomness[..4].copy_from_slice(&number.to_le_bytes());
    }
    assert_eq!(graph(&scheme, &[signed; 2032]).unwrap().len(), 2032 * 129);
    let refused = graph(&scheme, &[signed; 2033]).map(|_| ()).unwrap_err();
    let SignaturesError::Graph(GraphError::TooManyCalls { .. }) = refused else {
        panic!("{refused}");
    };
}

/// A prover that begins with a false statement, and has the calls that it wires, whatever it
/// expects of them, is refused by the claim about the graph's equations.
#[test]
fn false_statements_are_refused() {
    let scheme = small();
    let [a, b] = [SIGNED[0].0, SIGNED[1].0];
    let values = SIGNED
        .iter()
        .map(|signature| witness(&scheme, &claim(signature)).unwrap());
    let values: Vec<_> = values.collect();
    let outcome = |signed: &[Signed], witness: &[Element]| {
        let graph = graph(&scheme, signed).unwrap();
        let inputs = inputs_as_wired(&graph, witness);
        let inputs = inputs.iter().map(Vec::as_slice).collect();
        let (statement, circuit) = (Statement::Graph(&graph), circuit(Hash::Blake2s));
        let elements = elements_of(&statement.shape(), &circuit, inputs);
        let proof = prove_elements::<Blake3>(&statement, &circuit, elements).unwrap();
        verify(&graph, &proof).map(|security| assert!(security.sum() > 100.0))
    };
    let both = values.concat();
    assert_eq!(outcome(&[a, b], &both), Ok(()));
    // What is true twice is true.
    let twice = [&values[0][..], &values[0]].concat();
    assert_eq!(outcome(&[a, a], &twice), Ok(()));

    let changed = |change: fn(&mut Signed)| {
        let mut other = b;
        change(&mut other);
        [a, with_the_sum(other)]
    };
    for (name, signed) in [
        ("root", changed(|signed| signed.public_key.root[0] ^= 1)),
        (
            "parameter",
            changed(|signed| signed.public_key.parameter[0] ^= 1),
        ),
        ("slot", changed(|signed| signed.slot ^= 1)),
        ("message", changed(|signed| signed.message[0] ^= 1)),
        ("randomness", changed(|signed| signed.randomness[23] ^= 1)),
        (
            "key",
            [
                a,
                with_the_sum(Signed {
                    public_key: a.public_key,
                    ..b
                }),
            ],
        ),
        ("order", [b, a]),
        ("repetition", [a, a]),
    ] {
        assert_eq!(outcome(&signed, &both), Err(BinaryError::Claim), "{name}");
    }
}

/// The inputs of a graph's calls as it wires them; where there are fewer or more witness elements
/// than it takes, from the first one on again.
fn inputs_as_wired(graph: &HashGraph, witness: &[Element]) -> Vec<Vec<u8>> {
    let mut witness = witness.iter().cycle();
    let (mut inputs, mut outputs) = (Vec::new(), Vec::<Vec<u8>>::new());
    for call in graph.calls() {
        let mut input = Vec::new();
        for (wire, value) in call.wires.iter().zip(call.values) {
            input.extend(match wire.output() {
                _ if *wire == Wire::WITNESS => *witness.next().unwrap(),
                Some(Output { call, element }) => {
                    let from = &outputs[call][ELEMENT * element..];
                    std::array::from_fn(|i| from[i] ^ value[i])
                }
                None => *value,
            });
        }
        outputs.push(graph.hash().apply(&input));
        inputs.push(input);
    }
    inputs
}
