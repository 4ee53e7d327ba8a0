//! The shape of a proof: everything about it that its verifier takes as known.
//!
//! In the machine a shape is a constant of the program, and what depends on it is decided while
//! compiling; natively it is an ordinary value. Lengths are never read from a proof.

use crate::hash::Hash;

/// One table of a proof.
#[derive(Clone, Debug)]
pub struct Table {
    /// Logarithm of the height.
    pub log_height: usize,
    /// Columns of the main trace.
    pub main_width: usize,
    /// Whether the main trace is opened at the next point too.
    pub main_next: bool,
    /// Columns of the preprocessed trace, none without one.
    pub preprocessed_width: usize,
    /// Whether the preprocessed trace is opened at the next point too.
    pub preprocessed_next: bool,
    /// Columns of the lookup trace, none without lookups; it is opened at both points.
    pub permutation_width: usize,
    /// Chunks of the quotient, five columns each.
    pub quotient_chunks: usize,
    /// Public values.
    pub public_values: usize,
}

/// The shape of a proof.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Whether the proof is of `p3-uni-stark`, one table without lookups; else it is of
    /// `p3-batch-stark`.
    pub uni: bool,
    /// Tables in the order of the proof.
    pub tables: Vec<Table>,
    /// Buses of the lookups.
    pub buses: usize,
    /// Elements of the widest message on a bus.
    pub message_width: usize,
    /// Logarithm of the inverse rate of codewords.
    pub log_blowup: usize,
    /// Levels of Merkle trees that their caps replace.
    pub cap_height: usize,
    /// Queries.
    pub num_queries: usize,
    /// Logarithm of the length of the final polynomial.
    pub log_final_poly_len: usize,
    /// Logarithm of the folding factor of each round of FRI.
    pub log_arities: Vec<usize>,
    /// Proof of work before the challenges of lookups.
    pub lookup_grinding_bits: usize,
    /// Proof of work before the out-of-domain point.
    pub ood_grinding_bits: usize,
    /// Proof of work before the challenge that combines openings.
    pub batch_grinding_bits: usize,
    /// Proof of work before each folding challenge.
    pub commit_grinding_bits: usize,
    /// Proof of work before the queries.
    pub query_grinding_bits: usize,
    /// What Plonky3's transcript of the protocol observes first.
    pub stark_seed: Vec<u32>,
    /// The same of the opening argument.
    pub opening_seed: Vec<u32>,
    /// The same of the low-degree test.
    pub fri_seed: Vec<u32>,
}

/// The commitments of a proof, in the order in which they are opened.
pub const MAIN: usize = 0;
/// Quotient chunks.
pub const QUOTIENT: usize = 1;
/// Preprocessed traces.
pub const PREPROCESSED: usize = 2;
/// Lookup traces.
pub const PERMUTATION: usize = 3;

/// A row that a proof opens.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Place among all openings.
    pub number: usize,
    /// Whether it is at the next point.
    pub next: bool,
    /// Its first power of the challenge that combines the openings of its height.
    pub power: usize,
}

/// One matrix of a commitment.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Place among the matrices of the commitment.
    pub index: usize,
    /// Index of its table.
    pub table: usize,
    /// Logarithm of the table's height.
    pub log_height: usize,
    /// Columns.
    pub width: usize,
    /// Where it is opened: at the point, and maybe at the next one.
    pub openings: Vec<Opening>,
}

/// A commitment to matrices.
#[derive(Clone, Debug)]
pub struct Round {
    /// [`MAIN`], [`QUOTIENT`], [`PREPROCESSED`] or [`PERMUTATION`].
    pub kind: usize,
    /// Its matrices, in order.
    pub matrices: Vec<Matrix>,
}

/// Matrices of one height in a commitment, whose rows are hashed as one.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Logarithm of the tables' height.
    pub log_height: usize,
    /// Columns.
    pub width: usize,
    /// The matrices, in order.
    pub matrices: Vec<Matrix>,
}

impl Shape {
    /// Logarithm of the height of the tallest table.
    pub fn tallest(&self) -> usize {
        let mut tallest = 0usize;
        for table in &self.tables {
            tallest = tallest.max(table.log_height);
        }
        tallest
    }

    /// Logarithm of the length of the longest codeword: the bits of a query's index.
    pub fn log_length(&self) -> usize {
        self.tallest() + self.log_blowup
    }

    /// Distinct logarithms of heights, tallest first.
    pub fn log_heights(&self) -> Vec<usize> {
        let mut heights = Vec::new();
        let tallest = self.tallest();
        for below in 0..tallest + 1 {
            let mut present = false;
            for table in &self.tables {
                present = present || table.log_height + below == tallest;
            }
            if present {
                heights.push(tallest - below);
            }
        }
        heights
    }

    /// Levels of a tree of `2^log_leaves` leaves that its cap replaces.
    pub fn cap_levels(&self, log_leaves: usize) -> usize {
        self.cap_height.min(log_leaves)
    }

    /// Whether any table has lookups.
    pub fn has_lookups(&self) -> bool {
        let mut lookups = false;
        for table in &self.tables {
            lookups = lookups || table.permutation_width > 0;
        }
        lookups
    }

    /// Matrices of table `table` in a commitment, their columns, and whether they are opened at the
    /// next point too.
    fn matrices(&self, kind: usize, table: usize) -> (usize, usize, bool) {
        let table = &self.tables[table];
        if kind == MAIN {
            (1, table.main_width, table.main_next)
        } else if kind == QUOTIENT {
            (table.quotient_chunks, 5, false)
        } else if kind == PREPROCESSED {
            let width = table.preprocessed_width;
            (width.min(1), width, table.preprocessed_next)
        } else {
            let width = table.permutation_width;
            (width.min(1), width, true)
        }
    }

    /// The commitments that have matrices, in the order in which they are opened.
    pub fn rounds(&self) -> Vec<Round> {
        let mut rounds = Vec::new();
        let mut number = 0usize;
        let mut powers = vec![0usize; self.tallest() + 1];
        for kind in [MAIN, QUOTIENT, PREPROCESSED, PERMUTATION] {
            let mut matrices = Vec::new();
            for table in 0..self.tables.len() {
                let log_height = self.tables[table].log_height;
                let (count, width, both) = self.matrices(kind, table);
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
                        openings,
                    });
                }
            }
            if !matrices.is_empty() {
                rounds.push(Round { kind, matrices });
            }
        }
        rounds
    }

    /// Digests of the commitment `kind`, none if there is none.
    pub fn digests(&self, kind: usize) -> usize {
        let mut digests = 0usize;
        for round in self.rounds() {
            if round.kind == kind {
                digests = 1usize << self.cap_levels(round.tallest() + self.log_blowup);
            }
        }
        digests
    }

    /// Whether a table of this height is opened at the next point.
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
    /// Logarithm of the height of its tallest table.
    pub fn tallest(&self) -> usize {
        let mut tallest = 0usize;
        for matrix in &self.matrices {
            tallest = tallest.max(matrix.log_height);
        }
        tallest
    }

    /// Its matrices by height, tallest first: the leaves of its tree, from the widest level up.
    pub fn layers(&self) -> Vec<Layer> {
        let mut layers = Vec::new();
        let tallest = self.tallest();
        for below in 0..tallest + 1 {
            let mut matrices = Vec::new();
            let mut width = 0usize;
            for matrix in &self.matrices {
                if matrix.log_height + below == tallest {
                    width += matrix.width;
                    matrices.push(matrix.clone());
                }
            }
            if !matrices.is_empty() {
                layers.push(Layer {
                    log_height: tallest - below,
                    width,
                    matrices,
                });
            }
        }
        layers
    }
}

/// Columns of a layer that one run of powers covers: matrices opened at the point only, where their
/// powers follow on each other, or one matrix that is opened at the next point too.
#[derive(Clone, Debug)]
pub struct Group {
    /// Columns of the layer before it.
    pub at: usize,
    /// Columns.
    pub width: usize,
    /// Openings of its first matrix.
    pub openings: Vec<Opening>,
}

/// The groups of a layer.
pub fn groups(layer: &Layer) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut at = 0usize;
    for matrix in &layer.matrices {
        let last = groups.len();
        let mut joined = false;
        if last > 0 && matrix.openings.len() == 1 && groups[last - 1].openings.len() == 1 {
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
        at += matrix.width;
    }
    groups
}

/// Elements of a row that stand in consecutive lanes.
#[derive(Clone, Debug)]
pub struct Window {
    /// First block.
    pub block: usize,
    /// Lanes skipped in it.
    pub skip: usize,
    /// Lanes.
    pub length: usize,
    /// Elements before it, of those asked for.
    pub before: usize,
}

impl Window {
    /// The power that `horner` weights the window's first lane with.
    pub fn exponent(&self) -> usize {
        8 * (self.skip + self.length).div_ceil(8) - 1 - self.skip
    }
}

/// Where `length` elements from place `at` of a row stand.
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
