//! Bools in run-time loops.

use super::{outputs, program};

program!(flags {
    use droste_gadgets::prelude::*;

    fn bit(b: bool) -> Felt { if b { Felt::ONE } else { Felt::ZERO } }

    pub fn main() {
        let x = public_input();
        let mut found = false;
        let mut all = true;
        let mut state = (false, [true, false]);
        for i in count(4) {
            if found { state.1[0] = false; }
            if i == x { found = true; }
            all = all && i != x;
            state.0 = !state.0;
        }
        for i in count_to(x) { found = found && i != felt(1); }
        reveal(bit(found));
        reveal(bit(all));
        reveal(bit(state.0));
        reveal(bit(state.1[0]));
        reveal(bit(state.1[1]));
    }
});

#[test]
fn a_bool_that_is_known_before_a_loop_may_change_in_it() {
    let run = |x| outputs(flags::SOURCE, flags::main, &[x]);
    assert_eq!(run(0), [1, 0, 0, 0, 0]);
    assert_eq!(run(1), [1, 0, 0, 0, 0]);
    assert_eq!(run(2), [0, 0, 0, 0, 0]);
    assert_eq!(run(3), [0, 0, 0, 1, 0]);
    assert_eq!(run(7), [0, 1, 0, 1, 0]);
}
