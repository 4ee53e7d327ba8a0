//! Kernels of Poseidon-16 with AVX-512 IFMA, whose lanes multiply 52 bits by 52 bits.
//!
//! # Numbers
//!
//! A lane contains an integer modulo `2^52`, in the low 52 of its 64 bits. Every multiplication
//! ignores the higher bits, so sums and differences need no masks. The integer stands for a field
//! element times a *scale*, and all terms of a sum have the same scale. There are two kinds of
//! multiplications:
//!
//! - by a constant, after Shoup: with `w' = floor(2^52 w / p)` precomputed,
//!   `x w - floor(x w' / 2^52) p` is below `p + x p / 2^52`; this takes three multiply-adds, for
//!   any `x < 2^52`;
//! - of two values, after Montgomery, with radix `R = 2^52`: a cube takes eight multiply-adds and
//!   turns the scale `S` into `S^3 / R^2`. Round constants are stored at the scale of their round,
//!   so no step is spent on changing scales.
//!
//! # Full rounds
//!
//! The circulant matrix has entries below 102, so the product by it can be computed on integers.
//! The cyclic convolution of length 16 is split over the factors
//! `x - 1, x + 1, x^2 + 1, x^4 + 1, x^8 + 1` of `x^16 - 1`, which takes 86 multiply-adds by small
//! constants instead of 256. Recombining without halving returns 16 times the product, which only
//! changes the scale. For inputs below `2^32` the result is below `2^45`, and the next round cubes
//! it without reducing it.
//!
//! # Partial rounds
//!
//! They run on the discrete Fourier transform of the state, in which the circulant matrix
//! multiplies by its 16 eigenvalues. With `X_k` the transform divided by 16, element 0 of the state
//! is the sum of all `X_k`, and changing element 0 by `d` adds `d / 16` to every `X_k`. So a round
//! is a sum, a cube and 16 products by constants: `X_k <- lambda_k (X_k + (sbox(x_0) - x_0) / 16)`.
//! The transform at the start also applies the matrix of the last full round; the products at the
//! end also change the scale so that the permutation's output has Plonky3's Montgomery radix `2^32`
//! as its scale.
//!
//! At the scale `S = R / 4` of these rounds, a cube comes out as `S x^3 / 16`, which is the term to
//! add.

//! # One state alone
//!
//! The sixteen elements are in the lanes of two vectors, and the time is determined by the length
//! of the chain of dependent steps. The matrix product is split over `x^8 - 1` and `x^8 + 1` only,
//! and computed by rotations. In the partial rounds, the rest of the sum is computed while the
//! S-box is, so the next element 0 follows from the S-box's output by one addition: with
//! `W_k = lambda_k X_k`, the next sum is that of all `W_k` plus `16 d` (the eigenvalues sum up to
//! 16 times the matrix's corner entry, which is 1), and the next `W_k` is
//! `lambda_k W_k + lambda_k^2 d`.

mod arithmetic;
mod constants;
mod packed;
mod single;

pub(super) use packed::permute as permute_packed;
pub(super) use single::permute;
