//! Recursion keys: derived, forged and hidden ones.

use std::fs;

use droste_verifier::claim::Claim;
use droste_verifier::file as aggregate_file;
use droste_verifier::keys::ClaimedKeys;
use droste_vm::heights::Heights;

use super::*;

/// `droste keys` derives the digest of the join's keys from the wraps alone, and from the join's
/// file.
pub fn keys_are_derived(folder: &TempDir, key: &str) {
    let digest = |arguments: &str| {
        let keys = json(folder, &format!("keys {arguments}"));
        text(&keys, "key").to_owned()
    };
    let wraps = "--from FOLDER/factorial.wrap FOLDER/fibonacci.wrap --join 2 --preset toy";
    assert_eq!(digest(wraps), key);
    assert_eq!(digest("--from FOLDER/both --no-cache"), key);
    assert_ne!(digest("--join 2 --preset toy"), key);
    fails(folder, "keys", 2, "required");
    // What is joined or ended has the preset and arity of the join or the last proof.
    for and in ["--join 2", "--exit toy"] {
        let words = "factorial.wrap: the proof does not have the canonical shape: made with toy, \
                     asked for proven-120: add --preset toy";
        let arguments = format!("keys --from FOLDER/factorial.wrap {and}");
        fails(folder, &arguments, 1, words);
    }
    // For the proof of a program, the key of its wrap is derived.
    let proofs = "--from FOLDER/factorial.proof FOLDER/fibonacci.proof --join 2 --preset toy";
    assert_eq!(digest(proofs), key);
    let blake3 =
        "prove FOLDER/factorial.rs --public 5 --preset toy --hash blake3 -o FOLDER/blake3.proof";
    json(folder, blake3);
    let words = "one step does not bring the proof to the canonical shape";
    fails(
        folder,
        "keys --from FOLDER/blake3.proof --preset toy",
        1,
        words,
    );
    fails(folder, "keys --from FOLDER/factorial.rs", 1, "not a proof");
}

/// Two forgeries are refused: a wrap whose key is listed with another recipe and 250 bits, and an
/// honest file in which the byte of a key's bits is changed.
pub fn forged_keys_are_refused(folder: &TempDir, claim: &str) {
    let wrap = fs::read(file(folder, "fibonacci.wrap")).unwrap();
    let mut forgery = aggregate_file::decode(&wrap).unwrap();
    let key = forgery.tree.key;
    let (_, listed) = forgery.keys.iter().next().unwrap();
    let mut recipe = listed.recipe.clone();
    recipe.heights = match recipe.heights {
        Heights::Minimal => Heights::Uniform(12),
        _ => Heights::Minimal,
    };
    let mut keys = ClaimedKeys::default();
    keys.insert(key, 250, recipe);
    for (other, listed) in forgery.keys.iter().filter(|(other, _)| *other != key) {
        keys.insert(other, listed.bits, listed.recipe.clone());
    }
    forgery.keys = keys;
    let bytes = aggregate_file::encode_unverified(&forgery).unwrap();
    fs::write(file(folder, "forged"), bytes).unwrap();

    let refusal = format!("{key} is listed as the key of a recursion program");
    for victim in [
        "wrap FOLDER/forged --preset toy -o FOLDER/none",
        "join FOLDER/factorial.wrap FOLDER/forged --preset toy -o FOLDER/none",
        "keys --from FOLDER/forged",
        "inspect FOLDER/forged",
    ] {
        fails(folder, victim, 1, &refusal);
    }
    // --claimed shows it, since it is consistent in itself, but says that nothing was checked.
    let inspected = droste(folder, "inspect FOLDER/forged --claimed");
    let inspected = String::from_utf8(inspected.stdout).unwrap();
    assert!(inspected.contains("claimed by the file"), "{inspected}");
    assert!(inspected.contains("verifies proofs of 250 bits, as the file claims"));
    // Only a caller who pins the forger's own digest is deceived.
    let believed = forgery.key();
    let wrap = format!("wrap FOLDER/forged --key {believed} --preset toy -o FOLDER/laundered");
    json(folder, &wrap);
    let join = "join FOLDER/factorial.wrap FOLDER/laundered --preset toy -o FOLDER/none";
    fails(folder, join, 1, &refusal);

    let mut bytes = fs::read(file(folder, "both")).unwrap();
    // The byte after the header (12 bytes), the number of keys (1) and the first key's digest (32).
    bytes[12 + 1 + 32] = 250;
    let patched = aggregate_file::decode(&bytes).unwrap().key();
    fs::write(file(folder, "patched"), bytes).unwrap();
    let words = "is listed with children of 250 proven bits";
    fails(
        folder,
        "join FOLDER/patched --preset toy -o FOLDER/none",
        1,
        words,
    );
    fails(folder, "inspect FOLDER/patched", 1, words);
    let verify =
        format!("verify FOLDER/patched --key {patched} --claim {claim} --min-bits 0 --any-leaf");
    // `verify --key` derives nothing: the caller vouches for the digest.
    json(folder, &verify);
}

/// An aggregate whose tree shows the join alone. Its leaves are wraps, so what those verified, and
/// with how many bits, is hidden. The wraps' keys are not listed, so the digest of the set is that
/// of joins, which anyone can derive. Such an aggregate is refused unless any leaf is accepted.
pub fn hidden_proofs_are_found(folder: &TempDir, key: &str, claim: &str) {
    let bytes = fs::read(file(folder, "both")).unwrap();
    let mut hiding = aggregate_file::decode(&bytes).unwrap();
    let programs: Vec<_> = hiding.tree.leaves().iter().map(|(key, _)| *key).collect();
    let Claim::Children(wraps) = &mut hiding.tree.claim else {
        panic!("{:?}", hiding.tree);
    };
    for wrap in wraps.iter_mut() {
        wrap.claim = Claim::Statement(wrap.claim.statement());
    }
    let wrap_keys: Vec<_> = wraps.iter().map(|wrap| wrap.key).collect();
    let hidden = wrap_keys[0];
    let join = hiding.tree.key;
    let mut keys = ClaimedKeys::default();
    for (key, listed) in hiding.keys.iter().filter(|(key, _)| *key == join) {
        keys.insert(key, listed.bits, listed.recipe.clone());
    }
    hiding.keys = keys;
    let bytes = aggregate_file::encode_unverified(&hiding).unwrap();
    fs::write(file(folder, "hiding"), bytes).unwrap();

    let joins = json(folder, "keys --join 2 --preset toy");
    let digest = text(&joins, "key");
    let hiding = format!("verify FOLDER/hiding --key {digest} --claim {claim} --min-bits 0");
    fails(folder, &hiding, 2, "nothing says which leaves to accept");
    // With --any-leaf it is accepted as what its tree shows: two leaves and a join. That the keys
    // of its leaves are those of recursion programs is known, since they were derived here before.
    let any = format!("{hiding} --any-leaf");
    let verified = json(folder, &any);
    assert_eq!(verified["proofs"], 3);
    assert_eq!(verified["accepted_leaves"], "any");
    let known = verified["hidden_leaves"].as_array().unwrap();
    assert!(known.contains(&hidden.to_string().into()), "{known:?}");
    let printed = String::from_utf8(droste(folder, &any).stdout).unwrap();
    let words = format!("the leaf {hidden} is a recursion proof");
    assert!(printed.contains(&words), "{printed}");
    let named: Vec<String> = wrap_keys
        .iter()
        .map(|key| format!("--leaf {key}"))
        .collect();
    let words = "is the key of a recursion program, but its children are not listed";
    fails(folder, &format!("{hiding} {}", named.join(" ")), 1, words);
    let [factorial, fibonacci] = programs[..] else {
        panic!("{programs:?}");
    };
    let leaves = format!("--leaf {factorial} --leaf {fibonacci}");
    let words = format!("{hidden} is the key of a leaf, but not one of the keys");
    fails(folder, &format!("{hiding} {leaves}"), 1, &words);

    let honest = format!("verify FOLDER/both --key {key} --claim {claim} --min-bits 0");
    let verified = json(folder, &format!("{honest} {leaves}"));
    assert_eq!(verified["proofs"], 5);
    let words = format!("{fibonacci} is the key of a leaf");
    let arguments = format!("{honest} --leaf {factorial}");
    fails(folder, &arguments, 1, &words);
    let arguments = format!("verify FOLDER/factorial.proof --key {factorial} --leaf {factorial}");
    fails(folder, &arguments, 2, "for aggregates");
    fails(folder, &format!("{honest} --leaf 00"), 2, "64 hexadecimal");
}
