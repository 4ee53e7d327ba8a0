"""Tasks of a plan as tasks of Ray."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import ray
from ray.exceptions import RayTaskError

from droste._errors import Error, FileError
from droste._native import Store, Worker
from droste._types import Input, Task

PROCESS = 512 << 20
"""Bytes that a process needs besides its proof: compiled programs, leaves' keys, Python."""

Reference = Any
"""`ray.ObjectRef`, whose type parameter only Ray's own functions know."""


Submit = Callable[[Task, Sequence[Reference]], tuple[Reference, Reference]]
"""Hands a task with its inputs to Ray, and returns references to its result and its report."""


class Report(TypedDict):
    """How a task went; times in seconds."""

    seconds: float
    cpu_seconds: float
    stored: bool
    """Whether its result was in the store, so that nothing was done."""


@dataclass(frozen=True)
class Job:
    """What all tasks of a run share."""

    preset: str
    arity: int
    cpus: int
    max_retries: int
    store: Store | None
    cache: bool

    def memory(self, task: Task) -> int:
        """Bytes of memory that Ray reserves for a task."""
        return task["estimate"]["memory"] + PROCESS

    def options(self, task: Task) -> dict[str, Any]:
        """What Ray is told of a task."""
        return {
            "name": f"{task['kind']} {task['name'][:8]}",
            "num_cpus": self.cpus,
            "memory": self.memory(task),
            "max_retries": self.max_retries,
            # Every other error of a task comes again: tasks are pure functions.
            "retry_exceptions": [FileError],
            # Read when the module is imported, so it has to be there when a process starts.
            "runtime_env": {"env_vars": {"RAYON_NUM_THREADS": str(self.cpus)}},
        }

    def submit(self, task: Task, inputs: Sequence[Reference]) -> tuple[Reference, Reference]:
        """Hands a task to Ray. Returns references to its result and its report."""
        work = _remote_work.options(**self.options(task))
        result, report = work.remote(self, task, *inputs)
        return result, report


def _work(job: Job, task: Task, *inputs: bytes) -> tuple[bytes, Report]:
    start, cpu = time.monotonic(), time.process_time()
    worker = Worker(preset=job.preset, arity=job.arity, cache=job.cache)
    data = _stored(job, worker, task)
    stored = data is not None
    if data is None:
        data = worker.run(task, inputs)
        if job.store is not None:
            job.store.put(task["name"], data)
    seconds, cpu_seconds = time.monotonic() - start, time.process_time() - cpu
    return data, Report(seconds=seconds, cpu_seconds=cpu_seconds, stored=stored)


_remote_work: Any = ray.remote(num_returns=2)(_work)


def _stored(job: Job, worker: Worker, task: Task) -> bytes | None:
    """The result of a task that was finished before its worker or its machine was lost."""
    data = None if job.store is None else job.store.get(task["name"])
    if data is None:
        return None
    try:
        worker.accept_result(task, data)
    except Error:
        return None
    return data


def _cancel(reference: Reference) -> None:
    """Ends a task, unless it has ended.

    A task that has ended must not be cancelled: its results are there shortly before Ray is done
    with it, and Ray (2.60) ends the driver's process if a task is cancelled in between.
    """
    ended, _ = ray.wait([reference], timeout=0)
    if not ended:
        # A proof cannot be stopped in the middle, so its process is ended.
        ray.cancel(reference, force=True)


def run(
    tasks: Sequence[Task],
    needed: Sequence[int],
    available: Callable[[Input], object],
    submit: Submit,
    max_in_flight: int,
    observe: Callable[[int, Report], object],
) -> Mapping[str, Reference]:
    """Runs tasks and returns references to the results that no task takes, by their names.

    Tasks are submitted in their order, so the inputs of a task are always submitted before it and
    the window cannot block. A result is released when all tasks that take it are finished; if Ray
    needs it again, it repeats the task. Ray cannot make again what this process put into its store,
    so leaves stay there until the run ends.

    Args:
        tasks: the tasks of a plan, or others of their form.
        needed: indices of those to run, in order.
        available: gives the inputs that no needed task makes.
        submit: hands a task to Ray.
        max_in_flight: largest number of tasks that are submitted and not finished.
        observe: called with each finished task and its report.
    """
    results: dict[str, Reference] = {}
    given: dict[str, Reference] = {}
    takers = Counter(input["name"] for index in needed for input in tasks[index]["inputs"])
    running: dict[Reference, int] = {}

    def wait_for_one() -> None:
        # A window is small, so that looking at all of it costs little.
        finished, _ = ray.wait(list(running), num_returns=1)
        for reference in finished:
            index = running.pop(reference)
            report = ray.get(reference)
            for input in tasks[index]["inputs"]:
                takers[input["name"]] -= 1
                if takers[input["name"]] == 0:
                    results.pop(input["name"], None)
            observe(index, report)

    def reference_to(input: Input) -> Reference:
        name = input["name"]
        if name in results:
            return results[name]
        if name not in given:
            given[name] = ray.put(available(input))
        return given[name]

    try:
        for index in needed:
            while len(running) >= max_in_flight:
                wait_for_one()
            task = tasks[index]
            inputs = [reference_to(input) for input in task["inputs"]]
            results[task["name"]], report = submit(task, inputs)
            running[report] = index
        while running:
            wait_for_one()
    except BaseException as error:
        for reference in running:
            _cancel(reference)
        if isinstance(error, RayTaskError) and isinstance(error.cause, Error):
            raise error.cause from None
        raise
    return results
