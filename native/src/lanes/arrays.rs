//! Packed fields of 4, 8 and 16 lanes for tests: arrays, which compute lane by lane, on any machine.

use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use p3_field::op_assign_macros::{
    impl_add_assign, impl_add_base_field, impl_div_methods, impl_mul_base_field, impl_mul_methods,
    impl_packed_field_div, impl_packed_value, impl_sub_assign, impl_sub_base_field,
    impl_sum_prod_base_field, ring_sum,
};
use p3_field::{Algebra, Field, PackedField, PackedValue, PrimeCharacteristicRing};

use crate::field::F;

macro_rules! array {
    ($name:ident, $lanes:literal) => {
        #[doc = concat!(stringify!($lanes), " lanes.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct $name([F; $lanes]);

        impl Default for $name {
            fn default() -> Self {
                Self::ZERO
            }
        }

        impl From<F> for $name {
            fn from(value: F) -> Self {
                Self([value; $lanes])
            }
        }

        impl Add for $name {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self::from_fn(|lane| self.extract(lane) + other.extract(lane))
            }
        }

        impl Sub for $name {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                Self::from_fn(|lane| self.extract(lane) - other.extract(lane))
            }
        }

        impl Mul for $name {
            type Output = Self;

            fn mul(self, other: Self) -> Self {
                Self::from_fn(|lane| self.extract(lane) * other.extract(lane))
            }
        }

        impl Neg for $name {
            type Output = Self;

            fn neg(self) -> Self {
                Self(self.0.map(Neg::neg))
            }
        }

        impl PrimeCharacteristicRing for $name {
            type PrimeSubfield = F;

            const ZERO: Self = Self([F::ZERO; $lanes]);
            const ONE: Self = Self([F::ONE; $lanes]);
            const TWO: Self = Self([F::TWO; $lanes]);
            const NEG_ONE: Self = Self([F::NEG_ONE; $lanes]);

            fn from_prime_subfield(value: F) -> Self {
                value.into()
            }
        }

        impl_add_assign!($name);
        impl_sub_assign!($name);
        impl_mul_methods!($name);
        ring_sum!($name);
        impl_add_base_field!($name, F);
        impl_sub_base_field!($name, F);
        impl_mul_base_field!($name, F);
        impl_div_methods!($name, F);
        impl_packed_field_div!($name);
        impl_sum_prod_base_field!($name, F);

        impl Algebra<F> for $name {}

        impl_packed_value!($name, F, $lanes);

        // SAFETY: it is transparent over the array of its lanes.
        unsafe impl PackedField for $name {
            type Scalar = F;
        }
    };
}

array!(Four, 4);
array!(Eight, 8);
array!(Sixteen, 16);

/// Calls a generic function of a packed field with 1, 4, 8 and 16 lanes, and returns the results.
#[macro_export]
macro_rules! with_lanes {
    ($function:ident($($argument:expr),*)) => {
        [
            $function::<$crate::F>($($argument),*),
            $function::<$crate::lanes::arrays::Four>($($argument),*),
            $function::<$crate::lanes::arrays::Eight>($($argument),*),
            $function::<$crate::lanes::arrays::Sixteen>($($argument),*),
        ]
    };
}
