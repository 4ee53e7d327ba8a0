//! The operations that the stages need from a field backend.

use ark_ec::short_weierstrass::Affine;

use super::curve::MsmCurve;
use super::endomorphism::Endomorphism;
use super::planes::{Block, by_word};
use super::schedule::{Entry, LANES, Row};

/// Affine points in a backend's own form, and batches of their additions.
///
/// The identity has no such form: the stages above leave identities out.
pub trait Backend<C: MsmCurve>: Sync {
    /// A nonidentity affine point.
    type Point: Copy + Default + Send + Sync;

    /// Working state for one tile, which a worker reuses from one tile to the next.
    type Scratch: Default + Send;

    /// Converts scalars to integers below the order.
    fn integers(&self, scalars: &[C::ScalarField; LANES]) -> Block;

    /// Converts a nonidentity point to the backend's form.
    fn pack(&self, point: &Affine<C>) -> Self::Point;

    /// Converts a point from the backend's form.
    fn unpack(&self, point: &Self::Point) -> Affine<C>;

    /// Splits scalars into first and second halves in two's complement.
    fn split(&self, endomorphism: &Endomorphism<C::BaseField>, scalars: &Block) -> [Block; 2] {
        let scalar = |lane: usize| scalars.map(|words| words[lane]);
        let halves: [_; LANES] = std::array::from_fn(|lane| endomorphism.split(&scalar(lane)));
        [0, 1].map(|half| by_word(&halves.map(|both| both[half])))
    }

    /// Multiplies the abscissa of every point by a factor.
    fn multiply_x(&self, factor: &C::BaseField, points: &mut [Self::Point]);

    /// Sums every slot of a tile: `rows` of `entries`, each an index into `points` with a sign.
    /// Sets `identity` to 1 for each slot whose sum is the identity, and leaves an arbitrary point
    /// in `sums` there; for every other slot sets `identity` to 0 and the point to the sum. `sums`
    /// and `identity` are as long as the first row.
    fn sum_tile(
        &self,
        points: &[Self::Point],
        entries: &[Entry],
        rows: &[Row],
        scratch: &mut Self::Scratch,
        sums: &mut [Self::Point],
        identity: &mut [u32],
    );
}
