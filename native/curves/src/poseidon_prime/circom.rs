//! The Poseidon instances over the scalar field of BN254 that circom and compatible libraries use.
//!
//! Power 5, 8 full rounds, a number of partial rounds that depends on the width; constants and the
//! Cauchy matrix come from the Grain generator of the Poseidon paper (ePrint 2019/458, appendix F).
//! The hash puts 0 into word 0 and the inputs into the other words, and returns word 0.

use ark_bn254::Fr;
use ark_ff::{AdditiveGroup, PrimeField};

use super::grain::Grain;
use super::parameters::{ParameterError, Parameters, cauchy};
use super::permutation::Poseidon;

const FULL_ROUNDS: usize = 8;

/// Number of partial rounds, for widths from 2 on.
const PARTIAL_ROUNDS: [usize; 16] = [
    56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65, 70, 60, 64, 68,
];

/// The instance of width `T`, 2 to 17.
///
/// # Errors
/// Returns [`ParameterError::Width`] for any other width.
pub fn parameters<const T: usize>() -> Result<Parameters<Fr, T>, ParameterError> {
    let (min, max) = (2, PARTIAL_ROUNDS.len() + 1);
    if !(min..=max).contains(&T) {
        return Err(ParameterError::Width { width: T, min, max });
    }
    let partial_rounds = PARTIAL_ROUNDS[T - min];
    let bits = Fr::MODULUS_BIT_SIZE as usize;
    let mut grain = Grain::new(bits, T, FULL_ROUNDS, partial_rounds);
    let constants = (0..FULL_ROUNDS + partial_rounds)
        .map(|_| std::array::from_fn(|_| grain.element()))
        .collect();
    // For every width supported here, the published matrix is the first candidate.
    let x: Vec<Fr> = (0..T).map(|_| grain.reduced_element()).collect();
    let y: Vec<Fr> = (0..T).map(|_| grain.reduced_element()).collect();
    Ok(Parameters {
        alpha: 5,
        full_rounds: FULL_ROUNDS,
        partial_rounds,
        constants,
        matrix: cauchy(&x, &y)?,
    })
}

/// Hashes `T - 1` elements.
///
/// # Errors
/// Returns [`ParameterError::Inputs`] for any other number of elements.
pub fn hash<const T: usize>(
    poseidon: &Poseidon<Fr, T>,
    inputs: &[Fr],
) -> Result<Fr, ParameterError> {
    let mut state = super::capacity_first(Fr::ZERO, inputs)?;
    poseidon.permute(&mut state);
    Ok(state[0])
}
