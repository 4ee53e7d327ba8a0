"""Lists of calls of bit hashes and Merkle paths: proved and verified, with the command's bytes."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import droste
from droste import hashes

# RFC 7693, section 2.6, with the parameters of a digest of 32 bytes without a key.
STATE = [
    0x6A09E667 ^ 0x01010020, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
    0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
]  # fmt: skip


def last_block(message: bytes) -> bytes:
    """The input of the only call of BLAKE2s on a message of at most 64 bytes."""
    block = message.ljust(64, b"\0")
    return struct.pack("<8I", *STATE) + block + struct.pack("<QII", len(message), 0xFFFFFFFF, 0)


MESSAGES = [bytes(range(length)) for length in range(64)]
INPUTS = [last_block(message) for message in MESSAGES]


@pytest.fixture(scope="module")
def proved() -> tuple[list[bytes], bytes]:
    return hashes.prove("blake2s", INPUTS)


def test_outputs_are_those_of_python(proved: tuple[list[bytes], bytes]) -> None:
    outputs, _ = proved
    assert outputs == [hashlib.blake2s(message).digest() for message in MESSAGES]


def test_the_command_makes_the_same(
    proved: tuple[list[bytes], bytes],
    command_json: Callable[..., dict[str, Any]],
    tmp_path: Path,
) -> None:
    outputs, proof = proved
    files = [tmp_path / name for name in ("inputs", "proof", "calls")]
    files[0].write_text("".join(f"{one.hex()}\n" for one in INPUTS))
    made = ["--hash", "blake2s", files[0], "-o", files[1], "--list-out", files[2]]
    command_json("hashes", "prove", *made)
    assert files[1].read_bytes() == proof
    calls = list(zip(INPUTS, outputs, strict=True))
    lines = [f"{one.hex()} {output.hex()}" for one, output in calls]
    assert files[2].read_text().splitlines() == lines
    printed = command_json("hashes", "verify", files[1], "--hash", "blake2s", "--list", files[2])
    verified: dict[str, Any] = {**hashes.verify("blake2s", calls, proof)}
    for answer in (printed, verified):
        assert answer.pop("verify_ms") > 0
    assert verified == printed
    assert verified["calls"] == 64
    assert verified["proven_bits"] == 102


def test_what_is_wrong_is_refused(proved: tuple[list[bytes], bytes]) -> None:
    outputs, proof = proved
    calls = list(zip(INPUTS, outputs, strict=True))
    for other in (calls[:63], calls[1:] + calls[:1], [(INPUTS[0], outputs[1]), *calls[1:]]):
        with pytest.raises(droste.VerifyError, match="not about the list that was given"):
            hashes.verify("blake2s", other, proof)
    with pytest.raises(droste.VerifyError, match="expected at least 103"):
        hashes.verify("blake2s", calls, proof, min_bits=103)
    with pytest.raises(droste.DecodeError):
        hashes.verify("blake2s", calls, proof[:-1])
    with pytest.raises(droste.UsageError, match="output of call 0 of blake3 has 32 bytes"):
        hashes.verify("blake3", calls, proof)
    with pytest.raises(droste.UsageError, match="the list has no calls"):
        hashes.prove("blake2s", [])
    with pytest.raises(droste.UsageError, match="expected blake3, blake2s or keccak-f"):
        hashes.prove("keccak", INPUTS)
    with pytest.raises(droste.UsageError, match="input of call 1 of keccak-f has 112 bytes"):
        hashes.prove("keccak-f", [bytes(200), INPUTS[0]])
    with pytest.raises(droste.UsageError, match="at most 131072 in one proof: split"):
        hashes.prove("keccak-f", [b""] * 131_073)
    with pytest.raises(droste.UsageError, match="bytes or an array of uint8"):
        hashes.prove("blake2s", [np.zeros(28, np.uint32)])


DEPTH = 4
LEAVES = [hashlib.blake2s(bytes([index])).digest() for index in range(1 << DEPTH)]


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.blake2s(left + right).digest()


def paths_of_a_tree() -> tuple[list[tuple[bytes, int, bytes]], list[list[bytes]]]:
    """Leaf, index and root of every leaf of a tree, and the siblings of each."""
    levels = [LEAVES]
    while len(levels[-1]) > 1:
        below = levels[-1]
        levels.append([node(*below[i : i + 2]) for i in range(0, len(below), 2)])
    root = levels[-1][0]
    siblings = [
        [levels[level][index >> level ^ 1] for level in range(DEPTH)]
        for index in range(len(LEAVES))
    ]
    return [(leaf, index, root) for index, leaf in enumerate(LEAVES)], siblings


def test_paths(command_json: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    paths, siblings = paths_of_a_tree()
    proof = hashes.prove_paths("blake2s", DEPTH, paths, siblings)
    verified: dict[str, Any] = {**hashes.verify_paths("blake2s", DEPTH, paths, proof)}
    shape = [verified[name] for name in ("hash", "paths", "depth", "calls")]
    assert shape == ["blake2s", 16, DEPTH, 64]

    files = [tmp_path / name for name in ("known", "proof", "paths")]
    lines = [f"{leaf.hex()} {index} {root.hex()}" for leaf, index, root in paths]
    known = [
        " ".join([line, *(one.hex() for one in own)])
        for line, own in zip(lines, siblings, strict=True)
    ]
    files[0].write_text("\n".join(known))
    options = ["--hash", "blake2s", "--depth", str(DEPTH)]
    made = [*options, files[0], "-o", files[1], "--list-out", files[2]]
    command_json("hashes", "prove", *made)
    assert files[1].read_bytes() == proof
    assert files[2].read_text().splitlines() == lines
    printed = command_json("hashes", "verify", files[1], *options, "--list", files[2])
    for answer in (printed, verified):
        assert answer.pop("verify_ms") > 0
    assert verified == printed

    leaf, _, root = paths[0]
    for other in (paths[:15], paths[1:] + paths[:1], [(leaf, 1, root), *paths[1:]]):
        with pytest.raises(droste.VerifyError, match="not about the list that was given"):
            hashes.verify_paths("blake2s", DEPTH, other, proof)
    with pytest.raises(droste.VerifyError, match="expected at least 103"):
        hashes.verify_paths("blake2s", DEPTH, paths, proof, min_bits=103)
    with pytest.raises(droste.ProveError, match="path 0 does not lead to its root"):
        hashes.prove_paths("blake3", DEPTH, paths, siblings)
    wrong: list[tuple[int, Any, Any, str]] = [
        (0, paths, siblings, "depth 0, expected 1 to 64"),
        (DEPTH, [], [], "the list has no paths"),
        (DEPTH, [(leaf, 16, root)], siblings[:1], "the index of path 0 is 16, expected less than"),
        (DEPTH, [(leaf[:31], 0, root)], siblings[:1], "a digest has 31 bytes, expected 32"),
        (DEPTH, paths, siblings[:15], "siblings were given for 15 paths, expected 16"),
        (DEPTH, paths[:1], [siblings[0][:3]], "path 0 has 3 siblings, expected 4"),
        (64, paths * 257, [], "more than 262144 nodes of blake2s, the most in one"),
    ]
    for depth, those, known_siblings, words in wrong:
        with pytest.raises(droste.UsageError, match=words):
            hashes.prove_paths("blake2s", depth, those, known_siblings)
