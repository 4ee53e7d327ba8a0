//! The intermediate representation: SSA form over words and areas of blocks, with structured
//! control flow.
//!
//! A [`Frame`] is a range of both memories at a run-time address. The entry function has one, each
//! function that is called and not inlined has one, and so has the body of each run-time loop,
//! whose frame advances by a fixed stride per iteration. A value belongs to the frame in which it
//! is defined. Inner frames reach it through the outer frame's address, which each iteration passes
//! on to the next.

use droste_native::{ChallengeField, F};

use super::output::{Iteration, Location, Relation};

/// A word, which is defined once.
pub type Var = u32;
/// An area: consecutive blocks.
pub type Area = u32;
/// A frame.
pub type Frame = u32;

/// The entry function's frame.
pub const MAIN: Frame = 0;

/// Lane of the first public output, as long as the number of public inputs is unknown.
pub const OUTPUT_LANE: u32 = 1 << 20;

/// A word-valued operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// A constant.
    Const(F),
    /// A word that an operation defines.
    Var(Var),
    /// The address of a block of an area.
    Address(Area, u32),
}

/// Place of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AreaKind {
    /// Block 0, the statement.
    Statement,
    /// An entry of the constant pool.
    Constant(u32),
    /// On the tape, at a position that the compiler knows.
    Tape(u32),
    /// In a frame, or at a fixed address if `global`.
    Local {
        /// Whether it is in the entry function's area of fixed addresses.
        global: bool,
    },
}

/// An area.
#[derive(Clone, Copy, Debug)]
pub struct AreaInfo {
    pub frame: Frame,
    pub kind: AreaKind,
    pub size: u32,
    /// Whether another frame reaches it, so that its place must not change.
    pub pinned: bool,
}

impl AreaInfo {
    /// Returns whether its blocks are the program's own, at fixed addresses.
    pub fn is_global(&self) -> bool {
        self.kind == AreaKind::Local { global: true }
    }
}

/// A frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameInfo {
    /// The frame that contains a loop body.
    pub parent: Option<Frame>,
    /// For a loop body, the word that holds the parent's frame pointer.
    pub outer: Var,
}

/// What an operation defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Def {
    /// Nothing: the operation is an assertion.
    None,
    /// A word.
    Var(Var),
    /// An area.
    Area(Area),
}

impl Def {
    /// Returns the operand that is what the operation defines.
    pub fn word(self) -> Word {
        match self {
            Self::None => Word::Const(F::default()),
            Self::Var(var) => Word::Var(var),
            Self::Area(area) => Word::Address(area, 0),
        }
    }
}

/// The displacement of an [`OpKind::Deref`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Displacement {
    /// The cell of this word within its own frame.
    Cell(Var),
    /// No displacement.
    Zero,
}

/// An operation and its place in the source.
#[derive(Clone, Debug)]
pub struct Op {
    pub kind: OpKind,
    pub location: Location,
    /// The assertion that the operation makes, besides or instead of defining a value.
    pub check: Option<Check>,
}

/// The assertion that an operation makes.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Index in [`Ir::assertions`].
    pub assertion: u32,
    /// Whether what the operation computes is the right side.
    pub swapped: bool,
}

/// What an assertion says, for the message of a run in which it fails.
#[derive(Clone, Copy, Debug)]
pub struct Assertion {
    pub location: Location,
    pub relation: Option<Relation>,
    /// What the relation is about, if that is neither side of the comparison.
    pub value: Option<Word>,
    /// Index in [`Ir::messages`].
    pub message: Option<u32>,
    /// Index in [`Ir::iterations`].
    pub iteration: Option<u32>,
}

/// A text in pieces, after each of which there may be a word.
pub type Pieces = Vec<(String, Option<Word>)>;

/// A value carried from one iteration to the next: a word, or a block.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// It in the loop's frame.
    pub param: Def,
    /// Its value before the first iteration or, for a block, the address of that value.
    pub init: Word,
    /// Like `init`, its value for the next iteration.
    pub next: Word,
    /// It after the last iteration, in the parent's frame. Only loops of fixed length have it.
    pub result: Def,
    /// For a block, the word with the address of the first parameter, for counted loops.
    pub pointer: Option<Var>,
}

/// The number of iterations of a loop.
#[derive(Clone, Copy, Debug)]
pub enum Trips {
    /// A number that the compiler knows, at least one.
    Fixed(u64),
    /// The value of the word `count`. The word `first` holds the address of the first iteration's
    /// frame.
    Counted { count: Word, first: Var },
}

/// A run-time loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub frame: Frame,
    pub trips: Trips,
    /// Counter, which starts at zero.
    pub counter: Var,
    /// Counter plus one.
    pub counter_next: Var,
    /// For loops of fixed length, one while the loop continues. For counted loops, one when it
    /// ends.
    pub flag: Var,
    /// Words, and after them blocks.
    pub carried: Vec<Carried>,
    pub body: Vec<Op>,
}

/// A call of a function that is not inlined.
#[derive(Clone, Debug)]
pub struct Invoke {
    pub function: usize,
    pub args: Vec<Word>,
    pub words: Vec<Var>,
    pub blocks: Vec<Area>,
}

/// A function that is not inlined.
#[derive(Clone, Debug)]
pub struct FunctionIr {
    pub name: String,
    pub frame: Frame,
    pub params: Vec<Var>,
    pub words: Vec<Var>,
    pub blocks: Vec<Area>,
    pub body: Vec<Op>,
}

/// A hint. Its operands are those of [`super::output::Hint`].
#[derive(Clone, Copy, Debug)]
pub enum HintOp {
    Felt(Var),
    Ext(Area),
    Slice {
        def: Option<Var>,
        position: Option<u32>,
        blocks: u32,
    },
    Inverse {
        def: Var,
        of: Word,
    },
    Equal {
        def: Var,
        a: Word,
        b: Word,
    },
    Bit {
        def: Var,
        of: Word,
        bit: u32,
    },
}

#[derive(Clone, Debug)]
pub enum OpKind {
    /// With `(multiply, [a, b, c], def)`: `a + b = c`, or `a * b = c`.
    Relation(bool, [Word; 3], Def),
    /// With `(pointer, displacement, value, def)`: `word[pointer + displacement] = value`.
    Deref(Word, Displacement, Word, Def),
    /// With `(pointer, area, offset, def)`: `def = pointer + place of (area, offset) in its frame`.
    OuterAddress(Word, Area, u32, Var),
    /// With `(size, def)`: `def` = address of `size` new words of this frame.
    WordsAddress(u32, Var),
    /// `def` = frame pointer of a counted loop's results: `first + count * stride`.
    LastFrame {
        first: Var,
        count: Word,
        frame: Frame,
        product: Var,
        def: Var,
    },
    /// A call of the precompile of an identity, with operands A to D, and E.
    Call(u32, [Word; 4], u32, Def),
    Hint(HintOp),
    /// With `(to, from)`: gives `to` one of its several definitions, at the end of a branch or of a
    /// function.
    Copy(Var, Word),
    /// With `(to, offset, from)`: like `Copy`, for a block whose address is `from`.
    CopyBlock(Area, u32, Word),
    /// The condition, what runs if it is one, and what runs if it is zero.
    If(Word, Vec<Op>, Vec<Op>),
    Loop(Box<Loop>),
    Invoke(Box<Invoke>),
    /// Prints the message of this index while the program runs. It is no instruction.
    Print(u32),
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Ir {
    /// The field of the program's `Ext`s. A call of `ext` here is one of `ext4` at degree 4.
    pub field: ChallengeField,
    pub vars: Vec<Frame>,
    pub areas: Vec<AreaInfo>,
    pub frames: Vec<FrameInfo>,
    pub constants: Vec<[F; 8]>,
    pub functions: Vec<FunctionIr>,
    pub main: Vec<Op>,
    pub assertions: Vec<Assertion>,
    /// Messages of assertions, and what is printed. Words in them may be computed nowhere.
    pub messages: Vec<Pieces>,
    /// Iterations of unrolled loops, each after the one around it.
    pub iterations: Vec<Iteration>,
    pub public_inputs: usize,
    pub public_outputs: usize,
}
