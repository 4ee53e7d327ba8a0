//! Bits of sampled words.

use super::*;

/// Whether the gadgets' bits of a sampled word are those of the integer that it stands for.
fn bits_agree<C: Challenger>(word: [u32; 2], integer: u32, known: usize) {
    let word = word.map(Felt::new);
    let bits = C::bits(word);
    for to in 0..=known {
        for from in 0..=to {
            let expected = (integer >> from) & ((1_u64 << (to - from)) - 1) as u32;
            assert_eq!(bits.part(from, to), Felt::new(expected), "{from}..{to}");
        }
    }
}

#[test]
fn parts_beyond_the_bits_are_refused() {
    let part = |blocks: usize, from: usize, to: usize| {
        let program = || {
            Bits::new(felt(200), blocks).part(from, to);
        };
        run_native(&NativeTape::default(), &[], program).map(|_| ())
    };
    for blocks in 1..=4 {
        part(blocks, 0, 8 * blocks).unwrap();
        part(blocks, 8 * blocks, 8 * blocks).unwrap();
        let refused = part(blocks, 0, 8 * blocks + 1).unwrap_err().0;
        assert!(refused.contains("to <= 8 * self.blocks"), "{refused}");
    }
    let refused = part(1, 4, 3).unwrap_err().0;
    assert!(refused.contains("from <= to"), "{refused}");
}

/// Words with one bit, with all bits, and some others: every part of the bits, and proofs of work
/// of every number of bits.
#[test]
fn bits_of_words_are_those_of_their_integers() {
    let words = (0..31).map(|bit| 1_u32 << bit);
    for integer in words.chain([0, 0x1234_5678, 0x7e00_0001]) {
        let element = [integer, 0];
        bits_agree::<Poseidon16Challenger>(element, integer, 31);
        bits_agree::<Poseidon2Challenger>(element, integer, 31);
        // A word of a digest stands for its bytes in reverse order.
        let reversed = integer.swap_bytes();
        let limbs = [reversed & 0xffff, reversed >> 16];
        bits_agree::<Blake3Challenger>(limbs, integer, 24);
        for n in 0..=30 {
            let fails = integer.trailing_zeros() < n as u32;
            type Check = fn([Felt; 2], usize);
            let checks: [(Check, [u32; 2]); 3] = [
                (Poseidon16Challenger::assert_low_bits_are_zero, element),
                (Poseidon2Challenger::assert_low_bits_are_zero, element),
                (Blake3Challenger::assert_low_bits_are_zero, limbs),
            ];
            for (check, word) in checks {
                let run = run_native(&NativeTape::default(), &[], || {
                    check(word.map(Felt::new), n);
                });
                assert_eq!(run.is_err(), fails, "{integer:08x}, {n} bits");
            }
        }
    }
}
