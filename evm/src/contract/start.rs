//! The beginning of a call: its encoding, and what the transcript observes first.

use droste_native::F;
use p3_field::{PrimeCharacteristicRing, RawDataSerializable};

use super::{Contract, SIGNATURE, selector};
use crate::assembler::{Assembler, Expr, Op, Word, var};
use crate::constraints::word;
use crate::digest::exceeding;
use crate::field::{P, SHIFT};
use crate::transcript::Transcript;

/// Bytes of a selector.
pub(crate) const SELECTOR: u64 = 4;

/// A word of a call.
pub(crate) const WORD: u64 = 32;

/// Where the statement is in the calldata.
const STATEMENT: u64 = 4;

/// Where it says where the proof is.
const OFFSET: u64 = 36;

/// What it says: the number of bytes behind the selector and in front of the proof's length.
const HEAD: u64 = 64;

/// Where the length of the proof is.
pub(crate) const LENGTH: u64 = 68;

/// Where the proof is.
pub(crate) const PROOF: u64 = 100;

/// Elements of a word of calldata.
const ELEMENTS: u64 = 8;

pub(crate) fn unequal(x: Expr, y: impl Into<Expr>) -> Expr {
    Expr::Op(Op::Xor, vec![x, y.into()])
}

pub(crate) fn at(place: u64) -> Expr {
    Expr::from(place).calldata()
}

/// The place behind the proof.
fn end() -> Expr {
    at(LENGTH) + PROOF
}

/// Checks that the call is one of the function, without value, and encoded as it should be.
pub(super) fn check_call(a: &mut Assembler) {
    a.revert_if(Expr::Op(Op::CallValue, vec![]));
    a.revert_if(unequal(at(0) >> 224, u64::from(selector(SIGNATURE))));
    check_bytes(a, OFFSET);
}

/// Checks the encoding of a call with two arguments: a word, and bytes, whose argument is at this
/// place. There must be nothing between its parts or behind them but zeros up to a whole word.
pub(crate) fn check_bytes(a: &mut Assembler, offset: u64) {
    check_bytes_behind(a, offset, HEAD);
}

/// The same of a call whose arguments take so many bytes, behind which the length of the bytes is.
pub(crate) fn check_bytes_behind(a: &mut Assembler, offset: u64, head: u64) {
    let (length, bytes) = (SELECTOR + head, SELECTOR + head + WORD);
    a.revert_if(unequal(at(offset), head));
    // So that it fits 32 bits when it is rounded up. A larger one is not that of the calldata.
    a.revert_if(at(length) >> 31);
    let padded = (at(length) + 31) & u64::from(u32::MAX - 31);
    a.revert_if(unequal(padded + bytes, Expr::Op(Op::CallDataSize, vec![])));
    a.revert_if((at(length) + bytes).calldata());
}

/// Checks that what has been read ends where the proof does.
pub(super) fn check_end(a: &mut Assembler, place: Expr) {
    a.revert_if(unequal(place, end()));
}

impl Contract {
    /// Observes key, statement and heights, and writes the public values.
    pub(super) fn observe_shape(&self, a: &mut Assembler, transcript: &mut Transcript) {
        let constants = |elements: Vec<F>| -> Vec<Word> {
            let bytes: Vec<u8> = F::into_byte_stream(elements).into_iter().collect();
            let words = bytes.as_chunks().0.iter();
            words.map(|&bytes| Word::from_be_bytes(bytes)).collect()
        };
        for word in constants(self.key.digest().0.to_vec()) {
            transcript.observe_word(a, word);
        }
        a.block(|a| {
            self.read_statement(a);
            transcript.observe_word(a, var("observed"));
        });
        let mut heights = vec![F::from_usize(self.log_heights.len())];
        heights.extend(self.log_heights.iter().map(|&log| F::from_usize(log)));
        heights.resize(heights.len().next_multiple_of(ELEMENTS as usize), F::ZERO);
        for word in constants(heights) {
            transcript.observe_word(a, word);
        }
    }

    /// Reads the statement: canonical integers of four bytes, low ones first. Binds `observed`, the
    /// bytes that the transcript observes.
    fn read_statement(&self, a: &mut Assembler) {
        let words = |word: u64| Expr::from(Word::from_lanes(32, &[word; ELEMENTS as usize]));
        let swap = |name: &'static str, bits: u32, low: u64| {
            let low = words(low);
            (var(name) & low.clone()) << bits | (var(name) >> bits) & low
        };
        a.bind("bytes", at(STATEMENT));
        a.bind("pairs", swap("bytes", 8, 0x00ff_00ff));
        a.bind("words", swap("pairs", 16, 0xffff));
        a.revert_if(exceeding("words"));
        let times = |x: Expr, bits: u64| {
            let factor = (0..bits).fold(1, |power, _| power * 2 % P);
            Expr::Op(Op::MulMod, vec![x, factor.into(), P.into()])
        };
        a.bind("shifted", 0);
        for index in 0..ELEMENTS {
            let bits = 224 - 32 * index as u32;
            let value = match bits {
                0 => var("words"),
                _ => var("words") >> bits,
            };
            let value = value & u64::from(u32::MAX);
            let factor = times(value.clone(), 32);
            a.set("shifted", var("shifted") << 32 | factor);
            if (index as usize) < self.system.num_public_values() {
                let place = word(self.places.zerocheck.public_values, index as usize);
                a.store(place, times(value, SHIFT.into()));
            }
        }
        a.set("pairs", swap("shifted", 8, 0x00ff_00ff));
        a.bind("observed", swap("pairs", 16, 0xffff));
    }
}
