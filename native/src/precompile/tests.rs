use p3_challenger::{CanObserve, DuplexChallenger};
use p3_field::{Field, RawDataSerializable};
use p3_keccak::KeccakF;
use p3_symmetric::{
    CompressionFunctionFromHasher, PaddingFreeSponge, PseudoCompressionFunction, SerializingHasher,
};
use proptest::prelude::*;
use sha3::{Digest, Keccak256};

use super::*;
use crate::field::{EF, EF4};
use crate::hash::poseidon2::{Poseidon2, hash_row};

fn element() -> impl Strategy<Value = F> {
    (0..crate::field::MODULUS).prop_map(F::new)
}

fn blocks_of(elements: &[F]) -> Vec<Block> {
    elements
        .chunks(LANES)
        .map(|chunk| std::array::from_fn(|i| chunk.get(i).copied().unwrap_or(F::ZERO)))
        .collect()
}

/// The limbs of words, stored in runs of `run` words that start `stride` blocks apart.
fn layout(words: &[u32], run: usize, stride: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    for chunk in words.chunks(run) {
        blocks.extend(words_to_limbs(chunk));
        blocks.resize(blocks.len().next_multiple_of(stride), [F::TWO; LANES]);
    }
    blocks
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words(count: usize) -> Vec<u32> {
    (0..count as u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995)
        .collect()
}

fn bytes_to_limbs(digest: impl AsRef<[u8]>) -> ByteDigest {
    digest_to_limbs(digest.as_ref().try_into().unwrap())
}

#[test]
fn keccak_agrees_with_the_reference() {
    for count in (1..=70).chain([102, 103, 137, 300]) {
        let words = words(count);
        let blocks = layout(&words, KECCAK_RATE_WORDS, KECCAK_RATE_BLOCKS);
        let expected = bytes_to_limbs(Keccak256::digest(bytes_of(&words)));
        assert_eq!(keccak_hash(&blocks, count), Ok(expected), "{count} words");
    }
}

/// The sponge with which Plonky3's examples commit.
const KECCAK_SPONGE: PaddingFreeSponge<KeccakF, 25, 17, 4> = PaddingFreeSponge::new(KeccakF);

fn lanes_to_limbs(lanes: [u64; 4]) -> ByteDigest {
    bytes_to_limbs(lanes.map(u64::to_le_bytes).as_flattened())
}

/// Of an odd number of words, of whole rate blocks and of rate blocks that end anywhere.
#[test]
fn keccak_sponge_is_that_of_plonky3() {
    let elements: Vec<F> = words(140).into_iter().map(F::from_u32).collect();
    for count in 1..=elements.len() {
        let row = &elements[..count];
        let words: Vec<u32> = row.iter().map(|element| element.to_unique_u32()).collect();
        let blocks = layout(&words, KECCAK_RATE_WORDS, KECCAK_RATE_BLOCKS);
        let expected: [u64; 4] = SerializingHasher::new(KECCAK_SPONGE).hash_slice(row);
        let expected = lanes_to_limbs(expected);
        assert_eq!(
            keccak_sponge(&blocks, count),
            Ok(expected),
            "{count} elements"
        );
    }
    let mut wide = [F::ZERO; LANES];
    wide[1] = F::from_u32(1 << 16);
    assert!(keccak_sponge(&[wide], 1).is_err());
    assert!(keccak_sponge(&[[F::ZERO; LANES]], 0).is_err());
    assert!(keccak_sponge(&[[F::ZERO; LANES]], 5).is_err());
}

#[test]
fn blake3_of_one_and_more_chunks_agrees_with_the_reference() {
    for count in [1, 15, 16, 17, 255, 256] {
        let words = words(count);
        let expected = bytes_to_limbs(blake3::hash(&bytes_of(&words)).as_bytes());
        let blocks = layout(&words, 16, 4);
        assert_eq!(blake3_chunk(&blocks, count, 0, true), Ok(expected));
    }
    // Two whole chunks and a partial one: the tree is ((0, 1), 2).
    let words = words(600);
    let chunk = |first: usize, last: usize, counter| {
        blake3_chunk(
            &layout(&words[first..last], 16, 4),
            last - first,
            counter,
            false,
        )
        .unwrap()
    };
    let left = blake3_parent(&chunk(0, 256, 0), &chunk(256, 512, 1), false).unwrap();
    let root = blake3_parent(&left, &chunk(512, 600, 2), true).unwrap();
    assert_eq!(
        root,
        bytes_to_limbs(blake3::hash(&bytes_of(&words)).as_bytes())
    );
}

#[test]
fn arguments_out_of_range_are_errors() {
    let block = [F::ZERO; LANES];
    assert!(poseidon16_duplex(&[block], 7, &block, F::ZERO).is_err());
    assert!(poseidon16_duplex(&[block], 9, &block, F::ZERO).is_err());
    assert!(poseidon16_merkle(&block, 2, &[block]).is_err());
    assert!(poseidon16_merkle(&block, 0, &[]).is_err());
    assert!(horner(&[block], 8, 1, EF::ONE).is_err());
    assert!(horner(&[block], 3, 6, EF::ONE).is_err());
    assert!(horner(&[block], 3, 0, EF::ONE).is_err());
    assert!(horner(&[], 3, 1, EF::ONE).is_err());
    assert!(power_weights(&[], F::ONE, F::ZERO).is_err());
    assert!(power_weights(&[EF::ONE; 25], F::ONE, F::ZERO).is_err());
    assert!(power_weights(&[EF::ONE; 3], F::ONE, F::from_u32(8)).is_err());
    assert!(power_weights(&[EF::ONE; 24], F::ONE, F::from_u32(1 << 24)).is_err());
    assert!(power_weights(&[EF::ONE; 24], F::ONE, -F::ONE).is_err());
    assert!(blake3_chunk(&[block; 65], 257, 0, false).is_err());
    assert!(blake3_chunk(&[block; 4], 16, 1, true).is_err());
    assert!(blake3_chunk(&[block; 3], 16, 0, true).is_err());
    assert!(keccak_hash(&[block], 0).is_err());
    let mut wide = block;
    wide[1] = F::from_u32(1 << 16);
    assert!(keccak_hash(&[wide], 1).is_err());
    assert!(digest_from_limbs(&[block, wide]).is_err());
    assert_eq!(
        ext_from_block::<EF>(&[F::ONE; LANES]),
        Err(PrecompileError::NotExtension { lane: 5, degree: 5 })
    );
}

#[test]
fn weights_of_bits_are_powers() {
    // Coordinates that are bits select one power: 3^(5 * 0b1101).
    let bits = [EF::ONE, EF::ZERO, EF::ONE, EF::ONE];
    let weight = power_weights(&bits, F::from_u32(3), F::from_u32(5));
    assert_eq!(weight, Ok(F::from_u32(3).exp_u64(5 * 13).into()));
    // (1 - 2 + 2 * 9) (1 - 5 + 5 * 81): the square of 3, and its square.
    let coordinates = [EF::TWO, EF::from_u32(5)];
    let weight = power_weights(&coordinates, F::from_u32(3), F::TWO);
    assert_eq!(weight, Ok(EF::from_u32(17 * 401)));
    // Zeros have the factor one. Zero to the power zero is one.
    let weight = power_weights(&[EF::ZERO; 24], F::from_u32(3), F::from_u32((1 << 24) - 1));
    assert_eq!(weight, Ok(EF::ONE));
    assert_eq!(power_weights(&[EF::TWO], F::ZERO, F::ZERO), Ok(EF::ONE));
    assert_eq!(power_weights(&[EF::TWO], F::ZERO, F::ONE), Ok(-EF::ONE));
}

proptest! {
    #[test]
    fn weights_are_the_sum_over_the_hypercube(
        coordinates in prop::collection::vec(prop::array::uniform5(element()), 1..8),
        generator in prop_oneof![element(), Just(F::ZERO), Just(F::ONE), Just(-F::ONE)],
        exponent in any::<u32>(),
    ) {
        let coordinates: Vec<EF> = coordinates
            .into_iter()
            .map(|c| EF::from_basis_coefficients_fn(|i| c[i]))
            .collect();
        let size = 1_u32 << coordinates.len();
        let exponent = exponent % size;
        let x = generator.exp_u64(exponent.into());
        let mut expected = EF::ZERO;
        for j in 0..size {
            let mut term = EF::from(x.exp_u64(j.into()));
            for (i, &r) in coordinates.iter().enumerate() {
                term *= if j >> i & 1 == 1 { r } else { EF::ONE - r };
            }
            expected += term;
        }
        let exponent = F::from_u32(exponent);
        prop_assert_eq!(power_weights(&coordinates, generator, exponent), Ok(expected));
    }

    #[test]
    fn horner_is_the_weighted_sum(
        elements in prop::collection::vec(element(), 1..40),
        skip in 0..8usize,
        beta in prop::array::uniform5(element()),
    ) {
        let mut padded = vec![F::TWO; skip];
        padded.extend(&elements);
        padded.resize(padded.len().next_multiple_of(8), F::TWO);
        let beta = EF::from_basis_coefficients_fn(|i| beta[i]);
        let total = padded.len();
        let expected: EF = (skip..skip + elements.len())
            .map(|j| beta.exp_u64((total - 1 - j) as u64) * padded[j])
            .sum();
        prop_assert_eq!(horner(&blocks_of(&padded), skip, elements.len(), beta), Ok(expected));
    }

    #[test]
    fn folding_is_evaluation_of_the_halves(
        even in prop::array::uniform5(element()),
        odd in prop::array::uniform5(element()),
        beta in prop::array::uniform5(element()),
        x in (1..crate::field::MODULUS).prop_map(F::new),
    ) {
        // The polynomial f(x) = even + x * odd, at x and at -x.
        let [even, odd, beta] = [even, odd, beta].map(|c| EF::from_basis_coefficients_fn(|i| c[i]));
        let folded = fold(even + odd * x, even - odd * x, beta * x.double().inverse());
        prop_assert_eq!(folded, even + beta * odd);
    }

    #[test]
    fn unpacking_takes_five_lanes_an_element(
        elements in prop::collection::vec(element(), 40),
        skip in 0..8usize,
        count in 1..7usize,
    ) {
        let expected: Vec<EF> = elements[skip..]
            .chunks_exact(5)
            .take(count)
            .map(|c| EF::from_basis_coefficients_fn(|i| c[i]))
            .collect();
        prop_assert_eq!(expected.len(), count);
        prop_assert_eq!(unpack(&blocks_of(&elements), skip, count), Ok(expected));
        prop_assert!(unpack::<EF>(&blocks_of(&elements), 8, count).is_err());
        let many = 8 + usize::from(skip == 0);
        prop_assert!(unpack::<EF>(&blocks_of(&elements), skip, many).is_err());
        prop_assert!(unpack::<EF>(&blocks_of(&elements), skip, 0).is_err());
    }

    #[test]
    fn elements_of_degree_4_take_four_lanes(
        elements in prop::collection::vec(element(), 40),
        skip in 0..8usize,
        count in 1..9usize,
        beta in prop::array::uniform4(element()),
    ) {
        let blocks = blocks_of(&elements);
        let expected: Vec<EF4> = elements[skip..]
            .chunks_exact(4)
            .take(count)
            .map(|c| EF4::from_basis_coefficients_fn(|i| c[i]))
            .collect();
        prop_assert_eq!(expected.len(), count);
        prop_assert_eq!(unpack(&blocks, skip, count), Ok(expected.clone()));
        prop_assert!(unpack::<EF4>(&blocks, skip, (40 - skip) / 4 + 1).is_err());
        for element in expected {
            let mut block = ext_to_block(element);
            prop_assert_eq!(ext_from_block(&block), Ok(element));
            block[4] = F::ONE;
            let error = PrecompileError::NotExtension { lane: 4, degree: 4 };
            prop_assert_eq!(ext_from_block::<EF4>(&block), Err(error));
        }
        let beta = EF4::from_basis_coefficients_fn(|i| beta[i]);
        let top = 8 * horner_blocks(skip, 4 * count) - 1;
        let expected: EF4 = (skip..skip + 4 * count)
            .map(|j| beta.exp_u64((top - j) as u64) * elements[j])
            .sum();
        prop_assert_eq!(horner(&blocks, skip, 4 * count, beta), Ok(expected));
        let (even, odd) = (expected, beta + F::ONE);
        let [x, scale] = [F::from_u32(7), F::from_u32(14).inverse()];
        let folded = fold(even + odd * x, even - odd * x, beta * scale);
        prop_assert_eq!(folded, even + beta * odd);
    }

    #[test]
    fn five_lanes_in_the_inverse_of_the_generator_are_an_extension_element(
        elements in prop::collection::vec(element(), 16),
        skip in 0..8usize,
    ) {
        let x = EF::from_basis_coefficients_fn(|i| F::from_bool(i == 1));
        let sum = horner(&blocks_of(&elements), skip, 5, x.inverse()).unwrap();
        let top = 8 * horner_blocks(skip, 5) - 1 - skip;
        let expected = EF::from_basis_coefficients_fn(|i| elements[skip + i]);
        prop_assert_eq!(sum * x.exp_u64(top as u64), expected);
    }

    #[test]
    fn sponge_is_the_padding_free_sponge(elements in prop::collection::vec(element(), 8..60)) {
        let (zero, blocks) = ([F::ZERO; LANES], blocks_of(&elements));
        let output = poseidon16_duplex(&blocks, elements.len(), &zero, F::ZERO).unwrap();
        let sponge = PaddingFreeSponge::<Poseidon16, 16, 8, 8>::new(Poseidon16);
        prop_assert_eq!(output.rate[0], sponge.hash_slice(&elements));
        let rest = elements.len() % 8;
        let last = elements.len() - if rest == 0 { 8 } else { rest };
        prop_assert_eq!(&output.last_block[..elements.len() - last], &elements[last..]);
    }

    #[test]
    fn duplex_with_tag_8_is_the_duplex_challenger(
        elements in prop::collection::vec(element(), 1..7).prop_map(|v| v.repeat(8)),
    ) {
        let zero = [F::ZERO; LANES];
        let tag = F::from_usize(LANES);
        let output = poseidon16_duplex(&blocks_of(&elements), elements.len(), &zero, tag).unwrap();
        let mut challenger = DuplexChallenger::<F, Poseidon16, 16, 8>::new(Poseidon16);
        challenger.observe_slice(&elements);
        let state = [output.rate[0], output.capacity];
        prop_assert_eq!(state.as_flattened(), &challenger.sponge_state[..]);
    }

    #[test]
    fn poseidon2_sponge_is_the_padding_free_sponge(
        elements in prop::collection::vec(element(), 16..70),
    ) {
        let (zero, blocks) = ([F::ZERO; LANES], blocks_of(&elements));
        let output = poseidon2_sponge(&blocks, elements.len(), &zero, F::ZERO).unwrap();
        prop_assert_eq!(output.rate[0], hash_row(&elements));
        let rest = elements.len() % 8;
        let last = elements.len() - if rest == 0 { 8 } else { rest };
        prop_assert_eq!(&output.last_block[..elements.len() - last], &elements[last..]);
        prop_assert!(poseidon2_sponge(&blocks, 15, &zero, F::ZERO).is_err());
        prop_assert!(poseidon2_sponge(&blocks, 8 * blocks.len() + 1, &zero, F::ZERO).is_err());
    }

    #[test]
    fn poseidon2_sponge_with_tag_16_is_the_duplex_challenger(
        elements in prop::collection::vec(element(), 1..5).prop_map(|v| v.repeat(16)),
    ) {
        let (zero, tag) = ([F::ZERO; LANES], F::from_usize(16));
        let output = poseidon2_sponge(&blocks_of(&elements), elements.len(), &zero, tag).unwrap();
        let mut challenger = DuplexChallenger::<F, Poseidon2<24>, 24, 16>::new(Poseidon2);
        challenger.observe_slice(&elements);
        let [low, high] = output.rate;
        let state = [low, high, output.capacity];
        prop_assert_eq!(state.as_flattened(), &challenger.sponge_state[..]);
    }

    #[test]
    fn a_poseidon2_path_recomputes_the_root(
        leaves in prop::collection::vec(element(), 32),
        index in 0..4u32,
    ) {
        let level = blocks_of(&leaves);
        let pair = |i: usize| poseidon2_compress(&level[2 * i], &level[2 * i + 1]);
        let (leaf, other) = (level[index as usize], level[index as usize ^ 1]);
        let siblings = [other, pair((index as usize / 2) ^ 1)];
        let root = poseidon2_compress(&pair(0), &pair(1));
        prop_assert_eq!(poseidon2_merkle(&leaf, index, &siblings), Ok(root));
    }

    #[test]
    fn a_path_recomputes_the_root(leaves in prop::collection::vec(element(), 64), index in 0..8u32) {
        let mut level: Vec<Block> = blocks_of(&leaves);
        let leaf = level[index as usize];
        let mut siblings = Vec::new();
        let mut at = index as usize;
        while level.len() > 1 {
            siblings.push(level[at ^ 1]);
            level = level.chunks(2).map(|pair| poseidon16_compress(&pair[0], &pair[1])).collect();
            at /= 2;
        }
        prop_assert_eq!(poseidon16_merkle(&leaf, index, &siblings), Ok(level[0]));
    }

    #[test]
    fn byte_paths_hash_left_then_right(left in any::<[u8; 32]>(), right in any::<[u8; 32]>()) {
        let both = [left, right].concat();
        let (left, right) = (digest_to_limbs(left), digest_to_limbs(right));
        prop_assert_eq!(digest_from_limbs(&left).unwrap().to_vec(), both[..32].to_vec());
        let expected = bytes_to_limbs(Keccak256::digest(&both));
        prop_assert_eq!(keccak_merkle(&left, 0, &[right]), Ok(expected));
        prop_assert_eq!(keccak_merkle(&right, 1, &[left]), Ok(expected));
        let expected = bytes_to_limbs(blake3::hash(&both).as_bytes());
        prop_assert_eq!(blake3_merkle(&right, 1, &[left]), Ok(expected));
    }

    #[test]
    fn sponge_paths_compress_left_then_right(
        left in any::<[u64; 4]>(),
        right in any::<[u64; 4]>(),
        other in any::<[u64; 4]>(),
    ) {
        let parent = CompressionFunctionFromHasher::<_, 2, 4>::new(KECCAK_SPONGE);
        let node = parent.compress([left, right]);
        let root = lanes_to_limbs(parent.compress([other, node]));
        let [node, left, right, other] = [node, left, right, other].map(lanes_to_limbs);
        prop_assert_eq!(keccak_sponge_merkle(&left, 0, &[right]), Ok(node));
        prop_assert_eq!(keccak_sponge_merkle(&right, 0b11, &[left, other]), Ok(root));
        prop_assert!(keccak_sponge_merkle(&left, 2, &[right]).is_err());
        prop_assert!(keccak_sponge_merkle(&left, 0, &[]).is_err());
    }

    #[test]
    fn limbs_are_the_absorbed_bytes(elements in prop::array::uniform8(element())) {
        let bytes: Vec<u8> = limbs(&elements)
            .as_flattened()
            .iter()
            .flat_map(|limb| (limb.as_canonical_u32() as u16).to_le_bytes())
            .collect();
        let absorbed: Vec<u8> = F::into_byte_stream(elements).into_iter().collect();
        prop_assert_eq!(bytes, absorbed);
    }
}
