//! Elements of a proof's base field as cells of the machine, which hold their canonical integers.

use droste_native::F;
use droste_native::field::BaseField;
use p3_field::PrimeField32;

pub(super) use droste_vm::graph::cell;

/// The element of a [`cell`].
pub(super) fn element<K: BaseField>(x: F) -> K {
    K::from_u32(x.as_canonical_u32())
}
