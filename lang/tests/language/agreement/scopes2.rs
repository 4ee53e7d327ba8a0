//! Items inside functions, names of the standard library, and traits beside what it has.

use super::{outputs, program};
use droste_lang::compiler::compile_file;
use droste_lang::executor::{Tape, execute};
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

program!(inside {
    use droste_gadgets::prelude::*;

    const N: usize = 7;
    const DEPTH: usize = 1;
    fn helper(n: usize) -> usize { n + 1000 }
    fn twice(n: usize) -> usize { n + 2000 }
    pub trait Named { const NAME: usize; }
    impl Named for Felt { const NAME: usize = 60; }

    // Items of a block are known before they are declared, and hide those around it.
    fn nested(n: usize) -> usize {
        let first = helper(n);
        const N: usize = 3;
        fn helper(n: usize) -> usize { n * N + twice(1) }
        fn twice(n: usize) -> usize { 2 * n }
        {
            let second = twice(n);
            const N: usize = 5;
            fn twice(n: usize) -> usize { helper(n) + N }
            first * 10000 + second * 100 + N
        }
    }

    // An item hides variables around its block, but not those in it.
    fn variables(k: usize) -> usize {
        let inner = {
            #[allow(non_upper_case_globals)]
            const k: usize = 50;
            let own = k;
            {
                let n = 9usize;
                own + k + n
            }
        };
        inner * 100 + k
    }

    // It hides generic parameters, too.
    fn generic<T: Named, const N: usize>(_x: T) -> usize {
        let around = T_NAME;
        const T_NAME: usize = 4;
        {
            struct T;
            impl T { const NAME: usize = 80; }
            const N: usize = 6;
            around * 1000 + T::NAME + N
        }
    }

    fn of_parameter<T: Named, const N: usize>(_x: T) -> usize {
        {
            struct U;
            impl Named for U { const NAME: usize = 5; }
            T::NAME * 10 + U::NAME + N
        }
    }

    // The module around a function is not what the function declares.
    fn modules() -> usize {
        const DEPTH: usize = 2;
        mod m {
            pub const HERE: usize = 5;
            pub fn get() -> usize { super::DEPTH * 10 + HERE }
        }
        m::get() * 10 + DEPTH + self::DEPTH * 100
    }

    pub fn main() {
        reveal(felt(nested(4)));
        reveal(felt(variables(4)));
        reveal(felt(generic::<Felt, 2>(felt(1))));
        reveal(felt(of_parameter::<Felt, 2>(felt(1))));
        reveal(felt(modules()));
        reveal(felt(helper(1) + twice(1) + N + DEPTH));
    }
});

#[test]
fn items_inside_functions_hide_what_is_around() {
    assert_eq!(
        outputs(inside::SOURCE, inside::main, &[]),
        [141_905, 10_904, 4_086, 607, 252, 3_010]
    );
}

program!(local_types {
    use droste_gadgets::prelude::*;

    fn types(x: Felt) -> Felt {
        use Choice::*;
        enum Choice { Add(usize), Double }
        struct Pair { a: Felt, b: Felt }
        trait Total { fn total(&self) -> Felt; }
        impl Total for Pair { fn total(&self) -> Felt { self.a + self.b } }
        impl Pair { fn new(a: Felt) -> Self { Pair { a, b: a * felt(3) } } }
        fn apply(choice: &Choice, x: Felt) -> Felt {
            match choice {
                Add(n) => x + felt(*n),
                Double => x + x,
            }
        }
        apply(&Double, Pair::new(x).total()) + apply(&Add(2), x)
    }

    mod parts { pub const A: usize = 2; pub fn f(n: usize) -> usize { n * A } }

    fn imports(n: usize) -> usize {
        fn f(n: usize) -> usize { n + 100 }
        let outer = f(n);
        {
            use parts::{f, A as B};
            outer * 1000 + f(n) * 10 + B
        }
    }

    fn first(x: Felt) -> Felt {
        #[inline(never)]
        fn step(x: Felt) -> Felt { x * x + felt(1) }
        step(step(x))
    }

    fn second(x: Felt) -> Felt {
        #[inline(never)]
        fn step(x: Felt) -> Felt { x + felt(7) }
        step(step(x))
    }

    fn factorial(n: usize) -> usize {
        fn go(n: usize, product: usize) -> usize {
            if n == 0 { product } else { go(n - 1, n * product) }
        }
        go(n, 1)
    }

    const _: () = assert!(parts::A == 2);
    const _: () = assert!(parts::A < 3);

    pub fn main() {
        let x = public_input();
        const _: usize = 1;
        const _: usize = 2;
        reveal(types(x));
        reveal(felt(imports(3)));
        reveal(first(x));
        reveal(second(x));
        reveal(felt(factorial(5)));
        let mut sum = felt(0);
        for i in count(4) {
            fn square(x: Felt) -> Felt { x * x }
            sum += square(i);
        }
        reveal(sum);
    }
});

#[test]
fn every_kind_of_item_can_be_inside_a_function() {
    assert_eq!(
        outputs(local_types::SOURCE, local_types::main, &[5]),
        [47, 103_062, 677, 19, 120, 14]
    );
}

program!(standard {
    use droste_gadgets::prelude::*;
    use std::cmp::{self, Ordering::{self, *}};
    use std::mem;
    use std::option::Option::{self as Maybe, Some as Just};

    fn sign(a: usize, b: usize) -> usize {
        match a.cmp(&b) {
            Less => 1,
            Equal => 2,
            Ordering::Greater => 3,
        }
    }

    mod own {
        #[derive(Clone, Copy)]
        pub enum Option { None, Many(usize) }
        pub use self::Option::*;
        pub fn size(x: Option) -> usize {
            match x {
                None => 1,
                Many(n) => n,
            }
        }
    }

    fn count(x: Maybe<usize>) -> usize {
        match x {
            Just(n) => n,
            std::option::Option::None => 9,
        }
    }

    pub fn main() {
        let (mut a, mut b) = (public_input(), felt(2));
        mem::swap(&mut a, &mut b);
        reveal(a * felt(10) + b);
        reveal(felt(sign(1, 2) * 100 + sign(2, 2) * 10 + sign(3, 2)));
        reveal(felt(cmp::max(3, 4usize) * 10 + std::cmp::min(3, 4usize)));
        reveal(felt(own::size(own::None) * 100 + own::size(own::Many(20))));
        reveal(felt(count(Just(3)) * 100 + count(None) * 10 + count(Some(4))));
    }
});

#[test]
fn names_of_the_standard_library_are_looked_up() {
    assert_eq!(
        outputs(standard::SOURCE, standard::main, &[5]),
        [25, 123, 43, 120, 394]
    );
}

program!(beside {
    use droste_gadgets::prelude::*;

    pub trait Size {
        const MAX: usize;
        fn len(&self) -> usize;
        fn pow(self, n: u32) -> usize;
        fn unit() -> usize { 3 }
    }
    impl Size for usize {
        const MAX: usize = 9;
        fn len(&self) -> usize { 70 }
        fn pow(self, _n: u32) -> usize { self + 500 }
    }
    impl Size for [Felt; 2] {
        const MAX: usize = 8;
        fn len(&self) -> usize { 80 }
        fn pow(self, _n: u32) -> usize { 600 }
    }
    impl<T> Size for Option<T> {
        const MAX: usize = 7;
        fn len(&self) -> usize { 90 }
        fn pow(self, _n: u32) -> usize { 700 }
    }
    fn bound<T: Size + Copy>(x: T) -> usize { x.len() * 10000 + x.pow(2) * 10 + T::MAX + T::unit() }

    // A trait that is not in scope is not meant.
    mod apart {
        pub trait Bits { fn count_ones(self) -> u32; fn len(&self) -> usize { 1 } }
        impl Bits for u32 { fn count_ones(self) -> u32 { 40 } }
        impl Bits for [u32; 2] { fn count_ones(self) -> u32 { 50 } }
        pub fn inside(x: u32) -> u32 { Bits::count_ones(x) }
    }

    pub trait Slices { fn total(&self) -> usize; }
    impl Slices for [usize] { fn total(&self) -> usize { self[0] + self.iter().len() * 100 } }

    pub struct Stack { depth: usize }
    impl Stack {
        fn max(&self) -> usize { self.depth + 1 }
        fn to_string(&self) -> usize { self.depth + 2 }
    }

    pub fn main() {
        reveal(felt(bound(3usize)));
        reveal(felt(bound([felt(1); 2])));
        reveal(felt(bound(Some(true))));
        reveal(felt(Size::len(&3usize) + <usize as Size>::MAX + <[Felt; 2] as Size>::pow([felt(1); 2], 2)));
        reveal(felt(7u32.count_ones() as usize * 1000 + apart::inside(7) as usize * 10 + [1u32, 2].len()));
        let v = vec![5usize, 6];
        reveal(felt(Slices::total(&v[..]) + Slices::total(&v[1..])));
        let s = Stack { depth: 4 };
        reveal(felt(s.max() * 10 + s.to_string()));
    }
});

#[test]
fn bounds_and_qualified_paths_reach_traits_of_types_of_the_standard_library() {
    assert_eq!(
        outputs(beside::SOURCE, beside::main, &[]),
        [705_042, 806_011, 907_010, 679, 3_402, 311, 56]
    );
}

/// Modules of the entry's own crate are files that it declares.
#[test]
fn the_entry_has_files_of_its_own() {
    let entry = "use droste_gadgets::prelude::*; mod helper; use helper::{deep, double};\n\
                 pub fn main() { reveal(double(public_input()) + felt(deep::N)); }";
    let helper = (
        "main /helper.rs",
        "use droste_gadgets::prelude::*; pub mod deep;\n\
         pub fn double(x: Felt) -> Felt { x * felt(super::helper::deep::two()) }",
    );
    let deep = (
        "main /helper/deep.rs",
        "pub const N: usize = 7; pub fn two() -> usize { crate::helper::deep::N - 5 }",
    );
    let compiled = compile_file("program.rs", entry, &[helper, deep]).expect("it compiles");
    let run = execute(&compiled, &[F::from_u32(4)], &Tape::default(), 1 << 20);
    let statement = run.expect("it runs").statement;
    assert_eq!(statement[1], F::from_u32(15));

    // rustc does not read a file that no `mod` declares.
    let entry = "mod helper { pub const N: usize = 1; } pub fn main() { let _n = other::N; }";
    let other = ("main /other.rs", "pub const N: usize = 2;");
    let error = compile_file("program.rs", entry, &[other]).expect_err("no module `other`");
    assert!(error.to_string().contains("there is no"), "{error}");
}
