//! Columns of the table `baby_bear`.

use droste_native::ChallengeField;

/// Order of the base field.
pub const MODULUS: u32 = ChallengeField::BabyBear.modulus();

/// Number of coefficients of an element.
pub const DEGREE: usize = ChallengeField::BabyBear.degree();

/// The power `X^DEGREE`, an element of the base field.
pub const POWER: u8 = 11;

/// Number of bytes of a coefficient's Montgomery word.
pub const WORD_BYTES: usize = 4;

/// Bytes of the order of the base field, low first.
pub const MODULUS_BYTES: [u8; WORD_BYTES] = MODULUS.to_le_bytes();

/// Number of bytes of a [multiple](BabyBearCols::multiples).
pub const MULTIPLE_BYTES: usize = WORD_BYTES + 1;

/// Number of bytes, at places of their own, of what is equal to zero for each coefficient.
pub const PLACES: usize = 2 * WORD_BYTES;

/// Number of bytes by which Montgomery's factor shifts summands and results: it is `2^32`.
pub const SHIFT: usize = 4;

/// By how much, times Montgomery's factor, a multiple is larger than what it stands for. Results of
/// 32 bits are less than three times the modulus, so no multiple is negative.
pub const OFFSET: u8 = 3;

/// Number of pairs of bytes that each row looks up.
pub const LOOKUPS: usize = {
    let words = DEGREE * WORD_BYTES * (DEGREE + 3);
    let bytes = words + DEGREE * (MULTIPLE_BYTES + 2 * (PLACES - 1)) + DEGREE;
    bytes / 2
};

/// The bytes, low first, of the Montgomery words of an element's coefficients.
pub type Words<T> = [[T; WORD_BYTES]; DEGREE];

droste_air::columns! {
    /// One row: 200 columns. All but flags, operands and inverses are bytes.
    pub struct BabyBearCols<T> {
        /// One on the row of a call of `baby_bear`.
        pub is_product: T,
        /// One on every row of a call of `baby_bear_dot`.
        pub is_dot: T,
        /// One on a row that continues the call of the row above.
        pub continues: T,
        /// Operand A, the address of `a`: on the first row of a call, as the others.
        pub a_word: T,
        /// Operand B, the address of the first element of `b`.
        pub b_word: T,
        /// Operand C, the address of what is added to the first row's products.
        pub c_word: T,
        /// Operand D, the address of the last row's result.
        pub d_word: T,
        /// Operand E. In a call of `baby_bear_dot`, the number of this row and the rows below.
        pub remaining: T,
        /// The left element, or four elements of the base field. Their words are canonical.
        pub a: [[T; 4]; 4],
        /// The right element, or four elements, one for each word of `a`. In a call of `baby_bear`
        /// those after the first are zero.
        pub b: [[[T; 4]; 4]; 4],
        /// What is added: on a row that continues a call, the result of the row above.
        pub c: [[T; 4]; 4],
        /// The result.
        pub d: [[T; 4]; 4],
        /// For each coefficient, which multiple of the modulus the sum of products has beside the
        /// result, and [`OFFSET`].
        pub multiples: [[T; 5]; 4],
        /// For each coefficient, what each place but the last has for the next one, and 256: low
        /// byte, high byte.
        pub carries: [[[T; 2]; 7]; 4],
        /// For each word of `a`, the inverse of how much its highest byte is below that of the
        /// modulus, or zero.
        pub inverses: [T; 4],
    }
}

impl<T: Copy> BabyBearCols<T> {
    /// All bytes, in pairs.
    pub fn byte_pairs(&self) -> impl Iterator<Item = [T; 2]> {
        let elements = [self.a].into_iter().chain(self.b).chain([self.c, self.d]);
        let words = elements.flatten();
        let of_words =
            words.flat_map(|[first, second, third, fourth]| [[first, second], [third, fourth]]);
        let (of_multiples, _) = self.multiples.as_flattened().as_chunks::<2>();
        let of_carries = self.carries.as_flattened();
        of_words.chain(of_multiples.iter().chain(of_carries).copied())
    }

    /// The highest bytes of the words of `a`, in pairs.
    pub fn highest_bytes(&self) -> [[T; 2]; 2] {
        let [first, second, third, fourth] = self.a.map(|[.., highest]| highest);
        [[first, second], [third, fourth]]
    }
}
