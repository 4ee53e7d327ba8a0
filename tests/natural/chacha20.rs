use droste_gadgets::prelude::*;

/// ChaCha20 block function (RFC 8439, section 2.3.2).
fn quarter_round(s: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(16);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(12);
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(8);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(7);
}

fn le_words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
}

fn chacha_block(key: &[u8; 32], counter: u32, nonce: &[u8; 12]) -> [u8; 64] {
    let mut state = [0u32; 16];
    let words = le_words(b"expand 32-byte k")
        .chain(le_words(key))
        .chain(std::iter::once(counter))
        .chain(le_words(nonce));
    for (slot, word) in state.iter_mut().zip(words) {
        *slot = word;
    }

    let mut working = state;
    for _ in 0..10 {
        for i in 0..4 {
            quarter_round(&mut working, i, i + 4, i + 8, i + 12);
        }
        for i in 0..4 {
            quarter_round(
                &mut working,
                i,
                4 + (i + 1) % 4,
                8 + (i + 2) % 4,
                12 + (i + 3) % 4,
            );
        }
    }

    let mut out = [0u8; 64];
    for (chunk, (w, s)) in out.chunks_exact_mut(4).zip(working.iter().zip(&state)) {
        chunk.copy_from_slice(&w.wrapping_add(*s).to_le_bytes());
    }
    out
}

fn xor_in_place(data: &mut [u8], stream: &[u8]) {
    data.iter_mut().zip(stream).for_each(|(d, k)| *d ^= k);
}

pub fn main() {
    let x = public_input();
    let key: [u8; 32] = std::array::from_fn(|i| i as u8);
    let nonce = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0];
    let block = chacha_block(&key, 1, &nonce);
    assert_eq!(block[..4], [0x10, 0xf1, 0xe7, 0xe4]);
    assert_eq!(block[63], 0x4e);

    let mut msg = *b"attack at dawn";
    xor_in_place(&mut msg, &block);
    let checksum: usize = msg.iter().map(|&b| b as usize).sum();
    xor_in_place(&mut msg, &block);
    assert_eq!(&msg, b"attack at dawn");
    reveal(felt(checksum) + x);
}
