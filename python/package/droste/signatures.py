"""XMSS signatures, and proofs that many of them are valid, as `droste xmss` makes them.

- `StoredKey`, `SignedMessage`: keys that sign a slot once, and what they signed.
- `from_file`, `from_json`, `to_json`, `verify`: lists of signed messages.
- `aggregate`: one aggregate that shows that many signatures are valid, and its claims.
- `SignatureClaims`: what such an aggregate says; `SignatureClaims.check` needs no signature.
- `SignatureBatchMember`: that one key signed, without the other keys.
- `SignatureBatch`, `SignatureBatchProver`: the proofs that are aggregated, for engines that
  distribute them; `droste.ray.aggregate_signatures` is one.

`docs/signatures.md` says what an aggregate means: for instance that keys may repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike

from droste._aggregate import aggregate as _aggregate
from droste._aggregate import check_run, in_store
from droste._errors import Error
from droste._native import (
    Aggregate,
    Program,
    Proof,
    SignatureBatch,
    SignatureBatchMember,
    SignatureBatchProver,
    SignatureClaims,
    SignedMessage,
    Store,
    StoredKey,
)
from droste._native import read_signatures as from_file
from droste._native import signatures_from_json as from_json
from droste._native import signatures_to_json as to_json
from droste._native import verify_signatures as verify

__all__ = [
    "SignatureBatch",
    "SignatureBatchMember",
    "SignatureBatchProver",
    "SignatureClaims",
    "SignedMessage",
    "StoredKey",
    "aggregate",
    "from_file",
    "from_json",
    "to_json",
    "verify",
]


LIMIT = 1 << 21
"""The most rows of the commitment to a program of batches."""


def aggregate(
    signed: Sequence[SignedMessage],
    *,
    batch: int = 1_600,
    hash: str = "poseidon16",
    blowup: int = 2,
    preset: str = "proven-120",
    arity: int | None = None,
    jobs: int = 1,
    store: str | PathLike[str] | None = None,
    memory: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    cache: bool = True,
) -> tuple[Aggregate, SignatureClaims]:
    """Proves that signatures are valid, as the command `droste xmss aggregate` does.

    Signatures of one message in one slot become batches, in the order in which they are given. Each
    batch is proved by one proof, and the proofs are aggregated. Finished work is kept in the store;
    a run with the same signatures goes on from it.

    Args:
        signed: the signatures, in any number of slots.
        batch: largest number of signatures of a batch, 1 to 4,096.
        hash: hash in which the batches' proofs are committed: `poseidon16`, `poseidon2`, `blake3`
            or `keccak`.
        blowup: blowup of the batches' proofs: 2, 4, 8 or 16.
        preset: security level of all proofs: `proven-100`, `proven-120`, `proven-128`, or
            `toy`, which has no security.
        arity: as for `droste.Plan`.
        jobs: as for `droste.aggregate`; batches are proved one after the other.
        store: folder of finished batches and tasks; by default a temporary one.
        memory: as for `droste.aggregate`.
        progress: called with the number of finished batches and that of all, then as by
            `droste.aggregate`.
        cache: keep derived keys in the user's cache folder.

    Returns:
        The aggregate, and the claims against which it is checked.

    Raises:
        VerifyError: A signature is not valid; batch and signature are named by their indices.
        AggregateError: There is no plan, or a step cannot be made.
        FileError: A result cannot be stored.
    """
    check_run(arity, jobs, store, memory, progress, cache)
    batches = SignatureBatch.group(signed, batch)
    prover = SignatureBatchProver(max(map(len, batches)), hash=hash, preset=preset, blowup=blowup)
    claims = prover.claims(batches)

    def run(folder: str | PathLike[str]) -> Aggregate:
        kept = Store(folder)
        proofs = []
        for index, one in enumerate(batches):
            if progress is not None:
                progress(index, len(batches))
            with about_batch(index):
                proofs.append(prover.prove(one, store=kept))
        if progress is not None:
            progress(len(batches), len(batches))
        return _aggregate(
            leaves(prover.program, claims, proofs),
            preset=preset,
            arity=arity,
            limit=LIMIT,
            jobs=jobs,
            store=folder,
            memory=memory,
            progress=progress,
            cache=cache,
        )

    return in_store(store, run), claims


@contextmanager
def about_batch(index: int) -> Iterator[None]:
    """Adds to errors which batch they are about, as the command does."""
    try:
        yield
    except Error as error:
        raise type(error)(f"batch {index}: {error}") from None


def leaves(
    program: Program, claims: SignatureClaims, proofs: Sequence[Proof]
) -> list[tuple[Proof, Program, list[int]]]:
    """The proofs of all batches as leaves of a plan."""
    return [(proof, program, claims.statement(index)) for index, proof in enumerate(proofs)]
