"""Aggregation on a Ray of two nodes on this machine, some of which is killed."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

import droste
import droste.ray
from droste._types import Estimate, Input, Task
from droste.ray._tasks import PROCESS, Job, Report, run
from droste.signatures import Registry, SignatureFold, SignedMessage
from simulate import simulate, tree

Leaves = list[tuple[droste.Proof, droste.Program, list[int]]]

NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100 << 20}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A head that runs no tasks, and two nodes of one processor."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    settings = {"health_check_period_ms": 500, "health_check_failure_threshold": 3}
    head = {**NODE, "num_cpus": 0, "_system_config": settings, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    cluster.add_node(**NODE)
    cluster.add_node(**NODE)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()  # type: ignore[no-untyped-call]


def processes(kind: str, node: Any) -> list[int]:
    """Processes of a node that run tasks of this kind now: Ray names them by the task."""
    raylet = {info.process.pid for info in node.all_processes["raylet"]}
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            title = (folder / "cmdline").read_bytes()
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if title.startswith(f"ray::{kind}".encode()) and parent in raylet:
            found.append(int(folder.name))
    return found


def wait_for(condition: Callable[[], Any], seconds: float = 120) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen")


class Watch:
    """Does something as soon as it can be done, while a run goes on."""

    def __init__(self, act: Callable[[], bool]) -> None:
        self.done = False

        def watch() -> None:
            wait_for(act)
            self.done = True

        self.thread = threading.Thread(target=watch, daemon=True)
        self.thread.start()


def store_with(folder: Path, source: droste.Store, tasks: Sequence[Task]) -> droste.Store:
    """A store in which some tasks of the run in this process are finished."""
    store = droste.Store(folder)
    for task in tasks:
        data = source.get(task["name"])
        assert data is not None
        store.put(task["name"], data)
    return store


def written(store: droste.Store) -> dict[str, int]:
    """The file of each finished task. One that is written again is another file."""
    return {path.name: path.stat().st_ino for path in store.folder.glob("[0-9a-f]*")}


def test_a_worker_is_killed_in_a_join(
    cluster: Cluster,
    plan: droste.Plan,
    leaves: Leaves,
    root: droste.Aggregate,
    stored: droste.Store,
    tmp_path: Path,
) -> None:
    store = store_with(tmp_path / "store", stored, plan.tasks[:3])
    before = written(store)

    def kill() -> bool:
        running = [pid for node in list(cluster.worker_nodes) for pid in processes("join", node)]
        if running:
            # Not before it has begun.
            time.sleep(1)
            os.kill(running[0], signal.SIGKILL)
        return bool(running)

    watch = Watch(kill)
    calls: list[tuple[int, int]] = []
    made = droste.ray.aggregate(
        leaves,
        preset="toy",
        arity=2,
        store=store.folder,
        progress=lambda done, of: calls.append((done, of)),
    )
    assert watch.done and made == root
    assert made.inspect()["keys_are"] == "derived"
    assert calls == [(0, 2), (1, 2), (2, 2)]
    assert before.items() <= written(store).items() and len(written(store)) == 5


DRIVER = """
    import pickle, signal, sys
    import droste.ray
    signal.signal(signal.SIGINT, signal.default_int_handler)
    leaves = pickle.load(open(sys.argv[1], "rb"))
    print("started", flush=True)
    try:
        droste.ray.aggregate(
            leaves, preset="toy", arity=2, address=sys.argv[2], store=sys.argv[3]
        ).write(sys.argv[4])
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def test_the_driver_is_interrupted_and_killed_and_started_again(
    cluster: Cluster,
    plan: droste.Plan,
    leaves: Leaves,
    root: droste.Aggregate,
    stored: droste.Store,
    tmp_path: Path,
) -> None:
    wraps_and_join = [plan.tasks[index] for index in (0, 1, 3)]
    store = store_with(tmp_path / "store", stored, wraps_and_join)
    (tmp_path / "leaves").write_bytes(pickle.dumps(leaves))
    output = tmp_path / "root"

    def drive() -> subprocess.Popen[str]:
        arguments = [tmp_path / "leaves", cluster.address, store.folder, output]
        return subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(DRIVER), *map(str, arguments)],
            stdout=subprocess.PIPE,
            text=True,
        )

    def running(kind: str) -> list[int]:
        return [pid for node in list(cluster.worker_nodes) for pid in processes(kind, node)]

    # Interrupted while the last wrap is made: its task is ended, and nothing is lost. If the wrap
    # was faster than the interruption, its whole file is there, and the join is ended in its place.
    before = written(store)
    driver = drive()
    wait_for(lambda: running("wrap"))
    driver.send_signal(signal.SIGINT)
    output_of_driver, _ = driver.communicate(timeout=30)
    assert "interrupted" in output_of_driver and not output.exists()
    wait_for(lambda: not running("wrap") and not running("join"), seconds=5)
    after = written(store)
    assert before.items() <= after.items() and len(after) <= 4
    assert all(
        (store.folder / name).read_bytes() == (stored.folder / name).read_bytes() for name in after
    )

    # Killed while the root is made.
    driver = drive()
    wait_for(lambda: running("join"))
    before = written(store)
    assert len(before) == 4
    driver.kill()
    driver.communicate()
    wait_for(lambda: not running("join"), seconds=30)

    driver = drive()
    driver.communicate(timeout=120)
    assert output.read_bytes() == root.to_bytes()
    assert before.items() <= written(store).items() and len(written(store)) == 5


def task(name: str, *inputs: str, leaf: bool = False) -> Task:
    """A task for runs that prove nothing."""
    kind = "leaf" if leaf else "task"
    return Task(
        name=name,
        kind="join",
        hash="",
        inputs=[Input(source={kind: 0}, name=input, leaves="", bits=0) for input in inputs],
        leaves="",
        bits=0,
        estimate=Estimate(cycles=0, fft_cost=0, memory=0, exact=True),
    )


def test_tasks_are_submitted_by_and_by_and_errors_end_the_run(
    cluster: Cluster, tmp_path: Path
) -> None:
    def work(name: str, *inputs: bytes) -> tuple[bytes, Report]:
        if name == "bad":
            raise droste.VerifyError("bad input")
        if name == "slow":
            time.sleep(600)
        data = name.encode() + b"(" + b" ".join(inputs) + b")"
        return data, Report(seconds=0, cpu_seconds=0, stored=False)

    remote: Any = ray.remote(num_returns=2)(work)
    submitted: list[str] = []
    finished: list[int] = []
    most = 0

    def submit(task: Task, inputs: Sequence[Any]) -> tuple[Any, Any]:
        nonlocal most
        submitted.append(task["name"])
        most = max(most, len(submitted) - len(finished))
        result, report = remote.options(name=f"fake {task['name']}").remote(task["name"], *inputs)
        return result, report

    def start(tasks: list[Task], needed: Sequence[int]) -> dict[str, Any]:
        submitted.clear()
        finished.clear()
        available = lambda input: input["name"].encode()  # noqa: E731
        observe = lambda index, report: finished.append(index)  # noqa: E731
        return dict(run(tasks, needed, available, submit, 3, observe))

    levels = [task(f"w{at}", f"l{at}", leaf=True) for at in range(8)]
    levels += [task(f"j{at}", f"w{2 * at}", f"w{2 * at + 1}") for at in range(4)]
    levels += [task("a", "j0", "j1"), task("b", "j2", "j3"), task("twice", "b", "b")]
    levels += [task("root", "a", "twice")]
    results = start(levels, range(len(levels)))
    # All results but the root's were released.
    assert list(results) == ["root"] and sorted(finished) == list(range(16)) and most == 3
    b = b"b(j2(w4(l4) w5(l5)) j3(w6(l6) w7(l7)))"
    a = b"a(j0(w0(l0) w1(l1)) j1(w2(l2) w3(l3)))"
    assert ray.get(results["root"]) == b"root(" + a + b" twice(" + b + b" " + b + b"))"
    # The results of tasks that are not needed are given.
    assert ray.get(start(levels, [12, 15])["root"]) == b"root(a(j0 j1) twice)"

    # An error is the task's own, and ends what is running.
    def slow() -> list[int]:
        return [pid for node in list(cluster.worker_nodes) for pid in processes("fake slow", node)]

    bad = [task("slow", "l", leaf=True), task("bad", "l", leaf=True), task("root", "slow", "bad")]
    with pytest.raises(droste.VerifyError, match=r"^bad input$"):
        start(bad, range(3))
    wait_for(lambda: not slow(), seconds=10)

    # Tasks that have ended are not cancelled: Ray then ended this process.
    bad = [task("bad", f"l{at}", leaf=True) for at in range(6)]
    for _ in range(40):
        with pytest.raises(droste.VerifyError, match=r"^bad input$"):
            start(bad, range(6))


def test_ray_is_told_what_a_task_takes(cluster: Cluster, plan: droste.Plan) -> None:
    job = Job("toy", 2, cpus=1, max_retries=3, store=None, cache=True)
    options = job.options(plan.tasks[0])
    assert options["num_cpus"] == 1
    assert options["memory"] == plan.tasks[0]["estimate"]["memory"] + PROCESS

    def threads() -> int:
        return droste.features()["threads"]

    remote: Any = ray.remote(threads)
    assert ray.get(remote.options(**options).remote()) == 1


def test_lost_results_are_made_again(cluster: Cluster) -> None:
    """Without a store, Ray repeats what a lost node had made, from results that were released."""
    size = 1 << 20

    def work(name: str, *inputs: bytes) -> tuple[bytes, Report]:
        # Too large to be kept by the driver, as results are that take no part in Ray's messages.
        data = name.encode() * size + b"".join(input[:1] for input in inputs)
        return data, Report(seconds=0, cpu_seconds=0, stored=False)

    doomed = cluster.add_node(**NODE)
    cluster.wait_for_nodes()
    there = NodeAffinitySchedulingStrategy(doomed.node_id, soft=True)
    remote: Any = ray.remote(num_returns=2, max_retries=3)(work)

    def submit(task: Task, inputs: Sequence[Any]) -> tuple[Any, Any]:
        options = remote.options(scheduling_strategy=there)
        result, report = options.remote(task["name"], *inputs)
        return result, report

    lost = []

    def observe(index: int, report: Report) -> None:
        if index == 1:
            cluster.remove_node(doomed, allow_graceful=False)
            lost.append(doomed.node_id)

    tasks = [task("a", "l", leaf=True), task("b", "a"), task("c", "b")]
    results = run(tasks, range(3), lambda _: b"l" * size, submit, 1, observe)
    assert bytes(ray.get(results["c"])) == b"c" * size + b"b" and lost


def test_ray_is_optional() -> None:
    program = """
        import sys
        sys.modules["ray"] = None
        import droste
        try:
            import droste.ray
        except ImportError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "droste.ray needs Ray: pip install 'droste[ray]'\n"


def test_batches_of_signatures_are_proved_on_the_cluster(
    cluster: Cluster,
    signed: list[SignedMessage],
    registry: Registry,
    signatures: tuple[droste.Folded, list[int]],
    signature_store: droste.Store,
    tmp_path: Path,
) -> None:
    # The first batch, both wraps and the fold are missing.
    alice, bob, carol = signed
    rules = SignatureFold(registry, preset="toy", batch=2)
    [_, second] = rules.batches(signed)
    store = droste.Store(tmp_path / "store")
    store.put(rules.name(second), signature_store.get(rules.name(second)) or b"")
    before = written(store)
    calls: list[tuple[int, int]] = []
    made = droste.ray.aggregate_signatures(
        signed,
        registry,
        preset="toy",
        batch=2,
        store=store.folder,
        progress=lambda done, of: calls.append((done, of)),
    )
    assert made == signatures
    assert before.items() <= written(store).items()
    assert calls == [(0, 1), (1, 1), (0, 3), (1, 3), (2, 3), (3, 3)]
    for path in signature_store.folder.iterdir():
        assert (store.folder / path.name).read_bytes() == path.read_bytes()
    # Nothing is left to do.
    calls.clear()
    again = droste.ray.aggregate_signatures(
        signed,
        registry,
        preset="toy",
        batch=2,
        store=store.folder,
        progress=lambda done, of: calls.append((done, of)),
    )
    assert again == signatures and calls == [(0, 0), (0, 0)]

    # Without a store, the error of a task is the command's.
    wrong = SignedMessage(carol.public_key, carol.slot, carol.message, alice.signature)
    with pytest.raises(droste.VerifyError, match=r"^batch 1: the signature of key 2 "):
        droste.ray.aggregate_signatures([alice, bob, wrong], registry, preset="toy", batch=2)


def test_folds_are_made_on_the_cluster(
    cluster: Cluster,
    fold: droste.Fold,
    folded: droste.Folded,
    fold_store: droste.Store,
    terms: list[Any],
    tmp_path: Path,
) -> None:
    # The wrap and the first node are there.
    plan = fold.plan(terms)
    store = droste.Store(tmp_path / "store")
    for task in plan.tasks[:2]:
        store.put(task["name"], fold_store.get(task["name"]) or b"")
    before = written(store)
    calls: list[tuple[int, int]] = []

    def make() -> droste.Folded:
        observe = lambda done, of: calls.append((done, of))  # noqa: E731
        return droste.ray.fold(fold, terms, store=store.folder, progress=observe)

    assert make() == folded and calls == [(0, 1), (1, 1)]
    assert before.items() <= written(store).items() and len(written(store)) == 3
    calls.clear()
    assert make() == folded and calls == [(0, 0)]
    with pytest.raises(droste.UsageError, match="str was given, expected a Fold"):
        droste.ray.fold("sums.rs", terms)  # type: ignore[arg-type]


def test_mistakes(cluster: Cluster, leaves: Leaves) -> None:
    with pytest.raises(droste.UsageError, match="the number of tasks in flight is 0"):
        droste.ray.aggregate(leaves, preset="toy", max_in_flight=0)
    with pytest.raises(droste.UsageError, match="the number of processors of a task is 0"):
        droste.ray.aggregate(leaves, preset="toy", cpus=0)
    with pytest.raises(droste.UsageError, match="Ray is connected already"):
        droste.ray.aggregate(leaves, preset="toy", address=cluster.address)
    proof, program, _ = leaves[1]
    with pytest.raises(droste.VerifyError, match="leaf 1: "):
        droste.ray.aggregate([leaves[0], (proof, program, [6])], preset="toy")


def test_a_node_is_killed(
    cluster: Cluster,
    plan: droste.Plan,
    leaves: Leaves,
    root: droste.Aggregate,
    stored: droste.Store,
    tmp_path: Path,
) -> None:
    """The last test of the cluster: one of its nodes is gone."""
    store = store_with(tmp_path / "store", stored, plan.tasks[:2])
    before: dict[str, int] = {}

    def kill() -> bool:
        # One of the two that begin is finished, and the other runs.
        busy = [
            node
            for node in list(cluster.worker_nodes)
            if processes("wrap", node) or processes("join", node)
        ]
        if len(written(store)) < 3 or not busy:
            return False
        before.update(written(store))
        cluster.remove_node(busy[0], allow_graceful=False)
        return True

    watch = Watch(kill)
    made = droste.ray.aggregate(leaves, preset="toy", arity=2, store=store.folder)
    assert watch.done and made == root and len(cluster.worker_nodes) == 1
    assert before.items() <= written(store).items() and len(written(store)) == 5


def test_the_simulation_is_of_the_plan(plan: droste.Plan) -> None:
    nodes = tree(3, 2)
    assert [node.kind for node in nodes] == [task["kind"] for task in plan.tasks]
    inputs = [
        [input["source"]["task"] for input in task["inputs"] if "task" in input["source"]]
        for task in plan.tasks
    ]
    assert [list(node.inputs) for node in nodes] == inputs
    seconds = {"wrap": 2.0, "join": 3.0}
    one, two, many = (simulate(nodes, seconds, workers) for workers in (1, 2, 9))
    assert (one.makespan, one.efficiency, one.critical_path) == (12, 1, 8)
    assert (two.makespan, two.efficiency) == (8, 0.75) and many.makespan == 8
    assert simulate(nodes, seconds, 1, overhead=1).makespan == 17
    # 32 rounds of wraps on 32 workers, and 31 joins before fewer than 32 can run.
    many = simulate(tree(1024, 2), {"wrap": 1.0, "join": 1.0}, 32)
    assert many.makespan == 68 and many.critical_path == 11 and many.tasks == 2047
    assert len(tree(7, 3, ("first_step", "to_canonical"))) == 7 * 2 + 2 + 1
