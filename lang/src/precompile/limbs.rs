//! Field elements to 16-bit limbs of their Montgomery words.

use droste_native::F;
use droste_native::precompile;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::Operand::{A, C, E};
use super::{Function, Output, Parameter, Precompile, any};
use crate::executor::{CallContext, Fault};

/// `limbs(A, _, C, _, E)` writes from C on the limbs of the `E` blocks from A on, two blocks for
/// each.
pub const LIMBS: Precompile = Precompile {
    name: "limbs",
    identity: 13,
    functions: &[Function {
        name: "limbs",
        parameters: &[
            Parameter::Slice(A, |[groups, ..]| groups),
            Parameter::Integer(E),
        ],
        check: any,
        output: Output::Slice(C, |[groups, ..]| 2 * groups),
    }],
    is_total: false,
    run,
    rows: |call| u64::from(call.e.as_canonical_u32()),
};

fn run(call: &mut CallContext<'_>) -> Result<(), Fault> {
    let (from, to, groups) = (call.address(A)?, call.address(C)?, call.immediate());
    let memory = call.memory();
    for group in 0..groups {
        // Nothing determines a lane that has not been set. It is set to zero.
        for lane in 0..8 {
            if memory.lane(from + group, lane).is_none() {
                memory.set_lane(from + group, lane, F::ZERO)?;
            }
        }
        let [low, high] = precompile::limbs(&memory.block(from + group)?);
        memory.set_block(to + 2 * group, low)?;
        memory.set_block(to + 2 * group + 1, high)?;
    }
    Ok(())
}
