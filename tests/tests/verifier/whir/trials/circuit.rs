//! A transcript with sixteen challenges, for the verifier in the machine. The machine compiles this
//! file too.

use droste_gadgets::bits::Bits;
use droste_gadgets::prelude::*;
use droste_gadgets::suites::hash::Challenger;
use droste_gadgets::suites::poseidon16::Poseidon16Challenger;
use droste_gadgets::unchecked::UncheckedSlice;

/// The challenges, drawn at random. None is 0 or 1, where polynomials of the protocol have values
/// that are not the prover's choice.
pub const CHALLENGES: [u32; 16] = [
    1_582_222_086,
    66_769_618,
    844_552_312,
    1_173_294_547,
    1_886_445_776,
    1_878_467_803,
    295_400_161,
    1_299_498_347,
    1_281_406_268,
    1_335_587_807,
    2_084_247_439,
    602_392_043,
    1_517_926_740,
    2_118_871_821,
    1_525_089_596,
    1_847_468_548,
];

/// A transcript whose challenges are among [`CHALLENGES`]. Indices of queries are as usual.
#[derive(Clone, Copy)]
pub struct FewChallenges {
    transcript: Poseidon16Challenger,
    /// The challenges, each in a block.
    challenges: Slice,
}

impl FewChallenges {
    /// Returns the challenge that the low bits of a sample choose.
    fn choose(&self, sample: Ext) -> Ext {
        let index = Bits::new(sample.coeff(0), 4).part(0, 4);
        // In bounds: there are 2^4 challenges, and the index is an integer of four bits.
        self.challenges.at_unchecked(index).as_ext()
    }
}

impl Challenger for FewChallenges {
    fn new() -> Self {
        let mut blocks = Vec::new();
        for challenge in &CHALLENGES {
            let mut lanes = [Felt::ZERO; 8];
            lanes[0] = Felt::new(*challenge);
            blocks.push(Block::new(lanes));
        }
        Self {
            transcript: Poseidon16Challenger::new(),
            challenges: Slice::from_blocks(blocks),
        }
    }

    fn observe(&mut self, x: Felt) {
        self.transcript.observe(x);
    }

    fn observe_digests(&mut self, digests: Slice, n: usize) {
        self.transcript.observe_digests(digests, n);
    }

    fn position(&self) -> usize {
        self.transcript.position()
    }

    fn advise_slice(&self, n: usize) {
        self.transcript.advise_slice(n);
    }

    fn observe_slice(&mut self, data: Slice, n: usize) {
        self.transcript.observe_slice(data, n);
    }

    fn read_extensions(&mut self, n: usize) -> Vec<Ext> {
        self.transcript.read_extensions(n)
    }

    fn sample(&mut self) -> Ext {
        let sample = self.transcript.sample();
        self.choose(sample)
    }

    fn sample_pair(&mut self) -> (Ext, Ext) {
        let (first, second) = self.transcript.sample_pair();
        (self.choose(first), self.choose(second))
    }

    fn sample_word(&mut self) -> [Felt; 2] {
        self.transcript.sample_word()
    }

    fn bits(word: [Felt; 2]) -> Bits {
        Poseidon16Challenger::bits(word)
    }

    fn assert_low_bits_are_zero(word: [Felt; 2], n: usize) {
        Poseidon16Challenger::assert_low_bits_are_zero(word, n);
    }

    fn grind(&mut self, bits: usize) {
        self.transcript.grind(bits);
    }
}
