//! Evaluators of the machine's own tables: right, and no longer than they were.

use droste_vm::tables::ext::ExtTable;
use droste_vm::tables::poseidon16::Poseidon16Table;

use super::check;

fn length<A>(name: &str, air: A) -> usize
where
    A: super::Checkable,
{
    check(&[(name, air)], 3).tables[0].program.len()
}

#[test]
fn ext_is_short() {
    assert!(length("ext", ExtTable) <= 600);
}

#[test]
fn poseidon16_is_short() {
    assert!(length("poseidon16", Poseidon16Table) <= 1873);
}
