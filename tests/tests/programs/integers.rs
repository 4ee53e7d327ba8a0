//! Integers at run time: comparisons, and ranges of bits.

use droste::both_ways::Program;
use droste::program::compile;
use droste_gadgets::NativeTape;
use droste_native::F;
use p3_field::PrimeField32;

program!(comparison {
    use droste_gadgets::integers::less_than;
    use droste_gadgets::prelude::*;

    pub fn main() {
        let a = public_input();
        let b = public_input();
        let mut order = Felt::ZERO;
        if less_than(a, b) {
            order = Felt::ONE;
        }
        if less_than(b, a) {
            order += felt(2);
        }
        assert!(!(less_than(a, b) && less_than(b, a)));
        reveal(order);
    }
});

/// Elements are compared as canonical integers, around the bounds of limbs and of the field.
#[test]
fn elements_are_compared_as_integers() {
    let program = Program::new("comparison", comparison::SOURCE, comparison::main);
    let none = NativeTape::default();
    let last = F::ORDER_U32 - 1;
    let bounds = [0, 1, 65_535, 65_536, 65_537, 1 << 30, last - 1, last];
    for a in bounds {
        for b in bounds {
            let order = u32::from(a < b) + 2 * u32::from(b < a);
            assert_eq!(program.both(&none, &[a, b]).unwrap()[2], order, "{a}, {b}");
        }
    }
    for (a, b) in [(0, last), (last, 0), (65_536, 65_537), (7, 7)] {
        program.mutate_hints(&none, &[a, b]);
    }
}

program!(comparison_of_constants {
    use droste_gadgets::integers::less_than;
    use droste_gadgets::prelude::*;

    pub fn main() {
        let x = public_input();
        assert!(less_than(felt(65_535), felt(65_536)));
        assert!(!less_than(felt(2_130_706_432), felt(0)));
        assert!(!less_than(x, x));
        let mut order = Felt::ZERO;
        if less_than(x, felt(65_536)) {
            order = Felt::ONE;
        }
        if less_than(felt(65_536), x) {
            order += felt(2);
        }
        reveal(order);
    }
});

#[test]
fn constants_are_compared_as_integers() {
    let program = Program::new(
        "comparison_of_constants",
        comparison_of_constants::SOURCE,
        comparison_of_constants::main,
    );
    for x in [0, 65_535, 65_536, 65_537, F::ORDER_U32 - 1] {
        let order = u32::from(x < 65_536) + 2 * u32::from(x > 65_536);
        let statement = program.both(&NativeTape::default(), &[x]).unwrap();
        assert_eq!(statement[1], order, "{x}");
    }
}

program!(comparison_of_words {
    use droste_gadgets::integers::U32;
    use droste_gadgets::prelude::*;

    pub fn main() {
        let a = U32::new(public_input(), public_input());
        let b = U32::new(public_input(), public_input());
        let mut below = Felt::ZERO;
        if a.less_than(b) {
            below = Felt::ONE;
        }
        reveal(below);
        reveal(a.low() + b.high());
    }
});

/// All integers of 32 bits are compared, those that are no elements, too. Limbs are in range.
#[test]
fn words_are_compared_as_integers() {
    let program = Program::new(
        "comparison_of_words",
        comparison_of_words::SOURCE,
        comparison_of_words::main,
    );
    let none = NativeTape::default();
    let limbs = |x: u32| [x & 0xffff, x >> 16];
    let p = F::ORDER_U32;
    let words = [0, 1, 65_535, 65_536, 65_537, p - 1, p, 1 << 31, u32::MAX];
    for a in words {
        for b in words {
            let public = [limbs(a), limbs(b)].concat();
            let below = u32::from(a < b);
            assert_eq!(program.both(&none, &public).unwrap()[4], below, "{a}, {b}");
        }
    }
    program.mutate_hints(&none, &[1, 65_535, 0, 65_535]);
    program.mutate_hints(&none, &[65_535, 0, 0, 1]);
    for limb in 0..4 {
        for too_large in [65_536, 65_537, 1 << 24, p - 1] {
            let mut public = [0, 1, 2, 3];
            public[limb] = too_large;
            program.both(&none, &public).unwrap_err();
        }
    }
}

program!(ranges {
    use droste_gadgets::integers::assert_bits;
    use droste_gadgets::prelude::*;

    pub fn main() {
        assert_bits(public_input(), 1);
        assert_bits(public_input(), 12);
        assert_bits(public_input(), 16);
        assert_bits(public_input(), 30);
        assert_bits(public_input(), 31);
        assert_bits(public_input(), 32);
    }
});

#[test]
fn ranges_end_at_powers_of_two() {
    let program = Program::new("ranges", ranges::SOURCE, ranges::main);
    let none = NativeTape::default();
    let last = F::ORDER_U32 - 1;
    let largest = [1, (1 << 12) - 1, (1 << 16) - 1, (1 << 30) - 1, last, last];
    program.both(&none, &largest).unwrap();
    program.both(&none, &[0; 6]).unwrap();
    for (i, above) in [2, 1 << 12, 1 << 16, 1 << 30].into_iter().enumerate() {
        for wrong in [above, above + 1, last] {
            let mut public = largest;
            public[i] = wrong;
            program.both(&none, &public).unwrap_err();
        }
    }
}

program!(ranges_around_bytes {
    use droste_gadgets::integers::assert_bits;
    use droste_gadgets::prelude::*;

    pub const BITS: [usize; 8] = [7, 8, 9, 17, 23, 24, 25, 29];

    pub fn main() {
        for bits in BITS {
            assert_bits(public_input(), bits);
        }
    }
});

#[test]
fn ranges_end_on_both_sides_of_whole_bytes() {
    let program = Program::new(
        "ranges_around_bytes",
        ranges_around_bytes::SOURCE,
        ranges_around_bytes::main,
    );
    let none = NativeTape::default();
    let largest = ranges_around_bytes::BITS.map(|bits| (1u32 << bits) - 1);
    program.both(&none, &largest).unwrap();
    for i in 0..largest.len() {
        let mut public = largest;
        public[i] += 1;
        program.both(&none, &public).unwrap_err();
    }
}

program!(range_in_a_branch {
    use droste_gadgets::integers::assert_bits;
    use droste_gadgets::prelude::*;

    pub fn main() {
        let x = public_input();
        let taken = public_input();
        if taken == Felt::ONE {
            assert_bits(x, 16);
        }
    }
});

#[test]
fn a_range_in_a_branch_is_checked_if_the_branch_is_taken() {
    let program = Program::new(
        "range_in_a_branch",
        range_in_a_branch::SOURCE,
        range_in_a_branch::main,
    );
    for x in [0, 65_535, 65_536, F::ORDER_U32 - 1] {
        for taken in [0, 1] {
            let run = program.both(&NativeTape::default(), &[x, taken]);
            assert_eq!(run.is_err(), taken == 1 && x > 65_535, "{x}, {taken}");
        }
    }
}

/// What no run could do does not compile.
#[test]
fn arguments_out_of_range_are_refused() {
    for (call, message) in [
        (
            "assert_bits(hint_felt().any(), 0)",
            "shifts take 1 to 4 blocks, not 0",
        ),
        (
            "assert_bits(hint_felt().any(), 33)",
            "shifts take 1 to 4 blocks, not 5",
        ),
        (
            "commit_slice(hint_slice(1).any(), 0)",
            "a sponge must absorb at least 8 lanes, not 0",
        ),
        (
            "commit_slice(hint_slice(1).any(), 9)",
            "this block is outside of the slice, which has 1 blocks",
        ),
        (
            "commit_slice(hint_slice(1).any(), 16)",
            "this needs 2 blocks of a slice, which has 1",
        ),
        (
            "reveal_commitment(&[public_input()])",
            "the statement has 8 elements",
        ),
    ] {
        let source = format!(
            "use droste_gadgets::commitment::{{commit_slice, reveal_commitment}};\n\
             use droste_gadgets::integers::assert_bits;\nuse droste_gadgets::prelude::*;\n\
             pub fn main() {{ {call}; }}\n"
        );
        let error = compile(&source).unwrap_err();
        assert_eq!(error.message, message, "{call}");
    }
}
