//! What names mean: modules, imports, the prelude.

use crate::{outputs, program};

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
