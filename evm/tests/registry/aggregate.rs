//! An aggregate, with all contracts.

use droste_evm::calldata;
use droste_evm::contract::Contract;
use droste_native::Poseidon16Suite;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_verifier::aggregate::{Aggregator, VerifiedProof};
use droste_verifier::leaf_root::Rooted;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{ProveOptions, prove};
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::whir::Verifier;

use super::*;

/// An aggregate of two proofs, its leaf root and its last proof, with all contracts. The registry
/// also takes the leaf root of a single leaf, which has fewer recursion keys.
#[test]
fn leaves_of_aggregates_are_held() {
    let source = droste_programs::source("factorial").unwrap();
    let compiled = compile(source, &[]).unwrap();
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let [five, six, single] = [5, 6, 7].map(|n| {
        let tape = Tape::default();
        let execution = execute(&compiled, &[F::from_u32(n)], &tape, 1 << 16).unwrap();
        let options = ProveOptions {
            settings: Preset::Toy.settings(2).unwrap(),
            heights: Heights::Minimal,
        };
        let proof = prove::<Poseidon16Suite>(&compiled.program, &execution, &options).unwrap();
        aggregator
            .wrap(&VerifiedProof::under_its_own_key(proof).unwrap())
            .unwrap()
    });
    let aggregate = aggregator.join(vec![five, six]).unwrap();
    let expected = [aggregate.tree().leaves(), single.tree().leaves()].concat();
    let Rooted { aggregate, leaves } = aggregator.leaf_root(aggregate).unwrap();
    let settings = WhirSettings::of_exit(Preset::Toy);
    let proof = aggregator.exit(&aggregate, settings).unwrap().proof;

    let (listed, program) = (leaves.listed.clone(), leaves.program);
    assert_ne!(listed.keys().len(), single.keys().iter().len());
    let of_one = aggregator.leaf_root_with(single, listed, program).unwrap();
    assert_eq!(of_one.leaves.pinned, leaves.pinned);
    let proof_of_one = aggregator.exit(&of_one.aggregate, settings).unwrap().proof;
    assert_eq!(proof_of_one.key, proof.key);

    let verifier = Verifier::<StandardTables, _>::new(proof.key.clone()).unwrap();
    let contract = Contract::new(&verifier, &proof.log_heights).unwrap();
    let contracts = contract.deployed_by(&DEPLOYER).unwrap();
    let (leaf_root, pinned) = (&leaves.leaf_root, &leaves.pinned);
    let registry = registry(leaf_root, pinned, contracts.verifier.0, &[expected[0].0]);
    let mut chain = Chain::new();
    chain.deploy(&contracts).unwrap();
    let registry = deployed(&mut chain, registry.code().unwrap());
    let consumer = deployed(&mut chain, consumer(&registry).unwrap());

    let proof = calldata::encode(&proof);
    let mut accept = |leaf_root: &LeafRoot, proof: &[u8]| {
        let data = says(leaf_root).call_data(ACCEPT, proof, &leaf_root.root);
        chain.call(&consumer, &data, None)
    };
    let others: [fn(&mut LeafRoot); 4] = [
        |says| says.root[0] ^= 1,
        |says| says.leaves += 1,
        |says| says.claim[2] += F::ONE,
        |says| says.key.0[5] += F::ONE,
    ];
    for change in others {
        let mut other = leaf_root.clone();
        change(&mut other);
        assert!(accept(&other, &proof).refused_in().is_some());
    }
    assert!(accept(leaf_root, &proof[1..]).refused_in().is_some());
    assert_true(&accept(leaf_root, &proof));
    let of_one = of_one.leaves;
    assert_true(&accept(&of_one.leaf_root, &calldata::encode(&proof_of_one)));
    for (leaves, count) in [(&leaves, 2), (&of_one, 1)] {
        assert_eq!(leaves.tree.leaves().len(), count);
        for leaf in 0..count as u32 {
            let opening = opening(&leaves.tree, leaf);
            assert!(expected.contains(&(opening.key, opening.statement)));
            let data = opening.call_data(HOLDS, &leaves.leaf_root.root);
            assert_true(&chain.call(&consumer, &data, None));
        }
    }
}
