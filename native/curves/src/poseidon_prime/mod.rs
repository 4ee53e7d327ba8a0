//! Poseidon over large prime fields, generic over field and width.
//!
//! [`Poseidon`] runs any instance given by its [`Parameters`]; [`poseidon377`] and [`circom`]
//! derive the parameters of two widely used families:
//!
//! ```
//! use ark_bn254::Fr;
//! use droste_curves::poseidon_prime::{Poseidon, circom};
//!
//! let poseidon = Poseidon::<Fr, 3>::new(circom::parameters()?)?;
//! let digest = circom::hash(&poseidon, &[Fr::from(1u64), Fr::from(2u64)])?;
//! assert_eq!(
//!     digest.to_string(),
//!     "7853200120776062878684798364095072458815029376092732009249414926327459813530",
//! );
//! # Ok::<(), droste_curves::poseidon_prime::ParameterError>(())
//! ```

pub mod circom;
pub mod grain;
mod kernel;
mod parameters;
mod permutation;
pub mod poseidon377;
mod sparse;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vector;

pub use parameters::{ParameterError, Parameters};
pub use permutation::Poseidon;

/// A state with the capacity element in word 0, followed by the inputs.
fn capacity_first<F: Copy, const T: usize>(
    capacity: F,
    inputs: &[F],
) -> Result<[F; T], ParameterError> {
    let (found, expected) = (inputs.len(), T - 1);
    if found != expected {
        return Err(ParameterError::Inputs { found, expected });
    }
    let mut state = [capacity; T];
    state[1..].copy_from_slice(inputs);
    Ok(state)
}
