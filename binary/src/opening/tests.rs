//! Honest proofs, tampered proofs, and the identities that the protocol rests on.

use p3_binary_dft::interleaved_encode_batch;
use p3_binary_field::TowerLevel;
use p3_koala_bear::KoalaBear as F;
use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::prover::Codeword;
use super::queries::add_weights;
use super::sumcheck::Tables;
use super::*;
use crate::field::{dot, eq_table};
use crate::tree_hash::Poseidon16;

type Digest = <Poseidon16 as TreeHash>::Digest;
type Opening = super::Opening<Poseidon16>;
type Committed = super::Committed<Poseidon16>;

fn random(count: usize, seed: u64) -> Vec<K> {
    let mut rng = SmallRng::seed_from_u64(seed);
    (0..count).map(|_| rng.random()).collect()
}

/// A polynomial, a weight that its root determines, the claim, and its opening.
struct Proof {
    settings: Settings,
    root: Digest,
    weight: Vec<K>,
    claim: K,
    opening: Opening,
}

/// The transcript after the root, and a weight that depends on it.
fn begin(settings: &Settings, root: &Digest) -> (<Poseidon16 as TreeHash>::Transcript, Vec<K>) {
    let mut transcript = Poseidon16::transcript("opening");
    root.observe(&mut transcript);
    let mut point: Vec<K> = (0..settings.num_variables())
        .map(|_| transcript.sample())
        .collect();
    let mut weight = eq_table(&point);
    point.reverse();
    for (weight, other) in weight.iter_mut().zip(eq_table(&point)) {
        *weight += other.square();
    }
    (transcript, weight)
}

/// An opening of `committed`, with `error` added to the claim.
fn prove(committed: Committed, error: K) -> Proof {
    let settings = committed.settings.clone();
    let root = committed.root();
    let (mut transcript, weight) = begin(&settings, &root);
    let claim = dot(committed.message(), &weight) + error;
    let opening = committed.open(weight.as_slice(), claim, &mut transcript);
    Proof {
        settings,
        root,
        weight,
        claim,
        opening,
    }
}

fn honest(k: usize) -> Proof {
    let settings = Settings::new(k).unwrap();
    prove(commit(&settings, random(1 << k, k as u64)), K::ZERO)
}

impl Proof {
    fn reduced(&self) -> Result<Reduced, OpeningError> {
        let (mut transcript, _) = begin(&self.settings, &self.root);
        verify(
            &self.settings,
            &self.root,
            self.claim,
            &self.opening,
            &mut transcript,
        )
    }

    /// Whether the verifier and its caller accept.
    fn accepted(&self) -> bool {
        self.reduced()
            .is_ok_and(|reduced| reduced.holds(dot(&self.weight, &eq_table(&reduced.point))))
    }
}

#[test]
fn honest_openings_are_accepted() {
    for k in 8..=14 {
        let proof = honest(k);
        assert!(proof.accepted(), "{k} variables");
        let reduced = proof.reduced().unwrap();
        assert_eq!(reduced.point.len(), k);
        let message = random(1 << k, k as u64);
        assert_eq!(reduced.value, dot(&message, &eq_table(&reduced.point)));
    }
}

/// Columns that are not committed to are zero: an opening of a polynomial that is not zero there is
/// refused.
#[test]
fn columns_that_are_left_out() {
    let settings = Settings::with_columns(9, 13).unwrap();
    let mut message = random(1 << 9, 5);
    message[13 << 5..].fill(K::ZERO);
    let proof = prove(commit(&settings, message.clone()), K::ZERO);
    assert!(proof.accepted());
    assert_eq!(proof.opening.rounds[0].queries[0].row.count(), 13);
    let mut committed = commit(&settings, message);
    committed.message[13 << 5] = K::ONE;
    assert!(!prove(committed, K::ZERO).accepted());
    for found in [0, 17] {
        let error = SettingsError::Columns { found };
        assert_eq!(Settings::with_columns(9, found), Err(error));
    }
}

#[test]
fn both_transcripts_end_alike() {
    let proof = honest(9);
    let (mut prover, weight) = begin(&proof.settings, &proof.root);
    let mut verifier = prover.clone();
    let committed: Committed = commit(&proof.settings, random(1 << 9, 9));
    let opening = committed.open(weight.as_slice(), proof.claim, &mut prover);
    let reduced = verify(
        &proof.settings,
        &proof.root,
        proof.claim,
        &opening,
        &mut verifier,
    );
    assert!(reduced.is_ok());
    assert_eq!(prover.sample(), verifier.sample());
}

#[test]
fn wrong_claims_are_refused() {
    for k in [8, 13] {
        let settings = Settings::new(k).unwrap();
        for error in [K::ONE, K::from_repr(1 << 127)] {
            let committed = commit(&settings, random(1 << k, 1));
            assert!(!prove(committed, error).accepted());
        }
        let mut proof = honest(k);
        proof.claim += K::ONE;
        assert!(!proof.accepted());
    }
}

/// Another weight than the prover's, at one corner.
#[test]
fn wrong_weights_are_refused() {
    for corner in [0, 77, 1023] {
        let mut proof = honest(10);
        proof.weight[corner] += K::ONE;
        assert!(proof.reduced().is_ok());
        assert!(!proof.accepted());
    }
}

#[test]
fn every_changed_element_is_refused() {
    let proof = honest(12);
    assert_eq!(proof.settings.rounds().len(), 1);
    check_changes(proof);
    let proof = honest(13);
    assert_eq!(proof.settings.rounds().len(), 2);
    check_changes(proof);
}

fn check_changes(mut proof: Proof) {
    let original = proof.opening.clone();
    let mut check = |change: &mut dyn FnMut(&mut Opening)| {
        change(&mut proof.opening);
        assert_ne!(proof.opening, original);
        assert!(!proof.accepted());
        proof.opening.clone_from(&original);
    };
    for i in 0..original.rounds.len() {
        for j in 0..FOLDED {
            check(&mut |opening| opening.rounds[i].messages[j].forge().constant += K::ONE);
            check(&mut |opening| opening.rounds[i].messages[j].forge().leading += K::ONE);
        }
        for j in (0..original.rounds[i].queries.len()).step_by(29) {
            for column in 0..COLUMNS {
                check(&mut |opening| opening.rounds[i].queries[j].row.forge()[column] += K::ONE);
            }
            for node in 0..original.rounds[i].queries[j].path.len() {
                check(&mut |opening| opening.rounds[i].queries[j].path[node][7] += F::ONE);
            }
        }
        check(&mut |opening| opening.rounds[i].queries.swap(0, 1));
    }
    for i in 0..original.roots.len() {
        check(&mut |opening| opening.roots[i].forge()[0] += F::ONE);
    }
    for i in (0..original.last_polynomial.count()).step_by(7) {
        check(&mut |opening| opening.last_polynomial.forge()[i] += K::ONE);
    }
    for i in 0..original.last_messages.len() {
        check(&mut |opening| opening.last_messages[i].forge().constant += K::ONE);
        check(&mut |opening| opening.last_messages[i].forge().leading += K::ONE);
    }
    proof.root[0] += F::ONE;
    assert!(!proof.accepted());
}

/// Rows are opened at other positions, or the point is another one, as soon as anything before
/// them changes: so it was observed before them.
#[test]
fn challenges_depend_on_all_that_was_sent() {
    let proof = honest(13);
    let round_of_error = |change: &dyn Fn(&mut Proof)| {
        let mut proof = honest(13);
        change(&mut proof);
        match proof.reduced() {
            Err(OpeningError::Path { round, .. }) => Some(round),
            _ => None,
        }
    };
    assert_eq!(round_of_error(&|proof| proof.claim += K::ONE), Some(0));
    for round in 0..2 {
        for i in 0..FOLDED {
            let constant = |proof: &mut Proof| {
                proof.opening.rounds[round].messages[i].forge().constant += K::ONE;
            };
            let leading = |proof: &mut Proof| {
                proof.opening.rounds[round].messages[i].forge().leading += K::ONE;
            };
            assert_eq!(round_of_error(&constant), Some(round));
            assert_eq!(round_of_error(&leading), Some(round));
        }
    }
    assert_eq!(
        round_of_error(&|proof| proof.opening.roots[0].forge()[7] += F::ONE),
        Some(0)
    );
    let last = |proof: &mut Proof| proof.opening.last_polynomial.forge()[31] += K::ONE;
    assert_eq!(round_of_error(&last), Some(1));
    let point = proof.reduced().unwrap().point;
    for i in 0..proof.settings.last_variables() {
        let mut opening = proof.opening.clone();
        opening.last_messages[i].forge().leading += K::ONE;
        let (mut transcript, _) = begin(&proof.settings, &proof.root);
        let reduced = verify(
            &proof.settings,
            &proof.root,
            proof.claim,
            &opening,
            &mut transcript,
        );
        // The variables go from the highest one down.
        let from = proof.settings.last_variables() - i;
        let changed = reduced.unwrap().point;
        assert_eq!(changed[from..], point[from..]);
        assert_ne!(changed[from - 1], point[from - 1]);
    }
}

#[test]
fn paths_of_wrong_rows_name_the_query() {
    let mut proof = honest(13);
    proof.opening.rounds[1].queries[3].row.forge()[5] += K::ONE;
    let error = proof.reduced().unwrap_err();
    assert!(
        matches!(
            error,
            OpeningError::Path {
                round: 1,
                query: 3,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn wrong_lengths_are_errors() {
    let changes: [fn(&mut Opening); 14] = [
        |opening| opening.rounds.clear(),
        |opening| opening.rounds.truncate(1),
        |opening| opening.rounds.push(opening.rounds[0].clone()),
        |opening| opening.roots.clear(),
        |opening| opening.roots.push(Sent::forged([F::ONE; 8])),
        |opening| opening.last_polynomial.forge().clear(),
        |opening| opening.last_polynomial.forge().push(K::ZERO),
        |opening| opening.last_messages.clear(),
        |opening| opening.last_messages.push(opening.last_messages[0]),
        |opening| opening.rounds[1].queries.clear(),
        |opening| opening.rounds[0].queries.truncate(151),
        |opening| opening.rounds[1].queries.extend_from_within(..1),
        |opening| opening.rounds[0].queries[151].path.clear(),
        |opening| opening.rounds[1].queries[0].path.push([F::ONE; 8]),
    ];
    let proof = honest(13);
    for (i, change) in changes.into_iter().enumerate() {
        let mut opening = proof.opening.clone();
        change(&mut opening);
        let (mut transcript, _) = begin(&proof.settings, &proof.root);
        let error = verify(
            &proof.settings,
            &proof.root,
            proof.claim,
            &opening,
            &mut transcript,
        )
        .unwrap_err();
        match error {
            OpeningError::Length {
                found, expected, ..
            } if i < 9 => assert_ne!(found, expected),
            OpeningError::RoundLength {
                found, expected, ..
            } if i >= 9 => {
                assert_ne!(found, expected);
            }
            _ => panic!("change {i}: {error}"),
        }
    }
    // An opening of other settings.
    let other = Settings::new(8).unwrap();
    let (mut transcript, _) = begin(&other, &proof.root);
    assert!(
        verify(
            &other,
            &proof.root,
            proof.claim,
            &proof.opening,
            &mut transcript
        )
        .is_err()
    );
}

/// A word far from the code: rows that have nothing to do with the message, or whose half has not.
#[test]
fn words_far_from_the_code_are_refused() {
    for k in [8, 13] {
        let settings = Settings::new(k).unwrap();
        let rows = 1 << settings.rounds()[0].log_rows();
        for wrong in [rows, rows / 2] {
            let mut committed = commit(&settings, random(1 << k, 2));
            let mut values = committed.codeword.values.clone();
            values[..wrong * COLUMNS].copy_from_slice(&random(wrong * COLUMNS, 3));
            committed.codeword = Codeword::new(values, COLUMNS);
            let proof = prove(committed, K::ZERO);
            assert!(proof.reduced().is_ok());
            assert!(!proof.accepted());
        }
    }
}

/// A prover that commits to one polynomial and goes on with another one.
#[test]
fn other_polynomials_than_the_committed_one_are_refused() {
    for k in [8, 13] {
        let settings = Settings::new(k).unwrap();
        let mut committed = commit(&settings, random(1 << k, 4));
        committed.message[1] += K::ONE;
        let proof = prove(committed, K::ZERO);
        assert!(proof.reduced().is_ok());
        assert!(!proof.accepted());
    }
}

#[test]
fn openings_are_the_same_at_any_number_of_threads() {
    let opening = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let proof = pool.install(|| honest(14));
        bincode::serde::encode_to_vec(&proof.opening, bincode::config::standard()).unwrap()
    };
    let one = opening(1);
    assert_eq!(one, opening(2));
    let (decoded, _): (Opening, usize) =
        bincode::serde::decode_from_slice(&one, bincode::config::standard()).unwrap();
    assert_eq!(decoded, honest(14).opening);
}

/// Many queries, some of them twice, by their products.
#[test]
fn weights_of_many_queries() {
    for (variables, log_inv_rate) in [(3, 1), (8, 2), (9, 1), (12, 5)] {
        let queries: Vec<_> = random(40, 7)
            .into_iter()
            .enumerate()
            .map(|(i, scale)| {
                let position = ((0x9e37_79b9 * (i / 2)) >> 7) % (1 << (variables + log_inv_rate));
                (position, QueryWeight::new(position, variables, scale))
            })
            .collect();
        let mut weight = random(1 << variables, 8);
        let mut expected = weight.clone();
        for (b, expected) in expected.iter_mut().enumerate() {
            for (_, query) in &queries {
                let coordinates = query.coordinates.iter().enumerate();
                let set = coordinates.filter(|(j, _)| b >> j & 1 == 1);
                *expected += query.scale * set.map(|(_, &x)| x).product::<K>();
            }
        }
        add_weights(&mut weight, queries);
        assert_eq!(weight, expected);
    }
}

#[test]
fn subspace_polynomials_of_every_dimension() {
    for position in [0, 1, 2, 0b1011, 0xfff] {
        let weight = QueryWeight::new(position, 9, K::ONE);
        for (j, &coordinate) in weight.coordinates.iter().enumerate() {
            assert_eq!(
                coordinate,
                subspace_polynomial(j, domain_point::<K>(position))
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A folded row is the element of the folded message's codeword, and that is the sum of the
    /// message with the query's weight.
    #[test]
    fn rows_fold_as_messages_do(variables in 1usize..7, log_inv_rate in 1usize..4, seed in any::<u32>().prop_map(u64::from)) {
        let message = random(COLUMNS << variables, seed);
        let rows = interleaved_encode_batch(&message, variables, log_inv_rate).values;
        let alphas = random(FOLDED, !seed);
        let mut tables = Tables { polynomial: message.clone(), weight: message };
        for &alpha in alphas.iter().rev() {
            tables.fold(alpha);
        }
        let folded = tables.polynomial;
        let codeword = interleaved_encode_batch(&folded, variables, log_inv_rate).values;
        for (z, row) in rows.as_chunks::<COLUMNS>().0.iter().enumerate() {
            let value = dot(row, &eq_table(&alphas));
            prop_assert_eq!(value, codeword[z]);
            let scale = K::from_repr(u128::from(seed));
            let mut weight = K::zero_vec(folded.len());
            let query = QueryWeight::new(z, variables, scale);
            add_weights(&mut weight, vec![(z, query.clone())]);
            prop_assert_eq!(dot(&folded, &weight), scale * value);
            let point = random(variables, seed ^ 1);
            prop_assert_eq!(query.evaluate(&point), dot(&weight, &eq_table(&point)));
        }
    }

    /// The fused pass against the two that it stands for, and messages by their definition.
    #[test]
    fn fused_pass(variables in 2usize..15, seed in any::<u32>().prop_map(u64::from)) {
        let challenge = K::from_repr(u128::from(seed) << 60);
        let tables = || Tables {
            polynomial: random(1 << variables, seed),
            weight: random(1 << variables, seed + 1),
        };
        let (mut fused, mut plain) = (tables(), tables());
        let message = fused.fold_and_message(challenge);
        plain.fold(challenge);
        prop_assert_eq!(&fused.polynomial, &plain.polynomial);
        prop_assert_eq!(&fused.weight, &plain.weight);
        prop_assert_eq!(message, plain.message());
        let half = plain.polynomial.len() / 2;
        prop_assert_eq!(message.constant, dot(&plain.polynomial[..half], &plain.weight[..half]));
        let at = |table: &[K], i: usize| table[i] + challenge * (table[i] + table[half + i]);
        let value = (0..half).map(|i| at(&plain.polynomial, i) * at(&plain.weight, i)).sum::<K>();
        let mut claim = dot(&plain.polynomial, &plain.weight);
        let middle = claim + message.leading;
        claim = message.constant + challenge * middle + challenge.square() * message.leading;
        prop_assert_eq!(claim, value);
    }
}
