//! Calls share the body of an `#[inline(never)]` function if they are alike, and only then.

use super::{both, outputs, program};

program!(order {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy)]
    pub struct Pair { left: Felt, right: Felt }

    #[inline(never)]
    fn weigh(pair: Pair) -> Felt { pair.left + pair.right * felt(100) }

    pub fn main() {
        let x = public_input();
        reveal(weigh(Pair { left: felt(3), right: x }));
        reveal(weigh(Pair { left: x, right: felt(3) }));
    }
});

#[test]
fn which_field_is_fixed_tells_instances_apart() {
    assert_eq!(outputs(order::SOURCE, order::main, &[5]), [503, 305]);
}

program!(claims {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy)]
    pub struct Claim { half: Felt, whole: Felt }

    #[inline(never)]
    fn check(claim: Claim) { assert_eq!(claim.half + claim.half, claim.whole); }

    pub fn main() {
        let x = public_input();
        let y = public_input();
        check(Claim { half: felt(10), whole: x });
        check(Claim { half: y, whole: felt(10) });
    }
});

/// The second call's assertion was once made about the first call's value, so that `y` could be
/// anything.
#[test]
fn an_assertion_is_not_another_calls() {
    assert!(both(claims::SOURCE, claims::main, &[20, 5], &[]).is_some());
    for y in [10, 20, 0] {
        assert!(both(claims::SOURCE, claims::main, &[20, y], &[]).is_none());
    }
}

program!(digests {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy)]
    pub struct Node { left: Block, right: Block }

    impl Node {
        #[inline(never)]
        fn compress(&self) -> Block { poseidon16_compress(self.left, self.right) }
    }

    pub fn main() {
        let x = public_input();
        let zero = Felt::ZERO;
        let c = Block::new([x, zero, zero, zero, zero, zero, zero, zero]);
        let d = poseidon16_compress(c, c);
        let fixed = Block::ZERO;
        let both = [Node { left: c, right: d }, Node { left: d, right: c }];
        reveal(both[0].compress().lane(0));
        reveal(both[1].compress().lane(0));
        reveal(Node { left: fixed, right: d }.compress().lane(0));
        reveal(Node { left: d, right: fixed }.compress().lane(0));
    }
});

#[test]
fn blocks_at_two_addresses_change_places() {
    let found = outputs(digests::SOURCE, digests::main, &[7]);
    for (index, digest) in found.iter().enumerate() {
        assert!(!found[..index].contains(digest));
    }
}

program!(receivers {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy)]
    pub struct Counter { step: Felt, value: Felt, limit: usize }

    impl Counter {
        #[inline(never)]
        fn ahead(&self) -> Felt { self.value + self.step * felt(10) }

        #[inline(never)]
        fn advance(&mut self) -> Felt {
            self.value += self.step;
            self.limit += 1;
            self.value * felt(self.limit)
        }

        #[inline(never)]
        fn end(self) -> Felt { self.value - self.step + felt(self.limit) }
    }

    pub fn main() {
        let x = public_input();
        let mut a = Counter { step: felt(2), value: x, limit: 1 };
        let mut b = Counter { step: x, value: felt(2), limit: 1 };
        reveal(a.ahead());
        reveal(b.ahead());
        reveal(a.advance() + b.advance() * felt(1000));
        reveal(a.advance() + b.advance() * felt(1000));
        reveal(a.ahead() + b.ahead() * felt(1000));
        reveal(a.end() + b.end() * felt(1000));
    }
});

#[test]
fn methods_are_told_apart_by_what_self_holds() {
    let found = outputs(receivers::SOURCE, receivers::main, &[7]);
    // a: 7 + 20; b: 2 + 70; values 9 and 9 at limit 2; 11 and 16 at limit 3.
    assert_eq!(
        found,
        [27, 72, 18 + 18_000, 33 + 48_000, 31 + 86_000, 12 + 12_000]
    );
}

program!(defaults {
    use droste_gadgets::prelude::*;

    pub trait Weight {
        const FACTOR: usize;

        #[inline(never)]
        fn weigh(&self, x: Felt) -> Felt { x * felt(Self::FACTOR) }
    }

    pub struct Grams<const N: usize>;
    pub struct Pounds;

    impl<const N: usize> Weight for Grams<N> { const FACTOR: usize = N; }
    impl Weight for Pounds { const FACTOR: usize = 454; }

    pub fn main() {
        let x = public_input();
        reveal(Grams::<2>.weigh(x));
        reveal(Grams::<3>.weigh(x));
        reveal(Pounds.weigh(x));
    }
});

#[test]
fn a_default_method_has_an_instance_for_each_type() {
    assert_eq!(outputs(defaults::SOURCE, defaults::main, &[2]), [4, 6, 908]);
}

program!(lengths {
    use droste_gadgets::prelude::*;

    #[inline(never)]
    fn last(data: Slice, x: [Felt; 2]) -> Felt { data.block(1).lane(0) + x[0] * x[1] }

    pub fn main() {
        let all = hint_slice(3).any();
        let x = public_input();
        reveal(last(all, [x, x]));
        reveal(last(all.skip(1), [x, felt(2)]));
    }
});

#[test]
fn slices_of_two_lengths_and_equal_arguments() {
    let block = |first: u32| [first, 0, 0, 0, 0, 0, 0, 0];
    let blocks = [block(10), block(20), block(30)];
    let statement = both(lengths::SOURCE, lengths::main, &[4], &blocks).unwrap();
    assert_eq!(statement[1..3], [36, 38]);
}
