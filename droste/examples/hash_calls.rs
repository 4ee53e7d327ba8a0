//! Proves calls of BLAKE3's compression function whose inputs and outputs are public, and a Merkle
//! path of which only leaf, index and root are. Both proofs have 100 proven bits. In BLAKE3 they
//! stand alone; `droste hashes wrap` makes proofs in Poseidon-16 and wraps them.
//!
//! `cargo run --release -p droste --features hashes --example hash_calls`

use std::error::Error;

use droste::hash::decimals;
use droste::hashes::paths::{MerklePaths, Path, node};
use droste::hashes::{Blake3, File, Hash, HashCalls, Witness, prove, verify, verify_file};

fn main() -> Result<(), Box<dyn Error>> {
    // 1. The inputs, here of a chain: each begins with the first half of the output before it.
    let hash = Hash::Blake3;
    let mut input = vec![7; hash.input_bytes()];
    let mut inputs = vec![];
    for _ in 0..10 {
        inputs.push(input.clone());
        let output = hash.output(&input)?;
        input[..32].copy_from_slice(&output[..32]);
    }

    // 2. The statement is the whole list of inputs and outputs. The proof does not contain it.
    let statement = HashCalls::of_inputs(hash, &inputs)?;
    let proof = prove::<Blake3>(&statement)?;
    let file = File::new(&statement, proof).encode()?;

    // 3. A verifier trusts its own list. That the calls are a chain is seen there; it is not
    //    proved.
    let calls: Vec<_> = statement.calls().collect();
    for calls in calls.windows(2) {
        assert_eq!(calls[1].0[..32], calls[0].1[..32]);
    }
    let list = HashCalls::new(hash, calls)?;
    let summary = verify_file::<Blake3>(&list, &file, 100)?;
    let (calls, bits) = (summary.calls, decimals(summary.security.sum));
    println!("{calls} calls, {bits} proven bits");

    // 4. A leaf that is the right child of a left child.
    let (leaf, siblings) = ([1; 32], vec![[2; 32], [3; 32]]);
    let parent = node(hash, &siblings[0], &leaf);
    let root = node(hash, &parent, &siblings[1]);
    let path = Path {
        leaf,
        index: 1,
        root,
    };

    // 5. The siblings are the witness: not part of the statement, and not kept secret by the proof.
    let statement = MerklePaths::new(hash, 2, vec![path])?;
    let proof = prove::<Blake3>(Witness::of_paths(&statement, &[siblings])?)?;
    verify(&statement, &proof)?;

    // 6. The leaf is at no other index.
    let other = MerklePaths::new(hash, 2, vec![Path { index: 2, ..path }])?;
    let refused = verify(&other, &proof);
    println!("another index: {}", refused.err().ok_or("accepted")?);
    Ok(())
}
