//! A fold, with all contracts.

use droste_evm::calldata;
use droste_evm::contract::Contract;
use droste_evm::registry::{Advance, StateRoot};
use droste_native::KeccakSuite;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_verifier::fold::{Child, Fold, Folded, Source};
use droste_vm::executor::Tape;
use droste_vm::machine::StandardTables;
use droste_vm::whir::{Proof, Verifier};

use super::fold::{exit_statement, root};
use super::*;

/// The rules of a fold: values that follow from each other.
const RULES: &str = "
use droste_gadgets::fold::State;
use droste_gadgets::prelude::*;

pub struct Span {
    pub from: Block,
    pub to: Block,
}

impl State for Span {
    const BLOCKS: usize = 2;

    fn blocks(&self) -> Vec<Block> {
        vec![self.from, self.to]
    }

    fn of(blocks: &[Block]) -> Self {
        Self {
            from: blocks[0],
            to: blocks[1],
        }
    }
}

pub fn start() -> Span {
    // Every value is admissible.
    let from = hint_slice(1).any().block(0);
    Span {
        from,
        to: poseidon16_compress(from, from),
    }
}

pub fn step(before: &Span) -> Span {
    Span {
        from: before.from,
        to: poseidon16_compress(before.to, before.to),
    }
}
";

fn of_node(node: &Folded) -> Advance {
    let counters = node.counters();
    Advance {
        state: node.state().to_vec(),
        rule: node.rule(),
        rules: counters.rules,
        behind: counters.behind,
        depth: counters.depth,
    }
}

/// Two nodes of different rules advance a root, one after the other, by their last proofs.
#[test]
fn nodes_advance_a_root() {
    let source = Source::new("spans", RULES).unwrap();
    let fold = Fold::of(source, Preset::Toy).build().unwrap();
    let start = |from: [F; 8]| {
        let mut hints = Tape::default();
        hints.slice(&[from]);
        fold.prove("start", &[], &hints).unwrap()
    };
    let exit = |node: &Folded| -> Proof<KeccakSuite> {
        let settings = WhirSettings::of_exit(Preset::Toy);
        fold.exit(node, settings).unwrap().proof
    };
    let first = start(elements(1));
    let second = start(first.state()[1]);
    let children = [Child::Node(&second)];
    let second = fold.prove("step", &children, &Tape::default()).unwrap();
    let (proof, next_proof) = (exit(&first), exit(&second));
    assert_eq!(proof.key, next_proof.key);
    assert_eq!(
        proof.statement,
        exit_statement(fold.key(), &of_node(&first))
    );

    let verifier = Verifier::<StandardTables, _>::new(proof.key.clone()).unwrap();
    let contract = Contract::new(&verifier, &proof.log_heights).unwrap();
    let contracts = contract.deployed_by(&DEPLOYER).unwrap();
    let mut chain = Chain::new();
    chain.deploy(&contracts).unwrap();
    let state_root = StateRoot {
        verifier: contracts.verifier.0,
        fold: fold.key(),
        rules: fold.family().keys.clone(),
        blocks: fold.blocks(),
        old: 0,
        new: 1,
        first: first.state()[0],
        max_rules: 2,
        max_behind: 0,
        bits: 0,
    };
    let state_root = deployed(&mut chain, state_root.code().unwrap());
    let (proof, next_proof) = (calldata::encode(&proof), calldata::encode(&next_proof));
    let mut advance = |says: &Advance, proof: &[u8]| {
        let outcome = chain.call(&state_root, &says.call_data(proof), None);
        let root = root(&mut chain, &state_root);
        (outcome, root)
    };
    let (says, next) = (of_node(&first), of_node(&second));
    let before = statement_bytes(&says.state[0]);
    let changes: [fn(&mut Advance); 4] = [
        |says| says.state[1][3] += F::ONE,
        |says| says.rules += 1,
        |says| says.depth += 1,
        |says| says.rule.0[0] += F::ONE,
    ];
    for change in changes {
        let mut changed = says.clone();
        change(&mut changed);
        let (outcome, root) = advance(&changed, &proof);
        assert!(outcome.refused().is_some());
        assert_eq!(root, before);
    }
    // A node's last proof, under the key of the other rule.
    let of_other_rule = Advance {
        rule: next.rule,
        ..says.clone()
    };
    let (outcome, _) = advance(&of_other_rule, &proof);
    assert!(outcome.refused_in().is_some());
    let (outcome, _) = advance(&says, &next_proof);
    assert!(outcome.refused_in().is_some());
    let (outcome, _) = advance(&next, &next_proof);
    assert_refused(&outcome, Refusal::Root);

    let (outcome, root) = advance(&says, &proof);
    assert_true(&outcome);
    assert_eq!(root, statement_bytes(&says.state[1]));
    let (outcome, _) = advance(&says, &proof);
    assert_refused(&outcome, Refusal::Root);
    let (outcome, root) = advance(&next, &next_proof);
    assert_true(&outcome);
    assert_eq!(root, statement_bytes(&next.state[1]));
    let (outcome, _) = advance(&next, &next_proof);
    assert_refused(&outcome, Refusal::Root);
}
