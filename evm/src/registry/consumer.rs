//! A contract that uses a registry, as an example: it keeps the roots that were accepted.

use super::{
    Address, Code, ContractError, OPENS, Refusal, SELECTOR, VERIFY, WORD, begin, check_answer,
    checked, function, opening, places, refusal, return_true, selector,
};
use crate::assembler::{Assembler, Expr, Op};
use crate::contract::start::{at, unequal};

/// The signature of the function that accepts a root.
pub const ACCEPT: &str = "accept(bytes,bytes32)";

/// The signature of the function that answers for leaves of accepted roots.
pub const HOLDS: &str = "holds(bytes32,bytes32,bytes32,uint256,bytes32[])";

/// Where the calldata of [`ACCEPT`] has the root.
const ACCEPTED_ROOT: u64 = 36;

/// The code of a contract that uses the registry at this address. Its storage has the number one at
/// each root that was accepted.
///
/// # Errors
/// None but those of the assembler.
pub fn consumer(registry: &Address) -> Result<Code, ContractError> {
    let mut a = Assembler::new();
    begin(&mut a);
    function(&mut a, ACCEPT, |a| {
        pass_on(a, registry, VERIFY);
        a.run(Op::SStore, [at(ACCEPTED_ROOT), 1.into()]);
        return_true(a);
    });
    function(&mut a, HOLDS, |a| {
        refusal(a, Refusal::Root);
        let accepted = Expr::Op(Op::SLoad, vec![at(opening::ROOT)]);
        a.revert_if(unequal(accepted, 1));
        pass_on(a, registry, OPENS);
        return_true(a);
    });
    a.revert_if(1);
    checked(a.assemble()?)
}

/// Calls a function of the registry, which checks the encoding, with the arguments of this call.
fn pass_on(a: &mut Assembler, registry: &Address, signature: &str) {
    const CALL: u64 = places::MESSAGE;
    let size = || Expr::Op(Op::CallDataSize, vec![]);
    a.store(CALL, u64::from(selector(signature)));
    let arguments = [(CALL + WORD).into(), SELECTOR.into(), size() - SELECTOR];
    a.run(Op::CallDataCopy, arguments);
    check_answer(a, registry, CALL, size());
}
