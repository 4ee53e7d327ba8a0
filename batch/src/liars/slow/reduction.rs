//! From the trace to weights of its elements.

use p3_binary_field::TowerLevel;
use p3_field::{Field, PrimeCharacteristicRing};

use super::algebra::{
    bit_weights, dot, eq_at, eq_table, extended_weights, fold, line, multiply, products, right,
};
use super::{Check, Play, Row, Stage, Statement};
use crate::columns::ColumnsProof;
use crate::field::K;
use crate::keccak::{LANES, ROUND_CONSTANTS, linear};
use crate::zerocheck::ZerocheckProof;

/// `sum_l e_l ((1 + B_right1) B_right2 + B_l)`.
fn constraint(lanes: &[K], mixed: &[K; LANES]) -> K {
    (0..LANES)
        .map(|l| lanes[l] * ((K::ONE + mixed[right(l, 1)]) * mixed[right(l, 2)] + mixed[l]))
        .sum()
}

/// The proof, the weights of lanes and of bits, and the point over rows.
pub fn zerocheck(
    statement: &Statement,
    play: &mut Play,
) -> (ZerocheckProof, Vec<K>, [K; 64], Vec<K>) {
    let log_rows = statement.log_rows;
    let lanes = eq_table(&play.challenges(Stage::Trace, 5))[..LANES].to_vec();
    let high = play.challenges(Stage::Trace, 2);
    let calls = play.challenges(Stage::Trace, log_rows - 5);
    let mut weights: Vec<K> = (0..1 << log_rows)
        .map(|row| match (row / 32, row % 32) {
            (call, round) if round < 24 => {
                eq_at(&calls, call) * eq_at(&high, round / 8) * statement.basis[round % 8]
            }
            _ => K::ZERO,
        })
        .collect();

    let sum = |rows: &[Row]| -> K {
        (rows
            .iter()
            .zip(&weights)
            .filter(|(_, weight)| **weight != K::ZERO))
        .map(|((mixed, next, constant), &weight)| {
            let linear = dot(&lanes, next) + lanes[0] * *constant;
            weight * (constraint(&lanes, mixed) + linear)
        })
        .sum()
    };
    let mut first: Vec<K> = statement.extended().iter().map(|rows| sum(rows)).collect();
    play.change(Stage::Bits, &mut first);
    if let Some(zeta) = play.known(Stage::Bits) {
        let weights = extended_weights(zeta);
        let error = dot(&first, &weights) + sum(&statement.lanes(&bit_weights(zeta)));
        first[0] += error * weights[0].inverse();
    }
    play.transcript.observe(&first);
    let zeta = play.challenge(Stage::Bits);
    let bits = bit_weights(zeta);
    play.claim = dot(&first, &extended_weights(zeta));

    let values = statement.lanes(&bits);
    let mut linear: Vec<K> = values
        .iter()
        .map(|(_, next, constant)| dot(&lanes, next) + lanes[0] * *constant)
        .collect();
    let mut next: Vec<K> = values
        .iter()
        .map(|(_, next, _)| dot(&lanes, next))
        .collect();
    let mut mixed: Vec<Vec<K>> = (0..LANES)
        .map(|l| values.iter().map(|(mixed, _, _)| mixed[l]).collect())
        .collect();
    let mut rounds = Vec::new();
    let mut rows = Vec::new();
    for round in 0..log_rows {
        let mut honest = vec![K::ZERO; 4];
        for i in 0..weights.len() / 2 {
            let mut inner = line(&linear, i).to_vec();
            inner.push(K::ZERO);
            for l in 0..LANES {
                let mut left = line(&mixed[right(l, 1)], i);
                left[0] += K::ONE;
                let mut term = multiply(&left, &line(&mixed[right(l, 2)], i));
                term[0] += mixed[l][i];
                term[1] += line(&mixed[l], i)[1];
                for (inner, term) in inner.iter_mut().zip(term) {
                    *inner += lanes[l] * term;
                }
            }
            for (honest, value) in honest.iter_mut().zip(multiply(&line(&weights, i), &inner)) {
                *honest += value;
            }
        }
        let (message, x) = play.round(Stage::Row(round), &honest);
        rounds.push(message.try_into().unwrap());
        rows.insert(0, x);
        fold([&mut weights, &mut linear, &mut next], x);
        mixed.iter_mut().for_each(|table| fold([table], x));
    }

    let mut message: Vec<K> = mixed
        .iter()
        .map(|table| table[0])
        .chain([next[0]])
        .collect();
    play.change(Stage::Lanes, &mut message);
    let constant: K = (0..24)
        .map(|round| {
            let bits: K = (0..64)
                .filter(|z| ROUND_CONSTANTS[round] >> z & 1 == 1)
                .map(|z| bits[z])
                .sum();
            eq_at(&rows[..5], round) * bits
        })
        .sum();
    let weight = weights[0];
    let claim = play.claim;
    let error = |message: &[K]| {
        let mixed: &[K; LANES] = message[..LANES].try_into().unwrap();
        weight * (constraint(&lanes, mixed) + message[LANES] + lanes[0] * constant) + claim
    };
    let missing = error(&message) * weight.inverse();
    if missing != K::ZERO && play.passes(Check::Constraints) {
        match play.known(Stage::Lanes) {
            // Lane 0 has a change that the next row's has, too, as the batch weighs it.
            Some(delta) => {
                let slope = lanes[0] + lanes[4] * message[1] + lanes[3] * (K::ONE + message[4]);
                let change = missing * (slope + delta).inverse();
                message[0] += change;
                message[LANES] += delta * change;
            }
            None => message[LANES] += missing,
        }
    }
    play.check(Check::Constraints, error(&message) == K::ZERO);
    let next = message.pop().unwrap();
    play.transcript.observe(&message);
    play.transcript.observe(&[next]);
    let proof = ZerocheckProof {
        bits: first,
        rounds,
        mixed: message,
        next,
    };
    (proof, lanes, bits, rows)
}

/// The proof, the point over columns, and all columns at the point over rows.
pub fn columns(
    statement: &Statement,
    play: &mut Play,
    lanes: &[K],
    bits: &[K; 64],
    rows: &[K],
    zerocheck: &ZerocheckProof,
) -> (ColumnsProof, Vec<K>, [Vec<K>; 2]) {
    let delta = play.challenge(Stage::Lanes);
    let powers: Vec<K> = delta.powers().skip(1).take(LANES).collect();
    play.claim = zerocheck.next + dot(&powers, &zerocheck.mixed);
    let mut weights = vec![K::ZERO; 2048];
    let mut next_weights = vec![K::ZERO; 2048];
    for column in 0..64 * LANES {
        let mut state = [0; LANES];
        state[column / 64] = 1 << (column % 64);
        for (word, &power) in linear(&state).iter().zip(&powers) {
            for z in (0..64).filter(|z| word >> z & 1 == 1) {
                weights[column] += power * bits[z];
            }
        }
        next_weights[column] = lanes[column / 64] * bits[column % 64];
    }

    let all = statement.columns(&eq_table(rows));
    let [mut own, mut next] = all.clone();
    let mut rounds = Vec::new();
    let mut point = Vec::new();
    for round in 0..11 {
        let honest = products(&[(&weights, &own), (&next_weights, &next)]);
        let (message, x) = play.round(Stage::Column(round), &honest);
        rounds.push(message.try_into().unwrap());
        point.insert(0, x);
        fold([&mut weights, &mut next_weights, &mut own, &mut next], x);
    }

    let mut values = [own[0], next[0]];
    play.change(Stage::Values, &mut values);
    let weights = [weights[0], next_weights[0]];
    let error = dot(&weights, &values) + play.claim;
    if error != K::ZERO && play.passes(Check::Values) {
        match play.known(Stage::Values) {
            // Changes that cancel in the next claim.
            Some(challenge) => {
                let change = error * (weights[0] * challenge + weights[1]).inverse();
                values[0] += challenge * change;
                values[1] += change;
            }
            None => values[0] += error * weights[0].inverse(),
        }
    }
    play.check(Check::Values, dot(&weights, &values) == play.claim);
    play.transcript.observe(&values);
    (ColumnsProof { rounds, values }, point, all)
}

/// The sums for each bit, and the weights of elements.
pub fn elements(
    statement: &Statement,
    play: &mut Play,
    rows: &[K],
    columns: &[K],
    [own, next]: [&[K]; 2],
    values: &[K; 2],
) -> (Vec<K>, Vec<K>) {
    let challenge = play.challenge(Stage::Values);
    play.claim = values[0] + challenge * values[1];
    let (bits, elements) = columns.split_at(7);
    let (bits, elements) = (eq_table(bits), eq_table(elements));
    let mut sums: Vec<K> = (0..128)
        .map(|u| {
            (0..16)
                .map(|g| elements[g] * (own[128 * g + u] + challenge * next[128 * g + u]))
                .sum()
        })
        .collect();
    play.change(Stage::Sums, &mut sums);
    let error = dot(&sums, &bits) + play.claim;
    if error != K::ZERO && play.passes(Check::Sums) {
        let first = bits[0].inverse();
        match play.known(Stage::Sums) {
            // If the weights of bits are known to be those of bit 0, the others may change.
            Some(_) => {
                let changes = (0..).map(|i| {
                    let second = K::from_repr(2 * i);
                    [(error + second * bits[1]) * first, second]
                });
                let even = |changes: &[K; 2]| changes[0].to_repr() & 1 == 0;
                let changes = { changes }.find(even).unwrap();
                sums[0] += changes[0];
                sums[1] += changes[1];
            }
            None => sums[0] += error * first,
        }
    }
    play.check(Check::Sums, dot(&sums, &bits) == play.claim);
    play.transcript.observe(&sums);

    let sampled: Vec<K> = (0..7)
        .scan(play.transcript.clone(), |transcript, _| {
            Some(transcript.sample())
        })
        .collect();
    let sigma = play.challenges(Stage::Sums, 7);
    let map = |sigma: &[K], value: K| -> K {
        (0..128)
            .filter(|v| value.to_repr() >> v & 1 == 1)
            .map(|v| sigma[v])
            .sum()
    };
    let [sampled, sigma] = [sampled, sigma].map(|point| eq_table(&point));
    let x = K::from_repr(2);
    let packed = |sigma: &[K]| {
        x.powers()
            .zip(&sums)
            .map(|(power, &sum)| power * map(sigma, sum))
            .sum()
    };
    play.claim = packed(&sigma);
    play.observed = packed(&sampled);
    let count = statement.rows();
    let equal = eq_table(rows);
    let mut weights: Vec<K> = (0..16 * count)
        .map(|y| {
            let [before, _] = Statement::neighbours(y % count);
            map(
                &sigma,
                elements[y / count] * (equal[y % count] + challenge * equal[before]),
            )
        })
        .collect();

    // Inputs and outputs.
    let point: Vec<K> = (0..4).map(|_| play.transcript.sample()).collect();
    let calls = eq_table(&rows[5..]);
    let sampled = play.transcript.clone().sample();
    let power = play.challenge(Stage::Public);
    let x_64 = K::from_repr(1 << 64);
    for call in 0..count / 32 {
        for (kind, state) in statement.public(call).into_iter().enumerate() {
            let weight = power.exp_u64(1 + kind as u64) * calls[call];
            let sampled = sampled.exp_u64(1 + kind as u64) * calls[call];
            for g in 0..16 {
                let lane =
                    |lane: usize| K::from_repr(u128::from(state.get(lane).copied().unwrap_or(0)));
                let value = lane(2 * g) + x_64 * lane(2 * g + 1);
                play.claim += weight * eq_at(&point, g) * value;
                play.observed += sampled * eq_at(&point, g) * value;
                weights[g * count + 32 * call + 24 * kind] += weight * eq_at(&point, g);
            }
        }
    }
    (sums, weights)
}
