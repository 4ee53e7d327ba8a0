//! Registries, consumers and state roots on a chain, with a verifier that accepts one call: that of
//! the statement which is computed natively.

mod accept;
mod aggregate;
mod fold;
mod nodes;
mod open;
mod verify;
#[path = "../yul/mod.rs"]
mod yul;

use droste_evm::assembler::{Assembler, Code, Expr, Op, Word};
use droste_evm::chain::{Chain, MAX_GAS, Outcome};
use droste_evm::contract::deploy::{
    Address, DEPLOYER, MAX_TRANSACTION, call_bytes, call_data, is_too_large, located,
    statement_bytes,
};
use droste_evm::contract::{ERROR, selector};
use droste_evm::phase::Phase;
use droste_evm::registry::{
    ACCEPT, HOLDS, OPENS, Opening, Refusal, Registry, SAYS_BYTES, Says, VERIFY, consumer,
};
use droste_native::F;
use droste_native::hash::keccak::Keccak256;
use droste_verifier::leaf_root::{LeafRoot, LeafTree, PinnedKeys};
use droste_vm::key::KeyDigest;
use p3_field::PrimeCharacteristicRing;

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

/// A contract that returns these words if the keccak digest of its calldata is this one, and
/// refuses in the last phase if not.
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
    keys: Registry,
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
        let leaf_root = LeafRoot {
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
        let statement = statement_bytes(&leaf_root.exit_statement(&pinned));
        let digest = Keccak256.hash(&call_data(&statement, &proof));
        let mut chain = Chain::new();
        let verifier = deployed(&mut chain, answering(Some(digest), &[1]));
        let accepted = [leaf_key(0), leaf_key(1)];
        let keys = registry(&leaf_root, &pinned, verifier, &accepted);
        let registry = deployed(&mut chain, keys.code().unwrap());
        let consumer = deployed(&mut chain, consumer(&registry).unwrap());
        Self {
            chain,
            keys,
            registry,
            consumer,
            root: tree.root(),
            tree,
            says: says(&leaf_root),
            proof,
        }
    }

    fn verify_data(&self) -> Vec<u8> {
        self.says.call_data(VERIFY, &self.proof, &self.root)
    }

    fn accept_data(&self) -> Vec<u8> {
        self.says.call_data(ACCEPT, &self.proof, &self.root)
    }

    fn verify(&mut self, data: &[u8]) -> Outcome {
        self.chain.call(&self.registry, data, None)
    }

    fn open(&mut self, opening: &Opening) -> Outcome {
        let data = opening.call_data(OPENS, &self.root);
        self.chain.call(&self.registry, &data, None)
    }

    fn accept(&mut self) -> Outcome {
        self.chain.call(&self.consumer, &self.accept_data(), None)
    }

    fn holds(&mut self, opening: &Opening) -> Outcome {
        let data = opening.call_data(HOLDS, &self.root);
        self.chain.call(&self.consumer, &data, None)
    }

    /// Another registry, with the same verifier.
    fn registry(&mut self, change: impl FnOnce(&mut Registry)) -> Address {
        let mut other = self.keys.clone();
        change(&mut other);
        deployed(&mut self.chain, other.code().unwrap())
    }
}

fn deployed(chain: &mut Chain, code: Code) -> Address {
    yul::check(&code);
    let contract = located(&DEPLOYER, code);
    chain.deploy_one(&contract).unwrap();
    contract.0
}

fn registry(
    leaf_root: &LeafRoot,
    pinned: &PinnedKeys,
    verifier: Address,
    leaves: &[KeyDigest],
) -> Registry {
    Registry {
        verifier,
        recursion_keys: leaf_root.keys,
        join: pinned.join,
        wraps: pinned.wraps.clone(),
        program: pinned.program,
        leaves: leaves.to_vec(),
    }
}

fn says(leaf_root: &LeafRoot) -> Says {
    Says {
        key: leaf_root.key,
        claim: leaf_root.claim,
        leaves: leaf_root.leaves,
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

/// Numbers of a contract's refusals and of a verifier's phases are different.
#[test]
fn refusals_are_no_phases() {
    assert!(
        Refusal::ALL
            .iter()
            .all(|&refusal| Phase::of(refusal as u64).is_none())
    );
}

/// No function takes a value, which nobody could take out again.
#[test]
fn values_are_refused() {
    let mut example = Example::new(2, 1, 32);
    assert_true(&example.accept());
    let opening = opening(&example.tree, 1);
    let (registry, consumer, root) = (example.registry, example.consumer, example.root);
    for (to, data) in [
        (registry, example.verify_data()),
        (registry, opening.call_data(OPENS, &root)),
        (consumer, example.accept_data()),
        (consumer, opening.call_data(HOLDS, &root)),
    ] {
        assert_true(&example.chain.call(&to, &data, None));
        let outcome = example.chain.call_with(&to, &data, None, 1, MAX_GAS);
        assert_refused(&outcome, Refusal::Encoding);
    }
}

/// Before there is a call it is known how long it is.
#[test]
fn calls_have_the_length_that_is_foretold() {
    let example = Example::new(2, 1, 100);
    for bytes in [0, 1, 28, 29, 60, 61, 100] {
        let proof = &example.proof[..bytes];
        let call = example.says.call_data(ACCEPT, proof, &example.root);
        assert_eq!(call.len(), call_bytes(SAYS_BYTES + bytes));
        assert_eq!(call_data(&[0; 32], proof).len(), call_bytes(bytes));
    }
    // The longest in docs/chain.md, and one that fills a transaction.
    assert!(!is_too_large(call_bytes(SAYS_BYTES + 120_148)));
    assert!(is_too_large(call_bytes(MAX_TRANSACTION)));
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
