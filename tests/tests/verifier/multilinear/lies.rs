//! For every check of the verifier of multilinear proofs a false proof that breaks just this check.
//!
//! A liar ([`super::liar`]) says one false thing and goes on by the book. The native verifier names
//! the check by its error; the program in the machine by the place where its run fails.
//!
//! | assertion in `droste_gadgets::verify` | nothing else refuses |
//! |---|---|
//! | `gkr`: `halves.numerator()` is zero | [`fractions_that_do_not_add_up_to_zero`], of two leaves |
//! | `gkr`: `product` has an inverse | the same, with a denominator of zero |
//! | `gkr`: the claim of a layer | coefficients of a layer's rounds, and its values but for the last layer's |
//! | `multilinear`: `total` is `sum` | coefficients of the zerocheck |
//! | `whir`: the final equation | values outside the domain, opened values that no constraint reads, messages of sumcheck, [`commitments_to_something_else`] |
//! | `query`: root and path | digests of a cap, [`leaves_and_paths`] |
//! | `query`: the final polynomial | [`commitments_to_something_else`], the last one |
//! | `rows`: the combined leaf | [`a_combination_of_no_leaves`] |
//! | `poseidon16`: low bits are zero | nonces |
//! | `block`: lanes 5 to 7 of an element are zero | [`elements_that_are_none`] |
//! | all others | depend on the shape alone: [`super::shapes`] |
//!
//! Values that more than one check binds are here, too: then the first check is the one that is
//! named.

use std::collections::{BTreeMap, BTreeSet};

use droste_gadgets::hash::Challenger;
use droste_gadgets::poseidon16::Poseidon16Challenger;
use droste_gadgets::prelude::reveal;
use droste_gadgets::verify::multilinear::gkr;
use droste_gadgets::verify::whir::shape;
use droste_gadgets::{Hint, SOURCES};
use droste_native::gkr::{Fraction, GkrProof};
use droste_native::whir::{OpenedTree, Queries};
use droste_native::{EF, F, HashSuite, Poseidon16Suite};
use droste_verifier::circuit::CircuitError;
use droste_verifier::tape::{Answers, TapeError};
use droste_vm::compiler::compile_file;
use droste_vm::machine::StandardTables;
use droste_vm::multilinear::expressions::{Leaf, Row};
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{Proof, Verifier};
use p3_commit::Mmcs;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::check::{Check, failure, fault_in_the_machine};
use super::liar::{Case, Lies, block, copy};

/// What goes wrong with a proof that only this check should refuse, natively and in the machine.
fn faults(
    case: &Case,
    verifier: &Verifier<StandardTables>,
    proof: &Proof,
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

/// A false proof, and the check that refuses it.
fn refuse(case: &Case, name: &str, proof: &Proof, check: Check) -> Vec<String> {
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

/// The check that refuses a false value of this name.
fn check_of(case: &Case, name: &str) -> Check {
    let words: Vec<&str> = name.split(' ').collect();
    let number = || words[1].parse().unwrap();
    match words[0] {
        "opened" if !is_read(case, name) => Check::FinalEquation,
        "statement" | "zerocheck" | "opened" => Check::Constraints,
        "root" => Check::Sum,
        "layer" => Check::Layer(number()),
        "commitment" => Check::Path(number(), 0),
        "queries" => Check::Work("queries"),
        _ if name.contains("nonce") => Check::Work("a sumcheck challenge"),
        _ if name.starts_with("final polynomial") => Check::FinalPolynomial,
        _ => Check::FinalEquation,
    }
}

/// Whether an expression reads an opened value. Next rows are opened in more columns than are read
/// there, so that their number is a power of two.
fn is_read(case: &Case, name: &str) -> bool {
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
fn chosen(case: &Case) -> Vec<(&str, usize)> {
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
    let case = Case::shared();
    let mut faults = vec![];
    let chosen = chosen(case);
    for &(name, place) in &chosen {
        let mut lies = Lies::from([(place, F::ONE)]);
        if name.starts_with("commitment") {
            // Every digest, since queries need not open a certain one.
            lies.extend((1..4).map(|digest| (place + 8 * digest, F::ONE)));
        }
        let (proof, _) = case.lie(&lies);
        faults.extend(refuse(case, name, &proof, check_of(case, name)));
    }
    println!("{} lies", chosen.len());
    report(&faults);
}

/// A key with another commitment to the program than the one that the prover opens.
#[test]
fn the_commitment_to_the_program_is_bound() {
    let case = Case::shared();
    let mut key = case.honest.key.clone();
    for digest in &mut key.program {
        digest[0] += F::ONE;
    }
    let digests = key.digest().0.into_iter().zip(case.honest.key.digest().0);
    let lies = digests.map(|(said, honest)| said - honest).enumerate();
    let (mut proof, _) = case.lie(&lies.collect());
    proof.key = key.clone();
    let verifier = Verifier::new(key).unwrap();
    report(&faults(case, &verifier, &proof, Check::Path(0, 1)));
}

/// The queries to a commitment.
fn queries(proof: &mut Proof, number: usize) -> &mut Queries {
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
    let case = Case::shared();
    let (scheme, _) = case.verifier.shape(&case.honest.log_heights).unwrap();
    let steps: Vec<_> = scheme.schedule().commitments().collect();
    assert_eq!(steps.len(), 3);
    for (number, step) in steps.into_iter().enumerate() {
        let mut honest = copy(&case.honest);
        let width = queries(&mut honest, number).trees[0].leaves[0].len();
        let mut rng = SmallRng::seed_from_u64(1);
        let leaves = RowMajorMatrix::rand(&mut rng, 1 << step.log_leaves, width);
        let mmcs = Poseidon16Suite::val_mmcs(case.honest.key.settings.cap_height);
        let (cap, tree) = mmcs.commit_matrix(leaves);

        let place = case.place(&format!("commitment {number}"));
        let said = cap.roots().as_flattened().iter().enumerate();
        let lies = said.map(|(i, &said)| (place + i, said - case.transcript.observed[place + i]));
        let (mut proof, transcript) = case.lie(&lies.collect());
        let indices = transcript.indices(case.place(&format!("queries {number} nonce")));
        assert_eq!(indices.len(), step.queries);
        let (leaves, paths) = mmcs.open_multi_batch(&indices, &tree);
        queries(&mut proof, number).trees[0] = OpenedTree {
            leaves: leaves.into_iter().flatten().collect(),
            paths,
        };
        let check = match number {
            2 => Check::FinalPolynomial,
            _ => Check::FinalEquation,
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
    let case = Case::shared();
    for (number, trees) in [2, 1, 1].into_iter().enumerate() {
        for tree in 0..trees {
            let check = Check::Path(number, tree);
            let mut proof = copy(&case.honest);
            let opened = &mut queries(&mut proof, number).trees[tree];
            // Two queries of one index have the same leaf.
            let first = opened.leaves[0].clone();
            for leaf in opened.leaves.iter_mut().filter(|leaf| **leaf == first) {
                leaf[0] += F::ONE;
            }
            report(&refuse(case, "leaf", &proof, check));

            let mut proof = copy(&case.honest);
            let opened = &mut queries(&mut proof, number).trees[tree];
            opened.paths.sibling_hashes[0][7] += F::ONE;
            report(&refuse(case, "path", &proof, check));
        }
    }
}

/// The weights of the rows of commitment `number`, by which leaves are folded.
fn fold_weights(case: &Case, number: usize) -> Vec<EF> {
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

/// The lanes of an element's coefficients.
fn coefficients(values: &[EF]) -> Vec<F> {
    let lanes = values
        .iter()
        .flat_map(|value| block(value).into_iter().take(5));
    lanes.collect()
}

/// The shape of the queries to commitment `number`.
fn shape_of_queries(case: &Case, number: usize) -> shape::Queries {
    let shape = case.circuit.shape_over_whir().unwrap();
    shape.opening.queries(number)
}

/// Number of elements of the combined leaf of commitment `number`.
fn hinted(case: &Case, number: usize) -> usize {
    let queries = shape_of_queries(case, number);
    let lanes = if queries.base { 1 } else { 5 };
    5 * lanes * queries.trees.concat().len()
}

/// The prover says `c + d` instead of the combination `c` of the leaves, for a `d` that is
/// orthogonal to the weights of folding, or one that moves something from one tree to the other.
#[test]
fn a_combination_of_no_leaves() {
    let case = Case::shared();
    let honest = case.circuit.tape(&[&case.honest]).unwrap();
    assert_eq!(failure(case.circuit.compiled(), &honest), Ok(()));
    for number in 0..3 {
        let queries = shape_of_queries(case, number);
        let weights = fold_weights(case, number);
        let (rows, lanes) = match queries.base {
            true => (queries.trees.concat(), 1),
            false => (queries.trees.concat(), 5),
        };
        // The folded value stays true.
        let mut lies = vec![vec![(0, weights[rows[1]]), (lanes, -weights[rows[0]])]];
        if let [first, second] = &queries.trees[..] {
            // A lane of the second tree, and the one of the first that has the same power of the
            // point if nothing tells the trees apart. (The folded value is false, which is noticed
            // later.)
            let blocks = |tree: &[usize]| tree.len().next_multiple_of(8);
            let shift = blocks(first) - blocks(second);
            lies.push(vec![(shift, EF::ONE), (first.len(), -EF::ONE)]);
        }
        let length = hinted(case, number);
        let alike = (0..3)
            .filter(|&other| length == hinted(case, other))
            .count();
        for lie in lies {
            // Those of the hints of this length with this effect are combined leaves.
            let mut refused = 0;
            for place in 0..honest.hints.len() {
                let mut tape = honest.clone();
                let Hint::Slice(blocks) = &mut tape.hints[place] else {
                    continue;
                };
                if blocks.len() != length.div_ceil(8) {
                    continue;
                }
                for &(lane, by) in &lie {
                    for (i, by) in coefficients(&[by]).into_iter().enumerate() {
                        let at = 5 * lane + i;
                        let said = blocks[at / 8][at % 8].as_mut().unwrap();
                        *said += by;
                    }
                }
                let found = failure(case.circuit.compiled(), &tape).unwrap_err();
                let expected = "whir/rows.rs: assert_eq!(expected, values);";
                refused += usize::from(found.starts_with(expected));
            }
            assert_eq!(refused, alike, "commitment {number}");
        }
    }
}

/// A block of the proof with a lane after the five coefficients is no element, although the
/// transcript could absorb it.
#[test]
fn elements_that_are_none() {
    let case = Case::shared();
    let tape = case.circuit.tape(&[&case.honest]).unwrap();
    // The refused element, and the call in which the transcript reads it.
    for (name, expected) in [
        (
            "outside 0",
            "whir.rs: values.push(t.read_extensions(1)[0]);",
        ),
        (
            "root 3",
            "multilinear/gkr.rs: let values = t.read_extensions(4);",
        ),
        (
            "final polynomial 0",
            "whir.rs: let last = t.read_extensions(1usize << shape.final_variables);",
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
    let text = "use droste_gadgets::hash::Challenger;
        use droste_gadgets::poseidon16::Poseidon16Challenger;
        use droste_gadgets::prelude::*;
        use droste_gadgets::prelude::reveal;
use droste_gadgets::verify::multilinear::gkr;
        pub fn main() {
            let mut t = Poseidon16Challenger::new();
            reveal(gkr::verify(1, &mut t).numerator.coeff(0));
        }";
    let compiled = compile_file("fractions.rs", text, SOURCES).unwrap();
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
            root: root.map(|[numerator, denominator]| Fraction {
                numerator,
                denominator,
            }),
            layers: vec![],
        };
        let mut challenger = Poseidon16Suite::challenger();
        let native = droste_native::gkr::verify(&proof, 1, &mut challenger);
        let found = native.err().and_then(|error| Check::of_fractions(&error));
        assert_eq!(found, check);

        let mut answers = Answers::<Poseidon16Suite>::default();
        answers.message(root.as_flattened().iter().flat_map(block).collect());
        let tape = answers.record(|| {
            let mut t = Poseidon16Challenger::new();
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
