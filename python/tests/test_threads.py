"""Other threads run during computations, and Ctrl-C ends them at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import droste

# Some seconds of work on one thread at any optimisation.
LONG = 24 << 20


def test_other_threads_run_meanwhile() -> None:
    """Two computations overlap, and a thread that only counts goes on during both."""
    message = bytes(LONG)
    times: list[tuple[float, float]] = []
    ended = threading.Event()
    counts: list[float] = []

    def count() -> None:
        while not ended.is_set():
            counts.append(time.monotonic())
            time.sleep(0.005)

    def hash() -> None:
        start = time.monotonic()
        droste.Poseidon16.hash_bytes(message)
        times.append((start, time.monotonic()))

    counter = threading.Thread(target=count)
    hashers = [threading.Thread(target=hash) for _ in range(2)]
    for thread in [counter, *hashers]:
        thread.start()
    for thread in hashers:
        thread.join()
    ended.set()
    counter.join()
    (start, end), (other_start, other_end) = times
    overlap = min(end, other_end) - max(start, other_start)
    assert overlap > 0.5 * min(end - start, other_end - other_start)
    during = [at for at in counts if max(start, other_start) < at < min(end, other_end)]
    assert len(during) > 10
    gaps = np.diff(during)
    assert gaps.max() < 0.5 * overlap


CALLS = {
    "hash": "droste.Poseidon16.hash_bytes(bytes(200 << 20))",
    "prove": "program.prove([100_000], preset='toy', hash='keccak')",
    "msm": "droste.msm('bn254', points, scalars)",
}


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_ends_a_call_within_a_second(call: str) -> None:
    program = f"""
        import signal
        import numpy as np
        import droste
        # Where tests run in the background, a shell may have set it to be ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        program = droste.Program.compile('''use droste_gadgets::prelude::*;
            pub fn main() {{
                let n = public_input();
                let mut sum = Felt::ZERO;
                for i in count_to(n) {{ sum += i * i; }}
                reveal(sum);
            }}''')
        points = np.zeros((1 << 20, 2, 4), np.uint64)
        points[:, :, 0] = 1, 2
        scalars = np.random.default_rng(1).integers(0, 2**64, (1 << 20, 4), np.uint64)
        print("started", flush=True)
        try:
            {CALLS[call]}
            print("ended by itself", flush=True)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "started\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    start = time.monotonic()
    assert child.stdout.readline() == "interrupted\n"
    assert time.monotonic() - start < 1
    # What was abandoned does not keep the process.
    assert child.wait(timeout=1) == 0


def test_the_next_computation_waits_for_an_interrupted_one() -> None:
    program = """
        import signal, threading, time
        import droste
        signal.signal(signal.SIGINT, signal.default_int_handler)
        message = bytes(48 << 20)
        start = time.monotonic()
        try:
            threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
            droste.Poseidon16.hash_bytes(message)
            print("ended by itself")
        except KeyboardInterrupt:
            interrupted = time.monotonic()
            # Short messages need no thread and do not wait.
            droste.hash("blake3", b"short")
            short = time.monotonic()
            droste.Program.compile("pub fn main() {}")
            waited = time.monotonic()
            print(interrupted - start < 1.3, short - interrupted < 0.2, waited - short > 0.2)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "True True True\n", done.stdout + done.stderr


def test_importing_needs_no_thread() -> None:
    """Stacks of threads have no room in memory, so that none can be started."""
    program = """
        import droste, numpy as np
        print(droste.features()["threads"] > 0, droste.hash("blake3", b"").hex()[:8])
        try:
            droste.Blake3.hash_many(np.zeros((2, 2), np.uint8))
        except droste.ThreadError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "RUST_MIN_STACK": str(1 << 60)},
    )
    first, second = done.stdout.splitlines()
    assert first == "True af1349b9", done.stderr
    assert second.startswith("no thread can be started")
    assert "panicked" not in done.stderr


def test_thousands_of_threads_do_not_hang() -> None:
    program = """
        import droste, numpy as np
        droste.Keccak256.hash_many(np.zeros((4096, 64), np.uint8))
        print(droste.features()["threads"])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "RAYON_NUM_THREADS": "100000"},
    )
    assert int(done.stdout) <= 4 * (os.cpu_count() or 1)
