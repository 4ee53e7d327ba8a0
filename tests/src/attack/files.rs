//! Files to be changed: a proof in each hash, an aggregate that wraps each, and a join.

use droste_native::{
    Blake3Family, F, FriSettings, HashFamily, HashId, KeccakFamily, Poseidon16Family,
};
use droste_verifier::aggregate::{Aggregate, Aggregator, VerifiedProof};
use droste_verifier::file;
use droste_verifier::keys::{ClaimedKeys, Recipe};
use droste_verifier::tape::TapeFamily;
use droste_vm::codec;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveOptions, prove};
use droste_vm::verifier::Verifier;
use p3_field::PrimeCharacteristicRing;

use super::errors::{Rejection, chain};
use super::mutate::Fields;
use super::tree::{Node, tree};

/// Settings with which every part of a proof is there: proof of work at every site, caps, several
/// folding rounds, a final polynomial. That another nonce passes the queries' proof of work and
/// leads to the same queries, which is no forgery, has a chance of 2^-22 at most.
pub const SETTINGS: FriSettings = FriSettings {
    log_blowup: 1,
    log_final_poly_len: 1,
    max_log_arity: 2,
    num_queries: 2,
    batch_grinding_bits: 1,
    commit_grinding_bits: 1,
    query_grinding_bits: 8,
    lookup_grinding_bits: 1,
    ood_grinding_bits: 1,
    cap_height: 1,
};

/// Heights of R's tables, cpu, ext, poseidon16, program, words, blocks, at which a join of two
/// proofs with these settings fits.
const HOME: [usize; 6] = [14, 14, 13, 14, 14, 14];

/// Name of files that differ in what a key is said to be made from, and in nothing else.
pub const UNBOUND: &str = "(the same aggregate, other recipes: for derivation to compare)";
/// The same where derivation would not begin.
pub const UNDERIVABLE: &str = "(the same aggregate, recipes of no program)";

/// A small program, whose statement has no lane to spare.
pub const PROGRAM: &str = "
use droste_gadgets::prelude::*;

pub fn main() {
    let n = public_input();
    let mut x = Felt::ONE;
    for _i in count_to(n) {
        x = x * n + Felt::ONE;
    }
    for i in 0..7 {
        reveal(x + felt(i));
    }
}
";

/// Says why bytes are rejected, if they are.
pub(super) type Judge = Box<dyn Fn(&[u8]) -> Result<(), Rejection> + Send + Sync>;

/// A file that is accepted, taken apart, and its verifier.
pub struct File {
    /// What it is.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Another accepted file of the same kind.
    pub donor: Vec<u8>,
    /// Bytes before the fields.
    pub header: usize,
    /// Its fields.
    pub fields: Fields,
    judge: Judge,
}

impl File {
    /// The fields of two files of one kind.
    ///
    /// # Panics
    /// If the tree of a value does not encode to its file, or the first file is not accepted.
    pub(super) fn new(
        name: String,
        honest: (Vec<u8>, Node),
        donor: (Vec<u8>, Node),
        judge: Judge,
    ) -> Self {
        let (bytes, body) = honest;
        let mut encoded = vec![];
        body.encode(&mut encoded);
        assert!(
            bytes.ends_with(&encoded),
            "{name}: the tree is not the file's"
        );
        assert_eq!(judge(&bytes), Ok(()), "{name}");
        Self {
            header: bytes.len() - encoded.len(),
            name,
            bytes,
            donor: donor.0,
            fields: Fields::new(body, donor.1),
            judge,
        }
    }

    /// Whether the file is accepted if it has these bytes.
    ///
    /// # Errors
    /// Why it is not.
    pub fn judge(&self, bytes: &[u8]) -> Result<(), Rejection> {
        (self.judge)(bytes)
    }
}

/// A proof of [`PROGRAM`] on one input.
///
/// # Panics
/// If there is none.
pub fn leaf<H: HashFamily>(input: u32, settings: FriSettings) -> Proof<H>
where
    StandardTables: Provable<H>,
{
    let compiled = compile(PROGRAM, &[]).expect("the program compiles");
    let inputs = [F::from_u32(input)];
    let execution = execute(&compiled, &inputs, &Tape::default(), 1 << 16).expect("it runs");
    let options = ProveOptions {
        settings,
        heights: Heights::Minimal,
    };
    prove(&compiled.program, &execution, &options).expect("an honest run is proved")
}

fn taken_apart<H: HashFamily>(proof: &Proof<H>) -> (Vec<u8>, Node) {
    let bytes = codec::encode(proof).expect("a proof is written");
    (bytes, tree(proof).expect("a proof is a value of files"))
}

/// A proof in hash `H`, under its verifier's key. Where the key in the file is another, the verifier
/// of that key, which a careless caller would ask, is asked too.
fn proof_file<H: HashFamily>() -> File
where
    StandardTables: Provable<H>,
{
    let [honest, donor] = [5, 6].map(|input| leaf::<H>(input, SETTINGS));
    let verifier = Verifier::<H, StandardTables>::new(honest.key.clone()).expect("a good key");
    let statement = honest.statement;
    let judge = move |bytes: &[u8]| {
        let proof = codec::decode::<H>(bytes).map_err(|error| Rejection::of(&error))?;
        let refused = match verifier.verify(&statement, 0, &proof) {
            Ok(_) => return Ok(()),
            Err(refused) => refused,
        };
        if proof.key == *verifier.key() {
            return Err(Rejection::of(&refused));
        }
        let own = Verifier::<H, StandardTables>::new(proof.key.clone());
        match own.and_then(|own| own.verify(&[], 0, &proof)) {
            Ok(_) => Ok(()),
            Err(error) => Err(Rejection(format!(
                "{}, by its own key {}",
                chain(&refused),
                chain(&error)
            ))),
        }
    };
    File::new(
        format!("proof in {}", H::NAME),
        taken_apart(&honest),
        taken_apart(&donor),
        Box::new(judge),
    )
}

fn aggregate_apart(aggregate: &Aggregate) -> (Vec<u8>, Node) {
    let bytes = file::encode(aggregate).expect("an aggregate is written");
    let content = file::content(aggregate).expect("an aggregate is written");
    (bytes, tree(&content).expect("a value of files"))
}

/// An aggregate, under the digest of its keys and its claim. That digest binds keys and bits, not
/// recipes, what keys are said to be made from: a file of which only those are changed is the same
/// aggregate to who brings a digest. Who brings none derives the keys from them (`aggregate` in
/// `verifier/tests`). Such files have a name of their own here.
fn aggregate_file(name: &str, honest: &Aggregate, donor: &Aggregate) -> File {
    let (key, claim) = (honest.key(), honest.claim());
    let (tree, made_from) = (honest.tree().clone(), recipes(honest.keys().claimed()));
    let judge = move |bytes: &[u8]| {
        let aggregate = file::decode(bytes).map_err(|error| Rejection::of(&error))?;
        let changed = recipes(&aggregate.keys) != made_from;
        let verdict = aggregate.verify(key, &claim, 0);
        let accepted = verdict.map_err(|error| Rejection::of(&error))?;
        if !changed || *accepted.tree() != tree || accepted.key() != key {
            return Ok(());
        }
        let listed = recipes(accepted.keys().claimed());
        Err(Rejection(
            match listed.iter().find_map(|recipe| recipe.check().err()) {
                Some(_) => UNDERIVABLE.into(),
                None => UNBOUND.into(),
            },
        ))
    };
    File::new(
        name.to_owned(),
        aggregate_apart(honest),
        aggregate_apart(donor),
        Box::new(judge),
    )
}

fn recipes(keys: &ClaimedKeys) -> Vec<Recipe> {
    keys.iter()
        .map(|(_, listed)| listed.recipe.clone())
        .collect()
}

fn verified<H: HashFamily>(proof: Proof<H>) -> VerifiedProof<H>
where
    StandardTables: Provable<H>,
{
    VerifiedProof::under_its_own_key(proof).expect("an honest proof is accepted")
}

fn wrap<H: TapeFamily>(input: u32) -> Aggregate
where
    StandardTables: Provable<H>,
{
    let aggregator = Aggregator::new(SETTINGS, HOME.to_vec());
    let proof = leaf::<H>(input, SETTINGS);
    aggregator
        .wrap_at_natural_heights(&verified(proof))
        .expect("an honest proof is wrapped")
}

/// A proof in each hash.
pub fn proofs() -> Vec<File> {
    vec![
        proof_file::<Poseidon16Family>(),
        proof_file::<Blake3Family>(),
        proof_file::<KeccakFamily>(),
    ]
}

/// An aggregate that wraps a proof in each of these hashes.
pub fn wraps(hashes: &[HashId]) -> Vec<File> {
    let donor = wrap::<Poseidon16Family>(6);
    let honest = |hash| match hash {
        HashId::Poseidon16 => wrap::<Poseidon16Family>(5),
        HashId::Blake3 => wrap::<Blake3Family>(5),
        HashId::Keccak => wrap::<KeccakFamily>(5),
    };
    let file = |&hash: &HashId| {
        let name = format!("wrap of {hash}");
        aggregate_file(&name, &honest(hash), &donor)
    };
    hashes.iter().map(file).collect()
}

/// An aggregate that joins two wraps.
pub fn join() -> File {
    let aggregator = Aggregator::new(SETTINGS, HOME.to_vec());
    let wrapped = |input| {
        let proof = leaf::<Poseidon16Family>(input, SETTINGS);
        aggregator
            .wrap(&verified(proof), |_| ())
            .expect("it is brought home")
    };
    let join = |inputs: [u32; 2]| {
        let children = inputs.map(wrapped).into();
        aggregator
            .join(children)
            .expect("honest aggregates are joined")
    };
    aggregate_file("join", &join([5, 6]), &join([6, 7]))
}
