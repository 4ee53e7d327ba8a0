//! Extension arithmetic and random combinations in the challenge field of degree 4, for programs
//! that begin with `quartic()`.
//!
//! Each precompile here does what the one of degree 5 does ([`EXT`](super::EXT),
//! [`HORNER`](super::HORNER), [`UNPACK`](super::UNPACK)), and its functions have the names of that
//! one's. [`at_degree`](super::at_degree) chooses.

use droste_native::EF4;
use droste_native::precompile::LANES;

use super::Operand::{A, C, D, E};
use super::ext::{check_elements, ext, horner, horner_rows, unpack, window};
use super::{Function, HORNER, Output, Parameter, Precompile};

/// [`EXT`](super::EXT) at degree 4: lanes 4 to 7 of an element's block are zero.
pub const EXT4: Precompile = Precompile {
    name: "ext4",
    identity: 27,
    functions: &[],
    is_total: true,
    run: ext::<EF4>,
    rows: |_| 1,
};

/// [`HORNER`] at degree 4.
pub const HORNER4: Precompile = Precompile {
    name: "horner4",
    identity: 28,
    functions: HORNER.functions,
    is_total: true,
    run: horner::<EF4>,
    rows: horner_rows,
};

/// `unpack4(A, _, C, D, E)` writes from D on `C` extension elements: those of lanes `E + 4i` to
/// `E + 4i + 3` of the blocks from A on.
pub const UNPACK4: Precompile = Precompile {
    name: "unpack4",
    identity: 29,
    functions: &[
        Function {
            name: "unpack",
            parameters: &[DENSE, Parameter::Integer(E), Parameter::Integer(C)],
            check: check_elements,
            output: Output::Elements(D, |[_, count, _]| count),
        },
        Function {
            name: "assert_unpacked",
            parameters: &[
                DENSE,
                Parameter::Integer(E),
                Parameter::Integer(C),
                Parameter::Slice(D, |[_, count, _]| count),
            ],
            check: check_elements,
            output: Output::Nothing,
        },
    ],
    is_total: true,
    run: unpack::<EF4>,
    // One row per element, and one more if the last element ends in another block, which it does if
    // its first lane, four before the end, is beyond lane 4.
    rows: |call| {
        let (skip, count) = window(call);
        count + u64::from((skip + 4 * count + 4) % 8 > 4)
    },
};

/// The parameter for extension elements that follow each other, with four lanes each.
const DENSE: Parameter = Parameter::Slice(A, |[skip, count, _]| {
    (skip + 4 * count).div_ceil(LANES as u64)
});
