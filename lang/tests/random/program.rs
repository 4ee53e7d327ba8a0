//! Programs: their syntax, their text in the zk-DSL, and their random choice.
//!
//! Every function has the same variables: elements `f[0]` to `f[3]`, extension elements `e0` and
//! `e1`, a block `b`, and an array `a` of three elements, which is passed to functions by `&mut`.

use std::fmt::{self, Display, Formatter};

use proptest::prelude::*;

/// A base field element.
#[derive(Clone, Debug)]
pub enum Felt {
    Const(u32),
    Var(usize),
    Element(usize),
    /// The counter of the innermost loop.
    Counter,
    Add(Box<Felt>, Box<Felt>),
    Sub(Box<Felt>, Box<Felt>),
    Mul(Box<Felt>, Box<Felt>),
    Neg(Box<Felt>),
    Inverse(Box<Felt>),
    Coefficient(Box<Ext>, usize),
    Lane(Box<Block>, usize),
}

/// An extension field element.
#[derive(Clone, Debug)]
pub enum Ext {
    Const([u32; 5]),
    Var(usize),
    Scalar(Box<Felt>),
    Coefficients(Box<[Felt; 2]>),
    Add(Box<Ext>, Box<Ext>),
    Sub(Box<Ext>, Box<Ext>),
    Mul(Box<Ext>, Box<Ext>),
    AddFelt(Box<Ext>, Box<Felt>),
    SubFelt(Box<Ext>, Box<Felt>),
    MulFelt(Box<Ext>, Box<Felt>),
    Neg(Box<Ext>),
    Inverse(Box<Ext>),
}

/// A block.
#[derive(Clone, Debug)]
pub enum Block {
    Var,
    Lanes(Box<[Felt; 2]>),
    Compress(Box<Block>, Box<Block>),
    Sponge(Box<Block>, Box<Block>),
    OfExt(Box<Ext>),
}

/// A condition: one comparison, or a combination of two.
#[derive(Clone, Debug)]
pub struct Condition {
    pub equal: bool,
    pub left: Felt,
    pub right: Felt,
    /// `&&` if true, `||` if false. Both operands must have values in any case, since the machine
    /// evaluates both, which Rust need not do.
    pub more: Option<(bool, Felt, Felt)>,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    SetFelt(usize, Felt),
    SetElement(usize, Felt),
    SetExt(usize, Ext),
    SetBlock(Block),
    /// Asserts that two values are equal, after a hint has been added to one to make it true.
    CloseFelt(Felt, Felt, bool),
    CloseExt(Ext, Ext, bool),
    CloseBlock(Block, bool),
    AssertFelt(Felt, Felt),
    AssertDifferent(Felt, Felt),
    /// Asserts that the value equals itself plus zero.
    AssertSame(Felt, bool),
    Words(Felt, Felt),
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// A run-time loop of fixed length.
    Count(u32, Vec<Statement>),
    /// A run-time loop with as many iterations as the first input says.
    CountTo(Vec<Statement>),
    Unrolled(u32, Vec<Statement>),
    Call(usize, Felt, Ext),
}

/// A function: its statements, and whether it is called instead of inlined.
#[derive(Clone, Debug)]
pub struct Function {
    pub outlined: bool,
    pub body: Vec<Statement>,
}

/// A program: functions, which may call those before them, and `main`.
#[derive(Clone, Debug)]
pub struct Program {
    pub functions: Vec<Function>,
    pub main: Vec<Statement>,
}

impl Display for Felt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(value) => write!(f, "felt({value})"),
            Self::Var(index) => write!(f, "f[{index}]"),
            Self::Element(index) => write!(f, "a[{index}]"),
            Self::Counter => write!(f, "i"),
            Self::Add(a, b) => write!(f, "({a} + {b})"),
            Self::Sub(a, b) => write!(f, "({a} - {b})"),
            Self::Mul(a, b) => write!(f, "({a} * {b})"),
            Self::Neg(a) => write!(f, "(-{a})"),
            Self::Inverse(a) => write!(f, "{a}.inverse()"),
            Self::Coefficient(e, index) => write!(f, "{e}.coeff({index})"),
            Self::Lane(b, index) => write!(f, "{b}.lane({index})"),
        }
    }
}

impl Display for Ext {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(value) => write!(f, "Ext::new({value:?})"),
            Self::Var(index) => write!(f, "e{index}"),
            Self::Scalar(value) => write!(f, "Ext::from_felt({value})"),
            Self::Coefficients(c) => write!(
                f,
                "Ext::from_coeffs([{}, Felt::ZERO, {}, felt(3), Felt::ONE])",
                c[0], c[1]
            ),
            Self::Add(a, b) => write!(f, "({a} + {b})"),
            Self::Sub(a, b) => write!(f, "({a} - {b})"),
            Self::Mul(a, b) => write!(f, "({a} * {b})"),
            Self::AddFelt(a, b) => write!(f, "({a} + {b})"),
            Self::SubFelt(a, b) => write!(f, "({a} - {b})"),
            Self::MulFelt(a, b) => write!(f, "({a} * {b})"),
            Self::Neg(a) => write!(f, "(-{a})"),
            Self::Inverse(a) => write!(f, "{a}.inverse()"),
        }
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Var => write!(f, "b"),
            Self::Lanes(l) => write!(
                f,
                "Block::new([{0}, {1}, felt(5), {0}, Felt::ZERO, {1}, {0}, Felt::ONE])",
                l[0], l[1]
            ),
            Self::Compress(a, b) => write!(f, "poseidon16_compress({a}, {b})"),
            Self::Sponge(a, b) => {
                write!(f, "poseidon16_sponge(Slice::from_blocks([{a}]), 8, {b}).0")
            }
            Self::OfExt(e) => write!(f, "{e}.as_block()"),
        }
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operator = if self.equal { "==" } else { "!=" };
        write!(f, "{} {operator} {}", self.left, self.right)?;
        match &self.more {
            None => Ok(()),
            Some((true, left, right)) => write!(f, " && {left} == {right}"),
            Some((false, left, right)) => write!(f, " || {left} == {right}"),
        }
    }
}

struct Body<'a>(&'a [Statement]);

impl Display for Body<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{{")?;
        for statement in self.0 {
            writeln!(f, "{statement}")?;
        }
        write!(f, "}}")
    }
}

fn sides(a: impl Display, b: impl Display, swapped: bool) -> String {
    if swapped {
        format!("assert_eq!({b}, {a});")
    } else {
        format!("assert_eq!({a}, {b});")
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::SetFelt(index, value) => write!(f, "f[{index}] = {value};"),
            Self::SetElement(index, value) => write!(f, "a[{index}] = {value};"),
            Self::SetExt(index, value) => write!(f, "e{index} = {value};"),
            Self::SetBlock(value) => write!(f, "b = {value};"),
            Self::CloseFelt(left, right, swapped) => {
                let right = format!("{right} + hint_felt().any()");
                write!(f, "{}", sides(left, right, *swapped))
            }
            Self::CloseExt(left, right, swapped) => {
                let right = format!("{right} + hint_ext().checked()");
                write!(f, "{}", sides(left, right, *swapped))
            }
            Self::CloseBlock(left, swapped) => {
                let right = "hint_slice(1).any().block(0)";
                write!(f, "{}", sides(left, right, *swapped))
            }
            Self::AssertFelt(left, right) => write!(f, "assert_eq!({left}, {right});"),
            Self::AssertDifferent(left, right) => write!(f, "assert!({left} != {right});"),
            Self::AssertSame(value, swapped) => {
                let right = format!("({value} + f[0]) - f[0]");
                write!(f, "{}", sides(value, right, *swapped))
            }
            Self::Words(x, y) => write!(
                f,
                "{{ let mut w = Words::<3>::new(); w.set(Index::new(felt(1)), {x}); \
                 w.set(Index::new(f[1]), {y}); f[2] = w.get(Index::new(f[1])) + \
                 w.get(Index::new(felt(1))); }}"
            ),
            Self::If(condition, then, otherwise) => {
                write!(f, "if {condition} {} else {}", Body(then), Body(otherwise))
            }
            Self::Count(n, body) => write!(f, "for i in count({n}) {}", Body(body)),
            Self::CountTo(body) => write!(f, "for i in count_to(n) {}", Body(body)),
            Self::Unrolled(n, body) => write!(
                f,
                "for k in 0..{n} {{ let i = felt(k); let _ = i; {} }}",
                Body(body)
            ),
            Self::Call(function, x, e) => {
                write!(f, "(f[3], e1, b) = g{function}(n, {x}, {e}, b, &mut a);")
            }
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "use droste_gadgets::prelude::*;")?;
        for (index, function) in self.functions.iter().enumerate() {
            if function.outlined {
                writeln!(f, "#[inline(never)]")?;
            }
            writeln!(
                f,
                "fn g{index}(n: Felt, x: Felt, e: Ext, mut b: Block, a: &mut [Felt; 3]) \
                 -> (Felt, Ext, Block) {{
                let mut f = [x, n, x * x, Felt::ONE];
                let (mut e0, mut e1) = (e, Ext::ONE);
                let i = Felt::ZERO;
                {}
                (f[0] + f[3], e0 * e1, b) }}",
                Body(&function.body)
            )?;
        }
        write!(
            f,
            "pub fn main() {{
            let n = public_input();
            let mut f = [n, public_input(), public_input(), felt(7)];
            let (mut e0, mut e1) = (Ext::from_felt(f[1]), Ext::new([1, 2, 3, 4, 5]));
            let mut b = Block::ZERO;
            let mut a = [f[2], felt(1), felt(0)];
            let i = Felt::ZERO;
            {}
            reveal(f[0] + f[2]); reveal(f[1] + f[3]); reveal(a[0] + a[1] + a[2]);
            reveal((e0 + e1).coeff(3)); reveal(b.lane(6)); }}",
            Body(&self.main)
        )
    }
}

fn leaves() -> impl Strategy<Value = Felt> {
    prop_oneof![
        (0..5u32).prop_map(Felt::Const),
        (0..4usize).prop_map(Felt::Var),
        (0..4usize).prop_map(Felt::Var),
        (0..3usize).prop_map(Felt::Element),
        Just(Felt::Counter),
        (0..2usize, 0..5usize).prop_map(|(e, i)| Felt::Coefficient(Ext::Var(e).into(), i)),
        (0..8usize).prop_map(|i| Felt::Lane(Block::Var.into(), i)),
    ]
}

fn felts() -> impl Strategy<Value = Felt> {
    leaves().prop_recursive(3, 6, 2, |inner| {
        let pair = || (inner.clone(), inner.clone()).prop_map(|(a, b)| (a.into(), b.into()));
        prop_oneof![
            3 => pair().prop_map(|(a, b)| Felt::Add(a, b)),
            3 => pair().prop_map(|(a, b)| Felt::Sub(a, b)),
            3 => pair().prop_map(|(a, b)| Felt::Mul(a, b)),
            1 => inner.clone().prop_map(|a| Felt::Neg(a.into())),
            1 => inner.prop_map(|a| Felt::Inverse(a.into())),
        ]
    })
}

fn exts() -> impl Strategy<Value = Ext> {
    let leaf = prop_oneof![
        (0..3u32, 0..2u32).prop_map(|(x, y)| Ext::Const([x, y, 0, y, 0])),
        (0..2usize).prop_map(Ext::Var),
        (0..2usize).prop_map(Ext::Var),
        felts().prop_map(|x| Ext::Scalar(x.into())),
        (felts(), felts()).prop_map(|(x, y)| Ext::Coefficients([x, y].into())),
    ];
    leaf.prop_recursive(3, 6, 2, |inner| {
        let pair = || (inner.clone(), inner.clone()).prop_map(|(a, b)| (a.into(), b.into()));
        let mixed = || (inner.clone(), felts()).prop_map(|(a, b)| (a.into(), b.into()));
        prop_oneof![
            3 => pair().prop_map(|(a, b)| Ext::Add(a, b)),
            3 => pair().prop_map(|(a, b)| Ext::Sub(a, b)),
            4 => pair().prop_map(|(a, b)| Ext::Mul(a, b)),
            1 => mixed().prop_map(|(a, b)| Ext::AddFelt(a, b)),
            1 => mixed().prop_map(|(a, b)| Ext::SubFelt(a, b)),
            1 => mixed().prop_map(|(a, b)| Ext::MulFelt(a, b)),
            1 => inner.clone().prop_map(|a| Ext::Neg(a.into())),
            1 => inner.clone().prop_map(|a| Ext::Inverse(a.into())),
        ]
    })
}

fn blocks() -> impl Strategy<Value = Block> {
    let leaf = prop_oneof![
        2 => Just(Block::Var),
        1 => (felts(), felts()).prop_map(|(x, y)| Block::Lanes([x, y].into())),
        1 => exts().prop_map(|e| Block::OfExt(e.into())),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        let pair = || (inner.clone(), inner.clone()).prop_map(|(a, b)| (a.into(), b.into()));
        prop_oneof![
            pair().prop_map(|(a, b)| Block::Compress(a, b)),
            pair().prop_map(|(a, b)| Block::Sponge(a, b)),
        ]
    })
}

fn conditions() -> impl Strategy<Value = Condition> {
    let more = prop::option::of((any::<bool>(), leaves(), leaves()));
    (any::<bool>(), felts(), felts(), more).prop_map(|(equal, left, right, more)| Condition {
        equal,
        left,
        right,
        more,
    })
}

/// Returns statements that may call the first `functions` functions.
fn statements(functions: usize) -> impl Strategy<Value = Vec<Statement>> {
    let leaf = prop_oneof![
        4 => (0..4usize, felts()).prop_map(|(i, x)| Statement::SetFelt(i, x)),
        2 => (0..3usize, felts()).prop_map(|(i, x)| Statement::SetElement(i, x)),
        4 => (0..2usize, exts()).prop_map(|(i, x)| Statement::SetExt(i, x)),
        2 => blocks().prop_map(Statement::SetBlock),
        3 => (felts(), felts(), any::<bool>()).prop_map(|(x, y, s)| Statement::CloseFelt(x, y, s)),
        3 => (exts(), exts(), any::<bool>()).prop_map(|(x, y, s)| Statement::CloseExt(x, y, s)),
        2 => (blocks(), any::<bool>()).prop_map(|(x, s)| Statement::CloseBlock(x, s)),
        1 => (felts(), felts()).prop_map(|(x, y)| Statement::AssertFelt(x, y)),
        1 => (felts(), felts()).prop_map(|(x, y)| Statement::AssertDifferent(x, y)),
        2 => (felts(), any::<bool>()).prop_map(|(x, s)| Statement::AssertSame(x, s)),
        1 => (felts(), felts()).prop_map(|(x, y)| Statement::Words(x, y)),
        3 => (0..functions.max(1), felts(), exts()).prop_map(move |(g, x, e)| {
            match functions {
                0 => Statement::SetExt(0, e),
                _ => Statement::Call(g, x, e),
            }
        }),
    ];
    let statement = leaf.prop_recursive(2, 12, 4, |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (conditions(), body(), body()).prop_map(|(c, x, y)| Statement::If(c, x, y)),
            (1..4u32, body()).prop_map(|(n, x)| Statement::Count(n, x)),
            body().prop_map(Statement::CountTo),
            (0..3u32, body()).prop_map(|(n, x)| Statement::Unrolled(n, x)),
        ]
    });
    prop::collection::vec(statement, 0..8)
}

/// Returns all programs.
pub fn programs() -> impl Strategy<Value = Program> {
    let function = |known| {
        (any::<bool>(), statements(known)).prop_map(|(outlined, body)| Function { outlined, body })
    };
    (function(0), function(1), statements(2)).prop_map(|(first, second, main)| Program {
        functions: vec![first, second],
        main,
    })
}
