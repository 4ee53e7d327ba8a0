//! Evaluators of the machine's own tables are correct, and their lengths, which every recursion
//! step pays for, do not change unnoticed.

use droste_vm::tables::ext::ExtTable;
use droste_vm::tables::poseidon16::Poseidon16CallTable;

use super::check;

fn length<A>(name: &str, air: A) -> usize
where
    A: super::Checkable,
{
    check(&[(name, air)], 3).tables[0].program.len()
}

#[test]
fn length_of_ext_is_pinned() {
    assert_eq!(length("ext", ExtTable), 671);
}

#[test]
fn length_of_poseidon16_is_pinned() {
    assert_eq!(length("poseidon16", Poseidon16CallTable), 1881);
}
