//! What declarations say: statics, layouts, constant parameters, and the types of fields.

use super::{outputs, program};

program!(constants {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy)]
    struct Mod<const M: u64>(u64);
    impl<const M: u64> Mod<M> {
        const HALF: u64 = M / 2;
        fn new(v: u64) -> Self { Self(v % M) }
        fn add(self, other: Self) -> Self { Self::new(self.0 + other.0) }
    }
    fn rest<const M: u64>(a: Mod<M>) -> u64 { M - a.0 }

    struct Tag<const C: char>;
    impl<const C: char> Tag<C> { fn code(&self) -> u32 { C as u32 } }
    trait Named { fn number(&self) -> u32; }
    impl Named for Tag<'a'> { fn number(&self) -> u32 { 1 } }
    impl Named for Tag<'b'> { fn number(&self) -> u32 { 2 } }

    const DOWN: i8 = -3;
    fn moved<const BY: i8>(x: i8) -> i8 { x.wrapping_add(BY) }
    fn doubled<const N: u8>() -> u8 { N.wrapping_mul(2) }
    fn again<const N: u8>() -> u8 { doubled::<N>().wrapping_add(N) }

    pub fn main() {
        reveal(felt(Mod::<18446744073709551557>::new(u64::MAX).0 as usize));
        let b = Mod::<7>::new(5).add(Mod::<7>::new(4));
        reveal(felt((b.0 * 100 + rest(b) * 10 + Mod::<7>::HALF) as usize));
        let (a, z) = (Tag::<'a'>, Tag::<'b'>);
        reveal(felt((a.number() * 1000 + z.number() * 100 + a.code()) as usize));
        reveal(felt(moved::<DOWN>(5) as usize * 10 + moved::<{ -4 }>(5) as usize));
        reveal(felt(doubled::<200>() as usize));
        reveal(felt(again::<200>() as usize));
    }
});

#[test]
fn constant_parameters_have_their_own_types() {
    assert_eq!(
        outputs(constants::SOURCE, constants::main, &[]),
        [58, 253, 1297, 21, 144, 88]
    );
}

program!(items {
    use droste_gadgets::prelude::*;

    pub static SIZES: [usize; 3] = [4, 5, 6];
    static LIMIT: u8 = 200;
    struct Pair { a: usize, b: usize }
    static PAIR: Pair = Pair { a: 1, b: 2 };

    #[repr(u8)]
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    enum Op { Add = b'+', Sub = 45, Last }
    #[repr(i8)]
    #[derive(Clone, Copy)]
    enum Sign { Minus = -1, Zero, Plus }
    #[repr(C)]
    struct Layout { x: u8, y: u32 }
    #[repr(transparent)]
    struct Only(u64);

    fn longer(all: &[usize]) -> impl Iterator<Item = usize> + use<'_> { all.iter().map(|n| n + 1) }
    fn adder(n: usize) -> impl Fn(usize) -> usize + use<> { move |m| m + n }

    pub fn main() {
        static STEP: u32 = 3;
        reveal(felt(SIZES[1] + SIZES.iter().sum::<usize>() + PAIR.b + LIMIT as usize));
        reveal(felt(Op::Add as usize * 10000 + Op::Sub as usize * 100 + Op::Last as usize));
        reveal(felt(Sign::Minus as u8 as usize * 10 + Sign::Plus as usize));
        reveal(felt((Op::Add < Op::Sub) as usize * 10 + (Op::Last < Op::Sub) as usize));
        let layout = Layout { x: 3, y: STEP };
        reveal(felt(layout.x as usize * 100 + layout.y as usize * 10 + Only(9).0 as usize));
        reveal(felt(longer(&SIZES).sum::<usize>() * 10 + adder(2)(3)));
    }
});

#[test]
fn statics_are_constants_and_layouts_mean_nothing() {
    assert_eq!(
        outputs(items::SOURCE, items::main, &[]),
        [222, 434546, 2551, 10, 339, 185]
    );
}

program!(ranges {
    use droste_gadgets::prelude::*;
    use std::ops::RangeInclusive;

    #[derive(Clone)]
    struct Part { at: std::ops::Range<u8>, all: RangeInclusive<usize> }
    fn len(range: &std::ops::Range<usize>) -> usize { range.end - range.start }
    fn first<T: Copy>(range: std::ops::Range<T>) -> T { range.start }
    fn halves(range: std::ops::Range<usize>) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let middle = (range.start + range.end) / 2;
        (range.start..middle, middle..range.end)
    }

    pub fn main() {
        let part = Part { at: 250..255, all: 1..=3 };
        let list = [10usize, 20, 30, 40, 50];
        let (low, high) = halves(0..5);
        let sum: usize = list[low.clone()].iter().sum();
        reveal(felt(sum * 1000 + list[high].iter().sum::<usize>()));
        reveal(felt(len(&low) * 10 + list[part.all.clone()].len()));
        let start = part.at.start;
        reveal(felt(start.wrapping_add(10) as usize));
        reveal(felt(part.at.contains(&254) as usize * 10 + part.all.contains(&4) as usize));
        reveal(felt(first(7..9u32) as usize));
        let mut rest = 3..6usize;
        rest.next();
        reveal(felt(rest.start * 10 + rest.end));
        let mut many = [1..3usize, 4..9];
        many[1].next_back();
        reveal(felt(many[1].start * 100 + many[1].end * 10 + many[0].end));
    }
});

#[test]
fn ranges_have_types_and_ends() {
    assert_eq!(
        outputs(ranges::SOURCE, ranges::main, &[]),
        [30120, 23, 4, 10, 7, 46, 483]
    );
}

program!(fields {
    use droste_gadgets::prelude::*;

    const WIDTH: usize = 3;
    #[derive(Clone, Copy)]
    struct Vector([Felt; WIDTH]);
    impl Vector {
        fn add(self, other: Self) -> Self { Self(std::array::from_fn(|i| self.0[i] + other.0[i])) }
    }
    #[derive(Clone, Copy)]
    struct Matrix<const R: usize> { rows: [[Felt; 2]; R] }
    impl<const R: usize> Matrix<R> {
        fn zero() -> Self { Matrix { rows: std::array::from_fn(|_| [felt(0); 2]) } }
    }
    #[derive(Clone, Copy, Default)]
    struct Settings { sizes: [u8; 4], last: u16 }
    struct Holder { settings: Settings, row: [Felt; 2], marks: [bool; 5] }
    fn first(m: Matrix<2>) -> Felt { m.rows[1][0] + felt(m.rows.len()) }
    fn sum(values: [Felt; 3]) -> Felt { values[0] + values[1] + values[2] }

    #[derive(Clone, Copy)]
    struct S<const N: usize>(Felt);
    impl<const N: usize> S<N> { fn n(self) -> Felt { self.0 + felt(N) } }
    fn g(s: S<4>) -> Felt { s.n() }
    fn f(x: Felt) -> S<3> { S(g(S(x))) }

    pub fn main() {
        let x = public_input();
        let v = Vector([x, x, x]).add(Vector(std::array::from_fn(|i| felt(i))));
        reveal(sum(v.0));
        reveal(first(Matrix::zero()));
        reveal(sum(std::array::from_fn(|i| x * felt(i))));
        let h = Holder {
            settings: Default::default(),
            row: std::array::from_fn(|i| felt(i + 5)),
            marks: Default::default(),
        };
        reveal(h.row[1] * felt(100) + felt(h.settings.sizes.len() * 10 + h.marks.len()));
        reveal(f(x).n());
    }
});

#[test]
fn fields_and_parameters_tell_types() {
    assert_eq!(
        outputs(fields::SOURCE, fields::main, &[9]),
        [30, 2, 27, 645, 16]
    );
}

program!(defaults {
    use droste_gadgets::prelude::*;

    const TWO: usize = 2;
    #[derive(Clone, Debug, PartialEq)]
    struct Heap<T, F = u8, const D: usize = TWO> { items: Vec<T>, least: F }
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Either<A, B = A> { Left(A), Right(B) }

    impl<T: Copy, F: Copy, const D: usize> Heap<T, F, D> {
        fn new(least: F) -> Self { Heap { items: vec![], least } }
        fn push(&mut self, item: T) -> usize { self.items.push(item); (self.items.len() - 1) / D }
    }
    impl<T> Heap<T> {
        fn bits(&self) -> u32 { u8::BITS - self.least.leading_zeros() + D_OF_ALL }
    }
    const D_OF_ALL: u32 = 10;

    fn either(n: u32) -> Either<u32> { if n > 3 { Either::Left(n) } else { Either::Right(n + 1) } }

    pub fn main() {
        let x = public_input();
        let mut a: Heap<Felt> = Heap::new(200);
        let mut b = Heap::<Felt, u16, 3>::new(300);
        let mut c = Heap::<_, _>::new(Felt::ONE);
        let parents = [0, 1, 2, 3].map(|_| a.push(x) * 100 + b.push(x) * 10 + c.push(x));
        assert_eq!(parents, [0, 0, 101, 111]);
        reveal(x * felt(a.bits() as usize) + felt(b.least as usize) + c.least);
        assert_eq!([either(2), either(5)], [Either::Right(3), Either::Left(5)]);
    }
});

#[test]
fn generic_parameters_have_their_defaults() {
    assert_eq!(
        outputs(defaults::SOURCE, defaults::main, &[3]),
        [3 * 18 + 301]
    );
}
