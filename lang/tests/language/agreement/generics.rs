//! Generic parameters whose names are also those of items: a parameter is never taken for an item.

use super::{outputs, program};

program!(defaults {
    use droste_gadgets::prelude::*;

    pub const N: usize = 9;
    pub struct U;
    pub trait Id { const ID: usize; }
    impl Id for U { const ID: usize = 1; }
    impl Id for Felt { const ID: usize = 2; }
    impl Id for u16 { const ID: usize = 16; }

    pub trait Tr<const M: usize> { fn g(&self, a: [Felt; M]) -> usize { M * 10 + a.len() + 1 } }
    pub struct S;
    impl<const N: usize> Tr<N> for S {}

    pub trait Of<T: Id> {
        const C: usize = T::ID * 3;
        fn of(&self, _: T) -> usize { T::ID }
        fn twice(&self, x: T, y: T) -> usize { self.of(x) + self.of(y) + nested::<T>() }
    }
    impl<U: Id> Of<U> for S {}
    fn nested<U: Id>() -> usize { U::ID * 100 }

    pub trait Deep<T, const M: usize>: Of<T> where T: Id + Copy {
        fn deep(&self, x: [T; M]) -> usize { self.of(x[0]) * 1000 + M }
    }
    impl<U: Id + Copy, const N: usize> Deep<U, N> for S {}

    pub fn main() {
        let x = public_input();
        reveal(felt(S.g([x; 3])));
        reveal(felt(S.g([x; 2]) + <S as Tr<4>>::g(&S, [x; 4]) * 100));
        reveal(felt(S.of(x) + S.of(U) * 10 + S.of(5u16) * 100));
        reveal(felt(S.twice(x, x)));
        reveal(felt(S.deep([x, x, x])));
        reveal(felt(<S as Of<Felt>>::C + <S as Of<U>>::C * 10));
    }
});

#[test]
fn defaults_of_generic_traits() {
    let found = outputs(defaults::SOURCE, defaults::main, &[5]);
    assert_eq!(found, [34, 4523, 1612, 204, 2003, 36]);
}

program!(types {
    use droste_gadgets::prelude::*;

    pub struct U;
    pub trait Id { const ID: usize; fn id(&self) -> usize { Self::ID } }
    impl Id for U { const ID: usize = 1; }
    impl Id for Felt { const ID: usize = 2; }

    pub struct S;
    pub trait Tr<T> { type O: Id; fn make(x: T) -> Self::O; fn id_of(x: T) -> usize { Self::make(x).id() } }
    impl<U: Id> Tr<U> for S { type O = U; fn make(x: U) -> U { x } }

    pub struct Pair<A, B>(A, B);
    impl<U: Id, T: Id> Tr<bool> for Pair<U, T> {
        type O = T;
        fn make(_x: bool) -> T { panic!() }
    }
    pub struct T;
    impl Id for T { const ID: usize = 7; }
    fn second<P: Tr<bool>>(_: P) -> usize { <<P as Tr<bool>>::O as Id>::ID }

    pub fn main() {
        let x = public_input();
        reveal(felt(<S as Tr<Felt>>::make(x).id()));
        reveal(felt(<S as Tr<Felt>>::id_of(x) + 10 * <S as Tr<U>>::id_of(U)));
        reveal(felt(<<S as Tr<Felt>>::O as Id>::ID));
        reveal(felt(second(Pair(U, x)) + 10 * second(Pair(x, T))));
    }
});

#[test]
fn associated_types() {
    let found = outputs(types::SOURCE, types::main, &[5]);
    assert_eq!(found, [2, 12, 2, 72]);
}

program!(aliases {
    use droste_gadgets::prelude::*;
    use other::{Twice, Wrapped};

    pub trait Id { const ID: usize; }
    pub struct T;
    impl Id for T { const ID: usize = 9; }
    impl Id for u16 { const ID: usize = 16; }
    impl Id for Felt { const ID: usize = 2; }
    pub const N: usize = 9;

    pub struct W<A>(A);
    impl<A: Id> W<A> {
        fn mk(_: A) -> usize { A::ID }
        fn of(self) -> usize { A::ID * 10 }
    }
    type Al<T> = W<T>;
    type Swap<A, T> = (T, A);
    type Row<const N: usize> = [Felt; N];
    fn ids<A: Id, B: Id>(_: Swap<A, B>) -> usize { A::ID * 100 + B::ID }
    fn length<const K: usize>(row: Row<K>) -> usize { K * 10 + row.len() }
    fn wide(x: Twice<u8>) -> usize { let (a, b) = x; (a + b) as usize }

    pub mod other {
        pub struct Felt;
        pub type Wrapped<T> = super::W<T>;
        pub type Twice<Felt> = (Felt, Felt);
    }

    pub fn main() {
        let x = public_input();
        reveal(felt(Al::mk(5u16)));
        reveal(felt(Al::<Felt>::mk(x) + Al::mk(T) * 10));
        reveal(felt(Wrapped::mk(x) + W(5u16).of()));
        reveal(felt(ids((x, 5u16))));
        reveal(felt(length([x; 3])));
        reveal(felt(wide((100, 100))));
    }
});

#[test]
fn aliases_with_and_without_arguments() {
    let found = outputs(aliases::SOURCE, aliases::main, &[5]);
    assert_eq!(found, [16, 92, 162, 1602, 33, 200]);
}

program!(kinds {
    use droste_gadgets::prelude::*;

    pub struct N;
    pub trait Id { const ID: usize; }
    impl Id for N { const ID: usize = 3; }
    impl Id for Felt { const ID: usize = 2; }
    pub const K: usize = 2;
    pub struct T(usize);

    // A constant parameter does not hide a type, nor a type parameter a value.
    fn of_constant<const N: usize>(_: N, a: [Felt; N]) -> usize { <N as Id>::ID * 100 + N * 10 + a.len() }
    fn of_type<K: Id>(_: K, a: [Felt; K]) -> usize { K::ID * 100 + K * 10 + a.len() }
    fn of_struct<T: Id>(_: T) -> usize { let made = T(4); made.0 * 10 + T::ID }

    pub struct W<A, const M: usize>(A, [Felt; M]);
    impl<const N: usize> W<N, { N }> { fn f(&self) -> usize { N + 50 } }
    pub trait Tr { fn g(&self) -> usize { 1 } }
    impl<A, const M: usize> Tr for W<A, M> {}

    pub fn main() {
        let x = public_input();
        reveal(felt(of_constant(N, [x; 4])));
        reveal(felt(of_type(x, [x; 2])));
        reveal(felt(of_struct(x)));
        reveal(felt(W(N, [x; 5]).f() + W(x, [x; 5]).g() * 100));
    }
});

#[test]
fn types_and_constants_of_one_name() {
    let found = outputs(kinds::SOURCE, kinds::main, &[5]);
    assert_eq!(found, [344, 222, 42, 155]);
}

program!(told {
    use droste_gadgets::prelude::*;
    trait Tr { fn f(&self) -> usize { 4 } }
    struct S<F>(F);
    impl<A, F: Fn(u8) -> A> Tr for S<F> {}
    trait Q<T> { fn q(&self) -> usize { 3 } }
    struct P;
    impl<T> Q<T> for P {}
    struct A<const N: usize>;
    impl<const N: usize> Tr for A<{ N }> {}
    impl<const N: usize> Tr for [u8; N] {}

    pub fn main() {
        reveal(felt(S(|x: u8| x).f()));
        reveal(felt(<P as Q<u8>>::q(&P) + A::<4>.f() + Tr::f(&[1u8, 2])));
    }
});

#[test]
fn the_type_the_trait_or_a_bound_tells_parameters_of_implementations() {
    assert_eq!(outputs(told::SOURCE, told::main, &[]), [4, 11]);
}

program!(points {
    use droste_gadgets::prelude::*;

    pub trait Point: Copy {
        const MODULUS: usize;
        fn constant(x: u32) -> Self;
        fn times(self, other: Self) -> Self;
        fn scale(self, x: Ext) -> Ext;
        fn root() -> Self { Self::constant(3).times(Self::constant(5)) }
    }
    impl Point for Felt {
        const MODULUS: usize = 7;
        fn constant(x: u32) -> Self { Felt::new(x) }
        fn times(self, other: Self) -> Self { self * other }
        fn scale(self, x: Ext) -> Ext { x * self }
    }
    impl Point for Ext {
        const MODULUS: usize = 11;
        fn constant(x: u32) -> Self { Ext::new([x, 1, 0, 0, 0]) }
        fn times(self, other: Self) -> Self { self * other }
        fn scale(self, x: Ext) -> Ext { x * self }
    }

    pub trait Hash { type Point: Point; }
    pub struct A;
    pub struct B;
    impl Hash for A { type Point = Felt; }
    impl Hash for B { type Point = Ext; }

    fn all<P: Point>(points: &[P], x: Ext) -> Ext {
        let mut product = x;
        for point in points { product = point.scale(product); }
        product
    }
    fn of<H: Hash>(x: Ext) -> Ext {
        let mut points: Vec<H::Point> = Vec::new();
        points.push(H::Point::constant(2));
        points.push(<H::Point as Point>::root());
        all::<H::Point>(&points, x)
    }
    fn modulus<H: Hash>() -> usize { H::Point::MODULUS * 10 + <H::Point as Point>::MODULUS }

    pub fn main() {
        let x = Ext::from_felt(public_input());
        reveal(of::<A>(x).coeff(0));
        reveal(of::<B>(x).coeff(0) + of::<B>(x).coeff(1) * felt(1000));
        reveal(felt(modulus::<A>() + modulus::<B>() * 1000));
        reveal(felt((77777usize << 32) % 2013265921usize));
    }
});

/// The points of a domain are elements of the base field or of the extension, by a hash.
#[test]
fn traits_of_elements_are_named_through_other_traits() {
    let found = outputs(points::SOURCE, points::main, &[5]);
    // (X + 2) (X + 3) (X + 5) = 30 + 31 X + 10 X^2 + X^3
    let shifted = (77777u64 << 32) % 2013265921;
    assert_eq!(found, [150, 155150, 121077, shifted as u32]);
}
