//! Poseidon-16 on AVX-512 IFMA, whose lanes multiply 52 bits by 52 bits.
//!
//! # Numbers
//!
//! A lane holds an integer modulo `2^52`, in the low 52 of its 64 bits; what is above is ignored by
//! every multiplication, so sums and differences need no masks. A lane's integer stands for a field
//! element times a *scale*, and all lanes that meet in a sum have one scale. Multiplications are
//!
//! - by a constant, after Shoup: with `w' = floor(2^52 w / p)` precomputed, `x w - floor(x w' / 2^52)
//!   p` lies below `p + x p / 2^52`: three multiply-adds, for any `x < 2^52`;
//! - of two values, after Montgomery with radix `R = 2^52`: a cube is eight multiply-adds and turns
//!   the scale `S` into `S^3 / R^2`. Round constants are stored with the scale of their round, so no
//!   step is spent on scales.
//!
//! # Full rounds
//!
//! The circulant matrix has entries below 102, so its product is one of integers. The cyclic
//! convolution of length 16 is split over the factors `x - 1, x + 1, x^2 + 1, x^4 + 1, x^8 + 1` of
//! `x^16 - 1`: 86 multiply-adds by small constants instead of 256. Recombining without halving
//! leaves 16 times the product, which is a matter of scale. With inputs below `2^32` the result lies
//! below `2^45` and goes into the next cube unreduced.
//!
//! # Partial rounds
//!
//! They run on the discrete Fourier transform of the state, where the circulant matrix is a product
//! by its 16 eigenvalues. With `X_k` the transform divided by 16, element 0 of the state is the sum
//! of all `X_k`, and changing it by `d` adds `d / 16` to every `X_k`. A round is a sum, a cube and 16
//! products by constants: `X_k <- lambda_k (X_k + (sbox(x_0) - x_0) / 16)`. The transform into the
//! basis takes the matrix of the last full round with it, and one in the way out the change of scale
//! that makes the final scale Plonky3's Montgomery radix `2^32`.
//!
//! At the scale `S = R / 4` of these rounds a cube comes out as `S x^3 / 16`, just what is added.

//! # One state alone
//!
//! The sixteen elements lie in the lanes of two vectors, and what counts is the length of the chain
//! of dependent steps. The matrix is split over `x^8 - 1` and `x^8 + 1` only, as rotations. In the
//! partial rounds the next element 0 is known from the S-box's output by one addition, because the
//! rest of the sum is formed while the S-box is computed: with `W_k = lambda_k X_k`, the next sum is
//! that of all `W_k` plus `16 d` (the eigenvalues sum up to 16 times the matrix's corner, 1), and the
//! next `W_k` is `lambda_k W_k + lambda_k^2 d`.

mod arithmetic;
mod constants;
mod packed;
mod single;

pub(super) use packed::permute as permute_packed;
pub(super) use single::permute;
