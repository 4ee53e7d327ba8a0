//! `std::option` in the language.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Option<T> {
    #[default]
    None,
    Some(T),
}

impl<T> Option<T> {
    pub fn is_some(&self) -> bool {
        matches!(self, Some(_))
    }

    pub fn is_none(&self) -> bool {
        matches!(self, None)
    }

    pub fn is_some_and(self, f: impl FnOnce(T) -> bool) -> bool {
        match self {
            Some(value) => f(value),
            None => false,
        }
    }

    pub fn is_none_or(self, f: impl FnOnce(T) -> bool) -> bool {
        match self {
            Some(value) => f(value),
            None => true,
        }
    }

    pub fn unwrap(self) -> T {
        match self {
            Some(value) => value,
            None => panic!("called `Option::unwrap()` on a `None` value"),
        }
    }

    pub fn expect(self, message: &str) -> T {
        match self {
            Some(value) => value,
            None => panic!("called `Option::expect()` on a `None` value"),
        }
    }

    pub fn unwrap_or(self, default: T) -> T {
        match self {
            Some(value) => value,
            None => default,
        }
    }

    pub fn unwrap_or_else<F: FnOnce() -> T>(self, f: F) -> T {
        match self {
            Some(value) => value,
            None => f(),
        }
    }

    pub fn unwrap_or_default(self) -> T {
        match self {
            Some(value) => value,
            None => __default::<T>(),
        }
    }

    pub fn map<U, F: FnOnce(T) -> U>(self, f: F) -> Option<U> {
        match self {
            Some(value) => Some(f(value)),
            None => None,
        }
    }

    pub fn inspect<F: FnOnce(&T)>(self, f: F) -> Option<T> {
        match self {
            Some(value) => {
                f(&value);
                Some(value)
            }
            None => None,
        }
    }

    pub fn map_or<U, F: FnOnce(T) -> U>(self, default: U, f: F) -> U {
        match self {
            Some(value) => f(value),
            None => default,
        }
    }

    pub fn map_or_else<U, D: FnOnce() -> U, F: FnOnce(T) -> U>(self, default: D, f: F) -> U {
        match self {
            Some(value) => f(value),
            None => default(),
        }
    }

    pub fn and<U>(self, other: Option<U>) -> Option<U> {
        match self {
            Some(_) => other,
            None => None,
        }
    }

    pub fn and_then<U, F: FnOnce(T) -> Option<U>>(self, f: F) -> Option<U> {
        match self {
            Some(value) => f(value),
            None => None,
        }
    }

    pub fn or(self, other: Option<T>) -> Option<T> {
        match self {
            Some(value) => Some(value),
            None => other,
        }
    }

    pub fn or_else<F: FnOnce() -> Option<T>>(self, f: F) -> Option<T> {
        match self {
            Some(value) => Some(value),
            None => f(),
        }
    }

    pub fn xor(self, other: Option<T>) -> Option<T> {
        match (self, other) {
            (Some(value), None) | (None, Some(value)) => Some(value),
            _ => None,
        }
    }

    pub fn filter<P: FnOnce(&T) -> bool>(self, predicate: P) -> Option<T> {
        match self {
            Some(value) => {
                if predicate(&value) {
                    Some(value)
                } else {
                    None
                }
            }
            None => None,
        }
    }

    pub fn ok_or<E>(self, error: E) -> Result<T, E> {
        match self {
            Some(value) => Ok(value),
            None => Err(error),
        }
    }

    pub fn ok_or_else<E, F: FnOnce() -> E>(self, error: F) -> Result<T, E> {
        match self {
            Some(value) => Ok(value),
            None => Err(error()),
        }
    }

    pub fn zip<U>(self, other: Option<U>) -> Option<(T, U)> {
        match (self, other) {
            (Some(one), Some(other)) => Some((one, other)),
            _ => None,
        }
    }

    pub fn take(&mut self) -> Option<T> {
        std::mem::replace(self, None::<T>)
    }

    pub fn replace(&mut self, value: T) -> Option<T> {
        std::mem::replace(self, Some(value))
    }

    pub fn as_ref(&self) -> Option<&T> {
        match self {
            Some(value) => Some(value),
            None => None,
        }
    }

    /// Of a `Vec` it gives a slice, which is the same value here.
    pub fn as_deref(&self) -> Option<&T> {
        self.as_ref()
    }

    pub fn as_mut(&mut self) -> Option<&mut T> {
        match self {
            Some(value) => Some(value),
            None => None,
        }
    }

    pub fn insert(&mut self, value: T) -> &mut T {
        *self = Some(value);
        self.as_mut().unwrap()
    }

    pub fn get_or_insert(&mut self, value: T) -> &mut T {
        if self.is_none() {
            *self = Some(value);
        }
        self.as_mut().unwrap()
    }

    pub fn get_or_insert_with<F: FnOnce() -> T>(&mut self, f: F) -> &mut T {
        if self.is_none() {
            *self = Some(f());
        }
        self.as_mut().unwrap()
    }

    pub fn into_iter(self) -> impl Iterator<Item = T> {
        match self {
            Some(value) => [value].into_iter(),
            None => [].into_iter(),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        match self {
            Some(value) => [value].into_iter(),
            None => [].into_iter(),
        }
    }
}

// Of references: what is behind one has the same type to the compiler.
impl<T> Option<T> {
    pub fn copied(self) -> Option<T> {
        match self {
            Some(value) => Some(__clone(value)),
            None => None,
        }
    }

    pub fn cloned(self) -> Option<T> {
        match self {
            Some(value) => Some(__clone(value)),
            None => None,
        }
    }
}

impl<T> Option<Option<T>> {
    pub fn flatten(self) -> Option<T> {
        match self {
            Some(inner) => inner,
            None => None,
        }
    }
}

impl<T, U> Option<(T, U)> {
    pub fn unzip(self) -> (Option<T>, Option<U>) {
        match self {
            Some((one, other)) => (Some(one), Some(other)),
            None => (None, None),
        }
    }
}

impl<T, E> Option<Result<T, E>> {
    pub fn transpose(self) -> Result<Option<T>, E> {
        match self {
            Some(Ok(value)) => Ok(Some(value)),
            Some(Err(error)) => Err(error),
            None => Ok(None),
        }
    }
}
