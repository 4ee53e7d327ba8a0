//! Public inputs and hints of a run. They depend only on the seed, the numbers of program and run,
//! and what the program asks for.
//!
//! This file is compiled into this crate and, unchanged, into the native build of the programs.

use droste_gadgets::droste_native::F;
use droste_gadgets::droste_native::field::MODULUS;
use droste_gadgets::droste_native::precompile::ext_from_block;
use droste_gadgets::{Hint, NativeTape};

/// What a program asks the prover for, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Number of public inputs.
    pub public: usize,
    /// Hints.
    pub hints: Vec<Kind>,
}

/// The kind of a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A field element.
    Felt,
    /// An extension element.
    Ext,
    /// A slice of so many blocks.
    Slice(usize),
}

impl Wanted {
    /// Returns it as words: `3 f e s2`.
    pub fn text(&self) -> String {
        let mut text = self.public.to_string();
        for kind in &self.hints {
            match kind {
                Kind::Felt => text.push_str(" f"),
                Kind::Ext => text.push_str(" e"),
                Kind::Slice(n) => text.push_str(&format!(" s{n}")),
            }
        }
        text
    }

    /// Parses the result of [`Self::text`]. Returns `None` for other texts.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let public = words.next()?.parse().ok()?;
        let kind = |word: &str| match word {
            "f" => Some(Kind::Felt),
            "e" => Some(Kind::Ext),
            slice => slice.strip_prefix('s')?.parse().ok().map(Kind::Slice),
        };
        let hints = words.map(kind).collect::<Option<_>>()?;
        Some(Self { public, hints })
    }
}

/// The values of one run.
pub struct Inputs {
    state: u64,
    run: u64,
}

impl Inputs {
    /// Returns the values of run `run` of program `program` of a seed. Runs differ in the size of
    /// values: bits, numbers below 4, limbs, boundaries of the field, any elements.
    pub fn new(seed: u64, program: u64, run: u64) -> Self {
        let state = seed ^ program.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (run << 56);
        Self { state, run }
    }

    /// Returns the public inputs.
    pub fn public(&self, n: usize) -> Vec<u32> {
        (0..n).map(|i| self.value(1, i as u64)).collect()
    }

    /// Returns the tape for hints of these kinds.
    pub fn tape(&self, kinds: &[Kind]) -> NativeTape {
        let hint = |(i, kind): (usize, &Kind)| {
            let value = |j: usize| F::new(self.value(2 + i as u64, j as u64));
            match kind {
                Kind::Felt => Hint::Felt(value(0)),
                Kind::Ext => {
                    let mut block = [F::new(0); 8];
                    for (j, lane) in block.iter_mut().take(5).enumerate() {
                        *lane = value(j);
                    }
                    match ext_from_block(&block) {
                        Ok(x) => Hint::Ext(x),
                        Err(_) => Hint::Felt(value(0)),
                    }
                }
                Kind::Slice(n) => {
                    let block = |b: usize| std::array::from_fn(|lane| Some(value(8 * b + lane)));
                    Hint::Slice((0..*n).map(block).collect())
                }
            }
        };
        NativeTape {
            hints: kinds.iter().enumerate().map(hint).collect(),
        }
    }

    fn value(&self, stream: u64, index: u64) -> u32 {
        let mut random = self.state ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03);
        random = random.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
            random = (random ^ (random >> 29)).wrapping_mul(factor);
        }
        random ^= random >> 32;
        let choice = (random >> 8) as u32;
        let small = match self.run % 6 {
            0 => 2,
            1 => 1,
            2 => 4,
            3 => 1 << 16,
            4 => MODULUS,
            _ => {
                const EDGES: [u32; 8] = [0, 1, 2, 3, MODULUS - 1, MODULUS - 2, 1 << 24, 1 << 30];
                return EDGES[choice as usize % 8];
            }
        };
        // In the second run all values are one, so that both values of a bit are tried.
        if small == 1 { 1 } else { choice % small }
    }
}
