//! What a field backend does for the stages above it.

use ark_ec::short_weierstrass::Affine;

use super::curve::MsmCurve;
use super::endomorphism::Endomorphism;
use super::recode::Word;
use super::schedule::{Entry, LANES, Row};

/// Affine points in a backend's own form, and batches of their additions.
///
/// No identity is ever packed: the stages above leave those out.
pub trait Backend<C: MsmCurve>: Sync {
    /// A nonidentity affine point.
    type Point: Copy + Default + Send + Sync;

    /// State of one tile, kept by a worker from one tile to the next.
    type Scratch: Default + Send;

    /// Scalars as integers below the order.
    fn integers(&self, scalars: &[C::ScalarField; LANES]) -> [Word; LANES];

    /// Packs a nonidentity point.
    fn pack(&self, point: &Affine<C>) -> Self::Point;

    /// The way back.
    fn unpack(&self, point: &Self::Point) -> Affine<C>;

    /// Halves of scalars, in two's complement.
    fn split(
        &self,
        endomorphism: &Endomorphism<C::BaseField>,
        scalars: &[Word; LANES],
    ) -> [[Word; 2]; LANES] {
        scalars.map(|scalar| endomorphism.split(&scalar))
    }

    /// Multiplies every abscissa.
    fn multiply_x(&self, factor: &C::BaseField, points: &mut [Self::Point]);

    /// Sums every slot of a tile: `rows` of `entries`, each an index into `points` with a sign.
    /// Slot by slot, sets the sum, and `identity` to 1 where it is the identity and the point void,
    /// to 0 elsewhere; both are as long as the first row.
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
