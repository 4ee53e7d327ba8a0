//! Where inputs and outputs are in the rows of a call.

use p3_field::PrimeCharacteristicRing;

use super::elements;
use crate::blake::Blake;
use crate::calls::{ELEMENT_BYTES, Hash, bytes_of};
use crate::circuit::{Circuit, PublicRow};
use crate::field::K;
use crate::keccak;
use crate::paths::{input_without_message, message_offset};
use crate::trace::ELEMENTS;

/// A row of a call, and one of its elements.
pub type Place = (usize, usize);

/// Where the elements of a call's input and output are: every public element of every row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The places of each element of the input, one or more.
    inputs: Vec<Vec<Place>>,
    /// The place of each element of the output.
    outputs: Vec<Place>,
    /// What the input's last element has added to it in the rows ([`Blake::last_words`]).
    offset: K,
}

impl Places {
    /// Those of a call of this hash.
    pub fn of(hash: Hash) -> Self {
        let from = |row: usize, first: usize, count: usize| -> Vec<Place> {
            (first..first + count)
                .map(|element| (row, element))
                .collect()
        };
        let compression = |blake: Blake, outputs: usize| {
            let (before, first, end) = (blake.before(), blake.first_round(), blake.end());
            // The compression function has `h` in the row before the first round and in that after
            // the last one, and its second half in the first round, too.
            let mut h = [vec![(before, 6)], vec![(first, 0), (before, 7)]];
            if before != end {
                h[0].push((end, 6));
                h[1].push((end, 7));
            }
            let message = from(first, 2, 4).into_iter().map(|place| vec![place]);
            let offset = bytes_of(&blake.last_words([0; 4]));
            Self {
                inputs: (h.into_iter().chain(message))
                    .chain([vec![(first, 1)]])
                    .collect(),
                outputs: from(end, 2, outputs),
                offset: elements(&offset).sum(),
            }
        };
        match hash {
            Hash::Blake3 => compression(Blake::Blake3, hash.output_elements()),
            Hash::Blake2s => compression(Blake::Blake2s, hash.output_elements()),
            Hash::KeccakF | Hash::KeccakRate => Self {
                inputs: (from(0, 0, hash.input_elements()).into_iter())
                    .map(|place| vec![place])
                    .collect(),
                outputs: from(keccak::ROUNDS, 0, hash.output_elements()),
                offset: K::ZERO,
            },
        }
    }

    /// The first place of each element of the input.
    pub fn inputs(&self) -> impl Iterator<Item = Place> {
        self.inputs
            .iter()
            .filter_map(|places| places.first().copied())
    }

    /// The other places of elements of the input, each with the first one.
    pub fn copies(&self) -> impl Iterator<Item = (Place, Place)> {
        let split = self.inputs.iter().filter_map(|places| places.split_first());
        split.flat_map(|(&first, others)| others.iter().map(move |&other| (first, other)))
    }

    /// The place of each element of the output.
    pub fn outputs(&self) -> &[Place] {
        &self.outputs
    }

    /// The place of each element of an output, and what is there.
    pub fn output_values(&self, output: &[u8]) -> impl Iterator<Item = (Place, K)> {
        self.outputs.iter().copied().zip(elements(output))
    }

    /// The places of each element of the input, then of the output.
    pub fn all(&self) -> impl Iterator<Item = &[Place]> {
        let outputs = self.outputs.iter().map(std::slice::from_ref);
        self.inputs.iter().map(Vec::as_slice).chain(outputs)
    }

    /// What is added to each element of the input in the rows.
    pub fn offsets(&self) -> impl Iterator<Item = K> {
        let zeros = std::iter::repeat_n(K::ZERO, self.inputs.len() - 1);
        zeros.chain([self.offset])
    }

    /// What is in the places that [`Self::all`] has, of a call with this input and output.
    pub fn values(&self, input: &[u8], output: &[u8]) -> impl Iterator<Item = K> {
        let inputs = elements(input).zip(self.offsets());
        inputs
            .map(|(value, offset)| value + offset)
            .chain(elements(output))
    }
}

/// The public rows of a call, in the order of the circuit. Elements that are not public have any
/// value.
pub(crate) fn public_rows(
    hash: Hash,
    circuit: &Circuit,
    input: &[u8],
    output: &[u8],
) -> Vec<[K; ELEMENTS]> {
    let places = Places::of(hash);
    let mut rows = vec![[K::ZERO; ELEMENTS]; circuit.public.len()];
    for (places, value) in places.all().zip(places.values(input, output)) {
        for &(row, element) in places {
            for (public, values) in circuit.public.iter().zip(&mut rows) {
                if public.row == row {
                    values[element] = value;
                }
            }
        }
    }
    rows
}

/// Where a node's children and its digest are: the row, and the first of two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePlaces {
    /// The left child.
    pub left: (usize, usize),
    /// The right child.
    pub right: (usize, usize),
    /// The digest.
    pub output: (usize, usize),
}

/// The elements of public rows that are the same in every node, in the circuit's order, with their
/// values. Other elements have any value.
pub fn node_constants(hash: Hash, circuit: &Circuit) -> Vec<(PublicRow, [K; ELEMENTS])> {
    let places = NodePlaces::of(hash);
    let values = public_rows(hash, circuit, &input_without_message(hash), &[]);
    let constants = circuit.public.iter().map(|public| PublicRow {
        row: public.row,
        elements: public.elements & !places.variable(public.row),
    });
    constants.zip(values).collect()
}

impl NodePlaces {
    /// Those of a node of this hash.
    pub fn of(hash: Hash) -> Self {
        let places = Places::of(hash);
        let message = message_offset(hash) / ELEMENT_BYTES;
        let child = |element: usize| places.inputs[element][0];
        Self {
            left: child(message),
            right: child(message + 2),
            output: places.outputs[0],
        }
    }

    /// The public elements of a row that differ from node to node. Those after the digest, of an
    /// output that is longer, are in no claim.
    const fn variable(&self, row: usize) -> u16 {
        if row == self.output.0 {
            if self.output.1 == 0 {
                u16::MAX
            } else {
                0b1111 << self.output.1
            }
        } else if row == self.left.0 {
            0b1111 << self.left.1
        } else {
            0
        }
    }
}
