"""Proofs of batches of signatures as tasks of Ray."""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from functools import cache
from typing import Any

import ray

from droste._native import SignatureBatch, SignatureFold
from droste._types import Estimate, Input, Task
from droste.ray._tasks import Job, Reference, Report
from droste.signatures import about_batch


class Batches:
    """What all batches of a run share."""

    def __init__(self, rules: SignatureFold, job: Job) -> None:
        self._job = job
        self._rules = pickle.dumps(rules)
        self._estimate = Estimate(cycles=0, fft_cost=0, memory=rules.memory, exact=False)

    def task(self, index: int, name: str) -> Task:
        """A task that proves a batch, in the form of the tasks of a plan."""
        return Task(
            name=name,
            kind="batch",
            hash="poseidon16",
            inputs=[Input(source={"leaf": index}, name=f"batch {index}", leaves="", bits=0)],
            leaves="",
            bits=0,
            estimate=self._estimate,
        )

    def submit(self, task: Task, inputs: Sequence[Reference]) -> tuple[Reference, Reference]:
        """Hands a batch to Ray. Returns references to its proof and its report."""
        work = _remote_work.options(**self._job.options(task))
        result, report = work.remote(self._job, self._rules, task, *inputs)
        return result, report


# The program is compiled once in a process, which proves many batches.
_rules = cache(pickle.loads)


def _work(job: Job, pickled: bytes, task: Task, batch: SignatureBatch) -> tuple[bytes, Report]:
    start, cpu = time.monotonic(), time.process_time()
    rules: SignatureFold = _rules(pickled)
    # It was finished before its worker or its machine was lost.
    proof = None if job.store is None else rules.kept(batch, job.store)
    stored = proof is not None
    if proof is None:
        with about_batch(task["inputs"][0]["source"]["leaf"]):
            proof = rules.prove(batch, store=job.store)
    seconds, cpu_seconds = time.monotonic() - start, time.process_time() - cpu
    return proof.to_bytes(), Report(seconds=seconds, cpu_seconds=cpu_seconds, stored=stored)


_remote_work: Any = ray.remote(num_returns=2)(_work)
