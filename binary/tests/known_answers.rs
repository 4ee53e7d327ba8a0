//! Outputs are those of other implementations of the hashes and of their specifications.

use blake2::Digest;
use droste_binary::Hash;
use sha3::Keccak256;

/// Initial state of BLAKE2s and BLAKE3, that of SHA-256 (RFC 7693, section 2.6), as bytes.
fn initial() -> Vec<u8> {
    let words: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn padded(block: &[u8]) -> Vec<u8> {
    let mut padded = block.to_vec();
    padded.resize(64, 0);
    padded
}

/// A message that differs with its length.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (7 * i + length) as u8).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first `blocks` blocks of 64 bytes of BLAKE3's output for a message of one chunk.
fn blake3(message: &[u8], blocks: u64) -> Vec<u8> {
    let mut chaining_value = initial();
    let mut chunks: Vec<&[u8]> = message.chunks(64).collect();
    if chunks.is_empty() {
        chunks.push(&[]);
    }
    let (first, last) = (1_u32, 2_u32 | 8);
    let mut output = vec![];
    for (i, chunk) in chunks.iter().enumerate() {
        let is_last = i + 1 == chunks.len();
        let flags = if i == 0 { first } else { 0 } | if is_last { last } else { 0 };
        for counter in 0..if is_last { blocks } else { 1 } {
            let mut input = [chaining_value.clone(), padded(chunk)].concat();
            input.extend(counter.to_le_bytes());
            input.extend((chunk.len() as u32).to_le_bytes());
            input.extend(flags.to_le_bytes());
            let result = Hash::Blake3.output(&input).unwrap();
            if is_last {
                output.extend(result)
            } else {
                chaining_value = result[..32].to_vec()
            }
            if !is_last {
                break;
            }
        }
    }
    output
}

#[test]
fn blake3_is_blake3() {
    // The empty message (test_vectors.json of the reference implementation).
    let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
    assert_eq!(hex(&blake3(b"", 1)[..32]), empty);
    for length in [1, 63, 64, 65, 128, 1000, 1024] {
        let message = message(length);
        let mut expected = [0; 256];
        ::blake3::Hasher::new()
            .update(&message)
            .finalize_xof()
            .fill(&mut expected);
        assert_eq!(blake3(&message, 4), expected, "{length}");
    }
}

/// BLAKE2s with 32 bytes of output and no key.
fn blake2s(message: &[u8]) -> Vec<u8> {
    let mut state = initial();
    // The parameter block (RFC 7693, section 2.5).
    state[0] ^= 32;
    state[2] ^= 1;
    state[3] ^= 1;
    let mut chunks: Vec<&[u8]> = message.chunks(64).collect();
    if chunks.is_empty() {
        chunks.push(&[]);
    }
    let mut offset = 0_u64;
    for (i, chunk) in chunks.iter().enumerate() {
        offset += chunk.len() as u64;
        let last = if i + 1 == chunks.len() { u32::MAX } else { 0 };
        let mut input = [state, padded(chunk)].concat();
        input.extend(offset.to_le_bytes());
        input.extend(last.to_le_bytes());
        input.extend([0; 4]);
        state = Hash::Blake2s.output(&input).unwrap();
    }
    state
}

#[test]
fn blake2s_is_blake2s() {
    // RFC 7693, appendix B.
    let abc = "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982";
    assert_eq!(hex(&blake2s(b"abc")), abc);
    for length in [0, 1, 63, 64, 65, 128, 1000] {
        let message = message(length);
        let expected = blake2::Blake2s256::digest(&message);
        assert_eq!(blake2s(&message), expected.to_vec(), "{length}");
    }
}

/// Lanes of rate and capacity, with eight bytes between that stand for nothing.
#[test]
fn keccak_rate_is_keccak_f() {
    for between in [0, 1, 0xff] {
        let split = |state: &[u8], between: u8| {
            let (rate, capacity) = state.split_at(136);
            [rate, &[between; 8], capacity].concat()
        };
        let input = message(200);
        let expected = Hash::KeccakF.output(&input).unwrap();
        let output = Hash::KeccakRate.output(&split(&input, between)).unwrap();
        assert_eq!(output, split(&expected, 0));
    }
}

#[test]
fn keccak_f_is_that_of_keccak_256() {
    // The permutation of the state zero (KeccakF-1600-IntermediateValues.txt, Keccak team).
    let output = Hash::KeccakF.output(&[0; 200]).unwrap();
    assert_eq!(hex(&output[..8]), "e7dde140798f25f1");
    for length in [0, 1, 135, 136, 137, 1000] {
        let message = message(length);
        let mut text = message.clone();
        text.push(1);
        text.resize(text.len().next_multiple_of(136), 0);
        *text.last_mut().unwrap() |= 0x80;
        let mut state = vec![0; 200];
        for block in text.chunks(136) {
            state.iter_mut().zip(block).for_each(|(x, y)| *x ^= y);
            state = Hash::KeccakF.output(&state).unwrap();
        }
        let expected = <Keccak256 as sha3::Digest>::digest(&message);
        assert_eq!(state[..32], expected[..], "{length}");
    }
}
