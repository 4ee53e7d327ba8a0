//! The compressions that hashing a message takes.

use super::{CHUNK_END, CHUNK_START, Compression, IV, PARENT, ROOT};

/// Number of bytes of a block.
const BLOCK: usize = 64;

/// Number of bytes of a chunk.
const CHUNK: usize = 1024;

/// The compressions of a message's hash, each of which is a row of the table (BLAKE3 specification,
/// sections 2.1 and 2.4). A compression comes after those whose outputs it takes, so the output of
/// the last one is the digest, as little-endian words.
pub fn rows_of(message: &[u8]) -> Vec<Compression> {
    let mut rows = Vec::new();
    subtree(message, 0, ROOT, &mut rows);
    rows
}

/// Appends the compressions of the subtree over `bytes`, whose first chunk has the number `first`,
/// and returns its chaining value. The last compression has `flags` in addition to its own.
fn subtree(bytes: &[u8], first: u64, flags: u8, rows: &mut Vec<Compression>) -> [u32; 8] {
    if bytes.len() <= CHUNK {
        return chunk(bytes, first, flags, rows);
    }
    // The left subtree has as many chunks as the largest power of two that leaves at least one byte
    // for the right one.
    let chunks = 1 << ((bytes.len() - 1) / CHUNK).ilog2();
    let (left, right) = bytes.split_at(chunks * CHUNK);
    let children = [
        subtree(left, first, 0, rows),
        subtree(right, first + chunks as u64, 0, rows),
    ];
    let parent = Compression {
        chaining: IV,
        message: std::array::from_fn(|i| children[i / 8][i % 8]),
        counter: 0,
        block_length: BLOCK as u8,
        flags: PARENT | flags,
    };
    rows.push(parent);
    parent.output()
}

/// Appends the compressions of one chunk and returns its chaining value.
fn chunk(bytes: &[u8], counter: u64, flags: u8, rows: &mut Vec<Compression>) -> [u32; 8] {
    let count = bytes.len().div_ceil(BLOCK).max(1);
    let mut chaining = IV;
    for index in 0..count {
        let rest = &bytes[BLOCK * index..];
        let present = &rest[..rest.len().min(BLOCK)];
        let mut block = [0; BLOCK];
        block[..present.len()].copy_from_slice(present);
        let words = block.as_chunks().0;
        let start = if index == 0 { CHUNK_START } else { 0 };
        let end = if index + 1 == count {
            CHUNK_END | flags
        } else {
            0
        };
        let compression = Compression {
            chaining,
            message: std::array::from_fn(|i| u32::from_le_bytes(words[i])),
            counter,
            block_length: present.len() as u8,
            flags: start | end,
        };
        chaining = compression.output();
        rows.push(compression);
    }
    chaining
}
