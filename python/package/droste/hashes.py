"""Proofs of lists of calls of bit hashes and of Merkle paths, as `droste hashes` makes them.

- `prove`: computes the outputs of a list of inputs, and proves that they are right.
- `verify`: verifies that by the list of inputs and outputs, and the proof.
- `prove_paths`: proves that siblings lead from leaves, at their indices, to roots.
- `verify_paths`: verifies that by the list of leaves, indices and roots, and the proof.

The hashes are `blake3` and `blake2s` (their compression functions) and `keccak-f` (the permutation
of 1600 bits). The nodes of paths are digests of BLAKE3, BLAKE2s and Keccak-256. `docs/hashes.md`
says what such proofs mean.
"""

from __future__ import annotations

from droste._native import prove_hashes as prove
from droste._native import prove_paths, verify_paths
from droste._native import verify_hashes as verify

__all__ = [
    "prove",
    "prove_paths",
    "verify",
    "verify_paths",
]
