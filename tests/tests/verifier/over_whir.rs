//! Aggregates whose proofs of canonical shape are over WHIR: leaves are wrapped, wraps joined,
//! joins joined again; keys are derived, files read, and what is false refused by name.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{F, HashId, HashSuite, Poseidon2Suite, Poseidon16Suite};
use droste_verifier::aggregate::{
    Aggregate, AggregateError, AggregateOptions, Aggregator, UnverifiedAggregate, VerifiedProof,
};
use droste_verifier::circuit::{ChildShape, CircuitError, RecursionProof};
use droste_verifier::claim::{AcceptedLeaves, ClaimError};
use droste_verifier::file::{self, FileError};
use droste_verifier::keys::{Children, Deriver, KeysError, Recipe, RecipeError};
use droste_verifier::plan::{LeafProgram, Planner};
use droste_verifier::proofs::{self, Known, ProofError};
use droste_verifier::tape::TapeSuite;
use droste_vm::codec::DecodeError;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{ProveOptions, prove};
use droste_vm::stack::{Stack, StackSettings};
use droste_vm::verifier::{VerifyError, VerifyOptions};
use droste_vm::whir::Proof;
use p3_field::PrimeCharacteristicRing;

fn aggregator() -> Aggregator {
    static AGGREGATOR: LazyLock<Aggregator> =
        LazyLock::new(|| Aggregator::for_preset(Preset::Toy, 2, Stack::Whir).unwrap());
    AGGREGATOR.clone()
}

/// For tests that are about something else than leaves.
const ANY: &AcceptedLeaves = &AcceptedLeaves::Any;

/// Keeps what it derived, for all tests.
static DERIVER: LazyLock<Deriver> = LazyLock::new(Deriver::new);

fn leaf<H: TapeSuite>(n: u32) -> VerifiedProof<droste_vm::prover::Proof<H>>
where
    StandardTables: Provable<H>,
{
    let compiled = compile(droste_programs::source("factorial").unwrap(), &[]).unwrap();
    let execution = execute(&compiled, &[F::from_u32(n)], &Tape::default(), 1 << 16).unwrap();
    let options = ProveOptions {
        settings: *aggregator().leaf_settings(),
        heights: Heights::Minimal,
    };
    let proof = prove::<H>(&compiled.program, &execution, &options).unwrap();
    VerifiedProof::under_its_own_key(proof).unwrap()
}

/// Two wraps and their join, made once.
struct Made {
    wraps: [Aggregate; 2],
    join: Aggregate,
}

static MADE: LazyLock<Made> = LazyLock::new(|| {
    let wraps = [5, 6].map(|n| {
        let wrap = aggregator().wrap(&leaf::<Poseidon16Suite>(n));
        wrap.unwrap()
    });
    let join = aggregator().join(wraps.iter().map(copy).collect()).unwrap();
    Made { wraps, join }
});

fn unverified(aggregate: &Aggregate) -> UnverifiedAggregate {
    file::decode(&file::encode(aggregate).unwrap()).unwrap()
}

fn copy(aggregate: &Aggregate) -> Aggregate {
    unverified(aggregate)
        .pinned(aggregate.key(), AggregateOptions::min_bits(0), ANY)
        .unwrap()
}

fn over_whir(proof: &mut RecursionProof) -> &mut Proof {
    match proof {
        RecursionProof::Whir(proof) => proof,
        RecursionProof::Fri(_) => panic!("a proof over FRI"),
    }
}

#[test]
fn joins_are_joined_again() {
    let Made { wraps, join } = &*MADE;
    for aggregate in [&wraps[0], join] {
        assert_eq!(aggregate.proof().stack(), Stack::Whir);
        assert!(aggregator().is_canonical(aggregate.proof()));
    }
    let outer = aggregator()
        .join(vec![copy(join), copy(&wraps[1])])
        .unwrap();
    assert_eq!(outer.tree().leaves().len(), 3);
    // The join of joins has the key of the join of wraps.
    assert_eq!(outer.proof().key(), join.proof().key());
    let accepted = unverified(&outer)
        .verify(
            outer.key(),
            &outer.claim(),
            AggregateOptions::min_bits(0),
            ANY,
        )
        .unwrap();
    assert_eq!(accepted.accepted(), outer.accepted());
    // All of its keys are those of the programs that they are listed with.
    let derived = unverified(&outer).derive(&DERIVER, ANY).unwrap();
    assert_eq!(derived.keys(), outer.keys());
    let error = unverified(&outer)
        .verify(
            outer.key(),
            &outer.claim(),
            AggregateOptions::min_bits(outer.accepted().bits + 1),
            ANY,
        )
        .unwrap_err();
    assert!(
        matches!(
            error,
            AggregateError::Claim(ClaimError::Security { .. })
                | AggregateError::Verify(VerifyError::Security { .. })
        ),
        "{error}"
    );
}

/// A hash of which R has no tables goes through proofs of intermediate shape, the first of which is
/// over FRI.
#[test]
fn a_proof_in_another_hash_reaches_the_canonical_shape() {
    let wrap = aggregator().wrap(&leaf::<Poseidon2Suite>(5)).unwrap();
    let stacks: Vec<Stack> = wrap.steps().iter().map(|step| step.stack).collect();
    assert_eq!(stacks.first(), Some(&Stack::Fri));
    assert_eq!(stacks.last(), Some(&Stack::Whir));
    assert_eq!(wrap.steps().first().unwrap().hash, Poseidon2Suite::ID);
    unverified(&wrap).derive(&DERIVER, ANY).unwrap();
}

/// Aggregates over one stack are not canonical for an aggregator over the other, and not joined by
/// it.
#[test]
fn stacks_are_not_mixed() {
    let over_fri = Aggregator::for_preset(Preset::Toy, 2, Stack::Fri).unwrap();
    let error = over_fri.join(vec![copy(&MADE.wraps[0])]).unwrap_err();
    assert!(
        matches!(error, AggregateError::OtherShape { child: 0, .. }),
        "{error}"
    );
    // It can bring them to its own canonical shape.
    let canonical = over_fri.to_canonical_shape(copy(&MADE.wraps[0])).unwrap();
    assert_eq!(canonical.proof().stack(), Stack::Fri);
    let derived = unverified(&canonical).derive(&DERIVER, ANY).unwrap();
    assert_eq!(derived.keys(), canonical.keys());
    let error = aggregator().join(vec![canonical]).unwrap_err();
    assert!(
        matches!(error, AggregateError::OtherShape { child: 0, .. }),
        "{error}"
    );
}

#[test]
fn what_does_not_verify_is_no_aggregate() {
    let wrap = &MADE.wraps[0];
    let rejected = |change: &dyn Fn(&mut Proof)| {
        let mut aggregate = unverified(wrap);
        change(over_whir(&mut aggregate.proof));
        aggregate
            .pinned(wrap.key(), AggregateOptions::min_bits(0), ANY)
            .unwrap_err()
    };
    for log_height in [3, 40, usize::MAX] {
        let error = rejected(&|proof| proof.log_heights[0] = log_height);
        let heights = matches!(error, AggregateError::Verify(VerifyError::Heights { .. }));
        assert!(heights, "{error:?}");
    }
    let error = rejected(&|proof| proof.statement[0] += F::ONE);
    assert!(
        matches!(error, AggregateError::Claim(ClaimError::Digest)),
        "{error}"
    );
    let error =
        rejected(&|proof| proof.stark.opening.final_polynomial[0] += droste_native::EF::ONE);
    let opening = matches!(error, AggregateError::Verify(VerifyError::WhirOpening(_)));
    assert!(opening, "{error:?}");
    // A key of another program.
    let error = rejected(&|proof| proof.key.program[0][0] += F::ONE);
    assert!(
        matches!(error, AggregateError::Claim(ClaimError::Root { .. })),
        "{error}"
    );
}

#[test]
fn files_say_their_stack() {
    let honest = file::encode(&MADE.wraps[0]).unwrap();
    assert_eq!(honest[12], 1);
    let mut changed = honest.clone();
    changed[12] = 2;
    assert_eq!(
        file::decode(&changed).unwrap_err(),
        FileError::UnknownStack(2)
    );
    changed[12] = 0;
    file::decode(&changed).unwrap_err();
    let mut long = honest;
    long.resize(file::MAX_BYTES_OVER_WHIR + 1, 0);
    let error = file::decode(&long).unwrap_err();
    assert!(
        matches!(error, FileError::Decode(DecodeError::TooLong { .. })),
        "{error}"
    );
}

/// Keys, bits and recipes of a list are recomputed, whatever the file says.
#[test]
fn forged_lists_are_refused() {
    let join = &MADE.join;
    let refusal = |change: &dyn Fn(&mut usize, &mut Recipe)| {
        let mut aggregate = unverified(join);
        let mut keys = droste_verifier::keys::ClaimedKeys::default();
        for (key, listed) in aggregate.keys.iter() {
            let (mut bits, mut recipe) = (listed.bits, listed.recipe.clone());
            change(&mut bits, &mut recipe);
            keys.insert(key, bits, recipe);
        }
        aggregate.keys = keys;
        aggregate.derive(&DERIVER, ANY).unwrap_err()
    };
    let error = refusal(&|bits, _| *bits += 1);
    assert!(
        matches!(error, AggregateError::Keys(KeysError::Bits { .. })),
        "{error}"
    );
    let error = refusal(&|_, recipe| {
        if let StackSettings::Whir(settings) = &mut recipe.settings {
            settings.security_level += 1;
        }
    });
    assert!(
        matches!(error, AggregateError::Keys(KeysError::Forged { .. })),
        "{error}"
    );

    type Change = fn(&mut Recipe);
    // Recipes of other keys: the program is proved at other heights, or verifies other proofs.
    let others: [Change; 3] = [
        |recipe| recipe.heights = Heights::Minimal,
        |recipe| recipe.heights = Heights::Uniform(15),
        |recipe| child_shape(recipe).fixed = false,
    ];
    for (number, change) in others.into_iter().enumerate() {
        let error = refusal(&|_, recipe| change(recipe));
        assert!(
            matches!(error, AggregateError::Keys(KeysError::Forged { .. })),
            "{number}: {error}"
        );
    }

    let out_of_range: [Change; 6] = [
        |recipe| over(&mut recipe.settings).log_block = 60,
        |recipe| over(&mut recipe.settings).log_blowup = 8,
        |recipe| over(&mut recipe.settings).security_level = 0,
        |recipe| over(&mut child_shape(recipe).settings).cap_height = 16,
        |recipe| over(&mut child_shape(recipe).settings).later_fold = 8,
        |recipe| over(&mut child_shape(recipe).settings).log_block = usize::MAX,
    ];
    let of_join = join
        .keys()
        .claimed()
        .iter()
        .find_map(|(key, listed)| (key == join.proof().key()).then(|| listed.recipe.clone()));
    let of_join = of_join.unwrap();
    of_join.check().unwrap();
    for (number, change) in out_of_range.into_iter().enumerate() {
        let mut recipe = of_join.clone();
        change(&mut recipe);
        let error = recipe.check().unwrap_err();
        assert!(
            matches!(
                error,
                RecipeError::Settings(_) | RecipeError::TooLarge { .. }
            ),
            "{number}: {error}"
        );
    }
    // A program that verifies proofs in a byte hash has a table of which there are no proofs over
    // WHIR.
    let mut recipe = of_join.clone();
    let Children::Programs { shape, count } = &mut recipe.children else {
        panic!("a recipe of AIRs")
    };
    (shape.hash, *count) = (HashId::Keccak, 1);
    let error = recipe.derive().unwrap_err();
    assert!(
        matches!(error, RecipeError::Circuit(CircuitError::Key(_))),
        "{error}"
    );
    // Tables that R does not have.
    let mut recipe = of_join;
    child_shape(&mut recipe).tables[1] = "keccak".to_owned();
    let error = recipe.derive().unwrap_err();
    assert!(
        matches!(error, RecipeError::Circuit(CircuitError::ChildMachine(_))),
        "{error}"
    );
}

/// Leaves over WHIR in every hash: their files are refused by name unless they are what they say,
/// natively and in the machine, and they are wrapped.
#[test]
fn leaves_are_wrapped_in_every_hash() {
    let program = |name| compile(droste_programs::source(name).unwrap(), &[]).unwrap();
    let (factorial, other) = (program("factorial"), program("fibonacci"));
    let public = [F::from_u32(5)];
    let execution = execute(&factorial, &public, &Tape::default(), 1 << 16).unwrap();
    let options = VerifyOptions::min_bits(0);
    let planner = Planner::new(Deriver::new());
    let mut keys = BTreeSet::new();
    for hash in HashId::ALL {
        let made = proofs::prove(hash, &factorial, &execution, &public, WhirSettings::toy());
        let made = made.unwrap();
        assert_eq!((made.says.hash, made.says.stack), (hash, Stack::Whir));
        let known = |program| Known::Program(program);
        let verify = |bytes: &[u8], program| proofs::verify(bytes, program, &public, options);
        let says = verify(&made.bytes, known(&factorial.program)).unwrap();
        assert_eq!(says.key, made.says.key);
        let claimed = proofs::claimed(&made.bytes).unwrap();
        assert_eq!((claimed.hash, claimed.stack), (hash, Stack::Whir));
        let of_key = |settings: WhirSettings| {
            proofs::key(hash, &factorial, settings, Heights::Minimal)
                .unwrap()
                .0
        };
        assert_eq!(of_key(WhirSettings::toy()), claimed.key);
        // Keys differ by hash.
        assert!(keys.insert(claimed.key));

        let refused = |result: Result<_, ProofError>| match result.unwrap_err() {
            ProofError::Verify(error) => error,
            error => panic!("{hash}: {error}"),
        };
        let error = refused(verify(&made.bytes, known(&other.program)));
        assert!(matches!(
            error,
            VerifyError::Key { .. } | VerifyError::ProgramHeight { .. }
        ));
        let another = WhirSettings {
            cap_height: 1,
            ..WhirSettings::toy()
        };
        let error = refused(verify(&made.bytes, Known::Key(of_key(another))));
        assert!(matches!(error, VerifyError::Key { .. }));
        let limit = options.with_limit(1 << 13);
        let limited = proofs::verify(&made.bytes, known(&factorial.program), &public, limit);
        assert!(matches!(refused(limited), VerifyError::Limit { .. }));

        // The header says another hash, another version, or another stack.
        let with = |at: usize, byte: u8| {
            let mut bytes = made.bytes.clone();
            bytes[at] = byte;
            match verify(&bytes, known(&factorial.program)).unwrap_err() {
                ProofError::Decode(error) => error,
                error => panic!("{hash}: {error}"),
            }
        };
        assert_eq!(with(12, 4), DecodeError::UnknownHash(4));
        let (expected, found) = (4, 3);
        assert_eq!(with(8, 3), DecodeError::Version { expected, found });
        assert!(matches!(with(7, b'p'), DecodeError::Version { .. }));
        for number in (0..4).filter(|&number| number != made.bytes[12]) {
            let mut bytes = made.bytes.clone();
            bytes[12] = number;
            verify(&bytes, known(&factorial.program)).unwrap_err();
        }
        // Bytes everywhere, each of which is part of something that is checked.
        for at in (13..made.bytes.len()).step_by(made.bytes.len() / 150) {
            let mut bytes = made.bytes.clone();
            bytes[at] ^= 1;
            verify(&bytes, known(&factorial.program)).unwrap_err();
        }

        // The machine accepts it; the run is not proved here.
        let program = LeafProgram::new(factorial.clone());
        let leaf = planner.proof(&made.bytes, &program, &public, options);
        assert_eq!(leaf.unwrap().hash(), hash);
        // Keccak's tables take long.
        if hash == HashId::Keccak {
            continue;
        }
        let wrap = aggregator().wrap_bytes(&made.bytes, &factorial, &public, options);
        let wrap = wrap.unwrap();
        assert!(aggregator().is_canonical(wrap.proof()));
        assert_eq!(wrap.tree().leaves()[0].0, claimed.key);
        let of_leaves = unverified(&wrap).keys_of_leaves(&factorial, options);
        assert_eq!(of_leaves.unwrap(), BTreeSet::from([claimed.key]));
        unverified(&wrap).derive(&DERIVER, ANY).unwrap();
    }
}

fn over(settings: &mut StackSettings) -> &mut droste_native::whir::WhirSettings {
    match settings {
        StackSettings::Whir(settings) => settings,
        StackSettings::Fri(_) => panic!("settings of FRI"),
    }
}

fn child_shape(recipe: &mut Recipe) -> &mut ChildShape {
    match &mut recipe.children {
        Children::Programs { shape, .. } => shape,
        Children::Airs { .. } => panic!("a recipe of AIRs"),
    }
}
