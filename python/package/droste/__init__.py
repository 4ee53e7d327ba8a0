"""Proofs that verify proofs.

- `hash`, `Blake3`, `Keccak256`, `Poseidon16`, `MerkleTree`: digests, trees and paths.
- `Program`, `Proof`: programs in the zk-DSL; their runs, proved and verified.
- `commitment`, `digest_to_limbs`: what the statements of such programs commit to.
- `wrap`, `join`, `keys`, `Aggregate`: proofs that other proofs were verified.
- `aggregate`: one aggregate of any number of proofs. `Plan`, `Worker`, `Store`: its tasks, for
  engines that distribute them; `droste.ray` is one.
- `Fold`, `Folded`: rules of your own, proved on proofs; `FoldPlan`: the tasks of a whole fold.
- `hashes`: proofs of lists of calls of bit hashes.
- `signatures`: keys, signatures, and proofs that many signatures are valid.
- `cost`: what verifying a proof costs in-circuit.
- `msm`: multi-scalar multiplication.
- `features`: which kernels this build uses.

Functions that compute release the global interpreter lock and can be interrupted with Ctrl-C: the
call ends at once. What it was computing runs to its end in the background, and the next computation
waits for that.
"""

from droste import hashes, signatures
from droste._aggregate import aggregate
from droste._cost import cost
from droste._errors import (
    AggregateError,
    CompileError,
    CostError,
    DecodeError,
    Error,
    FileError,
    InternalError,
    MsmError,
    ProveError,
    RunError,
    SignError,
    ThreadError,
    UsageError,
    VerifyError,
)
from droste._native import (
    Aggregate,
    Blake3,
    Fold,
    Folded,
    FoldPlan,
    Keccak256,
    MerkleTree,
    Plan,
    Poseidon16,
    Program,
    Proof,
    Store,
    Worker,
    commitment,
    digest_to_limbs,
    exit_proof,
    features,
    hash,
    join,
    keys,
    msm,
    rooted_exit_proof,
    wrap,
)

__all__ = [
    "Aggregate",
    "AggregateError",
    "Blake3",
    "CompileError",
    "CostError",
    "DecodeError",
    "Error",
    "FileError",
    "Fold",
    "FoldPlan",
    "Folded",
    "InternalError",
    "Keccak256",
    "MerkleTree",
    "MsmError",
    "Plan",
    "Poseidon16",
    "Program",
    "Proof",
    "ProveError",
    "RunError",
    "SignError",
    "Store",
    "ThreadError",
    "UsageError",
    "VerifyError",
    "Worker",
    "aggregate",
    "commitment",
    "cost",
    "digest_to_limbs",
    "exit_proof",
    "features",
    "hash",
    "hashes",
    "join",
    "keys",
    "msm",
    "rooted_exit_proof",
    "signatures",
    "wrap",
]

__version__ = features()["version"]
