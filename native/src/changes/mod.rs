//! Changed values: proofs and files of which one number or one list is another, for tests.
//!
//! A verifier must refuse a proof in whatever place it is changed. [`Changes`] takes a value apart
//! as the [`codec`] does, lists its places by name, and makes the values that differ in one of
//! them.

mod node;
mod place;
#[cfg(test)]
mod tests;
mod tree;

use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::node::{Node, Width, integer};
pub use self::place::{Path, Place, by_kind, sample};
pub use self::tree::tree;
use crate::codec::{self, EncodeError};

/// Edits of a list to another length.
pub const LENGTHS: [fn(&mut Vec<Node>); 3] = [
    |list| list.extend(list.last().cloned()),
    |list| drop(list.pop()),
    Vec::clear,
];

/// A value, and what there is to change in it.
#[derive(Debug)]
pub struct Changes<T> {
    node: Node,
    bytes: Vec<u8>,
    value: PhantomData<fn() -> T>,
}

impl<T: Serialize> Changes<T> {
    /// Takes a value apart.
    ///
    /// # Errors
    /// If the value has a type that no file has, or its nodes do not encode to what the codec
    /// writes.
    pub fn new(value: &T) -> Result<Self, EncodeError> {
        let (node, mut bytes) = (tree(value)?, vec![]);
        node.encode(&mut bytes);
        if !codec::is_body(value, &bytes, 0) {
            let message = "its tree has another encoding than the value";
            return Err(EncodeError(message.into()));
        }
        Ok(Self {
            node,
            bytes,
            value: PhantomData,
        })
    }
}

impl<T> Changes<T> {
    /// The encoding of the value as it is.
    pub fn encoding(&self) -> &[u8] {
        &self.bytes
    }

    /// The places that are chosen, and of those below a place that is not chosen none.
    pub fn places(&self, is_chosen: impl Fn(&Place<'_>) -> bool) -> Vec<Place<'_>> {
        let mut places = vec![];
        self.node.visit(&mut |place| {
            let goes_on = is_chosen(place);
            if goes_on {
                places.push(place.clone());
            }
            goes_on
        });
        places
    }

    /// The places of all numbers.
    pub fn numbers(&self) -> Vec<Place<'_>> {
        let mut places = self.places(|_| true);
        places.retain(Place::is_number);
        places
    }

    /// The places of all lists.
    pub fn lists(&self) -> Vec<Place<'_>> {
        let mut places = self.places(|_| true);
        places.retain(Place::is_list);
        places
    }

    /// The encoding with another node at a place, or nothing if the edit changes nothing.
    pub fn bytes(&self, place: &Place<'_>, edit: impl FnOnce(&mut Node)) -> Option<Vec<u8>> {
        let mut node = place.node.clone();
        edit(&mut node);
        let (mut old, mut new) = (vec![], vec![]);
        place.node.encode(&mut old);
        node.encode(&mut new);
        let (before, rest) = self.bytes.split_at_checked(place.start)?;
        let after = rest.get(old.len()..)?;
        (old != new).then(|| [before, new.as_slice(), after].concat())
    }
}

impl<T: DeserializeOwned> Changes<T> {
    /// The value with another node at a place, or nothing if the edit changes nothing or there is
    /// no such value.
    pub fn with(&self, place: &Place<'_>, edit: impl FnOnce(&mut Node)) -> Option<T> {
        let bytes = self.bytes(place, edit)?;
        codec::decode_body(&bytes, 0, usize::MAX).ok()
    }

    /// As [`with`](Self::with), for an edit of a list.
    pub fn with_list(&self, place: &Place<'_>, edit: impl FnOnce(&mut Vec<Node>)) -> Option<T> {
        self.with(place, |node| {
            if let Node::List(list) = node {
                edit(list);
            }
        })
    }
}
