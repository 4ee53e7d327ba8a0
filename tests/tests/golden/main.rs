//! What a change of names, places or speed alone leaves as it was: instructions of recursion
//! programs, digests of keys, code of contracts and every byte of proofs.
//!
//! `tests/golden/README.md` says what is kept, and when it may be written anew.

#[path = "../vm/common/mod.rs"]
mod common;
mod data;
mod folds;
#[path = "../../../bench/examples/instructions.rs"]
#[allow(dead_code, reason = "what the example prints")]
mod instructions;
mod lists;
#[path = "../verifier/recursion/airs.rs"]
#[allow(dead_code, reason = "traces of the tables")]
mod tables;

use std::collections::BTreeSet;
use std::sync::Arc;

use data::{Data, Found};
use droste_binary::Hash;
use droste_evm::calldata;
use droste_evm::contract::Contract;
use droste_evm::contract::deploy::{Address, DEPLOYER};
use droste_native::hash_signature::{Parameters, SecretKey, SignedMessage, Xmss};
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{Blake3Suite, F, HashId, KeccakSuite};
use droste_verifier::aggregate::{Aggregate, AggregateOptions, Aggregator, exit_statement};
use droste_verifier::airs::{BatchCircuit, Seed};
use droste_verifier::binary::CallingProgram;
use droste_verifier::circuit::{BinaryShape, CallsShape, PathsShape, RecursionCircuit};
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file::{self, member};
use droste_verifier::keys::Deriver;
use droste_verifier::member::Membership;
use droste_verifier::program_keys;
use droste_verifier::proofs::{self, Known};
use droste_verifier::xmss::{Registry, SignatureBatch, SignatureBatchProgram, SignatureFold};
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::stack::StackSettings;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{self, Verifier};
use instructions::Instructions;
use tables::Toy;

/// The statement of factorial(5).
const FACTORIAL: [F; 2] = F::new_array([5, 120]);

const INSECURE: VerifyOptions = VerifyOptions::min_bits(0);

fn program(name: &str) -> Compiled {
    let text = droste_programs::source(name).unwrap();
    compile(text, droste_gadgets::SOURCES).unwrap()
}

/// Settings of proofs of programs, in either stack.
fn settings(preset: Preset, hash: HashId) -> [(&'static str, StackSettings); 2] {
    [
        ("fri", preset.settings(2).unwrap().into()),
        ("whir", WhirSettings::of_leaf(preset, hash, 1).into()),
    ]
}

/// A proof of factorial(5).
fn factorial(program: &Compiled, hash: HashId, settings: StackSettings) -> Vec<u8> {
    let execution = execute(program, &FACTORIAL[..1], &Tape::default(), 1 << 16).unwrap();
    let proved = proofs::prove(hash, program, &execution, &FACTORIAL, settings);
    proved.unwrap().bytes
}

/// Of factorial(5) in each hash, and of a run of all tables.
#[test]
fn proofs_of_programs() {
    let (mut found, program) = (Found::new("proofs"), program("factorial"));
    for hash in HashId::ALL {
        for (stack, settings) in settings(Preset::Toy, hash) {
            let bytes = factorial(&program, hash, settings);
            found.add_file(&format!("{stack}.{hash}"), bytes);
        }
    }
    let everything = common::everything();
    let execution = common::run(&everything, &[]);
    for (stack, settings) in settings(Preset::Toy, HashId::Poseidon16) {
        let settings = program_keys::fitting(settings, &everything, &execution).unwrap();
        let proved = proofs::prove(HashId::Poseidon16, &everything, &execution, &[], settings);
        let bytes = proved.unwrap().bytes;
        found.add_digest(&format!("{stack}.poseidon16.every_table"), &bytes);
    }
    found.compare();
}

/// Of a program without precompiles and of one with them; and of lists, whose proofs are wrapped.
#[test]
fn keys() {
    let mut found = Found::new("keys");
    let programs = ["factorial", "blake3_chain"].map(|name| (name, program(name)));
    for preset in Preset::ALL {
        for hash in HashId::ALL {
            for (stack, settings) in settings(preset, hash) {
                for (name, program) in &programs {
                    let key = proofs::key(hash, program, settings, Heights::Minimal);
                    let name = format!("{preset}.{stack}.{hash}.{name}");
                    found.add(&name, key.unwrap().0);
                }
            }
        }
    }
    for (name, shape) in shapes_of_lists() {
        found.add(&name, shape.key());
    }
    found.compare();
}

fn shapes_of_lists() -> Vec<(String, BinaryShape)> {
    let shapes = |of: Hash| {
        let hash = of.number();
        let calls = CallsShape { hash, log_calls: 3 };
        let paths = PathsShape {
            hash,
            log_depth: 1,
            log_paths: 2,
        };
        [
            (format!("calls.{of}"), calls.into()),
            (format!("paths.{of}"), paths.into()),
        ]
    };
    Hash::ALL.into_iter().flat_map(shapes).collect()
}

/// Of recursion programs and of the example programs, and keys of joins.
#[test]
fn instructions_of_programs() {
    let mut found = Found::new("instructions");
    for (name, compiled) in instructions::programs().unwrap() {
        found.add(&format!("program.{name}"), Instructions::of(&compiled));
    }
    for preset in [Preset::Toy, Preset::Proven100] {
        for (hash, circuit) in instructions::wraps(preset).unwrap() {
            let name = format!("{preset}.wrap.{hash}");
            found.add(&name, Instructions::of(circuit.compiled()));
        }
    }
    for preset in Preset::ALL {
        let aggregator = Aggregator::for_preset(preset, 2);
        let circuit = instructions::join(&aggregator, 2).unwrap();
        let name = format!("{preset}.join.2");
        found.add(&name, Instructions::of(circuit.compiled()));
        let heights = Heights::Exact(aggregator.log_heights().to_vec());
        let key = circuit.key(*aggregator.settings(), &heights).unwrap();
        found.add(&format!("{name}.key"), key.digest());
    }
    let airs = vec![Toy::Range { log_height: 6 }, Toy::Cubes];
    let settings = Preset::Toy.settings(2).unwrap();
    let circuit = BatchCircuit::<Blake3Suite, Toy>::new(airs, settings, &[6, 4], Seed::Key);
    let circuit = circuit.unwrap();
    found.add("wrap.airs", Instructions::of(circuit.compiled()));
    found.add("wrap.airs.key", circuit.air_key().digest());
    let calling = CallingProgram::new(Hash::KeccakF, 64, droste_programs::KECCAK_CALLS);
    let calling = Instructions::of(calling.unwrap().compiled());
    found.add("program.keccak_calls", calling);
    for (name, shape) in shapes_of_lists() {
        let circuit = RecursionCircuit::over_binary(shape).unwrap();
        found.add(
            &format!("wrap.{name}"),
            Instructions::of(circuit.compiled()),
        );
    }
    found.compare();
}

/// Wraps, a join, the membership of a leaf in it, its last proof, and the contracts that verify
/// that.
#[test]
fn aggregates() {
    let (mut found, program) = (Found::new("aggregates"), program("factorial"));
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let wraps = settings(Preset::Toy, HashId::Poseidon16).map(|(stack, settings)| {
        let bytes = factorial(&program, HashId::Poseidon16, settings);
        let wrap = aggregator.wrap_bytes(&bytes, &program, &FACTORIAL, INSECURE);
        (stack, wrap.unwrap())
    });
    for (stack, wrap) in &wraps {
        found.add(&format!("wrap.{stack}.key"), wrap.key());
        found.add(&format!("wrap.{stack}.claim"), KeyDigest(wrap.claim()));
        found.add_file(&format!("wrap.{stack}"), file::encode(wrap).unwrap());
    }
    for (name, wrap) in [
        ("blake3", wrap_of_blake3(&aggregator, &program)),
        ("calls", lists::wrap(&aggregator)),
    ] {
        found.add_digest(&format!("wrap.{name}"), &file::encode(&wrap).unwrap());
    }
    let join = aggregator.join(wraps.map(|(_, wrap)| wrap).into()).unwrap();
    found.add("join.key", join.key());
    found.add("join.claim", KeyDigest(join.claim()));
    found.add_file("join", file::encode(&join).unwrap());
    let member = Membership::new(join.tree(), join.keys().claimed(), 1).unwrap();
    found.add_file("member", member::encode(&member).unwrap());

    let exit = aggregator.exit(&join, WhirSettings::of_exit(Preset::Toy));
    let proof = exit.unwrap().proof;
    found.add("exit.key", proof.key.digest());
    found.add("exit.claim", KeyDigest(exit_statement(&join)));
    found.add_file("exit", whir::encode(&proof).unwrap());
    let verifier = Verifier::<StandardTables, KeccakSuite>::new(proof.key.clone()).unwrap();
    let contract = Contract::new(&verifier, &proof.log_heights).unwrap();
    let contracts = contract.deployed_by(&DEPLOYER).unwrap();
    let hex = |address: &Address| address.map(|byte| format!("{byte:02x}")).concat();
    for (index, (address, _)) in contracts.evaluators.iter().enumerate() {
        found.add(&format!("exit.evaluator.{index}"), hex(address));
    }
    // It stands for all code.
    found.add("exit.verifier", hex(&contracts.verifier.0));
    found.add_digest("exit.calldata", &calldata::encode(&proof));
    found.compare();
}

/// It takes more than one step.
fn wrap_of_blake3(aggregator: &Aggregator, program: &Compiled) -> Aggregate {
    let [_, (_, whir)] = settings(Preset::Toy, HashId::Blake3);
    let bytes = factorial(program, HashId::Blake3, whir);
    let wrap = aggregator.wrap_bytes(&bytes, program, &FACTORIAL, INSECURE);
    wrap.unwrap()
}

/// The fold of signatures by the keys of a registry, and two of them.
fn signatures() -> (SignatureFold, SignatureBatch) {
    let scheme = Xmss::new(Parameters {
        chains: 10,
        bits: 3,
        levels: 3,
        target_sum: 44,
    });
    let (scheme, slot, message) = (scheme.unwrap(), 5, [F::new(7); 8]);
    let signed = [1, 2].map(|seed| {
        let key = SecretKey::generate(scheme, &[seed; 32], slot..=slot).unwrap();
        SignedMessage::new(&key, slot, message).unwrap()
    });
    let keys = signed.iter().map(|signed| signed.public_key);
    let registry = Arc::new(Registry::new(keys.collect()).unwrap());
    let program = SignatureBatchProgram::new(registry, scheme, 2).unwrap();
    let batch = program.batches(signed).unwrap();
    let fold = SignatureFold::new(program, Preset::Toy, Arc::new(Deriver::new()));
    (fold.unwrap(), batch.into_iter().next().unwrap())
}

#[test]
fn a_proof_of_signatures() {
    let (mut found, (fold, batch)) = (Found::new("signatures"), signatures());
    let prover = fold.prover();
    found.add("program", Instructions::of(prover.compiled()));
    found.add("key", prover.key().digest());
    found.add("fold.key", fold.fold().key());
    let proof = prover.prove(&batch).unwrap();
    found.add_file("proof", whir::encode(&proof).unwrap());
    found.compare();
}

/// They are as they were written, and accepted with the keys and claims of then.
#[test]
fn kept_files_are_accepted() {
    let data = Data::read();
    let files = data.files();
    let any = &AcceptedLeaves::Any;
    // By the last byte of their magic: aggregates, lists, folds, memberships, proofs over FRI and
    // WHIR.
    let formats: BTreeSet<u8> = files.values().map(|bytes| bytes[7]).collect();
    assert!(formats.iter().eq(b"abfmpw"), "{formats:?}");
    for (name, bytes) in &files {
        let parts: Vec<&str> = name.split('.').collect();
        let digest = |of: &str| data.digest(&format!("{name}.{of}"));
        let verify = |key, expected: &[F]| {
            proofs::verify(bytes, Known::Key(key), expected, INSECURE).map(|_| ())
        };
        println!("{name}: {} bytes", bytes.len());
        match parts[..] {
            ["proofs", stack, hash] => {
                let key = data.digest(&format!("keys.toy.{stack}.{hash}.factorial"));
                verify(key, &FACTORIAL).unwrap();
            }
            ["lists", kind, hash, tree] => {
                assert!(lists::is_accepted(kind, hash, tree, bytes), "{name}");
            }
            ["aggregates", "wrap" | "join", ..] => {
                let options = AggregateOptions::min_bits(0);
                let aggregate = file::decode(bytes).unwrap();
                let (key, claim) = (digest("key"), digest("claim"));
                aggregate.verify(key, &claim.0, options, any).unwrap();
            }
            ["aggregates", "member"] => {
                let member = member::decode(bytes).unwrap();
                let digest = |of: &str| data.digest(&format!("aggregates.join.{of}"));
                let (key, claim) = (digest("key"), digest("claim"));
                let leaf = member.verify(&claim.0, key, INSECURE, any).unwrap();
                assert_eq!(leaf.statement[..2], FACTORIAL);
            }
            ["folds", "step"] => {
                let key = data.digest("folds.toy.key");
                assert!(folds::is_accepted(key, bytes), "{name}");
            }
            ["aggregates", "exit"] => verify(digest("key"), &digest("claim").0).unwrap(),
            ["signatures", "proof"] => {
                let (_, batch) = signatures();
                let statement = batch.claim().statement();
                verify(data.digest("signatures.key"), &statement).unwrap();
            }
            _ => panic!("nothing reads {name}"),
        }
    }
}
