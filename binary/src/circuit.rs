//! What the rows of a call must fulfil, whichever hash is called.
//!
//! A row is 32 words of 64 bits. A constraint is about one row and the next one, bit by bit: `left
//! and right, exclusive or rest, is zero`, where each of the three is a [`Form`], a sum of words
//! that are rotated and masked. Constraints of one [`Group`] hold in the same rows of a call.

use p3_field::PrimeCharacteristicRing;

use crate::field::K;

/// Bits of a word.
pub const BITS: usize = 64;

/// Words of a row.
pub const WORDS: usize = 32;

/// Most operands of products.
pub const MAX_OPERANDS: usize = 64;

/// A row.
pub type Row = [u64; WORDS];

/// A word of each of eight calls, so that they are computed together.
pub type Lanes = [u64; 8];

/// `word`, rotated left and masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Whether the word is one of the next row.
    pub next: bool,
    /// The word's index.
    pub word: usize,
    /// By how many bits it is rotated.
    pub rotation: u32,
    /// The bits that are kept, after the rotation.
    pub mask: u64,
}

/// A sum of terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form(pub Vec<Term>);

impl Form {
    /// The word of a row and the next one.
    #[inline]
    pub fn word(&self, row: &Row, next: &Row) -> u64 {
        self.0.iter().fold(0, |sum, term| {
            let row = if term.next { next } else { row };
            sum ^ (row[term.word].rotate_left(term.rotation) & term.mask)
        })
    }

    /// The value of the form's word, whose bits weigh `weights`, from values of the bits of a row
    /// and of the next one.
    pub fn value(&self, weights: &[K; BITS], row: &[K], next: &[K]) -> K {
        let values = self.0.iter().map(|term| {
            let row = if term.next { next } else { row };
            let word = &row[BITS * term.word..][..BITS];
            let kept = weights
                .iter()
                .enumerate()
                .filter(|(z, _)| term.mask >> z & 1 == 1);
            let bit = |z: usize| word[(z + BITS - term.rotation as usize) % BITS];
            kept.map(|(z, &weight)| weight * bit(z)).sum::<K>()
        });
        values.sum()
    }

    /// Adds to the weights of a row's bits, and of those of the next one, what the form's bits
    /// weigh.
    fn transpose(&self, weights: &[K; BITS], scale: K, columns: &mut [Vec<K>; 2]) {
        let scaled = weights.map(|weight| scale * weight);
        for term in &self.0 {
            let word = &mut columns[usize::from(term.next)][BITS * term.word..][..BITS];
            let rotation = term.rotation as usize;
            for (z, &weight) in scaled.iter().enumerate() {
                if term.mask >> z & 1 == 1 {
                    word[(z + BITS - rotation) % BITS] += weight;
                }
            }
        }
    }
}

/// A product of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Index of the first one.
    pub left: usize,
    /// Whether the first one's bits are inverted.
    pub inverted: bool,
    /// Index of the second one.
    pub right: usize,
}

/// Constraints that hold in the same rows.
#[derive(Clone, Debug)]
pub struct Group {
    /// The rows of a call, by bits.
    pub rows: u64,
    /// What the first constraints multiply.
    pub products: Vec<Product>,
    /// The rest of each constraint. Those without products are the last ones.
    pub rest: Vec<Form>,
    /// Constants in the rest: constraint, row of the call, word.
    pub constants: Vec<(usize, usize, u64)>,
}

/// Elements of one row of a call that the statement knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicRow {
    /// The row.
    pub row: usize,
    /// The elements, by bits.
    pub elements: u16,
}

/// All that holds for a call.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// Base-two logarithm of a call's rows, from 3 on.
    pub log_rows: usize,
    /// Rows of a call that are used: the first ones. The others are zero.
    pub used_rows: usize,
    /// Operands of products.
    pub operands: Vec<Form>,
    /// How a prover computes all operands of a row and the next one: the words of their forms.
    pub fast_operands: fn(&[Lanes; WORDS], &[Lanes; WORDS], &mut [Lanes; MAX_OPERANDS]),
    /// The constraints.
    pub groups: Vec<Group>,
    /// The rows with inputs and outputs.
    pub public: Vec<PublicRow>,
}

impl Circuit {
    /// Number of constraints.
    pub fn num_constraints(&self) -> usize {
        self.groups.iter().map(|group| group.rest.len()).sum()
    }

    /// Products of all groups, with the group's rows and the constraint's index among all of them.
    pub fn products(&self) -> impl Iterator<Item = (Product, u64, usize)> {
        self.with_first().flat_map(|(group, first)| {
            let products = group.products.iter().enumerate();
            products.map(move |(i, &product)| (product, group.rows, first + i))
        })
    }

    /// Groups, with the index of their first constraint.
    pub fn with_first(&self) -> impl Iterator<Item = (&Group, usize)> {
        self.groups.iter().scan(0, |first, group| {
            let own = *first;
            *first += group.rest.len();
            Some((group, own))
        })
    }

    /// What the columns of a row weigh, and those of the next one, in the sum of operands with the
    /// weights `operands` and of the groups' rests, each a sum with the weights of its constraints,
    /// with the weights `rests`. A word's bits weigh `bits`.
    pub fn transpose(
        &self,
        bits: &[K; BITS],
        operands: &[K],
        constraints: &[K],
        rests: &[K],
    ) -> [Vec<K>; 2] {
        let mut columns = [(); 2].map(|()| K::zero_vec(BITS * WORDS));
        for (form, &weight) in self.operands.iter().zip(operands) {
            form.transpose(bits, weight, &mut columns);
        }
        for ((group, first), &rest) in self.with_first().zip(rests) {
            for (form, &weight) in group.rest.iter().zip(&constraints[first..]) {
                form.transpose(bits, rest * weight, &mut columns);
            }
        }
        columns
    }

    /// The operands of a row and the next one.
    pub fn operands(&self, row: &Row, next: &Row) -> [u64; MAX_OPERANDS] {
        let mut operands = [[0; 8]; MAX_OPERANDS];
        let [row, next] = [row, next].map(|row| row.map(|word| [word; 8]));
        (self.fast_operands)(&row, &next, &mut operands);
        operands.map(|lanes| lanes[0])
    }

    /// The constraint that a row of a call violates, if there is one: for tests.
    pub fn violated(&self, index: usize, row: &Row, next: &Row) -> Option<usize> {
        let operands = self.operands(row, next);
        self.with_first().find_map(|(group, first)| {
            if group.rows >> index & 1 == 0 {
                return None;
            }
            let violated = group.rest.iter().enumerate().position(|(i, form)| {
                let product = group.products.get(i).map_or(0, |product| {
                    let inverse = if product.inverted { u64::MAX } else { 0 };
                    (operands[product.left] ^ inverse) & operands[product.right]
                });
                let constants = group.constants.iter();
                let constants = constants.filter(|&&(own, row, _)| own == i && row == index);
                product ^ form.word(row, next) ^ constants.fold(0, |sum, constant| sum ^ constant.2)
                    != 0
            });
            violated.map(|i| first + i)
        })
    }
}
