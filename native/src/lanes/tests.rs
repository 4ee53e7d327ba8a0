//! Packed elements against their lanes.

use p3_field::{PackedField, PrimeCharacteristicRing};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::with_lanes;

fn lane_by_lane<P: PackedField<Scalar = F>>() -> usize {
    let mut rng = SmallRng::seed_from_u64(1);
    let [x, y]: [Vec<EF>; 2] =
        std::array::from_fn(|_| (0..P::WIDTH).map(|_| rng.random()).collect());
    let bases: Vec<F> = (0..P::WIDTH).map(|_| rng.random()).collect();
    let base = *P::from_slice(&bases);
    let [packed_x, packed_y] = [&x, &y].map(|lanes| from_lanes::<P>(|lane| lanes[lane]));
    assert!(lanes(&packed_x).eq(x.iter().copied()));
    for lane in 0..P::WIDTH {
        let of = |packed| extract::<P>(&packed, lane);
        assert_eq!(of(packed_x), x[lane]);
        assert_eq!(of(packed_x + packed_y), x[lane] + y[lane]);
        assert_eq!(of(packed_x - packed_y), x[lane] - y[lane]);
        assert_eq!(of(packed_x * packed_y), x[lane] * y[lane]);
        assert_eq!(of(packed_x * base), x[lane] * bases[lane]);
        assert_eq!(of(packed_x + y[0]), x[lane] + y[0]);
        assert_eq!((base - P::ONE).extract(lane), bases[lane] - F::ONE);
    }
    P::WIDTH
}

#[test]
fn packed_elements_are_computed_lane_by_lane() {
    assert_eq!(with_lanes!(lane_by_lane()), [1, 4, 8, 16]);
    lane_by_lane::<Packed>();
}
