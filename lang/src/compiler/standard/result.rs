//! `std::result` in the language, and errors of the standard library.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Result<T, E> {
    Ok(T),
    Err(E),
}

impl<T, E> Result<T, E> {
    pub fn is_ok(&self) -> bool {
        matches!(self, Ok(_))
    }

    pub fn is_err(&self) -> bool {
        matches!(self, Err(_))
    }

    pub fn is_ok_and(self, f: impl FnOnce(T) -> bool) -> bool {
        match self {
            Ok(value) => f(value),
            Err(_) => false,
        }
    }

    pub fn is_err_and(self, f: impl FnOnce(E) -> bool) -> bool {
        match self {
            Ok(_) => false,
            Err(error) => f(error),
        }
    }

    pub fn ok(self) -> Option<T> {
        match self {
            Ok(value) => Some(value),
            Err(_) => None,
        }
    }

    pub fn err(self) -> Option<E> {
        match self {
            Ok(_) => None,
            Err(error) => Some(error),
        }
    }

    pub fn unwrap(self) -> T {
        match self {
            Ok(value) => value,
            Err(_) => panic!("called `Result::unwrap()` on an `Err` value"),
        }
    }

    pub fn expect(self, message: &str) -> T {
        match self {
            Ok(value) => value,
            Err(_) => panic!("called `Result::expect()` on an `Err` value"),
        }
    }

    pub fn unwrap_err(self) -> E {
        match self {
            Ok(_) => panic!("called `Result::unwrap_err()` on an `Ok` value"),
            Err(error) => error,
        }
    }

    pub fn expect_err(self, message: &str) -> E {
        match self {
            Ok(_) => panic!("called `Result::expect_err()` on an `Ok` value"),
            Err(error) => error,
        }
    }

    pub fn unwrap_or(self, default: T) -> T {
        match self {
            Ok(value) => value,
            Err(_) => default,
        }
    }

    pub fn unwrap_or_else<F: FnOnce(E) -> T>(self, f: F) -> T {
        match self {
            Ok(value) => value,
            Err(error) => f(error),
        }
    }

    pub fn unwrap_or_default(self) -> T {
        match self {
            Ok(value) => value,
            Err(_) => __default::<T>(),
        }
    }

    pub fn map<U, F: FnOnce(T) -> U>(self, f: F) -> Result<U, E> {
        match self {
            Ok(value) => Ok(f(value)),
            Err(error) => Err(error),
        }
    }

    pub fn map_err<O, F: FnOnce(E) -> O>(self, f: F) -> Result<T, O> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(f(error)),
        }
    }

    pub fn map_or<U, F: FnOnce(T) -> U>(self, default: U, f: F) -> U {
        match self {
            Ok(value) => f(value),
            Err(_) => default,
        }
    }

    pub fn map_or_else<U, D: FnOnce(E) -> U, F: FnOnce(T) -> U>(self, default: D, f: F) -> U {
        match self {
            Ok(value) => f(value),
            Err(error) => default(error),
        }
    }

    pub fn and<U>(self, other: Result<U, E>) -> Result<U, E> {
        match self {
            Ok(_) => other,
            Err(error) => Err(error),
        }
    }

    pub fn and_then<U, F: FnOnce(T) -> Result<U, E>>(self, f: F) -> Result<U, E> {
        match self {
            Ok(value) => f(value),
            Err(error) => Err(error),
        }
    }

    pub fn or<F>(self, other: Result<T, F>) -> Result<T, F> {
        match self {
            Ok(value) => Ok(value),
            Err(_) => other,
        }
    }

    pub fn or_else<F, O: FnOnce(E) -> Result<T, F>>(self, f: O) -> Result<T, F> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => f(error),
        }
    }

    pub fn inspect<F: FnOnce(&T)>(self, f: F) -> Result<T, E> {
        match self {
            Ok(value) => {
                f(&value);
                Ok(value)
            }
            Err(error) => Err(error),
        }
    }

    pub fn inspect_err<F: FnOnce(&E)>(self, f: F) -> Result<T, E> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => {
                f(&error);
                Err(error)
            }
        }
    }

    pub fn into_iter(self) -> impl Iterator<Item = T> {
        match self {
            Ok(value) => [value].into_iter(),
            Err(_) => [].into_iter(),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        match self {
            Ok(value) => [value].into_iter(),
            Err(_) => [].into_iter(),
        }
    }

    pub fn as_mut(&mut self) -> Result<&mut T, &mut E> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(error),
        }
    }

    pub fn as_ref(&self) -> Result<&T, &E> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(error),
        }
    }
}

// Of references: what is behind one has the same type to the compiler.
impl<T, E> Result<T, E> {
    pub fn copied(self) -> Result<T, E> {
        match self {
            Ok(value) => Ok(__clone(value)),
            Err(error) => Err(error),
        }
    }

    pub fn cloned(self) -> Result<T, E> {
        match self {
            Ok(value) => Ok(__clone(value)),
            Err(error) => Err(error),
        }
    }
}

impl<T, E> Result<Result<T, E>, E> {
    pub fn flatten(self) -> Result<T, E> {
        match self {
            Ok(inner) => inner,
            Err(error) => Err(error),
        }
    }
}

impl<T, E> Result<Option<T>, E> {
    pub fn transpose(self) -> Option<Result<T, E>> {
        match self {
            Ok(Some(value)) => Some(Ok(value)),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// What `u8::try_from(x)` fails with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TryFromIntError;

/// What `"..".parse::<u8>()` fails with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseIntError {
    kind: IntErrorKind,
}

impl ParseIntError {
    pub fn kind(&self) -> &IntErrorKind {
        &self.kind
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntErrorKind {
    Empty,
    InvalidDigit,
    PosOverflow,
    NegOverflow,
    Zero,
}

/// What `<[u8; 4]>::try_from(list)` fails with.
#[derive(Clone, Copy, Debug)]
pub struct TryFromSliceError;
