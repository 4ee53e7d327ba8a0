//! Commitments to elements, with which the statement of a program has any length.
//!
//! The gadget `droste_gadgets::commitment::commit` computes the same in a program.

use super::poseidon16::Poseidon16;
use crate::field::{DIGEST, F};

/// Tag of commitments: the letters "comm" in ASCII, big-endian.
pub const COMMITMENT_TAG: F = F::new(0x636f_6d6d);

/// Returns the commitment to the elements, which binds their number, too. It hides nothing: whoever
/// guesses the elements can check the guess.
///
/// Commit to a digest of 32 bytes by its limbs
/// ([`digest_to_limbs`](crate::precompile::digest_to_limbs)).
pub fn commitment(elements: &[F]) -> [F; DIGEST] {
    Poseidon16.hash(COMMITMENT_TAG, elements)
}

#[cfg(test)]
mod tests {
    use p3_field::{PrimeCharacteristicRing, PrimeField32};

    use super::*;
    use crate::precompile::digest_to_limbs;

    /// The tests of the Python package have the same values.
    #[test]
    fn commitments_are_the_same_in_every_version() {
        let root = digest_to_limbs(std::array::from_fn(|i| i as u8));
        let cases: [(&[F], [u32; DIGEST]); 3] = [
            (
                &[],
                [
                    1231194539, 1801591609, 232094563, 635583362, 1161283271, 1761726479,
                    1240477971, 593805434,
                ],
            ),
            (
                &F::new_array([1, 2, 3, 4, 5, 6, 7, 8, 9]),
                [
                    1993883602, 449299230, 1230979302, 983499146, 126733061, 1226808484,
                    1529661530, 1926059307,
                ],
            ),
            (
                root.as_flattened(),
                [
                    635443503, 2054019936, 643368491, 563502759, 768878135, 1594564963, 997885598,
                    332961545,
                ],
            ),
        ];
        for (elements, expected) in cases {
            let found = commitment(elements).map(|element| element.as_canonical_u32());
            assert_eq!(found, expected, "{elements:?}");
        }
    }

    /// Compression adds its input to the output: nothing here, since the first block is zero. So a
    /// commitment is no node of a tree.
    #[test]
    fn commitments_to_zeros_are_parents() {
        for n in 0..=8 {
            let mut capacity = [F::ZERO; DIGEST];
            (capacity[0], capacity[1]) = (COMMITMENT_TAG, F::from_usize(n));
            let parent = Poseidon16.compress_pair([F::ZERO; DIGEST], capacity);
            assert_eq!(commitment(&[F::ZERO; 8][..n]), parent, "{n}");
        }
    }
}
