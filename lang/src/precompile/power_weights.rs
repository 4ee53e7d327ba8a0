//! The multilinear extension of a point's powers.

use droste_native::precompile::{MAX_WEIGHT_COORDINATES, ext_to_block, power_weights};
use p3_field::PrimeField32;

use super::Operand::{A, B, C, D, E};
use super::ext::known_ext;
use super::{Function, Output, Parameter, Precompile, Refusal};
use crate::executor::{CallContext, Fault};

/// `power_weights(A, B, C, D, E)` writes to D the product of `1 - r_i + r_i x^(2^i)` over the
/// extension elements `r_i` in the `E` blocks from A on, where `x` is B to the power of C's
/// canonical integer. It asserts that this integer has at most `E` bits.
pub const POWER_WEIGHTS: Precompile = Precompile {
    name: "power_weights",
    identity: 24,
    functions: &[Function {
        name: "power_weights",
        parameters: &[
            Parameter::Slice(A, |[n, ..]| n),
            Parameter::Integer(E),
            Parameter::Felt(B),
            Parameter::Felt(C),
        ],
        check: |[n, ..]| {
            Refusal::unless(
                (1..=MAX_WEIGHT_COORDINATES as u64).contains(&n),
                || format!("weights take 1 to {MAX_WEIGHT_COORDINATES} coordinates, not {n}"),
                "a two-adic subgroup of the field has at most 2^24 points",
            )
        },
        output: Output::Ext(D),
    }],
    is_total: false,
    run,
    rows: |call| u64::from(call.e.as_canonical_u32()),
};

fn run(call: &mut CallContext<'_>) -> Result<(), Fault> {
    let (from, n) = (call.address(A)?, call.immediate());
    if n > MAX_WEIGHT_COORDINATES as u32 {
        return Err(call.refuse(format!(
            "{n} coordinates, 1 to {MAX_WEIGHT_COORDINATES} are possible"
        )));
    }
    let coordinates = (from..from + n).map(|at| known_ext(call, at));
    let coordinates = coordinates.collect::<Result<Vec<_>, _>>()?;
    let weight = power_weights(&coordinates, call.value(B)?, call.value(C)?);
    let weight = call.solved(weight)?;
    call.write(D, ext_to_block(weight))
}
