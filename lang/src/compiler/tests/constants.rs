//! Programs that give the round constants of precompiles: once, and before whatever needs them.

use super::*;

/// Sets constants that are made from an integer, in the two widths.
const SET: &str = "
    fn blocks(k: u32, number: usize) -> Slice {
        let mut blocks = Vec::new();
        for _i in 0..number {
            let z = Felt::ZERO;
            blocks.push(Block::new([Felt::new(k), z, z, z, z, z, z, z]));
        }
        Slice::from_blocks(blocks)
    }
    fn set(k: u32) { poseidon2_16_constants(blocks(k, 19)); }
    fn set_wide(k: u32) { poseidon2_24_constants(blocks(k, 27)); }
    fn hash() -> Felt { poseidon2_16_compress(Block::ZERO, Block::ZERO).lane(0) }
    fn hash_wide() -> Felt { poseidon2_24_hash(blocks(1, 2), 16, Block::ZERO).lane(0) }
    #[inline(never)]
    fn set_apart() { set(1); }
    #[inline(never)]
    fn hash_apart() -> Felt { hash() }";

#[test]
fn constants_are_given_first() {
    for body in [
        "set(1); reveal(hash());",
        "set_wide(1); reveal(hash_wide());",
        // The widths have constants of their own, in any order.
        "set(1); let x = hash(); set_wide(2); reveal(x + hash_wide());",
        "let x = hint_felt().any(); set(1);
         if x == Felt::ONE { assert_eq!(hash(), x); }
         for _i in count(2) { let _x = hash(); }
         reveal(hash_apart());",
    ] {
        let source = main_of(SET, body);
        if let Err(error) = compile(&source, &[]) {
            panic!("{source}\n{}", error.message);
        }
    }
}

/// No table says which of two calls comes first: a proof of a program that gives its constants late,
/// or not always, could be one of other constants.
#[test]
fn other_programs_are_refused() {
    let missing = "none have been given";
    let once = "exactly once";
    for (body, expected) in [
        // Either of two lists, as a hint says; a list that is given late; one that is given if it
        // is needed.
        (
            "let h = hint_felt().any();
             if h == Felt::ONE { set(1); }
             let d = hash();
             if h == Felt::ZERO { set(2); assert_eq!(h, Felt::ZERO); }
             reveal(d);",
            once,
        ),
        ("let d = hash(); set(1); reveal(d);", missing),
        (
            "let h = hint_felt().any();
             if h == Felt::ONE { set(1); assert_eq!(hash(), h); }
             reveal(h);",
            once,
        ),
        ("reveal(hash());", missing),
        ("reveal(hash_wide());", missing),
        ("set_wide(1); reveal(hash());", missing),
        ("set(1); reveal(hash_wide());", missing),
        ("let d = hash_apart(); set(1); reveal(d);", missing),
        ("set(1); set(1); reveal(hash());", "a second time"),
        ("set(1); reveal(hash()); set(2);", "a second time"),
        (
            "for _i in 0..2 { set(1); } reveal(hash());",
            "a second time",
        ),
        ("for _i in count(2) { set(1); } reveal(hash());", once),
        ("set_apart(); reveal(hash());", once),
    ] {
        let source = main_of(SET, body);
        let Err(error) = compile(&source, &[]) else {
            panic!("this compiles: {source}");
        };
        assert!(
            error.message.contains(expected),
            "{source}\n{}",
            error.message
        );
    }
}

/// What needs constants, and what gives them.
#[test]
fn constants_are_those_of_the_same_width() {
    use crate::precompile::{BUILT_IN, constants_of, gives_constants};
    for precompile in BUILT_IN {
        let (name, identity) = (precompile.name, precompile.identity);
        let width = name.get(.."poseidon2_16".len()).unwrap_or_default();
        let is_of_width = ["poseidon2_16", "poseidon2_24"].contains(&width);
        let gives = is_of_width && name.ends_with("constants");
        assert_eq!(gives_constants(identity), gives, "{name}");
        let giver = constants_of(identity).map(|giver| giver.name.to_owned());
        let expected = (is_of_width && !gives).then(|| format!("{width}_constants"));
        assert_eq!(giver, expected, "{name}");
    }
}
