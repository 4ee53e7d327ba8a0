"""Figures of `droste.ray`: `python python/bench/measure.py --help`. Rows are JSON.

- `overhead`: what Ray and the loop that feeds it cost per task, measured with tasks that do
  nothing but have inputs and results of the size of an aggregate.
- `workers`: a plan of real proofs on one worker and on two, each of one thread, beside what the
  simulation says of them.
- `simulate`: a plan of many leaves on many workers, with durations that were measured.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import ray

from droste._aggregate import leaf_bytes
from droste._native import Plan, Program
from droste._types import Estimate, Input, Task
from droste.ray._tasks import Job, Reference, Report, run
from simulate import Node, simulate, tree

PROGRAM = """
use droste_gadgets::prelude::*;
pub fn main() {
    let x = public_input();
    reveal(x * x);
}
"""


def show(row: Mapping[str, Any]) -> None:
    """Prints a row."""
    print(json.dumps(row), flush=True)


def start_ray(cpus: int) -> None:
    """Starts Ray on this machine with this many processors, whatever the machine has."""
    ray.init(address="local", num_cpus=cpus, include_dashboard=False, log_to_driver=False)


def _nothing(size: int, *inputs: bytes) -> tuple[bytes, Report]:
    return bytes(size), Report(seconds=0.0, cpu_seconds=0.0, stored=False)


_remote_nothing: Any = ray.remote(num_returns=2)(_nothing)


def overhead(leaves: int, size: int) -> dict[str, Any]:
    """Runs a binary tree of tasks that do nothing, on one worker."""
    estimate = Estimate(cycles=0, fft_cost=0, memory=0, exact=True)
    tasks = [
        Task(
            name=str(index),
            kind=node.kind,
            hash="poseidon16",
            inputs=[
                Input(source={"task": at}, name=str(at), leaves="", bits=0) for at in node.inputs
            ]
            or [Input(source={"leaf": index}, name=f"leaf {index}", leaves="", bits=0)],
            leaves="",
            bits=0,
            estimate=estimate,
        )
        for index, node in enumerate(tree(leaves, 2))
    ]

    job = Job("toy", 2, cpus=1, max_retries=3, store=None, cache=True)

    def submit(task: Task, inputs: Sequence[Reference]) -> tuple[Reference, Reference]:
        result, report = _remote_nothing.options(**job.options(task)).remote(size, *inputs)
        return result, report

    def once(count: int) -> float:
        start = time.monotonic()
        run(tasks, range(count), lambda _: bytes(size), submit, 4, lambda index, report: None)
        return time.monotonic() - start

    start_ray(1)
    try:
        once(min(32, len(tasks)))
        seconds = min(once(len(tasks)) for _ in range(3))
    finally:
        ray.shutdown()
    return {
        "figure": "overhead",
        "tasks": len(tasks),
        "bytes": size,
        "ms_per_task": round(1e3 * seconds / len(tasks), 3),
    }


def _on_workers(workers: int, plan: Plan, data: Sequence[bytes]) -> dict[str, Any]:
    """Runs a plan on workers of one thread, each of which has done one task of each kind."""
    tasks = plan.tasks
    job = Job(plan.preset, plan.arity, cpus=1, max_retries=0, store=None, cache=True)
    first_level = [
        index
        for index, task in enumerate(tasks)
        if all("leaf" in input["source"] for input in task["inputs"])
    ]
    reports: dict[int, Report] = {}
    ends: dict[int, float] = {}
    start_ray(workers)
    try:
        # The same task on every worker at the same time, so that each compiles what it needs.
        made: dict[str, Reference] = {}
        kinds = set()
        for task in tasks:
            inputs = [
                ray.put(data[input["source"]["leaf"]])
                if "leaf" in input["source"]
                else made.get(input["name"])
                for input in task["inputs"]
            ]
            shape = (task["kind"], len(inputs))
            wanted = workers if shape not in kinds else 1 if task["kind"] != "join" else 0
            if wanted == 0 or None in inputs:
                continue
            kinds.add(shape)
            submitted = [job.submit(task, inputs) for _ in range(wanted)]
            ray.get([report for _, report in submitted])
            made[task["name"]] = submitted[0][0]
            if any(kind == "join" for kind, _ in kinds):
                break
        del made

        start = time.monotonic()

        def observe(index: int, report: Report) -> None:
            reports[index] = report
            ends[index] = time.monotonic() - start

        def available(input: Input) -> bytes:
            return data[input["source"]["leaf"]]

        run(tasks, range(len(tasks)), available, job.submit, 2 * workers, observe)
        makespan = time.monotonic() - start
    finally:
        ray.shutdown()

    def mean(kind: str, field: str) -> float:
        of_kind = [i for i, task in enumerate(tasks) if task["kind"] == kind]
        return fmean(reports[i][field] for i in of_kind)  # type: ignore[literal-required]

    names = sorted({task["kind"] for task in tasks})
    return {
        "figure": "run",
        "workers": workers,
        "tasks": len(tasks),
        "makespan": round(makespan, 3),
        "first_level": round(max(ends[index] for index in first_level), 3),
        "overhead_ms_per_task": round(
            1e3 * (makespan - sum(r["seconds"] for r in reports.values())) / len(tasks), 3
        )
        if workers == 1
        else None,
        "seconds": {kind: round(mean(kind, "seconds"), 4) for kind in names},
        "cpu_seconds": {kind: round(mean(kind, "cpu_seconds"), 4) for kind in names},
    }


def workers(leaves: int, preset: str, hash: str) -> None:
    """Runs a plan on one worker and on two, and prints both beside the simulation."""
    program = Program.compile(PROGRAM)
    given = [(program.prove([x], preset=preset, hash=hash), program, [x]) for x in range(leaves)]
    plan = Plan(given, preset=preset, arity=2)
    data = [leaf_bytes(leaf) for leaf in given]
    one, two = (_on_workers(count, plan, data) for count in (1, 2))
    nodes = [
        Node(
            task["kind"],
            [input["source"]["task"] for input in task["inputs"] if "task" in input["source"]],
        )
        for task in plan.tasks
    ]
    for row in (one, two):
        simulated = simulate(nodes, row["seconds"], row["workers"]).makespan
        error = simulated / row["makespan"] - 1
        show({**row, "simulated": round(simulated, 3), "error": round(error, 4)})
    cpu = [sum(row["cpu_seconds"][node.kind] for node in nodes) for row in (one, two)]
    show(
        {
            "figure": "efficiency of two workers",
            "preset": preset,
            "of_first_level": round(one["first_level"] / (2 * two["first_level"]), 4),
            "by_cpu_time": round(cpu[0] / cpu[1], 4),
        }
    )


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="command", required=True)
    of_overhead = commands.add_parser("overhead")
    of_overhead.add_argument("--leaves", type=int, default=256)
    of_overhead.add_argument("--bytes", type=int, default=350_000)
    of_workers = commands.add_parser("workers")
    of_workers.add_argument("--leaves", type=int, default=8)
    of_workers.add_argument("--preset", default="proven-120")
    of_workers.add_argument("--hash", default="poseidon16")
    of_simulate = commands.add_parser("simulate")
    of_simulate.add_argument("--leaves", type=int, default=1024)
    of_simulate.add_argument("--arity", type=int, default=2)
    of_simulate.add_argument("--workers", type=int, nargs="+", default=[1, 8, 32, 128])
    of_simulate.add_argument("--overhead", type=float, default=0.0, help="seconds per task")
    of_simulate.add_argument(
        "--seconds",
        type=json.loads,
        required=True,
        help='of each kind of task, as `workers` prints them: {"wrap": 3, "join": 4}',
    )
    given = parser.parse_args()
    if given.command == "overhead":
        show(overhead(given.leaves, given.bytes))
    elif given.command == "workers":
        workers(given.leaves, given.preset, given.hash)
    else:
        kinds = [kind for kind in ("wrap", "first_step", "to_canonical") if kind in given.seconds]
        nodes = tree(given.leaves, given.arity, kinds)
        for count in given.workers:
            simulated = simulate(nodes, given.seconds, count, given.overhead)
            show({"figure": "simulation", "leaves": given.leaves, **simulated.row()})


if __name__ == "__main__":
    main()
