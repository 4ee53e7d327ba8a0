//! Changes of files: fields are replaced by other values, or bytes are changed.

use droste_native::changes::{Node, Path, Width, integer};
use droste_native::field::MODULUS;
use rand::rngs::SmallRng;
use rand::{Rng, RngExt};

/// How a node of the tree is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// The next integer or field element.
    Plus,
    /// The previous integer or field element.
    Minus,
    /// Zero, or a list of zeros.
    Zero,
    /// The largest value that can be encoded.
    Largest,
    /// A random value that can be encoded.
    Random,
    /// An integer that is a boundary for sizes: 1, 31, 63, 64, a power of two.
    Boundary,
    /// One bit flipped.
    Flip,
    /// The value at the same place of another valid file of the same shape.
    Donor,
    /// The value at another place of the same kind.
    Sibling,
    /// The value at a place of any kind.
    Stranger,
    /// An encoding at or above the modulus.
    NotCanonical,
    /// An integer encoded in more bytes than necessary.
    LongForm,
    /// An optional value is removed.
    Absent,
    /// An optional value is added.
    Present,
    /// One element of a list is removed.
    Drop,
    /// The last element of a list is removed.
    DropLast,
    /// One element of a list is repeated.
    Duplicate,
    /// One element of the donor's list is appended.
    Extend,
    /// Two children are exchanged.
    Swap,
    /// The children are in reverse order.
    Reverse,
    /// The children are rotated by one.
    Rotate,
    /// A list or text is emptied.
    Clear,
    /// The elements of a list are repeated.
    Double,
    /// Another variant with the same content.
    Variant,
    /// Text that is not valid UTF-8.
    NotText,
}

impl Operator {
    /// Returns the operators that can change this node.
    pub const fn of(node: &Node) -> &'static [Self] {
        use Operator::{
            Absent, Boundary, Clear, Donor, Double, Drop, DropLast, Duplicate, Extend, Flip,
            Largest, LongForm, Minus, NotCanonical, NotText, Plus, Present, Random, Reverse,
            Rotate, Sibling, Stranger, Swap, Variant, Zero,
        };
        match node {
            Node::Number(..) => &[
                Plus, Minus, Zero, Largest, Random, Boundary, Flip, Donor, Sibling, LongForm,
            ],
            Node::Element(_) => &[
                Plus,
                Minus,
                Zero,
                Largest,
                Random,
                Flip,
                Donor,
                Sibling,
                Stranger,
                NotCanonical,
            ],
            Node::Bytes(_) => &[Zero, Largest, Random, Flip, Donor, Sibling, Stranger],
            Node::Text(_) => &[Plus, Clear, Flip, Donor, Sibling, Double, NotText],
            Node::Option(Some(_)) => &[Absent, Donor, Sibling],
            Node::Option(None) => &[Present],
            Node::List(_) => &[
                Drop, DropLast, Duplicate, Extend, Swap, Reverse, Rotate, Clear, Double, Donor,
                Sibling, Stranger,
            ],
            Node::Fields(_) => &[Swap, Rotate, Donor, Sibling, Stranger],
            Node::Variant(..) => &[Variant, Donor, Sibling],
            Node::Raw(_) => &[],
        }
    }
}

/// The fields of a file, and another file of the same shape to take values from.
pub struct Fields {
    honest: Node,
    donor: Node,
    /// Kinds of places, each with its places.
    kinds: Vec<(String, Vec<Path>)>,
}

/// A changed file, and how it was changed.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Kind of the place that was changed.
    pub place: String,
    /// How it was changed.
    pub operator: String,
    /// Body of the file.
    pub bytes: Vec<u8>,
}

impl Fields {
    /// Takes the fields of `honest`.
    pub fn new(honest: Node, donor: Node) -> Self {
        let mut kinds = std::collections::BTreeMap::<String, Vec<Path>>::new();
        honest.visit(&mut |place| {
            if !place.path.is_empty() {
                let paths = kinds.entry(place.kind.clone()).or_default();
                paths.push(place.path.clone());
            }
            true
        });
        Self {
            honest,
            donor,
            kinds: kinds.into_iter().collect(),
        }
    }

    /// Returns the kinds of places.
    pub fn kinds(&self) -> impl ExactSizeIterator<Item = &str> {
        self.kinds.iter().map(|(kind, _)| kind.as_str())
    }

    /// Returns a copy of the file's tree for [`Self::mutant`] to work on.
    pub fn workspace(&self) -> Node {
        self.honest.clone()
    }

    /// Returns the body of the file with place number `number` changed. Numbers go through the
    /// kinds by turns and start again after the last kind. In one of sixteen cases another place is
    /// changed as well. `workspace` is the same before and after.
    pub fn mutant(&self, workspace: &mut Node, number: usize, rng: &mut SmallRng) -> Mutant {
        let (place, operator, first) = self.change(workspace, number % self.kinds.len(), rng);
        let mut operator = format!("{operator:?}");
        let second = (rng.random_range(0..16) == 0).then(|| {
            operator.push_str(" and another");
            self.change(workspace, rng.random_range(0..self.kinds.len()), rng)
        });
        let mut bytes = vec![];
        workspace.encode(&mut bytes);
        let undo = second.map(|(_, _, undo)| undo).into_iter().chain([first]);
        for (path, old) in undo.flatten() {
            if let Some(node) = workspace.at_mut(&path) {
                *node = old;
            }
        }
        Mutant {
            place,
            operator,
            bytes,
        }
    }

    /// Changes one place of a kind. Returns the kind, the operator, and how to undo the change.
    fn change(&self, tree: &mut Node, kind: usize, rng: &mut SmallRng) -> (String, Operator, Undo) {
        let (name, paths) = &self.kinds[kind];
        let path = &paths[rng.random_range(0..paths.len())];
        let sibling = &paths[rng.random_range(0..paths.len())];
        let (_, strangers) = &self.kinds[rng.random_range(0..self.kinds.len())];
        let stranger = &strangers[rng.random_range(0..strangers.len())];
        let context = Context {
            donor: self.donor.at(path),
            sibling: self.honest.at(sibling),
            stranger: self.honest.at(stranger),
        };
        let node = tree.at_mut(path);
        let operators = node.as_deref().map_or(&[][..], Operator::of);
        let operator = match operators.len() {
            // An earlier change of the same file removed the place.
            0 => Operator::Zero,
            count => operators[rng.random_range(0..count)],
        };
        let undo = node.map(|node| {
            let old = node.clone();
            context.apply(operator, node, rng);
            (path.clone(), old)
        });
        (name.clone(), operator, undo)
    }
}

/// A place and its previous content.
type Undo = Option<(Path, Node)>;

/// Other values that an operator can take.
struct Context<'a> {
    donor: Option<&'a Node>,
    sibling: Option<&'a Node>,
    stranger: Option<&'a Node>,
}

impl Context<'_> {
    fn apply(&self, operator: Operator, node: &mut Node, rng: &mut SmallRng) {
        let other = match operator {
            Operator::Donor => self.donor,
            Operator::Sibling => self.sibling,
            Operator::Stranger => self.stranger,
            _ => None,
        };
        if let Some(other) = other {
            *node = other.clone();
            return;
        }
        match node {
            Node::Number(value, width) => {
                let max = width.max();
                let changed = match operator {
                    Operator::LongForm => {
                        *node = Node::Raw(long_form(*value, *width, rng));
                        return;
                    }
                    Operator::Plus => value.wrapping_add(1),
                    Operator::Minus => value.wrapping_sub(1),
                    Operator::Zero => 0,
                    Operator::Largest => max - rng.random_range(0..2),
                    Operator::Boundary => {
                        let powers = 1 << rng.random_range(0..64);
                        [1, 2, 24, 31, 63, 64, 255, powers][rng.random_range(0..8)]
                    }
                    Operator::Flip => *value ^ 1 << rng.random_range(0..8),
                    _ => rng.random_range(0..=max),
                };
                *value = changed & max;
            }
            Node::Element(value) => {
                *value = match operator {
                    Operator::NotCanonical => {
                        let above = MODULUS + rng.random_range(0..=u32::MAX - MODULUS);
                        let same = value.checked_add(MODULUS).unwrap_or(u32::MAX);
                        [MODULUS, same, above, u32::MAX][rng.random_range(0..4)]
                    }
                    Operator::Plus => (*value + 1) % MODULUS,
                    Operator::Minus => (*value + MODULUS - 1) % MODULUS,
                    Operator::Zero => 0,
                    Operator::Largest => MODULUS - 1,
                    Operator::Flip => (*value ^ 1 << rng.random_range(0..31)) % MODULUS,
                    _ => rng.random_range(0..MODULUS),
                }
            }
            Node::Bytes(bytes) => match operator {
                Operator::Zero => bytes.fill(0),
                Operator::Largest => bytes.fill(u8::MAX),
                Operator::Flip => flip(bytes, rng),
                _ => rng.fill_bytes(bytes),
            },
            Node::Text(text) => match operator {
                Operator::Clear => text.clear(),
                Operator::Double => *text = text.repeat(2),
                Operator::Plus => text.push('x'),
                Operator::NotText => {
                    let mut bytes = vec![];
                    integer(text.len() as u64, &mut bytes);
                    bytes.resize(bytes.len() + text.len(), 0xff);
                    *node = Node::Raw(bytes);
                }
                // Replaces a character, or appends one.
                _ => {
                    let at = rng.random_range(0..=text.len());
                    let kept: String = text.chars().take(at).collect();
                    *text = format!("{kept}q{}", text.chars().skip(at + 1).collect::<String>());
                }
            },
            Node::Option(content) => {
                *content = match operator {
                    Operator::Present => self.stranger.cloned().map(Box::new),
                    _ => None,
                }
            }
            Node::List(items) => self.list(operator, items, rng),
            Node::Fields(fields) => match operator {
                Operator::Rotate if !fields.is_empty() => fields.rotate_left(1),
                _ => swap(fields, rng),
            },
            Node::Variant(index, _) => *index = (*index + rng.random_range(1..4)) % 4,
            Node::Raw(_) => {}
        }
    }

    fn list(&self, operator: Operator, items: &mut Vec<Node>, rng: &mut SmallRng) {
        let from_donor = || match self.donor {
            Some(Node::List(others)) => others.last().cloned(),
            _ => None,
        };
        match operator {
            Operator::Extend => {
                let more = from_donor().or_else(|| self.stranger.cloned());
                items.extend(more);
            }
            Operator::Clear => items.clear(),
            Operator::Double => items.extend(items.clone()),
            Operator::Reverse => items.reverse(),
            Operator::DropLast => drop(items.pop()),
            _ if items.is_empty() => items.extend(self.stranger.cloned()),
            Operator::Rotate => items.rotate_left(1),
            Operator::Drop => drop(items.remove(rng.random_range(0..items.len()))),
            Operator::Duplicate => {
                let at = rng.random_range(0..items.len());
                items.insert(at, items[at].clone());
            }
            _ => swap(items, rng),
        }
    }
}

fn swap<T>(items: &mut [T], rng: &mut SmallRng) {
    if items.len() > 1 {
        let a = rng.random_range(0..items.len());
        let b = rng.random_range(0..items.len());
        items.swap(a, b);
    }
}

fn flip(bytes: &mut [u8], rng: &mut SmallRng) {
    if !bytes.is_empty() {
        let at = rng.random_range(0..bytes.len());
        bytes[at] ^= 1 << rng.random_range(0..8);
    }
}

/// Encodes an integer in more bytes than necessary.
fn long_form(value: u64, width: Width, rng: &mut SmallRng) -> Vec<u8> {
    if width == Width::Byte {
        return vec![value as u8, 0];
    }
    let mut bytes = vec![];
    match rng.random_range(0..3) {
        0 if value <= u64::from(u16::MAX) => {
            bytes.push(251);
            bytes.extend((value as u16).to_le_bytes());
        }
        1 if value <= u64::from(u32::MAX) => {
            bytes.push(252);
            bytes.extend((value as u32).to_le_bytes());
        }
        _ => {
            bytes.push(253);
            bytes.extend(value.to_le_bytes());
        }
    }
    bytes
}

/// Changes bytes of a file, header included. `donor` is another valid file.
pub fn raw(honest: &[u8], donor: &[u8], rng: &mut SmallRng) -> Mutant {
    let mut bytes = honest.to_vec();
    let length = bytes.len();
    let at = rng.random_range(0..length);
    let end = (at + 1 + rng.random_range(0..64)).min(length);
    // Half of the changes are at the beginning of the file, a small part that has lengths, settings
    // and names.
    let early = if rng.random_range(0..2) == 0 {
        at
    } else {
        at % 256.min(length)
    };
    let operator = match rng.random_range(0..12) {
        0 => {
            flip(&mut bytes, rng);
            "flip of a bit"
        }
        1 => {
            for _ in 0..rng.random_range(2..9) {
                flip(&mut bytes, rng);
            }
            "flips of some bits"
        }
        2 => {
            bytes[early] = rng.random();
            "another byte"
        }
        3 => {
            bytes.truncate(at);
            "cut"
        }
        4 => {
            bytes.drain(at..end);
            "bytes taken out"
        }
        5 => {
            let more: Vec<u8> = (0..end - at).map(|_| rng.random()).collect();
            bytes.splice(at..at, more);
            "bytes put in"
        }
        6 => {
            let more = bytes[at..end].to_vec();
            bytes.splice(at..at, more);
            "bytes repeated"
        }
        7 => {
            bytes.truncate(at);
            bytes.extend(donor.iter().skip(at));
            "the end of another file"
        }
        8 => {
            bytes.extend((0..end - at).map(|_| rng.random::<u8>()));
            "bytes after the end"
        }
        9 => {
            let mark = rng.random_range(250..=255);
            let claim: u64 = rng.random::<u64>() >> rng.random_range(0..64);
            bytes.splice(
                early..early + 1,
                std::iter::once(mark).chain(claim.to_le_bytes()),
            );
            "a length of any size"
        }
        10 => {
            bytes[at % 16.min(length)] = rng.random_range(0..4);
            "a small number in the header"
        }
        _ => {
            let other = rng.random_range(0..length);
            let count = (end - at).min(length - other.max(at));
            for i in 0..count {
                bytes.swap(at + i, other + i);
            }
            "bytes exchanged"
        }
    };
    Mutant {
        place: "raw".into(),
        operator: operator.into(),
        bytes,
    }
}
