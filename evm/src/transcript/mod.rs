//! The transcript of bytes over Keccak, as `droste_native`'s challenger keeps it.
//!
//! Lengths of what is observed are known when code is generated, so a [`Transcript`] keeps track of
//! what is in the buffer, and code of a constant place and length is generated for each step. The
//! buffer is at a place of memory that the contract chooses: first the last digest, once there is
//! one, then what was observed since. A sample takes what is there, so up to 32 bytes behind it are
//! written, too.

#[cfg(test)]
mod tests;

use droste_native::hash::encoding::ELEMENT_BYTES;

use crate::assembler::{Assembler, AssemblerError, Expr, Op, Word, call, load, var};
use crate::field::{Element, LANES, P, SHIFT, joined, shifted};

/// Bytes of a digest.
pub const DIGEST_BYTES: u64 = 32;

/// Bytes of an element of the base field.
const BASE_BYTES: u64 = ELEMENT_BYTES as u64;

/// What is known of the transcript while code is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// Where the buffer is.
    buffer: u64,
    /// Where what is hashed next begins and ends.
    pending: std::ops::Range<u64>,
    /// Bytes of the last digest that are not sampled yet.
    unread: u64,
}

impl Transcript {
    /// A transcript that has observed nothing, in memory from `buffer` on.
    pub const fn new(buffer: u64) -> Self {
        let start = buffer + DIGEST_BYTES;
        Self {
            buffer,
            pending: start..start,
            unread: 0,
        }
    }

    /// Observes bytes of the calldata.
    pub fn observe(&mut self, a: &mut Assembler, place: impl Into<Expr>, length: u64) {
        if length > 0 {
            let end = self.extend(length);
            a.run(Op::CallDataCopy, [end.into(), place.into(), length.into()]);
        }
    }

    /// Observes a word.
    pub fn observe_word(&mut self, a: &mut Assembler, word: impl Into<Expr>) {
        let end = self.extend(DIGEST_BYTES);
        a.store(end, word);
    }

    /// Samples an element, as a new variable.
    pub fn sample_element(&mut self, a: &mut Assembler, name: &'static str) -> Element {
        let end = self.extend(BASE_BYTES);
        a.store(end, 0);
        self.flush(a);
        self.unread = 0;
        a.bind_element(name, digest_element(load(self.buffer)))
    }

    /// Samples so many bits, as a new variable.
    pub fn sample_bits(&mut self, a: &mut Assembler, name: &'static str, bits: u32) {
        let sample = self.bits(a, bits);
        a.bind(name, sample);
    }

    /// Samples so many bits. The expression must be evaluated before the next step.
    pub fn bits(&mut self, a: &mut Assembler, bits: u32) -> Expr {
        if self.unread < BASE_BYTES {
            self.flush(a);
        }
        let digest = load(self.buffer);
        let read = DIGEST_BYTES - self.unread;
        let word = shifted(digest, -8 * read as i64);
        self.unread -= BASE_BYTES;
        word & ((1 << bits) - 1)
    }

    /// The transcript as it is after any sample of an element.
    pub const fn sampled(&self) -> Self {
        Self {
            buffer: self.buffer,
            pending: self.buffer..self.buffer + DIGEST_BYTES,
            unread: 0,
        }
    }

    /// Forgets what is left of the digest: something is observed next, which has the same effect.
    pub const fn forget(&mut self) {
        self.unread = 0;
    }

    /// Checks a proof of work, whose nonce is at this place of the calldata, 4 bytes. Reverts if it
    /// is none, or not below `p`.
    pub fn check_work(&mut self, a: &mut Assembler, place: impl Into<Expr>, bits: u32) {
        if bits > 0 {
            self.check_masked_work(a, place, (1_u64 << bits) - 1);
        }
    }

    /// The same, where the bits of this mask must be zero.
    pub fn check_masked_work(
        &mut self,
        a: &mut Assembler,
        place: impl Into<Expr>,
        mask: impl Into<Expr>,
    ) {
        if self.unread == 0 {
            self.flush(a);
        }
        let place = place.into();
        a.revert_if(call("exceeds", [place.clone()]));
        self.observe(a, place, BASE_BYTES);
        self.flush(a);
        self.unread -= BASE_BYTES;
        a.revert_if(load(self.buffer) & mask);
    }

    /// A loop with a body that samples: at its end, the transcript must be as it was at its start.
    pub fn repeat_while(
        &mut self,
        a: &mut Assembler,
        body: impl FnOnce(&mut Self, &mut Assembler) -> Expr,
    ) {
        let start = self.clone();
        a.repeat_while(|a| body(self, a));
        if *self != start {
            a.fail(AssemblerError::Loop);
        }
    }

    /// Makes room for so many bytes, and returns where.
    fn extend(&mut self, length: u64) -> u64 {
        let end = self.pending.end;
        self.pending.end += length;
        self.unread = 0;
        end
    }

    /// Hashes what is pending.
    fn flush(&mut self, a: &mut Assembler) {
        let (start, end) = (self.pending.start, self.pending.end);
        let digest = Expr::Op(Op::Keccak256, vec![start.into(), (end - start).into()]);
        a.store(self.buffer, digest);
        self.pending = self.buffer..self.buffer + DIGEST_BYTES;
        self.unread = DIGEST_BYTES;
    }
}

/// The element that a digest stands for.
fn digest_element(digest: Expr) -> Element {
    Element::new(call("digest_element", [digest]), P - 1)
}

/// Defines the functions that transcripts call.
pub fn define(a: &mut Assembler) {
    define_digest_element(a);
    define_exceeds(a);
}

/// `digest_element(digest)`: with the limbs `l` of 16 bits, low bytes first, coefficient `k` is
/// `l_k + 2^16 l_(k+5) + 2^32 l_(k+10)`.
fn define_digest_element(a: &mut Assembler) {
    a.function("digest_element", ["digest"], |a| {
        let even = Expr::from(Word::from_lanes(16, &[0xff; 16]));
        let swapped = (var("digest") & even.clone()) << 8 | (var("digest") >> 8) & even;
        a.bind("swapped", swapped);
        // Limb 0 is the highest. Three of them are five limbs apart, which are 80 bits; the
        // product moves them to one another, and the rest of it to other bits.
        let apart = |bits: u32, lane: u64| Expr::from(Word::from_lanes(bits, &[lane; 3]));
        let lane = |lane: u32| {
            let limbs = shifted(var("swapped"), -i64::from(16 * (LANES as u32 - lane)));
            let gathered = (limbs & apart(80, 0xffff)) * apart(96, 1);
            (gathered >> (160 - SHIFT)).modulo(P)
        };
        Some(joined(lane))
    });
}

/// `exceeds(place)`: whether the four bytes at this place of the calldata, low ones first, are a
/// number of at least `p`.
fn define_exceeds(a: &mut Assembler) {
    a.function("exceeds", ["place"], |a| {
        a.bind("bytes", var("place").calldata() >> 224);
        let byte = |index: u32| shifted(var("bytes"), -8 * i64::from(index)) & 0xff;
        let number = (1..BASE_BYTES as u32).map(byte);
        let number = number.fold(byte(0), |number, byte| number << 8 | byte);
        Some(Expr::from(P - 1).lt(number))
    });
}
