"""Proofs of lists of calls of bit hashes, as `droste hashes` makes them.

- `prove`: computes the outputs of a list of inputs, and proves that they are right.
- `verify`: verifies that by the list of inputs and outputs, and the proof.

The hashes are `blake3` and `blake2s` (their compression functions) and `keccak-f` (the permutation
of 1600 bits). `docs/hashes.md` says what such a proof means.
"""

from __future__ import annotations

from droste._native import prove_hashes as prove
from droste._native import verify_hashes as verify

__all__ = [
    "prove",
    "verify",
]
