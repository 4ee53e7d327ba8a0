//! Three keys sign a message, and one proof shows that they did. Parameters are insecure.
//!
//! `cargo run --release -p droste --example xmss`

use std::error::Error;

use droste::prelude::*;
use droste::recursion::file;
use droste::signatures::{
    SecretKey, SignatureBatch, SignatureBatchProgram, SignatureBatchProver, SignatureClaims, Xmss,
};

const SLOT: u32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    // 1. Keys and signatures. In production a key is a `StoredKey`, which never signs a slot twice,
    //    and its seed is random.
    let message = std::array::from_fn(|lane| F::from_usize(lane + 1));
    let mut signatures = vec![];
    for seed in 0..3 {
        let key = SecretKey::generate(Xmss::DEFAULT, &[seed; 32], 0..=7)?;
        let signature = key.sign(SLOT, &message)?;
        Xmss::DEFAULT.verify(&key.public_key(), SLOT, &message, &signature)?;
        signatures.push((key.public_key(), signature));
    }
    let batch = SignatureBatch {
        slot: SLOT,
        message,
        signatures,
    };

    // 2. One proof that all signatures are valid, of the program that verifies them.
    let aggregator = Aggregator::for_preset(Preset::Toy, 1);
    let program = SignatureBatchProgram::new(Xmss::DEFAULT, batch.signatures.len())?;
    let settings = program.settings(Preset::Toy, 2);
    let prover = SignatureBatchProver::<Poseidon16Suite>::new(program, settings)?;
    let proof = prover.prove(&batch)?;

    // 3. It is a leaf like any other: wrap it, and join it with others.
    let program_key = prover.key().clone();
    let proof = VerifiedProof::new(proof, &program_key, &[], VerifyOptions::min_bits(0))?;
    let bytes = file::encode(&aggregator.wrap(&proof)?)?;
    println!("aggregate: {} bytes", bytes.len());

    // 4. Another party has the aggregate and the claims, but no signature. The program's key and
    //    the statement of each batch are computed from the claims.
    let claims = SignatureClaims {
        program,
        hash: HashId::Poseidon16,
        settings,
        batches: vec![batch.claim()],
    };
    let leaves = AcceptedLeaves::from_iter([claims.key()?]);
    let aggregate = file::decode(&bytes)?.derive(&Deriver::new(), &leaves)?;
    claims.check(aggregate.tree(), &Xmss::DEFAULT)?;
    let [(key, _), ..] = batch.signatures.as_slice() else {
        return Err("no signatures".into());
    };
    assert!(claims.says(key, SLOT, &message));
    assert!(!claims.says(key, SLOT + 1, &message));

    // 5. Whoever knows the statement of a batch, from the aggregate's tree, is shown one key of it
    //    by a path of digests, without the others.
    let member = batch
        .claim()
        .member(program.log_keys(), 1)
        .ok_or("no such key")?;
    let (_, statement) = aggregate.tree().leaves()[0];
    member.verify(program.log_keys(), &statement)?;
    println!("{} keys signed in slot {SLOT}", batch.signatures.len());
    Ok(())
}
