//! The memory of one call: an arena, from which each stage takes its pieces.
//!
//! A stage takes its pieces from a [`Carver`] in one function. Run on a carver that only counts,
//! the same function returns how much memory the pieces need, so size and layout always agree.
//! Pieces that are never in use at the same time share memory: a [`Carver::part`] is laid out anew
//! for each use.

/// An amount of memory: the number of items of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Points, in the backend's form.
    pub points: usize,
    /// Words of 64 bits.
    pub longs: usize,
    /// Words of 32 bits.
    pub words: usize,
}

impl Size {
    /// The memory that a layout needs.
    pub fn of<P, R>(lay_out: impl FnOnce(&mut Carver<'_, P>) -> R) -> Self {
        let mut carver = Carver::counting();
        lay_out(&mut carver);
        carver.used
    }

    /// The size that is enough for either of two layouts.
    pub fn max(self, other: Self) -> Self {
        Self {
            points: self.points.max(other.points),
            longs: self.longs.max(other.longs),
            words: self.words.max(other.words),
        }
    }
}

/// Memory, in one block for each kind of item.
#[derive(Debug)]
pub struct Arena<P> {
    points: Vec<P>,
    longs: Vec<u64>,
    words: Vec<u32>,
}

impl<P> Default for Arena<P> {
    fn default() -> Self {
        Self {
            points: vec![],
            longs: vec![],
            words: vec![],
        }
    }
}

fn enlarge<T: Clone + Default>(block: &mut Vec<T>, len: usize) {
    if block.len() < len {
        *block = vec![]; // Free the old block before the new one is allocated.
        *block = vec![T::default(); len];
    }
}

impl<P: Copy + Default> Arena<P> {
    /// All of the memory, enlarged to at least this size. Its former content is lost.
    pub fn carve(&mut self, size: Size) -> Carver<'_, P> {
        enlarge(&mut self.points, size.points);
        enlarge(&mut self.longs, size.longs);
        enlarge(&mut self.words, size.words);
        Carver {
            points: &mut self.points,
            longs: &mut self.longs,
            words: &mut self.words,
            used: Size::default(),
            counting: false,
        }
    }
}

/// Hands out pieces of memory, or only counts them and hands out empty ones. The content of a piece
/// is arbitrary until it is written.
#[derive(Debug)]
pub struct Carver<'a, P> {
    points: &'a mut [P],
    longs: &'a mut [u64],
    words: &'a mut [u32],
    used: Size,
    counting: bool,
}

impl<'a, P> Carver<'a, P> {
    fn counting() -> Self {
        Self {
            points: &mut [],
            longs: &mut [],
            words: &mut [],
            used: Size::default(),
            counting: true,
        }
    }

    fn take<T>(counting: bool, from: &mut &'a mut [T], len: usize) -> &'a mut [T] {
        if counting {
            return &mut [];
        }
        from.split_off_mut(..len).expect("sized by its own layout")
    }

    /// Takes points.
    pub fn points(&mut self, len: usize) -> &'a mut [P] {
        self.used.points += len;
        Self::take(self.counting, &mut self.points, len)
    }

    /// Takes words of 64 bits.
    pub fn longs(&mut self, len: usize) -> &'a mut [u64] {
        self.used.longs += len;
        Self::take(self.counting, &mut self.longs, len)
    }

    /// Takes words of 32 bits.
    pub fn words(&mut self, len: usize) -> &'a mut [u32] {
        self.used.words += len;
        Self::take(self.counting, &mut self.words, len)
    }

    /// Takes tuples of words of 32 bits.
    pub fn tuples<const N: usize>(&mut self, len: usize) -> &'a mut [[u32; N]] {
        self.words(N * len).as_chunks_mut().0
    }

    /// Takes memory of this size, to be laid out later, any number of times.
    pub fn part(&mut self, size: Size) -> Carver<'a, P> {
        Carver {
            points: self.points(size.points),
            longs: self.longs(size.longs),
            words: self.words(size.words),
            used: Size::default(),
            counting: self.counting,
        }
    }

    /// The same memory again, for a use that ends before the next one begins.
    pub fn again(&mut self) -> Carver<'_, P> {
        Carver {
            points: self.points,
            longs: self.longs,
            words: self.words,
            used: Size::default(),
            counting: self.counting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pieces<'a> = (&'a mut [u8], &'a mut [u64], &'a mut [[u32; 2]], usize);

    fn lay_out<'a>(carver: &mut Carver<'a, u8>, n: usize) -> Pieces<'a> {
        let points = carver.points(n);
        let first = Size::of(|c: &mut Carver<'_, u8>| c.words(3 * n).len());
        let second = Size::of(|c: &mut Carver<'_, u8>| c.longs(n + 1).len());
        let mut part = carver.part(first.max(second));
        let shared = [
            part.again().words(3 * n).len(),
            part.again().longs(n + 1).len(),
        ];
        (
            points,
            carver.longs(2),
            carver.tuples(n),
            shared.iter().sum(),
        )
    }

    #[test]
    fn a_layout_fits_its_own_count_exactly() {
        let mut arena = Arena::default();
        for n in [0, 1, 7, 3] {
            let size = Size::of(|c| lay_out(c, n).3);
            let expected = Size {
                points: n,
                longs: n + 3,
                words: 5 * n,
            };
            assert_eq!(size, expected);
            let mut carver = arena.carve(size);
            let (points, longs, tuples, shared) = lay_out(&mut carver, n);
            assert_eq!((points.len(), longs.len(), tuples.len()), (n, 2, n));
            assert_eq!((shared, carver.used), (4 * n + 1, size));
        }
        // The arena has grown to the largest layout, and no further.
        assert_eq!((arena.points.len(), arena.words.len()), (7, 35));
    }
}
