//! Three keys of a registry sign a message, and one fold shows which ones, each counted once.
//! Parameters are insecure.
//!
//! `cargo run --release -p droste --example xmss`

use std::error::Error;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use droste::fold::{Options, file, plan};
use droste::plan::Store;
use droste::prelude::*;
use droste::signatures::{
    Registry, SecretKey, SignatureBatchProgram, SignatureFold, SignedMessage, Signers, Wanted, Xmss,
};

const SLOT: u32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    // 1. Keys and signatures. In production a key is a `StoredKey`, which never signs a slot twice,
    //    and its seed is random.
    let message = std::array::from_fn(|lane| F::from_usize(lane + 1));
    let mut signed = vec![];
    for seed in 0..4 {
        let key = SecretKey::generate(Xmss::DEFAULT, &[seed; 32], 0..=7)?;
        signed.push(SignedMessage::new(&key, SLOT, message)?);
    }
    // 2. The registry lists all keys that count. The last one does not sign.
    let keys = signed.iter().map(|signed| signed.public_key);
    let registry = Arc::new(Registry::new(keys.collect())?);
    signed.truncate(3);

    // 3. Proofs of batches of at most two, and one fold of them.
    let program = SignatureBatchProgram::new(Arc::clone(&registry), Xmss::DEFAULT, 2)?;
    let batches = program.batches(signed)?;
    let rules = SignatureFold::new(program, Preset::Toy, Arc::new(Deriver::new()))?;
    let folder = std::env::temp_dir().join(format!("droste-xmss-{}", std::process::id()));
    let store = Store::open(&folder)?;
    let mut proofs = vec![];
    for batch in &batches {
        proofs.push(rules.prover().prove_kept(batch, &store)?);
    }
    let plan = rules.plan(&batches, &proofs)?;
    let leaf = |index: usize| -> io::Result<Vec<u8>> {
        let proof = proofs.get(index).cloned();
        proof.ok_or_else(|| io::ErrorKind::NotFound.into())
    };
    let folded = plan::run(rules.fold(), &plan, &store, leaf, |_| {
        ControlFlow::Continue(())
    })?;
    std::fs::remove_dir_all(folder)?;
    let bytes = file::encode(&folded)?;
    println!("fold: {} bytes", bytes.len());

    // 4. Another party has the registry and the fold, but no signature.
    let options = Options::min_bits(0);
    let wanted = Wanted {
        slot: SLOT,
        message,
        min_signers: 3,
    };
    let (_, claim) = rules.check(file::decode(&bytes)?, &wanted, &options)?;
    println!("{} keys signed in slot {SLOT}", claim.count);
    let more = Wanted {
        min_signers: 4,
        ..wanted
    };
    let refused = rules.check(file::decode(&bytes)?, &more, &options);
    assert!(refused.is_err());

    // 5. Whoever knows the set of signers is believed if its digest is the fold's.
    claim.check(&Signers::new(&registry, [0, 1, 2])?)?;
    assert!(claim.check(&Signers::new(&registry, [1, 2, 3])?).is_err());
    Ok(())
}
