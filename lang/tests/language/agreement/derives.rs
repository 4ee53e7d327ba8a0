//! What derives do: defaults, and comparisons of structs and enums.

use super::{outputs, program};

program!(defaults {
    use droste_gadgets::prelude::*;
    use std::marker::PhantomData;

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Inner { x: Felt, n: u8, on: bool }
    #[derive(Clone, Debug, Default)]
    pub struct Outer<T> { inner: Inner, list: [T; 2], pair: (T, Ext), v: Vec<T>, o: Option<u8>, of: PhantomData<T> }
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Mode { Fast(u8), #[default] Slow, Other }
    #[derive(Clone, Copy, Debug)]
    pub struct Own { x: Felt }
    impl Default for Own { fn default() -> Self { Own { x: felt(7) } } }
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Owns { own: Own, mode: Mode, unit: () }

    fn made<T: Default>() -> T { T::default() }
    fn tuple() -> (Own, u32, Block) { Default::default() }

    pub fn main() {
        let x = public_input();
        let outer = Outer::<Felt>::default();
        reveal(outer.list[1] + outer.pair.0 + outer.inner.x + felt(outer.v.len()) + outer.pair.1.coeff(2));
        let own: Owns = Default::default();
        reveal(own.own.x + felt((own.mode == Mode::Slow) as usize) + felt(outer.o.is_none() as usize));
        let changed = Inner { x, ..Default::default() };
        reveal(changed.x + felt(changed.n as usize) + felt(Inner { n: 3, ..Inner::default() }.n as usize));
        reveal(made::<Own>().x + made::<Felt>() + felt(made::<usize>()) + made::<[Own; 3]>()[2].x);
        reveal(tuple().0.x + felt(tuple().1 as usize) + tuple().2.lane(3));
        reveal(felt(Outer::<u8>::default().list[0] as usize + usize::default() + <[u8; 4]>::default().len()));
    }
});

#[test]
fn defaults_are_those_of_the_fields() {
    assert_eq!(
        outputs(defaults::SOURCE, defaults::main, &[5]),
        [0, 9, 8, 14, 7, 4]
    );
}

program!(comparisons {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct P<T> { a: T, b: T }
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Shape { Empty, Dot(Felt), Line { from: P<Felt>, to: P<Felt> }, Many(Vec<Felt>) }
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Unit;

    fn bit(b: bool) -> Felt { if b { felt(1) } else { felt(0) } }
    fn same<T: PartialEq>(a: &T, b: &T) -> bool { a == b }
    fn before<T: PartialOrd>(a: T, b: T) -> bool { a < b }

    pub fn main() {
        let (x, y) = (public_input(), public_input());
        let (p, q) = (P { a: x, b: y }, P { a: y, b: x });
        reveal(bit(p == q) + bit(p != q) * felt(10) + bit(P { a: 1u8, b: 2 } == P { a: 1, b: 2 }) * felt(100));
        let (line, other) = (Shape::Line { from: p, to: q }, Shape::Line { from: q, to: p });
        reveal(bit(line == other) + bit(line == Shape::Dot(x)) * felt(10) + bit(Shape::Dot(x) == Shape::Dot(y)) * felt(100));
        reveal(bit(Shape::Many(vec![x]) == Shape::Many(vec![x, y])) + bit(Shape::Many(vec![x]) == Shape::Many(vec![y])) * felt(10)
            + bit(Shape::Empty == Shape::Empty) * felt(100));
        reveal(bit(Some(x) == Some(y)) + bit(Some(x) != None) * felt(10) + bit(Ok::<Felt, ()>(x) == Ok(y)) * felt(100));
        reveal(bit(same(&p, &q)) + bit(same(&line, &other)) * felt(10) + bit(same(&[x, x], &[y, x])) * felt(100));
        reveal(bit(before(1u8, 2)) + bit(before(Some(3u8), None)) * felt(10) + bit(Unit <= Unit) * felt(100));
        assert_eq!(line, line.clone());
        assert_ne!(line, Shape::Empty);
    }
});

#[test]
fn derived_comparisons_compare_variants_and_fields() {
    let run = |x, y| outputs(comparisons::SOURCE, comparisons::main, &[x, y]);
    assert_eq!(run(4, 4), [101, 101, 110, 111, 111, 101]);
    assert_eq!(run(4, 5), [110, 0, 100, 10, 0, 101]);
}

program!(of_the_trait {
    use droste_gadgets::prelude::*;

    #[derive(PartialEq)]
    struct S(Felt);
    impl S {
        fn eq(&self, _other: &S) -> bool {
            false
        }
    }
    fn f<T: PartialEq>(x: T) -> bool {
        T::eq(&x, &x)
    }

    pub fn main() {
        let x = public_input();
        let own = S(x).eq(&S(x));
        reveal(felt(own as usize));
        reveal(if f(S(x)) { felt(1) } else { felt(2) });
    }
});

/// In generic code the function of the bound's trait is meant, also if the type has its own.
#[test]
fn derived_functions_are_those_of_the_trait() {
    assert_eq!(
        outputs(of_the_trait::SOURCE, of_the_trait::main, &[4]),
        [0, 1]
    );
}
