//! Proofs with one part of another shape, another value, or from another proof, changed where the
//! decoder does not look: none is accepted, and none makes a panic.

use p3_field::PrimeCharacteristicRing;
use p3_multi_stark::fractional_gkr::FractionGkrProof;
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::OpeningBatch;
use p3_sumcheck::ring_switch::bits::SuccessorTensors;
use p3_symmetric::MerkleCap;

use crate::public::tests::random_calls;
use crate::scheme::F;
use crate::*;

/// A change of a proof, which may take parts of another proof of the same shape.
type Change = fn(&mut Proof, Proof);

/// The sumchecks and folds of a proof, in which the change is made.
macro_rules! folds {
    ($proof:ident) => {
        $proof.inner.opening.opening.opening
    };
}

/// The ring switch of a proof, in which the change is made.
macro_rules! switch {
    ($proof:ident) => {
        $proof.inner.opening.opening.reduction
    };
}

/// Parts of another proof.
const SPLICES: [Change; 16] = [
    |proof, other| proof.inner = other.inner,
    |proof, other| proof.inner.commitment = other.inner.commitment,
    |proof, other| proof.inner.sumcheck = other.inner.sumcheck,
    |proof, other| proof.inner.opening = other.inner.opening,
    |proof, other| proof.inner.opening.values = other.inner.opening.values,
    |proof, other| switch!(proof).claims = switch!(other).claims,
    |proof, other| switch!(proof).sumcheck = switch!(other).sumcheck,
    |proof, other| switch!(proof).final_eval = switch!(other).final_eval,
    |proof, other| folds!(proof).sumcheck = folds!(other).sumcheck,
    |proof, other| folds!(proof).rounds = folds!(other).rounds,
    |proof, mut other| folds!(proof).rounds[1] = folds!(other).rounds.remove(1),
    |proof, mut other| {
        folds!(proof).rounds[0].commitment = folds!(other).rounds.remove(0).commitment
    },
    |proof, other| folds!(proof).base_opened_values = folds!(other).base_opened_values,
    |proof, other| folds!(proof).base_multi_proof = folds!(other).base_multi_proof,
    |proof, other| folds!(proof).final_codeword = folds!(other).final_codeword,
    |proof, other| folds!(proof).evals = folds!(other).evals,
];

/// Other values and shapes.
const CHANGES: [Change; 52] = [
    |proof, _| {
        let root = proof.inner.commitment.roots()[0];
        proof.inner.commitment = MerkleCap::new(vec![root; 2]);
    },
    |proof, _| {
        proof.inner.lookup = Some(FractionGkrProof {
            root_denominator: F::ONE,
            layers: vec![],
        })
    },
    |proof, other| proof.inner.preprocessed_opening = Some(other.inner.opening),
    |proof, _| proof.inner.sumcheck.claimed_sum = F::ONE,
    |proof, _| proof.inner.sumcheck.pow_witnesses.push(F::ZERO),
    |proof, _| proof.inner.sumcheck.round_polys.truncate(5),
    |proof, _| proof.inner.sumcheck.round_polys.push(vec![F::ZERO; 3]),
    |proof, _| proof.inner.sumcheck.round_polys.swap(0, 1),
    |proof, _| proof.inner.sumcheck.round_polys[0].truncate(2),
    |proof, _| proof.inner.sumcheck.round_polys[5].push(F::ZERO),
    |proof, _| proof.inner.sumcheck.round_polys[3].clear(),
    |proof, _| proof.inner.opening.values.truncate(11_535),
    |proof, _| proof.inner.opening.values.push(F::ZERO),
    |proof, _| proof.inner.opening.values.clear(),
    |proof, _| proof.inner.opening.values.reverse(),
    |proof, _| {
        let values = &mut proof.inner.opening.values;
        values[0] += F::ONE;
        values[1] += F::ONE;
    },
    |proof, _| switch!(proof).claims.clear(),
    |proof, other| switch!(proof).claims.extend(switch!(other).claims),
    |proof, _| {
        let claim = &mut switch!(proof).claims[0];
        let (carry, last) = (claim.tensor.clone(), claim.tensor.clone());
        claim.successor = Some(SuccessorTensors { carry, last });
    },
    |proof, _| switch!(proof).final_eval += F::ONE,
    |proof, _| switch!(proof).sumcheck.pow_witnesses.push(F::ZERO),
    |proof, _| switch!(proof).sumcheck.polynomial_evaluations.truncate(12),
    |proof, _| {
        switch!(proof)
            .sumcheck
            .polynomial_evaluations
            .push([F::ZERO; 2])
    },
    |proof, _| folds!(proof).sumcheck.pow_witnesses.push(F::ZERO),
    |proof, _| folds!(proof).sumcheck.polynomial_evaluations.clear(),
    |proof, _| {
        folds!(proof)
            .sumcheck
            .polynomial_evaluations
            .push([F::ZERO; 2])
    },
    |proof, _| folds!(proof).sumcheck.polynomial_evaluations.swap(0, 12),
    |proof, _| folds!(proof).pow_witness = F::ONE,
    |proof, _| folds!(proof).final_codeword = Poly::new(vec![F::ZERO; 2]),
    |proof, _| folds!(proof).final_codeword = Poly::new(vec![F::ZERO; 1]),
    |proof, _| folds!(proof).final_codeword = Poly::new(vec![F::ZERO; 4]),
    |proof, _| {
        let last = folds!(proof).final_codeword.as_slice()[0];
        folds!(proof).final_codeword = Poly::new(vec![last, last + F::ONE]);
    },
    |proof, _| folds!(proof).evals.clear(),
    |proof, other| folds!(proof).evals.extend(folds!(other).evals),
    |proof, _| folds!(proof).evals[0] = OpeningBatch::new(vec![], vec![F::ONE]),
    |proof, _| folds!(proof).evals[0] = OpeningBatch::new(vec![F::ONE; 2], vec![]),
    |proof, _| folds!(proof).evals[0] = OpeningBatch::new(vec![F::ONE], vec![F::ONE]),
    |proof, _| folds!(proof).rounds.clear(),
    |proof, _| folds!(proof).rounds.truncate(2),
    |proof, other| folds!(proof).rounds.extend(folds!(other).rounds),
    |proof, _| folds!(proof).rounds.swap(0, 1),
    |proof, _| {
        let root = folds!(proof).rounds[2].commitment.roots()[0];
        folds!(proof).rounds[2].commitment = MerkleCap::new(vec![root; 4]);
    },
    |proof, _| folds!(proof).rounds[0].opened_values.clear(),
    |proof, _| folds!(proof).rounds[0].opened_values.swap(0, 1),
    |proof, _| folds!(proof).rounds[2].opened_values[3].clear(),
    |proof, _| folds!(proof).rounds[1].opened_values.push(vec![F::ZERO]),
    |proof, _| folds!(proof).rounds[1].opened_values[7][0] += F::ONE,
    |proof, _| folds!(proof).base_opened_values.clear(),
    |proof, _| folds!(proof).base_opened_values.swap(0, 16),
    |proof, _| folds!(proof).base_opened_values[0].push(F::ZERO),
    // As many elements as there are symbols, in other rows.
    |proof, _| {
        let row = folds!(proof).base_opened_values.remove(1);
        folds!(proof).base_opened_values[0].extend(row);
        folds!(proof).base_opened_values.push(vec![]);
    },
    |proof, _| folds!(proof).base_opened_values[243 * 16 + 15][0] += F::ONE,
];

#[test]
fn malformed_parts_are_refused() {
    let [statement, other] = [24, 25].map(|seed| random_calls(Hash::Blake3, 2, seed));
    let [bytes, other] = [&statement, &other].map(|calls| encode(&prove(calls).unwrap()).unwrap());
    for (i, change) in SPLICES.iter().chain(&CHANGES).enumerate() {
        let mut proof = decode(&bytes).unwrap();
        change(&mut proof, decode(&other).unwrap());
        assert!(encode(&proof).unwrap() != bytes, "change {i} is none");
        assert!(verify(&statement, &proof).is_err(), "change {i}");
    }
}
