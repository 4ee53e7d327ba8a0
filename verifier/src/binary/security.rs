//! What a prover can gain by the hints of the program that the protocol does not have.

use droste_binary::tree_hash::CHALLENGE_LOSS;
use droste_gadgets::verify::binary::shape::{FOLDED, LOG_COLUMNS, LOG_ELEMENTS, Shape};
use droste_native::stark::security::{SCHWARTZ_ZIPPEL, SecurityTerm};

/// Events that only the program has, in addition to those of
/// `droste_binary::StatementShape::security`. The modules of `droste_gadgets::verify::binary` derive
/// them.
pub fn events(shape: &Shape) -> [SecurityTerm; 7] {
    let folded = shape.variables() - FOLDED;
    let numbers: usize = (shape.rounds.iter())
        .map(|round| round.queries.next_power_of_two())
        .sum();
    let log_numbers = numbers.next_power_of_two().ilog2() as usize;
    let log_bits = LOG_COLUMNS - LOG_ELEMENTS;
    // Each with a bound of the probability as a multiple of `2^-128`.
    let events = [
        ("points of words", 128),
        ("weights of queries", log_numbers * (folded + 1)),
        ("factors of queries", folded - 1),
        ("weights of the trace", log_bits * (shape.variables() + 2)),
        ("conjugates of coordinates", shape.variables()),
        ("interpolation of sums of conjugates", 127),
        ("interpolation of sums of bits", 127),
    ];
    events.map(|(name, values)| SecurityTerm {
        commitment: None,
        name,
        theorem: SCHWARTZ_ZIPPEL,
        bits: 128.0 - CHALLENGE_LOSS - (values as f64).log2(),
    })
}
