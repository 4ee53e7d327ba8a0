//! Slices have the same ends natively and in the machine.

use droste_lang::executor::{Tape, execute, execute_mutated};
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::{both, compiled, outputs, program};

const BLOCKS: [[u32; 8]; 3] = [[10; 8], [20; 8], [30; 8]];

program!(indexed {
    use droste_gadgets::prelude::*;

    pub fn main() {
        let data = hint_slice(3).any();
        let x = public_input();
        let i = Index::<3>::new(x);
        reveal(data.at(i).lane(0));
        reveal(data.skip(1).block(1).lane(0) + data.skip_index(Index::<2>::new(Felt::ONE)).block(1).lane(0));
    }
});

/// An index past the end once wrapped around: `p - 2` read the statement, and the prover could
/// choose what follows the slice.
#[test]
fn an_index_out_of_range_fails_both_ways() {
    for (x, value) in [(0, 10), (1, 20), (2, 30)] {
        let statement = both(indexed::SOURCE, indexed::main, &[x], &BLOCKS).unwrap();
        assert_eq!(statement[1..3], [value, 60]);
    }
    for x in [3, 4, 60, F::ORDER_U32 - 1, F::ORDER_U32 - 2] {
        assert!(both(indexed::SOURCE, indexed::main, &[x], &BLOCKS).is_none());
    }
}

program!(bits {
    use droste_gadgets::prelude::*;

    pub fn main() {
        let data = hint_slice(8).any();
        reveal(data.at(Index::<8>::new(public_input())).lane(0));
    }
});

/// False bits of an index do not lead to another block being read.
#[test]
fn false_bits_of_an_index_are_not_accepted() {
    let program = compiled(bits::SOURCE);
    let blocks: Vec<[F; 8]> = (0..8).map(|i| [F::from_u32(10 * i); 8]).collect();
    let mut tape = Tape::default();
    tape.slice(&blocks);
    for x in [3, 8, F::ORDER_U32 - 2] {
        let public = [F::from_u32(x)];
        let honest = execute(&program, &public, &tape, 1 << 12);
        assert_eq!(honest.is_ok(), x < 8);
        for number in 0..program.hints.len() as u64 {
            for delta in [F::ONE, F::NEG_ONE] {
                let mutation = Some((number, delta));
                let run = execute_mutated(&program, &public, &tape, 1 << 12, mutation);
                let statement = run.ok().map(|run| run.statement);
                assert_eq!(
                    statement,
                    honest
                        .as_ref()
                        .ok()
                        .map(|run| run.statement)
                        .filter(|_| statement.is_some())
                );
            }
        }
    }
}

program!(unchecked {
    use droste_gadgets::prelude::*;
    use droste_gadgets::unchecked::UncheckedSlice;

    pub fn main() {
        let data = hint_slice(3).any();
        let bit = hint_bit();
        // A bit is below the length, so it is an index.
        reveal(data.at_unchecked(bit).lane(0));
        reveal(data.skip_unchecked(bit, 2).block(1).lane(0));
    }

    fn hint_bit() -> Felt {
        let x = public_input();
        assert_eq!(x * x, x);
        x
    }
});

#[test]
fn unchecked_indices_that_are_bounded_agree() {
    for x in [0, 1, 2] {
        let statement = both(unchecked::SOURCE, unchecked::main, &[x], &BLOCKS);
        assert_eq!(statement.is_some(), x < 2);
    }
}

program!(unwritten {
    use droste_gadgets::prelude::*;

    pub fn main() {
        let x = public_input();
        let mut words = Words::<4>::new();
        words.set(Index::<4>::new(felt(0)), x);
        let _ = words.get(Index::<4>::new(x));
        reveal(x);
    }
});

#[test]
fn a_word_is_read_even_if_nothing_uses_it() {
    for x in [0, 1] {
        let statement = both(unwritten::SOURCE, unwritten::main, &[x], &[]);
        assert_eq!(statement.is_some(), x == 0);
    }
}

program!(parts_of_places {
    use droste_gadgets::prelude::*;

    fn next(n: &mut usize) -> usize { *n += 1; *n - 1 }

    pub fn main() {
        let x = public_input();
        let mut rows = [[1u8, 2]; 3];
        rows[0..2][1] = [200, 7];
        let part = 1..3;
        rows[part][0][1] += 8;
        reveal(felt((!rows[1][0]) as usize * 1000 + rows[1][1] as usize + rows[2][0] as usize * 100));
        let mut list = [1u64, 2, 3, 4];
        list[1..3][1] += 10;
        list[..2][0] = 9;
        list[2..][1..][0] -= 1;
        reveal(felt((list[0] * 1000 + list[2] * 10 + list[3]) as usize));
        // The operator of a `Felt` takes its place first.
        let (mut n, mut k) = (0usize, 0usize);
        let mut fields = [x, x, x];
        fields[1..3][next(&mut n)] += felt(10 + next(&mut n) + next(&mut k));
        reveal(fields[1] * felt(100) + fields[2] + felt(n));
    }
});

#[test]
fn elements_of_parts_are_assigned_to() {
    assert_eq!(
        outputs(parts_of_places::SOURCE, parts_of_places::main, &[5]),
        [55_115, 9133, 1607]
    );
}
