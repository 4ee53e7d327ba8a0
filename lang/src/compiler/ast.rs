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

/// An integer type of the subset, or `char`, which has no arithmetic. `usize` and `isize` have 64
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntType {
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    Char,
    /// The type of a literal, as long as nothing has told it.
    Open(u32),
}

impl IntType {
    /// Returns the type of this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        #[rustfmt::skip]
        let all = [
            Self::U8, Self::U16, Self::U32, Self::U64, Self::U128, Self::Usize,
            Self::I8, Self::I16, Self::I32, Self::I64, Self::I128, Self::Isize, Self::Char,
        ];
        all.into_iter().find(|ty| ty.name() == name)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::U128 => "u128",
            Self::Usize => "usize",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::I128 => "i128",
            Self::Isize => "isize",
            Self::Char => "char",
            Self::Open(_) => "{integer}",
        }
    }

    pub const fn bits(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 8,
            Self::U16 | Self::I16 => 16,
            Self::U32 | Self::I32 | Self::Char => 32,
            Self::U64 | Self::Usize | Self::I64 | Self::Isize => 64,
            Self::U128 | Self::I128 | Self::Open(_) => 128,
        }
    }

    pub const fn signed(self) -> bool {
        matches!(
            self,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::I128 | Self::Isize
        )
    }

    /// Returns the smallest value.
    pub const fn min(self) -> i128 {
        match self {
            Self::I128 | Self::Open(_) => i128::MIN,
            ty if ty.signed() => -(1 << (ty.bits() - 1)),
            _ => 0,
        }
    }

    /// Returns the largest value. That of `u128` is larger, but values from 2^127 on are refused.
    pub const fn max(self) -> i128 {
        match self {
            Self::U128 | Self::I128 | Self::Open(_) => i128::MAX,
            Self::Char => char::MAX as i128,
            ty => (1 << (ty.bits() - ty.signed() as u32)) - 1,
        }
    }

    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open(_))
    }
}

/// One segment of a path, with its generic arguments. Those of `Fn(A, B) -> C` are the tuple
/// `(A, B)` and `C`.
#[derive(Clone, Debug)]
pub struct Segment {
    pub name: Symbol,
    pub generics: Vec<GenericArg>,
    /// `Item = T`
    pub bindings: Vec<(Symbol, Type)>,
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
            (None, [segment]) if segment.generics.is_empty() && segment.bindings.is_empty() => {
                Some(segment.name)
            }
            _ => None,
        }
    }

    /// Returns the path that is one plain identifier.
    pub fn of_name(name: Symbol, span: Span) -> Self {
        let segment = Segment {
            name,
            generics: Vec::new(),
            bindings: Vec::new(),
        };
        Self {
            qualified: None,
            segments: vec![segment],
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
    /// Whether it is written behind `&mut`, where that is not part of a [`Param`].
    pub mutable: bool,
}

impl Type {
    pub const fn new(kind: TypeKind, span: Span) -> Self {
        Self {
            kind,
            span,
            reference: false,
            mutable: false,
        }
    }

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
            TypeKind::Function(params, output) => {
                params.iter().for_each(|ty| ty.paths(out));
                if let Some(output) = output {
                    output.paths(out);
                }
            }
            TypeKind::Path(path) => {
                out.push(path);
                for segment in &path.segments {
                    for argument in &segment.generics {
                        if let GenericArg::Type(ty) = argument {
                            ty.paths(out);
                        }
                    }
                    segment.bindings.iter().for_each(|(_, ty)| ty.paths(out));
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
    /// `fn(A) -> B`: any function or closure.
    Function(Vec<Type>, Option<Box<Type>>),
    /// `_`, or the omitted type of `self` or of a closure's parameter, or a closure's or an
    /// iterator's as a result.
    Unknown,
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub kind: PatternKind,
    pub span: Span,
}

impl Pattern {
    /// Adds the names that it binds unless they are those of constants.
    pub fn bound(&self, names: &mut HashSet<Symbol>) {
        match &self.kind {
            PatternKind::Wild
            | PatternKind::Constant(_)
            | PatternKind::Int(..)
            | PatternKind::Range(..)
            | PatternKind::Bool(_)
            | PatternKind::Text(_) => {}
            PatternKind::Bind(name) => {
                names.insert(*name);
            }
            PatternKind::At(name, inner) => {
                names.insert(*name);
                inner.bound(names);
            }
            PatternKind::Tuple(elements)
            | PatternKind::Array(elements)
            | PatternKind::TupleStruct(_, elements) => {
                names.extend(elements.bound);
                elements
                    .patterns
                    .iter()
                    .for_each(|pattern| pattern.bound(names));
            }
            PatternKind::Struct(_, fields, _) => {
                fields.iter().for_each(|(_, pattern)| pattern.bound(names));
            }
            PatternKind::Or(patterns) => patterns.iter().for_each(|pattern| pattern.bound(names)),
        }
    }
}

/// A sequence of patterns, with the position of `..` in it.
#[derive(Clone, Debug)]
pub struct Elements {
    pub patterns: Vec<Pattern>,
    /// Number of patterns before `..`, if there is one.
    pub rest: Option<usize>,
    /// Name of what `..` stands for: `[first, rest @ ..]`.
    pub bound: Option<Symbol>,
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
    /// A name, which is bound unless it is that of a constant or of a variant.
    Bind(Symbol),
    Tuple(Elements),
    Array(Elements),
    Struct(Path, Vec<(Symbol, Pattern)>, Rest),
    TupleStruct(Path, Elements),
    /// A constant or variant whose path has several segments.
    Constant(Path),
    /// Least and largest value, and the suffix if there is one.
    Int(i128, i128, Option<IntType>),
    /// A range with a constant as an end, and whether it includes its last end.
    Range(Option<Box<Expr>>, Option<Box<Expr>>, bool),
    Bool(bool),
    Text(Rc<str>),
    Or(Vec<Pattern>),
    /// `name @ pattern`
    At(Symbol, Box<Pattern>),
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
    /// Their types are [`TypeKind::Unknown`] if none are written.
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

/// A generic parameter: a type, or a constant. A parameter of type `impl Trait` makes one whose name
/// has a space.
#[derive(Clone, Debug)]
pub struct GenericParam {
    pub name: Symbol,
    pub constant: bool,
    /// The type of a constant that is no `bool`.
    pub integer: Option<IntType>,
    /// The traits by which a type parameter is bounded where it is declared, without `Sized` and
    /// lifetimes.
    pub bounds: Vec<Path>,
    /// What it stands for where fewer arguments are written; only of structs and enums.
    pub default: Option<GenericArg>,
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
    /// Whether its name is `mut`: another value may be assigned to it.
    pub reassigned: bool,
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
    /// Whether it is a `static`, out of which nothing is moved.
    pub is_static: bool,
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

/// A variant of an enum, or what a struct holds.
#[derive(Debug)]
pub struct Variant {
    pub name: Symbol,
    /// `struct S;`, whose name is a value.
    pub unit: bool,
    /// `struct S { .. }`, whose name is neither a value nor a function.
    pub named: bool,
    pub fields: Vec<(Symbol, Type)>,
    /// Visibilities of the fields. `S(..)` is visible where all fields are.
    pub visibilities: Vec<Visibility>,
    pub discriminant: Option<Expr>,
    /// Whether it has the attribute `#[default]`.
    pub default: bool,
}

/// A struct or an enum. A struct has one variant, of its own name.
#[derive(Debug)]
pub struct Struct {
    pub name: Symbol,
    pub is_enum: bool,
    pub generics: Vec<GenericParam>,
    pub variants: Vec<Variant>,
    /// The type of an enum's discriminants, if a `repr` says it.
    pub repr: Option<IntType>,
    /// Names of the traits that it derives.
    pub derives: Vec<Symbol>,
}

impl Struct {
    pub fn variant(&self, number: usize) -> &Variant {
        &self.variants[number]
    }

    /// Returns whether it is an enum that `as` makes an integer of.
    pub fn is_castable(&self) -> bool {
        let is_plain =
            |one: &Variant| one.fields.is_empty() && (one.unit || one.discriminant.is_none());
        self.is_enum && self.variants.iter().all(is_plain)
    }

    pub fn derives(&self, name: &str) -> bool {
        self.derives.iter().any(|derived| *derived == name)
    }
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
