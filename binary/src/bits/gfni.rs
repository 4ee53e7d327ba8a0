//! Maps by GFNI's products of 8 by 8 matrices of bits with bytes, 64 bytes in an instruction.
//!
//! Everything is in planes: plane `b` has byte `b` of each of 64 words or elements.

use core::arch::x86_64::{
    __m512i, _mm512_gf2p8affine_epi64_epi8, _mm512_gf2p8mul_epi8, _mm512_movepi8_mask,
    _mm512_permutex2var_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi64, _mm512_unpackhi_epi8,
    _mm512_unpacklo_epi8, _mm512_xor_si512,
};
use std::array::from_fn;
use std::mem::transmute;

use p3_binary_field::TowerLevel;

use super::BLOCK;
use crate::circuit::Lanes;
use crate::field::K;

/// Bytes of a word.
const WORD: usize = 8;

/// Bytes of an element.
const ELEMENT: usize = 16;

/// 64 bytes, by words of 8.
type Plane = [u64; BLOCK / 8];

/// Calls an instruction.
macro_rules! instruction {
    ($intrinsic:ident($($argument:expr),*)) => {
        // SAFETY: this module is only compiled for processors that have GFNI, AVX-512BW and VBMI.
        unsafe { $intrinsic($($argument),*) }
    };
}

#[inline(always)]
fn vector(plane: Plane) -> __m512i {
    // SAFETY: both are 64 bytes, of which every value is valid.
    unsafe { transmute::<Plane, __m512i>(plane) }
}

/// Indices of bytes.
#[inline(always)]
fn gather(indices: [u8; 64]) -> __m512i {
    // SAFETY: both are 64 bytes, of which every value is valid.
    unsafe { transmute::<[u8; 64], __m512i>(indices) }
}

/// Four elements.
#[inline(always)]
fn elements(elements: [K; 4]) -> __m512i {
    let bits = elements.map(|element| element.to_repr());
    // SAFETY: both are 64 bytes, of which every value is valid.
    unsafe { transmute::<[u128; 4], __m512i>(bits) }
}

#[inline(always)]
fn plane(vector: __m512i) -> Plane {
    // SAFETY: both are 64 bytes, of which every value is valid.
    unsafe { transmute::<__m512i, Plane>(vector) }
}

/// For each byte of `bytes`, the product of it with the matrix of its eight: bit `i` is the parity
/// of its common bits with byte `7 - i` of the matrix.
#[inline(always)]
fn products(bytes: __m512i, matrices: __m512i) -> __m512i {
    // SAFETY: this module is only compiled for processors that have GFNI and AVX-512BW.
    unsafe { _mm512_gf2p8affine_epi64_epi8::<0>(bytes, matrices) }
}

/// The indices that gather from eight lists of `length` bytes: byte `first` of each, or of the last
/// list first, then the byte after it, and so on.
const fn indices(length: usize, first: usize, reversed: bool) -> [u8; 64] {
    let mut indices = [0; 64];
    let mut i = 0;
    while i < 64 {
        let (byte, list) = (i / 8, i % 8);
        let list = if reversed { 7 - list } else { list };
        indices[i] = (length * list + first + byte) as u8;
        i += 1;
    }
    indices
}

/// 64 words.
#[derive(Clone, Copy, Debug)]
pub struct Words([Plane; WORD]);

impl Words {
    /// The words.
    #[inline]
    pub fn new(eights: &[Lanes; BLOCK / 8]) -> Self {
        const BYTES: [u8; 64] = indices(WORD, 0, false);
        // Of eight words, eight bytes of each plane.
        let parts: [Plane; 8] = from_fn(|i| {
            let words = vector(eights[i]);
            plane(instruction!(_mm512_permutexvar_epi8(gather(BYTES), words)))
        });
        Self(from_fn(|b| from_fn(|i| parts[i][b])))
    }

    /// Word `z` has bit `z` of each of these.
    #[inline]
    pub fn transposed(eights: &[Lanes; BLOCK / 8]) -> Self {
        // Byte `c` of eight words, the last word first, is a matrix; its product with the byte `1
        // << k` has bit `k` of each, the first word's lowest.
        const BYTES: [u8; 64] = indices(WORD, 0, true);
        const UNITS: [u64; 8] = [0x8040_2010_0804_0201; 8];
        Self(from_fn(|b| {
            let words = vector(eights[b]);
            let matrices = instruction!(_mm512_permutexvar_epi8(gather(BYTES), words));
            plane(products(vector(UNITS), matrices))
        }))
    }

    /// The bytes of each word, from the lowest one on.
    #[inline(always)]
    pub fn bytes(&self) -> [Bytes; WORD] {
        self.0.map(Bytes)
    }
}

/// A map from words to elements that is linear over GF(2): for each byte of a word a matrix for
/// each byte of an element.
#[derive(Clone, Debug)]
pub struct WordMap([[Plane; ELEMENT / 8]; WORD]);

impl WordMap {
    /// The map that takes a word to the sum of the weights of its bits.
    #[inline]
    pub fn new(weights: &[K; BLOCK]) -> Self {
        // Byte `o` of eight weights, the last weight first, is a matrix; its product with the byte
        // `1 << i` is bit `i` of each: what bit `i` of the sum's byte `o` takes from the word's
        // byte, and so byte `7 - i` of the map's matrix.
        const BYTES: [[u8; 64]; 2] = [indices(ELEMENT, 0, true), indices(ELEMENT, 8, true)];
        const UNITS: [u64; 8] = [0x0102_0408_1020_4080; 8];
        let (fours, _) = weights.as_chunks::<4>();
        Self(from_fn(|b| {
            let (low, high) = (elements(fours[2 * b]), elements(fours[2 * b + 1]));
            BYTES.map(|bytes| {
                let matrices = instruction!(_mm512_permutex2var_epi8(low, gather(bytes), high));
                plane(products(vector(UNITS), matrices))
            })
        }))
    }

    /// Adds the values of 64 words.
    #[inline]
    pub fn add(&self, words: &Words, sums: &mut Sums) {
        let planes = words.0.map(vector);
        for (o, sum) in sums.0.iter_mut().enumerate() {
            let mut total = vector(*sum);
            for (&bytes, matrices) in planes.iter().zip(&self.0) {
                let matrix = matrices[o / 8][o % 8].cast_signed();
                let matrices = instruction!(_mm512_set1_epi64(matrix));
                total = instruction!(_mm512_xor_si512(total, products(bytes, matrices)));
            }
            *sum = plane(total);
        }
    }
}

/// A sum of elements for each of 64 words.
#[derive(Clone, Debug, Default)]
pub struct Sums([Plane; ELEMENT]);

impl Sums {
    /// The sums.
    #[inline]
    pub fn elements(&self) -> [K; BLOCK] {
        let mut bytes = self.0.map(vector);
        // In each quarter of 16 bytes a vector's number has four bits and so has a byte's. A round
        // rotates the eight: the vector's highest becomes the byte's lowest, and the byte's highest
        // the vector's lowest. So four exchange both numbers.
        for _ in 0..4 {
            bytes = from_fn(|i| {
                let (first, second) = (bytes[i / 2], bytes[i / 2 + 8]);
                match i % 2 {
                    0 => instruction!(_mm512_unpacklo_epi8(first, second)),
                    _ => instruction!(_mm512_unpackhi_epi8(first, second)),
                }
            });
        }
        let quarters = bytes.map(|bytes| {
            // SAFETY: both are 64 bytes, of which every value is valid.
            unsafe { transmute::<__m512i, [u128; 4]>(bytes) }
        });
        from_fn(|word| K::from_repr(quarters[word % 16][word / 16]))
    }
}

impl std::ops::AddAssign<&Self> for Sums {
    #[allow(
        clippy::suspicious_op_assign_impl,
        reason = "elements are added bit by bit"
    )]
    fn add_assign(&mut self, other: &Self) {
        let sums = self.0.as_flattened_mut().iter_mut();
        for (sum, other) in sums.zip(other.0.as_flattened()) {
            *sum ^= other;
        }
    }
}

/// A byte for each of 64 words.
///
/// Bytes are elements of GF(2^8), too: coordinates by the powers of `t`, a root of `t^8 + t^4 + t^3
/// + t + 1`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bytes(Plane);

impl Bytes {
    /// Products of elements of GF(2^8).
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        let product = instruction!(_mm512_gf2p8mul_epi8(vector(self.0), vector(other.0)));
        Self(plane(product))
    }

    /// As they are multiplied by many matrices.
    #[inline(always)]
    pub const fn factor(self) -> BytesFactor {
        BytesFactor(self)
    }

    /// Word `b` has bit `b` of each byte.
    #[inline(always)]
    pub fn slices(self) -> [u64; 8] {
        let bytes = vector(self.0);
        // The product with a matrix moves a bit to the highest, which makes a mask.
        from_fn(|b| {
            let matrix = instruction!(_mm512_set1_epi64(1 << b));
            let highest = products(bytes, matrix);
            instruction!(_mm512_movepi8_mask(highest))
        })
    }
}

impl std::ops::BitXor for Bytes {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] ^ other.0[i]))
    }
}

/// A matrix of eight by eight bits, which takes a byte to the sum of the columns of its bits.
#[derive(Clone, Copy, Debug)]
pub struct BitMatrix(i64);

impl BitMatrix {
    /// The matrix with these columns: column `y` is what bit `y` becomes.
    pub fn new(columns: &[u8; 8]) -> Self {
        // Byte `7 - i` of the instruction's matrix has bit `i` of each column.
        let row = |i: usize| (0..8).map(|y| (columns[y] >> i & 1) << y).sum::<u8>();
        Self(i64::from_be_bytes(from_fn(row)))
    }
}

/// [`Bytes`] as they are multiplied by many matrices.
#[derive(Clone, Copy, Debug)]
pub struct BytesFactor(Bytes);

impl BytesFactor {
    /// What a matrix makes of each byte.
    #[inline(always)]
    pub fn image(&self, matrix: &BitMatrix) -> Bytes {
        let matrices = instruction!(_mm512_set1_epi64(matrix.0));
        Bytes(plane(products(vector(self.0.0), matrices)))
    }
}
