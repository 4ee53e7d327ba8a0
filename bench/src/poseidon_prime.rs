//! `droste-bench poseidon-prime`: Poseidon over large primes against ark-crypto-primitives and
//! light-poseidon.

use std::hint::black_box;

use ark_crypto_primitives::sponge::poseidon::{PoseidonConfig, PoseidonSponge};
use ark_crypto_primitives::sponge::{Absorb, CryptographicSponge, FieldBasedCryptographicSponge};
use ark_ff::PrimeField;
use clap::Args;
use droste_curves::poseidon_prime::{Parameters, Poseidon, circom, poseidon377};
use light_poseidon::PoseidonHasher;
use serde_json::{Value, json};

use crate::race::{Times, duel};
use crate::report::Report;

/// What to measure.
#[derive(Args)]
pub struct Arguments {
    /// Measurements per figure, of which the median is reported.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// Permutations per measurement.
    #[arg(long, default_value_t = 200)]
    calls: usize,
}

/// Runs the measurements.
pub fn run(arguments: &Arguments) -> Report {
    let mut rows = vec![];
    macro_rules! bench {
        ($bench:ident: $($width:literal)*) => {
            $(rows.extend($bench::<$width>(arguments));)*
        };
    }
    bench!(bls12_377: 2 3 4 5 6 7 8);
    bench!(bn254: 2 3 4 5 6 7 8 9 10 11 12 13);
    Report::from_rows(rows)
}

/// Measures the dense against the sparse form of the permutation, in a race.
fn forms<F: PrimeField, const T: usize>(
    arguments: &Arguments,
    poseidon: &Poseidon<F, T>,
) -> (Times, Times) {
    let start: [F; T] = std::array::from_fn(|i| F::from(i as u64 + 1));
    let (mut sparse, mut dense) = (start, start);
    duel(
        arguments.rounds,
        arguments.calls,
        || poseidon.permute(black_box(&mut sparse)),
        || poseidon.permute_dense(black_box(&mut dense)),
    )
}

/// Measures one permutation of ark-crypto-primitives' sponge: a full rate is absorbed, one element
/// squeezed.
fn sponge<F: PrimeField + Absorb, const T: usize>(parameters: &Parameters<F, T>) -> impl FnMut() {
    let rows = |matrix: &[[F; T]]| matrix.iter().map(|row| row.to_vec()).collect();
    let config = PoseidonConfig::new(
        parameters.full_rounds,
        parameters.partial_rounds,
        parameters.alpha,
        rows(&parameters.matrix),
        rows(&parameters.constants),
        T - 1,
        1,
    );
    let fresh = PoseidonSponge::new(&config);
    let inputs: Vec<F> = (1..T as u64).map(F::from).collect();
    move || {
        let mut sponge = fresh.clone();
        sponge.absorb(black_box(&inputs));
        black_box(sponge.squeeze_native_field_elements(1));
    }
}

fn row<F: PrimeField + Absorb, const T: usize>(
    arguments: &Arguments,
    field: &str,
    poseidon: &Poseidon<F, T>,
) -> Value {
    let (ours, dense) = forms(arguments, poseidon);
    let mut state: [F; T] = std::array::from_fn(|i| F::from(i as u64 + 1));
    let (again, peer) = duel(
        arguments.rounds,
        arguments.calls,
        || poseidon.permute(black_box(&mut state)),
        sponge(poseidon.parameters()),
    );
    json!({
        "field": field, "t": T, "ours_ns": again.median(), "dense_ns": dense.median(),
        "peer": "ark-crypto-primitives", "peer_ns": peer.median(),
        "ratio": again.ratio(&peer), "ratio_dense": ours.ratio(&dense),
    })
}

fn bls12_377<const T: usize>(arguments: &Arguments) -> Vec<Value> {
    let poseidon = poseidon377::parameters::<T>().and_then(Poseidon::new);
    let poseidon = poseidon.into_iter();
    poseidon
        .map(|poseidon| row(arguments, "bls12-377-fr", &poseidon))
        .collect()
}

fn bn254<const T: usize>(arguments: &Arguments) -> Vec<Value> {
    let Ok(poseidon) = circom::parameters::<T>().and_then(Poseidon::new) else {
        return vec![];
    };
    let mut rows = vec![row(arguments, "bn254-fr", &poseidon)];
    if let Ok(mut light) = light_poseidon::Poseidon::<ark_bn254::Fr>::new_circom(T - 1) {
        let inputs: Vec<ark_bn254::Fr> = (1..T as u64).map(From::from).collect();
        assert_eq!(
            light.hash(&inputs).ok(),
            circom::hash(&poseidon, &inputs).ok()
        );
        let (ours, peer) = duel(
            arguments.rounds,
            arguments.calls,
            || {
                let _ = black_box(circom::hash(&poseidon, black_box(&inputs)));
            },
            || {
                let _ = black_box(light.hash(black_box(&inputs)));
            },
        );
        let dense = rows[0]["dense_ns"].clone();
        rows.push(json!({
            "field": "bn254-fr", "t": T, "ours_ns": ours.median(), "dense_ns": dense,
            "peer": "light-poseidon", "peer_ns": peer.median(), "ratio": ours.ratio(&peer),
        }));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generator of parameters computes light-poseidon's published parameters, for every width
    /// that they have.
    #[test]
    fn circom_instances_agree_with_light_poseidon() {
        fn check<const T: usize>() {
            let poseidon = Poseidon::new(circom::parameters::<T>().unwrap()).unwrap();
            let mut light = light_poseidon::Poseidon::<ark_bn254::Fr>::new_circom(T - 1).unwrap();
            let inputs: Vec<ark_bn254::Fr> = (5..T as u64 + 4).map(From::from).collect();
            let digest = circom::hash(&poseidon, &inputs).unwrap();
            assert_eq!(light.hash(&inputs).unwrap(), digest, "width {T}");
        }
        check::<2>();
        check::<3>();
        check::<4>();
        check::<5>();
        check::<6>();
        check::<7>();
        check::<8>();
        check::<9>();
        check::<10>();
        check::<11>();
        check::<12>();
        check::<13>();
    }
}
