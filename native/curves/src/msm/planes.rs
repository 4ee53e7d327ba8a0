#![allow(clippy::needless_range_loop)] // several arrays step together
//! Scalars as integers, stored word by word: first the lowest word of all scalars, then the next.
//!
//! A word that is zero in all scalars is not stored, so short scalars take little memory, and what
//! is done to each word is done to eight scalars at a time.

use super::schedule::LANES;

/// Words of a scalar.
const WORDS: usize = 4;

/// A scalar as an integer, in two's complement if scalars are signed.
pub type Word = [u64; WORDS];

/// Eight scalars, word by word.
pub type Block = [[u64; LANES]; WORDS];

/// Returns scalars word by word.
pub fn by_word(scalars: &[Word; LANES]) -> Block {
    let mut block = [[0; LANES]; WORDS];
    for lane in 0..LANES {
        for word in 0..WORDS {
            block[word][lane] = scalars[lane][word];
        }
    }
    block
}

/// Moves the scalars that are not zero to the front of a block, with their positions, and returns
/// their number. What follows them is arbitrary.
#[inline(always)]
pub fn compress(block: &mut Block, positions: &mut [u32; LANES]) -> usize {
    let mut any = [0; LANES];
    for lane in 0..LANES {
        for word in 0..WORDS {
            any[lane] |= block[word][lane];
        }
    }
    if !any.contains(&0) {
        return LANES;
    }
    // No branch here: zeros among the scalars may follow no pattern that a processor could predict.
    let mut count = 0;
    for lane in 0..LANES {
        positions[count] = positions[lane];
        for words in block.iter_mut() {
            words[count] = words[lane];
        }
        count += usize::from(any[lane] != 0);
    }
    count
}

/// A list of scalars.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Planes {
    len: usize,
    /// The largest number of scalars that the list can grow to.
    room: usize,
    /// The words at each position, none as long as all of them are zero. While the list grows,
    /// there is room for a block after the last scalar.
    planes: [Vec<u64>; WORDS],
}

impl Planes {
    /// An empty list that can grow to `room` scalars. Memory is allocated as words need it.
    pub fn with_room(room: usize) -> Self {
        Self {
            room,
            ..Self::default()
        }
    }

    /// Number of scalars.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the scalars at two positions are equal.
    #[inline(always)]
    pub fn same(&self, a: usize, b: usize) -> bool {
        let mut planes = self.planes.iter();
        planes.all(|plane| plane.is_empty() || plane[a] == plane[b])
    }

    /// Eight scalars from a position on, filled up with zeros.
    #[inline(always)]
    pub fn block(&self, start: usize) -> Block {
        let mut block = [[0; LANES]; WORDS];
        for (words, plane) in block.iter_mut().zip(&self.planes) {
            let rest = plane.get(start..).unwrap_or(&[]);
            match rest.first_chunk() {
                Some(first) => *words = *first,
                None => words[..rest.len()].copy_from_slice(rest),
            }
        }
        block
    }

    /// Appends the first `count` scalars of a block.
    #[inline(always)]
    pub fn push(&mut self, block: &Block, count: usize) {
        for (plane, words) in self.planes.iter_mut().zip(block) {
            if plane.is_empty() {
                if *words == [0; LANES] {
                    continue;
                }
                plane.resize(self.room + LANES, 0);
            }
            // The rest of the block is overwritten by the next one.
            if let Some(next) = plane[self.len..].first_chunk_mut() {
                *next = *words;
            }
        }
        self.len += count;
    }

    /// Appends a list.
    pub fn append(&mut self, other: &Self) {
        let len = self.len + other.len;
        for (plane, more) in self.planes.iter_mut().zip(&other.planes) {
            if plane.is_empty() && !more.is_empty() {
                plane.resize(self.room + LANES, 0);
            }
            if !plane.is_empty() {
                let next = &mut plane[self.len..len];
                match more.get(..other.len) {
                    Some(more) => next.copy_from_slice(more),
                    None => next.fill(0),
                }
            }
        }
        self.len = len;
    }

    /// Ends the growth of the list.
    pub fn finish(&mut self) {
        self.room = self.len;
        self.planes
            .iter_mut()
            .for_each(|plane| plane.truncate(self.len));
    }

    /// The scalars at these positions, in their order.
    pub fn select(&self, positions: impl ExactSizeIterator<Item = usize> + Clone) -> Self {
        let len = positions.len();
        let planes = self.planes.each_ref().map(|plane| {
            if plane.is_empty() {
                return vec![];
            }
            positions.clone().map(|at| plane[at]).collect()
        });
        Self {
            len,
            room: len,
            planes,
        }
    }

    /// Length in bits of the longest scalar.
    pub fn bits(&self) -> u32 {
        let mut longest = [0; WORDS];
        for (any, plane) in longest.iter_mut().zip(&self.planes).rev() {
            *any = plane.iter().fold(0, |any, word| any | word);
            if *any != 0 {
                break;
            }
        }
        bit_length(&longest)
    }
}

#[cfg(test)]
impl Planes {
    /// The scalar at a position.
    pub fn get(&self, at: usize) -> Word {
        let mut scalar = [0; WORDS];
        for (word, plane) in scalar.iter_mut().zip(&self.planes) {
            *word = plane.get(at).copied().unwrap_or(0);
        }
        scalar
    }
}

#[cfg(test)]
impl FromIterator<Word> for Planes {
    fn from_iter<T: IntoIterator<Item = Word>>(scalars: T) -> Self {
        let scalars: Vec<Word> = scalars.into_iter().collect();
        let mut planes = Self::with_room(scalars.len());
        for scalar in scalars {
            planes.push(&scalar.map(|word| [word, 0, 0, 0, 0, 0, 0, 0]), 1);
        }
        planes.finish();
        planes
    }
}

/// Position of the highest bit that is set, plus one.
pub fn bit_length(words: &Word) -> u32 {
    let top = words.iter().rposition(|&word| word != 0);
    top.map_or(0, |i| 64 * i as u32 + 64 - words[i].leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of every kind that begin at a word, of lengths around that of a block.
    #[test]
    fn scalars_come_back() {
        for first in 0..WORDS {
            for count in [0, 1, 2, 7, 8, 9, 30] {
                let scalar = |i: usize| -> Word {
                    std::array::from_fn(|word| {
                        (i as u64 + 1) * u64::from(word == (first * i) % WORDS)
                    })
                };
                let expected: Vec<Word> = (0..count).map(scalar).collect();
                let planes: Planes = expected.iter().copied().collect();
                let list = |planes: &Planes| -> Vec<Word> {
                    (0..planes.len()).map(|i| planes.get(i)).collect()
                };
                assert_eq!(list(&planes), expected);
                let longest = expected.iter().map(bit_length).max();
                assert_eq!(planes.bits(), longest.unwrap_or(0));
                for i in 1..count {
                    let (a, b) = (expected[i - 1], expected[i]);
                    assert!(planes.same(i, i) && planes.same(i - 1, i) == (a == b));
                }
                let mut blocks = Planes::with_room(count);
                for start in (0..count).step_by(LANES) {
                    let block = planes.block(start);
                    for lane in 0..LANES {
                        let found = block.map(|words| words[lane]);
                        assert_eq!(found, planes.get(start + lane));
                    }
                    blocks.push(&block, LANES.min(count - start));
                }
                blocks.finish();
                assert_eq!((list(&blocks), &blocks), (expected.clone(), &planes));
                let (mut low, mut high) = (Planes::with_room(count), Planes::with_room(count));
                for (i, scalar) in expected.iter().enumerate() {
                    let half = if 2 * i < count { &mut low } else { &mut high };
                    half.append(&[*scalar].into_iter().collect());
                }
                low.append(&high);
                low.finish();
                assert_eq!(low, planes);
                let backwards = planes.select((0..count).rev());
                let reversed: Vec<Word> = expected.into_iter().rev().collect();
                assert_eq!(list(&backwards), reversed);
            }
        }
    }

    #[test]
    fn words_that_are_zero_take_no_memory() {
        let short: Planes = [[5, 0, 0, 0], [7, 0, 0, 0]].into_iter().collect();
        assert!(short.planes[0].len() == 2 && short.planes[1..].iter().all(Vec::is_empty));
    }

    #[test]
    fn bit_lengths() {
        assert_eq!(bit_length(&[0; 4]), 0);
        for bit in 0..256 {
            let mut words = [0u64; 4];
            words[bit / 64] |= 1 << (bit % 64);
            assert_eq!(bit_length(&words), bit as u32 + 1);
            words[0] |= 1;
            assert_eq!(bit_length(&words), bit as u32 + 1);
        }
    }

    #[test]
    fn word_by_word() {
        let scalars: [Word; LANES] =
            std::array::from_fn(|i| std::array::from_fn(|word| (10 * i + word) as u64));
        let block = by_word(&scalars);
        assert_eq!(block[3][5], 53);
    }

    #[test]
    fn zeros_are_dropped() {
        for mask in 0..1usize << LANES {
            let lanes: Vec<usize> = (0..LANES).filter(|lane| mask >> lane & 1 == 1).collect();
            let mut scalars = [[0; WORDS]; LANES];
            lanes
                .iter()
                .for_each(|&lane| scalars[lane][lane % WORDS] = lane as u64 + 1);
            let mut block = by_word(&scalars);
            let mut positions = [10, 11, 12, 13, 14, 15, 16, 17];
            assert_eq!(compress(&mut block, &mut positions), lanes.len());
            for (i, lane) in lanes.into_iter().enumerate() {
                assert_eq!(positions[i] as usize, 10 + lane);
                assert_eq!(block.map(|words| words[i]), scalars[lane]);
            }
        }
    }
}
