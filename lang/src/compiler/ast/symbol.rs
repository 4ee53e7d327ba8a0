//! Interned names.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

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
