//! Multi-scalar multiplication on a curve of arkworks, and a commitment that uses it. It is not
//! constant-time: do not use secret scalars where an attacker can measure time.
//!
//! `cargo run --release -p droste --features curves --example msm`

use std::error::Error;

use droste::curves::ark_bn254::{Fr, G1Projective, g1};
use droste::curves::ark_ec::CurveGroup;
use droste::curves::ark_ff::Field;
use droste::curves::{msm, msm_batch, pedersen::PedersenKey};

fn main() -> Result<(), Box<dyn Error>> {
    // 1. The bases: here those of a Pedersen key, between which nobody knows a linear relation.
    let key = PedersenKey::<g1::Config>::new(b"an example", 1 << 8);
    let bases = key.bases();

    // 2. One scalar per base.
    let powers = |x: u64| -> Vec<Fr> {
        let x = Fr::from(x).pow([5]);
        std::iter::successors(Some(x), |&power| Some(power * x))
            .take(bases.len())
            .collect()
    };
    let scalars = powers(3);

    // 3. The sum of `scalars[i] * bases[i]`, which arkworks computes with `VariableBaseMSM::msm`.
    let sum = msm(bases, &scalars)?;
    let one_by_one: G1Projective = bases.iter().zip(&scalars).map(|(base, k)| *base * k).sum();
    assert_eq!(sum, one_by_one);
    println!("{} terms: {:?}", bases.len(), sum.into_affine());

    // 4. Several vectors of scalars over the same bases in one call, which costs less than one call
    //    per vector.
    let other = powers(4);
    let sums = msm_batch(bases, &[&scalars, &other])?;
    assert_eq!(sums, [sum, msm(bases, &other)?]);

    // 5. A Pedersen commitment to a vector is such a sum; with a blinding factor it also hides the
    //    vector.
    assert_eq!(key.commit(&scalars, None)?, sum);
    assert_ne!(key.commit(&scalars, Some(Fr::from(11)))?, sum);
    Ok(())
}
