//! The numbers that tell one scheme of the family from another.

use thiserror::Error;

/// Sizes of a signature scheme. [`Xmss::new`](super::Xmss::new) checks them, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// Number of hash chains of a one-time key, and of digits that a message is encoded in.
    pub chains: u32,
    /// Bits of a digit: a chain has the positions `0` to `2^bits - 1`.
    pub bits: u32,
    /// Levels of the Merkle tree above its leaves: slots are below `2^levels`.
    pub levels: u32,
    /// What the digits of a signed message add up to.
    pub target_sum: u32,
}

/// Parameters that make no scheme.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParameterError {
    /// A number is outside its range.
    #[error("{name} is {value}, expected {min} to {max}")]
    OutOfRange {
        /// The field of [`Parameters`].
        name: &'static str,
        /// Its value.
        value: u32,
        /// Smallest allowed value.
        min: u32,
        /// Largest allowed value, given the fields before it.
        max: u32,
    },
    /// The hash cannot split its digest into digits of this size.
    #[error("digits have {bits} bits, expected a divisor of {of}")]
    Bits {
        /// Bits of a digit.
        bits: u32,
        /// Bits that the hash splits into digits.
        of: u32,
    },
    /// The leaf's hash absorbs two chains at a time.
    #[error("the number of chains is {chains}, expected an even number")]
    OddChains {
        /// Number of chains.
        chains: u32,
    },
}

impl Parameters {
    /// Those of leanMultisig's signatures of May 2026: about one of 800 messages has the sum, and
    /// 110 chain steps remain for the verifier.
    pub const DEFAULT: Self = Self {
        chains: 42,
        bits: 3,
        levels: 32,
        target_sum: 184,
    };

    /// Checks every number's range, for a hash that splits `digest_bits` bits into digits and has
    /// tweaks for `most_positions` positions of all chains together.
    ///
    /// # Errors
    /// [`ParameterError::OutOfRange`].
    pub fn check(&self, digest_bits: u32, most_positions: u32) -> Result<(), ParameterError> {
        check_range("bits", self.bits, 1, 8)?;
        let most = (digest_bits / self.bits).min(most_positions >> self.bits);
        check_range("chains", self.chains, 1, most)?;
        check_range("levels", self.levels, 1, 32)?;
        let most = self.chains * ((1 << self.bits) - 1);
        check_range("target_sum", self.target_sum, 0, most)
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self::DEFAULT
    }
}

fn check_range(name: &'static str, value: u32, min: u32, max: u32) -> Result<(), ParameterError> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(ParameterError::OutOfRange {
            name,
            value,
            min,
            max,
        })
    }
}
