"""What verifying a proof costs in-circuit, by hash: figures as data frames and plots.

Cells are marked with `# %%`, which notebooks and editors understand. As a script:

    python what_verifying_costs.py FOLDER [HASH ...]

writes the plots to a folder, for all hashes or for some. Its parameters are small, so that it takes
a minute; they have no security. With `preset="proven-100"` instead of `queries` the figures are
those of real proofs.
"""

# %%
import sys
from pathlib import Path

import matplotlib
import pandas as pd

import droste

matplotlib.use("Agg")
import matplotlib.pyplot as plt

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
hashes = sys.argv[2:] or ["poseidon16", "poseidon2", "blake3", "keccak"]

# %% [markdown]
# A program: public input `n`, output the sum of the squares below `n`.

# %%
program = droste.Program.compile(
    """
    use droste_gadgets::prelude::*;

    pub fn main() {
        let n = public_input();
        let mut sum = Felt::ZERO;
        for i in count_to(n) {
            sum += i * i;
        }
        reveal(sum);
    }
    """,
    name="squares.rs",
)
print(program.run([10]))

# %% [markdown]
# The same run, proved in each hash. Whoever verifies needs the program and the public input.

# %%
proofs = {hash: program.prove([10], hash=hash, preset="toy") for hash in hashes}
verified = pd.DataFrame(
    [proof.verify(program=program, public=[10], min_bits=1) for proof in proofs.values()]
)
print(verified[["hash", "proven_bits", "proof_bytes", "fft_cost"]].to_string(index=False))

# %% [markdown]
# What verifying such a proof costs in-circuit, over the number of queries. Each row is measured in
# a process of its own.

# %%
rows = droste.cost(
    program, [10], inner_hash=hashes, queries=[1, 2], outer_preset="toy", execute_only=True
)
frame = pd.DataFrame(rows)
print(frame[["inner_hash", "queries", "cycles", "fft_cost"]].to_string(index=False))

# %%
figure, axes = plt.subplots(figsize=(6, 4))
for hash, group in frame.groupby("inner_hash"):
    axes.plot(group["queries"], group["fft_cost"], marker="o", label=hash)
axes.set(xlabel="queries", ylabel="fft_cost of verifying", yscale="log")
axes.legend()
figure.tight_layout()
figure.savefig(folder / "queries.png")

# %% [markdown]
# The tables of the machine that verifies: which of them the cost is in.

# %%
tables = pd.json_normalize(rows, record_path="tables", meta=["inner_hash", "queries"])
share = tables[tables["queries"] == 2].pivot(index="inner_hash", columns="name", values="fft_cost")
figure, axes = plt.subplots(figsize=(6, 4))
share.plot.bar(ax=axes, stacked=True, ylabel="fft_cost", rot=0)
figure.tight_layout()
figure.savefig(folder / "tables.png")

# %% [markdown]
# Two proofs become one: each is wrapped, and the wraps are joined. Whoever verifies has derived the
# key, and knows the claim and the program.

# %%
wraps = [droste.wrap(program.prove([n], preset="toy"), program, [n], preset="toy") for n in (5, 6)]
one = droste.join(wraps, preset="toy")
key = droste.keys(wraps, join=[2], preset="toy")["key"]
summary = one.verify(key=key, claim=one.claim, leaves=[program], min_bits=1)
print(f"{len(wraps)} proofs in one of {summary['proof_bytes']} bytes")
