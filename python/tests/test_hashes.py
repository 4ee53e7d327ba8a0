"""Lists of calls of bit hashes: proved and verified, with the bytes of the command."""

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
    made = ["--hash", "blake2s", files[0], "-o", files[1], "--calls-out", files[2]]
    command_json("hashes", "prove", *made)
    assert files[1].read_bytes() == proof
    calls = list(zip(INPUTS, outputs, strict=True))
    lines = [f"{one.hex()} {output.hex()}" for one, output in calls]
    assert files[2].read_text().splitlines() == lines
    printed = command_json("hashes", "verify", files[1], "--hash", "blake2s", "--calls", files[2])
    verified: dict[str, Any] = {**hashes.verify("blake2s", calls, proof)}
    for answer in (printed, verified):
        assert answer.pop("verify_ms") > 0
    assert verified == printed
    assert verified["calls"] == 64
    assert verified["proven_bits"] == 101


def test_what_is_wrong_is_refused(proved: tuple[list[bytes], bytes]) -> None:
    outputs, proof = proved
    calls = list(zip(INPUTS, outputs, strict=True))
    for other in (calls[:63], calls[1:] + calls[:1], [(INPUTS[0], outputs[1]), *calls[1:]]):
        with pytest.raises(droste.VerifyError, match="another list"):
            hashes.verify("blake2s", other, proof)
    with pytest.raises(droste.VerifyError, match="at least 102 are required"):
        hashes.verify("blake2s", calls, proof, min_bits=102)
    with pytest.raises(droste.DecodeError):
        hashes.verify("blake2s", calls, proof[:-1])
    with pytest.raises(droste.UsageError, match="output of call 0 of blake3 has 32 bytes"):
        hashes.verify("blake3", calls, proof)
    with pytest.raises(droste.UsageError, match="empty"):
        hashes.prove("blake2s", [])
    with pytest.raises(droste.UsageError, match="expected blake3, blake2s or keccak-f"):
        hashes.prove("keccak", INPUTS)
    with pytest.raises(droste.UsageError, match="input of call 1 of keccak-f has 112 bytes"):
        hashes.prove("keccak-f", [bytes(200), INPUTS[0]])
    with pytest.raises(droste.UsageError, match="at most 32768: split"):
        hashes.prove("keccak-f", [b""] * 32_769)
    with pytest.raises(droste.UsageError, match="bytes or an array of uint8"):
        hashes.prove("blake2s", [np.zeros(28, np.uint32)])
