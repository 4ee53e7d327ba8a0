//! Duplex challengers on permutations of field elements.

use std::fmt::Debug;

use p3_challenger::{
    CanObserve, CanSample, CanSampleBits, CanSampleUniformBits, DuplexChallenger, FieldChallenger,
    GrindingChallenger, ResamplingError,
};
use p3_field::{BasedVectorSpace, Field, PackedValue, PrimeCharacteristicRing, PrimeField64};
use p3_symmetric::CryptographicPermutation;
use tracing::info_span;

use super::ExtensionTranscript;
use super::search::find;
use crate::field::{EF, F};
use crate::hash::poseidon2::{self, Poseidon2};
use crate::hash::poseidon16::{self, Poseidon16};

type Packed = <F as Field>::Packing;

/// A permutation of field elements, alone and packed.
pub trait FieldPermutation<const WIDTH: usize>:
    CryptographicPermutation<[F; WIDTH]>
    + CryptographicPermutation<[Packed; WIDTH]>
    + Copy
    + Debug
    + Default
{
}

impl<P, const WIDTH: usize> FieldPermutation<WIDTH> for P where
    P: CryptographicPermutation<[F; WIDTH]>
        + CryptographicPermutation<[Packed; WIDTH]>
        + Copy
        + Debug
        + Default
{
}

/// Plonky3's `DuplexChallenger<F, P, WIDTH, RATE>` with deterministic grinding.
///
/// It absorbs by overwriting the rate and adding the number of absorbed elements to the first
/// element of the capacity, and squeezes the rate from its last element down.
#[derive(Clone, Debug)]
pub struct FieldTranscript<P: FieldPermutation<WIDTH>, const WIDTH: usize, const RATE: usize> {
    duplex: DuplexChallenger<F, P, WIDTH, RATE>,
}

/// The challenger on Poseidon-16, of rate 8.
pub type Poseidon16Challenger =
    FieldTranscript<Poseidon16, { poseidon16::WIDTH }, { poseidon16::RATE }>;

/// The challenger on Poseidon2 of width 24, of rate 16.
pub type Poseidon2Challenger = FieldTranscript<
    Poseidon2<{ poseidon2::SPONGE_WIDTH }>,
    { poseidon2::SPONGE_WIDTH },
    { poseidon2::RATE },
>;

impl<P: FieldPermutation<WIDTH>, const WIDTH: usize, const RATE: usize> Default
    for FieldTranscript<P, WIDTH, RATE>
{
    fn default() -> Self {
        Self {
            duplex: DuplexChallenger::new(P::default()),
        }
    }
}

impl<P: FieldPermutation<WIDTH>, const WIDTH: usize, const RATE: usize>
    FieldTranscript<P, WIDTH, RATE>
{
    /// Plonky3's challenger, which this one wraps: sponge state, pending input, unread output.
    pub const fn duplex(&self) -> &DuplexChallenger<F, P, WIDTH, RATE> {
        &self.duplex
    }

    /// The state that the permutation will see when a nonce is absorbed next, but without the
    /// nonce, and the nonce's position in it.
    fn state_before_nonce(&self) -> ([F; WIDTH], usize) {
        let position = self.duplex.input_buffer.len();
        let mut state = self.duplex.sponge_state;
        let (rate, capacity) = state.split_at_mut(RATE);
        let pending = self.duplex.input_buffer.iter().copied();
        let pending = pending.chain(std::iter::repeat(F::ZERO));
        rate.iter_mut().zip(pending).for_each(|(lane, x)| *lane = x);
        if let Some(first) = capacity.first_mut() {
            *first += F::from_usize(position + 1);
        }
        (state, position)
    }

    /// Returns the smallest of the nonces below `candidates`, a multiple of the packing's lanes,
    /// after which the next sample ends in `bits` zeros. If there is none, it unwinds to
    /// [`with_grinding`](super::with_grinding).
    #[allow(
        clippy::indexing_slicing,
        reason = "the duplex absorbs its input as soon as the rate is full: the position is below it"
    )]
    pub(super) fn search(&self, bits: usize, candidates: u64) -> u64 {
        let (state, position) = self.state_before_nonce();
        let state = state.map(Packed::from);
        let mask = (1u64 << bits) - 1;
        let lanes = Packed::WIDTH as u64;
        find(candidates / lanes, candidates, |block| {
            let mut state = state;
            state[position] = Packed::from_fn(|lane| F::from_u64(block * lanes + lane as u64));
            P::default().permute_mut(&mut state);
            state[RATE - 1]
                .as_slice()
                .iter()
                .position(|sample| sample.as_canonical_u64() & mask == 0)
                .map(|lane| block * lanes + lane as u64)
        })
    }
}

impl<T, P: FieldPermutation<WIDTH>, const WIDTH: usize, const RATE: usize> CanObserve<T>
    for FieldTranscript<P, WIDTH, RATE>
where
    DuplexChallenger<F, P, WIDTH, RATE>: CanObserve<T>,
{
    fn observe(&mut self, value: T) {
        self.duplex.observe(value);
    }
}

impl<A: BasedVectorSpace<F>, P: FieldPermutation<WIDTH>, const WIDTH: usize, const RATE: usize>
    CanSample<A> for FieldTranscript<P, WIDTH, RATE>
{
    fn sample(&mut self) -> A {
        self.duplex.sample()
    }
}

impl<P: FieldPermutation<WIDTH>, const WIDTH: usize, const RATE: usize> CanSampleBits<usize>
    for FieldTranscript<P, WIDTH, RATE>
{
    fn sample_bits(&mut self, bits: usize) -> usize {
        self.duplex.sample_bits(bits)
    }
}

impl<P: FieldPermutation<WIDTH>, const WIDTH: usize, const RATE: usize> CanSampleUniformBits<F>
    for FieldTranscript<P, WIDTH, RATE>
{
    fn sample_uniform_bits<const RESAMPLE: bool>(
        &mut self,
        bits: usize,
    ) -> Result<usize, ResamplingError> {
        self.duplex.sample_uniform_bits::<RESAMPLE>(bits)
    }
}

impl<P: FieldPermutation<WIDTH>, const WIDTH: usize, const RATE: usize> FieldChallenger<F>
    for FieldTranscript<P, WIDTH, RATE>
{
}

impl<P: FieldPermutation<WIDTH>, const WIDTH: usize, const RATE: usize> ExtensionTranscript
    for FieldTranscript<P, WIDTH, RATE>
{
    fn sample_extension(&mut self) -> EF {
        self.sample_algebra_element()
    }

    fn prove_work(&mut self, bits: usize) -> F {
        self.grind(bits)
    }
}

impl<P: FieldPermutation<WIDTH>, const WIDTH: usize, const RATE: usize> GrindingChallenger
    for FieldTranscript<P, WIDTH, RATE>
{
    type Witness = F;

    /// Returns the smallest nonce that passes [`Self::check_witness`], and absorbs it.
    ///
    /// # Panics
    /// If `2^bits` is not below the field's order. If no nonce passes, it unwinds to
    /// [`with_grinding`](super::with_grinding).
    fn grind(&mut self, bits: usize) -> F {
        assert!(
            bits < 64 && 1u64 << bits < F::ORDER_U64,
            "{bits} bits of grinding exceed the field order"
        );
        if bits == 0 {
            return F::ZERO;
        }
        let _span = info_span!("grind", bits).entered();
        // The order of the field is not a multiple of the lanes. Leaving out the largest nonce, p -
        // 1, makes the number of candidates one, so that no block is partial.
        let nonce = self.search(bits, F::ORDER_U64 - 1);
        let nonce = F::from_u64(nonce);
        assert!(
            self.check_witness(bits, nonce),
            "the search agrees with the check"
        );
        nonce
    }
}
