//! Programs in plain Rust mean the same natively and in the machine: rustc builds them with this
//! file, and the machine's compiler reads their text. They test places, patterns, conditions and
//! integers. Each found a difference once, or is closely related to one that did.

use droste::both_ways::Program;
use droste_gadgets::{Hint, NativeTape};
use droste_native::F;
use droste_native::precompile::word_products;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

/// Declares programs as modules, and each module's text as a constant.
macro_rules! programs {
    ($($name:ident { $($text:tt)* })*) => {
        $(
            mod $name {
                // The programs are meant to be hard to read, so lints do not apply.
                #![allow(unused, clippy::all)]
                pub const SOURCE: &str = stringify!($($text)*);
                $($text)*
            }
        )*
    };
}

macro_rules! program {
    ($name:ident) => {
        Program::new(stringify!($name), $name::SOURCE, $name::main)
    };
}

/// Asserts that both runs reveal these values after the inputs.
fn gives(program: &Program, public: &[u32], outputs: &[u32]) {
    let statement = program.both(&NativeTape::default(), public).unwrap();
    let revealed = &statement[public.len()..public.len() + outputs.len()];
    assert_eq!(revealed, outputs, "{}", program.name);
}

/// Asserts that both runs fail.
fn fails(program: &Program, public: &[u32]) {
    program.both(&NativeTape::default(), public).unwrap_err();
}

programs! {
    weights {
        use droste_gadgets::prelude::*;

        pub fn main() {
            let generator = public_input();
            let exponent = public_input();
            let first = Ext::from_coeffs([generator, exponent, Felt::ONE, felt(2), exponent]);
            let second = first * first + felt(7);
            let coordinates = [first.as_block(), Block::ZERO, second.as_block()];
            let coordinates = Slice::from_blocks(coordinates);
            let weight = power_weights(coordinates, 3, generator, exponent);
            let by_hand = {
                let mut x = felt(1);
                for _i in count_to(exponent) {
                    x = x * generator;
                }
                let last = x * x * x * x;
                (first * (x - Felt::ONE) + Ext::ONE) * (second * (last - Felt::ONE) + Ext::ONE)
            };
            assert_eq!(weight, by_hand);
            reveal(weight.coeff(0));
            reveal(weight.coeff(4));
            // The two first coordinates bound the exponent, too.
            let short = power_weights(coordinates, 2, felt(3), exponent);
            reveal(short.coeff(1));
        }
    }

    words {
        use droste_gadgets::prelude::*;

        pub fn main() {
            let x = public_input();
            let y = public_input();
            let z = Felt::ZERO;
            let words = Slice::from_blocks([
                Block::new([x, y, x * y, x + y, x - y, y * y, z, Felt::ONE]),
                Block::new([y, x, x * x, y - x, felt(7), z, x, y * x]),
            ]);
            // Elements of five lanes each, from lane 2 on.
            let packed = Slice::from_blocks([
                Block::new([y, y, x, felt(2), felt(3), z, felt(5), felt(6)]),
                Block::new([felt(7), x, felt(9), x, felt(11), x, felt(13), x]),
                Block::new([z, z, z, z, felt(19), z, x, y]),
            ]);
            let weights = unpack_binary(packed, 2, 4);
            assert_eq!(weights.block(1).lane(0), felt(6));
            let one = word_products(words, 1, weights, weights.block(3));
            let two = word_products(words, 2, weights, weights.block(3));
            // The second block by itself.
            let second = word_products(words.skip(1), 1, weights.skip(2), weights.block(3));
            assert_eq!(word_products(words, 1, weights, second), two);
            for i in 0..5usize { reveal(two.lane(i)); }
            reveal(one.lane(0));
        }
    }

    conditions {
        use droste_gadgets::prelude::*;

        #[cfg(all())]
        const QUERIES: usize = 85;
        #[cfg(any())]
        const QUERIES: usize = 1;

        struct Counter {
            value: usize,
            #[cfg(any())]
            never: Felt,
        }

        trait Weight {
            fn weight(&self) -> usize {
                1
            }
        }

        impl Weight for Counter {
            #[cfg(not(any()))]
            fn weight(&self) -> usize {
                10 * self.value
            }
        }

        pub fn main() {
            let counter = Counter { value: 4, #[cfg(any())] never: felt(3) };
            let mut steps = felt(0);
            #[cfg(any())]
            bump(&mut steps);
            #[cfg(all())]
            bump(&mut steps);
            let chosen = match counter.value {
                #[cfg(any())]
                4 => 1usize,
                4 => 2,
                _ => 3,
            };
            reveal(felt(counter.weight()));
            reveal(felt(chosen));
            reveal(steps);
            reveal(felt(QUERIES));
        }

        fn bump(x: &mut Felt) {
            *x += felt(1);
        }
    }

    matching {
        use droste_gadgets::prelude::*;

        const SEVEN: usize = 7;

        #[derive(Clone, Copy)]
        struct Pair {
            left: usize,
            right: bool,
        }

        struct Both(usize, Pair);

        impl Pair {
            const NINE: usize = 9;
        }

        fn of_pair(pair: Pair) -> usize {
            match pair {
                Pair { left: 0, .. } => 1,
                Pair { left: 1..=4, right: true } => 2,
                Pair { left, right: false } => 30 + left,
                _ => 4,
            }
        }

        fn of_array(values: [usize; 3]) -> usize {
            match values {
                [1, 2, 3] => 1,
                [first, .., 9] => 100 + first,
                [.., last] if last > 5 => 200 + last,
                _ => 5,
            }
        }

        fn of_slice(values: &[usize]) -> usize {
            match values {
                [] => 1,
                [a] => 2 + *a,
                [a, _, b] => 50 + *a + *b,
                [a, .., b] => 70 + *a + *b,
            }
        }

        fn of_constant(value: usize) -> usize {
            const FIVE: usize = 5;
            match value {
                FIVE => 1,
                SEVEN => 2,
                Pair::NINE => 3,
                10 | 12 | 20..30 => 4,
                other => other,
            }
        }

        pub fn main() {
            let x = public_input();
            let pairs = of_pair(Pair { left: 0, right: true })
                + 10 * of_pair(Pair { left: 3, right: true })
                + 100 * of_pair(Pair { left: 3, right: false })
                + 10000 * of_pair(Pair { left: 9, right: true });
            reveal(felt(pairs));
            let arrays = of_array([1, 2, 3])
                + 10 * of_array([4, 0, 9])
                + 1000 * of_array([0, 0, 6])
                + 1000000 * of_array([0, 0, 0]);
            reveal(felt(arrays));
            let list = [1usize, 2, 3, 4];
            let slices = of_slice(&list[0..0])
                + 10 * of_slice(&list[0..1])
                + 100 * of_slice(&list[0..3])
                + 10000 * of_slice(&list);
            reveal(felt(slices));
            let constants = of_constant(5)
                + 10 * of_constant(7)
                + 100 * of_constant(9)
                + 1000 * of_constant(25)
                + 10000 * of_constant(30);
            reveal(felt(constants));
            let Both(first, Pair { left, .. }) = Both(3, Pair { left: 4, right: true });
            let (a, .., b) = (first, 5usize, 6usize, left);
            let [c, .., d] = [x, x + felt(1), x + felt(2)];
            reveal(felt(10 * a + b));
            reveal(c * felt(10) + d);
        }
    }

    guarded_assertions {
        use droste_gadgets::prelude::*;

        fn check(kind: usize, x: Felt) {
            match (kind, kind > 1) {
                (1, _) if kind == 2 => {}
                (1, false) => assert_eq!(x, felt(10)),
                (_, big) if big => assert_ne!(x, felt(11)),
                _ => {}
            }
        }

        pub fn main() {
            let x = public_input();
            check(1, x);
            check(2, x + felt(2));
            reveal(x);
        }
    }

    hoisted {
        use droste_gadgets::prelude::*;

        const N: usize = 1;

        fn inner<const M: usize>() -> usize {
            let before = N + M;
            const N: usize = TWICE / 2;
            const TWICE: usize = 40;
            // It is the inner 7 and not the outer 40.
            let inside = {
                let sum = N + TWICE;
                const TWICE: usize = 7;
                sum
            };
            before + inside
        }

        pub fn main() {
            reveal(felt(inner::<3>()));
            reveal(felt(N));
        }
    }

    order {
        use droste_gadgets::prelude::*;

        struct Tick {
            n: usize,
        }

        impl Tick {
            fn next(&mut self) -> usize {
                self.n += 1;
                self.n
            }
            fn felt(&mut self) -> Felt {
                felt(self.next())
            }
        }

        pub fn main() {
            let x = public_input();
            let mut t = Tick { n: 0 };
            // The value is evaluated first, so 1 is added at index 2.
            let mut a = [felt(0); 8];
            a[t.next()] = t.felt();
            reveal(a[2]);
            // For integers the value is evaluated first, so 3 is added at index 4; for field
            // elements the place is, so 6 is added at index 5.
            let mut b = [0usize; 8];
            let (value, at) = (t.next(), t.next());
            b[at] += value;
            reveal(felt(100 * b[4] + b[3]));
            a[t.next()] += t.felt();
            reveal(a[5] * felt(100) + a[6]);
            // The outer index is evaluated before the inner one.
            let grid = [[felt(1), felt(2), felt(3)], [felt(4), felt(5), felt(6)], [x, x, x]];
            let mut u = Tick { n: 0 };
            reveal(grid[u.next()][u.next()]);
            // An effect in an index into a temporary happens once.
            let mut v = Tick { n: 0 };
            let part = Holder { list: [felt(7), felt(8), felt(9)] }.get().list[v.next()];
            reveal(part * felt(10) + felt(v.n));
            (a[v.next()], a[v.next()]) = (v.felt(), v.felt());
            reveal(a[4] * felt(1000) + a[5] * felt(100) + felt(v.n));
        }

        struct Holder {
            list: [Felt; 3],
        }

        impl Holder {
            fn get(self) -> Self {
                self
            }
        }
    }

    writes {
        use droste_gadgets::prelude::*;

        #[derive(Clone, Copy, PartialEq, Debug)]
        struct Inner {
            a: Felt,
            list: [Felt; 3],
        }

        #[derive(Clone, Copy)]
        struct Outer {
            inner: Inner,
            other: Felt,
        }

        impl Outer {
            fn by_value(mut self) -> Felt {
                self.other = felt(50);
                self.inner.list[0] = felt(60);
                self.other + self.inner.list[0]
            }
            fn by_reference(&mut self, x: Felt) {
                self.other = x;
                self.inner.set(1, x);
                set(&mut self.inner.a, x + felt(1));
                Self::again(self, x);
            }
            fn again(this: &mut Self, x: Felt) {
                this.other += x;
                (*this).inner.list[2] = x;
            }
        }

        impl Inner {
            fn set(&mut self, at: usize, x: Felt) {
                (*self).list[at] = x;
            }
        }

        fn set(place: &mut Felt, x: Felt) {
            *place = x;
            let copy = *place;
            *place = copy + felt(1);
        }

        // A pattern with two names before a mutable reference.
        fn after((a, b): (Felt, Felt), place: &mut Felt) {
            *place = a + b;
        }

        fn through(mut x: Felt, place: &mut [Felt; 3]) -> Felt {
            x += felt(1);
            place[0] = x;
            after((x, x), &mut place[1]);
            let part = &place[1..3];
            part[0] + part[1]
        }

        pub fn main() {
            let x = public_input();
            let mut outer = Outer {
                inner: Inner { a: felt(1), list: [felt(2), felt(3), felt(4)] },
                other: felt(5),
            };
            let same = outer;
            reveal(outer.by_value() + outer.other);
            outer.by_reference(x);
            reveal(outer.other + outer.inner.a * felt(100));
            reveal(outer.inner.list[1] * felt(100) + outer.inner.list[2] + outer.inner.list[0]);
            let mut list = [felt(7); 3];
            reveal(through(x, &mut list));
            list[1..3][1] = felt(70);
            reveal(list[0] + list[1] * felt(10) + list[2] * felt(100));
            let other = Outer { other: x, ..same };
            assert_eq!(other.inner, same.inner);
            reveal(other.other + other.inner.a);
            let mut swap = (x, felt(1));
            (swap.0, swap.1) = (swap.1, swap.0);
            reveal(swap.0 * felt(10) + swap.1);
        }
    }

    integers {
        use droste_gadgets::prelude::*;

        fn sum(values: [u32; 3]) -> u32 {
            values[0] + values[1] + values[2]
        }

        pub fn main() {
            let n: usize = 300;
            let byte = n as u8;
            reveal(felt(byte as usize));
            let bits = u32::BITS + u8::BITS + 0u8.trailing_zeros() + 1u16.leading_zeros();
            reveal(felt(bits as usize));
            let high = 200u8;
            let shifted = (high << 1) as usize + ((!high) as usize) * 1000;
            reveal(felt(shifted));
            let wrapped = high.wrapping_add(100) as usize
                + 1000 * (high.saturating_add(100) as usize)
                + 1000000 * (high.wrapping_sub(201) as usize);
            reveal(felt(wrapped));
            let small = 3u16.pow(4) as usize + 1000 * (100usize.ilog2() as usize);
            reveal(felt(small));
            let masked = (u64::MAX >> 60) as usize + (u16::MAX as usize) * 16;
            reveal(felt(masked));
            let mixed = sum([1, 1 << 10, 1 << 20]) as usize
                + (0xF0u8 ^ 0xFF) as usize
                + 33usize.next_power_of_two()
                + 10usize.div_ceil(3);
            reveal(felt(mixed));
            let mut count = 0;
            for i in 0..100 {
                count += i % 2;
            }
            reveal(felt(count));
        }
    }

    short_circuits {
        use droste_gadgets::prelude::*;

        fn positive(x: Felt, log: &mut Felt) -> bool {
            *log += felt(1);
            x != felt(0)
        }

        pub fn main() {
            let x = public_input();
            let mut log = felt(0);
            let inverse = x != felt(0) && x.inverse() == felt(1);
            let either = x == felt(0) || positive(x, &mut log);
            let both = positive(x, &mut log) && positive(x - felt(1), &mut log);
            let nested = x == felt(2) && (x == felt(2) || x.inverse() == x) && !both;
            reveal(if inverse { felt(1) } else { felt(0) });
            reveal(if either { felt(1) } else { felt(0) });
            reveal(if both { felt(1) } else { felt(0) });
            reveal(if nested { felt(1) } else { felt(0) });
            reveal(log);
        }
    }

    lazy_hints {
        use droste_gadgets::prelude::*;

        pub fn main() {
            let x = public_input();
            let asked = x == felt(1) && hint_felt().bit() == felt(1);
            reveal(if asked { felt(1) } else { felt(0) });
            reveal(hint_felt().any());
        }
    }

    loops {
        use droste_gadgets::prelude::*;

        fn first_above(values: [usize; 5], bound: usize) -> usize {
            for i in 0..5 {
                let value = values[i];
                if value <= bound {
                    continue;
                }
                let mut n = 0;
                while n < 100 {
                    n += 1;
                    if n == value {
                        break;
                    }
                }
                if n > bound {
                    return n;
                }
            }
            0
        }

        pub fn main() {
            let x = public_input();
            reveal(felt(first_above([1, 5, 3, 9, 2], 4)));
            reveal(felt(first_above([1, 2, 3, 4, 2], 4)));
            let x = x + felt(1);
            let y = {
                let x = x * felt(10);
                let x = x + felt(1);
                x
            };
            let mut total = felt(0);
            for (a, b) in [(x, felt(2)), (y, felt(3))] {
                total += a * b;
            }
            for value in [x, y].iter() {
                total += *value;
            }
            reveal(total);
            let z;
            if x == felt(3) {
                z = felt(1);
            } else {
                z = y;
            }
            reveal(z);
        }
    }
}

#[test]
fn what_a_condition_leaves_out_is_not_there() {
    gives(&program!(conditions), &[], &[40, 2, 1, 85]);
}

#[test]
fn patterns_match_what_they_match_in_rust() {
    let program = program!(matching);
    gives(&program, &[7], &[43321, 5207041, 755431, 304321, 34, 79]);
}

#[test]
fn assertions_behind_guards_are_made() {
    let program = program!(guarded_assertions);
    gives(&program, &[10], &[10]);
    fails(&program, &[9]);
}

#[test]
fn constants_of_a_block_are_known_in_all_of_it() {
    gives(&program!(hoisted), &[], &[50, 1]);
}

#[test]
fn weights_of_powers() {
    let program = program!(weights);
    for (generator, exponent) in [(5, 0), (3, 1), (2_000_000_000, 2), (1, 3), (0, 3)] {
        let statement = program.both(&NativeTape::default(), &[generator, exponent]);
        // The coordinate's coefficient 1, times the power less one.
        let power = 3_u32.pow(exponent) - 1;
        assert_eq!(statement.unwrap()[4], exponent * power);
    }
    for exponent in [4, 7, 8, 1 << 24, 2_130_706_432] {
        fails(&program, &[3, exponent]);
    }
}

#[test]
fn products_of_words() {
    let program = program!(words);
    for inputs in [[3, 100], [0, 0], [255, 2_130_706_432]] {
        let [x, y] = inputs.map(F::from_u32);
        let [zero, one] = [F::ZERO, F::ONE];
        let words = [
            [x, y, x * y, x + y, x - y, y * y, zero, one],
            [y, x, x * x, y - x, F::from_u32(7), zero, x, y * x],
        ];
        let element = |lanes: [u32; 5]| -> [F; 8] {
            std::array::from_fn(|i| lanes.get(i).map_or(zero, |&lane| F::from_u32(lane)))
        };
        let [x, _] = inputs;
        let weights = [
            [x, 2, 3, 0, 5],
            [6, 7, x, 9, x],
            [11, x, 13, x, 0],
            [0, 0, 0, 19, 0],
        ];
        let weights = weights.map(element);
        let sum = |blocks: usize| -> [u32; 8] {
            let (words, weights_of) = (&words[..blocks], &weights[..2 * blocks]);
            let sum = word_products(words, weights_of, &weights[3]).unwrap();
            sum.map(|lane| lane.as_canonical_u32())
        };
        let expected = [&sum(2)[..5], &sum(1)[..1]].concat();
        gives(&program, &inputs, &expected);
    }
    // A lane with more bits than an element has there.
    fails(&program, &[256, 5]);
}

#[test]
fn parts_are_evaluated_once_and_in_rusts_order() {
    gives(&program!(order), &[0], &[1, 300, 600, 6, 81, 2305]);
}

#[test]
fn writes_reach_their_places() {
    gives(&program!(writes), &[9], &[115, 1118, 911, 27, 7210, 10, 19]);
}

#[test]
fn integers_have_their_width() {
    let expected = [44, 63, 55_144, 255_255_044, 6_081, 1_048_575, 1_049_684, 50];
    gives(&program!(integers), &[], &expected);
}

#[test]
fn the_right_side_runs_only_where_the_left_one_does_not_decide() {
    let program = program!(short_circuits);
    gives(&program, &[0], &[0, 1, 0, 0, 1]);
    gives(&program, &[1], &[1, 1, 0, 0, 3]);
    gives(&program, &[2], &[0, 1, 1, 0, 3]);
}

#[test]
fn hints_of_a_right_side_are_read_where_it_runs() {
    let program = program!(lazy_hints);
    let tape = |values: &[u32]| NativeTape {
        hints: values
            .iter()
            .map(|value| Hint::Felt(F::from_u32(*value)))
            .collect(),
    };
    let statement = program.both(&tape(&[1, 50]), &[1]).unwrap();
    assert_eq!(statement[1..3], [1, 50]);
    let statement = program.both(&tape(&[50]), &[2]).unwrap();
    assert_eq!(statement[1..3], [0, 50]);
    program.both(&tape(&[2, 50]), &[1]).unwrap_err();
}

#[test]
fn loops_and_scopes() {
    gives(&program!(loops), &[2], &[5, 0, 133, 1]);
    gives(&program!(loops), &[3], &[5, 0]);
}
