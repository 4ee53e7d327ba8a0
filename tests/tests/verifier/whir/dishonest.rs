//! For every check of the verifier of proofs over WHIR a false proof that breaks just this check.
//!
//! A dishonest prover ([`super::prover`]) says one false thing and goes on by the book. The native verifier names
//! the check by its error; the program in the machine by the place where its run fails. In Keccak,
//! the leaves of later commitments are hashed in two runs.
//!
//! | assertion in `droste_gadgets::verify` | nothing else refuses |
//! |---|---|
//! | `gkr`: `halves.numerator()` is zero | [`fractions_that_do_not_add_up_to_zero`], of two leaves |
//! | `gkr`: `product` has an inverse | the same, with a denominator of zero |
//! | `gkr`: the claim of a layer | coefficients of a layer's rounds, and its values but for the last layer's |
//! | `whir`: `total` is `sum` | coefficients of the zerocheck |
//! | `whir`: the final equation | values outside the domain, opened values that no constraint reads, messages of sumcheck, [`commitments_to_something_else`] |
//! | `query`: root and path | digests of a cap, [`leaves_and_paths`] |
//! | `query`: the final polynomial | [`commitments_to_something_else`], the last one |
//! | `rows`: the combined leaf | [`a_combination_of_no_leaves`] |
//! | `duplex`, `bytes`: low bits are zero | nonces |
//! | `block`: lanes 5 to 7 of an element are zero | [`elements_that_are_none`] |
//! | all others | depend on the shape alone: [`super::shapes`] |
//!
//! Values that more than one check binds are here, too: then the first check is the one that is
//! named.

use std::collections::{BTreeMap, BTreeSet};

use droste_gadgets::prelude::reveal;
use droste_gadgets::record::{Prover, RecordError, record};
use droste_gadgets::suites::hash::Challenger;
use droste_gadgets::verify::recursion::over_whir;
use droste_gadgets::verify::whir::gkr;
use droste_gadgets::verify::whir::opening::query::pieces;
use droste_gadgets::{Hint, NativeTape, SOURCES};
use droste_native::field::EXTENSION_DEGREE;
use droste_native::gkr::{Fraction, GkrProof};
use droste_native::stark::challenger::{Decommitted, Sent};
use droste_native::stark::suite::SuiteCap;
use droste_native::whir::{OpenedTree, Queries};
use droste_native::{EF, F, KeccakSuite, Poseidon16Suite};
use droste_verifier::circuit::CircuitError;
use droste_verifier::tape::{Answers, TapeError, TapeSuite, observed};
use droste_vm::compiler::compile_file;
use droste_vm::machine::StandardTables;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::expressions::{Leaf, Row};
use droste_vm::whir::{Proof, Verifier};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_matrix::dense::RowMajorMatrix;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::check::{Check, failure, fault_in_the_machine};
use super::prover::{Case, DishonestSuite, Lies, copy, elements};
use super::verifier_key;

/// What goes wrong with a proof that only this check should refuse, natively and in the machine.
fn faults<H: DishonestSuite>(
    case: &Case<H>,
    verifier: &Verifier<StandardTables, H>,
    proof: &Proof<H>,
    check: Check,
) -> Vec<String> {
    let mut faults = vec![];
    match verifier.verify(&[], VerifyOptions::min_bits(0), proof) {
        Ok(_) => faults.push("the native verifier accepts".to_owned()),
        Err(error) if Check::of(&error) != Some(check) => faults.push(format!("{error:?}")),
        Err(_) => {}
    }
    let tape = match case.circuit.tape(&[proof]) {
        Ok(tape) => tape,
        Err(CircuitError::Tape(TapeError::Rejected { tape, .. })) => tape,
        Err(error) => {
            faults.push(format!("there is no tape: {error}"));
            return faults;
        }
    };
    faults.extend(fault_in_the_machine(case.circuit.compiled(), &tape, check));
    faults
}

/// What goes wrong with a false proof of this name that only this check should refuse.
pub type Refuse<'a, H> = &'a dyn Fn(&Case<H>, &str, &Proof<H>, Check) -> Vec<String>;

/// Natively and in the machine.
fn refuse<H: DishonestSuite>(
    case: &Case<H>,
    name: &str,
    proof: &Proof<H>,
    check: Check,
) -> Vec<String> {
    let faults = faults(case, &case.verifier, proof, check);
    faults
        .iter()
        .map(|fault| format!("{name}: expected {check:?}, {fault}"))
        .collect()
}

#[track_caller]
fn report(faults: &[String]) {
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A digest that differs from this one.
fn changed<H: DishonestSuite>(digest: &H::Digest) -> H::Digest {
    let mut elements = H::digest_elements(digest);
    elements[7] += F::ONE;
    H::digest(&elements)
}

/// The check that refuses a false value of this name.
fn check_of<H: DishonestSuite>(case: &Case<H>, name: &str) -> Check {
    let words: Vec<&str> = name.split(' ').collect();
    let number = || words[1].parse().unwrap();
    match words[0] {
        "opened" if !is_read(case, name) => Check::FinalEquation,
        "statement" | "zerocheck" | "opened" => Check::Constraints,
        "root" => Check::Sum,
        "layer" => Check::Layer(number()),
        "commitment" => Check::Path(number(), 0),
        "queries" => Check::Work("queries"),
        "lookups" => Check::Work("lookups"),
        _ if name.contains("nonce") => Check::Work("a sumcheck challenge"),
        _ if name.starts_with("final polynomial") => Check::FinalPolynomial,
        _ => Check::FinalEquation,
    }
}

/// Whether an expression reads an opened value. Next rows are opened in more columns than are read
/// there, so that their number is a power of two.
fn is_read<H: DishonestSuite>(case: &Case<H>, name: &str) -> bool {
    let words: Vec<&str> = name.split(' ').collect();
    let table: usize = words[1].parse().unwrap();
    let slot: usize = words.last().unwrap().parse().unwrap();
    let table = &case.verifier.system().tables()[table];
    let row = match words[3] {
        "next" => Row::Next,
        _ => Row::Current,
    };
    table.expressions.leaves().iter().any(|leaf| match *leaf {
        Leaf::Main(of, column) => (words[2], row, slot) == ("main", of, table.main.slot(column)),
        Leaf::Preprocessed(of, column) => {
            (words[2], row, slot) == ("preprocessed", of, table.preprocessed.slot(column))
        }
        _ => false,
    })
}

/// The first and the last part of each kind, and an opened value that nothing reads. Names without
/// their numbers are the kinds.
fn chosen<H: DishonestSuite>(case: &Case<H>) -> Vec<(&str, usize)> {
    let kind = |name: &str| {
        let unread = name.starts_with("opened") && !is_read(case, name);
        (unread, name.replace(|c: char| c.is_ascii_digit(), ""))
    };
    let mut ends = BTreeMap::new();
    for (i, (name, _)) in case.places.iter().enumerate() {
        let (_, last) = ends.entry(kind(name)).or_insert((i, i));
        *last = i;
    }
    let chosen: BTreeSet<usize> = ends.into_values().flat_map(|(a, b)| [a, b]).collect();
    let part = |i: usize| (case.places[i].0.as_str(), case.places[i].1);
    chosen.into_iter().map(part).collect()
}

#[test]
fn every_message_is_bound() {
    messages_are_bound(Case::<Poseidon16Suite>::shared(), &refuse);
    messages_are_bound(Case::<KeccakSuite>::shared(), &refuse);
}

pub fn messages_are_bound<H: DishonestSuite>(case: &Case<H>, refuse: Refuse<'_, H>) {
    let mut faults = vec![];
    let chosen = chosen(case);
    for &(name, place) in &chosen {
        let with = |change: u32| {
            let mut lies = Lies::from([(place, F::from_u32(change))]);
            if name.starts_with("commitment") {
                // Every digest, since queries need not open a certain one.
                let digests = case.honest.stark.commitment.peek().digests();
                let length = elements::<H>(&digests[..1]).len();
                lies.extend((1..digests.len()).map(|digest| (place + length * digest, F::ONE)));
            }
            let (proof, _) = case.lie(&lies);
            refuse(case, name, &proof, check_of(case, name))
        };
        // One false nonce in a few passes a proof of work of a few bits, and is no lie then.
        let changes = 1..if name.contains("nonce") { 9 } else { 2 };
        let mut refusals = changes.map(with);
        let passes = |faults: &Vec<String>| faults.iter().all(|fault| fault.ends_with("accepts"));
        let first = refusals.find(|faults| faults.is_empty() || !passes(faults));
        faults.extend(first.unwrap_or_else(|| vec![format!("{name}: any value is accepted")]));
    }
    println!("{} lies", chosen.len());
    report(&faults);
}

/// A key with another commitment to the program than the one that the prover opens.
#[test]
fn the_commitment_to_the_program_is_bound() {
    the_program_is_bound::<Poseidon16Suite>();
    the_program_is_bound::<KeccakSuite>();
}

fn the_program_is_bound<H: DishonestSuite>() {
    let case = Case::<H>::shared();
    let mut key = case.honest.key.clone();
    for digest in &mut key.program {
        *digest = changed::<H>(digest);
    }
    let digests = key.digest().0.into_iter().zip(case.honest.key.digest().0);
    let lies = digests.map(|(said, honest)| said - honest).enumerate();
    let (mut proof, _) = case.lie(&lies.collect());
    proof.key = key.clone();
    let verifier = Verifier::new(key).unwrap();
    report(&faults(case, &verifier, &proof, Check::Path(0, 1)));
}

/// The queries to a commitment.
fn queries<H: DishonestSuite>(proof: &mut Proof<H>, number: usize) -> &mut Queries<H> {
    let opening = &mut proof.stark.opening;
    match opening.rounds.get_mut(number) {
        Some(round) => &mut round.queries,
        None => &mut opening.final_queries,
    }
}

/// The prover commits to random leaves, opens those, and is honest about its polynomial otherwise.
/// Answers about the last commitment are compared with the final polynomial, others are claims.
#[test]
fn commitments_to_something_else() {
    something_else(Case::<Poseidon16Suite>::shared(), &refuse);
    something_else(Case::<KeccakSuite>::shared(), &refuse);
}

pub fn something_else<H: DishonestSuite>(case: &Case<H>, refuse: Refuse<'_, H>) {
    let (scheme, _) = case.verifier.shape(&case.honest.log_heights).unwrap();
    let steps: Vec<_> = scheme.schedule().commitments().collect();
    let last = steps.len() - 1;
    assert!(last > 0);
    for (number, step) in steps.into_iter().enumerate() {
        let mut honest = copy(&case.honest);
        let width = queries(&mut honest, number).trees[0].leaves.peek()[0].len();
        let mut rng = SmallRng::seed_from_u64(1);
        let leaves = RowMajorMatrix::rand(&mut rng, 1 << step.log_leaves, width);
        let mmcs = H::val_mmcs(case.honest.key.settings.cap_height);
        let (cap, tree) = H::commit_rows(&mmcs, leaves);

        let place = case.place(&format!("commitment {number}"));
        let said = elements::<H>(cap.digests()).into_iter().enumerate();
        let lies = said.map(|(i, said)| (place + i, said - case.transcript.observed[place + i]));
        let (mut proof, transcript) = case.lie(&lies.collect());
        let indices = transcript.indices(case.place(&format!("queries {number} nonce")));
        assert_eq!(indices.len(), step.queries);
        let (leaves, paths) = H::open_rows(&mmcs, &indices, &tree);
        let leaves = Decommitted::new(leaves);
        queries(&mut proof, number).trees[0] = OpenedTree { leaves, paths };
        let check = if number == last {
            Check::FinalPolynomial
        } else {
            Check::FinalEquation
        };
        report(&refuse(
            case,
            &format!("commitment {number}"),
            &proof,
            check,
        ));
    }
}

/// Leaves and siblings are not observed: the commitment alone binds them.
#[test]
fn leaves_and_paths() {
    changed_leaves_and_paths(Case::<Poseidon16Suite>::shared(), &refuse);
    changed_leaves_and_paths(Case::<KeccakSuite>::shared(), &refuse);
}

pub fn changed_leaves_and_paths<H: DishonestSuite>(case: &Case<H>, refuse: Refuse<'_, H>) {
    for number in 0..=case.honest.stark.opening.rounds.len() {
        let trees = if number == 0 { 2 } else { 1 };
        for tree in 0..trees {
            let check = Check::Path(number, tree);
            let mut proof = copy(&case.honest);
            let opened = &mut queries(&mut proof, number).trees[tree];
            // Two queries of one index have the same leaf.
            let leaves = opened.leaves.forge();
            let first = leaves[0].clone();
            for leaf in leaves.iter_mut().filter(|leaf| **leaf == first) {
                leaf[0] += F::ONE;
            }
            report(&refuse(case, "leaf", &proof, check));

            let mut proof = copy(&case.honest);
            let opened = &mut queries(&mut proof, number).trees[tree];
            let sibling = H::first_sibling(&mut opened.paths);
            *sibling = changed::<H>(sibling);
            report(&refuse(case, "path", &proof, check));
        }
    }
}

/// The weights of the rows of commitment `number`, by which leaves are folded.
fn fold_weights<H: DishonestSuite>(case: &Case<H>, number: usize) -> Vec<EF> {
    let opening = &case.honest.stark.opening;
    let messages = match number {
        0 => &opening.sumcheck.messages,
        _ => &opening.rounds[number - 1].sumcheck.messages,
    };
    let point = (0..messages.len()).map(|i| {
        let nonce = case.place(&format!("sumcheck {number} nonce {i}"));
        case.transcript.challenge(nonce + 1)
    });
    point.fold(vec![EF::ONE], |weights, r| {
        weights
            .iter()
            .flat_map(|&w| [w * (EF::ONE - r), w * r])
            .collect()
    })
}

/// The prover of a tape who adds something to the combined leaf of one commitment.
struct FalseCombination<'a, H: TapeSuite> {
    answers: Answers<'a, H>,
    /// The commitment.
    number: usize,
    /// Number of combined leaves so far.
    combined: usize,
    /// Whether the next message is a combined leaf.
    is_next: bool,
    /// What is added: the place among the combined leaf's elements, and the element.
    lie: &'a [(usize, EF)],
}

impl<H: TapeSuite> Prover for FalseCombination<'_, H> {
    type Error = TapeError;

    fn message(&mut self, n: usize) -> Result<Vec<F>, TapeError> {
        let mut message = Prover::message(&mut self.answers, n)?;
        if std::mem::take(&mut self.is_next) {
            let lies = self.lie.iter().filter(|_| self.combined == self.number);
            for (at, lie) in lies {
                let coefficients: &[F] = lie.as_basis_coefficients_slice();
                let lanes = message[EXTENSION_DEGREE * at..].iter_mut();
                lanes.zip(coefficients).for_each(|(lane, &by)| *lane += by);
            }
            self.combined += 1;
        }
        Ok(message)
    }

    /// The combined leaf follows the challenge by which leaves are combined.
    fn told(&mut self, values: Vec<F>) {
        self.is_next |= values.len() == EXTENSION_DEGREE;
        self.answers.told(values);
    }
}

/// The tape of a prover who adds this to the combined leaf of commitment `number`.
fn false_combination<H: DishonestSuite>(
    case: &Case<H>,
    number: usize,
    lie: &[(usize, EF)],
) -> NativeTape {
    let shape = case.circuit.shape_over_whir().unwrap();
    let evaluators = case.circuit.evaluators_over_whir().unwrap();
    let (scheme, _) = case.verifier.shape(&case.honest.log_heights).unwrap();
    let mut answers = Answers::<H>::default();
    answers.message(elements::<H>(&case.honest.key.program));
    answers.message(case.honest.statement.to_vec());
    answers.whir(shape, &scheme, &case.honest.stark).unwrap();
    let mut prover = FalseCombination {
        answers,
        number,
        combined: 0,
        is_next: false,
        lie,
    };
    let key = verifier_key(case);
    let run = || {
        over_whir::<H::Gadget, H::WhirTranscript, _>(shape, evaluators, &key);
    };
    match record(&mut prover, run) {
        Ok((tape, _)) | Err(RecordError::Program { tape, .. }) => tape,
        Err(RecordError::Prover(error)) => panic!("{error}"),
    }
}

/// The prover says `c + d` instead of the combination `c` of the leaves, for a `d` that is
/// orthogonal to the weights of folding, or one that moves something from one piece of the leaves
/// to the next: the leaves of a commitment's trees are pieces, and runs in which a leaf is hashed.
#[test]
fn a_combination_of_no_leaves() {
    no_combination::<Poseidon16Suite>();
    no_combination::<KeccakSuite>();
}

fn no_combination<H: DishonestSuite>() {
    let case = Case::<H>::shared();
    let shape = &case.circuit.shape_over_whir().unwrap().opening;
    let mut several = 0;
    for number in 0..=shape.rounds.len() {
        let queries = shape.queries(number);
        let weights = fold_weights(case, number);
        let rows = queries.rows();
        let lanes = if queries.base { 1 } else { EXTENSION_DEGREE };
        // The folded value stays true.
        let mut lies = vec![vec![(0, weights[rows[1]]), (lanes, -weights[rows[0]])]];
        let pieces = pieces::<H::Gadget>(&queries);
        let mut start = 0;
        for pair in pieces.windows(2) {
            // The first lane of the shorter piece, and the one of the other that has the same power
            // of the point if nothing tells the pieces apart. (The folded value is false, which is
            // noticed later.)
            let ends = [start, start + pair[0].lanes];
            let blocks = [0, 1].map(|i| pair[i].lanes.next_multiple_of(8));
            let (long, short) = if blocks[0] < blocks[1] {
                (1, 0)
            } else {
                (0, 1)
            };
            let same_power = ends[long] + blocks[long] - blocks[short];
            lies.push(vec![(same_power, EF::ONE), (ends[short], -EF::ONE)]);
            start += pair[0].lanes;
            several += 1;
        }
        for lie in lies {
            let tape = false_combination(case, number, &lie);
            let found = failure(case.circuit.compiled(), &tape).unwrap_err();
            let expected = "whir/opening/rows.rs: assert_eq!(expected, values);";
            assert!(found.starts_with(expected), "commitment {number}: {found}");
        }
    }
    // The two trees of the first commitment, and the two runs of a leaf of each later one.
    let runs = if H::ID.is_of_bytes() {
        shape.rounds.len()
    } else {
        0
    };
    assert_eq!(several, 1 + runs);
}

/// A block of the proof with a lane after the five coefficients is no element, although the
/// transcript could absorb it.
#[test]
fn elements_that_are_none() {
    let case = Case::<Poseidon16Suite>::shared();
    let tape = case.circuit.tape(&[&case.honest]).unwrap();
    // The refused element, and the call in which the transcript reads it.
    for (name, expected) in [
        (
            "outside 0",
            "whir/opening.rs: values.push(t.read_extensions(1)[0]);",
        ),
        ("root 3", "whir/gkr.rs: let values = t.read_extensions(4);"),
        (
            "final polynomial 0",
            "whir/opening.rs: let last = t.read_extensions(1usize << shape.final_variables);",
        ),
    ] {
        let place = case.place(name);
        let element = &case.transcript.observed[place..place + 8];
        let is_there = |hint: &Hint| match hint {
            Hint::Slice(blocks) => blocks
                .iter()
                .position(|block| block.iter().flatten().eq(element)),
            _ => None,
        };
        let mut tape = tape.clone();
        let mut found = tape.hints.iter_mut().filter_map(|hint| {
            let at = is_there(hint)?;
            Some((hint, at))
        });
        let Some((Hint::Slice(blocks), at)) = found.next() else {
            panic!("{name} is not on the tape");
        };
        blocks[at][7] = Some(F::ONE);
        let found = failure(case.circuit.compiled(), &tape).unwrap_err();
        assert!(found.starts_with(expected), "{name}: {found}");
    }
}

const fn fraction(numerator: i32, denominator: i32) -> [i32; 2] {
    [numerator, denominator]
}

/// Two leaves, which are sent as they are: what is claimed of them in the end is true, so nothing
/// but the checks of the sum refuses them. Among many leaves a prover would have to know the
/// challenges to make a denominator zero.
#[test]
fn fractions_that_do_not_add_up_to_zero() {
    other_fractions::<Poseidon16Suite>();
    other_fractions::<KeccakSuite>();
}

fn other_fractions<H: DishonestSuite>() {
    let text = format!(
        "use droste_gadgets::suites::hash::Challenger;
        use droste_gadgets::prelude::*;
        use droste_gadgets::verify::whir::gkr;
        use {} as C;
        pub fn main() {{
            let mut t = C::new();
            reveal(gkr::verify(1, &mut t).numerator.coeff(0));
        }}",
        H::TRANSCRIPT
    );
    let compiled = compile_file("fractions.rs", &text, SOURCES).unwrap();
    let cases = [
        ([fraction(1, 2), fraction(-1, 2)], None),
        ([fraction(1, 2), fraction(1, 2)], Some(Check::Sum)),
        ([fraction(3, 2), fraction(-1, 2)], Some(Check::Sum)),
        ([fraction(0, 0), fraction(5, 3)], Some(Check::Denominators)),
        ([fraction(5, 3), fraction(0, 0)], Some(Check::Denominators)),
        ([fraction(1, 0), fraction(1, 0)], Some(Check::Denominators)),
    ];
    for (root, check) in cases {
        let root = root.map(|root| root.map(|x| EF::from(F::from_i32(x))));
        let proof = GkrProof {
            root: Sent::forged(root.map(|[numerator, denominator]| Fraction {
                numerator,
                denominator,
            })),
            layers: vec![],
        };
        let mut challenger = H::challenger();
        let native = droste_native::gkr::verify(&proof, 1, &mut challenger);
        let found = native.err().and_then(|error| Check::of_fractions(&error));
        assert_eq!(found, check);

        let mut answers = Answers::<H>::default();
        answers.message(observed::<H>(root.as_flattened()));
        let tape = answers.record(|| {
            let mut t = H::WhirTranscript::new();
            reveal(gkr::verify(1, &mut t).numerator.coeff(0));
        });
        let (tape, check) = match (tape, check) {
            (Ok(tape), None) => {
                assert_eq!(failure(&compiled, &tape), Ok(()));
                continue;
            }
            (Err(TapeError::Rejected { tape, .. }), Some(check)) => (tape, check),
            (tape, check) => panic!("{check:?}: {tape:?}"),
        };
        assert_eq!(fault_in_the_machine(&compiled, &tape, check), None);
    }
}
