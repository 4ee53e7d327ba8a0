//! `--stock`: proofs that Plonky3's own code makes are wrapped, and their wraps joined, inspected and
//! verified; what is wrong is refused by name. Parameters are insecure.

use std::fs;
use std::process::{Command, Output};

use droste_native::stark::suite::Dft;
use droste_native::{EF4, F, FriSettings};
use droste_verifier::airs::{StockUni, StockUniAir};
use p3_blake3_air::Blake3Air;
use p3_challenger::{HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_fri::TwoAdicFriPcs;
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_keccak_air::KeccakAir;
use p3_koala_bear::{
    GenericPoseidon2LinearLayersKoalaBear, KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS,
    KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16, KOALABEAR_S_BOX_DEGREE,
};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_poseidon2_air::{RoundConstants, VectorizedPoseidon2Air};
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher};
use p3_uni_stark::{Proof, StarkConfig, prove};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use serde_json::Value;
use tempfile::TempDir;

// The configuration and the AIR of `prove_poseidon2_koala_bear_keccak`, type by type.

type Sponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;
type Trees = MerkleTreeMmcs<
    [F; VECTOR_LEN],
    [u64; VECTOR_LEN],
    SerializingHasher<Sponge>,
    CompressionFunctionFromHasher<Sponge, 2, 4>,
    2,
    4,
>;
type Pcs = TwoAdicFriPcs<F, Dft, Trees, ExtensionMmcs<F, EF4, Trees>>;
type Challenger = SerializingChallenger32<F, HashChallenger<u8, Keccak256Hash, 32>>;
type Config = StarkConfig<Pcs, EF4, Challenger>;
type Poseidon2Air = VectorizedPoseidon2Air<
    F,
    GenericPoseidon2LinearLayersKoalaBear,
    16,
    KOALABEAR_S_BOX_DEGREE,
    0,
    KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS,
    KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16,
    8,
>;

/// The parameters of `new_benchmark`, with one query and less work.
const SETTINGS: FriSettings = FriSettings {
    log_blowup: 1,
    max_log_arity: 1,
    num_queries: 1,
    query_grinding_bits: 4,
    cap_height: 3,
    ..FriSettings::toy()
};

const LOG_HEIGHT: usize = 2;

/// The description of a proof by [`proof`], of an AIR in a format.
fn description(air: &str, format: &str) -> String {
    format!(
        "air = \"{air}\"
rows = 4
hash = \"keccak-sponge\"
degree = 4
format = \"{format}\"

[fri]
parameters = \"new_benchmark\"
num_queries = 1 # instead of 100
query_proof_of_work_bits = 4
cap_height = 3
"
    )
}

fn config() -> (Config, Trees) {
    let sponge = Sponge::new(KeccakF);
    let trees = Trees::new(
        SerializingHasher::new(sponge),
        CompressionFunctionFromHasher::new(sponge),
        SETTINGS.cap_height,
    );
    let parameters = SETTINGS.parameters(ExtensionMmcs::new(trees.clone()));
    let pcs = Pcs::new(Dft::default(), trees.clone(), parameters);
    let challenger = Challenger::from_hasher(vec![], Keccak256Hash);
    (Config::new(pcs, challenger), trees)
}

fn poseidon2_air() -> Poseidon2Air {
    VectorizedPoseidon2Air::new(RoundConstants::from_rng(&mut SmallRng::seed_from_u64(1)))
}

fn proof() -> Proof<Config> {
    let air = poseidon2_air();
    let trace = air.generate_vectorized_trace_rows(8 << LOG_HEIGHT, SETTINGS.log_blowup);
    prove(&config().0, &air, trace, &[]).unwrap()
}

/// The key that the library gives proofs of an AIR.
fn key<A: StockUniAir<Config>>(air: A) -> String {
    let (config, trees) = config();
    let circuit = StockUni::new(config, trees, (), SETTINGS, air, LOG_HEIGHT).unwrap();
    circuit.air_key().digest().to_string()
}

/// Runs the command in a folder.
fn droste(folder: &TempDir, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_droste"))
        .current_dir(folder)
        .args(arguments.split(' '))
        .env("DROSTE_CACHE", folder.path().join("cache"))
        .output()
        .unwrap()
}

/// Like [`droste`], but must succeed and print JSON, which is returned.
fn json(folder: &TempDir, arguments: &str) -> Value {
    let output = droste(folder, &format!("--format json {arguments}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn said(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap().to_owned()
}

/// Like [`droste`], but must fail with this exit code and a message that contains `words`.
fn fails(folder: &TempDir, arguments: &str, code: i32, words: &str) {
    let output = droste(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {errors}");
    assert!(errors.contains(words), "{arguments}: {errors}");
}

fn write(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(folder.path().join(name), bytes).unwrap();
}

#[test]
fn proofs_of_plonky3_are_wrapped_joined_and_verified() {
    let folder = TempDir::new().unwrap();
    write(&folder, "stock.toml", description("poseidon2", "postcard"));
    write(&folder, "proof", postcard::to_allocvec(&proof()).unwrap());
    // The key is that of the library, for the AIR as the program has it.
    let leaf = json(&folder, "key --stock stock.toml");
    assert_eq!(leaf["key"], key(poseidon2_air()));

    // Before the work, the bits and the weakest term are said; too few are refused.
    let wrap = "wrap proof --stock stock.toml --preset toy -o wrap";
    let output = droste(&folder, wrap);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let bits = leaf["proven_bits"].as_u64().unwrap();
    for words in [
        format!("proof has {bits} proven bits; the weakest term is `"),
        format!("proof: it has {bits} proven bits of security, expected at least 100"),
        "Plonky3's transcript does not bind constraints".to_owned(),
    ] {
        assert!(errors.contains(&words), "{words}: {errors}");
    }
    assert!(!folder.path().join("wrap").exists());
    let wrapped = json(&folder, &format!("{wrap} --min-bits {bits}"));
    // The wrap itself has few bits, too.
    assert!(wrapped["proven_bits"].as_u64().unwrap() <= bits);
    assert_eq!(wrapped["keys_are"], "derived");
    // What the caller described is the leaf.
    assert_eq!(wrapped["accepted_leaves"].as_array().map(Vec::len), Some(1));
    assert!(wrapped["tree"].to_string().contains(&said(&leaf, "key")));

    // Of a wrap, bits are asked if the option says so.
    let again = "wrap wrap --stock stock.toml --preset toy -o again";
    let words = "wrap: it has ";
    fails(&folder, &format!("{again} --min-bits 100"), 1, words);
    assert!(!folder.path().join("again").exists());

    // Keys of such wraps are derived by whoever has the description, and by nobody else.
    let unknown = "AIRs that are not known here";
    fails(&folder, "inspect wrap", 1, unknown);
    let inspected = json(&folder, "inspect wrap --stock stock.toml");
    assert_eq!(inspected["keys_are"], "derived");
    assert_eq!(inspected["claim"], wrapped["claim"]);
    fails(&folder, "join wrap wrap --preset toy -o both", 1, unknown);
    let join = "join wrap wrap --stock stock.toml --preset toy -o both";
    let joined = json(&folder, join);
    let keys = json(
        &folder,
        "keys --from wrap --join 2 --stock stock.toml --preset toy",
    );
    assert_eq!(keys["key"], joined["key"]);

    let verify = format!(
        "verify both --key-set {} --claim {} --leaf {}",
        said(&joined, "key"),
        said(&joined, "claim"),
        said(&leaf, "key"),
    );
    fails(&folder, &verify, 1, "proven bits");
    let verified = json(&folder, &format!("{verify} --min-bits 0"));
    assert_eq!(verified["leaves"], 2);
}

/// One proof in every format, changed and cut, and descriptions of others.
#[test]
fn what_is_no_such_proof_is_refused() {
    let folder = TempDir::new().unwrap();
    let proof = proof();
    let standard = bincode::serde::encode_to_vec(&proof, bincode::config::standard());
    let fixed = bincode::serde::encode_to_vec(&proof, bincode::config::legacy());
    let postcard = postcard::to_allocvec(&proof).unwrap();
    for (format, bytes) in [
        ("bincode", standard.unwrap()),
        ("bincode-fixed", fixed.unwrap()),
        ("json", serde_json::to_vec(&proof).unwrap()),
        ("postcard", postcard.clone()),
    ] {
        write(&folder, format, bytes);
        let name = format!("{format}.toml");
        write(&folder, &name, description("poseidon2", format));
    }
    let refused = |proof: &str, stock: &str, code: i32, words: &str| {
        let wrap = format!("wrap {proof} --stock {stock} --min-bits 0 --preset toy -o none");
        fails(&folder, &wrap, code, words);
    };
    refused(
        "postcard",
        "json.toml",
        1,
        "not the bytes of a proof in json",
    );
    refused("json", "postcard.toml", 1, "postcard");
    write(&folder, "longer", [&postcard[..], b"\0"].concat());
    refused("longer", "postcard.toml", 1, "1 bytes follow the end");
    write(&folder, "shorter", &postcard[..postcard.len() - 1]);
    refused(
        "shorter",
        "postcard.toml",
        1,
        "not the bytes of a proof in postcard",
    );
    // Of another height than the description's, and a proof that is false.
    let four = description("poseidon2", "json");
    write(&folder, "eight.toml", four.replace("rows = 4", "rows = 8"));
    let words = "json: the proof is of 2^2 rows, expected 2^3";
    refused("json", "eight.toml", 1, words);
    let mut changed: Value = serde_json::to_value(&proof).unwrap();
    let opened = &mut changed["opened_values"]["trace_local"];
    let other = opened[1].clone();
    assert_ne!(opened[0], other);
    opened[0] = other;
    write(&folder, "changed", changed.to_string());
    refused("changed", "json.toml", 1, "the proof is not valid");

    // Files of other kinds are what they are, and one proof has one description.
    write(&folder, "program.rs", "pub fn main() {}");
    refused(
        "json --program program.rs",
        "json.toml",
        2,
        "cannot be used with",
    );
    let twice = "json.toml --stock postcard.toml";
    refused("json", twice, 2, "--stock is given 2 times");
    refused("json --public 1", "json.toml", 2, "no public values");
    let without = "wrap json --min-bits 0 --preset toy -o none";
    fails(&folder, without, 2, "--stock");
    let without = "wrap json --preset toy -o none";
    fails(&folder, without, 2, "describe it with --stock");
    let both = "key program.rs --stock json.toml";
    fails(&folder, both, 2, "cannot be used with");
    fails(&folder, "key", 2, "required");
    let wrong = four.replace("degree = 4", "degree = 3");
    write(&folder, "wrong.toml", wrong);
    let words = "wrong.toml: line 4: degree is 3, expected 4 or 5";
    fails(&folder, "key --stock wrong.toml", 1, words);
    fails(&folder, "key --stock missing.toml", 1, "missing.toml");
}

/// The command's keys are those of the AIRs themselves, and every word of a description is in them.
#[test]
fn every_description_has_a_key_of_its_own() {
    let folder = TempDir::new().unwrap();
    let key_of = |text: String| {
        write(&folder, "stock.toml", text);
        said(&json(&folder, "key --stock stock.toml"), "key")
    };
    let plain = |air: &str| description(air, "postcard");
    let mut keys = vec![key_of(plain("keccak-f")), key_of(plain("blake3"))];
    assert_eq!(keys, [key(KeccakAir {}), key(Blake3Air {})]);
    let poseidon2 = plain("poseidon2");
    keys.push(key_of(poseidon2.clone()));
    assert_eq!(keys[2], key(poseidon2_air()));
    let constants: Vec<String> = (0..148).map(|constant| constant.to_string()).collect();
    let constants = format!("constants = [{}]\nrows", constants.join(", "));
    for (part, other) in [
        ("rows = 4", "rows = 8"),
        ("rows", constants.as_str()),
        ("degree = 4", "degree = 5"),
        ("degree = 4", "degree = 4\nfield = \"baby-bear\""),
        ("keccak-sponge", "keccak"),
        ("keccak-sponge", "blake3"),
        ("num_queries = 1", "num_queries = 2"),
        ("cap_height = 3", "cap_height = 2"),
    ] {
        keys.push(key_of(poseidon2.replacen(part, other, 1)));
    }
    let number = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), number);
    // How proofs are encoded is not in the key.
    assert!(keys.contains(&key_of(description("poseidon2", "json"))));
}

/// Wraps of one proof, with its openings by tables and in a batch, have one leaf and two keys, and
/// whoever has the description derives both.
#[test]
#[ignore = "a minute: cargo test -p droste-cli --test stock -- --ignored"]
fn wraps_by_tables_and_in_a_batch_are_joined() {
    let folder = TempDir::new().unwrap();
    write(&folder, "stock.toml", description("poseidon2", "postcard"));
    write(&folder, "proof", postcard::to_allocvec(&proof()).unwrap());
    let options = "--stock stock.toml --preset toy";
    let wrap = |openings: &str| {
        format!("wrap proof {options} --min-bits 0 --openings {openings} -o {openings}")
    };
    let tables = json(&folder, &wrap("tables"));
    let output = droste(&folder, &wrap("batch"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(
        errors.contains("verified in a batch over GF(2^128)"),
        "{errors}"
    );
    let batch = json(&folder, "inspect batch --stock stock.toml");
    assert_eq!(batch["keys_are"], "derived");
    assert_ne!(batch["key"], tables["key"]);
    let leaf = json(&folder, "key --stock stock.toml");
    for wrap in [&tables, &batch] {
        assert!(wrap["tree"].to_string().contains(&said(&leaf, "key")));
    }
    json(&folder, &format!("join tables batch {options} -o both"));
    let again = format!("wrap both {options} --openings batch -o again");
    fails(&folder, &again, 2, "this is an aggregate or a fold");
}
