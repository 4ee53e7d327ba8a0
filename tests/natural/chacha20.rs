use droste_gadgets::prelude::*;

macro_rules! rotl {
    ($v:expr, $n:expr) => {
        $v.rotate_left($n)
    };
}

fn quarter_round(state: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = rotl!((state[d] ^ state[a]), 16);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = rotl!((state[b] ^ state[c]), 12);
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = rotl!((state[d] ^ state[a]), 8);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = rotl!((state[b] ^ state[c]), 7);
}

fn chacha_block(key: &[u8; 32], counter: u32, nonce: [u32; 3]) -> [u32; 16] {
    let mut init = [0u32; 16];
    init[..4].copy_from_slice(&[0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
    for (word, bytes) in init[4..12].iter_mut().zip(key.chunks_exact(4)) {
        *word = u32::from_le_bytes(bytes.try_into().unwrap());
    }
    init[12] = counter;
    init[13..].copy_from_slice(&nonce);

    let mut state = init;
    for _ in 0..10 {
        for i in 0..4 {
            quarter_round(&mut state, i, i + 4, i + 8, i + 12);
        }
        for i in 0..4 {
            quarter_round(
                &mut state,
                i,
                4 + (i + 1) % 4,
                8 + (i + 2) % 4,
                12 + (i + 3) % 4,
            );
        }
    }
    for (s, i) in state.iter_mut().zip(init) {
        *s = s.wrapping_add(i);
    }
    state
}

pub fn main() {
    let x = public_input();
    let mut key = [0u8; 32];
    for (i, k) in key.iter_mut().enumerate() {
        *k = i as u8;
    }
    // RFC 8439, section 2.3.2
    let block = chacha_block(&key, 1, [0x09000000, 0x4a000000, 0]);
    assert_eq!(block[0], 0xe4e7f110);
    assert_eq!(block[15], 0x4e3c50a2);
    let folded = block.iter().fold(0, |a, b| a ^ b);
    reveal(x + felt((folded & 0xffff) as usize));
    reveal(felt((folded >> 16) as usize));
}
