//! Extension arithmetic, lanes, copies and random combinations.

use droste_native::precompile::{
    LANES, MAX_SHIFT_BLOCKS, ext_to_block, fold, horner_blocks, right_shifts,
};
use droste_native::{Challenge, EF, F};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};

use super::Operand::{A, B, C, D, E};
use super::{Function, Integers, Output, Parameter, Precompile, Refusal};
use crate::executor::{CallContext, Fault, Memory};
use crate::isa::MAX_CELLS;
use crate::record::Call;

/// `ext(A, B, C, D, E)` writes to D `blk[A] * b + c`. `b` is the scalar B if bit 0 of E is set,
/// otherwise `blk[B]`; likewise `c` with bit 1. If bit 2 is set, it is a step of FRI folding
/// instead.
pub const EXT: Precompile = Precompile {
    name: "ext",
    identity: 1,
    functions: &[],
    is_total: true,
    run: ext::<EF>,
    rows: |_| 1,
};

/// `lane(A, B, _, _, E)` asserts that lane E of `blk[A]` is B.
pub const LANE: Precompile = Precompile {
    name: "lane",
    identity: 2,
    functions: &[],
    is_total: true,
    run: lane,
    rows: |_| 1,
};

/// `block_eq(A, B, _, _, _)` asserts that `blk[A] = blk[B]`.
pub const BLOCK_EQ: Precompile = Precompile {
    name: "block_eq",
    identity: 3,
    functions: &[],
    is_total: true,
    run: block_eq,
    rows: |_| 1,
};

/// `horner(A, B, C, D, E)` writes to D the sum of `beta^(8R - 1 - j)` times lane `j` over the lanes
/// `E <= j < E + C` of the `R` blocks from A on, where `beta = blk[B]`.
pub const HORNER: Precompile = Precompile {
    name: "horner",
    identity: 4,
    functions: &[Function {
        name: "horner",
        parameters: &[
            Parameter::Slice(A, |[skip, length, _]| {
                (skip + length).div_ceil(LANES as u64)
            }),
            Parameter::Integer(E),
            Parameter::Integer(C),
            Parameter::Ext(B),
        ],
        check: |[skip, length, _]| {
            let rule = "a window must skip fewer than 8 lanes and must not be empty";
            check_window(skip, length, rule)
        },
        output: Output::Ext(D),
    }],
    is_total: true,
    run: horner::<EF>,
    rows: horner_rows,
};

/// `unpack(A, _, C, D, E)` writes from D on `C` extension elements: those of lanes `E + 5i` to
/// `E + 5i + 4` of the blocks from A on.
///
/// Elements of GF(2^128) have five lanes, too: `unpack_binary` is the same call in programs of every
/// degree.
pub const UNPACK: Precompile = Precompile {
    name: "unpack",
    identity: 14,
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
        Function {
            name: "unpack_binary",
            parameters: &[DENSE, Parameter::Integer(E), Parameter::Integer(C)],
            check: check_elements,
            output: Output::Slice(D, |[_, count, _]| count),
        },
    ],
    is_total: true,
    run: unpack::<EF>,
    // One row per element, and one more if the last element ends in another block, which it does if
    // its first lane, five before the end, is beyond lane 3.
    rows: |call| {
        let (skip, count) = window(call);
        count + u64::from((skip + 5 * count + 3) % 8 > 3)
    },
};

/// `right_shifts(A, B, C, _, _)` asserts that the canonical integer of B has at most `8C` bits, and
/// writes it from A on, shifted right by 0 to `8C - 1` bits.
pub const RIGHT_SHIFTS: Precompile = Precompile {
    name: "right_shifts",
    identity: 23,
    functions: &[Function {
        name: "right_shifts",
        parameters: &[Parameter::Felt(B), Parameter::Integer(C)],
        check: |[blocks, ..]| {
            Refusal::unless(
                (1..=MAX_SHIFT_BLOCKS as u64).contains(&blocks),
                || format!("shifts take 1 to {MAX_SHIFT_BLOCKS} blocks, not {blocks}"),
                "an element has 31 bits, and a block has shifts by eight numbers of bits",
            )
        },
        output: Output::Slice(A, |[blocks, ..]| blocks),
    }],
    is_total: false,
    run: |call| {
        if call.immediate() != 0 {
            return Err(call.refuse(format!("operand E is {}, expected 0", call.immediate())));
        }
        let (x, blocks) = (call.value(B)?, call.value(C)?.as_canonical_u32());
        let shifts = call.solved(right_shifts(x, blocks as usize))?;
        call.write_all(A, shifts)
    },
    rows: |call| u64::from(call.c.as_canonical_u32()),
};

/// The parameter for extension elements that follow each other, with five lanes each.
const DENSE: Parameter = Parameter::Slice(A, |[skip, count, _]| {
    (skip + 5 * count).div_ceil(LANES as u64)
});

/// Returns the number of lanes that are skipped, and that of lanes (`horner`) or elements
/// (`unpack`).
pub(super) fn window(call: &Call) -> (u64, u64) {
    let [skip, length] = [call.e, call.c].map(|operand| operand.as_canonical_u32());
    (u64::from(skip), u64::from(length))
}

/// Returns the number of rows of a random combination: one for each block of its window.
pub(super) fn horner_rows(call: &Call) -> u64 {
    let (skip, length) = window(call);
    (skip + length).div_ceil(LANES as u64)
}

pub(super) fn check_elements([skip, count, _]: Integers) -> Result<(), Refusal> {
    let rule = "elements must be unpacked after fewer than 8 lanes, and at least one";
    check_window(skip, count, rule)
}

fn check_window(skip: u64, length: u64, rule: &str) -> Result<(), Refusal> {
    let help = "skip whole blocks with `data.skip(n)`";
    Refusal::unless(skip < LANES as u64 && length > 0, || rule.into(), help)
}

/// Returns an extension element as the lanes of a block.
pub(crate) fn widen(coefficients: [F; 5]) -> [F; LANES] {
    std::array::from_fn(|lane| coefficients.get(lane).copied().unwrap_or(F::ZERO))
}

/// Returns the number of coefficients of an extension element.
const fn degree<E: Challenge>() -> usize {
    <E as BasedVectorSpace<F>>::DIMENSION
}

/// Returns the extension element in a block, or `None` if one of its coefficients has not been set.
fn read_ext<E: Challenge>(memory: &mut Memory, at: u32) -> Result<Option<E>, Fault> {
    let cells = memory.partial_block(at);
    for (lane, cell) in cells.iter().enumerate().skip(degree::<E>()) {
        match cell {
            Some(value) if *value != F::ZERO => return Err(Fault::NotExtension(at)),
            Some(_) => {}
            None => memory.set_lane(at, lane, F::ZERO)?,
        }
    }
    let mut coefficients = [F::ZERO; LANES];
    for (coefficient, cell) in coefficients.iter_mut().zip(cells).take(degree::<E>()) {
        match cell {
            Some(value) => *coefficient = value,
            None => return Ok(None),
        }
    }
    let coefficients = coefficients.into_iter().take(degree::<E>());
    Ok(E::from_basis_coefficients_iter(coefficients))
}

/// Returns the extension element in a block. If a coefficient has not been set, the fault is that
/// of the block `missing`.
fn known<E: Challenge>(memory: &mut Memory, at: u32, missing: u32) -> Result<E, Fault> {
    read_ext(memory, at)?.ok_or(Fault::UnsetBlock(missing))
}

/// Returns the extension element in a block, all of whose coefficients must have been set.
pub(super) fn known_ext<E: Challenge>(call: &mut CallContext<'_>, at: u32) -> Result<E, Fault> {
    known(call.memory(), at, at)
}

/// Runs `D = A * b + c`, solved for the only block that has not been set.
pub(super) fn ext<E: Challenge>(call: &mut CallContext<'_>) -> Result<(), Fault> {
    let e = call.immediate();
    let (a, d) = (call.address(A)?, call.address(D)?);
    let factor: E = if e & 1 == 1 {
        call.value(B)?.into()
    } else {
        known_ext(call, call.address(B)?)?
    };
    let left: Option<E> = read_ext(call.memory(), a)?;
    let (addend, addend_at) = if e & 2 == 2 {
        (Some(E::from(call.value(C)?)), None)
    } else {
        let at = call.address(C)?;
        (read_ext(call.memory(), at)?, Some(at))
    };
    let memory = call.memory();
    let (at, value) = match (left, addend) {
        // A folding step can only be solved for its result.
        (Some(left), Some(addend)) if e & 4 == 4 => (d, fold(left, factor, addend)),
        (None, _) if e & 4 == 4 => return Err(Fault::UnsetBlock(a)),
        (_, None) if e & 4 == 4 => return Err(Fault::UnsetBlock(addend_at.unwrap_or(d))),
        (Some(left), Some(addend)) => (d, left * factor + addend),
        (Some(left), None) => {
            let result: E = known(memory, d, d)?;
            (addend_at.unwrap_or(d), result - left * factor)
        }
        (None, Some(addend)) => {
            // The element is multiplied by zero, so nothing determines it.
            let result: E = known(memory, d, a)?;
            let inverse = factor.try_inverse().ok_or(Fault::DivisionByZero)?;
            (a, (result - addend) * inverse)
        }
        (None, None) => return Err(Fault::UnsetBlock(a)),
    };
    memory.set_block(at, ext_to_block(value))
}

/// Solves for the lane or for B, whichever has not been set.
fn lane(call: &mut CallContext<'_>) -> Result<(), Fault> {
    let (at, lane) = (call.address(A)?, call.immediate() as usize);
    if lane >= LANES {
        return Err(Fault::OutOfRange {
            value: lane as u32,
            bound: LANES as u64,
        });
    }
    match (call.memory().lane(at, lane), call.value(B).ok()) {
        (Some(stored), _) => call.assign(B, stored),
        (None, Some(value)) => call.memory().set_lane(at, lane, value),
        (None, None) => Err(Fault::UnsetBlock(at)),
    }
}

/// Solves each lane for the side that has not been set.
fn block_eq(call: &mut CallContext<'_>) -> Result<(), Fault> {
    let (a, b) = (call.address(A)?, call.address(B)?);
    let memory = call.memory();
    for lane in 0..LANES {
        match (memory.lane(a, lane), memory.lane(b, lane)) {
            (Some(value), _) => memory.set_lane(b, lane, value)?,
            (None, Some(value)) => memory.set_lane(a, lane, value)?,
            (None, None) => return Err(Fault::UnsetBlock(a)),
        }
    }
    Ok(())
}

pub(super) fn horner<E: Challenge>(call: &mut CallContext<'_>) -> Result<(), Fault> {
    let (data, skip) = (call.address(A)?, call.immediate() as usize);
    let length = call.value(C)?.as_canonical_u32() as usize;
    let beta: E = known_ext(call, call.address(B)?)?;
    if length == 0 || length > MAX_CELLS || skip >= LANES {
        return Err(call.refuse(format!("a window of {length} elements after {skip}")));
    }
    let mut sum = E::ZERO;
    for block in 0..horner_blocks(skip, length) {
        let cells = call.memory().partial_block(data + block as u32);
        for (lane, cell) in cells.into_iter().enumerate() {
            let position = LANES * block + lane;
            sum *= beta;
            if (skip..skip + length).contains(&position) {
                sum += cell.ok_or(Fault::UnsetBlock(data + block as u32))?;
            }
        }
    }
    call.write(D, ext_to_block(sum))
}

pub(super) fn unpack<E: Challenge>(call: &mut CallContext<'_>) -> Result<(), Fault> {
    let (data, skip) = (call.address(A)?, call.immediate() as usize);
    let count = call.value(C)?.as_canonical_u32() as usize;
    if count == 0 || count > MAX_CELLS || skip >= LANES {
        return Err(call.refuse(format!("{count} elements after {skip} lanes")));
    }
    let out = call.address(D)?;
    let memory = call.memory();
    for index in 0..count {
        let mut element = [F::ZERO; LANES];
        for (i, coefficient) in element.iter_mut().enumerate().take(degree::<E>()) {
            let position = skip + degree::<E>() * index + i;
            let at = data + (position / LANES) as u32;
            let lane = memory.lane(at, position % LANES);
            *coefficient = lane.ok_or(Fault::UnsetBlock(at))?;
        }
        memory.set_block(out + index as u32, element)?;
    }
    Ok(())
}
