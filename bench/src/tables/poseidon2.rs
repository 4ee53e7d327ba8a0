//! Poseidon2 at width 16: inputs and sides of the comparison.

use std::rc::Rc;

use droste_air::poseidon2::{self, Poseidon2ParentAir, Poseidon2ParentTable};
use droste_native::F;
use droste_native::hash::poseidon2::{
    HALF_FULL_ROUNDS, PARENT_PARTIAL_ROUNDS as PARTIAL_ROUNDS, PARENT_WIDTH as WIDTH,
};
use p3_field::PrimeCharacteristicRing;
use p3_koala_bear::{
    GenericPoseidon2LinearLayersKoalaBear as Layers, KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL,
    KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL, KOALABEAR_POSEIDON2_RC_16_INTERNAL,
};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_poseidon2_air::{Poseidon2Air, RoundConstants, generate_trace_rows};
use p3_uni_stark::{prove, verify};

use super::bus::Hash;
use super::contender::{Contender, Shape, config, contender};
use super::evaluate::evaluator;
use super::hashes::{bus, words};
use super::{Arguments, Measured, compare};
use crate::clock::{milliseconds_since, now};

/// Plonky3's table of the same permutation, with one permutation per row.
type Peer = Poseidon2Air<F, Layers, WIDTH, 3, 0, HALF_FULL_ROUNDS, PARTIAL_ROUNDS>;

pub fn poseidon2(arguments: &Arguments) -> Measured {
    let shape = Shape::new(
        1 << arguments.poseidon2,
        1,
        poseidon2::DEGREE,
        arguments.log_blowup,
    );
    let mut next = words();
    let inputs: Vec<[F; WIDTH]> = (0..shape.count)
        .map(|_| std::array::from_fn(|_| F::from_u32(next())))
        .collect();
    let constants = RoundConstants::new(
        KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL,
        KOALABEAR_POSEIDON2_RC_16_INTERNAL,
        KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL,
    );
    let peer = Peer::new(constants.clone());
    let ours = || {
        contender!(
            arguments,
            shape.beside(&Poseidon2ParentTable, &Poseidon2ParentAir),
            Poseidon2ParentAir,
            poseidon2::generate_parent_permutations(&inputs, None).expect("there are inputs")
        )
    };
    let theirs = || {
        contender!(
            arguments,
            shape,
            peer,
            generate_trace_rows::<F, Layers, WIDTH, 3, 0, HALF_FULL_ROUNDS, PARTIAL_ROUNDS>(
                inputs.clone(),
                &constants,
                arguments.log_blowup
            )
        )
    };
    let few = &inputs[..shape.count.div_ceil(4)];
    let bus = || {
        bus(
            arguments,
            Hash::Poseidon2,
            poseidon2::generate_parent_table(few, None),
            poseidon2::generate_parent_permutations(few, None),
        )
    };
    compare(arguments, "poseidon2", ours, theirs, bus)
}
