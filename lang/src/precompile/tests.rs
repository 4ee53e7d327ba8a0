use std::collections::BTreeSet;

use droste_native::F;
use p3_field::PrimeCharacteristicRing;

use super::*;

fn of(precompile: &Precompile) -> impl Iterator<Item = &'static Function> + use<> {
    precompile.functions.iter()
}

fn functions() -> impl Iterator<Item = &'static Function> {
    BUILT_IN.iter().flat_map(of)
}

#[test]
fn identities_are_different_and_no_users() {
    let identities: BTreeSet<u32> = BUILT_IN.iter().map(|found| found.identity).collect();
    assert_eq!(identities.len(), BUILT_IN.len());
    let built_in = 1..id::CUSTOM.start;
    assert!(identities.iter().all(|found| built_in.contains(found)));
    for precompile in BUILT_IN {
        assert_eq!(find(precompile.identity, &[]), Some(precompile));
    }
    assert_eq!(find(0, &[]), None);
    assert_eq!(find(id::CUSTOM.start, &[]), None);
}

#[test]
fn names_are_those_of_one_declaration_each() {
    let names: BTreeSet<&str> = BUILT_IN.iter().map(|precompile| precompile.name).collect();
    assert_eq!(names.len(), BUILT_IN.len());
    // Those of degree 4 have the names of those of degree 5.
    let other = |precompile: &&Precompile| at_degree(precompile, 4) == *precompile;
    let functions: Vec<_> = BUILT_IN.iter().filter(other).flat_map(of).collect();
    let names: BTreeSet<&str> = functions.iter().map(|function| function.name).collect();
    assert_eq!(names.len(), functions.len());
}

/// A program that begins with `quartic()` has the precompiles of degree 4 under the names of those
/// of degree 5, with the same parameters and results in the same operands. What takes elements of
/// GF(2^128) is of no degree.
#[test]
fn degrees_have_the_same_functions() {
    let of_degree_4 = [(EXT, EXT4), (HORNER, HORNER4), (UNPACK, UNPACK4)];
    for (five, four) in of_degree_4 {
        assert_eq!(at_degree(&five, 5), &five);
        assert_eq!(at_degree(&five, 4), &four);
        assert_eq!(five.is_total, four.is_total);
        let signatures = |precompile: &Precompile| -> Vec<String> {
            let functions = of(precompile).filter(|function| function.name != "unpack_binary");
            functions.map(ToString::to_string).collect()
        };
        assert_eq!(signatures(&five), signatures(&four));
        for function in of(&five) {
            assert_eq!(super::function(function.name, &[]).unwrap().0, &five);
        }
    }
    let others = BUILT_IN
        .iter()
        .filter(|found| at_degree(found, 4) != *found);
    assert_eq!(others.count(), of_degree_4.len());
}

#[test]
fn built_in_functions_are_well_declared() {
    for function in functions() {
        assert_eq!(function.problem(), None, "{function}");
    }
}

#[test]
fn signatures_name_the_operands() {
    let signature = |name: &str| function(name, &[]).unwrap().1.to_string();
    assert_eq!(
        signature("blake3_chunk"),
        "blake3_chunk(A: Slice, E: usize, B: 2 * usize, B: bool) -> C: Slice"
    );
    assert_eq!(
        signature("poseidon16_sponge"),
        "poseidon16_sponge(A: Slice, E: usize, B: Block) -> C: (Block, Block)"
    );
    assert_eq!(
        signature("poseidon2_16_constants"),
        "poseidon2_16_constants(A: Slice)"
    );
    assert_eq!(
        signature("baby_bear_dot"),
        "baby_bear_dot(A: Slice, B: Slice, E: usize, C: Ext) -> D: Ext"
    );
    assert_eq!(
        signature("assert_unpacked"),
        "assert_unpacked(A: Slice, E: usize, C: usize, D: Slice)"
    );
    assert_eq!(
        signature("word_products"),
        "word_products(A: Slice, E: usize, B: Slice, C: Block) -> D: Block"
    );
}

#[test]
fn declarations_that_no_call_can_follow_are_refused() {
    use Operand::{A, D, E};
    let problem = |parameters: &'static [Parameter], output| {
        let function = Function {
            name: "wrong",
            parameters,
            check: any,
            output,
        };
        function.problem().unwrap_or_default()
    };
    let taken = "the same operand";
    assert_eq!(problem(&[Parameter::Felt(A)], Output::Block(D)), "");
    assert!(problem(&[Parameter::Felt(A)], Output::Block(A)).contains(taken));
    assert!(problem(&[Parameter::Felt(A), Parameter::Ext(A)], Output::Nothing).contains(taken));
    assert!(problem(&[Parameter::Felt(A), Parameter::Flag(A)], Output::Nothing).contains(taken));
    assert!(problem(&[], Output::Block(E)).contains("operand E"));
    assert!(problem(&[Parameter::Block(E)], Output::Nothing).contains("operand E"));
    assert!(problem(&[Parameter::Felt(D)], Output::Nothing).contains("operand D"));
    assert!(
        problem(&[Parameter::UncheckedSlice(A)], Output::Nothing).contains("contain `unchecked`")
    );
    assert!(problem(&[Parameter::Integer(E); 4], Output::Nothing).contains("integers"));
}

#[test]
fn sums_of_products_are_of_some_blocks() {
    let (_, function) = function("baby_bear_dot", &[]).unwrap();
    let refused = |blocks| (function.check)([blocks, 0, 0]).is_err();
    assert!(refused(0) && refused((1 << 22) + 1) && refused(u64::MAX));
    assert!(!refused(1) && !refused(1 << 22));
}

#[test]
fn words_are_those_of_one_or_two_blocks() {
    let (_, function) = function("word_products", &[]).unwrap();
    let refused = |blocks| (function.check)([blocks, 0, 0]).is_err();
    assert!(refused(0) && refused(3) && refused(u64::MAX));
    assert!(!refused(1) && !refused(2));
    let read = |integers| {
        let parameters = function.parameters.iter();
        let slices = parameters.filter_map(|parameter| match parameter {
            Parameter::Slice(_, blocks) => Some(blocks(integers)),
            _ => None,
        });
        slices.collect::<Vec<_>>()
    };
    assert_eq!(read([2, 0, 0]), [2, 4]);
}

/// Numbers of rows as the tables' descriptions state them.
#[test]
fn rows_follow_from_the_operands() {
    let call = |c: u32, e: u32| Call {
        a: F::ZERO,
        b: F::ZERO,
        c: F::from_u32(c),
        d: F::ZERO,
        e: F::from_u32(e),
    };
    let rows = |precompile: Precompile, c, e| (precompile.rows)(&call(c, e));
    assert_eq!(rows(EXT, 9, 3), 1);
    // Lanes 7 to 16: three blocks.
    assert_eq!(rows(HORNER, 10, 7), 3);
    // Elements at lanes 6 and 11. The second ends in lane 15, in its own block. From lane 7 on it
    // ends in lane 16, in the next block.
    assert_eq!(rows(UNPACK, 2, 6), 2);
    assert_eq!(rows(UNPACK, 2, 7), 3);
    assert_eq!(rows(EXT4, 9, 3), 1);
    assert_eq!(rows(HORNER4, 10, 7), 3);
    // Elements at lanes 0 to 4 end in their own blocks. The third begins a block after the first,
    // and the second half a block.
    for (skip, more) in [0, 0, 0, 0, 0, 1, 1, 1].into_iter().enumerate() {
        assert_eq!(rows(UNPACK4, 1, skip as u32), 1 + more);
        assert_eq!(rows(UNPACK4, 3, skip as u32), 3 + more);
    }
    for (skip, more) in [0, 1, 1, 1, 0, 0, 0, 0].into_iter().enumerate() {
        assert_eq!(rows(UNPACK4, 2, skip as u32), 2 + more);
    }
    assert_eq!(rows(POSEIDON16_SPONGE, 9, 17), 3);
    assert_eq!(rows(POSEIDON16_MERKLE, 9, 20), 20);
    assert_eq!(rows(BLAKE3_CHUNK, 9, 17), 2);
    assert_eq!(rows(BLAKE3_PARENT, 9, 1), 1);
    // A whole rate block is followed by one of padding.
    assert_eq!(rows(KECCAK_HASH, 9, 33), 1);
    assert_eq!(rows(KECCAK_HASH, 9, 34), 2);
    // Without padding, no row follows.
    assert_eq!(rows(KECCAK_SPONGE, 9, 33), 1);
    assert_eq!(rows(KECCAK_SPONGE, 9, 34), 1);
    assert_eq!(rows(KECCAK_SPONGE, 9, 35), 2);
    assert_eq!(rows(KECCAK_SPONGE_MERKLE, 9, 20), 20);
    assert_eq!(rows(POSEIDON2_16_HASH, 9, 17), 3);
    assert_eq!(rows(POSEIDON2_24_HASH, 9, 17), 2);
    // 148 and 215 constants, two blocks a row.
    assert_eq!(rows(POSEIDON2_16_CONSTANTS, 9, 0), 10);
    assert_eq!(rows(POSEIDON2_24_CONSTANTS, 9, 0), 14);
    assert_eq!(rows(LIMBS, 9, 5), 5);
    assert_eq!(rows(POWER_WEIGHTS, 9, 16), 16);
    assert_eq!(rows(WORD_PRODUCTS, 9, 2), 1);
    assert_eq!(rows(BABY_BEAR, 9, 0), 1);
    assert_eq!(rows(BABY_BEAR_DOT, 9, 5), 5);
}
