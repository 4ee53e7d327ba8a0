// A run is proved, the proof is wrapped, and the wrap is verified. Parameters have no security.

use droste::prelude::*;

use library::{prove, statement, verify, wrap};

#[test]
fn the_cube_of_five_is_verified() {
    let x = F::from_u32(5);
    let proof = prove(x, Preset::Toy).unwrap();
    let aggregate = wrap(&proof, x, Preset::Toy).unwrap();
    let said = verify(&aggregate, 0).unwrap();
    assert_eq!(said.len(), 1);
    assert_eq!(said[0][..2], statement(x));

    // Another statement, a changed file, and fewer bits than are asked for.
    assert!(wrap(&proof, F::from_u32(6), Preset::Toy).is_err());
    let mut changed = aggregate.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    assert!(verify(&changed, 0).is_err());
    assert!(verify(&aggregate, 100).is_err());
}
