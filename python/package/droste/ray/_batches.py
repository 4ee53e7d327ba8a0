"""Proofs of batches of signatures as tasks of Ray."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import ray

from droste._native import SignatureBatch, SignatureBatchProver
from droste._types import Estimate, Input, Task
from droste.ray._tasks import Job, Reference, Report
from droste.signatures import about_batch


@dataclass(frozen=True)
class Batches:
    """What all batches of a run share."""

    job: Job
    signatures: int
    hash: str
    blowup: int

    def task(self, index: int, name: str, memory: int) -> Task:
        """A task that proves a batch, in the form of the tasks of a plan."""
        return Task(
            name=name,
            kind="batch",
            hash=self.hash,
            inputs=[Input(source={"leaf": index}, name=f"batch {index}", leaves="", bits=0)],
            leaves="",
            bits=0,
            estimate=Estimate(cycles=0, fft_cost=0, memory=memory, exact=False),
        )

    def submit(self, task: Task, inputs: Sequence[Reference]) -> tuple[Reference, Reference]:
        """Hands a batch to Ray. Returns references to its proof and its report."""
        work = _remote_work.options(**self.job.options(task))
        result, report = work.remote(self, task, *inputs)
        return result, report


# The program is compiled once in a process, which proves many batches.
_prover = cache(SignatureBatchProver)


def _work(batches: Batches, task: Task, batch: SignatureBatch) -> tuple[bytes, Report]:
    start, cpu = time.monotonic(), time.process_time()
    job = batches.job
    prover = _prover(
        batches.signatures, hash=batches.hash, preset=job.preset, blowup=batches.blowup
    )
    # It was finished before its worker or its machine was lost.
    proof = None if job.store is None else prover.kept(batch, job.store)
    stored = proof is not None
    if proof is None:
        with about_batch(task["inputs"][0]["source"]["leaf"]):
            proof = prover.prove(batch, store=job.store)
    seconds, cpu_seconds = time.monotonic() - start, time.process_time() - cpu
    return proof.to_bytes(), Report(seconds=seconds, cpu_seconds=cpu_seconds, stored=stored)


_remote_work: Any = ray.remote(num_returns=2)(_work)
