//! Harnesses that the end-to-end tests share.

pub mod attack;
pub mod differential;

/// Calls a function with each hash suite.
#[macro_export]
macro_rules! every_suite {
    ($function:ident) => {
        $function::<droste_native::Poseidon16Suite>();
        $function::<droste_native::Poseidon2Suite>();
        $function::<droste_native::Blake3Suite>();
        $function::<droste_native::KeccakSuite>();
    };
}

/// Declares tests of a function, one for each of these hash suites.
#[macro_export]
macro_rules! suite_tests {
    ($function:ident: $($name:ident => $suite:ident),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                $function::<droste_native::$suite>();
            }
        )+
    };
}
