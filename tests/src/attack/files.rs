//! Files that attacks change: a proof in each hash, an aggregate that wraps each of these, a join,
//! the membership of a leaf in its claim, and a fold.

use std::sync::LazyLock;

use droste_native::changes::{Node, tree};
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{
    Blake3Suite, F, FriSettings, HashId, HashSuite, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
    with_suite,
};
use droste_verifier::aggregate::{Aggregate, AggregateOptions, Aggregator, VerifiedProof};
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file::{self, member};
use droste_verifier::fold::{Child, Fold, Folded, Options, Source};
use droste_verifier::keys::{ClaimedKeys, Recipe};
use droste_verifier::member::Membership;
use droste_verifier::tape::TapeSuite;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{self, Proof, ProveOptions, Verifier, prove};
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::verifier::VerifyOptions;
use p3_field::PrimeCharacteristicRing;

use super::errors::{Rejection, chain};
use super::mutate::Fields;

/// Settings under which a proof has every part that proofs can have: proof of work at every site,
/// caps, several folding rounds, a final polynomial. It is no forgery if another nonce passes the
/// queries' proof of work and leads to the same queries, but it would be reported: that has a
/// chance of at most 2^-22.
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

/// Makes wraps and joins of two, whose proofs have work at every site.
fn aggregator() -> Aggregator {
    let of_preset = Aggregator::for_preset(Preset::Toy, 2);
    let settings = WhirSettings {
        grinding_bits: 2,
        cap_height: 1,
        ..*of_preset.settings()
    };
    Aggregator::new(settings, of_preset.log_heights().to_vec())
}

/// Marks files that differ from the honest one only in the recipes of keys.
pub const UNBOUND: &str = "(the same aggregate with other recipes, for derivation to compare)";
/// Marks such files whose recipes are those of no program.
pub const UNDERIVABLE: &str = "(the same aggregate with recipes of no program)";

/// Marks changed files that decode, to what encoding writes so.
pub const DECODED: &str = "(decoded)";

/// A small program, whose statement uses all eight elements.
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

/// Verifies a file, and returns why it is rejected.
pub(super) type Judge = Box<dyn Fn(&[u8]) -> Result<(), Rejection> + Send + Sync>;

/// An accepted file, its fields and its verifier.
pub struct File {
    /// Name of the file.
    pub name: String,
    /// Bytes of the file.
    pub bytes: Vec<u8>,
    /// Another accepted file of the same kind.
    pub donor: Vec<u8>,
    /// Number of bytes before the fields.
    pub header: usize,
    /// Fields of the file.
    pub fields: Fields,
    judge: Judge,
}

impl File {
    /// Takes apart two files of one kind.
    ///
    /// # Panics
    /// If the tree of a value does not encode to the value's file, or the first file is not
    /// accepted.
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
            "{name}: the tree does not encode to the file"
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

    /// Verifies the file with `bytes` in place of its own.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn judge(&self, bytes: &[u8]) -> Result<(), Rejection> {
        (self.judge)(bytes)
    }
}

/// Returns a proof of [`PROGRAM`] on one input.
///
/// # Panics
/// If the program cannot be compiled, run or proved.
pub fn leaf<H: HashSuite>(input: u32, settings: FriSettings) -> Proof<H>
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

fn taken_apart<H: HashSuite>(proof: &Proof<H>) -> (Vec<u8>, Node) {
    let bytes = fri::encode(proof).expect("a proof is written");
    (
        bytes,
        tree(proof).expect("a proof consists of types that files have"),
    )
}

/// Returns a proof in hash `H`, verified under the honest key. If the key in a changed file is
/// another one, the file is also verified under that key, as a careless caller would do.
fn proof_file<H: HashSuite>() -> File
where
    StandardTables: Provable<H>,
{
    let [honest, donor] = [5, 6].map(|input| leaf::<H>(input, SETTINGS));
    let verifier = Verifier::<H, StandardTables>::new(honest.key.clone()).expect("a good key");
    let statement = honest.statement;
    let judge = move |bytes: &[u8]| {
        let proof = fri::decode::<H>(bytes).map_err(|error| Rejection::of(&error))?;
        let refused = match verifier.verify(&statement, VerifyOptions::min_bits(0), &proof) {
            Ok(_) => return Ok(()),
            Err(refused) => refused,
        };
        if proof.key == *verifier.key() {
            return Err(Rejection::of(&refused));
        }
        let own = Verifier::<H, StandardTables>::new(proof.key.clone());
        match own.and_then(|own| own.verify(&[], VerifyOptions::min_bits(0), &proof)) {
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
    (
        bytes,
        tree(&content).expect("an aggregate consists of types that files have"),
    )
}

/// Returns an aggregate, verified against the digest of its key set and its claim. This digest
/// binds keys and proven bits but not the recipes from which keys are derived: a file of which only
/// recipes were changed is the same aggregate for a caller who knows the digest. A caller who does
/// not know it derives the keys from the recipes (tested by `aggregate` in `tests/tests`). Such
/// files have a name of their own here.
fn aggregate_file(name: &str, honest: &Aggregate, donor: &Aggregate) -> File {
    let (key, claim) = (honest.key(), honest.claim());
    let (tree, made_from) = (honest.tree().clone(), recipes(honest.keys().claimed()));
    let judge = move |bytes: &[u8]| {
        let aggregate = file::decode(bytes).map_err(|error| Rejection::of(&error))?;
        let changed = recipes(&aggregate.keys) != made_from;
        let verdict = aggregate.verify(
            key,
            &claim,
            AggregateOptions::min_bits(0),
            &AcceptedLeaves::Any,
        );
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

/// Returns the membership of the second leaf of an aggregate, verified against the digest of its
/// key set and its claim. No other leaf has the same parent, so no change shows another leaf.
fn member_file(honest: &Aggregate, donor: &Aggregate) -> File {
    let (key, claim) = (honest.key(), honest.claim());
    let judge = move |bytes: &[u8]| {
        let member = member::decode(bytes).map_err(|error| Rejection::of(&error))?;
        let verdict = member.verify(
            &claim,
            key,
            VerifyOptions::min_bits(0),
            &AcceptedLeaves::Any,
        );
        verdict.map(|_| ()).map_err(|error| Rejection::of(&error))
    };
    let apart = |aggregate: &Aggregate| {
        let member = Membership::new(aggregate.tree(), aggregate.keys().claimed(), 1)
            .expect("there are two leaves");
        let bytes = member::encode(&member).expect("a membership is written");
        (
            bytes,
            tree(&member).expect("a membership consists of types that files have"),
        )
    };
    File::new(
        "membership".to_owned(),
        apart(honest),
        apart(donor),
        Box::new(judge),
    )
}

/// A fold without leaves, and nodes of it: one above the first, and one more.
struct Chain {
    fold: Fold,
    honest: Folded,
    donor: Folded,
}

static CHAIN: LazyLock<Chain> = LazyLock::new(|| {
    let text = droste_programs::fold_source("repeat").expect("there is such an example");
    let source = Source::new("repeat", text).expect("a name of a module");
    let fold = Fold::of(source, Preset::Toy)
        .build()
        .expect("the rules compile");
    let mut first = Tape::default();
    first.slice(&[[F::TWO; 8]]);
    let start = fold.prove("start", &[], &first).expect("any first value");
    let step = |before: &Folded| {
        let children = [Child::Node(before)];
        let node = fold.prove("step", &children, &Tape::default());
        node.expect("an honest node is a child")
    };
    let honest = step(&start);
    let donor = step(&honest);
    Chain {
        fold,
        honest,
        donor,
    }
});

fn fold_apart(folded: &Folded) -> (Vec<u8>, Node) {
    let bytes = file::fold::encode(folded).expect("a fold is written");
    let content = tree(&file::fold::content(folded));
    (
        bytes,
        content.expect("a fold consists of types that files have"),
    )
}

/// Returns the file of a fold, verified against the fold key. Counters, state and proof of the donor
/// are others, so two changes do not make its file.
fn fold_file() -> File {
    let key = CHAIN.fold.key();
    let judge = move |bytes: &[u8]| {
        let fold = file::fold::decode(bytes).map_err(|error| Rejection::of(&error))?;
        let verdict = fold.verify(key, &Options::min_bits(0));
        verdict.map(|_| ()).map_err(|error| Rejection::of(&error))
    };
    let (honest, donor) = (fold_apart(&CHAIN.honest), fold_apart(&CHAIN.donor));
    File::new("fold".to_owned(), honest, donor, Box::new(judge))
}

/// Makes the verifier of a file that is only decoded: `again` decodes bytes and encodes what it
/// found. Bytes that encoding would not write are a forgery if they decode.
fn decoding(
    honest: &[u8],
    again: impl Fn(&[u8]) -> Result<Vec<u8>, Rejection> + Send + Sync + 'static,
) -> Judge {
    let honest = honest.to_vec();
    Box::new(move |bytes| {
        if again(bytes)? == bytes && bytes != honest {
            Err(Rejection(DECODED.into()))
        } else {
            Ok(())
        }
    })
}

fn proof_to_decode<H: HashSuite>() -> File
where
    StandardTables: Provable<H>,
{
    let [honest, donor] = [5, 6].map(|input| taken_apart(&leaf::<H>(input, SETTINGS)));
    let again = |bytes: &[u8]| {
        let proof = fri::decode::<H>(bytes).map_err(|error| Rejection::of(&error))?;
        fri::encode(&proof).map_err(|error| Rejection(error.to_string()))
    };
    let judge = decoding(&honest.0, again);
    File::new(format!("proof in {}", H::NAME), honest, donor, judge)
}

fn aggregate_to_decode(name: &str, honest: &Aggregate, donor: &Aggregate) -> File {
    let (honest, donor) = (aggregate_apart(honest), aggregate_apart(donor));
    let again = |bytes: &[u8]| {
        let aggregate = file::decode(bytes).map_err(|error| Rejection::of(&error))?;
        file::encode_unverified(&aggregate).map_err(|error| Rejection::of(&error))
    };
    let judge = decoding(&honest.0, again);
    File::new(name.to_owned(), honest, donor, judge)
}

fn fold_to_decode() -> File {
    let (honest, donor) = (fold_apart(&CHAIN.honest), fold_apart(&CHAIN.donor));
    let again = |bytes: &[u8]| {
        let fold = file::fold::decode(bytes).map_err(|error| Rejection::of(&error))?;
        file::fold::encode_unverified(&fold).map_err(|error| Rejection::of(&error))
    };
    let judge = decoding(&honest.0, again);
    File::new("fold".to_owned(), honest, donor, judge)
}

fn recipes(keys: &ClaimedKeys) -> Vec<Recipe> {
    keys.iter()
        .map(|(_, listed)| listed.recipe.clone())
        .collect()
}

fn verified<H: TapeSuite>(proof: Proof<H>) -> VerifiedProof<Proof<H>>
where
    StandardTables: Provable<H>,
{
    VerifiedProof::under_its_own_key(proof).expect("an honest proof is accepted")
}

fn wrap<H: TapeSuite>(input: u32) -> Aggregate
where
    StandardTables: Provable<H>,
{
    // At the least heights that fit.
    let aggregator = Aggregator::new(*aggregator().settings(), vec![]);
    let proof = leaf::<H>(input, SETTINGS);
    aggregator
        .first_step(&verified(proof))
        .expect("an honest proof is wrapped")
}

/// Returns a proof in each hash.
pub fn proofs() -> Vec<File> {
    vec![
        proof_file::<Poseidon16Suite>(),
        proof_file::<Poseidon2Suite>(),
        proof_file::<Blake3Suite>(),
        proof_file::<KeccakSuite>(),
    ]
}

/// Returns an aggregate for each of these hashes, which wraps a proof in it.
pub fn wraps(hashes: &[HashId]) -> Vec<File> {
    let donor = wrap::<Poseidon16Suite>(6);
    let honest = |hash| with_suite!(hash, H => wrap::<H>(5));
    let file = |&hash: &HashId| {
        let name = format!("wrap of {hash}");
        aggregate_file(&name, &honest(hash), &donor)
    };
    hashes.iter().map(file).collect()
}

/// Returns an aggregate that joins two wraps, the membership of a leaf in its claim, and a fold.
pub fn others() -> [File; 3] {
    let aggregator = aggregator();
    let wrapped = |input| {
        let proof = leaf::<Poseidon16Suite>(input, SETTINGS);
        aggregator
            .wrap(&verified(proof))
            .expect("it is brought to the canonical shape")
    };
    let join = |inputs: [u32; 2]| {
        let children = inputs.map(wrapped).into();
        aggregator
            .join(children)
            .expect("honest aggregates are joined")
    };
    let (honest, donor) = (join([5, 6]), join([6, 7]));
    [
        aggregate_file("join", &honest, &donor),
        member_file(&honest, &donor),
        fold_file(),
    ]
}

/// Returns files of every format for the decoder alone, which is quicker than verifying: proofs
/// with both kinds of digests, an aggregate, and a fold.
///
/// # Panics
/// If an honest proof is not made.
pub fn to_decode() -> Vec<File> {
    let [five, six] = [5, 6].map(wrap::<Poseidon16Suite>);
    vec![
        proof_to_decode::<Poseidon16Suite>(),
        proof_to_decode::<Blake3Suite>(),
        aggregate_to_decode("wrap", &five, &six),
        fold_to_decode(),
    ]
}
