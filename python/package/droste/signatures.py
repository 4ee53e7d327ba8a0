"""XMSS signatures, and proofs of who has signed, as `droste xmss` makes them.

- `StoredKey`, `SignedMessage`: keys that sign a slot once, and what they signed.
- `from_file`, `from_json`, `to_json`, `verify`: lists of signed messages.
- `Registry`: the keys that count.
- `aggregate`: one fold that shows who of a registry has signed a message, each counted once.
- `check`: what such a fold shows, without any signature.
- `SignatureFold`, `SignatureBatch`: the proofs that are folded, for engines that distribute them;
  `droste.ray.aggregate_signatures` is one.

`docs/signatures.md` says what such a fold means.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike

from droste._arguments import check_callable, check_flag
from droste._errors import Error
from droste._native import (
    Folded,
    Registry,
    SignatureBatch,
    SignatureFold,
    SignedMessage,
    Store,
    StoredKey,
)
from droste._native import read_signatures as from_file
from droste._native import signatures_from_json as from_json
from droste._native import signatures_to_json as to_json
from droste._native import verify_signatures as verify
from droste._types import CheckedSigners

__all__ = [
    "Registry",
    "SignatureBatch",
    "SignatureFold",
    "SignedMessage",
    "StoredKey",
    "aggregate",
    "check",
    "from_file",
    "from_json",
    "to_json",
    "verify",
]


def aggregate(
    signed: Sequence[SignedMessage],
    registry: Registry,
    *,
    batch: int = 400,
    preset: str = "proven-120",
    store: str | PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
    cache: bool = True,
) -> tuple[Folded, list[int]]:
    """Proves who of a registry has signed a message in a slot, as `droste xmss aggregate` does.

    Batches are proved one after the other, and the proofs are folded: each key counts once.
    Finished work is kept in the store; a run with the same signatures goes on from it.

    Args:
        signed: the signatures, all of one message in one slot. Of several by a key, the first
            valid one is taken.
        registry: the keys that count.
        batch: as for `SignatureFold`.
        preset: as for `SignatureFold`.
        store: folder of finished batches and tasks; by default a temporary one.
        progress: called with the number of finished batches and that of all, then with the number
            of finished tasks and that of needed ones.
        cache: keep derived keys in the user's cache folder.

    Returns:
        The fold, and the places of the signers in the registry.

    Raises:
        VerifyError: A signature is not valid; batch and key are named by their indices.
        UsageError: A key is not in the registry, or a signature is of something else.
        AggregateError: A proof cannot be made.
        FileError: A result cannot be stored.
    """
    check_callable(progress, "progress")
    check_flag(cache, "cache")
    if store is not None:
        Store(store)
    rules = SignatureFold(registry, preset=preset, batch=batch, cache=cache)
    batches = rules.batches(signed)

    def run(kept: Store) -> Folded:
        proofs = []
        for index, one in enumerate(batches):
            if progress is not None:
                progress(index, len(batches))
            with about_batch(index):
                proofs.append(rules.prove(one, store=kept))
        if progress is not None:
            progress(len(batches), len(batches))
        return rules.all(batches, proofs, store=kept, progress=progress)

    if store is not None:
        return compared(rules, run(Store(store)), batches)
    # A task that was interrupted may still write.
    with tempfile.TemporaryDirectory(prefix="droste-", ignore_cleanup_errors=True) as folder:
        return compared(rules, run(Store(folder)), batches)


def check(
    folded: Folded,
    registry: Registry,
    slot: int,
    message: Sequence[int],
    *,
    min_signers: int = 1,
    signers: Sequence[int] | None = None,
    batch: int = 400,
    preset: str = "proven-120",
    min_bits: int = 100,
    min_tree_bits: int | None = None,
    max_proofs: int | None = None,
    max_depth: int | None = None,
    cache: bool = True,
) -> CheckedSigners:
    """Verifies that a fold shows who of a registry has signed a message in a slot, as
    `droste xmss check` does.

    Args:
        folded: the fold.
        registry: the keys that count.
        slot, message, min_signers, signers: as for `SignatureFold.check`.
        min_bits, min_tree_bits, max_proofs, max_depth: as for `SignatureFold.check`.
        batch, preset: those with which the fold was made. They decide the fold key.
        cache: keep derived keys in the user's cache folder.

    Returns:
        What `SignatureFold.check` returns.

    Raises:
        VerifyError: The fold is rejected, or says something else.
    """
    rules = SignatureFold(registry, preset=preset, batch=batch, cache=cache)
    return rules.check(
        folded,
        slot,
        message,
        min_signers=min_signers,
        signers=signers,
        min_bits=min_bits,
        min_tree_bits=min_tree_bits,
        max_proofs=max_proofs,
        max_depth=max_depth,
    )


def compared(
    rules: SignatureFold, folded: Folded, batches: Sequence[SignatureBatch]
) -> tuple[Folded, list[int]]:
    """A fold of these batches, and the places of all who have signed according to them, after
    comparing it with them."""
    signers = sorted({place for one in batches for place in one.signers})
    first = batches[0].signed[0]
    # What is asked of bits is asked by whoever checks it.
    rules.check(folded, first.slot, first.message, signers=signers, min_bits=0)
    return folded, signers


@contextmanager
def about_batch(index: int) -> Iterator[None]:
    """Adds to errors which batch they are about, as the command does."""
    try:
        yield
    except Error as error:
        raise type(error)(f"batch {index}: {error}") from None
