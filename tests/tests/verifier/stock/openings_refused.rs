//! False openings in a batch that one check of the program alone refuses.

use droste_gadgets::Hint;
use droste_gadgets::verify::binary::grid::layout::region_blocks;
use droste_native::{EF4, F};
use droste_verifier::airs::StockUni;
use droste_verifier::circuit::CircuitError;
use droste_verifier::tape::TapeError;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_uni_stark::prove;

use super::config::stock_sponge;
use super::fixture::HIGH_ARITY;
use crate::airs::tables::{Plain, plain_trace};

/// The integer on this side of a comparison of elements that failed.
fn compared(failure: &str, side: &str) -> u32 {
    let (_, text) = failure.split_once(side).expect(failure);
    let line = text.lines().next().expect(failure);
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect(failure)
}

/// Whether a block has one element, as that at the end of a region. Caps, among others, can be as
/// long as all regions.
fn is_index(block: &[Option<F>; 8]) -> bool {
    let mut others = block.iter().skip(1);
    others.all(|lane| *lane == Some(F::ZERO))
}

/// The arithmetic of a query has the sampled index, and the batch has that of the region: without a
/// comparison of both, the rows might be those of another leaf. It fails before the batch is read.
#[test]
fn the_index_of_a_region_is_the_sampled_one() {
    let (table, log_height) = (Plain::Product { degree: 3 }, 4);
    let (config, trees, ()) = stock_sponge::<EF4>(&HIGH_ARITY);
    let (trace, _) = plain_trace(table, log_height, 7);
    let proof = prove(&config, &table, trace, &[]).unwrap();
    let circuit = StockUni::new(config, trees, (), HIGH_ARITY, table, log_height).unwrap();
    let circuit = circuit.in_batch().unwrap();
    let grid = circuit.grid().unwrap();
    let region = region_blocks(&grid);
    let all = region * grid.queries;
    for query in [0, grid.queries - 1] {
        for bit in [0, grid.index_bits - 1, grid.index_bits] {
            let by = 1 << bit;
            let change = move |_: usize, hint: &mut Hint| {
                if let Hint::Slice(blocks) = hint
                    && blocks.len() == all
                    && blocks.chunks(region).filter_map(<[_]>::last).all(is_index)
                {
                    let index = &mut blocks[region * (query + 1) - 1][0];
                    *index = index.map(|index| F::from_u32(index.as_canonical_u32() ^ by));
                }
            };
            let refusal = circuit.tape_changed(&proof, &[vec![]], change).unwrap_err();
            let CircuitError::Tape(TapeError::Rejected { failure, .. }) = refusal else {
                panic!("{refusal:?}")
            };
            let [said, sampled] = ["left: ", "right: "].map(|side| compared(&failure.0, side));
            assert_eq!(said, sampled ^ by, "{}", failure.0);
            assert!(sampled < 1 << grid.index_bits);
        }
    }
}
