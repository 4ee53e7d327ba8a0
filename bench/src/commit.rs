//! `droste-bench commit`: curve commitments, and the share of their time that each step spends in
//! multi-scalar multiplications.

#[cfg(feature = "machine")]
mod traces;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ark_bn254::Fr;
use ark_ec::CurveGroup;
use ark_ff::{Field, PrimeField};
use ark_grumpkin::GrumpkinConfig;
use clap::Args;
use droste_curves::commit::kzg::Kzg;
use droste_curves::commit::pedersen::PedersenKey;
use droste_curves::commit::srs::Srs;
use droste_curves::commit::{CommitError, ipa};
use droste_curves::msm::{Msm, Record};
use serde_json::{Value, json};

use crate::clock::{milliseconds_since, now};
use crate::report::Report;

/// What to measure.
#[derive(Args)]
pub struct Arguments {
    /// Logarithms of the number of coefficients.
    #[arg(long, value_delimiter = ',', default_value = "10,12,14,15,16")]
    log_n: Vec<u32>,
    /// Omits the traces of the machine.
    #[cfg(feature = "machine")]
    #[arg(long)]
    no_traces: bool,
    /// Number of threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Measurements per figure, of which the smallest is reported.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Runs the measurements.
pub fn run(arguments: &Arguments) -> Report {
    let mut rows = vec![];
    for &log in &arguments.log_n {
        let n = 1usize << log;
        rows.extend(kzg(arguments, n));
        rows.extend(ipa(arguments, n));
    }
    #[cfg(feature = "machine")]
    if !arguments.no_traces {
        rows.extend(traces::rows(arguments));
    }
    Report::from_rows(rows)
}

/// Nanoseconds spent inside multiplications, from their records. Sums over workers are divided by
/// the number of workers.
#[derive(Clone, Default)]
struct Inside(Arc<AtomicU64>);

impl Inside {
    fn options(&self, threads: usize) -> Msm {
        let total = self.0.clone();
        let shared = threads as u64;
        Msm::new().threads(threads).trace(move |record: &Record| {
            let s = &record.stages;
            let serial = s.scan + s.pack + s.duplicates + s.split + s.recode + s.combine;
            let spread = (s.accumulate + s.reduce).as_nanos() as u64 / shared;
            total.fetch_add(serial.as_nanos() as u64 + spread, Ordering::Relaxed);
        })
    }
}

/// Returns the smallest time of a step in milliseconds, and the share of multiplications in that
/// measurement.
fn step<T>(
    rounds: usize,
    inside: &Inside,
    mut step: impl FnMut() -> Result<T, CommitError>,
) -> Result<(T, f64, f64), CommitError> {
    let mut best = None;
    for _ in 0..rounds.max(1) {
        inside.0.store(0, Ordering::Relaxed);
        let (start, wall) = (now(), Instant::now());
        let result = step()?;
        let time = milliseconds_since(start);
        // The records contain elapsed time, whichever clock the bench measures.
        let share = inside.0.load(Ordering::Relaxed) as f64 / wall.elapsed().as_nanos() as f64;
        if best.as_ref().is_none_or(|(_, least, _)| time < *least) {
            best = Some((result, time, share));
        }
    }
    best.ok_or(CommitError::Rejected)
}

fn coefficients<F: PrimeField>(n: usize) -> Vec<F> {
    let base = F::from(7u64).pow([1_234_567]);
    std::iter::successors(Some(base), |x| Some(*x * x + base))
        .take(n)
        .collect()
}

fn kzg(arguments: &Arguments, n: usize) -> Result<Value, CommitError> {
    let inside = Inside::default();
    let mut kzg = Kzg::new(Srs::insecure_from_seed(b"droste-bench", n));
    kzg.msm = inside.options(arguments.threads);
    let polynomial = coefficients::<Fr>(n);
    let point = Fr::from(5u64).pow([99]);
    let rounds = arguments.rounds;
    let (commitment, commit_ms, commit_share) = step(rounds, &inside, || kzg.commit(&polynomial))?;
    let ((value, proof), open_ms, open_share) =
        step(rounds, &inside, || kzg.open(&polynomial, point))?;
    let key = kzg.verifier_key();
    let ((), verify_ms, _) = step(rounds, &inside, || {
        key.verify(&commitment, point, value, &proof)
    })?;
    Ok(row(
        "kzg-bn254",
        n,
        arguments.threads,
        [commit_ms, open_ms, verify_ms],
        [commit_share, open_share],
    ))
}

fn ipa(arguments: &Arguments, n: usize) -> Result<Value, CommitError> {
    let inside = Inside::default();
    let mut key = PedersenKey::<GrumpkinConfig>::new(b"droste-bench", n);
    key.msm = inside.options(arguments.threads);
    let polynomial = coefficients::<ark_grumpkin::Fr>(n);
    let point = ark_grumpkin::Fr::from(5u64).pow([99]);
    let rounds = arguments.rounds;
    let (commitment, commit_ms, commit_share) =
        step(rounds, &inside, || key.commit(&polynomial, None))?;
    let commitment = commitment.into_affine();
    let ((value, proof), open_ms, open_share) =
        step(rounds, &inside, || ipa::open(&key, &polynomial, point))?;
    let ((), verify_ms, _) = step(rounds, &inside, || {
        ipa::verify(&key, &commitment, point, value, &proof)
    })?;
    Ok(row(
        "ipa-grumpkin",
        n,
        arguments.threads,
        [commit_ms, open_ms, verify_ms],
        [commit_share, open_share],
    ))
}

fn row(scheme: &str, n: usize, threads: usize, times: [f64; 3], shares: [f64; 2]) -> Value {
    let [commit, open, verify] = times;
    let [commit_share, open_share] = shares;
    json!({
        "scheme": scheme, "n": n, "threads": threads,
        "commit_ms": commit, "open_ms": open, "verify_ms": verify,
        "msm_share": (commit * commit_share + open * open_share) / (commit + open),
        "msm_share_commit": commit_share, "msm_share_open": open_share,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bn254::G1Affine;
    use ark_ec::AffineRepr;
    use ark_ff::{One, Zero};
    use droste_curves::commit::kzg::KzgProof;

    /// The reference is ark-poly-commit's KZG10 over the same powers: commitments and proofs are
    /// equal, and each verifier accepts the other's proofs. (There is no reference for our
    /// inner-product argument: theirs is another protocol, ePrint 2020/499.)
    #[test]
    fn kzg_agrees_with_ark_poly_commit() {
        use ark_bn254::Bn254;
        use ark_poly::univariate::DensePolynomial;
        use ark_poly_commit::DenseUVPolynomial;
        use ark_poly_commit::kzg10::{Commitment, KZG10, Powers, Proof, VerifierKey};

        type Theirs = KZG10<Bn254, DensePolynomial<Fr>>;
        let kzg = Kzg::new(Srs::insecure_from_seed(b"test", 65));
        // The powers are the commitments to monomials.
        let monomial = |i: usize| [vec![Fr::zero(); i], vec![Fr::one()]].concat();
        let powers = (0..65).map(|i| kzg.commit(&monomial(i)).unwrap());
        let powers = Powers::<Bn254> {
            powers_of_g: powers.collect::<Vec<_>>().into(),
            powers_of_gamma_g: vec![].into(),
        };
        let key = kzg.verifier_key();
        let their_key = VerifierKey {
            g: key.g1,
            gamma_g: G1Affine::zero(),
            h: key.g2,
            beta_h: key.tau_g2,
            prepared_h: key.g2.into(),
            prepared_beta_h: key.tau_g2.into(),
        };
        for n in [2, 3, 20, 64, 65] {
            let p = coefficients::<Fr>(n as usize);
            let theirs = DensePolynomial::from_coefficients_slice(&p);
            let point = Fr::from(n).pow([77]);
            let commitment = kzg.commit(&p).unwrap();
            let (their_commitment, state) = Theirs::commit(&powers, &theirs, None, None).unwrap();
            assert_eq!(their_commitment, Commitment(commitment));
            let (value, proof) = kzg.open(&p, point).unwrap();
            let their_proof = Theirs::open(&powers, &theirs, point, &state).unwrap();
            assert_eq!(their_proof.w, proof.0);
            let ours = Proof {
                w: proof.0,
                random_v: None,
            };
            let takes = |value| Theirs::check(&their_key, &their_commitment, point, value, &ours);
            assert!(takes(value).unwrap());
            assert!(!takes(value + Fr::one()).unwrap());
            let theirs = KzgProof(their_proof.w);
            key.verify(&their_commitment.0, point, value, &theirs)
                .unwrap();
        }
    }
}
