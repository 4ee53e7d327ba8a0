//! The duplex challenger of both Poseidons.

use std::marker::PhantomData;

use crate::advice::{advise_elements, advise_shifted};
use crate::bits::Bits;
use crate::prelude::*;
use crate::suites::hash::{Challenger, X, grind_element, x_power, x_power_inverse};

/// A sponge whose rate is one or two blocks.
pub trait Sponge {
    /// Number of elements of the rate: 8 or 16.
    const RATE: usize;

    /// Whether `horner` reads every sample that spans two outputs. If not, it does so only for the
    /// second sample of a pair.
    const JOINS: bool;

    /// Overwrites the rate with `lanes` lanes of `data`, run by run, adds `tag` to the capacity
    /// before every permutation, and returns the rate and the capacity.
    fn duplex(data: Slice, lanes: usize, capacity: Block, tag: usize) -> Slice;

    /// Returns a rate with these elements. A rate of one block ignores `high`.
    fn rate(low: [Felt; 8], high: [Felt; 8]) -> Slice;

    /// Returns a rate of zeros.
    fn zeros() -> Slice;
}

/// The duplex challenger. It absorbs by overwriting the rate and adding the number of absorbed
/// elements to the first element of the capacity, and squeezes the rate from its last element down.
#[derive(Clone, Copy)]
pub struct DuplexChallenger<S> {
    sponge: PhantomData<S>,
    /// The rate, in the slice's first blocks.
    rate: Slice,
    capacity: Block,
    /// The elements observed last; the first `waiting` entries are used.
    pending: [Felt; 16],
    /// Number of elements of `pending` that are not absorbed yet, below the rate.
    waiting: usize,
    /// Number of elements of `rate` that have not been sampled.
    unread: usize,
}

impl<S: Sponge> DuplexChallenger<S> {
    /// Overwrites the rate with each of `runs` runs of [`Sponge::RATE`] lanes in turn, adds `tag`,
    /// the number of observed elements in each run, to the capacity, and permutes. Lanes after
    /// those elements must be zero.
    fn absorb(&mut self, data: Slice, runs: usize, tag: usize) {
        let state = S::duplex(data, S::RATE * runs, self.capacity, tag);
        self.rate = state;
        self.capacity = state.block(S::RATE / 8);
        self.waiting = 0;
        self.unread = S::RATE;
    }

    /// Absorbs the pending elements, padded with zeros.
    fn absorb_pending(&mut self) {
        let n = self.waiting;
        let mut low = [Felt::ZERO; 8];
        let mut high = [Felt::ZERO; 8];
        for i in 0..8 {
            if i < n {
                low[i] = self.pending[i];
            }
            if i + 8 < n {
                high[i] = self.pending[i + 8];
            }
        }
        self.absorb(S::rate(low, high), 1, n);
    }

    /// Ensures that there are elements to sample.
    fn ready(&mut self) {
        if self.waiting > 0 {
            self.absorb_pending();
        } else if self.unread == 0 {
            self.absorb(self.rate, 1, 0);
        }
    }

    fn sample_element(&mut self) -> Felt {
        self.ready();
        self.unread -= 1;
        let at = self.unread;
        self.rate.block(at / 8).lane(at % 8)
    }

    /// Samples an extension element whose first coefficients are the lanes that are left, fewer
    /// than the degree, from the last down. The others are the last lanes of the next output.
    fn sample_joined(&mut self) -> Ext {
        let unread = self.unread;
        let low = horner(self.rate, 0, unread, X) * x_power_inverse(8 - unread);
        self.absorb(self.rate, 1, 0);
        let rest = Ext::degree() - unread;
        self.unread = S::RATE - rest;
        let last = self.rate.skip(S::RATE / 8 - 1);
        horner(last, 8 - rest, rest, X) * x_power(unread) + low
    }
}

impl<S: Sponge> Challenger for DuplexChallenger<S> {
    fn new() -> Self {
        Self {
            sponge: PhantomData,
            rate: S::zeros(),
            capacity: Block::ZERO,
            pending: [Felt::ZERO; 16],
            waiting: 0,
            unread: 0,
        }
    }

    fn observe(&mut self, x: Felt) {
        self.pending[self.waiting] = x;
        self.waiting += 1;
        self.unread = 0;
        if self.waiting == S::RATE {
            self.absorb_pending();
        }
    }

    fn observe_digests(&mut self, digests: Slice, n: usize) {
        let skip = self.waiting;
        if skip == 0 {
            self.observe_slice(digests, 8 * n);
        } else {
            // The hint contains the digests once more, shifted to the transcript's position; every
            // lane is compared.
            advise_shifted(&self.pending[0..skip], digests, n);
            let shifted = hint_slice((skip + 8 * n + 7) / 8).any();
            let degree = Ext::degree();
            let elements = (8 * n) / degree;
            let digest_elements = unpack(digests, 0, elements);
            assert_unpacked(shifted.skip(skip / 8), skip % 8, elements, digest_elements);
            for i in (degree * elements)..(8 * n) {
                let at = skip + i;
                assert_eq!(
                    shifted.block(at / 8).lane(at % 8),
                    digests.block(i / 8).lane(i % 8)
                );
            }
            self.observe_slice(shifted, 8 * n);
        }
    }

    fn position(&self) -> usize {
        self.waiting
    }

    fn advise_slice(&self, n: usize) {
        let at = self.waiting;
        advise_elements(&self.pending[0..at], at, n, (8, 1), false);
    }

    fn observe_slice(&mut self, data: Slice, n: usize) {
        let skip = self.waiting;
        for i in 0..skip {
            assert_eq!(data.block(i / 8).lane(i % 8), self.pending[i]);
        }
        let runs = (skip + n) / S::RATE;
        if runs > 0 {
            self.absorb(data, runs, S::RATE);
        }
        // Elements that do not fill the rate remain pending.
        let rest = (skip + n) % S::RATE;
        for i in 0..rest {
            let at = S::RATE * runs + i;
            self.pending[i] = data.block(at / 8).lane(at % 8);
        }
        self.waiting = rest;
        if rest > 0 {
            self.unread = 0;
        }
    }

    fn read_extensions(&mut self, n: usize) -> Vec<Ext> {
        // Everything that is observed fills whole blocks, but for nonces, after which there is a
        // sample.
        let at = self.waiting;
        assert_eq!(at % 8, 0);
        self.advise_slice(8 * n);
        let slice = hint_slice(at / 8 + n).any();
        self.observe_slice(slice, 8 * n);
        let mut elements = Vec::new();
        for i in 0..n {
            elements.push(slice.block(at / 8 + i).as_ext());
        }
        elements
    }

    fn sample(&mut self) -> Ext {
        self.ready();
        let unread = self.unread;
        let degree = Ext::degree();
        if unread >= degree {
            self.unread -= degree;
            // Coefficient i is lane `unread - 1 - i`. Horner's rule gives the last of these lanes
            // the weight `X^down`, where `down` is the number of lanes after it.
            let first = unread - degree;
            let down = 7 - (unread - 1) % 8;
            horner(self.rate.skip(first / 8), first % 8, degree, X) * x_power_inverse(down)
        } else if S::JOINS {
            self.sample_joined()
        } else {
            let mut coefficients = [Felt::ZERO; 5];
            for i in 0..degree {
                coefficients[i] = self.sample_element();
            }
            Ext::from_coeffs(coefficients)
        }
    }

    fn sample_pair(&mut self) -> (Ext, Ext) {
        let first = self.sample();
        if self.unread == 3 {
            let second = self.sample_joined();
            (first, second)
        } else {
            let second = self.sample();
            (first, second)
        }
    }

    fn sample_word(&mut self) -> [Felt; 2] {
        [self.sample_element(), Felt::ZERO]
    }

    fn bits(word: [Felt; 2]) -> Bits {
        Bits::new(word[0], 4)
    }

    fn assert_low_bits_are_zero(word: [Felt; 2], n: usize) {
        assert_eq!(Bits::new(word[0], 4).part(0, n), Felt::ZERO);
    }

    fn grind(&mut self, bits: usize) {
        grind_element(self, bits);
    }
}
