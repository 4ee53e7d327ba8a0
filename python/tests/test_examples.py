"""The examples run, and draw what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import matplotlib.image
import numpy as np

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_what_verifying_costs(tmp_path: Path) -> None:
    example = EXAMPLES / "what_verifying_costs.py"
    words = [sys.executable, str(example), str(tmp_path), "poseidon16", "blake3"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "'outputs': [285]" in done.stdout
    assert "2 proofs in one of" in done.stdout
    for name in ("queries.png", "tables.png"):
        image = np.asarray(matplotlib.image.imread(tmp_path / name))
        colours = {tuple(colour) for colour in (image[..., :3] * 255).astype(int).reshape(-1, 3)}
        # Lines or bars of two colours at least, beside black and white.
        assert len(colours) > 5
