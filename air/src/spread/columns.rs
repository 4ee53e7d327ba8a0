//! Columns of the table of spread bytes.

/// What a lookup says of the bytes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The lowest bits of digits from 0 to 3, as a spread byte in two parts: the bits from this
    /// one on, and the bits below it, of which there are 1 to 8.
    Sum(usize),
    /// The second bits of digits from 0 to 3, as a spread byte.
    Carry,
    /// Digits from 0 to 3.
    Digits,
    /// Two spread bytes and their exclusive or.
    Xor,
}

/// Number of kinds of lookups.
pub const KINDS: usize = 11;

impl Kind {
    /// All kinds, in the order of their numbers, from 1 on.
    pub const ALL: [Self; KINDS] = [
        Self::Sum(1),
        Self::Sum(2),
        Self::Sum(3),
        Self::Sum(4),
        Self::Sum(5),
        Self::Sum(6),
        Self::Sum(7),
        Self::Sum(8),
        Self::Carry,
        Self::Digits,
        Self::Xor,
    ];

    /// The number by which messages name the kind.
    pub const fn number(self) -> usize {
        match self {
            Self::Sum(low_bits) => low_bits,
            Self::Carry => 9,
            Self::Digits => 10,
            Self::Xor => 11,
        }
    }
}

crate::columns! {
    /// One row: 27 columns.
    pub struct SpreadCols<T> {
        /// The lowest bits of the digits, low digits first.
        pub x: [T; 8],
        /// The second bits of the digits.
        pub y: [T; 8],
        /// How often the row is looked up, for each of [`Kind::ALL`].
        pub lookups: [T; KINDS],
    }
}
