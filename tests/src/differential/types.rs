//! Types of the values with which programs compute.

/// A built-in integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int {
    /// `u8`
    U8,
    /// `u16`
    U16,
    /// `u32`
    U32,
    /// `u64`
    U64,
    /// `usize`
    Usize,
    /// `i8`
    I8,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `isize`
    Isize,
}

impl Int {
    /// All of these types, first those without sign.
    #[rustfmt::skip]
    pub const ALL: [Self; 10] = [
        Self::U8, Self::U16, Self::U32, Self::U64, Self::Usize,
        Self::I8, Self::I16, Self::I32, Self::I64, Self::Isize,
    ];

    /// Returns the name of the type in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Usize => "usize",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Isize => "isize",
        }
    }

    /// Returns the number of bits of a value.
    pub const fn bits(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 8,
            Self::U16 | Self::I16 => 16,
            Self::U32 | Self::I32 => 32,
            Self::U64 | Self::Usize | Self::I64 | Self::Isize => 64,
        }
    }

    /// Returns whether it has negative values.
    pub const fn signed(self) -> bool {
        matches!(
            self,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::Isize
        )
    }

    /// Returns the largest value.
    pub const fn max(self) -> u64 {
        u64::MAX >> (64 - self.bits() + self.signed() as u32)
    }
}

/// A type of values. Values of every type but `Vec` can be copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// A field element.
    Felt,
    /// An extension element.
    Ext,
    /// Eight field elements.
    Block,
    /// A `bool` that may be known only at run time.
    Flag,
    /// A `bool` known at compile time.
    Bool,
    /// An integer, always known at compile time.
    Int(Int),
    /// An array. In the declaration of a struct, length 0 stands for its parameter `N`.
    Array(Box<Ty>, usize),
    /// A `Vec`, as long as it is at this place of the program.
    Vec(Box<Ty>, usize),
    /// A tuple.
    Tuple(Vec<Ty>),
    /// The struct of this number, with its type argument and its `N`.
    Struct(usize, Option<Box<Ty>>, usize),
    /// In the declaration of a struct, its parameter `T`.
    Parameter,
}

impl Ty {
    /// Makes an array type.
    pub fn array(element: Self, length: usize) -> Self {
        Self::Array(Box::new(element), length)
    }

    /// A `Vec`.
    pub fn vec(element: Self, length: usize) -> Self {
        Self::Vec(Box::new(element), length)
    }

    /// Returns the type with a struct's arguments in place of its parameters.
    pub fn substitute(&self, argument: Option<&Self>, length: usize) -> Self {
        match self {
            Self::Parameter => argument.cloned().unwrap_or(Self::Felt),
            Self::Array(element, n) => {
                let n = if *n == 0 { length } else { *n };
                Self::array(element.substitute(argument, length), n)
            }
            Self::Vec(element, n) => Self::vec(element.substitute(argument, length), *n),
            Self::Tuple(types) => {
                let types = types.iter().map(|ty| ty.substitute(argument, length));
                Self::Tuple(types.collect())
            }
            other => other.clone(),
        }
    }
}

/// A struct of the program.
pub struct Struct {
    /// Name of the struct.
    pub name: String,
    /// Whether the struct is a tuple struct, whose fields have numbers instead of names.
    pub tuple: bool,
    /// Names and types of the fields.
    pub fields: Vec<(String, Ty)>,
    /// Whether it has a type parameter `T`.
    pub generic: bool,
    /// Whether it has a parameter `const N: usize`.
    pub sized: bool,
}
