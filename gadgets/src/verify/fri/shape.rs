//! The shape of a proof: everything about it that its verifier takes as given.
//!
//! In the machine, the shape is a constant of the program, and code that depends on it is selected
//! at compile time; natively, it is an ordinary value. Lengths are never read from a proof.

use crate::suites::hash::Hash;
use crate::verify::binary::grid::layout::{Leaf, Tree};

/// One table of a proof.
#[derive(Clone, Debug)]
pub struct Table {
    /// Logarithm of the height.
    pub log_height: usize,
    /// Number of columns of the main trace.
    pub main_width: usize,
    /// Whether the main trace is opened at the next point, too.
    pub main_next: bool,
    /// Number of columns of the preprocessed trace; zero without one.
    pub preprocessed_width: usize,
    /// Whether the preprocessed trace is opened at the next point, too.
    pub preprocessed_next: bool,
    /// Number of base field columns of the lookup trace, which is opened at both points; zero
    /// without lookups.
    pub permutation_width: usize,
    /// Number of chunks of the quotient, each of which has as many columns as challenges have
    /// coefficients.
    pub quotient_chunks: usize,
    /// Number of public values.
    pub public_values: usize,
}

/// The shape of a proof.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Whether the proof is one of `p3-uni-stark`, with one table and no lookups, or one of
    /// `p3-batch-stark`.
    pub uni: bool,
    /// Degree of the field of challenges.
    pub degree: usize,
    /// Number of random columns of each matrix but preprocessed ones, if the proof is hiding; else
    /// zero.
    pub random_codewords: usize,
    /// Number of random elements that follow each row of a matrix in its leaf, if the proof is
    /// hiding; else zero.
    pub salts: usize,
    /// The tables, in the order of the proof.
    pub tables: Vec<Table>,
    /// Number of buses.
    pub buses: usize,
    /// Number of elements of the widest message on a bus.
    pub message_width: usize,
    /// Logarithm of the blowup factor.
    pub log_blowup: usize,
    /// Number of levels of a Merkle tree that its cap replaces, unless the tree has fewer.
    pub cap_height: usize,
    /// Number of queries.
    pub num_queries: usize,
    /// Logarithm of the number of coefficients of the final polynomial.
    pub log_final_poly_len: usize,
    /// Logarithm of the folding factor of each round of FRI.
    pub log_arities: Vec<usize>,
    /// Bits of the proof of work before the challenges of lookups.
    pub lookup_grinding_bits: usize,
    /// Bits of the proof of work before the out-of-domain point.
    pub ood_grinding_bits: usize,
    /// Bits of the proof of work before the challenge that combines openings.
    pub batch_grinding_bits: usize,
    /// Bits of the proof of work before each folding challenge.
    pub commit_grinding_bits: usize,
    /// Bits of the proof of work before the queries.
    pub query_grinding_bits: usize,
    /// The constants that Plonky3's transcript observes first. Of proofs over BabyBear these and the
    /// following constants are given as the limbs of their words.
    pub stark_seed: Vec<u32>,
    /// The constants that it observes at the start of the opening argument.
    pub opening_seed: Vec<u32>,
    /// The constants that it observes at the start of the low-degree test.
    pub fri_seed: Vec<u32>,
}

/// The commitment to main traces. This and the following constants number the commitments of a
/// proof.
pub const MAIN: usize = 0;
/// The commitment to quotient chunks.
pub const QUOTIENT: usize = 1;
/// The commitment to preprocessed traces.
pub const PREPROCESSED: usize = 2;
/// The commitment to lookup traces.
pub const PERMUTATION: usize = 3;
/// The commitment to random polynomials, which only a hiding proof has.
pub const RANDOM: usize = 4;

/// A row that a proof opens.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Position of the row among all opened rows of the proof.
    pub number: usize,
    /// Whether the row is opened at the next point.
    pub next: bool,
    /// Exponent of the combiner's power by which the first value of the row is multiplied.
    pub power: usize,
}

/// One matrix of a commitment.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Position among the matrices of the commitment.
    pub index: usize,
    /// Index of the table that the matrix belongs to.
    pub table: usize,
    /// Logarithm of its height: the table's, but in a hiding proof twice that.
    pub log_height: usize,
    /// Number of columns.
    pub width: usize,
    /// Number of columns, of these the last, that constraints do not read.
    pub random: usize,
    /// The openings of the matrix: at the out-of-domain point and, for some matrices, at the next
    /// point.
    pub openings: Vec<Opening>,
}

/// A commitment to matrices, and what it commits to.
#[derive(Clone, Debug)]
pub struct Round {
    /// [`MAIN`], [`QUOTIENT`], [`PREPROCESSED`], [`PERMUTATION`] or [`RANDOM`].
    pub kind: usize,
    /// Number of random elements that follow each row of a matrix in its leaf.
    pub salts: usize,
    /// The matrices, in order.
    pub matrices: Vec<Matrix>,
}

/// The matrices of one height in a commitment, whose rows are hashed together as one leaf.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Logarithm of the matrices' height.
    pub log_height: usize,
    /// Number of elements of the leaf: the columns of all these matrices, and their salts.
    pub width: usize,
    /// Number of random elements that follow each row of a matrix.
    pub salts: usize,
    /// The matrices, in order.
    pub matrices: Vec<Matrix>,
}

impl Shape {
    /// Returns the logarithm of the height of matrices, divided by that of their tables. It is 2 in
    /// a hiding proof, whose matrices have a random row for each row of the table.
    pub fn log_extension(&self) -> usize {
        self.random_codewords.min(1)
    }

    /// Returns the logarithm of the height of the tallest matrix.
    pub fn tallest(&self) -> usize {
        let mut tallest = 0usize;
        for table in &self.tables {
            tallest = tallest.max(table.log_height);
        }
        tallest + self.log_extension()
    }

    /// Returns the logarithm of the length of the longest codeword, which is the number of bits of
    /// a query's index.
    pub fn log_length(&self) -> usize {
        self.tallest() + self.log_blowup
    }

    /// Returns the distinct logarithms of the heights of matrices, tallest first.
    pub fn log_heights(&self) -> Vec<usize> {
        let mut heights = Vec::new();
        let tallest = self.tallest();
        for below in 0..tallest + 1 {
            let mut present = false;
            for table in &self.tables {
                let log_height = table.log_height + self.log_extension();
                present = present || log_height + below == tallest;
            }
            if present {
                heights.push(tallest - below);
            }
        }
        heights
    }

    /// Returns the number of levels that the cap of a tree of `2^log_leaves` leaves replaces.
    pub fn cap_levels(&self, log_leaves: usize) -> usize {
        self.cap_height.min(log_leaves)
    }

    /// Returns whether any table has lookups.
    pub fn has_lookups(&self) -> bool {
        let mut lookups = false;
        for table in &self.tables {
            lookups = lookups || table.permutation_width > 0;
        }
        lookups
    }

    /// Returns the number of matrices that table `table` has in a commitment, the number of their
    /// columns without random codewords, and whether they are opened at the next point, too.
    fn matrices(&self, kind: usize, table: usize) -> (usize, usize, bool) {
        let table = &self.tables[table];
        if kind == MAIN {
            (1, table.main_width, table.main_next)
        } else if kind == QUOTIENT {
            (table.quotient_chunks, self.degree, false)
        } else if kind == PREPROCESSED {
            let width = table.preprocessed_width;
            (width.min(1), width, table.preprocessed_next)
        } else if kind == RANDOM {
            (self.log_extension(), self.degree, false)
        } else {
            let width = table.permutation_width;
            (width.min(1), width, true)
        }
    }

    /// Returns the commitments that have matrices, in the order in which they are opened.
    pub fn rounds(&self) -> Vec<Round> {
        let mut rounds = Vec::new();
        let mut number = 0usize;
        let mut powers = vec![0usize; self.tallest() + 1];
        for kind in [RANDOM, MAIN, QUOTIENT, PREPROCESSED, PERMUTATION] {
            let random = if kind == PREPROCESSED {
                0usize
            } else {
                self.random_codewords
            };
            let mut matrices = Vec::new();
            for table in 0..self.tables.len() {
                let log_height = self.tables[table].log_height + self.log_extension();
                let (count, own, both) = self.matrices(kind, table);
                let width = own + random;
                for _i in 0..count {
                    let mut openings = Vec::new();
                    for next in [false, true] {
                        if both || !next {
                            let power = powers[log_height];
                            openings.push(Opening {
                                number,
                                next,
                                power,
                            });
                            number += 1;
                            powers[log_height] = power + width;
                        }
                    }
                    matrices.push(Matrix {
                        index: matrices.len(),
                        table,
                        log_height,
                        width,
                        random,
                        openings,
                    });
                }
            }
            if !matrices.is_empty() {
                rounds.push(Round {
                    kind,
                    salts: self.salts,
                    matrices,
                });
            }
        }
        rounds
    }

    /// Returns the number of digests of the commitment `kind`; zero if the proof has no such
    /// commitment.
    pub fn digests(&self, kind: usize) -> usize {
        let mut digests = 0usize;
        for round in self.rounds() {
            if round.kind == kind {
                digests = 1usize << self.cap_levels(round.tallest() + self.log_blowup);
            }
        }
        digests
    }

    /// Returns whether any matrix of this height is opened at the next point.
    pub fn has_next(&self, log_height: usize) -> bool {
        let mut found = false;
        for round in self.rounds() {
            for matrix in &round.matrices {
                found = found || (matrix.log_height == log_height && matrix.openings.len() == 2);
            }
        }
        found
    }
}

impl Round {
    /// Returns the logarithm of the height of the tallest matrix in this commitment.
    pub fn tallest(&self) -> usize {
        let mut tallest = 0usize;
        for matrix in &self.matrices {
            tallest = tallest.max(matrix.log_height);
        }
        tallest
    }

    /// Returns the matrices grouped by height, tallest first: a layer is hashed into the tree at
    /// the level that has its height.
    pub fn layers(&self) -> Vec<Layer> {
        let mut layers = Vec::new();
        let tallest = self.tallest();
        for below in 0..tallest + 1 {
            let mut matrices = Vec::new();
            let mut width = 0usize;
            for matrix in &self.matrices {
                if matrix.log_height + below == tallest {
                    width += matrix.width + self.salts;
                    matrices.push(matrix.clone());
                }
            }
            if !matrices.is_empty() {
                layers.push(Layer {
                    log_height: tallest - below,
                    width,
                    salts: self.salts,
                    matrices,
                });
            }
        }
        layers
    }
}

/// Returns the trees that a query opens, in the order of its rows: those of the commitments, then
/// those of the folding rounds.
pub fn grid_trees(shape: &Shape) -> Vec<Tree> {
    let length = shape.log_length();
    let mut trees = Vec::new();
    for round in shape.rounds() {
        let cap_levels = shape.cap_levels(round.tallest() + shape.log_blowup);
        let layers = round.layers();
        let mut leaves = Vec::new();
        for i in 0..layers.len() {
            let here = layers[i].log_height + shape.log_blowup;
            let above = if i + 1 < layers.len() {
                layers[i + 1].log_height + shape.log_blowup
            } else {
                cap_levels
            };
            leaves.push(Leaf {
                words: layers[i].width,
                depth: here.max(above) - above,
                first_bit: length - here,
            });
        }
        trees.push(Tree { leaves, cap_levels });
    }
    let mut from = 0usize;
    for log_arity in &shape.log_arities {
        from += *log_arity;
        let cap_levels = shape.cap_levels(length - from);
        let leaf = Leaf {
            words: shape.degree * (1usize << *log_arity) + shape.salts,
            depth: length - from - cap_levels,
            first_bit: from,
        };
        trees.push(Tree {
            leaves: vec![leaf],
            cap_levels,
        });
    }
    trees
}

/// Columns of a layer that take consecutive powers of the combiner: those of matrices that are
/// opened only at the point, have no salts between them, and whose powers follow one another, or
/// those of one matrix.
#[derive(Clone, Debug)]
pub struct Group {
    /// Number of elements of the leaf before this group.
    pub at: usize,
    /// Number of columns.
    pub width: usize,
    /// Openings of the first matrix of the group.
    pub openings: Vec<Opening>,
}

/// Returns the groups of a layer.
pub fn groups(layer: &Layer) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut at = 0usize;
    for matrix in &layer.matrices {
        let last = groups.len();
        let mut joined = false;
        let alone = layer.salts > 0 || matrix.openings.len() > 1;
        if last > 0 && !alone && groups[last - 1].openings.len() == 1 {
            let end = groups[last - 1].openings[0].power + groups[last - 1].width;
            joined = end == matrix.openings[0].power;
        }
        if joined {
            groups[last - 1].width += matrix.width;
        } else {
            groups.push(Group {
                at,
                width: matrix.width,
                openings: matrix.openings.clone(),
            });
        }
        at += matrix.width + layer.salts;
    }
    groups
}

/// Elements of a row that are in consecutive lanes.
#[derive(Clone, Debug)]
pub struct Window {
    /// The first block.
    pub block: usize,
    /// Number of lanes of the first block that are skipped.
    pub skip: usize,
    /// Number of lanes.
    pub length: usize,
    /// Number of elements asked for that are in earlier windows.
    pub before: usize,
}

impl Window {
    /// Returns the exponent with which `horner` weights the window's first lane.
    pub fn exponent(&self) -> usize {
        8 * (self.skip + self.length).div_ceil(8) - 1 - self.skip
    }
}

/// Returns the windows that contain `length` elements from position `at` of a row on.
pub fn windows<H: Hash>(at: usize, length: usize) -> Vec<Window> {
    let mut windows = Vec::new();
    if H::RUN == 8 {
        windows.push(Window {
            block: at / 8,
            skip: at % 8,
            length,
            before: 0,
        });
    } else {
        let mut place = at;
        while place < at + length {
            let lane = place % H::RUN;
            let count = (H::RUN - lane).min(at + length - place);
            windows.push(Window {
                block: H::RUN_BLOCKS * (place / H::RUN) + lane / 8,
                skip: lane % 8,
                length: count,
                before: place - at,
            });
            place += count;
        }
    }
    windows
}
