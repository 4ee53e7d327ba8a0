//! `advance`: roots that proofs of a fold advance.

use droste_evm::contract::ContractError;
use droste_evm::registry::{Advance, ROOT, StateRoot};
use droste_verifier::claim::claim_digest;
use droste_verifier::fold::{Counters, Family, statement};

use super::*;

/// Largest counters that contracts accept here.
const MAX_RULES: u32 = 1_000;
const MAX_BEHIND: u32 = 70_000;

/// Most of the counter that no contract bounds.
const MAX_DEPTH: u32 = (1 << 24) - 1;

fn family() -> Family {
    Family::new(120, 102, vec![key(20), key(21), key(22)]).unwrap()
}

/// A state of so many blocks from one root to another, the first and the last block.
fn says(blocks: usize, from: u32, to: u32) -> Advance {
    let mut state: Vec<[F; 8]> = (300..).take(blocks).map(elements).collect();
    (state[0], state[blocks - 1]) = (elements(from), elements(to));
    Advance {
        state,
        rule: family().keys[1],
        rules: 9,
        behind: 4,
        depth: 3,
    }
}

/// The statement of the last proof of what a fold says.
pub fn exit_statement(fold: KeyDigest, says: &Advance) -> [F; 8] {
    let counters = Counters {
        rules: says.rules,
        behind: says.behind,
        depth: says.depth,
    };
    claim_digest(&[(says.rule, statement(fold, counters, &says.state))])
}

/// A contract that keeps a root, and what advances it.
struct Example {
    chain: Chain,
    constants: StateRoot,
    address: Address,
    says: Advance,
    proof: Vec<u8>,
}

impl Example {
    /// Of a state of so many blocks, from root 1 to root 2, and a verifier that accepts only this.
    fn new(blocks: usize) -> Self {
        let says = says(blocks, 1, 2);
        let statement = exit_statement(family().key(), &says);
        let proof: Vec<u8> = (0..100).map(|i| i | 1).collect();
        let call = call_data(&statement_bytes(&statement), &proof);
        let verifier = answering(Some(Keccak256.hash(&call)), &[1]);
        Self::with(says, proof, verifier)
    }

    /// With a verifier that accepts everything.
    fn without_verifier(blocks: usize) -> Self {
        let verifier = answering(None, &[1]);
        Self::with(says(blocks, 1, 2), vec![7; 64], verifier)
    }

    fn with(says: Advance, proof: Vec<u8>, verifier: Code) -> Self {
        let mut chain = Chain::new();
        let constants = StateRoot {
            verifier: deployed(&mut chain, verifier),
            fold: family().key(),
            rules: family().keys,
            blocks: says.state.len(),
            old: 0,
            new: says.state.len() - 1,
            first: says.state[0],
            max_rules: MAX_RULES,
            max_behind: MAX_BEHIND,
            bits: 100,
        };
        Self {
            address: deployed(&mut chain, constants.code().unwrap()),
            chain,
            constants,
            says,
            proof,
        }
    }

    fn data(&self) -> Vec<u8> {
        self.says.call_data(&self.proof)
    }

    fn call(&mut self, data: &[u8]) -> Outcome {
        self.chain.call(&self.address, data, None)
    }

    fn advance(&mut self, says: &Advance) -> Outcome {
        let data = says.call_data(&self.proof);
        self.call(&data)
    }

    /// The honest call with a change.
    fn advance_with(&mut self, change: impl FnOnce(&mut Advance)) -> Outcome {
        let mut says = self.says.clone();
        change(&mut says);
        self.advance(&says)
    }

    fn root(&mut self) -> [u8; 32] {
        root(&mut self.chain, &self.address)
    }

    /// Another contract, with the same verifier.
    fn other(&mut self, change: impl FnOnce(&mut StateRoot)) -> Address {
        let mut other = self.constants.clone();
        change(&mut other);
        deployed(&mut self.chain, other.code().unwrap())
    }
}

/// The root that a contract keeps.
pub fn root(chain: &mut Chain, contract: &Address) -> [u8; 32] {
    let data = selector(ROOT).to_be_bytes();
    let returned = chain.call(contract, &data, None).result.unwrap();
    returned.try_into().unwrap()
}

#[test]
fn a_root_is_advanced() {
    for (blocks, old, new) in [(2, 0, 1), (3, 2, 0), (5, 1, 3), (64, 63, 0)] {
        let mut example = Example::new(blocks);
        let (says, before) = (example.says.clone(), example.root());
        assert_eq!(before, statement_bytes(&says.state[0]));
        if (old, new) != (0, blocks - 1) {
            example.address = example.other(|constants| {
                (constants.old, constants.new) = (old, new);
                constants.first = says.state[old];
            });
        }
        assert_eq!(example.root(), statement_bytes(&says.state[old]));
        assert_true(&example.advance(&says));
        assert_eq!(example.root(), statement_bytes(&says.state[new]));
        // The root has moved.
        assert_refused(&example.advance(&says), Refusal::Root);
        assert_eq!(example.root(), statement_bytes(&says.state[new]));
    }
}

#[test]
fn roots_are_advanced_one_after_the_other() {
    let mut example = Example::without_verifier(3);
    let (first, second) = (says(3, 1, 2), says(3, 2, 3));
    assert_refused(&example.advance(&second), Refusal::Root);
    assert_true(&example.advance(&first));
    assert_refused(&example.advance(&first), Refusal::Root);
    assert_true(&example.advance(&second));
    for late in [&first, &second] {
        assert_refused(&example.advance(late), Refusal::Root);
    }
    assert_eq!(example.root(), statement_bytes(&elements(3)));
    // If a state returns to an old root, what was accepted then is accepted again.
    assert_true(&example.advance(&says(3, 3, 1)));
    assert_eq!(example.root(), statement_bytes(&elements(1)));
    assert_true(&example.advance(&first));
    // The root of zeros is one as any other.
    let zeros = Advance {
        state: vec![elements(2), elements(300), [F::ZERO; 8]],
        ..first.clone()
    };
    assert_true(&example.advance(&zeros));
    assert_eq!(example.root(), [0; 32]);
    assert_refused(&example.advance(&first), Refusal::Root);
}

/// Whatever the verifier says, the contract refuses what breaks just one of its checks.
#[test]
fn every_check_refuses_by_itself() {
    let mut example = Example::without_verifier(3);
    for lane in 0..8 {
        let other_root = example.advance_with(|says| says.state[0][lane] += F::ONE);
        assert_refused(&other_root, Refusal::Root);
        let no_rule = example.advance_with(|says| says.rule.0[lane] += F::ONE);
        assert_refused(&no_rule, Refusal::Key);
    }
    let fold_key = example.advance_with(|says| says.rule = family().key());
    assert_refused(&fold_key, Refusal::Key);
    let counters: [fn(&mut Advance); 7] = [
        |says| says.rules = 0,
        |says| says.rules = MAX_RULES + 1,
        |says| says.rules = u32::MAX,
        |says| says.behind = MAX_BEHIND + 1,
        |says| says.behind = u32::MAX,
        |says| says.depth = MAX_DEPTH + 1,
        |says| says.depth = u32::MAX,
    ];
    for change in counters {
        assert_refused(&example.advance_with(change), Refusal::Counters);
    }
    let (data, counters) = (example.data(), 4 + 32 * 5);
    // Counters are words.
    for word in 0..3 {
        for byte in 0..28 {
            let mut data = data.clone();
            data[counters + 32 * word + byte] = 1;
            assert_refused(&example.call(&data), Refusal::Counters);
        }
    }
    // All blocks but the first, which is compared, and the key.
    for element in 8..24 {
        let place = 4 + 32 + 4 * element;
        let value = u32::from_le_bytes(*data[place..].first_chunk().unwrap());
        for other in [P, value.wrapping_add(P), u32::MAX, 1 << 31] {
            let mut data = data.clone();
            data[place..place + 4].copy_from_slice(&other.to_le_bytes());
            assert_refused(&example.call(&data), Refusal::Elements);
        }
    }
    let unmoved = example.root();
    assert_eq!(unmoved, statement_bytes(&elements(1)));
    // The limits themselves.
    assert_true(&example.advance_with(|says| {
        (says.rules, says.behind, says.depth) = (MAX_RULES, MAX_BEHIND, MAX_DEPTH);
    }));
    let mut example = Example::without_verifier(3);
    assert_true(&example.advance_with(|says| {
        (says.rules, says.behind, says.depth) = (1, 0, 0);
        says.rule = family().keys[2];
        says.state[2] = [F::from_u32(P - 1); 8];
    }));
}

/// What the contract does not refuse itself is in the statement, or in the proof.
#[test]
fn everything_else_is_for_the_verifier() {
    let mut example = Example::new(4);
    for lane in 0..8 {
        for block in 1..4 {
            let outcome = example.advance_with(|says| says.state[block][lane] += F::ONE);
            assert_refused_by_verifier(&outcome, &format!("lane {lane} of block {block}"));
        }
    }
    let others: [fn(&mut Advance); 8] = [
        |says| says.rules += 1,
        |says| says.rules -= 1,
        |says| says.behind += 1,
        |says| says.depth += 1,
        |says| std::mem::swap(&mut says.rules, &mut says.behind),
        |says| says.state.swap(1, 2),
        |says| says.state[3] = says.state[0],
        |says| says.rule = family().keys[0],
    ];
    for (number, change) in others.into_iter().enumerate() {
        let outcome = example.advance_with(change);
        assert_refused_by_verifier(&outcome, &format!("change {number}"));
    }
    let (data, proof) = (example.data(), 4 + 32 * 10);
    for byte in 0..example.proof.len() {
        let mut data = data.clone();
        data[proof + byte] ^= 1;
        assert_refused_by_verifier(&example.call(&data), &format!("byte {byte}"));
    }
    for length in [0, 1, 99, 101] {
        let mut proof = example.proof.clone();
        proof.resize(length, 7);
        let data = example.says.call_data(&proof);
        assert_refused_by_verifier(&example.call(&data), "another length");
    }
    assert_eq!(example.root(), statement_bytes(&elements(1)));
    assert_true(&example.call(&data));
}

/// Any program may reveal the digest of a state, and has a valid last proof. Its key is that of no
/// rule, and under the key of a rule the last proof has another statement.
#[test]
fn a_program_that_reveals_a_true_state_is_refused() {
    let mut says = says(3, 1, 2);
    let rule = std::mem::replace(&mut says.rule, key(77));
    let statement = exit_statement(family().key(), &says);
    let proof = vec![9; 64];
    let call = call_data(&statement_bytes(&statement), &proof);
    let verifier = answering(Some(Keccak256.hash(&call)), &[1]);
    let mut example = Example::with(says.clone(), proof, verifier);
    assert_refused(&example.advance(&says), Refusal::Key);
    let under_a_rule = example.advance_with(|says| says.rule = rule);
    assert_refused_by_verifier(&under_a_rule, "the statement of another program");
    // It is the list that refuses it.
    example.address = example.other(|constants| constants.rules.push(key(77)));
    assert_true(&example.advance(&says));
}

#[test]
fn constants_are_in_the_contract() {
    let mut example = Example::new(3);
    let says = example.says.clone();
    let by_verifier: [fn(&mut StateRoot); 3] = [
        |constants| constants.fold.0[0] += F::ONE,
        |constants| constants.fold.0[7] += F::ONE,
        |constants| constants.fold = constants.rules[0],
    ];
    for change in by_verifier {
        example.address = example.other(change);
        assert_refused_by_verifier(&example.advance(&says), "another fold");
    }
    type Refused = (fn(&mut StateRoot), Refusal);
    let others: [Refused; 9] = [
        (|constants| constants.first[7] += F::ONE, Refusal::Root),
        (|constants| constants.old = 1, Refusal::Root),
        (
            |constants| (constants.old, constants.new) = (2, 0),
            Refusal::Root,
        ),
        (|constants| constants.rules.truncate(1), Refusal::Key),
        (|constants| constants.rules.clear(), Refusal::Key),
        (|constants| constants.max_rules = 8, Refusal::Counters),
        (|constants| constants.max_behind = 3, Refusal::Counters),
        // The function has another name.
        (|constants| constants.blocks = 4, Refusal::Encoding),
        (
            |constants| (constants.blocks, constants.new) = (2, 1),
            Refusal::Encoding,
        ),
    ];
    for (change, refusal) in others {
        example.address = example.other(change);
        assert_refused(&example.advance(&says), refusal);
    }
    // Bits are in the text alone.
    let others = StateRoot {
        bits: 1,
        ..example.constants.clone()
    };
    let (code, others) = (example.constants.code().unwrap(), others.code().unwrap());
    assert_eq!(code.bytes, others.bytes);
    assert!(
        others.yul.contains(" have 1 proven bits."),
        "{}",
        others.yul
    );
}

#[test]
fn constants_out_of_range_are_errors() {
    let example = Example::new(3);
    let said = |change: fn(&mut StateRoot)| {
        let mut constants = example.constants.clone();
        change(&mut constants);
        constants.code().unwrap_err()
    };
    type Named = (fn(&mut StateRoot), &'static str);
    let ranges: [Named; 8] = [
        (
            |constants| constants.blocks = 1,
            "blocks of a state is 1, expected 2 to 64",
        ),
        (|constants| constants.blocks = 65, "65, expected 2 to 64"),
        (
            |constants| constants.old = 3,
            "old root is 3, expected 0 to 2",
        ),
        (
            |constants| constants.new = 3,
            "new root is 3, expected 0 to 2",
        ),
        (
            |constants| constants.max_rules = 0,
            "`rules` is 0, expected 1",
        ),
        (
            |constants| constants.max_rules = (1 << 24) + 1,
            "`rules` is 16777217, expected 1 to 16777216",
        ),
        (
            |constants| constants.max_behind = 1 << 24,
            "`behind` is 16777216, expected 0 to 16777215",
        ),
        (|constants| constants.new = 0, "both block 0"),
    ];
    for (change, words) in ranges {
        let error = said(change);
        assert!(error.to_string().contains(words), "{error}");
    }
    let many = said(|constants| constants.rules = (0..150).map(key).collect());
    assert!(matches!(many, ContractError::Code(_)), "{many}");
}

#[test]
fn calls_that_are_encoded_otherwise_are_refused() {
    let mut example = Example::new(3);
    let data = example.data();
    let length = 4 + 32 * 8;
    // The selector, the offset, all but the low bytes of the length, the padding.
    let padding = length + 32 + example.proof.len()..data.len();
    assert!(!padding.is_empty());
    for place in (0..36).chain(length..length + 28).chain(padding) {
        let mut data = data.clone();
        data[place] ^= 1;
        assert_refused(&example.call(&data), Refusal::Encoding);
    }
    for length in (0..length + 32)
        .step_by(9)
        .chain([data.len() - 32, data.len() - 1])
    {
        assert_refused(&example.call(&data[..length]), Refusal::Encoding);
    }
    for longer in [&[0][..], &[0; 32], &[1; 32]] {
        let data = [&data, longer].concat();
        assert_refused(&example.call(&data), Refusal::Encoding);
    }
    let root = selector(ROOT).to_be_bytes();
    for data in [&root[..3], &[&root[..], &[0]].concat()] {
        assert_refused(&example.call(data), Refusal::Encoding);
    }
    // No function takes a value.
    for data in [&data, &root[..]] {
        let to = example.address;
        let outcome = example.chain.call_with(&to, data, None, 1, MAX_GAS);
        assert_refused(&outcome, Refusal::Encoding);
    }
    assert_true(&example.call(&data));
}

/// An address without a verifier, or with another contract, advances nothing.
#[test]
fn only_true_advances() {
    let mut example = Example::new(2);
    let mut verifiers = vec![[0x33; 20]];
    for words in [&[][..], &[0], &[2], &[1 << 32], &[1, 0]] {
        verifiers.push(deployed(&mut example.chain, answering(None, words)));
    }
    let says = example.says.clone();
    for verifier in verifiers {
        example.address = example.other(|constants| constants.verifier = verifier);
        assert_refused(&example.advance(&says), Refusal::Answer);
        assert_eq!(example.root(), statement_bytes(&elements(1)));
    }
}

/// However little gas there is, the root moves only in a call that succeeds.
#[test]
fn nothing_moves_with_too_little_gas() {
    let mut example = Example::new(3);
    let (data, address) = (example.data(), example.address);
    let enough = Example::new(3).call(&data).gas;
    for missing in [1, 100, 2_000, 20_000, 25_000, 40_000, 100_000, 150_000] {
        let gas = enough - missing;
        let outcome = example.chain.call_with(&address, &data, None, 0, gas);
        assert!(outcome.result.is_err(), "{missing}");
        assert_eq!(example.root(), statement_bytes(&elements(1)));
    }
    assert_true(&example.call(&data));
}

/// Of a proof as long as real ones: what a contract takes beside the verifier. Whoever is late pays
/// for the calldata.
#[test]
fn opening_a_state_takes_five_permutations_and_a_word_of_storage() {
    let mut example = Example::without_verifier(3);
    example.proof = vec![1; 90_004];
    let (statement, proof) = (statement_bytes(&elements(0)), example.proof.clone());
    let verifier = example.constants.verifier;
    let alone = example
        .chain
        .call(&verifier, &call_data(&statement, &proof), None);
    assert_true(&alone);
    let says = example.says.clone();
    let first = example.advance(&says);
    assert_true(&first);
    let more = first.gas - alone.gas;
    assert!(more > 5 * 21_749 && more < 184_000, "{more}");
    let late = example.advance(&says);
    assert_refused(&late, Refusal::Root);
    assert!(late.gas < alone.gas);
    // The word is not empty any more.
    let again = says_next(&says);
    let second = example.advance(&again);
    assert_true(&second);
    assert!(
        second.gas < first.gas - 15_000,
        "{} {}",
        first.gas,
        second.gas
    );
}

/// What follows on a state.
fn says_next(before: &Advance) -> Advance {
    let mut next = before.clone();
    next.state[0] = before.state[2];
    next.state[2] = elements(400);
    next
}
