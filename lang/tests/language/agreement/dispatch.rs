//! Which implementation is called: that of the bound, of the qualified path, or an inherent one
//! before those of traits.

use super::{both, outputs, program};

program!(bounds {
    use droste_gadgets::prelude::*;

    pub struct S;
    pub trait A { fn f(&self) -> usize { 1 } const N: usize = 10; }
    pub trait B { fn f(&self) -> usize; const N: usize = 20; }
    impl A for S {}
    impl B for S { fn f(&self) -> usize { 2 } }

    fn by_a<T: A>(x: &T) -> usize { x.f() + T::N }
    fn by_b<T>(x: &T) -> usize where T: B { x.f() + T::N + T::f(x) }

    pub fn main() {
        reveal(felt(by_a(&S)));
        reveal(felt(by_b(&S)));
        reveal(felt(<S as A>::f(&S) * 100 + <S as B>::f(&S)));
        reveal(felt(A::f(&S) * 100 + B::f(&S)));
        reveal(felt(<S as A>::N + <S as B>::N * 100));
    }
});

#[test]
fn bounds_and_qualified_paths_decide() {
    let found = outputs(bounds::SOURCE, bounds::main, &[]);
    assert_eq!(found, [11, 24, 102, 102, 2010]);
}

program!(inherent {
    use droste_gadgets::prelude::*;

    pub struct S;
    impl S { fn f(&self) -> usize { 1 } const N: usize = 1; }
    pub trait A { fn f(&self) -> usize; const N: usize; fn twice(&self) -> usize { 2 * self.f() } }
    impl A for S {
        fn f(&self) -> usize { 10 }
        const N: usize = 10;
    }
    fn generic<T: A>(x: T) -> usize { x.f() + T::N * 100 }

    pub trait Inverse { fn inverse(self) -> Felt; }
    impl Inverse for Felt { fn inverse(self) -> Felt { felt(5) } }
    fn of_trait<T: Inverse>(x: T) -> Felt { x.inverse() }

    pub trait Zero { const ZERO: usize; }
    impl Zero for Felt { const ZERO: usize = 9; }
    fn zero<T: Zero>(_x: T) -> usize { T::ZERO }

    pub fn main() {
        reveal(felt(S.f() + S::N * 100));
        reveal(felt(S::f(&S) + S.twice() * 100));
        reveal(felt(generic(S)));
        let x = three();
        reveal(x.inverse() * x);
        reveal(of_trait(x));
        reveal(Felt::ZERO + felt(zero(x)));
    }

    fn three() -> Felt { felt(3) }
});

#[test]
fn inherent_functions_come_before_traits_but_not_in_generic_code() {
    let found = outputs(inherent::SOURCE, inherent::main, &[]);
    assert_eq!(found, [101, 2001, 1010, 1, 5, 9]);
}

program!(selected {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy)]
    pub struct Meters { n: usize }
    #[derive(Clone, Copy)]
    pub struct Feet { n: usize }
    pub struct Length { millimeters: usize }
    pub trait Of<T> { fn of(x: T) -> Self; }
    impl Of<Meters> for Length {
        fn of(x: Meters) -> Self { Length { millimeters: 1000 * x.n } }
    }
    impl Of<Feet> for Length {
        fn of(x: Feet) -> Self { Length { millimeters: 305 * x.n } }
    }

    pub trait Scale<T> { fn scale(&self, by: T) -> usize; fn name(&self) -> usize { 7 } }
    impl Scale<Felt> for Meters { fn scale(&self, _by: Felt) -> usize { self.n } }
    impl Scale<bool> for Meters { fn scale(&self, by: bool) -> usize { if by { 50 } else { 60 } } }

    pub trait Sized3 { fn size(&self) -> usize; }
    impl Sized3 for [Felt; 2] { fn size(&self) -> usize { 2 } }
    impl Sized3 for [Felt; 3] { fn size(&self) -> usize { 30 } }
    impl Sized3 for (Felt, Felt) { fn size(&self) -> usize { 400 } }

    pub fn main() {
        reveal(felt(Length::of(Meters { n: 2 }).millimeters));
        reveal(felt(Length::of(Feet { n: 2 }).millimeters));
        reveal(felt(<Length as Of<Feet>>::of(Feet { n: 1 }).millimeters));
        let m = Meters { n: 4 };
        reveal(felt(m.scale(true) + m.scale(felt(1))));
        reveal(felt(<Meters as Scale<bool>>::name(&m)));
        let two = [Felt::ONE; 2];
        let three = [Felt::ONE; 3];
        let of_arrays = Sized3::size(&two) + <[Felt; 3] as Sized3>::size(&three);
        reveal(felt(of_arrays + Sized3::size(&(Felt::ONE, Felt::ONE))));
    }
});

#[test]
fn implementations_are_selected_by_arguments_and_lengths() {
    let found = outputs(selected::SOURCE, selected::main, &[]);
    assert_eq!(found, [2000, 610, 305, 54, 7, 432]);
}

program!(blanket {
    use droste_gadgets::prelude::*;

    pub trait Marked { fn mark(&self) -> usize; }
    pub trait Shown { fn show(&self) -> usize; }
    impl<T: Marked> Shown for T { fn show(&self) -> usize { 100 + self.mark() } }
    pub struct S;
    pub struct U;
    impl Marked for S { fn mark(&self) -> usize { 1 } }
    impl Shown for U { fn show(&self) -> usize { 5 } }

    pub trait Base { fn id(&self) -> usize; fn both(&self) -> usize { self.id() } }
    pub trait Derived: Base { fn more(&self) -> usize { self.id() * 10 + self.both() } }
    pub struct V { n: usize }
    impl Base for V { fn id(&self) -> usize { self.n } }
    impl Derived for V {}
    fn derived<T: Derived>(x: &T) -> usize { x.more() + x.id() * 100 }

    pub trait Maker { type Out: Marked; fn make(&self) -> Self::Out; fn go(&self) -> usize { self.make().mark() } }
    impl Maker for V { type Out = S; fn make(&self) -> S { S } }

    pub fn main() {
        reveal(felt(S.show()));
        reveal(felt(U.show()));
        reveal(felt(derived(&V { n: 3 })));
        reveal(felt(V { n: 1 }.go()));
    }
});

#[test]
fn blanket_implementations_supertraits_and_associated_types() {
    let found = outputs(blanket::SOURCE, blanket::main, &[]);
    assert_eq!(found, [101, 5, 333, 1]);
}

program!(clones {
    use droste_gadgets::prelude::*;

    pub struct Money { cents: Felt, hidden: Felt }
    impl Clone for Money {
        fn clone(&self) -> Self { Money { cents: self.cents, hidden: Felt::ZERO } }
    }
    impl Default for Money {
        fn default() -> Self { Money { cents: felt(7), hidden: felt(8) } }
    }

    pub fn main() {
        let x = public_input();
        let a = Money { cents: x, hidden: felt(3) };
        let b = Money::clone(&a);
        reveal(b.cents * felt(10) + b.hidden);
        reveal(Money::default().cents + Money::default().hidden);
    }
});

#[test]
fn clones_and_defaults_of_the_program_are_called() {
    assert_eq!(outputs(clones::SOURCE, clones::main, &[5]), [50, 15]);
}

program!(shadowed {
    use droste_gadgets::prelude::*;

    pub trait Clone { fn twice(&self) -> usize; }
    pub struct S;
    impl Clone for S { fn twice(&self) -> usize { 3 } }

    fn id<Felt>(x: Felt) -> Felt { x }

    pub fn main() {
        reveal(felt(S.twice()));
        reveal(id(public_input_of(2)));
    }

    fn public_input_of(n: usize) -> Felt { felt(n) }
});

#[test]
fn names_of_the_language_may_be_the_programs() {
    assert_eq!(outputs(shadowed::SOURCE, shadowed::main, &[]), [3, 2]);
    assert!(both(shadowed::SOURCE, shadowed::main, &[1], &[]).is_none());
}

program!(expected {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy)]
    pub struct S<const N: usize>(Felt);
    impl<const N: usize> S<N> {
        fn make(s: S<N>) -> S<4> { S::<4>(s.0 + felt(N)) }
    }

    pub fn main() {
        let made: S<4> = S::make(S::<5>(public_input()));
        reveal(made.0);
    }
});

#[test]
fn the_expected_type_is_not_that_of_the_function() {
    assert_eq!(outputs(expected::SOURCE, expected::main, &[2]), [7]);
}

program!(defaults {
    use droste_gadgets::prelude::*;

    pub trait Numbered { const NUMBER: usize; }
    impl Numbered for Felt { const NUMBER: usize = 1; }
    impl Numbered for bool { const NUMBER: usize = 2; }
    pub struct T;
    impl Numbered for T { const NUMBER: usize = 3; }
    const N: usize = 7;

    // The parameters of an implementation do not change what `N` and `T` are here.
    pub trait Counted {
        const LENGTH: usize = N;
        fn length(&self) -> usize { N }
        fn number(&self) -> usize { T::NUMBER }
        fn of<U: Numbered>(&self, _: U) -> usize { U::NUMBER }
        fn twice(&self) -> Self where Self: Clone { self.clone() }
    }
    #[derive(Clone)]
    pub struct Row<const N: usize>(Felt);
    impl<const N: usize> Counted for Row<N> {}
    #[derive(Clone)]
    pub struct Pair<T, U>(T, U);
    impl<T, U> Counted for Pair<T, U> {}

    pub trait With<U> { fn with(&self, _: U) -> usize where U: Numbered { U::NUMBER } }
    impl<U> With<bool> for Single<U> {}
    pub struct Single<U>(U);

    pub fn main() {
        let x = public_input();
        let (row, pair) = (Row::<4>(x), Pair(x, x));
        reveal(felt(row.length() * 10 + Row::<4>::LENGTH));
        reveal(felt(row.number() * 10 + pair.number()));
        reveal(felt(row.of(true) * 10 + pair.of(true)));
        reveal(felt(Single(x).with(true)));
        reveal(row.twice().0);
    }
});

#[test]
fn a_default_knows_the_names_of_its_trait() {
    let found = outputs(defaults::SOURCE, defaults::main, &[5]);
    assert_eq!(found, [77, 33, 22, 2, 5]);
}

program!(derived {
    use droste_gadgets::prelude::*;

    pub trait Get { fn get(&self) -> Felt; }
    #[derive(Clone)]
    pub struct S(Felt);
    impl S {
        pub fn default() -> S { S(felt(5)) }
        pub fn once() -> S { Self::default() }
    }
    impl Get for S { fn get(&self) -> Felt { self.0 } }
    fn got<T: Get>(x: &T) -> Felt { x.get() }

    pub fn main() {
        let x = public_input();
        let values = [x, x + felt(1), x + felt(2)];
        let each = values.iter();
        let mut sum = felt(each.len());
        for i in count(2) {
            sum += i;
        }
        if x == felt(1) {
            sum += felt(9);
        }
        for value in each {
            sum = sum * felt(10) + *value;
        }
        for value in values.into_iter() {
            sum += value;
        }
        reveal(S::default().0 + S::once().0);
        reveal(got(&S(x)));
        reveal(sum);
    }
});

#[test]
fn inherent_functions_and_iterators() {
    let run = |x| outputs(derived::SOURCE, derived::main, &[x]);
    assert_eq!(run(1), [10, 1, 13_129]);
    assert_eq!(run(2), [10, 2, 4_243]);
}

program!(equal_arguments {
    use droste_gadgets::prelude::*;

    pub struct P<A, B> { a: A, b: B }
    impl<T> P<T, T> { fn f(&self) -> Felt { felt(1) } }
    trait Tr { fn f(&self) -> Felt; }
    impl Tr for P<u64, u8> { fn f(&self) -> Felt { felt(2) } }

    pub fn main() {
        let x = 5;
        let wide: u64 = x;
        reveal(P { a: 1u8, b: 2u8 }.f() + P { a: wide, b: 2u8 }.f() * felt(10));
        reveal(P { a: x, b: 2u8 }.f());
    }
});

#[test]
fn parameters_that_occur_twice_stand_for_one_type() {
    assert_eq!(
        outputs(equal_arguments::SOURCE, equal_arguments::main, &[]),
        [21, 2]
    );
}

program!(outputs_of_operators {
    use droste_gadgets::prelude::*;
    use std::ops::Add;

    pub struct S;
    impl Add<S> for u64 { type Output = S; fn add(self, s: S) -> Self::Output { s } }
    trait Tag { fn tag() -> Felt; }
    impl Tag for u64 { fn tag() -> Felt { felt(1) } }
    impl Tag for S { fn tag() -> Felt { felt(2) } }

    fn tag_of<T: Tag>(_value: T) -> Felt { T::tag() }
    fn sum<T: Add>(a: T, b: T) -> T::Output { a + b }
    fn named<T>() -> Felt where T: Add<T>, <T as Add<T>>::Output: Tag { <<T as Add<T>>::Output as Tag>::tag() }

    pub fn main() {
        reveal(tag_of(sum(1u64, 2)) + tag_of(1u64 + S) * felt(10) + named::<u64>() * felt(100));
        reveal(felt(sum(3u64, 4) as usize));
    }
});

#[test]
fn outputs_of_the_programs_operators_and_the_languages_are_told_apart() {
    assert_eq!(
        outputs(
            outputs_of_operators::SOURCE,
            outputs_of_operators::main,
            &[]
        ),
        [121, 7]
    );
}

program!(beside_inherent {
    use droste_gadgets::prelude::*;

    pub trait A: Sized {
        fn f(&self) -> usize;
        fn g(&self) -> usize { self.f() + 1 }
        fn h(self) -> usize { self.f() * 10 }
    }
    pub struct S;
    impl A for S { fn f(&self) -> usize { 3 } }
    impl S { fn f(self) -> usize { 50 } }
    trait Other { fn f(&mut self) -> usize; }
    impl Other for S { fn f(&mut self) -> usize { 70 } }

    fn by_bound<T: A>(x: T) -> usize { x.f() * 100 + x.g() }
    fn by_reference<T>(x: &T) -> usize where T: A { x.f() }

    pub fn main() {
        reveal(felt(by_bound(S)));
        reveal(felt(by_reference(&S) + S.g() * 10));
        reveal(felt(S.h()));
    }
});

#[test]
fn generic_code_has_no_inherent_methods_of_its_type() {
    assert_eq!(
        outputs(beside_inherent::SOURCE, beside_inherent::main, &[]),
        [304, 43, 30]
    );
}

program!(own_first {
    use droste_gadgets::prelude::*;

    pub trait Every { fn go(&self) -> usize; }
    impl<T> Every for T { fn go(&self) -> usize { 1 } }
    pub struct Own { list: Vec<usize> }
    impl Own {
        fn go(&self) -> usize { 2 }
        fn inside(&self) -> usize { (|| self.go())() }
    }
    fn given(own: Own) -> usize { own.go() }

    // A condition that no reference meets.
    pub trait Marked {}
    pub trait Bounded { fn run(&self) -> usize; }
    impl<T: Marked> Bounded for T { fn run(&self) -> usize { 1 } }
    #[derive(Clone, Copy)]
    pub struct Mark;
    impl Marked for Mark {}
    impl Mark { fn run(&self) -> usize { 2 } }
    fn by_reference(mark: &mut Mark) -> usize { mark.run() }

    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    pub struct Sum(usize);
    impl Sum {
        fn max(self, other: Sum) -> Sum { Sum(self.0 + other.0) }
        fn eq(&self, _other: &Sum) -> bool { false }
        fn same(&self, other: &Sum) -> bool { self.eq(other) }
    }
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Copied(usize);
    impl Copied { fn min(self, other: Copied) -> Copied { Copied(self.0 + other.0) } }
    fn least(a: Copied, b: Copied) -> usize { a.min(b).0 }

    pub fn main() {
        let own = Own { list: vec![1] };
        reveal(felt(own.go() * 1000 + own.inside() * 100 + Own::go(&own) * 10 + Every::go(&own)));
        let mut mark = Mark;
        let all = [&mark, &mark];
        let sum: usize = all.iter().map(|mark| mark.run()).sum();
        reveal(felt(given(own) * 100 + sum * 10 + by_reference(&mut mark)));
        let (a, b) = (Sum(3), Sum(4));
        reveal(felt(a.same(&Sum(3)) as usize * 100 + a.max(b).0 * 10 + Sum(1).max(Sum(2)).0));
        reveal(felt(least(Copied(3), Copied(5))));
    }
});

/// What the type itself has comes before what a trait gives to every type, if the receiver is of
/// that type.
#[test]
fn methods_of_the_receivers_own_type_come_first() {
    let found = outputs(own_first::SOURCE, own_first::main, &[]);
    assert_eq!(found, [2221, 242, 73, 8]);
}
