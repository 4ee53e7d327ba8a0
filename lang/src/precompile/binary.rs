//! Arithmetic in GF(2^128).

use droste_native::precompile::{MAX_WORD_BLOCKS, binary_products, word_products};

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

/// `word_products(A, B, C, D, E)` writes to D the products of words with weights and, added to them,
/// the element at C. The words are those of the field elements in the `E` blocks from A on, four to
/// an element of GF(2^128). The weights are the `2E` elements from B on.
pub const WORD_PRODUCTS: Precompile = Precompile {
    name: "word_products",
    identity: 40,
    functions: &[Function {
        name: "word_products",
        parameters: &[
            Parameter::Slice(A, |[blocks, ..]| blocks),
            Parameter::Integer(E),
            Parameter::Slice(B, |[blocks, ..]| blocks.saturating_mul(2)),
            Parameter::Block(C),
        ],
        check: |[blocks, ..]| {
            Refusal::unless(
                (1..=MAX_WORD_BLOCKS as u64).contains(&blocks),
                || format!("a call multiplies the words of 1 or 2 blocks, not {blocks}"),
                "multiply the words of more blocks by several calls",
            )
        },
        output: Output::Block(D),
    }],
    is_total: false,
    run: |call| {
        let blocks = call.immediate();
        if !(1..=MAX_WORD_BLOCKS as u32).contains(&blocks) {
            return Err(call.refuse(format!("{blocks} blocks of words")));
        }
        let words = call.read_all(A, blocks)?;
        let weights = call.read_all(B, 2 * blocks)?;
        let added = call.read(C)?;
        let result = call.solved(word_products(&words, &weights, &added))?;
        call.write(D, result)
    },
    rows: |_| 1,
};
