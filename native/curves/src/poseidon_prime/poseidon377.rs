//! poseidon377: Penumbra's instances over the scalar field of BLS12-377.
//!
//! Power 17, 8 full and 31 partial rounds, 128 bits of security; round constants come from a Merlin
//! transcript that has absorbed all of these, and the matrix is a Cauchy matrix of small integers
//! (ePrint 2020/179, section 5.4). The hash puts the domain separator into word 0 and the inputs
//! into the other words, and returns word 1.

use ark_bls12_377::Fr;
use ark_ff::{BigInteger, PrimeField};
use merlin::Transcript;

use super::parameters::{ParameterError, Parameters, cauchy};
use super::permutation::Poseidon;

const ALPHA: u32 = 17;
const FULL_ROUNDS: u8 = 8;
const PARTIAL_ROUNDS: u8 = 31;
const SECURITY_BITS: u64 = 128;

/// The instance of width `T`, 2 to 8.
///
/// # Errors
/// Returns [`ParameterError::Width`] for any other width.
pub fn parameters<const T: usize>() -> Result<Parameters<Fr, T>, ParameterError> {
    if !(2..=8).contains(&T) {
        let (min, max) = (2, 8);
        return Err(ParameterError::Width { width: T, min, max });
    }
    let mut transcript = Transcript::new(b"round-constants");
    transcript.append_message(b"dom-sep", b"poseidon-paramgen");
    transcript.append_message(b"t", &(T as u64).to_le_bytes());
    transcript.append_message(b"M", &SECURITY_BITS.to_le_bytes());
    transcript.append_message(b"p", &Fr::MODULUS.to_bytes_le());
    transcript.append_message(b"r_F", &[FULL_ROUNDS]);
    transcript.append_message(b"r_P", &[PARTIAL_ROUNDS]);
    transcript.append_message(b"alpha", &ALPHA.to_le_bytes());
    let mut constant = || {
        // 128 bits more than the modulus has, rounded up to whole bytes, so that the reduction is
        // nearly unbiased.
        let mut bytes = [0u8; (Fr::MODULUS_BIT_SIZE as usize + 135) / 8];
        transcript.challenge_bytes(b"round-constant", &mut bytes);
        Fr::from_le_bytes_mod_order(&bytes)
    };
    let rounds = usize::from(FULL_ROUNDS + PARTIAL_ROUNDS);
    let constants = (0..rounds)
        .map(|_| std::array::from_fn(|_| constant()))
        .collect();
    let integers: Vec<Fr> = (0..2 * T as u64).map(Fr::from).collect();
    Ok(Parameters {
        alpha: u64::from(ALPHA),
        full_rounds: usize::from(FULL_ROUNDS),
        partial_rounds: usize::from(PARTIAL_ROUNDS),
        constants,
        matrix: cauchy(&integers[..T], &integers[T..])?,
    })
}

/// Hashes `T - 1` elements under a domain separator.
///
/// # Errors
/// Returns [`ParameterError::Inputs`] for any other number of elements.
pub fn hash<const T: usize>(
    poseidon: &Poseidon<Fr, T>,
    domain: Fr,
    inputs: &[Fr],
) -> Result<Fr, ParameterError> {
    let mut state = super::capacity_first(domain, inputs)?;
    poseidon.permute(&mut state);
    Ok(state[1])
}
