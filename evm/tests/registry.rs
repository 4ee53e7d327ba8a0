//! Registries and consumers on a chain, with a verifier that accepts one call: that of the statement
//! which is computed natively.

mod chain;

use droste_evm::assembler::{Assembler, Code, Expr, Op, Word};
use droste_evm::calldata;
use droste_evm::contract::deploy::{Address, DEPLOYER, call_data, located, statement_bytes};
use droste_evm::contract::{Contract, ERROR, selector};
use droste_evm::phase::Phase;
use droste_evm::registry::{
    ACCEPT, HOLDS, OPENS, Opening, Refusal, Registry, Says, VERIFY, consumer,
};
use droste_native::hash::keccak::Keccak256;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{F, Poseidon16Suite};
use droste_verifier::aggregate::{Aggregator, VerifiedProof};
use droste_verifier::leaf_root::{LeafRoot, LeafTree, PinnedKeys, Rooted};
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::prover::{ProveOptions, prove};
use droste_vm::whir::Verifier;
use p3_field::PrimeCharacteristicRing;

use chain::{Chain, Outcome};

/// The order of the field.
const P: u32 = 0x7f00_0001;

/// Elements with bytes that differ from each other and from those of others.
fn elements(n: u32) -> [F; 8] {
    std::array::from_fn(|i| F::from_u32(0x0102_0304) * F::from_u32(n + 1) + F::from_usize(i))
}

fn key(n: u32) -> KeyDigest {
    KeyDigest(elements(n))
}

/// Two keys in turn.
fn leaf_key(leaf: u32) -> KeyDigest {
    key(100 + leaf % 2)
}

fn tree(leaves: u32) -> LeafTree {
    let leaves = (0..leaves).map(|leaf| (leaf_key(leaf), elements(200 + leaf)));
    LeafTree::new(leaves.collect()).unwrap()
}

fn opening(tree: &LeafTree, leaf: u32) -> Opening {
    let (key, statement) = tree.leaves()[leaf as usize];
    Opening {
        key,
        statement,
        sides: tree.sides(leaf).unwrap(),
        path: tree.path(leaf).unwrap(),
    }
}

/// A contract that returns these words if the keccak digest of its calldata is this one, and refuses
/// in the last phase if not.
fn answering(digest: Option<[u8; 32]>, words: &[u64]) -> Code {
    const PHASE: u64 = 0x10_0000;
    let mut a = Assembler::new();
    a.report_phases(PHASE, selector(ERROR));
    let size = || Expr::Op(Op::CallDataSize, vec![]);
    a.run(Op::CallDataCopy, [0.into(), 0.into(), size()]);
    a.bind("digest", Expr::Op(Op::Keccak256, vec![0.into(), size()]));
    a.phase(Phase::FinalEquation);
    if let Some(digest) = digest {
        let expected = Expr::from(Word::from_be_bytes(digest));
        let differs = Expr::Op(Op::Xor, vec![Expr::Variable("digest".into()), expected]);
        a.revert_if(differs);
    }
    for (place, &word) in (0..).step_by(32).zip(words) {
        a.store(place, word);
    }
    a.run(Op::Return, [0.into(), (32 * words.len() as u64).into()]);
    a.assemble().unwrap()
}

/// What is made for one leaf root.
struct Example {
    chain: Chain,
    registry: Address,
    consumer: Address,
    tree: LeafTree,
    root: [u8; 32],
    says: Says,
    proof: Vec<u8>,
}

impl Example {
    /// With so many leaves and wraps, and a last proof of so many bytes.
    fn new(leaves: u32, wraps: u32, proof_bytes: usize) -> Self {
        let tree = tree(leaves);
        let says = LeafRoot {
            keys: key(1),
            key: key(2),
            claim: elements(3),
            root: tree.root(),
            leaves,
        };
        let pinned = PinnedKeys {
            join: key(4),
            wraps: (0..wraps).map(|wrap| key(10 + wrap)).collect(),
            program: key(5),
        };
        let proof: Vec<u8> = (0..proof_bytes).map(|i| i as u8 | 1).collect();
        let statement = statement_bytes(&says.exit_statement(&pinned));
        let digest = Keccak256.hash(&call_data(&statement, &proof));
        Self::with_verifier(&tree, &says, &pinned, answering(Some(digest), &[1]), proof)
    }

    fn with_verifier(
        tree: &LeafTree,
        says: &LeafRoot,
        pinned: &PinnedKeys,
        verifier: Code,
        proof: Vec<u8>,
    ) -> Self {
        let mut chain = Chain::new();
        let verifier = located(&DEPLOYER, verifier);
        chain.deploy_one(&verifier);
        let registry = registry(says, pinned, verifier.0, &[leaf_key(0), leaf_key(1)]);
        let registry = located(&DEPLOYER, registry.code().unwrap());
        let consumer = located(&DEPLOYER, consumer(&registry.0).unwrap());
        chain.deploy_one(&registry);
        chain.deploy_one(&consumer);
        Self {
            chain,
            registry: registry.0,
            consumer: consumer.0,
            tree: tree.clone(),
            root: says.root,
            says: Says {
                key: says.key,
                claim: says.claim,
                leaves: says.leaves,
            },
            proof,
        }
    }

    fn verify_data(&self) -> Vec<u8> {
        self.says.call_data(VERIFY, &self.proof, &self.root)
    }

    fn verify(&mut self, data: &[u8]) -> Outcome {
        self.chain.call(&self.registry, data, None)
    }

    fn open(&mut self, opening: &Opening) -> Outcome {
        let data = opening.call_data(OPENS, &self.root);
        self.chain.call(&self.registry, &data, None)
    }

    fn accept(&mut self) -> Outcome {
        let data = self.says.call_data(ACCEPT, &self.proof, &self.root);
        self.chain.call(&self.consumer, &data, None)
    }

    fn holds(&mut self, opening: &Opening) -> Outcome {
        let data = opening.call_data(HOLDS, &self.root);
        self.chain.call(&self.consumer, &data, None)
    }
}

fn registry(
    says: &LeafRoot,
    pinned: &PinnedKeys,
    verifier: Address,
    leaves: &[KeyDigest],
) -> Registry {
    Registry {
        verifier,
        recursion_keys: says.keys,
        join: pinned.join,
        wraps: pinned.wraps.clone(),
        program: pinned.program,
        leaves: leaves.to_vec(),
    }
}

fn assert_true(outcome: &Outcome) {
    let yes: Vec<u8> = std::iter::repeat_n(0, 31).chain([1]).collect();
    assert_eq!(outcome.result, Ok(yes), "{:?}", outcome.refused());
}

fn assert_refused(outcome: &Outcome, refusal: Refusal) {
    assert_eq!(outcome.refused(), Some(refusal as u64));
}

/// Whether the verifier refused, and nobody else.
fn assert_refused_by_verifier(outcome: &Outcome, what: &str) {
    assert_eq!(outcome.refused_in(), Some(Phase::FinalEquation), "{what}");
}

#[test]
fn the_verifier_is_given_the_statement_and_the_proof() {
    for (leaves, wraps, proof_bytes) in
        [(1, 0, 0), (2, 1, 1), (3, 2, 31), (1000, 3, 32), (7, 4, 500)]
    {
        let mut example = Example::new(leaves, wraps, proof_bytes);
        assert_true(&example.verify(&example.verify_data()));
        assert_true(&example.accept());
    }
}

#[test]
fn other_leaf_roots_are_refused() {
    let mut example = Example::new(5, 1, 100);
    let data = example.verify_data();
    assert_true(&example.verify(&data));
    // Everything but padding: the root, the key, the claim, the number, the proof.
    let changed = |place: usize, bit: u32| {
        let mut data = data.clone();
        data[place] ^= 1 << bit;
        data
    };
    for place in (36..68).chain(100..100 + 68 + 100) {
        // Low bits of elements, which remain canonical.
        let outcome = example.verify(&changed(place, 0));
        assert_refused_by_verifier(&outcome, &format!("byte {place}"));
    }
    // Encodings: selector, offset, length, padding.
    for place in (0..36).chain(68..96).chain(100 + 168..data.len()) {
        assert_refused(&example.verify(&changed(place, 0)), Refusal::Encoding);
    }
    for length in (0..100).chain([131, 163, data.len() - 32, data.len() - 1]) {
        assert_refused(&example.verify(&data[..length]), Refusal::Encoding);
    }
    for longer in [&[0][..], &[0; 32], &[1; 32]] {
        assert_refused(
            &example.verify(&[&data, longer].concat()),
            Refusal::Encoding,
        );
    }
    // A proof of another length.
    for length in [0, 1, 99] {
        let data = example
            .says
            .call_data(VERIFY, &example.proof[..length], &example.root);
        assert_refused_by_verifier(&example.verify(&data), "a shorter proof");
    }
    let longer = [&example.proof[..], &[0]].concat();
    let data = example.says.call_data(VERIFY, &longer, &example.root);
    assert_refused_by_verifier(&example.verify(&data), "a longer proof");
    // Too short for what is in front of the proof.
    let mut short = data[..100].to_vec();
    short[99] = 67;
    short.extend([0; 96]);
    assert_refused(&example.verify(&short), Refusal::Encoding);
}

#[test]
fn elements_are_canonical() {
    let mut example = Example::new(2, 1, 32);
    let data = example.verify_data();
    for element in 0..16 {
        let place = 100 + 4 * element;
        let value = u32::from_le_bytes(*data[place..].first_chunk().unwrap());
        for other in [P, value.wrapping_add(P), u32::MAX, 1 << 31] {
            let mut data = data.clone();
            data[place..place + 4].copy_from_slice(&other.to_le_bytes());
            assert_refused(&example.verify(&data), Refusal::Elements);
        }
        let mut data = data.clone();
        data[place..place + 4].copy_from_slice(&(P - 1).to_le_bytes());
        assert_refused_by_verifier(&example.verify(&data), "p - 1");
    }
}

/// Another registry computes another statement.
#[test]
fn constants_are_in_the_statement() {
    let mut example = Example::new(3, 2, 32);
    let data = example.verify_data();
    assert_true(&example.verify(&data));
    let (tree, digest) = (tree(3), answering(Some([7; 32]), &[1]));
    let says = LeafRoot {
        keys: key(1),
        key: key(2),
        claim: elements(3),
        root: tree.root(),
        leaves: 3,
    };
    let pinned = PinnedKeys {
        join: key(4),
        wraps: vec![key(10), key(11)],
        program: key(5),
    };
    let verifier = located(&DEPLOYER, {
        let statement = statement_bytes(&says.exit_statement(&pinned));
        let digest = Keccak256.hash(&call_data(&statement, &example.proof));
        answering(Some(digest), &[1])
    });
    let honest = registry(&says, &pinned, verifier.0, &[]);
    let others: [fn(&mut Registry); 7] = [
        |registry| registry.recursion_keys.0[7] += F::ONE,
        |registry| registry.join.0[0] += F::ONE,
        |registry| registry.program.0[3] += F::ONE,
        |registry| registry.wraps[0].0[4] += F::ONE,
        |registry| registry.wraps[1].0[7] += F::ONE,
        |registry| registry.wraps.swap(0, 1),
        |registry| registry.wraps.truncate(1),
    ];
    let mut call = |registry: &Registry| {
        let contract = located(&DEPLOYER, registry.code().unwrap());
        example.chain.deploy_one(&contract);
        example.chain.call(&contract.0, &data, None)
    };
    assert_true(&call(&honest));
    for change in others {
        let mut other = honest.clone();
        change(&mut other);
        assert_refused_by_verifier(&call(&other), "another constant");
    }
    // Nor does a verifier's refusal become something else.
    let refusing = located(&DEPLOYER, digest);
    example.chain.deploy_one(&refusing);
    let other = registry(&says, &pinned, refusing.0, &[]);
    let contract = located(&DEPLOYER, other.code().unwrap());
    example.chain.deploy_one(&contract);
    let outcome = example.chain.call(&contract.0, &data, None);
    assert_refused_by_verifier(&outcome, "refusing");
}

/// An address without a verifier, or with another contract, accepts nothing.
#[test]
fn only_true_is_an_answer() {
    let mut example = Example::new(2, 1, 32);
    let (verify, says) = (example.verify_data(), example.says.clone());
    let accept = says.call_data(ACCEPT, &example.proof, &example.root);
    let opening = opening(&example.tree, 0);
    let keys = registry(
        &LeafRoot {
            keys: key(1),
            key: says.key,
            claim: says.claim,
            root: example.root,
            leaves: says.leaves,
        },
        &PinnedKeys {
            join: key(4),
            wraps: vec![key(10)],
            program: key(5),
        },
        [0x33; 20],
        &[leaf_key(0)],
    );
    let mut addresses = vec![(keys.verifier, false)];
    for (words, is_true) in [
        (&[][..], false),
        (&[0], false),
        (&[2], false),
        (&[1 << 32], false),
        (&[1, 0], false),
        (&[1], true),
    ] {
        let contract = located(&DEPLOYER, answering(None, words));
        example.chain.deploy_one(&contract);
        addresses.push((contract.0, is_true));
    }
    for (address, is_true) in addresses {
        let registry = Registry {
            verifier: address,
            ..keys.clone()
        };
        let registry = located(&DEPLOYER, registry.code().unwrap());
        let consumer = located(&DEPLOYER, consumer(&address).unwrap());
        example.chain.deploy_one(&registry);
        example.chain.deploy_one(&consumer);
        let verified = example.chain.call(&registry.0, &verify, None);
        let accepted = example.chain.call(&consumer.0, &accept, None);
        if is_true {
            assert_true(&verified);
            assert_true(&accepted);
        } else {
            assert_refused(&verified, Refusal::Answer);
            assert_refused(&accepted, Refusal::Answer);
            // Nothing was stored.
            let data = opening.call_data(HOLDS, &example.root);
            let outcome = example.chain.call(&consumer.0, &data, None);
            assert_refused(&outcome, Refusal::Root);
        }
    }
}

#[test]
fn leaves_are_opened() {
    for leaves in (1..=9).chain([100]) {
        let mut example = Example::new(leaves, 1, 0);
        assert_refused(&example.holds(&opening(&tree(leaves), 0)), Refusal::Root);
        assert_true(&example.accept());
        for leaf in (0..leaves).step_by(1 + leaves as usize / 10) {
            let opening = opening(&example.tree, leaf);
            assert_true(&example.open(&opening));
            assert_true(&example.holds(&opening));
        }
    }
}

#[test]
fn other_leaves_are_refused() {
    for leaves in [1, 2, 5, 8] {
        let mut example = Example::new(leaves, 1, 0);
        assert_true(&example.accept());
        for leaf in 0..leaves {
            let honest = opening(&example.tree, leaf);
            let mut refused = |change: &dyn Fn(&mut Opening), refusal| {
                let mut opening = honest.clone();
                change(&mut opening);
                assert_refused(&example.open(&opening), refusal);
                assert_refused(&example.holds(&opening), refusal);
            };
            let depth = honest.path.len();
            refused(&|opening| opening.key = leaf_key(leaf + 1), Refusal::Path);
            refused(&|opening| opening.key.0[7] += F::ONE, Refusal::Key);
            refused(&|opening| opening.key = key(4), Refusal::Key);
            for element in 0..8 {
                refused(
                    &|opening| opening.statement[element] += F::ONE,
                    Refusal::Path,
                );
            }
            for level in 0..depth {
                refused(&|opening| opening.sides ^= 1 << level, Refusal::Path);
                refused(&|opening| opening.path[level][31] ^= 1, Refusal::Path);
                refused(&|opening| opening.path[level][0] ^= 0x80, Refusal::Path);
            }
            refused(&|opening| opening.sides |= 1 << depth, Refusal::Encoding);
            refused(&|opening| opening.sides |= 1 << 63, Refusal::Encoding);
            refused(&|opening| opening.path.push([0; 32]), Refusal::Path);
            if depth > 0 {
                let shorter = |opening: &mut Opening| {
                    opening.path.pop();
                    opening.sides &= (1 << opening.path.len()) - 1;
                };
                refused(&shorter, Refusal::Path);
            }
        }
    }
}

#[test]
fn openings_that_are_encoded_otherwise_are_refused() {
    let mut example = Example::new(6, 1, 0);
    assert_true(&example.accept());
    let honest = opening(&example.tree, 0);
    let (registry, consumer) = (example.registry, example.consumer);
    for (address, signature) in [(registry, OPENS), (consumer, HOLDS)] {
        let data = honest.call_data(signature, &example.root);
        let mut call = |data: &[u8]| example.chain.call(&address, data, None);
        assert_true(&call(&data));
        // The selector, the offset, the length.
        for place in (0..4).chain(132..196) {
            let mut data = data.clone();
            data[place] ^= 1;
            assert_refused(&call(&data), Refusal::Encoding);
        }
        // A length whose bytes are, modulo 2^256, those that there are.
        let mut longer = data.clone();
        longer[164] = 8;
        assert_refused(&call(&longer), Refusal::Encoding);
        for length in [36, 68, 100, 132, 164, 196, data.len() - 32, data.len() - 1] {
            assert_refused(&call(&data[..length]), Refusal::Encoding);
        }
        assert_refused(&call(&[&data[..], &[0]].concat()), Refusal::Encoding);
        assert_refused(&call(&[&data[..], &[0; 32]].concat()), Refusal::Encoding);
    }
    for length in 0..4 {
        let data = &example.verify_data()[..length];
        assert!(example.chain.call(&registry, data, None).result.is_err());
        assert!(example.chain.call(&consumer, data, None).result.is_err());
    }
    // The root is another one.
    let mut root = example.root;
    root[31] ^= 1;
    let outcome = example
        .chain
        .call(&registry, &honest.call_data(OPENS, &root), None);
    assert_refused(&outcome, Refusal::Path);
    let outcome = example
        .chain
        .call(&consumer, &honest.call_data(HOLDS, &root), None);
    assert_refused(&outcome, Refusal::Root);
}

/// No root is accepted that the registry refuses.
#[test]
fn refused_roots_are_not_kept() {
    let mut example = Example::new(4, 1, 64);
    let honest = opening(&example.tree, 2);
    let says = example.says.clone();
    example.says.leaves += 1;
    assert_refused_by_verifier(&example.accept(), "another number");
    assert_refused(&example.holds(&honest), Refusal::Root);
    example.says = says;
    let mut data = example
        .says
        .call_data(ACCEPT, &example.proof, &example.root);
    data.push(0);
    let outcome = example.chain.call(&example.consumer, &data, None);
    assert_refused(&outcome, Refusal::Encoding);
    assert_refused(&example.holds(&honest), Refusal::Root);
    assert_true(&example.accept());
    assert_true(&example.holds(&honest));
}

/// Numbers of a contract's refusals and of a verifier's phases are different.
#[test]
fn refusals_are_no_phases() {
    assert!(
        Refusal::ALL
            .iter()
            .all(|&refusal| Phase::of(refusal as u64).is_none())
    );
}

/// An aggregate of two proofs, its leaf root and its last proof, with all contracts.
#[test]
fn leaves_of_an_aggregate_are_held() {
    let source = droste_programs::source("factorial").unwrap();
    let compiled = compile(source, &[]).unwrap();
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let wraps = [5, 6].map(|n| {
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
    let aggregate = aggregator.join(wraps.into()).unwrap();
    let expected = aggregate.tree().leaves();
    let Rooted { aggregate, leaves } = aggregator.leaf_root(aggregate).unwrap();
    let settings = WhirSettings::of_exit(Preset::Toy);
    let proof = aggregator.exit(&aggregate, settings).unwrap().proof;

    let verifier = Verifier::<StandardTables, _>::new(proof.key.clone()).unwrap();
    let contract = Contract::new(&verifier, &proof.log_heights).unwrap();
    let contracts = contract.deployed_by(&DEPLOYER).unwrap();
    let (says, pinned) = (&leaves.leaf_root, &leaves.pinned);
    let registry = registry(says, pinned, contracts.verifier.0, &[expected[0].0]);
    let registry = located(&DEPLOYER, registry.code().unwrap());
    let consumer = located(&DEPLOYER, consumer(&registry.0).unwrap());
    let mut chain = Chain::new();
    chain.deploy(&contracts);
    chain.deploy_one(&registry);
    chain.deploy_one(&consumer);

    let proof = calldata::encode(&proof);
    let mut accept = |says: &LeafRoot, proof: &[u8]| {
        let root = says.root;
        let says = Says {
            key: says.key,
            claim: says.claim,
            leaves: says.leaves,
        };
        chain.call(&consumer.0, &says.call_data(ACCEPT, proof, &root), None)
    };
    let others: [fn(&mut LeafRoot); 4] = [
        |says| says.root[0] ^= 1,
        |says| says.leaves += 1,
        |says| says.claim[2] += F::ONE,
        |says| says.key.0[5] += F::ONE,
    ];
    for change in others {
        let mut other = says.clone();
        change(&mut other);
        assert!(accept(&other, &proof).refused_in().is_some());
    }
    assert!(accept(says, &proof[1..]).refused_in().is_some());
    assert_true(&accept(says, &proof));
    assert_eq!(leaves.tree.leaves().len(), 2);
    for leaf in 0..2 {
        let opening = opening(&leaves.tree, leaf);
        assert!(expected.contains(&(opening.key, opening.statement)));
        let data = opening.call_data(HOLDS, &says.root);
        assert_true(&chain.call(&consumer.0, &data, None));
    }
}

/// Of transactions, with a verifier that hashes its calldata, and a proof as long as real ones.
#[test]
fn gas_is_as_it_was() {
    let mut example = Example::new(16, 1, 97_436);
    let data = example.verify_data();
    let verify = example.verify(&data).gas;
    let accept = example.accept().gas;
    let opening = opening(&example.tree, 5);
    let open = example.open(&opening).gas;
    let holds = example.holds(&opening).gas;
    let found = (verify, accept, open, holds);
    assert_eq!(found, (3_978_219, 4_039_611, 31_140, 31_156));
}
