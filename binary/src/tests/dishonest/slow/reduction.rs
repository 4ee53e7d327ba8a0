//! From the trace to weights of its elements.

use droste_native::stark::challenger::Sent;
use p3_binary_field::TowerLevel;
use p3_field::{Field, PrimeCharacteristicRing};

use super::algebra::{
    bit_weights, dot, eq_at, eq_table, extended_weights, fold, line, multiply, products,
};
use super::{Check, Play, Stage, Statement, Values};
use crate::circuit::{Circuit, Form};
use crate::columns::ColumnsProof;
use crate::field::K;
use crate::opening::Message;
use crate::tests::dishonest::forms::{COLUMNS, cells};
use crate::tree_hash::Transcript;
use crate::zerocheck::ZerocheckProof;

/// The sum of a group's constraints, less products: by their weights, with or without constants.
fn rest(circuit: &Circuit, constraints: &[K], values: &Values, group: usize, whole: bool) -> K {
    let (own, first) = circuit.with_first().nth(group).unwrap();
    let range = first..first + own.rest.len();
    let constants = values.constants.iter();
    let constants = constants.filter(|constant| whole && range.contains(&constant.0));
    dot(&constraints[range.clone()], &values.rests[range.clone()])
        + constants
            .map(|&(constraint, value)| constraints[constraint] * value)
            .sum::<K>()
}

/// A group's products: the first operand, less its inversion, the second one, the weight.
fn products_of(circuit: &Circuit, constraints: &[K], group: usize) -> Vec<(usize, K, usize, K)> {
    let (own, first) = circuit.with_first().nth(group).unwrap();
    (own.products.iter().zip(&constraints[first..]))
        .map(|(product, &weight)| {
            let inverse = K::from_bool(product.inverted);
            (product.left, inverse, product.right, weight)
        })
        .collect()
}

/// The sum of products.
fn sum_of(products: &[(usize, K, usize, K)], operands: &[K]) -> K {
    products
        .iter()
        .map(|&(left, inverse, right, weight)| {
            weight * (operands[left] + inverse) * operands[right]
        })
        .sum()
}

/// The proof, the weights of constraints and of bits, and the point over rows.
pub fn zerocheck(
    statement: &Statement,
    play: &mut Play,
) -> (ZerocheckProof, Vec<K>, [K; 64], Vec<K>) {
    let circuit = &statement.circuit;
    let (log_rows, groups) = (statement.log_rows, 0..circuit.groups.len());
    let count = circuit.num_constraints();
    let variables = (0..).find(|&variables| 1 << variables >= count).unwrap();
    let constraints = eq_table(&play.challenges(Stage::Trace, variables))[..count].to_vec();
    let high = play.challenges(Stage::Trace, circuit.log_rows - 3);
    let calls = play.challenges(Stage::Trace, log_rows - circuit.log_rows);
    let mut weights: Vec<Vec<K>> = (circuit.groups.iter())
        .map(|group| {
            (0..1 << log_rows)
                .map(
                    |row| match (row >> circuit.log_rows, statement.index(row)) {
                        (call, index) if group.rows >> index & 1 == 1 => {
                            let high = eq_at(&high, index / 8);
                            eq_at(&calls, call) * high * statement.basis[index % 8]
                        }
                        _ => K::ZERO,
                    },
                )
                .collect()
        })
        .collect();
    let products: Vec<_> = groups
        .clone()
        .map(|group| products_of(circuit, &constraints, group))
        .collect();

    let sum = |rows: &[Values]| -> K {
        let mut sum = K::ZERO;
        for group in groups.clone() {
            for (values, &weight) in rows.iter().zip(&weights[group]) {
                if weight != K::ZERO {
                    let products = sum_of(&products[group], &values.operands);
                    sum += weight * (products + rest(circuit, &constraints, values, group, true));
                }
            }
        }
        sum
    };
    let mut first: Vec<K> = statement.extended().iter().map(|rows| sum(rows)).collect();
    play.change(Stage::Bits, &mut first);
    if let Some(zeta) = play.known(Stage::Bits) {
        let weights = extended_weights(zeta);
        let error = dot(&first, &weights) + sum(&statement.values(&bit_weights(zeta)));
        first[0] += error * weights[0].inverse();
    }
    play.transcript.observe(&first);
    let zeta = play.challenge(Stage::Bits);
    let bits = bit_weights(zeta);
    play.claim = dot(&first, &extended_weights(zeta));

    let values = statement.values(&bits);
    let rests = |whole| -> Vec<Vec<K>> {
        let column = |group| {
            let rows = values.iter();
            rows.map(|values| rest(circuit, &constraints, values, group, whole))
                .collect()
        };
        groups.clone().map(column).collect()
    };
    let (mut whole, mut forms) = (rests(true), rests(false));
    let mut operands: Vec<Vec<K>> = (0..circuit.operands.len())
        .map(|i| values.iter().map(|values| values.operands[i]).collect())
        .collect();
    let mut rounds = Vec::new();
    let mut rows = Vec::new();
    for round in 0..log_rows {
        let mut honest = vec![K::ZERO; 4];
        for group in groups.clone() {
            for i in 0..weights[group].len() / 2 {
                let weight = line(&weights[group], i);
                if weight == [K::ZERO; 2] {
                    continue;
                }
                let mut inner = line(&whole[group], i).to_vec();
                inner.push(K::ZERO);
                for &(left, inverse, right, scale) in &products[group] {
                    let mut left = line(&operands[left], i);
                    left[0] += inverse;
                    let term = multiply(&left, &line(&operands[right], i));
                    for (inner, term) in inner.iter_mut().zip(term) {
                        *inner += scale * term;
                    }
                }
                for (honest, value) in honest.iter_mut().zip(multiply(&weight, &inner)) {
                    *honest += value;
                }
            }
        }
        let (message, x) = play.round(Stage::Row(round), &honest);
        rounds.push(Sent::forged(message.try_into().unwrap()));
        rows.insert(0, x);
        let tables = weights.iter_mut().chain(&mut whole);
        let tables = tables.chain(&mut forms).chain(&mut operands);
        tables.for_each(|table| fold([table], x));
    }

    let first_values =
        |tables: &[Vec<K>]| -> Vec<K> { tables.iter().map(|table| table[0]).collect() };
    let mut message = [first_values(&operands), first_values(&forms)].concat();
    play.change(Stage::Forms, &mut message);
    let weights = first_values(&weights);
    let constants: K = (statement.verified.with_first().zip(&weights))
        .flat_map(|((group, first), &weight)| {
            let constants = group.constants.iter();
            constants.map(move |&(own, row, word)| (weight, first + own, row, word))
        })
        .map(|(weight, constraint, row, word)| {
            let set = (0..64).filter(|z| word >> z & 1 == 1);
            let value = set.map(|z| bits[z]).sum::<K>();
            weight * constraints[constraint] * eq_at(&rows[..circuit.log_rows], row) * value
        })
        .sum();
    let claim = play.claim;
    let error = |message: &[K]| {
        let (operands, rests) = message.split_at(operands.len());
        let sums = groups
            .clone()
            .map(|group| weights[group] * (sum_of(&products[group], operands) + rests[group]));
        sums.sum::<K>() + constants + claim
    };
    let missing = error(&message);
    if missing != K::ZERO && play.passes(Check::Constraints) {
        let of_rest = operands.len();
        match play.known(Stage::Forms) {
            // Operand 0 and the first rest have changes that cancel in the batch.
            Some(delta) => {
                let mut other = message.clone();
                other[0] += K::ONE;
                // No product has operand 0 twice.
                let slope = error(&other) + missing;
                let scale = delta.exp_u64(of_rest as u64);
                let change = missing * (slope * scale + weights[0]).inverse();
                message[0] += scale * change;
                message[of_rest] += change;
            }
            None => message[of_rest] += missing * weights[0].inverse(),
        }
    }
    play.check(Check::Constraints, error(&message) == K::ZERO);
    let rests = message.split_off(operands.len());
    play.transcript.observe(&message);
    play.transcript.observe(&rests);
    let proof = ZerocheckProof {
        bits: Sent::forged(first),
        rounds,
        operands: Sent::forged(message),
        rests: Sent::forged(rests),
    };
    (proof, constraints, bits, rows)
}

/// The proof, the point over columns, and all columns at the point over rows.
pub fn columns(
    statement: &Statement,
    play: &mut Play,
    constraints: &[K],
    bits: &[K; 64],
    rows: &[K],
    zerocheck: &ZerocheckProof,
) -> (ColumnsProof, Vec<K>, [Vec<K>; 2]) {
    let delta = play.challenge(Stage::Forms);
    let mut power = K::ONE;
    let [mut weights, mut next_weights] = [(); 2].map(|()| vec![K::ZERO; COLUMNS]);
    let mut weigh = |form: &Form, weight: K| {
        for (z, &bit) in bits.iter().enumerate() {
            for (next, column) in cells(form, z) {
                let weights = if next {
                    &mut next_weights
                } else {
                    &mut weights
                };
                weights[column] += weight * bit;
            }
        }
    };
    play.claim = K::ZERO;
    for (form, &value) in statement
        .verified
        .operands
        .iter()
        .zip(zerocheck.operands.peek())
    {
        play.claim += power * value;
        weigh(form, power);
        power *= delta;
    }
    for ((group, first), &value) in statement.verified.with_first().zip(zerocheck.rests.peek()) {
        play.claim += power * value;
        for (form, &constraint) in group.rest.iter().zip(&constraints[first..]) {
            weigh(form, power * constraint);
        }
        power *= delta;
    }

    let all = statement.columns(&eq_table(rows));
    let [mut own, mut next] = all.clone();
    let mut rounds = Vec::new();
    let mut point = Vec::new();
    for round in 0..11 {
        let honest = products(&[(&weights, &own), (&next_weights, &next)]);
        let (message, x) = play.round(Stage::Column(round), &honest);
        rounds.push(Sent::forged(Message {
            constant: message[0],
            leading: message[1],
        }));
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
    let values = Sent::forged(values);
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
            // If the map is known to be the identity, changes may cancel.
            Some(_) => {
                let x = K::from_repr(2);
                let change = error * (bits[0] * x + bits[1]).inverse();
                sums[0] += x * change;
                sums[1] += change;
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
    let x = K::from_repr(2);
    // The values of the map at the powers of x.
    let [sampled, sigma] = [sampled, sigma].map(|point| -> Vec<K> {
        let weights = eq_table(&point);
        let powers = x.powers().take(128);
        let value = |power: K| {
            let conjugates = std::iter::successors(Some(power), |value| Some(*value * *value));
            weights
                .iter()
                .zip(conjugates)
                .map(|(&weight, value)| weight * value)
                .sum()
        };
        powers.map(value).collect()
    });
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
    let mut weights = vec![K::ZERO; 16 * count];
    for row in 0..count {
        let [before, _] = statement.neighbours(row);
        let of_row = equal[row] + challenge * equal[before];
        for (g, &element) in elements.iter().enumerate() {
            weights[statement.place(row, g)] = map(&sigma, element * of_row);
        }
    }

    // Inputs and outputs.
    let point: Vec<K> = (0..4).map(|_| play.transcript.sample()).collect();
    let log_rows = statement.circuit.log_rows;
    let calls = eq_table(&rows[log_rows..]);
    let sampled = play.transcript.clone().sample();
    let power = play.challenge(Stage::Public);
    for (call, number, row, g, value) in statement.public() {
        let element = calls[call] * eq_at(&point, g);
        let [weight, sampled] =
            [power, sampled].map(|power| power.exp_u64(1 + number as u64) * element);
        play.claim += weight * value;
        play.observed += sampled * value;
        weights[statement.place((call << log_rows) + row, g)] += weight;
    }
    (sums, weights)
}
