//! Spread bytes as integers.

/// The weight of a bit is the power of this with the bit's index.
pub const RADIX: u32 = 8;

/// A byte with its bits as digits.
pub const fn spread(byte: u8) -> u32 {
    let bits = byte as u32;
    let bits = (bits | bits << 8) & 0o00_170_017;
    let bits = (bits | bits << 4) & 0o03_030_303;
    (bits | bits << 2) & 0o11_111_111
}

/// The byte whose bits are the lowest bits of eight digits.
const fn lowest_bits(digits: u32) -> u8 {
    let bits = digits & 0o11_111_111;
    let bits = (bits | bits >> 2) & 0o03_030_303;
    let bits = (bits | bits >> 4) & 0o00_170_017;
    (bits | bits >> 8) as u8
}

/// The bytes `x` and `y` of a number whose eight digits are `x + 2 y`, if it is one.
pub(super) const fn digits(number: u32) -> Option<[u8; 2]> {
    if number & !0o33_333_333 != 0 {
        return None;
    }
    Some([lowest_bits(number), lowest_bits(number >> 1)])
}

/// The byte that is spread in this way, if there is one.
pub(super) const fn byte(number: u32) -> Option<u8> {
    match digits(number) {
        Some([byte, 0]) => Some(byte),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_digits() {
        for value in 0..=u8::MAX {
            let bits = (0..8).map(|i| u32::from(value >> i & 1) * RADIX.pow(i));
            assert_eq!(spread(value), bits.sum());
            assert_eq!(byte(spread(value)), Some(value));
            for other in [0, 1, 0x80, 0xff, value] {
                let number = spread(value) + 2 * spread(other);
                assert_eq!(digits(number), Some([value, other]));
                assert_eq!(byte(number).is_some(), other == 0);
                for i in 0..8 {
                    assert_eq!(digits(number + 4 * RADIX.pow(i)), None);
                }
            }
        }
        assert_eq!(digits(RADIX.pow(8)), None);
    }
}
