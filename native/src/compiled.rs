/// Has functions that are generic in the hash suite compiled for each suite in the crate that calls
/// this macro. Crates above link those that are `#[inline(never)]`, and compile all others again
/// (docs/profiles.md).
#[doc(hidden)]
#[macro_export]
macro_rules! compiled {
    ($suite:ident: $($function:expr),+ $(,)?) => {
        #[doc(hidden)]
        pub fn compiled() -> Vec<*const ()> {
            fn of<$suite: $crate::HashSuite>() -> Vec<*const ()> {
                vec![$($function as *const ()),+]
            }
            [
                of::<$crate::Poseidon16Suite>(),
                of::<$crate::Poseidon2Suite>(),
                of::<$crate::Blake3Suite>(),
                of::<$crate::KeccakSuite>(),
            ]
            .concat()
        }
    };
}
