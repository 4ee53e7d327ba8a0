"""Digests agree with independent implementations, whatever holds the bytes."""

from __future__ import annotations

import blake3
import numpy as np
import pytest
from Crypto.Hash import keccak

import droste

MODULUS = 2**31 - 2**24 + 1

# The permutation of 0 to 15, by Plonky3's own Poseidon over KoalaBear at width 16.
PERMUTED = [
    610090613, 935319874, 1893335292, 796792199, 356405232, 552237741, 55134556, 1215104204,
    1823723405, 1133298033, 1780633798, 1453946561, 710069176, 1128629550, 1917333254, 1175481618,
]  # fmt: skip

# Around the blocks of the hashes: 64 and 1024 bytes in BLAKE3, 136 in Keccak, 24 in Poseidon-16.
LENGTHS = [0, 1, 3, 23, 24, 25, 63, 64, 65, 135, 136, 137, 1023, 1024, 1025, 5000, 1 << 21]


def peer(hash: str, message: bytes) -> bytes:
    """The digest by another implementation."""
    if hash == "blake3":
        return blake3.blake3(message).digest()
    digest: bytes = keccak.new(digest_bits=256, data=message).digest()
    return digest


@pytest.mark.parametrize("hash", ["blake3", "keccak"])
@pytest.mark.parametrize("length", LENGTHS)
def test_digests_are_those_of_peers(hash: str, length: int) -> None:
    message = np.random.default_rng(length).bytes(length)
    expected = peer(hash, message)
    assert droste.hash(hash, message) == expected
    assert droste.hash(hash, bytearray(message)) == expected
    assert droste.hash(hash, memoryview(message)) == expected
    assert droste.hash(hash, np.frombuffer(message, np.uint8)) == expected


@pytest.mark.parametrize("length", [0, 1, 24, 25, 100])
def test_poseidon16_of_bytes_is_its_definition(length: int) -> None:
    """The sponge of `hash_bytes`, written down once more over the permutation."""
    message = np.random.default_rng(length).bytes(length)
    words = [int.from_bytes(message[i : i + 3], "little") for i in range(0, length, 3)] or [0]
    words += [0] * (-len(words) % 8)
    state = np.zeros(16, np.uint32)
    state[8:10] = 0x62797465, length
    for start in range(0, len(words), 8):
        state[:8] = words[start : start + 8]
        state = droste.Poseidon16.permute(state)
    expected = state[:8].astype("<u4").tobytes()
    assert droste.Poseidon16.hash_bytes(message) == expected
    assert droste.hash("poseidon16", message) == expected


def test_the_permutation_is_plonky3s() -> None:
    assert droste.Poseidon16.permute(list(range(16))).tolist() == PERMUTED
    states = np.tile(np.arange(16, dtype=np.uint32), (100, 1))
    states[7] = 0
    permuted = droste.Poseidon16.permute(states)
    assert permuted.shape == (100, 16) and permuted.dtype == np.uint32
    assert permuted[0].tolist() == PERMUTED
    assert permuted[7].tolist() == droste.Poseidon16.permute([0] * 16).tolist()


def test_compression_adds_the_input() -> None:
    state = np.arange(16, dtype=np.uint32)
    expected = [(out + i) % MODULUS for i, out in enumerate(PERMUTED[:8])]
    assert droste.Poseidon16.compress(state).tolist() == expected
    assert droste.Poseidon16.compress_pair(state[:8], state[8:]).tolist() == expected


def test_hash_of_elements_binds_tag_and_length() -> None:
    digests = {
        droste.Poseidon16.hash(tag, [0] * length).tobytes() for tag in (0, 1) for length in range(9)
    }
    assert len(digests) == 18


# The tests of the Rust library have the same values.
COMMITMENTS: list[tuple[list[int], list[int]]] = [
    ([], [
        1231194539, 1801591609, 232094563, 635583362, 1161283271, 1761726479, 1240477971, 593805434,
    ]),
    (list(range(1, 10)), [
        1993883602, 449299230, 1230979302, 983499146, 126733061, 1226808484, 1529661530, 1926059307,
    ]),
    (droste.digest_to_limbs(bytes(range(32))), [
        635443503, 2054019936, 643368491, 563502759, 768878135, 1594564963, 997885598, 332961545,
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("elements", "expected"), COMMITMENTS)
def test_commitments_are_those_of_programs(elements: list[int], expected: list[int]) -> None:
    assert droste.commitment(elements) == expected
    assert droste.commitment(np.array(elements, np.uint32)) == expected


def test_a_statement_is_a_commitment() -> None:
    program = droste.Program.compile("""
        use droste_gadgets::commitment::reveal_commitment;
        use droste_gadgets::prelude::*;
        pub fn main() {
            // Every number is admissible: the commitment binds it.
            let x = hint_felt().any();
            reveal_commitment(&[x, x * x, x * x * x]);
        }
    """)
    run = program.run(hints=[{"felt": 5}])
    assert run["outputs"] == droste.commitment([5, 25, 125])


def test_digests_are_committed_to_by_limbs() -> None:
    root = droste.Keccak256.hash(b"leaf")
    assert droste.digest_to_limbs(root) == np.frombuffer(root, "<u2").tolist()
    with pytest.raises(droste.UsageError, match="a digest of 31 bytes, expected 32"):
        droste.digest_to_limbs(root[1:])
    with pytest.raises(droste.UsageError, match="expected uint32"):
        droste.commitment(root)


@pytest.mark.parametrize("length", [0, 1, 64, 200])
def test_many_messages(length: int) -> None:
    messages = np.random.default_rng(1).integers(0, 256, (50, length), dtype=np.uint8)
    for hash, many in [
        ("blake3", droste.Blake3.hash_many),
        ("keccak", droste.Keccak256.hash_many),
        ("poseidon16", droste.Poseidon16.hash_bytes_many),
    ]:
        digests = many(messages)
        assert digests.shape == (50, 32)
        for message, digest in zip(messages, digests, strict=True):
            assert digest.tobytes() == droste.hash(hash, message.tobytes())


def test_parents_hash_64_bytes() -> None:
    left, right = bytes(range(32)), bytes(range(32, 64))
    assert droste.Blake3.parent(left, right) == peer("blake3", left + right)
    assert droste.Keccak256.parent(left, right) == peer("keccak", left + right)
    with pytest.raises(droste.UsageError, match="a digest of 31 bytes, expected 32"):
        droste.Blake3.parent(left[1:], right)


def test_what_is_no_message_is_refused() -> None:
    array = np.zeros((4, 6), np.uint8)
    with pytest.raises(droste.UsageError, match="not contiguous"):
        droste.hash("blake3", array[:, ::2])
    with pytest.raises(droste.UsageError, match="expected bytes or an array of uint8"):
        droste.hash("blake3", np.zeros(3, np.uint32))
    with pytest.raises(droste.UsageError, match="str was given, expected bytes"):
        droste.hash("blake3", "text")  # type: ignore[arg-type]
    with pytest.raises(droste.UsageError, match="unknown hash `md5`: expected poseidon16"):
        droste.hash("md5", b"")


def test_what_is_no_element_is_refused() -> None:
    no_element = "is not a field element: expected an integer from 0 to 2130706432"
    for bad in (MODULUS, -1, 2**32, "x", 1.5):
        with pytest.raises(droste.UsageError, match=f"`{bad}` {no_element}"):
            droste.Poseidon16.permute([bad] * 16)  # type: ignore[list-item]
    with pytest.raises(droste.UsageError, match=f"`{MODULUS}` {no_element}"):
        droste.Poseidon16.permute(np.full(16, MODULUS, np.uint32))
    for dtype in (np.uint64, np.int32, np.float32, ">u4"):
        with pytest.raises(droste.UsageError, match="expected uint32"):
            droste.Poseidon16.permute(np.zeros(16, dtype))
    for shape in [(15,), (2, 8), (1, 1, 16), ()]:
        with pytest.raises(droste.UsageError, match="expected field elements of shape"):
            droste.Poseidon16.permute(np.zeros(shape, np.uint32))
    with pytest.raises(droste.UsageError, match="not contiguous"):
        droste.Poseidon16.permute(np.zeros((4, 32), np.uint32)[:, ::2])
    with pytest.raises(droste.UsageError, match="int was given, expected field elements"):
        droste.Poseidon16.hash(0, 7)  # type: ignore[arg-type]


def test_lengths_have_bytes_behind_them() -> None:
    """An array of no bytes may say that it has any number of rows."""
    empty = np.zeros((1 << 40, 0), np.uint8)
    for many in (
        droste.Blake3.hash_many,
        droste.Keccak256.hash_many,
        droste.Poseidon16.hash_bytes_many,
    ):
        with pytest.raises(droste.UsageError, match=r"of shape \(1099511627776, 0\) was given"):
            many(empty)
        assert many(empty[: 1 << 16]).shape == (1 << 16, 32)
    words = np.zeros((1 << 40, 0), np.uint32)
    limbs = np.zeros((1 << 40, 0, 4), np.uint64)
    for call in (
        lambda: droste.hash("blake3", empty),
        lambda: droste.Poseidon16.permute(words),
        lambda: droste.Poseidon16.hash(0, words),
        lambda: droste.MerkleTree("poseidon16", words),
        lambda: droste.MerkleTree.verify("poseidon16", words, 2, 1, 0, [0], words),
        lambda: droste.msm("bn254", limbs, limbs),
    ):
        with pytest.raises(droste.UsageError, match="at most 65536 rows without"):
            call()
