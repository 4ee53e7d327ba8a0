"""Aggregation on many machines with Ray (`pip install 'droste[ray]'`).

`aggregate` makes the aggregate that `droste.aggregate` makes, byte for byte, on this machine or on
a cluster. Every task of the plan is one task of Ray, which places it, moves its inputs and repeats
it where a worker or a machine is lost. `docs/scaling.md` says how to run it on a cluster.

    import droste.ray

    leaves = [(proof, program, [x]) for x, proof in proofs.items()]
    both = droste.ray.aggregate(leaves, store="/shared/droste")

`aggregate_signatures` does the same for what `droste.signatures.aggregate` makes, and `fold` for
what `droste.Fold.all` makes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

try:
    import ray
except ImportError as _error:
    raise ImportError("droste.ray needs Ray: pip install 'droste[ray]'") from _error

from droste._aggregate import VERIFY_LIMIT, Leaf, leaf_bytes
from droste._arguments import check_callable, check_integer
from droste._errors import FileError, UsageError
from droste._native import (
    Aggregate,
    Fold,
    Folded,
    FoldPlan,
    Plan,
    Proof,
    Registry,
    SignatureFold,
    SignedMessage,
    Store,
    Worker,
)
from droste._types import Hint, Input, Task
from droste.ray._batches import Batches
from droste.ray._folds import Folding
from droste.ray._tasks import Job, Reference, Submit, run
from droste.signatures import compared

__all__ = ["aggregate", "aggregate_signatures", "fold"]

FoldLeaf = Proof | Aggregate | tuple[Proof | Aggregate, Sequence[Hint]]
"""A leaf of a fold."""

FoldSays = list[list[list[int]] | list[int]]
"""What the children of a rule say."""


def aggregate(
    leaves: Sequence[Leaf],
    *,
    preset: str = "proven-120",
    arity: int | None = None,
    min_bits: int = 0,
    limit: int = VERIFY_LIMIT,
    address: str | None = None,
    cpus: int = 1,
    max_in_flight: int | None = None,
    max_retries: int = 3,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
    cache: bool = True,
) -> Aggregate:
    """Makes one aggregate of any number of proofs by tasks of Ray.

    All leaves are verified here before anything is proved. If the run is interrupted or a task
    fails, the tasks that are running are ended.

    Args:
        leaves: as for `droste.Plan`.
        preset: as for `droste.Plan`.
        arity: as for `droste.Plan`.
        min_bits: as for `droste.Plan`.
        limit: as for `droste.Plan`.
        address: of a cluster, as for `ray.init`. By default Ray is used as it is if it has been
            initialised; else `RAY_ADDRESS` is if it is set, else Ray is started on this machine and
            ended afterwards.
        cpus: processors of a task, and its number of threads.
        max_in_flight: number of tasks that Ray knows of at the same time, so that the memory of
            their inputs and results is bounded; by default twice as many as the processors of the
            cluster can run now.
        max_retries: how often a task is repeated whose worker or machine was lost, or that could
            not use the store.
        store: folder of finished tasks. It must be the same folder on every machine. Whatever is in
            it is not done again: not by another run, and not if a machine is lost that has results.
        progress: called with the number of finished tasks and that of needed ones.
        cache: keep derived keys in the user's cache folder, on every machine.

    Raises:
        VerifyError: A leaf is rejected; it is named by its index, from 0.
        AggregateError: There is no plan, or a step cannot be made.
        FileError: The store cannot be used.
        ray.exceptions.RayError: Ray gave up.
    """
    with closing(_Cluster(address, cpus, max_in_flight)) as cluster:
        return _aggregate(
            cluster, leaves, preset, arity, min_bits, limit, max_retries, store, progress, cache
        )


def aggregate_signatures(
    signed: Sequence[SignedMessage],
    registry: Registry,
    *,
    batch: int = 400,
    preset: str = "proven-120",
    address: str | None = None,
    cpus: int = 1,
    max_in_flight: int | None = None,
    max_retries: int = 3,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
    cache: bool = True,
) -> tuple[Folded, list[int]]:
    """Proves who of a registry has signed a message by tasks of Ray, one for each batch, and folds
    the proofs as `fold` does.

    Args:
        signed: as for `droste.signatures.aggregate`.
        registry: as for `droste.signatures.aggregate`.
        batch: as for `droste.signatures.aggregate`.
        preset: as for `droste.signatures.aggregate`.
        address: as for `aggregate`.
        cpus: as for `aggregate`.
        max_in_flight: as for `aggregate`.
        max_retries: as for `aggregate`.
        store: folder of finished batches and tasks, as for `aggregate`.
        progress: called with the number of finished batches and that of needed ones, then as by
            `fold`.
        cache: as for `aggregate`.

    Returns:
        The fold, and the places of the signers in the registry.

    Raises:
        VerifyError: A signature is not valid; batch and key are named by their indices.
        UsageError: A key is not in the registry, or a signature is of something else.
        AggregateError: A proof cannot be made.
        FileError: The store cannot be used.
        ray.exceptions.RayError: Ray gave up.
    """
    with closing(_Cluster(address, cpus, max_in_flight)) as cluster:
        check_integer(max_retries, "the number of retries", least=-1)
        check_callable(progress, "progress")
        rules = SignatureFold(registry, preset=preset, batch=batch, cache=cache)
        given = rules.batches(signed)
        kept = _open(store)
        names = [rules.name(one) for one in given]
        found = [None if kept is None else rules.kept(one, kept) for one in given]
        needed = [at for at, proof in enumerate(found) if proof is None]
        observe = _Counter(len(needed), progress)
        job = Job(preset, 1, cpus, max_retries, kept, cache)
        if needed:
            batches = Batches(rules, job)
            results = cluster.run(
                [batches.task(at, name) for at, name in enumerate(names)],
                needed,
                lambda input: given[input["source"]["leaf"]],
                job,
                batches.submit,
                observe,
            )
            for at in needed:
                found[at] = Proof.from_bytes(bytes(ray.get(results[names[at]])))
            del results
        proofs = [proof for proof in found if proof is not None]
        plan = rules.plan(given, proofs)
        folded = _run_fold(
            cluster, rules.fold, plan, lambda index: proofs[index].to_bytes(), job, progress
        )
    return compared(rules, folded, given)


def fold(
    rules: Fold,
    leaves: Sequence[FoldLeaf] = (),
    *,
    hints: Callable[[str, FoldSays, list[range]], Sequence[Hint] | None] | None = None,
    merge: str | None = None,
    leaf_rules: Sequence[str] = (),
    append: str | None = None,
    start: str | None = None,
    start_hints: Sequence[Hint] | None = None,
    repeat: tuple[str, int] | None = None,
    address: str | None = None,
    cpus: int = 1,
    max_in_flight: int | None = None,
    max_retries: int = 3,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Folded:
    """Makes one fold of any number of leaves by tasks of Ray.

    All rules are run without proofs here before anything is proved.

    Args:
        rules: the fold.
        leaves: as for `droste.Fold.plan`.
        hints: as for `droste.Fold.plan`.
        merge: as for `droste.Fold.plan`.
        leaf_rules: as for `droste.Fold.plan`.
        append: as for `droste.Fold.plan`.
        start: as for `droste.Fold.plan`.
        start_hints: as for `droste.Fold.plan`.
        repeat: as for `droste.Fold.plan`.
        address: as for `aggregate`.
        cpus: as for `aggregate`.
        max_in_flight: as for `aggregate`.
        max_retries: as for `aggregate`.
        store: as for `aggregate`.
        progress: as for `aggregate`.

    Raises:
        VerifyError: A leaf is rejected; it is named by its index, from 0.
        RunError: Rules fail on their children.
        AggregateError: There is no plan, or a rule takes more rows than there are.
        FileError: The store cannot be used.
        ray.exceptions.RayError: Ray gave up.
    """
    with closing(_Cluster(address, cpus, max_in_flight)) as cluster:
        check_integer(max_retries, "the number of retries", least=-1)
        check_callable(progress, "progress")
        if not isinstance(rules, Fold):
            raise UsageError(f"{type(rules).__name__} was given, expected a Fold")
        kept = _open(store)
        plan = rules.plan(
            leaves,
            hints=hints,
            merge=merge,
            leaf_rules=leaf_rules,
            append=append,
            start=start,
            start_hints=start_hints,
            repeat=repeat,
        )
        job = Job(rules.recipe["preset"], 1, cluster.cpus, max_retries, kept, True)
        return _run_fold(
            cluster, rules, plan, lambda index: _fold_leaf_bytes(leaves[index]), job, progress
        )


def _run_fold(
    cluster: _Cluster,
    rules: Fold,
    plan: FoldPlan,
    leaf: Callable[[int], bytes],
    job: Job,
    progress: Callable[[int, int], object] | None,
) -> Folded:
    """Runs the tasks of a plan of a fold."""
    kept = job.store
    needed = list(range(len(plan))) if kept is None else rules.needed(plan, kept)
    folding = Folding(rules, plan, job)
    available = _available(kept, leaf)
    root = folding.input({"task": plan.root})
    observe = _Counter(len(needed), progress)
    if needed:
        result = cluster.run(folding.tasks, needed, available, job, folding.submit, observe)
        data = bytes(ray.get(result[root["name"]]))
    else:
        data = available(root)
    folded = Folded.from_bytes(data)
    # What is asked of bits is asked by whoever verifies it.
    folded.verify(rules, state=plan.state, min_bits=0)
    return folded


def _aggregate(
    cluster: _Cluster,
    leaves: Sequence[Leaf],
    preset: str,
    arity: int | None,
    min_bits: int,
    limit: int,
    max_retries: int,
    store: str | os.PathLike[str] | None,
    progress: Callable[[int, int], object] | None,
    cache: bool,
) -> Aggregate:
    plan = Plan(leaves, preset=preset, arity=arity, min_bits=min_bits, limit=limit, cache=cache)
    check_integer(max_retries, "the number of retries", least=-1)
    check_callable(progress, "progress")
    kept = _open(store)
    needed = list(range(len(plan))) if kept is None else plan.needed(kept, cache=cache)
    job = Job(plan.preset, plan.arity, cluster.cpus, max_retries, kept, cache)
    available = _available(kept, lambda index: leaf_bytes(leaves[index]))
    root = plan.root
    observe = _Counter(len(needed), progress)
    if needed:
        result = cluster.run(plan.tasks, needed, available, job, job.submit, observe)
        data = bytes(ray.get(result[root["name"]]))
    else:
        data = available(root)
    worker = Worker(preset=plan.preset, arity=plan.arity, cache=cache)
    return worker.accept(root, data)


def _fold_leaf_bytes(leaf: FoldLeaf) -> bytes:
    """The bytes of a leaf's file."""
    return (leaf[0] if isinstance(leaf, tuple) else leaf).to_bytes()


def _available(kept: Store | None, leaf: Callable[[int], bytes]) -> Callable[[Input], bytes]:
    """Gives the bytes of a leaf, or of a result that was in the store before."""

    def available(input: Input) -> bytes:
        if "leaf" in input["source"]:
            return leaf(input["source"]["leaf"])
        data = None if kept is None else kept.get(input["name"])
        if data is None:
            raise FileError(f"the result {input['name']} disappeared from the store")
        return data

    return available


def _open(store: str | os.PathLike[str] | None) -> Store | None:
    """The store, under a path that other processes can use."""
    if store is None:
        return None
    # A store refuses what is no path.
    return Store(Path(store).absolute() if isinstance(store, str | os.PathLike) else store)


class _Counter:
    """Tells the caller how many tasks are finished."""

    def __init__(self, needed: int, progress: Callable[[int, int], object] | None) -> None:
        self.finished, self.needed, self.progress = 0, needed, progress
        self.tell()

    def tell(self) -> None:
        if self.progress is not None:
            self.progress(self.finished, self.needed)

    def __call__(self, index: int, report: object) -> None:
        self.finished += 1
        self.tell()


class _Cluster:
    """Ray, which is connected when there is something to run."""

    def __init__(self, address: str | None, cpus: int, max_in_flight: int | None) -> None:
        check_integer(cpus, "the number of processors of a task", least=1)
        check_integer(max_in_flight, "the number of tasks in flight", least=1)
        self.cpus = cpus
        self._address = address
        self._max_in_flight = max_in_flight
        self._connected_here = False

    def run(
        self,
        tasks: Sequence[Task],
        needed: Sequence[int],
        available: Callable[[Input], object],
        job: Job,
        submit: Submit,
        observe: _Counter,
    ) -> Mapping[str, Reference]:
        """Runs tasks of a job, as `_tasks.run` does."""
        if not self._connected_here and not ray.is_initialized():
            ray.init(address=self._address, log_to_driver=False)
            self._connected_here = True
        elif not self._connected_here and self._address is not None:
            raise UsageError("Ray is connected already: give no address, or call ray.shutdown()")
        # Ray that was started on this machine.
        if self._connected_here and self._address is None and "RAY_ADDRESS" not in os.environ:
            _check_fits([job.memory(tasks[index]) for index in needed], self.cpus)
        window = self._max_in_flight or _window(self.cpus)
        return run(tasks, needed, available, submit, window, observe)

    def close(self) -> None:
        """Ends the connection if it was made here."""
        if self._connected_here:
            ray.shutdown()


def _resources() -> dict[str, float]:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return resources


def _window(cpus: int) -> int:
    """Twice the number of tasks that the cluster can run now."""
    return max(4, 2 * int(_resources().get("CPU", 1)) // cpus)


def _check_fits(memory: Sequence[int], cpus: int) -> None:
    """Refuses tasks for which Ray would wait forever, since this machine does not grow."""
    has = _resources()
    for what, needs, found in [
        ("bytes of memory", max(memory), int(has.get("memory", 0))),
        ("processors", cpus, int(has.get("CPU", 0))),
    ]:
        if needs > found:
            raise UsageError(f"a task needs {needs} {what}, but Ray has {found} on this machine")
