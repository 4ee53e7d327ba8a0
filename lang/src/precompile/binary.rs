//! Arithmetic in GF(2^128).

use droste_native::precompile::binary_products;

use super::Operand::{A, B, C, D, E};
use super::{Function, Output, Parameter, Precompile, Refusal, any};

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
