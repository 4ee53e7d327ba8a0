//! The self-shrinking Grain generator, from which Poseidon's constants come (ePrint 2019/458,
//! appendix F).

use ark_ff::{BigInteger, PrimeField};

/// The 80-bit register; bit `i` of the paper is bit `i` here.
#[derive(Clone, Debug)]
pub struct Grain {
    state: u128,
    bits: usize,
}

impl Grain {
    /// A generator initialised for a prime field of `bits` bits and an S-box that is a power.
    pub fn new(bits: usize, width: usize, full_rounds: usize, partial_rounds: usize) -> Self {
        // Value and length of each field of the initial state, in order, highest bit first.
        let fields = [
            (1, 2),
            (0, 4),
            (bits, 12),
            (width, 12),
            (full_rounds, 10),
            (partial_rounds, 10),
            ((1 << 30) - 1, 30),
        ];
        let mut state = 0u128;
        let mut at = 0;
        for (value, length) in fields {
            for bit in (0..length).rev() {
                state |= ((value as u128 >> bit) & 1) << at;
                at += 1;
            }
        }
        let mut grain = Self { state, bits };
        (0..160).for_each(|_| {
            grain.step();
        });
        grain
    }

    fn step(&mut self) -> bool {
        let taps = [0, 13, 23, 38, 51, 62];
        let bit = taps
            .iter()
            .fold(0, |sum, &tap| sum ^ (self.state >> tap) & 1);
        self.state = self.state >> 1 | bit << 79;
        bit == 1
    }

    /// Returns one output bit. The register's bits are taken in pairs: the second bit of a pair is
    /// output if the first one is set.
    pub fn bit(&mut self) -> bool {
        while !self.step() {
            self.step();
        }
        self.step()
    }

    fn integer<B: BigInteger>(&mut self) -> B {
        let mut bits: Vec<bool> = (0..self.bits).map(|_| self.bit()).collect();
        bits.reverse();
        B::from_bits_le(&bits)
    }

    /// Returns the next element; integers that are too large are discarded.
    pub fn element<F: PrimeField>(&mut self) -> F {
        loop {
            if let Some(element) = F::from_bigint(self.integer()) {
                return element;
            }
        }
    }

    /// Returns the next integer, modulo the field's order.
    pub fn reduced_element<F: PrimeField>(&mut self) -> F {
        F::from_le_bytes_mod_order(&self.integer::<F::BigInt>().to_bytes_le())
    }
}
