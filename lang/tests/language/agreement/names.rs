//! What names mean: modules, imports, the prelude.

use super::{outputs, program};

program!(imports {
    use droste_gadgets::prelude::*;
    use droste_gadgets::prelude::felt as number;

    fn felt(n: usize) -> Felt { number(n + 1) }

    mod inner {
        use droste_gadgets::prelude::{Felt, felt as make};
        pub const N: usize = 5;
        pub fn value() -> Felt { make(N) }
        pub mod deeper {
            pub const N: usize = 6;
            pub fn of() -> usize { N * 10 + super::N + self::N }
        }
    }
    const N: usize = 7;
    fn make(n: usize) -> Felt { number(100 * n) }

    mod left { pub const DEPTH: usize = 1; pub mod deeper { pub const N: usize = 8; } }
    use inner::deeper::{self, of};
    use left::deeper as other;

    pub fn main() {
        reveal(felt(1));
        reveal(make(N));
        reveal(inner::value());
        reveal(number(of()));
        reveal(number(deeper::N * 10 + other::N));
    }
});

#[test]
fn imports_stay_in_their_module_and_own_names_come_first() {
    assert_eq!(
        outputs(imports::SOURCE, imports::main, &[]),
        [2, 700, 5, 71, 68]
    );
}

program!(globs {
    use droste_gadgets::prelude::*;
    use values::*;

    mod values {
        pub const A: usize = 1;
        pub const B: usize = 2;
        pub const LIMBS: usize = 4;
        pub type Pair<T> = (T, T);
    }
    const A: usize = 10;

    fn limbs(pair: Pair<usize>) -> usize { pair.0 + pair.1 }

    const fn double(n: usize) -> usize { 2 * n }

    struct Row<const N: usize> { cells: [Felt; N] }
    fn width<const N: usize>(_row: &Row<N>) -> usize { N }

    pub fn main() {
        reveal(felt(A));
        reveal(felt(B));
        reveal(felt(limbs((LIMBS, 1))));
        let row = Row::<{ double(B) + 1 }> { cells: [Felt::ZERO; double(B) + 1] };
        let double = width(&row);
        reveal(felt(double));
    }
});

#[test]
fn named_items_come_before_globs() {
    assert_eq!(outputs(globs::SOURCE, globs::main, &[]), [10, 2, 5, 5]);
}

program!(patterns {
    use droste_gadgets::prelude::*;
    use types::A;
    use values::*;

    mod types { pub struct A { pub x: usize } }
    mod values { pub const A: usize = 3; }

    fn is_a(n: usize) -> usize {
        match n {
            A => 1,
            _ => 2,
        }
    }

    pub fn main() {
        let a = A { x: 30 };
        reveal(felt(a.x + is_a(3)));
        reveal(felt(is_a(4)));
    }
});

#[test]
fn a_struct_with_named_fields_does_not_hide_a_constant() {
    assert_eq!(outputs(patterns::SOURCE, patterns::main, &[]), [31, 2]);
}

program!(visibility {
    use droste_gadgets::prelude::*;
    use outer::inner::*;
    use constants::*;
    use imported::*;
    use wrapped::Wrapped;
    use constructors::*;

    mod constants {
        const HIDDEN: usize = 3;
        pub fn hidden() -> usize { HIDDEN }
    }
    mod imported {
        use super::outer::LIMIT;
        pub fn limit() -> usize { LIMIT }
    }
    mod outer {
        pub const LIMIT: usize = 4;
        pub mod inner {
            pub(super) const NEAR: usize = 5;
            pub(in super::super) const FAR: usize = 6;
            pub(self) const OWN: usize = 7;
            pub fn own() -> usize { OWN }
        }
    }
    mod wrapped {
        pub struct Wrapped(usize);
        impl Wrapped {
            pub fn new(n: usize) -> Self { Self(n) }
            pub fn get(&self) -> usize { self.0 }
        }
    }
    mod constructors {
        pub fn drop(n: usize) -> usize { n + 2 }
        pub fn Wrapped(n: usize) -> super::wrapped::Wrapped { super::wrapped::Wrapped::new(n + 1) }
    }

    // Each name is that of a constant that is visible only in some modules. In the others the name
    // is bound.
    fn of_private(n: usize) -> usize { match n { HIDDEN if n > 10 => HIDDEN, _ => 0 } }
    fn of_import(n: usize) -> usize { match n { LIMIT if n > 10 => LIMIT, _ => 0 } }
    fn of_near(n: usize) -> usize { match n { NEAR if n > 10 => NEAR, _ => 0 } }
    fn of_own(n: usize) -> usize { match n { OWN if n > 10 => OWN, _ => 0 } }
    fn of_far(n: usize) -> usize { match n { FAR => 1, _ => 0 } }

    pub fn main() {
        reveal(felt(of_private(20)));
        reveal(felt(of_import(21)));
        reveal(felt(of_near(22)));
        reveal(felt(of_own(23)));
        reveal(felt(of_far(23)));
        reveal(felt(of_far(6)));
        let wrapped: Wrapped = Wrapped(3);
        reveal(felt(wrapped.get()));
        reveal(felt(drop(hidden() + limit() + own())));
    }
});

#[test]
fn imports_bring_only_what_is_visible() {
    assert_eq!(
        outputs(visibility::SOURCE, visibility::main, &[]),
        [20, 21, 22, 23, 0, 1, 4, 16]
    );
}

// A trait is in scope by a bound, by its implementation, by globs and in a block, too. One that is
// private elsewhere is not imported by a glob.
program!(reached {
    use droste_gadgets::prelude::*;
    mod shapes {
        pub trait Area {
            const SIDES: usize;
            fn area(&self) -> usize;
            fn double(&self) -> usize { self.area() * 2 }
            fn unit() -> Self;
        }
        pub struct Square(pub usize);
        impl Area for Square {
            const SIDES: usize = 4;
            fn area(&self) -> usize { self.0 * self.0 }
            fn unit() -> Self { Square(1) }
        }
        trait Hidden { fn hidden(&self) -> usize; }
        impl Hidden for Square { fn hidden(&self) -> usize { self.0 + 100 } }
        pub fn shown(square: &Square) -> usize { square.hidden() }
        pub mod all {
            pub use super::Area as _;
            pub trait Edge { fn edge(&self) -> usize { 7 } }
            impl Edge for super::Square {}
            trait Inner { fn edge(&self) -> usize; }
            impl Inner for super::Square { fn edge(&self) -> usize { 9 } }
        }
    }
    mod glob {
        use super::shapes::{Square, all::*};
        pub fn of(square: &Square) -> usize { square.area() * 10 + square.edge() + Square::SIDES }
    }
    mod outer {
        use super::shapes::Area;
        pub mod inner {
            use super::*;
            pub fn of(square: &super::super::shapes::Square) -> usize { square.double() }
        }
    }
    struct Line(usize);
    impl shapes::Area for Line {
        const SIDES: usize = 1;
        fn area(&self) -> usize { [Self::SIDES; Self::SIDES][0] + self.0 }
        fn unit() -> Self { Line(5) }
        fn double(&self) -> usize { self.area() * 3 + Self::unit().area() }
    }
    fn bounded<T: shapes::Area>(value: &T) -> usize { value.area() + T::SIDES + T::unit().double() }
    fn mapped<T: shapes::Area>(values: &[T]) -> usize {
        let areas = values.iter().map(T::area).sum::<usize>();
        areas + values.iter().map(|value| value.double()).sum::<usize>()
    }

    pub fn main() {
        let square = shapes::Square(3);
        reveal(felt(shapes::shown(&square)));
        reveal(felt(glob::of(&square)));
        reveal(felt(outer::inner::of(&square)));
        reveal(felt(bounded(&square)));
        reveal(felt(bounded(&Line(2))));
        {
            use shapes::Area;
            let lines = [Line(1), Line(2)].map(|line| line.area());
            reveal(felt(square.area() + shapes::Square::unit().area() + lines[1]));
        }
        reveal(felt(mapped(&[Line(1), Line(2)])));
    }
});

#[test]
fn traits_are_in_scope_where_rustc_has_them() {
    assert_eq!(
        outputs(reached::SOURCE, reached::main, &[]),
        [103, 101, 18, 15, 28, 13, 32]
    );
}
