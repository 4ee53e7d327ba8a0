//! Syntax tree of the subset, with interned names, and without what the compiler ignores.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::rc::Rc;

use super::output::Span;

/// An interned name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

#[derive(Default)]
struct Interner {
    numbers: HashMap<Rc<str>, u32>,
    names: Vec<Rc<str>>,
}

thread_local! {
    static INTERNER: RefCell<Interner> = RefCell::default();
}

impl Symbol {
    /// Interns a name.
    pub fn new(name: &str) -> Self {
        INTERNER.with_borrow_mut(|interner| {
            if let Some(number) = interner.numbers.get(name) {
                return Self(*number);
            }
            let number = interner.names.len() as u32;
            let name: Rc<str> = name.into();
            interner.names.push(name.clone());
            interner.numbers.insert(name, number);
            Self(number)
        })
    }

    /// Returns the name.
    pub fn text(self) -> Rc<str> {
        INTERNER.with_borrow(|interner| interner.names[self.0 as usize].clone())
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl PartialEq<&str> for Symbol {
    fn eq(&self, other: &&str) -> bool {
        *self.text() == **other
    }
}

/// An integer type of the subset; `usize` has 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntType {
    U8,
    U16,
    U32,
    U64,
    Usize,
}

impl IntType {
    /// Returns the type of this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = [Self::U8, Self::U16, Self::U32, Self::U64, Self::Usize].into_iter();
        all.find(|ty| ty.name() == name)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Usize => "usize",
        }
    }

    pub const fn bits(self) -> u32 {
        match self {
            Self::U8 => 8,
            Self::U16 => 16,
            Self::U32 => 32,
            Self::U64 | Self::Usize => 64,
        }
    }

    /// Returns the largest value.
    pub const fn max(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

/// One segment of a path, with its generic arguments.
#[derive(Clone, Debug)]
pub struct Segment {
    pub name: Symbol,
    pub generics: Vec<GenericArg>,
}

/// A path, possibly qualified as `<T as Trait>::rest`.
#[derive(Clone, Debug)]
pub struct Path {
    pub qualified: Option<Box<(Type, Option<Path>)>>,
    pub segments: Vec<Segment>,
    pub span: Span,
}

impl Path {
    /// Returns the name, if the path is one plain identifier.
    pub fn ident(&self) -> Option<Symbol> {
        match (&self.qualified, self.segments.as_slice()) {
            (None, [segment]) if segment.generics.is_empty() => Some(segment.name),
            _ => None,
        }
    }

    /// Returns the path that is one plain identifier.
    pub fn of_name(name: Symbol, span: Span) -> Self {
        let generics = Vec::new();
        Self {
            qualified: None,
            segments: vec![Segment { name, generics }],
            span,
        }
    }
}

/// A generic argument: a type or a constant. If it is a single name, it may turn out to be either.
#[derive(Clone, Debug)]
pub enum GenericArg {
    Type(Type),
    Const(Expr),
}

impl GenericArg {
    pub const fn span(&self) -> Span {
        match self {
            Self::Type(ty) => ty.span,
            Self::Const(expr) => expr.span,
        }
    }
}

/// A type expression.
#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
    /// Whether it is written behind `&`.
    pub reference: bool,
}

impl Type {
    /// Returns the name, if the type is one plain identifier.
    pub fn ident(&self) -> Option<Symbol> {
        match &self.kind {
            TypeKind::Path(path) => path.ident(),
            _ => None,
        }
    }

    /// Appends the paths to types in this one.
    pub fn paths<'a>(&'a self, out: &mut Vec<&'a Path>) {
        match &self.kind {
            TypeKind::Unknown => {}
            TypeKind::Array(element, _) | TypeKind::Slice(element) => element.paths(out),
            TypeKind::Tuple(types) => types.iter().for_each(|ty| ty.paths(out)),
            TypeKind::Path(path) => {
                out.push(path);
                for argument in path.segments.iter().flat_map(|segment| &segment.generics) {
                    if let GenericArg::Type(ty) = argument {
                        ty.paths(out);
                    }
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Path(Path),
    Array(Box<Type>, Box<Expr>),
    Slice(Box<Type>),
    Tuple(Vec<Type>),
    /// `_`, or the omitted type of `self`.
    Unknown,
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub kind: PatternKind,
    pub span: Span,
}

/// A sequence of patterns, with the position of `..` in it.
#[derive(Clone, Debug)]
pub struct Elements {
    pub patterns: Vec<Pattern>,
    /// Number of patterns before `..`, if there is one.
    pub rest: Option<usize>,
}

/// Whether a pattern of a struct ends in `..`.
pub type Rest = bool;

impl Elements {
    /// Returns which of `length` elements a pattern is for.
    pub const fn position(&self, pattern: usize, length: usize) -> usize {
        match self.rest {
            Some(before) if pattern >= before => pattern + length - self.patterns.len(),
            _ => pattern,
        }
    }
}

#[derive(Clone, Debug)]
pub enum PatternKind {
    Wild,
    /// A name, which is bound unless it is that of a constant.
    Bind(Symbol),
    Tuple(Elements),
    Array(Elements),
    Struct(Path, Vec<(Symbol, Pattern)>, Rest),
    TupleStruct(Path, Elements),
    /// A constant whose path has several segments.
    Constant(Path),
    /// Least and largest value, and the suffix if there is one.
    Int(u64, u64, Option<IntType>),
    Bool(bool),
    Or(Vec<Pattern>),
}

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

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Whether it is written behind `&`.
    pub reference: bool,
}

impl Expr {
    /// Returns the name, if the expression is one plain identifier.
    pub fn ident(&self) -> Option<Symbol> {
        match &self.kind {
            ExprKind::Path(path) => path.ident(),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal and its suffix.
    Int(u64, Option<IntType>),
    Bool(bool),
    Text,
    Path(Path),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinaryOp, Box<Expr>, Box<Expr>),
    Call(Path, Vec<Expr>),
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
    Range(Option<Box<Expr>>, Option<Box<Expr>>, bool),
    If(Box<Expr>, Block, Option<Box<Expr>>),
    Match(Box<Expr>, Vec<(Pattern, Option<Expr>, Expr)>),
    Block(Block),
    /// `const { value }`
    Constant(Block),
    For(Pattern, Box<Expr>, Block),
    While(Box<Expr>, Block),
    Return(Option<Box<Expr>>),
    Break,
    Continue,
    /// `&mut place`. A shared reference is its operand, with [`Expr::reference`].
    RefMut(Box<Expr>),
    /// `*place`
    Deref(Box<Expr>),
    /// `value as type` of integers.
    Cast(Box<Expr>, Type),
    /// The last part is the message, whose arguments are not filled in.
    Assert(Box<Expr>, Option<Rc<str>>),
    /// Whether the sides must be equal or, with `false`, differ.
    AssertEq(Box<Expr>, Box<Expr>, bool, Option<Rc<str>>),
    /// `panic!` or `unreachable!`. It is an error to reach it at compile time.
    Panic,
}

/// Statements, of which the last may be the value.
#[derive(Clone, Debug)]
pub struct Block {
    /// Constants are in scope in the whole block, wherever they are declared.
    pub constants: Vec<Rc<Const>>,
    pub statements: Vec<Statement>,
    pub tail: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub enum Statement {
    Let(Pattern, Option<Type>, Option<Expr>),
    Expr(Expr),
}

/// A generic parameter: a type, or a constant of type `usize` or `bool`.
#[derive(Clone, Debug)]
pub struct GenericParam {
    pub name: Symbol,
    pub constant: bool,
    /// The traits by which a type parameter is bounded where it is declared, without `Sized` and
    /// lifetimes.
    pub bounds: Vec<Path>,
}

/// A condition of a `where` clause on a type.
#[derive(Clone, Debug)]
pub struct Predicate {
    pub ty: Type,
    pub bounds: Vec<Path>,
}

/// Returns the bounds of generic parameters and of a `where` clause, each with the parameter's name
/// if the bounded type is one.
pub fn conditions<'a>(
    generics: &'a [GenericParam],
    predicates: &'a [Predicate],
) -> impl Iterator<Item = (Option<Symbol>, &'a Vec<Path>)> {
    let declared = generics.iter();
    let declared = declared.map(|param| (Some(param.name), &param.bounds));
    let predicates = predicates.iter();
    declared.chain(predicates.map(|given| (given.ty.ident(), &given.bounds)))
}

/// A parameter, or `self`.
#[derive(Clone, Debug)]
pub struct Param {
    pub pattern: Pattern,
    pub ty: Type,
    /// Whether it is taken by `&mut`, which is then no part of the type.
    pub mutable_reference: bool,
    /// Whether its pattern is behind `&`, so that it binds what the reference refers to.
    pub dereferenced: bool,
}

impl Param {
    /// Returns the name, if the pattern is one.
    pub fn name(&self) -> Option<Symbol> {
        match self.pattern.kind {
            PatternKind::Bind(name) => Some(name),
            _ => None,
        }
    }
}

/// A function.
#[derive(Debug)]
pub struct Function {
    pub name: Symbol,
    pub generics: Vec<GenericParam>,
    pub predicates: Vec<Predicate>,
    /// Parameters. If there is a `self`, it is the first one, with the name `self`.
    pub params: Vec<Param>,
    pub output: Option<Type>,
    /// `None` for a required method of a trait, which has no body.
    pub body: Option<Block>,
    /// Whether it is compiled once and called, instead of inlined.
    pub never_inline: bool,
    pub span: Span,
}

/// A constant.
#[derive(Debug)]
pub struct Const {
    pub name: Symbol,
    pub ty: Type,
    pub value: Option<Expr>,
    pub span: Span,
}

/// Where a name can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Public,
    /// In the module so many levels above its own, and in all modules within that one.
    Above(usize),
    /// In the module around its own that is so many levels below the crate's root, and in all
    /// modules within that one.
    Below(usize),
}

/// A structure.
#[derive(Debug)]
pub struct Struct {
    pub name: Symbol,
    /// `struct S;`, whose name is a value.
    pub unit: bool,
    /// `struct S { .. }`, whose name is neither a value nor a function.
    pub named: bool,
    pub generics: Vec<GenericParam>,
    pub fields: Vec<(Symbol, Type)>,
    /// Whether it derives `Clone`.
    pub clone: bool,
    /// Whether it derives `Copy`.
    pub copy: bool,
    /// Visibilities of the fields. `S(..)` is visible where all fields are.
    pub visibilities: Vec<Visibility>,
}

/// A type alias.
#[derive(Debug)]
pub struct Alias {
    pub generics: Vec<GenericParam>,
    pub ty: Type,
}

/// A trait and its items.
#[derive(Debug)]
pub struct Trait {
    pub generics: Vec<GenericParam>,
    pub supertraits: Vec<Path>,
    pub predicates: Vec<Predicate>,
    pub functions: Vec<Rc<Function>>,
    pub constants: Vec<Rc<Const>>,
    /// Associated types and their bounds.
    pub types: Vec<(Symbol, Vec<Path>)>,
}

/// An implementation.
#[derive(Debug)]
pub struct Impl {
    pub generics: Vec<GenericParam>,
    pub predicates: Vec<Predicate>,
    pub of: Option<Path>,
    pub self_type: Type,
    pub functions: Vec<Rc<Function>>,
    pub constants: Vec<Rc<Const>>,
    pub types: Vec<(Symbol, Type)>,
    /// Functions and constants whose visibility is not just `pub`.
    pub restricted: Vec<(Symbol, Visibility)>,
}

/// A name that is brought into scope.
#[derive(Clone, Debug)]
pub struct Import {
    pub path: Vec<Symbol>,
    /// `None` for everything in the module.
    pub name: Option<Symbol>,
    pub visibility: Visibility,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ItemKind {
    Function(Rc<Function>),
    Const(Rc<Const>),
    Struct(Rc<Struct>),
    Alias(Rc<Alias>),
    Trait(Rc<Trait>),
    Module(Module),
    /// `mod name;`
    ModuleFile,
}

/// A named item.
#[derive(Clone, Debug)]
pub struct Item {
    pub name: Symbol,
    pub visibility: Visibility,
    pub kind: ItemKind,
    pub span: Span,
}

/// The contents of a module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub items: Vec<Item>,
    /// Names of the items.
    pub names: HashSet<Symbol>,
    pub impls: Vec<Rc<Impl>>,
    pub imports: Vec<Import>,
}
