"""Makespans of plans on many workers, by a list scheduler that only computes times.

It is for figures: what runs on Ray is scheduled by Ray.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Node:
    """A task: what it does, and the indices of the tasks whose results it takes."""

    kind: str
    inputs: Sequence[int]


def tree(leaves: int, arity: int, leaf_kinds: Sequence[str] = ("wrap",)) -> list[Node]:
    """The tasks of a plan of different proofs of one shape, in the order of the plan.

    Args:
        leaves: number of proofs.
        arity: largest number of results that a join takes.
        leaf_kinds: the tasks that bring a proof to the canonical shape.
    """
    nodes: list[Node] = []
    level = []
    for _ in range(leaves):
        for step, kind in enumerate(leaf_kinds):
            nodes.append(Node(kind, [len(nodes) - 1] if step else []))
        level.append(len(nodes) - 1)
    while len(level) > 1:
        following = []
        for start in range(0, len(level), arity):
            group = level[start : start + arity]
            # What is left over alone is carried to the next level.
            if len(group) > 1:
                nodes.append(Node("join", group))
                group = [len(nodes) - 1]
            following += group
        level = following
    return nodes


@dataclass(frozen=True)
class Simulated:
    """Times in seconds; `efficiency` is the share of the workers' time in which tasks run."""

    workers: int
    tasks: int
    makespan: float
    efficiency: float
    critical_path: float
    work: float

    def row(self) -> dict[str, float]:
        """As a row of JSON."""
        return {key: round(value, 4) for key, value in asdict(self).items()}


def simulate(
    nodes: Sequence[Node], seconds: Mapping[str, float], workers: int, overhead: float = 0.0
) -> Simulated:
    """Runs tasks on workers that each take the first task in order whose inputs are there.

    Args:
        nodes: the tasks; the inputs of a task come before it.
        seconds: duration of a task of each kind.
        workers: number of tasks that run at the same time.
        overhead: seconds that each task takes a worker in addition, which is not useful work.
    """
    missing = [len(node.inputs) for node in nodes]
    takers: list[list[int]] = [[] for _ in nodes]
    longest = [0.0] * len(nodes)
    for index, node in enumerate(nodes):
        before = max((longest[input] for input in node.inputs), default=0.0)
        longest[index] = before + seconds[node.kind] + overhead
        for input in node.inputs:
            takers[input].append(index)
    ready = [index for index, count in enumerate(missing) if count == 0]
    running: list[tuple[float, int]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < workers:
            index = heapq.heappop(ready)
            heapq.heappush(running, (now + seconds[nodes[index].kind] + overhead, index))
        now, index = heapq.heappop(running)
        for taker in takers[index]:
            missing[taker] -= 1
            if missing[taker] == 0:
                heapq.heappush(ready, taker)
    work = sum(seconds[node.kind] for node in nodes)
    return Simulated(
        workers=workers,
        tasks=len(nodes),
        makespan=now,
        efficiency=work / (workers * now),
        critical_path=max(longest),
        work=work,
    )
