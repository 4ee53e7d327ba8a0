"""Aggregation of many proofs in this process."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from os import PathLike

from droste._arguments import check_callable, check_flag, check_integer
from droste._native import Aggregate, Fold, Folded, Plan, Program, Proof, Store
from droste._types import Elements

VERIFY_LIMIT = 1 << 20
"""The default of `limit` of `Plan`."""

Leaf = (
    Aggregate
    | tuple[Proof, Program]
    | tuple[Proof, Program, Sequence[int] | Elements]
    | tuple[Folded, str | Fold]
)
"""A leaf of a plan."""


def aggregate(
    leaves: Sequence[Leaf],
    *,
    preset: str = "proven-120",
    arity: int | None = None,
    min_bits: int = 0,
    limit: int = VERIFY_LIMIT,
    jobs: int = 1,
    store: str | PathLike[str] | None = None,
    memory: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    cache: bool = True,
) -> Aggregate:
    """Makes one aggregate of any number of proofs, as the command `droste aggregate` does.

    All leaves are verified before anything is proved. Finished tasks are kept in the store; a run
    with the same leaves goes on from them. An interrupted run begins no further task; those that
    are running are finished and stored in the background.

    Args:
        leaves: as for `Plan`.
        preset: as for `Plan`.
        arity: as for `Plan`.
        min_bits: as for `Plan`.
        limit: as for `Plan`.
        jobs: number of tasks that run at the same time. Each uses all processors where it can.
        store: folder of finished tasks; by default a temporary one.
        memory: bytes that tasks running at the same time may need together, by their estimates.
        progress: called with the number of finished tasks and that of needed ones.
        cache: keep derived keys in the user's cache folder.

    Raises:
        VerifyError: A leaf is rejected; it is named by its index, from 0.
        AggregateError: There is no plan, or a step cannot be made.
        FileError: A result cannot be stored.
    """
    check_run(arity, jobs, store, memory, progress, cache)
    plan = Plan(leaves, preset=preset, arity=arity, min_bits=min_bits, limit=limit, cache=cache)

    def run(folder: str | PathLike[str]) -> Aggregate:
        return plan.run(
            [leaf_bytes(leaf) for leaf in leaves],
            Store(folder),
            jobs=jobs,
            memory=memory,
            progress=progress,
            cache=cache,
        )

    return in_store(store, run)


def in_store(
    store: str | PathLike[str] | None, run: Callable[[str | PathLike[str]], Aggregate]
) -> Aggregate:
    """Runs tasks with a folder for what they finish: a temporary one if there is none."""
    if store is not None:
        return run(store)
    # A task that was interrupted may still write.
    with tempfile.TemporaryDirectory(prefix="droste-", ignore_cleanup_errors=True) as folder:
        return run(folder)


def leaf_bytes(leaf: Leaf) -> bytes:
    """The bytes of a leaf's file."""
    return (leaf[0] if isinstance(leaf, tuple) else leaf).to_bytes()


def check_run(
    arity: int | None,
    jobs: int,
    store: str | PathLike[str] | None,
    memory: int | None,
    progress: Callable[[int, int], object] | None,
    cache: bool,
) -> None:
    """Refuses wrong arguments, and a store that cannot be used, before anything is proved."""
    check_integer(arity, "the arity")
    check_integer(jobs, "the number of jobs", least=1)
    check_integer(memory, "the memory", least=1)
    check_callable(progress, "progress")
    check_flag(cache, "cache")
    if store is not None:
        Store(store)
