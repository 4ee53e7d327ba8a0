//! The intermediate representation: SSA over words and areas of blocks, structured control flow.
//!
//! A [`Frame`] is a stretch of both memories at a run-time address: the entry function, each
//! function that is really called, and the body of each run-time loop, whose frame moves on by a
//! fixed stride from one iteration to the next. A value belongs to the frame it is defined in;
//! inner frames reach it through the outer frame's address, which each iteration hands on.

use droste_native::F;

use super::output::Location;

/// A word defined once.
pub type Var = u32;
/// Consecutive blocks.
pub type Area = u32;
/// A frame.
pub type Frame = u32;

/// The entry function's frame.
pub const MAIN: Frame = 0;

/// A word-valued operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// A constant.
    Const(F),
    /// A defined word.
    Var(Var),
    /// The address of a block of an area.
    Address(Area, u32),
}

/// Where an area is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AreaKind {
    /// Block 0.
    Statement,
    /// An entry of the constant pool.
    Constant(u32),
    /// On the tape, at a position known to the compiler.
    Tape(u32),
    /// In a frame; at a fixed address if `global`.
    Local {
        /// In the entry function's area of fixed addresses.
        global: bool,
    },
}

/// An area.
#[derive(Clone, Copy, Debug)]
pub struct AreaInfo {
    pub frame: Frame,
    pub kind: AreaKind,
    pub size: u32,
    /// Reached from another frame: its place must not change.
    pub pinned: bool,
}

/// A frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameInfo {
    /// The frame that a loop body belongs to.
    pub parent: Option<Frame>,
    /// In a loop body, the word that holds the parent's frame pointer.
    pub outer: Var,
}

/// What an operation defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Def {
    /// Nothing: an assertion.
    None,
    /// A word.
    Var(Var),
    /// An area.
    Area(Area),
}

/// A displacement in a [`OpKind::Deref`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Displacement {
    /// The cell of this word within its own frame.
    Cell(Var),
    /// None.
    Zero,
}

/// An operation with its place in the source.
#[derive(Clone, Debug)]
pub struct Op {
    pub kind: OpKind,
    pub location: Location,
}

/// A value carried from one iteration to the next.
#[derive(Clone, Copy, Debug)]
pub struct CarriedWord {
    /// In the loop's frame.
    pub param: Var,
    /// Before the first iteration.
    pub init: Word,
    /// At the end of an iteration.
    pub next: Word,
    /// After the last one, in the parent's frame (loops of fixed length only).
    pub result: Var,
}

/// A block carried from one iteration to the next; operands are addresses.
#[derive(Clone, Copy, Debug)]
pub struct CarriedBlock {
    pub param: Area,
    pub init: Word,
    pub next: Word,
    pub result: Area,
    /// Before a counted loop, the address of the first parameter.
    pub pointer: Var,
}

/// How often a loop runs.
#[derive(Clone, Copy, Debug)]
pub enum Trips {
    /// A number of times known to the compiler, at least one.
    Fixed(u64),
    /// As often as a word says; `first` holds the address of the first iteration's frame.
    Counted { count: Word, first: Var },
}

/// A run-time loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub frame: Frame,
    pub trips: Trips,
    /// Counts from zero.
    pub counter: Var,
    /// The counter plus one.
    pub counter_next: Var,
    /// One while the loop goes on (fixed), or one when it ends (counted).
    pub flag: Var,
    pub words: Vec<CarriedWord>,
    pub blocks: Vec<CarriedBlock>,
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

/// A hint; operands as in [`super::output::Hint`].
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
    /// `a + b = c`, or `a * b = c`.
    Relation {
        multiply: bool,
        a: Word,
        b: Word,
        c: Word,
        def: Def,
    },
    /// `word[pointer + displacement] = value`.
    Deref {
        pointer: Word,
        displacement: Displacement,
        value: Word,
        def: Def,
    },
    /// `def = pointer + place of (area, offset) in its frame`.
    OuterAddress {
        pointer: Word,
        area: Area,
        offset: u32,
        def: Var,
    },
    /// `def` = address of `size` fresh words of this frame.
    WordsAddress {
        size: u32,
        def: Var,
    },
    /// The frame pointer of a counted loop's results: `first + count * stride`.
    LastFrame {
        first: Var,
        count: Word,
        frame: Frame,
        product: Var,
        def: Var,
    },
    /// A precompile.
    Call {
        id: u32,
        a: Word,
        b: Word,
        c: Word,
        d: Word,
        e: u32,
        def: Def,
    },
    Hint(HintOp),
    /// Gives one of several definitions of a word: the end of a branch, or of a function.
    Copy {
        to: Var,
        from: Word,
    },
    /// The same for a block; `from` is its address.
    CopyBlock {
        to: Area,
        offset: u32,
        from: Word,
    },
    If {
        condition: Word,
        then: Vec<Op>,
        otherwise: Vec<Op>,
    },
    Loop(Box<Loop>),
    Invoke(Box<Invoke>),
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Ir {
    pub vars: Vec<Frame>,
    pub areas: Vec<AreaInfo>,
    pub frames: Vec<FrameInfo>,
    pub constants: Vec<[F; 8]>,
    pub functions: Vec<FunctionIr>,
    pub main: Vec<Op>,
    pub public_inputs: usize,
    pub public_outputs: usize,
}
