//! Statements: lists of calls of one hash, with the input and the output of each.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use droste_native::hash::keccak::keccak_f;
use thiserror::Error;

use crate::keccak;
use crate::native;
use crate::shape::StatementShape;

/// Bytes of an element of GF(2^128), of which inputs and outputs are lists, filled up with zeros.
pub const ELEMENT_BYTES: usize = 16;

/// A function whose calls are proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hash {
    /// The compression function of BLAKE3 (its paper, section 2.2), with all 16 words of output.
    ///
    /// Input: chaining value (32 bytes), block (64), counter (8), length of the block (4), flags
    /// (4). Output: 64 bytes, of which the first 32 are the next chaining value.
    Blake3,
    /// The compression function of BLAKE2s (RFC 7693, section 3.2).
    ///
    /// Input: state `h` (32 bytes), block (64), offset `t` (8), the words that are
    /// exclusive-ored into `v[14]` (all ones in the last block) and `v[15]` (4 each). Output: the
    /// next `h`, 32 bytes.
    Blake2s,
    /// The permutation Keccak-f of 1600 bits (FIPS 202, section 3.3).
    ///
    /// Input and output: 25 lanes `x + 5 y` of 8 bytes.
    KeccakF,
    /// Keccak-f of a state whose rate and capacity share no element, as a sponge with a rate of 17
    /// lanes needs it that overwrites its rate. It is only called in
    /// [graphs](crate::graph::HashGraph).
    ///
    /// Input and output: lanes 0 to 16, 8 bytes that stand for nothing, lanes 17 to 24. An input
    /// may have anything there, but graphs have zeros; an output has zeros.
    KeccakRate,
}

impl Hash {
    /// Those of which there are lists and paths, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Blake3, Self::Blake2s, Self::KeccakF];

    /// Those of which there are graphs, which are all, in the order of their numbers.
    pub const OF_GRAPHS: [Self; 4] = [Self::Blake3, Self::Blake2s, Self::KeccakF, Self::KeccakRate];

    /// The number that stands for the hash in transcripts.
    pub const fn number(self) -> u8 {
        match self {
            Self::Blake3 => 0,
            Self::Blake2s => 1,
            Self::KeccakF => 2,
            Self::KeccakRate => 3,
        }
    }

    /// The hash that has this number, of those of graphs.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::OF_GRAPHS.get(usize::from(number)).copied()
    }

    /// Whether there are lists and paths of it, and not only graphs.
    pub(crate) const fn is_listed(self) -> bool {
        !matches!(self, Self::KeccakRate)
    }

    /// Name, as the command line has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blake3 => "blake3",
            Self::Blake2s => "blake2s",
            Self::KeccakF => "keccak-f",
            Self::KeccakRate => "keccak-rate",
        }
    }

    /// Bytes of a call's input. All numbers in it are little-endian.
    pub const fn input_bytes(self) -> usize {
        match self {
            Self::Blake3 | Self::Blake2s => 112,
            Self::KeccakF => 200,
            Self::KeccakRate => 208,
        }
    }

    /// Bytes of a call's output.
    pub const fn output_bytes(self) -> usize {
        match self {
            Self::Blake3 => 64,
            Self::Blake2s => 32,
            Self::KeccakF => 200,
            Self::KeccakRate => 208,
        }
    }

    /// Elements of a call's input.
    pub const fn input_elements(self) -> usize {
        self.input_bytes().div_ceil(ELEMENT_BYTES)
    }

    /// Elements of a call's output.
    pub const fn output_elements(self) -> usize {
        self.output_bytes().div_ceil(ELEMENT_BYTES)
    }

    /// Most calls of a statement: those whose traces have 2^26 elements, with which a proof has
    /// 100.5 bits and is made in some six GiB. The commitment goes on to twice as many
    /// ([`Settings::MAX_VARIABLES`](crate::opening::Settings::MAX_VARIABLES)), with less of the one
    /// and twice the other.
    pub const fn max_calls(self) -> usize {
        match self {
            Self::Blake3 => 1 << 19,
            Self::Blake2s => 1 << 18,
            Self::KeccakF | Self::KeccakRate => 1 << 17,
        }
    }

    /// The output for an input.
    ///
    /// # Errors
    /// [`StatementError::Length`] if the input has another length.
    pub fn output(self, input: &[u8]) -> Result<Vec<u8>, StatementError> {
        self.check_length("input", 0, input, self.input_bytes())?;
        Ok(self.apply(input))
    }

    /// The output for an input, whose length is right.
    pub(crate) fn apply(self, input: &[u8]) -> Vec<u8> {
        match self {
            Self::Blake3 => bytes_of(&native::blake3(&words_of(input))),
            Self::Blake2s => bytes_of(&native::blake2s(&words_of(input))),
            Self::KeccakF => permuted::<false>(input),
            Self::KeccakRate => permuted::<true>(input),
        }
    }

    fn check_length(
        self,
        part: &'static str,
        call: usize,
        bytes: &[u8],
        expected: usize,
    ) -> Result<(), StatementError> {
        if bytes.len() == expected {
            Ok(())
        } else {
            Err(StatementError::Length {
                hash: self,
                part,
                call,
                expected,
                found: bytes.len(),
            })
        }
    }
}

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Keccak-f of a state's bytes, whose lanes lie as [`keccak::word`] says.
fn permuted<const IS_SPLIT: bool>(input: &[u8]) -> Vec<u8> {
    let mut lanes = keccak::lanes::<IS_SPLIT>(input);
    keccak_f(&mut lanes);
    keccak::bytes::<IS_SPLIT>(&lanes)
}

/// Why a list of calls is not a statement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StatementError {
    /// There are no lists of calls of this hash.
    #[error("there are no lists of calls of {0}, only graphs")]
    OnlyGraphs(Hash),
    /// There are no calls.
    #[error("the list has no calls of {0}, expected at least one")]
    Empty(Hash),
    /// There are more calls than one proof has.
    #[error(
        "the list has {found} calls of {hash}, expected at most {most} in one proof: split the \
         list"
    )]
    TooManyCalls {
        /// Hash of the calls.
        hash: Hash,
        /// Number of calls.
        found: usize,
        /// Most calls of a statement, [`Hash::max_calls`].
        most: usize,
    },
    /// An input or output does not have the length that the hash takes or gives.
    #[error("{part} of call {call} of {hash} has {found} bytes, expected {expected}")]
    Length {
        /// Hash of the call.
        hash: Hash,
        /// `input` or `output`.
        part: &'static str,
        /// Index of the call.
        call: usize,
        /// Bytes that it should have.
        expected: usize,
        /// Bytes that it has.
        found: usize,
    },
}

/// A list of calls of one hash, each with its input and its output: what a proof is about.
///
/// It has between 1 and [`Hash::max_calls`] calls. Whether the outputs are those of the inputs is
/// what a proof shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashCalls {
    hash: Hash,
    /// Input and output of each call, one after the other.
    bytes: Vec<u8>,
}

impl HashCalls {
    /// A statement of pairs of input and output.
    ///
    /// # Errors
    /// [`StatementError`].
    pub fn new<I: AsRef<[u8]>, O: AsRef<[u8]>>(
        hash: Hash,
        calls: impl IntoIterator<Item = (I, O)>,
    ) -> Result<Self, StatementError> {
        if !hash.is_listed() {
            return Err(StatementError::OnlyGraphs(hash));
        }
        let mut bytes = vec![];
        let mut found = 0;
        for (call, (input, output)) in calls.into_iter().enumerate() {
            let (input, output) = (input.as_ref(), output.as_ref());
            hash.check_length("input", call, input, hash.input_bytes())?;
            hash.check_length("output", call, output, hash.output_bytes())?;
            found = call + 1;
            if found <= hash.max_calls() {
                bytes.extend_from_slice(input);
                bytes.extend_from_slice(output);
            }
        }
        let most = hash.max_calls();
        match found {
            0 => Err(StatementError::Empty(hash)),
            _ if found > most => Err(StatementError::TooManyCalls { hash, found, most }),
            _ => Ok(Self { hash, bytes }),
        }
    }

    /// The true statement about these inputs.
    ///
    /// # Errors
    /// [`StatementError`].
    pub fn of_inputs<I: AsRef<[u8]>>(
        hash: Hash,
        inputs: impl IntoIterator<Item = I>,
    ) -> Result<Self, StatementError> {
        let mut calls = vec![];
        for (call, input) in inputs.into_iter().enumerate() {
            let bytes = input.as_ref();
            hash.check_length("input", call, bytes, hash.input_bytes())?;
            let output = hash.output(bytes)?;
            calls.push((input, output));
        }
        Self::new(hash, calls)
    }

    /// The hash that is called.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// The shape of the statement.
    pub const fn shape(&self) -> StatementShape {
        StatementShape::Calls {
            hash: self.hash,
            calls: self.len(),
        }
    }

    /// Number of calls.
    #[allow(clippy::len_without_is_empty, reason = "a statement is never empty")]
    pub const fn len(&self) -> usize {
        self.bytes.len() / (self.hash.input_bytes() + self.hash.output_bytes())
    }

    /// Input and output of each call.
    pub fn calls(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> {
        let (input, output) = (self.hash.input_bytes(), self.hash.output_bytes());
        let calls = self.bytes.chunks_exact(input + output);
        calls.map(move |call| call.split_at_checked(input).unwrap_or_default())
    }
}

/// Little-endian words of an input of a compression function.
pub fn words_of(input: &[u8]) -> [u32; 28] {
    let mut words = [0; 28];
    for (word, bytes) in words.iter_mut().zip(input.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// Words as bytes, little-endian.
pub fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_hashes() {
        let hashes: Vec<Hash> = (0..=u8::MAX).filter_map(Hash::of_number).collect();
        assert_eq!(hashes, Hash::OF_GRAPHS);
        for (number, hash) in hashes.into_iter().enumerate() {
            assert_eq!(usize::from(hash.number()), number);
            assert_eq!(Hash::ALL.contains(&hash), hash.is_listed(), "{hash}");
        }
    }

    #[test]
    fn not_every_hash_has_lists() {
        let hash = Hash::KeccakRate;
        let error = HashCalls::of_inputs(hash, [[0; 208]]).unwrap_err();
        assert_eq!(error, StatementError::OnlyGraphs(hash));
        let none: [(&[u8], &[u8]); 0] = [];
        assert_eq!(HashCalls::new(hash, none).unwrap_err(), error);
    }

    #[test]
    fn lists_have_limits() {
        let input = vec![0; 112];
        let none: [(&[u8], &[u8]); 0] = [];
        let error = HashCalls::new(Hash::Blake3, none).unwrap_err();
        assert_eq!(error, StatementError::Empty(Hash::Blake3));
        let error = HashCalls::new(Hash::Blake3, [(&input, [0; 32])]).unwrap_err();
        let expected = StatementError::Length {
            hash: Hash::Blake3,
            part: "output",
            call: 0,
            expected: 64,
            found: 32,
        };
        assert_eq!(error, expected);
        let error = HashCalls::of_inputs(Hash::KeccakF, [&input]).unwrap_err();
        let expected = StatementError::Length {
            hash: Hash::KeccakF,
            part: "input",
            call: 0,
            expected: 200,
            found: 112,
        };
        assert_eq!(error, expected);
        for hash in Hash::ALL {
            let (input, output) = (vec![0; hash.input_bytes()], vec![0; hash.output_bytes()]);
            let calls = |calls| HashCalls::new(hash, std::iter::repeat_n((&input, &output), calls));
            let most = hash.max_calls();
            assert_eq!(calls(most).unwrap().len(), most);
            let found = most + 1;
            let error = StatementError::TooManyCalls { hash, found, most };
            assert_eq!(calls(found), Err(error));
        }
    }
}
