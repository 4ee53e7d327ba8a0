//! The three functions written again from their specifications, with nothing of the crate:
//! constants are computed where a rule gives them. Inputs are those where implementations and
//! constraints go wrong: zeros, ones, carries through all of a word.

use droste_binary::{Blake3, Hash, HashCalls, prove, verify};

/// The first 32 bits after the point of the square roots of the first eight primes (RFC 7693,
/// section 2.6).
fn initial() -> [u32; 8] {
    [2_u128, 3, 5, 7, 11, 13, 17, 19].map(|prime| (prime << 64).isqrt() as u32)
}

/// `(x + y) mod 2^32`, without the processor's own wrapping.
fn add(x: u32, y: u32) -> u32 {
    (u64::from(x) + u64::from(y)) as u32
}

/// G of column `i` of a state of four rows of words (RFC 7693, section 3.1).
fn mix(rows: &mut [[u32; 4]; 4], i: usize, x: u32, y: u32) {
    let [mut a, mut b, mut c, mut d] = rows.map(|row| row[i]);
    for (word, [first, second]) in [(x, [16, 12]), (y, [8, 7])] {
        a = add(add(a, b), word);
        d = (d ^ a).rotate_right(first);
        c = add(c, d);
        b = (b ^ c).rotate_right(second);
    }
    for (row, word) in rows.iter_mut().zip([a, b, c, d]) {
        row[i] = word;
    }
}

/// A round: columns, then diagonals, which become columns when the rows are rotated.
fn round(rows: &mut [[u32; 4]; 4], words: [u32; 16]) {
    for (half, turns) in [(&words[..8], [0, 1, 2, 3]), (&words[8..], [0, 3, 2, 1])] {
        for i in 0..4 {
            mix(rows, i, half[2 * i], half[2 * i + 1]);
        }
        for (row, turn) in rows.iter_mut().zip(turns) {
            row.rotate_left(turn);
        }
    }
}

fn words(input: &[u8]) -> Vec<u32> {
    let words = input.chunks(4);
    words
        .map(|bytes| {
            bytes
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u32::from(byte))
        })
        .collect()
}

fn rows(h: &[u32], rest: [u32; 4]) -> [[u32; 4]; 4] {
    let [low, high] = [0, 4].map(|at| std::array::from_fn(|i| h[at + i]));
    [low, high, std::array::from_fn(|i| initial()[i]), rest]
}

fn blake3(input: &[u8]) -> Vec<u32> {
    let words = words(input);
    let (h, mut message) = (&words[..8], words[8..24].to_vec());
    let mut state = rows(h, std::array::from_fn(|i| words[24 + i]));
    for _ in 0..7 {
        round(&mut state, std::array::from_fn(|i| message[i]));
        // BLAKE3's paper, table 2.
        let order = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
        message = order.iter().map(|&from| message[from]).collect();
    }
    let state = state.concat();
    (0..16)
        .map(|i| state[i] ^ if i < 8 { state[i + 8] } else { h[i - 8] })
        .collect()
}

fn blake2s(input: &[u8]) -> Vec<u32> {
    // RFC 7693, section 2.7, in hexadecimal digits.
    let schedules = [
        "0123456789abcdef",
        "ea489fd61c02b753",
        "b8c052fdae367194",
        "7931dcbe265a40f8",
        "905724afe1bc683d",
        "2c6a0b834d75fe19",
        "c51fed4a0763928b",
        "db7ec13950f4862a",
        "6fe9b308c2d714a5",
        "a2847615fb9e3cd0",
    ];
    let words = words(input);
    let h = &words[..8];
    let mut state = rows(h, std::array::from_fn(|i| initial()[4 + i] ^ words[24 + i]));
    for schedule in schedules {
        let mut digits = schedule
            .chars()
            .map(|digit| digit.to_digit(16).unwrap() as usize);
        round(
            &mut state,
            std::array::from_fn(|_| words[8 + digits.next().unwrap()]),
        );
    }
    let state = state.concat();
    (0..8).map(|i| h[i] ^ state[i] ^ state[i + 8]).collect()
}

/// FIPS 202, section 3.2, bit by bit: `state[x][y][z]`.
#[allow(
    clippy::needless_range_loop,
    reason = "indices as in the specification"
)]
fn keccak_f(input: &[u8]) -> Vec<u32> {
    let mut state = [[[false; 64]; 5]; 5];
    for (bit, byte) in (0..1600).map(|bit| (bit, input[bit / 8])) {
        state[bit / 64 % 5][bit / 320][bit % 64] = byte >> (bit % 8) & 1 == 1;
    }
    // Algorithm 5: the register of rc.
    let mut register = 1_u32;
    for _ in 0..24 {
        let parity = |x: usize, z: usize| (0..5).fold(false, |sum, y| sum ^ state[x][y][z]);
        let mut next = state;
        for x in 0..5 {
            for y in 0..5 {
                for z in 0..64 {
                    next[x][y][z] ^= parity((x + 4) % 5, z) ^ parity((x + 1) % 5, (z + 63) % 64);
                }
            }
        }
        // Algorithm 2, with algorithm 3 in the same pass.
        state[0][0] = next[0][0];
        let (mut x, mut y) = (1, 0);
        for t in 0..24 {
            let (to_x, to_y) = (y, (2 * x + 3 * y) % 5);
            for z in 0..64 {
                state[to_x][to_y][(z + (t + 1) * (t + 2) / 2) % 64] = next[x][y][z];
            }
            (x, y) = (to_x, to_y);
        }
        next = state;
        for x in 0..5 {
            for y in 0..5 {
                for z in 0..64 {
                    state[x][y][z] ^= !next[(x + 1) % 5][y][z] & next[(x + 2) % 5][y][z];
                }
            }
        }
        for j in 0..7 {
            state[0][0][(1 << j) - 1] ^= register & 1 == 1;
            register = register << 1 ^ if register >> 7 & 1 == 1 { 0x171 } else { 0 };
        }
    }
    let bit = |bit: usize| u32::from(state[bit / 64 % 5][bit / 320][bit % 64]);
    (0..50)
        .map(|word| (0..32).fold(0, |sum, i| sum | bit(32 * word + i) << i))
        .collect()
}

fn output(hash: Hash, input: &[u8]) -> Vec<u8> {
    let words = match hash {
        Hash::Blake3 => blake3(input),
        Hash::Blake2s => blake2s(input),
        Hash::KeccakF => keccak_f(input),
        Hash::KeccakRate => {
            let lanes = [&input[..136], &input[144..]].concat();
            let mut words = keccak_f(&lanes);
            words.splice(34..34, [0; 2]);
            words
        }
    };
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Inputs of extreme words: all equal, then mixed, so that carries begin and end everywhere.
fn extreme_inputs(hash: Hash) -> Vec<Vec<u8>> {
    let extreme = [
        0,
        u32::MAX,
        1,
        u32::MAX - 1,
        1 << 31,
        u32::MAX >> 1,
        0xaaaa_aaaa,
        0x5555_5555,
    ];
    let words = hash.input_bytes() / 4;
    let bytes = |word: &dyn Fn(usize) -> u32| -> Vec<u8> {
        (0..words).flat_map(|i| word(i).to_le_bytes()).collect()
    };
    let mut inputs: Vec<_> = extreme.iter().map(|&word| bytes(&|_| word)).collect();
    // `h[0] + h[4]` carries through the word, and its sum of ones carries with a message word 1.
    inputs.push(bytes(&|i| [u32::MAX, 0, 0, 0, 1, 0, 0, 0, 0][i.min(8)]));
    inputs.push(bytes(&|i| [u32::MAX, 0, 0, 0, 0, 0, 0, 0, 1, 0][i.min(9)]));
    let mut state = 1_u32;
    while inputs.len() < 64 {
        let choices: Vec<_> = (0..words)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                extreme[(state >> 29) as usize]
            })
            .collect();
        inputs.push(bytes(&|i| choices[i]));
    }
    inputs
}

/// The specification and the crate's function agree on extreme inputs, and a proof says so.
#[test]
fn extreme_inputs_have_the_outputs_of_the_specifications() {
    for hash in Hash::OF_GRAPHS {
        let inputs = extreme_inputs(hash);
        let expected: Vec<_> = inputs.iter().map(|input| output(hash, input)).collect();
        for (input, expected) in inputs.iter().zip(&expected) {
            assert_eq!(hash.output(input).unwrap(), *expected, "{hash} {input:?}");
        }
        if !Hash::ALL.contains(&hash) {
            continue;
        }
        let calls = HashCalls::new(hash, inputs.iter().zip(&expected)).unwrap();
        let proof = prove::<Blake3>(&calls).unwrap();
        assert!(verify(&calls, &proof).is_ok(), "{hash}");
    }
}
