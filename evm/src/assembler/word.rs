//! Words of 256 bits, the constants of a contract.

use std::fmt;

/// A word: four limbs of 64 bits, low first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Word([u64; 4]);

impl Word {
    /// Zero.
    pub const ZERO: Self = Self([0; 4]);

    /// The sum modulo 2^256.
    pub fn wrapping_add(self, other: Self) -> Self {
        let (mut limbs, mut carry) = ([0; 4], false);
        for (limb, (x, y)) in limbs.iter_mut().zip(self.0.into_iter().zip(other.0)) {
            let (sum, first) = x.overflowing_add(y);
            let (sum, second) = sum.overflowing_add(carry.into());
            (*limb, carry) = (sum, first || second);
        }
        Self(limbs)
    }

    /// The word of these limbs, low first.
    pub const fn from_limbs(limbs: [u64; 4]) -> Self {
        Self(limbs)
    }

    /// Lanes of so many bits, the first one lowest. Bits past a lane's width run into the next one,
    /// and those past the word are lost.
    pub fn from_lanes(width: u32, lanes: &[u64]) -> Self {
        let mut limbs = [0; 4];
        for (position, &lane) in (0..).step_by(width as usize).zip(lanes) {
            for (index, limb) in (0..).step_by(64).zip(&mut limbs) {
                let shift: i64 = position - index;
                *limb |= match shift {
                    0..64 => lane << shift,
                    -63..0 => lane >> -shift,
                    _ => 0,
                };
            }
        }
        Self(limbs)
    }

    /// The bytes, the most significant first.
    pub fn to_be_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let limbs = self.0.iter().rev().flat_map(|limb| limb.to_be_bytes());
        bytes
            .iter_mut()
            .zip(limbs)
            .for_each(|(to, from)| *to = from);
        bytes
    }

    /// The word of these bytes, the most significant first.
    pub fn from_be_bytes(bytes: [u8; 32]) -> Self {
        let mut limbs = [0; 4];
        for (limb, bytes) in limbs.iter_mut().rev().zip(bytes.as_chunks::<8>().0) {
            *limb = u64::from_be_bytes(*bytes);
        }
        Self(limbs)
    }

    /// Lane `index` of `width <= 64` bits.
    pub fn lane(self, width: u32, index: u32) -> u64 {
        let bit = |position: u32| {
            let limb = self.0.get(position as usize / 64).copied().unwrap_or(0);
            (limb >> (position % 64)) & 1
        };
        (0..width).map(|i| bit(width * index + i) << i).sum()
    }
}

impl From<u64> for Word {
    fn from(value: u64) -> Self {
        Self([value, 0, 0, 0])
    }
}

impl fmt::Display for Word {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [value, 0, 0, 0] = self.0
            && value < 1 << 16
        {
            return write!(formatter, "{value}");
        }
        let digits: String = self
            .to_be_bytes()
            .iter()
            .map(|x| format!("{x:02x}"))
            .collect();
        write!(formatter, "0x{}", digits.trim_start_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_where_they_belong() {
        let lanes = [1, (1 << 51) - 1, 5, 0, (1 << 51) - 2];
        let word = Word::from_lanes(51, &lanes);
        for (index, lane) in (0..).zip(lanes) {
            assert_eq!(word.lane(51, index), lane);
        }
        assert_eq!(word.lane(51, 5), 0);
        assert_eq!(Word::from_be_bytes(word.to_be_bytes()), word);
        assert_eq!(
            Word::from_lanes(64, &[1, 2, 3, 4]),
            Word::from_limbs([1, 2, 3, 4])
        );
        let largest = Word::from_limbs([u64::MAX; 4]);
        assert_eq!(largest.wrapping_add(2.into()), 1.into());
        let sum = Word::from_limbs([u64::MAX, u64::MAX, 5, 6]).wrapping_add(1.into());
        assert_eq!(sum, Word::from_limbs([0, 0, 6, 6]));
        assert_eq!(Word::from(65536).to_string(), "0x10000");
        assert_eq!(Word::from(65535).to_string(), "65535");
    }
}
