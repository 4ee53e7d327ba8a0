//! Jumps that depend on a run.

use super::{Case, case};

const JUMP: &str = "`return`, `break` and `continue` must be decided at compile time";
const HELP: &str = "let the branch have a value, and use it after the branch";

pub(super) const CASES: &[Case] = &[
    case(
        "'a: loop { «if public_input() == felt(1) { break 'a; }» break; }",
        JUMP,
        HELP,
    ),
    case(
        "let x = 'a: { «if public_input() == felt(1) { break 'a felt(2); }» felt(3) }; reveal(x);",
        JUMP,
        HELP,
    ),
    case(
        "let f = |x: Felt| { «if x == felt(1) { return felt(2); }» x }; reveal(f(public_input()));",
        JUMP,
        HELP,
    ),
];
