//! The shape of a proof: everything about it that its verifier takes as given.
//!
//! As with [`crate::verify::fri::shape`], it is a constant of the program in the machine, and an
//! ordinary value natively. No length is read from a proof. `droste_verifier` makes it from
//! `droste_binary`.

/// An element of GF(2^128) that is known: its block's first lanes; the others are zero.
pub type Element = Vec<u32>;

/// By how much words are rotated, and which bits are kept after that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// By how many bits, to the left.
    pub by: usize,
    /// The bits that are kept.
    pub mask: u64,
}

/// Words that are rotated alike: their sum is a term of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Index in [`Circuit::rotations`].
    pub rotation: usize,
    /// Index in [`Circuit::word_sets`].
    pub words: usize,
}

/// Terms that several forms have in common. A form is an operand, or the rest of a constraint: the
/// operands come first, in order, then the rests of all groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Common {
    /// Whether the words are those of the next row.
    pub next: bool,
    /// The forms.
    pub forms: Vec<usize>,
    /// The terms, in ascending order of their rotations, which all differ.
    pub terms: Vec<Term>,
}

/// A product of two operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Index of the first one.
    pub left: usize,
    /// Whether its bits are inverted.
    pub inverted: bool,
    /// Index of the second one.
    pub right: usize,
}

/// A word that is added to the rest of a constraint in one row of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The constraint, of all.
    pub constraint: usize,
    /// The row.
    pub row: usize,
    /// The word.
    pub word: u64,
}

/// Constraints that hold in the same rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The rows of a call, by bits.
    pub rows: u64,
    /// The first constraint, of all.
    pub first: usize,
    /// Number of constraints.
    pub constraints: usize,
    /// The products of the first constraints.
    pub products: Vec<Product>,
    /// Constants in the rests.
    pub constants: Vec<Constant>,
}

/// Constant elements of one row of every call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantRow {
    /// The row.
    pub row: usize,
    /// The elements' indices.
    pub elements: Vec<usize>,
    /// Their values.
    pub values: Vec<Element>,
}

/// Where an element is, or the two of a digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The row.
    pub row: usize,
    /// The element, or the first of two.
    pub element: usize,
}

/// The constraints of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    /// Logarithm of the number of rows of a call, from 3 on.
    pub log_rows: usize,
    /// Number of operands.
    pub operands: usize,
    /// All rotations with their masks.
    pub rotations: Vec<Rotation>,
    /// Sets of words.
    pub word_sets: Vec<Vec<usize>>,
    /// The forms.
    pub forms: Vec<Common>,
    /// The constraints.
    pub groups: Vec<Group>,
}

/// A round of the opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Variables of the folded polynomial.
    pub variables: usize,
    /// Logarithm of the number of rows of the codeword: at most 24.
    pub log_rows: usize,
    /// Number of queries.
    pub queries: usize,
    /// Elements of a row.
    pub columns: usize,
}

/// Constants of GF(2^128).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    /// The Cantor basis, 24 elements. Bits of words are values at the 64 points of the subspace of
    /// dimension 6, the first message of the zerocheck at those that dimension 7 adds.
    pub basis: Vec<Element>,
    /// `t^0 .. t^7`, a basis of GF(2^8).
    pub subfield: Vec<Element>,
    /// The generator `x` to the powers `2^0 .. 2^127`.
    pub conjugates: Vec<Element>,
    /// The inverses of the derivative of `Y^128 + Y^7 + Y^2 + Y + 1` there.
    pub inverse_derivatives: Vec<Element>,
}

/// The shape of a proof about a power of two of calls, at least eight, whatever is said about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The block with which the transcript begins.
    pub domain: Vec<u32>,
    /// The digest of what the statement says about kind, hash, number and depth.
    pub numbers: Vec<u32>,
    /// Logarithm of the number of calls.
    pub log_calls: usize,
    /// The constraints.
    pub circuit: Circuit,
    /// The rounds of the opening. Of their numbers of queries, rounded up to powers of two, none is
    /// greater than the one before: so each round's place among all queries is a multiple of it.
    pub rounds: Vec<Round>,
    /// Variables of the last polynomial.
    pub last_variables: usize,
    /// Constants of the field.
    pub constants: Constants,
}

/// Merkle paths, as many as a power of two, of a depth that is one, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Logarithm of the depth.
    pub log_depth: usize,
    /// Logarithm of the number of paths.
    pub log_paths: usize,
    /// The digest of an entry of zeros, with which a list of one path is filled up.
    pub empty_entry: Vec<u32>,
    /// The left child of a node.
    pub left: Place,
    /// The right child.
    pub right: Place,
    /// The digest.
    pub output: Place,
    /// What of inputs and outputs is the same in every node.
    pub constants: Vec<ConstantRow>,
}

/// A row of every call whose elements are public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicRow {
    /// The row.
    pub row: usize,
    /// The public elements' indices.
    pub elements: Vec<usize>,
}

/// Calls with their inputs and outputs. An entry of the list is the elements of both, one after the
/// other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// The public rows.
    pub rows: Vec<PublicRow>,
    /// The places of each element of the input, then of the output. Their rows are indices in
    /// `rows`.
    pub places: Vec<Vec<Place>>,
    /// Number of elements of the input.
    pub inputs: usize,
    /// What is added to the input's last element in its places.
    pub offset: Element,
    /// Whether the input's and the output's last element has 8 bytes, not 16.
    pub ends_in_halves: bool,
}

/// Logarithm of the number of elements of a row.
pub const LOG_ELEMENTS: usize = 4;

/// Variables of a column's number: six of the bit, five of the word.
pub const LOG_COLUMNS: usize = 11;

/// Variables that a round of the opening folds.
pub const FOLDED: usize = 4;

impl Shape {
    /// Variables of the polynomial that is committed to.
    pub fn variables(&self) -> usize {
        self.log_calls + LOG_ELEMENTS + self.circuit.log_rows
    }
}

impl Circuit {
    /// Number of constraints.
    pub fn num_constraints(&self) -> usize {
        let mut number = 0usize;
        for group in &self.groups {
            number += group.constraints;
        }
        number
    }
}
