"""Aggregation on many machines with Ray (`pip install 'droste[ray]'`).

`aggregate` makes the aggregate that `droste.aggregate` makes, byte for byte, on this machine or on
a cluster. Every task of the plan is one task of Ray, which places it, moves its inputs and repeats
it where a worker or a machine is lost. `docs/scaling.md` says how to run it on a cluster.

    import droste.ray

    leaves = [(proof, program, [x]) for x, proof in proofs.items()]
    both = droste.ray.aggregate(leaves, store="/shared/droste")
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

try:
    import ray
except ImportError as _error:
    raise ImportError("droste.ray needs Ray: pip install 'droste[ray]'") from _error

from droste._aggregate import Leaf, check_positive, leaf_bytes
from droste._errors import FileError, UsageError
from droste._native import Aggregate, Plan, Store, Worker
from droste._types import Input
from droste.ray._tasks import Job, run

__all__ = ["aggregate"]


def aggregate(
    leaves: Sequence[Leaf],
    *,
    preset: str = "proven-100",
    arity: int | None = None,
    min_bits: int = 0,
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
    check_positive(cpus, "the number of processors of a task")
    check_positive(max_in_flight, "the number of tasks in flight")
    plan = Plan(leaves, preset=preset, arity=arity, min_bits=min_bits, cache=cache)
    kept = None if store is None else Store(Path(store).absolute())
    needed = list(range(len(plan))) if kept is None else plan.needed(kept, cache=cache)
    tasks = plan.tasks
    job = Job(plan.preset, plan.arity, cpus, max_retries, kept, cache)

    def available(input: Input) -> bytes:
        """The bytes of a leaf, or of a result that was in the store before."""
        if "leaf" in input["source"]:
            return leaf_bytes(leaves[input["source"]["leaf"]])
        data = None if kept is None else kept.get(input["name"])
        if data is None:
            raise FileError(f"the result {input['name']} disappeared from the store")
        return data

    finished = 0
    if progress is not None:
        progress(0, len(needed))

    def observe(index: int, report: object) -> None:
        nonlocal finished
        finished += 1
        if progress is not None:
            progress(finished, len(needed))

    root = plan.root
    if needed:
        with _connected(address) as here:
            if here:
                _check_fits([job.memory(tasks[index]) for index in needed], cpus)
            window = max_in_flight or _window(cpus)
            result = run(tasks, needed, available, job.submit, window, observe)
            data = bytes(ray.get(result[root["name"]]))
    else:
        data = available(root)
    return Worker(preset=plan.preset, arity=plan.arity, cache=cache).accept(root, data)


@contextmanager
def _connected(address: str | None) -> Iterator[bool]:
    """Connects to Ray unless it is connected. Gives whether Ray was started on this machine."""
    if ray.is_initialized():
        if address is not None:
            raise UsageError("Ray is connected already: give no address, or call ray.shutdown()")
        yield False
        return
    ray.init(address=address, log_to_driver=False)
    try:
        yield address is None and "RAY_ADDRESS" not in os.environ
    finally:
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
