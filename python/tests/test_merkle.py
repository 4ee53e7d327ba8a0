"""Merkle trees agree with their definition, and false paths are refused."""

from __future__ import annotations

import blake3
import numpy as np
import pytest
from numpy.typing import NDArray

import droste

MODULUS = 2**31 - 2**24 + 1
HASHES = ["poseidon16", "poseidon2", "blake3", "keccak"]


def rows(height: int, width: int) -> NDArray[np.uint32]:
    """A matrix of field elements."""
    return np.random.default_rng(height).integers(0, 2**30, (height, width), dtype=np.uint32)


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize(("height", "cap_height"), [(1, 0), (8, 0), (8, 1), (8, 3), (2, 5), (5, 0)])
def test_every_row_opens(hash: str, height: int, cap_height: int) -> None:
    matrix = rows(height, 5)
    tree = droste.MerkleTree(hash, matrix, cap_height=cap_height)
    assert (tree.hash, tree.height, tree.width) == (hash, height, 5)
    for index in range(height):
        row, path = tree.open(index)
        assert row.tolist() == matrix[index].tolist()
        droste.MerkleTree.verify(hash, tree.cap, height, 5, index, row, path)


def test_the_root_is_its_definition() -> None:
    """In Blake3: leaves are hashes of elements in Montgomery form, as Plonky3 serializes them,
    parents of 64 bytes."""
    matrix = rows(4, 3)
    montgomery = (matrix.astype(np.uint64) * (2**32 % MODULUS) % MODULUS).astype("<u4")
    layer = [blake3.blake3(row.tobytes()).digest() for row in montgomery]
    while len(layer) > 1:
        pairs = zip(layer[::2], layer[1::2], strict=True)
        layer = [blake3.blake3(left + right).digest() for left, right in pairs]
    assert droste.MerkleTree("blake3", matrix).cap.tobytes() == layer[0]


def test_poseidon16_paths_by_compression() -> None:
    tree = droste.MerkleTree("poseidon16", rows(8, 8))
    row, path = tree.open(5)
    state = np.zeros(16, np.uint32)
    state[:8] = row
    digest = droste.Poseidon16.permute(state)[:8]
    for level, sibling in enumerate(path):
        pair = (sibling, digest) if 5 >> level & 1 else (digest, sibling)
        digest = droste.Poseidon16.compress_pair(*pair)
    assert digest.tolist() == tree.cap[0].tolist()


@pytest.mark.parametrize("hash", HASHES)
def test_false_openings_are_refused(hash: str) -> None:
    tree = droste.MerkleTree(hash, rows(8, 5), cap_height=1)
    row, path = tree.open(3)

    def refused(cap=tree.cap, height=8, width=5, index=3, row=row, path=path) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(droste.VerifyError):
            droste.MerkleTree.verify(hash, cap, height, width, index, row, path)

    changed = row.copy()
    changed[4] += 1
    refused(row=changed)
    refused(row=row[:4])
    refused(width=4)
    refused(index=2)
    refused(index=8)
    refused(index=2**40)
    refused(height=16)
    refused(path=path[:1])
    refused(path=path[::-1].copy())
    refused(cap=tree.cap[::-1].copy())
    with pytest.raises(droste.UsageError, match="a cap of 3 digests"):
        cap = np.concatenate([tree.cap, tree.cap[:1]])
        droste.MerkleTree.verify(hash, cap, 8, 5, 3, row, path)
    with pytest.raises(droste.UsageError, match="a cap of 0 digests"):
        droste.MerkleTree.verify(hash, tree.cap[:0], 8, 5, 3, row, path)


def test_what_is_no_matrix_is_refused() -> None:
    for shape in [(0, 5), (5, 0), (5,), (2, 2, 2)]:
        with pytest.raises(droste.UsageError, match="of two dimensions"):
            droste.MerkleTree("blake3", np.zeros(shape, np.uint32))
    with pytest.raises(droste.UsageError, match="row 8 of a tree of 8 rows"):
        droste.MerkleTree("blake3", rows(8, 1)).open(8)
    with pytest.raises(droste.UsageError, match="cap's height is 17"):
        droste.MerkleTree("blake3", rows(8, 1), cap_height=17)


def test_heights_are_bounded() -> None:
    tree = droste.MerkleTree("poseidon16", np.zeros((2, 1), np.uint32))
    row, path = tree.open(0)
    for height in (0, 2**32 + 1, 2**63 + 1, 2**64 - 1):
        with pytest.raises(droste.UsageError, match="rows, expected 1 to"):
            droste.MerkleTree.verify("poseidon16", tree.cap, height, 1, 0, row, path)
    with pytest.raises(droste.VerifyError):
        droste.MerkleTree.verify("poseidon16", tree.cap, 2**32, 1, 0, row, path)
