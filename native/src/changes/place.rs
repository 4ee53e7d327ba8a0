//! Where the parts of a value are.

use std::collections::BTreeMap;

use super::Node;

/// The way from the root to a node: an index per level.
pub type Path = Vec<u32>;

/// A node, and where it is.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// The way to it by names, such as `rounds[2].queries[0].row`. An optional value is `some` of
    /// its option, the content of a choice `variant` of it.
    pub name: String,
    /// The same for all places like it: `rounds.*.queries.*.row`.
    pub kind: String,
    /// The way to it.
    pub path: Path,
    /// Its index, and how many there are, if it is an element of a list or array.
    pub element: Option<(usize, usize)>,
    /// What is there.
    pub node: &'a Node,
    /// Where its encoding begins in that of the root.
    pub(super) start: usize,
}

impl Place<'_> {
    /// Whether it is an integer, a field element, or an array of bytes.
    pub const fn is_number(&self) -> bool {
        matches!(
            self.node,
            Node::Number(..) | Node::Element(_) | Node::Bytes(_)
        )
    }

    /// Whether it is a list.
    pub const fn is_list(&self) -> bool {
        matches!(self.node, Node::List(_))
    }

    /// Whether it is the first or the last element, or no element.
    pub fn is_end(&self) -> bool {
        self.element
            .is_none_or(|(index, count)| index == 0 || index + 1 == count)
    }
}

/// Places by their kinds.
pub fn by_kind<'a>(
    places: impl IntoIterator<Item = Place<'a>>,
) -> BTreeMap<String, Vec<Place<'a>>> {
    let mut kinds = BTreeMap::<String, Vec<Place<'a>>>::new();
    for place in places {
        kinds.entry(place.kind.clone()).or_default().push(place);
    }
    kinds
}

/// All of a few places, and a part of many: at most `most`.
///
/// # Panics
/// If `most` is zero.
pub fn sample(places: Vec<Place<'_>>, most: usize) -> impl Iterator<Item = Place<'_>> {
    let step = places.len() / most + 1;
    places.into_iter().step_by(step)
}
