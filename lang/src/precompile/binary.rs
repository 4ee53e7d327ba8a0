//! Arithmetic in GF(2^128).

use droste_native::precompile::{
    MAX_BINARY_POINTS, MAX_CONJUGATES, binary_conjugates, binary_points, binary_products,
};
use p3_field::PrimeField32;

use super::Operand::{A, B, C, D, E};
use super::{Function, Output, Parameter, Precompile, Refusal, any};
use crate::executor::{CallContext, Fault};

/// `binary_product(A, B, C, D)` writes to D the product of the elements at A and B and, added to
/// it, the one at C.
pub const BINARY_PRODUCT: Precompile = Precompile {
    name: "binary_product",
    identity: 25,
    functions: &[Function {
        name: "binary_product",
        parameters: &[
            Parameter::Block(A),
            Parameter::Block(B),
            Parameter::Block(C),
        ],
        check: any,
        output: Output::Block(D),
    }],
    is_total: false,
    run: |call| {
        let [a, b, c] = [call.read(A)?, call.read(B)?, call.read(C)?];
        let result = call.solved(binary_products(&[[&a, &b]], &c))?;
        call.write(D, result)
    },
    rows: |_| 1,
};

/// `binary_products(A, B, C, D, E)` writes to D the product of the elements at A and B, that of
/// those at `A + E` and `B + 1` and, added to them, the element at C.
pub const BINARY_PRODUCTS: Precompile = Precompile {
    name: "binary_products",
    identity: 26,
    functions: &[
        Function {
            name: "binary_scale",
            parameters: &[
                Parameter::Block(A),
                Parameter::Slice(B, |_| 2),
                Parameter::Block(C),
            ],
            check: any,
            output: Output::Block(D),
        },
        Function {
            name: "binary_dot",
            parameters: &[
                Parameter::Slice(A, |[distance, ..]| distance.saturating_add(1)),
                Parameter::Integer(E),
                Parameter::Slice(B, |_| 2),
                Parameter::Block(C),
            ],
            check: |[distance, ..]| {
                Refusal::unless(
                    (1..=1 << 24).contains(&distance),
                    || format!("the second left element is {distance} blocks after the first"),
                    "it is 1 to 2^24 blocks after it; `binary_scale` multiplies one by two",
                )
            },
            output: Output::Block(D),
        },
    ],
    is_total: false,
    run: |call| {
        let from = call.address(A)?;
        let second = from.checked_add(call.immediate());
        let Some(second) = second else {
            return Err(call.refuse(format!("{} blocks after {from}", call.immediate())));
        };
        let [a, c] = [call.read(A)?, call.read(C)?];
        let next = call.memory().block(second)?;
        let right = call.read_all(B, 2)?;
        let [b, after] = right.as_slice() else {
            return Err(call.refuse("other than two right elements".into()));
        };
        let result = call.solved(binary_products(&[[&a, b], [&next, after]], &c))?;
        call.write(D, result)
    },
    rows: |_| 1,
};

/// `binary_conjugates(A, B, D, E)` writes to the blocks from D on the element at A to the powers
/// `1, 2, 4, ..`, E of them, each followed by a copy of the block at B.
pub const BINARY_CONJUGATES: Precompile = Precompile {
    name: "binary_conjugates",
    identity: 27,
    functions: &[Function {
        name: "binary_conjugates",
        parameters: &[
            Parameter::Block(A),
            Parameter::Block(B),
            Parameter::Integer(E),
        ],
        check: |[n, ..]| check_number(n, MAX_CONJUGATES, "a power of 2^128 is the element itself"),
        output: Output::Slice(D, |[n, ..]| 2 * n),
    }],
    is_total: false,
    run: |call| {
        let [x, other] = [call.read(A)?, call.read(B)?];
        let blocks = binary_conjugates(&x, &other, call.immediate() as usize);
        let blocks = call.solved(blocks)?;
        call.write_all(D, blocks)
    },
    rows: |call| u64::from(call.e.as_canonical_u32()),
};

/// `binary_points(A, B, D, E)` writes to the blocks from D on the subspace polynomials `W_0, W_1,
/// ..`, E of them, at the point of the position A, each followed by a copy of a block from B on. It
/// asserts that the position has at most E bits.
pub const BINARY_POINTS: Precompile = Precompile {
    name: "binary_points",
    identity: 28,
    functions: &[Function {
        name: "binary_points",
        parameters: &[
            Parameter::Felt(A),
            Parameter::Slice(B, |[n, ..]| n),
            Parameter::Integer(E),
        ],
        check: |[n, ..]| check_number(n, MAX_BINARY_POINTS, "positions have at most 24 bits"),
        output: Output::Slice(D, |[n, ..]| 2 * n),
    }],
    is_total: false,
    run: run_points,
    rows: |call| u64::from(call.e.as_canonical_u32()),
};

fn check_number(n: u64, most: usize, help: &'static str) -> Result<(), Refusal> {
    Refusal::unless(
        (1..=most as u64).contains(&n),
        || format!("1 to {most} elements are computed, not {n}"),
        help,
    )
}

fn run_points(call: &mut CallContext<'_>) -> Result<(), Fault> {
    let n = call.immediate();
    if n > MAX_BINARY_POINTS as u32 {
        return Err(call.refuse(format!("{n} points, 1 to {MAX_BINARY_POINTS} are possible")));
    }
    let others = call.read_all(B, n)?;
    let blocks = binary_points(call.value(A)?, &others);
    let blocks = call.solved(blocks)?;
    call.write_all(D, blocks)
}
