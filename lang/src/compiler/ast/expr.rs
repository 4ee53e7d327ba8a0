//! Expressions and statements.

use std::rc::Rc;

use super::{GenericArg, IntType, Param, Path, Pattern, Symbol, Type};
use crate::compiler::output::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Negate,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

impl BinaryOp {
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::And => "&&",
            Self::Or => "||",
        }
    }

    /// Returns the trait and the method that the operator calls.
    pub const fn method(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::Add => ("Add", "add"),
            Self::Sub => ("Sub", "sub"),
            Self::Mul => ("Mul", "mul"),
            Self::Div => ("Div", "div"),
            Self::Rem => ("Rem", "rem"),
            Self::Shl => ("Shl", "shl"),
            Self::Shr => ("Shr", "shr"),
            Self::BitAnd => ("BitAnd", "bitand"),
            Self::BitOr => ("BitOr", "bitor"),
            Self::BitXor => ("BitXor", "bitxor"),
            Self::Eq => ("PartialEq", "eq"),
            Self::Ne => ("PartialEq", "ne"),
            Self::Lt => ("PartialOrd", "lt"),
            Self::Le => ("PartialOrd", "le"),
            Self::Gt => ("PartialOrd", "gt"),
            Self::Ge => ("PartialOrd", "ge"),
            Self::And | Self::Or => return None,
        })
    }
}

/// Name of a loop or block, without the apostrophe.
pub type Label = Symbol;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Whether it is written behind `&`.
    pub reference: bool,
}

impl Expr {
    pub const fn new(kind: ExprKind, span: Span) -> Self {
        Self {
            kind,
            span,
            reference: false,
        }
    }

    /// Returns the name, if the expression is one plain identifier.
    pub fn ident(&self) -> Option<Symbol> {
        match &self.kind {
            ExprKind::Path(path) => path.ident(),
            _ => None,
        }
    }

    /// Returns the type that is written at its value, if this is a literal, also one in a block.
    pub fn literal_type(&self) -> Option<IntType> {
        let value = match &self.kind {
            ExprKind::Block(block, _) => block.tail.as_deref()?,
            _ => self,
        };
        match value.kind {
            ExprKind::Int(_, ty) => ty,
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal, and the type that its suffix or its form tells.
    Int(i128, Option<IntType>),
    /// `b".."`: a reference to an array of `u8`.
    Bytes(Rc<[u8]>),
    Bool(bool),
    /// `".."`
    Text(Rc<str>),
    Path(Path),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinaryOp, Box<Expr>, Box<Expr>),
    Call(Path, Vec<Expr>),
    /// A call of what is not a path: `(self.f)(x)`.
    CallValue(Box<Expr>, Vec<Expr>),
    Closure(Rc<Closure>),
    MethodCall(Box<Expr>, Symbol, Vec<GenericArg>, Vec<Expr>),
    Field(Box<Expr>, Symbol),
    TupleField(Box<Expr>, usize),
    Index(Box<Expr>, Box<Expr>),
    Struct(Path, Vec<(Symbol, Expr)>, Option<Box<Expr>>),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    Repeat(Box<Expr>, Box<Expr>),
    /// `vec![a, b]`
    Vec(Vec<Expr>),
    /// `vec![value; length]`
    VecRepeat(Box<Expr>, Box<Expr>),
    /// Whether it includes its end.
    Range(Option<Box<Expr>>, Option<Box<Expr>>, bool),
    /// The condition may be a `let`, or have some that are joined by `&&`.
    If(Box<Expr>, Block, Option<Box<Expr>>),
    /// `let pattern = value` as a condition of `if`, `while`, or a guard.
    Let(Box<Pattern>, Box<Expr>),
    Match(Box<Expr>, Vec<(Pattern, Option<Expr>, Expr)>),
    Block(Block, Option<Label>),
    /// `const { value }`
    Constant(Block),
    For(Pattern, Box<Expr>, Block, Option<Label>),
    While(Box<Expr>, Block, Option<Label>),
    Loop(Block, Option<Label>),
    Return(Option<Box<Expr>>),
    Break(Option<Label>, Option<Box<Expr>>),
    Continue(Option<Label>),
    /// `value?`
    Try(Box<Expr>),
    /// `&mut place`. A shared reference is its operand, with [`Expr::reference`].
    RefMut(Box<Expr>),
    /// `*place`
    Deref(Box<Expr>),
    /// `value as type` of integers.
    Cast(Box<Expr>, Type),
    /// `dbg!(value)`
    Dbg(Box<Expr>),
    Assert(Box<Expr>, Option<Rc<Message>>),
    /// Whether the sides must be equal or, with `false`, differ.
    AssertEq(Box<Expr>, Box<Expr>, bool, Option<Rc<Message>>),
    /// `panic!`, `unreachable!` and the like. It is an error to reach it at compile time.
    Panic(Option<Rc<Message>>),
}

/// Text of an assertion: pieces, each with the variable or field whose value follows it.
#[derive(Debug)]
pub struct Message {
    pub pieces: Vec<(String, Option<Expr>)>,
}

/// A closure.
#[derive(Debug)]
pub struct Closure {
    /// Their types are [`Unknown`](super::TypeKind::Unknown) if none are written.
    pub params: Vec<Param>,
    pub output: Option<Type>,
    pub body: Expr,
    /// `move`
    pub moves: bool,
    /// Every single name in the body: the candidates for captures.
    pub names: Vec<Symbol>,
    pub span: Span,
}

/// Statements, of which the last may be the value.
#[derive(Clone, Debug)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub tail: Option<Box<Expr>>,
    /// The hidden module with the items that are declared here, if there are any.
    pub module: Option<Symbol>,
}

#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "most statements of a list are a `let`, so a box saves nothing"
)]
pub enum Statement {
    /// The last part is the block of `let .. else`.
    Let(Pattern, Option<Type>, Option<Expr>, Option<Block>),
    Expr(Expr),
}
