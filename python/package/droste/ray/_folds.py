"""Folds as tasks of Ray."""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from functools import cache
from typing import Any

import ray

from droste._native import Fold, FoldPlan, Store
from droste._types import Estimate, FoldTask, Input, Source, Task
from droste.ray._tasks import Job, Reference, Report


class Folding:
    """The tasks of a plan of a fold, which Ray runs."""

    def __init__(self, fold: Fold, plan: FoldPlan, job: Job) -> None:
        self._job = job
        self._fold = pickle.dumps(fold)
        self._planned = plan.tasks
        self._by_name = {task["name"]: task for task in self._planned}
        estimate = Estimate(cycles=0, fft_cost=0, memory=fold.memory, exact=False)
        self.tasks = [self._task(task, estimate) for task in self._planned]

    def _task(self, task: FoldTask, estimate: Estimate) -> Task:
        """A task in the form of those of a plan of aggregation."""
        return Task(
            name=task["name"],
            kind=str(task["kind"].get("rule", "wrap")),
            hash="poseidon16",
            inputs=[self.input(source) for source in task["inputs"]],
            leaves="",
            bits=0,
            estimate=estimate,
        )

    def input(self, source: Source) -> Input:
        """An input of a task, or the result of one."""
        index = source.get("task")
        name = f"leaf {source['leaf']}" if index is None else self._planned[index]["name"]
        return Input(source=source, name=name, leaves="", bits=0)

    def submit(self, task: Task, inputs: Sequence[Reference]) -> tuple[Reference, Reference]:
        """Hands a task to Ray. Returns references to its result and its report."""
        work = _remote_work.options(**self._job.options(task))
        planned = self._by_name[task["name"]]
        result, report = work.remote(self._job.store, self._fold, planned, *inputs)
        return result, report


# The keys are derived once in a process, and the rules compiled, which proves many tasks.
_fold = cache(pickle.loads)


def _work(
    store: Store | None, pickled: bytes, task: FoldTask, *inputs: bytes
) -> tuple[bytes, Report]:
    start, cpu = time.monotonic(), time.process_time()
    fold: Fold = _fold(pickled)
    # It was finished before its worker or its machine was lost.
    data = None if store is None else store.get(task["name"])
    stored = data is not None and fold.is_result(task, data)
    if data is None or not stored:
        data = fold.run(task, inputs)
        if store is not None:
            store.put(task["name"], data)
    seconds, cpu_seconds = time.monotonic() - start, time.process_time() - cpu
    return data, Report(seconds=seconds, cpu_seconds=cpu_seconds, stored=stored)


_remote_work: Any = ray.remote(num_returns=2)(_work)
